// text_table.h: a table of text cells: a TSV file for programs, Markdown for people.
#pragma once

#include <stdio.h>

typedef struct text_table {
  const char *const *names;   // columns, ended by NULL: the heads
  int columns;
  char **cell;                // count, row by row
  int count, room;
  int failed;                 // no memory; text_table_save says so
} text_table;

text_table text_table_begin(const char *const *names);
// The next cell; a row is full after `columns` of them.
void text_table_put(text_table *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_table_free(text_table *s);

// Writers for document_save(): what is a const text_table *. An incomplete last row is not written.
void text_table_tsv(FILE *out, const void *what);
void text_table_markdown(FILE *out, const void *what);
