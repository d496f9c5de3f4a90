// columns.h: the entries of an operator for proofs, column by column or as a table of rows.
#ifndef PERP_COLUMNS_H
#define PERP_COLUMNS_H

#include <perp/perp.h>

// 1: the entries can be read: A is dense or CSC, under any wrappers, or small with add_column().
int columns_known(const perp_operator *A);

// Reads column j without zeros into row and value, n each, and returns the number of entries. *slack
// becomes at least their largest relative error: 0 unless R, C and shift of a wrapper round. A column
// of a caller's own operator is assumed to be right up to 4 u.
int32_t columns_read(const perp_operator *A, int32_t j, int32_t *row, double *value,
                     double *slack);

typedef struct row_table {   // A by compressed rows, columns sorted, no zeros
  int32_t n;
  int32_t *ptr, *column;     // n + 1, ptr[n]
  double *value;             // ptr[n]
  double *diagonal;          // n
  double slack;
  void *block;
} row_table;

// PERP_OK, PERP_ERROR_MEMORY, or PERP_ERROR_UNSUPPORTED if the entries cannot be read or are more
// than 2^31.
perp_error rows_take(const perp_operator *A, const perp_allocator *from, row_table *rows);
void rows_free(const perp_allocator *from, row_table *rows);

#endif
