// groups.h: finds rows of a symmetric A that share a pattern and span few dimensions.
//
// Contact points between the same two bodies give such rows. With r skeleton rows s_k of group g
//     A(i,j) = sum_k T_ik A(s_k,j)   for i in g, j outside of g.
// So A = T S0 T' + B, where B has the diagonal blocks A_gg, and S0 has the entries of A between
// skeleton rows of different groups.
#ifndef PERP_GROUPS_H
#define PERP_GROUPS_H

#include <perp/method.h>

typedef struct groups {
  int32_t n, count;          // rows, groups; every row is in exactly one
  int32_t *start, *row;      // count + 1, n: the rows of group g start at row[start[g]], ascending
  int32_t *slot;             // count + 1: the skeleton of g has r_g = slot[g+1] - slot[g] >= 1 rows
  int32_t *skeleton;         // slot[count]: the skeleton rows, as rows of A
  int64_t *weight;           // count + 1: start of T_g, m_g x r_g by rows
  double *T;                 // the skeleton's own rows of T are those of the identity
  void *block;               // memory of all arrays
} groups;

// Skeleton rows of a group. Two bodies need 6, one for each relative motion. With 1, fewer problems
// are solved.
#define GROUPS_RANK_MAX 32
// Largest number of skeleton rows, relative to the rows of a group and to all rows. Without this
// limit, obstacles and liquids take 1.2 to 4.8 times the work; without groups, a wall is not solved.
#define GROUPS_SKELETON_MAX 0.8
// Entries below this count as rounding; the largest ones are near 1. With 1e-18 few groups are
// found, and a wall is not solved.
#define GROUPS_ROUNDING 1e-12
// A is symmetric up to rounding, has sorted rows and a diagonal entry in every column. Rows without
// partners, or with too few for their space, are groups of one with T = 1. 0: success; 1: there are
// more than most*n skeleton rows, and `out` is empty; -2: no memory.
int groups_find(const perp_csc *A, double most, const perp_allocator *allocator, groups *out);
void groups_free(const perp_allocator *allocator, groups *g);   // an empty one is fine

#endif
