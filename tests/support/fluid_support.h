// fluid_support.h: what the tests of fluids share.
#ifndef PERP_TEST_FLUID_SUPPORT_H
#define PERP_TEST_FLUID_SUPPORT_H

#include "support.h"

#include <perp/fluid.h>

#include "state.h"

static inline perp_fluid *fluid_with(const perp_fluid_settings *s) {
  perp_fluid *f = NULL;
  if (perp_fluid_create(s, NULL, &f) != PERP_OK) fail_msg("%s", perp_last_message());
  return f;
}

static inline int32_t add(perp_fluid *f, perp_fluid_shape shape) {
  int32_t id;
  if (perp_fluid_add_solid(f, &shape, &id) != PERP_OK) fail_msg("%s", perp_last_message());
  return id;
}

static inline int64_t put(perp_fluid *f, perp_fluid_shape shape) {
  int64_t count;
  if (perp_fluid_pour(f, &shape, &count) != PERP_OK) fail_msg("%s", perp_last_message());
  return count;
}

static inline perp_fluid_report step(perp_fluid *f) {
  perp_fluid_report r;
  if (perp_fluid_step(f, &r) != PERP_OK) fail_msg("%s", perp_last_message());
  return r;
}

static inline perp_fluid_state look(const perp_fluid *f) {
  perp_fluid_state s;
  assert_int_equal(perp_fluid_read(f, &s), PERP_OK);
  return s;
}

static inline double fastest(const perp_fluid *f) {
  const perp_fluid_state s = look(f);
  double most = 0.0;
  for (int a = 0; a < f->dimension; a++)
    for (int64_t p = 0; p < s.particles; p++) most = fmax(most, fabs(s.v[a][p]));
  return most;
}

static inline double mean_of(const double *x, int64_t count) {
  double sum = 0.0;
  for (int64_t p = 0; p < count; p++) sum += x[p];
  return sum/(double)count;
}

static inline double largest_of(const double *x, int64_t count) {
  double most = -INF;
  for (int64_t p = 0; p < count; p++) most = fmax(most, x[p]);
  return most;
}

static inline void close_to(const char *what, double value, double expected, double tol) {
  if (!(fabs(value - expected) <= tol))
    fail_msg("%s = %.17g, expected %.17g within %g", what, value, expected, tol);
}

static inline void below(const char *what, double value, double limit) {
  if (!(value <= limit)) fail_msg("%s = %.17g is above %g", what, value, limit);
}

// Particles at the centres of squares (cubes) of side h/2, moved by at most jitter*h/4 each way,
// where inside(x) says so; sorted by cell. For tests of single stages.
static inline void fill(perp_fluid *f, double jitter, int (*inside)(const double *x)) {
  const int deep = f->dimension == 3, per = deep ? 8 : 4;
  const size_t room = (size_t)f->cells*(size_t)per;
  for (int a = 0; a < f->dimension; a++) {
    f->allocator.release(f->allocator.context, f->p.x[a]);
    f->allocator.release(f->allocator.context, f->p.v[a]);
    f->p.x[a] = f->allocator.allocate(f->allocator.context, room*sizeof(double));
    f->p.v[a] = f->allocator.allocate(f->allocator.context, room*sizeof(double));
    assert_true(f->p.x[a] != NULL && f->p.v[a] != NULL);
  }
  int32_t count = 0;
  for (int32_t c = 0; c < f->cells; c++) {
    const int32_t place[3] = {c%f->n[0], c/f->n[0]%f->n[1], c/f->n[0]/f->n[1]};
    f->first[c] = count;
    for (int q = 0; q < per; q++) {
      double x[3] = {0.0, 0.0, 0.0};
      for (int a = 0; a < f->dimension; a++)
        x[a] = (place[a] + 0.25 + 0.5*(q >> a & 1) + 0.25*jitter*between(-1.0, 1.0))*f->h;
      if (!inside(x)) continue;
      for (int a = 0; a < f->dimension; a++) f->p.x[a][count] = x[a], f->p.v[a][count] = 0.0;
      count++;
    }
  }
  f->first[f->cells] = count;
  f->p.count = f->p.room = count;
}

#endif
