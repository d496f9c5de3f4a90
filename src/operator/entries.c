// entries.c: columns and maxima of a dense or CSC view, for wrappers that have no room for vectors.
#include "entries.h"

#include <math.h>

#include "vector.h"

int entries_known(const perp_view *view) {
  return view->kind == PERP_VIEW_DENSE || view->kind == PERP_VIEW_CSC;
}

// R_i a C_j + shift [i = j]
static inline double seen(const perp_view *view, int32_t i, int32_t j, double a) {
  if (view->R != NULL) a *= view->R[i];
  if (view->C != NULL) a *= view->C[j];
  return i == j ? a + view->shift : a;
}

// First k in [from, m) with set_k >= i.
static inline int32_t position(const int32_t *set, int32_t from, int32_t m, int32_t i) {
  if (set == NULL) return i;
  int32_t low = from, high = m;
  while (low < high) {
    const int32_t middle = low + (high - low)/2;
    if (set[middle] < i) low = middle + 1;
    else high = middle;
  }
  return low;
}

typedef struct visitor {   // adds to y, or takes maxima
  double s, *y;
  double r_scale;
  const double *r;
  double *row, most;
} visitor;

static inline void add(visitor *v, int32_t k, double a) { v->y[k] += v->s*a; }

static inline void take_max(visitor *v, int32_t k, double a) {
  const double size = v->r[k]*fabs(a)*v->r_scale;
  v->row[k] = max2(v->row[k], size);
  v->most = max2(v->most, size);
}

// Calls visit(v, k, V(set_k, set_j)) for the entries of column j that may differ from zero.
static inline void visit_column(const perp_view *view, const int32_t *set, int32_t m, int32_t j,
                                visitor *v, void (*visit)(visitor *, int32_t, double)) {
  const int32_t J = set != NULL ? set[j] : j;
  if (view->kind == PERP_VIEW_DENSE) {
    const perp_dense *A = view->data;
    const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n);
    const size_t row = A->by_column ? 1 : ld, column = A->by_column ? ld : 1;
    for (int32_t k = 0; k < m; k++) {
      const int32_t i = set != NULL ? set[k] : k;
      visit(v, k, seen(view, i, J, A->value[(size_t)i*row + (size_t)J*column]));
    }
    return;
  }
  const perp_csc *A = view->data;
  int stored = 0;   // the diagonal entry is
  for (int32_t p = A->colptr[J], k = 0; p < A->colptr[J + 1]; p++) {
    const int32_t i = A->row[p];
    k = position(set, k, m, i);
    if (k == m) break;
    if (set != NULL && set[k] != i) continue;
    if (k == j) stored = 1;
    visit(v, k, seen(view, i, J, A->value[p]));
  }
  if (!stored && view->shift != 0.0) visit(v, j, view->shift);
}

void entries_add_column(const perp_view *view, const int32_t *set, int32_t m, int32_t j, double s,
                        double *y) {
  visitor v = {.s = s, .y = y};
  visit_column(view, set, m, j, &v, add);
}

void entries_row_col_max(const perp_view *view, const int32_t *set, int32_t m, const double *r,
                         const double *c, double *row, double *col) {
  for (int32_t i = 0; i < m; i++) row[i] = 0.0;
  for (int32_t j = 0; j < m; j++) {
    visitor v = {.r_scale = c[j], .r = r, .row = row};
    visit_column(view, set, m, j, &v, take_max);
    col[j] = v.most;
  }
}

double entries_one(const perp_operator *A, int32_t i, int32_t j) {
  const int32_t pair[2] = {i, j};
  double S[4];
  A->ops->submatrix(A->self, pair, i == j ? 1 : 2, S);
  return i == j ? S[0] : S[1];
}
