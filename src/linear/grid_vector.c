// grid_vector.c: the matrix of a level in double precision, sweeps with it, and vectors between levels.
#include <math.h>
#include <string.h>

#include "four.h"
#include "grid_parts.h"
#include "vector.h"

// One row of A: sum of w_f (x_i - x_j), x_j = 0 in air; *d: the diagonal.
static double cell_row(const grid_levels *g, const grid_level *l, int32_t i, int32_t j, int32_t k,
                       const double *x, double *d) {
  const int32_t at[3] = {i, j, k}, stride[3] = {1, l->side[0], l->side[0]*l->side[1]};
  const int32_t cell = grid_cell(l, i, j, k);
  double sum = 0.0, diagonal = 0.0;
  if (l != &g->at[0]) {
    diagonal = (double)l->leak[grid_split(l, i, j, k)]/g->scale;
    sum = diagonal*x[cell];
  }
  for (int32_t e = 0; e < 3; e++)
    for (int32_t side = -1; side <= 1; side += 2) {
      if (at[e] + side < 0 || at[e] + side >= l->side[e]) continue;
      const int32_t other = cell + side*stride[e], low = side < 0;
      const uint8_t type = l->type[other];
      if (type == PERP_CELL_SOLID || (type == PERP_CELL_AIR && l != &g->at[0])) continue;
      const int32_t a = i - (low && e == 0), b = j - (low && e == 1), c = k - (low && e == 2);
      const double w = l == &g->at[0] ? grid_face(g, e, a, b, c)
                     : (double)l->weight[e][grid_split(l, a, b, c)]/g->scale;
      sum += w*(type == PERP_CELL_LIQUID ? x[cell] - x[other] : x[cell]);
      diagonal += w;
    }
  *d = diagonal;
  return sum;
}

EXACT_INLINE four fall(const double *x, four own, ptrdiff_t stride) {
  return four_add(four_subtract(own, four_load(x - stride)), four_subtract(own, four_load(x + stride)));
}

// cells with weight 1 on all sides
EXACT_INLINE void even_block(const grid_level *l, const double unit[3], const double *x,
                             double *y) {
  const ptrdiff_t line = l->side[1] > 1 ? l->side[0] : 0, plane = line*l->side[1];
  for (int32_t t = 0; t < GRID_BLOCK; t += 4) {
    const four own = four_load(x + t);
    four sum = four_multiply(four_all(unit[0]), fall(x + t, own, 1));
    if (line > 0) sum = four_add(sum, four_multiply(four_all(unit[1]), fall(x + t, own, line)));
    if (l->deep) sum = four_add(sum, four_multiply(four_all(unit[2]), fall(x + t, own, plane)));
    four_store(y + t, sum);
  }
}

// The six sides of the cells of a line of level 0: what is beyond, and the weight of the face.
typedef struct sides {
  const uint8_t *type[6];    // NULL: the edge of the grid
  const double *face[6];     // NULL: 1
  ptrdiff_t stride[6];
  double unit[3];
} sides;

static sides sides_of(const grid_levels *g, const grid_level *l, int32_t j, int32_t k) {
  sides s = {0};
  const int32_t at[3] = {0, j, k};
  const ptrdiff_t stride[3] = {1, l->side[0], (ptrdiff_t)l->side[0]*l->side[1]};
  const uint8_t *type = l->type + grid_cell(l, 0, j, k);
  for (int32_t d = 0; d < 3; d++) {
    s.unit[d] = 1.0/(l->size[d]*l->size[d]);
    const size_t x = (size_t)l->side[0] + (d == 0), y = (size_t)l->side[1] + (d == 1);
    for (int32_t up = 0; up < 2; up++) {
      const int32_t q = 2*d + up;
      s.stride[q] = up ? stride[d] : -stride[d];
      if (d == 0 ? l->side[0] > 1 : up ? at[d] + 1 < l->side[d] : at[d] > 0)
        s.type[q] = type + s.stride[q];
      const double *face = g->grid.face[l->axis[d]];
      if (face != NULL)
        s.face[q] = face + (((size_t)k + (d == 2 && up))*y + (size_t)j + (d == 1 && up))*x +
                    (size_t)(d == 0 && up);
    }
  }
  return s;
}

// Row i of a line, x from its beginning on: sum of w_f (x_i - x_j), x_j = 0 in air.
EXACT_INLINE double side_row(const sides *s, int32_t i, int32_t length, const double *x) {
  double sum = 0.0;
  for (int32_t q = 0; q < 6; q++) {
    if (s->type[q] == NULL || (q == 0 && i == 0) || (q == 1 && i + 1 == length)) continue;
    const uint8_t type = s->type[q][i];
    if (type == PERP_CELL_SOLID) continue;
    const double w = s->face[q] != NULL ? s->face[q][i]*s->unit[q/2] : s->unit[q/2];
    sum += w*(type == PERP_CELL_LIQUID ? x[i] - x[i + s->stride[q]] : x[i]);
  }
  return sum;
}

EXACT_INLINE void multiply_line(const grid_levels *g, const grid_level *l, int32_t j, int32_t k,
                                const double *x, double *y) {
  const int32_t row = grid_cell(l, 0, j, k);
  const uint8_t *even = l->even + (size_t)grid_row(l, j, k)*(size_t)l->blocks;
  double d;
  if (l != &g->at[0]) {
    for (int32_t i = 0; i < l->side[0]; i++)
      y[i] = l->type[row + i] == PERP_CELL_LIQUID ? cell_row(g, l, i, j, k, x, &d) : x[row + i];
    return;
  }
  const sides s = sides_of(g, l, j, k);
  for (int32_t i = 0; i < l->side[0]; i += GRID_BLOCK) {
    const int32_t end = i + GRID_BLOCK < l->side[0] ? i + GRID_BLOCK : l->side[0];
    if (even[i/GRID_BLOCK] == 1) even_block(l, s.unit, x + row + i, y + i);
    else for (int32_t t = i; t < end; t++)
      y[t] = l->type[row + t] == PERP_CELL_LIQUID ? side_row(&s, t, l->side[0], x + row)
                                                  : x[row + t];
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
  grid_levels *own = (grid_levels *)(uintptr_t)g;    // it has threads and lines; nothing changes
  grid_pass_run(&(grid_pass){.g = own, .l = &own->at[level], .stage = stage, .stages = 1,
                             .from_z = x, .from_r = b, .to_z = y});
}

typedef struct lines_job {
  const grid_levels *g;
  const grid_level *l;
  int32_t tasks, colour, mean;
  const double *b, *lo, *hi, *from;
  double *x;
  const uint8_t *flags;
  uint8_t *into;
} lines_job;

static void lines_run(lines_job *w, void (*task)(void *data, int32_t index)) {
  const int32_t lines = w->l->side[1]*w->l->side[2];
  w->tasks = w->l->n < 8192 ? 1 : lines < 32 ? lines : 32;
  team_run(w->g->threads, task, w, w->tasks);
}
static int32_t first_line(const lines_job *w, int32_t index) {
  return (int32_t)((int64_t)w->l->side[1]*w->l->side[2]*index/w->tasks);
}

static void diagonal_lines(void *data, int32_t index) {
  const lines_job *w = data;
  const grid_level *l = w->l;
  for (int32_t c = first_line(w, index)*l->side[0]; c < first_line(w, index + 1)*l->side[0]; c++) {
    w->x[c] = 1.0;
    if (l->type[c] == PERP_CELL_LIQUID)
      cell_row(w->g, l, c%l->side[0], c/l->side[0]%l->side[1], c/l->side[0]/l->side[1], w->from,
               &w->x[c]);
  }
}

void grid_levels_diagonal(const grid_levels *g, int32_t level, double *d) {
  for (int32_t c = 0; c < g->at[level].n; c++) d[c] = 0.0;
  lines_run(&(lines_job){.g = g, .l = &g->at[level], .from = d, .x = d}, diagonal_lines);
}

static void sweep_lines(void *data, int32_t index) {
  const lines_job *w = data;
  const grid_level *l = w->l;
  const ptrdiff_t line = l->side[1] > 1 ? l->side[0] : 0, plane = l->deep ? line*l->side[1] : 0;
  double unit[3], sum = 0.0;
  for (int32_t d = 0; d < 3; d++) {
    unit[d] = l->side[d] > 1 ? 1.0/(l->size[d]*l->size[d]) : 0.0;
    sum += 2.0*unit[d];
  }
  for (int32_t at = first_line(w, index); at < first_line(w, index + 1); at++) {
    const int32_t j = at%l->side[1], k = at/l->side[1], row = at*l->side[0];
    const uint8_t *even = l->even + (size_t)grid_row(l, j, k)*(size_t)l->blocks;
    for (int32_t i = (j + k + w->colour) & 1; i < l->side[0]; i += 2) {
      const int32_t c = row + i;
      double *x = w->x + c, d = sum, y;
      if (l == &w->g->at[0] && even[i/GRID_BLOCK] == 1) {
        y = unit[0]*((*x - x[-1]) + (*x - x[1])) + unit[1]*((*x - x[-line]) + (*x - x[line])) +
            unit[2]*((*x - x[-plane]) + (*x - x[plane]));
      } else {
        if (l->type[c] != PERP_CELL_LIQUID) continue;
        y = cell_row(w->g, l, i, j, k, w->x, &d);
      }
      if (!(d > 0.0)) continue;
      double v = *x - (y + w->b[c])/d;
      if (w->hi != NULL) v = min2(w->hi[c], v);
      if (w->lo != NULL) v = max2(w->lo[c], v);
      *x = v;
    }
  }
}

void grid_levels_sweep(const grid_levels *g, int32_t level, int32_t sweeps, const double *b,
                       const double *lo, const double *hi, double *x) {
  for (int32_t half = 0; half < 2*sweeps; half++)
    lines_run(&(lines_job){.g = g, .l = &g->at[level], .colour = half%2, .b = b, .lo = lo,
                           .hi = hi, .x = x}, sweep_lines);
}

// Children of cell (x, y, z) of the next level.
static void children(const grid_level *f, const int32_t at[3], int32_t from[3], int32_t end[3]) {
  for (int32_t d = 0; d < 3; d++) {
    from[d] = at[d] << f->halved[d];
    end[d] = from[d] + 1 + f->halved[d] < f->side[d] ? from[d] + 1 + f->halved[d] : f->side[d];
  }
}

static void coarsen_lines(void *data, int32_t index) {
  const lines_job *w = data;
  const grid_level *c = w->l, *f = c - 1;
  for (int32_t line = first_line(w, index); line < first_line(w, index + 1); line++)
    for (int32_t i = 0; i < c->side[0]; i++) {
      const int32_t at[3] = {i, line%c->side[1], line/c->side[1]};
      int32_t from[3], end[3], count = 0;
      double sum = 0.0;
      uint8_t flags = 0;
      children(f, at, from, end);
      for (int32_t z = from[2]; z < end[2]; z++)
        for (int32_t y = from[1]; y < end[1]; y++)
          for (int32_t x = from[0]; x < end[0]; x++) {
            const int32_t cell = grid_cell(f, x, y, z);
            if (f->type[cell] != PERP_CELL_LIQUID) continue;
            count++;
            if (w->from != NULL) sum += w->from[cell];
            else flags |= w->flags[cell];
          }
      const int32_t to = line*c->side[0] + i;
      if (w->from == NULL) w->into[to] = flags;
      else w->x[to] = w->mean && count > 0 ? sum/count : sum;
    }
}

void grid_levels_coarsen(const grid_levels *g, int32_t level, int32_t mean, const double *v,
                         double *coarse) {
  lines_run(&(lines_job){.g = g, .l = &g->at[level + 1], .mean = mean, .from = v, .x = coarse},
            coarsen_lines);
}
void grid_levels_coarsen_flags(const grid_levels *g, int32_t level, const uint8_t *v,
                               uint8_t *coarse) {
  lines_run(&(lines_job){.g = g, .l = &g->at[level + 1], .flags = v, .into = coarse},
            coarsen_lines);
}

static void refine_lines(void *data, int32_t index) {
  const lines_job *w = data;
  const grid_level *f = w->l, *c = f + 1;
  for (int32_t line = first_line(w, index); line < first_line(w, index + 1); line++)
    for (int32_t i = 0; i < f->side[0]; i++) {
      const int32_t at[3] = {i, line%f->side[1], line/f->side[1]};
      const int32_t to = line*f->side[0] + i;
      w->x[to] = 0.0;
      if (f->type[to] != PERP_CELL_LIQUID) continue;
      const double own = w->from[grid_cell(c, i >> f->halved[0], at[1] >> f->halved[1],
                                           at[2] >> f->halved[2])];
      double sum = 0.0;
      for (int32_t corner = 0; corner < 8; corner++) {
        double weight = 1.0;
        int32_t other[3], inside = 1;
        for (int32_t d = 0; d < 3; d++) {
          const int32_t far = corner >> d & 1;
          other[d] = at[d] >> f->halved[d];
          if (!f->halved[d]) {
            weight *= far ? 0.0 : 1.0;
            continue;
          }
          weight *= far ? 0.25 : 0.75;
          if (far) other[d] += (at[d] & 1) ? 1 : -1;
          if (other[d] < 0 || other[d] >= c->side[d]) inside = 0;
        }
        if (weight == 0.0) continue;
        const int32_t from = inside ? grid_cell(c, other[0], other[1], other[2]) : -1;
        if (from < 0 || c->type[from] == PERP_CELL_SOLID) sum += weight*own;
        else if (c->type[from] == PERP_CELL_LIQUID) sum += weight*w->from[from];
      }
      w->x[to] = sum;
    }
}

void grid_levels_refine(const grid_levels *g, int32_t level, const double *coarse, double *v) {
  lines_run(&(lines_job){.g = g, .l = &g->at[level], .from = coarse, .x = v}, refine_lines);
}
