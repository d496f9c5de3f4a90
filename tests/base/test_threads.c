// test_threads.c: solvers in several threads at once: the same bits, and messages of their own.
// labels: tsan
#include <perp/batch.h>

#include "support.h"

#include "platform.h"

enum { WORKERS = 4, ROUNDS = 12, ROWS = 40 };

typedef struct job {
  int worker;
  perp_options options;
  sample s;
  double x[ROWS];
  perp_result result;
  char message[64];
  int failed;
} job;

static platform_result PLATFORM_CALL work(void *data) {
  job *j = data;
  for (int round = 0; round < ROUNDS; round++) {
    memset(j->x, 0, sizeof j->x);
    perp_limits limits = perp_limits_of(&j->s.problem);
    perp_solver *solver;
    j->failed |= perp_solver_create(NULL, &limits, &j->options, NULL, &solver) != PERP_OK;
    if (j->failed) return 0;
    j->failed |= perp_solve(solver, &j->s.problem, j->x, &j->result) != PERP_OK;
    perp_solver_destroy(solver);
    perp_options wrong = j->options;  // a message with this worker's number
    wrong.iteration_limit = -1 - j->worker;
    perp_result ignored;
    j->failed |= perp_solve_once(&j->s.problem, j->x, &wrong, &ignored) != PERP_ERROR_OPTION;
    snprintf(j->message, sizeof j->message, "iteration_limit = %d is", -1 - j->worker);
    j->failed |= strncmp(perp_last_message(), j->message, strlen(j->message)) != 0;
    perp_certificate c;
    j->failed |= perp_certify(&j->s.problem, j->x, 1e-8, 0, NULL, &c) != PERP_OK || !c.solved;
  }
  return 0;
}

static void concurrent_solvers(void **state) {
  (void)state;
  support_state = 41;
  static job serial[WORKERS], parallel[WORKERS];
  const char *const names[] = {"pgs", "auto", "apgd", "nncg"};
  for (int order = 0; order < 2; order++)
    for (int threads = 1; threads <= 3; threads += 2) {
      for (int k = 0; k < WORKERS; k++) {
        serial[k] = (job){.worker = k,
                          .options = perp_default_options(perp_find_method(names[k])),
                          .s = sample_new(ROWS)};
        symmetric_definite(&serial[k].s);
        for (int i = 0; i < ROWS; i++) serial[k].s.b[i] = between(-1, 1);
        serial[k].options.threads = threads;
        if (perp_find_parameter(serial[k].options.method, "sweep.order") != NULL)
          serial[k].options.sweep.order = order;
        parallel[k] = serial[k];
        sample_csc(&serial[k].s, 0, PERP_CLAIM_SYMMETRIC);
        parallel[k].s.csc = serial[k].s.csc;
        parallel[k].s.problem = serial[k].s.problem;
        work(&serial[k]);
        assert_int_equal(serial[k].failed, 0);
        assert_int_equal(serial[k].result.status, PERP_STATUS_SOLVED);
        assert_true(own_residual(&serial[k].s, serial[k].x, NULL) < 1e-6);
      }
      platform_thread thread[WORKERS];
      for (int k = 0; k < WORKERS; k++)
        assert_true(platform_start(&thread[k], work, &parallel[k]));
      for (int k = 0; k < WORKERS; k++) platform_join(thread[k]);
      for (int k = 0; k < WORKERS; k++) {
        assert_int_equal(parallel[k].failed, 0);
        assert_memory_equal(serial[k].x, parallel[k].x, sizeof serial[k].x);
        assert_int_equal(serial[k].result.iterations, parallel[k].result.iterations);
        sample_free(&serial[k].s);
      }
    }
}

static void lanes_give_the_same_bits(void **state) {
  (void)state;
  support_state = 42;
  enum { COUNT = 30 };
  sample s[COUNT];
  perp_problem p[COUNT];
  double *x[COUNT], reference[COUNT][ROWS];
  static perp_result r[COUNT];
  perp_limits limits = {.n = ROWS, .nnz = ROWS*ROWS, .scratch = ROWS*64};
  for (int k = 0; k < COUNT; k++) {
    s[k] = sample_new(whole(1, ROWS));
    symmetric_definite(&s[k]);
    for (int32_t i = 0; i < s[k].n; i++) s[k].b[i] = between(-1, 1);
    p[k] = *sample_csc(&s[k], 0, 0);
    x[k] = s[k].x;
  }
  for (int lanes = 1; lanes <= 5; lanes += 2)
    for (int threads = 1; threads <= 3; threads++) {
      limits.lanes = lanes;
      perp_options o = perp_default_options(NULL);
      o.threads = threads;
      perp_solver *solver;
      assert_int_equal(perp_solver_create(NULL, &limits, &o, NULL, &solver), PERP_OK);
      for (int k = 0; k < COUNT; k++) memset(x[k], 0, (size_t)s[k].n*sizeof(double));
      assert_int_equal(perp_solve_batch(solver, p, COUNT, x, r), PERP_OK);
      for (int k = 0; k < COUNT; k++) {
        assert_int_equal(r[k].status, PERP_STATUS_SOLVED);
        if (lanes == 1 && threads == 1) memcpy(reference[k], x[k], (size_t)s[k].n*sizeof(double));
        assert_memory_equal(reference[k], x[k], (size_t)s[k].n*sizeof(double));
      }
      perp_solver_destroy(solver);
    }
  for (int k = 0; k < COUNT; k++) sample_free(&s[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(concurrent_solvers),
                                     cmocka_unit_test(lanes_give_the_same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
