// attempt.c: the single pass of a direct method, certified at once, before any run.
//
// Time stepping solves thousands of problems with a method of one pass (tridiagonal). A run also
// certifies x_ref and the guess, estimates residuals and saves the best iterate, which takes several
// times as long. If a few rows refute x_ref and the guess, and no option needs a run, the pass comes
// first. If its x is no solution, the solve goes on as if there had been no attempt.
#include <math.h>

#include "driver.h"

int attempt_allowed(const perp_options *o) {
  return o->method->attempt != NULL && o->on_iteration == NULL && o->trace_capacity == 0 &&
         o->iteration_limit >= 1 &&
         o->stop.measure == PERP_MEASURE_NONE && o->stop.relative == 0.0 &&
         o->stop.stagnation == 0.0 && o->absolute_tol == 0.0 &&
         (o->start.method == PERP_START_NONE || o->start.iterations == 0);
}

perp_error solver_attempt(perp_solver *s, const double *guess, perp_certificate *certificate) {
  const perp_problem *problem = s->problem;
  certificate->solved = 0;
  if (s->attempt.memory == NULL) return PERP_OK;
  if (!certifier_refutes(&s->judge, guess, s->options.tol)) return PERP_OK;
  const int same = problem->value_stamp != 0 && problem->value_stamp == s->attempt.values &&
                   problem->pattern_stamp == s->attempt.pattern && problem->A.n == s->attempt.n;
  s->attempt.n = -1;
  perp_error error = PERP_OK;
  const int found = s->method->attempt(problem, s->attempt.memory, same, s->x);
  if (found) {
    s->attempt.values = problem->value_stamp;
    s->attempt.pattern = problem->pattern_stamp;
    s->attempt.n = problem->A.n;
    error = solver_check(s, s->x, 0, certificate);
  }
  s->iterations = certificate->solved;
  if (error != PERP_OK || certificate->solved || !found) return error;
  return solver_prepare(s, problem, (double)INFINITY, 1.0);   // sets x_ref again
}
