// multigrid.h: decides whether active_set passes a matrix on to the method multigrid.
#ifndef PERP_MULTIGRID_H
#define PERP_MULTIGRID_H

#include "run.h"

enum { MULTIGRID_ROWS_MIN = 4000 };   // rows of an M-matrix from which multigrid beats a factor

// 1: A is large, given by its entries, has no positive entry off the diagonal and no negative row
// sum: an M-matrix if it is symmetric and definite. Multigrid on its free rows is then faster than
// a factor.
int multigrid_suits(perp_run *run);

#endif
