// jacobi.c: damped projected Jacobi: relaxes all rows at once and clamps them to their bounds.
//
//   x <- clamp(x - omega D^-1 (A x + b), lo, hi),   D = diag A                 E13 5.2 with M = D
//
// Converges for H+ matrices. For symmetric PD A it converges only if omega < 2/lambda_max(D^-1 A),
// so plain Jacobi can diverge there (E13 5.3, corrected). Cost per iteration: one product with A.
#include "run.h"
#include "vector.h"

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  arena count = {0};
  ARENA_ARRAY(&count, double, limits->n);
  ARENA_ARRAY(&count, double, limits->n);
  return count.used;
}

static void run_jacobi(perp_run *run) {
  double *d = ARENA_ARRAY(run->memory, double, run->n),
         *y = ARENA_ARRAY(run->memory, double, run->n);
  const double omega = run->options->sweep.omega;
  run->A.ops->diagonal(run->A.self, d);
  if (run_apply(run, run->x, y) != 0) return;
  while (run_continue(run)) {
    for (int32_t i = 0; i < run->n; i++)
      run->x[i] = relaxed(run->x[i], y[i], d[i], omega, lower(run->lo, i), upper(run->hi, i));
    if (run_apply(run, run->x, y) != 0) return;
    run->residual = run_residual(run, run->x, y);
  }
}

static const perp_parameter parameters[] = {
  {"sweep.omega", PERP_KIND_REAL, offsetof(perp_options, sweep.omega), 1.0, 0, 2, 1, 1, NULL,
   "damping; below 2/lambda_max(D^-1 A) it converges for SPD A"},
};

const perp_method method_jacobi = {
  .name = "jacobi", .tier = PERP_TIER_REFERENCE,
  .title = "projected Jacobi",
  .source = "E13 5.2",
  .formula = "x <- clamp(x - omega y/diag(A), lo, hi)",
  .converges = "A in H+; for symmetric positive definite A only with a small enough omega",
  .cost = "one product with A",
  .advice = "Lower sweep.omega, or use pgs or auto.",
  .hint = "A lower sweep.omega may help.",
  .needs = PERP_NEEDS_DIAGONAL,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_H,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME | PERP_TRAIT_NO_ALLOC,
  .parameters = parameters,
  .parameter_count = 1,
  .bytes = bytes,
  .run = run_jacobi,
  .iteration = "sweeps",
};
