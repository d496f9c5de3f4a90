// basis.c: the dense half of basis.h, and the choice between dense and sparse.
//
// The inverse W = B^-1 is stored by columns. A solve adds multiples of the columns where the
// right-hand side has entries. An exchange at position p with u = W a,
//     W <- W - (u - e_p) W_p./u_p,
// changes only columns with a nonzero in row p. Factoring starts with W = I and exchanges its
// columns one by one; each exchange takes the row with the largest pivot among the unused rows.
// Cost: 2 n^2 per exchange, 2 n^3 per factorisation, less for sparse columns.
#include "basis.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "basis_sparse.h"
#include "dense_kernels.h"

int basis_begin(basis *self, int32_t n, int sparse, int32_t exchanges_max, arena *memory,
                const perp_allocator *allocator) {
  *self = (basis){.n = n, .sparse = sparse, .exchanges_max = exchanges_max,
                  .allocator = allocator_of(allocator)};
  self->work = ARENA_ARRAY(memory, double, n);
  self->mark = ARENA_ARRAY(memory, int32_t, n);
  self->list = ARENA_ARRAY(memory, int32_t, n);
  if (sparse) sparse_basis_layout(self, memory);
  else self->inverse = ARENA_ARRAY(memory, double, (size_t)n*(size_t)n);
  if (memory->base == NULL) return 0;   // the arena only counts
  if (self->work == NULL || self->list == NULL || (!sparse && n > 0 && self->inverse == NULL))
    return -2;
  memset(self->work, 0, (size_t)n*sizeof *self->work);
  memset(self->mark, 0, (size_t)n*sizeof *self->mark);
  return sparse ? sparse_basis_begin(self) : 0;
}

void basis_end(basis *self) {
  if (self->sparse) sparse_basis_end(self);
}

static void exchange(basis *self, int32_t p, const double *u) {
  const size_t n = (size_t)self->n;
  const double pivot = u[p];
  for (size_t r = 0; r < n; r++) {
    double *W = self->inverse + r*n;
    if (W[p] == 0.0) continue;
    const double t = W[p]/pivot;
    for (size_t i = 0; i < n; i++) W[i] -= t*u[i];
    W[p] = t;
  }
}

static void multiply(const basis *self, const basis_column *a, double *u) {
  const size_t n = (size_t)self->n;
  for (int32_t k = 0; k < a->count; k++) {
    const double *W = self->inverse + (size_t)a->row[k]*n;
    const double s = a->value[k];
    for (size_t i = 0; i < n; i++) u[i] += s*W[i];
  }
}

// Until the end, row i of W belongs to row i of B; then it moves to position[i]. If `dependent` is
// given, columns without a pivot are marked there and left out.
static int dense_factor(basis *self, const perp_csc *B, double floor, uint8_t *dependent,
                        const perp_deadline *deadline) {
  const int32_t n = self->n;
  double *W = self->inverse, *u = self->work;
  int32_t *position = self->list;   // n: row -> position, or -1
  memset(W, 0, (size_t)n*(size_t)n*sizeof *W);
  for (int32_t i = 0; i < n; i++) {
    position[i] = -1;
    W[(size_t)i*(size_t)n + (size_t)i] = 1.0;
  }
  int failed = 0;
  for (int pass = 0; pass < 2; pass++)   // singletons first, because they cause no fill
    for (int32_t j = 0; j < n && failed == 0; j++) {
      const int32_t from = B->colptr[j], count = B->colptr[j + 1] - from;
      const int singleton = count == 1 && fabs(B->value[from]) > floor;
      if (singleton != (pass == 0)) continue;
      if (singleton) {
        const int32_t r = B->row[from];
        if (position[r] >= 0 && dependent == NULL) failed = j + 1;
        else if (position[r] >= 0) dependent[j] = 1;
        else {
          position[r] = j;
          W[(size_t)r*(size_t)n + (size_t)r] = 1.0/B->value[from];
        }
        continue;
      }
      if (j%64 == 0 && deadline_passed(deadline)) failed = -1;
      multiply(self, &(basis_column){count, B->row + from, B->value + from}, u);
      int32_t best = -1;
      for (int32_t i = 0; i < n; i++)
        if (position[i] < 0 && (best < 0 || fabs(u[i]) > fabs(u[best]))) best = i;
      if (best < 0 || !(fabs(u[best]) > floor)) {
        if (dependent != NULL) dependent[j] = 1;
        else if (failed == 0) failed = j + 1;
      } else {
        position[best] = j;
        exchange(self, best, u);
      }
      memset(u, 0, (size_t)n*sizeof *u);
    }
  if (failed != 0 || dependent != NULL) return failed;
  for (int32_t c = 0; c < n; c++) {
    double *column = W + (size_t)c*(size_t)n;
    for (int32_t i = 0; i < n; i++) u[position[i]] = column[i];
    memcpy(column, u, (size_t)n*sizeof *u);
  }
  memset(u, 0, (size_t)n*sizeof *u);
  return 0;
}

int basis_factor(basis *self, const perp_csc *B, double floor, const perp_deadline *deadline) {
  self->exchanges = 0;
  self->work_of_exchanges = 0.0;
  return self->sparse ? sparse_basis_factor(self, B, floor, deadline)
                      : dense_factor(self, B, floor, NULL, deadline);
}

int basis_dependent(basis *self, const perp_csc *B, double small, uint8_t *dependent,
                    const perp_deadline *deadline) {
  if (self->sparse) return sparse_basis_dependent(self, B, small, dependent, deadline);
  for (int32_t j = 0; j < self->n; j++) dependent[j] = 0;
  return dense_factor(self, B, small, dependent, deadline);
}

void basis_solve(basis *self, const basis_column *a, basis_vector *u) {
  if (self->sparse) {
    sparse_basis_solve(self, a, u);
    return;
  }
  basis_clear(u);
  multiply(self, a, u->value);
  for (int32_t i = 0; i < self->n; i++)
    if (u->value[i] != 0.0) u->index[u->count++] = i;
}

void basis_row(basis *self, int32_t position, double *r) {
  if (self->sparse) {
    sparse_basis_row(self, position, r);
    return;
  }
  const size_t n = (size_t)self->n;
  for (size_t c = 0; c < n; c++) r[c] = self->inverse[c*n + (size_t)position];
}

void basis_solve_dense(basis *self, double *v) {
  if (self->sparse) {
    sparse_basis_solve_dense(self, v);
    return;
  }
  const int32_t n = self->n;
  for (int32_t r = 0; r < n; r++) {
    const double *W = self->inverse + (size_t)r*(size_t)n;
    if (v[r] == 0.0) continue;
    for (int32_t i = 0; i < n; i++) self->work[i] += v[r]*W[i];
  }
  memcpy(v, self->work, (size_t)n*sizeof *v);
  memset(self->work, 0, (size_t)n*sizeof *v);
}

int basis_exchange(basis *self, int32_t position, const basis_vector *u) {
  self->exchanges++;
  if (self->sparse) return sparse_basis_exchange(self, position, u);
  exchange(self, position, u->value);
  return 0;
}
