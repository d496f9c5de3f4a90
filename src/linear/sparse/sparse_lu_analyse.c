// sparse_lu_analyse.c: allocates a sparse LU and finds its order of elimination.
#include "sparse_lu_parts.h"

#include <math.h>

#include "allocator.h"
#include "arena.h"
#include "block_triangular.h"

enum { NONE = -1 };

// Part of the entries of a block with a partner across the diagonal, below which the order is that of
// B'B. There pivots are often off the diagonal, which spoils an order of B + B'.
#define NORMAL_ORDER_SYMMETRY_MAX 0.33

void *lu_take(const sparse_lu *lu, int64_t count, size_t size) {
  const size_t items = (size_t)(count > 0 ? count : 1);
  if (items > SIZE_MAX/size) return NULL;
  return lu->memory.allocate(lu->memory.context, items*size);
}

void lu_drop(const sparse_lu *lu, void *memory) {
  if (memory != NULL) lu->memory.release(lu->memory.context, memory);
}

sparse_lu *sparse_lu_create(const perp_allocator *allocator) {
  const perp_allocator memory = allocator_of(allocator);
  sparse_lu *lu = memory.allocate(memory.context, sizeof *lu);
  if (lu != NULL) *lu = (sparse_lu){.memory = memory, .capacity = NONE};
  return lu;
}

void sparse_lu_destroy(sparse_lu *lu) {
  if (lu == NULL) return;
  lu_entries *const both[] = {&lu->L, &lu->U};
  for (int k = 0; k < 2; k++) {
    lu_drop(lu, both[k]->index);
    lu_drop(lu, both[k]->value);
  }
  lu_drop(lu, lu->block);
  const perp_allocator memory = lu->memory;
  memory.release(memory.context, lu);
}

int64_t sparse_lu_nnz(const sparse_lu *lu) { return lu->L.used + lu->U.used + lu->n; }
double sparse_lu_flops(const sparse_lu *lu) { return lu->flops; }

static void layout(sparse_lu *lu, arena *memory, int32_t n) {
  const size_t one = (size_t)n, two = 2*one;
  int64_t **const longs[] = {&lu->L_start, &lu->U_start, &lu->L_visit};
  for (size_t k = 0; k < sizeof longs/sizeof longs[0]; k++)
    *longs[k] = ARENA_ARRAY(memory, int64_t, one + 1);
  lu->next = ARENA_ARRAY(memory, int64_t, two);
  double **const doubles[] = {&lu->diagonal, &lu->x, &lu->v};
  for (size_t k = 0; k < sizeof doubles/sizeof doubles[0]; k++)
    *doubles[k] = ARENA_ARRAY(memory, double, one);
  int32_t **const ints[] = {&lu->start, &lu->first, &lu->column, &lu->matched, &lu->place,
                            &lu->row, &lu->position, &lu->pivot, &lu->name, &lu->preferred,
                            &lu->owner, &lu->seen};
  for (size_t k = 0; k < sizeof ints/sizeof ints[0]; k++)
    *ints[k] = ARENA_ARRAY(memory, int32_t, one + 1);
  int32_t **const pairs[] = {&lu->stack, &lu->order, &lu->visited};
  for (size_t k = 0; k < sizeof pairs/sizeof pairs[0]; k++)
    *pairs[k] = ARENA_ARRAY(memory, int32_t, two);
}

// Makes room for n rows. Arrays that are large enough are kept.
static int make_room(sparse_lu *lu, int32_t n) {
  lu->n = n;
  if (n <= lu->capacity) return 1;
  arena counting = {0};
  layout(lu, &counting, n);
  const size_t bytes = arena_block_bytes(&counting);
  lu_drop(lu, lu->block);
  lu->block = NULL;
  lu->capacity = NONE;
  if (bytes == SIZE_MAX || (lu->block = lu_take(lu, 1, bytes)) == NULL) {
    lu->n = 0;
    return 0;
  }
  arena real = arena_on_block(lu->block, bytes);
  layout(lu, &real, n);
  lu->capacity = n;
  return 1;
}

typedef struct pattern {   // of a square matrix, by columns
  int32_t *colptr;         // n + 1
  int32_t *row;            // its entries
} pattern;

typedef struct workspace {
  pattern B, rows;         // a block without its diagonal, and its transpose
  int32_t *mark, *order;   // n each
  int32_t *work;           // TRIANGULAR_WORK n
} workspace;

static void workspace_layout(workspace *w, arena *memory, int32_t n, int64_t nnz) {
  w->B = (pattern){ARENA_ARRAY(memory, int32_t, (size_t)n + 1), ARENA_ARRAY(memory, int32_t, nnz)};
  w->rows = (pattern){ARENA_ARRAY(memory, int32_t, (size_t)n + 1),
                      ARENA_ARRAY(memory, int32_t, nnz)};
  w->mark = ARENA_ARRAY(memory, int32_t, n);
  w->order = ARENA_ARRAY(memory, int32_t, n);
  w->work = ARENA_ARRAY(memory, int32_t, TRIANGULAR_WORK*(size_t)n);
}

// Copies the pattern of the block at positions first .. first + size - 1, without its diagonal.
static void cut_out(const sparse_lu *lu, const perp_csc *A, int32_t first, int32_t size,
                    pattern *B) {
  int32_t count = 0;
  for (int32_t c = 0; c < size; c++) {
    const int32_t j = lu->column[first + c];
    B->colptr[c] = count;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t r = lu->place[A->row[p]] - first;
      if (r >= 0 && r != c) B->row[count++] = r;
    }
  }
  B->colptr[size] = count;
}

static void transpose(int32_t n, const pattern *B, pattern *T) {
  for (int32_t i = 0; i <= n; i++) T->colptr[i] = 0;
  for (int32_t p = 0; p < B->colptr[n]; p++) T->colptr[B->row[p] + 1]++;
  for (int32_t i = 0; i < n; i++) T->colptr[i + 1] += T->colptr[i];
  for (int32_t j = 0; j < n; j++)
    for (int32_t p = B->colptr[j]; p < B->colptr[j + 1]; p++) T->row[T->colptr[B->row[p]]++] = j;
  for (int32_t i = n; i > 0; i--) T->colptr[i] = T->colptr[i - 1];
  T->colptr[0] = 0;
}

// The share of entries (i, j) of B for which (j, i) is an entry, too. T: the transpose of B.
static double symmetry(int32_t n, const pattern *B, const pattern *T, int32_t *mark) {
  int64_t pairs = 0;
  for (int32_t j = 0; j < n; j++) mark[j] = NONE;
  for (int32_t j = 0; j < n; j++) {
    for (int32_t p = B->colptr[j]; p < B->colptr[j + 1]; p++) mark[B->row[p]] = j;
    for (int32_t p = T->colptr[j]; p < T->colptr[j + 1]; p++) pairs += mark[T->row[p]] == j;
  }
  return (double)pairs/(double)(B->colptr[n] > 0 ? B->colptr[n] : 1);
}

// Orders B'B, where B includes its diagonal. Column j of B'B is the union of the rows of B in which
// column j has entries. Rows with many entries are left out. Returns 1 if B'B is too large.
static int order_normal(const sparse_lu *lu, int32_t n, const pattern *B, const pattern *T,
                        int32_t *mark, int32_t *order) {
  const double full = 10.0*sqrt((double)n) > 16.0 ? 10.0*sqrt((double)n) : 16.0;
  int64_t room = 0;
  for (int32_t i = 0; i < n; i++) {
    const int64_t length = T->colptr[i + 1] - T->colptr[i] + 1;
    if ((double)length <= full) room += length*length;
  }
  if (room > 40*((int64_t)B->colptr[n] + n) || room > INT32_MAX) return 1;
  int32_t *colptr = lu_take(lu, (int64_t)n + 1, sizeof *colptr);
  int32_t *row = lu_take(lu, room, sizeof *row);
  int status = -2;
  if (colptr != NULL && row != NULL) {
    int32_t count = 0;
    for (int32_t j = 0; j < n; j++) mark[j] = NONE;
    for (int32_t j = 0; j < n; j++) {
      colptr[j] = count;
      mark[j] = j;
      for (int32_t p = B->colptr[j] - 1; p < B->colptr[j + 1]; p++) {
        const int32_t i = p < B->colptr[j] ? j : B->row[p];      // the diagonal first
        if ((double)(T->colptr[i + 1] - T->colptr[i] + 1) > full) continue;
        for (int32_t q = T->colptr[i] - 1; q < T->colptr[i + 1]; q++) {
          const int32_t k = q < T->colptr[i] ? i : T->row[q];
          if (mark[k] == j) continue;
          mark[k] = j;
          row[count++] = k;
        }
      }
    }
    colptr[n] = count;
    status = order_minimum_degree(&(perp_csc){n, n, colptr, row, NULL}, &lu->memory, order);
  }
  lu_drop(lu, colptr);
  lu_drop(lu, row);
  return status;
}

// Sorts the positions of a block by the rank of their columns. Heapsort needs no memory.
static void sort_by_rank(const int32_t *rank, const int32_t *column, int32_t size,
                         int32_t *order) {
  for (int32_t k = 0; k < size; k++) order[k] = k;
  for (int32_t heap = size/2, end = size; end > 1;) {
    int32_t item;
    if (heap > 0) {
      item = order[--heap];
    } else {
      item = order[--end];
      order[end] = order[0];
    }
    int32_t at = heap;
    for (int32_t child = 2*at + 1; child < end; child = 2*at + 1) {
      if (child + 1 < end && rank[column[order[child + 1]]] > rank[column[order[child]]]) child++;
      if (rank[column[order[child]]] <= rank[column[item]]) break;
      order[at] = order[child];
      at = child;
    }
    order[at] = item;
  }
}

static int keeps_diagonal(const sparse_lu *lu, int32_t first, int32_t size) {
  for (int32_t k = first; k < first + size; k++)
    if (lu->matched[k] != lu->column[k]) return 0;
  return 1;
}

// Reorders the columns of a block and the rows matched to them.
static int order_block(sparse_lu *lu, const perp_csc *A, int32_t first, int32_t size, int diagonal,
                       const int32_t *rank, workspace *w) {
  int status = 1;
  if (rank != NULL && keeps_diagonal(lu, first, size)) {
    sort_by_rank(rank, lu->column + first, size, w->order);
    status = 0;
  } else {
    cut_out(lu, A, first, size, &w->B);
  }
  if (status == 1 && !diagonal) {
    transpose(size, &w->B, &w->rows);
    if (symmetry(size, &w->B, &w->rows, w->mark) < NORMAL_ORDER_SYMMETRY_MAX)
      status = order_normal(lu, size, &w->B, &w->rows, w->mark, w->order);
  }
  if (status == 1)
    status = order_minimum_degree(&(perp_csc){size, size, w->B.colptr, w->B.row, NULL},
                                  &lu->memory, w->order);
  if (status != 0) return status;
  for (int32_t k = 0; k < size; k++) {
    w->mark[k] = lu->column[first + w->order[k]];
    w->work[k] = lu->matched[first + w->order[k]];
  }
  for (int32_t k = 0; k < size; k++) {
    lu->column[first + k] = w->mark[k];
    lu->matched[first + k] = w->work[k];
    lu->place[w->work[k]] = first + k;
  }
  return 0;
}

static int find_order(sparse_lu *lu, const perp_csc *A, int diagonal, const int32_t *rank,
                      workspace *w) {
  const int32_t n = lu->n;
  const int32_t blocks =
      block_triangular(A, lu->matched, lu->column, lu->start, &lu->unmatched, w->work);
  if (blocks < 0) return 0;                       // sparse_lu_factor() will report it
  lu->blocks = blocks;
  for (int32_t k = 0; k < n; k++) lu->place[lu->matched[k]] = k;
  for (int32_t b = 0; b < lu->blocks; b++) {
    const int32_t first = lu->start[b], size = lu->start[b + 1] - first;
    for (int32_t k = first; k < first + size; k++) lu->first[k] = first;
    if (size < 3) continue;
    const int status = order_block(lu, A, first, size, diagonal, rank, w);
    if (status != 0) return status;
  }
  return 0;
}

static int analyse(sparse_lu *lu, const perp_csc *A, int diagonal, const int32_t *rank) {
  const int32_t n = A->columns;
  const int64_t nnz = n > 0 ? (int64_t)A->colptr[n] - A->colptr[0] : 0;
  lu->factored = 0;
  lu->stamp = 0;
  lu->blocks = 0;
  lu->unmatched = NONE;
  lu->L.used = lu->U.used = 0;
  if (!make_room(lu, n)) return -2;
  for (int32_t k = 0; k < 2*n; k++) lu->visited[k] = 0;
  workspace w;
  arena counting = {0};
  workspace_layout(&w, &counting, n, nnz);
  const size_t bytes = arena_block_bytes(&counting);
  void *block = bytes < SIZE_MAX ? lu_take(lu, 1, bytes) : NULL;
  if (block == NULL) {
    lu->n = 0;
    return -2;
  }
  arena real = arena_on_block(block, bytes);
  workspace_layout(&w, &real, n, nnz);
  const int status = find_order(lu, A, diagonal, rank, &w);
  lu_drop(lu, block);
  if (status != 0) lu->n = 0;
  return status;
}

int sparse_lu_analyse(sparse_lu *lu, const perp_csc *A, int diagonal) {
  return analyse(lu, A, diagonal, NULL);
}
int sparse_lu_analyse_ranked(sparse_lu *lu, const perp_csc *A, const int32_t *rank) {
  return analyse(lu, A, 0, rank);
}
