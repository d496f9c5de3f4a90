// block_lu.c: factors a matrix of 6 x 6 blocks, whose pattern is a graph of bodies, as L U.
//
//     L_ik = A_ik A_kk^-1,   A_ij -= L_ik A_kj
// Each body in a pile touches a few others, so an order of minimum degree adds few blocks. The
// pattern is symmetric; the values need not be. A_kk^-1 is computed with row pivoting inside the
// block. Between blocks there is no pivoting; the caller checks the residual. Factored blocks are
// stored by columns.
// Cost: 2 6^3 sum m_k^2 operations, with m_k blocks in column k of L.
#include "block_lu.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "error_free.h"
#include "dense_kernels.h"
#include "sparse_lu.h"

struct block_lu {
  perp_allocator allocator;
  int32_t n;
  int32_t *order, *place;     // n: order of elimination, and its inverse
  int32_t *start;             // n + 1: blocks of column k of L (and of row k of U)
  int32_t *row;               // start[n], ascending
  int32_t *at, *parent;       // n: work; elimination tree
  double *diagonal;           // n blocks: inverses after factoring
  double *L, *U;              // start[n] blocks; those of U row-major
  double *work;               // BLOCK n
  int sign;                   // of the determinant
};

static void *take(const perp_allocator *from, size_t count, size_t size) {
  return from->allocate(from->context, (count > 0 ? count : 1)*size);
}

void block_lu_destroy(block_lu *f) {
  if (f == NULL) return;
  const perp_allocator from = f->allocator;
  void *const blocks[] = {f->order, f->place, f->start, f->row, f->at, f->parent, f->diagonal,
                          f->L, f->U, f->work, f};
  for (size_t k = 0; k < sizeof blocks/sizeof blocks[0]; k++)
    if (blocks[k] != NULL) from.release(from.context, blocks[k]);
}

// The pattern of L by rows: row i has the columns on the paths from its neighbours up the
// elimination tree. Pass 0 counts and builds the tree, pass 1 stores.
static void find_rows(block_lu *f, const perp_csc *both, int pass) {
  for (int32_t i = 0; i < f->n; i++) {
    const int32_t j = f->order[i];
    if (pass == 0) f->parent[i] = -1;
    f->at[i] = i;
    for (int32_t p = both->colptr[j]; p < both->colptr[j + 1]; p++)
      for (int32_t k = f->place[both->row[p]]; k < i && f->at[k] != i;) {
        f->at[k] = i;
        if (pass == 1) f->row[f->start[k]++] = i;
        else f->start[k + 1]++;
        if (f->parent[k] < 0) f->parent[k] = i;
        k = f->parent[k];
      }
  }
}

// The graph with both triangles; columns need not be sorted.
static int mirror(const perp_csc *graph, const perp_allocator *from, int32_t **colptr,
                  int32_t **row) {
  const int32_t n = graph->columns;
  *colptr = take(from, (size_t)n + 2, sizeof **colptr);
  *row = take(from, 2*(size_t)graph->colptr[n], sizeof **row);
  if (*colptr == NULL || *row == NULL) return 0;
  int32_t *next = *colptr;
  memset(next, 0, ((size_t)n + 2)*sizeof *next);
  for (int pass = 0; pass < 2; pass++) {
    for (int32_t j = 0; j < n; j++)
      for (int32_t p = graph->colptr[j]; p < graph->colptr[j + 1]; p++) {
        const int32_t i = graph->row[p];
        if (i == j) continue;
        if (pass == 0) {
          next[i + 2]++;
          next[j + 2]++;
        } else {
          (*row)[next[i + 1]++] = j;
          (*row)[next[j + 1]++] = i;
        }
      }
    for (int32_t j = 0; j < n && pass == 0; j++) next[j + 2] += next[j + 1];
  }
  return 1;
}

static int analyse(block_lu *f, const perp_csc *graph) {
  const perp_allocator *from = &f->allocator;
  const size_t n = (size_t)f->n;
  int32_t *colptr = NULL, *row = NULL;
  f->order = take(from, n, sizeof *f->order);
  f->place = take(from, n, sizeof *f->place);
  f->start = take(from, n + 1, sizeof *f->start);
  f->at = take(from, n, sizeof *f->at);
  f->parent = take(from, n, sizeof *f->parent);
  int ok = f->order != NULL && f->place != NULL && f->start != NULL && f->at != NULL &&
           f->parent != NULL && mirror(graph, from, &colptr, &row);
  const perp_csc both = {f->n, f->n, colptr, row, NULL};
  ok = ok && order_minimum_degree(&both, from, f->order) == 0;
  if (ok) {
    for (int32_t k = 0; k < f->n; k++) f->place[f->order[k]] = k;
    memset(f->start, 0, (n + 1)*sizeof *f->start);
    find_rows(f, &both, 0);
    for (int32_t k = 0; k < f->n; k++) f->start[k + 1] += f->start[k];
    f->row = take(from, (size_t)f->start[n], sizeof *f->row);
    ok = f->row != NULL;
  }
  if (ok) {
    find_rows(f, &both, 1);
    // Filling has moved the starts by one.
    for (int32_t k = f->n; k > 0; k--) f->start[k] = f->start[k - 1];
    f->start[0] = 0;
  }
  if (colptr != NULL) from->release(from->context, colptr);
  if (row != NULL) from->release(from->context, row);
  return ok;
}

block_lu *block_lu_create(const perp_csc *graph, const perp_allocator *given) {
  const perp_allocator from = allocator_of(given);
  block_lu *f = from.allocate(from.context, sizeof *f);
  if (f == NULL) return NULL;
  *f = (block_lu){.allocator = from, .n = graph->columns};
  int ok = analyse(f, graph);
  if (ok) {
    const size_t n = (size_t)f->n, blocks = (size_t)f->start[n];
    f->diagonal = take(&from, n*BLOCK_ENTRIES, sizeof(double));
    f->L = take(&from, blocks*BLOCK_ENTRIES, sizeof(double));
    f->U = take(&from, blocks*BLOCK_ENTRIES, sizeof(double));
    f->work = take(&from, n*BLOCK, sizeof(double));
    ok = f->diagonal != NULL && f->L != NULL && f->U != NULL && f->work != NULL;
  }
  if (ok) return f;
  block_lu_destroy(f);
  return NULL;
}

void block_lu_identity(block_lu *f) {
  const size_t n = (size_t)f->n, blocks = (size_t)f->start[n];
  memset(f->diagonal, 0, n*BLOCK_ENTRIES*sizeof *f->diagonal);
  memset(f->L, 0, blocks*BLOCK_ENTRIES*sizeof *f->L);
  memset(f->U, 0, blocks*BLOCK_ENTRIES*sizeof *f->U);
  for (size_t k = 0; k < n; k++)
    for (size_t d = 0; d < BLOCK; d++) f->diagonal[k*BLOCK_ENTRIES + d*(BLOCK + 1)] = 1.0;
}

static int32_t find(const block_lu *f, int32_t column, int32_t row) {
  int32_t a = f->start[column], b = f->start[column + 1];
  while (a < b) {
    const int32_t half = a + (b - a)/2;
    if (f->row[half] < row) a = half + 1;
    else b = half;
  }
  return a;
}

void block_lu_add(block_lu *f, int32_t i, int32_t j, const double *X) {
  const int32_t p = f->place[i], q = f->place[j];
  double *to = p == q  ? f->diagonal + (size_t)p*BLOCK_ENTRIES
               : p > q ? f->L + (size_t)find(f, q, p)*BLOCK_ENTRIES
                       : f->U + (size_t)find(f, p, q)*BLOCK_ENTRIES;
  for (int t = 0; t < BLOCK_ENTRIES; t++) to[t] += X[t];
}

static void swap_rows(double *A, int i, int j) {
  for (int k = 0; k < BLOCK; k++) {
    const double t = A[BLOCK*i + k];
    A[BLOCK*i + k] = A[BLOCK*j + k];
    A[BLOCK*j + k] = t;
  }
}

// Inverts A in place by Gauss-Jordan with row pivoting. Returns the sign of the determinant, or 0
// if A is singular.
static int invert(double *A) {
  int chosen[BLOCK], sign = 1;
  for (int k = 0; k < BLOCK; k++) {
    int p = k;
    for (int i = k + 1; i < BLOCK; i++)
      if (fabs(A[BLOCK*i + k]) > fabs(A[BLOCK*p + k])) p = i;
    chosen[k] = p;
    if (!(fabs(A[BLOCK*p + k]) > 1e-200)) return 0;
    if (p != k) swap_rows(A, k, p);
    if ((p != k) != (A[BLOCK*k + k] < 0.0)) sign = -sign;
    const double inverse = 1.0/A[BLOCK*k + k];
    A[BLOCK*k + k] = 1.0;
    for (int j = 0; j < BLOCK; j++) A[BLOCK*k + j] *= inverse;
    for (int i = 0; i < BLOCK; i++) {
      if (i == k) continue;
      const double t = A[BLOCK*i + k];
      A[BLOCK*i + k] = 0.0;
      for (int j = 0; j < BLOCK; j++) A[BLOCK*i + j] -= t*A[BLOCK*k + j];
    }
  }
  for (int k = BLOCK - 1; k >= 0; k--) {
    const int p = chosen[k];
    for (int i = 0; i < BLOCK && p != k; i++) {
      const double t = A[BLOCK*i + k];
      A[BLOCK*i + k] = A[BLOCK*i + p];
      A[BLOCK*i + p] = t;
    }
  }
  return sign;
}

EXACT_INLINE void multiply(const double *restrict A, const double *restrict B,
                            double *restrict C) {   // C = A B
  for (int i = 0; i < BLOCK; i++) {
    double sum[BLOCK] = {0.0};
    for (int k = 0; k < BLOCK; k++) {
      const double a = A[BLOCK*i + k];
      for (int j = 0; j < BLOCK; j++) sum[j] += a*B[BLOCK*k + j];
    }
    for (int j = 0; j < BLOCK; j++) C[BLOCK*i + j] = sum[j];
  }
}

EXACT_INLINE void subtract(const double *restrict A, const double *restrict B,
                            double *restrict C) {   // C -= A B
  for (int i = 0; i < BLOCK; i++) {
    double sum[BLOCK] = {0.0};
    for (int k = 0; k < BLOCK; k++) {
      const double a = A[BLOCK*i + k];
      for (int j = 0; j < BLOCK; j++) sum[j] += a*B[BLOCK*k + j];
    }
    for (int j = 0; j < BLOCK; j++) C[BLOCK*i + j] -= sum[j];
  }
}

EXACT_INLINE double *block(double *all, int32_t p) { return all + (size_t)p*BLOCK_ENTRIES; }

EXACT_INLINE int factor_body(block_lu *f, const perp_deadline *deadline) {
  double work = 0.0;   // products of blocks since the last check of the deadline
  for (int32_t k = 0; k < f->n; k++) {
    double *own = block(f->diagonal, k), product[BLOCK_ENTRIES];
    const int32_t end = f->start[k + 1];
    const double blocks = end - f->start[k];
    work += blocks*blocks;
    if (work > 2000.0) {
      if (deadline_passed(deadline)) return -1;
      work = 0.0;
    }
    const int sign = invert(own);
    if (sign == 0) return f->order[k] + 1;
    f->sign = k == 0 ? sign : f->sign*sign;
    for (int32_t p = f->start[k]; p < end; p++) {
      multiply(block(f->L, p), own, product);
      memcpy(block(f->L, p), product, sizeof product);
    }
    for (int32_t q = f->start[k]; q < end; q++) {
      const int32_t j = f->row[q];
      for (int32_t p = f->start[j]; p < f->start[j + 1]; p++) f->at[f->row[p]] = p;
      subtract(block(f->L, q), block(f->U, q), block(f->diagonal, j));
      for (int32_t p = q + 1; p < end; p++) {
        const int32_t to = f->at[f->row[p]];
        subtract(block(f->L, p), block(f->U, q), block(f->L, to));
        subtract(block(f->L, q), block(f->U, p), block(f->U, to));
      }
    }
  }
  return 0;
}

EXACT_WIDE static int factor_wide(block_lu *f, const perp_deadline *deadline) {
  return factor_body(f, deadline);
}

static int factor_plain(block_lu *f, const perp_deadline *deadline) {
  return factor_body(f, deadline);
}

static void turn(double *A) {   // A <- A'
  for (int i = 0; i < BLOCK; i++)
    for (int j = 0; j < i; j++) {
      const double t = A[BLOCK*i + j];
      A[BLOCK*i + j] = A[BLOCK*j + i];
      A[BLOCK*j + i] = t;
    }
}

int block_lu_factor(block_lu *f, const perp_deadline *deadline) {
  const int failed = EXACT_HAS_WIDE() ? factor_wide(f, deadline) : factor_plain(f, deadline);
  if (failed != 0) return failed;
  for (int32_t k = 0; k < f->n; k++) turn(block(f->diagonal, k));
  for (int32_t p = 0; p < f->start[f->n]; p++) {
    turn(block(f->L, p));
    turn(block(f->U, p));
  }
  return 0;
}

// y = A v, with A by columns
EXACT_INLINE void times(const double *restrict A, const double *restrict v, double *restrict y) {
  double sum[BLOCK] = {0.0};
  for (int j = 0; j < BLOCK; j++)
    for (int i = 0; i < BLOCK; i++) sum[i] += A[BLOCK*j + i]*v[j];
  for (int i = 0; i < BLOCK; i++) y[i] = sum[i];
}

EXACT_INLINE void solve_body(const block_lu *f, double *y) {
  double z[BLOCK];
  for (int32_t k = 0; k < f->n; k++) {
    const double *from = y + (size_t)k*BLOCK;
    for (int32_t p = f->start[k]; p < f->start[k + 1]; p++) {
      double *to = y + (size_t)f->row[p]*BLOCK;
      times(block(f->L, p), from, z);
      for (int i = 0; i < BLOCK; i++) to[i] -= z[i];
    }
  }
  for (int32_t k = f->n - 1; k >= 0; k--) {
    double *own = y + (size_t)k*BLOCK, rest[BLOCK];
    memcpy(rest, own, sizeof rest);
    for (int32_t p = f->start[k]; p < f->start[k + 1]; p++) {
      times(block(f->U, p), y + (size_t)f->row[p]*BLOCK, z);
      for (int i = 0; i < BLOCK; i++) rest[i] -= z[i];
    }
    times(block(f->diagonal, k), rest, own);
  }
}

EXACT_WIDE static void solve_wide(const block_lu *f, double *y) { solve_body(f, y); }
static void solve_plain(const block_lu *f, double *y) { solve_body(f, y); }

void block_lu_solve(block_lu *f, double *v) {
  double *y = f->work;
  for (int32_t k = 0; k < f->n; k++)
    memcpy(y + (size_t)k*BLOCK, v + (size_t)f->order[k]*BLOCK, BLOCK*sizeof *y);
  (EXACT_HAS_WIDE() ? solve_wide : solve_plain)(f, y);
  for (int32_t k = 0; k < f->n; k++)
    memcpy(v + (size_t)f->order[k]*BLOCK, y + (size_t)k*BLOCK, BLOCK*sizeof *y);
}

int block_lu_sign(const block_lu *f) { return f->n > 0 ? f->sign : 1; }

int64_t block_lu_nonzeros(const block_lu *f) {
  return ((int64_t)f->n + 2*(int64_t)f->start[f->n])*BLOCK_ENTRIES;
}
