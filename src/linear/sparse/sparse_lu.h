// sparse_lu.h: factors a sparse matrix as P A Q = L U with column order against fill.
#ifndef PERP_SPARSE_LU_H
#define PERP_SPARSE_LU_H

#include <perp/method.h>

typedef struct sparse_lu sparse_lu;

sparse_lu *sparse_lu_create(const perp_allocator *allocator);   // NULL: no memory
void sparse_lu_destroy(sparse_lu *lu);                          // NULL is fine

// Permutes the pattern of A (n x n, rows of a column in any order, values are not read) to block
// triangular form and orders each block B. diagonal = 1: orders B + B', for matrices whose pivots
// are mostly on the diagonal. diagonal = 0: orders B'B if B is far from symmetric. A basis should
// have a_j or e_j as its column j, so that entries are on the diagonal. 0: fine; -2: no memory.
int sparse_lu_analyse(sparse_lu *lu, const perp_csc *A, int diagonal);

// The usual `threshold` of sparse_lu_factor(). If larger, quadratic programs take up to 1.08 times
// the work.
#define SPARSE_LU_PIVOT_MIN 0.1
// Factors A, which has the analysed pattern. A pivot must be at least `threshold` times the largest
// entry of its column; the diagonal is preferred, then the largest entry. If the last
// call on this analysis succeeded, its pivots are tried first, at half the cost. 0: fine; k > 0:
// singular, column k - 1 has no entry above `floor`; -1: deadline; -2: no memory.
int sparse_lu_factor(sparse_lu *lu, const perp_csc *A, double threshold, double floor,
                     const perp_deadline *deadline);

// v <- A^-1 v and v <- A'^-1 v; v: n. They do nothing unless the last factorisation succeeded.
void sparse_lu_solve(const sparse_lu *lu, double *v);
void sparse_lu_solve_transpose(const sparse_lu *lu, double *v);

// v <- A^-1 v for a sparse v. Finds the pattern of the result first, so the cost is the entries it
// touches. v (n) is zero outside pattern[0 .. count-1], on entry and on return. pattern has room
// for n. Returns the new count.
int32_t sparse_lu_solve_few(sparse_lu *lu, double *v, int32_t *pattern, int32_t count);

int64_t sparse_lu_nnz(const sparse_lu *lu);                     // of L and U
double sparse_lu_flops(const sparse_lu *lu);                    // of the last factorisation

// A fill-reducing order of the symmetric pattern of A + A': order[k] is eliminated k-th. The same
// pattern always gives the same order. 0: fine; -2: no memory.
int order_minimum_degree(const perp_csc *A, const perp_allocator *allocator, int32_t *order);

#endif
