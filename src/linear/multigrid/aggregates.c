// aggregates.c: chooses the rows of a level that are joined to one row of the next level.
//
// Pairs are made in the order of rows, along the strongest couplings (Notay 2010). If the rows have
// places on a lattice, blocks take two rows along each axis with strong couplings. Then the next
// level is again a lattice with as few couplings, and smooth errors see no pattern of pairs.
// Cost: a pass over the couplings.
#include "aggregation_parts.h"

#include <math.h>

#include "vector.h"

enum {
  FREE = -2,                             // not joined yet
  BLOCK_ROWS_MAX = 1 << ROW_PLACE_AXES   // rows of a block, which is halved along each axis
};

#define JOIN_COUPLING_MIN 0.25   // relative to the strongest coupling of a row
#define HALVE_AXIS_MIN 0.3       // mean coupling relative to the strongest axis
#define DOMINANCE_MIN 5.0        // a_ii over the sum of |a_ij|, j != i

// 1: row i is coupled so weakly that sweeps are enough; it needs no coarse correction.
static int is_dominant(const level *l, int32_t i) {
  double sum = 0.0;
  for (int32_t p = l->colptr[i]; p < l->colptr[i + 1]; p++)
    if (l->row[p] != i) sum += fabs(l->value[p]);
  return l->value[l->diagonal[i]] > DOMINANCE_MIN*sum;
}

// 1: i and j may be a pair along this axis of the lattice. A pair begins at an even place.
static int is_aligned(row_place i, row_place j, int32_t axis) {
  for (int32_t k = 0; k < ROW_PLACE_AXES; k++)
    if (k == axis ? i.at[k] >> 1 != j.at[k] >> 1 : i.at[k] != j.at[k]) return 0;
  return 1;
}

// Returns the FREE row to join with row i, or NONE. axis: the pair must lie along it (NONE: any).
static int32_t choose_mate(const level *l, const int32_t *mate, int32_t i, int32_t axis) {
  int32_t best = NONE;
  double largest = 0.0, reach = 0.0;
  for (int32_t p = l->colptr[i]; p < l->colptr[i + 1]; p++) {
    const int32_t j = l->row[p];
    const double coupling = -l->value[p];
    if (j == i || !(coupling > 0.0)) continue;
    reach = max2(reach, coupling);
    if (mate[j] == FREE && coupling > largest &&
        (axis == NONE || is_aligned(l->place[i], l->place[j], axis))) {
      largest = coupling;
      best = j;
    }
  }
  return largest >= JOIN_COUPLING_MIN*reach ? best : NONE;
}

// Computes the mean couplings along the axes of the lattice. Returns the strongest axis.
static int32_t measure_axes(const level *l, double *mean) {
  double sum[ROW_PLACE_AXES] = {0.0}, count[ROW_PLACE_AXES] = {0.0};
  for (int32_t i = 0; i < l->n; i++)
    for (int32_t p = l->colptr[i]; p < l->diagonal[i]; p++)
      for (int32_t k = 0; k < ROW_PLACE_AXES; k++)
        if (l->place[i].at[k] != l->place[l->row[p]].at[k]) {
          sum[k] -= l->value[p];
          count[k] += 1.0;
        }
  int32_t best = 0;
  for (int32_t k = 0; k < ROW_PLACE_AXES; k++) {
    mean[k] = sum[k]/max2(count[k], 1.0);
    if (mean[k] > 1.1*mean[best]) best = k;
  }
  return best;
}

// Joins each row with the free row to which it is coupled most strongly, in the order of rows. On a
// lattice, pairs along the strongest axis come first, so that the next level is a lattice again.
int32_t aggregates_pairs(const level *l, int first, int32_t *pair, int32_t *mate,
                         int32_t *halved) {
  int32_t count = 0;
  for (int32_t i = 0; i < l->n; i++) mate[i] = first && is_dominant(l, i) ? NONE : FREE;
  double mean[ROW_PLACE_AXES];
  *halved = l->place != NULL ? measure_axes(l, mean) : NONE;
  for (int32_t aligned = l->place != NULL; aligned >= 0; aligned--)
    for (int32_t i = 0; i < l->n; i++) {
      if (mate[i] != FREE) continue;
      const int32_t best = choose_mate(l, mate, i, aligned ? *halved : NONE);
      if (best == NONE) continue;
      mate[i] = best;
      mate[best] = i;
    }
  for (int32_t i = 0; i < l->n; i++)
    pair[i] = mate[i] == NONE ? NONE : mate[i] != FREE && mate[i] < i ? pair[mate[i]] : count++;
  return count;
}

// Makes blocks of two rows along each axis with strong couplings: 4 or 8 rows, fewer at a boundary.
// Makes none if there are fewer than two such axes.
int32_t aggregates_blocks(const level *l, int32_t *block, int32_t *halved) {
  double mean[ROW_PLACE_AXES];
  int32_t axis[ROW_PLACE_AXES], axes = 0, count = 0;
  const int32_t best = measure_axes(l, mean);
  *halved = 0;
  for (int32_t k = 0; k < ROW_PLACE_AXES; k++)
    if (mean[k] >= HALVE_AXIS_MIN*mean[best]) {
      axis[axes++] = k;
      *halved |= 1 << k;
    }
  if (axes < 2) return 0;
  for (int32_t i = 0; i < l->n; i++) block[i] = is_dominant(l, i) ? NONE : FREE;
  for (int32_t i = 0; i < l->n; i++) {
    if (block[i] != FREE) continue;
    int32_t member[BLOCK_ROWS_MAX] = {i}, members = 1;
    block[i] = count;
    for (int32_t k = 0; k < axes; k++)               // doubles the block along each axis
      for (int32_t j = 0, known = members; j < known; j++) {
        const int32_t mate = choose_mate(l, block, member[j], axis[k]);
        if (mate == NONE) continue;
        block[mate] = count;
        member[members++] = mate;
      }
    count++;
  }
  return count;
}
