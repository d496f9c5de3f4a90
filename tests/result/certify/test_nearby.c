// test_nearby.c: an x within the tolerances is refused where no solution is near it, and never where
// one is.
// labels: long
#include <perp/method.h>

#include "support.h"

// The third row is nearly minus the sum of the others: x_2 = 0 leaves y_2 = -4e-10, and x_2 > 0
// makes a system without a solution. Whole numbers, so nothing of this is rounding.
static const double A3[] = {-1, -100001, -99999, 100001, -99999, -99999, -99999, 199999, 199997};
static const double b3[] = {4, 0, -4};
static const double lo3[] = {-INFINITY, -INFINITY, 0};

static void a_contradiction_below_the_tolerance_is_not_solved(void **state) {
  (void)state;
  const perp_dense D = {.n = 3, .value = A3};
  const perp_problem p = {.A = perp_from_dense(&D, 0), .b = b3, .lo = lo3};
  perp_options o = perp_default_options(NULL);
  perp_result r;
  double x[3] = {0};
  o.componentwise_tol = INF;                      // no such rule
  assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  assert_true(r.certificate.residual > 1e-11 && r.certificate.residual < 1e-9);
  assert_int_equal(r.certificate.refuted, 0);
  perp_certificate c;
  assert_int_equal(perp_certify(&p, x, 1e-8, 0.0, NULL, &c), PERP_OK);
  assert_false(c.solved);
  assert_int_equal(c.refuted, 1);
  assert_int_equal(perp_certify(&p, x, 1e-8, 1e-6, NULL, &c), PERP_OK);   // the caller bears 1e-6
  assert_true(c.solved && !c.refuted);
  assert_int_equal(perp_certify(&p, x, 1e-6, 0.0, NULL, &c), PERP_OK);    // the rule is off
  assert_true(c.solved && !c.refuted);
  for (int32_t k = 0; k < perp_method_count(); k++) {
    double z[3] = {x[0], x[1], x[2]};             // with that x as the guess, too
    const perp_options defaults = perp_default_options(perp_method_at(k));
    const perp_error error = perp_solve_once(&p, z, &defaults, &r);
    if (error == PERP_ERROR_UNSUPPORTED) continue;
    assert_int_equal(error, PERP_OK);
    // At |x| = 20 the last bits of A x are as large as the contradiction: rounding explains it there.
    if (r.status == PERP_STATUS_SOLVED && fabs(z[2]) < 1.0)
      fail_msg("%s: residual %g at x = (%g, %g, %g): %s", perp_method_at(k)->name,
               r.certificate.residual, z[0], z[1], z[2], r.message);
    if (r.certificate.refuted && !strstr(r.message, "no solution is near it"))
      fail_msg("%s: %s", perp_method_at(k)->name, r.message);
  }
}

// Built around a solution, which x misses by a part of 1e-9 of its size. Rows depend on each other,
// many x_i = y_i = 0, and the units differ.
// The same three rows beside a chain of many, with a zero stored in column 0 for each of those: rows of
// another component, which have no place among the three.
static void stored_zeros_join_nothing(void **state) {
  (void)state;
  enum { N = 100003 };
  int32_t *colptr = calloc(N + 1, sizeof *colptr), *row = calloc(5*N, sizeof *row), count = 0;
  double *value = calloc(5*N, sizeof *value), *b = calloc(N, sizeof *b), *x = calloc(N, sizeof *x);
  double *lo = calloc(N, sizeof *lo);
  assert_true(colptr != NULL && row != NULL && value != NULL && b != NULL && x != NULL && lo != NULL);
  for (int32_t j = 0; j < N; j++) {
    colptr[j] = count;
    for (int32_t i = 0; j < 3 && i < 3; i++) {
      row[count] = i;
      value[count++] = A3[3*i + j];
    }
    for (int32_t i = 3; j == 0 && i < N; i++) {
      row[count] = i;
      value[count++] = 0.0;
    }
    for (int32_t i = j - 1; j >= 3 && i <= j + 1; i++) {
      if (i < 3 || i >= N) continue;
      row[count] = i;
      value[count++] = i == j ? 4.0 : -1.0;
      b[i] -= i == j ? 4.0 : -1.0;
    }
    x[j] = 1.0;
  }
  colptr[N] = count;
  const perp_dense D = {.n = 3, .value = A3};
  const perp_problem alone = {.A = perp_from_dense(&D, 0), .b = b3, .lo = lo3};
  perp_options o = perp_default_options(NULL);
  o.componentwise_tol = INF;
  perp_result r;
  for (int i = 0; i < 3; i++) {
    b[i] = b3[i];
    lo[i] = lo3[i];
    x[i] = 0.0;
  }
  assert_int_equal(perp_solve_once(&alone, x, &o, &r), PERP_OK);
  const perp_csc A = {N, N, colptr, row, value};
  const perp_problem p = {.A = perp_from_csc(&A, 0), .b = b, .lo = lo};
  perp_certificate c;
  assert_int_equal(perp_certify(&p, x, 1e-8, 0.0, NULL, &c), PERP_OK);
  assert_true(c.residual <= 1e-8 && c.refuted && !c.solved);
  void *const all[] = {colptr, row, value, b, x, lo};
  for (size_t k = 0; k < sizeof all/sizeof *all; k++) free(all[k]);
}

static void no_x_near_a_solution_is_refused(void **state) {
  (void)state;
  int passed = 0, above_rounding = 0;
  support_state = 31;
  for (int trial = 0; trial < often(fewer(20000)); trial++) {
    const int32_t n = whole(1, trial%8 == 0 ? 16 : 5);
    const int large = trial%3 == 0 ? 100000 : 0, ties = whole(0, 60), empty = whole(0, 60);
    sample s = sample_new(n);
    double y[16];
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++)
        AT(&s, i, j) = whole(0, 99) < empty ? 0.0
                       : (whole(0, 1) ? 1 : -1)*(double)((whole(0, 3) ? large : 0) + whole(-3, 3));
    if (n > 1 && whole(0, 1))                     // the last row is a multiple of the first
      for (int32_t j = 0; j < n; j++) AT(&s, n - 1, j) = (trial%2 ? 1 : -2)*AT(&s, 0, j);
    for (int32_t i = 0; i < n; i++) {
      const int kind = whole(0, 3);               // 0: free, 1: between bounds, 2, 3: at a bound
      s.lo[i] = kind == 0 ? -INF : whole(-3, 1);
      s.hi[i] = kind == 1 || whole(0, 2) == 0 ? (s.lo[i] > -INF ? s.lo[i] : 0) + whole(4, 6) : INF;
      s.x[i] = kind == 0 || kind == 1 ? (s.lo[i] > -INF ? s.lo[i] : -4) + whole(0, 4) : s.lo[i];
      y[i] = kind > 1 && whole(0, 99) >= ties ? whole(1, 1000) : 0;
      if (kind == 0 && s.x[i] > s.hi[i]) s.x[i] = s.hi[i];
    }
    for (int32_t i = 0; i < n; i++) {
      s.b[i] = y[i];
      for (int32_t j = 0; j < n; j++) s.b[i] -= AT(&s, i, j)*s.x[j];
    }
    const double off = pow(10.0, -whole(9, 12));
    for (int32_t i = 0; i < n; i++) {
      const double z = s.x[i] + off*between(-1, 1)*(whole(0, 2) ? 1.0 : 0.0);
      s.x[i] = z < s.lo[i] ? s.lo[i] : z > s.hi[i] ? s.hi[i] : z;
    }
    if (whole(0, 1))                              // other units
      for (int32_t i = 0; i < n; i++) {
        const double row = ldexp(1.0, whole(-20, 20)), column = ldexp(1.0, whole(-20, 20));
        for (int32_t j = 0; j < n; j++) {
          AT(&s, i, j) *= row;
          AT(&s, j, i) *= column;
        }
        s.b[i] *= row;
        s.x[i] /= column;
        s.lo[i] /= column;
        s.hi[i] /= column;
      }
    const perp_problem *p = whole(0, 1) ? sample_dense(&s) : sample_csc(&s, 0, 0);
    perp_certificate c;
    assert_int_equal(perp_certify(p, s.x, 1e-8, 0.0, NULL, &c), PERP_OK);
    passed += c.solved;
    above_rounding += c.solved && c.residual > 1e-11;
    if (c.refuted) fail_msg("trial %d, n = %d, residual %g: refuted", trial, (int)n, c.residual);
    sample_free(&s);
  }
  if (getenv("PERP_SHOW")) printf("%d passed, %d above rounding\n", passed, above_rounding);
  assert_true(passed > 1000 && above_rounding > 500);
}

// A chain with b over 15 orders of magnitude: pgs stops where many assignments are near, and those that
// they lead to are more than are kept. Sanitizers watch that none beyond is read.
static void more_assignments_than_are_kept(void **state) {
  (void)state;
  enum { N = 16 };
  static const double b[N] = {-1e4, 0, 0, -200, -4e-6, 4e8, -2e-6, 0.03, -3e-3, -4e-7, 0, -30, 4e8, 2e7,
                              400, 4e8};
  static const double hi[N] = {3, INF, INF, INF, INF, INF, INF, 0, 3, INF, INF, 2, 0, INF, INF, 3};
  sample s = sample_new(N);
  for (int32_t i = 0; i < N; i++) {
    for (int32_t j = 0; j < N; j++) AT(&s, i, j) = i == j ? 2 : i - j == 1 || j - i == 1 ? -1 : 0;
    s.b[i] = b[i];
    s.hi[i] = hi[i];
  }
  s.lo[5] = -INF;
  const perp_problem *p = sample_csc(&s, 0, 0);
  const perp_options o = perp_default_options(perp_find_method("pgs"));
  perp_result r;
  perp_certificate c;
  double x[N] = {0};
  assert_int_equal(perp_solve_once(p, x, &o, &r), PERP_OK);
  assert_int_equal(perp_certify(p, x, o.tol, 0.0, NULL, &c), PERP_OK);
  assert_int_equal(r.status == PERP_STATUS_SOLVED, c.solved);
  sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_contradiction_below_the_tolerance_is_not_solved),
      cmocka_unit_test(stored_zeros_join_nothing),
      cmocka_unit_test(more_assignments_than_are_kept),
      cmocka_unit_test(no_x_near_a_solution_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
