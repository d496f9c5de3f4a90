// step.c: one time step: forces, impulses, drift, and the report.
//
//   u* = u + h W f                                        forces
//   b  = J u* + max(d, 0)/h                               or, where two bodies bounce (bounce.c),
//                                                         J u* + e J u
//   0 <= l _|_ J W J' l + b >= 0                          and friction: island_problem.c, solve.c
//   u+ = u* + W J'l,   q+ = q + h u+                      drift.c
//
// Without restitution the energy never grows. With a constant f, the step changes it by l'J u+ -
// |u+ - u|^2/2 in the norm of the masses, and l'J u+ = -l'max(d, 0)/h - friction <= 0. In free fall
// the loss is m g^2 h^2/2 per step. A bounce uses the speed at the beginning of the step, not u*.
// Then a bounce with e = 1 keeps H = m(v^2/2 + g z - g h v/2), which free flight keeps exactly: the
// body leaves at once, and the height it gains by that makes up for the fall it misses.
#include "step.h"

#include <string.h>

static void swap_lists(contact_list *a, contact_list *b) {
  const contact_list c = *a;
  *a = *b;
  *b = c;
}

static void kick(perp_world *w) {
  const double h = w->settings.step;
  for (int32_t i = 0; i < w->bodies; i++) {
    body *b = bodies_of(w) + i;
    perp_motion *m = motions_of(w) + i;
    copy3(b->before, m->velocity);
    copy3(b->before + 3, m->spin);
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

static void unkick(perp_world *w) {
  for (int32_t i = 0; i < w->bodies; i++) {
    copy3(motions_of(w)[i].velocity, bodies_of(w)[i].before);
    copy3(motions_of(w)[i].spin, bodies_of(w)[i].before + 3);
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

static void find_free(perp_world *w) {
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
}

// u+ = u* + W J'l. The work of pushes and of driven bodies counts as energy input.
static void apply(perp_world *w) {
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
}

// ---- the report ----

static perp_error room_for_touches(perp_world *w) {
  const int32_t count = w->now.count;
  if (!buffer_grow(&w->allocator, &w->touch_memory, (size_t)count*sizeof(perp_touch),
                   (size_t)w->touches*sizeof(perp_touch)))
    return world_fail(PERP_ERROR_MEMORY, "no memory for %d contacts", count);
  return PERP_OK;
}

static void fill_touches(perp_world *w) {
  perp_touch *out = w->touch_memory.at;
  contact *c = w->now.contacts.at;
  const double *x = w->now.x.at;
  const island *s = w->groups.island_memory.at;
  w->touches = w->now.count;
  for (int32_t k = 0; k < w->now.count; k++) {
    perp_touch *t = &out[k];
    c[k].solved = c[k].island >= 0 ? s[c[k].island].status == PERP_STATUS_SOLVED : c[k].solved;
    *t = (perp_touch){.a = c[k].a, .b = c[k].b, .feature = c[k].feature, .island = c[k].island,
                      .gap = c[k].gap, .solved = c[k].solved, .bounced = c[k].bounced};
    t->normal_impulse = problem_impulse(w, &c[k], x + (size_t)k*(size_t)w->width,
                                        t->friction_impulse);
    copy3(t->normal, c[k].normal);
    for (int i = 0; i < 3; i++)
      t->point[i] = motions_of(w)[c[k].a].position[i] + c[k].arm[0][i];
  }
}

static double deepest(const perp_world *w) {
  const contact *c = w->now.contacts.at;
  double depth = 0.0;
  for (int32_t k = 0; k < w->now.count; k++) depth = fmax(depth, -c[k].gap);
  return depth;
}

static void measure(const perp_world *w, perp_world_report *r) {
  r->kinetic = r->potential = 0.0;
  memset(r->momentum, 0, sizeof r->momentum);
  memset(r->angular, 0, sizeof r->angular);
  for (int32_t i = 0; i < w->bodies; i++) {
    const body *b = bodies_of(w) + i;
    const perp_motion *m = motions_of(w) + i;
    if (!moves(b)) continue;
    double orbit[3], L[3];
    cross3(m->position, m->velocity, orbit);
    body_spin_momentum(b, m, L);
    r->kinetic += body_kinetic(w, i);
    r->potential += body_potential(w, i);
    for (int k = 0; k < 3; k++) {
      r->momentum[k] += b->mass*m->velocity[k];
      r->angular[k] += b->mass*orbit[k] + L[k];
    }
  }
  r->dissipated = w->input - (r->kinetic + r->potential);
  r->penetration = deepest(w);
  r->asleep = w->asleep;
}

static void summarise(const perp_world *w, perp_world_report *r) {
  const island *s = w->groups.island_memory.at;
  r->contacts = w->now.count;
  r->islands = w->groups.islands;
  r->worst_status = PERP_STATUS_SOLVED;
  r->rows = r->solved = r->unsolved = r->iterations = r->factorizations = r->starved = 0;
  r->residual = 0.0;
  double worst = -1.0;
  for (int32_t k = 0; k < w->groups.islands; k++) {
    const int solved = s[k].status == PERP_STATUS_SOLVED;
    r->rows += s[k].rows;
    r->solved += solved;
    r->unsolved += !solved;
    r->starved += s[k].starved;
    r->iterations += s[k].iterations;
    r->factorizations += s[k].factorizations;
    r->residual = fmax(r->residual, s[k].residual);
    if (!solved && s[k].residual > worst) {
      worst = s[k].residual;
      r->worst_status = (int32_t)s[k].status;
    }
  }
}

// Detects contacts again after bodies were added or moved. A step overwrites its contacts, so their
// old state is kept until the step has succeeded.
static perp_error refresh(perp_world *w) {
  w->kept_in = KEPT_NOWHERE;
  if (!w->stale) {
    const size_t bytes = (size_t)w->now.count*sizeof(contact);
    if (!buffer_grow(&w->allocator, &w->kept, bytes, 0))
      return world_fail(PERP_ERROR_MEMORY, "no memory for %d contacts", w->now.count);
    if (bytes > 0) memcpy(w->kept.at, w->now.contacts.at, bytes);
    w->kept_in = KEPT_COPY;
    return PERP_OK;
  }
  const perp_error error = world_detect(w, &w->now, 0);
  if (error != PERP_OK) return error;
  swap_lists(&w->now, &w->spare);
  w->stale = 0;
  w->kept_in = KEPT_SPARE;
  return PERP_OK;
}

static void unrefresh(perp_world *w) {
  if (w->kept_in == KEPT_SPARE) {
    swap_lists(&w->now, &w->spare);
    w->stale = 1;
  } else if (w->kept_in == KEPT_COPY && w->now.count > 0) {
    memcpy(w->now.contacts.at, w->kept.at, (size_t)w->now.count*sizeof(contact));
  }
}

// ---- sleep ----

// A body is at rest if its speed stays below 1e-4 of the speed that free fall gives in a step. An
// island stops once all its bodies have been at rest for long enough.
static void fall_asleep(perp_world *w) {
  const int32_t patience = w->settings.sleep;
  if (patience == 0) return;
  body *o = bodies_of(w);
  perp_motion *m = motions_of(w);
  const double quiet = 1e-4*norm3(w->settings.gravity)*w->settings.step;
  for (int32_t i = 0; i < w->bodies; i++) {
    if (!moves(&o[i]) || o[i].asleep) continue;
    // at both ends of the step: what was thrown stands still where it turns, too
    const double speed = larger(norm3(m[i].velocity) + norm3(m[i].spin)*o[i].reach,
                                norm3(o[i].before) + norm3(o[i].before + 3)*o[i].reach);
    o[i].rest = speed > quiet ? 0 : o[i].rest < patience ? o[i].rest + 1 : patience;
  }
  const island *s = w->groups.island_memory.at;
  for (int32_t k = 0; k < w->groups.islands; k++) {
    int32_t least = patience;
    for (int32_t i = 0; i < s[k].bodies; i++)
      least = o[s[k].member[i]].rest < least ? o[s[k].member[i]].rest : least;
    if (least < patience || s[k].status != PERP_STATUS_SOLVED) continue;
    for (int32_t i = 0; i < s[k].bodies; i++) {
      const int32_t who = s[k].member[i];
      memset(m[who].velocity, 0, sizeof m[who].velocity);
      memset(m[who].spin, 0, sizeof m[who].spin);
      o[who].asleep = 1;
      w->asleep++;
    }
  }
}

static void wake_pushed(perp_world *w) {
  for (int32_t i = 0; i < w->bodies && w->asleep > 0; i++) {
    body *b = bodies_of(w) + i;
    if (!b->asleep || (norm3(b->force) == 0.0 && norm3(b->torque) == 0.0)) continue;
    b->asleep = b->rest = 0;
    w->asleep--;
  }
}

// ---- the step ----

enum { PROJECT_ROUNDS = 4 };

// Moves the bodies, detects their new contacts, and removes overlaps. If there is no memory for
// that, the contacts are stale, and the next step reports it.
static void move_on(perp_world *w, double before, double deadline) {
  double after = 0.0;
  int moving = 0;
  for (int32_t i = 0; i < w->bodies; i++) {
    const body *b = bodies_of(w) + i;
    perp_motion *m = motions_of(w) + i;
    if (b->asleep) continue;
    const perp_motion old = *m;
    drift(b, m, w->settings.step);
    moving |= memcmp(&old, m, sizeof old) != 0;
    after += body_kinetic(w, i) + body_potential(w, i);
  }
  w->report.projections = w->report.unprojected = 0;
  if (!moving && w->groups.islands == 0) return;   // the contacts are what they were
  swap_lists(&w->now, &w->last);
  w->stale = world_detect(w, &w->last, 0) != PERP_OK;
  if (w->stale) w->spare.count = 0;
  w->report.starved += w->stale;
  swap_lists(&w->now, &w->spare);
  // A body that was moved out of one may now overlap another, and the compliance leaves part of a
  // deep overlap. Then project again.
  double budget = before - after, deepest = project_deepest(w);
  for (int round = 0; round < PROJECT_ROUNDS && !w->stale; round++) {
    if (!world_project(w, &budget, deadline)) return;
    w->stale = world_detect(w, &w->now, 1) != PERP_OK;
    w->report.starved += w->stale;
    if (!w->stale) swap_lists(&w->now, &w->spare);
    const double left = project_deepest(w);
    if (!(left > 0.1*w->settings.margin && left < 0.9*deepest)) return;
    deepest = left;
  }
}

static double energy_awake(const perp_world *w) {
  double sum = 0.0;
  for (int32_t i = 0; i < w->bodies; i++)
    if (!bodies_of(w)[i].asleep) sum += body_kinetic(w, i) + body_potential(w, i);
  return sum;
}

static void swap_groups(perp_world *w) {
  const grouping now = w->groups;
  w->groups = w->former;
  w->former = now;
}

// Finds the contacts, the bodies that are awake, and the islands. The old islands go into `former`,
// as the step may fail
static perp_error find_islands(perp_world *w) {
  for (int32_t i = 0; i < w->bodies; i++) {
    body *b = bodies_of(w) + i;
    b->slept = b->asleep;
    b->rested = b->rest;
  }
  perp_error error = refresh(w);
  if (error == PERP_OK) wake_pushed(w);
  if (error == PERP_OK) error = island_find(w, &w->now, &w->former);
  return error == PERP_OK ? room_for_touches(w) : error;
}

// The step has failed. Restores the state and the report from before it.
static perp_error undo(perp_world *w, perp_error error, perp_world_report *report) {
  unrefresh(w);
  w->asleep = 0;
  for (int32_t i = 0; i < w->bodies; i++) {
    body *b = bodies_of(w) + i;
    b->asleep = b->slept;
    b->rest = b->rested;
    w->asleep += b->asleep;
  }
  if (report != NULL) {
    *report = w->report;
    measure(w, report);
  }
  return error;
}

// Detection and projection come after the solves, so the solves leave time for them: the time that
// they took in the last step, or in the first step the time that detection took before the solves.
// These three numbers are estimates; no benchmark chose them.
#define LAST_STEP_MARGIN 1.25       // times what they took in the last step
#define OVERLAPS_TIME_SHARE 0.15    // of the limit, at least, if the last step left overlaps
#define KEPT_TIME_SHARE_MAX 0.5     // of the limit, at most

static double kept_for_later(const perp_world *w, double found) {
  const double limit = w->settings.time_limit;
  if (!(limit < (double)INFINITY)) return 0.0;
  const double later = LAST_STEP_MARGIN*fmax(w->after_solving, w->report.step == 0 ? found : 0.0);
  const double overlaps = w->report.unprojected > 0 ? OVERLAPS_TIME_SHARE*limit : 0.0;
  return fmin(fmax(later, overlaps), KEPT_TIME_SHARE_MAX*limit);
}

perp_error perp_world_step(perp_world *w, perp_world_report *report) {
  if (w == NULL) return world_fail(PERP_ERROR_ARGUMENT, "world is NULL");
  world_start_clock(w);
  perp_error error = find_islands(w);
  if (error != PERP_OK) return undo(w, error, report);
  const double before = energy_awake(w), input = w->input;
  swap_groups(w);
  kick(w);
  find_free(w);
  const double solving = world_clock(w), end = w->settings.time_limit;
  error = world_solve(w, end - kept_for_later(w, solving));
  if (error != PERP_OK) {
    unkick(w);
    swap_groups(w);
    return undo(w, error, report);
  }
  perp_world_report *r = &w->report;
  const double solved = world_clock(w);
  r->solve_seconds = fmax(solved - solving, 0.0);   // should the clock go back
  summarise(w, r);
  fill_touches(w);
  apply(w);
  move_on(w, before + (w->input - input), end);
  for (int32_t i = 0; i < w->bodies; i++) drift_limit(motions_of(w) + i);
  fall_asleep(w);
  r->step++;
  r->time = (double)r->step*w->settings.step;
  measure(w, r);
  const double done = world_clock(w);
  w->after_solving = fmax(done - solved, 0.0);
  r->seconds = done;
  r->overrun = fmax(r->seconds - w->settings.time_limit, 0.0);
  if (report != NULL) *report = *r;
  return PERP_OK;
}

perp_error perp_world_last(const perp_world *w, perp_world_report *report) {
  if (w == NULL || report == NULL)
    return world_fail(PERP_ERROR_ARGUMENT, "%s is NULL", w == NULL ? "world" : "report");
  *report = w->report;
  measure(w, report);
  return PERP_OK;
}

const perp_touch *perp_world_touches(const perp_world *w, int32_t *count) {
  if (count != NULL) *count = w != NULL ? w->touches : 0;
  return w != NULL ? w->touch_memory.at : NULL;
}

const perp_statistics *perp_world_trace(const perp_world *w, int32_t *count) {
  if (count != NULL) *count = w != NULL ? w->trace_count : 0;
  return w != NULL ? w->trace : NULL;
}

perp_error perp_world_problem(perp_world *w, int32_t which, perp_problem *problem, const double **x,
                              int32_t *bodies) {
  if (w == NULL || problem == NULL || x == NULL)
    return world_fail(PERP_ERROR_ARGUMENT, "%s is NULL",
                      w == NULL ? "world" : problem == NULL ? "problem" : "x");
  if (which < 0 || which >= w->groups.islands)
    return world_fail(PERP_ERROR_ARGUMENT, "island = %d is outside [0, %d]", which,
                      w->groups.islands - 1);
  const island *s = (const island *)w->groups.island_memory.at + which;
  island_number(w, s);
  for (int32_t i = 0; i < s->bodies; i++) {
    body *b = bodies_of(w) + s->member[i];
    memcpy(b->W, b->step_W, sizeof b->W);
  }
  assembled *a = &w->workers->made;
  if (!problem_of(w, w->workers, &w->last, s, a))
    return world_fail(PERP_ERROR_MEMORY, "no memory for a problem with %d contacts", s->count);
  *problem = a->problem;
  *x = a->x;
  if (bodies != NULL) *bodies = s->bodies;
  return PERP_OK;
}
