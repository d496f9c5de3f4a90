// test_grid_rest.c: what a solve on a grid has left is kept while the free cells change, and the
// next one goes on from there as if it had looked at all cells again.
#include "levels_sample.h"

#include "grid_levels.h"

static void waves(levels_sample *s) {
  const int32_t *c = s->grid.cells;
  for (int32_t i = 0; i < s->n; i++) {
    const double X = (i%c[0] + 0.5)/c[0], Y = (i/c[0]%c[1] + 0.5)/c[1];
    s->type[i] = fabs(X - 0.7) + fabs(Y - 0.2) < 0.1 ? PERP_CELL_SOLID
               : Y > 0.7 + 0.1*sin(9.0*X) ? PERP_CELL_AIR : PERP_CELL_LIQUID;
  }
}

static double norm_of_rest(const levels_sample *s) {   // by the definition
  double sum = 0.0, d;
  for (int32_t i = 0; i < s->n; i++) {
    if (s->type[i] != PERP_CELL_LIQUID || !s->is_free[i]) continue;
    const double rest = s->r[i] - levels_sample_row(&s->grid, i, s->z, &d);
    if (d > 0.0) sum += rest*rest;
  }
  return sqrt(sum);
}

// Cell i gets free or bound; the levels are told, as grid_watch.c does.
static void flip(levels_sample *s, grid_levels *g, int32_t i) {
  double d;
  if (!s->is_free[i]) {
    s->is_free[i] = 1;
    grid_levels_rest_set(g, 0, i, s->r[i] - levels_sample_row(&s->grid, i, s->z, &d));
    return;
  }
  s->is_free[i] = 0;
  for (int side = 0; side < 6; side++) {
    double w;
    const int32_t other = levels_sample_neighbour(&s->grid, i, side/2, side%2, &w);
    if (other >= 0 && s->type[other] == PERP_CELL_LIQUID && s->is_free[other])
      grid_levels_rest_add(g, 0, other, -w*s->z[i]);
  }
  s->z[i] = 0.0;
  grid_levels_rest_set(g, 0, i, 0.0);
}

static void kept_while_cells_change(void **state) {
  (void)state;
  support_state = 11;
  const int32_t sizes[][3] = {{90, 75, 1}, {20, 24, 30}};
  for (size_t k = 0; k < 2; k++) {
    levels_sample s = levels_sample_new(sizes[k][0], sizes[k][1], sizes[k][2]);
    for (int32_t i = 0; i < s.n; i++) s.r[i] *= 1e-9;   // scales are not 1
    waves(&s);
    int failed;
    grid_levels *g = grid_levels_create(&s.grid, NULL, NULL, NULL, &failed);
    grid_levels_report report;
    grid_levels_mask(g, 0, s.is_free);
    assert_int_equal(grid_levels_solve(g, 0, s.r, s.z, 0.1, 0.0, 20, NULL, &report), 0);
    for (int round = 0; round < 6; round++) {
      int32_t flips = 0;
      for (int32_t i = 0; i < s.n && round != 4; i++) {
        if (s.type[i] != PERP_CELL_LIQUID || uniform() > 0.01) continue;
        flip(&s, g, i);
        flips++;
      }
      assert_true(flips > 20 || round == 4);
      if (flips > 0) grid_levels_mask(g, 0, s.is_free);
      const double before = norm_of_rest(&s);
      const double relative = round < 5 ? 0.2 : 1e-9;
      assert_int_equal(grid_levels_go_on(g, 0, s.r, s.z, relative, 0.0, 50, NULL, &report), 0);
      assert_true(fabs(report.norm_before - before) <= 1e-3*before);
      const double after = norm_of_rest(&s);
      assert_true(after <= 1.01*relative*before);
      assert_true(fabs(report.norm - after) <= 1e-2*after);
      if (round == 4) assert_in_range(report.iterations, 1, 3);
      for (int32_t i = 0; i < s.n; i++)
        if (s.type[i] != PERP_CELL_LIQUID || !s.is_free[i]) assert_true(s.z[i] == 0.0);
    }
    grid_levels_destroy(g);
    levels_sample_free(&s);
  }
}

// Where no cell was free nothing is left from solves before, either: cells that become free there
// are beside cells that are not looked at.
static void nothing_is_left_where_none_was_free(void **state) {
  (void)state;
  support_state = 13;
  enum { X = 96, Y = 40 };
  levels_sample s = levels_sample_new(X, Y, 1);
  waves(&s);
  int failed;
  grid_levels *g = grid_levels_create(&s.grid, NULL, NULL, NULL, &failed);
  grid_levels_report report;
  for (int whole = 0; whole < 2; whole++) {   // by a mask of all cells, by one of what differs
    if (whole) assert_int_equal(grid_levels_renew(g, &s.grid, NULL), 0);
    else grid_levels_mask(g, 0, NULL);
    assert_int_equal(grid_levels_solve(g, 0, s.r, s.z, 0.5, 0.0, 20, NULL, &report), 0);
    for (int32_t i = 0; i < s.n; i++) s.is_free[i] = i%X < 32 || i%X >= 80 || i/X < 5;
    grid_levels_mask(g, 0, s.is_free);
    assert_int_equal(grid_levels_solve(g, 0, s.r, s.z, 1e-4, 0.0, 40, NULL, &report), 0);
    for (int32_t j = 8; j < 20; j += 4) flip(&s, g, j*X + 41 + j);
    for (int32_t i = 0; i < s.n; i++)          // so that little is left in the cells themselves
      if (s.is_free[i] && i%X >= 32 && i%X < 80 && i/X >= 5)
        grid_levels_rest_set(g, 0, i, 1e-4*s.r[i]);
    grid_levels_mask(g, 0, s.is_free);
    for (int32_t i = 0; i < s.n; i++)
      if (s.is_free[i] && i%X >= 32 && i%X < 80 && i/X >= 5) {
        double d;
        s.r[i] = levels_sample_row(&s.grid, i, s.z, &d) + 1e-4*s.r[i];
      }
    assert_int_equal(grid_levels_go_on(g, 0, s.r, s.z, 0.1, 0.0, 40, NULL, &report), 0);
    const double after = norm_of_rest(&s);
    assert_true(fabs(report.norm - after) <= 1e-2*after);
    assert_in_range(report.iterations, 1, 4);
  }
  grid_levels_destroy(g);
  levels_sample_free(&s);
}

// After a mask on another level, or other weights, nothing is known any more: all is computed.
static void forgotten_when_it_no_longer_fits(void **state) {
  (void)state;
  support_state = 12;
  levels_sample s = levels_sample_new(64, 48, 1);
  waves(&s);
  int failed;
  grid_levels *g = grid_levels_create(&s.grid, NULL, NULL, NULL, &failed);
  grid_levels_report report;
  for (int how = 0; how < 2; how++) {
    grid_levels_mask(g, 0, NULL);
    assert_int_equal(grid_levels_solve(g, 0, s.r, s.z, 0.1, 0.0, 20, NULL, &report), 0);
    if (how == 0) grid_levels_mask(g, 1, NULL);
    else assert_int_equal(grid_levels_renew(g, &s.grid, NULL), 0);
    grid_levels_rest_set(g, 0, 5, 1e6);                  // of no effect
    grid_levels_mask(g, 0, NULL);
    const double before = norm_of_rest(&s);
    assert_int_equal(grid_levels_go_on(g, 0, s.r, s.z, 1e-6, 0.0, 50, NULL, &report), 0);
    assert_true(fabs(report.norm_before - before) <= 1e-5*before);
    assert_true(norm_of_rest(&s) <= 1.01e-6*before);
  }
  grid_levels_destroy(g);
  levels_sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(kept_while_cells_change),
    cmocka_unit_test(nothing_is_left_where_none_was_free),
    cmocka_unit_test(forgotten_when_it_no_longer_fits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
