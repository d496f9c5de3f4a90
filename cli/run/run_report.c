// run_report.c: what perp run says at the end, and its list of scenes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report.h"
#include "run_command.h"
#include "text.h"

static const char *size_text(double bytes, text_buffer *buffer) {
  if (bytes < 1e6) snprintf(buffer->text, sizeof buffer->text, "%.0f kB", ceil(bytes/1e3));
  else snprintf(buffer->text, sizeof buffer->text, "%.1f MB", bytes/1e6);
  return buffer->text;
}

static double file_bytes(const char *path) {
  struct stat status;
  return path && stat(path, &status) == 0 ? (double)status.st_size : 0.0;
}

static void report_json(json_t *object, const run_session *s, int complete) {
  const run_totals *t = &s->totals;
  json_object_set_new(object, "scene", json_text(s->scene->name));
  json_object_set_new(object, "command", json_text(s->command));
  json_object_set_new(object, "method", json_text(s->options.method->name));
  json_object_set_new(object, "complete", json_boolean(complete));
  if (!complete) json_object_set_new(object, "status", json_string("interrupted"));
  json_object_set_new(object, "resumed_from", json_integer(s->begun));
  json_object_set_new(object, "steps", json_integer(t->steps));
  json_object_set_new(object, "solved", json_integer(t->steps - t->unsolved));
  json_object_set_new(object, "unsolved", json_integer(t->unsolved));
  json_object_set_new(object, "residual", json_number(t->residual));
  json_object_set_new(object, "iterations", json_integer((json_int_t)t->iterations));
  json_object_set_new(object, "energy_start", json_number(t->energy_start));
  json_object_set_new(object, "energy", json_number(t->energy));
  s->kind->report_json(s, object);
  json_object_set_new(object, "seconds", json_number(s->seconds));
  json_object_set_new(object, "recording", s->path ? json_text(s->path) : json_null());
}

// The first line. Steps can all be solved and the run not be finished.
static void report_verdict(const run_session *s, int complete) {
  const run_totals *t = &s->totals;
  const int good = t->unsolved == 0;
  const long long solved = (long long)(t->steps - t->unsolved), steps = (long long)t->steps;
  char text[256] = "";
  if (complete) text_append(text, sizeof text, "%lld of %lld steps", solved, steps);
  else if (steps == 0)
    text_append(text, sizeof text, "in the first of %lld steps", (long long)s->planned);
  else if (good)
    text_append(text, sizeof text, "after %lld of %lld steps, all solved", steps,
                (long long)s->planned);
  else
    text_append(text, sizeof text, "after %lld of %lld steps; %lld of them are solved", steps,
                (long long)s->planned, solved);
  if (complete || steps > 0)
    text_append(text, sizeof text, ", worst residual %.2g", t->residual);
  if (!good)
    text_append(text, sizeof text, "; the first that is not: step %lld",
                (long long)t->first_unsolved);
  report_headline(good && complete,
                  !complete ? "interrupted" : good ? "solved" : "not all solved", text);
}

void run_report(const run_session *s, int complete) {
  const run_totals *t = &s->totals;
  json_t *object = message_object();
  if (object) {
    report_json(object, s, complete);
    return;
  }
  text_buffer time, size, frames;
  const double here = (double)(t->steps - s->begun), dt = s->dt;
  report_verdict(s, complete);
  char text[256] = "";
  report_line("scene", "%s: %s", s->scene->name, s->scene->title);
  text_append(text, sizeof text, "%lld of %.4g s", (long long)t->steps, dt);
  if (s->begun > 0) text_append(text, sizeof text, "; resumed from step %lld", (long long)s->begun);
  if (s->begun > 0 && here > 0.0)
    text_append(text, sizeof text, ", the last %lld", (long long)here);
  if (here > 0.0 && s->seconds > 0.0)
    text_append(text, sizeof text, " in %s, %.3g times real time", text_seconds(s->seconds, &time),
                here*dt/s->seconds);
  report_line("steps", "%s", text);
  s->kind->report(s);
  if (!s->path) {
    report_line("next", "-o %s.perp records it", s->scene->name);
    return;
  }
  report_line("recording", "%s: %s, %s", s->path,
              text_count(t->steps/s->every + 1, "frame", "frames", &frames),
              size_text(file_bytes(s->path), &size));
  text_word word;
  report_line("next", "perp %s %s", complete ? "view" : "run --resume", text_shell(s->path, &word));
}

static const char *short_number(double value, text_buffer *buffer) {   // "1e8" for 1e+08
  char digits[32];
  const char *form = fabs(value) >= 1e5 ? "%.0e" : value == floor(value) ? "%.0f" : "%.4g";
  snprintf(digits, sizeof digits, form, value);
  const char *power = strchr(digits, 'e');
  if (!power) snprintf(buffer->text, sizeof buffer->text, "%s", digits);
  else
    snprintf(buffer->text, sizeof buffer->text, "%.*se%d", (int)(power - digits), digits,
             atoi(power + 1));
  return buffer->text;
}

// A parameter that all scenes of liquids have alike: it is told once.
static int is_shared(const perp_gallery_parameter *p) {
  const scene *what;
  for (int32_t i = 0; (what = scene_at(i)) != NULL; i++) {
    if (!what->fill) continue;
    const int32_t k = scene_parameter(what, p->name);
    if (k < 0 || what->parameters[k].initial != p->initial || what->parameters[k].low != p->low ||
        what->parameters[k].high != p->high)
      return 0;
  }
  return 1;
}

// A line: name, meaning, default and range.
static void list_parameter(const perp_gallery_parameter *p) {
  text_buffer low, high, initial;
  if (!p->choices) {
    printf("  --%-12s %-38s %8s [%s, %s]\n", p->name, p->help, short_number(p->initial, &initial),
           short_number(p->low, &low), short_number(p->high, &high));
    return;
  }
  const char *word = p->choices;
  for (int k = (int)p->initial; k > 0 && strchr(word, '|'); k--) word = strchr(word, '|') + 1;
  printf("  --%-12s %-26s %.*s [%s]\n", p->name, p->help, (int)strcspn(word, "|"), word,
         p->choices);
}

static void list_scene(const scene *what) {
  printf("%s%-15s%s %s\n", text_paint(stdout, TEXT_BOLD), what->name,
         text_paint(stdout, TEXT_PLAIN), what->title);
  for (int32_t k = 0; k < what->parameter_count; k++)
    if (!what->fill || !is_shared(&what->parameters[k])) list_parameter(&what->parameters[k]);
}

static json_t *scene_json(const scene *what) {
  json_t *item = json_object(), *parameters = json_array();
  json_object_set_new(item, "scene", json_text(what->name));
  json_object_set_new(item, "title", json_text(what->title));
  json_object_set_new(item, "kind", json_string(what->fill ? "liquid" : "bodies"));
  for (int32_t k = 0; k < what->parameter_count; k++) {
    const perp_gallery_parameter *p = &what->parameters[k];
    json_t *row = json_pack("{s:s,s:f,s:f,s:f,s:b,s:s}", "name", p->name, "default", p->initial,
                            "low", p->low, "high", p->high, "whole", p->integer, "help", p->help);
    if (p->choices) json_object_set_new(row, "choices", json_text(p->choices));
    json_array_append_new(parameters, row);
  }
  json_object_set_new(item, "parameters", parameters);
  return item;
}

void run_list(void) {
  json_t *object = message_object(), *list = object ? json_array() : NULL;
  const scene *what, *liquid = NULL;
  for (int32_t i = 0; (what = scene_at(i)) != NULL; i++) {
    if (what->fill) liquid = what;
    if (list) json_array_append_new(list, scene_json(what));
    else {
      if (i > 0) printf("\n");
      list_scene(what);
    }
  }
  if (list) {
    json_object_set_new(object, "scenes", list);
    return;
  }
  printf("\nAll scenes of liquids also have\n");
  for (int32_t k = 0; liquid && k < liquid->parameter_count; k++)
    if (is_shared(&liquid->parameters[k])) list_parameter(&liquid->parameters[k]);
  printf("\n'perp run SCENE -o a.perp' records one; 'perp run SCENE --help' describes it.\n");
}
