// scene.h: scenes of rigid bodies and of liquids, each a function of its parameters and a seed. The
// program, the tests, the benchmarks and the player all use these. +y is up.
#pragma once

#include <perp/contact.h>
#include <perp/fluid.h>
#include <perp/gallery.h>

enum { SCENE_NAMES = 8, SCENE_SHAPES = 8 };

typedef struct scene_layout {   // what a scene consists of, before there is a world
  perp_world_settings settings; // may be changed before scene_world()
  int64_t steps;                // that are worth watching
  perp_body *body;              // bodies
  int32_t *group;               // bodies: index into groups
  int32_t bodies, room;
  const char *materials[SCENE_NAMES + 1], *groups[SCENE_NAMES + 1];   // end with NULL
  double center[3], radius;     // a ball that holds what is worth seeing
  char message[240];            // why the parameters do not go together
} scene_layout;

typedef struct scene_pool {     // the same of a liquid, before there is a fluid
  perp_fluid_settings settings; // may be changed before scene_fluid()
  int64_t steps;
  perp_fluid_shape solid[SCENE_SHAPES], pour[SCENE_SHAPES];   // pour: where liquid is at the start
  int32_t solids, pours;
  int32_t group[SCENE_SHAPES];  // of solids: index into groups
  const char *groups[SCENE_NAMES + 1];
  double center[3], radius;
  char message[240];
} scene_pool;

typedef struct scene {
  const char *name;             // "hollow-sphere"
  const char *title;            // one line
  const char *look;             // what to look for, a sentence without full stop
  const perp_gallery_parameter *parameters;   // steps, dt and gravity first
  int32_t parameter_count;
  // values in the order of the parameters, inside their ranges; one of the two is NULL
  perp_error (*build)(const double *values, uint64_t seed, scene_layout *out);   // bodies
  perp_error (*fill)(const double *values, uint64_t seed, scene_pool *out);      // a liquid
} scene;

int32_t scene_count(void);
const scene *scene_at(int32_t index);           // NULL after the last
const scene *scene_find(const char *name);      // NULL if there is none
// A parameter's index, -1 if the scene does not have it.
int32_t scene_parameter(const scene *what, const char *name);

// Builds a scene; values NULL: its defaults. On failure out->message says why, and out is empty.
// Each is for its kind of scene: UNSUPPORTED for the other.
perp_error scene_build(const scene *what, const double *values, uint64_t seed, scene_layout *out);
perp_error scene_world(const scene_layout *layout, const perp_allocator *allocator,
                       perp_world **world);
void scene_free(scene_layout *layout);
perp_error scene_fill(const scene *what, const double *values, uint64_t seed, scene_pool *out);
perp_error scene_fluid(const scene_pool *pool, const perp_allocator *allocator,
                       perp_fluid **fluid);
