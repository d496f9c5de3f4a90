// crossover.h: from an iterate near a solution to one whose active set is exact.
//
// Used by the interior point method at its end, and by any method whose iterates come close:
//
//   crossover c;
//   crossover_layout(&c, run->memory, n);           // in bytes(): on a counting arena
//   crossover_begin(&c, run);                       // once a run
//   crossover_guess(&c, run, x, y);
//   if (crossover_run(&c, run, system, x, 20)) return;
#ifndef PERP_CROSSOVER_H
#define PERP_CROSSOVER_H

#include "run.h"
#include "scaled_system.h"

typedef struct crossover {
  double *scale;              // n: t with max |t_i A_ij t_j| near 1 in every row and column
  double *x, *y, *d, *p, *q;  // n
  double *centre, *last;      // n: of the proximal term; the iterate before
  uint8_t *state, *guess;     // n: a crossover_state; `guess` as x and y told it last
  uint64_t *seen;             // CROSSOVER_ROUNDS: what was tried, in this and earlier calls
  int32_t tried;
  double level;               // residual at the last call
  double sigma;               // proximal weight, relative to the scaled diagonal; 0: by the system
  int32_t rounded;            // polished x of quadratic programs that only rounding has refused
  int32_t doubtful;           // rows of the last guess where neither x_i nor y_i is nearly 0
} crossover;

enum { CROSSOVER_ROUNDS = 64 };
typedef enum crossover_state { AT_LOWER, AT_UPPER, INSIDE, HELD } crossover_state;

void crossover_layout(crossover *c, arena *memory, int32_t n);
void crossover_begin(crossover *c, const perp_run *run);

// x: within the bounds; y: A x + b or the multipliers z_lo - z_hi, whose signs and sizes tell the
// bounds that hold. Returns how many rows are guessed differently from the last time.
int32_t crossover_guess(crossover *c, const perp_run *run, const double *x, const double *y);

// From the guess on. At most `rounds` active sets are solved for, each with a factorisation of
// `system`, whose factor is lost; with few rounds it ends as soon as the wrong rows do not become
// half as many. 1: run->x is certified and the run has ended, or it is out of
// time; 0: go on. run->x is replaced only if its residual is less than run->residual, which is then
// updated.
int crossover_run(crossover *c, perp_run *run, system_solver *system, const double *x,
                  int32_t rounds);

// Proximal steps from x on, where A is positive semidefinite but for its rounding. Returns as
// crossover_run does; at most `rounds` factorisations.
int crossover_proximal(crossover *c, perp_run *run, system_solver *system, const double *x,
                       int32_t rounds);

#endif
