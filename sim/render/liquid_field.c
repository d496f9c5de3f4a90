// liquid_field.c: the surface of a liquid as the zero of a field on nodes, made of its particles.
//
// After Zhu and Bridson, "Animating sand as a fluid" (2005): at a node x, let c be the mean place of
// the particles within R, with the weights w = (1 - r^2/R^2)^3. The liquid is where
// radius - |x - c| > 0. This makes its edge smooth for any arrangement of particles, and a single
// particle a drop. Between two bodies of liquid c is near x too, so points farther than `near` from
// all particles are not liquid. If particles inside are far apart, cells known to be full close the
// holes.
//
// In three dimensions this keeps sheets as thin as one layer of particles closed. The liquid's own
// distance at the centres of cells misses what is thinner than a cell, but it has flat surfaces and
// walls in the right place, and it covers places where particles were not recorded. A point is
// liquid if either of the two says so and it is in the box. In the plane the player does the same
// (viewer/src/surface.js); in three dimensions it gets these nodes (cli/page/replay_surface.c).
//
// Threads share the layers of nodes. Each node adds its particles in their order, so the sums do not
// depend on the thread.
#include "liquid_field.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
  NODES_MAX = 6000000,         // of the field
  TASK_LAYERS = 8,             // layers that a thread takes at a time
  CELL_PARTS_MAX = 4           // nodes along the edge of a cell
};
static const double outside = -1e30;
// Radii in distances between particles. At the flat edge of a liquid in space the mean place of the
// particles is 0.74 away. A smaller radius leaves flat edges to the distances of cells, and layers
// of single particles are 1.3 thick: more than nodes are apart, so that they have no holes, and
// little more than their share. With 0.74 the splash of dam-break-3d (size 16, step 40) has 14 %
// more volume than there is, with 0.66 it has 10 %.
static const double flat_radius = 0.95, space_radius = 0.66;
static const double lone_radius = 0.9;   // of a drop of one particle: it contains a node
static const double lone_weight = 1.05;  // the sum of weights of one particle is below it
static const double near_most = 1.5;     // to the nearest particle

typedef struct maker {
  field *f;
  const render_liquid *liquid;
  float *sum, *place[3];       // nodes
  float *nearest;              // nodes, in space: to a particle, squared, in steps
  double gap, reach, radius;
  int32_t axes;
  int32_t boxed;               // 1: nodes are those of the grid, and the liquid ends at its sides
  atomic_int next;
} maker;

static int64_t nodes_of(const field *f) { return (int64_t)f->n[0]*f->n[1]*f->n[2]; }

static void add_particle(const maker *m, int64_t p, const int32_t from[2]) {
  field *f = m->f;
  const float *at = m->liquid->position + 3*p;
  double x[3] = {0.0, 0.0, 0.0};
  int32_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
  for (int c = 0; c < m->axes; c++) {
    x[c] = ((double)at[c] - f->origin[c])/f->step;
    low[c] = (int32_t)most(ceil(x[c] - m->reach/f->step), 0.0);
    high[c] = (int32_t)least(floor(x[c] + m->reach/f->step), f->n[c] - 1.0);
  }
  const int last = m->axes - 1;              // threads share the layers of this axis
  if (low[last] < from[0]) low[last] = from[0];
  if (high[last] >= from[1]) high[last] = from[1] - 1;
  const double shrink = f->step*f->step/(m->reach*m->reach);
  for (int32_t k = low[2]; k <= high[2]; k++) {
    for (int32_t j = low[1]; j <= high[1]; j++) {
      const double dy = j - x[1], dz = k - x[2], side = dy*dy + dz*dz;
      const int64_t line = ((int64_t)k*f->n[1] + j)*f->n[0];
      for (int32_t i = low[0]; i <= high[0]; i++) {
        const double dx = i - x[0], q = 1.0 - shrink*(dx*dx + side);
        if (q <= 0.0) continue;
        const float w = (float)(q*q*q);
        if (m->nearest) {
          const float square = (float)(dx*dx + side);
          if (square < m->nearest[line + i]) m->nearest[line + i] = square;
        }
        m->sum[line + i] += w;
        f->value[line + i] += w*m->liquid->value[p];
        m->place[0][line + i] += w*(float)dx;
        m->place[1][line + i] += w*(float)dy;
        if (m->axes == 3) m->place[2][line + i] += w*(float)dz;
      }
    }
  }
}

// Whether a node is in a cell that is known to be full.
static int in_full(const maker *m, int64_t node) {
  const field *f = m->f;
  const render_liquid *liquid = m->liquid;
  const int64_t at[3] = {node % f->n[0], node/f->n[0] % f->n[1], node/f->n[0]/f->n[1]};
  int64_t cell = 0;
  for (int c = 2; c >= 0 && liquid->full; c--) {
    const double x = f->origin[c] + f->step*(double)at[c], n = liquid->grid[c];
    const double place = c < m->axes ? floor(x/liquid->size[c]*n) : 0.0;
    if (!(place >= 0.0 && place < n)) return 0;
    cell = cell*liquid->grid[c] + (int64_t)place;
  }
  return liquid->full && liquid->full[cell];
}

static void place_of(const field *f, int64_t node, double x[3]) {
  const int64_t at[3] = {node % f->n[0], node/f->n[0] % f->n[1], node/f->n[0]/f->n[1]};
  for (int c = 0; c < 3; c++) x[c] = f->origin[c] + f->step*(double)at[c];
}

// The depth that the distances of cells have at a point, linear between their centres.
static double recorded_depth(const render_liquid *liquid, const double x[3]) {
  const double width = liquid->size[0]/liquid->grid[0];
  int64_t low[3], high[3];
  double part[3], sum = 0.0;
  for (int c = 0; c < 3; c++) {
    const double place = clamp(x[c]/width - 0.5, 0.0, liquid->grid[c] - 1.0);
    low[c] = (int64_t)place;
    high[c] = low[c] + 1 < liquid->grid[c] ? low[c] + 1 : low[c];
    part[c] = place - (double)low[c];
  }
  for (int n = 0; n < 8; n++) {
    int64_t cell = 0;
    double share = 1.0;
    for (int c = 2; c >= 0; c--) {
      cell = cell*liquid->grid[c] + (n >> c & 1 ? high[c] : low[c]);
      share *= n >> c & 1 ? part[c] : 1.0 - part[c];
    }
    sum += share*liquid->distance[cell];
  }
  return -sum*width/FIELD_UNIT;
}

// How far a point is from the sides of the box, negative beyond them.
static double within_box(const render_liquid *liquid, const double x[3]) {
  double away = INFINITY;
  for (int c = 0; c < 3; c++) away = least(away, least(x[c], liquid->size[c] - x[c]));
  return away;
}

static void finish(const maker *m, int64_t node) {
  field *f = m->f;
  const double sum = (double)m->sum[node];
  double depth = m->radius - m->reach, x[3];
  if (sum > 0.0) {
    double square = 0.0;
    for (int c = 0; c < m->axes; c++) {
      const double mean = (double)m->place[c][node]/sum;
      square += mean*mean;
    }
    const int lone = m->axes == 3 && sum < lone_weight;
    depth = most(depth, (lone ? lone_radius*m->gap : m->radius) - f->step*sqrt(square));
    if (m->nearest)
      depth = least(depth, near_most*m->gap - f->step*sqrt((double)m->nearest[node]));
    f->value[node] /= m->sum[node];
  }
  place_of(f, node, x);
  if (m->axes == 3 && m->liquid->distance) depth = most(depth, recorded_depth(m->liquid, x));
  else if (in_full(m, node)) depth = most(depth, 0.4*m->gap);
  if (m->boxed) depth = least(depth, within_box(m->liquid, x));
  f->depth[node] = (float)depth;
}

static void *work(void *argument) {
  maker *m = argument;
  field *f = m->f;
  const int last = m->axes - 1;
  const int64_t layer = m->axes == 3 ? (int64_t)f->n[0]*f->n[1] : f->n[0];
  for (;;) {
    const int32_t first = TASK_LAYERS*atomic_fetch_add(&m->next, 1);
    if (first >= f->n[last]) return NULL;
    const int32_t end = first + TASK_LAYERS, from[2] = {first, end < f->n[last] ? end : f->n[last]};
    const double low = f->origin[last] + f->step*from[0] - m->reach;
    const double high = f->origin[last] + f->step*(from[1] - 1) + m->reach;
    for (int64_t p = 0; p < m->liquid->count; p++) {
      const double at = (double)m->liquid->position[3*p + last];
      if (at >= low && at <= high) add_particle(m, p, from);
    }
    for (int64_t node = layer*from[0]; node < layer*from[1]; node++) finish(m, node);
  }
}

// Nodes between which colours are mixed need one even where no particle is near.
static void spread_values(const maker *m) {
  const field *f = m->f;
  const int64_t count = nodes_of(f), side[6] = {1, -1, f->n[0], -f->n[0],
                                                (int64_t)f->n[0]*f->n[1],
                                                -(int64_t)f->n[0]*f->n[1]};
  for (int64_t node = 0; node < count; node++) {
    if (m->sum[node] > 0.0f) continue;
    for (int s = 0; s < 6; s++) {
      const int64_t other = node + side[s];
      if (other < 0 || other >= count || !(m->sum[other] > 0.0f)) continue;
      f->value[node] = f->value[other];
      break;
    }
  }
}

static void fill_bricks(field *f) {
  int64_t brick = 0;
  for (int32_t c = 0; c < f->bricks[2]; c++)
    for (int32_t b = 0; b < f->bricks[1]; b++)
      for (int32_t a = 0; a < f->bricks[0]; a++, brick++) {
        float top = (float)outside;
        for (int32_t k = BRICK_SIDE*c; k <= BRICK_SIDE*(c + 1) && k < f->n[2]; k++)
          for (int32_t j = BRICK_SIDE*b; j <= BRICK_SIDE*(b + 1) && j < f->n[1]; j++)
            for (int32_t i = BRICK_SIDE*a; i <= BRICK_SIDE*(a + 1) && i < f->n[0]; i++) {
              const float depth = f->depth[((int64_t)k*f->n[1] + j)*f->n[0] + i];
              if (depth > top) top = depth;
            }
        f->deepest[brick] = top;
      }
}

int32_t field_parts(const render_liquid *liquid) {
  const double width = liquid->size[0]/liquid->grid[0];
  return (int32_t)clamp(rint(width/liquid->gap), 1.0, CELL_PARTS_MAX);
}

static void choose_reach(maker *m) {
  m->gap = most(m->gap, m->f->step);
  m->reach = (m->axes == 3 ? 3.0 : 2.4)*m->gap;
  m->radius = (m->axes == 3 ? space_radius : flat_radius)*m->gap;
}

// The nodes of the grid around all particles.
static void choose_grid(maker *m, const double low[3], const double high[3]) {
  field *f = m->f;
  const render_liquid *liquid = m->liquid;
  const int32_t parts = field_parts(liquid);
  m->boxed = 1;
  f->step = liquid->size[0]/((double)liquid->grid[0]*parts);
  choose_reach(m);
  for (int c = 0; c < 3; c++) {   // node i + 1 is the centre of the i-th part
    const double last = (double)liquid->grid[c]*parts + 1.0;
    const double first = clamp(floor((low[c] - m->reach)/f->step), 0.0, last);
    const double end = clamp(ceil((high[c] + m->reach)/f->step) + 1.0, first + 1.0, last);
    f->origin[c] = (first - 0.5)*f->step;
    f->n[c] = (int32_t)(end - first) + 1;
  }
}

void field_distances(const field *f, const render_liquid *liquid, int8_t *to) {
  const int32_t parts = field_parts(liquid);
  int64_t n[3], first[3];
  for (int c = 0; c < 3; c++) {
    n[c] = (int64_t)liquid->grid[c]*parts;
    first[c] = f->n[0] ? (int64_t)rint(f->origin[c]/f->step + 0.5) : 0;
  }
  memset(to, INT8_MAX, (size_t)(n[0]*n[1]*n[2]));
  for (int32_t k = 0; k < f->n[2] && f->n[0]; k++)
    for (int32_t j = 0; j < f->n[1]; j++)
      for (int32_t i = 0; i < f->n[0]; i++) {
        const int64_t at[3] = {i + first[0] - 1, j + first[1] - 1, k + first[2] - 1};
        if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= n[0] || at[1] >= n[1] || at[2] >= n[2])
          continue;
        const double depth = (double)f->depth[((int64_t)k*f->n[1] + j)*f->n[0] + i]/f->step;
        double d = rint(clamp(-FIELD_UNIT*depth, -127.0, 127.0));
        if (d == 0.0 && depth > 0.0) d = -1.0;   // which side it is on stays
        to[(at[2]*n[1] + at[1])*n[0] + at[0]] = (int8_t)d;
      }
}

// A box around all particles, with nodes as close as there is room for.
static void choose_nodes(maker *m) {
  field *f = m->f;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int64_t p = 0; p < m->liquid->count; p++)
    for (int c = 0; c < m->axes; c++) {
      low[c] = least((double)m->liquid->position[3*p + c], low[c]);
      high[c] = most((double)m->liquid->position[3*p + c], high[c]);
    }
  m->gap = m->liquid->gap;
  if (m->axes == 3 && m->liquid->grid[0] > 0) {
    choose_grid(m, low, high);
    return;
  }
  f->step = m->axes == 3 ? 0.9*m->gap : 0.5*m->gap;
  for (;;) {
    choose_reach(m);
    double nodes = 1.0;
    for (int c = 0; c < 3; c++) {
      f->n[c] = 1;
      f->origin[c] = 0.0;
      if (c >= m->axes) continue;
      f->origin[c] = low[c] - m->reach - f->step;
      const double wide = (high[c] - low[c] + 2.0*m->reach)/f->step + 3.0;
      nodes *= wide;
      f->n[c] = (int32_t)least(wide, NODES_MAX);
    }
    if (nodes <= NODES_MAX) return;
    f->step *= 1.2;
  }
}

static int reserve(field *f) {
  const int64_t nodes = nodes_of(f);
  for (int c = 0; c < 3; c++) f->bricks[c] = (f->n[c] + BRICK_SIDE - 2)/BRICK_SIDE + (f->n[c] < 2);
  const int64_t bricks = (int64_t)f->bricks[0]*f->bricks[1]*f->bricks[2];
  if (nodes > f->room || bricks > f->brick_room) {
    free(f->depth);
    free(f->value);
    free(f->deepest);
    f->room = f->brick_room = 0;
    f->depth = malloc((size_t)nodes*sizeof *f->depth);
    f->value = malloc((size_t)nodes*sizeof *f->value);
    f->deepest = malloc((size_t)bricks*sizeof *f->deepest);
    if (!f->depth || !f->value || !f->deepest) return 1;
    f->room = nodes, f->brick_room = bricks;
  }
  memset(f->value, 0, (size_t)nodes*sizeof *f->value);
  return 0;
}

int field_make(field *f, const render_liquid *liquid, int32_t dimension, int32_t threads) {
  maker m = {.f = f, .liquid = liquid, .axes = dimension};
  f->n[0] = 0;
  if (liquid->count == 0) return 0;
  choose_nodes(&m);
  float *memory = calloc((size_t)nodes_of(f)*5, sizeof *memory);
  if (!memory || reserve(f)) {
    free(memory);
    field_free(f);
    return 1;
  }
  m.sum = memory;
  for (int c = 0; c < 3; c++) m.place[c] = memory + (c + 1)*nodes_of(f);
  m.nearest = m.axes == 3 ? memory + 4*nodes_of(f) : NULL;
  for (int64_t node = 0; m.nearest && node < nodes_of(f); node++) m.nearest[node] = INFINITY;
  pthread_t thread[64];
  int32_t started = 0;
  for (; started < threads - 1 && started < 64; started++)
    if (pthread_create(&thread[started], NULL, work, &m) != 0) break;
  work(&m);
  for (int32_t k = 0; k < started; k++) pthread_join(thread[k], NULL);
  spread_values(&m);
  fill_bricks(f);
  free(memory);
  return 0;
}

void field_free(field *f) {
  free(f->depth);
  free(f->value);
  free(f->deepest);
  *f = (field){0};
}

// ---------------------------------------------------------------------------------------- looking

// The corner below a point and the parts beyond it; 0: it is not between nodes.
static int corner_of(const field *f, vec at, int64_t *node, double part[3]) {
  const double x[3] = {(at.x - f->origin[0])/f->step, (at.y - f->origin[1])/f->step,
                       (at.z - f->origin[2])/f->step};
  int32_t low[3] = {0, 0, 0};
  part[2] = 0.0;
  for (int c = 0; c < 3 && (c < 2 || f->n[2] > 1); c++) {
    if (!(x[c] >= 0.0 && x[c] < f->n[c] - 1)) return 0;
    low[c] = (int32_t)x[c];
    part[c] = x[c] - low[c];
  }
  *node = ((int64_t)low[2]*f->n[1] + low[1])*f->n[0] + low[0];
  return 1;
}

static double mix(const field *f, const float *at, const double part[3]) {
  const int64_t ny = f->n[0], nz = f->n[2] > 1 ? (int64_t)f->n[0]*f->n[1] : 0;
  const double a = part[0], b = part[1], c = part[2];
  const double low = (1.0 - b)*((1.0 - a)*(double)at[0] + a*(double)at[1]) +
                     b*((1.0 - a)*(double)at[ny] + a*(double)at[ny + 1]);
  if (nz == 0) return low;
  const double high = (1.0 - b)*((1.0 - a)*(double)at[nz] + a*(double)at[nz + 1]) +
                      b*((1.0 - a)*(double)at[nz + ny] + a*(double)at[nz + ny + 1]);
  return low + c*(high - low);
}

double field_depth(const field *f, vec at) {
  int64_t node;
  double part[3];
  return f->n[0] && corner_of(f, at, &node, part) ? mix(f, f->depth + node, part) : outside;
}

double field_value(const field *f, vec at) {
  int64_t node;
  double part[3];
  return f->n[0] && corner_of(f, at, &node, part) ? mix(f, f->value + node, part) : 0.0;
}

vec field_normal(const field *f, vec at) {
  const double d = 1.2*f->step;
  const vec x = {d, 0.0, 0.0}, y = {0.0, d, 0.0}, z = {0.0, 0.0, d};
  return unit((vec){field_depth(f, minus(at, x)) - field_depth(f, plus(at, x)),
                    field_depth(f, minus(at, y)) - field_depth(f, plus(at, y)),
                    field_depth(f, minus(at, z)) - field_depth(f, plus(at, z))});
}

// The part of a ray between the nodes.
static int cut(const field *f, vec from, vec way, double *enter, double *leave) {
  const double p[3] = {from.x, from.y, from.z}, d[3] = {way.x, way.y, way.z};
  *enter = 0.0;
  for (int c = 0; c < 3; c++) {
    const double low = f->origin[c], high = low + f->step*(f->n[c] - 1);
    if (fabs(d[c]) < 1e-12) {
      if (p[c] <= low || p[c] >= high) return 0;
      continue;
    }
    const double one = (low - p[c])/d[c], two = (high - p[c])/d[c];
    *enter = most(*enter, least(one, two));
    *leave = least(*leave, most(one, two));
  }
  return *enter < *leave;
}

// How far to go from t until the brick there ends, if nothing of it is liquid; 0: some may be.
static double skip(const field *f, vec from, vec way, double t) {
  const vec at = along(from, t, way);
  const double x[3] = {at.x, at.y, at.z}, d[3] = {way.x, way.y, way.z}, wide = BRICK_SIDE*f->step;
  int32_t brick[3];
  double far = INFINITY;
  for (int c = 0; c < 3; c++) {
    const double place = (x[c] - f->origin[c])/wide;
    brick[c] = (int32_t)clamp(floor(place), 0.0, f->bricks[c] - 1.0);
    const double side = f->origin[c] + wide*(brick[c] + (d[c] > 0.0 ? 1 : 0));
    if (fabs(d[c]) > 1e-12) far = least(far, (side - x[c])/d[c]);
  }
  const int64_t k = ((int64_t)brick[2]*f->bricks[1] + brick[1])*f->bricks[0] + brick[0];
  return f->deepest[k] > 0.0f ? 0.0 : most(far, 0.0) + 1e-3*f->step;
}

double field_hit(const field *f, vec from, vec way, double limit) {
  double t, leave = limit;
  if (f->n[0] == 0 || !cut(f, from, way, &t, &leave)) return INFINITY;
  double last = t;
  while (t < leave) {
    const double far = skip(f, from, way, t);
    if (far > 0.0) {
      t += far;
      last = t;
      continue;
    }
    const double depth = field_depth(f, along(from, t, way));
    if (depth > 0.0) {
      double low = last, high = t;           // the surface is between them
      for (int k = 0; k < 6 && last < t; k++) {
        const double middle = 0.5*(low + high);
        if (field_depth(f, along(from, middle, way)) > 0.0) high = middle;
        else low = middle;
      }
      return high;
    }
    last = t;
    t += f->step*clamp(-0.7*depth/f->step, 0.6, 1.5);   // depths are about distances
  }
  return INFINITY;
}

double field_thickness(const field *f, vec from, vec way) {
  double t, leave = INFINITY, sum = 0.0;
  if (f->n[0] == 0 || !cut(f, from, way, &t, &leave)) return 0.0;
  const double step = 1.5*f->step;
  while (t < leave) {
    const double far = skip(f, from, way, t);
    if (far > 0.0) {
      t += far;
      continue;
    }
    sum += step*clamp(0.5 + field_depth(f, along(from, t, way))/step, 0.0, 1.0);
    t += step;
  }
  return sum;
}
