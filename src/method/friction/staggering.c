// staggering.c: solves for normal and friction impulses of E13 (27) in turn, by convex problems.
//
//   normal:    0 <= ln  _|_  Bnn ln + (bn + Bnt lt) >= 0                                    (110a)
//   friction:  min 1/2 lt'Btt lt + ct'lt,  lt >= 0,  E'lt <= mu ln,  ct = bt + Btn ln  (111), (112)
//
// The friction QP is solved through its optimality conditions, the LCP (110b) in lt and the slacks.
// Kaufman, Sueda, James, Pai 2008. Both problems have a solution if B is positive semidefinite and
// the normal problem is feasible. The alternation has no proof of convergence and may cycle; use it
// for a guess. Cost: two convex solves per round.
#include <math.h>
#include <string.h>

#include "contact_problem.h"
#include "methods.h"
#include "vector.h"

typedef struct part {       // one of the two problems
  int32_t n;
  int32_t *set;             // its rows, ascending
  int32_t *place;           // row of the whole problem -> row of the part, or -1
  int32_t *colptr, *row;
  double *value;
  double *b, *x;
} part;

static int part_begin(part *s, perp_run *run, const perp_csc *A, const uint8_t *mine) {
  const size_t n = (size_t)run->n, nnz = (size_t)A->colptr[run->n];
  s->set = run_allocate(run, (3*n + 1 + nnz)*sizeof *s->set);
  s->value = run_allocate(run, (2*n + nnz)*sizeof *s->value);
  if (s->set == NULL || s->value == NULL) return 0;
  s->place = s->set + n;
  s->colptr = s->place + n;
  s->row = s->colptr + n + 1;
  s->b = s->value + nnz;
  s->x = s->b + n;
  s->n = 0;
  for (int32_t i = 0; i < run->n; i++) {
    s->place[i] = mine[i] ? s->n : -1;
    if (mine[i]) s->set[s->n++] = i;
  }
  int32_t count = 0;
  for (int32_t j = 0; j < s->n; j++) {
    s->colptr[j] = count;
    for (int32_t p = A->colptr[s->set[j]]; p < A->colptr[s->set[j] + 1]; p++)
      if (mine[A->row[p]]) {
        s->row[count] = s->place[A->row[p]];
        s->value[count++] = A->value[p];
      }
  }
  s->colptr[s->n] = count;
  return 1;
}

// Solves the part with the rest of x held, and stores its values in x.
static perp_status part_solve(part *s, perp_run *run, const double *y, const perp_method *method) {
  const perp_csc A = {s->n, s->n, s->colptr, s->row, s->value};
  for (int32_t k = 0; k < s->n; k++) {
    s->x[k] = run->x[s->set[k]];
    s->b[k] = y[s->set[k]];
  }
  for (int32_t j = 0; j < s->n; j++)   // b: y without the part's own x
    for (int32_t p = A.colptr[j]; p < A.colptr[j + 1]; p++) s->b[A.row[p]] -= A.value[p]*s->x[j];
  const perp_problem problem = {.A = perp_from_csc(&A, PERP_CLAIM_NONE), .b = s->b};
  perp_options options = child_options(run, method);
  options.tol = 1e-2*run->options->tol;
  const perp_status status = run_other(run, &problem, method, &options, s->x, INT32_MAX,
                                       (double)INFINITY);
  for (int32_t k = 0; k < s->n; k++) run->x[s->set[k]] = s->x[k];
  return status;
}

static void alternate(perp_run *run, contact_problem *p) {
  uint8_t *mine = run_allocate(run, (size_t)run->n);
  double *y = run_allocate(run, (size_t)run->n*sizeof *y);
  part normal, friction;
  if (mine == NULL || y == NULL) return;
  memset(mine, 0, (size_t)run->n);
  for (int32_t k = 0; k < p->c.count; k++) mine[p->c.normal[k]] = 1;
  if (!part_begin(&normal, run, &p->A, mine)) return;
  for (int32_t i = 0; i < run->n; i++) mine[i] = !mine[i];
  if (!part_begin(&friction, run, &p->A, mine)) return;
  int32_t idle = 0;
  double last = (double)INFINITY;
  while (run_continue(run)) {
    if (run_apply(run, run->x, y) != 0) return;
    part_solve(&normal, run, y, &method_auto);                                             // (110a)
    if (run_apply(run, run->x, y) != 0) return;
    part_solve(&friction, run, y, &method_interior_point);                                 // (110b)
    if (run_apply(run, run->x, y) != 0) return;
    run->residual = run_residual(run, run->x, y);
    idle = run->residual < RUN_GAIN_RATIO*last ? 0 : idle + 1;
    last = min2(last, run->residual);
    if (idle >= run->options->friction.rounds)
      run_stop(run, PERP_STATUS_STALLED,
               "staggering made no progress in %d rounds", idle);
  }
}

static void run_staggering(perp_run *run) {
  contact_problem p;
  if (contact_problem_begin(&p, run)) alternate(run, &p);
  contact_problem_end(&p);
}

static const perp_parameter parameters[] = {
  {"friction.rounds", PERP_KIND_INTEGER, offsetof(perp_options, friction.rounds), 10, 1, INT32_MAX,
   0, 0, NULL, "give up after this many rounds without a better residual"},
};

const perp_method method_staggering = {
  .name = "staggering", .tier = PERP_TIER_REFERENCE,
  .title = "normal and friction impulses in turn",
  .source = "Kaufman 2008; E13 (110)-(112)",
  .formula = "solve (110a) for the normal impulses, then the friction QP (111), and again",
  .converges = "each of the two problems does; the alternation has no proof",
  .cost = "two convex solves a round",
  .advice = "It is for a first guess. Go on with auto or lemke.",
  .needs = PERP_NEEDS_SUBMATRIX | PERP_NEEDS_CONTACTS,
  .assumes = PERP_ASSUMES_NO_PROOF,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME | PERP_TRAIT_META,
  .parameters = parameters,
  .parameter_count = 1,
  .run = run_staggering,
};
