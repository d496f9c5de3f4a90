// diagonals.c: reads a tridiagonal matrix out of an operator, entry by entry.
#include "diagonals.h"

#include "allocator.h"
#include "assemble.h"
#include "entries.h"
#include "operator.h"

// Returns the matrix if A is a CSC matrix without wrappers, the usual case; else NULL.
static const perp_csc *plain_csc(const perp_operator *A) {
  const perp_view view = operator_view(A);
  return view.kind == PERP_VIEW_CSC && view.data == A->self ? view.data : NULL;
}

static int other_in_csc(const perp_csc *A, int32_t *row, int32_t *column) {
  for (int32_t j = 0; j < A->columns; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t away = A->row[p] - j;
      if ((away >= -1 && away <= 1) || A->value[p] == 0.0) continue;
      *row = A->row[p];
      *column = j;
      return 1;
    }
  return 0;
}

int diagonals_other(const perp_operator *A, const perp_allocator *allocator, int32_t *row,
                    int32_t *column) {
  entry_chain chain;
  const perp_csc *plain = plain_csc(A);
  if (plain != NULL) return other_in_csc(plain, row, column);
  if (entries_chain(A, &chain)) {
    for (int32_t j = 0; j < A->n; j++) {
      int32_t i;
      double a, error;
      for (entry_cursor at = entries_begin(&chain, j); entries_next(&at, &i, &a, &error);) {
        if ((i >= j - 1 && i <= j + 1) || a == 0.0) continue;
        *row = i;
        *column = j;
        return 1;
      }
    }
    return 0;
  }
  if (A->ops->submatrix == NULL) return -1;
  const perp_allocator from = allocator_of(allocator);
  perp_csc copy;
  const int failed = assemble_csc(A, 0, &from, &copy);
  if (failed != 0) return failed == -2 ? -2 : -1;
  const int found = other_in_csc(&copy, row, column);
  assembled_free(&from, &copy);
  return found;
}

static void put(double *left, double *middle, double *right, int32_t i, int32_t j, double a) {
  if (i == j) middle[i] = a;
  else if (i == j + 1) left[i] = a;
  else if (i == j - 1) right[i] = a;
}

void diagonals_read(const perp_operator *A, double *left, double *middle, double *right) {
  const int32_t n = A->n;
  for (int32_t i = 0; i < n; i++) left[i] = middle[i] = right[i] = 0.0;
  entry_chain chain;
  const perp_csc *plain = plain_csc(A);
  if (plain != NULL) {
    for (int32_t j = 0; j < n; j++)
      for (int32_t p = plain->colptr[j]; p < plain->colptr[j + 1]; p++)
        put(left, middle, right, plain->row[p], j, plain->value[p]);
  } else if (entries_chain(A, &chain)) {
    for (int32_t j = 0; j < n; j++) {
      int32_t i;
      double a, error;
      for (entry_cursor at = entries_begin(&chain, j); entries_next(&at, &i, &a, &error);)
        put(left, middle, right, i, j, a);
    }
  } else {
    for (int32_t i = 0; i < n; i++) {   // rows i and i + 1, or the last one alone
      const int32_t pair[] = {i, i + 1}, m = i + 1 < n ? 2 : 1;
      double S[4];
      A->ops->submatrix(A->self, pair, m, S);
      middle[i] = S[0];
      if (m == 1) break;
      right[i] = S[1];
      left[i + 1] = S[2];
    }
  }
}
