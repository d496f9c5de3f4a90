// assemble.c: allocates a sample and builds its matrix from single entries or the links of a grid.
#include "family.h"

#include <stdlib.h>

void *assemble_take(int64_t count, size_t size) {
  if (count < 0 || (uint64_t)count > SIZE_MAX/size) return NULL;
  return calloc(count > 0 ? (size_t)count : 1, size);
}

perp_error assemble_no_memory(int64_t n, int64_t nnz) {
  return error_set(PERP_ERROR_MEMORY, "no memory for a problem with n = %lld and %lld entries",
                   (long long)n, (long long)nnz);
}

perp_error assemble_reserve(perp_sample *s, int64_t n, int64_t nnz) {
  if (n >= INT32_MAX || nnz > INT32_MAX) {
    return error_set(PERP_ERROR_OPTION,
                     "n = %lld, up to %lld entries: the limit is 2147483647, choose a smaller size",
                     (long long)n, (long long)nnz);
  }
  s->n = (int32_t)n;
  s->colptr = assemble_take(n + 1, sizeof *s->colptr);
  s->row = assemble_take(nnz, sizeof *s->row);
  s->value = assemble_take(nnz, sizeof *s->value);
  s->b = assemble_take(n, sizeof *s->b);
  const int complete = s->colptr != NULL && s->row != NULL && s->value != NULL && s->b != NULL;
  return complete ? PERP_OK : assemble_no_memory(n, nnz);
}

// ----------------------------------------------------------------------------- from single entries

static void grow(assembly *a) {
  const int64_t capacity = a->capacity > 0 ? 2*a->capacity : 1024;
  int32_t *row = realloc(a->row, (size_t)capacity*sizeof *row);
  if (row != NULL) a->row = row;
  int32_t *column = realloc(a->column, (size_t)capacity*sizeof *column);
  if (column != NULL) a->column = column;
  double *value = realloc(a->value, (size_t)capacity*sizeof *value);
  if (value != NULL) a->value = value;
  if (row != NULL && column != NULL && value != NULL) a->capacity = capacity;
  else a->failed = 1;
}

void assemble_add(assembly *a, int32_t row, int32_t column, double value) {
  if (a->count == a->capacity && !a->failed) grow(a);
  if (a->failed) return;
  a->row[a->count] = row;
  a->column[a->count] = column;
  a->value[a->count] = value;
  a->count++;
}

static void assemble_free(assembly *a) {
  free(a->row);
  free(a->column);
  free(a->value);
  *a = (assembly){0};
}

// A stable counting sort: writes the entries of `from` to order, sorted by key. start: n + 1, work.
static void sort_by(const int32_t *key, int32_t n, int64_t count, const int32_t *from,
                    int32_t *order, int32_t *start) {
  for (int32_t i = 0; i <= n; i++) start[i] = 0;
  for (int64_t e = 0; e < count; e++) start[key[e] + 1]++;
  for (int32_t i = 0; i < n; i++) start[i + 1] += start[i];
  for (int64_t k = 0; k < count; k++) {
    const int32_t e = from != NULL ? from[k] : (int32_t)k;
    order[start[key[e]]++] = e;
  }
}

// Sorts by row, then stably by column, so that duplicates are summed in the order of addition. So
// entries that are added in mirrored pairs stay exactly symmetric.
perp_error assemble_finish(assembly *a, int32_t n, perp_sample *s) {
  perp_error error = a->failed ? assemble_no_memory(n, a->count) : assemble_reserve(s, n, a->count);
  int32_t *by_row = assemble_take(a->count, sizeof *by_row);
  int32_t *by_column = assemble_take(a->count, sizeof *by_column);
  int32_t *start = assemble_take((int64_t)n + 1, sizeof *start);
  if (error == PERP_OK && (by_row == NULL || by_column == NULL || start == NULL)) {
    error = assemble_no_memory(n, a->count);
  }
  if (error == PERP_OK) {
    sort_by(a->row, n, a->count, NULL, by_row, start);
    sort_by(a->column, n, a->count, by_row, by_column, start);
    int32_t filled = 0;
    int64_t k = 0;
    for (int32_t j = 0; j < n; j++) {
      s->colptr[j] = filled;
      for (; k < a->count && a->column[by_column[k]] == j; k++) {
        const int32_t i = a->row[by_column[k]];
        if (filled > s->colptr[j] && s->row[filled - 1] == i) {
          s->value[filled - 1] += a->value[by_column[k]];
        } else {
          s->row[filled] = i;
          s->value[filled++] = a->value[by_column[k]];
        }
      }
    }
    s->colptr[n] = filled;
  }
  free(by_row);
  free(by_column);
  free(start);
  assemble_free(a);
  return error;
}

// ---------------------------------------------------------------------------- from links of a grid

perp_error assemble_grid(perp_sample *s, int32_t nx, int32_t ny, const double *east,
                         const double *north) {
  const int64_t n = (int64_t)nx*ny;
  const perp_error error = assemble_reserve(s, n, 5*n - 2*(int64_t)nx - 2*(int64_t)ny);
  if (error != PERP_OK) return error;
  int32_t k = 0, j = 0;
  for (int32_t iy = 0; iy < ny; iy++) {
    for (int32_t ix = 0; ix < nx; ix++, j++) {
      s->colptr[j] = k;
      if (iy > 0)      { s->row[k] = j - nx; s->value[k++] = -north[ix]; }
      if (ix > 0)      { s->row[k] = j - 1;  s->value[k++] = -east[ix]; }
      s->row[k] = j;
      s->value[k++] = (east[ix] + east[ix + 1]) + 2.0*north[ix];
      if (ix < nx - 1) { s->row[k] = j + 1;  s->value[k++] = -east[ix + 1]; }
      if (iy < ny - 1) { s->row[k] = j + nx; s->value[k++] = -north[ix]; }
    }
  }
  s->colptr[n] = k;
  return PERP_OK;
}
