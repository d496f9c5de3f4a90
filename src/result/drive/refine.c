// refine.c: corrects the last digits of an x that no method could certify.
//
// If a small A is nearly singular, pivots and factors give an x whose last digits are wrong, and the
// certificate rightly refuses it. Its labels are often right: row i is free unless |y_i| exceeds the
// distance of x_i to the bound that y_i points to, both in the certificate's units. The system of the
// free rows is solved again, with residuals as if in twice the precision (Wilkinson 1963), and the
// certificate decides about the result.
//
// Cost: m^3 for m <= REFINE_ROWS free rows, and one certificate. Only an unsolved problem pays it.
#include <math.h>
#include <string.h>

#include "driver.h"
#include "entries.h"
#include "error_free.h"
#include "dense_kernels.h"
#include "nearby.h"
#include "vector.h"

enum { REFINE_ROWS = NEARBY_ROWS,
       ROUNDS_MAX = 8 };   // each round gains digits unless A_II is singular to rounding
// Largest residual at which the labels are worth using. 1e-2 gains nothing.
#define RESIDUAL_MAX 1e-3

typedef struct small_system {
  int32_t n, m, set[REFINE_ROWS];
  double A[REFINE_ROWS][REFINE_ROWS], x[REFINE_ROWS];
} small_system;

static double row_at(const small_system *t, const double *b, int32_t i) {   // (A x + b)_i
  exact_sum y = {b[i], 0.0};
  for (int32_t j = 0; j < t->n; j++) exact_add_product(&y, t->A[i][j], t->x[j]);
  return exact_value(y);
}

static void read_labels(const certifier *c, small_system *t) {
  const perp_problem *p = c->problem;
  double y[REFINE_ROWS];
  for (int32_t i = 0; i < t->n; i++) y[i] = row_at(t, p->b, i);
  for (int32_t i = 0; i < t->n; i++) {
    const double lo = lower(p->lo, i), hi = upper(p->hi, i), r = c->R[i]*y[i];
    if (lo == hi || r >= (t->x[i] - lo)*c->inverse_C[i]) t->x[i] = lo;
    else if (-r >= (hi - t->x[i])*c->inverse_C[i]) t->x[i] = hi;
    else t->set[t->m++] = i;
  }
}

// Returns 0 if A_II is singular to rounding, or if x is no longer finite.
static int refine(const certifier *c, small_system *t) {
  double S[REFINE_ROWS*REFINE_ROWS], v[REFINE_ROWS];
  int32_t pivot[REFINE_ROWS];
  const int32_t m = t->m;
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < m; j++)
      S[i*m + j] = c->R[t->set[i]]*t->A[t->set[i]][t->set[j]]*c->C[t->set[j]];
  if (m == 0 || lu_factor(m, S, pivot, 0.0, NULL) != 0) return 0;
  for (int round = 0; round < ROUNDS_MAX; round++) {
    int moved = 0;
    for (int32_t k = 0; k < m; k++) v[k] = -c->R[t->set[k]]*row_at(t, c->problem->b, t->set[k]);
    lu_solve(m, S, pivot, v);
    for (int32_t k = 0; k < m; k++) {
      double *x = &t->x[t->set[k]], before = *x;
      *x += c->C[t->set[k]]*v[k];
      moved |= *x != before;
    }
    if (!moved) break;
  }
  return all_finite(t->x, t->n);
}

perp_error solver_refine(perp_solver *s, perp_certificate *certificate) {
  const certifier *judge = &s->judge;
  const int32_t n = judge->n;
  entry_chain chain;
  if (n > REFINE_ROWS || !judge->ops->by_entries || judge->look.product || judge->look.hurried ||
      !(certificate->residual <= RESIDUAL_MAX) || !entries_chain(&s->problem->A, &chain))
    return PERP_OK;
  small_system t = {.n = n};
  memcpy(t.x, judge->x, (size_t)n*sizeof *t.x);
  for (int32_t j = 0; j < n; j++) {
    int32_t i;
    double a, error;
    for (entry_cursor e = entries_begin(&chain, j); entries_next(&e, &i, &a, &error);) t.A[i][j] += a;
  }
  read_labels(judge, &t);
  if (!refine(judge, &t)) return PERP_OK;
  double before[REFINE_ROWS];
  perp_certificate found;
  memcpy(before, judge->x, (size_t)n*sizeof *before);
  const perp_error error = solver_check(s, t.x, 0, &found);
  if (error == PERP_OK && found.solved) *certificate = found;
  else memcpy(judge->x, before, (size_t)n*sizeof *before);
  return error;
}
