// grid_start.c: finds a first x, and where cells will be free, on coarser grids.
//
// On the finest grid the boundary of the free cells moves by about a cell per iteration. So x
// starts as x_0 + e. The problem of e,
//     e >= lo - x_0,  e <= hi - x_0,   A e + (A x_0 + b)  complementary,
// is coarsened: right-hand sides are summed, and the narrowest bounds of the children are taken. It
// is solved approximately on the coarsest grid. Then e is interpolated from grid to grid and
// improved by the active set (nested iteration). Coarse grids are cheap, and a wrong boundary costs
// a step per cell on the finer ones, so coarse grids are solved accurately and the grid next to the
// finest roughly; in two dimensions by a single step. Cost: a seventh (three dimensions) or a third
// (two) of the same number of steps on the finest grid.
#include <math.h>
#include <string.h>

#include "grid_stage.h"
#include "vector.h"

enum { LEVELS_MAX = 12,          // levels
       COARSE_CELLS_MIN = 64,    // cells: a smaller level is not coarsened further
       SETTLED_CELLS_MIN = 256,  // cells per label changed in the last step
       NEWTON_STEPS_MAX = 16 };  // Newton steps per level

// Residuals aimed at, relative to that of e = 0.
static const double coarse_residual_ratio = 1e-3;  // on coarse levels
static const double fine_residual_ratio = 3e-2;    // on the level next to the finest
static const double solve_residual = 0.1;          // relative residual of a linear solve

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

typedef struct zero {
  const grid_stage *s;
  grid_labels *parts;            // one per chunk
} zero;

// max |mid(D(e - hi), b, D(e - lo))| at e = 0. max |b| would be too large: a cell that stays at its
// bound may have b > 0 of any size.
static void zero_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const zero *z = data;
  const grid_stage *s = z->s;
  double most = 0.0;
  for (int32_t i = from; i < to; i++)
    if (s->unknown[i])
      most = max2(most, fabs(mid(-s->D[i]*s->hi[i], s->b[i], -s->D[i]*s->lo[i])));
  z->parts[part].residual = most;
}
static double residual_of_zero(const grid_solver *g, const grid_stage *s) {
  zero z = {s, g->parts};
  double most = 0.0;
  grid_for(g, s->n, zero_slice, &z);
  for (int32_t k = 0; k < grid_chunks(s->n); k++) most = max2(most, z.parts[k].residual);
  return most;
}

// Solves the problem of a level to the residual it needs, and until few labels change, because one
// cell with a large residual says little about the others. -1: no time.
static int improve(grid_solver *g, grid_stage *s, int32_t most) {
  const double wanted = (s->level > 1 ? coarse_residual_ratio : fine_residual_ratio)*
                        residual_of_zero(g, s);
  for (int32_t k = 0; k < most; k++) {
    const grid_labels labels = grid_label(g, s);
    if (labels.residual == 0.0) return 0;
    if (labels.residual <= wanted && labels.changed <= s->n/SETTLED_CELLS_MIN) return 0;
    grid_levels_report report;
    if (grid_newton(g, s, &labels, solve_residual, 0.1*wanted, 20, &report) != 0) return -1;
  }
  return 0;
}

int grid_start(grid_solver *g, grid_stage *s) {
  grid_stage at[LEVELS_MAX + 1] = {*s};
  const int32_t count = grid_levels_count(g->levels);
  int32_t last = 0;
  arena room = {(unsigned char *)s->y, (size_t)s->n*sizeof *s->y, 0};
  while (last + 1 < count && last < LEVELS_MAX && at[last].n > COARSE_CELLS_MIN) {
    grid_stage *fine = &at[last], *next = &at[last + 1];
    if (last == 0) grid_for(g, fine->n, lower_slice, fine);   // overwrites d with y
    if (!take(g, &room, next, last + 1)) return 0;
    double *b = next->x + 3*(size_t)next->n, *lo = b + next->n, *hi = lo + next->n;
    grid_levels_coarsen(g->levels, last, 0, last == 0 ? fine->d : fine->b, b);
    coarsen_bounds(g, fine, last == 0 ? fine->x : NULL, next, lo, hi);
    last++;
  }
  for (int32_t k = last; k > 0; k--) {
    grid_stage *here = &at[k];
    if (k == last) memset(here->x, 0, (size_t)here->n*sizeof *here->x);
    else grid_levels_refine(g->levels, k, at[k + 1].x, here->x);
    const int expensive = k == 1 && here->n >= s->n/4;   // two dimensions: more steps cost too much
    if (improve(g, here, expensive ? 1 : NEWTON_STEPS_MAX) != 0) return 1;   // no time: keep this x
  }
  if (last > 0) {
    grid_levels_refine(g->levels, 0, at[1].x, s->d);
    grid_for(g, s->n, lift_slice, s);
  }
  return 1;
}
