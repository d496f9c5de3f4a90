// growth.c: what a solve costs from 10^3 to 10^6 variables: seconds, memory, factorisations, and
// the exponents p of cost ~ n^p, for walls, walls given by their bodies, and bearings.
//
// Every solve has a process of its own, whose largest resident size above that of the problem is
// the memory. A series ends with the first size that takes longer than the limit.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "guarded.h"

enum { SIZES = 4 };

typedef struct series {
  const char *name, *family, *settings;   // settings: a format for the size
  int32_t product;                        // 1: A = J W J' + eps I, not its entries
  int32_t size[SIZES];                    // 10^3, 10^4, 10^5, 10^6 variables
} series;

static const series all[] = {
  {"wall, normal", "wall", "mode=0 points=6 speed=50 bodies=%d", 0, {92, 860, 8500, 84000}},
  {"wall, normal, by bodies", "wall", "mode=0 points=6 speed=50 bodies=%d", 1,
   {92, 860, 8500, 84000}},
  {"wall, mixed", "wall", "mode=1 bodies=%d", 0, {46, 437, 4250, 42200}},
  {"wall, mixed, by bodies", "wall", "mode=1 bodies=%d", 1, {46, 437, 4250, 42200}},
  {"bearing", "bearing", "nx=%d ny=%d", 0, {32, 100, 316, 1000}},
};

typedef struct task {
  const series *of;
  int32_t size;
  const perp_method *method;
  double limit;
} task;

typedef struct outcome {
  int32_t n, iterations, factorizations;
  perp_status status;
  double nonzeros, seconds, residual, bytes;
  char method[32];
} outcome;

static double resident(const char *field) {   // bytes; VmRSS or VmHWM
  FILE *status = fopen("/proc/self/status", "r");
  char line[256];
  double bytes = 0.0;
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    if (strncmp(line, field, strlen(field)) == 0) bytes = 1024.0*atof(line + strlen(field) + 1);
  if (status != NULL) fclose(status);
  return bytes;
}

static void forget_peak(void) {
  FILE *refs = fopen("/proc/self/clear_refs", "w");
  if (refs == NULL) return;
  fputs("5", refs);
  fclose(refs);
}

static void solve(void *data, void *answer) {
  const task *job = data;
  outcome *o = answer;
  perp_sample sample;
  char settings[128];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(settings, sizeof settings, job->of->settings, job->size, job->size);
#pragma GCC diagnostic pop
  bench_generate(job->of->family, settings, &sample);
  perp_problem problem = sample.problem;
  o->nonzeros = sample.colptr[sample.n];
  if (job->of->product) {
    problem.A = perp_from_product(&sample.product, sample.problem.A.claims);
    o->nonzeros = sample.product.rowptr[sample.n];
  }
  perp_options options = perp_default_options(job->method);
  options.time_limit = job->limit;
  perp_result result = {0};
  double *x = bench_take((size_t)sample.n, sizeof *x);
  forget_peak();
  const double before = resident("VmRSS"), begun = bench_seconds();
  perp_error error;
  o->seconds = 1e300;
  do {                                     // the best of what fits into half a second
    memset(x, 0, (size_t)sample.n*sizeof *x);
    const double start = bench_seconds();
    error = perp_solve_once(&problem, x, &options, &result);
    o->seconds = fmin(o->seconds, bench_seconds() - start);
  } while (error == PERP_OK && bench_seconds() - begun < 0.5);
  o->bytes = resident("VmHWM") - before;
  o->n = sample.n;
  o->status = error == PERP_OK ? result.status : PERP_STATUS_UNSOLVED;
  o->residual = bench_residual(&sample.problem, x);
  o->iterations = result.iterations;
  o->factorizations = result.factorizations;
  snprintf(o->method, sizeof o->method, "%s",
           result.method != NULL ? result.method->name : job->method->name);
}

static void run(bench_table *t, const series *s, const perp_method *method, int sizes,
                double limit) {
  double n[SIZES], seconds[SIZES], bytes[SIZES];
  int solved = 0;
  for (int k = 0; k < sizes; k++) {
    task job = {s, s->size[k], method, limit};
    outcome o = {0};
    const guarded_end how = guarded_run(solve, &job, &o, sizeof o, 2.0*limit + 30.0);
    if (how != GUARDED_DONE) {
      bench_row(t, "%s|-|-|%s|%s|-|-|-|-|-", s->name, method->name,
                how == GUARDED_LATE ? "late" : "crashed");
      break;
    }
    const int fine = o.status == PERP_STATUS_SOLVED;
    bench_row(t, "%s|%d|%.0f|%s|%s|%s%.4g|%.1f|%d|%d|%.1e", s->name, o.n, o.nonzeros, o.method,
              perp_status_name(o.status), fine ? "" : "> ", o.seconds, 1e-6*o.bytes, o.iterations,
              o.factorizations, o.residual);
    if (!fine) break;
    n[solved] = o.n;
    seconds[solved] = o.seconds;
    bytes[solved++] = o.bytes > 1e4 ? o.bytes : 1e4;
  }
  if (solved >= 3)
    bench_note(t, "%s: seconds ~ n^%.2f, memory ~ n^%.2f (least squares, %d sizes); from the last "
                  "size but one to the last n^%.2f, n^%.2f", s->name,
               bench_growth(solved, n, seconds), bench_growth(solved, n, bytes), solved,
               bench_growth(2, n + solved - 2, seconds + solved - 2),
               bench_growth(2, n + solved - 2, bytes + solved - 2));
  else
    bench_note(t, "%s: %d sizes solved, too few for a fit", s->name, solved);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  const double limit = b.quick ? 5.0 : 30.0;
  bench_table *t = bench_open(&b, "growth-sparse", "cost from 10^3 to 10^6 variables, one thread",
                              "problem|n|entries|method|status|seconds|MB|iterations|"
                              "factorisations|residual");
  const perp_method *method = perp_find_method("active_set");
  if (method == NULL) method = perp_find_method("auto");
  for (size_t k = 0; k < sizeof all/sizeof *all; k++)
    run(t, &all[k], method, b.quick ? 2 : SIZES, limit);
  bench_note(t, "seconds: perp_solve_once to a residual of 1e-8, limit %g s. MB: largest "
                "resident size above that with the problem in memory.", limit);
  bench_note(t, "entries: of A, or of J where the problem is given by its bodies.");
  bench_close(t);
  return 0;
}
