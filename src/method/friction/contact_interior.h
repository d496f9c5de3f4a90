// contact_interior.h: Newton's equations of interior points of E13 (27), through the corners of the
// friction cones.
#ifndef PERP_CONTACT_INTERIOR_H
#define PERP_CONTACT_INTERIOR_H

#include "contact_bodies.h"

typedef struct contact_interior {
  int32_t K, count;
  int32_t corners;          // K count
  double *state;            // what a point is, POINT_PARTS(K) count: a, z, zn, s
  double *a, *z;            // corners: the impulse at a corner, and what is complementary to it
  double *zn;               // count: complementary to ln
  double *s;                // count: mu times how fast it slides
  double *change;           // POINT_CHANGES(K) count: da, dz, dzn, ds, dln
  double *da, *dz, *dzn, *ds, *dln;
  double *weight;           // count: the products of a contact, in units of the centre
  double *ln;               // count: sum of a
  double *rest, *rest_n;    // what the equations of z and zn leave
  double *aim, *aim_n;      // right-hand sides over a and ln
  double *q, *qn;           // what answers: 1/(z/a), 1/(zn/ln), with the shift
  double *mean;             // 3 count: of the corners, weighted
  double *M, *inverse;      // 9 count: the answer -M dv, and (1 + M Y)^-1 where contacts yield by Y
  double *push;             // 3 count: the answer to no change of velocity
  double *g, *left;         // BLOCK (bodies + 1)
  double mu;                // mean of the products
} contact_interior;

#define POINT_PARTS(K) (2*(size_t)(K) + 2)
#define POINT_CHANGES(K) (2*(size_t)(K) + 3)

int contact_interior_begin(contact_interior *p, const contact_bodies *s, perp_run *run);   // 0: ended
// Impulses and velocities as large as b asks for; `weight` is the caller's.
void contact_interior_start(contact_interior *p, contact_bodies *s);
void contact_interior_refresh(contact_interior *p, contact_bodies *s);   // ln, l and w from a
// mu, the rests and the factor at this point. The sign of its determinant; 0: singular, not finite
int contact_interior_factor(contact_interior *p, const contact_bodies *s, block_lu *factor,
                            perp_run *run);
// The changes towards products of `centre`, with `second` times the second order of those that were
// there before. 1: finite.
int contact_interior_direction(contact_interior *p, const contact_bodies *s, block_lu *factor,
                               double centre, double second);
double contact_interior_reach(const contact_interior *p);                // how far to the boundary
double contact_interior_leave(const contact_interior *p, double length); // the share of mu after that
void contact_interior_move(contact_interior *p, contact_bodies *s, double length);
void contact_interior_write(const contact_interior *p, const contact_bodies *s, double *x);

#endif
