// contact_bodies.h: E13 (27) as contacts and bodies: three rows of J per contact, six degrees of
// freedom per body.
#ifndef PERP_CONTACT_BODIES_H
#define PERP_CONTACT_BODIES_H

#include "block_lu.h"
#include "friction_cone.h"
#include "run.h"

typedef struct body_contact {
  int32_t body[2];              // `bodies` stands for no body: the entries of w there stay 0
  int inert;                    // 1: the contact moves no body
  double J[2][3][BLOCK];        // normal and tangents, times the root of W
  double b[3];
  double yield[3];              // compliance
  double mu;
  double size;                  // normal entry of J W J': impulse times size is a velocity
  double root;                  // of size: impulse times root is the root of an energy
  cone_response own;            // J W J' + compliance + sigma size
} body_contact;

typedef struct contact_bodies {
  int32_t count, bodies, K;
  polygon C;
  body_contact *contact;        // count
  double *w;                    // BLOCK (bodies + 1): root of W times J'l
  double *l;                    // 3 count: impulses of each contact: normal, tangents
  double *centre;               // 3 count: centre of the proximal term
  int32_t *face;                // count
  double sigma;                 // weight of the proximal term: v + sigma size (l - centre)
  double speed;                 // max |b|
} contact_bodies;

// Why the methods for bodies cannot use A, as the end of a sentence; NULL: they can.
const char *contact_bodies_unfit(const perp_operator *A);
// Reads a contact operator; l comes from run->x. 1: success; 0: it has not this form, and the run
// has been stopped.
int contact_bodies_begin(contact_bodies *s, perp_run *run);
void contact_bodies_write(const contact_bodies *s, double *x);        // x from l and its velocities
void contact_bodies_sigma(contact_bodies *s, double sigma);           // sets sigma
void contact_bodies_refresh(contact_bodies *s);                       // computes w from l
void contact_bodies_velocity(const contact_bodies *s, int32_t k, double *v);
static inline void multiply3(const double *M, const double *v, double *y) {   // y = M v, 3 x 3
  for (int i = 0; i < 3; i++) y[i] = M[3*i]*v[0] + M[3*i + 1]*v[1] + M[3*i + 2]*v[2];
}

// For contact k and any g of BLOCK (bodies + 1): adds J'l to g; adds J g to v; adds the blocks of
// J'M J to a matrix of the bodies.
void contact_bodies_spread(const contact_bodies *s, int32_t k, const double *l, double *g);
void contact_bodies_gather(const contact_bodies *s, int32_t k, const double *g, double *v);
void contact_bodies_couple(const contact_bodies *s, int32_t k, const double *M, block_lu *factor);
// Solves one contact's own problem after another, with all others held. Returns max size |dl|/speed.
double contact_bodies_sweep(contact_bodies *s);

// The distance from a solution: each contact's own problem is solved with all others held. A
// solution changes none of them.
typedef struct contact_look {
  double worst;                 // max size |target - l|/speed
  double merit;                 // the same in the Euclidean norm
  int32_t wrong;                // contacts on another face than s->face
} contact_look;
// wanted (count) and target (3 count, may be NULL) receive each contact's face and impulse.
contact_look contact_bodies_look(const contact_bodies *s, int32_t *wanted, double *target);

#endif
