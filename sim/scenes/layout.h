// layout.h: what scenes share: common parameters, bodies added to a layout, the view, random numbers.
#pragma once

#include "scene.h"

// The parameters that each scene begins with.
enum { SCENE_STEPS, SCENE_DT, SCENE_GRAVITY, SCENE_OWN };
#define SCENE_COMMON(steps, dt)                                                                   \
  {"steps", steps, 0.0, 1e8, 1, NULL, "time steps"},                                              \
  {"dt", dt, 1e-6, 1.0, 0, NULL, "seconds per step"},                                             \
  {"gravity", 9.81, 0.0, 1000.0, 0, NULL, "acceleration downwards"}

// A scene whose parameters are in the array `rows`.
#define SCENE_DEFINE(id, word, line, watch)                                                       \
  extern const scene scene_##id;                                                                  \
  const scene scene_##id = {.name = word, .title = line, .look = watch, .parameters = rows,       \
                            .parameter_count = sizeof rows/sizeof *rows, .build = build}

// Body i of the layout, or NULL without memory. The orientation of what perp_box() makes is 1.
perp_body *layout_add(scene_layout *layout, const perp_body *body, int32_t group);
perp_body *layout_box(scene_layout *layout, const double half[3], double x, double y, double z,
                      double mass, int32_t group);   // mass 0: static
void layout_view(scene_layout *layout, double x, double y, double z, double radius);

// Turns a body about z by the angle whose tangent is `slope`, counter-clockwise: square roots only,
// so that the bits are the same on every machine.
void turn_about_z(perp_body *body, double slope);
double cube_root(double x);                          // likewise

typedef struct scene_random { uint64_t seed, next; } scene_random;
double scene_between(scene_random *random, double low, double high);
// Uniform in a ball about 0: what (R U^(1/3)) times a Gaussian direction is, without a logarithm.
void scene_in_ball(scene_random *random, double radius, double point[3]);
