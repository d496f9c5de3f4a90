// field.h: a picture of a field on a grid: colours, contours, and where it lies on its bounds.
#pragma once

#include "grid.h"

typedef enum field_region { FIELD_FREE, FIELD_AT_LO, FIELD_AT_HI, FIELD_REGIONS } field_region;

typedef struct field {
  const char *path;          // *.svg or *.png
  const char *title;
  const char *caption;       // a line below the title; NULL: none
  const grid *grid;
  const double *x;           // grid_unknowns
  const double *gap;         // grid_unknowns: > 0 where free, <= 0 on a bound; its zero is the free
                             // boundary
  const uint8_t *region;     // grid_unknowns: field_region
  int plain[FIELD_REGIONS];  // the field is constant there: a flat colour says as much
  int levels;                // contours; 0: none
} field;

// How many points along each side a pixel is the mean of: 1 unless the grid is large.
int32_t field_block(const grid *grid);

int field_write(const field *what);   // 0, or an exit code after having said what went wrong
