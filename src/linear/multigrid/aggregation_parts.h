// aggregation_parts.h: the levels and their work space, shared by the files of aggregation.h.
#ifndef PERP_AGGREGATION_PARTS_H
#define PERP_AGGREGATION_PARTS_H

#include "aggregation.h"
#include "row_places.h"
#include "float_matrix.h"

enum aggregation_shape { AGGREGATION_LEVELS_MAX = 24 };
enum { NONE = -1 };

typedef struct level {
  int32_t n;
  const int32_t *colptr, *row;     // n + 1; entries: symmetric, so columns are rows
  const double *value;             // entries
  double *own;                     // entries: `value`, on all levels but the finest
  int32_t *diagonal;               // n: places of a_ii
  row_place *place;                // n: place of the row on a grid; NULL: unknown
  int32_t *aggregate;              // n: row of the next level, NONE: none
  int32_t *into;                   // entries: entry of the next level's matrix; NONE: none
  int32_t *start, *member;         // n + 1: lists of the finer level's rows in each aggregate, not
                                   //   on level 0
  double *scale;                   // entries: s_cd; not on level 0
  uint8_t *active;                 // n: the mask
  int masked;                      // 1: the mask was given for this level and has bound rows
  uint8_t *dirty;                  // n: 1 while the row is on `changed`
  int32_t *changed;                // n
  float_matrix s;                  // the matrix as the cycle uses it
  int32_t *parent;                 // places: place on the next level, or its length: none
  int32_t children;                // largest number of children of a place
  int32_t *child;                  // places x children: the finer level's places that restrict a
                                   //   residual, or its length: none; not on level 0
  float *w, *r, *z, *c, *v, *d;    // places each: residual; right-hand side, solution; direction p
                                   //   and A p; second direction, not on level 0
} level;

struct aggregation {
  perp_allocator allocator;
  team *threads;                   // used while the levels are made
  int32_t levels;
  int32_t masked;                  // the level that was masked last
  int weakens;                     // 1: s_cd may be below 1
  double unit;                     // power of two: float entries are those of A times this
  level at[AGGREGATION_LEVELS_MAX];
  double *sums;                    // 3 x parts of the finest
  double *total;                   // places of the finest: x of conjugate gradients
  double loaded;                   // power of two: r of conjugate gradients is r times this
  double *dense;                   // m x m: the coarsest matrix, factored; NULL: sweeps instead
  double *last;                    // m: vector of the coarsest level
  int32_t *pivot;                  // m
  int dense_fine;                  // 1: the factor can be used
};

// Both functions return the number of aggregates and write the aggregate of every row (n), NONE if
// the row needs no coarse correction. aggregates_pairs: with first = 0 such rows are paired, too;
// mate (n) is work; *halved is the axis of the lattice along which pairs lie, or NONE.
// aggregates_blocks: bit k of *halved is set if blocks halve axis k. 0: there are no blocks.
int32_t aggregates_pairs(const level *l, int first, int32_t *pair, int32_t *mate,
                         int32_t *halved);
int32_t aggregates_blocks(const level *l, int32_t *block, int32_t *halved);

#endif
