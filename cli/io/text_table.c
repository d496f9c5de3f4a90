// text_table.c: a table of text cells: a TSV file for programs, Markdown for people.
#include "text_table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

text_table text_table_begin(const char *const *names) {
  text_table s = {.names = names};
  while (names[s.columns]) s.columns++;
  return s;
}

void text_table_put(text_table *s, const char *format, ...) {
  char text[256];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  if (s->count == s->room) {
    const int room = s->room > 0 ? 2*s->room : 64;
    char **cell = realloc(s->cell, (size_t)room*sizeof *cell);
    if (!cell) {
      s->failed = 1;
      return;
    }
    s->cell = cell;
    s->room = room;
  }
  char *copy = strdup(text);
  if (copy) s->cell[s->count++] = copy;
  else s->failed = 1;
}

void text_table_free(text_table *s) {
  for (int k = 0; k < s->count; k++) free(s->cell[k]);
  free(s->cell);
  *s = (text_table){0};
}

void text_table_tsv(FILE *out, const void *what) {
  const text_table *s = what;
  for (int c = 0; c < s->columns; c++) fprintf(out, "%s%s", c ? "\t" : "", s->names[c]);
  fputc('\n', out);
  for (int k = 0; k < s->count - s->count%s->columns; k++)
    fprintf(out, "%s%c", s->cell[k], (k + 1)%s->columns ? '\t' : '\n');
}

// Numbers of digits in groups of three are easier to read; everything else stays as it is.
static void put_grouped(FILE *out, const char *text) {
  const size_t length = strlen(text);
  if (length < 5 || strspn(text, "0123456789") < length) {
    fputs(text, out);
    return;
  }
  for (size_t k = 0; k < length; k++)
    fprintf(out, "%s%c", k > 0 && (length - k)%3 == 0 ? "," : "", text[k]);
}

void text_table_markdown(FILE *out, const void *what) {
  const text_table *s = what;
  for (int c = 0; c < s->columns; c++) fprintf(out, "| %s ", s->names[c]);
  fprintf(out, "|\n");
  for (int c = 0; c < s->columns; c++) fprintf(out, c ? "|---:" : "|---");
  fprintf(out, "|\n");
  for (int k = 0; k < s->count - s->count%s->columns; k++) {
    fprintf(out, "| ");
    put_grouped(out, s->cell[k]);
    fprintf(out, (k + 1)%s->columns ? " " : " |\n");
  }
}
