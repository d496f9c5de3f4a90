// levels_sample.h: grids of cells for tests, and their matrix from its definition in matrix.h.
#ifndef PERP_TEST_LEVELS_SAMPLE_H
#define PERP_TEST_LEVELS_SAMPLE_H

#include "support.h"

typedef struct levels_sample {
  perp_grid grid;
  int32_t n;
  uint8_t *type, *is_free;   // n; is_free: all, until a test says otherwise
  double *face[3];
  double *r, *z, *y;         // n
} levels_sample;

static inline levels_sample levels_sample_new(int32_t x, int32_t y, int32_t z) {
  levels_sample s = {.n = x*y*z};
  const size_t n = (size_t)s.n;
  s.type = malloc(n);
  s.is_free = malloc(n);
  s.r = calloc(n, sizeof(double));
  s.z = calloc(n, sizeof(double));
  s.y = calloc(n, sizeof(double));
  memset(s.type, PERP_CELL_LIQUID, n);
  memset(s.is_free, 1, n);
  s.grid = (perp_grid){.cells = {x, y, z}, .spacing = {1.0, 1.0, 1.0}, .type = s.type};
  for (size_t i = 0; i < n; i++) s.r[i] = between(-1.0, 1.0);
  return s;
}

static inline size_t levels_sample_faces(const levels_sample *s, int d) {
  size_t count = 1;
  for (int e = 0; e < 3; e++) count *= (size_t)s->grid.cells[e] + (e == d);
  return count;
}

static inline void levels_sample_add_faces(levels_sample *s) {   // all of weight 1
  for (int d = 0; d < 3; d++) {
    const size_t count = levels_sample_faces(s, d);
    s->face[d] = malloc(count*sizeof(double));
    for (size_t f = 0; f < count; f++) s->face[d][f] = 1.0;
    s->grid.face[d] = s->face[d];
  }
}

static inline void levels_sample_free(levels_sample *s) {
  free(s->type);
  free(s->is_free);
  free(s->r);
  free(s->z);
  free(s->y);
  for (int d = 0; d < 3; d++) free(s->face[d]);
}

// Neighbour `side` (0: lower, 1: upper) of cell i along d, -1: none; *w: the weight of that face.
static inline int32_t levels_sample_neighbour(const perp_grid *g, int32_t i, int d, int side,
                                            double *w) {
  const int32_t x = g->cells[0], y = g->cells[1];
  const int32_t at[3] = {i%x, i/x%y, i/x/y}, stride[3] = {1, x, x*y};
  if (side == 0 ? at[d] == 0 : at[d] + 1 >= g->cells[d]) return -1;
  int64_t line[3] = {at[0], at[1], at[2]}, size[2] = {x + (d == 0), y + (d == 1)};
  line[d] += side;
  const int64_t f = (line[2]*size[1] + line[1])*size[0] + line[0];
  *w = (g->face[d] != NULL ? g->face[d][f] : 1.0)/(g->spacing[d]*g->spacing[d]);
  return side == 0 ? i - stride[d] : i + stride[d];
}

// (A x)_i and A_ii
static inline double levels_sample_row(const perp_grid *g, int32_t i, const double *x,
                                     double *diagonal) {
  *diagonal = 1.0;
  if (g->type[i] != PERP_CELL_LIQUID) return x[i];
  double own = 0.0, others = 0.0;
  for (int d = 0; d < 3; d++)
    for (int side = 0; side < 2; side++) {
      double w;
      const int32_t j = levels_sample_neighbour(g, i, d, side, &w);
      if (j < 0 || g->type[j] == PERP_CELL_SOLID) continue;
      own += w;
      if (g->type[j] == PERP_CELL_LIQUID) others += w*x[j];
    }
  *diagonal = own;
  return own*x[i] - others;
}

#endif
