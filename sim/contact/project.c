// project.c: removes overlaps that remain after a step, without adding energy.
//
// The constraints of a step are linear. Turning boxes, and the curved wall of a hollow sphere,
// leave overlaps of second order in h. The smallest displacement in the metric of the masses that
// removes them is a complementarity problem of the same kind, solved and certified at 1e-3:
//     dq = W J'z,    0 <= z  _|_  (J W J' + C) z + d >= 0   d: gaps; overlaps up to a slop stay
// Bodies may be jammed so that no displacement frees them all. The compliance C, a hundredth of the
// diagonal of J W J', makes the problem definite: it always has exactly one solution, which is a
// compromise for jammed bodies and leaves a hundredth of an overlap to the next step for others.
// Lifting bodies adds potential energy. It is taken from the energy that the step dissipated, and
// then from the kinetic energy of the island, by one factor on its velocities. The factor takes at
// most KINETIC_SHARE_MAX of that energy: a body that moves along a wall that bends upwards slows
// down. If that is not enough, the displacement is reduced, and overlaps of bodies at rest stay. An
// island that touches nothing of infinite mass keeps its angular momentum: its velocities are split
// into the rigid motion with that momentum and the remainder, which are orthogonal, and the factor
// applies to the remainder.
#include "step.h"

#include <string.h>

#define KINETIC_SHARE_MAX 0.0625    // part of an island's kinetic energy that lifting bodies may cost
enum { HALVINGS_MAX = 8 };          // halvings of a displacement that costs too much energy

typedef struct rigid {        // an island's motion as one body
  double mass, centre[3], momentum[3], angular[3];   // angular: about the centre
  double I[9];
} rigid;

static double slop_of(const perp_world *w, const contact *c) {
  const body *o = bodies_of(w);
  return 1e-3*w->settings.margin + 1e-9*fmin(o[c->a].reach, o[c->b].reach);
}

static double energy_of(const perp_world *w, const island *s, double *kinetic) {
  double potential = 0.0;
  *kinetic = 0.0;
  for (int32_t i = 0; i < s->bodies; i++) {
    *kinetic += body_kinetic(w, s->member[i]);
    potential += body_potential(w, s->member[i]);
  }
  return potential;
}

// ---- the displacement ----

typedef struct job { perp_world *w; double deadline; } job;

// Writes the displacement into body.shift. An island whose problem is not certified is not moved.
static void solve_overlap(void *data, int32_t index, int32_t who) {
  const job *j = data;
  perp_world *w = j->w;
  worker *by = &w->workers[who];
  island *s = (island *)w->overlaps.island_memory.at + index;
  const contact *c = w->now.contacts.at;
  s->status = PERP_STATUS_SOLVED;
  s->rows = s->starved = 0;
  double deepest = 0.0;
  for (int32_t i = 0; i < s->count; i++) {
    const contact *k = &c[s->order[i]];
    deepest = fmin(deepest, k->gap + slop_of(w, k));
  }
  if (deepest >= 0.0) return;
  s->rows = s->count;
  s->status = PERP_STATUS_UNSOLVED;
  const double left = left_until(w, j->deadline);
  if (left <= 0.0) return;
  for (int32_t i = 0; i < s->bodies; i++) {
    body *b = bodies_of(w) + s->member[i];
    memset(b->shift, 0, sizeof b->shift);
    world_inverse_inertia(b, &motions_of(w)[s->member[i]], b->W);
  }
  assembled *a = &by->made;
  const int64_t refused = by->refused;
  s->starved = !problem_normal(w, by, &w->now, s, a) || !problem_soften(by, a, PROJECT_COMPLIANCE);
  if (s->starved) return;
  double *b = by->b.at;
  for (int32_t i = 0; i < s->count; i++) {
    const contact *k = &c[s->order[i]];
    b[i] = k->gap > 0.0 ? k->gap : fmin(k->gap + 0.5*slop_of(w, k), 0.0);
    a->x[i] = 0.0;
  }
  perp_result r;
  const perp_error error = solve_problem(w, by, &a->problem, a->x, left, SOLVE_ROUGH, &r);
  s->starved = by->refused > refused;
  if (error != PERP_OK) return;
  s->status = r.status;
  for (int32_t i = 0; i < s->count; i++) {
    const double z[3] = {a->x[i], 0.0, 0.0};
    problem_hit(w, by, &c[s->order[i]], i, z);
  }
}

// ---- what it costs ----

static rigid rigid_of(const perp_world *w, const island *s) {
  rigid r = {0};
  for (int32_t i = 0; i < s->bodies; i++) {
    const double m = bodies_of(w)[s->member[i]].mass;
    const perp_motion *q = motions_of(w) + s->member[i];
    r.mass += m;
    add_scaled3(r.centre, m, q->position);
    add_scaled3(r.momentum, m, q->velocity);
  }
  for (int k = 0; k < 3; k++) r.centre[k] /= r.mass;
  for (int32_t i = 0; i < s->bodies; i++) {
    const body *b = bodies_of(w) + s->member[i];
    const perp_motion *q = motions_of(w) + s->member[i];
    double p[3], orbit[3], L[3], R[9];
    sub3(q->position, r.centre, p);
    cross3(p, q->velocity, orbit);
    body_spin_momentum(b, q, L);
    rotation(q->orientation, R);
    for (int k = 0; k < 3; k++) r.angular[k] += b->mass*orbit[k] + L[k];
    for (int k = 0; k < 3; k++)
      for (int l = 0; l < 3; l++) {
        double own = 0.0;
        for (int d = 0; d < 3; d++) own += R[3*k + d]*b->inertia[d]*R[3*l + d];
        r.I[3*k + l] += own + b->mass*((k == l ? dot3(p, p) : 0.0) - p[k]*p[l]);
      }
  }
  return r;
}

static int spin_of(const double *I, const double *L, double *w) {   // I w = L
  double c[3][3];
  cross3(I + 3, I + 6, c[0]);
  cross3(I + 6, I, c[1]);
  cross3(I, I + 3, c[2]);
  const double det = dot3(I, c[0]);
  if (!(det > 0.0)) return 0;
  for (int k = 0; k < 3; k++) w[k] = (c[0][k]*L[0] + c[1][k]*L[1] + c[2][k]*L[2])/det;
  return 1;
}

static void scale(const perp_world *w, const island *s, double factor) {
  for (int32_t i = 0; i < s->bodies; i++) {
    perp_motion *q = motions_of(w) + s->member[i];
    for (int k = 0; k < 3; k++) {
      q->velocity[k] *= factor;
      q->spin[k] *= factor;
    }
  }
}

static void add_rigid(const perp_world *w, const island *s, const rigid *r, const double *spin,
                      double sign) {
  for (int32_t i = 0; i < s->bodies; i++) {
    perp_motion *q = motions_of(w) + s->member[i];
    double p[3], v[3];
    sub3(q->position, r->centre, p);
    cross3(spin, p, v);
    for (int k = 0; k < 3; k++) {
      q->velocity[k] += sign*(r->momentum[k]/r->mass + v[k]);
      q->spin[k] += sign*spin[k];
    }
  }
}

static void shift(const perp_world *w, const island *s, double part) {
  for (int32_t i = 0; i < s->bodies; i++) {
    const body *b = bodies_of(w) + s->member[i];
    perp_motion *q = motions_of(w) + s->member[i];
    const double a[3] = {part*b->shift[3], part*b->shift[4], part*b->shift[5]};
    add_scaled3(q->position, part, b->shift);
    if (norm3(a) > 0.0) drift_turn(q->orientation, a);
  }
}

static void keep(const perp_world *w, const island *s, perp_motion *kept, int back) {
  for (int32_t i = 0; i < s->bodies; i++) {
    perp_motion *q = motions_of(w) + s->member[i];
    if (back) *q = kept[i];
    else kept[i] = *q;
  }
}

// Velocities at the shifted positions such that the energy grows by at most `budget`. 0:
// impossible.
static int pay(const perp_world *w, const island *s, double before, const rigid *old,
               double budget) {
  double kinetic, potential = energy_of(w, s, &kinetic);
  if (s->anchored) {
    const double have = before + budget - potential;
    if (kinetic <= have) return 1;
    if (!(have >= (1.0 - KINETIC_SHARE_MAX)*kinetic)) return 0;
    scale(w, s, sqrt(have/kinetic));
    return 1;
  }
  rigid now = rigid_of(w, s), aim = now;
  double turning[3], aimed[3];
  copy3(aim.angular, old->angular);
  copy3(aim.momentum, old->momentum);
  if (!spin_of(now.I, now.angular, turning) || !spin_of(now.I, aim.angular, aimed)) return 0;
  add_rigid(w, s, &now, turning, -1.0);
  double rest;
  energy_of(w, s, &rest);
  const double whole = 0.5*(dot3(aim.momentum, aim.momentum)/aim.mass + dot3(aim.angular, aimed)),
               have = before + budget - potential - whole;
  if (rest > have) {
    if (!(have >= 0.0) || !(have + whole >= (1.0 - KINETIC_SHARE_MAX)*(rest + whole))) return 0;
    scale(w, s, sqrt(have/rest));
  }
  add_rigid(w, s, &aim, aimed, 1.0);
  return 1;
}

static int move_out(perp_world *w, const island *s, perp_motion *kept, double *budget) {
  double kinetic, potential = energy_of(w, s, &kinetic);
  const double before = kinetic + potential;
  const rigid old = rigid_of(w, s);
  double lift = 0.0;   // potential energy of the whole displacement
  for (int32_t i = 0; i < s->bodies; i++) {
    const body *b = bodies_of(w) + s->member[i];
    lift -= b->mass*dot3(w->settings.gravity, b->shift);
  }
  const double have = fmax(*budget, 0.0) + KINETIC_SHARE_MAX*kinetic;
  double part = lift > have ? have/lift : 1.0;
  keep(w, s, kept, 0);
  for (int k = 0; k < HALVINGS_MAX; k++, part *= 0.5) {
    shift(w, s, part);
    if (pay(w, s, before, &old, fmax(*budget, 0.0))) {
      const double potential_now = energy_of(w, s, &kinetic);
      *budget -= kinetic + potential_now - before;
      return 1;
    }
    keep(w, s, kept, 1);
  }
  return 0;
}

double project_deepest(const perp_world *w) {
  const contact *c = w->now.contacts.at;
  double deepest = 0.0;
  for (int32_t k = 0; k < w->now.count; k++) deepest = fmax(deepest, -c[k].gap - slop_of(w, &c[k]));
  return deepest;
}

int world_project(perp_world *w, double *budget, double deadline) {
  if (!(project_deepest(w) > 0.0)) return 0;
  if (island_find(w, &w->now, &w->overlaps) != PERP_OK ||
      !buffer_grow(&w->allocator, &w->other_memory, (size_t)w->bodies*sizeof(perp_motion), 0)) {
    w->report.starved++;
    return 0;
  }
  job j = {w, deadline};
  crew_run(w->threads, solve_overlap, &j, w->overlaps.islands);
  const island *s = w->overlaps.island_memory.at;
  int moved = 0;
  for (int32_t k = 0; k < w->overlaps.islands; k++) {
    if (s[k].rows == 0) continue;
    w->report.projections++;
    w->report.starved += s[k].starved;
    const int out = s[k].status == PERP_STATUS_SOLVED &&
                    move_out(w, &s[k], w->other_memory.at, budget);
    moved |= out;
    w->report.unprojected += !out;
  }
  return moved;
}
