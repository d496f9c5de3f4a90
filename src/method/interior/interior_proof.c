// interior_proof.c: proves that there is no solution from iterates that diverge.
//
// If there is no solution, the iterates leave along a u with A u >= 0, b'u < 0 and u'A u = 0. A is
// monotone, so (A + A')u = 0, hence -A'u >= 0, and u is a Farkas vector. Let P be the rows whose
// u_i is not small. Then u_P is in the null space of A_PP, and inverse iteration makes it accurate.
// Cost: a factorisation and three solves per candidate.
#include "interior_parts.h"

#include <math.h>

#include "vector.h"

#define NULL_VECTOR_SHIFT 1e-11  // of the inverse iteration, relative to the scaled diagonal; 1e-17:
                                 //   an infeasible problem stays unproved

// 1: `from` leads to a proof, or time is up. small: entries below it, relative to the largest, are
// 0.
static int proves(interior *p, perp_run *run, const double *from, double small) {
  const int32_t n = p->n;
  const double *scale = p->cross.scale;
  double largest = 0.0;
  for (int32_t i = 0; i < n; i++)
    if (p->kind[i] != FIXED) largest = max_or_nan(largest, fabs(from[i])/scale[i]);
  if (!(largest > 0.0) || !(largest < (double)INFINITY)) return 0;
  for (int32_t i = 0; i < n; i++) {
    double u = from[i]/largest;
    const int kind = p->kind[i];
    if (kind == HAS_LO) u = max2(u, 0.0);
    else if (kind == HAS_HI) u = min2(u, 0.0);
    else if (kind != 0) u = 0.0;
    if (!(fabs(u) > small*scale[i])) u = 0.0;
    p->rhs[i] = u;
    p->is_free[i] = u != 0.0;
    p->q[i] = NULL_VECTOR_SHIFT/(scale[i]*scale[i]);
  }
  const perp_deadline deadline = run_deadline(run);
  face_diagonal(p->system, NULL, p->q);
  const int failed = face_update(p->system, p->is_free, &deadline);
  run->factorizations++;
  if (failed == -1) {
    run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit was reached in a factorisation");
    return 1;
  }
  if (failed != 0) return 0;
  for (int step = 0; step < 3; step++) {
    double norm = 0.0;
    for (int32_t i = 0; i < n; i++) p->work[i] = p->rhs[i]/(scale[i]*scale[i]);
    if (face_solve(p->system, p->work, 2) != 0) return 0;
    for (int32_t i = 0; i < n; i++) norm = max_or_nan(norm, fabs(p->work[i])/scale[i]);
    if (!(norm > 0.0) || !(norm < (double)INFINITY)) return 0;
    for (int32_t i = 0; i < n; i++) {
      const double u = p->is_free[i] ? p->work[i]/norm : 0.0;
      p->rhs[i] = p->kind[i] == HAS_LO ? max2(u, 0.0) : p->kind[i] == HAS_HI ? min2(u, 0.0) : u;
    }
  }
  return run_infeasible(run, p->rhs);
}

int interior_diverged(interior *p, perp_run *run) {
  static const double small[] = {1e-2, 1e-4, 1e-6, 1e-9};
  for (size_t k = 0; k < sizeof small/sizeof small[0]; k++)
    if (proves(p, run, p->x, small[k]) || proves(p, run, p->dx, small[k])) return 1;
  return 0;
}
