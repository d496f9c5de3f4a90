// contact_path.h: the central path of E13 (27), followed to its end and around its turns.
#ifndef PERP_CONTACT_PATH_H
#define PERP_CONTACT_PATH_H

#include "contact_interior.h"

enum { PATH_KEPT = 6 };

typedef struct contact_path {
  contact_interior p;
  double *affine;          // POINT_CHANGES(K) count: the changes towards products of 0
  double *kept;            // PATH_KEPT times POINT_PARTS(K) count: points near the path
  int32_t count;           // of them, the last one first to go back to
  int turning;             // it is followed by its length, not by mu
  int ahead;               // `kept` has been left along the path
  int32_t straights;       // steps that were not turning
  int32_t jams;            // short ones of them in a row
  int32_t corrections;     // back to the path since then
  int32_t returns;         // to `kept`
  double stride;           // largest relative change along the path
  double lowest;           // mu where it began to turn
} contact_path;

int contact_path_begin(contact_path *t, const contact_bodies *s, perp_run *run);   // 0: ended
// turn = 0: products that are all equal; others: in ratios that are drawn by it, another path.
void contact_path_start(contact_path *t, contact_bodies *s, int32_t turn);
// One step. 1: fine; 0: this path leads nowhere, and the point is not to be used.
int contact_path_step(contact_path *t, contact_bodies *s, block_lu *factor, perp_run *run);

#endif
