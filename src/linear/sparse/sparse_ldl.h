// sparse_ldl.h: P S P' = L D L' of a sparse symmetric matrix whose pivots may stay on the diagonal,
// and how L and D follow rows that come and go.
#ifndef PERP_SPARSE_LDL_H
#define PERP_SPARSE_LDL_H

#include <perp/method.h>

typedef struct sparse_ldl sparse_ldl;

sparse_ldl *sparse_ldl_create(const perp_allocator *allocator);   // NULL: no memory
void sparse_ldl_destroy(sparse_ldl *f);                           // NULL is fine

// Order, supernodes and pattern of L. 0: fine; 1: the pattern of A is not symmetric; -2: no memory.
// Nothing below allocates.
int sparse_ldl_analyse(sparse_ldl *f, const perp_csc *A);

// What becomes of pivots that are too small: sign[i] = 1 or -1 (n, kept by the caller; NULL: either
// will do) is the sign that the pivot of row i must have, as in a quasidefinite matrix; with
// lift > 0 a pivot that fails is replaced by sign*lift and counted, with lift = 0 (the default) it
// is an error.
void sparse_ldl_regularise(sparse_ldl *f, const double *sign, double lift);

// Factors the symmetric part of the values on the analysed pattern. Where kept is given, rows and
// columns i with kept[i] = 0 count as those of the identity. 0: fine; k > 0: the pivot of row k - 1
// is not above `floor` in magnitude (or not of its sign); -1: deadline.
int sparse_ldl_factor(sparse_ldl *f, const perp_csc *A, const uint8_t *kept, double floor,
                      const perp_deadline *deadline);

// Row and column k, until now those of the identity, become those of S restricted to the rows that
// are kept (kept[k] is not asked). 0: fine; 1: the pivot of row k is not above the floor, and the
// factor is as before; 2: the pivot of a later row is not above it, or changed its sign: factor
// anew.
int sparse_ldl_add(sparse_ldl *f, const perp_csc *A, const uint8_t *kept, int32_t k, double floor);

// Row and column k become those of the identity. 0: fine; 2: factor anew.
int sparse_ldl_delete(sparse_ldl *f, const perp_csc *A, int32_t k, double floor);

// S <- S + a w w' for a w with entries in `count` rows that the pattern of S couples all with each
// other; S is wholly kept. 0: fine; 2: factor anew.
int sparse_ldl_change(sparse_ldl *f, double a, int32_t count, const int32_t *row,
                      const double *value, double floor);
double sparse_ldl_change_flops(const sparse_ldl *f, int32_t count, const int32_t *row);

// Operations of adding row k, at most; deleting it takes half.
double sparse_ldl_row_flops(sparse_ldl *f, const perp_csc *A, int32_t k);

void sparse_ldl_solve(sparse_ldl *f, double *v);                         // n; v <- S^-1 v

int64_t sparse_ldl_nnz(const sparse_ldl *f);                      // of L, stored zeros included
double sparse_ldl_flops(const sparse_ldl *f);                     // of factoring all of A
double sparse_ldl_flops_kept(const sparse_ldl *f, const uint8_t *kept);   // ... and part of it

#endif
