// batch.c: many problems in one call, and the short way that small dense ones take.
#include <math.h>
#include <string.h>

#include "driver.h"
#include "error.h"
#include "plain.h"
#include "quick.h"

const perp_dense *solver_small_dense(const perp_solver *s, const perp_problem *problem,
                                     const double *x) {
  if (s->quick == NULL || problem == NULL || x == NULL || problem->b == NULL) return NULL;
  const perp_operator *A = &problem->A;
  const int32_t n = A->n;
  if (n < 1 || n > QUICK_N || n > s->limits.n || n*n > s->limits.nnz || A->self == NULL ||
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

void solver_quick_message(quick_end end, char *message) {
  if (end == QUICK_REFERENCE) strcpy(message, "The point of the box nearest to 0 is a solution.");
  else if (end == QUICK_GUESS) strcpy(message, MESSAGE_SOLVED);
  else strcpy(message, "auto ran principal_pivoting (small and dense): solved.");
}

// The whole of a solve that quick.c has certified. Two looks at the clock, or writing the tail of
// the message, would take as long as the pivots: both are left.
void solver_finish_quickly(const perp_solver *s, quick_end end, const quick_answer *answer,
                           int32_t n, double *x, perp_result *result) {
  for (int32_t i = 0; i < n; i++) x[i] = answer->x[i];
  memset(result, 0, offsetof(perp_result, message));
  result->status = PERP_STATUS_SOLVED;
  result->method = end == QUICK_CERTIFIED ? s->quick : s->method;
  result->iterations = answer->rounds;
  result->trace_stride = 1;
  result->certificate = answer->certificate;
  solver_quick_message(end, result->message);
}

// A batch in progress: lane k solves problems k, k + lanes, k + 2 lanes, ...
// with a solver of its own.
typedef struct batch {
  perp_solver *solver;
  const perp_problem *problems;
  double *const *x;
  perp_result *results;
  int32_t count, lanes;
} batch;

static void solve_alone(const batch *b, perp_solver *s, int32_t k) {
  const perp_error error = perp_solve(s, &b->problems[k], b->x[k], &b->results[k]);
  if (error == PERP_OK) return;
  // The others go on, so this one says that nothing is claimed.
  b->results[k] = (perp_result){.method = s->method,
                                .certificate = {.worst = -1, .residual = (double)INFINITY,
                                                .natural_residual = (double)INFINITY,
                                                .componentwise = -1.0, .componentwise_row = -1}};
  plain_print(b->results[k].message, sizeof b->results[k].message, "%s", perp_last_message());
  if (k < s->batch_failed) {
    s->batch_failed = k;
    s->batch_error = error;
  }
}

typedef struct small { int32_t k; const perp_dense *A; } small;   // problem k is small and dense

static void solve_four(const batch *b, perp_solver *s, const small *of) {
  const perp_problem *const p[] = {&b->problems[of[0].k], &b->problems[of[1].k],
                                   &b->problems[of[2].k], &b->problems[of[3].k]};
  const perp_dense *const A[] = {of[0].A, of[1].A, of[2].A, of[3].A};
  double *const x[] = {b->x[of[0].k], b->x[of[1].k], b->x[of[2].k], b->x[of[3].k]};
  quick_end end[4];
  quick_answer answer[4];
  quick_solve_four(p, A, x, quick_demand(s->options.tol, s->options.componentwise_tol), end, answer);
  for (int i = 0; i < 4; i++)
    if (end[i] != QUICK_NONE)
      solver_finish_quickly(s, end[i], &answer[i], A[i]->n, x[i], &b->results[of[i].k]);
    else
      solve_alone(b, s, of[i].k);
}

// Small problems wait until there are four with the same n.
static void run_lane(void *data, int32_t lane) {
  const batch *b = data;
  perp_solver *s = lane == 0 ? b->solver : b->solver->lanes[lane - 1];
  team *const own = s->threads, *const judges = s->judge.threads;
  if (b->lanes > 1) s->threads = s->judge.threads = NULL;   // they are at work on the lanes
  s->batch_failed = b->count;
  small waiting[QUICK_N + 1][4];
  int32_t number[QUICK_N + 1] = {0};
  for (int32_t k = lane; k < b->count; k += b->lanes) {
    const perp_dense *A = solver_small_dense(s, &b->problems[k], b->x[k]);
    if (A == NULL) {
      solve_alone(b, s, k);
      continue;
    }
    waiting[A->n][number[A->n]++] = (small){k, A};
    if (number[A->n] < 4) continue;
    number[A->n] = 0;
    solve_four(b, s, waiting[A->n]);
  }
  for (int32_t n = 1; n <= QUICK_N; n++)
    for (int32_t i = 0; i < number[n]; i++) solve_alone(b, s, waiting[n][i].k);
  s->threads = own;
  s->judge.threads = judges;
}

perp_error perp_solve_batch(perp_solver *solver, const perp_problem *problems, int32_t count,
                            double *const *x, perp_result *results) {
  if (solver == NULL || count < 0 ||
      (count > 0 && (problems == NULL || x == NULL || results == NULL)))
    return error_set(PERP_ERROR_ARGUMENT,
                     "perp_solve_batch: count = %d < 0, or solver, problems, x or results is NULL",
                     count);
  const int32_t lanes = solver->limits.lanes > 1 ? solver->limits.lanes : 1;
  batch b = {solver, problems, x, results, count, lanes};
  team_run(solver->threads, run_lane, &b, lanes);
  const perp_solver *first = solver;
  for (int32_t k = 0; k + 1 < lanes; k++)
    if (solver->lanes[k]->batch_failed < first->batch_failed) first = solver->lanes[k];
  if (first->batch_failed >= count) return PERP_OK;
  return error_set(first->batch_error, "problem %d: %.220s", first->batch_failed,
                   results[first->batch_failed].message);
}
