// file.c: reads whole files, with gzip, and writes files atomically, through a temporary file in the
// same folder.
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "guard.h"

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

enum {
  PENDING_FILES = 16,          // outputs open at one time
  BUFFER_BYTES = 1 << 18,      // of packed data that are read or written at once
  START_BYTES = 1 << 16,       // first piece of a text, from which its length is judged
  MAP_BYTES_MIN = 1 << 20,         // smaller files are read
  TRANSFER_BYTES_MAX = 1 << 30     // asked of one read or write, or given to zlib at once
};

const char *file_read_name(const char *path) {
  return strcmp(path, "-") == 0 ? "stdin" : path;
}

static const char *write_name(const char *path) {
  return strcmp(path, "-") == 0 ? "stdout" : path;
}

static int fail(int code, const char *name, const char *what, char *message, size_t message_size) {
  if (message && message_size) snprintf(message, message_size, "%s: %s", name, what);
  return code;
}

void file_text_free(file_text *text) {
  if (text->mapped) munmap(text->data, text->length);
  else free(text->data);
  *text = (file_text){NULL, 0, false};
}

// Makes room for at least one byte more, and for not more than one byte beyond `most`.
static bool grow(file_text *text, size_t *capacity, size_t most) {
  if (*capacity > SIZE_MAX/2 - 1) return false;
  size_t larger = *capacity < 32768 ? START_BYTES : 2**capacity;
  if (larger > most && *capacity <= most) larger = most + 1;
  char *data = realloc(text->data, larger);
  if (!data) return false;
  text->data = data;
  *capacity = larger;
  return true;
}

// Recordings are packed already, and texts of numbers are packed to a twentieth at best. A stream of
// zeros is neither. So a file may unpack to RATIO_MAX times its size, and to BYTES_FREE in any case.
static int usual_bound(const char *name, const char *start, size_t length, size_t packed,
                       size_t *most, char *message, size_t message_size) {
  enum { BYTES_FREE = 16 << 20, RATIO_MAX = 32, LOOKED_AT_BYTES = 4096 };
  if (length >= 4 && memcmp(start, "PERP", 4) != 0 &&
      memchr(start, 0, length < LOOKED_AT_BYTES ? length : LOOKED_AT_BYTES))
    return fail(FILE_CORRUPT, name, "it is neither text nor a recording", message, message_size);
  *most = packed > 0 && packed < SIZE_MAX/(2*RATIO_MAX) ? BYTES_FREE + RATIO_MAX*packed : SIZE_MAX;
  return FILE_OK;
}

// Whether a text that has grown to this length may grow further.
static int ask(file_bound *bound, const char *name, const file_text *text, size_t packed,
               size_t *most, char *message, size_t message_size) {
  const int code = bound(name, text->data, text->length, packed, most, message, message_size);
  if (code || text->length <= *most) return code;
  char what[128];
  snprintf(what, sizeof what, "it goes on after %zu bytes, which is more than it can have", *most);
  return fail(FILE_CORRUPT, name, what, message, message_size);
}

static int unpack(const char *name, file_bound *bound, file_text *text, char *message,
                  size_t message_size) {
  z_stream stream = {.next_in = NULL};
  if (inflateInit2(&stream, 15 + 16) != Z_OK)
    return fail(FILE_IO, name, "out of memory", message, message_size);
  file_text plain = {NULL, 0, false};
  size_t capacity = 4*START_BYTES, used = 0;
  const char *trouble = NULL;
  int code = FILE_CORRUPT;
  plain.data = malloc(capacity);
  bool memory = plain.data != NULL, finished = false;
  int refused = FILE_OK;
  while (memory && !trouble && !finished) {
    if (plain.length == capacity) {
      size_t most = 0;
      refused = ask(bound, name, &plain, text->length, &most, message, message_size);
      if (refused || !(memory = grow(&plain, &capacity, most))) break;
    }
    const size_t in = text->length - used, out = capacity - plain.length;
    stream.next_in = (Bytef *)(text->data + used);
    stream.avail_in = in < TRANSFER_BYTES_MAX ? (uInt)in : TRANSFER_BYTES_MAX;
    stream.next_out = (Bytef *)(plain.data + plain.length);
    stream.avail_out = out < TRANSFER_BYTES_MAX ? (uInt)out : TRANSFER_BYTES_MAX;
    const uInt avail_in = stream.avail_in, avail_out = stream.avail_out;
    const int status = inflate(&stream, Z_NO_FLUSH);
    used += avail_in - stream.avail_in;
    plain.length += avail_out - stream.avail_out;
    if (status == Z_STREAM_END) {                 // another member, zero padding, or rubbish
      size_t next = used;
      while (next < text->length && text->data[next] == 0) next++;
      finished = next == text->length;
      if (!finished && next > used) trouble = "bytes after the end of the gzip data";
      else if (!finished && text->data[used] != 0x1f)
        trouble = "bytes after the end of the gzip data";
      else if (!finished) memory = inflateReset(&stream) == Z_OK;
    } else if (status == Z_MEM_ERROR) {
      memory = false;
    } else if (status == Z_BUF_ERROR && used == text->length && plain.length < capacity) {
      trouble = "the gzip data end too early";
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      trouble = "the gzip data are damaged";
    }
  }
  inflateEnd(&stream);
  if (refused) {
    file_text_free(&plain);
    return refused;
  }
  if (!memory) code = FILE_IO, trouble = "out of memory while unpacking";
  if (trouble) {
    file_text_free(&plain);
    return fail(code, name, trouble, message, message_size);
  }
  file_text_free(text);
  *text = plain;
  return FILE_OK;
}

static bool ends_in_gz(const char *path) {
  const size_t length = strlen(path);
  return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

// Maps a large file that has not been read from yet; false, and nothing happens, otherwise.
static bool map(int fd, size_t length, file_text *text) {
  if (length < MAP_BYTES_MIN || lseek(fd, 0, SEEK_CUR) != 0) return false;
  void *data = mmap(NULL, length, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return false;
  posix_madvise(data, length, POSIX_MADV_WILLNEED);
  *text = (file_text){data, length, true};
  return true;
}

int file_read(const char *path, file_text *out, char *message, size_t message_size) {
  return file_read_bounded(path, usual_bound, out, message, message_size);
}

int file_read_bounded(const char *path, file_bound *bound, file_text *out, char *message,
                      size_t message_size) {
  *out = (file_text){NULL, 0, false};
  const bool standard = strcmp(path, "-") == 0;
  const char *name = file_read_name(path);
  const int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(FILE_IO, name, strerror(errno), message, message_size);

  file_text text = {NULL, 0, false};
  size_t capacity = 0;
  struct stat status;
  int trouble = 0;
  const bool regular = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  if (regular && !guard_input(&status, name, message, message_size)) {
    if (!standard) close(fd);
    return FILE_USAGE;
  }
  if (regular && status.st_size > 0 && (uintmax_t)status.st_size < SIZE_MAX/2) {
    capacity = (size_t)status.st_size + 1;        // one more, to see the end without growing
    if (!map(fd, (size_t)status.st_size, &text) && !(text.data = malloc(capacity)))
      trouble = ENOMEM;
  }
  size_t most = SIZE_MAX;
  while (!trouble && !text.mapped) {
    if (!regular && text.length >= START_BYTES && text.length == capacity) {
      const int refused = ask(bound, name, &text, 0, &most, message, message_size);
      if (refused) {
        if (!standard) close(fd);
        file_text_free(&text);
        return refused;
      }
    }
    if (text.length == capacity && !grow(&text, &capacity, most)) {
      trouble = ENOMEM;
      break;
    }
    const size_t room = capacity - text.length;
    const ssize_t got = read(fd, text.data + text.length,
                             room < TRANSFER_BYTES_MAX ? room : TRANSFER_BYTES_MAX);
    if (got == 0) break;
    if (got > 0) text.length += (size_t)got;
    else if (errno != EINTR) trouble = errno;
  }
  if (!standard) close(fd);
  if (trouble) {
    file_text_free(&text);
    return fail(FILE_IO, name, strerror(trouble), message, message_size);
  }
  if (text.length >= 2 && (unsigned char)text.data[0] == 0x1f &&
      (unsigned char)text.data[1] == 0x8b) {
    const int code = unpack(name, bound, &text, message, message_size);
    if (code != FILE_OK) {
      file_text_free(&text);
      return code;
    }
  } else if (ends_in_gz(path)) {
    file_text_free(&text);
    return fail(FILE_CORRUPT, name, "its name ends in .gz, but its contents are not gzip data",
                message, message_size);
  }
  *out = text;
  return FILE_OK;
}

// Temporary names, in static storage so that a signal handler can reach them.

enum { SLOT_FREE, SLOT_TAKEN, SLOT_PENDING };

static struct {
  atomic_int state;
  char name[PATH_MAX];
} pending[PENDING_FILES];

void file_unlink_pending(void) {
  const int saved = errno;
  for (int k = 0; k < PENDING_FILES; k++)
    if (atomic_load(&pending[k].state) == SLOT_PENDING) unlink(pending[k].name);
  errno = saved;
}

static int take_slot(void) {
  for (int k = 0; k < PENDING_FILES; k++) {
    int expected = SLOT_FREE;
    if (atomic_compare_exchange_strong(&pending[k].state, &expected, SLOT_TAKEN)) return k;
  }
  return -1;
}

struct file_output {
  int fd, slot;                // slot is -1 when written directly
  int trouble;                 // the first errno, 0 if none
  bool standard;
  bool replaces;               // there is a file now, and this is it:
  struct stat replaced;
  gzFile gzip;                 // NULL if plain; it owns a duplicate of fd
  size_t used;
  char target[PATH_MAX];       // what the rename replaces
  char name[PATH_MAX];         // for messages
  char buffer[BUFFER_BYTES];
};

static void write_out(file_output *output, const char *data, size_t length) {
  while (length > 0 && !output->trouble) {
    const size_t part = length < TRANSFER_BYTES_MAX ? length : TRANSFER_BYTES_MAX;
    ssize_t done;
    if (output->gzip) {
      errno = 0;
      done = gzwrite(output->gzip, data, (unsigned)part);
      if (done <= 0) {
        output->trouble = errno ? errno : EIO;
        break;
      }
    } else {
      done = write(output->fd, data, part);
      if (done < 0) {
        if (errno != EINTR) output->trouble = errno;
        continue;
      }
    }
    data += done;
    length -= (size_t)done;
  }
}

void file_write(file_output *output, const void *data, size_t length) {
  if (length > BUFFER_BYTES - output->used) {
    write_out(output, output->buffer, output->used);
    output->used = 0;
    if (length >= BUFFER_BYTES) {
      write_out(output, data, length);
      return;
    }
  }
  memcpy(output->buffer + output->used, data, length);
  output->used += length;
}

// Opens a temporary file beside output->target and notes its name; 0 or an errno.
static int open_temporary(file_output *output, mode_t mode, bool keep_mode) {
  static atomic_uint serial;
  output->slot = take_slot();
  if (output->slot < 0) return EMFILE;
  char *name = pending[output->slot].name;
  const char *slash = strrchr(output->target, '/');
  const int folder = slash ? (int)(slash - output->target) + 1 : 0;
  for (int attempt = 0; attempt < 100; attempt++) {
    const int length = snprintf(name, PATH_MAX, "%.*s.perp-%ld-%u.tmp", folder, output->target,
                                (long)getpid(), atomic_fetch_add(&serial, 1));
    if (length >= PATH_MAX) return ENAMETOOLONG;
    // Noted first: a signal after the open must find the name, and before it finds no file.
    atomic_store(&pending[output->slot].state, SLOT_PENDING);
    output->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (output->fd >= 0) {
      if (keep_mode) (void)fchmod(output->fd, mode & 07777);
      return 0;
    }
    const int trouble = errno;
    atomic_store(&pending[output->slot].state, SLOT_TAKEN);
    if (trouble != EEXIST) return trouble;
  }
  return EEXIST;
}

// 0 or an errno; -1: the message says why.
static int open_output(file_output *output, const char *path, char *message, size_t message_size) {
  if (output->standard) {
    fflush(stdout);
    output->fd = STDOUT_FILENO;
    return 0;
  }
  struct stat status = {.st_mode = 0};
  const bool exists = stat(path, &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return EISDIR;
  if (exists && access(path, W_OK) != 0) return errno;
  if (exists && !S_ISREG(status.st_mode)) {
    output->fd = open(path, O_WRONLY | O_CLOEXEC);
    return output->fd < 0 ? errno : 0;
  }
  if (exists) {
    if (!guard_output(&status, output->name, message, message_size)) return -1;
    output->replaces = true;
    output->replaced = status;
    char *resolved = realpath(path, NULL);
    if (!resolved) return errno;
    const size_t length = strlen(resolved);
    if (length < PATH_MAX) memcpy(output->target, resolved, length + 1);
    free(resolved);
    if (length >= PATH_MAX) return ENAMETOOLONG;
  } else {
    if (strlen(path) >= PATH_MAX) return ENAMETOOLONG;
    strcpy(output->target, path);
  }
  return open_temporary(output, status.st_mode, exists);
}

int file_create(const char *path, file_output **out, char *message, size_t message_size) {
  *out = NULL;
  const char *name = write_name(path);
  file_output *output = malloc(sizeof *output);
  if (!output) return fail(FILE_IO, name, strerror(ENOMEM), message, message_size);
  output->fd = output->slot = -1;
  output->trouble = 0;
  output->used = 0;
  output->gzip = NULL;
  output->standard = strcmp(path, "-") == 0;
  output->replaces = false;
  snprintf(output->name, sizeof output->name, "%s", name);
  int trouble = open_output(output, path, message, message_size);
  if (!trouble && ends_in_gz(path)) {
    const int copy = dup(output->fd);
    if (copy < 0) {
      trouble = errno;
    } else if (!(output->gzip = gzdopen(copy, "wb6"))) {
      close(copy);
      trouble = ENOMEM;
    }
  }
  if (trouble) {
    file_abandon(output);
    if (trouble < 0) return FILE_USAGE;
    return fail(FILE_IO, name, strerror(trouble), message, message_size);
  }
  *out = output;
  return FILE_OK;
}

const char *file_temporary(const file_output *output) {
  return output->slot >= 0 ? pending[output->slot].name : NULL;
}

static bool same(const struct stat *one, const struct stat *two) {
  return one->st_dev == two->st_dev && one->st_ino == two->st_ino;
}

// The folder of a name, and the rest of it.
static bool folder_of(const char *path, struct stat *status, const char **rest) {
  char folder[PATH_MAX];
  const char *slash = strrchr(path, '/');
  *rest = slash ? slash + 1 : path;
  if (slash && (size_t)(slash - path) + 2 > sizeof folder) return false;
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
  return stat(folder, status) == 0;
}

bool file_same(const char *a, const char *b) {
  struct stat one, two;
  const char *rest, *other;
  const bool have_one = stat(a, &one) == 0, have_two = stat(b, &two) == 0;
  if (have_one || have_two)
    return have_one && have_two && same(&one, &two) && S_ISREG(one.st_mode);
  return folder_of(a, &one, &rest) && folder_of(b, &two, &other) && same(&one, &two) &&
         strcmp(rest, other) == 0;
}

int file_check(const char *path, char *message, size_t message_size) {
  struct stat status;
  if (strcmp(path, "-") == 0) return FILE_OK;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    if (access(path, W_OK) == 0) return FILE_OK;   // a pipe: opening it would have effects
    return fail(FILE_IO, path, strerror(errno), message, message_size);
  }
  file_output *output;
  const int code = file_create(path, &output, message, message_size);
  file_abandon(output);
  return code;
}

// Closes and frees; keeps the temporary file's bytes under the final name if asked to.
static int finish(file_output *output, bool keep) {
  int trouble = output->trouble;
  if (output->gzip) {
    errno = 0;
    if (gzclose(output->gzip) != Z_OK && !trouble) trouble = errno ? errno : EIO;
  }
  if (output->slot >= 0 && output->fd >= 0 && keep && !trouble)
    if (fsync(output->fd) != 0 && errno != EINVAL && errno != ENOTSUP) trouble = errno;
  if (output->fd >= 0 && !output->standard)
    if (close(output->fd) != 0 && !trouble && errno != EINTR) trouble = errno;
  if (output->slot >= 0) {
    const char *temporary = pending[output->slot].name;
    if (output->fd >= 0) {
      if (keep && !trouble && rename(temporary, output->target) != 0) trouble = errno;
      if (keep && !trouble && output->replaces) guard_release(&output->replaced);
      if (!keep || trouble) unlink(temporary);
    }
    atomic_store(&pending[output->slot].state, SLOT_FREE);
  }
  free(output);
  return trouble;
}

int file_commit(file_output *output, char *message, size_t message_size) {
  char name[PATH_MAX];
  snprintf(name, sizeof name, "%s", output->name);
  write_out(output, output->buffer, output->used);
  const int trouble = finish(output, true);
  if (trouble) return fail(FILE_IO, name, strerror(trouble), message, message_size);
  return FILE_OK;
}

int file_save(const char *path, const void *data, size_t length, char *message,
              size_t message_size) {
  file_output *output;
  const int code = file_create(path, &output, message, message_size);
  if (code) return code;
  file_write(output, data, length);
  return file_commit(output, message, message_size);
}

void file_abandon(file_output *output) {
  if (output) finish(output, false);
}
