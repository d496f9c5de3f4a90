// aggregation_parts.h: what the files of aggregation.h share.
#ifndef PERP_AGGREGATION_PARTS_H
#define PERP_AGGREGATION_PARTS_H

#include "aggregation.h"
#include "row_places.h"
#include "float_matrix.h"

enum {
  AGGREGATION_LEVELS = 24,
  NONE = -1,
};

typedef struct level {
  int32_t n;
  const int32_t *colptr, *row;     // n + 1; entries: symmetric, so columns are rows
  const double *value;             // entries
  double *own;                     // entries: `value`, on all levels but the finest
  int32_t *diagonal;               // n: where a_ii stands
  row_place *place;            // n: where the row may be on a grid; NULL: there is none
  int32_t *aggregate;              // n: row of the next level, NONE: none
  int32_t *into;                   // entries: entry of the next level's matrix, NONE: none
  int32_t *start, *member;         // n + 1: rows of the level before by aggregate; not on the
                                   //   finest
  double *scale;                   // entries: s_cd, on all levels but the finest
  uint8_t *active;                 // n: the mask
  int masked;                      // 1: it was given for this level, not all free
  uint8_t *dirty;                  // n: 1 while the row is on `changed`
  int32_t *changed;                // n
  float_matrix s;                        // the matrix as the cycle sees it
  int32_t *parent;                 // places: place on the next level, its length: none
  int32_t children;                // of a place, at most
  int32_t *child;                  // places x children: places of the level before that have a
                                   //   remainder; its length: none; not on the finest
  float *w, *r, *z, *c, *v, *d;    // places: remainder; of the K-cycle; r, z, c, v of gradients
} level;

struct aggregation {
  perp_allocator allocator;
  team *threads;                   // while the levels are made
  int32_t levels;
  int32_t masked;                  // the level that was masked last
  int weakens;                     // 1: s_cd may be below 1
  double unit;                     // power of two: floats are entries times it
  level at[AGGREGATION_LEVELS];
  double *sums;                    // 3 x parts of the finest
  double *total;                   // places of the finest: x of conjugate gradients
  double loaded;                   // power of two: their r is in float, times it
  double *dense;                   // m x m: the coarsest matrix, factored; NULL: sweeps instead
  double *last;                    // m
  int32_t *pivot;                  // m
  int dense_fine;                  // 1: the factor can be used
};

// Each returns the number of aggregates and writes the one of every row, NONE: it needs no coarse
// correction. Pairs: mate is work, n; first: 0: such rows are paired too; *halved: the axis of the
// lattice along which they lie, NONE: none. Blocks: *halved has bit k for axis k; 0: there are
// none.
int32_t aggregates_pairs(const level *l, int first, int32_t *pair, int32_t *mate,
                         int32_t *halved);
int32_t aggregates_blocks(const level *l, int32_t *block, int32_t *halved);

#endif
