// contest.c: see contest.h.
#include "contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "guarded.h"

typedef struct entry {         // a row of the table
  const char *who, *status;
  double seconds;              // negative: unknown
  double residual;
  int32_t iterations, factorizations;   // negative: unknown
} entry;

static const entry nothing = {.seconds = -1.0, .residual = (double)INFINITY, .iterations = -1,
                              .factorizations = -1};

peer_problem contest_theirs(const perp_sample *sample, const double *dense) {
  return (peer_problem){.n = sample->n, .colptr = sample->colptr, .row = sample->row,
                        .value = sample->value, .dense = dense, .b = sample->b, .lo = sample->lo,
                        .hi = sample->hi};
}

static double enough(const contest *c) { return c->good > 0.0 ? c->good : GOOD; }

static void count_text(char *text, size_t size, int32_t count) {
  if (count < 0) snprintf(text, size, "-");
  else snprintf(text, size, "%d", count);
}

static void tell(const contest *c, const entry *e) {
  char time[24] = "-", ratio[24] = "-", residual[24] = "-", iterations[16], factors[16];
  if (e->seconds >= 0.0)
    snprintf(time, sizeof time, "%s%.4g", strcmp(e->status, "late") == 0 ? "> " : "",
             1e3*e->seconds);
  if (e->residual < (double)INFINITY || c->good == 0.0)
    snprintf(residual, sizeof residual, "%.1e", e->residual);
  if (e->seconds > 0.0 && c->best < (double)INFINITY && e->residual <= GOOD)
    snprintf(ratio, sizeof ratio, "%.2f", c->best/e->seconds);
  count_text(iterations, sizeof iterations, e->iterations);
  count_text(factors, sizeof factors, e->factorizations);
  if (c->good > 0.0)
    bench_row(c->table, "%s|%d|%s|%s|%s|%s|%s|%s|%s", c->problem, c->ours->A.n, e->who, e->status,
              time, residual, ratio, iterations, factors);
  else
    bench_row(c->table, "%s|%d|%s|%s|%s|%s|%s", c->problem, c->ours->A.n, e->who, e->status, time,
              residual, ratio);
}

static int takes(const peer_solver *s, const peer_problem *p) {
  return (s->sparse || p->dense != NULL) && (s->bounds || (p->lo == NULL && p->hi == NULL));
}

// One call; 0: it is of no use to ask for more accuracy.
static int try_peer(const contest *c, const peer_solver *s, const peer_problem *theirs,
                    double limit, double *x, entry *e) {
  peer_end end = {-1.0, 0};
  const guarded_end how = guarded_peer(s->run, theirs, limit, x, &end);
  if (how != GUARDED_DONE) {
    if (e->residual <= GOOD) return 0;   // what a looser tolerance gave stands
    if (how == GUARDED_CRASHED && e->residual < (double)INFINITY) return 0;
    e->status = how == GUARDED_LATE ? "late" : "crashed";
    if (how == GUARDED_LATE && c->good > 0.0) e->seconds = s->patience*c->limit;
    return 0;
  }
  if (end.seconds < 0.0) {
    if (e->residual == (double)INFINITY) e->status = end.seconds == -1.0 ? "absent" : "crashed";
    return 0;
  }
  for (int32_t i = 0; i < c->ours->A.n; i++)
    if (x[i] - x[i] != 0.0) x[i] = 0.0;
  const double residual = bench_residual(c->ours, x);
  if (!(residual < e->residual)) return 1;
  e->seconds = end.seconds;
  e->residual = residual;
  e->status = !end.claims ? "failed" : residual <= enough(c) ? "solved" :
              residual <= 100.0*enough(c) && c->good > 0.0 ? "inexact" : "false";
  return residual > enough(c);
}

void contest_peers(contest *c, const char *const *names) {
  entry row[16];
  int rows = 0;
  double *x = bench_take((size_t)c->ours->A.n, sizeof *x);
  c->best = (double)INFINITY;
  static const char *const nobody[] = {NULL};
  if (bench_of(c->table)->ours) names = nobody;
  for (; *names != NULL && rows < 16; names++) {
    const peer_solver *s = NULL;
    for (int32_t k = 0; k < solver_count; k++)
      if (strcmp(solver_list[k].name, *names) == 0) s = &solver_list[k];
    entry *e = &row[rows++];
    *e = nothing;
    e->who = *names;
    e->status = "absent";
    if (s == NULL || s->run == NULL) continue;
    e->status = "-";
    if (!takes(s, c->theirs)) continue;
    peer_problem theirs = *c->theirs;
    double limit = s->patience*c->limit;
    const double latest = bench_seconds() + limit;
    theirs.tol = c->good > 0.0 ? 100.0*c->good : 0.0;
    for (;;) {
      const double start = bench_seconds();
      if (!try_peer(c, s, &theirs, fmin(limit, latest - start), x, e)) break;
      theirs.tol *= 1e-2;
      if (c->good == 0.0 || theirs.tol < 1e-7*c->good) break;
      limit = 1.0 + 5.0*(bench_seconds() - start);   // some never end if asked for too much
    }
    if (e->residual <= enough(c) && e->seconds < c->best) c->best = e->seconds;
  }
  double near = (double)INFINITY;              // nobody was good enough: who came near
  for (int k = 0; k < rows; k++)
    if (row[k].residual <= GOOD) near = fmin(near, row[k].seconds);
  if (c->best == (double)INFINITY) c->best = near;
  for (int k = 0; k < rows; k++) tell(c, &row[k]);
  free(x);
}

double contest_method(contest *c, const char *name) {
  const perp_method *method = perp_find_method(name);
  if (method != NULL) {
    perp_options options = perp_default_options(method);
    options.time_limit = c->limit;
    if (c->threads > 0) options.threads = c->threads;
    return contest_options(c, NULL, &options);
  }
  entry e = nothing;
  e.who = name;
  e.status = "absent";
  tell(c, &e);
  return -1.0;
}

double contest_options(contest *c, const char *label, const perp_options *options) {
  const perp_method *method = options->method;
  const char *const name = label != NULL ? label : method->name;
  entry e = nothing;
  e.who = name;
  if (perp_method_accepts(method, c->ours) != PERP_OK) {
    e.status = "unsupported";
    tell(c, &e);
    return -1.0;
  }
  const perp_limits limits = perp_limits_of(c->ours);
  perp_solver *solver = NULL;
  perp_result result = {0};
  double best = (double)INFINITY;
  double *x = bench_take((size_t)c->ours->A.n, sizeof *x);
  perp_error error = PERP_OK;
  const int renewed = c->good > 0.0 && !c->kept;
  int32_t solves = 0;
  const double start = bench_seconds();
  do {
    memset(x, 0, (size_t)c->ours->A.n*sizeof *x);
    const double before = bench_seconds();
    if (solver == NULL) error = perp_solver_create(method, &limits, options, NULL, &solver);
    const double created = bench_seconds();
    if (error == PERP_OK) error = perp_solve(solver, c->ours, x, &result);
    const double seconds = bench_seconds() - (renewed ? before : created);
    if (seconds < best && solves++ >= c->kept) best = seconds;
    if (renewed || error != PERP_OK) {
      perp_solver_destroy(solver);
      solver = NULL;
    }
  } while (error == PERP_OK && (solves <= c->kept ||
                                bench_seconds() - start < (c->good > 0.0 ? 1.0 : 0.3)));
  perp_solver_destroy(solver);
  char who[80];
  const int other = result.method != NULL && result.method != method;
  int used = snprintf(who, sizeof who, "perp %s%s%s", name, other ? ": " : "",
                      other ? result.method->name : "");
  if (c->form != NULL)
    used += snprintf(who + used, sizeof who - (size_t)used, "; %s", c->form);
  if (c->kept) used += snprintf(who + used, sizeof who - (size_t)used, "; kept");
  if (c->threads > 1) snprintf(who + used, sizeof who - (size_t)used, "; %d threads", c->threads);
  e = (entry){who, error == PERP_OK ? perp_status_name(result.status) : perp_last_message(), best,
              error == PERP_OK ? bench_residual(c->ours, x) : (double)INFINITY, result.iterations,
              result.factorizations};
  tell(c, &e);
  free(x);
  return error == PERP_OK && result.status == PERP_STATUS_SOLVED ? best : -best;
}
