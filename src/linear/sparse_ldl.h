// sparse_ldl.h: P S P' = L D L' of a sparse symmetric matrix whose pivots may stay on the diagonal.
#ifndef PERP_SPARSE_LDL_H
#define PERP_SPARSE_LDL_H

#include <perp/method.h>

typedef struct sparse_ldl sparse_ldl;

sparse_ldl *sparse_ldl_create(const perp_allocator *allocator);   // NULL: no memory
void sparse_ldl_destroy(sparse_ldl *f);                           // NULL is fine

// Order, supernodes and pattern of L. 0: fine; 1: the pattern of A is not symmetric; -2: no memory.
int sparse_ldl_analyse(sparse_ldl *f, const perp_csc *A);

// Factors the symmetric part of the values on the analysed pattern. Where kept is given, rows and
// columns i with kept[i] = 0 count as those of the identity. 0: fine; k > 0: the pivot of row k - 1
// is not above `floor` in magnitude; -1: deadline.
int sparse_ldl_factor(sparse_ldl *f, const perp_csc *A, const uint8_t *kept, double floor,
                      const perp_deadline *deadline);
// The same for quasidefinite values near 1, whose pivots have the signs sign (n): those that
// rounding has eaten are replaced by small ones, so that it is the factor of a matrix nearby.
int sparse_ldl_factor_signed(sparse_ldl *f, const perp_csc *A, const uint8_t *kept,
                             const double *sign, double floor, const perp_deadline *deadline);
void sparse_ldl_solve(sparse_ldl *f, double *v);                  // n; v <- S^-1 v

int64_t sparse_ldl_nnz(const sparse_ldl *f);                      // of L, stored zeros included

#endif
