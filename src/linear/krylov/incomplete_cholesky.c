// incomplete_cholesky.c: factors A ~ L L' with the pattern of A, IC(0), and its modified variant.
//
//   L_kk = sqrt(A_kk),  L_ik = A_ik / L_kk,  A_ij -= L_ik L_jk  where (i,j) is stored
//
// Meijerink, van der Vorst 1977. It exists for every H-matrix with a positive diagonal. The
// modified variant (Gustafsson 1978) subtracts an update outside the pattern from the diagonals of
// its row and its column. That keeps row sums and lowers the condition of a grid's matrix from
// O(1/h^2) to O(1/h). It subtracts only 0.97 of it, because the whole would leave pivots near zero.
// Right-looking by columns.
// Cost: for each pair of entries in a column of L, the length of the column they update.
#include <math.h>

#include "dense_kernels.h"
#include "preconditioner.h"

#define PIVOT_MIN 1e-10      // relative to the diagonal; a smaller pivot is rounding
#define OUTSIDE_SHARE 0.97   // share of the updates outside the pattern; see above

// Copies the lower triangle of A + shift diag(A), the diagonal first in each column. P->work
// receives the smallest pivot allowed in each column.
static int copy_lower(preconditioner *P, const perp_csc *A, double shift) {
  int64_t count = 0;
  for (int32_t j = 0; j < P->n; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) count += A->row[p] >= j;
  if (preconditioner_reserve(P, count) != 0) return -2;
  int32_t q = 0;
  for (int32_t j = 0; j < P->n; j++) {
    P->colptr[j] = q;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      if (A->row[p] < j) continue;
      P->row[q] = A->row[p];
      P->value[q++] = A->row[p] == j ? (1.0 + shift)*A->value[p] : A->value[p];
    }
    P->work[j] = PIVOT_MIN*P->value[P->colptr[j]];
  }
  P->colptr[P->n] = q;
  return 0;
}

// Column j -= L_jk times entries p .. end-1 of column k. Entry p is L_jk itself.
static void update_column(preconditioner *P, int32_t j, int32_t p, int32_t end, int modified) {
  const double factor = P->value[p];
  int32_t q = P->colptr[j];
  const int32_t last = P->colptr[j + 1];
  for (; p < end; p++) {
    const int32_t i = P->row[p];
    while (q < last && P->row[q] < i) q++;
    const double change = factor*P->value[p];
    if (q < last && P->row[q] == i) {
      P->value[q] -= change;
    } else if (modified) {
      P->value[P->colptr[i]] -= OUTSIDE_SHARE*change;
      P->value[P->colptr[j]] -= OUTSIDE_SHARE*change;
    }
  }
}

int incomplete_cholesky(preconditioner *P, const perp_csc *A, int modified, double shift,
                        const perp_deadline *deadline) {
  if (copy_lower(P, A, shift) != 0) return -2;
  int64_t since = (int64_t)DEADLINE_POLL_FLOPS;
  for (int32_t k = 0; k < P->n; k++) {
    if (since >= (int64_t)DEADLINE_POLL_FLOPS) {
      if (deadline_passed(deadline)) return -1;
      since = 0;
    }
    const int32_t begin = P->colptr[k], end = P->colptr[k + 1];
    since += (int64_t)(end - begin)*(end - begin);
    const double pivot = P->value[begin];
    if (!(pivot > P->work[k]) || !(pivot < (double)INFINITY)) return 1;
    const double root = sqrt(pivot);
    P->value[begin] = root;
    for (int32_t p = begin + 1; p < end; p++) P->value[p] /= root;
    for (int32_t p = begin + 1; p < end; p++) update_column(P, P->row[p], p, end, modified);
  }
  return 0;
}

void incomplete_cholesky_solve(const preconditioner *P, const double *in, double *out) {
  for (int32_t i = 0; i < P->n; i++) out[i] = in[i];
  for (int32_t j = 0; j < P->n; j++) {   // L out = in
    const double v = out[j] /= P->value[P->colptr[j]];
    for (int32_t p = P->colptr[j] + 1; p < P->colptr[j + 1]; p++)
      out[P->row[p]] -= P->value[p]*v;
  }
  for (int32_t j = P->n - 1; j >= 0; j--) {   // L' out = out
    double sum = out[j];
    for (int32_t p = P->colptr[j] + 1; p < P->colptr[j + 1]; p++)
      sum -= P->value[p]*out[P->row[p]];
    out[j] = sum/P->value[P->colptr[j]];
  }
}
