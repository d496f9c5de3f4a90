// test_batch.c: many small problems at once give the same bits as one by one, one bad problem
// spoils no other, and a brief says what a result does.
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

#include "counting.h"

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
  assert_int_equal(perp_solve_batch_brief(solver, NULL, 0, NULL, NULL), PERP_OK);
  assert_int_equal(perp_solve_batch_brief(solver, s.problem, COUNT, s.answers, NULL),
                   PERP_ERROR_ARGUMENT);
  assert_string_equal(perp_last_message(),
                      "perp_solve_batch_brief: briefs is NULL, and count = 60");
  assert_int_equal(perp_solve_batch_brief(solver, s.problem, -1, s.answers, NULL),
                   PERP_ERROR_ARGUMENT);
  assert_string_equal(perp_last_message(),
                      "perp_solve_batch_brief: count = -1 must not be negative");
  perp_solver_destroy(solver);
}

// ------------------------------------------------------------------------------------- briefs

_Static_assert(sizeof(perp_brief) <= 40, "a batch of a million has briefs of 40 MB");

enum { MIXED = 61, LARGEST = 18, SPARE = 3 };

typedef struct mixed {   // good problems, and some of each kind that is not
  double A[MIXED][LARGEST*LARGEST], b[MIXED][LARGEST], x[MIXED][LARGEST];
  perp_dense dense[MIXED];
  perp_problem problem[MIXED];
  double *answers[MIXED];
} mixed;

typedef enum kind { GOOD, NOT_FINITE, INFEASIBLE, SLOW, NO_X, TOO_LARGE, KINDS } kind;

static kind kind_of(int k) { return k%5 == 4 ? (kind)(k/5%KINDS) : GOOD; }

static mixed *mix(mixed *s) {
  uint64_t next = 0;
  for (int k = 0; k < MIXED; k++) {
    const kind is = kind_of(k);
    const int n = is == SLOW ? LARGEST - 1 : is == TOO_LARGE ? LARGEST : k%3 == 0 ? N : 4;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++)
        s->A[k][i*n + j] = is == SLOW ? (i == j ? 2.0 : abs(i - j) == 1 ? -1.0 : 0.0)
                           : perp_random_uniform(8, next++) - 0.5 + (i == j ? 4.0 : 0.0);
      s->b[k][i] = is == SLOW ? -1.0 : perp_random_uniform(8, next++) - 0.7;
      s->x[k][i] = 0.0;
    }
    if (is == NOT_FINITE) s->b[k][1] = (double)NAN;
    if (is == INFEASIBLE) {   // row 2 says -1 >= 0
      for (int j = 0; j < n; j++) s->A[k][2*n + j] = 0.0;
      s->b[k][2] = -1.0;
    }
    s->dense[k] = (perp_dense){.n = n, .value = s->A[k]};
    s->problem[k] = (perp_problem){.A = perp_from_dense(&s->dense[k], 0), .b = s->b[k]};
    s->answers[k] = is == NO_X ? NULL : s->x[k];
  }
  return s;
}

// Every look takes 1/1024 s, whatever thread looks and however many do.
static double ticks(void *context) {
  (void)context;
  static _Thread_local double now;
  return now += 0x1p-10;
}

static perp_solver *solver_for(const char *name, double time_limit, int32_t lanes, int32_t threads,
                               const perp_allocator *allocator) {
  const perp_method *method = perp_find_method(name);
  perp_options options = perp_default_options(method);
  options.threads = threads;
  options.time_limit = time_limit;
  options.clock = ticks;
  const perp_limits limits = {.n = LARGEST - 1, .nnz = (LARGEST - 1)*(LARGEST - 1), .lanes = lanes};
  perp_solver *solver = NULL;
  assert_int_equal(perp_solver_create(method, &limits, &options, allocator, &solver), PERP_OK);
  return solver;
}

static int same_double(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

// Counts the statuses and errors that were seen.
static void compare(const char *method, double time_limit, int32_t lanes, int32_t threads,
                    int *statuses, int *errors) {
  static mixed fully, briefly, alone;
  static perp_result result[MIXED];
  static perp_brief brief[MIXED + SPARE];
  memset(brief, 0x5a, sizeof brief);   // every field must be written, and none behind the last one
  perp_solver *solver = solver_for(method, time_limit, lanes, threads, NULL);
  mix(&fully);
  const perp_error error = perp_solve_batch(solver, fully.problem, MIXED, fully.answers, result);
  assert_int_not_equal(error, PERP_OK);
  char message[256];
  strcpy(message, perp_last_message());
  perp_solver_destroy(solver);

  solver = solver_for(method, time_limit, lanes, threads, NULL);
  mix(&briefly);
  assert_int_equal(perp_solve_batch_brief(solver, briefly.problem, MIXED, briefly.answers, brief),
                   error);
  assert_string_equal(perp_last_message(), message);
  assert_memory_equal(fully.x, briefly.x, sizeof fully.x);
  mix(&alone);
  for (int k = 0; k < MIXED; k++) {
    const perp_certificate *certificate = &result[k].certificate;
    assert_int_equal(brief[k].status, result[k].status);
    assert_int_equal(brief[k].iterations, result[k].iterations);
    assert_int_equal(brief[k].worst, certificate->worst);
    assert_ptr_equal(brief[k].method, result[k].method);
    assert_true(same_double(brief[k].residual, certificate->residual));
    assert_true(same_double(brief[k].natural_residual, certificate->natural_residual));
    statuses[brief[k].status]++;
    errors[brief[k].error]++;
    if (brief[k].status == PERP_STATUS_SOLVED) assert_int_equal(certificate->solved, 1);

    // The full result of one problem, as perp.h says it is had. A time limit depends on what the
    // solver has measured before, so this is for solves without one.
    perp_result one;
    const perp_error refused = perp_solve(solver, &alone.problem[k], alone.answers[k], &one);
    assert_int_equal(brief[k].error, refused);
    if (refused != PERP_OK) {
      assert_string_equal(perp_last_message(), result[k].message);
    } else if (time_limit == (double)INFINITY) {
      assert_int_equal(one.status, brief[k].status);
      assert_string_equal(one.message, result[k].message);
      assert_memory_equal(alone.x[k], briefly.x[k], sizeof alone.x[k]);
    }
  }
  const unsigned char *behind = (const unsigned char *)&brief[MIXED];
  for (size_t i = 0; i < SPARE*sizeof *brief; i++) assert_int_equal(behind[i], 0x5a);
  perp_solver_destroy(solver);
}

static void briefs_agree_with_results(void **state) {
  (void)state;
  int statuses[PERP_STATUS_COUNT] = {0}, errors[PERP_ERROR_COUNT] = {0};
  static const char *const methods[] = {"auto", "pgs"};
  const int32_t lanes[][2] = {{1, 1}, {1, 2}, {3, 2}, {7, 4}, {100, 2}};
  for (size_t m = 0; m < 2; m++)
    for (size_t k = 0; k < sizeof lanes/sizeof lanes[0]; k++) {
      compare(methods[m], (double)INFINITY, lanes[k][0], lanes[k][1], statuses, errors);
      compare(methods[m], 0x1p-6, lanes[k][0], lanes[k][1], statuses, errors);
    }
  assert_true(statuses[PERP_STATUS_SOLVED] > 0);
  assert_true(statuses[PERP_STATUS_INFEASIBLE] > 0);
  assert_true(statuses[PERP_STATUS_TIME_LIMIT] > 0);
  assert_true(errors[PERP_ERROR_PROBLEM] > 0);
  assert_true(errors[PERP_ERROR_ARGUMENT] > 0);
}

// The bytes taken by a solver for a batch of this many, half of them good and the rest mixed.
static size_t most_bytes(const char *method, int32_t count) {
  enum { MANY = 4000 };
  static mixed s;
  static perp_problem problem[MANY];
  static perp_brief brief[MANY];
  static double x[MANY][LARGEST], *answers[MANY];
  mix(&s);
  memset(x, 0, sizeof x);
  for (int32_t k = 0; k < count; k++) {
    problem[k] = s.problem[k%MIXED];
    answers[k] = kind_of(k%MIXED) == NO_X ? NULL : x[k];
  }
  balance bytes = {0};
  const perp_allocator allocator = {weighed_allocate, weighed_release, &bytes};
  perp_solver *solver = solver_for(method, (double)INFINITY, 4, 1, &allocator);
  assert_int_not_equal(perp_solve_batch_brief(solver, problem, count, answers, brief), PERP_OK);
  assert_int_equal(brief[count - 1].status, brief[(count - 1)%MIXED].status);
  perp_solver_destroy(solver);
  assert_true(bytes.now == 0);
  return bytes.most;
}

static void memory_does_not_grow_with_count(void **state) {
  (void)state;
  assert_int_equal(most_bytes("auto", 4*MIXED), most_bytes("auto", 4000));
  assert_int_equal(most_bytes("pgs", 4*MIXED), most_bytes("pgs", 4000));
}

// A result that held anything before: the short way of small problems writes all of it.
static void no_field_is_left(void **state) {
  (void)state;
  static mixed s;
  mix(&s);
  perp_solver *solver = solver_for("auto", (double)INFINITY, 1, 1, NULL);
  for (int32_t count = 1; count <= 4; count += 3) {   // alone, and four at once
    perp_result result[4];
    memset(result, 0xff, sizeof result);
    perp_problem problem[4];
    double x[4][LARGEST] = {{0}}, *answers[4];
    for (int k = 0; k < 4; k++) {
      problem[k] = s.problem[1];
      answers[k] = x[k];
    }
    assert_int_equal(perp_solve_batch(solver, problem, count, answers, result), PERP_OK);
    for (int32_t k = 0; k < count; k++) {
      assert_true(result[k].regularization == 0.0);
      assert_true(result[k].factor_nonzeros == 0);
      assert_true(result[k].radius == 0.0);
    }
  }
  perp_solver_destroy(solver);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits), cmocka_unit_test(one_bad_problem),
                                     cmocka_unit_test(arguments),
                                     cmocka_unit_test(briefs_agree_with_results),
                                     cmocka_unit_test(memory_does_not_grow_with_count),
                                     cmocka_unit_test(no_field_is_left)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
