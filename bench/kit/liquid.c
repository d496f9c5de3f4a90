// liquid.c: see liquid.h.
//
// Liquid in a box whose surface has waves of many sizes and drops above it, around balls and a
// plank that are solid; some bubbles. Faces that a solid cuts let through the open part of them,
// and towards air the weight is 1/theta, theta the part of the way to the surface (ghost fluid), at
// least 1/20. The velocity falls, turns and moves apart, with a little noise as particles leave it;
// b is its divergence, which has both signs everywhere. Parts without air are taken out: their
// matrix would be singular.
#include "liquid.h"

#include <math.h>
#include <stdlib.h>

#include "bench.h"

enum { BALLS = 5, DROPS = 12, WAVES = 6, SWIRLS = 8 };

#define CLOSED 0.02             // a face open by less is closed
#define NEAREST 0.05            // of theta

typedef struct scene {
  int32_t d, side;
  double ball[BALLS][4], drop[DROPS][4];   // centre and radius; a drop with radius < 0: a bubble
  double swirl[SWIRLS][8];                 // wave vector, phase, velocity, strength
  double level, spread;
  uint32_t seed;
} scene;

static double draw(uint32_t seed, uint32_t a, uint32_t b) {   // in [0, 1)
  return perp_random_uniform(seed, ((uint64_t)a << 32) | b);
}

static double smooth(double t) { return t*t*(3.0 - 2.0*t); }

// A function of place that changes over a length of 1/frequency, in [-1, 1].
static double noise(const scene *s, const double *at, double frequency, uint32_t which) {
  int32_t base[3] = {0, 0, 0};
  double t[3] = {0.0, 0.0, 0.0}, sum = 0.0;
  for (int32_t d = 0; d < s->d; d++) {
    const double place = at[d]*frequency + 0.37*which;
    base[d] = (int32_t)floor(place);
    t[d] = smooth(place - base[d]);
  }
  for (int32_t k = 0; k < 1 << s->d; k++) {
    double weight = 1.0;
    uint32_t hash = 0;
    for (int32_t d = 0; d < s->d; d++) {
      const int32_t up = k >> d & 1;
      weight *= up ? t[d] : 1.0 - t[d];
      hash = hash*1021u + (uint32_t)(base[d] + up + 7);
    }
    sum += weight*(2.0*draw(s->seed + which, 17, hash) - 1.0);
  }
  return sum;
}

static void set_scene(scene *s) {
  const uint32_t up = (uint32_t)s->d - 1;
  for (uint32_t k = 0; k < BALLS; k++) {
    for (uint32_t d = 0; d < 3; d++) s->ball[k][d] = draw(s->seed, 1, 4*k + d);
    s->ball[k][up] *= 0.6;
    s->ball[k][3] = 0.04 + 0.06*draw(s->seed, 1, 4*k + 3);
  }
  for (uint32_t k = 0; k < DROPS; k++) {
    const int bubble = k%6 == 5;
    for (uint32_t d = 0; d < 3; d++) s->drop[k][d] = draw(s->seed, 2, 4*k + d);
    s->drop[k][up] = bubble ? 0.1 + 0.4*s->drop[k][up] : 0.7 + 0.25*s->drop[k][up];
    s->drop[k][3] = (bubble ? -0.04 : 0.06)*(0.3 + draw(s->seed, 2, 4*k + 3));
  }
  for (uint32_t k = 0; k < SWIRLS; k++)
    for (uint32_t d = 0; d < 8; d++) s->swirl[k][d] = 2.0*draw(s->seed, 3, 8*k + d) - 1.0;
  s->level = s->d == 2 ? 0.616 : 0.61;
  s->spread = 2.0;
}

static double far_from(const scene *s, const double *at, const double *centre) {
  double sum = 0.0;
  for (int32_t d = 0; d < s->d; d++) sum += (at[d] - centre[d])*(at[d] - centre[d]);
  return sqrt(sum);
}

// Distance to what is solid, negative inside.
static double to_solid(const scene *s, const double *at) {
  const int32_t up = s->d - 1;
  double least = 1.0;
  for (int32_t k = 0; k < BALLS; k++)
    least = fmin(least, far_from(s, at, s->ball[k]) - s->ball[k][3]);
  const double along = 0.8*(at[0] - 0.3) + 0.6*(at[up] - 0.5),       // the plank
               across = -0.6*(at[0] - 0.3) + 0.8*(at[up] - 0.5);
  least = fmin(least, fmax(fabs(along) - 0.15, fabs(across) - 0.021));
  return fmin(least, at[up] - 0.04 - 0.03*noise(s, at, 9.0, 40));    // an uneven ground
}

// Distance to the surface, roughly, negative in liquid.
static double to_surface(const scene *s, const double *at) {
  const int32_t up = s->d - 1;
  double waves = 0.0, foot[3] = {at[0], at[1], at[2]};
  foot[up] *= 0.5;                             // waves lean over
  for (uint32_t k = 0; k < WAVES; k++)
    waves += noise(s, foot, 2.3*(double)(1 << k), k)*0.11/(double)(1 << k);
  double phi = at[up] - s->level - waves;
  for (int32_t k = 0; k < DROPS; k++) {
    const double way = far_from(s, at, s->drop[k]) - fabs(s->drop[k][3]);
    phi = s->drop[k][3] > 0.0 ? fmin(phi, way) : fmax(phi, -way);
  }
  return phi;
}

static double velocity(const scene *s, const double *at, int32_t axis) {
  double v = axis == s->d - 1 ? -0.3 : 0.1*(axis + 1);
  for (int32_t k = 0; k < SWIRLS; k++) {       // without divergence in the plane (0, d - 1)
    const double *w = s->swirl[k], size = 6.0 + 3.0*k;
    double phase = 6.0*w[3];
    for (int32_t d = 0; d < s->d; d++) phase += size*w[d]*at[d];
    const double turn = axis == 0 ? w[s->d - 1] : axis == s->d - 1 ? -w[0] : 0.3*w[1];
    v += 1.5*turn*w[4]*sin(phase);
  }
  for (uint32_t k = 0; k < 3; k++)             // apart and together, more apart
    v += s->spread*noise(s, at, (double)(2 << k), 60 + 3*k + (uint32_t)axis)/(double)(2 << k);
  return v + 1.5*(at[axis] - 0.5);
}

// The part of an edge outside of the solid, from the distances at its ends.
static double open_part(double a, double b) {
  if (a >= 0.0 && b >= 0.0) return 1.0;
  if (a < 0.0 && b < 0.0) return 0.0;
  return fmax(a, b)/(fmax(a, b) - fmin(a, b));
}

// The open part of the face below cell c in direction axis.
static double face_open(const scene *s, const int32_t *c, int32_t axis) {
  const double h = 1.0/s->side;
  double ends[4] = {0.0};
  int32_t across[2], count = 0;
  for (int32_t d = 0; d < s->d; d++)
    if (d != axis) across[count++] = d;
  for (int32_t k = 0; k < 1 << count; k++) {
    double at[3] = {c[0]*h, c[1]*h, s->d == 3 ? c[2]*h : 0.0};
    for (int32_t m = 0; m < count; m++) at[across[m]] += h*(k >> m & 1);
    ends[k] = to_solid(s, at);
  }
  double part = open_part(ends[0], ends[1]);
  if (count == 2)
    part = 0.5*(open_part(0.5*(ends[0] + ends[1]), 0.5*(ends[2] + ends[3])) +
                open_part(0.5*(ends[0] + ends[2]), 0.5*(ends[1] + ends[3])));
  return part < CLOSED ? 0.0 : part;
}

static size_t face_index(const liquid *l, const int32_t *c, int32_t axis) {
  const size_t x = (size_t)l->grid.cells[0] + (axis == 0);
  const size_t y = (size_t)l->grid.cells[1] + (axis == 1);
  return ((size_t)c[2]*y + (size_t)c[1])*x + (size_t)c[0];
}

static int32_t cell_index(const liquid *l, const int32_t *c) {
  return (c[2]*l->grid.cells[1] + c[1])*l->grid.cells[0] + c[0];
}

static void cell_place(const liquid *l, int32_t cell, int32_t *c) {
  c[0] = cell%l->grid.cells[0];
  c[1] = cell/l->grid.cells[0]%l->grid.cells[1];
  c[2] = cell/l->grid.cells[0]/l->grid.cells[1];
}

// The neighbour of cell c on the side k (0: below in x, 1: above in x, ...) and the weight of the
// face between them; -1: the edge of the grid.
static int32_t neighbour(const liquid *l, const int32_t *c, int32_t k, double *weight) {
  int32_t to[3] = {c[0], c[1], c[2]};
  const int32_t axis = k/2, above = k%2;
  *weight = 0.0;
  to[axis] += above ? 1 : -1;
  if (to[axis] < 0 || to[axis] >= l->grid.cells[axis]) return -1;
  *weight = l->face[axis][face_index(l, above ? to : c, axis)];
  return cell_index(l, to);
}

// Liquid from which no open face leads to air becomes solid.
static void keep_what_has_air(const scene *s, liquid *l) {
  int32_t *stack = bench_take((size_t)l->cells, sizeof *stack), count = 0, c[3];
  uint8_t *reached = bench_take((size_t)l->cells, 1);
  for (int32_t i = 0; i < l->cells; i++) {
    reached[i] = l->type[i] == PERP_CELL_AIR;
    if (reached[i]) stack[count++] = i;
  }
  while (count > 0) {
    cell_place(l, stack[--count], c);
    for (int32_t k = 0; k < 2*s->d; k++) {
      double weight;
      const int32_t to = neighbour(l, c, k, &weight);
      if (to < 0 || reached[to] || !(weight > 0.0) || l->type[to] != PERP_CELL_LIQUID) continue;
      reached[to] = 1;
      stack[count++] = to;
    }
  }
  for (int32_t i = 0; i < l->cells; i++)
    if (!reached[i]) l->type[i] = PERP_CELL_SOLID;
  free(stack);
  free(reached);
}

static void set_faces(const scene *s, liquid *l, const double *phi) {
  const double h = 1.0/s->side;
  for (int32_t axis = 0; axis < s->d; axis++) {
    int32_t end[3] = {l->grid.cells[0], l->grid.cells[1], l->grid.cells[2]}, c[3];
    end[axis]++;
    l->face[axis] = bench_take((size_t)end[0]*(size_t)end[1]*(size_t)end[2], sizeof(double));
    l->grid.face[axis] = l->face[axis];
    for (c[2] = 0; c[2] < end[2]; c[2]++)
      for (c[1] = 0; c[1] < end[1]; c[1]++)
        for (c[0] = 0; c[0] < end[0]; c[0]++) {
          const int edge = c[axis] == 0 || c[axis] == end[axis] - 1;
          l->face[axis][face_index(l, c, axis)] = edge ? 0.0 : face_open(s, c, axis);
        }
  }
  keep_what_has_air(s, l);
  for (int32_t i = 0; i < l->cells; i++) {       // divergence, with the open parts of the faces
    int32_t c[3];
    cell_place(l, i, c);
    if (l->type[i] != PERP_CELL_LIQUID) continue;
    for (int32_t k = 0; k < 2*s->d; k++) {
      double weight, at[3];
      const int32_t axis = k/2, to = neighbour(l, c, k, &weight);
      if (to < 0 || l->type[to] == PERP_CELL_SOLID) continue;
      for (int32_t d = 0; d < 3; d++) at[d] = (c[d] + 0.5)*h;
      at[axis] = (c[axis] + k%2)*h;
      const uint32_t number = (uint32_t)(3*(k%2 ? to : i) + axis);   // of the face
      const double v = velocity(s, at, axis) + 0.02*h*(draw(s->seed, 5, number) - 0.5);
      l->divergence[i] += (k%2 ? weight : -weight)*v/h;
    }
  }
  for (int32_t i = 0; i < l->cells; i++) {       // ghost fluid
    int32_t c[3];
    cell_place(l, i, c);
    for (int32_t k = 0; k < s->d; k++) {
      double weight;
      const int32_t to = neighbour(l, c, 2*k, &weight);
      if (to < 0 || l->type[to] + l->type[i] != PERP_CELL_LIQUID + PERP_CELL_AIR ||
          l->type[to] == l->type[i]) continue;
      const double theta = phi[i]*phi[to] < 0.0 ? open_part(-fmin(phi[i], phi[to]),
                                                            -fmax(phi[i], phi[to])) : 1.0;
      l->face[k][face_index(l, c, k)] = weight/fmax(theta, NEAREST);
    }
  }
}

static void set_matrix(const scene *s, liquid *l) {
  const size_t m = (size_t)l->cells;
  int32_t *number = bench_take(m, sizeof *number), filled = 0;
  for (int32_t i = 0; i < l->cells; i++) number[i] = l->type[i] == PERP_CELL_LIQUID ? l->n++ : -1;
  const size_t n = (size_t)l->n;
  int32_t *colptr = bench_take(n + 1, sizeof *colptr), *row = bench_take(7*n, sizeof *row);
  double *value = bench_take(7*n, sizeof *value);
  l->b = bench_take(n, sizeof *l->b);
  l->lo = bench_take(n, sizeof *l->lo);
  l->walls = bench_take(m, sizeof *l->walls);
  l->every = bench_take(m, sizeof *l->every);
  l->hi = bench_take(m, sizeof *l->hi);
  static const int32_t order[7] = {4, 2, 0, -1, 1, 3, 5};   // rows ascend
  for (int32_t i = 0; i < l->cells; i++) {
    const int32_t j = number[i];
    int32_t c[3], wall = 0, diagonal = 0;
    cell_place(l, i, c);
    if (j < 0) continue;
    double sum = 0.0;
    colptr[j] = filled;
    for (int32_t k = 0; k < 7; k++) {
      double weight;
      if (order[k] < 0) {
        diagonal = filled;
        row[filled++] = j;
      }
      if (order[k] < 0 || order[k] >= 2*s->d) continue;
      const int32_t to = neighbour(l, c, order[k], &weight);
      const int32_t solid = to < 0 || l->type[to] == PERP_CELL_SOLID;
      wall |= solid || (l->type[to] == PERP_CELL_LIQUID && weight < 1.0);
      if (solid) continue;
      const double a = weight*(double)s->side*(double)s->side;
      sum += a;
      if (number[to] < 0 || !(a > 0.0)) continue;
      row[filled] = number[to];
      value[filled++] = -a;
    }
    value[diagonal] = sum;
    l->b[j] = l->divergence[i];
    l->lo[j] = l->walls[i] = wall ? 0.0 : -(double)INFINITY;
    l->hi[i] = (double)INFINITY;
  }
  colptr[n] = filled;
  l->A = (perp_csc){l->n, l->n, colptr, row, value};
  free(number);
}

void liquid_make(int32_t dimensions, int32_t side, uint32_t seed, liquid *l) {
  scene s = {.d = dimensions, .side = side, .seed = seed};
  set_scene(&s);
  *l = (liquid){.grid = {.cells = {side, side, dimensions == 3 ? side : 1},
                         .spacing = {1.0/side, 1.0/side, 1.0/side}}};
  l->cells = l->grid.cells[0]*l->grid.cells[1]*l->grid.cells[2];
  l->type = bench_take((size_t)l->cells, 1);
  l->grid.type = l->type;
  l->divergence = bench_take((size_t)l->cells, sizeof *l->divergence);
  double *phi = bench_take((size_t)l->cells, sizeof *phi);
  for (int32_t i = 0; i < l->cells; i++) {
    int32_t c[3];
    cell_place(l, i, c);
    const double at[3] = {(c[0] + 0.5)/side, (c[1] + 0.5)/side,
                          dimensions == 3 ? (c[2] + 0.5)/side : 0.0};
    phi[i] = to_surface(&s, at);
    l->type[i] = to_solid(&s, at) < 0.0 ? PERP_CELL_SOLID
                 : phi[i] < 0.0 ? PERP_CELL_LIQUID : PERP_CELL_AIR;
  }
  set_faces(&s, l, phi);
  set_matrix(&s, l);
  free(phi);
}

void liquid_free(liquid *l) {
  void *const blocks[] = {l->type, l->face[0], l->face[1], l->face[2], l->divergence, l->walls,
                          l->every, l->hi, (void *)(uintptr_t)l->A.colptr,
                          (void *)(uintptr_t)l->A.row, (void *)(uintptr_t)l->A.value, l->b, l->lo};
  for (size_t k = 0; k < sizeof blocks/sizeof blocks[0]; k++) free(blocks[k]);
  *l = (liquid){0};
}
