// contact_path.h: the central path of E13 (27), followed to its end and around its turns.
#ifndef PERP_CONTACT_PATH_H
#define PERP_CONTACT_PATH_H

#include "contact_interior.h"

enum { PATH_POINTS_KEPT = 6 };  // points to which the path can go back

typedef struct contact_path {
  contact_interior p;
  double *affine;          // POINT_CHANGES(K) count: the changes towards products of 0
  double *kept;            // PATH_POINTS_KEPT times POINT_PARTS(K) count: points near the path
  int32_t count;           // of kept points; the last one is used first
  int turning;             // 1: the path is followed by its length, not by mu
  int ahead;               // 1: the last kept point has been left along the path
  int32_t short_steps;     // short steps in a row outside of turns
  int32_t corrections;     // corrections back to the path since the last prediction
  double stride;           // largest relative change along the path
  double lowest;           // mu where the turn began
} contact_path;

int contact_path_begin(contact_path *t, const contact_bodies *s, perp_run *run);   // 0: ended
// turn = 0: all products are equal; other values draw random ratios, which gives another path.
void contact_path_start(contact_path *t, contact_bodies *s, int32_t turn);
// One step. 1: success; 0: this path leads nowhere, and the point must not be used.
int contact_path_step(contact_path *t, contact_bodies *s, block_lu *factor, perp_run *run);

#endif
