// sample.h: velocities of the staggered grid at points between faces, by linear interpolation.
//
// A point has two coordinates per direction in units of cells, one among faces (x/h) and one among
// centres (x/h - 1/2); component a of the velocity takes the first along a and the second across.
// Beyond the outermost entries fields go on as constants. With walls of no slip the velocity along
// a side of the box falls to 0 within the half cell before it.
#pragma once

#include <string.h>

#include "state.h"

// Loops over particles are compiled twice on x86-64: the same bits, contraction being off.
#if defined(__GNUC__) && defined(__x86_64__)
#define SAMPLE_WIDE __attribute__((target("avx2")))
#define SAMPLE_HAS_WIDE() __builtin_cpu_supports("avx2")
#define SAMPLE_INLINE static inline __attribute__((always_inline))
#else
#define SAMPLE_WIDE
#define SAMPLE_HAS_WIDE() 0
#define SAMPLE_INLINE static inline
#endif

enum { CENTRE, FACE };         // which coordinate

typedef struct spot {
  int32_t i[2][3];             // entry at or below
  double t[2][3];              // 0 .. 1 from there to the next
} spot;

typedef struct sampler {       // what does not change between points
  int32_t dimension, no_slip;
  double inverse;              // 1/h
  double last[2][3];           // largest coordinate
  int32_t most[2][3];          // largest i
  int32_t step[3][3];          // [a][d]: entries of component a from one to the next along d; 0
                               //   where there is one
  const double *u[3];
} sampler;

SAMPLE_INLINE sampler sampler_of(const perp_fluid *f, double *const *u) {
  sampler s = {.dimension = f->dimension, .inverse = 1.0/f->h,
               .no_slip = f->settings.walls == PERP_WALLS_NO_SLIP};
  for (int d = 0; d < f->dimension; d++) {
    const int32_t n = f->n[d];
    s.last[CENTRE][d] = n - 1;
    s.most[CENTRE][d] = n > 1 ? n - 2 : 0;
    s.last[FACE][d] = n;
    s.most[FACE][d] = n - 1;
  }
  for (int a = 0; a < f->dimension; a++) {
    int32_t step = 1;
    for (int d = 0; d < f->dimension; d++) {
      const int32_t entries = f->n[d] + (a == d);
      s.step[a][d] = entries > 1 ? step : 0;
      step *= entries;
    }
    s.u[a] = u != NULL ? u[a] : NULL;
  }
  return s;
}

SAMPLE_INLINE double sample_within(double x, double most) {   // x in [0, most]; NAN becomes 0
  x = x > 0.0 ? x : 0.0;
  return x < most ? x : most;
}

SAMPLE_INLINE spot sample_spot(const sampler *s, const double *x, const int dimension) {
  spot p;
  for (int d = 0; d < dimension; d++) {
    const double g = x[d]*s->inverse;
    const double face = sample_within(g, s->last[FACE][d]);
    const double centre = sample_within(g - 0.5, s->last[CENTRE][d]);
    const int32_t i = (int32_t)face, j = (int32_t)centre;
    p.i[FACE][d] = i < s->most[FACE][d] ? i : s->most[FACE][d];
    p.i[CENTRE][d] = j < s->most[CENTRE][d] ? j : s->most[CENTRE][d];
    p.t[FACE][d] = face - p.i[FACE][d];
    p.t[CENTRE][d] = centre - p.i[CENTRE][d];
  }
  return p;
}

SAMPLE_INLINE double sample_mix(double a, double b, double t) { return a + t*(b - a); }

// where the first of the entries around p is in component a
SAMPLE_INLINE int32_t sample_base(const sampler *s, const spot *p, const int a,
                                  const int dimension) {
  int32_t at = 0;
  for (int d = 0; d < dimension; d++) at += p->i[a == d][d]*s->step[a][d];
  return at;
}

// component a of u at p, without ramp
SAMPLE_INLINE double sample_field(const sampler *s, const double *u, const spot *p, const int a,
                                  const int dimension) {
  const double *at = u + sample_base(s, p, a, dimension);
  const double tx = p->t[a == 0][0], ty = p->t[a == 1][1];
  const int32_t x = s->step[a][0], y = s->step[a][1];
  const double low = sample_mix(sample_mix(at[0], at[x], tx), sample_mix(at[y], at[x + y], tx), ty);
  if (dimension == 2) return low;
  const double tz = p->t[a == 2][2];
  at += s->step[a][2];
  const double high = sample_mix(sample_mix(at[0], at[x], tx), sample_mix(at[y], at[x + y], tx),
                                 ty);
  return sample_mix(low, high, tz);
}

// ---- many points at once: the same numbers, in loops that compilers make vectors of ----

enum { SAMPLE_POINTS = 32 };   // points that are handled together

typedef struct spots {         // of SAMPLE_POINTS points
  int32_t i[2][3][SAMPLE_POINTS];
  double t[2][3][SAMPLE_POINTS];
  double ramp[3][SAMPLE_POINTS];       // of velocities along the sides; with no_slip only
} spots;

SAMPLE_INLINE void sample_spots(const sampler *s, double x[3][SAMPLE_POINTS], spots *p,
                                const int dimension) {
  const double inverse = s->inverse;
  for (int d = 0; d < dimension; d++) {
    const double last_face = s->last[FACE][d], last_centre = s->last[CENTRE][d];
    const int32_t most_face = s->most[FACE][d], most_centre = s->most[CENTRE][d];
    for (int k = 0; k < SAMPLE_POINTS; k++) {
      const double face = sample_within(x[d][k]*inverse, last_face);
      const int32_t i = (int32_t)face, low = i < most_face ? i : most_face;
      p->i[FACE][d][k] = low;
      p->t[FACE][d][k] = face - low;
    }
    for (int k = 0; k < SAMPLE_POINTS; k++) {
      const double centre = sample_within(x[d][k]*inverse - 0.5, last_centre);
      const int32_t i = (int32_t)centre, low = i < most_centre ? i : most_centre;
      p->i[CENTRE][d][k] = low;
      p->t[CENTRE][d][k] = centre - low;
    }
    if (!s->no_slip) continue;
    for (int k = 0; k < SAMPLE_POINTS; k++) {
      const double g = x[d][k]*inverse - 0.5;
      const double beyond = g - sample_within(g, last_centre);
      const double ramp = 1.0 - 2.0*(beyond < 0.0 ? -beyond : beyond);
      p->ramp[d][k] = last_centre > 0.0 ? (ramp > 0.0 ? ramp : 0.0) : 1.0;
    }
  }
}

// Two neighbours along x at once: half as many loads, and none that gathers.
typedef double duo __attribute__((vector_size(16)));
SAMPLE_INLINE duo sample_duo(const double *u) {
  duo d;
  memcpy(&d, u, sizeof d);
  return d;
}
SAMPLE_INLINE duo sample_mix_duo(duo a, duo b, double t) { return a + (duo){t, t}*(b - a); }

// component a of u at the points, without ramp
SAMPLE_INLINE void sample_fields(const sampler *s, const double *u, const spots *p, const int a,
                                 double *v, const int dimension) {
  const int32_t *ix = p->i[a == 0][0], *iy = p->i[a == 1][1], *iz = p->i[a == 2][2];
  const double *tx = p->t[a == 0][0], *ty = p->t[a == 1][1], *tz = p->t[a == 2][2];
  const int32_t x = s->step[a][0], y = s->step[a][1], z = dimension == 3 ? s->step[a][2] : 0;
  if (x == 0) {                // a single entry per line
    for (int k = 0; k < SAMPLE_POINTS; k++) {
      const double *at = u + iy[k]*y + (dimension == 3 ? iz[k]*z : 0);
      v[k] = sample_mix(at[0], at[y], ty[k]);
      if (dimension == 3) v[k] = sample_mix(v[k], sample_mix(at[z], at[y + z], ty[k]), tz[k]);
    }
    return;
  }
  for (int k = 0; k < SAMPLE_POINTS; k++) {
    const double *at = u + (ix[k] + iy[k]*y + (dimension == 3 ? iz[k]*z : 0));
    duo low = sample_mix_duo(sample_duo(at), sample_duo(at + y), ty[k]);
    if (dimension == 3)
      low = sample_mix_duo(low, sample_mix_duo(sample_duo(at + z), sample_duo(at + y + z), ty[k]),
                           tz[k]);
    v[k] = sample_mix(low[0], low[1], tx[k]);
  }
}

SAMPLE_INLINE void sample_ramps(const spots *p, const int a, double *v, const int dimension) {
  for (int d = 0; d < dimension; d++)
    for (int k = 0; k < SAMPLE_POINTS && d != a; k++) v[k] *= p->ramp[d][k];
}

SAMPLE_INLINE void sample_velocities(const sampler *s, double x[3][SAMPLE_POINTS],
                                     double v[3][SAMPLE_POINTS], const int dimension) {
  spots p;
  sample_spots(s, x, &p, dimension);
  for (int a = 0; a < dimension; a++) {
    sample_fields(s, s->u[a], &p, a, v[a], dimension);
    if (s->no_slip) sample_ramps(&p, a, v[a], dimension);
  }
}

// the slopes of component a of u at the points, per length; without ramp
SAMPLE_INLINE void sample_slopes(const sampler *s, const double *u, const spots *p, const int a,
                                 double g[3][SAMPLE_POINTS], const int dimension) {
  const int32_t *ix = p->i[a == 0][0], *iy = p->i[a == 1][1], *iz = p->i[a == 2][2];
  const double *tx = p->t[a == 0][0], *ty = p->t[a == 1][1], *tz = p->t[a == 2][2];
  const int32_t x = s->step[a][0], y = s->step[a][1], z = dimension == 3 ? s->step[a][2] : 0;
  const double inverse = s->inverse;
  for (int k = 0; k < SAMPLE_POINTS; k++) {
    const int32_t at = ix[k]*x + iy[k]*y + (dimension == 3 ? iz[k]*z : 0);
    const double a00 = u[at], a10 = u[at + x], a01 = u[at + y], a11 = u[at + x + y];
    const double gx = sample_mix(a10 - a00, a11 - a01, ty[k]);
    const double gy = sample_mix(a01 - a00, a11 - a10, tx[k]);
    if (dimension == 2) {
      g[0][k] = inverse*gx;
      g[1][k] = inverse*gy;
      continue;
    }
    const double b00 = u[at + z], b10 = u[at + x + z], b01 = u[at + y + z],
                 b11 = u[at + x + y + z];
    const double hx = sample_mix(b10 - b00, b11 - b01, ty[k]);
    const double hy = sample_mix(b01 - b00, b11 - b10, tx[k]);
    const double low = sample_mix(sample_mix(a00, a10, tx[k]), sample_mix(a01, a11, tx[k]), ty[k]);
    const double high = sample_mix(sample_mix(b00, b10, tx[k]), sample_mix(b01, b11, tx[k]),
                                   ty[k]);
    g[0][k] = inverse*sample_mix(gx, hx, tz[k]);
    g[1][k] = inverse*sample_mix(gy, hy, tz[k]);
    g[2][k] = inverse*(high - low);
  }
}

// SAMPLE_POINTS values of an array from `begin` on, the last one again and again from `end` on
SAMPLE_INLINE void sample_take(const double *from, int64_t begin, int64_t end, double *to) {
  if (end - begin >= SAMPLE_POINTS) memcpy(to, from + begin, SAMPLE_POINTS*sizeof *to);
  else for (int k = 0; k < SAMPLE_POINTS; k++) to[k] = from[begin + k < end ? begin + k : end - 1];
}

// d/dx_b of component a at p, in units of the velocity per length; without ramp
SAMPLE_INLINE double sample_slope(const sampler *s, const double *u, const spot *p, const int a,
                                  const int b, const int dimension) {
  const int32_t base = sample_base(s, p, a, dimension);
  double sum = 0.0;
  for (int k = 0; k < 1 << dimension; k++) {
    double w = s->inverse;
    int32_t at = base;
    for (int d = 0; d < dimension; d++) {
      const int up = k >> d & 1;
      const double t = p->t[a == d][d];
      w *= d == b ? (up ? 1.0 : -1.0) : up ? t : 1.0 - t;
      at += up*s->step[a][d];
    }
    sum += w*u[at];
  }
  return sum;
}
