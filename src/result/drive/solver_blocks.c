// solver_blocks.c: the runs of one pass: one on the caller's problem as it is, or one on each block
// that presolve leaves.
#include <math.h>
#include <string.h>

#include "certify_kkt.h"
#include "driver.h"
#include "plain.h"

// Row i is empty and no x satisfies it: y_i = b_i for every x. Its Farkas vector is +-e_i.
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
              "row %d is empty, so y = b = %g for every x, and x has no %s bound", i,
              problem->b[i], problem->b[i] < 0.0 ? "upper" : "lower");
}

run_spec solver_spec(perp_solver *s) {
  const perp_problem *problem = s->problem;
  return (run_spec){.method = s->method, .options = &s->options, .A = problem->A,
                    .facts = &s->judge.facts, .b = problem->b, .lo = problem->lo,
                    .hi = problem->hi, .x = s->x, .y_known = &s->y_known, .residual = -1.0,
                    .iteration_limit = s->options.iteration_limit,
                    .deadline = s->deadline};
}

// Runs options.start, if given, and the method on block g (g < 0: the caller's problem as it is).
static perp_error run_block(perp_solver *s, int32_t g, perp_run *run) {
  const perp_problem *problem = s->problem;
  const presolve *p = &s->reduced;
  const int all = (s->method->traits & PERP_TRAIT_ALL) != 0;
  run_spec spec = solver_spec(s);
  spec.only_sweeps = s->judge.look.hurried;   // no time to analyse A, so none for longer work
  double *guess = NULL;
  facts of_block = {0};
  if (g < 0) {
    spec.y = s->judge.y;
    spec.judged = !all;
    spec.residual = s->guess_residual;
  } else {
    const int32_t first = p->block[g];
    // Claims are about A. With some rows multiplied by -1 they are wrong, also that A is symmetric.
    spec.A = perp_from_csc(&p->csc[g], s->turns ? 0 : problem->A.claims);
    spec.facts = &of_block;
    if (!s->turns) of_block = facts_of_part(&s->judge.facts);
    spec.b = p->b + first;
    spec.lo = problem->lo != NULL ? p->lo + first : NULL;
    spec.hi = problem->hi != NULL ? p->hi + first : NULL;
    spec.index = p->index + first;
    guess = p->diagonal + first;   // unused after presolve_run
    for (int32_t k = 0; k < spec.A.n; k++) guess[k] = s->x[spec.index[k]];
    spec.x = guess;
  }
  *run = (perp_run){.reason = PERP_STATUS_UNSOLVED};
  perp_error error = PERP_OK;
  const perp_method *first = solver_start(&s->options);
  if (first != NULL && !all) {
    const perp_options options = solver_start_options(&s->options, first);
    run_spec start = spec;
    start.method = first;
    start.options = &options;
    start.judged = 0;
    if (s->options.start.iterations < start.iteration_limit)
      start.iteration_limit = s->options.start.iterations;
    error = run_execute(s, &start, s->runs, run);
    s->inner_iterations += run->inner_iterations;
    spec.iteration_limit -= run->iterations;
    spec.residual = -1.0;
  }
  const int hasty = solver_hastens(s, &spec.A, s->deadline);
  const perp_options instead = hasty ? solver_start_options(&s->options, s->method->hasty)
                                     : s->options;
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

// The outcome is that of the first unsolved block, else of the largest. A block's proof is for all.
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

// Extrapolates the time of all blocks from the finished ones: a block of n rows takes about n^1.5. If
// all should end in time, the last sweeps get little time. begin: when the first block began
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

// Runs all blocks, the largest last. A time limit is not divided among the blocks: a block with a
// share of the time could miss a solution that all of the time would reach.
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
    if (s->reserve == reserve) expect_blocks(s, begin, done, all_blocks);   // reserve still uncut
    const perp_error error = run_block(s, g, &run);
    if (error != PERP_OK) return error;
    done += work_of_block(p, g);
    count_block(&t, &run, p->csc[g].columns);
    if (run.reason == PERP_STATUS_STOPPED || status_is_proof(run.reason)) break;
    // There may be very many blocks. No block begins after the deadline.
    if (run.reason == PERP_STATUS_TIME_LIMIT && solver_seconds(s) >= s->deadline) break;
  }
  s->waiting = 0;
  return PERP_OK;
}

perp_error solver_run_all(perp_solver *s, int presolving, perp_run *outcome) {
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
