// product_parts.h: the steps of a product with J W J' + diag(compliance), row by row.
//
// The product operator and the contact LCP share them.
#ifndef PERP_PRODUCT_PARTS_H
#define PERP_PRODUCT_PARTS_H

#include <perp/matrix.h>
#include <perp/perp.h>

#include "error_free.h"

static inline double product_compliance(const perp_product *P, int32_t i) {
  return P->compliance != NULL ? P->compliance[i] : 0.0;
}

// First degree of freedom of the body that k belongs to.
static inline int32_t product_body(const perp_product *P, int32_t k) {
  return P->block == 1 ? k : k - k % P->block;
}

// v += W J_i' s
static inline void product_push(const perp_product *P, int32_t i, double s, double *v) {
  const int32_t block = P->block;
  for (int32_t p = P->rowptr[i]; p < P->rowptr[i + 1]; p++) {
    const int32_t k = P->column[p];
    // Column k of W within its block.
    const double t = P->value[p]*s, *W = P->W + (size_t)k*(size_t)block;
    double *u = v + product_body(P, k);
    for (int32_t l = 0; l < block; l++) u[l] += W[l]*t;
  }
}

// J_i v
static inline double product_pull(const perp_product *P, int32_t i, const double *v) {
  double s = 0.0;
  for (int32_t p = P->rowptr[i]; p < P->rowptr[i + 1]; p++) s += P->value[p]*v[P->column[p]];
  return s;
}

// The entry (i, j), with the same bits above and below the diagonal.
double product_entry(const perp_product *P, int32_t i, int32_t j);

// ---- compensated: a number is high + low; size is the sum of the absolute values of its terms
typedef struct exact_vector { double *high, *low, *size; } exact_vector;

EXACT_INLINE exact_vector exact_vector_at(double *memory, size_t n) {   // 3 n doubles
  return (exact_vector){memory, memory + n, memory + 2*n};
}

// v += J_i' x; size is that of x.
EXACT_INLINE void product_scatter(const perp_product *P, int32_t i, exact_sum x, double size,
                                  exact_vector v) {
  for (int32_t p = P->rowptr[i]; p < P->rowptr[i + 1]; p++) {
    const int32_t k = P->column[p];
    exact_sum s = {v.high[k], v.low[k]};
    exact_add_product(&s, P->value[p], x.high);
    v.high[k] = s.high;
    v.low[k] = s.low + P->value[p]*x.low;
    v.size[k] += fabs(P->value[p]*size);
  }
}

EXACT_INLINE void product_weigh(const perp_product *P, exact_vector v, exact_vector w) {  // w = W v
  for (int32_t k = 0; k < P->dofs; k++) {
    const double *W = P->W + (size_t)k*(size_t)P->block;
    exact_sum s = {0.0, 0.0};
    double size = 0.0;
    for (int32_t l = 0; l < P->block; l++) {
      const int32_t at = product_body(P, k) + l;
      exact_add_product(&s, W[l], v.high[at]);
      s.low += W[l]*v.low[at];
      size += fabs(W[l])*v.size[at];
    }
    w.high[k] = s.high;
    w.low[k] = s.low;
    w.size[k] = size;
  }
}

// s += J_i w
EXACT_INLINE void product_gather(const perp_product *P, int32_t i, exact_vector w, exact_sum *s,
                                 double *size) {
  for (int32_t p = P->rowptr[i]; p < P->rowptr[i + 1]; p++) {
    const int32_t k = P->column[p];
    exact_add_product(s, P->value[p], w.high[k]);
    s->low += P->value[p]*w.low[k];
    *size += fabs(P->value[p])*w.size[k];
  }
}

#endif
