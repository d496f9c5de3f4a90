// drawing.h: a recording as scenes to be drawn: any moment of it, in colours.
#pragma once

#include <render.h>

#include "liquid_frames.h"

typedef enum drawing_colour {
  DRAWING_GROUP, DRAWING_SPEED, DRAWING_IMPULSE, DRAWING_PRESSURE,
  DRAWING_NONE                 // colours are not needed
} drawing_colour;
typedef enum drawing_show { DRAWING_PARTICLES, DRAWING_SURFACE, DRAWING_GRID } drawing_show;
enum { DRAWING_HUES = 10 };    // colours of groups

typedef struct drawing_part { int32_t chunk; int64_t used; record_frames frames; } drawing_part;

typedef struct drawing {
  recording recording;
  drawing_part part[2];        // chunks that are unpacked
  int64_t clock;
  record_steps statistics;
  int times;                   // they have the seconds of each step
  render_body *body;           // head.bodies
  float *load;                 // head.bodies: impulses at its contacts, if colours show them
  int32_t *slot;               // head.bodies: which moving one it is, or -1
  render_scene scene;
  double top_speed, typical_impulse;   // 0: nothing moves, nothing pushes
  render_item *item;           // what the camera has to see
  int32_t items, item_room;
  int apart;                   // all moving bodies are one group: each has its own colour
  // of the frame that was asked for last
  int64_t frame;
  const record_frames *now;    // it is frame `within` of these
  uint32_t within;
  const record_touch *touch;
  uint32_t touches;            // or RECORD_NO_TOUCHES
  // of a liquid
  liquid liquid;
  liquid_frame wet;            // of the frame
  liquid_scale scale;
  render_liquid picture;
  drawing_show show;           // what render draws of it
  float *position, *value;     // 3 particle_room, particle_room
  uint32_t particle_room;
  float *cell;                 // cells of the grid
  uint8_t *full;               // likewise: 1 where there is liquid all around
  float palette[256][3];
} drawing;

// Opens a recording and looks through it; says what is wrong. `all`: colours or arrows need a look
// at every frame.
int drawing_open(const char *path, int all, drawing *out);
void drawing_close(drawing *what);

double drawing_interval(const drawing *what);   // seconds between frames
// The bodies at frame `place`, between two frames if it is no whole number.
int drawing_at(drawing *what, double place, drawing_colour colour);
// Row of the statistics for the frame: a value, or NAN if it is not there.
double drawing_value(const drawing *what, uint32_t column);
int64_t drawing_row(const drawing *what);       // of the frame
// Of a liquid: all that its scene has in this frame; of those inside few may have been recorded.
int64_t drawing_particles(const drawing *what);
// How many steps after row `since` up to the frame are not solved, and the first of them.
int64_t drawing_unsolved(const drawing *what, int64_t since, int64_t *first);
// The colour of moving body k: that of its group, or its own if all are in one group.
int32_t drawing_hue(const drawing *what, int32_t k);
void drawing_ramp(double part, float colour[3]);   // part in [0, 1]
// Two recordings of one scene are there to be compared: the ends of their colours become the same.
void drawing_share(drawing *a, drawing *b);

// drawing_liquid.c: the same for liquids.
int drawing_liquid_open(drawing *what);   // colours need liquid_measure() into `scale`, too
int drawing_liquid_at(drawing *what, double place, drawing_colour colour);
void drawing_liquid_close(drawing *what);
void drawing_liquid_ramp(const drawing *what, double value, drawing_colour colour, float out[3]);
