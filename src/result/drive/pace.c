// pace.c: how long a certificate takes on this machine with this A, so that a solve keeps time for
// it, and forecasts of other parts of a solve.
//
// A solve with a time limit ends with a certificate. That costs one product with A, and a second one
// if rounding makes a plain product inconclusive. The forecast is the larger of the last measurement
// and of its mean with the forecast before, so each new measurement halves the effect of a delay.
#include "clock.h"
#include "driver.h"
#include "error.h"
#include "grid.h"
#include "vector.h"

#include <math.h>

enum { ANALYSIS_PASSES = 10,               // passes over A: components, symmetry, scaling
       FULL_SOLVE_PASSES = 20,             // passes that the whole solve of a full A takes (dense-pd)
       ALWAYS_ANALYSED_ENTRIES = 12000 };  // largest A that is always analysed: 0.6 ms with contacts
#define PASS_ENTRY_SECONDS 1e-9    // seconds per entry in such a pass, with all of A in the caches
#define ANALYSIS_FORECAST_MAX 0.6  // largest forecast of an analysis, relative to the time for it;
                                   //   above it, sweeps alone gain more (bricks, wall: 5 ms)
#define SHORT_RESERVE_PART 0.2     // part of their time that the last sweeps keep if the runs are
                                   //   expected to end
#define ENTRY_SECONDS 2e-9         // usual seconds per entry in a product
#define ROOMY_CERTIFICATES 400.0   // products are measured if fewer certificates than this fit,
#define MEASURE_PRODUCTS_MIN 16.0  //   but not if fewer products than this fit
enum { PRODUCTS_MEASURED = 2 };    // the first one may find the caches cold
#define PRODUCT_RATIO_MIN 0.75     // shortest product, relative to the fastest measured; with 1,
                                   //   runs within runs end too early (test_mutants)
#define CERTIFICATE_PRODUCTS_MAX 20.0   // longest certificate; 2 to 4 are usual, 13 with contacts
#define FORECAST_RATIO_MAX 1.25    // time reserved for a certificate, relative to its forecast

double pace_of(const pace *p, double left) {
  // A recent measurement that is longer than the shortest one reserves at most half of the time left.
  return max2(p->least, min2(FORECAST_RATIO_MAX*p->recent, 0.5*left));
}

double pace_least(const pace *p) { return p->least > 0.0 ? p->least : p->recent/3.0; }

void pace_note(pace *p, double seconds) {
  const double before = p->recent;
  p->recent = before > 0.0 ? max2(seconds, 0.5*(before + seconds)) : seconds;
  // The first measurement finds the caches cold.
  p->least = p->least > 0.0 ? min2(p->least, seconds) : seconds/3.0;
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
  // The last solve had no time for a certificate, perhaps because a delay made the forecast too long.
  pace *const all[] = {&s->once, &s->twice};
  for (int k = 0; k < 2 && s->unmeasured; k++)
    *all[k] = (pace){0.5*all[k]->recent, 0.5*all[k]->least};
  s->unmeasured = 1;
  if (!s->judge.look.hurried && s->judge.ops->by_entries)
    s->look = max2(s->look, preparation);   // short if a stamp says that A is known
  if (s->once.recent > 0.0) return;
  s->once = (pace){s->judge.look.hurried ? 2.0*validation : preparation/ANALYSIS_PASSES, 0.0};
}

// The time of one certificate decides whether more than sweeps fits. That certificate found the
// caches cold, and on a busy machine it may have waited a hundred times as long as it worked. So this
// measures a few products.
perp_error solver_doubt_pace(perp_solver *s) {
  const perp_operator *A = &s->problem->A;
  pace *p = &s->once;
  if (!s->judge.ops->by_entries || A->n == 0 || !(p->recent > 0.0)) return PERP_OK;
  const double entries = (double)problem_nnz(s->problem);   // 0: not known
  const double expected =
      entries > 0.0 ? min2(p->recent, ENTRY_SECONDS*(entries + A->n)) : p->recent;
  double now = solver_seconds(s), product = (double)INFINITY;
  if (ROOMY_CERTIFICATES*p->recent <= s->options.time_limit - now) return PERP_OK;
  for (int k = 0; k < PRODUCTS_MEASURED; k++) {
    const double before = now;
    if (MEASURE_PRODUCTS_MIN*min2(expected, product) > s->options.time_limit - before) break;
    if (A->ops->apply(A->self, s->problem->b, s->judge.work, s->judge.scratch) != 0)
      return error_set(PERP_ERROR_OPERATOR, "operator '%s': apply failed", A->ops->name);
    now = solver_seconds(s);
    product = min2(product, now - before);
  }
  if (!(product < (double)INFINITY)) return PERP_OK;
  p->least = PRODUCT_RATIO_MIN*product;
  p->recent = min2(p->recent, CERTIFICATE_PRODUCTS_MAX*product);
  return PERP_OK;
}

double solver_brief(const perp_solver *s, double end, double all) {
  const double brief = SHORT_RESERVE_PART*s->reserve;
  return end <= all - brief ? brief : s->reserve;
}

double solver_pivots(const perp_solver *s, const perp_operator *A) {
  if (A->n <= RUN_TINY || A->n < s->problem->A.n || !run_is_full(A) || !(s->look > 0.0) ||
      !(A->claims & PERP_CLAIM_SYMMETRIC))
    return (double)INFINITY;
  return s->look;   // pivots on a full symmetric A take about as long as its analysis
}

double solver_kept(const perp_solver *s, double left) {
  return s->timed ? pace_of(&s->once, left) : 0.0;
}

int solver_hastens(const perp_solver *s, const perp_operator *A, double deadline) {
  if (!s->timed || s->method->hasty == NULL || A->ops->add_column == NULL ||
      !(A->claims & PERP_CLAIM_SYMMETRIC) || grid_of(A) != NULL)   // a grid needs no analysis
    return 0;
  if (s->judge.look.hurried) return 1;   // no time to analyse A, so none for a factor
  const double pivots = solver_pivots(s, A), left = deadline - solver_seconds(s);
  if (pivots < (double)INFINITY) return pivots > left + (1.0 - SHORT_RESERVE_PART)*s->reserve;
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

typedef struct time_left { const perp_solver *solver; double until; } time_left;

static int is_time_over(void *context) {
  const time_left *p = context;
  return solver_seconds(p->solver) >= p->until;
}

// Machines differ: a pass takes at most three times as long as the validation did.
static double seconds_of_pass(const perp_solver *s, const perp_problem *problem) {
  const double usual = PASS_ENTRY_SECONDS*(double)problem_nnz(problem);
  return s->validation > 0.0 ? min2(usual, 3.0*s->validation) : usual;
}

// With a full A the analysis is half of a solve. Unless the other half fits too, only sweeps run, and
// these need no analysis.
double solver_part_to_look(const perp_solver *s, const perp_problem *problem) {
  if (!s->timed || problem->A.n <= RUN_TINY || !run_is_full(&problem->A)) return ANALYSIS_FORECAST_MAX;
  return FULL_SOLVE_PASSES*seconds_of_pass(s, problem) <= s->options.time_limit ? 1.0 : 0.0;
}

perp_error solver_prepare(perp_solver *s, const perp_problem *problem, double until, double part) {
  time_left p = {s, until};
  const perp_deadline deadline = {until < (double)INFINITY ? is_time_over : NULL, &p};
  const double pass = seconds_of_pass(s, problem);
  const double left = until < (double)INFINITY ? until - solver_seconds(s) : (double)INFINITY;
  if (ANALYSIS_PASSES*pass > part*left) p.until = 0.0;
  if (problem_nnz(problem) <= ALWAYS_ANALYSED_ENTRIES) p.until = (double)INFINITY;
  s->judge.look.ties = pass <= left;
  return s->judge.ops->prepare(&s->judge, problem, &deadline);
}
