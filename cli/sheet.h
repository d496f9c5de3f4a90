// sheet.h: a table of text cells: a TSV file for programs, Markdown for people.
#pragma once

#include <stdio.h>

typedef struct sheet {
  const char *const *names;   // columns, ended by NULL: the heads
  int columns;
  char **cell;                // count, row by row
  int count, room;
  int failed;                 // no memory; sheet_save says so
} sheet;

sheet sheet_begin(const char *const *names);
// The next cell; a row is full after `columns` of them.
void sheet_put(sheet *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sheet_free(sheet *s);

// Writers for document_save(): what is a const sheet *. An incomplete last row is not written.
void sheet_tsv(FILE *out, const void *what);
void sheet_markdown(FILE *out, const void *what);
