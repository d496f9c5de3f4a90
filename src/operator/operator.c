// operator.c: questions to an operator that may have no answer.
#include "operator.h"

perp_view operator_view(const perp_operator *A) {
  return A->ops->view != NULL ? A->ops->view(A->self) : (perp_view){.kind = PERP_VIEW_NONE};
}

size_t operator_scratch_bytes(const perp_operator *A) {
  return A->ops->scratch_bytes != NULL ? A->ops->scratch_bytes(A->self) : 0;
}

size_t operator_sweep_bytes(const perp_operator *A) {
  return A->ops->sweep != NULL && A->ops->sweep_bytes != NULL ? A->ops->sweep_bytes(A->self) : 0;
}
