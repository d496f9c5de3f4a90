// group_free.h: reduces the free rows of a group to as many unknowns as the group has dimensions.
#ifndef PERP_GROUP_FREE_H
#define PERP_GROUP_FREE_H

#include <perp/method.h>

typedef struct group_free {  // a group of m rows and r slots; rows by their position in the group
  int32_t m, r;
  int32_t *slot;             // r: the free row in a slot, -1: none
  int32_t *rest, count;      // m: the other free rows, `count` of them, ascending
  double *T;                 // m x r by rows: row rest[q] is the sum over k of T_qk slot[k]
  double *X;                 // m x r by rows: E^-1 F, see group_free.c
  double *L;                 // m x m by rows: E = L L'
  double *K;                 // r x r: the block that the slots keep; rows without a slot are 0
} group_free;

// Chooses slots for the free rows from the weights T (m x r by rows, groups.h), the group's
// skeleton rows (r, by position) and the block B (m x m by rows). T is for rows with entries near
// 1, and B for the same rows times `scale` (m), which brings a large diagonal near 1. A row keeps
// its slot if its coefficient there is not small. W: m x r, basis: r, work. 0: fine; k > 0: the pivot
// of E at row k - 1 is not above `floor`, which is relative to entries near 1; -1: deadline.
int group_condense(group_free *f, const double *T, const int32_t *skeleton, const double *B,
                   const double *scale, const uint8_t *is_free, double floor, double *W,
                   int32_t *basis, const perp_deadline *deadline);

// Reduces r (m, by position) to s (r) for the slots. rest receives E^-1 of the other rows' part.
void group_forward(const group_free *f, const double *r, double *s, double *rest);
// Expands the solution t of the slots to all free rows, z (m). rest is that of group_forward.
void group_backward(const group_free *f, const double *t, double *rest, double *z);

// Splits the symmetric D (r x r, overwritten) into the sum over k of lambda_k v_k v_k'; v_k are the
// rows of V.
void group_split(int32_t r, double *D, double *V, double *lambda);

#endif
