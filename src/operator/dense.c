// dense.c: a dense matrix as an operator, row-major or column-major.
#include "exact.h"
#include "operator.h"
#include "vector.h"

typedef struct strides { const double *value; size_t row, column; } strides;   // A_ij = value[i row + j column]

static strides strides_of(const perp_dense *A) {
  const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n);
  return A->by_column ? (strides){A->value, 1, ld} : (strides){A->value, ld, 1};
}

static inline double row_dot(const strides *s, int32_t n, int32_t i, const double *x) {
  const double *a = s->value + (size_t)i*s->row;
  double sum = 0.0;
  if (s->column == 1) {
    for (int32_t j = 0; j < n; j++) sum += a[j]*x[j];
  } else {
    for (int32_t j = 0; j < n; j++) sum += a[(size_t)j*s->column]*x[j];
  }
  return sum;
}

static int apply(const void *self, const double *x, double *y, void *scratch) {
  (void)scratch;
  const perp_dense *A = self;
  const strides s = strides_of(A);
  for (int32_t i = 0; i < A->n; i++) y[i] = row_dot(&s, A->n, i, x);
  return 0;
}

static int apply_transpose(const void *self, const double *x, double *y, void *scratch) {
  (void)scratch;
  const perp_dense *A = self;
  const strides s = strides_of(A), t = {s.value, s.column, s.row};
  for (int32_t i = 0; i < A->n; i++) y[i] = row_dot(&t, A->n, i, x);
  return 0;
}

EXACT_INLINE void residual_rows(const perp_dense *A, const double *x, const double *b, double *y, double *a) {
  const strides s = strides_of(A);
  for (int32_t i = 0; i < A->n; i++) {
    exact_sum sum = {b[i], 0.0};
    double size = fabs(b[i]);
    const double *row = s.value + (size_t)i*s.row;
    for (int32_t j = 0; j < A->n; j++) {
      const double v = row[(size_t)j*s.column];
      exact_add_product(&sum, v, x[j]);
      size += fabs(v*x[j]);
    }
    y[i] = exact_value(sum);
    a[i] = size;
  }
}
EXACT_FMA static void residual_fma(const perp_dense *A, const double *x, const double *b, double *y, double *a) {
  residual_rows(A, x, b, y, a);
}
static void residual_plain(const perp_dense *A, const double *x, const double *b, double *y, double *a) {
  residual_rows(A, x, b, y, a);
}
static int residual(const void *self, const double *x, const double *b, double *y, double *a, void *scratch) {
  (void)scratch;
  (EXACT_HAS_FMA() ? residual_fma : residual_plain)(self, x, b, y, a);
  return 0;
}

static void row_col_max(const void *self, const double *r, const double *c, double *row, double *col) {
  const perp_dense *A = self;
  const strides s = strides_of(A);
  for (int32_t j = 0; j < A->n; j++) col[j] = 0.0;
  for (int32_t i = 0; i < A->n; i++) {
    double m = 0.0;
    for (int32_t j = 0; j < A->n; j++) {
      const double v = r[i]*fabs(s.value[(size_t)i*s.row + (size_t)j*s.column])*c[j];
      m = max2(m, v);
      col[j] = max2(col[j], v);
    }
    row[i] = m;
  }
}

static void diagonal(const void *self, double *d) {
  const perp_dense *A = self;
  const strides s = strides_of(A);
  for (int32_t i = 0; i < A->n; i++) d[i] = s.value[(size_t)i*(s.row + s.column)];
}

static void add_column(const void *self, int32_t j, double t, double *y) {
  const perp_dense *A = self;
  const strides s = strides_of(A);
  for (int32_t i = 0; i < A->n; i++) y[i] += t*s.value[(size_t)i*s.row + (size_t)j*s.column];
}

static int sweep(const void *self, perp_sweep *state, int32_t from, int32_t to) {
  const perp_dense *A = self;
  const strides s = strides_of(A);
  double change = state->change;
  for (int32_t k = from; k < to; k++) {
    const int32_t i = state->backward ? to - 1 - (k - from) : k;
    const double y = row_dot(&s, A->n, i, state->x) + state->b[i];
    const double z = relaxed(state->x[i], y, state->diagonal[i], state->omega, lower(state->lo, i), upper(state->hi, i));
    change = max_or_nan(change, state->weight[i]*fabs(z - state->x[i])/state->omega);
    state->x[i] = z;
  }
  state->change = change;
  state->fresh = 0;
  return 0;
}

static void submatrix(const void *self, const int32_t *set, int32_t m, double *S) {
  const strides s = strides_of(self);
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < m; j++)
      S[(size_t)i*(size_t)m + (size_t)j] = s.value[(size_t)set[i]*s.row + (size_t)set[j]*s.column];
}

static perp_view view(const void *self) { return (perp_view){.kind = PERP_VIEW_DENSE, .data = self}; }

static const perp_operator_ops ops = {
  .name = "dense", .apply = apply, .apply_transpose = apply_transpose, .residual = residual,
  .row_col_max = row_col_max, .diagonal = diagonal, .add_column = add_column, .sweep = sweep,
  .submatrix = submatrix, .view = view,
};

perp_operator perp_from_dense(const perp_dense *matrix, uint32_t claims) {
  return (perp_operator){&ops, matrix, matrix != NULL ? matrix->n : 0, claims};
}
