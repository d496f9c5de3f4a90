// comparison.h: vectors t > 0 with <A> t >= r, proven, where <A> is the comparison matrix.
#ifndef PERP_COMPARISON_H
#define PERP_COMPARISON_H

#include "columns.h"

typedef struct comparison_work {   // n each
  double *right, *p, *q, *z;
} comparison_work;

// On the rows and columns with in_i != 0 (NULL: all): t with <A> t >= r >= 0, where <A> has A_ii on
// the diagonal and -|A_ij| beside it; t is 0 elsewhere. Such a t > 0 with a positive left side
// shows that <A> is an M-matrix, so <A>^-1 r <= t. Sweeps first; where they do not suffice,
// elimination up to `dense_rows` rows, conjugate gradients beyond. Whatever comes out is verified
// with all rounding errors. unit_i: a natural size of t_i. Returns 1, 0: nothing was proven, -2: no
// memory.
int comparison_bound(const row_table *A, const uint8_t *in, const double *r, const double *unit,
                     int32_t dense_rows, const perp_allocator *from, const comparison_work *work,
                     double *t);

#endif
