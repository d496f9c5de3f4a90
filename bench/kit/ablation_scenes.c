// ablation_scenes.c: the first steps of scenes of bodies and of liquids, as items of the ablation.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ablation_item.h"
#include "bench.h"
#include "scene.h"
#include "work.h"

typedef struct course { int32_t steps; uint64_t work_max; } course;   // more work counts as unsolved
static const course begins = {12, 2000000000}, falls_apart = {40, 20000000000}, flows = {3, 2000000000};

// "boxes=5 friction=0.2" -> the scene's parameters, which the caller frees
static double *scene_values(const scene *what, const char *settings) {
  double *values = bench_take((size_t)what->parameter_count, sizeof *values);
  char text[100];
  for (int32_t k = 0; k < what->parameter_count; k++) values[k] = what->parameters[k].initial;
  snprintf(text, sizeof text, "%s", settings);
  for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
    const size_t length = strcspn(word, "=");
    const char *number = word + length + (word[length] == '=');
    word[length] = '\0';
    const int32_t k = scene_parameter(what, word);
    if (k < 0) {
      fprintf(stderr, "%s has no parameter %s\n", what->name, word);
      exit(2);
    }
    values[k] = atof(number);
  }
  return values;
}

// name: of a method, or NULL: as the scene is
static void step_scene(const scene *what, const char *settings, const char *name,
                       const course *most) {
  char how[200];
  scene_layout layout;
  perp_world *w = NULL;
  snprintf(how, sizeof how, "%s%ssteps%s%s", settings, *settings == '\0' ? "" : " ",
           name == NULL ? "" : " ", name == NULL ? "" : name);
  if (!item_is_wanted(what->name, how)) return;
  double *values = scene_values(what, settings);
  const int built = scene_build(what, values, 1, &layout) == PERP_OK;
  free(values);
  if (!built) return;
  perp_options o = perp_default_options(name == NULL ? NULL : perp_find_method(name));
  o.clock = work_seconds;
  if (name != NULL) layout.settings.options = &o;
  int unsolved = scene_world(&layout, NULL, &w) != PERP_OK, steps = 0;
  uint64_t hash = 0;
  const uint64_t start = item_begin();
  perp_world_report r;
  while (steps < most->steps && !unsolved && work_done() - start < most->work_max) {
    unsolved = perp_world_step(w, &r) != PERP_OK || r.unsolved > 0;
    steps++;
    hash = item_hash(hash, &r.dissipated, sizeof r.dissipated);
    hash = item_hash(hash, &r.kinetic, sizeof r.kinetic);
    hash = item_hash(hash, &r.residual, sizeof r.residual);
  }
  item_report(what->name, how, !unsolved && steps == most->steps, item_end(start), hash);
  perp_world_destroy(w);
  scene_free(&layout);
}

static void scenes_of_bodies(void) {
  static const char *const methods[] = {NULL, "contact_newton", "contact_sweep", "convex_friction",
                                        "active_set", "interior_point"};
  static const char *const piles[][2] = {
    {"stack", "boxes=5"}, {"stack", "boxes=10 friction=0.2"}, {"pyramid", "base=4"},
    {"pyramid", "base=6 friction=0.3"}, {"wall", "bricks=25"}, {"card-house", "levels=1"},
    {"card-house", "levels=2"}, {"heavy-on-light", "boxes=3 ratio=100"},
    {"heavy-on-light", "boxes=4 ratio=30"}, {"hollow-sphere", "spheres=40"},
    {"box", "balls=80 friction=0.3"}, {"arch", "stones=6"}};
  for (int32_t k = 0; k < scene_count(); k++) {
    if (scene_at(k)->build == NULL) continue;
    for (size_t m = 0; m < sizeof methods/sizeof methods[0]; m++) {
      step_scene(scene_at(k), "", methods[m], &begins);
    }
  }
  for (size_t k = 0; k < sizeof piles/sizeof piles[0]; k++) {
    step_scene(scene_find(piles[k][0]), piles[k][1], NULL, &begins);
    step_scene(scene_find(piles[k][0]), piles[k][1], "contact_newton", &begins);
  }
  static const char *const walls[] = {"columns=12 rows=8", "columns=10 rows=10 ball-speed=30"};
  for (size_t k = 0; k < sizeof walls/sizeof walls[0]; k++) {
    step_scene(scene_find("wall"), walls[k], NULL, &falls_apart);
    step_scene(scene_find("wall"), walls[k], "active_set", &falls_apart);
    step_scene(scene_find("wall"), walls[k], "interior_point", &falls_apart);
  }
}

static void scenes_of_liquid(void) {
  for (int32_t k = 0; k < scene_count(); k++) {
    const scene *what = scene_at(k);
    scene_pool pool;
    perp_fluid *f = NULL;
    if (what->fill == NULL || !item_is_wanted(what->name, "steps") ||
        scene_fill(what, NULL, 1, &pool) != PERP_OK) continue;
    int unsolved = scene_fluid(&pool, NULL, &f) != PERP_OK, steps = 0;
    uint64_t hash = 0;
    const uint64_t start = item_begin();
    perp_fluid_report r;
    while (steps < flows.steps && !unsolved && work_done() - start < flows.work_max) {
      unsolved = perp_fluid_step(f, &r) != PERP_OK || r.unsolved > 0;
      steps++;
      hash = item_hash(hash, &r.kinetic, sizeof r.kinetic);
    }
    item_report(what->name, "steps", !unsolved && steps == flows.steps, item_end(start), hash);
    perp_fluid_destroy(f);
  }
}

void ablation_scenes(void) {
  scenes_of_bodies();
  scenes_of_liquid();
}
