// scatter.c: velocities of the grid to particles, with I linear interpolation at the particle:
//     FLIP   v <- flip (v + I u - I before) + (1 - flip) I u
//     APIC   v <- I u,   affine <- grad I u
// `before` is what the particles gave to the grid: what forces, pressure and walls have changed is
// added to each. (Bridson, Fluid Simulation for Computer Graphics, 7.6; Jiang et al. 2015, 5.3)
#include "sample.h"

enum { PIECE = 2048 };

typedef struct change {
  perp_fluid *f;
  sampler s;
} change;

static inline void take(const change *c, int64_t begin, int64_t end, const int dimension,
                        const int affine) {
  const perp_fluid *f = c->f;
  const sampler *s = &c->s;
  const particles *p = &f->p;
  const double flip = f->settings.flip;
  for (int64_t i = begin; i < end; i++) {
    double x[3];
    for (int d = 0; d < dimension; d++) x[d] = p->x[d][i];
    const spot at = sample_spot(s, x, dimension);
    for (int a = 0; a < dimension; a++) {
      const double ramp = s->no_slip ? sample_ramp(&at, a, dimension) : 1.0;
      const double u = ramp*sample_field(s, f->u[a], &at, a, dimension);
      if (affine) {
        p->v[a][i] = u;
        for (int b = 0; b < dimension; b++)
          p->affine[3*a + b][i] = sample_slope(s, f->u[a], &at, a, b, dimension);
      } else {
        const double before = sample_field(s, f->before[a], &at, a, dimension);
        p->v[a][i] = flip*(p->v[a][i] + u - before) + (1.0 - flip)*u;
      }
    }
  }
}

static void task(void *data, int32_t index, int32_t who) {
  (void)who;
  const change *c = data;
  const int64_t begin = (int64_t)index*PIECE, count = c->f->p.count;
  const int64_t end = begin + PIECE < count ? begin + PIECE : count;
  const int affine = c->f->settings.transfer == PERP_TRANSFER_APIC;
  if (c->f->dimension == 2) {
    if (affine) take(c, begin, end, 2, 1);
    else take(c, begin, end, 2, 0);
  } else {
    if (affine) take(c, begin, end, 3, 1);
    else take(c, begin, end, 3, 0);
  }
}

perp_error fluid_scatter(perp_fluid *f) {
  crew_run(f->crew, task, &(change){f, sampler_of(f, f->u)},
           (int32_t)((f->p.count + PIECE - 1)/PIECE));
  return PERP_OK;
}
