// run_check.c: certificates during a run: of its x, of the rows of one block, of each of several
// solutions, and of a proof that there is no solution.
#include <math.h>
#include <string.h>

#include "certify_kkt.h"
#include "certify_sizes.h"
#include "componentwise.h"
#include "driver.h"
#include "nearby.h"
#include "vector.h"

static void write_back(const perp_run *run, const double *from, double *x) {
  const run_state *state = run->state;
  for (int32_t i = 0; i < run->n; i++)
    x[state->index != NULL ? state->index[i] : i] = from[i]*factor_at(state->C, i);
}

int run_settled(const perp_run *run, int32_t i) {
  const run_state *state = run->state;
  const certifier *judge = &state->solver->judge;
  return judge->ops->settled(judge, state->index != NULL ? state->index[i] : i);
}

// For a run on the caller's whole problem: the full certificate, whose verdict is final.
static int ask_judge(perp_run *run) {
  run_state *state = run->state;
  perp_solver *solver = state->solver;
  if (state->y == solver->judge.y) state->y_known = 0;
  const perp_error error = solver_check(solver, run->x, 0, &solver->verdict);
  if (error != PERP_OK) {
    solver->error = error;
    state->ended = 1;
    return 0;
  }
  if (!solver->verdict.solved) return 0;
  state->solved = state->ended = solver->judged = 1;
  return 1;
}

// The certificate on the rows of this run alone: 1 if they pass.
static int rows_pass(perp_run *run) {
  if (run_rows_pass(run)) return 1;
  run_state *state = run->state;
  state->y_known = 0;
  const certifier *judge = &state->solver->judge;
  if (run_apply_exactly(run, run->x, state->y, state->a) != 0) return 0;
  const double absolute = state->solver->options.absolute_tol;
  // In these cases the rule of a row depends on all of x.
  if (judge->look.reducible || judge->look.shifted || judge->look.product) {
    memcpy(judge->x, state->solver->x, (size_t)judge->n*sizeof *judge->x);
    write_back(run, run->x, judge->x);
    certifier_rescale(judge);
    if (judge->look.shifted) certifier_sizes(judge);
  }
  row_sizes sizes = {.begun = 0};
  const double limit = componentwise_limit(judge->componentwise.tol, state->solver->options.tol);
  for (int32_t i = 0; i < run->n; i++) {
    const int32_t k = state->index != NULL ? state->index[i] : i;
    const certify_scale rule = judge->ops->rule(judge, k);
    const double c = factor_at(state->C, i), unit = c*rule.inverse_C, R = factor_at(state->R, i),
                 y = state->y[i]/R;
    const double r = fabs(mid((run->x[i] - upper(run->hi, i))*unit, rule.R*y,
                              (run->x[i] - lower(run->lo, i))*unit));
    double a = (state->a[i] - fabs(run->b[i]))/R;
    if (judge->look.shifted) {
      judge->parts[k] = state->a[i]/R;
      a = judge->a[k] - fabs(state->solver->problem->b[k]);
    }
    if (judge->look.product) judge->parts[k] = state->a[i]/R;
    certify_row row = judge->ops->evaluate(judge, k, r, y, a, state->solver->options.tol);
    if (row.solved && !row.strict && judge->look.product)   // as judge() does in certify.c
      row = judge->ops->evaluate(judge, k, r, y, max2(row_size(&sizes, judge, k), 0.0),
                             state->solver->options.tol);
    if (row.solved && judge->ops->componentwise(judge, k, r, y, state->a[i]/R) <= limit)
      continue;
    if (absolute > 0.0 && fabs(mid(c*(run->x[i] - upper(run->hi, i)), y,
                                   c*(run->x[i] - lower(run->lo, i)))) <= absolute)
      continue;
    return 0;
  }
  return 1;
}

// 1: the rows of this run pass, and nearby.h does not refute that a solution is near x.
static int rows_hold(perp_run *run) {
  if (!rows_pass(run)) return 0;
  const run_state *state = run->state;
  const perp_options *options = &state->solver->options;
  const nearby_rows rows = {.A = run->A, .b = run->b, .lo = run->lo, .hi = run->hi, .x = run->x,
                            .index = state->index, .R = state->R, .C = state->C, .n = run->n};
  return !nearby_refutes(&state->solver->judge, &rows, options->tol, options->absolute_tol);
}

// Objective and gap of a quadratic program are sums over all rows of the caller: those of this run
// and those that presolve has removed. Copies x of this run into the judge and computes y for all
// rows of the caller. Returns which of these rows this run has (n), or NULL if A aborted.
static const uint8_t *take_program(perp_run *run, const double *x) {
  run_state *state = run->state;
  perp_solver *solver = state->solver;
  certifier *judge = &solver->judge;
  uint8_t *rows = judge->kkt.rows;
  memset(rows, 0, (size_t)judge->n);
  for (int32_t i = 0; i < run->n; i++) rows[state->index != NULL ? state->index[i] : i] = 1;
  memcpy(judge->x, solver->x, (size_t)judge->n*sizeof *judge->x);
  write_back(run, x, judge->x);
  state->y_known = 0;
  const perp_error error = certifier_residual(judge);
  if (error == PERP_OK) return rows;
  solver->error = error;
  state->ended = 1;
  return NULL;
}

static int is_program(const perp_run *run) {
  const certifier *judge = &run->state->solver->judge;
  return judge->kkt.count > 0;
}

static int kkt_passes(perp_run *run) {
  if (!is_program(run)) return 1;
  const perp_solver *solver = run->state->solver;
  const uint8_t *rows = take_program(run, run->x);
  return rows != NULL && kkt_judge(&solver->judge, solver->options.tol,
                                   solver->options.absolute_tol, rows, NULL);
}

int run_rounded(perp_run *run, const double *x) {
  if (run->state->ended || !is_program(run)) return 0;
  const perp_solver *solver = run->state->solver;
  const uint8_t *rows = take_program(run, x);
  if (rows == NULL) return 0;
  certifier_rescale(&solver->judge);
  return kkt_rounded(&solver->judge, solver->options.tol, solver->options.absolute_tol, rows);
}

int run_check(perp_run *run) {
  run_state *state = run->state;
  if (state->index == NULL && state->R == NULL && state->C == NULL) return ask_judge(run);
  if (!rows_hold(run) || !kkt_passes(run)) return 0;
  state->solved = state->ended = 1;
  return 1;
}

// ---- solutions, for methods that find several ----

int run_solution(perp_run *run, int32_t dimension) {
  run_state *state = run->state;
  perp_solver *solver = state->solver;
  if (solver->method->traits & PERP_TRAIT_ALL) {   // a solution of the whole problem
    // Not in solver->x: that may hold the guess, which is needed if x is no solution.
    double *x = solver->judge.x;
    memcpy(x, solver->x, (size_t)solver->problem->A.n*sizeof *x);
    write_back(run, run->x, x);
    perp_certificate certificate;
    const perp_error error = solver_check(solver, x, 0, &certificate);
    if (error != PERP_OK) {
      solver->error = error;
      state->ended = 1;
      return 1;
    }
    if (!certificate.solved) return -1;
  } else if (!rows_hold(run)) {   // a run on one block: its rows only
    return -1;
  }
  run->solutions++;
  if (!state->solved) {   // the first one is the answer
    state->solved = 1;
    memcpy(state->best, run->x, (size_t)run->n*sizeof *state->best);
    state->best_residual = 0.0;
  }
  const perp_options *options = run->options;
  const int stop = options->on_solution != NULL &&
                   options->on_solution(options->context, solver->judge.x, solver->problem->A.n,
                                        dimension) != 0;
  const int enough = options->enumerate.limit > 0 && run->solutions >= options->enumerate.limit;
  if (stop || enough) state->ended = 1;
  return stop || enough;
}

// ---- proofs that there is none ----

// -1 if presolve has multiplied row i by -1, else 1.
static double turn(const perp_run *run, int32_t i) {
  const run_state *state = run->state;
  const perp_solver *solver = state->solver;
  return solver->turns && state->index != NULL && solver->reduced.turned[state->index[i]] ? -1.0
                                                                                          : 1.0;
}

int run_infeasible(perp_run *run, const double *u) {
  run_state *state = run->state;
  perp_solver *solver = state->solver;
  if (state->ended) return 0;
  double *own = solver->farkas;   // may be the array of a run's weights (run_lent)
  const int plain = state->index == NULL && state->R == NULL && run->n == solver->problem->A.n;
  for (int32_t i = 0; !plain && i < solver->problem->A.n; i++) own[i] = 0.0;
  for (int32_t i = 0; !plain && i < run->n; i++)   // u'(R y) = (R u)'y
    own[state->index != NULL ? state->index[i] : i] = u[i]*factor_at(state->R, i)*turn(run, i);
  perp_farkas farkas;
  if (!solver_check_farkas(solver, plain ? u : own, &farkas)) return 0;
  if (!farkas.proven && !run->last_resort) return 0;
  if (plain && run->n > 0) memmove(own, u, (size_t)run->n*sizeof *own);
  solver->radius = farkas.radius;
  if (farkas.proven)
    run_stop(run, PERP_STATUS_INFEASIBLE,
             "%s found a Farkas vector, which proves that there is no solution", run->method->name);
  else
    run_stop(run, PERP_STATUS_NO_SMALL_SOLUTION,
             "%s found a Farkas vector, which proves that no solution has |x|_1 < %.3g; a larger one "
             "may exist", run->method->name, farkas.radius);
  return 1;
}
