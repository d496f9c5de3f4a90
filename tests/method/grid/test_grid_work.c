// test_grid_work.c: Newton steps and cycles of pressure on grids where every cell may open, on
// grids that grow.
// labels: tsan
#include <math.h>
#include <stdlib.h>

#include <perp/perp.h>

#include "support.h"

// n x n cells of liquid, 1/n wide, with air around them.
typedef struct pool {
  int32_t n, cells;
  uint8_t *type;
  double *b, *lo, *hi, *x;
  perp_grid grid;
} pool;

static void pool_make(pool *p, int32_t n, double (*b)(double x, double y)) {
  const int32_t side = n + 2, cells = side*side;
  double *memory = calloc(4*(size_t)cells, sizeof *memory);
  *p = (pool){.n = n, .cells = cells, .type = malloc((size_t)cells), .b = memory,
              .lo = memory + cells, .hi = memory + 2*cells, .x = memory + 3*cells};
  p->grid = (perp_grid){.cells = {side, side, 1}, .spacing = {1.0/n, 1.0/n, 1.0}, .type = p->type};
  for (int32_t h = 0; h < cells; h++) {
    const int32_t i = h%side, j = h/side, inside = i > 0 && i <= n && j > 0 && j <= n;
    p->type[h] = inside ? PERP_CELL_LIQUID : PERP_CELL_AIR;
    p->b[h] = inside ? b((i - 0.5)/n, (j - 0.5)/n) : 0.0;
  }
}

static void pool_free(pool *p) {
  free(p->type);
  free(p->b);
}

// From zero; every: 0 <= x, else linear.
static perp_result solve(pool *p, int every) {
  const perp_options options = perp_default_options(perp_find_method("active_set"));
  const perp_problem problem = {.A = perp_from_grid(&p->grid, 0), .b = p->b, .lo = p->lo,
                                .hi = p->hi};
  perp_grid_bounds(&p->grid, 1, p->lo, p->hi);
  for (int32_t h = 0; h < p->cells; h++) {
    p->x[h] = 0.0;
    if (!every && p->type[h] == PERP_CELL_LIQUID) p->lo[h] = -INF;
  }
  perp_result result;
  assert_int_equal(perp_solve_once(&problem, p->x, &options, &result), PERP_OK);
  assert_int_equal(result.status, PERP_STATUS_SOLVED);
  return result;
}

// Compressed on one side, and spray: cells open one by one, away from the edge of the others.
static double spray(double x, double y) {
  (void)y;
  return -0.1 - 0.3*cos(6.283185307179586*x) + between(-4.0, 4.0);
}

// All cells are looked at before the last solve: it is not done again for each that came late.
static void cycles_are_those_of_a_linear_solve(void **state) {
  (void)state;
  for (int32_t n = 128; n <= 256; n *= 2) {
    pool p;
    support_state = 1;
    pool_make(&p, n, spray);
    const int32_t linear = solve(&p, 0).inner_iterations;
    const perp_result every = solve(&p, 1);
    assert_true(2*every.inner_iterations <= 3*linear);
    pool_free(&p);
  }
}

static double blow(double x, double y) {
  return 0.5 - 3.0*exp(-40.0*((x - 0.3)*(x - 0.3) + (y - 0.5)*(y - 0.5)));
}

// A cell that is torn apart, however hard, keeps coarser grids from nothing: without them the free
// cells would grow by a few layers a step.
static void a_torn_cell_does_not_matter(void **state) {
  (void)state;
  for (int32_t n = 64; n <= 256; n *= 2) {
    pool p;
    pool_make(&p, n, blow);
    const int32_t torn = n/7*(n + 2) + 6*n/7;
    const perp_result before = solve(&p, 1);
    assert_true(p.x[torn] == 0.0);
    p.b[torn] = 1e6;
    const perp_result after = solve(&p, 1);
    assert_in_range(before.iterations, 1, 8);
    assert_in_range(after.iterations, 1, before.iterations + 2);
    pool_free(&p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(cycles_are_those_of_a_linear_solve),
    cmocka_unit_test(a_torn_cell_does_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
