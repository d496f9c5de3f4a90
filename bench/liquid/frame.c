// frame.c: how long a frame of a liquid takes, 1/60 s of a scene, and where the time goes.
//
// Every frame of a run is measured, from what was poured to the splash. In two dimensions there are
// 20,000 particles at the start, in three the scenes are as they come. A run is repeated, and of
// each frame the fastest of its repeats counts: all of them compute the same bits.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <scene.h>

#include "bench.h"

enum { MOST_PARAMETERS = 64, MOST_FRAMES = 300, THREADS = 2, NAMES = 3 };

typedef struct subject {
  const char *scene;
  int32_t size, frames, repeats;
  struct { const char *name; double value; } parameters[NAMES];
} subject;

typedef struct history {
  int32_t frames;
  double seconds[MOST_FRAMES], stage[MOST_FRAMES][PERP_FLUID_STAGES];
  int64_t particles, substeps, liquid, unsolved;   // particles: at the start; the others: summed
  double newton, inner;                            // sums
} history;

static int run(const subject *s, int32_t threads, history *h) {
  const scene *what = scene_find(s->scene);
  double values[MOST_PARAMETERS];
  scene_pool pool;
  perp_fluid *fluid;
  perp_fluid_report r;
  for (int32_t i = 0; i < what->parameter_count; i++) values[i] = what->parameters[i].initial;
  values[scene_parameter(what, "size")] = s->size;
  for (int k = 0; k < NAMES && s->parameters[k].name != NULL; k++)
    values[scene_parameter(what, s->parameters[k].name)] = s->parameters[k].value;
  if (scene_fill(what, values, 1, &pool) != PERP_OK) return 0;
  pool.settings.threads = threads;
  if (scene_fluid(&pool, NULL, &fluid) != PERP_OK) return 0;
  perp_fluid_last(fluid, &r);
  h->particles = r.particles;
  h->substeps = h->liquid = h->unsolved = 0;
  h->newton = h->inner = 0.0;
  int32_t k = 0;
  for (; k < s->frames && perp_fluid_step(fluid, &r) == PERP_OK; k++) {
    h->substeps += r.substeps;
    h->liquid += r.liquid;
    h->unsolved += r.unsolved;
    h->newton += r.newton;
    h->inner += r.inner;
    if (k < h->frames && r.seconds >= h->seconds[k]) continue;
    h->seconds[k] = r.seconds;
    memcpy(h->stage[k], r.stage_seconds, sizeof h->stage[k]);
  }
  h->frames = k;
  perp_fluid_destroy(fluid);
  return k == s->frames;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void tell(bench_table *t, bench_table *shares, const subject *s, int32_t threads,
                 const history *h) {
  const int dimension = strstr(s->scene, "3d") != NULL || strstr(s->scene, "ball") != NULL ? 3 : 2;
  double sorted[MOST_FRAMES], sum = 0.0, stage[PERP_FLUID_STAGES] = {0.0}, rest;
  char text[512];
  int used = 0;
  for (int32_t k = 0; k < h->frames; k++) {
    sum += sorted[k] = h->seconds[k];
    for (int i = 0; i < PERP_FLUID_STAGES; i++) stage[i] += h->stage[k][i];
  }
  qsort(sorted, (size_t)h->frames, sizeof *sorted, by_value);
  const double frames = h->frames, substeps = (double)h->substeps;
  bench_row(t, "%s|%d^%d|%lld|%.0f|%d|%d|%.1f|%.1f/%.1f|%.2f|%.2f|%.2f|%.2f|%lld", s->scene, s->size,
            dimension, (long long)h->particles, (double)h->liquid/frames, threads, h->frames,
            substeps/frames, h->newton/substeps, h->inner/substeps, 1e3*sum/frames,
            1e3*sorted[h->frames/2], 1e3*sorted[(99*h->frames - 1)/100], 1e3*sorted[h->frames - 1],
            (long long)h->unsolved);
  rest = sum;
  for (int i = 0; i < PERP_FLUID_STAGES; i++) {
    used += snprintf(text + used, sizeof text - (size_t)used, "|%.1f", 100.0*stage[i]/sum);
    rest -= stage[i];
  }
  bench_row(shares, "%s|%d^%d|%d%s|%.1f", s->scene, s->size, dimension, threads, text,
            100.0*rest/sum);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  static const subject full[] = {
    {"dam-break-2d", 100, 300, 3, {{"width", 0.5}, {"height", 1.0}}},
    {"falling-block", 100, 300, 3, {{"width", 1.0}, {"height", 0.5}}},
    {"dam-break-3d", 48, 90, 1, {{NULL, 0.0}}}, {"falling-ball", 48, 90, 1, {{NULL, 0.0}}}};
  static const subject quick[] = {
    {"dam-break-2d", 100, 60, 1, {{"width", 0.5}, {"height", 1.0}}},
    {"falling-block", 100, 60, 1, {{"width", 1.0}, {"height", 0.5}}},
    {"dam-break-3d", 24, 30, 1, {{NULL, 0.0}}}, {"falling-ball", 24, 30, 1, {{NULL, 0.0}}}};
  bench_table *t = bench_open(&b, "frame", "a frame of a liquid, 1/60 s",
                              "scene|cells|particles|liquid cells|threads|frames|substeps a frame|"
                              "Newton/cycles a substep|mean ms|median ms|p99 ms|max ms|unsolved");
  char columns[400] = "scene|cells|threads";
  for (int i = 0; i < PERP_FLUID_STAGES; i++)
    snprintf(columns + strlen(columns), sizeof columns - strlen(columns), "|%s",
             perp_fluid_stage_name((perp_fluid_stage)i));
  strncat(columns, "|rest", sizeof columns - strlen(columns) - 1);
  bench_table *shares = bench_open(&b, "frame-stages", "percent of the time of a frame", columns);
  history *h = bench_take(1, sizeof *h);
  for (size_t k = 0; k < sizeof full/sizeof *full; k++) {
    const subject *s = b.quick ? &quick[k] : &full[k];
    for (int32_t threads = 1; threads <= THREADS; threads++) {
      int fine = 1;
      h->frames = 0;
      for (int32_t again = 0; again < s->repeats && fine; again++) fine = run(s, threads, h);
      if (fine) tell(t, shares, s, threads, h);
      else bench_note(t, "%s: %s", s->scene, perp_last_message());
    }
  }
  bench_note(t, "Real time, of each frame the fastest of %d runs in two dimensions and one in three; "
             "with what perp_fluid_step does besides its stages. All pressure to 1e-8.",
             full[0].repeats);
  bench_note(shares, "rest: the copy of the state that a step which fails would go back to, and "
             "the length of substeps.");
  bench_close(t);
  bench_close(shares);
  free(h);
  return 0;
}
