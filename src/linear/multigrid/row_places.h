// row_places.h: finds places on a lattice for the rows of a matrix that looks like a grid.
#ifndef PERP_ROW_PLACES_H
#define PERP_ROW_PLACES_H

#include <perp/perp.h>

enum row_place_shape { ROW_PLACE_AXES = 3 };

typedef struct row_place { int16_t at[ROW_PLACE_AXES]; } row_place;

// Assumes that the rows are all or some cells of a grid, numbered along x, then y, then z. Then row
// i + 1, if coupled to row i, is its next neighbour along x; the other later neighbours of i are
// those along y and z, in this order. So places follow from one row to the next. A row with only
// one of these neighbours does not show its direction; it is taken from the rows next to it.
// Returns 1 if nearly all couplings are between neighbours of the lattice; 0: there is no lattice.
// place: n; parent: n, work. Places are hints. A wrong place costs time, never correctness.
int row_places_find(int32_t n, const int32_t *colptr, const int32_t *row, row_place *place,
                    int32_t *parent);

#endif
