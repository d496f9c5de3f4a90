// grid_cycle.c: a multigrid cycle on the free cells of a grid, and the direct solve at its end.
//
// V(2,2): relax red, black, red, black; restrict the residual by the transpose of interpolation;
// solve on the next level; interpolate its answer; relax black, red, black, red. The reverse order
// makes the cycle symmetric. A colour that has just been relaxed has residual 0, and relaxing a
// colour overwrites its values. So only red cells restrict and are corrected. Interpolation is
// linear on the simplex of the parent and its neighbours on the cell's side: 1/4 from each
// neighbour and the rest from the parent. On all domains tried it takes as many cycles as
// multilinear interpolation with its 4 or 8 corners. It handles walls easily: a neighbour behind a
// wall gives nothing.
// Cost: two passes over each level (grid_pass.c). That is 25 to 30 bytes per cell on the finest level
// if weights are the same, else 8 + 8*dimensions more (bench/liquid/vcycle.c counts them).
#include <string.h>

#include "grid_parts.h"

// Factors the last level as L D L' in double precision; the diagonal is summed in double, too. A
// pivot that is rounding means a component without a leak: its last cell is held at 0.
void grid_factor(grid_levels *g) {
  const grid_level *l = &g->at[g->levels - 1];
  int32_t m = 0;
  double *A = g->factor;
  int32_t place[GRID_DIRECT_CELLS_MAX];
  for (int32_t cell = 0; cell < l->n; cell++) {
    place[cell] = -1;
    if (l->state[cell] != PERP_CELL_LIQUID) continue;
    const size_t at = grid_split(l, cell%l->side[0], cell/l->side[0]%l->side[1],
                                 cell/l->side[0]/l->side[1]);
    if (!(l->inverse[at] > 0.0F)) continue;
    place[cell] = m;
    g->dense_at[m++] = (int32_t)at;
  }
  g->dense = m;
  memset(A, 0, (size_t)(m*m)*sizeof *A);
  for (int32_t cell = 0; cell < l->n; cell++) {
    const int32_t at[3] = {cell%l->side[0], cell/l->side[0]%l->side[1], cell/l->side[0]/l->side[1]},
                  stride[3] = {1, l->side[0], l->side[0]*l->side[1]};
    const size_t mine = grid_split(l, at[0], at[1], at[2]);
    const int32_t a = place[cell];
    if (a >= 0) A[a*m + a] += (double)l->out[mine];
    for (int32_t d = 0; d < 3; d++) {
      if (at[d] + 1 >= l->side[d]) continue;
      const int32_t b = place[cell + stride[d]];
      const double w = (double)l->w[d][mine];
      if (a >= 0) A[a*m + a] += w;
      if (b >= 0) A[b*m + b] += w;
      if (a >= 0 && b >= 0) A[b*m + a] -= w;         // lower triangle: b > a
    }
  }
  for (int32_t i = 0; i < m; i++) {                  // by rows; the diagonal holds 1/D
    double pivot = A[i*m + i];
    const double floor = 1e-12*pivot;
    for (int32_t j = 0; j < i; j++) {
      double v = A[i*m + j];
      for (int32_t t = 0; t < j; t++) v -= A[i*m + t]*A[j*m + t];
      A[i*m + j] = v;
    }
    for (int32_t j = 0; j < i; j++) {
      const double v = A[i*m + j];
      A[i*m + j] = v*A[j*m + j];
      pivot -= v*v*A[j*m + j];
    }
    A[i*m + i] = pivot > floor ? 1.0/pivot : 0.0;
  }
}

static void solve_dense(grid_levels *g) {
  const grid_level *l = &g->at[g->levels - 1];
  const int32_t m = g->dense;
  double *v = g->right;
  for (int32_t i = 0; i < m; i++) {
    v[i] = (double)l->r[g->dense_at[i]];
    for (int32_t j = 0; j < i; j++) v[i] -= g->factor[i*m + j]*v[j];
  }
  for (int32_t i = m - 1; i >= 0; i--) {
    v[i] *= g->factor[i*m + i];
    for (int32_t j = i + 1; j < m; j++) v[i] -= g->factor[j*m + i]*v[j];
    l->z[g->dense_at[i]] = (float)v[i];
  }
}

void grid_cycle(grid_levels *g, int32_t from, int with_dots) {
  static const grid_stage down[] = {GRID_FIRST, GRID_BLACK, GRID_RED, GRID_BLACK, GRID_RESIDUAL},
                          up[] = {GRID_CORRECT, GRID_BLACK, GRID_RED, GRID_BLACK, GRID_RED,
                                  GRID_DOTS},
                          gather_stage[] = {GRID_GATHER}, whole_stage[] = {GRID_WHOLE};
  for (int32_t k = from; k + 1 < g->levels; k++) {
    grid_pass_run(&(grid_pass){.g = g, .l = &g->at[k], .stage = down, .stages = 5,
                               .wave = GRID_WAVE_DOWN});
    grid_pass_run(&(grid_pass){.g = g, .l = &g->at[k + 1], .stage = gather_stage, .stages = 1});
  }
  solve_dense(g);
  for (int32_t k = g->levels - 2; k >= from; k--) {
    grid_pass_run(&(grid_pass){.g = g, .l = &g->at[k + 1], .stage = whole_stage, .stages = 1});
    grid_pass_run(&(grid_pass){.g = g, .l = &g->at[k], .stage = up,
                               .wave = g->at[k].halved[0] ? GRID_WAVE_UP : GRID_NO_WAVE,
                               .stages = with_dots && k == from ? 6 : 5});
  }
  if (with_dots && from + 1 == g->levels)
    grid_pass_run(&(grid_pass){.g = g, .l = &g->at[from], .stage = up + 5, .stages = 1});
}
