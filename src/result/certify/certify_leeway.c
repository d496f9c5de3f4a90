// certify_leeway.c: the most by which the certificate lets y_i miss its sign, for any x.
//
// If there is a proof that no solution exists, the certificate must accept no x (farkas.c). So the
// proof has to know the most that the certificate forgives. In row i, in the units of R_i y_i
// (certify_row.h), that is the sum of
//     tolerance tol (G_c if > 0, else s_i)
//     rounding  32 u s_i, the rounding of the data
//     product   the rounding of A x: at most 100 tol G_c, or up to 1e-4 G_c if the two scalings
//               disagree on the row
// A closed block of a reducible A has the same rule for every x (certify_blocks.c). Its own G_k and
// scaling take the place of the component's, so a large b elsewhere does not weaken a proof in it.
// In the other blocks G_k depends on what flows in, but G_k <= G_c. So the numbers of the component
// are upper bounds there, if they are doubled, because the two scalings are normalised to bases
// between 1 and 2, and if 32 u G_c is added for the rounding that flows in. A row that no x
// satisfies has its own data in place of G_c and s_i (certify_impossible.h).
#include <math.h>

#include "certify_grid_parts.h"
#include "certify_impossible.h"
#include "certify_matrix.h"

#define ROUNDING (32.0*0x1p-53)   // of data, relative

static certify_leeway leeway(double R, double G, double S, double s, double less, int blocks,
                             double tol) {
  const double base = G > 0.0 ? G : S, T = G > 0.0 ? G : s;
  const double factor = blocks ? 2.0 : 1.0, inflow = blocks ? ROUNDING*base : 0.0;
  if (!(G < (double)INFINITY && S < (double)INFINITY)) return (certify_leeway){0.0, 0.0, 0.0};
  if (base == 0.0) return (certify_leeway){0.0, 0.0, (double)INFINITY};   // a cone: no cap on A x
  return (certify_leeway){factor*tol*T/R, (factor*ROUNDING*s + inflow)/R,
                          factor*min2(100.0*tol*less, 1e-4)*base/R};
}

// A row that no x satisfies: by its own data, or by these and its component if it depends on other
// equations.
static certify_leeway impossible_leeway(const certifier *c, int32_t i, certify_leeway rule,
                                        double tol) {
  const double data = c->impossible.data[i];
  const certify_leeway own = {tol*data, ROUNDING*data, min2(100.0*tol, 1e-4)*data};
  if (impossible_of(c, i) != IMPOSSIBLE_EQUATIONS) return own;
  return (certify_leeway){max2(own.tolerance, rule.tolerance), own.rounding + rule.rounding,
                          max2(own.product, rule.product)};
}

static certify_leeway at_least(double absolute_tol, certify_leeway found) {
  if (!(absolute_tol > found.tolerance + found.rounding)) return found;
  return (certify_leeway){absolute_tol, 0.0, found.product};
}

certify_leeway matrix_judge_leeway(const certifier *c, int32_t i, double tol, double absolute_tol) {
  const int closed = c->look.reducible && c->blocks.closed[c->blocks.of[i]],
            open = c->look.reducible && !closed;
  const int32_t k = closed ? c->blocks.of[i] : c->component[i];
  const double R = closed ? c->rule.R[i] : c->R[i], s = closed ? c->rule.s[i] : c->s[i],
               held_R = closed ? c->rule.held_R[i] : c->held.R[i];
  const double G = closed ? c->rule.G[k] : c->G[k], S = closed ? c->rule.S[k] : c->S[k];
  // of open blocks, only the least cap is known if there are two scalings
  const double less = !c->two ? 1.0 : open ? (double)INFINITY : R/held_R;
  if (c->entries[i] == 0) return (certify_leeway){0.0, 0.0, 0.0};
  const certify_leeway found = leeway(R, G, S, s, less, open, tol);
  return at_least(absolute_tol, impossible_of(c, i) != IMPOSSIBLE_NOT
                                    ? impossible_leeway(c, i, found, tol) : found);
}

certify_leeway grid_judge_leeway(const certifier *c, int32_t i, double tol, double absolute_tol) {
  const cell_rule rule = grid_rule_of(c, i);
  if (rule.empty) return (certify_leeway){0.0, 0.0, 0.0};
  return at_least(absolute_tol, leeway(rule.R, rule.G, rule.S, rule.s, 1.0, 0, tol));
}
