// velocities.c: what forces and impulses do to velocities, and velocities of contacts.
#include <string.h>

#include "step.h"

// u* = u + h W f
static void kick(perp_world *w) {
  const double h = w->settings.step;
  for (int32_t i = 0; i < w->bodies; i++) {
    body *b = bodies_of(w) + i;
    perp_motion *m = motions_of(w) + i;
    if (!moves(b) || b->asleep) continue;
    world_inverse_inertia(b, m, b->W);
    double turn[3];
    apply3(b->W, b->torque, turn);
    for (int k = 0; k < 3; k++) {
      m->velocity[k] += h*(w->settings.gravity[k] + b->weight*b->force[k]);
      m->spin[k] += h*turn[k];
    }
  }
}

static void velocity_at(const double *velocity, const double *spin, const double *arm, double *v) {
  cross3(spin, arm, v);
  for (int k = 0; k < 3; k++) v[k] += velocity[k];
}

// Velocity of a relative to b at the contact; `before` asks for the one at the beginning of the
// step. Along a central normal, spin adds nothing and is left out, with its rounding.
static double relative(const perp_world *w, const contact *c, int before, const double *e,
                       int normal) {
  double v[2][3];
  for (int which = 0; which < 2; which++) {
    const int32_t i = which == 0 ? c->a : c->b;
    const body *b = bodies_of(w) + i;
    const perp_motion *m = motions_of(w) + i;
    const double *velocity = before ? b->before : m->velocity,
                 *spin = before ? b->before + 3 : m->spin;
    if (normal && (c->central >> which & 1)) copy3(v[which], velocity);
    else velocity_at(velocity, spin, c->arm[which], v[which]);
  }
  sub3(v[0], v[1], v[0]);
  return dot3(e, v[0]);
}

perp_error velocities_force(perp_world *w) {
  kick(w);
  contact *all = w->now.contacts.at;
  const double h = w->settings.step;
  const int friction = w->settings.model != PERP_CONTACT_NORMAL;
  for (int32_t k = 0; k < w->now.count; k++) {
    contact *c = &all[k];
    if (c->island < 0) continue;
    const double vn = relative(w, c, 0, c->normal, 1), before = relative(w, c, 1, c->normal, 1);
    c->parting[0] = vn;
    c->parting[1] = before;
    c->bounced = c->e > 0.0 && c->gap + h*vn < 0.0 && before < -w->settings.restitution_speed;
    c->free[0] = c->bounced ? vn + c->e*before : vn + fmax(c->gap, 0.0)/h;
    for (int t = 0; t < 2 && friction; t++)
      c->free[1 + t] = t < w->settings.dimension - 1 ? relative(w, c, 0, c->t[t], 0) : 0.0;
  }
  return PERP_OK;
}

// u+ = u* + W J'l. The work of pushes and of driven bodies counts as energy input.
perp_error velocities_hit(perp_world *w) {
  const contact *all = w->now.contacts.at;
  const double *x = w->now.x.at, h = w->settings.step;
  for (int32_t k = 0; k < w->now.count; k++) {
    const contact *c = &all[k];
    if (c->island < 0) continue;
    double friction[3], total[3];
    const double along = problem_impulse(w, c, x + (size_t)k*(size_t)w->width, friction);
    for (int i = 0; i < 3; i++) total[i] = along*c->normal[i] + friction[i];
    for (int which = 0; which < 2; which++) {
      const int32_t i = which == 0 ? c->a : c->b;
      const body *b = bodies_of(w) + i;
      perp_motion *m = motions_of(w) + i;
      const double sign = which == 0 ? 1.0 : -1.0;
      if (!moves(b)) {   // the other one is pushed with this body's speed
        double v[3];
        velocity_at(m->velocity, m->spin, c->arm[which], v);
        w->input -= sign*dot3(total, v);
        continue;
      }
      double turn[3], spin[3];
      cross3(c->arm[which], c->central >> which & 1 ? friction : total, turn);
      apply3(b->W, turn, spin);
      add_scaled3(m->velocity, sign*b->weight, total);
      add_scaled3(m->spin, sign, spin);
    }
  }
  for (int32_t i = 0; i < w->bodies; i++) {
    body *b = bodies_of(w) + i;
    const perp_motion *m = motions_of(w) + i;
    if (moves(b) && !b->asleep) {
      w->input += h*(dot3(b->force, m->velocity) + dot3(b->torque, m->spin));
      memcpy(b->step_W, b->W, sizeof b->W);
    }
    memset(b->force, 0, sizeof b->force);
    memset(b->torque, 0, sizeof b->torque);
  }
  return PERP_OK;
}
