// equilibrate.c: two-sided scaling in the max norm (Ruiz 2001)
// from a start that does not depend on how A is scaled.
//
//   r_i <- r_i / sqrt(max_j r_i |A_ij| c_j),   c_j <- c_j / sqrt(max_i r_i |A_ij| c_j)
//
// Scalings with all maxima 1 are far from unique: for [1 e; e 1] any r = (s, 1), c = (1/s, 1) with
// e <= s <= 1/e will do. Begun at r = c = 1, the iteration would carry the scaling that the caller
// happened to choose into the certificate. So where the entries differ widely it begins at the
// least-squares fit of the logarithms (Curtis, Reid 1972),
//
//   min over r, c of the sum over A_ij != 0 of (log |A_ij| + log r_i + log c_j)^2,
//
// which changes with D1 A D2 exactly as it should. Results are powers of two:
// scaling adds no rounding.
#include <math.h>
#include <string.h>

#include "problem.h"
#include "vector.h"

enum {
  RUIZ_SWEEPS = 24,   // each halves the logarithms: enough for the whole range of doubles
  FIT_STEPS = 60,     // conjugate gradients for the fit; small n:
  FIT_STEPS_SMALL = 400,
  NARROW = 8,         // entries within 2^8 of each other need no fit
  LARGEST = 500       // exponents are kept within what can be squared
};

#define CLOSE 1.5   // maxima within this factor of 1 will do: powers of two are no finer

// Nearest in the logarithm, within 2^-LARGEST .. 2^LARGEST. By the bits of v, a positive normal
// number: frexp() and ldexp() would take longer than all the rest.
static double power_of_two(double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  int e = (int)(bits >> 52 & 0x7ff) - 1023;
  if ((bits & 0xfffffffffffffu) > 0x6a09e667f3bcdu) e++;   // beyond the square root of 2
  e = e < -LARGEST ? -LARGEST : e > LARGEST ? LARGEST : e;
  bits = (uint64_t)(e + 1023) << 52;
  memcpy(&v, &bits, sizeof v);
  return v;
}

static double rough_log2(double v) {   // within 0.09, and 0.0 in the mean
  int e;
  const double m = frexp(fabs(v), &e);
  return e + 2.0*m - 1.9427;
}

// Row or column means over the nonzeros, of other (of the column or row), plus log |A_ij| with
// logs. mean, count: n.
static void means(const perp_view *view, int32_t n, int by_row, int logs, const double *other,
                  double *mean, double *count) {
  for (int32_t i = 0; i < n; i++) mean[i] = count[i] = 0.0;
  if (view->kind == PERP_VIEW_CSC) {
    const perp_csc *A = view->data;
    for (int32_t j = 0; j < n; j++)
      for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
        if (A->value[p] == 0.0) continue;
        const int32_t to = by_row ? A->row[p] : j;
        mean[to] += (logs ? rough_log2(A->value[p]) : 0.0) + other[by_row ? j : A->row[p]];
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
        mean[to] += (logs ? rough_log2(v) : 0.0) + other[by_row ? j : i];
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

// One step of minimising over r and then over c: *next = the c that follows, with r = -row means.
// count: of the columns.
static void alternate(const perp_view *view, int32_t n, int logs, const double *c, double *r,
                      double *next, double *count) {
  means(view, n, 1, logs, c, r, count);
  for (int32_t i = 0; i < n; i++) r[i] = -r[i];
  means(view, n, 0, logs, r, next, count);
  for (int32_t j = 0; j < n; j++) next[j] = -next[j];
}

// The fit in logarithms to the base 2: conjugate gradients on what minimising over r leaves of c.
// With N the entries of each column and T the linear part of `alternate`, the system is N (I - T) c
// = N alternate(0), preconditioned by N: alternating alone would need n^2 steps for a long chain.
// Begins at the given C, which a good guess makes short.
static void fit(const perp_view *view, int32_t n, double *R, double *C, double *work) {
  double *next = work, *count = work + n, *z = work + 2*n, *p = work + 3*n;   // n each
  for (int32_t i = 0; i < n; i++) C[i] = log2(C[i]);
  alternate(view, n, 1, C, R, z, count);
  double zz = 0.0;
  for (int32_t j = 0; j < n; j++) {
    p[j] = z[j] = count[j] > 0.0 ? z[j] - C[j] : 0.0;
    zz += count[j]*z[j]*z[j];
  }
  for (int step = 0; step < (n < 2000 ? FIT_STEPS_SMALL : FIT_STEPS); step++) {
    double largest = 0.0, pq = 0.0;
    for (int32_t j = 0; j < n; j++) largest = max2(largest, fabs(z[j]));
    if (largest < (n < 2000 ? 0.02 : 0.5)) break;   // each setup of a large problem should be cheap
    alternate(view, n, 0, p, R, next, count);
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
  means(view, n, 1, 1, C, R, count);
  double shift = 0.0, entries = 0.0;                        // r + t, c - t is as good: balance them
  for (int32_t i = 0; i < n; i++) {
    R[i] = -R[i];
    shift += count[i]*(R[i] - C[i]);
    entries += count[i];
  }
  shift = entries > 0.0 ? 0.5*shift/entries : 0.0;
  for (int32_t i = 0; i < n; i++) {
    R[i] = exp2(clamp(R[i] - shift, -LARGEST, LARGEST));
    C[i] = exp2(clamp(C[i] + shift, -LARGEST, LARGEST));
  }
}

static int fitted(const perp_operator *A) {   // is a fit possible, and worth it?
  const perp_view view = operator_view(A);
  const int entries_known = view.kind == PERP_VIEW_CSC || view.kind == PERP_VIEW_DENSE;
  return entries_known && view.R == NULL && view.C == NULL && view.shift == 0.0 &&
         wide(&view, A->n);
}

// from the given R, C on
static void ruiz(const perp_operator *A, double *R, double *C, double *work) {
  const int32_t n = A->n;
  double *row = work, *col = work + n;   // n each
  for (int sweep = 0; sweep < RUIZ_SWEEPS; sweep++) {
    A->ops->row_col_max(A->self, R, C, row, col);
    double least = 1.0, most = 1.0;
    for (int32_t i = 0; i < n; i++) {
      most = max2(most, max2(row[i], col[i]));
      least = min2(least, min2(row[i] > 0.0 ? row[i] : 1.0, col[i] > 0.0 ? col[i] : 1.0));
    }
    if (most <= CLOSE && least*CLOSE >= 1.0) break;
    for (int32_t i = 0; i < n; i++) {
      if (row[i] > 0.0) R[i] = clamp(R[i]/sqrt(row[i]), 0x1p-500, 0x1p500);
      if (col[i] > 0.0) C[i] = clamp(C[i]/sqrt(col[i]), 0x1p-500, 0x1p500);
    }
  }
  for (int32_t i = 0; i < n; i++) {
    R[i] = power_of_two(R[i]);
    C[i] = power_of_two(C[i]);
  }
}

int equilibrate_as_given(const perp_operator *A, double *R, double *C, double *work) {
  if (A->ops->row_col_max == NULL || !fitted(A)) return 0;
  for (int32_t i = 0; i < A->n; i++) R[i] = C[i] = 1.0;
  ruiz(A, R, C, work);
  return 1;
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
  ruiz(A, R, C, work);
  if (fitted(A)) {
    const perp_view view = operator_view(A);
    fit(&view, n, R, C, work);
    ruiz(A, R, C, work);
  }
  return 1;
}
