// equilibrate.c: scales rows and columns of A so that all row and column maxima are near 1.
//
// Ruiz 2001, in the max norm:
//
//   r_i <- r_i / sqrt(max_j r_i |A_ij| c_j),   c_j <- c_j / sqrt(max_i r_i |A_ij| c_j)
//
// Scalings with all maxima 1 are far from unique: for [1 e; e 1] any r = (s, 1), c = (1/s, 1) with
// e <= s <= 1/e has them. Starting at r = c = 1 would carry the caller's units into the
// certificate. So if the entries differ widely, the iteration starts at the least-squares fit of
// the logarithms (Curtis, Reid 1972),
//
//   min over r, c of the sum over A_ij != 0 of (log |A_ij| + log r_i + log c_j)^2,
//
// which is independent of the units: for D1 A D2 it gives r/D1 and c/D2. Results are powers of
// two, so scaling adds no rounding.
// Cost: at most 3 PASSES_MAX passes over the entries, usually a few.
#include <math.h>
#include <string.h>

#include "entries.h"
#include "dense_kernels.h"
#include "problem.h"
#include "ties.h"
#include "vector.h"

enum {
  PASSES_MAX = 60,             // sweeps, and conjugate gradient steps of the fit
  FIT_RANGE_MIN = 256          // max |A_ij| over min |A_ij| above which scales are fitted; if they
                               // always are, small problems take up to twice the work
};

#define MAXIMA_RATIO_MAX 1.5   // sweeps end when all maxima are within this factor of 1; with 1,
                               // small problems take three times the work

// The power of two nearest to v in the logarithm, with an exponent up to +-SCALE_EXPONENT_MAX. v is
// positive and normal. Works on the bits of v; frexp() and ldexp() would dominate the run time.
static double power_of_two(double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  int e = (int)(bits >> 52 & 0x7ff) - 1023;
  if ((bits & 0xfffffffffffffu) > 0x6a09e667f3bcdu) e++;   // beyond the square root of 2
  e = e < -SCALE_EXPONENT_MAX ? -SCALE_EXPONENT_MAX : e > SCALE_EXPONENT_MAX ? SCALE_EXPONENT_MAX : e;
  bits = (uint64_t)(e + 1023) << 52;
  memcpy(&v, &bits, sizeof v);
  return v;
}

static double exponent_of(double v) {   // log2 of a normal power of two
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return (double)((int)(bits >> 52 & 0x7ff) - 1023);
}

// log2 |v| within 0.09, with mean error 0; v != 0. Works on bits without a branch, so that the
// compiler can use vector instructions. The exponent is written into the digits of 2^52.
static inline double rough_log2(double v) {
  const int below = fabs(v) < 0x1p-1022;   // subnormal
  v = below ? v*0x1p64 : v;
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  const uint64_t high = (bits >> 52 & 0x7ff) | 0x4330000000000000u,
                 low = (bits & 0xfffffffffffffu) | 0x3ff0000000000000u;
  double exponent, digits;                 // 2^52 + its exponent field, and 1 <= digits < 2
  memcpy(&exponent, &high, sizeof high);
  memcpy(&digits, &low, sizeof low);
  return (exponent - (0x1p52 + 1022.0) - (below ? 64.0 : 0.0)) + digits - 1.9427;
}

// ---- means over the nonzeros, plain and with the logarithms ----

static inline double term(double v, int logs, double other) {
  return v != 0.0 ? (logs ? rough_log2(v) + other : other) : 0.0;
}

// Sums along each line of a dense matrix, four lines at a time to hide the latency of an addition.
static inline void add_along(const perp_dense *A, size_t ld, int logs, const double *other,
                             double *sum, double *count) {
  const int32_t n = A->n;
  int32_t k = 0;
  for (; k + 4 <= n; k += 4) {
    const double *a = A->value + (size_t)k*ld;
    double s[4] = {0.0}, c[4] = {0.0};
    for (int32_t l = 0; l < n; l++)
      for (size_t q = 0; q < 4; q++) {
        const double v = a[q*ld + (size_t)l];
        s[q] += term(v, logs, other[l]);
        c[q] += v != 0.0 ? 1.0 : 0.0;
      }
    memcpy(sum + k, s, sizeof s);
    memcpy(count + k, c, sizeof c);
  }
  for (; k < n; k++) {
    const double *a = A->value + (size_t)k*ld;
    double s = 0.0, c = 0.0;
    for (int32_t l = 0; l < n; l++) {
      s += term(a[l], logs, other[l]);
      c += a[l] != 0.0 ? 1.0 : 0.0;
    }
    sum[k] = s;
    count[k] = c;
  }
}

static inline void add_across(const perp_dense *A, size_t ld, int logs,
                              const double *restrict other, double *restrict sum,
                              double *restrict count) {
  const int32_t n = A->n;
  for (int32_t l = 0; l < n; l++) sum[l] = count[l] = 0.0;
  for (int32_t k = 0; k < n; k++) {
    const double *restrict a = A->value + (size_t)k*ld, o = other[k];
    for (int32_t l = 0; l < n; l++) {
      sum[l] += term(a[l], logs, o);
      count[l] += a[l] != 0.0 ? 1.0 : 0.0;
    }
  }
}

// Positions of the nonzeros of a small dense matrix with few of them, so that zeros cost nothing.
// It takes 9 KB on the stack. Without it, a small wall takes 1.15 times the time (bench pivot).
enum nonzeros_shape {
  LIST_ROWS_MAX = 256,        // rows
  LIST_ENTRIES_MAX = 4096,    // nonzeros
  LIST_LOGS_MAX = 512         // entries of a matrix without zeros whose logarithms are kept
};
typedef struct nonzeros {
  uint16_t end[LIST_ROWS_MAX];          // end of each line in index
  uint16_t across[LIST_ROWS_MAX];       // number of nonzeros at each position of the lines
  uint8_t index[LIST_ENTRIES_MAX];   // positions, line by line
  int full;                      // a small matrix without zeros: there is no list
  double log[LIST_LOGS_MAX];         // its logarithms, line by line
} nonzeros;

// Returns 0 if there is a zero.
static int keep_logs(const perp_dense *A, size_t ld, double *restrict log) {
  const int32_t n = A->n;
  double least = (double)INFINITY;
  for (int32_t k = 0; k < n; k++) {
    const double *restrict a = A->value + (size_t)k*ld;
    for (int32_t l = 0; l < n; l++) log[k*n + l] = rough_log2(a[l]);
    for (int32_t l = 0; l < n; l++) least = min2(least, fabs(a[l]));
  }
  return least > 0.0;
}

static int list_nonzeros(const perp_view *view, nonzeros *list) {   // 0: a list would not pay
  if (view->kind != PERP_VIEW_DENSE) return 0;
  const perp_dense *A = view->data;
  const int32_t n = A->n;
  const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n);
  if (n > LIST_ROWS_MAX) return 0;
  list->full = n*n <= LIST_LOGS_MAX && keep_logs(A, ld, list->log);
  if (list->full) return 1;
  for (int32_t l = 0; l < n; l++) list->across[l] = 0;
  int32_t used = 0;
  for (int32_t k = 0; k < n; k++) {
    const double *a = A->value + (size_t)k*ld;
    if (used + n > LIST_ENTRIES_MAX) return 0;
    for (int32_t l = 0; l < n; l++) {
      list->index[used] = (uint8_t)l;   // the next entry overwrites it if it is zero
      used += a[l] != 0.0;
    }
    list->end[k] = (uint16_t)used;
  }
  for (int32_t q = 0; q < used; q++) list->across[list->index[q]]++;
  return 1;
}

// The means of a small matrix without zeros, from its stored logarithms.
static void kept_means(int32_t n, const double *restrict log, int along,
                       const double *restrict other, double *restrict mean,
                       double *restrict count) {
  for (int32_t l = 0; l < n; l++) {
    mean[l] = 0.0;
    count[l] = n;
  }
  for (int32_t k = 0; k < n; k++, log += n) {
    if (along) {
      double sum = 0.0;
      for (int32_t l = 0; l < n; l++) sum += log[l] + other[l];
      mean[k] = sum;
    } else {
      const double o = other[k];
      for (int32_t l = 0; l < n; l++) mean[l] += log[l] + o;
    }
  }
}

// The means over the listed entries.
static inline void listed_means(const perp_dense *A, const nonzeros *list, int by_row, int logs,
                                const double *other, double *mean, double *count) {
  const int32_t n = A->n;
  const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n);
  const int along = by_row == !A->by_column;
  for (int32_t l = 0; l < n; l++) {
    mean[l] = 0.0;
    count[l] = along ? list->end[l] - (l > 0 ? list->end[l - 1] : 0) : list->across[l];
  }
  for (int32_t k = 0, q = 0; k < n; k++) {
    const double *a = A->value + (size_t)k*ld;
    double sum = 0.0;
    for (; q < list->end[k]; q++) {
      const int32_t l = list->index[q];
      const double t = (logs ? rough_log2(a[l]) : 0.0) + other[along ? l : k];
      if (along) sum += t;
      else mean[l] += t;
    }
    if (along) mean[k] = sum;
  }
}

static void csc_row_sums(const perp_csc *A, int logs, const double *other, double *sum,
                         double *count) {
  for (int32_t i = 0; i < A->columns; i++) sum[i] = count[i] = 0.0;
  for (int32_t j = 0; j < A->columns; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      if (A->value[p] == 0.0) continue;
      sum[A->row[p]] += (logs ? rough_log2(A->value[p]) : 0.0) + other[j];
      count[A->row[p]] += 1.0;
    }
}

static void csc_column_sums(const perp_csc *A, int logs, const double *other, double *sum,
                            double *count) {
  for (int32_t j = 0; j < A->columns; j++) {
    double s = 0.0, c = 0.0;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const double v = A->value[p];
      s += term(v, logs, other[A->row[p]]);
      c += v != 0.0 ? 1.0 : 0.0;
    }
    sum[j] = s;
    count[j] = c;
  }
}

// The matrix that the fit reads: a plain one, or one under wrappers.
typedef struct matrix {
  int symmetric;       // row i equals column i, which is faster to read
  perp_view view;      // if its kind is NONE, use chain
  entry_chain chain;
} matrix;

// Means over the nonzeros of each row (or column): of other_j (or other_i), plus log |A_ij| if
// logs is set. mean, count: n. list: of a dense A, or NULL. Each sum is taken in ascending order
// for every storage, so the bits are the same.
static void means(const matrix *from, const nonzeros *list, int32_t n, int by_row, int logs,
                  const double *other, double *mean, double *count) {
  const perp_view *view = &from->view;
  if (list != NULL && list->full) {   // only with logs; otherwise full_means serves
    kept_means(n, list->log, by_row == !((const perp_dense *)view->data)->by_column, other, mean,
               count);
  } else if (list != NULL) {
    if (logs) listed_means(view->data, list, by_row, 1, other, mean, count);
    else listed_means(view->data, list, by_row, 0, other, mean, count);
  } else if (view->kind == PERP_VIEW_CSC) {
    if (by_row && !from->symmetric) csc_row_sums(view->data, logs, other, mean, count);
    else csc_column_sums(view->data, logs, other, mean, count);
  } else if (view->kind == PERP_VIEW_NONE) {
    for (int32_t i = 0; i < n; i++) mean[i] = count[i] = 0.0;
    for (int32_t j = 0; j < n; j++) {
      int32_t i;
      double a, error;
      for (entry_cursor at = entries_begin(&from->chain, j); entries_next(&at, &i, &a, &error);) {
        if (a == 0.0) continue;
        const int32_t to = by_row ? i : j;
        mean[to] += (logs ? rough_log2(a) : 0.0) + other[by_row ? j : i];
        count[to] += 1.0;
      }
    }
  } else {
    const perp_dense *A = view->data;
    const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n);
    const int along = by_row == !A->by_column;
    if (along && logs) add_along(A, ld, 1, other, mean, count);
    else if (along) add_along(A, ld, 0, other, mean, count);
    else if (logs) add_across(A, ld, 1, other, mean, count);
    else add_across(A, ld, 0, other, mean, count);
  }
  for (int32_t i = 0; i < n; i++)
    if (count[i] > 0.0) mean[i] /= count[i];
}

// The same without logs for a matrix without zeros: all means are equal.
static void full_means(int32_t n, const double *other, double *mean) {
  double sum = 0.0;
  for (int32_t j = 0; j < n; j++) sum += other[j];
  sum /= n;
  for (int32_t i = 0; i < n; i++) mean[i] = sum;
}

static int wide(const matrix *from, int32_t n) {   // 1: the entries span more than FIT_RANGE_MIN
  const perp_view *view = &from->view;
  double least = (double)INFINITY, most = 0.0;
  if (view->kind == PERP_VIEW_NONE) {
    for (int32_t j = 0; j < n; j++) {
      int32_t i;
      double a, error;
      for (entry_cursor at = entries_begin(&from->chain, j); entries_next(&at, &i, &a, &error);) {
        most = max2(most, fabs(a));
        if (a != 0.0) least = min2(least, fabs(a));
      }
    }
  } else if (view->kind == PERP_VIEW_CSC) {
    const perp_csc *A = view->data;
    for (int32_t p = A->colptr[0]; n > 0 && p < A->colptr[n]; p++) {
      const double v = fabs(A->value[p]);
      most = max2(most, v);
      if (v > 0.0) least = min2(least, v);
    }
  } else {
    const perp_dense *A = view->data;
    const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n);
    for (int32_t k = 0; k < n; k++) {
      const double *a = A->value + (size_t)k*ld;
      double low[4], high[4] = {0.0};
      for (int q = 0; q < 4; q++) low[q] = (double)INFINITY;
      int32_t l = 0;
      for (; l + 4 <= n; l += 4)
        for (int q = 0; q < 4; q++) {
          const double v = fabs(a[l + q]), w = v > 0.0 ? v : (double)INFINITY;
          high[q] = max2(high[q], v);
          low[q] = min2(low[q], w);
        }
      for (; l < n; l++) {
        const double v = fabs(a[l]);
        high[0] = max2(high[0], v);
        if (v > 0.0) low[0] = min2(low[0], v);
      }
      most = max2(most, max2(max2(high[0], high[1]), max2(high[2], high[3])));
      least = min2(least, min2(min2(low[0], low[1]), min2(low[2], low[3])));
    }
  }
  return most > least*FIT_RANGE_MIN;
}

// One step of minimising over r and then over c: *next is the following c, with r = -row means.
// count: of the columns.
static void alternate(const matrix *from, const nonzeros *list, int32_t n, int logs,
                      const double *c, double *r, double *next, double *count) {
  means(from, list, n, 1, logs, c, r, count);
  for (int32_t i = 0; i < n; i++) r[i] = -r[i];
  means(from, list, n, 0, logs, r, next, count);
  for (int32_t j = 0; j < n; j++) next[j] = -next[j];
}

// The linear part of the step for a matrix without zeros, where count is known.
static void alternate_full(int32_t n, const double *c, double *r, double *next) {
  full_means(n, c, r);
  for (int32_t i = 0; i < n; i++) r[i] = -r[i];
  full_means(n, r, next);
  for (int32_t j = 0; j < n; j++) next[j] = -next[j];
}

// The fit in logarithms to the base 2. Eliminating r leaves a linear system for c. With N the
// number of entries of each column and T the linear part of `alternate`, it is
//   N (I - T) c = N alternate(0).
// Conjugate gradients solve it, preconditioned by N. Alternating alone would need n^2 steps for a
// long chain. The iteration starts at the given C; a good guess saves steps.
// Returns 0 if the deadline passes.
static int fit(const matrix *from, int32_t n, double *R, double *C, double *work,
               const perp_deadline *deadline) {
  double *next = work, *count = work + n, *z = work + 2*n, *p = work + 3*n;   // n each
  for (int32_t i = 0; i < n; i++) C[i] = exponent_of(C[i]);
  nonzeros room;
  const nonzeros *list = list_nonzeros(&from->view, &room) ? &room : NULL;
  alternate(from, list, n, 1, C, R, z, count);
  int full = 1;
  double zz = 0.0;
  for (int32_t j = 0; j < n; j++) {
    p[j] = z[j] = count[j] > 0.0 ? z[j] - C[j] : 0.0;
    zz += count[j]*z[j]*z[j];
    full &= count[j] == n;
  }
  for (int step = 0; step < PASSES_MAX; step++) {
    double largest = 0.0, pq = 0.0;
    for (int32_t j = 0; j < n; j++) largest = max2(largest, fabs(z[j]));
    // A coarser fit for large n keeps the setup cheap.
    if (largest < (n < 2000 ? 0.02 : 0.5)) break;
    if (deadline_passed(deadline)) return 0;
    if (full) alternate_full(n, p, R, next);
    else alternate(from, list, n, 0, p, R, next, count);
    for (int32_t j = 0; j < n; j++) {
      next[j] = count[j] > 0.0 ? p[j] - next[j] : 0.0;        // (I - T) p
      pq += count[j]*p[j]*next[j];
    }
    if (!(pq > 0.0)) break;
    const double alpha = zz/pq, before = zz;
    zz = 0.0;
    for (int32_t j = 0; j < n; j++) {
      C[j] += alpha*p[j];
      z[j] -= alpha*next[j];
      zz += count[j]*z[j]*z[j];
    }
    for (int32_t j = 0; j < n; j++) p[j] = z[j] + zz/before*p[j];
  }
  means(from, list, n, 1, 1, C, R, count);
  // r + t, c - t fits equally well; choose t to balance them.
  double shift = 0.0, entries = 0.0;
  for (int32_t i = 0; i < n; i++) {
    R[i] = -R[i];
    shift += count[i]*(R[i] - C[i]);
    entries += count[i];
  }
  shift = entries > 0.0 ? 0.5*shift/entries : 0.0;
  for (int32_t i = 0; i < n; i++) {
    R[i] = exp2(clamp(R[i] - shift, -SCALE_EXPONENT_MAX, SCALE_EXPONENT_MAX));
    C[i] = exp2(clamp(C[i] + shift, -SCALE_EXPONENT_MAX, SCALE_EXPONENT_MAX));
  }
  return 1;
}

// 1: the entries of A can be read, and a fit is worth its cost.
static int fitted(const perp_operator *A, matrix *from) {
  from->view = operator_view(A);
  const int stored = from->view.kind == PERP_VIEW_DENSE || from->view.kind == PERP_VIEW_CSC;
  if (!stored || from->view.R != NULL || from->view.C != NULL ||
      from->view.shift != 0.0) {
    from->view = (perp_view){.kind = PERP_VIEW_NONE};
    if (!entries_chain(A, &from->chain)) return 0;
  }
  return wide(from, A->n);
}

// Continues from the given R and C. Returns 0 if the deadline passes.
static int ruiz(const perp_operator *A, double *R, double *C, double *work,
                const perp_deadline *deadline) {
  const int32_t n = A->n;
  double *row = work, *col = work + n;   // n each
  for (int sweep = 0; sweep < PASSES_MAX; sweep++) {
    if (deadline_passed(deadline)) return 0;
    A->ops->row_col_max(A->self, R, C, row, col);
    double least = 1.0, most = 1.0;
    for (int32_t i = 0; i < n; i++) {
      most = max2(most, max2(row[i], col[i]));
      least = min2(least, min2(row[i] > 0.0 ? row[i] : 1.0, col[i] > 0.0 ? col[i] : 1.0));
    }
    if (most <= MAXIMA_RATIO_MAX && least*MAXIMA_RATIO_MAX >= 1.0) break;
    for (int32_t i = 0; i < n; i++) {
      const double r = clamp(R[i]/sqrt(row[i]), 0x1p-500, 0x1p500),
                   c = clamp(C[i]/sqrt(col[i]), 0x1p-500, 0x1p500);
      R[i] = row[i] > 0.0 ? r : R[i];
      C[i] = col[i] > 0.0 ? c : C[i];
    }
  }
  for (int32_t i = 0; i < n; i++) {
    R[i] = power_of_two(R[i]);
    C[i] = power_of_two(C[i]);
  }
  return 1;
}

// Scales a semidefinite A without sweeps. |A_ij| <= sqrt(A_ii A_jj), so with r_i = c_i =
// 1/sqrt(A_ii) all maxima are 1, on the diagonal. No other symmetric scaling has that property:
// where row i has its maximum 1 in column j, 1 = r_i |A_ij| r_j <= sqrt(d_i d_j) with d_i = r_i^2
// A_ii <= 1, hence d_i = 1. Sweeps that end at maxima within MAXIMA_RATIO_MAX of 1 end
// within a factor of MAXIMA_RATIO_MAX^1.5 of this scaling, from r = c = 1 or from a fit.
// R_k (J W J' + shift) C_k works the same way, because the scales divide out. A negative shift
// does not, nor does R_k != C_k below a shift.
// For the contact LCP E13 (27) this holds for B, and contact_scales() finds the remaining scales.
// Returns 2 for a product, 3 for contacts, 0 if A is not known to be semidefinite.
static int scale_semidefinite(const perp_operator *A, double *R, double *C, double *work) {
  const int32_t n = A->n;
  entry_chain chain;
  const int contact = entries_contact_chain(A, &chain);
  if (A->ops->diagonal == NULL || (!contact && !entries_product_chain(A, &chain))) return 0;
  A->ops->diagonal(A->self, work);
  for (int32_t i = 0; i < n; i++) {
    const entry_cursor at = entries_begin(&chain, i);
    double left = 1.0, right = 1.0;   // A = left M right
    for (int32_t k = chain.depth - 1; k >= 0; k--) {
      const perp_wrapper *w = chain.wrapper[k];
      if (chain.kind[k] == WRAP_SCALED) {
        left *= w->R[at.column[k]];
        right *= w->C[at.column[k]];
      } else if (chain.kind[k] == WRAP_SHIFTED && w->shift != 0.0) {
        if (!(w->shift > 0.0 && left == right)) return 0;
      }
    }
    const double unit = sqrt(work[i]/left/right);   // sqrt(M_ii)
    const double r = 1.0/(left*unit), c = 1.0/(right*unit);
    if (!(r > 0.0 && r < (double)INFINITY && c > 0.0 && c < (double)INFINITY)) {
      if (work[i] != 0.0) return 0;
      continue;
    }
    R[i] = r;
    C[i] = c;
  }
  if (contact) contact_scales(&chain, work, R, C);
  for (int32_t i = 0; i < n; i++) {
    R[i] = power_of_two(clamp(R[i], 0x1p-1000, 0x1p1000));
    C[i] = power_of_two(clamp(C[i], 0x1p-1000, 0x1p1000));
  }
  return contact ? 3 : 2;
}

// The same for a symmetric matrix given by its entries, if no |A_ij| exceeds sqrt(A_ii A_jj).
// Entries of semidefinite matrices satisfy that up to the rounding of sums. Sweeps from r = c = 1
// and from a fit would both end near this scaling. work: 3 n. Returns 0 if an entry is too large;
// R and C are then unusable.
static int scale_by_diagonal(const perp_operator *A, double *R, double *C, double *work) {
  const double rounding = 0x1p-40;
  const int32_t n = A->n;
  double *row = work, *col = row + n, *diagonal = col + n;   // n each
  A->ops->diagonal(A->self, diagonal);
  for (int32_t i = 0; i < n; i++)
    R[i] = C[i] = diagonal[i] > 0.0 ? 1.0/sqrt(diagonal[i]) : 1.0;
  A->ops->row_col_max(A->self, R, C, row, col);
  for (int32_t i = 0; i < n; i++)   // an empty row is fine; a negative diagonal entry is not
    if (!(diagonal[i] > 0.0 ? row[i] <= 1.0 + rounding : row[i] == 0.0)) return 0;
  for (int32_t i = 0; i < n; i++) {
    const double d = diagonal[i];
    R[i] = C[i] = d > 0.0 ? power_of_two_within(root_exponent(d), SCALE_EXPONENT_MAX) : 1.0;
  }
  return 1;
}

int equilibrate_both(const perp_operator *A, int symmetric, double *R, double *C, double *given_R,
                     double *given_C, int *two, double *work, const perp_deadline *deadline) {
  const int32_t n = A->n;
  for (int32_t i = 0; i < n; i++) R[i] = C[i] = 1.0;
  *two = 0;
  if (A->ops->row_col_max == NULL) {
    if (A->ops->diagonal == NULL) return 0;
    const int known = scale_semidefinite(A, R, C, work);
    if (known) return known;
    for (int32_t i = 0; i < n; i++) R[i] = C[i] = 1.0;
    A->ops->diagonal(A->self, work);
    for (int32_t i = 0; i < n; i++) {
      const double d = fabs(work[i]);
      if (d > 0.0 && d < (double)INFINITY) R[i] = C[i] = power_of_two(1.0/sqrt(d));
    }
    return 0;
  }
  if (symmetric && A->ops->diagonal != NULL) {
    if (deadline_passed(deadline)) return -1;
    if (scale_by_diagonal(A, R, C, work)) return 1;
    for (int32_t i = 0; i < n; i++) R[i] = C[i] = 1.0;
  }
  if (!ruiz(A, R, C, work, deadline)) return -1;
  matrix from = {.symmetric = symmetric};
  if (!fitted(A, &from)) return 1;
  *two = 1;
  for (int32_t i = 0; given_R != NULL && i < n; i++) {
    given_R[i] = R[i];
    given_C[i] = C[i];
  }
  return fit(&from, n, R, C, work, deadline) && ruiz(A, R, C, work, deadline) ? 1 : -1;
}

int equilibrate(const perp_operator *A, double *R, double *C, double *work) {
  int two;
  return equilibrate_both(A, 0, R, C, NULL, NULL, &two, work, NULL);
}
