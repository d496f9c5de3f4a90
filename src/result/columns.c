// columns.c: the entries of an operator, column by column or as rows of one's own, for proofs.
#include "columns.h"

#include <math.h>
#include <string.h>

#include "entries.h"
#include "error.h"
#include "operator.h"
#include "vector.h"

enum { FEW = 5000 };   // n up to which a column is read into a full vector: n^2 altogether

static const double unit = 0x1p-53;

int columns_known(const perp_operator *A) {
  const perp_view view = operator_view(A);
  return entries_known(&view) || (A->ops->add_column != NULL && A->n <= FEW);
}

// R_i a C_j + shift [i = j], and what its rounding may have cost.
static double seen(const perp_view *view, int32_t i, int32_t j, double a, double *slack) {
  double v = a;
  int rounded = 0;
  if (view->R != NULL) {
    const double p = v*view->R[i];
    rounded |= fma(v, view->R[i], -p) != 0.0 || (v != 0.0 && fabs(p) < 0x1p-900);
    v = p;
  }
  if (view->C != NULL) {
    const double p = v*view->C[j];
    rounded |= fma(v, view->C[j], -p) != 0.0 || (v != 0.0 && fabs(p) < 0x1p-900);
    v = p;
  }
  double size = fabs(v);
  if (i == j && view->shift != 0.0) {
    const double s = v + view->shift, z = s - v;
    rounded |= (v - (s - z)) + (view->shift - z) != 0.0;
    size = max2(size, fabs(view->shift));
    v = s;
  }
  if (rounded) *slack = max2(*slack, v != 0.0 ? 4.0*unit*max2(1.0, size/fabs(v)) : 0.0);
  return v;
}

int32_t columns_read(const perp_operator *A, int32_t j, int32_t *row, double *value,
                     double *slack) {
  const perp_view view = operator_view(A);
  int32_t count = 0;
  if (view.kind == PERP_VIEW_CSC) {
    const perp_csc *M = view.data;
    int diagonal = 0;
    for (int32_t p = M->colptr[j]; p < M->colptr[j + 1]; p++) {
      const int32_t i = M->row[p];
      if (i > j && !diagonal && view.shift != 0.0) {   // not stored, but the shift puts it there
        row[count] = j;
        value[count++] = view.shift;
      }
      diagonal |= i >= j;
      const double v = seen(&view, i, j, M->value[p], slack);
      if (v == 0.0) continue;
      row[count] = i;
      value[count++] = v;
    }
    if (!diagonal && view.shift != 0.0) {
      row[count] = j;
      value[count++] = view.shift;
    }
    return count;
  }
  if (view.kind == PERP_VIEW_DENSE) {
    const perp_dense *M = view.data;
    const size_t ld = (size_t)(M->ld != 0 ? M->ld : M->n);
    const size_t down = M->by_column ? 1 : ld, across = M->by_column ? ld : 1;
    for (int32_t i = 0; i < A->n; i++) {
      const double v = seen(&view, i, j, M->value[(size_t)i*down + (size_t)j*across], slack);
      if (v == 0.0) continue;
      row[count] = i;
      value[count++] = v;
    }
    return count;
  }
  for (int32_t i = 0; i < A->n; i++) value[i] = 0.0;
  A->ops->add_column(A->self, j, 1.0, value);
  *slack = max2(*slack, 4.0*unit);   // what the operator rounds is not told
  for (int32_t i = 0; i < A->n; i++) {
    if (value[i] == 0.0) continue;
    row[count] = i;
    value[count++] = value[i];
  }
  return count;
}

static void layout(row_table *rows, arena *memory, int64_t nnz, int32_t **row, double **value,
                   int32_t **next) {
  const size_t n = (size_t)rows->n;
  rows->ptr = ARENA_ARRAY(memory, int32_t, n + 1);
  rows->column = ARENA_ARRAY(memory, int32_t, nnz);
  rows->value = ARENA_ARRAY(memory, double, nnz);
  rows->diagonal = ARENA_ARRAY(memory, double, n);
  *row = ARENA_ARRAY(memory, int32_t, n + 1);
  *value = ARENA_ARRAY(memory, double, n + 1);
  *next = ARENA_ARRAY(memory, int32_t, n + 1);
}

perp_error rows_take(const perp_operator *A, const perp_allocator *from, row_table *rows) {
  const int32_t n = A->n;
  if (!columns_known(A))
    return error_set(PERP_ERROR_UNSUPPORTED, "operator '%s' does not show its entries",
                     A->ops->name);
  const perp_view view = operator_view(A);
  const int64_t room = view.kind == PERP_VIEW_CSC
                           ? (int64_t)((const perp_csc *)view.data)->colptr[n] -
                                 ((const perp_csc *)view.data)->colptr[0] + n
                           : (int64_t)n*n;
  if (room > INT32_MAX)
    return error_set(PERP_ERROR_UNSUPPORTED, "n = %d: more than 2^31 entries", n);
  *rows = (row_table){.n = n};
  int32_t *row, *next;
  double *value;
  arena memory = {0};
  layout(rows, &memory, room, &row, &value, &next);
  const size_t bytes = arena_overflowed(&memory) ? SIZE_MAX : arena_block_bytes(&memory);
  rows->block = bytes == SIZE_MAX ? NULL : from->allocate(from->context, bytes);
  if (rows->block == NULL)
    return error_set(PERP_ERROR_MEMORY, "no memory for the rows of A: n = %d", n);
  memory = arena_on_block(rows->block, bytes);
  layout(rows, &memory, room, &row, &value, &next);
  memset(rows->ptr, 0, ((size_t)n + 1)*sizeof *rows->ptr);
  for (int32_t i = 0; i < n; i++) rows->diagonal[i] = 0.0;
  for (int32_t j = 0; j < n; j++) {
    const int32_t count = columns_read(A, j, row, value, &rows->slack);
    for (int32_t k = 0; k < count; k++) rows->ptr[row[k] + 1]++;
  }
  for (int32_t i = 0; i < n; i++) rows->ptr[i + 1] += rows->ptr[i];
  for (int32_t i = 0; i < n; i++) next[i] = rows->ptr[i];
  for (int32_t j = 0; j < n; j++) {
    const int32_t count = columns_read(A, j, row, value, &rows->slack);
    for (int32_t k = 0; k < count; k++) {
      const int32_t at = next[row[k]]++;
      rows->column[at] = j;
      rows->value[at] = value[k];
      if (row[k] == j) rows->diagonal[j] = value[k];
    }
  }
  return PERP_OK;
}

void rows_free(const perp_allocator *from, row_table *rows) {
  if (rows->block != NULL) from->release(from->context, rows->block);
  rows->block = NULL;
}
