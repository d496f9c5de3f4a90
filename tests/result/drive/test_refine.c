// test_refine.c: where a small A is nearly singular, x is solved for once more in twice the precision.
#include <perp/method.h>

#include "support.h"

typedef struct whole_problem {
  int32_t n;
  double A[9], b[3], lo[3];
  double x[3];               // the solution
} whole_problem;

// Whole numbers, from the campaign. In doubles the free systems are singular but for a digit or two.
static const whole_problem problems[] = {
  {3, {-100000, -100001, 100001, -99999, -100000, -100000, 200000, 200000, -2}, {8, -4, -1},
   {0, -INFINITY, 2}, {40001600004, -40001199990, 2}},
  {3, {-1, 1, 1, 100000, 1, -100001, -99999, -100001, 100001}, {-1, 3, 2}, {0, 0, 0},
   {4999649995, 49996.5, 4999599999.5}},
};

static void nearly_singular_problems_are_solved(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof problems/sizeof *problems; k++) {
    const whole_problem *w = &problems[k];
    const perp_dense D = {.n = w->n, .value = w->A};
    const perp_problem p = {.A = perp_from_dense(&D, 0), .b = w->b, .lo = w->lo};
    perp_result r;
    double x[3] = {0};
    assert_int_equal(perp_solve_once(&p, x, NULL, &r), PERP_OK);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("%s", r.message);
    for (int32_t i = 0; i < w->n; i++) assert_true(fabs(x[i] - w->x[i]) <= 1e-12*fabs(w->x[i]));
    if (strstr(r.message, "ray") != NULL) fail_msg("%s", r.message);
  }
}

// A limit stays a limit: no x is improved after it.
static void a_limit_ends_it(void **state) {
  (void)state;
  const double A[] = {2, -1, -1, 2}, b[] = {-1, -1};
  const perp_dense D = {.n = 2, .value = A};
  const perp_problem p = {.A = perp_from_dense(&D, 0), .b = b};
  perp_options o = perp_default_options(perp_find_method("pgs"));
  perp_result r;
  double x[2] = {0.9999, 0.9999};
  o.iteration_limit = 1;
  assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_ITERATION_LIMIT);
  assert_true(r.certificate.residual > 1e-8 && r.certificate.residual < 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nearly_singular_problems_are_solved),
      cmocka_unit_test(a_limit_ends_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
