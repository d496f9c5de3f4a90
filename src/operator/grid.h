// grid.h: the pressure matrix of a grid of cells, entry by entry, for the layers above.
#ifndef PERP_GRID_H
#define PERP_GRID_H

#include <perp/matrix.h>
#include <perp/perp.h>

#include <stddef.h>

#include "team.h"

// The entry of face f is face[d][f]*grid_scale(g, d), rounded once. The diagonal of a cell is the
// sum of its faces' entries in the order -x, +x, -y, +y, -z, +z. All code computes them this way.
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

// The index in face[d] of the face between cell p and the cell below it along d.
static inline size_t grid_face(const perp_grid *g, grid_place p, int d) {
  const size_t nx = (size_t)g->cells[0] + (d == 0), ny = (size_t)g->cells[1] + (d == 1);
  return ((size_t)p.at[2]*ny + (size_t)p.at[1])*nx + (size_t)p.at[0];
}
static inline size_t grid_face_stride(const perp_grid *g, int d) {   // to the face above
  return d == 0 ? 1 : d == 1 ? (size_t)g->cells[0] : (size_t)g->cells[0]*(size_t)g->cells[1];
}

// The slots of a row, by ascending columns: -z, -y, -x, diagonal, +x, +y, +z.
typedef enum grid_slot { GRID_BELOW_Z, GRID_BELOW_Y, GRID_BELOW_X, GRID_DIAGONAL, GRID_ABOVE_X,
                         GRID_ABOVE_Y, GRID_ABOVE_Z, GRID_SLOTS } grid_slot;
// Sets *a and *l to the value and the column of row h's entry in a slot. Returns 0 if there is
// none. The diagonal always exists and may be 0; another entry is 0 where the weight is 0.
int grid_entry(const perp_grid *g, int32_t h, int32_t slot, int32_t *l, double *a);
// The entry w of the lower face of liquid cell h along d (up = 1: of the upper face); 0 towards a
// solid cell and the edge. *l: the cell beyond the face, -1 at the edge.
double grid_face_entry(const perp_grid *g, int32_t h, int d, int up, int32_t *l);

// The same for a caller that knows the place p of h and scale = grid_scale(g, d).
static inline double grid_face_at(const perp_grid *g, grid_place p, int32_t h, int d, int up,
                                  double scale, int32_t *l) {
  *l = -1;
  if (p.at[d] == (up ? g->cells[d] - 1 : 0)) return 0.0;
  *l = up ? h + grid_stride(g, d) : h - grid_stride(g, d);
  if (g->type[*l] == PERP_CELL_SOLID) return 0.0;
  if (g->face[d] == NULL) return scale;
  return g->face[d][grid_face(g, p, d) + (up ? grid_face_stride(g, d) : 0)]*scale;
}

// The same for many cells: the scales are computed once.
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

// Each function works on a stretch, the cells of a line from p on, at most GRID_STRETCH_MAX, and
// returns their number. _residual: y = A x + b compensated, a = |A||x| + |b|. _product: y = A x.
// _diagonal: d. _row: y = A x and d. b, y, a, d hold these cells only; x holds all cells.
enum { GRID_STRETCH_MAX = 256 };   // cells
int32_t grid_residual_from(const perp_grid *g, grid_place p, const double *x, const double *b,
                           double *y, double *a);
int32_t grid_product_from(const perp_grid *g, grid_place p, const double *x, double *y);
int32_t grid_diagonal_from(const perp_grid *g, grid_place p, double *d);
int32_t grid_row_from(const perp_grid *g, grid_place p, const double *x, double *y, double *d);
void grid_product(const perp_grid *g, const double *x, double *y, team *threads);   // y = A x
static inline void grid_advance(const perp_grid *g, grid_place *p, int32_t count) {
  p->at[0] += count;                       // a stretch ends at the end of its line
  if (p->at[0] < g->cells[0]) return;
  p->at[0] = 0;
  if (++p->at[1] < g->cells[1]) return;
  p->at[1] = 0;
  p->at[2]++;
}

const perp_grid *grid_of(const perp_operator *A);   // NULL: A is not a grid, or is under wrappers

// Both return PERP_OK, or an error with a message. seen = 1: the types have been checked before.
perp_error grid_check_shape(const perp_grid *g, int seen);
perp_error grid_check_weights(const perp_grid *g, team *threads);

#endif
