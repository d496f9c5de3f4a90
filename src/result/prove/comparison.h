// comparison.h: a proven vector t > 0 with <A> t >= r, where <A> is the comparison matrix.
#ifndef PERP_COMPARISON_H
#define PERP_COMPARISON_H

#include "columns.h"

// Rows up to which a proof may take O(n^3) operations. If none may, 16 of 29 proofs fail.
enum { PROVE_DENSE_ROWS_MAX = 1500 };

typedef struct comparison_work {   // n each
  double *right, *p, *q, *z;
} comparison_work;

// Finds t with <A> t >= r >= 0 on the rows and columns with in_i != 0 (NULL: all), and t = 0
// elsewhere. <A> has A_ii on the diagonal and -|A_ij| off it. A t > 0 with <A> t > 0 proves that <A>
// is an M-matrix, so <A>^-1 r <= t. It tries sweeps, then elimination up to `dense_rows` rows or
// conjugate gradients for more rows, and verifies t with all rounding errors. unit_i: the usual size
// of t_i. Returns 1: proven; 0: nothing was proven; -2: no memory.
int comparison_bound(const row_table *A, const uint8_t *in, const double *r, const double *unit,
                     int32_t dense_rows, const perp_allocator *from, const comparison_work *work,
                     double *t);

#endif
