// child.c: a run starts another one: another method on the same problem, or on a related one.
#include <math.h>
#include <string.h>

#include "driver.h"
#include "error.h"
#include "options.h"
#include "plain.h"
#include "vector.h"

perp_options child_options(const perp_run *run, const perp_method *method) {
  perp_options options = *run->options;
  options.method = method;
  options_default(&options, method);
  options.enumerate.limit = 1;
  options.on_solution = NULL;
  options.start.method = PERP_START_NONE;
  return options;
}

// A method that finds too little memory has failed, but the parent goes on: others may need less.
static perp_status without_memory(perp_run *run, const perp_method *method) {
  run_state *state = run->state;
  state->solver->error = PERP_OK;
  state->ended = 0;
  plain_print(run->message, sizeof run->message, "%s found no memory for n = %d", method->name, run->n);
  return PERP_STATUS_BREAKDOWN;
}

// 1: the time left is too short for any other method.
static int no_time_for_others(const perp_run *run) {
  const perp_solver *solver = run->state->solver;
  const double left = run_seconds_left(run);
  return solver->timed && left < 4.0*pace_least(&solver->once);
}

perp_status run_child(perp_run *run, const perp_method *method, const perp_options *options,
                      int32_t iteration_limit, double seconds) {
  run_state *state = run->state;
  perp_solver *solver = state->solver;
  if (state->ended) return PERP_STATUS_UNSOLVED;
  // A meta method has no iterations of its own, so each child gets the whole iteration limit.
  const int meta = (run->method->traits & PERP_TRAIT_META) != 0;
  const int32_t left = meta ? INT32_MAX : state->iteration_limit - run->iterations;
  if (seconds < (double)INFINITY) solver->watching = 1;   // the child's deadline needs the clock
  const double now = solver->watching ? solver_seconds(solver) : 0.0, until = now + seconds;
  const perp_problem own = {.A = run->A, .b = run->b, .lo = run->lo, .hi = run->hi};
  const perp_limits limits = perp_limits_of(&own);
  const int scaled = state->C != state->given->spec->C;
  // Of run->A, where the run has scaled it.
  facts of_scaled = run->facts != &state->scaled ? facts_of_scaled(run->facts) : *run->facts;
  const run_spec spec = {.method = method, .options = options, .A = run->A,
                         .facts = scaled ? &of_scaled : run->facts, .b = run->b,
                         .lo = run->lo, .hi = run->hi, .x = run->x, .index = state->index,
                         .R = state->R, .C = state->C, .limits = &limits, .is_child = 1,
                         .only_sweeps = run->only_sweeps,
                         .y = meta ? state->y : NULL, .y_known = &state->y_known,
                         .judged = run->only_child && state->judged,
                         // if y is known at x, so is the residual
                         .residual = meta && state->y_known && solver->judge.ops->measures
                                         ? run->residual : -1.0,
                         .iteration_limit = iteration_limit < left ? iteration_limit : left,
                         .deadline = until < state->deadline ? until : state->deadline};
  arena memory = {run->memory->base + run->memory->used,
                  run->memory->capacity - run->memory->used, 0};
  struct run_block *const before = state->blocks;
  const size_t bytes = child_bytes(method, &limits, options);
  if (memory.base == NULL || memory.capacity < bytes) {
    unsigned char *block = run_allocate(run, bytes);
    if (block == NULL) return without_memory(run, method);
    memory = (arena){block, bytes, 0};
  }
  perp_run child;
  const perp_error error = run_execute(solver, &spec, memory, &child);
  run_release(state, before);
  if (error == PERP_ERROR_MEMORY) return without_memory(run, method);
  if (error != PERP_OK) {
    if (solver->error == PERP_OK)
      run_stop(run, PERP_STATUS_BREAKDOWN, "%s: %s", method->name, perp_last_message());
    state->ended = 1;
    return PERP_STATUS_UNSOLVED;
  }
  run->iterations += child.iterations;
  run->inner_iterations += child.inner_iterations;
  run->factorizations += child.factorizations;
  if (child.factor_nonzeros > run->factor_nonzeros) run->factor_nonzeros = child.factor_nonzeros;
  run->solutions += child.solutions;
  run->residual = child.residual;
  run->credit = child.credit;
  run->child_refused = child.refused;
  run->rounded = child.rounded;
  run->regularization = child.regularization;
  if (child.reason == PERP_STATUS_SOLVED) {
    state->solved = state->ended = 1;
    memcpy(state->best, run->x, (size_t)run->n*sizeof *state->best);
  } else {
    if (run->residual < state->best_residual) {
      run_save_best(run);
      state->true_residual = !spec.judged;
    }
    // A child that one of the caller's limits or stopping rules ended also ends the parent.
    const int by_rule = child.reason == PERP_STATUS_STOPPED ||
                        child.reason == PERP_STATUS_MEASURE ||
                        (child.reason == PERP_STATUS_STALLED && options->stop.relative > 0.0) ||
                        (child.reason == PERP_STATUS_STAGNATED && options->stop.stagnation > 0.0);
    if (status_is_proof(child.reason)) run_stop(run, child.reason, "%s", child.message);
    else if (run_out_of_time(run) || (child.reason == PERP_STATUS_TIME_LIMIT &&
                                      until >= state->deadline && no_time_for_others(run)))
      run_stop(run, PERP_STATUS_TIME_LIMIT, "%s", child.message);
    else if (by_rule || (!meta && run->iterations >= state->iteration_limit))
      run_stop(run, child.reason, "%s", child.message);
  }
  return child.reason;
}

perp_status run_other(perp_run *run, const perp_problem *problem, const perp_method *method,
                      const perp_options *options, double *x, int32_t iteration_limit,
                      double seconds) {
  run_state *state = run->state;
  perp_solver *solver = state->solver;
  if (state->ended) return PERP_STATUS_UNSOLVED;
  perp_options own = *options;
  own.iteration_limit = iteration_limit;
  own.trace_capacity = 0;
  own.farkas = NULL;
  own.threads = 1;
  own.scheduler = NULL;
  own.on_iteration = NULL;
  own.stop.measure = PERP_MEASURE_NONE;
  own.stop.tol = own.stop.relative = own.stop.stagnation = 0.0;
  if (state->deadline < (double)INFINITY || seconds < (double)INFINITY)
    own.time_limit = min2(seconds, state->deadline - solver_seconds(solver));
  if (!(own.time_limit > 0.0)) return PERP_STATUS_TIME_LIMIT;
  const perp_limits limits = perp_limits_of(problem);
  perp_solver *inner = NULL;
  perp_result result = {0};
  perp_error error = perp_solver_create(method, &limits, &own, &solver->allocator, &inner);
  if (error == PERP_OK) {
    solver_take_pace(inner, solver, problem);
    error = perp_solve(inner, problem, x, &result);
  }
  perp_solver_destroy(inner);
  if (error == PERP_ERROR_MEMORY || error == PERP_ERROR_OPERATOR) {
    solver->error = error;
    state->ended = 1;
  }
  if (error != PERP_OK) return PERP_STATUS_UNSOLVED;
  run->inner_iterations += result.iterations + result.inner_iterations;
  run->factorizations += result.factorizations;
  if (result.factor_nonzeros > run->factor_nonzeros) run->factor_nonzeros = result.factor_nonzeros;
  return result.status;
}
