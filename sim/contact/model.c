// model.c: solves the problem of an island once, by the model of its world.
//
// Staggered and boxed friction solve convex problems in rounds; the certificate judges their fixed
// point:
//   staggered: normal impulses with fixed friction, then friction with fixed normal impulses. A
//              fixed point solves E13 (27), which is certified. The library's method `staggering`
//              does this, unless the caller chose another method for the two halves;
//   boxed:     |lt| <= mu ln with ln of the previous round; certified with its own ln.
#include <string.h>

#include "step.h"

static void take(island *s, const perp_result *r) {
  s->iterations += r->iterations;
  s->factorizations += r->factorizations;
}

perp_error model_solve_own(const perp_world *w, worker *by, island *s, assembled *a, double end,
                           int *found) {
  perp_result r;
  const perp_error error = solve_problem(w, by, &a->problem, a->x, left_until(w, end), SOLVE_OWN,
                                         &r);
  if (error != PERP_OK) return error;
  take(s, &r);
  *found = r.status == PERP_STATUS_SOLVED;
  return PERP_OK;
}

perp_error model_solve_once(trial *t) {
  const perp_error error = solve_problem(t->w, t->by, &t->a->problem, t->a->x,
                                         left_until(t->w, t->end), t->kind, &t->tried);
  if (error == PERP_OK) take(t->s, &t->tried);
  return error;
}

// Judges a round. *done: the certificate holds, or the time is over.
static perp_error end_round(trial *t, perp_status unsolved, int *done) {
  perp_result *r = &t->tried;
  const perp_error error = solve_judge(t->w, t->a, &r->certificate);
  if (error != PERP_OK) return error;
  r->status = r->certificate.solved ? PERP_STATUS_SOLVED : unsolved;
  *done = r->certificate.solved;
  if (!*done && world_clock(t->w) >= t->end) {
    r->status = PERP_STATUS_TIME_LIMIT;
    *done = 1;
  }
  return PERP_OK;
}

// The normal rows of (27) and its friction rows (with the sliding speeds) in turn, by the caller's
// method.
static perp_error solve_staggered(trial *t) {
  const perp_world *w = t->w;
  worker *by = t->by;
  const assembled *a = t->a;
  if (w->options.method == perp_find_method("staggering")) return model_solve_once(t);
  const perp_operator *A = &a->problem.A;
  const int32_t nc = t->s->count, n = A->n;
  const size_t vector = (size_t)n*sizeof(double);
  if (!buffer_grow(&by->allocator, &by->rest, 2*vector, 0) ||
      !buffer_grow(&by->allocator, &by->set, (size_t)n*sizeof(int32_t), 0) ||
      !buffer_grow(&by->allocator, &by->scratch, A->ops->scratch_bytes(A->self), 0))
    return PERP_ERROR_MEMORY;
  double *y = by->rest.at, *held = y + n;
  int32_t *set = by->set.at;
  for (int32_t i = 0; i < n; i++) set[i] = i;
  for (int32_t round = 0, done = 0; round < w->settings.rounds && !done; round++) {
    for (int part = 1; part >= 0; part--) {   // normals last: nothing sinks in, come what may
      const int32_t from = part == 0 ? 0 : nc, rows = part == 0 ? nc : n - nc;
      memcpy(held, a->x, vector);
      memset(held + from, 0, (size_t)rows*sizeof *held);
      A->ops->apply(A->self, held, y, by->scratch.at);
      for (int32_t i = 0; i < n; i++) y[i] += a->problem.b[i];
      perp_wrapper half;
      perp_problem p = {.A = perp_restricted(&half, *A, set + from, rows), .b = y + from};
      p.A.claims = part == 0 ? PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD : PERP_CLAIM_PSD;
      const perp_error error = solve_problem(w, by, &p, a->x + from, left_until(w, t->end),
                                             t->kind, &t->tried);
      if (error != PERP_OK) return error;
      take(t->s, &t->tried);
    }
    const perp_error error = end_round(t, PERP_STATUS_ITERATION_LIMIT, &done);
    if (error != PERP_OK) return error;
  }
  return PERP_OK;
}

void model_set_bounds(const trial *t) {
  const int32_t directions = t->w->settings.dimension;
  const contact *c = t->w->now.contacts.at;
  const double *x = t->a->x;
  double *lo = t->by->lo.at, *hi = t->by->hi.at;
  if (t->w->settings.model != PERP_CONTACT_BOXED) return;
  for (int32_t i = 0; i < t->s->count; i++)
    for (int32_t k = 1; k < directions; k++) {
      const int32_t row = directions*i + k;
      hi[row] = c[t->s->order[i]].mu*fmax(x[directions*i], 0.0);
      lo[row] = -hi[row];
    }
}

static perp_error solve_boxed(trial *t) {
  for (int32_t round = 0, done = 0; round < t->w->settings.rounds && !done; round++) {
    perp_error error = model_solve_once(t);
    if (error != PERP_OK) return error;
    model_set_bounds(t);
    const perp_status status = t->tried.status;
    error = end_round(t, status != PERP_STATUS_SOLVED ? status : PERP_STATUS_ITERATION_LIMIT,
                      &done);
    if (error != PERP_OK) return error;
  }
  return PERP_OK;
}

static const struct {
  int (*assemble)(const perp_world *w, worker *by, const contact_list *l, const island *s,
                  assembled *out);
  perp_error (*solve)(trial *t);
} models[PERP_CONTACT_MODEL_COUNT] = {
  [PERP_CONTACT_NORMAL] = {problem_normal, model_solve_once},
  [PERP_CONTACT_FRICTION] = {problem_friction, model_solve_once},
  [PERP_CONTACT_STAGGERED] = {problem_friction, solve_staggered},
  [PERP_CONTACT_BOXED] = {problem_boxed, solve_boxed}};

int model_assemble(const perp_world *w, worker *by, const contact_list *l, const island *s,
                   assembled *out) {
  return models[w->settings.model].assemble(w, by, l, s, out);
}

perp_error model_solve(trial *t) {
  if (!model_assemble(t->w, t->by, &t->w->now, t->s, t->a)) return PERP_ERROR_MEMORY;
  return models[t->w->settings.model].solve(t);
}
