// product_rows.c: single rows of A = J W J' + diag(compliance), or of the contact LCP E13 (27).
//
//     w = W J_i',   A_ij = J_j w   for the rows j that share a body with i
// For the contact LCP, w = W J'g, where g has the coefficients of row i in the rows of B. The
// 1 + tangents numbers J w of contact c then give all entries in the columns of c.
// Cost: the rows that share a body with i.
#include "product_rows.h"

#include <math.h>

#include "contact_parts.h"
#include "product_parts.h"
#include "vector.h"

int product_rows_begin(product_rows *rows, const perp_operator *A, int32_t *memory, int64_t room,
                       double *w) {
  const perp_contacts *contacts = NULL;
  if (entries_contact_chain(A, &rows->chain)) contacts = rows->chain.matrix.data;
  else if (!entries_product_chain(A, &rows->chain)) return 0;
  rows->contacts = contacts;
  const perp_product *P = rows->P = contacts != NULL ? &contacts->B : rows->chain.matrix.data;
  const int32_t bodies = P->dofs/P->block;
  int64_t used = (int64_t)bodies + 2 + P->n;
  if (used > room) return 0;
  int32_t *first = rows->first = memory;
  for (int32_t k = 0; k < bodies + 2; k++) first[k] = 0;
  for (int32_t i = 0; i < P->n; i++)
    for (int32_t p = P->rowptr[i], last = -1; p < P->rowptr[i + 1]; p++) {
      const int32_t k = P->column[p]/P->block;
      if (k == last) continue;   // columns are sorted, so those of a body are adjacent
      last = k;
      first[k + 2]++;
      used++;
    }
  if (used > room) return 0;
  rows->seen = first + bodies + 2;
  rows->touching = rows->seen + P->n;
  for (int32_t k = 0; k < bodies; k++) first[k + 2] += first[k + 1];
  for (int32_t i = 0; i < P->n; i++) {   // first[k + 1] moves from the start of k to its end
    rows->seen[i] = -1;
    for (int32_t p = P->rowptr[i], last = -1; p < P->rowptr[i + 1]; p++) {
      const int32_t k = P->column[p]/P->block;
      if (k == last) continue;
      last = k;
      rows->touching[first[k + 1]++] = i;
    }
  }
  rows->w = w;
  for (int32_t k = 0; k < P->dofs; k++) w[k] = 0.0;
  rows->steps = 0;
  rows->asked = -1;
  return 1;
}

// w += W J_i' s on the bodies of row i. s = 0: sets w = 0 there.
static void spread(const product_rows *rows, int32_t i, double s) {
  const perp_product *P = rows->P;
  for (int32_t p = P->rowptr[i]; p < P->rowptr[i + 1]; p++) {
    const int32_t k = P->column[p];
    const double *W = P->W + (size_t)k*(size_t)P->block;
    double *w = rows->w + (k - k % P->block);
    for (int32_t l = 0; l < P->block; l++) w[l] = s == 0.0 ? 0.0 : w[l] + W[l]*(s*P->value[p]);
  }
}

// The sum of |A_ij||x_j| over row `at` and the columns j of contact c, for the current w.
static double contact_size(product_rows *rows, const entry_cursor *cursor, contact_place at,
                           int32_t c, const double *x) {
  const perp_contacts *P = rows->contacts;
  const int32_t T = P->tangents, first = (1 + T)*c;
  double g[3] = {0.0}, size = 0.0, a, error;
  for (int32_t t = 0; t <= T; t++) {
    g[t] = product_pull(rows->P, first + t, rows->w);
    rows->steps += rows->P->rowptr[first + t + 1] - rows->P->rowptr[first + t];
    if (c == at.contact) g[t] += product_compliance(rows->P, first + t)*contact_share(P, at, t);
  }
  for (int32_t k = -1; k < P->directions; k++) {
    int32_t j = k < 0 ? c : contact_tangent_row(P, c, k);
    a = k < 0 ? g[0] : 0.0;
    for (int32_t t = 0; k >= 0 && t < T; t++) a += P->direction[k*T + t]*g[1 + t];
    if (entries_outside(cursor, &j, &a, &error)) size += (fabs(a) + error)*fabs(x[j]);
  }
  return size;
}

static double contact_row_size(product_rows *rows, const entry_cursor *cursor, int32_t own,
                               const double *x) {
  const perp_contacts *P = rows->contacts;
  const perp_product *B = rows->P;
  const contact_place at = contact_place_of(P, own);
  const int32_t T = P->tangents, first = (1 + T)*at.contact;
  double size = 0.0, a, other, error;
  int32_t j;
  if (at.kind == CONTACT_SLACK) {
    for (int32_t q = 0; contact_slack_entry(P, at.contact, q, &j, &a, &other); q++)
      if (entries_outside(cursor, &j, &a, &error)) size += (fabs(a) + error)*fabs(x[j]);
    j = own;
    a = 0.0;   // the diagonal; only a shift makes it nonzero
    if (entries_outside(cursor, &j, &a, &error)) size += (fabs(a) + error)*fabs(x[j]);
    rows->steps += P->directions;
    return size;
  }
  for (int32_t t = 0; t <= T; t++)
    if (contact_share(P, at, t) != 0.0) spread(rows, first + t, contact_share(P, at, t));
  rows->asked++;
  rows->seen[at.contact] = rows->asked;
  size += contact_size(rows, cursor, at, at.contact, x);
  for (int32_t i = first; i <= first + T; i++)
    for (int32_t p = B->rowptr[i], last = -1; p < B->rowptr[i + 1]; p++) {
      const int32_t k = B->column[p]/B->block;
      if (k == last) continue;
      last = k;
      for (int32_t q = rows->first[k]; q < rows->first[k + 1]; q++) {
        const int32_t c = rows->touching[q]/(1 + T);
        rows->steps++;
        if (rows->seen[c] == rows->asked) continue;
        rows->seen[c] = rows->asked;
        size += contact_size(rows, cursor, at, c, x);
      }
    }
  for (int32_t t = 0; t <= T; t++) spread(rows, first + t, 0.0);
  j = contact_slack_row(P, at.contact);
  a = at.kind == CONTACT_TANGENT ? 1.0 : 0.0;
  if (a != 0.0 && entries_outside(cursor, &j, &a, &error)) size += (fabs(a) + error)*fabs(x[j]);
  return size;
}

double product_rows_size(product_rows *rows, int32_t i, const double *x) {
  const perp_product *P = rows->P;
  entry_cursor at = entries_begin(&rows->chain, i);
  at.is_row = 1;
  const int32_t own = at.column[rows->chain.depth];
  if (rows->contacts != NULL) return contact_row_size(rows, &at, own, x);
  double size = 0.0;
  spread(rows, own, 1.0);
  rows->asked++;
  for (int32_t p = P->rowptr[own], last = -1; p <= P->rowptr[own + 1]; p++) {
    // The last round visits the row itself: without bodies it still has compliance and shifts.
    const int alone = p == P->rowptr[own + 1];
    const int32_t k = alone ? -1 : P->column[p]/P->block;
    if (!alone && k == last) continue;
    last = k;
    for (int32_t q = alone ? 0 : rows->first[k]; q < (alone ? 1 : rows->first[k + 1]); q++) {
      int32_t j = alone ? own : rows->touching[q];
      rows->steps++;
      if (rows->seen[j] == rows->asked) continue;
      rows->seen[j] = rows->asked;
      double a = 0.0, error;
      for (int32_t r = P->rowptr[j]; r < P->rowptr[j + 1]; r++)
        a += P->value[r]*rows->w[P->column[r]];
      rows->steps += P->rowptr[j + 1] - P->rowptr[j];
      if (j == own && P->compliance != NULL) a += P->compliance[j];
      if (entries_outside(&at, &j, &a, &error)) size += (fabs(a) + error)*fabs(x[j]);
    }
  }
  spread(rows, own, 0.0);
  return size;
}
