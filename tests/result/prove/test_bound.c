// test_bound.c: an error bound is never smaller than the error, for every class that has one.
//
// All problems have integer data and an integer solution, so that the error is known exactly.
#include "support.h"

// Kinds of rows around an integer x*, and y* of the right sign; sometimes degenerate.
static void build(sample *s) {
  double *y = calloc((size_t)s->n + 1, sizeof *y);
  for (int32_t i = 0; i < s->n; i++) {
    const double x = s->x[i] = whole(-4, 4);
    const int kind = whole(0, 5);
    s->lo[i] = kind == 0 || kind == 2 ? -INF : kind == 3 ? x - whole(1, 3) : x;
    s->hi[i] = kind == 2 ? x : kind == 3 ? x + whole(1, 3) : kind == 4 ? x : INF;
    y[i] = kind == 1 || kind == 5 ? whole(0, 3)
           : kind == 2            ? -whole(0, 3)
           : kind == 4            ? whole(-3, 3)
                                  : 0;
  }
  sample_right_side(s, y);
  free(y);
}

static void h_matrix(sample *s, int z) {
  for (int32_t i = 0; i < s->n; i++) {
    double sum = 0.0;
    for (int32_t j = 0; j < s->n; j++) {
      if (i == j) continue;
      const double a = uniform() < 0.5 ? 0.0 : whole(-3, z ? 0 : 3);
      AT(s, i, j) = a;
      sum += fabs(a);
    }
    AT(s, i, i) = sum + whole(i == 0 ? 1 : 0, 1);
    if (AT(s, i, i) == 0.0) AT(s, i, i) = 1.0;
  }
}

static void definite_matrix(sample *s, int skew) {   // B B' + I (+ K - K')
  const int32_t n = s->n;
  double *B = calloc((size_t)n*(size_t)n + 1, sizeof *B);
  for (int32_t k = 0; k < n*n; k++) B[k] = whole(-2, 2);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      double sum = i == j;
      for (int32_t k = 0; k < n; k++) sum += B[i*n + k]*B[j*n + k];
      AT(s, i, j) = sum;
    }
  for (int32_t i = 0; i < n && skew; i++)
    for (int32_t j = 0; j < i; j++) {
      const double k = whole(-2, 2);
      AT(s, i, j) += k;
      AT(s, j, i) -= k;
    }
  free(B);
}

static perp_bound bound_of(const perp_problem *p, const double *x, double *bound) {
  perp_bound b;
  if (perp_error_bound(p, x, NULL, bound, &b) != PERP_OK) fail_msg("%s", perp_last_message());
  return b;
}

typedef enum kind { KIND_H, KIND_M, KIND_SPD, KIND_PD } kind;

static void bounds_hold(kind which, int scaled) {
  int known = 0, count = 0;
  for (int trial = 0; trial < often(150); trial++) {
    const int32_t n = whole(1, 12);
    sample s = sample_new(n);
    if (which == KIND_H || which == KIND_M) h_matrix(&s, which == KIND_M);
    else definite_matrix(&s, which == KIND_PD);
    build(&s);
    double r[12], c[12], x[12], bound[12], unused[12];
    if (scaled) {
      for (int32_t i = 0; i < n; i++) {
        c[i] = ldexp(1.0, whole(-20, 20));
        r[i] = which == KIND_SPD || which == KIND_PD ? c[i] : ldexp(1.0, whole(-20, 20));
        unused[i] = 0.0;
      }
      rescale(&s, r, c, unused);
      for (int32_t i = 0; i < n; i++) s.x[i] /= c[i];
    }
    const double size = pow(10.0, -whole(0, 12));
    for (int32_t i = 0; i < n; i++)
      x[i] = s.x[i] + (uniform() < 0.3 ? 0.0 : size*between(-1, 1)/(scaled ? c[i] : 1.0));
    const perp_bound b = bound_of(uniform() < 0.5 ? sample_dense(&s) : sample_csc(&s, 0, 0), x,
                                  bound);
    count++;
    known += b.known;
    double largest = 0.0;
    for (int32_t i = 0; i < n && b.known; i++) {
      const double error = fabs(x[i] - s.x[i]);
      if (!(error <= bound[i]))
        fail_msg("trial %d, row %d: error %g > bound %g: %s", trial, i, error, bound[i], b.reason);
      if (bound[i] > largest) largest = bound[i];
      // and it is of use: the condition of these matrices is moderate
      if (!scaled && !(bound[i] <= 1e5*size)) fail_msg("bound %g for %g: %s", bound[i], size,
                                                        b.reason);
    }
    if (b.known) assert_true(b.largest == largest);
    sample_free(&s);
  }
  if (known < count*9/10) fail_msg("only %d of %d known", known, count);
}

static void h_plus(void **state) {
  (void)state;
  for (int scaled = 0; scaled < 2; scaled++) bounds_hold(KIND_H, scaled);
}
static void m_matrices(void **state) {
  (void)state;
  for (int scaled = 0; scaled < 2; scaled++) bounds_hold(KIND_M, scaled);
}
static void spd(void **state) {
  (void)state;
  for (int scaled = 0; scaled < 2; scaled++) bounds_hold(KIND_SPD, scaled);
}
static void monotone(void **state) {
  (void)state;
  for (int scaled = 0; scaled < 2; scaled++) bounds_hold(KIND_PD, scaled);
}

static void an_exact_solution_has_no_error(void **state) {
  (void)state;
  const double M[] = {2, -1, -1, 2}, b[] = {-1, 5}, x[] = {0.5, 0};
  const perp_dense d = {.n = 2, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  double bound[2];
  const perp_bound found = bound_of(&p, x, bound);
  assert_int_equal(found.known, 1);
  assert_true(found.largest == 0.0 && bound[0] == 0.0 && bound[1] == 0.0);
}

static void verified_labels_sharpen_the_bound(void **state) {
  (void)state;
  // not H+: the solution is x = (1, 1, 0), y = (0, 0, 5)
  const double M[] = {4, 3, 3, 3, 4, 3, 3, 3, 4}, b[] = {-7, -7, -1};
  const double x[] = {1 + 1e-9, 1, 0};
  const perp_dense d = {.n = 3, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  double bound[3];
  const perp_bound found = bound_of(&p, x, bound);
  assert_int_equal(found.known, 1);
  assert_true(bound[2] == 0.0);              // known to be at its bound
  assert_true(bound[0] >= 1e-9 && bound[0] < 1e-7);
}

static void unknown_classes_have_no_bound(void **state) {
  (void)state;
  const double M[] = {0, 1, 1, 0}, b[] = {-1, -1}, x[] = {1, 1};
  const perp_dense d = {.n = 2, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  double bound[2];
  perp_bound found = bound_of(&p, x, bound);
  assert_int_equal(found.known, 0);
  assert_true(bound[0] == INF && *found.reason);
  const double singular[] = {1, -1, -1, 1};   // PSD, weakly dominant: no unique solution
  const perp_dense e = {.n = 2, .value = singular};
  const perp_problem q = {.A = perp_from_dense(&e, 0), .b = b};
  assert_int_equal(bound_of(&q, x, bound).known, 0);
  const double nan[] = {NAN, 0};
  assert_int_equal(perp_error_bound(&p, nan, NULL, bound, &found), PERP_ERROR_ARGUMENT);
  const perp_dense none = {.n = 0};
  const perp_problem empty = {.A = perp_from_dense(&none, 0)};
  assert_int_equal(perp_error_bound(&empty, NULL, NULL, NULL, &found), PERP_OK);
}

// The skew part 2^60 cancels in (A + A')/2, but what rounds in R A C does not: A_12 + A_21 is
// -2^60 (1 - 3 fl(1/3)) = -2^6, and the matrix is not definite.
static void a_skew_part_does_not_hide_its_rounding(void **state) {
  (void)state;
  const double M[] = {3, 0x1p60, -0x1p60, 1}, R[] = {1.0/3, 1}, C[] = {1, 3}, b[] = {-1, -1};
  const perp_dense d = {.n = 2, .value = M};
  perp_wrapper w;
  const perp_problem p = {.A = perp_scaled(&w, perp_from_dense(&d, 0), R, C), .b = b};
  double x[] = {0, 0}, bound[2];
  perp_bound found;
  assert_int_equal(perp_error_bound(&p, x, NULL, bound, &found), PERP_OK);
  assert_int_equal(found.known, 0);
}

static void a_large_grid_has_a_bound(void **state) {
  (void)state;
  const int32_t n = 4000;   // too large for elimination: -1, 2.01, -1
  int32_t *colptr = calloc((size_t)n + 1, sizeof *colptr), *row = calloc(3*(size_t)n, sizeof *row);
  double *value = calloc(3*(size_t)n, sizeof *value), *b = calloc((size_t)n, sizeof *b);
  double *x = calloc((size_t)n, sizeof *x), *bound = calloc((size_t)n, sizeof *bound);
  int32_t nnz = 0;
  for (int32_t j = 0; j < n; j++) {
    if (j > 0) row[nnz] = j - 1, value[nnz++] = -1.0;
    row[nnz] = j, value[nnz++] = 2.0 + 0x1p-7;
    if (j < n - 1) row[nnz] = j + 1, value[nnz++] = -1.0;
    colptr[j + 1] = nnz;
  }
  for (int32_t j = 0; j < n; j++)   // x* = 1 everywhere, y = 0
    b[j] = -0x1p-7 - (j == 0) - (j == n - 1), x[j] = 1.0 + 1e-6*(j%2);
  const perp_csc A = {n, n, colptr, row, value};
  const perp_problem p = {.A = perp_from_csc(&A, PERP_CLAIM_SYMMETRIC), .b = b};
  const perp_bound found = bound_of(&p, x, bound);
  assert_int_equal(found.known, 1);
  for (int32_t j = 0; j < n; j++) assert_true(bound[j] >= fabs(x[j] - 1.0));
  assert_true(found.largest < 1e-2);
  free(colptr), free(row), free(value), free(b), free(x), free(bound);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(h_plus),
    cmocka_unit_test(m_matrices),
    cmocka_unit_test(spd),
    cmocka_unit_test(monotone),
    cmocka_unit_test(an_exact_solution_has_no_error),
    cmocka_unit_test(verified_labels_sharpen_the_bound),
    cmocka_unit_test(unknown_classes_have_no_bound),
    cmocka_unit_test(a_skew_part_does_not_hide_its_rounding),
    cmocka_unit_test(a_large_grid_has_a_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
