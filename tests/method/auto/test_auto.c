// test_auto.c: what auto chooses and says, what runs in front of a method, and proofs that reach
// the caller through scaling, presolve and blocks.
#include "support.h"

static perp_result solve(const char *method, const perp_problem *p, double *x, double *farkas) {
  perp_options o = perp_default_options(perp_find_method(method));
  o.farkas = farkas;
  perp_result r;
  if (perp_solve_once(p, x, &o, &r) != PERP_OK) fail_msg("%s: %s", method, perp_last_message());
  return r;
}

static void generate(const char *family, const char *name, double value, uint64_t seed,
                     perp_sample *g) {
  const perp_family *f = perp_find_family(family);
  assert_non_null(f);
  double values[32];
  for (int32_t k = 0; k < f->parameter_count; k++)
    values[k] = strcmp(f->parameters[k].name, name) == 0 ? value : f->parameters[k].initial;
  assert_int_equal(perp_generate(f, values, seed, g), PERP_OK);
}

// The plan names the structure that was found.
static void plans(void **state) {
  (void)state;
  const struct {
    const char *family, *name;
    double value;
    const char *first, *why;
  } cases[] = {
      {"friction", "bodies", 6, "contact_sweep", "contacts with friction"},
      {"wall", "bodies", 6, "dantzig", "symmetric"},
      {"fluid2d", "size", 64, "active_set", "symmetric"},
      {"p-matrix", "n", 30, "lemke", "not symmetric"},
      {"fathi", "n", 3, "enumerate", "tiny"},
  };
  for (size_t k = 0; k < sizeof cases/sizeof cases[0]; k++) {
    perp_sample g;
    generate(cases[k].family, cases[k].name, cases[k].value, 1, &g);
    char plan[1024];
    assert_int_equal(perp_auto_plan(&g.problem, plan, sizeof plan), PERP_OK);
    if (strncmp(plan, cases[k].first, strlen(cases[k].first)) != 0 ||
        strstr(plan, cases[k].why) == NULL)
      fail_msg("%s: %s", cases[k].family, plan);
    double *x = calloc((size_t)g.n, sizeof *x);
    assert_non_null(x);
    const perp_result r = solve("auto", &g.problem, x, NULL);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    if (strstr(r.message, "auto ran ") == NULL) fail_msg("%s: %s", cases[k].family, r.message);
    free(x);
    perp_sample_free(&g);
  }
}

// A start hands its x on: with enough of it the method itself has nothing left to do, and its
// iterations are counted.
static void starts(void **state) {
  (void)state;
  const char *const names[] = {"pgs", "psor", "gradient"};
  for (int k = 0; k < 3; k++) {
    perp_sample g;
    generate("dense-pd", "n", 25, 3, &g);
    for (int32_t m = 0; m < perp_method_count(); m++) {
      const perp_method *method = perp_method_at(m);
      if ((method->traits & PERP_TRAIT_ALL) || !takes(method, &g.problem)) continue;
      perp_options o = perp_default_options(method);
      assert_int_equal(perp_set_option(&o, "start.method", names[k]), PERP_OK);
      assert_int_equal(perp_set_option(&o, "start.iterations", "7"), PERP_OK);
      perp_statistics trace[64];
      o.trace = trace;
      o.trace_capacity = 64;
      double *x = calloc((size_t)g.n, sizeof *x);
      perp_result r;
      assert_int_equal(perp_solve_once(&g.problem, x, &o, &r), PERP_OK);
      if (strcmp(method->name, "jacobi") != 0 && r.status != PERP_STATUS_SOLVED)
        fail_msg("%s after %s: %s", method->name, names[k], r.message);
      assert_true(r.iterations >= 7);
      o.start.iterations = 20000;   // the start solves it
      memset(x, 0, (size_t)g.n*sizeof *x);
      assert_int_equal(perp_solve_once(&g.problem, x, &o, &r), PERP_OK);
      assert_int_equal(r.status, PERP_STATUS_SOLVED);
      assert_string_equal(perp_method_name(r.method), k == 2 ? "apgd" : names[k]);
      free(x);
    }
    perp_sample_free(&g);
  }
  perp_options o = perp_default_options(NULL);
  assert_int_equal(perp_set_option(&o, "start.method", "newton"), PERP_ERROR_OPTION);
}

// An island that no x can satisfy, among solvable ones and badly scaled: the vector is one of the
// caller's problem, checked by hand: u >= 0, A'u <= 0, b'u < 0.
static void proofs_reach_the_caller(void **state) {
  (void)state;
  support_state = 6;
  int proven = 0;
  for (int trial = 0; trial < 60; trial++) {
    const int32_t n = 9;
    sample s = sample_new(n);
    for (int32_t i = 0; i < n; i++) {
      AT(&s, i, i) = whole(2, 5);
      s.b[i] = whole(-4, 4);
    }
    // rows 3 and 7: two contacts pressed against each other, [1 -1; -1 1], b_3 + b_7 < 0
    AT(&s, 3, 3) = AT(&s, 7, 7) = 1;
    AT(&s, 3, 7) = AT(&s, 7, 3) = -1;
    s.b[3] = whole(-9, 3);
    s.b[7] = -1 - s.b[3] - whole(0, 3);
    if (trial%2)   // tied to a solvable row
      AT(&s, 0, 3) = -1;
    double r[9], c[9];
    for (int32_t i = 0; i < n; i++) {
      r[i] = ldexp(1, whole(-30, 30));
      c[i] = ldexp(1, whole(-30, 30));
    }
    for (int32_t i = 0; i < n; i++) {
      s.b[i] *= r[i];
      for (int32_t j = 0; j < n; j++) AT(&s, i, j) *= r[i]*c[j];
    }
    double x[9] = {0}, u[9];
    for (int i = 0; i < 9; i++) u[i] = NAN;
    const perp_problem *p = trial%3 ? sample_dense(&s) : sample_csc(&s, 0, 0);
    const perp_result result = solve("auto", p, x, u);
    if (result.status != PERP_STATUS_INFEASIBLE) fail_msg("trial %d: %s", trial, result.message);
    assert_true(result.radius > 0);
    double value = 0;
    for (int32_t i = 0; i < n; i++) {
      assert_true(u[i] >= 0);
      value += u[i]*s.b[i];
    }
    assert_true(value < 0);
    for (int32_t j = 0; j < n && result.radius == INF; j++) {
      double sum = 0;
      for (int32_t i = 0; i < n; i++) sum += AT(&s, i, j)*u[i];
      assert_true(sum <= 0);
    }
    proven += result.radius == INF;
    perp_farkas again;
    assert_int_equal(perp_check_farkas(p, u, &again), PERP_OK);
    assert_true(again.proven);
    sample_free(&s);
  }
  assert_true(proven > 50);
}

// [1 1; 1 1 + 2^-k], b = (0, -1): x = (-2^k, 2^k) solves it exactly, however singular it looks.
static void far_solutions_are_not_denied(void **state) {
  (void)state;
  for (int k = 30; k <= 52; k++)
    for (int32_t m = 0; m < perp_method_count(); m++) {
      const double M[] = {1, 1, 1, 1 + ldexp(1, -k)}, b[] = {0, -1}, lo[] = {-INF, -INF};
      const perp_dense d = {.n = 2, .value = M};
      const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo};
      double x[2] = {0, 0};
      if (!takes(perp_method_at(m), &p)) continue;
      const perp_result r = solve(perp_method_at(m)->name, &p, x, NULL);
      if (r.status == PERP_STATUS_INFEASIBLE || r.status == PERP_STATUS_NO_SOLUTION)
        fail_msg("2^-%d, %s: %s", k, perp_method_at(m)->name, r.message);
    }
}

// Contacts without any friction have the pattern of (27) too.
static void smooth_contacts_are_contacts(void **state) {
  (void)state;
  perp_sample g;
  generate("friction", "mu", 0, 1, &g);
  assert_true(takes(perp_find_method("contact_sweep"), &g.problem));
  double *x = calloc((size_t)g.n, sizeof *x);
  assert_non_null(x);
  assert_int_equal(solve("auto", &g.problem, x, NULL).status, PERP_STATUS_SOLVED);
  free(x);
  perp_sample_free(&g);
}

// The limit counts for each rung, and a lowered one is respected.
static void limits(void **state) {
  (void)state;
  perp_sample g;
  generate("friction", "bodies", 12, 2, &g);
  double *x = calloc((size_t)g.n, sizeof *x);
  perp_options o = perp_default_options(perp_find_method("auto"));
  o.iteration_limit = 1;
  perp_result r;
  assert_int_equal(perp_solve_once(&g.problem, x, &o, &r), PERP_OK);
  assert_true(r.iterations >= 1 && r.iterations <= 16);
  o.iteration_limit = 0;
  memset(x, 0, (size_t)g.n*sizeof *x);
  assert_int_equal(perp_solve_once(&g.problem, x, &o, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_ITERATION_LIMIT);
  free(x);
  perp_sample_free(&g);
}

// A clock that a solve cannot read for nothing: every look costs a millisecond.
static double ticking(void *context) {
  double *now = context;
  return *now += 1e-3;
}

// The first rungs cannot solve it, and the search for a proof comes last. With a limit that is half
// as long again as all of this takes, the rungs and the proof are those without a limit.
static void rungs_do_not_depend_on_the_limit(void **state) {
  (void)state;
  enum { n = 400 };   // x_1 = x_2 and x_1 = x_2 + 1 between rows that keep every method busy
  sample s = sample_new(n);
  support_state = 5;
  for (int32_t i = 0; i < n; i++) AT(&s, i, i) = 2.0;
  for (int32_t i = 0; i + 1 < n; i++) AT(&s, i, i + 1) = AT(&s, i + 1, i) = -1.0;
  for (int32_t i = 0; i < n; i++) s.b[i] = between(-1, 1);
  AT(&s, 0, n - 1) = AT(&s, n - 1, 0) = -1.0;   // sums of rows vanish: sum b < 0 is infeasible
  double sum = 0.0;
  for (int32_t i = 0; i < n; i++) sum += s.b[i];
  s.b[0] -= sum + 1.0;
  const perp_problem *problem = sample_csc(&s, 0, 0);
  double now = 0.0, x[n] = {0};
  perp_options o = perp_default_options(perp_find_method("auto"));
  o.clock = ticking;
  o.clock_context = &now;
  o.presolve = 0;
  perp_result r;
  char without[sizeof r.message];
  static const double limits[] = {(double)INFINITY, 1e9, 0.0};
  double takes = 0.0;
  for (int k = 0; k < 3; k++) {
    const double begin = now;
    o.time_limit = limits[k] > 0.0 ? limits[k] : 1.5*takes;
    memset(x, 0, sizeof x);
    assert_int_equal(perp_solve_once(problem, x, &o, &r), PERP_OK);
    takes = now - begin;
    if (r.status != PERP_STATUS_INFEASIBLE) fail_msg("%s", r.message);
    assert_non_null(strstr(r.message, "auto ran "));
    if (k == 0) memcpy(without, r.message, sizeof without);
    assert_string_equal(r.message, without);
  }
  sample_free(&s);
}

// A singular problem is solved by way of A + sigma I, and both the message and the result say so.
static void sigma_is_told(void **state) {
  (void)state;
  enum { n = 600 };   // three equal contacts side by side, 200 times, in a chain
  sample s = sample_new(n);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      const int32_t d = i/3 - j/3;
      AT(&s, i, j) = d == 0 ? 2.0 : d == 1 || d == -1 ? -1.0 : 0.0;
    }
  for (int32_t i = 0; i < n; i++) s.b[i] = -1.0;
  const perp_problem *problem = sample_csc(&s, 0, 0);
  double x[n] = {0};
  const perp_result r = solve("interior_point", problem, x, NULL);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  assert_true(r.regularization > 0.0 && r.regularization <= 1e-5);
  double y = 0.0;   // the certificate is that of A: row 0 by hand
  for (int32_t j = 0; j < 6; j++) y += AT(&s, 0, j)*x[j];
  assert_true(fabs(y - 1.0) <= 1e-6);
  memset(x, 0, sizeof x);
  const perp_result swept = solve("pgs", problem, x, NULL);
  assert_true(swept.regularization == 0.0);
  sample_free(&s);
}

static void linear_solvers(void **state) {
  (void)state;
  for (int32_t k = 0; k < perp_linear_count(); k++) {
    const perp_linear_ops *ops = perp_linear_at(k);
    assert_ptr_equal(perp_find_linear(ops->name), ops);
    assert_true(ops->title != NULL && ops->bytes != NULL && ops->analyse != NULL);
  }
  assert_null(perp_linear_at(-1));
  assert_null(perp_linear_at(perp_linear_count()));
  assert_null(perp_find_linear("pastix"));
  assert_null(perp_find_linear(NULL));
}

// What was solved a moment ago, with a little noise on b, is solved from there without a factor.
static void nearly_right_guesses_need_no_factor(void **state) {
  (void)state;
  perp_sample g;
  generate("fluid2d", "size", 64, 1, &g);
  double *x = calloc((size_t)g.n, sizeof *x), *b = calloc((size_t)g.n, sizeof *b);
  assert_true(x != NULL && b != NULL);
  perp_result r = solve("auto", &g.problem, x, NULL);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  assert_true(r.factorizations > 0);
  for (int32_t i = 0; i < g.n; i++) b[i] = g.problem.b[i]*(1.0 + 1e-7*sin(7.0*i));
  perp_problem other = g.problem;
  other.b = b;
  r = solve("auto", &other, x, NULL);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  if (r.factorizations != 0 || strstr(r.message, "nearly right") == NULL)
    fail_msg("%d factorizations: %s", r.factorizations, r.message);
  free(b);
  free(x);
  perp_sample_free(&g);
}

// A few sweeps come before the factor of a general A: on `mixed` they are all it takes.
static void sweeps_come_before_a_factor(void **unused) {
  (void)unused;
  for (uint64_t seed = 0; seed < 5; seed++) {
    perp_sample g;
    generate("mixed", "n", 1000, seed, &g);
    double *x = calloc((size_t)g.n, sizeof *x);
    assert_non_null(x);
    const perp_result r = solve("auto", &g.problem, x, NULL);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    if (r.factorizations != 0 || r.method != perp_find_method("pgs"))
      fail_msg("%d factorizations: %s", r.factorizations, r.message);
    free(x);
    perp_sample_free(&g);
  }
}

// min 1/2 v'P v + q'v where B v >= c, with P a million times as large as B: [P -B'; B 0] is not
// symmetric, however small B is beside P.
static void small_multiplier_blocks_are_not_symmetric(void **unused) {
  (void)unused;
  enum { N = 40 };
  sample s = sample_new(2*N);
  double x[2*N] = {0};
  for (int32_t i = 0; i < N; i++) {
    AT(&s, i, i) = 1e6;
    AT(&s, N + i, i) = 1.0;
    AT(&s, i, N + i) = -1.0;
    if (i > 0) AT(&s, N + i, i - 1) = 1.0;
    if (i > 0) AT(&s, i - 1, N + i) = -1.0;
    s.lo[i] = -INF;
    s.hi[i] = s.hi[N + i] = INF;
    s.lo[N + i] = 0.0;
    s.b[i] = 1.0;
    s.b[N + i] = -1.0 - i;
  }
  perp_result r;
  assert_int_equal(perp_solve_once(sample_csc(&s, 0, 0), x, NULL, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  assert_null(strstr(r.message, "A is symmetric"));
  sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans),         cmocka_unit_test(starts),
      cmocka_unit_test(proofs_reach_the_caller), cmocka_unit_test(limits),
      cmocka_unit_test(rungs_do_not_depend_on_the_limit), cmocka_unit_test(sigma_is_told),
      cmocka_unit_test(linear_solvers), cmocka_unit_test(far_solutions_are_not_denied),
      cmocka_unit_test(smooth_contacts_are_contacts),
      cmocka_unit_test(nearly_right_guesses_need_no_factor),
      cmocka_unit_test(small_multiplier_blocks_are_not_symmetric),
      cmocka_unit_test(sweeps_come_before_a_factor),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
