// farkas.h: the check of a proof that a problem has no solution.
#ifndef PERP_FARKAS_H
#define PERP_FARKAS_H

#include "certify.h"

typedef struct farkas_judge {     // the certificate that no x may pass
  const certifier *certificate;   // prepared for the problem
  double tol, absolute_tol;
} farkas_judge;

size_t farkas_doubles(int32_t n);   // length of `work`; grids of cells need none
// perp_check_farkas on the problem of the certificate; allocates nothing. *rounded: u proves nothing
// for all x, but its margin is large enough, and A'u misses no more than zeros by rounding.
perp_error farkas_check(const farkas_judge *by, const double *u, double *work, perp_farkas *farkas,
                        int *rounded);
// Where u is a rounded one: 1 if an exact vector near u proves that there is no solution at all, and
// *farkas says so. 0: nothing is known, and *farkas is as it was. -1: the same, for lack of memory.
int farkas_near(const farkas_judge *by, const double *u, const perp_allocator *from,
                perp_farkas *farkas);

#endif
