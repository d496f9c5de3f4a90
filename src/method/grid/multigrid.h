// multigrid.h: when active_set leaves a matrix to the method multigrid.
#ifndef PERP_MULTIGRID_H
#define PERP_MULTIGRID_H

#include "run.h"

// 1: A is large, given by its entries, without positive ones beside the diagonal and with row sums
// that are not negative: an M-matrix if it is symmetric and definite. Multigrid on its free rows is
// then quicker than a factor.
int multigrid_suits(const perp_run *run);

#endif
