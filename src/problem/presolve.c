// presolve.c: takes out variables that have the same value in every solution.
//
//   fixed       lo = hi                                  x_i = lo_i
//   empty row   y_i = b_i for every x                    b_i > 0: x_i = lo_i, b_i < 0: x_i = hi_i
//   singleton   y_i = A_ii x_i + b_i with A_ii > 0       x_i = clamp(-b_i/A_ii)
//
// Taking out x_i moves its column into b, which can make further rows singletons. Rows that leave
// a choice (b_i = 0 in an empty row, A_ii < 0) stay, so presolve loses no solution.
// A row without bounds says y_i = 0, which is the same as -y_i = 0. Presolve multiplies the rows
// marked in `turned` by -1. That makes the saddle points [P B'; B -D] of quadratic programs the
// monotone [P B'; -B D].
// The remaining problem may split into independent blocks. They are stored one after the other,
// each with its own row numbers.
// Cost: one pass over the entries, and one more over each column taken out.
#include <math.h>
#include <string.h>

#include "problem.h"
#include "vector.h"

void presolve_layout(presolve *p, arena *memory, int32_t n, int64_t nnz) {
  const size_t m = (size_t)n;
  int32_t **const rows[] = {&p->index, &p->place, &p->queue, &p->count};
  double **const values[] = {&p->b, &p->lo, &p->hi, &p->diagonal};
  for (int k = 0; k < 4; k++) *rows[k] = ARENA_ARRAY(memory, int32_t, m);
  for (int k = 0; k < 4; k++) *values[k] = ARENA_ARRAY(memory, double, m);
  p->block = ARENA_ARRAY(memory, int32_t, m + 1);
  p->colptr = ARENA_ARRAY(memory, int32_t, m + 1);
  p->row = ARENA_ARRAY(memory, int32_t, nnz);
  p->value = ARENA_ARRAY(memory, double, nnz);
  p->matrices = ARENA_ARRAY(memory, perp_csc, m);
  p->turned = ARENA_ARRAY(memory, uint8_t, m);
}

typedef struct column {
  const int32_t *row;   // NULL: dense
  const double *value;
  size_t stride;
  int32_t count;
} column;

static column column_of(const perp_view *view, int32_t j) {
  if (view->kind == PERP_VIEW_CSC) {
    const perp_csc *A = view->data;
    return (column){A->row + A->colptr[j], A->value + A->colptr[j], 1,
                    A->colptr[j + 1] - A->colptr[j]};
  }
  const perp_dense *A = view->data;
  const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n);
  return A->by_column ? (column){NULL, A->value + (size_t)j*ld, 1, A->n}
                      : (column){NULL, A->value + j, ld, A->n};
}
static inline int32_t column_row(const column *c, int32_t k) {
  return c->row != NULL ? c->row[k] : k;
}
static inline double column_value(const column *c, int32_t k) {
  return c->value[(size_t)k*c->stride];
}

enum { KEPT = -1, TAKEN = -2 };   // values of place[]: still in the problem, taken out

typedef struct work {
  presolve *p;
  const perp_problem *problem;
  const int32_t *entries;
  double *b, *x;
  int32_t queued;
} work;

static void take(work *w, int32_t i, double x) {
  w->x[i] = x;
  w->p->place[i] = TAKEN;
  w->p->queue[w->queued++] = i;
}

// The value that row i alone forces on x_i, if there is one and it is finite. A row that became
// empty during presolve stays: its b_i is a difference, and a rounding error must not decide
// its sign.
static int dictated(const work *w, int32_t i, double *x) {
  const double lo = lower(w->problem->lo, i), hi = upper(w->problem->hi, i), b = w->b[i],
               d = w->p->diagonal[i];
  if (w->entries[i] == 0 && b != 0.0) *x = b > 0.0 ? lo : hi;
  else if (w->p->count[i] == 1 && d > 0.0) *x = clamp(0.0 - b/d, lo, hi);
  else return 0;
  return fabs(*x) < (double)INFINITY;
}

int presolve_run(presolve *p, const perp_problem *problem, const int32_t *entries,
                 const int32_t *component, int32_t components, int reduce, int split, int turns,
                 double *x) {
  const perp_operator *A = &problem->A;
  const int32_t n = A->n;
  const perp_view view = operator_view(A);
  p->infeasible = -1;
  p->n = n;
  p->blocks = 1;
  if ((view.kind != PERP_VIEW_CSC && view.kind != PERP_VIEW_DENSE) || view.R != NULL ||
      view.C != NULL || view.shift != 0.0 || A->ops->diagonal == NULL)
    return 0;

  A->ops->diagonal(A->self, p->diagonal);
  int candidates = 0;
  for (int32_t i = 0; i < n; i++) {
    const int fixed = lower(problem->lo, i) == upper(problem->hi, i);
    candidates |= fixed || entries[i] == 0 || (entries[i] == 1 && p->diagonal[i] > 0.0);
  }
  const int several = split && components > 1;
  if (!(reduce && candidates) && !several && !turns) return 0;

  work w = {p, problem, entries, p->b, x, 0};
  memcpy(p->b, problem->b, (size_t)n*sizeof *p->b);   // in the caller's numbering for now
  memcpy(p->count, entries, (size_t)n*sizeof *p->count);
  for (int32_t i = 0; i < n; i++) p->place[i] = KEPT;
  for (int32_t i = 0; i < n; i++) {
    // An empty row with no bound on the side that y_i pushes to: e_i or -e_i is a Farkas vector.
    if (entries[i] == 0 && ((problem->b[i] < 0.0 && upper(problem->hi, i) == (double)INFINITY) ||
                            (problem->b[i] > 0.0 && lower(problem->lo, i) == -(double)INFINITY)))
      p->infeasible = i;
    double v;
    if (!reduce) continue;
    if (lower(problem->lo, i) == upper(problem->hi, i)) take(&w, i, lower(problem->lo, i));
    else if (dictated(&w, i, &v)) take(&w, i, v);
  }
  // Move the columns taken out into b. That may settle further rows.
  for (int32_t head = 0; head < w.queued; head++) {
    const int32_t j = p->queue[head];
    const column c = column_of(&view, j);
    for (int32_t k = 0; k < c.count; k++) {
      const double a = column_value(&c, k);
      if (a == 0.0) continue;
      const int32_t i = column_row(&c, k);
      w.b[i] += a*x[j];
      p->count[i]--;
      double v;
      if (p->place[i] == KEPT && i != j && dictated(&w, i, &v)) take(&w, i, v);
    }
  }
  if (w.queued == 0 && !several && !turns) return 0;

  // Number the remaining variables block by block: a stable counting sort by component.
  int32_t *size = p->count;
  const int32_t groups = several ? components : 1;
  for (int32_t g = 0; g < groups; g++) size[g] = 0;
  for (int32_t i = 0; i < n; i++)
    if (p->place[i] == KEPT) size[several ? component[i] : 0]++;
  int32_t blocks = 0, total = 0;
  for (int32_t g = 0; g < groups; g++) {
    if (size[g] > 0) p->block[blocks++] = total;
    total += size[g];
    size[g] = total - size[g];   // next free place of the group
  }
  p->block[blocks] = total;
  for (int32_t i = 0; i < n; i++)
    if (p->place[i] == KEPT) {
      p->place[i] = size[several ? component[i] : 0]++;
      p->index[p->place[i]] = i;
    }
  p->n = total;
  p->blocks = blocks;
  p->csc = p->matrices;

  // Move b to the new numbering. The diagonal is no longer needed and serves as work space.
  double *moved = p->diagonal;
  for (int32_t k = 0; k < total; k++)
    moved[k] = turns && p->turned[p->index[k]] ? -w.b[p->index[k]] : w.b[p->index[k]];
  memcpy(p->b, moved, (size_t)total*sizeof *p->b);
  for (int32_t k = 0; k < total; k++) {
    p->lo[k] = lower(problem->lo, p->index[k]);
    p->hi[k] = upper(problem->hi, p->index[k]);
  }
  int32_t nnz = 0;
  for (int32_t g = 0; g < blocks; g++) {
    const int32_t first = p->block[g], last = p->block[g + 1];
    for (int32_t k = first; k < last; k++) {
      p->colptr[k] = nnz;
      const column c = column_of(&view, p->index[k]);
      for (int32_t q = 0; q < c.count; q++) {
        const double a = column_value(&c, q);
        const int32_t from = column_row(&c, q), to = p->place[from];
        if (a == 0.0 || to < 0) continue;
        p->row[nnz] = to - first;   // rows keep their order, so they stay sorted
        p->value[nnz++] = turns && p->turned[from] ? -a : a;
      }
    }
    p->matrices[g] = (perp_csc){last - first, last - first, p->colptr + first, p->row, p->value};
  }
  p->colptr[total] = nnz;
  return 1;
}
