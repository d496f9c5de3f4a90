// run_memory.c: the memory of a run. One layout serves for counting bytes and for taking them.
#include "driver.h"
#include "error.h"
#include "plain.h"

run_arrays run_layout(arena *memory, int32_t n, size_t scratch, int lean, int previous) {
  const size_t m = (size_t)n;
  run_arrays r = {0};
  double **const all[] = {&r.x, &r.weight, &r.best, &r.y, &r.b, &r.lo, &r.hi, &r.R, &r.C, &r.a};
  const size_t count = lean ? 3 : sizeof all/sizeof all[0];
  for (size_t k = 0; k < count; k++) *all[k] = ARENA_ARRAY(memory, double, m);
  if (previous) r.previous = ARENA_ARRAY(memory, double, m);
  r.scratch = arena_take(memory, scratch, 1);
  return r;
}

int run_is_lean(const perp_method *method, const perp_limits *limits,
                const perp_options *options) {
  const uint32_t scales = PERP_TRAIT_SCALES | PERP_TRAIT_EQUILIBRATE;
  return limits->grid && ((method->traits & PERP_TRAIT_GRID) ||
                          !(options->scale && (method->traits & scales)));
}

int run_lends(const perp_method *method, const perp_limits *limits, const perp_options *options) {
  return run_is_lean(method, limits, options) &&
         (method->traits & (PERP_TRAIT_META | PERP_TRAIT_GRID)) != 0;
}

double *run_lent(arena runs, int32_t n) { return run_layout(&runs, n, 0, 1, 0).weight; }

size_t run_scratch(size_t operator_bytes, int32_t n, int lean) {
  const size_t matrix = lean ? 0 : (size_t)n*sizeof(double);
  return (operator_bytes > matrix ? operator_bytes : matrix) + 8*matrix + 1024;
}

// Bytes for the method itself. A method with an n_max gets no larger problem, for any limits.
static size_t method_bytes(const perp_method *method, const perp_limits *limits,
                           const perp_options *options) {
  perp_limits own = *limits;
  if (method->n_max > 0 && own.n > method->n_max) own.n = method->n_max;
  return method->bytes != NULL ? method->bytes(&own, options) : 0;
}

size_t child_bytes(const perp_method *method, const perp_limits *limits,
                   const perp_options *options) {
  arena count = {0};
  const int lean = run_is_lean(method, limits, options);
  run_layout(&count, limits->n, run_scratch(limits->scratch, limits->n, lean), lean,
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
