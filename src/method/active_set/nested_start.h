// nested_start.h: a first x for grid-like problems from problems with half as many rows, and so on.
#ifndef PERP_NESTED_START_H
#define PERP_NESTED_START_H

#include "run.h"

// run->x <- sweeps over coarser and coarser copies of the problem, from the coarsest up, where A is
// a sparse Z-matrix with a positive diagonal and n is large. 1: x is new; 0: it is as before: not
// for this problem, or the run has ended.
int nested_start(perp_run *run);

#endif
