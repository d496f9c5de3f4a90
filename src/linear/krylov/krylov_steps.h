// krylov_steps.h: the state that the four Krylov methods share while they run.
#ifndef PERP_KRYLOV_STEPS_H
#define PERP_KRYLOV_STEPS_H

#include "krylov.h"

#include "dense_kernels.h"
#include "vector.h"

typedef struct krylov {
  int32_t n;
  krylov_map A, P;                // P.apply NULL: identity
  const double *rhs;              // n
  double *z;                      // n: current iterate
  double *r;                      // n: rhs - A z at the start of a method, then by recurrence
  double *best;                   // n: the iterate with the smallest residual so far
  double best_norm;
  double target;                  // |r| to reach
  int32_t restart;                // GMRES: vectors kept
  int32_t iterations, limit;      // iterations so far, and allowed
  int32_t broken, expired;        // see krylov_result; 1: the deadline has passed
  double *work;                   // for the method
  const perp_deadline *deadline;
} krylov;

static inline double norm(int32_t n, const double *v) { return sqrt(dot(n, v, v)); }

static inline int is_finite(double v) { return v - v == 0.0; }

// out = A in. If it returns non-zero, the method must return.
static inline int product(krylov *k, const double *in, double *out) {
  if (k->A.apply(k->A.context, in, out) != 0) k->broken = 1;
  return k->broken;
}

static inline int precondition(krylov *k, const double *in, double *out) {
  if (k->P.apply == NULL) {
    for (int32_t i = 0; i < k->n; i++) out[i] = in[i];
  } else if (k->P.apply(k->P.context, in, out) != 0) {
    k->broken = 1;
  }
  return k->broken;
}

// Small products cost less than reading the clock, so check it every eighth time.
static inline int look_now(const krylov *k, int32_t count) { return k->n > 200 || count%8 == 0; }

// Ends an iteration with the residual |r| of z and keeps the best z. Returns 1: continue.
static inline int going_on(krylov *k, double residual) {
  k->iterations++;
  if (!is_finite(residual)) {
    k->broken = 1;
    return 0;
  }
  if (residual < k->best_norm) {
    k->best_norm = residual;
    for (int32_t i = 0; i < k->n; i++) k->best[i] = k->z[i];
  }
  if (residual <= k->target || k->iterations >= k->limit) return 0;
  if (look_now(k, k->iterations) && deadline_passed(k->deadline)) k->expired = 1;
  return !k->expired;
}

// Each method runs from z, with r = rhs - A z, until the target, limit, deadline or a breakdown.
void krylov_cg(krylov *k);
void krylov_cr(krylov *k);
void krylov_gmres(krylov *k);
void krylov_bicgstab(krylov *k);

enum krylov_work { CG_VECTORS = 3, CR_VECTORS = 5, BICGSTAB_VECTORS = 6 };   // of n doubles, in work
size_t gmres_doubles(int32_t n, int32_t restart);

#endif
