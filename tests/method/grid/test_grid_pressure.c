// test_grid_pressure.c: active_set and multigrid on grids of cells, against pivots on the entries.
// labels: tsan
// cost: 4
#include "counting.h"
#include "grid_sample.h"
#include "grid_scene.h"

// Bounds of every kind, balanced and unbalanced right sides, sizes from tiny to huge.
static void bound_at_random(grid_sample *s) {
  const int kind = whole(0, 6);
  const double size = whole(0, 4) == 0 ? exp2(whole(-120, 120)) : 1.0;
  for (int32_t h = 0; h < s->n; h++) {
    const int own = kind == 6 ? whole(0, 4) : kind;
    const double at = between(-1.0, 1.0);
    s->lo[h] = own == 1 || own == 4 ? -INF : own == 3 ? at : 0.0;
    s->hi[h] = own == 2 ? between(0.0, 2.0) : own == 3 && whole(0, 1) ? at
               : own == 4 ? between(-1.0, 1.0) : INF;
    s->b[h] *= size;
    if (whole(0, 2) > 0) {
      s->lo[h] *= size;
      s->hi[h] *= size;
    }
    if (s->type[h] != PERP_CELL_LIQUID && whole(0, 3) > 0) s->lo[h] = s->hi[h] = 0.0;
    if (s->type[h] != PERP_CELL_LIQUID && whole(0, 7) == 0) s->b[h] = between(-1.0, 1.0);
    s->x[h] = whole(0, 3) == 0 ? between(-2.0, 2.0)*size : 0.0;
  }
  const int sums = whole(0, 5);
  if (sums == 0) memset(s->b, 0, (size_t)s->n*sizeof *s->b);
  if (sums > 2) return;
  // divergence of something: it sums up to 0 in closed components
  if (sums == 1)
    for (int32_t h = 0; h < s->n; h++) s->b[h] = 0.0;
  for (int32_t h = 0; sums == 1 && h < s->n; h++)
    for (int d = 0; d < 3; d++) {
      int32_t l;
      if (s->type[h] != PERP_CELL_LIQUID) continue;
      const double w = grid_sample_weight(s, h, d, 1, &l);
      if (l < 0 || s->type[l] != PERP_CELL_LIQUID || w == 0.0) continue;
      const double flow = ldexp(whole(-64, 64), -6);   // sums without rounding
      s->b[h] += flow;
      s->b[l] -= flow;
    }
}

static int solved(const perp_problem *p, const char *method, double *x, perp_result *result) {
  perp_options options = perp_default_options(perp_find_method(method));
  options.time_limit = 10.0;
  if (method[0] != 'l' && method[0] != 'e') options.presolve = options.split = 0;
  assert_int_equal(perp_solve_once(p, x, &options, result), PERP_OK);
  return result->status == PERP_STATUS_SOLVED;
}

// What active_set says of random small grids, the matrix of the same entries confirms.
static void campaign(const char *method, int trials, uint64_t first) {
  int unsolved = 0, wrong = 0, proofs = 0;
  for (int k = 0; k < trials; k++) {
    support_state = first + (uint64_t)k;
    grid_sample s;
    grid_sample_random(&s, whole(1, 6), whole(1, 6), whole(0, 1) ? 1 : whole(1, 4),
                       between(0.3, 1.1));
    bound_at_random(&s);
    const size_t bytes = (size_t)s.n*sizeof(double);
    double *own = malloc(bytes), *other = calloc((size_t)s.n, sizeof *other);
    memcpy(own, s.x, bytes);
    perp_result mine, theirs;
    const int found = solved(&s.problem, method, own, &mine);
    if (found) {
      const perp_certificate c = certify(&s.matrix, own);
      if (!(c.residual <= 1e-8*(1.0 + 1e-12))) {   // scales, powers of two, differ by 4
        printf("trial %d: solved, and the entries say %.3g\n", k, c.residual);
        wrong++;
      }
    } else {
      const int exists = solved(&s.matrix, s.n <= 12 ? "enumerate" : "lemke", other, &theirs);
      proofs += mine.status == PERP_STATUS_INFEASIBLE;
      if (exists) {
        printf("trial %d (%d cells): %s; %s\n", k, s.n, mine.message, theirs.message);
        if (mine.status == PERP_STATUS_INFEASIBLE) wrong++;
        unsolved++;
      }
    }
    free(own);
    free(other);
    grid_sample_free(&s);
  }
  assert_int_equal(wrong, 0);
  assert_int_equal(unsolved, 0);
  assert_true(proofs > trials/20);
}

static void random_grids(void **state) {
  (void)state;
  campaign("active_set", often(fewer(600)), 5000);
}

static void random_grids_anytime(void **state) {
  (void)state;
  campaign("multigrid", often(fewer(200)), 900000);
}

// A solver of 64^3 cells has less than 200 bytes for each, with all that a solve takes.
static void memory_is_modest(void **state) {
  (void)state;
  for (int every = 0; every < 2; every++) {
    const grid_recipe r = {.cells = {64, 64, 64}, .seed = 5, .every = every, .cut = 1, .ghost = 1,
                           .balls = 3, .drops = 3, .fill = 0.5, .theta = 0.01};
    grid_scene s = scene_new(&r);
    scene_problem(&s, &r);
    balance b = {0, 0};
    const perp_allocator allocator = {weighed_allocate, weighed_release, &b};
    const perp_limits limits = perp_limits_of(&s.problem);
    perp_solver *solver;
    perp_result result;
    assert_int_equal(perp_solver_create(perp_find_method("active_set"), &limits, NULL, &allocator,
                                        &solver), PERP_OK);
    assert_int_equal(perp_solve(solver, &s.problem, s.x, &result), PERP_OK);
    assert_int_equal(result.status, PERP_STATUS_SOLVED);
    assert_in_range(b.most, (size_t)s.n, 200*(size_t)s.n - 1);
    perp_solver_destroy(solver);
    assert_int_equal(b.now, 0);
    scene_free(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(random_grids),
    cmocka_unit_test(random_grids_anytime),
    cmocka_unit_test(memory_is_modest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
