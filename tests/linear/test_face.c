// test_face.c: the face of a symmetric matrix, against plain products and by its counts.
#include "sparse_samples.h"

#include "counting.h"
#include "face.h"
#include "gallery_sample.h"

enum { LARGEST = 60 };

// max |((S + sigma I)_II v - r)_i| relative to |r|; v must be 0 on the other rows.
static double error_of(const sparse_sample *s, double sigma, const uint8_t *is_free,
                       const double *v, const double *r) {
  double worst = 0.0, size = 0.0;
  for (int32_t i = 0; i < s->n; i++) {
    if (!is_free[i]) {
      assert_true(v[i] == 0.0);
      continue;
    }
    double sum = sigma*v[i] - r[i];
    for (int32_t j = 0; j < s->n; j++) sum += s->dense[(size_t)i*(size_t)s->n + (size_t)j]*v[j];
    worst = fmax(worst, fabs(sum));
    size = fmax(size, fabs(r[i]));
  }
  return size > 0.0 ? worst/size : worst;
}

static void test_follows_the_free_rows(void **state) {
  (void)state;
  for (int trial = 0; trial < often(100); trial++) {
    const int32_t n = whole(1, LARGEST);
    sparse_sample s = sparse_dominant(n, between(0.0, 6.0), NULL);
    const perp_operator A = perp_from_csc(&s.csc, PERP_CLAIM_SYMMETRIC);
    uint8_t is_free[LARGEST];
    double r[LARGEST], v[LARGEST], sigma = 0.0;
    int failed;
    face *f = face_create(&A, FACE_SHIFTS, NULL, &failed);
    assert_non_null(f);
    v[0] = 1.0;
    assert_int_equal(face_solve(f, v, 1), 1);          // nothing is factored yet
    assert_true(v[0] == 0.0);
    for (int32_t i = 0; i < n; i++) is_free[i] = (uint8_t)whole(0, 1);
    for (int step = 0; step < 20; step++) {
      if (whole(0, 4) == 0) face_shift(f, sigma = between(0.0, 1.0));
      for (int32_t k = whole(0, 3); k > 0; k--) is_free[whole(0, n - 1)] ^= 1;
      assert_int_equal(face_update(f, is_free, NULL), 0);
      for (int32_t i = 0; i < n; i++) v[i] = r[i] = between(-1.0, 1.0);
      assert_int_equal(face_solve(f, v, step%3), 0);
      assert_true(error_of(&s, sigma, is_free, v, r) < 1e-12);
    }
    face_destroy(f);
    sparse_drop(&s);
  }
}

// If few rows change, the factor is modified. If all do, it is made again. If none do, it stays.
static void test_modifies_or_factors(void **state) {
  (void)state;
  perp_sample *made = make_with("obstacle", 1, "size", 30.0, NULL);
  const int32_t n = made->csc.columns;
  const perp_operator A = made->problem.A;
  uint8_t *is_free = calloc((size_t)n, 1);
  int failed;
  face *f = face_create(&A, FACE_SHIFTS, NULL, &failed);
  assert_non_null(f);
  for (int32_t i = 0; i < n; i++) is_free[i] = i%3 != 0;
  assert_true(isinf(face_flops_rows(f, is_free)));
  assert_int_equal(face_update(f, is_free, NULL), 0);
  assert_int_equal(face_factorizations(f), 1);
  assert_int_equal(face_update(f, is_free, NULL), 0);
  assert_int_equal(face_factorizations(f), 1);
  for (int32_t i = 0; i < 9; i += 3) is_free[i] = 1;
  assert_true(face_flops_rows(f, is_free) < face_flops_factor(f));
  assert_int_equal(face_update(f, is_free, NULL), 0);
  assert_int_equal(face_factorizations(f), 1);
  for (int32_t i = 0; i < n; i++) is_free[i] = !is_free[i];
  assert_true(face_flops_rows(f, is_free) > face_flops_factor(f));
  assert_int_equal(face_update(f, is_free, NULL), 0);
  assert_int_equal(face_factorizations(f), 2);
  face_shift(f, 0.0);                                    // as it was
  assert_int_equal(face_update(f, is_free, NULL), 0);
  assert_int_equal(face_factorizations(f), 2);
  face_shift(f, 1.0);
  assert_int_equal(face_update(f, is_free, NULL), 0);
  assert_int_equal(face_factorizations(f), 3);
  face_destroy(f);
  free(is_free);
  drop(made);
}

// A semidefinite block is refused, by factoring and by adding; without the row it is fine, and a
// shift makes all of it definite.
static void test_dependent_rows(void **state) {
  (void)state;
  const double dense[9] = {1, 1, 0, 1, 1, 0, 0, 0, 1e-9};
  sparse_sample s = {.n = 3, .dense = malloc(sizeof dense)};
  memcpy(s.dense, dense, sizeof dense);
  compress(&s);
  const perp_operator A = perp_from_csc(&s.csc, PERP_CLAIM_SYMMETRIC);
  int failed;
  face *f = face_create(&A, FACE_SHIFTS, NULL, &failed);
  assert_non_null(f);
  const int code = face_update(f, (const uint8_t[]){1, 1, 1}, NULL);
  assert_true(code == 1 || code == 2);
  double v[3] = {1, 1, 1};
  assert_int_equal(face_solve(f, v, 1), 1);
  assert_true(v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0);
  assert_int_equal(face_update(f, (const uint8_t[]){1, 0, 1}, NULL), 0);
  double w[3] = {2, 7, 3e-9};
  assert_int_equal(face_solve(f, w, 1), 0);              // 1e-9 is a unit, not a zero
  assert_true(fabs(w[0] - 2) < 1e-14 && w[1] == 0.0 && fabs(w[2] - 3) < 1e-14);
  const int added = face_update(f, (const uint8_t[]){1, 1, 1}, NULL);
  assert_true(added == 1 || added == 2);
  assert_int_equal(face_update(f, (const uint8_t[]){0, 1, 1}, NULL), 0);
  face_shift(f, 0.5);
  assert_int_equal(face_update(f, (const uint8_t[]){1, 1, 0}, NULL), 0);
  double u[3] = {1, 0, 5};                               // [1.5 1; 1 1.5]^-1 [1; 0] = [1.2; -0.8]
  assert_int_equal(face_solve(f, u, 1), 0);
  assert_true(fabs(u[0] - 1.2) < 1e-14 && fabs(u[1] + 0.8) < 1e-14 && u[2] == 0.0);
  face_destroy(f);
  s.value[0] = -1.0;                                     // a negative pivot is none
  f = face_create(&A, FACE_SHIFTS, NULL, &failed);
  assert_non_null(f);
  assert_int_equal(face_update(f, (const uint8_t[]){1, 0, 0}, NULL), 1);
  face_destroy(f);
  sparse_drop(&s);
}

// A factor that has drifted is noticed by the residual of a solve. Rows of a matrix of condition
// 1e10 that come and go leave their roundings.
static void test_drift_is_noticed(void **state) {
  (void)state;
  enum { N = 40 };
  sparse_sample s = {.n = N, .dense = calloc(N*N, sizeof(double))};
  for (int32_t i = 0; i < N; i++)
    for (int32_t j = 0; j < N; j++) s.dense[i*N + j] = 1.0 + (i == j ? 1e-10 : 0.0);
  compress(&s);
  const perp_operator A = perp_from_csc(&s.csc, PERP_CLAIM_SYMMETRIC);
  uint8_t is_free[N];
  memset(is_free, 1, sizeof is_free);
  int failed;
  face *f = face_create(&A, FACE_SHIFTS, NULL, &failed);
  assert_non_null(f);
  for (int step = 0; step < often(3000); step++) {
    is_free[whole(0, N - 1)] ^= 1;
    if (face_update(f, is_free, NULL) != 0) fail();
    if (step%10 != 0) continue;
    double r[N], v[N], size = 0.0, worst = 0.0;
    for (int32_t i = 0; i < N; i++) v[i] = r[i] = between(-1.0, 1.0);
    assert_int_equal(face_solve(f, v, 1), 0);
    for (int32_t i = 0; i < N; i++) size = fmax(size, fabs(v[i]));
    for (int32_t i = 0; i < N; i++) {
      if (!is_free[i]) continue;
      double sum = -r[i];
      for (int32_t j = 0; j < N; j++) sum += s.dense[i*N + j]*v[j];
      worst = fmax(worst, fabs(sum));
    }
    assert_true(worst <= 1e-10*(N*size + 1.0));
  }
  face_destroy(f);
  sparse_drop(&s);
}

static int always(void *context) { return context == NULL; }

static void test_deadline(void **state) {
  (void)state;
  sparse_sample s = sparse_dominant(40, 4.0, NULL);
  const perp_operator A = perp_from_csc(&s.csc, PERP_CLAIM_SYMMETRIC);
  uint8_t is_free[40];
  memset(is_free, 1, sizeof is_free);
  const perp_deadline over = {.passed = always};
  int failed;
  face *f = face_create(&A, FACE_SHIFTS, NULL, &failed);
  assert_non_null(f);
  assert_int_equal(face_update(f, is_free, &over), -1);
  assert_int_equal(face_update(f, is_free, NULL), 0);
  is_free[3] = 0;
  assert_int_equal(face_update(f, is_free, &over), -1);
  double v[40] = {1};
  assert_int_equal(face_solve(f, v, 1), 1);
  assert_int_equal(face_update(f, is_free, NULL), 0);
  assert_int_equal(face_factorizations(f), 2);
  face_destroy(f);
  sparse_drop(&s);
}

static void test_sizes_zero_and_one(void **state) {
  (void)state;
  const int32_t colptr[2] = {0, 0};
  const perp_csc nothing = {0, 0, colptr, NULL, NULL}, zero = {1, 1, colptr, NULL, NULL};
  const perp_operator A = perp_from_csc(&nothing, PERP_CLAIM_SYMMETRIC),
                      B = perp_from_csc(&zero, PERP_CLAIM_SYMMETRIC);
  int failed;
  face *f = face_create(&A, FACE_SHIFTS, NULL, &failed);
  double v[1] = {3};
  assert_non_null(f);
  assert_int_equal(face_update(f, (const uint8_t[]){0}, NULL), 0);
  assert_int_equal(face_solve(f, v, 1), 0);
  face_destroy(f);
  f = face_create(&B, FACE_SHIFTS, NULL, &failed);
  assert_non_null(f);
  assert_int_equal(face_update(f, (const uint8_t[]){1}, NULL), 1);
  assert_int_equal(face_update(f, (const uint8_t[]){0}, NULL), 0);
  face_shift(f, 2.0);
  assert_int_equal(face_update(f, (const uint8_t[]){1}, NULL), 0);
  assert_int_equal(face_solve(f, v, 1), 0);
  assert_true(v[0] == 1.5);
  face_destroy(f);
}

static void test_memory_fails_cleanly(void **state) {
  (void)state;
  sparse_sample s = sparse_dominant(20, 3.0, NULL);
  const perp_operator A = perp_from_csc(&s.csc, PERP_CLAIM_SYMMETRIC);
  for (int64_t at = 1;; at++) {
    counter c = {.fail_at = at};
    const perp_allocator allocator = {counted_allocate, counted_release, &c};
    int failed;
    face *f = face_create(&A, FACE_SHIFTS, &allocator, &failed);
    if (f != NULL) {
      face_destroy(f);
      assert_int_equal(c.live, 0);
      assert_true(at > 10);
      break;
    }
    assert_int_equal(failed, -2);
    assert_int_equal(c.live, 0);
  }
  sparse_drop(&s);
}

static void test_asymmetric_pattern(void **state) {
  (void)state;
  const int32_t colptr[3] = {0, 2, 3}, row[3] = {0, 1, 1};
  const double value[3] = {1, 1, 1};
  const perp_csc lower = {2, 2, colptr, row, value};
  const perp_operator A = perp_from_csc(&lower, 0);
  int failed;
  assert_null(face_create(&A, FACE_SHIFTS, NULL, &failed));
  assert_int_equal(failed, 2);
}

// As a linear solver: k counts free rows.
static void test_linear_solver(void **state) {
  (void)state;
  const double dense[9] = {1, 0, 0, 0, 1, 1, 0, 1, 1};
  sparse_sample s = {.n = 3, .dense = malloc(sizeof dense)};
  memcpy(s.dense, dense, sizeof dense);
  compress(&s);
  const perp_operator A = perp_from_csc(&s.csc, PERP_CLAIM_SYMMETRIC);
  const perp_linear_ops *ops = perp_find_linear("sparse_ldl");
  assert_non_null(ops);
  assert_true(ops->accepts(&A));
  void *self = malloc(ops->bytes(&(perp_limits){.n = 3}));
  assert_int_equal(ops->analyse(self, &A, NULL, NULL), 0);
  double z[3];
  assert_int_equal(ops->solve(self, (const double[]){1, 2, 3}, z, NULL), 1);
  const int code = ops->update(self, (const uint8_t[]){0, 1, 1}, NULL);
  assert_true(code == 1 || code == 2);
  assert_true(ops->estimate(self, (const uint8_t[]){1, 0, 1}) > 0.0);
  assert_int_equal(ops->update(self, (const uint8_t[]){1, 0, 1}, NULL), 0);
  assert_int_equal(ops->solve(self, (const double[]){1, 2, 3}, z, NULL), 0);
  assert_true(z[0] == 1.0 && z[1] == 0.0 && z[2] == 3.0);
  const perp_deadline over = {.passed = always};
  assert_int_equal(ops->solve(self, (const double[]){1, 2, 3}, z, &over), -1);
  ops->release(self);
  free(self);
  sparse_drop(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_follows_the_free_rows), cmocka_unit_test(test_modifies_or_factors),
    cmocka_unit_test(test_dependent_rows),
    cmocka_unit_test(test_drift_is_noticed), cmocka_unit_test(test_deadline),
    cmocka_unit_test(test_sizes_zero_and_one), cmocka_unit_test(test_memory_fails_cleanly),
    cmocka_unit_test(test_asymmetric_pattern), cmocka_unit_test(test_linear_solver),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
