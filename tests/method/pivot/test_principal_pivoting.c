// test_principal_pivoting.c: block pivots, Murty's rule behind them, shifted factors.
#include "pivoting_problems.h"

#include "gallery_sample.h"

static void known_answers_are_found(void **state) {
  (void)state;
  known_answers("principal_pivoting", 1e-14, 1);
}

// [1 0 a; a 1 0; 0 a 1], b = 1: full flips from {1} go {1}, {2}, {3}, {1}; the solution is 0.
static void the_cycle_of_newton_min_is_broken(void **state) {
  (void)state;
  for (int32_t start = 0; start < 3; start++) {
    sample s = sample_new(3);
    for (int32_t i = 0; i < 3; i++) {
      AT(&s, i, i) = 1.0;
      AT(&s, i, (i + 2)%3) = 3.0;
      s.b[i] = 1.0;
    }
    double x[4] = {0};
    x[start] = 1.0;
    perp_options options = perp_default_options(perp_find_method("principal_pivoting"));
    options.presolve = 0;
    perp_result r;
    assert_int_equal(perp_solve_once(sample_dense(&s), x, &options, &r), PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    for (int32_t i = 0; i < 3; i++) assert_true(x[i] == 0.0);
    sample_free(&s);
  }
}

static void definite_problems_are_solved(void **state) {
  (void)state;
  support_state = 12;
  for (int trial = 0; trial < often(1000); trial++) {
    sample s = definite(whole(1, 16), trial%2 ? 1.0 : 0.0);
    expect_solved("principal_pivoting", &s, trial%3 == 0);
    sample_free(&s);
  }
}

static void every_linear_solver_will_do(void **state) {
  (void)state;
  support_state = 13;
  for (int32_t k = 0; k < perp_linear_count(); k++) {
    sample s = definite(12, 0.0);
    for (int32_t i = 0; i < s.n; i++) AT(&s, i, i) += 5.0;   // krylov has it easy
    for (int32_t i = 0; i < s.n; i++) {
      s.lo[i] = 0.0;
      s.hi[i] = INF;
    }
    double x[13] = {0}, size = 0.0;
    perp_options options = perp_default_options(perp_find_method("principal_pivoting"));
    options.linear = perp_linear_at(k);
    perp_result r;
    assert_int_equal(perp_solve_once(sample_csc(&s, 0, PERP_CLAIM_SYMMETRIC), x, &options, &r),
                     PERP_OK);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", options.linear->name, r.message);
    assert_true(own_residual(&s, x, &size) <= 1e-7*size);
    sample_free(&s);
  }
}

static void a_singular_free_block_is_shifted(void **state) {
  (void)state;
  sample s = sample_new(3);   // rows 0 and 1 are free and equal; 3/4 x2 = 3/2
  static const double M[] = {1, 1, 0.5, 1, 1, 0.5, 0.5, 0.5, 1};
  memcpy(s.M, M, sizeof M);
  s.lo[0] = s.lo[1] = -INF;
  s.b[0] = s.b[1] = 1.0;
  s.b[2] = -1.0;
  double x[4] = {0};
  const perp_result r = pivot_solve("principal_pivoting", &s, sample_dense(&s), x);
  if (r.status != PERP_STATUS_SOLVED) fail_msg("%s", r.message);
  assert_true(fabs(x[0] + x[1] + 2.0) < 1e-6 && fabs(x[2] - 2.0) < 1e-6);
  sample_free(&s);
}

static void hopeless_problems_end_honestly(void **state) {
  (void)state;
  support_state = 18;
  for (int trial = 0; trial < often(100); trial++) {
    sample s = random_known(whole(1, 6));
    for (int32_t i = 0; i < s.n; i++) s.b[i] = between(-1, 1);
    double x[9] = {0}, size = 0.0;
    const perp_problem *problem = sample_dense(&s);
    const perp_result r = pivot_solve("principal_pivoting", &s, problem, x);
    if (r.status == PERP_STATUS_SOLVED) assert_true(own_residual(&s, x, &size) <= 1e-6*(size + 1));
    sample_free(&s);
  }
}

// Blocks cycle here, and Murty's rule alone takes thousands of pivots.
static void ill_conditioned_walls_are_solved(void **state) {
  (void)state;
  perp_sample *s = make_with("wall", 2, "bodies", 40.0, "built", 0.0, NULL);
  solves_sample("principal_pivoting", s, 1500);
  drop(s);
}

static void units_do_not_matter(void **state) {
  (void)state;
  support_state = 43;
  scaled_apart("principal_pivoting", 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(known_answers_are_found),
    cmocka_unit_test(units_do_not_matter),
    cmocka_unit_test(ill_conditioned_walls_are_solved),
    cmocka_unit_test(the_cycle_of_newton_min_is_broken),
    cmocka_unit_test(definite_problems_are_solved),
    cmocka_unit_test(every_linear_solver_will_do),
    cmocka_unit_test(a_singular_free_block_is_shifted),
    cmocka_unit_test(hopeless_problems_end_honestly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
