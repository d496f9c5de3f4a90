// reach.h: how far an x may be from a solution, by its residual and the conditioning of the problem.
//
// Let r be the natural residual of x, mid(x - hi, A x + b, x - lo) in each row. Then x' = x - r solves
// the problem with b + (A - I) r in place of b, without any error. Rows of x' are at a bound or have
// y = 0: a face. If a solution of the problem itself is on that face, one is near x': by Hoffman
// (1952), in the largest component,
//
//     |x' - x*| <= max over R, S, s of  sum over i in R of |(A_RS^-1)_si| |((A - I) r)_i|
//
// over the square blocks A_RS that are not singular. The bounds of x are the same in both problems,
// so no other rows enter. If A is a P-matrix, a solution is that near in any case: it is piecewise
// linear in b, and A_RR^-1 are its slopes.
#ifndef PERP_TEST_REACH_H
#define PERP_TEST_REACH_H

#include "exact.h"

// max_i |x*_i - x_i| of a solution x*, as above. by_face: by one block only, of largest rank among the
// rows with y = 0: less than the bound, and n^3 operations in place of 4^n n^3.
double exact_reach(const exact_problem *p, const double *x, int by_face);

#endif
