// active_set.h: the state that the files of active_set share.
#ifndef PERP_ACTIVE_SET_H
#define PERP_ACTIVE_SET_H

#include "kinks.h"
#include "face.h"
#include "sweep.h"

typedef struct active_set {
  perp_run *run;
  face *face;
  sweeper sweeps;
  int32_t n;
  double sigma;              // weight of the proximal term
  double *y;                 // n: A x + b
  double *d, *Ad;            // n each: a step and its product
  double *z, *Az;            // n each: the iterate of Newton's method; it may leave the bounds
  double *centre;            // n: centre of the proximal term
  double *unit;              // n: unit_i |y_i| is in the certificate's units
  uint8_t *is_free;          // n
  kink *breaks;              // 2 n: kinks along a search direction
  double *guess;             // n: the first x
  double fastest;            // seconds per operation of the fastest step; INFINITY: none yet
  double sweep_seconds;      // seconds of a sweep
  double sweep_reserve;      // seconds reserved for the last sweeps
  int flips_failed;          // 1: flips gained little, and many rows have bounds
  int tried;                 // 1: body_interior() has run
  double update;             // mean number of operations of a change of the face during the flips
  int32_t singular;          // 1 + the row whose pivot failed; 0: none
} active_set;

// Solves with the face of is_free: d_I <- (A_II + sigma I)^-1 d_I, d_F <- 0. 0: success; 1: a pivot
// failed; -1: the step would not finish in time, or did not.
int active_step(active_set *a, double *d);

// Solves the proximal problem around `centre` by Newton's method on its dual, from z. If flips
// gained little, the first step uses the rows of z inside their bounds. run->x becomes the
// solution.
// 0: success; 1: a pivot failed; -1: the run has ended or time is short.
int active_newton(active_set *a);

#endif
