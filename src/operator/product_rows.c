// product_rows.c: a row of A = J W J' + diag(compliance): w = W J_i', then A_ij = J_j w for the
// rows j that share a body with i.
#include "product_rows.h"

#include <math.h>

#include "vector.h"

int product_rows_begin(product_rows *rows, const perp_operator *A, int32_t *memory, int64_t room,
                       double *w) {
  if (!entries_product_chain(A, &rows->chain)) return 0;
  const perp_product *P = rows->P = rows->chain.matrix.data;
  const int32_t bodies = P->dofs/P->block;
  int64_t used = (int64_t)bodies + 2 + P->n;
  if (used > room) return 0;
  int32_t *first = rows->first = memory;
  for (int32_t k = 0; k < bodies + 2; k++) first[k] = 0;
  for (int32_t i = 0; i < P->n; i++)
    for (int32_t p = P->rowptr[i], last = -1; p < P->rowptr[i + 1]; p++) {
      const int32_t k = P->column[p]/P->block;
      if (k == last) continue;   // columns are sorted: a body's stand together
      last = k;
      first[k + 2]++;
      used++;
    }
  if (used > room) return 0;
  rows->seen = first + bodies + 2;
  rows->touching = rows->seen + P->n;
  for (int32_t k = 0; k < bodies; k++) first[k + 2] += first[k + 1];
  for (int32_t i = 0; i < P->n; i++) {   // first[k + 1] grows from the start of k to its end
    rows->seen[i] = -1;
    for (int32_t p = P->rowptr[i], last = -1; p < P->rowptr[i + 1]; p++) {
      const int32_t k = P->column[p]/P->block;
      if (k == last) continue;
      last = k;
      rows->touching[first[k + 1]++] = i;
    }
  }
  rows->w = w;
  for (int32_t k = 0; k < P->dofs; k++) w[k] = 0.0;
  rows->steps = 0;
  rows->asked = -1;
  return 1;
}

// w += W J_i' on the bodies of row i, or 0 there again
static void spread(const product_rows *rows, int32_t i, int clear) {
  const perp_product *P = rows->P;
  for (int32_t p = P->rowptr[i]; p < P->rowptr[i + 1]; p++) {
    const int32_t k = P->column[p];
    const double *W = P->W + (size_t)k*(size_t)P->block;
    double *w = rows->w + (k - k % P->block);
    for (int32_t l = 0; l < P->block; l++) w[l] = clear ? 0.0 : w[l] + W[l]*P->value[p];
  }
}

double product_rows_size(product_rows *rows, int32_t i, const double *x) {
  const perp_product *P = rows->P;
  entry_cursor at = entries_begin(&rows->chain, i);
  at.is_row = 1;
  const int32_t own = at.column[rows->chain.depth];
  double size = 0.0;
  spread(rows, own, 0);
  rows->asked++;
  for (int32_t p = P->rowptr[own], last = -1; p <= P->rowptr[own + 1]; p++) {
    // after its bodies the row itself: one that touches none has its compliance and shifts
    const int alone = p == P->rowptr[own + 1];
    const int32_t k = alone ? -1 : P->column[p]/P->block;
    if (!alone && k == last) continue;
    last = k;
    for (int32_t q = alone ? 0 : rows->first[k]; q < (alone ? 1 : rows->first[k + 1]); q++) {
      int32_t j = alone ? own : rows->touching[q];
      rows->steps++;
      if (rows->seen[j] == rows->asked) continue;
      rows->seen[j] = rows->asked;
      double a = 0.0, error;
      for (int32_t r = P->rowptr[j]; r < P->rowptr[j + 1]; r++)
        a += P->value[r]*rows->w[P->column[r]];
      rows->steps += P->rowptr[j + 1] - P->rowptr[j];
      if (j == own && P->compliance != NULL) a += P->compliance[j];
      if (entries_outside(&at, &j, &a, &error)) size += (fabs(a) + error)*fabs(x[j]);
    }
  }
  spread(rows, own, 1);
  return size;
}
