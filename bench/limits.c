// limits.c: the laws of a time limit by the real clock. At 1.5 times what a solve takes without a
// limit it is solved as without one; on a ladder of limits the median residual does not grow.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { SEEDS = 10, RUNS = 100, RUNGS = 8 };
static const double ladder[RUNGS] = {0.2, 0.5, 1, 2, 5, 10, 20, 50};   // ms

typedef struct subject { const char *family, *settings; } subject;

static const subject subjects[] = {
  {"wall", "bodies=60"},     {"wall", "bodies=220"},   {"bricks", "preset=4"},
  {"bricks", "preset=8"},    {"obstacle", "size=64"},  {"obstacle", "size=226"},
  {"friction", "bodies=15"}, {"friction", "bodies=60"}, {"fluid3d", "size=16"},
  {"fluid2d", "size=128"},   {"dense-pd", "n=300"},    {"dense-pd", "n=600"},
  {"p-matrix", "n=400"},     {"m-matrix", "n=2000"},   {"mixed", "n=500"},
};

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// seconds: what perp_solve_once took as its caller sees it
static perp_result solve(const perp_problem *p, double limit, double *x, double *seconds) {
  perp_options options = perp_default_options(NULL);
  perp_result result = {0};
  options.time_limit = limit;
  memset(x, 0, (size_t)p->A.n*sizeof *x);
  const double start = bench_seconds();
  if (perp_solve_once(p, x, &options, &result) != PERP_OK) result.status = PERP_STATUS_UNSOLVED;
  *seconds = bench_seconds() - start;
  return result;
}

static void measure(bench_table *t, const subject *s, int seeds, int runs) {
  double residual[RUNGS][SEEDS], median[RUNGS], late = 0.0, sum = 0.0;
  int32_t same = 0, count = 0, n = 0, grew = 0;
  for (int seed = 0; seed < seeds; seed++) {
    perp_sample sample;
    bench_generate_seed(s->family, s->settings, (uint64_t)seed + 1, &sample);
    n = sample.n;
    double *x = bench_take((size_t)n, sizeof *x), least = (double)INFINITY, seconds;
    perp_status status = PERP_STATUS_UNSOLVED;
    for (int k = 0; k < 5; k++) {
      status = solve(&sample.problem, (double)INFINITY, x, &seconds).status;
      least = fmin(least, seconds);
    }
    sum += least;
    for (int k = 0; k < runs/seeds; k++, count++)
      same += solve(&sample.problem, 1.5*least, x, &seconds).status == status;
    for (int k = 0; k < RUNGS; k++) {
      const perp_result r = solve(&sample.problem, 1e-3*ladder[k], x, &seconds);
      residual[k][seed] = r.status == PERP_STATUS_SOLVED ? 0.0 : bench_residual(&sample.problem, x);
      late = fmax(late, 1e3*seconds - ladder[k]);
    }
    free(x);
    perp_sample_free(&sample);
  }
  for (int k = 0; k < RUNGS; k++) {
    qsort(residual[k], (size_t)seeds, sizeof(double), by_size);
    median[k] = 0.5*(residual[k][(seeds - 1)/2] + residual[k][seeds/2]);
    grew += k > 0 && median[k] > median[k - 1]*(1.0 + 1e-6);
  }
  bench_row(t, "%s %s|%d|%.3f|%d of %d|%d|%.2f|%.1e|%.1e|%.1e|%.1e|%.1e|%.1e|%.1e|%.1e", s->family,
            s->settings, n, 1e3*sum/seeds, same, count, grew, late, median[0], median[1], median[2],
            median[3], median[4], median[5], median[6], median[7]);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  bench_table *t = bench_open(&b, "limits", "laws of a time limit, real clock",
                              "problem|n|ms without|same at 1.5|grew|late ms|0.2 ms|0.5|1|2|5|10|"
                              "20|50");
  for (size_t k = 0; k < sizeof subjects/sizeof *subjects; k++)
    if (perp_find_family(subjects[k].family) != NULL)
      measure(t, &subjects[k], b.quick ? 2 : SEEDS, b.quick ? 10 : RUNS);
  bench_note(t, "From x = 0 with perp_solve_once, so that A is new each time. same at 1.5: runs with "
                "1.5 times the least time without a limit that end with the same status.");
  bench_note(t, "The last columns are the median residuals over the seeds (0: solved); grew: from "
                "how many limits to the next they grew. late: at most, over all limits.");
  bench_close(t);
  return 0;
}
