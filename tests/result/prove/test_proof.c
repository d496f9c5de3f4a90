// test_proof.c: what perp_prove claims is true of an exact solution, and it refuses honestly.
#include "support.h"

static perp_proof prove(const perp_problem *p, const double *x, double *low, double *high) {
  perp_proof proof;
  if (perp_prove(p, x, NULL, low, high, &proof) != PERP_OK) fail_msg("%s", perp_last_message());
  return proof;
}

// Integer data with the integer solution s.x, strictly complementary unless `degenerate`.
static sample built(int32_t n, int degenerate) {
  sample s = sample_new(n);
  double *y = calloc((size_t)n + 1, sizeof *y);
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) AT(&s, i, j) = whole(-3, 3) + (i == j ? 3*n + 1 : 0);
    const double x = s.x[i] = whole(-4, 4);
    const int kind = whole(0, 5);
    s.lo[i] = kind == 0 || kind == 2 ? -INF : kind == 3 || kind == 5 ? x - whole(1, 3) : x;
    s.hi[i] = kind == 2 ? x : kind == 3 ? x + whole(1, 3) : kind == 4 ? x : INF;
    y[i] = kind == 1 ? whole(1, 3) : kind == 2 ? -whole(1, 3) : kind == 4 ? whole(-3, 3) : 0;
    if (degenerate && i == n/2) s.lo[i] = x, s.hi[i] = INF, y[i] = 0;
  }
  sample_right_side(&s, y);
  free(y);
  return s;
}

static void the_exact_solution_is_inside(void **state) {
  (void)state;
  int proven = 0, count = often(200);
  for (int trial = 0; trial < count; trial++) {
    const int32_t n = whole(1, trial%20 == 0 ? 60 : 12);
    sample s = built(n, 0);
    double x[64], low[64], high[64], r[64], c[64];
    if (trial%2)
      for (int32_t i = 0; i < n; i++) r[i] = ldexp(1.0, whole(-20, 20)),
                                      c[i] = ldexp(1.0, whole(-20, 20));
    else
      for (int32_t i = 0; i < n; i++) r[i] = c[i] = 1.0;
    rescale(&s, r, c, s.x);
    for (int32_t i = 0; i < n; i++) x[i] = s.x[i] + 1e-9*between(-1, 1)/c[i];
    const perp_problem *p = uniform() < 0.5 ? sample_dense(&s) : sample_csc(&s, 0, 0);
    const perp_proof proof = prove(p, x, low, high);
    proven += proof.proven;
    for (int32_t i = 0; i < n && proof.proven; i++)
      if (!(low[i] <= s.x[i] && s.x[i] <= high[i]))
        fail_msg("trial %d, row %d: %.17g is not in [%.17g, %.17g]", trial, i, s.x[i], low[i],
                 high[i]);
    if (proof.proven && trial%2 == 0) assert_true(proof.width < 1e-12);
    sample_free(&s);
  }
  if (proven != count) fail_msg("only %d of %d proven", proven, count);
}

static void a_non_solution_is_refused(void **state) {
  (void)state;
  for (int trial = 0; trial < often(100); trial++) {
    const int32_t n = whole(2, 8);
    sample s = built(n, 0);
    double x[8], low[8], high[8];
    // without a solution: the last row reads 0 x - 1 >= 0
    for (int32_t j = 0; j < n; j++) AT(&s, n - 1, j) = 0.0;
    s.lo[n - 1] = 0.0, s.hi[n - 1] = INF, s.b[n - 1] = -1.0;
    for (int32_t i = 0; i < n; i++) x[i] = s.x[i];
    x[n - 1] = 0.0;
    const perp_proof proof = prove(sample_dense(&s), x, low, high);
    assert_int_equal(proof.proven, 0);
    assert_true(*proof.reason && low[0] == -INF && high[0] == INF);
    sample_free(&s);
  }
}

// x = (1/3, 0), y_2 = 3 x_1 - 1 = 0: no arithmetic with errors can tell the sign of y_2.
static void a_degenerate_solution_is_refused(void **state) {
  (void)state;
  const double M[] = {3, 0, 3, 1}, b[] = {-1, -1}, x[] = {1.0/3, 0};
  const perp_dense d = {.n = 2, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  double low[2], high[2];
  const perp_proof proof = prove(&p, x, low, high);
  assert_int_equal(proof.proven, 0);
  assert_int_equal(proof.worst, 1);
  assert_non_null(strstr(proof.reason, "degenerate"));
}

static void singular_blocks_are_refused(void **state) {
  (void)state;
  const double M[] = {1, 1, 1, 1}, b[] = {-1, -1}, x[] = {1.0/3, 2.0/3};
  const perp_dense d = {.n = 2, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  double low[2], high[2];
  const perp_proof proof = prove(&p, x, low, high);
  assert_int_equal(proof.proven, 0);
  assert_int_equal(proof.free_count, 2);
}

// The same, and a degenerate one, where x needs no rounding.
static void an_exact_x_needs_no_enclosure(void **state) {
  (void)state;
  const double M[] = {1, 1, 1, 1}, b[] = {-1, -1}, x[] = {0.5, 0.5}, corner[] = {1, 0};
  const perp_dense d = {.n = 2, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  double low[2], high[2];
  const perp_proof proof = prove(&p, x, low, high);
  assert_int_equal(proof.proven, 1);
  assert_int_equal(proof.free_count, 2);
  assert_true(proof.width == 0.0 && low[0] == 0.5 && high[1] == 0.5);
  assert_int_equal(prove(&p, corner, low, high).proven, 1);
  const double beside[] = {0.5, 0.25}, outside[] = {2, -1};
  assert_int_equal(prove(&p, beside, low, high).proven, 0);
  assert_int_equal(prove(&p, outside, low, high).proven, 0);
}

static void a_large_grid_is_proven(void **state) {
  (void)state;
  const int32_t n = 3000;
  int32_t *colptr = calloc((size_t)n + 1, sizeof *colptr), *row = calloc(3*(size_t)n, sizeof *row);
  double *value = calloc(3*(size_t)n, sizeof *value), *b = calloc((size_t)n, sizeof *b);
  double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
  double *low = calloc((size_t)n, sizeof *low), *high = calloc((size_t)n, sizeof *high);
  int32_t nnz = 0;
  for (int32_t j = 0; j < n; j++) {
    if (j > 0) row[nnz] = j - 1, value[nnz++] = -1.0;
    row[nnz] = j, value[nnz++] = 2.5;
    if (j < n - 1) row[nnz] = j + 1, value[nnz++] = -1.0;
    colptr[j + 1] = nnz;
    x[j] = j%5 == 0 ? 0.0 : 1.0 + j%3;
  }
  for (int32_t j = 0; j < n; j++)
    b[j] = (x[j] == 0.0) - 2.5*x[j] + (j > 0 ? x[j - 1] : 0) + (j < n - 1 ? x[j + 1] : 0);
  for (int32_t j = 0; j < n; j++) y[j] = x[j] + (x[j] > 0.0 ? 1e-8*(j%2) : 0.0);
  const perp_csc A = {n, n, colptr, row, value};
  const perp_problem p = {.A = perp_from_csc(&A, 0), .b = b};
  const perp_proof proof = prove(&p, y, low, high);
  if (!proof.proven) fail_msg("%s", proof.reason);
  assert_int_equal(proof.free_count, n - n/5);
  for (int32_t j = 0; j < n; j++) assert_true(low[j] <= x[j] && x[j] <= high[j]);
  free(colptr), free(row), free(value), free(b), free(x), free(y), free(low), free(high);
}

static void arguments(void **state) {
  (void)state;
  const perp_dense none = {.n = 0};
  const perp_problem empty = {.A = perp_from_dense(&none, 0)};
  perp_proof proof;
  assert_int_equal(perp_prove(&empty, NULL, NULL, NULL, NULL, &proof), PERP_OK);
  assert_int_equal(proof.proven, 1);
  assert_int_equal(perp_prove(NULL, NULL, NULL, NULL, NULL, &proof), PERP_ERROR_ARGUMENT);
  const double a = 1, b = -1, x = INF;
  double low, high;
  const perp_dense d = {.n = 1, .value = &a};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = &b};
  assert_int_equal(perp_prove(&p, &x, NULL, &low, &high, &proof), PERP_ERROR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_exact_solution_is_inside),
    cmocka_unit_test(a_non_solution_is_refused),
    cmocka_unit_test(a_degenerate_solution_is_refused),
    cmocka_unit_test(singular_blocks_are_refused),
    cmocka_unit_test(an_exact_x_needs_no_enclosure),
    cmocka_unit_test(a_large_grid_is_proven),
    cmocka_unit_test(arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
