// grid_sample.h: grids of cells for the tests, and their matrices by columns, built here from the
// definition in matrix.h and not by the library.
#ifndef PERP_TEST_GRID_SAMPLE_H
#define PERP_TEST_GRID_SAMPLE_H

#include "support.h"

typedef struct grid_sample {
  perp_grid grid;
  int32_t n;
  uint8_t *type;               // n
  double *face[3];
  int32_t *colptr, *row;       // the matrix by columns
  double *value;
  perp_csc csc;
  double *b, *lo, *hi, *x;     // n
  perp_problem problem, matrix;   // the same one as a grid and by columns
} grid_sample;

static inline void *grid_room(size_t count, size_t size) {
  void *memory = calloc(count, size);
  assert_non_null(memory);
  return memory;
}

// All liquid, weights 1, b = 0, plain complementarity: to be changed before grid_sample_matrix(),
// after which the sample must stay where it is.
static inline grid_sample grid_sample_new(int32_t nx, int32_t ny, int32_t nz) {
  const int32_t cells[3] = {nx, ny, nz};
  grid_sample s = {.grid = {.cells = {nx, ny, nz}, .spacing = {1.0, 1.0, 1.0}}, .n = nx*ny*nz};
  const size_t n = (size_t)s.n;
  s.grid.type = s.type = grid_room(n, 1);
  memset(s.type, PERP_CELL_LIQUID, n);
  for (int d = 0; d < 3; d++) {
    size_t count = 1;
    for (int e = 0; e < 3; e++) count *= (size_t)(cells[e] + (e == d));
    s.grid.face[d] = s.face[d] = grid_room(count, sizeof(double));
    for (size_t f = 0; f < count; f++) s.face[d][f] = 1.0;
  }
  s.colptr = grid_room(n + 1, sizeof(int32_t));
  s.row = grid_room(7*n, sizeof(int32_t));
  s.value = grid_room(7*n, sizeof(double));
  s.b = grid_room(n, sizeof(double));
  s.lo = grid_room(n, sizeof(double));
  s.hi = grid_room(n, sizeof(double));
  s.x = grid_room(n, sizeof(double));
  for (size_t h = 0; h < n; h++) s.hi[h] = INF;
  return s;
}

// The entry of the face between cell h at (at) and its neighbour along d; *l: that one, -1: none
static inline double grid_sample_weight(const grid_sample *s, int32_t h, int d, int up,
                                        int32_t *l) {
  const int32_t nx = s->grid.cells[0], ny = s->grid.cells[1];
  int32_t face[3] = {h % nx, h/nx % ny, h/nx/ny};
  face[d] += up;
  *l = -1;
  if (face[d] == 0 || face[d] == s->grid.cells[d]) return 0.0;
  *l = h + (up ? 1 : -1)*(d == 0 ? 1 : d == 1 ? nx : nx*ny);
  const int32_t f = (face[2]*(ny + (d == 1)) + face[1])*(nx + (d == 0)) + face[0];
  return s->face[d][f]/(s->grid.spacing[d]*s->grid.spacing[d]);
}

static inline void grid_sample_matrix(grid_sample *s) {
  int32_t count = 0;
  for (int32_t h = 0; h < s->n; h++) {
    s->colptr[h] = count;
    int32_t diagonal = -1;
    double sum = 0.0;
    for (int q = -3; q <= 3; q++) {   // -z, -y, -x, diagonal, +x, +y, +z
      if (q == 0) {
        diagonal = count;
        s->row[count++] = h;
        continue;
      }
      if (s->type[h] != PERP_CELL_LIQUID) continue;
      int32_t l;
      const double w = grid_sample_weight(s, h, abs(q) - 1, q > 0, &l);
      if (l < 0 || s->type[l] == PERP_CELL_SOLID) continue;
      sum += w;
      if (s->type[l] != PERP_CELL_LIQUID || w == 0.0) continue;
      s->row[count] = l;
      s->value[count++] = -w;
    }
    s->value[diagonal] = s->type[h] == PERP_CELL_LIQUID ? sum : 1.0;
  }
  s->colptr[s->n] = count;
  s->csc = (perp_csc){s->n, s->n, s->colptr, s->row, s->value};
  s->problem = (perp_problem){.A = perp_from_grid(&s->grid, PERP_CLAIM_NONE), .b = s->b,
                              .lo = s->lo, .hi = s->hi};
  s->matrix = s->problem;
  s->matrix.A = perp_from_csc(&s->csc, PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD | PERP_CLAIM_Z);
}

// Random cells, weights (some 0, some over a theta down to 1e-3 towards air) and spacings.
static inline void grid_sample_random(grid_sample *s, int32_t nx, int32_t ny, int32_t nz,
                                      double liquid) {
  *s = grid_sample_new(nx, ny, nz);
  for (int d = 0; d < 3; d++) s->grid.spacing[d] = between(0.5, 2.0);
  for (int32_t h = 0; h < s->n; h++)
    s->type[h] = (uint8_t)(uniform() < liquid ? PERP_CELL_LIQUID
                                             : whole(0, 1) ? PERP_CELL_SOLID : PERP_CELL_AIR);
  for (int d = 0; d < 3; d++) {
    const int32_t cells[3] = {nx + (d == 0), ny + (d == 1), nz + (d == 2)};
    for (int32_t f = 0; f < cells[0]*cells[1]*cells[2]; f++)
      s->face[d][f] = whole(0, 9) == 0 ? 0.0 : whole(0, 2) == 0 ? between(0.0, 1.0)
                     : whole(0, 9) == 0 ? 1.0/between(1e-3, 1.0) : 1.0;
  }
  for (int32_t h = 0; h < s->n; h++)
    s->b[h] = s->type[h] == PERP_CELL_LIQUID ? between(-1.0, 1.0) : 0.0;
  grid_sample_matrix(s);
}

static inline void grid_sample_free(grid_sample *s) {
  free(s->type);
  for (int d = 0; d < 3; d++) free(s->face[d]);
  free(s->colptr);
  free(s->row);
  free(s->value);
  free(s->b);
  free(s->lo);
  free(s->hi);
  free(s->x);
}

#endif
