// bounce.c: the speeds at which contacts separate after a bounce, chosen so that all of them can.
//
// Newton's law asks for J u+ >= e |J u| where bodies bounce. In a corner this may be impossible: if
// a ball should bounce off one wall but another wall blocks it, the problem has no solution. So in
// islands that touch something of infinite mass, the law is first tried on the normals alone, with
// Poisson's impulses:
//     u_c = u + W J'l,  0 <= l _|_ J u_c + d/h >= 0             compression: the approach stops
//     u_r = u_c + W J'e l                                       expansion
//     u_f = u_r + W J'k,  0 <= k _|_ J u_f + d/h >= 0           no contact is violated
// where d = 0 at contacts that bounce. Both problems always have a solution, and if e is the same
// everywhere, no energy is gained: u_c is the projection of u onto a cone, u_r lies between u and
// its reflection, and u_f is a projection again. A row then asks for e|J u|, Newton's speed. If J
// u_f is less, it asks for J u_f, or, if there still is a gap, for a bounce in a later step. In
// simple cases, such as a ball on a floor, this changes nothing.
#include <string.h>

#include "step.h"

// The normal problem `a` from 0 on; y = A x + b into speed
static perp_error settle(const perp_world *w, worker *by, island *s, assembled *a, double *speed,
                         double end, int *found) {
  perp_certificate c;
  memset(a->x, 0, (size_t)s->count*sizeof *a->x);
  const perp_error error = model_solve_own(w, by, s, a, end, found);
  if (error != PERP_OK) return error;
  return perp_certify(&a->problem, a->x, w->own.tol, 0.0, speed, &c);
}

// Speeds J u_f of the three lines above.
static perp_error try_poisson(const perp_world *w, worker *by, island *s, double *speed, double end,
                              int *found) {
  const contact *c = w->now.contacts.at;
  assembled a;
  if (!problem_normal(w, by, &w->now, s, &a)) return PERP_ERROR_MEMORY;
  const perp_operator *A = &a.problem.A;
  const size_t scratch = A->ops->scratch_bytes != NULL ? A->ops->scratch_bytes(A->self) : 0;
  if (!buffer_grow(&by->allocator, &by->scratch, scratch, 0)) return PERP_ERROR_MEMORY;
  double *b = by->b.at, *l = a.x;
  for (int32_t i = 0; i < s->count; i++) {
    const contact *k = &c[s->order[i]];
    b[i] = k->parting[1] + (k->bounced ? 0.0 : fmax(k->gap, 0.0)/w->settings.step);
  }
  const perp_error error = settle(w, by, s, &a, speed, end, found);
  if (error != PERP_OK || !*found) return error;
  for (int32_t i = 0; i < s->count; i++) {
    const contact *k = &c[s->order[i]];
    l[i] *= k->bounced ? k->e : 0.0;
  }
  A->ops->apply(A->self, l, b, by->scratch.at);              // J u_r = J u_c + A e l, with d/h of
  for (int32_t i = 0; i < s->count; i++) b[i] += speed[i];   //   speed
  return settle(w, by, s, &a, speed, end, found);
}

int bounce_any(const perp_world *w, const island *s) {
  const contact *c = w->now.contacts.at;
  for (int32_t i = 0; i < s->count; i++)
    if (c[s->order[i]].bounced) return 1;
  return 0;
}

void bounce_none(const perp_world *w, const island *s) {
  contact *c = w->now.contacts.at;
  for (int32_t i = 0; i < s->count; i++) {
    contact *k = &c[s->order[i]];
    if (!k->bounced) continue;
    k->bounced = 0;
    k->free[0] = k->parting[0] + fmax(k->gap, 0.0)/w->settings.step;
  }
}

perp_error bounce_limit(const perp_world *w, worker *by, island *s, double end) {
  if (!s->anchored || s->count == 1 || !bounce_any(w, s)) return PERP_OK;
  if (!buffer_grow(&by->allocator, &by->rest, (size_t)s->count*sizeof(double), 0))
    return PERP_ERROR_MEMORY;
  contact *c = w->now.contacts.at;
  double *speed = by->rest.at;
  int found = 0;
  const perp_error error = try_poisson(w, by, s, speed, end, &found);
  if (error != PERP_OK) return error;
  if (!found) bounce_none(w, s);
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
  return PERP_OK;
}
