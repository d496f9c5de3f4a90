// snap_to_bounds.c: a certified x moved to the bounds that y points to.
//
// The certificate measures the distance of x_i to its bound in units of C_i. Where those are large,
// next to variables that count far more, any x_i of a box may pass, at the wrong end too; and
// interior methods leave x_i = 1e-14 where the solution has 0. So each x_i with
//     0 < distance of x_i to the bound that y_i points to < C_i R_i |y_i|
// is put there, all at once, and the result is kept if its certificate is no worse.
//
// Cost: n operations; where an x_i moves, one more certificate.
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
  double *before = s->farkas;   // n: free, there is a solution
  memcpy(before, judge->x, bytes);
  // The certificate has moved x already, unless it had no time to.
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
