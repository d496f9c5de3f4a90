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

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(known_answers_are_found),
    cmocka_unit_test(semidefinite_problems_are_solved),
    cmocka_unit_test(indefinite_problems_in_boxes_are_solved),
    cmocka_unit_test(strictly_copositive_is_enough),
    cmocka_unit_test(no_symmetry_is_said_so),
    cmocka_unit_test(falling_without_end_is_a_ray),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
