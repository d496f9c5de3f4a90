// answer.c: builds problems backwards: choose x and y complementary, then b = y - A x.
#include "family.h"

#include <stdlib.h>

#include "error_free.h"

// Sets b = y - A x, rounded once, because the sums keep the rounding errors of their terms. So
// A x + b = y at the known x up to one rounding of b.
perp_error answer_right_side(perp_sample *s, const double *y) {
  exact_sum *sum = assemble_take(s->n, sizeof *sum);
  if (sum == NULL) return assemble_no_memory(s->n, 0);
  for (int32_t i = 0; i < s->n; i++) sum[i].high = y[i];
  for (int32_t j = 0; j < s->n; j++) {
    if (s->x[j] == 0.0) continue;
    for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
      exact_add_product(&sum[s->row[k]], s->value[k], -s->x[j]);
    }
  }
  for (int32_t i = 0; i < s->n; i++) s->b[i] = exact_value(sum[i]);
  free(sum);

  const uint32_t convex = PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD;
  if ((s->problem.A.claims & convex) == convex) {      // 1/2 x'Ax + b'x with A x = y - b
    s->objective = 0.5*(dot(s->n, s->x, y) + dot(s->n, s->x, s->b));
    s->has_objective = 1;
  }
  return PERP_OK;
}

static double diagonal_or_one(const perp_sample *s, int32_t j) {
  for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
    if (s->row[k] == j && s->value[k] > 0.0) return s->value[k];
  }
  return 1.0;
}

// Chooses complementary x and y of one row. state, in [0, 1), selects a bound or the interior.
// size, in [0.1, 1), is the distance of x from the bound, or the size of y.
static void choose(double lo, double hi, double scale, int degenerate, double state, double size,
                   double *x, double *y) {
  const int has_lo = lo > -(double)INFINITY, has_hi = hi < (double)INFINITY;
  const double push = degenerate ? 0.0 : scale*size;
  *y = 0.0;
  if (!has_lo && !has_hi) {
    *x = state < 0.5 ? size : -size;
  } else if (lo == hi) {
    *x = lo;
    *y = state < 0.5 ? push : -push;
  } else if (has_lo && (has_hi ? state < 1.0/3.0 : degenerate || state < 0.5)) {
    *x = lo;
    *y = push;
  } else if (has_hi && (has_lo ? degenerate || state < 2.0/3.0 : degenerate || state < 0.5)) {
    *x = hi;
    *y = -push;
  } else {
    *x = has_lo && has_hi ? lo + size*(hi - lo)*0.9 : has_lo ? lo + size : hi - size;
  }
}

perp_error answer_build(perp_sample *s, double degenerate, random_stream *random) {
  double *y = assemble_take(s->n, sizeof *y);
  s->x = assemble_take(s->n, sizeof *s->x);
  perp_error error = y != NULL && s->x != NULL ? PERP_OK : assemble_no_memory(s->n, 0);
  for (int32_t i = 0; error == PERP_OK && i < s->n; i++) {
    const double state = random_uniform(random), size = random_range(random, 0.1, 1.0);
    const int flat = random_uniform(random) < degenerate;
    choose(lower(s->lo, i), upper(s->hi, i), diagonal_or_one(s, i), flat, state, size, &s->x[i],
           &y[i]);
  }
  if (error == PERP_OK) error = answer_right_side(s, y);
  free(y);
  return error;
}
