// batch.c: many problems in one call, and the shortcut for small dense problems.
#include <perp/batch.h>

#include <math.h>
#include <string.h>

#include "driver.h"
#include "error.h"
#include "plain.h"
#include "small_dense.h"

const perp_dense *solver_small_dense(const perp_solver *s, const perp_problem *problem,
                                     const double *x) {
  if (s->small_dense_method == NULL || problem == NULL || x == NULL || problem->b == NULL)
    return NULL;
  const perp_operator *A = &problem->A;
  const int32_t n = A->n;
  if (n < 1 || n > SMALL_DENSE_N || n > s->limits.n || n*n > s->limits.nnz || A->self == NULL ||
      A->ops == NULL || A->ops->apply == NULL || A->ops->name == NULL || A->ops->view == NULL ||
      A->ops->scratch_bytes != NULL || A->ops->sweep_bytes != NULL)
    return NULL;
  const perp_view view = A->ops->view(A->self);
  if (view.kind != PERP_VIEW_DENSE || view.data != A->self || view.R != NULL || view.C != NULL ||
      view.shift != 0.0)
    return NULL;
  const perp_dense *D = view.data;
  return D->n == n && D->value != NULL && (D->ld == 0 || D->ld >= n) ? D : NULL;
}

void solver_small_dense_message(small_dense_end end, char *message) {
  if (end == SMALL_DENSE_REFERENCE)
    strcpy(message, "The point of the box nearest to 0 is a solution.");
  else if (end == SMALL_DENSE_GUESS) strcpy(message, MESSAGE_SOLVED);
  else strcpy(message, "auto ran principal_pivoting (small and dense): solved.");
}

// Fills in the result of a solve that small_dense.c has certified. Reading the clock twice, or
// clearing the rest of the message, would take as long as the pivots, so it does neither.
void solver_finish_small_dense(const perp_solver *s, small_dense_end end,
                               const small_dense_answer *answer, int32_t n, double *x,
                               perp_result *result) {
  for (int32_t i = 0; i < n; i++) x[i] = answer->x[i];
  memset(result, 0, offsetof(perp_result, message));
  result->regularization = 0.0;
  result->factor_nonzeros = 0;
  result->status = PERP_STATUS_SOLVED;
  result->method = end == SMALL_DENSE_CERTIFIED ? s->small_dense_method : s->method;
  result->iterations = answer->rounds;
  result->trace_stride = 1;
  result->certificate = answer->certificate;
  solver_small_dense_message(end, result->message);
}

// A batch in progress: lane k solves problems k, k + lanes, k + 2 lanes, ... with its own solver.
typedef struct batch {
  perp_solver *solver;
  const perp_problem *problems;
  double *const *x;
  perp_result *results;   // count, or NULL if the caller wants briefs
  perp_brief *briefs;     // count, or NULL if the caller wants results
  int32_t count, lanes;
} batch;

// Where the result of problem k is written: the caller's array, or `own` for take_brief().
static perp_result *result_of(const batch *b, int32_t k, perp_result *own) {
  return b->results != NULL ? &b->results[k] : own;
}

static void take_brief(const batch *b, int32_t k, perp_error error, const perp_result *result) {
  if (b->briefs == NULL) return;
  b->briefs[k] = (perp_brief){.status = result->status, .error = error,
                              .iterations = result->iterations, .worst = result->certificate.worst,
                              .method = result->method, .residual = result->certificate.residual,
                              .natural_residual = result->certificate.natural_residual};
}

static void solve_alone(const batch *b, perp_solver *s, int32_t k) {
  perp_result own, *result = result_of(b, k, &own);
  const perp_error error = perp_solve(s, &b->problems[k], b->x[k], result);
  if (error != PERP_OK) {
    // The batch continues; the result of this problem claims nothing.
    *result = (perp_result){.method = s->method,
                            .certificate = {.worst = -1, .residual = (double)INFINITY,
                                            .natural_residual = (double)INFINITY,
                                            .componentwise = -1.0, .componentwise_row = -1}};
    plain_print(result->message, sizeof result->message, "%s", perp_last_message());
    if (k < s->batch_failed) {
      s->batch_failed = k;
      s->batch_error = error;
      plain_print(s->batch_message, sizeof s->batch_message, "%s", perp_last_message());
    }
  }
  take_brief(b, k, error, result);
}

typedef struct small_problem { int32_t k; const perp_dense *A; } small_problem;   // number and matrix

static void solve_four(const batch *b, perp_solver *s, const small_problem *of) {
  const perp_problem *const p[] = {&b->problems[of[0].k], &b->problems[of[1].k],
                                   &b->problems[of[2].k], &b->problems[of[3].k]};
  const perp_dense *const A[] = {of[0].A, of[1].A, of[2].A, of[3].A};
  double *const x[] = {b->x[of[0].k], b->x[of[1].k], b->x[of[2].k], b->x[of[3].k]};
  small_dense_end end[4];
  small_dense_answer answer[4];
  small_dense_solve_four(p, A, x, small_dense_demand(s->options.tol, s->options.componentwise_tol),
                         end, answer);
  for (int i = 0; i < 4; i++) {
    const int32_t k = of[i].k;
    if (end[i] == SMALL_DENSE_NONE) {
      solve_alone(b, s, k);
      continue;
    }
    perp_result own, *result = result_of(b, k, &own);
    solver_finish_small_dense(s, end[i], &answer[i], A[i]->n, x[i], result);
    take_brief(b, k, PERP_OK, result);
  }
}

// Solves the problems of a lane. Small dense ones wait until there are four with the same n.
static void run_lane(void *data, int32_t lane) {
  const batch *b = data;
  perp_solver *s = lane == 0 ? b->solver : b->solver->lanes[lane - 1];
  team *const own = s->threads, *const judges = s->judge.threads;
  if (b->lanes > 1) s->threads = s->judge.threads = NULL;   // the threads are busy with lanes
  s->batch_failed = b->count;
  small_problem waiting[SMALL_DENSE_N + 1][4];
  int32_t number[SMALL_DENSE_N + 1] = {0};
  for (int32_t k = lane; k < b->count; k += b->lanes) {
    const perp_dense *A = solver_small_dense(s, &b->problems[k], b->x[k]);
    if (A == NULL) {
      solve_alone(b, s, k);
      continue;
    }
    waiting[A->n][number[A->n]++] = (small_problem){k, A};
    if (number[A->n] < 4) continue;
    number[A->n] = 0;
    solve_four(b, s, waiting[A->n]);
  }
  for (int32_t n = 1; n <= SMALL_DENSE_N; n++)
    for (int32_t i = 0; i < number[n]; i++) solve_alone(b, s, waiting[n][i].k);
  s->threads = own;
  s->judge.threads = judges;
}

static perp_error solve_batch(batch b, const char *function, const char *output) {
  if (b.solver == NULL) return error_set(PERP_ERROR_ARGUMENT, "%s: solver is NULL", function);
  if (b.count < 0)
    return error_set(PERP_ERROR_ARGUMENT, "%s: count = %d must not be negative", function, b.count);
  const char *missing = b.problems == NULL                      ? "problems"
                        : b.x == NULL                           ? "x"
                        : b.results == NULL && b.briefs == NULL ? output
                                                                : NULL;
  if (b.count > 0 && missing != NULL)
    return error_set(PERP_ERROR_ARGUMENT, "%s: %s is NULL, and count = %d", function, missing,
                     b.count);
  b.lanes = b.solver->limits.lanes > 1 ? b.solver->limits.lanes : 1;
  team_run(b.solver->threads, run_lane, &b, b.lanes);
  const perp_solver *first = b.solver;
  for (int32_t k = 0; k + 1 < b.lanes; k++)
    if (b.solver->lanes[k]->batch_failed < first->batch_failed) first = b.solver->lanes[k];
  if (first->batch_failed >= b.count) return PERP_OK;
  return error_set(first->batch_error, "problem %d: %.220s", first->batch_failed,
                   first->batch_message);
}

perp_error perp_solve_batch(perp_solver *solver, const perp_problem *problems, int32_t count,
                            double *const *x, perp_result *results) {
  return solve_batch((batch){.solver = solver, .problems = problems, .x = x, .results = results,
                             .count = count}, "perp_solve_batch", "results");
}

perp_error perp_solve_batch_brief(perp_solver *solver, const perp_problem *problems, int32_t count,
                                  double *const *x, perp_brief *briefs) {
  return solve_batch((batch){.solver = solver, .problems = problems, .x = x, .briefs = briefs,
                             .count = count}, "perp_solve_batch_brief", "briefs");
}
