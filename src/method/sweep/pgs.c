// pgs.c: projected Gauss-Seidel: relaxes one row after another and clamps it to its bounds.
//
//   x_i <- clamp(x_i - (A_i x + b_i)/A_ii, lo_i, hi_i),   i = 1..n, in place
//                                               E13 5.2, corrected: projects inside the sweep
//
// Converges for symmetric A that is PD, or PSD with A_ii > 0 and an objective bounded below (E13
// 5.3, corrected), and for H+ matrices. Cost per iteration: one pass over the nonzeros.
#include "sweep.h"

static void run_pgs(perp_run *run) {
  sweeper s;
  if (!sweeper_begin(&s, run, 1.0)) return;
  while (run_continue(run)) {
    const double change = sweeper_pass(&s, run, 0);
    run->residual = sweeper_residual(&s, run, change);
    if (change == 0.0) sweeper_fixed_point(&s, run);
  }
}

static const perp_parameter parameters[] = {SWEEP_ORDER_PARAMETER};

const perp_method method_pgs = {
  .name = "pgs", .tier = PERP_TIER_CHOOSE,
  .use = "a rough answer soon and in little memory, as in games",
  .title = "projected Gauss-Seidel",
  .source = "E13 5.2",
  .formula = "x_i <- clamp(x_i - y_i/A_ii, lo_i, hi_i) for i = 1..n, in place",
  .converges = "A symmetric positive definite, or semidefinite with a positive diagonal and a "
               "bounded objective; A in H+",
  .cost = "one pass over the nonzeros of A",
  .advice = "Raise iteration_limit, or use nncg where A is symmetric and auto where it is not.",
  .needs = PERP_NEEDS_DIAGONAL | PERP_NEEDS_SWEEP,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD | 1u << PERP_CLASS_H,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME | PERP_TRAIT_NO_ALLOC,
  .parameters = parameters,
  .parameter_count = 1,
  .bytes = sweeper_bytes,
  .run = run_pgs,
  .iteration = "sweeps",
};
