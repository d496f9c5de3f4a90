// klu.c: solves A_II z = rhs by KLU, in a shared library of its own.
//
// update cuts out A_II, scaled by powers of two (free_block.h), lets KLU permute it to block
// triangular form and order it, and factors. The values of A do not change between two updates, so
// that a mask that stays needs nothing. KLU itself only refuses a pivot that is exactly zero: the
// test |pivot| <= floor is made here, on the diagonal of U.
#include <klu.h>
#include <math.h>

#include "assemble.h"
#include "free_block.h"
#include "dense_kernels.h"

const perp_linear_ops *perp_backend_linear(void);

typedef struct linear {
  free_block block;
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  int32_t failed;           // as update returned it: solve refuses unless 0
} linear;

static linear *layout(arena *memory, int32_t n) {
  linear *self = ARENA_ARRAY(memory, linear, 1);
  free_block block;
  free_block_layout(&block, memory, n);
  if (self != NULL) *self = (linear){.block = block};
  return self;
}

static size_t bytes(const perp_limits *limits) {
  arena counting = {0};
  layout(&counting, limits->n);
  return counting.used;
}

static void forget(linear *self) {
  if (self->numeric != NULL) klu_free_numeric(&self->numeric, &self->common);
  if (self->symbolic != NULL) klu_free_symbolic(&self->symbolic, &self->common);
}

static void release(void *memory) {
  linear *self = memory;
  forget(self);
  free_block_release(&self->block);
}

static int analyse(void *memory, const perp_operator *A, const perp_options *options,
                   const perp_allocator *allocator) {
  (void)options;
  arena room = {.base = memory, .capacity = SIZE_MAX, .used = 0};
  linear *self = layout(&room, A->n);
  self->failed = 1;   // until the first update
  klu_defaults(&self->common);
  self->common.tol = 0.1;     // as sparse_lu: KLU's own 0.001 is for circuits
  self->common.scale = 0;     // scaled already
  const int status = free_block_take(&self->block, A, allocator);
  if (status != 0) free_block_release(&self->block);
  return status;
}

// k > 0: singular at the k-th free row; -2: no memory
static int factor(linear *self) {
  free_block *block = &self->block;
  klu_common *common = &self->common;
  // KLU takes the arrays of A without const and does not write to them
  int32_t *const colptr = block->colptr, *const row = block->row;
  self->symbolic = klu_analyze(block->m, colptr, row, common);
  if (self->symbolic == NULL) return -2;
  self->numeric = klu_factor(colptr, row, block->value, self->symbolic, common);
  if (common->status == KLU_SINGULAR) return common->singular_col + 1;
  if (self->numeric == NULL) return -2;
  const double *U = self->numeric->Udiag, floor = free_block_floor(block);   // m
  for (int32_t k = 0; k < block->m; k++)
    if (!(fabs(U[k]) > floor) || !(fabs(U[k]) < (double)INFINITY))
      return self->symbolic->Q[k] + 1;
  return 0;
}

static int update(void *memory, const uint8_t *is_free, const perp_deadline *deadline) {
  linear *self = memory;
  free_block *block = &self->block;
  if (self->failed == 0 && free_block_same(block, is_free)) return 0;
  forget(self);
  self->failed = 1;
  if (deadline_passed(deadline)) return -1;
  free_block_cut(block, is_free);
  if (block->m > 0) {         // KLU refuses matrices without rows
    const int status = factor(self);
    if (status != 0) return status;
    klu_flops(self->symbolic, self->numeric, &self->common);
    block->known = block->m;
    block->flops = self->common.flops + 10.0*(self->numeric->lnz + self->numeric->unz);
  }
  if (deadline_passed(deadline)) return -1;
  self->failed = 0;
  return 0;
}

static void solve_scaled(void *context, double *v) {
  linear *self = context;
  if (self->block.m > 0)
    klu_solve(self->symbolic, self->numeric, self->block.m, 1, v, &self->common);
}

static int solve(void *memory, const double *rhs, double *z, const perp_deadline *deadline) {
  linear *self = memory;
  const int refused = free_block_refuses(&self->block, self->failed, deadline, z);
  if (refused != 0) return refused;
  free_block_solve(&self->block, solve_scaled, self, rhs, z);
  return 0;
}

static void solve_scaled_transposed(void *context, double *v) {
  linear *self = context;
  if (self->block.m > 0)
    klu_tsolve(self->symbolic, self->numeric, self->block.m, 1, v, &self->common);
}

static int solve_transposed(void *memory, const double *rhs, double *z,
                            const perp_deadline *deadline) {
  linear *self = memory;
  const int refused = free_block_refuses(&self->block, self->failed, deadline, z);
  if (refused != 0) return refused;
  free_block_solve_transposed(&self->block, solve_scaled_transposed, self, rhs, z);
  return 0;
}

static double estimate(const void *memory, const uint8_t *is_free) {
  return free_block_estimate(&((const linear *)memory)->block, is_free);
}

static const perp_linear_ops ops = {
  .name = "klu",
  .title = "sparse LU of SuiteSparse (KLU)",
  .accepts = assemble_accepts,
  .bytes = bytes,
  .analyse = analyse,
  .update = update,
  .solve = solve,
  .estimate = estimate,
  .release = release,
  .solve_transposed = solve_transposed,
};

const perp_linear_ops *perp_backend_linear(void) { return &ops; }
