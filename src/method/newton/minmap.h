// minmap.h: the minimum map of a problem, its Newton directions and its gradient.
#ifndef PERP_MINMAP_H
#define PERP_MINMAP_H

#include "face.h"
#include "run.h"

typedef struct minmap {
  perp_run *run;
  int32_t n;
  double typical;                  // mean of D
  double *D;                       // n: diag A where it is positive, else 1
  double *y, *H;                   // n each: at run->x
  double theta;                    // 1/2 |H|^2
  uint8_t *is_free;                // n: I
  uint8_t *factored;               // n: the set that the linear solver has factored
  uint8_t *moves;                  // n: 0: held at a bound against the gradient
  double *d, *Ad;                  // n each: direction, and A d
  double *trial, *trial_y;         // n each: trial point of the search; work space
  double *g, *work;                // n each: gradient of theta; work space of products
  double *krylov;                  // work space of the least-squares direction
  const perp_linear_ops *linear;
  face *face;                      // A_II + shift I by `linear`, for the set `factored`
  double shift;
  int fresh;                       // 1: there is no factor
} minmap;

minmap minmap_layout(arena *memory, int32_t n);
int minmap_begin(minmap *m, perp_run *run);   // sets scales and linear solver; 1: the run has ended
void minmap_end(minmap *m);

int minmap_evaluate(minmap *m);      // y, H, theta and residual of run->x; 1: the run has ended
void minmap_move(minmap *m);         // makes trial and trial_y = A trial + b the new x and y
double minmap_merit(const minmap *m, const double *x, const double *y);
void minmap_classify(minmap *m);     // sets I at run->x
int minmap_settled(const minmap *m); // 1: I is the set that is factored
// Solves with A + shift I from now on, for singular A_II. 1: the run has ended.
int minmap_shift(minmap *m, double shift);

// Both compute a direction d and the slope of theta along d; the Newton direction also A d. 1:
// success; 0: there is none; -1: the run has ended. bound: x_F is in place already, so d_F = 0.
// tol: of the inner iteration.
int minmap_newton_direction(minmap *m, int bound, double tol, double *slope);
// *slope = 0: x is stationary within the box. Returns 0 also if A' is unknown and A not symmetric.
int minmap_gradient_direction(minmap *m, double *slope);

#endif
