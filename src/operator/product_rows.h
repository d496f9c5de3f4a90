// product_rows.h: single rows of J W J' + diag(compliance), or of the contact LCP that is made of
// one, under wrappers, by the bodies they touch. In memory that is lent: nothing is allocated.
#ifndef PERP_PRODUCT_ROWS_H
#define PERP_PRODUCT_ROWS_H

#include "entries.h"

typedef struct product_rows {
  entry_chain chain;
  const perp_product *P;
  const perp_contacts *contacts;   // NULL: the matrix is P itself
  int32_t *first, *touching;   // bodies + 1, and their rows: touching[first[k]] ..
  int32_t *seen, asked;        // rows of P: at which question it was visited last; questions so far
  double *w;                   // dofs: 0 but for the row at hand
  int64_t steps;               // spent so far
} product_rows;

// 1: A is a product or contact LCP under wrappers and `room` integers suffice; memory, w (dofs)
// belong to it then
int product_rows_begin(product_rows *rows, const perp_operator *A, int32_t *memory, int64_t room,
                       double *w);
// sum over j of |A_ij||x_j|, i and j as numbered outside; O(rows that share a body with i)
double product_rows_size(product_rows *rows, int32_t i, const double *x);

#endif
