// liquid_surface.c: the surface of a liquid in space, from a frame of its recording.
#include "liquid_surface.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve_settings.h"

static int reserve(liquid_surface *what, uint32_t count) {
  if (what->position && count <= what->room) return 0;
  free(what->position);
  free(what->value);
  what->position = malloc(((size_t)count + 1)*3*sizeof *what->position);
  what->value = calloc((size_t)count + 1, sizeof *what->value);   // colours are not asked for
  what->room = count;
  return !what->position || !what->value;
}

int liquid_surface_make(const recording_head *head, const liquid_frame *frame, double gap,
                        liquid_surface *out) {
  const recording_fluid *about = &head->liquid;
  if (reserve(out, frame->count)) return 1;
  for (uint32_t p = 0; p < frame->count; p++)
    for (int c = 0; c < 3; c++)
      out->position[3*(size_t)p + (size_t)c] = (float)liquid_place(head, frame->place[c][p]);
  render_liquid wet = {.count = frame->count, .position = out->position, .value = out->value,
                          .gap = gap*about->spacing, .surface = 1, .distance = frame->surface};
  size_t cells = 1;
  for (int c = 0; c < 3; c++) {
    wet.grid[c] = about->cells[c];
    wet.size[c] = about->spacing*about->cells[c];
  }
  out->parts = field_parts(&wet);
  out->spacing = about->spacing/out->parts;
  for (int c = 0; c < 3; c++) {
    out->cells[c] = about->cells[c]*out->parts;
    cells *= (size_t)out->cells[c];
  }
  uint8_t *full = frame->surface ? NULL : liquid_full(head, frame);
  wet.full = full;
  if (!out->distance) out->distance = malloc(cells);
  const int failed = !out->distance || field_make(&out->nodes, &wet, 3, settings_threads());
  free(full);
  if (!failed) field_distances(&out->nodes, &wet, out->distance);
  return failed;
}

void liquid_surface_free(liquid_surface *what) {
  field_free(&what->nodes);
  free(what->position);
  free(what->value);
  free(what->distance);
  *what = (liquid_surface){0};
}
