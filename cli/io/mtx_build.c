// mtx_build.c: from the entries of a Matrix Market file to a matrix: sorting and expansion.
#include "mtx_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void *mtx_allocate(int64_t count, size_t size) {
  const uint64_t bytes = (uint64_t)(count > 0 ? count : 1)*size;
  return bytes <= SIZE_MAX/2 ? malloc((size_t)bytes) : NULL;
}

// start[k] <- number of keys below k, for k = 0..size
static void count_keys(const int32_t *key, int64_t entries, int32_t size, int32_t *start) {
  memset(start, 0, ((size_t)size + 1)*sizeof *start);
  for (int64_t k = 0; k < entries; k++) start[key[k] + 1]++;
  for (int32_t k = 0; k < size; k++) start[k + 1] += start[k];
}

void mtx_free_triples(triples *t) {
  free(t->row);
  free(t->column);
  free(t->value);
  *t = (triples){NULL, NULL, NULL};
}

// Stable counting sort by row or by column; false if memory runs out.
static bool bucket(triples *t, int64_t entries, bool by_row, int32_t size) {
  triples sorted = {mtx_allocate(entries, sizeof(int32_t)), mtx_allocate(entries, sizeof(int32_t)),
                    mtx_allocate(entries, sizeof(double))};
  int32_t *next = mtx_allocate((int64_t)size + 1, sizeof *next);
  const bool memory = sorted.row && sorted.column && sorted.value && next;
  if (memory) {
    const int32_t *key = by_row ? t->row : t->column;
    count_keys(key, entries, size, next);
    for (int64_t k = 0; k < entries; k++) {
      const int32_t to = next[key[k]]++;
      sorted.row[to] = t->row[k];
      sorted.column[to] = t->column[k];
      sorted.value[to] = t->value[k];
    }
    const triples old = *t;
    *t = sorted;
    sorted = old;
  }
  mtx_free_triples(&sorted);
  free(next);
  return memory;
}

// Sorts by column, then row; a file in either order already needs fewer passes.
static bool sort_triples(const header *h, triples *t) {
  bool rows_ordered = true, ordered = true;
  for (int64_t k = 1; k < h->entries && (rows_ordered || ordered); k++) {
    if (t->row[k] < t->row[k - 1]) rows_ordered = false;
    if (t->column[k] < t->column[k - 1] ||
        (t->column[k] == t->column[k - 1] && t->row[k] < t->row[k - 1]))
      ordered = false;
  }
  if (ordered) return true;
  if (!rows_ordered && !bucket(t, h->entries, true, h->rows)) return false;
  return bucket(t, h->entries, false, h->columns);
}

// Looks for two entries at one place; only then is the text read again, for their lines.
static bool find_duplicate(const header *h, const triples *t, const cursor *body, fault *f) {
  int64_t k = 1;
  while (k < h->entries && (t->row[k] != t->row[k - 1] || t->column[k] != t->column[k - 1])) k++;
  if (k >= h->entries) return false;
  const int32_t i = t->row[k], j = t->column[k];
  cursor c = *body;
  int64_t first_line = 0;
  while (mtx_find_data(&c)) {
    const cursor start = c;
    int32_t row = -1, column = -1;
    mtx_read_index(&c, f, "row", h->rows, &row);
    mtx_read_index(&c, f, "column", h->columns, &column);
    if (row == i && column == j && first_line) {
      mtx_refuse(&start, f, "expected each entry once, found (%" PRId32 ", %" PRId32
             ") again after line %" PRId64, i + 1, j + 1, first_line);
      break;
    }
    if (row == i && column == j) first_line = start.line;
    mtx_next_line(&c);
  }
  return true;
}

// Adds the other triangle to a sorted lower one. Column j gets its upper entries while the columns
// before it are passed, hence in order.
static int mirror(const header *h, const triples *t, const cursor *body, mtx_matrix *m, fault *f) {
  int64_t total = h->entries;
  for (int64_t k = 0; k < h->entries; k++) total += t->row[k] != t->column[k];
  if (total > INT32_MAX) {
    mtx_refuse(body, f, "expected at most %d entries in both triangles, found %" PRId64, INT32_MAX,
           total);
    return MTX_BAD_INPUT;
  }
  m->row = mtx_allocate(total, sizeof *m->row);
  m->value = mtx_allocate(total, sizeof *m->value);
  int32_t *next = mtx_allocate((int64_t)h->columns + 1, sizeof *next);
  if (!m->row || !m->value || !next) {
    free(next);
    return MTX_IO;
  }
  memset(next, 0, ((size_t)h->columns + 1)*sizeof *next);
  for (int64_t k = 0; k < h->entries; k++) {
    next[t->column[k] + 1]++;
    if (t->row[k] != t->column[k]) next[t->row[k] + 1]++;
  }
  for (int32_t j = 0; j < h->columns; j++) next[j + 1] += next[j];
  memcpy(m->colptr, next, ((size_t)h->columns + 1)*sizeof *next);
  for (int64_t k = 0; k < h->entries; k++) {
    const int32_t i = t->row[k], j = t->column[k], at = next[j]++;
    m->row[at] = i;
    m->value[at] = t->value[k];
    if (i == j) continue;
    const int32_t mirrored = next[i]++;
    m->row[mirrored] = j;
    m->value[mirrored] = h->symmetry == SKEW ? -t->value[k] : t->value[k];
  }
  m->nnz = total;
  free(next);
  return MTX_OK;
}

static int make_sparse(const header *h, triples *t, const cursor *body, mtx_matrix *m, fault *f) {
  m->colptr = mtx_allocate((int64_t)h->columns + 1, sizeof *m->colptr);
  if (!m->colptr || !sort_triples(h, t)) return MTX_IO;
  if (find_duplicate(h, t, body, f)) return MTX_BAD_INPUT;
  if (h->symmetry != GENERAL) return mirror(h, t, body, m, f);
  count_keys(t->column, h->entries, h->columns, m->colptr);
  m->row = t->row;
  m->value = t->value;
  t->row = NULL;
  t->value = NULL;
  return MTX_OK;
}

// A coordinate vector becomes dense.
static int fill_vector(const header *h, mtx_matrix *m) {
  const int32_t size = h->rows == 1 ? h->columns : h->rows;
  double *value = mtx_allocate(size, sizeof *value);
  if (!value) return MTX_IO;
  for (int32_t k = 0; k < size; k++) value[k] = 0;
  for (int32_t j = 0; j < h->columns; j++)
    for (int32_t k = m->colptr[j]; k < m->colptr[j + 1]; k++) value[j + m->row[k]] = m->value[k];
  free(m->colptr);
  free(m->row);
  free(m->value);
  m->colptr = m->row = NULL;
  m->value = value;
  m->nnz = size;
  m->dense = true;
  return MTX_OK;
}

// Array format: the lower triangle is given column by column, without the diagonal if skew.
static int make_dense(const header *h, triples *t, mtx_matrix *m) {
  m->nnz = (int64_t)h->rows*h->columns;
  if (h->symmetry == GENERAL) {
    m->value = t->value;
    t->value = NULL;
    return MTX_OK;
  }
  m->value = mtx_allocate(m->nnz, sizeof *m->value);
  if (!m->value) return MTX_IO;
  const double *v = t->value;
  const int64_t n = h->rows;
  for (int64_t j = 0; j < n; j++) {
    if (h->symmetry == SKEW) m->value[j + j*n] = 0;
    for (int64_t i = h->symmetry == SKEW ? j + 1 : j; i < n; i++, v++) {
      m->value[j + i*n] = h->symmetry == SKEW ? -*v : *v;
      m->value[i + j*n] = *v;
    }
  }
  return MTX_OK;
}

int mtx_make_matrix(const header *h, unsigned flags, triples *t, const cursor *body,
                    mtx_matrix *m, fault *f) {
  *m = (mtx_matrix){.rows = h->rows, .columns = h->columns, .dense = h->dense,
                    .symmetric = h->symmetry == SYMMETRIC, .nnz = h->entries};
  int code = h->dense ? make_dense(h, t, m) : make_sparse(h, t, body, m, f);
  if (code == MTX_OK && flags & MTX_VECTOR) {
    if (!h->dense) code = fill_vector(h, m);
    m->rows = (int32_t)m->nnz;
    m->columns = 1;
  }
  return code;
}
