// contact_ray.c: long steps along the direction in which sweeps drift.
//
// If the equations of the present faces contradict each other, every sweep adds the same change dl
// to l: forces grow until some contact opens or slips, and the faces then change. That may take
// 10^5 sweeps. The step t with l + t dl at the first such exit replaces them:
//
//   open:  l_n + t dl_n = 0,     slip: l_t + t dl_t on an edge of mu (l_n + t dl_n) C
//
// Cost: RAY_SWEEPS sweeps.
#include "contact_ray.h"

#include <math.h>
#include <string.h>

#include "vector.h"

enum { RAY_SWEEPS = 10 };      // plain sweeps, in which what is not drift dies out
#define COSINE_MIN 0.8         // between successive changes; below it there is no drift
#define LENGTH_MIN 2.0         // of the step, in sweeps; sweeps make shorter ones themselves
#define LENGTH_MAX 1e7         // a longer one multiplies rounding

// dl of one sweep into `change`; returns the cosine of its angle to what `change` was.
static double sweep_and_compare(contact_bodies *s, double *from, double *change) {
  double product = 0.0, now = 0.0, before = 0.0;
  memcpy(from, s->l, 3*(size_t)s->count*sizeof *from);
  contact_bodies_sweep(s);
  for (int32_t i = 0; i < 3*s->count; i++) {
    const double root = s->contact[i/3].root, d = root*(s->l[i] - from[i]), old = root*change[i];
    product += d*old;
    now += d*d;
    before += old*old;
    change[i] = s->l[i] - from[i];
  }
  const double sizes = sqrt(now)*sqrt(before);
  return sizes > 0.0 ? product/sizes : 0.0;
}

// The t at which contact k opens or slips.
static double exit_of(const contact_bodies *s, int32_t k, const double *dl) {
  const polygon *C = &s->C;
  const double *l = s->l + 3*(size_t)k, mu = s->contact[k].mu;
  double t = dl[0] < 0.0 ? -l[0]/dl[0] : (double)INFINITY;
  if (s->face[k] != CONE_STICK) return t;
  for (int32_t e = 0; e < C->K; e++) {
    const double *o = C->outward[e], h = mu*C->height[e];
    const double beyond = o[0]*l[1] + o[1]*l[2] - h*l[0];
    const double growth = o[0]*dl[1] + o[1]*dl[2] - h*dl[0];
    if (growth > 0.0) t = min2(t, max2(-beyond, 0.0)/growth);
  }
  return t;
}

// Takes l back into its cone: a contact that slides along an edge may have passed its corner, and
// there is rounding.
static void into_cone(const polygon *C, double mu, double *l) {
  if (!(l[0] > 0.0)) {
    l[0] = l[1] = l[2] = 0.0;
    return;
  }
  double part = 1.0;
  for (int32_t e = 0; e < C->K; e++) {
    const double out = C->outward[e][0]*l[1] + C->outward[e][1]*l[2], most = mu*l[0]*C->height[e];
    if (out > most) part = min2(part, most/out);
  }
  l[1] *= part;
  l[2] *= part;
}

int contact_ray_step(contact_bodies *s, perp_run *run, double *from, double *change) {
  double cosine = 0.0, t = (double)INFINITY;
  memset(change, 0, 3*(size_t)s->count*sizeof *change);
  for (int k = 0; k < RAY_SWEEPS; k++) {
    if (run_out_of_time(run)) return 0;
    cosine = sweep_and_compare(s, from, change);
  }
  if (!(cosine > COSINE_MIN)) return 0;
  for (int32_t k = 0; k < s->count; k++)
    if (s->face[k] != CONE_OPEN) t = min2(t, exit_of(s, k, change + 3*(size_t)k));
  if (!(t > LENGTH_MIN && t < LENGTH_MAX)) return 0;
  for (int32_t i = 0; i < 3*s->count; i++) s->l[i] += t*change[i];
  for (int32_t k = 0; k < s->count; k++)
    into_cone(&s->C, s->contact[k].mu, s->l + 3*(size_t)k);
  contact_bodies_refresh(s);
  return 1;
}
