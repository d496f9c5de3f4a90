// SPDX-License-Identifier: GPL-2.0-or-later
// cholmod.c: solves A_II z = rhs for symmetric A by CHOLMOD, in a shared library of its own.
//
//   S = diag(s) A diag(s), rows and columns outside I those of the identity;  P S P' = L D L'
//
// S is ordered and analysed once. From then on L follows I: a row that becomes free is added, one
// that becomes bound is deleted (Davis, Hager: Row modifications of a sparse Cholesky
// factorization, 2005), each at the cost of the columns on its path to the root; if that would cost
// more than a factorisation, S is factored again. Scaling by powers of two rounds nothing and brings
// the diagonal near 1, so that the test pivot > floor means the same in all units; a pivot that
// fails it, or is negative, is reported as a singular row. Solutions are refined once; if the
// correction shows that modifications have spoilt L, L is computed again first.
//
// This file is under the GPL, unlike the rest of perp, because the modules Supernodal and Modify of
// CHOLMOD are. libperp is not linked with it.
#include <cholmod.h>
#include <math.h>
#include <perp/method.h>
#include <string.h>

const perp_linear_ops *perp_backend_linear(void);

#define ROW_FLOPS 16.0     // of a row modification per entry on its path, indirect access included
#define DRIFT 1e-9         // relative size of a correction that makes L distrusted

typedef struct linear {
  perp_allocator memory;
  int32_t n;
  perp_csc A;               // all entries, scaled
  double *s;                // n: powers of two
  uint8_t *mask;            // n: the free rows
  int32_t *place;           // n: the inverse of the order of L
  double *path;             // n: entries of the columns of L from a row to the root
  double *v, *w;            // n each: work
  int32_t *colptr, *row;    // n + 1, entries of A: S below its diagonal, of the mask
  double *value;
  cholmod_common common;
  cholmod_factor *pattern;  // the analysis
  cholmod_factor *L;        // NULL: none
  cholmod_dense *Y, *E;     // workspace of cholmod_solve2
  cholmod_dense *X;         // its result
  double flops;             // of a factorisation of all of A
  int32_t modified;         // rows added and deleted since the last factorisation
  int32_t failed;           // as update returned it: solve refuses unless 0
} linear;

static size_t bytes(const perp_limits *limits) {
  const size_t n = (size_t)limits->n;
  return sizeof(linear) + 4*n*sizeof(double) + (2*n + 1)*sizeof(int32_t) + n;
}

static linear *layout(void *memory, int32_t n) {
  linear *self = memory;
  double *const vectors = (double *)(self + 1);
  int32_t *const indices = (int32_t *)(vectors + 4*(size_t)n);
  *self = (linear){
    .n = n, .failed = 1,   // until the first update
    .s = vectors, .path = vectors + n, .v = vectors + 2*(size_t)n, .w = vectors + 3*(size_t)n,
    .place = indices, .colptr = indices + n, .mask = (uint8_t *)(indices + 2*(size_t)n + 1)};
  return self;
}

static int accepts(const perp_operator *A) {
  return perp_has_entries(A) && (A->claims & PERP_CLAIM_SYMMETRIC) != 0;
}

static void release(void *memory) {
  linear *self = memory;
  cholmod_common *common = &self->common;
  cholmod_free_factor(&self->L, common);
  cholmod_free_factor(&self->pattern, common);
  cholmod_free_dense(&self->X, common);
  cholmod_free_dense(&self->Y, common);
  cholmod_free_dense(&self->E, common);
  cholmod_finish(common);
  perp_entries_free(&self->memory, &self->A);
  if (self->row != NULL) self->memory.release(self->memory.context, self->row);
  if (self->value != NULL) self->memory.release(self->memory.context, self->value);
  self->row = NULL;
  self->value = NULL;
}

// A <- diag(s) A diag(s), s powers of two, with a diagonal in [1/2, 2); rows without a positive
// diagonal entry, which no definite block has, keep 1.
static void scale(linear *self) {
  const perp_csc *A = &self->A;
  double *const value = (double *)(uintptr_t)A->value;   // our own copy
  for (int32_t j = 0; j < self->n; j++) {
    self->s[j] = 1.0;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      int e = 0;
      if (A->row[p] != j || !(A->value[p] > 0.0) || A->value[p] == (double)INFINITY) continue;
      frexp(A->value[p], &e);
      self->s[j] = ldexp(1.0, -(e >= 0 ? e/2 : -((1 - e)/2)));
    }
  }
  for (int32_t j = 0; j < self->n; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
      value[p] *= self->s[A->row[p]]*self->s[j];
}

// The lower triangle as CHOLMOD sees it; nothing is copied, and CHOLMOD does not write to it.
static cholmod_sparse view(int32_t n, const int32_t *colptr, const int32_t *row,
                           const double *value) {
  return (cholmod_sparse){.nrow = (size_t)n, .ncol = (size_t)n, .nzmax = (size_t)colptr[n],
                          .p = (void *)(uintptr_t)colptr, .i = (void *)(uintptr_t)row,
                          .x = (void *)(uintptr_t)value, .stype = -1, .itype = CHOLMOD_INT,
                          .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE, .sorted = 1, .packed = 1};
}

// path[i] for every row i: the columns that a modification of row i can touch.
static int measure_paths(linear *self, cholmod_sparse *S) {
  cholmod_common *common = &self->common;
  const int *order = self->pattern->Perm, *count = self->pattern->ColCount;
  cholmod_sparse *upper = cholmod_ptranspose(S, 0, self->pattern->Perm, NULL, 0, common);
  int *parent = cholmod_malloc((size_t)self->n, sizeof *parent, common);
  const int fine = upper != NULL && parent != NULL && cholmod_etree(upper, parent, common);
  for (int32_t k = self->n - 1; fine && k >= 0; k--)
    self->path[order[k]] = count[k] + (parent[k] >= 0 ? self->path[order[parent[k]]] : 0.0);
  for (int32_t k = 0; k < self->n; k++) self->place[order[k]] = k;
  cholmod_free((size_t)self->n, sizeof *parent, parent, common);
  cholmod_free_sparse(&upper, common);
  return fine ? 0 : -2;
}

static int analyse(void *memory, const perp_operator *A, const perp_options *options,
                   const perp_allocator *allocator) {
  (void)options;
  if (!accepts(A)) return 1;
  linear *self = layout(memory, A->n);
  self->memory = *allocator;
  cholmod_start(&self->common);
  self->common.print = 0;
  self->common.final_pack = 0;    // columns keep their room for rows that come back
  const perp_error error = perp_copy_entries(A, 1, allocator, &self->A);
  int status = error == PERP_OK ? 0 : error == PERP_ERROR_MEMORY ? -2 : 1;
  if (status == 0 && self->n > 0) {
    const size_t entries = (size_t)self->A.colptr[self->n];
    self->row = allocator->allocate(allocator->context, entries*sizeof *self->row);
    self->value = allocator->allocate(allocator->context, entries*sizeof *self->value);
    scale(self);
    cholmod_sparse S = view(self->n, self->A.colptr, self->A.row, self->A.value);
    if (self->row != NULL && self->value != NULL)
      self->pattern = cholmod_analyze(&S, &self->common);
    self->flops = self->common.fl;
    status = self->pattern != NULL ? measure_paths(self, &S) : -2;
  }
  if (status != 0) release(self);
  return status;
}

// S below its diagonal: the entries between free rows, and 1 for the others.
static cholmod_sparse cut(linear *self) {
  const perp_csc *A = &self->A;
  int32_t count = 0;
  for (int32_t j = 0; j < self->n; j++) {
    self->colptr[j] = count;
    if (!self->mask[j]) {
      self->row[count] = j;
      self->value[count++] = 1.0;
      continue;
    }
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      if (A->row[p] < j || !self->mask[A->row[p]]) continue;
      self->row[count] = A->row[p];
      self->value[count++] = A->value[p];
    }
  }
  self->colptr[self->n] = count;
  return view(self->n, self->colptr, self->row, self->value);
}

// The k-th free row, counted from 1, of the column of L at which it went wrong.
static int singular_at(const linear *self, size_t column) {
  const int32_t row = ((const int *)self->pattern->Perm)[column];
  int count = 1;
  for (int32_t i = 0; i < row; i++) count += self->mask[i];
  return count;
}

// Pivots below it are rounding: entries near 1, few of which meet.
static double floor_of(const linear *self) { return (self->n < 64 ? self->n : 64)*0x1p-52; }

static int is_pivot(const linear *self, double d) {
  return d > floor_of(self) && d < (double)INFINITY;
}

// 0, or the free row of the first pivot that is no pivot.
static int check_pivots(const linear *self) {
  const cholmod_factor *L = self->L;
  const double *x = L->x;
  if (L->minor < L->n) return singular_at(self, L->minor);
  if (!L->is_super) {
    const int *p = L->p;
    for (size_t k = 0; k < L->n; k++)
      if (!is_pivot(self, L->is_ll ? x[p[k]]*x[p[k]] : x[p[k]])) return singular_at(self, k);
    return 0;
  }
  const int *first = L->super, *rows = L->pi, *at = L->px;   // columns, rows and panels
  for (size_t s = 0; s < L->nsuper; s++)
    for (int k = first[s], c = 0; k < first[s + 1]; k++, c++) {
      const double root = x[at[s] + c*(rows[s + 1] - rows[s]) + c];
      if (!is_pivot(self, root*root)) return singular_at(self, (size_t)k);
    }
  return 0;
}

static int factor(linear *self) {
  cholmod_common *common = &self->common;
  cholmod_sparse S = cut(self);
  cholmod_free_factor(&self->L, common);
  self->modified = 0;
  self->L = cholmod_copy_factor(self->pattern, common);
  if (self->L == NULL) return -2;
  cholmod_factorize(&S, self->L, common);
  if (common->status < CHOLMOD_OK) return -2;
  return check_pivots(self);
}

// 1: no memory, or a row that cannot be added: factor again
static int add(linear *self, int32_t i) {
  const perp_csc *A = &self->A;
  cholmod_common *common = &self->common;
  const int32_t length = A->colptr[i + 1] - A->colptr[i];
  cholmod_sparse *R = cholmod_allocate_sparse((size_t)self->n, 1, (size_t)length, 0, 1, 0,
                                              CHOLMOD_REAL, common);
  if (R == NULL) return 1;
  int *const index = R->i, *const colptr = R->p, count = 0;
  double *const value = R->x;
  for (int32_t p = A->colptr[i]; p < A->colptr[i + 1]; p++) {
    if (!self->mask[A->row[p]]) continue;
    index[count] = self->place[A->row[p]];
    value[count++] = A->value[p];
  }
  colptr[0] = 0;
  colptr[1] = count;
  const int fine = cholmod_sort(R, common) &&
                   cholmod_rowadd((size_t)self->place[i], R, self->L, common) &&
                   common->status == CHOLMOD_OK;
  cholmod_free_sparse(&R, common);
  return !fine;
}

// What turning L into that of the mask takes by rows.
static double row_flops(const linear *self, const uint8_t *is_free) {
  double sum = 0.0;
  for (int32_t i = 0; i < self->n; i++)
    if ((is_free[i] != 0) != self->mask[i]) sum += ROW_FLOPS*self->path[i];
  return sum;
}

static double factor_flops(const linear *self, const uint8_t *is_free) {
  int32_t rows = 0;
  for (int32_t i = 0; i < self->n; i++) rows += is_free[i] != 0;
  const double part = (double)rows/(self->n > 0 ? self->n : 1);
  return part*self->flops + 10.0*self->A.colptr[self->n];
}

static int has_passed(const perp_deadline *deadline) {
  return deadline != NULL && deadline->passed != NULL && deadline->passed(deadline->context) != 0;
}

// 0: fine, 1: factor again, -1: deadline
static int follow(linear *self, const uint8_t *is_free, const perp_deadline *deadline) {
  for (int pass = 0; pass < 2; pass++)              // deletions first: they keep it definite
    for (int32_t i = 0; i < self->n; i++) {
      const uint8_t wanted = is_free[i] != 0;
      if (wanted == self->mask[i] || wanted != pass) continue;
      if (has_passed(deadline)) return -1;
      self->mask[i] = wanted;
      self->modified++;
      if (wanted ? add(self, i)
                 : !cholmod_rowdel((size_t)self->place[i], NULL, self->L, &self->common))
        return 1;
    }
  return check_pivots(self) != 0;
}

static int update(void *memory, const uint8_t *is_free, const perp_deadline *deadline) {
  linear *self = memory;
  if (has_passed(deadline)) return -1;
  int status = 1;
  if (self->failed == 0 && self->n > 0 && row_flops(self, is_free) <= factor_flops(self, is_free)) {
    self->failed = 1;
    status = follow(self, is_free, deadline);
    if (status < 0) return status;
  }
  self->failed = 1;
  if (status != 0 && self->n > 0) {
    for (int32_t i = 0; i < self->n; i++) self->mask[i] = is_free[i] != 0;
    status = factor(self);
    if (status != 0) return status;
  }
  if (has_passed(deadline)) return -1;
  self->failed = 0;
  return 0;
}

static int apply_inverse(linear *self, double *v) {   // v <- S^-1 v
  const size_t n = (size_t)self->n;
  cholmod_dense B = {.nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = v, .xtype = CHOLMOD_REAL,
                     .dtype = CHOLMOD_DOUBLE};
  if (!cholmod_solve2(CHOLMOD_A, self->L, &B, NULL, &self->X, NULL, &self->Y, &self->E,
                      &self->common))
    return -2;
  memcpy(v, self->X->x, n*sizeof *v);
  return 0;
}

// w <- w - S v on the free rows; v and w are 0 elsewhere, and S = S'
static void subtract(const linear *self, const double *v, double *w) {
  const perp_csc *A = &self->A;
  for (int32_t j = 0; j < self->n; j++) {
    if (!self->mask[j]) continue;
    double sum = 0.0;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) sum += A->value[p]*v[A->row[p]];
    w[j] -= sum;
  }
}

static double larger(double a, double b) { return b > a || b != b ? b : a; }   // NaN stays

// v = S^-1 s rhs, refined once; *drifted: the correction was larger than a good factor leaves
static int solve_refined(linear *self, const double *rhs, int *drifted) {
  double *const v = self->v, *const w = self->w;
  double size = 0.0, step = 0.0;
  for (int32_t i = 0; i < self->n; i++) v[i] = w[i] = self->mask[i] ? self->s[i]*rhs[i] : 0.0;
  if (apply_inverse(self, v) != 0) return -2;
  subtract(self, v, w);
  if (apply_inverse(self, w) != 0) return -2;
  for (int32_t i = 0; i < self->n; i++) {
    size = larger(size, fabs(v[i]));
    step = larger(step, fabs(w[i]));
  }
  *drifted = !(step <= DRIFT*size);
  if (step <= size)                                   // a larger one is no correction
    for (int32_t i = 0; i < self->n; i++) v[i] += w[i];
  return 0;
}

static int solve(void *memory, const double *rhs, double *z, const perp_deadline *deadline) {
  linear *self = memory;
  int drifted = 0;
  for (int32_t i = 0; i < self->n; i++) z[i] = 0.0;
  if (self->failed != 0) return 1;
  if (has_passed(deadline)) return -1;
  if (self->n == 0) return 0;
  if (solve_refined(self, rhs, &drifted) != 0) return 1;
  if (drifted && self->modified > 0) {
    self->failed = 1;
    if (factor(self) != 0 || solve_refined(self, rhs, &drifted) != 0) return 1;
    self->failed = 0;
  }
  for (int32_t i = 0; i < self->n; i++) z[i] = self->s[i]*self->v[i];
  return 0;
}

static double estimate(const void *memory, const uint8_t *is_free) {
  const linear *self = memory;
  const double whole = factor_flops(self, is_free);
  const double rows = self->failed == 0 ? row_flops(self, is_free) : whole;
  return ((rows < whole ? rows : whole) + 50.0*self->n + 100.0)*1e-9;
}

static const perp_linear_ops ops = {
  .name = "cholmod",
  .title = "sparse Cholesky of SuiteSparse (CHOLMOD), by row modification",
  .accepts = accepts,
  .bytes = bytes,
  .analyse = analyse,
  .update = update,
  .solve = solve,
  .estimate = estimate,
  .release = release,
  .solve_transposed = solve,      // A = A'
};

const perp_linear_ops *perp_backend_linear(void) { return &ops; }
