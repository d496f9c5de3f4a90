// dantzig.c: Baraff's incremental pivoting: makes rows right one by one and keeps them right.
//
//   For each wrong row j, the worst first: move x_j towards y_j = 0, keeping y_I = 0 and all rows
//   that are right already; each row that blocks changes sides:
//   dx_I = -A_II^-1 A_Ij,  dy = A (e_j + dx)                              E13 5.1.1, corrected
//
// This is the principal pivoting of Dantzig and Cottle (Cottle, Pang, Stone: The Linear
// Complementarity Problem, 4.2). It is finite for P-matrices up to ties, and for symmetric
// semidefinite A, where dependent rows are left out. It starts from the set that a few Gauss-Seidel
// sweeps find (pivot.crash), after which few rows are wrong. Cost per pivot: O(n^2), because the
// factor of A_II is updated.
#include "pivoting.h"

// The most wrong of the rows that are not settled. Rows that turn out right become settled.
static int32_t next_row(pivoting *s) {
  int32_t next = -1;
  double most = 0.0;
  for (int32_t i = 0; i < s->n; i++) {
    if (s->P.place[i] >= 0 || s->settled[i]) continue;
    s->y[i] = pivoting_y(s, i);
    const double wrong = pivoting_wrong(s, i);
    if (wrong == 0.0) s->settled[i] = 1;
    if (wrong > most) {
      most = wrong;
      next = i;
    }
  }
  return next;
}

void dantzig_rows(pivoting *s) {
  perp_run *run = s->run;
  s->watch = 1;
  while (run_continue(run)) {
    run->residual = s->residual;
    const int32_t j = s->current >= 0 ? s->current : next_row(s);
    if (j < 0) {
      pivoting_finish(s);
      continue;
    }
    if (s->current < 0) pivoting_drive(s, j);
    pivoting_step(s);
  }
}

static void run_dantzig(perp_run *run) {
  pivoting s;
  if (pivoting_begin(&s, run, run->memory, 1)) pivoting_start(&s, run->options->pivot.crash);
  dantzig_rows(&s);
}

static const perp_parameter parameters[] = {PIVOTING_CRASH_PARAMETER};

const perp_method method_dantzig = {
  .name = "dantzig", .tier = PERP_TIER_CHOOSE,
  .use = "A symmetric and dense, up to a few thousand rows",
  .title = "incremental pivoting",
  .source = "E13 5.1.1; Baraff 1994",
  .formula = "x_j += t, x_I -= t A_II^-1 A_Ij until y_j = 0; rows that block change sides",
  .converges = "A is a P-matrix (H+, positive definite), or symmetric semidefinite and the problem "
               "solvable; ties are broken by index",
  .cost = "O(n^2) a pivot: the factor of A_II is updated",
  .advice = "Where A is not symmetric use lemke.",
  .needs = PERP_NEEDS_SUBMATRIX,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD | 1u << PERP_CLASS_PD | 1u << PERP_CLASS_H,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_FINITE | PERP_TRAIT_NO_ALLOC,
  .n_max = 4000,
  .parameters = parameters,
  .parameter_count = 1,
  .bytes = pivoting_bytes,
  .run = run_dantzig,
  .iteration = "pivots",
};
