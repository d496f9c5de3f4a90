// sweep.c: one sweep of projected Gauss-Seidel against the memory's bandwidth and against peers.
//
// Bytes of a sweep, each array once: values 8 nnz, row numbers 4 nnz, column pointers 4 (n + 1),
// b 8 n, x read and written 16 n, the weights of the stopping test 8 n; coloured order also reads
// the steps omega/A_ii, 8 n. The residual column is the certificate's after the same number of
// sweeps from 0: equal numbers, equal work.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "bandwidth.h"
#include "bench.h"
#include "operator.h"
#include "peers.h"

typedef struct subject {        // a problem and the state to sweep over it
  const char *name;
  perp_problem problem;
  peer_problem peer;
  int64_t nnz;                  // n x n where dense
  double *x, *diagonal, *weight, *memory;
  perp_sweep state;
  coloured *plan;               // NULL: natural order
  team *threads;
} subject;

enum { THREADS = 2, SWEEPS = 20 };

static void reset(subject *s) {
  memset(s->x, 0, (size_t)s->problem.A.n*sizeof *s->x);
  s->state.fresh = 1;
}

static void sweep(void *data) {
  subject *s = data;
  s->state.change = 0.0;
  if (s->plan != NULL) coloured_sweep(s->plan, &s->state, s->threads);
  else s->problem.A.ops->sweep(s->problem.A.self, &s->state, 0, s->problem.A.n);
}

static void prepare(subject *s) {
  const size_t n = (size_t)s->problem.A.n;
  s->x = bench_take(n, sizeof *s->x);
  s->diagonal = bench_take(n, sizeof *s->diagonal);
  s->weight = bench_take(n, sizeof *s->weight);
  s->memory = bench_take(n + operator_sweep_bytes(&s->problem.A), 1);
  for (size_t i = 0; i < n; i++) s->weight[i] = 1.0;
  s->problem.A.ops->diagonal(s->problem.A.self, s->diagonal);
  s->state = (perp_sweep){.x = s->x, .b = s->problem.b, .lo = s->problem.lo, .hi = s->problem.hi,
                          .diagonal = s->diagonal,
                          .weight = s->weight, .omega = 1.0, .fresh = 1, .memory = s->memory};
}

static void release(subject *s) {
  free(s->x);
  free(s->diagonal);
  free(s->weight);
  free(s->memory);
}

static double bytes_of(const subject *s) {
  const double n = (double)s->problem.A.n, nnz = (double)s->nnz;
  if (s->peer.dense != NULL) return 8.0*nnz + 40.0*n;
  return 12.0*nnz + 4.0*(n + 1.0) + 32.0*n + (s->plan != NULL ? 8.0*n : 0.0);
}

// limit: bytes per second by threads
typedef struct report { bench_table *table; double limit[THREADS + 1], ours; } report;

static void tell(report *r, const subject *s, const char *who, int32_t threads, double seconds) {
  const double rate = bytes_of(s)/seconds;
  bench_row(r->table, "%s|%d|%s|%d|%.3g|%.3g|%.1f|%.0f%%|%.2f|%.3g", s->name, s->problem.A.n, who,
            threads, 1e3*seconds,
            1e-6*bytes_of(s), 1e-9*rate, 100.0*rate/r->limit[threads], seconds/r->ours,
            bench_residual(&s->problem, s->x));
}

static double time_sweep(subject *s, int32_t calls, int32_t repeats) {
  reset(s);
  const double best = bench_measure(sweep, s, calls, repeats).best;
  reset(s);
  for (int k = 0; k < SWEEPS; k++) sweep(s);
  return best;
}

// pgs through perp_solve, the driver's stopping tests and best iterate included.
static double time_solve(subject *s) {
  const perp_method *pgs = perp_find_method("pgs");
  perp_options options = perp_default_options(pgs);
  const perp_limits limits = perp_limits_of(&s->problem);
  perp_solver *solver = NULL;
  double seconds[2] = {INFINITY, INFINITY};
  options.tol = 1e-300;
  // k + 1 times SWEEPS iterations: the difference is what an iteration costs
  for (int k = 0; k < 2; k++) {
    options.iteration_limit = SWEEPS*(k + 1);
    if (perp_solver_create(pgs, &limits, &options, NULL, &solver) != PERP_OK) return -1.0;
    for (int repeat = 0; repeat < 3; repeat++) {
      perp_result result;
      memset(s->x, 0, (size_t)s->problem.A.n*sizeof *s->x);
      perp_solve(solver, &s->problem, s->x, &result);
      const double taken = result.seconds - result.setup_seconds;
      if (taken < seconds[k]) seconds[k] = taken;
    }
    perp_solver_destroy(solver);
  }
  return (seconds[1] - seconds[0])/SWEEPS;
}

static void compare(const bench *b, report *r, subject *s, int dense) {
  for (int32_t k = 0; k < peer_count; k++) {
    const peer *other = &peer_list[k];
    if (other->dense != dense) continue;
    if (other->run == NULL) {
      bench_row(r->table, "%s|%d|%s|-|absent|-|-|-|-|-", s->name, s->problem.A.n, other->name);
      continue;
    }
    double best = INFINITY, test = INFINITY;
    for (int repeat = 0; repeat < (b->quick ? 3 : 7); repeat++) {
      double test_now;
      const double seconds = other->run(&s->peer, SWEEPS, s->x, &test_now)/SWEEPS;
      if (seconds < best) best = seconds;
      if (test_now < test) test = test_now;
    }
    if (best < 0.0) {
      bench_row(r->table, "%s|%d|%s|1|refused|-|-|-|-|-", s->name, s->problem.A.n, other->name);
      continue;
    }
    tell(r, s, other->name, 1, best);
    if (test > 0.0 && test < best) {
      char who[64];
      snprintf(who, sizeof who, "%s less test", other->name);
      tell(r, s, who, 1, best - test);
    }
  }
}

static void sparse_subject(const bench *b, report *r, const char *name, perp_sample *sample,
                           team *const team_of[]) {
  subject s = {.name = name, .problem = sample->problem, .nnz = sample->colptr[sample->n],
               .peer = {.n = sample->n, .colptr = sample->colptr, .row = sample->row,
                        .value = sample->value, .b = sample->b}};
  const int32_t repeats = b->quick ? 5 : 25;
  prepare(&s);
  r->ours = time_sweep(&s, 1, repeats);
  tell(r, &s, "perp natural", 1, r->ours);
  const size_t bytes = coloured_bytes(sample->n, s.nnz);
  arena memory = {bench_take(bytes + 64, 1), bytes + 64, 0};
  s.plan = coloured_plan(&memory, &s.problem.A);
  for (int32_t threads = 1; threads <= THREADS; threads++) {
    s.threads = team_of[threads];
    tell(r, &s, "perp coloured", threads, time_sweep(&s, 1, repeats));
  }
  s.plan = NULL;
  const double solve = time_solve(&s);
  if (solve > 0.0) tell(r, &s, "perp_solve iteration", 1, solve);
  compare(b, r, &s, 0);
  free(memory.base);
  release(&s);
}

static void dense_subject(const bench *b, report *r, const char *name, perp_sample *sample) {
  double *value = bench_dense(sample);
  const perp_dense matrix = {.n = sample->n, .value = value};
  subject s = {.name = name, .nnz = (int64_t)sample->n*sample->n,
               .problem = {.A = perp_from_dense(&matrix, sample->problem.A.claims), .b = sample->b},
               .peer = {.n = sample->n, .colptr = sample->colptr, .row = sample->row,
                        .value = sample->value, .dense = value, .b = sample->b}};
  prepare(&s);
  r->ours = time_sweep(&s, 20, b->quick ? 5 : 25);
  tell(r, &s, "perp dense", 1, r->ours);
  compare(b, r, &s, 1);
  release(&s);
  s.peer.dense = NULL;
  s.problem = sample->problem;
  s.nnz = sample->colptr[sample->n];
  if (s.nnz < (int64_t)sample->n*sample->n/10) {   // what such a matrix should be given to
    prepare(&s);
    tell(r, &s, "perp sparse", 1, time_sweep(&s, 100, b->quick ? 5 : 25));
    release(&s);
  }
  free(value);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  report r = {.table = bench_open(&b, "sweep", "projected Gauss-Seidel: one sweep",
                                  "matrix|rows|who|threads|ms|MB|GB/s|memory|time|residual")};
  team *team_of[THREADS + 1] = {NULL};
  for (int32_t threads = 1; threads <= THREADS; threads++) {
    team_of[threads] = team_create(threads, NULL, NULL);
    const bandwidth memory = bandwidth_measure(&b, team_of[threads]);
    r.limit[threads] = memory.sum > memory.triad ? memory.sum : memory.triad;
    bench_note(r.table, "memory, %d thread%s: sum %.1f GB/s, triad %.1f GB/s", threads,
               threads > 1 ? "s" : "", 1e-9*memory.sum,
               1e-9*memory.triad);
  }
  bench_note(r.table,
             "MB: what perp has to move: values, rows, columns, b, x twice, weights (coloured: "
             "steps), each once.");
  bench_note(r.table,
             "memory: GB/s over the larger of sum and triad. time: over perp's first row of "
             "that matrix.");
  bench_note(r.table,
             "residual: after %d sweeps from 0. less test: without the error test a peer makes "
             "after each sweep.", SWEEPS);

  const int32_t side = b.quick ? 256 : 1024;
  char settings[64];
  perp_sample sample;
  bench_laplace(side, &sample);
  sparse_subject(&b, &r, "laplace", &sample, team_of);
  perp_sample_free(&sample);
  snprintf(settings, sizeof settings, "size=%d complementarity=1", side);
  bench_generate("fluid2d", settings, &sample);
  sparse_subject(&b, &r, "fluid2d", &sample, team_of);
  perp_sample_free(&sample);
  bench_generate("fluid2d", "size=32 complementarity=1", &sample);
  dense_subject(&b, &r, "fluid2d", &sample);
  perp_sample_free(&sample);
  bench_generate("dense-pd", b.quick ? "n=200" : "n=1000", &sample);
  dense_subject(&b, &r, "dense-pd", &sample);
  perp_sample_free(&sample);
  bench_generate("dense-pd", "n=30", &sample);
  dense_subject(&b, &r, "dense-pd", &sample);
  perp_sample_free(&sample);
  bench_close(r.table);
  for (int32_t threads = 1; threads <= THREADS; threads++) team_destroy(team_of[threads]);
  return 0;
}
