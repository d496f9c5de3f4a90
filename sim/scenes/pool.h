// pool.h: what scenes of liquids share: common parameters, solids, and what is poured. The grid is
// the unit square or cube with `size` cells along each side. The unit of length is a side of the
// grid, a metre with the default gravity.
#pragma once

#include "layout.h"

// The parameters that each scene of a liquid begins with, behind those of all scenes.
enum {
  POOL_SIZE = SCENE_OWN, POOL_WALLS, POOL_EVERY_CELL, POOL_TRANSFER, POOL_FLIP, POOL_CFL,
  POOL_SUBSTEPS, POOL_PARTICLES, POOL_RESEED, POOL_COMPENSATE, POOL_OWN
};
#define POOL_COMMON(steps, size, largest)                                                         \
  SCENE_COMMON(steps, 1.0/60.0),                                                                  \
  {"size", size, 4, largest, 1, NULL, "cells along each side of the grid"},                       \
  {"walls", PERP_WALLS_SEPARATING, 0, 2, 1, "no-slip|slip|separating",                            \
   "what liquid does at walls"},                                                                  \
  {"every-cell", 0, 0, 1, 1, NULL, "no suction anywhere, not only at walls"},                     \
  {"transfer", PERP_TRANSFER_FLIP, 0, 1, 1, "flip|apic", "how grid and particles exchange speeds"},           \
  {"flip", 0.97, 0, 1, 0, NULL, "share of FLIP; the rest is PIC"},                                 \
  {"cfl", 2, 0.1, 20, 0, NULL, "cells crossed in a substep, at most"},                            \
  {"substeps", 64, 1, 10000, 1, NULL, "substeps of a step, at most"},                                      \
  {"particles", 2, 1, 4, 1, NULL, "per cell and direction"},                                      \
  {"reseed", 1, 0, 1, 1, NULL, "particles are added and removed"},                                \
  {"compensate", 0, 0, 1, 1, NULL, "keeps the volume at the amount poured"}

#define POOL_DEFINE(id, word, line, watch)                                                        \
  extern const scene scene_##id;                                                                  \
  const scene scene_##id = {.name = word, .title = line, .look = watch, .parameters = rows,       \
                            .parameter_count = sizeof rows/sizeof *rows, .fill = fill}

// What the common parameters say; two dimensions, until pool_deep().
void pool_settings(scene_pool *pool, const double *values, uint64_t seed);
void pool_deep(scene_pool *pool);               // three

// Both return the shape, which may then be moved, turned or set in motion.
perp_fluid_shape *pool_solid(scene_pool *pool, perp_fluid_shape shape, const char *group);
perp_fluid_shape *pool_pour(scene_pool *pool, perp_fluid_shape shape);
// A box from its lower to its upper corner; in two dimensions it has no end along z.
perp_fluid_shape pool_box(double x, double y, double z, double to_x, double to_y, double to_z);
