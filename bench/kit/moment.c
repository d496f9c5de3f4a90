// moment.c: see moment.h.
#include "moment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { MOST_PARAMETERS = 64 };

static int fill(const scene *what, int32_t size, int32_t threads, scene_pool *pool) {
  double values[MOST_PARAMETERS];
  for (int32_t i = 0; i < what->parameter_count; i++) values[i] = what->parameters[i].initial;
  values[scene_parameter(what, "size")] = size;
  if (scene_fill(what, values, 1, pool) != PERP_OK) return 0;
  pool->settings.threads = threads;
  return 1;
}

static double *copy(const double *from, size_t count) {
  double *to = bench_take(count, sizeof *to);
  memcpy(to, from, count*sizeof *to);
  return to;
}

int moment_take(const scene *what, int32_t size, double seconds, int32_t threads, moment *m) {
  scene_pool pool;
  perp_fluid *fluid;
  perp_fluid_report r = {0};
  *m = (moment){.what = what};
  if (!fill(what, size, threads, &pool) || scene_fluid(&pool, NULL, &fluid) != PERP_OK) return 0;
  int fine = 1;
  while (fine && r.time < seconds - 1e-9) fine = perp_fluid_step(fluid, &r) == PERP_OK;
  perp_fluid_state state;
  if (fine && perp_fluid_read(fluid, &state) == PERP_OK) {
    const int32_t *n = memcpy(m->n, state.cells, sizeof m->n);
    m->dimension = pool.settings.dimension;
    m->h = state.spacing;
    m->time = r.time;
    m->surface = copy(state.surface, (size_t)n[0]*(size_t)n[1]*(size_t)n[2]);
    for (int a = 0; a < m->dimension; a++) {
      const size_t faces = (size_t)(n[0] + (a == 0))*(size_t)(n[1] + (a == 1))*
                           (size_t)(n[2] + (a == 2));
      m->u[a] = copy(state.u[a], faces);
      for (size_t i = 0; i < faces; i++) m->fastest = fmax(m->fastest, fabs(m->u[a][i]));
    }
  }
  perp_fluid_destroy(fluid);
  return fine;
}

void moment_free(moment *m) {
  free(m->surface);
  for (int a = 0; a < 3; a++) free(m->u[a]);
  *m = (moment){0};
}

// Linear between the entries of a field: those of faces across a, or of cells (a = -1). Constant
// beyond the outermost.
static double field_at(const moment *m, const double *field, int a, const double x[3]) {
  int32_t at = 0, stride = 1, step[3] = {0, 0, 0};
  double t[3] = {0.0, 0.0, 0.0};
  for (int d = 0; d < m->dimension; d++) {
    const int32_t entries = m->n[d] + (a == d);
    const double g = fmin(fmax(x[d]/m->h - (a == d ? 0.0 : 0.5), 0.0), entries - 1);
    const int32_t i = g < entries - 1 ? (int32_t)g : entries - 2;
    t[d] = g - i;
    at += i*stride;
    step[d] = stride;
    stride *= entries;
  }
  double sum = 0.0;
  for (int k = 0; k < 1 << m->dimension; k++) {
    double weight = 1.0;
    int32_t entry = at;
    for (int d = 0; d < m->dimension; d++) {
      weight *= k >> d & 1 ? t[d] : 1.0 - t[d];
      entry += (k >> d & 1)*step[d];
    }
    sum += weight*field[entry];
  }
  return sum;
}

static double distance(void *context, const double x[3], double time) {
  (void)time;
  const moment *m = context;
  return field_at(m, m->surface, -1, x);
}

// Liquid at rest gets its velocities within a step by an acceleration of velocity/step.
static void force(void *context, const double x[3], double time, double acceleration[3]) {
  (void)time;
  const moment *m = context;
  for (int a = 0; a < m->dimension && m->lift > 0.0; a++)
    acceleration[a] = m->lift*field_at(m, m->u[a], a, x) - m->gravity[a];
}

int moment_fluid(moment *m, int32_t size, double step, int32_t threads, perp_fluid **fluid) {
  scene_pool pool;
  perp_fluid_report r;
  *fluid = NULL;
  if (!fill(m->what, size, threads, &pool)) return 0;
  perp_fluid_shape liquid = perp_fluid_sphere(0.0, 0.0, 0.0, 1.0);
  liquid.kind = PERP_FLUID_CUSTOM;
  liquid.distance = distance;
  liquid.context = m;
  pool.pour[0] = liquid;
  pool.pours = 1;
  pool.settings.step = step;
  pool.settings.force = force;
  pool.settings.context = m;
  memcpy(m->gravity, pool.settings.gravity, sizeof m->gravity);
  if (scene_fluid(&pool, NULL, fluid) != PERP_OK) return 0;
  m->lift = 1.0/step;
  const int fine = perp_fluid_step(*fluid, &r) == PERP_OK;
  m->lift = 0.0;
  if (fine) return 1;
  perp_fluid_destroy(*fluid);
  return 0;
}
