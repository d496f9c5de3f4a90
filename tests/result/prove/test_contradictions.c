// test_contradictions.c: "infeasible" is never false, never a matter of rounding, and never said of a
// problem that has a certified x. Small families in whole numbers are decided exactly (tests/exact).
// cost: 8
#include "problems.h"
#include "support.h"

static const char *const methods[] = {"auto", "lemke", "dantzig", "enumerate", "interior_point",
                                      "active_set", "minmap_newton", "fischer_newton"};
enum { METHODS = sizeof methods/sizeof methods[0] };

static int claims_none(perp_status s) {
  return s == PERP_STATUS_INFEASIBLE || s == PERP_STATUS_NO_SOLUTION;
}

static perp_result solve_by(const perp_problem *p, const char *name, int presolve, double *x,
                            double *u) {
  perp_options o = perp_default_options(perp_find_method(name));
  o.iteration_limit = 1000;
  o.presolve = presolve;
  o.farkas = u;
  perp_result r = {.status = PERP_STATUS_UNSOLVED};
  for (int32_t i = 0; i < p->A.n; i++) x[i] = 0.0;
  const perp_error error = perp_solve_once(p, x, &o, &r);
  if (error != PERP_OK && error != PERP_ERROR_UNSUPPORTED)
    fail_msg("%s: %s", name, perp_last_message());
  return r;
}

// A Farkas vector that was told does what is said of it.
static void check_vector(const perp_problem *p, const char *name, const perp_result *r,
                         const double *u) {
  if (r->status != PERP_STATUS_INFEASIBLE && r->status != PERP_STATUS_NO_SMALL_SOLUTION) return;
  perp_farkas f;
  if (perp_check_farkas(p, u, &f) != PERP_OK) fail_msg("%s", perp_last_message());
  const int infeasible = r->status == PERP_STATUS_INFEASIBLE;
  if (!(infeasible ? f.proven : f.bounded))
    fail_msg("%s says %s, its vector does not: %s", name, perp_status_name(r->status), f.reason);
  assert_true(infeasible == (r->radius == INF) && r->radius <= f.radius);
}

// ---- the problem that was called infeasible, and its family ----

static void a_solution_beyond_the_radius_is_not_denied(void **state) {
  (void)state;
  const double M[] = {100001, 1, -100000, -100001, 100001, -1, -1, -100000, 100000};
  const double b[] = {-1, -1, -1}, solution[] = {29999999999.0, 30000300002.0, 30000600002.0};
  const perp_dense d = {.n = 3, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  perp_certificate c;
  assert_int_equal(perp_certify(&p, solution, 1e-8, 0.0, NULL, &c), PERP_OK);
  assert_int_equal(c.solved, 1);
  for (int k = 0; k < METHODS; k++) {
    double x[3], u[3] = {0};
    const perp_result r = solve_by(&p, methods[k], 1, x, u);
    if (claims_none(r.status)) fail_msg("%s: %s", methods[k], r.message);
    check_vector(&p, methods[k], &r, u);
    if (!strcmp(methods[k], "auto") || !strcmp(methods[k], "enumerate")) {   // refined: exact
      assert_int_equal(r.status, PERP_STATUS_SOLVED);
      for (int i = 0; i < 3; i++) assert_true(x[i] == solution[i]);
    }
    assert_true(r.status != PERP_STATUS_NO_SMALL_SOLUTION || r.radius < 90000900003.0);
  }
}

// The same with 30 rows y_i = x_0 + x_i >= 0 behind it, too many to enumerate.
static void a_proof_up_to_a_radius_says_so(void **state) {
  (void)state;
  enum { N = 33 };
  static const double core[] = {100001, 1, -100000, -100001, 100001, -1, -1, -100000, 100000};
  double M[N*N] = {0}, b[N] = {-1, -1, -1}, x[N], u[N] = {0};
  for (int i = 0; i < 9; i++) M[i/3*N + i%3] = core[i];
  for (int i = 3; i < N; i++) M[i*N] = M[i*N + i] = 1.0;
  const perp_dense d = {.n = N, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  const perp_result r = solve_by(&p, "auto", 1, x, u);
  check_vector(&p, "auto", &r, u);
  assert_int_equal(r.status, PERP_STATUS_NO_SMALL_SOLUTION);
  assert_true(r.radius < 90000900003.0);
  assert_non_null(strstr(r.message, "|x|_1 <"));
}

// The family of exact/problems.h, for what the campaign does not look at: the messages, and how
// contradictions below the tolerance end.
static void nearly_singular_whole_numbers_are_never_denied(void **state) {
  (void)state;
  int solvable = 0, infeasible = 0, proven = 0, nearly = 0, open = 0, unproven = 0;
  const int trials = often(fewer(1500));
  for (int trial = 0; trial < trials; trial++) {
    static small_problem s;
    problem_make((uint64_t)trial*PROBLEM_CLASSES + PROBLEM_NEAR, &s);
    assert_int_equal(s.kind, PROBLEM_NEAR);
    const exact_verdict can = exact_solvable(&s.exact, NULL), feasible = exact_feasible(&s.exact);
    assert_true(can != EXACT_OVERFLOW && feasible != EXACT_OVERFLOW);
    solvable += can == EXACT_YES;
    infeasible += feasible == EXACT_NO;
    for (int k = 0; k < METHODS; k++) {
      double x[EXACT_ROWS], u[EXACT_ROWS] = {0};
      const perp_result r = solve_by(&s.problem, methods[k], trial%4 != 3, x, u);
      if (r.status == PERP_STATUS_INFEASIBLE && feasible != EXACT_NO)
        fail_msg("trial %d, %s: infeasible, but it is not: %s", trial, methods[k], r.message);
      if (claims_none(r.status) && can == EXACT_YES)
        fail_msg("trial %d, %s: %s, but there is a solution: %s", trial, methods[k],
                 perp_status_name(r.status), r.message);
      if (r.status == PERP_STATUS_SOLVED && can == EXACT_NO)
        fail_msg("trial %d, %s: solved, but there is no solution", trial, methods[k]);
      check_vector(&s.problem, methods[k], &r, u);
      if (k > 0 || feasible != EXACT_NO) continue;
      const int told = strstr(r.message, "which proves nothing") != NULL || r.certificate.refuted;
      proven += claims_none(r.status);
      nearly += r.status == PERP_STATUS_SOLVED;
      unproven += r.status == PERP_STATUS_UNSOLVED && !told;   // the search found no proof
      if (getenv("PERP_SHOW") && r.status == PERP_STATUS_UNSOLVED && !told)
        printf("problem %d: %s\n", trial*PROBLEM_CLASSES + PROBLEM_NEAR, r.message);
      open += r.status != PERP_STATUS_SOLVED && !claims_none(r.status) && told;
      if (r.certificate.refuted && r.status == PERP_STATUS_UNSOLVED)
        assert_non_null(strstr(r.message, "no solution is near it"));
    }
  }
  printf("%d problems: %d solvable, %d infeasible, of which auto proves %d, solves %d to the "
         "tolerance and leaves %d open with the reason in the message, %d without\n", trials, solvable,
         infeasible, proven, nearly, open, unproven);
  assert_true(solvable > trials/10 && nearly + open < trials/50 && unproven <= infeasible/100);
  assert_int_equal(proven + nearly + open + unproven, infeasible);
}

// ---- decimal data: what holds in tenths must not be denied because doubles are no tenths ----

// x_j fixed, equations among them, given in units of 1/scale: an exact problem in whole numbers, and
// the doubles that a caller would read from a file.
static void decimal_data_that_are_consistent_are_not_denied(void **state) {
  (void)state;
  int solved = 0, count = 0;
  for (int trial = 0; trial < often(fewer(1500)); trial++) {
    const int32_t n = whole(2, 6);
    const int scale = trial%3 == 0 ? 10 : trial%3 == 1 ? 100 : 1000, fixes = trial%2;
    int64_t M[8][8] = {{0}}, x[8], kind[8];
    sample s = sample_new(n);
    for (int32_t i = 0; i < n; i++) {
      x[i] = whole(-40, 40);
      kind[i] = fixes ? whole(0, 2) : 0;   // 0: an equation for a free x_i, else x_i is fixed
      if (i == n - 1) kind[i] = 0;
    }
    for (int32_t i = 0; i < n; i++) {
      int64_t sum = 0;
      for (int32_t j = 0; j < n; j++) {
        // an equation that sees fixed variables only, or one in a dependent system
        const int seen = fixes ? kind[j] > 0 || whole(0, 3) == 0 : j < n - 1;
        M[i][j] = kind[i] == 0 && seen ? whole(-9, 9) : 0;
        if (i == n - 1 && !fixes) {   // the sum of the others: dependent rows
          M[i][j] = 0;
          for (int32_t k = 0; k < n - 1; k++) M[i][j] += M[k][j];
        }
        sum += M[i][j]*x[j];
        AT(&s, i, j) = (double)M[i][j]/scale;
      }
      s.b[i] = -(double)sum/((double)scale*scale);
      s.lo[i] = kind[i] == 0 ? -INF : (double)x[i]/scale;
      s.hi[i] = kind[i] == 0 ? INF : (double)x[i]/scale;
    }
    const perp_problem *p = whole(0, 1) ? sample_dense(&s) : sample_csc(&s, 0, 0);
    for (int k = 0; k < METHODS; k++) {
      double found[8], u[8] = {0};
      const perp_result r = solve_by(p, methods[k], trial%4 < 3, found, u);
      if (claims_none(r.status))
        fail_msg("trial %d, %s: %s, but the decimals are consistent: %s", trial, methods[k],
                 perp_status_name(r.status), r.message);
      check_vector(p, methods[k], &r, u);
      count += k == 0;
      solved += k == 0 && r.status == PERP_STATUS_SOLVED;
      if (k == 0 && r.status != PERP_STATUS_SOLVED && getenv("PERP_SHOW"))
        printf("trial %d: %s: %s\n", trial, perp_status_name(r.status), r.message);
    }
    sample_free(&s);
  }
  printf("auto solves %d of %d consistent decimal problems\n", solved, count);
  assert_int_equal(solved, count);
}

// One tenth off is off.
static void decimal_data_that_contradict_are_infeasible(void **state) {
  (void)state;
  for (int off = 1; off <= 3; off++) {
    const double M[] = {0, 0, -1, 0, 0, -1, 1, 1, 0}, b[] = {0, 0, -0.3 - 0.1*off};
    const double lo[] = {0.1, 0.2, -INF}, hi[] = {0.1, 0.2, INF};
    const perp_dense d = {.n = 3, .value = M};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo, .hi = hi};
    double x[3], u[3] = {0};
    const perp_result r = solve_by(&p, "auto", off%2, x, u);
    assert_int_equal(r.status, PERP_STATUS_INFEASIBLE);
    check_vector(&p, "auto", &r, u);
  }
}

static void three_tenths_are_one_and_two(void **state) {
  (void)state;
  const double M[] = {0, 0, -1, 0, 0, -1, 1, 1, 0}, b[] = {0, 0, -0.3};
  const double lo[] = {0.1, 0.2, -INF}, hi[] = {0.1, 0.2, INF};
  const perp_dense d = {.n = 3, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo, .hi = hi};
  for (int k = 0; k < METHODS; k++)
    for (int presolve = 0; presolve < 2; presolve++) {
      double x[3];
      const perp_result r = solve_by(&p, methods[k], presolve, x, NULL);
      if (r.status == PERP_STATUS_UNSOLVED) continue;   // the method does not take such rows
      if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", methods[k], r.message);
      if (strstr(r.message, "Row 2 cannot hold exactly") == NULL ||
          strstr(r.message, "2.78e-17") == NULL || strstr(r.message, "none is") != NULL)
        fail_msg("%s: %s", methods[k], r.message);
    }
  const double u[] = {0, 0, -1};
  perp_farkas f;
  assert_int_equal(perp_check_farkas(&p, u, &f), PERP_OK);
  assert_true(f.radius == INF && f.value < 0.0 && !f.proven && !f.bounded);
  assert_true(-f.value < f.allowed && f.allowed > 5.9e-9 && f.allowed < 6.1e-9);   // tol of 0.6
  // A row without entries has nothing but b: that it is tiny is no excuse.
  const double none[] = {0}, tiny[] = {2.2e-16}, low[] = {-INF};
  const perp_dense empty = {.n = 1, .value = none};
  const perp_problem q = {.A = perp_from_dense(&empty, 0), .b = tiny, .lo = low};
  double x[1];
  assert_int_equal(solve_by(&q, "auto", 1, x, NULL).status, PERP_STATUS_INFEASIBLE);
}

// ---- no problem passes both certificates ----

// Exact contradictions with margins from far above the tolerance to far below it, and the x that
// comes nearest, also far out on a ray, where the rounding of A x is forgiven.
static void no_problem_passes_both_certificates(void **state) {
  (void)state;
  int proofs = 0, solutions = 0;
  for (int trial = 0; trial < often(4000); trial++) {
    const int32_t n = whole(2, 6);
    sample s = sample_new(n);
    double u[8], y[8];
    for (int32_t i = 0; i < n; i++) {
      const int is_free = whole(0, 2) == 0;
      u[i] = is_free ? whole(-3, 3) : whole(0, 3);
      s.lo[i] = is_free ? -INF : 0.0;
      if (i == 0) u[i] = 1.0;
    }
    // A'u = 0 by the row of u_0 = 1, or strictly on the right side where x_j has a bound
    for (int32_t i = 1; i < n; i++)
      for (int32_t j = 0; j < n; j++) AT(&s, i, j) = whole(0, 2) == 0 ? 0 : whole(-20, 20);
    for (int32_t j = 0; j < n; j++) {
      double g = 0.0;
      for (int32_t i = 1; i < n; i++) g += AT(&s, i, j)*u[i];
      AT(&s, 0, j) = -g - (s.lo[j] == 0.0 && trial%2 ? whole(0, 2) : 0);
    }
    // x with y = A x + b = 0, or >= 0, but in row 0, which misses by the margin
    const double far = trial%4 == 0 ? ldexp(1.0, whole(0, 40)) : 1.0;
    const double margin = ldexp(1.0, whole(-50, 4));
    for (int32_t i = 0; i < n; i++) {
      s.x[i] = s.lo[i] == 0.0 ? far*whole(0, 3) : far*whole(-3, 3);
      y[i] = s.lo[i] == 0.0 && s.x[i] == 0.0 && u[i] == 0.0 ? whole(0, 2) : 0.0;
    }
    for (int32_t i = 0; i < n; i++) {
      double sum = 0.0;
      for (int32_t j = 0; j < n; j++) sum += AT(&s, i, j)*s.x[j];
      s.b[i] = y[i] - sum - (i == 0 ? margin : 0.0);
    }
    if (whole(0, 1))   // other units
      for (int32_t i = 0; i < n; i++) {
        const double r = ldexp(1.0, whole(-20, 20)), c = ldexp(1.0, whole(-20, 20));
        for (int32_t j = 0; j < n; j++) {
          AT(&s, i, j) *= r;
          AT(&s, j, i) *= c;
        }
        s.b[i] *= r;
        u[i] /= r;
        s.x[i] /= c;
      }
    const perp_problem *p = whole(0, 1) ? sample_dense(&s) : sample_csc(&s, 0, 0);
    const double tol = pow(10.0, -whole(4, 12)), absolute = whole(0, 3) ? 0.0 : pow(10, -whole(1, 9));
    perp_farkas f;
    perp_certificate c;
    if (perp_check_farkas_within(p, u, tol, absolute, NULL, &f) != PERP_OK ||
        perp_certify(p, s.x, tol, absolute, NULL, &c) != PERP_OK)
      fail_msg("%s", perp_last_message());
    proofs += f.proven;
    solutions += c.solved;
    if (c.solved && f.proven)
      fail_msg("trial %d, n = %d, tol %g: x passes (residual %g), and so does u: margin %g, allowed "
               "%g: %s", trial, (int)n, tol, c.residual, -f.value, f.allowed, f.reason);
    double x[8], v[8] = {0};
    const perp_result r = solve_by(p, "auto", trial%2, x, v);
    check_vector(p, "auto", &r, v);
    if (r.status == PERP_STATUS_INFEASIBLE) {   // at the default tolerance, then
      if (perp_certify(p, s.x, 1e-8, 0.0, NULL, &c) != PERP_OK || c.solved)
        fail_msg("trial %d: infeasible, but an x passes", trial);
    }
    sample_free(&s);
  }
  if (getenv("PERP_SHOW")) printf("%d proofs, %d solutions\n", proofs, solutions);
  assert_true(proofs > 500 && solutions > 300);
}

// ---- data near the end of the range of doubles ----

// Each problem is infeasible with this u, and x = 0 violates its last row by all of b. Two blocks and
// entries of several magnitudes: two scalings are compared, whose units have to stay doubles.
static void tiny_data_are_data(void **state) {
  (void)state;
  const struct { double M[4], lo, u[2]; } cases[] = {
    {{1, 0, -1, -1}, 0.0, {1, 1}},
    {{0x1p-40, 0, -1, -0x1p40}, 0.0, {0x1p40, 1}},
    {{0.25, 0, 0.5, 0}, -INF, {-2, 1}},
    {{-0.1875, 0, -12, 0}, 0.0, {1, 1}},
  };
  for (size_t k = 0; k < sizeof cases/sizeof *cases; k++)
    for (int e = 0; e <= 1060; e += 4)
      for (double tol = 1e-10; tol < 1e-3; tol *= 100.0) {
        const double b[] = {0.0, -ldexp(1.0, -e)}, lo[] = {cases[k].lo, 0.0}, x[] = {0, 0};
        const perp_dense d = {.n = 2, .value = cases[k].M};
        const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo};
        perp_certificate c;
        perp_farkas f;
        assert_int_equal(perp_certify(&p, x, tol, 0.0, NULL, &c), PERP_OK);
        if (c.solved) fail_msg("case %d, b = 2^-%d: solved at tol %g", (int)k, e, tol);
        assert_int_equal(perp_check_farkas_within(&p, cases[k].u, tol, 0.0, NULL, &f), PERP_OK);
        if (e < 900 && !f.proven) fail_msg("case %d, b = 2^-%d: %s", (int)k, e, f.reason);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_solution_beyond_the_radius_is_not_denied),
    cmocka_unit_test(a_proof_up_to_a_radius_says_so),
    cmocka_unit_test(nearly_singular_whole_numbers_are_never_denied),
    cmocka_unit_test(decimal_data_that_are_consistent_are_not_denied),
    cmocka_unit_test(decimal_data_that_contradict_are_infeasible),
    cmocka_unit_test(three_tenths_are_one_and_two),
    cmocka_unit_test(no_problem_passes_both_certificates),
    cmocka_unit_test(tiny_data_are_data),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
