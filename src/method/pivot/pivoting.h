// pivoting.h: what dantzig and keller share: x with y_I = 0, one row driven at a time.
//
// A row is in I (the factor holds it, y_i = 0), or out of it. Out of it x_i stands at a bound, or
// inside where A_II + row i would be singular; what y_i has to be follows from x_i alone.
#ifndef PERP_PIVOTING_H
#define PERP_PIVOTING_H

#include "principal.h"
#include "run.h"

typedef struct pivoting {
  perp_run *run;
  int32_t n;
  principal P;               // the factor of A_II
  double *A;                 // n x n, row-major; its symmetric part where it is nearly symmetric
  double *root;              // n: |A_ij| <= root_i root_j
  int32_t *begin, *column;   // rows of A without zeros, where there are few non-zeros
  double *value;
  int sparse;                // whether those are used
  int exact;                 // A = A' without rounding
  int as_given;              // A is used as it is, however nearly symmetric
  double *y;                 // n: right where settled
  double *dx;                // n: what x_I does, in the order of the factor
  double *full;              // n: the same by rows of A; work
  double *dy;                // n: what y does
  uint8_t *settled;          // n: out of I, y_i is right and may not turn wrong
  int32_t *rows;             // n: work
  int watch;                 // 1: settled rows stay right (dantzig); 0: only x is kept in bounds
  int32_t current;           // the row being driven, -1: none
  double sign;               // of its motion
  double size;               // sum of root_i |x_i|: for the rounding of y
  int careful;               // which is computed row by row instead
  int32_t pivots, idle;      // pivots in all, and in a row without a step
  int32_t rays;              // directions without end that proved nothing
  int32_t rounds;            // how often all rows were found right
  double residual;           // where all of y was last computed
} pivoting;

enum { PIVOTING_SMALL = 32 };   // problems that are not worth any care

size_t pivoting_bytes(const perp_limits *limits, const perp_options *options);
// memory: of pivoting_bytes(). 0: the time was too short to read A.
int pivoting_begin(pivoting *s, perp_run *run, arena *memory, int watch);
void pivoting_start(pivoting *s, int crash);   // x from the guess, or from a crash start
// It ends badly: 1 if it starts anew, on A with rows and columns scaled to entries near 1, or where
// that makes no difference on A as it is, without taking it for symmetric.
int pivoting_again(pivoting *s);
int pivoting_late(const pivoting *s, int32_t row);   // out of time, asked every 16 rows of A
double pivoting_size(const pivoting *s, int32_t i);   // |A||x| + |b|, or a bound of it
// How wrong the y_i of a row outside I is: 0 up to rounding, else |y_i|/root_i, what x could gain.
double pivoting_wrong(const pivoting *s, int32_t i);
// x_I from y_I = 0, everything else as it is; x_I may be outside its bounds afterwards.
void pivoting_solve(pivoting *s);
double pivoting_y(const pivoting *s, int32_t i);             // y_i from scratch
void pivoting_all_y(pivoting *s);                            // and all of them
void pivoting_drive(pivoting *s, int32_t j);                 // make j the current row
void pivoting_step(pivoting *s);                             // one pivot
void pivoting_finish(pivoting *s);   // no row is wrong: refine, compute the residual, unsettle
void dantzig_rows(pivoting *s);      // Baraff's rule from a start on, until the run ends

#define PIVOTING_CRASH_PARAMETER                                                     \
  {"pivot.crash", PERP_KIND_SWITCH, offsetof(perp_options, pivot.crash), 1, 0, 1, 0, 0, NULL, \
   "start from the set that a few Gauss-Seidel sweeps find"}

#endif
