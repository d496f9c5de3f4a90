// pool.c: what scenes of liquids share: their settings, their solids, and what is poured.
#include "pool.h"

#include <math.h>
#include <string.h>

void pool_settings(scene_pool *pool, const double *values, uint64_t seed) {
  const int32_t n = (int32_t)values[POOL_SIZE];
  perp_fluid_settings *s = &pool->settings;
  *s = perp_fluid_defaults(2, n, n, 1);
  s->step = values[SCENE_DT];
  s->gravity[1] = -values[SCENE_GRAVITY];
  s->walls = (int32_t)values[POOL_WALLS];
  s->every_cell = (int32_t)values[POOL_EVERY_CELL];
  s->transfer = (int32_t)values[POOL_TRANSFER];
  s->flip = values[POOL_FLIP];
  s->cfl = values[POOL_CFL];
  s->substeps = (int32_t)values[POOL_SUBSTEPS];
  s->particles = (int32_t)values[POOL_PARTICLES];
  s->reseed = (int32_t)values[POOL_RESEED];
  s->compensate = (int32_t)values[POOL_COMPENSATE];
  s->seed = seed;
  pool->center[0] = pool->center[1] = 0.5;
  pool->radius = sqrt(0.5);
}

void pool_deep(scene_pool *pool) {
  pool->settings.dimension = 3;
  pool->settings.cells[2] = pool->settings.cells[0];
  pool->center[2] = 0.5;
  pool->radius = sqrt(0.75);
}

perp_fluid_shape *pool_solid(scene_pool *pool, perp_fluid_shape shape, const char *group) {
  int32_t k = 0;
  while (pool->groups[k] && strcmp(pool->groups[k], group) != 0) k++;
  pool->groups[k] = group;
  pool->group[pool->solids] = k;
  pool->solid[pool->solids] = shape;
  return &pool->solid[pool->solids++];
}

perp_fluid_shape *pool_pour(scene_pool *pool, perp_fluid_shape shape) {
  pool->pour[pool->pours] = shape;
  return &pool->pour[pool->pours++];
}

perp_fluid_shape pool_box(double x, double y, double z, double to_x, double to_y, double to_z) {
  return perp_fluid_box(0.5*(x + to_x), 0.5*(y + to_y), 0.5*(z + to_z), 0.5*(to_x - x),
                        0.5*(to_y - y), 0.5*(to_z - z));
}
