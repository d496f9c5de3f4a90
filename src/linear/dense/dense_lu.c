// dense_lu.c: solves A_II z = rhs by a dense LU with partial pivoting; needs submatrix().
//
// A_II is first equilibrated by powers of two, R A_II C = P'LU. It counts as singular if a pivot is
// at most m 2^-52; equilibration makes this independent of the units of rows and columns.
// Cost: 2/3 m^3 flops for update, 2 m^2 for solve; memory for n^2 numbers.
#include "dense_kernels.h"

#include "arena.h"
#include "solvers.h"

typedef struct dense_lu {
  int32_t n;
  int32_t m;          // free rows
  int32_t failed;     // code of the last update; solve refuses unless it is 0
  int32_t *set;       // n: the free rows
  int32_t *pivot;     // n
  double *S;          // n x n, the first m x m used: L and U
  double *r, *c, *v;  // n each: scales of rows and columns, right-hand side
  perp_operator A;
} dense_lu;

static dense_lu *layout(arena *memory, int32_t n) {
  dense_lu *self = ARENA_ARRAY(memory, dense_lu, 1);
  int32_t *set = ARENA_ARRAY(memory, int32_t, n);
  int32_t *pivot = ARENA_ARRAY(memory, int32_t, n);
  double *r = ARENA_ARRAY(memory, double, n);
  double *c = ARENA_ARRAY(memory, double, n);
  double *v = ARENA_ARRAY(memory, double, n);
  double *S = ARENA_ARRAY(memory, double, (size_t)n*(size_t)n);
  if (self != NULL)
    *self = (dense_lu){.n = n, .set = set, .pivot = pivot, .S = S, .r = r, .c = c, .v = v};
  return self;
}

static int dense_lu_accepts(const perp_operator *A) { return A->ops->submatrix != NULL; }

static size_t dense_lu_bytes(const perp_limits *limits) {
  arena counting = {0};
  layout(&counting, limits->n);
  return counting.used;
}

static int dense_lu_analyse(void *memory, const perp_operator *A, const perp_options *options,
                            const perp_allocator *allocator) {
  (void)options;
  (void)allocator;
  if (!dense_lu_accepts(A)) return 1;
  arena block = {.base = memory, .capacity = SIZE_MAX, .used = 0};
  dense_lu *self = layout(&block, A->n);
  self->A = *A;
  self->failed = 1;   // there is no factor before the first update
  return 0;
}

static int dense_lu_update(void *memory, const uint8_t *is_free, const perp_deadline *deadline) {
  dense_lu *self = memory;
  const int32_t m = self->m = free_rows(self->n, is_free, self->set);
  self->failed = 0;
  if (m == 0) return 0;
  self->A.ops->submatrix(self->A.self, self->set, m, self->S);
  dense_equilibrate(m, m, self->S, self->r, self->c);
  self->failed = lu_factor(m, self->S, self->pivot, m*0x1p-52, deadline);
  return self->failed;
}

static int dense_lu_solve(void *memory, const double *rhs, double *z,
                          const perp_deadline *deadline) {
  dense_lu *self = memory;
  for (int32_t i = 0; i < self->n; i++) z[i] = 0.0;
  if (self->failed != 0) return 1;
  if (deadline_passed(deadline)) return -1;
  const int32_t m = self->m;
  for (int32_t k = 0; k < m; k++) self->v[k] = self->r[k]*rhs[self->set[k]];
  lu_solve(m, self->S, self->pivot, self->v);                    // z = C (LU)^-1 P R rhs
  for (int32_t k = 0; k < m; k++) z[self->set[k]] = self->c[k]*self->v[k];
  return 0;
}

static double dense_lu_estimate(const void *memory, const uint8_t *is_free) {
  const dense_lu *self = memory;
  const double m = free_rows(self->n, is_free, NULL);
  return (2.0/3.0*m*m*m + 10.0*m*m)*1e-9;   // a nanosecond per flop
}

const perp_linear_ops linear_dense_lu = {
  .name = "dense_lu",
  .title = "dense LU with partial pivoting",
  .accepts = dense_lu_accepts,
  .bytes = dense_lu_bytes,
  .analyse = dense_lu_analyse,
  .update = dense_lu_update,
  .solve = dense_lu_solve,
  .estimate = dense_lu_estimate,
};
