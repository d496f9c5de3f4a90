// face_linear.c: the face by a linear solver of the caller's choice, on A + sigma I.
//
// A solver that can modify its factor does so in its update. A new sigma is a new matrix for it.
#include "face_kind.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "assemble.h"
#include "krylov.h"
#include "operator.h"
#include "solvers.h"
#include "symmetry.h"
#include "vector.h"

typedef struct linear_face {
  face base;
  perp_allocator memory;
  const perp_linear_ops *ops;
  const perp_options *options;
  perp_operator A;
  perp_wrapper shifted;      // A + sigma I
  double sigma;
  void *self, *scratch;      // the solver's state; scratch of A's products
  double *rhs, *rest;        // n each
  uint8_t *kept;             // n: free rows of the last successful update
  int analysed, ready;
} linear_face;

static void forget(linear_face *f) {
  if (f->analysed && f->ops->release != NULL) f->ops->release(f->self);
  f->analysed = f->ready = 0;
}

static void destroy(face *base) {
  linear_face *f = (linear_face *)base;
  const perp_allocator memory = f->memory;
  forget(f);
  void *const blocks[] = {f->self, f->scratch, f->rhs, f->rest, f->kept};
  for (size_t k = 0; k < sizeof blocks/sizeof blocks[0]; k++) allocator_drop(&memory, blocks[k]);
  allocator_drop(&memory, f);
}

static int analyse(linear_face *f) {
  const perp_operator S = f->sigma != 0.0 ? perp_shifted(&f->shifted, f->A, f->sigma) : f->A;
  forget(f);
  const int code = f->ops->accepts(&S) ? f->ops->analyse(f->self, &S, f->options, &f->memory) : 1;
  f->analysed = code == 0;
  return code;
}

// A solver that needs A = A' asks for the claim. If the caller makes none, check the entries.
static int claim(linear_face *f) {
  if (f->A.claims & PERP_CLAIM_SYMMETRIC || f->ops->accepts(&f->A)) return 0;
  perp_csc S = {0};
  int32_t *next = allocator_take(&f->memory, f->A.n, sizeof *next);
  int code = next != NULL ? assemble_csc(&f->A, 1, &f->memory, &S) : -2;
  if (code == 0 && csc_asymmetry(&S, SYMMETRY_PROVED, next).most > SYMMETRY_PROVED) code = 2;
  if (code == 0) f->A.claims |= PERP_CLAIM_SYMMETRIC;
  assembled_free(&f->memory, &S);
  allocator_drop(&f->memory, next);
  return code;
}

static void shift(face *base, double sigma) {
  linear_face *f = (linear_face *)base;
  if (sigma == f->sigma) return;
  f->sigma = sigma;
  forget(f);
}

static int update(face *base, const uint8_t *is_free, const perp_deadline *deadline) {
  linear_face *f = (linear_face *)base;
  if (f->ready && memcmp(f->kept, is_free, (size_t)f->A.n) == 0) return 0;
  f->ready = 0;
  if (!f->analysed && analyse(f) != 0) return -2;
  base->factorizations++;
  const int code = f->ops->update(f->self, is_free, deadline);
  f->ready = code == 0;
  memcpy(f->kept, is_free, (size_t)f->A.n);
  if (code <= 0) return code;
  int32_t row = 0, k = 0;                            // index of the k-th free row
  while (row < f->A.n && (k += is_free[row] != 0) < code) row++;
  return row + 1;
}

// rest <- rhs - (A_II + sigma I) v. Returns its largest entry.
static double residual(linear_face *f, const double *v) {
  double most = 0.0;
  if (f->A.ops->apply(f->A.self, v, f->rest, f->scratch) != 0) return (double)NAN;
  for (int32_t i = 0; i < f->A.n; i++) {
    f->rest[i] = f->kept[i] ? f->rhs[i] - f->rest[i] - f->sigma*v[i] : 0.0;
    most = max_or_nan(most, fabs(f->rest[i]));
  }
  return most;
}

static int32_t iterations(const linear_face *f) {
  return f->ops->iterations != NULL ? f->ops->iterations(f->self) : 0;
}

static int solve(face *base, double *v, int refine) {
  linear_face *f = (linear_face *)base;
  const int32_t n = f->A.n;
  memcpy(f->rhs, v, (size_t)n*sizeof *v);
  memset(v, 0, (size_t)n*sizeof *v);
  if (!f->ready) return 1;
  if (base->accuracy > 0.0 && f->ops == &linear_krylov)
    linear_krylov_tolerance(f->self, base->accuracy);
  const int32_t before = iterations(f);
  const int failed = f->ops->solve(f->self, f->rhs, v, base->deadline);
  base->inner_iterations += iterations(f) - before;
  if (failed != 0) return face_checked(n, v, 0);
  if (refine > 0 && residual(f, v) > 0.0) {   // one step only; the solver has refined by itself
    memcpy(f->rhs, f->rest, (size_t)n*sizeof *v);
    if (f->ops->solve(f->self, f->rhs, f->rest, base->deadline) == 0)
      for (int32_t i = 0; i < n; i++) v[i] += f->rest[i];
  }
  return face_checked(n, v, 1);
}

// The solver estimates nanoseconds. Count each as one operation.
static double flops_rows(const face *base, const uint8_t *is_free) {
  const linear_face *f = (const linear_face *)base;
  return f->analysed ? 1e9*f->ops->estimate(f->self, is_free) : (double)INFINITY;
}

static double flops_factor(const face *base) {
  (void)base;
  return (double)INFINITY;
}

static double flops_solve(const face *base) {   // part of the estimate above
  (void)base;
  return 0.0;
}

static int64_t nnz(const face *base) {   // unknown
  (void)base;
  return 0;
}

static const face_kind kind = {destroy, shift, update, solve, flops_factor, flops_rows,
                               flops_solve, nnz, flops_rows, NULL, NULL};

face *face_linear_create(const perp_linear_ops *ops, const perp_operator *A,
                         const perp_options *options, const perp_allocator *allocator,
                         int *failed) {
  const perp_allocator memory = allocator_of(allocator);
  const perp_view view = operator_view(A);
  const int64_t stored = view.kind == PERP_VIEW_CSC
                             ? ((const perp_csc *)view.data)->colptr[A->n] : (int64_t)A->n*A->n;
  const perp_limits limits = {.n = A->n, .nnz = stored, .scratch = operator_scratch_bytes(A)};
  linear_face *f = allocator_take(&memory, 1, sizeof *f);
  *failed = -2;
  if (f == NULL) return NULL;
  *f = (linear_face){.base = face_new(&kind), .memory = memory, .ops = ops, .options = options,
                     .A = *A};
  f->self = allocator_take(&memory, (int64_t)ops->bytes(&limits), 1);
  f->scratch = allocator_take(&memory, (int64_t)limits.scratch, 1);
  f->rhs = allocator_take(&memory, A->n, sizeof *f->rhs);
  f->rest = allocator_take(&memory, A->n, sizeof *f->rest);
  f->kept = allocator_take(&memory, A->n, 1);
  if (f->self != NULL && f->scratch != NULL && f->rhs != NULL && f->rest != NULL && f->kept != NULL)
    *failed = claim(f);
  if (*failed == 0) *failed = analyse(f);
  if (*failed == 0) return &f->base;
  destroy(&f->base);
  return NULL;
}
