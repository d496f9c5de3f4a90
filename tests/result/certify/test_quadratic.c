// test_quadratic.c: quadratic programs as complementarity problems: "solved" means that the
// objective is right.
// labels: long
#include "support.h"

#include "qp_problems.h"

static qp_problem made(const char *name, int32_t size) {
  const qp_family *family = qp_find(name);
  assert_non_null(family);
  return qp_make(family, size);
}

static perp_certificate certified(const perp_problem *problem, const double *x, double tol) {
  perp_certificate certificate;
  assert_int_equal(perp_certify(problem, x, tol, 0, NULL, &certificate), PERP_OK);
  return certificate;
}

static perp_result solve(const perp_problem *problem, const char *method, double tol, double *x) {
  perp_options o = perp_default_options(perp_find_method(method));
  perp_result r;
  o.tol = tol;
  memset(x, 0, (size_t)problem->A.n*sizeof *x);
  assert_int_equal(perp_solve_once(problem, x, &o, &r), PERP_OK);
  return r;
}

// The optimum of UBH1 where no bound of u holds, in closed form: each coordinate is
//     min sum w_t u_t^2   where   velocity and position end at 0,
// two linear equations C u = d, so that u = W^-1 C' (C W^-1 C')^-1 d and the value d'(...)^-1 d.
static double ubh1_optimum(int32_t size) {
  const long double h = 1000.0L/size;
  const double from[3][2] = {{1000, -10}, {1000, 10}, {1000, -10}};
  long double value = 0;
  for (int k = 0; k < 3; k++) {
    long double a = 0, b = 0, c = 0;   // C W^-1 C' = [a b; b c], of velocity and position
    for (int32_t t = 0; t <= size; t++) {
      // u_t enters the velocity at the end with h (h/2 at the ends), and the position with that
      // times the time that is left: half a step less in the step where it acts.
      const long double w = t == 0 || t == size ? 0.5L*h : h;
      const long double left = t == 0 ? h*size - 0.5L*h : t == size ? 0.5L*h : h*(size - t);
      const long double v = w, p = w*left;
      a += v*v/w;
      b += v*p/w;
      c += p*p/w;
    }
    const long double dv = -from[k][1], dp = -(from[k][0] + 1000.0L*from[k][1]);
    value += (c*dv*dv - 2*b*dv*dp + a*dp*dp)/(a*c - b*b);
  }
  return (double)value;
}

static void ubh1_has_the_objective_of_the_closed_form(void **state) {
  (void)state;
  const int32_t sizes[] = {10, 100, 300};
  for (int k = 0; k < (is_brief() ? 1 : 3); k++) {
    qp_problem qp = made("UBH1", sizes[k]);
    qp_complementarity c;
    qp_complementarity_make(&c, &qp);
    double *x = calloc((size_t)c.n, sizeof *x);
    const double optimum = ubh1_optimum(sizes[k]);
    const perp_result r = solve(&c.problem, "auto", 1e-8, x);
    const qp_measures m = qp_measure_x(&qp, &c, x);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    assert_true(fabs(m.objective - optimum) <= 1e-6*optimum);
    assert_true(r.certificate.kkt && !r.certificate.kkt_failed);
    assert_true(fabs(r.certificate.objective - m.objective) <= 1e-12*m.objective);
    assert_true(fabs(r.certificate.dual_objective - optimum) <= 1e-6*optimum);
    free(x);
    qp_complementarity_free(&c);
    qp_free(&qp);
  }
}

// Weak duality, in long double and without the certificate, bounds the error of the objective.
static void convex_regression_has_the_right_objective(void **state) {
  (void)state;
  const char *const names[] = {"LISWET1", "LISWET4", "LISWET7", "YAO"};
  for (int k = 0; k < 4; k++) {
    for (int32_t size = 100; size <= (is_brief() ? 100 : 1600); size *= 4) {
      qp_problem qp = made(names[k], size);
      qp_complementarity c;
      qp_complementarity_make(&c, &qp);
      double *x = calloc((size_t)c.n, sizeof *x);
      const perp_result r = solve(&c.problem, "auto", 1e-8, x);
      const qp_measures m = qp_measure_x(&qp, &c, x);
      assert_int_equal(r.status, PERP_STATUS_SOLVED);
      double multipliers = 0, most = 0;
      for (int32_t i = 0; i < qp.rows; i++) multipliers += fabs(x[qp.variables + c.slacks + i]);
      for (int32_t j = 0; j < qp.variables; j++) most += fabs(x[j]);
      assert_true(m.gap + m.primal*multipliers + m.dual*most <= 1e-6*fabs(m.objective));
      free(x);
      qp_complementarity_free(&c);
      qp_free(&qp);
    }
  }
}

// At full size, in the long tests. The published data were rounded to some digits, and the optima
// with them.
static void published_optima_are_found(void **state) {
  (void)state;
  if (getenv("PERP_LONG_TESTS") == NULL) skip();
  const char *const names[] = {"LISWET1", "LISWET7", "YAO", "UBH1", "STCQP2", "KSIP", "CVXQP1_M"};
  for (size_t k = 0; k < sizeof names/sizeof names[0]; k++) {
    qp_problem qp = made(names[k], 0);
    qp_complementarity c;
    qp_complementarity_make(&c, &qp);
    double *x = calloc((size_t)c.n, sizeof *x);
    const perp_result r = solve(&c.problem, "auto", 1e-8, x);
    const qp_measures m = qp_measure_x(&qp, &c, x);
    const double optimum = qp_find(names[k])->optimum;
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    assert_true(fabs(m.objective - optimum) <= 1e-4*fabs(optimum));
    assert_true(m.primal <= 1e-6 && m.dual <= 1e-6 && m.gap <= 1e-6);
    free(x);
    qp_complementarity_free(&c);
    qp_free(&qp);
  }
}

// The exact solution of a problem whose b is moved by less than the tolerance of a row is wrong by
// its multipliers times that.
static void a_wrong_objective_is_refused(void **state) {
  (void)state;
  const struct {
    const char *name;
    int32_t size;
    int moves_rows;            // of the constraints; else those of the gradient
    double by;
  } trials[] = {{"LISWET7", 1600, 1, 5e-9}, {"LISWET1", 1600, 1, 5e-9}, {"UBH1", 100, 0, 1e-6}};
  for (int k = 0; k < 3; k++) {
    qp_problem qp = made(trials[k].name, trials[k].size);
    qp_complementarity c;
    qp_complementarity_make(&c, &qp);
    double *x = calloc((size_t)c.n, sizeof *x), *right = calloc((size_t)c.n, sizeof *x);
    assert_int_equal(solve(&c.problem, "auto", 1e-9, right).status, PERP_STATUS_SOLVED);
    const double optimum = qp_measure_x(&qp, &c, right).objective;
    const int32_t first = qp.variables + c.slacks;
    double *b = malloc((size_t)c.n*sizeof *b);
    for (int32_t i = 0; i < c.n; i++) {
      const int moved = trials[k].moves_rows ? i >= first : i < 6*(trials[k].size + 1);
      b[i] = c.b[i] - (moved ? trials[k].by : 0);
    }
    perp_problem other = c.problem;
    other.b = b;
    assert_int_equal(solve(&other, "auto", 1e-9, x).status, PERP_STATUS_SOLVED);
    const double objective = qp_measure_x(&qp, &c, x).objective;
    const perp_certificate wrong = certified(&c.problem, x, 1e-8);
    assert_true(fabs(objective - optimum) > 1e-5*fabs(optimum));
    assert_true(wrong.residual <= 1e-8);   // row by row it would pass
    assert_false(wrong.solved);
    assert_true(wrong.kkt && wrong.kkt_failed & PERP_KKT_GAP);
    assert_true(fabs(wrong.objective - (objective - qp.constant)) <= 1e-9*fabs(objective));
    assert_true(certified(&c.problem, right, 1e-8).solved);
    free(b);
    free(right);
    free(x);
    qp_complementarity_free(&c);
    qp_free(&qp);
  }
}

// What a program costs, counted in factorisations. The multipliers of YAO and LISWET are 10^5 times
// as large as the data.
static void programs_take_few_iterations(void **state) {
  (void)state;
  const struct { const char *name; int32_t size, factorizations; } trials[] = {
    {"CVXQP1_L", 4000, 20}, {"YAO", 2000, 50}, {"LISWET1", 3000, 50}, {"LISWET4", 3000, 40},
    {"LISWET7", 3000, 50}, {"LISWET8", 10000, 90}, {"LISWET9", 10000, 90}, {"LISWET10", 10000, 90},
    {"LISWET12", 10000, 90},
  };
  for (size_t k = 0; k < sizeof trials/sizeof trials[0]; k++) {
    qp_problem qp = made(trials[k].name, trials[k].size);
    qp_complementarity c;
    qp_complementarity_make(&c, &qp);
    double *x = calloc((size_t)c.n, sizeof *x);
    const perp_result r = solve(&c.problem, "interior_point", 1e-8, x);
    const qp_measures m = qp_measure_x(&qp, &c, x);
    if (r.status != PERP_STATUS_SOLVED || r.factorizations > trials[k].factorizations)
      fail_msg("%s, %d factorizations: %s", trials[k].name, (int)r.factorizations, r.message);
    assert_true(m.primal <= 1e-8 && m.dual <= 1e-8 && m.gap <= 1e-10*fabs(m.objective));
    free(x);
    qp_complementarity_free(&c);
    qp_free(&qp);
  }
}

// Multipliers of 10^5 to 10^7 leave the gradient with errors of 10^-11 to 10^-9 from the rounding of
// x alone. A tolerance below that cannot be met: the method sees it, stops at its best x and says
// so, and auto tries no other.
static void polishing_ends_at_the_rounding_of_x(void **state) {
  (void)state;
  const struct { const char *name; int32_t size; double tol; } trials[] = {
    {"YAO", 2000, 1e-13}, {"LISWET7", 10000, 1e-12}, {"LISWET12", 10000, 1e-12},
  };
  for (size_t k = 0; k < (is_brief() ? 1 : sizeof trials/sizeof trials[0]); k++) {
    qp_problem qp = made(trials[k].name, trials[k].size);
    qp_complementarity c;
    qp_complementarity_make(&c, &qp);
    double *x = calloc((size_t)c.n, sizeof *x);
    assert_int_equal(solve(&c.problem, "auto", 1e-8, x).status, PERP_STATUS_SOLVED);
    const qp_measures right = qp_measure_x(&qp, &c, x);
    const char *const methods[] = {"interior_point", "auto"};
    for (int m = 0; m < 2; m++) {
      perp_options o = perp_default_options(perp_find_method(methods[m]));
      perp_result r;
      o.tol = trials[k].tol;
      o.time_limit = 20;   // it is never reached: an iteration takes milliseconds
      memset(x, 0, (size_t)c.n*sizeof *x);
      assert_int_equal(perp_solve_once(&c.problem, x, &o, &r), PERP_OK);
      assert_int_equal(r.status, PERP_STATUS_STALLED);
      assert_in_range((uintmax_t)r.iterations, 1, 80);
      assert_in_range((uintmax_t)r.factorizations, 1, 90);
      assert_non_null(strstr(r.message, "the rounding of x"));
      assert_non_null(strstr(r.message, "Raise tol."));
      const qp_measures reached = qp_measure_x(&qp, &c, x);
      assert_true(reached.primal <= 1e-8 && reached.dual <= 1e-8);
      assert_true(fabs(reached.objective - right.objective) <= 1e-10*fabs(right.objective));
    }
    free(x);
    qp_complementarity_free(&c);
    qp_free(&qp);
  }
}

// A part of AUG3D is six variables without a quadratic term and without bounds in one equation, whose
// multiplier is exactly 0. Interior points come near 0, and the crossover takes the last step.
static void multipliers_of_zero_are_reached(void **state) {
  (void)state;
  qp_problem qp = made("AUG3D", 0);
  qp_complementarity c;
  qp_complementarity_make(&c, &qp);
  double *x = calloc((size_t)c.n, sizeof *x);
  const perp_result r = solve(&c.problem, "interior_point", 1e-8, x);
  const qp_measures m = qp_measure_x(&qp, &c, x);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  assert_true(m.primal <= 1e-8 && m.dual <= 1e-8 && fabs(m.objective - 5.5406773e2) <= 1e-4);
  free(x);
  qp_complementarity_free(&c);
  qp_free(&qp);
}

// The optimal values are 10^6 to 10^10, and a unit of rounding of them 10^-10 to 10^-5. Of the doubles
// near the solution those are taken whose objectives agree best.
static void objectives_agree_to_the_last_digits(void **state) {
  (void)state;
  const struct { const char *name; double gap; } trials[] = {
    {"CVXQP1_M", 1e-9}, {"HUES-MOD", 1e-9}, {"POWELL20", 1e-6},
  };
  for (size_t k = 0; k < sizeof trials/sizeof trials[0]; k++) {
    qp_problem qp = made(trials[k].name, 0);
    qp_complementarity c;
    qp_complementarity_make(&c, &qp);
    double *x = calloc((size_t)c.n, sizeof *x);
    assert_int_equal(solve(&c.problem, "auto", 1e-8, x).status, PERP_STATUS_SOLVED);
    const qp_measures m = qp_measure_x(&qp, &c, x);
    assert_true(m.primal <= 1e-11 && m.dual <= 1e-9);
    assert_true(m.gap <= trials[k].gap);
    free(x);
    qp_complementarity_free(&c);
    qp_free(&qp);
  }
}

static void rows_without_a_bound_count_in_the_gap(void **state) {
  (void)state;
  // min 1/2 v^2 where v = 1: v and the multiplier are free; at x = (3, 3), y = (0, 2)
  const double A[] = {1, -1, 1, 0}, b[] = {0, -1}, lo[] = {-INF, -INF}, x[] = {3, 3};
  const perp_dense dense = {2, A, 0, 0};
  const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b, .lo = lo, .hi = NULL};
  const perp_certificate c = certified(&problem, x, 1e-8);
  assert_true(c.gap == 6 && c.objective == 4.5 && c.dual_objective == -1.5);
  assert_true(c.kkt && c.primal_residual == 2 && c.dual_residual == 0);
}

// The verdict does not depend on units, or on how rows are numbered; a KKT matrix whose rows and
// columns somebody has scaled is still one.
static void scaling_and_permuting_change_nothing(void **state) {
  (void)state;
  qp_problem qp = made("LISWET7", 12);
  qp_complementarity c;
  qp_complementarity_make(&c, &qp);
  enum { N = 26 };
  assert_int_equal(c.n, N);
  double right[N], M[N*N] = {0};
  assert_int_equal(solve(&c.problem, "auto", 1e-10, right).status, PERP_STATUS_SOLVED);
  for (int32_t j = 0; j < N; j++)
    for (int32_t p = c.colptr[j]; p < c.colptr[j + 1]; p++) M[N*c.row[p] + j] = c.value[p];
  support_state = 7;
  for (int trial = 0; trial < 50; trial++) {
    int place[N];
    double A[N*N], b[N], lo[N], hi[N], x[N], near[N];
    for (int i = 0; i < N; i++) place[i] = i;
    for (int i = N - 1; i > 0; i--) {
      const int other = whole(0, i), kept = place[i];
      place[i] = place[other];
      place[other] = kept;
    }
    double R[N], C[N];
    for (int i = 0; i < N; i++) {
      R[i] = trial == 0 ? 1 : ldexp(1.0, whole(-20, 20));
      C[i] = trial == 0 ? 1 : ldexp(1.0, whole(-20, 20));
    }
    for (int i = 0; i < N; i++) {
      const int p = place[i];
      for (int j = 0; j < N; j++) A[N*p + place[j]] = R[i]*M[N*i + j]*C[j];
      b[p] = R[i]*c.b[i];
      lo[p] = c.lo[i]/C[i];
      hi[p] = c.hi[i]/C[i];
      x[p] = right[i]/C[i];
      near[p] = (i < 14 ? right[i] + 1e-7*i*i : right[i])/C[i];
    }
    const perp_dense dense = {N, A, 0, 0};
    const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b, .lo = lo, .hi = hi};
    const perp_certificate yes = certified(&problem, x, 1e-8), no = certified(&problem, near, 1e-8);
    assert_true(yes.kkt && yes.solved);
    assert_true(no.kkt && no.kkt_failed);
  }
  qp_complementarity_free(&c);
  qp_free(&qp);
}

static void other_matrices_are_judged_as_before(void **state) {
  (void)state;
  const struct {
    double A[9];
    int kkt;
  } trials[] = {
    {{2, 1, 0, 1, 2, 1, 0, 1, 2}, 0},       // symmetric
    {{2, 1, 0, -1, 0, 1, 0, -1, 2}, 1},     // signs alternate: rows 0 and 2 on one side
    {{0, 1, 2, -1, 0, 0, -2, 0, 0}, 1},     // a linear program
    {{2, 1, 1, -1, 2, 1, -1, -1, 2}, 0},    // three rows, each on another side than the others
    {{2, 1, 0, -1, 2, 0, 1, 0, 2}, 0},      // (2, 0) has no opposite
    {{2, 1, 2, -1, 2, 1, -1, -1, 2}, 0},    // sizes do not agree around the triangle
    {{2, 0, 1, 0, 2, 1, 1, 1, 0}, 0},       // a saddle point whose multiplier has a bound
    {{0, 1, 1, 1, 0, 1, 1, 1, 0}, 0},       // three rows without a diagonal, each beside the others
  };
  const double b[] = {-1, 1, -2}, x[] = {0, 0, 0};
  for (size_t k = 0; k < sizeof trials/sizeof trials[0]; k++) {
    const perp_dense dense = {3, trials[k].A, 0, 0};
    const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b};
    assert_int_equal(certified(&problem, x, 1e-8).kkt, trials[k].kkt);
  }
}

// Where the optimal value is 0 there is no objective to be relative to.
static void an_objective_of_zero_can_be_reached(void **state) {
  (void)state;
  // min 1/2 v1^2 where v1 + v2 = 1/3: v = (0, 1/3), multiplier 0; off by a unit of rounding
  const double A[] = {1, 0, -1, 0, 0, -1, 1, 1, 0}, b[] = {0, 0, -1.0/3}, lo[] = {-INF, -INF, -INF};
  const perp_dense dense = {3, A, 0, 0};
  const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b, .lo = lo, .hi = NULL};
  const double exact[] = {0, 1.0/3, 0}, rounded[] = {1e-17, 1.0/3, -1e-17}, off[] = {0, 1.0/3, 1e-6};
  assert_true(certified(&problem, exact, 1e-8).solved);
  assert_true(certified(&problem, rounded, 1e-8).solved);
  assert_false(certified(&problem, off, 1e-8).solved);
}

// min (v1 - v2)^2 where v1 + v2 = 1: the objective is 0, its terms are not. The scale is theirs,
// and in other units the verdict is the same.
static void terms_are_a_scale_where_the_objective_is_zero(void **state) {
  (void)state;
  const double M[] = {2, -2, -1, -2, 2, -1, 1, 1, 0}, lo[] = {-INF, -INF, -INF};
  for (int unit = -20; unit <= 20; unit += 10)
    for (int off = 0; off < 2; off++) {
      const double v = ldexp(1.0, unit), R[] = {3, 1, 0.5}, C[] = {v, v, 1/v};
      const double error = off ? 1e-9 : 1e-13, at[] = {0.5 + error, 0.5 - error, 0};
      double A[9], b[] = {0, 0, -0.5}, x[3];
      for (int i = 0; i < 3; i++) {
        x[i] = at[i]/C[i];
        for (int j = 0; j < 3; j++) A[3*i + j] = R[i]*M[3*i + j]*C[j];
      }
      const perp_dense dense = {3, A, 0, 0};
      const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b, .lo = lo, .hi = NULL};
      const perp_certificate c = certified(&problem, x, 1e-8);
      assert_true(c.kkt);
      assert_int_equal(c.kkt_failed, off ? PERP_KKT_GAP : 0);
    }
}

// [P B'; B -D]: a saddle point, whose multipliers have no bounds. It is judged as [P -B'; B D] is.
static void saddle_points_are_quadratic_programs(void **state) {
  (void)state;
  qp_problem qp = made("UBH1", 10);
  qp_complementarity c;
  qp_complementarity_make(&c, &qp);
  const int32_t n = c.n, first = qp.variables + c.slacks;
  double *x = calloc((size_t)n, sizeof *x), *near = calloc((size_t)n, sizeof *x);
  double *b = malloc((size_t)n*sizeof *b);
  assert_int_equal(solve(&c.problem, "auto", 1e-10, x).status, PERP_STATUS_SOLVED);
  for (int32_t i = 0; i < n; i++) {
    b[i] = i < first ? c.b[i] : -c.b[i];
    near[i] = i < first ? x[i] : x[i]*(1 + 1e-5);
  }
  const perp_certificate right = certified(&c.problem, x, 1e-8),
                         wrong = certified(&c.problem, near, 1e-8);
  assert_true(right.kkt && right.solved && wrong.kkt && wrong.kkt_failed);
  for (int32_t j = 0; j < n; j++)
    for (int32_t p = c.colptr[j]; p < c.colptr[j + 1]; p++)
      if (c.row[p] >= first) c.value[p] = -c.value[p];
  perp_problem saddle = c.problem;
  saddle.b = b;
  const perp_certificate yes = certified(&saddle, x, 1e-8), no = certified(&saddle, near, 1e-8);
  assert_true(yes.kkt && yes.solved && no.kkt);
  assert_int_equal(no.kkt_failed, wrong.kkt_failed);
  assert_true(yes.objective == right.objective && yes.dual_objective == right.dual_objective);
  assert_true(yes.primal_residual == right.primal_residual);
  assert_true(yes.dual_residual == right.dual_residual);
  double *lo = malloc((size_t)n*sizeof *lo);   // a multiplier with a bound has a sign
  memcpy(lo, c.lo, (size_t)n*sizeof *lo);
  lo[n - 1] = -1e6;
  saddle.lo = lo;
  assert_false(certified(&saddle, x, 1e-8).kkt);
  free(lo);
  free(b);
  free(near);
  free(x);
  qp_complementarity_free(&c);
  qp_free(&qp);
}

// The rows of multipliers without bounds change their signs: [P -B'; B 0] becomes [P B'; B 0].
static void turn_free_rows(const qp_problem *qp, qp_complementarity *c) {
  const int32_t first = qp->variables + c->slacks;
  for (int32_t j = 0; j < c->n; j++)
    for (int32_t p = c->colptr[j]; p < c->colptr[j + 1]; p++) {
      const int32_t i = c->row[p];
      if (i >= first && c->lo[i] == -INF && c->hi[i] == INF) c->value[p] = -c->value[p];
    }
  for (int32_t i = first; i < c->n; i++)
    if (c->lo[i] == -INF && c->hi[i] == INF) c->b[i] = -c->b[i];
}

// A saddle point is solved as the same program in the other form is: by the same method, in as many
// iterations.
static void saddle_points_are_solved(void **state) {
  (void)state;
  const struct { const char *name; int32_t size; } trials[] = {
    {"HS51", 0}, {"HS52", 0}, {"HS53", 0}, {"GENHS28", 0}, {"HS118", 0}, {"CVXQP1_S", 0},
    {"CVXQP2_S", 0}, {"CVXQP3_S", 0}, {"GOULDQP3", 0}, {"CVXQP1_M", 0}, {"AUG3DC", 0},
    {"AUG3DQP", 0}, {"UBH1", 100}, {"DTOC3", 200},
  };
  for (size_t k = 0; k < (is_brief() ? 8 : sizeof trials/sizeof trials[0]); k++) {
    double objective[2];
    perp_result results[2];
    for (int form = 0; form < 2; form++) {
      qp_problem qp = made(trials[k].name, trials[k].size);
      qp_complementarity c;
      qp_complementarity_make(&c, &qp);
      if (form == 1) turn_free_rows(&qp, &c);
      double *x = calloc((size_t)c.n, sizeof *x);
      const perp_result r = solve(&c.problem, "auto", 1e-8, x);
      assert_int_equal(r.status, PERP_STATUS_SOLVED);
      assert_true(r.certificate.kkt);
      const qp_measures m = qp_measure_x(&qp, &c, x);
      assert_true(m.primal <= 1e-8 && m.dual <= 1e-8);
      objective[form] = m.objective;
      results[form] = r;
      free(x);
      qp_complementarity_free(&c);
      qp_free(&qp);
    }
    assert_true(fabs(objective[1] - objective[0]) <= 1e-9*(fabs(objective[0]) + 1e-3));
    assert_ptr_equal(results[1].method, results[0].method);
    assert_int_equal(results[1].iterations, results[0].iterations);
    assert_int_equal(results[1].factorizations, results[0].factorizations);
  }
}

// min 1/2 |v|^2 where v1 = 1 and v1 >= 2: the proof is one of the caller's problem, in either form.
static void saddle_points_without_a_solution_are_proven(void **state) {
  (void)state;
  enum { V = 5, N = V + 2 };
  for (int form = 0; form < 2; form++) {
    const double sign[] = {form == 0 ? 1 : -1, 1};   // only the first multiplier has no bounds
    double A[N*N] = {0}, b[N] = {0}, lo[N], x[N] = {0}, u[N];
    for (int i = 0; i < N; i++) lo[i] = i <= V ? -INF : 0;
    for (int i = 0; i < V; i++) A[N*i + i] = 1;
    for (int k = 0; k < 2; k++) {
      A[V + k] = -1;
      A[N*(V + k)] = sign[k];
      b[V + k] = -sign[k]*(k + 1);
    }
    const perp_dense dense = {N, A, 0, 0};
    const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b, .lo = lo, .hi = NULL};
    perp_options o = perp_default_options(perp_find_method("interior_point"));   // no second way
    perp_result r;
    o.farkas = u;
    assert_int_equal(perp_solve_once(&problem, x, &o, &r), PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_INFEASIBLE);
    perp_farkas proof;
    assert_int_equal(perp_check_farkas(&problem, u, &proof), PERP_OK);
    assert_true(proof.proven);
  }
}

// Small dense problems are solved on the stack, by a bound instead of the certificate, but for
// these: both have the same verdict and the same numbers.
static void small_dense_programs_are_judged_alike(void **state) {
  (void)state;
  support_state = 11;
  for (int trial = 0; trial < 200; trial++) {
    enum { N = 6, V = 4 };
    double M[N*N] = {0}, b[N], x[N] = {0};
    for (int i = 0; i < N; i++) {
      const double d = trial & 1 ? 1 : ldexp(1.0, whole(-3, 3));   // rows scaled
      b[i] = between(-1, 1);
      for (int j = 0; j < N; j++) {
        const double a = trial & 2 || i == j ? 1.5 + 0.5*((i + j)%3) : 0.25*(i + j);
        M[N*i + j] = d*(i == j ? 8 : i >= V && j < V ? a : i < V && j >= V ? -a : 0.1*a);
      }
      b[i] *= d;
    }
    double lo[N] = {0};
    for (int i = V; i < N && trial%3 == 0; i++) {   // a saddle point: multipliers without bounds
      lo[i] = -INF;
      b[i] = -b[i];
      for (int j = 0; j < N; j++) M[N*i + j] = -M[N*i + j];
    }
    for (int i = 0; i < N && trial%9 == 0; i++) b[i] = i < V ? fabs(b[i]) : 0;   // x = 0 is right
    const perp_dense dense = {N, M, 0, 0};
    const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b, .lo = lo, .hi = NULL};
    const perp_result r = solve(&problem, "auto", 1e-8, x);
    const perp_certificate own = certified(&problem, x, 1e-8);
    assert_true(own.kkt && r.certificate.kkt);
    assert_int_equal(r.certificate.solved, own.solved);
    assert_true(fabs(r.certificate.objective - own.objective) <= 1e-14*fabs(own.objective));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(ubh1_has_the_objective_of_the_closed_form),
    cmocka_unit_test(convex_regression_has_the_right_objective),
    cmocka_unit_test(published_optima_are_found),
    cmocka_unit_test(a_wrong_objective_is_refused),
    cmocka_unit_test(programs_take_few_iterations),
    cmocka_unit_test(polishing_ends_at_the_rounding_of_x),
    cmocka_unit_test(multipliers_of_zero_are_reached),
    cmocka_unit_test(objectives_agree_to_the_last_digits),
    cmocka_unit_test(rows_without_a_bound_count_in_the_gap),
    cmocka_unit_test(scaling_and_permuting_change_nothing),
    cmocka_unit_test(other_matrices_are_judged_as_before),
    cmocka_unit_test(an_objective_of_zero_can_be_reached),
    cmocka_unit_test(terms_are_a_scale_where_the_objective_is_zero),
    cmocka_unit_test(saddle_points_are_quadratic_programs),
    cmocka_unit_test(saddle_points_are_solved),
    cmocka_unit_test(saddle_points_without_a_solution_are_proven),
    cmocka_unit_test(small_dense_programs_are_judged_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
