// entries.h: the entries of a dense or CSC view through its R, C, shift and a set of indices.
#ifndef PERP_ENTRIES_H
#define PERP_ENTRIES_H

#include <perp/perp.h>

#include <stddef.h>

int entries_known(const perp_view *view);   // 1: dense or CSC

// On the m x m matrix V(set,set), where V is the view; set is ascending, NULL means all m rows.
// entries_add_column: y += s V(set,set_j); entries_row_col_max: as in perp_operator_ops.
void entries_add_column(const perp_view *view, const int32_t *set, int32_t m, int32_t j, double s,
                        double *y);
void entries_row_col_max(const perp_view *view, const int32_t *set, int32_t m, const double *r,
                         const double *c, double *row, double *col);

double entries_one(const perp_operator *A, int32_t i, int32_t j);   // by submatrix(): slow

// `count` vectors of n doubles, rounded up so that what follows them is aligned as they are.
static inline size_t entries_vector_bytes(int32_t n, size_t count) {
  return ((size_t)n*count*sizeof(double) + 63) & ~(size_t)63;
}

#endif
