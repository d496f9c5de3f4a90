// test_friction.c: the contact LCP E13 (27): one contact by hand, piles of spheres, rows in any
// order, contacts without friction, and what the friction methods must refuse.
#include "support.h"

#include "gallery_sample.h"

static const char *const exact_methods[] = {"contact_sweep", "convex_friction", "proximal", "lemke",
                                            "auto"};
enum { EXACT = sizeof exact_methods/sizeof exact_methods[0] };

// max |min(x, A x + b)|, by plain loops over the columns
static double residual_of(const perp_csc *A, const double *b, const double *x) {
  double *y = malloc((size_t)A->columns*sizeof *y), worst = 0.0;
  assert_non_null(y);
  memcpy(y, b, (size_t)A->columns*sizeof *y);
  for (int32_t j = 0; j < A->columns; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) y[A->row[p]] += A->value[p]*x[j];
  for (int32_t i = 0; i < A->columns; i++) worst = fmax(worst, fabs(fmin(x[i], y[i])));
  free(y);
  return worst;
}

static perp_result solve(const char *method, const perp_csc *A, const double *b, double *x) {
  const perp_problem p = {.A = perp_from_csc(A, PERP_CLAIM_NONE), .b = b};
  const perp_options o = perp_default_options(perp_find_method(method));
  perp_result r;
  memset(x, 0, (size_t)A->columns*sizeof *x);
  if (perp_solve_once(&p, x, &o, &r) != PERP_OK) fail_msg("%s: %s", method, perp_last_message());
  return r;
}

// A point of mass 1 that moves in a plane with velocity (v_n, v_t); rows: normal, t, -t, slack.
static void one_contact(void **unused) {
  (void)unused;
  const double mu = 0.5;
  const int32_t colptr[] = {0, 2, 5, 8, 10}, row[] = {0, 3, 1, 2, 3, 1, 2, 3, 1, 2};
  const double value[] = {1, mu, 1, -1, -1, -1, 1, -1, 1, 1};
  const perp_csc A = {4, 4, colptr, row, value};
  const struct { double normal, tangent, impulse, friction, slack; } cases[] = {
      {-1, 0.3, 1, 0.3, 0},      // sticks: 0.3 <= mu
      {-1, 2, 1, 0.5, 1.5},      // slides: the cone ends at mu, 1.5 of the velocity is left
      {-1, -2, 1, -0.5, 1.5},    // the other way
      {1, 2, 0, 0, NAN},         // opens: the slack is any that is large enough
  };
  for (int k = 0; k < EXACT; k++)
    for (size_t c = 0; c < sizeof cases/sizeof cases[0]; c++) {
      const double b[] = {cases[c].normal, cases[c].tangent, -cases[c].tangent, 0.0};
      double x[4];
      const perp_result r = solve(exact_methods[k], &A, b, x);
      if (r.status != PERP_STATUS_SOLVED)
        fail_msg("%s, case %zu: %s", exact_methods[k], c, r.message);
      assert_true(fabs(x[0] - cases[c].impulse) <= 1e-6);
      assert_true(fabs(x[2] - x[1] - cases[c].friction) <= 1e-6);
      if (cases[c].slack == cases[c].slack) assert_true(fabs(x[3] - cases[c].slack) <= 1e-6);
    }
}

static perp_csc matrix_of(const perp_sample *s) {
  return (perp_csc){s->n, s->n, s->colptr, s->row, s->value};
}

static void piles(void **unused) {
  (void)unused;
  const double mus[] = {0.2, 0.5, 1.0};
  const char *const methods[] = {"convex_friction", "auto"};
  for (uint64_t seed = 0; seed < 3; seed++)
    for (size_t m = 0; m < sizeof mus/sizeof mus[0]; m++) {
      perp_sample *s = make_with("friction", seed, "bodies", 25.0, "mu", mus[m], NULL);
      const perp_csc A = matrix_of(s);
      double *x = malloc((size_t)s->n*sizeof *x);
      assert_non_null(x);
      for (int k = 0; k < 2; k++) {
        const perp_result r = solve(methods[k], &A, s->b, x);
        if (r.status != PERP_STATUS_SOLVED)
          fail_msg("%s, seed %d, mu %g: %s", methods[k], (int)seed, mus[m], r.message);
        assert_true(residual_of(&A, s->b, x) <= 1e-6);
      }
      free(x);
      drop(s);
    }
}

// Once the contacts' states have settled they are solved for: x is then right to the last digits,
// not just to the tolerance.
static void states(void **unused) {
  (void)unused;
  for (uint64_t seed = 5; seed < 8; seed++) {
    perp_sample *s = make_with("friction", seed, "bodies", 60.0, NULL);
    const perp_csc A = matrix_of(s);
    double *x = malloc((size_t)s->n*sizeof *x);
    assert_non_null(x);
    const perp_result r = solve("contact_sweep", &A, s->b, x);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("seed %d: %s", (int)seed, r.message);
    assert_true(residual_of(&A, s->b, x) <= 1e-12);
    free(x);
    drop(s);
  }
}

// Rows and columns in a random order: the contacts are found by their entries, not their places.
static void permuted(void **unused) {
  (void)unused;
  perp_sample *s = make_with("friction", 3, "bodies", 20.0, NULL);
  const int32_t n = s->n, nnz = s->colptr[n];
  int32_t *to = malloc((size_t)n*sizeof *to), *from = malloc((size_t)n*sizeof *from);
  int32_t *colptr = malloc(((size_t)n + 1)*sizeof *colptr), *row = malloc((size_t)nnz*sizeof *row);
  double *value = malloc((size_t)nnz*sizeof *value), *b = malloc(2*(size_t)n*sizeof *b), *x = b + n;
  assert_true(to && from && colptr && row && value && b);
  for (int32_t i = 0; i < n; i++) from[i] = i;
  for (int32_t i = n - 1; i > 0; i--) {
    const int32_t j = whole(0, i), keep = from[i];
    from[i] = from[j];
    from[j] = keep;
  }
  for (int32_t i = 0; i < n; i++) to[from[i]] = i;
  int32_t count = 0;
  for (int32_t j = 0; j < n; j++) {
    colptr[j] = count;
    b[j] = s->b[from[j]];
    for (int32_t p = s->colptr[from[j]]; p < s->colptr[from[j] + 1]; p++) {
      int32_t at = count++;   // sorted, one by one
      for (; at > colptr[j] && row[at - 1] > to[s->row[p]]; at--) {
        row[at] = row[at - 1];
        value[at] = value[at - 1];
      }
      row[at] = to[s->row[p]];
      value[at] = s->value[p];
    }
  }
  colptr[n] = count;
  const perp_csc A = {n, n, colptr, row, value};
  for (int k = 0; k < EXACT; k++) {
    const perp_result r = solve(exact_methods[k], &A, b, x);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", exact_methods[k], r.message);
    assert_true(residual_of(&A, b, x) <= 1e-6);
  }
  free(to), free(from), free(colptr), free(row), free(value), free(b);
  drop(s);
}

// Some contacts without friction: their slack rows do not name the normal. All of them: auto alone.
static void smooth(void **unused) {
  (void)unused;
  const char *const methods[] = {"auto", "lemke", "convex_friction", "contact_sweep"};
  for (int all = 0; all < 2; all++) {
    perp_sample *s = make_with("friction", 4, "bodies", 12.0, "mu", 0.3, NULL);
    for (int32_t j = 0, count = 0; j < s->n; j++)
      for (int32_t p = s->colptr[j]; p < s->colptr[j + 1]; p++)
        if (s->value[p] == 0.3 && (all || count++%3 == 0)) s->value[p] = 0.0;
    const perp_csc A = matrix_of(s);
    double *x = malloc((size_t)s->n*sizeof *x);
    assert_non_null(x);
    for (int k = 0; k < (all ? 2 : 4); k++) {
      const perp_result r = solve(methods[k], &A, s->b, x);
      if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", methods[k], r.message);
      assert_true(residual_of(&A, s->b, x) <= 1e-6);
    }
    free(x);
    drop(s);
  }
}

// Methods without a promise: no NaN, nothing below zero, and the truth about how it ended.
static void honest(void **unused) {
  (void)unused;
  const char *const methods[] = {"staggering", "friction_boxes"};
  perp_sample *s = make_with("friction", 1, "bodies", 15.0, NULL);
  const perp_csc A = matrix_of(s);
  double *x = malloc((size_t)s->n*sizeof *x);
  assert_non_null(x);
  for (int k = 0; k < 2; k++) {
    const perp_result r = solve(methods[k], &A, s->b, x);
    for (int32_t i = 0; i < s->n; i++) assert_true(x[i] >= 0.0 && x[i] < INF);
    const double left = residual_of(&A, s->b, x);
    if (r.status == PERP_STATUS_SOLVED) assert_true(left <= 1e-6);
    else assert_true(left > 1e-10);
  }
  free(x);
  drop(s);
}

static void refused(void **unused) {
  (void)unused;
  const char *const methods[] = {"contact_sweep", "convex_friction", "staggering",
                                 "friction_boxes"};
  perp_sample *s = make_with("friction", 2, "bodies", 6.0, NULL);
  const perp_csc A = matrix_of(s);
  double *hi = malloc((size_t)s->n*sizeof *hi), *x = calloc((size_t)s->n, sizeof *x);
  assert_true(hi && x);
  for (int32_t i = 0; i < s->n; i++) hi[i] = 10.0;
  const perp_problem boxed = {.A = perp_from_csc(&A, PERP_CLAIM_NONE), .b = s->b, .hi = hi};
  const int32_t colptr[] = {0, 1, 2}, row[] = {0, 1};
  const double value[] = {1, 1}, b[] = {-1, -1};
  const perp_csc I = {2, 2, colptr, row, value};
  const perp_problem plain = {.A = perp_from_csc(&I, PERP_CLAIM_NONE), .b = b};
  for (int k = 0; k < 4; k++) {
    const perp_method *m = perp_find_method(methods[k]);
    assert_non_null(m);
    assert_int_not_equal(perp_method_accepts(m, &boxed), PERP_OK);
    assert_int_not_equal(perp_method_accepts(m, &plain), PERP_OK);
    const perp_options o = perp_default_options(m);
    perp_result r = {0};
    assert_true(perp_solve_once(&boxed, x, &o, &r) != PERP_OK || r.status != PERP_STATUS_SOLVED);
  }
  free(hi);
  free(x);
  drop(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_contact), cmocka_unit_test(piles),   cmocka_unit_test(states),
      cmocka_unit_test(permuted),
      cmocka_unit_test(smooth),      cmocka_unit_test(honest),  cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
