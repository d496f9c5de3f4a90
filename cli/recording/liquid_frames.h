// liquid_frames.h: a recording of a liquid, frame by frame, and the ends of its colours.
#pragma once

#include "recording.h"

typedef struct liquid_frame {
  uint32_t count;              // particles, by cell
  const uint16_t *place[3];    // count each; place[2] NULL in two dimensions
  const int8_t *velocity[3];   // likewise
  double top;                  // of a component of the velocity
  const uint8_t *type;         // cells: perp_cell + RECORD_CELL_SEPARATING; the next likewise, and
  const int8_t *surface;       //   NULL if they were not recorded
  const int16_t *pressure;
  double unit;                 // of the pressure
} liquid_frame;

// The ends of colours, and how dense particles are. Recordings of one scene share the ends.
typedef struct liquid_scale {
  double speed;                // 99.5 of 100 particles are slower
  double pressure, suction;    // of the middle frame, 98 of 100 cells are below the one; the other
                               //   is 0, or how far below 0 pressure is, likewise
  double gap;                  // between particles, in cells
  uint32_t most;               // particles of a frame
  int64_t particles;           // of all frames
} liquid_scale;

typedef struct liquid {
  const recording *file;
  int32_t chunk;               // that is unpacked, or -1
  record_flow flow;
  record_grid grid;
} liquid;

void liquid_begin(const recording *file, liquid *out);
void liquid_end(liquid *what);
// A frame, valid until the next call; 0, or an exit code after saying what is wrong.
int liquid_at(liquid *what, int64_t frame, liquid_frame *out);
// Where solid `body` is in that frame; frame is the number within the chunk that liquid_at() found.
void liquid_pose(const liquid *what, int64_t frame, int32_t slot, double pose[RECORD_POSE]);
// Looks through frames 0, every, 2 every, ...
int liquid_measure(liquid *what, int64_t every, liquid_scale *out);
// Between particles, in cells, as in the first frame that has some.
int liquid_gap(liquid *what, double *gap);
// Particles that cannot be seen, in space: 1 for those in cells around which all are full. The caller
// frees it; NULL: no memory.
uint8_t *liquid_hidden(const recording_head *head, const liquid_frame *frame, double gap);
// Cells that are full of liquid: around which no air is. The caller frees it; NULL: types were not
// recorded, or no memory.
uint8_t *liquid_full(const recording_head *head, const liquid_frame *frame);
void liquid_share(liquid_scale *a, liquid_scale *b);   // the wider ends of both, for both

size_t liquid_cell(const recording_head *head, const liquid_frame *frame, uint32_t particle);
double liquid_speed(const recording_head *head, const liquid_frame *frame, uint32_t particle);
double liquid_place(const recording_head *head, uint16_t place);   // in metres
// Where on the ramp of colours, by the root, so that slow ones differ, too.
double liquid_part_speed(const liquid_scale *scale, double speed);
