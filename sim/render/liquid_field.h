// liquid_field.h: the surface of a liquid as the zero of a field on nodes, made of its particles.
#pragma once

#include "render.h"
#include "point.h"

typedef struct field {
  int32_t n[3];                // nodes; n[2] = 1 in two dimensions
  double origin[3], step;
  float *depth;                // nodes: below the surface, about; negative outside
  float *value;                // nodes: what the colour comes from
  float *deepest;              // of each brick of BRICK_SIDE^3 cells between nodes: the largest depth
  int32_t bricks[3];
  int64_t room, brick_room;
} field;
enum { BRICK_SIDE = 8 };     // cells along the edge of a brick

// In space, where the liquid has a grid: cells are cut into field_parts()^3, and nodes are the
// centres of these, with a layer around the box, which is outside. All that shows the surface takes
// it from these nodes: pictures, meshes and the player.
int32_t field_parts(const render_liquid *liquid);
// The depths of nodes inside the box, as far as there is liquid, as distances in FIELD_UNIT of a
// node's width, negative inside, x fastest. to: parts^3 times the cells of the grid.
enum { FIELD_UNIT = 64 };
void field_distances(const field *f, const render_liquid *liquid, int8_t *to);

// 0, or 1: no memory.
int field_make(field *f, const render_liquid *liquid, int32_t dimension, int32_t threads);
void field_free(field *f);
double field_depth(const field *f, vec at);   // interpolated; outside of the nodes far outside
double field_value(const field *f, vec at);
vec field_normal(const field *f, vec at);     // out of the liquid
// Where a ray first meets the liquid, before `limit`; INFINITY: nowhere. way is a unit vector.
double field_hit(const field *f, vec from, vec way, double limit);
// How much liquid is on the ray, in units of length.
double field_thickness(const field *f, vec from, vec way);
