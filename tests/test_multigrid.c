// test_multigrid.c: large membranes in a number of iterations that does not grow with their size.
#include "support.h"

static perp_result solve(const char *family, const double *values, perp_sample *s, double *x) {
  assert_int_equal(perp_generate(perp_find_family(family), values, 1, s), PERP_OK);
  const perp_method *method = perp_find_method("multigrid");
  perp_options options = perp_default_options(method);
  perp_result result;
  for (int32_t i = 0; i < s->n; i++) x[i] = 0.0;
  assert_int_equal(perp_solve_once(&s->problem, x, &options, &result), PERP_OK);
  return result;
}

static double objective(const perp_sample *s, const double *x) {
  double sum = 0.0, mend = 0.0;
  for (int32_t j = 0; j < s->n; j++) {
    double y = 0.0;
    for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++)
      y += s->csc.value[p]*x[s->csc.row[p]];
    const double term = x[j]*(0.5*y + s->problem.b[j]) - mend, next = sum + term;
    mend = (next - sum) - term;
    sum = next;
  }
  return sum;
}

// The residual of the natural map, here and without the library.
static double natural(const perp_sample *s, const double *x) {
  double worst = 0.0;
  for (int32_t j = 0; j < s->n; j++) {
    double y = s->problem.b[j];
    for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++)
      y += s->csc.value[p]*x[s->csc.row[p]];
    const double lo = s->problem.lo != NULL ? s->problem.lo[j] : 0.0;
    const double hi = s->problem.hi != NULL ? s->problem.hi[j] : INF;
    worst = fmax(worst, fabs(x[j] - fmin(fmax(x[j] - y, lo), hi)));
  }
  return worst;
}

// MINPACK-2's minima of the journal bearing, from 50 x 50 to 200 x 200 points.
static void bearings(void **state) {
  (void)state;
  static const struct { double n, e, minimum, digits; } known[] = {
    {50, 0.1, -0.180487995, 1e-9}, {50, 0.99, -60.15092732, 1e-8},
    {100, 0.1, -0.1805743697, 1e-10}, {200, 0.1, -0.1805975448, 1e-10}};
  for (size_t k = 0; k < sizeof known/sizeof known[0]; k++) {
    const double values[] = {known[k].n, known[k].n, known[k].e, 10.0};
    double *x = calloc((size_t)(known[k].n*known[k].n), sizeof *x);
    perp_sample s;
    const perp_result result = solve("bearing", values, &s, x);
    assert_int_equal(result.status, PERP_STATUS_SOLVED);
    assert_in_range(result.iterations, 1, 14);
    assert_true(fabs(objective(&s, x) - known[k].minimum) <= known[k].digits);
    assert_true(natural(&s, x) <= 1e-9);
    perp_sample_free(&s);
    free(x);
  }
}

// Two-sided bounds, and an obstacle that is no plane: four times the points, not more iterations.
static void membranes(void **state) {
  (void)state;
  for (int32_t m = 63; m <= 255; m = 2*m + 1) {
    double *x = calloc((size_t)m*(size_t)m, sizeof *x);
    perp_sample s;
    const double size[] = {m}, twist[] = {m, m, 5.0};
    perp_result result = solve("obstacle", size, &s, x);
    assert_int_equal(result.status, PERP_STATUS_SOLVED);
    assert_in_range(result.iterations, 1, 14);
    assert_true(natural(&s, x) <= 1e-8);
    perp_sample_free(&s);
    result = solve("torsion", twist, &s, x);
    assert_int_equal(result.status, PERP_STATUS_SOLVED);
    assert_in_range(result.iterations, 1, 14);
    assert_true(natural(&s, x) <= 1e-8);
    int32_t plastic = 0, elastic = 0;
    for (int32_t i = 0; i < s.n; i++) {
      plastic += x[i] >= s.problem.hi[i];
      elastic += x[i] < s.problem.hi[i] && x[i] > s.problem.lo[i];
    }
    assert_true(plastic > s.n/4 && elastic > s.n/100);
    perp_sample_free(&s);
    free(x);
  }
}

// A good guess is used: from the solution it takes no more than a look.
static void guess(void **state) {
  (void)state;
  const double values[] = {120, 120, 0.1, 10.0};
  double *x = calloc(120*120, sizeof *x);
  perp_sample s;
  solve("bearing", values, &s, x);
  perp_options options = perp_default_options(perp_find_method("multigrid"));
  perp_result result;
  for (int32_t i = 0; i < s.n; i++) x[i] *= 1.0 + 1e-6*sin(i);
  assert_int_equal(perp_solve_once(&s.problem, x, &options, &result), PERP_OK);
  assert_int_equal(result.status, PERP_STATUS_SOLVED);
  assert_in_range(result.iterations, 0, 4);
  perp_sample_free(&s);
  free(x);
}

// Whatever is not symmetric is refused at once, by all that need symmetry in the same words.
static void not_symmetric(void **state) {
  (void)state;
  static const char *const names[] = {"multigrid", "active_set", "pgs_sm", "gradient_projection",
                                      "keller"};
  const double values[] = {30, 30, 0.1, 10.0};
  double *x = calloc(900, sizeof *x);
  perp_sample s;
  assert_int_equal(perp_generate(perp_find_family("bearing"), values, 1, &s), PERP_OK);
  s.value[1] *= 1.5;
  s.problem.A.claims = 0;
  for (size_t k = 0; k < sizeof names/sizeof names[0]; k++) {
    perp_options options = perp_default_options(perp_find_method(names[k]));
    perp_result result;
    char words[200];
    memset(x, 0, 900*sizeof *x);
    assert_int_equal(perp_solve_once(&s.problem, x, &options, &result), PERP_OK);
    assert_int_equal(result.status, PERP_STATUS_UNSOLVED);
    snprintf(words, sizeof words, "A is not symmetric, not even nearly: %s has no objective to "
             "lower; try auto", names[k]);
    assert_non_null(strstr(result.message, words));
    assert_in_range(result.iterations, 0, 1);
  }
  perp_sample_free(&s);
  free(x);
}

// Levels that do not fit (contacts of bricks, most entries of either sign): the end comes soon,
// says so, and x is no worse than at the start.
static void stalls(void **state) {
  (void)state;
  const perp_family *wall = perp_find_family("wall");
  double values[32], *x = calloc(2000, sizeof *x);
  for (int32_t k = 0; k < wall->parameter_count; k++) {
    values[k] = wall->parameters[k].initial;
    if (strcmp(wall->parameters[k].name, "bodies") == 0) values[k] = 15;
  }
  perp_sample s;
  const perp_result result = solve("wall", values, &s, x);
  assert_in_range(s.n, 200, 2000);
  assert_int_equal(result.status, PERP_STATUS_STALLED);
  assert_non_null(strstr(result.message, "has not halved"));
  assert_in_range(result.iterations + result.inner_iterations, 1000, 10000);
  assert_true(result.certificate.residual > 1e-8 && result.certificate.residual < 1.0);
  assert_true(natural(&s, x) > 0.0);
  perp_sample_free(&s);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bearings), cmocka_unit_test(membranes),
                                     cmocka_unit_test(guess), cmocka_unit_test(not_symmetric),
                                     cmocka_unit_test(stalls)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
