// active_set.h: what the files of active_set share.
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
  double sigma;              // of the proximal term
  double *y;                 // n: A x + b
  double *d, *Ad;            // n each: a step and its product
  double *z, *Az;            // n each: the point of Newton's method, which may leave the bounds
  double *centre;            // n: of the proximal term
  double *unit;              // n: unit_i |y_i| is in the certificate's units
  uint8_t *is_free;          // n
  kink *breaks;       // 2 n
  double *guess;             // n: the first x
  double *best;              // n: the x with the least residual, where the time is limited
  double least;              // that residual
  double longest;            // seconds of the longest of them
  double fastest;            // seconds an operation of the fastest of them; INFINITY: none yet
  double pass;               // seconds of a sweep
  double rest;               // seconds that are left to nncg, which gets as far in them as PGS in
                             //   all of the time
  int hard;                  // flips gained little
  int held;                  //   but most rows are free
  int tried;                 // interior points through bodies were
  double update;             // operations of a change of the face, in the mean of the flips
  int32_t steps, most;       // Newton steps for a proximal point; at most
  int32_t singular;          // 1 + the row whose pivot failed; 0: none did
} active_set;

// A step by the face of is_free: d_I <- (A_II + sigma I)^-1 d_I, d_F <- 0. 0: fine; 1: a pivot
// failed; -1: there is no time for it, or there was none.
int active_step(active_set *a, double *d);

// Where the time may end soon: run->x and its residual are kept if that is the least so far; y is
// A x + b, `known` already. 0: fine; -1: the run has ended.
int active_keep(active_set *a, int known);

// y, the residual and, where that is small, the certificate of run->x. 1: the run has ended.
int active_judge(active_set *a);

// The proximal problem around `centre` by Newton's method on its dual, from z, whose free rows come
// first where flips gained little: run->x is then its solution. 0: fine; 1: a pivot failed; 2: more
// than `most` steps; -1: the run has ended or the time is short.
int active_newton(active_set *a);

#endif
