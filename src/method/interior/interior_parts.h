// interior_parts.h: what the files of the interior point method share: an iterate, its linear
// system, where it starts, and proofs from iterates that leave.
#ifndef PERP_INTERIOR_PARTS_H
#define PERP_INTERIOR_PARTS_H

#include "crossover.h"
#include "run.h"
#include "scaled_system.h"

typedef struct interior {
  int32_t n;
  int64_t pairs;             // finite bounds
  double *x;                 // n
  double *s, *z;             // n: distance to lo and its multiplier, where lo is finite
  double *t, *w;             // n: distance to hi and its multiplier, where hi is finite
  double *y;                 // n: A x + b
  double *q;                 // n: z/s + w/t
  double *rhs, *dx, *dz, *dw, *work, *one;   // n
  double *ex, *ez, *ew;      // n: a direction to go back to
  double *c, *d;             // n: what is to be added to s_i z_i and t_i w_i
  uint8_t *kind;             // n: bits HAS_LO, HAS_HI; FIXED where lo = hi, and
                             //   where x_ref solves the row's component exactly
  double mu;
  double length;             // of the last step, the primal one
  double removes;            // the part of the mismatch that it should have removed
  int attempt;               // at regularising, from 0
  double delta;              // the regularisation in use, relative to the scaled diagonal ...
  double least_delta;        //   and what it may not fall below
  double accuracy;           // of a direction: its residual relative to the right-hand side
  int quasi;                 // A is that of a KKT system: delta follows interior_adapt()
  int unstable;              // the factor does not even solve its own system
  crossover cross;
  system_solver *system;
} interior;

enum { HAS_LO = 1, HAS_HI = 2, FIXED = 4 };

#define INTERIOR_UNSEEN 1e300   // accuracy at which the residual is not even looked at: a predictor
                                //   says how much to centre, and the step that follows is looked at

// ---- interior_system.c ----

// Begins with the regularisation that suits the system; `number` is the number of times
// that the iteration has stalled. 0: there is none to try any more.
int interior_regularise(interior *p, int number);
// Factors A + diag(q) + delta; a vanishing pivot raises delta. 0, or the run has ended.
int interior_factor(interior *p, perp_run *run);
// dx from rhs, refined against A + diag(q) without delta as long as that helps. 1: it is finite.
int interior_solve(interior *p, double accuracy);
// KKT systems, after a step: how far A x + b was from z - w before and after it; lag: that relative
// to what it was at first, over mu relative to what that was.
void interior_adapt(interior *p, double before, double after, double lag);

// ---- interior_start.c ----

void interior_begin(interior *p, const perp_run *run);
int interior_start(interior *p, perp_run *run, double farther);   // Mehrotra's; 1: it is finite
int interior_start_paper(interior *p, perp_run *run);             // that of MNS08 4

// ---- interior_proof.c ----

// The iterates have gone nowhere. 1: there is no solution and that is proved, or time is up.
int interior_diverged(interior *p, perp_run *run);

#endif
