// product.c: A = J W J' + diag(compliance) as an operator, without forming it.
//
//     w = W (J' x),   y = J w + compliance x
// The Gauss-Seidel sweep keeps the body velocities v = W J' x, so a row costs only its own nonzeros
// times the block size. The caller warrants that W is symmetric, so row k of W serves as column k.
// Cost: two passes over J and one over W.
#include <string.h>

#include "operator.h"
#include "product_parts.h"
#include "vector.h"

static size_t vector_bytes(const perp_product *P) { return (size_t)P->dofs*sizeof(double); }
static size_t scratch_bytes(const void *self) { return 6*vector_bytes(self); }
static size_t sweep_bytes(const void *self) { return vector_bytes(self); }

static int apply(const void *self, const double *x, double *y, void *scratch) {
  const perp_product *P = self;
  double *v = scratch, *w = v + P->dofs;                                   // dofs each
  memset(v, 0, vector_bytes(P));
  for (int32_t i = 0; i < P->n; i++) {                                     // v = J' x
    if (x[i] == 0.0) continue;
    for (int32_t p = P->rowptr[i]; p < P->rowptr[i + 1]; p++) v[P->column[p]] += P->value[p]*x[i];
  }
  for (int32_t k = 0; k < P->dofs; k++)                                    // w = W v
    w[k] = dot(P->block, P->W + (size_t)k*(size_t)P->block, v + product_body(P, k));
  for (int32_t i = 0; i < P->n; i++) y[i] = product_pull(P, i, w) + product_compliance(P, i)*x[i];
  return 0;
}

// y = J W J' x + compliance x + b, with every intermediate vector as high + low. a is the same sum
// with absolute values, so a >= |A||x| + |b|, because |J||W||J'||x| >= |J W J'||x|.
EXACT_INLINE void residual_rows(const perp_product *P, const double *x, const double *b, double *y,
                                double *a, double *scratch) {
  const exact_vector v = exact_vector_at(scratch, (size_t)P->dofs);
  const exact_vector w = exact_vector_at(scratch + 3*(size_t)P->dofs, (size_t)P->dofs);
  memset(scratch, 0, 3*vector_bytes(P));
  for (int32_t i = 0; i < P->n; i++)                                       // v = J' x
    if (x[i] != 0.0) product_scatter(P, i, (exact_sum){x[i], 0.0}, x[i], v);
  product_weigh(P, v, w);
  for (int32_t i = 0; i < P->n; i++) {                                // y = J w + compliance x + b
    exact_sum s = {b[i], 0.0};
    double size = fabs(b[i]) + fabs(product_compliance(P, i)*x[i]);
    exact_add_product(&s, product_compliance(P, i), x[i]);
    product_gather(P, i, w, &s, &size);
    y[i] = exact_value(s);
    a[i] = size;
  }
}
EXACT_FMA static void residual_fma(const perp_product *P, const double *x, const double *b,
                                   double *y, double *a, double *scratch) {
  residual_rows(P, x, b, y, a, scratch);
}
static void residual_plain(const perp_product *P, const double *x, const double *b, double *y,
                           double *a, double *scratch) {
  residual_rows(P, x, b, y, a, scratch);
}
static int residual(const void *self, const double *x, const double *b, double *y, double *a,
                    void *scratch) {
  (EXACT_HAS_FMA() ? residual_fma : residual_plain)(self, x, b, y, a, scratch);
  return 0;
}

// J_i W J_j', summed over the bodies that both rows touch. Rows are sorted by body.
static double row_product(const perp_product *P, int32_t i, int32_t j) {
  const int32_t end = P->rowptr[j + 1];
  int32_t first = P->rowptr[j];   // first entry of J_j in the current body
  double s = 0.0;
  for (int32_t p = P->rowptr[i]; p < P->rowptr[i + 1]; p++) {
    const int32_t k = P->column[p], start = product_body(P, k);
    const double *W = P->W + (size_t)k*(size_t)P->block;
    while (first < end && P->column[first] < start) first++;
    double t = 0.0;
    for (int32_t q = first; q < end && P->column[q] - start < P->block; q++)
      t += W[P->column[q] - start]*P->value[q];
    s += P->value[p]*t;
  }
  return s;
}

double product_entry(const perp_product *P, int32_t i, int32_t j) {
  if (i == j) return row_product(P, i, i) + product_compliance(P, i);
  // The same bits above and below the diagonal.
  return i < j ? row_product(P, i, j) : row_product(P, j, i);
}

static void diagonal(const void *self, double *d) {
  const perp_product *P = self;
  for (int32_t i = 0; i < P->n; i++) d[i] = product_entry(P, i, i);
}

static void submatrix(const void *self, const int32_t *set, int32_t m, double *S) {
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = i; j < m; j++)
      S[(size_t)i*(size_t)m + (size_t)j] = S[(size_t)j*(size_t)m + (size_t)i] =
          product_entry(self, set[i], set[j]);
}

static int sweep(const void *self, perp_sweep *state, int32_t from, int32_t to) {
  const perp_product *P = self;
  double *v = state->memory, *x = state->x, change = state->change;        // v: dofs
  if (state->fresh) {                                                      // v = W J' x
    memset(v, 0, vector_bytes(P));
    for (int32_t i = 0; i < P->n; i++)
      if (x[i] != 0.0) product_push(P, i, x[i], v);
    state->fresh = 0;
  }
  for (int32_t k = from; k < to; k++) {
    const int32_t i = state->backward ? to - 1 - (k - from) : k;
    const double y = product_pull(P, i, v) + product_compliance(P, i)*x[i] + state->b[i];
    const double z = relaxed(x[i], y, state->diagonal[i], state->omega, lower(state->lo, i),
                             upper(state->hi, i));
    const double dx = z - x[i];
    if (dx == 0.0) continue;
    x[i] = z;
    product_push(P, i, dx, v);                                                     // v += W J_i' dx
    const double size = state->weight[i]*fabs(dx)/state->omega;
    if (size > change || size != size) change = size;                      // a NaN stays
  }
  state->change = change;
  return 0;
}

static perp_view view(const void *self) {
  return (perp_view){.kind = PERP_VIEW_PRODUCT, .data = self};
}

// No row_col_max and no add_column, because both would form A.
static const perp_operator_ops ops = {
  .name = "product", .scratch_bytes = scratch_bytes, .apply = apply, .apply_transpose = apply,
  .residual = residual, .diagonal = diagonal, .sweep_bytes = sweep_bytes, .sweep = sweep,
  .submatrix = submatrix, .view = view,
};

perp_operator perp_from_product(const perp_product *matrix, uint32_t claims) {
  return (perp_operator){&ops, matrix, matrix != NULL ? matrix->n : 0,
                         claims | PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD};
}
