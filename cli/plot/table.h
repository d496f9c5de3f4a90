// table.h: a table with a header from a file: CSV (comma or semicolon) or TSV.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Fields may stand in double quotes; blank lines and lines that begin with # are left out. The
// separator is the first of tab, semicolon, comma that the header has.
typedef struct table {
  int columns;
  int64_t rows;
  char *text;            // the whole file, cut into fields
  size_t *field;         // (rows + 1) x columns: offsets into text; the header first
} table;

// "-" is the standard input; .gz is unpacked. 0, or an exit code with the message
// "file:line: what is wrong".
int table_read(const char *path, table *out, char *message, size_t size);
void table_free(table *what);

const char *table_name(const table *what, int column);
int table_column(const table *what, const char *name);   // -1: there is none
const char *table_text(const table *what, int64_t row, int column);
double table_number(const table *what, int64_t row, int column);   // NAN: it is none
