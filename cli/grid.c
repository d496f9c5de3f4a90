// grid.c: where the unknowns of a planar problem lie: the file grid.json beside A.mtx.
#include "grid.h"

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
  if (!json_is_integer(item) || number < 1 || number > GRID_LARGEST) return 0;
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

grid grid_plain(int32_t nx, int32_t ny) {
  return (grid){.nx = nx, .ny = ny, .step = {1.0, 1.0}, .edge = 0.5, .label = {"x", "y"},
                .value = "x"};
}

int64_t grid_unknowns(const grid *what) {
  if (!what->filled) return (int64_t)what->nx*what->ny;
  int64_t count = 0;
  for (int32_t i = 0; i < what->nx; i++) count += what->filled[i];
  return count;
}

void grid_free(grid *what) {
  free(what->filled);
  what->filled = NULL;
}
