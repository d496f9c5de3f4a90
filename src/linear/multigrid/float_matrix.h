// float_matrix.h: a symmetric matrix in float, with rows ordered by colours, eight at a time.
//
// Rows of one colour are not coupled, so a Gauss-Seidel pass relaxes a colour at once, on any
// number of threads. Rows with too many entries, or without a colour, are loose. They come last and
// are relaxed together. The sizes of their couplings to each other are added to the diagonal, which
// keeps the pass convergent (l1-Jacobi; Baker, Falgout, Kolev, Yang 2011).
#ifndef PERP_FLOAT_MATRIX_H
#define PERP_FLOAT_MATRIX_H

#include <perp/perp.h>

#include "row_places.h"
#include "team.h"

enum slice_shape { LANES = 8 };   // rows per slice: one `eight`

// Vectors are in the order of places and have `length` numbers, with LANES zeros before and after.
typedef struct float_matrix {
  int32_t n, length;        // rows; places, a multiple of LANES
  int32_t colours;
  int32_t *first;           // colours + 1: first place of a colour, a multiple of LANES; then the
                            //   first place of the loose rows
  int32_t *place;           // n: place of a row
  int32_t *row;             // length: row of a place, -1: none
  int32_t *slot;            // 2 length/LANES + 1: slice s has its entries in earlier colours from
                            //   slot[2s] on, those in later colours from slot[2s + 1] on
  int32_t *base;            // slots: b > 0: lane k is coupled to place b - LANES + k;
                            //   b < 0: to place pick[-b - 1 + k]
  int32_t *pick;
  float *weight;            // slots x LANES: -a_ij; then the entries of loose rows
  int32_t loose;            // number of loose rows
  int32_t *loose_start;     // loose + 1: entries of a loose row, from weight[loose_weight] on
  int32_t *loose_pick;      // the places these entries are coupled to
  int32_t loose_weight;
  int32_t *spot;            // entries of the matrix: index in weight; -1: the diagonal; NULL:
                            //   values never change
  float *inverse;           // length: 1/a_ii; 0: the row is masked
  float *sum;               // length: row sums
} float_matrix;

// Makes the order and the slices of a pattern (colptr: n + 1; row: entries). at: n, places on a
// lattice; NULL: unknown. If value is given, its entries times unit are stored and never change;
// else float_matrix_row sets them, as often as they change. In both cases float_matrix_row must be
// called for every row. Returns 0, or -2: no memory.
int float_matrix_create(float_matrix *s, int32_t n, const int32_t *colptr, const int32_t *row,
                        const row_place *at, const double *value, double unit,
                        const perp_allocator *allocator);
void float_matrix_free(float_matrix *s, const perp_allocator *allocator);

// Allocates a vector of zeros; float_matrix_release frees it.
float *float_matrix_vector(const float_matrix *s, const perp_allocator *allocator);
void float_matrix_release(const perp_allocator *allocator, float *vector);

// Sets row i from the entries of the matrix, times unit. active = 0: masks the row.
void float_matrix_row(float_matrix *s, int32_t i, const int32_t *colptr, const int32_t *row,
                      const double *value, double unit, int active);
// Sets only the mask of row i.
void float_matrix_row_mask(float_matrix *s, int32_t i, const int32_t *colptr, const int32_t *row,
                           const double *value, double unit, int active);

// Solves (D + L) z = r, from the first colour to the last.
void float_matrix_forward(const float_matrix *s, team *threads, const float *r, float *z,
                          float *work);
// Improves z for A z = r, from the last colour to the first; the adjoint of forward.
void float_matrix_backward(const float_matrix *s, team *threads, const float *r, float *z,
                           float *work);
// w = r - A z after float_matrix_forward, on places before float_matrix_exact(). The residual is 0
// on the other places, and w is not set there.
void float_matrix_remainder(const float_matrix *s, team *threads, const float *r, const float *z,
                            float *w);
static inline int32_t float_matrix_exact(const float_matrix *s) {
  return s->loose > 0 || s->colours == 0 ? s->length : s->first[s->colours - 1];
}

// Parts have a fixed size, so that sums have the same bits for any number of threads.
enum { PART_SLICES = 512 };              // slices per part
static inline int32_t float_matrix_parts(const float_matrix *s) {
  return (s->length/LANES + PART_SLICES - 1)/PART_SLICES;
}
// Runs work(data, from, to, part) on all parts; from, to: slices.
typedef void float_matrix_work(void *data, int32_t from, int32_t to, int32_t part);
void float_matrix_run(const float_matrix *s, team *threads, float_matrix_work *work, void *data);

// q = A p on slices from .. to - 1, 0 on masked rows. Differences keep smooth parts accurate:
// q_i = sum_i p_i - sum of a_ij (p_i - p_j), where sum_i is the row sum.
void float_matrix_product(const float_matrix *s, int32_t from, int32_t to, const float *p,
                          float *q);

#endif
