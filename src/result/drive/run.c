// run.c: one run of one method: products, stopping, best iterate and trace, and the stages from the
// guess to the answer. Other parts of a run are in run_memory.c, run_scale.c, run_rows.c
// (residuals), run_check.c (the certificate), run_time.c and child.c (runs inside of runs).
#include "run.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "driver.h"
#include "error.h"
#include "entries.h"
#include "plain.h"
#include "vector.h"

// ---- products ----

static void operator_aborted(perp_run *run, const char *function, int code) {
  run->state->solver->error = error_set(PERP_ERROR_OPERATOR, "operator '%s': %s returned %d",
                                        run->A.ops->name, function, code);
  run->state->ended = 1;
}

int run_product(perp_run *run, const double *x, double *y) {
  const int code = operator_product(&run->A, x, y, run->scratch, run->threads);
  if (code != 0) operator_aborted(run, "apply", code);
  return code;
}

int run_transposed(perp_run *run, const double *x, double *y) {
  const perp_operator *A = &run->A;
  if (A->ops->apply_transpose == NULL) {
    if (!(A->claims & PERP_CLAIM_SYMMETRIC)) return 1;
    return run_product(run, x, y) == 0 ? 0 : -1;
  }
  const int code = A->ops->apply_transpose(A->self, x, y, run->scratch);
  if (code != 0) operator_aborted(run, "apply_transpose", code);
  return code == 0 ? 0 : -1;
}

int run_apply(perp_run *run, const double *x, double *y) {
  const int code = run_product(run, x, y);
  for (int32_t i = 0; code == 0 && i < run->n; i++) y[i] += run->b[i];
  return code;
}

int run_apply_exactly(perp_run *run, const double *x, double *y, double *a) {
  const perp_operator_ops *ops = run->A.ops;
  if (ops->residual == NULL) {
    for (int32_t i = 0; i < run->n; i++) a[i] = fabs(run->b[i]);
    return run_apply(run, x, y);
  }
  const int code = ops->residual(run->A.self, x, run->b, y, a, run->scratch);
  if (code != 0) operator_aborted(run, "residual", code);
  return code;
}

int run_first(perp_run *run, double *y) {
  if (!run->state->y_known) return run_apply(run, run->x, y);
  memcpy(y, run->state->y, (size_t)run->n*sizeof *y);
  return 0;
}

// ---- stopping ----

static const char *iterations_word(const perp_run *run) {
  return run->iterations == 1 ? "iteration" : "iterations";
}

void run_stop(perp_run *run, perp_status reason, const char *format, ...) {
  if (run->state->ended) return;
  run->state->ended = 1;
  run->reason = reason;
  va_list arguments;
  va_start(arguments, format);
  plain_vprint(run->message, sizeof run->message, format, arguments);
  va_end(arguments);
}

int run_ended(const perp_run *run) { return run->state->ended; }

static int out_of_time(const perp_run *run) {
  return run->state->ended && run->reason == PERP_STATUS_TIME_LIMIT;
}

void run_factored(perp_run *run, int32_t count, int64_t nonzeros) {
  run->factorizations += count;
  if (nonzeros > run->factor_nonzeros) run->factor_nonzeros = nonzeros;
}

// x may be infinite: take_answer() checks that once, at the end of the run.
void run_save_best(perp_run *run) {
  team_copy(run->threads, run->state->best, run->x, run->n);
  run->state->best_residual = run->residual;
  run->state->true_residual = 0;
}

void run_keep(perp_run *run) {
  if (run->residual < run->state->best_residual) run_save_best(run);
}

void run_remember(perp_run *run, const double *x, double residual) {
  const run_state *state = run->state;
  perp_solver *solver = state->solver;
  if (solver->seen == NULL || state->index != NULL || state->R != NULL || state->C != NULL ||
      !(residual < solver->seen_residual) || !all_finite(x, run->n))
    return;
  memcpy(solver->seen, x, (size_t)run->n*sizeof *x);
  solver->seen_residual = residual;
}

static void record(perp_solver *solver, const perp_statistics *statistics) {
  const perp_options *options = &solver->options;
  if (options->trace_capacity == 0 || statistics->iteration%solver->trace_stride != 0) return;
  if (solver->trace_count == options->trace_capacity) {   // full: keep every second entry
    int32_t kept = 0;
    for (int32_t k = 0; k < solver->trace_count; k++)
      if (options->trace[k].iteration%(2*solver->trace_stride) == 0)
        options->trace[kept++] = options->trace[k];
    solver->trace_count = kept;
    solver->trace_stride *= 2;
    if (kept == options->trace_capacity || statistics->iteration%solver->trace_stride != 0) return;
  }
  options->trace[solver->trace_count++] = *statistics;
}

// The chosen measure at x, and the tests E13 (107)-(109) on it.
static double test_measures(perp_run *run) {
  run_state *state = run->state;
  const perp_options *options = run->options;
  double measure = run->residual;
  if (options->stop.measure != PERP_MEASURE_NONE) {
    state->y_known = 0;
    if (run_apply(run, run->x, state->y) != 0) return measure;
    measure = measure_of((perp_measure)options->stop.measure, run->n, run->x, state->y, run->b,
                         run->lo, run->hi, state->R, state->C);
    if (options->stop.tol > 0.0 && measure < options->stop.tol)
      run_stop(run, PERP_STATUS_MEASURE, "stop.measure = %.3g fell below stop.tol = %g", measure,
               options->stop.tol);
  }
  if (options->stop.relative > 0.0 &&
      fabs(measure - state->last_measure) < options->stop.relative*fabs(state->last_measure))
    run_stop(run, PERP_STATUS_STALLED,
             "the measure went from %.6g to %.6g, less than stop.relative = %g apart",
             state->last_measure, measure, options->stop.relative);
  state->last_measure = measure;
  if (options->stop.stagnation > 0.0) {
    double change = 0.0;
    for (int32_t i = 0; i < run->n; i++) {
      change = max2(change, fabs(run->x[i] - state->previous[i])*factor_at(state->C, i));
      state->previous[i] = run->x[i];
    }
    if (change < options->stop.stagnation)
      run_stop(run, PERP_STATUS_STAGNATED,
               "the largest change of x, %.3g, is below stop.stagnation = %g", change,
               options->stop.stagnation);
  }
  return measure;
}

// Reports an iteration to the trace and to the caller's callback. Returns the time.
static double report_iteration(perp_run *run, double measure) {
  run_state *state = run->state;
  perp_solver *solver = state->solver;
  const perp_options *options = run->options;
  const perp_statistics statistics = {
      .iteration = solver->iterations, .seconds = solver_seconds(solver),
      .inner_iterations = solver->inner_iterations + run->inner_iterations,
      .residual = run->residual, .measure = measure};
  record(solver, &statistics);
  if (options->on_iteration != NULL && !state->asked)
    state->asked = options->on_iteration(options->context, &statistics) != 0;
  return statistics.seconds;
}

int run_between(perp_run *run) {
  run_state *state = run->state;
  perp_solver *solver = state->solver;
  const perp_options *options = run->options;
  const int judged = options->stop.measure != PERP_MEASURE_NONE || options->stop.relative > 0.0 ||
                     options->stop.stagnation > 0.0;
  if (judged || state->ended || state->asked || run->iterations + 1 >= state->iteration_limit)
    return 0;
  if (solver->timed && solver_seconds(solver) + state->step > state->deadline) return 0;
  run->iterations++;
  solver->iterations++;
  if (!solver->watching) return 1;
  const double now = report_iteration(run, run->residual);
  run_expect_step(state, now);
  state->began = now;
  return !state->asked;
}

// After an iteration: saves the best x, reports it, and decides whether the run ends.
static void finish_iteration(perp_run *run) {
  run_state *state = run->state;
  perp_solver *solver = state->solver;
  run->iterations++;
  solver->iterations++;
  if (run->residual < state->best_residual) run_save_best(run);
  if (!(run->residual < (double)INFINITY)) {
    run_stop(run, PERP_STATUS_BREAKDOWN,
             "the iterates of %s overflowed after %d %s",
             run->method->name, run->iterations, iterations_word(run));
    return;
  }
  const double measure = test_measures(run);
  double now = 0.0;
  if (solver->watching) {
    now = report_iteration(run, measure);
    if (state->asked)
      run_stop(run, PERP_STATUS_STOPPED, "the run was stopped on request after %d %s",
               run->iterations, iterations_word(run));
    run_expect_step(state, now);
    if (solver->timed) run_foresee(run, now);
    if (now >= state->deadline || (!run->paced && now + state->step > state->deadline))
      run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit was reached after %d %s",
               run->iterations, iterations_word(run));
  }
  const int trusted = run->residual <= state->trigger;
  const int worth = trusted || (!run->measured && run->iterations >= state->next_check);
  if (worth && !state->solved && !out_of_time(run) && !(run->method->traits & PERP_TRAIT_ALL)) {
    if (trusted) state->trigger = 0.5*run->residual;
    if (run->iterations >= state->next_check) state->next_check *= 2;
    if (solver->timed && now + run_check_seconds(run) > state->deadline) {
      // The certificate at the end decides about this x.
      if (trusted)
        run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit was reached after %d %s",
                 run->iterations, iterations_word(run));
    } else if (run_check(run)) {
      return;
    }
    if (solver->timed) now = solver_seconds(solver);
  }
  state->began = now;
  if (run->iterations >= state->iteration_limit)
    run_stop(run, PERP_STATUS_ITERATION_LIMIT, "the iteration limit of %d was reached",
             state->iteration_limit);
}

int run_continue(perp_run *run) {
  run_state *state = run->state;
  if (state->started && !state->ended) finish_iteration(run);
  if (!state->started) {
    state->started = 1;
    if (state->iteration_limit == 0)
      run_stop(run, PERP_STATUS_ITERATION_LIMIT, "the iteration limit is 0");
    const perp_solver *solver = state->solver;
    if (state->deadline < (double)INFINITY) state->began = solver_seconds(solver);
    state->decade[0] = state->decade[1] = (residual_at){state->began, run->residual};
    // An iteration takes at least one product.
    const double first = solver->timed && !(run->method->traits & PERP_TRAIT_META)
                             ? pace_least(&solver->once)*run->n/max2(1.0, solver->problem->A.n)
                             : 0.0;
    if (state->began >= state->deadline || state->began + first > state->deadline)
      run_stop(run, PERP_STATUS_TIME_LIMIT,
               "the time limit was reached before the first iteration");
  }
  return !state->ended;
}

// y = A x + b at the guess. It takes no product if the parent knows y, or if A is a matrix and x = 0.
static int apply_to_guess(perp_run *run, const run_spec *spec, double *y) {
  const run_state *state = run->state;
  if (spec->y == y && *spec->y_known) return 0;
  if (spec->y != NULL && *spec->y_known) {   // spec->y is in the parent's units
    for (int32_t i = 0; i < run->n; i++)
      y[i] = state->R != spec->R ? state->R[i]*spec->y[i] : spec->y[i];
    return 0;
  }
  const perp_view view = operator_view(&run->A);
  int zero = entries_known(&view);
  for (int32_t i = 0; zero && i < run->n; i++) zero = run->x[i] == 0.0;
  if (!zero) return run_apply(run, run->x, y);
  team_copy(run->threads, y, run->b, run->n);
  return 0;
}

typedef struct finite_check {
  const double *x, *own;         // the vector is x_i own_i; own may be NULL: x_i
  int not_finite[TEAM_SHARES];   // one per share
} finite_check;

static void check_finite_some(void *data, int32_t from, int32_t to, int32_t share) {
  finite_check *d = data;
  d->not_finite[share] = !all_finite(d->x + from, to - from);
  for (int32_t i = from; d->own != NULL && i < to; i++) {
    const double x = d->x[i]*d->own[i];
    d->not_finite[share] |= !(x - x == 0.0);
  }
}

// Is any x_i own_i infinite or NaN? The residual does not show it where column i of A is 0.
static int is_not_finite(team *threads, const double *x, const double *own, int32_t n) {
  finite_check d = {.x = x, .own = own};
  int not_finite = 0;
  const int32_t shares = team_share(threads, n, check_finite_some, &d);
  for (int32_t k = 0; k < shares; k++) not_finite |= d.not_finite[k];
  return not_finite;
}

void run_refuse(perp_run *run, unmet of) {
  char text[DEMANDS_TEXT];
  const int32_t *index = run->state->index;
  if (index != NULL && of.i >= 0) of.i = index[of.i];
  if (index != NULL && of.j >= 0 && of.what != DEMAND_FEW_ROWS) of.j = index[of.j];
  demands_text(run->method, of, text);
  run->refused = 1;
  run_stop(run, PERP_STATUS_UNSOLVED, "%s", text);
}

// What run->facts are about: the operator before rows and columns were scaled alike.
static const perp_operator *facts_from(const perp_run *run) {
  const run_state *state = run->state;
  return run->facts == &state->scaled ? &run->A : &state->given->spec->A;
}

int run_learn(perp_run *run, uint32_t wanted) {
  const perp_deadline deadline = run_deadline(run);
  return facts_learn(run->facts, facts_from(run), wanted, run_allocator(run), &deadline);
}

// If the method does not take this A, ends the run and returns 1. keller checks symmetry itself, in
// the copy of A that it makes anyway. If the time is too short to check, the run starts unchecked.
static int refused(perp_run *run) {
  const perp_method *method = run->method;
  uint32_t known = PERP_NEEDS_NEARLY_SYMMETRIC;
  if (!run_fits(run, RUN_ANALYSIS)) known |= method->needs;
  const unmet of = demands_unmet(method, known, run->facts, facts_from(run), run->lo, run->hi,
                                 run_allocator(run));
  if (of.what != DEMAND_NONE) run_refuse(run, of);
  // The method's linear solvers need not look again.
  if ((method->needs & ~known & PERP_NEEDS_SYMMETRIC) && (run->facts->known & FACTS_ASYMMETRY))
    run->A.claims |= PERP_CLAIM_SYMMETRIC;
  return of.what != DEMAND_NONE;
}

// ---- one run from begin to end ----

typedef struct execution {   // passed from stage to stage
  perp_solver *solver;
  const run_spec *spec;
  perp_run *run;
  arena memory;
  size_t scratch;
  run_arrays arrays;
  perp_wrapper wrapper;
  run_given given;
  run_state state;
  double guess_residual;     // INFINITY: not known
  const double *answer;      // n: the x that the run found
  const double *own;         // n: the x for the parent is own_i answer_i; NULL: all 1
  int by_measure;            // stop.measure ended the run: x is the answer, for any residual
  int not_finite;            // some x_i of the answer is infinite or NaN
  int y_of_answer;           // state.y = A x + b at the answer
} execution;

static void set_up(execution *e) {   // takes memory and scales the problem
  const run_spec *spec = e->spec;
  perp_solver *solver = e->solver;
  const perp_limits *limits = spec->limits != NULL ? spec->limits : &solver->limits;
  const int lean = run_is_lean(spec->method, limits, spec->options);
  e->scratch = run_scratch(limits->scratch, limits->n, lean);
  e->arrays = run_layout(&e->memory, spec->A.n, e->scratch, lean,
                         spec->options->stop.stagnation > 0.0);
  const run_arrays *arrays = &e->arrays;
  if (lean) e->arrays.y = solver->judge.y;   // valid until the next certificate
  e->given = (run_given){spec, arrays, &e->wrapper, e->scratch};
  e->state = (run_state){
    .solver = solver, .index = spec->index, .R = spec->R, .C = spec->C, .best = arrays->best,
    .previous = arrays->previous, .y = arrays->y, .a = arrays->a, .trigger = solver->options.tol,
    .next_check = 16, .iteration_limit = spec->iteration_limit, .deadline = spec->deadline,
    .end = solver->end, .last_measure = (double)INFINITY, .best_residual = (double)INFINITY,
    .judged = spec->judged, .given = &e->given};
  *e->run = (perp_run){
    .A = spec->A, .n = spec->A.n, .b = spec->b, .lo = spec->lo, .hi = spec->hi, .x = arrays->x,
    .facts = spec->facts, .weight = arrays->weight, .options = spec->options,
    .method = spec->method,
    .memory = &e->memory, .scratch = arrays->scratch, .threads = solver->threads,
    .is_child = spec->is_child, .only_sweeps = spec->only_sweeps, .credit = spec->method,
    .state = &e->state};
  team_copy(solver->threads, e->run->x, spec->x, spec->A.n);
  run_scale(e->run, spec, arrays, &e->wrapper);
}

static perp_error check_room(const execution *e) {
  const perp_run *run = e->run;
  if (operator_scratch_bytes(&run->A) > e->scratch)
    return error_set(PERP_ERROR_CAPACITY,
                     "operator '%s' needs %zu bytes of scratch, perp_limits.scratch leaves %zu",
                     run->A.ops->name, operator_scratch_bytes(&run->A), e->scratch);
  // child_bytes() counted the memory for limits that n does not exceed.
  if (run->scratch == NULL || (run->method->n_max > 0 && run->n > run->method->n_max))
    return error_set(PERP_ERROR_CAPACITY, "%s: n = %d does not fit the memory set aside",
                     run->method->name, run->n);
  return PERP_OK;
}

static void leave_time_for_product(execution *e) {   // compare_with_guess() takes a product
  const perp_solver *solver = e->solver;
  if (e->spec->judged || !solver->timed) return;
  const double product = pace_least(&solver->once)*e->run->n/max2(1.0, solver->problem->A.n);
  e->state.deadline -= product;
  e->state.end -= product;
}

static void measure_guess(execution *e) {
  const run_spec *spec = e->spec;
  run_state *state = &e->state;
  state->y_known = apply_to_guess(e->run, spec, state->y) == 0;
  if (spec->y != NULL) *spec->y_known = 0;
  e->guess_residual = (double)INFINITY;
  if (!state->y_known) return;
  e->run->residual = e->guess_residual =
      spec->residual >= 0.0 ? spec->residual : run_residual(e->run, e->run->x, state->y);
}

static void begin_trace(const execution *e) {
  perp_solver *solver = e->solver;
  const perp_run *run = e->run;
  const run_state *state = &e->state;
  if (!state->y_known || e->spec->is_child || solver->options.trace_capacity == 0 ||
      solver->trace_count > 0)
    return;
  const perp_measure kind = (perp_measure)run->options->stop.measure;
  const perp_statistics first = {
    .seconds = solver_seconds(solver), .residual = run->residual,
    .measure = kind == PERP_MEASURE_NONE ? run->residual
                                         : measure_of(kind, run->n, run->x, state->y, run->b,
                                                      run->lo, run->hi, state->R, state->C)};
  record(solver, &first);
}

static void take_answer(execution *e) {
  run_state *state = &e->state;
  e->by_measure = !state->solved && e->run->reason == PERP_STATUS_MEASURE;
  e->answer = e->by_measure || (state->solved && !(e->run->solutions > 0)) ? e->run->x
                                                                            : state->best;
  e->own = state->C != e->spec->C ? state->C : NULL;   // spec->C is the parent's
  const int found = state->solved || e->by_measure || state->best_residual < (double)INFINITY;
  e->not_finite = found && is_not_finite(e->solver->threads, e->answer, e->own, e->run->n);
  if (!e->not_finite) return;
  state->solved = 0;
  state->best_residual = (double)INFINITY;
  e->run->reason = PERP_STATUS_BREAKDOWN;
  plain_print(e->run->message, sizeof e->run->message, "the iterates of %s overflowed",
              e->run->method->name);
}

// Returns whether the answer is better than the guess. A method's estimates rank its iterates. The
// best of these must beat the guess by its true residual, unless the caller compares (spec->judged).
static int compare_with_guess(execution *e) {
  run_state *state = &e->state;
  const int judged = e->spec->judged;
  const int open = !state->solved && state->best_residual < (double)INFINITY;
  e->y_of_answer = open && !judged && !state->true_residual && e->solver->error == PERP_OK &&
                   run_apply(e->run, e->answer, state->y) == 0;
  if (e->y_of_answer) state->best_residual = run_residual(e->run, e->answer, state->y);
  const int better = state->solved || (e->by_measure && !e->not_finite) || (open && judged) ||
                     state->best_residual < e->guess_residual;
  if (!better) state->best_residual = judged ? (double)INFINITY : e->guess_residual;
  return better;
}

static void hand_over(const execution *e) {   // writes x, and y if it is known, for the parent
  const run_spec *spec = e->spec;
  const run_state *state = &e->state;
  const int32_t n = e->run->n;
  if (e->own == NULL) team_copy(e->solver->threads, spec->x, e->answer, n);
  for (int32_t i = 0; e->own != NULL && i < n; i++) spec->x[i] = e->answer[i]*e->own[i];
  if (!e->y_of_answer || spec->y == NULL) return;
  for (int32_t i = 0; i < n; i++)
    spec->y[i] = state->R != spec->R ? state->y[i]/state->R[i] : state->y[i];
  *spec->y_known = 1;
}

perp_error run_execute(perp_solver *solver, const run_spec *spec, arena memory, perp_run *run) {
  execution e;
  e.solver = solver;
  e.spec = spec;
  e.run = run;
  e.memory = memory;
  set_up(&e);
  const perp_error error = check_room(&e);
  if (error != PERP_OK) return error;
  run_set_weights(run, e.arrays.weight);
  leave_time_for_product(&e);
  measure_guess(&e);
  begin_trace(&e);
  if (e.state.y_known && !refused(run)) spec->method->run(run);
  take_answer(&e);
  if (compare_with_guess(&e)) hand_over(&e);   // otherwise the guess stays
  run->residual = e.state.best_residual;
  if (e.state.solved) run->reason = PERP_STATUS_SOLVED;
  run_release(&e.state, NULL);
  run->state = NULL;
  run->memory = NULL;
  return solver->error;
}
