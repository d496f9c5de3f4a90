// pivoting.h: the state that dantzig and keller share: x with y_I = 0, one row driven at a time.
//
// A row is in I (the factor contains it and y_i = 0) or outside. Outside, x_i is at a bound, or
// between its bounds if A_II with row i would be singular. The sign that y_i must have follows from
// x_i alone.
#ifndef PERP_PIVOTING_H
#define PERP_PIVOTING_H

#include "principal.h"
#include "run.h"

typedef struct pivoting {
  perp_run *run;
  int32_t n;
  principal P;               // the factor of A_II
  double *A;                 // n x n, row-major; its symmetric part if A is nearly symmetric
  double *root;              // n: |A_ij| <= root_i root_j
  int32_t *begin, *column;   // rows of A without zeros, if there are few nonzeros
  double *value;
  int sparse;                // 1: the rows without zeros are used
  int exact;                 // 1: A = A' exactly
  int as_given;              // 1: A is not replaced by its symmetric part
  double *y;                 // n: correct in settled rows
  double *dx;                // n: change of x_I, in the order of the factor
  double *full;              // n: the same by rows of A; work space
  double *dy;                // n: change of y
  uint8_t *settled;          // n: 1: outside I, and y_i has the right sign and must keep it
  int32_t *rows;             // n: work space
  int watch;                 // 1: settled rows stay right (dantzig); 0: only x stays within bounds
  int32_t current;           // the row being driven; -1: none
  double sign;               // direction of its motion
  double size;               // sum of root_i |x_i|, which bounds the rounding of y
  int careful;               // 1: the rounding of y is computed row by row instead
  int32_t pivots, idle;      // all pivots, and pivots in a row without a step
  int32_t rays;              // unbounded directions that proved nothing
  int32_t rounds;            // how often all rows were found right
  double residual;           // at the last x for which all of y was computed
} pivoting;
enum {
  PIVOTING_SMALL_ROWS = 32,        // rows below which simple loops are up to 1.4 times as fast
  PIVOTING_ROWS_MAX = 2000,        // rows up to which pivoting on a full matrix is worth trying
  PIVOTING_IDLE_ROUNDS_MAX = 10,   // rounds without fewer wrong rows before rows change one by one;
                                   // with 1, up to 1.7 times the work
};

size_t pivoting_bytes(const perp_limits *limits, const perp_options *options);
// memory: pivoting_bytes() in size. 0: the time was too short to read A.
int pivoting_begin(pivoting *s, perp_run *run, arena *memory, int watch);
void pivoting_start(pivoting *s, int crash);   // x from the guess, or from a crash start
// Starts again after a failure: on A with rows and columns scaled to entries near 1, or, if scaling
// changes nothing, on A without replacing it by its symmetric part. 1: it has started; 0: no other
// start.
int pivoting_again(pivoting *s);
int pivoting_out_of_time(const pivoting *s, int32_t row);   // 1: out of time; checks every 16th row
double pivoting_size(const pivoting *s, int32_t i);   // |A||x| + |b| of row i, or a bound of it
// How wrong y_i of a row outside I is: 0 if right up to rounding, otherwise |y_i|/root_i, the size
// of the change of x that it asks for.
double pivoting_wrong(const pivoting *s, int32_t i);
// Computes x_I from y_I = 0 with the other x fixed. x_I may leave its bounds.
void pivoting_solve(pivoting *s);
double pivoting_y(const pivoting *s, int32_t i);             // computes y_i from x
void pivoting_all_y(pivoting *s);                            // computes all of y
void pivoting_drive(pivoting *s, int32_t j);                 // makes j the current row
void pivoting_step(pivoting *s);                             // one pivot
void pivoting_finish(pivoting *s);   // no row is wrong: refines x, computes the residual, checks again
void dantzig_rows(pivoting *s);      // Baraff's rule, until the run ends

#define PIVOTING_CRASH_PARAMETER                                                     \
  {"pivot.crash", PERP_KIND_SWITCH, offsetof(perp_options, pivot.crash), 1, 0, 1, 0, 0, NULL, \
   "start from the set that a few Gauss-Seidel sweeps find"}

#endif
