// driver.h: what a solver holds and what it knows of a run: shared by the files of one solve,
// solver*.c, and of one run, run*.c.
#ifndef PERP_DRIVER_H
#define PERP_DRIVER_H

#include "certify.h"
#include "problem.h"
#include "small_dense.h"
#include "run.h"

typedef struct pace {        // of something that is done again and again: seconds
  double recent;             // 0: not known yet
  double least;
} pace;

// The largest contradiction among the conditions that is too small to be a proof (contradiction.c).
typedef struct contradiction {
  double by;                 // y_row misses its sign by this at least; 0: there is none
  double allowed;            // of that, what the tolerance and rounding explain: of rows together
  int32_t row, rows;         // the row with the largest part, and how many have one
  int32_t impossible;        // rows that no x satisfies (certify_impossible.h); 0: not about these
} contradiction;

struct perp_solver {
  perp_allocator allocator;
  perp_options options;
  perp_limits limits;
  const perp_method *method;
  void *block;               // all memory below
  team *threads;
  perp_solver **lanes;       // limits.lanes - 1 further solvers, for batches
  struct {                   // of a method, from one solve to the next
    void *object;
    void (*release)(void *object);
  } kept;
  int32_t batch_failed;      // first problem of this lane that was refused, and why
  perp_error batch_error;
  char batch_message[256];   //   in the words of perp_last_message()
  const perp_method *quick;  // who gets the credit for small_dense.c; NULL: an option asks for more
  certifier judge;           // on the caller's data
  presolve reduced;
  double *x;                 // n: the answer in the making, in the caller's terms
  double *seen, seen_residual;   // n: the best x of run_remember(); NULL: there is no time limit
  double *farkas;            // n: the proof of "infeasible" or "no small solution"
  double *farkas_work;       // farkas_doubles(n)
  double radius;             // of that proof
  arena runs;                // for the runs, one after the other
  struct {                   // attempt.c
    void *memory;            // of method->bytes(); NULL: none are made
    uint64_t pattern, values;   // stamps of the A that it knows,
    int32_t n;               //   and its size; -1: none
    int32_t rest;            // solves until the next one
  } attempt;
  // of the solve in progress
  const perp_problem *problem;
  uint64_t seen_pattern, seen_values;   // stamps of the A that was validated last,
  int32_t seen_n;                       //   and its size; -1: none
  pace once, twice;          // of a certificate with one product, with two of them,
  int unmeasured;                       //   none in this solve yet,
  const perp_operator_ops *pace_ops;    //   of such an operator
  double pace_entries;                  //   of this size
  double (*clock)(void *);
  double start, deadline;    // deadline: with time kept for the final certificate
  double reserve;            // seconds for the last sweeps, after the deadline,
  double end;                //   which end here
  int32_t waiting;           // blocks after this one
  double look;               // seconds that the look at all of A took; 0: not known
  double validation;         // seconds that it took; 0: not known
  int timed;                 // there is a time limit
  int y_known;               // judge.y is that of the guess
  double guess_residual;     // likewise; < 0: not known
  int watching;              // somebody needs the time in every iteration
  int32_t iterations, inner_iterations, factorizations, trace_count, trace_stride;
  int64_t solutions, factor_nonzeros;
  perp_certificate verdict;  // of the x in judge.x,
  int was_reduced;           // the last runs were on a presolved or split problem
  int turns;                 //   some of whose rows have changed their signs
  int judged;                //   where this is 1
  contradiction slight;
  perp_error error;          // PERP_ERROR_OPERATOR once the operator has aborted
};

typedef struct fall { double seconds, residual; } fall;   // of a residual: when it was what

typedef struct run_state {   // the driver's side of a run
  perp_solver *solver;
  const int32_t *index;      // row of the run -> row of the caller's problem; NULL: the same
  const double *R, *C;       // caller's x = C x of the run, y of the run = R y; NULL: 1
  double *best, best_residual;
  double *previous;          // n: the last x, for E13 (109); NULL when off
  double *y, *a;             // n: residual at a check
  double trigger;            // a residual at which a check is worth its product with A
  double last_measure;
  int32_t next_check;        // besides, check at iterations 16, 32, 64, ...
  int32_t iteration_limit;
  double deadline, end;      // end: no later, whatever the last sweeps leave of their time
  int started, ended, solved;
  int asked;                 // to stop, by the caller, between two x
  fall decade[2];            // where the last two decades of the residual began
  double began, step, last_step;   // of the iteration at hand; what the next one may take
  int y_known;               // y is that of run->x: until somebody changes either
  int judged;                // see run_spec
  int true_residual;         // best_residual is the residual of `best`, not an estimate
  struct run_block *blocks;  // of run_allocate
  const struct run_given *given;   // the problem before run_equilibrate
} run_state;

typedef struct run_spec {    // what to run
  const perp_method *method;
  const perp_options *options;
  perp_operator A;
  const double *b, *lo, *hi; // n; lo, hi may be NULL
  double *x;                 // n: guess in, best iterate out
  const int32_t *index;      // see run_state
  const double *R, *C;       // of the parent, already in A, b, lo, hi
  const perp_limits *limits; // of this problem; NULL: the solver's
  double *y;                 // n: A x + b at x, where *y_known; likewise out. NULL: nobody cares
  int *y_known;
  double residual;           // that of x; < 0: not known
  int is_child;              // of another run: the trace has begun
  int only_sweeps;           // see perp_run
  int judged;                // whoever asked compares the answer with the guess
  int32_t iteration_limit;
  double deadline;
} run_spec;

typedef struct run_arrays {
  double *x, *b, *lo, *hi, *R, *C, *weight, *best, *previous, *y, *a;   // n each, or NULL
  void *scratch;
} run_arrays;

static inline double factor_at(const double *scale, int32_t i) {
  return scale != NULL ? scale[i] : 1.0;
}

typedef struct run_given {   // what run_equilibrate needs
  const run_spec *spec;
  const run_arrays *arrays;
  perp_wrapper *wrapper;
  size_t scratch;
} run_given;

// lean: a grid of cells that is not scaled, whose rows nobody but the judge looks at
run_arrays run_layout(arena *memory, int32_t n, size_t scratch, int lean, int previous);
int run_is_lean(const perp_method *method, const perp_limits *limits, const perp_options *options);
// Room for the operator, for the same as a reduced CSC matrix, and for a wrapper around either.
size_t run_scratch(size_t operator_bytes, int32_t n, int lean);
// What the method asks for by its traits: the scaled problem in place of the given one.
void run_scale(perp_run *run, const run_spec *spec, const run_arrays *arrays,
               perp_wrapper *wrapper);
void run_set_weights(const perp_run *run, double *weight);    // n
int run_rows_pass(const perp_run *run);   // 1: all rows clearly pass; 0: they may all the same
// run: what came of it
perp_error run_execute(perp_solver *solver, const run_spec *spec, arena memory, perp_run *run);
void run_save_best(perp_run *run);                            // x and its residual
void run_leave(run_state *state, double seconds);             // to the last sweeps
double run_check_seconds(const perp_run *run);                // that a certificate may take
void run_expect_step(run_state *state, double now);           // how long the next one takes
void run_foresee(perp_run *run, double now);                  // whether the run ends in time
// On grids, for methods that need no weights once they have ended: 1: the solver takes that vector
// of its run for the proof of "infeasible". `runs`: where the run is
int run_lends(const perp_method *method, const perp_limits *limits, const perp_options *options);
double *run_lent(arena runs, int32_t n);
void solver_release_kept(perp_solver *solver);
void run_release(run_state *state, struct run_block *until);  // what run_allocate gave since then
// x of the last certificate, which says solved, moved to the bounds it belongs to
int attempt_allowed(const perp_options *options);   // nobody watches, nobody asks for less
// Right after solver_prepare: 1 in certificate->solved if the method's one pass has the answer.
perp_error solver_attempt(perp_solver *solver, const double *guess, perp_certificate *certificate);
perp_error solver_snap(perp_solver *solver, perp_certificate *certificate);
// judge.x, which is not certified, once more with residuals in twice the precision: refine.c
perp_error solver_refine(perp_solver *solver, perp_certificate *certificate);
// Does u prove something on the caller's data? 0: nothing, or a contradiction that is taken note
// of.
int solver_check_farkas(perp_solver *solver, const double *u, perp_farkas *farkas);
// Once x is certified: takes note of rows that no x satisfies exactly.
void solver_find_contradiction(perp_solver *solver);
// After presolve, which has left nothing of a row whose variables are all fixed: methods are not to
// see a contradiction that the certificate accepts.
void solver_forgive_contradictions(perp_solver *solver);
// In a sentence; empty where there is none
void solver_tell_contradiction(const perp_solver *solver, char *text, size_t size);
double solver_seconds(const perp_solver *solver);   // since the solve began
// The certificate of x; takes note of how long it took. far: see certifier_check
perp_error solver_check(perp_solver *solver, const double *x, int far,
                        perp_certificate *certificate);
double pace_of(const pace *p, double left);         // seconds to expect, with a margin
double pace_least(const pace *p);                   // seconds that it takes at least
void pace_note(pace *p, double seconds);
// What depends on A alone: all of it, or, where that takes more than this part of the time until
// then, its diagonal.
perp_error solver_prepare(perp_solver *solver, const perp_problem *problem, double until,
                          double part);
// The part that is right before the runs. 0: nothing but sweeps fits into the time limit
double solver_part_to_look(const perp_solver *solver, const perp_problem *problem);
// Another A: what was learned of the last one counts by the entries, or not at all.
void solver_forget_pace(perp_solver *solver, const perp_problem *problem);
// From one solver to another, whose A takes as long.
void solver_take_pace(perp_solver *to, const perp_solver *from, const perp_problem *problem);
// Before anything was measured: from what validation took, and the look at a new A.
void solver_guess_pace(perp_solver *solver, double validation, double preparation);
// Measures it once more where what is known is too long to be true.
perp_error solver_doubt_pace(perp_solver *solver);
double solver_kept(const perp_solver *solver, double left);   // for the final certificate
// After a look at the diagonal alone, which has zeros: 1 if x (n) is no worse than z (n) in any
// units of the rows without a diagonal (unitless.c).
int solver_no_worse(perp_solver *solver, const double *x, const double *z);
// Seconds for the last sweeps: few of them where the runs should end at `end`, in time before
// `all`.
double solver_brief(const perp_solver *solver, double end, double all);
// Seconds that pivots on all of A should take, where it is full and symmetric; INFINITY: not known.
double solver_pivots(const perp_solver *solver, const perp_operator *A);
// 1: another method takes the place of the solver's on A (of a block), as the time is short
int solver_hastens(const perp_solver *solver, const perp_operator *A, double deadline);
// The matrix of a small dense problem with all its arrays that fits this solver; else NULL.
const perp_dense *solver_small_dense(const perp_solver *solver, const perp_problem *problem,
                                     const double *x);
void solver_quick_message(small_dense_end end, char *message);

typedef struct solving {     // a solve, from stage to stage
  perp_solver *s;
  const perp_problem *problem;
  double *x;                 // n: the caller's, guess in and answer out
  perp_result *result;
  int known;                 // the structure of A has been validated
  small_dense_end end;       // of small_dense.c,
  const small_dense_answer *candidate;   //   and what it left open
  perp_run outcome;          // of the runs; credit: who found x
  perp_certificate certificate, of_reference, of_guess;   // of the x at hand, x_ref, the guess
  int looks_for_all;         // the method enumerates
  int hurried;               // the look at A was
  int open;                  // x_ref is not the answer
  int sweeps_last;           // there may be time for sweeps after the runs
  double setup_seconds;
} solving;
perp_error solver_run(solving *v);   // where x_ref and the guess are no solutions
// The runs of one pass: with presolve, one on each block that is left; else one on all of A.
perp_error solver_run_all(perp_solver *solver, int presolving, perp_run *outcome);
run_spec solver_spec(perp_solver *solver);   // a run on the caller's problem, from solver->x
// The guess within the bounds, but for components that x_ref solves exactly. 1: it is x_ref.
int solver_set_guess(perp_solver *solver, const double *guess);
void solver_copy(const perp_solver *solver, double *to, const double *from);   // n
perp_error solver_check_capacity(const perp_solver *solver, const perp_problem *problem);
// What runs in front of the method (E13 6, ANE17 7); NULL: nothing.
const perp_method *solver_start(const perp_options *options);
perp_options solver_start_options(const perp_options *options, const perp_method *first);
#define MESSAGE_SOLVED "The certificate holds."
// One to four sentences: what happened, how far x is from a solution, what to do.
void solver_message(const perp_solver *solver, const perp_run *outcome, perp_result *result);
// By the table of methods: PERP_OK if the operator and the rows have what the method needs. The
// numbers in A are looked at when the run begins.
perp_error method_fits(const perp_method *method, const perp_problem *problem);
void solver_finish_quickly(const perp_solver *solver, small_dense_end end,
                           const small_dense_answer *answer,
                           int32_t n, double *x, perp_result *result);
double measure_of(perp_measure measure, int32_t n, const double *x, const double *y,
                  const double *b, const double *lo, const double *hi, const double *R,
                  const double *C);   // NULL: 1

#endif
