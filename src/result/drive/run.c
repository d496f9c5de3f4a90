// run.c: one run of one method: its memory, scaling, stopping, best iterate, trace,
// checks and children. (Long because all of it is what run.h promises a method; scaling,
// residuals and children have files of their own, run_scale.c, run_rows.c and child.c.)
#include "run.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "certify_kkt.h"
#include "certify_sizes.h"
#include "componentwise.h"
#include "driver.h"
#include "error.h"
#include "grid.h"
#include "nearby.h"
#include "options.h"
#include "plain.h"
#include "vector.h"

// ---- memory: written once, for counting and for taking ----

// lean: a grid of cells that is not scaled, whose rows nobody but the judge looks at
static run_arrays layout(arena *memory, int32_t n, size_t scratch, int lean, int previous) {
  const size_t m = (size_t)n;
  run_arrays r = {0};
  double **const all[] = {&r.x, &r.weight, &r.best, &r.y, &r.b, &r.lo, &r.hi, &r.R, &r.C, &r.a};
  const size_t count = lean ? 3 : sizeof all/sizeof all[0];
  for (size_t k = 0; k < count; k++) *all[k] = ARENA_ARRAY(memory, double, m);
  if (previous) r.previous = ARENA_ARRAY(memory, double, m);
  r.scratch = arena_take(memory, scratch, 1);
  return r;
}

static int is_lean(const perp_method *method, const perp_limits *limits,
                   const perp_options *options) {
  const uint32_t scales = PERP_TRAIT_SCALES | PERP_TRAIT_EQUILIBRATE;
  return limits->grid && ((method->traits & PERP_TRAIT_GRID) ||
                          !(options->scale && (method->traits & scales)));
}

int run_lends(const perp_method *method, const perp_limits *limits, const perp_options *options) {
  return is_lean(method, limits, options) &&
         (method->traits & (PERP_TRAIT_META | PERP_TRAIT_GRID)) != 0;
}

double *run_lent(arena runs, int32_t n) { return layout(&runs, n, 0, 1, 0).weight; }

// Room for the operator, for the same as a reduced CSC matrix, and for a wrapper around either.
static size_t scratch_for(size_t operator_bytes, int32_t n, int lean) {
  const size_t matrix = lean ? 0 : (size_t)n*sizeof(double);
  return (operator_bytes > matrix ? operator_bytes : matrix) + 8*matrix + 1024;
}

// What the method itself needs: a method for small problems is only ever given small ones,
// whatever the limits say.
static size_t method_bytes(const perp_method *method, const perp_limits *limits,
                           const perp_options *options) {
  perp_limits own = *limits;
  if (method->n_max > 0 && own.n > method->n_max) own.n = method->n_max;
  return method->bytes != NULL ? method->bytes(&own, options) : 0;
}

size_t child_bytes(const perp_method *method, const perp_limits *limits,
                   const perp_options *options) {
  arena count = {0};
  const int lean = is_lean(method, limits, options);
  layout(&count, limits->n, scratch_for(limits->scratch, limits->n, lean), lean,
         options->stop.stagnation > 0.0);
  arena_take(&count, method_bytes(method, limits, options), 1);
  return count.used;
}

typedef struct run_block {
  struct run_block *next;
} run_block;

void run_no_memory(perp_run *run, const char *what) {
  run->state->solver->error = error_set(PERP_ERROR_MEMORY, "%s: no memory for %s",
                                        run->method->name, what);
  run->state->ended = 1;
}

void *run_allocate(perp_run *run, size_t bytes) {
  run_state *state = run->state;
  perp_solver *solver = state->solver;
  const size_t room = sizeof(run_block) + ARENA_ALIGNMENT;
  run_block *block = bytes <= SIZE_MAX - room
                         ? solver->allocator.allocate(solver->allocator.context, bytes + room)
                         : NULL;
  if (block == NULL) {
    char what[48];
    plain_print(what, sizeof what, "%zu bytes", bytes);
    run_no_memory(run, what);
    return NULL;
  }
  block->next = state->blocks;
  state->blocks = block;
  const uintptr_t after = (uintptr_t)(block + 1);
  return (unsigned char *)(block + 1) + (ARENA_ALIGNMENT - after%ARENA_ALIGNMENT)%ARENA_ALIGNMENT;
}

void run_release(run_state *state, struct run_block *until) {
  const perp_allocator *allocator = &state->solver->allocator;
  while (state->blocks != until) {
    run_block *block = state->blocks;
    state->blocks = block->next;
    allocator->release(allocator->context, block);
  }
}

void **run_kept(perp_run *run, void (*release)(void *object)) {
  perp_solver *solver = run->state->solver;
  if (solver->kept.release != release) {
    solver_release_kept(solver);
    solver->kept.release = release;
  }
  return &solver->kept.object;
}

void solver_release_kept(perp_solver *solver) {
  if (solver->kept.object != NULL) solver->kept.release(solver->kept.object);
  solver->kept.object = NULL;
}

const perp_allocator *run_allocator(const perp_run *run) {
  return &run->state->solver->allocator;
}

// ---- judging an iterate from y ----

static double of(const double *scale, int32_t i) { return scale != NULL ? scale[i] : 1.0; }

static void write_back(const perp_run *run, const double *from, double *x) {
  const run_state *state = run->state;
  for (int32_t i = 0; i < run->n; i++)
    x[state->index != NULL ? state->index[i] : i] = from[i]*of(state->C, i);
}

int run_is_symmetric(const perp_run *run) {
  const certifier *judge = &run->state->solver->judge;
  const perp_view view = operator_view(&run->A);
  return judge->look.symmetric && view.kind == PERP_VIEW_CSC && view.R == view.C;
}

int run_settled(const perp_run *run, int32_t i) {
  const run_state *state = run->state;
  const certifier *judge = &state->solver->judge;
  return judge->ops->settled(judge, state->index != NULL ? state->index[i] : i);
}

static void operator_aborted(perp_run *run, const char *function, int code) {
  run->state->solver->error = error_set(PERP_ERROR_OPERATOR, "operator '%s': %s returned %d",
                                        run->A.ops->name, function, code);
  run->state->ended = 1;
}

int run_product(perp_run *run, const double *x, double *y) {
  const perp_grid *grid = team_size(run->threads) > 1 ? grid_of(&run->A) : NULL;
  if (grid != NULL) {
    grid_product(grid, x, y, run->threads);
    return 0;
  }
  const int code = run->A.ops->apply(run->A.self, x, y, run->scratch);
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

// On the caller's own problem the certificate itself can be asked, and its verdict is the last.
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
  const perp_operator_ops *ops = run->A.ops;
  if (ops->residual != NULL) {
    const int code = ops->residual(run->A.self, run->x, run->b, state->y, state->a, run->scratch);
    if (code != 0) {
      operator_aborted(run, "residual", code);
      return 0;
    }
  } else {
    if (run_apply(run, run->x, state->y) != 0) return 0;
    for (int32_t i = 0; i < run->n; i++) state->a[i] = fabs(run->b[i]);
  }
  const double absolute = state->solver->options.absolute_tol;
  // Then the rule depends on the whole x.
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
    const double c = of(state->C, i), y = state->y[i]/of(state->R, i), unit = c*rule.inverse_C;
    const double r = fabs(mid((run->x[i] - upper(run->hi, i))*unit, rule.R*y,
                              (run->x[i] - lower(run->lo, i))*unit));
    double a = (state->a[i] - fabs(run->b[i]))/of(state->R, i);
    if (judge->look.shifted) {
      judge->parts[k] = state->a[i]/of(state->R, i);
      a = judge->a[k] - fabs(state->solver->problem->b[k]);
    }
    if (judge->look.product) judge->parts[k] = state->a[i]/of(state->R, i);
    certify_row row = judge->ops->evaluate(judge, k, r, y, a, state->solver->options.tol);
    if (row.solved && !row.strict && judge->look.product)   // as in judge()
      row = judge->ops->evaluate(judge, k, r, y, max2(row_size(&sizes, judge, k), 0.0),
                             state->solver->options.tol);
    if (row.solved && judge->ops->componentwise(judge, k, r, y, state->a[i]/of(state->R, i)) <= limit)
      continue;
    if (absolute > 0.0 && fabs(mid(c*(run->x[i] - upper(run->hi, i)), y,
                                   c*(run->x[i] - lower(run->lo, i)))) <= absolute)
      continue;
    return 0;
  }
  return 1;
}

// ... and there may be a solution near them.
static int rows_hold(perp_run *run) {
  if (!rows_pass(run)) return 0;
  const run_state *state = run->state;
  const perp_options *options = &state->solver->options;
  const nearby_rows rows = {.A = run->A, .b = run->b, .lo = run->lo, .hi = run->hi, .x = run->x,
                            .index = state->index, .R = state->R, .C = state->C, .n = run->n};
  return !nearby_refutes(&state->solver->judge, &rows, options->tol, options->absolute_tol);
}

// Objective and gap of a quadratic program are sums over the caller's rows: those of this run and
// those that presolve has taken out. Takes x of this run into the judge, with y of the caller's rows.
// NULL: A aborted; else the caller's rows that this run has (n).
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

// ---- stopping ----

double solver_seconds(const perp_solver *solver) {
  const double seconds = solver->clock(solver->options.clock_context) - solver->start;
  // A clock that says NaN or infinity, or goes back, stands still.
  return seconds >= 0.0 && seconds < (double)INFINITY ? seconds : 0.0;
}

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

int run_out_of_time(perp_run *run) {
  const run_state *state = run->state;
  return state->deadline < (double)INFINITY && solver_seconds(state->solver) >= state->deadline;
}

void run_factored(perp_run *run, int32_t count, int64_t nonzeros) {
  run->factorizations += count;
  if (nonzeros > run->factor_nonzeros) run->factor_nonzeros = nonzeros;
}

double run_seconds_left(const perp_run *run) {
  const run_state *state = run->state;
  if (!(state->deadline < (double)INFINITY)) return (double)INFINITY;
  return max2(0.0, state->deadline - solver_seconds(state->solver));
}

// What a certificate of this run, or a product, may take: of all of A, in proportion to the rows.
static double pace_here(const perp_solver *solver, const pace *p, int32_t n, double left) {
  return n > 0 ? pace_of(p, left)*n/solver->problem->A.n : 0.0;
}

int run_fits(const perp_run *run, double products) {
  const perp_solver *solver = run->state->solver;
  return !solver->timed ||
         products*pace_here(solver, &solver->once, run->n, solver->options.time_limit) <=
             run_seconds_left(run);
}

// The time at which the last sweeps end, at the latest state->end. Another run may have changed the
// reserve since this one began.
static double end_of_sweeps(const run_state *state) {
  return min2(state->deadline + state->solver->reserve, state->end);
}

// This run leaves `seconds` to the last sweeps.
static void leave(run_state *state, double seconds) {
  state->deadline = end_of_sweeps(state) - seconds;
  state->solver->reserve = seconds;
}

int run_expects(perp_run *run, double looks) {
  run_state *state = run->state;
  const perp_solver *solver = state->solver;
  if (!(solver->reserve > 0.0) || !(solver->look > 0.0)) return 1;
  const double part = run->n/max2(1.0, solver->problem->A.n);
  const double end = solver_seconds(solver) + looks*solver->look*part;
  const double brief = solver_brief(solver, end, end_of_sweeps(state));
  const int fits = brief < solver->reserve;
  leave(state, brief);
  return fits;
}

void run_leaves(perp_run *run, double products) {
  run_state *state = run->state;
  const perp_solver *solver = state->solver;
  if (!(solver->reserve > 0.0)) return;
  const double part = run->n/max2(1.0, solver->problem->A.n);
  const double left = end_of_sweeps(state) - solver_seconds(solver);
  const double wanted = min2(products*pace_least(&solver->once)*part, 0.5*left);
  if (wanted > solver->reserve) leave(state, wanted);
}

int run_is_full(const perp_operator *A) {
  enum { MODERATE = 2000 };   // rows: beyond, auto begins with something else (select.c)
  const perp_view view = operator_view(A);
  const perp_csc *C = view.data;
  if (A->n > MODERATE) return 0;
  if (view.kind != PERP_VIEW_CSC) return view.kind == PERP_VIEW_DENSE;
  return (double)C->colptr[C->columns] > 0.2*C->columns*(double)C->columns;
}

double run_least_products(const perp_operator *A, double products) {
  const int full = run_is_full(A);
  if (A->n <= (full ? RUN_TINY : RUN_SMALL)) return 0.0;
  return full ? min2(products, RUN_PIVOTS) : products;
}

int run_may_fit(const perp_run *run, double products) {
  const perp_solver *solver = run->state->solver;
  if (!solver->timed) return 1;
  const double product = pace_least(&solver->once)*run->n/solver->problem->A.n;
  return run_least_products(&run->A, products)*product <= run_seconds_left(run);
}

int run_may_fit_analysis(perp_run *run) {
  if (run_may_fit(run, RUN_ANALYSIS)) return 1;
  run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit left %s no time for the order of a "
           "factor of A", run->method->name);
  return 0;
}

static int deadline_of_run(void *run) { return run_out_of_time(run); }

perp_deadline run_deadline(perp_run *run) { return (perp_deadline){deadline_of_run, run}; }

// Whether it is finite is asked once, at the end of the run.
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
      change = max2(change, fabs(run->x[i] - state->previous[i])*of(state->C, i));
      state->previous[i] = run->x[i];
    }
    if (change < options->stop.stagnation)
      run_stop(run, PERP_STATUS_STAGNATED,
               "the largest change of x, %.3g, is below stop.stagnation = %g", change,
               options->stop.stagnation);
  }
  return measure;
}

static double check_seconds(const perp_run *run) {
  const perp_solver *solver = run->state->solver;
  return pace_here(solver, solver->twice.recent > 0.0 ? &solver->twice : &solver->once, run->n,
                   solver->options.time_limit);
}

#define CONVERGES 1e-5           // a residual that sweeps do not reach in the time kept for them
enum { SHORT_ITERATION = 16 };   // products: what takes longer looks at the clock on its way

// The next iteration takes as long as the longer one of the last two, if they were short.
static void expect_step(run_state *state, double now) {
  const perp_solver *solver = state->solver;
  const double step = now - state->began;
  const double most = solver->timed ? SHORT_ITERATION*pace_least(&solver->once) : 0.0;
  state->step = min2(max2(step, state->last_step), most);
  state->last_step = step;
}

// Whoever watches hears of an iteration. Returns the time.
static double tell(perp_run *run, double measure) {
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
  const double now = tell(run, run->residual);
  expect_step(state, now);
  state->began = now;
  return !state->asked;
}

// At the rate at which the residual has fallen through its last one or two decades, is it at the
// tolerance in time? Then the last sweeps get little of it. That is asked when the time of the runs is
// nearly over, as the first steps often gain more than those that follow.
static void foresee(perp_run *run, double now) {
  run_state *state = run->state;
  const perp_solver *solver = state->solver;
  const double best = state->best_residual, tol = solver->options.tol;
  fall *from = state->decade;
  if (!(solver->reserve > 0.0) || solver->waiting > 0 || !(best < from[0].residual)) return;
  const double rate = log(from[0].residual/best)/max2(now - from[0].seconds, 1e-12);
  if (best < 0.1*from[1].residual) {
    from[0] = from[1];
    from[1] = (fall){now, best};
  }
  if (now < state->deadline - solver->reserve) return;
  const double end = now + log(max2(best, tol)/tol)/rate;
  leave(state, solver_brief(solver, end, end_of_sweeps(state)));
}

// The iteration that has just ended: remember it, tell it, and see whether it was the last.
static void finish_iteration(perp_run *run) {
  run_state *state = run->state;
  perp_solver *solver = state->solver;
  run->iterations++;
  solver->iterations++;
  if (run->residual < state->best_residual) run_save_best(run);
  // Sweeps at the end would do less with their time, unless blocks wait that may not converge.
  if (state->best_residual <= CONVERGES && solver->waiting == 0) leave(state, 0.0);
  if (!(run->residual < (double)INFINITY)) {
    run_stop(run, PERP_STATUS_BREAKDOWN,
             "the iterates of %s overflowed after %d %s",
             run->method->name, run->iterations, iterations_word(run));
    return;
  }
  const double measure = test_measures(run);
  double now = 0.0;
  if (solver->watching) {
    now = tell(run, measure);
    if (state->asked)
      run_stop(run, PERP_STATUS_STOPPED, "the run was stopped on request after %d %s",
               run->iterations, iterations_word(run));
    expect_step(state, now);
    if (solver->timed) foresee(run, now);
    if (now >= state->deadline || (!run->paced && now + state->step > state->deadline))
      run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit was reached after %d %s",
               run->iterations, iterations_word(run));
  }
  const int trusted = run->residual <= state->trigger;
  const int worth = trusted || (!run->measured && run->iterations >= state->next_check);
  if (worth && !state->solved && !out_of_time(run) && !(run->method->traits & PERP_TRAIT_ALL)) {
    if (trusted) state->trigger = 0.5*run->residual;
    if (run->iterations >= state->next_check) state->next_check *= 2;
    if (solver->timed && now + check_seconds(run) > state->deadline) {
      // The certificate at the end will say the same.
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
    state->decade[0] = state->decade[1] = (fall){state->began, run->residual};
    // It takes a product at least.
    const double first = solver->timed && !(run->method->traits & PERP_TRAIT_META)
                             ? pace_least(&solver->once)*run->n/max2(1.0, solver->problem->A.n)
                             : 0.0;
    if (state->began >= state->deadline || state->began + first > state->deadline)
      run_stop(run, PERP_STATUS_TIME_LIMIT,
               "the time limit was reached before the first iteration");
  }
  return !state->ended;
}

// ---- solutions, for methods that find several ----

int run_solution(perp_run *run, int32_t dimension) {
  run_state *state = run->state;
  perp_solver *solver = state->solver;
  if (solver->method->traits & PERP_TRAIT_ALL) {   // a solution of the whole problem
    // In the judge's own array: solver->x may hold the guess,
    // which has to survive a candidate that is no solution.
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
  } else if (!rows_hold(run)) {   // of one block; the others have their own runs
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

// -1: presolve has multiplied row i by that.
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
  double *own = solver->farkas;   // of the weights of a run, perhaps: they stay until it is over
  const int plain = state->index == NULL && state->R == NULL && run->n == solver->problem->A.n;
  for (int32_t i = 0; !plain && i < solver->problem->A.n; i++) own[i] = 0.0;
  for (int32_t i = 0; !plain && i < run->n; i++)   // u'(R y) = (R u)'y
    own[state->index != NULL ? state->index[i] : i] = u[i]*of(state->R, i)*turn(run, i);
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

// ---- one run from begin to end ----

// y = A x + b at the guess, which may be known already, or 0: its product with a matrix is known.
static int apply_to_guess(perp_run *run, const run_spec *spec, double *y) {
  const run_state *state = run->state;
  if (spec->y == y && *spec->y_known) return 0;
  if (spec->y != NULL && *spec->y_known) {   // in the parent's units
    for (int32_t i = 0; i < run->n; i++)
      y[i] = state->R != spec->R ? state->R[i]*spec->y[i] : spec->y[i];
    return 0;
  }
  const perp_view_kind kind = operator_view(&run->A).kind;
  int zero = kind == PERP_VIEW_DENSE || kind == PERP_VIEW_CSC || kind == PERP_VIEW_GRID;
  for (int32_t i = 0; zero && i < run->n; i++) zero = run->x[i] == 0.0;
  if (!zero) return run_apply(run, run->x, y);
  team_copy(run->threads, y, run->b, run->n);
  return 0;
}

typedef struct doubting {
  const double *x, *own;         // own: NULL, or x is to be multiplied by it
  int bad[TEAM_SHARES];
} doubting;

static void doubt_some(void *data, int32_t from, int32_t to, int32_t share) {
  doubting *d = data;
  d->bad[share] = !all_finite(d->x + from, to - from);
  for (int32_t i = from; d->own != NULL && i < to; i++) {
    const double x = d->x[i]*d->own[i];
    d->bad[share] |= !(x - x == 0.0);
  }
}

// An infinite x_i in a column of zeros has a finite residual all the same.
static int is_bad(team *threads, const double *x, const double *own, int32_t n) {
  doubting d = {.x = x, .own = own};
  int bad = 0;
  const int32_t shares = team_share(threads, n, doubt_some, &d);
  for (int32_t k = 0; k < shares; k++) bad |= d.bad[k];
  return bad;
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

// Does the method not take this A? Then the run ends before it begins. keller looks by itself, at
// the copy of A that it makes anyway. Where the time is too short to look, the run shows.
static int refused(perp_run *run) {
  const perp_method *method = run->method;
  uint32_t known = PERP_NEEDS_NEARLY_SYMMETRIC;
  if (run_is_symmetric(run)) known |= PERP_NEEDS_SYMMETRIC;
  if (!run_fits(run, RUN_ANALYSIS)) known |= method->needs;
  const unmet of = demands_unmet(method, known, &run->A, run->lo, run->hi, run_allocator(run));
  if (of.what != DEMAND_NONE) run_refuse(run, of);
  return of.what != DEMAND_NONE;
}

perp_error run_execute(perp_solver *solver, const run_spec *spec, arena memory, perp_run *run) {
  const int32_t n = spec->A.n;
  const perp_limits *limits = spec->limits != NULL ? spec->limits : &solver->limits;
  const int lean = is_lean(spec->method, limits, spec->options);
  const size_t scratch = scratch_for(limits->scratch, limits->n, lean);
  run_arrays arrays = layout(&memory, n, scratch, lean, spec->options->stop.stagnation > 0.0);
  if (lean) arrays.y = solver->judge.y;   // until the judge is asked
  run_state state = {.solver = solver, .index = spec->index, .R = spec->R, .C = spec->C,
                     .best = arrays.best, .previous = arrays.previous, .y = arrays.y, .a = arrays.a,
                     .trigger = solver->options.tol, .next_check = 16,
                     .iteration_limit = spec->iteration_limit, .deadline = spec->deadline,
                     .end = solver->end, .last_measure = (double)INFINITY,
                     .best_residual = (double)INFINITY, .judged = spec->judged};
  double guess_residual = (double)INFINITY;
  *run = (perp_run){.A = spec->A, .n = n, .b = spec->b, .lo = spec->lo, .hi = spec->hi,
                    .x = arrays.x, .weight = arrays.weight, .options = spec->options,
                    .method = spec->method, .memory = &memory, .scratch = arrays.scratch,
                    .threads = solver->threads, .is_child = spec->is_child, .only_sweeps = spec->only_sweeps, .credit = spec->method,
                    .state = &state};
  perp_wrapper wrapper;
  team_copy(run->threads, run->x, spec->x, n);
  run_scale(run, spec, &arrays, &wrapper);
  if (operator_scratch_bytes(&run->A) > scratch)
    return error_set(PERP_ERROR_CAPACITY,
                     "operator '%s' needs %zu bytes of scratch, perp_limits.scratch leaves %zu",
                     run->A.ops->name, operator_scratch_bytes(&run->A), scratch);
  // The memory was counted by child_bytes(), for the limits that n has been checked against.
  if (arrays.scratch == NULL || (spec->method->n_max > 0 && n > spec->method->n_max))
    return error_set(PERP_ERROR_CAPACITY, "%s: n = %d does not fit the memory set aside",
                     spec->method->name, n);
  run_set_weights(run, arrays.weight);
  const run_given given = {spec, &arrays, &wrapper, scratch};
  state.given = &given;
  if (!spec->judged && solver->timed) {   // of the product at the end
    const double product = pace_least(&solver->once)*n/max2(1.0, solver->problem->A.n);
    state.deadline -= product;
    state.end -= product;
  }
  state.y_known = apply_to_guess(run, spec, state.y) == 0;
  if (spec->y != NULL) *spec->y_known = 0;
  if (state.y_known) {
    guess_residual = spec->residual >= 0.0 ? spec->residual : run_residual(run, run->x, state.y);
    run->residual = guess_residual;
    if (!spec->is_child && solver->options.trace_capacity > 0 && solver->trace_count == 0) {
      const perp_measure kind = (perp_measure)spec->options->stop.measure;
      const perp_statistics first = {
          .seconds = solver_seconds(solver), .residual = run->residual,
          .measure = kind == PERP_MEASURE_NONE
                         ? run->residual
                         : measure_of(kind, n, run->x, state.y, run->b, run->lo, run->hi,
                                      state.R, state.C)};
      record(solver, &first);
    }
    if (!refused(run)) spec->method->run(run);
  }
  // The x at which stop.measure was reached is the answer of that rule, whatever its residual.
  const int by_measure = !state.solved && run->reason == PERP_STATUS_MEASURE;
  const double *answer =
      by_measure || (state.solved && !(run->solutions > 0)) ? run->x : state.best;
  const double *own = state.C != spec->C ? state.C : NULL;   // not the parent's
  const int found = state.solved || by_measure || state.best_residual < (double)INFINITY;
  const int bad = found && is_bad(solver->threads, answer, own, n);
  if (bad) {
    state.solved = 0;
    state.best_residual = (double)INFINITY;
    run->reason = PERP_STATUS_BREAKDOWN;
    plain_print(run->message, sizeof run->message, "the iterates of %s overflowed",
                spec->method->name);
  }
  // The methods' estimates rank their own iterates; against the guess the best one has to win by
  // its true residual, unless whoever asked looks after that.
  const int open = !state.solved && state.best_residual < (double)INFINITY;
  const int product = open && !spec->judged && !state.true_residual && solver->error == PERP_OK &&
                      run_apply(run, answer, state.y) == 0;
  if (product) state.best_residual = run_residual(run, answer, state.y);
  const int better = state.solved || (by_measure && !bad) || (open && spec->judged) ||
                     state.best_residual < guess_residual;
  if (!better) state.best_residual = spec->judged ? (double)INFINITY : guess_residual;
  if (better && own == NULL) team_copy(solver->threads, spec->x, answer, n);
  else if (better)   // otherwise the guess stays
    for (int32_t i = 0; i < n; i++) spec->x[i] = answer[i]*own[i];
  if (better && product && spec->y != NULL) {
    for (int32_t i = 0; i < n; i++)
      spec->y[i] = state.R != spec->R ? state.y[i]/state.R[i] : state.y[i];
    *spec->y_known = 1;
  }
  run->residual = state.best_residual;
  if (state.solved) run->reason = PERP_STATUS_SOLVED;
  run_release(&state, NULL);
  run->state = NULL;
  run->memory = NULL;
  return solver->error;
}
