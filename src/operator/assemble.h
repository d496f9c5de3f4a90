// assemble.h: the entries of an operator as a compressed-column matrix of one's own.
#ifndef PERP_ASSEMBLE_H
#define PERP_ASSEMBLE_H

#include <perp/perp.h>

// R, C and shift of the view applied; rows sorted, no duplicates, no stored zeros except on the
// diagonal where `diagonal` is 1: then every column has its diagonal entry. 0: fine; 1: the entries
// are not known; -2: no memory. Release with assembled_free().
int assemble_csc(const perp_operator *A, int diagonal, const perp_allocator *allocator,
                 perp_csc *out);
int assemble_accepts(const perp_operator *A);   // 0: assemble_csc would return 1
int assemble_accepts_symmetric(const perp_operator *A);   // likewise, or nobody claims symmetry
void assembled_free(const perp_allocator *allocator, perp_csc *matrix);
// B = A' with memory of its own
int transpose_csc(const perp_csc *A, const perp_allocator *allocator, perp_csc *out);

#endif
