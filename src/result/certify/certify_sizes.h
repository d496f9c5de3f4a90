// certify_sizes.h: |A||x| by the entries of A.
#ifndef PERP_CERTIFY_SIZES_H
#define PERP_CERTIFY_SIZES_H

#include "certify.h"
#include "product_rows.h"

typedef struct row_sizes {   // of a product: lists in c->work, made when first asked
  product_rows rows;
  int begun, ready;
} row_sizes;
// (|A||x|)_i at c->x; -1: it would take too long, or the lists have no room
double row_size(row_sizes *sizes, const certifier *c, int32_t i);
// c->a = |A||c->x| + |b| of a product; 0: as above, and some of c->a is larger
int certifier_product_sizes(const certifier *c);

#endif
