// scene.h: scenes of rigid bodies, each a function of its parameters and a seed. The program, the
// tests, the benchmarks and the player all use these. +y is up.
#pragma once

#include <perp/contact.h>
#include <perp/gallery.h>

enum { SCENE_NAMES = 8 };

typedef struct scene_layout {   // what a scene consists of, before there is a world
  perp_world_settings settings; // may be changed before scene_world()
  int64_t steps;                // that are worth watching
  perp_body *body;              // bodies
  int32_t *group;               // bodies: index into groups
  int32_t bodies, room;
  const char *materials[SCENE_NAMES + 1], *groups[SCENE_NAMES + 1];   // end with NULL
  double center[3], radius;     // a ball that holds what is worth seeing
  char message[160];            // why the parameters do not go together
} scene_layout;

typedef struct scene {
  const char *name;             // "hollow-sphere"
  const char *title;            // one line
  const char *look;             // what to look for, a sentence without full stop
  const perp_gallery_parameter *parameters;   // steps, dt and gravity first
  int32_t parameter_count;
  // values in the order of the parameters, inside their ranges
  perp_error (*build)(const double *values, uint64_t seed, scene_layout *out);
} scene;

int32_t scene_count(void);
const scene *scene_at(int32_t index);           // NULL after the last
const scene *scene_find(const char *name);      // NULL if there is none
// A parameter's index, -1 if the scene does not have it.
int32_t scene_parameter(const scene *what, const char *name);

// Builds a scene; values NULL: its defaults. On failure out->message says why, and out is empty.
perp_error scene_build(const scene *what, const double *values, uint64_t seed, scene_layout *out);
perp_error scene_world(const scene_layout *layout, const perp_allocator *allocator,
                       perp_world **world);
void scene_free(scene_layout *layout);
