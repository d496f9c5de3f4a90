// aggregation_ops.c: solves A_II z = rhs by conjugate gradients with multigrid over aggregates.
//
// In rounds: conjugate gradients in float solve for the current residual, which is computed in
// double. A must be symmetric with a positive diagonal. This is fast if A_II is close to an
// M-matrix, such as the Laplacian of a mesh. If the residual ends above 1e-8 of the right-hand
// side, the solve reports failure: A_II is indefinite, or far from an M-matrix.
// Cost: about 100 products with A for an M-matrix of any size; an update costs the changed rows.
#include "aggregation.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "assemble.h"
#include "dense_kernels.h"
#include "solvers.h"

enum { ROUND_STEPS_MAX = 100 };   // conjugate gradient steps of a round, which needs about 10

#define ROUND_RESIDUAL 1e-3     // relative; a round ends there
#define SOLVED_RESIDUAL 1e-14   // relative; the solve ends there
#define FAILED_RESIDUAL 1e-8    // relative; a solve that ends above it has failed

typedef struct linear {
  perp_allocator memory;
  perp_csc A;
  aggregation *levels;
  uint8_t *is_free;          // n
  double *r, *d;             // n
  int32_t iterations;
  int ready;
} linear;

static size_t bytes(const perp_limits *limits) {
  (void)limits;
  return sizeof(linear);
}

static void release(void *memory) {
  linear *self = memory;
  aggregation_destroy(self->levels);
  assembled_free(&self->memory, &self->A);
  void *const blocks[] = {self->is_free, self->r, self->d};
  for (size_t k = 0; k < sizeof blocks/sizeof blocks[0]; k++)
    if (blocks[k] != NULL) self->memory.release(self->memory.context, blocks[k]);
  *self = (linear){.memory = self->memory};
}

static int has_positive_diagonal(const perp_csc *A) {
  for (int32_t j = 0; j < A->columns; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
      if (A->row[p] == j && !(A->value[p] > 0.0)) return 0;
  return 1;
}

static int analyse(void *memory, const perp_operator *A, const perp_options *options,
                   const perp_allocator *allocator) {
  linear *self = memory;
  (void)options;
  *self = (linear){.memory = allocator_of(allocator)};
  const perp_allocator *m = &self->memory;
  const size_t n = A->n > 0 ? (size_t)A->n : 1;
  int failed = assemble_csc(A, 1, m, &self->A);
  if (failed != 0) {
    self->A = (perp_csc){0};
    return failed;
  }
  self->is_free = m->allocate(m->context, n);
  self->r = m->allocate(m->context, n*sizeof *self->r);
  self->d = m->allocate(m->context, n*sizeof *self->d);
  if (self->is_free == NULL || self->r == NULL || self->d == NULL) failed = -2;
  if (failed == 0 && has_positive_diagonal(&self->A))
    self->levels = aggregation_create(&self->A, NULL, m, NULL, &failed);
  if (failed != 0) release(self);
  return failed;
}

static int update(void *memory, const uint8_t *is_free, const perp_deadline *deadline) {
  linear *self = memory;
  int32_t k = 0;
  self->ready = 0;
  if (deadline_passed(deadline)) return -1;
  for (int32_t j = 0; j < self->A.columns; j++) {
    double diagonal = 1.0;
    self->is_free[j] = is_free[j] != 0;
    k += self->is_free[j];
    for (int32_t p = self->A.colptr[j]; p < self->A.colptr[j + 1]; p++)
      if (self->A.row[p] == j) diagonal = self->A.value[p];
    if (self->is_free[j] && !(diagonal > 0.0)) return k;
  }
  if (self->levels == NULL && k > 0) return 1;       // a diagonal entry is not positive
  if (self->levels != NULL) aggregation_mask(self->levels, 0, self->is_free);
  self->ready = 1;
  return 0;
}

static double residual_of(const linear *self, const double *rhs, const double *z, double *r) {
  const perp_csc *A = &self->A;
  double size = 0.0;
  for (int32_t i = 0; i < A->columns; i++) {
    r[i] = 0.0;
    if (!self->is_free[i]) continue;
    double sum = rhs[i];
    for (int32_t p = A->colptr[i]; p < A->colptr[i + 1]; p++) sum -= A->value[p]*z[A->row[p]];
    r[i] = sum;
    size += sum*sum;
  }
  return sqrt(size);
}

static int solve(void *memory, const double *rhs, double *z, const perp_deadline *deadline) {
  linear *self = memory;
  const int32_t n = self->A.columns;
  memset(z, 0, (size_t)n*sizeof *z);
  if (!self->ready) return 1;
  const double first = residual_of(self, rhs, z, self->r);
  double size = first;
  while (size > SOLVED_RESIDUAL*first) {   // each round halves the residual, or is the last
    if (deadline_passed(deadline)) return -1;
    const int32_t steps = aggregation_solve(self->levels, 0, NULL, self->r, ROUND_RESIDUAL,
                                            ROUND_STEPS_MAX, deadline,
                                            self->d);
    self->iterations += steps;
    for (int32_t i = 0; i < n; i++) z[i] += self->d[i];
    const double now = residual_of(self, rhs, z, self->r);
    if (!(now < 0.5*size)) {                         // only rounding is left, or no convergence
      if (!(now < size))
        for (int32_t i = 0; i < n; i++) z[i] -= self->d[i];
      size = now < size ? now : size;
      break;
    }
    size = now;
  }
  return size <= FAILED_RESIDUAL*first ? 0 : 1;
}

static double estimate(const void *memory, const uint8_t *is_free) {
  const linear *self = memory;
  (void)is_free;
  return 1e-7*self->A.colptr[self->A.columns];
}

static int32_t iterations(const void *memory) { return ((const linear *)memory)->iterations; }

const perp_linear_ops linear_aggregation = {
  .name = "aggregation",
  .title = "conjugate gradients with multigrid over aggregates, for large M-matrices",
  .accepts = assemble_accepts_symmetric,
  .bytes = bytes,
  .analyse = analyse,
  .update = update,
  .solve = solve,
  .estimate = estimate,
  .iterations = iterations,
  .release = release,
};
