// diagonals.h: reads the three diagonals of a tridiagonal matrix.
#ifndef PERP_DIAGONALS_H
#define PERP_DIAGONALS_H

#include <perp/perp.h>

// Looks for an entry with |i - j| > 1. 0: there is none; 1: there is one, at *row, *column; -1: A
// does not show its entries; -2: no memory. Dense and CSC matrices are read in place, also under
// wrappers. Any other A, such as J W J', is copied during the call.
int diagonals_other(const perp_operator *A, const perp_allocator *allocator, int32_t *row,
                    int32_t *column);

// left_i = A_(i,i-1), middle_i = A_ii, right_i = A_(i,i+1), n each, 0 where there is no entry. Call
// it only if diagonals_other() returned 0. Does not allocate.
void diagonals_read(const perp_operator *A, double *left, double *middle, double *right);

#endif
