// entries.c: columns and maxima of a dense, CSC or grid view, for wrappers without work vectors.
#include "entries.h"

#include <math.h>

#include "grid.h"
#include "vector.h"

int entries_known(const perp_view *view) {
  return view->kind == PERP_VIEW_DENSE || view->kind == PERP_VIEW_CSC ||
         view->kind == PERP_VIEW_GRID;
}

// The entry outside of the view: R_i a C_j + shift [i = j].
static inline double view_entry(const perp_view *view, int32_t i, int32_t j, double a) {
  if (view->R != NULL) a *= view->R[i];
  if (view->C != NULL) a *= view->C[j];
  return i == j ? a + view->shift : a;
}

// The first k in [from, m) with set_k >= i; m if there is none.
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
      visit(v, k, view_entry(view, i, J, A->value[(size_t)i*row + (size_t)J*column]));
    }
    return;
  }
  if (view->kind == PERP_VIEW_GRID) {   // slots have ascending rows and include the diagonal
    for (int32_t slot = 0, k = 0, i; slot < GRID_SLOTS; slot++) {
      double a;
      if (!grid_entry(view->data, J, slot, &i, &a)) continue;
      k = position(set, k, m, i);
      if (k == m) break;
      if (set == NULL || set[k] == i) visit(v, k, view_entry(view, i, J, a));
    }
    return;
  }
  const perp_csc *A = view->data;
  int stored = 0;   // 1: the diagonal entry is stored
  for (int32_t p = A->colptr[J], k = 0; p < A->colptr[J + 1]; p++) {
    const int32_t i = A->row[p];
    k = position(set, k, m, i);
    if (k == m) break;
    if (set != NULL && set[k] != i) continue;
    if (k == j) stored = 1;
    visit(v, k, view_entry(view, i, J, A->value[p]));
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

// ---- chains of wrappers ----

static int unwrap(const perp_operator *A, entry_chain *chain) {
  *chain = (entry_chain){.n = A->n};
  for (;;) {
    const int scaled = operator_is_scaled(A), shifted = operator_is_shifted(A);
    if (!scaled && !shifted && !operator_is_restricted(A)) break;
    if (chain->depth == CHAIN_DEPTH_MAX) return 0;
    const perp_wrapper *w = A->self;
    chain->kind[chain->depth] = scaled ? WRAP_SCALED : shifted ? WRAP_SHIFTED : WRAP_RESTRICTED;
    chain->wrapper[chain->depth++] = w;
    chain->shifted |= shifted && w->shift != 0.0;
    A = &w->inner;
  }
  chain->matrix = A->ops->view != NULL ? A->ops->view(A->self) : (perp_view){0};
  const perp_view *m = &chain->matrix;
  return m->R == NULL && m->C == NULL && m->shift == 0.0;
}

int entries_chain(const perp_operator *A, entry_chain *chain) {
  return unwrap(A, chain) && entries_known(&chain->matrix);
}

int entries_product_chain(const perp_operator *A, entry_chain *chain) {
  return unwrap(A, chain) && chain->matrix.kind == PERP_VIEW_PRODUCT;
}

int entries_contact_chain(const perp_operator *A, entry_chain *chain) {
  return unwrap(A, chain) && chain->matrix.kind == PERP_VIEW_CONTACT;
}

entry_cursor entries_begin(const entry_chain *chain, int32_t j) {
  entry_cursor c = {.chain = chain};
  for (int32_t k = 0; k < chain->depth; k++) {
    c.column[k] = j;
    if (chain->kind[k] == WRAP_RESTRICTED) j = chain->wrapper[k]->set[j];
  }
  c.column[chain->depth] = j;
  c.at = chain->matrix.kind == PERP_VIEW_CSC
             ? ((const perp_csc *)chain->matrix.data)->colptr[j] : 0;
  return c;
}

// Returns a f rounded. *error is the error of a, then a bound of the error of the product.
static double product_of(double a, double f, double *error) {
  const double p = a*f, rest = fma(a, f, -p);
  *error = *error*f + fabs(rest);
  if (a != 0.0 && fabs(p) < 0x1p-900) *error += 0x1p-1070;   // the error may have underflowed
  return p;
}

int entries_outside(const entry_cursor *cursor, int32_t *i, double *a, double *error) {
  const entry_chain *chain = cursor->chain;
  *error = 0.0;
  for (int32_t k = chain->depth - 1; k >= 0; k--) {
    const perp_wrapper *w = chain->wrapper[k];
    if (chain->kind[k] == WRAP_SCALED) {
      *a = product_of(*a, (cursor->is_row ? w->C : w->R)[*i], error);
      *a = product_of(*a, (cursor->is_row ? w->R : w->C)[cursor->column[k + 1]], error);
    } else if (chain->kind[k] == WRAP_RESTRICTED) {
      const int32_t place = position(w->set, 0, w->m, *i);
      if (place == w->m || w->set[place] != *i) return 0;
      *i = place;
    } else if (*i == cursor->column[k]) {
      const double s = *a + w->shift, z = s - *a;
      *error += fabs((*a - (s - z)) + (w->shift - z));
      *a = s;
    }
  }
  *error *= 1.0 + 0x1p-40;   // covers the rounding errors made in summing *error
  return 1;
}

// The diagonal of a liquid cell is a rounded sum of up to six weights: a with an error of 5 u a.
static int diagonal_outside(const entry_cursor *cursor, int32_t *i, double *a, double *error) {
  const perp_grid *g = cursor->chain->matrix.data;
  const int sum = g->type[*i] == PERP_CELL_LIQUID;   // else a row of the identity
  double other = *a*(1.0 + 0x1p-50), more;
  int32_t place = *i;
  if (!entries_outside(cursor, i, a, error)) return 0;
  if (sum && entries_outside(cursor, &place, &other, &more)) *error += fabs(other - *a) + more;
  return 1;
}

int entries_next(entry_cursor *cursor, int32_t *i, double *a, double *error) {
  const entry_chain *chain = cursor->chain;
  const int32_t J = cursor->column[chain->depth];
  if (chain->matrix.kind == PERP_VIEW_DENSE) {
    const perp_dense *M = chain->matrix.data;
    const size_t ld = (size_t)(M->ld != 0 ? M->ld : M->n);
    while (cursor->at < M->n) {
      *i = cursor->at++;
      *a = M->value[M->by_column ? (size_t)J*ld + (size_t)*i : (size_t)*i*ld + (size_t)J];
      if (entries_outside(cursor, i, a, error)) return 1;
    }
    return 0;
  }
  if (chain->matrix.kind == PERP_VIEW_GRID) {
    while (cursor->at < GRID_SLOTS)
      if (grid_entry(chain->matrix.data, J, cursor->at++, i, a) &&
          (*i == J ? diagonal_outside(cursor, i, a, error) : entries_outside(cursor, i, a, error)))
        return 1;
    return 0;
  }
  const perp_csc *M = chain->matrix.data;
  const int32_t end = M->colptr[J + 1];
  while (cursor->at < end) {
    *i = M->row[cursor->at];
    *a = M->value[cursor->at++];
    if (entries_outside(cursor, i, a, error)) return 1;
  }
  if (cursor->at > end || !chain->shifted) return 0;
  cursor->at++;   // past the end: the diagonal has been visited
  int32_t low = M->colptr[J], high = end;
  while (low < high) {
    const int32_t middle = low + (high - low)/2;
    if (M->row[middle] < J) low = middle + 1;
    else high = middle;
  }
  if (low < end && M->row[low] == J) return 0;
  *i = J;
  *a = 0.0;
  return entries_outside(cursor, i, a, error);
}

static entry_chain chain_of_wrapper(const perp_wrapper *w) {
  perp_operator A = {&w->ops, w, w->inner.n, 0};
  if (operator_is_restricted(&A)) A.n = w->m;
  entry_chain chain;
  entries_chain(&A, &chain);
  return chain;
}

void entries_wrapper_max(const void *self, const double *r, const double *c, double *row,
                         double *col) {
  const entry_chain chain = chain_of_wrapper(self);
  for (int32_t i = 0; i < chain.n; i++) row[i] = 0.0;
  for (int32_t j = 0; j < chain.n; j++) {
    double most = 0.0, a, error;
    int32_t i;
    for (entry_cursor at = entries_begin(&chain, j); entries_next(&at, &i, &a, &error);) {
      const double size = r[i]*fabs(a)*c[j];
      row[i] = max2(row[i], size);
      most = max2(most, size);
    }
    col[j] = most;
  }
}

void entries_wrapper_add(const void *self, int32_t j, double s, double *y) {
  const entry_chain chain = chain_of_wrapper(self);
  double a, error;
  int32_t i;
  for (entry_cursor at = entries_begin(&chain, j); entries_next(&at, &i, &a, &error);)
    y[i] += s*a;
}

double entries_one(const perp_operator *A, int32_t i, int32_t j) {
  const int32_t pair[2] = {i, j};
  double S[4];
  A->ops->submatrix(A->self, pair, i == j ? 1 : 2, S);
  return i == j ? S[0] : S[1];
}
