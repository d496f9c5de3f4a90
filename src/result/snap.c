// snap.c: a certified x moved to the bounds that y points to.
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

perp_error solver_snap(perp_solver *s, perp_certificate *certificate) {
  const perp_problem *p = s->problem;
  const certifier *judge = &s->judge;
  const int32_t n = p->A.n;
  if (!judge->snaps) return PERP_OK;
  int moved = 0;
  double *before = s->farkas;   // n: free, there is a solution
  for (int32_t i = 0; i < n; i++) {
    const double x = judge->x[i], y = judge->y[i];
    const double to = y > 0.0 ? lower(p->lo, i) : y < 0.0 ? upper(p->hi, i) : x;
    before[i] = s->x[i] = x;
    if (x == to) continue;
    const certify_scale rule = certify_rule_of(judge, i);
    const double distance = fabs(x - to)*rule.inverse_C;
    if (!(distance > 0.0 && distance < rule.R*fabs(y))) continue;
    s->x[i] = to;
    moved = 1;
  }
  if (!moved || (s->timed && solver_seconds(s) >= s->deadline)) return PERP_OK;
  perp_certificate found;
  const double tol = s->options.tol;
  const perp_error error = solver_check(s, s->x, 0, &found);
  if (error != PERP_OK) return error;
  if (found.solved && found.attainable <= certificate->attainable &&
      found.natural_residual <= certificate->natural_residual &&
      found.residual <= max2(certificate->residual, 0.01*tol)) {
    found.bound_violation = certificate->bound_violation;
    *certificate = found;
  } else {
    memcpy(s->judge.x, before, (size_t)n*sizeof *before);
  }
  return PERP_OK;
}
