// float_matrix.h: a symmetric matrix in float, its rows in the order of colours, eight rows at a
// time.
//
// Rows of one colour are not coupled, so a Gauss-Seidel pass takes a colour at once, on any number
// of threads. Rows that have too many entries, or for which there is no colour left, are loose:
// they come last and are relaxed together, each with its couplings to other loose rows added to the
// diagonal, which keeps the pass convergent (l1-Jacobi; Baker, Falgout, Kolev, Yang 2011).
#ifndef PERP_FLOAT_MATRIX_H
#define PERP_FLOAT_MATRIX_H

#include <perp/perp.h>

#include "row_places.h"
#include "team.h"

enum { LANES = 8 };         // rows of a slice

// Vectors are in the order of places, with LANES zeros before and behind: `length` is that many.
typedef struct float_matrix {
  int32_t n, length;        // rows; places, a multiple of LANES
  int32_t colours;
  int32_t *first;           // colours + 1: a colour's first place, a multiple of LANES; the last
                            //   one is that of the loose rows
  int32_t *place;           // n: of a row
  int32_t *row;             // length: the other way, -1 where there is none
  int32_t *slot;            // 2 length/LANES + 1: entries of slice s with earlier colours begin at
                            //   slot 2s, with later ones at slot 2s + 1
  int32_t *base;            // slots: b > 0: lane k is coupled to place b - LANES + k;
                            //   b < 0: to pick[-b - 1 + k]
  int32_t *pick;
  float *weight;            // slots x LANES: -a_ij; then the entries of loose rows
  int32_t loose;            // rows
  int32_t *loose_start;     // loose + 1: of their entries, from weight[loose_weight] on
  int32_t *loose_pick;      // and the places they are coupled to
  int32_t loose_weight;
  int32_t *spot;            // entries of the matrix: where in weight; -1: the diagonal; NULL:
                            //   they stay as they are
  float *inverse;           // length: 1/a_ii, 0: the row is masked
  float *sum;               // length: of the row
} float_matrix;

// The order and the slices of a pattern (colptr, row: n + 1, entries). at: n, places on a lattice;
// NULL: none are known. value: its entries, once for
// all, times unit; NULL: float_matrix_row will set them, and again. Either way float_matrix_row
// has to be called for every row. 0, or -2: no memory.
int float_matrix_create(float_matrix *s, int32_t n, const int32_t *colptr, const int32_t *row,
                        const row_place *at, const double *value, double unit,
                        const perp_allocator *allocator);
void float_matrix_free(float_matrix *s, const perp_allocator *allocator);

// A vector of zeros; to be given back by float_matrix_release.
float *float_matrix_vector(const float_matrix *s, const perp_allocator *allocator);
void float_matrix_release(const perp_allocator *allocator, float *vector);

// Row i from the entries of the matrix, times unit; active 0: the row is masked.
void float_matrix_row(float_matrix *s, int32_t i, const int32_t *colptr, const int32_t *row,
                      const double *value, double unit, int active);
// Only its mask.
void float_matrix_row_mask(float_matrix *s, int32_t i, const int32_t *colptr, const int32_t *row,
                           const double *value, double unit, int active);

// (D + L) z = r, from the first colour to the last.
void float_matrix_forward(const float_matrix *s, team *threads, const float *r, float *z,
                          float *work);
// z improved for A z = r, from the last colour to the first; the adjoint of forward.
void float_matrix_backward(const float_matrix *s, team *threads, const float *r, float *z,
                           float *work);
// and from the first to the last, on z as it is
void float_matrix_again(const float_matrix *s, team *threads, const float *r, float *z,
                        float *work);
// w = r - A z after forward on z = 0; on all places before float_matrix_exact(), where it is not 0.
void float_matrix_remainder(const float_matrix *s, team *threads, const float *r, const float *z,
                            float *w);
static inline int32_t float_matrix_exact(const float_matrix *s) {
  return s->loose > 0 || s->colours == 0 ? s->length : s->first[s->colours - 1];
}

// Numbered parts of fixed size, so that sums are the same on any number of threads.
enum { SLICES_PART = 512 };              // slices
static inline int32_t float_matrix_parts(const float_matrix *s) {
  return (s->length/LANES + SLICES_PART - 1)/SLICES_PART;
}
// Runs work(data, from, to, part) on all parts; from, to: slices.
typedef void float_matrix_work(void *data, int32_t from, int32_t to, int32_t part);
void float_matrix_run(const float_matrix *s, team *threads, float_matrix_work *work, void *data);

// q = A p on rows that are not masked, slices from .. to - 1. Differences keep what is smooth:
// q_i = sum_i p_i - sum of a_ij (p_i - p_j).
void float_matrix_product(const float_matrix *s, int32_t from, int32_t to, const float *p,
                          float *q);

#endif
