// auto.c: chooses, watches, falls back, certifies, and says why.
//
// select.c looks at the matrix and lists the rungs; each starts from the best iterate so far.
// The certificate decides, not the rung; what a rung proves (no solution among all candidates, a
// checked Farkas vector) ends the climb as well.
#include <stdio.h>
#include <string.h>

#include "error.h"
#include "feasibility.h"
#include "methods.h"
#include "run.h"
#include "select.h"

enum { READY = 64 };   // rows: 64 KB for the pivots

static void tell(char *tried, size_t size, const rung *r, const char *outcome) {
  const char *const words[] = {tried[0] != '\0' ? ", " : "",
                               r->method != NULL ? r->method->name : "search for a proof", " (",
                               r->why, "): ", outcome};
  size_t used = strlen(tried);   // by hand: formatting takes as long as a tiny problem
  for (size_t k = 0; k < sizeof words/sizeof words[0]; k++)
    for (const char *c = words[k]; *c != '\0' && used + 1 < size; c++) tried[used++] = *c;
  tried[used] = '\0';
}

static perp_status climb(perp_run *run, const rung *r) {
  if (r->method == NULL)
    return feasibility_search(run) ? PERP_STATUS_INFEASIBLE : PERP_STATUS_UNSOLVED;
  perp_options options = child_options(run, r->method);
  if (r->omega > 0.0) options.sweep.omega = r->omega;
  if (r->shift > 0.0) options.proximal.shift = r->shift;
  return run_child(run, r->method, &options, r->iterations, (double)INFINITY);
}

static void run_auto(perp_run *run) {
  facts f;
  rung rungs[SELECT_RUNGS];
  if (select_facts(&run->A, run->lo, run->hi, run_allocator(run), &f) != 0) {
    run_no_memory(run, "a look at A");
    return;
  }
  const int32_t count = select_rungs(&f, run->options->iteration_limit, rungs);
  char tried[760] = "";
  int searched = 0, pivots_failed = 0;
  if (!run_continue(run)) return;
  for (int32_t k = 0; k < count; k++) {
    if (rungs[k].method == NULL) searched = 1;
    const perp_status status = climb(run, &rungs[k]);
    if (rungs[k].method == NULL && status == PERP_STATUS_UNSOLVED) continue;   // not worth a word
    tell(tried, sizeof tried, &rungs[k], perp_status_name(status));
    pivots_failed |= status == PERP_STATUS_RAY;
    // Every candidate failed: a Farkas vector, where there is one, can be checked by others.
    run->last_resort = status == PERP_STATUS_NO_SOLUTION;
    if (status == PERP_STATUS_NO_SOLUTION && feasibility_search(run)) return;
    if (status == PERP_STATUS_SOLVED || status == PERP_STATUS_NO_SOLUTION ||
        status == PERP_STATUS_INFEASIBLE) {
      run_stop(run, status, " ");   // no effect where the rung has ended the run
      strcpy(run->message, "auto ran ");
      strcat(run->message, tried);
      return;
    }
    if (pivots_failed && !searched && feasibility_search(run)) return;   // a ray is a hint
    searched |= pivots_failed;
  }
  run->last_resort = 1;
  if (feasibility_search(run)) return;
  run_stop(run, PERP_STATUS_UNSOLVED, "auto ran %s", tried);
  snprintf(run->message, sizeof run->message, "auto ran %s", tried);
}

perp_error perp_auto_plan(const perp_problem *problem, char *text, size_t size) {
  if (text == NULL || size == 0)
    return error_set(PERP_ERROR_ARGUMENT, "perp_auto_plan: text is NULL");
  const perp_error error = perp_validate(problem);
  if (error != PERP_OK) return error;
  const perp_options options = perp_default_options(&method_auto);
  facts f;
  rung rungs[SELECT_RUNGS];
  if (select_facts(&problem->A, problem->lo, problem->hi, NULL, &f) != 0)
    return error_set(PERP_ERROR_MEMORY, "perp_auto_plan: no memory for n = %d", problem->A.n);
  const int32_t count = select_rungs(&f, options.iteration_limit, rungs);
  text[0] = '\0';
  for (int32_t k = 0; k < count; k++) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s (%s)", used > 0 ? ", then " : "",
             rungs[k].method != NULL ? rungs[k].method->name : "search for a proof", rungs[k].why);
  }
  return PERP_OK;
}

// The cheap rungs have their memory ready, small problems the first one too; the others take it
// when they are reached.
static size_t bytes(const perp_limits *limits, const perp_options *options) {
  const perp_method *const ready[] = {&method_nncg, &method_apgd, &method_pgs, &method_psor};
  size_t most = 0;
  for (size_t k = 0; k < sizeof ready/sizeof ready[0]; k++) {
    const size_t need = child_bytes(ready[k], limits, options);
    most = need > most ? need : most;
  }
  if (limits->n <= READY) {
    perp_limits tiny = *limits;
    tiny.n = tiny.n < SELECT_TINY ? tiny.n : SELECT_TINY;
    const size_t pivots = child_bytes(&method_dantzig, limits, options),
                 all = child_bytes(&method_enumerate, &tiny, options);
    most = pivots > most ? pivots : most;
    most = all > most ? all : most;
  }
  return most;
}

const perp_method method_auto = {
  .name = "auto",
  .title = "chooses, watches, falls back, certifies",
  .source = "this library",
  .formula = "small: pivots; contacts: sweeps, lemke; symmetric: nncg, interior_point; "
             "other: lemke, fischer_newton; each from the best iterate so far",
  .converges = "where one of the methods it tries does",
  .cost = "that of the methods it tries",
  .advice = "run `perp classify`, and choose a method by hand",
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD | 1u << PERP_CLASS_H,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME | PERP_TRAIT_SPLITS | PERP_TRAIT_META |
            PERP_TRAIT_QUICK,
  .bytes = bytes,
  .run = run_auto,
};
