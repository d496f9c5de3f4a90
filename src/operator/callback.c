// callback.c: an operator that is known only through the caller's products.
//
// The rounding errors of the caller's products are unknown, so there is no compensated residual.
#include <string.h>

#include "operator.h"

static int apply(const void *self, const double *x, double *y, void *scratch) {
  (void)scratch;
  const perp_callback *A = self;
  return A->apply(A->context, x, y);
}

static int apply_transpose(const void *self, const double *x, double *y, void *scratch) {
  (void)scratch;
  const perp_callback *A = self;
  return A->apply_transpose(A->context, x, y);
}

static void diagonal(const void *self, double *d) {
  const perp_callback *A = self;
  memcpy(d, A->diagonal, (size_t)A->n*sizeof *d);
}

static perp_view view(const void *self) {
  return (perp_view){.kind = PERP_VIEW_CALLBACK, .data = self};
}

#define COMMON .name = "callback", .apply = apply, .view = view
static const perp_operator_ops ops[2][2] = {   // [has a transpose][has a diagonal]
  {{COMMON}, {COMMON, .diagonal = diagonal}},
  {{COMMON, .apply_transpose = apply_transpose},
   {COMMON, .apply_transpose = apply_transpose, .diagonal = diagonal}},
};

perp_operator perp_from_callback(const perp_callback *matrix, uint32_t claims) {
  const int transpose = matrix != NULL && matrix->apply_transpose != NULL;
  const int has_diagonal = matrix != NULL && matrix->diagonal != NULL;
  return (perp_operator){&ops[transpose][has_diagonal], matrix, matrix != NULL ? matrix->n : 0,
                         claims};
}
