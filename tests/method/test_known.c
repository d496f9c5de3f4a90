// test_known.c: problems whose answers are known in closed form or printed in the literature.
#include "support.h"

static perp_result solve(const char *method, const perp_problem *p, double *x) {
  perp_options o = perp_default_options(perp_find_method(method));
  perp_result r;
  if (perp_solve_once(p, x, &o, &r) != PERP_OK) fail_msg("%s: %s", method, perp_last_message());
  return r;
}

static void close_to(const char *method, const double *x, const double *answer, int32_t n,
                     double tol) {
  for (int32_t i = 0; i < n; i++)
    if (!(fabs(x[i] - answer[i]) <= tol))
      fail_msg("%s: x[%d] = %.12g, expected %.12g", method, i, x[i], answer[i]);
}

static void one_variable(void **state) {
  (void)state;
  const struct {
    double a, b, lo, hi, x;
    perp_status status;
  } cases[] = {
      {1, -9.8, 0, INF, 9.8, PERP_STATUS_SOLVED},
      {1, 9.8, 0, INF, 0, PERP_STATUS_SOLVED},
      {1, 0, 0, INF, 0, PERP_STATUS_SOLVED},
      {2, -9.8, 0, 1, 1, PERP_STATUS_SOLVED},
      {2, 9.8, -3, 1, -3, PERP_STATUS_SOLVED},
      {2, 9.8, -INF, INF, -4.9, PERP_STATUS_SOLVED},
      {-1, 1, 0, INF, 0, PERP_STATUS_SOLVED},
      {0, 1, 0, INF, 0, PERP_STATUS_SOLVED},
      {0, -1, 0, 4, 4, PERP_STATUS_SOLVED},
      {0, -1, 0, INF, 0, PERP_STATUS_INFEASIBLE},
      {0, 1, -INF, 5, 0, PERP_STATUS_INFEASIBLE},
      {0, 0, 0, INF, NAN, PERP_STATUS_SOLVED},  // any x
      {5, 7, 3, 3, 3, PERP_STATUS_SOLVED},
      {1e-30, -1e-30, 0, INF, 1, PERP_STATUS_SOLVED},
      {1e30, -1e30, 0, INF, 1, PERP_STATUS_SOLVED},
  };
  for (int32_t k = 0; k < perp_method_count(); k++)
    for (size_t c = 0; c < sizeof cases/sizeof cases[0]; c++) {
      const perp_dense d = {.n = 1, .value = &cases[c].a};
      const perp_problem p = {
          .A = perp_from_dense(&d, 0), .b = &cases[c].b, .lo = &cases[c].lo, .hi = &cases[c].hi};
      double x = 0.0;
      const char *name = perp_method_at(k)->name;
      if (!takes(perp_method_at(k), &p)) continue;
      const perp_result r = solve(name, &p, &x);
      if (r.status != cases[c].status)
        fail_msg("%s, case %zu: %s: %s", name, c, perp_status_name(r.status), r.message);
      if (r.status == PERP_STATUS_SOLVED && !isnan(cases[c].x))
        close_to(name, &x, &cases[c].x, 1, 1e-7*(1 + fabs(cases[c].x)));
    }
  const double a = -1,
               b = -1;  // y = -x - 1 < 0: no solution, and no linear proof of it at x = 0 alone
  const perp_dense d = {.n = 1, .value = &a};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = &b};
  for (int32_t k = 0; k < perp_method_count(); k++) {
    double x = 0.0;
    if (!takes(perp_method_at(k), &p)) continue;
    assert_int_not_equal(solve(perp_method_at(k)->name, &p, &x).status, PERP_STATUS_SOLVED);
  }
  double x = 0.0;
  assert_int_equal(solve("enumerate", &p, &x).status, PERP_STATUS_NO_SOLUTION);
  assert_int_equal(solve("auto", &p, &x).status, PERP_STATUS_INFEASIBLE);   // u = 1
}

static void three_by_three(void **state) {
  (void)state;
  const double M[] = {60, 26, 37, 26, 36, 29, 37, 29, 30}, b[] = {-1, -1, -1},
               answer[] = {0, 1.0/239, 7.0/239};
  const perp_dense d = {.n = 3, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, PERP_CLAIM_SYMMETRIC), .b = b};
  const char *const names[] = {"enumerate", "auto", "pgs", "psor", "nncg", "apgd"};
  for (int k = 0; k < 6; k++) {
    double x[3] = {0};
    const perp_result r = solve(names[k], &p, x);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", names[k], r.message);
    close_to(names[k], x, answer, 3, 1e-6);
  }
}

static void murty_and_fathi(void **state) {
  (void)state;
  for (int32_t n = 1; n <= 14; n++) {
    sample m = sample_new(n), e = sample_new(n), f = sample_new(n);
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n; j++) {
        AT(&m, i, j) = AT(&e, i, j) = j == i ? 1 : j > i ? 2 : 0;
        AT(&f, i, j) = i == j ? 4*i + 1 : 4*(i < j ? i : j) + 2;
      }
      m.b[i] = f.b[i] = -1;
      e.b[i] = -(ldexp(1.0, n + 1) - ldexp(1.0, i + 1));  // -(2^i + ... + 2^n), i from 1
    }
    m.x[n - 1] = 1;
    e.x[n - 1] = ldexp(1.0, n);
    f.x[0] = 1;
    double x[14];
    const char *const names[] = {"pgs", "auto", "enumerate"};
    for (int k = 0; k < 3; k++) {
      sample *const both[] = {&m, &e};
      for (int q = 0; q < 2; q++) {  // triangular: presolve alone unravels them
        memset(x, 0, sizeof x);
        assert_int_equal(solve(names[k], sample_csc(both[q], 0, 0), x).status, PERP_STATUS_SOLVED);
        close_to(names[k], x, both[q]->x, n, 1e-9*both[q]->x[n - 1]);
        perp_options o = perp_default_options(perp_find_method(names[k]));
        o.presolve = 0;
        perp_result r;
        memset(x, 0, sizeof x);
        assert_int_equal(perp_solve_once(&both[q]->problem, x, &o, &r), PERP_OK);
        if (r.status == PERP_STATUS_SOLVED)
          close_to(names[k], x, both[q]->x, n, 1e-4*both[q]->x[n - 1]);
        else
          assert_string_not_equal(names[k], "enumerate");
      }
    }
    const char *const symmetric[] = {"enumerate", "auto", "pgs", "psor", "nncg", "apgd"};
    for (int k = 0; k < 6; k++) {
      memset(x, 0, sizeof x);
      const perp_result r = solve(symmetric[k], sample_dense(&f), x);
      if (r.status != PERP_STATUS_SOLVED) fail_msg("fathi %d, %s: %s", n, symmetric[k], r.message);
      if (n < 8) close_to(symmetric[k], x, f.x, n, 1e-4);
    }
    sample_free(&m);
    sample_free(&e);
    sample_free(&f);
  }
}

static void newton_cycle(
    void **state) {  // [1 0 a; a 1 0; 0 a 1], b = 1: the solution is 0, Newton cycles for a > 1
  (void)state;
  for (int k = 0; k < perp_method_count(); k++) {
    const double a = 1.5, M[] = {1, 0, a, a, 1, 0, 0, a, 1}, b[] = {1, 1, 1}, zero[] = {0, 0, 0};
    const perp_dense d = {.n = 3, .value = M};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
    double x[] = {1, 0, 0};
    if (!takes(perp_method_at(k), &p)) continue;
    const perp_result r = solve(perp_method_at(k)->name, &p, x);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    close_to(perp_method_at(k)->name, x, zero, 3, 0);
  }
}

static void no_solution(void **state) {  // feasible but unsolvable; minus the identity; rank one
  (void)state;
  const double M[] = {0, 1, 0, 0}, b[] = {-1, 1};
  const perp_dense d = {.n = 2, .value = M};
  perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  for (int k = 0; k < perp_method_count(); k++) {
    double x[] = {0, 1e8};
    if (!takes(perp_method_at(k), &p)) continue;
    const perp_result r = solve(perp_method_at(k)->name, &p, x);
    assert_int_not_equal(r.status, PERP_STATUS_SOLVED);
    assert_int_not_equal(r.status, PERP_STATUS_INFEASIBLE);
  }
  enum { N = 5 };  // -I, b = 1: 2^n solutions, every x_i in {0, 1}
  sample s = sample_new(N);
  for (int i = 0; i < N; i++) {
    AT(&s, i, i) = -1;
    s.b[i] = 1;
  }
  assert_int_equal(solve("enumerate", sample_dense(&s), s.x).solutions, 1 << N);
  for (int i = 0; i < N; i++) s.b[i] = -1;
  memset(s.x, 0, N*sizeof *s.x);
  assert_int_equal(solve("enumerate", sample_dense(&s), s.x).status, PERP_STATUS_NO_SOLUTION);
  sample_free(&s);
}

static void redundant_contacts(
    void **state) {  // rank one, consistent: a body on many identical contacts
  (void)state;
  enum { N = 30 };
  sample s = sample_new(N);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) AT(&s, i, j) = 1;
    s.b[i] = -9.8;
  }
  const char *const names[] = {"pgs", "psor", "nncg", "apgd", "auto"};
  for (int k = 0; k < 5; k++) {
    memset(s.x, 0, N*sizeof *s.x);
    const perp_result r = solve(names[k], sample_dense(&s), s.x);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += s.x[i];
    if (r.status != PERP_STATUS_SOLVED || fabs(sum - 9.8) > 1e-6)
      fail_msg("%s: %s, sum %g", names[k], r.message, sum);
  }
  sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_variable),    cmocka_unit_test(three_by_three),
      cmocka_unit_test(murty_and_fathi), cmocka_unit_test(newton_cycle),
      cmocka_unit_test(no_solution),     cmocka_unit_test(redundant_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
