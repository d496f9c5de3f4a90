// solids.c: moves the solids, and computes the distances at corners, the fraction of each face that
// is not solid, and the velocity of the wall there.
//
// The distance is the least of all solids. On a face it is taken as linear between corners: an edge
// in two dimensions, four triangles about the middle in three, so that plane walls are exact in any
// position. A face on the surface of a solid, d = 0 at all corners, is closed, as are the sides of
// the grid. Faces with a smaller open fraction than OPEN_FRACTION_MIN are closed too: they would
// make rows of A that are as small relative to their neighbours, for a negligible volume.
#include "lattice.h"

#include <string.h>

#define OPEN_FRACTION_MIN 0.01   // a face that is less open is closed
#define TOUCH_DISTANCE 1e-6      // relative to h; a corner nearer to a solid is on its surface

typedef struct work {
  perp_fluid *f;
  double t, far;        // when the substep ends; a distance that nothing is at
  int axis;
  uint8_t *bad;         // per line of corners
} work;

static double nearest(const perp_fluid *f, const double x[3], double t, int32_t *which) {
  double d = INFINITY;
  *which = -1;
  for (int32_t s = 0; s < f->solids; s++) {
    const double e = shape_distance(&f->solid[s], x, t);
    if (!(e >= d)) d = e, *which = s;   // a NaN stays
    if (e != e) break;
  }
  return d;
}

static void measure_corners(void *data, int32_t part, int32_t who) {
  (void)who;
  const work *w = data;
  perp_fluid *f = w->f;
  const lattice c = corners_of(f);
  for (int32_t line = first_line(&c, part), end = first_line(&c, part + 1); line < end; line++) {
    const int32_t j = line % c.n[1], k = line/c.n[1];
    double *d = f->solid_distance + at(&c, 0, j, k);
    w->bad[line] = 0;
    for (int32_t i = 0; i < c.n[0]; i++) {
      const double x[3] = {i*f->h, j*f->h, k*f->h};
      int32_t which;
      double e = nearest(f, x, w->t, &which);
      if (e != e) w->bad[line] = 1, e = w->far;
      d[i] = fabs(e) < TOUCH_DISTANCE*f->h ? 0.0 : e > w->far ? w->far : e < -w->far ? -w->far : e;
    }
  }
}

// distance of x from the sides of the grid, except where it is one cell thick
static double side_distance(const perp_fluid *f, const double x[3]) {
  double d = INFINITY;
  for (int a = 0; a < f->dimension; a++) {
    if (f->n[a] == 1) continue;
    const double high = f->n[a]*f->h - x[a];
    if (x[a] < d) d = x[a];
    if (high < d) d = high;
  }
  return d;
}

static void measure_faces(void *data, int32_t part, int32_t who) {
  (void)who;
  const work *w = data;
  perp_fluid *f = w->f;
  const int a = w->axis;
  const lattice l = faces_of(f, a), c = corners_of(f);
  const int across = a == 0 ? 1 : 0, over = a == 2 ? 1 : 2;   // the other directions
  const int32_t s = c.stride[across], t = f->dimension == 3 ? c.stride[over] : 0;
  for (int32_t line = first_line(&l, part), end = first_line(&l, part + 1); line < end; line++) {
    const int32_t j = line % l.n[1], k = line/l.n[1];
    double *open = f->open[a] + at(&l, 0, j, k), *wall = f->wall[a] + at(&l, 0, j, k);
    for (int32_t i = 0; i < l.n[0]; i++) {
      const int32_t place[3] = {i, j, k};
      const double *d = f->solid_distance + at(&c, i, j, k);
      const double v[4] = {-d[0], -d[s], -d[t], -d[s + t]};
      double part_open, least = d[0] < d[s] ? d[0] : d[s];
      if (f->dimension == 3) {
        if (d[t] < least) least = d[t];
        if (d[s + t] < least) least = d[s + t];
        part_open = square_below(v, 0.25*((v[0] + v[3]) + (v[1] + v[2])));
      } else {
        part_open = edge_below(v[0], v[1]);
      }
      if (place[a] == 0 || place[a] == f->n[a] || part_open < OPEN_FRACTION_MIN) part_open = 0.0;
      open[i] = part_open > 1.0 - 1e-12 ? 1.0 : part_open;
      wall[i] = 0.0;
      if (!(least < 2.0*f->h)) continue;
      double x[3], velocity[3];
      for (int b = 0; b < 3; b++) x[b] = (place[b] + (b == a ? 0.0 : 0.5))*f->h;
      if (f->dimension == 2) x[2] = 0.0;
      int32_t which;
      if (!(nearest(f, x, w->t, &which) < side_distance(f, x)) || which < 0) continue;
      shape_velocity(&f->solid[which], x, velocity);
      wall[i] = velocity[a];
    }
  }
}

static uint64_t mix(uint64_t h, const void *data, size_t bytes) {   // FNV-1a
  const unsigned char *at_byte = data;
  for (size_t k = 0; k < bytes; k++) h = (h ^ at_byte[k])*1099511628211u;
  return h;
}

// of everything that distances and velocities depend on; 0 where time is among it
static uint64_t stamp(const perp_fluid *f) {
  uint64_t h = 14695981039346656037u;
  for (int32_t s = 0; s < f->solids; s++) {
    const perp_fluid_shape *p = &f->solid[s];
    if (p->kind == PERP_FLUID_CUSTOM) return 0;
    h = mix(h, &p->kind, sizeof p->kind);
    h = mix(h, &p->outside, sizeof p->outside);
    h = mix(h, p->extent, sizeof p->extent);
    h = mix(h, p->position, sizeof p->position);
    h = mix(h, p->orientation, sizeof p->orientation);
    h = mix(h, p->velocity, sizeof p->velocity);
    h = mix(h, p->spin, sizeof p->spin);
  }
  return h != 0 ? h : 1;
}

perp_error fluid_solids(perp_fluid *f) {
  for (int32_t s = 0; s < f->solids; s++) shape_move(&f->solid[s], f->dt);
  const uint64_t now = stamp(f);
  if (now != 0 && now == f->solid_stamp) return PERP_OK;
  const lattice c = corners_of(f);
  work w = {.f = f, .t = f->time + f->dt};   // where they are then
  w.far = (f->n[0] + f->n[1] + f->n[2])*f->h;
  w.bad = fluid_scratch(f, (size_t)lines_of(&c));
  if (w.bad == NULL) return PERP_ERROR_MEMORY;
  f->solid_stamp = 0;
  crew_run(f->crew, measure_corners, &w, parts_of(&c));
  if (memchr(w.bad, 1, (size_t)lines_of(&c)) != NULL)
    return refuse(PERP_ERROR_ARGUMENT, "a solid's distance is not a number at time %g", w.t);
  for (w.axis = 0; w.axis < f->dimension; w.axis++) {
    const lattice l = faces_of(f, w.axis);
    crew_run(f->crew, measure_faces, &w, parts_of(&l));
  }
  f->solid_stamp = now;
  return PERP_OK;
}
