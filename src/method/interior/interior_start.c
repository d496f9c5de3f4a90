// interior_start.c: makes the first iterate of the interior points.
#include "interior_parts.h"

#include <math.h>

#include "vector.h"

// After each semicolon: what another value does to the problems of bench/kit/ablation.c.
#define INSIDE_RATIO_MIN 0.1  // distance to the bounds, relative to the largest x and y; 1: up to
                              //   3.8 times the work
#define FAR_START_RATIO 1e5   // distance of a far start, relative to a near one; 1e-2: POWELL20
                              //   takes 3.8 times the work; 1e4: LISWET12 with 10000 rows
                              //   stays unsolved; 1e6: CVXQP1_L stays unsolved

void interior_begin(interior *p, const perp_run *run) {
  p->n = run->n;
  p->pairs = 0;
  for (int32_t i = 0; i < p->n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i);
    p->kind[i] = lo == hi || run_settled(run, i)
                     ? FIXED
                     : (uint8_t)((lo > -(double)INFINITY ? HAS_LO : 0) |
                                 (hi < (double)INFINITY ? HAS_HI : 0));
    p->pairs += (p->kind[i] & HAS_LO ? 1 : 0) + (p->kind[i] & HAS_HI ? 1 : 0);
    p->s[i] = p->z[i] = p->t[i] = p->w[i] = 0.0;
    p->x[i] = p->kind[i] & FIXED ? clamp(0.0, lo, hi) : 0.0;
  }
}

// Places row i at distance `inside` from its bounds, or less if the bounds are closer. Its
// multipliers are at least `force`, and agree with y where y has the right sign.
static void place(interior *p, const perp_run *run, int32_t i, double x, double inside,
                  double force, double y) {
  if (p->kind[i] & FIXED) return;
  const double lo = lower(run->lo, i), hi = upper(run->hi, i);
  if (p->kind[i] & HAS_LO && p->kind[i] & HAS_HI) {
    const double room = hi - lo, margin = min2(inside, 0.25*room);
    p->s[i] = clamp(x - lo, margin, room - margin);
    p->t[i] = room - p->s[i];
  } else if (p->kind[i] & HAS_LO) {
    p->s[i] = max2(x - lo, inside);
  } else if (p->kind[i] & HAS_HI) {
    p->t[i] = max2(hi - x, inside);
  }
  p->x[i] = p->kind[i] & HAS_LO ? lo + p->s[i] : p->kind[i] & HAS_HI ? hi - p->t[i] : x;
  if (p->kind[i] & HAS_LO) p->z[i] = max2(y, 0.0) + force;
  if (p->kind[i] & HAS_HI) p->w[i] = max2(-y, 0.0) + force;
}

// Mehrotra's start for monotone problems: the solution of (A + I)x = -b, where x - lo and y would
// be opposite, moved inside until both are positive and their products comparable. Iterations
// converge from a start as large as a solution (Wright 1997, ch. 6). A solution may be much larger
// than that x; then a far start helps.
int interior_start(interior *p, perp_run *run) {
  const int32_t n = p->n;
  const double *scale = p->cross.scale;
  double size = 0.0;
  for (int32_t i = 0; i < n; i++) {
    // Start from the point of the box nearest to 0, in units in which A has entries near 1.
    p->x[i] = clamp(0.0, lower(run->lo, i), upper(run->hi, i));
    p->q[i] = p->kind[i] & (HAS_LO | HAS_HI) ? 1.0/(scale[i]*scale[i]) : 0.0;
  }
  if (run_apply(run, p->x, p->y) != 0 || interior_factor(p, run) != 0) return 0;
  for (int32_t i = 0; i < n; i++) {
    p->rhs[i] = -p->y[i];
    if (!(p->kind[i] & FIXED)) size = max2(size, scale[i]*fabs(p->y[i]));
  }
  if (!interior_solve(p, p->accuracy)) return 0;
  double far = 0.0;
  for (int32_t i = 0; i < n; i++) {
    p->x[i] += p->dx[i];
    if (p->kind[i] & (HAS_LO | HAS_HI)) far = max2(far, fabs(p->dx[i])/scale[i]);
  }
  if (run_apply(run, p->x, p->y) != 0) return 0;
  double force = 0.0;
  for (int32_t i = 0; i < n; i++)
    if (p->kind[i] & (HAS_LO | HAS_HI)) force = max2(force, scale[i]*fabs(p->y[i]));
  const double ratio = INSIDE_RATIO_MIN*(p->far ? FAR_START_RATIO : 1.0);
  far = ratio*max2(far, 1e-8*max2(size, 1e-300));
  force = ratio*max2(force, 1e-8*max2(size, 1e-300));
  for (int32_t i = 0; i < n; i++)
    place(p, run, i, p->x[i], far*scale[i], force/scale[i], p->y[i]);
  return run_apply(run, p->x, p->y) == 0;
}

int interior_start_paper(interior *p, perp_run *run) {   // MNS08 4: u0 = 0, v0 = 0.1, w0 = 1
  for (int32_t i = 0; i < p->n; i++) place(p, run, i, 0.0, 0.1, 1.0, 0.0);
  return run_apply(run, p->x, p->y) == 0;
}
