// scatter.c: velocities of the grid to particles, with I linear interpolation at the particle:
//     FLIP   v <- flip (v + I u - I before) + (1 - flip) I u
//     APIC   v <- I u,   affine <- grad I u
// `before` is the velocity that the particles gave to the grid, so FLIP adds to each particle the
// change by forces, pressure and walls. (Bridson, Fluid Simulation for Computer Graphics, 7.6;
// Jiang et al. 2015, 5.3)
#include "sample.h"


typedef struct change {
  perp_fluid *f;
  sampler s;
} change;

SAMPLE_INLINE void take(const change *c, int64_t begin, int64_t end, const int dimension,
                        const int affine) {
  const perp_fluid *f = c->f;
  const sampler *s = &c->s;
  const particles *p = &f->p;
  const double flip = f->settings.flip;
  for (int64_t i = begin; i < end; i += SAMPLE_POINTS) {
    double x[3][SAMPLE_POINTS], u[SAMPLE_POINTS], before[SAMPLE_POINTS], slope[3][SAMPLE_POINTS];
    const int count = end - i < SAMPLE_POINTS ? (int)(end - i) : SAMPLE_POINTS;
    spots at;
    for (int d = 0; d < dimension; d++) sample_take(p->x[d], i, end, x[d]);
    sample_spots(s, x, &at, dimension);
    for (int a = 0; a < dimension; a++) {
      double *v = p->v[a] + i;
      sample_fields(s, f->u[a], &at, a, u, dimension);
      if (s->no_slip) sample_ramps(&at, a, u, dimension);
      if (affine) {
        sample_slopes(s, f->u[a], &at, a, slope, dimension);
        for (int k = 0; k < count; k++) v[k] = u[k];
        for (int b = 0; b < dimension; b++)
          for (int k = 0; k < count; k++) p->affine[3*a + b][i + k] = slope[b][k];
      } else {
        sample_fields(s, f->before[a], &at, a, before, dimension);
        for (int k = 0; k < count; k++)
          v[k] = flip*(v[k] + u[k] - before[k]) + (1.0 - flip)*u[k];
      }
    }
  }
}

SAMPLE_INLINE void take_any(const change *c, int64_t begin, int64_t end) {
  const int affine = c->f->settings.transfer == PERP_TRANSFER_APIC;
  if (c->f->dimension == 2) {
    if (affine) take(c, begin, end, 2, 1);
    else take(c, begin, end, 2, 0);
  } else {
    if (affine) take(c, begin, end, 3, 1);
    else take(c, begin, end, 3, 0);
  }
}

static void take_plain(const change *c, int64_t begin, int64_t end) { take_any(c, begin, end); }
SAMPLE_WIDE static void take_wide(const change *c, int64_t begin, int64_t end) {
  take_any(c, begin, end);
}

static void task(void *data, int32_t index, int32_t who) {
  (void)who;
  const change *c = data;
  const int64_t begin = (int64_t)index*TASK_PARTICLES, count = c->f->p.count;
  const int64_t end = begin + TASK_PARTICLES < count ? begin + TASK_PARTICLES : count;
  if (SAMPLE_HAS_WIDE()) take_wide(c, begin, end);
  else take_plain(c, begin, end);
}

perp_error fluid_scatter(perp_fluid *f) {
  crew_run(f->crew, task, &(change){f, sampler_of(f, f->u)},
           (int32_t)((f->p.count + TASK_PARTICLES - 1)/TASK_PARTICLES));
  return PERP_OK;
}
