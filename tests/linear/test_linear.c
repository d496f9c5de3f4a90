// test_linear.c: the dense linear solver and the small kernels behind it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/gallery.h>
#include <perp/method.h>

#include "dense_kernels.h"
#include "small_simplex.h"


// max |A_II z_I - rhs_I| / (|A_II||z_I| + |rhs_I|), and z_F must be 0
static double backward_error(int32_t n, const double *A, const uint8_t *is_free, const double *rhs,
                             const double *z) {
  double worst = 0.0;
  for (int32_t i = 0; i < n; i++) {
    if (!is_free[i]) {
      assert_true(z[i] == 0.0);
      continue;
    }
    double sum = -rhs[i], size = fabs(rhs[i]);
    for (int32_t j = 0; j < n; j++) {
      sum += A[i*n + j]*z[j];
      size += fabs(A[i*n + j]*z[j]);
    }
    if (size > 0.0 && fabs(sum)/size > worst) worst = fabs(sum)/size;
  }
  return worst;
}

static int always(void *context) {
  (void)context;
  return 1;
}

static void test_dense_lu(void **state) {
  (void)state;
  enum { N = 40 };
  static double A[N*N];
  const perp_linear_ops *lu = perp_find_linear("dense_lu");
  for (int32_t i = 0; i < N*N; i++) A[i] = perp_random_normal(1, (uint64_t)i);
  for (int32_t i = 0; i < N; i++)   // badly scaled rows and columns are none of its worries
    for (int32_t j = 0; j < N; j++) A[i*N + j] *= ldexp(1.0, (i*7)%60 - (j*11)%60);
  const perp_dense dense = {.n = N, .value = A};
  const perp_operator operator = perp_from_dense(&dense, PERP_CLAIM_NONE);
  assert_true(lu->accepts(&operator));
  const perp_limits limits = {.n = N};
  void *self = malloc(lu->bytes(&limits));
  assert_int_equal(lu->analyse(self, &operator, NULL, NULL), 0);
  uint8_t is_free[N];
  double rhs[N], z[N];
  for (int32_t i = 0; i < N; i++) rhs[i] = perp_random_normal(2, (uint64_t)i)*ldexp(1.0, (i*7)%60);
  for (int32_t trial = 0; trial < 50; trial++) {
    for (int32_t i = 0; i < N; i++)
      is_free[i] = trial == 0 ? 0 : trial == 1 ? 1
          : perp_random_uniform(3, (uint64_t)(trial*N + i)) < 0.5;
    assert_true(lu->estimate(self, is_free) >= 0.0);
    assert_int_equal(lu->update(self, is_free, NULL), 0);
    assert_int_equal(lu->solve(self, rhs, z, NULL), 0);
    assert_true(backward_error(N, A, is_free, rhs, z) < 1e-12);
  }
  const perp_deadline over = {.passed = always}, never = {0};
  assert_int_equal(lu->solve(self, rhs, z, &never), 0);
  assert_int_equal(lu->solve(self, rhs, z, &over), -1);
  assert_int_equal(lu->update(self, is_free, &over), -1);
  assert_int_equal(lu->solve(self, rhs, z, NULL), 1);   // no factor was made
  free(self);
}

static void test_dense_lu_singular(void **state) {
  (void)state;
  const perp_linear_ops *lu = perp_find_linear("dense_lu");
  // Rows 0 and 2 are parallel up to rounding; row 1 is free of them and tiny.
  const double A[9] = {0.1, 0.2, 0.3, 0, 1e-12, 0, 0.3, 0.6, 0.9};
  const perp_dense dense = {.n = 3, .value = A};
  const perp_operator operator = perp_from_dense(&dense, PERP_CLAIM_NONE);
  const perp_limits limits = {.n = 3};
  void *self = malloc(lu->bytes(&limits));
  double z[3], rhs[3] = {1, 1, 1};
  assert_int_equal(lu->analyse(self, &operator, NULL, NULL), 0);
  assert_int_equal(lu->solve(self, rhs, z, NULL), 1);                      // nothing factored yet
  assert_int_equal(lu->update(self, (const uint8_t[]){1, 1, 1}, NULL), 3);
  assert_int_equal(lu->solve(self, rhs, z, NULL), 1);
  // 1e-12 is a unit, not a zero
  assert_int_equal(lu->update(self, (const uint8_t[]){1, 1, 0}, NULL), 0);
  assert_int_equal(lu->solve(self, rhs, z, NULL), 0);
  assert_true(fabs(z[1] - 1e12) < 1.0);
  assert_int_equal(lu->update(self, (const uint8_t[]){0, 0, 0}, NULL), 0);
  assert_int_equal(lu->solve(self, rhs, z, NULL), 0);
  free(self);
  const double zero[1] = {0};
  const perp_dense nothing = {.n = 1, .value = zero};
  const perp_operator null = perp_from_dense(&nothing, PERP_CLAIM_NONE);
  const perp_limits one = {.n = 1};
  self = malloc(lu->bytes(&one));
  assert_int_equal(lu->analyse(self, &null, NULL, NULL), 0);
  assert_int_equal(lu->update(self, (const uint8_t[]){1}, NULL), 1);
  free(self);
}

static int count_polls(void *context) {
  ++*(int *)context;
  return 0;
}

// Not once a panel of 32 columns: with 10000 rows that is a second.
static void test_dense_lu_polls(void **state) {
  (void)state;
  enum { M = 700 };
  double *S = malloc(M*M*sizeof *S);
  int32_t *pivot = malloc(M*sizeof *pivot);
  assert_true(S != NULL && pivot != NULL);
  for (int32_t k = 0; k < M*M; k++) S[k] = sin(0.37*k*(k%89)) + (k%(M + 1) == 0 ? 3.0 : 0.0);
  int polls = 0;
  const perp_deadline deadline = {count_polls, &polls};
  assert_int_equal(lu_factor(M, S, pivot, 0.0, &deadline), 0);
  assert_true(polls > 40);   // 22 panels
  free(S);
  free(pivot);
}

static void test_affine(void **state) {
  (void)state;
  enum { M = 7 };
  for (int32_t rank = 0; rank <= M; rank++) {
    double S[M*M] = {0}, copy[M*M], rhs[M] = {0}, x[M], N[M*M], smallest;
    int32_t order[M];
    for (int32_t k = 0; k < rank; k++)
      for (int32_t i = 0; i < M; i++)
        for (int32_t j = 0; j < M; j++)
          S[i*M + j] += perp_random_normal(4, (uint64_t)(k*M + i))*perp_random_normal(5,
              (uint64_t)(k*M + j));
    for (int32_t i = 0; i < M; i++)
      for (int32_t j = 0; j < M; j++) rhs[i] += S[i*M + j]*(j + 1.0);      // consistent
    double right[M];
    memcpy(copy, S, sizeof copy);
    memcpy(right, rhs, sizeof right);
    assert_int_equal(lu_affine(M, M, S, rhs, 1e-13, order, x, N, &smallest), rank);
    const int32_t nullity = M - rank;
    for (int32_t i = 0; i < M; i++) {
      double sum = -right[i];
      for (int32_t j = 0; j < M; j++) sum += copy[i*M + j]*x[j];
      assert_true(fabs(sum) < 1e-10);
      for (int32_t q = 0; q < nullity; q++) {
        double image = 0.0;
        for (int32_t j = 0; j < M; j++) image += copy[i*M + j]*N[j*nullity + q];
        assert_true(fabs(image) < 1e-10);
      }
    }
  }
}

static void test_slack(void **state) {
  (void)state;
  // The triangle t >= 0, t1 + t2 <= 1: the point farthest from all three (in these units).
  const double G[6] = {-1, 0, 0, -1, 1, 1}, h[3] = {0, 0, 1};
  double t[2], u[4], work[64];
  int32_t basis[16];
  assert_true(simplex_doubles(4, 2) <= 64);
  simplex_result r = simplex_maximise(3, 2, G, h, t, u, work, basis);
  assert_true(r.finished && fabs(r.slack - 1.0/3.0) < 1e-14);
  assert_true(fabs(t[0] - 1.0/3.0) < 1e-14 && fabs(t[1] - 1.0/3.0) < 1e-14);
  // Empty: t <= -1 and t >= 1.
  const double G1[2] = {1, -1}, empty[2] = {-1, -1}, point[2] = {2, -2}, wide[2] = {5, 5};
  r = simplex_maximise(2, 1, G1, empty, t, u, work, basis);
  assert_true(r.finished && r.slack == -1.0);
  // A single point: both inequalities are equalities, and their multipliers say so.
  r = simplex_maximise(2, 1, G1, point, t, u, work, basis);
  assert_true(r.finished && fabs(r.slack) < 1e-15 && fabs(t[0] - 2.0) < 1e-15 && u[0] > 0.1 &&
              u[1] > 0.1);
  // Wide: the slack is capped at 1.
  r = simplex_maximise(2, 1, G1, wide, t, u, work, basis);
  assert_true(r.finished && r.slack == 1.0);
  // t1 = t2 = 0 hidden in t1 >= 0, t2 >= 0, t1 + t2 <= 0, with t2 <= 1 not tight.
  const double G4[8] = {-1, 0, 0, -1, 1, 1, 0, 1}, h4[4] = {0, 0, 0, 1};
  r = simplex_maximise(4, 2, G4, h4, t, u, work, basis);
  assert_true(r.finished && fabs(r.slack) < 1e-15 && u[0] > 0.1 && u[1] > 0.1 && u[2] > 0.1 &&
              u[3] == 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_dense_lu), cmocka_unit_test(test_dense_lu_singular),
    cmocka_unit_test(test_dense_lu_polls), cmocka_unit_test(test_affine),
    cmocka_unit_test(test_slack),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
