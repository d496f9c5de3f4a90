// psor.c: projected successive over-relaxation, forward or symmetric.
//
//   x_i <- clamp(x_i - omega (A_i x + b_i)/A_ii, lo_i, hi_i),   0 < omega < 2
//                                               E13 5.2: a splitting of omega A, omega b
//
// Symmetric: a forward pass, then a backward one. Converges for symmetric PD A and 0 < omega < 2.
// Cost per iteration: one pass over the nonzeros, two if symmetric.
#include "sweep.h"
#include "vector.h"

static void run_psor(perp_run *run) {
  sweeper s;
  if (!sweeper_begin(&s, run, run->options->sweep.omega)) return;
  while (run_continue(run)) {
    double change = sweeper_pass(&s, run, 0);
    if (run->options->sweep.symmetric) change = max_or_nan(change, sweeper_pass(&s, run, 1));
    run->residual = sweeper_residual(&s, run, change);
    if (change == 0.0) sweeper_fixed_point(&s, run);
  }
}

static const perp_parameter parameters[] = {
  {"sweep.omega", PERP_KIND_REAL, offsetof(perp_options, sweep.omega), 1.4, 0, 2, 1, 1, NULL,
   "over-relaxation"},
  {"sweep.symmetric", PERP_KIND_SWITCH, offsetof(perp_options, sweep.symmetric), 0, 0, 1, 0, 0,
   NULL, "a backward pass after each forward one"},
  SWEEP_ORDER_PARAMETER,
};

const perp_method method_psor = {
  .name = "psor", .tier = PERP_TIER_REFERENCE,
  .title = "projected successive over-relaxation",
  .source = "E13 5.2",
  .formula = "x_i <- clamp(x_i - omega y_i/A_ii, lo_i, hi_i) for i = 1..n, in place",
  .converges = "A symmetric positive definite and 0 < omega < 2",
  .cost = "one pass over the nonzeros of A, two if symmetric",
  .advice = "Try another sweep.omega, or use nncg where A is symmetric and auto where it is not.",
  .hint = "Another sweep.omega may help.",
  .needs = PERP_NEEDS_DIAGONAL | PERP_NEEDS_SWEEP,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME | PERP_TRAIT_NO_ALLOC,
  .parameters = parameters,
  .parameter_count = 3,
  .bytes = sweeper_bytes,
  .run = run_psor,
  .iteration = "sweeps",
};
