// apply.c: perp_apply, a product with a matrix of any kind.
#include <math.h>
#include <string.h>

#include "allocator.h"
#include "error.h"
#include "operator.h"
#include "problem.h"

perp_error perp_apply(const perp_operator *A, const double *x, double *y) {
  if (A == NULL || ((x == NULL || y == NULL) && A->n > 0))
    return error_set(PERP_ERROR_ARGUMENT, "perp_apply: A, x or y is NULL");
  perp_error error = validate_block(A);
  if (error == PERP_OK) error = validate_point("perp_apply:", A->n, x, NULL);
  if (error != PERP_OK) return error;
  const size_t bytes = operator_scratch_bytes(A);
  const perp_allocator from = allocator_of(NULL);
  void *scratch = bytes > 0 ? from.allocate(from.context, bytes) : NULL;
  if (bytes > 0 && scratch == NULL)
    return error_set(PERP_ERROR_MEMORY, "perp_apply: no memory for n = %d", A->n);
  const int stopped = A->ops->apply(A->self, x, y, scratch);
  if (scratch != NULL) from.release(from.context, scratch);
  if (stopped != 0)
    return error_set(PERP_ERROR_OPERATOR, "operator '%s': apply() returned %d", A->ops->name,
                     stopped);
  for (int32_t i = 0; i < A->n; i++)
    if (!isfinite(y[i])) {
      memset(y, 0, (size_t)A->n*sizeof *y);
      return error_set(PERP_ERROR_OPERATOR, "perp_apply: row %d of A x is not finite", i);
    }
  return PERP_OK;
}
