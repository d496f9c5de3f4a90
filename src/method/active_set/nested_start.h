// nested_start.h: a first x for grid-like problems, from copies with half as many rows.
#ifndef PERP_NESTED_START_H
#define PERP_NESTED_START_H

#include "run.h"

// Replaces run->x by an x from sweeps over coarser and coarser copies of the problem, from the
// coarsest up. A must be a sparse Z-matrix with a positive diagonal, and n large. 1: x is new; 0: x
// is unchanged, because A does not qualify or the run has ended.
int nested_start(perp_run *run);

#endif
