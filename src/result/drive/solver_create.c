// solver_create.c: creates and destroys a solver: limits, memory in one block, lanes, threads.
#include <math.h>

#include "allocator.h"
#include "driver.h"
#include "error.h"
#include "farkas.h"
#include "grid.h"
#include "options.h"
#include "small_dense.h"

perp_limits perp_limits_of(const perp_problem *problem) {
  if (problem == NULL || !operator_is_given(&problem->A)) return (perp_limits){0};
  const size_t scratch = operator_scratch_bytes(&problem->A),
               sweep = operator_sweep_bytes(&problem->A);
  return (perp_limits){.n = problem->A.n, .nnz = problem_nnz(problem),
                       .scratch = scratch > sweep ? scratch : sweep,
                       .grid = grid_of(&problem->A) != NULL};
}

perp_error solver_check_capacity(const perp_solver *s, const perp_problem *problem) {
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

const perp_method *solver_start(const perp_options *options) {
  static const char *const names[] = {NULL, "pgs", "psor", "apgd"};
  return options->start.iterations > 0 ? perp_find_method(names[options->start.method]) : NULL;
}

perp_options solver_start_options(const perp_options *options, const perp_method *first) {
  perp_options own = *options;
  own.method = first;
  options_default(&own, first);
  if (options->start.method == PERP_START_GRADIENT) own.gradient.accelerate = 0;
  own.stop.tol = own.stop.relative = own.stop.stagnation = 0.0;   // these are for the main method
  return own;
}

static void solver_layout(perp_solver *s, arena *memory) {
  const int32_t n = s->limits.n;
  const judge_ops *judge = judge_for(&s->limits);
  const int entries = judge->by_entries;
  certifier_layout(&s->judge, memory, n, s->limits.scratch, judge);
  presolve_layout(&s->reduced, memory, entries ? n : 0,
                  s->options.presolve || s->options.split ? s->limits.nnz : 0);
  s->x = entries ? ARENA_ARRAY(memory, double, n) : s->judge.x;
  if (!run_lends(s->method, &s->limits, &s->options)) s->farkas = ARENA_ARRAY(memory, double, n);
  s->farkas_work = ARENA_ARRAY(memory, double, entries ? farkas_doubles(n) : 1);
  if (entries && s->options.time_limit < (double)INFINITY) s->seen = ARENA_ARRAY(memory, double, n);
  const int32_t lanes = s->limits.lanes > 1 ? s->limits.lanes - 1 : 0;
  s->lanes = ARENA_ARRAY(memory, perp_solver *, lanes);
  for (int32_t k = 0; s->lanes != NULL && k < lanes; k++) s->lanes[k] = NULL;
  const perp_method *first = solver_start(&s->options);
  size_t runs = child_bytes(s->method, &s->limits, &s->options);
  if (first != NULL) {
    const perp_options options = solver_start_options(&s->options, first);
    const size_t before = child_bytes(first, &s->limits, &options);
    runs = before > runs ? before : runs;
  }
  if (s->method->hasty != NULL && entries) {   // see solver_hastens()
    const perp_options options = solver_start_options(&s->options, s->method->hasty);
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

// Creates a solver for each lane of a batch except the first.
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

// 1: no option observes or limits the iterations, or asks for another algorithm.
static int options_allow_small_dense(const perp_options *o) {
  return (o->method->traits & PERP_TRAIT_QUICK) && o->on_iteration == NULL &&
         o->trace_capacity == 0 && o->iteration_limit >= SMALL_DENSE_ROUNDS &&
         o->stop.measure == PERP_MEASURE_NONE && o->stop.relative == 0.0 &&
         o->stop.stagnation == 0.0 && solver_start(o) == NULL && o->linear == NULL;
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
  if (method->traits & PERP_TRAIT_ALL) s->options.split = 0;   // it enumerates for all rows at once
  if (method->needs & PERP_NEEDS_CONTACTS) s->options.presolve = s->options.split = 0;
  s->small_dense_method =
      options_allow_small_dense(&s->options) ? perp_find_method("principal_pivoting") : NULL;
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
