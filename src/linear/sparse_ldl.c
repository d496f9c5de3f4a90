// sparse_ldl.c: P S P' = L D L' by supernodes, without exchanges.
//
// The order is one of minimum degree, made a postorder of the elimination tree. Columns of L with
// (nearly) the same pattern form a supernode, a dense panel whose rows are its own columns and the
// rows below. Supernode s gets, from every earlier d with rows in it, the update
//     L_s -= L_d(rows from s on) D_d L_d(rows in s)'
// as a dense product that is then scattered, and is factored as a dense matrix: left-looking, with
// each d in the list of the supernode that it updates next (Ng and Peyton: Block sparse Cholesky
// algorithms on advanced uniprocessor computers, 1993). Without exchanges this is stable for
// definite S; the caller refines and judges. Cost: half the flops of an LU, in long loops.
#include "sparse_ldl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "linear.h"
#include "sparse_lu.h"

enum { NONE = -1, WIDEST = 96 };
#define LEAST_PIVOT 1e-7   // beside entries near 1

struct sparse_ldl {
  perp_allocator allocator;
  int32_t n;
  int32_t *order, *place;    // n: order[k] is eliminated k-th; place is its inverse
  int32_t supernodes;
  int32_t *first;            // supernodes + 1: columns first[s] .. first[s + 1] - 1
  int32_t *owner;            // n: the supernode of a column
  int64_t *rows_at;          // supernodes + 1: into rows
  int32_t *rows;             // rows below the columns of each supernode, ascending
  int64_t *panel_at;         // supernodes + 1: into panel
  double *panel;             // (width + rows) x width each, column-major: L with D on the diagonal
  int32_t *mirror;           // entries of A: where the mirror image of an entry is
  int32_t *local;            // n: position of a row in the panel at hand
  int32_t *head, *next;      // supernodes: lists of those that update s next
  int32_t *reached;          // supernodes: the first of its rows that is not used yet
  double *update, *scaled;   // largest panel: the product; WIDEST^2: D L'
  double *work;              // n
};

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
                       f->panel, f->mirror, f->local, f->head, f->next, f->reached, f->update,
                       f->scaled, f->work};
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) drop(f, all[k]);
  *f = (sparse_ldl){.allocator = f->allocator};
}

void sparse_ldl_destroy(sparse_ldl *f) {
  if (f == NULL) return;
  clear(f);
  f->allocator.release(f->allocator.context, f);
}

// ---- analysis ----

// The elimination tree of the pattern in the present order; ancestor: n, work.
static void elimination_tree(const sparse_ldl *f, const perp_csc *A, int32_t *parent,
                             int32_t *ancestor) {
  for (int32_t k = 0; k < f->n; k++) {
    parent[k] = ancestor[k] = NONE;
    const int32_t j = f->order[k];
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      int32_t i = f->place[A->row[p]];
      while (i != NONE && i < k) {   // paths are compressed as they are walked
        const int32_t up = ancestor[i];
        ancestor[i] = k;
        if (up == NONE) parent[i] = k;
        i = up;
      }
    }
  }
}

// Children before parents, siblings together: changes the order. head, next, stack: n, work.
static void postorder(sparse_ldl *f, const int32_t *parent, int32_t *head, int32_t *next,
                      int32_t *stack, int32_t *post) {
  const int32_t n = f->n;
  for (int32_t k = 0; k < n; k++) head[k] = NONE;
  for (int32_t k = n - 1; k >= 0; k--)
    if (parent[k] != NONE) {
      next[k] = head[parent[k]];
      head[parent[k]] = k;
    }
  int32_t count = 0;
  for (int32_t root = 0; root < n; root++) {
    if (parent[root] != NONE) continue;
    int32_t depth = 0;
    stack[0] = root;
    while (depth >= 0) {
      const int32_t k = stack[depth], child = head[k];
      if (child != NONE) {
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

// How many rows each column of L has below its diagonal: row i has entries in the columns on the
// paths of the tree from its entries in A up to i. mark: n, work.
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

// A column joins the supernode of its last child as long as few zeros are stored for it.
static void supernodes(sparse_ldl *f, const int32_t *parent, const int32_t *count) {
  int64_t entries = 0;
  f->supernodes = 0;
  for (int32_t k = 0; k < f->n; k++) {
    int joins = 0;
    if (k > 0 && parent[k - 1] == k) {
      const int64_t width = k - f->first[f->supernodes - 1] + 1;
      const int64_t stored = width*(width + 1)/2 + width*count[k], needed = entries + count[k] + 1;
      joins = width <= WIDEST && stored <= needed + (needed/8 > 64 ? needed/8 : 64);
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

// The rows below each supernode: those of A and those of its children. mark: n, work.
static void patterns(sparse_ldl *f, const perp_csc *A, int32_t *mark) {
  for (int32_t k = 0; k < f->n; k++) mark[k] = NONE;
  for (int32_t s = 0; s < f->supernodes; s++) f->head[s] = NONE;
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
    for (int32_t c = f->head[s]; c != NONE; c = f->next[c])
      for (int64_t p = f->rows_at[c]; p < f->rows_at[c + 1]; p++) {
        const int32_t i = f->rows[p];
        if (i < end || mark[i] == s) continue;
        mark[i] = s;
        rows[m++] = i;
      }
    qsort(rows, (size_t)m, sizeof *rows, compare);
    if (m == 0) continue;
    const int32_t up = f->owner[rows[0]];
    f->next[s] = f->head[up];
    f->head[up] = s;
  }
}

// 1 if every entry has its mirror image. next: n, work.
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

int sparse_ldl_analyse(sparse_ldl *f, const perp_csc *A) {
  clear(f);
  const int32_t n = f->n = A->columns;
  int32_t *parent = take(f, n, sizeof *parent), *count = take(f, n, sizeof *count),
          *w1 = take(f, n, sizeof *w1), *w2 = take(f, n, sizeof *w2);
  int32_t **const indices[] = {&f->order, &f->place, &f->first, &f->owner, &f->local, &f->head,
                               &f->next, &f->reached};
  int fine = parent != NULL && count != NULL && w1 != NULL && w2 != NULL;
  for (size_t k = 0; k < sizeof indices/sizeof indices[0]; k++) {
    *indices[k] = take(f, (int64_t)n + 1, sizeof **indices[k]);
    fine = fine && *indices[k] != NULL;
  }
  f->work = take(f, n, sizeof *f->work);
  f->mirror = take(f, A->colptr[n], sizeof *f->mirror);
  f->rows_at = take(f, (int64_t)n + 1, sizeof *f->rows_at);
  f->panel_at = take(f, (int64_t)n + 1, sizeof *f->panel_at);
  fine = fine && f->work != NULL && f->rows_at != NULL && f->panel_at != NULL &&
         f->mirror != NULL && order_minimum_degree(A, &f->allocator, f->order) == 0;
  const int symmetric = fine && mirrors(f, A, w1);
  if (symmetric) {
    for (int32_t k = 0; k < n; k++) f->place[f->order[k]] = k;
    elimination_tree(f, A, parent, w1);
    postorder(f, parent, w1, w2, count, f->local);
    elimination_tree(f, A, parent, w1);
    column_counts(f, A, parent, w1, count);
    supernodes(f, parent, count);
    int64_t largest = 0;
    f->rows_at[0] = f->panel_at[0] = 0;
    for (int32_t s = 0; s < f->supernodes; s++) {
      const int64_t width = f->first[s + 1] - f->first[s], m = count[f->first[s + 1] - 1];
      f->rows_at[s + 1] = f->rows_at[s] + m;
      f->panel_at[s + 1] = f->panel_at[s] + (width + m)*width;
      if (m > largest) largest = m;
    }
    f->rows = take(f, f->rows_at[f->supernodes], sizeof *f->rows);
    f->panel = take(f, f->panel_at[f->supernodes], sizeof *f->panel);
    f->update = take(f, largest*WIDEST, sizeof *f->update);
    f->scaled = take(f, WIDEST*WIDEST, sizeof *f->scaled);
    fine = f->rows != NULL && f->panel != NULL && f->update != NULL && f->scaled != NULL;
    if (fine) patterns(f, A, w1);
  }
  drop(f, parent);
  drop(f, count);
  drop(f, w1);
  drop(f, w2);
  if (!fine || !symmetric) clear(f);
  return !fine ? -2 : !symmetric;
}

// ---- factorisation ----

// C (m x c, column-major) = sum over k < w of L(:,k) B(k,:); L has ld rows a column, B is w x c.
static void product(int32_t m, int32_t c, int32_t w, const double *restrict L, int32_t ld,
                    const double *restrict B, double *restrict C) {
  for (int32_t j = 0; j < c; j++) {
    double *restrict to = C + (size_t)j*(size_t)m;
    const double *b = B + (size_t)j*(size_t)w;
    int32_t k = 0;
    for (int32_t i = j; i < m; i++) to[i] = 0.0;
    for (; k + 4 <= w; k += 4) {
      const double *restrict l0 = L + (size_t)k*(size_t)ld, *restrict l1 = l0 + ld,
                   *restrict l2 = l1 + ld, *restrict l3 = l2 + ld;
      const double b0 = b[k], b1 = b[k + 1], b2 = b[k + 2], b3 = b[k + 3];
      for (int32_t i = j; i < m; i++)
        to[i] += (l0[i]*b0 + l1[i]*b1) + (l2[i]*b2 + l3[i]*b3);
    }
    for (; k < w; k++) {
      const double *restrict l = L + (size_t)k*(size_t)ld;
      const double bk = b[k];
      for (int32_t i = j; i < m; i++) to[i] += l[i]*bk;
    }
  }
}

// The dense panel: h x w, column-major, D on the diagonal. 0, or 1 + the column without a pivot.
// sign: w, what the pivots should have, or NULL. One that has not, because rounding has eaten it,
// becomes as small a pivot as refinement can take.
static int32_t factor_panel(int32_t h, int32_t w, double *X, double floor, const double *sign) {
  for (int32_t k = 0; k < w; k++) {
    double *restrict to = X + (size_t)k*(size_t)h;
    for (int32_t q = 0; q < k; q++) {
      const double *restrict l = X + (size_t)q*(size_t)h;
      const double b = l[k]*l[q];                              // L_kq D_q
      for (int32_t i = k; i < h; i++) to[i] -= l[i]*b;
    }
    if (sign != NULL && !(sign[k]*to[k] > LEAST_PIVOT)) to[k] = sign[k]*LEAST_PIVOT;
    if (!(fabs(to[k]) > floor)) return k + 1;
    const double inverse = 1.0/to[k];
    for (int32_t i = k + 1; i < h; i++) to[i] *= inverse;
  }
  return 0;
}

static void scatter_columns(sparse_ldl *f, const perp_csc *A, const uint8_t *kept, int32_t s,
                            double *X, int32_t h) {
  const int32_t from = f->first[s];
  for (int32_t k = from; k < f->first[s + 1]; k++) {
    const int32_t j = f->order[k];
    double *to = X + (size_t)(k - from)*(size_t)h;
    if (kept != NULL && !kept[j]) {
      to[k - from] = 1.0;
      continue;
    }
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = f->place[A->row[p]];
      if (kept != NULL && !kept[A->row[p]]) continue;
      if (i == k) to[k - from] = A->value[p];
      else if (i > k) to[f->local[i]] = 0.5*(A->value[p] + A->value[f->mirror[p]]);
    }
  }
}

// L_s -= L_d D_d L_d' for the rows of d from its first unused one on; those inside s come first.
static void apply_update(sparse_ldl *f, int32_t d, int32_t s, double *X, int32_t h) {
  const int32_t w = f->first[d + 1] - f->first[d], end = f->first[s + 1], from = f->first[s];
  const int32_t below = (int32_t)(f->rows_at[d + 1] - f->rows_at[d]), at = f->reached[d];
  const int32_t *rows = f->rows + f->rows_at[d] + at, ld = w + below, m = below - at;
  const double *L = f->panel + f->panel_at[d], *tail = L + w + at;
  int32_t inside = 0;
  while (inside < m && rows[inside] < end) inside++;
  for (int32_t j = 0; j < inside; j++)
    for (int32_t k = 0; k < w; k++)
      f->scaled[(size_t)j*(size_t)w + (size_t)k] =
          tail[(size_t)k*(size_t)ld + (size_t)j]*L[(size_t)k*(size_t)ld + (size_t)k];
  product(m, inside, w, tail, ld, f->scaled, f->update);
  for (int32_t j = 0; j < inside; j++) {
    double *to = X + (size_t)(rows[j] - from)*(size_t)h;
    const double *u = f->update + (size_t)j*(size_t)m;
    for (int32_t i = j; i < m; i++) to[f->local[rows[i]]] -= u[i];
  }
  f->reached[d] = at + inside;
}

int sparse_ldl_factor(sparse_ldl *f, const perp_csc *A, const uint8_t *kept, double floor,
                      const perp_deadline *deadline) {
  return sparse_ldl_factor_signed(f, A, kept, NULL, floor, deadline);
}

int sparse_ldl_factor_signed(sparse_ldl *f, const perp_csc *A, const uint8_t *kept,
                             const double *sign, double floor, const perp_deadline *deadline) {
  double flops = 0.0;
  if (sign != NULL)
    for (int32_t k = 0; k < f->n; k++) f->work[k] = kept == NULL || kept[f->order[k]]
                                                        ? sign[f->order[k]] : 1.0;
  for (int32_t s = 0; s < f->supernodes; s++) {
    f->head[s] = NONE;
    f->reached[s] = 0;
  }
  if (deadline_passed(deadline)) return -1;
  for (int32_t s = 0; s < f->supernodes; s++) {
    const int32_t from = f->first[s], w = f->first[s + 1] - from;
    const int32_t m = (int32_t)(f->rows_at[s + 1] - f->rows_at[s]), h = w + m;
    const int32_t *rows = f->rows + f->rows_at[s];
    double *X = f->panel + f->panel_at[s];
    for (int32_t k = 0; k < w; k++) f->local[from + k] = k;
    for (int32_t i = 0; i < m; i++) f->local[rows[i]] = w + i;
    memset(X, 0, (size_t)h*(size_t)w*sizeof *X);
    scatter_columns(f, A, kept, s, X, h);
    for (int32_t d = f->head[s]; d != NONE;) {
      const int32_t following = f->next[d];
      apply_update(f, d, s, X, h);
      if (f->reached[d] < f->rows_at[d + 1] - f->rows_at[d]) {   // on to its next one
        const int32_t up = f->owner[f->rows[f->rows_at[d] + f->reached[d]]];
        f->next[d] = f->head[up];
        f->head[up] = d;
      }
      flops += 2.0*(f->first[d + 1] - f->first[d])*(double)h*w;
      d = following;
    }
    const int32_t failed = factor_panel(h, w, X, floor, sign != NULL ? f->work + from : NULL);
    if (failed != 0) return f->order[from + failed - 1] + 1;
    if (m > 0) {
      f->next[s] = f->head[f->owner[rows[0]]];
      f->head[f->owner[rows[0]]] = s;
    }
    flops += (double)w*w*h;
    if (flops > 2e6) {   // about a millisecond
      if (deadline_passed(deadline)) return -1;
      flops = 0.0;
    }
  }
  return 0;
}

void sparse_ldl_solve(sparse_ldl *f, double *v) {
  double *x = f->work;
  for (int32_t k = 0; k < f->n; k++) x[k] = v[f->order[k]];
  for (int32_t s = 0; s < f->supernodes; s++) {                    // L
    const int32_t from = f->first[s], w = f->first[s + 1] - from;
    const int32_t m = (int32_t)(f->rows_at[s + 1] - f->rows_at[s]), h = w + m;
    const int32_t *rows = f->rows + f->rows_at[s];
    for (int32_t k = 0; k < w; k++) {
      const double *l = f->panel + f->panel_at[s] + (size_t)k*(size_t)h, xk = x[from + k];
      if (xk == 0.0) continue;
      for (int32_t i = k + 1; i < w; i++) x[from + i] -= l[i]*xk;
      for (int32_t i = 0; i < m; i++) x[rows[i]] -= l[w + i]*xk;
    }
  }
  for (int32_t s = f->supernodes - 1; s >= 0; s--) {               // D and L'
    const int32_t from = f->first[s], w = f->first[s + 1] - from;
    const int32_t m = (int32_t)(f->rows_at[s + 1] - f->rows_at[s]), h = w + m;
    const int32_t *rows = f->rows + f->rows_at[s];
    for (int32_t k = w - 1; k >= 0; k--) {
      const double *l = f->panel + f->panel_at[s] + (size_t)k*(size_t)h;
      double sum = x[from + k]/l[k];
      for (int32_t i = k + 1; i < w; i++) sum -= l[i]*x[from + i];
      for (int32_t i = 0; i < m; i++) sum -= l[w + i]*x[rows[i]];
      x[from + k] = sum;
    }
  }
  for (int32_t k = 0; k < f->n; k++) v[f->order[k]] = x[k];
}

int64_t sparse_ldl_nnz(const sparse_ldl *f) {
  return f->supernodes > 0 ? f->panel_at[f->supernodes] : 0;
}
