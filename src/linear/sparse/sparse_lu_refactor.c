// sparse_lu_refactor.c: computes new values of L and U with the pivots of the last factorisation.
//
// The patterns of L and U are known, and each column of U lists its entries in the order of
// computation. So there is no search, only arithmetic. As long as every pivot is at least
// `threshold` times the largest entry of its column, the result is as stable as with new pivots.
// Cost: the flops of the factorisation.
#include "sparse_lu_parts.h"

#include <math.h>

#include "dense_kernels.h"
#include "vector.h"

// Computes column k of a block that starts at `first`. lu->x holds the column by position and ends
// as zero. Returns 0 if the pivot is too small.
static int refactor_column(sparse_lu *lu, const perp_csc *A, int32_t k, int32_t first,
                           double threshold, double floor) {
  double *const x = lu->x;
  const int32_t *const row = lu->L.index;
  double *const value = lu->L.value;
  const int32_t c = lu->column[k];
  int64_t u = lu->U_start[k];
  for (int32_t p = A->colptr[c]; p < A->colptr[c + 1]; p++) {
    const int32_t r = lu->place[A->row[p]];
    if (r < first) lu->U.value[u++] = A->value[p];     // above the block, in the order of A
    else x[lu->pivot[r]] = A->value[p];
  }
  int64_t work = 0;
  for (const int64_t end = lu->U_start[k + 1]; u < end; u++) {
    const int32_t j = lu->U.index[u];
    const double t = lu->U.value[u] = x[j];
    x[j] = 0.0;
    const int64_t stop = lu->L_start[j + 1];
    for (int64_t p = lu->L_start[j]; p < stop; p++) x[row[p]] -= value[p]*t;
    work += stop - lu->L_start[j];
  }
  const double pivot = x[k];
  double largest = fabs(pivot);                         // becomes NaN with any entry, and stays
  x[k] = 0.0;
  for (int64_t p = lu->L_start[k]; p < lu->L_start[k + 1]; p++) {
    largest = max_or_nan(largest, fabs(x[row[p]]));
    value[p] = x[row[p]]/pivot;
    x[row[p]] = 0.0;
  }
  lu->diagonal[k] = pivot;
  lu->flops += (double)(2*work + lu->L_start[k + 1] - lu->L_start[k]);
  return fabs(pivot) > floor && largest < (double)INFINITY && fabs(pivot) >= threshold*largest;
}

int lu_refactor(sparse_lu *lu, const perp_csc *A, double threshold, double floor,
                const perp_deadline *deadline) {
  double polled = 0.0;
  lu->flops = 0.0;
  for (int32_t k = 0; k < lu->n; k++) {
    if (lu->flops >= polled) {
      if (deadline_passed(deadline)) return -1;
      polled = lu->flops + DEADLINE_POLL_FLOPS;
    }
    if (!refactor_column(lu, A, k, lu->first[k], threshold, floor)) return 1;
  }
  return 0;
}
