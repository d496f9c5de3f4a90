// basis_sparse.c: the sparse half of basis.h: singletons, LU of the kernel, product form.
//
//     B = [ D  S ]   rows of singletons       v_K = K^-1 a_K,   v_D = D^-1 (a_D - S v_K)
//         [ 0  K ]   the kernel's rows
//
// In complementary pivoting the slacks are the singletons, so K has one row per basic x. E_k is the
// identity with u_k in column p_k. Exchange k multiplies B^-1 from the left by E_k^-1.
// Cost: a solve with a sparse right-hand side costs the entries it touches, plus the exchanges.
#include "basis_sparse.h"

#include <math.h>
#include <string.h>

#include "sparse_lu_parts.h"

void sparse_basis_layout(basis *self, arena *memory) {
  const int32_t n = self->n, most = self->exchanges_max;
  self->kernel_row = ARENA_ARRAY(memory, int32_t, n);
  self->kernel_column = ARENA_ARRAY(memory, int32_t, n);
  self->unit_position = ARENA_ARRAY(memory, int32_t, n);
  self->row_of = ARENA_ARRAY(memory, int32_t, 2*(size_t)n);
  self->unit = ARENA_ARRAY(memory, double, n);
  self->side_start = ARENA_ARRAY(memory, int32_t, (size_t)n + 1);
  self->core_start = ARENA_ARRAY(memory, int32_t, (size_t)n + 1);
  self->kernel_value = ARENA_ARRAY(memory, double, n);
  self->kernel_index = ARENA_ARRAY(memory, int32_t, n);
  self->eta_start = ARENA_ARRAY(memory, int32_t, (size_t)most + 1);
  self->eta_position = ARENA_ARRAY(memory, int32_t, most);
  self->eta_pivot = ARENA_ARRAY(memory, double, most);
}

int sparse_basis_begin(basis *self) {
  if (self->eta_pivot == NULL) return -2;
  memset(self->kernel_value, 0, (size_t)self->n*sizeof *self->kernel_value);
  self->eta_start[0] = 0;
  self->lu = sparse_lu_create(&self->allocator);
  return self->lu != NULL ? 0 : -2;
}

static void release(basis *self, void *memory) {
  if (memory != NULL) self->allocator.release(self->allocator.context, memory);
}

void sparse_basis_end(basis *self) {
  sparse_lu_destroy(self->lu);
  kernel_end(self);
  void *const all[] = {self->side_row, self->side_value, self->core_row, self->core_value,
                       self->eta_index, self->eta_value};
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) release(self, all[k]);
}

// Makes room for `need` entries in a pair of arrays and keeps the first `used` entries.
static int grow(basis *self, int32_t **index, double **value, int64_t used, int64_t need) {
  const perp_allocator *a = &self->allocator;
  int32_t *i = a->allocate(a->context, (size_t)need*sizeof *i);
  double *v = a->allocate(a->context, (size_t)need*sizeof *v);
  if (i == NULL || v == NULL) {
    release(self, i);
    release(self, v);
    return -2;
  }
  if (used > 0) {
    memcpy(i, *index, (size_t)used*sizeof *i);
    memcpy(v, *value, (size_t)used*sizeof *v);
  }
  release(self, *index);
  release(self, *value);
  *index = i;
  *value = v;
  return 0;
}

// Sets the singletons aside and copies the other columns. 0: fine; k > 0: position k - 1 is a
// second singleton of its row; -2: no memory.
static int make_kernel(basis *self, const perp_csc *B, double floor) {
  const int32_t n = self->n;
  const int64_t nnz = B->colptr[n];
  if (nnz > self->room) {
    const int64_t room = nnz + nnz/4 + 64;
    self->room = 0;
    if (grow(self, &self->side_row, &self->side_value, 0, room) != 0 ||
        grow(self, &self->core_row, &self->core_value, 0, room) != 0)
      return -2;
    self->room = room;
  }
  self->eta_start[0] = 0;
  int32_t *singleton_row = self->row_of + n;   // n: position -> row, or -1
  for (int32_t i = 0; i < n; i++) self->unit_position[i] = -1;
  for (int32_t j = 0; j < n; j++) {
    const int32_t from = B->colptr[j];
    singleton_row[j] = -1;
    if (B->colptr[j + 1] - from != 1 || !(fabs(B->value[from]) > floor)) continue;
    const int32_t r = B->row[from];
    if (self->unit_position[r] >= 0) return j + 1;
    self->unit_position[r] = j;
    self->unit[r] = B->value[from];
    singleton_row[j] = r;
  }
  int32_t m = 0;
  for (int32_t i = 0; i < n; i++) {
    self->kernel_row[i] = self->unit_position[i] < 0 ? m : -1;
    if (self->unit_position[i] < 0) self->row_of[m++] = i;
  }
  self->m = m;
  int32_t k = 0, side = 0, core = 0;
  for (int32_t j = 0; j < n; j++) {
    if (singleton_row[j] >= 0) continue;
    self->kernel_column[k] = j;
    self->side_start[k] = side;
    self->core_start[k++] = core;
    for (int32_t p = B->colptr[j]; p < B->colptr[j + 1]; p++) {
      const int32_t r = B->row[p];
      if (self->kernel_row[r] >= 0) {
        self->core_row[core] = self->kernel_row[r];
        self->core_value[core++] = B->value[p];
      } else {
        self->side_row[side] = r;
        self->side_value[side++] = B->value[p];
      }
    }
  }
  self->side_start[m] = side;
  self->core_start[m] = core;
  self->work_of_factor = 20.0*(double)(nnz + n);   // copying and ordering
  return 0;
}

static perp_csc kernel_of(const basis *self) {
  return (perp_csc){self->m, self->m, self->core_start, self->core_row, self->core_value};
}

int sparse_basis_factor(basis *self, const perp_csc *B, double floor,
                        const perp_deadline *deadline) {
  int code = make_kernel(self, B, floor);
  if (code != 0 || self->m == 0) return code;
  const perp_csc K = kernel_of(self);
  code = kernel_factor(self, &K, floor, deadline);
  return code > 0 ? self->kernel_column[code - 1] + 1 : code;
}

// The shift of the diagonal gives dependent columns a pivot of about its size and hardly changes
// other pivots. So a single factorisation finds all dependent columns.
int sparse_basis_dependent(basis *self, const perp_csc *B, double small, uint8_t *dependent,
                           const perp_deadline *deadline) {
  int code = make_kernel(self, B, 0.0);
  for (int32_t j = 0; j < self->n; j++) dependent[j] = 0;
  if (code != 0 || self->m == 0) return code < 0 ? code : 0;
  for (int32_t k = 0; k < self->m; k++)
    for (int32_t q = self->core_start[k]; q < self->core_start[k + 1]; q++)
      if (self->row_of[self->core_row[q]] == self->kernel_column[k])
        self->core_value[q] += 1e-4*small;
  const perp_csc K = kernel_of(self);
  code = sparse_lu_analyse(self->lu, &K, 1);
  if (code == 0) code = sparse_lu_factor(self->lu, &K, SPARSE_LU_PIVOT_MIN, 0.0, deadline);
  for (int32_t k = 0; code == 0 && k < self->m; k++)
    if (fabs(self->lu->diagonal[k]) < small)
      dependent[self->kernel_column[self->lu->column[k]]] = 1;
  return code < 0 ? code : 0;
}

static void touch(basis *self, basis_vector *u, int32_t position) {
  if (self->mark[position]) return;
  self->mark[position] = 1;
  u->index[u->count++] = position;
}

// Makes u dense: its index lists every position.
static void fill(basis *self, basis_vector *u) {
  if (u->count == self->n) return;
  for (int32_t i = 0; i < self->n; i++) {
    u->index[i] = i;
    self->mark[i] = 1;
  }
  u->count = self->n;
}

// u <- E_k^-1 .. E_1^-1 u. A list of n entries is a full column: value i belongs to position i, and
// there is no index. Most columns are full if the covering vector has no zeros.
static void apply_exchanges(basis *self, basis_vector *u) {
  const int32_t n = self->n;
  for (int32_t k = 0; k < self->exchanges; k++) {
    const int32_t p = self->eta_position[k];
    const int32_t from = self->eta_start[k], end = self->eta_start[k + 1];
    if (u->value[p] == 0.0) continue;
    const double t = u->value[p]/self->eta_pivot[k];
    const double *value = self->eta_value + from;
    self->work_of_exchanges += 3.0*(end - from);
    if (end - from == n) {
      fill(self, u);
      for (int32_t i = 0; i < n; i++) u->value[i] -= t*value[i];
    } else if (u->count == n) {
      for (int32_t q = from; q < end; q++) u->value[self->eta_index[q]] -= t*self->eta_value[q];
    } else {
      for (int32_t q = from; q < end; q++) {
        touch(self, u, self->eta_index[q]);
        u->value[self->eta_index[q]] -= t*self->eta_value[q];
      }
    }
    u->value[p] = t;
  }
}

void sparse_basis_solve(basis *self, const basis_column *a, basis_vector *u) {
  double *side = self->work, *kernel = self->kernel_value;   // side: rows of singletons
  int32_t count = 0, touched = 0, *index = self->kernel_index, *rows = self->list;
  basis_clear(u);
  for (int32_t k = 0; k < a->count; k++) {
    const int32_t r = a->row[k], i = self->kernel_row[r];
    if (i >= 0) {
      kernel[i] = a->value[k];
      index[count++] = i;
    } else {
      side[r] = a->value[k];
      self->mark[r] = 1;
      rows[touched++] = r;
    }
  }
  if (count > 0) count = kernel_solve_few(self, kernel, index, count);
  for (int32_t k = 0; k < count; k++) {
    const int32_t c = index[k];
    const double s = kernel[c];
    if (s == 0.0) continue;
    for (int32_t q = self->side_start[c]; q < self->side_start[c + 1]; q++) {
      const int32_t r = self->side_row[q];
      if (!self->mark[r]) {
        self->mark[r] = 1;
        rows[touched++] = r;
      }
      side[r] -= s*self->side_value[q];
    }
  }
  for (int32_t k = 0; k < touched; k++) self->mark[rows[k]] = 0;
  for (int32_t k = 0; k < touched; k++) {
    const int32_t r = rows[k], p = self->unit_position[r];
    touch(self, u, p);
    u->value[p] = side[r]/self->unit[r];
    side[r] = 0.0;
  }
  for (int32_t k = 0; k < count; k++) {
    const int32_t p = self->kernel_column[index[k]];
    touch(self, u, p);
    u->value[p] = kernel[index[k]];
    kernel[index[k]] = 0.0;
  }
  apply_exchanges(self, u);
  for (int32_t k = 0; k < u->count; k++) self->mark[u->index[k]] = 0;
}

void sparse_basis_solve_dense(basis *self, double *v) {
  const int32_t n = self->n, m = self->m;
  double *kernel = self->kernel_value, *u = self->work;
  for (int32_t i = 0; i < m; i++) kernel[i] = v[self->row_of[i]];
  if (m > 0) kernel_solve(self, kernel);
  for (int32_t c = 0; c < m; c++)
    for (int32_t q = self->side_start[c]; q < self->side_start[c + 1]; q++)
      v[self->side_row[q]] -= kernel[c]*self->side_value[q];
  for (int32_t i = 0; i < n; i++)
    if (self->unit_position[i] >= 0) u[self->unit_position[i]] = v[i]/self->unit[i];
  for (int32_t c = 0; c < m; c++) u[self->kernel_column[c]] = kernel[c];
  for (int32_t k = 0; k < self->exchanges; k++) {
    const int32_t from = self->eta_start[k], end = self->eta_start[k + 1];
    const double t = u[self->eta_position[k]]/self->eta_pivot[k];
    if (t == 0.0) continue;
    for (int32_t q = from; q < end; q++)
      u[end - from == n ? q - from : self->eta_index[q]] -= t*self->eta_value[q];
    u[self->eta_position[k]] = t;
  }
  memcpy(v, u, (size_t)n*sizeof *v);
  memset(u, 0, (size_t)n*sizeof *u);
  memset(kernel, 0, (size_t)m*sizeof *kernel);
}

// Solves r' B = e_position': undoes the exchanges from the last to the first, then the two blocks.
void sparse_basis_row(basis *self, int32_t position, double *r) {
  const int32_t n = self->n, m = self->m;
  double *c = self->work, *kernel = self->kernel_value;
  c[position] = 1.0;
  for (int32_t k = self->exchanges - 1; k >= 0; k--) {
    const int32_t p = self->eta_position[k];
    const int32_t from = self->eta_start[k], end = self->eta_start[k + 1];
    double s = c[p] + c[p]*self->eta_pivot[k];   // the loop subtracts the second term again
    for (int32_t q = from; q < end; q++)
      s -= c[end - from == n ? q - from : self->eta_index[q]]*self->eta_value[q];
    c[p] = s/self->eta_pivot[k];
  }
  for (int32_t i = 0; i < n; i++)
    r[i] = self->unit_position[i] >= 0 ? c[self->unit_position[i]]/self->unit[i] : 0.0;
  for (int32_t k = 0; k < m; k++) {
    double s = c[self->kernel_column[k]];
    for (int32_t q = self->side_start[k]; q < self->side_start[k + 1]; q++)
      s -= r[self->side_row[q]]*self->side_value[q];
    kernel[k] = s;
  }
  if (m > 0) kernel_solve_transpose(self, kernel);
  for (int32_t i = 0; i < m; i++) r[self->row_of[i]] = kernel[i];
  memset(c, 0, (size_t)n*sizeof *c);
  memset(kernel, 0, (size_t)m*sizeof *kernel);
}

int sparse_basis_exchange(basis *self, int32_t position, const basis_vector *u) {
  const int32_t k = self->exchanges - 1;   // the caller has already counted this exchange
  if (k >= self->exchanges_max) return 1;
  const int64_t used = self->eta_start[k], n = self->n;
  const int full = 3*(int64_t)u->count >= n;
  if (used + n > self->eta_room) {
    const int64_t room = 2*(used + n) + 1024;
    if (room > INT32_MAX) return 1;
    if (grow(self, &self->eta_index, &self->eta_value, used, room) != 0) return -2;
    self->eta_room = room;
  }
  int32_t q = self->eta_start[k];
  for (int32_t i = 0; full && i < n; i++) self->eta_value[q++] = u->value[i];
  for (int32_t i = 0; !full && i < u->count; i++) {
    const int32_t p = u->index[i];
    if (u->value[p] == 0.0) continue;
    self->eta_index[q] = p;
    self->eta_value[q++] = u->value[p];
  }
  self->eta_position[k] = position;
  self->eta_pivot[k] = u->value[position];
  self->eta_start[k + 1] = q;
  return 0;
}
