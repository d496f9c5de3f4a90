// guard.h: no file is both read and overwritten by one command.
//
// Reading and writing (file.h) ask here, whichever comes first. A file is known by its device and
// its number there, so that links and other ways to write its name are seen through. Pipes, devices
// and files that do not exist yet are free.
#pragma once

#include <stddef.h>
#include <sys/stat.h>

// A file will be read, or overwritten when its successor is complete: 1, or 0 with a message if it
// has the other role already.
int guard_input(const struct stat *status, const char *name, char *message, size_t size);
int guard_output(const struct stat *status, const char *name, char *message, size_t size);

// The file is free again: it was replaced, or what was read of it is meant to be replaced.
void guard_release(const struct stat *status);
