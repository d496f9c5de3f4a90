// certify.c: the certificate of certify.h, and perp_certify for callers.
#include "certify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "operator.h"
#include "problem.h"
#include "vector.h"

static const double u = 0x1p-53;

void certifier_layout(certifier *c, arena *memory, int32_t n, size_t scratch) {
  const size_t m = (size_t)n;
  c->R = ARENA_ARRAY(memory, double, m);
  c->C = ARENA_ARRAY(memory, double, m);
  c->component = ARENA_ARRAY(memory, int32_t, m);
  c->entries = ARENA_ARRAY(memory, int32_t, m);
  c->half = ARENA_ARRAY(memory, int32_t, 2*m);
  c->G = ARENA_ARRAY(memory, double, m);
  c->S = ARENA_ARRAY(memory, double, m);
  c->s = ARENA_ARRAY(memory, double, m);
  c->x = ARENA_ARRAY(memory, double, m);
  c->y = ARENA_ARRAY(memory, double, m);
  c->a = ARENA_ARRAY(memory, double, m);
  c->work = ARENA_ARRAY(memory, double, 2*m);
  c->scratch = arena_take(memory, scratch, 1);
  c->scratch_size = scratch;
  c->pattern_stamp = c->value_stamp = 0;
  c->n = -1;
}

// y = A x + b and a >= |A||x| + |b| at c->x. An operator that cannot tell gets a = |b|: no allowance for rounding.
static perp_error residual(certifier *c) {
  const perp_operator *A = &c->problem->A;
  const double *b = c->problem->b;
  int failed;
  if (A->ops->residual != NULL) failed = A->ops->residual(A->self, c->x, b, c->y, c->a, c->scratch);
  else {
    failed = A->ops->apply(A->self, c->x, c->y, c->scratch);
    for (int32_t i = 0; i < A->n; i++) {
      c->a[i] = fabs(b[i]);
      c->y[i] += b[i];
    }
  }
  return failed ? error_set(PERP_ERROR_OPERATOR, "operator '%s': apply returned %d", A->ops->name, failed) : PERP_OK;
}

static double row_residual(const certifier *c, int32_t i) {
  const perp_problem *p = c->problem;
  const double low = (c->x[i] - upper(p->hi, i))/c->C[i], high = (c->x[i] - lower(p->lo, i))/c->C[i];
  const double r = fabs(mid(low, c->R[i]*c->y[i], high));
  return r == r ? r : (double)INFINITY;   // A x overflowed: certainly no solution
}

// Settles what A leaves open: the unit of each half. Where b says something about it, so that max R_i (|b| + |A||x_ref|)_i
// is about 1; where b is 0, so large that only exact zeros pass there. c->a holds |b| + |A||x_ref|.
static void settle_units(certifier *c) {
  const int32_t n = c->n;
  double *unit = c->work;   // 2 n
  for (int32_t k = 0; k < c->halves; k++) unit[k] = 0.0;
  for (int32_t i = 0; i < n; i++) unit[c->half[i]] = max2(unit[c->half[i]], min2(c->R[i]*c->a[i], 0x1p1000));
  for (int32_t i = 0; i < n; i++) {   // -(largest scale) where b = 0
    double *row = &unit[c->half[i]], *column = &unit[c->half[n + i]];
    if (*row <= 0.0) *row = min2(*row, -c->R[i]);
    if (*column <= 0.0) *column = min2(*column, -1.0/c->C[i]);
  }
  for (int32_t k = 0; k < c->halves; k++) {
    int e = 0;
    if (unit[k] > 0.0) e = -ilogb(unit[k]);
    else if (unit[k] < 0.0) e = 300 - ilogb(-unit[k]);
    unit[k] = ldexp(1.0, e < -1000 ? -1000 : e > 1000 ? 1000 : e);
  }
  for (int32_t i = 0; i < n; i++) {
    c->R[i] = clamp(c->R[i]*unit[c->half[i]], 0x1p-1000, 0x1p1000);
    c->C[i] = clamp(c->C[i]/unit[c->half[n + i]], 0x1p-1000, 0x1p1000);
  }
}

perp_error certifier_prepare(certifier *c, const perp_problem *problem) {
  const perp_operator *A = &problem->A;
  const int32_t n = A->n;
  const int same = n == c->n && problem->value_stamp != 0 && problem->value_stamp == c->value_stamp &&
                   problem->pattern_stamp == c->pattern_stamp;
  c->problem = problem;
  if (!same) {
    int known;
    c->n = -1;
    c->components = components_find(A, c->component, c->entries, &known);
    const int equilibrated = equilibrate(A, c->R, c->C, c->work);
    c->weaker = !known || !equilibrated;
    c->halves = components_halves(A, c->component, c->components, c->work, c->half);
    c->n = n;
    c->value_stamp = problem->value_stamp;
    c->pattern_stamp = problem->pattern_stamp;
  }
  int zero = 1;   // x_ref = 0: its product with A is known
  for (int32_t i = 0; i < n; i++) {
    c->x[i] = clamp(0.0, lower(problem->lo, i), upper(problem->hi, i));
    zero &= c->x[i] == 0.0;
  }
  if (zero) {
    for (int32_t i = 0; i < n; i++) {
      c->y[i] = problem->b[i];
      c->a[i] = fabs(problem->b[i]);
    }
  } else {
    const perp_error error = residual(c);
    if (error != PERP_OK) return error;
  }
  settle_units(c);
  for (int32_t k = 0; k < c->components; k++) c->G[k] = c->S[k] = 0.0;
  for (int32_t i = 0; i < n; i++) {
    const int32_t k = c->component[i];
    c->G[k] = max2(c->G[k], row_residual(c, i));
    c->s[i] = c->entries[i] > 0 ? c->R[i]*c->a[i] : 0.0;
    if (!(c->s[i] <= c->S[k])) c->S[k] = c->s[i];
  }
  return PERP_OK;
}

double certify_base(const certifier *c, int32_t i) {
  const int32_t k = c->component[i];
  return c->G[k] > 0.0 ? c->G[k] : c->S[k] > 0.0 ? c->S[k] : 1.0;
}

certify_row certify_evaluate(const certifier *c, int32_t i, double r, double a, double tol) {
  const int32_t k = c->component[i];
  const double base = c->G[k] > 0.0 ? c->G[k] : c->S[k];
  certify_row row = {.r = r, .base = base, .strict = 0.0, .full = 0.0};
  if (c->entries[i] == 0) return row;   // y_i = b_i whatever x is
  if (!(base < (double)INFINITY && c->S[k] < (double)INFINITY)) return row;   // overflow: no tolerance, or inf <= inf would pass
  row.strict = tol*base + 32.0*u*c->s[i];
  const double rounding = 32.0*u*c->R[i]*a;
  row.full = row.strict + (rounding < (double)INFINITY ? min2(rounding, 1e-3*c->G[k]) : 0.0);   // |A||x| overflowed: unknown
  return row;
}

perp_error certifier_check(certifier *c, const double *x, double tol, double absolute_tol, perp_certificate *certificate) {
  const perp_problem *p = c->problem;
  const int32_t n = p->A.n;
  *certificate = (perp_certificate){.solved = 1, .weaker = c->weaker, .worst = n > 0 ? 0 : -1, .components = c->components};
  int finite = 1;
  for (int32_t i = 0; i < n; i++) {
    finite &= x[i] - x[i] == 0.0;
    c->x[i] = clamp(x[i], lower(p->lo, i), upper(p->hi, i));
    certificate->bound_violation = max2(certificate->bound_violation, fabs(x[i] - c->x[i]));
  }
  if (!finite) {
    *certificate = (perp_certificate){.weaker = c->weaker, .worst = -1, .components = c->components,
                                      .residual = (double)INFINITY, .natural_residual = (double)INFINITY,
                                      .bound_violation = (double)INFINITY, .gap = (double)INFINITY};
    return PERP_OK;
  }
  const perp_error error = residual(c);
  if (error != PERP_OK) return error;

  for (int32_t i = 0; i < n; i++) {
    const double y = c->y[i], below = c->x[i] - lower(p->lo, i), above = c->x[i] - upper(p->hi, i);
    double natural = fabs(mid(above, y, below));
    if (natural != natural) natural = (double)INFINITY;
    certificate->natural_residual = max2(certificate->natural_residual, natural);
    const double distance = y > 0.0 ? below : -above;
    if (y != 0.0 && distance < (double)INFINITY) certificate->gap += fabs(y)*distance;

    // An x that had to be moved far to its bounds is not the answer: how far counts like a residual.
    const double r = max2(row_residual(c, i), fabs(x[i] - c->x[i])/c->C[i]);
    const certify_row row = certify_evaluate(c, i, r, c->a[i] - fabs(p->b[i]), tol);
    const double relative = row.r == 0.0 ? 0.0 : row.base > 0.0 && row.base < (double)INFINITY ? row.r/row.base : (double)INFINITY;
    if (relative > certificate->residual) {
      certificate->residual = relative;
      certificate->worst = i;
    }
    if (absolute_tol > 0.0 && max2(natural, fabs(x[i] - c->x[i])) <= absolute_tol && c->entries[i] > 0) continue;
    if (!(row.r <= row.full)) certificate->solved = 0;
    else if (row.r > row.strict) certificate->attainable = 1;
  }
  if (certificate->gap != certificate->gap) certificate->gap = (double)INFINITY;
  if (!certificate->solved) certificate->attainable = 0;
  return PERP_OK;
}

perp_error perp_certify(const perp_problem *problem, const double *x, double tol, double absolute_tol, double *y,
                        perp_certificate *certificate) {
  if (problem == NULL || certificate == NULL || (x == NULL && problem->A.n > 0))
    return error_set(PERP_ERROR_ARGUMENT, "perp_certify: problem, x or certificate is NULL");
  if (!(tol > 0.0 && tol < 1.0)) return error_set(PERP_ERROR_ARGUMENT, "perp_certify: tol = %g is outside (0, 1)", tol);
  if (!(absolute_tol >= 0.0 && absolute_tol < (double)INFINITY))
    return error_set(PERP_ERROR_ARGUMENT, "perp_certify: absolute_tol = %g is outside [0, inf)", absolute_tol);
  perp_error error = perp_validate(problem);
  if (error != PERP_OK) return error;
  const int32_t n = problem->A.n;
  certifier c;
  arena memory = {0};
  certifier_layout(&c, &memory, n, operator_scratch_bytes(&problem->A));
  if (arena_overflowed(&memory)) return error_set(PERP_ERROR_MEMORY, "perp_certify: n = %d is too large", n);
  const size_t bytes = memory.used + ARENA_ALIGNMENT;
  unsigned char *block = malloc(bytes);
  if (block == NULL) return error_set(PERP_ERROR_MEMORY, "perp_certify: no memory for %zu bytes", bytes);
  memory = (arena){block + (ARENA_ALIGNMENT - (uintptr_t)block%ARENA_ALIGNMENT), bytes - ARENA_ALIGNMENT, 0};
  certifier_layout(&c, &memory, n, operator_scratch_bytes(&problem->A));
  error = certifier_prepare(&c, problem);
  perp_certificate found;
  if (error == PERP_OK) error = certifier_check(&c, x, tol, absolute_tol, &found);
  if (error == PERP_OK) {
    *certificate = found;
    const int told = n == 0 || found.worst >= 0;   // otherwise x is not finite and has no residual
    for (int32_t i = 0; y != NULL && i < n; i++) y[i] = told && c.y[i] == c.y[i] ? c.y[i] : (double)INFINITY;
  }
  free(block);
  return error;
}
