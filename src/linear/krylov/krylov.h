// krylov.h: CG, CR, GMRES and BiCGStab for a matrix and a preconditioner known by products.
#ifndef PERP_KRYLOV_H
#define PERP_KRYLOV_H

#include <perp/method.h>

typedef struct krylov_map {       // out = M in, linear; non-zero aborts
  int (*apply)(void *context, const double *in, double *out);
  void *context;
} krylov_map;

typedef struct krylov_result {
  int32_t iterations;
  int32_t converged;              // |r| <= tol |rhs| by the true residual
  int32_t broken;                 // 1: a denominator vanished, CG met p'Ap <= 0, or apply aborted
  double residual;                // |r| / |rhs|, recomputed at the end
} krylov_result;

size_t krylov_doubles(perp_krylov solver, int32_t n, int32_t restart);   // length of `work`
// z: start in, answer out. precondition.apply NULL: identity. Always returns the best iterate,
// without NaN.
krylov_result krylov_solve(perp_krylov solver, int32_t n, krylov_map A, krylov_map precondition,
                           const double *rhs, double *z, double tol, int32_t iterations,
                           int32_t restart, double *work, const perp_deadline *deadline);

// Sets the tolerance for later solves of linear_krylov: |r| <= tol |rhs|. Initially newton.gamma.
void linear_krylov_tolerance(void *self, double tol);

#endif
