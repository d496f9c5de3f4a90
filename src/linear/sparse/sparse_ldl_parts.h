// sparse_ldl_parts.h: what the files of the sparse LDL' share: the panels of L, how to walk them.
#ifndef PERP_SPARSE_LDL_PARTS_H
#define PERP_SPARSE_LDL_PARTS_H

#include "sparse_ldl.h"

#include <stddef.h>

#include "error_free.h"

enum { LDL_NONE = -1, LDL_WIDEST = 96 };

struct sparse_ldl {
  perp_allocator allocator;
  int32_t n;
  int32_t *order, *place;    // n: order[k] is eliminated k-th; place is its inverse
  int32_t supernodes;
  int32_t *first;            // supernodes + 1: columns first[s] .. first[s + 1] - 1
  int32_t *owner;            // n: the supernode of a column
  int64_t *rows_at;          // supernodes + 1: into rows
  int32_t *rows;             // rows below the columns of each supernode, ascending
  int64_t *panel_at;         // supernodes + 1: into panel
  double *panel;             // (width + rows) x width each, column-major: L with D on the diagonal
  int32_t *mirror;           // entries of A: where the mirror image of an entry is
  int32_t *local;            // n: position of a row in the panel at hand
  int32_t *head, *next;      // supernodes: lists of those that update s next
  int32_t *reached;          // supernodes: the first of its rows that is not used yet
  int32_t *up;               // supernodes: the parent in the tree, LDL_NONE at a root
  int32_t *path, *mark;      // supernodes: those that a row reaches; marks of the walk
  int32_t stamp;             // of the present walk
  double *update, *scaled;   // largest panel: the product; WIDEST^2: D L'
  double *packed;            // largest panel: the rows and columns of another one that are there
  int32_t *there;            // n: which rows these are
  uint8_t *present;          // n: columns that are not those of the identity
  double done;               // operations of the factorisation at hand
  double *work;              // n
  double *spread;            // n: a sparse vector, zero between calls
  double *gathered;          // rows of the tallest panel: the same vector on the rows of a panel
  const double *sign;        // n or NULL: the sign that a pivot must have
  const uint8_t *kept;       // n or NULL: of the factorisation at hand
  double lift;               // > 0: pivots that are too small become sign*lift
  double flops;              // of a factorisation, from the analysis
};


// One supernode: its columns, the rows below them, its panel.
typedef struct ldl_panel {
  int32_t from, w, m, h;     // first column, columns, rows below, h = w + m
  const int32_t *rows;       // m
  double *X;                 // h x w, column-major
} ldl_panel;

static inline ldl_panel panel_of(const sparse_ldl *f, int32_t s) {
  const int32_t from = f->first[s], w = f->first[s + 1] - from;
  const int32_t m = (int32_t)(f->rows_at[s + 1] - f->rows_at[s]);
  return (ldl_panel){from, w, m, w + m, f->rows + f->rows_at[s], f->panel + f->panel_at[s]};
}

// The pivot of the k-th column, replaced where it is too small and a lift is given. 0: there is
// none.
double ldl_accept_pivot(sparse_ldl *f, int32_t k, double pivot, double floor);

#endif
