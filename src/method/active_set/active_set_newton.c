// active_set_newton.c: solves a proximal problem by Newton steps on its dual, with exact search.
//
//   min 1/2 x'Ax + b'x + sigma/2 |x - c|^2,  lo <= x <= hi
//
// With s(z) = c - (A z + b)/sigma and P the projection on the bounds, the solution is the z with z
// = P(s(z)). Up to the null space of A it minimises
//   theta(z) = 1/2 z'Az - sum_i (p_i g_i + sigma/2 (p_i - c_i)^2),  g = A z + b, p = P(s(z)),
// which is convex, piecewise quadratic, and once differentiable with gradient A (z - p). A Newton
// step on the rows I with lo < s < hi is
//   d_F = p_F - z_F,   (A_II + sigma I) d_I = sigma (s - z)_I - A_IF d_F,
// so full steps are the two-sided flips of the proximal problem. If z is the proximal point of a
// larger sigma, the first I is {lo < z < hi}. The search along d is exact, on the kinks of theta,
// so every step descends. theta has finitely many pieces, so the method is finite for every
// semidefinite A and any bounds (X. Li, D. Sun, K.-C. Toh: A highly efficient semismooth Newton
// augmented Lagrangian method, SIAM J. Optim. 28, 2018; for finiteness, D. Sun, Ann. Oper. Res.
// 103, 2001). Cost of a step: an update of the face, three products, O(n log n).
#include "active_set.h"

#include <string.h>

#include "vector.h"

// The kinks of theta along d; *slope and *second: its first and second derivative at 0+.
static int32_t kinks(active_set *a, double *slope, double *second) {
  const perp_run *run = a->run;
  int32_t count = 0;
  double g = 0.0, h = 0.0;
  for (int32_t i = 0; i < a->n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i);
    const double s = a->centre[i] - (a->Az[i] + run->b[i])/a->sigma, w = a->Ad[i]/a->sigma;
    g += a->Ad[i]*(a->z[i] - clamp(s, lo, hi));
    h += a->d[i]*a->Ad[i];
    if (w == 0.0) continue;
    const double curve = a->Ad[i]*w;                 // while s - t w is between the bounds
    const double enters = w > 0.0 ? (s - hi)/w : (s - lo)/w,
                 leaves = w > 0.0 ? (s - lo)/w : (s - hi)/w;
    if (leaves <= 0.0) continue;
    if (enters <= 0.0) h += curve;
    else if (enters < (double)INFINITY) a->breaks[count++] = (kink){enters, curve};
    if (leaves < (double)INFINITY) a->breaks[count++] = (kink){leaves, -curve};
  }
  *slope = g;
  *second = h;
  return count;
}

// Sets the free rows and d_F. first: rows with z inside its bounds are free; otherwise rows with s
// inside. Returns the distance of z from P(s(z)) in the certificate's units.
static double look(active_set *a, int first) {
  const perp_run *run = a->run;
  double gap = 0.0;
  for (int32_t i = 0; i < a->n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i);
    const double s = a->centre[i] - (a->Az[i] + run->b[i])/a->sigma;
    const double by = first ? a->z[i] : s;
    const uint8_t is_free = by > lo && by < hi;
    a->is_free[i] = is_free;
    a->d[i] = is_free ? 0.0 : clamp(s, lo, hi) - a->z[i];
    gap = max_or_nan(gap, is_free ? a->unit[i]*a->sigma*fabs(s - a->z[i])
                                  : run->weight[i]*fabs(a->d[i]));
  }
  return gap;
}

// run->x from z, exactly at the bounds in rows that are not free.
static void take(active_set *a) {
  const perp_run *run = a->run;
  for (int32_t i = 0; i < a->n; i++)
    run->x[i] = clamp(a->is_free[i] ? a->z[i] : a->z[i] + a->d[i], lower(run->lo, i),
                      upper(run->hi, i));
}

int active_newton(active_set *a) {
  perp_run *run = a->run;
  const int32_t n = a->n;
  const double enough = max2(0.05*run->options->tol, 1e-3*a->sigma);
  double before = (double)INFINITY;
  int32_t idle = 0;
  int first = a->flips_failed;
  if (run_product(run, a->z, a->Az) != 0) return -1;
  do {
    const double gap = look(a, first);
    double g, h;
    if (!(gap < (double)INFINITY)) return 1;
    idle = gap < 0.5*before ? 0 : idle + 1;
    before = min2(gap, before);
    take(a);
    if (!first && gap <= enough) return 0;
    if (run_product(run, a->d, a->Ad) != 0) return -1;
    for (int32_t i = 0; i < n; i++)
      a->y[i] = a->is_free[i] ? -(a->Az[i] + run->b[i]) - a->sigma*(a->z[i] - a->centre[i]) -
                                    a->Ad[i] : 0.0;
    const int code = active_step(a, a->y);
    if (code != 0) return code;
    for (int32_t i = 0; i < n; i++)
      if (a->is_free[i]) a->d[i] = a->y[i];
    if (run_product(run, a->d, a->Ad) != 0) return -1;
    const int32_t count = kinks(a, &g, &h);
    // The first free rows are a guess, and d may not descend: then no step. Later theta is flat
    // along null vectors of A, or only rounding remains: then a full step.
    const int flat = !(g < 0.0) && !first;
    double t = flat ? 1.0 : g < 0.0 ? kinks_minimum(a->breaks, count, g, h) : 0.0;
    if (first && !(t < (double)INFINITY)) t = 0.0;
    if (!(t < (double)INFINITY)) return 1;           // A is not semidefinite
    for (int32_t i = 0; i < n; i++) {
      a->z[i] += t*a->d[i];
      a->Az[i] += t*a->Ad[i];
    }
    if (flat) {
      look(a, 0);
      take(a);
      return 0;
    }
    first = 0;
    if (idle%16 == 15 && run_product(run, a->z, a->Az) != 0) return -1;   // removes rounding in Az
  } while (run_continue(run));
  return -1;
}
