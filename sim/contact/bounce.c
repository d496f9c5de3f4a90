// bounce.c: how fast contacts are to part after a bounce, such that all of them can.
//
// Newton's law asks for J u+ >= e |J u| where bodies bounce. In a corner that may be too much: a
// ball that bounces off a wall away from which another wall keeps it has nowhere to go, and the
// problem has no solution. So in islands that touch something of infinite mass the law is tried on
// normals alone, by impulses as Poisson has them:
//     u_c = u + W J'l,  0 <= l _|_ J u_c + d/h >= 0             the impact stops
//     u_r = u_c + W J'e l                                       what was compressed expands
//     u_f = u_r + W J'k,  0 <= k _|_ J u_f + d/h >= 0           and is let through by the others
// (no gap where bodies bounce). Both problems always have a solution, and no energy is gained where
// e is the same: u_c is the projection of u onto a cone, u_r lies between u and its reflection, u_f
// is a projection again. Rows then ask for e|J u|, Newton's speed. Where J u_f is less, they ask
// for that, or, if there is a gap still, for a bounce later on.
// Elsewhere, as for any ball on a floor, nothing changes.
#include "step.h"

// l of the normal problem with b = J v + d/h, into x; y = A x + b of row i into speed.
static int settle(const perp_world *w, worker *by, const island *s, const double *b, double *x,
                  double *speed, double seconds) {
  assembled *a = &by->second;
  if (!problem_normal(w, by, &w->now, s, a)) return 0;
  double *rows = by->b.at;
  for (int32_t i = 0; i < s->count; i++) {
    rows[i] = b[i];
    a->x[i] = 0.0;
  }
  perp_result r;
  if (solve_problem(w, by, &a->problem, a->x, seconds, SOLVE_PLAIN, &r) != PERP_OK ||
      r.status != PERP_STATUS_SOLVED)
    return 0;
  perp_certificate c;
  if (perp_certify(&a->problem, a->x, w->options.tol, 0.0, speed, &c) != PERP_OK) return 0;
  for (int32_t i = 0; i < s->count; i++) x[i] = a->x[i];
  return 1;
}

static void do_not(const perp_world *w, const island *s, contact *c) {
  for (int32_t i = 0; i < s->count; i++) {
    contact *k = &c[s->order[i]];
    if (!k->bounced) continue;
    k->bounced = 0;
    k->free[0] = k->parting[0] + fmax(k->gap, 0.0)/w->settings.step;
  }
}

int bounce_any(const perp_world *w, const island *s) {
  const contact *c = w->now.contacts.at;
  for (int32_t i = 0; i < s->count; i++)
    if (c[s->order[i]].bounced) return 1;
  return 0;
}

void bounce_none(const perp_world *w, const island *s) { do_not(w, s, w->now.contacts.at); }

void bounce_limit(const perp_world *w, worker *by, const island *s, double seconds) {
  if (!s->anchored || s->count == 1 || !bounce_any(w, s)) return;
  contact *c = w->now.contacts.at;
  const size_t n = (size_t)s->count;
  if (!buffer_grow(&by->allocator, &by->rest, 4*n*sizeof(double), 0)) {
    do_not(w, s, c);
    return;
  }
  double *b = by->rest.at, *l = b + n, *speed = l + n, *gaps = speed + n;
  for (int32_t i = 0; i < s->count; i++) {
    const contact *k = &c[s->order[i]];
    gaps[i] = k->bounced ? 0.0 : fmax(k->gap, 0.0)/w->settings.step;
    b[i] = k->parting[1] + gaps[i];
  }
  if (!settle(w, by, s, b, l, speed, seconds)) {
    do_not(w, s, c);
    return;
  }
  // J u_r = J u_c + A e l: the product with the problem that settle() has left
  const perp_operator *A = &by->second.problem.A;
  const size_t scratch = A->ops->scratch_bytes != NULL ? A->ops->scratch_bytes(A->self) : 0;
  if (!buffer_grow(&by->allocator, &by->marks, scratch, 0)) {
    do_not(w, s, c);
    return;
  }
  for (int32_t i = 0; i < s->count; i++) {
    const contact *k = &c[s->order[i]];
    l[i] *= k->bounced ? k->e : 0.0;
  }
  A->ops->apply(A->self, l, b, by->marks.at);
  for (int32_t i = 0; i < s->count; i++) b[i] += speed[i];   // speed includes the gap
  if (!settle(w, by, s, b, l, speed, seconds)) {
    do_not(w, s, c);
    return;
  }
  for (int32_t i = 0; i < s->count; i++) {
    contact *k = &c[s->order[i]];
    if (!k->bounced) continue;
    const double newton = -k->e*k->parting[1];
    if (speed[i] >= newton*(1.0 - 1e-6)) continue;
    if (k->gap > 0.0) {   // later, when it is there
      k->bounced = 0;
      k->free[0] = k->parting[0] + k->gap/w->settings.step;
    } else {              // less, by a little more than the problem's tolerance
      k->free[0] = k->parting[0] - (speed[i] > 1e-6*newton ? (1.0 - 1e-6)*speed[i] : 0.0);
    }
  }
}
