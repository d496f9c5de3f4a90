// certify_sizes.c: |A||x|, the size of the terms that y = A x + b is summed from, by the entries of
// A.
//
// Operators return a bound of it together with y. For a sum of parts, A = J W J' or A + shift I,
// that bound counts terms that cancel within an entry. The allowance of the certificate would then
// be larger than for the same A stored entry by entry. Cost: a pass over the entries; of a product,
// only the entries of the rows that are needed.
#include "certify_sizes.h"

#include "vector.h"

void certifier_sizes(const certifier *c) {
  entry_chain chain;
  if (!entries_chain(&c->problem->A, &chain)) return;
  for (int32_t i = 0; i < c->n; i++) c->a[i] = fabs(c->problem->b[i]);
  for (int32_t j = 0; j < c->n; j++) {
    int32_t i;
    double a, error;
    for (entry_cursor at = entries_begin(&chain, j); entries_next(&at, &i, &a, &error);)
      c->a[i] += (fabs(a) + error)*fabs(c->x[j]);
  }
}

// The steps of some tens of products with A. Without this limit, all sizes would take n^2 steps if
// one body were in all n rows.
static int64_t affordable(const perp_product *P) {
  return 4000000 + 20*(int64_t)(P->n > 0 ? P->rowptr[P->n] : 0);
}

double row_size(row_sizes *sizes, const certifier *c, int32_t i) {
  if (!sizes->begun)   // c->work holds 12 n doubles
    sizes->ready = product_rows_begin(&sizes->rows, &c->problem->A, (int32_t *)c->work,
                                      20*(int64_t)c->n, c->scratch);
  sizes->begun = 1;
  if (!sizes->ready || sizes->rows.steps > affordable(sizes->rows.P)) return -1.0;
  return product_rows_size(&sizes->rows, i, c->x);
}

int certifier_product_sizes(const certifier *c) {
  row_sizes sizes = {0};
  for (int32_t i = 0; i < c->n; i++) {
    const double size = row_size(&sizes, c, i);
    if (size < 0.0) return 0;
    c->a[i] = fabs(c->problem->b[i]) + size;
  }
  return 1;
}
