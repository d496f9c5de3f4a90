// mtx_parts.h: what the files that read Matrix Market share: text, entries, and the
// matrix made of them.
#pragma once

#include "mtx.h"

#include <stdbool.h>
#include <stdint.h>

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

// Entries as parallel arrays, each of length `entries`.
typedef struct triples {
  int32_t *row, *column;
  double *value;
} triples;

// mtx_text.c
// From a line start to the first byte of the next line that is neither blank nor a comment.
bool mtx_find_data(cursor *c);
// Notes a fault at the cursor; always false.
__attribute__((format(printf, 3, 4)))
bool mtx_refuse(const cursor *c, fault *f, const char *format, ...);
// "expected WHAT, found 'TOKEN'"; unprintable bytes as \xNN, at most 40 characters. Always false.
bool mtx_expected(const cursor *c, fault *f, const char *what);
// Nothing but blanks may be left of the line; moves to the next.
bool mtx_end_line(cursor *c, fault *f, const char *what);
bool mtx_read_banner(cursor *c, header *h, fault *f);
bool mtx_read_sizes(cursor *c, unsigned flags, header *h, fault *f);
bool mtx_read_value(cursor *c, const header *h, unsigned flags, fault *f, double *value);
bool mtx_read_entry(cursor *c, const header *h, unsigned flags, fault *f, int32_t *row,
                    int32_t *column, double *value);
void mtx_next_line(cursor *c);
bool mtx_read_index(cursor *c, fault *f, const char *what, int32_t limit, int32_t *index);

// mtx_build.c
void *mtx_allocate(int64_t count, size_t size);   // NULL if it cannot be had
void mtx_free_triples(triples *t);
int mtx_make_matrix(const header *h, unsigned flags, triples *t, const cursor *body, mtx_matrix *m,
                    fault *f);   // takes what it can use out of t
