// recording_json.c: the JSON of a recording's header and footer (docs/recording.md), written.
#include "message.h"
#include "recording_head.h"

const char *const recording_field_name[3] = {"type", "surface", "pressure"};

static json_t *words(const char *const *word) {
  json_t *list = json_array();
  for (; word && *word; word++) json_array_append_new(list, json_text(*word));
  return list;
}

static json_t *bodies(const recording_head *head) {
  static const char *const names[] = {"shape",    "extent", "offset",   "mass",       "static",
                                      "material", "group",  "position", "orientation"};
  enum { NAMES = sizeof names/sizeof *names };
  json_t *object = json_object(), *list[NAMES];
  for (int k = 0; k < NAMES; k++)
    json_object_set_new(object, names[k], list[k] = json_array());
  for (int32_t i = 0; i < head->bodies; i++) {
    const recording_body *body = &head->body[i];
    json_t *const value[NAMES] = {
        json_integer(body->shape), json_numbers(body->extent, 3), json_number(body->offset),
        json_number(body->mass), json_integer(body->fixed), json_integer(body->material),
        json_integer(body->group), json_numbers(body->position, 3),
        json_numbers(body->orientation, 4)};
    for (int k = 0; k < NAMES; k++) json_array_append_new(list[k], value[k]);
  }
  return object;
}

static void add_liquid(json_t *object, const recording_fluid *liquid) {
  json_t *fields = json_array();
  for (int f = 0; f < 3; f++)
    if (liquid->fields >> f & 1)
      json_array_append_new(fields, json_string(recording_field_name[f]));
  json_object_set_new(object, "cells", json_pack("[i,i,i]", (int)liquid->cells[0],
                                                 (int)liquid->cells[1], (int)liquid->cells[2]));
  json_object_set_new(object, "spacing", json_number(liquid->spacing));
  json_object_set_new(object, "density", json_number(liquid->density));
  json_object_set_new(object, "walls", json_text(liquid->walls));
  json_object_set_new(object, "transfer", json_text(liquid->transfer));
  json_object_set_new(object, "flip", json_number(liquid->flip));
  json_object_set_new(object, "keep", json_text(liquid->keep));
  json_object_set_new(object, "fine", json_integer(liquid->fine));
  json_object_set_new(object, "fields", fields);
}

json_t *recording_head_json(const recording_head *head) {
  json_t *object = json_object(), *view = json_object();
  json_object_set_new(object, "perp", json_integer(1));
  json_object_set_new(object, "kind", json_string(head->fluid ? "fluid" : "contact"));
  json_object_set_new(object, "scene", json_text(head->scene));
  json_object_set_new(object, "title", json_text(head->title));
  json_object_set_new(object, "command", json_text(head->command));
  json_object_set(object, "arguments", head->arguments);
  json_object_set_new(object, "version", json_text(head->version));
  json_object_set_new(object, "seed", json_text(head->seed));
  json_object_set(object, "parameters", head->parameters);
  json_object_set_new(object, "method", json_text(head->method));
  if (head->fluid) add_liquid(object, &head->liquid);
  else json_object_set_new(object, "model", json_text(head->model));
  json_object_set_new(object, "tol", json_number(head->tol));
  json_object_set_new(object, "dimension", json_integer(head->dimension));
  json_object_set_new(object, "dt", json_number(head->dt));
  json_object_set_new(object, "steps", json_integer(head->steps));
  json_object_set_new(object, "every", json_integer(head->every));
  json_object_set_new(object, "span", json_integer(head->span));
  json_object_set_new(object, "gravity", json_numbers(head->gravity, 3));
  json_object_set_new(view, "center", json_numbers(head->center, 3));
  json_object_set_new(view, "radius", json_number(head->radius));
  json_object_set_new(object, "view", view);
  json_object_set_new(object, "materials", words(head->materials));
  json_object_set_new(object, "groups", words(head->groups));
  json_t *columns = json_array();
  const char *const *names;
  const uint32_t count = recording_columns(head, &names);
  for (uint32_t c = 0; c < count; c++) json_array_append_new(columns, json_string(names[c]));
  json_object_set_new(object, "columns", columns);
  json_object_set_new(object, "bodies", bodies(head));
  return object;
}

json_t *recording_last_json(const record_index *index, int complete, const char *reason,
                            int64_t frames, int64_t steps, int64_t unsolved, double residual) {
  json_t *object = json_object(), *chunks = json_array();
  json_object_set_new(object, "complete", json_boolean(complete));
  json_object_set_new(object, "reason", json_text(reason));
  json_object_set_new(object, "frames", json_integer(frames));
  json_object_set_new(object, "steps", json_integer(steps));
  json_object_set_new(object, "unsolved", json_integer(unsolved));
  json_object_set_new(object, "residual", json_number(residual));
  for (int32_t k = 0; k < index->count; k++) {
    const record_chunk *chunk = &index->chunk[k];
    json_array_append_new(chunks, json_pack("[s,I,I,I]", record_type_name[chunk->type],
                                            (json_int_t)chunk->byte, (json_int_t)chunk->first,
                                            (json_int_t)chunk->count));
  }
  json_object_set_new(object, "chunks", chunks);
  return object;
}
