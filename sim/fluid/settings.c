// settings.c: defaults of a fluid and their ranges, and the shapes of solids and of what is poured.
#include "settings.h"

#include <math.h>
#include <stdarg.h>

#include "plain.h"

perp_error fluid_error(perp_error error, const char *format, ...) {
  char message[512];   // format may name perp_last_message() itself
  va_list arguments;
  va_start(arguments, format);
  plain_vprint(message, sizeof message, format, arguments);
  va_end(arguments);
  return perp_fail(error, message);
}

perp_fluid_settings perp_fluid_defaults(int32_t dimension, int32_t nx, int32_t ny, int32_t nz) {
  return (perp_fluid_settings){
    .size = sizeof(perp_fluid_settings), .dimension = dimension,
    .cells = {nx, ny, dimension == 2 ? 1 : nz}, .spacing = 1.0/(nx > 0 ? nx : 1),
    .walls = PERP_WALLS_SEPARATING, .transfer = PERP_TRANSFER_FLIP, .flip = 0.97, .step = 1.0/60,
    .cfl = 2.0, .substeps = 64, .particles = 2, .reseed = 1, .threads = 1,
    .gravity = {0.0, -9.81, 0.0}, .density = 1000.0, .seed = 1, .time_limit = (double)INFINITY};
}

static perp_error outside(const char *name, double value, const char *range) {
  return fluid_error(PERP_ERROR_ARGUMENT, "%s = %.10g is outside %s", name, value, range);
}

static int sane(double value) { return fabs(value) <= MAGNITUDE_MAX; }   // NAN is not

static perp_error check_vector(const char *name, const double *v) {
  for (int k = 0; k < 3; k++)
    if (!sane(v[k]))
      return fluid_error(PERP_ERROR_ARGUMENT, "%s[%d] = %g is outside [-1e12, 1e12]", name, k,
                         v[k]);
  return PERP_OK;
}

typedef struct range {        // of a setting that is a number
  const char *name;
  double value, least, most;
  const char *text;
} range;

perp_error settings_check(const perp_fluid_settings *s) {
  if (s->size != sizeof *s)
    return fluid_error(PERP_ERROR_ARGUMENT, "settings.size = %zu is not %zu: begin with "
                       "perp_fluid_defaults()", s->size, sizeof *s);
  if (s->dimension != 2 && s->dimension != 3)
    return outside("dimension", s->dimension, "{2, 3}");
  double cells = 1.0;
  for (int k = 0; k < 3; k++) {
    if (s->cells[k] < 1 || s->cells[k] > SIDE_CELLS_MAX)
      return fluid_error(PERP_ERROR_ARGUMENT, "cells[%d] = %d is outside [1, %d]", k, s->cells[k],
                         SIDE_CELLS_MAX);
    cells *= s->cells[k];
  }
  if (s->dimension == 2 && s->cells[2] != 1)
    return outside("cells[2]", s->cells[2], "{1} in two dimensions");
  if (cells > CELLS_MAX)
    return fluid_error(PERP_ERROR_ARGUMENT, "%g cells are more than %g", cells, CELLS_MAX);
  const range all[] = {
    {"spacing", s->spacing, 1e-9, 1e9, "[1e-9, 1e9]"},
    {"walls", s->walls, 0, PERP_WALLS_COUNT - 1, "[0, 2]"},
    {"every_cell", s->every_cell, 0, 1, "{0, 1}"},
    {"transfer", s->transfer, 0, PERP_TRANSFER_COUNT - 1, "[0, 1]"},
    {"flip", s->flip, 0.0, 1.0, "[0, 1]"},
    {"step", s->step, 1e-9, 1e3, "[1e-9, 1000]"},
    {"cfl", s->cfl, 0.01, 100.0, "[0.01, 100]"},
    {"substeps", s->substeps, 1, 1000000, "[1, 1000000]"},
    {"particles", s->particles, 1, SIDE_PARTICLES_MAX, "[1, 4]"},
    {"reseed", s->reseed, 0, 1, "{0, 1}"},
    {"compensate", s->compensate, 0, 1, "{0, 1}"},
    {"threads", s->threads, 1, 1024, "[1, 1024]"},
    {"density", s->density, 1e-9, 1e12, "[1e-9, 1e12]"}};
  for (size_t k = 0; k < sizeof all/sizeof *all; k++)
    if (!(all[k].value >= all[k].least && all[k].value <= all[k].most))
      return outside(all[k].name, all[k].value, all[k].text);
  if (!(s->time_limit > 0.0)) return outside("time_limit", s->time_limit, "(0, inf]");
  const perp_error error = check_vector("gravity", s->gravity);
  if (error != PERP_OK) return error;
  if (s->dimension == 2 && s->gravity[2] != 0.0)
    return outside("gravity[2]", s->gravity[2], "{0} in two dimensions");
  if (s->options != NULL && s->options->size != sizeof *s->options)
    return fluid_error(PERP_ERROR_ARGUMENT, "options.size = %zu is not %zu: begin with "
                       "perp_default_options()", s->options->size, sizeof *s->options);
  return PERP_OK;
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
  static const char lengths[] = "[1e-9, 1e9]";
  const double *e = s->extent;
  if (s->kind == PERP_FLUID_PLANE) {
    const double length = sqrt(e[0]*e[0] + e[1]*e[1] + e[2]*e[2]);
    if (!(length >= 1e-9 && length <= 1e9))
      return outside("the length of the normal", length, lengths);
    if (dimension == 2 && e[2] != 0.0)
      return outside("the normal's extent[2]", e[2], "{0} in two dimensions");
  } else if (s->kind == PERP_FLUID_CUSTOM) {
    if (s->distance == NULL)
      return fluid_error(PERP_ERROR_ARGUMENT, "distance is NULL: a custom shape needs it");
  } else {
    const int sides = s->kind != PERP_FLUID_BOX ? 1 : dimension == 3 && e[2] != 0.0 ? 3 : 2;
    for (int k = 0; k < sides; k++)
      if (!(e[k] >= 1e-9 && e[k] <= 1e9))
        return outside(s->kind == PERP_FLUID_BOX ? "half a side" : "radius", e[k], lengths);
  }
  return PERP_OK;
}

perp_error settings_check_shape(const perp_fluid_shape *s, int32_t dimension,
                                perp_fluid_shape *taken) {
  if (s == NULL) return fluid_error(PERP_ERROR_ARGUMENT, "the shape is NULL");
  if (s->size != sizeof *s)
    return fluid_error(PERP_ERROR_ARGUMENT, "shape.size = %zu is not %zu: begin with "
                       "perp_fluid_sphere(), perp_fluid_box() or perp_fluid_plane()", s->size,
                       sizeof *s);
  if (s->kind < 0 || s->kind >= PERP_FLUID_KIND_COUNT) return outside("kind", s->kind, "[0, 3]");
  if (s->outside != 0 && s->outside != 1) return outside("outside", s->outside, "{0, 1}");
  perp_error error = check_extent(s, dimension);
  if (error == PERP_OK) error = check_vector("position", s->position);
  if (error == PERP_OK) error = check_vector("velocity", s->velocity);
  if (error == PERP_OK) error = check_vector("spin", s->spin);
  if (error != PERP_OK) return error;
  const double *q = s->orientation;
  const double length = sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3]);
  if (!(fabs(length - 1.0) <= 1e-6))
    return outside("the length of orientation", length, "[1 - 1e-6, 1 + 1e-6]");
  perp_fluid_shape t = *s;
  if (dimension == 2) {
    static const char zero[] = "{0} in two dimensions";
    if (s->velocity[2] != 0.0) return outside("velocity[2]", s->velocity[2], zero);
    for (int k = 0; k < 2; k++)
      if (s->spin[k] != 0.0) return outside(k == 0 ? "spin[0]" : "spin[1]", s->spin[k], zero);
    if (q[1] != 0.0 || q[2] != 0.0)
      return outside("orientation[1] or [2]", q[1] != 0.0 ? q[1] : q[2], zero);
    t.position[2] = 0.0;        // the plane is z = 0, and boxes have no end along z
    if (t.kind == PERP_FLUID_BOX) t.extent[2] = 0.0;
  }
  *taken = t;
  return PERP_OK;
}
