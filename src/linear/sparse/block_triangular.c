// block_triangular.c: permutes a sparse matrix to block upper triangular form.
//
// First, each column is matched with a row of its own in which it has an entry, by augmenting paths
// (I. Duff: On algorithms for obtaining a maximum transversal, ACM TOMS 7 (1981)). Columns with one
// entry are matched first, then columns with a diagonal entry in a free row, so a full diagonal is
// kept. The blocks are the strong components of the graph with an edge from column j to column k if
// j has an entry in the row of k. Tarjan's search completes a component after those it reaches,
// which is the order of the blocks (R. Tarjan: Depth-first search and linear graph algorithms, SIAM
// J. Comput. 1 (1972)).
// Cost: n + nnz for the components, and usually for the matching; its worst case is n nnz.
#include "block_triangular.h"

enum { NONE = -1 };

// Searches for a path from column j over matched columns to a free row and shifts the matching
// along it. Returns 0 if there is none. cheap[c]: the rows of all entries before it are matched.
static int augment(const perp_csc *A, int32_t j, int32_t *of_row, int32_t *cheap, int32_t *seen,
                   int32_t *stack, int32_t *next, int32_t *via) {
  const int32_t stamp = j;
  int32_t depth = 0;
  stack[0] = j;
  next[0] = NONE;
  while (depth >= 0) {
    const int32_t c = stack[depth];
    if (next[depth] == NONE) {                           // first visit
      seen[c] = stamp;
      int32_t found = NONE;
      for (; cheap[c] < A->colptr[c + 1] && found == NONE; cheap[c]++)
        if (of_row[A->row[cheap[c]]] == NONE) found = A->row[cheap[c]];
      if (found != NONE) {
        via[depth] = found;
        for (int32_t d = depth; d >= 0; d--) of_row[via[d]] = stack[d];
        return 1;
      }
      next[depth] = A->colptr[c];
    }
    int32_t p = next[depth];
    while (p < A->colptr[c + 1] && seen[of_row[A->row[p]]] == stamp) p++;
    if (p == A->colptr[c + 1]) {
      depth--;
      continue;
    }
    next[depth] = p + 1;
    via[depth] = A->row[p];
    stack[++depth] = of_row[A->row[p]];
    next[depth] = NONE;
  }
  return 0;
}

// Sets of_row[i] to the column matched with row i. Returns NONE, or the first column without a row:
// the search stops there, because each such column may cost a pass over A.
static int32_t match(const perp_csc *A, int32_t *of_row, int32_t *work) {
  const int32_t n = A->columns;
  int32_t *cheap = work, *seen = cheap + n, *stack = seen + n;    // n each
  int32_t *next = stack + n, *via = next + n, *matched = via + n;  // n each
  for (int32_t i = 0; i < n; i++) of_row[i] = NONE;
  for (int32_t j = 0; j < n; j++) {
    cheap[j] = A->colptr[j];
    seen[j] = NONE;
    const int32_t p = A->colptr[j];
    matched[j] = A->colptr[j + 1] - p == 1 && of_row[A->row[p]] == NONE;
    if (matched[j]) of_row[A->row[p]] = j;
  }
  for (int32_t j = 0; j < n; j++) {
    if (matched[j] || of_row[j] != NONE) continue;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1] && !matched[j]; p++)
      matched[j] = A->row[p] == j;
    if (matched[j]) of_row[j] = j;
  }
  for (int32_t j = 0; j < n; j++)
    if (!matched[j] && !augment(A, j, of_row, cheap, seen, stack, next, via)) return j;
  return NONE;
}

// Finds the strong components of the columns, fills column[] and start[], and returns their number.
static int32_t components(const perp_csc *A, const int32_t *of_row, int32_t *column, int32_t *start,
                          int32_t *work) {
  const int32_t n = A->columns;
  int32_t *number = work, *low = number + n, *stack = low + n;   // n each
  int32_t *next = stack + n, *open = next + n;                   // n each
  int32_t time = 0, count = 0, placed = 0, opened = 0;
  for (int32_t j = 0; j < n; j++) number[j] = NONE;
  for (int32_t root = 0; root < n; root++) {
    if (number[root] != NONE) continue;
    int32_t depth = 0;
    stack[0] = root;
    number[root] = low[root] = time++;
    next[root] = A->colptr[root];
    open[opened++] = root;
    while (depth >= 0) {
      const int32_t j = stack[depth];
      int32_t child = NONE;
      while (next[j] < A->colptr[j + 1] && child == NONE) {
        const int32_t k = of_row[A->row[next[j]++]];
        if (number[k] == NONE) child = k;
        else if (number[k] < low[j]) low[j] = number[k];   // n in complete components
      }
      if (child != NONE) {
        stack[++depth] = child;
        number[child] = low[child] = time++;
        next[child] = A->colptr[child];
        open[opened++] = child;
        continue;
      }
      depth--;
      if (depth >= 0 && low[j] < low[stack[depth]]) low[stack[depth]] = low[j];
      if (low[j] < number[j]) continue;
      start[count++] = placed;                             // j is the root of a component
      int32_t k;
      do {
        k = open[--opened];
        number[k] = n;
        column[placed++] = k;
      } while (k != j);
    }
  }
  start[count] = placed;
  return count;
}

int32_t block_triangular(const perp_csc *A, int32_t *row, int32_t *column, int32_t *start,
                         int32_t *unmatched, int32_t *work) {
  const int32_t n = A->columns;
  int32_t *of_row = work;                                  // n
  *unmatched = match(A, of_row, work + n);
  if (*unmatched != NONE) return -1;
  const int32_t count = components(A, of_row, column, start, work + n);
  int32_t *row_of = work + n;                              // n: row of a column
  for (int32_t i = 0; i < n; i++) row_of[of_row[i]] = i;
  for (int32_t k = 0; k < n; k++) row[k] = row_of[column[k]];
  return count;
}
