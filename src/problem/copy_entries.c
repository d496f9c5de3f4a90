// copy_entries.c: perp_copy_entries, the entries of any matrix that shows them, by columns.
#include <math.h>

#include "assemble.h"
#include "error.h"
#include "operator.h"
#include "problem.h"
#include "vector.h"

int32_t perp_has_entries(const perp_operator *A) {
  return A != NULL && operator_is_given(A) && assemble_accepts(A);
}

static perp_error refuse(const perp_operator *A) {
  if (A->ops->add_column == NULL && A->ops->submatrix == NULL)
    return error_set(PERP_ERROR_UNSUPPORTED, "operator '%s' does not show its entries: it has no "
                     "view of them, no add_column() and no submatrix()", A->ops->name);
  return error_set(PERP_ERROR_UNSUPPORTED, "operator '%s' has n = %d and no view of its entries; "
                   "they are read one by one up to n = %d", A->ops->name, A->n,
                   ASSEMBLE_HIDDEN_ROWS_MAX);
}

static perp_error check_finite(const perp_csc *A) {
  if (all_finite(A->value, A->colptr[A->columns])) return PERP_OK;
  int32_t j = 0, p = 0;
  while (isfinite(A->value[p])) p++;
  while (A->colptr[j + 1] <= p) j++;
  return error_set(PERP_ERROR_OPERATOR, "perp_copy_entries: A[%d][%d] = %g is not finite",
                   A->row[p], j, A->value[p]);
}

perp_error perp_copy_entries(const perp_operator *A, int32_t diagonal,
                             const perp_allocator *allocator, perp_csc *entries) {
  if (A == NULL || entries == NULL)
    return error_set(PERP_ERROR_ARGUMENT, "perp_copy_entries: A or entries is NULL");
  perp_error error = validate_block(A);
  if (error == PERP_OK) error = validate_values(&(perp_problem){.A = *A}, NULL);
  if (error != PERP_OK) return error;
  if (!assemble_accepts(A)) return refuse(A);
  perp_csc copy;
  if (assemble_csc(A, diagonal, allocator, &copy) != 0)
    return error_set(PERP_ERROR_MEMORY, "perp_copy_entries: no memory for n = %d, or more than %d "
                     "entries", A->n, INT32_MAX);
  error = check_finite(&copy);
  if (error == PERP_OK) *entries = copy;
  else assembled_free(allocator, &copy);
  return error;
}

void perp_entries_free(const perp_allocator *allocator, perp_csc *entries) {
  if (entries != NULL) assembled_free(allocator, entries);
}
