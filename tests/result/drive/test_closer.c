// test_closer.c: an x that the certificate refuses for small rows is improved by runs to a smaller
// tolerance (solver.c, run_closer). What these runs say counts by the caller's tolerance: they prove
// nothing, and where one fails the caller's x stays as it was.
#include "counting.h"
#include "driver.h"
#include "run.h"
#include "support.h"

enum { ROWS = 24, CLASH = ROWS, N = ROWS + 3 };   // CLASH: x_CLASH and two rows that bound it

static struct {
  const double *x;   // N: a solution
  double tol;        // of the caller
  int script;        // what a run to a smaller tolerance does: 1 offers a Farkas vector, 2 asks for
                     //   memory and gets none
  int closer;        // such runs so far
  int refused;       // vectors that are no proof by the tolerance of the caller,
  int offered;       //   and are one by a smaller one
  counter memory;
} now;

static int32_t own(const perp_run *run, int32_t i) {   // its row in the problem of the caller
  return run->state->index != NULL ? run->state->index[i] : i;
}

// The last two rows contradict each other: their sum is negative whatever x is.
static int offer(perp_run *run) {
  double u[N] = {0};
  for (int32_t i = 0; i < run->n; i++) u[i] = own(run, i) > CLASH ? 1.0 : 0.0;
  return run_infeasible(run, u);
}

static void run_scripted(perp_run *run) {
  if (run->options->tol >= now.tol) {
    if (now.script == 1) now.refused += !offer(run);
  } else {
    now.closer++;
    if (now.script == 1) {
      now.offered += offer(run);
    } else if (now.script == 2) {
      now.memory.fail_at = now.memory.requests + 1;
      if (run_allocate(run, 100) == NULL) return;
    }
  }
  double y[N];
  do {   // half of the way to the solution
    for (int32_t i = 0; i < run->n; i++) {
      const double unit = run->state->C != NULL ? run->state->C[i] : 1.0;
      run->x[i] += 0.5*(now.x[own(run, i)]/unit - run->x[i]);
    }
    if (run_apply(run, run->x, y) != 0) return;
    run->residual = run_residual(run, run->x, y);
  } while (run_continue(run));
}

static size_t no_bytes(const perp_limits *limits, const perp_options *options) {
  (void)limits;
  (void)options;
  return 0;
}

static const perp_method method_scripted = {
    .name = "scripted", .title = "", .source = "", .formula = "", .converges = "", .cost = "",
    .advice = "", .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
    .assumes = PERP_ASSUMES_NO_PROOF, .traits = PERP_TRAIT_EQUILIBRATE, .bytes = no_bytes, .run = run_scripted};

// Dominant rows of whole numbers, many of them with b = 0 and x = 0, and then
//     z - 1/2 >= 0,  1/2 - by - z >= 0
// for a z in [0, 1].
static sample small_rows(double by) {
  sample s = sample_new(N);
  double y[N] = {0};
  for (int32_t i = 0; i <= CLASH; i++) {
    double sum = 1.0;
    for (int32_t j = 0; j <= CLASH; j++) {
      if (i == j) continue;
      AT(&s, i, j) = j == i + 1 ? -1 : whole(0, 7) == 0 ? whole(-2, 2) : 0;
      sum += fabs(AT(&s, i, j));
    }
    AT(&s, i, i) = sum;
    if (whole(0, 4) == 0) s.x[i] = 1.0;
    else if (whole(0, 1)) y[i] = 1.0;
  }
  const int32_t low = CLASH + 1, high = CLASH + 2;
  s.hi[CLASH] = 1.0;
  s.x[CLASH] = 0.5;
  y[CLASH] = 0.0;
  AT(&s, low, CLASH) = AT(&s, CLASH, high) = 1.0;
  AT(&s, high, CLASH) = AT(&s, CLASH, low) = -1.0;
  sample_right_side(&s, y);
  s.b[high] -= by;
  s.x[CLASH] -= 0.5*by;
  return s;
}

static perp_error solve_scripted(sample *s, int script, int split, double *x, perp_result *r) {
  const perp_problem *p = sample_csc(s, 0, 0);
  perp_options o = perp_default_options(perp_find_method("pgs"));
  o.method = &method_scripted;
  o.presolve = 1;
  o.split = split;
  now.x = s->x;
  now.tol = o.tol;
  now.script = script;
  now.memory = (counter){0};
  now.closer = now.offered = now.refused = 0;
  const perp_allocator memory = {counted_allocate, counted_release, &now.memory};
  const perp_limits limits = perp_limits_of(p);
  perp_solver *solver;
  if (perp_solver_create(o.method, &limits, &o, &memory, &solver) != PERP_OK)
    fail_msg("%s", perp_last_message());
  const perp_error error = perp_solve(solver, p, x, r);
  perp_solver_destroy(solver);
  assert_int_equal(now.memory.live, 0);
  return error;
}

// By the tolerance of the caller the contradiction is one that x may have: x is the answer, or none is.
static void a_proof_by_a_smaller_tolerance_is_none(void **state) {
  (void)state;
  int offered = 0, refused = 0;
  for (int trial = 0; trial < often(400); trial++) {
    sample s = small_rows(5e-9);
    double x[N];
    for (int32_t i = 0; i < s.n; i++) x[i] = between(-1, 1);
    perp_result r;
    assert_int_equal(solve_scripted(&s, 1, trial%2, x, &r), PERP_OK);
    offered += now.offered;
    refused += now.refused;
    if (r.status == PERP_STATUS_INFEASIBLE || r.status == PERP_STATUS_NO_SMALL_SOLUTION ||
        r.radius != 0.0)
      fail_msg("trial %d: %s, radius %g: %s", trial, perp_status_name(r.status), r.radius, r.message);
    sample_free(&s);
  }
  assert_true(offered > 0 && refused > 0);
}

static void the_x_of_the_caller_survives_an_error(void **state) {
  (void)state;
  int failed = 0;
  for (int trial = 0; trial < often(400); trial++) {
    sample s = small_rows(0.0);
    double x[N], guess[N];
    for (int32_t i = 0; i < s.n; i++) x[i] = guess[i] = between(-1, 1);
    perp_result r;
    const perp_error error = solve_scripted(&s, 2, trial%2, x, &r);
    if ((error != PERP_OK) != (now.closer > 0))
      fail_msg("trial %d: error %d after %d runs", trial, (int)error, now.closer);
    if (error != PERP_OK) {
      failed++;
      assert_int_equal(error, PERP_ERROR_MEMORY);
      assert_memory_equal(x, guess, (size_t)s.n*sizeof *x);
    }
    sample_free(&s);
  }
  assert_true(failed > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_proof_by_a_smaller_tolerance_is_none),
      cmocka_unit_test(the_x_of_the_caller_survives_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
