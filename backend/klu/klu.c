// klu.c: solves A_II z = rhs by KLU, in a shared library of its own.
//
//   B = R A_II C,   P B Q = L U in blocks,   z_I = C (B^-1 R rhs_I)
//
// analyse copies the entries of A. update cuts out A_II and scales it. KLU then permutes it to
// block triangular form, orders it and factors it. R and C are powers of two, so scaling rounds
// nothing. They bring the largest entry of each row and column near 1, so that the test
// |pivot| > floor means the same in all units. KLU itself refuses only a pivot that is exactly
// zero, so the test is made here, on the diagonal of U. Each solve is refined once.
// Cost of update: the entries of the free columns, and KLU's factorisation. The values of A do not
// change between two updates, so an update with the same free rows does nothing.
#include <klu.h>
#include <math.h>
#include <perp/method.h>

const perp_linear_ops *perp_backend_linear(void);

typedef struct linear {
  perp_allocator memory;
  int32_t n, m;             // m: free rows
  perp_csc A;               // all entries
  double *r, *c;            // n each, m used: R and C
  double *v, *w;            // n each: work
  int32_t *set, *local;     // n each: the free rows; their inverse, or -1
  int32_t *colptr;          // n + 1: of B
  int32_t *row;             // entries of A: of B
  double *value;            // entries of A: of B
  uint8_t *mask;            // n: 1: free in the last update
  klu_common common;
  klu_symbolic *symbolic;
  klu_numeric *numeric;
  int32_t known;            // rows of the last successful factorisation; `flops` are its flops
  double flops;
  int32_t failed;           // as update returned it: solve refuses unless 0
} linear;

static size_t bytes(const perp_limits *limits) {
  const size_t n = (size_t)limits->n;
  return sizeof(linear) + 4*n*sizeof(double) + (3*n + 1)*sizeof(int32_t) + n;
}

static linear *layout(void *memory, int32_t n) {
  linear *self = memory;
  double *const vectors = (double *)(self + 1);
  int32_t *const indices = (int32_t *)(vectors + 4*(size_t)n);
  *self = (linear){
    .n = n, .failed = 1,   // until the first update
    .r = vectors, .c = vectors + n, .v = vectors + 2*(size_t)n, .w = vectors + 3*(size_t)n,
    .set = indices, .local = indices + n, .colptr = indices + 2*(size_t)n,
    .mask = (uint8_t *)(indices + 3*(size_t)n + 1)};
  return self;
}

static void forget(linear *self) {
  if (self->numeric != NULL) klu_free_numeric(&self->numeric, &self->common);
  if (self->symbolic != NULL) klu_free_symbolic(&self->symbolic, &self->common);
}

static void release(void *memory) {
  linear *self = memory;
  forget(self);
  perp_entries_free(&self->memory, &self->A);
  if (self->row != NULL) self->memory.release(self->memory.context, self->row);
  if (self->value != NULL) self->memory.release(self->memory.context, self->value);
  self->row = NULL;
  self->value = NULL;
}

static int analyse(void *memory, const perp_operator *A, const perp_options *options,
                   const perp_allocator *allocator) {
  (void)options;
  linear *self = layout(memory, A->n);
  self->memory = *allocator;
  klu_defaults(&self->common);
  self->common.tol = 0.1;     // as sparse_lu: KLU's own 0.001 is for circuits
  self->common.scale = 0;     // scaled already
  const perp_error error = perp_copy_entries(A, 0, allocator, &self->A);
  if (error != PERP_OK) return error == PERP_ERROR_MEMORY ? -2 : 1;
  const size_t room = (size_t)self->A.colptr[self->n] + 1;
  self->row = allocator->allocate(allocator->context, room*sizeof *self->row);
  self->value = allocator->allocate(allocator->context, room*sizeof *self->value);
  if (self->row != NULL && self->value != NULL) return 0;
  release(self);
  return -2;
}

static double larger(double a, double b) { return b > a || b != b ? b : a; }   // NaN stays

static double near_one(double largest) {   // a power of two near 1/largest; 1 for a row of zeros
  int e = 0;
  if (largest > 0.0) frexp(largest, &e);
  return ldexp(1.0, e < -1000 ? 1000 : e > 1000 ? -1000 : -e);
}

// Makes B for these free rows.
static void cut(linear *self, const uint8_t *is_free) {
  const perp_csc *A = &self->A;
  int32_t *const row = self->row, *const colptr = self->colptr;
  double *const value = self->value;
  int32_t m = 0, count = 0;
  for (int32_t i = 0; i < self->n; i++) {
    self->mask[i] = is_free[i] != 0;
    self->local[i] = is_free[i] ? m : -1;
    if (is_free[i]) self->set[m++] = i;
  }
  self->m = m;
  for (int32_t k = 0; k < m; k++) self->r[k] = 0.0;
  for (int32_t k = 0; k < m; k++) {
    colptr[k] = count;
    for (int32_t j = self->set[k], p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = self->local[A->row[p]];
      if (i < 0) continue;
      row[count] = i;
      value[count++] = A->value[p];
      self->r[i] = larger(self->r[i], fabs(A->value[p]));
    }
  }
  colptr[m] = count;
  for (int32_t k = 0; k < m; k++) self->r[k] = near_one(self->r[k]);
  for (int32_t k = 0; k < m; k++) {
    double largest = 0.0;
    for (int32_t p = colptr[k]; p < colptr[k + 1]; p++) {
      value[p] *= self->r[row[p]];
      largest = larger(largest, fabs(value[p]));
    }
    self->c[k] = near_one(largest);
    for (int32_t p = colptr[k]; p < colptr[k + 1]; p++) value[p] *= self->c[k];
  }
}

// k > 0: singular at the k-th free row; -2: no memory
static int factor(linear *self) {
  klu_common *common = &self->common;
  self->symbolic = klu_analyze(self->m, self->colptr, self->row, common);
  if (self->symbolic == NULL) return -2;
  self->numeric = klu_factor(self->colptr, self->row, self->value, self->symbolic, common);
  if (common->status == KLU_SINGULAR) return common->singular_col + 1;
  if (self->numeric == NULL) return -2;
  // Entries are near 1, and few of them add up in a pivot. A pivot below the floor is rounding.
  const double *U = self->numeric->Udiag, floor = (self->m < 64 ? self->m : 64)*0x1p-52;   // m
  for (int32_t k = 0; k < self->m; k++)
    if (!(fabs(U[k]) > floor) || !(fabs(U[k]) < (double)INFINITY))
      return self->symbolic->Q[k] + 1;
  return 0;
}

static int has_passed(const perp_deadline *deadline) {
  return deadline != NULL && deadline->passed != NULL && deadline->passed(deadline->context) != 0;
}

static int is_same(const linear *self, const uint8_t *is_free) {
  for (int32_t i = 0; i < self->n; i++)
    if ((is_free[i] != 0) != self->mask[i]) return 0;
  return 1;
}

static int update(void *memory, const uint8_t *is_free, const perp_deadline *deadline) {
  linear *self = memory;
  if (self->failed == 0 && is_same(self, is_free)) return 0;
  forget(self);
  self->failed = 1;
  if (has_passed(deadline)) return -1;
  cut(self, is_free);
  if (self->m > 0) {          // KLU refuses matrices without rows
    const int status = factor(self);
    if (status != 0) return status;
    klu_flops(self->symbolic, self->numeric, &self->common);
    self->known = self->m;
    self->flops = self->common.flops + 10.0*(self->numeric->lnz + self->numeric->unz);
  }
  if (has_passed(deadline)) return -1;
  self->failed = 0;
  return 0;
}

static void apply_inverse(linear *self, int transposed, double *v) {   // v <- B^-1 v, or B'^-1 v
  if (self->m > 0)
    (transposed ? klu_tsolve : klu_solve)(self->symbolic, self->numeric, self->m, 1, v,
                                          &self->common);
}

static void subtract(const linear *self, int transposed, const double *v, double *w) {
  for (int32_t k = 0; k < self->m; k++)                 // w <- w - B v, or w - B' v
    for (int32_t p = self->colptr[k]; p < self->colptr[k + 1]; p++) {
      const int32_t i = self->row[p];
      if (transposed) w[k] -= self->value[p]*v[i];
      else w[i] -= self->value[p]*v[k];
    }
}

static int solve_either(linear *self, int transposed, const double *rhs, double *z,
                        const perp_deadline *deadline) {
  const double *const in = transposed ? self->c : self->r;
  const double *const out = transposed ? self->r : self->c;
  double *const v = self->v, *const w = self->w;
  double size = 0.0, step = 0.0;
  for (int32_t i = 0; i < self->n; i++) z[i] = 0.0;
  if (self->failed != 0) return 1;
  if (has_passed(deadline)) return -1;
  for (int32_t k = 0; k < self->m; k++) v[k] = w[k] = in[k]*rhs[self->set[k]];
  apply_inverse(self, transposed, v);
  subtract(self, transposed, v, w);
  apply_inverse(self, transposed, w);
  for (int32_t k = 0; k < self->m; k++) {
    size = larger(size, fabs(v[k]));
    step = larger(step, fabs(w[k]));
  }
  const int refine = step <= size;   // a larger step is not a correction
  for (int32_t k = 0; k < self->m; k++)
    z[self->set[k]] = out[k]*(refine ? v[k] + w[k] : v[k]);
  return 0;
}

static int solve(void *memory, const double *rhs, double *z, const perp_deadline *deadline) {
  return solve_either(memory, 0, rhs, z, deadline);
}

static int solve_transposed(void *memory, const double *rhs, double *z,
                            const perp_deadline *deadline) {
  return solve_either(memory, 1, rhs, z, deadline);
}

// A nanosecond per flop. Before the first factorisation it assumes that each column of L and U has
// twice A's entries.
static double estimate(const void *memory, const uint8_t *is_free) {
  const linear *self = memory;
  const perp_csc *A = &self->A;
  double m = 0.0, flops = 0.0;
  for (int32_t i = 0; i < A->columns; i++) {
    if (!is_free[i]) continue;
    const double length = A->colptr[i + 1] - A->colptr[i];
    m += 1.0;
    flops += 4.0*length*length + 20.0*length;
  }
  if (self->known > 0) flops = self->flops*(m/self->known)*(m/self->known) + 50.0*m;
  return (flops + 100.0)*1e-9;
}

static const perp_linear_ops ops = {
  .name = "klu",
  .title = "sparse LU of SuiteSparse (KLU)",
  .accepts = perp_has_entries,
  .bytes = bytes,
  .analyse = analyse,
  .update = update,
  .solve = solve,
  .estimate = estimate,
  .release = release,
  .solve_transposed = solve_transposed,
};

const perp_linear_ops *perp_backend_linear(void) { return &ops; }
