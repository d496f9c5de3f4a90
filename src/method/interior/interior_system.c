// interior_system.c: solves the linear systems of the interior points, (A + diag(q)) dx = rhs.
//
// A + diag(q) may be singular, or so nearly singular that a factor is useless. So A + diag(q) +
// delta T^-2 is factored, where T is the scale in which A has entries near 1. Refinement against
// the system without delta removes the bias. The remaining error acts as a proximal step: the
// iterate moves as if delta/2 |T^-1 dx|^2 had been added to the objective (Pougkakiotis and
// Gondzio: An interior point-proximal method of multipliers for convex quadratic programming,
// 2021).
//
// KKT systems [P -B'; B 0] are quasidefinite with delta, so pivots stay on the diagonal (Vanderbei
// 1995). There delta adapts. A step of length alpha should leave 1 - alpha of the mismatch A x + b
// - z + w. If it leaves much more, delta hides directions in which the multipliers have far to go,
// and delta falls. If the factor does not solve even its own system, delta rises and stays larger.
#include "interior_parts.h"

#include <math.h>
#include <string.h>

#include "vector.h"

#define DELTA_FIRST 1e-13          // relative to the scaled diagonal: first delta of other systems
#define DELTA_FACTOR 100.0         // growth of delta when a pivot vanishes
#define DELTA_MAX 1e-5             // relative to the scaled diagonal: more would change the problem
#define DELTA_KKT_FIRST 1e-9       // relative to the scaled diagonal: first delta of KKT systems
#define DELTA_KKT_MIN 1e-16        // relative to the scaled diagonal: lower limit for KKT systems
#define DELTA_KKT_FALL 1e-2        // factor on delta after a step that removed too little
#define DELTA_KKT_RISE 100.0       // factor on delta if the factors are useless
#define HIDDEN_RATIO_MAX 0.2       // part of the expected reduction that delta may hide
#define LAG_MAX 0.1                // mismatch over mu, each relative to its first: more is too slow
#define MISMATCH_GROWTH_MAX 2.0    // factor by which a step may enlarge the mismatch
#define OWN_RESIDUAL_MAX 1e-3      // relative residual of a factor in its own system
#define REFINEMENTS_MAX 3          // steps of refinement
#define REFINED_ACCURACY_MAX 1e-4  // accuracy: coarser solves are not refined by the solver
#define STEP_RESIDUAL_MAX 1e-3     // relative residual above which a step is solved again

// KKT systems: delta of each attempt. The best one for one problem stalls on another.
typedef struct attempt { double first, least; } attempt;
static const attempt attempts[] = {
  {DELTA_KKT_FIRST, DELTA_KKT_MIN}, {1e-7, 1e-7}, {1e-13, 1e-13}
};
enum { ATTEMPTS = sizeof attempts/sizeof attempts[0] };

int interior_regularise(interior *p, int number) {
  p->quasi = face_quasidefinite(p->system) && !face_lifts(p->system);
  if (number >= (p->quasi ? ATTEMPTS : 1)) return 0;
  p->attempt = number;
  p->delta = p->quasi ? attempts[number].first : face_lifts(p->system) ? 0.0 : DELTA_FIRST;
  p->least_delta = p->quasi ? attempts[number].least : p->delta;
  p->cross.sigma = p->quasi ? p->delta : 0.0;
  return 1;
}

void interior_adapt(interior *p, double before, double after, double lag) {
  if (!p->quasi) return;
  const int behind = lag > LAG_MAX;
  if (p->unstable) p->least_delta = min2(DELTA_KKT_RISE*p->delta, DELTA_MAX);
  if (p->unstable || (behind && after > MISMATCH_GROWTH_MAX*before))
    p->delta = min2(DELTA_KKT_RISE*p->delta, DELTA_MAX);
  else if (behind && after > (1.0 - (1.0 - HIDDEN_RATIO_MAX)*p->removes)*before)
    p->delta = max2(DELTA_KKT_FALL*p->delta, p->least_delta);
  p->cross.sigma = p->delta;
}

int interior_factor(interior *p, perp_run *run) {
  const perp_deadline deadline = run_deadline(run);
  for (;;) {
    for (int32_t i = 0; i < p->n; i++) {
      const double t = p->cross.scale[i];
      p->is_free[i] = !(p->kind[i] & FIXED);
      p->work[i] = p->q[i] + p->delta/(t*t);
    }
    face_diagonal(p->system, NULL, p->work);
    const int failed = face_update(p->system, p->is_free, &deadline);
    run_factored(run, 1, face_nnz(p->system));
    run->regularization = p->delta;
    if (failed == 0) return 0;
    if (failed == -1) {
      run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit was reached in a factorisation");
      return 1;
    }
    if (failed == -2) {
      run_no_memory(run, "the linear systems");
      return 1;
    }
    p->delta = max2(p->delta*DELTA_FACTOR, DELTA_FIRST);
    if (p->delta > DELTA_MAX) {
      run_stop(run, PERP_STATUS_BREAKDOWN,
               "interior_point met a singular A + D at row %d", failed - 1);
      return 1;
    }
  }
}

// work = rhs - (A + diag(q)) dx. Returns its largest entry, scaled; *own: the same with delta.
static double linear_residual(interior *p, double *own) {
  double worst = 0.0;
  *own = 0.0;
  face_multiply(p->system, 0, p->dx, p->work);
  for (int32_t i = 0; i < p->n; i++) {
    const double t = p->cross.scale[i];
    p->work[i] = p->kind[i] & FIXED ? 0.0 : p->rhs[i] - p->work[i] - p->q[i]*p->dx[i];
    worst = max_or_nan(worst, fabs(t*p->work[i]));
    if (!(p->kind[i] & FIXED)) *own = max_or_nan(*own, fabs(t*p->work[i] - p->delta*p->dx[i]/t));
  }
  return worst;
}

int interior_solve(interior *p, double accuracy) {
  const int32_t n = p->n;
  double size = 0.0, worst = (double)INFINITY, own = 0.0;
  for (int32_t i = 0; i < n; i++) {
    if (p->kind[i] & FIXED) p->rhs[i] = 0.0;
    size = max_or_nan(size, fabs(p->cross.scale[i]*p->rhs[i]));
  }
  p->unstable = 0;
  int finite = 0;
  // The first solve is plain. If it is bad, the solver checks its own residual and factors with
  // more care.
  for (int care = face_lifts(p->system); care < 2 && !(worst <= STEP_RESIDUAL_MAX*size); care++) {
    double before = worst = (double)INFINITY;
    memcpy(p->dx, p->rhs, (size_t)n*sizeof *p->dx);
    if (size == 0.0) return 1;
    finite = face_solve(p->system, p->dx, care == 0 ? -1 : accuracy < REFINED_ACCURACY_MAX) == 0;
    if (accuracy == INTERIOR_UNCHECKED_ACCURACY && care == 0) break;
    // Without delta the solver's own residual suffices.
    if (p->delta == 0.0 && face_left(p->system) <= accuracy) break;
    for (int k = 0; k < REFINEMENTS_MAX && finite; k++) {
      double with_delta;
      worst = linear_residual(p, &with_delta);
      if (k == 0) own = with_delta;
      if (!(worst < 0.5*before) || worst <= accuracy*size) break;
      before = worst;
      finite = face_solve(p->system, p->work, -1) == 0;   // the next round measures its error
      for (int32_t i = 0; i < n; i++) p->dx[i] += p->work[i];
    }
    const int good = finite && own <= OWN_RESIDUAL_MAX*size;
    if (care == 0 && !good) p->unstable = 1;
    if (p->quasi && good) break;   // the rest is a proximal step
  }
  return finite;
}
