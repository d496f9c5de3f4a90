// quadratic_objective.h: what a symmetric problem minimises, 1/2 x'Ax + b'x over lo <= x <= hi.
#pragma once

#include "problem_files.h"

// f(x), accurate to about the last digit unless it cancels; NAN if A is not symmetric, where there
// is nothing to minimise. y = A x + b, n, as perp_certify computes it; NULL: NAN.
double objective(const problem_files *files, const double *x, const double *y);
