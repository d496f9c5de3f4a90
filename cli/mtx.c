// Reads Matrix Market files: header, entries in parallel, counting sort into columns, expansion.
//
// The body is cut at line starts into chunks that threads parse on their own. A chunk cannot know
// how many entries came before it, so "one entry too many" is decided afterwards, in file order;
// that makes the result and the reported error independent of the number of threads.
#include "mtx.h"

#include "file.h"
#include "mtx_number.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  THREADS_MAX = 64,
  CHUNK_BYTES = 1 << 16,        // a smaller body is not worth a thread
  CHUNKS_PER_THREAD = 4,        // evens out lines that take longer
  ENTRY_BYTES = 6,              // least a coordinate entry needs, "1 1 0\n"
  VALUE_BYTES = 2,              // least an array entry needs, "0\n"
  EMPTY_SIZE = 10000000,        // rows or columns a coordinate file may declare without entries,
  SIZE_PER_ENTRY = 100          // and how many more for each entry
};

static const double infinite_from = 1e20;

// What the first error is: line and column from 1, column in bytes.
typedef struct fault {
  int64_t line, column;
  char text[224];
} fault;

typedef struct cursor {
  const char *at, *end;
  const char *line_start;
  int64_t line;
} cursor;

enum symmetry { GENERAL, SYMMETRIC, SKEW };

typedef struct header {
  bool dense, integer;
  enum symmetry symmetry;
  int32_t rows, columns;
  int64_t entries;              // lines of the body that hold an entry
} header;

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// At the end of a line or of the text; CR counts only as part of CR LF or as the last byte.
static bool at_line_end(const char *p, const char *end) {
  if (p == end || *p == '\n') return true;
  return *p == '\r' && (p + 1 == end || p[1] == '\n');
}

static const char *skip_blanks(const char *p, const char *end) {
  while (p < end && is_blank(*p)) p++;
  return p;
}

static const char *token_end(const char *p, const char *end) {
  while (!at_line_end(p, end) && !is_blank(*p)) p++;
  return p;
}

static void next_line(cursor *c) {
  const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
  if (!newline) {
    c->at = c->end;
    return;
  }
  c->at = c->line_start = newline + 1;
  c->line++;
}

// From a line start to the first byte of the next line that is neither blank nor a comment.
static bool find_data(cursor *c) {
  while (c->at < c->end) {
    c->at = skip_blanks(c->at, c->end);
    if (!at_line_end(c->at, c->end) && *c->at != '%') return true;
    next_line(c);
  }
  return false;
}

// Notes a fault at the cursor; always false.
__attribute__((format(printf, 3, 4)))
static bool refuse(const cursor *c, fault *f, const char *format, ...) {
  f->line = c->line;
  f->column = c->at - c->line_start + 1;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->text, sizeof f->text, format, arguments);
  va_end(arguments);
  return false;
}

// "expected WHAT, found 'TOKEN'"; unprintable bytes as \xNN, at most 40 characters. Always false.
static bool expected(const cursor *c, fault *f, const char *what) {
  if (at_line_end(c->at, c->end))
    return refuse(c, f, "expected %s, found the end of the %s", what,
                  c->at == c->end ? "file" : "line");
  char token[48];
  size_t length = 0;
  const char *p = c->at, *end = token_end(p, c->end);
  if (p == end) end++;
  for (; p < end && length < 40; p++) {
    const unsigned char byte = (unsigned char)*p;
    if (byte >= 0x20 && byte < 0x7f) token[length++] = (char)byte;
    else length += (size_t)snprintf(token + length, 5, "\\x%02x", byte);
  }
  token[length] = 0;
  return refuse(c, f, "expected %s, found '%s%s'", what, token, p < end ? "..." : "");
}

// Nothing but blanks may be left of the line; moves to the next.
static bool end_line(cursor *c, fault *f, const char *what) {
  const char *p = skip_blanks(c->at, c->end);
  if (p < c->end && *p == '\n') {
    c->at = c->line_start = p + 1;
    c->line++;
    return true;
  }
  c->at = p;
  if (!at_line_end(p, c->end)) return expected(c, f, what);
  next_line(c);
  return true;
}

// The line has fewer fields than it should; points to its first. Always false.
static bool too_few(cursor *c, fault *f, const char *fields) {
  int found = 0;
  const bool last = memchr(c->at, '\n', (size_t)(c->end - c->at)) == NULL;
  const char *p = skip_blanks(c->line_start, c->end);
  c->at = p;
  while (!at_line_end(p, c->end)) {
    found++;
    p = skip_blanks(token_end(p, c->end), c->end);
  }
  return refuse(c, f, "expected %s, found %d%s", fields, found,
                last ? " and the end of the file" : "");
}

// Header.

// Takes one word of the banner, case-insensitively; its index in the table, or -1.
static int take_word(cursor *c, const char *const table[], fault *f, const char *what) {
  c->at = skip_blanks(c->at, c->end);
  const char *end = token_end(c->at, c->end);
  for (int k = 0; table[k]; k++) {
    const char *p = c->at, *word = table[k];
    while (p < end && *word && (*p >= 'A' && *p <= 'Z' ? *p | 0x20 : *p) == *word) p++, word++;
    if (p == end && !*word) {
      c->at = end;
      return k;
    }
  }
  expected(c, f, what);
  return -1;
}

static bool read_banner(cursor *c, header *h, fault *f) {
  static const char *const banners[] = {"%%matrixmarket", NULL};
  static const char *const objects[] = {"matrix", NULL};
  static const char *const formats[] = {"coordinate", "array", NULL};
  static const char *const fields[] = {"real", "integer", NULL};
  static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", NULL};
  const char *all = "'%%MatrixMarket matrix coordinate|array real|integer "
                    "general|symmetric|skew-symmetric'";
  if (c->at < c->end && is_blank(*c->at)) return refuse(c, f, "expected %s, found a blank", all);
  if (take_word(c, banners, f, all) < 0) return false;
  if (take_word(c, objects, f, "the object 'matrix'") < 0) return false;
  const int format = take_word(c, formats, f, "the format 'coordinate' or 'array'");
  if (format < 0) return false;
  const int field = take_word(c, fields, f,
                              "the field 'real' or 'integer' (not pattern, not complex)");
  if (field < 0) return false;
  const int symmetry = take_word(c, symmetries, f,
                                 "the symmetry 'general', 'symmetric' or 'skew-symmetric'");
  if (symmetry < 0) return false;
  h->dense = format == 1;
  h->integer = field == 1;
  h->symmetry = symmetry == 0 ? GENERAL : symmetry == 1 ? SYMMETRIC : SKEW;
  return end_line(c, f, "the end of the line after the symmetry");
}

static bool read_size(cursor *c, fault *f, const char *fields, const char *what, int64_t *size) {
  c->at = skip_blanks(c->at, c->end);
  if (at_line_end(c->at, c->end)) return too_few(c, f, fields);
  const char *p = c->at;
  if (!number_parse_int(&p, c->end, size) || p != token_end(p, c->end) || *size > INT32_MAX) {
    char range[64];
    snprintf(range, sizeof range, "%s in 0..%d", what, INT32_MAX);
    return expected(c, f, range);
  }
  c->at = p;
  return true;
}

static bool read_sizes(cursor *c, unsigned flags, header *h, fault *f) {
  const char *fields = h->dense ? "2 sizes (rows columns)" : "3 sizes (rows columns entries)";
  if (!find_data(c)) return expected(c, f, fields);
  const cursor start = *c;
  int64_t rows, columns, entries = 0;
  if (!read_size(c, f, fields, "a number of rows", &rows)) return false;
  if (!read_size(c, f, fields, "a number of columns", &columns)) return false;
  if (!h->dense && !read_size(c, f, fields, "a number of entries", &entries)) return false;
  if (!end_line(c, f, "the end of the line after the sizes")) return false;

  if (h->symmetry != GENERAL && rows != columns)
    return refuse(&start, f, "expected a square %s matrix, found %" PRId64 " x %" PRId64,
                  h->symmetry == SYMMETRIC ? "symmetric" : "skew-symmetric", rows, columns);
  if (flags & MTX_VECTOR && rows != 1 && columns != 1)
    return refuse(&start, f, "expected a vector, n x 1 or 1 x n, found %" PRId64 " x %" PRId64,
                  rows, columns);
  const int64_t product = rows*columns;
  if (h->dense && product > INT32_MAX)
    return refuse(&start, f, "expected at most %d values, found %" PRId64 " x %" PRId64, INT32_MAX,
                  rows, columns);
  if (!h->dense && entries > product)
    return refuse(&start, f, "expected at most %" PRId64 " x %" PRId64 " = %" PRId64
                  " entries, found %" PRId64, rows, columns, product, entries);
  const int64_t limit = EMPTY_SIZE + SIZE_PER_ENTRY*entries;
  if (!h->dense && (rows > limit || columns > limit))
    return refuse(&start, f, "expected at most %" PRId64 " rows and columns for %" PRId64
                  " entries, found %" PRId64 " x %" PRId64, limit, entries, rows, columns);
  h->rows = (int32_t)rows;
  h->columns = (int32_t)columns;
  h->entries = !h->dense ? entries : h->symmetry == GENERAL ? product
             : h->symmetry == SYMMETRIC ? (product + rows)/2 : (product - rows)/2;
  return true;
}

// Entries.

static bool read_index(cursor *c, fault *f, const char *what, int32_t limit, int32_t *index) {
  c->at = skip_blanks(c->at, c->end);
  const char *p = c->at;
  int64_t number;
  if (number_parse_int(&p, c->end, &number) && number >= 1 && number <= limit &&
      (p == c->end || is_blank(*p) || at_line_end(p, c->end))) {
    c->at = p;
    *index = (int32_t)(number - 1);
    return true;
  }
  if (at_line_end(c->at, c->end)) return too_few(c, f, "3 fields (row column value)");
  char range[64];
  snprintf(range, sizeof range, "a %s index in 1..%" PRId32, what, limit);
  return expected(c, f, range);
}

static bool read_value(cursor *c, const header *h, unsigned flags, fault *f, double *value) {
  c->at = skip_blanks(c->at, c->end);
  const char *p = c->at;
  const number_status status = number_parse(&p, c->end, value);
  if (status == NUMBER_BAD || (p < c->end && !is_blank(*p) && !at_line_end(p, c->end))) {
    if (at_line_end(p, c->end))
      return too_few(c, f, h->dense ? "a value" : "3 fields (row column value)");
    return expected(c, f, h->integer ? "an integer value" : "a real value");
  }
  const bool infinite = flags & MTX_ALLOW_INFINITE;
  if (status == NUMBER_NAN) return expected(c, f, infinite ? "a number" : "a finite number");
  if (!infinite && status == NUMBER_INFINITE) return expected(c, f, "a finite number");
  if (!infinite && status == NUMBER_OVERFLOW)
    return expected(c, f, "a number of magnitude below 1.7976931348623159e308");
  if (infinite && fabs(*value) >= infinite_from) *value = *value < 0 ? -INFINITY : INFINITY;
  if (h->integer && status != NUMBER_INFINITE)
    for (const char *q = c->at + (*c->at == '-' || *c->at == '+'); q < p; q++)
      if (*q < '0' || *q > '9') return expected(c, f, "an integer value");
  c->at = p;
  return true;
}

static bool read_entry(cursor *c, const header *h, unsigned flags, fault *f, int32_t *row,
                       int32_t *column, double *value) {
  const cursor start = *c;
  if (!read_index(c, f, "row", h->rows, row)) return false;
  if (!read_index(c, f, "column", h->columns, column)) return false;
  if (h->symmetry != GENERAL && *row < *column)
    return refuse(&start, f, "expected an entry of the lower triangle, found (%" PRId32 ", %" PRId32
                  ")", *row + 1, *column + 1);
  if (h->symmetry == SKEW && *row == *column)
    return refuse(&start, f, "expected no diagonal entry in a skew-symmetric file, found (%" PRId32
                  ", %" PRId32 ")", *row + 1, *column + 1);
  return read_value(c, h, flags, f, value);
}

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
  while (good && find_data(&c)) {
    if (at == stop) {
      char text[64];
      snprintf(text, sizeof text, "the end of the file after %" PRId64 " entries", h->entries);
      good = expected(&c, &k->fault, text);
      break;
    }
    good = h->dense ? read_value(&c, h, work->flags, &k->fault, work->value + at)
                    : read_entry(&c, h, work->flags, &k->fault, work->row + at, work->column + at,
                                 work->value + at);
    good = good && end_line(&c, &k->fault, what);
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
  const int64_t least = work->h->dense ? VALUE_BYTES : ENTRY_BYTES;
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
  return refuse(&c, f, "expected %" PRId64 " entries, found %" PRId64, work->h->entries, count);
}

// Sorting and expansion.

static void *allocate(int64_t count, size_t size) {
  const uint64_t bytes = (uint64_t)(count > 0 ? count : 1)*size;
  return bytes <= SIZE_MAX/2 ? malloc((size_t)bytes) : NULL;
}

// start[k] <- number of keys below k, for k = 0..size
static void count_keys(const int32_t *key, int64_t entries, int32_t size, int32_t *start) {
  memset(start, 0, ((size_t)size + 1)*sizeof *start);
  for (int64_t k = 0; k < entries; k++) start[key[k] + 1]++;
  for (int32_t k = 0; k < size; k++) start[k + 1] += start[k];
}

// Entries as parallel arrays, each of length `entries`.
typedef struct triples {
  int32_t *row, *column;
  double *value;
} triples;

static void free_triples(triples *t) {
  free(t->row);
  free(t->column);
  free(t->value);
  *t = (triples){NULL, NULL, NULL};
}

// Stable counting sort by row or by column; false if memory runs out.
static bool bucket(triples *t, int64_t entries, bool by_row, int32_t size) {
  triples sorted = {allocate(entries, sizeof(int32_t)), allocate(entries, sizeof(int32_t)),
                    allocate(entries, sizeof(double))};
  int32_t *next = allocate((int64_t)size + 1, sizeof *next);
  const bool memory = sorted.row && sorted.column && sorted.value && next;
  if (memory) {
    const int32_t *key = by_row ? t->row : t->column;
    count_keys(key, entries, size, next);
    for (int64_t k = 0; k < entries; k++) {
      const int32_t to = next[key[k]]++;
      sorted.row[to] = t->row[k];
      sorted.column[to] = t->column[k];
      sorted.value[to] = t->value[k];
    }
    const triples old = *t;
    *t = sorted;
    sorted = old;
  }
  free_triples(&sorted);
  free(next);
  return memory;
}

// Sorts by column, then row; a file in either order already needs fewer passes.
static bool sort_triples(const header *h, triples *t) {
  bool rows_ordered = true, ordered = true;
  for (int64_t k = 1; k < h->entries && (rows_ordered || ordered); k++) {
    if (t->row[k] < t->row[k - 1]) rows_ordered = false;
    if (t->column[k] < t->column[k - 1] ||
        (t->column[k] == t->column[k - 1] && t->row[k] < t->row[k - 1]))
      ordered = false;
  }
  if (ordered) return true;
  if (!rows_ordered && !bucket(t, h->entries, true, h->rows)) return false;
  return bucket(t, h->entries, false, h->columns);
}

// Looks for two entries at one place; only then is the text read again, for their lines.
static bool find_duplicate(const header *h, const triples *t, const cursor *body, fault *f) {
  int64_t k = 1;
  while (k < h->entries && (t->row[k] != t->row[k - 1] || t->column[k] != t->column[k - 1])) k++;
  if (k >= h->entries) return false;
  const int32_t i = t->row[k], j = t->column[k];
  cursor c = *body;
  int64_t first_line = 0;
  while (find_data(&c)) {
    const cursor start = c;
    int32_t row = -1, column = -1;
    read_index(&c, f, "row", h->rows, &row);
    read_index(&c, f, "column", h->columns, &column);
    if (row == i && column == j && first_line) {
      refuse(&start, f, "expected each entry once, found (%" PRId32 ", %" PRId32
             ") again after line %" PRId64, i + 1, j + 1, first_line);
      break;
    }
    if (row == i && column == j) first_line = start.line;
    next_line(&c);
  }
  return true;
}

// Adds the other triangle to a sorted lower one. Column j gets its upper entries while the columns
// before it are passed, hence in order.
static int mirror(const header *h, const triples *t, const cursor *body, mtx_matrix *m, fault *f) {
  int64_t total = h->entries;
  for (int64_t k = 0; k < h->entries; k++) total += t->row[k] != t->column[k];
  if (total > INT32_MAX) {
    refuse(body, f, "expected at most %d entries in both triangles, found %" PRId64, INT32_MAX,
           total);
    return MTX_BAD_INPUT;
  }
  m->row = allocate(total, sizeof *m->row);
  m->value = allocate(total, sizeof *m->value);
  int32_t *next = allocate((int64_t)h->columns + 1, sizeof *next);
  if (!m->row || !m->value || !next) {
    free(next);
    return MTX_IO;
  }
  memset(next, 0, ((size_t)h->columns + 1)*sizeof *next);
  for (int64_t k = 0; k < h->entries; k++) {
    next[t->column[k] + 1]++;
    if (t->row[k] != t->column[k]) next[t->row[k] + 1]++;
  }
  for (int32_t j = 0; j < h->columns; j++) next[j + 1] += next[j];
  memcpy(m->colptr, next, ((size_t)h->columns + 1)*sizeof *next);
  for (int64_t k = 0; k < h->entries; k++) {
    const int32_t i = t->row[k], j = t->column[k], at = next[j]++;
    m->row[at] = i;
    m->value[at] = t->value[k];
    if (i == j) continue;
    const int32_t mirrored = next[i]++;
    m->row[mirrored] = j;
    m->value[mirrored] = h->symmetry == SKEW ? -t->value[k] : t->value[k];
  }
  m->nnz = total;
  free(next);
  return MTX_OK;
}

static int make_sparse(const header *h, triples *t, const cursor *body, mtx_matrix *m, fault *f) {
  m->colptr = allocate((int64_t)h->columns + 1, sizeof *m->colptr);
  if (!m->colptr || !sort_triples(h, t)) return MTX_IO;
  if (find_duplicate(h, t, body, f)) return MTX_BAD_INPUT;
  if (h->symmetry != GENERAL) return mirror(h, t, body, m, f);
  count_keys(t->column, h->entries, h->columns, m->colptr);
  m->row = t->row;
  m->value = t->value;
  t->row = NULL;
  t->value = NULL;
  return MTX_OK;
}

// A coordinate vector becomes dense.
static int fill_vector(const header *h, mtx_matrix *m) {
  const int32_t size = h->rows == 1 ? h->columns : h->rows;
  double *value = allocate(size, sizeof *value);
  if (!value) return MTX_IO;
  for (int32_t k = 0; k < size; k++) value[k] = 0;
  for (int32_t j = 0; j < h->columns; j++)
    for (int32_t k = m->colptr[j]; k < m->colptr[j + 1]; k++) value[j + m->row[k]] = m->value[k];
  free(m->colptr);
  free(m->row);
  free(m->value);
  m->colptr = m->row = NULL;
  m->value = value;
  m->nnz = size;
  m->dense = true;
  return MTX_OK;
}

// Array format: the lower triangle is given column by column, without the diagonal if skew.
static int make_dense(const header *h, triples *t, mtx_matrix *m) {
  m->nnz = (int64_t)h->rows*h->columns;
  if (h->symmetry == GENERAL) {
    m->value = t->value;
    t->value = NULL;
    return MTX_OK;
  }
  m->value = allocate(m->nnz, sizeof *m->value);
  if (!m->value) return MTX_IO;
  const double *v = t->value;
  const int64_t n = h->rows;
  for (int64_t j = 0; j < n; j++) {
    if (h->symmetry == SKEW) m->value[j + j*n] = 0;
    for (int64_t i = h->symmetry == SKEW ? j + 1 : j; i < n; i++, v++) {
      m->value[j + i*n] = h->symmetry == SKEW ? -*v : *v;
      m->value[i + j*n] = *v;
    }
  }
  return MTX_OK;
}

static int make_matrix(const header *h, unsigned flags, triples *t, const cursor *body,
                       mtx_matrix *m, fault *f) {
  *m = (mtx_matrix){.rows = h->rows, .columns = h->columns, .dense = h->dense,
                    .symmetric = h->symmetry == SYMMETRIC, .nnz = h->entries};
  int code = h->dense ? make_dense(h, t, m) : make_sparse(h, t, body, m, f);
  if (code == MTX_OK && flags & MTX_VECTOR) {
    if (!h->dense) code = fill_vector(h, m);
    m->rows = (int32_t)m->nnz;
    m->columns = 1;
  }
  return code;
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
  triples t = {.value = allocate(capacity, sizeof *t.value)};
  if (!h->dense) {
    t.row = allocate(capacity, sizeof *t.row);
    t.column = allocate(capacity, sizeof *t.column);
  }
  int code = MTX_IO;
  if (t.value && (h->dense || (t.row && t.column))) {
    work.row = t.row;
    work.column = t.column;
    work.value = t.value;
    run(&work, threads, read_chunk);
    code = join(&work, body, f) ? make_matrix(h, flags, &t, body, out, f) : MTX_BAD_INPUT;
  }
  free_triples(&t);
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
  if (!read_banner(&c, &h, &f) || !read_sizes(&c, flags, &h, &f))
    return report(MTX_BAD_INPUT, name, &f, message, message_size);
  const int code = read_body(&h, flags, threads, &c, out, &f);
  if (code == MTX_OK) return MTX_OK;
  mtx_free(out);
  return report(code, name, &f, message, message_size);
}

int mtx_read(const char *path, unsigned flags, int threads, mtx_matrix *out, char *message,
             size_t message_size) {
  *out = (mtx_matrix){0};
  file_text text;
  int code = file_read(path, &text, message, message_size);
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
