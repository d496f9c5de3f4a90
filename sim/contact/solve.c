// solve.c: the problems of all islands, one after the other or on several threads.
//
// Islands share no moving body, so each is solved separately, by a worker with its own solver. The
// result does not depend on which worker it is. Staggered and boxed friction solve convex problems
// in rounds; the certificate judges their fixed point:
//   staggered: normal impulses with fixed friction, then friction with fixed normal impulses. A
//              fixed point solves E13 (27), which is certified. The library's method `staggering`
//              does this, unless the caller chose another method for the two halves;
//   boxed:     |lt| <= mu ln with ln of the previous round; certified with its own ln.
#include <perp/analysis.h>

#include <string.h>
#include <time.h>

#include "plain.h"
#include "island_problem.h"
#include "step.h"

static double clock_says(const perp_world *w) {
  if (w->options.clock != NULL) return w->options.clock(w->options.clock_context);
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

// As in a solve: a clock value that is NaN, infinite or smaller than the last one is ignored.
void world_start_clock(perp_world *w) {
  const double now = clock_says(w);
  w->start = now - now == 0.0 ? now : 0.0;
}

double world_clock(const perp_world *w) {
  const double seconds = clock_says(w) - w->start;
  return seconds >= 0.0 && seconds < (double)INFINITY ? seconds : 0.0;
}

typedef struct job {
  perp_world *w;
  const int32_t *turn;        // islands, largest first
  double deadline;            // INFINITY: none
  int32_t rows_each;          // of a contact
  int32_t largest;            // island whose convergence is traced; -1: none
} job;

double left_until(const perp_world *w, double end) {
  return end < (double)INFINITY ? end - world_clock(w) : end;
}

static int32_t size_class(int32_t n) {
  int32_t k = 2;
  while (k < SIZE_CLASSES - 1 && (int64_t)1 << 2*k < n) k++;
  return k;
}

// Relative tolerance of the problems that remove overlaps. They leave a hundredth of an overlap to
// the next step anyway (project.c). At 1e-8 a run takes 1.37 times as long (wall --bricks 100
// --steps 150), 1.25 times (hollow-sphere), 1.06 times (box), or the same time (stack, pyramid),
// and bodies overlap as much as now.
#define PROJECT_TOL 1e-3
#define SOLVE_SECONDS_MIN 1e-6   // time limit of a solve after the deadline: for its certificate

perp_error solve_judge(const perp_world *w, const assembled *a, perp_certificate *c) {
  perp_tolerances within = perp_default_tolerances();
  within.tol = w->options.tol;
  within.absolute_tol = w->options.absolute_tol;
  within.componentwise_tol = w->options.componentwise_tol;
  return perp_certify_with(&a->problem, a->x, &within, NULL, c);
}

perp_error solve_problem(const perp_world *w, worker *by, const perp_problem *p, double *x,
                         double seconds, solve_kind kind, perp_result *r) {
  perp_options options = kind < SOLVE_OWN ? w->options : w->own;
  if (kind == SOLVE_ROUGH) options.tol = fmax(options.tol, PROJECT_TOL);
  if (kind == SOLVE_TRACED) {
    options.trace = w->trace + w->settings.trace;
    options.trace_capacity = w->settings.trace;
  }
  const int timed = seconds < (double)INFINITY;   // in all solves of a world, or in none
  if (timed) options.time_limit = fmin(options.time_limit, fmax(seconds, SOLVE_SECONDS_MIN));
  const int32_t k = size_class(p->A.n);
  perp_solver **solver = &by->solver[kind][k];
  perp_limits need = perp_limits_of(p), *have = &by->limits[kind][k];
  if (*solver == NULL || need.n > have->n || need.nnz > have->nnz ||
      need.scratch > have->scratch) {
    perp_solver_destroy(*solver);
    *solver = NULL;
    have->n = need.n > have->n ? need.n + need.n/4 : have->n;
    have->nnz = need.nnz > have->nnz ? need.nnz + need.nnz/4 : have->nnz;
    have->scratch = need.scratch > have->scratch ? need.scratch + need.scratch/4 : have->scratch;
    const perp_error error = perp_solver_create(options.method, have, &options, &by->allocator,
                                                solver);
    if (error != PERP_OK) {
      *have = (perp_limits){0};
      return error;
    }
  } else if (timed) {
    const perp_error error = perp_solver_set_time_limit(*solver, options.time_limit);
    if (error != PERP_OK) return error;
  }
  return perp_solve(*solver, p, x, r);
}

static void take(island *s, const perp_result *r) {
  s->iterations += r->iterations;
  s->factorizations += r->factorizations;
}

perp_error solve_own(const perp_world *w, worker *by, island *s, assembled *a, double end,
                     int *found) {
  perp_result r;
  const perp_error error = solve_problem(w, by, &a->problem, a->x, left_until(w, end), SOLVE_OWN,
                                         &r);
  if (error != PERP_OK) return error;
  take(s, &r);
  *found = r.status == PERP_STATUS_SOLVED;
  return PERP_OK;
}

// ---- staggering ----

// Solves the normal rows of (27) and its friction rows (with the sliding speeds) in turn, by the
// caller's method.
static perp_error staggered(const perp_world *w, worker *by, assembled *a, double end,
                            solve_kind kind, island *s, perp_result *r) {
  const perp_operator *A = &a->problem.A;
  const int32_t nc = s->count, n = A->n;
  const size_t vector = (size_t)n*sizeof(double);
  if (!buffer_grow(&by->allocator, &by->rest, 2*vector, 0) ||
      !buffer_grow(&by->allocator, &by->set, (size_t)n*sizeof(int32_t), 0) ||
      !buffer_grow(&by->allocator, &by->scratch, A->ops->scratch_bytes(A->self), 0))
    return PERP_ERROR_MEMORY;
  double *y = by->rest.at, *held = y + n;
  int32_t *set = by->set.at;
  for (int32_t i = 0; i < n; i++) set[i] = i;
  for (int32_t round = 0; round < w->settings.rounds; round++) {
    for (int part = 1; part >= 0; part--) {   // normals last: nothing sinks in, come what may
      const int32_t from = part == 0 ? 0 : nc, rows = part == 0 ? nc : n - nc;
      memcpy(held, a->x, vector);
      memset(held + from, 0, (size_t)rows*sizeof *held);
      A->ops->apply(A->self, held, y, by->scratch.at);
      for (int32_t i = 0; i < n; i++) y[i] += a->problem.b[i];
      perp_wrapper half;
      perp_problem p = {.A = perp_restricted(&half, *A, set + from, rows), .b = y + from};
      p.A.claims = part == 0 ? PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD : PERP_CLAIM_PSD;
      const perp_error error = solve_problem(w, by, &p, a->x + from, left_until(w, end), kind, r);
      if (error != PERP_OK) return error;
      take(s, r);
    }
    const perp_error error = solve_judge(w, a, &r->certificate);
    if (error != PERP_OK) return error;
    r->status = r->certificate.solved ? PERP_STATUS_SOLVED : PERP_STATUS_ITERATION_LIMIT;
    if (r->certificate.solved) break;
    if (world_clock(w) >= end) {
      r->status = PERP_STATUS_TIME_LIMIT;
      break;
    }
  }
  return PERP_OK;
}

// ---- boxes ----

static void set_bounds(const perp_world *w, worker *by, const island *s, const double *x) {
  const int32_t directions = w->settings.dimension;
  const contact *c = w->now.contacts.at;
  double *lo = by->lo.at, *hi = by->hi.at;
  for (int32_t i = 0; i < s->count; i++)
    for (int32_t k = 1; k < directions; k++) {
      const int32_t row = directions*i + k;
      hi[row] = c[s->order[i]].mu*fmax(x[directions*i], 0.0);
      lo[row] = -hi[row];
    }
}

static perp_error boxed(const perp_world *w, worker *by, assembled *a, double end, solve_kind kind,
                        island *s, perp_result *r) {
  for (int32_t round = 0; round < w->settings.rounds; round++) {
    const double left = left_until(w, end);
    perp_error error = solve_problem(w, by, &a->problem, a->x, left, kind, r);
    if (error != PERP_OK) return error;
    take(s, r);
    const perp_status status = r->status;
    set_bounds(w, by, s, a->x);
    error = solve_judge(w, a, &r->certificate);
    if (error != PERP_OK) return error;
    r->status = r->certificate.solved ? PERP_STATUS_SOLVED
                : status != PERP_STATUS_SOLVED ? status : PERP_STATUS_ITERATION_LIMIT;
    if (r->certificate.solved) break;
    if (world_clock(w) >= end) {
      r->status = PERP_STATUS_TIME_LIMIT;
      break;
    }
  }
  return PERP_OK;
}

// ---- islands ----

int problem_of(const perp_world *w, worker *by, const contact_list *l, const island *s,
               assembled *out) {
  switch (w->settings.model) {
    case PERP_CONTACT_NORMAL: return problem_normal(w, by, l, s, out);
    case PERP_CONTACT_BOXED: return problem_boxed(w, by, l, s, out);
    default: return problem_friction(w, by, l, s, out);
  }
}

// Assembles the problem of the island and solves it by its model until `end`.
static perp_error solve_model(perp_world *w, worker *by, island *s, assembled *a, double end,
                              solve_kind kind, perp_result *r) {
  if (!problem_of(w, by, &w->now, s, a)) return PERP_ERROR_MEMORY;
  const int staggers = w->settings.model == PERP_CONTACT_STAGGERED;
  if (staggers && w->options.method != perp_find_method("staggering"))
    return staggered(w, by, a, end, kind, s, r);
  if (w->settings.model == PERP_CONTACT_BOXED) return boxed(w, by, a, end, kind, s, r);
  perp_error error = solve_problem(w, by, &a->problem, a->x, left_until(w, end), kind, r);
  if (error != PERP_OK) return error;
  take(s, r);
  // If contacts are redundant, a guess can mislead the method. Then solve again without a guess,
  // unless there is a proof that no solution exists.
  const double left = left_until(w, end);
  const size_t bytes = (size_t)s->rows*sizeof(double);
  if (r->status == PERP_STATUS_SOLVED || r->status == PERP_STATUS_INFEASIBLE ||
      r->status == PERP_STATUS_NO_SMALL_SOLUTION || staggers || left <= 0.0)
    return PERP_OK;
  if (!buffer_grow(&by->allocator, &by->rest, bytes, 0)) return PERP_ERROR_MEMORY;
  double *kept = by->rest.at;
  const perp_result first = *r;
  memcpy(kept, a->x, bytes);
  memset(a->x, 0, bytes);
  error = solve_problem(w, by, &a->problem, a->x, left, kind, r);
  if (error != PERP_OK) return error;
  take(s, r);
  if (r->status == PERP_STATUS_SOLVED || r->certificate.residual < first.certificate.residual)
    return PERP_OK;
  *r = first;
  memcpy(a->x, kept, bytes);
  return PERP_OK;
}

// Newton's restitution and friction may contradict each other. Then solve without restitution.
static perp_error solve_bounces(perp_world *w, worker *by, island *s, assembled *a, double end,
                                solve_kind kind, perp_result *r) {
  perp_error error = bounce_limit(w, by, s, end);
  if (error == PERP_OK) error = solve_model(w, by, s, a, end, kind, r);
  if (error != PERP_OK || r->status == PERP_STATUS_SOLVED || !bounce_any(w, s) ||
      w->settings.model == PERP_CONTACT_STAGGERED || left_until(w, end) <= 0.0)
    return error;
  bounce_none(w, s);
  return solve_model(w, by, s, a, end, kind, r);
}

// An island that ran out of time is swept if the residual of its best x is not below this.
#define SWEEP_RESIDUAL_MIN 1e-3
// An island leaves this share of the time that the islands after it would get by their contacts.
// Chosen by reasoning, not by a measurement: small, so that no island is cut short for the others.
#define OTHER_ISLANDS_TIME_SHARE 0.1
// Passes of Gauss-Seidel over an island without time. They make the step late, so an island has at
// most SWEEP_VISITS_MAX visits of contacts, about a millisecond, and SWEEP_PASSES_MIN passes. With
// 10 passes a stack of six boxes that never gets any time sinks by more than a hundredth of a box,
// with 40 it does not (test contact_boxes).
enum { SWEEP_PASSES_MIN = 4, SWEEP_PASSES_FIRST = 10, SWEEP_PASSES_MAX = 40,
       SWEEP_VISITS_MAX = 10000 };

// A few passes of Gauss-Seidel. x is kept as it was if they do not improve it. The largest residual
// may grow at first, while impulses travel through a stack, so x is certified only twice, and not
// after each pass: a certificate costs as much as many passes.
static perp_error relax(const perp_world *w, worker *by, const island *s, assembled *a,
                        perp_result *r) {
  const size_t bytes = (size_t)s->rows*sizeof(double);
  const int32_t fit = SWEEP_VISITS_MAX/s->count;
  const int passes = fit < SWEEP_PASSES_MIN ? SWEEP_PASSES_MIN
                     : fit < SWEEP_PASSES_MAX ? fit : SWEEP_PASSES_MAX;
  if (!buffer_grow(&by->allocator, &by->rest, bytes, 0) || !sweep_begin(w, by, s))
    return PERP_ERROR_MEMORY;
  memcpy(by->rest.at, a->x, bytes);
  for (int done = 0, next = passes < SWEEP_PASSES_FIRST ? passes : SWEEP_PASSES_FIRST; next > 0;
       done += next, next = passes - done) {
    sweep(w, by, s, next, a->x);
    perp_certificate after;
    const perp_error error = solve_judge(w, a, &after);
    if (error != PERP_OK) return error;
    if (after.residual < r->certificate.residual) {
      r->certificate = after;
      return PERP_OK;
    }
  }
  memcpy(a->x, by->rest.at, bytes);
  return PERP_OK;
}

static perp_error calm(const perp_world *w, worker *by, const island *s, assembled *a,
                       perp_result *r) {
  const int poor = r->status == PERP_STATUS_TIME_LIMIT &&
                   !(r->certificate.residual < SWEEP_RESIDUAL_MIN) &&
                   w->settings.model <= PERP_CONTACT_FRICTION;
  const perp_error error = poor ? relax(w, by, s, a, r) : PERP_OK;
  const double factor = error == PERP_OK ? limit_energy(w, s, a->x) : 1.0;
  if (factor == 1.0) return error;
  problem_scale(w, s, a->x, factor);
  if (w->settings.model == PERP_CONTACT_BOXED) set_bounds(w, by, s, a->x);
  return solve_judge(w, a, &r->certificate);
}

static void solve_island(void *data, int32_t index, int32_t who) {
  const job *j = data;
  perp_world *w = j->w;
  worker *by = &w->workers[who];
  const int32_t which = j->turn[index];
  island *s = (island *)w->groups.island_memory.at + which;
  const int traced = which == j->largest;
  if (by->error != PERP_OK) return;
  const int64_t refused = by->refused;
  s->rows = s->count*j->rows_each;
  double end = j->deadline;
  if (end < (double)INFINITY) {
    const double now = world_clock(w);
    end = now + s->share*fmax(end - now, 0.0);
  }
  perp_result r;
  assembled *a = &by->made;
  int jammed;
  perp_error error = no_impulses_find(w, by, s, a, end, &r, &jammed);
  if (error == PERP_OK && !jammed)
    error = solve_bounces(w, by, s, a, end, traced ? SOLVE_TRACED : SOLVE_STEP, &r);
  if (error == PERP_OK && r.status != PERP_STATUS_SOLVED) error = calm(w, by, s, a, &r);
  if (error != PERP_OK) {
    by->error = error;
    plain_print(by->message, sizeof by->message, "a problem with %d contacts: %s", s->count,
                error == PERP_ERROR_MEMORY ? "no memory" : perp_last_message());
    return;
  }
  s->status = r.status;
  s->residual = r.certificate.residual;
  s->starved = by->refused > refused;   // a method gave up for that, and another one went on
  if (traced) w->next_count = r.trace_count;
  problem_keep(w, s, a->x, w->found.at);
}

perp_error world_solve(perp_world *w, double deadline) {
  const int32_t count = w->groups.islands;
  island *s = w->groups.island_memory.at;
  const size_t x_bytes = (size_t)w->now.count*(size_t)w->width*sizeof(double);
  if (!buffer_grow(&w->allocator, &w->other_memory, (size_t)count*sizeof(int32_t), 0) ||
      !buffer_grow(&w->allocator, &w->found, x_bytes, 0))
    return world_fail(PERP_ERROR_MEMORY, "no memory for %d islands", count);
  memcpy(w->found.at, w->now.x.at, x_bytes);
  // Largest islands first, so that no thread starts a long one when the others have finished.
  int32_t *turn = w->other_memory.at, largest = -1, placed = 0;
  double contacts = 0.0;   // of islands whose turn has not come
  for (int32_t k = 0; k < count; k++) {
    if (largest < 0 || s[k].count > s[largest].count) largest = k;
    contacts += s[k].count;
  }
  for (int32_t above = INT32_MAX; placed < count;) {   // by powers of two is enough
    const int32_t least = above == INT32_MAX ? 1 << 20 : above/2;
    for (int32_t k = 0; k < count; k++)
      if (s[k].count < above && s[k].count >= least) turn[placed++] = k;
    above = least;
  }
  // An island may take all the time that is left, except a small share for the islands after it.
  // So a hard island leaves the others some time, and no island is cut short for the others' sake.
  for (int32_t k = 0; k < count; k++) {
    island *next = &s[turn[k]];
    const double part = fmin(next->count*(double)w->settings.threads/contacts, 1.0);
    next->share = 1.0 - OTHER_ISLANDS_TIME_SHARE*(1.0 - part);
    contacts -= next->count;
  }
  const int32_t each = w->settings.model == PERP_CONTACT_BOXED ? w->settings.dimension : w->width;
  job j = {.w = w, .turn = turn, .deadline = deadline, .rows_each = each,
           .largest = w->settings.trace > 0 ? largest : -1};
  w->next_count = 0;
  for (int32_t k = 0; k < w->settings.threads; k++) w->workers[k].error = PERP_OK;
  crew_run(w->threads, solve_island, &j, count);
  for (int32_t k = 0; k < w->settings.threads; k++)
    if (w->workers[k].error != PERP_OK)
      return world_fail(w->workers[k].error, "%s", w->workers[k].message);
  const buffer x = w->now.x;
  w->now.x = w->found;
  w->found = x;
  w->trace_count = w->next_count;
  if (w->trace != NULL)
    memcpy(w->trace, w->trace + w->settings.trace, (size_t)w->trace_count*sizeof *w->trace);
  return PERP_OK;
}
