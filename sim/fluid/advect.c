// advect.c: particles move with the velocity of the grid, by the third-order method of Ralston,
//     k1 = u(x),  k2 = u(x + dt/2 k1),  k3 = u(x + 3/4 dt k2),  x <- x + dt (2 k1 + 3 k2 + 4 k3)/9
// Particles that end in a solid or outside of the box are pushed to the nearest point that is in
// neither. u does not change meanwhile, and particles do not affect each other.
#include "sample.h"

enum { PUSHES_MAX = 3 };       // pushes out of solids, one after the other
#define WALL_MARGIN 1e-3       // distance of particles from walls, relative to h, against rounding

typedef struct trip {
  perp_fluid *f;
  sampler s;
  int32_t corner_step[3];      // of solid_distance
} trip;

// Distance to the solids by the corners of the cell of x, and its slope.
SAMPLE_INLINE double distance_at(const trip *t, const double *x, double *slope,
                                 const int dimension) {
  const sampler *s = &t->s;
  double w[3];
  int32_t at = 0;
  for (int d = 0; d < dimension; d++) {
    const double g = sample_within(x[d]*s->inverse, s->last[FACE][d]);
    int32_t i = (int32_t)g;
    i = i < s->most[FACE][d] ? i : s->most[FACE][d];
    w[d] = g - i;
    at += i*t->corner_step[d];
    slope[d] = 0.0;
  }
  double sum = 0.0;
  for (int k = 0; k < 1 << dimension; k++) {
    int32_t corner = at;
    double weight = 1.0, rise[3] = {1.0, 1.0, 1.0};
    for (int d = 0; d < dimension; d++) {
      const int up = k >> d & 1;
      const double part = up ? w[d] : 1.0 - w[d];
      corner += up*t->corner_step[d];
      for (int b = 0; b < dimension; b++) rise[b] *= b == d ? (up ? 1.0 : -1.0) : part;
      weight *= part;
    }
    const double value = t->f->solid_distance[corner];
    sum += weight*value;
    for (int b = 0; b < dimension; b++) slope[b] += rise[b]*value;
  }
  for (int b = 0; b < dimension; b++) slope[b] *= s->inverse;
  return sum;
}

// The same for points in the box, without slopes.
SAMPLE_INLINE void distances(const trip *t, double x[3][SAMPLE_POINTS], double *distance,
                             const int dimension) {
  const int32_t line = t->corner_step[1], sheet = dimension == 3 ? t->corner_step[2] : 0;
  const double inverse = t->s.inverse;
  for (int k = 0; k < SAMPLE_POINTS; k++) {
    const double gx = x[0][k]*inverse, gy = x[1][k]*inverse,
                 gz = dimension == 3 ? x[2][k]*inverse : 0.0;
    const int32_t i = (int32_t)gx, j = (int32_t)gy, l = (int32_t)gz;
    const double *at = t->f->solid_distance + (i + j*line + l*sheet);
    duo low = sample_mix_duo(sample_duo(at), sample_duo(at + line), gy - j);
    if (dimension == 3)
      low = sample_mix_duo(low, sample_mix_duo(sample_duo(at + sheet),
                                               sample_duo(at + sheet + line), gy - j), gz - l);
    distance[k] = sample_mix(low[0], low[1], gx - i);
  }
}

SAMPLE_INLINE double into_box(const perp_fluid *f, double x, int d) {
  const double margin = WALL_MARGIN*f->h, last = f->n[d]*f->h - margin;
  x = x > margin ? x : margin;
  return x < last ? x : last;
}

// x is in the box
static void push_out(const trip *t, double *x, const int dimension) {
  const double margin = WALL_MARGIN*t->f->h;
  for (int round = 0; round < PUSHES_MAX; round++) {
    double slope[3], square = 0.0;
    const double distance = distance_at(t, x, slope, dimension);
    if (distance >= margin) return;
    for (int d = 0; d < dimension; d++) square += slope[d]*slope[d];
    if (!(square > 1e-6)) return;   // in the middle of a solid: reseed removes it
    for (int d = 0; d < dimension; d++)
      x[d] = into_box(t->f, x[d] + (margin - distance)/square*slope[d], d);
  }
}

SAMPLE_INLINE void move(const trip *t, int64_t begin, int64_t end, const int dimension) {
  const perp_fluid *f = t->f;
  const sampler *s = &t->s;
  const double dt = f->dt;
  double *const *place = f->p.x;
  for (int64_t i = begin; i < end; i += SAMPLE_POINTS) {
    double x[3][SAMPLE_POINTS], y[3][SAMPLE_POINTS];
    double k1[3][SAMPLE_POINTS], k2[3][SAMPLE_POINTS], k3[3][SAMPLE_POINTS];
    double distance[SAMPLE_POINTS];
    for (int d = 0; d < dimension; d++) sample_take(place[d], i, end, x[d]);
    sample_velocities(s, x, k1, dimension);
    for (int d = 0; d < dimension; d++)
      for (int k = 0; k < SAMPLE_POINTS; k++) y[d][k] = x[d][k] + 0.5*dt*k1[d][k];
    sample_velocities(s, y, k2, dimension);
    for (int d = 0; d < dimension; d++)
      for (int k = 0; k < SAMPLE_POINTS; k++) y[d][k] = x[d][k] + 0.75*dt*k2[d][k];
    sample_velocities(s, y, k3, dimension);
    const int count = end - i < SAMPLE_POINTS ? (int)(end - i) : SAMPLE_POINTS;
    for (int d = 0; d < dimension; d++)
      for (int k = 0; k < SAMPLE_POINTS; k++) {
        const double step = dt*(2.0*k1[d][k] + 3.0*k2[d][k] + 4.0*k3[d][k])*(1.0/9.0);
        x[d][k] = into_box(f, x[d][k] + step, d);
      }
    if (f->solids > 0) distances(t, x, distance, dimension);
    for (int k = 0; k < count && f->solids > 0; k++) {
      double z[3];
      if (distance[k] >= WALL_MARGIN*f->h) continue;
      for (int d = 0; d < dimension; d++) z[d] = x[d][k];
      push_out(t, z, dimension);
      for (int d = 0; d < dimension; d++) x[d][k] = z[d];
    }
    for (int d = 0; d < dimension; d++)
      memcpy(place[d] + i, x[d], (size_t)count*sizeof(double));
  }
}

static void move_plain(const trip *t, int64_t begin, int64_t end) {
  if (t->f->dimension == 2) move(t, begin, end, 2);
  else move(t, begin, end, 3);
}

SAMPLE_WIDE static void move_wide(const trip *t, int64_t begin, int64_t end) {
  if (t->f->dimension == 2) move(t, begin, end, 2);
  else move(t, begin, end, 3);
}

static void task(void *data, int32_t index, int32_t who) {
  (void)who;
  const trip *t = data;
  const int64_t begin = (int64_t)index*TASK_PARTICLES, count = t->f->p.count;
  const int64_t end = begin + TASK_PARTICLES < count ? begin + TASK_PARTICLES : count;
  if (SAMPLE_HAS_WIDE()) move_wide(t, begin, end);
  else move_plain(t, begin, end);
}

perp_error fluid_advect(perp_fluid *f) {
  trip t = {.f = f, .s = sampler_of(f, f->u)};
  int32_t step = 1;
  for (int d = 0; d < f->dimension; d++) {
    t.corner_step[d] = step;
    step *= f->n[d] + 1;
  }
  crew_run(f->crew, task, &t, (int32_t)((f->p.count + TASK_PARTICLES - 1)/TASK_PARTICLES));
  return PERP_OK;
}
