// entries.h: reads the entries of a dense, CSC or grid view through its R, C, shift, a set of
// indices, and several wrappers.
#ifndef PERP_ENTRIES_H
#define PERP_ENTRIES_H

#include <perp/matrix.h>
#include <perp/perp.h>

#include <stddef.h>

int entries_known(const perp_view *view);   // 1: dense, CSC or grid

// Both work on the m x m matrix V(set,set), where V is the view. set ascends; NULL: all m rows.
// entries_add_column: y += s V(set,set_j). entries_row_col_max: see perp_operator_ops.
void entries_add_column(const perp_view *view, const int32_t *set, int32_t m, int32_t j, double s,
                        double *y);
void entries_row_col_max(const perp_view *view, const int32_t *set, int32_t m, const double *r,
                         const double *c, double *row, double *col);

double entries_one(const perp_operator *A, int32_t i, int32_t j);   // by submatrix(): slow
enum { ENTRIES_TILE = 32 };   // rows and columns of a tile, where a matrix is read by submatrix()

// Reads a matrix under wrappers that a single view cannot express, such as R (A + shift I) C.
enum { CHAIN_DEPTH_MAX = 6 };   // wrappers
typedef enum wrapping { WRAP_SCALED, WRAP_SHIFTED, WRAP_RESTRICTED } wrapping;
typedef struct entry_chain {
  perp_view matrix;           // dense, CSC or grid, without R, C and shift
  int32_t n;                  // rows of the outermost wrapper
  int32_t depth;
  wrapping kind[CHAIN_DEPTH_MAX]; // outermost first
  const perp_wrapper *wrapper[CHAIN_DEPTH_MAX];
  int shifted;                // 1: a diagonal entry may be nonzero without being stored
} entry_chain;
// 1: A is such a chain, possibly without wrappers. 0: A hides its entries, or has more than
// CHAIN_DEPTH_MAX wrappers.
int entries_chain(const perp_operator *A, entry_chain *chain);
// The same around a product J W J' + diag(compliance), and around a perp_contacts. product_rows.h
// finds their entries.
int entries_product_chain(const perp_operator *A, entry_chain *chain);
int entries_contact_chain(const perp_operator *A, entry_chain *chain);

typedef struct entry_cursor {   // a position in a column
  const entry_chain *chain;
  // The column's number outside of wrapper k; the last one is its number in the matrix.
  int32_t column[CHAIN_DEPTH_MAX + 1];
  int32_t at;                 // position from which to continue
  int32_t is_row;             // 1: reads a row of A, which is a column of the transpose
} entry_cursor;
entry_cursor entries_begin(const entry_chain *chain, int32_t j);
// Sets the next entry of the column: its row *i and value *a, with |a - exact value| <= *error.
// *error is 0 if nothing was rounded. Entries may be zero. Returns 0 after the last one.
int entries_next(entry_cursor *cursor, int32_t *i, double *a, double *error);
// Applies the wrappers to the entry (*i, *a) of the matrix in the cursor's column. Returns 0 if a
// restriction leaves the entry out.
int entries_outside(const entry_cursor *cursor, int32_t *i, double *a, double *error);
// The operations row_col_max and add_column of a wrapper around a chain.
void entries_wrapper_max(const void *self, const double *r, const double *c, double *row,
                         double *col);
void entries_wrapper_add(const void *self, int32_t j, double s, double *y);

int operator_is_scaled(const perp_operator *A);       // 1: a wrapper made by perp_scaled
int operator_is_shifted(const perp_operator *A);
int operator_is_restricted(const perp_operator *A);

// Bytes of `count` vectors of n doubles, rounded up so that memory behind them is aligned.
static inline size_t entries_vector_bytes(int32_t n, size_t count) {
  return ((size_t)n*count*sizeof(double) + 63) & ~(size_t)63;
}

#endif
