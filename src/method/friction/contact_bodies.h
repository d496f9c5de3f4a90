// contact_bodies.h: E13 (27) by contacts and bodies: three rows of J each, six freedoms a body.
#ifndef PERP_CONTACT_BODIES_H
#define PERP_CONTACT_BODIES_H

#include "block_lu.h"
#include "friction_cone.h"
#include "run.h"

typedef struct body_contact {
  int32_t body[2];              // = bodies: none, a place that stays 0
  int inert;                    // it moves nothing
  double J[2][3][BLOCK];        // normal and tangents, times the root of W
  double b[3];
  double yield[3];              // compliance
  double mu;
  double size;                  // of J W J' in the normal row: impulse times size is a velocity
  cone_response own;            // J W J' + compliance + sigma size
} body_contact;

typedef struct contact_bodies {
  int32_t count, bodies, K;
  polygon C;
  body_contact *contact;        // count
  double *w;                    // BLOCK (bodies + 1): root of W times J'l
  double *l;                    // 3 count: normal, tangents
  double *centre;               // 3 count: of the proximal term
  int32_t *face;                // count
  double sigma;                 // of the proximal term: v + sigma size (l - centre)
  double speed;                 // max |b|
} contact_bodies;

// Why a method of bodies cannot take A, as the end of a sentence; NULL: it can.
const char *contact_bodies_unfit(const perp_operator *A);
// From a contact operator, whose x becomes l. 1: fine; 0: the run has been stopped, as it has no
// such form.
int contact_bodies_begin(contact_bodies *s, perp_run *run);
void contact_bodies_write(const contact_bodies *s, double *x);        // x from l and its velocities
void contact_bodies_sigma(contact_bodies *s, double sigma);
void contact_bodies_refresh(contact_bodies *s);                       // w from l
void contact_bodies_velocity(const contact_bodies *s, int32_t k, double *v);
static inline void multiply3(const double *M, const double *v, double *y) {   // y = M v, 3 x 3
  for (int i = 0; i < 3; i++) y[i] = M[3*i]*v[0] + M[3*i + 1]*v[1] + M[3*i + 2]*v[2];
}

// The same on any g of BLOCK (bodies + 1): g += J'l of contact k, v += J g of it, and the blocks
// J'M J of it added to a matrix of bodies
void contact_bodies_spread(const contact_bodies *s, int32_t k, const double *l, double *g);
void contact_bodies_gather(const contact_bodies *s, int32_t k, const double *g, double *v);
void contact_bodies_couple(const contact_bodies *s, int32_t k, const double *M, block_lu *factor);
// Each contact's own problem in turn, with the others held. Returns max size |dl|/speed.
double contact_bodies_sweep(contact_bodies *s);

// Each contact's own problem with all others held: a solution of all is one that none changes.
typedef struct contact_look {
  double worst;                 // max size |target - l|/speed
  double merit;                 // the same in the Euclidean norm
  int32_t wrong;                // contacts on another face than s->face
} contact_look;
// wanted (count) and target (3 count, may be NULL) receive each contact's answer.
contact_look contact_bodies_look(const contact_bodies *s, int32_t *wanted, double *target);

#endif
