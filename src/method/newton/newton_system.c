// newton_system.c: chooses the linear solver of a Newton method, and reuses its factor.
//
// newton.inner direct takes options.linear, otherwise a sparse LU if A is sparse and not small,
// otherwise a dense LU. krylov, masks and differences take the Krylov solver, which needs only
// products. auto takes direct, or Krylov on grids and if n is very large.
#include "newton_system.h"

#include <string.h>

#include "krylov.h"

enum { DENSE_ROWS_MAX = 200,         // rows up to which a dense factor is faster
       GRID_KRYLOV_ROWS_MIN = 1000,  // rows above which auto takes Krylov on grids
       KRYLOV_ROWS_MIN = 100000 };   // rows above which auto takes Krylov, because factors fill in

static int usable(const perp_linear_ops *ops, const perp_operator *A) {
  return ops != NULL && ops->accepts(A);
}

// 1: the diagonal is positive and all other entries are <= 0, as on grids. There a preconditioned
// Krylov method is safe and faster than a factor.
static int grid_like(const perp_view *view) {
  if (view->kind != PERP_VIEW_CSC) return 0;
  const perp_csc *A = view->data;
  for (int32_t j = 0; j < A->columns; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
      if (A->row[p] == j ? !(A->value[p] > 0.0) : A->value[p] > 0.0) return 0;
  return 1;
}

static const perp_linear_ops *choose(const perp_run *run) {
  const perp_options *options = run->options;
  const perp_operator *A = &run->A;
  const perp_linear_ops *krylov = perp_find_linear("krylov"),
                        *sparse = perp_find_linear("sparse_lu"),
                        *dense = perp_find_linear("dense_lu");
  const perp_inner inner = (perp_inner)options->newton.inner;
  if (inner != PERP_INNER_AUTO && inner != PERP_INNER_DIRECT) return krylov;
  if (usable(options->linear, A)) return options->linear;
  const perp_view view = operator_view(A);
  if (inner == PERP_INNER_AUTO &&
      (run->n > KRYLOV_ROWS_MIN || (run->n > GRID_KRYLOV_ROWS_MIN && grid_like(&view))))
    return krylov;
  const int full = view.kind == PERP_VIEW_DENSE || run->n <= DENSE_ROWS_MAX;
  if (!full && usable(sparse, A)) return sparse;
  if (usable(dense, A) && (full || run->n <= 20*DENSE_ROWS_MAX)) return dense;
  return usable(sparse, A) ? sparse : krylov;
}

static int analyse(newton_system *s) {
  perp_run *run = s->run;
  s->fresh = 1;
  if (!run_may_fit_analysis(run)) return 1;
  const int failed = s->ops->analyse(s->self, &s->A, run->options, run_allocator(run));
  s->analysed = !failed;
  if (failed) run_no_memory(run, "the linear solver");
  return failed;
}

static void release(newton_system *s) {
  if (!s->analysed) return;
  if (s->ops->release != NULL) s->ops->release(s->self);
  s->analysed = 0;
}

int newton_begin(newton_system *s, perp_run *run, const perp_operator *difference,
                 uint8_t *is_free) {
  const int differences = run->options->newton.inner == PERP_INNER_DIFFERENCES;
  *s = (newton_system){.run = run, .A = differences && difference != NULL ? *difference : run->A,
                       .ops = choose(run), .is_free = is_free};
  s->iterative = s->ops->iterations != NULL;
  const perp_view view = operator_view(&run->A);
  const perp_limits limits = {
    .n = run->n,
    .nnz = view.kind == PERP_VIEW_CSC ? ((const perp_csc *)view.data)->colptr[run->n]
           : view.kind == PERP_VIEW_DENSE ? (int64_t)run->n*run->n : 0,
    .scratch = operator_scratch_bytes(&run->A)};
  s->self = run_allocate(run, s->ops->bytes(&limits));
  return s->self == NULL || analyse(s);
}

int newton_shift(newton_system *s, double shift) {
  if (s->shift == shift) return 0;
  release(s);
  const perp_operator plain = s->shift == 0.0 ? s->A : s->shifted.inner;
  s->A = shift == 0.0 ? plain : perp_shifted(&s->shifted, plain, shift);
  s->shift = shift;
  return analyse(s);
}

int newton_solve(newton_system *s, const uint8_t *is_free, const double *rhs, double *d,
                 double tol) {
  perp_run *run = s->run;
  const size_t n = (size_t)run->n;
  const perp_deadline deadline = run_deadline(run);
  if (s->fresh || memcmp(s->is_free, is_free, n) != 0) {
    memcpy(s->is_free, is_free, n);
    s->fresh = 1;
    const int code = s->ops->update(s->self, is_free, &deadline);
    if (!s->iterative) run->factorizations++;
    if (code == -2) run_no_memory(run, "the factors of A_II");
    if (code != 0) return code < 0 ? -1 : 1;
    s->fresh = 0;
  }
  if (s->ops == perp_find_linear("krylov")) linear_krylov_tolerance(s->self, tol);
  const int32_t before = s->iterative ? s->ops->iterations(s->self) : 0;
  const int code = s->ops->solve(s->self, rhs, d, &deadline);
  if (s->iterative) run->inner_iterations += s->ops->iterations(s->self) - before;
  for (size_t i = 0; i < n; i++)
    if (!(d[i] - d[i] == 0.0)) return 1;
  return code;
}

void newton_end(newton_system *s) { release(s); }
