// basis_kernel.c: factors the kernel of a sparse basis by the caller's linear solver or by our LU.
//
// A caller's solver (perp_linear_ops; KLU, say) must have transposed solves. It gets the kernel K
// as an operator with every row free, by analyse and update. Each new kernel has another pattern
// and is analysed again. The solver rejects only pivots that are rounding errors. A call with a
// larger floor looks for nearly dependent columns, so it uses our LU; so does a kernel that the
// solver refuses. Our LU finds the pattern of a sparse solution, while the caller's solver visits
// all rows.
// Cost: that of the solver.
#include <math.h>
#include <string.h>

#include "arena.h"
#include "basis_sparse.h"
#include "solvers.h"

#define ROUNDING_FLOOR_MAX 0x1p-45   // larger pivots are more than rounding errors

void basis_use(basis *self, const perp_linear_ops *linear, const perp_options *options) {
  const int own = linear == NULL || linear == &linear_sparse_lu ||
                  linear->solve_transposed == NULL;
  self->foreign.linear = own ? NULL : linear;
  self->foreign.options = options;
}

static void forget(basis_foreign *f) {
  if (f->analysed && f->linear->release != NULL) f->linear->release(f->solver);
  f->analysed = f->factored = 0;
}

void kernel_end(basis *self) {
  basis_foreign *f = &self->foreign;
  forget(f);
  if (f->block != NULL) self->allocator.release(self->allocator.context, f->block);
  f->block = NULL;
}

static void layout(basis_foreign *f, arena *memory, int32_t n, size_t bytes) {
  f->z = ARENA_ARRAY(memory, double, n);
  f->all = ARENA_ARRAY(memory, uint8_t, n);
  f->solver = arena_take(memory, 1, bytes);
}

// Makes room for the solver's data and work for K. Returns 0 if there is no memory.
static int make_room(basis *self, const perp_csc *K) {
  basis_foreign *f = &self->foreign;
  const perp_limits limits = {.n = K->columns, .nnz = K->colptr[K->columns]};
  const size_t solver = f->linear->bytes(&limits);
  arena counting = {0};
  layout(f, &counting, self->n, solver);
  const size_t bytes = arena_block_bytes(&counting);
  if (bytes > f->bytes) {
    if (f->block != NULL) self->allocator.release(self->allocator.context, f->block);
    f->block = self->allocator.allocate(self->allocator.context, bytes);
    f->bytes = f->block != NULL ? bytes : 0;
    if (f->block == NULL) return 0;
  }
  arena real = arena_on_block(f->block, f->bytes);
  layout(f, &real, self->n, solver);
  memset(f->all, 1, (size_t)self->n);
  return 1;
}

// 0: fine; -1: deadline; other: the solver cannot factor this kernel.
static int foreign_factor(basis *self, const perp_csc *K, const perp_deadline *deadline) {
  basis_foreign *f = &self->foreign;
  forget(f);
  if (!make_room(self, K)) return -2;
  f->K = *K;
  const perp_operator A = perp_from_csc(&f->K, 0);
  if (!f->linear->accepts(&A)) return 1;
  const int code = f->linear->analyse(f->solver, &A, f->options, &self->allocator);
  if (code != 0) return code;
  f->analysed = 1;
  const int failed = f->linear->update(f->solver, f->all, deadline);
  f->factored = failed == 0;
  return failed;
}

int kernel_factor(basis *self, const perp_csc *K, double floor, const perp_deadline *deadline) {
  basis_foreign *f = &self->foreign;
  f->factored = 0;
  if (f->linear != NULL && floor <= ROUNDING_FLOOR_MAX) {
    const int code = foreign_factor(self, K, deadline);
    if (code == 0) self->work_of_factor += 1e9*f->linear->estimate(f->solver, f->all);
    if (code == 0 || code == -1) return code;
  }
  int code = sparse_lu_analyse(self->lu, K, 1);
  if (code == 0) code = sparse_lu_factor(self->lu, K, SPARSE_LU_PIVOT_MIN, floor, deadline);
  // The flops count twice, because they are scattered and slow.
  self->work_of_factor += 2.0*sparse_lu_flops(self->lu);
  return code;
}

// If a solve fails, v becomes NaN, so that no method pivots on it.
static void foreign_solve(basis *self, double *v, int transposed) {
  const basis_foreign *f = &self->foreign;
  int (*const solve)(void *, const double *, double *, const perp_deadline *) =
      transposed ? f->linear->solve_transposed : f->linear->solve;
  const int code = solve(f->solver, v, f->z, NULL);
  for (int32_t k = 0; k < self->m; k++) v[k] = code == 0 ? f->z[k] : (double)NAN;
}

void kernel_solve(basis *self, double *v) {
  if (self->foreign.factored) foreign_solve(self, v, 0);
  else sparse_lu_solve(self->lu, v);
}

void kernel_solve_transpose(basis *self, double *v) {
  if (self->foreign.factored) foreign_solve(self, v, 1);
  else sparse_lu_solve_transpose(self->lu, v);
}

int32_t kernel_solve_few(basis *self, double *v, int32_t *pattern, int32_t count) {
  if (!self->foreign.factored) return sparse_lu_solve_few(self->lu, v, pattern, count);
  int32_t found = 0;
  foreign_solve(self, v, 0);
  for (int32_t k = 0; k < self->m; k++)
    if (v[k] != 0.0) pattern[found++] = k;
  return found;
}
