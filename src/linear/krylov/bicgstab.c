// bicgstab.c: stabilised biconjugate gradients, preconditioned from the right, for any A.
//
//   p = r + beta (p - omega v),  v = A P p,  alpha = rho / t'v,  s = r - alpha v,
//   w = A P s,  omega = w's / w'w,  z += alpha P p + omega P s,  r = s - omega w
//
// van der Vorst 1992. The recurrences are short; convergence is not proved. If the shadow residual
// t is orthogonal to r or v, the method restarts with t = r. If that does not help, or if omega
// vanishes, the method reports a breakdown.
// Cost: two products and two applications of P per iteration.
#include "krylov_steps.h"

#define SHADOW_MIN 0x1p-50   // |t'v| relative to |t||v|; a smaller one is rounding

void krylov_bicgstab(krylov *k) {
  const int32_t n = k->n;
  double *t = k->work, *p = t + n, *v = p + n, *s = v + n, *w = s + n, *q = w + n;   // n each
  double rho = 0.0, alpha = 1.0, omega = 1.0, size = norm(n, k->r);
  int fresh = 1;   // t = r was chosen in this iteration
  do {
    double next = fresh ? 0.0 : dot(n, t, k->r);
    if (fresh || fabs(next) <= SHADOW_MIN*size*norm(n, t)) {
      for (int32_t i = 0; i < n; i++) t[i] = k->r[i];
      for (int32_t i = 0; i < n; i++) p[i] = v[i] = 0.0;
      next = size*size;
      rho = alpha = omega = 1.0;
      fresh = 1;
    }
    const double beta = next/rho*(alpha/omega);
    rho = next;
    for (int32_t i = 0; i < n; i++) p[i] = k->r[i] + beta*(p[i] - omega*v[i]);
    if (precondition(k, p, q) || product(k, q, v)) return;
    const double shadow = dot(n, t, v);
    if (!(fabs(shadow) > SHADOW_MIN*norm(n, t)*norm(n, v)) || !is_finite(rho/shadow)) {
      if (fresh) {
        k->broken = 1;
        return;
      }
      fresh = 1;
      if (!going_on(k, size)) return;
      continue;
    }
    alpha = rho/shadow;
    for (int32_t i = 0; i < n; i++) s[i] = k->r[i] - alpha*v[i];
    for (int32_t i = 0; i < n; i++) k->z[i] += alpha*q[i];
    if (precondition(k, s, q) || product(k, q, w)) return;
    const double square = dot(n, w, w);
    omega = square > 0.0 ? dot(n, w, s)/square : 0.0;
    for (int32_t i = 0; i < n; i++) k->z[i] += omega*q[i];
    for (int32_t i = 0; i < n; i++) k->r[i] = s[i] - omega*w[i];
    size = norm(n, k->r);
    fresh = 0;
    if (omega == 0.0 || !is_finite(omega)) {   // the step with omega failed
      k->broken = size > k->target;
      going_on(k, size);
      return;
    }
  } while (going_on(k, size));
}
