// certify_matrix.h: shared by the files of matrix_judge. certify_prepare.c examines A, b and the
// bounds; certify.c examines x.
#ifndef PERP_CERTIFY_MATRIX_H
#define PERP_CERTIFY_MATRIX_H

#include <math.h>

#include "certify.h"

void matrix_judge_layout(certifier *c, arena *memory, int32_t n);
perp_error matrix_judge_prepare(certifier *c, const perp_problem *problem,
                                const perp_deadline *deadline);
certify_leeway matrix_judge_leeway(const certifier *c, int32_t i, double tol, double absolute_tol);
perp_error certifier_plain_residual(certifier *c);   // c->y = A c->x + b, not compensated
// After it, if there is no time for sizes: c->a = c->parts = |b|
static inline void certifier_no_sizes(const certifier *c) {
  for (int32_t i = 0; i < c->n; i++) c->a[i] = c->parts[i] = fabs(c->problem->b[i]);
}

static inline double base_of_component(const certifier *c, int32_t k) {
  return c->G[k] > 0.0 ? c->G[k] : c->S[k] > 0.0 ? c->S[k] : 1.0;
}

#endif
