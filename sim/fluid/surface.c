// surface.c: where the liquid is: a signed distance from its particles, and the types of cells.
//
// Around the centre x of a cell let q = x - xm, xm the mean of the particles within R = 3/2 h with
// the weights (1 - s^2)^3, s = |x_p - x|/R: the direction out of the liquid [Zhu and Bridson 2005].
// If the liquid fills a half space whose plane is zeta R from x, then in d dimensions
//     |q|/R = c(zeta) = (1 - zeta^2)^(m+1) / (2 (m + 1) I(zeta)),   m = 3 + (d - 1)/2,
//     I(zeta) = integral of (1 - t^2)^m from zeta to 1,
// increasing from 0 inside to 1 outside. The distance is the inverse, R c^-1(|q|/R), so that plane
// surfaces are reproduced exactly, without an offset by a particle radius, and the distance is
// linear from cell to cell. It ranges from -R, inside, to R. As q is a mean, it hardly depends on
// how particles lie within their cells, and inner cells that happen to hold none are liquid: q = 0.
// Between two bodies of liquid q is small too. There the union of spheres of radius SPHERE_RADIUS h
// about the particles is the limit: distance >= |x - nearest particle| - SPHERE_RADIUS h.
//
// Walls are mirrors: near a wall the mirror images of particles count too. Without them the solid
// half of the neighbourhood would count as air, and liquid at rest along a wall would have a
// surface there. If the surface were simply continued into the solid, a gap that opens at a wall
// would count as liquid; ANE17 6.2 suspects that its growth of volume comes from that.
//
// Only cells near the surface visit particles: those with a neighbour that holds some, unless all
// cells in the two layers around hold some. Each visits the particles of 9 or 27 cells.
#include "lattice.h"

#include <string.h>

#include "sample.h"

#define KERNEL_RADIUS 1.5        // R/h: from the centre of a cell to the far side of the next
#define SPHERE_RADIUS 1.0        // of the sphere around a particle, relative to h
enum {
  CURVE_KNOTS = 64,              // of the table of c(zeta)
  SIMPSON_STEPS = 16,            // between two knots
  MIRRORS_MAX = 4                // walls around a cell
};

enum {                          // flags of a cell
  FULL = 1,                      // it has particles, or is solid
  EMPTY = 2,                     // it has no particles
  DRY = 4                        // it was air in the last substep
};

typedef struct work {
  perp_fluid *f;
  lattice cells;
  int32_t step[3];                // 1: there are neighbours in that direction; one cell thick: 0
  double curve[CURVE_KNOTS + 1];        // c at zeta = -1, ..., 1
  uint8_t *raw;                   // cells: FULL, EMPTY, DRY
  uint8_t *from, *to;             // cells: a pass of the filter
  uint8_t *around, *deep;         // cells: FULL and EMPTY of 3 x 3 (x 3), FULL of 5 x 5 (x 5)
  int axis;
  int32_t share;                  // particles of a cell when poured
} work;

static double power(double x, int dimensions) {   // x^m
  return x > 0.0 ? x*x*x*(dimensions == 3 ? x : dimensions == 2 ? sqrt(x) : 1.0) : 0.0;
}

// c(zeta) at the knots, from the right, by Simpson's rule
static void draw_curve(double *curve, int dimensions) {
  const double m = 3.0 + 0.5*(dimensions - 1), width = 2.0/CURVE_KNOTS, step = width/SIMPSON_STEPS;
  double integral = 0.0;
  curve[CURVE_KNOTS] = 1.0;
  for (int k = CURVE_KNOTS - 1; k >= 0; k--) {
    const double zeta = -1.0 + k*width;
    for (int i = 0; i < SIMPSON_STEPS; i++) {
      const double t = zeta + i*step, u = t + step, v = t + 0.5*step;
      integral += step/6.0*(power(1.0 - t*t, dimensions) + 4.0*power(1.0 - v*v, dimensions) +
                            power(1.0 - u*u, dimensions));
    }
    curve[k] = (1.0 - zeta*zeta)*power(1.0 - zeta*zeta, dimensions)/(2.0*(m + 1.0)*integral);
  }
  curve[0] = 0.0;
}

static double inverse(const double *curve, double c) {
  int low = 0, high = CURVE_KNOTS;
  if (c >= 1.0) return 1.0;
  while (high - low > 1) {
    const int middle = (low + high)/2;
    if (curve[middle] <= c) low = middle;
    else high = middle;
  }
  return -1.0 + 2.0/CURVE_KNOTS*(low + (c - curve[low])/(curve[high] - curve[low]));
}

// --------------------------------------------------------------------------------- neighbourhoods

static int closed(const perp_fluid *f, int32_t i, int32_t j, int32_t k) {   // all faces are
  for (int a = 0; a < f->dimension; a++) {
    const lattice l = faces_of(f, a);
    const int32_t face = at(&l, i, j, k);
    if (f->open[a][face] > 0.0 || f->open[a][face + l.stride[a]] > 0.0) return 0;
  }
  return 1;
}

static void mark(void *data, int32_t part, int32_t who) {
  (void)who;
  const work *w = data;
  perp_fluid *f = w->f;
  const lattice *l = &w->cells;
  for (int32_t line = first_line(l, part), end = first_line(l, part + 1); line < end; line++)
    for (int32_t i = 0; i < l->n[0]; i++) {
      const int32_t c = line*l->n[0] + i;
      const int solid = closed(f, i, line % l->n[1], line/l->n[1]);
      const int some = f->first[c + 1] > f->first[c], dry = f->type[c] == PERP_CELL_AIR ? DRY : 0;
      f->type[c] = solid ? PERP_CELL_SOLID : PERP_CELL_AIR;
      w->raw[c] = (uint8_t)((some || solid ? FULL : 0) | (some ? 0 : EMPTY) | dry);
    }
}

// to = what holds for both neighbours along the axis too; beyond the grid everything does
static void filter(void *data, int32_t part, int32_t who) {
  (void)who;
  const work *w = data;
  const lattice *l = &w->cells;
  const int32_t n = l->n[0];
  for (int32_t line = first_line(l, part), end = first_line(l, part + 1); line < end; line++) {
    const uint8_t *from = w->from + line*n;
    uint8_t *to = w->to + line*n;
    if (w->axis == 0) {
      for (int32_t i = 0; i < n; i++)
        to[i] = (uint8_t)(from[i] & (i > 0 ? from[i - 1] : 3) & (i < n - 1 ? from[i + 1] : 3));
      continue;
    }
    const int32_t place = w->axis == 1 ? line % l->n[1] : line/l->n[1], s = l->stride[w->axis];
    const uint8_t *low = place > 0 ? from - s : from;
    const uint8_t *high = place < l->n[w->axis] - 1 ? from + s : from;
    for (int32_t i = 0; i < n; i++) to[i] = (uint8_t)(from[i] & low[i] & high[i]);
  }
}

// --------------------------------------------------------------------------------------- distance

typedef struct mirror { double normal[3], distance; } mirror;   // normal.(x_p - x) + distance = 0

// the walls about the centre of a cell: sides of the grid, and the plane of the nearest solid
static int mirrors_of(const work *w, const int32_t place[3], mirror *m) {
  const perp_fluid *f = w->f;
  int count = 0;
  for (int a = 0; a < 3; a++) {
    if (!w->step[a] || (place[a] > 0 && place[a] < f->n[a] - 1)) continue;
    m[count] = (mirror){.distance = 0.5*f->h};
    m[count++].normal[a] = place[a] == 0 ? 1.0 : -1.0;
  }
  if (f->solids == 0) return count;
  const lattice l = corners_of(f);
  const int32_t high = f->dimension == 3 ? l.stride[2] : 0;
  const double *d = f->solid_distance + at(&l, place[0], place[1], place[2]);
  double mean = 0.0, g[3] = {0.0, 0.0, 0.0};
  for (int k = 0; k < 8; k++) {
    const double e = d[(k & 1) + (k >> 1 & 1)*l.stride[1] + (k >> 2)*high];
    mean += 0.125*e;
    for (int a = 0; a < 3; a++) g[a] += k >> a & 1 ? e : -e;
  }
  if (f->dimension == 2) g[2] = 0.0;
  double norm = 0.0;
  for (int a = 0; a < 3; a++) g[a] *= w->step[a]*0.25/f->h, norm += g[a]*g[a];
  norm = sqrt(norm);
  // a slope much below 1 is the middle of a thin solid or of a narrow gap: no plane
  if (norm < 0.3 || fabs(mean) >= KERNEL_RADIUS*f->h*norm) return count;
  m[count].distance = mean/norm;
  for (int a = 0; a < 3; a++) m[count].normal[a] = g[a]/norm;
  return count + 1;
}

typedef struct sums { double weight, moment[3], nearest; } sums;   // nearest: squared

// Particles are taken in blocks: weights by four at once, then they are added up one by one, in the
// order of the particles.
enum {
  QUAD_DOUBLES = 4,
  LANE_QUADS = 4,
  LANE_PARTICLES = QUAD_DOUBLES*LANE_QUADS,
  IMAGES_MAX = 1 << MIRRORS_MAX   // of a particle, itself included
};
typedef double quad __attribute__((vector_size(8*QUAD_DOUBLES)));
typedef double quad_anywhere __attribute__((vector_size(8*QUAD_DOUBLES), aligned(8), may_alias));
typedef int64_t quad_mask __attribute__((vector_size(8*QUAD_DOUBLES)));
typedef union lane { quad of[LANE_QUADS]; double at[LANE_PARTICLES]; } lane;
typedef struct block { lane r[3]; } block;   // from the centre of the cell

SAMPLE_INLINE void reflect(const block *from, block *to, const mirror *m, int32_t quads,
                           const int dimension) {
  for (int32_t q = 0; q < quads; q++) {
    quad along = m->normal[0]*from->r[0].of[q] + m->normal[1]*from->r[1].of[q];
    if (dimension == 3) along += m->normal[2]*from->r[2].of[q];
    const quad shift = 2.0*(along + m->distance);
    for (int a = 0; a < dimension; a++) to->r[a].of[q] = from->r[a].of[q] - shift*m->normal[a];
  }
}

SAMPLE_INLINE void count_in(sums *s, const block *image, int images, int32_t count, double scale,
                            const int dimension) {
  struct { lane weight, part[3], square; } of[IMAGES_MAX];
  for (int i = 0; i < images; i++)
    for (int32_t q = 0; q*QUAD_DOUBLES < count; q++) {
      const lane *r = image[i].r;
      quad square = r[0].of[q]*r[0].of[q] + r[1].of[q]*r[1].of[q];
      if (dimension == 3) square += r[2].of[q]*r[2].of[q];
      const quad t = 1.0 - square*scale;
      const quad u = (quad)((quad_mask)t & (t > 0.0)), weight = u*u*u;   // t > 0 ? t : 0
      of[i].square.of[q] = square;
      of[i].weight.of[q] = weight;
      for (int a = 0; a < dimension; a++) of[i].part[a].of[q] = weight*r[a].of[q];
    }
  double weight = s->weight, nearest = s->nearest, m[3];
  for (int a = 0; a < dimension; a++) m[a] = s->moment[a];
  for (int32_t k = 0; k < count; k++)
    for (int i = 0; i < images; i++) {
      nearest = of[i].square.at[k] < nearest ? of[i].square.at[k] : nearest;
      weight += of[i].weight.at[k];
      for (int a = 0; a < dimension; a++) m[a] += of[i].part[a].at[k];
    }
  s->weight = weight, s->nearest = nearest;
  for (int a = 0; a < dimension; a++) s->moment[a] = m[a];
}

typedef struct centre {        // of a cell, and the walls about it
  double x[3], scale;
  mirror m[MIRRORS_MAX];
  int mirrors;
} centre;

// x_p - x, with zeros up to the next multiple of QUAD_DOUBLES
SAMPLE_INLINE void take(lane *to, const double *from, int32_t count, double x) {
  int32_t k = 0;
  for (; k + QUAD_DOUBLES <= count; k += QUAD_DOUBLES)
    to->of[k/QUAD_DOUBLES] = *(const quad_anywhere *)(from + k) - x;
  for (; k < count; k++) to->at[k] = from[k] - x;
  for (; k % QUAD_DOUBLES != 0; k++) to->at[k] = 0.0;
}

SAMPLE_INLINE void count_row(const work *w, sums *s, const centre *at, int32_t begin, int32_t end,
                             const int dimension) {
  const particles *p = &w->f->p;
  block image[IMAGES_MAX];
  for (int32_t from = begin; from < end; from += LANE_PARTICLES) {
    const int32_t count = end - from < LANE_PARTICLES ? end - from : LANE_PARTICLES;
    for (int a = 0; a < dimension; a++) {
      take(&image[0].r[a], p->x[a] + from, count, at->x[a]);
      if (!w->step[a]) image[0].r[a] = (lane){.at = {0.0}};
    }
    int images = 1;
    for (int m = 0; m < at->mirrors; m++, images *= 2)
      for (int i = 0; i < images; i++)
        reflect(&image[i], &image[images + i], &at->m[m], (count + QUAD_DOUBLES - 1)/QUAD_DOUBLES,
                dimension);
    count_in(s, image, images, count, at->scale, dimension);
  }
}

// The same for the usual case, without mirrors; each row is added up by itself.
SAMPLE_INLINE void count_plain(const work *w, sums *s, const centre *at, int32_t begin,
                               int32_t end, const int dimension) {
  const particles *p = &w->f->p;
  sums row = {.nearest = s->nearest};
  for (int32_t from = begin; from < end; from += LANE_PARTICLES) {
    const int32_t count = end - from < LANE_PARTICLES ? end - from : LANE_PARTICLES;
    block b;
    for (int a = 0; a < dimension; a++) take(&b.r[a], p->x[a] + from, count, at->x[a]);
    count_in(&row, &b, 1, count, at->scale, dimension);
  }
  s->nearest = row.nearest;
  s->weight += row.weight;
  for (int a = 0; a < dimension; a++) s->moment[a] += row.moment[a];
}

SAMPLE_INLINE sums count_all(const work *w, const int32_t place[3], const centre *here,
                             const int dimension) {
  const perp_fluid *f = w->f;
  int32_t from[3], to[3];
  for (int a = 0; a < 3; a++) {
    from[a] = place[a] > 0 ? place[a] - 1 : 0;
    to[a] = place[a] < f->n[a] - 1 ? place[a] + 1 : f->n[a] - 1;
  }
  const int plain = here->mirrors == 0 && w->step[0] && w->step[1];
  sums s = {.nearest = INFINITY};
  for (int32_t k = from[2]; k <= to[2]; k++)
    for (int32_t j = from[1]; j <= to[1]; j++) {
      const int32_t c = at(&w->cells, from[0], j, k);
      const int32_t begin = f->first[c], end = f->first[c + to[0] - from[0] + 1];
      if (plain) count_plain(w, &s, here, begin, end, dimension);
      else count_row(w, &s, here, begin, end, dimension);
    }
  return s;
}

SAMPLE_INLINE sums count_any(const work *w, const int32_t place[3], const centre *here) {
  return w->step[2] ? count_all(w, place, here, 3) : count_all(w, place, here, 2);
}
static sums count_narrow(const work *w, const int32_t place[3], const centre *here) {
  return count_any(w, place, here);
}
SAMPLE_WIDE static sums count_wide(const work *w, const int32_t place[3], const centre *here) {
  return count_any(w, place, here);
}

static double distance_at(const work *w, const int32_t place[3]) {
  const perp_fluid *f = w->f;
  const double R = KERNEL_RADIUS*f->h;
  centre here = {.scale = 1.0/(R*R)};
  here.mirrors = mirrors_of(w, place, here.m);
  for (int a = 0; a < 3; a++) here.x[a] = (place[a] + 0.5)*f->h;
  const sums s = SAMPLE_HAS_WIDE() ? count_wide(w, place, &here) : count_narrow(w, place, &here);
  if (!(s.weight > 0.0)) return R;
  const double q = sqrt(s.moment[0]*s.moment[0] + s.moment[1]*s.moment[1] +
                        s.moment[2]*s.moment[2])/s.weight;
  const double plane = R*inverse(w->curve, q/R), spheres = sqrt(s.nearest) - SPHERE_RADIUS*f->h;
  return plane > spheres ? plane : spheres < R ? spheres : R;
}

// An upper limit of the distance in a cell with `count` particles. A cell with more than its share
// is liquid, wherever they are in it. If they crowd in a corner or on a line, its centre would be
// dry, and as air, which has no pressure, the cell would take in everything that flows towards it.
static double crowd(const work *w, int32_t count) {
  const double over = (double)count/w->share - 1.0;
  return over > 0.0 ? -0.5*w->f->h*(over < 1.0 ? over : 1.0) : KERNEL_RADIUS*w->f->h;
}

static void measure_cells(void *data, int32_t part, int32_t who) {
  (void)who;
  const work *w = data;
  perp_fluid *f = w->f;
  const lattice *l = &w->cells;
  for (int32_t line = first_line(l, part), end = first_line(l, part + 1); line < end; line++)
    for (int32_t i = 0; i < l->n[0]; i++) {
      const int32_t place[3] = {i, line % l->n[1], line/l->n[1]}, c = line*l->n[0] + i;
      const double far = KERNEL_RADIUS*f->h;
      f->surface[c] = w->around[c] & EMPTY ? far : w->deep[c] & FULL ? -far :
                      distance_at(w, place);
      if (f->type[c] == PERP_CELL_SOLID) continue;
      const double limit = crowd(w, f->first[c + 1] - f->first[c]);
      if (f->surface[c] > limit) f->surface[c] = limit;
      if (f->surface[c] < 0.0) f->type[c] = PERP_CELL_LIQUID;
    }
}

// ------------------------------------------------------------------------------------------ holes

// A hole is a group of at most 2 x 2 (x 2) cells that were liquid in the last substep and have
// liquid beyond all their open faces. Particles happened to miss them; mostly they are slivers of
// cells cut by a wall. As air a hole would be a drain: its volume is lost once the liquid around
// has filled it, and liquid that walls press on would flow into it. Air that liquid has enclosed is
// not a hole, as it was never liquid. Gaps at separating walls still grow in cells that count as
// liquid: p = 0 and D u > 0.
enum { HOLE_CELLS_MAX = 8 };

static int is_hole(const work *w, int32_t first) {
  const perp_fluid *f = w->f;
  const lattice *l = &w->cells;
  const int most = 1 << f->dimension;
  int32_t cell[HOLE_CELLS_MAX];
  int count = 1;
  cell[0] = first;
  for (int next = 0; next < count; next++) {
    const int32_t c = cell[next], i = c % l->n[0], j = c/l->n[0] % l->n[1], k = c/l->stride[2];
    if (w->around[c] & EMPTY || w->raw[c] & DRY) return 0;
    for (int a = 0; a < f->dimension; a++) {
      const lattice faces = faces_of(f, a);
      for (int high = 0; high < 2; high++) {
        if (!(f->open[a][at(&faces, i, j, k) + high*faces.stride[a]] > 0.0)) continue;
        const int32_t d = c + (high ? l->stride[a] : -l->stride[a]);
        if (f->type[d] != PERP_CELL_AIR) continue;
        int known = 0;
        for (int q = 0; q < count; q++) known |= cell[q] == d;
        if (known) continue;
        if (count == most) return 0;
        cell[count++] = d;
      }
    }
  }
  return 1;
}

static void find_holes(void *data, int32_t part, int32_t who) {   // into `to`; types stay
  (void)who;
  const work *w = data;
  const lattice *l = &w->cells;
  const int32_t end = first_line(l, part + 1)*l->n[0];
  for (int32_t c = first_line(l, part)*l->n[0]; c < end; c++)
    w->to[c] = w->f->type[c] == PERP_CELL_AIR && is_hole(w, c);
}

static void close_holes(void *data, int32_t part, int32_t who) {
  (void)who;
  const work *w = data;
  perp_fluid *f = w->f;
  const lattice *l = &w->cells;
  const int32_t end = first_line(l, part + 1)*l->n[0];
  for (int32_t c = first_line(l, part)*l->n[0]; c < end; c++) {
    if (!w->to[c]) continue;
    f->type[c] = PERP_CELL_LIQUID;
    f->surface[c] = f->surface[c] > 0.0 ? -f->surface[c] : -1e-3*f->h;
  }
}

// to = what holds in from for all neighbours, corners included
static void erode(work *w, uint8_t *from, uint8_t *to, uint8_t *spare[2]) {
  int left = w->step[0] + w->step[1] + w->step[2];
  if (left == 0) memcpy(to, from, (size_t)w->f->cells);
  w->from = from;
  for (w->axis = 0; w->axis < 3; w->axis++) {
    if (!w->step[w->axis]) continue;
    w->to = --left == 0 ? to : spare[left % 2];
    crew_run(w->f->crew, filter, w, parts_of(&w->cells));
    w->from = w->to;
  }
}

perp_error fluid_surface(perp_fluid *f) {
  work w = {.f = f, .cells = cells_of(f)};
  const size_t cells = (size_t)f->cells;
  const int32_t p = f->settings.particles;
  w.share = f->dimension == 2 ? p*p : p*p*p;
  w.raw = fluid_scratch(f, 5*cells);
  if (w.raw == NULL) return PERP_ERROR_MEMORY;
  w.around = w.raw + cells, w.deep = w.raw + 2*cells;
  uint8_t *spare[2] = {w.raw + 3*cells, w.raw + 4*cells};
  int dimensions = 0;
  for (int a = 0; a < 3; a++) dimensions += w.step[a] = f->n[a] > 1;
  draw_curve(w.curve, dimensions > 0 ? dimensions : 1);
  crew_run(f->crew, mark, &w, parts_of(&w.cells));
  erode(&w, w.raw, w.around, spare);
  erode(&w, w.around, w.deep, spare);
  crew_run(f->crew, measure_cells, &w, parts_of(&w.cells));
  w.to = spare[0];
  crew_run(f->crew, find_holes, &w, parts_of(&w.cells));
  crew_run(f->crew, close_holes, &w, parts_of(&w.cells));
  return PERP_OK;
}
