// solver.c: one solve as a list of stages: validate, try x_ref and the guess, run methods, certify.
// The runs are in solver_runs.c and solver_blocks.c, small dense problems in small_dense.c.
#include <math.h>
#include <string.h>

#include "clock.h"
#include "driver.h"
#include "error.h"
#include "small_dense.h"
#include "vector.h"

#define ANALYSIS_END_PART 0.8   // part of the time limit at which the analysis of a new A ends; if
                                //   x_ref is the answer, the analysis is nearly all of the solve
#define SWEEPS_PART_MAX 0.2     // largest part of the time of the runs for the last sweeps, which
                                //   improve the best x if the methods do not end before

// Seconds for the last sweeps: SWEEPS_PART_MAX of the time left. Beyond the time of RUN_ANALYSIS
// products it grows like the square root: sweeps still get a smaller residual with more time, and the
// methods before them get more margin.
static double last_seconds(const perp_solver *s, double left) {
  const double part = SWEEPS_PART_MAX*max2(left, 0.0), few = RUN_ANALYSIS*pace_least(&s->once);
  return few > 0.0 && part > few ? sqrt(part*few) : part;
}

// The clock when a solve begins; 0 if the clock gives NaN or infinity.
static double clock_start(const perp_solver *s) {
  const double now = s->clock(s->options.clock_context);
  return now - now == 0.0 ? now : 0.0;
}

// known: the structure of A has been validated already
static perp_error validate_matrix(perp_solver *s, const perp_problem *problem, int known) {
  const int same = problem != NULL && problem->A.n == s->seen_n &&
                   problem->pattern_stamp == s->seen_pattern;
  perp_error error = known ? PERP_OK
                           : validate_structure(problem, same && problem->pattern_stamp != 0);
  s->seen_n = -1;
  if (error == PERP_OK) error = solver_check_capacity(s, problem);
  const int seen = same && problem->value_stamp != 0 && problem->value_stamp == s->seen_values;
  if (error == PERP_OK && !seen) error = validate_values(problem, s->threads);
  if (error != PERP_OK) return error;
  s->seen_n = problem->A.n;
  s->seen_pattern = problem->pattern_stamp;
  s->seen_values = problem->value_stamp;
  if (seen) return PERP_OK;
  certifier_forget(&s->judge);
  solver_forget_pace(s, problem);
  return PERP_OK;
}

static perp_error validate(perp_solver *s, const perp_problem *problem, const double *x,
                           int known) {
  perp_error error = validate_matrix(s, problem, known);
  if (error == PERP_OK) error = validate_vectors(problem, s->threads);
  if (error == PERP_OK && problem->A.n > 0 && x == NULL)
    error = error_set(PERP_ERROR_ARGUMENT, "x is NULL");
  if (error == PERP_OK) error = validate_point("guess", problem->A.n, x, s->threads);
  const perp_method *first = solver_start(&s->options);
  // A method that takes every kind of row has demands on A only, and it took this A before.
  const int taken = error == PERP_OK && problem->value_stamp != 0 &&
                    s->attempt.n == problem->A.n && s->attempt.values == problem->value_stamp &&
                    s->attempt.pattern == problem->pattern_stamp;
  if (error == PERP_OK && !taken) error = method_fits(s->method, problem, &s->judge.facts);
  if (error == PERP_OK && first != NULL) error = method_fits(first, problem, &s->judge.facts);
  return error;
}

// The trace ends with the certified residual, which can differ from the method's estimates. If the
// trace is full, it replaces the last entry.
static void finish_trace(perp_solver *s, double residual) {
  const perp_options *options = &s->options;
  if (options->trace_capacity == 0 || !(residual < (double)INFINITY)) return;
  const int replaces = s->trace_count > 0 &&
                       options->trace[s->trace_count - 1].iteration == s->iterations;
  if (!replaces && s->trace_count < options->trace_capacity) s->trace_count++;
  perp_statistics *last = &options->trace[s->trace_count - 1];
  if (!replaces)
    *last = (perp_statistics){.iteration = s->iterations, .inner_iterations = s->inner_iterations,
                              .seconds = solver_seconds(s), .measure = residual};
  if (options->stop.measure == PERP_MEASURE_NONE) last->measure = residual;
  last->residual = residual;
}

// ---- the stages

static perp_error begin(solving *v) {
  perp_solver *s = v->s;
  const perp_options *options = &s->options;
  s->clock = options->clock != NULL ? options->clock : clock_now;
  s->start = clock_start(s);
  const perp_error error = validate(s, v->problem, v->x, v->known);
  if (error != PERP_OK) return error;
  s->problem = v->problem;
  if (run_lends(s->method, &s->limits, options)) s->farkas = run_lent(s->runs, s->problem->A.n);
  s->iterations = s->inner_iterations = s->factorizations = s->trace_count = 0;
  s->solutions = s->factor_nonzeros = 0;
  s->trace_stride = 1;
  s->seen_residual = (double)INFINITY;
  s->waiting = 0;
  s->error = PERP_OK;
  s->slight = (contradiction){.row = -1};
  s->timed = options->time_limit < (double)INFINITY;
  s->watching = s->timed || options->on_iteration != NULL || options->trace_capacity > 0;
  v->looks_for_all = (s->method->traits & PERP_TRAIT_ALL) != 0;
  v->outcome.reason = PERP_STATUS_SOLVED;
  v->outcome.credit = s->method;
  return PERP_OK;
}

static perp_error look(solving *v) {
  perp_solver *s = v->s;
  const double until = s->timed ? ANALYSIS_END_PART*s->options.time_limit : (double)INFINITY;
  const double validated = s->timed ? solver_seconds(s) : 0.0;
  s->validation = validated;
  const perp_error error = solver_prepare(s, v->problem, until, solver_part_to_look(s, v->problem));
  if (error != PERP_OK) return error;
  v->hurried = s->judge.look.hurried;
  if (s->timed) solver_guess_pace(s, validated, solver_seconds(s) - validated);
  s->y_known = 1;   // judge.y is that of x_ref
  return PERP_OK;
}

// The answers that need no run: of the single pass of a direct method, or x_ref.
static perp_error try_reference(solving *v) {
  perp_solver *s = v->s;
  const perp_options *options = &s->options;
  const perp_error error = solver_attempt(s, v->x, &v->certificate);
  if (error != PERP_OK) return error;
  const int attempted = v->certificate.solved;
  if (!attempted)
    s->judge.ops->check_reference(&s->judge, options->tol, options->absolute_tol,
                                  &v->certificate);
  v->of_reference = v->certificate;
  v->open = !v->certificate.solved || v->looks_for_all;
  if (v->open || attempted) return PERP_OK;
  solver_copy(s, s->x, s->judge.x);   // x_ref
  strcpy(v->outcome.message, "the point of the box nearest to 0 is a solution");
  return PERP_OK;
}

static perp_error try_guess(solving *v) {
  perp_solver *s = v->s;
  perp_error error = PERP_OK;
  if (!v->open) return PERP_OK;
  if (solver_set_guess(s, v->x)) s->judge.ops->take_reference(&s->judge);
  else error = solver_check(s, s->x, 1, &v->certificate);
  s->guess_residual = s->judge.ops->measures ? v->certificate.residual : -1.0;
  v->of_guess = v->certificate;
  return error;
}

static perp_error try_candidate(solving *v) {   // the x that small_dense.c could not certify
  perp_solver *s = v->s;
  if (!v->open || v->certificate.solved || v->end != SMALL_DENSE_CANDIDATE) return PERP_OK;
  s->y_known = 0;
  perp_certificate candidate;
  const perp_error error = solver_check(s, v->candidate->x, 0, &candidate);
  if (error != PERP_OK || !candidate.solved) return error;
  v->certificate = candidate;
  v->outcome.credit = s->small_dense_method;
  s->iterations = v->candidate->rounds;
  solver_small_dense_message(v->end, v->outcome.message);
  return PERP_OK;
}

// Sets the deadline of the runs, so that time is left for the last sweeps and for the certificate.
static perp_error plan_time(solving *v) {
  perp_solver *s = v->s;
  if (s->timed && !v->certificate.solved) {
    const perp_error error = solver_doubt_pace(s);
    if (error != PERP_OK) return error;
  }
  v->setup_seconds = solver_seconds(s);
  const double limit = s->options.time_limit;
  s->end = limit - solver_kept(s, limit - v->setup_seconds);
  v->sweeps_last = s->timed && s->judge.ops->by_entries && (s->method->traits & PERP_TRAIT_META) &&
                   s->method->hasty != NULL;
  s->reserve = v->sweeps_last ? last_seconds(s, s->end - v->setup_seconds) : 0.0;
  s->reserve = solver_brief(s, v->setup_seconds + solver_pivots(s, &s->problem->A), s->end);
  s->deadline = s->end - s->reserve;
  return PERP_OK;
}

static perp_error run(solving *v) {
  return !v->certificate.solved || v->looks_for_all ? solver_run(v) : PERP_OK;
}

// If x passes a certificate by the diagonal alone, which proves little, this computes the full
// certificate, provided that there is time now.
static perp_error certify(solving *v) {
  perp_solver *s = v->s;
  if (!v->certificate.solved || !v->hurried) return PERP_OK;
  solver_copy(s, s->x, s->judge.x);
  const perp_error error = solver_prepare(s, s->problem, s->deadline, 1.0);
  if (error == PERP_OK && !s->judge.look.hurried)
    return solver_check(s, s->x, 0, &v->certificate);
  v->certificate.solved = v->certificate.attainable = 0;
  solver_copy(s, s->judge.x, s->x);
  v->outcome.reason = PERP_STATUS_TIME_LIMIT;
  strcpy(v->outcome.message, "the time limit left no time for the certificate on all of A, only "
                             "for a weaker one, which x passes");
  return error;
}

static perp_error snap(solving *v) {
  if (!v->certificate.solved || v->looks_for_all) return PERP_OK;
  return solver_snap(v->s, &v->certificate);
}

static perp_error hand_over(solving *v) {
  perp_solver *s = v->s;
  const perp_options *options = &s->options;
  const int32_t n = s->problem->A.n;
  team_copy(s->threads, v->x, s->judge.x, n);   // clamped
  // x_ref or presolve solved the problem, and no run has enumerated.
  if (v->looks_for_all && v->certificate.solved && s->solutions == 0) {
    s->solutions = 1;
    v->outcome.complete |= s->judge.n == 0 || v->outcome.reason == PERP_STATUS_SOLVED;
    if (options->on_solution != NULL) options->on_solution(options->context, v->x, n, 0);
  }
  if (v->certificate.solved) solver_find_contradiction(s);
  return PERP_OK;
}

static perp_error report(solving *v) {
  perp_solver *s = v->s;
  perp_result *result = v->result;
  const perp_status reason = v->outcome.reason;
  finish_trace(s, v->certificate.residual);
  *result = (perp_result){
    .status = v->certificate.solved          ? PERP_STATUS_SOLVED
              : reason == PERP_STATUS_SOLVED ? PERP_STATUS_UNSOLVED
                                             : reason,
    .setup_seconds = v->setup_seconds, .certificate = v->certificate,
    .complete = v->looks_for_all && v->outcome.complete, .method = v->outcome.credit,
    .iterations = s->iterations, .inner_iterations = s->inner_iterations,
    .factorizations = s->factorizations, .factor_nonzeros = s->factor_nonzeros,
    .regularization = v->outcome.regularization, .trace_count = s->trace_count,
    .trace_stride = s->trace_stride, .solutions = s->solutions};
  if (status_is_proof(result->status)) {
    const size_t n = (size_t)s->problem->A.n;
    result->radius = s->radius;
    if (s->options.farkas != NULL) memcpy(s->options.farkas, s->farkas, n*sizeof *s->farkas);
  }
  solver_message(s, &v->outcome, result);
  result->seconds = solver_seconds(s);
  return PERP_OK;
}

static perp_error solve(perp_solver *s, const perp_problem *problem, double *x,
                        perp_result *result, int known) {
  static perp_error (*const stages[])(solving *) = {
    begin, look, try_reference, try_guess, try_candidate, plan_time, run, certify, snap, hand_over,
    report};
  const perp_options *options = &s->options;
  const perp_dense *small = solver_small_dense(s, problem, x);
  small_dense_answer answer;
  const double within = small_dense_demand(options->tol, options->componentwise_tol);
  const small_dense_end end = small != NULL ? small_dense_solve(problem, small, x, within, &answer)
                                            : SMALL_DENSE_NONE;
  if (end >= SMALL_DENSE_REFERENCE) {
    solver_finish_small_dense(s, end, &answer, problem->A.n, x, result);
    return PERP_OK;
  }
  solving v = {.s = s, .problem = problem, .x = x, .result = result, .known = known, .end = end,
               .candidate = &answer};
  perp_error error = PERP_OK;
  for (size_t k = 0; error == PERP_OK && k < sizeof stages/sizeof *stages; k++)
    error = stages[k](&v);
  return error;
}

perp_error perp_solve(perp_solver *s, const perp_problem *problem, double *x, perp_result *result) {
  if (s == NULL || result == NULL)
    return error_set(PERP_ERROR_ARGUMENT, "perp_solve: solver or result is NULL");
  return solve(s, problem, x, result, 0);
}

perp_error perp_solver_prepare(perp_solver *s, const perp_problem *problem) {
  if (s == NULL) return error_set(PERP_ERROR_ARGUMENT, "perp_solver_prepare: solver is NULL");
  if (problem != NULL && (problem->pattern_stamp == 0 || problem->value_stamp == 0))
    return error_set(PERP_ERROR_ARGUMENT, "perp_solver_prepare: pattern_stamp or value_stamp is 0: "
                                          "nothing would be kept");
  perp_error error = validate_matrix(s, problem, 0);
  if (error == PERP_OK) error = validate_vectors(problem, s->threads);
  if (error == PERP_OK) error = method_fits(s->method, problem, &s->judge.facts);
  if (error != PERP_OK) return error;
  s->problem = problem;
  s->clock = s->options.clock != NULL ? s->options.clock : clock_now;
  s->start = clock_start(s);
  s->timed = s->options.time_limit < (double)INFINITY;
  if ((error = solver_prepare(s, problem, (double)INFINITY, 1.0)) != PERP_OK) return error;
  for (int32_t i = 0; i < problem->A.n; i++) s->x[i] = 1.0;   // x = 0 would need no product
  perp_certificate certificate;   // unused: only its time is wanted
  return solver_check(s, s->x, 1, &certificate);
}

perp_error perp_solve_once(const perp_problem *problem, double *x, const perp_options *options,
                           perp_result *result) {
  if (result == NULL) return error_set(PERP_ERROR_ARGUMENT, "perp_solve_once: result is NULL");
  perp_error error = validate_structure(problem, 0);
  if (error != PERP_OK) return error;
  const perp_limits limits = perp_limits_of(problem);
  perp_solver *solver = NULL;
  error = perp_solver_create(options != NULL ? options->method : NULL, &limits, options, NULL,
                             &solver);
  if (error == PERP_OK) error = solve(solver, problem, x, result, 1);
  perp_solver_destroy(solver);
  return error;
}
