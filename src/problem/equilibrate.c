// equilibrate.c: two-sided scaling in the max norm (Ruiz 2001) from a start that does not depend on how A is scaled.
//
//   r_i <- r_i / sqrt(max_j r_i |A_ij| c_j),   c_j <- c_j / sqrt(max_i r_i |A_ij| c_j)
//
// Scalings with all maxima 1 are far from unique: for [1 e; e 1] any r = (s, 1), c = (1/s, 1) with e <= s <= 1/e will do.
// Begun at r = c = 1, the iteration would carry the scaling that the caller happened to choose into the certificate.
// So where the entries differ widely it begins at the least-squares fit of the logarithms (Curtis, Reid 1972),
//
//   min over r, c of the sum over A_ij != 0 of (log |A_ij| + log r_i + log c_j)^2,
//
// which changes with D1 A D2 exactly as it should. Results are powers of two: scaling adds no rounding.
#include <math.h>

#include "problem.h"
#include "vector.h"

enum {
  RUIZ_SWEEPS = 24,   // each halves the logarithms: enough for the whole range of doubles
  FIT_SWEEPS = 60,    // alternating averages of rows and columns
  NARROW = 8,         // entries within 2^8 of each other need no fit
  LARGEST = 500       // exponents are kept within what can be squared
};

static double power_of_two(double v) {   // nearest in the logarithm
  int e;
  const double m = frexp(v, &e);                           // v = m 2^e, 1/2 <= m < 1
  e -= m < 0.70710678118654752;
  return ldexp(1.0, e < -LARGEST ? -LARGEST : e > LARGEST ? LARGEST : e);
}

static double rough_log2(double v) {   // within 0.09, and 0.0 in the mean
  int e;
  const double m = frexp(fabs(v), &e);
  return e + 2.0*m - 1.9427;
}

// Row or column means of log |A_ij| + other, over the nonzeros: mean_i for i = row (by_row) or column. count: n.
static void log_means(const perp_view *view, int32_t n, int by_row, const double *other, double *mean, double *count) {
  for (int32_t i = 0; i < n; i++) mean[i] = count[i] = 0.0;
  if (view->kind == PERP_VIEW_CSC) {
    const perp_csc *A = view->data;
    for (int32_t j = 0; j < n; j++)
      for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
        if (A->value[p] == 0.0) continue;
        const int32_t to = by_row ? A->row[p] : j;
        mean[to] += rough_log2(A->value[p]) + other[by_row ? j : A->row[p]];
        count[to] += 1.0;
      }
  } else {
    const perp_dense *A = view->data;
    const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n);
    for (int32_t k = 0; k < n; k++)
      for (int32_t l = 0; l < n; l++) {
        const double v = A->value[(size_t)k*ld + (size_t)l];
        if (v == 0.0) continue;
        const int32_t i = A->by_column ? l : k, j = A->by_column ? k : l, to = by_row ? i : j;
        mean[to] += rough_log2(v) + other[by_row ? j : i];
        count[to] += 1.0;
      }
  }
  for (int32_t i = 0; i < n; i++)
    if (count[i] > 0.0) mean[i] /= count[i];
}

static int wide(const perp_view *view, int32_t n) {   // do the entries span more than 2^NARROW?
  double least = (double)INFINITY, most = 0.0;
  if (view->kind == PERP_VIEW_CSC) {
    const perp_csc *A = view->data;
    for (int32_t p = A->colptr[0]; n > 0 && p < A->colptr[n]; p++) {
      const double v = fabs(A->value[p]);
      most = max2(most, v);
      if (v > 0.0) least = min2(least, v);
    }
  } else {
    const perp_dense *A = view->data;
    const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n);
    for (int32_t k = 0; k < n; k++)
      for (int32_t l = 0; l < n; l++) {
        const double v = fabs(A->value[(size_t)k*ld + (size_t)l]);
        most = max2(most, v);
        if (v > 0.0) least = min2(least, v);
      }
  }
  return most > ldexp(least, NARROW);
}

// The fit, by minimising over r and c in turn, in logarithms to the base 2.
static void fit(const perp_view *view, int32_t n, double *R, double *C, double *work) {
  double *mean = work, *count = work + n;
  for (int32_t i = 0; i < n; i++) R[i] = C[i] = 0.0;
  for (int sweep = 0; sweep < FIT_SWEEPS; sweep++) {
    double change = 0.0;
    log_means(view, n, 1, C, mean, count);
    for (int32_t i = 0; i < n; i++) {
      change = max2(change, fabs(R[i] + mean[i]));
      R[i] = -mean[i];
    }
    log_means(view, n, 0, R, mean, count);
    for (int32_t j = 0; j < n; j++) C[j] = -mean[j];
    if (change < 0.05) break;
  }
  for (int32_t i = 0; i < n; i++) {
    R[i] = exp2(clamp(R[i], -LARGEST, LARGEST));
    C[i] = exp2(clamp(C[i], -LARGEST, LARGEST));
  }
}

int equilibrate(const perp_operator *A, double *R, double *C, double *work) {
  const int32_t n = A->n;
  for (int32_t i = 0; i < n; i++) R[i] = C[i] = 1.0;
  if (A->ops->row_col_max == NULL) {
    if (A->ops->diagonal == NULL) return 0;
    A->ops->diagonal(A->self, work);
    for (int32_t i = 0; i < n; i++) {
      const double d = fabs(work[i]);
      if (d > 0.0 && d < (double)INFINITY) R[i] = C[i] = power_of_two(1.0/sqrt(d));
    }
    return 0;
  }
  const perp_view view = operator_view(A);
  const int entries_known = view.kind == PERP_VIEW_CSC || view.kind == PERP_VIEW_DENSE;
  if (entries_known && view.R == NULL && view.C == NULL && view.shift == 0.0 && wide(&view, n)) fit(&view, n, R, C, work);
  double *row = work, *col = work + n;   // n each
  for (int sweep = 0; sweep < RUIZ_SWEEPS; sweep++) {
    A->ops->row_col_max(A->self, R, C, row, col);
    double deviation = 1.0;              // worst factor between a maximum and 1
    for (int32_t i = 0; i < n; i++) {
      if (row[i] > 0.0) deviation = max2(deviation, max2(row[i], 1.0/row[i]));
      if (col[i] > 0.0) deviation = max2(deviation, max2(col[i], 1.0/col[i]));
    }
    if (deviation <= 1.25) break;
    for (int32_t i = 0; i < n; i++) {
      if (row[i] > 0.0) R[i] = clamp(R[i]/sqrt(row[i]), 0x1p-500, 0x1p500);
      if (col[i] > 0.0) C[i] = clamp(C[i]/sqrt(col[i]), 0x1p-500, 0x1p500);
    }
  }
  for (int32_t i = 0; i < n; i++) {
    R[i] = power_of_two(R[i]);
    C[i] = power_of_two(C[i]);
  }
  return 1;
}
