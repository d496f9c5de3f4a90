// extrapolate.c: velocities beyond the surface and in solids, for particles that move there.
//
// First come faces around air cells that particles reach but pressure does not. Each gets the mean
// change of those neighbours that the pressure has changed, or keeps its velocity if there are
// none. With gravity alone, particles in a cell that is not quite liquid would sink into the rest.
// Then, layer by layer, an unknown face gets the mean of its neighbours in earlier layers. Finally
// faces in solids are adapted to the walls, with v the velocity relative to the solid and n its
// outward normal:
//     no slip   v <- 0
//     slip      v <- v - (v.n) n
//     separating   the same where v.n < 0, or where the liquid at the wall presses on it
#include <math.h>
#include <string.h>

#include "sample.h"
#include "settings.h"

typedef struct front {         // of one component
  perp_fluid *f;
  int a;
  int32_t m[3], step[3];       // entries, and from one to the next
  int32_t layers;
  uint8_t *mark;               // 0: nothing yet, 1: known, k + 1: layer k
  int32_t *list, count;        // faces of layers, in their order
  double *value;               // of those in solids, in line with the wall
  const sampler *s;
} front;

static front front_of(perp_fluid *f, int a) {
  front w = {.f = f, .a = a, .mark = f->mark[a]};
  int32_t step = 1;
  for (int d = 0; d < 3; d++) {
    w.m[d] = f->n[d] + (a == d);
    w.step[d] = step;
    step *= w.m[d];
  }
  return w;
}

static void place_of(const front *w, int32_t at, int32_t place[3]) {
  const int32_t line = at/w->m[0];
  place[0] = at - line*w->m[0];
  place[2] = line/w->m[1];
  place[1] = line - place[2]*w->m[1];
}

// ---- faces that particles reach, but no pressure ----

// of a line of faces: 1 where a liquid cell is on either side
static void wet_line(const front *w, int32_t j, int32_t k, uint8_t *wet) {
  const perp_fluid *f = w->f;
  const int32_t n = f->n[0], place[3] = {0, j, k}, step[3] = {1, n, n*f->n[1]};
  memset(wet, 0, (size_t)w->m[0]);
  for (int side = 0; side < 2; side++) {   // the cells behind the faces, and those before them
    const int32_t line = place[w->a] - (side == 0 ? 1 : 0);
    if (w->a != 0 && (line < 0 || line >= f->n[w->a])) continue;
    const uint8_t *type = f->type + j*step[1] + k*step[2];
    uint8_t *to = wet;
    if (w->a == 0) to += side == 0 ? 1 : 0;
    else if (side == 0) type -= step[w->a];
    for (int32_t i = 0; i < n; i++) to[i] |= type[i] == PERP_CELL_LIQUID;
  }
}

static int wet_at(const perp_fluid *f, const int32_t place[3], int a) {
  const int32_t step[3] = {1, f->n[0], f->n[0]*f->n[1]};
  const int32_t high = place[2]*step[2] + place[1]*step[1] + place[0];
  return (place[a] > 0 && f->type[high - step[a]] == PERP_CELL_LIQUID) ||
         (place[a] < f->n[a] && f->type[high] == PERP_CELL_LIQUID);
}

static void hang_on(const front *w, const int32_t place[3], int32_t at) {
  const perp_fluid *f = w->f;
  double *u = f->u[w->a], pair[3] = {0.0, 0.0, 0.0};
  const double *before = f->before[w->a], *open = f->open[w->a];
  int count = 0;
  for (int d = 0; d < f->dimension; d++)
    for (int32_t side = -1; side <= 1; side += 2) {
      int32_t other[3] = {place[0], place[1], place[2]};
      const int32_t to = at + side*w->step[d];
      other[d] += side;
      if (other[d] < 0 || other[d] >= w->m[d] || !wet_at(f, other, w->a) || !(open[to] > 0.0))
        continue;
      pair[d] += u[to] - before[to];
      count++;
    }
  if (count > 0) u[at] = before[at] + (pair[0] + pair[1] + pair[2])/count;
}

static void hang_on_line(void *data, int32_t line, int32_t who) {
  (void)who;
  const front *w = data;
  uint8_t wet[SIDE_CELLS_MAX + 1];
  int32_t place[3] = {0, line%w->m[1], line/w->m[1]};
  const int32_t begin = line*w->m[0];
  const uint8_t *known = w->f->known[w->a] + begin;
  wet_line(w, place[1], place[2], wet);
  for (int32_t i = 0; i < w->m[0]; i++) wet[i] = (uint8_t)(known[i] & (wet[i] ^ 1));
  const uint8_t *next = wet;
  while ((next = memchr(next, 1, (size_t)(wet + w->m[0] - next))) != NULL) {
    place[0] = (int32_t)(next++ - wet);
    if (w->f->open[w->a][begin + place[0]] > 0.0) hang_on(w, place, begin + place[0]);
  }
}

// ---- layers ----

// of a line of faces: 1 where they are not known and a neighbour is
static void edge_line(const front *w, int32_t j, int32_t k, uint8_t *edge) {
  const int32_t m = w->m[0], place[3] = {0, j, k};
  const uint8_t *known = w->f->known[w->a] + (k*w->m[1] + j)*m;
  memset(edge, 0, (size_t)m);
  for (int32_t i = 1; i < m; i++) edge[i] |= known[i - 1];
  for (int32_t i = 0; i < m - 1; i++) edge[i] |= known[i + 1];
  for (int d = 1; d < w->f->dimension; d++) {
    const uint8_t *low = known - w->step[d], *high = known + w->step[d];
    for (int32_t i = 0; i < m && place[d] > 0; i++) edge[i] |= low[i];
    for (int32_t i = 0; i < m && place[d] < w->m[d] - 1; i++) edge[i] |= high[i];
  }
  for (int32_t i = 0; i < m; i++) edge[i] = (uint8_t)(edge[i] & (known[i] ^ 1));
}

static void first_layer(front *w) {
  uint8_t edge[SIDE_CELLS_MAX + 1];
  for (int32_t line = 0; line < w->m[1]*w->m[2]; line++) {
    edge_line(w, line%w->m[1], line/w->m[1], edge);
    const uint8_t *next = edge;
    while ((next = memchr(next, 1, (size_t)(edge + w->m[0] - next))) != NULL) {
      const int32_t at = line*w->m[0] + (int32_t)(next++ - edge);
      w->mark[at] = 2;
      w->list[w->count++] = at;
    }
  }
}

// The mean of neighbours of layers before; those along a direction are added first, which gives the
// same sum to a mirror image.
static void fill(const front *w, int32_t at, int32_t layer) {
  double *u = w->f->u[w->a], pair[3] = {0.0, 0.0, 0.0};
  int32_t place[3];
  int count = 0;
  place_of(w, at, place);
  for (int d = 0; d < w->f->dimension; d++) {
    const int32_t low = at - w->step[d], high = at + w->step[d];
    if (place[d] > 0 && w->mark[low] > 0 && w->mark[low] <= layer) pair[d] += u[low], count++;
    if (place[d] < w->m[d] - 1 && w->mark[high] > 0 && w->mark[high] <= layer)
      pair[d] += u[high], count++;
  }
  u[at] = (pair[0] + pair[1] + pair[2])/count;
}

static void reach_on(front *w, int32_t at, int32_t layer) {
  int32_t place[3];
  place_of(w, at, place);
  for (int d = 0; d < w->f->dimension; d++)
    for (int32_t side = -1; side <= 1; side += 2) {
      const int32_t to = at + side*w->step[d], other = place[d] + side;
      if (other < 0 || other >= w->m[d] || w->mark[to] > 0) continue;
      w->mark[to] = (uint8_t)(layer + 2);
      w->list[w->count++] = to;
    }
}

static void spread(void *data, int32_t a, int32_t who) {
  (void)who;
  front *w = (front *)data + a;
  const uint8_t *known = w->f->known[a];
  double *u = w->f->u[a];
  memcpy(w->mark, known, (size_t)w->f->faces[a]);
  for (int32_t i = 0; i < w->f->faces[a]; i++) u[i] = known[i] ? u[i] : 0.0;
  first_layer(w);
  for (int32_t layer = 1, begin = 0; layer <= w->layers && begin < w->count; layer++) {
    const int32_t end = w->count;
    for (int32_t q = begin; q < end; q++) fill(w, w->list[q], layer);
    for (int32_t q = begin; q < end && layer < w->layers; q++) reach_on(w, w->list[q], layer);
    begin = end;
  }
}

static perp_error start(perp_fluid *f, int32_t layers, front w[3]) {
  size_t faces = 0;
  for (int a = 0; a < f->dimension; a++) faces += (size_t)f->faces[a];
  double *value = fluid_scratch(f, faces*(sizeof(double) + sizeof(int32_t)));
  if (value == NULL) return PERP_ERROR_MEMORY;
  int32_t *list = (int32_t *)(value + faces);
  for (int a = 0; a < f->dimension; a++) {
    w[a] = front_of(f, a);
    w[a].layers = layers;
    w[a].value = value;
    w[a].list = list;
    value += f->faces[a];
    list += f->faces[a];
  }
  return PERP_OK;
}

perp_error fluid_spread(perp_fluid *f, int32_t layers) {
  front w[3];
  const perp_error error = start(f, layers, w);
  if (error == PERP_OK) crew_run(f->crew, spread, w, f->dimension);
  return error;
}

// ---- walls ----

// Outward normal of the solids, or of the side of the box, at the face at `place` of component a.
static void normal_at(const front *w, const int32_t place[3], double n[3]) {
  const perp_fluid *f = w->f;
  const int deep = f->dimension == 3;
  n[0] = n[1] = n[2] = 0.0;
  if (place[w->a] == 0 || place[w->a] == f->n[w->a]) {
    n[w->a] = place[w->a] == 0 ? 1.0 : -1.0;
    return;
  }
  const int32_t line = f->n[0] + 1, sheet = line*(f->n[1] + 1);
  const int32_t step[3] = {1, line, deep ? sheet : 0};
  // The corners of the face, and those a cell before and behind.
  double square = 0.0;
  for (int d = 0; d < f->dimension; d++) {
    double sum = 0.0;
    for (int corner = 0; corner < 1 << f->dimension; corner++) {
      int32_t at = place[2]*step[2] + place[1]*step[1] + place[0];
      if (corner >> w->a & 1 && d != w->a) continue;   // across: the corners of the face itself
      for (int e = 0; e < f->dimension; e++)
        if (corner >> e & 1) at += step[e];
      if (d == w->a && !(corner >> d & 1)) at -= step[d];
      sum += corner >> d & 1 ? f->solid_distance[at] : -f->solid_distance[at];
    }
    n[d] = d == w->a ? 0.25*sum : sum;   // twice as many, twice as far apart
    square += n[d]*n[d];
  }
  // No slope, no normal: the middle of a solid, where rounding would choose one.
  const double scale = square > 1e-6*f->h*f->h ? 1.0/sqrt(square) : 0.0;
  for (int d = 0; d < 3; d++) n[d] *= scale;
}

// 1: liquid beside the closed face at `place` presses on the wall and none lets go of it. Within a
// solid the cells next to those of the face tell.
static int presses(const front *w, const int32_t place[3]) {
  const perp_fluid *f = w->f;
  int press = 0;
  for (int ring = 0; ring < 2 && !press; ring++)
    for (int side = 0; side < 2; side++)
      for (int d = 0; d < (ring ? 2*f->dimension : 1); d++) {
        int32_t at[3] = {place[0], place[1], place[2]};
        at[w->a] -= side;
        if (ring && d/2 != w->a) at[d/2] += d%2 ? 1 : -1;
        if (at[0] < 0 || at[1] < 0 || at[2] < 0 || at[0] >= f->n[0] || at[1] >= f->n[1] ||
            at[2] >= f->n[2]) continue;
        const int32_t c = (at[2]*f->n[1] + at[1])*f->n[0] + at[0];
        if (f->type[c] == PERP_CELL_SOLID) continue;
        if (f->type[c] == PERP_CELL_AIR || f->separating[c]) return 0;
        press = 1;
      }
  return press;
}

static double in_line(const front *w, int32_t at) {
  const perp_fluid *f = w->f;
  const double wall = f->wall[w->a][at];
  if (f->settings.walls == PERP_WALLS_NO_SLIP) return wall;
  int32_t place[3];
  double x[3] = {0.0, 0.0, 0.0}, n[3], along = 0.0;
  place_of(w, at, place);
  for (int d = 0; d < f->dimension; d++) x[d] = (place[d] + (d == w->a ? 0.0 : 0.5))*f->h;
  normal_at(w, place, n);
  const spot here = sample_spot(w->s, x, f->dimension);
  for (int b = 0; b < f->dimension; b++)
    along += n[b]*(sample_field(w->s, f->u[b], &here, b, f->dimension) -
                   sample_field(w->s, f->wall[b], &here, b, f->dimension));
  const int held = f->settings.walls == PERP_WALLS_SLIP || along < 0.0 || presses(w, place);
  return f->u[w->a][at] - (held ? along*n[w->a] : 0.0);
}

static void find_values(void *data, int32_t a, int32_t who) {
  (void)who;
  const front *w = (front *)data + a;
  for (int32_t q = 0; q < w->count; q++)
    if (!(w->f->open[a][w->list[q]] > 0.0)) w->value[q] = in_line(w, w->list[q]);
}

static void put_values(void *data, int32_t a, int32_t who) {
  (void)who;
  const front *w = (front *)data + a;
  for (int32_t q = 0; q < w->count; q++)
    if (!(w->f->open[a][w->list[q]] > 0.0)) w->f->u[a][w->list[q]] = w->value[q];
}

perp_error fluid_extrapolate(perp_fluid *f) {
  front w[3];
  // What is within reach of a particle: cfl cells, one for interpolation, one for pushes, one from
  // which the outermost of them see their walls.
  const perp_error error = start(f, (int32_t)ceil(f->settings.cfl) + 3, w);
  if (error != PERP_OK) return error;
  const sampler s = sampler_of(f, f->u);
  for (int a = 0; a < f->dimension; a++) {
    w[a].s = &s;
    if (f->dt > 0.0)           // dt = 0: u is that of the particles
      crew_run(f->crew, hang_on_line, &w[a], w[a].m[1]*w[a].m[2]);
  }
  crew_run(f->crew, spread, w, f->dimension);
  crew_run(f->crew, find_values, w, f->dimension);
  crew_run(f->crew, put_values, w, f->dimension);
  return PERP_OK;
}
