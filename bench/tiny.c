// tiny.c: many problems of 3 to 12 rows on one thread: microseconds of a solve.
//
// A = B B'/n + 0.05 I with B uniform in (-1, 1), b uniform in (-1, 1): about half of the x are 0.
// Problem k is the same for everybody; making it is outside the clock. All are solved three times
// over and the fastest of a problem's three counts: any may be interrupted, but none finds its
// branches predicted, as it would right after itself.
#include <perp/batch.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "guarded.h"

enum { LARGEST = 12, REPEATS = 3 };

typedef struct tiny {
  int32_t n;
  double A[LARGEST*LARGEST], b[LARGEST], B[LARGEST*LARGEST];
} tiny;

static double uniform(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;            // splitmix64
  z = (z ^ (z >> 30))*0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27))*0x94D049BB133111EBu;
  return 2.0*(double)((z ^ (z >> 31)) >> 11)*0x1p-53 - 1.0;
}

static void make(int32_t k, tiny *p) {
  uint64_t state = (uint64_t)k*7919u;
  const int32_t n = p->n = 3 + k%(LARGEST - 2);
  for (int32_t i = 0; i < n*n; i++) p->B[i] = uniform(&state);
  for (int32_t i = 0; i < n; i++) {
    p->b[i] = uniform(&state);
    for (int32_t j = 0; j < n; j++) {
      double sum = i == j ? 0.05*n : 0.0;
      for (int32_t l = 0; l < n; l++) sum += p->B[i*n + l]*p->B[j*n + l];
      p->A[i*n + j] = sum/n;
    }
  }
}

typedef struct outcome { double seconds, worst, check; int32_t solved; } outcome;

static void judge(const tiny *p, const double *x, outcome *o) {
  const perp_dense matrix = {.n = p->n, .value = p->A};
  const perp_problem problem = {.A = perp_from_dense(&matrix, 0), .b = p->b};
  const double start = bench_seconds(), residual = bench_residual(&problem, x);
  o->check += bench_seconds() - start;
  if (residual <= 1e-8) o->solved++;
  if (!(residual <= o->worst)) o->worst = residual;
}

typedef struct task { peer_solve *run; int32_t count; } task;

static void run_peer(void *data, void *answer) {
  const task *t = data;
  outcome *o = answer;
  tiny p;
  double x[LARGEST], *best = bench_take((size_t)t->count, sizeof *best);
  *o = (outcome){0};
  for (int32_t run = 0; run < REPEATS*t->count; run++) {
    const int32_t k = run%t->count;
    make(k, &p);
    const peer_problem problem = {.n = p.n, .dense = p.A, .b = p.b};
    const double seconds = t->run(&problem, x).seconds;
    if (run == k || seconds < best[k]) best[k] = seconds;
    if (run != k) continue;
    for (int32_t i = 0; i < p.n; i++)
      if (x[i] - x[i] != 0.0) x[i] = 0.0;
    judge(&p, x, o);
  }
  for (int32_t k = 0; k < t->count; k++) o->seconds += best[k];
  free(best);
}

static outcome run_ours(const perp_method *method, int32_t count) {
  const perp_options options = perp_default_options(method);
  const perp_limits limits = {.n = LARGEST, .nnz = LARGEST*LARGEST};
  outcome o = {0};
  perp_solver *solver = NULL;
  tiny p;
  double x[LARGEST], *best = bench_take((size_t)count, sizeof *best);
  if (perp_solver_create(method, &limits, &options, NULL, &solver) != PERP_OK) count = 0;
  for (int32_t run = 0; run < REPEATS*count; run++) {
    const int32_t k = run%count;
    make(k, &p);
    const perp_dense matrix = {.n = p.n, .value = p.A};
    const perp_problem problem = {.A = perp_from_dense(&matrix, 0), .b = p.b};
    perp_result result;
    memset(x, 0, sizeof x);
    const double start = bench_seconds();
    perp_solve(solver, &problem, x, &result);
    const double seconds = bench_seconds() - start;
    if (run == k || seconds < best[k]) best[k] = seconds;
    if (run == k) judge(&p, x, &o);
  }
  for (int32_t k = 0; k < count; k++) o.seconds += best[k];
  free(best);
  perp_solver_destroy(solver);
  return o;
}

// The same problems by perp_solve_batch, on one thread: BATCH of them, made before the clock runs.
// and the fastest of a batch's times counts.
static outcome run_batch(const perp_method *method, int32_t count) {
  enum { BATCH = 200 };
  const perp_options options = perp_default_options(method);
  const perp_limits limits = {.n = LARGEST, .nnz = LARGEST*LARGEST};
  outcome o = {0};
  perp_solver *solver = NULL;
  tiny *p = bench_take(BATCH, sizeof *p);
  perp_dense *matrix = bench_take(BATCH, sizeof *matrix);
  perp_problem *problem = bench_take(BATCH, sizeof *problem);
  perp_result *result = bench_take(BATCH, sizeof *result);
  double *values = bench_take(BATCH*LARGEST, sizeof *values), **x = bench_take(BATCH, sizeof *x);
  if (perp_solver_create(method, &limits, &options, NULL, &solver) != PERP_OK) count = 0;
  const int32_t batches = (count + BATCH - 1)/BATCH;
  double *best = bench_take((size_t)batches, sizeof *best);
  for (int32_t run = 0; run < REPEATS*batches; run++) {
    const int32_t at = run%batches, from = at*BATCH,
                  these = count - from < BATCH ? count - from : BATCH;
    for (int32_t k = 0; k < these; k++) {
      make(from + k, &p[k]);
      matrix[k] = (perp_dense){.n = p[k].n, .value = p[k].A};
      problem[k] = (perp_problem){.A = perp_from_dense(&matrix[k], 0), .b = p[k].b};
      x[k] = values + k*LARGEST;
    }
    memset(values, 0, BATCH*LARGEST*sizeof *values);
    const double start = bench_seconds();
    perp_solve_batch(solver, problem, these, x, result);
    const double seconds = bench_seconds() - start;
    if (run == at || seconds < best[at]) best[at] = seconds;
    for (int32_t k = 0; run == at && k < these; k++) judge(&p[k], x[k], &o);
  }
  for (int32_t k = 0; k < batches; k++) o.seconds += best[k];
  free(best);
  perp_solver_destroy(solver);
  free(p);
  free(matrix);
  free(problem);
  free(result);
  free(values);
  free(x);
  return o;
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  static const char *const peers[] = {"Siconos lemke", "Bullet Dantzig", "DART Dantzig",
                                      "DART Lemke"};
  static const char *const methods[] = {"auto", "dantzig", "lemke", "principal_pivoting", "pgs"};
  const int32_t problems = b.quick ? 2000 : 100000;
  bench_table *t = bench_open(&b, "tiny", "problems of 3 to 12 rows, one thread",
                              "who|problems|us a solve|solved|worst residual|best peer/this");
  double best = (double)INFINITY, check = 0.0;
  outcome of_peer[4];
  guarded_end how[4] = {GUARDED_CRASHED, GUARDED_CRASHED, GUARDED_CRASHED, GUARDED_CRASHED};
  int present[4] = {0};
  for (int k = 0; k < 4; k++)
    for (int32_t s = 0; s < solver_count; s++) {
      if (strcmp(solver_list[s].name, peers[k]) != 0 || solver_list[s].run == NULL) continue;
      task work = {solver_list[s].run, problems};
      present[k] = 1;
      how[k] = guarded_run(run_peer, &work, &of_peer[k], sizeof of_peer[k], 120.0);
      // a peer that solves nearly all of them counts
      if (how[k] == GUARDED_DONE && of_peer[k].solved >= problems - problems/100 &&
          of_peer[k].seconds < best)
        best = of_peer[k].seconds;
    }
  for (int k = 0; k < 4; k++) {
    const outcome *o = &of_peer[k];
    if (how[k] != GUARDED_DONE)
      bench_row(t, "%s|%d|%s|-|-|-", peers[k], problems,
                !present[k] ? "absent" : how[k] == GUARDED_LATE ? "late" : "crashed");
    else
      bench_row(t, "%s|%d|%.2f|%d|%.1e|%.2f", peers[k], problems, 1e6*o->seconds/problems,
                o->solved, o->worst, best/o->seconds);
  }
  const outcome batch = run_batch(perp_find_method("auto"), problems);
  bench_row(t, "perp auto, a batch|%d|%.2f|%d|%.1e|%.2f", problems, 1e6*batch.seconds/problems,
            batch.solved, batch.worst, best/batch.seconds);
  for (size_t k = 0; k < sizeof methods/sizeof methods[0]; k++) {
    const perp_method *method = perp_find_method(methods[k]);
    if (method == NULL) {
      bench_row(t, "perp %s|%d|absent|-|-|-", methods[k], problems);
      continue;
    }
    const outcome o = run_ours(method, problems);
    if (check == 0.0 || o.check < check) check = o.check;
    bench_row(t, "perp %s|%d|%.2f|%d|%.1e|%.2f", methods[k], problems, 1e6*o.seconds/problems,
              o.solved, o.worst, best/o.seconds);
  }
  bench_note(t, "solved: residual below 1e-8 in the certificate's measure. perp: a reused "
                "solver, new matrices, validation and certificate included.");
  bench_note(t, "batch: perp_solve_batch, 200 at a time, one thread; all others have a look at the "
                "clock in their time.");
  bench_note(t, "Certifying an answer by perp_certify takes %.2f us more, where a peer's user "
                "wants that.",
             1e6*check/problems);
  bench_note(t, "Peers: their own call without conversions, the wrapper's allocations, a check.");
  bench_close(t);
  return 0;
}
