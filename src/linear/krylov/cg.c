// cg.c: conjugate gradients with a preconditioner, for symmetric positive (semi)definite A.
//
//   alpha = r'u / p'Ap,  z += alpha p,  r -= alpha Ap,  u = P r,  p = u + (r'u / r'u old) p
//
// Hestenes, Stiefel 1952. Minimises the energy norm of the error. On a semidefinite A it converges
// if the system is consistent. p'Ap <= 0 shows that A is not definite, a breakdown.
// Cost: one product and one application of P per iteration.
#include "krylov_steps.h"

void krylov_cg(krylov *k) {
  const int32_t n = k->n;
  double *u = k->work, *p = u + n, *q = p + n;   // n each
  if (precondition(k, k->r, u)) return;
  for (int32_t i = 0; i < n; i++) p[i] = u[i];
  for (double rho = dot(n, k->r, u);;) {
    if (product(k, p, q)) return;
    const double curvature = dot(n, p, q);
    if (!(curvature > 0.0) || !(rho > 0.0) || !is_finite(rho/curvature)) {
      k->broken = 1;
      return;
    }
    const double alpha = rho/curvature;
    for (int32_t i = 0; i < n; i++) k->z[i] += alpha*p[i];
    for (int32_t i = 0; i < n; i++) k->r[i] -= alpha*q[i];
    if (!going_on(k, norm(n, k->r)) || precondition(k, k->r, u)) return;
    const double next = dot(n, k->r, u), beta = next/rho;
    rho = next;
    for (int32_t i = 0; i < n; i++) p[i] = u[i] + beta*p[i];
  }
}
