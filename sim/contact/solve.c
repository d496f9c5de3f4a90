// solve.c: the problems of all islands, one after the other or on several threads.
//
// Islands share no moving body, so each is solved separately, by a worker with its own solver. The
// result does not depend on which worker it is.
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

// ---- islands ----

// An island leaves this share of the time that the islands after it would get by their contacts.
// Chosen by reasoning, not by a measurement: small, so that no island is cut short for the others.
#define OTHER_ISLANDS_TIME_SHARE 0.1

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
  trial t = {.w = w, .by = by, .s = s, .a = &by->made, .end = end,
             .kind = traced ? SOLVE_TRACED : SOLVE_STEP};
  const perp_error error = attempts_run(&t);
  if (error != PERP_OK) {
    by->error = error;
    plain_print(by->message, sizeof by->message, "a problem with %d contacts: %s", s->count,
                error == PERP_ERROR_MEMORY ? "no memory" : perp_last_message());
    return;
  }
  s->status = t.best.status;
  s->answer = (perp_attempt)t.from;
  s->residual = t.best.certificate.residual;
  s->starved = by->refused > refused;   // a method gave up for that, and another one went on
  if (traced) w->next_count = t.best.trace_count;
  problem_keep(w, s, t.a->x, w->found.at);
}

perp_error world_solve(perp_world *w, double deadline) {
  const int32_t count = w->groups.islands;
  island *s = w->groups.island_memory.at;
  const size_t x_bytes = (size_t)w->now.count*(size_t)w->width*sizeof(double);
  if (!buffer_grow(&w->allocator, &w->other_memory, (size_t)count*sizeof(int32_t), 0) ||
      !buffer_grow(&w->allocator, &w->found, x_bytes, 0))
    return refuse(PERP_ERROR_MEMORY, "no memory for %d islands", count);
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
      return refuse(w->workers[k].error, "%s", w->workers[k].message);
  const buffer x = w->now.x;
  w->now.x = w->found;
  w->found = x;
  w->trace_count = w->next_count;
  if (w->trace != NULL)
    memcpy(w->trace, w->trace + w->settings.trace, (size_t)w->trace_count*sizeof *w->trace);
  return PERP_OK;
}
