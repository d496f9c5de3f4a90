// krylov.c: runs a Krylov method with scaling, the true residual, the best iterate and restarts.
//
// The methods update the residual by a recurrence, which drifts away from rhs - A z. This file
// computes the true residual when a method ends. If it is too large but still falling, the method
// restarts from its result. If it has grown, as it can on inconsistent systems, the start is
// returned. The right-hand side is scaled by a power of two so that its largest entry is near 1 and
// squares neither overflow nor vanish.
// Cost in addition to the method's: one product at the beginning and one at each end.
#include "krylov_steps.h"

enum work_shape { COMMON_VECTORS = 4 };   // r, best, scaled right-hand side, start of a method

size_t krylov_doubles(perp_krylov solver, int32_t n, int32_t restart) {
  const size_t m = (size_t)n;
  switch (solver) {
    case PERP_KRYLOV_CG: return (COMMON_VECTORS + CG_VECTORS)*m;
    case PERP_KRYLOV_CR: return (COMMON_VECTORS + CR_VECTORS)*m;
    case PERP_KRYLOV_BICGSTAB: return (COMMON_VECTORS + BICGSTAB_VECTORS)*m;
    default: return COMMON_VECTORS*m + gmres_doubles(n, restart);
  }
}

// Computes r = rhs - A z and returns its norm; infinity if that is NaN or the product aborted.
static double true_residual(krylov *k) {
  if (product(k, k->z, k->r)) return (double)INFINITY;
  for (int32_t i = 0; i < k->n; i++) k->r[i] = k->rhs[i] - k->r[i];
  const double size = norm(k->n, k->r);
  return is_finite(size) ? size : (double)INFINITY;
}

static double begin(krylov *k, double rhs_norm, double scale) {
  double start = 0.0;
  for (int32_t i = 0; i < k->n; i++) start = max_or_nan(start, fabs(k->z[i] *= scale));
  double size = start > 0.0 ? true_residual(k) : (double)INFINITY;
  if (!(size < rhs_norm)) {   // the start is not better than z = 0
    for (int32_t i = 0; i < k->n; i++) k->z[i] = 0.0;
    for (int32_t i = 0; i < k->n; i++) k->r[i] = k->rhs[i];
    size = rhs_norm;
  }
  for (int32_t i = 0; i < k->n; i++) k->best[i] = k->z[i];
  return size;
}

// Divides z by scale; z = 0 if it overflows. Returns the residual, recomputed if z was rounded.
static double unscale(krylov *k, double size, double rhs_norm, double scale) {
  int changed = 0, lost = 0;
  for (int32_t i = 0; i < k->n; i++) {
    const double outside = k->z[i]/scale;
    changed |= outside*scale != k->z[i];
    lost |= !is_finite(outside);
    k->z[i] = lost ? 0.0 : outside*scale;
  }
  if (changed && !lost) {
    const int32_t broken = k->broken;
    k->broken = 0;
    size = true_residual(k);
    k->broken |= broken;
  }
  if (lost || !(size < (double)INFINITY)) {
    for (int32_t i = 0; i < k->n; i++) k->z[i] = 0.0;
    k->broken = 1;
    return rhs_norm;
  }
  for (int32_t i = 0; i < k->n; i++) k->z[i] /= scale;
  return size;
}

krylov_result krylov_solve(perp_krylov solver, int32_t n, krylov_map A, krylov_map precondition,
                           const double *rhs, double *z, double tol, int32_t iterations,
                           int32_t restart, double *work, const perp_deadline *deadline) {
  void (*const method)(krylov *) = solver == PERP_KRYLOV_CG         ? krylov_cg
                                   : solver == PERP_KRYLOV_CR       ? krylov_cr
                                   : solver == PERP_KRYLOV_BICGSTAB ? krylov_bicgstab
                                                                    : krylov_gmres;
  const size_t m = (size_t)n;
  double *b = work + 2*m, *start_of_method = b + m, largest = 0.0;   // n each
  for (int32_t i = 0; i < n; i++) largest = max_or_nan(largest, fabs(rhs[i]));
  if (!is_finite(largest) || largest == 0.0) {
    for (int32_t i = 0; i < n; i++) z[i] = 0.0;
    const int zero = largest == 0.0;
    return (krylov_result){.converged = zero, .broken = !zero, .residual = zero ? 0.0 : 1.0};
  }
  int exponent;
  frexp(largest, &exponent);
  const double scale = power_of_two_within(-exponent, 1000);
  for (int32_t i = 0; i < n; i++) b[i] = scale*rhs[i];
  krylov k = {.n = n, .A = A, .P = precondition, .rhs = b, .z = z, .r = work,
              .best = work + m, .limit = iterations, .restart = restart,
              .work = work + COMMON_VECTORS*m, .deadline = deadline};
  const double rhs_norm = norm(n, b);
  k.target = tol*rhs_norm;
  double size = begin(&k, rhs_norm, scale);
  while (size > k.target && k.iterations < k.limit && !k.broken && !k.expired) {
    const double before = size;
    k.best_norm = before;
    for (int32_t i = 0; i < n; i++) start_of_method[i] = z[i];
    method(&k);
    for (int32_t i = 0; i < n; i++) z[i] = k.best[i];
    const int32_t broken = k.broken;
    k.broken = 0;
    size = true_residual(&k);
    k.broken |= broken;
    if (size > before) {
      for (int32_t i = 0; i < n; i++) z[i] = start_of_method[i];
      size = before;
    }
    if (!(size <= 0.5*before)) break;   // a restart would not help
  }
  size = unscale(&k, size, rhs_norm, scale);
  return (krylov_result){.iterations = k.iterations, .converged = size <= k.target,
                         .broken = k.broken, .residual = min2(size/rhs_norm, 1e300)};
}
