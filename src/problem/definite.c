// definite.c: proves that a matrix is, or is not, H+ or positive (semi)definite.
#include <math.h>
#include <string.h>

#include "classify.h"
#include "vector.h"

enum { SWEEPS_MAX = 20 };              // scaling sweeps before elimination decides H+; with 1, or
                                       //   without a limit, 1.8 times the work
#define RATIO_PROOF_MAX (1.0 - 1e-12)  // a ratio below this is below 1 in spite of rounding
static const double unit = 0x1p-53;    // rounding error of one operation, relative

size_t classify_dense_doubles(int32_t n) {
  return n <= CLASSIFY_ROWS_MAX ? (size_t)n*(size_t)n : 0;
}

// Returns the sum over j != i of |A_ij| v_j, and the number of terms.
static double others(const matrix *A, int32_t i, const double *v, int32_t *terms) {
  double sum = 0.0;
  *terms = A->rowptr[i + 1] - A->rowptr[i];
  for (int32_t p = A->rowptr[i]; p < A->rowptr[i + 1]; p++)
    if (A->column[p] != i) sum += fabs(A->by_row[p])*v[A->column[p]];
  return sum;
}

// s + a without error (TwoSum): *s becomes the rounded sum; returns its rounding error.
static inline double add_exactly(double *s, double a) {
  const double t = *s + a, z = t - *s, rest = (*s - (t - z)) + (a - z);
  *s = t;
  return rest;
}

enum sign { NEGATIVE = -1, ZERO, POSITIVE, HIDDEN };
// The proven sign of (<A> v)_i = A_ii v_i - sum over j != i of |A_ij| v_j: -1, 0 or 1. HIDDEN:
// rounding hides the sign even in twice the precision.
static int margin(const matrix *A, int32_t i, const double *v) {
  double high = 0.0, low = 0.0, lost = 0.0;   // the value is high + low, +- 2 lost
  for (int32_t p = A->rowptr[i]; p < A->rowptr[i + 1]; p++) {
    const int32_t j = A->column[p];
    const double a = j == i ? A->by_row[p] : -fabs(A->by_row[p]);
    if (v[j] == 0.0) continue;
    const double term = a*v[j];
    if (fabs(term) < 0x1p-900) lost += 0x1p-1070;   // its error may underflow
    lost += fabs(add_exactly(&low, fma(a, v[j], -term)));
    lost += fabs(add_exactly(&low, add_exactly(&high, term)));
  }
  const double total = high + low;
  if (lost == 0.0 && total == 0.0) return 0;
  return total > 2.0*lost ? 1 : total < -2.0*lost ? -1 : HIDDEN;
}

// Dominance of the rows scaled by v. Returns -1 if some row is certainly not dominant. Otherwise
// returns the number of rows that are not linked to a strictly dominant row. A weakly dominant row
// counts like a strict one if a chain of entries leads from it to a strict one. A row that is
// dominant only up to rounding does not count.
static int32_t unchained(const matrix *A, const double *v, uint8_t *reached) {
  int32_t head = 0, tail = 0;
  for (int32_t i = 0; i < A->n; i++) {
    const int sign = margin(A, i, v);
    reached[i] = sign == 1;
    if (sign != 0 && sign != 1) return -1;
    if (reached[i]) A->queue[tail++] = i;
  }
  while (head < tail) {
    const int32_t j = A->queue[head++];
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p];
      if (reached[i]) continue;
      reached[i] = 1;
      A->queue[tail++] = i;
    }
  }
  return A->n - tail;
}

// Elimination without pivoting in <A> - delta D. All pivots are positive exactly if the spectral
// radius allows it. Then v = (<A> - delta D)^-1 e > 0 and <A> v >= delta D v: returns 1.
// A negative pivot gives a v >= 0 with <A> v <= delta D v where v > 0: returns -1.
// Returns 0 if undecided. The caller checks v.
static int compare_by_elimination(const matrix *A, double delta, double *D, double *v) {
  const int32_t n = A->n;
  const size_t ld = (size_t)n;
  memset(D, 0, ld*ld*sizeof *D);
  for (int32_t i = 0; i < n; i++) {
    v[i] = 1.0;
    for (int32_t p = A->rowptr[i]; p < A->rowptr[i + 1]; p++)
      D[(size_t)i*ld + (size_t)A->column[p]] = A->column[p] == i ? (1.0 - delta)*A->by_row[p]
          : -fabs(A->by_row[p]);
  }
  for (int32_t k = 0; k < n; k++) {
    const double *top = D + (size_t)k*ld, rounding = 4.0*(n + 1)*unit*A->diagonal[k];
    if (!(top[k] > rounding)) {
      for (int32_t i = n - 1; i >= k; i--) v[i] = i == k;
      for (int32_t i = k - 1; i >= 0; i--) {
        const double *row = D + (size_t)i*ld;
        v[i] = 0.0;
        for (int32_t j = i + 1; j <= k; j++) v[i] -= row[j]*v[j];
        v[i] /= row[i];
      }
      return top[k] < -rounding ? -1 : 0;
    }
    for (int32_t i = k + 1; i < n; i++) {
      double *row = D + (size_t)i*ld;
      if (row[k] == 0.0) continue;
      // l <= 0: all entries off the diagonal stay <= 0, so only diagonal entries cancel.
      const double l = row[k]/top[k];
      for (int32_t j = k + 1; j < n; j++) row[j] -= l*top[j];
      v[i] -= l*v[k];
    }
  }
  for (int32_t i = n - 1; i >= 0; i--) {
    const double *row = D + (size_t)i*ld;
    for (int32_t j = i + 1; j < n; j++) v[i] -= row[j]*v[j];
    v[i] /= row[i];
  }
  return 1;
}

void classify_h(const matrix *A, double *dense, finding *h) {
  const int32_t n = A->n;
  double *v = A->v, *w = A->w;
  uint8_t *reached = (uint8_t *)w;   // n bytes
  for (int32_t i = 0; i < n; i++) {
    if (!(A->diagonal[i] > 0.0)) {
      finding_set(h, PERP_NO, "A[%d][%d] = %.4g is not positive", i, i, A->diagonal[i]);
      return;
    }
    v[i] = 1.0;
  }
  matrix transposed = *A;
  transposed.colptr = A->rowptr, transposed.row = A->column, transposed.value = A->by_row;
  transposed.rowptr = A->colptr, transposed.column = A->row, transposed.by_row = A->value;
  const int by_rows = unchained(A, v, reached) == 0;
  if (by_rows || unchained(&transposed, v, reached) == 0) {
    finding_set(h, PERP_YES, "%s diagonally dominant, each linked to a strictly dominant one",
                by_rows ? "rows" : "columns");
    return;
  }
  // v <- (v + D^-1 |offdiagonal| v)/2. The ratios (D^-1 |offdiagonal| v)_i / v_i enclose the
  // spectral radius, which is below 1 exactly for H+ (Collatz, Wielandt). The lower end holds for
  // every component separately.
  double upper_end = 0.0, lower_end = 0.0;
  int32_t terms, at = 0;
  for (int32_t sweep = 0;; sweep++) {
    double *low = A->low;   // the lower end of component c is at c
    upper_end = lower_end = 0.0;
    for (int32_t c = 0; c < A->components; c++) low[c] = (double)INFINITY;
    for (int32_t i = 0; i < n; i++) {
      w[i] = others(A, i, v, &terms)/A->diagonal[i];
      upper_end = max2(upper_end, w[i]/v[i]*(1.0 + (terms + 4)*unit));
      low[A->component[i]] = min2(low[A->component[i]], w[i]/v[i]);
    }
    for (int32_t i = 0; i < n; i++) {   // a lower end of 1 must be proven in every row
      double *end = &low[A->component[i]];
      if (*end >= 1.0 && margin(A, i, v) > 0) *end = RATIO_PROOF_MAX;
    }
    for (int32_t c = 0; c < A->components; c++)
      if (low[c] > lower_end) {
        lower_end = low[c];
        at = c;
      }
    if (upper_end < RATIO_PROOF_MAX || lower_end >= 1.0 || sweep == SWEEPS_MAX) break;
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) {
      v[i] = 0.5*(v[i] + w[i]);
      largest = max2(largest, v[i]);
    }
    for (int32_t i = 0; i < n; i++) v[i] = max2(v[i]/largest, 1e-200);
  }
  if (upper_end < RATIO_PROOF_MAX) {
    finding_set(h, PERP_YES, "a positive v with <A> v > 0 was found; spectral radius <= %.6g",
                upper_end);
    return;
  }
  if (lower_end >= 1.0) {
    finding_set(h, PERP_NO, "<A> v <= 0 for a v > 0 on component %d: spectral radius >= %.6g", at,
                lower_end);
    return;
  }
  if (unchained(A, v, reached) == 0) {
    finding_set(h, PERP_YES, "dominant after %d scaling sweeps, each row linked to a strict one",
                SWEEPS_MAX);
    return;
  }
  if (dense != NULL) {
    int yes = compare_by_elimination(A, 1.0 - RATIO_PROOF_MAX, dense, v) == 1;
    for (int32_t i = 0; yes && i < n; i++) yes = v[i] > 0.0 && margin(A, i, v) == 1;
    int no = !yes && compare_by_elimination(A, RATIO_PROOF_MAX - 1.0, dense, v) == -1;
    for (int32_t i = 0; no && i < n; i++) no = v[i] == 0.0 || (v[i] > 0.0 && margin(A, i, v) <= 0);
    if (yes)
      finding_set(h, PERP_YES,
                  "v > 0 with <A> v > 0 found by elimination in the comparison matrix <A>");
    else if (no)
      finding_set(h, PERP_NO, "elimination in the comparison matrix meets a negative pivot");
    else finding_set(h, PERP_UNKNOWN, "the comparison matrix is singular to rounding");
    return;
  }
  finding_set(h, PERP_UNKNOWN, "spectral radius of the comparison splitting between %.4g and %.4g",
              lower_end, upper_end);
}

// Four independent sums are faster than one.
static double dot4(int32_t n, const double *a, const double *b) {
  double s[4] = {0.0, 0.0, 0.0, 0.0};
  int32_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int32_t k = 0; k < 4; k++) s[k] += a[i + k]*b[i + k];
  for (; i < n; i++) s[0] += a[i]*b[i];
  return (s[0] + s[1]) + (s[2] + s[3]);
}

// Cholesky of the lower triangle of S + shift I. Returns -1, or the row with the first pivot <= 0.
// In that case *quotient = x'Ax / x'x < 0 with x = V z and z = (-L^-T l, 1) from the factor so far.
static int32_t cholesky(int32_t n, double *S, double shift, const double *V, double *z,
                        double *quotient) {
  for (int32_t i = 0; i < n; i++) {
    double *row = S + (size_t)i*(size_t)n;
    for (int32_t j = 0; j < i; j++) {
      const double *top = S + (size_t)j*(size_t)n;
      row[j] = (row[j] - dot4(j, row, top))/top[j];
    }
    const double pivot = row[i] + shift - dot4(i, row, row);
    if (!(pivot > 0.0)) {
      double length = 1.0, size = V[i]*V[i];
      for (int32_t j = 0; j < i; j++) z[j] = -row[j];
      for (int32_t j = i - 1; j >= 0; j--) {
        const double *top = S + (size_t)j*(size_t)n;
        z[j] /= top[j];
        for (int32_t k = 0; k < j; k++) z[k] -= top[k]*z[j];
        length += z[j]*z[j];
        size += V[j]*z[j]*V[j]*z[j];
      }
      *quotient = (pivot - shift*length)/size;                 // z'Sz = pivot - shift z'z
      return i;
    }
    row[i] = sqrt(pivot);
  }
  return -1;
}

// The lower triangle of V (A + A')/2 V, where V brings the diagonal near 1. A congruence keeps
// definiteness.
static void symmetric_part(const matrix *A, double *S) {
  const int32_t n = A->n;
  memset(S, 0, (size_t)n*(size_t)n*sizeof *S);
  for (int32_t i = 0; i < n; i++) {
    int exponent = 0;
    frexp(A->diagonal[i], &exponent);
    A->v[i] = A->diagonal[i] > 0.0 ? ldexp(1.0, -exponent/2) : 1.0;
  }
  for (int32_t j = 0; j < n; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p], low = i > j ? i : j, high = i > j ? j : i;
      S[(size_t)low*(size_t)n + (size_t)high] += (i == j ? 1.0 : 0.5)*A->value[p]*A->v[i]*A->v[j];
    }
}

void classify_definite(const matrix *A, double *dense, finding *psd, finding *pd) {
  const int32_t n = A->n;
  for (int32_t i = 0; i < n; i++)
    if (A->diagonal[i] < 0.0) {
      finding_set(psd, PERP_NO, "A[%d][%d] = %.4g < 0", i, i, A->diagonal[i]);
      *pd = *psd;
      return;
    }
  int32_t zero = -1;
  for (int32_t i = 0; i < n; i++) {
    if (A->diagonal[i] != 0.0) continue;
    if (zero < 0) zero = i;
    // e_i'Ae_i = 0, so x'Ax takes both signs near e_i unless row i + column i vanish. Merge the two
    // sorted lists to check.
    int32_t p = A->colptr[i], q = A->rowptr[i];
    while (p < A->colptr[i + 1] || q < A->rowptr[i + 1]) {
      const int32_t a = p < A->colptr[i + 1] ? A->row[p] : n,
          b = q < A->rowptr[i + 1] ? A->column[q] : n, j = a < b ? a : b;
      const double sum = (a == j ? A->value[p] : 0.0) + (b == j ? A->by_row[q] : 0.0);
      if (sum != 0.0 && psd->verdict != PERP_NO)
        finding_set(psd, PERP_NO, "A[%d][%d] = 0 but A[%d][%d] + A[%d][%d] = %.4g", i, i, i, j, j,
                    i, sum);
      p += a == j;
      q += b == j;
    }
  }
  if (zero >= 0) finding_set(pd, PERP_NO, "A[%d][%d] = 0", zero, zero);
  if (psd->verdict != PERP_UNKNOWN && pd->verdict != PERP_UNKNOWN) return;
  if (dense == NULL) {
    if (psd->verdict == PERP_UNKNOWN)
      finding_set(psd, PERP_UNKNOWN, "n = %d exceeds %d: no factorisation attempted", n,
                  CLASSIFY_ROWS_MAX);
    if (pd->verdict == PERP_UNKNOWN)
      finding_set(pd, PERP_UNKNOWN, "n = %d exceeds %d: no factorisation attempted", n,
                  CLASSIFY_ROWS_MAX);
    return;
  }
  // If the factorisation of S succeeds, the smallest eigenvalue is above -error. It succeeds for
  // certain if the smallest eigenvalue is above `error`.
  symmetric_part(A, dense);
  double trace = 0.0, quotient;
  for (int32_t i = 0; i < n; i++) trace += dense[(size_t)i*(size_t)n + (size_t)i];
  const double error = 1.1*(n + 2)*unit*trace + 0x1p-1000;
  if (pd->verdict == PERP_UNKNOWN) {
    if (cholesky(n, dense, -2.0*error, A->v, A->w, &quotient) < 0) {
      finding_set(pd, PERP_YES, "Cholesky of the scaled (A + A')/2 - %.2g I succeeded", 2.0*error);
      finding_set(psd, PERP_YES, "positive definite");
      return;
    }
    symmetric_part(A, dense);
  }
  const int32_t at = cholesky(n, dense, 2.0*error, A->v, A->w, &quotient);
  if (at >= 0) {
    if (psd->verdict == PERP_UNKNOWN)
      finding_set(psd, PERP_NO,
          "factorisation of (A + A')/2 fails at row %d: x'Ax = %.3g x'x for some x", at, quotient);
    if (pd->verdict == PERP_UNKNOWN)
      finding_set(pd, PERP_NO,
          "factorisation of (A + A')/2 fails at row %d: x'Ax = %.3g x'x for some x", at, quotient);
    return;
  }
  if (psd->verdict == PERP_UNKNOWN)
    finding_set(psd, PERP_YES, "to rounding: scaled (A + A')/2 + %.2g I has a Cholesky factor",
                2.0*error);
  if (pd->verdict == PERP_UNKNOWN)
    finding_set(pd, PERP_UNKNOWN, "smallest eigenvalue of the scaled (A + A')/2 within %.2g of 0",
                3.0*error);
}
