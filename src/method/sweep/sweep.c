// sweep.c: makes Gauss-Seidel passes, and chooses the sweeping method for a short time.
#include "sweep.h"

#include <string.h>

#include "methods.h"
#include "vector.h"

static size_t state_bytes(const perp_limits *limits) {
  const size_t matrix = (size_t)limits->n*sizeof(double);
  return limits->scratch > matrix ? limits->scratch : matrix;
}

size_t sweeper_bytes(const perp_limits *limits, const perp_options *options) {
  arena count = {0};
  ARENA_ARRAY(&count, double, limits->n);
  ARENA_ARRAY(&count, double, limits->n);
  arena_take(&count, state_bytes(limits), 1);
  if (options->sweep.order == PERP_ORDER_COLOURED)
    arena_take(&count, coloured_bytes(limits->n, limits->nnz), 1);
  return count.used;
}

int sweeper_begin(sweeper *s, perp_run *run, double omega) {
  *s = (sweeper){.diagonal = ARENA_ARRAY(run->memory, double, run->n),
                 .y = ARENA_ARRAY(run->memory, double, run->n)};
  const size_t need = operator_sweep_bytes(&run->A), matrix = (size_t)run->n*sizeof(double);
  s->state = (perp_sweep){.x = run->x, .b = run->b, .lo = run->lo, .hi = run->hi,
                          .diagonal = s->diagonal, .weight = run->weight,
                          .omega = omega, .fresh = 1,
                          .memory = arena_take(run->memory, need > matrix ? need : matrix, 1)};
  const perp_view view = operator_view(&run->A);
  const int coloured_order = run->options->sweep.order == PERP_ORDER_COLOURED &&
                             coloured_accepts(&view);
  if (coloured_order) s->plan = coloured_plan(run->memory, &run->A);
  if (s->diagonal == NULL || s->y == NULL || s->state.memory == NULL ||
      (coloured_order && s->plan == NULL)) {
    run_stop(run, PERP_STATUS_BREAKDOWN, "the memory reserved for %s is too small for n = %d",
             run->method->name, run->n);
    return 0;
  }
  run->A.ops->diagonal(run->A.self, s->diagonal);
  for (int32_t i = 0; i < run->n; i++) s->any_flat |= !(s->diagonal[i] > 0.0);
  return 1;
}

// For operators with columns but without a sweep: y = A x + b is updated by columns.
static void pass_by_columns(sweeper *s, perp_run *run, int backward) {
  perp_sweep *state = &s->state;
  double *y = state->memory;
  if (state->fresh && run_apply(run, state->x, y) != 0) return;
  state->fresh = 0;
  for (int32_t k = 0; k < run->n; k++) {
    const int32_t i = backward ? run->n - 1 - k : k;
    const double z = relaxed(state->x[i], y[i], s->diagonal[i], state->omega, lower(state->lo, i),
                             upper(state->hi, i));
    const double dx = z - state->x[i];
    if (dx == 0.0) continue;
    state->change = max_or_nan(state->change, state->weight[i]*fabs(dx)/state->omega);
    state->x[i] = z;
    run->A.ops->add_column(run->A.self, i, dx, y);
  }
}

double sweeper_pass(sweeper *s, perp_run *run, int backward) {
  s->state.change = 0.0;
  s->state.backward = backward;
  if (s->passes++%SWEEP_REFRESH_PASSES == 0) s->state.fresh = 1;
  if (s->plan != NULL) coloured_sweep(s->plan, &s->state, run->threads);
  else if (run->A.ops->sweep != NULL) {
    if (run->A.ops->sweep(run->A.self, &s->state, 0, run->n) != 0)
      run_stop(run, PERP_STATUS_BREAKDOWN, "the sweep of operator '%s' failed", run->A.ops->name);
  } else pass_by_columns(s, run, backward);
  return s->state.change;
}

double sweeper_residual(sweeper *s, perp_run *run, double change) {
  if (!s->any_flat || run_apply(run, run->x, s->y) != 0) return change;
  return max_or_nan(change, run_residual(run, run->x, s->y));
}

void sweeper_fixed_point(sweeper *s, perp_run *run) {
  if (run_check(run)) return;
  if (s->passes > 2) s->passes = 0;   // y may be inaccurate: compute it again first
  else
    run_stop(run, PERP_STATUS_STAGNATED, "%s no longer changes x, which is not a solution%s",
             run->method->name, s->any_flat ? ", and some A_ii are not positive" : "");
}

const perp_method *sweeper_for(const perp_run *run) {
  const int symmetric = (run->A.claims & PERP_CLAIM_SYMMETRIC) != 0;
  return symmetric && run->A.ops->add_column != NULL ? &method_southwell : &method_pgs;
}
