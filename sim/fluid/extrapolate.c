// extrapolate.c: velocities beyond the surface and in solids, for the particles that get there.
//
// First faces that particles reach but no pressure, around cells that are air: they get the mean
// change of those neighbours that have changed with the pressure, and keep their velocity else.
// With gravity alone the particles of a cell that is not quite liquid would sink into the rest.
// Then, layer by layer, a face that is not known gets the mean of its neighbours of layers before.
// At last faces in solids are brought in line with the walls, with v the velocity relative to the
// solid and n its outward normal:
//     no slip   v <- 0
//     slip      v <- v - (v.n) n
//     separating   the same where v.n < 0: liquid may leave the wall but not enter it
#include <math.h>
#include <string.h>

#include "sample.h"

typedef struct spread {
  perp_fluid *f;
  int a;                       // component
  int32_t m[3], step[3];       // entries, and from one to the next
  const uint8_t *mark;         // those that are known
  uint8_t *next;
  double *out;                 // faces in solids: their velocity in line with the wall
  const sampler *s;
} spread;

static void layer(void *data, int32_t line, int32_t who) {
  (void)who;
  const spread *w = data;
  const int32_t j = line%w->m[1], k = line/w->m[1], begin = line*w->m[0];
  double *u = w->f->u[w->a];
  const uint8_t *mark = w->mark;
  for (int32_t i = 0; i < w->m[0]; i++) {
    const int32_t at = begin + i;
    if (mark[at]) continue;
    const int32_t place[3] = {i, j, k};
    double pair[3] = {0.0, 0.0, 0.0};
    int count = 0;
    for (int d = 0; d < w->f->dimension; d++) {
      double low = 0.0, high = 0.0;
      if (place[d] > 0 && mark[at - w->step[d]]) low = u[at - w->step[d]], count++;
      if (place[d] < w->m[d] - 1 && mark[at + w->step[d]]) high = u[at + w->step[d]], count++;
      pair[d] = low + high;      // the same for mirrored neighbours, to the last bit
    }
    if (count == 0) continue;
    u[at] = (pair[0] + pair[1] + pair[2])/count;
    w->next[at] = 1;
  }
}

static int wet(const perp_fluid *f, const int32_t place[3], int a) {   // the pressure is felt there
  const int32_t step[3] = {1, f->n[0], f->n[0]*f->n[1]};
  const int32_t high = place[2]*step[2] + place[1]*step[1] + place[0];
  return (place[a] > 0 && f->type[high - step[a]] == PERP_CELL_LIQUID) ||
         (place[a] < f->n[a] && f->type[high] == PERP_CELL_LIQUID);
}

static void hang_on(void *data, int32_t line, int32_t who) {
  (void)who;
  const spread *w = data;
  perp_fluid *f = w->f;
  double *u = f->u[w->a];
  const double *before = f->before[w->a];
  int32_t place[3] = {0, line%w->m[1], line/w->m[1]};
  for (; place[0] < w->m[0]; place[0]++) {
    const int32_t at = line*w->m[0] + place[0];
    if (!f->known[w->a][at] || !(f->open[w->a][at] > 0.0) || wet(f, place, w->a)) continue;
    double pair[3] = {0.0, 0.0, 0.0};
    int count = 0;
    for (int d = 0; d < f->dimension; d++)
      for (int32_t side = -1; side <= 1; side += 2) {
        int32_t other[3] = {place[0], place[1], place[2]};
        other[d] += side;
        if (other[d] < 0 || other[d] >= w->m[d] || !wet(f, other, w->a)) continue;
        const int32_t to = at + side*w->step[d];
        if (!(f->open[w->a][to] > 0.0)) continue;
        pair[d] += u[to] - before[to];
        count++;
      }
    if (count > 0) u[at] = before[at] + (pair[0] + pair[1] + pair[2])/count;
  }
}

static spread spread_of(perp_fluid *f, int a) {
  spread w = {.f = f, .a = a};
  int32_t step = 1;
  for (int d = 0; d < 3; d++) {
    w.m[d] = f->n[d] + (a == d);
    w.step[d] = step;
    step *= w.m[d];
  }
  return w;
}

void fluid_spread(perp_fluid *f, int32_t layers) {
  for (int a = 0; a < f->dimension; a++) {
    spread w = spread_of(f, a);
    const size_t faces = (size_t)f->faces[a];
    memcpy(f->mark[0], f->known[a], faces);
    memcpy(f->mark[1], f->known[a], faces);
    for (int32_t i = 0; i < f->faces[a]; i++)
      if (!f->known[a][i]) f->u[a][i] = 0.0;
    w.mark = f->mark[0];
    w.next = f->mark[1];
    for (int32_t k = 0; k < layers; k++) {
      crew_run(f->crew, layer, &w, w.m[1]*w.m[2]);
      if (memcmp(f->mark[0], f->mark[1], faces) == 0) break;
      memcpy(f->mark[0], f->mark[1], faces);
    }
  }
}

// ---- walls ----

// Outward normal of the solids, or of the side of the box, at the face at `place` of component a.
static void normal_at(const spread *w, const int32_t place[3], double n[3]) {
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

static void line_up(void *data, int32_t line, int32_t who) {
  (void)who;
  const spread *w = data;
  const perp_fluid *f = w->f;
  const int32_t j = line%w->m[1], k = line/w->m[1];
  for (int32_t i = 0; i < w->m[0]; i++) {
    const int32_t at = line*w->m[0] + i, place[3] = {i, j, k};
    w->out[at] = f->u[w->a][at];
    if (f->known[w->a][at] || f->open[w->a][at] > 0.0) continue;
    const double wall = f->wall[w->a][at];
    if (f->settings.walls == PERP_WALLS_NO_SLIP) {
      w->out[at] = wall;
      continue;
    }
    double x[3] = {0.0, 0.0, 0.0}, n[3], along = 0.0;
    for (int d = 0; d < f->dimension; d++) x[d] = (place[d] + (d == w->a ? 0.0 : 0.5))*f->h;
    normal_at(w, place, n);
    const spot here = sample_spot(w->s, x, f->dimension);
    for (int b = 0; b < f->dimension; b++)
      along += n[b]*(sample_field(w->s, f->u[b], &here, b, f->dimension) -
                     sample_field(w->s, f->wall[b], &here, b, f->dimension));
    if (f->settings.walls == PERP_WALLS_SLIP || along < 0.0) w->out[at] -= along*n[w->a];
  }
}

perp_error fluid_extrapolate(perp_fluid *f) {
  for (int a = 0; a < f->dimension && f->dt > 0.0; a++) {   // dt = 0: u is that of particles
    spread w = spread_of(f, a);
    crew_run(f->crew, hang_on, &w, w.m[1]*w.m[2]);
  }
  // What is within reach of a particle: cfl cells, one for interpolation, one for pushes, one from
  // which the outermost of them see their walls.
  fluid_spread(f, (int32_t)ceil(f->settings.cfl) + 3);
  size_t all = 0;
  for (int a = 0; a < f->dimension; a++) all += (size_t)f->faces[a];
  double *out = fluid_scratch(f, all*sizeof *out);
  if (out == NULL) return PERP_ERROR_MEMORY;
  const sampler s = sampler_of(f, f->u);
  double *to = out;
  for (int a = 0; a < f->dimension; a++) {
    spread w = spread_of(f, a);
    w.s = &s;
    w.out = to;
    crew_run(f->crew, line_up, &w, w.m[1]*w.m[2]);
    to += f->faces[a];
  }
  for (int a = 0; a < f->dimension; a++) {
    memcpy(f->u[a], out, (size_t)f->faces[a]*sizeof *out);
    out += f->faces[a];
  }
  return PERP_OK;
}
