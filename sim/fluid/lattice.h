// lattice.h: indices of cells, faces and corners in their arrays, and the part of a simplex where a
// linear function is negative.
#pragma once

#include "state.h"

#include <math.h>

typedef struct lattice {
  int32_t n[3];                  // entries per direction
  int32_t stride[3];             // from an entry to the next in that direction
} lattice;

static inline lattice lattice_of(int32_t nx, int32_t ny, int32_t nz) {
  return (lattice){{nx, ny, nz}, {1, nx, nx*ny}};
}

static inline lattice cells_of(const perp_fluid *f) {
  return lattice_of(f->n[0], f->n[1], f->n[2]);
}

static inline lattice faces_of(const perp_fluid *f, int a) {
  return lattice_of(f->n[0] + (a == 0), f->n[1] + (a == 1), f->n[2] + (a == 2));
}

static inline lattice corners_of(const perp_fluid *f) {
  return lattice_of(f->n[0] + 1, f->n[1] + 1, f->dimension == 3 ? f->n[2] + 1 : 1);
}

static inline int32_t at(const lattice *l, int32_t i, int32_t j, int32_t k) {
  return (k*l->n[1] + j)*l->n[0] + i;
}

// lines of cells along x: number `line` is (., line % ny, line / ny)
static inline int32_t lines_of(const lattice *l) { return l->n[1]*l->n[2]; }

// Tasks of a crew: whole lines, as many at once as make about a thousand entries. The parts do not
// depend on the number of threads. Part p has the lines first_line(p) to first_line(p + 1) - 1.
static inline int32_t lines_at_once(const lattice *l) { return 1 + 1000/l->n[0]; }
static inline int32_t parts_of(const lattice *l) {
  return (lines_of(l) + lines_at_once(l) - 1)/lines_at_once(l);
}
static inline int32_t first_line(const lattice *l, int32_t part) {
  return part < parts_of(l) ? part*lines_at_once(l) : lines_of(l);
}

// --------------------------------------------------------------------- parts of simplices below 0
// The part of a simplex in which the linear function with these values at its corners is < 0.

static inline double edge_below(double a, double b) {
  if (a < 0.0) return b < 0.0 ? 1.0 : a/(a - b);
  return b < 0.0 ? b/(b - a) : 0.0;
}

static inline double triangle_below(double a, double b, double c) {
  const int below = (a < 0.0) + (b < 0.0) + (c < 0.0);
  if (below == 0 || below == 3) return below == 0 ? 0.0 : 1.0;
  // a is alone on its side
  if ((b < 0.0) == (below == 1)) { const double t = a; a = b, b = t; }
  else if ((c < 0.0) == (below == 1)) { const double t = a; a = c, c = t; }
  const double alone = a/(a - b)*(a/(a - c));
  return below == 1 ? alone : 1.0 - alone;
}

static inline double tetrahedron_below(double a, double b, double c, double d) {
  const int below = (a < 0.0) + (b < 0.0) + (c < 0.0) + (d < 0.0);
  if (below == 0 || below == 4) return below == 0 ? 0.0 : 1.0;
  if (below == 2) {   // a, b below: a prism, cut into three tetrahedra
    if (a >= 0.0) { const double t = a; if (c < 0.0) a = c, c = t; else a = d, d = t; }
    if (b >= 0.0) { const double t = b; if (c < 0.0) b = c, c = t; else b = d, d = t; }
    const double ac = a/(a - c), ad = a/(a - d), bc = b/(b - c), bd = b/(b - d);
    return ac*ad*(1.0 - bd) + ac*(1.0 - bc)*bd + bc*bd;
  }
  const int side = below == 1;   // a is alone on its side
  if ((b < 0.0) == side) { const double t = a; a = b, b = t; }
  else if ((c < 0.0) == side) { const double t = a; a = c, c = t; }
  else if ((d < 0.0) == side) { const double t = a; a = d, d = t; }
  const double alone = a/(a - b)*(a/(a - c))*(a/(a - d));
  return below == 1 ? alone : 1.0 - alone;
}

// Of a square with corners 0 (0, 0), 1 (1, 0), 2 (0, 1), 3 (1, 1) and its centre: four triangles.
static inline double square_below(const double v[4], double centre) {
  return 0.25*((triangle_below(centre, v[0], v[1]) + triangle_below(centre, v[2], v[3])) +
               (triangle_below(centre, v[0], v[2]) + triangle_below(centre, v[1], v[3])));
}

// Of a cube, corners numbered likewise with 4 for z: four tetrahedra on each side.
static inline double cube_below(const double v[8], double centre) {
  static const int side[6][4] = {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 4, 5},
                                 {2, 3, 6, 7}, {0, 2, 4, 6}, {1, 3, 5, 7}};
  double sum = 0.0;
  for (int s = 0; s < 6; s++) {
    const double p = v[side[s][0]], q = v[side[s][1]], r = v[side[s][2]], t = v[side[s][3]];
    const double middle = 0.25*((p + t) + (q + r));
    sum += (tetrahedron_below(centre, middle, p, q) + tetrahedron_below(centre, middle, r, t)) +
           (tetrahedron_below(centre, middle, p, r) + tetrahedron_below(centre, middle, q, t));
  }
  return sum/24.0;
}
