// test_grid_levels.c: multigrid on grids: the right matrix, symmetric, fast on hard masks.
// Somewhat long: the shapes that are hard for it are made here and shared by all its tests.
// labels: tsan
#include "levels_sample.h"

#include "counting.h"
#include "grid_parts.h"

static grid_levels *levels_of(const levels_sample *s, team *threads) {
  int failed = 1;
  grid_levels *g = grid_levels_create(&s->grid, threads, NULL, NULL, &failed);
  assert_non_null(g);
  assert_int_equal(failed, 0);
  return g;
}

static double inner(int32_t n, const double *a, const double *b) {
  double s = 0.0;
  for (int32_t i = 0; i < n; i++) s += a[i]*b[i];
  return s;
}

// The shapes of domains: a box open at the top; waves around obstacles; random cells.
typedef enum domain { BOX, WAVES, RANDOM } domain;

static void shape(levels_sample *s, domain kind) {
  const int32_t *c = s->grid.cells;
  for (int32_t i = 0; i < s->n; i++) {
    const int32_t x = i%c[0], y = i/c[0]%c[1], z = i/c[0]/c[1];
    const double X = (x + 0.5)/c[0], Y = (y + 0.5)/c[1], Z = c[2] > 1 ? (z + 0.5)/c[2] : 0.5;
    const double ball = sqrt((X - 0.4)*(X - 0.4) + (Y - 0.3)*(Y - 0.3) + (Z - 0.5)*(Z - 0.5));
    if (kind == BOX) s->type[i] = y == c[1] - 1 ? PERP_CELL_AIR : PERP_CELL_LIQUID;
    if (kind == RANDOM) {
      const double u = uniform();
      s->type[i] = u < 0.2 ? PERP_CELL_SOLID : u < 0.3 ? PERP_CELL_AIR : PERP_CELL_LIQUID;
    }
    if (kind == WAVES)
      s->type[i] = ball < 0.12 || fabs(X - 0.75) + fabs(Y - 0.15) < 0.06 ? PERP_CELL_SOLID
                 : Y > 0.6 + 0.08*sin(9.0*X) + 0.03*cos(23.0*X + 5.0*Z) ? PERP_CELL_AIR
                 : PERP_CELL_LIQUID;
  }
}

// Area fractions down to `least`, and theta down to `closest` where liquid meets air.
static void cut(levels_sample *s, double part, double least, double closest) {
  levels_sample_add_faces(s);
  for (int32_t i = 0; i < s->n; i++)
    for (int d = 0; d < 3; d++) {
      double w;
      const int32_t j = levels_sample_neighbour(&s->grid, i, d, 1, &w);
      if (j < 0) continue;
      double *face = s->face[d];
      const int32_t x = s->grid.cells[0], y = s->grid.cells[1];
      face += ((int64_t)(i/x/y + (d == 2))*(y + (d == 1)) + i/x%y + (d == 1))*(x + (d == 0)) +
              i%x + (d == 0);
      if (uniform() < part) *face = pow(least, uniform());
      if ((s->type[i] == PERP_CELL_AIR) != (s->type[j] == PERP_CELL_AIR))
        *face /= uniform() < 0.5 ? closest : between(closest, 1.0);
    }
}

// |r - A z| over |r| on free cells by the definition, and z = 0 elsewhere.
static double true_residual(const levels_sample *s) {
  double rest = 0.0, size = 0.0, d;
  for (int32_t i = 0; i < s->n; i++) {
    const double Az = levels_sample_row(&s->grid, i, s->z, &d);
    if (s->type[i] != PERP_CELL_LIQUID || !s->is_free[i] || d == 0.0) {
      assert_true(s->z[i] == 0.0);
      continue;
    }
    rest += (s->r[i] - Az)*(s->r[i] - Az);
    size += s->r[i]*s->r[i];
  }
  return size > 0.0 ? sqrt(rest/size) : 0.0;
}

// Right sides that closed components have an answer to: mean 0 there.
static void make_consistent(const levels_sample *s, const grid_levels *g) {
  const int32_t *label, count = grid_levels_closed(g, &label);
  double *sum = calloc((size_t)count + 1, sizeof *sum);
  double *size = calloc((size_t)count + 1, sizeof *size);
  for (int32_t i = 0; count > 0 && i < s->n; i++)
    if (label[i] >= 0) {
      sum[label[i]] += s->r[i];
      size[label[i]] += 1.0;
    }
  for (int32_t i = 0; count > 0 && i < s->n; i++)
    if (label[i] >= 0) s->r[i] -= sum[label[i]]/size[label[i]];
  free(sum);
  free(size);
}

static int32_t solve(const levels_sample *s, grid_levels *g, double relative, int32_t most) {
  grid_levels_report report;
  const int status = grid_levels_solve(g, 0, s->r, s->z, relative, 0.0, most, NULL, &report);
  assert_int_equal(status, 0);
  assert_true(report.norm <= relative*report.norm_before);
  return report.iterations;
}

static void products(void **state) {
  (void)state;
  support_state = 1;
  const int32_t sizes[][3] = {{1, 1, 1}, {5, 1, 1}, {1, 7, 1}, {1, 1, 40}, {37, 21, 1}, {70, 33, 1},
                              {9, 1, 12}, {1, 20, 17}, {19, 6, 11}, {40, 8, 9}};
  for (size_t k = 0; k < sizeof sizes/sizeof sizes[0]; k++)
    for (int kind = 0; kind < 4; kind++) {
      levels_sample s = levels_sample_new(sizes[k][0], sizes[k][1], sizes[k][2]);
      if (kind > 0) shape(&s, kind == 1 ? WAVES : RANDOM);
      if (kind == 3) cut(&s, 0.3, 1e-3, 1e-2);
      for (int d = 0; d < 3; d++) s.grid.spacing[d] = between(0.3, 1.2);
      grid_levels *g = levels_of(&s, NULL);
      double *d = malloc((size_t)s.n*sizeof *d), *x = malloc((size_t)s.n*sizeof *x);
      grid_levels_diagonal(g, 0, d);
      grid_levels_apply(g, 0, s.r, NULL, s.y);
      for (int32_t i = 0; i < s.n; i++) {
        double diagonal;
        const double y = levels_sample_row(&s.grid, i, s.r, &diagonal);
        assert_true(fabs(d[i] - diagonal) <= 1e-14*diagonal);
        assert_true(fabs(s.y[i] - y) <= 1e-14*(fabs(y) + 10.0*diagonal));
      }
      grid_levels_apply(g, 0, s.r, s.y, s.y);          // y may be b
      for (int32_t i = 0; i < s.n; i++) {
        double diagonal;
        const double y = 2.0*levels_sample_row(&s.grid, i, s.r, &diagonal);
        assert_true(fabs(s.y[i] - y) <= 1e-13*(fabs(y) + 10.0*diagonal));
      }
      // sweeps, with a box around some cells
      double *lo = malloc((size_t)s.n*sizeof *lo), *hi = malloc((size_t)s.n*sizeof *hi);
      for (int32_t i = 0; i < s.n; i++) {
        s.z[i] = x[i] = between(-1.0, 1.0);
        lo[i] = uniform() < 0.5 ? -INF : between(-0.2, 0.0);
        hi[i] = uniform() < 0.5 ? INF : between(0.0, 0.2);
      }
      for (int sweep = 0; sweep < 2; sweep++) grid_levels_sweep(g, 0, s.r, lo, hi, s.z);
      for (int half = 0; half < 4; half++)
        for (int32_t i = 0; i < s.n; i++) {
          const int32_t a = s.grid.cells[0], b = s.grid.cells[1];
          if (s.type[i] != PERP_CELL_LIQUID || (i%a + i/a%b + i/a/b)%2 != half%2) continue;
          double diagonal;
          const double y = levels_sample_row(&s.grid, i, x, &diagonal) + s.r[i];
          if (diagonal > 0.0) x[i] = fmax(lo[i], fmin(hi[i], x[i] - y/diagonal));
        }
      for (int32_t i = 0; i < s.n; i++)
        assert_true(fabs(s.z[i] - x[i]) <= 1e-12*(1.0 + fabs(x[i])));
      free(lo);
      free(hi);
      free(d);
      free(x);
      grid_levels_destroy(g);
      levels_sample_free(&s);
    }
}

// The cycle M: u'Mv = v'Mu to single precision, and u'Mu > 0, on every domain and mask.
static void symmetric(void **state) {
  (void)state;
  support_state = 2;
  const int32_t sizes[][3] = {{64, 64, 1}, {100, 37, 1}, {33, 65, 1}, {1, 500, 1}, {24, 20, 22},
                              {17, 40, 9}, {6, 200, 1},
                              {1200, 17, 16}};   // the last one strip by strip
  for (size_t k = 0; k < sizeof sizes/sizeof sizes[0] - (is_brief() ? 1 : 0); k++)
    for (int kind = 0; kind < 6; kind++) {
      levels_sample s = levels_sample_new(sizes[k][0], sizes[k][1], sizes[k][2]);
      shape(&s, kind == 0 ? BOX : kind < 4 ? WAVES : RANDOM);
      if (kind > 2) cut(&s, 0.2, 1e-3, 1e-2);
      if (kind%2 == 1) s.grid.spacing[whole(0, 2)] = between(0.25, 4.0);
      if (kind > 1)
        for (int32_t i = 0; i < s.n; i++) s.is_free[i] = uniform() < 0.8;
      grid_levels *g = levels_of(&s, NULL);
      grid_levels_mask(g, 0, s.is_free);
      double *u = malloc((size_t)s.n*sizeof *u), *Mu = malloc((size_t)s.n*sizeof *Mu);
      for (int trial = 0; trial < 3; trial++) {
        for (int32_t i = 0; i < s.n; i++) {
          u[i] = between(-1.0, 1.0);
          s.r[i] = trial == 0 ? 1.0 : between(-1.0, 1.0);
        }
        grid_levels_cycle(g, 0, u, Mu);
        grid_levels_cycle(g, 0, s.r, s.z);
        const double a = inner(s.n, u, s.z), b = inner(s.n, s.r, Mu),
                     size = sqrt(inner(s.n, u, Mu)*inner(s.n, s.r, s.z));
        assert_true(inner(s.n, u, Mu) > 0.0 && inner(s.n, s.r, s.z) > 0.0);
        assert_true(fabs(a - b) <= 2e-5*size);
        for (int32_t i = 0; i < s.n; i++)
          if (!s.is_free[i] || s.type[i] != PERP_CELL_LIQUID) assert_true(s.z[i] == 0.0);
      }
      free(u);
      free(Mu);
      grid_levels_destroy(g);
      levels_sample_free(&s);
    }
}

// 1e-8 in 8 to 12 cycles on smooth domains, the same from 64^2 to 1024^2 and in three dimensions.
static void flat(void **state) {
  (void)state;
  support_state = 3;
  const int32_t sizes[][3] = {{64, 64, 1}, {200, 200, 1}, {512, 512, 1}, {1024, 1024, 1},
                              {24, 24, 24}, {50, 50, 50}};
  for (int kind = 0; kind < 3; kind++)
    for (size_t k = 0; k < sizeof sizes/sizeof sizes[0] - (is_brief() ? 3 : 0); k++) {
      levels_sample s = levels_sample_new(sizes[k][0], sizes[k][1], sizes[k][2]);
      shape(&s, kind == 0 ? BOX : WAVES);
      if (kind == 2)                                   // smooth instead of noise
        for (int32_t i = 0; i < s.n; i++) s.r[i] = 1.0;
      grid_levels *g = levels_of(&s, NULL);
      const int32_t cycles = solve(&s, g, 1e-8, 100);
      assert_in_range(cycles, 1, 11);
      assert_true(true_residual(&s) <= 1.1e-8);
      grid_levels_destroy(g);
      levels_sample_free(&s);
    }
}

// Masks and weights on which multigrid is known to be weak: bounds on the cycles to 1e-8.
static void hard(void **state) {
  (void)state;
  support_state = 4;
  static const struct { const char *name; int32_t x, y, z, most; } cases[] = {
    {"random cells", 200, 150, 1, 16}, {"half bound", 128, 128, 1, 10},
    {"single cells", 90, 90, 1, 3},
    {"cut faces, theta 1e-2", 256, 256, 1, 14}, {"the same, bound cells", 33, 40, 35, 12},
    {"parallel channels", 128, 128, 1, 150}, {"long and thin", 6, 3000, 1, 12},
    {"line", 1, 5000, 1, 12},
    {"odd sizes", 107, 211, 1, 12}, {"stretched x 4", 120, 130, 1, 14},
    {"stretched y 4", 120, 130, 1, 14},
    {"stretched z 3", 40, 36, 30, 14}, {"comb", 130, 64, 1, 50},
  };
  for (size_t k = 0; k < sizeof cases/sizeof cases[0]; k++) {
    levels_sample s = levels_sample_new(cases[k].x, cases[k].y, cases[k].z);
    shape(&s, k == 0 ? RANDOM : k == 5 || k == 6 || k == 7 || k == 12 ? BOX : WAVES);
    if (k == 3 || k == 4) cut(&s, 0.05, 1e-3, 1e-2);
    if (k == 9) s.grid.spacing[0] = 4.0;
    if (k == 10) s.grid.spacing[1] = 4.0;
    if (k == 11) s.grid.spacing[2] = 3.0;
    for (int32_t i = 0; i < s.n; i++) {
      const int32_t x = i%s.grid.cells[0], y = i/s.grid.cells[0];
      if (k == 1 || k == 4) s.is_free[i] = uniform() < 0.5;
      if (k == 2) s.is_free[i] = x%3 == 1 && y%3 == 1;
      if (k == 5 && x%3 == 2) s.type[i] = PERP_CELL_SOLID;      // two cells wide, open at the top
      if (k == 12 && x%5 == 4 && y > 4) s.type[i] = PERP_CELL_SOLID;
    }
    grid_levels *g = levels_of(&s, NULL);
    make_consistent(&s, g);
    grid_levels_mask(g, 0, s.is_free);
    const int32_t cycles = solve(&s, g, 1e-8, 200);
    if (getenv("PERP_LONG_TESTS") != NULL) print_message("%s: %d cycles\n", cases[k].name, cycles);
    if (cycles > cases[k].most) fail_msg("%s: %d cycles", cases[k].name, cycles);
    assert_true(true_residual(&s) <= 1.1e-8);
    grid_levels_destroy(g);
    levels_sample_free(&s);
  }
}

// A mask that has changed many times is the same as the first one of new levels, bit for bit.
static void changes(void **state) {
  (void)state;
  support_state = 5;
  const int32_t sizes[][3] = {{90, 75, 1}, {300, 20, 1}, {20, 24, 30}};
  for (size_t k = 0; k < 3; k++) {
    levels_sample s = levels_sample_new(sizes[k][0], sizes[k][1], sizes[k][2]);
    shape(&s, WAVES);
    cut(&s, 0.02, 1e-3, 1e-2);
    grid_levels *g = levels_of(&s, NULL);
    for (int trial = 0; trial < 12; trial++) {
      const int32_t from = trial%4 == 3 ? 1 : 0;
      int32_t cells[3];
      const int32_t n = grid_levels_shape(g, from, cells);
      const double part = trial%3 == 0 ? 0.5 : 0.01;
      for (int32_t i = 0; i < n; i++)
        if (uniform() < part) s.is_free[i] = uniform() < 0.7;
      if (trial == 6) memset(s.is_free, 0, (size_t)s.n);
      if (trial == 8) memset(s.is_free, 1, (size_t)s.n);
      grid_levels_mask(g, from, s.is_free);
      grid_levels_cycle(g, from, s.r, s.z);
      grid_levels *fresh = levels_of(&s, NULL);
      grid_levels_mask(fresh, from, s.is_free);
      grid_levels_cycle(fresh, from, s.r, s.y);
      assert_memory_equal(s.z, s.y, (size_t)n*sizeof *s.z);
      grid_levels_destroy(fresh);
    }
    // other types and weights in the same memory
    shape(&s, RANDOM);
    for (int d = 0; d < 3; d++) s.face[d][7] = 0.5;
    assert_int_equal(grid_levels_renew(g, &s.grid, NULL), 0);
    grid_levels_cycle(g, 0, s.r, s.z);
    grid_levels *fresh = levels_of(&s, NULL);
    grid_levels_cycle(fresh, 0, s.r, s.y);
    assert_memory_equal(s.z, s.y, (size_t)s.n*sizeof *s.z);
    perp_grid other = s.grid;
    other.spacing[0] = 7.0;
    assert_int_equal(grid_levels_renew(g, &other, NULL), 1);
    grid_levels_destroy(fresh);
    grid_levels_destroy(g);
    levels_sample_free(&s);
  }
}

static void threads(void **state) {
  (void)state;
  support_state = 6;
  const int32_t sizes[][3] = {{300, 280, 1}, {40, 44, 60}, {2000, 40, 1}, {900, 18, 30}};
  for (size_t k = 0; k < 4; k++) {
    levels_sample s = levels_sample_new(sizes[k][0], sizes[k][1], sizes[k][2]);
    shape(&s, WAVES);
    cut(&s, 0.02, 1e-3, 1e-2);
    for (int32_t i = 0; i < s.n; i++) s.is_free[i] = uniform() < 0.95;
    double *all[3][2];
    const int32_t count[3] = {1, 2, 4};
    for (int t = 0; t < 3; t++) {
      team *crew = t > 0 ? team_create(count[t], NULL, NULL) : NULL;
      grid_levels *g = levels_of(&s, crew);
      grid_levels_mask(g, 0, s.is_free);
      for (int v = 0; v < 2; v++) all[t][v] = calloc((size_t)s.n, sizeof(double));
      grid_levels_report report;
      grid_levels_solve(g, 0, s.r, all[t][0], 1e-8, 0.0, 50, NULL, &report);
      grid_levels_apply(g, 0, all[t][0], s.r, all[t][1]);
      grid_levels_sweep(g, 0, s.r, NULL, NULL, all[t][1]);
      for (int v = 0; v < 2 && t > 0; v++)
        assert_memory_equal(all[0][v], all[t][v], (size_t)s.n*sizeof(double));
      grid_levels_destroy(g);
      team_destroy(crew);
    }
    for (int t = 0; t < 3; t++)
      for (int v = 0; v < 2; v++) free(all[t][v]);
    levels_sample_free(&s);
  }
}

// A grid one cell thick in any direction is the plane grid, bit for bit.
static void thick(void **state) {
  (void)state;
  support_state = 7;
  levels_sample s = levels_sample_new(70, 45, 1);
  shape(&s, WAVES);
  cut(&s, 0.05, 1e-2, 1e-2);
  s.grid.spacing[1] = 1.25;
  grid_levels *g = levels_of(&s, NULL);
  solve(&s, g, 1e-9, 50);
  grid_levels_destroy(g);
  for (int d = 0; d < 3; d++) {                        // the direction of one cell
    const int a = d == 0 ? 1 : 0, b = d == 2 ? 1 : 2;
    perp_grid other = {.type = s.type, .spacing = {9.0, 9.0, 9.0}};
    for (int e = 0; e < 3; e++) other.cells[e] = 1;
    other.cells[a] = 70;
    other.cells[b] = 45;
    other.spacing[a] = s.grid.spacing[0];
    other.spacing[b] = s.grid.spacing[1];
    other.face[a] = s.face[0];
    other.face[b] = s.face[1];
    int failed;
    grid_levels_report report;
    g = grid_levels_create(&other, NULL, NULL, NULL, &failed);
    assert_non_null(g);
    assert_int_equal(grid_levels_solve(g, 0, s.r, s.y, 1e-9, 0.0, 50, NULL, &report), 0);
    assert_memory_equal(s.y, s.z, (size_t)s.n*sizeof *s.z);
    grid_levels_destroy(g);
  }
  levels_sample_free(&s);
}

// Containers without air: two tanks, and a single cell that nothing reaches.
static void closed(void **state) {
  (void)state;
  support_state = 8;
  for (int deep = 0; deep < 2; deep++) {
    levels_sample s = deep ? levels_sample_new(30, 21, 20) : levels_sample_new(90, 61, 1);
    const int32_t x = s.grid.cells[0], y = s.grid.cells[1];
    for (int32_t i = 0; i < s.n; i++)
      if (i%x == x/3) s.type[i] = PERP_CELL_SOLID;
    levels_sample_add_faces(&s);
    for (int d = 0; d < 3; d++)                        // the last cell is shut off by its faces
      s.face[d][levels_sample_faces(&s, d) - 1 - (size_t)(d == 0 ? 1 : d == 1 ? x : x*y)] = 0.0;
    const int32_t *label;
    grid_levels *g = levels_of(&s, NULL);
    assert_int_equal(grid_levels_closed(g, &label), 3);
    double size[3] = {0.0, 0.0, 0.0};
    for (int32_t i = 0; i < s.n; i++) {
      if (s.type[i] == PERP_CELL_SOLID) {
        assert_int_equal(label[i], -1);
        continue;
      }
      assert_in_range(label[i], 0, 2);
      assert_int_equal(label[i], i == s.n - 1 ? 2 : label[i%x < x/3 ? 0 : x/3 + 1]);
      size[label[i]] += 1.0;
    }
    assert_int_equal((int)size[2], 1);
    make_consistent(&s, g);
    assert_in_range(solve(&s, g, 1e-8, 50), 1, 20);
    assert_true(true_residual(&s) <= 1.1e-8);
    double mean[2] = {0.0, 0.0};
    for (int32_t i = 0; i < s.n; i++)
      if (label[i] >= 0 && label[i] < 2) mean[label[i]] += s.z[i]/size[label[i]];
    assert_true(fabs(mean[0]) < 1e-9 && fabs(mean[1]) < 1e-9);
    // one bound cell: that tank is regular, any right side will do
    const int32_t pinned = x/3 + 5;
    for (int32_t i = 0; i < s.n; i++)
      if (label[i] == label[pinned]) s.r[i] += 1.0;
    s.is_free[pinned] = 0;
    grid_levels_mask(g, 0, s.is_free);
    assert_in_range(solve(&s, g, 1e-8, 50), 1, 20);
    assert_true(true_residual(&s) <= 1.1e-8);
    s.is_free[pinned] = 1;                             // and back
    grid_levels_mask(g, 0, s.is_free);
    grid_levels_report report;
    assert_int_equal(grid_levels_solve(g, 0, s.r, s.z, 1e-8, 0.0, 50, NULL, &report), 0);
    assert_true(report.norm_before < 0.9*sqrt(inner(s.n, s.r, s.r)));   // the mean is gone
    grid_levels_destroy(g);
    levels_sample_free(&s);
  }
  levels_sample s = levels_sample_new(40, 40, 1);
  shape(&s, BOX);
  const int32_t *label;
  grid_levels *g = levels_of(&s, NULL);
  assert_int_equal(grid_levels_closed(g, &label), 0);
  grid_levels_destroy(g);
  levels_sample_free(&s);
}

// The containers of lines of cells that are shut off from each other here and there, by asking
// neighbours until nothing changes.
static void combs(void **state) {
  (void)state;
  support_state = 9;
  for (int trial = 0; trial < 20; trial++) {
    levels_sample s = trial%2 ? levels_sample_new(50, 5, 5) : levels_sample_new(70, 9, 1);
    const int32_t *n = s.grid.cells, stride[3] = {1, n[0], n[0]*n[1]};
    levels_sample_add_faces(&s);
    for (int32_t i = 0; i < s.n; i++) s.type[i] = PERP_CELL_LIQUID;
    for (int32_t line = 0; line < n[1]*n[2]; line++) {
      const int cut = trial%2 ? line/n[1]%2 == 0 : whole(0, 2) == 0;   // all its cells
      for (int32_t i = 0; i <= n[0] && cut; i++) s.face[0][line*(n[0] + 1) + i] = 0.0;
    }
    for (size_t f = 0; trial%2 && f < levels_sample_faces(&s, 1); f++)   // as are these planes
      if (f/(size_t)(n[0]*(n[1] + 1))%2 == 0) s.face[1][f] = 0.0;
    for (int cuts = 0; cuts < trial; cuts++)
      s.face[1][whole(0, (int)levels_sample_faces(&s, 1) - 1)] = 0.0;
    int32_t *known = malloc((size_t)s.n*sizeof *known), count = 0;
    assert_non_null(known);
    for (int32_t i = 0; i < s.n; i++) known[i] = i;
    for (int changed = 1; changed;) {
      changed = 0;
      for (int32_t i = 0; i < s.n; i++)
        for (int d = 0; d < 3; d++) {
          const int32_t at[3] = {i%n[0], i/n[0]%n[1], i/n[0]/n[1]};
          const size_t above = (((size_t)at[2] + (d == 2))*(size_t)(n[1] + (d == 1)) +
                                (size_t)(at[1] + (d == 1)))*(size_t)(n[0] + (d == 0)) +
                               (size_t)(at[0] + (d == 0));
          if (at[d] + 1 == n[d] || s.face[d][above] == 0.0) continue;
          int32_t *a = &known[i], *b = &known[i + stride[d]];
          changed |= *a != *b;
          *a = *b = *a < *b ? *a : *b;
        }
    }
    for (int32_t i = 0; i < s.n; i++) count += known[i] == i;
    const int32_t *label;
    grid_levels *g = levels_of(&s, NULL);
    assert_int_equal(grid_levels_closed(g, &label), count);
    for (int32_t i = 0; i < s.n; i++) assert_int_equal(label[i], label[known[i]]);
    free(known);
    grid_levels_destroy(g);
    levels_sample_free(&s);
  }
}

// Tiny, huge and impossible numbers.
static void ranges(void **state) {
  (void)state;
  support_state = 9;
  levels_sample s = levels_sample_new(50, 60, 1);
  shape(&s, WAVES);
  const double size[] = {1e-250, 1e-30, 1e30, 1e250}, space[] = {1e-9, 1.0, 1e9, 1e-60};
  for (int a = 0; a < 4; a++)
    for (int b = 0; b < 3; b++) {
      s.grid.spacing[0] = s.grid.spacing[1] = space[b];
      for (int32_t i = 0; i < s.n; i++) s.r[i] = size[a]*between(-1.0, 1.0);
      grid_levels *g = levels_of(&s, NULL);
      assert_in_range(solve(&s, g, 1e-8, 50), 1, 11);
      for (int32_t i = 0; i < s.n; i++) {
        s.z[i] *= 1.0/size[a];
        s.r[i] *= 1.0/size[a];
      }
      assert_true(true_residual(&s) <= 1.1e-8);
      grid_levels_destroy(g);
    }
  s.grid.spacing[0] = s.grid.spacing[1] = 1.0;
  grid_levels *g = levels_of(&s, NULL);
  grid_levels_report report;
  memset(s.r, 0, (size_t)s.n*sizeof *s.r);
  s.z[3] = 1.0;
  assert_int_equal(grid_levels_solve(g, 0, s.r, s.z, 1e-8, 0.0, 50, NULL, &report), 0);
  assert_int_equal(report.iterations, 0);
  for (int32_t i = 0; i < s.n; i++) assert_true(s.z[i] == 0.0);
  const double bad[] = {NAN, INF};
  for (int k = 0; k < 2; k++) {
    s.r[5] = bad[k];
    assert_int_equal(grid_levels_solve(g, 0, s.r, s.z, 1e-8, 0.0, 50, NULL, &report), 1);
    for (int32_t i = 0; i < s.n; i++) assert_true(s.z[i] == 0.0);
  }
  s.r[5] = 1.0;                                        // and nothing of it stays
  assert_in_range(solve(&s, g, 1e-8, 50), 1, 11);
  assert_int_equal(grid_levels_solve(g, 0, s.r, s.z, 1e-13, 0.0, 100, NULL, &report), 0);
  assert_true(true_residual(&s) <= 2e-13);
  assert_int_equal(grid_levels_solve(g, 0, s.r, s.z, 0.0, 1e-6, 100, NULL, &report), 0);
  assert_true(report.most <= 1e-6 && report.norm > 1e-9);
  // what cannot be reached ends, with the best there is
  assert_int_equal(grid_levels_solve(g, 0, s.r, s.z, 1e-40, 0.0, 10000, NULL, &report), 1);
  assert_in_range(report.iterations, 5, 100);
  assert_true(true_residual(&s) <= 1e-12);
  grid_levels_destroy(g);
  levels_sample_free(&s);
}

// Levels: their cells, vectors between them, and solves that begin on a coarse one.
static void levels(void **state) {
  (void)state;
  support_state = 10;
  const int32_t sizes[][3] = {{64, 50, 1}, {21, 30, 17}, {40, 160, 1}};
  for (size_t k = 0; k < 3; k++) {
    levels_sample s = levels_sample_new(sizes[k][0], sizes[k][1], sizes[k][2]);
    shape(&s, k == 2 ? BOX : WAVES);
    if (k == 2) s.grid.spacing[0] = 3.0;
    grid_levels *g = levels_of(&s, NULL);
    double *v = malloc((size_t)s.n*sizeof *v);
    double *expected = malloc((size_t)s.n*sizeof *expected);
    assert_true(grid_levels_count(g) > 2);
    for (int32_t at = 0; at + 1 < grid_levels_count(g); at++) {
      int32_t cells[3], next[3], halved[3];
      const int32_t n = grid_levels_shape(g, at, cells), m = grid_levels_shape(g, at + 1, next);
      grid_levels_halved(g, at, halved);
      const uint8_t *type = grid_levels_type(g, at), *coarse = grid_levels_type(g, at + 1);
      int32_t product = 1, some = 0;
      for (int d = 0; d < 3; d++) {
        assert_int_equal(next[d], halved[d] ? (cells[d] + 1)/2 : cells[d]);
        product *= cells[d];
        some += halved[d];
      }
      assert_int_equal(product, n);
      assert_true(some > 0);
      if (at == 0) assert_int_equal(some, k == 1 ? 3 : k == 2 ? 1 : 2);
      memset(expected, 0, (size_t)m*sizeof *expected);
      for (int32_t i = 0; i < n; i++) {
        v[i] = between(-1.0, 1.0);
        if (type[i] != PERP_CELL_LIQUID) continue;
        const int32_t x = i%cells[0], y = i/cells[0]%cells[1], z = i/cells[0]/cells[1];
        const int32_t up = ((z >> halved[2])*next[1] + (y >> halved[1]))*next[0] + (x >> halved[0]);
        assert_int_equal(coarse[up], PERP_CELL_LIQUID);
        expected[up] += v[i];
      }
      grid_levels_coarsen(g, at, 0, v, s.y);
      for (int32_t i = 0; i < m; i++) assert_true(fabs(expected[i] - s.y[i]) < 1e-14);
      for (int32_t i = 0; i < n; i++) v[i] = 5.0;
      grid_levels_coarsen(g, at, 1, v, s.y);           // constants stay, but for the air
      for (int32_t i = 0; i < m; i++)
        assert_true(s.y[i] == (coarse[i] == PERP_CELL_LIQUID ? 5.0 : 0.0));
      grid_levels_refine(g, at, s.y, s.z);
      int32_t same = 0;
      for (int32_t i = 0; i < n; i++) {
        assert_true(s.z[i] >= 0.0 && s.z[i] <= 5.0);
        assert_true(type[i] == PERP_CELL_LIQUID || s.z[i] == 0.0);
        same += s.z[i] == 5.0;
      }
      assert_true(n < 300 || 4*same > n);
    }
    for (int32_t at = 1; at < grid_levels_count(g); at++) {
      int32_t cells[3];
      const int32_t n = grid_levels_shape(g, at, cells);
      const uint8_t *type = grid_levels_type(g, at);
      for (int32_t i = 0; i < n; i++) s.is_free[i] = uniform() < 0.9;
      grid_levels_mask(g, at, s.is_free);
      grid_levels_report report;
      assert_int_equal(grid_levels_solve(g, at, s.r, s.z, 1e-8, 0.0, 50, NULL, &report), 0);
      assert_in_range(report.iterations, 0, 14);
      grid_levels_apply(g, at, s.z, NULL, s.y);
      double rest = 0.0, size = 0.0;
      for (int32_t i = 0; i < n; i++) {
        if (type[i] != PERP_CELL_LIQUID || !s.is_free[i]) {
          assert_true(s.z[i] == 0.0);
          continue;
        }
        rest += (s.r[i] - s.y[i])*(s.r[i] - s.y[i]);
        size += s.r[i]*s.r[i];
      }
      assert_true(sqrt(rest) <= 1.1e-8*sqrt(size));
      // the diagonal is that of apply, row by row
      grid_levels_diagonal(g, at, s.y);
      for (int32_t i = 0; i < n && i < 40; i++) {
        memset(s.z, 0, (size_t)n*sizeof *s.z);
        s.z[i] = 1.0;
        grid_levels_apply(g, at, s.z, NULL, v);
        assert_true(fabs(v[i] - s.y[i]) <= 1e-12*s.y[i]);
      }
    }
    free(v);
    free(expected);
    grid_levels_destroy(g);
    levels_sample_free(&s);
  }
}

static void nothing(void **state) {
  (void)state;
  support_state = 11;
  for (int kind = 0; kind < 3; kind++) {               // no liquid, no free cell, one cell
    levels_sample s = kind == 2 ? levels_sample_new(1, 1, 1) : levels_sample_new(40, 30, 3);
    if (kind == 0) memset(s.type, PERP_CELL_SOLID, (size_t)s.n);
    grid_levels *g = levels_of(&s, NULL);
    memset(s.is_free, 0, (size_t)s.n);
    grid_levels_mask(g, 0, kind == 2 ? NULL : s.is_free);
    grid_levels_report report;
    s.z[0] = 1.0;
    assert_int_equal(grid_levels_solve(g, 0, s.r, s.z, 1e-8, 0.0, 50, NULL, &report), 0);
    for (int32_t i = 0; i < s.n; i++) assert_true(s.z[i] == 0.0);
    grid_levels_cycle(g, 0, s.r, s.z);
    for (int32_t i = 0; i < s.n; i++) assert_true(s.z[i] == 0.0);
    grid_levels_destroy(g);
    levels_sample_free(&s);
  }
}

static int passed(void *context) { return --*(int *)context < 0; }

static void memory_and_deadline(void **state) {
  (void)state;
  support_state = 12;
  levels_sample s = levels_sample_new(100, 100, 30);
  shape(&s, WAVES);
  int failed = 0;
  for (int64_t k = 1; k <= 3; k++) {
    counter c = {.fail_at = k};
    const perp_allocator allocator = {counted_allocate, counted_release, &c};
    grid_levels *g = grid_levels_create(&s.grid, NULL, &allocator, NULL, &failed);
    if (k < 3) {
      assert_null(g);
      assert_int_equal(failed, -2);
    } else {
      const int64_t requests = c.requests;
      grid_levels_mask(g, 0, s.is_free);
      solve(&s, g, 1e-6, 20);
      assert_true(c.requests == requests);             // nothing is allocated later
      assert_true((double)(sizeof *g + g->bytes) < 90.0*s.n);
    }
    grid_levels_destroy(g);
    assert_true(c.live == 0);
  }
  int looks = 0;
  const perp_deadline soon = {passed, &looks};
  assert_null(grid_levels_create(&s.grid, NULL, NULL, &soon, &failed));
  assert_int_equal(failed, -1);
  grid_levels *g = levels_of(&s, NULL);
  looks = 3;
  grid_levels_report report;
  assert_int_equal(grid_levels_solve(g, 0, s.r, s.z, 1e-8, 0.0, 50, &soon, &report), -1);
  assert_int_equal(report.iterations, 3);
  assert_true(true_residual(&s) < 0.05);
  grid_levels_destroy(g);
  levels_sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(products), cmocka_unit_test(symmetric), cmocka_unit_test(flat),
    cmocka_unit_test(hard), cmocka_unit_test(changes), cmocka_unit_test(threads),
    cmocka_unit_test(thick), cmocka_unit_test(closed), cmocka_unit_test(combs),
    cmocka_unit_test(ranges), cmocka_unit_test(levels), cmocka_unit_test(nothing),
    cmocka_unit_test(memory_and_deadline)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
