// pivoting_finish.c: ends dantzig and keller: refines x_I on the original A and checks all rows.
#include "pivoting.h"

#include <float.h>

#include "vector.h"

// max |y_i|/(|A||x| + |b|) over I
static double largest_error(const pivoting *s) {
  double worst = 0.0;
  for (int32_t k = 0; k < s->P.m; k++) {
    const int32_t i = s->P.set[k];
    const double size = pivoting_size(s, i);
    if (size > 0.0) worst = max_or_nan(worst, fabs(s->y[i])/size);
  }
  return worst;
}

// x_I <- x_I - A_II^-1 y_I with y of the original A, while that halves the error. A skew part gains
// a factor asymmetry*condition per step.
static int refine(pivoting *s) {
  perp_run *run = s->run;
  double last = (double)INFINITY;
  for (;;) {
    if (run_apply(run, run->x, s->y) != 0) return 0;
    const double now = largest_error(s);
    if (now <= 4.0*DBL_EPSILON || !(now < 0.5*last) || run_out_of_time(run)) return 1;
    last = now;
    for (int32_t q = 0; q < s->P.m; q++) s->dx[q] = -s->y[s->P.set[q]];
    principal_solve(&s->P, s->dx);
    for (int32_t q = 0; q < s->P.m; q++) {
      const int32_t i = s->P.set[q];
      run->x[i] = clamp(run->x[i] + s->dx[q], lower(run->lo, i), upper(run->hi, i));
    }
  }
}

// 1: x is a solution, or the run has ended.
static int refined(pivoting *s) {
  perp_run *run = s->run;
  if (!refine(s)) return 1;
  s->residual = run->residual = run_residual(run, run->x, s->y);
  return run->residual <= run->options->tol || run_check(run);
}

void pivoting_finish(pivoting *s) {
  perp_run *run = s->run;
  s->size = 0.0;
  for (int32_t i = 0; i < s->n; i++) s->size += s->root[i]*fabs(run->x[i]);
  const double before = s->residual;
  if (refined(s)) return;
  if (!s->careful) {
    s->careful = 1;
    if (refined(s)) return;
  }
  // Not a solution yet: factor the set again, and pivot on the rows that are wrong.
  int32_t wrong = 0, count = 0;
  for (int32_t k = 0; k < s->P.m; k++) s->rows[count++] = s->P.set[k];
  const perp_deadline deadline = run_deadline(run);
  run->factorizations++;
  if (principal_factor(&s->P, s->rows, count, &deadline) != 0) return;
  for (int32_t i = 0; i < s->n; i++) {
    s->settled[i] = s->P.place[i] < 0 && pivoting_wrong(s, i) == 0.0;
    wrong += s->P.place[i] < 0 && !s->settled[i];
  }
  s->rounds++;
  if (wrong > 0 && (s->rounds <= 3 || s->residual < RUN_GAIN_RATIO*before)) return;
  if (!pivoting_again(s))
    run_stop(run, PERP_STATUS_STALLED,
             wrong > 0 ? "the last x of %s stays wrong in some rows"
                       : "%s finds no row to change, but its last x is not a solution",
             run->method->name);
}
