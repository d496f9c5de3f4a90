// cr.c: conjugate residuals with a preconditioner, for symmetric A and symmetric positive P.
//
//   alpha = u'Au / (Ap)'P(Ap),  z += alpha p,  r -= alpha Ap,  u -= alpha P(Ap),
//   p = u + beta p,  Ap = Au + beta Ap,  beta = u'Au / u'Au old
//
// Stiefel 1955. Minimises r'Pr. It also works on an indefinite A, but breaks down if u'Au vanishes.
// Cost: one product and one application of P per iteration.
#include "krylov_steps.h"

void krylov_cr(krylov *k) {
  const int32_t n = k->n;
  double *u = k->work, *w = u + n, *p = w + n, *s = p + n, *q = s + n;   // n each; w = A u, s = A p
  if (precondition(k, k->r, u) || product(k, u, w)) return;
  for (int32_t i = 0; i < n; i++) p[i] = u[i];
  for (int32_t i = 0; i < n; i++) s[i] = w[i];
  for (double rho = dot(n, u, w);;) {
    if (precondition(k, s, q)) return;
    const double alpha = rho/dot(n, s, q);
    if (alpha == 0.0 || !is_finite(alpha)) {
      k->broken = 1;
      return;
    }
    for (int32_t i = 0; i < n; i++) k->z[i] += alpha*p[i];
    for (int32_t i = 0; i < n; i++) k->r[i] -= alpha*s[i];
    for (int32_t i = 0; i < n; i++) u[i] -= alpha*q[i];
    if (!going_on(k, norm(n, k->r)) || product(k, u, w)) return;
    const double next = dot(n, u, w), beta = next/rho;
    rho = next;
    for (int32_t i = 0; i < n; i++) p[i] = u[i] + beta*p[i];
    for (int32_t i = 0; i < n; i++) s[i] = w[i] + beta*s[i];
  }
}
