// scene.c: the table of scenes; makes a world from a layout, and a fluid from a pool.
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "pool.h"

#define SCENE(id) extern const scene scene_##id;
#include "scenes.def"
#undef SCENE

static const scene *const table[] = {
#define SCENE(id) &scene_##id,
#include "scenes.def"
#undef SCENE
};
enum { COUNT = sizeof table/sizeof *table };

int32_t scene_count(void) { return COUNT; }
const scene *scene_at(int32_t index) { return index >= 0 && index < COUNT ? table[index] : NULL; }

const scene *scene_find(const char *name) {
  for (int32_t i = 0; i < COUNT; i++) {
    if (!strcmp(table[i]->name, name)) return table[i];
  }
  return NULL;
}

int32_t scene_parameter(const scene *what, const char *name) {
  for (int32_t i = 0; i < what->parameter_count; i++) {
    if (!strcmp(what->parameters[i].name, name)) return i;
  }
  return -1;
}

// Values in the order of parameters, checked: a table of defaults need not be trusted twice.
static perp_error check(const scene *what, const double *values, char *message, size_t size) {
  for (int32_t i = 0; i < what->parameter_count; i++) {
    const perp_gallery_parameter *p = &what->parameters[i];
    const int inside = values[i] >= p->low && values[i] <= p->high;   // false for NaN
    if (inside && (!p->integer || values[i] == floor(values[i]))) continue;
    snprintf(message, size, "%s = %g is %s [%g, %g]", p->name, values[i],
             inside ? "not a whole number in" : "outside", p->low, p->high);
    return PERP_ERROR_ARGUMENT;
  }
  return PERP_OK;
}

enum { PARAMETERS_MAX = 64 };
static const double *defaults(const scene *what, double values[PARAMETERS_MAX]) {
  for (int32_t i = 0; i < what->parameter_count && i < PARAMETERS_MAX; i++)
    values[i] = what->parameters[i].initial;
  return values;
}

static perp_error other_kind(const scene *what, const char *kind, char *message, size_t size) {
  snprintf(message, size, "%s is a scene of %s", what->name, kind);
  return PERP_ERROR_UNSUPPORTED;
}

perp_error scene_build(const scene *what, const double *values, uint64_t seed, scene_layout *out) {
  double initial[PARAMETERS_MAX];
  if (!values) values = defaults(what, initial);
  *out = (scene_layout){.settings = perp_world_defaults()};
  if (!what->build) return other_kind(what, "liquid", out->message, sizeof out->message);
  perp_error error = check(what, values, out->message, sizeof out->message);
  if (error != PERP_OK) return error;
  out->steps = (int64_t)values[SCENE_STEPS];
  out->settings.step = values[SCENE_DT];
  out->settings.gravity[0] = out->settings.gravity[2] = 0.0;
  out->settings.gravity[1] = -values[SCENE_GRAVITY];
  out->settings.model = PERP_CONTACT_FRICTION;
  error = what->build(values, seed, out);
  if (error == PERP_ERROR_MEMORY)
    snprintf(out->message, sizeof out->message, "out of memory for the bodies");
  if (error != PERP_OK) scene_free(out);
  return error;
}

perp_error scene_fill(const scene *what, const double *values, uint64_t seed, scene_pool *out) {
  double initial[PARAMETERS_MAX];
  if (!values) values = defaults(what, initial);
  *out = (scene_pool){0};
  if (!what->fill) return other_kind(what, "bodies", out->message, sizeof out->message);
  const perp_error error = check(what, values, out->message, sizeof out->message);
  if (error != PERP_OK) return error;
  out->steps = (int64_t)values[SCENE_STEPS];
  pool_settings(out, values, seed);
  return what->fill(values, seed, out);
}

perp_error scene_fluid(const scene_pool *pool, const perp_allocator *allocator,
                       perp_fluid **fluid) {
  *fluid = NULL;
  perp_error error = perp_fluid_create(&pool->settings, allocator, fluid);
  for (int32_t i = 0; i < pool->solids && error == PERP_OK; i++)
    error = perp_fluid_add_solid(*fluid, &pool->solid[i], NULL);
  for (int32_t i = 0; i < pool->pours && error == PERP_OK; i++)
    error = perp_fluid_pour(*fluid, &pool->pour[i], NULL);
  if (error != PERP_OK) {
    perp_fluid_destroy(*fluid);
    *fluid = NULL;
  }
  return error;
}

perp_error scene_world(const scene_layout *layout, const perp_allocator *allocator,
                       perp_world **world) {
  *world = NULL;
  perp_error error = perp_world_create(&layout->settings, allocator, world);
  for (int32_t i = 0; i < layout->bodies && error == PERP_OK; i++)
    error = perp_world_add(*world, &layout->body[i], NULL);
  if (error != PERP_OK) {
    perp_world_destroy(*world);
    *world = NULL;
  }
  return error;
}

void scene_free(scene_layout *layout) {
  free(layout->body);
  free(layout->group);
  layout->body = NULL;
  layout->group = NULL;
  layout->bodies = layout->room = 0;
}
