// multigrid_watch.c: makes Newton steps that examine few rows only.
//
// If few rows have bounds, only those can change their label. If all have, the set I of free rows
// changes mostly at its edge. So Newton's method continues for a while with these rows alone: with
// v = x - d, d the step so far, and y = A v + b on the watched rows,
//     F: x at the bound, d = 0;   A_II d_I = (A x + b)_I, from the present d.
// Where rows move, A v + b of their neighbours is updated. That is the residual of the conjugate
// gradients, which therefore continue without a restart. Apart from the cycles this costs a few
// operations per watched row, instead of passes over all rows for labels, products and copies of x.
// The caller labels all rows at the end.
// (grid_watch.c does the same on grids of cells.)
#include "multigrid_watch.h"

#include <math.h>
#include <string.h>

#include "multigrid.h"
#include "vector.h"

static int may_change(const watch *w, int32_t i) {
  const double lo = lower(w->lo, i), hi = upper(w->hi, i);
  return lo < hi && (lo > -(double)INFINITY || hi < (double)INFINITY);
}

static void look_at(watch *w, int32_t i) {
  if (w->seen[i] || !may_change(w, i)) return;
  w->seen[i] = 1;
  w->row[w->count++] = i;
}

static int is_edge(const watch *w, int32_t i) {
  for (int32_t p = w->A->colptr[i]; p < w->A->colptr[i + 1]; p++)
    if (w->is_free[w->A->row[p]] != w->is_free[i]) return 1;
  return 0;
}

void watch_begin(watch *w) {
  const int32_t n = w->A->columns;
  int32_t bounded = 0;
  w->count = 0;
  if (n < 1) return;
  for (int32_t i = 0; i < n; i++) bounded += may_change(w, i);
  const int few = bounded <= n/MULTIGRID_WATCHED_DIVISOR;
  memset(w->seen, 0, (size_t)n);
  for (int32_t i = 0; i < n; i++)
    if (few || is_edge(w, i)) look_at(w, i);
  if (w->count > n/MULTIGRID_WATCHED_DIVISOR) w->count = 0;
}

// (A v + b)_i
static double row_of(const watch *w, int32_t i) {
  double y = w->b[i];
  for (int32_t p = w->A->colptr[i]; p < w->A->colptr[i + 1]; p++) {
    const int32_t j = w->A->row[p];
    y += w->A->value[p]*(w->x[j] - aggregation_at(w->levels, 0, j));
  }
  return y;
}

enum { FREE, AT_LO, AT_HI };

static void judge_row(const watch *w, int32_t k) {
  const int32_t i = w->row[k];
  const double target = w->x[i] - aggregation_at(w->levels, 0, i) - row_of(w, i)/w->D[i];
  w->label[k] = target <= lower(w->lo, i) ? AT_LO : target >= upper(w->hi, i) ? AT_HI : FREE;
}

static void judge_some(void *data, int32_t part) {
  const watch *w = data;
  const int32_t from = part*TEAM_TASK_ROWS,
                to = w->count - from < TEAM_TASK_ROWS ? w->count : from + TEAM_TASK_ROWS;
  for (int32_t k = from; k < to; k++) judge_row(w, k);
}

// Moves x_i to its bound with d_i = 0; the residual of the neighbours follows.
static void bind(watch *w, int32_t i, double bound) {
  const double moved = bound - (w->x[i] - aggregation_at(w->levels, 0, i));
  w->x[i] = bound;
  aggregation_bind(w->levels, 0, i);
  for (int32_t p = w->A->colptr[i]; moved != 0.0 && p < w->A->colptr[i + 1]; p++) {
    const int32_t j = w->A->row[p];
    if (w->is_free[j]) aggregation_rest_add(w->levels, 0, j, w->A->value[p]*moved);
  }
}

// Labels all watched rows. The neighbours of a row that changes are watched from then on.
static void judge(watch *w) {
  const int32_t known = w->count;
  team_run(known > 2*TEAM_TASK_ROWS ? w->threads : NULL, judge_some, w,
           (known - 1)/TEAM_TASK_ROWS + 1);
  for (int32_t k = 0; k < w->count; k++) {
    if (k >= known) judge_row(w, k);
    const int32_t i = w->row[k];
    if ((w->label[k] == FREE) == w->is_free[i]) continue;
    for (int32_t p = w->A->colptr[i]; p < w->A->colptr[i + 1]; p++) look_at(w, w->A->row[p]);
  }
}

int32_t watch_label(watch *w) {
  int32_t changed = 0;
  if (w->count == 0) return 0;
  judge(w);
  for (int32_t k = 0; k < w->count; k++) {           // first, so that others see the new labels
    const int32_t i = w->row[k];
    if (w->label[k] == FREE || !w->is_free[i]) continue;
    w->is_free[i] = w->before[i] = 0;
    changed++;
  }
  for (int32_t k = 0; k < w->count; k++) {
    const int32_t i = w->row[k];
    if (w->label[k] != FREE) bind(w, i, w->label[k] == AT_LO ? lower(w->lo, i) : upper(w->hi, i));
  }
  for (int32_t k = 0; k < w->count; k++) {           // after all bound rows have moved
    const int32_t i = w->row[k];
    if (w->label[k] != FREE || w->is_free[i]) continue;
    aggregation_rest_set(w->levels, 0, i, row_of(w, i));
    w->is_free[i] = w->before[i] = 1;
    changed++;
  }
  return changed;
}
