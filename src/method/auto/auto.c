// auto.c: tries methods in order until the certificate accepts x, and reports what it tried.
//
// select.c examines A and lists the methods. Each method is a rung and starts from the best x so
// far. The certificate decides whether x is a solution, not the method. A proof that there is no
// solution (a checked Farkas vector, or a complete enumeration) also ends the search.
// Converges if one of the methods converges. Cost: that of the methods tried.
//
// A time limit changes neither the methods nor their order, and each method may use all of the
// remaining time. So a limit that is longer than the solve takes without one does not change the
// answer. The driver keeps the last part of the time for sweeps (only_sweeps).
#include <string.h>

#include "active_set_grid.h"
#include "error.h"
#include "feasibility.h"
#include "grid.h"
#include "methods.h"
#include "pivoting.h"
#include "plain.h"
#include "run.h"
#include "select.h"
#include "sweep.h"

// Residual below which a few iterations of nncg may finish the guess. Then a problem that was
// solved in the frame before needs no factorisation.
#define GUESS_RESIDUAL_MAX 1e-4

typedef struct report {
  char text[720];   // which rungs ran, why, and how they ended
  size_t used;
} report;

static void write(report *to, const char *word) {   // plain_print() is too slow for tiny problems
  while (*word != '\0' && to->used + 1 < sizeof to->text) to->text[to->used++] = *word++;
  to->text[to->used] = '\0';
}

// by: the method that found x, if the rung's method handed over to it; otherwise NULL
static void tell(report *to, const rung *r, const char *outcome, const perp_method *by,
                 double sigma) {
  const char *const words[] = {to->used > 0 ? ", " : "",
                               r->method != NULL ? r->method->name : "search for a proof", " (",
                               r->why, "): ", outcome, by != NULL ? " by " : "",
                               by != NULL ? by->name : ""};
  for (size_t k = 0; k < sizeof words/sizeof words[0]; k++) write(to, words[k]);
  if (!(sigma > 0.0)) return;
  char number[48];
  plain_print(number, sizeof number, " with sigma = %.2g", sigma);
  write(to, number);
}

static perp_status climb(perp_run *run, const rung *r) {
  run->regularization = 0.0;
  if (r->method == NULL)
    return feasibility_search(run) ? run->reason : PERP_STATUS_UNSOLVED;
  perp_options options = child_options(run, r->method);
  if (r->omega > 0.0) options.sweep.omega = r->omega;
  if (r->shift > 0.0) options.proximal.shift = r->shift;
  return run_child(run, r->method, &options, r->iterations, (double)INFINITY);
}

typedef struct ascent {
  perp_run *run;
  report told;
  int symmetric;     // A is symmetric
  int hint;          // a method ended on a ray
  int searched;      // a proof was searched for
  int late;          // a method ran out of time
} ascent;

// Runs one method. 1: auto is done.
static int step(ascent *a, const rung *r) {
  perp_run *run = a->run;
  const perp_status status = climb(run, r);
  const perp_method *by = status == PERP_STATUS_SOLVED && run->credit != r->method ? run->credit
                                                                                   : NULL;
  if (r->method != NULL && run->child_refused) return 0;   // the method did not run
  tell(&a->told, r, r->method != NULL || status_is_proof(status)
                        ? perp_status_name(status) : "none found", by, run->regularization);
  a->late |= r->method != NULL && status == PERP_STATUS_TIME_LIMIT;
  a->searched |= r->method == NULL;
  if (status == PERP_STATUS_SOLVED || status_is_proof(status)) {
    run_stop(run, status, " ");   // no effect if the run has ended already
    return 1;
  }
  if (run_ended(run)) return 1;
  if (run->rounded) {
    run_stop(run, status, "the remaining residual is the rounding of x, and no other method can "
             "reduce it");
    return 1;
  }
  if (status == PERP_STATUS_NO_SOLUTION) {
    // Every candidate failed, which proves it. A Farkas vector would be better, because the caller
    // can check it, so search for one.
    if (!feasibility_search(run)) run_stop(run, status, " ");
    return 1;
  }
  // A ray is a hint that there is no solution. If A is symmetric, the ray may come from a singular
  // A instead; the next method is then faster than a search for a proof, and runs first.
  const int ray = status == PERP_STATUS_RAY, wait = ray && a->symmetric && !a->hint;
  const int hint = ray || a->hint;
  a->hint = hint;
  if (!hint || wait || a->searched) return 0;
  a->searched = 1;
  return feasibility_search(run);
}

// The message: a sentence about a proof, limit or error if there is one, then the methods tried.
static void finish(perp_run *run, const report *told) {
  char first[280] = "";
  if (run->message[0] != '\0' && strcmp(run->message, " ") != 0)
    plain_print(first, sizeof first, "%.270s. ", run->message);
  strcpy(run->message, first);
  strcat(run->message, "auto ran ");
  strcat(run->message, told->text);
}

static void run_auto(perp_run *run) {
  const perp_grid *grid = grid_of(&run->A);
  if (grid != NULL) {   // other methods would be slower, and a child takes memory
    run->credit = &method_active_set;
    active_set_grid(run, grid);
    return;
  }
  outlook f = {0};
  rung rungs[SELECT_RUNGS_MAX];
  const int at_once = run->only_sweeps;
  int32_t count = !at_once ? 0 : select_sweeps(&run->A, run->lo, run->hi, sweeper_for(run),
                                               run->options->iteration_limit, rungs);
  run->only_child = count == 1;
  if (count == 0) {
    const perp_deadline deadline = run_deadline(run);
    const int code = select_look(&run->A, run->facts, run->lo, run->hi, run_allocator(run),
                                 &deadline, &f);
    if (code == -2) run_no_memory(run, "examining A");
    if (code == -1) run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit left no time to examine A");
    if (code != 0) return;
    count = select_rungs(&f, run->options->iteration_limit, rungs);
  }
  if (!run_continue(run)) return;
  ascent a = {.run = run, .symmetric = f.symmetric};
  const rung brief = {&method_nncg, SELECT_FIRST_SWEEPS, 0.0, 0.0, "the guess is nearly right"};
  const int near = run->residual > 0.0 && run->residual <= GUESS_RESIDUAL_MAX;
  int over = 0;
  if (near && f.symmetric && f.sweeps && f.A.positive && f.n > SELECT_TINY_ROWS_MAX)
    over = step(&a, &brief);
  // If a method runs out of time, the driver's last sweeps get the remaining time.
  for (int32_t k = 0; k < count && !over && (at_once || !a.late); k++) over = step(&a, &rungs[k]);
  run->last_resort = 1;
  if (!over && !at_once && !a.late) over = feasibility_search(run);
  if (!over && (a.late || at_once))
    run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit was reached");
  else if (!over) run_stop(run, PERP_STATUS_UNSOLVED, " ");
  finish(run, &a.told);
}

perp_error perp_auto_plan(const perp_problem *problem, char *text, size_t size) {
  if (text == NULL || size == 0)
    return error_set(PERP_ERROR_ARGUMENT, "perp_auto_plan: text is NULL");
  const perp_error error = perp_validate(problem);
  if (error != PERP_OK) return error;
  const perp_options options = perp_default_options(&method_auto);
  outlook f;
  rung rungs[SELECT_RUNGS_MAX];
  if (select_look(&problem->A, &(facts){0}, problem->lo, problem->hi, NULL, NULL, &f) != 0)
    return error_set(PERP_ERROR_MEMORY, "perp_auto_plan: no memory for n = %d", problem->A.n);
  const int32_t count = select_rungs(&f, options.iteration_limit, rungs);
  text[0] = '\0';
  for (int32_t k = 0; k < count; k++) {
    const size_t used = strlen(text);
    plain_print(text + used, size - used, "%s%s (%s)", used > 0 ? ", then " : "",
                rungs[k].method != NULL ? rungs[k].method->name : "search for a proof", rungs[k].why);
  }
  return PERP_OK;
}

// Memory for the cheap methods is reserved in advance, and for small problems also that of the
// first method. The other methods allocate when they start.
static size_t bytes(const perp_limits *limits, const perp_options *options) {
  const perp_method *const ready[] = {&method_nncg, &method_apgd, &method_pgs, &method_psor,
                                      &method_southwell};
  size_t most = 0;
  if (limits->grid) return grid_bytes(limits->n);
  for (size_t k = 0; k < sizeof ready/sizeof ready[0]; k++) {
    const size_t need = child_bytes(ready[k], limits, options);
    most = need > most ? need : most;
  }
  if (limits->n < PIVOTING_SMALL_ROWS) {
    perp_limits tiny = *limits;
    tiny.n = tiny.n < SELECT_TINY_ROWS_MAX ? tiny.n : SELECT_TINY_ROWS_MAX;
    const size_t pivots = child_bytes(&method_dantzig, limits, options),
                 all = child_bytes(&method_enumerate, &tiny, options);
    most = pivots > most ? pivots : most;
    most = all > most ? all : most;
  }
  return most;
}

const perp_method method_auto = {
  .name = "auto", .tier = PERP_TIER_CHOOSE,
  .use = "any problem; looks at A and tries methods in turn",
  .title = "tries the methods that suit A in turn",
  .source = "this library",
  .formula = "small: pivots; contacts: contact_newton, sweeps, lemke; symmetric: active_set, "
             "interior_point; other: lemke, fischer_newton; each from the best iterate so far",
  .converges = "where one of the methods it tries does",
  .cost = "that of the methods it tries",
  .advice = "Run `perp classify`, and choose a method by hand.",
  .hint = "Run `perp classify`, and choose a method by hand.",
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD | 1u << PERP_CLASS_H,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME | PERP_TRAIT_SPLITS | PERP_TRAIT_META |
            PERP_TRAIT_QUICK | PERP_TRAIT_GRID,
  .bytes = bytes,
  .run = run_auto,
  .hasty = &method_southwell,
  .iteration = "Newton",   // on grids; otherwise those of the method that runs
};
