// breaks.h: the kinks of a piecewise quadratic along a line, in order as far as they are asked for.
#ifndef PERP_BREAKS_H
#define PERP_BREAKS_H

#include <stdint.h>

typedef struct break_point {
  double t;                  // where
  double slope;              // by how much the second derivative changes there
} break_point;

void breaks_order(break_point *breaks, int32_t count);            // once
// The smallest one goes to the end: breaks[count - 1].
void breaks_next(break_point *breaks, int32_t count);

// Where the derivative g + h t + (changes at the breaks) of a convex function vanishes first; g < 0
// at t = 0. INFINITY: nowhere.
double breaks_minimum(break_point *breaks, int32_t count, double g, double h);

#endif
