// certify_row.h: the verdict on one row of any matrix, by the rule of certify.h.
#ifndef PERP_CERTIFY_ROW_H
#define PERP_CERTIFY_ROW_H

#include <math.h>

#include "certify.h"
#include "vector.h"

typedef struct row_rule {    // what row i is judged by, in the units of r
  double R;
  double G, S;               // of its component or block
  double s;                  // its own rounding scale
  double T;                  // what tol is relative to
  double noise;              // rounding that flows in
  double less;               // R over the R of the scaling that gives this row less weight
  double lost;               // what y_i may have lost in compensated sums
  int empty;                 // no entry: y_i = b_i whatever x is
} row_rule;

// 1: by its stamps, this A is the one that is known.
static inline int certifier_knows(const certifier *c, const perp_problem *problem) {
  return problem->A.n == c->n && problem->value_stamp != 0 &&
         problem->value_stamp == c->look.value_stamp &&
         problem->pattern_stamp == c->look.pattern_stamp;
}

// Of an x that is not finite.
static inline perp_certificate certificate_of_none(const certifier *c) {
  const double inf = (double)INFINITY;
  return (perp_certificate){.weaker = c->look.weaker, .worst = -1, .components = c->components,
                            .residual = inf, .natural_residual = inf, .bound_violation = inf,
                            .gap = inf, .componentwise = inf, .componentwise_row = -1};
}

// A x overflowed: certainly no solution
static inline double no_nan(double r) { return r == r ? r : (double)INFINITY; }

// 0, or inf if y is no number: A x overflowed, and the sign of y is not known. It is added to r, so
// that such a y does not pass as a large one at a bound.
static inline double overflow_of(double y) { return y - y == 0.0 ? 0.0 : (double)INFINITY; }

// The factor of |y_i| in the gap, if y_i points to a bound at this distance: the distance, or |x_i|
// if there is no bound, as in the duality gap of a quadratic program.
static inline double gap_distance(double x, double distance) {
  return distance < (double)INFINITY ? distance : fabs(x);
}

// (K u)^2 for K terms (Ogita, Rump, Oishi): the part of |A||x| that compensated sums lose
static inline double lost_part(double entries) {
  const double K = 2.0*0x1p-53*(entries + 8.0);
  return K*K;
}

// r, moved: of x_i; y = y_i in the caller's units, a = (|A||x|)_i. The allowances for rounding are
// errors of y_i, so they apply to R_i |y_i| only, not to an r_i that is a distance to a bound.
static inline certify_row judge_row(const row_rule *rule, double r, double y, double moved,
                                    double a, double tol) {
  const double u = 0x1p-53, base = rule->G > 0.0 ? rule->G : rule->S;
  certify_row row = {.r = r, .base = base, .strict = r == 0.0, .solved = r == 0.0,
                     .relative = r == 0.0                                ? 0.0
                                 : base > 0.0 && base < (double)INFINITY ? r/base
                                                                         : (double)INFINITY};
  if (rule->empty) return row;
  // overflow: no tolerance, or inf <= inf would pass
  if (!(r < (double)INFINITY && base < (double)INFINITY && rule->S < (double)INFINITY &&
        rule->s < (double)INFINITY))
    return row;
  const double T = tol*rule->T, noise = 32.0*u*rule->noise;
  const double size = rule->R*fabs(y), given = 32.0*u*rule->s + noise;
  row.strict = r <= T || (moved <= T && size <= T + given);
  if (row.strict && r > T) row.relative = tol*(r/(T + given));
  // The cap is a hundred times the tolerance in the scaling that gives this row less weight,
  // because the other may exaggerate it, and at most 1e-4. A larger one would accept an x so far
  // along a ray that its rounding hides b. If the base is 0, the component is homogeneous: its
  // solutions are a cone, and only |A||x| tells how large x is.
  const double product = 32.0*u*rule->R*a;
  const double cap = base > 0.0 ? min2(100.0*tol*rule->less, 1e-4)*base : (double)INFINITY;
  const double allowed = T + given + min2(product, cap);
  row.solved = row.strict ||
               (moved <= T && product < (double)INFINITY && size <= allowed);
  // If y_i has lost more than is allowed, r is unknown too, unless it is the distance to a bound
  // for any such y_i. If b gives no unit, r = 0 is the best there can be.
  const int bound = size < (double)INFINITY && r <= size - rule->lost;
  if (!(rule->lost <= allowed) && !bound && !(r == 0.0 && rule->s == 0.0))
    row.solved = row.strict = 0;
  return row;
}

#endif
