// grid_stage.h: a problem on one level of a grid, and the operations that all grid methods share.
#ifndef PERP_GRID_STAGE_H
#define PERP_GRID_STAGE_H

#include <math.h>
#include <string.h>

#include "grid_levels.h"
#include "run.h"

typedef struct grid_stage {
  int32_t level, n;
  uint8_t *unknown;             // n: 0: no liquid, no open face, or x is known; 1: otherwise
  const double *b, *lo, *hi;    // n
  double *D;                    // n: the diagonal of A; NULL on the finest level, which has faces
  double *x;                    // n: may leave its bounds
  double *y;                    // n: A x + b
  double *d;                    // n: the last step
  uint8_t *is_free;             // n: 0, 1 or GRID_UNLABELLED
  const double *unit, *weight;  // n: unit |y| and weight |x - bound| are in the units of the
                                // certificate; NULL: 1 and D
  int16_t *exponent;            // n: linear systems are solved for x and y times 2^exponent, which
                                // is the same in a component; NULL: 0
} grid_stage;

enum grid_state { GRID_IS_BOUND, GRID_IS_FREE, GRID_UNLABELLED };   // in is_free

static inline double grid_scale_of(const grid_stage *s, int32_t i) {
  if (s->exponent == NULL) return 1.0;
  const uint64_t bits = (uint64_t)(1023 + s->exponent[i]) << 52;   // of 2^exponent
  double scale;
  memcpy(&scale, &bits, sizeof scale);
  return scale;
}

typedef enum grid_label_of { GRID_FREE, GRID_AT_LO, GRID_AT_HI } grid_label_of;

// The label of cell i with diagonal D: at a bound if x - y/D is there or beyond. Ties, up to 8
// units of rounding, keep their label.
static inline grid_label_of grid_judge(const grid_stage *s, int32_t i, double D, double x,
                                       double y) {
  const double lo = s->lo[i], hi = s->hi[i], below = D*(x - lo) - y, above = D*(x - hi) - y;
  const double tie = 0x1p-50*(D*fabs(x) + fabs(D*x - (y - s->b[i])) + fabs(s->b[i]));
  const uint8_t before = s->is_free[i];
  int at_lo = below <= 0.0, at_hi = above >= 0.0;
  if (before != GRID_UNLABELLED && lo < hi) {
    if (fabs(below) <= tie) at_lo = !before;
    else if (fabs(above) <= tie) at_hi = !before;
  }
  return at_lo ? GRID_AT_LO : at_hi ? GRID_AT_HI : GRID_FREE;
}

// 1: the cell may be free or at a bound.
static inline int grid_may_change(const grid_stage *s, int32_t i) {
  return s->unknown[i] && s->lo[i] < s->hi[i] &&
         (s->lo[i] > -(double)INFINITY || s->hi[i] < (double)INFINITY);
}

typedef struct grid_labels {    // result of labelling
  int64_t changed;              // cells that became free or bound
  int64_t moved;                // cells that had to move to their bound
  double residual;              // max |mid(x - hi, y, x - lo)| before that
} grid_labels;

typedef struct grid_solver {    // shared by the stages
  perp_run *run;
  const perp_grid *grid;
  grid_levels *levels;
  grid_labels *parts;           // one per chunk of the finest level
  int32_t iterations;           // of conjugate gradients on the finest level
} grid_solver;

// The memory of a method for the finest level: its size, for bytes() if limits.grid is set, and a
// block of it. NULL: there is none, and the run has ended.
size_t grid_bytes(int32_t n);
void *grid_take(perp_run *run, size_t bytes);

// Runs task(data, from, to, part) over the cells in chunks that do not depend on the threads.
typedef void (*grid_task)(void *data, int32_t from, int32_t to, int32_t part);
int32_t grid_chunks(int32_t n);
void grid_for(const grid_solver *g, int32_t n, grid_task task, void *data);

void grid_multiply(const grid_solver *g, const grid_stage *s, const double *x, const double *b,
                   double *y);   // y = A x + b, b = NULL: 0, on the unknowns
// Computes y = A x + b and labels by it: bound if x - y/D is at a bound or beyond, otherwise free.
// Ties keep their label. Then x moves to the bounds, and y follows on the free cells.
grid_labels grid_label(const grid_solver *g, grid_stage *s);
// Newton's step on the free cells, x <- x - A_II^-1 y_I approximately: conjugate gradients to the
// relative or the absolute residual. -1: no time.
int grid_newton(grid_solver *g, grid_stage *s, const grid_labels *labels, double relative,
                double absolute, int32_t limit, grid_levels_report *report);

// The same in two parts: d, and x <- x - d.
int grid_newton_begin(grid_solver *g, grid_stage *s, const grid_labels *labels, double relative,
                      double absolute, int32_t limit, grid_levels_report *report);
void grid_newton_end(const grid_solver *g, grid_stage *s);

// The cells of the finest stage that are examined while Newton's method continues between
// grid_newton_begin and grid_newton_end (grid_watch.c): those whose label may change, if they are
// few, otherwise those near the edge of the free cells.
typedef struct grid_watch {
  int32_t count, most;          // count 0: all cells must be examined; most: capacity
  int32_t edge;                 // 1: the cells near the edge
  int32_t *cell;                // count
  uint8_t *label;               // count: a grid_label_of
  int32_t *parts;
} grid_watch;
// 1: there may be such cells; 0: there are none; -1: no memory, and the run has ended.
int grid_watch_begin(const grid_solver *g, const grid_stage *s, grid_watch *w);
// Finds the cells near the edge after labels have changed.
void grid_watch_edge(const grid_solver *g, const grid_stage *s, grid_watch *w);
// Labels these cells at x - d. Cells that become bound get x at their bound and d = 0, and y
// follows.
grid_labels grid_watch_label(const grid_solver *g, grid_stage *s, const grid_watch *w);
// Continues with d, after labels and mask have changed, or to a smaller residual.
int grid_watch_newton(grid_solver *g, grid_stage *s, double relative, double absolute,
                      int32_t limit, grid_levels_report *report);

// Computes x of the finest stage from coarser ones, which show where cells will be free. 0: the run
// has ended.
int grid_start(grid_solver *g, grid_stage *s);

#endif
