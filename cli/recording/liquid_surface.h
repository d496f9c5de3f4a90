// liquid_surface.h: the surface of a liquid in space, as pictures show it, for meshes and pages.
#pragma once

#include <liquid_field.h>

#include "liquid_frames.h"

// Distances from the surface at the centres of small cells, `parts` along each edge of a recorded
// one: sim/render/liquid_field.h says what the surface is.
typedef struct liquid_surface {
  int32_t parts, cells[3];     // small cells
  double spacing;              // of small cells
  int8_t *distance;            // cells, x fastest: in FIELD_UNIT of a small cell, negative inside
  // memory of the frame before
  field nodes;
  float *position, *value;     // 3 and 1 x room
  uint32_t room;
} liquid_surface;

// gap: between particles, in cells of the recording (liquid_gap). 0, or 1: no memory. The first call
// takes a liquid_surface of zeros, the next ones may take another frame of the same recording.
// Threads share the work (settings_threads); the distances do not depend on their number.
int liquid_surface_make(const recording_head *head, const liquid_frame *frame, double gap,
                        liquid_surface *out);
void liquid_surface_free(liquid_surface *what);
