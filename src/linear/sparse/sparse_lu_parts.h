// sparse_lu_parts.h: the factors and the work space, shared by the files of the sparse LU.
#ifndef PERP_SPARSE_LU_PARTS_H
#define PERP_SPARSE_LU_PARTS_H

#include "sparse_lu.h"


typedef struct lu_entries {   // the columns of L or U, one after the other
  int64_t used, room;
  int32_t *index;             // room
  double *value;              // room
} lu_entries;

struct sparse_lu {
  perp_allocator memory;
  void *block;                // memory of the arrays of size n
  int32_t n, capacity;        // rows; rows that `block` has room for
  int32_t unmatched;          // -1, or a column without a row: A is singular for all values
  int32_t factored;
  double flops;

  // the analysis: the permuted matrix by positions
  int32_t blocks;
  int32_t *start;             // n + 1: block b stands at start[b] .. start[b + 1] - 1
  int32_t *first;             // n: start of the block of a position
  int32_t *column;            // n: column of A at a position
  int32_t *matched;           // n: row of A with a name; rows are named by these positions
  int32_t *place;             // n: name of a row of A

  // the factors: unit lower triangular L without its diagonal, U without its diagonal
  lu_entries L, U;
  int64_t *L_start, *U_start; // n + 1
  double *diagonal;           // n: of U
  int32_t *row;               // n: row of A that is the pivot row at a position
  int32_t *position;          // n: its inverse

  // used while factoring
  int64_t *L_visit;           // n: end of the part of a column of L that a search visits
  int32_t *pivot;             // n: position of a row by name
  int32_t *name;              // n: its inverse
  int32_t *preferred, *owner; // n: the pivot row that a column prefers, and its inverse
  int32_t *seen;              // n: the last column that met a row, by the row's name
  int32_t *stack, *order;     // 2 n each
  int64_t *next;              // 2 n
  int32_t stamp;              // value in `visited` that marks nodes of the last sparse solve
  int32_t *visited;           // 2 n
  double *x;                  // n: zero between columns, and between sparse solves
  double *v;                  // n: work of a solve
};

// sparse_lu_analyse() with a known order: columns are eliminated by ascending rank[j]. The order is
// used in blocks that keep their diagonal, such as those of A_II with an order of A.
int sparse_lu_analyse_ranked(sparse_lu *lu, const perp_csc *A, const int32_t *rank);

// Factors with the pivots of the last successful factorisation. 0: fine; 1: a pivot is no longer
// large enough, and the factors are unusable; -1: deadline.
int lu_refactor(sparse_lu *lu, const perp_csc *A, double threshold, double floor,
                const perp_deadline *deadline);

void *lu_take(const sparse_lu *lu, int64_t count, size_t size);   // NULL: no memory
void lu_drop(const sparse_lu *lu, void *memory);                  // NULL is fine

#endif
