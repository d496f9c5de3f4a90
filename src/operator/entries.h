// entries.h: reads the entries of a dense, CSC or grid view through its R, C, shift, a set of
// indices, and several wrappers.
#ifndef PERP_ENTRIES_H
#define PERP_ENTRIES_H

#include <perp/matrix.h>
#include <perp/perp.h>

#include <stddef.h>

int entries_known(const perp_view *view);   // 1: dense, CSC or grid

// These work on the m x m matrix V(set,set), where V is the view; set is ascending, NULL: all m
// rows. entries_add_column: y += s V(set,set_j). entries_row_col_max: as in perp_operator_ops.
void entries_add_column(const perp_view *view, const int32_t *set, int32_t m, int32_t j, double s,
                        double *y);
void entries_row_col_max(const perp_view *view, const int32_t *set, int32_t m, const double *r,
                         const double *c, double *row, double *col);

double entries_one(const perp_operator *A, int32_t i, int32_t j);   // by submatrix(): slow

// A matrix under wrappers that no view can express, such as R (A + shift I) C, entry by entry.
enum { CHAIN_DEPTH_MAX = 6 };   // wrappers
typedef enum wrapping { WRAP_SCALED, WRAP_SHIFTED, WRAP_RESTRICTED } wrapping;
typedef struct entry_chain {
  perp_view matrix;           // dense, CSC or grid, without R, C and shift
  int32_t n;                  // of the whole
  int32_t depth;
  wrapping kind[CHAIN_DEPTH_MAX]; // outermost first
  const perp_wrapper *wrapper[CHAIN_DEPTH_MAX];
  int shifted;                // 1: a diagonal entry may be nonzero without being stored
} entry_chain;
// 1: A is such a chain, possibly without wrappers; 0: it hides its entries, or it is too deep.
int entries_chain(const perp_operator *A, entry_chain *chain);
// The same around a product J W J' + diag(compliance); product_rows.h finds its entries.
int entries_product_chain(const perp_operator *A, entry_chain *chain);
// The same around a perp_contacts.
int entries_contact_chain(const perp_operator *A, entry_chain *chain);

typedef struct entry_cursor {   // a position in a column
  const entry_chain *chain;
  int32_t column[CHAIN_DEPTH_MAX + 1];   // its number outside of wrapper k; the last: in the matrix
  int32_t at;                 // position from which to continue
  int32_t is_row;             // 1: it is a row of A, as a column of the transpose
} entry_cursor;
entry_cursor entries_begin(const entry_chain *chain, int32_t j);
// The next entry of the column, with the value a up to *error, which is 0 unless it was rounded.
// Some entries may be zero. Returns 0 after the last.
int entries_next(entry_cursor *cursor, int32_t *i, double *a, double *error);
// Transforms the entry (*i, *a) of the matrix, in the cursor's column, to the outside of the
// wrappers. Returns 0 if a set leaves it out.
int entries_outside(const entry_cursor *cursor, int32_t *i, double *a, double *error);
// row_col_max and add_column of a wrapper whose entries are such a chain.
void entries_wrapper_max(const void *self, const double *r, const double *c, double *row,
                         double *col);
void entries_wrapper_add(const void *self, int32_t j, double s, double *y);

int operator_is_scaled(const perp_operator *A);       // 1: a wrapper made by perp_scaled
int operator_is_shifted(const perp_operator *A);
int operator_is_restricted(const perp_operator *A);

// Bytes of `count` vectors of n doubles, rounded up so that what follows is aligned, too.
static inline size_t entries_vector_bytes(int32_t n, size_t count) {
  return ((size_t)n*count*sizeof(double) + 63) & ~(size_t)63;
}

#endif
