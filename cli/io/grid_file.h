// grid_file.h: where the unknowns of a planar problem lie: the file grid.json beside A.mtx.
//
//     {"nx": 50, "ny": 50, "x": {"first": 0.12, "step": 0.12, "label": "angle around the shaft"},
//      "y": {...}, "edge": 1, "value": "pressure", "at_lo": "no pressure", "at_hi": null,
//      "filled": [12, ...]}
//
// Unknowns are numbered along x first. Only nx and ny are required. `edge`: the distance from the
// boundary of the domain to the first and last point, in steps; 0.5 for cells. `filled`: nx
// numbers; in column i only the lowest filled[i] points are unknowns.
#pragma once

#include <perp/gallery.h>
#include <stddef.h>

#define GRID_FILE "grid.json"
enum { GRID_SIDE_MAX = 1 << 24 };   // points along a side

typedef struct grid {
  int32_t nx, ny;
  double first[2], step[2], edge;  // along x and y
  char label[2][96];
  char value[96], at_lo[96], at_hi[96];   // "": not said
  int32_t *filled;                 // nx, or NULL
  int32_t *cell;                   // unknowns: i + nx j of each, instead of filled; or NULL
  int64_t unknowns;                // of `cell`
} grid;

#define GRID_CELLS "cells.csv"     // of perp run --dump-problems: row,i,j,k; rows from 1

// Errors: an exit code, and the message says what is wrong.
int grid_write(const char *path, const perp_layout *what, char *message, size_t size);
int grid_read(const char *path, grid *out, char *message, size_t size);
int grid_read_cells(const char *path, grid *out, char *message, size_t size);   // nx = 0: in space

grid grid_plain(int32_t nx, int32_t ny);   // unit steps, as --grid says nothing else

int64_t grid_unknowns(const grid *what);   // how many there are
void grid_free(grid *what);
