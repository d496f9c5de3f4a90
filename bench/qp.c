// qp.c: convex quadratic programs by the measures of the public benchmark of QP solvers.
//
// The problems are those members of the Maros-Meszaros set that formulas define (qp_problems.h), not
// the whole set. All measures are absolute and are computed here, in long double.
#include <math.h>
#include <stdlib.h>

#include "bench.h"
#include "qp_problems.h"

#define SECONDS 60.0         // for each solve, as in the public benchmark
#define QUICK_ROWS 5000      // --quick leaves out larger problems
#define MIDDLE 1e-6          // what the benchmark calls middle accuracy
#define HIGH 1e-9            //   and high accuracy

static const struct { const char *method; double tol; } entrants[] = {
  {"auto", 1e-8}, {"auto", 1e-12}, {"interior_point", 1e-12},
};
enum { ENTRANTS = sizeof entrants/sizeof entrants[0] };

static int within(const qp_measures *m, double limit) {
  return m->primal <= limit && m->dual <= limit && m->gap <= limit;
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  bench_table *t = bench_open(&b, "qp", "quadratic programs as complementarity problems",
                              "problem|n|method|tol|status|seconds|primal|dual|gap|objective|"
                              "published");
  int32_t problems = 0, middle[ENTRANTS] = {0}, high[ENTRANTS] = {0};
  for (int32_t k = 0; k < qp_family_count; k++) {
    const qp_family *family = &qp_families[k];
    qp_problem qp = qp_make(family, 0);
    qp_complementarity c;
    qp_complementarity_make(&c, &qp);
    double *x = bench_take((size_t)c.n, sizeof *x);
    problems += !(b.quick && c.n > QUICK_ROWS);
    for (int e = 0; e < ENTRANTS && !(b.quick && c.n > QUICK_ROWS); e++) {
      perp_options o = perp_default_options(perp_find_method(entrants[e].method));
      o.tol = entrants[e].tol;
      o.time_limit = SECONDS;
      for (int32_t i = 0; i < c.n; i++) x[i] = 0.0;
      perp_result r;
      if (perp_solve_once(&c.problem, x, &o, &r) != PERP_OK) {
        fprintf(stderr, "%s: %s\n", family->name, perp_last_message());
        return 1;
      }
      const qp_measures m = qp_measure_x(&qp, &c, x);
      middle[e] += within(&m, MIDDLE);
      high[e] += within(&m, HIGH);
      bench_row(t, "%s|%d|%s|%g|%s|%.3f|%.1e|%.1e|%.1e|%.9g|%.8g", family->name, c.n,
                entrants[e].method, entrants[e].tol, perp_status_name(r.status), r.seconds,
                m.primal, m.dual, m.gap, m.objective, family->optimum);
    }
    free(x);
    qp_complementarity_free(&c);
    qp_free(&qp);
  }
  for (int e = 0; e < ENTRANTS; e++)
    bench_note(t, "%s with tol = %g: all measures within %g on %d of %d problems, within %g on %d",
               entrants[e].method, entrants[e].tol, MIDDLE, middle[e], problems, HIGH, high[e]);
  bench_note(t, "Published optima belong to data that were rounded to a few digits.");
  bench_close(t);
  return 0;
}
