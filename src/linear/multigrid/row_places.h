// row_places.h: places for the rows of a matrix that looks like a grid, numbered line by line.
#ifndef PERP_ROW_PLACES_H
#define PERP_ROW_PLACES_H

#include <perp/perp.h>

enum { ROW_PLACE_AXES = 3 };

typedef struct row_place { int16_t at[ROW_PLACE_AXES]; } row_place;

// Rows of a grid of cells, or of some of its cells, numbered along x, then y, then z. Of a row the
// neighbour i + 1 is the next along x, its other later neighbours are those along y and z, in this
// order. From one row to the next the places follow; whoever has an only later neighbour, which may
// be either, asks the others. n places; parent: n, work. 1: nearly all couplings are between
// neighbours of the lattice; 0: this is no lattice. Places are hints: nothing is wrong with wrong
// ones.
int row_places_find(int32_t n, const int32_t *colptr, const int32_t *row, row_place *place,
                    int32_t *parent);

#endif
