// dense.c: a dense matrix as an operator, row-major or column-major.
#include "error_free.h"
#include "operator.h"
#include "vector.h"

// A_ij = value[i row + j column]
typedef struct strides { const double *value; size_t row, column; } strides;

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

EXACT_INLINE void residual_rows(const perp_dense *A, const double *x, const double *b, double *y,
                                double *a) {
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
EXACT_FMA static void residual_fma(const perp_dense *A, const double *x, const double *b, double *y,
                                   double *a) {
  residual_rows(A, x, b, y, a);
}
static void residual_plain(const perp_dense *A, const double *x, const double *b, double *y,
                           double *a) {
  residual_rows(A, x, b, y, a);
}
static int residual(const void *self, const double *x, const double *b, double *y, double *a,
                    void *scratch) {
  (void)scratch;
  (EXACT_HAS_FMA() ? residual_fma : residual_plain)(self, x, b, y, a);
  return 0;
}

// The maxima of r_i |A_ij| c_j along the stored lines (rows, or columns if by_column) and across
// them. Four maxima of a line are kept at once to hide the latency of a comparison.
EXACT_INLINE void line_maxima(const double *value, size_t ld, int32_t n, int by_column,
                               const double *restrict r, const double *restrict c,
                               double *restrict along, double *restrict across) {
  for (int32_t l = 0; l < n; l++) across[l] = 0.0;
  for (int32_t k = 0; k < n; k++) {
    const double *restrict a = value + (size_t)k*ld;
    const double rk = r[k], ck = c[k];
    double most[4] = {0.0};
    int32_t l = 0;
    for (; l + 4 <= n; l += 4)
      for (int q = 0; q < 4; q++) {
        const double size = fabs(a[l + q]),
                     v = by_column ? r[l + q]*size*ck : rk*size*c[l + q];
        most[q] = max2(most[q], v);
        across[l + q] = max2(across[l + q], v);
      }
    for (; l < n; l++) {
      const double v = by_column ? r[l]*fabs(a[l])*ck : rk*fabs(a[l])*c[l];
      most[0] = max2(most[0], v);
      across[l] = max2(across[l], v);
    }
    along[k] = max2(max2(most[0], most[1]), max2(most[2], most[3]));
  }
}

EXACT_INLINE void maxima(const perp_dense *A, const double *r, const double *c, double *row,
                         double *col) {
  const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n);
  if (A->by_column) line_maxima(A->value, ld, A->n, 1, r, c, col, row);
  else line_maxima(A->value, ld, A->n, 0, r, c, row, col);
}
EXACT_FMA static void maxima_wide(const perp_dense *A, const double *r, const double *c,
                                  double *row, double *col) {
  maxima(A, r, c, row, col);
}
static void row_col_max(const void *self, const double *r, const double *c, double *row,
                        double *col) {
  if (EXACT_HAS_FMA()) maxima_wide(self, r, c, row, col);   // wider registers give the same bits
  else maxima(self, r, c, row, col);
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

// Entries from .. to-1 of a row times x. Four sums at once hide the latency of an addition.
static inline double part_dot(const double *a, size_t stride, const double *x, int32_t from,
                              int32_t to) {
  double s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  int32_t j = from;
  for (; j + 3 < to; j += 4) {
    s0 += a[(size_t)j*stride]*x[j];
    s1 += a[(size_t)(j + 1)*stride]*x[j + 1];
    s2 += a[(size_t)(j + 2)*stride]*x[j + 2];
    s3 += a[(size_t)(j + 3)*stride]*x[j + 3];
  }
  for (; j < to; j++) s0 += a[(size_t)j*stride]*x[j];
  return (s0 + s1) + (s2 + s3);
}

// The term of the row relaxed just before is added last, so that the others need not wait for it.
static inline void sweep_rows(const strides *s, int32_t n, size_t stride, perp_sweep *state,
                              int32_t from, int32_t to) {
  double *x = state->x, change = 0.0;
  for (int32_t k = from; k < to; k++) {
    const int32_t i = state->backward ? to - 1 - (k - from) : k,
                  recent = state->backward ? i + 1 : i - 1;
    const double *a = s->value + (size_t)i*s->row;
    double y = state->b[i] + part_dot(a, stride, x, 0, recent < 0 ? 0 : recent) +
               part_dot(a, stride, x, recent + 1, n);
    if (recent >= 0 && recent < n) y += a[(size_t)recent*stride]*x[recent];
    const double old = x[i], d = state->diagonal[i], lo = lower(state->lo, i),
                 hi = upper(state->hi, i);
    x[i] = d > 0.0 ? clamp(old - y*(state->omega/d), lo, hi)
                   : relaxed(old, y, d, state->omega, lo, hi);
    change = max_or_nan(change, state->weight[i]*fabs(x[i] - old));
  }
  state->change = max_or_nan(state->change, change/state->omega);
  state->fresh = 0;
}

static int sweep(const void *self, perp_sweep *state, int32_t from, int32_t to) {
  const perp_dense *A = self;
  const strides s = strides_of(A);
  if (s.column == 1) sweep_rows(&s, A->n, 1, state, from, to);
  else sweep_rows(&s, A->n, s.column, state, from, to);
  return 0;
}

static void submatrix(const void *self, const int32_t *set, int32_t m, double *S) {
  const strides s = strides_of(self);
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < m; j++)
      S[(size_t)i*(size_t)m + (size_t)j] = s.value[(size_t)set[i]*s.row + (size_t)set[j]*s.column];
}

static perp_view view(const void *self) {
  return (perp_view){.kind = PERP_VIEW_DENSE, .data = self};
}

static const perp_operator_ops ops = {
  .name = "dense", .apply = apply, .apply_transpose = apply_transpose, .residual = residual,
  .row_col_max = row_col_max, .diagonal = diagonal, .add_column = add_column, .sweep = sweep,
  .submatrix = submatrix, .view = view,
};

perp_operator perp_from_dense(const perp_dense *matrix, uint32_t claims) {
  return (perp_operator){&ops, matrix, matrix != NULL ? matrix->n : 0, claims};
}
