// pour.c: puts particles into a shape, outside of solids: one into each part of a cell (seed.h)
// that has none yet. Pouring the same shape twice adds nothing.
#include <math.h>
#include <string.h>

#include "seed.h"
#include "settings.h"

static void cell_of(const perp_fluid *f, int64_t i, int32_t at[3]) {
  at[2] = 0;
  for (int a = 0; a < f->dimension; a++) {
    const int32_t place = (int32_t)(f->p.x[a][i]/f->h);   // particles are inside of the box
    at[a] = place < f->n[a] ? place : f->n[a] - 1;
  }
}

// 1 where x is in the shape and in no solid; -1: a distance that is not a number
static int wanted(const perp_fluid *f, const perp_fluid_shape *shape, const double x[3]) {
  const double inside = shape_distance(shape, x, f->time);
  if (isnan(inside)) return -1;
  if (inside > 0.0) return 0;
  for (int32_t s = 0; s < f->solids; s++) {
    const double distance = shape_distance(&f->solid[s], x, f->time);
    if (isnan(distance)) return -1;
    if (distance <= 0.0) return 0;
  }
  return 1;
}

// Counts the places that are to be filled, and fills them if `fill`; -1 as above.
static int64_t visit(perp_fluid *f, const perp_fluid_shape *shape, const uint64_t *taken,
                     int fill) {
  const int parts = seed_parts(f), affine = f->settings.transfer == PERP_TRANSFER_APIC;
  const double *spin = shape->spin;   // liquid that turns: dv/dx = [spin]
  const double turn[9] = {0.0, -spin[2], spin[1], spin[2], 0.0, -spin[0], -spin[1], spin[0], 0.0};
  int64_t count = 0;
  int32_t at[3], cell = 0;
  for (at[2] = 0; at[2] < f->n[2]; at[2]++)
    for (at[1] = 0; at[1] < f->n[1]; at[1]++)
      for (at[0] = 0; at[0] < f->n[0]; at[0]++, cell++)
        for (int part = 0; part < parts; part++) {
          double x[3], v[3];
          if (taken[cell] >> part & 1) continue;
          seed_place(f, at, cell, part, x);
          const int here = wanted(f, shape, x);
          if (here < 0) return -1;
          if (!here) continue;
          if (fill && f->p.count < f->p.room) {   // a caller's distance may change its mind
            const int64_t i = f->p.count++;
            shape_velocity(shape, x, v);
            for (int a = 0; a < f->dimension; a++) {
              f->p.x[a][i] = x[a];
              f->p.v[a][i] = v[a];
              for (int b = 0; b < f->dimension && affine; b++)
                f->p.affine[3*a + b][i] = turn[3*a + b];
            }
          }
          count++;
        }
  return count;
}

perp_error perp_fluid_pour(perp_fluid *f, const perp_fluid_shape *where, int64_t *count) {
  if (f == NULL) return refuse(PERP_ERROR_ARGUMENT, "fluid is NULL");
  perp_fluid_shape shape;
  perp_error error = settings_check_shape(where, f->dimension, &shape);
  if (error != PERP_OK) return error;
  uint64_t *taken = fluid_scratch(f, (size_t)f->cells*sizeof *taken);   // a bit for each part
  if (taken == NULL) return PERP_ERROR_MEMORY;
  memset(taken, 0, (size_t)f->cells*sizeof *taken);
  for (int64_t i = 0; i < f->p.count; i++) {
    int32_t at[3];
    double x[3] = {0.0, 0.0, 0.0}, square;
    for (int a = 0; a < f->dimension; a++) x[a] = f->p.x[a][i];
    cell_of(f, i, at);
    taken[(at[2]*f->n[1] + at[1])*f->n[0] + at[0]] |= (uint64_t)1 << seed_part(f, at, x, &square);
  }
  const int64_t more = visit(f, &shape, taken, 0);
  if (more < 0)
    return refuse(PERP_ERROR_ARGUMENT, "a distance of the shape or of a solid is not a number");
  error = fluid_room(f, f->p.count + more);
  if (error == PERP_OK) error = fluid_shelve(f);
  if (error != PERP_OK) return error;
  visit(f, &shape, taken, 1);
  f->draws++;
  f->stale |= more > 0;
  f->poured += (double)more/seed_parts(f)*pow(f->h, f->dimension);
  error = fluid_sort(f);       // what there is to see, before the first step
  if (error == PERP_OK) error = fluid_surface(f);
  if (error == PERP_OK) error = fluid_measure(f);
  if (error != PERP_OK) {
    fluid_restore(f, f->shelf.at);
    return error;
  }
  if (count != NULL) *count = more;
  return PERP_OK;
}
