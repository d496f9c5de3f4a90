// test_active_set.c: known answers, counts of factorisations, rank, bounds, time and honesty.
#include "support.h"

#include "kinks.h"
#include "gallery_sample.h"

static perp_result solve(const perp_problem *p, double *x, perp_options *options) {
  const perp_method *method = perp_find_method("active_set");
  const perp_options o = options != NULL ? *options : perp_default_options(method);
  perp_result r;
  if (perp_solve_once(p, x, &o, &r) != PERP_OK) fail_msg("%s", perp_last_message());
  return r;
}

static perp_result solve_sample(const perp_sample *s, double *x) {
  memset(x, 0, (size_t)s->n*sizeof *x);
  return solve(&s->problem, x, NULL);
}

static double objective(const perp_sample *s, const double *x) {
  double sum = 0.0;
  for (int32_t j = 0; j < s->n; j++) {
    double row = 0.0;
    for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++)
      row += s->csc.value[p]*x[s->csc.row[p]];
    sum += x[j]*(0.5*row + s->problem.b[j]);
  }
  return sum;
}

static double residual_of(const perp_sample *s, const double *x) {
  return csc_residual(&s->csc, s->problem.b, s->problem.lo, s->problem.hi, x, NULL);
}

// Minima to the digits of MINPACK-2, contact sets, and few factorisations.
static void test_bearings(void **state) {
  (void)state;
  const struct { double nx, ny, e, f, digit; int32_t zeros; } known[] = {
    {8, 12, 0.1, -0.1834372196, 1e-10, -1}, {50, 50, 0.1, -0.180487995, 1e-9, 824},
    {100, 100, 0.1, -0.1805743697, 1e-10, 3232}, {50, 50, 0.99, -60.15092732, 1e-8, -1},
  };
  for (size_t k = 0; k < sizeof known/sizeof known[0]; k++) {
    perp_sample *s = make_with("bearing", 1, "nx", known[k].nx, "ny", known[k].ny, "e", known[k].e,
                               NULL);
    double *x = calloc((size_t)s->n, sizeof *x);
    const perp_result r = solve_sample(s, x);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    assert_true(fabs(objective(s, x) - known[k].f) <= known[k].digit);
    int32_t zeros = 0;
    for (int32_t i = 0; i < s->n; i++) zeros += x[i] == 0.0;
    if (known[k].zeros >= 0) assert_int_equal(zeros, known[k].zeros);
    assert_true(r.factorizations <= 7);
    free(x);
    drop(s);
  }
}

// On finer and finer grids the rounds do not become more: the coarse start has found the free set
// but for a few layers.
static void test_finer_grids(void **state) {
  (void)state;
  for (double size = 70.0; size < 200.0; size = floor(1.6*size)) {
    perp_sample *both[2] = {make_with("bearing", 1, "nx", size, "ny", size, NULL),
                            make_with("obstacle", 1, "size", size, NULL)};
    for (int k = 0; k < 2; k++) {
      perp_sample *s = both[k];
      double *x = calloc((size_t)s->n, sizeof *x);
      const perp_result r = solve_sample(s, x);
      assert_int_equal(r.status, PERP_STATUS_SOLVED);
      if (r.iterations > 8 || r.factorizations > 3)
        fail_msg("%g: %d rounds, %d factorisations", size, r.iterations, r.factorizations);
      free(x);
      drop(s);
    }
  }
}

static void test_small_known_answers(void **state) {
  (void)state;
  const double A[9] = {60, 26, 37, 26, 36, 29, 37, 29, 30}, b[3] = {-1, -1, -1};
  const perp_dense dense = {.n = 3, .value = A};
  const perp_problem p = {.A = perp_from_dense(&dense, PERP_CLAIM_SYMMETRIC), .b = b};
  double x[3] = {0};
  assert_int_equal(solve(&p, x, NULL).status, PERP_STATUS_SOLVED);
  assert_true(x[0] == 0.0 && fabs(x[1] - 0.004184) < 1e-6 && fabs(x[2] - 0.029289) < 1e-6);
  const double one[1] = {1}, minus[1] = {-1}, weight[1] = {-9.8};
  const perp_dense single = {.n = 1, .value = one}, concave = {.n = 1, .value = minus};
  const perp_problem rests = {.A = perp_from_dense(&single, PERP_CLAIM_SYMMETRIC), .b = weight},
                     none = {.A = perp_from_dense(&concave, PERP_CLAIM_SYMMETRIC), .b = minus};
  double v[1] = {0};
  assert_int_equal(solve(&rests, v, NULL).status, PERP_STATUS_SOLVED);
  assert_true(fabs(v[0] - 9.8) < 1e-7);
  v[0] = 0.0;
  assert_true(solve(&none, v, NULL).status != PERP_STATUS_SOLVED);
  assert_true(isfinite(v[0]) && v[0] >= 0.0);
  const perp_dense nothing = {.n = 0, .value = one};
  const perp_problem empty = {.A = perp_from_dense(&nothing, PERP_CLAIM_SYMMETRIC), .b = b};
  assert_int_equal(solve(&empty, v, NULL).status, PERP_STATUS_SOLVED);
  perp_sample *fathi = make_with("fathi", 1, "n", 60.0, NULL);
  double z[60];
  assert_int_equal(solve_sample(fathi, z).status, PERP_STATUS_SOLVED);
  assert_true(fabs(z[0] - 1.0) < 1e-6);
  for (int32_t i = 1; i < 60; i++) assert_true(fabs(z[i]) < 1e-6);
  drop(fathi);
}

// Walls of normal rows at condition 1e8: at most 3 full factorisations.
static void test_walls(void **state) {
  (void)state;
  for (uint64_t seed = 11; seed < 15; seed++)
    for (int built = 0; built < 2; built++) {
      perp_sample *s = make_with("wall", seed, "bodies", 60.0 + 30.0*(double)(seed%3), "mode", 0.0,
                                 "condition", 1e8, "built", (double)built, NULL);
      double *x = calloc((size_t)s->n, sizeof *x);
      const perp_result r = solve_sample(s, x);
      assert_int_equal(r.status, PERP_STATUS_SOLVED);
      if (r.factorizations > 3) fail_msg("seed %d built %d: %d factorisations", (int)seed, built,
                                         r.factorizations);
      assert_true(residual_of(s, x) < 1e-6);
      free(x);
      drop(s);
    }
}

// A fast ball: flips gain nothing, and Newton's method with a small sigma alone takes 62 to 85
// rounds and 5 to 7 factorisations here.
static void test_struck_walls(void **state) {
  (void)state;
  for (uint64_t seed = 31; seed < 35; seed++) {
    perp_sample *s = make_with("wall", seed, "bodies", 100.0, "mode", 0.0, "speed", 50.0,
                               "condition", 1e8, NULL);
    double *x = calloc((size_t)s->n, sizeof *x);
    const perp_result r = solve_sample(s, x);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    if (r.iterations > 60 || r.factorizations > 3)
      fail_msg("seed %d: %d rounds, %d factorisations", (int)seed, r.iterations, r.factorizations);
    assert_true(residual_of(s, x) < 1e-6);
    free(x);
    drop(s);
  }
}

// Free tangential rows: flips alone do not end here (77 rounds at condition 1e6, none at 1e8).
static void test_mixed_walls(void **state) {
  (void)state;
  const double condition[] = {1e4, 1e6, 1e8};
  for (int k = 0; k < 3; k++) {
    perp_sample *s = make_with("wall", 21, "bodies", 24.0, "mode", 1.0, "condition", condition[k],
                               NULL);
    double *x = calloc((size_t)s->n, sizeof *x);
    assert_int_equal(solve_sample(s, x).status, PERP_STATUS_SOLVED);
    assert_true(residual_of(s, x) < 1e-6);
    free(x);
    drop(s);
  }
}

// A = G G' with fewer columns than rows, bounds of every kind, x and y chosen first.
static sample built(int32_t n, int32_t rank, double degenerate) {
  sample s = sample_new(n);
  double *G = calloc((size_t)(n*rank) + 1, sizeof *G), *y = calloc((size_t)n + 1, sizeof *y);
  for (int32_t k = 0; k < n*rank; k++) G[k] = whole(0, 2) == 0 ? between(-1, 1) : 0.0;
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j <= i; j++) {
      double sum = 0.0;
      for (int32_t k = 0; k < rank; k++) sum += G[i*rank + k]*G[j*rank + k];
      AT(&s, i, j) = AT(&s, j, i) = sum;
    }
  for (int32_t i = 0; i < n; i++) {
    const int kind = whole(0, 4), at = whole(0, 2);   // at: lower, upper, between
    const double slack = uniform() < degenerate ? 0.0 : between(0.1, 2);
    s.lo[i] = kind == 1 || kind == 2 ? -INF : between(-1, 1);
    s.hi[i] = kind == 0 || kind == 1 ? INF : kind == 4 ? s.lo[i]
              : (s.lo[i] > -INF ? s.lo[i] : 0.0) + between(0.5, 2);
    const int low = s.lo[i] > -INF && at == 0, high = s.hi[i] < INF && at == 1;
    s.x[i] = low ? s.lo[i] : high ? s.hi[i]
             : fmin(fmax(between(-2, 2), fmax(s.lo[i], -9)), fmin(s.hi[i], 9));
    y[i] = low ? slack : high ? -slack : kind == 4 ? between(-1, 1) : 0.0;
  }
  for (int32_t i = 0; i < n; i++) {
    s.b[i] = y[i];
    for (int32_t j = 0; j < n; j++) s.b[i] -= AT(&s, i, j)*s.x[j];
  }
  free(G);
  free(y);
  return s;
}

static void test_bounds_and_rank(void **state) {
  (void)state;
  support_state = 4;
  for (int trial = 0; trial < often(300); trial++) {
    const int32_t n = whole(1, 40), rank = trial%2 ? n + 2 : whole(1, n);
    sample s = built(n, rank, trial%3 == 0 ? 0.5 : 0.0);
    double x[40] = {0};
    perp_options o = perp_default_options(perp_find_method("active_set"));
    o.presolve = whole(0, 1);
    const perp_result r = solve(trial & 4 ? sample_dense(&s) : sample_csc(&s, 0, 0), x, &o);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("trial %d: %s", trial, r.message);
    double size;
    const double own = own_residual(&s, x, &size);
    assert_true(own <= 1e-6*(1.0 + size));
    sample_free(&s);
  }
}

enum { CYCLING = 12 };

// Where two-sided flips alone go round in circles from the free set of x = 0.
static int flips_cycle(const sample *s) {
  const int32_t n = s->n;
  uint32_t sets[200], I = 0;
  for (int32_t i = 0; i < n; i++) I |= (uint32_t)(s->b[i] < 0.0) << i;
  for (int step = 0; step < 200; step++) {
    for (int k = 0; k < step; k++)
      if (sets[k] == I) return 1;
    sets[step] = I;
    double M[CYCLING*CYCLING], z[CYCLING];
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n; j++)
        M[i*n + j] = (I >> i & 1) && (I >> j & 1) ? AT(s, i, j) : i == j;
      z[i] = I >> i & 1 ? -s->b[i] : 0.0;
    }
    for (int32_t k = 0; k < n; k++)                        // elimination: definite, no exchanges
      for (int32_t i = k + 1; i < n; i++) {
        const double l = M[i*n + k]/M[k*n + k];
        for (int32_t j = k; j < n; j++) M[i*n + j] -= l*M[k*n + j];
        z[i] -= l*z[k];
      }
    for (int32_t i = n - 1; i >= 0; i--) {
      for (int32_t j = i + 1; j < n; j++) z[i] -= M[i*n + j]*z[j];
      z[i] /= M[i*n + i];
    }
    uint32_t next = 0;
    for (int32_t i = 0; i < n; i++) {
      double y = s->b[i];
      for (int32_t j = 0; j < n; j++) y += AT(s, i, j)*z[j];
      next |= (uint32_t)(I >> i & 1 ? z[i] > 0.0 : y < 0.0) << i;
    }
    if (next == I) return 0;
    I = next;
  }
  return 1;
}

static void test_flips_that_cycle(void **state) {
  (void)state;
  support_state = 9;
  int cycles = 0;
  for (int trial = 0; trial < often(5000) && cycles < often(25); trial++) {
    const int32_t n = whole(6, CYCLING);
    sample s = sample_new(n);
    double G[CYCLING*CYCLING];
    for (int32_t k = 0; k < n*n; k++) G[k] = between(-1, 1);
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n; j++) {
        double sum = i == j ? 1e-4 : 0.0;
        for (int32_t k = 0; k < n - 2; k++) sum += G[i*n + k]*G[j*n + k];
        AT(&s, i, j) = sum;
      }
      s.b[i] = between(-1, 1);
      s.hi[i] = INF;
    }
    if (flips_cycle(&s)) {
      cycles++;
      double x[CYCLING] = {0}, size;
      assert_int_equal(solve(sample_csc(&s, 0, 0), x, NULL).status, PERP_STATUS_SOLVED);
      assert_true(own_residual(&s, x, &size) <= 1e-6*(1.0 + size));
    }
    sample_free(&s);
  }
  assert_true(cycles >= 5);
}

// What it cannot take is said, not solved: A not symmetric (the cycle of Newton-min among them),
// indefinite, without a solution.
static void test_honesty(void **state) {
  (void)state;
  sample s = sample_new(3);
  for (int32_t i = 0; i < 3; i++) {
    AT(&s, i, i) = 1.0;
    AT(&s, (i + 1)%3, i) = 2.0;
    s.b[i] = -1.0;
    s.hi[i] = INF;
  }
  s.b[0] = 1.0;
  double x[3] = {0};
  const perp_result r = solve(sample_csc(&s, 0, 0), x, NULL);
  if (r.status != PERP_STATUS_SOLVED) assert_non_null(strstr(r.message, "not symmetric"));
  else assert_true(own_residual(&s, x, NULL) < 1e-7);
  sample_free(&s);
  const struct { double A[4], b[2]; } hopeless[] = {
    {{1, -1, -1, 1}, {-1, -1}}, {{0, 0, 0, 0}, {-1, 1}}, {{1, -2, -2, 1}, {-1, -1}},
    {{-1, 0, 0, -1}, {-1, -1}},
  };
  for (size_t k = 0; k < sizeof hopeless/sizeof hopeless[0]; k++) {
    const perp_dense dense = {.n = 2, .value = hopeless[k].A};
    const perp_problem p = {.A = perp_from_dense(&dense, PERP_CLAIM_SYMMETRIC), .b = hopeless[k].b};
    double z[2] = {0};
    const perp_result end = solve(&p, z, NULL);
    assert_true(end.status != PERP_STATUS_SOLVED);
    if (k == 0) assert_int_equal(end.status, PERP_STATUS_INFEASIBLE);   // x grows along (1, 1)
    assert_true(end.message[0] != '\0');
    for (int32_t i = 0; i < 2; i++) assert_true(isfinite(z[i]) && z[i] >= 0);
  }
}

static double ticking(void *context) {   // a look at the clock costs a millisecond
  *(double *)context += 1e-3;
  return *(double *)context;
}

// Short limits: nothing begins that would overrun, x is feasible and no worse than at the start.
static void test_time_limits(void **state) {
  (void)state;
  perp_sample *s = make_with("wall", 5, "bodies", 60.0, "mode", 0.0, "condition", 1e8, NULL);
  double *x = calloc((size_t)s->n, sizeof *x);
  double last = INF;
  for (double limit = 0.01; limit < 20.0; limit *= 2.0) {
    double now = 0.0;
    perp_options o = perp_default_options(perp_find_method("active_set"));
    o.clock = ticking;
    o.clock_context = &now;
    o.time_limit = limit;
    memset(x, 0, (size_t)s->n*sizeof *x);
    const perp_result r = solve(&s->problem, x, &o);
    for (int32_t i = 0; i < s->n; i++) assert_true(x[i] >= 0.0 && isfinite(x[i]));
    assert_true(now <= limit + 0.05);
    if (limit < 0.05) assert_int_equal(r.factorizations, 0);
    assert_true(r.certificate.residual <= 1.0);
    if (r.status == PERP_STATUS_SOLVED) last = limit;
    else if (r.status != PERP_STATUS_TIME_LIMIT) fail_msg("%g s: %s", limit, r.message);
  }
  assert_true(last < 20.0);
  free(x);
  drop(s);
}

static void test_other_linear_solvers(void **state) {
  (void)state;
  perp_sample *s = make_with("wall", 8, "bodies", 12.0, "mode", 0.0, "condition", 1e5, NULL);
  const char *const names[] = {"sparse_ldl", "dense_lu", "sparse_lu", "dense_ldlt", "krylov"};
  double *x = calloc((size_t)s->n, sizeof *x);
  for (size_t k = 0; k < 2*(sizeof names/sizeof names[0]); k++) {
    perp_options o = perp_default_options(perp_find_method("active_set"));
    o.linear = perp_find_linear(names[k/2]);
    s->problem.A.claims = k%2 == 0 ? PERP_CLAIM_SYMMETRIC : 0;   // not claimed, but so
    memset(x, 0, (size_t)s->n*sizeof *x);
    const perp_result r = solve(&s->problem, x, &o);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", names[k/2], r.message);
    assert_true(r.factorizations > 0);
    assert_true(csc_residual(&s->csc, s->problem.b, NULL, NULL, x, NULL) < 1e-6);
  }
  int32_t p = 0;
  while (s->csc.row[p] == 0) p++;
  s->value[p] *= 1.0 + 1e-3;                                     // neither claimed nor so
  perp_options o = perp_default_options(perp_find_method("active_set"));
  o.linear = perp_find_linear("sparse_ldl");
  const perp_result r = solve(&s->problem, x, &o);
  assert_int_equal(r.status, PERP_STATUS_UNSOLVED);
  assert_non_null(strstr(r.message, "A is not symmetric"));
  free(x);
  drop(s);
}

// max of the concave pieces by brute force: sum of c_k |t - t_k| has slope changes 2 c_k.
static void test_breaks(void **state) {
  (void)state;
  support_state = 3;
  for (int trial = 0; trial < often(500); trial++) {
    kink breaks[20], copy[20];
    const int32_t count = whole(0, 20);
    double h = between(0.1, 1.0);
    const double g = -between(0.0, 30.0), start = h;
    for (int32_t k = 0; k < count; k++) {   // the second derivative stays positive
      breaks[k] = (kink){whole(0, 9)*1.0, between(0.0, 1.0)};
      copy[k] = breaks[k];
    }
    const double t = kinks_minimum(breaks, count, g, start);
    double derivative = g + h*t;
    for (int32_t k = 0; k < count; k++)
      if (copy[k].t < t) derivative += copy[k].slope*(t - copy[k].t);
    assert_true(fabs(derivative) < 1e-12*(1.0 - g));
  }
  assert_true(kinks_minimum(NULL, 0, -1.0, 0.0) == INF);
}

// On an ill-conditioned wall with free rows, given through its bodies, flips gain little: auto goes
// on with interior points, the method itself does not. Both find the solution.
static void test_auto_goes_on_with_interior_points(void **state) {
  (void)state;
  perp_sample *s = make_with("wall", 2, "bodies", 60.0, "condition", 1e8, NULL);
  perp_problem through = s->problem;
  through.A = perp_from_product(&s->product, 0);
  const char *const names[] = {"auto", "active_set"}, *const found_by[] = {"interior_point",
                                                                           "active_set"};
  for (size_t k = 0; k < 2; k++) {
    perp_options o = perp_default_options(perp_find_method(names[k]));
    double *x = calloc((size_t)s->n, sizeof *x);
    const perp_result r = solve(&through, x, &o);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    assert_string_equal(perp_method_name(r.method), found_by[k]);
    perp_certificate c;                        // by the entries of A
    assert_int_equal(perp_certify(&s->problem, x, 1e-8, 0.0, NULL, &c), PERP_OK);
    assert_true(c.residual <= 1e-8);
    free(x);
  }
  drop(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bearings), cmocka_unit_test(test_finer_grids),
    cmocka_unit_test(test_small_known_answers),
    cmocka_unit_test(test_walls), cmocka_unit_test(test_struck_walls),
    cmocka_unit_test(test_mixed_walls),
    cmocka_unit_test(test_bounds_and_rank), cmocka_unit_test(test_flips_that_cycle),
    cmocka_unit_test(test_honesty), cmocka_unit_test(test_time_limits),
    cmocka_unit_test(test_other_linear_solvers), cmocka_unit_test(test_breaks),
      cmocka_unit_test(test_auto_goes_on_with_interior_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
