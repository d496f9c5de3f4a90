// sparse_ldl.c: factors P S P' = L D L' by supernodes, without exchanges.
//
// Each supernode s receives an update from every earlier supernode d that has rows in s:
//     L_s -= L_d(rows from s on) D_d L_d(rows in s)'
// The update is a dense product, which is then scattered. Then s is factored as a dense matrix.
// This is left-looking: each d is in the list of the supernode that it updates next (Ng and Peyton:
// Block sparse Cholesky algorithms on advanced uniprocessor computers, 1993). Without exchanges the
// factorisation is stable for a definite S; for another S the caller refines and checks.
// Cost: half the flops of an LU, in long loops.
#include "sparse_ldl_parts.h"

#include <math.h>
#include <string.h>

#include "dense_kernels.h"

// C (m x c, column-major) = sum over k < w of L(:,k) B(k,:), only rows j and below of column j. L
// has ld rows per column, B is w x c. Two columns at a time share the loads of L.
EXACT_INLINE void product_body(int32_t m, int32_t c, int32_t w, const double *restrict L,
                               int32_t ld, const double *restrict B, double *restrict C) {
  for (int32_t j = 0; j < c; j += 2) {
    const int32_t pair = j + 1 < c;
    double *restrict to = C + (size_t)j*(size_t)m, *restrict next = pair ? to + m : to;
    const double *b = B + (size_t)j*(size_t)w, *a = pair ? b + w : b;
    int32_t k = 0;
    for (int32_t i = j; i < m; i++) to[i] = 0.0;
    for (int32_t i = j; i < m && pair; i++) next[i] = 0.0;
    for (; k + 4 <= w; k += 4) {
      const double *restrict l0 = L + (size_t)k*(size_t)ld, *restrict l1 = l0 + ld,
                   *restrict l2 = l1 + ld, *restrict l3 = l2 + ld;
      const double b0 = b[k], b1 = b[k + 1], b2 = b[k + 2], b3 = b[k + 3];
      const double a0 = a[k], a1 = a[k + 1], a2 = a[k + 2], a3 = a[k + 3];
      if (pair)
        for (int32_t i = j; i < m; i++) {
          to[i] += (l0[i]*b0 + l1[i]*b1) + (l2[i]*b2 + l3[i]*b3);
          next[i] += (l0[i]*a0 + l1[i]*a1) + (l2[i]*a2 + l3[i]*a3);
        }
      else
        for (int32_t i = j; i < m; i++) to[i] += (l0[i]*b0 + l1[i]*b1) + (l2[i]*b2 + l3[i]*b3);
    }
    for (; k < w; k++) {
      const double *restrict l = L + (size_t)k*(size_t)ld;
      const double bk = b[k], ak = a[k];
      for (int32_t i = j; i < m; i++) to[i] += l[i]*bk;
      for (int32_t i = j; i < m && pair; i++) next[i] += l[i]*ak;
    }
  }
}

static void product_plain(int32_t m, int32_t c, int32_t w, const double *L, int32_t ld,
                          const double *B, double *C) {
  product_body(m, c, w, L, ld, B, C);
}

EXACT_WIDE static void product_wide(int32_t m, int32_t c, int32_t w, const double *L, int32_t ld,
                              const double *B, double *C) {
  product_body(m, c, w, L, ld, B, C);
}

// to -= sum over the `count` columns q of L(:,q) b_q, rows from .. h - 1
EXACT_INLINE void subtract_body(int32_t from, int32_t h, int32_t count, const double *const *L,
                                const double *b, double *restrict to) {
  int32_t q = 0;
  for (; q + 4 <= count; q += 4) {
    const double *restrict l0 = L[q], *restrict l1 = L[q + 1], *restrict l2 = L[q + 2],
                 *restrict l3 = L[q + 3];
    const double b0 = b[q], b1 = b[q + 1], b2 = b[q + 2], b3 = b[q + 3];
    for (int32_t i = from; i < h; i++) to[i] -= (l0[i]*b0 + l1[i]*b1) + (l2[i]*b2 + l3[i]*b3);
  }
  for (; q < count; q++) {
    const double *restrict l = L[q];
    const double bq = b[q];
    for (int32_t i = from; i < h; i++) to[i] -= l[i]*bq;
  }
}

static void subtract_plain(int32_t from, int32_t h, int32_t count, const double *const *L,
                           const double *b, double *to) {
  subtract_body(from, h, count, L, b, to);
}

EXACT_WIDE static void subtract_wide(int32_t from, int32_t h, int32_t count, const double *const *L,
                               const double *b, double *to) {
  subtract_body(from, h, count, L, b, to);
}

double ldl_accept_pivot(sparse_ldl *f, int32_t k, double pivot, double floor) {
  const int32_t i = f->order[k];
  if (f->kept != NULL && !f->kept[i]) return pivot;   // a row of the identity
  const double sign = f->sign != NULL ? f->sign[i] : 0.0;
  if ((sign != 0.0 ? sign*pivot : fabs(pivot)) > floor) return pivot;
  if (!(f->lift > 0.0)) return 0.0;
  return sign < 0.0 ? -f->lift : f->lift;
}

// Factors the dense panel X: h x w, column-major, D on the diagonal. Absent columns are columns of
// the identity and stay so. Returns 0, or 1 + the column without a pivot.
static int32_t factor_panel(sparse_ldl *f, int32_t from, int32_t h, int32_t w, double *X,
                            double floor) {
  const double *done[LDL_COLUMNS_MAX];
  double b[LDL_COLUMNS_MAX];
  int32_t count = 0;
  for (int32_t k = 0; k < w; k++) {
    if (!f->present[from + k]) continue;
    double *restrict to = X + (size_t)k*(size_t)h;
    for (int32_t q = 0; q < count; q++) {                      // b_q = L_kq D_q
      const int32_t column = (int32_t)((done[q] - X)/h);
      b[q] = done[q][k]*done[q][column];
    }
    (EXACT_HAS_WIDE() ? subtract_wide : subtract_plain)(k, h, count, done, b, to);
    to[k] = ldl_accept_pivot(f, from + k, to[k], floor);
    if (to[k] == 0.0) return k + 1;
    const double inverse = 1.0/to[k];
    for (int32_t i = k + 1; i < h; i++) to[i] *= inverse;
    done[count++] = to;
  }
  return 0;
}

static void scatter_columns(sparse_ldl *f, const perp_csc *A, const uint8_t *kept, int32_t s,
                            double *X, int32_t h) {
  const int32_t from = f->first[s];
  for (int32_t k = from; k < f->first[s + 1]; k++) {
    const int32_t j = f->order[k];
    double *to = X + (size_t)(k - from)*(size_t)h;
    if (!f->present[k]) {
      to[k - from] = 1.0;
      continue;
    }
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = f->place[A->row[p]];
      if (kept != NULL && !kept[A->row[p]]) continue;
      if (i == k) to[k - from] = A->value[p];
      else if (i > k) to[f->local[i]] = 0.5*(A->value[p] + A->value[f->mirror[p]]);
    }
  }
}

// L_s -= L_d D_d L_d' for the rows of d from its first unused row on; the rows inside s come first.
// If some rows or columns are absent, the present ones are packed first.
static void apply_update(sparse_ldl *f, int32_t d, int32_t s, double *X, int32_t h) {
  const int32_t w = f->first[d + 1] - f->first[d], end = f->first[s + 1];
  const int32_t below = (int32_t)(f->rows_at[d + 1] - f->rows_at[d]), at = f->reached[d];
  const int32_t *rows = f->rows + f->rows_at[d] + at, ld = w + below, all = below - at;
  const double *L = f->panel + f->panel_at[d], *tail = L + w + at;
  int32_t column[LDL_COLUMNS_MAX], *there = f->there, columns = 0, m = 0, inside = 0, past = 0;
  for (int32_t k = 0; k < w; k++)
    if (f->present[f->first[d] + k]) column[columns++] = k;
  while (past < all && rows[past] < end) past++;
  f->reached[d] = at + past;
  if (columns == 0) return;
  for (int32_t i = 0; i < all; i++) {
    const int32_t row = rows[i];
    if (!f->present[row]) continue;
    inside += row < end;
    there[m++] = i;
  }
  if (inside == 0) return;
  const double *T = tail;
  int32_t rows_a_column = ld;
  if (columns < w || m < all) {
    T = f->packed;
    rows_a_column = m;
    for (int32_t k = 0; k < columns; k++) {
      const double *l = tail + (size_t)column[k]*(size_t)ld;
      double *to = f->packed + (size_t)k*(size_t)m;
      for (int32_t i = 0; i < m; i++) to[i] = l[there[i]];
    }
  }
  for (int32_t k = 0; k < columns; k++) {
    const double pivot = L[(size_t)column[k]*(size_t)ld + (size_t)column[k]];
    const double *l = T + (size_t)k*(size_t)rows_a_column;
    for (int32_t j = 0; j < inside; j++)
      f->scaled[(size_t)j*(size_t)columns + (size_t)k] = l[j]*pivot;
  }
  (EXACT_HAS_WIDE() ? product_wide : product_plain)(m, inside, columns, T, rows_a_column, f->scaled,
                                           f->update);
  for (int32_t i = 0; i < m; i++) there[i] = f->local[rows[there[i]]];
  for (int32_t j = 0; j < inside; j++) {
    double *to = X + (size_t)there[j]*(size_t)h;
    const double *u = f->update + (size_t)j*(size_t)m;
    if (there[m - 1] - there[j] == m - 1 - j) {   // no gaps
      double *restrict run = to + there[j] - j;
      for (int32_t i = j; i < m; i++) run[i] -= u[i];
    } else {
      for (int32_t i = j; i < m; i++) to[there[i]] -= u[i];
    }
  }
  f->done += 2.0*columns*(double)inside*(m - 0.5*inside);
}

int sparse_ldl_factor(sparse_ldl *f, const perp_csc *A, const uint8_t *kept, double floor,
                      const perp_deadline *deadline) {
  double polled = 0.0;
  f->kept = kept;
  f->done = 0.0;
  for (int32_t k = 0; k < f->n; k++) f->present[k] = kept == NULL || kept[f->order[k]] != 0;
  for (int32_t s = 0; s < f->supernodes; s++) {
    f->head[s] = LDL_NONE;
    f->reached[s] = 0;
  }
  if (deadline_passed(deadline)) return -1;
  for (int32_t s = 0; s < f->supernodes; s++) {
    const ldl_panel P = panel_of(f, s);
    const int32_t from = P.from, w = P.w, m = P.m, h = P.h, *rows = P.rows;
    double *X = P.X;
    for (int32_t k = 0; k < w; k++) f->local[from + k] = k;
    for (int32_t i = 0; i < m; i++) f->local[rows[i]] = w + i;
    memset(X, 0, (size_t)h*(size_t)w*sizeof *X);
    scatter_columns(f, A, kept, s, X, h);
    for (int32_t d = f->head[s]; d != LDL_NONE;) {
      const int32_t following = f->next[d];
      apply_update(f, d, s, X, h);
      if (f->reached[d] < f->rows_at[d + 1] - f->rows_at[d]) {   // d updates another supernode next
        const int32_t up = f->owner[f->rows[f->rows_at[d] + f->reached[d]]];
        f->next[d] = f->head[up];
        f->head[up] = d;
      }
      d = following;
    }
    const int32_t failed = factor_panel(f, from, h, w, X, floor);
    if (failed != 0) return f->order[from + failed - 1] + 1;
    if (m > 0) {
      f->next[s] = f->head[f->owner[rows[0]]];
      f->head[f->owner[rows[0]]] = s;
    }
    f->done += (double)w*w*h + (double)h;
    if (f->done > polled + DEADLINE_POLL_FLOPS) {
      if (deadline_passed(deadline)) return -1;
      polled = f->done;
    }
  }
  return 0;
}

// out_c = sum over rows from .. h - 1 of L(:,c) g for four columns. Row i goes into sum i mod 4.
EXACT_INLINE void dots_body(int32_t from, int32_t h, const double *const *L, const double *g,
                            double *out) {
  const double *l0 = L[0], *l1 = L[1], *l2 = L[2], *l3 = L[3];
  double s0[4] = {0.0}, s1[4] = {0.0}, s2[4] = {0.0}, s3[4] = {0.0};
  int32_t i = from;
  for (; i + 4 <= h; i += 4)
    for (int32_t k = 0; k < 4; k++) {
      s0[k] += l0[i + k]*g[i + k];
      s1[k] += l1[i + k]*g[i + k];
      s2[k] += l2[i + k]*g[i + k];
      s3[k] += l3[i + k]*g[i + k];
    }
  for (int32_t k = 0; i < h; i++, k++) {
    s0[k] += l0[i]*g[i];
    s1[k] += l1[i]*g[i];
    s2[k] += l2[i]*g[i];
    s3[k] += l3[i]*g[i];
  }
  out[0] = (s0[0] + s0[2]) + (s0[1] + s0[3]);
  out[1] = (s1[0] + s1[2]) + (s1[1] + s1[3]);
  out[2] = (s2[0] + s2[2]) + (s2[1] + s2[3]);
  out[3] = (s3[0] + s3[2]) + (s3[1] + s3[3]);
}

static void dots_plain(int32_t from, int32_t h, const double *const *L, const double *g,
                       double *out) {
  dots_body(from, h, L, g, out);
}

EXACT_WIDE static void dots_wide(int32_t from, int32_t h, const double *const *L, const double *g,
                               double *out) {
  dots_body(from, h, L, g, out);
}

// Lists the present columns of a panel; returns their number.
static int32_t present_columns(const sparse_ldl *f, const ldl_panel *P, int32_t *at) {
  int32_t count = 0;
  for (int32_t k = 0; k < P->w; k++)
    if (f->present[P->from + k]) at[count++] = k;
  return count;
}

// Solves with the panel's columns of L, four at a time. g: x on the rows of the panel.
static void forward(const ldl_panel *P, int32_t count, const int32_t *at, double *g) {
  for (int32_t q = 0; q < count; q += 4) {
    const int32_t block = count - q < 4 ? count - q : 4, end = at[q + block - 1] + 1;
    const double *l[4];
    double b[4];
    for (int32_t c = 0; c < block; c++) {
      const int32_t k = at[q + c];
      l[c] = P->X + (size_t)k*(size_t)P->h;
      b[c] = g[k];
      for (int32_t i = k + 1; i < end; i++) g[i] -= l[c][i]*b[c];
    }
    (EXACT_HAS_WIDE() ? subtract_wide : subtract_plain)(end, P->h, block, l, b, g);
  }
}

static void backward(const ldl_panel *P, int32_t count, const int32_t *at, double *g) {
  for (int32_t q = count > 0 ? (count - 1)/4*4 : -1; q >= 0; q -= 4) {
    const int32_t block = count - q < 4 ? count - q : 4, end = at[q + block - 1] + 1;
    const double *l[4];
    double sum[4];
    for (int32_t c = 0; c < 4; c++)
      l[c] = P->X + (size_t)at[q + (c < block ? c : 0)]*(size_t)P->h;
    (EXACT_HAS_WIDE() ? dots_wide : dots_plain)(end, P->h, l, g, sum);
    for (int32_t c = block - 1; c >= 0; c--) {
      const int32_t k = at[q + c];
      for (int32_t i = k + 1; i < end; i++) sum[c] += l[c][i]*g[i];
      g[k] = g[k]/l[c][k] - sum[c];
    }
  }
}

// Columns of a panel above which its rows are gathered. If smaller or larger, single problems take
// 1.2 to 1.4 times the work.
#define GATHER_COLUMNS_MIN 8

// The same, but works on x in place.
static void forward_narrow(const ldl_panel *P, double *restrict x) {
  const int32_t from = P->from, w = P->w, m = P->m, *rows = P->rows;
  for (int32_t k = 0; k < w; k++) {
    const double *l = P->X + (size_t)k*(size_t)P->h, xk = x[from + k];
    if (xk == 0.0) continue;
    for (int32_t i = k + 1; i < w; i++) x[from + i] -= l[i]*xk;
    for (int32_t i = 0; i < m; i++) x[rows[i]] -= l[w + i]*xk;
  }
}

static void backward_narrow(const sparse_ldl *f, const ldl_panel *P, double *restrict x) {
  const int32_t from = P->from, w = P->w, m = P->m, *rows = P->rows;
  for (int32_t k = w - 1; k >= 0; k--) {
    if (!f->present[from + k]) continue;
    const double *l = P->X + (size_t)k*(size_t)P->h;
    double even = x[from + k]/l[k], odd = 0.0;
    int32_t i = 0;
    for (int32_t j = k + 1; j < w; j++) odd -= l[j]*x[from + j];
    for (; i + 2 <= m; i += 2) {
      even -= l[w + i]*x[rows[i]];
      odd -= l[w + i + 1]*x[rows[i + 1]];
    }
    if (i < m) even -= l[w + i]*x[rows[i]];
    x[from + k] = even + odd;
  }
}

void sparse_ldl_solve(sparse_ldl *f, double *v) {
  double *x = f->work, *g = f->gathered;
  int32_t at[LDL_COLUMNS_MAX];
  for (int32_t k = 0; k < f->n; k++) x[k] = v[f->order[k]];
  for (int32_t s = 0; s < f->supernodes; s++) {                    // L
    const ldl_panel P = panel_of(f, s);
    if (P.w < GATHER_COLUMNS_MIN) {
      forward_narrow(&P, x);
      continue;
    }
    const int32_t count = present_columns(f, &P, at);
    if (count == 0) continue;
    memcpy(g, x + P.from, (size_t)P.w*sizeof *g);
    for (int32_t i = 0; i < P.m; i++) g[P.w + i] = x[P.rows[i]];
    forward(&P, count, at, g);
    memcpy(x + P.from, g, (size_t)P.w*sizeof *g);
    for (int32_t i = 0; i < P.m; i++) x[P.rows[i]] = g[P.w + i];
  }
  for (int32_t s = f->supernodes - 1; s >= 0; s--) {               // D and L'
    const ldl_panel P = panel_of(f, s);
    if (P.w < GATHER_COLUMNS_MIN) {
      backward_narrow(f, &P, x);
      continue;
    }
    const int32_t count = present_columns(f, &P, at);
    if (count == 0) continue;
    memcpy(g, x + P.from, (size_t)P.w*sizeof *g);
    for (int32_t i = 0; i < P.m; i++) g[P.w + i] = x[P.rows[i]];
    backward(&P, count, at, g);
    memcpy(x + P.from, g, (size_t)P.w*sizeof *g);
  }
  for (int32_t k = 0; k < f->n; k++) v[f->order[k]] = x[k];
}

int64_t sparse_ldl_nnz(const sparse_ldl *f) {
  return f->supernodes > 0 ? f->panel_at[f->supernodes] : 0;
}

double sparse_ldl_flops(const sparse_ldl *f) { return f->flops; }

// Estimates the flops in proportion to the present columns and their present rows.
double sparse_ldl_flops_kept(const sparse_ldl *f, const uint8_t *kept) {
  double flops = 0.0, whole = 0.0;
  int32_t rows = 0;
  for (int32_t s = 0; s < f->supernodes; s++) {
    const double w = f->first[s + 1] - f->first[s];
    const double h = w + (double)(f->rows_at[s + 1] - f->rows_at[s]);
    int32_t columns = 0;
    for (int32_t k = f->first[s]; k < f->first[s + 1]; k++) columns += kept[f->order[k]] != 0;
    rows += columns;
    flops += columns*h*h;
    whole += w*h*h;
  }
  return whole > 0.0 ? f->flops*(flops/whole)*(rows/(double)f->n) : 0.0;
}

void sparse_ldl_regularise(sparse_ldl *f, const double *sign, double lift) {
  f->sign = sign;
  f->lift = lift;
}
