// sparse_ldl_ops.c: solves A_II z = rhs by a face, whose sparse LDL' follows the free rows.
//
// A must be symmetric with a positive definite A_II; an A_II that is not definite counts as
// singular. Cost of update: that of modifying the changed rows, or of a factorisation.
#include "face_kind.h"

#include <string.h>

#include "assemble.h"
#include "dense_kernels.h"
#include "solvers.h"

typedef struct linear {
  face *face;
  int32_t n;
  int failed;               // code of the last update; solve refuses unless it is 0
} linear;

static size_t bytes(const perp_limits *limits) {
  (void)limits;
  return sizeof(linear);
}

static int analyse(void *memory, const perp_operator *A, const perp_options *options,
                   const perp_allocator *allocator) {
  (void)options;
  linear *self = memory;
  int failed = 0;
  *self = (linear){.n = A->n, .failed = 1};
  self->face = face_create(A, FACE_SETS, allocator, &failed);
  return failed;
}

static int update(void *memory, const uint8_t *is_free, const perp_deadline *deadline) {
  linear *self = memory;
  self->failed = face_update(self->face, is_free, deadline);
  if (self->failed <= 0) return self->failed;
  int32_t k = 0;                                       // index among the free rows
  for (int32_t i = 0; i < self->failed; i++) k += is_free[i] != 0;
  return self->failed = k;
}

static int solve(void *memory, const double *rhs, double *z, const perp_deadline *deadline) {
  linear *self = memory;
  memset(z, 0, (size_t)self->n*sizeof *z);
  if (self->failed != 0) return 1;
  if (deadline_passed(deadline)) return -1;
  memcpy(z, rhs, (size_t)self->n*sizeof *z);
  return face_solve_within(self->face, z, 2, deadline);
}

static double estimate(const void *memory, const uint8_t *is_free) {
  const linear *self = memory;
  return 1e-9*(face_flops_update(self->face, is_free) + 4.0*face_flops_solve(self->face));
}

static void release(void *memory) {
  linear *self = memory;
  face_destroy(self->face);
  self->face = NULL;
}

const perp_linear_ops linear_sparse_ldl = {
  .name = "sparse_ldl",
  .title = "sparse LDL' that follows the free rows, for definite A_II",
  .accepts = assemble_accepts_symmetric,
  .bytes = bytes,
  .analyse = analyse,
  .update = update,
  .solve = solve,
  .estimate = estimate,
  .release = release,
};
