// solver_runs.c: the runs of a solve whose x_ref and guess are no solutions. A list of stages; each
// one looks at the outcome so far, and the last one returns the best x.
#include <math.h>
#include <string.h>

#include "driver.h"
#include "vector.h"

// Products in the time that presolve takes to copy A. With 1, an obstacle overruns a limit of 2 ms.
enum { PRESOLVE_PRODUCTS = 10,
       CLOSER_RUNS_MAX = 3 };   // runs that each divide the tolerance by 100

void solver_copy(const perp_solver *s, double *to, const double *from) {
  if (to != from) team_copy(s->threads, to, from, s->problem->A.n);   // on grids both may be one
}

typedef struct guess_job {
  perp_solver *s;
  const double *guess;
  int same[TEAM_SHARES];
} guess_job;

static void guess_some(void *data, int32_t from, int32_t to, int32_t share) {
  guess_job *g = data;
  perp_solver *s = g->s;
  const double *guess = g->guess;
  const perp_problem *problem = s->problem;
  const int asks = !s->judge.look.hurried && s->judge.settles;
  int same = 1;
  for (int32_t i = from; i < to; i++) {
    const double low = lower(problem->lo, i), high = upper(problem->hi, i);
    const double reference = clamp(0.0, low, high);
    const double inside = clamp(guess[i], low, high);
    const int settled = asks && inside != reference && s->judge.ops->settled(&s->judge, i);
    s->x[i] = settled ? reference : inside;
    same &= s->x[i] == reference;
  }
  g->same[share] = same;
}

int solver_set_guess(perp_solver *s, const double *guess) {
  guess_job g = {.s = s, .guess = guess};
  const int32_t shares = team_share(s->threads, s->problem->A.n, guess_some, &g);
  int same = 1;
  for (int32_t k = 0; k < shares; k++) same &= g.same[k];
  return same;
}

// The runs of a pass and the certificate of their x. If that is worse than the one before, the x
// before is restored. kept (n): the x before; NULL: it is the guess.
static perp_error run_and_judge(solving *v, int presolving, const double *kept) {
  perp_solver *s = v->s;
  perp_run *outcome = &v->outcome;
  const perp_method *found_before = outcome->credit;
  s->judged = 0;
  perp_error error = solver_run_all(s, presolving, outcome);
  if (error != PERP_OK) return error;
  const perp_certificate before = v->certificate;
  const int found = s->was_reduced || s->judged || outcome->reason == PERP_STATUS_SOLVED ||
                    outcome->reason == PERP_STATUS_MEASURE ||
                    outcome->residual < (double)INFINITY;   // else x is still the old one
  if (found && s->judged) v->certificate = s->verdict;      // the last check was the certificate
  else if (found)
    error = solver_check(s, s->x, !(outcome->residual <= 100.0*s->options.tol), &v->certificate);
  if (error != PERP_OK) return error;
  const int worse = !v->certificate.solved && v->certificate.residual > before.residual;
  const int of_all = v->looks_for_all && s->solutions > 0;
  if (found && (!worse || outcome->reason == PERP_STATUS_MEASURE || of_all)) return PERP_OK;
  if (kept != NULL) {
    solver_copy(s, s->x, kept);
    outcome->credit = found_before;
  } else {
    solver_set_guess(s, v->x);
  }
  solver_copy(s, s->judge.x, s->x);
  v->certificate = before;
  return PERP_OK;
}

// ---- the stages

static perp_error first_pass(solving *v) {
  perp_solver *s = v->s;
  const perp_options *options = &s->options;
  const perp_operator *A = &s->problem->A;
  const double needed = run_least_products(A, PRESOLVE_PRODUCTS)*pace_least(&s->once);
  const int presolving = (options->presolve || options->split) && s->judge.ops->by_entries &&
                         !v->hurried && !(s->timed && needed > s->deadline - v->setup_seconds) &&
                         !solver_hastens(s, A, s->deadline);
  if (v->setup_seconds < s->deadline) return run_and_judge(v, presolving, NULL);
  v->outcome.reason = PERP_STATUS_TIME_LIMIT;
  strcpy(v->outcome.message, "the time limit was reached before the first iteration");
  solver_copy(s, s->judge.x, s->x);
  return PERP_OK;
}

// Presolve moves columns into b, and each block has its own certificate. If every block is solved but
// the whole problem is not, or if a reduced problem seems to have no solution, rounding may be the
// reason. Then the method runs on the problem as it is, from that x.
static perp_error pass_as_it_is(solving *v) {
  perp_solver *s = v->s;
  const perp_status reason = v->outcome.reason;
  const int late = s->timed && solver_seconds(s) >= s->deadline;
  if (v->certificate.solved || !s->was_reduced ||
      (reason != PERP_STATUS_SOLVED && reason != PERP_STATUS_NO_SOLUTION))
    return PERP_OK;
  if (!late) {
    double *kept = s->reduced.diagonal;   // n: unused, as presolve is over
    solver_copy(s, kept, s->judge.x);
    s->y_known = 0;
    s->guess_residual = -1.0;
    return run_and_judge(v, 0, kept);
  }
  if (reason == PERP_STATUS_SOLVED) {
    v->outcome.reason = PERP_STATUS_TIME_LIMIT;
    strcpy(v->outcome.message, "the time limit was reached");
  }
  return PERP_OK;
}

// A run ends as soon as its x passes. The final certificate first moves x to the bounds that y points
// to, and rows with small data may then fail. If so, the method runs again from x, to a smaller
// tolerance. A proof of infeasibility by that tolerance is discarded: the caller's is larger.
static perp_error pass_closer(solving *v) {
  perp_solver *s = v->s;
  perp_certificate *c = &v->certificate;
  const double tol = s->options.tol;
  double smaller = tol;
  if (c->solved || v->outcome.reason != PERP_STATUS_SOLVED || !(c->residual <= tol) ||
      !(c->componentwise > 0.0))
    return PERP_OK;
  for (int k = 0; k < CLOSER_RUNS_MAX && !c->solved && v->outcome.reason == PERP_STATUS_SOLVED &&
                       !(s->timed && solver_seconds(s) >= s->deadline); k++) {
    s->y_known = s->judged = 0;
    s->guess_residual = -1.0;
    s->options.tol = smaller *= 1e-2;
    perp_error error = solver_run_all(s, 0, &v->outcome);
    s->options.tol = tol;
    if (error == PERP_OK) error = solver_check(s, s->x, 0, c);
    if (error != PERP_OK) return error;
  }
  if (status_is_proof(v->outcome.reason))
    v->outcome = (perp_run){.reason = PERP_STATUS_UNSOLVED, .credit = v->outcome.credit};
  return PERP_OK;
}

// Takes the best x of run_remember() if its certificate is better than that of the outcome.
static perp_error best_seen(solving *v) {
  perp_solver *s = v->s;
  s->deadline = s->end;
  if (v->certificate.solved || !(s->seen_residual < v->certificate.residual)) return PERP_OK;
  solver_copy(s, s->x, s->judge.x);
  perp_certificate seen;
  const perp_error error = solver_check(s, s->seen, 0, &seen);
  if (error != PERP_OK) return error;
  if (seen.solved || seen.residual < v->certificate.residual) v->certificate = seen;
  else solver_copy(s, s->judge.x, s->x);
  return PERP_OK;
}

// Refines x if neither a limit nor a proof ended the runs.
static perp_error refined(solving *v) {
  const perp_status reason = v->outcome.reason;
  if (v->certificate.solved || v->looks_for_all || reason == PERP_STATUS_TIME_LIMIT ||
      reason == PERP_STATUS_ITERATION_LIMIT || reason == PERP_STATUS_STOPPED ||
      reason == PERP_STATUS_MEASURE || reason == PERP_STATUS_NO_SOLUTION || status_is_proof(reason))
    return PERP_OK;
  return solver_refine(v->s, &v->certificate);
}

// The last part of the time goes to sweeps from the best x, on the problem as it is. The best x is
// kept in s->seen, and is the answer if the sweeps make it worse.
static perp_error last_sweeps(solving *v) {
  perp_solver *s = v->s;
  if (!v->sweeps_last || v->certificate.solved || v->outcome.reason != PERP_STATUS_TIME_LIMIT ||
      !(solver_seconds(s) < s->end))
    return PERP_OK;
  solver_copy(s, s->x, s->judge.x);
  solver_copy(s, s->seen, s->judge.x);
  s->seen_residual = v->certificate.residual;
  run_spec spec = solver_spec(s);
  spec.only_sweeps = 1;
  perp_run run;
  s->judged = 0;
  s->reserve = 0.0;   // this run uses it
  perp_error error = run_execute(s, &spec, s->runs, &run);
  if (error != PERP_OK) return error;
  s->inner_iterations += run.inner_iterations;
  perp_certificate after = s->verdict;   // the certificate of x, if s->judged
  if (!s->judged) error = solver_check(s, s->x, 1, &after);
  if (error != PERP_OK) return error;
  if (after.solved || after.residual < v->certificate.residual) v->outcome.credit = run.credit;
  v->certificate = after;
  if (after.solved) v->outcome = run;
  return best_seen(v);
}

// The answer is never worse than x_ref or the guess: if the better of these beats judge.x, it
// replaces judge.x and the certificate.
static perp_error best_of_all(solving *v) {
  perp_solver *s = v->s;
  const perp_problem *problem = s->problem;
  if (v->certificate.solved || v->outcome.reason == PERP_STATUS_MEASURE || v->looks_for_all)
    return PERP_OK;
  const int zero = v->of_reference.residual < v->of_guess.residual;
  const perp_certificate *best = zero ? &v->of_reference : &v->of_guess;
  // Methods for contacts know the units of all rows.
  const int knows_contacts = (v->outcome.credit->needs & PERP_NEEDS_CONTACTS) != 0;
  const int comparable = !(s->judge.look.hurried && s->judge.look.unitless) || knows_contacts;
  if (comparable && v->certificate.residual <= best->residual) return PERP_OK;
  if (!zero) solver_set_guess(s, v->x);
  for (int32_t i = 0; zero && i < problem->A.n; i++)
    s->x[i] = clamp(0.0, lower(problem->lo, i), upper(problem->hi, i));
  if (!comparable && solver_no_worse(s, s->judge.x, s->x)) return PERP_OK;
  solver_copy(s, s->judge.x, s->x);
  v->certificate = *best;
  return PERP_OK;
}

perp_error solver_run(solving *v) {
  static perp_error (*const stages[])(solving *) = {
    first_pass, pass_as_it_is, pass_closer, best_seen, refined, last_sweeps, best_of_all};
  perp_error error = PERP_OK;
  for (size_t k = 0; error == PERP_OK && k < sizeof stages/sizeof *stages; k++)
    error = stages[k](v);
  return error;
}
