// replay_common.c: what the pages of all recordings share: the header as JSON, statistics, traces.
#include "replay_common.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "message.h"
#include "text.h"

void *replay_take(planes *out, size_t count) {
  void *memory = calloc(count ? count : 1, sizeof(uint32_t));
  if (!memory) out->failed = 1;
  return memory;
}

// ------------------------------------------------------------------------------------------- steps

static void columns_of(planes *out, const record_steps *steps, const uint32_t *column,
                       size_t columns) {
  const size_t rows = steps->rows;
  uint32_t *word = replay_take(out, rows);
  for (size_t c = 0; c < columns && word; c++) {
    const double *values = steps->column + (size_t)column[c]*steps->room;
    for (size_t r = 0; r < rows; r++) {
      const float value = (float)values[r];
      memcpy(&word[r], &value, sizeof value);
    }
    planes_words(out, word, rows, 4);
  }
  free(word);
}

static void traces_of(planes *out, const record_steps *steps) {
  const size_t points = steps->point_count;
  planes_words(out, steps->points, steps->rows, 1);
  uint32_t *word = replay_take(out, points);
  if (!word) return;
  for (size_t i = 0; i < points; i++) word[i] = steps->point[i].iteration;
  planes_words(out, word, points, 4);
  for (size_t i = 0; i < points; i++) {
    const double value = 100.0*(double)steps->point[i].residual;   // of the logarithm
    const double held = isfinite(value) ? fmax(-9900.0, fmin(value, 9900.0)) : 9900.0;
    word[i] = planes_fold((uint32_t)lrint(held), 2);
  }
  planes_words(out, word, points, 2);
  free(word);
}

void replay_steps(planes *out, const record_steps *steps, const uint32_t *column, size_t columns) {
  columns_of(out, steps, column, columns);
  traces_of(out, steps);
}

int64_t replay_unsolved(const record_steps *steps, uint32_t column) {
  const double *unsolved = steps->column + (size_t)column*steps->room;
  int64_t count = 0;
  for (uint32_t r = 0; r < steps->rows; r++) count += unsolved[r] > 0.0;
  return count;
}

// -------------------------------------------------------------------------------------------- JSON

// The bodies without what the frames say anyway.
static json_t *bodies(const recording_head *head) {
  static const char *const names[] = {"shape", "extent",   "offset",     "group",
                                      "static", "position", "orientation"};
  enum { NAMES = sizeof names/sizeof *names };
  json_t *object = json_object(), *list[NAMES];
  for (int k = 0; k < NAMES; k++) json_object_set_new(object, names[k], list[k] = json_array());
  for (int32_t i = 0; i < head->bodies; i++) {
    const recording_body *body = &head->body[i];
    json_t *const value[NAMES] = {
        json_integer(body->shape), json_numbers(body->extent, 3), json_number(body->offset),
        json_integer(body->group), json_integer(body->fixed),
        body->fixed ? json_numbers(body->position, 3) : json_null(),
        body->fixed ? json_numbers(body->orientation, 4) : json_null()};
    for (int k = 0; k < NAMES; k++) json_array_append_new(list[k], value[k]);
  }
  return object;
}

// Of the header what the player shows.
static json_t *header(const recording *what) {
  static const char *const names[] = {"scene", "title", "command", "tol", "dimension", "dt",
                                      "gravity", "view", "groups", "cells", "spacing", "walls"};
  json_t *head = json_object();
  for (size_t k = 0; k < sizeof names/sizeof *names; k++) {
    json_t *value = json_object_get(what->json, names[k]);
    if (value) json_object_set(head, names[k], value);
  }
  if (what->head.fluid)
    json_object_set_new(head, "iterations",
                        json_text(describe_iterations(perp_find_method(what->head.method))));
  json_object_set_new(head, "bodies", bodies(&what->head));
  return head;
}

json_t *replay_describe(const recording *what, const replay_settings *settings,
                        const record_steps *steps, const uint32_t *column, size_t columns) {
  const char *slash = strrchr(what->path, '/'), *const *names;
  json_t *meta = json_object(), *list = json_array();
  recording_columns(&what->head, &names);
  json_object_set_new(meta, "kind", json_string(what->head.fluid ? "fluid" : "contact"));
  json_object_set_new(meta, "head", header(what));
  json_object_set_new(meta, "every", json_integer(what->head.every*settings->every));
  json_object_set_new(meta, "rows", json_integer(steps->rows));
  for (size_t c = 0; c < columns; c++) json_array_append_new(list, json_string(names[column[c]]));
  json_object_set_new(meta, "columns", list);
  json_object_set_new(meta, "points", json_integer(steps->point_count));
  if (!what->index.complete) {
    char name[512], text[600];
    snprintf(text, sizeof text, "%s: the end is missing; this is what was recorded.",
             text_visible(slash ? slash + 1 : what->path, name, sizeof name));
    json_object_set_new(meta, "notice", json_text(text));
  }
  return meta;
}

void replay_preface(planes *out, json_t *meta) {
  char *text = json_dumps(meta, JSON_COMPACT | JSON_REAL_PRECISION(12));
  json_decref(meta);
  const size_t bytes = text ? strlen(text) : 0;
  if (!text) out->failed = 1;
  planes_words(out, &(uint32_t){(uint32_t)bytes}, 1, 4);
  planes_bytes(out, text, bytes);
  free(text);
}
