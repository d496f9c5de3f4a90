// kinks.h: the kinks of a piecewise quadratic along a line, in order as far as they are asked for.
#ifndef PERP_KINKS_H
#define PERP_KINKS_H

#include <stdint.h>

typedef struct kink {
  double t;                  // where
  double slope;              // by how much the second derivative changes there
} kink;

void kinks_order(kink *breaks, int32_t count);            // once
// The smallest one goes to the end: breaks[count - 1].
void kinks_next(kink *breaks, int32_t count);

// Where the derivative g + h t + (changes at the breaks) of a convex function vanishes first; g < 0
// at t = 0. INFINITY: nowhere.
double kinks_minimum(kink *breaks, int32_t count, double g, double h);

#endif
