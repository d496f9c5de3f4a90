// sparse_lu.h: factors a sparse matrix as P A Q = L U with column order against fill.
#ifndef PERP_SPARSE_LU_H
#define PERP_SPARSE_LU_H

#include <perp/method.h>

typedef struct sparse_lu sparse_lu;

sparse_lu *sparse_lu_create(const perp_allocator *allocator);   // NULL: no memory
void sparse_lu_destroy(sparse_lu *lu);                          // NULL is fine

// Permutes this pattern (n x n, rows of a column in any order, values are not read) to block
// triangular form and orders the blocks. diagonal = 1: pivots will mostly be on the diagonal, so
// B + B' of each block B is ordered. diagonal = 0: any pattern; B'B is ordered if B is far from
// symmetric. A column of a basis is best placed at its diagonal: a_j or e_j at j. 0: fine; -2: no
// memory.
int sparse_lu_analyse(sparse_lu *lu, const perp_csc *A, int diagonal);

// Factors values on the analysed pattern. A row can be pivot if it has at least `threshold` (0.1,
// say) of the largest entry of its column; the diagonal is preferred, then the largest entry. If
// the last call on this analysis succeeded, its pivots are tried first, at half the cost. A column
// without an entry above `floor` is singular. 0: fine; k > 0: singular at column k - 1; -1:
// deadline; -2: no memory.
int sparse_lu_factor(sparse_lu *lu, const perp_csc *A, double threshold, double floor,
                     const perp_deadline *deadline);

// n; v <- A^-1 v and v <- A'^-1 v. Do nothing unless the last factorisation succeeded.
void sparse_lu_solve(const sparse_lu *lu, double *v);
void sparse_lu_solve_transpose(const sparse_lu *lu, double *v);

// Solves for a sparse right-hand side. It finds the pattern of the result first, so it costs only
// the entries it touches. On entry v (n) is zero outside pattern[0 .. count-1]; on exit it is zero
// outside the returned pattern. pattern has room for n. Returns the new count.
int32_t sparse_lu_solve_few(sparse_lu *lu, double *v, int32_t *pattern, int32_t count);

int64_t sparse_lu_nnz(const sparse_lu *lu);                     // of L and U
double sparse_lu_flops(const sparse_lu *lu);                    // of the last factorisation

// A fill-reducing order of the symmetric pattern of A + A': order[k] is eliminated k-th. The same
// pattern always gives the same order. 0: fine; -2: no memory.
int order_minimum_degree(const perp_csc *A, const perp_allocator *allocator, int32_t *order);

#endif
