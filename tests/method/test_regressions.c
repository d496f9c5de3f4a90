// test_regressions.c: every defect that a review found once, so that it is not found twice.
// labels: tsan
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/batch.h>
#include <perp/gallery.h>
#include <perp/method.h>
#include <perp/perp.h>

static perp_result solve(const char *method, const perp_problem *problem, double *x) {
  const perp_options options = perp_default_options(perp_find_method(method));
  perp_result result;
  assert_int_equal(perp_solve_once(problem, x, &options, &result), PERP_OK);
  return result;
}

// max |min(x, Ax + b)| of a plain dense LCP, computed here and not by the library
static double natural(int32_t n, const double *A, const double *b, const double *x) {
  double worst = 0.0;
  for (int32_t i = 0; i < n; i++) {
    double y = b[i];
    for (int32_t j = 0; j < n; j++) y += A[i*n + j]*x[j];
    const double r = fabs(y < x[i] ? y : x[i]);
    worst = r > worst ? r : worst;
  }
  return worst;
}

// Presolve leaves b_1 = -1e-16 where it should be 0: no proof that there is no solution.
static void rounding_in_presolve_proves_nothing(void **state) {
  (void)state;
  const double A[] = {49, 0, 0, 0, 49, 0, 0, 0, 1, 0, 2, 1, 0, 0, 1, 2};
  const double b[] = {-1, -1, -1, -1};
  const perp_dense dense = {.n = 4, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b};
  for (int k = 0; k < 2; k++) {
    double x[4] = {0};
    const perp_result result = solve(k == 0 ? "auto" : "enumerate", &problem, x);
    assert_int_equal(result.status, PERP_STATUS_SOLVED);
    assert_true(natural(4, A, b, x) < 1e-12);
  }
}

// Copies of a problem that only enumerate solves, side by side: each block is judged alone.
static void blocks_are_judged_alone(void **state) {
  (void)state;
  const double one[] = {-1, 2, 3, -2};
  for (int32_t copies = 1; copies <= 4; copies++) {
    const int32_t n = 2*copies;
    double A[64] = {0}, b[8], x[8] = {0};
    for (int32_t c = 0; c < copies; c++) {
      for (int32_t i = 0; i < 2; i++)
        for (int32_t j = 0; j < 2; j++) A[(2*c + i)*n + 2*c + j] = one[2*i + j];
      b[2*c] = -1;
      b[2*c + 1] = -2;
    }
    const perp_dense dense = {.n = n, .value = A};
    const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b};
    assert_int_equal(solve("auto", &problem, x).status, PERP_STATUS_SOLVED);
    assert_true(natural(n, A, b, x) < 1e-12);
  }
}

typedef struct chain {   // `chains` bidiagonal blocks, not symmetric, diagonally dominant
  int32_t n, *colptr, *row;
  double *value, *b, *x;
  perp_csc csc;
  perp_problem problem;
} chain;

static void chain_make(chain *c, int32_t length, int32_t chains) {
  const int32_t n = c->n = length*chains;
  c->colptr = malloc(((size_t)n + 1)*sizeof(int32_t));
  c->row = malloc(2*(size_t)n*sizeof(int32_t));
  c->value = malloc(2*(size_t)n*sizeof(double));
  c->b = malloc((size_t)n*sizeof(double));
  c->x = calloc((size_t)n, sizeof(double));
  int32_t p = 0;
  for (int32_t j = 0; j < n; j++) {
    c->colptr[j] = p;
    c->row[p] = j;
    c->value[p++] = 2.0;
    if ((j + 1)%length != 0) {
      c->row[p] = j + 1;
      c->value[p++] = -0.75;
    }
    c->b[j] = perp_random_uniform(5, (uint64_t)j) - 0.6;
  }
  c->colptr[n] = p;
  c->csc = (perp_csc){n, n, c->colptr, c->row, c->value};
  c->problem = (perp_problem){.A = perp_from_csc(&c->csc, 0), .b = c->b};
}
static void chain_free(chain *c) {
  free(c->colptr);
  free(c->row);
  free(c->value);
  free(c->b);
  free(c->x);
}

// Blocks of a split problem share one array of entries, in which all but the first begin late.
static void coloured_sweeps_of_blocks(void **state) {
  (void)state;
  chain c;
  chain_make(&c, 900, 3);
  perp_options options = perp_default_options(perp_find_method("pgs"));
  options.threads = 2;
  options.split = 1;
  options.presolve = 0;
  options.sweep.order = PERP_ORDER_COLOURED;
  perp_result result;
  assert_int_equal(perp_solve_once(&c.problem, c.x, &options, &result), PERP_OK);
  assert_int_equal(result.status, PERP_STATUS_SOLVED);
  chain_free(&c);
}

// The threads that work on the lanes of a batch must not be asked for coloured sweeps as well.
static void lanes_and_coloured_sweeps(void **state) {
  (void)state;
  enum { COUNT = 4 };
  chain c;
  chain_make(&c, 6000, 1);
  perp_options options = perp_default_options(perp_find_method("pgs"));
  options.threads = 2;
  options.presolve = 0;
  options.sweep.order = PERP_ORDER_COLOURED;
  perp_limits limits = perp_limits_of(&c.problem);
  limits.lanes = 2;
  perp_solver *solver = NULL;
  assert_int_equal(perp_solver_create(NULL, &limits, &options, NULL, &solver), PERP_OK);
  perp_problem problems[COUNT];
  double *x[COUNT];
  perp_result results[COUNT];
  for (int k = 0; k < COUNT; k++) {
    problems[k] = c.problem;
    x[k] = calloc((size_t)c.n, sizeof(double));
  }
  assert_int_equal(perp_solve_batch(solver, problems, COUNT, x, results), PERP_OK);
  for (int k = 0; k < COUNT; k++) {
    assert_int_equal(results[k].status, PERP_STATUS_SOLVED);
    assert_memory_equal(x[k], x[0], (size_t)c.n*sizeof(double));
  }
  assert_int_equal(perp_solve_batch(solver, problems, -1, x, results), PERP_ERROR_ARGUMENT);
  for (int k = 0; k < COUNT; k++) free(x[k]);
  perp_solver_destroy(solver);
  chain_free(&c);
}

static const double two[] = {2, -1, -1, 2};
static const perp_dense two_dense = {.n = 2, .value = two};

static int apply_two(const void *self, const double *x, double *y, void *scratch) {
  (void)self, (void)scratch;
  y[0] = 2*x[0] - x[1];
  y[1] = 2*x[1] - x[0];
  return 0;
}
static perp_view view_two(const void *self) {
  return (perp_view){.kind = PERP_VIEW_DENSE, .data = self};
}

// An operator may show its entries and yet not have diagonal().
static void few_capabilities(void **state) {
  (void)state;
  const perp_operator_ops with_view = {.name = "mine", .apply = apply_two, .view = view_two};
  const perp_operator_ops nameless = {.apply = apply_two};
  const double b[] = {-1, 1};
  double x[2] = {0};
  perp_problem problem = {.A = {&with_view, &two_dense, 2, PERP_CLAIM_SYMMETRIC}, .b = b};
  const perp_result result = solve("auto", &problem, x);
  assert_int_equal(result.status, PERP_STATUS_SOLVED);
  assert_true(natural(2, two, b, x) < 1e-7);
  problem.A.ops = &nameless;
  assert_int_equal(perp_validate(&problem), PERP_ERROR_PROBLEM);
  problem.A.ops = NULL;
  assert_int_equal(perp_limits_of(&problem).n, 0);
}

static void refused(perp_operator A, const char *why) {
  const double b[] = {-1, 1};
  const perp_problem problem = {.A = A, .b = b};
  assert_int_equal(perp_validate(&problem), PERP_ERROR_PROBLEM);
  if (strstr(perp_last_message(), why) == NULL) fail_msg("'%s'", perp_last_message());
}

// Wrappers are validated with what they wrap.
static void wrappers_are_validated(void **state) {
  (void)state;
  perp_wrapper w, v;
  const perp_operator A = perp_from_dense(&two_dense, 0);
  refused(perp_restricted(&w, A, (const int32_t[]){0, 7}, 2), "set[1] = 7");
  refused(perp_restricted(&w, A, (const int32_t[]){1, 0}, 2), "set[1] = 0");
  refused(perp_scaled(&w, A, (const double[]){1, 0}, (const double[]){1, 1}), "R[1] = 0");
  refused(perp_scaled(&w, A, (const double[]){1, 1}, (const double[]){-1, 1}), "C[0] = -1");
  refused(perp_shifted(&w, A, (double)NAN), "shift = ");
  refused(perp_shifted(&v, perp_shifted(&w, A, (double)INFINITY), 1.0), "shift = inf");
  const perp_csc bad = {2, 2, (const int32_t[]){0, 1, 2}, (const int32_t[]){0, 100000000},
                        (const double[]){1, 1}};
  refused(perp_restricted(&w, perp_from_csc(&bad, 0), (const int32_t[]){0, 1}, 2),
          "row[1] = 100000000");
  const perp_dense nan = {.n = 2, .value = (const double[]){1, (double)NAN, 0, 1}};
  refused(perp_shifted(&w, perp_from_dense(&nan, 0), 1.0), "A[0][1] = ");
}

static void weights_are_validated(void **state) {
  (void)state;
  const perp_product base = {.n = 2, .dofs = 2, .rowptr = (const int32_t[]){0, 1, 2},
                             .column = (const int32_t[]){0, 1}, .value = (const double[]){1, 1}};
  perp_product negative = base, skew = base;
  negative.block = 1;
  negative.W = (const double[]){-1, 2};
  refused(perp_from_product(&negative, 0), "W[0][0] = -1 < 0");
  skew.block = 2;
  skew.W = (const double[]){1, 5, -5, 1};
  refused(perp_from_product(&skew, 0), "W[1][0] = -5");
}

// A measure that stopped a solve holds for the x that is returned, also through auto.
static void measures_hold_for_the_answer(void **state) {
  (void)state;
  enum { N = 60 };
  static double A[N*N], b[N];
  for (int i = 0; i < N; i++) {
    A[i*N + i] = 2;
    if (i > 0) A[i*N + i - 1] = A[(i - 1)*N + i] = -1;
    b[i] = -1;
  }
  const perp_dense dense = {.n = N, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&dense, PERP_CLAIM_SYMMETRIC), .b = b};
  const double tolerances[] = {0.99, 0.9, 0.5, 0.1, 1e-3};
  for (int32_t m = 0; m < perp_method_count(); m++) {
    if ((perp_method_at(m)->traits & PERP_TRAIT_ALL) ||
        perp_method_accepts(perp_method_at(m), &problem) != PERP_OK)
      continue;
    for (int t = 0; t < 5; t++) {
      perp_options options = perp_default_options(perp_method_at(m));
      options.stop.measure = PERP_MEASURE_NATURAL;
      options.stop.tol = tolerances[t];
      double x[N] = {0};
      perp_result result;
      assert_int_equal(perp_solve_once(&problem, x, &options, &result), PERP_OK);
      // methods that jump may land on a solution
      if (result.status != PERP_STATUS_MEASURE && result.status != PERP_STATUS_SOLVED)
        fail_msg("%s: %s", perp_method_at(m)->name, perp_status_name(result.status));
      assert_true(natural(N, A, b, x) < tolerances[t]);
    }
  }
}

// A clock that moves on by a millisecond whenever it is read.
static double ticking(void *context) { return *(double *)context += 1e-3; }

static void time_limit_through_auto(void **state) {
  (void)state;
  chain c;
  chain_make(&c, 3, 800);   // many blocks, each enumerated
  double now = 0.0;
  perp_options options = perp_default_options(NULL);
  options.clock = ticking;
  options.clock_context = &now;
  options.time_limit = 0.1;
  perp_result result;
  assert_int_equal(perp_solve_once(&c.problem, c.x, &options, &result), PERP_OK);
  if (result.status != PERP_STATUS_SOLVED) assert_int_equal(result.status, PERP_STATUS_TIME_LIMIT);
  assert_true(now < 0.2);
  options.time_limit = 1e-6;   // over before it begins
  memset(c.x, 0, (size_t)c.n*sizeof(double));
  assert_int_equal(perp_solve_once(&c.problem, c.x, &options, &result), PERP_OK);
  assert_int_equal(result.status, PERP_STATUS_TIME_LIMIT);
  assert_int_equal(result.iterations, 0);
  chain_free(&c);
}

// An enumeration that was cut short does not say that it is complete.
static void completeness(void **state) {
  (void)state;
  enum { N = 12 };
  double A[N*N] = {0}, b[N], x[N] = {0};
  for (int i = 0; i < N; i++) {
    A[i*N + i] = -1;
    b[i] = 1;
  }
  const perp_dense dense = {.n = N, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b};
  perp_options options = perp_default_options(perp_find_method("enumerate"));
  perp_result result;
  assert_int_equal(perp_solve_once(&problem, x, &options, &result), PERP_OK);
  assert_int_equal(result.solutions, 1 << N);
  assert_true(result.complete);
  options.iteration_limit = 3;
  assert_int_equal(perp_solve_once(&problem, x, &options, &result), PERP_OK);
  assert_true(result.solutions < 1 << N);
  assert_false(result.complete);
}

// A row at its bound with y = 0 but for the rounding of b: solved, and the residual says so.
static void residual_of_a_row_at_rest(void **state) {
  (void)state;
  const double A[] = {0.8751537845953634}, b[] = {0.5450890527393024};
  const double lo[] = {-0.8502740726766278}, hi[] = {-0.6228494492443177};
  const perp_dense dense = {.n = 1, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b, .lo = lo, .hi = hi};
  perp_certificate certificate;
  assert_int_equal(perp_certify(&problem, hi, 1e-8, 0.0, NULL, &certificate), PERP_OK);
  assert_true(certificate.solved);
  assert_false(certificate.attainable);
  assert_true(certificate.residual <= 1e-8);
}

// A = J J' with J = [1 q; -1 q], q = 2^-30, has entries 1 + q^2 and -1 + q^2 that doubles round to
// 1 and -1: singular, which A is not. With b = (-1, -1) x = (2^59, 2^59) is an exact solution.
static void rounded_entries_prove_nothing(void **state) {
  (void)state;
  const double q = 0x1p-30, J[] = {1, q, -1, q}, W[] = {1, 1}, b[] = {-1, -1};
  const int32_t rowptr[] = {0, 2, 4}, column[] = {0, 1, 0, 1};
  const perp_product product = {.n = 2, .dofs = 2, .rowptr = rowptr, .column = column, .value = J,
                                .block = 1, .W = W};
  const perp_problem problem = {.A = perp_from_product(&product, 0), .b = b};
  const char *const methods[] = {"enumerate", "auto"};
  for (int k = 0; k < 2; k++) {
    double x[2] = {0};
    const perp_result result = solve(methods[k], &problem, x);
    assert_int_not_equal(result.status, PERP_STATUS_NO_SOLUTION);
    assert_int_not_equal(result.status, PERP_STATUS_INFEASIBLE);
  }
}

// Row 2 is a block of its own into which x_3 = 0 flows, which doubles find up to 1e-17 only.
static void what_flows_in_may_be_rounding(void **state) {
  (void)state;
  const double A[] = {4, -1, 0, 3, 0, 3, 5, 0, 1, 0, 0, 0, 4, 2, 0, 1, 0, 0, 5, 0, 0, 1, 1, 0, 1};
  const double b[] = {1, -5, 0, 0, 1}, inf = (double)INFINITY;
  const double lo[] = {-inf, 0, -inf, -inf, 0}, hi[] = {inf, inf, inf, inf, inf};
  const perp_dense dense = {.n = 5, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b, .lo = lo, .hi = hi};
  const double x[] = {-1e-17, 1, 5e-18, -2e-17, 0};
  perp_certificate certificate;
  assert_int_equal(perp_certify(&problem, x, 1e-8, 0.0, NULL, &certificate), PERP_OK);
  assert_true(certificate.solved);
  assert_true(certificate.residual <= 1e-8);
  double found[5] = {0};
  assert_int_equal(solve("dantzig", &problem, found).status, PERP_STATUS_SOLVED);
  const double wrong[] = {0, 1, 1e-7, 0, 0};   // y_2 = 4e-7 beside b = 5
  assert_int_equal(perp_certify(&problem, wrong, 1e-8, 0.0, NULL, &certificate), PERP_OK);
  assert_false(certificate.solved);
}

// A large component that uses up the time does not keep a small one behind it from being solved.
static void small_components_first(void **state) {
  (void)state;
  enum { BIG = 60, N = BIG + 2 };
  static double A[N*N];
  double b[N], x[N] = {0}, now = 0.0;
  for (int i = 0; i < N; i++) b[i] = -1;
  for (int i = 0; i < BIG; i++) {
    A[i*N + i] = 2;
    if (i > 0) A[i*N + i - 1] = A[(i - 1)*N + i] = -1;
  }
  A[BIG*N + BIG] = A[(BIG + 1)*N + BIG + 1] = 2;
  A[BIG*N + BIG + 1] = A[(BIG + 1)*N + BIG] = 1;
  const perp_dense dense = {.n = N, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b};
  perp_options options = perp_default_options(perp_find_method("pgs"));
  options.split = PERP_SPLIT_YES;
  options.time_limit = 0.2;
  options.clock = ticking;
  options.clock_context = &now;
  perp_result result;
  assert_int_equal(perp_solve_once(&problem, x, &options, &result), PERP_OK);
  assert_int_equal(result.status, PERP_STATUS_TIME_LIMIT);
  for (int i = BIG; i < N; i++) assert_true(fabs(x[i] - 1.0/3.0) < 1e-7);
}

// x_2 = 1.9e24 drives row 5 to its bound: y_5 is not known to the last digit, but its sign is.
static void exact_solutions_with_large_entries_pass(void **state) {
  (void)state;
  const double A[] = {-1, 0, -3, 1, 3,  0, 0, 1, -3, 3,  -3, 0, 2, 0, 0,
                      0,  0, -3, 0, 0,  3, -1, 0, 0, 0};
  const double b[] = {-1, -3, 4, 2, 4}, lo[5] = {0};
  const double hi[] = {INFINITY, INFINITY, 0, INFINITY, 1};
  const perp_dense dense = {.n = 5, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b, .lo = lo, .hi = hi};
  perp_certificate c;
  for (double t = 5.0; t < 1e290; t *= 7.0) {
    assert_int_equal(perp_certify(&problem, (double[]){0, t, 0, 0, 1}, 1e-8, 0, NULL, &c), PERP_OK);
    assert_true(c.solved && c.residual == 0.0);
    assert_int_equal(perp_certify(&problem, (double[]){0, t, 0, 1, 1}, 1e-8, 0, NULL, &c), PERP_OK);
    assert_false(c.solved);   // y_2 = -3
    assert_int_equal(perp_certify(&problem, (double[]){0, t, 0, 0, 0}, 1e-8, 0, NULL, &c), PERP_OK);
    assert_false(c.solved);   // x_5 at the wrong end
  }
}

// What `attainable` allows at x = 3e10, whose digits end at 4e-6: a hundred times the tolerance,
// not what the digits of x happen to leave.
static void attainable_has_its_cap(void **state) {
  (void)state;
  const double A[] = {1, -1, -1, 1}, free_lo[] = {-INFINITY, -INFINITY};
  const double gap[] = {4 + 1/3.0, 1/3.0};
  const perp_dense dense = {.n = 2, .value = A};
  for (int k = 0; k < 2; k++) {
    const double b[] = {-gap[k], gap[k]}, x[] = {3e10 + gap[k], 3e10};
    const perp_problem problem = {.A = perp_from_dense(&dense, 0), .b = b, .lo = free_lo};
    perp_certificate c;
    assert_int_equal(perp_certify(&problem, x, 1e-8, 0, NULL, &c), PERP_OK);
    assert_true(c.natural_residual > 1.2e-6 && c.natural_residual < 1.4e-6);
    assert_int_equal(c.solved, k == 0);
    assert_int_equal(c.attainable, k == 0);
  }
}

// Presolve multiplies the rows of free multipliers by -1. Then "A is symmetric" holds no more, and
// a sweep that believes it reads columns as rows.
static void turned_rows_are_not_symmetric(void **state) {
  (void)state;
  const int32_t colptr[] = {0, 4, 8, 11, 14}, row[] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 0, 1, 3};
  const double value[] = {4, 1, 0.5, 1, 1, 5, 0.5, -1, 0.5, 0.5, -2, 1, -1, -3};
  const double b[] = {-3, -2, 1, 2}, lo[] = {0, 0, -INFINITY, -INFINITY};
  const perp_csc csc = {4, 4, colptr, row, value};
  const char *const names[] = {"pgs", "psor", "nncg"};
  for (size_t k = 0; k < sizeof names/sizeof names[0]; k++)
    for (int claimed = 0; claimed < 2; claimed++) {
      const uint32_t claims = claimed ? PERP_CLAIM_SYMMETRIC : 0;
      const perp_problem problem = {.A = perp_from_csc(&csc, claims), .b = b, .lo = lo};
      double x[4] = {0};
      assert_int_equal(solve(names[k], &problem, x).status, PERP_STATUS_SOLVED);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(turned_rows_are_not_symmetric),
    cmocka_unit_test(rounding_in_presolve_proves_nothing),
      cmocka_unit_test(exact_solutions_with_large_entries_pass),
      cmocka_unit_test(attainable_has_its_cap),
    cmocka_unit_test(blocks_are_judged_alone),
    cmocka_unit_test(coloured_sweeps_of_blocks),
    cmocka_unit_test(lanes_and_coloured_sweeps),
    cmocka_unit_test(few_capabilities),
    cmocka_unit_test(wrappers_are_validated),
    cmocka_unit_test(weights_are_validated),
    cmocka_unit_test(measures_hold_for_the_answer),
    cmocka_unit_test(time_limit_through_auto),
    cmocka_unit_test(completeness),
    cmocka_unit_test(residual_of_a_row_at_rest),
    cmocka_unit_test(rounded_entries_prove_nothing),
    cmocka_unit_test(what_flows_in_may_be_rounding),
    cmocka_unit_test(small_components_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
