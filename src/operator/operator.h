// operator.h: functions on operators for the layers above, beyond the public ops.
#ifndef PERP_OPERATOR_H
#define PERP_OPERATOR_H

#include <perp/matrix.h>
#include <perp/perp.h>

#include <math.h>

#include "arena.h"
#include "team.h"

// 1: the operator can multiply. A wrapper around one that cannot has self = NULL, and validation
// refuses it.
static inline int operator_is_given(const perp_operator *A) {
  return A->ops != NULL && A->ops->apply != NULL && A->self != NULL;
}
perp_view operator_view(const perp_operator *A);          // PERP_VIEW_NONE if ops->view is NULL
// y = A x, with the threads if A is a grid. Returns the value of A->ops->apply.
int operator_product(const perp_operator *A, const double *x, double *y, void *scratch,
                     team *threads);
size_t operator_scratch_bytes(const perp_operator *A);    // 0 if it needs none
size_t operator_sweep_bytes(const perp_operator *A);      // for ops->sweep; 0 if there is none

// One projected relaxation, the step of every sweep: returns the new x_i for y_i = (A x + b)_i. If
// A_ii <= 0, the row is linear or concave in x_i. Then x_i moves to the bound in the direction of
// -y_i if that bound is finite.
static inline double relaxed(double x, double y, double diagonal, double omega, double lo,
                             double hi) {
  if (diagonal > 0.0) {
    const double z = x - omega*y/diagonal;
    return z < lo ? lo : z > hi ? hi : z;
  }
  if (y > 0.0 && lo > -(double)INFINITY) return lo;
  if (y < 0.0 && hi < (double)INFINITY) return hi;
  return x;
}

// A_ij by bisection; 0 if it is not stored.
double csc_entry(const perp_csc *A, int32_t i, int32_t j);

// If A = A' exactly (csc_is_symmetric), these read column i as row i for y = A x + b, plain, or
// compensated with a >= |A||x| + |b|.
void csc_apply_symmetric(const perp_csc *A, const double *x, const double *b, double *y);
void csc_residual_symmetric(const perp_csc *A, const double *x, const double *b, double *y,
                            double *a);

// Sweeps over blocks of rows in a fixed order. The blocks are coloured so that blocks of one colour
// do not touch each other. Blocks of a colour run in parallel, and the result does not depend on
// the number of threads.
typedef struct coloured coloured;
int coloured_accepts(const perp_view *view);                                  // CSC only
size_t coloured_bytes(int32_t n, int64_t nnz);                   // for the arena of coloured_plan
coloured *coloured_plan(arena *memory, const perp_operator *A);  // NULL: the memory is too small
void coloured_sweep(coloured *plan, perp_sweep *state, team *threads);   // one pass over all rows

#endif
