// krylov_ops.c: solves A_II z = rhs by a Krylov method with a preconditioner built on A_II.
//
// The map v_I -> (A v)_I with v_F = 0 is linear. ANE17 (39) as printed is not: its constant term
// breaks CG if F is not empty. The option newton.inner chooses the product:
//   index sets   the columns of A_II if the entries of A are known, else A on a scattered vector
//   masks        a.A(a.v) + f.v on vectors of length n: ANE17 4, corrected
// auto: CG if A is symmetric (by claim or by value) and its known diagonal is positive, until CG
// meets p'Ap <= 0. GMRES otherwise.
// Cost: update builds the preconditioner, O(nnz) and more. An iteration takes a product and an
// application of the preconditioner.
#include <math.h>
#include <string.h>

#include "allocator.h"
#include "arena.h"
#include "assemble.h"
#include "krylov.h"
#include "dense_kernels.h"
#include "operator.h"
#include "preconditioner.h"
#include "solvers.h"
#include "symmetry.h"

typedef struct part {           // A_II by columns
  int32_t *colptr;              // n + 1
  int32_t *row;                 // nnz of A
  double *value;                // nnz of A
} part;

typedef struct krylov_solver {
  perp_operator A;
  perp_allocator memory;
  int32_t n, m;                 // rows, free rows
  int32_t known;                // 1: the entries of A are known and stored in `all`
  int32_t masks, has_diagonal;
  int32_t symmetric, mirrored;  // 1: A = A' by value, or by claim if A is unknown; 1: by value
  int32_t ready, indefinite;    // 1: A_II can be solved with; 1: it is known to be indefinite
  perp_csc all;
  part II;
  int32_t *set, *place;         // n each: free rows; the place of row i among them, or -1
  double *diagonal, *d;         // n each: of A and of A_II
  double *in, *out, *v, *z;     // n each
  void *scratch;                // for the operator
  double *work;                 // krylov_doubles() of the solver `work_solver`
  perp_krylov requested, work_solver;
  perp_preconditioner kind;
  preconditioner *P;
  int32_t limit, restart, iterations;
  double tol, drop;
} krylov_solver;

static int krylov_accepts(const perp_operator *A) { return A->ops->apply != NULL; }

static size_t krylov_bytes(const perp_limits *limits) {
  (void)limits;
  return sizeof(krylov_solver);
}

static void *take(const krylov_solver *self, size_t count, size_t size) {
  if (count == 0) count = 1;
  if (count > SIZE_MAX/size) return NULL;
  return self->memory.allocate(self->memory.context, count*size);
}

static void drop_block(const krylov_solver *self, void *block) {
  if (block != NULL) self->memory.release(self->memory.context, block);
}

static void krylov_release(void *memory) {
  krylov_solver *self = memory;
  void *const all[] = {self->II.colptr, self->II.row, self->II.value, self->set, self->place,
                       self->diagonal, self->d, self->in, self->out, self->v, self->z,
                       self->scratch, self->work};
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) drop_block(self, all[k]);
  if (self->known) assembled_free(&self->memory, &self->all);
  preconditioner_destroy(self->P);
  *self = (krylov_solver){.memory = self->memory};
}

// 1: the entries of A are needed, by the preconditioner or for faster products with A_II.
static int wants_entries(const krylov_solver *self) {
  const perp_view view = operator_view(&self->A);
  const int plain = self->kind == PERP_PRECONDITIONER_IDENTITY ||
                    self->kind == PERP_PRECONDITIONER_JACOBI;
  return !plain || (!self->masks && (view.kind == PERP_VIEW_CSC || view.kind == PERP_VIEW_DENSE));
}

static int allocate_arrays(krylov_solver *self) {
  const size_t n = (size_t)self->n;
  double **const vectors[] = {&self->diagonal, &self->d, &self->in, &self->out, &self->v, &self->z};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    if ((*vectors[k] = take(self, n, sizeof(double))) == NULL) return 1;
  self->set = take(self, n, sizeof(int32_t));
  self->place = take(self, n, sizeof(int32_t));
  self->scratch = take(self, operator_scratch_bytes(&self->A), 1);
  self->P = preconditioner_create(&self->memory);
  if (self->set == NULL || self->place == NULL || self->scratch == NULL || self->P == NULL)
    return 1;
  if (wants_entries(self)) self->known = assemble_csc(&self->A, 1, &self->memory, &self->all) == 0;
  if (!self->known) return 0;
  const size_t nnz = (size_t)self->all.colptr[self->n];
  self->II.colptr = take(self, n + 1, sizeof(int32_t));
  self->II.row = take(self, nnz, sizeof(int32_t));
  self->II.value = take(self, nnz, sizeof(double));
  return self->II.colptr == NULL || self->II.row == NULL || self->II.value == NULL;
}

static int krylov_analyse(void *memory, const perp_operator *A, const perp_options *options,
                          const perp_allocator *allocator) {
  krylov_solver *self = memory;
  *self = (krylov_solver){
    .A = *A, .memory = allocator_of(allocator), .n = A->n,
    .masks = options->newton.inner == PERP_INNER_MASKS,
    .requested = (perp_krylov)options->krylov.solver,
    .kind = (perp_preconditioner)options->krylov.preconditioner,
    // Methods without these options leave them at 0 and expect an accurate solution.
    .limit = options->krylov.iterations > 0 ? options->krylov.iterations : 1000,
    .restart = options->krylov.restart > 0 ? options->krylov.restart : 50,
    .tol = options->newton.gamma > 0.0 ? options->newton.gamma : 1e-12,
    .drop = options->krylov.drop > 0.0 ? options->krylov.drop : 0.1,
  };
  if (!krylov_accepts(A) || allocate_arrays(self) != 0) {
    krylov_release(self);
    return 1;
  }
  self->mirrored = self->known && csc_is_symmetric(&self->all, self->set);
  self->symmetric = self->mirrored || (!self->known && (A->claims & PERP_CLAIM_SYMMETRIC) != 0);
  self->has_diagonal = A->ops->diagonal != NULL;
  if (self->has_diagonal) A->ops->diagonal(A->self, self->diagonal);
  return 0;
}

static void extract(krylov_solver *self) {   // A_II from A
  int32_t q = 0;
  for (int32_t k = 0; k < self->m; k++) {
    const int32_t j = self->set[k];
    self->II.colptr[k] = q;
    for (int32_t p = self->all.colptr[j]; p < self->all.colptr[j + 1]; p++) {
      const int32_t i = self->place[self->all.row[p]];
      if (i < 0) continue;
      self->II.row[q] = i;
      self->II.value[q++] = self->all.value[p];
    }
  }
  self->II.colptr[self->m] = q;
}

static perp_csc columns(const krylov_solver *self) {
  return (perp_csc){self->m, self->m, self->II.colptr, self->II.row, self->II.value};
}

static int krylov_update(void *memory, const uint8_t *is_free, const perp_deadline *deadline) {
  krylov_solver *self = memory;
  self->ready = self->indefinite = 0;
  int32_t m = 0;
  for (int32_t i = 0; i < self->n; i++) {
    self->place[i] = is_free[i] ? m : -1;
    if (is_free[i]) self->set[m++] = i;
  }
  self->m = m;
  if (self->known) extract(self);
  for (int32_t k = 0; self->has_diagonal && k < m; k++) {
    self->d[k] = self->diagonal[self->set[k]];
    if (!(self->d[k] > 0.0)) self->indefinite = 1;
  }
  const perp_csc II = columns(self);
  const int code = preconditioner_build(self->P, self->kind, m, self->known ? &II : NULL,
                                        self->has_diagonal ? self->d : NULL, self->symmetric,
                                        self->drop, deadline);
  if (code == -1) return -1;
  self->ready = 1;   // without memory the preconditioner is the identity
  return 0;
}

// ---- the maps ----

static int apply_columns(void *context, const double *in, double *out) {   // m -> m
  const krylov_solver *self = context;
  const int32_t m = self->m, *colptr = self->II.colptr, *row = self->II.row;
  const double *value = self->II.value;
  for (int32_t j = 0; self->mirrored && j < m; j++) {   // column j is row j
    double sum = 0.0;
    for (int32_t p = colptr[j]; p < colptr[j + 1]; p++) sum += value[p]*in[row[p]];
    out[j] = sum;
  }
  if (self->mirrored) return 0;
  memset(out, 0, (size_t)m*sizeof *out);
  for (int32_t j = 0; j < m; j++) {
    const double v = in[j];
    for (int32_t p = colptr[j]; p < colptr[j + 1]; p++) out[row[p]] += value[p]*v;
  }
  return 0;
}

static int apply_scattered(void *context, const double *in, double *out) {   // m -> m
  krylov_solver *self = context;
  memset(self->in, 0, (size_t)self->n*sizeof *self->in);
  for (int32_t k = 0; k < self->m; k++) self->in[self->set[k]] = in[k];
  if (self->A.ops->apply(self->A.self, self->in, self->out, self->scratch) != 0) return 1;
  for (int32_t k = 0; k < self->m; k++) out[k] = self->out[self->set[k]];
  return 0;
}

// n -> n: a.A(a.v) + f.v. ANE17 (39) has -f.H instead of +f.v, which is not linear in v.
static int apply_masked(void *context, const double *in, double *out) {
  krylov_solver *self = context;
  for (int32_t i = 0; i < self->n; i++) self->in[i] = self->place[i] >= 0 ? in[i] : 0.0;
  if (self->A.ops->apply(self->A.self, self->in, out, self->scratch) != 0) return 1;
  for (int32_t i = 0; i < self->n; i++)
    if (self->place[i] < 0) out[i] = in[i];
  return 0;
}

// n -> n: the preconditioner of A_II on free rows, the identity on the others. Corrects ANE17 (42).
static int precondition_masked(void *context, const double *in, double *out) {
  krylov_solver *self = context;
  for (int32_t k = 0; k < self->m; k++) self->in[k] = in[self->set[k]];
  preconditioner_apply(self->P, self->in, self->out);
  for (int32_t i = 0; i < self->n; i++)
    out[i] = self->place[i] >= 0 ? self->out[self->place[i]] : in[i];
  return 0;
}

// ---- solving ----

static int reserve_work(krylov_solver *self, perp_krylov solver) {
  if (self->work != NULL && self->work_solver == solver) return 0;
  drop_block(self, self->work);
  self->work = take(self, krylov_doubles(solver, self->n, self->restart), sizeof(double));
  self->work_solver = solver;
  return self->work == NULL;
}

static krylov_result run_krylov(krylov_solver *self, perp_krylov solver,
                                const perp_deadline *deadline) {
  if (reserve_work(self, solver) != 0) return (krylov_result){.broken = 1, .residual = 1.0};
  const krylov_map product = {self->masks ? apply_masked
                              : self->known ? apply_columns : apply_scattered, self};
  const krylov_map identity = {NULL, NULL}, masked = {precondition_masked, self},
                   plain = {preconditioner_apply, self->P};
  const krylov_map P = self->P->used == PERP_PRECONDITIONER_IDENTITY ? identity
                       : self->masks ? masked : plain;
  const krylov_result result =
      krylov_solve(solver, self->masks ? self->n : self->m, product, P, self->v, self->z, self->tol,
                   self->limit, self->restart, self->work, deadline);
  self->iterations += result.iterations;
  return result;
}

static int krylov_ops_solve(void *memory, const double *rhs, double *z,
                            const perp_deadline *deadline) {
  krylov_solver *self = memory;
  for (int32_t i = 0; i < self->n; i++) z[i] = 0.0;
  if (!self->ready) return 1;
  if (deadline_passed(deadline)) return -1;
  if (self->m == 0) return 0;
  for (int32_t i = 0; i < self->n; i++) {
    const int32_t k = self->masks ? i : self->place[i];
    if (k >= 0) self->v[k] = self->place[i] >= 0 ? rhs[i] : 0.0;
    self->z[i] = 0.0;
  }
  perp_krylov solver = self->requested;
  if (solver == PERP_KRYLOV_AUTO)
    solver = self->symmetric && !self->indefinite ? PERP_KRYLOV_CG : PERP_KRYLOV_GMRES;
  krylov_result result = run_krylov(self, solver, deadline);
  if (self->requested == PERP_KRYLOV_AUTO && solver == PERP_KRYLOV_CG && result.broken &&
      !result.converged) {
    self->indefinite = 1;
    result = run_krylov(self, PERP_KRYLOV_GMRES, deadline);
  }
  for (int32_t k = 0; k < self->m; k++)
    z[self->set[k]] = self->z[self->masks ? self->set[k] : k];
  if (!result.converged && deadline_passed(deadline)) return -1;
  return result.converged || result.residual < 1.0 ? 0 : 1;
}

void linear_krylov_tolerance(void *memory, double tol) {
  krylov_solver *self = memory;
  self->tol = tol;
}

static double krylov_estimate(const void *memory, const uint8_t *is_free) {
  const krylov_solver *self = memory;
  double m = 0.0;
  for (int32_t i = 0; i < self->n; i++) m += is_free[i] ? 1.0 : 0.0;
  const double entries = self->known ? self->all.colptr[self->n] : 10.0*self->n;
  return (50.0*2.0*entries + 50.0*10.0*m)*1e-9;   // assumes 50 iterations at a flop per nanosecond
}

static int32_t krylov_iterations(const void *memory) {
  return ((const krylov_solver *)memory)->iterations;
}

const perp_linear_ops linear_krylov = {
  .name = "krylov",
  .title = "Krylov methods with a preconditioner",
  .accepts = krylov_accepts,
  .bytes = krylov_bytes,
  .analyse = krylov_analyse,
  .update = krylov_update,
  .solve = krylov_ops_solve,
  .estimate = krylov_estimate,
  .iterations = krylov_iterations,
  .release = krylov_release,
};
