// test_last_sweeps.c: the last part of a limited time, a fifth at most, goes to sweeps, and what they
// make worse is not the answer.
#include "driver.h"
#include "support.h"

// A millisecond passes with every look. If `jumps`, all of the time has passed at the end of the
// runs, so that none is left for the last sweeps. A run that converges takes the time of the sweeps.
// first, last: when the runs had to end, and the sweeps; reserve: the seconds in between.
// taken: what the runs have taken of them.
typedef struct ticks {
  double now, limit, first, last, reserve, taken;
  const perp_solver *solver;
  int jumps;
} ticks;

static double tick(void *context) {
  ticks *t = context;
  t->now += 1e-3;
  if (t->solver != NULL && t->first == 0.0) {
    t->first = t->solver->deadline;
    t->reserve = t->solver->reserve;
  }
  if (t->solver != NULL && t->solver->deadline == t->first) t->taken = t->reserve - t->solver->reserve;
  const double end = t->jumps && t->solver != NULL ? t->first + t->taken : 0.0;
  if (end > 0.0 && end < t->limit && t->now - t->solver->start >= end) t->now += 1e3;
  return t->now;
}

static int converging;   // solves in which a run took the time of the last sweeps

static double solve_within(const perp_problem *p, double limit, int jumps, double *x,
                           perp_status *status) {
  ticks t = {.jumps = jumps, .limit = limit};
  perp_options o = perp_default_options(NULL);
  const perp_limits limits = perp_limits_of(p);
  perp_solver *solver = NULL;
  o.time_limit = limit;
  o.clock = tick;
  o.clock_context = &t;
  perp_result r;
  memset(x, 0, (size_t)p->A.n*sizeof *x);
  assert_int_equal(perp_solver_create(o.method, &limits, &o, NULL, &solver), PERP_OK);
  t.solver = solver;
  assert_int_equal(perp_solve(solver, p, x, &r), PERP_OK);
  t.last = solver->deadline;
  converging += t.taken > 0.0;
  perp_solver_destroy(solver);
  const double left = fmax(t.last - r.setup_seconds, 0.0);
  if (t.first > 0.0) assert_true(t.last - t.first <= 0.2*left + 1e-12);
  *status = r.status;
  return r.certificate.residual;
}

// Nearly triangular matrices with wide entries: what a sweep gains by its own estimate it may lose by
// the certificate, which judges block by block. The same solve on a clock that runs out before the
// last sweeps tells what they began with.
static void the_best_x_is_kept(void **state) {
  (void)state;
  int swept = 0;
  support_state = 1005;
  for (int trial = 0; trial < often(fewer(2000)); trial++) {
    const int32_t n = whole(10, 40), range = whole(0, 5);
    sample s = sample_new(n);
    const double diagonal = between(0.05, 2.0);
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n; j++) {
        const double a = i == j ? diagonal : whole(0, 2) == 0 ? between(-1, 1) : 0.0;
        AT(&s, i, j) = j > i + 3 ? 0.0 : a*pow(10.0, whole(-5, 5));
      }
      s.b[i] = between(-1, 1)*pow(10.0, whole(-range, range));
      s.lo[i] = whole(0, 3) == 0 ? -INF : 0.0;
    }
    const perp_problem *p = trial%2 ? sample_dense(&s) : sample_csc(&s, 0, 0);
    double x[40], z[40];
    perp_status status, without;
    const double limit = 1e-3*whole(80, 160);
    const double after = solve_within(p, limit, 0, x, &status);
    const double before = solve_within(p, limit, 1, z, &without);
    sample_free(&s);
    if (status != PERP_STATUS_TIME_LIMIT || without != PERP_STATUS_TIME_LIMIT) continue;
    swept += memcmp(x, z, (size_t)n*sizeof *x) != 0;
    if (after > before*(1.0 + 1e-9))
      fail_msg("trial %d, limit %g: residual %g, and %g before the last sweeps", trial, limit, after,
               before);
  }
  assert_true(swept > fewer(2000)/100);
  assert_true(converging > fewer(2000)/100);
}

// A method that says how long it will take, or whose residual falls from 1 to 1e-4 in `fall` seconds,
// and notes what time it is given. latest: until when, at most; sweeps: the residual of its last sweeps
static struct {
  double looks, products, fall, converged, before, after, end, reserve, sweeps, latest;
  const perp_method *child;   // runs first
} asked;

static void note_latest(const perp_run *run) {
  const double end = solver_seconds(run->state->solver) + run_seconds_left(run);
  if (end > asked.latest) asked.latest = end;
}

static void ask(perp_run *run) {
  const perp_solver *solver = run->state->solver;
  if (run->only_sweeps) {
    while (asked.sweeps > 0.0 && run_continue(run)) {
      note_latest(run);
      run->residual = asked.sweeps *= 0.99;
    }
    run_stop(run, PERP_STATUS_TIME_LIMIT, "there are no last sweeps");
    return;
  }
  if (asked.child != NULL) {
    const perp_options options = child_options(run, asked.child);
    run_child(run, asked.child, &options, 1, (double)INFINITY);
    run->credit = run->method;
  }
  asked.reserve = solver->reserve;
  asked.before = run_seconds_left(run);
  if (asked.looks > 0.0) run_expects(run, asked.looks);
  if (asked.products > 0.0) run_leaves(run, asked.products);
  asked.after = run_seconds_left(run);
  while (run_continue(run)) {
    note_latest(run);
    run->residual = asked.fall > 0.0 ? pow(1e-4, solver_seconds(solver)/asked.fall) : asked.converged;
    if (asked.converged > 0.0 && run->iterations == 2) break;
  }
  run_stop(run, PERP_STATUS_UNSOLVED, "it was asked");
  asked.end = solver_seconds(solver);
}

static void leave(perp_run *run) {
  run_leaves(run, 1e6);
  run_stop(run, PERP_STATUS_UNSOLVED, "it left");
}

// Asks it on A = -I, b = -1, which has no solution, in a second; dense: as one problem, not as three.
static void ask_within_a_second(int dense) {
  const perp_method curious = {.name = "curious", .title = "asks", .source = "a test",
                               .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
                               .traits = PERP_TRAIT_META | PERP_TRAIT_SPLITS,
                               .hasty = perp_find_method("pgs"), .run = ask};
  ticks t = {.limit = 1.0};
  perp_options o = perp_default_options(NULL);
  sample s = sample_new(3);
  for (int32_t i = 0; i < 3; i++)
    for (int32_t j = 0; j < 3; j++) AT(&s, i, j) = i == j ? -1.0 : dense ? -0.1 : 0.0;
  for (int32_t i = 0; i < 3; i++) s.b[i] = -1.0;
  const perp_problem *p = sample_csc(&s, 0, 0);
  const perp_limits limits = perp_limits_of(p);
  perp_solver *solver = NULL;
  double x[3] = {0.0};
  perp_result r;
  o.method = &curious;
  o.tol = 1e-4;
  o.presolve = 0;
  o.time_limit = t.limit;
  o.clock = tick;
  o.clock_context = &t;
  assert_int_equal(perp_solver_create(&curious, &limits, &o, NULL, &solver), PERP_OK);
  t.solver = solver;
  assert_int_equal(perp_solve(solver, p, x, &r), PERP_OK);
  assert_string_equal(r.method->name, "curious");
  perp_solver_destroy(solver);
  sample_free(&s);
}

static double gained(double looks, double products) {
  memset(&asked, 0, sizeof asked);
  asked.looks = looks;
  asked.products = products;
  asked.converged = 1.0;
  ask_within_a_second(1);
  return asked.after - asked.before;
}

static const double some = 0.01;   // seconds: ticks that pass meanwhile

static void what_is_foreseen_counts(void **state) {
  (void)state;
  const double nothing = gained(0.0, 0.0);
  assert_true(asked.reserve > 0.03 && nothing <= 0.0 && nothing > -some);
  // It ends in time: the sweeps keep a fifth of theirs, and it gets the rest.
  const double soon = gained(1.0, 0.0);
  assert_true(soon > 0.8*asked.reserve - some && soon < 0.8*asked.reserve);
  const double late = gained(1e6, 0.0);
  assert_true(late <= 0.0 && late > -some);
  // It may not end: the sweeps keep the time of these products, but no more than half.
  const double left = gained(0.0, 1e6);
  assert_true(left < -(0.4 - asked.reserve) && left > -0.5);
  assert_true(gained(0.0, 1.0) > -some);
}

// The rate at which a residual falls tells the same.
static void a_residual_that_falls_counts(void **state) {
  (void)state;
  double end[2];
  for (int slow = 0; slow < 2; slow++) {
    memset(&asked, 0, sizeof asked);
    asked.fall = slow ? 3.0 : 0.85;
    ask_within_a_second(1);
    end[slow] = asked.end;
  }
  const double reserve = asked.reserve;
  assert_true(end[0] - end[1] > 0.8*reserve - some && end[0] - end[1] < 0.8*reserve + some);
}

// A block that converges leaves the time of the last sweeps to the others.
static void a_block_that_converges_takes_nothing(void **state) {
  (void)state;
  memset(&asked, 0, sizeof asked);
  asked.converged = 1e-6;
  ask_within_a_second(0);   // three blocks: what is seen is seen by the last
  assert_true(asked.reserve > 0.0);
}

// Several runs share the time that the last sweeps keep. None of them may run beyond the limit.
static void nobody_gets_more_than_there_is(void **state) {
  (void)state;
  for (int converges = 0; converges < 2; converges++) {   // sweeps whose residual falls
    memset(&asked, 0, sizeof asked);
    asked.fall = 3.0;
    asked.sweeps = converges ? 1e-6 : 1e-2;
    ask_within_a_second(1);
    assert_true(asked.latest > 0.9 && asked.latest <= 1.0);
  }
  const perp_method leaves = {.name = "leaves", .title = "leaves half of the time", .source = "a test",
                              .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED, .run = leave};
  for (int falls = 0; falls < 2; falls++) {               // a run after one that left time
    memset(&asked, 0, sizeof asked);
    asked.child = &leaves;
    if (falls) asked.fall = 0.85;
    else asked.converged = 1e-6;
    ask_within_a_second(1);
    assert_true(asked.latest > 0.5 && asked.latest <= 1.0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_best_x_is_kept),
                                     cmocka_unit_test(what_is_foreseen_counts),
                                     cmocka_unit_test(a_residual_that_falls_counts),
                                     cmocka_unit_test(a_block_that_converges_takes_nothing),
                                     cmocka_unit_test(nobody_gets_more_than_there_is)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
