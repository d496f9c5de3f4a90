// approximate_inverse.c: builds A^-1 ~ Z D^-1 Z' with sparse, nearly A-conjugate columns of Z.
//
//   z_j = e_j - sum over i < j of (a_i'z_j / d_i) z_i,   d_j = z_j'A z_j
//
// Benzi, Meyer, Tuma 1996. As an energy, d_j stays positive for a positive definite A, however many
// entries are dropped (Benzi, Cullum, Tuma 2000). Applying the inverse takes two products and no
// triangular solve, so ANE17 6.1 uses it in parallel. Three variants keep Z sparse:
//   plain   drops entries below `drop`
//   scaled  drops entries below `drop` for S A S, which has a unit diagonal
//   static  keeps the pattern of the upper triangle of A, for S A S
// Cost: depends on the dropped entries; with drop = 0 that of a full inverse.
#include <math.h>

#include "dense_kernels.h"
#include "preconditioner.h"

enum mark { QUEUED = 1, STORED = 2, ALLOWED = 4 };

typedef struct builder {
  preconditioner *P;
  const perp_csc *A;
  double drop;
  int fixed;            // 1: static pattern
  double *z;            // n: the current column, 0 outside its pattern
  int32_t *heap;        // n: columns i that may still change z, the smallest first
  int32_t *mark;        // n: QUEUED, STORED, ALLOWED
  int32_t queued;       // columns in the heap
  int32_t begin, end;   // the pattern in P->row
  int64_t since;        // entries since the last check of the deadline
} builder;

static void push(builder *b, int32_t i) {
  if (b->mark[i] & QUEUED) return;
  b->mark[i] |= QUEUED;
  int32_t k = b->queued++;
  for (; k > 0 && b->heap[(k - 1)/2] > i; k = (k - 1)/2) b->heap[k] = b->heap[(k - 1)/2];
  b->heap[k] = i;
}

static int32_t pop(builder *b) {
  const int32_t first = b->heap[0], last = b->heap[--b->queued];
  int32_t k = 0;
  for (;;) {
    int32_t child = 2*k + 1;
    if (child >= b->queued) break;
    if (child + 1 < b->queued && b->heap[child + 1] < b->heap[child]) child++;
    if (b->heap[child] >= last) break;
    b->heap[k] = b->heap[child];
    k = child;
  }
  b->heap[k] = last;
  return first;
}

// Adds row r to the pattern of z_j and queues the columns between i and j that r may change z by.
static void join(builder *b, int32_t r, int32_t i, int32_t j) {
  b->mark[r] |= STORED;
  b->P->row[b->end++] = r;
  for (int32_t p = b->A->colptr[r]; p < b->A->colptr[r + 1]; p++)
    if (b->A->row[p] > i && b->A->row[p] < j) push(b, b->A->row[p]);
}

static double column_dot(const builder *b, int32_t i) {   // a_i'z, where a_i is a column of S A S
  const double *s = b->P->s;
  double sum = 0.0;
  for (int32_t p = b->A->colptr[i]; p < b->A->colptr[i + 1]; p++)
    sum += b->A->value[p]*s[b->A->row[p]]*b->z[b->A->row[p]];
  return s[i]*sum;
}

static void conjugate(builder *b, int32_t i, int32_t j) {
  const preconditioner *P = b->P;
  const double factor = column_dot(b, i)/P->d[i];
  b->since += b->A->colptr[i + 1] - b->A->colptr[i] + P->colptr[i + 1] - P->colptr[i];
  if (factor == 0.0) return;
  for (int32_t p = P->colptr[i]; p < P->colptr[i + 1]; p++) {
    const int32_t r = P->row[p];
    const double change = factor*P->value[p];
    if (!(b->mark[r] & STORED)) {
      if (b->fixed ? !(b->mark[r] & ALLOWED) : !(fabs(change) >= b->drop)) continue;
      join(b, r, i, j);
    }
    b->z[r] -= change;
  }
}

// Drops small entries, stores the others of z as column j, and clears z and the marks.
static void store(builder *b, int32_t j) {
  preconditioner *P = b->P;
  int32_t kept = b->begin;
  for (int32_t q = b->begin; q < b->end; q++) {   // clear the marks of all touched entries
    const int32_t r = P->row[q];
    for (int32_t p = b->A->colptr[r]; p < b->A->colptr[r + 1]; p++) b->mark[b->A->row[p]] = 0;
  }
  for (int32_t q = b->begin; q < b->end; q++) {
    const int32_t r = P->row[q];
    b->mark[r] = 0;
    if (r != j && !b->fixed && !(fabs(b->z[r]) >= b->drop)) {
      b->z[r] = 0.0;
      continue;
    }
    P->row[kept++] = r;
  }
  b->end = kept;
  double d = 0.0, own = 0.0;
  for (int32_t q = b->begin; q < kept; q++) d += b->z[P->row[q]]*column_dot(b, P->row[q]);
  for (int32_t p = b->A->colptr[j]; p < b->A->colptr[j + 1]; p++)
    if (b->A->row[p] == j) own = P->s[j]*P->s[j]*b->A->value[p];
  const int broken = !(d > 1e-12*own) || !(d < (double)INFINITY);
  for (int32_t q = b->begin; q < kept; q++) {
    P->value[q] = b->z[P->row[q]];
    b->z[P->row[q]] = 0.0;
  }
  if (broken) {   // A is not definite: use the unit vector
    P->row[b->begin] = j;
    P->value[b->begin] = 1.0;
    b->end = b->begin + 1;
    d = own;
    P->mended++;
  }
  P->d[j] = d;
}

int approximate_inverse(preconditioner *P, const perp_csc *A, double drop,
                        const perp_deadline *deadline) {
  const int32_t n = P->n;
  builder b = {.P = P, .A = A, .drop = drop, .z = P->work, .heap = P->index, .mark = P->index + n,
               .fixed = P->used == PERP_PRECONDITIONER_AINV_STATIC,
               .since = (int64_t)DEADLINE_POLL_FLOPS};
  // Start with room for as many entries as A has; more is reserved column by column.
  if (preconditioner_reserve(P, A->colptr[n]) != 0) return -2;
  for (int32_t i = 0; i < n; i++) {
    b.z[i] = 0.0;
    b.mark[i] = 0;
  }
  for (int32_t j = 0; j < n; j++) {
    if (b.since >= (int64_t)DEADLINE_POLL_FLOPS) {
      if (deadline_passed(deadline)) return -1;
      b.since = 0;
    }
    b.since += A->colptr[j + 1] - A->colptr[j];
    if (preconditioner_reserve(P, (int64_t)b.end + j + 1) != 0) return -2;
    P->colptr[j] = b.begin = b.end;
    if (b.fixed)
      for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
        if (A->row[p] < j) b.mark[A->row[p]] |= ALLOWED;
    b.z[j] = 1.0;
    join(&b, j, -1, j);
    while (b.queued > 0) conjugate(&b, pop(&b), j);
    store(&b, j);
  }
  P->colptr[n] = b.end;
  for (int32_t j = 0; j < n; j++) P->d[j] = 1.0/P->d[j];
  return 0;
}

void approximate_inverse_apply(const preconditioner *P, const double *in, double *out) {
  double *t = P->work;   // n: S in
  for (int32_t i = 0; i < P->n; i++) t[i] = P->s[i]*in[i];
  for (int32_t i = 0; i < P->n; i++) out[i] = 0.0;
  for (int32_t j = 0; j < P->n; j++) {
    double sum = 0.0;
    for (int32_t p = P->colptr[j]; p < P->colptr[j + 1]; p++) sum += P->value[p]*t[P->row[p]];
    sum *= P->d[j];
    for (int32_t p = P->colptr[j]; p < P->colptr[j + 1]; p++) out[P->row[p]] += P->value[p]*sum;
  }
  for (int32_t i = 0; i < P->n; i++) out[i] *= P->s[i];
}
