// sample.h: velocities of the staggered grid at points between faces, by linear interpolation.
//
// A point has two coordinates per direction in units of cells, one among faces (x/h) and one among
// centres (x/h - 1/2); component a of the velocity takes the first along a and the second across.
// Beyond the outermost entries fields go on as constants. With walls of no slip the velocity along a
// side of the box falls to 0 within the half cell before it.
#pragma once

#include "state.h"

enum { CENTRE, FACE };         // which coordinate

typedef struct spot {
  int32_t i[2][3];             // entry at or below
  double t[2][3];              // 0 .. 1 from there to the next
  double ramp[3];              // of velocities along the sides across each direction; 1 without
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

static inline sampler sampler_of(const perp_fluid *f, double *const *u) {
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

static inline double sample_within(double x, double most) {   // x in [0, most]; NAN becomes 0
  x = x > 0.0 ? x : 0.0;
  return x < most ? x : most;
}

static inline spot sample_spot(const sampler *s, const double *x, const int dimension) {
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
    const double beyond = g - 0.5 - centre;
    const double ramp = 1.0 - 2.0*(beyond < 0.0 ? -beyond : beyond);
    p.ramp[d] = s->no_slip && s->last[CENTRE][d] > 0.0 ? (ramp > 0.0 ? ramp : 0.0) : 1.0;
  }
  return p;
}

static inline double sample_mix(double a, double b, double t) { return a + t*(b - a); }

// where the first of the entries around p is in component a
static inline int32_t sample_base(const sampler *s, const spot *p, const int a,
                                  const int dimension) {
  int32_t at = 0;
  for (int d = 0; d < dimension; d++) at += p->i[a == d][d]*s->step[a][d];
  return at;
}

// component a of u at p, without ramp
static inline double sample_field(const sampler *s, const double *u, const spot *p, const int a,
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

static inline double sample_ramp(const spot *p, const int a, const int dimension) {
  double ramp = 1.0;
  for (int d = 0; d < dimension; d++)
    if (d != a) ramp *= p->ramp[d];
  return ramp;
}

static inline void sample_velocity(const sampler *s, const double *x, double *v,
                                   const int dimension) {
  const spot p = sample_spot(s, x, dimension);
  for (int a = 0; a < dimension; a++)
    v[a] = sample_field(s, s->u[a], &p, a, dimension);
  if (s->no_slip)
    for (int a = 0; a < dimension; a++) v[a] *= sample_ramp(&p, a, dimension);
}

// d/dx_b of component a at p, in units of the velocity per length; without ramp
static inline double sample_slope(const sampler *s, const double *u, const spot *p, const int a,
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
