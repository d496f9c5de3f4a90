// componentwise.h: judges each row by its own data, not only by the largest data of all.
//
// The residual of certify.h is relative to G, the largest r_i at x_ref. If b ranges over many
// magnitudes, tol G is more than all data of a small row, and an x that ignores this row passes. So
// the certificate also measures, with w_i the part of y_i that has the wrong sign,
//
//     a_i = (|A||x| + |b|)_i                                      the size of row i at x
//     m   = min of R_k|b_k| >= 1e-11 base over the component      the smallest datum
//     componentwise = max_i  (w_i - 1e-11 base/R_i - p_i)+ / min(a_i, m/R_i)
//
// If there are two scalings, R_i is the smaller one, because the other may exaggerate the row. base
// is G, or S if G = 0. p_i = min(32 u a_i, 1e-10 base/R_i) is the rounding of A x; without the
// limit it would accept rays. w_i is |y_i| if y_i > 0 and x_i > lo_i, or if y_i < 0 and x_i < hi_i;
// otherwise 0. An x_i next to the bound that y_i points to, so that r_i is their distance, is first
// moved onto the bound, and y is that of the moved x. docs/theory.md has the measurements.
//
// This measure is part of "solved". In lenient components m is infinity, so rows are compared with
// a_i alone: iterations end at tol there, and such problems have a solution if their linear
// conditions have a point. A component is lenient if
// - A is a Z-matrix: no positive entry off the diagonal, no negative one on it; or
// - there are more than 64 rows, and A may be semidefinite up to a scaling of rows and columns: 0
//   <= A_ij A_ji <= A_ii A_jj and A_ii > 0. Contacts with friction count as such.
// Rows that no x can satisfy have m = infinity, too (certify_impossible.h). Grids of cells are
// Z-matrices. There, rows next to their bounds do not count, and no x is moved.
//
// Cost: n operations if y and a are known, and none if all r_i of a single component are rounding
// (componentwise_at_once). If an x_i is next to its bound, one more product with A, which
// solver_snap would take anyway. A pass over the entries of a new A.
#ifndef PERP_COMPONENTWISE_H
#define PERP_COMPONENTWISE_H

#include <math.h>

#include "certify.h"
#include "vector.h"

// What counts as rounding, relative to the base of the component: parts of y_i as well as data. If a
// million times smaller, 18 problems stay unsolved.
#define COMPONENTWISE_ROUNDING 1e-11
// The rounding of A x, relative to a_i: 32 u, as in the rest of the certificate.
#define COMPONENTWISE_PRODUCT 0x1p-48
// The default tolerance over tol: 1e-2 at tol = 1e-8. From tol = 1e-6 on the rule is off.
#define COMPONENTWISE_OVER_TOL 1e6

// The tolerance that counts. option: 0: the default; INFINITY: none
static inline double componentwise_limit(double option, double tol) {
  if (option > 0.0) return option;
  return COMPONENTWISE_OVER_TOL*tol < 1.0 ? COMPONENTWISE_OVER_TOL*tol : (double)INFINITY;
}

// One row. wrong = R_i w_i, size = R_i a_i; base and least are those of its component.
static inline double componentwise_row(double wrong, double size, double base, double least) {
  const double product = COMPONENTWISE_PRODUCT*size, cap = 10.0*COMPONENTWISE_ROUNDING*base;
  const double excess = wrong - COMPONENTWISE_ROUNDING*base -
                        (base > 0.0 && least < (double)INFINITY ? min2(product, cap) : product);
  return excess > 0.0 ? excess/min2(size, least) : 0.0;
}

// The part of y that has the wrong sign; below = x - lo, above = x - hi.
static inline double wrong_part(double y, double below, double above) {
  return (y > 0.0 && below > 0.0) || (y < 0.0 && above < 0.0) ? fabs(y) : 0.0;
}

// Finds the lenient components of a new A, into c->componentwise.lenient.
void componentwise_look(certifier *c);
// Finds the smallest datum of each component once R, G and S are known: infinity in lenient ones.
void componentwise_begin(certifier *c);
// Measures c->x from c->y and c->a, into *certificate, and returns the measure. leave = 1: leaves
// out rows next to the bound that y_i points to. Rows that absolute_tol accepts are always left
// out.
double componentwise_measure(const certifier *c, double absolute_tol, int leave,
                             perp_certificate *certificate);
// The same if c->y is a plain product, right up to slack in the units of r, and c->a is not known.
// Returns 1 if no row is above a thousandth of limit; *certificate then has an upper bound (-1:
// there is no limit).
int componentwise_bound(const certifier *c, double slack, int leave, double limit,
                        perp_certificate *certificate);
// The same from the largest r_i of a single component alone, without a pass over the rows. No r_i
// may be the distance to a bound, so r_i = R_i w_i. Returns 0 if the rows must be examined.
int componentwise_at_once(const certifier *c, double most, double slack, double limit,
                          perp_certificate *certificate);
// componentwise() of matrix_judge
double componentwise_of_row(const certifier *c, int32_t i, double r, double y, double a);

#endif
