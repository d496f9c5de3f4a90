// nearby.h: checks whether there is a solution near an x that passes the tolerances.
//
// A residual of 1e-10 says that x solves a problem whose data differ by about 1e-10. The problem
// itself may have no solution at all: with entries near 1e5 a contradiction of 1e-10 is a whole
// number. In a small component this can be decided. An assignment says of each row whether y_i = 0
// (free), x_i = lo_i or x_i = hi_i. Its linear system
//
//     A_II x_I = -(b_I + A_IF x_F),     I the free rows, F the others
//
// has one solution z unless A_II is singular. z is known up to |A_II^-1| d, where d_i = 64 u
// (|A||z| + |b|)_i is the rounding of the data and of the sums. An assignment is refuted if some
// z_i is outside its bounds, or some y_i has the wrong sign, by more than that. If A_II is
// singular, the assignment is refuted if rows of the system contradict each other by more than the
// rounding at 2|x|. x is refuted if
// - every assignment that x is near to is refuted, and
// - so is every assignment to which a refuted one leads: rows beyond a bound move onto it, and rows
//   with a y_i of the wrong sign become free (a Newton step).
// So no x near a solution is refuted, because the assignment of that solution is among these and is
// not refuted. x is not refuted either if a system is nearly singular, or singular and consistent,
// or if there are too many assignments. A row that no x satisfies (certify_impossible.h) counts as
// if its b_i were the one that x satisfies.
//
// Only components of up to NEARBY_ROWS rows are examined, if A shows their entries and some r_i is
// above COMPONENTWISE_ROUNDING base: pivots and factors end below that. Cost: at most
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
