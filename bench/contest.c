// contest.c: see contest.h.
#include "contest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "guarded.h"

static void tell(const contest *c, const char *who, const char *status, double seconds,
                 double residual) {
  char time[24] = "-", ratio[24] = "-";
  if (seconds >= 0.0) snprintf(time, sizeof time, "%.4g", 1e3*seconds);
  if (seconds > 0.0 && c->best < (double)INFINITY && residual <= GOOD)
    snprintf(ratio, sizeof ratio, "%.2f", c->best/seconds);
  bench_row(c->table, "%s|%d|%s|%s|%s|%.1e|%s", c->problem, c->ours->A.n, who, status, time,
            residual, ratio);
}

void contest_peers(contest *c, const char *const *names) {
  const size_t n = (size_t)c->ours->A.n;
  struct { const char *name, *status; double seconds, residual; } row[16];
  int rows = 0;
  double *x = bench_take(n, sizeof *x);
  c->best = (double)INFINITY;
  for (; *names != NULL && rows < 16; names++) {
    const peer_solver *s = NULL;
    for (int32_t k = 0; k < solver_count; k++)
      if (strcmp(solver_list[k].name, *names) == 0) s = &solver_list[k];
    row[rows].name = *names;
    row[rows].seconds = -1.0;
    row[rows].residual = (double)INFINITY;
    row[rows].status = "absent";
    if (s != NULL && s->run != NULL && c->theirs->dense != NULL) {
      peer_end end = {-1.0, 0};
      const guarded_end how = guarded_peer(s->run, c->theirs, c->limit, x, &end);
      row[rows].status = how == GUARDED_LATE ? "late" : "crashed";
      if (how == GUARDED_DONE && end.seconds >= 0.0) {
        for (size_t i = 0; i < n; i++)
          if (x[i] - x[i] != 0.0) x[i] = 0.0;
        row[rows].seconds = end.seconds;
        row[rows].residual = bench_residual(c->ours, x);
        row[rows].status = end.claims ? row[rows].residual <= GOOD ? "solved" : "false" : "failed";
        if (row[rows].residual <= GOOD && end.seconds < c->best) c->best = end.seconds;
      } else if (how == GUARDED_DONE) {
        row[rows].status = "absent";
      }
    }
    rows++;
  }
  for (int k = 0; k < rows; k++)
    tell(c, row[k].name, row[k].status, row[k].seconds, row[k].residual);
  free(x);
}

double contest_method(contest *c, const char *name) {
  const perp_method *method = perp_find_method(name);
  if (method == NULL || perp_method_accepts(method, c->ours) != PERP_OK) {
    tell(c, name, method == NULL ? "absent" : "unsupported", -1.0, (double)INFINITY);
    return -1.0;
  }
  perp_options options = perp_default_options(method);
  options.time_limit = c->limit;
  const perp_limits limits = perp_limits_of(c->ours);
  perp_solver *solver = NULL;
  perp_result result = {0};
  double best = (double)INFINITY;
  double *x = bench_take((size_t)c->ours->A.n, sizeof *x);
  perp_error error = perp_solver_create(method, &limits, &options, NULL, &solver);
  const double start = bench_seconds();
  do {
    memset(x, 0, (size_t)c->ours->A.n*sizeof *x);
    const double before = bench_seconds();
    if (error == PERP_OK) error = perp_solve(solver, c->ours, x, &result);
    const double seconds = bench_seconds() - before;
    if (seconds < best) best = seconds;
  } while (error == PERP_OK && bench_seconds() - start < 0.3);
  perp_solver_destroy(solver);
  free(x);
  char who[64];
  snprintf(who, sizeof who, "perp %s", name);
  if (result.method != NULL && result.method != method)
    snprintf(who, sizeof who, "perp %s: %s", name, result.method->name);
  tell(c, who, error == PERP_OK ? perp_status_name(result.status) : perp_last_message(), best,
       result.certificate.residual);
  return error == PERP_OK && result.status == PERP_STATUS_SOLVED ? best : -1.0;
}
