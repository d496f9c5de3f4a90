// certify_row.h: the verdict on one row, whatever matrix it belongs to: the rule of certify.h.
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
  double less;               // R over that of the scaling that counts this row less
  double lost;               // what y_i may have lost in compensated sums
  int empty;                 // no entry: y_i = b_i whatever x is
} row_rule;

// By the stamps: what is known of A is known of this one.
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

// 0, or inf where y is no number: A x overflowed, and nobody knows its sign. It is added to r, so
// that such a y does not pass for a large one at a bound.
static inline double overflow_of(double y) { return y - y == 0.0 ? 0.0 : (double)INFINITY; }

// How much of x_i a y_i that points to a bound at this distance costs in the gap: all of x_i where
// there is no bound, as in the duality gap of a quadratic program.
static inline double gap_distance(double x, double distance) {
  return distance < (double)INFINITY ? distance : fabs(x);
}

// (K u)^2 for K terms (Ogita, Rump, Oishi): what compensated sums lose of |A||x|
static inline double lost_part(double entries) {
  const double K = 2.0*0x1p-53*(entries + 8.0);
  return K*K;
}

// r, moved: of x_i; y = y_i in the caller's units, a = (|A||x|)_i. The allowances for rounding are
// errors of y_i, so they count against R_i |y_i| only: where r_i is a distance to a bound they say
// nothing.
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
  // Capped by a hundred times the tolerance, in the scaling that counts this row less (the other
  // may exaggerate it), but by 1e-4 in both: more would accept an x that runs off along a ray, so
  // far that its rounding hides b. Where the base is 0 the component is homogeneous: its solutions
  // are a cone, and nothing but |A||x| tells how large x is.
  const double product = 32.0*u*rule->R*a;
  const double cap = base > 0.0 ? min2(100.0*tol*rule->less, 1e-4)*base : (double)INFINITY;
  const double allowed = T + given + min2(product, cap);
  row.solved = row.strict ||
               (moved <= T && product < (double)INFINITY && size <= allowed);
  // r is unknown then, too, but where it is the distance to a bound for any such y_i; where b tells
  // no unit, zero is as good as it gets
  const int bound = size < (double)INFINITY && r <= size - rule->lost;
  if (!(rule->lost <= allowed) && !bound && !(r == 0.0 && rule->s == 0.0))
    row.solved = row.strict = 0;
  return row;
}

#endif
