// contact_faces.h: the linear system of contacts that stay on their faces, through bodies.
#ifndef PERP_CONTACT_FACES_H
#define PERP_CONTACT_FACES_H

#include "contact_bodies.h"
#include "small_lcp.h"

enum { FACES_MOST = 32 };        // contacts of a subproblem

typedef struct contact_faces {
  block_lu *factor;
  double *g;                     // BLOCK (bodies + 1)
  double *dl;                    // 3 contacts
  double *M;                     // 9 contacts: what they answer, of the faces that were factored
  double *column;                // 3 FACES_MOST columns of BLOCK (bodies + 1): later, NULL
  double *G;                     // (3 FACES_MOST)^2
  double *doubles;               // of the subproblem
  int32_t *integers;
  uint8_t *chosen;               // contacts
} contact_faces;

int contact_faces_begin(contact_faces *f, const contact_bodies *s, perp_run *run);   // 0: ended
void contact_faces_end(contact_faces *f);
// l from its place on the faces s->face to where R v = 0, with so many corrections. Returns the
// largest |R v|/speed that is left; INFINITY: singular, l is as before.
double contact_faces_solve(contact_faces *f, contact_bodies *s, perp_run *run, int corrections);
// Solves E13 (27) of `count` chosen contacts, the others staying on their faces. 1: their faces and
// l are set; 0: not solved, or the time is over.
int contact_faces_choose(contact_faces *f, contact_bodies *s, perp_run *run, const int32_t *chosen,
                         int32_t count);

#endif
