// ilu.c: factors A ~ L U with the pattern of A, ILU(0); L has a unit diagonal.
//
//   u_kj = A_kj for k <= j,  A_ij -= L_ik u_kj  where (i,j) is stored,  L_ij = A_ij / u_jj
//
// Meijerink, van der Vorst 1977. It exists for M-matrices; for others a pivot may vanish. A pivot
// below PIVOT_MIN times the largest entry of its column is replaced by that bound and counted. The
// factors are then those of a nearby matrix, which is good enough for a preconditioner.
// Left-looking by columns. Cost: for each entry u_kj, the length of column k of L.
#include <math.h>

#include "dense_kernels.h"
#include "preconditioner.h"
#include "vector.h"

#define PIVOT_MIN 1e-3   // smallest pivot, relative to the largest entry of its column
#define ENTRY_MAX 1e12   // largest entry of L; above it the factor is useless

static int copy_all(preconditioner *P, const perp_csc *A) {
  const int32_t count = A->colptr[P->n];
  if (preconditioner_reserve(P, count) != 0) return -2;
  for (int32_t p = 0; p < count; p++) {
    P->row[p] = A->row[p];
    P->value[p] = A->value[p];
  }
  for (int32_t j = 0; j <= P->n; j++) P->colptr[j] = A->colptr[j];
  return 0;
}

// Subtracts the columns before j from column j. where (n): work, -1 before and after; it holds the
// place of row i in column j. Returns the number of entries read.
static int64_t eliminate(preconditioner *P, int32_t j, int32_t *where) {
  for (int32_t p = P->colptr[j]; p < P->colptr[j + 1]; p++) where[P->row[p]] = p;
  int64_t read = P->colptr[j + 1] - P->colptr[j];
  int32_t p = P->colptr[j];
  for (; P->row[p] < j; p++) {
    const int32_t k = P->row[p];
    read += P->colptr[k + 1] - P->diagonal[k];
    const double u = P->value[p];
    for (int32_t q = P->diagonal[k] + 1; q < P->colptr[k + 1]; q++)
      if (where[P->row[q]] >= 0) P->value[where[P->row[q]]] -= P->value[q]*u;
  }
  P->diagonal[j] = p;
  for (p = P->colptr[j]; p < P->colptr[j + 1]; p++) where[P->row[p]] = -1;
  return read;
}

int incomplete_lu(preconditioner *P, const perp_csc *A, const perp_deadline *deadline) {
  if (copy_all(P, A) != 0) return -2;
  int32_t *where = P->index;
  for (int32_t i = 0; i < P->n; i++) where[i] = -1;
  int64_t since = (int64_t)DEADLINE_POLL_FLOPS;
  for (int32_t j = 0; j < P->n; j++) {
    if (since >= (int64_t)DEADLINE_POLL_FLOPS) {
      if (deadline_passed(deadline)) return -1;
      since = 0;
    }
    double largest = 0.0;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
      largest = max_or_nan(largest, fabs(A->value[p]));
    since += eliminate(P, j, where);
    double *pivot = &P->value[P->diagonal[j]];
    if (!(fabs(*pivot) >= PIVOT_MIN*largest) || largest == 0.0) {
      *pivot = largest == 0.0 ? 1.0 : copysign(PIVOT_MIN*largest, *pivot < 0.0 ? -1.0 : 1.0);
      P->mended++;
    }
    for (int32_t p = P->diagonal[j] + 1; p < P->colptr[j + 1]; p++) {
      P->value[p] /= *pivot;
      if (!(fabs(P->value[p]) < ENTRY_MAX)) return 1;
    }
  }
  return 0;
}

void incomplete_lu_solve(const preconditioner *P, const double *in, double *out) {
  for (int32_t i = 0; i < P->n; i++) out[i] = in[i];
  for (int32_t j = 0; j < P->n; j++)
    for (int32_t p = P->diagonal[j] + 1; p < P->colptr[j + 1]; p++)
      out[P->row[p]] -= P->value[p]*out[j];
  for (int32_t j = P->n - 1; j >= 0; j--) {
    const double v = out[j] /= P->value[P->diagonal[j]];
    for (int32_t p = P->colptr[j]; p < P->diagonal[j]; p++) out[P->row[p]] -= P->value[p]*v;
  }
}
