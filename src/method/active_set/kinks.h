// kinks.h: the kinks of a piecewise quadratic along a line, sorted as far as needed.
#ifndef PERP_KINKS_H
#define PERP_KINKS_H

#include <stdint.h>

typedef struct kink {
  double t;                  // position
  double slope;              // change of the second derivative there
} kink;

// The first t at which the derivative g + h t + (changes at the kinks) of a convex function is 0; g
// < 0 at t = 0. INFINITY: there is none.
double kinks_minimum(kink *breaks, int32_t count, double g, double h);

#endif
