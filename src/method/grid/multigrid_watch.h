// multigrid_watch.h: Newton steps of multigrid.c that examine few rows only.
#ifndef PERP_MULTIGRID_WATCH_H
#define PERP_MULTIGRID_WATCH_H

#include "aggregation.h"

typedef struct watch {
  aggregation *levels;             // its conjugate gradients run on the finest level
  team *threads;
  const perp_csc *A;               // symmetric
  const double *D, *b, *lo, *hi;   // n; D: the diagonal
  double *x;                       // n: before the step
  uint8_t *is_free, *before;       // n: both are updated
  int32_t *row;                    // n: rows that are examined
  uint8_t *seen, *label;           // n: 1: on the list; the label of each row on it
  int32_t count;
} watch;

// Chooses the rows from the labels of all rows: those with a bound, if they are few, otherwise
// those at the edge of the free ones. `row`, `seen` and `label` are memory.
void watch_begin(watch *w);

// Labels by v = x - d and A v + b, where d is the present iterate of the conjugate gradients. Rows
// that become bound get x at the bound and no d, and the residual of the gradients follows. Returns
// the number of changed rows; if it is positive, the mask must be set again.
int32_t watch_label(watch *w);

#endif
