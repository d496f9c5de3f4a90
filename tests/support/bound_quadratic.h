// bound_quadratic.h: convex quadratics over boxes with known minima, for the tests of the methods
// that lower phi(x) = x'A x/2 + b'x.
#ifndef PERP_TEST_BOUND_QUADRATIC_H
#define PERP_TEST_BOUND_QUADRATIC_H

#include "counting.h"
#include "support.h"

// Symmetric A = G'G + shift I with about `links` entries a row of G; x known, bounds of every kind.
static inline sample quadratic(int32_t n, int links, double shift) {
  sample s = sample_new(n);
  double y[400];
  assert_true(n <= 400);
  for (int32_t k = 0; k < n; k++) {
    int32_t at[8];
    double g[8];
    for (int c = 0; c < links; c++) {
      at[c] = whole(0, n - 1);
      g[c] = between(-1, 1);
    }
    for (int c = 0; c < links; c++)
      for (int d = 0; d < links; d++) AT(&s, at[c], at[d]) += g[c]*g[d];
    AT(&s, k, k) += shift;
  }
  for (int32_t i = 0; i < n; i++)   // the sums above are rounded in two orders
    for (int32_t j = 0; j < i; j++) AT(&s, i, j) = AT(&s, j, i);
  for (int32_t i = 0; i < n; i++) {
    s.x[i] = between(-1, 2);
    y[i] = complementary(&s, i);
  }
  sample_right_side(&s, y);
  return s;
}

static inline double farthest(const sample *s, const double *x) {   // from the known x
  double far = 0.0;
  for (int32_t i = 0; i < s->n; i++) far = fmax(far, fabs(x[i] - s->x[i]));
  return far;
}

static inline perp_result solved_by(const perp_options *o, const perp_problem *p, double *x) {
  perp_result r;
  const perp_error error = perp_solve_once(p, x, o, &r);
  if (error != PERP_OK) fail_msg("%s", perp_last_message());
  return r;
}

// settings: "nx=100 ny=100"; the rest at its default
static inline void generated(perp_sample *g, const char *family, const char *settings,
                             uint64_t seed) {
  const perp_family *f = perp_find_family(family);
  double values[32];
  for (int32_t k = 0; k < f->parameter_count; k++) {
    const char *at = strstr(settings, f->parameters[k].name);
    const size_t length = strlen(f->parameters[k].name);
    values[k] = at != NULL && at[length] == '=' ? strtod(at + length + 1, NULL)
                                                : f->parameters[k].initial;
  }
  if (perp_generate(f, values, seed, g) != PERP_OK) fail_msg("%s", perp_last_message());
}

static inline double phi_of(const perp_sample *g, const double *x) {
  long double sum = 0.0L;
  for (int32_t j = 0; j < g->n; j++) {
    sum += (long double)g->b[j]*x[j];
    for (int32_t p = g->colptr[j]; p < g->colptr[j + 1]; p++)
      sum += 0.5L*x[g->row[p]]*g->value[p]*x[j];
  }
  return (double)sum;
}

// Problems without rows, and with one row: x - 9.8 = 0, whose x is off by less than tol.
static inline void nothing_and_one_are_solved(const perp_options *o, double tol) {
  double x[1] = {0};
  sample s = sample_new(0);
  assert_int_equal(solved_by(o, sample_csc(&s, 0, 0), x).status, PERP_STATUS_SOLVED);
  sample_free(&s);
  s = sample_new(1);
  AT(&s, 0, 0) = 1.0;
  s.b[0] = -9.8;
  assert_int_equal(solved_by(o, sample_csc(&s, 0, 0), x).status, PERP_STATUS_SOLVED);
  assert_true(fabs(x[0] - 9.8) < tol);
  sample_free(&s);
}

// The k-th request for memory fails, for every k: an error, or a result, and nothing is lost.
static inline void every_allocation_may_fail(const perp_problem *p, perp_options o) {
  double *x = calloc((size_t)p->A.n + 1, sizeof *x);
  assert_non_null(x);
  for (int64_t at = 1;; at++) {
    counter c = {.fail_at = at};
    const perp_allocator allocator = {counted_allocate, counted_release, &c};
    const perp_limits limits = perp_limits_of(p);
    perp_solver *solver = NULL;
    perp_result r;
    perp_error error = perp_solver_create(o.method, &limits, &o, &allocator, &solver);
    for (int32_t i = 0; i < p->A.n; i++) x[i] = 0.0;
    if (error == PERP_OK) error = perp_solve(solver, p, x, &r);
    perp_solver_destroy(solver);
    assert_int_equal(c.live, 0);
    if (c.requests < at) {
      assert_int_equal(error, PERP_OK);
      assert_int_equal(r.status, PERP_STATUS_SOLVED);
      assert_true(at > 5);
      break;
    }
    if (error != PERP_OK) assert_int_equal(error, PERP_ERROR_MEMORY);
  }
  free(x);
}

static inline double advancing_clock(void *context) {   // a millisecond passes with every look
  return *(double *)context += 1e-3;
}
static inline double still_clock(void *context) { return *(double *)context; }

// From 0 with limits up to `longest`, too short for an end: at most `late` seconds of looks at the
// clock too many, x within its bounds, and no worse than what there was before a factorisation that
// was cut off.
static inline void limits_are_kept(const perp_sample *g, perp_options o, double longest,
                                   double late) {
  double *x = calloc((size_t)g->n, sizeof *x), now = 0.0;
  assert_non_null(x);
  o.clock = advancing_clock;
  o.clock_context = &now;
  for (o.time_limit = 0.002; o.time_limit < longest; o.time_limit *= 1.5) {
    now = 0.0;
    memset(x, 0, (size_t)g->n*sizeof *x);
    const perp_result r = solved_by(&o, &g->problem, x);
    assert_int_equal(r.status, PERP_STATUS_TIME_LIMIT);
    assert_true(now <= o.time_limit + late);
    for (int32_t i = 0; i < g->n; i++)
      assert_true(isfinite(x[i]) && (g->lo == NULL || x[i] >= g->lo[i]));
    assert_true(r.certificate.residual <= (o.time_limit < 0.02 ? 1.0 : 0.9));
  }
  free(x);
}

#endif
