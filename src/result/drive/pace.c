// pace.c: what a certificate takes on this machine and this A, so that time can be kept for it, and
// what the rest of a solve takes where that can be foreseen.
//
// A solve with a time limit ends with a certificate, whose cost is one product with A, and a second
// one where a plain product cannot tell. What it took before is what it will take: the larger of
// the last one and the mean with those before, so that one that was held up is forgotten by halves.
#include "clock.h"
#include "driver.h"
#include "error.h"
#include "grid.h"
#include "vector.h"

#include <math.h>

enum { PASSES = 10,          // over A to look at it in full: components, symmetry, scaling
       FULL_PASSES = 20,     // that take as long as all of a solve with a full A (dense-pd: 20)
       ALWAYS = 12000 };     // entries: that look takes 0.6 ms at most, of contacts, and no limit is
                             //   too short for it

#define PASS 1e-9            // seconds of an entry in such a pass, with all of A in the caches
#define PART 0.6             // of the time given that those passes may take: sweeps need the rest,
                             //   and without a look they do more with it (bricks, wall: 5 ms)
#define TIES 0.6             // passes that tell which rows are tied together, ...
#define SMALL 0.3            //   which may take so much of it
#define FULL_LOOKS 2.0       // what pivots on a full symmetric A take, in looks at it: 1.8 to 2.5 from
                             //   120 to 1600 rows (dense-pd, dense-psd)
#define FULL_PRODUCTS 32.0   //   and in its fastest products: 33 to 47 (dense-pd, 300 and 600 rows)
#define BRIEF 0.2            // of their time that the last sweeps keep where the runs should end
#define LIKELY 2e-9          // seconds of an entry in a product, about
#define MATTERS 400.0        // certificates: where so many do not fit, products are measured, ...
#define AGAIN 16.0           //   unless so many of them do not fit, ...
enum { TRIES = 2 };          //   the first one with cold caches, perhaps
#define STEADY 0.75          // of the shorter one: no product takes less
#define LONGEST 20.0         // products: no certificate takes longer; 2 to 4 are usual, 13 contacts
#define MARGIN 1.25          // a certificate is as long as the last one, and a little

double pace_of(const pace *p, double left) {
  // What once was faster is not believed to eat more than half of the time that is left.
  return max2(p->least, min2(MARGIN*p->recent, 0.5*left));
}

double pace_least(const pace *p) { return p->least > 0.0 ? p->least : p->recent/3.0; }

void pace_note(pace *p, double seconds) {
  const double before = p->recent;
  p->recent = before > 0.0 ? max2(seconds, 0.5*(before + seconds)) : seconds;
  p->least = p->least > 0.0 ? min2(p->least, seconds) : seconds/3.0;   // the first one finds the
                                                                       //   caches cold
}

void solver_forget_pace(perp_solver *s, const perp_problem *problem) {
  const double entries = (double)problem_nnz(problem) + problem->A.n;
  const int alike = s->pace_ops == problem->A.ops && s->pace_entries > 0.0;
  const double ratio = alike ? entries/s->pace_entries : 0.0;
  pace *const all[] = {&s->once, &s->twice};
  for (int k = 0; k < 2; k++) *all[k] = (pace){ratio*all[k]->recent, ratio*all[k]->least};
  s->pace_ops = problem->A.ops;
  s->pace_entries = entries;
  s->look = 0.0;
}

void solver_take_pace(perp_solver *to, const perp_solver *from, const perp_problem *problem) {
  to->once = from->once;
  to->twice = from->twice;
  to->pace_ops = problem->A.ops;
  to->pace_entries = (double)problem_nnz(problem) + problem->A.n;
}

void solver_guess_pace(perp_solver *s, double validation, double preparation) {
  // A solve that had no time for a certificate has measured none: the last was held up, perhaps.
  pace *const all[] = {&s->once, &s->twice};
  for (int k = 0; k < 2 && s->unmeasured; k++)
    *all[k] = (pace){0.5*all[k]->recent, 0.5*all[k]->least};
  s->unmeasured = 1;
  if (!s->judge.look.hurried && s->judge.ops->by_entries)
    s->look = max2(s->look, preparation);   // a stamp spares it
  if (s->once.recent > 0.0) return;
  s->once = (pace){s->judge.look.hurried ? 2.0*validation : preparation/PASSES, 0.0};
}

// One certificate decides whether there is time for more than sweeps. It found the caches cold, and
// on a busy machine it may have waited a hundred times as long as it worked: a few products tell.
perp_error solver_doubt_pace(perp_solver *s) {
  const perp_operator *A = &s->problem->A;
  pace *p = &s->once;
  if (!s->judge.ops->by_entries || A->n == 0 || !(p->recent > 0.0)) return PERP_OK;
  const double entries = (double)problem_nnz(s->problem);   // 0: not known
  const double expected = entries > 0.0 ? min2(p->recent, LIKELY*(entries + A->n)) : p->recent;
  double now = solver_seconds(s), product = (double)INFINITY;
  if (MATTERS*p->recent <= s->options.time_limit - now) return PERP_OK;
  for (int k = 0; k < TRIES; k++) {
    const double before = now;
    if (AGAIN*min2(expected, product) > s->options.time_limit - before) break;
    if (A->ops->apply(A->self, s->problem->b, s->judge.work, s->judge.scratch) != 0)
      return error_set(PERP_ERROR_OPERATOR, "operator '%s': apply failed", A->ops->name);
    now = solver_seconds(s);
    product = min2(product, now - before);
  }
  if (!(product < (double)INFINITY)) return PERP_OK;
  p->least = STEADY*product;
  p->recent = min2(p->recent, LONGEST*product);
  return PERP_OK;
}

double solver_brief(const perp_solver *s, double end, double all) {
  const double brief = BRIEF*s->reserve;
  return end <= all - brief ? brief : s->reserve;
}

// By the look or by the fastest product that was measured, whichever says less: either may have been
// held up.
double solver_pivots(const perp_solver *s, const perp_operator *A) {
  if (A->n <= RUN_TINY || A->n < s->problem->A.n || !run_is_full(A) || !(s->look > 0.0) ||
      !(A->claims & PERP_CLAIM_SYMMETRIC))
    return (double)INFINITY;
  const double looks = FULL_LOOKS*s->look;
  return s->once.least > 0.0 ? min2(looks, FULL_PRODUCTS*s->once.least) : looks;
}

double solver_kept(const perp_solver *s, double left) {
  return s->timed ? pace_of(&s->once, left) : 0.0;
}

int solver_hastens(const perp_solver *s, const perp_operator *A, double deadline) {
  if (!s->timed || s->method->hasty == NULL || A->ops->add_column == NULL ||
      !(A->claims & PERP_CLAIM_SYMMETRIC) || grid_of(A) != NULL)   // which needs no analysis
    return 0;
  if (s->judge.look.hurried) return 1;   // a look at A did not fit: no factor does
  const double pivots = solver_pivots(s, A), left = deadline - solver_seconds(s);
  if (pivots < (double)INFINITY) return pivots > left + (1.0 - BRIEF)*s->reserve;
  const double product = pace_least(&s->once)*A->n/max2(1.0, s->problem->A.n);
  return run_least_products(A, RUN_ANALYSIS)*product > left;
}

perp_error solver_check(perp_solver *s, const double *x, int far, perp_certificate *certificate) {
  const perp_options *options = &s->options;
  const double before = s->timed ? solver_seconds(s) : 0.0;
  const perp_error error = s->judge.ops->check(&s->judge, x, options->tol, options->absolute_tol,
                                               far, certificate);
  if (!s->timed || error != PERP_OK) return error;
  const double seconds = solver_seconds(s) - before;
  s->unmeasured = 0;
  pace_note(s->judge.last.twice ? &s->twice : &s->once, seconds);
  return error;
}

typedef struct patience { const perp_solver *solver; double until; } patience;

static int is_over(void *context) {
  const patience *p = context;
  return solver_seconds(p->solver) >= p->until;
}

// Machines differ: a pass takes no longer than three of those of the validation.
static double seconds_of_pass(const perp_solver *s, const perp_problem *problem) {
  const double usual = PASS*(double)problem_nnz(problem);
  return s->validation > 0.0 ? min2(usual, 3.0*s->validation) : usual;
}

// Half of a solve with a full A is the look at it, and where the rest does not fit either, sweeps need
// none.
double solver_part_to_look(const perp_solver *s, const perp_problem *problem) {
  if (!s->timed || problem->A.n <= RUN_TINY || !run_is_full(&problem->A)) return PART;
  return FULL_PASSES*seconds_of_pass(s, problem) <= s->options.time_limit ? 1.0 : 0.0;
}

perp_error solver_prepare(perp_solver *s, const perp_problem *problem, double until, double part) {
  patience p = {s, until};
  const perp_deadline deadline = {until < (double)INFINITY ? is_over : NULL, &p};
  const double pass = seconds_of_pass(s, problem);
  const double left = until < (double)INFINITY ? until - solver_seconds(s) : (double)INFINITY;
  if (PASSES*pass > part*left) p.until = 0.0;
  if (problem_nnz(problem) <= ALWAYS) p.until = (double)INFINITY;
  s->judge.look.ties = TIES*pass <= SMALL*left;
  return s->judge.ops->prepare(&s->judge, problem, &deadline);
}
