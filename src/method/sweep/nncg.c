// nncg.c: nonsmooth nonlinear conjugate gradients on the Gauss-Seidel map.
//
//   z = PGS(x),  g = x - z,  beta = |g|^2/|g_old|^2
//   beta > 1:  p = 0, x = z (restart)      else:  x = clamp(z + beta p), p = beta p - g
//
// Silcowitz-Niebe, Erleben: A nonsmooth nonlinear conjugate gradient method for interactive contact
// force problems (2010). Norms are weighted by diag A, so diagonal scaling changes nothing. There
// is no proof of convergence; in practice it needs far fewer passes than PGS. A restart is a PGS
// step. After gradient.restart iterations without a new best residual it restarts. Cost per
// iteration: a Gauss-Seidel pass and three passes over vectors.
#include "sweep.h"
#include "vector.h"

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  arena count = {0};
  ARENA_ARRAY(&count, double, limits->n);
  ARENA_ARRAY(&count, double, limits->n);
  arena_take(&count, sweeper_bytes(limits, options), 1);
  return count.used;
}

static void run_nncg(perp_run *run) {
  const int32_t n = run->n;
  double *p = ARENA_ARRAY(run->memory, double, n), *old = ARENA_ARRAY(run->memory, double, n);
  sweeper s;
  if (!sweeper_begin(&s, run, 1.0)) return;
  double *x = run->x, norm_old = 0.0, best = (double)INFINITY;
  int32_t since_best = 0;
  for (int32_t i = 0; i < n; i++) p[i] = 0.0;
  while (run_continue(run)) {
    for (int32_t i = 0; i < n; i++) old[i] = x[i];
    const double change = sweeper_pass(&s, run, 0);                     // x holds z = PGS(x)
    run->residual = sweeper_residual(&s, run, change);
    if (change == 0.0) {
      sweeper_fixed_point(&s, run);
      continue;
    }
    since_best = run->residual < best ? 0 : since_best + 1;
    best = min2(best, run->residual);
    double norm = 0.0;
    for (int32_t i = 0; i < n; i++) norm += s.diagonal[i]*(old[i] - x[i])*(old[i] - x[i]);
    const double beta = norm_old > 0.0 ? norm/norm_old : 0.0;
    norm_old = norm;
    // restart: a plain PGS step
    if (!(beta <= 1.0) || since_best >= run->options->gradient.restart) {
      for (int32_t i = 0; i < n; i++) p[i] = 0.0;
      since_best = 0;
    } else {
      for (int32_t i = 0; i < n; i++) {
        const double g = old[i] - x[i];
        x[i] = clamp(x[i] + beta*p[i], lower(run->lo, i), upper(run->hi, i));
        p[i] = beta*p[i] - g;
      }
      s.state.fresh = 1;
    }
  }
}

static const perp_parameter parameters[] = {
  {"gradient.restart", PERP_KIND_INTEGER, offsetof(perp_options, gradient.restart), 50, 1,
   INT32_MAX, 0, 0, NULL, "restart after this many iterations without a new best residual"},
  SWEEP_ORDER_PARAMETER,
};

const perp_method method_nncg = {
  .name = "nncg", .tier = PERP_TIER_CHOOSE,
  .use = "A symmetric, and too large to factor",
  .title = "nonsmooth nonlinear conjugate gradients",
  .source = "Silcowitz-Niebe, Erleben 2010",
  .formula = "z = PGS(x), g = x - z, beta = |g|^2/|g_old|^2, x = z + beta p, p = beta p - g",
  .converges = "no proof; in practice wherever PGS does, in fewer passes",
  .cost = "one Gauss-Seidel pass and three passes over vectors",
  .advice = "It is fast for a symmetric A only. Raise iteration_limit, or use apgd or auto.",
  .needs = PERP_NEEDS_DIAGONAL | PERP_NEEDS_SWEEP,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = PERP_ASSUMES_NO_PROOF,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME | PERP_TRAIT_NO_ALLOC,
  .parameters = parameters,
  .parameter_count = 2,
  .bytes = bytes,
  .run = run_nncg,
};
