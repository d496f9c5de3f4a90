// run_head.c: from a scene and its options to the header of a recording.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recording_head.h"
#include "run.h"
#include "text.h"

static const char *const models[] = {"normal", "friction", "staggered", "boxed"};

// Options that leave the recording as it is.
static int is_outside(const char *name) {
  static const char *const names[] = {"output", "resume", "force", "threads", "quiet", "progress",
                                      "json", "list", "dump-problems", "no-color", "help"};
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) {
    if (!strcmp(name, names[i])) return 1;
  }
  return 0;
}

static void say(run_session *s, const char *word) {
  const char *safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:=+/";
  const int plain = *word && strspn(word, safe) == strlen(word);
  text_append(s->command, sizeof s->command, plain ? " %s" : " '%s'", word);
  json_array_append_new(s->arguments, json_text(word));
}

int run_arguments(run_session *s) {
  const option_table *table = &s->args->table;
  json_decref(s->arguments);
  s->arguments = json_array();
  if (!s->arguments) return fail(CODE_IO, "out of memory for the arguments");
  snprintf(s->command, sizeof s->command, "perp run");
  say(s, s->scene->name);
  for (int pass = 0; pass < 2; pass++) {   // what the scene is before how it is solved
    for (int i = 0; i < table->count; i++) {
      const option_entry *entry = &table->entry[i];
      const int longer = s->steps && !strcmp(entry->name, "steps");
      const char *value = longer ? s->steps : s->args->value[i];
      if (!value || is_outside(entry->name)) continue;
      if ((entry->group == GROUP_FAMILY) != (pass == 0)) continue;
      char name[64];
      snprintf(name, sizeof name, "--%s", entry->name);
      say(s, name);
      if (*entry->argument) say(s, value);
    }
  }
  snprintf(s->seed_text, sizeof s->seed_text, "%" PRIu64, s->seed);
  return CODE_OK;
}

static json_t *parameters(const run_session *s) {
  json_t *object = json_object();
  for (int32_t i = 0; i < s->scene->parameter_count; i++) {
    const perp_gallery_parameter *p = &s->scene->parameters[i];
    json_object_set_new(object, p->name, p->integer ? json_integer((json_int_t)s->values[i])
                                                    : json_number(s->values[i]));
  }
  return object;
}

static void read_body(const run_session *s, int32_t i, recording_body *out) {
  const perp_body *body = &s->layout.body[i];
  const perp_motion *m = &body->motion;
  int still = body->mass == (double)INFINITY;
  for (int c = 0; c < 3; c++) still = still && m->velocity[c] == 0.0 && m->spin[c] == 0.0;
  *out = (recording_body){.shape = body->shape, .fixed = still, .material = body->material,
                          .group = s->layout.group[i], .offset = body->offset,
                          .mass = body->mass == (double)INFINITY ? 0.0 : body->mass};
  memcpy(out->extent, body->extent, sizeof out->extent);
  memcpy(out->position, m->position, sizeof out->position);
  memcpy(out->orientation, m->orientation, sizeof out->orientation);
}

const char *run_model(const run_session *s) { return models[s->layout.settings.model]; }

int run_head(const run_session *s, recording_head *head) {
  const scene_layout *layout = &s->layout;
  *head = (recording_head){
      .scene = s->scene->name, .title = s->scene->title, .command = s->command,
      .version = perp_version(), .method = s->options.method->name,
      .model = run_model(s), .seed = s->seed_text, .dt = layout->settings.step,
      .tol = s->options.tol, .dimension = layout->settings.dimension, .steps = layout->steps,
      .every = s->every, .bodies = layout->bodies, .radius = layout->radius,
      .arguments = s->arguments};
  memcpy(head->gravity, layout->settings.gravity, sizeof head->gravity);
  memcpy(head->center, layout->center, sizeof head->center);
  head->body = calloc((size_t)layout->bodies + 1, sizeof *head->body);
  head->mover = calloc((size_t)layout->bodies + 1, sizeof *head->mover);
  head->materials = calloc(SCENE_NAMES + 1, sizeof *head->materials);
  head->groups = calloc(SCENE_NAMES + 1, sizeof *head->groups);
  if (!head->body || !head->mover || !head->materials || !head->groups) {
    recording_head_free(head);
    return fail(CODE_IO, "out of memory for %d bodies", (int)layout->bodies);
  }
  memcpy(head->materials, layout->materials, SCENE_NAMES*sizeof *head->materials);
  memcpy(head->groups, layout->groups, SCENE_NAMES*sizeof *head->groups);
  for (int32_t i = 0; i < layout->bodies; i++) {
    read_body(s, i, &head->body[i]);
    if (!head->body[i].fixed) head->mover[head->moving++] = i;
  }
  head->span = recorder_span(head->moving, head->every);
  return CODE_OK;
}

char *run_head_text(const run_session *s, const recording_head *head) {
  recording_head with = *head;
  with.parameters = parameters(s);
  json_t *object = recording_head_json(&with);
  char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(object);
  json_decref(with.parameters);
  return text;
}
