// test_lemke_condition.c: Lemke's method on matrices that are nearly singular, with exact answers.
//
// Entries and answers are whole numbers, or powers of two, so that the problem in the computer is
// the one that was meant, however large its condition number.
#include "support.h"

enum { MOST = 16 };

static void check(sample *s, const double *exact, double tol, const char *what, int number) {
  double x[MOST], size = 0.0;
  sample_csc(s, 0, 0);
  for (int32_t i = 0; i < s->n; i++) size = fmax(size, fabs(exact[i]));
  for (int mode = 0; mode < 16; mode++) {
    perp_options o = perp_default_options(perp_find_method("lemke"));
    perp_result r;
    o.pivot.basis = mode & 1 ? PERP_BASIS_DENSE : PERP_BASIS_SPARSE;
    o.pivot.crash = mode & 2 ? 0 : 30;
    o.pivot.harris = mode & 4 ? 0 : 1;
    o.presolve = mode & 8 ? 0 : 1;
    memset(&r, 0, sizeof r);
    memset(x, 0, sizeof x);
    assert_int_equal(perp_solve_once(&s->problem, x, &o, &r), PERP_OK);
    if (r.status != PERP_STATUS_SOLVED)
      fail_msg("%s %d, mode %d: %s", what, number, mode, r.message);
    for (int32_t i = 0; i < s->n; i++)
      if (!(fabs(x[i] - exact[i]) <= tol*size))
        fail_msg("%s %d, mode %d: x_%d = %.17g, not %.17g", what, number, mode, i, x[i], exact[i]);
  }
}

// [1 +-1; +-1 1 + 2^-k], b = (0, -1): x = (-+2^k, 2^k), condition 2^(k + 2).
static void two_rows_that_nearly_agree(void **state) {
  (void)state;
  for (int k = 20; k <= 48; k++)
    for (int kind = 0; kind < 3; kind++) {   // both free, one free, an LCP
      const double sign = kind == 2 ? -1.0 : 1.0;
      sample s = sample_new(2);
      AT(&s, 0, 0) = 1.0;
      AT(&s, 0, 1) = AT(&s, 1, 0) = sign;
      AT(&s, 1, 1) = 1.0 + ldexp(1.0, -k);
      s.b[1] = -1.0;
      if (kind < 2) s.lo[0] = -INF;
      if (kind < 1) s.lo[1] = -INF;
      const double exact[] = {-sign*ldexp(1.0, k), ldexp(1.0, k)};
      check(&s, exact, 1e-7, "two rows", k);
      sample_free(&s);
    }
}

// Pascal's matrix P = L L', L_ij = (i over j), has L^-1_ij = (-1)^(i - j) (i over j): with all rows
// free x = -L'^-1 L^-1 b in whole numbers. Its condition is 2e16 at n = 14.
static void pascals_matrix_with_free_rows(void **state) {
  (void)state;
  support_state = 31;
  for (int trial = 0; trial < often(24); trial++) {
    const int32_t n = 6 + 2*(trial%5);   // 14 at most
    int64_t L[MOST][MOST] = {{0}}, y[MOST];
    double exact[MOST];
    sample s = sample_new(n);
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= i; j++) L[i][j] = j == 0 || j == i ? 1 : L[i - 1][j - 1] + L[i - 1][j];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) AT(&s, i, j) += (double)(L[i][k]*L[j][k]);
      s.lo[i] = -INF;
      s.b[i] = whole(-5, 5);
    }
    for (int i = 0; i < n; i++) {
      y[i] = 0;
      for (int j = 0; j <= i; j++) y[i] += ((i - j)%2 ? -1 : 1)*L[i][j]*(int64_t)s.b[j];
    }
    for (int i = 0; i < n; i++) {
      int64_t sum = 0;
      for (int j = i; j < n; j++) sum += ((j - i)%2 ? -1 : 1)*L[j][i]*y[j];
      exact[i] = -(double)sum;
    }
    check(&s, exact, 1e-4, "Pascal, n =", n);
    sample_free(&s);
  }
}

// The same with an answer that is given: signs x_i >= 0 in half of the rows.
static void pascals_matrix_with_bounds(void **state) {
  (void)state;
  support_state = 32;
  for (int trial = 0; trial < often(24); trial++) {
    const int32_t n = 4 + trial%7;
    sample s = sample_new(n);
    double y[MOST], x[MOST] = {0}, size;
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        AT(&s, i, j) = i == 0 || j == 0 ? 1.0 : AT(&s, i - 1, j) + AT(&s, i, j - 1);
    for (int i = 0; i < n; i++) {
      const int free_row = whole(0, 1);
      s.lo[i] = free_row ? -INF : 0.0;
      s.x[i] = free_row ? whole(-3, 3) : whole(0, 1)*whole(0, 3);
      y[i] = free_row || s.x[i] > 0.0 ? 0.0 : whole(0, 3);
    }
    sample_right_side(&s, y);
    for (int basis = PERP_BASIS_DENSE; basis <= PERP_BASIS_SPARSE; basis++) {
      perp_options o = perp_default_options(perp_find_method("lemke"));
      perp_result r;
      o.pivot.basis = basis;
      memset(&r, 0, sizeof r);
      assert_int_equal(perp_solve_once(sample_csc(&s, 0, 0), x, &o, &r), PERP_OK);
      if (r.status != PERP_STATUS_SOLVED) fail_msg("n = %d: %s", n, r.message);
      assert_true(own_residual(&s, x, &size) <= 1e-8*(1.0 + size));
    }
    sample_free(&s);
  }
}

// Dependent free rows stay that, whatever rounding makes of them: a third row that is the sum of
// two others, scaled by 1/3 and so not quite, belongs to a consistent system.
static void dependent_rows_are_no_large_numbers(void **state) {
  (void)state;
  support_state = 33;
  for (int trial = 0; trial < often(100); trial++) {
    const int32_t n = whole(3, 9);
    sample s = sample_new(n);
    double y[MOST], x[MOST] = {0}, size;
    for (int i = 0; i < n - 1; i++)
      for (int j = 0; j < n; j++) AT(&s, i, j) = between(-1, 1);
    for (int j = 0; j < n; j++) AT(&s, n - 1, j) = (AT(&s, 0, j) + AT(&s, 1, j))/3.0;
    for (int i = 0; i < n; i++) {
      s.lo[i] = -INF;
      s.x[i] = between(-1, 1);
      y[i] = 0.0;
    }
    sample_right_side(&s, y);
    perp_options o = perp_default_options(perp_find_method("lemke"));
    perp_result r;
    memset(&r, 0, sizeof r);
    assert_int_equal(perp_solve_once(sample_csc(&s, 0, 0), x, &o, &r), PERP_OK);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("n = %d: %s", n, r.message);
    assert_true(own_residual(&s, x, &size) <= 1e-8*(1.0 + size));
    for (int i = 0; i < n; i++) assert_true(fabs(x[i]) < 1e8);
    sample_free(&s);
  }
}

// Rows and columns in units that differ by 2^60 each, and no scaling: R M C, M positive definite.
static void units_do_not_matter_without_scaling(void **state) {
  (void)state;
  support_state = 34;
  for (int trial = 0; trial < often(300); trial++) {
    const int32_t n = whole(1, 8);
    sample s = sample_new(n);
    double y[MOST], x[MOST] = {0}, C[MOST];
    int M[8][8] = {{0}}, G[8];
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < n; i++) G[i] = whole(-2, 2);
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) M[i][j] += G[i]*G[j] + (k == 0 && i == j);
    }
    for (int i = 0; i < n; i++)
      for (int j = 0; j < i; j++) {
        const int skew = whole(-2, 2);
        M[i][j] += skew;
        M[j][i] -= skew;
      }
    for (int j = 0; j < n; j++) C[j] = ldexp(1.0, whole(-30, 30));
    for (int i = 0; i < n; i++) {
      const double R = ldexp(1.0, whole(-30, 30));
      const int size = whole(1, 4), between_bounds = whole(0, 1);
      for (int j = 0; j < n; j++) AT(&s, i, j) = R*C[j]*M[i][j];
      s.x[i] = between_bounds ? size/C[i] : 0.0;
      y[i] = between_bounds ? 0.0 : R*size;
    }
    sample_right_side(&s, y);   // exact: whole numbers times powers of two, row by row
    sample_csc(&s, 0, 0);
    for (int mode = 0; mode < 4; mode++) {
      perp_options o = perp_default_options(perp_find_method("lemke"));
      perp_result r;
      o.scale = o.presolve = 0;
      o.pivot.basis = mode%2 ? PERP_BASIS_DENSE : PERP_BASIS_SPARSE;
      o.pivot.crash = mode/2*30;
      memset(&r, 0, sizeof r);
      memset(x, 0, sizeof x);
      assert_int_equal(perp_solve_once(&s.problem, x, &o, &r), PERP_OK);
      if (r.status != PERP_STATUS_SOLVED) fail_msg("trial %d, mode %d: %s", trial, mode, r.message);
      for (int i = 0; i < n; i++)   // the only solution
        assert_true(fabs(C[i]*(x[i] - s.x[i])) <= 1e-6);
    }
    sample_free(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_rows_that_nearly_agree),
      cmocka_unit_test(pascals_matrix_with_free_rows),
      cmocka_unit_test(pascals_matrix_with_bounds),
      cmocka_unit_test(units_do_not_matter_without_scaling),
      cmocka_unit_test(dependent_rows_are_no_large_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
