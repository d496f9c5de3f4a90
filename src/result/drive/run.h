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
  // The problem: what is left of the caller's after presolve, splitting and scaling.
  perp_operator A;
  int32_t n;
  const double *b;               // n
  const double *lo, *hi;         // n; NULL: 0 and +inf, so that plain LCPs cost no memory traffic
  double *x;                     // n: guess in, current iterate; always within the bounds when
                                 //   run_continue is called
  const double *weight;          // n: weight_i |dx_i| is a change of x_i in the certificate's units
                                 //   (dx_i = y_i/A_ii: its residual)

  const perp_options *options;
  const perp_method *method;
  arena *memory;                 // of method->bytes(); the driver rewinds it
  void *scratch;                 // for A's apply and residual
  team *threads;                 // may be NULL: one
  int is_child;                  // of a method that looks after the rest of the time
  int only_sweeps;               // the time is nearly over: nothing but sweeps from x on

  // Set by the method in every iteration:
  double residual;               // estimate at x; the driver starts it at that of the guess
  int last_resort;               // auto, at its end: "no small solution" is worth saying
  int only_child;                // set by a method whose next child's answer is its own
  int paced;                     // set by a method that begins nothing that would not end in time:
                                 //   otherwise the driver expects iterations as long as the last
  int measured;                  // set by a method whose residual is that of run_residual, no
                                 //   estimate: then nobody needs to look now and then
  int rounded;                   // set by a method that stops because of run_rounded(): no other
                                 //   will do better
  int32_t inner_iterations, factorizations;
  double regularization;         // see perp_result
  int64_t factor_nonzeros;       // likewise; run_factored() keeps the largest

  // Kept by the driver:
  int32_t iterations;            // completed
  int64_t solutions;             // enumerate
  int refused;                   // the method does not take this A
  int child_refused;             // the method of the last child does not
  int complete;                  // enumerate sets it: every solution has been reported
  perp_status reason;            // why it ended, unless the certificate says solved
  const perp_method *credit;     // who found x: a child, for methods that run others
  char message[1024];
  struct run_state *state;       // the driver's own
} perp_run;

int run_continue(perp_run *run);   // counts the iteration that has just ended; 0: return
// Counts an iteration whose x nobody has seen, as the method has it in another form. 0: an x has to
// follow, as a limit is near, somebody looks at every x, or the caller asks to stop.
int run_between(perp_run *run);
// The point of the box nearest to 0 solves the whole component of row i exactly: it has no size by
// which another x could be judged, and an iterate on its way there is never near enough.
int run_settled(const perp_run *run, int32_t i);
// 1: the certificate has seen that A, given by its entries, is symmetric; 0: nobody has looked.
int run_is_symmetric(const perp_run *run);
// y = A x + b; 0, or the operator aborted (then run_continue is 0)
int run_apply(perp_run *run, const double *x, double *y);
// The same in compensated arithmetic, where A can do that; a >= |A||x| + |b|, or |b|.
int run_apply_exactly(perp_run *run, const double *x, double *y, double *a);
int run_product(perp_run *run, const double *x, double *y);     // y = A x, likewise
// y = A x + b at the guess, before anything else is done: the driver knows it; likewise
int run_first(perp_run *run, double *y);
// n: unit_i |y_i| is in the certificate's units, as weight_i |x_i - bound| is
void run_units(const perp_run *run, double *unit);
// The same where A is a grid, and n: 1 where A_ii > 0 and the row is not settled
void run_grid_units(const perp_run *run, double *unit, uint8_t *open);
// y = A'x; 0; 1: neither A' nor the symmetry of A is known; -1: aborted, likewise
int run_transposed(perp_run *run, const double *x, double *y);
// the certificate's max r_i / base_c, from y = A x + b
double run_residual(const perp_run *run, const double *x, const double *y);
// With a time limit: an x beside the method's way, and its residual. It is the answer where the time
// ends before anything better is found, and changes nothing else.
void run_remember(perp_run *run, const double *x, double residual);
// x and its residual are those of an iterate, although the run has ended meanwhile.
void run_keep(perp_run *run);
int run_check(perp_run *run);   // certify x now: 1 if it is a solution (then run_continue is 0)
// 1: A is that of a quadratic program, x is refused, and only because its last digits cannot be
// better: what is left is the rounding of x (kkt_rounded() of certify_kkt.h).
int run_rounded(perp_run *run, const double *x);
// give up, with the truth
void run_stop(perp_run *run, perp_status reason, const char *format, ...);
// give up, as the method does not take this A
void run_refuse(perp_run *run, unmet of);
// enumerate: certify x and report it; -1: not a solution, 0: go on, 1: stop
int run_solution(perp_run *run, int32_t dimension);
// For methods that find out late that they want PERP_TRAIT_EQUILIBRATE: 1 if rows and columns of A
// differ in scale; A, b, x and the bounds are then those of the equilibrated problem from now on.
int run_equilibrate(perp_run *run);
int run_ended(const perp_run *run);   // 1: run_continue would be 0
// 1 if the deadline has passed: for long steps inside an iteration
int run_out_of_time(perp_run *run);
perp_deadline run_deadline(perp_run *run);   // the same, for linear solvers
// counts factorisations, and how many entries the factor has: 0 where that means nothing
void run_factored(perp_run *run, int32_t count, int64_t nonzeros);
double run_seconds_left(const perp_run *run);   // INFINITY: there is no limit
// The method expects to end after this many times the seconds that the look at A took. If that fits
// into the time left, the last sweeps keep little time. Returns 0 if it does not fit.
int run_expects(perp_run *run, double looks);
// The method may not end in time. The last sweeps keep at least the time of this many products, but at
// most half of the time left.
void run_leaves(perp_run *run, double products);
// Do so many products with A fit into the time left, as long as one is expected to take?
int run_fits(const perp_run *run, double products);
// The same as long as one takes at least: 0 only where something certainly does not fit. Work is
// left out for this reason alone, as a forecast that is too dark would destroy what works.
int run_may_fit(const perp_run *run, double products);
enum { RUN_ANALYSIS = 60,     // products that take as long as a copy of A and the order of its
                              //   factor: 30 to 75 on walls and grids
       RUN_PIVOTS = 24,       // products that take as long as pivots on a full A at least: they need
                              //   no order of a factor (dense-pd: 22 to 25, and 3/4 of a
                              //   product is what one takes at least)
       RUN_SMALL = 400,       // rows of a sparse A below which no work is skipped: pivots solve such
                              //   a problem in the time of a few hundred products
       RUN_TINY = 100 };      // the same for a full A
// A has all of its entries, or a fifth: pivots come first, and keep a dense factor.
int run_is_full(const perp_operator *A);
// Work that takes `products` with a large sparse A takes at least this many with A.
double run_least_products(const perp_operator *A, double products);
int run_may_fit_analysis(perp_run *run);   // RUN_ANALYSIS; 0: they do not, and the run has ended

// u proves that this problem has no solution (perp_farkas). 1: it does on the caller's data too,
// and the run has ended as infeasible; 0: go on. A proof with a finite radius says nothing of
// larger x: it ends the run as "no small solution", and only as a last resort.
int run_infeasible(perp_run *run, const double *u);
// 1: some row fails whatever x is, by no more than the tolerance explains. Then that no x solves the
// problem exactly proves nothing.
int run_contradicts_slightly(const perp_run *run);
// 1: a Farkas vector stands behind this status.
static inline int status_is_proof(perp_status status) {
  return status == PERP_STATUS_INFEASIBLE || status == PERP_STATUS_NO_SMALL_SOLUTION;
}

// What a method keeps for the solves that follow: NULL at first, else what the last run with this
// `release` has put there. It is released with the solver, or when another method wants the place.
void **run_kept(perp_run *run, void (*release)(void *object));

// Memory beyond bytes(), released when the run ends. NULL: there is none, and the run has ended.
// A method that uses it has no PERP_TRAIT_NO_ALLOC.
void *run_allocate(perp_run *run, size_t bytes);
void run_no_memory(perp_run *run, const char *what);   // ends the run with the error of memory
const perp_allocator *run_allocator(const perp_run *run);   // for objects with their own destroy

// Another method on the same problem, from run->x on: returns how it ended; run->x is its best
// iterate, statistics are added. iteration_limit and seconds bound it besides what is left of the
// parent's own limits. The child's arrays come from run->memory where the parent's bytes() counted
// them with child_bytes(), else from run_allocate().
perp_status run_child(perp_run *run, const perp_method *method, const perp_options *options,
                      int32_t iteration_limit, double seconds);
// The same on another problem of the same size, whose solutions are not the parent's (a proximal
// step, a relaxation): b, bounds or A differ. The child is judged by its own certificate: nothing
// is claimed for the parent, which checks x with run_check().
perp_status run_other(perp_run *run, const perp_problem *problem, const perp_method *method,
                      const perp_options *options, double *x, int32_t iteration_limit,
                      double seconds);
// The parent's options with the method's own parameters at their defaults.
perp_options child_options(const perp_run *run, const perp_method *method);
size_t child_bytes(const perp_method *method, const perp_limits *limits,
                   const perp_options *options);

#endif
