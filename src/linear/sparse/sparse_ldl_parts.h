// sparse_ldl_parts.h: the panels of L and the work space, shared by the files of the sparse LDL'.
#ifndef PERP_SPARSE_LDL_PARTS_H
#define PERP_SPARSE_LDL_PARTS_H

#include "sparse_ldl.h"

#include <stddef.h>

#include "error_free.h"

enum {
  LDL_NONE = -1,
  LDL_COLUMNS_MAX = 96       // columns of a supernode; 1: up to 6 times the work; without a limit: up
                             //   to 1.4 times
};

struct sparse_ldl {
  perp_allocator allocator;
  int32_t n;
  int32_t *order, *place;    // n: order[k] is eliminated k-th; place is its inverse
  int32_t supernodes;
  int32_t *first;            // supernodes + 1: columns first[s] .. first[s + 1] - 1
  int32_t *owner;            // n: the supernode of a column
  int64_t *rows_at;          // supernodes + 1: places in `rows`
  int32_t *rows;             // rows below the columns of each supernode, ascending
  int64_t *panel_at;         // supernodes + 1: places in `panel`
  double *panel;             // (width + rows) x width each, column-major: L with D on the diagonal
  int32_t *mirror;           // entries of A: place of the mirror image
  int32_t *local;            // n: position of a row in the current panel
  int32_t *head, *next;      // supernodes: list of the supernodes that update s next
  int32_t *reached;          // supernodes: number of its rows that have been used for updates
  int32_t *up;               // supernodes: the parent in the tree, LDL_NONE at a root
  int32_t *path, *mark;      // supernodes: the ones that a row reaches; marks of the search
  int32_t stamp;             // mark of the current search
  double *update, *scaled;   // size of the largest panel: L_d D_d L_d'; LDL_COLUMNS_MAX^2: D_d L_d'
  double *packed;            // size of the largest panel: present rows and columns of a panel
  int32_t *there;            // n: the numbers of these rows
  uint8_t *present;          // n: 1 if the column is not that of the identity
  double done;               // operations of the current factorisation so far
  double *work;              // n
  double *spread;            // n: a sparse vector, zero between calls
  double *gathered;          // rows of the tallest panel: the vector on the rows of a panel
  const double *sign;        // n or NULL: the sign that a pivot must have
  const uint8_t *kept;       // n or NULL: 1: the row is not replaced by one of the identity
  double lift;               // > 0: a pivot that is too small becomes sign*lift
  double flops;              // flops of a factorisation with all rows, from the analysis
};


// A supernode: its columns, the rows below them, and its panel.
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

// Returns the pivot of the k-th column, or its replacement by the lift. 0: it is not acceptable.
double ldl_accept_pivot(sparse_ldl *f, int32_t k, double pivot, double floor);

#endif
