// sparse_ldl.h: factors a sparse symmetric S as P S P' = L D L' and modifies the factor by rows.
//
// Pivots stay on the diagonal. Rows and columns of S can be added and deleted.
#ifndef PERP_SPARSE_LDL_H
#define PERP_SPARSE_LDL_H

#include <perp/method.h>

typedef struct sparse_ldl sparse_ldl;

sparse_ldl *sparse_ldl_create(const perp_allocator *allocator);   // NULL: no memory
void sparse_ldl_destroy(sparse_ldl *f);                           // NULL is fine

// Finds the order, the supernodes and the pattern of L, and allocates everything that the functions
// below need. 0: fine; 1: the pattern of A is not symmetric; -2: no memory.
int sparse_ldl_analyse(sparse_ldl *f, const perp_csc *A);

// Says what to do with bad pivots. sign[i] = 1 or -1 is the sign that the pivot of row i must have,
// as in a quasidefinite matrix (n, kept by the caller; NULL: either sign). With lift > 0 a pivot
// that is too small or has the wrong sign is replaced by sign*lift. With lift = 0, the default, it
// is an error.
void sparse_ldl_regularise(sparse_ldl *f, const double *sign, double lift);

// Factors the symmetric part of A, which has the analysed pattern. If kept is given, rows and
// columns i with kept[i] = 0 are replaced by those of the identity. 0: fine; k > 0: the pivot of
// row k - 1 is not above `floor` in magnitude or has the wrong sign; -1: deadline.
int sparse_ldl_factor(sparse_ldl *f, const perp_csc *A, const uint8_t *kept, double floor,
                      const perp_deadline *deadline);

// Replaces row and column k, so far those of the identity, by those of A on the kept rows (kept[k]
// is ignored). 0: fine; 1: the pivot of row k is not above the floor, and the factor is unchanged;
// 2: the pivot of a later row is not above the floor or changed its sign, and the caller must
// factor again.
int sparse_ldl_add(sparse_ldl *f, const perp_csc *A, const uint8_t *kept, int32_t k, double floor);

// Turns row and column k into those of the identity. 0: fine; 2: factor again.
int sparse_ldl_delete(sparse_ldl *f, const perp_csc *A, int32_t k, double floor);

// S <- S + a w w', where w has entries in `count` rows, and the pattern of S couples all these rows
// with each other. All rows of S must be kept. 0: fine; 2: factor again.
int sparse_ldl_change(sparse_ldl *f, double a, int32_t count, const int32_t *row,
                      const double *value, double floor);
double sparse_ldl_change_flops(const sparse_ldl *f, int32_t count, const int32_t *row);

// An upper bound of the flops to add row k. Deleting the row takes half as many.
double sparse_ldl_row_flops(sparse_ldl *f, const perp_csc *A, int32_t k);

void sparse_ldl_solve(sparse_ldl *f, double *v);                         // n; v <- S^-1 v

int64_t sparse_ldl_nnz(const sparse_ldl *f);                      // of L, stored zeros included
double sparse_ldl_flops(const sparse_ldl *f);                     // of factoring A, all rows kept
double sparse_ldl_flops_kept(const sparse_ldl *f, const uint8_t *kept);   // of factoring kept rows

#endif
