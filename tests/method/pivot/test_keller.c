// test_keller.c: symmetric pivoting by descent: known answers, indefinite problems in boxes.
#include "pivoting_problems.h"

static void known_answers_are_found(void **state) {
  (void)state;
  known_answers("keller", 1e-15, 0);
}

static void semidefinite_problems_are_solved(void **state) {
  (void)state;
  support_state = 8;
  for (int trial = 0; trial < often(2000); trial++) {
    sample s = semidefinite(whole(1, 16), trial%2);
    expect_solved("keller", &s, trial%3 == 0);
    sample_free(&s);
  }
}

// Bounded boxes: the objective is bounded below whatever A is, so there always is an end.
static void indefinite_problems_in_boxes_are_solved(void **state) {
  (void)state;
  support_state = 9;
  for (int trial = 0; trial < often(2000); trial++) {
    sample s = sample_new(whole(1, 12));
    for (int32_t i = 0; i < s.n; i++) {
      for (int32_t j = 0; j <= i; j++)
        AT(&s, i, j) = AT(&s, j, i) = trial%2 ? whole(-3, 3) : between(-1, 1);
      s.lo[i] = -whole(0, 3);
      s.hi[i] = whole(0, 3);
      s.b[i] = trial%2 ? whole(-3, 3) : between(-1, 1);
    }
    expect_solved("keller", &s, 0);
    sample_free(&s);
  }
}

static void strictly_copositive_is_enough(void **state) {
  (void)state;
  support_state = 10;
  for (int trial = 0; trial < often(500); trial++) {   // nonnegative with a positive diagonal
    sample s = sample_new(whole(1, 12));
    for (int32_t i = 0; i < s.n; i++) {
      for (int32_t j = 0; j < i; j++) AT(&s, i, j) = AT(&s, j, i) = between(0, 2);
      AT(&s, i, i) = between(0.1, 1);
      s.b[i] = between(-1, 0.5);
    }
    expect_solved("keller", &s, 0);
    sample_free(&s);
  }
}

static void no_symmetry_is_said_so(void **state) {
  (void)state;
  support_state = 14;
  sample s = definite(6, 1.0);
  double x[7] = {0};
  const perp_result r = pivot_solve("keller", &s, sample_dense(&s), x);
  assert_int_not_equal(r.status, PERP_STATUS_SOLVED);
  assert_non_null(strstr(r.message, "symmetric"));
  sample_free(&s);
}

static void falling_without_end_is_a_ray(void **state) {
  (void)state;
  sample s = sample_new(2);   // 1/2 x'Ax falls along (1, 1): no claim of infeasibility, no success
  AT(&s, 0, 0) = AT(&s, 1, 1) = 1.0;
  AT(&s, 0, 1) = AT(&s, 1, 0) = -2.0;
  s.b[0] = s.b[1] = -1.0;
  double x[3] = {0};
  const perp_result r = pivot_solve("keller", &s, sample_dense(&s), x);
  // x0 - 2 x1 >= 1 and x1 - 2 x0 >= 1 have no solution with x >= 0, which (1, 1) proves
  assert_true(r.status == PERP_STATUS_RAY || r.status == PERP_STATUS_INFEASIBLE);
  sample_free(&s);
}

// Symmetric to rounding, but x_1 = 2^34 makes the tiny entry decide x_0: 3 x_0 = 3*8 - 7 in the
// units of row and column 0, which are 2^-35 and 2^14.
static void a_skew_part_below_rounding_counts(void **state) {
  (void)state;
  const double row[] = {0x1p-35, 0x1p29}, column[] = {0x1p14, 0x1p-31};
  const double A[] = {3*row[0]*column[0], -3*row[0]*column[1], 0, row[1]*column[1]};
  const double b[] = {7*row[0], -8*row[1]};
  const perp_dense dense = {.n = 2, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&dense, PERP_CLAIM_NONE), .b = b};
  perp_options options = perp_default_options(perp_find_method("keller"));
  options.presolve = 0;
  double x[2] = {0};
  perp_result r;
  assert_int_equal(perp_solve_once(&problem, x, &options, &r), PERP_OK);
  if (r.status != PERP_STATUS_SOLVED) fail_msg("%s", r.message);
  assert_true(fabs(x[0]*column[0] - 17.0/3.0) < 1e-6 && fabs(x[1]*column[1] - 8.0) < 1e-6);
}

static void units_do_not_matter(void **state) {
  (void)state;
  support_state = 42;
  scaled_apart("keller", 1);
}

static void time_is_kept_while_reading(void **state) {
  (void)state;
  support_state = 44;
  the_deadline_holds_while_reading("keller");
  what_was_not_read_is_not_used("keller");
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(known_answers_are_found),
    cmocka_unit_test(units_do_not_matter),
    cmocka_unit_test(time_is_kept_while_reading),
    cmocka_unit_test(a_skew_part_below_rounding_counts),
    cmocka_unit_test(semidefinite_problems_are_solved),
    cmocka_unit_test(indefinite_problems_in_boxes_are_solved),
    cmocka_unit_test(strictly_copositive_is_enough),
    cmocka_unit_test(no_symmetry_is_said_so),
    cmocka_unit_test(falling_without_end_is_a_ray),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
