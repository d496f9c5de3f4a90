// doctor.c: perp doctor: what this installation has, and what is missing.
#include <page.h>
#include <perp/contact.h>
#include <scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend.h"
#include "command.h"
#include "gnuplot.h"
#include "report.h"
#include "text.h"

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

static const struct { const char *name, *use, *package; } programs[] = {
  {"gnuplot", "--plot and perp plot", "gnuplot-nox"},
  {"ffmpeg", "videos of perp render", "ffmpeg"},
};

static int writable(void) {
  char name[] = "./.perp-doctor-XXXXXX";
  const int file = mkstemp(name);
  if (file < 0) return 0;
  close(file);
  unlink(name);
  return 1;
}

static int has_boxes(void) {
  const perp_world_settings settings = perp_world_defaults();
  const perp_body box = perp_box(0.5, 0.5, 0.5, 1.0);
  perp_world *world = NULL;
  const int good = perp_world_create(&settings, NULL, &world) == PERP_OK &&
                   perp_world_add(world, &box, NULL) == PERP_OK;
  perp_world_destroy(world);
  return good;
}

static void component(json_t *list, const char *kind, const char *name, const char *where,
                      const char *hint) {
  if (!list) {   // a path that does not fit the line is in the JSON
    const char *file = where ? strrchr(where, '/') : NULL;
    if (file && strlen(where) > 60) report_line(name, "found: %s", file + 1);
    else report_line(name, "%s", where ? where : hint);
    return;
  }
  json_t *item = json_object();
  json_object_set_new(item, "kind", json_text(kind));
  json_object_set_new(item, "name", json_text(name));
  json_object_set_new(item, "found", json_boolean(where != NULL));
  json_object_set_new(item, "path", where ? json_text(where) : json_null());
  json_array_append_new(list, item);
}

static int run(const arguments *args) {
  (void)args;
  json_t *object = message_object(), *list = object ? json_array() : NULL;
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const int can_write = writable();
  char names[256] = "";
  const int same = !strcmp(perp_version(), PERP_VERSION_STRING);
  if (object) {
    json_object_set_new(object, "version", json_text(perp_version()));
    json_object_set_new(object, "header_version", json_text(PERP_VERSION_STRING));
    json_object_set_new(object, "compiler", json_text(COMPILER));
    json_object_set_new(object, "processors", json_integer(processors));
    json_object_set_new(object, "methods", json_integer(perp_method_count()));
    json_object_set_new(object, "families", json_integer(perp_family_count()));
    json_object_set_new(object, "scenes", json_integer(scene_count()));
    json_object_set_new(object, "writable", json_boolean(can_write));
    json_t *linear = json_array();
    for (int32_t i = 0; i < perp_linear_count(); i++)
      json_array_append_new(linear, json_text(perp_linear_at(i)->name));
    json_object_set_new(object, "linear_solvers", linear);
  } else {
    report_line("perp", "%s%s%s", perp_version(), same ? "" : ", but the program was built for ",
                same ? "" : PERP_VERSION_STRING);
    report_line("compiler", "%s", COMPILER);
    report_line("processors", "%ld", processors);
    report_line("methods", "%d", (int)perp_method_count());
    report_line("families", "%d", (int)perp_family_count());
    report_line("scenes", "%d", (int)scene_count());
    report_line("this directory", "%s", can_write ? "writable" : "not writable");
    for (int32_t i = 0; i < perp_linear_count(); i++)
      text_append(names, sizeof names, "%s%s", i ? ", " : "", perp_linear_at(i)->name);
    report_line("linear solvers", "%s", names);
  }
  char path[2600], hint[400];
  for (int i = 0; backend_at(i); i++) {
    const backend_row *row = backend_at(i);
    const int found = backend_load(row, path, sizeof path) != NULL;
    char label[64];
    snprintf(label, sizeof label, "backend %s", row->name);
    snprintf(hint, sizeof hint, "not found: %s; for --linear %s: apt install %s, and rebuild",
             row->what, row->name, row->package);
    component(list, "backend", list ? row->name : label, found ? path : NULL, hint);
  }
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    const int found = gnuplot_find_program(programs[i].name, path, sizeof path);
    snprintf(hint, sizeof hint, "not found; for %s: apt install %s", programs[i].use,
             programs[i].package);
    component(list, "program", programs[i].name, found ? path : NULL, hint);
  }
  component(list, "part", "boxes", has_boxes() ? "built in, with ODE" : NULL,
            "not built; for scenes of boxes: apt install libode-dev, and rebuild");
  snprintf(hint, sizeof hint, "not built: %s; for perp view: apt install esbuild curl, and rebuild "
           "with a network", player_missing);
  component(list, "part", "player", player_page_length ? "built in" : NULL, hint);
  if (object) json_object_set_new(object, "components", list);
  return same ? CODE_OK
              : fail(CODE_COMPONENT, "the library is %s, the program expects %s", perp_version(),
                     PERP_VERSION_STRING);
}

static const option_row rows[] = {OPTION_JSON, {0}};

extern const command command_doctor;
const command command_doctor = {
  .name = "doctor",
  .title = "show what this installation has and what is missing",
  .synopsis = {"[--json]"},
  .description =
    "Shows the version, the compiler, the number of processors, whether the current directory is "
    "writable, the linear solvers, and which optional parts this installation has: backends for "
    "'perp solve --linear', gnuplot for --plot and 'perp plot', ffmpeg for the videos of 'perp "
    "render', boxes for scenes such as 'perp run stack', and the player of 'perp view'.",
  .options = rows,
  .examples = {{"perp doctor", "copy this into a bug report"}},
  .run = run,
};
