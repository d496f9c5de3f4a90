// row_places.h: finds places for the rows of a matrix that looks like a grid, numbered line by
// line.
#ifndef PERP_ROW_PLACES_H
#define PERP_ROW_PLACES_H

#include <perp/perp.h>

enum { ROW_PLACE_AXES = 3 };

typedef struct row_place { int16_t at[ROW_PLACE_AXES]; } row_place;

// The rows are the cells of a grid, or some of them, numbered along x, then y, then z. The
// neighbour i + 1 of row i is the next along x; its other later neighbours are those along y and z,
// in this order. Places follow from one row to the next. A row with a single later neighbour does
// not show that neighbour's direction, which is then taken from the rows beside it. n places;
// parent: n, work. 1: nearly all couplings are between neighbours of the lattice; 0: this is no
// lattice. Places are hints. A wrong place costs time, never correctness.
int row_places_find(int32_t n, const int32_t *colptr, const int32_t *row, row_place *place,
                    int32_t *parent);

#endif
