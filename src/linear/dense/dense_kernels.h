// dense_kernels.h: small dense kernels for the linear solvers and for methods that factor
// themselves.
#ifndef PERP_DENSE_KERNELS_H
#define PERP_DENSE_KERNELS_H

#include <perp/method.h>

// Scales S <- diag(r) S diag(c) in place by powers of two that bring the largest entry of every
// row and column near 1. Rows and columns of zeros keep the scale 1. S: rows x columns, row-major;
// r: rows; c: columns.
void dense_equilibrate(int32_t rows, int32_t columns, double *S, double *r, double *c);

// Factors P S = L U in place with partial pivoting. Step k exchanges rows k and pivot[k]. Returns
// 0; k + 1: no entry of column k exceeds `floor` in magnitude, and columns 0 .. k-1 are factored;
// -1: the deadline (NULL: none) has passed.
int32_t lu_factor(int32_t m, double *S, int32_t *pivot, double floor,
                  const perp_deadline *deadline);   // m x m, row-major; m
void lu_solve(int32_t m, const double *S, const int32_t *pivot, double *v);   // v <- S^-1 v

// Finds all solutions of S x = rhs as x + N t, by elimination with complete pivoting. Elimination
// stops at pivots of at most threshold times the largest entry of S. The equations left over are
// ignored; the caller checks whether x satisfies them. Returns the rank. N is columns x (columns -
// rank), row-major. *smallest is the smallest pivot relative to the first. order, x: columns; N:
// columns^2.
int32_t lu_affine(int32_t rows, int32_t columns, double *S, double *rhs, double threshold,
                  int32_t *order, double *x, double *N, double *smallest);

// Lists the free rows in `set`, ascending (set NULL: counts only). Returns their number.
static inline int32_t free_rows(int32_t n, const uint8_t *is_free, int32_t *set) {
  int32_t m = 0;
  for (int32_t i = 0; i < n; i++) {
    if (!is_free[i]) continue;
    if (set != NULL) set[m] = i;
    m++;
  }
  return m;
}

#define DEADLINE_POLL_FLOPS 1e6   // operations between two checks of a deadline: about a millisecond

static inline int deadline_passed(const perp_deadline *deadline) {
  return deadline != NULL && deadline->passed != NULL && deadline->passed(deadline->context) != 0;
}

#endif
