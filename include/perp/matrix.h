// matrix.h: matrices beyond dense and sparse ones: products J W J', contacts with friction, grids
// of cells, wrappers around another matrix, and the table of functions behind a matrix of your own.
// perp_copy_entries() copies the entries of any of them.
// perp.h has the dense matrix, the sparse one and the matrix behind a callback.
//
// E13: Erleben, Numerical methods for linear complementarity problems, 2013.
//
// a _|_ b: in each row, a_i b_i = 0.
#ifndef PERP_MATRIX_H
#define PERP_MATRIX_H

#include "perp.h"

#ifdef __cplusplus
extern "C" {
#endif

// A = J W J' + diag(compliance), never formed: constraints between bodies
typedef struct perp_product {
  int32_t n;                  // rows of J: constraints
  int32_t dofs;               // columns of J: degrees of freedom of all bodies
  const int32_t *rowptr;      // n + 1: J by compressed rows, columns sorted
  const int32_t *column;      // rowptr[n]
  const double *value;        // rowptr[n]
  int32_t block;              // W is block diagonal, blocks of block x block; 1: diagonal
  const double *W;            // dofs x block, row-major inside a block; each block must be exactly
                              //   symmetric and positive semidefinite
  const double *compliance;   // n, >= 0; NULL means 0
} perp_product;
// adds the claims "symmetric" and "positive semidefinite"
perp_operator perp_from_product(const perp_product *matrix, uint32_t claims);

// The contact LCP with friction, E13 (27) with its signs corrected, never formed: x = (ln, lt, s)
//         [ N'BN  N'BD  0 ]     ln: the normal impulse of contact c is x[c]
//     A = [ D'BN  D'BD  E ]     lt: its impulse along direction k is x[count + K c + k]
//         [ mu    -E'   0 ]     s:  its sliding speed is x[(1 + K) count + c]
// N picks the normal rows of B. D combines the tangential rows of a contact into its K directions.
// E adds up the directions of a contact. n = (2 + K) count.
typedef struct perp_contacts {
  int32_t count;              // contacts
  int32_t directions;         // K: friction directions at each contact
  int32_t tangents;           // tangential rows of B at each contact: 2, or 1 in the plane
  const double *direction;    // K x tangents: direction k is the sum over t of
                              //   direction[k*tangents + t] times tangent t. For 2 tangents:
                              //   cos and sin of 2 pi k/K
  const double *mu;           // count, >= 0: coefficients of friction
  perp_product B;             // J W J' + diag(compliance): contact c has the rows from
                              //   (1 + tangents) c on, its normal first
} perp_contacts;
// an operator that points to this matrix; adds no claims
perp_operator perp_from_contacts(const perp_contacts *matrix, uint32_t claims);

// What a cell of a grid holds.
typedef enum perp_cell { PERP_CELL_SOLID, PERP_CELL_LIQUID, PERP_CELL_AIR } perp_cell;

// The pressure matrix of a grid of cells, -div(w grad), never formed: 5 points in two dimensions, 7
// in three. Cell (i, j, k) is row (k*cells[1] + j)*cells[0] + i. Let w_f = face[d][f]/spacing[d]^2
// for the face f between two neighbours. The row of a liquid cell h has
//     A_hh = sum of w_f over the faces to cells that are not solid,   A_hl = -w_f for liquid l.
// The pressure of air is 0. Nothing flows through a solid cell or the edge of the grid. Cells that
// are not liquid have rows of the identity: with b = 0 there, p = 0.
// If u is the velocity after p has acted, 0 <= p _|_ div u >= 0 is the problem in which b is
// density/dt times the divergence before p acts. Divergences are computed with area fractions.
typedef struct perp_grid {
  int32_t cells[3];           // >= 1 each; cells[2] = 1: two dimensions
  double spacing[3];          // > 0: distance between cell centres
  const uint8_t *type;        // one perp_cell for each cell
  const double *face[3];      // weights >= 0: area fraction of the face. Towards air: that
                              //   fraction divided by theta, the liquid's share of the line
                              //   between the two centres (ghost fluid).
                              //   face[0] has cells[0] + 1 entries in a line: the face below
                              //   (i, j, k) is at (k*cells[1] + j)*(cells[0] + 1) + i.
                              //   face[1] and face[2] have one more entry in their own direction.
                              //   NULL: 1 everywhere
} perp_grid;
// adds the claims "symmetric", "positive semidefinite" and "Z"
perp_operator perp_from_grid(const perp_grid *matrix, uint32_t claims);

// Bounds for a liquid that can separate from walls. every = 0: liquid cells at a wall get lo = 0
// and hi = inf. The other liquid cells are equations: lo = -inf and hi = inf. every = 1: all liquid
// cells get lo = 0 and hi = inf. A cell is at a wall if it touches a solid cell, the edge of the
// grid, or a face of weight below 1 that is not towards air. Cells without liquid get lo = hi = 0.
perp_error perp_grid_bounds(const perp_grid *grid, int32_t every, double *lo, double *hi);

// ---------------------------------------------------------------------------- a matrix of your own

typedef enum perp_view_kind {   // the struct that perp_view.data points to
  PERP_VIEW_NONE,             // there is no such struct
  // from here to PERP_VIEW_GRID: the struct of that name
  PERP_VIEW_DENSE, PERP_VIEW_CSC, PERP_VIEW_PRODUCT, PERP_VIEW_CALLBACK,
  PERP_VIEW_CONTACT, PERP_VIEW_GRID
} perp_view_kind;

// the data behind an operator: R * (the matrix named by kind) * C + shift I
typedef struct perp_view {
  perp_view_kind kind;
  const void *data;           // perp_dense, perp_csc, perp_product, perp_callback,
                              //   perp_contacts or perp_grid
  const double *R, *C;        // n each, NULL means 1
  double shift;               // 0: none
} perp_view;

// state of a projected Gauss-Seidel pass: x_i <- clamp(x_i - omega y_i/A_ii)
typedef struct perp_sweep {
  double *x;                  // n, updated in place
  const double *b;            // n
  const double *lo, *hi;      // n; NULL lo means 0, NULL hi means +inf
  const double *diagonal;     // n: of A; a row with A_ii <= 0 moves to the bound that y_i
                              //   points to, if that bound is finite
  const double *weight;       // n: weight of a change of x_i in `change`
  double omega;               // over-relaxation
  int32_t backward;           // 1: from row to-1 down to row `from`; 0: from `from` up to to-1
  int32_t fresh;              // 1: the caller has changed x, b or the bounds, so the sweep must
                              //   rebuild `memory`. The sweep sets it to 0
  void *memory;               // sweep_bytes(), aligned for doubles: residuals or body velocities,
                              //   kept between passes
  double change;              // out: max(change, weight_i |dx_i| / omega)
                              //   over the rows of this pass
} perp_sweep;

struct perp_operator_ops {    // what A can do. NULL: it cannot. Only apply is required
  const char *name;           // "dense"
  size_t (*scratch_bytes)(const void *self);  // that apply and residual need; NULL means 0
  int  (*apply)(const void *self, const double *x, double *y, void *scratch);
                                                // y = A x; non-zero aborts the solve
  int  (*apply_transpose)(const void *self, const double *x, double *y, void *scratch);  // y = A' x
  int  (*residual)(const void *self, const double *x, const double *b, double *y, double *a,
                   void *scratch);              // y = A x + b compensated, a >= |A||x| + |b|
  void (*row_col_max)(const void *self, const double *r, const double *c, double *row, double *col);
                                                // row_i = max_j r_i |A_ij| c_j, and
                                                // col_j = max_i r_i |A_ij| c_j
  void (*diagonal)(const void *self, double *d);                          // d_i = A_ii
  void (*add_column)(const void *self, int32_t j, double s, double *y);   // y += s A e_j
  size_t (*sweep_bytes)(const void *self);  // that sweep keeps between passes; NULL means 0
  int  (*sweep)(const void *self, perp_sweep *state, int32_t from, int32_t to);
                                                // a Gauss-Seidel pass over rows from .. to-1
  void (*submatrix)(const void *self, const int32_t *set, int32_t m, double *S);
                                                // S = A(set,set), m x m, row-major
  perp_view (*view)(const void *self);      // the data behind it
};

// ----------------------------------------------------------------------------------------- entries

// 1: perp_copy_entries() can read the entries of A. A dense or sparse matrix, a product, contacts
// and a grid show them, also inside wrappers that a view can express. Any other operator must have
// add_column() or submatrix(), and n <= 5000, because reading it takes O(n^2) time.
int32_t perp_has_entries(const perp_operator *A);
// Copies the entries of A into compressed columns, for example in a linear solver of your own. The
// copy has no zeros, except that with diagonal = 1 every column has its diagonal entry. An entry
// that is not finite is an error. allocator NULL: malloc.
perp_error perp_copy_entries(const perp_operator *A, int32_t diagonal,
                             const perp_allocator *allocator, perp_csc *entries);
// Releases such a copy by the allocator that it came from, and sets it to zeros. NULL is fine.
void perp_entries_free(const perp_allocator *allocator, perp_csc *entries);

// ---------------------------------------------------------------------------------------- wrappers

// An operator made from another one. The caller provides the storage, `self`, which must outlive
// the operator. A wrapper can do what the inner operator can. It has a view where R A C + shift I
// can express it.
typedef struct perp_wrapper {
  perp_operator_ops ops;      // filled by the constructor
  perp_operator inner;
  const double *R, *C;        // n, positive: perp_scaled
  double shift;               // perp_shifted
  const int32_t *set;         // m indices into the inner operator, ascending: perp_restricted
  int32_t m;                  // entries of set
} perp_wrapper;
perp_operator perp_scaled(perp_wrapper *self, perp_operator inner, const double *R,
                          const double *C);   // R A C
perp_operator perp_shifted(perp_wrapper *self, perp_operator inner, double shift);   // A + shift I
perp_operator perp_restricted(perp_wrapper *self, perp_operator inner, const int32_t *set,
                              int32_t m);   // A(set,set)

#ifdef __cplusplus
}
#endif
#endif
