// dense_ldlt.h: Bunch-Kaufman's U'DU of a dense symmetric matrix.
#ifndef PERP_DENSE_LDLT_H
#define PERP_DENSE_LDLT_H

#include <perp/method.h>

// P S P' = U'DU, U unit upper triangular, D with blocks of one and two rows. S: m x m, row-major,
// only its upper triangle is read; D and U replace it. order: row k of P S P' is row order[k] of S.
// block[k] is 1, or 2 and 0 for the two rows of a block. Returns 0, or k + 1 where no pivot above
// `floor` is left at row k; -1: the deadline has passed.
int32_t ldlt_factor(int32_t m, double *S, int32_t *order, uint8_t *block, double floor,
                    const perp_deadline *deadline);
// v <- S^-1 v; work: m
void ldlt_solve(int32_t m, const double *S, const int32_t *order, const uint8_t *block, double *v,
                double *work);

// How many eigenvalues of the last A_II that linear_dense_ldlt has factored are positive and
// negative.
typedef struct inertia { int32_t positive, negative; } inertia;
inertia dense_ldlt_inertia(const void *self);

#endif
