// settings.c: defaults of a fluid and their ranges, and the shapes of solids and of what is poured.
#include "settings.h"

#include <math.h>

perp_fluid_settings perp_fluid_defaults(int32_t dimension, int32_t nx, int32_t ny, int32_t nz) {
  return (perp_fluid_settings){
    .size = sizeof(perp_fluid_settings), .dimension = dimension,
    .cells = {nx, ny, dimension == 2 ? 1 : nz}, .spacing = 1.0/(nx > 0 ? nx : 1),
    .walls = PERP_WALLS_SEPARATING, .transfer = PERP_TRANSFER_FLIP, .flip = 0.97, .step = 1.0/60,
    .cfl = 2.0, .substeps = 64, .particles = 2, .reseed = 1, .threads = 1,
    .gravity = {0.0, -9.81, 0.0}, .density = 1000.0, .seed = 1, .time_limit = (double)INFINITY};
}

static perp_error check_cells(const perp_fluid_settings *s) {
  double cells = 1.0;
  for (int k = 0; k < 3; k++) {
    if (s->cells[k] < 1 || s->cells[k] > SIDE_CELLS_MAX)
      return refuse(PERP_ERROR_ARGUMENT, "cells[%d] = %d is outside [1, %d]", k, s->cells[k],
                    SIDE_CELLS_MAX);
    cells *= s->cells[k];
  }
  if (s->dimension == 2 && s->cells[2] != 1)
    return refuse_value("cells[2]", s->cells[2], "{1} in two dimensions");
  if (cells > CELLS_MAX)
    return refuse(PERP_ERROR_ARGUMENT, "%g cells are more than %g", cells, CELLS_MAX);
  return PERP_OK;
}

perp_error settings_check(const perp_fluid_settings *s) {
  perp_error error = check_size("settings", s->size, sizeof *s, "perp_fluid_defaults()");
  if (error == PERP_OK)
    error = check_common(&(common){s->dimension, s->threads, s->step, s->time_limit, s->gravity,
                                   s->options});
  if (error == PERP_OK) error = check_cells(s);
  const range all[] = {
    {"spacing", s->spacing, 1e-9, 1e9, "[1e-9, 1e9]"},
    {"walls", s->walls, 0, PERP_WALLS_COUNT - 1, "[0, 2]"},
    {"every_cell", s->every_cell, 0, 1, "{0, 1}"},
    {"transfer", s->transfer, 0, PERP_TRANSFER_COUNT - 1, "[0, 1]"},
    {"flip", s->flip, 0.0, 1.0, "[0, 1]"},
    {"cfl", s->cfl, 0.01, 100.0, "[0.01, 100]"},
    {"substeps", s->substeps, 1, 1000000, "[1, 1000000]"},
    {"particles", s->particles, 1, SIDE_PARTICLES_MAX, "[1, 4]"},
    {"reseed", s->reseed, 0, 1, "{0, 1}"},
    {"compensate", s->compensate, 0, 1, "{0, 1}"},
    {"density", s->density, 1e-9, 1e12, "[1e-9, 1e12]"}};
  return error == PERP_OK ? check_ranges(all, sizeof all/sizeof *all) : error;
}

// ---- shapes ----

static perp_fluid_shape shape_of(int32_t kind, double x, double y, double z) {
  return (perp_fluid_shape){.size = sizeof(perp_fluid_shape), .kind = kind, .position = {x, y, z},
                            .orientation = {1.0, 0.0, 0.0, 0.0}};
}

perp_fluid_shape perp_fluid_sphere(double x, double y, double z, double radius) {
  perp_fluid_shape s = shape_of(PERP_FLUID_SPHERE, x, y, z);
  s.extent[0] = radius;
  return s;
}

perp_fluid_shape perp_fluid_box(double x, double y, double z, double half_x, double half_y,
                                double half_z) {
  perp_fluid_shape s = shape_of(PERP_FLUID_BOX, x, y, z);
  s.extent[0] = half_x;
  s.extent[1] = half_y;
  s.extent[2] = half_z;
  return s;
}

perp_fluid_shape perp_fluid_plane(double x, double y, double z, double normal_x, double normal_y,
                                  double normal_z) {
  perp_fluid_shape s = shape_of(PERP_FLUID_PLANE, x, y, z);
  s.extent[0] = normal_x;
  s.extent[1] = normal_y;
  s.extent[2] = normal_z;
  return s;
}

static perp_error check_extent(const perp_fluid_shape *s, int32_t dimension) {
  const int sides = dimension == 3 && s->extent[2] != 0.0 ? 3 : 2;
  switch (s->kind) {
    case PERP_FLUID_PLANE: return check_normal(dimension, s->extent);
    case PERP_FLUID_BOX: return check_lengths("half a side", s->extent, sides);
    case PERP_FLUID_SPHERE: return check_lengths("radius", s->extent, 1);
    default: break;
  }
  if (s->distance != NULL) return PERP_OK;
  return refuse(PERP_ERROR_ARGUMENT, "distance is NULL: a custom shape needs it");
}

perp_error settings_check_shape(const perp_fluid_shape *s, int32_t dimension,
                                perp_fluid_shape *taken) {
  if (s == NULL) return refuse(PERP_ERROR_ARGUMENT, "the shape is NULL");
  const range all[] = {{"kind", s->kind, 0, PERP_FLUID_KIND_COUNT - 1, "[0, 3]"},
                       {"outside", s->outside, 0, 1, "{0, 1}"}};
  perp_error error = check_size("shape", s->size, sizeof *s,
                                "perp_fluid_sphere(), perp_fluid_box() or perp_fluid_plane()");
  if (error == PERP_OK) error = check_ranges(all, sizeof all/sizeof *all);
  if (error == PERP_OK) error = check_extent(s, dimension);
  if (error == PERP_OK) error = check_vector("position", s->position);
  if (error == PERP_OK) error = check_turn(dimension, s->velocity, s->spin, s->orientation);
  if (error != PERP_OK) return error;
  *taken = *s;
  if (dimension == 2) {         // the plane is z = 0, and boxes have no end along z
    taken->position[2] = 0.0;
    if (s->kind == PERP_FLUID_BOX) taken->extent[2] = 0.0;
  }
  return PERP_OK;
}
