// body_interior.h: interior points through bodies, from a guess, for active_set.
#ifndef PERP_BODY_INTERIOR_H
#define PERP_BODY_INTERIOR_H

#include "face.h"
#include "run.h"

// 1: the face goes through bodies and every row has a bound, so body_interior() can be used.
int body_interior_apply(const perp_run *run, const face *f);

// Iterates from run->x. 1: the run has ended; 0: no progress, or half of the time is over. Then
// run->x is the last iterate, and the face has lost its shift.
int body_interior(perp_run *run, face *f);

#endif
