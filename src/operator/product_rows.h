// product_rows.h: single rows of J W J' + diag(compliance) or of the contact LCP, under wrappers.
//
// The rows coupled to a row are found through the bodies it touches. The caller lends the memory.
#ifndef PERP_PRODUCT_ROWS_H
#define PERP_PRODUCT_ROWS_H

#include "entries.h"

typedef struct product_rows {
  entry_chain chain;
  const perp_product *P;
  const perp_contacts *contacts;   // NULL: the matrix is P itself
  int32_t *first, *touching;   // bodies + 1; rows of body k from touching[first[k]] on
  int32_t *seen, asked;        // n of P: the last call that visited a row; number of this call
  double *w;                   // dofs: 0 except during a call
  int64_t steps;               // operations so far
} product_rows;

// Returns 1 if A is a product or contact LCP, possibly under wrappers, and memory has room for all
// integers (`room` of them). `rows` then keeps pointers to memory and w (dofs).
int product_rows_begin(product_rows *rows, const perp_operator *A, int32_t *memory, int64_t room,
                       double *w);
// Returns the sum over j of |A_ij||x_j|, with A and its indices as seen outside of the wrappers.
double product_rows_size(product_rows *rows, int32_t i, const double *x);

#endif
