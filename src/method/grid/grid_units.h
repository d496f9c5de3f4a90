// grid_units.h: the problem of a run on a grid, in units in which one norm fits all components.
#ifndef PERP_GRID_UNITS_H
#define PERP_GRID_UNITS_H

#include "grid_stage.h"

typedef struct grid_closed {     // a component of the liquid without air: A 1 = 0 on it
  double sum, size;              // sum of b, sum of |b|
  double least, most;            // max(lo - x), min(hi - x): x + t stays within its bounds for
                                 // least <= t <= most
  double unit;                   // largest unit of the component
  int32_t cells;
  int lower, upper, fixed;       // 1: some cell has a lower bound, an upper bound, lo = hi
  int balanced;                  // 1: sum b = 0 within the tolerance: y = 0 in every solution
} grid_closed;

typedef struct grid_units {
  grid_solver *g;
  grid_stage *stage;             // the finest
  int32_t count;
  double largest;                // unit/scale of the cell whose residual counts most
  int bounded;                   // 1: some cell may be free or at a bound
  const int32_t *component;      // n: see grid_levels_closed; NULL if count is 0
  grid_closed *closed;           // count
} grid_units;

// Sets everything about the finest stage except x. 0: the run has ended.
int grid_units_begin(grid_units *u, grid_solver *g, grid_stage *stage);
// Load: x from run->x, or from 0, clamped, and y = A x + b; returns 0 if x is 0 everywhere. Store:
// the reverse, clamped, with closed components shifted into their bounds.
int grid_units_load(const grid_units *u, int guess);
void grid_units_store(const grid_units *u);
// Shifts x of a closed component whose cells are all free to where its bounds begin, because its
// mean is arbitrary.
void grid_units_shift(const grid_units *u);
// Settles rows whose x_i is known. 0: a row or a closed component proves that there is no solution,
// and the run has ended.
int grid_units_settle(const grid_units *u);

#endif
