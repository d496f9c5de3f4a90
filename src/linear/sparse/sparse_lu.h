// sparse_lu.h: P A Q = L U of a sparse matrix: columns ordered against fill, rows as it goes.
#ifndef PERP_SPARSE_LU_H
#define PERP_SPARSE_LU_H

#include <perp/method.h>

typedef struct sparse_lu sparse_lu;

sparse_lu *sparse_lu_create(const perp_allocator *allocator);   // NULL: no memory
void sparse_lu_destroy(sparse_lu *lu);                          // NULL is fine

// Permutes this pattern (n x n, rows of a column in any order, values not read) to block triangular
// form and orders the blocks. diagonal: 1 where pivots will mostly stand on the diagonal (B + B' of
// a block B is ordered), 0 for any pattern (B'B is, where B is far from symmetric). Columns of a
// basis are best put where their diagonal is: a_j or e_j at j. 0: fine, -2: no memory.
int sparse_lu_analyse(sparse_lu *lu, const perp_csc *A, int diagonal);

// Factors values on the analysed pattern. A row is pivot if it has at least `threshold` (0.1, say)
// of the largest entry of its column; the diagonal first, then the largest. Where the last call on
// this analysis went well its pivots are kept, at half the cost, if they all pass. A column without
// an entry above `floor` is singular. 0: fine; k > 0: singular at column k - 1; -1: deadline;
// -2: no memory.
int sparse_lu_factor(sparse_lu *lu, const perp_csc *A, double threshold, double floor,
                     const perp_deadline *deadline);

// n; v <- A^-1 v and v <- A'^-1 v. Nothing happens unless the last factorisation went well.
void sparse_lu_solve(const sparse_lu *lu, double *v);
void sparse_lu_solve_transpose(const sparse_lu *lu, double *v);

// Sparse right-hand side: the pattern of the result is found first, so that a solve costs what it
// touches. v (n) is zero outside pattern[0 .. count-1] on entry, and outside the returned pattern
// on exit; pattern has room for n. Returns the new count.
int32_t sparse_lu_solve_few(sparse_lu *lu, double *v, int32_t *pattern, int32_t count);

int64_t sparse_lu_nnz(const sparse_lu *lu);                     // of L and U
double sparse_lu_flops(const sparse_lu *lu);                    // of the last factorisation

// A fill-reducing order of the symmetric pattern of A + A': order[k] is the k-th to eliminate.
// Always the same bits. 0: fine, -2: no memory.
int order_minimum_degree(const perp_csc *A, const perp_allocator *allocator, int32_t *order);

#endif
