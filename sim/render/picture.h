// picture.h: what the parts of the renderer share: the canvas and the prepared scene.
#pragma once

#include "bins.h"
#include "liquid_field.h"
#include "render.h"
#include "point.h"

typedef struct solid {         // a sphere or box, prepared
  double near;                 // distance from the eye to the ball around it
  int32_t shape, index;        // index: in the scene's list
  vec from;                    // the centre, from the eye
  double tangent;              // squared, from the eye to a sphere: |from|^2 - radius^2
  vec center, half;            // half: of a box; of a sphere all are its radius
  vec axis[3];
  vec eye;                     // the camera in the axes of the body
  double reach;                // radius of the ball around it
  double size;                 // about its radius
  double foot[2];              // where it is in the plane across the sunlight
  double edge[3][3];           // of a box's shadow there: |edge . x| <= edge[2]
  float albedo[3];             // linear
} solid;

typedef enum floor_kind { FLOOR_GROUND, FLOOR_SLOPE, FLOOR_STAGE, FLOOR_WALL } floor_kind;
typedef struct floor_plane {   // a plane that is drawn, or the stage under a hollow sphere
  vec normal, east, north, middle;
  double offset, tile;         // side of a square of its pattern
  floor_kind kind;
} floor_plane;

typedef struct half_space { vec normal; double offset; } half_space;   // n . x < offset is solid

typedef struct shell { vec center; double radius; } shell;

enum {
  PLANES_MAX = 64, FLOORS_MAX = 12, SHELLS_MAX = 8, GLASSES_MAX = 16,   // of a scene, as drawn
  TILE_SIDE = 16,              // pixels along the side of a tile
  MARK_LAYERS = 64             // marks below it show no body
};

struct render {
  int32_t width, height, supersample, threads;
  float *canvas;               // 3 width height, linear
  int32_t *mark;               // width height: what a pixel shows; then, whether it has edges
  unsigned char *pixel;        // 3 width height
  render_camera camera;
  const render_scene *scene;
  vec eye, right, top, back, up, east, north;   // east, north: across up
  vec sun, sun_east, sun_north;   // towards the light, and across it
  double pixel_angle;
  solid *solid;                // room
  int32_t solids, room;
  int32_t (*range)[4];         // room
  bins tiles;                  // pixels to solids, the nearest first
  unsigned char *fine;         // of a tile: 1 if it has bodies that are small in the picture
  bins shade, close;           // across the light, and across up
  double shade_at[2], shade_cell, close_at[2], close_cell;
  floor_plane floor[FLOORS_MAX];
  half_space plane[PLANES_MAX];
  shell shell[SHELLS_MAX];
  solid glass[GLASSES_MAX];      // large fixed boxes, that one sees through
  int32_t planes, floors, shells, glasses;
  field field;                 // of a liquid
  float palette[256][3];       // linear
  int32_t *order;              // order_room: particles of a flat liquid, by row of the picture
  int32_t *row;                // height + 1: where the particles of a row begin
  int64_t order_room;
};

// prepare.c: 0, or 1: no memory.
int scene_prepare(render *r);

// light.c: which share of the sun reaches a point of body `self` (-1: of none), in [0, 1], and how
// open its surroundings are.
double light_sun(const render *r, vec point, int32_t self);
double light_open(const render *r, vec point, vec normal, int32_t self);

// trace.c: what is seen at a place of the picture, linear; returns a mark that differs where
// something else is seen.
int32_t trace(const render *r, double x, double y, float colour[3]);
double box_hit(const solid *box, vec from, vec way, double *leave, int *face);   // INFINITY: none

// flat.c: a scene in two dimensions.
void flat_rows(const render *r, int32_t first, int32_t last);

// liquid.c: what a liquid needs before it is drawn: 0, or 1: no memory; its rows in two dimensions;
// and the light that comes through it, in [0, 1].
int liquid_prepare(render *r);
void liquid_rows(const render *r, int32_t first, int32_t last);
double liquid_light(const render *r, vec point, vec way);
void liquid_colour(const render *r, double value, float linear[3]);

// Covers a pixel with a colour, by alpha.
void canvas_blend(render *r, int32_t x, int32_t y, const float linear[3], double alpha);
