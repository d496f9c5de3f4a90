// interior_parts.h: the state and the parts of the interior point method: iterate, linear system,
// start, proofs.
#ifndef PERP_INTERIOR_PARTS_H
#define PERP_INTERIOR_PARTS_H

#include "barrier.h"
#include "crossover.h"
#include "run.h"

typedef struct interior {
  int32_t n;
  int64_t pairs;             // number of finite bounds
  double *x;                 // n
  double *s, *z;             // n: distance to lo and its multiplier, where lo is finite
  double *t, *w;             // n: distance to hi and its multiplier, where hi is finite
  double *y;                 // n: A x + b
  double *q;                 // n: z/s + w/t
  double *rhs, *dx, *dz, *dw, *work;   // n
  double *ex, *ez, *ew;      // n: a copy of the direction
  double *c, *d;             // n: corrections of s_i z_i and t_i w_i
  uint8_t *kind;             // n: bits of bound_bits; FIXED if lo = hi, or if the reference point
                             //   solves the row's component exactly
  uint8_t *is_free;          // n: not FIXED
  double mu;
  double removes;            // the part of the mismatch that the last step should have removed
  double delta;              // regularisation, relative to the scaled diagonal
  double accuracy;           // residual of a direction relative to its right-hand side
  int far;                   // 1: the start is far inside the bounds
  int quasi;                 // 1: A is the matrix of a KKT system; interior_adapt() changes delta
  crossover cross;
  face *system;
} interior;

// ---- interior_system.c ----

// Sets the first delta for the system.
void interior_regularise(interior *p);
// Factors A + diag(q) + delta; a vanishing pivot raises delta. 0: success; otherwise the run has
// ended.
int interior_factor(interior *p, perp_run *run);
// Computes dx from rhs. If its residual without delta is above `accuracy`, dx is refined once;
// INFINITY skips that check, as for a predictor. 1: dx is finite.
int interior_solve(interior *p, double accuracy);
// KKT systems, after a step: changes delta. before, after: max |A x + b - z + w|.
void interior_adapt(interior *p, double before, double after);

// ---- interior_start.c ----

void interior_begin(interior *p, const perp_run *run);
int interior_start(interior *p, perp_run *run);         // Mehrotra's; 1: it is finite
int interior_start_paper(interior *p, perp_run *run);   // the start of MNS08 4

// ---- interior_proof.c ----

// Called when the iteration is stuck. 1: it is proved that there is no solution, or time is up.
int interior_diverged(interior *p, perp_run *run);

#endif
