// nearby.h: is there any solution near an x that passes the tolerances?
//
// A residual of 1e-10 says that x solves a problem whose data differ by about 1e-10. The problem
// itself may have no solution at all: with entries near 1e5 a contradiction of 1e-10 is a whole
// number. In a small component that can be decided. An assignment says of each row whether y_i = 0
// (free), x_i = lo_i or x_i = hi_i. Its linear system
//
//     A_II x_I = -(b_I + A_IF x_F),     I the free rows, F the others
//
// has one solution z unless A_II is singular, known up to |A_II^-1| d, where d_i = 64 u (|A||z| +
// |b|)_i is the rounding of the data and of the sums. An assignment is refuted where some z_i is
// outside its bounds, or some y_i has the wrong sign, by more than that. Where A_II is singular, it is
// refuted if rows of the system contradict each other by more than the rounding at 2|x|. x is refuted
// where
// - every assignment that x is near to is refuted, and
// - so are those which the refuted ones lead to: rows beyond a bound move onto it, and rows with a
//   y_i of the wrong sign become free (a Newton step).
// So no x near a solution is refuted: the assignment of that solution is among them, and would not
// be. Where a system is nearly singular, or singular and consistent, or where there are too many
// assignments, x is not refuted. A row that no x satisfies (certify_impossible.h) counts as if its b_i were
// the one that x satisfies.
//
// Only components up to NEARBY_ROWS rows whose entries A shows are looked at, and only where some
// r_i is above COMPONENTWISE_ROUNDING base: pivots and factors end below that. Cost: at most
// NEARBY_ASSIGNMENTS inversions of a component.
#ifndef PERP_NEARBY_H
#define PERP_NEARBY_H

#include "certify.h"

enum {
  NEARBY_ROWS = 16,           // largest component, in rows; small_dense.h finds x to rounding up to here
  NEARBY_ASSIGNMENTS = 64     // largest number of assignments of a component
};

// Some or all rows of the caller's problem, in the caller's units or others: those of a run.
typedef struct nearby_rows {
  perp_operator A;
  const double *b, *lo, *hi, *x;   // n each, lo and hi may be NULL
  const int32_t *index;            // n: in the caller's problem; NULL: the same
  const double *R, *C;             // n: y is R_i times the caller's, x is 1/C_i of it; NULL: 1
  int32_t n;
} nearby_rows;

// 1: there is no solution near x, which has passed. absolute_tol accepts as in certify.h.
int nearby_refutes(const certifier *c, const nearby_rows *rows, double tol, double absolute_tol);

#endif
