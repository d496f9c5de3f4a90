// surface_mesh.h: the surface of a liquid in space as triangles.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Closed: each edge has two triangles, which go along it in opposite directions. Corners are against
// the clock seen from outside.
typedef struct surface {
  int32_t vertices, triangles;
  float *position;             // 3 x vertices, metres
  int32_t *corner;             // 3 x triangles
  int32_t vertex_room, triangle_room;
} surface;

// distance: of the liquid at the centres of cells, x fastest, in RECORD_SURFACE_UNIT of a cell,
// negative inside. The liquid ends at the sides of the grid. 0, or 1: no memory.
int surface_make(const int32_t cells[3], double spacing, const int8_t *distance, surface *out);
void surface_free(surface *what);
