// grid_units.h: the problem of a run on a grid, in units in which one norm fits all its components.
#ifndef PERP_GRID_UNITS_H
#define PERP_GRID_UNITS_H

#include "grid_stage.h"

typedef struct grid_closed {     // a component of the liquid without air: A 1 = 0 on it
  double sum, size;              // of b, of |b|
  double least, most;            // max(lo - x), min(hi - x): x + t stays within its bounds for t
                                 //   between them
  double unit;                   // largest of the component
  int32_t cells;
  int lower, upper, fixed;       // cells with a bound below, above, with both in one place
  int balanced;                  // sum b = 0 up to the tolerance: y = 0 in every solution
} grid_closed;

typedef struct grid_units {
  grid_solver *g;
  grid_stage *stage;             // the finest
  int32_t count;
  double largest;                // unit/scale of the cell whose residual counts most
  int bounded;                   // 1: there are bounds that may or may not hold
  const int32_t *component;      // n: see grid_levels_closed; NULL where count is 0
  grid_closed *closed;           // count
} grid_units;

// Everything about the finest stage but x. 0: the run has ended.
int grid_units_begin(grid_units *u, grid_solver *g, grid_stage *stage);
// x from run->x, or 0, clamped, and y = A x + b; returns 0 if x is 0 everywhere. And back: clamped,
// closed components shifted into their bounds.
int grid_units_load(const grid_units *u, int guess);
void grid_units_store(const grid_units *u);
// A closed component that was all free has any mean: x is shifted to where its bounds begin.
void grid_units_shift(const grid_units *u);
// Rows that the grid leaves alone: x_i is known. 0: a row or a closed component proves that there
// is no solution, and the run has ended.
int grid_units_settle(const grid_units *u);

#endif
