// sparse_ldl_analyse.c: finds the order, the supernodes and the pattern of L D L'.
//
// The order has minimum degree and is a postorder of the elimination tree (Liu: The role of
// elimination trees in sparse factorization, 1990). Successive columns of L with nearly the same
// pattern form a supernode, stored as a dense panel. All memory for factorisations and row
// modifications is allocated here.
// Cost: about the time of the order; memory for L.
#include "sparse_ldl_parts.h"

#include <stdlib.h>

#include "allocator.h"
#include "sparse_lu.h"

static void *take(sparse_ldl *f, int64_t count, size_t size) {
  const uint64_t bytes = (uint64_t)(count > 0 ? count : 1)*size;
  return f->allocator.allocate(f->allocator.context, (size_t)bytes);
}

static void drop(sparse_ldl *f, void *memory) {
  if (memory != NULL) f->allocator.release(f->allocator.context, memory);
}

sparse_ldl *sparse_ldl_create(const perp_allocator *given) {
  const perp_allocator allocator = allocator_of(given);
  sparse_ldl *f = allocator.allocate(allocator.context, sizeof *f);
  if (f != NULL) *f = (sparse_ldl){.allocator = allocator};
  return f;
}

static void clear(sparse_ldl *f) {
  void *const all[] = {f->order, f->place, f->first, f->owner, f->rows_at, f->rows, f->panel_at,
                       f->panel, f->mirror, f->local, f->head, f->next, f->reached, f->up,
                       f->path, f->mark, f->update, f->packed, f->there, f->present, f->scaled,
                       f->work, f->spread, f->gathered};
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) drop(f, all[k]);
  *f = (sparse_ldl){.allocator = f->allocator, .sign = f->sign, .lift = f->lift};
}

void sparse_ldl_destroy(sparse_ldl *f) {
  if (f == NULL) return;
  clear(f);
  f->allocator.release(f->allocator.context, f);
}

// Finds the elimination tree of the pattern in the current order. ancestor: n, work.
static void elimination_tree(const sparse_ldl *f, const perp_csc *A, int32_t *parent,
                             int32_t *ancestor) {
  for (int32_t k = 0; k < f->n; k++) {
    parent[k] = ancestor[k] = LDL_NONE;
    const int32_t j = f->order[k];
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      int32_t i = f->place[A->row[p]];
      while (i != LDL_NONE && i < k) {   // follow the path to its root and compress it
        const int32_t up = ancestor[i];
        ancestor[i] = k;
        if (up == LDL_NONE) parent[i] = k;
        i = up;
      }
    }
  }
}

// Reorders: children before parents, siblings together. head, next, stack: n, work.
static void postorder(sparse_ldl *f, const int32_t *parent, int32_t *head, int32_t *next,
                      int32_t *stack, int32_t *post) {
  const int32_t n = f->n;
  for (int32_t k = 0; k < n; k++) head[k] = LDL_NONE;
  for (int32_t k = n - 1; k >= 0; k--)
    if (parent[k] != LDL_NONE) {
      next[k] = head[parent[k]];
      head[parent[k]] = k;
    }
  int32_t count = 0;
  for (int32_t root = 0; root < n; root++) {
    if (parent[root] != LDL_NONE) continue;
    int32_t depth = 0;
    stack[0] = root;
    while (depth >= 0) {
      const int32_t k = stack[depth], child = head[k];
      if (child != LDL_NONE) {
        head[k] = next[child];
        stack[++depth] = child;
      } else {
        post[count++] = f->order[k];
        depth--;
      }
    }
  }
  for (int32_t k = 0; k < n; k++) {
    f->order[k] = post[k];
    f->place[post[k]] = k;
  }
}

// Counts the rows below the diagonal of each column of L. Row i of L has an entry in each column on
// the tree's paths from the columns of its entries in A up to i. mark: n, work.
static void column_counts(const sparse_ldl *f, const perp_csc *A, const int32_t *parent,
                          int32_t *mark, int32_t *count) {
  for (int32_t k = 0; k < f->n; k++) {
    count[k] = 0;
    mark[k] = k;
    const int32_t j = f->order[k];
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
      for (int32_t i = f->place[A->row[p]]; i < k && mark[i] != k; i = parent[i]) {
        mark[i] = k;
        count[i]++;
      }
  }
}

// Adds a column to the supernode of the column before it if that is its child and few extra zeros
// are stored; otherwise the column begins a supernode.
static void supernodes(sparse_ldl *f, const int32_t *parent, const int32_t *count) {
  int64_t entries = 0;
  f->supernodes = 0;
  for (int32_t k = 0; k < f->n; k++) {
    int joins = 0;
    if (k > 0 && parent[k - 1] == k) {
      const int64_t width = k - f->first[f->supernodes - 1] + 1;
      const int64_t stored = width*(width + 1)/2 + width*count[k], needed = entries + count[k] + 1;
      joins = width <= LDL_COLUMNS_MAX && stored <= needed + (needed/8 > 64 ? needed/8 : 64);
    }
    if (!joins) {
      f->first[f->supernodes++] = k;
      entries = 0;
    }
    entries += count[k] + 1;
    f->owner[k] = f->supernodes - 1;
  }
  f->first[f->supernodes] = f->n;
}

static int compare(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

// Finds the rows below each supernode, from its columns in A and its children. mark: n, work.
static void patterns(sparse_ldl *f, const perp_csc *A, int32_t *mark) {
  for (int32_t k = 0; k < f->n; k++) mark[k] = LDL_NONE;
  for (int32_t s = 0; s < f->supernodes; s++) f->head[s] = LDL_NONE;
  for (int32_t s = 0; s < f->supernodes; s++) {
    const int32_t end = f->first[s + 1];
    int32_t *rows = f->rows + f->rows_at[s], m = 0;
    for (int32_t k = f->first[s]; k < end; k++) {
      const int32_t j = f->order[k];
      for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
        const int32_t i = f->place[A->row[p]];
        if (i < end || mark[i] == s) continue;
        mark[i] = s;
        rows[m++] = i;
      }
    }
    for (int32_t c = f->head[s]; c != LDL_NONE; c = f->next[c])
      for (int64_t p = f->rows_at[c]; p < f->rows_at[c + 1]; p++) {
        const int32_t i = f->rows[p];
        if (i < end || mark[i] == s) continue;
        mark[i] = s;
        rows[m++] = i;
      }
    qsort(rows, (size_t)m, sizeof *rows, compare);
    f->up[s] = LDL_NONE;
    f->mark[s] = 0;
    if (m == 0) continue;
    const int32_t up = f->up[s] = f->owner[rows[0]];
    f->next[s] = f->head[up];
    f->head[up] = s;
  }
}

// Returns 1 if every entry has a mirror image. next: n, work.
static int mirrors(const sparse_ldl *f, const perp_csc *A, int32_t *next) {
  for (int32_t j = 0; j < f->n; j++) next[j] = A->colptr[j];
  for (int32_t j = 0; j < f->n; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p];
      if (next[i] >= A->colptr[i + 1] || A->row[next[i]] != j) return 0;
      f->mirror[p] = next[i]++;
    }
  return 1;
}

static int choose_order(sparse_ldl *f, const perp_csc *A) {
  if (A->colptr[f->n] < 0.5*f->n*(double)f->n)
    return order_minimum_degree(A, &f->allocator, f->order);
  for (int32_t k = 0; k < f->n; k++) f->order[k] = k;   // a dense matrix fills in any order
  return 0;
}

int sparse_ldl_analyse(sparse_ldl *f, const perp_csc *A) {
  clear(f);
  const int32_t n = f->n = A->columns;
  int32_t *parent = take(f, n, sizeof *parent), *count = take(f, n, sizeof *count),
          *w1 = take(f, n, sizeof *w1), *w2 = take(f, n, sizeof *w2);
  int32_t **const indices[] = {&f->order, &f->place, &f->first, &f->owner, &f->local, &f->head,
                               &f->next, &f->reached, &f->up, &f->path, &f->mark, &f->there};
  int fine = parent != NULL && count != NULL && w1 != NULL && w2 != NULL;
  for (size_t k = 0; k < sizeof indices/sizeof indices[0]; k++) {
    *indices[k] = take(f, (int64_t)n + 1, sizeof **indices[k]);
    fine = fine && *indices[k] != NULL;
  }
  f->work = take(f, n, sizeof *f->work);
  f->present = take(f, n, sizeof *f->present);
  f->spread = take(f, n, sizeof *f->spread);
  f->mirror = take(f, A->colptr[n], sizeof *f->mirror);
  f->rows_at = take(f, (int64_t)n + 1, sizeof *f->rows_at);
  f->panel_at = take(f, (int64_t)n + 1, sizeof *f->panel_at);
  fine = fine && f->work != NULL && f->spread != NULL && f->present != NULL && f->rows_at != NULL &&
         f->panel_at != NULL && f->mirror != NULL && choose_order(f, A) == 0;
  const int symmetric = fine && mirrors(f, A, w1);
  if (symmetric) {
    for (int32_t k = 0; k < n; k++) f->place[f->order[k]] = k;
    elimination_tree(f, A, parent, w1);
    postorder(f, parent, w1, w2, count, f->local);
    elimination_tree(f, A, parent, w1);
    column_counts(f, A, parent, w1, count);
    supernodes(f, parent, count);
    int64_t largest = 0, tallest = 0;
    f->rows_at[0] = f->panel_at[0] = 0;
    for (int32_t s = 0; s < f->supernodes; s++) {
      const int64_t width = f->first[s + 1] - f->first[s], m = count[f->first[s + 1] - 1];
      f->rows_at[s + 1] = f->rows_at[s] + m;
      f->panel_at[s + 1] = f->panel_at[s] + (width + m)*width;
      if (m > largest) largest = m;
      if (width + m > tallest) tallest = width + m;
    }
    f->rows = take(f, f->rows_at[f->supernodes], sizeof *f->rows);
    f->panel = take(f, f->panel_at[f->supernodes], sizeof *f->panel);
    f->update = take(f, largest*LDL_COLUMNS_MAX, sizeof *f->update);
    f->packed = take(f, largest*LDL_COLUMNS_MAX, sizeof *f->packed);
    f->scaled = take(f, LDL_COLUMNS_MAX*LDL_COLUMNS_MAX, sizeof *f->scaled);
    f->gathered = take(f, tallest, sizeof *f->gathered);
    fine = f->rows != NULL && f->panel != NULL && f->update != NULL && f->packed != NULL &&
           f->scaled != NULL && f->gathered != NULL;
    for (int32_t k = 0; k < n; k++) {
      f->spread[k] = 0.0;
      f->flops += (double)count[k]*(count[k] + 2.0);
    }
    if (fine) patterns(f, A, w1);
  }
  drop(f, parent);
  drop(f, count);
  drop(f, w1);
  drop(f, w2);
  if (!fine || !symmetric) clear(f);
  return !fine ? -2 : !symmetric;
}

