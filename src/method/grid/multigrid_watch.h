// multigrid_watch.h: Newton steps of multigrid.c that look at few rows only.
#ifndef PERP_MULTIGRID_WATCH_H
#define PERP_MULTIGRID_WATCH_H

#include "aggregation.h"

typedef struct watch {
  aggregation *levels;             // whose conjugate gradients are under way, on the finest level
  team *threads;
  const perp_csc *A;               // symmetric
  const double *D, *b, *lo, *hi;   // n; D: the diagonal
  double *x;                       // n: before the step
  uint8_t *is_free, *before;       // n: kept the same
  int32_t *row;                    // n: rows that are looked at
  uint8_t *seen, *label;           // n: on the list; of those on it, what they are to be
  int32_t count;
} watch;

// Which rows these are: those with a bound, if they are few, else those beside the edge of the free
// ones. From the labels of all rows; `row`, `seen` and `label` are memory.
void watch_begin(watch *w);

// With v = x - d, d what conjugate gradients have found so far: labels by v and A v + b. Rows that
// are bound from now on have x there and no d, and the residual of the gradients follows. Returns
// how many rows changed; then the mask has to.
int32_t watch_label(watch *w);

#endif
