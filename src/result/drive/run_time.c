// run_time.c: the time of a run: what is left, what fits into it, and what the last sweeps get.
#include <math.h>

#include "driver.h"
#include "vector.h"

double solver_seconds(const perp_solver *solver) {
  const double seconds = solver->clock(solver->options.clock_context) - solver->start;
  // A time that is NaN, infinite or before the start counts as 0.
  return seconds >= 0.0 && seconds < (double)INFINITY ? seconds : 0.0;
}

int run_out_of_time(perp_run *run) {
  const run_state *state = run->state;
  return state->deadline < (double)INFINITY && solver_seconds(state->solver) >= state->deadline;
}

double run_seconds_left(const perp_run *run) {
  const run_state *state = run->state;
  if (!(state->deadline < (double)INFINITY)) return (double)INFINITY;
  return max2(0.0, state->deadline - solver_seconds(state->solver));
}

// Seconds that a certificate (or a product) takes for n rows, in proportion to the pace for all of A.
static double pace_here(const perp_solver *solver, const pace *p, int32_t n, double left) {
  return n > 0 ? pace_of(p, left)*n/solver->problem->A.n : 0.0;
}

int run_fits(const perp_run *run, double products) {
  const perp_solver *solver = run->state->solver;
  return !solver->timed ||
         products*pace_here(solver, &solver->once, run->n, solver->options.time_limit) <=
             run_seconds_left(run);
}

// When the last sweeps end: at most state->end. Another run may have changed the reserve since this
// one began.
static double end_of_sweeps(const run_state *state) {
  return min2(state->deadline + state->solver->reserve, state->end);
}

void run_leave(run_state *state, double seconds) {
  state->deadline = end_of_sweeps(state) - seconds;
  state->solver->reserve = seconds;
}

int run_expects(perp_run *run, double looks) {
  run_state *state = run->state;
  const perp_solver *solver = state->solver;
  if (!(solver->reserve > 0.0) || !(solver->look > 0.0)) return 1;
  const double part = run->n/max2(1.0, solver->problem->A.n);
  const double end = solver_seconds(solver) + looks*solver->look*part;
  const double brief = solver_brief(solver, end, end_of_sweeps(state));
  const int fits = brief < solver->reserve;
  run_leave(state, brief);
  return fits;
}

void run_leaves(perp_run *run, double products) {
  run_state *state = run->state;
  const perp_solver *solver = state->solver;
  if (!(solver->reserve > 0.0)) return;
  const double part = run->n/max2(1.0, solver->problem->A.n);
  const double left = end_of_sweeps(state) - solver_seconds(solver);
  const double wanted = min2(products*pace_least(&solver->once)*part, 0.5*left);
  if (wanted > solver->reserve) run_leave(state, wanted);
}

int run_is_full(const perp_operator *A) {
  const perp_view view = operator_view(A);
  const perp_csc *C = view.data;
  if (view.kind != PERP_VIEW_CSC) return view.kind == PERP_VIEW_DENSE;
  return (double)C->colptr[C->columns] > 0.2*C->columns*(double)C->columns;
}

double run_least_products(const perp_operator *A, double products) {
  const int full = run_is_full(A);
  if (A->n <= (full ? RUN_TINY : RUN_SMALL)) return 0.0;
  return full ? min2(products, RUN_PIVOTS) : products;
}

int run_may_fit(const perp_run *run, double products) {
  const perp_solver *solver = run->state->solver;
  if (!solver->timed) return 1;
  const double product = pace_least(&solver->once)*run->n/solver->problem->A.n;
  return run_least_products(&run->A, products)*product <= run_seconds_left(run);
}

int run_may_fit_analysis(perp_run *run) {
  if (run_may_fit(run, RUN_ANALYSIS)) return 1;
  run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit left %s no time for the order of a "
           "factor of A", run->method->name);
  return 0;
}

static int deadline_of_run(void *run) { return run_out_of_time(run); }

perp_deadline run_deadline(perp_run *run) { return (perp_deadline){deadline_of_run, run}; }

double run_check_seconds(const perp_run *run) {
  const perp_solver *solver = run->state->solver;
  return pace_here(solver, solver->twice.recent > 0.0 ? &solver->twice : &solver->once, run->n,
                   solver->options.time_limit);
}

// An iteration that takes longer than this many products reads the clock itself. With 1,
// accelerated gradients end too late.
enum { SHORT_ITERATION_PRODUCTS_MAX = 16 };

// Expects the next iteration to take as long as the longer one of the last two, up to
// SHORT_ITERATION_PRODUCTS_MAX products.
void run_expect_step(run_state *state, double now) {
  const perp_solver *solver = state->solver;
  const double step = now - state->began;
  const double most = solver->timed ? SHORT_ITERATION_PRODUCTS_MAX*pace_least(&solver->once) : 0.0;
  state->step = min2(max2(step, state->last_step), most);
  state->last_step = step;
}

// Extrapolates the fall of the residual over its last one or two decades. If it reaches the tolerance
// in time, the last sweeps get little time. This starts when the time of the runs is nearly over,
// because the first steps often gain more than later ones.
void run_foresee(perp_run *run, double now) {
  run_state *state = run->state;
  const perp_solver *solver = state->solver;
  const double best = state->best_residual, tol = solver->options.tol;
  residual_at *from = state->decade;
  if (!(solver->reserve > 0.0) || solver->waiting > 0 || !(best < from[0].residual)) return;
  const double rate = log(from[0].residual/best)/max2(now - from[0].seconds, 1e-12);
  if (best < 0.1*from[1].residual) {
    from[0] = from[1];
    from[1] = (residual_at){now, best};
  }
  if (now < state->deadline - solver->reserve) return;
  const double end = now + log(max2(best, tol)/tol)/rate;
  run_leave(state, solver_brief(solver, end, end_of_sweeps(state)));
}
