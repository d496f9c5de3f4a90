// scaled.c: R A C with diagonal R, C > 0, as an operator with the functions that A has.
//
// A sweep runs in the coordinates of A. The change of coordinates is exact for powers of two:
//   x = C x',  b = b'/R,  lo = C lo',  hi = C hi',  A_ii = A'_ii/(R_i C_i),  weight = weight'/C.
#include "entries.h"
#include "error_free.h"
#include "operator.h"
#include "vector.h"

enum vectors { RESIDUAL_VECTORS = 5, SWEEP_VECTORS = 6 };   // of n: scratch, memory of a sweep

static size_t scratch_bytes(const void *self) {
  const perp_wrapper *w = self;
  return entries_vector_bytes(w->inner.n, RESIDUAL_VECTORS) + operator_scratch_bytes(&w->inner);
}

static void *after(const perp_wrapper *w, void *memory, size_t vectors) {
  return (unsigned char *)memory + entries_vector_bytes(w->inner.n, vectors);
}

static int apply(const void *self, const double *x, double *y, void *scratch) {
  const perp_wrapper *w = self;
  double *t = scratch;                                                     // n
  for (int32_t i = 0; i < w->inner.n; i++) t[i] = w->C[i]*x[i];
  const int stop = w->inner.ops->apply(w->inner.self, t, y, after(w, scratch, RESIDUAL_VECTORS));
  for (int32_t i = 0; i < w->inner.n; i++) y[i] *= w->R[i];
  return stop;
}

static int apply_transpose(const void *self, const double *x, double *y, void *scratch) {
  const perp_wrapper *w = self;
  double *t = scratch;                                                     // n
  for (int32_t i = 0; i < w->inner.n; i++) t[i] = w->R[i]*x[i];
  const int stop = w->inner.ops->apply_transpose(w->inner.self, t, y,
                                                 after(w, scratch, RESIDUAL_VECTORS));
  for (int32_t i = 0; i < w->inner.n; i++) y[i] *= w->C[i];
  return stop;
}

// An overflow has no error term.
static double finite_or_zero(double e) { return e - e == 0.0 ? e : 0.0; }

// R A C x + b = R (A t + q + (A t_low + q_low)), t + t_low = C x, q + q_low = b/R, errors of u^2.
static int residual(const void *self, const double *x, const double *b, double *y, double *a,
                    void *scratch) {
  const perp_wrapper *w = self;
  const int32_t n = w->inner.n;
  double *t = scratch, *t_low = t + n, *q = t_low + n, *q_low = q + n, *z = q_low + n;   // n each
  void *rest = after(w, scratch, RESIDUAL_VECTORS);
  int rounded = 0;
  for (int32_t i = 0; i < n; i++) {
    t[i] = w->C[i]*x[i];
    t_low[i] = finite_or_zero(fma(w->C[i], x[i], -t[i]));
    q[i] = b[i]/w->R[i];
    q_low[i] = finite_or_zero(fma(-q[i], w->R[i], b[i])/w->R[i]);
    rounded |= t_low[i] != 0.0;
  }
  int stop = w->inner.ops->residual(w->inner.self, t, q, y, a, rest);
  if (rounded && !stop) stop = w->inner.ops->apply(w->inner.self, t_low, z, rest);
  for (int32_t i = 0; i < n; i++) {
    y[i] = w->R[i]*exact_value((exact_sum){y[i], (rounded ? z[i] : 0.0) + q_low[i]});
    a[i] *= w->R[i];
  }
  return stop;
}

static void row_col_max(const void *self, const double *r, const double *c, double *row,
                        double *col) {
  const perp_wrapper *w = self;
  const perp_view v = w->ops.view(w);
  entries_row_col_max(&v, NULL, w->inner.n, r, c, row, col);
}

static void diagonal(const void *self, double *d) {
  const perp_wrapper *w = self;
  w->inner.ops->diagonal(w->inner.self, d);
  for (int32_t i = 0; i < w->inner.n; i++) d[i] *= w->R[i]*w->C[i];
}

static void add_column(const void *self, int32_t j, double s, double *y) {
  const perp_wrapper *w = self;
  const perp_view v = w->ops.view(w);
  entries_add_column(&v, NULL, w->inner.n, j, s, y);
}

static void add_column_by_entries(const void *self, int32_t j, double s, double *y) {
  const perp_wrapper *w = self;
  for (int32_t i = 0; i < w->inner.n; i++) y[i] += s*(w->R[i]*entries_one(&w->inner, i, j)*w->C[j]);
}

static void submatrix(const void *self, const int32_t *set, int32_t m, double *S) {
  const perp_wrapper *w = self;
  w->inner.ops->submatrix(w->inner.self, set, m, S);
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < m; j++) S[(size_t)i*(size_t)m + (size_t)j] *= w->R[set[i]]*w->C[set[j]];
}

static size_t sweep_bytes(const void *self) {
  const perp_wrapper *w = self;
  return entries_vector_bytes(w->inner.n, SWEEP_VECTORS) + operator_sweep_bytes(&w->inner);
}

static int sweep(const void *self, perp_sweep *state, int32_t from, int32_t to) {
  const perp_wrapper *w = self;
  const int32_t n = w->inner.n;
  const double *R = w->R, *C = w->C;
  double *x = state->memory, *b = x + n, *lo = b + n;   // n each
  double *hi = lo + n, *d = hi + n, *weight = d + n;    // n each
  if (state->fresh) {
    for (int32_t i = 0; i < n; i++) {
      x[i] = C[i]*state->x[i];
      b[i] = state->b[i]/R[i];
      if (state->lo != NULL) lo[i] = C[i]*state->lo[i];
      if (state->hi != NULL) hi[i] = C[i]*state->hi[i];
      d[i] = state->diagonal[i]/(R[i]*C[i]);
      weight[i] = state->weight[i]/C[i];
    }
  }
  perp_sweep inner = *state;
  inner.x = x;
  inner.b = b;
  inner.lo = state->lo != NULL ? lo : NULL;
  inner.hi = state->hi != NULL ? hi : NULL;
  inner.diagonal = d;
  inner.weight = weight;
  inner.memory = after(w, state->memory, SWEEP_VECTORS);
  const int stop = w->inner.ops->sweep(w->inner.self, &inner, from, to);
  for (int32_t i = from; i < to; i++)
    state->x[i] = clamp(x[i]/C[i], lower(state->lo, i), upper(state->hi, i));
  state->fresh = inner.fresh;
  state->change = inner.change;
  return stop;
}

static perp_view view(const void *self) {
  const perp_wrapper *w = self;
  perp_view v = operator_view(&w->inner);
  if (v.R != NULL || v.C != NULL || v.shift != 0.0) return (perp_view){.kind = PERP_VIEW_NONE};
  v.R = w->R;
  v.C = w->C;
  return v;
}

// R = C is a congruence and keeps definiteness. Otherwise only claims about signs of entries hold.
static uint32_t kept_claims(const perp_operator *inner, const double *R, const double *C) {
  int same = 1, positive = 1;
  for (int32_t i = 0; i < inner->n; i++) {
    same &= R[i] == C[i];
    positive &= R[i] > 0.0 && C[i] > 0.0;
  }
  if (!positive) return PERP_CLAIM_NONE;
  return same ? inner->claims : inner->claims & (PERP_CLAIM_Z | PERP_CLAIM_H);
}

int operator_is_scaled(const perp_operator *A) { return A->ops->apply == apply; }

perp_operator perp_scaled(perp_wrapper *self, perp_operator inner, const double *R,
                          const double *C) {
  static const perp_operator_ops nothing = {.name = "scaled", .apply = apply};
  if (self == NULL || !operator_is_given(&inner) || (inner.n > 0 && (R == NULL || C == NULL)))
    return (perp_operator){&nothing, NULL, inner.n, PERP_CLAIM_NONE};
  const perp_operator_ops *ops = inner.ops;
  *self = (perp_wrapper){.inner = inner, .R = R, .C = C};
  self->ops = (perp_operator_ops){
    .name = "scaled", .scratch_bytes = scratch_bytes, .apply = apply,
    .apply_transpose = ops->apply_transpose != NULL ? apply_transpose : NULL,
    .residual = ops->residual != NULL ? residual : NULL,
    .diagonal = ops->diagonal != NULL ? diagonal : NULL,
    .sweep_bytes = ops->sweep != NULL ? sweep_bytes : NULL,
    .sweep = ops->sweep != NULL ? sweep : NULL,
    .submatrix = ops->submatrix != NULL ? submatrix : NULL,
    .view = view,
  };
  const perp_view v = view(self);
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
  return (perp_operator){&self->ops, self, inner.n, kept_claims(&inner, R, C)};
}
