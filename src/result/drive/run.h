// run.h: a solve in progress, as a method sees it. The driver owns stopping;
// a method's loop is bare mathematics:
//
//   while (run_continue(run)) { ...improve run->x...; run->residual = ...; }
//
// A method never declares itself solved. It sets `residual`, its cheap estimate in the
// certificate's units (about <= tol at a solution); when that is small enough, or when the method
// calls run_check(), the driver recomputes y = A x + b and decides.
#ifndef PERP_RUN_H
#define PERP_RUN_H

#include <perp/method.h>

#include "arena.h"
#include "demands.h"
#include "operator.h"
#include "team.h"

typedef struct perp_run {
  // The problem: the caller's after presolve, splitting and scaling.
  perp_operator A;
  int32_t n;
  const double *b;               // n
  const double *lo, *hi;         // n; NULL: 0 and +inf, so that plain LCPs cost no memory traffic
  double *x;                     // n: guess in, current iterate; always within the bounds when
                                 //   run_continue is called
  facts *facts;                  // of A before rows and columns were scaled alike
  const double *weight;          // n: weight_i |dx_i| is a change of x_i in the certificate's units,
                                 //   and its residual where dx_i = y_i/A_ii

  const perp_options *options;
  const perp_method *method;
  arena *memory;                 // of method->bytes(); the driver rewinds it
  void *scratch;                 // for A's apply and residual
  team *threads;                 // NULL: one thread
  int is_child;                  // another run started this one and manages the time that follows
  int only_sweeps;               // the time is nearly over: do nothing but sweeps from x

  // Set by the method in every iteration:
  double residual;               // estimate at x; the driver sets it at the guess
  int last_resort;               // set by auto at its end: "no small solution" may end the run
  int only_child;                // the method returns the answer of its next child as its own
  int paced;                     // the method itself starts only work that ends in time; else the
                                 //   driver stops it if an iteration like the last would not
  int measured;                  // `residual` is that of run_residual, not an estimate: the driver
                                 //   needs no checks at iteration 16 and its doublings
  int rounded;                   // the method stopped because of run_rounded(): no other method
                                 //   would do better
  int32_t inner_iterations, factorizations;
  double regularization;         // see perp_result
  int64_t factor_nonzeros;       // see perp_result; run_factored() keeps the largest

  // Kept by the driver:
  int32_t iterations;            // number of completed iterations
  int64_t solutions;             // number that enumerate has reported
  int refused;                   // the method does not take this A
  int child_refused;             // the method of the last child does not take this A
  int complete;                  // set by enumerate: every solution has been reported
  perp_status reason;            // why the run ended, unless the certificate says solved
  const perp_method *credit;     // the method that found x: a child's, if the method runs others
  char message[1024];
  struct run_state *state;       // the driver's own
} perp_run;

int run_continue(perp_run *run);   // counts the iteration that has just ended; 0: return now
// Counts an iteration after which the method has not yet formed run->x. Returns 0 if it must form x
// and call run_continue(): a limit is near, a measure needs every x, or the caller asks to stop.
int run_between(perp_run *run);
// 1: the point of the box nearest to 0 solves the whole component of row i exactly. The certificate
// then has no unit of length there, and an iterate on its way to that point never passes.
int run_settled(const perp_run *run, int32_t i);
// Learns facts of A: returns what facts_learn() does.
int run_learn(perp_run *run, uint32_t wanted);
// Products return 0, or another value if the operator aborted; run_continue() is then 0.
int run_apply(perp_run *run, const double *x, double *y);       // y = A x + b
// y = A x + b in compensated arithmetic and a >= |A||x| + |b|. If A cannot do that: y as run_apply()
// and a = |b|.
int run_apply_exactly(perp_run *run, const double *x, double *y, double *a);
int run_product(perp_run *run, const double *x, double *y);     // y = A x
// y = A x + b at the guess, which the driver has kept. Call it before all other products.
int run_first(perp_run *run, double *y);
// unit: n; unit_i |y_i| is in the certificate's units, as is weight_i |x_i - bound|
void run_units(const perp_run *run, double *unit);
// The same if A is a grid. open: n; 1 where A_ii > 0 and the row is not settled
void run_grid_units(const perp_run *run, double *unit, uint8_t *open);
// y = A'x. Returns 1 if A has no transposed product and is not known to be symmetric, -1 if aborted.
int run_transposed(perp_run *run, const double *x, double *y);
// the certificate's max r_i / base_c, from y = A x + b
double run_residual(const perp_run *run, const double *x, const double *y);
// Keeps an x that is not an iterate, with its residual, if there is a time limit. It becomes the
// answer if the time ends before the method finds a better one, and changes nothing else.
void run_remember(perp_run *run, const double *x, double residual);
// Saves run->x and its residual as an iterate, even if the run has ended.
void run_keep(perp_run *run);
int run_check(perp_run *run);   // certify x now: 1 if it is a solution (then run_continue is 0)
// 1: A is that of a quadratic program, and the certificate refuses x only because of the rounding of
// x itself (kkt_rounded() of certify_kkt.h).
int run_rounded(perp_run *run, const double *x);
// A method gains if its residual falls below this, times the best one before. Methods that count
// iterations without a gain use it.
#define RUN_GAIN_RATIO 0.9
// Ends the run for this reason.
void run_stop(perp_run *run, perp_status reason, const char *format, ...);
// Ends the run because the method does not take this A.
void run_refuse(perp_run *run, unmet of);
// For enumerate: certify x and report it; -1: not a solution, 0: go on, 1: stop
int run_solution(perp_run *run, int32_t dimension);
// Equilibrates during a run, for methods without PERP_TRAIT_EQUILIBRATE. Returns 1 if rows and
// columns of A differ in scale; A, b, x and the bounds are then those of the equilibrated problem.
int run_equilibrate(perp_run *run);
int run_ended(const perp_run *run);   // 1: run_continue would be 0
// 1: the deadline has passed. For long steps inside an iteration
int run_out_of_time(perp_run *run);
perp_deadline run_deadline(perp_run *run);   // the same for linear solvers
// Counts factorisations. nonzeros: of the factor, or 0 if that means nothing
void run_factored(perp_run *run, int32_t count, int64_t nonzeros);
double run_seconds_left(const perp_run *run);   // INFINITY: there is no limit
// The method expects to end after this many times the seconds that the look at A took. If that fits
// into the time left, the last sweeps keep little time. Returns 0 if it does not fit.
int run_expects(perp_run *run, double looks);
// The method may not end in time. The last sweeps keep at least the time of this many products, but
// at most half of the time left.
void run_leaves(perp_run *run, double products);
// 1: this number of products with A should fit into the time left.
int run_fits(const perp_run *run, double products);
// The same with the least time of a product: 0 only if the work certainly does not fit. Skip work for
// this reason alone; a forecast that is too long would skip work that succeeds.
int run_may_fit(const perp_run *run, double products);
enum { RUN_ANALYSIS = 60,     // products with A in the time of a copy of A and the order of a factor:
                              //   30 to 75 on walls and grids
       RUN_PIVOTS = 24,       // the same for pivots on a full A, which need no such order: 22 to 25 on
                              //   dense-pd, as the least time
       // Rows up to which no work is skipped, because pivots take only the time of a few hundred
       // products. Without this limit, obstacles and contacts break the laws of test_limits.
       RUN_SMALL = 400,       //   of a sparse A
       RUN_TINY = 100 };      //   of a full A
// 1: A has more than a fifth of all entries. Then pivots come first and keep a dense factor.
int run_is_full(const perp_operator *A);
// Work that takes `products` with a large sparse A takes at least this many with A.
double run_least_products(const perp_operator *A, double products);
int run_may_fit_analysis(perp_run *run);   // run_may_fit(RUN_ANALYSIS); if 0, the run has ended

// u proves that this problem has no solution (perp_farkas). 1: u proves it on the caller's data too,
// and the run has ended as infeasible; 0: go on. A proof with a finite radius says nothing about
// larger x: it ends the run as "no small solution", and only if run->last_resort.
int run_infeasible(perp_run *run, const double *u);
// 1: some row fails for every x, but by no more than the tolerance explains. Then "no x solves the
// problem exactly" is no proof of infeasibility.
int run_contradicts_slightly(const perp_run *run);
// 1: a Farkas vector stands behind this status.
static inline int status_is_proof(perp_status status) {
  return status == PERP_STATUS_INFEASIBLE || status == PERP_STATUS_NO_SMALL_SOLUTION;
}

// An object that a method keeps for later solves: NULL at first, else the one stored by the last run
// with this `release`. It is released with the solver, or when another method calls run_kept().
void **run_kept(perp_run *run, void (*release)(void *object));

// Memory beyond bytes(), released when the run ends. NULL: no memory, and the run has ended.
// A method that uses it has no PERP_TRAIT_NO_ALLOC.
void *run_allocate(perp_run *run, size_t bytes);
void run_no_memory(perp_run *run, const char *what);   // ends the run with the error of memory
const perp_allocator *run_allocator(const perp_run *run);   // for objects with their own destroy

// Runs another method on the same problem from run->x and returns how it ended. run->x is then its
// best iterate, and its statistics are added. iteration_limit and seconds apply in addition to the
// parent's own limits. The child's arrays come from run->memory if the parent's bytes() counted them
// with child_bytes(), else from run_allocate().
perp_status run_child(perp_run *run, const perp_method *method, const perp_options *options,
                      int32_t iteration_limit, double seconds);
// The same on another problem of the same size, whose solutions are not the parent's (a proximal
// step, a relaxation): b, bounds or A differ. The child's certificate claims nothing about the
// parent's problem; the parent checks x with run_check().
perp_status run_other(perp_run *run, const perp_problem *problem, const perp_method *method,
                      const perp_options *options, double *x, int32_t iteration_limit,
                      double seconds);
// The parent's options with the method's own parameters at their defaults.
perp_options child_options(const perp_run *run, const perp_method *method);
size_t child_bytes(const perp_method *method, const perp_limits *limits,
                   const perp_options *options);

#endif
