// file.h: reads whole files, with gzip, and writes files atomically: complete or not at all.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { FILE_PATH_BYTES = 4096 };   // of a path, with its NUL

// What the functions return: the program's exit codes.
enum {
  FILE_OK = 0,
  FILE_USAGE = 2,    // a file that is read would be overwritten
  FILE_CORRUPT = 3,  // the gzip data are damaged
  FILE_IO = 6        // the system refused, or memory ran out
};

// The contents of a file. The bytes may hold anything, NUL included, and no NUL follows them.
typedef struct file_text {
  char *data;     // length
  size_t length;
  bool mapped;    // data are the file's own pages: a large file is mapped, not copied, so it must
                  // not be cut short by others while in use (our own writing never does that)
} file_text;

// A file that is read is not overwritten and the other way round, as guard.h says: FILE_USAGE.

// Reads all of a file, pipe or device; "-" is the standard input. Contents that start with the gzip
// magic 1f 8b are unpacked, all members of them; a name that ends in .gz promises such contents. On
// failure *out is empty and the message says what happened. message may be NULL.
int file_read(const char *path, file_text *out, char *message, size_t message_size);
void file_text_free(file_text *text);

// Computes from the start of a text how long the whole text can be. Longer texts are not read or
// unpacked any further. It is called as the text grows, if the text is compressed (`packed` bytes)
// or comes from a pipe or a device (packed = 0). FILE_OK with *most, or FILE_CORRUPT with a
// message.
typedef int file_bound(const char *name, const char *start, size_t length, size_t packed,
                       size_t *most, char *message, size_t message_size);
int file_read_bounded(const char *path, file_bound *bound, file_text *out, char *message,
                      size_t message_size);

// The name to show for a path that is read: "-" is "stdin".
const char *file_read_name(const char *path);

// A file being written. It appears under its name only when committed: until then the bytes are
// in a temporary file of the same folder, so a full disk or an interrupt leaves the old file alone.
// A symbolic link keeps pointing where it does and an existing file keeps its permissions.
// "-" (standard output), pipes and devices are written directly. A name that ends in .gz packs.
typedef struct file_output file_output;

// Whether both names are of one file, which need not be there yet: two outputs that would replace
// each other.
bool file_same(const char *a, const char *b);

// Whether file_create will probably succeed: to ask before long work. Writes nothing. From now on
// the file is an output, and reading it is refused (guard.h).
int file_check(const char *path, char *message, size_t message_size);

int file_create(const char *path, file_output **out, char *message, size_t message_size);

// The temporary file, for another program to write to; NULL if bytes go out directly.
const char *file_temporary(const file_output *output);

// Appends; buffered. A failure is remembered, later writes do nothing, and file_commit reports it.
void file_write(file_output *output, const void *data, size_t length);

// Flushes, syncs, renames and frees; on failure the temporary file is gone, as is *output.
int file_commit(file_output *output, char *message, size_t message_size);

// All of it at once: create, write, commit.
int file_save(const char *path, const void *data, size_t length, char *message,
              size_t message_size);

// Drops what was written and frees. NULL is fine.
void file_abandon(file_output *output);

// Unlinks all temporary files now pending. Async-signal-safe: meant for a handler of SIGINT or
// SIGTERM that ends the process. A later file_commit of such an output fails.
void file_unlink_pending(void);
