// limit_energy.c: scales down impulses that are not certified, so that they add no energy.
//
// The best x of a solve that ended early, or of a problem without a solution, may be far too large.
// With s times its impulses l, the step changes the energy by the input of pushes and driven bodies
// plus
//
//   s l'J u + s^2 l'J W J'l/2 - |u* - u|^2/2
//
// with u the velocities at the beginning, u* = u + h W f, and the norm of kinetic energy: forces
// work along h u+. limit_energy() returns the largest s <= 1 for which this is not positive. One
// factor on all impulses of an island keeps its momentum.
#include <string.h>

#include "step.h"

double limit_energy(const perp_world *w, const island *s, const double *x) {
  const contact *c = w->now.contacts.at;
  double p = 0.0, q = 0.0, room = 0.0;
  for (int32_t i = 0; i < s->bodies; i++) {
    body *b = bodies_of(w) + s->member[i];
    memset(b->shift, 0, sizeof b->shift);   // impulse, and its moment
  }
  for (int32_t i = 0; i < s->count; i++) {
    const contact *k = &c[s->order[i]];
    double kept[2 + DIRECTIONS_MAX], friction[3];
    problem_row(w, s, x, i, kept);
    const double along = problem_impulse(w, k, kept, friction);
    for (int which = 0; which < 2; which++) {
      body *b = bodies_of(w) + (which == 0 ? k->a : k->b);
      double total[3], turn[3];
      for (int d = 0; d < 3; d++)
        total[d] = (which == 0 ? 1.0 : -1.0)*(along*k->normal[d] + friction[d]);
      cross3(k->arm[which], total, turn);
      p += dot3(total, b->before) + dot3(turn, b->before + 3);
      if (!moves(b)) continue;
      add_scaled3(b->shift, 1.0, total);
      add_scaled3(b->shift + 3, 1.0, turn);
    }
  }
  for (int32_t i = 0; i < s->bodies; i++) {
    const body *b = bodies_of(w) + s->member[i];
    perp_motion change = motions_of(w)[s->member[i]];   // u* - u
    double turn[3], L[3];
    sub3(change.velocity, b->before, change.velocity);
    sub3(change.spin, b->before + 3, change.spin);
    body_spin_momentum(b, &change, L);
    room += 0.5*(b->mass*dot3(change.velocity, change.velocity) + dot3(L, change.spin));
    apply3(b->W, b->shift + 3, turn);
    q += 0.5*(b->weight*dot3(b->shift, b->shift) + dot3(b->shift + 3, turn));
  }
  if (!(p + q > room)) return p + q <= room ? 1.0 : 0.0;   // 0: not even finite
  if (!isfinite(p) || !isfinite(q) || !(q > 0.0)) return 0.0;
  // q s^2 + p s = room, the larger root
  const double root = sqrt(p*p + 4.0*q*room);
  const double part = p > 0.0 ? 2.0*room/(p + root) : (root - p)/(2.0*q);
  return fmin(fmax(part, 0.0), 1.0);
}
