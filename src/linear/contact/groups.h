// groups.h: rows of a symmetric A that share a pattern and lie in a space of few dimensions.
//
// Contact points between the same two bodies give such rows: with r skeleton rows s_k of group g
//     A(i,j) = sum_k T_ik A(s_k,j)   for i in g, j outside of g
// so that A = T S0 T' + B with B the diagonal blocks A_gg, and S0 the entries of A between skeleton
// rows of different groups.
#ifndef PERP_GROUPS_H
#define PERP_GROUPS_H

#include <perp/method.h>

typedef struct groups {
  int32_t n, count;          // rows, groups; every row is in exactly one
  int32_t *start, *row;      // count + 1, n: the rows of group g are row[start[g]] ..., ascending
  int32_t *slot;             // count + 1: its skeleton has slot[g+1] - slot[g] = r_g >= 1 rows, ...
  int32_t *skeleton;         // slot[count]: ... these of A
  int64_t *weight;           // count + 1: where T_g begins, m_g x r_g by rows
  double *T;                 // the rows of the skeleton are those of the identity
  void *block;               // what all of them live in
} groups;

// A: symmetric but for rounding, rows sorted, a diagonal entry in every column. Rows that find no
// partners, or not enough of them for their space, are groups of one with T = 1. 0: fine; 1: there
// are more than most*n skeleton rows, and `out` is empty; -2: no memory.
#define GROUPS_RANK 32       // of a group at most; two bodies have 6 relative motions
#define GROUPS_MOST 0.8      // above it a smaller matrix does not pay for the blocks
int groups_find(const perp_csc *A, double most, const perp_allocator *allocator, groups *out);
void groups_free(const perp_allocator *allocator, groups *g);   // an empty one is fine

#endif
