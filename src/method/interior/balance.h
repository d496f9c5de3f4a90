// balance.h: chooses the last digits of the solution of a quadratic program.
#ifndef PERP_BALANCE_H
#define PERP_BALANCE_H

#include "run.h"

// x: within its bounds; y = A x + b as exactly as possible; a >= |A||x| + |b|. Changes x between
// its bounds by units of its last digit, and y with it, so that the primal and dual objectives
// differ less. Does nothing unless A is stored by columns.
void balance_objectives(const perp_run *run, const double *a, double *x, double *y);

#endif
