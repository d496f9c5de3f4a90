// test_gradient_projection.c: gradient projection with CG on faces: known minima, phi that never
// rises, and what it does where there is none.
#include "bound_quadratic.h"

static perp_options options(void) {
  return perp_default_options(perp_find_method("gradient_projection"));
}

// COPS: minimum and rows at their bound of the bearing. MNS08 Table 4 has 19 incomplete
// factorisations of TRON on it.
static void bearing(void **state) {
  (void)state;
  perp_sample g;
  generated(&g, "bearing", "nx=100 ny=100", 0);
  double *x = calloc((size_t)g.n, sizeof *x);
  assert_non_null(x);
  static const char *const kinds[] = {"auto", "ic", "jacobi"};
  for (int k = 0; k < 3; k++) {
    perp_options o = options();
    assert_int_equal(perp_set_option(&o, "krylov.preconditioner", kinds[k]), PERP_OK);
    memset(x, 0, (size_t)g.n*sizeof *x);
    const perp_result r = solved_by(&o, &g.problem, x);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    assert_true(fabs(phi_of(&g, x) - -0.1805743697) < 1e-9);
    int32_t bound = 0;
    for (int32_t i = 0; i < g.n; i++) bound += x[i] == 0.0;
    assert_true(bound >= 3220 && bound <= 3232);
    if (k < 2) assert_true(r.factorizations <= 19);
    if (k == 0) assert_true(r.inner_iterations <= 150);   // modified incomplete Cholesky at work
  }
  free(x);
  perp_sample_free(&g);
}

static void known_answers(void **state) {
  (void)state;
  support_state = 81;
  static const char *const kinds[] = {"auto", "identity", "jacobi", "ic", "mic", "ainv_scaled"};
  for (int k = 0; k < often(180); k++) {
    sample s = quadratic(k%3 == 0 ? whole(1, 6) : whole(10, 60), 3, 0.1);
    double x[60] = {0};
    perp_options o = options();
    o.presolve = k%2;
    o.scale = k%5 != 0;
    assert_int_equal(perp_set_option(&o, "krylov.preconditioner", kinds[k%6]), PERP_OK);
    const perp_result r =
        solved_by(&o, k%4 < 2 ? sample_dense(&s) : sample_csc(&s, 0, 0), x);
    if (r.status != PERP_STATUS_SOLVED || farthest(&s, x) > 1e-5)
      fail_msg("%d: %s, %g from the known x", k, r.message, farthest(&s, x));
    sample_free(&s);
  }
}

static void nothing_and_one(void **state) {
  (void)state;
  perp_options o = options();
  o.presolve = 0;
  nothing_and_one_are_solved(&o, 1e-7);
}

// ---- phi never rises: seen through an operator that keeps what it was last multiplied by ----

typedef struct spy {
  const sample *s;
  double last[60];
  double phi;             // at the latest iterate
  int rises, iterations;
} spy;

static int spy_apply(void *context, const double *x, double *y) {
  spy *p = context;
  memcpy(p->last, x, (size_t)p->s->n*sizeof *x);
  for (int32_t i = 0; i < p->s->n; i++) {
    y[i] = 0.0;
    for (int32_t j = 0; j < p->s->n; j++) y[i] += AT(p->s, i, j)*x[j];
  }
  return 0;
}

// The last product of an iteration is that of x.
static int spy_iteration(void *context, const perp_statistics *statistics) {
  (void)statistics;
  spy *p = context;
  long double phi = 0.0L, size = 0.0L;
  for (int32_t i = 0; i < p->s->n; i++) {
    const double *x = p->last;
    phi += (long double)p->s->b[i]*x[i];
    size += fabsl((long double)p->s->b[i]*x[i]);
    for (int32_t j = 0; j < p->s->n; j++) phi += 0.5L*x[i]*AT(p->s, i, j)*x[j];
    assert_true(x[i] >= p->s->lo[i] && x[i] <= p->s->hi[i]);
  }
  p->rises += phi > p->phi + 1e-13*(double)size;
  p->phi = (double)phi;
  p->iterations++;
  return 0;
}

static void phi_never_rises(void **state) {
  (void)state;
  support_state = 82;
  int iterations = 0;
  for (int k = 0; k < often(60); k++) {
    sample s = quadratic(whole(20, 60), 3, k%2 ? 1e-4 : 0.1);
    spy p = {.s = &s, .phi = INF};
    const perp_callback callback = {.n = s.n, .apply = spy_apply, .context = &p};
    const perp_problem problem = {.A = perp_from_callback(&callback, PERP_CLAIM_SYMMETRIC),
                                  .b = s.b, .lo = s.lo, .hi = s.hi};
    perp_options o = options();
    double x[60] = {0};
    o.presolve = 0;
    o.split = PERP_SPLIT_NO;
    o.on_iteration = spy_iteration;
    o.context = &p;
    o.iteration_limit = 300;
    const perp_result r = solved_by(&o, &problem, x);
    assert_int_equal(p.rises, 0);
    if (k%2 == 0 && r.status != PERP_STATUS_SOLVED) fail_msg("%d: %s", k, r.message);
    iterations += p.iterations;
    sample_free(&s);
  }
  assert_true(iterations > 100);
}

static void singular_matrices(void **state) {
  (void)state;
  support_state = 83;
  for (int k = 0; k < often(60); k++) {
    sample s = quadratic(whole(20, 60), 2, 0.0);          // rank deficient, solvable
    double x[60] = {0}, size;
    const perp_options o = options();
    const perp_result r = solved_by(&o, sample_csc(&s, 0, 0), x);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("%d: %s", k, r.message);
    assert_true(own_residual(&s, x, &size) <= 1e-6*size);
    sample_free(&s);
  }
}

// phi falls without end: a proof where A is semidefinite, else only the truth.
static void no_minimum(void **state) {
  (void)state;
  for (int indefinite = 0; indefinite < 2; indefinite++) {
    sample s = sample_new(2);
    AT(&s, 0, 0) = AT(&s, 1, 1) = 1.0;
    AT(&s, 0, 1) = AT(&s, 1, 0) = indefinite ? -2.0 : -1.0;
    s.b[0] = s.b[1] = -1.0;
    double x[2] = {0};
    perp_options o = options();
    o.iteration_limit = 500;
    const perp_result r = solved_by(&o, sample_csc(&s, 0, 0), x);
    assert_int_not_equal(r.status, PERP_STATUS_SOLVED);
    if (!indefinite) assert_int_equal(r.status, PERP_STATUS_INFEASIBLE);
    assert_true(isfinite(x[0]) && isfinite(x[1]));
    sample_free(&s);
  }
  sample s = sample_new(2);                               // not symmetric
  AT(&s, 0, 0) = AT(&s, 1, 1) = 2.0;
  AT(&s, 0, 1) = 1.0;
  AT(&s, 1, 0) = -1.0;
  s.b[0] = s.b[1] = -1.0;
  double x[2] = {0};
  const perp_options o = options();
  const perp_result r = solved_by(&o, sample_csc(&s, 0, 0), x);
  assert_int_equal(r.status, PERP_STATUS_UNSOLVED);
  assert_non_null(strstr(r.message, "not symmetric"));
  sample_free(&s);
}

static void walls(void **state) {   // free rows; ill-conditioned
  (void)state;
  perp_sample g;
  generated(&g, "wall", "bodies=10 condition=1e5", 3);
  double *x = calloc((size_t)g.n, sizeof *x);
  assert_non_null(x);
  const perp_options o = options();
  assert_int_equal(solved_by(&o, &g.problem, x).status, PERP_STATUS_SOLVED);
  free(x);
  perp_sample_free(&g);
}

static void deadlines(void **state) {
  (void)state;
  perp_sample g;
  generated(&g, "wall", "bodies=20", 0);
  limits_are_kept(&g, options(), 0.5, 0.03);
  perp_sample_free(&g);
}

static void memory_may_fail(void **state) {
  (void)state;
  perp_sample g;
  generated(&g, "wall", "bodies=4 condition=1e3", 1);
  every_allocation_may_fail(&g.problem, options());
  perp_sample_free(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bearing),           cmocka_unit_test(known_answers),
      cmocka_unit_test(nothing_and_one),   cmocka_unit_test(phi_never_rises),
      cmocka_unit_test(singular_matrices), cmocka_unit_test(no_minimum),
      cmocka_unit_test(walls),             cmocka_unit_test(deadlines),
      cmocka_unit_test(memory_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
