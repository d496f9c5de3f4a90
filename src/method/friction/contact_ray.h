// contact_ray.h: long steps along the direction in which sweeps drift.
#ifndef PERP_CONTACT_RAY_H
#define PERP_CONTACT_RAY_H

#include "contact_bodies.h"

// A few plain sweeps, then a long step along their last change if it is constant. from, change: 3
// count each, work. 1: a step was made; 0: only sweeps, which end early if the time is over.
int contact_ray_step(contact_bodies *s, perp_run *run, double *from, double *change);

#endif
