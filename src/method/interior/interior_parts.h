// interior_parts.h: the state and the parts of the interior point method: iterate, linear system,
// start, proofs.
#ifndef PERP_INTERIOR_PARTS_H
#define PERP_INTERIOR_PARTS_H

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
  uint8_t *kind;             // n: bits HAS_LO, HAS_HI; FIXED if lo = hi, or if the reference point
                             //   solves the row's component exactly
  uint8_t *is_free;          // n: not FIXED
  double mu;
  double length;             // of the last primal step
  double removes;            // the part of the mismatch that the last step should have removed
  int attempt;               // number of the attempt at regularising, from 0
  double delta;              // regularisation, relative to the scaled diagonal
  double least_delta;        // lower limit of delta
  double accuracy;           // residual of a direction relative to its right-hand side
  int quasi;                 // 1: A is the matrix of a KKT system; interior_adapt() changes delta
  int unstable;              // 1: the factor does not solve its own system
  crossover cross;
  face *system;
} interior;

enum { HAS_LO = 1, HAS_HI = 2, FIXED = 4 };

#define INTERIOR_UNCHECKED_ACCURACY 1e300  // accuracy that skips the residual check, as for a predictor

// ---- interior_system.c ----

// Sets delta for the system. number: how often the iteration has stalled. 0: there is no other
// delta to try.
int interior_regularise(interior *p, int number);
// Factors A + diag(q) + delta; a vanishing pivot raises delta. 0: success; otherwise the run has
// ended.
int interior_factor(interior *p, perp_run *run);
// Computes dx from rhs, refined against A + diag(q) without delta while that helps. 1: dx is
// finite.
int interior_solve(interior *p, double accuracy);
// KKT systems, after a step: changes delta. before, after: max |A x + b - z + w|; lag: `after`
// relative to the first mismatch, divided by mu relative to the first mu.
void interior_adapt(interior *p, double before, double after, double lag);

// ---- interior_start.c ----

void interior_begin(interior *p, const perp_run *run);
int interior_start(interior *p, perp_run *run, double farther);   // Mehrotra's; 1: it is finite
int interior_start_paper(interior *p, perp_run *run);             // the start of MNS08 4

// ---- interior_proof.c ----

// Called when the iteration is stuck. 1: it is proved that there is no solution, or time is up.
int interior_diverged(interior *p, perp_run *run);

#endif
