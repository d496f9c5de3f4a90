// multigrid.h: decides whether active_set passes a matrix on to the method multigrid.
#ifndef PERP_MULTIGRID_H
#define PERP_MULTIGRID_H

#include "run.h"

enum {
  // Rows of an M-matrix from which multigrid beats a factor. If smaller, small grids take 2.5 times
  // the work; if larger, obstacles are not solved.
  MULTIGRID_ROWS_MIN = 4000,
  // Steps of conjugate gradients per Newton step. With 1, up to 3 times the work.
  MULTIGRID_CG_STEPS_MAX = 200,
  // Newton steps in which the best residual has to halve.
  MULTIGRID_HALVING_STEPS_MAX = 60,
  // Rows are watched if they are at most one in this many. If smaller or larger, liquids take 1.2
  // times the work.
  MULTIGRID_WATCHED_DIVISOR = 8
};

// 1: A is large, given by its entries, has no positive entry off the diagonal and no negative row
// sum: an M-matrix if it is symmetric and definite. Multigrid on its free rows is then faster than
// a factor.
int multigrid_suits(perp_run *run);

#endif
