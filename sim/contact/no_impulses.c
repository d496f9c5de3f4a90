// no_impulses.c: detects islands that moving bodies of infinite mass crush, where no impulses help.
//
// A moving body of infinite mass pushes others out of its way. If they cannot move, no impulses are
// large enough: the problem has no solution, and methods find that out only after they have tried
// everything else. The normals alone can show it. If there is a stress u >= 0 that moves no body,
// J'u = 0, with b'u < 0, it is a Farkas vector of the normal problem, and also of E13 (27): u'(Bnn
// ln + Bnt lt) = 0. With a small compliance C, COMPLIANCE_SHARE of the diagonal, the normal problem
// is definite, and
//     0 <= z _|_ (A + C) z + b >= 0                 grows along u, if there is one, like 1/C
//     0 <= u+ _|_ (A + C) u+ - C u >= 0             proximal points of u'A u/2: u to rounding
// perp_check_farkas_within() decides what this proves: that there is no solution, or none below a
// large radius. If rounding has tilted contacts so that friction finds a hold, a solution may
// exist, but only with absurdly large impulses; then nothing is claimed. The impulses used instead
// are those of frictionless contacts with the compliance of a projection. The test costs a few
// normal problems, and only for islands with driven bodies: in other islands standing still
// satisfies all normal rows.
#include <perp/analysis.h>

#include <string.h>

#include "step.h"

#define COMPLIANCE_SHARE 1e-6     // the compliance C, relative to the diagonal of A
// A radius this many times the impulses of soft contacts is beyond any sensible impulse.
#define IMPULSE_RATIO_MIN 1e4
enum { PROXIMAL_STEPS = 4 };      // each reduces the part that is not u by COMPLIANCE_SHARE

// Solves the normal problem with a compliance, starting from 0; *found: 0 if it was not solved
static perp_error squeeze(const perp_world *w, worker *by, island *s, double part, double end,
                          assembled *a, int *found) {
  if (!problem_normal(w, by, &w->now, s, a) || !problem_soften(by, a, part))
    return PERP_ERROR_MEMORY;
  const contact *c = w->now.contacts.at;
  double *b = by->b.at;
  for (int32_t i = 0; i < s->count; i++) {   // without restitution, which can be done without
    const contact *k = &c[s->order[i]];
    b[i] = k->parting[0] + fmax(k->gap, 0.0)/w->settings.step;
    a->x[i] = 0.0;
  }
  return model_solve_own(w, by, s, a, end, found);
}

static double largest(const double *x, int32_t n) {
  double most = 0.0;
  for (int32_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// Computes u of the first comment; *found: 0 if there is no sign of one
static perp_error find_stress(const perp_world *w, worker *by, island *s, double end, double *u,
                              int *found) {
  assembled a;
  perp_error error = squeeze(w, by, s, COMPLIANCE_SHARE, end, &a, found);
  const double *C = by->compliance.at;
  double *b = by->b.at, most = 0.0;
  if (error != PERP_OK || !*found) return error;
  for (int32_t i = 0; i < s->count; i++) most = fmax(most, C[i]*a.x[i]);
  *found = most > 1e-3*largest(b, s->count);   // else what is asked for is there
  for (int k = 0; k < PROXIMAL_STEPS && error == PERP_OK && *found; k++) {
    const double size = largest(a.x, s->count);
    for (int32_t i = 0; i < s->count; i++) {
      a.x[i] /= size;
      b[i] = -C[i]*a.x[i];
    }
    error = model_solve_own(w, by, s, &a, end, found);
  }
  memcpy(u, a.x, (size_t)s->count*sizeof *u);
  return error;
}

// x of the island's own problem: l along normals
static void put_normals(const perp_world *w, const island *s, const double *l, double *x) {
  const int32_t stride = w->settings.model == PERP_CONTACT_BOXED ? w->settings.dimension : 1;
  memset(x, 0, (size_t)s->rows*sizeof *x);
  for (int32_t i = 0; i < s->count; i++) x[stride*i] = l[i];
}

perp_error no_impulses_try(trial *t) {
  const perp_world *w = t->w;
  worker *by = t->by;
  island *s = t->s;
  assembled *a = t->a;
  t->answered = 0;
  const size_t n = (size_t)s->count;
  if (!buffer_grow(&by->allocator, &by->rest, 2*n*sizeof(double), 0)) return PERP_ERROR_MEMORY;
  double *u = by->rest.at, *l = u + n;
  int found;
  perp_error error = find_stress(w, by, s, t->end, u, &found);
  if (error != PERP_OK || !found) return error;
  error = squeeze(w, by, s, PROJECT_COMPLIANCE, t->end, a, &found);
  if (error != PERP_OK || !found) return error;
  memcpy(l, a->x, n*sizeof *l);
  bounce_none(w, s);
  if (!model_assemble(w, by, &w->now, s, a)) return PERP_ERROR_MEMORY;
  perp_farkas farkas;
  put_normals(w, s, u, a->x);
  error = perp_check_farkas_within(&a->problem, a->x, w->options.tol, w->options.absolute_tol,
                                   &by->allocator, &farkas);
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += l[i];
  const int far = -farkas.value > farkas.allowed && farkas.radius > IMPULSE_RATIO_MIN*sum;
  if (error != PERP_OK || !(farkas.proven || farkas.bounded || far)) return error;
  put_normals(w, s, l, a->x);
  t->answered = 1;
  t->tried = (perp_result){.status = farkas.proven    ? PERP_STATUS_INFEASIBLE
                                     : farkas.bounded ? PERP_STATUS_NO_SMALL_SOLUTION
                                                      : PERP_STATUS_UNSOLVED,
                           .radius = farkas.proven || farkas.bounded ? farkas.radius : 0.0};
  return solve_judge(w, a, &t->tried.certificate);
}
