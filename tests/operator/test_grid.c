// test_grid.c: grids of cells as operators: products, entries and bounds are those of the matrix
// that perp.h describes, and what is no grid is refused with a message.
#include "grid_sample.h"

#include "assemble.h"
#include "operator.h"

static const int32_t shapes[][3] = {{1, 1, 1}, {1, 7, 1}, {9, 1, 1}, {2, 2, 1}, {17, 12, 1},
                                    {300, 5, 1}, {515, 3, 1}, {1, 1, 6}, {2, 3, 4}, {9, 8, 7},
                                    {260, 3, 2}, {4, 1, 5}};
#define SHAPES (sizeof shapes/sizeof *shapes)

// y = A x + b and |A||x| + |b| by the entries of the test, in long double
static void reference(const grid_sample *s, const double *x, long double *y, long double *a) {
  for (int32_t i = 0; i < s->n; i++) {
    y[i] = s->b[i];
    a[i] = fabsl((long double)s->b[i]);
  }
  for (int32_t j = 0; j < s->n; j++)
    for (int32_t p = s->colptr[j]; p < s->colptr[j + 1]; p++) {
      y[s->row[p]] += (long double)s->value[p]*x[j];
      a[s->row[p]] += fabsl((long double)s->value[p]*x[j]);
    }
}

static void products_are_those_of_the_matrix(void **state) {
  (void)state;
  for (size_t q = 0; q < SHAPES; q++)
    for (int trial = 0; trial < 4; trial++) {
      grid_sample s;
      grid_sample_random(&s, shapes[q][0], shapes[q][1], shapes[q][2],
                         trial == 0 ? 1.0 : 0.7);
      const size_t n = (size_t)s.n;
      double *y = grid_room(n, sizeof *y), *z = grid_room(n, sizeof *z);
      double *a = grid_room(n, sizeof *a);
      long double *exact = grid_room(n, sizeof *exact), *size = grid_room(n, sizeof *size);
      for (int32_t i = 0; i < s.n; i++) s.x[i] = between(-1.0, 1.0)*pow(10.0, whole(-3, 3));
      const perp_operator *A = &s.problem.A;
      assert_int_equal(A->n, s.n);
      assert_int_equal(A->ops->residual(A->self, s.x, s.b, y, a, NULL), 0);
      reference(&s, s.x, exact, size);
      for (int32_t i = 0; i < s.n; i++) {   // entries are rounded once or twice there and here
        assert_true(fabsl(y[i] - exact[i]) <= 8.0L*0x1p-53L*size[i]);
        assert_true(a[i] >= (double)(size[i]*(1.0L - 0x1p-45L)));
        assert_true(a[i] <= (double)(size[i]*(1.0L + 0x1p-45L)));
      }
      assert_int_equal(A->ops->apply(A->self, s.x, z, NULL), 0);
      A->ops->diagonal(A->self, a);
      for (int32_t i = 0; i < s.n; i++) {
        assert_true(fabsl(z[i] + s.b[i] - exact[i]) <= 16.0L*0x1p-53L*size[i]);
        for (int32_t p = s.colptr[i]; p < s.colptr[i + 1]; p++)
          if (s.row[p] == i) assert_true(fabs(a[i] - s.value[p]) <= 8.0*0x1p-53*s.value[p]);
      }
      free(y);
      free(z);
      free(a);
      free(exact);
      free(size);
      grid_sample_free(&s);
    }
}

static void entries_are_those_of_the_matrix(void **state) {
  (void)state;
  for (size_t q = 0; q < SHAPES; q++) {
    grid_sample s;
    grid_sample_random(&s, shapes[q][0], shapes[q][1], shapes[q][2], 0.7);
    perp_csc C;
    assert_int_equal(assemble_csc(&s.problem.A, 1, NULL, &C), 0);
    assert_int_equal(C.colptr[s.n], s.colptr[s.n]);
    for (int32_t p = 0; p < s.colptr[s.n]; p++) {
      assert_int_equal(C.row[p], s.row[p]);
      assert_true(fabs(C.value[p] - s.value[p]) <= 8.0*0x1p-53*fabs(s.value[p]));
    }
    assembled_free(NULL, &C);
    int32_t set[40], m = 0;
    for (int32_t i = whole(0, 3); i < s.n && m < 40; i += whole(1, 3)) set[m++] = i;
    double S[40*40];
    s.problem.A.ops->submatrix(s.problem.A.self, set, m, S);
    for (int32_t i = 0; i < m; i++)
      for (int32_t j = 0; j < m; j++)
        assert_true(fabs(S[i*m + j] - csc_entry(&s.csc, set[i], set[j])) <= 1e-14*fabs(S[i*m + j]));
    grid_sample_free(&s);
  }
}

// Nothing leaks from a closed container, to the last bit, whatever the weights are.
static void constants_are_exactly_in_the_null_space(void **state) {
  (void)state;
  grid_sample s;
  grid_sample_random(&s, 13, 11, 5, 1.0);
  double y[13*11*5], a[13*11*5];
  for (int32_t i = 0; i < s.n; i++) {
    s.x[i] = 1.0/3.0;
    s.b[i] = 0.0;
  }
  const perp_operator *A = &s.problem.A;
  A->ops->apply(A->self, s.x, y, NULL);
  for (int32_t i = 0; i < s.n; i++) assert_true(y[i] == 0.0);
  A->ops->residual(A->self, s.x, s.b, y, a, NULL);
  for (int32_t i = 0; i < s.n; i++) assert_true(y[i] == 0.0);
  grid_sample_free(&s);
}

// y = A x + b as if in twice the precision: what x_h - x_l loses to rounding is not lost.
static void residuals_keep_what_differences_lose(void **state) {
  (void)state;
  enum { N = 19 };
  uint8_t type[N];
  double x[N], b[N], y[N], a[N];
  memset(type, PERP_CELL_LIQUID, sizeof type);
  const perp_grid g = {.cells = {N, 1, 1}, .spacing = {1.0, 1.0, 1.0}, .type = type};
  const perp_operator A = perp_from_grid(&g, 0);
  for (int large = 0; large < 2; large++) {   // every second cell
    for (int i = 0; i < N; i++) {
      const int sides = (i > 0) + (i < N - 1);
      x[i] = i%2 == large ? 1.0 : ldexp(1.0 + i, -80);
      b[i] = i%2 == large ? -sides : sides;
    }
    assert_int_equal(A.ops->residual(A.self, x, b, y, a, NULL), 0);
    for (int i = 0; i < N; i++) {
      double left = 0.0;               // after the ones are gone
      for (int side = -1; side <= 1; side += 2)
        if (i + side >= 0 && i + side < N)
          left += i%2 == large ? -x[i + side] : x[i];
      assert_true(fabs(y[i] - left) <= 1e-12*fabs(left));
    }
  }
}

static void arrays_that_are_null_mean_ones(void **state) {
  (void)state;
  grid_sample s = grid_sample_new(270, 4, 3);
  for (int32_t h = 0; h < s.n; h++) s.type[h] = (uint8_t)whole(0, 2);
  s.grid.spacing[1] = 0.25;
  grid_sample_matrix(&s);
  perp_grid bare = s.grid;
  for (int d = 0; d < 3; d++) bare.face[d] = NULL;
  const perp_operator A = perp_from_grid(&bare, PERP_CLAIM_NONE);
  double *y = grid_room((size_t)s.n, sizeof *y), *z = grid_room((size_t)s.n, sizeof *z);
  for (int32_t i = 0; i < s.n; i++) s.x[i] = between(-1.0, 1.0);
  A.ops->apply(A.self, s.x, y, NULL);
  s.problem.A.ops->apply(s.problem.A.self, s.x, z, NULL);
  assert_memory_equal(y, z, (size_t)s.n*sizeof *y);
  free(y);
  free(z);
  grid_sample_free(&s);
}

// A 6 x 5 tank of liquid with a solid cell in it, air on top, and a face cut by a solid.
static void bounds_follow_the_walls(void **state) {
  (void)state;
  grid_sample s = grid_sample_new(6, 5, 1);
  double lo[30], hi[30];
  for (int32_t i = 0; i < 6; i++) s.type[24 + i] = PERP_CELL_AIR;
  s.type[1*6 + 4] = PERP_CELL_SOLID;
  s.face[1][3*6 + 2] = 0.5;                              // between (2, 2) and (2, 3)
  for (int32_t i = 0; i < 6; i++) s.face[1][4*6 + i] = 0.3;   // towards air: says nothing of walls
  static const char expected[5][7] = {"wwwwww", "weew.w", "weweww", "weweew", "......"};
  assert_int_equal(perp_grid_bounds(&s.grid, 0, lo, hi), PERP_OK);
  for (int32_t h = 0; h < 30; h++) {
    const char is = expected[h/6][h % 6];
    assert_true(hi[h] == (is == '.' ? 0.0 : INF));
    assert_true(lo[h] == (is == 'e' ? -INF : 0.0));
  }
  assert_int_equal(perp_grid_bounds(&s.grid, 1, lo, hi), PERP_OK);
  for (int32_t h = 0; h < 30; h++) {
    assert_true(lo[h] == 0.0);
    assert_true(hi[h] == (s.type[h] == PERP_CELL_LIQUID ? INF : 0.0));
  }
  grid_sample_free(&s);
}

// The sentence in perp.h, cell by cell.
static void bounds_are_those_of_the_sentence(void **state) {
  (void)state;
  for (size_t q = 0; q < SHAPES; q++) {
    grid_sample s;
    grid_sample_random(&s, shapes[q][0], shapes[q][1], shapes[q][2], 0.85);
    assert_int_equal(perp_grid_bounds(&s.grid, 0, s.lo, s.hi), PERP_OK);
    for (int32_t h = 0; h < s.n; h++) {
      int wall = 0;
      for (int d = 0; d < (s.grid.cells[2] > 1 ? 3 : 2); d++)
        for (int up = 0; up < 2; up++) {
          int32_t l;
          const double w = grid_sample_weight(&s, h, d, up, &l)*s.grid.spacing[d]*s.grid.spacing[d];
          wall |= l < 0 || s.type[l] == PERP_CELL_SOLID ||
                  (s.type[l] == PERP_CELL_LIQUID && w < 1.0 - 1e-12);
        }
      const int liquid = s.type[h] == PERP_CELL_LIQUID;
      assert_true(s.hi[h] == (liquid ? INF : 0.0));
      assert_true(s.lo[h] == (liquid && !wall ? -INF : 0.0));
    }
    grid_sample_free(&s);
  }
}

static void refused(const perp_grid *g, const char *what) {
  static const double zero[64] = {0.0};
  const perp_problem p = {.A = perp_from_grid(g, PERP_CLAIM_NONE), .b = zero};
  double lo[64], hi[64];
  assert_int_equal(perp_validate(&p), PERP_ERROR_PROBLEM);
  if (strstr(perp_last_message(), what) == NULL) fail_msg("%s: %s", what, perp_last_message());
  assert_int_equal(perp_grid_bounds(g, 0, lo, hi), PERP_ERROR_PROBLEM);
  perp_options o = perp_default_options(NULL);
  perp_result r;
  double x[64] = {0.0};
  assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_ERROR_PROBLEM);
}

static void what_is_no_grid_is_refused(void **state) {
  (void)state;
  grid_sample s = grid_sample_new(4, 3, 2);
  perp_grid g = s.grid;
  g.cells[1] = 0;
  refused(&g, "cells[1] = 0 < 1");
  g.cells[1] = -2;
  refused(&g, "cells[1] = -2 < 1");
  g = s.grid;
  g.cells[0] = g.cells[1] = 100000;
  refused(&g, "100000 x 100000 x 2 cells are more than");
  g = s.grid;
  g.spacing[2] = 0.0;
  refused(&g, "spacing[2] = 0");
  g.spacing[2] = (double)NAN;
  refused(&g, "spacing[2] = ");
  g.spacing[2] = 1e-200;
  refused(&g, "spacing[2] = 1e-200");
  g.spacing[2] = 1e200;
  refused(&g, "spacing[2] = 1e+200");
  g = s.grid;
  g.type = NULL;
  refused(&g, "type is NULL");
  s.type[7] = 3;
  refused(&s.grid, "type[7] = 3");
  s.type[7] = 1;
  s.face[1][5] = -0.25;
  refused(&s.grid, "face[1][5] = -0.25 is outside [0, inf)");
  s.face[1][5] = (double)NAN;
  refused(&s.grid, "face[1][5] = ");
  s.face[1][5] = INF;
  refused(&s.grid, "face[1][5] = inf");
  s.face[1][5] = 1e308;
  refused(&s.grid, "face[1] = 1e+308");
  assert_int_equal(perp_grid_bounds(NULL, 0, s.lo, s.hi), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_grid_bounds(&s.grid, 0, NULL, s.hi), PERP_ERROR_ARGUMENT);
  grid_sample_free(&s);
}

// A direction with one cell has no faces between cells: its spacing and weights are not looked at.
static void the_plane_needs_no_third_spacing(void **state) {
  (void)state;
  grid_sample s = grid_sample_new(4, 3, 1);
  s.grid.spacing[2] = 0.0;
  s.grid.face[2] = NULL;
  grid_sample_matrix(&s);
  assert_int_equal(perp_validate(&s.problem), PERP_OK);
  grid_sample_free(&s);
}

static void expect(const perp_classes *c, perp_class which, perp_verdict verdict) {
  if (c->of[which].verdict != verdict)
    fail_msg("%s: %d, not %d: %s", perp_class_name(which), c->of[which].verdict, verdict,
             c->of[which].reason);
}

// The classes of a grid are those that are found in the entries of its matrix, where these decide.
static void classes_are_those_of_the_matrix(void **state) {
  (void)state;
  int decided = 0;
  for (int trial = 0; trial < 60; trial++) {
    grid_sample s;
    const int line = trial % 7 == 0;
    grid_sample_random(&s, line ? 14 : 6, line ? 1 : 5, trial % 3 == 0 && !line ? 3 : 1,
                       trial % 4 == 0 ? 0.97 : 0.6);
    for (int d = 0; d < 3; d++) s.grid.spacing[d] = 0.5;   // sums of entries are exact then
    for (int d = 0; d < 3; d++) {
      const int32_t along = s.grid.cells[d], faces = s.n/along*(along + 1);
      for (int32_t f = 0; f < faces; f++) s.face[d][f] = floor(4.0*s.face[d][f])/4.0;
    }
    grid_sample_matrix(&s);
    perp_classes a, b;
    assert_int_equal(perp_classify(&s.problem, NULL, &a), PERP_OK);
    assert_int_equal(perp_classify(&s.matrix, NULL, &b), PERP_OK);
    assert_int_equal(a.components, b.components);
    for (int k = 0; k < PERP_CLASS_COUNT; k++) {
      if (b.of[k].verdict == PERP_UNKNOWN) continue;
      decided++;
      expect(&a, (perp_class)k, b.of[k].verdict);
    }
    grid_sample_free(&s);
  }
  assert_true(decided > 400);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(products_are_those_of_the_matrix),
    cmocka_unit_test(entries_are_those_of_the_matrix),
    cmocka_unit_test(constants_are_exactly_in_the_null_space),
    cmocka_unit_test(residuals_keep_what_differences_lose),
    cmocka_unit_test(arrays_that_are_null_mean_ones),
    cmocka_unit_test(bounds_follow_the_walls),
    cmocka_unit_test(bounds_are_those_of_the_sentence),
    cmocka_unit_test(what_is_no_grid_is_refused),
    cmocka_unit_test(classes_are_those_of_the_matrix),
    cmocka_unit_test(the_plane_needs_no_third_spacing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
