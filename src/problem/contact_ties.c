// contact_ties.c: finds connected rows and scales of the contact LCP E13 (27) without its entries.
//
//         [ N'BN  N'BD  0 ]     B is semidefinite: its rows are connected as those of a product
//     A = [ D'BN  D'BD  E ]     are, and B_ij = 0 where B_ii or B_jj is 0. The slack entries E and
//         [ mu    -E'   0 ]     -E' connect both ways; mu makes a slack depend on its normal.
// So the ties of B and E, and a search along mu, find the blocks that depend on each other.
//
// Scales: with r_i = c_i = 1/sqrt(B_ii) the rows and columns of B have their maximum 1 on the
// diagonal (equilibrate.c). A slack gets r = 1/max(mu c_n, c_t) and c = 1/max r_t: its own maxima
// are 1 and no other entry of its row and column is larger. Under a shift s the diagonal r s c may
// exceed 1; r and c are then divided by its square root. A direction that moves no body has a
// single entry, at its slack: it takes 1/c and 1/r of that slack.
#include "ties.h"

#include <math.h>

#include "contact_parts.h"
#include "vector.h"

static const perp_contacts *matrix_of(const entry_chain *chain) { return chain->matrix.data; }

static int32_t inner_row(const entry_chain *chain, const entry_cursor *at) {
  return at->column[chain->depth];
}

// Joins row i with the first row that touches the same degree of freedom. touched: one place per
// degree of freedom of B, then one per row of B for its compliance. Returns 1 if row i touches any.
static int join_bodies(const perp_contacts *P, contact_place at, int32_t i, int32_t *parent,
                       int32_t *touched) {
  const perp_product *B = &P->B;
  int found = 0;
  for (int32_t t = 0; t <= P->tangents; t++) {
    const int32_t row = (1 + P->tangents)*at.contact + t;
    if (contact_share(P, at, t) == 0.0) continue;
    for (int32_t p = B->rowptr[row]; p <= B->rowptr[row + 1]; p++) {
      const int soft = p == B->rowptr[row + 1];   // the last pass is the row's own compliance
      if (soft && (B->compliance == NULL || B->compliance[row] == 0.0)) continue;
      const int32_t k = soft ? B->dofs + row : B->column[p];
      if (!soft && (B->value[p] == 0.0 ||
                    B->W[(size_t)k*(size_t)B->block + (size_t)(k % B->block)] == 0.0))
        continue;
      found = 1;
      if (touched[k] < 0) touched[k] = i;
      else ties_join(parent, touched[k], i);
    }
  }
  return found;
}

static void join_weights(const perp_product *B, const int32_t *touched, int32_t *parent) {
  for (int32_t k = 0; B->block > 1 && k < B->dofs; k++) {
    const int32_t start = k - k % B->block;
    for (int32_t l = start; touched[k] >= 0 && l < k; l++)
      if (touched[l] >= 0 && B->W[(size_t)k*(size_t)B->block + (size_t)(l - start)] != 0.0)
        ties_join(parent, touched[k], touched[l]);
  }
}

int32_t contact_ties(const entry_chain *chain, int mutual, int32_t *parent, int32_t *entries,
                     void *scratch) {
  const perp_contacts *P = matrix_of(chain);
  const int32_t n = chain->n;
  int32_t *touched = scratch, *slack = touched + P->B.dofs + P->B.n;   // dofs + rows of B, contacts
  for (int32_t k = 0; k < P->B.dofs + P->B.n; k++) touched[k] = -1;
  for (int32_t c = 0; c < P->count; c++) slack[c] = -1;
  for (int32_t i = 0; i < n; i++) {
    const entry_cursor cursor = entries_begin(chain, i);
    const contact_place at = contact_place_of(P, inner_row(chain, &cursor));
    parent[i] = i;
    if (at.kind == CONTACT_SLACK) slack[at.contact] = i;
    entries[i] = at.kind != CONTACT_SLACK && join_bodies(P, at, i, parent, touched);
  }
  join_weights(&P->B, touched, parent);
  for (int32_t i = 0; i < n; i++) {
    const entry_cursor cursor = entries_begin(chain, i);
    const contact_place at = contact_place_of(P, inner_row(chain, &cursor));
    const int32_t s = slack[at.contact];
    if (at.kind == CONTACT_TANGENT && s >= 0) {
      ties_join(parent, i, s);
      entries[i] = entries[s] = 1;
    } else if (at.kind == CONTACT_NORMAL && s >= 0 && P->mu[at.contact] > 0.0) {
      if (!mutual) ties_join(parent, i, s);
      entries[s] = 1;
    }
  }
  for (int32_t i = 0; i < n; i++) {   // not counted
    double a = 0.0, error;
    if (!entries[i] && chain->shifted) {
      const entry_cursor cursor = entries_begin(chain, i);
      int32_t place = inner_row(chain, &cursor);
      entries[i] = entries_outside(&cursor, &place, &a, &error) && a != 0.0;
    }
    entries[i] = entries[i] ? n : 0;
  }
  return ties_label(parent, n);
}

int32_t contact_halves(const entry_chain *chain, const int32_t *part, double *diagonal,
                       int32_t *half) {
  const perp_contacts *P = matrix_of(chain);
  const int32_t n = chain->n;
  for (int32_t i = 0; i < n; i++) {
    half[i] = i;
    half[n + i] = diagonal[i] != 0.0 ? i : n + i;
  }
  // B or a slack connects all rows of one part that have a diagonal entry.
  // First such row of each part; reuses the diagonal's space.
  int32_t *first = (int32_t *)diagonal;
  for (int32_t i = 0; i < n; i++) first[i] = -1;
  for (int32_t i = 0; i < n; i++) {
    if (half[n + i] == n + i) continue;
    if (first[part[i]] < 0) first[part[i]] = i;
    else ties_join(half, first[part[i]], i);
  }
  for (int32_t i = 0; i < n; i++) {
    entry_cursor cursor = entries_begin(chain, i);
    const contact_place at = contact_place_of(P, inner_row(chain, &cursor));
    int32_t j;
    double row, column, error;
    if (at.kind != CONTACT_SLACK) continue;
    for (int32_t q = 0; contact_slack_entry(P, at.contact, q, &j, &row, &column); q++) {
      if (!entries_outside(&cursor, &j, &row, &error) || part[i] != part[j]) continue;
      if (row != 0.0) ties_join(half, i, n + j);
      if (column != 0.0) ties_join(half, j, n + i);
    }
  }
  return ties_label(half, 2*n);
}

void contact_inflow(const entry_chain *chain, const int32_t *block, const double *d,
                    double *inflow) {
  const perp_contacts *P = matrix_of(chain);
  for (int32_t i = 0; i < chain->n; i++) {
    entry_cursor cursor = entries_begin(chain, i);
    cursor.is_row = 1;
    const contact_place at = contact_place_of(P, inner_row(chain, &cursor));
    inflow[i] = 0.0;
    if (at.kind != CONTACT_SLACK) continue;
    int32_t j = at.contact;
    double a = P->mu[at.contact], error;
    if (entries_outside(&cursor, &j, &a, &error) && block[i] != block[j] && d[j] > 0.0)
      inflow[i] = fabs(a)*d[j];
  }
}

void contact_lines(const entry_chain *chain, const int32_t *group, int32_t groups, int32_t *ring,
                   int32_t *normal, int32_t *last) {
  const perp_contacts *P = matrix_of(chain);
  const int32_t n = chain->n;
  for (int32_t g = 0; g < groups; g++) last[g] = -1;
  for (int32_t i = 0; i < n; i++) {   // link the rows of each group in a ring
    const int32_t before = last[group[i]];
    ring[i] = before < 0 ? i : ring[before];
    if (before >= 0) ring[before] = i;
    last[group[i]] = i;
    entry_cursor cursor = entries_begin(chain, i);
    cursor.is_row = 1;
    const contact_place at = contact_place_of(P, inner_row(chain, &cursor));
    int32_t j = at.contact;
    double a = P->mu[at.contact], error;
    const int depends = at.kind == CONTACT_SLACK && a > 0.0 &&
                        entries_outside(&cursor, &j, &a, &error);
    normal[i] = depends ? j : -1;
  }
}

// ---- units ----

static double inverse(double v) { return v > 0.0 ? 1.0/v : 1.0; }

static void scale_slack(const entry_chain *chain, int32_t i, int32_t c, double own,
                        const double *diagonal, double *R, double *C) {
  const perp_contacts *P = matrix_of(chain);
  entry_cursor along = entries_begin(chain, i);
  const entry_cursor down = along;
  along.is_row = 1;
  double across = 0.0, below = 0.0, row, column, error;   // max |A_ij| c_j, max r_j |A_ji|
  int32_t other;
  for (int32_t q = 0; contact_slack_entry(P, c, q, &other, &row, &column); q++) {
    int32_t j = other;
    if (!entries_outside(&along, &j, &row, &error) || diagonal[j] == 0.0) continue;
    across = max2(across, fabs(row)*C[j]);
    j = other;
    entries_outside(&down, &j, &column, &error);
    below = max2(below, R[j]*fabs(column));
  }
  own = fabs(own);
  if (across == 0.0 && below == 0.0) {
    R[i] = C[i] = inverse(sqrt(own));
  } else if (across == 0.0 || below == 0.0) {
    R[i] = across > 0.0 ? 1.0/across : inverse(own/below);
    C[i] = below > 0.0 ? 1.0/below : inverse(own/across);
  } else {
    const double most = own/across/below, root = most > 1.0 ? sqrt(most) : 1.0;
    R[i] = 1.0/across/root;
    C[i] = 1.0/below/root;
  }
}

void contact_scales(const entry_chain *chain, const double *diagonal, double *R, double *C) {
  const perp_contacts *P = matrix_of(chain);
  for (int32_t i = 0; i < chain->n; i++) {
    const entry_cursor cursor = entries_begin(chain, i);
    const contact_place at = contact_place_of(P, inner_row(chain, &cursor));
    if (at.kind == CONTACT_SLACK) scale_slack(chain, i, at.contact, diagonal[i], diagonal, R, C);
  }
  for (int32_t i = 0; i < chain->n; i++) {   // what moves no body
    entry_cursor down = entries_begin(chain, i), along = down;
    along.is_row = 1;
    const contact_place at = contact_place_of(P, inner_row(chain, &down));
    if (at.kind == CONTACT_SLACK || diagonal[i] != 0.0) continue;
    int32_t s = contact_slack_row(P, at.contact);
    double row = at.kind == CONTACT_TANGENT ? 1.0 : 0.0, error,
           column = at.kind == CONTACT_TANGENT ? -1.0 : P->mu[at.contact];
    if (!entries_outside(&along, &s, &row, &error)) continue;
    R[i] = inverse(fabs(row)*C[s]);
    s = contact_slack_row(P, at.contact);
    entries_outside(&down, &s, &column, &error);
    C[i] = inverse(fabs(column)*R[s]);
  }
}
