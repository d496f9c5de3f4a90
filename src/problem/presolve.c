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
  perp_view view;
  const int32_t *entries, *component;   // n each
  int32_t groups;               // components to separate; 1: all variables stay together
  int reduce, turns;
  double *x;                    // n
  int32_t queued;               // variables taken out: queue[0 .. queued-1]
} work;

static int is_fixed(const work *w, int32_t i) {
  return lower(w->problem->lo, i) == upper(w->problem->hi, i);
}

// Presolve reads entries, and the operator has to be the matrix itself.
static int has_entries(const work *w) {
  const perp_view *v = &w->view;
  return (v->kind == PERP_VIEW_CSC || v->kind == PERP_VIEW_DENSE) && v->R == NULL &&
         v->C == NULL && v->shift == 0.0 && w->problem->A.ops->diagonal != NULL;
}

// Is there a variable that could go, a component to separate or a row to turn?
static int has_work(const work *w) {
  int candidates = 0;
  for (int32_t i = 0; i < w->problem->A.n && w->reduce; i++)
    candidates |= is_fixed(w, i) || w->entries[i] == 0 ||
                  (w->entries[i] == 1 && w->p->diagonal[i] > 0.0);
  return candidates || w->groups > 1 || w->turns;
}

static void begin(const work *w) {
  const size_t n = (size_t)w->problem->A.n;
  memcpy(w->p->b, w->problem->b, n*sizeof *w->p->b);   // in the caller's numbering for now
  memcpy(w->p->count, w->entries, n*sizeof *w->p->count);
  for (size_t i = 0; i < n; i++) w->p->place[i] = KEPT;
}

// An empty row without a bound on the side that y_i pushes to: e_i or -e_i is a Farkas vector.
static void find_contradiction(const work *w) {
  const perp_problem *problem = w->problem;
  for (int32_t i = 0; i < problem->A.n; i++)
    if (w->entries[i] == 0 &&
        ((problem->b[i] < 0.0 && upper(problem->hi, i) == (double)INFINITY) ||
         (problem->b[i] > 0.0 && lower(problem->lo, i) == -(double)INFINITY)))
      w->p->infeasible = i;
}

static void take(work *w, int32_t i, double x) {
  w->x[i] = x;
  w->p->place[i] = TAKEN;
  w->p->queue[w->queued++] = i;
}

// Takes x_i out if row i alone forces a finite value on it. A row that became empty during presolve
// stays: its b_i is a difference, and a rounding error must not decide its sign.
static void take_dictated(work *w, int32_t i) {
  const double lo = lower(w->problem->lo, i), hi = upper(w->problem->hi, i), b = w->p->b[i],
               d = w->p->diagonal[i];
  double x = (double)INFINITY;
  if (w->entries[i] == 0 && b != 0.0) x = b > 0.0 ? lo : hi;
  else if (w->p->count[i] == 1 && d > 0.0) x = clamp(0.0 - b/d, lo, hi);
  if (fabs(x) < (double)INFINITY) take(w, i, x);
}

static void take_settled(work *w) {
  for (int32_t i = 0; i < w->problem->A.n && w->reduce; i++) {
    if (is_fixed(w, i)) take(w, i, lower(w->problem->lo, i));
    else take_dictated(w, i);
  }
}

// Moves the columns of variables taken out into b. That may settle further rows.
static void move_columns(work *w) {
  const presolve *p = w->p;
  for (int32_t head = 0; head < w->queued; head++) {
    const int32_t j = p->queue[head];
    const column c = column_of(&w->view, j);
    for (int32_t k = 0; k < c.count; k++) {
      const double a = column_value(&c, k);
      if (a == 0.0) continue;
      const int32_t i = column_row(&c, k);
      p->b[i] += a*w->x[j];
      p->count[i]--;
      if (p->place[i] == KEPT && i != j) take_dictated(w, i);
    }
  }
}

// Numbers the remaining variables block by block: a stable counting sort by component.
static void number(const work *w) {
  presolve *p = w->p;
  const int32_t n = w->problem->A.n;
  int32_t *size = p->count, total = 0;
  p->blocks = 0;
  for (int32_t g = 0; g < w->groups; g++) size[g] = 0;
  for (int32_t i = 0; i < n; i++)
    if (p->place[i] == KEPT) size[w->groups > 1 ? w->component[i] : 0]++;
  for (int32_t g = 0; g < w->groups; g++) {
    if (size[g] > 0) p->block[p->blocks++] = total;
    total += size[g];
    size[g] = total - size[g];   // next free place of the group
  }
  p->block[p->blocks] = p->n = total;
  for (int32_t i = 0; i < n; i++)
    if (p->place[i] == KEPT) {
      p->place[i] = size[w->groups > 1 ? w->component[i] : 0]++;
      p->index[p->place[i]] = i;
    }
}

// Moves b and the bounds to the new numbering. The diagonal is no longer needed and is work space.
static void move_vectors(const work *w) {
  presolve *p = w->p;
  for (int32_t k = 0; k < p->n; k++) {
    const int32_t i = p->index[k];
    p->diagonal[k] = w->turns && p->turned[i] ? -p->b[i] : p->b[i];
    p->lo[k] = lower(w->problem->lo, i);
    p->hi[k] = upper(w->problem->hi, i);
  }
  memcpy(p->b, p->diagonal, (size_t)p->n*sizeof *p->b);
}

static void copy_entries(const work *w) {
  presolve *p = w->p;
  int32_t nnz = 0;
  p->csc = p->matrices;
  for (int32_t g = 0; g < p->blocks; g++) {
    const int32_t first = p->block[g], last = p->block[g + 1];
    for (int32_t k = first; k < last; k++) {
      p->colptr[k] = nnz;
      const column c = column_of(&w->view, p->index[k]);
      for (int32_t q = 0; q < c.count; q++) {
        const double a = column_value(&c, q);
        const int32_t from = column_row(&c, q), to = p->place[from];
        if (a == 0.0 || to < 0) continue;
        p->row[nnz] = to - first;   // rows keep their order, so they stay sorted
        p->value[nnz++] = w->turns && p->turned[from] ? -a : a;
      }
    }
    p->matrices[g] = (perp_csc){last - first, last - first, p->colptr + first, p->row, p->value};
  }
  p->colptr[p->n] = nnz;
}

int presolve_run(presolve *p, const perp_problem *problem, const int32_t *entries,
                 const int32_t *component, int32_t components, int reduce, int split, int turns,
                 double *x) {
  const perp_operator *A = &problem->A;
  work w = {p, problem, operator_view(A), entries, component, split ? components : 1, reduce, turns,
            x, 0};
  p->infeasible = -1;
  p->n = A->n;
  p->blocks = 1;
  if (!has_entries(&w)) return 0;
  A->ops->diagonal(A->self, p->diagonal);
  if (!has_work(&w)) return 0;
  begin(&w);
  find_contradiction(&w);
  take_settled(&w);
  move_columns(&w);
  if (w.queued == 0 && w.groups == 1 && !turns) return 0;
  number(&w);
  move_vectors(&w);
  copy_entries(&w);
  return 1;
}
