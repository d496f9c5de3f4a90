// shifted.c: A + shift I as an operator with the functions that A has.
//
// There are two sweeps. If A has add_column, the sweep keeps y = (A + shift I) x + b, and every
// change of x_i adds a multiple of column i. Otherwise A's own sweep runs with b + shift x in place
// of b, where x is the start of the pass. That is exact: a pass visits row i once, so x_i still has
// this value, and the given diagonal includes the shift.
#include "entries.h"
#include "error_free.h"
#include "operator.h"
#include "vector.h"

enum vectors { RESIDUAL_VECTORS = 2, SWEEP_VECTORS = 1 };   // of n: scratch, memory of a sweep

static size_t scratch_bytes(const void *self) {
  const perp_wrapper *w = self;
  return entries_vector_bytes(w->inner.n, RESIDUAL_VECTORS) + operator_scratch_bytes(&w->inner);
}

static int apply(const void *self, const double *x, double *y, void *scratch) {
  const perp_wrapper *w = self;
  const int stop = w->inner.ops->apply(w->inner.self, x, y, scratch);
  for (int32_t i = 0; i < w->inner.n; i++) y[i] += w->shift*x[i];
  return stop;
}

static int apply_transpose(const void *self, const double *x, double *y, void *scratch) {
  const perp_wrapper *w = self;
  const int stop = w->inner.ops->apply_transpose(w->inner.self, x, y, scratch);
  for (int32_t i = 0; i < w->inner.n; i++) y[i] += w->shift*x[i];
  return stop;
}

// y = A x + (t + t_low), where t + t_low = shift x + b up to relative errors of u^2.
static int residual(const void *self, const double *x, const double *b, double *y, double *a,
                    void *scratch) {
  const perp_wrapper *w = self;
  const int32_t n = w->inner.n;
  double *t = scratch, *t_low = t + n;                                     // n each
  for (int32_t i = 0; i < n; i++) {
    exact_sum s = {b[i], 0.0};
    exact_add_product(&s, w->shift, x[i]);
    t[i] = s.high;
    t_low[i] = s.low;
  }
  void *rest = (unsigned char *)scratch + entries_vector_bytes(n, RESIDUAL_VECTORS);
  const int stop = w->inner.ops->residual(w->inner.self, x, t, y, a, rest);
  for (int32_t i = 0; i < n; i++) {
    y[i] = exact_value((exact_sum){y[i], t_low[i]});
    a[i] += max2(0.0, fabs(w->shift*x[i]) + fabs(b[i]) - fabs(t[i]));
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
  for (int32_t i = 0; i < w->inner.n; i++) d[i] += w->shift;
}

static void add_column(const void *self, int32_t j, double s, double *y) {
  const perp_wrapper *w = self;
  w->inner.ops->add_column(w->inner.self, j, s, y);
  y[j] += s*w->shift;
}

static void submatrix(const void *self, const int32_t *set, int32_t m, double *S) {
  const perp_wrapper *w = self;
  w->inner.ops->submatrix(w->inner.self, set, m, S);
  for (int32_t i = 0; i < m; i++) S[(size_t)i*(size_t)m + (size_t)i] += w->shift;
}

static size_t columns_bytes(const void *self) {
  const perp_wrapper *w = self;
  return entries_vector_bytes(w->inner.n, SWEEP_VECTORS);
}

static int sweep_columns(const void *self, perp_sweep *state, int32_t from, int32_t to) {
  const perp_wrapper *w = self;
  double *y = state->memory, *x = state->x, change = state->change;        // y: n
  if (state->fresh) {   // y = (A + shift I) x + b
    for (int32_t i = 0; i < w->inner.n; i++) y[i] = state->b[i];
    for (int32_t i = 0; i < w->inner.n; i++)
      if (x[i] != 0.0) add_column(w, i, x[i], y);
    state->fresh = 0;
  }
  for (int32_t k = from; k < to; k++) {
    const int32_t i = state->backward ? to - 1 - (k - from) : k;
    const double z = relaxed(x[i], y[i], state->diagonal[i], state->omega, lower(state->lo, i),
                             upper(state->hi, i));
    const double dx = z - x[i];
    if (dx == 0.0) continue;
    x[i] = z;
    add_column(w, i, dx, y);
    const double size = state->weight[i]*fabs(dx)/state->omega;
    if (size > change || size != size) change = size;                      // a NaN stays
  }
  state->change = change;
  return 0;
}

static size_t inner_bytes(const void *self) {
  const perp_wrapper *w = self;
  return entries_vector_bytes(w->inner.n, SWEEP_VECTORS) + operator_sweep_bytes(&w->inner);
}

static int sweep_inner(const void *self, perp_sweep *state, int32_t from, int32_t to) {
  const perp_wrapper *w = self;
  double *b = state->memory;                                               // n
  for (int32_t i = 0; i < w->inner.n; i++) b[i] = state->b[i] + w->shift*state->x[i];
  perp_sweep inner = *state;
  inner.b = b;
  inner.fresh = 1;   // b is new in every pass
  inner.memory = (unsigned char *)state->memory + entries_vector_bytes(w->inner.n, SWEEP_VECTORS);
  const int stop = w->inner.ops->sweep(w->inner.self, &inner, from, to);
  state->fresh = 0;
  state->change = inner.change;
  return stop;
}

static perp_view view(const void *self) {
  const perp_wrapper *w = self;
  perp_view v = operator_view(&w->inner);
  if (v.kind != PERP_VIEW_NONE) v.shift += w->shift;
  return v;
}

static uint32_t kept_claims(uint32_t claims, double shift) {
  const uint32_t always = claims & (PERP_CLAIM_SYMMETRIC | PERP_CLAIM_Z);
  if (!(shift >= 0.0)) return always;
  return shift > 0.0 && claims & PERP_CLAIM_PSD ? claims | PERP_CLAIM_PD : claims;
}

int operator_is_shifted(const perp_operator *A) { return A->ops->apply == apply; }

perp_operator perp_shifted(perp_wrapper *self, perp_operator inner, double shift) {
  static const perp_operator_ops nothing = {.name = "shifted", .apply = apply};
  if (self == NULL || !operator_is_given(&inner))
    return (perp_operator){&nothing, NULL, inner.n, PERP_CLAIM_NONE};
  const perp_operator_ops *ops = inner.ops;
  *self = (perp_wrapper){.inner = inner, .shift = shift};
  self->ops = (perp_operator_ops){
    .name = "shifted", .scratch_bytes = scratch_bytes, .apply = apply,
    .apply_transpose = ops->apply_transpose != NULL ? apply_transpose : NULL,
    .residual = ops->residual != NULL ? residual : NULL,
    .diagonal = ops->diagonal != NULL ? diagonal : NULL,
    .add_column = ops->add_column != NULL ? add_column : NULL,
    .submatrix = ops->submatrix != NULL ? submatrix : NULL,
    .view = view,
  };
  const perp_view v = view(self);
  entry_chain chain;
  if (entries_known(&v)) self->ops.row_col_max = row_col_max;
  else if (entries_chain(&inner, &chain) && chain.depth < CHAIN_DEPTH_MAX)
    self->ops.row_col_max = entries_wrapper_max;
  // Reading a dense row is faster than reading a column.
  const int by_rows = v.kind == PERP_VIEW_DENSE && ops->sweep != NULL;
  if (ops->add_column != NULL && !by_rows) {
    self->ops.sweep_bytes = columns_bytes;
    self->ops.sweep = sweep_columns;
  } else if (ops->sweep != NULL) {
    self->ops.sweep_bytes = inner_bytes;
    self->ops.sweep = sweep_inner;
  }
  return (perp_operator){&self->ops, self, inner.n, kept_claims(inner.claims, shift)};
}
