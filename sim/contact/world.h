// world.h: the data and functions that the files of libperp-contact share.
//
// A step, with u the velocities, W the inverse masses, f the forces, l the impulses of contacts:
//     u* = u + h W f;   0 <= l _|_ J(u* + W J'l) + d/h >= 0;   u+ = u* + W J'l;   q+ = q + h u+
// docs/contact.md has the rest. Contacts are sorted by (a, b). a, b and the feature
// identify a contact.
#ifndef PERP_CONTACT_WORLD_H
#define PERP_CONTACT_WORLD_H

#include <perp/contact.h>

#include "buffer.h"
#include "crew.h"
#include "refuse.h"
#include "vector3.h"

enum { DIRECTIONS_MAX = 64 };

typedef struct body {
  int32_t shape, material;
  double extent[3], offset, mass, inertia[3];   // as given; an inertia of 0 is replaced
  double weight;              // 1/mass; 0: infinite
  double ease[3];             // 1/inertia about its own axes; 0: infinite
  double reach;               // radius of a sphere about its position that holds it
  double W[9];                // inverse inertia in the world's axes
  double step_W[9];           // the same at the beginning of the last step
  double force[3], torque[3]; // pushes of the next step
  double before[6];           // velocity and spin at the beginning of the step
  double shift[6];            // by which a projection moves and turns it
  int32_t round;              // 1: W is a multiple of the identity
  int32_t flat;               // 1: two dimensions, it turns about z only
  int32_t rest;               // steps at rest so far
  int32_t asleep;
  int32_t slept, rested;      // asleep and rest at the beginning of the step
  int32_t set;                // of the union-find over contacts, then the number of its island
  int32_t local;              // its number within the island
} body;

typedef struct contact {      // no padding, because its bytes are saved
  int32_t a, b, feature;      // identity: bodies a < b, and which contact of the two
  int32_t central;            // bits 1, 2: the normal passes through the centre of a, of b: no turn
  int32_t island;             // -1: asleep, or neither moves
  int32_t bounced, solved, unused;
  double normal[3];           // from b to a
  double arm[2][3];           // from the positions of a and b to the point between the two
  double gap;
  double mu, e;               // coefficient of friction, restitution
  double t[2][3];             // tangents
  double free[3];             // velocities of the contact before impulses, with gap or bounce: b
  double parting[2];          // normal velocities of u* and of u
} contact;

typedef struct island {
  int32_t count, bodies;
  const int32_t *order;       // count: its contacts in the list, ascending
  const int32_t *member;      // bodies: those that move, ascending
  int32_t anchored;           // 1: it touches a body of infinite mass
  int32_t driven;             // 1: it touches one that moves
  int32_t rows;
  int32_t turning;            // 1: some row turns a body
  int32_t round;              // 1: all bodies are round, so their W is diagonal
  perp_status status;
  perp_attempt answer;        // the attempt that found its impulses
  int32_t iterations, factorizations;
  double residual;
  double share;               // the part that it may use of the time left when its turn comes
  int32_t starved;            // 1: there was no memory for some part of it
} island;

typedef struct grouping {     // the islands of a list of contacts
  int32_t islands;
  buffer island_memory, order_memory, member_memory;
} grouping;

typedef struct pair { int32_t a, b; } pair;   // a < b

typedef struct contact_list {
  int32_t count;
  buffer contacts, x;         // count; count x world.width: impulses and slacks, for warm starts
} contact_list;

typedef struct worker worker; // solver and scratch of one thread

struct perp_world {
  perp_allocator allocator;
  perp_world_settings settings;
  perp_options options, own;
  int32_t directions;         // K, 0 without friction
  int32_t width;              // values of x kept per contact: 1 + K + 1, or 3
  double cosine[DIRECTIONS_MAX], sine[DIRECTIONS_MAX];

  int32_t bodies;
  buffer body_memory, motion_memory;
  int32_t materials;          // pairs hold materials^2 entries of (friction, restitution)
  buffer pair_memory;

  contact_list now;           // contacts at the current positions
  contact_list last;          // contacts of the last step, as they were solved
  contact_list spare;
  buffer touch_memory;        // contacts of the last step, for the caller
  int32_t touches;
  buffer found;               // x of the step being solved
  buffer kept;                // a copy of now.contacts, in case the step fails
  enum { KEPT_NOWHERE, KEPT_COPY, KEPT_SPARE } kept_in;   // in `kept`; in `spare`, if `now` was stale
  grouping groups;            // of the last step
  grouping former;            // of the step before, in case this step fails
  grouping overlaps;          // islands of overlaps, in projections
  int32_t stale;              // 1: `now` does not belong to the current positions
  int32_t asleep;             // number of bodies

  // broad phase
  buffer bound_memory, entry_memory, other_memory, start_memory;
  buffer candidate_memory;    // pairs that may touch, sorted
  int64_t candidates;

  crew *threads;
  worker *workers;            // settings.threads

  struct pace {               // of the current step
    double begun;             // when the current stage began: seconds since the step began
    double solved;            // when the problems were solved
    double energy, input;     // of bodies awake, and `input` below, when the step began
    double budget;            // energy that removing overlaps may add
    int moving;               // some body has moved
  } pace;
  double start;               // the clock when the step began
  double after_solving;       // seconds of the last step: detection and projection
  double input;               // energy put in: by adding bodies, pushes, moving bodies
  perp_world_report report;
  perp_statistics *trace;     // 2 x settings.trace: of the last step, of the one being solved
  int32_t trace_count, next_count;
};

// ---- bodies: world.c ----
perp_error world_check_motion(const perp_world *w, const perp_motion *m);

static inline body *bodies_of(const perp_world *w) { return w->body_memory.at; }
static inline perp_motion *motions_of(const perp_world *w) { return w->motion_memory.at; }
static inline int moves(const body *b) { return b->weight > 0.0; }   // is moved by contacts

void world_coefficients(const perp_world *w, int32_t a, int32_t b, double *mu, double *e);
void world_inverse_inertia(const body *b, const perp_motion *m, double *W);
double body_kinetic(const perp_world *w, int32_t i);
double body_potential(const perp_world *w, int32_t i);
// angular momentum of its spin, in the world's axes
void body_spin_momentum(const body *b, const perp_motion *m, double *L);

// ---- contacts of the positions now ----
perp_error broad_pairs(perp_world *w);     // broad.c: candidate_memory, candidates
// detect.c: fills `spare` with the contacts at the current positions. Those that are in `before`
// too keep their x. again = 1: uses the candidates of the last call.
perp_error world_detect(perp_world *w, const contact_list *before, int again);
// narrow.c: finds at most PAIR_CONTACTS_MAX contacts of a and b that are or may come closer than
// the margin, and fills their identity, normal, arms and gap.
enum { PAIR_CONTACTS_MAX = 16 };
int32_t narrow_contacts(const perp_world *w, worker *by, int32_t a, int32_t b, contact *found);

// ---- the step ----
// island.c: divides the contacts of l into islands, except those asleep. Sets body.local.
perp_error island_find(perp_world *w, contact_list *l, grouping *g);
void island_number(const perp_world *w, const island *s);   // sets body.local of its members again
void drift(const body *b, perp_motion *m, double h);   // drift.c
// drift.c: a body that reaches MAGNITUDE_MAX stops there and may slide along that boundary
void drift_limit(perp_motion *m);
// drift.c: the orientation q turned by cay(a), a in the world's axes
void drift_turn(double *q, const double *a);

#endif
