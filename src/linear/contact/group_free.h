// group_free.h: the free rows of one group of groups.h, brought down to as many unknowns as the
// group has dimensions.
#ifndef PERP_GROUP_FREE_H
#define PERP_GROUP_FREE_H

#include <stdint.h>

typedef struct group_free {  // of a group of m rows and r slots; rows by their position in it
  int32_t m, r;
  int32_t *slot;             // r: the free row that stands in a slot, -1: none
  int32_t *rest, count;      // m: the other free rows, `count` of them, ascending
  double *T;                 // m x r by rows: row rest[q] is the sum over k of T_qk slot[k]
  double *X;                 // m x r by rows: E^-1 F, see group_free.c
  double *L;                 // m x m by rows: E = L L'
  double *K;                 // r x r: what is left for the slots; rows without a slot are 0
} group_free;

// Free rows and slots from the weights T (m x r by rows, groups.h), the group's own rows of the
// skeleton (r, by position) and the block B (m x m by rows). A row that has a slot keeps it where
// that does no harm. W: m x r, basis: r, work. 0: fine; k > 0: E has no pivot above `floor`, which
// is relative to entries near 1, for row k - 1.
int group_condense(group_free *f, const double *T, const int32_t *skeleton, const double *B,
                   const uint8_t *is_free, double floor, double *W, int32_t *basis);

// r (m, by position) -> what is left of it for the slots, s (r); rest gets E^-1 of the rest's part.
void group_forward(const group_free *f, const double *r, double *s, double *rest);
// The solution t of the slots -> that of all free rows, z (m); rest is that of group_forward.
void group_backward(const group_free *f, const double *t, double *rest, double *z);

// The symmetric D (r x r, destroyed) = sum over k of lambda_k v_k v_k'; v_k are the rows of V.
void group_split(int32_t r, double *D, double *V, double *lambda);

#endif
