// sparse_lu_solve.c: solves with the factors of a sparse LU, for full and for sparse vectors.
//
// With B_b = L_b U_b on the diagonal and F_bc above it, blocks are solved from the last to the
// first,
//     x_b = U_b^-1 L_b^-1 (v_b - sum over c > b of F_bc x_c),
// and for the transpose from the first to the last. For a vector with few entries, a search in the
// graph of the columns of L and U finds the columns that change it (J. Gilbert, T. Peierls, see
// sparse_lu.c); the others are skipped.
// Cost: the entries of the columns visited.
#include "sparse_lu_parts.h"

enum { NONE = -1 };

static void lower(const sparse_lu *lu, int32_t k, double *v) {      // v -= L_k v_k
  const double t = v[k];
  if (t == 0.0) return;
  const int32_t *index = lu->L.index;
  const double *value = lu->L.value;
  for (int64_t p = lu->L_start[k], end = lu->L_start[k + 1]; p < end; p++)
    v[index[p]] -= value[p]*t;
}

static void upper(const sparse_lu *lu, int32_t k, double *v) {      // v_k /= U_kk, v -= U_k v_k
  if (v[k] == 0.0) return;
  const double t = v[k] /= lu->diagonal[k];
  const int32_t *index = lu->U.index;
  const double *value = lu->U.value;
  for (int64_t p = lu->U_start[k], end = lu->U_start[k + 1]; p < end; p++)
    v[index[p]] -= value[p]*t;
}

static double column_dot(const lu_entries *e, int64_t p, int64_t end, const double *v) {
  double s = 0.0;
  for (; p < end; p++) s += e->value[p]*v[e->index[p]];
  return s;
}

void sparse_lu_solve(const sparse_lu *lu, double *v) {
  const int32_t n = lu->n;
  if (!lu->factored) return;
  double *const w = lu->v;
  for (int32_t k = 0; k < n; k++) w[k] = v[lu->row[k]];
  for (int32_t b = lu->blocks - 1; b >= 0; b--) {
    const int32_t first = lu->start[b], end = lu->start[b + 1];
    for (int32_t k = first; k < end - 1; k++) lower(lu, k, w);
    for (int32_t k = end - 1; k >= first; k--) upper(lu, k, w);
  }
  for (int32_t k = 0; k < n; k++) v[lu->column[k]] = w[k];
}

void sparse_lu_solve_transpose(const sparse_lu *lu, double *v) {
  const int32_t n = lu->n;
  if (!lu->factored) return;
  double *const w = lu->v;
  for (int32_t k = 0; k < n; k++) w[k] = v[lu->column[k]];
  for (int32_t b = 0; b < lu->blocks; b++) {
    const int32_t first = lu->start[b], end = lu->start[b + 1];
    for (int32_t k = first; k < end; k++)
      w[k] = (w[k] - column_dot(&lu->U, lu->U_start[k], lu->U_start[k + 1], w))/lu->diagonal[k];
    for (int32_t k = end - 2; k >= first; k--)
      w[k] -= column_dot(&lu->L, lu->L_start[k], lu->L_start[k + 1], w);
  }
  for (int32_t k = 0; k < n; k++) v[lu->row[k]] = w[k];
}

// Node k < n is column k of L; node n + k is column k of U. Column k of L leads to the columns of L
// at its rows and to column k of U. Column k of U leads to the columns at its rows: of U in the
// same block, of L in an earlier block. Prepends the nodes reached from node k to order[top ..].
// Returns the new top, or NONE if a quarter of all nodes is exceeded: then a full solve costs less.
static int32_t search(sparse_lu *lu, int32_t k, int32_t top) {
  const int32_t n = lu->n, stamp = lu->stamp;
  int32_t *const stack = lu->stack, *const visited = lu->visited;
  int64_t *const next = lu->next;
  int32_t depth = 0;
  stack[0] = k;
  visited[k] = stamp;
  next[0] = lu->L_start[k] - 1;                   // start with the step to U
  while (depth >= 0) {
    const int32_t node = stack[depth], j = node < n ? node : node - n;
    const int64_t end = node < n ? lu->L_start[j + 1] : lu->U_start[j + 1];
    int64_t p = next[depth];
    int32_t child = NONE;
    for (; p < end && child == NONE; p++) {
      int32_t to;
      if (node < n) to = p < lu->L_start[j] ? n + j : lu->L.index[p];
      else to = lu->U.index[p] >= lu->first[j] ? n + lu->U.index[p] : lu->U.index[p];
      if (visited[to] != stamp) child = to;
    }
    if (child == NONE) {
      if (2*n - top > n/2) return NONE;
      depth--;
      lu->order[--top] = node;
      continue;
    }
    next[depth] = p;
    stack[++depth] = child;
    visited[child] = stamp;
    next[depth] = child < n ? lu->L_start[child] - 1 : lu->U_start[child - n];
  }
  return top;
}

static int32_t solve_many(sparse_lu *lu, double *v, int32_t *pattern) {
  int32_t count = 0;
  sparse_lu_solve(lu, v);
  for (int32_t i = 0; i < lu->n; i++)
    if (v[i] != 0.0) pattern[count++] = i;
  return count;
}

int32_t sparse_lu_solve_few(sparse_lu *lu, double *v, int32_t *pattern, int32_t count) {
  const int32_t n = lu->n;
  if (!lu->factored) return count;
  double *const x = lu->x;
  if (lu->stamp == INT32_MAX) {
    lu->stamp = 0;
    for (int32_t k = 0; k < 2*n; k++) lu->visited[k] = 0;
  }
  lu->stamp++;
  int32_t top = 2*n, found = 0;
  for (int32_t c = 0; c < count; c++) {
    const int32_t k = lu->position[pattern[c]];
    if (lu->visited[k] != lu->stamp) top = search(lu, k, top);
    if (top == NONE) return solve_many(lu, v, pattern);
  }
  for (int32_t c = 0; c < count; c++) {
    x[lu->position[pattern[c]]] = v[pattern[c]];
    v[pattern[c]] = 0.0;
  }
  for (int32_t s = top; s < 2*n; s++) {
    const int32_t node = lu->order[s];
    if (node < n) lower(lu, node, x);
    else upper(lu, node - n, x);
  }
  for (int32_t s = top; s < 2*n; s++) {
    if (lu->order[s] < n) continue;
    const int32_t k = lu->order[s] - n;
    pattern[found++] = lu->column[k];
    v[lu->column[k]] = x[k];
    x[k] = 0.0;
  }
  return found;
}
