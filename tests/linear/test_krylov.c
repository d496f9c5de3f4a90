// test_krylov.c: CG, CR, GMRES and BiCGStab, and the linear solver made of them.
#include "support.h"

#include "krylov.h"

enum { N_MAX = 60 };

static const perp_krylov solvers[] = {PERP_KRYLOV_CG, PERP_KRYLOV_CR, PERP_KRYLOV_GMRES,
                                      PERP_KRYLOV_BICGSTAB};
enum { SOLVERS = sizeof solvers/sizeof solvers[0] };

static int multiply(void *context, const double *in, double *out) {
  const sample *s = context;
  for (int32_t i = 0; i < s->n; i++) {
    out[i] = 0.0;
    for (int32_t j = 0; j < s->n; j++) out[i] += AT(s, i, j)*in[j];
  }
  return 0;
}

static int divide_by_diagonal(void *context, const double *in, double *out) {
  const sample *s = context;
  for (int32_t i = 0; i < s->n; i++) out[i] = in[i]/AT(s, i, i);
  return 0;
}

static krylov_result solve(perp_krylov solver, sample *s, int preconditioned, const double *rhs,
                           double *z, double tol, int32_t iterations, int32_t restart) {
  double *work = calloc(krylov_doubles(solver, s->n, restart) + 1, sizeof *work);
  assert_non_null(work);
  const krylov_map A = {multiply, s}, P = {preconditioned ? divide_by_diagonal : NULL, s};
  const krylov_result r = krylov_solve(solver, s->n, A, P, rhs, z, tol, iterations, restart, work,
                                       NULL);
  free(work);
  for (int32_t i = 0; i < s->n; i++) assert_true(isfinite(z[i]));
  return r;
}

// |rhs - A z| / |rhs| in long double
static double misfit(const sample *s, const double *rhs, const double *z) {
  long double sum = 0.0L, size = 0.0L;
  for (int32_t i = 0; i < s->n; i++) {
    long double r = rhs[i];
    for (int32_t j = 0; j < s->n; j++) r -= (long double)AT(s, i, j)*z[j];
    sum += r*r;
    size += (long double)rhs[i]*rhs[i];
  }
  return size > 0.0L ? (double)sqrtl(sum/size) : (double)sqrtl(sum);
}

static void expect_solved(perp_krylov solver, sample *s, const double *rhs, const char *what) {
  for (int preconditioned = 0; preconditioned < 2; preconditioned++) {
    double z[N_MAX];
    for (int32_t i = 0; i < s->n; i++) z[i] = between(-1, 1);
    const krylov_result r = solve(solver, s, preconditioned, rhs, z, 1e-10, 500, 30);
    const double own = misfit(s, rhs, z);
    if (!r.converged || !(own < 2e-10))
      fail_msg("%s, solver %d, preconditioned %d, n = %d: residual %g, said %g after %d", what,
               (int)solver, preconditioned, s->n, own, r.residual, r.iterations);
  }
}

static void definite_systems_are_solved_by_all(void **state) {
  (void)state;
  for (int trial = 0; trial < often(30); trial++) {
    sample s = sample_new(whole(1, N_MAX));
    symmetric_definite(&s);
    double rhs[N_MAX];
    for (int32_t i = 0; i < s.n; i++) rhs[i] = between(-1, 1);
    for (int k = 0; k < SOLVERS; k++) expect_solved(solvers[k], &s, rhs, "definite");
    sample_free(&s);
  }
}

static void unsymmetric_systems_are_solved_by_gmres_and_bicgstab(void **state) {
  (void)state;
  for (int trial = 0; trial < often(30); trial++) {
    sample s = sample_new(whole(1, N_MAX));
    double rhs[N_MAX];
    for (int32_t i = 0; i < s.n; i++) {
      for (int32_t j = 0; j < s.n; j++) AT(&s, i, j) = between(-1, 1)/sqrt(s.n);
      AT(&s, i, i) += 2.0;
      rhs[i] = between(-1, 1);
    }
    expect_solved(PERP_KRYLOV_GMRES, &s, rhs, "unsymmetric");
    expect_solved(PERP_KRYLOV_BICGSTAB, &s, rhs, "unsymmetric");
    sample_free(&s);
  }
}

// The graph Laplacian of a path: constants are its null space.
static void singular_consistent_systems_are_solved(void **state) {
  (void)state;
  for (int trial = 0; trial < often(20); trial++) {
    sample s = sample_new(whole(2, N_MAX));
    for (int32_t i = 0; i + 1 < s.n; i++) {
      const double w = between(0.5, 2);
      AT(&s, i, i) += w;
      AT(&s, i + 1, i + 1) += w;
      AT(&s, i, i + 1) = AT(&s, i + 1, i) = -w;
    }
    double v[N_MAX], rhs[N_MAX];
    for (int32_t i = 0; i < s.n; i++) v[i] = between(-1, 1);
    multiply(&s, v, rhs);
    for (int k = 0; k < 3; k++) {   // CG, CR and GMRES
      double z[N_MAX] = {0};
      const krylov_result r = solve(solvers[k], &s, 1, rhs, z, 1e-9, 2000, 60);
      if (!r.converged || !(misfit(&s, rhs, z) < 2e-9))
        fail_msg("singular, solver %d, n = %d: %g after %d", k, s.n, misfit(&s, rhs, z),
                 r.iterations);
    }
    double z[N_MAX] = {0};
    const krylov_result r = solve(PERP_KRYLOV_BICGSTAB, &s, 0, rhs, z, 1e-9, 2000, 60);
    assert_true(fabs(misfit(&s, rhs, z) - r.residual) < 1e-6);   // the truth, whatever it is
    sample_free(&s);
  }
}

static void breakdowns_are_told_and_leave_a_finite_answer(void **state) {
  (void)state;
  sample s = sample_new(2);
  const double rhs[] = {1, 1};
  AT(&s, 0, 0) = 1.0;   // indefinite: p'Ap = 0 at once
  AT(&s, 1, 1) = -1.0;
  double z[2] = {0, 0};
  krylov_result r = solve(PERP_KRYLOV_CG, &s, 0, rhs, z, 1e-10, 50, 10);
  assert_true(r.broken && !r.converged && r.residual <= 1.0);
  r = solve(PERP_KRYLOV_CR, &s, 0, rhs, z, 1e-10, 50, 10);
  assert_true(r.broken || r.converged);
  r = solve(PERP_KRYLOV_GMRES, &s, 0, rhs, z, 1e-10, 50, 10);
  assert_true(r.converged && fabs(z[0] - 1) < 1e-9 && fabs(z[1] + 1) < 1e-9);
  AT(&s, 0, 0) = AT(&s, 1, 1) = 0.0;   // a rotation: r'Ar = 0 always
  AT(&s, 0, 1) = 1.0;
  AT(&s, 1, 0) = -1.0;
  z[0] = z[1] = 0.0;
  r = solve(PERP_KRYLOV_BICGSTAB, &s, 0, rhs, z, 1e-10, 50, 10);
  assert_true(r.broken && !r.converged);
  r = solve(PERP_KRYLOV_GMRES, &s, 0, rhs, z, 1e-10, 50, 10);
  assert_true(r.converged && fabs(z[0] + 1) < 1e-9 && fabs(z[1] - 1) < 1e-9);
  for (int k = 0; k < SOLVERS; k++) {   // nothing at all to work with, and no solution
    AT(&s, 0, 1) = AT(&s, 1, 0) = 0.0;
    z[0] = z[1] = 0.0;
    r = solve(solvers[k], &s, 0, rhs, z, 1e-10, 50, 10);
    assert_true(!r.converged && r.residual == 1.0);
    AT(&s, 0, 0) = NAN;
    z[0] = z[1] = 0.0;
    r = solve(solvers[k], &s, 0, rhs, z, 1e-10, 50, 10);
    assert_true(!r.converged && r.broken);
    AT(&s, 0, 0) = 0.0;
  }
  sample_free(&s);
}

static void least_squares_of_an_inconsistent_system(void **state) {
  (void)state;
  sample s = sample_new(2);
  AT(&s, 0, 0) = 2.0;   // second row zero: the best residual is that of rhs_2
  const double rhs[] = {4, 3};
  double z[2] = {0, 0};
  const krylov_result r = solve(PERP_KRYLOV_GMRES, &s, 0, rhs, z, 1e-10, 50, 10);
  assert_true(!r.converged && fabs(r.residual - 0.6) < 1e-12 && fabs(z[0] - 2) < 1e-9);
  sample_free(&s);
}

// Rank-deficient and inconsistent: iterates run away along the null space, and the residual of the
// recurrence no longer tells. |z||A| 1e-13 is what the rounding of a residual allows for.
static void the_answer_is_never_worse_than_the_start(void **state) {
  (void)state;
  support_state = 31;
  for (int trial = 0; trial < often(200); trial++) {
    sample s = sample_new(whole(2, 30));
    for (int k = whole(0, s.n - 1); k > 0; k--) {
      double g[30];
      for (int32_t i = 0; i < s.n; i++) g[i] = uniform() < 0.4 ? whole(-2, 2) : 0.0;
      for (int32_t i = 0; i < s.n; i++)
        for (int32_t j = 0; j < s.n; j++) AT(&s, i, j) += g[i]*g[j];
    }
    double rhs[30], start[30], z[30];
    for (int32_t i = 0; i < s.n; i++) {
      rhs[i] = between(-1, 1);
      start[i] = trial%2 ? between(-1, 1) : 0.0;
    }
    const double allowed = fmin(1.0, misfit(&s, rhs, start));
    for (int k = 0; k < SOLVERS; k++) {
      memcpy(z, start, sizeof z);
      const krylov_result r = solve(solvers[k], &s, 0, rhs, z, 1e-10, 500, 10);
      double reach = 0.0, size = 0.0;
      for (int32_t i = 0; i < s.n; i++) {
        size += rhs[i]*rhs[i];
        for (int32_t j = 0; j < s.n; j++) reach += fabs(AT(&s, i, j)*z[j]);
      }
      const double rounding = 1e-13*(1.0 + reach/sqrt(size)), own = misfit(&s, rhs, z);
      if (!(own <= allowed + rounding) || !(fabs(own - r.residual) <= rounding))
        fail_msg("trial %d, solver %d: %g, said %g, at the start %g", trial, k, own, r.residual,
                 allowed);
    }
    sample_free(&s);
  }
}

static void answers_out_of_range_are_none(void **state) {
  (void)state;
  const struct { double a, rhs; } cases[] = {{1e-200, 1e200}, {1e200, 1e-200}, {1e160, 1e-160}};
  for (size_t c = 0; c < sizeof cases/sizeof cases[0]; c++)
    for (int k = 0; k < SOLVERS; k++) {
      sample s = sample_new(2);
      AT(&s, 0, 0) = AT(&s, 1, 1) = cases[c].a;
      const double rhs[] = {cases[c].rhs, 0.5*cases[c].rhs};
      double z[] = {0, 0};
      const krylov_result r = solve(solvers[k], &s, 0, rhs, z, 1e-10, 50, 10);
      const double own = fabs(cases[c].a*z[0]/cases[c].rhs - 1.0);   // of the larger row
      assert_true(!r.converged && own > 1e-10 && r.residual > 1e-10);
      sample_free(&s);
    }
}

static void edges(void **state) {
  (void)state;
  for (int k = 0; k < SOLVERS; k++) {
    sample none = sample_new(0);
    double nothing = 0.0;
    assert_true(solve(solvers[k], &none, 0, &nothing, &nothing, 1e-10, 10, 5).converged);
    sample_free(&none);
    sample s = sample_new(1);
    AT(&s, 0, 0) = 4.0;
    for (int e = -300; e <= 300; e += 100) {   // no overflow of squares
      const double rhs = ldexp(1.0, e*10/3);
      double z = 0.0;
      const krylov_result r = solve(solvers[k], &s, 0, &rhs, &z, 1e-12, 10, 5);
      assert_true(r.converged && fabs(4.0*z/rhs - 1.0) < 1e-12);
    }
    double z = 7.0;
    const double zero = 0.0;
    assert_true(solve(solvers[k], &s, 0, &zero, &z, 1e-12, 10, 5).converged && z == 0.0);
    const double inf = INF;
    assert_true(!solve(solvers[k], &s, 0, &inf, &z, 1e-12, 10, 5).converged && z == 0.0);
    sample_free(&s);
  }
}

static int passed(void *context) {
  (void)context;
  return 1;
}
static int aborts(void *context, const double *in, double *out) {   // a diagonal, for a while
  for (int32_t i = 0; i < N_MAX; i++) out[i] = (i + 1)*in[i];
  return ++*(int *)context > 2;
}

static void limits_deadline_and_abort_end_it(void **state) {
  (void)state;
  support_state = 5;
  sample s = sample_new(N_MAX);
  symmetric_definite(&s);
  double rhs[N_MAX];
  for (int32_t i = 0; i < s.n; i++) rhs[i] = between(-1, 1);
  for (int k = 0; k < SOLVERS; k++) {
    double z[N_MAX] = {0};
    krylov_result r = solve(solvers[k], &s, 0, rhs, z, 1e-14, 3, 10);
    assert_true(r.iterations <= 3 && !r.converged && r.residual < 1.0);
    assert_true(fabs(misfit(&s, rhs, z) - r.residual) < 1e-9);
    const perp_deadline deadline = {passed, NULL};
    double *work = calloc(krylov_doubles(solvers[k], s.n, 30), sizeof *work);
    assert_non_null(work);
    memset(z, 0, sizeof z);
    r = krylov_solve(solvers[k], s.n, (krylov_map){multiply, &s}, (krylov_map){NULL, NULL}, rhs, z,
                     1e-15, 1000, 30, work, &deadline);
    assert_true(r.iterations <= 8);
    int calls = 0;
    memset(z, 0, sizeof z);
    r = krylov_solve(solvers[k], s.n, (krylov_map){aborts, &calls}, (krylov_map){NULL, NULL}, rhs,
                     z, 1e-15, 1000, 30, work, NULL);
    assert_true(r.broken && !r.converged && calls < 10);
    for (int32_t i = 0; i < s.n; i++) assert_true(isfinite(z[i]));
    free(work);
  }
  sample_free(&s);
}

// ---- linear_krylov ----

static perp_options options_with(perp_inner inner, perp_krylov solver, perp_preconditioner kind) {
  perp_options o = perp_default_options(perp_find_method("minmap_newton"));
  o.newton.inner = (int32_t)inner;
  o.newton.gamma = 1e-12;
  o.krylov.solver = (int32_t)solver;
  o.krylov.preconditioner = (int32_t)kind;
  return o;
}

static void draw_set(int32_t n, uint8_t *is_free) {
  for (int32_t i = 0; i < n; i++) is_free[i] = uniform() < 0.6;
}

static int callback_apply(void *context, const double *x, double *y) {
  return multiply(context, x, y);
}

static void restricted_systems_agree_with_dense_lu(void **state) {
  (void)state;
  const perp_linear_ops *krylov = perp_find_linear("krylov"), *lu = perp_find_linear("dense_lu");
  assert_true(krylov != NULL && lu != NULL);
  for (int trial = 0; trial < often(40); trial++) {
    sample s = sample_new(whole(1, 30));
    const int symmetric = trial%2;
    if (symmetric) symmetric_definite(&s);
    for (int32_t i = 0; !symmetric && i < s.n; i++) {
      for (int32_t j = 0; j < s.n; j++)
        AT(&s, i, j) = uniform() < 0.4 ? between(-1, 1)/sqrt(s.n) : 0.0;
      AT(&s, i, i) += 3.0;
    }
    perp_callback callback = {.n = s.n, .apply = callback_apply, .context = &s};
    const perp_operator kinds[] = {sample_dense(&s)->A, sample_csc(&s, 0, 0)->A,
                                   perp_from_callback(&callback, 0)};
    const perp_operator A = kinds[trial%3];
    const perp_options o = options_with(uniform() < 0.5 ? PERP_INNER_KRYLOV : PERP_INNER_MASKS,
                                        symmetric ? (perp_krylov)whole(0, 4)
                                                  : whole(0, 1) ? PERP_KRYLOV_AUTO
                                                                : PERP_KRYLOV_BICGSTAB,
                                        (perp_preconditioner)whole(0, 8));
    const perp_limits limits = {.n = s.n};
    void *k = calloc(1, krylov->bytes(&limits)), *d = calloc(1, lu->bytes(&limits));
    assert_true(k != NULL && d != NULL);
    assert_int_equal(krylov->analyse(k, &A, &o, NULL), 0);
    assert_int_equal(lu->analyse(d, &kinds[0], &o, NULL), 0);
    for (int round = 0; round < 3; round++) {
      uint8_t is_free[30];
      double rhs[30], z[30], w[30];
      draw_set(s.n, is_free);
      for (int32_t i = 0; i < s.n; i++) rhs[i] = between(-1, 1);   // also where it must not matter
      assert_int_equal(krylov->update(k, is_free, NULL), 0);
      assert_int_equal(lu->update(d, is_free, NULL), 0);
      assert_int_equal(krylov->solve(k, rhs, z, NULL), 0);
      assert_int_equal(lu->solve(d, rhs, w, NULL), 0);
      for (int32_t i = 0; i < s.n; i++)
        if (!(fabs(z[i] - w[i]) <= 1e-9) || (!is_free[i] && z[i] != 0.0))
          fail_msg("trial %d (inner %d, solver %d, preconditioner %d), row %d: %g, not %g", trial,
                   o.newton.inner, o.krylov.solver, o.krylov.preconditioner, i, z[i], w[i]);
      assert_true(krylov->estimate(k, is_free) >= 0.0);
    }
    krylov->release(k);
    free(k);
    free(d);
    sample_free(&s);
  }
}

// The solution operator of a linear map is linear: z(u + v) = z(u) + z(v), and rhs_F has no part.
static void the_restricted_map_is_linear(void **state) {
  (void)state;
  support_state = 11;
  const perp_linear_ops *krylov = perp_find_linear("krylov");
  enum { N = 25 };
  sample s = sample_new(N);
  symmetric_definite(&s);
  const perp_operator A = sample_csc(&s, 0, 0)->A;
  for (int inner = PERP_INNER_KRYLOV; inner <= PERP_INNER_MASKS; inner++) {
    const perp_options o = options_with((perp_inner)inner, PERP_KRYLOV_CG, PERP_PRECONDITIONER_IC);
    const perp_limits limits = {.n = N};
    void *k = calloc(1, krylov->bytes(&limits));
    assert_non_null(k);
    assert_int_equal(krylov->analyse(k, &A, &o, NULL), 0);
    uint8_t is_free[N];
    double u[N], v[N], sum[N], zu[N], zv[N], zs[N];
    draw_set(N, is_free);
    assert_int_equal(krylov->update(k, is_free, NULL), 0);
    for (int32_t i = 0; i < N; i++) {
      u[i] = between(-1, 1);
      v[i] = between(-1e6, 1e6)*(is_free[i] ? 1e-6 : 1.0);   // huge where it must not matter
      sum[i] = u[i] + v[i];
    }
    assert_int_equal(krylov->solve(k, u, zu, NULL), 0);
    assert_int_equal(krylov->solve(k, v, zv, NULL), 0);
    assert_int_equal(krylov->solve(k, sum, zs, NULL), 0);
    for (int32_t i = 0; i < N; i++) assert_true(fabs(zs[i] - zu[i] - zv[i]) < 1e-9);
    assert_true(krylov->iterations(k) > 0);
    krylov->release(k);
    free(k);
  }
  sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(definite_systems_are_solved_by_all),
    cmocka_unit_test(unsymmetric_systems_are_solved_by_gmres_and_bicgstab),
    cmocka_unit_test(singular_consistent_systems_are_solved),
    cmocka_unit_test(breakdowns_are_told_and_leave_a_finite_answer),
    cmocka_unit_test(least_squares_of_an_inconsistent_system),
    cmocka_unit_test(the_answer_is_never_worse_than_the_start),
    cmocka_unit_test(answers_out_of_range_are_none),
    cmocka_unit_test(edges),
    cmocka_unit_test(limits_deadline_and_abort_end_it),
    cmocka_unit_test(restricted_systems_agree_with_dense_lu),
    cmocka_unit_test(the_restricted_map_is_linear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
