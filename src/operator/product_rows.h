// product_rows.h: single rows of J W J' + diag(compliance) or of the contact LCP, under wrappers.
//
// Rows are found through the bodies they touch. The caller lends the memory; nothing is allocated.
#ifndef PERP_PRODUCT_ROWS_H
#define PERP_PRODUCT_ROWS_H

#include "entries.h"

typedef struct product_rows {
  entry_chain chain;
  const perp_product *P;
  const perp_contacts *contacts;   // NULL: the matrix is P itself
  int32_t *first, *touching;   // bodies + 1; rows of body k from touching[first[k]] on
  // Rows of P: number of the last question that visited it; questions so far.
  int32_t *seen, asked;
  double *w;                   // dofs: 0 except during a question
  int64_t steps;               // operations so far
} product_rows;

// 1: A is a product or contact LCP under wrappers, and `room` integers suffice; rows then uses
// memory and w (dofs).
int product_rows_begin(product_rows *rows, const perp_operator *A, int32_t *memory, int64_t room,
                       double *w);
// sum over j of |A_ij||x_j|, with i and j numbered outside of the wrappers. Cost: O(rows that share
// a body with i).
double product_rows_size(product_rows *rows, int32_t i, const double *x);

#endif
