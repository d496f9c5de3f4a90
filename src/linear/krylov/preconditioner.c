// preconditioner.c: chooses, builds and applies a preconditioner, and recovers from breakdowns.
//
// A factorisation that meets a nonpositive pivot restarts on A + shift diag(A) with a growing shift
// (Manteuffel 1980). If that fails, too, the result is Jacobi, and `used` says so.
// Cost: that of the factorisations tried.
#include "preconditioner.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "dense_kernels.h"

static void *take(const preconditioner *P, size_t count, size_t size) {
  if (count == 0) count = 1;
  return count <= SIZE_MAX/size ? P->memory.allocate(P->memory.context, count*size) : NULL;
}

static void drop_block(const preconditioner *P, void *block) {
  if (block != NULL) P->memory.release(P->memory.context, block);
}

preconditioner *preconditioner_create(const perp_allocator *allocator) {
  const perp_allocator memory = allocator_of(allocator);
  preconditioner *P = memory.allocate(memory.context, sizeof *P);
  if (P != NULL) *P = (preconditioner){.memory = memory};
  return P;
}

static void release_rows(preconditioner *P) {
  void *const all[] = {P->d, P->s, P->work, P->index, P->diagonal, P->colptr};
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) drop_block(P, all[k]);
  P->d = P->s = P->work = NULL;
  P->index = P->diagonal = P->colptr = NULL;
  P->room = 0;
}

void preconditioner_destroy(preconditioner *P) {
  if (P == NULL) return;
  release_rows(P);
  drop_block(P, P->row);
  drop_block(P, P->value);
  const perp_allocator memory = P->memory;
  memory.release(memory.context, P);
}

static int reserve_rows(preconditioner *P, int32_t n) {
  if (P->colptr != NULL && n <= P->room) return 0;
  release_rows(P);
  const size_t m = (size_t)n;
  P->d = take(P, m, sizeof *P->d);
  P->s = take(P, m, sizeof *P->s);
  P->work = take(P, m, sizeof *P->work);
  P->index = take(P, 2*m, sizeof *P->index);
  P->diagonal = take(P, m, sizeof *P->diagonal);
  P->colptr = take(P, m + 1, sizeof *P->colptr);
  if (P->d == NULL || P->s == NULL || P->work == NULL || P->index == NULL || P->diagonal == NULL ||
      P->colptr == NULL) {
    release_rows(P);
    return -2;
  }
  P->room = n;
  return 0;
}

int preconditioner_reserve(preconditioner *P, int64_t entries) {
  if (entries <= P->capacity) return 0;
  if (entries > INT32_MAX) return -2;
  const int64_t doubled = 2*P->capacity, wanted = entries > doubled ? entries : doubled;
  const size_t count = (size_t)(wanted < INT32_MAX ? wanted : INT32_MAX);
  int32_t *row = take(P, count, sizeof *row);
  double *value = take(P, count, sizeof *value);
  if (row == NULL || value == NULL) {
    drop_block(P, row);
    drop_block(P, value);
    return -2;
  }
  if (P->capacity > 0) {
    memcpy(row, P->row, (size_t)P->capacity*sizeof *row);
    memcpy(value, P->value, (size_t)P->capacity*sizeof *value);
  }
  drop_block(P, P->row);
  drop_block(P, P->value);
  P->row = row;
  P->value = value;
  P->capacity = (int64_t)count;
  return 0;
}

// 1/|A_ii|, so that P stays positive. Rows without a diagonal entry keep 1.
static int build_jacobi(preconditioner *P, const perp_csc *A, const double *diagonal) {
  P->used = PERP_PRECONDITIONER_JACOBI;
  for (int32_t j = 0; j < P->n; j++) {
    double a = diagonal != NULL ? diagonal[j] : 0.0;
    for (int32_t p = A != NULL ? A->colptr[j] : 0; A != NULL && p < A->colptr[j + 1]; p++)
      if (A->row[p] == j) a = A->value[p];
    const double inverse = 1.0/fabs(a);
    P->d[j] = inverse < (double)INFINITY && inverse > 0.0 ? inverse : 1.0;
  }
  return 0;
}

static int build_cholesky(preconditioner *P, const perp_csc *A, const perp_deadline *deadline) {
  // The first shift, 1e-4, hardly changes a well-conditioned A. The last one, 4^9 times as large,
  // makes every A with a positive diagonal dominant, unless its rows are long.
  enum { SHIFTS_MAX = 11 };   // shifts tried, the first one 0; with that alone, 4.4 times the work
  double shift = 0.0;
  for (int tries = 0; tries < SHIFTS_MAX; tries++) {
    P->shift = shift;
    const int code =
        incomplete_cholesky(P, A, P->used == PERP_PRECONDITIONER_MIC, shift, deadline);
    if (code != 1) return code;
    shift = shift > 0.0 ? 4.0*shift : 1e-4;
  }
  P->shift = 0.0;
  return build_jacobi(P, A, NULL);
}

// Sets the scales of the approximate inverse, D^-1/2, so that `drop` is relative to a unit
// diagonal. The plain variant has scale 1.
static void set_scales(preconditioner *P, const perp_csc *A) {
  for (int32_t j = 0; j < P->n; j++) {
    P->s[j] = 1.0;
    if (P->used == PERP_PRECONDITIONER_AINV_PLAIN) continue;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
      if (A->row[p] == j) P->s[j] = 1.0/sqrt(A->value[p]);
  }
}

static int positive_diagonal(const perp_csc *A) {
  for (int32_t j = 0; j < A->columns; j++) {
    int positive = 0;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
      positive |= A->row[p] == j && A->value[p] > 0.0;
    if (!positive) return 0;
  }
  return 1;
}

// The requested kind, or the most similar one that the matrix allows.
static perp_preconditioner possible(perp_preconditioner kind, const perp_csc *A,
                                    const double *diagonal, int symmetric) {
  if (kind == PERP_PRECONDITIONER_IDENTITY) return kind;
  if (A == NULL)
    return diagonal != NULL ? PERP_PRECONDITIONER_JACOBI : PERP_PRECONDITIONER_IDENTITY;
  if (kind == PERP_PRECONDITIONER_JACOBI || kind == PERP_PRECONDITIONER_ILU) return kind;
  if (!symmetric || !positive_diagonal(A)) return PERP_PRECONDITIONER_ILU;
  return kind == PERP_PRECONDITIONER_AUTO ? PERP_PRECONDITIONER_IC : kind;
}

int preconditioner_build(preconditioner *P, perp_preconditioner kind, int32_t n, const perp_csc *A,
                         const double *diagonal, int symmetric, double drop,
                         const perp_deadline *deadline) {
  P->n = n;
  P->mended = 0;
  P->shift = 0.0;
  P->used = PERP_PRECONDITIONER_IDENTITY;
  if (reserve_rows(P, n) != 0) return -2;
  P->used = possible(kind, A, diagonal, symmetric);
  int code = 0;
  switch (P->used) {
    case PERP_PRECONDITIONER_IC: case PERP_PRECONDITIONER_MIC:
      code = build_cholesky(P, A, deadline);
      break;
    case PERP_PRECONDITIONER_AINV_PLAIN: case PERP_PRECONDITIONER_AINV_SCALED:
    case PERP_PRECONDITIONER_AINV_STATIC:
      set_scales(P, A);
      code = approximate_inverse(P, A, drop, deadline);
      break;
    case PERP_PRECONDITIONER_ILU: code = incomplete_lu(P, A, deadline); break;
    case PERP_PRECONDITIONER_JACOBI: return build_jacobi(P, A, diagonal);
    default: break;
  }
  if (code < 0) P->used = PERP_PRECONDITIONER_IDENTITY;   // an unfinished factor cannot be used
  return code == 1 ? build_jacobi(P, A, NULL) : code;
}

int preconditioner_apply(void *self, const double *in, double *out) {
  const preconditioner *P = self;
  switch (P->used) {
    case PERP_PRECONDITIONER_IC: case PERP_PRECONDITIONER_MIC:
      incomplete_cholesky_solve(P, in, out);
      break;
    case PERP_PRECONDITIONER_AINV_PLAIN: case PERP_PRECONDITIONER_AINV_SCALED:
    case PERP_PRECONDITIONER_AINV_STATIC:
      approximate_inverse_apply(P, in, out);
      break;
    case PERP_PRECONDITIONER_ILU: incomplete_lu_solve(P, in, out); break;
    case PERP_PRECONDITIONER_JACOBI:
      for (int32_t i = 0; i < P->n; i++) out[i] = P->d[i]*in[i];
      break;
    default:
      for (int32_t i = 0; i < P->n; i++) out[i] = in[i];
      break;
  }
  return 0;
}
