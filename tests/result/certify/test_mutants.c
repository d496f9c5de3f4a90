// test_mutants.c: changes of the library that no other test would notice, each with its own.
//
// Values of the measures by hand, rows that presolve must leave alone, budgets and reserves of time
// on a clock of our own, stamps, residuals kept by columns, and the restart of apgd.
#include "support.h"

#include "driver.h"
#include "problem.h"
#include "run.h"

static void near(double value, double expected) {
  if (!(fabs(value - expected) <= 1e-14*fabs(expected)))
    fail_msg("%.17g is not %.17g", value, expected);
}

// ---- the measures, by hand ----

typedef struct point {   // y = A x + b with its b, and what each measure makes of it
  int32_t n;
  double x[4], y[4], b[4], lo[4], hi[4];
  int plain;             // 0 <= x only: bounds may be NULL
  double natural, e13, minmap, fischer, r1, r2, box;
} point;

// s x = the caller's x: the measures are in the caller's units whatever the scaling
static double measured(const point *p, perp_measure which, const double *s, int null_bounds) {
  double x[4], y[4], b[4], lo[4], hi[4];
  for (int32_t i = 0; i < p->n; i++) {
    x[i] = p->x[i]/s[i];
    lo[i] = p->lo[i]/s[i];
    hi[i] = p->hi[i]/s[i];
    y[i] = p->y[i]*s[i];
    b[i] = p->b[i]*s[i];
  }
  int ones = 1;
  for (int32_t i = 0; i < p->n; i++) ones &= s[i] == 1.0;
  return measure_of(which, p->n, x, y, b, null_bounds ? NULL : lo, null_bounds ? NULL : hi,
                    ones ? NULL : s, ones ? NULL : s);
}

#define PLAIN .lo = {0, 0, 0, 0}, .hi = {INFINITY, INFINITY, INFINITY, INFINITY}, .plain = 1
// a free row, 0 <= x, -1 <= x <= 2, x <= 1
#define MIXED .lo = {-INFINITY, 0, -1, -INFINITY}, .hi = {INFINITY, INFINITY, 2, 1}

static void measures_by_hand(void **state) {
  (void)state;
  const double f1 = 0.5*(pow(sqrt(10.0) - 4.0, 2) + 64.0 + pow(sqrt(5.0) - 3.0, 2)),
               f2 = 0.5*(pow(sqrt(13.0) - 5.0, 2)), f3 = 0.5*(pow(sqrt(1.25) - 1.5, 2)) + 4.0;
  const point all[] = {
      // min(x, y) = (1, -4, 1); largest |b| = 4; the products are 3, -, 2
      {3, {1, 0, 2}, {3, -4, 1}, {3, 0, 4}, PLAIN, .natural = 4, .e13 = 5, .minmap = 9,
       .fischer = f1, .r1 = 4.0/5, .r2 = 4.0/5, .box = 18},
      // y_1 = 0 beside an infinite bound; min(x, y) = (2, 0); |b| = 3; the product is 6
      {2, {3, 2}, {2, 0}, {0, 3}, PLAIN, .natural = 2, .e13 = 6, .minmap = 2, .fischer = f2,
       .r1 = 0.5, .r2 = 0.6, .box = 4},
      // mid = (-2, 0.5, -2, 0); |b| = 3 of the free row, 4 of the others; products 0.5, 6, 0
      {4, {5, 1, 0, 1}, {-2, 0.5, -3, -4}, {3, 0, 4, 0}, MIXED, .natural = 2, .e13 = 14.5,
       .minmap = 4.125, .fischer = f3, .r1 = 0.5, .r2 = 0.5, .box = 8.25},
      // the free row counts less
      {4, {5, 1, 0, 1}, {-2, 0.5, -3, -4}, {9, 0, 4, 0}, MIXED, .natural = 2, .e13 = 14.5,
       .minmap = 4.125, .fischer = f3, .r1 = 0.4, .r2 = 6.0/17, .box = 8.25},
      // y_3 = 3 although x_3 has no lower bound: mid = (-2, 0.5, -2, 3)
      {4, {5, 1, 0, 1}, {-2, 0.5, -3, 3}, {9, 0, 4, 0}, MIXED, .natural = 3, .e13 = 13.5,
       .minmap = 8.625, .fischer = f3 + 4.5, .r1 = 0.6, .r2 = 0.6, .box = 17.25},
      // solved
      {2, {0, 2}, {7, 0}, {3, 4}, PLAIN, .natural = 0},
  };
  const double scales[3][4] = {{1, 1, 1, 1}, {2, 0.5, 4, 8}, {0.25, 16, 0.5, 2}};
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) {
    const point *p = &all[k];
    const double expected[] = {[PERP_MEASURE_NATURAL] = p->natural, [PERP_MEASURE_E13] = p->e13,
                               [PERP_MEASURE_MINMAP] = p->minmap,
                               [PERP_MEASURE_FISCHER] = p->fischer, [PERP_MEASURE_MNS08_R1] = p->r1,
                               [PERP_MEASURE_MNS08_R2] = p->r2, [PERP_MEASURE_BOX] = p->box};
    for (int which = PERP_MEASURE_NATURAL; which <= PERP_MEASURE_BOX; which++)
      for (int s = 0; s < 3; s++) {
        near(measured(p, (perp_measure)which, scales[s], 0), expected[which]);
        if (p->plain) near(measured(p, (perp_measure)which, scales[s], 1), expected[which]);
      }
  }
}

// The first entry of a trace is the measure of the guess, in the caller's units even where apgd
// runs on a scaled problem.
static void measures_in_a_trace(void **state) {
  (void)state;
  const double M[] = {64, 1, 1, 0.25}, b[] = {-62, -2}, guess[] = {1, 2};   // y = (4, -0.5)
  const perp_dense dense = {.n = 2, .value = M};
  const perp_problem p = {.A = perp_from_dense(&dense, PERP_CLAIM_SYMMETRIC), .b = b};
  const double expected[] = {[PERP_MEASURE_NATURAL] = 1, [PERP_MEASURE_E13] = 5,
                             [PERP_MEASURE_MINMAP] = 0.625,
                             [PERP_MEASURE_FISCHER] = 0.5*(pow(sqrt(17.0) - 5, 2) +
                                                           pow(sqrt(4.25) - 1.5, 2)),
                             [PERP_MEASURE_MNS08_R1] = 1.0/63,
                             [PERP_MEASURE_MNS08_R2] = 0.5/63,
                             [PERP_MEASURE_BOX] = 1.25};
  const char *const names[] = {"pgs", "apgd"};
  for (int which = PERP_MEASURE_NATURAL; which <= PERP_MEASURE_BOX; which++)
    for (int k = 0; k < 2; k++) {
      perp_statistics trace[4];
      perp_options o = perp_default_options(perp_find_method(names[k]));
      o.stop.measure = which;
      o.iteration_limit = 0;
      o.trace = trace;
      o.trace_capacity = 4;
      double x[] = {guess[0], guess[1]};
      perp_result r;
      assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
      assert_true(r.trace_count >= 1);
      near(trace[0].measure, expected[which]);
    }
}

// ---- presolve ----

// Row 1 of [1 0 1; a 0 0; 0 1 0] has become empty once x_0 is known, and its b is a x_0 + b_1: zero
// but for rounding, so that x_1 = 5, which the free row 2 asks for, is the only answer.
static void a_row_that_became_empty_stays(void **state) {
  (void)state;
  const double a[] = {3, 3, 7, 1, 3}, fixed[] = {0.1, 0.3, 0.1, 0.5, 0.1},
               b1[] = {-0.3, -0.9, -0.7, -0.5, -0.1 - 0.2};
  int signs[3] = {0, 0, 0};
  for (int k = 0; k < 5; k++)
    for (int upside_down = 0; upside_down < 2; upside_down++) {
      const double turn = upside_down ? -1.0 : 1.0;
      const int32_t colptr[] = {0, 2, 3, 4}, row[] = {0, 1, 2, 0};
      const double value[] = {1, turn*a[k], 1, 1}, b[] = {0, turn*b1[k], -5};
      const perp_csc c = {3, 3, colptr, row, value};
      const double lo[] = {fixed[k], 0, -INF}, hi[] = {fixed[k], 10, INF};
      const perp_problem problem = {.A = perp_from_csc(&c, 0), .b = b, .lo = lo, .hi = hi};
      const int32_t entries[] = {2, 1, 1}, component[] = {0, 0, 0};
      double x[] = {-7, -7, -7};
      const double rest = turn*(a[k]*fixed[k] + b1[k]);
      signs[rest > 0.0 ? 2 : rest < 0.0 ? 0 : 1]++;
      arena count = {0};
      presolve p = {0};
      presolve_layout(&p, &count, 3, 4);
      void *const block = malloc(arena_block_bytes(&count));
      assert_non_null(block);
      arena memory = arena_on_block(block, arena_block_bytes(&count));
      presolve_layout(&p, &memory, 3, 4);
      assert_int_equal(presolve_run(&p, &problem, entries, component, 1, 1, 0, 0, x), 1);
      assert_int_equal(p.infeasible, -1);
      assert_int_equal(p.n, 2);
      assert_int_equal(p.index[0], 1);
      assert_int_equal(p.index[1], 2);
      assert_true(x[0] == fixed[k] && x[1] == -7 && x[2] == -7);
      free(block);
    }
  assert_true(signs[0] > 0 && signs[1] > 0 && signs[2] > 0);   // of every sign
}

// ---- time ----

typedef struct ticker {
  double now, step;
} ticker;
static double tick(void *context) {
  ticker *t = context;
  return t->now += t->step;
}

static sample slow_problem(int32_t n, double shift) {   // sweeps need thousands of passes
  sample s = sample_new(n);
  for (int32_t i = 0; i < n; i++) {
    AT(&s, i, i) = 2 + shift;
    if (i > 0) AT(&s, i, i - 1) = AT(&s, i - 1, i) = -1;
    s.b[i] = i%7 == 3 ? 0.5 : -0.1;
  }
  return s;
}

enum { CHILDREN = 3 };
static struct {            // what the children of `nursery` did
  double seconds[CHILDREN];
  int32_t limit[CHILDREN], iterations[CHILDREN];
  perp_status status[CHILDREN];
  int count;
} nursery_log;

static size_t nursery_bytes(const perp_limits *limits, const perp_options *options) {
  return child_bytes(perp_find_method("pgs"), limits, options);
}

static void run_nursery(perp_run *run) {
  perp_options options = *run->options;
  options.method = perp_find_method("pgs");
  nursery_log.count = 0;
  if (!run_continue(run)) return;
  for (int k = 0; k < CHILDREN; k++) {
    const int32_t before = run->iterations;
    nursery_log.status[k] = run_child(run, options.method, &options, nursery_log.limit[k],
                                      nursery_log.seconds[k]);
    nursery_log.iterations[k] = run->iterations - before;
    nursery_log.count++;
  }
  run_stop(run, PERP_STATUS_UNSOLVED, "the children are tired");
}

static const perp_method nursery = {
  .name = "nursery", .title = "runs pgs for a while, and again", .source = "this test",
  .formula = "", .converges = "", .cost = "", .advice = "none",
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED, .traits = PERP_TRAIT_META,
  .bytes = nursery_bytes, .run = run_nursery,
};

// The clock moves by a millisecond per look, an iteration looks once: 20 ms are about 20 of them.
static void children_keep_to_their_seconds(void **state) {
  (void)state;
  sample s = slow_problem(200, 0.0);
  ticker t = {100.0, 0.001};
  perp_options o = perp_default_options(&nursery);
  o.clock = tick;
  o.clock_context = &t;
  o.time_limit = 10.0;
  o.iteration_limit = 100000;
  o.presolve = o.split = 0;
  const double seconds[CHILDREN] = {0.020, 0.040, INF};
  const int32_t limit[CHILDREN] = {100000, 100000, 5};
  memcpy(nursery_log.seconds, seconds, sizeof seconds);
  memcpy(nursery_log.limit, limit, sizeof limit);
  perp_result r;
  assert_int_equal(perp_solve_once(sample_csc(&s, 0, 0), s.x, &o, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_UNSOLVED);
  assert_int_equal(nursery_log.count, CHILDREN);
  assert_int_equal(nursery_log.status[0], PERP_STATUS_TIME_LIMIT);
  assert_int_equal(nursery_log.status[1], PERP_STATUS_TIME_LIMIT);   // from when it began
  assert_int_equal(nursery_log.status[2], PERP_STATUS_ITERATION_LIMIT);
  assert_in_range(nursery_log.iterations[0], 12, 21);
  assert_in_range(nursery_log.iterations[1], 30, 41);
  assert_int_equal(nursery_log.iterations[2], 5);
  assert_int_equal(r.iterations, nursery_log.iterations[0] + nursery_log.iterations[1] + 5);
  // the parent's own limit ends the first child, and with it the parent
  t = (ticker){0.0, 0.001};
  o.time_limit = 0.050;
  nursery_log.seconds[0] = INF;
  memset(s.x, 0, 200*sizeof *s.x);
  assert_int_equal(perp_solve_once(sample_csc(&s, 0, 0), s.x, &o, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_TIME_LIMIT);
  assert_in_range(nursery_log.iterations[0], 30, 51);
  assert_int_equal(nursery_log.iterations[1], 0);
  sample_free(&s);
}

typedef struct costly {   // products take time, nothing else does
  const sample *s;
  double now, first, later, last_seen;
  int products;
} costly;

static int costly_apply(void *context, const double *x, double *y) {
  costly *c = context;
  for (int32_t i = 0; i < c->s->n; i++) {
    y[i] = 0.0;
    for (int32_t j = 0; j < c->s->n; j++) y[i] += AT(c->s, i, j)*x[j];
  }
  c->now += c->products++ == 0 ? c->first : c->later;
  return 0;
}
static double costly_clock(void *context) { return ((const costly *)context)->now; }
static int costly_watch(void *context, const perp_statistics *statistics) {
  ((costly *)context)->last_seen = statistics->seconds;
  return 0;
}

// What the certificate of the guess took is kept for the final one, with a margin, but never more
// than half of what is left; and no iteration begins that would reach into it.
static void time_is_kept_for_the_certificate(void **state) {
  (void)state;
  sample s = slow_problem(120, 0.0);
  const double first[] = {0.06, 0.5}, kept[] = {0.069, 0.25};
  for (int k = 0; k < 2; k++) {
    costly c = {.s = &s, .now = 50.0, .first = first[k], .later = 0.01};
    const perp_callback A = {.n = 120, .apply = costly_apply, .context = &c};
    const perp_problem p = {.A = perp_from_callback(&A, PERP_CLAIM_SYMMETRIC), .b = s.b};
    perp_options o = perp_default_options(perp_find_method("apgd"));
    o.clock = costly_clock;
    o.clock_context = &c;
    o.on_iteration = costly_watch;
    o.context = &c;
    o.time_limit = 1.0;
    double x[120];
    for (int i = 0; i < 120; i++) x[i] = 1.0;   // the guess costs a product
    perp_result r;
    assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_TIME_LIMIT);
    assert_true(fabs(r.setup_seconds - first[k]) < 1e-9);
    assert_true(r.iterations >= 10);
    if (!(c.last_seen > 1.0 - kept[k] - 0.039 && c.last_seen < 1.0 - kept[k] + 1e-9))
      fail_msg("the last iteration ended after %g s", c.last_seen);
    assert_true(r.seconds <= 1.0 + 1e-9);
  }
  sample_free(&s);
}

// ---- stamps ----

// Ten islands of one row, then a chain of five under the same stamps, then ten again.
static void stamps_of_another_size(void **state) {
  (void)state;
  sample islands = sample_new(10), chain = slow_problem(5, 0.5);
  for (int32_t i = 0; i < 10; i++) {
    AT(&islands, i, i) = ldexp(1.0, 7*(i - 5));
    islands.b[i] = -1.0;
  }
  const perp_method *const pgs = perp_find_method("pgs");
  perp_options o = perp_default_options(pgs);
  const perp_limits limits = {.n = 10, .nnz = 100, .scratch = 4096};
  perp_solver *solver;
  assert_int_equal(perp_solver_create(pgs, &limits, &o, NULL, &solver), PERP_OK);
  for (int round = 0; round < 4; round++) {
    sample *s = round%2 == 0 ? &islands : &chain;
    perp_problem p = *sample_csc(s, 0, 0);
    double x[10] = {0}, once[10] = {0};
    perp_result r, alone;
    assert_int_equal(perp_solve_once(&p, once, &o, &alone), PERP_OK);
    p.pattern_stamp = p.value_stamp = 77;
    assert_int_equal(perp_solve(solver, &p, x, &r), PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    assert_int_equal(r.certificate.components, round%2 == 0 ? 10 : 1);
    assert_int_equal(r.iterations, alone.iterations);
    assert_memory_equal(x, once, sizeof x);
    assert_true(r.certificate.residual == alone.certificate.residual);
  }
  // what has not been seen in this size is validated: a NaN is refused
  perp_problem p = *sample_csc(&islands, 0, 0);
  double x[10] = {0};
  perp_result r;
  p.pattern_stamp = p.value_stamp = 77;
  islands.value[3] = NAN;
  assert_int_equal(perp_solve(solver, &p, x, &r), PERP_ERROR_PROBLEM);
  perp_solver_destroy(solver);
  sample_free(&islands);
  sample_free(&chain);
}

// ---- methods ----

// y = A x + b kept by columns: a guess of 1e10 leaves rounding errors of 1e-6 in y, which only a
// fresh product takes out again. Upwind differences, not symmetric: some thousand passes.
static void column_sweeps_do_not_drift(void **state) {
  (void)state;
  enum { N = 60 };
  sample s = sample_new(N);
  for (int32_t i = 0; i < N; i++) {
    AT(&s, i, i) = 2.002;
    if (i > 0) AT(&s, i, i - 1) = -1.1;
    if (i > 0) AT(&s, i - 1, i) = -0.9;
    s.b[i] = i%5 == 0 ? 0.25 : -0.1;
  }
  const char *const names[] = {"pgs", "psor"};
  for (int k = 0; k < 2; k++) {
    perp_options o = perp_default_options(perp_find_method(names[k]));
    perp_statistics trace[8];
    o.iteration_limit = 20000;
    o.tol = 1e-11;
    o.trace = trace;
    o.trace_capacity = 8;
    perp_result r;
    for (int32_t i = 0; i < N; i++) s.x[i] = 1e10/(1 + i%3);
    assert_int_equal(perp_solve_once(sample_csc(&s, 0, 0), s.x, &o, &r), PERP_OK);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", names[k], r.message);
    assert_in_range(r.iterations, 1000, 10000);
    // the estimate by which the sweeps ended, and the truth
    assert_true(trace[r.trace_count - 1].residual <= 1e-10);
    assert_true(own_residual(&s, s.x, NULL) <= 1e-10);
  }
  sample_free(&s);
}

// Fast convergence from a guess of 1e14: x stops changing, by a residual that is stale, before the
// residual is ever computed again. That is no stagnation.
static void a_stale_fixed_point_is_none(void **state) {
  (void)state;
  enum { N = 20 };
  sample s = sample_new(N);
  for (int32_t i = 0; i < N; i++) {
    AT(&s, i, i) = 1;
    if (i > 0) AT(&s, i, i - 1) = -0.1;
    if (i > 0) AT(&s, i - 1, i) = 0.05;
    s.b[i] = i%3 == 0 ? 0.3 : -0.1;
  }
  for (int symmetric = 0; symmetric < 2; symmetric++) {
    perp_options o = perp_default_options(perp_find_method(symmetric ? "psor" : "pgs"));
    o.sweep.symmetric = symmetric;
    o.sweep.omega = 1.0;
    perp_result r;
    for (int32_t i = 0; i < N; i++) s.x[i] = 1e14/(1 + i%3);
    assert_int_equal(perp_solve_once(sample_csc(&s, 0, 0), s.x, &o, &r), PERP_OK);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("%s", r.message);
    assert_in_range(r.iterations, 2, 40);
  }
  // where nothing can move, the end is still told at once
  const double M[] = {-1, 0.5, 0.5, -1}, b[] = {-1, -1};
  const perp_dense dense = {.n = 2, .value = M};
  const perp_problem p = {.A = perp_from_dense(&dense, 0), .b = b};
  for (int symmetric = 0; symmetric < 2; symmetric++) {
    perp_options o = perp_default_options(perp_find_method(symmetric ? "psor" : "pgs"));
    o.sweep.symmetric = symmetric;
    double x[] = {1, 1};
    perp_result r;
    assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_STAGNATED);
    assert_in_range(r.iterations, 0, 5);
  }
  sample_free(&s);
}

// A line of 200 springs, condition k = 1.6e4. With the restart the error falls by e in about
// sqrt(k) = 130 iterations, 1e10 takes 3000 of them; it was 1551 once, and 52772 without.
static void apgd_restarts(void **state) {
  (void)state;
  sample s = slow_problem(200, 0.0);
  for (int32_t i = 0; i < 200; i++) s.lo[i] = -INF;
  perp_options o = perp_default_options(perp_find_method("apgd"));
  o.iteration_limit = 100000;
  o.tol = 1e-10;
  perp_result r;
  assert_int_equal(perp_solve_once(sample_csc(&s, 0, PERP_CLAIM_SYMMETRIC), s.x, &o, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  assert_in_range(r.iterations, 100, 8000);
  sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(measures_by_hand),
      cmocka_unit_test(measures_in_a_trace),
      cmocka_unit_test(a_row_that_became_empty_stays),
      cmocka_unit_test(children_keep_to_their_seconds),
      cmocka_unit_test(time_is_kept_for_the_certificate),
      cmocka_unit_test(stamps_of_another_size),
      cmocka_unit_test(column_sweeps_do_not_drift),
      cmocka_unit_test(a_stale_fixed_point_is_none),
      cmocka_unit_test(apgd_restarts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
