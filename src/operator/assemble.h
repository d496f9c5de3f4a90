// assemble.h: copies the entries of an operator into a compressed-column matrix.
#ifndef PERP_ASSEMBLE_H
#define PERP_ASSEMBLE_H

#include <perp/perp.h>

// Applies R, C and shift of the view. The rows are sorted, without duplicates and stored zeros.
// With diagonal = 1 every column has its diagonal entry, even if it is zero. 0: fine; 1: A does not
// show its entries; -2: no memory. Release the result with assembled_free().
int assemble_csc(const perp_operator *A, int diagonal, const perp_allocator *allocator,
                 perp_csc *out);
int assemble_accepts(const perp_operator *A);   // 0: assemble_csc would return 1
// The same for the symmetric case; also 0 if A does not claim symmetry.
int assemble_accepts_symmetric(const perp_operator *A);
void assembled_free(const perp_allocator *allocator, perp_csc *matrix);
// out = A', newly allocated
int transpose_csc(const perp_csc *A, const perp_allocator *allocator, perp_csc *out);

#endif
