// body_rows.h: finds A = B B' + diag(slack) of a product operator inside its wrappers.
#ifndef PERP_BODY_ROWS_H
#define PERP_BODY_ROWS_H

#include <perp/perp.h>

typedef struct body_rows {
  int32_t n, dofs;
  int32_t *rowptr;           // n + 1
  int32_t *column;           // rowptr[n], ascending in a row
  double *value;             // rowptr[n], none of them 0
  double *slack;             // n, >= 0: compliance and shifts
} body_rows;

// Allocates and fills the rows. 0: fine; 1: A is no J W J' under symmetric wrappers, or it has too
// many entries; -2: no memory.
int body_rows_take(const perp_operator *A, const perp_allocator *allocator, body_rows *rows);
void body_rows_free(const perp_allocator *allocator, body_rows *rows);   // zeros are fine

#endif
