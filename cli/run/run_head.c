// run_head.c: from a scene and its options to the header of a recording.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_command.h"
#include "text.h"

// Options that leave the recording as it is.
static int is_outside(const char *name) {
  static const char *const names[] = {"output", "resume", "force", "threads", "quiet", "progress",
                                      "json", "list", "dump-problems", "no-color", "help",
                                      "save-every"};
  for (size_t i = 0; i < sizeof names/sizeof *names; i++) {
    if (!strcmp(name, names[i])) return 1;
  }
  return 0;
}

// A word for a shell: in single quotes, if there is anything special in it.
static void append_word(char *line, size_t size, const char *word) {
  const char *safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:=+/";
  const int plain = *word && strspn(word, safe) == strlen(word);
  text_append(line, size, plain ? " " : " '");
  for (; *word; word++) {
    if (*word == '\'') text_append(line, size, "'\\''");   // ends the quotes and begins new ones
    else text_append(line, size, "%c", *word);
  }
  if (!plain) text_append(line, size, "'");
}

static void say(run_session *s, const char *word) {
  append_word(s->command, sizeof s->command, word);
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

static json_t *word_of(const char *choices, double index) {
  for (int k = (int)index; k > 0 && strchr(choices, '|'); k--) choices = strchr(choices, '|') + 1;
  return json_stringn(choices, strcspn(choices, "|"));
}

static json_t *parameters(const run_session *s) {
  json_t *object = json_object();
  for (int32_t i = 0; i < s->scene->parameter_count; i++) {
    const perp_gallery_parameter *p = &s->scene->parameters[i];
    json_object_set_new(object, p->name,
                        p->choices   ? word_of(p->choices, s->values[i])
                        : p->integer ? json_integer((json_int_t)s->values[i])
                                     : json_number(s->values[i]));
  }
  return object;
}

int run_head(const run_session *s, recording_head *head) {
  *head = (recording_head){
      .fluid = s->kind == &run_liquid, .scene = s->scene->name, .title = s->scene->title,
      .command = s->command, .version = perp_version(), .method = s->options.method->name,
      .seed = s->seed_text, .dt = s->dt, .tol = s->options.tol, .steps = s->planned,
      .every = s->every, .arguments = s->arguments};
  return s->kind->head(s, head);
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
