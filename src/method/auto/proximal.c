// proximal.c: repeats another method on A + sigma I, each time around its last answer.
//
//   x+ solves  0 <= x  _|_  (A + sigma I) x + (b - sigma x_k) >= 0   (any bounds)
//
// A fixed point solves the original problem, so sigma causes no bias. Converges for monotone A of
// any rank if a solution exists (Rockafellar 1976). The friction LCP E13 (27) is copositive, so
// A + sigma I is strictly copositive, and Lemke's method cannot end on a ray. Cost: one solve of
// the inner method per iteration. Two or three iterations suffice if sigma is small.
#include <math.h>

#include "methods.h"
#include "run.h"
#include "vector.h"

static const char *const inner_names[] = {"lemke", "dantzig", "interior_point",
                                          "principal_pivoting"};

static void run_proximal(perp_run *run) {
  const int32_t n = run->n;
  double *b = run_allocate(run, 2*(size_t)n*sizeof *b), *y = b + n;
  if (b == NULL) return;
  const perp_method *inner = perp_find_method(inner_names[run->options->proximal.method]);
  double largest = 0.0;
  run->A.ops->diagonal(run->A.self, b);
  for (int32_t i = 0; i < n; i++) largest = max2(largest, fabs(b[i]));
  const double sigma = run->options->proximal.shift*(largest > 0.0 ? largest : 1.0);
  perp_wrapper shifted;
  const perp_problem problem = {.A = perp_shifted(&shifted, run->A, sigma), .b = b, .lo = run->lo,
                                .hi = run->hi};
  run->regularization = sigma;
  double best = run->residual;
  int32_t idle = 0;
  while (run_continue(run)) {
    for (int32_t i = 0; i < n; i++) b[i] = run->b[i] - sigma*run->x[i];
    perp_options options = child_options(run, inner);
    options.tol = max2(0.1*run->options->tol, 1e-13);
    options.scale = 0;   // A is scaled already; a second scaling would hide its entries
    const perp_status status = run_other(run, &problem, inner, &options, run->x, 20*n + 1000,
                                         (double)INFINITY);
    if (run_apply(run, run->x, y) != 0) return;
    run->residual = run_residual(run, run->x, y);
    if (run->residual <= 1e3*run->options->tol && run_check(run)) return;
    idle = run->residual < 0.5*best ? 0 : idle + 1;
    best = min2(best, run->residual);
    if (status != PERP_STATUS_SOLVED)
      run_stop(run, status_is_proof(status) ? PERP_STATUS_STALLED : status,
               "proximal gave up because %s on A + %.2g I ended with the status '%s'", inner->name,
               sigma, perp_status_name(status));
    else if (idle >= 5)
      run_stop(run, PERP_STATUS_STALLED, "proximal made no progress in 5 iterations with %s on A + "
               "%.2g I", inner->name, sigma);
  }
}

static const perp_parameter parameters[] = {
  {"proximal.method", PERP_KIND_CHOICE, offsetof(perp_options, proximal.method), 0, 0, 3, 0, 0,
   "lemke|dantzig|interior_point|principal_pivoting", "the method that solves the shifted problems"},
  {"proximal.shift", PERP_KIND_REAL, offsetof(perp_options, proximal.shift), 1e-8, 0, 1e6, 1, 0,
   NULL, "sigma relative to the largest diagonal entry"},
};

const perp_method method_proximal = {
  .name = "proximal", .tier = PERP_TIER_INTERNAL,
  .title = "proximal points around another method",
  .source = "Rockafellar 1976",
  .formula = "x+ solves the problem with A + sigma I and b - sigma x",
  .converges = "A positive semidefinite and a solution exists",
  .cost = "a solve of the inner method a round",
  .advice = "Change proximal.shift by factors of 100, or proximal.method.",
  .hint = "A proximal.shift 100 times larger or smaller may help.",
  .needs = PERP_NEEDS_DIAGONAL | PERP_NEEDS_SUBMATRIX,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = PERP_ASSUMES_NO_PROOF,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_META | PERP_TRAIT_EQUILIBRATE,
  .parameters = parameters,
  .parameter_count = 2,
  .run = run_proximal,
};
