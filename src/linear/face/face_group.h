// face_group.h: the parts of the face by groups, shared by its files.
#ifndef PERP_FACE_GROUP_H
#define PERP_FACE_GROUP_H

#include "face_kind.h"
#include "group_free.h"
#include "groups.h"
#include "sparse_ldl.h"

typedef struct group_face {
  face base;
  perp_allocator memory;
  int32_t n, slots, count;   // numbers of rows, slots and groups
  int32_t rows_max;          // a group may have this many
  perp_csc A;                // R A R, symmetric
  double *value;             // of A
  double *r;                 // n: R
  double *s;                 // n: scales on top of R, where the diagonal is large
  double *d;                 // n: s R D R s, the diagonal that is added
  groups g;
  void *block[2];            // memory of all arrays below
  group_free *part;          // count: the groups' free rows, as in `kept`
  int32_t *skeleton;         // slots: the rows of each group's skeleton, by position in the group
  int32_t *group;            // n: group of a row
  int32_t *inside;           // n: of row[start[g] + k], the place of its entry in a column of g
  int32_t *base_at;          // for every entry of the first column of g: place of the first slot of
  int64_t *base_from;        //   that row's group in a column of g. count + 1: start of each g
  int32_t *colptr, *row;     // of S
  int32_t *mirror;           // entries of S: place of the mirror image
  double *S_value;
  perp_csc S;                // K + S0: the analysed pattern
  int32_t *slot_row;         // slots: the row that S and the factor hold there; NONE: none
  int32_t *slot_of;          // n: its inverse
  uint8_t *slot_kept;        // slots: slot_row != NONE
  uint8_t *maybe;            // slots: 1 if it may be in use
  double *plus;              // slots, all 1: the signs of the pivots
  uint8_t *kept, *stale;     // n: free rows; count: groups whose `part` is out of date
  int32_t *touched;          // count: groups that change
  double *rhs, *rest, *left; // n each: work of a solve; `left` is ordered by groups
  double *t;                 // slots
  double *B, *W;             // largest group squared: a block; weights
  double *x, *y;             // longest column: gathered; largest group: a right-hand side
  double *D, *V, *lambda;    // largest r squared, squared, r
  int32_t *basis, *index;    // largest r
  uint8_t *mask;             // largest group: which rows are free
  sparse_ldl *ldl;
  double sigma, norm;        // D = sigma I; largest row sum of |R A R|
  const double *more;        // n: D in place of sigma; NULL: use sigma
  double blocks;             // operations of all groups with all rows free
  int32_t since;             // modifications since the last factorisation
  int factored;              // 1: the factor is that of slot_row and S
  int ready;                 // 1: and the last update succeeded
} group_face;

static inline int32_t first_slot(const group_face *f, int32_t g) { return f->g.slot[g]; }

double group_flops(int32_t m, int32_t r);   // operations of group_condense

// Makes everything but the factor, from A and its groups, and takes them unless a group has more
// than rows_max rows. 0: fine; 1: a group is too large, or the pattern of A is not symmetric; -2:
// no memory.
int group_face_make(group_face *f, perp_csc *A, groups *g);
// D = sigma I, or D = more unless it is NULL. There is no factor afterwards.
void group_face_diagonal(group_face *f, double sigma, const double *more);
void group_face_clear(group_face *f);   // releases all but f

#endif
