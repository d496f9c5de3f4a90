// mtx.c: reads Matrix Market files, with several threads at once.
//
// The body is cut at line starts into chunks that threads parse on their own. A chunk cannot know
// how many entries came before it, so "one entry too many" is decided afterwards, in file order;
// that makes the result and the reported error independent of the number of threads.
#include "mtx_parts.h"

#include "file.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  THREADS_MAX = 64,             // that parse one file
  CHUNK_BYTES = 1 << 16,        // a smaller body is not worth a thread
  CHUNKS_PER_THREAD = 4,        // evens out lines that take longer
  ENTRY_BYTES_MIN = 6,              // least a coordinate entry needs, "1 1 0\n"
  VALUE_BYTES_MIN = 2,              // least an array entry needs, "0\n"
};

// Chunks and threads.

typedef struct chunk {
  cursor start;
  int64_t lines;                // newlines in it
  int64_t offset, capacity;     // its part of the arrays
  int64_t count;                // entries read
  bool failed;
  fault fault;
} chunk;

typedef struct job {
  const header *h;
  unsigned flags;
  int32_t *row, *column;        // sum of capacities; NULL if dense
  double *value;                // sum of capacities
  chunk *chunks;
  int chunk_count;
  void (*step)(struct job *, chunk *);
  atomic_int next;
} job;

// Counts newlines, which gives the chunks behind their line numbers and the arrays their size.
static void count_lines(job *work, chunk *k) {
  (void)work;
  const char *p = k->start.at, *end = k->start.end;
  const uint64_t ones = UINT64_C(0x0101010101010101), low = 0x7f*ones;
  uint64_t lines = 0;
  while (end - p >= 8) {                          // eight bytes at once, 255 times, fit a byte each
    uint64_t sums = 0;
    for (int n = 0; n < 255 && end - p >= 8; n++, p += 8) {
      uint64_t word;
      memcpy(&word, p, sizeof word);
      word ^= '\n'*ones;                          // a newline is now a zero byte
      sums += ~(((word & low) + low) | word | low) >> 7;
    }
    lines += ((sums & UINT64_C(0x00ff00ff00ff00ff))*UINT64_C(0x0001000100010001) >> 48) +
             ((sums >> 8 & UINT64_C(0x00ff00ff00ff00ff))*UINT64_C(0x0001000100010001) >> 48);
  }
  for (; p < end; p++) lines += *p == '\n';
  k->lines = (int64_t)lines;
}

// Reads the chunk's entries; one more than `limit` is a fault.
static void read_chunk_up_to(const job *work, chunk *k, int64_t limit) {
  const header *h = work->h;
  cursor c = k->start;
  int64_t at = k->offset;
  const int64_t stop = at + limit;
  const char *what = h->dense ? "the end of the line after the value"
                              : "the end of the line after row, column and value";
  bool good = true;
  while (good && mtx_find_data(&c)) {
    if (at == stop) {
      char text[64];
      snprintf(text, sizeof text, "the end of the file after %" PRId64 " entr%s", h->entries,
               h->entries == 1 ? "y" : "ies");
      good = mtx_expected(&c, &k->fault, text);
      break;
    }
    good = h->dense ? mtx_read_value(&c, h, work->flags, &k->fault, work->value + at)
                    : mtx_read_entry(&c, h, work->flags, &k->fault, work->row + at,
                                     work->column + at, work->value + at);
    good = good && mtx_end_line(&c, &k->fault, what);
    at += good;
  }
  k->count = at - k->offset;
  k->failed = !good;
}

static void read_chunk(job *work, chunk *k) {
  read_chunk_up_to(work, k, k->capacity);
}

static void *run_steps(void *argument) {
  job *work = argument;
  for (int k; (k = atomic_fetch_add(&work->next, 1)) < work->chunk_count;)
    work->step(work, &work->chunks[k]);
  return NULL;
}

// Runs the step for all chunks; without helper threads, if none can be had, it still does all.
static void run(job *work, int threads, void (*step)(job *, chunk *)) {
  work->step = step;
  atomic_store(&work->next, 0);
  pthread_t helpers[THREADS_MAX];
  int started = 0;
  while (started + 1 < threads && started + 1 < work->chunk_count &&
         pthread_create(&helpers[started], NULL, run_steps, work) == 0)
    started++;
  run_steps(work);
  while (started > 0) pthread_join(helpers[--started], NULL);
}

// Cuts the body into chunks that start at line starts; some may be empty.
static void split(job *work, const cursor *body) {
  const char *at = body->at;
  const size_t length = (size_t)(body->end - at);
  for (int k = 0; k < work->chunk_count; k++) {
    const char *end = body->at + length/(size_t)work->chunk_count*(size_t)(k + 1);
    if (k == work->chunk_count - 1) end = body->end;
    if (end < at) end = at;
    if (end < body->end && end > at) {            // to the next line start
      const char *newline = memchr(end - 1, '\n', (size_t)(body->end - end + 1));
      end = newline ? newline + 1 : body->end;
    }
    work->chunks[k].start = (cursor){at, end, at, 0};
    at = end;
  }
}

// Gives every chunk its line number and its part of arrays that the file, not the header, sizes.
static int64_t lay_out(job *work, int64_t line) {
  const int64_t least = work->h->dense ? VALUE_BYTES_MIN : ENTRY_BYTES_MIN;
  int64_t total = 0;
  for (int n = 0; n < work->chunk_count; n++) {
    chunk *k = &work->chunks[n];
    k->start.line = line;
    line += k->lines;
    const int64_t bytes = k->start.end - k->start.at;
    const int64_t by_lines = k->lines + (bytes > 0 && k->start.end[-1] != '\n');
    const int64_t by_bytes = (bytes + 1)/least + 1;           // and one line that is wrong
    k->capacity = by_lines < by_bytes ? by_lines : by_bytes;
    if (k->capacity > work->h->entries) k->capacity = work->h->entries;
    k->offset = total;
    total += k->capacity;
  }
  return total;
}

// Closes the gaps between the chunks' entries; false with the first fault of the file.
static bool join(job *work, const cursor *body, fault *f) {
  int64_t count = 0;
  for (int n = 0; n < work->chunk_count; n++) {
    chunk *k = &work->chunks[n];
    const int64_t left = work->h->entries - count;
    if (k->count > left || (k->failed && k->count == left))
      read_chunk_up_to(work, k, left);            // the fault is one entry too many, or before it
    if (k->failed) {
      *f = k->fault;
      return false;
    }
    if (k->offset != count) {
      const size_t from = (size_t)k->offset, to = (size_t)count, size = (size_t)k->count;
      memmove(work->value + to, work->value + from, size*sizeof *work->value);
      if (!work->h->dense) {
        memmove(work->row + to, work->row + from, size*sizeof *work->row);
        memmove(work->column + to, work->column + from, size*sizeof *work->column);
      }
    }
    count += k->count;
  }
  if (count == work->h->entries) return true;
  const chunk *last = &work->chunks[work->chunk_count - 1];
  cursor c = {body->end, body->end, body->end, last->start.line + last->lines};
  while (c.line_start > body->line_start && c.line_start[-1] != '\n') c.line_start--;
  return mtx_refuse(&c, f, "expected %" PRId64 " entr%s, found %" PRId64, work->h->entries,
                    work->h->entries == 1 ? "y" : "ies", count);
}

// The interface.

static int report(int code, const char *name, const fault *f, char *message, size_t size) {
  if (message && size && code == MTX_BAD_INPUT)
    snprintf(message, size, "%s:%" PRId64 ":%" PRId64 ": %s", name, f->line, f->column, f->text);
  else if (message && size)
    snprintf(message, size, "%s: out of memory", name);
  return code;
}

// The body, from the chunks to the matrix; MTX_OK, or MTX_BAD_INPUT with *f, or MTX_IO for memory.
static int read_body(const header *h, unsigned flags, int threads, const cursor *body,
                     mtx_matrix *out, fault *f) {
  const size_t length = (size_t)(body->end - body->at);
  const size_t pieces = length/(flags & MTX_SMALL_CHUNKS ? 8 : CHUNK_BYTES);
  const size_t most = (size_t)(threads == 1 ? 1 : CHUNKS_PER_THREAD*threads);
  job work = {.h = h, .flags = flags};
  work.chunk_count = (int)(pieces < 1 ? 1 : pieces < most ? pieces : most);
  work.chunks = calloc((size_t)work.chunk_count, sizeof *work.chunks);
  if (!work.chunks) return MTX_IO;
  split(&work, body);
  run(&work, threads, count_lines);
  const int64_t capacity = lay_out(&work, body->line);
  triples t = {.value = mtx_allocate(capacity, sizeof *t.value)};
  if (!h->dense) {
    t.row = mtx_allocate(capacity, sizeof *t.row);
    t.column = mtx_allocate(capacity, sizeof *t.column);
  }
  int code = MTX_IO;
  if (t.value && (h->dense || (t.row && t.column))) {
    work.row = t.row;
    work.column = t.column;
    work.value = t.value;
    run(&work, threads, read_chunk);
    code = join(&work, body, f) ? mtx_make_matrix(h, flags, &t, body, out, f) : MTX_BAD_INPUT;
  }
  mtx_free_triples(&t);
  free(work.chunks);
  return code;
}

int mtx_parse(const char *name, const char *text, size_t length, unsigned flags, int threads,
              mtx_matrix *out, char *message, size_t message_size) {
  *out = (mtx_matrix){0};
  if (threads <= 0) threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
  threads = threads < 1 ? 1 : threads > THREADS_MAX ? THREADS_MAX : threads;
  cursor c = {text, text + length, text, 1};
  header h = {0};
  fault f = {1, 1, ""};
  if (!mtx_read_banner(&c, &h, &f) || !mtx_read_sizes(&c, flags, &h, &f))
    return report(MTX_BAD_INPUT, name, &f, message, message_size);
  const int code = read_body(&h, flags, threads, &c, out, &f);
  if (code == MTX_OK) return MTX_OK;
  mtx_free(out);
  return report(code, name, &f, message, message_size);
}

// How long a file can be, from its sizes. Before them are comments, and an entry has a line. Packed,
// each entry of a coordinate file has a place of its own, so the text is not packed to a thirtieth;
// values of an array may all be 0.
static int bound_text(const char *name, const char *start, size_t length, size_t packed,
                      size_t *most, char *message, size_t message_size) {
  enum { HEADER_BYTES_MAX = 4 << 20, LINE_BYTES_MAX = 128, PACKED_RATIO_MAX = 32 };
  cursor c = {start, start + length, start, 1};
  header h = {0};
  fault f = {1, 1, ""};
  *most = HEADER_BYTES_MAX;
  if (!mtx_read_banner(&c, &h, &f)) return report(MTX_BAD_INPUT, name, &f, message, message_size);
  const cursor banner_end = c;
  if (!mtx_find_data(&c) || !memchr(c.at, '\n', (size_t)(c.end - c.at))) return MTX_OK;
  c = banner_end;
  if (!mtx_read_sizes(&c, 0, &h, &f)) return report(MTX_BAD_INPUT, name, &f, message, message_size);
  const uint64_t lines = (uint64_t)h.entries*LINE_BYTES_MAX;
  const uint64_t all = HEADER_BYTES_MAX + (uint64_t)(c.at - start) + lines;
  const uint64_t unpacked = 2*(uint64_t)HEADER_BYTES_MAX + PACKED_RATIO_MAX*(uint64_t)packed;
  const uint64_t bytes = packed > 0 && !h.dense && unpacked < all ? unpacked : all;
  *most = bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
  return MTX_OK;
}

int mtx_read(const char *path, unsigned flags, int threads, mtx_matrix *out, char *message,
             size_t message_size) {
  *out = (mtx_matrix){0};
  file_text text;
  int code = file_read_bounded(path, bound_text, &text, message, message_size);
  if (code != FILE_OK) return code;
  code = mtx_parse(file_read_name(path), text.data, text.length, flags, threads, out, message,
                   message_size);
  file_text_free(&text);
  return code;
}

void mtx_free(mtx_matrix *matrix) {
  free(matrix->colptr);
  free(matrix->row);
  free(matrix->value);
  *matrix = (mtx_matrix){0};
}
