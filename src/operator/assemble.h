// assemble.h: copies the entries of an operator into a compressed-column matrix.
#ifndef PERP_ASSEMBLE_H
#define PERP_ASSEMBLE_H

#include <perp/perp.h>

// Copies A, with R, C and shift of its view applied. Rows are sorted, without duplicates or stored
// zeros. With diagonal = 1 every column has its diagonal entry, even if that is zero. Returns 0:
// fine; 1: A does not show its entries; -2: no memory. Release *out with assembled_free().
int assemble_csc(const perp_operator *A, int diagonal, const perp_allocator *allocator,
                 perp_csc *out);
int assemble_accepts(const perp_operator *A);   // 0: assemble_csc would return 1
enum { ASSEMBLE_HIDDEN_ROWS_MAX = 5000 };   // rows of an operator without a view
// 1: assemble_accepts(A), and A claims symmetry.
int assemble_accepts_symmetric(const perp_operator *A);
void assembled_free(const perp_allocator *allocator, perp_csc *matrix);
// out = A', newly allocated
int transpose_csc(const perp_csc *A, const perp_allocator *allocator, perp_csc *out);

#endif
