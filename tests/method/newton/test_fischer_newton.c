// test_fischer_newton.c: the function, its generalised Jacobian, the method with every strategy.
// cost: 3
#include "support.h"

#include "fischer.h"

static const char *const strategies[] = {"robust", "random", "zero", "perturbation",
                                         "approximation"};
enum { STRATEGIES = 5 };

static perp_options options_for(const char *strategy) {
  perp_options o = perp_default_options(perp_find_method("fischer_newton"));
  assert_int_equal(perp_set_option(&o, "newton.jacobian", strategy), PERP_OK);
  o.iteration_limit = 1000;
  return o;
}

static perp_result solve(const perp_options *o, const perp_problem *p, double *x) {
  perp_result r;
  if (perp_solve_once(p, x, o, &r) != PERP_OK) fail_msg("%s", perp_last_message());
  return r;
}

// ---- the function ----

static const double bounds[][2] = {{0, INF}, {-1.5, INF}, {-INF, 2}, {-1, 2}, {-INF, INF}};
enum { BOUNDS = 5 };

static void no_cancellation(void **state) {
  (void)state;
  const double pairs[][2] = {{1, 1}, {1e8, 1e-8}, {1e-12, 3}, {-1, 1e-9}, {1e-9, -1}, {-2, -3},
                             {1e150, 1e-150}, {0, 0}, {5, 0}, {0, -5}, {3e-200, 4e-200}};
  for (size_t k = 0; k < sizeof pairs/sizeof pairs[0]; k++) {
    const long double a = pairs[k][0], b = pairs[k][1], r = hypotl(a, b);
    const long double exact = a + b > 0 ? -2*a*b/(a + b + r) : r - a - b;
    const double f = fischer_burmeister(pairs[k][0], pairs[k][1]);
    if (!(fabsl(f - exact) <= 1e-15L*fabsl(exact)))
      fail_msg("psi(%g, %g) = %.17g, expected %.17Lg", pairs[k][0], pairs[k][1], f, exact);
  }
}

// F = 0 exactly where the row is solved, and it has the sign of a decrease in x elsewhere.
static void zero_at_solutions_only(void **state) {
  (void)state;
  const double grid[] = {-3, -1.5, -1, -0.25, 0, 0.5, 1, 2, 3.5};
  for (int k = 0; k < BOUNDS; k++)
    for (int i = 0; i < 9; i++)
      for (int j = 0; j < 9; j++) {
        const double x = grid[i], y = grid[j], lo = bounds[k][0], hi = bounds[k][1];
        const double F = fischer_at(0.0, x, y, lo, hi, (fischer_choice){0}).F;
        const int within = x >= lo && x <= hi;
        const int solved = within && (x < hi ? y >= 0 : 1) && (x > lo ? y <= 0 : 1);
        if (solved != (fabs(F) <= 1e-14))
          fail_msg("F(%g, %g) = %g in [%g, %g]", x, y, F, lo, hi);
      }
  const double fixed = fischer_at(0.0, 3, 7, 3, 3, (fischer_choice){0}).F;
  assert_true(fixed == 0.0);
}

static void derivatives_match_differences(void **state) {
  (void)state;
  const double smoothing[] = {0.0, 0.3, 0.7};
  support_state = 5;
  for (int f = 0; f < 3; f++)
    for (int k = 0; k < BOUNDS; k++)
      for (int trial = 0; trial < 200; trial++) {
        const double x = between(-3, 4), y = between(-3, 3), lo = bounds[k][0], hi = bounds[k][1];
        const double u = smoothing[f], h = 1e-6;
        if (fabs(y) < 1e-3 || fabs(x - lo) < 1e-3 || fabs(hi - x) < 1e-3) continue;   // kinks
        const fischer_row r = fischer_at(u, x, y, lo, hi, (fischer_choice){0});
        const fischer_choice none = {0};
        const double dx = (fischer_at(u, x + h, y, lo, hi, none).F -
                           fischer_at(u, x - h, y, lo, hi, none).F)/(2*h);
        const double dy = (fischer_at(u, x, y + h, lo, hi, none).F -
                           fischer_at(u, x, y - h, lo, hi, none).F)/(2*h);
        const double du = u > 0 ? (fischer_at(u + h, x, y, lo, hi, none).F -
                                   fischer_at(u - h, x, y, lo, hi, none).F)/(2*h) : r.u;
        if (!(fabs(dx - r.x) < 1e-5 && fabs(dy - r.y) < 1e-5 && fabs(du - r.u) < 1e-5))
          fail_msg("u = %g at (%g, %g) in [%g, %g]: %g %g %g, differences %g %g %g", u, x, y, lo,
                   hi, r.x, r.y, r.u, dx, dy, du);
      }
}

// The element at a kink is what the gradient tends to along the direction asked for.
static void element_is_a_limit(void **state) {
  (void)state;
  const double kinks[][3] = {{0, 0, INF}, {-1.5, -1.5, INF}, {2, -INF, 2}, {-1, -1, 2}, {2, -1, 2}};
  support_state = 9;
  for (int k = 0; k < 5; k++)
    for (int trial = 0; trial < 50; trial++) {
      const double x = kinks[k][0], lo = kinks[k][1], hi = kinks[k][2];
      const fischer_choice along = {between(-1, 1), between(-1, 1), 1}, none = {0};
      assert_int_equal(fischer_kink(x, 0.0, lo, hi, 0.0), x == lo ? -1 : 1);
      const fischer_row e = fischer_at(0.0, x, 0.0, lo, hi, along);
      const double t = 1e-8;
      const fischer_row near = fischer_at(0.0, x + t*along.x, t*along.y, lo, hi, none);
      if (!(fabs(e.x - near.x) < 1e-6 && fabs(e.y - near.y) < 1e-6))
        fail_msg("x = %g in [%g, %g] along (%g, %g): %g %g, nearby %g %g", x, lo, hi, along.x,
                 along.y, e.x, e.y, near.x, near.y);
      const fischer_row zero = fischer_at(0.0, x, 0.0, lo, hi, none);   // a = b = 0
      assert_true(zero.x < 0 && zero.y < 0);
    }
  assert_int_equal(fischer_kink(0, 1, 0, INF, 0.0), 0);
  assert_int_equal(fischer_kink(1, 0, 0, INF, 0.0), 0);
  assert_int_equal(fischer_kink(1, 0, 1, 1, 0.0), 0);
  assert_int_equal(fischer_kink(1e-9, -1e-9, 0, INF, 1e-8), -1);
}

// ---- the method ----

static void small_problems_by_every_strategy(void **state) {
  (void)state;
  const double three[] = {60, 26, 37, 26, 36, 29, 37, 29, 30}, ones[] = {-1, -1, -1};
  const double cycle[] = {1, 0, 2, 2, 1, 0, 0, 2, 1}, up[] = {1, 1, 1};   // the Newton-min cycle
  const double murty[] = {1, 2, 2, 0, 1, 2, 0, 0, 1};
  const struct { const double *A, *b, answer[3]; } cases[] = {
      {three, ones, {0, 1.0/239, 7.0/239}}, {cycle, up, {0, 0, 0}}, {murty, ones, {0, 0, 1}}};
  for (int k = 0; k < STRATEGIES; k++)
    for (size_t c = 0; c < 3; c++)
      for (int from = 0; from < 2; from++) {
        const perp_dense d = {.n = 3, .value = cases[c].A};
        const perp_problem p = {.A = perp_from_dense(&d, 0), .b = cases[c].b};
        perp_options o = options_for(strategies[k]);
        o.presolve = 0;
        double x[3] = {from, 0, 0};
        const perp_result r = solve(&o, &p, x);
        if (r.status != PERP_STATUS_SOLVED)
          fail_msg("%s, case %zu: %s", strategies[k], c, r.message);
        for (int i = 0; i < 3; i++) assert_true(fabs(x[i] - cases[c].answer[i]) < 1e-6);
      }
}

static void one_and_no_variables(void **state) {
  (void)state;
  const struct { double a, b, lo, hi, x; } cases[] = {
      {1, -9.8, 0, INF, 9.8}, {1, 9.8, 0, INF, 0}, {1, 0, 0, INF, 0},  {2, -9.8, 0, 1, 1},
      {2, 9.8, -3, 1, -3},    {2, 9.8, -INF, INF, -4.9}, {2, -9.8, -INF, 1, 1}, {5, 7, 3, 3, 3},
      {0, -1, 0, 4, 4},       {1e-30, -1e-30, 0, INF, 1}, {1e30, -1e30, 0, INF, 1}};
  for (int k = 0; k < STRATEGIES; k++)
    for (size_t c = 0; c < sizeof cases/sizeof cases[0]; c++) {
      const perp_dense d = {.n = 1, .value = &cases[c].a};
      const perp_problem p = {.A = perp_from_dense(&d, 0), .b = &cases[c].b, .lo = &cases[c].lo,
                              .hi = &cases[c].hi};
      perp_options o = options_for(strategies[k]);
      o.presolve = 0;
      double x = 0;
      const perp_result r = solve(&o, &p, &x);
      if (r.status != PERP_STATUS_SOLVED) fail_msg("%s, %zu: %s", strategies[k], c, r.message);
      assert_true(fabs(x - cases[c].x) <= 1e-6*(1 + fabs(cases[c].x)));
    }
  const perp_dense none = {.n = 0, .value = &cases[0].a};
  const perp_problem p = {.A = perp_from_dense(&none, 0), .b = &cases[0].b};
  const perp_options o = options_for("robust");
  double x = 0;
  assert_int_equal(solve(&o, &p, &x).status, PERP_STATUS_SOLVED);
}

// Boxed, free, one-sided and fixed rows around a positive definite, non-symmetric A: unique answer.
static void any_bounds(void **state) {
  (void)state;
  support_state = 77;
  for (int trial = 0; trial < 30; trial++) {
    const int32_t n = whole(2, 25);
    sample s = sample_new(n);
    double *y = calloc((size_t)n, sizeof *y), *x = calloc((size_t)n, sizeof *x);
    assert_true(y != NULL && x != NULL);
    symmetric_definite(&s);
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < i; j++) {   // a skew part keeps x'Ax
        const double skew = between(-1, 1);
        AT(&s, i, j) += skew;
        AT(&s, j, i) -= skew;
      }
    for (int32_t i = 0; i < n; i++) s.x[i] = between(-2, 2);
    for (int32_t i = 0; i < n; i++) y[i] = complementary(&s, i);
    sample_right_side(&s, y);
    for (int k = 0; k < STRATEGIES - 1; k++) {
      perp_options o = options_for(strategies[k]);
      o.presolve = trial%2;
      for (int32_t i = 0; i < n; i++) x[i] = 0;
      const perp_result r = solve(&o, sample_dense(&s), x);
      if (r.status != PERP_STATUS_SOLVED) {
        if (k == 0) fail_msg("trial %d, %s: %s", trial, strategies[k], r.message);
        continue;   // the strategies of the paper have no proof
      }
      for (int32_t i = 0; i < n; i++)
        if (!(fabs(x[i] - s.x[i]) < 1e-5))
          fail_msg("trial %d, %s: x[%d] = %g, expected %g", trial, strategies[k], i, x[i], s.x[i]);
    }
    free(y);
    free(x);
    sample_free(&s);
  }
}

// x_i = y_i = 0 in a third of the rows, and A only semidefinite: J is singular at the solution.
static void degenerate_and_singular(void **state) {
  (void)state;
  support_state = 31;
  for (int trial = 0; trial < 20; trial++) {
    const int32_t n = 20, rank = 8;
    sample s = sample_new(n);
    double B[20][8], y[20], x[20] = {0}, size;
    for (int32_t i = 0; i < n; i++)
      for (int32_t k = 0; k < rank; k++) B[i][k] = between(-1, 1);
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++)
        for (int32_t k = 0; k < rank; k++) AT(&s, i, j) += B[i][k]*B[j][k];
    for (int32_t i = 0; i < n; i++) {
      s.x[i] = i%3 == 0 ? between(0.1, 1) : 0;
      y[i] = i%3 == 1 ? between(0.1, 1) : 0;
    }
    sample_right_side(&s, y);
    const perp_options o = options_for("robust");
    const perp_result r = solve(&o, sample_dense(&s), x);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("trial %d: %s", trial, r.message);
    assert_true(own_residual(&s, x, &size) < 1e-6);   // of entries of size 1
    sample_free(&s);
  }
}

// ---- matrix-free ----

typedef struct grid { int32_t side; int64_t products; } grid;

static int apply_grid(void *context, const double *x, double *y) {   // 5-point Laplacian plus wind
  grid *g = context;
  const int32_t m = g->side;
  g->products++;
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < m; j++) {
      const int32_t k = i*m + j;
      y[k] = 4.2*x[k] - (i > 0 ? x[k - m] : 0) - (i < m - 1 ? x[k + m] : 0) -
             1.2*(j > 0 ? x[k - 1] : 0) - 0.8*(j < m - 1 ? x[k + 1] : 0);
    }
  return 0;
}

static void through_products_only(void **state) {
  (void)state;
  enum { M = 15, SIZE = M*M };
  const char *const inner[] = {"auto", "krylov", "differences"};
  static double b[SIZE], known[SIZE];
  support_state = 3;
  grid g = {M, 0};
  for (int32_t i = 0; i < SIZE; i++) known[i] = i%2 ? between(0.1, 1) : 0;
  apply_grid(&g, known, b);
  for (int32_t i = 0; i < SIZE; i++) b[i] = (i%2 ? 0 : between(0.1, 1)) - b[i];
  const perp_callback f = {.n = SIZE, .apply = apply_grid, .context = &g};   // no transpose
  const perp_problem p = {.A = perp_from_callback(&f, 0), .b = b};
  for (int k = 0; k < STRATEGIES; k++)
    for (int q = 0; q < 3; q++) {
      perp_options o = options_for(strategies[k]);
      assert_int_equal(perp_set_option(&o, "newton.inner", inner[q]), PERP_OK);
      double x[SIZE] = {0};
      const perp_result r = solve(&o, &p, x);
      if (r.status != PERP_STATUS_SOLVED)
        fail_msg("%s, %s: %s", strategies[k], inner[q], r.message);
      assert_true(r.inner_iterations > 0 && r.factorizations == 0);
      for (int32_t i = 0; i < SIZE; i++) assert_true(fabs(x[i] - known[i]) < 1e-5);
    }
}

static int abort_at_ninth(void *context, const double *x, double *y) {
  grid *g = context;
  if (g->products >= 9) return 7;
  return apply_grid(context, x, y);
}

static void an_operator_that_aborts(void **state) {
  (void)state;
  double b[9] = {-1, -1, -1, -1, -1, -1, -1, -1, -1}, x[9];
  for (int k = 0; k < STRATEGIES; k++) {
    grid g = {3, 0};
    const perp_callback f = {.n = 9, .apply = abort_at_ninth, .context = &g};
    const perp_problem p = {.A = perp_from_callback(&f, 0), .b = b};
    const perp_options o = options_for(strategies[k]);
    perp_result r;
    memset(x, 0, sizeof x);
    assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_ERROR_OPERATOR);
  }
}

// ---- problems without a solution ----

static void a_local_minimum_is_called_one(void **state) {
  (void)state;
  const double negative[] = {-1, 0.1, 0.1, -2}, b[] = {-1, -2};   // y < 0 for small x, all of it
  const double shifted[] = {0, 1, 0, 0}, c[] = {-1, 1};           // feasible but unsolvable
  for (int k = 0; k < STRATEGIES; k++) {
    perp_options o = options_for(strategies[k]);
    o.presolve = 0;
    const perp_dense d = {.n = 2, .value = negative}, e = {.n = 2, .value = shifted};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
    const perp_problem q = {.A = perp_from_dense(&e, 0), .b = c};
    double x[2] = {0}, z[2] = {0};
    const perp_result r = solve(&o, &p, x), t = solve(&o, &q, z);
    assert_int_not_equal(r.status, PERP_STATUS_SOLVED);
    assert_int_not_equal(r.status, PERP_STATUS_INFEASIBLE);
    assert_int_not_equal(t.status, PERP_STATUS_SOLVED);
    assert_int_not_equal(t.status, PERP_STATUS_INFEASIBLE);
    if (k == 0) assert_int_equal(r.status, PERP_STATUS_LOCAL_MINIMUM);
    assert_true(r.iterations < 1000 && t.iterations < 1000);   // they end by themselves
  }
}

// ---- what a symmetric operator, a clock and an aborting operator do to the gradient ----

static int apply_sample(void *context, const double *x, double *y) {
  const sample *s = context;
  for (int32_t i = 0; i < s->n; i++) {
    y[i] = 0.0;
    for (int32_t j = 0; j < s->n; j++) y[i] += AT(s, i, j)*x[j];
  }
  return 0;
}

// A x does for A'x where A is said to be symmetric: the same bits.
static void symmetric_operators_need_no_transpose(void **state) {
  (void)state;
  support_state = 41;
  int gradients = 0;
  for (int trial = 0; trial < often(150); trial++) {
    sample s = sample_new(whole(2, 8));
    for (int32_t i = 0; i < s.n; i++) {
      s.b[i] = whole(-3, 3);
      for (int32_t j = 0; j <= i; j++) AT(&s, i, j) = AT(&s, j, i) = whole(-3, 3);
    }
    perp_result r[2];
    double x[2][8] = {{0}};
    for (int k = 0; k < 2; k++) {
      const perp_callback f = {.n = s.n, .apply = apply_sample, .context = &s,
                               .apply_transpose = k == 0 ? NULL : apply_sample};
      const perp_problem p = {.A = perp_from_callback(&f, PERP_CLAIM_SYMMETRIC), .b = s.b};
      const perp_options o = options_for("robust");
      r[k] = solve(&o, &p, x[k]);
    }
    assert_int_equal(r[0].status, r[1].status);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    gradients += r[0].status == PERP_STATUS_LOCAL_MINIMUM;
    sample_free(&s);
  }
  assert_true(gradients > 5);
}

static double ticking(void *context) { return *(double *)context += 0.01; }

// Whatever the method would have ended with later, also while it looks for a stationary point.
static void a_time_limit_is_called_one(void **state) {
  (void)state;
  const double M[] = {-1, 0.1, 0.1, -2}, b[] = {-1, -2};   // no solution
  const perp_dense d = {.n = 2, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  perp_options o = options_for("robust");
  double seconds = 0.0;
  o.presolve = 0;
  o.clock = ticking;
  o.clock_context = &seconds;
  o.time_limit = 1e6;
  double x[2] = {0};
  solve(&o, &p, x);
  const double all = seconds;
  for (int k = 1; k < 40; k++) {
    memset(x, 0, sizeof x);
    seconds = 0.0;
    o.time_limit = (all - 0.1)*k/40;
    assert_int_equal(solve(&o, &p, x).status, PERP_STATUS_TIME_LIMIT);
  }
}

// The vectors of gmres, 61 of them, are asked for where there is a Krylov solver only.
static void a_direct_solver_takes_no_memory_for_gmres(void **state) {
  (void)state;
  const perp_options o = options_for("robust");
  const perp_limits limits = {.n = 1000000};
  assert_true(o.method->bytes(&limits, &o) < 30*sizeof(double)*1000000);
}

static int aborts(void *context, const double *x, double *y) {
  (void)context;
  (void)x;
  (void)y;
  return 3;
}

static void a_transpose_that_aborts(void **state) {
  (void)state;
  const char *const methods[] = {"fischer_newton", "minmap_newton"};
  sample s = sample_new(2);   // no solution: a gradient is asked for
  AT(&s, 0, 0) = -1;
  AT(&s, 1, 1) = -2;
  AT(&s, 0, 1) = AT(&s, 1, 0) = 0.1;
  s.b[0] = -1;
  s.b[1] = -2;
  for (int k = 0; k < 2; k++) {
    const perp_callback f = {.n = 2, .apply = apply_sample, .apply_transpose = aborts,
                             .context = &s};
    const perp_problem p = {.A = perp_from_callback(&f, 0), .b = s.b};
    const perp_options o = perp_default_options(perp_find_method(methods[k]));
    double x[2] = {0};
    perp_result r;
    assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_ERROR_OPERATOR);
  }
  sample_free(&s);
}

// ---- friction, and the tables of E13 ----

static void generate(const char *family, const char *name, double value, uint64_t seed,
                     perp_sample *s) {
  const perp_family *f = perp_find_family(family);
  double values[16];
  assert_non_null(f);
  for (int32_t k = 0; k < f->parameter_count; k++)
    values[k] = strcmp(f->parameters[k].name, name) == 0 ? value : f->parameters[k].initial;
  if (perp_generate(f, values, seed, s) != PERP_OK) fail_msg("%s", perp_last_message());
}

static void friction_is_solved(void **state) {
  (void)state;
  const double bodies[] = {10, 25, 50};
  for (int k = 0; k < 3; k++)
    for (uint64_t seed = 1; seed <= (uint64_t)fewer(8); seed++) {
      perp_sample s;
      generate("friction", "bodies", bodies[k], seed, &s);
      double *x = calloc((size_t)s.n, sizeof *x), size;
      assert_non_null(x);
      const perp_options o = options_for("robust");
      const perp_result r = solve(&o, &s.problem, x);
      if (r.status != PERP_STATUS_SOLVED)
        fail_msg("%g bodies, seed %d: %s", bodies[k], (int)seed, r.message);
      assert_true(csc_residual(&s.csc, s.b, s.lo, s.hi, x, &size) < 1e-6*(1 + size));
      free(x);
      perp_sample_free(&s);
    }
}

static double mean_iterations(const char *family, const char *strategy, int count, int paper) {
  int32_t sum = 0;
  for (int seed = 1; seed <= count; seed++) {
    perp_sample s;
    generate(family, "rhs", paper ? 0 : 1, (uint64_t)seed, &s);   // 0: b as the authors choose it
    double *x = calloc((size_t)s.n, sizeof *x);
    assert_non_null(x);
    perp_options o = options_for(strategy);
    if (paper) {
      o.stop.measure = PERP_MEASURE_FISCHER;
      o.stop.tol = 1e-3;
      o.stop.relative = 1e-6;
      o.iteration_limit = 100;
      o.scale = 0;
    }
    const perp_result r = solve(&o, &s.problem, x);
    if (r.status != PERP_STATUS_SOLVED && !(paper && r.status == PERP_STATUS_MEASURE))
      fail_msg("%s, seed %d: %s", family, seed, r.message);
    sum += r.iterations;
    free(x);
    perp_sample_free(&s);
  }
  return (double)sum/count;
}

static void tables_of_the_toolbox(void **state) {
  (void)state;
  mean_iterations("toolbox-fluid", "robust", fewer(100), 0);     // all at 1e-8
  mean_iterations("toolbox-contact", "robust", fewer(100), 0);
  // E13 Table 2: 5.00 and 14.54. Unscaled and with the authors' b, as the paper ran; the counts on
  // contact are near the lower end of the factor, and below it with scaling or other strategies.
  const double fluid = mean_iterations("toolbox-fluid", "zero", 20, 1);
  const double contact = mean_iterations("toolbox-contact", "zero", 40, 1);
  if (!(fluid > 5.0/1.5 && fluid < 5.0*1.5)) fail_msg("fluid: %g", fluid);
  if (!(contact > 14.54/1.5 && contact < 14.54*1.5)) fail_msg("contact: %g", contact);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_cancellation),
      cmocka_unit_test(zero_at_solutions_only),
      cmocka_unit_test(derivatives_match_differences),
      cmocka_unit_test(element_is_a_limit),
      cmocka_unit_test(small_problems_by_every_strategy),
      cmocka_unit_test(one_and_no_variables),
      cmocka_unit_test(any_bounds),
      cmocka_unit_test(degenerate_and_singular),
      cmocka_unit_test(through_products_only),
      cmocka_unit_test(an_operator_that_aborts),
      cmocka_unit_test(a_local_minimum_is_called_one),
      cmocka_unit_test(symmetric_operators_need_no_transpose),
      cmocka_unit_test(a_time_limit_is_called_one),
      cmocka_unit_test(a_direct_solver_takes_no_memory_for_gmres),
      cmocka_unit_test(a_transpose_that_aborts),
      cmocka_unit_test(friction_is_solved),
      cmocka_unit_test(tables_of_the_toolbox),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
