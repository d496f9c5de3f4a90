// keller.c: Keller's pivoting for symmetric A: descends on 1/2 x'Ax + b'x within the bounds.
//
//   j: the most wrong row;  move x_j towards y_j = 0 keeping y_I = 0, until y_j = 0 (j enters I),
//   x_j meets its other bound, or some x_i of I meets a bound (i leaves I, and x_j moves on)
//
// Keller: The general quadratic optimization problem (1973). This is the symmetric principal
// pivoting method of Cottle, Pang, Stone, 4.2, except that rows outside of I may become wrong again.
// A_II stays positive definite: a row enters only if dy_j > 0, and rows that leave do not matter.
// Every driven row lowers the objective, so no set I comes back: finite for every symmetric A, even
// with ties. It ends at a solution, or on a ray along which the objective falls without limit.
// There is no ray if the objective is bounded below on the box: A positive definite, strictly
// copositive, or all bounds finite. For semidefinite A a ray proves that there is no solution. If A
// is nearly symmetric, its symmetric part is pivoted, and refinement handles the skew part. Cost:
// O(n^2) per pivot, and a product with A per driven row.
#include "objective.h"
#include "pivoting.h"

static int32_t most_wrong(const pivoting *s) {
  int32_t worst = -1;
  double most = 0.0;
  for (int32_t i = 0; i < s->n; i++) {
    const double wrong = s->P.place[i] < 0 ? pivoting_wrong(s, i) : 0.0;
    if (wrong > most) {
      most = wrong;
      worst = i;
    }
  }
  return worst;
}

static void run_keller(perp_run *run) {
  pivoting s;
  const int begun = pivoting_begin(&s, run, run->memory, 0);
  if (begun && !s.P.symmetric) {
    run_refuse(run, (unmet){DEMAND_SYMMETRY, -1, -1});
    return;
  }
  if (begun) pivoting_start(&s, run->options->pivot.crash);
  while (run_continue(run)) {
    run->residual = s.residual;
    const int32_t j = s.current >= 0 ? s.current : most_wrong(&s);
    if (j < 0) {
      pivoting_finish(&s);
      continue;
    }
    if (s.current < 0) pivoting_drive(&s, j);
    pivoting_step(&s);
    if (s.current < 0) pivoting_all_y(&s);
  }
}

static const perp_parameter parameters[] = {PIVOTING_CRASH_PARAMETER};

const perp_method method_keller = {
  .name = "keller", .tier = PERP_TIER_REFERENCE,
  .title = "symmetric pivoting by descent",
  .source = "Keller 1973; Cottle, Pang, Stone 4.2",
  .formula = "x_j += t, x_I -= t A_II^-1 A_Ij until y_j = 0; rows of I at a bound leave",
  .converges = "A symmetric, and 1/2 x'Ax + b'x bounded below on the box: positive definite, "
               "strictly copositive, or all bounds finite",
  .cost = "O(n^2) a pivot: the factor of A_II is updated",
  .advice = "It needs a symmetric A, which may be indefinite. Otherwise use lemke.",
  .needs = PERP_NEEDS_SUBMATRIX | PERP_NEEDS_NEARLY_SYMMETRIC,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_FINITE | PERP_TRAIT_NO_ALLOC,
  .n_max = 4000,
  .parameters = parameters,
  .parameter_count = 1,
  .bytes = pivoting_bytes,
  .run = run_keller,
  .iteration = "pivots",
};
