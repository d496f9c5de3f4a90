// attempt.c: the x of a direct method goes to the certificate at once, before any run.
//
// Time stepping solves thousands of problems whose method is done in one pass (tridiagonal): what a
// run needs besides, a certificate of x_ref and of the guess, estimates, the best iterate, takes
// several times as long. Where both are refuted by a look at a few rows and nobody watches, the
// pass comes first; where its x is no solution, everything is as if it had not been tried.
#include <math.h>

#include "driver.h"

enum { REST = 15 };   // solves without an attempt after one that failed: it will fail again

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
  if (s->attempt.rest > 0) {
    s->attempt.rest--;
    return PERP_OK;
  }
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
  s->attempt.rest = certificate->solved ? 0 : REST;
  s->iterations = certificate->solved;
  if (error != PERP_OK || certificate->solved || !found) return error;
  return solver_prepare(s, problem, (double)INFINITY, 1.0);   // x_ref, as if nothing had happened
}
