// free_block.c: cuts A_II out of A for a changing set I of free rows, and scales it.
//
// Scaling by powers of two, R A_II C, rounds nothing. It makes the test for small pivots
// independent of the units.
// Cost: the entries of the free columns per cut.
#include "free_block.h"

#include "allocator.h"
#include "assemble.h"
#include "dense_kernels.h"
#include "vector.h"

void free_block_layout(free_block *block, arena *memory, int32_t n) {
  *block = (free_block){.n = n};
  block->mask = ARENA_ARRAY(memory, uint8_t, n);
  block->set = ARENA_ARRAY(memory, int32_t, n);
  block->local = ARENA_ARRAY(memory, int32_t, n);
  block->colptr = ARENA_ARRAY(memory, int32_t, (size_t)n + 1);
  block->r = ARENA_ARRAY(memory, double, n);
  block->c = ARENA_ARRAY(memory, double, n);
  block->v = ARENA_ARRAY(memory, double, n);
  block->w = ARENA_ARRAY(memory, double, n);
}

int free_block_take(free_block *block, const perp_operator *A, const perp_allocator *allocator) {
  block->memory = allocator_of(allocator);
  const int status = assemble_csc(A, 0, &block->memory, &block->A);
  if (status != 0) return status;
  const size_t room = (size_t)block->A.colptr[block->n] + 1;
  block->row = block->memory.allocate(block->memory.context, room*sizeof *block->row);
  block->value = block->memory.allocate(block->memory.context, room*sizeof *block->value);
  return block->row != NULL && block->value != NULL ? 0 : -2;
}

void free_block_release(free_block *block) {
  assembled_free(&block->memory, &block->A);
  if (block->row != NULL) block->memory.release(block->memory.context, block->row);
  if (block->value != NULL) block->memory.release(block->memory.context, block->value);
  block->row = NULL;
  block->value = NULL;
}

static double near_one(double largest) {   // a power of two near 1/largest; 1 for a row of zeros
  int e = 0;
  if (largest > 0.0 && largest < (double)INFINITY) frexp(largest, &e);
  return power_of_two_within(-e, 1000);
}

int free_block_same(const free_block *block, const uint8_t *is_free) {
  for (int32_t i = 0; i < block->n; i++)
    if ((is_free[i] != 0) != block->mask[i]) return 0;
  return 1;
}

void free_block_cut(free_block *block, const uint8_t *is_free) {
  const perp_csc *A = &block->A;
  int32_t *const row = block->row, *const colptr = block->colptr;
  double *const value = block->value;
  int32_t m = 0, count = 0;
  for (int32_t i = 0; i < block->n; i++) {
    block->mask[i] = is_free[i] != 0;
    block->local[i] = is_free[i] ? m : -1;
    if (is_free[i]) block->set[m++] = i;
  }
  block->m = m;
  for (int32_t k = 0; k < m; k++) block->r[k] = 0.0;
  for (int32_t k = 0; k < m; k++) {
    colptr[k] = count;
    for (int32_t j = block->set[k], p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = block->local[A->row[p]];
      if (i < 0) continue;
      row[count] = i;
      value[count++] = A->value[p];
      block->r[i] = max2(block->r[i], fabs(A->value[p]));
    }
  }
  colptr[m] = count;
  for (int32_t k = 0; k < m; k++) block->r[k] = near_one(block->r[k]);
  for (int32_t k = 0; k < m; k++) {
    double largest = 0.0;
    for (int32_t p = colptr[k]; p < colptr[k + 1]; p++) {
      value[p] *= block->r[row[p]];
      largest = max2(largest, fabs(value[p]));
    }
    block->c[k] = near_one(largest);
    for (int32_t p = colptr[k]; p < colptr[k + 1]; p++) value[p] *= block->c[k];
  }
  block->B = (perp_csc){m, m, colptr, row, value};
}

static void subtract(const perp_csc *B, const double *v, double *w) {   // w <- w - B v
  for (int32_t k = 0; k < B->columns; k++)
    for (int32_t p = B->colptr[k]; p < B->colptr[k + 1] && v[k] != 0.0; p++)
      w[B->row[p]] -= B->value[p]*v[k];
}

static void subtract_transposed(const perp_csc *B, const double *v, double *w) {
  for (int32_t k = 0; k < B->columns; k++)
    for (int32_t p = B->colptr[k]; p < B->colptr[k + 1]; p++)
      w[k] -= B->value[p]*v[B->row[p]];
}

// Solves and refines once. in, out: the scales of the right-hand side and of the solution.
static void solve_refined(free_block *block, void (*solve)(void *context, double *v), void *context,
                          void (*reduce)(const perp_csc *B, const double *v, double *w),
                          const double *in, const double *out, const double *rhs, double *z) {
  const int32_t m = block->m;
  double *const v = block->v, *const w = block->w;
  double size = 0.0, step = 0.0;
  for (int32_t i = 0; i < block->n; i++) z[i] = 0.0;
  for (int32_t k = 0; k < m; k++) v[k] = w[k] = in[k]*rhs[block->set[k]];
  solve(context, v);
  for (int32_t k = 0; k < m; k++) size = max2(size, fabs(v[k]));
  reduce(&block->B, v, w);
  solve(context, w);
  for (int32_t k = 0; k < m; k++) step = max_or_nan(step, fabs(w[k]));
  const int refine = step <= size;   // a larger step is not a correction
  for (int32_t k = 0; k < m; k++) z[block->set[k]] = out[k]*(refine ? v[k] + w[k] : v[k]);
}

void free_block_solve(free_block *block, void (*solve)(void *context, double *v), void *context,
                      const double *rhs, double *z) {
  solve_refined(block, solve, context, subtract, block->r, block->c, rhs, z);
}

void free_block_solve_transposed(free_block *block, void (*solve)(void *context, double *v),
                                 void *context, const double *rhs, double *z) {
  solve_refined(block, solve, context, subtract_transposed, block->c, block->r, rhs, z);
}

int free_block_refuses(const free_block *block, int failed, const perp_deadline *deadline,
                       double *z) {
  for (int32_t i = 0; i < block->n; i++) z[i] = 0.0;
  return failed != 0 ? 1 : deadline_passed(deadline) ? -1 : 0;
}

// Before the first factorisation it assumes that each column of L and U has twice A's entries.
double free_block_estimate(const free_block *block, const uint8_t *is_free) {
  const perp_csc *A = &block->A;
  double m = 0.0, flops = 0.0;
  for (int32_t i = 0; i < A->columns; i++) {
    if (!is_free[i]) continue;
    const double length = A->colptr[i + 1] - A->colptr[i];
    m += 1.0;
    flops += 4.0*length*length + 20.0*length;
  }
  if (block->known > 0) flops = block->flops*(m/block->known)*(m/block->known) + 50.0*m;
  return (flops + 100.0)*1e-9;
}
