// components.c: finds connected components and strongly connected blocks of A.
//
// Components share no nonzero: union-find. Blocks may depend on each other in one direction only:
// depth-first search (Tarjan 1972).
// Cost: one pass over the entries each.
#include "problem.h"
#include "ties.h"

// A root precedes its members, so one pass labels all: each root first stores -(label + 1).
int32_t ties_label(int32_t *parent, int32_t n) {
  int32_t count = 0;
  for (int32_t i = 0; i < n; i++) {
    if (parent[i] == i) parent[i] = -(++count);
    else {
      int32_t r = parent[i];   // r < i, so r is labelled or leads to a labelled root
      while (parent[r] >= 0) r = parent[r];
      parent[i] = parent[r];
    }
  }
  for (int32_t i = 0; i < n; i++) parent[i] = -parent[i] - 1;
  return count;
}

// Counts the nonzeros of a dense matrix by rows and joins the rows they connect, until all rows
// are one component. Returns the number of components.
static int32_t find_dense(const perp_dense *D, int shifted, int32_t *parent, int32_t *entries) {
  const int32_t n = D->n;
  const size_t ld = (size_t)(D->ld != 0 ? D->ld : D->n);
  int32_t left = n;
  for (int32_t k = 0; k < n; k++) {
    const double *restrict a = D->value + (size_t)k*ld;
    for (int32_t l = 0; left > 1 && l < n; l++)
      if (a[l] != 0.0 && parent[k] != parent[l]) left -= ties_join(parent, k, l);
    if (D->by_column) {
      for (int32_t l = 0; l < n; l++) entries[l] += a[l] != 0.0;
    } else {
      // As doubles like a, so that the comparisons stay in vector registers.
      double count[4] = {0.0};
      int32_t l = 0;
      for (; l + 4 <= n; l += 4)
        for (int q = 0; q < 4; q++) count[q] += a[l + q] != 0.0 ? 1.0 : 0.0;
      for (; l < n; l++) count[0] += a[l] != 0.0 ? 1.0 : 0.0;
      entries[k] = (int32_t)((count[0] + count[1]) + (count[2] + count[3]));
    }
    if (shifted) entries[k] -= a[k] != 0.0;
  }
  return left;
}

// Two rows of J W J' are connected if both have a nonzero at a degree of freedom k with W_kk != 0,
// or at k and l with W_kl != 0. (W is semidefinite, so W_kk = 0 implies an empty row k.) That is
// one pass over J and W. An A_ij that is 0 only by cancellation still connects. first: dofs
static int32_t find_product(const entry_chain *chain, int32_t *parent, int32_t *entries,
                            int32_t *first) {
  const perp_product *P = chain->matrix.data;
  for (int32_t k = 0; k < P->dofs; k++) first[k] = -1;   // the first row that touches k
  for (int32_t i = 0; i < chain->n; i++) {
    const entry_cursor at = entries_begin(chain, i);
    const int32_t row = at.column[chain->depth];
    int empty = P->compliance == NULL || P->compliance[row] == 0.0;
    for (int32_t p = P->rowptr[row]; p < P->rowptr[row + 1]; p++) {
      const int32_t k = P->column[p];
      if (P->value[p] == 0.0 || P->W[(size_t)k*(size_t)P->block + (size_t)(k % P->block)] == 0.0)
        continue;
      empty = 0;
      if (first[k] < 0) first[k] = i;
      else ties_join(parent, first[k], i);
    }
    double a, error;
    int32_t place = row;
    // A shift can make an empty row's diagonal entry nonzero.
    if (empty && chain->shifted) {
      a = 0.0;
      empty = !entries_outside(&at, &place, &a, &error) || a == 0.0;
    }
    entries[i] = empty ? 0 : chain->n;
  }
  for (int32_t k = 0; P->block > 1 && k < P->dofs; k++) {
    const int32_t start = k - k % P->block;
    for (int32_t l = start; first[k] >= 0 && l < k; l++)
      if (first[l] >= 0 && P->W[(size_t)k*(size_t)P->block + (size_t)(l - start)] != 0.0)
        ties_join(parent, first[k], first[l]);
  }
  return ties_label(parent, chain->n);
}

int32_t components_tied(const perp_csc *A, int32_t *component) {
  const int32_t n = A->columns;
  int32_t *parent = component, left = n;
  for (int32_t i = 0; i < n; i++) parent[i] = i;
  for (int32_t j = 0; j < n && left > 1; j++) {
    int32_t root = ties_root(parent, j);
    for (int32_t p = A->colptr[j + 1]; p-- > A->colptr[j] && A->row[p] > j;) {
      if (parent[A->row[p]] == root) continue;
      left -= ties_join(parent, A->row[p], j);
      root = ties_root(parent, root);
    }
  }
  return ties_label(parent, n);
}

int32_t components_find(const perp_operator *A, int32_t *component, int32_t *entries, int *known,
                        void *scratch) {
  const int32_t n = A->n;
  int32_t *parent = component;
  for (int32_t i = 0; i < n; i++) {
    parent[i] = i;
    entries[i] = 0;
  }
  const perp_view view = operator_view(A);
  // With a shift every diagonal entry counts, stored or not.
  const int shifted = view.shift != 0.0;
  entry_chain chain;
  *known = 1;
  if (view.kind == PERP_VIEW_DENSE) {
    if (find_dense(view.data, shifted, parent, entries) == 1) {
      for (int32_t i = 0; i < n; i++) {
        component[i] = 0;
        entries[i] += shifted;
      }
      return 1;
    }
  } else if (view.kind == PERP_VIEW_CSC) {
    const perp_csc *C = view.data;
    for (int32_t j = 0; j < n; j++)
      for (int32_t p = C->colptr[j]; p < C->colptr[j + 1]; p++) {
        const int32_t i = C->row[p];
        if (C->value[p] == 0.0 || (shifted && i == j)) continue;
        entries[i]++;
        if (parent[i] != parent[j]) ties_join(parent, i, j);
      }
  } else if (entries_chain(A, &chain)) {
    for (int32_t j = 0; j < n; j++) {
      double a, error;
      int32_t i;
      for (entry_cursor at = entries_begin(&chain, j); entries_next(&at, &i, &a, &error);) {
        if (a == 0.0 && error == 0.0) continue;
        entries[i]++;
        ties_join(parent, i, j);
      }
    }
    return ties_label(component, n);
  } else if (scratch != NULL && entries_product_chain(A, &chain)) {
    return find_product(&chain, component, entries, scratch);
  } else if (scratch != NULL && entries_contact_chain(A, &chain)) {
    return contact_ties(&chain, 0, component, entries, scratch);
  } else {
    *known = 0;
    for (int32_t i = 0; i < n; i++) {
      parent[i] = 0;
      entries[i] = n;
    }
    return n > 0;
  }
  for (int32_t i = 0; shifted && i < n; i++) entries[i]++;
  return ties_label(component, n);
}

int32_t components_halves(const perp_operator *A, const int32_t *part, int32_t parts,
                          double *diagonal, int32_t *half) {
  const int32_t n = A->n;
  const perp_view view = operator_view(A);
  const int viewed = (view.kind == PERP_VIEW_DENSE || view.kind == PERP_VIEW_CSC) &&
                     view.shift == 0.0;
  entry_chain chain;
  if (A->ops->diagonal != NULL && entries_contact_chain(A, &chain)) {
    A->ops->diagonal(A->self, diagonal);
    return contact_halves(&chain, part, diagonal, half);
  }
  const int known = A->ops->diagonal != NULL && (viewed || entries_chain(A, &chain));
  int full_diagonal = 1;
  if (known) {
    A->ops->diagonal(A->self, diagonal);
    for (int32_t i = 0; i < n; i++) full_diagonal &= diagonal[i] != 0.0;
  }
  // A_ii connects row i with column i, so the halves are the components.
  if (!known || full_diagonal) {
    for (int32_t i = 0; i < n; i++) half[i] = half[n + i] = part[i];
    return parts;
  }
  for (int32_t i = 0; i < 2*n; i++) half[i] = i;
  if (!viewed) {
    for (int32_t j = 0; j < n; j++) {
      double a, error;
      int32_t i;
      for (entry_cursor at = entries_begin(&chain, j); entries_next(&at, &i, &a, &error);)
        if ((a != 0.0 || error > 0.0) && part[i] == part[j]) ties_join(half, i, n + j);
    }
  } else if (view.kind == PERP_VIEW_DENSE) {
    const perp_dense *D = view.data;
    const size_t ld = (size_t)(D->ld != 0 ? D->ld : D->n);
    for (int32_t k = 0; k < n; k++)
      for (int32_t l = 0; l < n; l++)
        if (D->value[(size_t)k*ld + (size_t)l] != 0.0 && part[k] == part[l])
          ties_join(half, D->by_column ? l : k, n + (D->by_column ? k : l));
  } else {
    const perp_csc *C = view.data;
    for (int32_t j = 0; j < n; j++)
      for (int32_t p = C->colptr[j]; p < C->colptr[j + 1]; p++)
        if (C->value[p] != 0.0 && part[C->row[p]] == part[j]) ties_join(half, C->row[p], n + j);
  }
  return ties_label(half, 2*n);
}

// ---- strongly connected blocks ----

// The nonzeros by lines: the columns, or the stored lines of a dense matrix. Lines may be rows,
// because A' has the same blocks as A.
typedef struct lines {
  perp_view view;
  entry_chain chain;   // used where there is no view
  const int32_t *ring, *normal;   // for contacts, else NULL: see contact_lines
} lines;

static int32_t first_place(const lines *l, int32_t k) {
  if (l->ring != NULL) return 0;
  if (l->view.kind == PERP_VIEW_CSC) return ((const perp_csc *)l->view.data)->colptr[k];
  return l->view.kind == PERP_VIEW_DENSE ? 0 : entries_begin(&l->chain, k).at;
}

// The next nonzero of line k from *place on, or -1 after the last.
static int32_t next_in_line(const lines *l, int32_t k, int32_t *place) {
  if (l->ring != NULL) {
    const int32_t at = (*place)++;
    return at == 0 ? l->ring[k] : at == 1 ? l->normal[k] : -1;
  }
  if (l->view.kind == PERP_VIEW_CSC) {
    const perp_csc *C = l->view.data;
    while (*place < C->colptr[k + 1]) {
      const int32_t p = (*place)++;
      if (C->value[p] != 0.0) return C->row[p];
    }
    return -1;
  }
  if (l->view.kind == PERP_VIEW_DENSE) {
    const perp_dense *D = l->view.data;
    const double *a = D->value + (size_t)k*(size_t)(D->ld != 0 ? D->ld : D->n);
    while (*place < D->n) {
      const int32_t p = (*place)++;
      if (a[p] != 0.0) return p;
    }
    return -1;
  }
  entry_cursor at = entries_begin(&l->chain, k);
  at.at = *place;
  int32_t i;
  double a, error;
  while (entries_next(&at, &i, &a, &error)) {
    *place = at.at;
    if (a != 0.0 || error > 0.0) return i;
  }
  return -1;
}

// Do the nonzeros of a dense matrix lead from line 0 to every other line (back: from every other
// line to it)? Only unreached lines are checked, so a full matrix takes n steps.
static int reaches_all(const perp_dense *D, int back, int32_t *work) {
  const int32_t n = D->n;
  const size_t ld = (size_t)(D->ld != 0 ? D->ld : D->n);
  const size_t along = back ? ld : 1, from = back ? 1 : ld;
  int32_t *left = work, *queue = work + n, count = n - 1, queued = 1;   // n each
  for (int32_t i = 1; i < n; i++) left[i - 1] = i;
  queue[0] = 0;
  for (int32_t q = 0; q < queued && count > 0; q++) {
    const double *a = D->value + (size_t)queue[q]*from;
    int32_t kept = 0;
    for (int32_t l = 0; l < count; l++) {
      const int32_t i = left[l], reached = a[(size_t)i*along] != 0.0;
      left[kept] = queue[queued] = i;
      kept += !reached;
      queued += reached;
    }
    count = kept;
  }
  return count <= 0;
}

// 1: the pattern of a CSC matrix is symmetric and it stores no zero. next: n, work
static int symmetric_pattern(const perp_csc *C, int32_t *next) {
  for (int32_t j = 0; j < C->columns; j++) next[j] = C->colptr[j];
  for (int32_t j = 0; j < C->columns; j++)
    for (int32_t p = C->colptr[j]; p < C->colptr[j + 1]; p++) {
      const int32_t i = C->row[p];
      if (C->value[p] == 0.0) return 0;
      if (i <= j) {   // an entry of an earlier column, which has checked it
        if (i < j && p >= next[j]) return 0;
        continue;
      }
      if (next[i] == C->colptr[i + 1] || C->row[next[i]++] != j) return 0;
    }
  return 1;
}

int32_t components_strong(const perp_operator *A, const int32_t *component, int32_t components,
                          int32_t *entries, int32_t *block, int32_t *work, void *scratch) {
  const int32_t n = A->n;
  lines l = {.view = operator_view(A)};
  int full = 1;
  for (int32_t i = 0; i < n; i++) {
    full &= entries[i] == n;
    block[i] = component[i];
  }
  const int viewed = l.view.kind == PERP_VIEW_CSC || l.view.kind == PERP_VIEW_DENSE;
  if (scratch != NULL && entries_contact_chain(A, &l.chain)) {
    int32_t *ring = work + 4*(size_t)n, *normal = ring + n;   // n each
    const int32_t groups = contact_ties(&l.chain, 1, block, entries, scratch);
    if (groups > components) contact_lines(&l.chain, block, groups, ring, normal, work);
    for (int32_t i = 0; groups == components && i < n; i++) block[i] = component[i];
    if (groups == components) return components;
    l.ring = ring;
    l.normal = normal;
  } else if (full || (!viewed && !entries_chain(A, &l.chain))) return components;
  if (l.view.kind == PERP_VIEW_CSC && symmetric_pattern(l.view.data, work)) return components;
  if (l.view.kind == PERP_VIEW_DENSE && components == 1 && reaches_all(l.view.data, 0, work) &&
      reaches_all(l.view.data, 1, work))
    return components;
  // number: 0 unseen, otherwise the order of discovery. low: the earliest line that this one leads
  // back to, or n + 1 once its block is complete. path: the current search path. open: lines that
  // have no block yet.
  int32_t *low = work, *path = work + n, *open = work + 2*n, *place = work + 3*n;   // n each
  int32_t *number = block;   // until the block is complete
  int32_t count = 0, found = 0, opened = 0;
  for (int32_t i = 0; i < n; i++) low[i] = 0;
  for (int32_t root = 0; root < n; root++) {
    if (low[root] != 0) continue;
    int32_t depth = 0;
    for (int32_t next = root; next >= 0 || depth > 0;) {
      if (next >= 0) {   // a new line
        path[depth++] = open[opened++] = next;
        low[next] = number[next] = ++found;
        place[next] = first_place(&l, next);
      }
      const int32_t k = path[depth - 1];
      next = next_in_line(&l, k, &place[k]);
      if (next >= 0 && low[next] == 0) continue;
      if (next >= 0) {   // a complete block has low = n + 1 and changes nothing
        if (low[next] < low[k]) low[k] = low[next];
        next = -1;
        continue;
      }
      depth--;
      if (low[k] == number[k]) {   // k is the first line of its block
        int32_t i;
        do {
          i = open[--opened];
          low[i] = n + 1;
          block[i] = count;
        } while (i != k);
        count++;
      } else if (low[k] < low[path[depth - 1]]) {
        low[path[depth - 1]] = low[k];
      }
    }
  }
  for (int32_t i = 0; count == components && i < n; i++) block[i] = component[i];
  return count;
}

// sum += |A_ij| d_j for entries between different blocks
static inline void add_inflow(const int32_t *block, int32_t i, int32_t j, double a, const double *d,
                              double *inflow) {
  if (block[i] != block[j] && d[j] > 0.0) inflow[i] += fabs(a)*d[j];
}

void components_inflow(const perp_operator *A, const int32_t *block, const double *d,
                       double *inflow) {
  const int32_t n = A->n;
  for (int32_t i = 0; i < n; i++) inflow[i] = 0.0;
  entry_chain chain;
  const perp_view view = operator_view(A);
  // A shift changes the diagonal only, which is inside a block.
  const int plain = view.R == NULL && view.C == NULL;
  if (plain && view.kind == PERP_VIEW_CSC) {
    const perp_csc *C = view.data;
    for (int32_t j = 0; j < n; j++)
      for (int32_t p = C->colptr[j]; d[j] > 0.0 && p < C->colptr[j + 1]; p++)
        add_inflow(block, C->row[p], j, C->value[p], d, inflow);
  } else if (plain && view.kind == PERP_VIEW_DENSE) {
    const perp_dense *D = view.data;
    const size_t ld = (size_t)(D->ld != 0 ? D->ld : D->n);
    for (int32_t k = 0; k < n; k++)
      for (int32_t l = 0; l < n; l++)
        add_inflow(block, D->by_column ? l : k, D->by_column ? k : l,
                   D->value[(size_t)k*ld + (size_t)l], d, inflow);
  } else if (entries_contact_chain(A, &chain)) {
    contact_inflow(&chain, block, d, inflow);
  } else if (entries_chain(A, &chain)) {
    for (int32_t j = 0; j < n; j++) {
      double a, error;
      int32_t i;
      for (entry_cursor at = entries_begin(&chain, j); entries_next(&at, &i, &a, &error);)
        add_inflow(block, i, j, a, d, inflow);
    }
  }
}
