// columns.h: the entries of an operator, column by column or as rows of one's own, for proofs.
#ifndef PERP_COLUMNS_H
#define PERP_COLUMNS_H

#include <perp/perp.h>

// dense or CSC, under any wrappers, or columns of a small operator
int columns_known(const perp_operator *A);

// Column j without zeros: row, value have room for n. Returns how many; *slack is the largest
// relative error of a value: 0 unless R, C and shift of a wrapper were rounded. What an operator of
// the caller's own adds as a column is taken to be right up to 4 u: nothing else is known of it.
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

// PERP_OK, PERP_ERROR_MEMORY, or PERP_ERROR_UNSUPPORTED where the entries are not known or more
// than 2^31.
perp_error rows_take(const perp_operator *A, const perp_allocator *from, row_table *rows);
void rows_free(const perp_allocator *from, row_table *rows);

#endif
