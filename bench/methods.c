// methods.c: every method on problems of the gallery, and how the cost grows with the size.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

typedef struct outcome {
  perp_error error;
  perp_result result;
  int32_t n;
} outcome;

static outcome solve(const perp_method *method, const perp_problem *problem, double seconds,
                     int32_t repeats) {
  outcome best = {.n = problem->A.n};
  perp_options options = perp_default_options(method);
  options.time_limit = seconds;
  options.iteration_limit = INT32_MAX;
  double *x = bench_take((size_t)problem->A.n, sizeof *x);
  best.error = perp_method_accepts(method, problem);
  for (int32_t k = 0; best.error == PERP_OK && k < repeats; k++) {
    perp_result result;
    memset(x, 0, (size_t)problem->A.n*sizeof *x);
    best.error = perp_solve_once(problem, x, &options, &result);
    if (k == 0 || result.seconds < best.result.seconds) best.result = result;
    if (result.seconds > 1.0) break;
  }
  free(x);
  return best;
}

static void compare_methods(const bench *b) {
  static const char *const problems[][2] = {
    {"fluid2d", "size=64"}, {"fluid2d", "size=128"}, {"fluid3d", "size=16"}, {"wall", "bodies=60"},
    {"bearing", "nx=100 ny=100"}, {"obstacle", "size=63"}, {"torsion", "nx=100 ny=100"},
    {"dense-pd", "n=300"}, {"dense-psd", "n=100"},
    {"mixed", "n=1000"}, {"friction", "bodies=20"}, {"p-matrix", "n=99"},
  };
  const double limit = b->quick ? 0.2 : 5.0;
  bench_table *t = bench_open(b, "methods",
                              "methods on problems of the gallery (seed 1, tolerance 1e-8)",
                              "problem|settings|rows|method|status|iterations|seconds|residual");
  for (size_t k = 0; k < sizeof problems/sizeof problems[0]; k++) {
    perp_sample sample;
    bench_generate(problems[k][0], problems[k][1], &sample);
    for (int32_t m = 0; m < perp_method_count(); m++) {
      const perp_method *method = perp_method_at(m);
      const outcome o = solve(method, &sample.problem, limit, b->quick ? 1 : 3);
      if (o.error != PERP_OK) continue;   // not for this problem: said in the note
      char name[64];
      const int other = o.result.method != NULL && o.result.method != method;
      snprintf(name, sizeof name, other ? "%s: %s" : "%s", method->name,
               other ? o.result.method->name : "");
      bench_row(t, "%s|%s|%d|%s|%s|%d|%.4f|%.1e", problems[k][0], problems[k][1], o.n, name,
                perp_status_name(o.result.status), o.result.iterations, o.result.seconds,
                o.result.certificate.residual);
    }
    perp_sample_free(&sample);
  }
  bench_note(t,
             "Time limit %g s. A method that cannot take a problem (size, bounds) has no row "
             "there.", limit);
  bench_close(t);
}

static void grow(const bench *b) {
  enum { SIZES = 4 };
  static const struct { const char *family, *key; int32_t size[SIZES]; } ladders[] = {
    {"fluid2d", "size", {32, 64, 128, 256}}, {"obstacle", "size", {31, 63, 127, 255}},
    {"dense-pd", "n", {100, 200, 400, 800}}, {"wall", "bodies", {15, 30, 60, 120}},
  };
  const double limit = b->quick ? 0.3 : 10.0;
  const int32_t sizes = SIZES;
  bench_table *t = bench_open(b, "growth",
                              "seconds by size, and the exponent p of seconds ~ rows^p",
                              "problem|method|rows 1|rows 2|rows 3|rows 4|s 1|s 2|s 3|"
                              "s 4|p|residual");
  for (size_t k = 0; k < sizeof ladders/sizeof ladders[0]; k++) {
    perp_sample sample[SIZES];
    for (int32_t s = 0; s < sizes; s++) {
      char settings[64];
      snprintf(settings, sizeof settings, "%s=%d", ladders[k].key, ladders[k].size[s]);
      bench_generate(ladders[k].family, settings, &sample[s]);
    }
    for (int32_t m = 0; m < perp_method_count(); m++) {
      const perp_method *method = perp_method_at(m);
      double n[SIZES], seconds[SIZES], worst = 0.0;
      char cell[SIZES][24], power[24] = "-";
      int32_t solved = 0, taken = 0;
      for (int32_t s = 0; s < sizes; s++) {
        const int hopeless = taken > solved;   // a smaller one was not solved in time
        outcome o = {.error = PERP_ERROR_UNSUPPORTED};
        if (!hopeless) o = solve(method, &sample[s].problem, limit, b->quick ? 1 : 3);
        taken += o.error == PERP_OK;
        const int done = o.error == PERP_OK && o.result.status == PERP_STATUS_SOLVED;
        snprintf(cell[s], sizeof cell[s], done ? "%.2e" : o.error == PERP_OK ? "unsolved" : "-",
                 done ? o.result.seconds : 0.0);
        if (!done) continue;
        n[solved] = o.n;
        seconds[solved++] = o.result.seconds;
        if (o.result.certificate.residual > worst) worst = o.result.certificate.residual;
      }
      if (taken == 0) continue;
      if (solved >= 3) snprintf(power, sizeof power, "%.2f", bench_growth(solved, n, seconds));
      bench_row(t, "%s|%s|%d|%d|%d|%d|%s|%s|%s|%s|%s|%.0e", ladders[k].family, method->name,
                sample[0].n, sample[1].n, sample[2].n,
                sample[3].n, cell[0], cell[1], cell[2], cell[3], power, worst);
    }
    for (int32_t s = 0; s < sizes; s++) perp_sample_free(&sample[s]);
  }
  bench_note(t,
             "Time limit %g s per solve; p from the sizes that were solved, at least 3. "
             "residual: the largest.", limit);
  bench_close(t);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  compare_methods(&b);
  grow(&b);
  return 0;
}
