// drift.c: volume, momentum and energy of the scenes of liquids with each kind of wall, and the
// volume with settings.compensate: ANE17 6.2 asks how the walls compare on coarse grids.
//
// But for the size and the time all is as `perp run` has it, seed 0 included.
//
// drift.csv has a row per run, drift-percent.csv one per scene: the change at the end, and the least
// and the most on the way; drift_SCENE.csv has the volume relative to what was poured, over time, as
// `perp plot drift_SCENE.csv --x time` draws it.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scene.h>

#include "bench.h"

enum { RUNS = 6, MOST_STEPS = 1000, MOST_PARAMETERS = 64 };   // walls times compensation

static const char *const walls[] = {"no-slip", "slip", "separating"};

typedef struct history {
  int32_t steps;
  double volume[MOST_STEPS], least, most;
  double energy[2];              // after the first and the last step
  double momentum;               // largest along x, over mass and second: of a mean velocity
  int32_t unsolved;
  double particles;              // at the end, relative to those poured
} history;

static void set(const scene *what, double *values, const char *name, double value) {
  const int32_t k = scene_parameter(what, name);
  if (k >= 0) values[k] = value;
}

static int run(const scene *what, const double *values, int32_t steps, history *h) {
  scene_pool pool;
  perp_fluid *fluid;
  perp_fluid_report r;
  memset(h, 0, sizeof *h);
  if (scene_fill(what, values, 0, &pool) != PERP_OK ||
      scene_fluid(&pool, NULL, &fluid) != PERP_OK) return 0;
  perp_fluid_last(fluid, &r);
  const double begin = (double)r.particles;
  h->least = INFINITY;
  for (h->steps = 0; h->steps < steps; h->steps++) {
    if (perp_fluid_step(fluid, &r) != PERP_OK) break;
    const double v = r.volume/r.poured, mass = pool.settings.density*r.poured;
    h->volume[h->steps] = v;
    h->least = fmin(h->least, v);
    h->most = fmax(h->most, v);
    if (h->steps == 0) h->energy[0] = r.kinetic + r.potential;
    h->energy[1] = r.kinetic + r.potential;
    h->momentum = fmax(h->momentum, fabs(r.momentum[0])/mass);
    h->unsolved += r.unsolved;
    h->particles = (double)r.particles/begin;
  }
  perp_fluid_destroy(fluid);
  return h->steps == steps;
}

static void curves(const bench *b, const scene *what, const history *h, int32_t steps) {
  if (b->results == NULL) return;
  char name[512];
  snprintf(name, sizeof name, "%s/drift_%s.csv", b->results, what->name);
  FILE *file = fopen(name, "w");
  if (file == NULL) return;
  fputs("time", file);
  for (int k = 0; k < RUNS; k++) fprintf(file, ",%s%s", walls[k/2], k%2 ? " compensated" : "");
  for (int32_t i = 0; i < steps; i++) {
    fprintf(file, "\n%.4f", (i + 1)/60.0);
    for (int k = 0; k < RUNS; k++) fprintf(file, ",%.5f", h[k].volume[i]);
  }
  fputc('\n', file);
  fclose(file);
}

static void percent(bench_table *t, const scene *what, int32_t size, const history *h) {
  char text[512];
  int used = 0;
  for (int c = 0; c < 2; c++)
    for (int k = c; k < RUNS; k += 2)
      used += snprintf(text + used, sizeof text - (size_t)used, "|%+.1f (%+.1f to %+.1f)",
                       100.0*(h[k].volume[h[k].steps - 1] - 1.0), 100.0*(h[k].least - 1.0),
                       100.0*(h[k].most - 1.0));
  bench_row(t, "%s|%d%s", what->name, size, text);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  bench_table *t = bench_open(&b, "drift", "volume of liquids, relative to what was poured",
                              "scene|cells|walls|compensated|steps|least|most|at the end|"
                              "energy kept|momentum m/s|particles|unsolved");
  bench_table *p = bench_open(&b, "drift-percent", "change of the volume in percent",
                              "scene|cells|no slip|slip|separating|compensated: no slip|"
                              "compensated: slip|compensated: separating");
  history *h = bench_take(RUNS, sizeof *h);
  const scene *what;
  for (int32_t s = 0; (what = scene_at(s)) != NULL; s++) {
    if (what->fill == NULL) continue;
    const int deep = strstr(what->name, "3d") != NULL || strstr(what->name, "ball") != NULL;
    const int32_t size = b.quick ? (deep ? 12 : 24) : deep ? 20 : 64;
    const int32_t steps = b.quick ? 60 : deep ? 90 : 240;
    int fine = 1;
    for (int k = 0; k < RUNS; k++) {
      double values[MOST_PARAMETERS];
      for (int32_t i = 0; i < what->parameter_count; i++) values[i] = what->parameters[i].initial;
      set(what, values, "size", size);
      set(what, values, "walls", k/2);
      set(what, values, "compensate", k%2);
      fine &= run(what, values, steps, &h[k]);
      bench_row(t, "%s|%d|%s|%s|%d|%.3f|%.3f|%.3f|%.2f|%.3f|%.2f|%d", what->name, size, walls[k/2],
                k%2 ? "yes" : "no", h[k].steps, h[k].least, h[k].most,
                h[k].volume[h[k].steps > 0 ? h[k].steps - 1 : 0], h[k].energy[1]/h[k].energy[0],
                h[k].momentum, h[k].particles, h[k].unsolved);
    }
    if (fine) curves(&b, what, h, steps), percent(p, what, size, h);
    else bench_note(t, "%s: %s", what->name, perp_last_message());
  }
  bench_note(t, "volume by the level set; energy kinetic and potential, the latter above y = 0; "
             "momentum: the largest mean velocity along x");
  bench_close(t);
  bench_close(p);
  free(h);
  return 0;
}
