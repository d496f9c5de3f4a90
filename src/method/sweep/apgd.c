// apgd.c: accelerated projected gradient descent with adaptive restart, for symmetric A.
//
//   x+ = clamp(z - y(z)/L, lo, hi),   y(z) = A z + b,   L raised until d'A d <= L d'd,  d = x+ - z
//   z+ = x+ + beta (x+ - x),   beta = theta (1 - theta)/(theta^2 + theta+),
//   theta+^2 = (1 - theta+) theta^2
//
// Nesterov 1983. Backtracking on L as in Mazhar et al. 2015, except that L never falls: a falling L
// amplifies rough errors and stalled at 2e-2 on a pressure problem. The momentum restarts when
// y(z)'(x+ - x) > 0 (O'Donoghue, Candes 2015). Runs on the diagonally scaled problem. Converges for
// symmetric PSD A with an objective that is bounded below, at the rate 1/k^2. Cost per iteration:
// one product with A per trial of L, because A x+ = A z + A d.
#include <string.h>

#include "sweep.h"
#include "vector.h"

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  arena count = {0};
  for (int k = 0; k < 6; k++) ARENA_ARRAY(&count, double, limits->n);
  return count.used;
}

static void run_apgd(perp_run *run) {
  const int32_t n = run->n;
  double *array[6];
  for (int k = 0; k < 6; k++) array[k] = ARENA_ARRAY(run->memory, double, n);
  double *x = run->x, *yx = array[0];           // y(x)
  double *z = array[1], *yz = array[2];         // the extrapolated point and y(z)
  double *d = array[3], *Ad = array[4], *old = array[5];
  double L = 0.0, theta = 1.0;
  if (run_apply(run, x, yx) != 0) return;
  memcpy(z, x, (size_t)n*sizeof *z);
  memcpy(yz, yx, (size_t)n*sizeof *yz);

  while (run_continue(run)) {
    for (int trial = 0;; trial++) {                           // find L with d'A d <= L d'd
      double dd = 0.0;
      for (int32_t i = 0; i < n; i++) {
        const double t = L > 0.0 ? z[i] - yz[i]/L : z[i] - yz[i];
        d[i] = clamp(t, lower(run->lo, i), upper(run->hi, i)) - z[i];
        dd += d[i]*d[i];
      }
      if (run_product(run, d, Ad) != 0) return;
      double dAd = 0.0;
      for (int32_t i = 0; i < n; i++) dAd += d[i]*Ad[i];
      const double curvature = dd > 0.0 ? dAd/dd : 0.0;
      if (!(curvature - curvature == 0.0)) {
        run_stop(run, PERP_STATUS_BREAKDOWN, "the products of apgd overflowed");
        break;
      }
      if (L == 0.0) L = curvature > 0.0 ? curvature : 1.0;    // first step: the curvature along -y
      else if (curvature <= L*(1.0 + 1e-12) || trial == 60) break;
      else L = max2(1.25*L, curvature);
    }
    double uphill = 0.0;
    for (int32_t i = 0; i < n; i++) {                         // x+ = z + d, y(x+) = y(z) + A d
      old[i] = x[i];
      x[i] = clamp(z[i] + d[i], lower(run->lo, i), upper(run->hi, i));
      uphill += yz[i]*(x[i] - old[i]);
      d[i] = yx[i];                                           // y(old)
      yx[i] = yz[i] + Ad[i];
    }
    // Compute y again at both points: the momentum would amplify a difference between an accurate y
    // and an inaccurate one by 1/(1 - beta).
    if (run->iterations%SWEEP_REFRESH_PASSES == SWEEP_REFRESH_PASSES - 1 &&
        (run_apply(run, x, yx) != 0 || run_apply(run, old, d) != 0))
      return;
    run->residual = run_residual(run, x, yx);
    const double theta2 = theta*theta, next = 0.5*(sqrt(theta2*theta2 + 4.0*theta2) - theta2);
    const int restart = uphill > 0.0 || !run->options->gradient.accelerate;
    const double beta = restart ? 0.0 : theta*(1.0 - theta)/(theta2 + next);
    theta = restart ? 1.0 : next;
    for (int32_t i = 0; i < n; i++) {
      z[i] = x[i] + beta*(x[i] - old[i]);
      yz[i] = yx[i] + beta*(yx[i] - d[i]);                              // y is affine
    }
  }
}

static const perp_parameter parameters[] = {
  {"gradient.accelerate", PERP_KIND_SWITCH, offsetof(perp_options, gradient.accelerate), 1, 0, 1, 0,
   0, NULL, "Nesterov's momentum; off: plain projected gradient descent"},
};

const perp_method method_apgd = {
  .name = "apgd", .tier = PERP_TIER_CHOOSE,
  .use = "A symmetric, and known by its products only",
  .title = "accelerated projected gradient descent",
  .source = "Nesterov 1983; Mazhar et al. 2015",
  .formula = "x+ = clamp(z - y(z)/L, lo, hi), z+ = x+ + beta (x+ - x), restarted when uphill",
  .converges = "A symmetric positive semidefinite and the objective bounded below; rate 1/k^2",
  .cost = "one product with A, sometimes two, and a few passes over vectors",
  .advice = "It is proven for a symmetric A only. Raise iteration_limit, or use nncg or auto.",
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME | PERP_TRAIT_NO_ALLOC | PERP_TRAIT_SCALES,
  .parameters = parameters,
  .parameter_count = 1,
  .bytes = bytes,
  .run = run_apgd,
};
