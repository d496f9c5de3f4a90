// diagonals.h: the three diagonals of a matrix that has no others.
#ifndef PERP_DIAGONALS_H
#define PERP_DIAGONALS_H

#include <perp/perp.h>

// Is there an entry with |i - j| > 1? 0: none; 1: there is, at *row, *column; -1: A does not tell
// its entries; -2: no memory. Dense and CSC matrices are read where they are, also under wrappers;
// of another one, such as J W J', a copy is made for the time of the call.
int diagonals_other(const perp_operator *A, const perp_allocator *allocator, int32_t *row,
                    int32_t *column);

// left_i = A_(i,i-1), middle_i = A_ii, right_i = A_(i,i+1), n each and 0 where there is none. For
// an A whose diagonals_other() is 0; allocates nothing.
void diagonals_read(const perp_operator *A, double *left, double *middle, double *right);

#endif
