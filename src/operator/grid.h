// grid.h: the pressure matrix of a grid of cells, entry by entry, for the layers above.
#ifndef PERP_GRID_H
#define PERP_GRID_H

#include <perp/matrix.h>
#include <perp/perp.h>

#include <stddef.h>

#include "team.h"

// The entry of a face is face[d][f]*grid_scale(g, d), rounded once. The diagonal is the sum of the
// entries of its faces, in the order -x, +x, -y, +y, -z, +z. All code computes them in this way.
static inline double grid_scale(const perp_grid *g, int d) {   // 1/spacing[d]^2; 0: no such faces
  return g->cells[d] > 1 ? 1.0/(g->spacing[d]*g->spacing[d]) : 0.0;
}

static inline int32_t grid_stride(const perp_grid *g, int d) {   // from a cell to the next along d
  return d == 0 ? 1 : d == 1 ? g->cells[0] : g->cells[0]*g->cells[1];
}

typedef struct grid_place { int32_t at[3]; } grid_place;
static inline grid_place grid_place_of(const perp_grid *g, int32_t h) {
  const int32_t line = h/g->cells[0];
  return (grid_place){{h - line*g->cells[0], line % g->cells[1], line/g->cells[1]}};
}

// The place in face[d] of the face below cell p along d.
static inline size_t grid_face(const perp_grid *g, grid_place p, int d) {
  const size_t nx = (size_t)g->cells[0] + (d == 0), ny = (size_t)g->cells[1] + (d == 1);
  return ((size_t)p.at[2]*ny + (size_t)p.at[1])*nx + (size_t)p.at[0];
}
static inline size_t grid_face_stride(const perp_grid *g, int d) {   // to the face above
  return d == 0 ? 1 : d == 1 ? (size_t)g->cells[0] : (size_t)g->cells[0]*(size_t)g->cells[1];
}

// The possible entries of a row by ascending columns: -z, -y, -x, diagonal, +x, +y, +z.
enum { GRID_SLOTS = 7, GRID_DIAGONAL = 3 };
// Entry number `slot` of row h: value *a in column *l. Returns 0 if there is none. The diagonal is
// always there and may be 0; other entries are 0 where a weight is.
int grid_entry(const perp_grid *g, int32_t h, int32_t slot, int32_t *l, double *a);
// The entry w of the face of liquid cell h below it along d (up: above); 0 if it is solid. *l: the
// cell beyond, -1 at the edge.
double grid_face_entry(const perp_grid *g, int32_t h, int d, int up, int32_t *l);

// The same if the place of h and grid_scale(g, d) are known.
static inline double grid_face_at(const perp_grid *g, grid_place p, int32_t h, int d, int up,
                                  double scale, int32_t *l) {
  *l = -1;
  if (p.at[d] == (up ? g->cells[d] - 1 : 0)) return 0.0;
  *l = up ? h + grid_stride(g, d) : h - grid_stride(g, d);
  if (g->type[*l] == PERP_CELL_SOLID) return 0.0;
  if (g->face[d] == NULL) return scale;
  return g->face[d][grid_face(g, p, d) + (up ? grid_face_stride(g, d) : 0)]*scale;
}

// For many cells: values that do not depend on the cell are computed once.
typedef struct grid_faces {
  const perp_grid *grid;
  double scale[3];
} grid_faces;
static inline grid_faces grid_faces_of(const perp_grid *g) {
  return (grid_faces){g, {grid_scale(g, 0), grid_scale(g, 1), grid_scale(g, 2)}};
}
static inline double grid_faces_entry(const grid_faces *f, grid_place p, int32_t h, int d, int up,
                                      int32_t *l) {
  return grid_face_at(f->grid, p, h, d, up, f->scale[d], l);
}

// Each function does as many cells of a line from p on as it can at once, at most GRID_STRETCH_MAX,
// and returns their number. They compute y = A x + b compensated and a = |A||x| + |b|; y = A x; the
// diagonal; or y and the diagonal. b, y, a, d: of these cells only; x: of all cells.
enum { GRID_STRETCH_MAX = 256 };   // cells
int32_t grid_residual_from(const perp_grid *g, grid_place p, const double *x, const double *b,
                           double *y, double *a);
int32_t grid_product_from(const perp_grid *g, grid_place p, const double *x, double *y);
int32_t grid_diagonal_from(const perp_grid *g, grid_place p, double *d);
int32_t grid_row_from(const perp_grid *g, grid_place p, const double *x, double *y, double *d);
enum { GRID_CHUNKS = 64 };   // chunks of lines for threads; the number does not change results
void grid_product(const perp_grid *g, const double *x, double *y, team *threads);   // y = A x
static inline void grid_advance(const perp_grid *g, grid_place *p, int32_t count) {
  p->at[0] += count;                       // a stretch ends at the end of its line
  if (p->at[0] < g->cells[0]) return;
  p->at[0] = 0;
  if (++p->at[1] < g->cells[1]) return;
  p->at[1] = 0;
  p->at[2]++;
}

const perp_grid *grid_of(const perp_operator *A);   // NULL: A is no grid, or it is under wrappers

// PERP_OK, or an error with a message. seen = 1: the types have been checked before.
perp_error grid_check_shape(const perp_grid *g, int seen);
perp_error grid_check_weights(const perp_grid *g, team *threads);

#endif
