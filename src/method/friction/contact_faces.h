// contact_faces.h: solves the linear system of contacts that stay on their faces, through bodies.
#ifndef PERP_CONTACT_FACES_H
#define PERP_CONTACT_FACES_H

#include "contact_bodies.h"
#include "small_lcp.h"

enum { FACES_CONTACTS_MAX = 32 };  // contacts of a subproblem; without a limit: up to 1.65 times the
                                   //   work
// Least sigma. Its inverse multiplies rounding errors. With 1e-12, card houses take 1.2 times the
// work.
#define SIGMA_MIN 1e-6

typedef struct contact_faces {
  block_lu *factor;
  double *g;                     // BLOCK (bodies + 1)
  double *dl;                    // 3 contacts
  double *M;                     // 9 contacts: M of the factored faces
  double *column;                // BLOCK (bodies + 1) x 3 FACES_CONTACTS_MAX; NULL until needed
  double *G;                     // (3 FACES_CONTACTS_MAX)^2
  double *doubles;               // memory of the subproblem
  int32_t *integers;
  uint8_t *chosen;               // contacts
} contact_faces;

int contact_faces_begin(contact_faces *f, const contact_bodies *s, perp_run *run);   // 0: ended
void contact_faces_end(contact_faces *f);
// Moves l on the faces s->face to R v = 0, with this number of corrections. Returns the remaining
// |R v|/speed; INFINITY: the system is singular, and l is unchanged.
double contact_faces_solve(contact_faces *f, contact_bodies *s, perp_run *run, int corrections);
// Solves E13 (27) for `count` chosen contacts, while the others stay on their faces. 1: sets their
// faces and l; 0: not solved, or time is up.
int contact_faces_choose(contact_faces *f, contact_bodies *s, perp_run *run, const int32_t *chosen,
                         int32_t count);

#endif
