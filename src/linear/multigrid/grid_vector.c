// grid_vector.c: products and sweeps with the matrix of a level in double precision, and transfers.
#include <math.h>
#include <string.h>

#include "four_doubles.h"
#include "grid.h"
#include "grid_parts.h"
#include "vector.h"

EXACT_INLINE four drops(const double *x, four own, ptrdiff_t stride) {
  return four_add(four_subtract(own, four_load(x - stride)),
                  four_subtract(own, four_load(x + stride)));
}

// The product for 16 cells with the same weights on all sides.
EXACT_INLINE void even_block(const grid_level *l, const double unit[3], const double *x,
                             double *y) {
  const ptrdiff_t line = l->side[1] > 1 ? l->side[0] : 0, plane = line*l->side[1];
  for (int32_t t = 0; t < GRID_BLOCK; t += 4) {
    const four own = four_load(x + t);
    four sum = four_multiply(four_all(unit[0]), drops(x + t, own, 1));
    if (line > 0) sum = four_add(sum, four_multiply(four_all(unit[1]), drops(x + t, own, line)));
    if (l->deep) sum = four_add(sum, four_multiply(four_all(unit[2]), drops(x + t, own, plane)));
    four_store(y + t, sum);
  }
}

// A line of a level and the six sides of its cells: the neighbours, and the weights of the faces.
typedef struct sides {
  int32_t length, fine, shift;   // fine = 1: level 0, whose weights belong to the caller
  double unit[3], scale;         // scale of the weights of other levels
  const uint8_t *own;            // types of the line
  ptrdiff_t stride[6];           // distance to the neighbour; 0: edge of the grid
  const double *face[6];         // level 0; NULL: 1
  const float *weight[2][6];     // other levels, by colour
  const float *leak[2];
} sides;

static sides sides_of(const grid_levels *g, const grid_level *l, int32_t j, int32_t k) {
  sides s = {.length = l->side[0], .fine = l == &g->at[0], .shift = (j + k) & 1,
             .scale = 1.0/g->scale, .own = l->type + grid_cell(l, 0, j, k)};
  const int32_t at[3] = {0, j, k};
  const ptrdiff_t stride[3] = {1, l->side[0], (ptrdiff_t)l->side[0]*l->side[1]};
  const size_t row = (size_t)grid_row(l, j, k)*(size_t)l->pitch;
  for (int32_t d = 0; d < 3; d++) {
    s.unit[d] = s.fine ? 1.0/(l->size[d]*l->size[d]) : (double)l->unit[d]*s.scale;
    const size_t x = (size_t)l->side[0] + (d == 0), y = (size_t)l->side[1] + (d == 1);
    for (int32_t up = 0; up < 2; up++) {
      const int32_t q = 2*d + up;
      if (d == 0 ? l->side[0] > 1 : up ? at[d] + 1 < l->side[d] : at[d] > 0)
        s.stride[q] = up ? stride[d] : -stride[d];
      const double *face = s.fine ? g->grid.face[l->axis[d]] : NULL;
      if (face != NULL)
        s.face[q] = face + (((size_t)k + (d == 2 && up))*y + (size_t)j + (d == 1 && up))*x +
                    (size_t)(d == 0 && up);
      for (int32_t colour = 0; colour < 2 && l->side[d] > 1; colour++) {
        const size_t mine = (size_t)colour*l->area + row,
                     other = (size_t)(1 - colour)*l->area + row;
        const ptrdiff_t back = d == 0 ? 1 - grid_shift(j, k, colour) : d == 1 ? l->pitch
                             : (ptrdiff_t)l->plane*l->pitch;
        s.weight[colour][q] = up ? l->weight[d] + mine : l->weight[d] + other - back;
        s.leak[colour] = l->leak + mine;
      }
    }
  }
  return s;
}

// The product of row i, a liquid cell: sum of w_f (x_i - x_j), x_j = 0 in air. x starts at the
// beginning of the line. *d: the diagonal.
EXACT_INLINE double row_times(const sides *s, int32_t i, const double *x, double *d) {
  double sum = 0.0, diagonal = 0.0;
  const int32_t colour = (i + s->shift) & 1, m = i >> 1;
  if (!s->fine && s->leak[colour] != NULL) {
    diagonal = s->scale*(double)s->leak[colour][m];
    sum = diagonal*x[i];
  }
  for (int32_t q = 0; q < 6; q++) {
    if (s->stride[q] == 0 || (q == 0 && i == 0) || (q == 1 && i + 1 == s->length)) continue;
    const uint8_t type = s->own[i + s->stride[q]];
    if (type == PERP_CELL_SOLID || (type == PERP_CELL_AIR && !s->fine)) continue;
    const double w = !s->fine ? s->scale*(double)s->weight[colour][q][m]
                   : s->face[q] != NULL ? s->face[q][i]*s->unit[q/2] : s->unit[q/2];
    sum += w*(type == PERP_CELL_LIQUID ? x[i] - x[i + s->stride[q]] : x[i]);
    diagonal += w;
  }
  *d = diagonal;
  return sum;
}

// Returns 1 if it multiplied by the caller's grid, which is faster if most blocks are not even.
static int multiply_stretch(const grid_levels *g, const grid_level *l, const uint8_t *even,
                            int32_t cell, const double *x, double *y) {
  if (l != &g->at[0] || g->grid.cells[0] != l->side[0]) return 0;
  int32_t own = 0;
  for (int32_t b = 0; b < l->blocks; b++) own += even[b] != 1;
  if (2*own < l->blocks) return 0;
  for (int32_t i = 0; i < l->side[0];)
    i += grid_product_from(&g->grid, grid_place_of(&g->grid, cell + i), x, y + i);
  return 1;
}

EXACT_INLINE void multiply_line(const grid_levels *g, const grid_level *l, int32_t j, int32_t k,
                                const double *x, double *y) {
  const uint8_t *even = l->even + (size_t)grid_row(l, j, k)*(size_t)l->blocks;
  if (multiply_stretch(g, l, even, grid_cell(l, 0, j, k), x, y)) return;
  const sides s = sides_of(g, l, j, k);
  double d;
  x += grid_cell(l, 0, j, k);
  for (int32_t i = 0; i < l->side[0]; i += GRID_BLOCK) {
    const int32_t end = i + GRID_BLOCK < l->side[0] ? i + GRID_BLOCK : l->side[0];
    if (even[i/GRID_BLOCK] == 1) even_block(l, s.unit, x + i, y + i);
    else for (int32_t t = i; t < end; t++)
      y[t] = s.own[t] == PERP_CELL_LIQUID ? row_times(&s, t, x, &d) : x[t];
  }
}
static FOUR_TARGET void multiply_wide(const grid_levels *g, const grid_level *l, int32_t j,
                                      int32_t k, const double *x, double *y) {
  multiply_line(g, l, j, k, x, y);
}
static void multiply_narrow(const grid_levels *g, const grid_level *l, int32_t j, int32_t k,
                            const double *x, double *y) {
  multiply_line(g, l, j, k, x, y);
}
void grid_multiply_line(const grid_levels *g, const grid_level *l, int32_t j, int32_t k,
                        const double *x, double *y) {
  if (FOUR_HAS_TARGET()) multiply_wide(g, l, j, k, x, y);
  else multiply_narrow(g, l, j, k, x, y);
}

void grid_levels_apply(const grid_levels *g, int32_t level, const double *x, const double *b,
                       double *y) {
  static const grid_stage stage[] = {GRID_MULTIPLY};
  // The pass uses the threads and work lines of g and changes nothing else in it.
  grid_levels *own = (grid_levels *)(uintptr_t)g;
  grid_pass_run(&(grid_pass){.g = own, .l = &own->at[level], .stage = stage, .stages = 1,
                             .from_z = x, .from_r = b, .to_z = y});
}

typedef struct lines_job {
  const grid_levels *g;
  const grid_level *l;
  int32_t colour, mean;
  const double *b, *lo, *hi, *from;
  double *x;
} lines_job;

static void lines_run(lines_job *w, team_ranged task) {
  team_lines(w->g->threads, w->l->side[1]*w->l->side[2], w->l->n, task, w);
}

static void diagonal_lines(void *data, int32_t from, int32_t to) {
  const lines_job *w = data;
  const grid_level *l = w->l;
  for (int32_t line = from; line < to; line++) {
    const sides s = sides_of(w->g, l, line%l->side[1], line/l->side[1]);
    const size_t row = (size_t)line*(size_t)l->side[0];
    double *d = w->x + row;
    for (int32_t i = 0; i < l->side[0]; i++) {
      d[i] = 1.0;
      if (s.own[i] == PERP_CELL_LIQUID) row_times(&s, i, w->from + row, &d[i]);
    }
  }
}

void grid_levels_diagonal(const grid_levels *g, int32_t level, double *d) {
  for (int32_t c = 0; c < g->at[level].n; c++) d[c] = 0.0;
  lines_run(&(lines_job){.g = g, .l = &g->at[level], .from = d, .x = d}, diagonal_lines);
}

static void sweep_lines(void *data, int32_t from, int32_t to) {
  const lines_job *w = data;
  const grid_level *l = w->l;
  const ptrdiff_t line = l->side[1] > 1 ? l->side[0] : 0, plane = l->deep ? line*l->side[1] : 0;
  for (int32_t at = from; at < to; at++) {
    const int32_t j = at%l->side[1], k = at/l->side[1], row = at*l->side[0];
    const uint8_t *even = l->even + (size_t)grid_row(l, j, k)*(size_t)l->blocks;
    const sides s = sides_of(w->g, l, j, k);
    double unit[3], centre = 0.0;
    for (int32_t d = 0; d < 3; d++) {
      unit[d] = l->side[d] > 1 ? s.unit[d] : 0.0;
      centre += 2.0*unit[d];
    }
    for (int32_t i = (j + k + w->colour) & 1; i < l->side[0]; i += 2) {
      const int32_t c = row + i;
      double *x = w->x + c, d = centre, y;
      if (even[i/GRID_BLOCK] == 1) {
        y = unit[0]*((*x - x[-1]) + (*x - x[1])) + unit[1]*((*x - x[-line]) + (*x - x[line])) +
            unit[2]*((*x - x[-plane]) + (*x - x[plane]));
      } else {
        if (s.own[i] != PERP_CELL_LIQUID) continue;
        y = row_times(&s, i, w->x + row, &d);
      }
      if (!(d > 0.0)) continue;
      double v = *x - (y + w->b[c])/d;
      if (w->hi != NULL) v = min2(w->hi[c], v);
      if (w->lo != NULL) v = max2(w->lo[c], v);
      *x = v;
    }
  }
}

void grid_levels_sweep(const grid_levels *g, int32_t level, const double *b, const double *lo,
                       const double *hi, double *x) {
  for (int32_t colour = 0; colour < 2; colour++)
    lines_run(&(lines_job){.g = g, .l = &g->at[level], .colour = colour, .b = b, .lo = lo,
                           .hi = hi, .x = x}, sweep_lines);
}

// The children of cell (x, y, z) of the next level.
static void children(const grid_level *f, const int32_t at[3], int32_t from[3], int32_t end[3]) {
  for (int32_t d = 0; d < 3; d++) {
    from[d] = at[d] << f->halved[d];
    end[d] = from[d] + 1 + f->halved[d] < f->side[d] ? from[d] + 1 + f->halved[d] : f->side[d];
  }
}

static void coarsen_lines(void *data, int32_t from, int32_t to) {
  const lines_job *w = data;
  const grid_level *c = w->l, *f = c - 1;
  for (int32_t line = from; line < to; line++)
    for (int32_t i = 0; i < c->side[0]; i++) {
      const int32_t at[3] = {i, line%c->side[1], line/c->side[1]};
      int32_t first[3], end[3], count = 0;
      double sum = 0.0;
      children(f, at, first, end);
      for (int32_t z = first[2]; z < end[2]; z++)
        for (int32_t y = first[1]; y < end[1]; y++)
          for (int32_t x = first[0]; x < end[0]; x++) {
            const int32_t cell = grid_cell(f, x, y, z);
            if (f->type[cell] != PERP_CELL_LIQUID) continue;
            count++;
            sum += w->from[cell];
          }
      w->x[line*c->side[0] + i] = w->mean && count > 0 ? sum/count : sum;
    }
}

void grid_levels_coarsen(const grid_levels *g, int32_t level, int32_t mean, const double *v,
                         double *coarse) {
  lines_run(&(lines_job){.g = g, .l = &g->at[level + 1], .mean = mean, .from = v, .x = coarse},
            coarsen_lines);
}

static double value_at(const grid_level *l, const double *v, int32_t cell) {
  return l->type[cell] == PERP_CELL_LIQUID ? v[cell] : 0.0;
}

// Interpolates as the cycle does: in each direction, a quarter of the way from the parent's value
// to the value of the parent's neighbour on the cell's side.
static void refine_lines(void *data, int32_t from, int32_t to) {
  const lines_job *w = data;
  const grid_level *f = w->l, *c = f + 1;
  for (int32_t line = from; line < to; line++) {
    const int32_t at[3] = {0, line%f->side[1], line/f->side[1]};
    const int32_t J = at[1] >> f->halved[1], K = at[2] >> f->halved[2],
                  row = grid_cell(c, 0, J, K);
    const ptrdiff_t stride[3] = {1, c->side[0], (ptrdiff_t)c->side[0]*c->side[1]};
    const float *tie[3] = {NULL, NULL, NULL};
    ptrdiff_t towards[3] = {0, 0, 0};
    for (int32_t d = 1; d < 3; d++) {
      const int32_t mine = d == 1 ? J : K, by = (at[d] & 1) ? 1 : -1;
      if (!f->halved[d] || mine + by < 0 || mine + by >= c->side[d]) continue;
      towards[d] = by*stride[d];
      tie[d] = f->tie[d] + grid_whole(f, J - (d == 1 && by < 0), K - (d == 2 && by < 0));
    }
    for (int32_t i = 0; i < f->side[0]; i++) {
      const int32_t cell = line*f->side[0] + i, I = i >> f->halved[0], up = row + I;
      w->x[cell] = 0.0;
      if (f->type[cell] != PERP_CELL_LIQUID) continue;
      const double own = w->from[up];
      double sum = own;
      if (f->halved[0]) {
        const int32_t by = (i & 1) ? 1 : -1;
        if (I + by >= 0 && I + by < c->side[0])
          sum += (double)f->tie[0][grid_whole(f, J, K) + (size_t)(by < 0 ? I - 1 : I)]*
                 (value_at(c, w->from, up + by) - own);
      }
      for (int32_t d = 1; d < 3; d++)
        if (tie[d] != NULL)
          sum += (double)tie[d][I]*(value_at(c, w->from, up + (int32_t)towards[d]) - own);
      w->x[cell] = sum;
    }
  }
}

void grid_levels_refine(const grid_levels *g, int32_t level, const double *coarse, double *v) {
  lines_run(&(lines_job){.g = g, .l = &g->at[level], .from = coarse, .x = v}, refine_lines);
}
