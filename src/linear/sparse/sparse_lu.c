// sparse_lu.c: factors P A Q = L U, block by block of the block triangular form of A.
//
// The analysis permutes A to block upper triangular form (block_triangular.c) and orders every
// block B against fill (order.c). It orders the pattern of B + B' if B is nearly symmetric, else
// that of B'B, whose Cholesky factor bounds the fill for every choice of pivot rows. Only the
// diagonal blocks are factored. A basis of Lemke's method, with columns of I and columns of A, has
// many small blocks.
//
// Inside a block the factorisation is left-looking: column k of L and U solves the triangular
// system
//     L x = b_k
// with a sparse right-hand side. A depth-first search in the graph of L finds the pattern of x
// before its values, so the time is proportional to the arithmetic: J. Gilbert, T. Peierls: Sparse
// partial pivoting in time proportional to arithmetic operations, SIAM J. Sci. Stat. Comput. 9
// (1988). The search skips edges of L that longer paths replace: S. Eisenstat, J. Liu: Exploiting
// structural symmetry in a sparse partial pivoting code, SIAM J. Sci. Comput. 14 (1993).
//
// Position k of the permuted matrix has column column[k] of A. While a block is factored, row i of
// A is named r = place[i]; pivot[r] is the position of that row once it is a pivot row, before that
// NONE. Afterwards all indices are positions. A column of U holds the entries of its own block and
// those above the block.
#include "sparse_lu_parts.h"

#include <math.h>

#include "dense_kernels.h"

enum { NONE = -1 };

static int reserve(sparse_lu *lu, lu_entries *e, int64_t more) {
  if (more <= e->room - e->used) return 1;
  const int64_t room = e->used + more > 2*e->room ? e->used + more : 2*e->room;
  int32_t *index = lu_take(lu, room, sizeof *index);
  double *value = lu_take(lu, room, sizeof *value);
  if (index == NULL || value == NULL) {
    lu_drop(lu, index);
    lu_drop(lu, value);
    return 0;
  }
  for (int64_t p = 0; p < e->used; p++) {
    index[p] = e->index[p];
    value[p] = e->value[p];
  }
  lu_drop(lu, e->index);
  lu_drop(lu, e->value);
  *e = (lu_entries){e->used, room, index, value};
  return 1;
}

// Searches the graph of L from row r, which is a pivot row. Prepends the positions it reaches to
// order[top ..], each before those it updates. Appends rows that are not pivot rows to column k of
// L. Returns the new top.
static int32_t reach(sparse_lu *lu, int32_t r, int32_t k, int32_t top) {
  int32_t *const seen = lu->seen, *const stack = lu->stack, *const pivot = lu->pivot;
  int64_t *const next = lu->next;
  int32_t *const index = lu->L.index;
  int64_t used = lu->L.used;
  int32_t depth = 0;
  stack[0] = r;
  seen[r] = k;
  next[0] = lu->L_visit[pivot[r]];
  while (depth >= 0) {
    const int32_t j = pivot[stack[depth]];
    const int64_t first = lu->L_start[j];
    int64_t p = next[depth];
    int32_t child = NONE;
    while (p > first) {
      const int32_t i = index[--p];
      if (seen[i] == k) continue;
      seen[i] = k;
      if (pivot[i] != NONE) {
        child = i;
        break;
      }
      index[used++] = i;
    }
    if (child == NONE) {
      depth--;
      lu->order[--top] = j;
      continue;
    }
    next[depth] = p;
    stack[++depth] = child;
    next[depth] = lu->L_visit[pivot[child]];
  }
  lu->L.used = used;
  return top;
}

// Loads column k into x and, above the block, into U. The positions that update it are then
// order[top ..]; returns top.
static int32_t load(sparse_lu *lu, const perp_csc *A, int32_t k, int32_t first) {
  int32_t top = lu->n;
  const int32_t c = lu->column[k];
  for (int32_t p = A->colptr[c]; p < A->colptr[c + 1]; p++) {
    const int32_t r = lu->place[A->row[p]];
    if (r < first) {                                    // an earlier block, so pivot[r] is final
      lu->U.index[lu->U.used] = lu->pivot[r];
      lu->U.value[lu->U.used++] = A->value[p];
      continue;
    }
    lu->x[r] = A->value[p];
    if (lu->seen[r] == k) continue;
    if (lu->pivot[r] != NONE) {
      top = reach(lu, r, k, top);
    } else {
      lu->seen[r] = k;
      lu->L.index[lu->L.used++] = r;
    }
  }
  return top;
}

// x <- L^-1 x at the positions order[top ..]. Entries in pivot rows go to U.
static void eliminate(sparse_lu *lu, int32_t top) {
  double *const x = lu->x;
  const int32_t *const index = lu->L.index;
  const double *const value = lu->L.value;
  int64_t used = lu->U.used, work = 0;
  for (int32_t s = top; s < lu->n; s++) {
    const int32_t j = lu->order[s], r = lu->name[j];
    const double u = x[r];
    x[r] = 0.0;
    lu->U.index[used] = j;
    lu->U.value[used++] = u;
    const int64_t end = lu->L_start[j + 1];
    for (int64_t p = lu->L_start[j]; p < end; p++) x[index[p]] -= value[p]*u;
    work += end - lu->L_start[j];
  }
  lu->U.used = used;
  lu->flops += 2.0*(double)work;
}

// Chooses the pivot of column k among the entries of L from `first` on: the row that the analysis
// matched if its entry is at least `threshold` times the largest, else the largest entry. (Taking
// the row with the fewest entries in A took twice the flops on a rank-deficient stack.) NONE: no
// entry is above the floor, or one is not finite.
static int64_t choose(const sparse_lu *lu, int32_t k, int64_t first, double threshold,
                      double floor) {
  double largest = 0.0, own = 0.0;
  int64_t best = NONE, matched = NONE;
  for (int64_t p = first; p < lu->L.used; p++) {
    const int32_t r = lu->L.index[p];
    const double size = fabs(lu->x[r]);
    if (size > largest || size != size) {               // a NaN becomes the largest and stays
      largest = size;
      best = p;
    }
    if (r == lu->preferred[k]) {
      matched = p;
      own = size;
    }
  }
  if (!(largest > floor) || !(largest < (double)INFINITY)) return NONE;
  return matched != NONE && own > floor && own >= threshold*largest ? matched : best;
}

// Shortens searches: if column k of U has an entry in row j and column j of L has one in the new
// pivot row, column k of L contains the other rows of j that are not pivot rows. A search from j
// then finds them through k and visits only the pivot rows of j.
static void prune(sparse_lu *lu, int32_t k, int32_t top) {
  const int32_t pivot_row = lu->name[k];
  for (int32_t s = top; s < lu->n; s++) {
    const int32_t j = lu->order[s];
    const int64_t first = lu->L_start[j], end = lu->L_start[j + 1];
    if (lu->L_visit[j] < end) continue;                 // pruned already
    int64_t p = first;
    while (p < end && lu->L.index[p] != pivot_row) p++;
    if (p == end) continue;
    int64_t head = first, tail = end;
    while (head < tail) {
      const int32_t i = lu->L.index[head];
      if (lu->pivot[i] != NONE) {
        head++;
        continue;
      }
      const double value = lu->L.value[head];
      tail--;
      lu->L.index[head] = lu->L.index[tail];
      lu->L.value[head] = lu->L.value[tail];
      lu->L.index[tail] = i;
      lu->L.value[tail] = value;
    }
    lu->L_visit[j] = tail;
  }
}

static int factor_column(sparse_lu *lu, const perp_csc *A, int32_t k, int32_t first, int32_t size,
                         double threshold, double floor) {
  if (!reserve(lu, &lu->L, size)) return -2;
  lu->L_start[k] = lu->L.used;
  lu->U_start[k] = lu->U.used;
  const int64_t below = lu->L.used;
  const int32_t top = load(lu, A, k, first);
  eliminate(lu, top);
  const int64_t chosen = choose(lu, k, below, threshold, floor);
  if (chosen == NONE) {
    for (int64_t p = below; p < lu->L.used; p++) lu->x[lu->L.index[p]] = 0.0;
    return lu->column[k] + 1;
  }
  const int32_t row = lu->L.index[chosen];
  const double value = lu->x[row];
  lu->x[row] = 0.0;
  lu->L.index[chosen] = lu->L.index[--lu->L.used];
  for (int64_t p = below; p < lu->L.used; p++) {
    const int32_t r = lu->L.index[p];
    lu->L.value[p] = lu->x[r]/value;
    lu->x[r] = 0.0;
  }
  lu->flops += (double)(lu->L.used - below);
  lu->diagonal[k] = value;
  lu->pivot[row] = k;
  lu->name[k] = row;
  lu->L_start[k + 1] = lu->L_visit[k] = lu->L.used;
  lu->U_start[k + 1] = lu->U.used;
  // The column that preferred this row now prefers the row that k preferred.
  if (row != lu->preferred[k]) {
    const int32_t other = lu->owner[row], mine = lu->preferred[k];
    lu->preferred[other] = mine;
    lu->owner[mine] = other;
  }
  prune(lu, k, top);
  return 0;
}

// Factors a block of one row: its entry is the pivot, and all other entries are above the block.
static int factor_single(sparse_lu *lu, const perp_csc *A, int32_t k, double floor) {
  const int32_t c = lu->column[k];
  double value = 0.0;
  lu->L_start[k] = lu->L_start[k + 1] = lu->L_visit[k] = lu->L.used;
  lu->U_start[k] = lu->U.used;
  for (int32_t p = A->colptr[c]; p < A->colptr[c + 1]; p++) {
    const int32_t r = lu->place[A->row[p]];
    if (r == k) {
      value = A->value[p];
    } else {
      lu->U.index[lu->U.used] = lu->pivot[r];
      lu->U.value[lu->U.used++] = A->value[p];
    }
  }
  lu->U_start[k + 1] = lu->U.used;
  lu->diagonal[k] = value;
  lu->pivot[k] = lu->name[k] = k;
  return fabs(value) > floor && fabs(value) < (double)INFINITY ? 0 : c + 1;
}

int sparse_lu_factor(sparse_lu *lu, const perp_csc *A, double threshold, double floor,
                     const perp_deadline *deadline) {
  const int32_t n = lu->n;
  if (lu->factored) {
    lu->factored = 0;
    const int status = lu_refactor(lu, A, threshold, floor, deadline);
    lu->factored = status == 0;
    if (status <= 0) return status;
  }
  lu->flops = 0.0;
  lu->L.used = lu->U.used = 0;
  if (lu->unmatched != NONE) return lu->unmatched + 1;
  const int64_t nnz = n > 0 ? (int64_t)A->colptr[n] - A->colptr[0] : 0;
  if (!reserve(lu, &lu->U, 2*nnz + n) || !reserve(lu, &lu->L, nnz)) return -2;
  for (int32_t k = 0; k < n; k++) {
    lu->pivot[k] = lu->seen[k] = NONE;
    lu->preferred[k] = lu->owner[k] = k;
    lu->x[k] = 0.0;
  }
  double polled = 0.0;
  for (int32_t b = 0; b < lu->blocks; b++) {
    const int32_t first = lu->start[b], end = lu->start[b + 1];
    for (int32_t k = first; k < end; k++) {
      const double done = lu->flops + (double)lu->U.used;
      if (done >= polled) {
        if (deadline_passed(deadline)) return -1;
        polled = done + DEADLINE_POLL_FLOPS;
      }
      const int32_t c = lu->column[k], size = end - first;
      if (!reserve(lu, &lu->U, (int64_t)size + A->colptr[c + 1] - A->colptr[c])) return -2;
      const int status = size == 1 ? factor_single(lu, A, k, floor)
                                   : factor_column(lu, A, k, first, size, threshold, floor);
      if (status != 0) return status;
    }
    for (int64_t p = lu->L_start[first]; p < lu->L.used; p++)
      lu->L.index[p] = lu->pivot[lu->L.index[p]];
  }
  for (int32_t k = 0; k < n; k++) {
    lu->row[k] = lu->matched[lu->name[k]];
    lu->position[lu->row[k]] = k;
  }
  lu->factored = 1;
  return 0;
}
