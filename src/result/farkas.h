// farkas.h: the check of a proof that a problem has no solution.
#ifndef PERP_FARKAS_H
#define PERP_FARKAS_H

#include <perp/perp.h>

size_t farkas_doubles(int32_t n);   // length of `work`; grids of cells need none
// perp_check_farkas on a problem known to be valid; allocates nothing. Products J W J' need the
// operator's scratch: with farkas_check, or scratch NULL, they prove nothing.
perp_error farkas_check(const perp_problem *problem, const double *u, double *work,
                        perp_farkas *farkas);
perp_error farkas_check_with(const perp_problem *problem, const double *u, double *work,
                             void *scratch, perp_farkas *farkas);

#endif
