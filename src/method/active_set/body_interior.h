// body_interior.h: interior points through bodies, from a guess, for active_set.
#ifndef PERP_BODY_INTERIOR_H
#define PERP_BODY_INTERIOR_H

#include "face.h"
#include "run.h"

// Can the face be used so? It goes through bodies, and every row has a bound.
int body_interior_apply(const perp_run *run, const face *f);

// From run->x on. 1: the run has ended; 0: no progress, or half of its time is over: run->x is the
// last iterate, and the face has forgotten its shift.
int body_interior(perp_run *run, face *f);

#endif
