// test_crossover.c: from points near a solution the exact active set is found, also where A is
// singular or strict complementarity fails.
#include "support.h"

#include "crossover.h"
#include "run.h"

// A method that only disturbs a known solution by `error` and calls crossover.
typedef struct trial {
  const double *x, *y;   // n: a solution in the caller's units
  double error;
  int found;
} trial;

static trial now;

static size_t trial_bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  arena count = {0};
  crossover c;
  crossover_layout(&c, &count, limits->n);
  ARENA_ARRAY(&count, double, limits->n);
  ARENA_ARRAY(&count, double, limits->n);
  return count.used;
}

static void trial_run(perp_run *run) {
  crossover c;
  crossover_layout(&c, run->memory, run->n);
  double *x = ARENA_ARRAY(run->memory, double, run->n);
  double *y = ARENA_ARRAY(run->memory, double, run->n);
  crossover_begin(&c, run);
  int failed = 0;
  face *system = face_create(&run->A, FACE_DIAGONALS, run_allocator(run), &failed);
  assert_non_null(system);
  for (int32_t i = 0; i < run->n; i++) {
    const double lo = run->lo != NULL ? run->lo[i] : 0.0, hi = run->hi != NULL ? run->hi[i] : INF;
    const double z = now.x[i] + now.error*between(-1, 1);
    x[i] = z < lo ? lo : z > hi ? hi : z;
    y[i] = now.y[i] + now.error*between(-1, 1);
    run->x[i] = x[i];
  }
  run->residual = INF;
  crossover_guess(&c, run, x, y);
  assert_int_equal(crossover_guess(&c, run, x, y), 0);
  now.found = crossover_run(&c, run, system, x);
  face_destroy(system);
  if (!now.found) run_stop(run, PERP_STATUS_STALLED, "not found");
  assert_false(run_continue(run));
}

static const perp_method method_trial = {
    .name = "trial", .title = "", .source = "", .formula = "", .converges = "", .cost = "",
    .advice = "", .needs = PERP_NEEDS_SUBMATRIX,
    .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED, .assumes = PERP_ASSUMES_NO_PROOF,
    .bytes = trial_bytes, .run = trial_run};

static perp_result run_trial(const perp_problem *p, double *x) {
  perp_options o = perp_default_options(perp_find_method("pgs"));
  o.method = &method_trial;
  o.presolve = 0;
  o.split = PERP_SPLIT_NO;
  perp_result r;
  if (perp_solve_once(p, x, &o, &r) != PERP_OK) fail_msg("%s", perp_last_message());
  return r;
}

// rank of A; fraction of rows with x and y both zero; bounds of all kinds or LCP
static sample build(int32_t n, int32_t rank, double degenerate, int mixed, double **y) {
  sample s = sample_new(n);
  double *B = calloc((size_t)(n*n) + 1, sizeof *B);
  *y = calloc((size_t)n + 1, sizeof **y);
  assert_true(B != NULL && *y != NULL);
  for (int32_t k = 0; k < rank*n; k++) B[k] = uniform() < 6.0/n ? between(-1, 1) : 0.0;
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++)
      for (int32_t k = 0; k < rank; k++) AT(&s, i, j) += B[k*n + i]*B[k*n + j];
    s.x[i] = between(0.5, 1);
    if (mixed) {
      (*y)[i] = complementary(&s, i);
    } else if (uniform() < 0.5) {
      s.x[i] = 0.0;
      (*y)[i] = between(0.5, 1);
    }
    if (uniform() < degenerate && (*y)[i] != 0.0) (*y)[i] = 0.0;   // at a bound, without a force
  }
  sample_right_side(&s, *y);
  free(B);
  return s;
}

// Returns the number of factorisations.
static int32_t finds(int32_t n, int32_t rank, double degenerate, int mixed, double error) {
  double *y;
  sample s = build(n, rank, degenerate, mixed, &y);
  double *x = calloc((size_t)n + 1, sizeof *x), size;
  assert_non_null(x);
  now = (trial){.x = s.x, .y = y, .error = error};
  const perp_result r = run_trial(sample_csc(&s, 0, 0), x);
  if (r.status != PERP_STATUS_SOLVED)
    fail_msg("n = %d, rank %d, degenerate %g, mixed %d: %s", n, rank, degenerate, mixed,
             r.message);
  assert_true(own_residual(&s, x, &size) <= 1e-8*size);
  free(x);
  free(y);
  sample_free(&s);
  return r.factorizations;
}

static void one_set_is_enough(void **state) {   // strictly complementary, small error
  (void)state;
  support_state = 1;
  for (int k = 0; k < often(40); k++) {
    const int32_t n = whole(1, 60);
    assert_true(finds(n, n, 0.0, k%2, 1e-4) <= 1);
  }
}

// Redundant rows: A_II is singular and the solution not unique; the nearest one is taken.
static void singular_systems(void **state) {
  (void)state;
  support_state = 2;
  for (int k = 0; k < often(40); k++) {
    const int32_t n = whole(4, 60);
    finds(n, n/2, 0.0, k%2, 1e-6);
  }
}

static void without_strict_complementarity(void **state) {
  (void)state;
  support_state = 3;
  for (int k = 0; k < often(40); k++) {
    const int32_t n = whole(4, 60);
    finds(n, n, 0.4, k%2, 1e-6);
  }
}

static void large_and_sparse(void **state) {   // the sparse factors, and more rows than bits
  (void)state;
  support_state = 4;
  finds(400, 400, 0.1, 1, 1e-5);
  finds(400, 200, 0.0, 0, 1e-7);
}

// The guess may be useless: then run->x is no worse than before, and nothing is claimed.
static void far_away(void **state) {
  (void)state;
  support_state = 5;
  for (int k = 0; k < often(40); k++) {
    double *y;
    const int32_t n = whole(1, 20);
    sample s = build(n, n, 0.0, 1, &y);
    double *x = calloc((size_t)n + 1, sizeof *x), size;
    assert_non_null(x);
    now = (trial){.x = s.x, .y = y, .error = 100.0};
    const perp_result r = run_trial(sample_csc(&s, 0, 0), x);
    if (now.found) assert_int_equal(r.status, PERP_STATUS_SOLVED);
    if (r.status == PERP_STATUS_SOLVED) assert_true(own_residual(&s, x, &size) <= 1e-7*size);
    free(x);
    free(y);
    sample_free(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_set_is_enough),
      cmocka_unit_test(singular_systems),
      cmocka_unit_test(without_strict_complementarity),
      cmocka_unit_test(large_and_sparse),
      cmocka_unit_test(far_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
