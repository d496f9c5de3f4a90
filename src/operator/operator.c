// operator.c: calls optional functions of an operator, with an answer if they are missing.
#include "operator.h"

#include "grid.h"

perp_view operator_view(const perp_operator *A) {
  return A->ops->view != NULL ? A->ops->view(A->self) : (perp_view){.kind = PERP_VIEW_NONE};
}

int operator_product(const perp_operator *A, const double *x, double *y, void *scratch,
                     team *threads) {
  const perp_grid *grid = team_size(threads) > 1 ? grid_of(A) : NULL;
  if (grid == NULL) return A->ops->apply(A->self, x, y, scratch);
  grid_product(grid, x, y, threads);
  return 0;
}

size_t operator_scratch_bytes(const perp_operator *A) {
  return A->ops->scratch_bytes != NULL ? A->ops->scratch_bytes(A->self) : 0;
}

size_t operator_sweep_bytes(const perp_operator *A) {
  return A->ops->sweep != NULL && A->ops->sweep_bytes != NULL ? A->ops->sweep_bytes(A->self) : 0;
}
