// solver.c: one solve from the caller's problem to the caller's answer: validate, judge the
// obvious, presolve, run, certify. (Long because these steps share the state of one solve; what
// could go has gone: pace.c, attempt.c, small_dense.c, snap_to_bounds.c, batch.c.)
#include <math.h>
#include <string.h>

#include "allocator.h"
#include "certify_kkt.h"
#include "clock.h"
#include "driver.h"
#include "error.h"
#include "farkas.h"
#include "grid.h"
#include "options.h"
#include "plain.h"
#include "small_dense.h"
#include "vector.h"

enum { PRODUCTS = 10,     // with A that must fit before it is taken apart: a copy takes as many
       CLOSER = 3 };      // times that a run is asked for a hundredth of its tolerance
#define LOOK_PART 0.8     // of the time limit that a look at a new A may take: where x_ref is the
                          //   answer, the look is nearly all of the solve
#define LAST_PART 0.2     // of the time that is left for the runs, at most: sweeps on the best x where
                          //   the way that is taken without a limit does not end in the rest of it

// Seconds for the last sweeps: LAST_PART of what is left. Where that is more than sweeps had before
// a factor was thought of, RUN_ANALYSIS products, it grows like the square root: more time for
// sweeps still gives a smaller residual, and the other way has more margin.
static double last_seconds(const perp_solver *s, double left) {
  const double part = LAST_PART*max2(left, 0.0), few = RUN_ANALYSIS*pace_least(&s->once);
  return few > 0.0 && part > few ? sqrt(part*few) : part;
}

// When a solve begins. A clock without a number there counts from 0.
static double clock_start(const perp_solver *s) {
  const double now = s->clock(s->options.clock_context);
  return now - now == 0.0 ? now : 0.0;
}

perp_limits perp_limits_of(const perp_problem *problem) {
  if (problem == NULL || !operator_is_given(&problem->A)) return (perp_limits){0};
  const size_t scratch = operator_scratch_bytes(&problem->A),
               sweep = operator_sweep_bytes(&problem->A);
  return (perp_limits){.n = problem->A.n, .nnz = problem_nnz(problem),
                       .scratch = scratch > sweep ? scratch : sweep,
                       .grid = grid_of(&problem->A) != NULL};
}

// What runs in front of the method (E13 6, ANE17 7); NULL: nothing.
static const perp_method *start_method(const perp_options *options) {
  static const char *const names[] = {NULL, "pgs", "psor", "apgd"};
  return options->start.iterations > 0 ? perp_find_method(names[options->start.method]) : NULL;
}

static perp_options start_options(const perp_options *options, const perp_method *first) {
  perp_options own = *options;
  own.method = first;
  options_default(&own, first);
  if (options->start.method == PERP_START_GRADIENT) own.gradient.accelerate = 0;
  own.stop.tol = own.stop.relative = own.stop.stagnation = 0.0;   // they are for the method
  return own;
}

static void solver_layout(perp_solver *s, arena *memory) {
  const int32_t n = s->limits.n;
  const int grid = s->limits.grid != 0;   // which presolve leaves alone
  certifier_layout(&s->judge, memory, n, s->limits.scratch, judge_for(&s->limits));
  presolve_layout(&s->reduced, memory, grid ? 0 : n,
                  s->options.presolve || s->options.split ? s->limits.nnz : 0);
  s->x = grid ? s->judge.x : ARENA_ARRAY(memory, double, n);
  if (!run_lends(s->method, &s->limits, &s->options)) s->farkas = ARENA_ARRAY(memory, double, n);
  s->farkas_work = ARENA_ARRAY(memory, double, grid ? 1 : farkas_doubles(n));
  if (!grid && s->options.time_limit < (double)INFINITY) s->seen = ARENA_ARRAY(memory, double, n);
  const int32_t lanes = s->limits.lanes > 1 ? s->limits.lanes - 1 : 0;
  s->lanes = ARENA_ARRAY(memory, perp_solver *, lanes);
  for (int32_t k = 0; s->lanes != NULL && k < lanes; k++) s->lanes[k] = NULL;
  const perp_method *first = start_method(&s->options);
  size_t runs = child_bytes(s->method, &s->limits, &s->options);
  if (first != NULL) {
    const perp_options options = start_options(&s->options, first);
    const size_t before = child_bytes(first, &s->limits, &options);
    runs = before > runs ? before : runs;
  }
  if (s->method->hasty != NULL && !grid) {   // grids need no analysis: solver_hastens()
    const perp_options options = start_options(&s->options, s->method->hasty);
    const size_t instead = child_bytes(s->method->hasty, &s->limits, &options);
    runs = instead > runs ? instead : runs;
  }
  unsigned char *base = arena_take(memory, runs, 1);
  s->runs = (arena){base, runs, 0};
  s->attempt.memory = NULL;
  s->attempt.n = -1;
  if (attempt_allowed(&s->options))
    s->attempt.memory = arena_take(memory, s->method->bytes(&s->limits, &s->options), 1);
}

// a solver for each lane of a batch but the first
static perp_error create_lanes(perp_solver *s) {
  if (s->limits.lanes <= 1) return PERP_OK;
  s->options.trace_capacity = 0;
  perp_limits limits = s->limits;
  limits.lanes = 0;
  perp_options options = s->options;
  options.threads = 1;
  options.scheduler = NULL;
  for (int32_t k = 0; k + 1 < s->limits.lanes; k++) {
    const perp_error error = perp_solver_create(s->method, &limits, &options, &s->allocator,
                                                &s->lanes[k]);
    if (error != PERP_OK) return error;
  }
  return PERP_OK;
}

// Does nobody watch the iterations, and has nobody asked for few of them, or for another way?
static int options_allow_quick(const perp_options *o) {
  return (o->method->traits & PERP_TRAIT_QUICK) && o->on_iteration == NULL &&
         o->trace_capacity == 0 && o->iteration_limit >= SMALL_DENSE_ROUNDS &&
         o->stop.measure == PERP_MEASURE_NONE && o->stop.relative == 0.0 &&
         o->stop.stagnation == 0.0 && start_method(o) == NULL && o->linear == NULL;
}

perp_error perp_solver_create(const perp_method *method, const perp_limits *limits,
                              const perp_options *options, const perp_allocator *allocator,
                              perp_solver **solver) {
  if (limits == NULL || solver == NULL)
    return error_set(PERP_ERROR_ARGUMENT, "perp_solver_create: limits or solver is NULL");
  if (limits->n < 0 || limits->nnz < 0 || limits->lanes < 0 || limits->lanes > 4096)
    return error_set(
        PERP_ERROR_ARGUMENT,
        "limits: n = %d and nnz = %lld must not be negative, lanes = %d must be in 0..4096",
        limits->n, (long long)limits->nnz, limits->lanes);
  if (allocator != NULL && (allocator->allocate == NULL) != (allocator->release == NULL))
    return error_set(PERP_ERROR_ARGUMENT,
                     "allocator: allocate and release go together, and one of them is NULL");
  const perp_options defaults = perp_default_options(method);
  if (options == NULL) options = &defaults;
  perp_error error = options_check(options);
  if (error != PERP_OK) return error;
  if (method != NULL && options->method != method)
    return error_set(PERP_ERROR_OPTION, "options are for %s, the solver is for %s",
                     options->method->name, method->name);
  method = options->method;
  if (method->n_max > 0 && limits->n > method->n_max)
    return error_set(PERP_ERROR_UNSUPPORTED, "%s takes at most n = %d, here n = %d", method->name,
                     method->n_max, limits->n);

  const perp_allocator memory_of = allocator_of(allocator);
  perp_solver *s = memory_of.allocate(memory_of.context, sizeof *s);
  if (s == NULL)
    return error_set(PERP_ERROR_MEMORY, "no memory for a solver (%zu bytes)", sizeof *s);
  *s = (perp_solver){.allocator = memory_of, .options = *options, .limits = *limits,
                     .method = method, .seen_n = -1};
  if (options->split == PERP_SPLIT_METHOD)
    s->options.split = (method->traits & PERP_TRAIT_SPLITS) != 0;
  if (method->traits & PERP_TRAIT_ALL) s->options.split = 0;   // a solution is one of the whole
  if (method->needs & PERP_NEEDS_CONTACTS) s->options.presolve = s->options.split = 0;
  s->quick = options_allow_quick(&s->options) ? perp_find_method("principal_pivoting") : NULL;
  arena count = {0};
  solver_layout(s, &count);
  const size_t bytes = arena_block_bytes(&count);
  s->block = arena_overflowed(&count) ? NULL : memory_of.allocate(memory_of.context, bytes);
  if (s->block == NULL) {
    perp_solver_destroy(s);
    return error_set(PERP_ERROR_MEMORY, "no memory for n = %d, nnz = %lld (%zu bytes)", limits->n,
                     (long long)limits->nnz, bytes);
  }
  arena memory = arena_on_block(s->block, bytes);
  solver_layout(s, &memory);
  if (options->threads > 1 || options->scheduler != NULL) {
    s->threads = team_create(options->threads, options->scheduler, &s->allocator);
    if (s->threads == NULL) {
      perp_solver_destroy(s);
      return error_set(PERP_ERROR_MEMORY, "cannot start %d threads", options->threads);
    }
  }
  s->judge.threads = s->threads;
  s->judge.componentwise.tol = s->options.componentwise_tol;
  error = create_lanes(s);
  if (error != PERP_OK) {
    perp_solver_destroy(s);
    return error;
  }
  *solver = s;
  return PERP_OK;
}

void perp_solver_destroy(perp_solver *s) {
  if (s == NULL) return;
  for (int32_t k = 0; s->lanes != NULL && k + 1 < s->limits.lanes; k++)
    perp_solver_destroy(s->lanes[k]);
  solver_release_kept(s);
  team_destroy(s->threads);
  const perp_allocator memory_of = s->allocator;
  if (s->block != NULL) memory_of.release(memory_of.context, s->block);
  memory_of.release(memory_of.context, s);
}

static perp_error check_capacity(const perp_solver *s, const perp_problem *problem) {
  const perp_limits need = perp_limits_of(problem);
  if (need.n > s->limits.n)
    return error_set(PERP_ERROR_CAPACITY, "n = %d exceeds limits.n = %d", need.n, s->limits.n);
  if (need.nnz > s->limits.nnz)
    return error_set(PERP_ERROR_CAPACITY, "nnz = %lld exceeds limits.nnz = %lld",
                     (long long)need.nnz, (long long)s->limits.nnz);
  if (s->limits.grid && !need.grid)
    return error_set(PERP_ERROR_CAPACITY, "operator '%s': limits.grid = %d leaves memory for grids "
                     "of cells only", problem->A.ops->name, s->limits.grid);
  if (need.scratch > s->limits.scratch)
    return error_set(PERP_ERROR_CAPACITY,
                     "operator '%s' needs %zu bytes of scratch, limits.scratch = %zu",
                     problem->A.ops->name, need.scratch, s->limits.scratch);
  return PERP_OK;
}

// known: the structure has been validated already
static perp_error validate_matrix(perp_solver *s, const perp_problem *problem, int known) {
  const int same = problem != NULL && problem->A.n == s->seen_n &&
                   problem->pattern_stamp == s->seen_pattern;
  perp_error error = known ? PERP_OK
                           : validate_structure(problem, same && problem->pattern_stamp != 0);
  s->seen_n = -1;
  if (error == PERP_OK) error = check_capacity(s, problem);
  const int seen = same && problem->value_stamp != 0 && problem->value_stamp == s->seen_values;
  if (error == PERP_OK && !seen) error = validate_values(problem, s->threads);
  if (error != PERP_OK) return error;
  s->seen_n = problem->A.n;
  s->seen_pattern = problem->pattern_stamp;
  s->seen_values = problem->value_stamp;
  if (!seen) solver_forget_pace(s, problem);
  return PERP_OK;
}

static perp_error validate(perp_solver *s, const perp_problem *problem, const double *x,
                           int known) {
  perp_error error = validate_matrix(s, problem, known);
  if (error == PERP_OK) error = validate_vectors(problem, s->threads);
  if (error == PERP_OK && problem->A.n > 0 && x == NULL)
    error = error_set(PERP_ERROR_ARGUMENT, "x is NULL");
  if (error == PERP_OK) error = validate_point("guess", problem->A.n, x, s->threads);
  const perp_method *first = start_method(&s->options);
  // a method that takes every kind of row looks at A only, and this one it has solved with
  const int taken = error == PERP_OK && problem->value_stamp != 0 &&
                    s->attempt.n == problem->A.n && s->attempt.values == problem->value_stamp &&
                    s->attempt.pattern == problem->pattern_stamp;
  if (error == PERP_OK && !taken) error = method_fits(s->method, problem);
  if (error == PERP_OK && first != NULL) error = method_fits(first, problem);
  return error;
}

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

static void copy(const perp_solver *s, double *to, const double *from) {
  if (to != from) team_copy(s->threads, to, from, s->problem->A.n);   // on grids they are the same
}

// An empty row that no x can satisfy: y_i = b_i whatever x is. Its Farkas vector is +-e_i.
static void empty_row(perp_solver *s, int32_t i, perp_run *outcome) {
  const perp_problem *problem = s->problem;
  for (int32_t k = 0; k < problem->A.n; k++) s->farkas[k] = 0.0;
  s->farkas[i] = problem->b[i] < 0.0 ? 1.0 : -1.0;
  perp_farkas farkas;
  const int proven = solver_check_farkas(s, s->farkas, &farkas) && farkas.proven;
  outcome->reason = proven ? PERP_STATUS_INFEASIBLE : PERP_STATUS_UNSOLVED;
  outcome->complete = 1;
  s->radius = (double)INFINITY;
  plain_print(outcome->message, sizeof outcome->message,
              "row %d is empty, so that y = b = %g whatever x is, and x has no %s bound", i,
              problem->b[i], problem->b[i] < 0.0 ? "upper" : "lower");
}

typedef struct guessing {
  perp_solver *s;
  const double *guess;
  int same[TEAM_SHARES];
} guessing;

static void guess_some(void *data, int32_t from, int32_t to, int32_t share) {
  guessing *g = data;
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

// The guess within the bounds, but for components that x_ref solves exactly. 1: it is x_ref.
static int set_guess(perp_solver *s, const double *guess) {
  guessing g = {.s = s, .guess = guess};
  const int32_t shares = team_share(s->threads, s->problem->A.n, guess_some, &g);
  int same = 1;
  for (int32_t k = 0; k < shares; k++) same &= g.same[k];
  return same;
}

// One block (g < 0: the caller's problem as it is): the start, if one is asked for, and the method.
static perp_error run_block(perp_solver *s, int32_t g, perp_run *run) {
  const perp_problem *problem = s->problem;
  const presolve *p = &s->reduced;
  const int all = (s->method->traits & PERP_TRAIT_ALL) != 0;
  run_spec spec = {.method = s->method, .options = &s->options, .A = problem->A, .b = problem->b,
                   .lo = problem->lo, .hi = problem->hi, .x = s->x,
                   .y = g < 0 ? s->judge.y : NULL, .y_known = &s->y_known, .judged = g < 0 && !all,
                   .residual = g < 0 ? s->guess_residual : -1.0,
                   .only_sweeps = s->judge.look.hurried,   // no look at A fitted in
                   .iteration_limit = s->options.iteration_limit, .deadline = s->deadline};
  double *guess = NULL;
  if (g >= 0) {
    const int32_t first = p->block[g];
    spec.A = perp_from_csc(&p->csc[g], problem->A.claims);
    spec.b = p->b + first;
    spec.lo = problem->lo != NULL ? p->lo + first : NULL;
    spec.hi = problem->hi != NULL ? p->hi + first : NULL;
    spec.index = p->index + first;
    guess = p->diagonal + first;   // free again after presolve_run
    for (int32_t k = 0; k < spec.A.n; k++) guess[k] = s->x[spec.index[k]];
    spec.x = guess;
  }
  *run = (perp_run){.reason = PERP_STATUS_UNSOLVED};
  perp_error error = PERP_OK;
  const perp_method *first = start_method(&s->options);
  if (first != NULL && !all) {
    const perp_options options = start_options(&s->options, first);
    run_spec start = spec;
    start.method = first;
    start.options = &options;
    start.judged = 0;
    start.iteration_limit = least(s->options.start.iterations, spec.iteration_limit);
    error = run_execute(s, &start, s->runs, run);
    s->inner_iterations += run->inner_iterations;
    spec.iteration_limit -= run->iterations;
    spec.residual = -1.0;
  }
  const int hasty = solver_hastens(s, &spec.A, s->deadline);
  const perp_options instead = hasty ? start_options(&s->options, s->method->hasty) : s->options;
  if (hasty) {
    spec.method = s->method->hasty;
    spec.options = &instead;
  }
  if (error == PERP_OK && run->reason != PERP_STATUS_SOLVED && run->reason != PERP_STATUS_STOPPED)
    error = run_execute(s, &spec, s->runs, run);
  if (error != PERP_OK) return error;
  if (hasty && run->reason != PERP_STATUS_SOLVED) {
    char why[sizeof run->message];
    plain_print(why, sizeof why, "%s", run->message);
    plain_print(run->message, sizeof run->message, "there was no time for a factor, only for %s. "
                "%.800s", spec.method->name, why);
  }
  for (int32_t k = 0; g >= 0 && k < spec.A.n; k++) s->x[spec.index[k]] = guess[k];
  s->inner_iterations += run->inner_iterations;
  s->factorizations += run->factorizations;
  if (run->factor_nonzeros > s->factor_nonzeros) s->factor_nonzeros = run->factor_nonzeros;
  s->solutions += run->solutions;
  return PERP_OK;
}

// The outcome is that of the first block not solved, else of the largest; a proof is of the whole.
typedef struct tally { perp_run *outcome; int all_solved; int32_t largest; } tally;

static void count_block(tally *t, const perp_run *run, int32_t n) {
  const int solved = run->reason == PERP_STATUS_SOLVED;
  if ((!solved && t->all_solved) || (t->all_solved && n > t->largest) ||
      status_is_proof(run->reason)) {
    *t->outcome = *run;
    t->largest = n;
  }
  t->all_solved &= solved;
}

// Blocks of n rows take about n^1.5. Where by those that are done the others should end in time,
// the last sweeps get little of it. begin: when the first one began
static void expect_blocks(perp_solver *s, double begin, double done, double all_blocks) {
  if (!(s->reserve > 0.0) || !(done > 0.0)) return;
  const double end = begin + (solver_seconds(s) - begin)*all_blocks/done;
  const double brief = solver_brief(s, end, s->deadline + s->reserve);
  s->deadline += s->reserve - brief;
  s->reserve = brief;
}

static double work_of_block(const presolve *p, int32_t g) {
  const double n = p->csc[g].columns;
  return n*sqrt(n);
}

// All blocks, the largest last. A time limit does not change that: a block that gets a share of the
// time only may miss a solution that there is time for.
static perp_error run_blocks(perp_solver *s, perp_run *outcome) {
  const presolve *p = &s->reduced;
  const int32_t blocks = p->blocks;
  int32_t last = 0;
  double done = 0.0, all_blocks = 0.0;
  for (int32_t g = 0; g < blocks; g++) {
    if (p->csc[g].columns > p->csc[last].columns) last = g;
    all_blocks += work_of_block(p, g);
  }
  const double begin = s->timed ? solver_seconds(s) : 0.0, reserve = s->reserve;
  tally t = {outcome, 1, -1};
  for (int32_t k = 0; k < blocks; k++) {
    const int32_t g = k + 1 < blocks ? k + (k >= last) : last;
    perp_run run;
    s->waiting = blocks - 1 - k;
    if (s->reserve == reserve) expect_blocks(s, begin, done, all_blocks);   // nothing has cut it
    const perp_error error = run_block(s, g, &run);
    if (error != PERP_OK) return error;
    done += work_of_block(p, g);
    count_block(&t, &run, p->csc[g].columns);
    if (run.reason == PERP_STATUS_STOPPED || status_is_proof(run.reason)) break;
    // There may be very many blocks: none begins when the time is over.
    if (run.reason == PERP_STATUS_TIME_LIMIT && solver_seconds(s) >= s->deadline) break;
  }
  s->waiting = 0;
  return PERP_OK;
}

// The runs of one pass: with presolve, a run per block on what is left; without,
// one on the caller's problem.
static perp_error run_all(perp_solver *s, int presolving, perp_run *outcome) {
  const perp_problem *problem = s->problem;
  presolve *p = &s->reduced;
  const int may_turn = presolving && s->options.presolve &&
                       !(s->method->needs & (PERP_NEEDS_SYMMETRIC | PERP_NEEDS_NEARLY_SYMMETRIC));
  s->turns = may_turn && kkt_turned(&s->judge, p->turned) > 0;
  const int smaller = presolving &&
                      presolve_run(p, problem, s->judge.entries, s->judge.component,
                                   s->judge.components, s->options.presolve, s->options.split,
                                   s->turns, s->x);
  s->was_reduced = smaller;
  if (smaller && s->options.presolve) solver_forgive_contradictions(s);
  *outcome = (perp_run){.reason = PERP_STATUS_UNSOLVED, .credit = s->method};
  const int32_t empty = presolving ? p->infeasible : s->judge.infeasible;
  if (empty >= 0) {
    empty_row(s, empty, outcome);
    return PERP_OK;
  }
  if (!smaller) return run_block(s, -1, outcome);
  if (p->blocks > 0) return run_blocks(s, outcome);
  outcome->reason = PERP_STATUS_SOLVED;
  if (problem->A.n == 1) strcpy(outcome->message, "presolve found the value of x");
  else
    plain_print(outcome->message, sizeof outcome->message, "presolve found all %d values",
                problem->A.n);
  return PERP_OK;
}

// What a run has seen besides its own way, where it is better than what came of that.
static perp_error take_seen(perp_solver *s, perp_certificate *certificate) {
  if (!(s->seen_residual < certificate->residual)) return PERP_OK;
  copy(s, s->x, s->judge.x);
  perp_certificate seen;
  const perp_error error = solver_check(s, s->seen, 0, &seen);
  if (error != PERP_OK) return error;
  if (seen.solved || seen.residual < certificate->residual) *certificate = seen;
  else copy(s, s->judge.x, s->x);
  return PERP_OK;
}

// The last part of the time goes to sweeps from the best x, on the problem as it is. The best x is
// kept in s->seen, and is the answer if the sweeps make it worse.
static perp_error sweep_last(perp_solver *s, perp_run *outcome, perp_certificate *certificate) {
  const perp_problem *problem = s->problem;
  copy(s, s->x, s->judge.x);
  copy(s, s->seen, s->judge.x);
  s->seen_residual = certificate->residual;
  run_spec spec = {.method = s->method, .options = &s->options, .A = problem->A, .b = problem->b,
                   .lo = problem->lo, .hi = problem->hi, .x = s->x, .residual = -1.0,
                   .only_sweeps = 1, .iteration_limit = s->options.iteration_limit,
                   .deadline = s->deadline};
  perp_run run;
  s->judged = 0;
  s->reserve = 0.0;   // it is now
  perp_error error = run_execute(s, &spec, s->runs, &run);
  if (error != PERP_OK) return error;
  s->inner_iterations += run.inner_iterations;
  perp_certificate after = s->verdict;   // of x, where the last check was the certificate
  if (!s->judged) error = solver_check(s, s->x, 1, &after);
  if (error != PERP_OK) return error;
  if (after.solved || after.residual < certificate->residual) outcome->credit = run.credit;
  *certificate = after;
  if (after.solved) *outcome = run;
  return after.solved ? PERP_OK : take_seen(s, certificate);
}

// The runs, and the certificate of what came of them. Where that is worse than *certificate, which
// is that of x before the runs, x stays as it was. kept (n): that x; NULL: it is the guess.
static perp_error run_and_judge(perp_solver *s, int presolving, perp_run *outcome,
                                const double *guess, const double *kept,
                                perp_certificate *certificate) {
  const perp_method *found_before = outcome->credit;
  s->judged = 0;
  const perp_error error = run_all(s, presolving, outcome);
  if (error != PERP_OK) return error;
  const perp_certificate before = *certificate;
  const int found = s->was_reduced || s->judged || outcome->reason == PERP_STATUS_SOLVED ||
                    outcome->reason == PERP_STATUS_MEASURE ||
                    outcome->residual < (double)INFINITY;   // otherwise x is still the old one
  if (found && !s->judged) {
    const int far = !(outcome->residual <= 100.0*s->options.tol);
    const perp_error failed = solver_check(s, s->x, far, certificate);
    if (failed != PERP_OK) return failed;
  } else if (found) {
    *certificate = s->verdict;   // the last check was the certificate
  }
  const int worse = !certificate->solved && certificate->residual > before.residual;
  const int of_all = (s->method->traits & PERP_TRAIT_ALL) && s->solutions > 0;
  if (found && (!worse || outcome->reason == PERP_STATUS_MEASURE || of_all))
    return PERP_OK;
  if (kept != NULL) {
    copy(s, s->x, kept);
    outcome->credit = found_before;
  } else {
    set_guess(s, guess);
  }
  copy(s, s->judge.x, s->x);
  *certificate = before;
  return PERP_OK;
}

// Presolve moves columns into b, and blocks are judged alone. Where every block was solved and the
// whole is not, or where a reduced problem seems to have no solution, rounding may be why: run on
// the problem as it is, from that x.
static perp_error run_as_it_is(perp_solver *s, perp_run *outcome, perp_certificate *certificate) {
  double *kept = s->reduced.diagonal;   // n: nothing of presolve is needed any more
  copy(s, kept, s->judge.x);
  s->y_known = 0;
  s->guess_residual = -1.0;
  return run_and_judge(s, 0, outcome, NULL, kept, certificate);
}

// A run ends at x as it is. The certificate first moves x onto the bounds that y points to, and
// rows with small data may fail there. Then the run continues from x, to a smaller tolerance. What
// it proves by that tolerance is not proven by the caller's.
static perp_error run_closer(perp_solver *s, perp_run *outcome, perp_certificate *certificate) {
  const double tol = s->options.tol;
  double smaller = tol;
  for (int k = 0; k < CLOSER && !certificate->solved && outcome->reason == PERP_STATUS_SOLVED &&
                  !(s->timed && solver_seconds(s) >= s->deadline); k++) {
    s->y_known = s->judged = 0;
    s->guess_residual = -1.0;
    s->options.tol = smaller *= 1e-2;
    perp_error error = run_all(s, 0, outcome);
    s->options.tol = tol;
    if (error == PERP_OK) error = solver_check(s, s->x, 0, certificate);
    if (error != PERP_OK) return error;
  }
  if (status_is_proof(outcome->reason))
    *outcome = (perp_run){.reason = PERP_STATUS_UNSOLVED, .credit = outcome->credit};
  return PERP_OK;
}

// No limit and no proof ended the runs.
static int gave_up(perp_status reason) {
  return reason != PERP_STATUS_TIME_LIMIT && reason != PERP_STATUS_ITERATION_LIMIT &&
         reason != PERP_STATUS_STOPPED && reason != PERP_STATUS_MEASURE &&
         reason != PERP_STATUS_NO_SOLUTION && !status_is_proof(reason);
}

// No answer is worse than x_ref or the guess, whatever ended the runs: judge.x and its certificate
// become those of the better one where it is. by: who found x
static void take_best(perp_solver *s, const perp_method *by, const double *guess,
                      perp_certificate reference, perp_certificate of_guess,
                      perp_certificate *certificate) {
  const perp_problem *problem = s->problem;
  const int zero = reference.residual < of_guess.residual;
  const perp_certificate *best = zero ? &reference : &of_guess;
  const int knows_contacts = (by->needs & PERP_NEEDS_CONTACTS) != 0;   // and their units
  const int comparable = !(s->judge.look.hurried && s->judge.look.unitless) || knows_contacts;
  if (comparable && certificate->residual <= best->residual) return;
  if (!zero) set_guess(s, guess);
  for (int32_t i = 0; zero && i < problem->A.n; i++)
    s->x[i] = clamp(0.0, lower(problem->lo, i), upper(problem->hi, i));
  if (!comparable && solver_no_worse(s, s->judge.x, s->x)) return;
  copy(s, s->judge.x, s->x);
  *certificate = *best;
}

// The certified residual ends the trace: what a method estimates on the way can differ from it.
// Where all places are taken the end is worth more than the entry before it.
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

// x passes what there was time for, which proves little: the whole certificate, if there is time
// for that now.
static perp_error judge_again(perp_solver *s, perp_run *outcome, perp_certificate *certificate) {
  copy(s, s->x, s->judge.x);
  perp_error error = solver_prepare(s, s->problem, s->deadline, 1.0);
  if (error == PERP_OK && !s->judge.look.hurried) return solver_check(s, s->x, 0, certificate);
  certificate->solved = certificate->attainable = 0;
  copy(s, s->judge.x, s->x);
  outcome->reason = PERP_STATUS_TIME_LIMIT;
  strcpy(outcome->message, "the time limit left no time for the certificate on all of A, only for "
                           "a weaker one, which x passes");
  return error;
}

static perp_error solve(perp_solver *s, const perp_problem *problem, double *x,
                        perp_result *result, int known) {
  const perp_options *options = &s->options;
  const perp_dense *small = solver_small_dense(s, problem, x);
  small_dense_answer answer;
  const double within = small_dense_demand(options->tol, options->componentwise_tol);
  const small_dense_end end = small != NULL ? small_dense_solve(problem, small, x, within, &answer)
                                      : SMALL_DENSE_NONE;
  if (end >= SMALL_DENSE_REFERENCE) {
    solver_finish_quickly(s, end, &answer, problem->A.n, x, result);
    return PERP_OK;
  }
  s->clock = options->clock != NULL ? options->clock : clock_now;
  s->start = clock_start(s);
  perp_error error = validate(s, problem, x, known);
  if (error != PERP_OK) return error;
  const int32_t n = problem->A.n;
  s->problem = problem;
  if (run_lends(s->method, &s->limits, &s->options)) s->farkas = run_lent(s->runs, n);
  s->iterations = s->inner_iterations = s->factorizations = s->trace_count = 0;
  s->solutions = s->factor_nonzeros = 0;
  s->trace_stride = 1;
  s->seen_residual = (double)INFINITY;
  s->waiting = 0;
  s->error = PERP_OK;
  s->slight = (contradiction){.row = -1};
  s->timed = options->time_limit < (double)INFINITY;
  s->watching = s->timed || options->on_iteration != NULL || options->trace_capacity > 0;
  const double until = s->timed ? LOOK_PART*options->time_limit : (double)INFINITY;
  const double validated = s->timed ? solver_seconds(s) : 0.0;
  s->validation = validated;
  if ((error = solver_prepare(s, problem, until, solver_part_to_look(s, problem))) != PERP_OK)
    return error;
  const int hurried = s->judge.look.hurried;
  if (s->timed) solver_guess_pace(s, validated, solver_seconds(s) - validated);
  s->y_known = 1;   // of x_ref

  // x_ref is tried first, then the guess, then what small_dense.c has left open.
  const int looks_for_all = (s->method->traits & PERP_TRAIT_ALL) != 0;
  perp_run outcome = {.reason = PERP_STATUS_SOLVED, .credit = s->method};
  perp_certificate certificate, of_guess = {0};
  if ((error = solver_attempt(s, x, &certificate)) != PERP_OK) return error;
  const int attempted = certificate.solved;
  if (!attempted)
    s->judge.ops->check_reference(&s->judge, options->tol, options->absolute_tol, &certificate);
  const perp_certificate of_reference = certificate;
  if (!certificate.solved || looks_for_all) {
    if (set_guess(s, x)) s->judge.ops->take_reference(&s->judge);
    else error = solver_check(s, s->x, 1, &certificate);
    if (error != PERP_OK) return error;
    s->guess_residual = s->judge.ops->measures ? certificate.residual : -1.0;
    of_guess = certificate;
    if (!certificate.solved && end == SMALL_DENSE_CANDIDATE) {
      s->y_known = 0;
      perp_certificate candidate;
      if ((error = solver_check(s, answer.x, 0, &candidate)) != PERP_OK) return error;
      if (candidate.solved) {
        certificate = candidate;
        outcome.credit = s->quick;
        s->iterations = answer.rounds;
        solver_quick_message(end, outcome.message);
      }
    }
  } else if (!attempted) {
    copy(s, s->x, s->judge.x);   // x_ref
    strcpy(outcome.message, "the point of the box nearest to 0 is a solution");
  }
  if (s->timed && !certificate.solved && (error = solver_doubt_pace(s)) != PERP_OK) return error;
  const double setup_seconds = solver_seconds(s);
  const double all = options->time_limit - solver_kept(s, options->time_limit - setup_seconds);
  const int sweeps_last = s->timed && s->judge.ops->by_entries && (s->method->traits & PERP_TRAIT_META) &&
                          s->method->hasty != NULL;
  s->reserve = sweeps_last ? last_seconds(s, all - setup_seconds) : 0.0;
  s->reserve = solver_brief(s, setup_seconds + solver_pivots(s, &problem->A), all);
  s->end = all;
  s->deadline = all - s->reserve;

  if (!certificate.solved || looks_for_all) {
    const double needed = run_least_products(&problem->A, PRODUCTS)*pace_least(&s->once);
    const int presolving = (options->presolve || options->split) && s->judge.ops->by_entries &&
                           !hurried &&
                           !(s->timed && needed > s->deadline - setup_seconds) &&
                           !solver_hastens(s, &problem->A, s->deadline);
    if (setup_seconds >= s->deadline) {
      outcome.reason = PERP_STATUS_TIME_LIMIT;
      strcpy(outcome.message, "the time limit was reached before the first iteration");
      copy(s, s->judge.x, s->x);
    } else {
      error = run_and_judge(s, presolving, &outcome, x, NULL, &certificate);
    }
    const int in_doubt = !certificate.solved && s->was_reduced &&
                         (outcome.reason == PERP_STATUS_SOLVED ||
                          outcome.reason == PERP_STATUS_NO_SOLUTION);
    const int late = s->timed && solver_seconds(s) >= s->deadline;
    if (in_doubt && late && outcome.reason == PERP_STATUS_SOLVED) {
      outcome.reason = PERP_STATUS_TIME_LIMIT;
      strcpy(outcome.message, "the time limit was reached");
    } else if (error == PERP_OK && in_doubt && !late) {
      error = run_as_it_is(s, &outcome, &certificate);
    }
    if (error == PERP_OK && !certificate.solved && outcome.reason == PERP_STATUS_SOLVED &&
        certificate.residual <= options->tol && certificate.componentwise > 0.0)
      error = run_closer(s, &outcome, &certificate);
    s->deadline = all;
    if (error == PERP_OK && !certificate.solved) error = take_seen(s, &certificate);
    if (error == PERP_OK && !certificate.solved && !looks_for_all && gave_up(outcome.reason))
      error = solver_refine(s, &certificate);
    if (error == PERP_OK && sweeps_last && !certificate.solved &&
        outcome.reason == PERP_STATUS_TIME_LIMIT && solver_seconds(s) < all)
      error = sweep_last(s, &outcome, &certificate);
    if (error != PERP_OK) return error;
    if (!certificate.solved && outcome.reason != PERP_STATUS_MEASURE && !looks_for_all)
      take_best(s, outcome.credit, x, of_reference, of_guess, &certificate);
  }
  if (certificate.solved && hurried && (error = judge_again(s, &outcome, &certificate)) != PERP_OK)
    return error;
  if (certificate.solved && !looks_for_all &&
      (error = solver_snap(s, &certificate)) != PERP_OK)
    return error;
  team_copy(s->threads, x, s->judge.x, n);   // clamped
  // presolve or the guess left nothing to enumerate
  if (looks_for_all && certificate.solved && s->solutions == 0) {
    s->solutions = 1;
    outcome.complete |= s->judge.n == 0 || outcome.reason == PERP_STATUS_SOLVED;
    if (options->on_solution != NULL) options->on_solution(options->context, x, n, 0);
  }
  if (certificate.solved) solver_find_contradiction(s);
  *result = (perp_result){.setup_seconds = setup_seconds, .certificate = certificate};
  result->status = certificate.solved                         ? PERP_STATUS_SOLVED
                   : outcome.reason == PERP_STATUS_SOLVED ? PERP_STATUS_UNSOLVED
                                                              : outcome.reason;
  if (status_is_proof(result->status)) {
    result->radius = s->radius;
    if (options->farkas != NULL) memcpy(options->farkas, s->farkas, (size_t)n*sizeof *s->farkas);
  }
  finish_trace(s, certificate.residual);
  result->complete = looks_for_all && outcome.complete;
  result->method = outcome.credit;
  result->iterations = s->iterations;
  result->inner_iterations = s->inner_iterations;
  result->factorizations = s->factorizations;
  result->factor_nonzeros = s->factor_nonzeros;
  result->regularization = outcome.regularization;
  result->trace_count = s->trace_count;
  result->trace_stride = s->trace_stride;
  result->solutions = s->solutions;
  solver_message(s, &outcome, result);
  result->seconds = solver_seconds(s);
  return PERP_OK;
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
  if (error == PERP_OK) error = method_fits(s->method, problem);
  if (error != PERP_OK) return error;
  s->problem = problem;
  s->clock = s->options.clock != NULL ? s->options.clock : clock_now;
  s->start = clock_start(s);
  s->timed = s->options.time_limit < (double)INFINITY;
  if ((error = solver_prepare(s, problem, (double)INFINITY, 1.0)) != PERP_OK) return error;
  for (int32_t i = 0; i < problem->A.n; i++) s->x[i] = 1.0;   // no product is spared
  perp_certificate certificate;   // how long it takes is what is wanted
  return solver_check(s, s->x, 1, &certificate);
}

perp_error perp_solver_set_time_limit(perp_solver *s, double seconds) {
  if (s == NULL)
    return error_set(PERP_ERROR_ARGUMENT, "perp_solver_set_time_limit: solver is NULL");
  if (!(seconds > 0.0 && seconds < (double)INFINITY))
    return error_set(PERP_ERROR_OPTION, "time_limit = %.10g is outside (0, inf)", seconds);
  if (!(s->options.time_limit < (double)INFINITY))
    return error_set(PERP_ERROR_OPTION, "the solver was created without a time limit; give "
                     "perp_solver_create() any finite one");
  s->options.time_limit = seconds;
  for (int32_t k = 0; s->lanes != NULL && k + 1 < s->limits.lanes; k++)
    s->lanes[k]->options.time_limit = seconds;
  return PERP_OK;
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
