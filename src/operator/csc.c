// csc.c: a sparse matrix by columns as an operator.
//
// The matrix shows no rows, so the Gauss-Seidel sweep keeps y = A x + b and updates it by columns.
// If the caller claims symmetry, column i serves as row i: the sweep computes y_i from it, which
// moves less memory and keeps no y. The certificate's residual never relies on that claim.
// Cost: a product or a sweep reads A once.
#include <string.h>

#include "error_free.h"
#include "operator.h"
#include "vector.h"

static int apply(const void *self, const double *x, double *y, void *scratch) {
  (void)scratch;
  const perp_csc *A = self;
  memset(y, 0, (size_t)A->rows*sizeof *y);
  for (int32_t j = 0; j < A->columns; j++) {
    const double t = x[j];
    if (t == 0.0) continue;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) y[A->row[p]] += A->value[p]*t;
  }
  return 0;
}

static int apply_transpose(const void *self, const double *x, double *y, void *scratch) {
  (void)scratch;
  const perp_csc *A = self;
  for (int32_t j = 0; j < A->columns; j++) {
    double s = 0.0;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) s += A->value[p]*x[A->row[p]];
    y[j] = s;
  }
  return 0;
}

// y = A x + b by Dot2 along the columns. The sums of a row are one struct: in separate arrays, the
// sums that a stencil updates together would compete for a few cache lines.
typedef struct row_sum { exact_sum y; double a; } row_sum;
EXACT_INLINE void residual_columns(const perp_csc *A, const double *x, const double *b, double *y,
                                   double *a, row_sum *sum) {
  for (int32_t i = 0; i < A->rows; i++) sum[i] = (row_sum){{b[i], 0.0}, fabs(b[i])};
  for (int32_t j = 0; j < A->columns; j++) {
    const double t = x[j];
    if (t == 0.0) continue;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      row_sum *s = &sum[A->row[p]];
      exact_add_product(&s->y, A->value[p], t);
      s->a += fabs(A->value[p]*t);
    }
  }
  for (int32_t i = 0; i < A->rows; i++) {
    y[i] = exact_value(sum[i].y);
    a[i] = sum[i].a;
  }
}
EXACT_FMA static void residual_fma(const perp_csc *A, const double *x, const double *b, double *y,
                                   double *a, row_sum *sum) {
  residual_columns(A, x, b, y, a, sum);
}
static void residual_plain(const perp_csc *A, const double *x, const double *b, double *y,
                           double *a, row_sum *sum) {
  residual_columns(A, x, b, y, a, sum);
}
// The same where column i is known to be row i. The sums stay in registers.
EXACT_INLINE void residual_rows(const perp_csc *A, const double *x, const double *b, double *y,
                                double *a) {
  const int32_t *row = A->row;
  const double *value = A->value;
  for (int32_t i = 0; i < A->columns; i++) {
    exact_sum sum = {b[i], 0.0};
    double size = fabs(b[i]);
    for (int32_t p = A->colptr[i]; p < A->colptr[i + 1]; p++) {
      const double v = value[p], t = x[row[p]];
      exact_add_product(&sum, v, t);
      size += fabs(v*t);
    }
    y[i] = exact_value(sum);
    a[i] = size;
  }
}
EXACT_FMA static void residual_rows_fma(const perp_csc *A, const double *x, const double *b,
                                        double *y, double *a) {
  residual_rows(A, x, b, y, a);
}
static void residual_rows_plain(const perp_csc *A, const double *x, const double *b, double *y,
                                double *a) {
  residual_rows(A, x, b, y, a);
}
void csc_residual_symmetric(const perp_csc *A, const double *x, const double *b, double *y,
                            double *a) {
  (EXACT_HAS_FMA() ? residual_rows_fma : residual_rows_plain)(A, x, b, y, a);
}

void csc_apply_symmetric(const perp_csc *A, const double *x, const double *b, double *y) {
  for (int32_t i = 0; i < A->columns; i++) {
    double s = b[i];
    for (int32_t p = A->colptr[i]; p < A->colptr[i + 1]; p++) s += A->value[p]*x[A->row[p]];
    y[i] = s;
  }
}

static int residual(const void *self, const double *x, const double *b, double *y, double *a,
                    void *scratch) {
  (EXACT_HAS_FMA() ? residual_fma : residual_plain)(self, x, b, y, a, scratch);
  return 0;
}
static size_t scratch_bytes(const void *self) {
  return (size_t)((const perp_csc *)self)->rows*sizeof(row_sum);
}

static void row_col_max(const void *self, const double *r, const double *c, double *row,
                        double *col) {
  const perp_csc *A = self;
  memset(row, 0, (size_t)A->rows*sizeof *row);
  for (int32_t j = 0; j < A->columns; j++) {
    double m = 0.0;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const double v = r[A->row[p]]*fabs(A->value[p])*c[j];
      m = max2(m, v);
      row[A->row[p]] = max2(row[A->row[p]], v);
    }
    col[j] = m;
  }
}

double csc_entry(const perp_csc *A, int32_t i, int32_t j) {
  int32_t low = A->colptr[j], high = A->colptr[j + 1];
  while (low < high) {
    const int32_t middle = low + (high - low)/2;
    if (A->row[middle] < i) low = middle + 1;
    else high = middle;
  }
  return low < A->colptr[j + 1] && A->row[low] == i ? A->value[low] : 0.0;
}

// In most columns the diagonal entry is at the same offset as in the column before, or one further.
static void diagonal(const void *self, double *d) {
  const perp_csc *A = self;
  int32_t offset = 0;
  for (int32_t j = 0; j < A->columns; j++) {
    const int32_t begin = A->colptr[j], end = A->colptr[j + 1];
    int32_t p = begin + offset < end ? begin + offset : end;
    while (p > begin && A->row[p - 1] >= j) p--;
    while (p < end && A->row[p] < j) p++;
    d[j] = p < end && A->row[p] == j ? A->value[p] : 0.0;
    offset = p - begin;
  }
}

static void add_column(const void *self, int32_t j, double s, double *y) {
  const perp_csc *A = self;
  for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) y[A->row[p]] += s*A->value[p];
}

static void submatrix(const void *self, const int32_t *set, int32_t m, double *S) {
  for (int32_t j = 0; j < m; j++)
    for (int32_t i = 0; i < m; i++)
      S[(size_t)i*(size_t)m + (size_t)j] = csc_entry(self, set[i], set[j]);
}

static perp_view view(const void *self) { return (perp_view){.kind = PERP_VIEW_CSC, .data = self}; }

// For any A: memory holds y = A x + b, and every change of x_i adds a multiple of column i to it.
static int sweep(const void *self, perp_sweep *state, int32_t from, int32_t to) {
  const perp_csc *A = self;
  double *y = state->memory, change = state->change;
  if (state->fresh) {
    apply(A, state->x, y, NULL);
    for (int32_t i = 0; i < A->rows; i++) y[i] += state->b[i];
    state->fresh = 0;
  }
  for (int32_t k = from; k < to; k++) {
    const int32_t i = state->backward ? to - 1 - (k - from) : k;
    const double x = state->x[i];
    const double z = relaxed(x, y[i], state->diagonal[i], state->omega, lower(state->lo, i),
                             upper(state->hi, i));
    const double dx = z - x;
    if (dx == 0.0) continue;
    change = max_or_nan(change, state->weight[i]*fabs(dx)/state->omega);
    state->x[i] = z;
    add_column(A, i, dx, y);
  }
  state->change = change;
  return 0;
}
static size_t sweep_bytes(const void *self) {
  return (size_t)((const perp_csc *)self)->rows*sizeof(double);
}

// For symmetric A: y_i = b_i + (column i)' x, rows from .. to-1 or to-1 .. from. The term of the
// row relaxed just before is added last, from a register, because waiting for its store takes
// longer than the arithmetic between two rows. plain = 1: the bounds are 0 <= x only.
static inline void sweep_rows(const perp_csc *A, perp_sweep *state, int32_t from, int32_t to,
                              int backward, int plain) {
  const int32_t *colptr = A->colptr, *row = A->row;
  const double *value = A->value, *b = state->b, *weight = state->weight, omega = state->omega;
  // Volatile, because compilers turn a maximum with the constant 0 into an unpredictable branch.
  const volatile double zero = 0.0;
  const double lowest = zero;
  double *x = state->x, change = 0.0;
  double recent = !backward && from > 0 ? x[from - 1] : backward && to < A->columns ? x[to] : 0.0;
  for (int32_t k = from; k < to; k++) {
    const int32_t i = backward ? to - 1 - (k - from) : k, end = colptr[i + 1];
    const double old = x[i];
    double y = b[i], d = 0.0, a = 0.0;                                // d = A_ii, a = A_{i,recent}
    int32_t p = colptr[i];
    for (; p < end && row[p] < (backward ? i : i - 1); p++) y += value[p]*x[row[p]];
    if (!backward && p < end && row[p] == i - 1) a = value[p++];
    if (p < end && row[p] == i) d = value[p++];
    if (backward && p < end && row[p] == i + 1) a = value[p++];
    y += d*old;
    for (; p < end; p++) y += value[p]*x[row[p]];
    y += a*recent;
    const double lo = plain ? lowest : lower(state->lo, i),
                 hi = plain ? (double)INFINITY : upper(state->hi, i);
    double z = max2(lo, old - y*(omega/d));
    if (!plain) z = min2(hi, z);
    if (!(d > 0.0)) z = relaxed(old, y, 0.0, omega, lo, hi);
    x[i] = recent = z;
    change = max_or_nan(change, weight[i]*fabs(z - old));
  }
  state->change = max_or_nan(state->change, change/omega);
  state->fresh = 0;
}

static int sweep_symmetric(const void *self, perp_sweep *state, int32_t from, int32_t to) {
  if (state->backward) sweep_rows(self, state, from, to, 1, 0);
  else if (state->lo == NULL && state->hi == NULL) sweep_rows(self, state, from, to, 0, 1);
  else sweep_rows(self, state, from, to, 0, 0);
  return 0;
}

static const perp_operator_ops ops = {
  .name = "csc", .scratch_bytes = scratch_bytes, .apply = apply, .apply_transpose = apply_transpose,
  .residual = residual, .row_col_max = row_col_max, .diagonal = diagonal, .add_column = add_column,
  .sweep_bytes = sweep_bytes, .sweep = sweep, .submatrix = submatrix, .view = view,
};

static const perp_operator_ops symmetric_ops = {
  .name = "csc", .scratch_bytes = scratch_bytes, .apply = apply, .apply_transpose = apply_transpose,
  .residual = residual, .row_col_max = row_col_max, .diagonal = diagonal, .add_column = add_column,
  .sweep = sweep_symmetric, .submatrix = submatrix, .view = view,
};

perp_operator perp_from_csc(const perp_csc *matrix, uint32_t claims) {
  return (perp_operator){claims & PERP_CLAIM_SYMMETRIC ? &symmetric_ops : &ops, matrix,
                         matrix != NULL ? matrix->columns : 0, claims};
}
