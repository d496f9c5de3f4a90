// sweep.h: Gauss-Seidel passes over any operator, by its own sweep, by columns, or in colours.
#ifndef PERP_SWEEP_H
#define PERP_SWEEP_H

#include "run.h"

enum { SWEEP_REFRESH_PASSES = 50 };   // passes after which y is computed from x again

typedef struct sweeper {
  perp_sweep state;
  double *diagonal;     // n
  double *y;            // n: work space, used if some A_ii <= 0
  coloured *plan;       // NULL: natural order
  int32_t passes;
  int any_flat;         // 1: some A_ii <= 0
} sweeper;

size_t sweeper_bytes(const perp_limits *limits, const perp_options *options);
// 0: the memory is too small, and the run has been stopped.
int sweeper_begin(sweeper *s, perp_run *run, double omega);
// One pass over all rows. Returns the largest weighted change.
double sweeper_pass(sweeper *s, perp_run *run, int backward);

// The residual after a pass: the change. If some A_ii <= 0, such a row may be wrong without moving,
// so the residual of the certificate is computed, which takes another product.
double sweeper_residual(sweeper *s, perp_run *run, double change);

// Called when a pass changes nothing. A fixed point is a solution unless a row with A_ii <= 0 could
// not move; then the run stops.
void sweeper_fixed_point(sweeper *s, perp_run *run);

// The method whose sweeps get farthest in the remaining time.
const perp_method *sweeper_for(const perp_run *run);

#define SWEEP_ORDER_PARAMETER                                                            \
  {"sweep.order", PERP_KIND_CHOICE, offsetof(perp_options, sweep.order), 0, 0, 1, 0, 0,  \
   "natural|coloured",                                                                   \
   "order of the rows; coloured: blocks of rows, several at once with threads > 1"}

#endif
