// sweep.h: Gauss-Seidel passes over any operator that can make them: natively,
// by columns, or in colours.
#ifndef PERP_SWEEP_H
#define PERP_SWEEP_H

#include "run.h"

typedef struct sweeper {
  perp_sweep state;
  double *diagonal;     // n
  double *y;            // n: work, where there is an A_ii <= 0
  coloured *plan;       // NULL: natural order
  int32_t passes;
  int flat;             // 1: there is an A_ii <= 0
} sweeper;

size_t sweeper_bytes(const perp_limits *limits, const perp_options *options);
// 0: the memory does not suffice, and the run has been stopped
int sweeper_begin(sweeper *s, perp_run *run, double omega);
// one pass over all rows; returns the largest weighted change
double sweeper_pass(sweeper *s, perp_run *run, int backward);

// What such a pass leaves: the change, or where rows have A_ii <= 0 and may be wrong without
// moving, the residual of the certificate, for another product.
double sweeper_residual(sweeper *s, perp_run *run, double change);

// PGS and PSOR end at a fixed point, which is a solution unless a row had nowhere to go:
// then say so.
void sweeper_fixed_point(sweeper *s, perp_run *run);

// Who gets furthest with sweeps in the time that is left.
const perp_method *sweeper_for(const perp_run *run);

#define SWEEP_ORDER_PARAMETER                                                            \
  {"sweep.order", PERP_KIND_CHOICE, offsetof(perp_options, sweep.order), 0, 0, 1, 0, 0,  \
   "natural|coloured",                                                                   \
   "order of the rows; coloured: blocks of rows, several at once with threads > 1"}

#endif
