// temper.c: impulses that are not certified must not blow an island up.
//
// The best x of a solve that ended early, or of a problem without a solution, may be far too large.
// The kinetic energy after s times its impulses is K + s p + s^2 q, with K that of u*; the largest
// s <= 1 is taken for which it stays below those of u and u*. One factor on all impulses of an
// island keeps its momentum.
#include <string.h>

#include "step.h"

double temper(const perp_world *w, const island *s, const double *x) {
  const contact *c = w->now.contacts.at;
  for (int32_t i = 0; i < s->bodies; i++) {
    body *b = bodies_of(w) + s->member[i];
    memset(b->shift, 0, sizeof b->shift);   // impulse, and its moment
  }
  for (int32_t i = 0; i < s->count; i++) {
    const contact *k = &c[s->order[i]];
    double kept[2 + MOST_DIRECTIONS], friction[3];
    problem_row(w, s, x, i, kept);
    const double along = problem_impulse(w, k, kept, friction);
    for (int which = 0; which < 2; which++) {
      body *b = bodies_of(w) + (which == 0 ? k->a : k->b);
      if (!moves(b)) {
        const perp_motion *m = motions_of(w) + (which == 0 ? k->a : k->b);
        if (norm3(m->velocity) > 0.0 || norm3(m->spin) > 0.0) return 1.0;   // driven: it may gain
        continue;
      }
      double total[3], turn[3];
      for (int d = 0; d < 3; d++)
        total[d] = (which == 0 ? 1.0 : -1.0)*(along*k->normal[d] + friction[d]);
      cross3(k->arm[which], total, turn);
      add_scaled3(b->shift, 1.0, total);
      add_scaled3(b->shift + 3, 1.0, turn);
    }
  }
  double before = 0.0, K = 0.0, p = 0.0, q = 0.0;
  for (int32_t i = 0; i < s->bodies; i++) {
    const body *b = bodies_of(w) + s->member[i];
    perp_motion old = motions_of(w)[s->member[i]];
    const perp_motion *m = motions_of(w) + s->member[i];
    double turn[3], L[3];
    K += body_kinetic(w, s->member[i]);
    copy3(old.velocity, b->before);
    copy3(old.spin, b->before + 3);
    body_spin_momentum(b, &old, L);
    before += 0.5*(b->mass*dot3(old.velocity, old.velocity) + dot3(L, old.spin));
    apply3(b->W, b->shift + 3, turn);
    p += dot3(b->shift, m->velocity) + dot3(b->shift + 3, m->spin);
    q += 0.5*(b->weight*dot3(b->shift, b->shift) + dot3(b->shift + 3, turn));
  }
  const double room = fmax(before - K, 0.0);
  if (!(p + q > room)) return p + q <= room ? 1.0 : 0.0;   // 0: not even finite
  if (!isfinite(p) || !isfinite(q) || !(q > 0.0)) return 0.0;
  // q s^2 + p s = room, the larger root
  const double root = sqrt(p*p + 4.0*q*room);
  const double part = p > 0.0 ? 2.0*room/(p + root) : (root - p)/(2.0*q);
  return fmin(fmax(part, 0.0), 1.0);
}
