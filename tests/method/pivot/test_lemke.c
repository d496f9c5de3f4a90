// test_lemke.c: Lemke's method: exact pivot counts, rays told as rays, bounds, singular free
// blocks, friction, both kinds of basis.
#include "support.h"

#include <time.h>

#include "gallery_sample.h"

static perp_options lemke_options(void) { return perp_default_options(perp_find_method("lemke")); }

static perp_result solve_with(const perp_problem *p, const perp_options *o, double *x) {
  perp_result r;
  memset(&r, 0, sizeof r);
  if (perp_solve_once(p, x, o, &r) != PERP_OK) fail_msg("%s", perp_last_message());
  return r;
}

// Solved, and so by the test's own arithmetic.
static void check_solved(sample *s, const perp_options *o, const char *what) {
  double *x = calloc((size_t)s->n + 1, sizeof *x), size;
  assert_non_null(x);
  const perp_result r = solve_with(&s->problem, o, x);
  if (r.status != PERP_STATUS_SOLVED) fail_msg("%s, n = %d: %s", what, s->n, r.message);
  assert_true(own_residual(s, x, &size) <= 1e-6*(1.0 + size));
  free(x);
}

static void one_variable(void **state) {
  (void)state;
  const struct { double a, b, x; perp_status status; } cases[] = {
      {1, -9.8, 9.8, PERP_STATUS_SOLVED},
      {1, 3, 0, PERP_STATUS_SOLVED},
      {-1, 2, 0, PERP_STATUS_SOLVED},   // 2 is a solution, too
      {-1, -1, 0, PERP_STATUS_RAY},
  };
  for (size_t k = 0; k < sizeof cases/sizeof cases[0]; k++) {
    const perp_dense d = {.n = 1, .value = &cases[k].a};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = &cases[k].b};
    perp_options o = lemke_options();
    o.presolve = 0;
    for (o.pivot.crash = 0; o.pivot.crash < 2; o.pivot.crash++) {
      double x = 0.0;
      const perp_result r = solve_with(&p, &o, &x);
      if (k < 3) {
        assert_int_equal(r.status, PERP_STATUS_SOLVED);
        assert_true(fabs(x - cases[k].x) < 1e-12 || (k == 2 && fabs(x - 2.0) < 1e-12));
      } else {   // -x - 1 >= 0 has no x >= 0: a ray, or its proof
        assert_true(r.status == PERP_STATUS_RAY || r.status == PERP_STATUS_INFEASIBLE);
      }
    }
  }
  const perp_dense none = {.n = 0};
  const perp_problem empty = {.A = perp_from_dense(&none, 0)};
  const perp_options o = lemke_options();
  double x = 0.0;
  assert_int_equal(solve_with(&empty, &o, &x).status, PERP_STATUS_SOLVED);
}

// 2^n - 1 pivots after z0 has entered; an iteration is such a pivot.
static void murtys_family_takes_exponentially_many_pivots(void **state) {
  (void)state;
  for (int32_t n = 1; n <= 14; n++) {
    perp_sample *s = make_with("murty", 1, "n", (double)n, "variant", 1.0, NULL);
    perp_options o = lemke_options();
    o.presolve = o.scale = 0;
    o.split = PERP_SPLIT_NO;
    o.pivot.crash = o.pivot.harris = 0;
    for (o.pivot.basis = PERP_BASIS_DENSE; o.pivot.basis <= PERP_BASIS_SPARSE; o.pivot.basis++) {
      if (o.pivot.basis == PERP_BASIS_SPARSE && n > 9) break;
      double x[14] = {0};
      const perp_result r = solve_with(&s->problem, &o, x);
      assert_int_equal(r.status, PERP_STATUS_SOLVED);
      assert_int_equal(r.iterations, (1 << n) - 1);
      assert_true(fabs(x[n - 1] - ldexp(1.0, n)) < 1e-6);
    }
    drop(s);
  }
}

// [[0,1],[0,0]], b = (-1,1): feasible, and x_2 > 0 would need y_2 = 1 = 0.
static void feasible_but_unsolvable_is_a_ray(void **state) {
  (void)state;
  const double M[] = {0, 1, 0, 0}, b[] = {-1, 1};
  const perp_dense d = {.n = 2, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  perp_options o = lemke_options();
  o.presolve = 0;
  double x[2] = {0};
  const perp_result r = solve_with(&p, &o, x);
  assert_int_equal(r.status, PERP_STATUS_RAY);
  assert_non_null(strstr(r.message, "proves nothing"));
}

// x_1 - x_2 - 1 >= 0 and x_2 - x_1 - 1 >= 0 cannot both be: u = (1, 1).
static void an_infeasible_semidefinite_problem_is_proved_so(void **state) {
  (void)state;
  const double M[] = {1, -1, -1, 1}, b[] = {-1, -1};
  const perp_dense d = {.n = 2, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  perp_options o = lemke_options();
  double x[2] = {0}, u[2] = {0};
  o.farkas = u;
  assert_int_equal(solve_with(&p, &o, x).status, PERP_STATUS_INFEASIBLE);
  assert_true(u[0] > 0.0 && fabs(u[0] - u[1]) <= 1e-12*u[0]);
}

// Kostreva 1979, example 2: without a rule for ties Lemke's method goes round in circles. Row 3,
// -x_1 - 2 x_2 - 1 >= 0, has no solution.
static void kostrevas_example_ends(void **state) {
  (void)state;
  const double M[] = {1, -1, 3, 2, -1, 3, -1, -2, 0}, b[] = {-1, -1, -1};
  const perp_dense d = {.n = 3, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  perp_options o = lemke_options();
  o.presolve = 0;
  for (o.pivot.harris = 0; o.pivot.harris < 2; o.pivot.harris++)
    for (o.pivot.crash = 0; o.pivot.crash < 20; o.pivot.crash += 10) {
      double x[3] = {0};
      const perp_result r = solve_with(&p, &o, x);
      assert_true(r.status == PERP_STATUS_RAY || r.status == PERP_STATUS_INFEASIBLE);
      assert_true(r.iterations < 200);
    }
}

// Circulant P-matrices on which Newton's method and plain principal pivoting cycle: x = 1/3.
static void a_cycle_of_three_is_solved(void **state) {
  (void)state;
  const double M[] = {1, 2, 0, 0, 1, 2, 2, 0, 1}, b[] = {-1, -1, -1};
  const perp_dense d = {.n = 3, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  perp_options o = lemke_options();
  for (o.pivot.harris = 0; o.pivot.harris < 2; o.pivot.harris++) {
    double x[3] = {0};
    assert_int_equal(solve_with(&p, &o, x).status, PERP_STATUS_SOLVED);
    for (int i = 0; i < 3; i++) assert_true(fabs(x[i] - 1.0/3) < 1e-9);
  }
}

static void positive_definite(sample *s) {   // and not symmetric
  symmetric_definite(s);
  for (int32_t i = 0; i < s->n; i++)
    for (int32_t j = 0; j < i; j++) {
      const double skew = between(-1, 1);
      AT(s, i, j) += skew;
      AT(s, j, i) -= skew;
    }
}

// Any bounds, any starts, either basis.
static void positive_definite_problems_with_any_bounds_are_solved(void **state) {
  (void)state;
  for (int trial = 0; trial < often(120); trial++) {
    sample s = sample_new(whole(1, 30));
    positive_definite(&s);
    double *y = calloc((size_t)s.n + 1, sizeof *y);
    assert_non_null(y);
    for (int32_t i = 0; i < s.n; i++) s.x[i] = between(-2, 2);
    for (int32_t i = 0; i < s.n; i++) y[i] = complementary(&s, i);
    sample_right_side(&s, y);
    sample_csc(&s, 0, 0);
    perp_options o = lemke_options();
    o.presolve = whole(0, 1);
    o.pivot.basis = whole(PERP_BASIS_DENSE, PERP_BASIS_SPARSE);
    o.pivot.cover = whole(0, 2);
    o.pivot.crash = whole(0, 1)*10;
    o.pivot.harris = whole(0, 1);
    o.pivot.refactor = whole(1, 40);
    check_solved(&s, &o, "positive definite");
    free(y);
    sample_free(&s);
  }
}

// Whole numbers: many ties, degenerate vertices, duplicated rows.
static void degenerate_semidefinite_problems_are_solved(void **state) {
  (void)state;
  for (int trial = 0; trial < often(200); trial++) {
    sample s = sample_new(whole(1, 12));
    const int32_t n = s.n, rank = whole(1, n);
    int G[144];
    for (int k = 0; k < n*rank; k++) G[k] = whole(-1, 1);
    double y[12];
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n; j++)
        for (int32_t k = 0; k < rank; k++) AT(&s, i, j) += G[i*rank + k]*G[j*rank + k];
      s.x[i] = whole(0, 1)*whole(0, 2);
      y[i] = s.x[i] > 0 ? 0 : whole(0, 1);
    }
    sample_right_side(&s, y);
    sample_csc(&s, 0, 0);
    perp_options o = lemke_options();
    o.presolve = 0;
    o.pivot.basis = whole(PERP_BASIS_DENSE, PERP_BASIS_SPARSE);
    o.pivot.crash = whole(0, 1)*10;
    o.pivot.harris = whole(0, 1);
    check_solved(&s, &o, "semidefinite, ties");
    sample_free(&s);
  }
}

// KKT systems of convex quadratic programs, Q x - B'l >= 0 at x >= 0 and B x = c: the free block is
// zero.
static void a_zero_free_block_is_no_obstacle(void **state) {
  (void)state;
  for (int trial = 0; trial < often(100); trial++) {
    const int32_t m = whole(1, 5), k = m + whole(1, 8), n = k + m;
    sample s = sample_new(n), Q = sample_new(k);
    symmetric_definite(&Q);
    double y[20];
    for (int32_t i = 0; i < k; i++) {
      for (int32_t j = 0; j < k; j++) AT(&s, i, j) = trial%3 == 0 ? 0.0 : AT(&Q, i, j);
      for (int32_t j = k; j < n; j++) AT(&s, j, i) = -(AT(&s, i, j) = whole(-2, 2));
      s.x[i] = uniform() < 0.5 ? 0.0 : between(0, 2);
      y[i] = s.x[i] > 0 ? 0.0 : uniform();
    }
    for (int32_t j = k; j < n; j++) {
      s.lo[j] = -INF;
      s.x[j] = between(-1, 1);
      y[j] = 0.0;
    }
    sample_right_side(&s, y);
    sample_csc(&s, 0, 0);
    perp_options o = lemke_options();
    o.presolve = 0;
    o.pivot.basis = whole(PERP_BASIS_DENSE, PERP_BASIS_SPARSE);
    check_solved(&s, &o, "KKT");
    sample_free(&s);
    sample_free(&Q);
  }
}

// Free rows that depend on each other: consistent ones are solved, others proved impossible.
static void dependent_free_rows(void **state) {
  (void)state;
  const double M[] = {1, 1, 0, 1, 1, 0, 0, 1, 1}, lo[] = {-INF, -INF, 0};
  const perp_dense d = {.n = 3, .value = M};
  double b[] = {-2, -2, -1}, x[3] = {0};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo};
  perp_options o = lemke_options();
  o.presolve = 0;
  assert_int_equal(solve_with(&p, &o, x).status, PERP_STATUS_SOLVED);
  assert_true(fabs(x[0] + x[1] - 2.0) < 1e-9);
  b[1] = -3;   // x_1 + x_2 = 2 and = 3
  assert_int_equal(solve_with(&p, &o, x).status, PERP_STATUS_INFEASIBLE);
}

static void friction_problems_are_solved_with_either_basis(void **state) {
  (void)state;
  const double bodies[] = {4, 10, 22, 40};
  for (int k = 0; k < 4; k++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      perp_sample *s = make_with("friction", seed, "bodies", bodies[k], NULL);
      double *x = calloc((size_t)s->n + 1, sizeof *x), size;
      assert_non_null(x);
      const perp_csc A = {s->n, s->n, s->colptr, s->row, s->value};
      for (int crash = 0; crash < 40; crash += 20)
        for (int basis = PERP_BASIS_DENSE; basis <= PERP_BASIS_SPARSE; basis++) {
          if (basis == PERP_BASIS_DENSE && k == 3) continue;
          perp_options o = lemke_options();
          o.pivot.basis = basis;
          o.pivot.crash = crash;
          memset(x, 0, (size_t)s->n*sizeof *x);
          const perp_result r = solve_with(&s->problem, &o, x);
          if (r.status != PERP_STATUS_SOLVED) fail_msg("%g bodies: %s", bodies[k], r.message);
          assert_true(csc_residual(&A, s->b, s->lo, s->hi, x, &size) <= 1e-7*(1.0 + size));
        }
      free(x);
      drop(s);
    }
}

// The path from the first crash ends on a ray here. A second crash saves the plain start, which takes
// three times the pivots.
static void a_second_crash_saves_the_plain_start(void **state) {
  (void)state;
  perp_sample *s = make_with("friction", 6, "bodies", 60.0, NULL);
  double *x = calloc((size_t)s->n + 1, sizeof *x);
  assert_non_null(x);
  const perp_options o = lemke_options();
  const perp_result r = solve_with(&s->problem, &o, x);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  if (r.iterations >= 400) fail_msg("%d pivots", r.iterations);
  free(x);
  drop(s);
}

// A linear solver of the caller's own that refuses every third kernel: our LU takes over there.
static int32_t kernels, refused;

static int refusing_update(void *self, const uint8_t *is_free, const perp_deadline *deadline) {
  if (++kernels%3 == 0) {
    refused++;
    return 1;
  }
  return perp_find_linear("sparse_lu")->update(self, is_free, deadline);
}

static void a_linear_solver_that_refuses_is_replaced(void **state) {
  (void)state;
  perp_linear_ops moody = *perp_find_linear("sparse_lu");
  moody.name = "moody";
  moody.update = refusing_update;
  perp_linear_ops one_way = moody;
  one_way.solve_transposed = NULL;   // of no use to a basis, and never asked
  perp_sample *s = make_with("friction", 2, "bodies", 22.0, NULL);
  double *x = calloc((size_t)s->n + 1, sizeof *x);
  assert_non_null(x);
  const perp_linear_ops *const solvers[] = {NULL, &one_way, &moody};
  int32_t iterations = 0;
  for (int k = 0; k < 3; k++) {
    perp_options o = lemke_options();
    o.linear = solvers[k];
    o.pivot.basis = PERP_BASIS_SPARSE;
    o.pivot.refactor = 4;
    o.pivot.crash = 0;
    memset(x, 0, (size_t)s->n*sizeof *x);
    kernels = refused = 0;
    const perp_result r = solve_with(&s->problem, &o, x);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    if (k == 0) iterations = r.iterations;
    assert_int_equal(r.iterations, iterations);
    assert_true(k == 2 ? kernels > 5 && refused > 1 : kernels == 0);
  }
  free(x);
  drop(s);
}

// The solution as a guess: the crash finds its basis, and nothing is left to pivot.
static void a_good_guess_saves_the_pivots(void **state) {
  (void)state;
  perp_sample *s = make_with("dense-pd", 3, "n", 60.0, NULL);
  double x[60] = {0};
  perp_options o = lemke_options();
  o.pivot.crash = 0;
  const perp_result cold = solve_with(&s->problem, &o, x);
  assert_int_equal(cold.status, PERP_STATUS_SOLVED);
  assert_true(cold.iterations > 5);
  for (int i = 0; i < 60; i++) x[i] *= 1.01;   // not quite: else the guess itself passes
  o.pivot.crash = 5;
  const perp_result warm = solve_with(&s->problem, &o, x);
  assert_int_equal(warm.status, PERP_STATUS_SOLVED);
  assert_true(warm.iterations < cold.iterations/4 + 1);
  drop(s);
}

static void limits_are_kept(void **state) {
  (void)state;
  perp_sample *s = make_with("murty", 1, "n", 20.0, "variant", 1.0, NULL);
  perp_options o = lemke_options();
  double x[20] = {0};
  o.presolve = o.scale = 0;
  o.split = PERP_SPLIT_NO;
  o.pivot.crash = o.pivot.harris = 0;
  o.iteration_limit = 77;
  const perp_result r = solve_with(&s->problem, &o, x);
  assert_int_equal(r.status, PERP_STATUS_ITERATION_LIMIT);
  assert_int_equal(r.iterations, 77);
  drop(s);
}

static double used_seconds(void *context) {   // of this process: others do not disturb it
  (void)context;
  return (double)clock()/CLOCKS_PER_SEC;
}

// Rows without a positive diagonal make the sweeps before the first pivot cost n^3 in a full A.
static void the_crash_keeps_to_the_time(void **state) {
  (void)state;
  enum { n = 400 };
  support_state = 21;
  static double A[n*n], b[n], x[n];
  for (int32_t k = 0; k < n*n; k++) A[k] = between(-1, 1);
  for (int32_t i = 0; i < n; i++) {
    A[i*(n + 1)] = i%2 ? 1.0 : -1.0;
    b[i] = between(-1, 1);
  }
  const perp_dense D = {.n = n, .value = A};
  const perp_problem p = {.A = perp_from_dense(&D, 0), .b = b};
  perp_options o = lemke_options();
  o.time_limit = 0.05;
  o.clock = used_seconds;
  const perp_result r = solve_with(&p, &o, x);
  if (!(r.seconds < 0.5)) fail_msg("%g s", r.seconds);
}

// Every row is as far from its bound as every other: n candidates to leave, each looked at in n
// operations at least.
static void ties_keep_to_the_time(void **state) {
  (void)state;
  enum { n = 20000 };
  static int32_t colptr[n + 1], row[2*n];
  static double value[2*n], b[n], x[n];
  for (int32_t j = 0; j < n; j++) {
    colptr[j] = 2*j;
    row[2*j] = j < n - 1 ? j : 0;
    row[2*j + 1] = j < n - 1 ? j + 1 : j;
    value[2*j] = value[2*j + 1] = 1.0;
    b[j] = -1.0;
  }
  colptr[n] = 2*n;
  const perp_csc A = {n, n, colptr, row, value};
  const perp_problem p = {.A = perp_from_csc(&A, 0), .b = b};
  perp_options o = lemke_options();
  o.pivot.crash = 0;
  o.time_limit = 0.1;
  o.clock = used_seconds;
  const perp_result r = solve_with(&p, &o, x);
  if (!(r.seconds < 0.5)) fail_msg("%g s", r.seconds);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_variable),
      cmocka_unit_test(murtys_family_takes_exponentially_many_pivots),
      cmocka_unit_test(feasible_but_unsolvable_is_a_ray),
      cmocka_unit_test(an_infeasible_semidefinite_problem_is_proved_so),
      cmocka_unit_test(kostrevas_example_ends),
      cmocka_unit_test(a_cycle_of_three_is_solved),
      cmocka_unit_test(positive_definite_problems_with_any_bounds_are_solved),
      cmocka_unit_test(degenerate_semidefinite_problems_are_solved),
      cmocka_unit_test(a_zero_free_block_is_no_obstacle),
      cmocka_unit_test(dependent_free_rows),
      cmocka_unit_test(friction_problems_are_solved_with_either_basis),
      cmocka_unit_test(a_second_crash_saves_the_plain_start),
      cmocka_unit_test(a_linear_solver_that_refuses_is_replaced),
      cmocka_unit_test(a_good_guess_saves_the_pivots),
      cmocka_unit_test(limits_are_kept),
      cmocka_unit_test(the_crash_keeps_to_the_time),
      cmocka_unit_test(ties_keep_to_the_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
