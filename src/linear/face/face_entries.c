// face_entries.c: the face by the entries of A: a sparse LDL' whose rows come and go.
//
//     S = R (A + sigma I) R,   S_II z = r
// R has powers of two that bring the diagonal near 1. One analysis of the whole pattern serves
// every I: rows that are not free are rows of the identity.
// A new factor solves with a backward error of a few roundings for every definite S_II (Higham,
// Accuracy and stability, 10.1). Modifications add to the error. So a first residual above
// FACE_ERROR_MAX shows that the factor must be made again.
// Cost: see sparse_ldl.c and sparse_ldl_rows.c.
#include "face_kind.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "assemble.h"
#include "dense_kernels.h"
#include "operator.h"
#include "sparse_ldl.h"
#include "vector.h"

// Overhead of a factorisation, in operations per row. Without it, walls hit by a fast ball take a
// fourth factorisation (test_active_set).
#define ROW_OVERHEAD_FLOPS 300.0
// Time per operation of a row modification, relative to one of a factorisation. With 1, obstacles
// and liquids take up to 1.11 times the work; with 0, a stack of spheres takes 27 times the work.
#define MODIFY_TIME_RATIO 0.25

typedef struct entries_face {
  row_face by;
  perp_allocator memory;
  perp_csc S;                // R (A + sigma I) R: the analysed pattern
  double *value;             // of S
  double *diagonal;          // n: of R A R
  int32_t *at;               // n: places of the diagonal of S
  double *r;                 // n: R
  double *rhs, *rest;        // n each: work of a solve
  double *plus;              // n, all 1: the signs of the pivots
  sparse_ldl *ldl;
  double sigma;              // of S
  double norm;               // largest row sum of |S|
} entries_face;

static void destroy(face *base) {
  entries_face *f = (entries_face *)base;
  const perp_allocator memory = f->memory;
  void *const blocks[] = {f->diagonal, f->at, f->r, f->rhs, f->rest, f->plus, f->by.kept};
  for (size_t k = 0; k < sizeof blocks/sizeof blocks[0]; k++) allocator_drop(&memory, blocks[k]);
  sparse_ldl_destroy(f->ldl);
  assembled_free(&memory, &f->S);
  allocator_drop(&memory, f);
}

// S <- R S R. Brings the diagonal near 1, or the largest entry if the diagonal is 0.
static void scale(entries_face *f) {
  const perp_csc *S = &f->S;
  for (int32_t j = 0; j < f->by.n; j++) {
    double largest = 0.0;
    for (int32_t p = S->colptr[j]; p < S->colptr[j + 1]; p++) {
      if (S->row[p] == j) f->at[j] = p;
      largest = max2(largest, fabs(f->value[p]));
    }
    const double d = fabs(f->value[f->at[j]]);
    f->r[j] = power_near_root(d > 0x1p-60*largest ? d : largest, SCALE_EXPONENT_MAX);
  }
  for (int32_t j = 0; j < f->by.n; j++)
    for (int32_t p = S->colptr[j]; p < S->colptr[j + 1]; p++)
      f->value[p] *= f->r[j]*f->r[S->row[p]];
  for (int32_t j = 0; j < f->by.n; j++) f->diagonal[j] = f->value[f->at[j]];
}

static void put_shift(entries_face *f, double sigma) {
  f->sigma = sigma;
  f->by.factored = f->by.ready = 0;
  f->norm = 0.0;
  for (int32_t j = 0; j < f->by.n; j++) {
    double sum = 0.0;
    f->value[f->at[j]] = f->diagonal[j] + sigma*f->r[j]*f->r[j];
    for (int32_t p = f->S.colptr[j]; p < f->S.colptr[j + 1]; p++) sum += fabs(f->value[p]);
    f->norm = max2(f->norm, sum);
  }
}

static void shift(face *base, double sigma) {
  entries_face *f = (entries_face *)base;
  if (sigma != f->sigma) put_shift(f, sigma);
}

static int refactor(row_face *by, const perp_deadline *deadline) {
  entries_face *f = (entries_face *)by;
  by->factored = by->ready = 0;
  by->since = 0;
  by->base.factorizations++;
  const int code = sparse_ldl_factor(f->ldl, &f->S, by->kept, FACE_PIVOT_MIN, deadline);
  by->factored = by->ready = code == 0;
  return code;
}

static double flops_kept(const row_face *by, const uint8_t *is_free) {
  const entries_face *f = (const entries_face *)by;
  return sparse_ldl_flops_kept(f->ldl, is_free) + ROW_OVERHEAD_FLOPS*by->n;
}

static double flops_row(const row_face *by, int32_t i) {
  const entries_face *f = (const entries_face *)by;
  return MODIFY_TIME_RATIO*sparse_ldl_row_flops(f->ldl, &f->S, i);
}

static int modify(row_face *by, int32_t i, uint8_t comes) {
  entries_face *f = (entries_face *)by;
  const int code = comes ? sparse_ldl_add(f->ldl, &f->S, by->kept, i, FACE_PIVOT_MIN)
                         : sparse_ldl_delete(f->ldl, &f->S, i, FACE_PIVOT_MIN);
  if (code == 1) return i + 1;
  by->kept[i] = comes;
  by->since++;
  return code == 0 ? 0 : FACE_REFACTOR;
}

static const row_kind by_rows = {flops_kept, flops_row, modify, refactor};

// rest <- rhs - S_II v. Returns max|rest| / (|S| max|v| + max|rhs|).
static double residual(entries_face *f, const double *v) {
  double most = 0.0, size = 0.0, right = 0.0;
  memcpy(f->rest, f->rhs, (size_t)f->by.n*sizeof *f->rest);
  for (int32_t j = 0; j < f->by.n; j++) {
    if (v[j] == 0.0) continue;
    for (int32_t p = f->S.colptr[j]; p < f->S.colptr[j + 1]; p++)
      f->rest[f->S.row[p]] -= f->value[p]*v[j];
  }
  for (int32_t i = 0; i < f->by.n; i++) {
    if (!f->by.kept[i]) f->rest[i] = 0.0;
    most = max_or_nan(most, fabs(f->rest[i]));
    size = max2(size, fabs(v[i]));
    right = max2(right, fabs(f->rhs[i]));
  }
  const double all = f->norm*size + right;
  return all > 0.0 ? most/all : most;
}

static void first_solve(entries_face *f, double *v) {
  memcpy(v, f->rhs, (size_t)f->by.n*sizeof *v);
  sparse_ldl_solve(f->ldl, v);
}

static int solve(face *base, double *v, int refine) {
  entries_face *f = (entries_face *)base;
  const int32_t n = f->by.n;
  for (int32_t i = 0; i < n; i++) f->rhs[i] = f->by.kept[i] && f->by.ready ? f->r[i]*v[i] : 0.0;
  memset(v, 0, (size_t)n*sizeof *v);
  if (!f->by.ready) return 1;
  first_solve(f, v);
  if (refine > 0) {
    double error = residual(f, v);
    if (!(error <= FACE_ERROR_MAX) && f->by.since > 0) {
      if (refactor(&f->by, base->deadline) != 0) {
        memset(v, 0, (size_t)n*sizeof *v);
        return 1;
      }
      first_solve(f, v);
      error = residual(f, v);
    }
    for (int k = 0; k < refine && error > FACE_REFINED_ERROR_MAX; k++) {
      sparse_ldl_solve(f->ldl, f->rest);
      for (int32_t i = 0; i < n; i++) v[i] += f->rest[i];
      const double before = error;
      error = residual(f, v);
      if (!(error < 0.5*before)) break;   // rounding is reached, or refinement does not converge
    }
  }
  for (int32_t i = 0; i < n; i++) v[i] = f->by.kept[i] ? f->r[i]*v[i] : 0.0;
  return face_checked(n, v, 1);
}

static double flops_factor(const face *base) {
  return sparse_ldl_flops(((const entries_face *)base)->ldl);
}

static int64_t nnz(const face *base) { return sparse_ldl_nnz(((const entries_face *)base)->ldl); }

// Each entry is used once, so an operation takes twice as long as in a factorisation.
static double flops_solve(const face *base) { return 8.0*(double)nnz(base); }

static const face_kind kind = {
  .destroy = destroy, .shift = shift, .update = row_face_update, .solve = solve,
  .flops_factor = flops_factor, .flops_rows = row_face_flops_rows, .flops_solve = flops_solve,
  .nnz = nnz, .flops_update = row_face_flops_update,
};

face *face_entries_of(perp_csc *A, const perp_allocator *allocator, int *failed) {
  const perp_allocator memory = allocator_of(allocator);
  const int32_t n = A->columns;
  entries_face *f = allocator_take(&memory, 1, sizeof *f);
  *failed = -2;
  if (f == NULL) {
    assembled_free(&memory, A);
    return NULL;
  }
  *f = (entries_face){.by = {.base = face_new(&kind), .rows = &by_rows, .n = n},
                      .memory = memory, .S = *A};
  *A = (perp_csc){0};
  f->at = allocator_take(&memory, n, sizeof *f->at);
  f->by.kept = allocator_take(&memory, n, sizeof *f->by.kept);
  f->ldl = sparse_ldl_create(&memory);
  int taken = f->at != NULL && f->by.kept != NULL && f->ldl != NULL;
  double **const vectors[] = {&f->diagonal, &f->r, &f->rhs, &f->rest, &f->plus};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    taken &= (*vectors[k] = allocator_take(&memory, n, sizeof(double))) != NULL;
  if (taken) {
    *failed = 2*sparse_ldl_analyse(f->ldl, &f->S);
    if (*failed == -4) *failed = -2;
  }
  if (*failed != 0) {
    destroy(&f->by.base);
    return NULL;
  }
  f->value = (double *)f->S.value;   // assemble_csc made it, so it may be changed
  for (int32_t i = 0; i < n; i++) {
    f->plus[i] = 1.0;
    f->by.kept[i] = 0;
  }
  sparse_ldl_regularise(f->ldl, f->plus, 0.0);
  scale(f);
  put_shift(f, 0.0);
  return &f->by.base;
}

face *face_entries_create(const perp_operator *A, const perp_allocator *allocator, int *failed) {
  perp_csc S = {0};
  *failed = assemble_csc(A, 1, allocator, &S);
  return *failed == 0 ? face_entries_of(&S, allocator, failed) : NULL;
}
