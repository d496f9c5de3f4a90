// symmetry.c: the asymmetry of dense and sparse matrices. Cost: a pass over the entries.
#include "symmetry.h"

#include "operator.h"

// 0: the pair is equal, or no diagonal makes its asymmetry exceed the worst one so far.
static inline int exceeds(const asymmetry *worst, double a, double b) {
  return a != b && fabs(a - b) > worst->most*max2(fabs(a), fabs(b));
}

// Keeps the larger one. Returns 1 if it exceeds `enough`.
static int keep_larger(asymmetry *worst, double found, int32_t i, int32_t j, double enough) {
  if (found > worst->most) *worst = (asymmetry){found, i < j ? i : j, i < j ? j : i};
  return worst->most > enough;
}

asymmetry csc_asymmetry(const perp_csc *A, double enough, int32_t *next) {
  asymmetry worst = {0.0, -1, -1};
  for (int32_t j = 0; j < A->columns; j++) next[j] = A->colptr[j];
  for (int32_t j = 0; j < A->columns; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p], end = A->colptr[i + 1];
      int32_t q = next[i];
      while (q < end && A->row[q] < j) q++;
      next[i] = q;
      const double a = A->value[p], b = q < end && A->row[q] == j ? A->value[q] : 0.0;
      if (exceeds(&worst, a, b) &&
          keep_larger(&worst, asymmetry_of(a, b, csc_entry(A, i, i), csc_entry(A, j, j)), i, j,
                      enough))
        return worst;
    }
  return worst;
}

asymmetry dense_asymmetry(const perp_dense *A, double enough) {
  const size_t ld = (size_t)(A->ld != 0 ? A->ld : A->n);
  asymmetry worst = {0.0, -1, -1};
  for (int32_t i = 0; i < A->n; i++)
    for (int32_t j = 0; j < i; j++) {
      const double a = A->value[(size_t)i*ld + (size_t)j], b = A->value[(size_t)j*ld + (size_t)i];
      if (exceeds(&worst, a, b) &&
          keep_larger(&worst, asymmetry_of(a, b, A->value[(size_t)i*(ld + 1)],
                                           A->value[(size_t)j*(ld + 1)]), i, j, enough))
        return worst;
    }
  return worst;
}

// In the order of columns, entry (i, j) must meet the next entry of column i, which must be (j, i).
int csc_is_symmetric(const perp_csc *A, int32_t *next) {
  for (int32_t j = 0; j < A->columns; j++) next[j] = A->colptr[j];
  for (int32_t j = 0; j < A->columns; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p], q = next[i]++;
      if (q >= A->colptr[i + 1] || A->row[q] != j || A->value[p] != A->value[q]) return 0;
    }
  return 1;
}
