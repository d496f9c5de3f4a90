// recording_head.c: the header of a recording from its JSON; what is wrong is named by its key.
#include "recording_head.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

typedef struct parse {
  char *message;
  size_t size;
  int bad;                     // a message is there
} parse;

__attribute__((format(printf, 2, 3)))
static void complain(parse *p, const char *format, ...) {
  if (p->bad) return;          // the first trouble is told
  p->bad = 1;
  va_list list;
  va_start(list, format);
  vsnprintf(p->message, p->size, format, list);
  va_end(list);
}

// Somebody may have sent the recording. Its strings go into pictures, pages, files and messages, so
// they are made harmless here, once: the header keeps what text_visible() makes of them.
static const char *plain_string(parse *p, json_t *value, const char *key) {
  enum { STRING_BYTES_MAX = 4096 };   // the longest string we write, a command line, has 2048
  char visible[4*STRING_BYTES_MAX];
  if (!json_is_string(value)) complain(p, "\"%s\" is not a string", key);
  else if (json_string_length(value) > STRING_BYTES_MAX)
    complain(p, "\"%s\" has %zu bytes, more than %d", key, json_string_length(value),
             STRING_BYTES_MAX);
  else if (json_string_set(value, text_visible(json_string_value(value), visible, sizeof visible)))
    complain(p, "out of memory");
  return p->bad ? "" : json_string_value(value);
}

static const char *string_of(parse *p, const json_t *object, const char *key) {
  return plain_string(p, json_object_get(object, key), key);
}

static double number_in(parse *p, const json_t *value, const char *key, double low, double high) {
  const double number = json_is_number(value) ? json_number_value(value) : NAN;
  if (!(number >= low && number <= high))
    complain(p, "\"%s\" is not a number in [%g, %g]", key, low, high);
  return p->bad ? 0.0 : number;
}

static double number_of(parse *p, const json_t *object, const char *key, double low, double high) {
  return number_in(p, json_object_get(object, key), key, low, high);
}

static int64_t whole_in(parse *p, const json_t *value, const char *key, int64_t low, int64_t high) {
  const json_int_t number = json_is_integer(value) ? json_integer_value(value) : low - 1;
  if (number < low || number > high)
    complain(p, "\"%s\" is not a whole number in [%lld, %lld]", key, (long long)low,
             (long long)high);
  return p->bad ? low : (int64_t)number;
}

static int64_t whole_of(parse *p, const json_t *object, const char *key, int64_t low,
                        int64_t high) {
  return whole_in(p, json_object_get(object, key), key, low, high);
}

static void numbers_in(parse *p, const json_t *list, const char *key, size_t count, double *out) {
  if (!json_is_array(list) || json_array_size(list) != count) {
    complain(p, "\"%s\" does not have %zu numbers", key, count);
    return;
  }
  for (size_t k = 0; k < count; k++)
    out[k] = number_in(p, json_array_get(list, k), key, -1e300, 1e300);
}

static const char **words_of(parse *p, const json_t *object, const char *key) {
  const json_t *list = json_object_get(object, key);
  const size_t count = json_array_size(list);
  const char **words = calloc(count + 1, sizeof *words);
  if (!json_is_array(list) || !words) {
    complain(p, "\"%s\" is not an array", key);
    return words;
  }
  for (size_t k = 0; k < count && !p->bad; k++)
    words[k] = plain_string(p, json_array_get(list, k), key);
  if (p->bad) words[0] = NULL;
  return words;
}

static int64_t count_of(const char **words) {
  int64_t count = 0;
  while (words && words[count]) count++;
  return count;
}

// kinds: of materials and of groups
static void read_body(parse *p, json_t *const *list, size_t i, const recording_head *head,
                      const int64_t kinds[2], recording_body *body) {
  static const char *const three[] = {"extent", "position"};
  body->shape = (int32_t)whole_in(p, json_array_get(list[0], i), "shape", 0,
                                  head->fluid ? 4 : 3);
  numbers_in(p, json_array_get(list[1], i), three[0], 3, body->extent);
  body->offset = number_in(p, json_array_get(list[2], i), "offset", -1e300, 1e300);
  body->mass = number_in(p, json_array_get(list[3], i), "mass", 0.0, 1e300);
  body->fixed = (int32_t)whole_in(p, json_array_get(list[4], i), "static", 0, 1);
  body->material = (int32_t)whole_in(p, json_array_get(list[5], i), "material", 0, kinds[0] - 1);
  body->group = (int32_t)whole_in(p, json_array_get(list[6], i), "group", 0, kinds[1] - 1);
  numbers_in(p, json_array_get(list[7], i), three[1], 3, body->position);
  numbers_in(p, json_array_get(list[8], i), "orientation", 4, body->orientation);
  const double *e = body->extent;
  const int box = body->shape == 1 || body->shape == 4, plane = body->shape == 2;
  if (plane ? !(fabs(hypot(hypot(e[0], e[1]), e[2]) - 1.0) < 1e-6)
            : !(e[0] > 0.0 && (!box || (e[1] > 0.0 && e[2] > 0.0))))
    complain(p, "\"extent\" of body %zu is not %s", i, plane ? "a unit normal" : "positive");
}

static void read_bodies(parse *p, const json_t *object, recording_head *head) {
  static const char *const keys[] = {"shape",    "extent", "offset",   "mass",       "static",
                                     "material", "group",  "position", "orientation"};
  enum { KEYS = sizeof keys/sizeof *keys };
  json_t *list[KEYS];
  size_t count = 0;
  for (int k = 0; k < KEYS; k++) {
    list[k] = json_object_get(object, keys[k]);
    if (k == 0) count = json_array_size(list[0]);
    if (!json_is_array(list[k]) || json_array_size(list[k]) != count)
      complain(p, "\"bodies\": \"%s\" is not an array of %zu", keys[k], count);
  }
  if (p->bad) return;
  head->body = calloc(count + 1, sizeof *head->body);
  head->mover = calloc(count + 1, sizeof *head->mover);
  if (!head->body || !head->mover) {
    complain(p, "out of memory for %zu bodies", count);
    return;
  }
  const int64_t kinds[2] = {count_of(head->materials), count_of(head->groups)};
  head->bodies = (int32_t)count;
  for (size_t i = 0; i < count && !p->bad; i++) {
    read_body(p, list, i, head, kinds, &head->body[i]);
    if (!head->body[i].fixed) head->mover[head->moving++] = (int32_t)i;
  }
}

// What is recorded of each step must be what this version knows.
static void check_columns(parse *p, const json_t *object, const recording_head *head) {
  const json_t *columns = json_object_get(object, "columns");
  const char *const *names;
  const uint32_t count = recording_columns(head, &names);
  int same = json_array_size(columns) == count;
  for (uint32_t c = 0; c < count && same; c++) {
    const char *name = json_string_value(json_array_get(columns, c));
    same = name && !strcmp(name, names[c]);
  }
  if (!same) complain(p, "\"columns\" are not those of this version of the format");
}

static const char *word_of(parse *p, const json_t *object, const char *key, const char *one,
                           const char *two, const char *three) {
  const char *word = string_of(p, object, key);
  if (strcmp(word, one) != 0 && strcmp(word, two) != 0 && strcmp(word, three) != 0)
    complain(p, "\"%s\" is %s, not %s, %s or %s", key, word, one, two, three);
  return word;
}

static void read_liquid(parse *p, const json_t *object, recording_head *head) {
  recording_fluid *liquid = &head->liquid;
  double cells[3] = {0};
  numbers_in(p, json_object_get(object, "cells"), "cells", 3, cells);
  double all = 1.0;
  for (int c = 0; c < 3; c++) {
    if (!(cells[c] >= 1.0 && cells[c] <= RECORD_PLACES && cells[c] == floor(cells[c])))
      complain(p, "\"cells\" are not whole numbers in [1, %d]", RECORD_PLACES);
    liquid->cells[c] = p->bad ? 1 : (int32_t)cells[c];
    all *= cells[c];
  }
  if (all > RECORD_PLAIN_MAX || (head->dimension == 2 && liquid->cells[2] != 1))
    complain(p, "\"cells\" are %g in %d dimensions", all, (int)head->dimension);
  liquid->spacing = number_of(p, object, "spacing", 1e-300, 1e300);
  liquid->density = number_of(p, object, "density", 0.0, 1e300);
  liquid->flip = number_of(p, object, "flip", 0.0, 1.0);
  liquid->walls = head->model = word_of(p, object, "walls", "no-slip", "slip", "separating");
  liquid->transfer = word_of(p, object, "transfer", "flip", "apic", "flip");
  liquid->keep = word_of(p, object, "keep", "all", "surface", "all");
  liquid->fine = (int32_t)whole_of(p, object, "fine", 1, RECORD_PLACES);
  if (!p->bad && record_fine(liquid->cells, liquid->fine) != liquid->fine)
    complain(p, "\"fine\" is %d, for which 16 bits have no room", (int)liquid->fine);
  const json_t *fields = json_object_get(object, "fields");
  if (!json_is_array(fields)) complain(p, "\"fields\" is not an array");
  for (size_t k = 0; k < json_array_size(fields); k++) {
    const char *name = json_string_value(json_array_get(fields, k));
    uint32_t field = 0;
    for (int f = 0; f < 3 && name; f++)
      if (!strcmp(name, recording_field_name[f])) field = 1u << f;
    if (field <= liquid->fields) complain(p, "\"fields\" has %s", name ? name : "no string");
    liquid->fields |= field;
  }
}

static void read_common(parse *p, const json_t *object, recording_head *head) {
  head->scene = string_of(p, object, "scene");
  head->title = string_of(p, object, "title");
  head->command = string_of(p, object, "command");
  head->version = string_of(p, object, "version");
  head->seed = string_of(p, object, "seed");
  head->method = string_of(p, object, "method");
  head->tol = number_of(p, object, "tol", 0.0, 1.0);
  head->dimension = (int32_t)whole_of(p, object, "dimension", 2, 3);
  head->dt = number_of(p, object, "dt", 1e-300, 1e300);
  head->steps = whole_of(p, object, "steps", 0, UINT32_MAX - 1);
  head->every = whole_of(p, object, "every", 1, UINT32_MAX);
  head->span = whole_of(p, object, "span", 1, UINT32_MAX);
  numbers_in(p, json_object_get(object, "gravity"), "gravity", 3, head->gravity);
  const json_t *view = json_object_get(object, "view");
  numbers_in(p, json_object_get(view, "center"), "center", 3, head->center);
  head->radius = number_of(p, view, "radius", 0.0, 1e300);
  head->materials = words_of(p, object, "materials");
  head->groups = words_of(p, object, "groups");
  head->arguments = json_object_get(object, "arguments");
  head->parameters = json_object_get(object, "parameters");
  if (!json_is_array(head->arguments)) complain(p, "\"arguments\" is not an array");
  if (!json_is_object(head->parameters)) complain(p, "\"parameters\" is not an object");
}

int recording_head_read(const json_t *object, recording_head *head, char *message, size_t size) {
  parse p = {.message = message, .size = size};
  *head = (recording_head){0};
  if (!json_is_object(object)) complain(&p, "it is not a JSON object");
  whole_of(&p, object, "perp", 1, 1);
  const char *kind = string_of(&p, object, "kind");
  head->fluid = !strcmp(kind, "fluid");
  if (!head->fluid && strcmp(kind, "contact") != 0)
    complain(&p, "\"kind\" is %s, neither contact nor fluid", kind);
  read_common(&p, object, head);
  if (head->fluid) read_liquid(&p, object, head);
  else head->model = string_of(&p, object, "model");
  check_columns(&p, object, head);
  if (!p.bad) read_bodies(&p, json_object_get(object, "bodies"), head);
  if (p.bad) recording_head_free(head);
  return p.bad;
}

void recording_head_free(recording_head *head) {
  free(head->body);
  free(head->mover);
  free(head->materials);
  free(head->groups);
  *head = (recording_head){0};
}
