// narrow.h: what the narrow phase's files share.
#ifndef PERP_CONTACT_NARROW_H
#define PERP_CONTACT_NARROW_H

#include "world.h"

// Velocity of body i's point at arm from its position, with what gravity adds in the step.
void narrow_velocity(const perp_world *w, int32_t i, const double *arm, double *v);
// 1: closer than the margin, or closing within the step at these velocities
int narrow_near(const perp_world *w, const contact *c);
// Two boxes, a and b in any order. narrow_box.c
int32_t narrow_boxes(const perp_world *w, worker *by, int32_t a, int32_t b, contact *found);
void narrow_end(worker *by);   // what the worker has of ODE's

#endif
