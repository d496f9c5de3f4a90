// drawing_liquid.c: a recording of a liquid as scenes to be drawn.
//
// In the plane the renderer draws particles, their surface or cells; in space the surface, or
// the particles as balls, but only those in cells that can be seen from outside.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing.h"
#include "message.h"

enum { PARTICLES_MAX = 400000 };   // of a picture
static const float suction_colour[3] = {0.48f, 0.16f, 0.62f};   // as the player's

// The box of the grid, and in space the floor under it, are no solids of the recording.
static int add_box(drawing *what) {
  const recording_head *head = &what->recording.head;
  render_scene *scene = &what->scene;
  what->picture = (render_liquid){.palette = (const float (*)[3])what->palette};
  for (int c = 0; c < 3; c++)
    what->picture.size[c] = head->liquid.spacing*head->liquid.cells[c];
  scene->liquid = &what->picture;
  if (head->dimension == 2) return 0;
  render_body *larger = realloc(what->body, ((size_t)head->bodies + 3)*sizeof *larger);
  if (!larger) return 1;
  scene->body = what->body = larger;
  const double *size = what->picture.size;
  const double half[3] = {0.5*size[0], 0.5*size[1], 0.5*size[2]};
  render_body *tank = &larger[scene->bodies++], *floor = &larger[scene->bodies++];
  *tank = (render_body){.shape = RENDER_TANK, .fixed = 1, .orientation = {1}};
  memcpy(tank->extent, half, sizeof half);
  memcpy(tank->position, half, sizeof half);
  *floor = (render_body){.shape = RENDER_PLANE, .fixed = 1, .extent = {0, 1, 0},
                         .offset = -0.002*size[1], .orientation = {1}};
  what->item = calloc(8, sizeof *what->item);
  if (!what->item) return 1;
  for (int k = 0; k < 8; k++)
    what->item[k] = (render_item){{k & 1 ? size[0] : 0.0, k & 2 ? size[1] : 0.0,
                                   k & 4 ? size[2] : 0.0}, 1e-3*size[0]};
  what->items = what->item_room = 8;
  return 0;
}

int drawing_liquid_open(drawing *what) {
  liquid_begin(&what->recording, &what->liquid);
  return add_box(what) ? fail(CODE_IO, "out of memory") : CODE_OK;
}

void drawing_liquid_close(drawing *what) {
  if (what->liquid.file) liquid_end(&what->liquid);
  free(what->position);
  free(what->value);
  free(what->cell);
  free(what->full);
}

// --------------------------------------------------------------------------------------- colours

// Palettes begin at 0, or at the most suction.
static double value_of(const drawing *what, double number, drawing_colour colour) {
  const liquid_scale *scale = &what->scale;
  if (colour == DRAWING_SPEED) return liquid_part_speed(scale, number);
  const double low = -scale->suction, range = scale->pressure - low;
  return range > 0.0 ? fmin(fmax((number - low)/range, 0.0), 1.0) : 0.0;
}

void drawing_liquid_ramp(const drawing *what, double value, drawing_colour colour, float out[3]) {
  const liquid_scale *scale = &what->scale;
  if (colour == DRAWING_SPEED) {
    drawing_ramp(value, out);
    return;
  }
  const double range = scale->pressure + scale->suction, pressure = value*range - scale->suction;
  drawing_ramp(scale->pressure > 0.0 ? fmax(pressure, 0.0)/scale->pressure : 0.0, out);
  if (pressure >= -0.006*range || !(scale->suction > 0.0)) return;
  const float part = (float)(0.4 + 0.6*fmin(-pressure/scale->suction, 1.0));
  for (int c = 0; c < 3; c++) out[c] += part*(suction_colour[c] - out[c]);
}

static void make_palette(drawing *what, drawing_colour colour) {
  for (int k = 0; k < 256; k++) drawing_liquid_ramp(what, k/255.0, colour, what->palette[k]);
}

// ---------------------------------------------------------------------------------------- a moment

static int reserve(drawing *what, uint32_t count) {
  if (count <= what->particle_room && what->value) return 0;
  free(what->position);
  free(what->value);
  what->position = malloc(((size_t)count + 1)*3*sizeof *what->position);
  what->value = malloc(((size_t)count + 1)*sizeof *what->value);
  what->particle_room = what->position && what->value ? count : 0;
  return !what->position || !what->value;
}

// Between two frames particles go on as fast as they are.
static void place_particles(drawing *what, double seconds, drawing_colour colour) {
  const recording_head *head = &what->recording.head;
  const liquid_frame *frame = &what->wet;
  const double *size = what->picture.size, least = 0.02*head->liquid.spacing;
  for (uint32_t p = 0; p < frame->count; p++) {
    for (int c = 0; c < 3; c++) {
      double at = 0.0;
      if (c < head->dimension) {
        at = liquid_place(head, frame->place[c][p]) +
             seconds*record_velocity(frame->top, frame->velocity[c][p]);
        at = fmin(fmax(at, least), size[c] - least);
      }
      what->position[3*(size_t)p + (size_t)c] = (float)at;
    }
    const double number = colour == DRAWING_PRESSURE
                              ? frame->unit*frame->pressure[liquid_cell(head, frame, p)]
                              : liquid_speed(head, frame, p);
    what->value[p] = (float)value_of(what, number, colour);
  }
}

static void place_solids(drawing *what, int64_t frame) {
  const recording_head *head = &what->recording.head;
  for (int32_t s = 0; s < head->moving; s++) {
    double pose[RECORD_POSE];
    liquid_pose(&what->liquid, frame, s, pose);
    memcpy(what->body[head->mover[s]].position, pose, 3*sizeof *pose);
    memcpy(what->body[head->mover[s]].orientation, pose + 3, 4*sizeof *pose);
  }
}

// Of a grid in space the slice through the middle is not drawn: there are no cells to look at.
static int make_cells(drawing *what, drawing_colour colour) {
  const int32_t *n = what->recording.head.liquid.cells;
  const size_t count = (size_t)n[0]*(size_t)n[1];
  if (!what->cell) what->cell = malloc(count*sizeof *what->cell);
  if (!what->cell) return 1;
  for (size_t i = 0; i < count; i++) {
    const double pressure = what->wet.unit*what->wet.pressure[i];
    what->cell[i] = (what->wet.type[i] & RECORD_CELL_TYPE) == 1
                        ? (float)value_of(what, pressure, colour) : -1.0f;
  }
  what->picture.cell = what->cell;
  what->picture.cells[0] = n[0], what->picture.cells[1] = n[1];
  return 0;
}

// In space every particle that can be seen is a ball.
static int make_balls(drawing *what) {
  const recording_head *head = &what->recording.head;
  const uint32_t count = what->wet.count;
  const int32_t solids = head->bodies + 2;
  uint32_t kept = 0;
  uint8_t *hide = liquid_hidden(head, &what->wet, what->scale.gap);
  render_body *larger = realloc(what->body, ((size_t)solids + count)*sizeof *larger);
  if (larger) what->scene.body = what->body = larger;
  if (!hide || !larger) {
    free(hide);
    return 1;
  }
  for (uint32_t p = 0; p < count && kept < PARTICLES_MAX; p++) {
    if (hide[p]) continue;
    const float *at = what->position + 3*(size_t)p;
    render_body *ball = &larger[(uint32_t)solids + kept++];
    *ball = (render_body){.shape = RENDER_SPHERE, .plain = 1, .orientation = {1},
                          .extent = {0.7*what->picture.gap},
                          .position = {(double)at[0], (double)at[1], (double)at[2]}};
    const int shade = (int)lrint(255.0*(double)what->value[p]);
    memcpy(ball->colour, what->palette[shade], sizeof ball->colour);
  }
  free(hide);
  what->scene.bodies = solids + (int32_t)kept;
  what->picture.count = 0;
  return 0;
}

int drawing_liquid_at(drawing *what, double place, drawing_colour colour) {
  const recording_head *head = &what->recording.head;
  const int64_t last = what->recording.frames - 1;
  place = fmin(fmax(place, 0.0), (double)last);
  const int64_t frame = (int64_t)floor(place + 1e-6);
  const double seconds = fmax(place - (double)frame, 0.0)*drawing_interval(what);
  const int code = liquid_at(&what->liquid, frame, &what->wet);
  if (code) return code;
  what->frame = frame;
  place_solids(what, frame);
  if (colour == DRAWING_NONE) return CODE_OK;
  const int grid = what->show == DRAWING_GRID;
  if (grid) colour = DRAWING_PRESSURE;
  make_palette(what, colour);
  if (reserve(what, what->wet.count)) return fail(CODE_IO, "out of memory");
  place_particles(what, seconds, colour);
  render_liquid *picture = &what->picture;
  picture->count = what->wet.count;
  picture->position = what->position;
  picture->value = what->value;
  picture->gap = what->scale.gap*head->liquid.spacing;
  picture->surface = what->show == DRAWING_SURFACE;
  if (picture->surface) {
    free(what->full);
    picture->full = what->full = liquid_full(head, &what->wet);
    picture->distance = head->dimension == 3 ? what->wet.surface : NULL;
    memcpy(picture->grid, head->liquid.cells, sizeof picture->grid);
  }
  int bad = grid && make_cells(what, colour);
  if (!bad && head->dimension == 3 && what->show == DRAWING_PARTICLES) bad = make_balls(what);
  return bad ? fail(CODE_IO, "out of memory") : CODE_OK;
}
