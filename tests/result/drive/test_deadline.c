// test_deadline.c: a time limit is kept: on a clock that moves with the work done, no method
// returns late, and none returns anything worse than the guess.
//
// The clock belongs to an operator that knows what its own work costs: a product or a sweep takes a
// millisecond, a compensated product two, entries their share; looking at the clock takes a
// microsecond, so that no loop stands still.
// cost: 4
#include "support.h"

#include "operator.h"

enum { UNKNOWN = 0, KNOWN = 1 };   // has this A been prepared?

typedef struct costly {
  perp_csc A;
  double now;         // seconds
  double longest;     // the longest single piece of work
  double held_up;     // seconds that the next product takes besides
} costly;

static costly idle;                // where nobody looks at the clock
static costly *at_work = &idle;    // the clock of the solve at hand

static void spend(double milliseconds) {
  at_work->now += 1e-3*milliseconds;
  if (1e-3*milliseconds > at_work->longest) at_work->longest = 1e-3*milliseconds;
}
static double look(void *context) {
  (void)context;
  return at_work->now += 1e-6;
}

static perp_operator inner_of(const void *self) {
  return perp_from_csc(&((const costly *)self)->A, PERP_CLAIM_SYMMETRIC);
}
static int apply(const void *self, const double *x, double *y, void *scratch) {
  const perp_operator A = inner_of(self);
  spend(1.0 + 1e3*at_work->held_up);
  at_work->held_up = 0.0;
  return A.ops->apply(A.self, x, y, scratch);
}
static int residual(const void *self, const double *x, const double *b, double *y, double *a,
                    void *scratch) {
  const perp_operator A = inner_of(self);
  spend(2.0);
  return A.ops->residual(A.self, x, b, y, a, scratch);
}
static void row_col_max(const void *self, const double *r, const double *c, double *row,
                        double *col) {
  const perp_operator A = inner_of(self);
  spend(1.0);
  A.ops->row_col_max(A.self, r, c, row, col);
}
static void diagonal(const void *self, double *d) {
  const perp_operator A = inner_of(self);
  A.ops->diagonal(A.self, d);
}
static int sweep(const void *self, perp_sweep *state, int32_t from, int32_t to) {
  const perp_operator A = inner_of(self);
  spend((double)(to - from)/A.n);
  return A.ops->sweep(A.self, state, from, to);
}
static void submatrix(const void *self, const int32_t *set, int32_t m, double *S) {
  const perp_operator A = inner_of(self);
  spend((double)m/A.n);
  A.ops->submatrix(A.self, set, m, S);
}
static size_t scratch_bytes(const void *self) {
  const perp_operator A = inner_of(self);
  return operator_scratch_bytes(&A);
}
static size_t sweep_bytes(const void *self) {
  const perp_operator A = inner_of(self);
  return operator_sweep_bytes(&A);
}

static const perp_operator_ops costly_ops = {
    .name = "costly", .scratch_bytes = scratch_bytes, .apply = apply, .residual = residual,
    .row_col_max = row_col_max, .diagonal = diagonal, .sweep_bytes = sweep_bytes, .sweep = sweep,
    .submatrix = submatrix,
};

static void add_column(const void *self, int32_t j, double s, double *y) {
  const perp_operator A = inner_of(self);
  spend(1.0/A.n);
  A.ops->add_column(A.self, j, s, y);
}
static perp_operator_ops with_columns;   // costly_ops, and add_column

static void make_wall(int32_t bodies, perp_sample *g) {
  const perp_family *family = perp_find_family("wall");
  double values[32];
  for (int32_t k = 0; k < family->parameter_count; k++) {
    values[k] = family->parameters[k].initial;
    if (strcmp(family->parameters[k].name, "bodies") == 0) values[k] = bodies;
  }
  assert_int_equal(perp_generate(family, values, 3, g), PERP_OK);
}

typedef struct outcome {
  double seconds, residual, longest;   // residual: by perp_certify, on the matrix itself
  int32_t iterations;
  perp_status status;
} outcome;

static outcome solve_within(const perp_method *m, const perp_sample *g, double limit, int known,
                            const double *guess) {
  costly c = {.A = g->csc};
  at_work = &c;
  perp_problem p = {.A = {with_columns.apply != NULL ? &with_columns : &costly_ops, &c, g->n,
                          PERP_CLAIM_SYMMETRIC}, .b = g->b, .lo = g->lo,
                    .hi = g->hi, .pattern_stamp = 1, .value_stamp = 1};
  perp_options o = perp_default_options(m);
  o.time_limit = limit;
  o.clock = look;
  const perp_limits limits = perp_limits_of(&p);
  perp_solver *solver = NULL;
  assert_int_equal(perp_solver_create(m, &limits, &o, NULL, &solver), PERP_OK);
  if (known) assert_int_equal(perp_solver_prepare(solver, &p), PERP_OK);
  double *x = malloc((size_t)g->n*sizeof *x);
  assert_non_null(x);
  memcpy(x, guess, (size_t)g->n*sizeof *x);
  perp_result r;
  c.longest = 0.0;
  const double before = c.now;
  assert_int_equal(perp_solve(solver, &p, x, &r), PERP_OK);
  const outcome out = {.seconds = c.now - before, .iterations = r.iterations, .status = r.status,
                       .longest = c.longest, .residual = certify(&g->problem, x).residual};
  for (int32_t i = 0; i < g->n; i++) {
    const double lo = g->lo != NULL ? g->lo[i] : 0.0, hi = g->hi != NULL ? g->hi[i] : INF;
    assert_true(x[i] >= lo && x[i] <= hi);
  }
  assert_true(r.seconds <= out.seconds + 1e-12);
  perp_solver_destroy(solver);
  free(x);
  at_work = &idle;
  return out;
}

static int is_iterative(const perp_method *m) {   // nothing but products and sweeps
  static const char *const names[] = {"jacobi", "pgs", "psor", "nncg", "apgd"};
  for (size_t k = 0; k < sizeof names/sizeof names[0]; k++)
    if (strcmp(m->name, names[k]) == 0) return 1;
  return 0;
}

// All methods of the table. Iterative ones keep any limit that has room for the guess's
// certificate, an iteration (of four products at most) and the last certificate, and use it up to
// their next iteration; the others may be a few pieces of their work late.
static void no_method_returns_late(void **state) {
  (void)state;
  perp_sample g;
  make_wall(24, &g);
  double *zero = calloc((size_t)g.n, sizeof *zero), *ones = calloc((size_t)g.n, sizeof *ones);
  assert_true(zero != NULL && ones != NULL);
  for (int32_t i = 0; i < g.n; i++) ones[i] = 1.0;
  static const double limits[] = {0.004, 0.0101, 0.0333, 0.25};
  int tried = 0;
  for (int32_t k = 0; k < perp_method_count(); k++) {
    const perp_method *m = perp_method_at(k);
    costly c = {.A = g.csc};
    const perp_problem p = {.A = {&costly_ops, &c, g.n, PERP_CLAIM_SYMMETRIC}, .b = g.b,
                            .lo = g.lo, .hi = g.hi};
    if (!takes(m, &p) || m->traits & PERP_TRAIT_ALL) continue;
    tried++;
    for (size_t l = 0; l < sizeof limits/sizeof limits[0]; l++)
      for (int guess = 0; guess < 1 + is_iterative(m); guess++) {
        const double *from = guess ? ones : zero;
        const outcome out = solve_within(m, &g, limits[l], KNOWN, from);
        const double late = out.seconds - limits[l];
        const double allowed = !is_iterative(m)   ? 5.0*out.longest + 1e-3
                               : limits[l] < 8e-3 ? 3e-3
                                                  : 5e-5;
        if (late > allowed)
          fail_msg("%s: %g ms became %g ms, the longest piece of work is %g ms", m->name,
                   1e3*limits[l], 1e3*out.seconds, 1e3*out.longest);
        const double of_guess = certify(&g.problem, from).residual;
        if (!(out.residual <= of_guess*(1.0 + 1e-3)))
          fail_msg("%s: within %g ms the residual grew from %g to %g", m->name, 1e3*limits[l],
                   of_guess, out.residual);
        if (is_iterative(m) && out.status == PERP_STATUS_TIME_LIMIT && limits[l] > 0.03) {
          assert_true(out.iterations > 5);
          if (late < -0.009) fail_msg("%s left %g ms unused", m->name, -1e3*late);
        }
      }
  }
  assert_true(tried >= 10);
  free(zero);
  free(ones);
  perp_sample_free(&g);
}

// An A that is new is looked at as far as the time allows, and what a product takes is a guess
// until there has been one: late by one at most, auto by two.
static void a_new_matrix_keeps_the_limit_too(void **state) {
  (void)state;
  perp_sample g;
  make_wall(24, &g);
  double *zero = calloc((size_t)g.n, sizeof *zero);
  assert_non_null(zero);
  static const double limits[] = {0.006, 0.012, 0.03, 0.1, 1.0};
  static const char *const names[] = {"pgs", "nncg", "apgd", "auto"};
  for (size_t k = 0; k < sizeof names/sizeof names[0]; k++)
    for (size_t l = 0; l < sizeof limits/sizeof limits[0]; l++) {
      const outcome out = solve_within(perp_find_method(names[k]), &g, limits[l], UNKNOWN, zero);
      const int meta = (perp_find_method(names[k])->traits & PERP_TRAIT_META) != 0;
      if (out.seconds > limits[l] + (meta ? 2.1e-3 : 1.1e-3))
        fail_msg("%s: %g ms became %g ms", names[k], 1e3*limits[l], 1e3*out.seconds);
      if (limits[l] >= 0.03) assert_true(out.residual < 1.0);
    }
  free(zero);
  perp_sample_free(&g);
}

// Every look at the clock costs a millisecond and nothing else does. A method that is told that the
// time is over stops looking soon.
static double tick(void *context) { return *(double *)context += 1e-3; }

static void nobody_works_on_after_the_end(void **state) {
  (void)state;
  perp_sample g;
  make_wall(12, &g);
  double *x = calloc((size_t)g.n, sizeof *x);
  assert_non_null(x);
  for (int32_t k = 0; k < perp_method_count(); k++) {
    const perp_method *m = perp_method_at(k);
    if (!takes(m, &g.problem) || m->traits & PERP_TRAIT_ALL) continue;
    for (int limit = 5; limit <= 320; limit *= 4) {
      double now = 0.0;
      perp_options o = perp_default_options(m);
      o.clock = tick;
      o.clock_context = &now;
      o.time_limit = 1e-3*limit;
      memset(x, 0, (size_t)g.n*sizeof *x);
      perp_result r;
      assert_int_equal(perp_solve_once(&g.problem, x, &o, &r), PERP_OK);
      const int looks = (int)lround(1e3*now);
      if (looks > limit + 16) fail_msg("%s: %d looks became %d", m->name, limit, looks);
      if (r.status == PERP_STATUS_SOLVED) assert_true(certify(&g.problem, x).solved);
      else assert_true(certify(&g.problem, x).residual <= 1.001);
    }
  }
  free(x);
  perp_sample_free(&g);
}

static double still(void *context) { return *(const double *)context; }

// Too little time to look at A: the certificate is a weaker one, says so, and claims nothing.
static void nothing_is_claimed_in_a_hurry(void **state) {
  (void)state;
  perp_sample g;
  make_wall(60, &g);
  const double now = 0.0;
  double *x = calloc((size_t)g.n, sizeof *x);
  assert_non_null(x);
  perp_options o = perp_default_options(perp_find_method("nncg"));
  o.clock = still;
  o.clock_context = (void *)&now;
  o.time_limit = 1e-4;
  o.iteration_limit = 50;
  perp_problem p = g.problem;
  p.pattern_stamp = p.value_stamp = 9;
  const perp_limits limits = perp_limits_of(&p);
  perp_solver *solver = NULL;
  assert_int_equal(perp_solver_create(o.method, &limits, &o, NULL, &solver), PERP_OK);
  perp_result r;
  assert_int_equal(perp_solve(solver, &p, x, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_ITERATION_LIMIT);
  assert_true(r.certificate.weaker && !r.certificate.solved);
  // the answer itself as the guess: still no claim without the whole certificate
  perp_options exact = perp_default_options(NULL);
  assert_int_equal(perp_solve_once(&g.problem, x, &exact, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  assert_int_equal(perp_solve(solver, &p, x, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_TIME_LIMIT);
  assert_true(r.certificate.weaker && !r.certificate.solved);
  assert_true(certify(&g.problem, x).solved);   // and x is still the answer
  // prepared, the same solver has the whole one
  assert_int_equal(perp_solver_prepare(solver, &p), PERP_OK);
  assert_int_equal(perp_solve(solver, &p, x, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  assert_false(r.certificate.weaker);
  perp_solver_destroy(solver);
  free(x);
  perp_sample_free(&g);
}

// A certificate that took a second once does not keep later solves of 20 ms from doing anything.
static void a_delay_is_forgotten(void **state) {
  (void)state;
  perp_sample g;
  make_wall(24, &g);
  costly c = {.A = g.csc, .held_up = 1.0};
  at_work = &c;
  const perp_problem p = {.A = {&costly_ops, &c, g.n, PERP_CLAIM_SYMMETRIC}, .b = g.b, .lo = g.lo,
                          .hi = g.hi, .pattern_stamp = 1, .value_stamp = 1};
  perp_options o = perp_default_options(perp_find_method("pgs"));
  o.time_limit = 0.02;
  o.clock = look;
  const perp_limits limits = perp_limits_of(&p);
  perp_solver *solver = NULL;
  assert_int_equal(perp_solver_create(NULL, &limits, &o, NULL, &solver), PERP_OK);
  assert_int_equal(perp_solver_prepare(solver, &p), PERP_OK);
  double *x = calloc((size_t)g.n, sizeof *x);
  assert_non_null(x);
  perp_result r = {0};
  for (int k = 0; k < 12; k++) {
    memset(x, 0, (size_t)g.n*sizeof *x);
    assert_int_equal(perp_solve(solver, &p, x, &r), PERP_OK);
    assert_true(r.seconds <= 0.0201);
  }
  assert_true(r.iterations > 10);
  at_work = &idle;
  perp_solver_destroy(solver);
  free(x);
  perp_sample_free(&g);
}

static void preparing_needs_stamps(void **state) {
  (void)state;
  perp_sample g;
  make_wall(2, &g);
  perp_problem p = g.problem;
  const perp_limits limits = perp_limits_of(&p);
  perp_solver *solver = NULL;
  assert_int_equal(perp_solver_create(NULL, &limits, NULL, NULL, &solver), PERP_OK);
  assert_int_equal(perp_solver_prepare(NULL, &p), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_solver_prepare(solver, NULL), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_solver_prepare(solver, &p), PERP_ERROR_ARGUMENT);
  p.pattern_stamp = 1;
  assert_int_equal(perp_solver_prepare(solver, &p), PERP_ERROR_ARGUMENT);
  p.value_stamp = 1;
  assert_int_equal(perp_solver_prepare(solver, &p), PERP_OK);
  const double bad = g.csc.value[0];
  g.value[0] = NAN;
  p.value_stamp = 2;   // new values are looked at
  assert_int_equal(perp_solver_prepare(solver, &p), PERP_ERROR_PROBLEM);
  g.value[0] = bad;
  assert_int_equal(perp_solver_prepare(solver, &p), PERP_OK);
  const int32_t row = g.row[0];
  g.row[0] = g.n;      // and so is a new pattern
  p.pattern_stamp = 2;
  assert_int_equal(perp_solver_prepare(solver, &p), PERP_ERROR_PROBLEM);
  g.row[0] = row;
  perp_solver_destroy(solver);
  perp_sample_free(&g);
}

// Once the time is over no block begins, however many are left: each would look at the clock.
static void late_blocks_do_not_begin(void **state) {
  (void)state;
  enum { BLOCKS = 500, N = 3*BLOCKS };
  static int32_t colptr[N + 1], row[3*N];
  static double value[3*N], b[N], x[N];
  for (int32_t j = 0; j < N; j++) {
    for (int32_t i = 0; i < 3; i++) {
      row[3*j + i] = j/3*3 + i;
      value[3*j + i] = row[3*j + i] == j ? 2.0 : 0.9;
    }
    colptr[j + 1] = 3*(j + 1);
    b[j] = -1.0 + 0.5*(j%3);
  }
  costly work = {.A = {N, N, colptr, row, value}};
  at_work = &work;
  const perp_problem p = {.A = perp_from_csc(&work.A, PERP_CLAIM_SYMMETRIC), .b = b};
  for (double limit = 2e-4; limit < 4e-3; limit *= 1.5) {
    perp_options o = perp_default_options(perp_find_method("active_set"));
    o.clock = look;
    o.time_limit = limit;
    perp_result r;
    work.now = 0.0;
    for (int32_t i = 0; i < N; i++) x[i] = 0.0;
    assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
    assert_true(work.now <= limit + 3e-5);
  }
}

// Where there is no time for a factor the rows that are wrong most are relaxed: in the same time
// the residual is smaller than that of PGS, and nobody is late by more than a few columns.
static void short_time_is_used_better_than_by_pgs(void **state) {
  (void)state;
  perp_sample g;
  make_wall(24, &g);
  double *zero = calloc((size_t)g.n, sizeof *zero);
  assert_non_null(zero);
  with_columns = costly_ops;
  with_columns.add_column = add_column;
  static const char *const names[] = {"active_set", "auto", "southwell"};
  for (double limit = 0.006; limit < 0.02; limit += 0.0033) {
    const outcome pgs = solve_within(perp_find_method("pgs"), &g, limit, KNOWN, zero);
    for (size_t k = 0; k < sizeof names/sizeof names[0]; k++) {
      const outcome out = solve_within(perp_find_method(names[k]), &g, limit, KNOWN, zero);
      if (out.seconds > limit + 1e-3) fail_msg("%s: %g ms", names[k], 1e3*out.seconds);
      if (out.residual > pgs.residual)
        fail_msg("%s: %g ms leave %g, those of pgs %g", names[k], 1e3*limit, out.residual,
                 pgs.residual);
    }
  }
  with_columns.apply = NULL;
  free(zero);
  perp_sample_free(&g);
}

typedef struct delayed { double now, length; int looks, at; } delayed;

static double look_delayed(void *context) {   // somebody else has the processor at look `at`
  delayed *d = context;
  d->now += d->looks++ == d->at ? d->length : 1e-6;
  return d->now;
}

// A limit a thousand times as long as the solve changes nothing, even if a delay uses up what the
// block at hand would get, or makes operations look slow.
static void a_delay_within_a_long_limit_changes_nothing(void **state) {
  (void)state;
  const perp_family *family = perp_find_family("bricks");
  double values[32];
  for (int32_t k = 0; k < family->parameter_count; k++) {
    values[k] = family->parameters[k].initial;
    if (strcmp(family->parameters[k].name, "preset") == 0) values[k] = 4;
  }
  perp_sample g;
  assert_int_equal(perp_generate(family, values, 1, &g), PERP_OK);
  double *x = calloc((size_t)g.n, sizeof *x);
  assert_non_null(x);
  static const char *const names[] = {"active_set", "auto"};
  int delays = 0;
  for (size_t k = 0; k < sizeof names/sizeof names[0]; k++)
    for (int at = 0, ended = 0; !ended; at += 1 + at/often(8)) {
      delayed clock = {.length = 0.02, .at = at};
      perp_options o = perp_default_options(perp_find_method(names[k]));
      o.time_limit = 2.0;
      o.iteration_limit = 100;   // enough for flips, not for sweeps
      o.clock = look_delayed;
      o.clock_context = &clock;
      for (int32_t i = 0; i < g.n; i++) x[i] = 0.0;
      perp_result r;
      assert_int_equal(perp_solve_once(&g.problem, x, &o, &r), PERP_OK);
      if (r.status != PERP_STATUS_SOLVED)
        fail_msg("%s, delayed at look %d: %s", names[k], at, r.message);
      assert_true(certify(&g.problem, x).solved);
      delays++;
      ended = clock.looks <= at;
    }
  assert_true(delays > 20);
  free(x);
  perp_sample_free(&g);
}

// Somebody else had the processor for 0.2 s while A was looked at: of 1 s there is enough left for
// a problem that takes milliseconds.
static void a_busy_machine_is_no_slow_one(void **state) {
  (void)state;
  static const char *const names[] = {"active_set", "auto", "interior_point"};
  perp_sample g;
  make_wall(60, &g);
  double *x = calloc((size_t)g.n, sizeof *x);
  assert_non_null(x);
  for (size_t k = 0; k < sizeof names/sizeof names[0]; k++)
    for (int at = 1; at < 12; at++) {
      delayed j = {.length = 0.2, .at = at};
      perp_options o = perp_default_options(perp_find_method(names[k]));
      o.clock = look_delayed;
      o.clock_context = &j;
      o.time_limit = 1.0;
      memset(x, 0, (size_t)g.n*sizeof *x);
      perp_result r;
      assert_int_equal(perp_solve_once(&g.problem, x, &o, &r), PERP_OK);
      if (r.status != PERP_STATUS_SOLVED) fail_msg("%s, look %d: %s", names[k], at, r.message);
      assert_true(j.looks > at);
      assert_string_not_equal(r.method->name, "southwell");
    }
  free(x);
  perp_sample_free(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_method_returns_late),
      cmocka_unit_test(a_new_matrix_keeps_the_limit_too),
      cmocka_unit_test(nobody_works_on_after_the_end),
      cmocka_unit_test(nothing_is_claimed_in_a_hurry),
      cmocka_unit_test(a_delay_is_forgotten),
      cmocka_unit_test(a_busy_machine_is_no_slow_one),
      cmocka_unit_test(preparing_needs_stamps),
      cmocka_unit_test(late_blocks_do_not_begin),
      cmocka_unit_test(a_delay_within_a_long_limit_changes_nothing),
      cmocka_unit_test(short_time_is_used_better_than_by_pgs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
