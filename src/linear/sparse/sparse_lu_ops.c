// sparse_lu_ops.c: solves A_II z = rhs by a sparse LU; needs the entries of A.
//
// analyse copies the entries of A and orders A once. update cuts out A_II, scales it, and factors
// it in the order of A restricted to I, so its fill is inside that of A. solve refines once.
// Cost of update: that of the fill, O(n^1.5) for a plane grid.
#include "free_block.h"

#include "assemble.h"
#include "dense_kernels.h"
#include "solvers.h"
#include "sparse_lu_parts.h"

typedef struct linear {
  free_block block;
  sparse_lu *lu;
  int32_t failed;           // code of the last update; solve refuses unless it is 0
  int32_t *rank, *local_rank;   // n each: rank in the order of A of a row, and of a free row
} linear;

static linear *layout(arena *memory, int32_t n) {
  linear *self = ARENA_ARRAY(memory, linear, 1);
  free_block block;
  free_block_layout(&block, memory, n);
  int32_t *rank = ARENA_ARRAY(memory, int32_t, n);
  int32_t *local_rank = ARENA_ARRAY(memory, int32_t, n);
  if (self != NULL) *self = (linear){.block = block, .rank = rank, .local_rank = local_rank};
  return self;
}

static size_t bytes(const perp_limits *limits) {
  arena counting = {0};
  layout(&counting, limits->n);
  return counting.used;
}

static void release(void *memory) {
  linear *self = memory;
  free_block_release(&self->block);
  sparse_lu_destroy(self->lu);
  self->lu = NULL;
}

static int analyse(void *memory, const perp_operator *A, const perp_options *options,
                   const perp_allocator *allocator) {
  (void)options;
  arena room = {.base = memory, .capacity = SIZE_MAX, .used = 0};
  linear *self = layout(&room, A->n);
  free_block *block = &self->block;
  self->failed = 1;   // there is no factor before the first update
  int status = free_block_take(block, A, allocator);
  if (status == 0) {
    self->lu = sparse_lu_create(&block->memory);
    status = self->lu != NULL ? order_minimum_degree(&block->A, &block->memory, block->set) : -2;
  }
  if (status != 0) {
    release(self);
    return status;
  }
  for (int32_t k = 0; k < block->n; k++) self->rank[block->set[k]] = k;
  return 0;
}

static int update(void *memory, const uint8_t *is_free, const perp_deadline *deadline) {
  linear *self = memory;
  free_block *block = &self->block;
  if (self->failed == 0 && free_block_same(block, is_free)) return 0;
  free_block_cut(block, is_free);
  for (int32_t k = 0; k < block->m; k++) self->local_rank[k] = self->rank[block->set[k]];
  self->failed = sparse_lu_analyse_ranked(self->lu, &block->B, self->local_rank);
  if (self->failed == 0)
    self->failed = sparse_lu_factor(self->lu, &block->B, SPARSE_LU_PIVOT_MIN,
                                    free_block_floor(block), deadline);
  if (self->failed == 0) {
    block->known = block->m;
    block->flops = sparse_lu_flops(self->lu) + 10.0*(double)sparse_lu_nnz(self->lu);
  }
  return self->failed;
}

static void solve_scaled(void *context, double *v) { sparse_lu_solve(context, v); }

static int solve(void *memory, const double *rhs, double *z, const perp_deadline *deadline) {
  linear *self = memory;
  const int refused = free_block_refuses(&self->block, self->failed, deadline, z);
  if (refused != 0) return refused;
  free_block_solve(&self->block, solve_scaled, self->lu, rhs, z);
  return 0;
}

static void solve_scaled_transposed(void *context, double *v) {
  sparse_lu_solve_transpose(context, v);
}

static int solve_transposed(void *memory, const double *rhs, double *z,
                            const perp_deadline *deadline) {
  linear *self = memory;
  const int refused = free_block_refuses(&self->block, self->failed, deadline, z);
  if (refused != 0) return refused;
  free_block_solve_transposed(&self->block, solve_scaled_transposed, self->lu, rhs, z);
  return 0;
}

static double estimate(const void *memory, const uint8_t *is_free) {
  return free_block_estimate(&((const linear *)memory)->block, is_free);
}

const perp_linear_ops linear_sparse_lu = {
  .name = "sparse_lu",
  .title = "sparse LU with threshold pivoting",
  .accepts = assemble_accepts,
  .bytes = bytes,
  .analyse = analyse,
  .update = update,
  .solve = solve,
  .estimate = estimate,
  .release = release,
  .solve_transposed = solve_transposed,
};
