// pivoting_problems.h: problems with known answers that every pivoting method is asked for.
#ifndef PERP_PIVOTING_PROBLEMS_H
#define PERP_PIVOTING_PROBLEMS_H

#include "support.h"

// Solves from zero (or from x) and returns the result; nothing may be NaN or outside the bounds.
static inline perp_result pivot_solve(const char *method, const sample *s,
                                      const perp_problem *problem, double *x) {
  perp_options options = perp_default_options(perp_find_method(method));
  options.time_limit = 20.0;
  perp_result result;
  if (perp_solve_once(problem, x, &options, &result) != PERP_OK)
    fail_msg("%s: %s", method, perp_last_message());
  for (int32_t i = 0; i < s->n; i++) {
    assert_true(isfinite(x[i]));
    assert_true(x[i] >= s->lo[i] && x[i] <= s->hi[i]);
  }
  return result;
}

static inline void expect_x(const char *method, sample *s, const double *answer, double precision) {
  double *x = calloc((size_t)s->n + 1, sizeof *x);
  assert_non_null(x);
  const perp_result r = pivot_solve(method, s, sample_dense(s), x);
  if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", method, r.message);
  for (int32_t i = 0; i < s->n; i++)
    if (!(fabs(x[i] - answer[i]) <= precision))
      fail_msg("%s: x[%d] = %.17g instead of %.17g", method, i, x[i], answer[i]);
  free(x);
}

// Solved by its own residual, which is computed here in long double.
static inline void expect_solved(const char *method, sample *s, int csc) {
  double *x = calloc((size_t)s->n + 1, sizeof *x), size = 0.0;
  assert_non_null(x);
  const perp_result r = pivot_solve(method, s, csc ? sample_csc(s, 0, 0) : sample_dense(s), x);
  if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", method, r.message);
  const double residual = own_residual(s, x, &size);
  if (!(residual <= 1e-7*size)) fail_msg("%s: residual %g of %g", method, residual, size);
  free(x);
}

static inline sample three_by_three(void) {
  static const double M[] = {60, 26, 37, 26, 36, 29, 37, 29, 30};
  sample s = sample_new(3);
  memcpy(s.M, M, sizeof M);
  for (int32_t i = 0; i < 3; i++) s.b[i] = -1.0;
  // rows 1 and 2 free: [36 29; 29 30] x = 1, det 239
  s.x[0] = 0.0;
  s.x[1] = 1.0/239.0;
  s.x[2] = 7.0/239.0;
  return s;
}

static inline sample fathi(int32_t n) {   // L L' of Murty's L; x = e_0
  sample s = sample_new(n);
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++)
      AT(&s, i, j) = i == j ? 4*i + 1 : 4*(i < j ? i : j) + 2;
    s.b[i] = -1.0;
  }
  s.x[0] = 1.0;
  return s;
}

static inline sample murty(int32_t n) {   // a P-matrix that is far from symmetric; x = e_{n-1}
  sample s = sample_new(n);
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = i; j < n; j++) AT(&s, i, j) = i == j ? 1.0 : 2.0;
    s.b[i] = -1.0;
  }
  s.x[n - 1] = 1.0;
  return s;
}

// Three contacts in one place: the impulses are not unique, their sum is 1.
static inline void redundant_contacts(const char *method) {
  sample s = sample_new(3);
  for (int32_t i = 0; i < 9; i++) s.M[i] = 1.0;
  for (int32_t i = 0; i < 3; i++) s.b[i] = -1.0;
  double x[4] = {0};
  const perp_result r = pivot_solve(method, &s, sample_dense(&s), x);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  assert_true(fabs(x[0] + x[1] + x[2] - 1.0) < 1e-12);
  sample_free(&s);
}

// B B' with fewer columns than rows, every kind of bounds, built around a solution. Integers make
// ties.
static inline sample semidefinite(int32_t n, int integers) {
  sample s = sample_new(n);
  const int32_t rank = whole(1, n > 1 ? n - 1 : 1);
  double *B = calloc((size_t)(n*rank) + 1, sizeof *B), *y = calloc((size_t)n + 1, sizeof *y);
  assert_true(B != NULL && y != NULL);
  for (int32_t k = 0; k < n*rank; k++) B[k] = integers ? whole(-2, 2) : between(-1, 1);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++)
      for (int32_t k = 0; k < rank; k++) AT(&s, i, j) += B[i*rank + k]*B[j*rank + k];
  for (int32_t i = 0; i < n; i++) {
    s.x[i] = integers ? whole(-2, 2) : between(-2, 2);
    y[i] = complementary(&s, i);
  }
  sample_right_side(&s, y);
  free(B);
  free(y);
  return s;
}

// B B' + I/100 + skew part: positive definite, not symmetric; half of the rows may be free.
static inline sample definite(int32_t n, double skew) {
  sample s = sample_new(n);
  double *B = calloc((size_t)(n*n) + 1, sizeof *B), *y = calloc((size_t)n + 1, sizeof *y);
  assert_true(B != NULL && y != NULL);
  for (int32_t k = 0; k < n*n; k++) B[k] = between(-1, 1);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      AT(&s, i, j) += i == j ? 0.01 : 0.0;
      for (int32_t k = 0; k < n; k++) AT(&s, i, j) += B[i*n + k]*B[j*n + k];
    }
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < i; j++) {
      const double t = skew*between(-1, 1);
      AT(&s, i, j) += t;
      AT(&s, j, i) -= t;
    }
  for (int32_t i = 0; i < n; i++) {
    s.x[i] = between(-2, 2);
    y[i] = complementary(&s, i);
  }
  sample_right_side(&s, y);
  free(B);
  free(y);
  return s;
}

static inline void sizes_nought_and_one(const char *method) {
  sample none = sample_new(0);
  expect_x(method, &none, none.x, 0.0);
  sample_free(&none);
  sample one = sample_new(1);
  AT(&one, 0, 0) = 1.0;
  one.b[0] = -9.8;
  expect_x(method, &one, (double[]){9.8}, 1e-15);
  one.b[0] = 9.8;
  expect_x(method, &one, (double[]){0.0}, 0.0);
  one.b[0] = -9.8;
  one.hi[0] = 3.0;
  expect_x(method, &one, (double[]){3.0}, 0.0);
  one.lo[0] = -INF;
  one.hi[0] = INF;
  expect_x(method, &one, (double[]){9.8}, 1e-15);
  AT(&one, 0, 0) = -1.0;                        // -x - 1 >= 0, x >= 0: no
  one.lo[0] = 0.0;
  one.b[0] = -1.0;
  double x[2] = {0};
  const perp_result r = pivot_solve(method, &one, sample_dense(&one), x);
  assert_int_not_equal(r.status, PERP_STATUS_SOLVED);
  sample_free(&one);
}

// Dominant rows, so a well-conditioned P-matrix, of several blocks in each other's way in units
// only: rows and columns scaled by anything from 2^-40 to 2^40, alike where A is to stay symmetric.
static inline void scaled_apart(const char *method, int symmetric) {
  for (int trial = 0; trial < often(1000); trial++) {
    const int32_t n = whole(1, 8), blocks = trial%4 == 0 ? 2 : 1;
    sample s = sample_new(n);
    double y[8] = {0}, answer[8], row[8], column[8];
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < i; j++) {
        if (i%blocks != j%blocks) continue;
        AT(&s, i, j) = whole(-3, 3);
        AT(&s, j, i) = symmetric ? AT(&s, i, j) : whole(-3, 3);
      }
      s.x[i] = whole(-4, 4);
      y[i] = complementary(&s, i);
    }
    for (int32_t i = 0; i < n; i++) AT(&s, i, i) = 3*n + whole(0, 3);
    sample_right_side(&s, y);
    const int apart = symmetric ? 0 : whole(-60, 60);   // of the second block
    for (int32_t i = 0; i < n; i++) {
      const int e = whole(-40, 40), f = symmetric ? e : whole(-40, 40);
      row[i] = ldexp(1.0, i%blocks ? e + apart : e);
      column[i] = ldexp(1.0, i%blocks ? f - apart : f);
      answer[i] = s.x[i];
    }
    rescale(&s, row, column, s.x);
    double x[9] = {0};
    const perp_result r = pivot_solve(method, &s, sample_dense(&s), x);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("%s, trial %d: %s", method, trial, r.message);
    for (int32_t i = 0; i < n; i++)
      if (!(fabs(x[i]*column[i] - answer[i]) <= 1e-6))
        fail_msg("%s, trial %d: x[%d] = %g, not %g", method, trial, i, x[i]*column[i], answer[i]);
    sample_free(&s);
  }
}

// A clock that shows how many columns of A have been read: none is read once the time is over,
// but for the 16 rows between two looks at the clock.
static int32_t columns_read;
static void (*add_column_behind)(const void *, int32_t, double, double *);

static void count_column(const void *self, int32_t j, double s, double *y) {
  columns_read++;
  add_column_behind(self, j, s, y);
}
static double columns_clock(void *context) {
  (void)context;
  return columns_read;
}

static inline void the_deadline_holds_while_reading(const char *method) {
  sample s = definite(200, 0.0);
  perp_problem problem = *sample_csc(&s, 0, 0);
  perp_operator_ops ops = *problem.A.ops;
  add_column_behind = ops.add_column;
  ops.add_column = count_column;
  problem.A.ops = &ops;
  perp_options options = perp_default_options(perp_find_method(method));
  options.presolve = 0;   // which would copy A
  options.time_limit = 50.0;
  options.clock = columns_clock;
  double *x = calloc((size_t)s.n, sizeof *x);
  assert_non_null(x);
  perp_result r;
  columns_read = 0;
  assert_int_equal(perp_solve_once(&problem, x, &options, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_TIME_LIMIT);
  assert_true(columns_read > 0 && columns_read <= 66);
  free(x);
  sample_free(&s);
}

// Memory comes with what somebody left there. Where the time is over before all of A has been read,
// nothing depends on it: neither the answer nor how much work follows.
static inline void *filled_allocate(void *fill, size_t bytes) {
  void *memory = malloc(bytes);
  if (memory != NULL) memset(memory, *(int *)fill, bytes);
  return memory;
}
static inline void filled_release(void *fill, void *memory) {
  (void)fill;
  free(memory);
}
static inline double counted_looks(void *context) { return *(double *)context += 1.0; }

static inline void what_was_not_read_is_not_used(const char *method) {
  sample s = definite(16, 0.0);
  const perp_problem *problem = sample_dense(&s);
  const perp_limits limits = perp_limits_of(problem);
  for (int limit = 1; limit <= 40; limit++) {
    double x[2][17] = {{0.0}}, looks[2] = {0.0};
    for (int k = 0; k < 2; k++) {
      int fill = k == 0 ? 0x00 : 0xFF;   // 0, NAN
      const perp_allocator a = {filled_allocate, filled_release, &fill};
      perp_options options = perp_default_options(perp_find_method(method));
      options.presolve = options.split = 0;
      options.time_limit = limit;
      options.clock = counted_looks;
      options.clock_context = &looks[k];
      perp_solver *solver;
      assert_int_equal(perp_solver_create(options.method, &limits, &options, &a, &solver), PERP_OK);
      perp_result r;
      assert_int_equal(perp_solve(solver, problem, x[k], &r), PERP_OK);
      perp_solver_destroy(solver);
    }
    assert_true(looks[0] == looks[1]);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
  }
  sample_free(&s);
}

static inline void known_answers(const char *method, double precision, int with_murty) {
  sample s = three_by_three();
  expect_x(method, &s, s.x, precision);
  sample_free(&s);
  for (int32_t n = 1; n <= 12; n++)
    for (int which = 0; which <= with_murty; which++) {
      s = which ? murty(n) : fathi(n);
      expect_x(method, &s, s.x, 1e-9);
      sample_free(&s);
    }
  sizes_nought_and_one(method);
  redundant_contacts(method);
}

// A problem of the gallery is solved within `limit` iterations, by a residual computed here.
static inline void solves_sample(const char *method, const perp_sample *s, int32_t limit) {
  double *x = calloc((size_t)s->n, sizeof *x), size = 0.0;
  assert_non_null(x);
  perp_options options = perp_default_options(perp_find_method(method));
  options.iteration_limit = limit;
  perp_result r;
  assert_int_equal(perp_solve_once(&s->problem, x, &options, &r), PERP_OK);
  if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", s->note, r.message);
  assert_true(csc_residual(&s->csc, s->b, s->lo, s->hi, x, &size) <= 1e-7*size);
  free(x);
}

#endif
