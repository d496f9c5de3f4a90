// test_best.c: what a solve returns when it does not solve: never worse than the guess, better if
// the method made progress, always finite; and numbers near overflow are not certified.
#include "support.h"

enum { BOXES = 300 };

// A tower of equal boxes under gravity, A = J J': Gauss-Seidel needs about n^2 passes.
typedef struct tower {
  int32_t colptr[BOXES + 1], row[3*BOXES];
  double value[3*BOXES], b[BOXES];
  perp_csc csc;
  perp_problem problem;
} tower;

static void tower_build(tower *t) {
  int32_t p = 0;
  t->colptr[0] = 0;
  for (int32_t j = 0; j < BOXES; j++) {
    if (j > 0) t->row[p] = j - 1, t->value[p++] = -1;
    t->row[p] = j, t->value[p++] = j > 0 ? 2 : 1;
    if (j < BOXES - 1) t->row[p] = j + 1, t->value[p++] = -1;
    t->colptr[j + 1] = p;
    t->b[j] = j > 0 ? 0 : -1;
  }
  t->csc = (perp_csc){BOXES, BOXES, t->colptr, t->row, t->value};
  t->problem = (perp_problem){.A = perp_from_csc(&t->csc, PERP_CLAIM_NONE), .b = t->b};
}

// The estimates of a sweep are up to twice the true residual here: compared with the guess's true
// one they would lose.
static void warm_starts_make_progress(void **state) {
  (void)state;
  static tower t;
  tower_build(&t);
  static const char *const names[] = {"jacobi", "pgs", "psor"};
  for (size_t k = 0; k < sizeof names/sizeof names[0]; k++) {
    perp_options options = perp_default_options(perp_find_method(names[k]));
    options.iteration_limit = 100;
    double x[BOXES] = {0}, last = INF;
    for (int frame = 0; frame < 6; frame++) {
      perp_result result;
      assert_int_equal(perp_solve_once(&t.problem, x, &options, &result), PERP_OK);
      assert_int_equal(result.status, PERP_STATUS_ITERATION_LIMIT);
      if (!(result.certificate.residual < last))
        fail_msg("%s, frame %d: residual stays at %g", names[k], frame, last);
      last = result.certificate.residual;
    }
  }
}

static perp_certificate certify_one(double a, double b, double x) {
  const perp_dense matrix = {.n = 1, .value = &a};
  const perp_problem problem = {.A = perp_from_dense(&matrix, PERP_CLAIM_NONE), .b = &b};
  perp_certificate c;
  assert_int_equal(perp_certify(&problem, &x, 1e-8, 0.0, NULL, &c), PERP_OK);
  return c;
}

// R_i b_i overflows: inf <= tol inf must not pass
static void overflow_is_no_solution(void **state) {
  (void)state;
  assert_false(certify_one(1e-150, -2.5e306, 0.0).solved);
  assert_false(certify_one(1e-300, -1e300, 0.0).solved);
  assert_false(certify_one(1e-300, -1e300, 1e300).solved);
}

// |A||x| + |b| overflows, y does not: no allowance for its rounding
static void overflow_allows_nothing(void **state) {
  (void)state;
  const double A[] = {6.375, -2.375, 3.125, 3.125}, b[] = {3.375, -1.2337e308},
               lo[] = {-INF, 0}, hi[] = {INF, INF};
  const perp_dense matrix = {.n = 2, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&matrix, PERP_CLAIM_NONE), .b = b, .lo = lo,
                                .hi = hi};
  const double x[] = {1.0711580003845136e+307, 2.875213579979484e+307};   // y_1/b_1 = 4e-4
  perp_certificate c;
  assert_int_equal(perp_certify(&problem, x, 1e-8, 0.0, NULL, &c), PERP_OK);
  assert_false(c.solved);
}

// candidates overflow to NaN; none of it reaches the caller
static void enumerate_keeps_the_guess(void **state) {
  (void)state;
  enum { N = 6 };
  const double h = -4.35213295e+26;
  const double A[N*N] = {7.75, -3.96984695e+304, h, h, h, h,
                         -3.96984695e+304, h, -7.65635326e+39, -3.02799088e+304, 7.75, -7.125,
                         h, -7.65635326e+39, -2.07604877e+301, h, h, h,
                         h, -3.02799088e+304, h, h, h, h,
                         h, 7.75, h, h, -1343488, -9.875,
                         h, -7.125, h, h, -9.875, -9};
  const double b[N] = {-10, 7.75, -3.9538e+304, h, h, 1.329e-308},
               lo[N] = {-8.875, -6.875, -7.4786e+240, h, -7.6564e+39, h};
  const double hi[N] = {7.75, 7.75, h, h, h, -4.5};
  const perp_dense matrix = {.n = N, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&matrix, PERP_CLAIM_NONE), .b = b, .lo = lo,
                                .hi = hi};
  for (int presolve = 0; presolve < 2; presolve++) {
    perp_options options = perp_default_options(perp_find_method("enumerate"));
    options.presolve = presolve;
    double x[N] = {0};
    perp_result result;
    assert_int_equal(perp_solve_once(&problem, x, &options, &result), PERP_OK);
    for (int32_t i = 0; i < N; i++) assert_true(isfinite(x[i]) && x[i] >= lo[i] && x[i] <= hi[i]);
  }
}

static int least(void *context, const perp_statistics *statistics) {
  double *told = context;
  if (statistics->iteration > 0) *told = fmin(*told, statistics->residual);
  return 0;
}

// The last row asks for x_0 = 9 and has A_ii = 0: no sweep can move its x, and the sweeps over the
// others converge. What is told on the way must not be small while that row is wrong.
static void rows_that_cannot_move_are_told(void **state) {
  (void)state;
  enum { N = 6 };
  double A[N*N] = {0}, b[N] = {-1, -2, -1, -1, -1, -9}, lo[N] = {0};
  for (int32_t i = 0; i + 1 < N; i++) {
    A[i*N + i] = 2.5;
    if (i > 0) A[i*N + i - 1] = A[(i - 1)*N + i] = -1.0;
  }
  A[N - 1] = A[(N - 1)*N] = 1.0;
  lo[N - 1] = -INF;
  const perp_dense matrix = {.n = N, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&matrix, PERP_CLAIM_SYMMETRIC), .b = b,
                                .lo = lo};
  static const char *const names[] = {"pgs", "psor", "psor", "nncg"};
  for (int32_t k = 0; k < 4; k++) {
    perp_options options = perp_default_options(perp_find_method(names[k]));
    double x[N] = {0}, told = INF;
    options.sweep.symmetric = k == 2;
    options.iteration_limit = 500;
    options.presolve = 0;
    options.on_iteration = least;
    options.context = &told;
    perp_result result;
    assert_int_equal(perp_solve_once(&problem, x, &options, &result), PERP_OK);
    assert_true(result.status == PERP_STATUS_STAGNATED ||
                result.status == PERP_STATUS_ITERATION_LIMIT);
    assert_true(result.certificate.residual > 1e-2);
    assert_true(told > 0.5*result.certificate.residual && told < 1.0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(warm_starts_make_progress), cmocka_unit_test(overflow_is_no_solution),
    cmocka_unit_test(overflow_allows_nothing), cmocka_unit_test(enumerate_keeps_the_guess),
    cmocka_unit_test(rows_that_cannot_move_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
