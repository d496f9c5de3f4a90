// newton_system.h: solves A_II d_I = rhs_I inside a Newton method, as newton.inner says.
#ifndef PERP_NEWTON_SYSTEM_H
#define PERP_NEWTON_SYSTEM_H

#include "run.h"

typedef struct newton_system {
  perp_run *run;
  perp_operator A;                 // the run's, or its finite differences
  const perp_linear_ops *ops;
  void *self;                      // of ops
  int32_t analysed, iterative;
  int32_t fresh;                   // no free set has been factored yet
  uint8_t *is_free;                // n: the set that is factored
  double shift;                    // A_II + shift I is solved
  perp_wrapper shifted;
} newton_system;

// difference: n -> n, out = J p by finite differences, for newton.inner = differences; NULL if the
// method has none. 1: the run has ended.
int newton_begin(newton_system *s, perp_run *run, const perp_operator *difference,
                 uint8_t *is_free /* n */);
// Solves with A + shift I from now on, for singular A_II. 1: the run has ended.
int newton_shift(newton_system *s, double shift);
// Solves; d_F = 0. tol: relative residual of iterative solvers. 0: success; 1: singular, or no
// progress; -1: the run has ended, or is out of time.
int newton_solve(newton_system *s, const uint8_t *is_free, const double *rhs, double *d,
                 double tol);
void newton_end(newton_system *s);

#endif
