// block_lu.h: factors a matrix of 6 x 6 blocks on a graph of bodies as L U.
#ifndef PERP_BLOCK_LU_H
#define PERP_BLOCK_LU_H

#include <perp/method.h>

enum block_shape { BLOCK = 6, BLOCK_ENTRIES = BLOCK*BLOCK };   // a body has 6 velocities

typedef struct block_lu block_lu;

// Takes the pattern of a graph: the columns of a square matrix whose entries couple two bodies, in
// either triangle or both. Values are not read. NULL: no memory.
block_lu *block_lu_create(const perp_csc *graph, const perp_allocator *allocator);
void block_lu_destroy(block_lu *f);                                  // NULL is fine

void block_lu_identity(block_lu *f);                                 // values of the identity
// Block (i, j) += X, row-major. i and j are coupled or equal.
void block_lu_add(block_lu *f, int32_t i, int32_t j, const double *X);
// Chooses pivots only inside the diagonal blocks. 0: fine; k > 0: block k - 1 is singular;
// -1: deadline.
int block_lu_factor(block_lu *f, const perp_deadline *deadline);
void block_lu_solve(block_lu *f, double *v);                         // BLOCK n
int block_lu_sign(const block_lu *f);                                // of the determinant: 1, -1
int64_t block_lu_nonzeros(const block_lu *f);                        // of L and U

#endif
