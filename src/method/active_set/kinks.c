// kinks.c: exact line search on a convex piecewise quadratic.
//
// Between two kinks the derivative is linear; at each kink its slope changes. A heap sorts the
// kinks as they are passed. Cost: O(k) for k kinks and O(log k) for each one passed.
#include "kinks.h"

#include <math.h>

static void sink(kink *breaks, int32_t count, int32_t at) {
  const kink one = breaks[at];
  for (int32_t child = 2*at + 1; child < count; child = 2*at + 1) {
    if (child + 1 < count && breaks[child + 1].t < breaks[child].t) child++;
    if (!(breaks[child].t < one.t)) break;
    breaks[at] = breaks[child];
    at = child;
  }
  breaks[at] = one;
}

static void order(kink *breaks, int32_t count) {
  for (int32_t at = count/2 - 1; at >= 0; at--) sink(breaks, count, at);
}

// Moves the smallest kink to the end: breaks[count - 1].
static void move_smallest_to_end(kink *breaks, int32_t count) {
  const kink first = breaks[0];
  breaks[0] = breaks[count - 1];
  breaks[count - 1] = first;
  sink(breaks, count - 1, 0);
}

double kinks_minimum(kink *breaks, int32_t count, double g, double h) {
  double t = 0.0;
  order(breaks, count);
  for (;; count--) {
    const double end = count > 0 ? breaks[0].t : (double)INFINITY,
                 root = h > 0.0 ? t - g/h : (double)INFINITY;
    if (root <= end || count == 0) return root;
    g += h*(end - t);
    t = end;
    if (g >= 0.0) return t;
    move_smallest_to_end(breaks, count);
    h += breaks[count - 1].slope;
  }
}
