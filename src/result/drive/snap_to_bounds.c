// snap_to_bounds.c: moves components of a certified x to the bounds that y points to.
//
// The certificate measures the distance of x_i to its bound in units of C_i. If C_i is large, any
// x_i within its bounds may pass, even at the wrong bound; and interior methods leave x_i = 1e-14
// where the solution has 0. So every x_i with
//     0 < distance of x_i to the bound that y_i points to < C_i R_i |y_i|
// moves to that bound, all at once, and the new x is kept if its certificate is no worse.
//
// Cost: n operations, and one more certificate if an x_i moves.
#include "driver.h"
#include "vector.h"

#include <string.h>

int certifier_snap(const certifier *c, double *x) {
  const perp_problem *p = c->problem;
  int moved = 0;
  for (int32_t i = 0; i < p->A.n; i++) {
    const double y = c->y[i];
    const double to = y > 0.0 ? lower(p->lo, i) : y < 0.0 ? upper(p->hi, i) : c->x[i];
    x[i] = c->x[i];
    if (x[i] == to) continue;
    const certify_scale rule = c->ops->rule(c, i);
    const double distance = fabs(x[i] - to)*rule.inverse_C;
    if (!(distance > 0.0 && distance < rule.R*fabs(y))) continue;
    x[i] = to;
    moved = 1;
  }
  return moved;
}

perp_error solver_snap(perp_solver *s, perp_certificate *certificate) {
  certifier *judge = &s->judge;
  const size_t bytes = (size_t)s->problem->A.n*sizeof(double);
  if (!judge->last.snaps) return PERP_OK;
  double *before = s->farkas;   // n: unused, as x is a solution
  memcpy(before, judge->x, bytes);
  // If the certificate had the time, it has moved x already.
  const int known = judge->near.known && !judge->near.snaps;
  if (known) memcpy(s->x, judge->near.x, bytes);
  else if (!certifier_snap(judge, s->x)) return PERP_OK;
  perp_certificate found = judge->near.certificate;
  if (!known) {
    if (s->timed && solver_seconds(s) >= s->deadline) return PERP_OK;
    const perp_error error = solver_check(s, s->x, 0, &found);
    if (error != PERP_OK) return error;
  }
  if (found.solved && found.attainable <= certificate->attainable &&
      found.natural_residual <= certificate->natural_residual &&
      found.residual <= max2(certificate->residual, 0.01*s->options.tol)) {
    found.bound_violation = certificate->bound_violation;
    *certificate = found;
    if (!known) return PERP_OK;
    memcpy(judge->x, judge->near.x, bytes);
    memcpy(judge->y, judge->near.y, bytes);
  } else {
    memcpy(judge->x, before, bytes);
  }
  return PERP_OK;
}
