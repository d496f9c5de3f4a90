// basis.h: solves with a square matrix B whose columns are exchanged one by one, for pivoting
// methods.
//
// The columns of B have positions 0 .. n-1. The solution v of B v = a is indexed by position.
// dense:  stores B^-1 by columns. An exchange is a rank-one update of at most 2 n^2 flops; columns
//         with a zero in the pivot row are skipped.
// sparse: sets columns with one entry ("singletons") aside and factors the others by sparse_lu or
//         by a linear solver of the caller (basis_use). An exchange appends the solution for the
//         new column to a list (product form): B_new = B E_1 .. E_k.
#ifndef PERP_BASIS_H
#define PERP_BASIS_H

#include <perp/method.h>

#include "arena.h"
#include "sparse_lu.h"

typedef struct basis_column {    // a sparse right-hand side
  int32_t count;
  const int32_t *row;
  const double *value;
} basis_column;

typedef struct basis_vector {    // a sparse solution
  double *value;                 // n; zero at positions outside `index`
  int32_t *index;                // n; the first `count` are used, in any order
  int32_t count;
} basis_vector;

typedef struct basis_foreign {   // a linear solver given by the caller
  const perp_linear_ops *linear; // NULL: none
  const perp_options *options;
  int32_t analysed;              // 1: after analyse() and before release()
  int32_t factored;              // 1: this solver made the last factorisation
  perp_csc K;                    // the matrix it has factored
  void *block, *solver;
  size_t bytes;                  // of block
  double *z;                     // n
  uint8_t *all;                  // n: ones
} basis_foreign;

typedef struct basis {
  int32_t n;
  int32_t sparse;
  int32_t exchanges;             // since the last factorisation
  double work_of_factor;         // sparse: flops of the last factorisation and its ordering
  double work_of_exchanges;      // sparse: flops that exchanges have added to solves since then
  double *work;                  // n, zero between calls
  int32_t *mark;                 // n
  int32_t *list;                 // n
  double *inverse;               // dense: n x n, column-major
  // sparse: the kernel is the other columns, in the rows without a singleton
  perp_allocator allocator;
  sparse_lu *lu;
  basis_foreign foreign;
  int32_t m;                     // order of the kernel
  int32_t *kernel_row;           // n: row -> row of the kernel, or -1
  int32_t *kernel_column;        // n: the kernel's column -> position
  int32_t *unit_position;        // n: row -> position of its singleton, or -1
  int32_t *row_of;               // n: row of the kernel -> row; then n: position -> singleton's row
  double *unit;                  // n: row -> the singleton's value
  int32_t *side_start;           // n + 1: entries of the kernel's columns in other rows
  int32_t *core_start;           // n + 1: entries of the kernel's columns in the kernel's rows
  int32_t *side_row, *core_row;
  double *side_value, *core_value;
  int64_t room;                  // entries that side and core can hold
  double *kernel_value;          // n, zero between calls
  int32_t *kernel_index;         // n
  // sparse: the exchanges
  int32_t *eta_start;            // exchanges_max + 1
  int32_t *eta_position;         // exchanges_max
  double *eta_pivot;             // exchanges_max
  int32_t *eta_index;
  double *eta_value;
  int64_t eta_room;
  int32_t exchanges_max;
} basis;

// Takes arrays of known size from `memory`, which may be a counting arena; other arrays come from
// the allocator later. 0: fine; -2: no memory.
int basis_begin(basis *self, int32_t n, int sparse, int32_t exchanges_max, arena *memory,
                const perp_allocator *allocator);
void basis_end(basis *self);
// sparse: factors kernels by `linear` with these options; both must live as long as the basis. Our
// LU is used if `linear` is NULL, has no transposed solve, or fails.
void basis_use(basis *self, const perp_linear_ops *linear, const perp_options *options);

// Factors B, whose column j is at position j. 0: fine; k > 0: singular: the column at position
// k - 1 depends on the others up to entries of `floor`; -1: deadline; -2: no memory.
int basis_factor(basis *self, const perp_csc *B, double floor, const perp_deadline *deadline);

// Marks positions whose columns depend on the others: those with a pivot below `small` in B, or for
// a sparse basis in B + 1e-4 small I. B with slacks in these positions is likely to be regular.
// There is no factor afterwards. 0: fine; -1: deadline; -2: no memory.
int basis_dependent(basis *self, const perp_csc *B, double small, uint8_t *dependent,
                    const perp_deadline *deadline);

// u = B^-1 a
void basis_solve(basis *self, const basis_column *a, basis_vector *u);
// r = B'^-1 e_position, which is a row of B^-1; n numbers, indexed by row
void basis_row(basis *self, int32_t position, double *r);
// v <- B^-1 v, on entry indexed by row, on return by position
void basis_solve_dense(basis *self, double *v);

// Replaces the column at `position` by a column a, given u = B^-1 a. The pivot, u at `position`,
// must not be zero. 0: fine; 1: there is no room for more exchanges, and the caller must factor
// again; -2: no memory.
int basis_exchange(basis *self, int32_t position, const basis_vector *u);

// 1: factor again now: there were at least `least` exchanges, and they have cost as much as a
// factorisation.
static inline int basis_due(const basis *self, int32_t least) {
  return self->sparse && self->exchanges >= least &&
         (self->work_of_exchanges >= self->work_of_factor ||
          self->exchanges >= self->exchanges_max);
}

static inline void basis_clear(basis_vector *u) {
  for (int32_t k = 0; k < u->count; k++) u->value[u->index[k]] = 0.0;
  u->count = 0;
}

#endif
