// table.c: a table with a header from a file: CSV (comma or semicolon) or TSV.
#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "message.h"
#include "text.h"

typedef struct reader {
  const char *path;
  char *at, *end;        // the text that is not read yet; there is a NUL at the end
  char separator;
  int64_t line;
  size_t count, capacity;
} reader;

static int add_field(table *out, reader *r, const char *start) {
  if (r->count == r->capacity) {
    const size_t capacity = r->capacity ? 2*r->capacity : 1024;
    size_t *field = realloc(out->field, capacity*sizeof *field);
    if (!field) return 0;
    out->field = field;
    r->capacity = capacity;
  }
  out->field[r->count++] = (size_t)(start - out->text);
  return 1;
}

// Cuts one field out of the text and returns its start; *more: another one follows in this line.
// Quotes are taken off, two in a row are one; the text only gets shorter.
static char *cut(reader *r, int *more) {
  while (r->at < r->end && *r->at == ' ') r->at++;
  char *start = r->at, *put = start;
  const int quoted = r->at < r->end && *r->at == '"';
  if (quoted) {
    for (r->at++; r->at < r->end; r->at++) {
      if (*r->at == '"' && r->at + 1 < r->end && r->at[1] == '"') r->at++;
      else if (*r->at == '"') break;
      if (*r->at == '\n') r->line++;
      *put++ = *r->at;
    }
    if (r->at < r->end) r->at++;
  }
  while (r->at < r->end && *r->at != r->separator && *r->at != '\n') {
    if (!quoted) *put++ = *r->at;
    r->at++;
  }
  *more = r->at < r->end && *r->at == r->separator;
  if (r->at < r->end) r->at++;
  while (!quoted && put > start && (put[-1] == ' ' || put[-1] == '\r')) put--;
  *put = 0;
  return start;
}

// Blank lines and comments.
static void skip(reader *r) {
  while (r->at < r->end) {
    const size_t blank = strspn(r->at, " \r");
    if (r->at[blank] != '\n' && *r->at != '#') return;
    char *next = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->at = next ? next + 1 : r->end;
    r->line++;
  }
}

static char find_separator(const reader *r) {
  const size_t length = strcspn(r->at, "\n");
  static const char separators[] = "\t;,";
  for (int k = 0; separators[k]; k++) {
    if (memchr(r->at, separators[k], length)) return separators[k];
  }
  return ',';
}

static int read_rows(reader *r, table *out, char *message, size_t size) {
  skip(r);
  if (r->at == r->end) {
    snprintf(message, size, "%s: expected a header and rows, the file is empty", r->path);
    return CODE_INPUT;
  }
  r->separator = find_separator(r);
  for (; r->at < r->end; skip(r)) {
    int fields = 0, more = 1;
    const int64_t line = r->line;
    while (more) {
      if (!add_field(out, r, cut(r, &more))) {
        snprintf(message, size, "%s: out of memory", r->path);
        return CODE_IO;
      }
      fields++;
    }
    r->line++;
    if (!out->columns) out->columns = fields;
    else out->rows++;
    if (fields != out->columns) {
      text_buffer wanted;
      snprintf(message, size, "%s:%lld: expected %s as in the header, found %d", r->path,
               (long long)line, text_count(out->columns, "field", "fields", &wanted), fields);
      return CODE_INPUT;
    }
  }
  return CODE_OK;
}

int table_read(const char *path, table *out, char *message, size_t size) {
  *out = (table){0};
  file_text file;
  int code = file_read(path, &file, message, size);
  if (code) return code;
  out->text = malloc(file.length + 1);
  if (out->text) {
    memcpy(out->text, file.data, file.length);
    for (size_t i = 0; i < file.length; i++)   // a NUL would end a field unseen
      if (!out->text[i]) out->text[i] = ' ';
    out->text[file.length] = 0;
    reader r = {.path = file_read_name(path), .at = out->text, .end = out->text + file.length,
                .line = 1};
    code = read_rows(&r, out, message, size);
  } else {
    snprintf(message, size, "%s: out of memory", path);
    code = CODE_IO;
  }
  file_text_free(&file);
  if (code) table_free(out);
  return code;
}

void table_free(table *what) {
  free(what->text);
  free(what->field);
  *what = (table){0};
}

const char *table_text(const table *what, int64_t row, int column) {
  return what->text + what->field[(size_t)(row + 1)*(size_t)what->columns + (size_t)column];
}

const char *table_name(const table *what, int column) { return table_text(what, -1, column); }

int table_column(const table *what, const char *name) {
  for (int c = 0; c < what->columns; c++) {
    if (!strcmp(table_name(what, c), name)) return c;
  }
  return -1;
}

double table_number(const table *what, int64_t row, int column) {
  const char *text = table_text(what, row, column);
  char *end;
  const double value = strtod(text, &end);
  return end == text || *end ? NAN : value;
}
