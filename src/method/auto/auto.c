// auto.c: chooses, watches, falls back, certifies, and says why.
//
// select.c looks at the matrix and lists the rungs; each starts from the best iterate so far.
// The certificate decides, not the rung; what a rung proves (no solution among all candidates, a
// checked Farkas vector) ends the climb as well.
//
// A time limit changes neither the rungs nor their order, and each may take all of the time that is
// left: so a limit that is longer than the climb takes without one gives the same answer. The
// driver keeps the last part of the time for sweeps (only_sweeps), in case the climb does not end.
#include <string.h>

#include "active_set_grid.h"
#include "error.h"
#include "feasibility.h"
#include "grid.h"
#include "methods.h"
#include "plain.h"
#include "run.h"
#include "select.h"
#include "sweep.h"

enum { READY = 64,     // rows: 64 KB for the pivots
       LOOK = 10,      // products that a look at A takes at least; where so few are left, sweeps do
                       //   more
       SWEEPS = 48 };  // iterations for a guess that is nearly right: fewer than a factor takes

#define NEAR 1e4       // tolerances, ...
#define NEAREST 1e-4   //   and the residual at most, of a guess that is


typedef struct report {
  char text[720];   // which rungs ran, why, and how they ended
  size_t used;
} report;

static void write(report *to, const char *word) {   // formatting takes as long as a tiny problem
  while (*word != '\0' && to->used + 1 < sizeof to->text) to->text[to->used++] = *word++;
  to->text[to->used] = '\0';
}

// by: who found x, where that is another method, to which the rung has handed over; else NULL
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
  int symmetric;     // A is
  int hint;          // a rung ended on a ray
  int searched;      // for a proof
  int late;          // a rung ended for lack of time
} ascent;

// One rung. 1: the climb is over.
static int step(ascent *a, const rung *r) {
  perp_run *run = a->run;
  const perp_status status = climb(run, r);
  const perp_method *by = status == PERP_STATUS_SOLVED && run->credit != r->method ? run->credit
                                                                                   : NULL;
  if (r->method != NULL && run->child_refused) return 0;   // it has not run
  tell(&a->told, r, r->method != NULL || status_is_proof(status)
                        ? perp_status_name(status) : "none found", by, run->regularization);
  a->late |= r->method != NULL && status == PERP_STATUS_TIME_LIMIT;
  a->searched |= r->method == NULL;
  if (status == PERP_STATUS_SOLVED || status_is_proof(status)) {
    run_stop(run, status, " ");   // no effect where the rung has ended the run
    return 1;
  }
  if (run_ended(run)) return 1;
  if (run->rounded) {
    run_stop(run, status, "the remaining residual is the rounding of x, which no other method could "
             "make smaller");
    return 1;
  }
  if (status == PERP_STATUS_NO_SOLUTION) {
    // Every candidate failed: a Farkas vector, where there is one, can be checked by others. One
    // with a finite radius would say less than that.
    if (!feasibility_search(run)) run_stop(run, status, " ");
    return 1;
  }
  // A ray is a hint that there is no solution. Of a symmetric A it may also be a matter of rank: a
  // search takes longer than the next rung, which comes first.
  const int ray = status == PERP_STATUS_RAY, wait = ray && a->symmetric && !a->hint;
  const int hint = ray || a->hint;
  a->hint = hint;
  if (!hint || wait || a->searched) return 0;
  a->searched = 1;
  return feasibility_search(run);
}

// What was told, after what is already said of a proof, a limit or an error.
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
  if (grid != NULL) {   // all other rungs would be slower, and a child takes memory
    run->credit = &method_active_set;
    active_set_grid(run, grid);
    return;
  }
  facts f = {0};
  rung rungs[SELECT_RUNGS];
  const int contacts = operator_view(&run->A).kind == PERP_VIEW_CONTACT;   // they say what they are
  const int at_once = run->only_sweeps || !(contacts || run_may_fit(run, LOOK));
  int32_t count = !at_once ? 0 : select_sweeps(&run->A, run->lo, run->hi, sweeper_for(run),
                                               run->options->iteration_limit, rungs);
  run->only_child = count == 1;
  if (count == 0) {
    const perp_deadline deadline = run_deadline(run);
    const int code = select_facts(&run->A, run->lo, run->hi, run_allocator(run), &deadline, &f);
    if (code == -2) run_no_memory(run, "a look at A");
    if (code == -1) run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit left no time to look at A");
    if (code != 0) return;
    count = select_rungs(&f, run->options->iteration_limit, rungs);
  }
  if (!run_continue(run)) return;
  ascent a = {.run = run, .symmetric = f.symmetric};
  // What was solved a moment ago, as bodies at rest, is settled without a factor.
  const rung brief = {&method_nncg, SWEEPS, 0.0, 0.0, "the guess is nearly right"};
  const int near = run->residual > 0.0 && run->residual <= NEAREST &&
                   run->residual <= NEAR*run->options->tol;
  int over = 0;
  if (near && f.symmetric && f.sweeps && f.positive && f.n > SELECT_TINY) over = step(&a, &brief);
  // A rung that had too little time had all there is: the driver's last sweeps get what it left.
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
  facts f;
  rung rungs[SELECT_RUNGS];
  if (select_facts(&problem->A, problem->lo, problem->hi, NULL, NULL, &f) != 0)
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

// The cheap rungs have their memory ready, small problems the first one too; the others take it
// when they are reached.
static size_t bytes(const perp_limits *limits, const perp_options *options) {
  const perp_method *const ready[] = {&method_nncg, &method_apgd, &method_pgs, &method_psor,
                                      &method_southwell};
  size_t most = 0;
  if (limits->grid) return grid_bytes(limits->n);
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
  .iteration = "Newton",   // on grids; elsewhere they are those of whoever runs
};
