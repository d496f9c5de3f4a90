// test_batch.c: many small problems at once give the same bits as one by one, and one bad problem
// spoils no other.
// labels: tsan
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include <perp/gallery.h>
#include <perp/method.h>
#include <perp/perp.h>

enum { COUNT = 60, N = 7 };

typedef struct set {   // COUNT random diagonally dominant problems
  double A[COUNT][N*N], b[COUNT][N], x[COUNT][N];
  perp_dense dense[COUNT];
  perp_problem problem[COUNT];
  perp_result result[COUNT];
  double *answers[COUNT];
} set;

static set *fill(set *s) {
  uint64_t next = 0;
  for (int k = 0; k < COUNT; k++) {
    for (int i = 0; i < N; i++) {
      for (int j = 0; j < N; j++)
        s->A[k][i*N + j] = perp_random_uniform(7, next++) - 0.5 + (i == j ? 4.0 : 0.0);
      s->b[k][i] = perp_random_uniform(7, next++) - 0.7;
      s->x[k][i] = 0.0;
    }
    s->dense[k] = (perp_dense){.n = N, .value = s->A[k]};
    s->problem[k] = (perp_problem){.A = perp_from_dense(&s->dense[k], 0), .b = s->b[k]};
    s->answers[k] = s->x[k];
  }
  return s;
}

// max |min(x, Ax + b)|, computed here and not by the library
static double natural_residual(const set *s, int k) {
  double worst = 0.0;
  for (int i = 0; i < N; i++) {
    double y = s->b[k][i];
    for (int j = 0; j < N; j++) y += s->A[k][i*N + j]*s->x[k][j];
    const double r = fabs(y < s->x[k][i] ? y : s->x[k][i]);
    worst = r > worst ? r : worst;
  }
  return worst;
}

static perp_error solve(set *s, int32_t lanes, int32_t threads) {
  const perp_method *method = perp_find_method("pgs");
  perp_options options = perp_default_options(method);
  options.threads = threads;
  perp_limits limits = perp_limits_of(&s->problem[0]);
  limits.lanes = lanes;
  perp_solver *solver;
  assert_int_equal(perp_solver_create(method, &limits, &options, NULL, &solver), PERP_OK);
  const perp_error error = perp_solve_batch(solver, s->problem, COUNT, s->answers, s->result);
  perp_solver_destroy(solver);
  return error;
}

static void same_bits(void **state) {
  (void)state;
  static set serial, parallel;
  assert_int_equal(solve(fill(&serial), 1, 1), PERP_OK);
  for (int k = 0; k < COUNT; k++) {
    assert_int_equal(serial.result[k].status, PERP_STATUS_SOLVED);
    assert_true(natural_residual(&serial, k) < 1e-7);
  }
  const int32_t lanes[][2] = {{2, 2}, {4, 2}, {4, 4}, {7, 1}, {100, 2}};
  for (size_t k = 0; k < sizeof lanes/sizeof lanes[0]; k++) {
    assert_int_equal(solve(fill(&parallel), lanes[k][0], lanes[k][1]), PERP_OK);
    assert_memory_equal(serial.x, parallel.x, sizeof serial.x);
  }
}

static void one_bad_problem(void **state) {
  (void)state;
  for (int32_t lanes = 1; lanes <= 3; lanes++) {
    static set s;
    fill(&s);
    s.b[17][3] = (double)NAN;
    s.b[40][1] = (double)INFINITY;
    assert_int_equal(solve(&s, lanes, 2), PERP_ERROR_PROBLEM);
    assert_string_equal(perp_last_message(), "problem 17: b[3] = nan is not finite");
    assert_string_equal(s.result[40].message, "b[1] = inf is not finite");
    for (int k = 0; k < COUNT; k++) {
      const int bad = k == 17 || k == 40;
      assert_int_equal(s.result[k].status, bad ? PERP_STATUS_UNSOLVED : PERP_STATUS_SOLVED);
      if (bad) assert_true(s.x[k][0] == 0.0);   // untouched
    }
  }
}

static void arguments(void **state) {
  (void)state;
  static set s;
  fill(&s);
  perp_limits limits = perp_limits_of(&s.problem[0]);
  perp_solver *solver = NULL;
  limits.lanes = -1;
  assert_int_equal(perp_solver_create(NULL, &limits, NULL, NULL, &solver), PERP_ERROR_ARGUMENT);
  limits.lanes = 2;
  assert_int_equal(perp_solver_create(NULL, &limits, NULL, NULL, &solver), PERP_OK);
  assert_int_equal(perp_solve_batch(solver, NULL, 0, NULL, NULL), PERP_OK);
  assert_int_equal(perp_solve_batch(solver, NULL, 1, NULL, NULL), PERP_ERROR_ARGUMENT);
  perp_solver_destroy(solver);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(one_bad_problem),
                                     cmocka_unit_test(arguments)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
