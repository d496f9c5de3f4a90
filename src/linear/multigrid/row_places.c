// row_places.c: finds places for rows in one pass over them, and checks the places in another.
//
// A row takes its place from an earlier neighbour if the couplings of one of them show along which
// axis they are neighbours. A row without such a neighbour begins a piece. Where two pieces meet,
// they are joined: the first row of the later piece gets a place relative to the first row of the
// earlier one. In the end all places are relative to the first row of a piece.
// Cost: two passes over the couplings.
#include "row_places.h"

#include <string.h>

enum { UNKNOWN = -1 };

#define MISFITS_MAX 0.02   // largest share of couplings that do not fit the lattice

typedef struct sides { int32_t below[ROW_PLACE_AXES], above[ROW_PLACE_AXES]; } sides;   // -1: none

// Finds the neighbours of row i along each axis, as far as its own couplings show. 0: too many.
static int find_sides(const int32_t *colptr, const int32_t *row, int32_t i, int spatial,
                      sides *s) {
  int32_t later[2], earlier[2], above = 0, below = 0;
  for (int k = 0; k < ROW_PLACE_AXES; k++) s->below[k] = s->above[k] = -1;
  for (int32_t p = colptr[i]; p < colptr[i + 1]; p++) {
    const int32_t j = row[p];
    if (j == i) continue;
    if (j == i + 1) s->above[0] = j;
    else if (j == i - 1) s->below[0] = j;
    else if (j > i && above < 2) later[above++] = j;
    else if (j < i && below < 2) earlier[below++] = j;
    else return 0;
  }
  if (!spatial && (above > 1 || below > 1)) return 0;
  if (above > 0 && (above == 2 || !spatial)) s->above[1] = later[0];
  if (above == 2) s->above[2] = later[1];
  if (below > 0 && (below == 2 || !spatial)) s->below[1] = earlier[below - 1];
  if (below == 2) s->below[2] = earlier[0];
  return 1;
}

// Returns the first row of the piece of row i. relative: the place of row i relative to this row.
static int32_t first_of(const int32_t *parent, const row_place *place, int32_t i,
                        int32_t relative[ROW_PLACE_AXES]) {
  for (int k = 0; k < ROW_PLACE_AXES; k++) relative[k] = 0;
  for (;; i = parent[i]) {
    for (int k = 0; k < ROW_PLACE_AXES; k++) relative[k] += place[i].at[k];
    if (parent[i] == i) return i;
  }
}

// Sets the place of row i relative to the earlier row `to`. Returns 0 if it is too far away.
static int set_place(int32_t *parent, row_place *place, int32_t i, int32_t to,
                     const int32_t relative[ROW_PLACE_AXES]) {
  for (int k = 0; k < ROW_PLACE_AXES; k++)
    if (relative[k] < INT16_MIN || relative[k] > INT16_MAX) return 0;
  for (int k = 0; k < ROW_PLACE_AXES; k++) place[i].at[k] = (int16_t)relative[k];
  parent[i] = to;
  return 1;
}

// Records that row j is `step` after row i along an axis. i has a place; j may have one.
static void join(int32_t *parent, row_place *place, int32_t i, int32_t j, int axis, int step) {
  int32_t from[ROW_PLACE_AXES], to[ROW_PLACE_AXES];
  if (parent[i] == parent[j]) return;
  const int32_t a = first_of(parent, place, i, from);
  if (parent[i] != a) set_place(parent, place, i, a, from);   // shortens the path for later calls
  from[axis] += step;
  if (parent[j] == UNKNOWN) {                        // a is before i, which is before j
    set_place(parent, place, j, a, from);
    return;
  }
  const int32_t b = first_of(parent, place, j, to);
  if (a == b) return;
  for (int k = 0; k < ROW_PLACE_AXES; k++) to[k] = a < b ? from[k] - to[k] : to[k] - from[k];
  set_place(parent, place, a < b ? b : a, a < b ? a : b, to);
}

static int is_neighbour(row_place a, row_place b) {
  int apart = 0;
  for (int k = 0; k < ROW_PLACE_AXES; k++)
    apart += a.at[k] > b.at[k] ? a.at[k] - b.at[k] : b.at[k] - a.at[k];
  return apart == 1;
}

static int fits(int32_t n, const int32_t *colptr, const int32_t *row, const row_place *place) {
  int64_t wrong = 0, all = 0;
  for (int32_t i = 0; i < n; i++)
    for (int32_t p = colptr[i]; p < colptr[i + 1] && row[p] < i; p++) {
      all++;
      wrong += !is_neighbour(place[i], place[row[p]]);
    }
  return (double)wrong <= MISFITS_MAX*(double)all;
}

int row_places_find(int32_t n, const int32_t *colptr, const int32_t *row, row_place *place,
                    int32_t *parent) {
  int spatial = 0;
  sides s;
  for (int32_t i = 0; i < n; i++) {
    parent[i] = UNKNOWN;
    int32_t above = 0;
    for (int32_t p = colptr[i]; p < colptr[i + 1]; p++) above += row[p] > i + 1;
    spatial |= above == 2;
  }
  for (int32_t i = 0; i < n; i++) {
    if (!find_sides(colptr, row, i, spatial, &s)) return 0;
    if (parent[i] == UNKNOWN) {
      parent[i] = i;
      place[i] = (row_place){{0, 0, 0}};
    }
    for (int k = 0; k < ROW_PLACE_AXES; k++) {
      if (s.below[k] >= 0) join(parent, place, s.below[k], i, k, 1);
      if (s.above[k] >= 0) join(parent, place, i, s.above[k], k, 1);
    }
  }
  // A parent comes before its rows, so its place is already relative to the first row.
  for (int32_t i = 0; i < n; i++) {
    int32_t relative[ROW_PLACE_AXES];
    if (parent[i] == i) continue;
    for (int k = 0; k < ROW_PLACE_AXES; k++)
      relative[k] = place[i].at[k] + place[parent[i]].at[k];
    if (!set_place(parent, place, i, parent[i], relative)) return 0;
  }
  return fits(n, colptr, row, place);
}
