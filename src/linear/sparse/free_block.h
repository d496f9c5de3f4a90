// free_block.h: A_II for a changing set I of free rows, by columns and scaled, for direct solvers.
#ifndef PERP_FREE_BLOCK_H
#define PERP_FREE_BLOCK_H

#include <perp/method.h>

#include "arena.h"

typedef struct free_block {
  perp_allocator memory;
  int32_t n, m;             // m: free rows
  perp_csc A;               // all entries
  perp_csc B;               // m x m: R A_II C, largest entries of rows and columns near 1
  int32_t *set, *local;     // n each: the free rows; their inverse, or -1
  uint8_t *mask;            // n: 1: free in the last cut
  int32_t *colptr;          // n + 1: of B
  int32_t *row;             // nnz(A): of B
  double *value;            // nnz(A): of B
  double *r, *c;            // n each, m used: R and C, powers of two
  double *v, *w;            // n each: work
  int32_t known;            // rows of the last successful factorisation; `flops` are its flops
  double flops;
} free_block;

void free_block_layout(free_block *block, arena *memory, int32_t n);   // takes arrays of size n
// Copies the entries of A. 0: fine; 1: A does not show them; -2: no memory.
int free_block_take(free_block *block, const perp_operator *A, const perp_allocator *allocator);
void free_block_release(free_block *block);              // also after a failed take
void free_block_cut(free_block *block, const uint8_t *is_free);   // computes B for this mask
// 1: this is the mask of the last cut.
int free_block_same(const free_block *block, const uint8_t *is_free);

// Sets z = 0. Returns 0: the caller may solve; 1: there is no factor (failed != 0); -1: deadline.
int free_block_refuses(const free_block *block, int failed, const perp_deadline *deadline,
                       double *z);
// z = C (B^-1 R rhs) on the free rows, 0 elsewhere, with one step of iterative refinement.
// solve: v <- B^-1 v
void free_block_solve(free_block *block, void (*solve)(void *context, double *v), void *context,
                      const double *rhs, double *z);
// The same for the transpose: z = R (B'^-1 C rhs); solve: v <- B'^-1 v
void free_block_solve_transposed(free_block *block, void (*solve)(void *context, double *v),
                                 void *context, const double *rhs, double *z);

// Seconds of update and solve, roughly: a nanosecond per flop.
double free_block_estimate(const free_block *block, const uint8_t *is_free);

// A pivot of B below this floor is rounding: entries are near 1, and few of them add up in a pivot.
static inline double free_block_floor(const free_block *block) {
  return (block->m < 64 ? block->m : 64)*0x1p-52;
}

#endif
