// contact_interior.h: Newton's equations of interior points of E13 (27), on the corners of the
// friction cones.
#ifndef PERP_CONTACT_INTERIOR_H
#define PERP_CONTACT_INTERIOR_H

#include "contact_bodies.h"

typedef struct contact_interior {
  int32_t K, count;
  int32_t corners;          // K count
  double *state;            // a point, POINT_PARTS(K) count: a, z, zn, s
  double *a, *z;            // corners: the impulse at a corner, and its complement
  double *zn;               // count: complement of ln
  double *s;                // count: mu times the sliding speed
  double *change;           // POINT_CHANGES(K) count: da, dz, dzn, ds, dln
  double *da, *dz, *dzn, *ds, *dln;
  double *weight;           // count: target of a contact's products, relative to the centre
  double *ln;               // count: sum of a
  double *rest, *rest_n;    // residuals of the equations of z and zn
  double *aim, *aim_n;      // right-hand sides divided by a and ln
  double *q, *qn;           // 1/(z/a), 1/(zn/ln), with the shift
  double *mean;             // 3 count: weighted mean of the corners
  double *M, *inverse;      // 9 count: the response -M dv, and (1 + M Y)^-1 for a compliance Y
  double *push;             // 3 count: the impulse without a change of velocity
  double *g, *left;         // BLOCK (bodies + 1)
  double mu;                // mean of the products
} contact_interior;

#define POINT_PARTS(K) (2*(size_t)(K) + 2)
#define POINT_CHANGES(K) (2*(size_t)(K) + 3)

int contact_interior_begin(contact_interior *p, const contact_bodies *s, perp_run *run);   // 0: ended
// Starts with impulses and velocities of the size of b; the caller sets `weight`.
void contact_interior_start(contact_interior *p, contact_bodies *s);
void contact_interior_refresh(contact_interior *p, contact_bodies *s);   // ln, l and w from a
// Computes mu, the residuals and the factor at this point. Returns the sign of its determinant; 0:
// singular or not finite.
int contact_interior_factor(contact_interior *p, const contact_bodies *s, block_lu *factor,
                            perp_run *run);
// Computes the changes towards products of `centre`, with `second` times the second-order terms of
// the previous changes. 1: finite.
int contact_interior_direction(contact_interior *p, const contact_bodies *s, block_lu *factor,
                               double centre, double second);
double contact_interior_reach(const contact_interior *p);                // step to the boundary
double contact_interior_leave(const contact_interior *p, double length); // mu after a step, over mu
void contact_interior_move(contact_interior *p, contact_bodies *s, double length);
void contact_interior_write(const contact_interior *p, const contact_bodies *s, double *x);

#endif
