// block_triangular.h: permutes a sparse matrix to block upper triangular form.
#ifndef PERP_BLOCK_TRIANGULAR_H
#define PERP_BLOCK_TRIANGULAR_H

#include <perp/perp.h>

enum triangular_shape { TRIANGULAR_WORK = 7 };   // integers of work per row

// Position k of the permuted matrix is row row[k] and column column[k], where A has an entry. Block
// b has the positions start[b] .. start[b + 1] - 1. Returns the number of blocks. -1: no row is
// left for column *unmatched, so A is singular for all values; the other outputs are undefined.
// row, column: n; start: n + 1; work: TRIANGULAR_WORK n.
int32_t block_triangular(const perp_csc *A, int32_t *row, int32_t *column, int32_t *start,
                         int32_t *unmatched, int32_t *work);

#endif
