// sweep.c: impulses for an island whose problem was not solved in time.
//
// Gauss-Seidel on the contacts, by the velocities of the bodies, without any matrix: contact by
// contact, direction by direction,
//     l_n <- max(0, l_n - v_n/a_n),    l_k <- within [0, mu l_n - others] of l_k - v_k/a_k
// where v is the velocity along the direction with all impulses so far, and a how fast one of 1
// changes it. It begins at the best x there is. A pass costs as much as looking at the contacts
// once; a few of them carry what lies on the ground, which nothing would do otherwise.
#include <string.h>

#include "step.h"

enum { PASSES = 10 };

// The velocity of a relative to b along e that the impulses so far add.
static double added(const perp_world *w, const contact *c, const double *e) {
  double v = 0.0;
  for (int which = 0; which < 2; which++) {
    const body *b = bodies_of(w) + (which == 0 ? c->a : c->b);
    if (!moves(b)) continue;
    double turn[3];
    cross3(c->arm[which], e, turn);
    const double own = dot3(e, b->shift) + dot3(turn, b->shift + 3);
    v += which == 0 ? own : -own;
  }
  return v;
}

static double ease_along(const perp_world *w, const contact *c, const double *e) {
  double ease = 0.0;
  for (int which = 0; which < 2; which++) {
    const body *b = bodies_of(w) + (which == 0 ? c->a : c->b);
    if (!moves(b)) continue;
    double turn[3], spin[3];
    cross3(c->arm[which], e, turn);
    apply3(b->W, turn, spin);
    ease += b->weight + dot3(turn, spin);
  }
  return ease;
}

static void hit(const perp_world *w, const contact *c, const double *e, double impulse) {
  for (int which = 0; which < 2; which++) {
    body *b = bodies_of(w) + (which == 0 ? c->a : c->b);
    if (!moves(b)) continue;
    const double own = which == 0 ? impulse : -impulse;
    double turn[3], spin[3];
    cross3(c->arm[which], e, turn);
    apply3(b->W, turn, spin);
    add_scaled3(b->shift, own*b->weight, e);
    add_scaled3(b->shift + 3, own, spin);
  }
}

static void direction(const perp_world *w, const contact *c, int k, double *e) {
  for (int d = 0; d < 3; d++) e[d] = w->cosine[k]*c->t[0][d] + w->sine[k]*c->t[1][d];
}

static double slide(const perp_world *w, const contact *c, int k, const double *e) {
  return w->cosine[k]*c->free[1] + w->sine[k]*c->free[2] + added(w, c, e);
}

// x: rows l_n, then K directions each, then a speed each; K = 0 without friction.
void sweep(const perp_world *w, const island *s, double *x) {
  const contact *all = w->now.contacts.at;
  const int32_t nc = s->count;
  const int K = w->directions;
  for (int32_t i = 0; i < s->bodies; i++)
    memset(bodies_of(w)[s->member[i]].shift, 0, 6*sizeof(double));
  for (int32_t i = 0; i < nc; i++) {
    const contact *c = &all[s->order[i]];
    double e[3];
    hit(w, c, c->normal, x[i]);
    for (int k = 0; k < K; k++) {
      direction(w, c, k, e);
      hit(w, c, e, x[nc + K*i + k]);
    }
  }
  for (int pass = 0; pass < PASSES; pass++)
    for (int32_t j = 0; j < nc; j++) {
      const int32_t i = pass%2 ? nc - 1 - j : j;
      const contact *c = &all[s->order[i]];
      double e[3], *l = x + nc + (int64_t)K*i, sum = 0.0;
      const double v = c->free[0] + added(w, c, c->normal), ease = ease_along(w, c, c->normal),
                   next = ease > 0.0 ? fmax(x[i] - v/ease, 0.0) : 0.0;
      hit(w, c, c->normal, next - x[i]);
      x[i] = next;
      for (int k = 0; k < K; k++) sum += l[k];
      for (int k = 0; k < K; k++) {
        direction(w, c, k, e);
        const double along = ease_along(w, c, e), others = sum - l[k],
                     most = fmax(c->mu*x[i] - others, 0.0),
                     want = along > 0.0 ? l[k] - slide(w, c, k, e)/along : 0.0,
                     got = fmin(fmax(want, 0.0), most);
        hit(w, c, e, got - l[k]);
        l[k] = got;
        sum = others + got;
      }
    }
  for (int32_t i = 0; i < nc && K > 0; i++) {   // how fast it slides
    const contact *c = &all[s->order[i]];
    double speed = 0.0, e[3];
    for (int k = 0; k < K; k++) {
      direction(w, c, k, e);
      speed = fmax(speed, -slide(w, c, k, e));
    }
    x[(1 + K)*nc + i] = speed;
  }
}
