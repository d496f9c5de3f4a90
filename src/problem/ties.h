// ties.h: union-find over rows, and the rows that the contact LCP E13 (27) connects.
#ifndef PERP_TIES_H
#define PERP_TIES_H

#include "entries.h"

static inline int32_t ties_root(int32_t *parent, int32_t i) {
  while (parent[i] != i) {
    parent[i] = parent[parent[i]];   // path halving
    i = parent[i];
  }
  return i;
}

static inline int ties_join(int32_t *parent, int32_t i, int32_t j) {   // 1: they were apart
  i = ties_root(parent, i);
  j = ties_root(parent, j);
  if (i == j) return 0;
  // The smaller index becomes the root, so labels follow the order of first rows.
  if (i < j) parent[j] = i;
  else parent[i] = j;
  return 1;
}

// Turns parents into labels 0, 1, 2; returns the number of labels.
int32_t ties_label(int32_t *parent, int32_t n);

// ---- contacts: the functions of problem.h for a chain whose matrix is a perp_contacts.
// As in a product, an entry of B that is 0 only by cancellation still connects its rows.

// scratch: the operator's. mutual = 1: connect only rows that depend on each other; mu does not
// connect then.
int32_t contact_ties(const entry_chain *chain, int mutual, int32_t *parent, int32_t *entries,
                     void *scratch);
int32_t contact_halves(const entry_chain *chain, const int32_t *part, double *diagonal,
                       int32_t *half);
void contact_inflow(const entry_chain *chain, const int32_t *block, const double *d,
                    double *inflow);
// For each row at most two rows it depends on, or -1. Following them finds the same blocks as
// following all entries. group: from contact_ties with mutual = 1. ring, normal: n each
void contact_lines(const entry_chain *chain, const int32_t *group, int32_t groups, int32_t *ring,
                   int32_t *normal, int32_t *last);

// Given: the scales R, C of the rows of B, and R = 1 for slacks. Finds the scales of the remaining
// rows such that every row and column has its maximum at 1. diagonal: of the whole matrix
void contact_scales(const entry_chain *chain, const double *diagonal, double *R, double *C);

#endif
