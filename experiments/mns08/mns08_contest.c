// mns08_contest.c: the methods of MNS08 4 and ours on one problem, stopped by the paper's measures.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interrupt.h"
#include "mns08.h"
#include "solve_settings.h"

#define TOLERANCE 1e-8         // of (2.7) and (4.2): MNS08 4
#define CERTIFICATE 1e-14      // so small that the measure decides when to stop
#define REPEAT_BELOW 0.1       // seconds: such runs are timed again, and the best time counts
enum { REPEATS = 3 };

static const struct {
  const char *label, *method;
  perp_measure measure;
  const char *setting[2][2];   // name and value
} contender[CONTENDERS] = {
  [BARRIER] = {"interior point", "interior_point", PERP_MEASURE_MNS08_R2,
               {{"barrier.variant", "paper"}, {"barrier.crossover", "off"}}},
  [SUBSPACE_2_3] = {"PGS(2)-SM(3)", "pgs_sm", PERP_MEASURE_MNS08_R1,
                    {{"subspace.k_gs", "2"}, {"subspace.k_sm", "3"}}},
  [SUBSPACE_5_3] = {"PGS(5)-SM(3)", "pgs_sm", PERP_MEASURE_MNS08_R1,
                    {{"subspace.k_gs", "5"}, {"subspace.k_sm", "3"}}},
  [SUBSPACE_5_2] = {"PGS(5)-SM(2)", "pgs_sm", PERP_MEASURE_MNS08_R1,
                    {{"subspace.k_gs", "5"}, {"subspace.k_sm", "2"}}},
  [GRADIENT] = {"gradient projection", "gradient_projection", PERP_MEASURE_MNS08_R1, {{0}}},
  [ACTIVE] = {"active set", "active_set", PERP_MEASURE_MNS08_R1, {{0}}},
  [SUBSPACE_5_1] = {"PGS(5)-SM(1)", "pgs_sm", PERP_MEASURE_MNS08_R1,
                    {{"subspace.k_gs", "5"}, {"subspace.k_sm", "1"}}},
  [SWEEPS] = {"PGS", "pgs", PERP_MEASURE_MNS08_R1, {{0}}},
};

const char *mns08_contender(int which) { return contender[which].label; }

static int stop_if_interrupted(void *unused, const perp_statistics *statistics) {
  (void)unused, (void)statistics;
  return interrupt_seen();
}

// Processor time, as in the paper. Other work of the machine does not affect it.
static double processor_seconds(void *unused) {
  (void)unused;
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

// Solve the whole problem unchanged: the paper neither presolves nor splits.
static int prepare(int which, double limit, perp_options *options) {
  *options = perp_default_options(perp_find_method(contender[which].method));
  options->tol = CERTIFICATE;
  options->time_limit = limit;
  options->iteration_limit = 1000000;
  options->presolve = 0;
  options->split = PERP_SPLIT_NO;
  options->stop.measure = (int32_t)contender[which].measure;
  options->stop.tol = TOLERANCE;
  options->on_iteration = stop_if_interrupted;
  options->clock = processor_seconds;
  for (int k = 0; k < 2 && contender[which].setting[k][0]; k++) {
    const char *const *setting = contender[which].setting[k];
    const perp_error error = perp_set_option(options, setting[0], setting[1]);
    if (error) return fail_library(error);
  }
  return CODE_OK;
}

static int once(const perp_problem *problem, int which, double limit, double *x,
                perp_statistics *trace, mns08_run *run) {
  perp_options options;
  perp_result result;
  int code = prepare(which, limit, &options);
  if (code) return code;
  options.trace = trace;
  options.trace_capacity = TRACE;
  memset(x, 0, (size_t)problem->A.n*sizeof *x);
  const perp_error error = perp_solve_once(problem, x, &options, &result);
  if (error) return fail_library(error);
  if (run->count > 0 && result.seconds >= run->seconds) return CODE_OK;   // not the best time
  run->reached = result.status == PERP_STATUS_MEASURE || result.status == PERP_STATUS_SOLVED;
  run->seconds = result.seconds;
  run->iterations = result.iterations;
  run->factorizations = result.factorizations;
  run->nonzeros = result.factor_nonzeros;
  run->residual = result.certificate.residual;
  run->count = 0;
  for (int32_t k = 0; k < result.trace_count; k++) {
    if (!(trace[k].measure > 0.0)) continue;   // a log axis has no room for 0
    run->time[run->count] = trace[k].seconds;
    run->error[run->count++] = trace[k].measure;
  }
  return CODE_OK;
}

int mns08_compete(const perp_problem *problem, int which, double limit, mns08_run *run) {
  *run = (mns08_run){.limit = limit};
  if (!perp_find_method(contender[which].method)) return CODE_OK;
  run->known = 1;
  double *x = malloc(((size_t)problem->A.n + 1)*sizeof *x);
  perp_statistics *trace = malloc(TRACE*sizeof *trace);
  int code = x && trace ? CODE_OK : fail(CODE_IO, "out of memory");
  for (int k = 0; !code && k < REPEATS && !interrupt_seen(); k++) {
    code = once(problem, which, limit, x, trace, run);
    if (run->seconds >= REPEAT_BELOW) break;
  }
  free(x);
  free(trace);
  return code;
}

int mns08_solution(const perp_problem *problem, uint8_t *at_zero, int *known) {
  static const char *const methods[] = {"active_set", "interior_point"};
  const size_t n = (size_t)problem->A.n;
  double *x = malloc((2*n + 1)*sizeof *x), *y = x + n;
  if (!x) return fail(CODE_IO, "out of memory");
  perp_error error = PERP_OK;
  *known = 0;
  for (size_t m = 0; m < sizeof methods/sizeof *methods && !*known && !error; m++) {
    const perp_method *method = perp_find_method(methods[m]);
    if (!method) continue;
    perp_options options = perp_default_options(method);
    perp_result result;
    perp_certificate certificate;
    options.tol = 1e-10;
    options.time_limit = 20.0;
    options.on_iteration = stop_if_interrupted;
    memset(x, 0, n*sizeof *x);
    error = perp_solve_once(problem, x, &options, &result);
    if (!error) error = perp_certify(problem, x, 1e-8, 0.0, y, &certificate);
    *known = !error && certificate.solved;
  }
  for (size_t i = 0; *known && i < n; i++)
    at_zero[i] = !(problem->lo && problem->lo[i] < 0.0) && y[i] > x[i];
  free(x);
  return error ? fail_library(error) : CODE_OK;
}
