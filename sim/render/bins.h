// bins.h: lists the bodies that may be in each cell of a plane.
#pragma once

#include <stdint.h>

typedef struct bins {
  int32_t columns, rows;
  int32_t *start;              // columns rows + 1
  int32_t *item;               // start[columns rows]
  int64_t cell_room, item_room;
} bins;

// range[i]: first and last column, first and last row of body i, cut to the plane; a body whose
// last is before its first is nowhere. In every cell the bodies are in their order. 0, or 1: no
// memory.
int bins_fill(bins *what, int32_t columns, int32_t rows, int32_t (*range)[4], int32_t bodies);
void bins_free(bins *what);
