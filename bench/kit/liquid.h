// liquid.h: the pressure system of a splashing liquid, as a grid and as a sparse matrix.
//
// The same for everybody: the entries are made here, from the faces, without the library.
#ifndef PERP_BENCH_LIQUID_H
#define PERP_BENCH_LIQUID_H

#include <perp/matrix.h>
#include <perp/perp.h>

typedef struct liquid {
  perp_grid grid;
  int32_t cells;                // of the grid
  uint8_t *type;                // cells
  double *face[3];              // as in perp_grid
  double *divergence;           // cells: b on the grid, 0 where there is no liquid
  double *walls, *every;        // cells: lo on the grid; -infinity in cells that touch no wall, 0
                                //   elsewhere; 0 everywhere
  double *hi;                   // cells: infinity in liquid, 0 elsewhere
  int32_t n;                    // liquid cells: rows of A, in the order of the grid
  perp_csc A;                   // n x n, symmetric
  double *b, *lo;               // n; lo: as walls
} liquid;

// side^dimensions cells, a bit more than half of them liquid. Deterministic.
void liquid_make(int32_t dimensions, int32_t side, uint32_t seed, liquid *l);
void liquid_free(liquid *l);

#endif
