// run_scale.c: scales the problem of a run: x = C z, rows times R, by powers of two.
//
// A method asks for it by a trait, or later by run_equilibrate(). The scaling is a symmetric one by
// the diagonal, or the two-sided one of the certificate (equilibrate.c).
#include <math.h>

#include "driver.h"
#include "grid.h"
#include "operator.h"
#include "vector.h"

static double power_of_two_below(double v) {
  int e;
  frexp(v, &e);
  return power_of_two_within(e - 1, 400);
}

// Symmetric scaling by the diagonal, s_i ~ 1/sqrt(A_ii), in powers of two.
// Returns 0 if that would change nothing.
static int diagonal_scaling(const perp_operator *A, double *s) {
  if (A->ops->diagonal == NULL) return 0;
  A->ops->diagonal(A->self, s);
  int different = 0;
  for (int32_t i = 0; i < A->n; i++) {
    s[i] = s[i] > 0.0 && s[i] < (double)INFINITY ? power_of_two_below(1.0/sqrt(s[i])) : 1.0;
    different |= s[i] != 1.0;
  }
  return different;
}

// The two-sided scaling of the certificate, which brings the entries of A and a unit of b near 1. If
// A is symmetric, or R and C differ by rounding only, s = sqrt(R C) replaces both, so that A stays
// symmetric. Returns 0 if A was not analysed.
static int equilibration(const perp_run *run, const run_spec *spec, double *R, double *C) {
  const certifier *judge = &run->state->solver->judge;
  if (!judge->look.balanced) return 0;
  int alike = 1;
  for (int32_t i = 0; i < run->n; i++) {
    const int32_t k = spec->index != NULL ? spec->index[i] : i;
    judge->ops->fit(judge, k, &R[i], &C[i]);
    R[i] = clamp(R[i], 0x1p-400, 0x1p400);
    C[i] = clamp(C[i], 0x1p-400, 0x1p400);
    alike &= R[i] <= 2.0*C[i] && C[i] <= 2.0*R[i];
  }
  const int symmetric = alike || judge->facts.mirrored ||
                        (spec->A.claims & PERP_CLAIM_SYMMETRIC) != 0;
  double largest = 0.0;
  for (int32_t i = 0; i < run->n; i++) {
    if (symmetric)
      R[i] = C[i] = power_of_two_within((binary_exponent(R[i]) + binary_exponent(C[i]))/2, 400);
    largest = max2(largest, min2(fabs(R[i]*spec->b[i]), 0x1p400));
  }
  const double unit = largest > 0.0 ? power_of_two_within(-binary_exponent(largest), 400) : 1.0;
  for (int32_t i = 0; i < run->n; i++) {
    R[i] *= unit;
    C[i] /= unit;
  }
  return symmetric ? 2 : 1;
}

// Replaces the given problem by the scaled one.
static void take_scaled(perp_run *run, const run_spec *spec, const run_arrays *arrays,
                        const double *R, int symmetric, perp_wrapper *wrapper) {
  run->A = perp_scaled(wrapper, spec->A, R, arrays->C);
  if (symmetric) run->A.claims |= spec->A.claims & PERP_CLAIM_SYMMETRIC;
  else run->facts = &run->state->scaled;
  for (int32_t i = 0; i < run->n; i++) {
    const double c = arrays->C[i];
    arrays->b[i] = R[i]*spec->b[i];
    run->x[i] /= c;
    if (spec->lo != NULL) arrays->lo[i] = spec->lo[i]/c;
    if (spec->hi != NULL) arrays->hi[i] = spec->hi[i]/c;
  }
  run->b = arrays->b;
  run->lo = spec->lo != NULL ? arrays->lo : NULL;
  run->hi = spec->hi != NULL ? arrays->hi : NULL;
  run->state->R = R;
  run->state->C = arrays->C;
}

void run_scale(perp_run *run, const run_spec *spec, const run_arrays *arrays,
               perp_wrapper *wrapper) {
  const uint32_t traits = spec->method->traits;
  if (!spec->options->scale || spec->C != NULL) return;
  if ((traits & PERP_TRAIT_GRID) && grid_of(&spec->A) != NULL) return;
  if (traits & PERP_TRAIT_EQUILIBRATE) {
    const int known = equilibration(run, spec, arrays->R, arrays->C);
    if (known) take_scaled(run, spec, arrays, arrays->R, known == 2, wrapper);
  } else if (traits & PERP_TRAIT_SCALES) {
    if (diagonal_scaling(&spec->A, arrays->C))
      take_scaled(run, spec, arrays, arrays->C, 1, wrapper);
  }
}

typedef struct weights {
  const run_state *state;
  double *weight;
} weights;

static void some_weights(void *data, int32_t from, int32_t to, int32_t share) {
  const weights *w = data;
  const run_state *state = w->state;
  const certifier *judge = &state->solver->judge;
  (void)share;
  for (int32_t i = from; i < to; i++) {
    const int32_t k = state->index != NULL ? state->index[i] : i;
    const certify_scale scale = judge->ops->scale(judge, k);
    w->weight[i] = factor_at(state->C, i)*scale.inverse_C/scale.base;
  }
}

void run_set_weights(const perp_run *run, double *weight) {
  const run_state *state = run->state;
  const certifier *judge = &state->solver->judge;
  for (int32_t i = 0; i < run->n && run->options->stop.stagnation > 0.0; i++)
    state->previous[i] = run->x[i];
  if (judge->ops->weights != NULL && state->index == NULL && state->C == NULL)
    judge->ops->weights(judge, weight);
  else team_share(run->threads, run->n, some_weights, &(weights){state, weight});
}

typedef struct units {
  const run_state *state;
  double *unit;
} units;

static void some_units(void *data, int32_t from, int32_t to, int32_t share) {
  const units *u = data;
  const run_state *state = u->state;
  const certifier *judge = &state->solver->judge;
  (void)share;
  for (int32_t i = from; i < to; i++) {
    const int32_t k = state->index != NULL ? state->index[i] : i;
    const certify_scale scale = judge->ops->scale(judge, k);
    u->unit[i] = scale.R/(factor_at(state->R, i)*scale.base);
  }
}

void run_units(const perp_run *run, double *unit) {
  team_share(run->threads, run->n, some_units, &(units){run->state, unit});
}

void run_grid_units(const perp_run *run, double *unit, uint8_t *open) {
  const run_state *state = run->state;
  const certifier *judge = &state->solver->judge;
  if (judge->ops->units != NULL && state->index == NULL && state->R == NULL && state->C == NULL) {
    judge->ops->units(judge, unit, open);
    return;
  }
  run_units(run, unit);
  for (int32_t i = 0; i < run->n; i++) {
    int32_t column;
    double d;
    grid_entry(grid_of(&run->A), i, GRID_DIAGONAL, &column, &d);
    open[i] = d > 0.0 && !run_settled(run, i);
  }
}

int run_equilibrate(perp_run *run) {
  const run_given *given = run->state->given;
  const run_spec *spec = given->spec;
  if (!spec->options->scale || run->state->C != NULL || given->arrays->R == NULL ||
      equilibration(run, spec, given->arrays->R, given->arrays->C) != 1)
    return 0;
  perp_wrapper trial;
  const perp_operator scaled = perp_scaled(&trial, spec->A, given->arrays->R, given->arrays->C);
  if (operator_scratch_bytes(&scaled) > given->scratch) return 0;
  take_scaled(run, spec, given->arrays, given->arrays->R, 0, given->wrapper);
  run_set_weights(run, given->arrays->weight);
  return 1;
}
