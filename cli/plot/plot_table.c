// plot_table.c: the columns of a table as curves.
#include "plot_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "report.h"
#include "suggest.h"
#include "table.h"
#include "text.h"

enum { CURVES_MAX = 64 };

typedef struct plan {
  table table;
  int x, by, y[CURVES_MAX], y_count;   // columns; x -1: the number of the row, by -1: none
  int64_t first[CURVES_MAX];           // a row of each value of `by`
  int groups;
  chart_curve curve[CURVES_MAX];
  char name[CURVES_MAX][128];
  double *numbers;                 // 2 x rows x curves
  int curves;
} plan;

static const char *column_at(const void *context, int index) {
  const table *t = context;
  return index < t->columns ? table_name(t, index) : NULL;
}

static int find_column(const table *t, const char *option, const char *name, int *column) {
  *column = table_column(t, name);
  if (*column >= 0) return CODE_OK;
  const char *near = suggest(name, column_at, t);
  if (near)
    return fail(CODE_USAGE, "--%s = %s: there is no such column; did you mean '%s'?", option, name,
                near);
  char names[512] = "";
  for (int c = 0; c < t->columns; c++)
    text_append(names, sizeof names, "%s%s", c ? ", " : "", table_name(t, c));
  return fail(CODE_USAGE, "--%s = %s: there is no such column; the columns are %s", option, name,
              names);
}

static int has_numbers(const table *t, int column) {
  for (int64_t r = 0; r < t->rows; r++) {
    if (isfinite(table_number(t, r, column))) return 1;
  }
  return 0;
}

static int choose_y(plan *p, const char *source, const char *names) {
  char name[256];
  if (!names) {
    for (int c = 0; c < p->table.columns && p->y_count < CURVES_MAX; c++) {
      if (c != p->x && c != p->by && has_numbers(&p->table, c)) p->y[p->y_count++] = c;
    }
    return CODE_OK;
  }
  while (*names && p->y_count < CURVES_MAX) {
    const size_t length = strcspn(names, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, names);
    const int code = find_column(&p->table, "y", name, &p->y[p->y_count]);
    if (code) return code;
    if (!has_numbers(&p->table, p->y[p->y_count]))
      return fail(CODE_INPUT, "%s: there are no numbers in column %s", source, name);
    p->y_count++;
    names += length + (names[length] == ',');
  }
  return CODE_OK;
}

static int numeric_columns(const plan *p) {
  int count = 0;
  for (int c = 0; c < p->table.columns; c++) count += c != p->by && has_numbers(&p->table, c);
  return count;
}

static int choose_columns(const arguments *args, plan *p) {
  const char *x = argument(args, "x"), *by = argument(args, "by");
  int code = CODE_OK;
  p->by = -1;
  if (by) code = find_column(&p->table, "by", by, &p->by);
  if (!code && x) code = find_column(&p->table, "x", x, &p->x);
  if (code) return code;
  const int numeric = numeric_columns(p);
  if (numeric == 0 || (x && !has_numbers(&p->table, p->x)))
    return fail(CODE_INPUT, "%s: there are no numbers in %s%s", args->operand[0],
                x ? "column " : "any column", x ? x : "");
  if (!x && numeric == 1) p->x = -1;
  while (!x && numeric > 1 && (p->x == p->by || !has_numbers(&p->table, p->x))) p->x++;
  code = choose_y(p, args->operand[0], argument(args, "y"));
  if (!code && p->y_count == 0)
    code = fail(CODE_INPUT, "%s: there is no column with numbers besides %s", args->operand[0],
                table_name(&p->table, p->x));
  return code;
}

static int group_of(const plan *p, int64_t row) {
  if (p->by < 0) return 0;
  for (int g = 0; g < p->groups; g++) {
    if (!strcmp(table_text(&p->table, row, p->by), table_text(&p->table, p->first[g], p->by)))
      return g;
  }
  return -1;
}

// A curve for each value of `by` and each column y, in the order of the table.
static int make_curves(plan *p, const char *source, chart_style style) {
  p->groups = p->by < 0 ? 1 : 0;
  for (int64_t r = 0; p->by >= 0 && r < p->table.rows; r++) {
    if (group_of(p, r) >= 0) continue;
    if (p->groups == CURVES_MAX)
      return fail(CODE_USAGE, "%s: more than %d values of %s: no chart can show them", source,
                  CURVES_MAX, table_name(&p->table, p->by));
    p->first[p->groups++] = r;
  }
  if (p->groups*p->y_count > CURVES_MAX)
    return fail(CODE_USAGE, "%s: %d curves are too many; --y chooses columns", source,
                p->groups*p->y_count);
  const size_t rows = (size_t)p->table.rows;
  p->curves = p->groups*p->y_count;
  p->numbers = malloc((2*rows*(size_t)p->curves + 1)*sizeof *p->numbers);
  if (!p->numbers) return fail(CODE_IO, "out of memory for %d curves", p->curves);
  for (int k = 0; k < p->curves; k++) {
    const int g = k/p->y_count, column = p->y[k%p->y_count];
    double *x = p->numbers + 2*rows*(size_t)k, *y = x + rows;
    int64_t count = 0;
    for (int64_t r = 0; r < p->table.rows; r++) {
      if (group_of(p, r) != g) continue;
      x[count] = p->x < 0 ? (double)r : table_number(&p->table, r, p->x);
      y[count++] = table_number(&p->table, r, column);
    }
    const char *value = p->by < 0 ? "" : table_text(&p->table, p->first[g], p->by);
    const char *heading = p->by < 0 || p->y_count > 1 ? table_name(&p->table, column) : "";
    snprintf(p->name[k], sizeof p->name[k], "%.60s%s%.60s", value,
             *value && *heading ? ": " : "", heading);
    p->curve[k] = (chart_curve){.name = p->name[k], .x = x, .y = y, .count = count,
                                .style = style};
  }
  return CODE_OK;
}

static int draw(const arguments *args, plan *p, const char *path) {
  const char *log = argument(args, "log"), *title = argument(args, "title");
  const char *source = args->operand[0], *slash = strrchr(source, '/');
  if (log && (!*log || log[strspn(log, "xy,")]))
    return fail(CODE_USAGE, "--log = %s: write x, y or x,y", log);
  int code = choose_columns(args, p);
  if (!code) code = make_curves(p, source, argument(args, "points") ? CHART_POINTS : CHART_AUTO);
  if (code) return code;
  const chart picture = {
      .path = path, .title = title ? title : slash ? slash + 1 : source,
      .x = {.label = p->x < 0 ? "row" : table_name(&p->table, p->x),
            .log = log && strchr(log, 'x')},
      .y = {.label = p->y_count == 1 ? table_name(&p->table, p->y[0]) : NULL,
            .log = log && strchr(log, 'y')},
      .curve = p->curve, .curves = p->curves};
  code = chart_write(&picture);
  if (code) return code;
  text_buffer rows, curves;
  json_t *object = message_object();
  if (object) {
    json_object_set_new(object, "plot", json_text(path));
    json_object_set_new(object, "kind", json_string("table"));
    json_object_set_new(object, "rows", json_integer(p->table.rows));
    json_object_set_new(object, "curves", json_integer(p->curves));
    return CODE_OK;
  }
  report_line("table", "%s: %s, %s", source, text_count(p->table.rows, "row", "rows", &rows),
              text_count(p->curves, "curve", "curves", &curves));
  report_line("plot", "%s", path);
  return CODE_OK;
}

int plot_table(const arguments *args, const char *path) {
  char message[512] = "";
  if (args->operands > 1)
    return fail(CODE_USAGE, "one table at a time: '%s'", args->operand[1]);
  plan *p = calloc(1, sizeof *p);
  if (!p) return fail(CODE_IO, "out of memory");
  int code = table_read(args->operand[0], &p->table, message, sizeof message);
  if (code) fail(code, "%s", message);
  else code = draw(args, p, path);
  table_free(&p->table);
  free(p->numbers);
  free(p);
  return code;
}
