// deadline.c: 5 ms by the real clock on contact problems of about 9534 rows, a hundred times: how
// long perp_solve took as its caller sees it, and which residual it left, against PGS in that time.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { RUNS = 100 };
#define LIMIT 5e-3
#define LATE 5.5e-3

typedef struct player {
  const perp_method *method;
  perp_solver *solver;
  double seconds[RUNS], residual[RUNS];
  int64_t iterations;
  int32_t solved;
} player;

typedef struct scene {
  const char *name, *family, *settings;
} scene;

static const scene scenes[] = {
  {"MNS08 nb977_nc9534", "bricks", "preset=10"},
  {"mixed wall", "wall", "mode=1 bodies=417"},
  {"normal wall", "wall", "mode=0 bodies=822 points=6 speed=50"},
};

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// known: A stays, and what can be done about it beforehand is
static player begin(const char *name, const perp_problem *problem, int known) {
  player p = {.method = perp_find_method(name)};
  if (p.method == NULL) return p;
  perp_limits limits = perp_limits_of(problem);
  limits.n += limits.n/4;                        // other seeds, some rows more
  limits.nnz += limits.nnz/4;
  perp_options options = perp_default_options(p.method);
  options.time_limit = LIMIT;
  if (perp_solver_create(p.method, &limits, &options, NULL, &p.solver) != PERP_OK) p.method = NULL;
  perp_problem stamped = *problem;
  stamped.pattern_stamp = stamped.value_stamp = 1;
  if (known && p.method != NULL && perp_solver_prepare(p.solver, &stamped) != PERP_OK)
    p.method = NULL;
  return p;
}

static void play(player *p, const perp_problem *problem, int run, double *x) {
  perp_result result = {0};
  memset(x, 0, (size_t)problem->A.n*sizeof *x);
  const double start = bench_seconds();
  const perp_error error = perp_solve(p->solver, problem, x, &result);
  p->seconds[run] = bench_seconds() - start;
  p->residual[run] = error == PERP_OK ? bench_residual(problem, x) : (double)INFINITY;
  p->iterations += result.iterations;
  p->solved += error == PERP_OK && result.status == PERP_STATUS_SOLVED;
}

static void tell(bench_table *t, const char *what, int32_t n, int runs, player *p,
                 const player *pgs) {
  int32_t within = 0, worse = 0;
  for (int k = 0; k < runs; k++) {
    within += p->seconds[k] <= LATE;
    worse += p->residual[k] > pgs->residual[k] && p->residual[k] > 1e-8;
  }
  double seconds[RUNS], residual[RUNS];
  memcpy(seconds, p->seconds, sizeof seconds);
  memcpy(residual, p->residual, sizeof residual);
  qsort(seconds, (size_t)runs, sizeof *seconds, by_size);
  qsort(residual, (size_t)runs, sizeof *residual, by_size);
  const int last = runs - 1;
  bench_row(t, "%s|%d|%s|%d of %d|%.3f|%.3f|%.3f|%.3f|%.1f|%.1e|%.1e|%d|%d", what, n,
            p->method->name, within, runs, 1e3*seconds[0], 1e3*seconds[last/2],
            1e3*seconds[last*9/10], 1e3*seconds[last], (double)p->iterations/runs,
            residual[last/2], residual[last], worse, p->solved);
}

// A hundred b: the scene's, every entry moved by up to a fifth of it.
static void shake(const perp_sample *s, int run, double *b) {
  for (int32_t i = 0; i < s->n; i++)
    b[i] = s->b[i]*(0.8 + 0.4*perp_random_uniform((uint64_t)run + 100, (uint64_t)i));
}

enum { PLAYERS = 3 };
static const char *const names[PLAYERS] = {"active_set", "auto", "pgs"};   // pgs: the last one

static void race(bench_table *t, const scene *in, int runs, int new_matrix) {
  perp_sample sample;
  char what[64];
  snprintf(what, sizeof what, "%s, new %c", in->name, new_matrix ? 'A' : 'b');
  bench_generate(in->family, in->settings, &sample);
  const size_t room = (size_t)(sample.n + sample.n/4);
  double *x = bench_take(room, sizeof *x), *b = bench_take(room, sizeof *b);
  const int32_t n = sample.n;
  player *all = bench_take(PLAYERS, sizeof *all);
  int ready = 1;
  for (int q = 0; q < PLAYERS; q++) {
    all[q] = begin(names[q], &sample.problem, !new_matrix);
    ready &= all[q].method != NULL;
  }
  if (!ready) bench_row(t, "%s|%d|-", what, n);
  for (int k = 0; k < runs && ready; k++) {
    perp_problem problem = sample.problem;
    if (new_matrix) {
      perp_sample_free(&sample);
      bench_generate_seed(in->family, in->settings, (uint64_t)k + 2, &sample);
      problem = sample.problem;
      problem.pattern_stamp = problem.value_stamp = (uint64_t)k + 1;
    } else {
      shake(&sample, k, b);
      problem.b = b;
      problem.pattern_stamp = problem.value_stamp = 1;     // the caller knows that A stays
    }
    for (int q = 0; q < PLAYERS; q++) play(&all[q], &problem, k, x);
  }
  for (int q = 0; q < PLAYERS; q++) {
    if (ready) tell(t, what, n, runs, &all[q], &all[PLAYERS - 1]);
    perp_solver_destroy(all[q].solver);
  }
  perp_sample_free(&sample);
  free(all);
  free(x);
  free(b);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  const int runs = b.quick ? 10 : RUNS;
  bench_table *t = bench_open(&b, "deadline", "a limit of 5 ms, real clock",
                              "problem|n|method|within 5.5 ms|least ms|median|9 of 10|most|"
                              "iterations|median residual|worst|worse than PGS|solved");
  for (int new_matrix = 0; new_matrix < 2; new_matrix++)
    for (size_t k = 0; k < sizeof scenes/sizeof *scenes; k++)
      if (perp_find_family(scenes[k].family) != NULL) race(t, &scenes[k], runs, new_matrix);
  bench_note(t, "From x = 0, one solver for all runs of a row; ms: perp_solve as its caller sees "
                "it. new b: entries moved by up to a fifth, A known (perp_solver_prepare).");
  bench_note(t, "new A: another seed, other masses and contact points. worse than PGS: residual "
                "above 1e-8 and above that of pgs with the same limit.");
  bench_note(t, "iterations: sweeps of pgs; looks of southwell, which takes the place of the "
                "others here and relaxes, after each, the rows that are wrong most.");
  bench_close(t);
  return 0;
}
