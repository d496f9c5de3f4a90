// mtx_text.c: the text of a Matrix Market file: lines, banner, sizes, entries, precise errors.
#include "mtx_number.h"
#include "mtx_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
  EMPTY_SIZE_MAX = 10000000,        // rows or columns a coordinate file may declare without entries
  SIZE_PER_ENTRY_MAX = 100          // rows or columns it may declare in addition, for each entry
};

static const double infinite_from = 1e20;

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

void mtx_next_line(cursor *c) {
  const char *newline = memchr(c->at, '\n', (size_t)(c->end - c->at));
  if (!newline) {
    c->at = c->end;
    return;
  }
  c->at = c->line_start = newline + 1;
  c->line++;
}

// From a line start to the first byte of the next line that is neither blank nor a comment.
bool mtx_find_data(cursor *c) {
  while (c->at < c->end) {
    c->at = skip_blanks(c->at, c->end);
    if (!at_line_end(c->at, c->end) && *c->at != '%') return true;
    mtx_next_line(c);
  }
  return false;
}

// Notes a fault at the cursor; always false.
__attribute__((format(printf, 3, 4)))
bool mtx_refuse(const cursor *c, fault *f, const char *format, ...) {
  f->line = c->line;
  f->column = c->at - c->line_start + 1;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->text, sizeof f->text, format, arguments);
  va_end(arguments);
  return false;
}

// "expected WHAT, found 'TOKEN'"; unprintable bytes as \xNN, at most 40 characters. Always false.
bool mtx_expected(const cursor *c, fault *f, const char *what) {
  if (at_line_end(c->at, c->end))
    return mtx_refuse(c, f, "expected %s, found the end of the %s", what,
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
  return mtx_refuse(c, f, "expected %s, found '%s%s'", what, token, p < end ? "..." : "");
}

// Nothing but blanks may be left of the line; moves to the next.
bool mtx_end_line(cursor *c, fault *f, const char *what) {
  const char *p = skip_blanks(c->at, c->end);
  if (p < c->end && *p == '\n') {
    c->at = c->line_start = p + 1;
    c->line++;
    return true;
  }
  c->at = p;
  if (!at_line_end(p, c->end)) return mtx_expected(c, f, what);
  mtx_next_line(c);
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
  return mtx_refuse(c, f, "expected %s, found %d%s", fields, found,
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
  mtx_expected(c, f, what);
  return -1;
}

bool mtx_read_banner(cursor *c, header *h, fault *f) {
  static const char *const banners[] = {"%%matrixmarket", NULL};
  static const char *const objects[] = {"matrix", NULL};
  static const char *const formats[] = {"coordinate", "array", NULL};
  static const char *const fields[] = {"real", "integer", NULL};
  static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", NULL};
  const char *all = "'%%MatrixMarket matrix coordinate|array real|integer "
                    "general|symmetric|skew-symmetric'";
  if (c->at < c->end && is_blank(*c->at))
    return mtx_refuse(c, f, "expected %s, found a blank", all);
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
  return mtx_end_line(c, f, "the end of the line after the symmetry");
}

static bool read_size(cursor *c, fault *f, const char *fields, const char *what, int64_t *size) {
  c->at = skip_blanks(c->at, c->end);
  if (at_line_end(c->at, c->end)) return too_few(c, f, fields);
  const char *p = c->at;
  if (!number_parse_int(&p, c->end, size) || p != token_end(p, c->end) || *size > INT32_MAX) {
    char range[64];
    snprintf(range, sizeof range, "%s in 0..%d", what, INT32_MAX);
    return mtx_expected(c, f, range);
  }
  c->at = p;
  return true;
}

bool mtx_read_sizes(cursor *c, unsigned flags, header *h, fault *f) {
  const char *fields = h->dense ? "2 sizes (rows columns)" : "3 sizes (rows columns entries)";
  if (!mtx_find_data(c)) return mtx_expected(c, f, fields);
  const cursor start = *c;
  int64_t rows, columns, entries = 0;
  if (!read_size(c, f, fields, "a number of rows", &rows)) return false;
  if (!read_size(c, f, fields, "a number of columns", &columns)) return false;
  if (!h->dense && !read_size(c, f, fields, "a number of entries", &entries)) return false;
  if (!mtx_end_line(c, f, "the end of the line after the sizes")) return false;

  if (h->symmetry != GENERAL && rows != columns)
    return mtx_refuse(&start, f, "expected a square %s matrix, found %" PRId64 " x %" PRId64,
                  h->symmetry == SYMMETRIC ? "symmetric" : "skew-symmetric", rows, columns);
  if (flags & MTX_VECTOR && rows != 1 && columns != 1)
    return mtx_refuse(&start, f, "expected a vector, n x 1 or 1 x n, found %" PRId64 " x %" PRId64,
                  rows, columns);
  const int64_t product = rows*columns;
  if (h->dense && product > INT32_MAX)
    return mtx_refuse(&start, f, "expected at most %d values, found %" PRId64 " x %" PRId64,
                      INT32_MAX, rows, columns);
  if (!h->dense && entries > product)
    return mtx_refuse(&start, f, "expected at most %" PRId64 " x %" PRId64 " = %" PRId64
                  " entr%s, found %" PRId64, rows, columns, product,
                      product == 1 ? "y" : "ies", entries);
  const int64_t limit = EMPTY_SIZE_MAX + SIZE_PER_ENTRY_MAX*entries;
  if (!h->dense && (rows > limit || columns > limit))
    return mtx_refuse(&start, f, "expected at most %" PRId64 " rows and columns for %" PRId64
                  " entr%s, found %" PRId64 " x %" PRId64, limit, entries,
                      entries == 1 ? "y" : "ies", rows, columns);
  h->rows = (int32_t)rows;
  h->columns = (int32_t)columns;
  h->entries = !h->dense ? entries : h->symmetry == GENERAL ? product
             : h->symmetry == SYMMETRIC ? (product + rows)/2 : (product - rows)/2;
  return true;
}

// Entries.

bool mtx_read_index(cursor *c, fault *f, const char *what, int32_t limit, int32_t *index) {
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
  return mtx_expected(c, f, range);
}

bool mtx_read_value(cursor *c, const header *h, unsigned flags, fault *f, double *value) {
  c->at = skip_blanks(c->at, c->end);
  const char *p = c->at;
  const number_status status = number_parse(&p, c->end, value);
  if (status == NUMBER_BAD || (p < c->end && !is_blank(*p) && !at_line_end(p, c->end))) {
    if (at_line_end(p, c->end))
      return too_few(c, f, h->dense ? "a value" : "3 fields (row column value)");
    return mtx_expected(c, f, h->integer ? "an integer value" : "a real value");
  }
  const bool infinite = flags & MTX_ALLOW_INFINITE;
  if (status == NUMBER_NAN) return mtx_expected(c, f, infinite ? "a number" : "a finite number");
  if (!infinite && status == NUMBER_INFINITE) return mtx_expected(c, f, "a finite number");
  if (!infinite && status == NUMBER_OVERFLOW)
    return mtx_expected(c, f, "a number of magnitude below 1.7976931348623159e308");
  if (infinite && fabs(*value) >= infinite_from) *value = *value < 0 ? -INFINITY : INFINITY;
  if (h->integer && status != NUMBER_INFINITE)
    for (const char *q = c->at + (*c->at == '-' || *c->at == '+'); q < p; q++)
      if (*q < '0' || *q > '9') return mtx_expected(c, f, "an integer value");
  c->at = p;
  return true;
}

bool mtx_read_entry(cursor *c, const header *h, unsigned flags, fault *f, int32_t *row,
                    int32_t *column, double *value) {
  const cursor start = *c;
  if (!mtx_read_index(c, f, "row", h->rows, row)) return false;
  if (!mtx_read_index(c, f, "column", h->columns, column)) return false;
  if (h->symmetry != GENERAL && *row < *column)
    return mtx_refuse(&start, f, "expected an entry of the lower triangle, found (%" PRId32
                      ", %" PRId32 ")", *row + 1, *column + 1);
  if (h->symmetry == SKEW && *row == *column)
    return mtx_refuse(&start, f, "expected no diagonal entry in a skew-symmetric file, found (%"
                      PRId32 ", %" PRId32 ")", *row + 1, *column + 1);
  return mtx_read_value(c, h, flags, f, value);
}
