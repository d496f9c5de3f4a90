// sweep.c: impulses for an island whose problem was not solved in time.
//
// Gauss-Seidel on the contacts, by the velocities of the bodies, contact by contact, direction by
// direction,
//     l_n <- max(0, l_n - v_n/a_n),    l_k <- within [0, mu l_n - others] of l_k - v_k/a_k
// where v is the velocity along the direction with all impulses so far, and a is the change of v by
// a unit impulse. A contact needs only v along its normal and tangents, and its 3 x 3 block G of B:
// an impulse d along e changes v by G e d. The sweeps start from the best x known. A pass visits
// each contact once. A few passes are enough for the ground to carry the bodies that lie on it,
// which would sink otherwise.
#include <string.h>

#include "step.h"

static void push(const double *G, const double *e, double d, double *v, double *given) {
  for (int k = 0; k < 3; k++) {
    v[k] += d*dot3(G + 3*k, e);
    given[k] += d*e[k];
  }
}

static double ease_of(const double *G, const double *e) {
  double Ge[3];
  apply3(G, e, Ge);
  return dot3(e, Ge);
}

// e of direction k in the contact's own axes: normal, tangents
static void direction(const perp_world *w, int k, double *e) {
  e[0] = 0.0;
  e[1] = w->cosine[k];
  e[2] = w->sine[k];
}

// One contact: its l_n and, along K directions, l. G: its block
static void relax(const perp_world *w, const worker *by, const contact *c, int32_t i,
                  const double *G, double *ln, double *l) {
  static const double normal[3] = {1.0, 0.0, 0.0};
  const int K = w->directions;
  double v[3], e[3], given[3] = {0.0, 0.0, 0.0}, sum = 0.0;
  problem_feel(w, by, c, i, v);
  for (int k = 0; k < 3; k++) v[k] += c->free[k];
  const double next = G[0] > 0.0 ? fmax(*ln - v[0]/G[0], 0.0) : 0.0;
  push(G, normal, next - *ln, v, given);
  *ln = next;
  for (int k = 0; k < K; k++) sum += l[k];
  for (int k = 0; k < K; k++) {
    direction(w, k, e);
    const double ease = ease_of(G, e), others = sum - l[k], most = fmax(c->mu*next - others, 0.0),
                 want = ease > 0.0 ? l[k] - dot3(e, v)/ease : 0.0,
                 got = fmin(fmax(want, 0.0), most);
    push(G, e, got - l[k], v, given);
    l[k] = got;
    sum = others + got;
  }
  problem_hit(w, by, c, i, given);
}

static int begin(const perp_world *w, worker *by, const island *s) {
  const contact *all = w->now.contacts.at;
  if (!buffer_grow(&by->allocator, &by->blocks, (size_t)s->count*9*sizeof(double), 0)) return 0;
  double *G = by->blocks.at;
  for (int32_t i = 0; i < s->count; i++) problem_block(w, by, &all[s->order[i]], i, G + 9*(size_t)i);
  return 1;
}

// x: rows l_n, then K directions each, then a speed each; K = 0 without friction.
static void sweep(const perp_world *w, const worker *by, const island *s, int passes, double *x) {
  const double *G = by->blocks.at;
  const contact *all = w->now.contacts.at;
  const int32_t nc = s->count;
  const int K = w->directions;
  for (int32_t i = 0; i < s->bodies; i++)
    memset(bodies_of(w)[s->member[i]].shift, 0, 6*sizeof(double));
  for (int32_t i = 0; i < nc; i++) {
    double l[3] = {x[i], 0.0, 0.0};
    for (int k = 0; k < K; k++) {
      l[1] += w->cosine[k]*x[nc + K*i + k];
      l[2] += w->sine[k]*x[nc + K*i + k];
    }
    problem_hit(w, by, &all[s->order[i]], i, l);
  }
  for (int pass = 0; pass < passes; pass++)
    for (int32_t j = 0; j < nc; j++) {
      const int32_t i = pass%2 ? nc - 1 - j : j;
      relax(w, by, &all[s->order[i]], i, G + 9*(size_t)i, &x[i], x + nc + (int64_t)K*i);
    }
  for (int32_t i = 0; i < nc && K > 0; i++) {   // how fast it slides
    const contact *c = &all[s->order[i]];
    double v[3], speed = 0.0;
    problem_feel(w, by, c, i, v);
    for (int k = 0; k < K; k++)
      speed = fmax(speed, -w->cosine[k]*(v[1] + c->free[1]) - w->sine[k]*(v[2] + c->free[2]));
    x[(1 + K)*nc + i] = speed;
  }
}

// An island that ran out of time is swept if the residual of its best x is not below this.
#define SWEEP_RESIDUAL_MIN 1e-3
// Passes of Gauss-Seidel over an island without time. They make the step late, so an island has at
// most SWEEP_VISITS_MAX visits of contacts, about a millisecond, and SWEEP_PASSES_MIN passes. With
// 10 passes a stack of six boxes that never gets any time sinks by more than a hundredth of a box,
// with 40 it does not (test contact_boxes). The first certificate comes after SWEEP_PASSES_FIRST.
enum { SWEEP_PASSES_MIN = 4, SWEEP_PASSES_FIRST = 10, SWEEP_PASSES_MAX = 40,
       SWEEP_VISITS_MAX = 10000 };

// A few passes of Gauss-Seidel. The largest residual
// may grow at first, while impulses travel through a stack, so x is certified only twice, and not
// after each pass: a certificate costs as much as many passes.
perp_error sweep_try(trial *t) {
  const int32_t fit = SWEEP_VISITS_MAX/t->s->count;
  const int passes = fit < SWEEP_PASSES_MIN ? SWEEP_PASSES_MIN
                     : fit < SWEEP_PASSES_MAX ? fit : SWEEP_PASSES_MAX;
  if (!begin(t->w, t->by, t->s)) return PERP_ERROR_MEMORY;
  t->tried = t->best;
  for (int done = 0, next = passes < SWEEP_PASSES_FIRST ? passes : SWEEP_PASSES_FIRST; next > 0;
       done += next, next = passes - done) {
    sweep(t->w, t->by, t->s, next, t->a->x);
    const perp_error error = solve_judge(t->w, t->a, &t->tried.certificate);
    if (error != PERP_OK || t->tried.certificate.residual < t->best.certificate.residual)
      return error;
  }
  return PERP_OK;
}

int sweep_applies(const trial *t) {
  return t->best.status == PERP_STATUS_TIME_LIMIT &&
         !(t->best.certificate.residual < SWEEP_RESIDUAL_MIN) &&
         t->w->settings.model <= PERP_CONTACT_FRICTION;
}
