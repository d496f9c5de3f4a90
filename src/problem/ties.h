// ties.h: union-find over rows, and what the contact LCP E13 (27) ties together.
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
  // the smaller index leads, so labels come out in the order of first rows
  if (i < j) parent[j] = i;
  else parent[i] = j;
  return 1;
}

// Turns parents into labels 0, 1, ...; returns how many.
int32_t ties_label(int32_t *parent, int32_t n);

// ---- contacts: the functions of problem.h, where the matrix of the chain is a perp_contacts.
// Entries of B that are 0 only because their terms cancel count as ties, as in a product.

// scratch: the operator's. mutual: only what depends on each other, so without mu
int32_t contact_ties(const entry_chain *chain, int mutual, int32_t *parent, int32_t *entries,
                     void *scratch);
int32_t contact_halves(const entry_chain *chain, const int32_t *part, double *diagonal,
                       int32_t *half);
void contact_inflow(const entry_chain *chain, const int32_t *block, const double *d,
                    double *inflow);
// For each row two others at most that it depends on, -1: none; so that they lead to the same
// blocks as all entries do. group: of contact_ties, mutual; ring, normal: n each
void contact_lines(const entry_chain *chain, const int32_t *group, int32_t groups, int32_t *ring,
                   int32_t *normal, int32_t *last);

// R, C: the scaling of the rows of B (units where R = 1) is given; finds that of the others such
// that all rows and columns have their maximum at 1. diagonal: of the whole
void contact_scales(const entry_chain *chain, const double *diagonal, double *R, double *C);

#endif
