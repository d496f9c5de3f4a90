// crossover.h: turns an iterate near a solution into one with the exact active set.
//
// The interior point method uses it at its end, and so may any method whose iterates come close:
//
//   crossover c;
//   crossover_layout(&c, run->memory, n);           // in bytes(): on a counting arena
//   crossover_begin(&c, run);                       // once a run
//   crossover_guess(&c, run, x, y);
//   if (crossover_run(&c, run, system, x)) return;
#ifndef PERP_CROSSOVER_H
#define PERP_CROSSOVER_H

#include "face.h"
#include "run.h"

typedef struct crossover {
  double *scale;              // n: t with max |t_i A_ij t_j| near 1 in every row and column
  double *x, *y, *d, *q;      // n
  double *last;               // n: the best x of a polish
  uint8_t *state, *guess;     // n: a crossover_state each; `guess` comes from the last x and y
  uint8_t *is_free;           // n: INSIDE
  uint64_t *seen;             // CROSSOVER_SETS_MAX: hashes of the sets tried so far
  int32_t tried;
  double level;               // residual at the last call
  double sigma;               // proximal weight, relative to the scaled diagonal; 0: by the system
  int32_t doubtful;           // rows of the last guess in which neither x_i nor y_i is nearly 0
  int32_t rounded;            // number of polished x that were refused only because of rounding
} crossover;

enum crossover_memory { CROSSOVER_SETS_MAX = 64 };   // active sets remembered
typedef enum crossover_state { AT_LOWER, AT_UPPER, INSIDE, HELD } crossover_state;

void crossover_layout(crossover *c, arena *memory, int32_t n);
void crossover_begin(crossover *c, const perp_run *run);

// Guesses which bounds hold. x: within the bounds; y: A x + b, or the multipliers z_lo - z_hi.
// Returns the number of rows whose guess has changed since the last call.
int32_t crossover_guess(crossover *c, const perp_run *run, const double *x, const double *y);

// Solves for the guessed set and corrects it as long as the number of wrong rows halves. Each set
// takes a factorisation of `system`, made with FACE_DIAGONALS, whose previous factor is lost.
// 1: run->x is certified and the run has ended, or time is up; 0: continue. run->x is replaced only
// by an x with a smaller residual; run->residual follows.
int crossover_run(crossover *c, perp_run *run, face *system, const double *x);

#endif
