// contacts.h: the contacts in a matrix that has the block pattern of the contact LCP E13 (27).
#ifndef PERP_CONTACTS_H
#define PERP_CONTACTS_H

#include <perp/matrix.h>
#include <perp/perp.h>

#include "arena.h"

//   y_n = Bnn ln + Bnt lt + bn        normal impulses ln
//   y_t = Btn ln + Btt lt + E s + bt  tangential impulses lt: K >= 1 directions at each contact
//   y_s = mu ln - E' lt               slack velocities s ("beta")
// in any order of rows. Each row of E has a single 1.
typedef struct contacts {
  int32_t count;
  int32_t directions;     // most of any contact
  int32_t *normal;        // count: row of ln
  int32_t *slack;         // count: row of s
  int32_t *first;         // count + 1: tangential rows of contact c are tangent[first[c] ..]
  int32_t *tangent;       // at most n
  double *mu;             // count
  double asymmetry;       // of B, as symmetry.h has it
  void *block;            // memory of contacts_search()
} contacts;

void contacts_layout(contacts *c, arena *memory, int32_t n);
// A and its transpose T store no zeros. Returns 1 if the contacts were found; 0: `reason` says
// which entry does not fit. seen (n) is work.
int contacts_find(contacts *c, const perp_csc *A, const perp_csc *T, int32_t *seen, char *reason,
                  size_t size);
// The same in memory of its own, c->block, which the caller releases. -2: there is none.
int contacts_search(contacts *c, const perp_csc *A, const perp_csc *T, const perp_allocator *from,
                    char *reason, size_t size);
// The same for a perp_contacts operator, which states its contacts; no search.
void contacts_of(contacts *c, const perp_contacts *from);

#endif
