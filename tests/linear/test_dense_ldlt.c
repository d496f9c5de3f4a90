// test_dense_ldlt.c: Bunch-Kaufman: backward error, inertia, singular blocks, deadlines.
#include "support.h"

#include <perp/method.h>

enum { N = 40 };

static double A[N*N];
static uint8_t is_free[N];

static void *analysed(const perp_operator *operator) {
  const perp_linear_ops *ldlt = perp_find_linear("dense_ldlt");
  assert_non_null(ldlt);
  assert_true(ldlt->accepts(operator));
  const perp_limits limits = {.n = operator->n};
  void *self = malloc(ldlt->bytes(&limits));
  assert_non_null(self);
  assert_int_equal(ldlt->analyse(self, operator, NULL, NULL), 0);
  return self;
}

static int always(void *context) {
  (void)context;
  return 1;
}

static double backward_error(int32_t n, const double *rhs, const double *z) {
  double worst = 0.0;
  for (int32_t i = 0; i < n; i++) {
    if (!is_free[i]) {
      assert_true(z[i] == 0.0);
      continue;
    }
    long double sum = -rhs[i], size = fabs(rhs[i]);
    for (int32_t j = 0; j < n; j++) {
      sum += (long double)A[i*n + j]*z[j];
      size += fabsl((long double)A[i*n + j]*z[j]);
    }
    if (size > 0.0L && (double)(fabsl(sum)/size) > worst) worst = (double)(fabsl(sum)/size);
  }
  return worst;
}

static void indefinite_systems_are_solved(void **state) {
  (void)state;
  const perp_linear_ops *ldlt = perp_find_linear("dense_ldlt");
  support_state = 2;
  for (int trial = 0; trial < often(200); trial++) {
    const int hollow = trial%2;   // a zero diagonal: blocks of two only
    for (int32_t i = 0; i < N; i++)
      for (int32_t j = 0; j <= i; j++) {
        const int e = trial%4 < 2 ? 0 : (i*7)%40 + (j*7)%40 - 40;   // and badly scaled
        A[i*N + j] = A[j*N + i] = hollow && i == j ? 0.0 : ldexp(between(-1, 1), e);
      }
    const perp_dense dense = {.n = N, .value = A};
    const perp_operator operator = perp_from_dense(&dense, PERP_CLAIM_SYMMETRIC);
    void *self = analysed(&operator);
    double rhs[N], z[N];
    for (int32_t i = 0; i < N; i++) {
      is_free[i] = trial < 4 || uniform() < 0.6;
      rhs[i] = between(-1, 1);
    }
    const int code = ldlt->update(self, is_free, NULL);
    assert_true(ldlt->estimate(self, is_free) >= 0.0);
    if (code == 0) {
      assert_int_equal(ldlt->solve(self, rhs, z, NULL), 0);
      assert_true(backward_error(N, rhs, z) < 1e-10);
    } else {
      assert_true(hollow);   // an odd number of rows with a zero diagonal can be singular
    }
    free(self);
  }
}

// Sylvester: C' diag(signs) C has the inertia of the signs.
// diag(s) B diag(s) in any units s is as regular as B, which is dominated by its diagonal; sparse,
// so that the largest entry of a row need not be the one that tells its unit.
static void units_do_not_make_it_singular(void **state) {
  (void)state;
  const perp_linear_ops *ldlt = perp_find_linear("dense_ldlt");
  support_state = 8;
  for (int trial = 0; trial < often(100); trial++) {
    double s[N], rhs[N], z[N];
    for (int32_t i = 0; i < N; i++) s[i] = ldexp(1.0, whole(-150, 150));
    for (int32_t i = 0; i < N; i++)
      for (int32_t j = 0; j <= i; j++) {
        const double b = i == j ? (i%3 ? 2.0 : -2.0) : uniform() < 0.05 ? between(-0.2, 0.2) : 0.0;
        A[i*N + j] = A[j*N + i] = s[i]*b*s[j];
      }
    const perp_dense dense = {.n = N, .value = A};
    const perp_operator operator = perp_from_dense(&dense, PERP_CLAIM_SYMMETRIC);
    void *self = analysed(&operator);
    for (int32_t i = 0; i < N; i++) {
      is_free[i] = 1;
      rhs[i] = s[i]*between(-1, 1);
    }
    assert_int_equal(ldlt->update(self, is_free, NULL), 0);
    assert_int_equal(ldlt->solve(self, rhs, z, NULL), 0);
    for (int32_t i = 0; i < N; i++) {
      long double sum = -rhs[i];
      for (int32_t j = 0; j < N; j++) sum += (long double)A[i*N + j]*z[j];
      assert_true(fabsl(sum) < 1e-12*s[i]);
    }
    free(self);
  }
}

// C'DC with any number of negative entries in D.
static void any_inertia_is_solved(void **state) {
  (void)state;
  const perp_linear_ops *ldlt = perp_find_linear("dense_ldlt");
  support_state = 4;
  for (int trial = 0; trial < often(50); trial++) {
    const int32_t negative = whole(0, N);
    double C[N*N], rhs[N], z[N];
    for (int32_t i = 0; i < N; i++)
      for (int32_t j = 0; j < N; j++) C[i*N + j] = between(-1, 1) + (i == j ? 3.0 : 0.0);
    for (int32_t i = 0; i < N; i++)
      for (int32_t j = 0; j <= i; j++) {
        double sum = 0.0;
        for (int32_t k = 0; k < N; k++)
          sum += (k < negative ? -1.0 : 1.0)*C[k*N + i]*C[k*N + j];
        A[i*N + j] = A[j*N + i] = sum;
      }
    const perp_dense dense = {.n = N, .value = A};
    const perp_operator operator = perp_from_dense(&dense, PERP_CLAIM_SYMMETRIC);
    void *self = analysed(&operator);
    memset(is_free, 1, sizeof is_free);
    assert_int_equal(ldlt->update(self, is_free, NULL), 0);
    for (int32_t i = 0; i < N; i++) rhs[i] = between(-1, 1);
    assert_int_equal(ldlt->solve(self, rhs, z, NULL), 0);
    for (int32_t i = 0; i < N; i++) {
      long double sum = -rhs[i], size = fabs(rhs[i]);
      for (int32_t j = 0; j < N; j++) {
        sum += (long double)A[i*N + j]*z[j];
        size += fabs(A[i*N + j]*z[j]);
      }
      assert_true(fabsl(sum) < 1e-12L*size);
    }
    free(self);
  }
}

static void singular_blocks_and_deadlines_are_told(void **state) {
  (void)state;
  const perp_linear_ops *ldlt = perp_find_linear("dense_ldlt");
  // rows 0 and 2 are parallel up to rounding; row 1 is tiny and has nothing to do with them
  static const double M[] = {1, 0, 3, 0, 1e-30, 0, 3, 0, 9};
  memcpy(A, M, sizeof M);
  const perp_dense dense = {.n = 3, .value = A};
  const perp_operator operator = perp_from_dense(&dense, PERP_CLAIM_SYMMETRIC);
  void *self = analysed(&operator);
  double rhs[3] = {1, 1e-30, 0}, z[3];
  assert_int_equal(ldlt->solve(self, rhs, z, NULL), 1);   // nothing factored yet
  memcpy(is_free, (uint8_t[]){1, 1, 1}, 3);
  const int code = ldlt->update(self, is_free, NULL);
  assert_true(code == 1 || code == 3);
  assert_int_equal(ldlt->solve(self, rhs, z, NULL), 1);
  is_free[2] = 0;
  assert_int_equal(ldlt->update(self, is_free, NULL), 0);
  assert_int_equal(ldlt->solve(self, rhs, z, NULL), 0);
  assert_true(z[0] == 1.0 && fabs(z[1] - 1.0) < 1e-15 && z[2] == 0.0);
  const perp_deadline over = {.passed = always};
  assert_int_equal(ldlt->solve(self, rhs, z, &over), -1);
  assert_int_equal(ldlt->update(self, is_free, &over), -1);
  memset(is_free, 0, 3);
  assert_int_equal(ldlt->update(self, is_free, NULL), 0);
  assert_int_equal(ldlt->solve(self, rhs, z, NULL), 0);
  free(self);
  const perp_operator unclaimed = perp_from_dense(&dense, PERP_CLAIM_NONE);
  assert_false(ldlt->accepts(&unclaimed));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(indefinite_systems_are_solved),
    cmocka_unit_test(units_do_not_make_it_singular),
    cmocka_unit_test(any_inertia_is_solved),
    cmocka_unit_test(singular_blocks_and_deadlines_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
