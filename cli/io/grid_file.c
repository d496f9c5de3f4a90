// grid_file.c: where the unknowns of a planar problem lie: the file grid.json beside A.mtx.
#include "grid_file.h"

#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "message.h"

static json_t *text_or_null(const char *text) { return text ? json_text(text) : json_null(); }

static json_t *axis(double first, double step, const char *label) {
  json_t *object = json_object();
  json_object_set_new(object, "first", json_number(first));
  json_object_set_new(object, "step", json_number(step));
  json_object_set_new(object, "label", text_or_null(label));
  return object;
}

int grid_write(const char *path, const perp_layout *what, char *message, size_t size) {
  json_t *object = json_object();
  json_object_set_new(object, "nx", json_integer(what->nx));
  json_object_set_new(object, "ny", json_integer(what->ny));
  json_object_set_new(object, "x", axis(what->x, what->dx, what->x_label));
  json_object_set_new(object, "y", axis(what->y, what->dy, what->y_label));
  json_object_set_new(object, "edge", json_number(what->edge));
  json_object_set_new(object, "value", text_or_null(what->value));
  json_object_set_new(object, "at_lo", text_or_null(what->at_lo));
  json_object_set_new(object, "at_hi", text_or_null(what->at_hi));
  if (what->filled) {
    json_t *list = json_array();
    for (int32_t i = 0; i < what->nx; i++)
      json_array_append_new(list, json_integer(what->filled[i]));
    json_object_set_new(object, "filled", list);
  }
  char *text = json_dumps(object, JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
  json_decref(object);
  if (!text) {
    snprintf(message, size, "%s: out of memory", path);
    return CODE_IO;
  }
  const size_t length = strlen(text);
  text[length] = '\n';          // instead of the 0
  const int code = file_save(path, text, length + 1, message, size);
  free(text);
  return code;
}

static int whole(const json_t *object, const char *key, int32_t *value) {
  const json_t *item = json_object_get(object, key);
  const json_int_t number = json_integer_value(item);
  if (!json_is_integer(item) || number < 1 || number > GRID_SIDE_MAX) return 0;
  *value = (int32_t)number;
  return 1;
}

static void word(const json_t *object, const char *key, char *out, size_t size) {
  const char *text = json_string_value(json_object_get(object, key));
  if (text) snprintf(out, size, "%s", text);
}

static int read_axis(const json_t *object, int k, grid *out) {
  const json_t *first = json_object_get(object, "first"), *step = json_object_get(object, "step");
  if (json_is_number(first)) out->first[k] = json_number_value(first);
  if (json_is_number(step)) out->step[k] = json_number_value(step);
  word(object, "label", out->label[k], sizeof out->label[k]);
  return isfinite(out->first[k]) && isfinite(out->step[k]) && out->step[k] > 0.0;
}

static int read_filled(const json_t *list, grid *out) {
  if (!list) return 1;
  if (json_array_size(list) != (size_t)out->nx) return 0;
  out->filled = malloc((size_t)out->nx*sizeof *out->filled);
  if (!out->filled) return 0;
  for (int32_t i = 0; i < out->nx; i++) {
    const json_t *item = json_array_get(list, (size_t)i);
    const json_int_t number = json_integer_value(item);
    if (!json_is_integer(item) || number < 0 || number > out->ny) return 0;
    out->filled[i] = (int32_t)number;
  }
  return 1;
}

int grid_read(const char *path, grid *out, char *message, size_t size) {
  *out = (grid){.step = {1.0, 1.0}, .edge = 0.5, .label = {"x", "y"}, .value = "x"};
  file_text text;
  const int code = file_read(path, &text, message, size);
  if (code) return code;
  json_error_t error;
  json_t *object = json_loadb(text.data, text.length, 0, &error);
  file_text_free(&text);
  if (!json_is_object(object)) {
    if (object) snprintf(message, size, "%s: expected one JSON object", path);
    else snprintf(message, size, "%s:%d:%d: %s", path, error.line, error.column, error.text);
    json_decref(object);
    return CODE_INPUT;
  }
  const json_t *edge = json_object_get(object, "edge");
  if (json_is_number(edge)) out->edge = json_number_value(edge);
  const char *why = NULL;
  if (!whole(object, "nx", &out->nx) || !whole(object, "ny", &out->ny))
    why = "nx and ny must be whole numbers of at least 1";
  else if (!read_axis(json_object_get(object, "x"), 0, out) ||
           !read_axis(json_object_get(object, "y"), 1, out))
    why = "the steps along x and y must be positive";
  else if (!(out->edge >= 0.5 && out->edge <= 1e6)) why = "edge must be at least 0.5";
  else if (!read_filled(json_object_get(object, "filled"), out))
    why = "filled must be nx whole numbers from 0 to ny";
  word(object, "value", out->value, sizeof out->value);
  word(object, "at_lo", out->at_lo, sizeof out->at_lo);
  word(object, "at_hi", out->at_hi, sizeof out->at_hi);
  json_decref(object);
  if (!why) return CODE_OK;
  grid_free(out);
  snprintf(message, size, "%s: %s", path, why);
  return CODE_INPUT;
}

// A line "row,i,j,k"; 0: it is none, or another row. The text ends with a line, and with no 0.
static int read_cell(const char **at, int64_t row, int32_t cell[3]) {
  for (int c = -1; c < 3; c++) {
    const char *digit = *at;
    int64_t value = 0;
    for (; isdigit((unsigned char)*digit) && value <= INT32_MAX; digit++)
      value = 10*value + (*digit - '0');
    if (digit == *at || *digit != (c < 2 ? ',' : '\n')) return 0;
    if ((c < 0 && value != row) || (c >= 0 && value >= GRID_SIDE_MAX)) return 0;
    if (c >= 0) cell[c] = (int32_t)value;
    *at = digit + 1;
  }
  return 1;
}

int grid_read_cells(const char *path, grid *out, char *message, size_t size) {
  static const char head[] = "row,i,j,k\n";
  *out = (grid){.step = {1.0, 1.0}, .edge = 0.5, .label = {"cells", "height in cells"},
                .value = "pressure", .at_lo = "no pressure: off the wall"};
  file_text text;
  int code = file_read(path, &text, message, size);
  if (code) return code;
  const char *start = text.data, *end = start + text.length;
  int64_t rows = 0, row = 0, deep = 0;
  for (const char *c = start; c < end; c++) rows += *c == '\n';
  int32_t *place = malloc((size_t)(rows + 1)*2*sizeof *place), at[3];   // i and j of each
  if (!place) {
    snprintf(message, size, "%s: out of memory", path);
    code = CODE_IO;
  } else if (text.length < sizeof head || memcmp(start, head, sizeof head - 1) != 0 ||
             end[-1] != '\n') {
    snprintf(message, size, "%s:1: expected the columns row,i,j,k", path);
    code = CODE_INPUT;
  }
  for (const char *c = start + sizeof head - 1; !code && c < end; row++) {
    if (!read_cell(&c, row + 1, at)) {
      snprintf(message, size, "%s:%lld: expected the row %lld and the numbers of its cell", path,
               (long long)row + 2, (long long)row + 1);
      code = CODE_INPUT;
      break;
    }
    place[2*row] = at[0], place[2*row + 1] = at[1];
    if (at[0] >= out->nx) out->nx = at[0] + 1;
    if (at[1] >= out->ny) out->ny = at[1] + 1;
    if (at[2] > 0) deep = 1;
  }
  file_text_free(&text);
  if (!code && ((int64_t)out->nx*out->ny > INT32_MAX || deep)) out->nx = out->ny = 0;
  if (code || out->nx == 0) {
    free(place);
    return code;
  }
  for (int64_t r = 0; r < row; r++) place[r] = place[2*r] + out->nx*place[2*r + 1];
  out->cell = place;
  out->unknowns = row;
  return CODE_OK;
}

grid grid_plain(int32_t nx, int32_t ny) {
  return (grid){.nx = nx, .ny = ny, .step = {1.0, 1.0}, .edge = 0.5, .label = {"x", "y"},
                .value = "x"};
}

int64_t grid_unknowns(const grid *what) {
  if (what->cell) return what->unknowns;
  if (!what->filled) return (int64_t)what->nx*what->ny;
  int64_t count = 0;
  for (int32_t i = 0; i < what->nx; i++) count += what->filled[i];
  return count;
}

void grid_free(grid *what) {
  free(what->filled);
  free(what->cell);
  what->filled = what->cell = NULL;
}
