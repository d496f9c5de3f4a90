// friction_boxes.c: solves another model of friction by sweeps: each direction has its own box.
//
//   0 <= lt <= mu ln, and the slacks of E13 (27) are dropped. In a sweep:
//   ln <- max(0, ln - y_n/B_nn),   lt <- clamp(lt - y_t/B_tt, 0, mu ln)
//
// E13 4.1, end: the directions are decoupled, and the model does not demand maximum dissipation.
// There is no proof that the sweeps converge. Games use this model. A fixed point solves this model,
// not (27), so the status is "other model" unless the certificate of (27) holds too. Cost per
// iteration: a product with A.
#include <math.h>

#include "contact_problem.h"
#include "vector.h"

static double relax(contact_problem *p, perp_run *run, int32_t i, double high) {
  const double a = csc_entry(&p->A, i, i);
  const double x = a > 0.0 ? clamp(run->x[i] - p->v[i]/a, 0.0, high) : min2(run->x[i], high);
  const double d = x - run->x[i];
  if (d != 0.0) contact_push(p, i, d);
  run->x[i] = x;
  return run->weight[i]*fabs(d);
}

static void run_friction_boxes(perp_run *run) {
  contact_problem p;
  double *y = NULL;
  if (contact_problem_begin(&p, run)) y = run_allocate(run, (size_t)run->n*sizeof *y);
  if (y == NULL) {
    contact_problem_end(&p);
    return;
  }
  contact_velocities(&p, run);
  while (run_continue(run)) {
    double change = 0.0;
    for (int32_t k = 0; k < p.c.count; k++) {
      change = max2(change, relax(&p, run, p.c.normal[k], (double)INFINITY));
      const double high = p.c.mu[k]*run->x[p.c.normal[k]];
      for (int32_t t = p.c.first[k]; t < p.c.first[k + 1]; t++)
        change = max2(change, relax(&p, run, p.c.tangent[t], high));
    }
    for (int32_t k = 0; k < p.c.count; k++) run->x[p.c.slack[k]] = contact_slack(&p, k);
    run->residual = contact_residual(&p, run, y);
    if (change <= run->options->tol && !run_check(run))
      run_stop(run, PERP_STATUS_OTHER_MODEL,
               "friction_boxes found a fixed point of boxed friction (changes <= %.1g), which is a "
               "different model from E13 (27)", change);
  }
  contact_problem_end(&p);
}

const perp_method method_friction_boxes = {
  .name = "friction_boxes", .tier = PERP_TIER_REFERENCE,
  .title = "friction in boxes: another model than E13 (27)",
  .source = "E13 4.1",
  .formula = "ln <- max(0, ln - y_n/B_nn), lt <- clamp(lt - y_t/B_tt, 0, mu ln)",
  .converges = "no proof; its fixed points solve another model of friction",
  .cost = "a product with A",
  .advice = "It solves another model. For solutions of E13 (27) use auto.",
  .needs = PERP_NEEDS_SUBMATRIX | PERP_NEEDS_CONTACTS,
  .assumes = PERP_ASSUMES_NO_PROOF,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME,
  .run = run_friction_boxes,
};
