// lattice.c: see lattice.h. Breadth first, a pass over the entries and one to check.
#include "lattice.h"

#include <string.h>

enum { FAR = 30000, UNKNOWN = INT16_MIN, WIDEST = 7 };

static const double doubtful = 0.02;     // part of the couplings that may not fit

typedef struct sides { int32_t below[LATTICE_AXES], above[LATTICE_AXES]; } sides;   // -1: none

// The neighbours of row i by axis, as far as its own couplings tell. 0: too many of them.
static int find_sides(const int32_t *colptr, const int32_t *row, int32_t i, int spatial,
                      sides *s) {
  int32_t later[2], earlier[2], above = 0, below = 0;
  for (int k = 0; k < LATTICE_AXES; k++) s->below[k] = s->above[k] = -1;
  if (colptr[i + 1] - colptr[i] > WIDEST) return 0;
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

static int reach(lattice_place *place, int32_t from, int32_t to, int axis, int step) {
  if (to < 0 || place[to].at[0] != UNKNOWN) return 0;
  place[to] = place[from];
  place[to].at[axis] = (int16_t)(place[to].at[axis] + step);
  return place[to].at[axis] < FAR && place[to].at[axis] > -FAR;
}

static int is_neighbour(lattice_place a, lattice_place b) {
  int apart = 0;
  for (int k = 0; k < LATTICE_AXES; k++)
    apart += a.at[k] > b.at[k] ? a.at[k] - b.at[k] : b.at[k] - a.at[k];
  return apart == 1;
}

static int fits(int32_t n, const int32_t *colptr, const int32_t *row, const lattice_place *place) {
  int64_t wrong = 0, all = 0;
  for (int32_t i = 0; i < n; i++)
    for (int32_t p = colptr[i]; p < colptr[i + 1] && row[p] < i; p++) {
      all++;
      wrong += !is_neighbour(place[i], place[row[p]]);
    }
  return (double)wrong <= doubtful*(double)all;
}

int lattice_find(int32_t n, const int32_t *colptr, const int32_t *row, lattice_place *place,
                 int32_t *queue) {
  int spatial = 0;
  sides s;
  for (int32_t i = 0; i < n; i++) {
    place[i].at[0] = UNKNOWN;
    if (!find_sides(colptr, row, i, 1, &s)) return 0;
    spatial |= s.above[2] >= 0;
  }
  for (int32_t i = 0; i < n; i++) {
    if (place[i].at[0] != UNKNOWN) continue;
    int32_t begin = 0, end = 1;
    place[i] = (lattice_place){{0, 0, 0}};
    queue[0] = i;
    while (begin < end) {
      const int32_t j = queue[begin++];
      if (!find_sides(colptr, row, j, spatial, &s)) return 0;
      for (int k = 0; k < LATTICE_AXES; k++) {
        if (reach(place, j, s.above[k], k, 1)) queue[end++] = s.above[k];
        if (reach(place, j, s.below[k], k, -1)) queue[end++] = s.below[k];
      }
    }
  }
  return fits(n, colptr, row, place);
}
