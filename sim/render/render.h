// render.h: pictures of rigid bodies and liquids, drawn in software: the same scene gives the same
// bytes with any number of threads. docs/render.md says what is drawn how.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { RENDER_SPHERE, RENDER_BOX, RENDER_PLANE, RENDER_HOLLOW,   // as perp_shape
       RENDER_TANK };          // all but the inside of a box

typedef struct render_body {
  int32_t shape, fixed;        // fixed: it never moves
  double extent[3], offset;    // radius, half sides, or normal and offset of a plane
  double position[3], orientation[4];
  float colour[3];             // sRGB in [0, 1]; not of planes and hollow spheres
  int32_t plain;               // 1: a sphere of one tone
} render_body;

typedef struct render_liquid {
  int64_t count;
  const float *position;       // 3 count
  const float *value;          // count, in [0, 1]: where in the palette its colour is
  const float (*palette)[3];   // 256, sRGB
  double gap;                  // between particles
  int32_t surface;             // 1: the surface around the particles; 0: a disc each, in the plane
  double size[3];              // of its box from the origin on; what is beyond it is solid
  // cells of the box that are full of liquid however their particles lie; NULL: not known
  const uint8_t *full;         // grid[0] grid[1] grid[2]
  int32_t grid[3];             // cells of the box; 0: it has none
  // in space: how far the centres of cells are from the liquid, in 64ths of a cell, negative
  // inside; NULL: not known
  const int8_t *distance;      // grid[0] grid[1] grid[2]
  // or cells, in the plane: where in the palette they are, below 0: not liquid; NULL: none
  const float *cell;           // cells[0] cells[1]
  int32_t cells[2];
} render_liquid;

typedef struct render_scene {
  int32_t dimension, bodies;
  const render_body *body;     // bodies
  double up[3], center[3], radius;   // the ball that is worth seeing
  const render_liquid *liquid; // NULL: there is none
} render_scene;

typedef struct render_camera {
  int32_t width, height;
  double eye[3], right[3], top[3], back[3];   // unit vectors; back points to the viewer
  double focal;                // pixels per unit at distance 1; flat: pixels per unit
  int32_t flat;                // 1: from above, without perspective
} render_camera;

typedef struct render_item { double center[3], radius; } render_item;

// A camera that sees all items, or the ball of the scene if there are none. Angles in degrees; the
// azimuth turns around `up`. zoom 2 is twice as near. Flat scenes have only the zoom.
render_camera render_fit(const render_scene *scene, int32_t width, int32_t height, double azimuth,
                         double elevation, double zoom, const render_item *item, int32_t items);
// Where a point is in the picture, in pixels; 0 if it is behind the camera.
int render_project(const render_camera *camera, const double point[3], double pixel[2]);

typedef struct render render;
// supersample: an edge has supersample^2 samples a pixel. NULL: no memory.
render *render_create(int32_t width, int32_t height, int32_t supersample, int32_t threads);
void render_destroy(render *what);

// Draws the scene; 0, or 1: no memory. Then arrows, panels and text on top of it, in pixels.
int render_draw(render *what, const render_scene *scene, const render_camera *camera);
void render_arrow(render *what, const double from[2], const double to[2], double width,
                  const float colour[3]);
void render_panel(render *what, double x, double y, double wide, double high, const float colour[3],
                  double alpha);
// Text whose capitals are `size` high, with its baseline at y; returns where it ends.
double render_text(render *what, double x, double y, double size, const float colour[3],
                   const char *text);
double render_text_width(double size, const char *text);

// The picture: 3 width height bytes, sRGB.
const unsigned char *render_pixels(render *what);

// The bytes of a PNG; the caller frees them. NULL: no memory.
unsigned char *render_png(const unsigned char *pixel, int32_t width, int32_t height,
                          size_t *length);

float render_linear(float channel);   // from sRGB
