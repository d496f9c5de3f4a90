// guard.h: no file is both read and overwritten by one command.
//
// file.h asks here before it reads or writes a file. A file is identified by its device and inode,
// so links and other spellings of its name are recognised. Pipes, devices and files that do not
// exist yet are always allowed.
#pragma once

#include <stddef.h>
#include <sys/stat.h>

// A file will be read, or overwritten when its successor is complete: 1, or 0 with a message if it
// has the other role already.
int guard_input(const struct stat *status, const char *name, char *message, size_t size);
int guard_output(const struct stat *status, const char *name, char *message, size_t size);

// The file is free again: it was replaced, or what was read of it is meant to be replaced.
void guard_release(const struct stat *status);
