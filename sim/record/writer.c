// writer.c: chunks into a file, each whole or not at all.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "chunk.h"
#include "frames.h"
#include "word_planes.h"

struct record_writer {
  int fd, regular;             // only regular files can be cut back
  int failed;
  int fast;                    // packing takes less time, and more bytes
  char *path;
  record_index index;
  record_bytes plain, packed;
};

enum { WRITE_BYTES = 1 << 30 };   // at most at once

static int write_all(int fd, const unsigned char *data, size_t length) {
  while (length > 0) {
    const ssize_t done = write(fd, data, length < WRITE_BYTES ? length : WRITE_BYTES);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    if (done == 0) return EIO;
    data += done;
    length -= (size_t)done;
  }
  return 0;
}

// What is not whole goes away; a file without its header is of no use to anybody.
static void cut_back(record_writer *writer) {
  writer->failed = 1;
  if (!writer->regular) return;
  if (writer->index.count == 0) (void)unlink(writer->path);
  else if (ftruncate(writer->fd, (off_t)writer->index.whole) != 0) return;
}

static int refuse(record_writer *writer, int trouble, char *message, size_t size) {
  if (writer->index.count > 0 && writer->regular && !writer->failed) {
    char before[32] = "chunk before is";
    if (writer->index.count > 1)
      snprintf(before, sizeof before, "%d chunks before are", (int)writer->index.count);
    snprintf(message, size, "%s: %s; the %s whole", writer->path, strerror(trouble), before);
  } else {
    snprintf(message, size, "%s: %s", writer->path, strerror(trouble));
  }
  cut_back(writer);
  return RECORD_IO;
}

// Two runs that write one file would leave nothing of either.
static int lock(int fd) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  return fcntl(fd, F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN);
}

int record_busy(const char *path) {
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  const int known = fcntl(fd, F_GETLK, &whole) == 0;
  close(fd);
  return known && whole.l_type != F_UNLCK;
}

static int open_writer(const char *path, int fd, record_writer **out, char *message, size_t size) {
  struct stat status;
  record_writer *writer = calloc(1, sizeof *writer);
  int free_of_others = 1;
  if (fd >= 0 && writer && (writer->path = strdup(path)) != NULL && fstat(fd, &status) == 0) {
    writer->fd = fd;
    writer->regular = S_ISREG(status.st_mode);
    free_of_others = !writer->regular || lock(fd);
    *out = writer;
    if (free_of_others) return RECORD_OK;
    *out = NULL;
  }
  const int trouble = errno;
  if (writer) free(writer->path);
  free(writer);
  if (fd > STDERR_FILENO) close(fd);
  snprintf(message, size, "%s: %s", path,
           free_of_others ? strerror(trouble) : "another program is writing it");
  return RECORD_IO;
}

static int create(const char *path, const char *magic, record_writer **out, char *message,
                  size_t size) {
  *out = NULL;
  const int standard = !strcmp(path, "-");
  const int fd = standard ? STDOUT_FILENO
                          : open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  const int code = open_writer(standard ? "stdout" : path, fd, out, message, size);
  if (code) return code;
  record_writer *writer = *out;
  if (standard) writer->regular = 0;   // the shell's file: what was in it before is not ours to cut
  int trouble = writer->regular && ftruncate(fd, 0) != 0 ? errno : 0;
  if (!trouble)
    trouble = write_all(fd, (const unsigned char *)magic, sizeof RECORD_MAGIC - 1);
  writer->index.whole = sizeof RECORD_MAGIC - 1;
  if (!trouble) return RECORD_OK;
  refuse(writer, trouble, message, size);
  record_close(writer, NULL, 0);
  *out = NULL;
  return RECORD_IO;
}

int record_create(const char *path, record_writer **out, char *message, size_t size) {
  return create(path, RECORD_MAGIC, out, message, size);
}

int record_create_state(const char *path, record_writer **out, char *message, size_t size) {
  const int code = create(path, RECORD_STATE_MAGIC, out, message, size);
  if (!code) (*out)->fast = 1;
  return code;
}

int record_append(const char *path, const record_index *index, int32_t chunks,
                  record_writer **out, char *message, size_t size) {
  *out = NULL;
  const int code = open_writer(path, open(path, O_WRONLY | O_CLOEXEC), out, message, size);
  if (code) return code;
  record_writer *writer = *out;
  int trouble = 0;
  writer->index.whole = sizeof RECORD_MAGIC - 1;
  for (int32_t k = 0; k < chunks && !trouble; k++)
    if (index_add(&writer->index, &index->chunk[k]) != RECORD_OK) trouble = ENOMEM;
  if (!trouble && (ftruncate(writer->fd, (off_t)writer->index.whole) != 0 ||
                   lseek(writer->fd, 0, SEEK_END) < 0))
    trouble = errno;
  if (!trouble) return RECORD_OK;
  snprintf(message, size, "%s: %s", path, strerror(trouble));
  writer->failed = 1;   // the file stays as it is
  record_close(writer, NULL, 0);
  *out = NULL;
  return RECORD_IO;
}

int record_cut(record_writer *writer, int32_t chunks, char *message, size_t size) {
  record_index *index = &writer->index;
  const record_chunk *end = &index->chunk[chunks];
  if (chunks >= index->count) return RECORD_OK;
  const size_t whole = end->byte;
  if (ftruncate(writer->fd, (off_t)whole) != 0 || lseek(writer->fd, 0, SEEK_END) < 0) {
    snprintf(message, size, "%s: %s", writer->path, strerror(errno));
    writer->failed = 1;
    return RECORD_IO;
  }
  index->count = chunks;
  index->whole = whole;
  return RECORD_OK;
}

int record_is_regular(const record_writer *writer) { return writer->regular; }


const record_index *record_written(const record_writer *writer) { return &writer->index; }

// Places of particles are noise, in which nothing comes twice: runs are all there is to find, and
// that is done in a quarter of the time for 3 % more bytes.
static int pack(record_type type, int fast, const void *plain, size_t bytes, unsigned char *out,
                uLongf *stored) {
  const int noise = type == RECORD_FLOW || type == RECORD_GRID;
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)plain, .avail_in = (uInt)bytes,
                     .next_out = out, .avail_out = (uInt)*stored};
  if (deflateInit2(&stream, fast ? 1 : 6, Z_DEFLATED, 15, 8,
                   noise ? Z_RLE : Z_DEFAULT_STRATEGY) != Z_OK)
    return 0;
  const int end = deflate(&stream, Z_FINISH);
  *stored = stream.total_out;
  return deflateEnd(&stream) == Z_OK && end == Z_STREAM_END;
}

int record_write(record_writer *writer, record_type type, uint32_t first, uint32_t count,
                 const void *plain, size_t bytes, char *message, size_t size) {
  if (writer->failed) {
    snprintf(message, size, "%s: nothing more is written after a failure", writer->path);
    return RECORD_IO;
  }
  if (bytes > RECORD_PLAIN_MAX) {
    snprintf(message, size, "%s: a %s of %zu bytes is larger than %d", writer->path,
             record_type_name[type], bytes, RECORD_PLAIN_MAX);
    writer->failed = 1;
    return RECORD_IO;
  }
  uLongf stored = compressBound((uLong)bytes);
  if (bytes_reserve(&writer->packed, RECORD_HEADER_BYTES + stored) != RECORD_OK ||
      !pack(type, writer->fast, bytes ? plain : (const void *)"", bytes,
            writer->packed.data + RECORD_HEADER_BYTES, &stored))
    return refuse(writer, ENOMEM, message, size);
  record_chunk chunk = {.type = type, .stored = (uint32_t)stored, .plain = (uint32_t)bytes,
                        .first = first, .count = count, .byte = writer->index.whole};
  chunk_header(&chunk, writer->packed.data);
  const size_t length = RECORD_HEADER_BYTES + stored;
  const int trouble = write_all(writer->fd, writer->packed.data, length);
  if (trouble) return refuse(writer, trouble, message, size);
  if (index_add(&writer->index, &chunk) != RECORD_OK) return refuse(writer, ENOMEM, message, size);
  return RECORD_OK;
}

int record_write_frames(record_writer *writer, const record_frames *frames, char *message,
                        size_t size) {
  if (frames_encode(frames, &writer->plain) != RECORD_OK)
    return refuse(writer, ENOMEM, message, size);
  return record_write(writer, RECORD_FRAM, frames->first, frames->frames, writer->plain.data,
                      writer->plain.length, message, size);
}

int record_write_flow(record_writer *writer, const record_flow *flow, char *message, size_t size) {
  if (flow_encode(flow, &writer->plain) != RECORD_OK) return refuse(writer, ENOMEM, message, size);
  return record_write(writer, RECORD_FLOW, flow->first, flow->frames, writer->plain.data,
                      writer->plain.length, message, size);
}

int record_write_grid(record_writer *writer, const record_grid *grid, char *message, size_t size) {
  if (grid_encode(grid, &writer->plain) != RECORD_OK) return refuse(writer, ENOMEM, message, size);
  return record_write(writer, RECORD_GRID, grid->first, grid->frames, writer->plain.data,
                      writer->plain.length, message, size);
}

int record_write_steps(record_writer *writer, const record_steps *steps, int times,
                       char *message, size_t size) {
  if (steps_encode(steps, &writer->plain) != RECORD_OK)
    return refuse(writer, ENOMEM, message, size);
  const int code = record_write(writer, RECORD_STEP, steps->first, steps->rows,
                                writer->plain.data, writer->plain.length, message, size);
  if (code || !times) return code;
  if (times_encode(steps, &writer->plain) != RECORD_OK)
    return refuse(writer, ENOMEM, message, size);
  return record_write(writer, RECORD_TIME, steps->first, steps->rows, writer->plain.data,
                      writer->plain.length, message, size);
}

int record_write_state(record_writer *writer, uint32_t step, const void *state, size_t bytes,
                       size_t part, char *message, size_t size) {
  const unsigned char *at = state;
  size_t parts = bytes > part ? (bytes - 1)/part + 1 : 1;
  int code = parts > UINT32_MAX ? refuse(writer, EFBIG, message, size) : RECORD_OK;
  while (parts > 0 && !code) {
    const size_t length = bytes < part ? bytes : part;
    code = record_write(writer, RECORD_SAVE, step, (uint32_t)--parts, at, length, message, size);
    at += length;
    bytes -= length;
  }
  return code;
}

int record_close(record_writer *writer, char *message, size_t size) {
  if (!writer) return RECORD_OK;
  int trouble = 0;
  if (!writer->failed && writer->regular && fsync(writer->fd) != 0 && errno != EINVAL &&
      errno != ENOTSUP)
    trouble = errno;
  if (writer->fd > STDERR_FILENO && close(writer->fd) != 0 && !trouble && errno != EINTR)
    trouble = errno;
  if (trouble) snprintf(message, size, "%s: %s", writer->path, strerror(trouble));
  record_index_free(&writer->index);
  free(writer->plain.data);
  free(writer->packed.data);
  free(writer->path);
  free(writer);
  return trouble ? RECORD_IO : RECORD_OK;
}
