// scenes.c: the scenes of liquids as `perp run SCENE` has them, all at their defaults, seed 0 and
// one thread included: how long they take, without recording, and how far their volume drifts.
#include <stdlib.h>
#include <string.h>

#include <scene.h>

#include "bench.h"

enum { MOST_PARAMETERS = 64 };

static int run(const scene *what, const bench *b, bench_table *t) {
  double values[MOST_PARAMETERS];
  scene_pool pool;
  perp_fluid *fluid;
  perp_fluid_report r;
  for (int32_t i = 0; i < what->parameter_count; i++) values[i] = what->parameters[i].initial;
  if (b->quick) {
    values[scene_parameter(what, "size")] = 24;
    values[scene_parameter(what, "steps")] = 30;
  }
  if (scene_fill(what, values, 0, &pool) != PERP_OK ||
      scene_fluid(&pool, NULL, &fluid) != PERP_OK) return 0;
  perp_fluid_last(fluid, &r);
  const long long particles = r.particles;
  double seconds = 0.0, pressure = 0.0, substeps = 0.0, newton = 0.0, inner = 0.0;
  int64_t unsolved = 0, k = 0;
  for (; k < pool.steps && perp_fluid_step(fluid, &r) == PERP_OK; k++) {
    seconds += r.seconds;
    pressure += r.stage_seconds[PERP_FLUID_PRESSURE];
    substeps += r.substeps;
    newton += r.newton;
    inner += r.inner;
    unsolved += r.unsolved;
  }
  perp_fluid_destroy(fluid);
  if (k < pool.steps) return 0;
  bench_row(t, "%s|%d^%d|%lld|%lld|%.1f|%.0f|%.1f|%.1f/%.1f|%+.1f|%lld", what->name,
            pool.settings.cells[0], pool.settings.dimension, particles, (long long)pool.steps,
            seconds, 100.0*pressure/seconds, substeps/(double)pool.steps, newton/substeps,
            inner/substeps, 100.0*(r.volume/r.poured - 1.0), (long long)unsolved);
  return 1;
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  bench_table *t = bench_open(&b, "scenes", "scenes of liquids at their defaults",
                              "scene|cells|particles|steps|seconds|pressure %|substeps a step|"
                              "Newton/cycles a substep|drift at the end %|unsolved");
  const scene *what;
  for (int32_t s = 0; (what = scene_at(s)) != NULL; s++)
    if (what->fill != NULL && !run(what, &b, t))
      bench_note(t, "%s: %s", what->name, perp_last_message());
  bench_note(t, "Seconds of real time, one thread, without recording; particles at the start; all "
             "pressure to 1e-8.");
  bench_close(t);
  return 0;
}
