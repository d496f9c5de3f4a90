// columns.c: the entries of an operator for proofs, column by column or as a table of rows.
#include "columns.h"

#include <math.h>
#include <string.h>

#include "entries.h"
#include "error.h"
#include "operator.h"
#include "vector.h"

enum { FULL_COLUMNS_N_MAX = 5000 };   // largest n to read columns as full vectors, n^2 in all

static const double unit = 0x1p-53;

int columns_known(const perp_operator *A) {
  entry_chain chain;
  return entries_chain(A, &chain) || (A->ops->add_column != NULL && A->n <= FULL_COLUMNS_N_MAX);
}

// Returns the value to keep for v, whose absolute error is given, and raises *slack to its relative
// error.
static double with_slack(double v, double error, double *slack) {
  if (error == 0.0) return v;
  if (error >= fabs(v)) {   // R a C underflowed, or a shift cancelled v except for rounding
    *slack = max2(*slack, 2.0);
    return 2.0*error;
  }
  *slack = max2(*slack, nextafter(error/fabs(v), 1.0));
  return v;
}

int32_t columns_read(const perp_operator *A, int32_t j, int32_t *row, double *value,
                     double *slack) {
  entry_chain chain;
  int32_t count = 0;
  if (entries_chain(A, &chain)) {
    int32_t i;
    double a, error;
    for (entry_cursor at = entries_begin(&chain, j); entries_next(&at, &i, &a, &error);) {
      if (a == 0.0 && error == 0.0) continue;
      row[count] = i;
      value[count++] = with_slack(a, error, slack);
    }
    return count;
  }
  for (int32_t i = 0; i < A->n; i++) value[i] = 0.0;
  A->ops->add_column(A->self, j, 1.0, value);
  *slack = max2(*slack, 4.0*unit);   // the error that a caller's operator is assumed to have
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
  entry_chain chain;
  int64_t room = (int64_t)n*n;
  if (entries_chain(A, &chain) && chain.matrix.kind == PERP_VIEW_CSC) {
    const perp_csc *M = chain.matrix.data;
    room = (int64_t)M->colptr[M->columns] - M->colptr[0] + n;   // a shift adds to the diagonal
  }
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
