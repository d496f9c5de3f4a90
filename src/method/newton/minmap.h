// minmap.h: the minimum map of a problem, its Newton directions and its gradient.
#ifndef PERP_MINMAP_H
#define PERP_MINMAP_H

#include "newton_system.h"

typedef struct minmap {
  perp_run *run;
  int32_t n;
  double typical;                  // size of the diagonal
  double *D;                       // n: diag A where it is positive, else 1
  double *y, *H;                   // n each: at run->x
  double theta;                    // 1/2 |H|^2
  uint8_t *is_free;                // n: I
  uint8_t *factored;               // n: the set that the linear solver has factored
  uint8_t *moves;                  // n: not held by a bound against the gradient
  double *d, *Ad;                  // n each: direction, and A d
  double *trial, *trial_y;         // n each: of the search; work
  double *g, *work;                // n each: gradient of theta; work of products
  double *krylov;                  // work of the least-squares direction
  newton_system system;
} minmap;

minmap minmap_layout(arena *memory, int32_t n);
int minmap_begin(minmap *m, perp_run *run);   // scales and the linear solver; 1: the run has ended
void minmap_end(minmap *m);

int minmap_evaluate(minmap *m);      // y, H, theta and residual of run->x; 1: the run has ended
void minmap_move(minmap *m);         // trial and trial_y = A trial + b become x and y: likewise
double minmap_merit(const minmap *m, const double *x, const double *y);
void minmap_classify(minmap *m);     // I at run->x
int minmap_settled(const minmap *m); // 1: I is the set that is factored

// Directions: d, A d (Newton's only) and the slope of theta along d. 1: fine; 0: there is none;
// -1: the run has ended. bound: x_F is already where it shall be, d_F = 0. tol: of an inner
// iteration.
int minmap_newton_direction(minmap *m, int bound, double tol, double *slope);
// *slope = 0: x is stationary within the box. 0: neither A' nor the symmetry of A is known.
int minmap_gradient_direction(minmap *m, double *slope);

#endif
