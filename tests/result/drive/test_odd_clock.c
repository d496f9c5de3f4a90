// test_odd_clock.c: a clock that says NaN, infinity, or goes backwards gets an answer without NaN, and
// so does an operator that says inf or NaN.
#include "support.h"

static int kind;
static double calls;
static double odd_clock(void *unused) {
  (void)unused;
  calls++;
  const double said[] = {NAN, INFINITY, -INFINITY, -calls, (int64_t)calls%2 ? NAN : 1e-6*calls};
  return said[kind];
}

static void every_method_answers(void **state) {
  (void)state;
  const double M[9] = {2, -1, 0, -1, 2, -1, 0, -1, 2}, b[3] = {-1, -1, -1};
  const perp_dense matrix = {.n = 3, .value = M};
  const perp_problem p = {.A = perp_from_dense(&matrix, 0), .b = b};
  for (int32_t k = 0; k < perp_method_count(); k++)
    for (kind = 0; kind < 5; kind++) {
      perp_options o = perp_default_options(perp_method_at(k));
      if (!takes(o.method, &p)) continue;
      o.clock = odd_clock;
      o.time_limit = 1;
      double x[3] = {0};
      perp_result r;
      assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
      for (int i = 0; i < 3; i++) assert_true(x[i] - x[i] == 0.0);
      if (!(r.seconds - r.seconds == 0.0 && r.setup_seconds - r.setup_seconds == 0.0))
        fail_msg("%s, clock %d: %g seconds", o.method->name, kind, r.seconds);
    }
}

// ---- an operator that says inf or NaN ----

static int products;
static int odd_apply(void *context, const double *x, double *y) {
  const int way = *(int *)context;
  for (int i = 0; i < 3; i++) y[i] = 2*x[i];
  products++;
  if (way < 2 || products > 3) y[1] = way%2 ? NAN : INFINITY;
  return 0;
}

static void an_operator_without_numbers_is_not_solved(void **state) {
  (void)state;
  const double b[3] = {-1, -1, -1}, diagonal[3] = {2, NAN, INFINITY};
  for (int32_t k = 0; k < perp_method_count(); k++)
    for (int way = 0; way < 4; way++)
      for (int known = 0; known < 2; known++) {
        perp_callback c = {.n = 3, .apply = odd_apply, .apply_transpose = odd_apply,
                           .diagonal = known ? diagonal : NULL, .context = &way};
        const perp_problem p = {.A = perp_from_callback(&c, 0), .b = b};
        const perp_options o = perp_default_options(perp_method_at(k));
        double x[3] = {0};
        perp_result r;
        products = 0;
        if (perp_solve_once(&p, x, &o, &r) != PERP_OK) continue;
        if (way < 2) assert_int_not_equal(r.status, PERP_STATUS_SOLVED);
        for (int i = 0; i < 3; i++) assert_true(x[i] - x[i] == 0.0);
        assert_true(r.certificate.residual == r.certificate.residual);
      }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_method_answers),
    cmocka_unit_test(an_operator_without_numbers_is_not_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
