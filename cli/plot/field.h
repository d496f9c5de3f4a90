// field.h: a picture of a field on a grid: colours, contours, and where it lies on its bounds.
#pragma once

#include "grid_file.h"

typedef enum field_region { FIELD_FREE, FIELD_AT_LO, FIELD_AT_HI, FIELD_REGIONS } field_region;

// How a region is painted: hatched over the colours of the field; flat, where the field is constant
// and a colour of its own says as much; or not at all.
typedef enum field_paint { FIELD_HATCHED, FIELD_FLAT, FIELD_CLEAR } field_paint;

typedef struct field {
  const char *path;          // *.svg or *.png
  const char *title;
  const char *caption;       // a line below the title; NULL: none
  const grid *grid;
  const double *x;           // grid_unknowns: what is drawn
  const char *value;         // its name
  const double *gap;         // grid_unknowns: > 0 where free, <= 0 on a bound; its zero is the free
                             // boundary
  const uint8_t *region;     // grid_unknowns: field_region
  field_paint paint[FIELD_REGIONS];
  int levels;                // contours; 0: none
} field;

// How many points along each side a pixel is the mean of: 1 unless the grid is large.
int32_t field_block(const grid *grid);

int field_write(const field *what);   // 0, or an exit code after having said what went wrong
