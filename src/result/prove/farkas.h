// farkas.h: the check of a proof that a problem has no solution.
#ifndef PERP_FARKAS_H
#define PERP_FARKAS_H

#include "certify.h"

typedef struct farkas_judge {     // the certificate that no x may pass
  const certifier *certificate;   // prepared for the problem
  double tol, absolute_tol;
} farkas_judge;

size_t farkas_doubles(int32_t n);   // length of `work`; grids of cells need none
// perp_check_farkas on the problem of the certificate, without allocation. *rounded: 1 if u is no
// proof for all x only because rounding keeps A'u from being exactly 0 somewhere.
perp_error farkas_check(const farkas_judge *by, const double *u, double *work, perp_farkas *farkas,
                        int *rounded);
// Call this if u is rounded. 1: an exact vector near u proves that there is no solution at all, and
// *farkas says so. 0: no proof was found, and *farkas is unchanged. -1: the same, for lack of memory.
int farkas_near(const farkas_judge *by, const double *u, const perp_allocator *from,
                perp_farkas *farkas);

#endif
