// certify_impossible.h: finds rows that no x within the bounds can satisfy, which are judged by
// their own data.
//
// With x_1 = 0.1 and x_2 = 0.2 fixed, y_3 = x_1 + x_2 - 0.3 = 0 fails by 2.8e-17 for every x. The
// base of the component, |A x_ref + b|, is then this error itself, and a part tol of it means
// nothing. So a row that misses its sign by more than any x can correct is judged by its own data:
//
//     d_i = (|b| + |A||x|)_i     at the values of its variables
//     solved:  |y_i| <= tol d_i + 32 u d_i + min(32 u (|A||x|)_i, 100 tol d_i)
//
// A proof that the row contradicts the bounds is judged by the same d_i. Only problems without an
// exact solution have such rows, so this rule makes nothing else lenient. The values are those of
// x_ref, or those that other equations determine: an equation y_i = 0 of a free row determines its
// variable if all but one are known. A row with such values takes max(d_i, base), because the
// tolerances of those equations flow into it. Its d_i includes the data that the values come from.
//
// The rule holds for rows whose variables are all fixed or determined, and for rows with A_i x_ref
// other than 0. A row with b_i < 0 keeps the base of its component if x_ref = 0. In products and
// contacts the rule holds only for rows with A_ii = 0, takes |A| without signs, and determines no
// values.
//
// Cost: two passes over A, only if some x is fixed, x_ref is not 0, or a free row has one entry.
#ifndef PERP_CERTIFY_IMPOSSIBLE_H
#define PERP_CERTIFY_IMPOSSIBLE_H

#include "certify_row.h"

// 64 u: the relative rounding of data, and of sums of up to 16 terms.
#define CERTIFY_DATA_ROUNDING 0x1p-47

typedef enum impossible_kind {
  IMPOSSIBLE_NOT,         // some x may satisfy the row
  IMPOSSIBLE_FIXED,       // its variables are all fixed
  IMPOSSIBLE_BOUNDS,      // no x within the bounds satisfies it
  IMPOSSIBLE_EQUATIONS    // no x within the bounds satisfies it and other equations
} impossible_kind;

// Finds these rows, once y and a at x_ref and the entries are known.
void impossible_find(certifier *c);
static inline impossible_kind impossible_of(const certifier *c, int32_t i) {
  return c->impossible.count > 0 ? (impossible_kind)c->impossible.kind[i] : IMPOSSIBLE_NOT;
}
// The base of row i in a unit R, where that of its component or block is `base`.
static inline double impossible_base(const certifier *c, int32_t i, double R, double base) {
  const impossible_kind kind = impossible_of(c, i);
  if (kind == IMPOSSIBLE_NOT) return base;
  const double own = R*c->impossible.data[i];
  return kind == IMPOSSIBLE_EQUATIONS && base > own ? base : own;
}

// The same for the whole rule. A row's own data have one unit, so no scaling gives it less weight.
static inline void impossible_rule(const certifier *c, int32_t i, row_rule *rule) {
  const double own = rule->R*c->impossible.data[i], base = rule->G > 0.0 ? rule->G : rule->S;
  if (!(impossible_base(c, i, rule->R, base) == own)) return;
  rule->G = rule->S = rule->s = rule->T = own;
  rule->less = 1.0;
  if (impossible_of(c, i) != IMPOSSIBLE_EQUATIONS) rule->noise = 0.0;
}

#endif
