// block_triangular.h: rows and columns permuted so that a sparse matrix is block upper triangular.
#ifndef PERP_BLOCK_TRIANGULAR_H
#define PERP_BLOCK_TRIANGULAR_H

#include <perp/perp.h>

enum { TRIANGULAR_WORK = 7 };   // times n integers

// Position k takes the row row[k] and the column column[k], an entry of A; block b
// stands at start[b] .. start[b + 1] - 1. Returns the number of blocks; -1: *unmatched is a column
// for which there is no row, A is singular whatever its values are, and nothing else is defined.
// row, column: n; start: n + 1; work: TRIANGULAR_WORK n.
int32_t block_triangular(const perp_csc *A, int32_t *row, int32_t *column, int32_t *start,
                         int32_t *unmatched, int32_t *work);

#endif
