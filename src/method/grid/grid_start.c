// grid_start.c: finds a first x, and where cells will be free, on coarser grids.
//
// On the finest grid the boundary of the free cells moves by about a cell per iteration. So x
// starts as x_0 + e. The problem of e,
//     e >= lo - x_0,  e <= hi - x_0,   A e + (A x_0 + b)  complementary,
// is coarsened: right-hand sides are summed, and the narrowest bounds of the children are taken. From
// the coarsest grid on, e is interpolated from grid to grid and improved by steps of the active set
// (nested iteration). On the grid next to the finest one step is enough. On coarser grids steps are
// cheap, and they go on until no label changes.
// Cost: at most 0.27 (three dimensions) or 0.92 (two) of a step on the finest grid.
#include <math.h>
#include <string.h>

#include "grid_stage.h"
#include "multigrid.h"
#include "vector.h"

#define SOLVE_RESIDUAL 0.1   // relative residual of a linear solve

// Steps on a grid coarser than the one next to the finest. With 1, the Newton steps on the finest grid
// grow with the cells: liquids in which every cell may lose its pressure take 6, 8 and 11 with 64^2,
// 128^2 and 256^2 cells, instead of 5, 5 and 6.
enum { COARSE_STEPS_MAX = 8 };

// Takes memory from `room`, which is unused at this time, or allocates it.
static void *take_bytes(grid_solver *g, arena *room, size_t bytes) {
  void *memory = arena_take(room, bytes, 1);
  return memory != NULL ? memory : run_allocate(g->run, bytes);
}

static int take(grid_solver *g, arena *room, grid_stage *s, int32_t level) {
  int32_t cells[3];
  const int32_t n = grid_levels_shape(g->levels, level, cells);
  const size_t m = (size_t)n;
  double *memory = take_bytes(g, room, 7*m*sizeof *memory);
  *s = (grid_stage){.level = level, .n = n};
  s->is_free = memory != NULL ? take_bytes(g, room, 2*m) : NULL;
  if (s->is_free == NULL) return 0;
  s->unknown = s->is_free + m;
  s->D = memory;
  s->x = memory + m;
  s->y = memory + 2*m;
  s->d = memory + 3*m;
  s->b = memory + 4*m;
  s->lo = memory + 5*m;
  s->hi = memory + 6*m;
  grid_levels_diagonal(g->levels, level, s->D);
  const uint8_t *type = grid_levels_type(g->levels, level);
  for (int32_t i = 0; i < n; i++) {
    s->unknown[i] = type[i] == PERP_CELL_LIQUID && s->D[i] > 0.0;
    s->is_free[i] = s->unknown[i] ? GRID_UNLABELLED : 0;
  }
  return 1;
}

// Computes the bounds of e on the next coarser level: the narrowest of the children.
typedef struct narrowing {
  const grid_stage *s;
  const double *x;               // x on the level of s; NULL: 0
  double *lo, *hi;               // on the next level
  int32_t cells[3], coarse[3], halved[3];
} narrowing;

static void narrow_line(const narrowing *w, int32_t j, int32_t k, double *lo, double *hi) {
  const grid_stage *s = w->s;
  int32_t i = (k*w->cells[1] + j)*w->cells[0];
  for (int32_t h = 0; h < w->cells[0]; h++, i++) {
    if (!s->unknown[i]) continue;
    const int32_t c = h >> w->halved[0];
    const double at = w->x != NULL ? w->x[i] : 0.0, scale = grid_scale_of(s, i);
    lo[c] = max2(lo[c], scale*(s->lo[i] - at));
    hi[c] = min2(hi[c], scale*(s->hi[i] - at));
  }
}

static void narrow_lines(void *data, int32_t from, int32_t to) {   // lines of the next level
  const narrowing *w = data;
  for (int32_t line = from; line < to; line++) {
    const int32_t J = line%w->coarse[1], K = line/w->coarse[1];
    double *lo = w->lo + line*w->coarse[0], *hi = w->hi + line*w->coarse[0];
    for (int32_t c = 0; c < w->coarse[0]; c++) {
      lo[c] = -(double)INFINITY;
      hi[c] = (double)INFINITY;
    }
    for (int32_t k = K << w->halved[2]; k <= (K << w->halved[2]) + w->halved[2]; k++)
      for (int32_t j = J << w->halved[1]; j <= (J << w->halved[1]) + w->halved[1]; j++)
        if (j < w->cells[1] && k < w->cells[2]) narrow_line(w, j, k, lo, hi);
    for (int32_t c = 0; c < w->coarse[0]; c++) {   // x may be beyond its bounds
      lo[c] = min2(lo[c], 0.0);
      hi[c] = max2(hi[c], 0.0);
    }
  }
}

static void coarsen_bounds(const grid_solver *g, const grid_stage *s, const double *x,
                           const grid_stage *next, double *lo, double *hi) {
  narrowing w = {.s = s, .x = x, .lo = lo, .hi = hi};
  grid_levels_shape(g->levels, s->level, w.cells);
  grid_levels_shape(g->levels, next->level, w.coarse);
  grid_levels_halved(g->levels, s->level, w.halved);
  team_lines(g->run->threads, w.coarse[1]*w.coarse[2], s->n, narrow_lines, &w);
}

// lower_slice: d <- y of the finest stage in the units of its components. lift_slice: x += d.
static void lower_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const grid_stage *s = data;
  (void)part;
  for (int32_t i = from; i < to; i++) s->d[i] = grid_scale_of(s, i)*s->y[i];
}
static void lift_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const grid_stage *s = data;
  (void)part;
  for (int32_t i = from; i < to; i++)
    if (s->unknown[i]) s->x[i] += s->d[i]/grid_scale_of(s, i);
}

// Finds e of the level below `fine`, from the levels below that one. 1: success; 0: no memory, and
// the run has ended; -1: no time.
static int start_below(grid_solver *g, arena *room, grid_stage *fine, grid_stage *e) {
  grid_stage below;
  const int finest = fine->level == 0;
  if (finest) grid_for(g, fine->n, lower_slice, fine);   // overwrites d with y
  if (!take(g, room, e, fine->level + 1)) return 0;
  double *b = e->x + 3*(size_t)e->n, *lo = b + e->n, *hi = lo + e->n;
  grid_levels_coarsen(g->levels, fine->level, 0, finest ? fine->d : fine->b, b);
  coarsen_bounds(g, fine, finest ? fine->x : NULL, e, lo, hi);
  if (e->level + 1 < grid_levels_count(g->levels)) {
    const int code = start_below(g, room, e, &below);
    if (code != 1) return code;
    grid_levels_refine(g->levels, e->level, below.x, e->x);
  } else {
    memset(e->x, 0, (size_t)e->n*sizeof *e->x);
  }
  const int32_t most = e->level > 1 ? COARSE_STEPS_MAX : 1;
  for (int32_t steps = 0; steps < most; steps++) {
    grid_levels_report report;
    const grid_labels labels = grid_label(g, e);
    if (labels.residual == 0.0 || (steps > 0 && labels.changed == 0)) return 1;
    if (grid_newton(g, e, &labels, SOLVE_RESIDUAL, 0.0, MULTIGRID_CG_STEPS_MAX, &report) != 0)
      return -1;
  }
  return 1;
}

int grid_start(grid_solver *g, grid_stage *s) {
  grid_stage e;
  arena room = {(unsigned char *)s->y, (size_t)s->n*sizeof *s->y, 0};
  const int code = grid_levels_count(g->levels) > 1 ? start_below(g, &room, s, &e) : -1;
  if (code != 1) return code != 0;   // without time this x stays
  grid_levels_refine(g->levels, 0, e.x, s->d);
  grid_for(g, s->n, lift_slice, s);
  return 1;
}
