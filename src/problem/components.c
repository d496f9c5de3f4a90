// components.c: which variables have nothing to do with each other:
// connected components by union-find.
#include "problem.h"

static int32_t root_of(int32_t *parent, int32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];   // path halving
    i = parent[i];
  }
  return i;
}

static int join(int32_t *parent, int32_t i, int32_t j) {   // 1: they were apart
  i = root_of(parent, i);
  j = root_of(parent, j);
  if (i == j) return 0;
  // the smaller index leads, so labels come out in the order of first rows
  if (i < j) parent[j] = i;
  else parent[i] = j;
  return 1;
}

// Turns parents into labels 0, 1, ...; returns how many. A root precedes its members, so one pass
// will do: a root gets -(label + 1) on the way.
static int32_t label(int32_t *parent, int32_t n) {
  int32_t count = 0;
  for (int32_t i = 0; i < n; i++) {
    if (parent[i] == i) parent[i] = -(++count);
    else {
      int32_t r = parent[i];   // r < i: already labelled, or on a path to a labelled one
      while (parent[r] >= 0) r = parent[r];
      parent[i] = parent[r];
    }
  }
  for (int32_t i = 0; i < n; i++) parent[i] = -parent[i] - 1;
  return count;
}

// Counts the nonzeros of a dense matrix by rows, and joins what they tie together until all is one.
// Returns how many components are left.
static int32_t find_dense(const perp_dense *D, int shifted, int32_t *parent, int32_t *entries) {
  const int32_t n = D->n;
  const size_t ld = (size_t)(D->ld != 0 ? D->ld : D->n);
  int32_t left = n;
  for (int32_t k = 0; k < n; k++) {
    const double *restrict a = D->value + (size_t)k*ld;
    for (int32_t l = 0; left > 1 && l < n; l++)
      if (a[l] != 0.0 && parent[k] != parent[l]) left -= join(parent, k, l);
    if (D->by_column) {
      for (int32_t l = 0; l < n; l++) entries[l] += a[l] != 0.0;
    } else {
      double count[4] = {0.0};   // of doubles, like a: their comparisons stay in vectors
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

int32_t components_find(const perp_operator *A, int32_t *component, int32_t *entries, int *known) {
  const int32_t n = A->n;
  int32_t *parent = component;
  for (int32_t i = 0; i < n; i++) {
    parent[i] = i;
    entries[i] = 0;
  }
  const perp_view view = operator_view(A);
  const int shifted = view.shift != 0.0;   // then every diagonal entry counts, stored or not
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
        if (parent[i] != parent[j]) join(parent, i, j);
      }
  } else {
    *known = 0;
    for (int32_t i = 0; i < n; i++) {
      parent[i] = 0;
      entries[i] = n;
    }
    return n > 0;
  }
  for (int32_t i = 0; shifted && i < n; i++) entries[i]++;
  return label(component, n);
}

int32_t components_halves(const perp_operator *A, const int32_t *component, int32_t components,
                          double *diagonal, int32_t *half) {
  const int32_t n = A->n;
  const perp_view view = operator_view(A);
  const int entries_known = A->ops->diagonal != NULL &&
                            (view.kind == PERP_VIEW_CSC || view.kind == PERP_VIEW_DENSE) &&
                            view.shift == 0.0;
  int full_diagonal = 1;
  if (entries_known) {
    A->ops->diagonal(A->self, diagonal);
    for (int32_t i = 0; i < n; i++) full_diagonal &= diagonal[i] != 0.0;
  }
  // A_ii ties row i to column i: the halves are the components
  if (!entries_known || full_diagonal) {
    for (int32_t i = 0; i < n; i++) half[i] = half[n + i] = component[i];
    return components;
  }
  for (int32_t i = 0; i < 2*n; i++) half[i] = i;
  if (view.kind == PERP_VIEW_DENSE) {
    const perp_dense *D = view.data;
    const size_t ld = (size_t)(D->ld != 0 ? D->ld : D->n);
    for (int32_t k = 0; k < n; k++)
      for (int32_t l = 0; l < n; l++)
        if (D->value[(size_t)k*ld + (size_t)l] != 0.0)
          join(half, D->by_column ? l : k, n + (D->by_column ? k : l));
  } else {
    const perp_csc *C = view.data;
    for (int32_t j = 0; j < n; j++)
      for (int32_t p = C->colptr[j]; p < C->colptr[j + 1]; p++)
        if (C->value[p] != 0.0) join(half, C->row[p], n + j);
  }
  return label(half, 2*n);
}
