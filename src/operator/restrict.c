// restrict.c: A(set,set) as an operator, without a copy.
//
// A product embeds x into a vector of the inner size that is zero outside of the set. A sweep keeps
// such vectors between passes and visits only rows of the set. Single entries come from the inner
// view or from small submatrices.
// Cost: a product with A.
#include <string.h>

#include "entries.h"
#include "operator.h"

enum vectors { RESIDUAL_VECTORS = 4, SWEEP_VECTORS = 6 };   // of n: scratch, memory of a sweep

static size_t scratch_bytes(const void *self) {
  const perp_wrapper *w = self;
  return entries_vector_bytes(w->inner.n, RESIDUAL_VECTORS) + operator_scratch_bytes(&w->inner);
}

static void *after(const perp_wrapper *w, void *memory, size_t vectors) {
  return (unsigned char *)memory + entries_vector_bytes(w->inner.n, vectors);
}

// m -> n, zero outside of the set
static void scatter(const perp_wrapper *w, const double *from, double *to) {
  memset(to, 0, (size_t)w->inner.n*sizeof *to);
  for (int32_t k = 0; k < w->m; k++) to[w->set[k]] = from[k];
}

static void gather(const perp_wrapper *w, const double *from, double *to) {    // n -> m
  for (int32_t k = 0; k < w->m; k++) to[k] = from[w->set[k]];
}

static int apply(const void *self, const double *x, double *y, void *scratch) {
  const perp_wrapper *w = self;
  double *X = scratch, *Y = X + w->inner.n;                                // n each
  scatter(w, x, X);
  const int stop = w->inner.ops->apply(w->inner.self, X, Y, after(w, scratch, RESIDUAL_VECTORS));
  gather(w, Y, y);
  return stop;
}

static int apply_transpose(const void *self, const double *x, double *y, void *scratch) {
  const perp_wrapper *w = self;
  double *X = scratch, *Y = X + w->inner.n;                                // n each
  scatter(w, x, X);
  const int stop = w->inner.ops->apply_transpose(w->inner.self, X, Y,
                                                 after(w, scratch, RESIDUAL_VECTORS));
  gather(w, Y, y);
  return stop;
}

static int residual(const void *self, const double *x, const double *b, double *y, double *a,
                    void *scratch) {
  const perp_wrapper *w = self;
  double *X = scratch, *B = X + w->inner.n, *Y = B + w->inner.n, *size = Y + w->inner.n;   // n each
  scatter(w, x, X);
  scatter(w, b, B);
  const int stop = w->inner.ops->residual(w->inner.self, X, B, Y, size,
                                          after(w, scratch, RESIDUAL_VECTORS));
  gather(w, Y, y);
  gather(w, size, a);
  return stop;
}

static void row_col_max(const void *self, const double *r, const double *c, double *row,
                        double *col) {
  const perp_wrapper *w = self;
  const perp_view v = operator_view(&w->inner);
  entries_row_col_max(&v, w->set, w->m, r, c, row, col);
}

static void add_column(const void *self, int32_t j, double s, double *y) {
  const perp_wrapper *w = self;
  const perp_view v = operator_view(&w->inner);
  entries_add_column(&v, w->set, w->m, j, s, y);
}

static void add_column_by_entries(const void *self, int32_t j, double s, double *y) {
  const perp_wrapper *w = self;
  for (int32_t k = 0; k < w->m; k++) y[k] += s*entries_one(&w->inner, w->set[k], w->set[j]);
}

static void diagonal(const void *self, double *d) {   // as 1 x 1 submatrices
  const perp_wrapper *w = self;
  for (int32_t k = 0; k < w->m; k++) w->inner.ops->submatrix(w->inner.self, &w->set[k], 1, &d[k]);
}

static void diagonal_of_callback(const void *self, double *d) {
  const perp_wrapper *w = self;
  const perp_view v = operator_view(&w->inner);
  const perp_callback *A = v.data;
  for (int32_t k = 0; k < w->m; k++) {
    const int32_t i = w->set[k];
    d[k] = (v.R != NULL ? v.R[i] : 1.0)*A->diagonal[i]*(v.C != NULL ? v.C[i] : 1.0) + v.shift;
  }
}

// Translates the indices for the inner operator. The stack has room for those of two tiles, so
// larger submatrices are read as pairs of tiles.
static void submatrix(const void *self, const int32_t *set, int32_t m, double *S) {
  const perp_wrapper *w = self;
  int32_t index[2*ENTRIES_TILE];
  if (m <= 2*ENTRIES_TILE) {
    for (int32_t k = 0; k < m; k++) index[k] = w->set[set[k]];
    w->inner.ops->submatrix(w->inner.self, index, m, S);
    return;
  }
  double T[4*ENTRIES_TILE*ENTRIES_TILE];   // size x size, for both tiles together
  for (int32_t i = 0; i < m; i += ENTRIES_TILE) {
    for (int32_t j = i; j < m; j += ENTRIES_TILE) {
      const int32_t rows = m - i < ENTRIES_TILE ? m - i : ENTRIES_TILE;
      const int32_t columns = j == i ? 0 : m - j < ENTRIES_TILE ? m - j : ENTRIES_TILE;
      const int32_t size = rows + columns;
      for (int32_t k = 0; k < size; k++) index[k] = w->set[set[k < rows ? i + k : j + k - rows]];
      w->inner.ops->submatrix(w->inner.self, index, size, T);
      for (int32_t k = 0; k < size; k++) {
        const size_t row = (size_t)(k < rows ? i + k : j + k - rows);
        for (int32_t l = 0; l < size; l++)
          S[row*(size_t)m + (size_t)(l < rows ? i + l : j + l - rows)] = T[k*size + l];
      }
    }
  }
}

static size_t sweep_bytes(const void *self) {
  const perp_wrapper *w = self;
  return entries_vector_bytes(w->inner.n, SWEEP_VECTORS) + operator_sweep_bytes(&w->inner);
}

static int sweep(const void *self, perp_sweep *state, int32_t from, int32_t to) {
  const perp_wrapper *w = self;
  const int32_t n = w->inner.n, *set = w->set;
  double *x = state->memory, *b = x + n, *lo = b + n;   // n each
  double *hi = lo + n, *d = hi + n, *weight = d + n;    // n each
  if (state->fresh) {
    scatter(w, state->x, x);
    scatter(w, state->b, b);
    if (state->lo != NULL) scatter(w, state->lo, lo);
    if (state->hi != NULL) scatter(w, state->hi, hi);
    scatter(w, state->diagonal, d);
    scatter(w, state->weight, weight);
  }
  perp_sweep inner = *state;
  inner.x = x;
  inner.b = b;
  inner.lo = state->lo != NULL ? lo : NULL;
  inner.hi = state->hi != NULL ? hi : NULL;
  inner.diagonal = d;
  inner.weight = weight;
  inner.memory = after(w, state->memory, SWEEP_VECTORS);
  int stop = 0;
  // The inner sweep is called once per run of successive indices.
  for (int32_t done = 0; done < to - from && !stop;) {
    const int32_t start = state->backward ? to - 1 - done : from + done;
    int32_t length = 1;
    if (state->backward) {
      while (start - length >= from && set[start - length] == set[start] - length) length++;
      stop = w->inner.ops->sweep(w->inner.self, &inner, set[start] - length + 1, set[start] + 1);
    } else {
      while (start + length < to && set[start + length] == set[start] + length) length++;
      stop = w->inner.ops->sweep(w->inner.self, &inner, set[start], set[start] + length);
    }
    done += length;
  }
  for (int32_t k = from; k < to; k++) state->x[k] = x[set[k]];
  state->fresh = inner.fresh;
  state->change = inner.change;
  return stop;
}

int operator_is_restricted(const perp_operator *A) { return A->ops->apply == apply; }

// Every claim holds for principal submatrices.
perp_operator perp_restricted(perp_wrapper *self, perp_operator inner, const int32_t *set,
                              int32_t m) {
  static const perp_operator_ops nothing = {.name = "restricted", .apply = apply};
  if (self == NULL || !operator_is_given(&inner) || (m > 0 && set == NULL))
    return (perp_operator){&nothing, NULL, m, PERP_CLAIM_NONE};
  const perp_operator_ops *ops = inner.ops;
  *self = (perp_wrapper){.inner = inner, .set = set, .m = m};
  self->ops = (perp_operator_ops){
    .name = "restricted", .scratch_bytes = scratch_bytes, .apply = apply,
    .apply_transpose = ops->apply_transpose != NULL ? apply_transpose : NULL,
    .residual = ops->residual != NULL ? residual : NULL,
    .diagonal = ops->submatrix != NULL ? diagonal : NULL,
    .sweep_bytes = ops->sweep != NULL ? sweep_bytes : NULL,
    .sweep = ops->sweep != NULL ? sweep : NULL,
    .submatrix = ops->submatrix != NULL ? submatrix : NULL,
  };
  const perp_view v = operator_view(&inner);
  entry_chain chain;
  if (entries_known(&v)) {
    self->ops.row_col_max = row_col_max;
    self->ops.add_column = add_column;
  } else if (entries_chain(&inner, &chain) && chain.depth < CHAIN_DEPTH_MAX) {
    self->ops.row_col_max = entries_wrapper_max;
    self->ops.add_column = entries_wrapper_add;
  } else if (ops->add_column != NULL && ops->submatrix != NULL) {
    self->ops.add_column = add_column_by_entries;
  }
  if (self->ops.diagonal == NULL && v.kind == PERP_VIEW_CALLBACK &&
      ((const perp_callback *)v.data)->diagonal != NULL)
    self->ops.diagonal = diagonal_of_callback;
  return (perp_operator){&self->ops, self, m, inner.claims};
}
