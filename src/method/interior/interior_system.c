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
// and delta falls. If a step enlarges the mismatch, the factor is inaccurate, and delta rises.
#include "interior_parts.h"

#include <math.h>
#include <string.h>

#include "vector.h"

#define DELTA_KKT_FIRST 1e-9  // relative to the scaled diagonal: first delta of KKT systems
#define DELTA_KKT_MIN 1e-16   // relative to the scaled diagonal: lower limit for KKT systems
#define HIDDEN_RATIO_MAX 0.2  // part of the expected reduction that delta may hide; 1: two of
                              //   LISWET1 to 12 stay unsolved
#define MISMATCH_GROWTH_MAX 2.0   // factor by which a step may enlarge the mismatch; infinity:
                                  //   CVXQP1_M takes 19 factorizations, not 13, and its
                                  //   objectives differ by 2e-3, not 6e-10

void interior_regularise(interior *p) {
  p->quasi = face_quasidefinite(p->system) && !face_lifts(p->system);
  p->delta = p->quasi ? DELTA_KKT_FIRST : face_lifts(p->system) ? 0.0 : DELTA_FIRST;
  p->cross.sigma = p->quasi ? p->delta : 0.0;
}

void interior_adapt(interior *p, double before, double after) {
  if (!p->quasi) return;
  if (after > MISMATCH_GROWTH_MAX*before)
    p->delta = min2(p->delta*DELTA_FACTOR, DELTA_MAX);
  else if (after > (1.0 - (1.0 - HIDDEN_RATIO_MAX)*p->removes)*before)
    p->delta = max2(p->delta/DELTA_FACTOR, DELTA_KKT_MIN);
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

// work = rhs - (A + diag(q)) dx. Returns its largest entry, scaled.
static double linear_residual(interior *p) {
  double worst = 0.0;
  face_multiply(p->system, 0, p->dx, p->work);
  for (int32_t i = 0; i < p->n; i++) {
    p->work[i] = p->kind[i] & FIXED ? 0.0 : p->rhs[i] - p->work[i] - p->q[i]*p->dx[i];
    worst = max_or_nan(worst, fabs(p->cross.scale[i]*p->work[i]));
  }
  return worst;
}

int interior_solve(interior *p, double accuracy) {
  const int32_t n = p->n;
  double size = 0.0;
  for (int32_t i = 0; i < n; i++) {
    if (p->kind[i] & FIXED) p->rhs[i] = 0.0;
    size = max_or_nan(size, fabs(p->cross.scale[i]*p->rhs[i]));
  }
  memcpy(p->dx, p->rhs, (size_t)n*sizeof *p->dx);
  if (size == 0.0) return 1;
  const int unchecked = accuracy == (double)INFINITY, lifts = face_lifts(p->system);
  if (face_solve(p->system, p->dx, lifts ? !unchecked : -1) != 0) return 0;
  // Without delta the solver's own residual suffices.
  if (unchecked || (p->delta == 0.0 && face_left(p->system) <= accuracy)) return 1;
  if (linear_residual(p) <= accuracy*size) return 1;
  if (face_solve(p->system, p->work, -1) != 0) return 0;
  for (int32_t i = 0; i < n; i++) p->dx[i] += p->work[i];
  return 1;
}
