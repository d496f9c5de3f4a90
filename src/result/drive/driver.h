// driver.h: the state of a solver (solver*.c) and of one of its runs (run*.c).
#ifndef PERP_DRIVER_H
#define PERP_DRIVER_H

#include "certify.h"
#include "problem.h"
#include "small_dense.h"
#include "run.h"

typedef struct pace {        // seconds that a repeated operation takes
  double recent, least;      // recent measurements, 0: none yet; the shortest one
} pace;

// The largest contradiction among the conditions that is too small to be a proof (contradiction.c).
typedef struct contradiction {
  double by;                 // y_row has the wrong sign by at least this; 0: no contradiction
  double allowed;            // the part of `by` that tolerance and rounding explain, over all rows
  int32_t row, rows;         // the row with the largest part; the number of rows with a part
  int32_t impossible;        // number of rows that no x satisfies (certify_impossible.h), or 0
} contradiction;

struct perp_solver {
  perp_allocator allocator;
  perp_options options;
  perp_limits limits;
  const perp_method *method;
  void *block;               // all memory below
  team *threads;
  perp_solver **lanes;       // limits.lanes - 1 further solvers, for batches
  struct {                   // kept by a method from one solve to the next
    void *object;
    void (*release)(void *object);
  } kept;
  int32_t batch_failed;      // the first problem of this lane that gave an error
  perp_error batch_error;    // that error
  char batch_message[256];   // its perp_last_message()
  const perp_method *small_dense_method;   // named as the method where small_dense.c solves; NULL:
                             //   the options do not allow small_dense.c
  certifier judge;           // certifies x on the caller's data
  presolve reduced;
  double *x;                 // n: the current answer, in the caller's units
  double *seen, seen_residual;   // n: the best x of run_remember(); NULL: there is no time limit
  double *farkas;            // n: the proof of "infeasible" or "no small solution"
  double *farkas_work;       // farkas_doubles(n)
  double radius;             // the proof holds for all |x| within this radius
  arena runs;                // memory of one run; the next one reuses it
  struct {                   // attempt.c
    void *memory;            // method->bytes() bytes; NULL: this solver makes no attempts
    uint64_t pattern, values;   // stamps of the A of the last attempt
    int32_t n;               // size of that A; -1: none
  } attempt;
  // the solve in progress:
  const perp_problem *problem;
  uint64_t seen_pattern, seen_values;   // stamps of the last A that was validated
  int32_t seen_n;            // size of that A; -1: none
  pace once, twice;          // time of a certificate with one product, with two products
  int unmeasured;            // this solve has not yet timed a certificate
  const perp_operator_ops *pace_ops;   // `once` and `twice` are for this kind of operator
  double pace_entries;       //   with this many entries
  double (*clock)(void *);
  double start, deadline;    // the runs end at the deadline
  double reserve;            // seconds for the last sweeps, after the deadline
  double end;                // end of the last sweeps: then only the final certificate follows
  int32_t waiting;           // number of blocks after this one
  double look;               // seconds that the analysis of all of A took; 0: not known
  double validation;         // seconds that validating the problem took; 0: not known
  int timed;                 // there is a time limit
  int y_known;               // judge.y = A x + b at the guess
  double guess_residual;     // residual of the guess; < 0: not known
  int watching;              // read the clock in every iteration
  int32_t iterations, inner_iterations, factorizations, trace_count, trace_stride;
  int64_t solutions, factor_nonzeros;
  perp_certificate verdict;  // the certificate of judge.x, if `judged`
  int was_reduced;           // the last runs were on a presolved or split problem
  int turns;                 // presolve has multiplied some rows by -1
  int judged;                // the last check was the full certificate
  contradiction slight;
  perp_error error;          // PERP_ERROR_OPERATOR once the operator has aborted
};

typedef struct residual_at { double seconds, residual; } residual_at;   // the residual at a time

typedef struct run_state {   // the driver's side of a run
  perp_solver *solver;
  const int32_t *index;      // row of the run -> row of the caller's problem; NULL: the same
  const double *R, *C;       // caller's x = C (run's x), run's y = R (caller's y); NULL: all 1
  double *best, best_residual;
  double *previous;          // n: the last x, for E13 (109); NULL when off
  double *y, *a;             // n: A x + b and |A||x| + |b| at the last check
  double trigger;            // an estimate up to this is worth a check, which costs a product
  double last_measure;
  int32_t next_check;        // checks also follow iteration 16 and each doubling of it
  int32_t iteration_limit;
  double deadline, end;      // end: the latest deadline, should the last sweeps need no time
  int started, ended, solved;
  int asked;                 // the caller has asked to stop
  residual_at decade[2];     // where the last two decades of the residual began
  double began;              // when the current iteration began
  double step, last_step;    // seconds expected of the next iteration, measured of the last one
  int y_known;               // y = A x + b at run->x
  int judged;                // see run_spec
  int true_residual;         // best_residual is the residual of `best`, not an estimate
  struct run_block *blocks;  // memory from run_allocate
  const struct run_given *given;   // the problem before run_equilibrate
  facts scaled;              // of A, once rows and columns are scaled by different factors
} run_state;

typedef struct run_spec {    // what to run
  const perp_method *method;
  const perp_options *options;
  perp_operator A;
  facts *facts;              // of A
  const double *b, *lo, *hi; // n; lo, hi may be NULL
  double *x;                 // n: guess in, best iterate out
  const int32_t *index;      // see run_state
  const double *R, *C;       // scaling by the parent, already in A, b, lo, hi
  const perp_limits *limits; // of this problem; NULL: the solver's
  double *y;                 // n: A x + b at x, in and out, valid if *y_known; may be NULL
  int *y_known;
  double residual;           // residual of x; < 0: not known
  int is_child;              // another run started this one: the trace has begun
  int only_sweeps;           // see perp_run
  int judged;                // the caller of run_execute compares the answer with the guess itself
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

typedef struct run_given {   // input of run_equilibrate
  const run_spec *spec;
  const run_arrays *arrays;
  perp_wrapper *wrapper;
  size_t scratch;
} run_given;

// lean: A is a grid of cells and is not scaled, and only the judge looks at its rows
run_arrays run_layout(arena *memory, int32_t n, size_t scratch, int lean, int previous);
int run_is_lean(const perp_method *method, const perp_limits *limits, const perp_options *options);
// Scratch bytes for the operator, for a reduced CSC matrix, and for a wrapper around either.
size_t run_scratch(size_t operator_bytes, int32_t n, int lean);
// Replaces the problem by a scaled one if the method's traits ask for that.
void run_scale(perp_run *run, const run_spec *spec, const run_arrays *arrays,
               perp_wrapper *wrapper);
void run_set_weights(const perp_run *run, double *weight);    // n
int run_rows_pass(const perp_run *run);   // 1: all rows clearly pass; 0: not sure
// Executes a run; *run then holds its outcome.
perp_error run_execute(perp_solver *solver, const run_spec *spec, arena memory, perp_run *run);
void run_save_best(perp_run *run);                    // saves x and its residual
void run_leave(run_state *state, double seconds);     // leaves `seconds` to the last sweeps
double run_check_seconds(const perp_run *run);        // seconds that a certificate may take
void run_expect_step(run_state *state, double now);   // sets state->step
void run_foresee(perp_run *run, double now);          // cuts the reserve if the run ends in time
// 1: on this grid the solver keeps the proof of "infeasible" in the run's vector of weights, which
// the method does not need at its end. run_lent(): that vector; runs: the memory of the run
int run_lends(const perp_method *method, const perp_limits *limits, const perp_options *options);
double *run_lent(arena runs, int32_t n);
void solver_release_kept(perp_solver *solver);
void run_release(run_state *state, struct run_block *until);  // frees blocks newer than `until`
int attempt_allowed(const perp_options *options);   // the options ask for nothing that needs a run
// Call right after solver_prepare. Sets certificate->solved to 1 if the method's one pass solves.
perp_error solver_attempt(perp_solver *solver, const double *guess, perp_certificate *certificate);
// Moves components of the certified judge.x to the bounds that y points to: snap_to_bounds.c
perp_error solver_snap(perp_solver *solver, perp_certificate *certificate);
// Refines judge.x, which is not certified, with residuals in twice the precision: refine.c
perp_error solver_refine(perp_solver *solver, perp_certificate *certificate);
// 1: u is a proof on the caller's data. 0: it is none; a small contradiction is kept in `slight`.
int solver_check_farkas(perp_solver *solver, const double *u, perp_farkas *farkas);
// Once x is certified: keeps rows that no x satisfies exactly in `slight`.
void solver_find_contradiction(perp_solver *solver);
// Presolve turns a row whose variables are all fixed into an empty row. If the certificate accepts
// that row's contradiction, this hides it from the methods.
void solver_forgive_contradictions(perp_solver *solver);
// Writes `slight` as a sentence, or an empty text if there is none.
void solver_tell_contradiction(const perp_solver *solver, char *text, size_t size);
double solver_seconds(const perp_solver *solver);   // since the solve began
// Certifies x and measures how long that takes. far: see certifier_check
perp_error solver_check(perp_solver *solver, const double *x, int far,
                        perp_certificate *certificate);
double pace_of(const pace *p, double left);         // expected seconds, with a margin
double pace_least(const pace *p);                   // lower bound of the seconds
void pace_note(pace *p, double seconds);            // adds a measurement
// Analyses A for the certificate. If that takes more than `part` of the time until `until`, it
// looks at the diagonal of A only.
perp_error solver_prepare(perp_solver *solver, const perp_problem *problem, double until,
                          double part);
// The `part` for solver_prepare before the runs. 0: only sweeps fit into the time limit.
double solver_part_to_look(const perp_solver *solver, const perp_problem *problem);
// For a new A: scales the paces of the last A by the number of entries, or forgets them if the
// operators differ in kind.
void solver_forget_pace(perp_solver *solver, const perp_problem *problem);
// Copies the paces to a solver whose A takes as long.
void solver_take_pace(perp_solver *to, const perp_solver *from, const perp_problem *problem);
// Guesses the paces from the seconds of the validation and of solver_prepare.
void solver_guess_pace(perp_solver *solver, double validation, double preparation);
// Measures products with A if the paces seem too long.
perp_error solver_doubt_pace(perp_solver *solver);
double solver_kept(const perp_solver *solver, double left);   // seconds for the final certificate
// Where only the diagonal of A was looked at and has zeros: 1 if x (n) is no worse than z (n) for
// any units of the rows with A_ii = 0 (unitless.c).
int solver_no_worse(perp_solver *solver, const double *x, const double *z);
// Seconds for the last sweeps. They get few if the runs should end at `end`, well before `all`.
double solver_brief(const perp_solver *solver, double end, double all);
// Expected seconds for pivots on all of a full symmetric A; INFINITY: not known.
double solver_pivots(const perp_solver *solver, const perp_operator *A);
// 1: the time is so short that method->hasty replaces the method on A, which may be a block's
int solver_hastens(const perp_solver *solver, const perp_operator *A, double deadline);
// The matrix of `problem` if small_dense.c takes it; else NULL.
const perp_dense *solver_small_dense(const perp_solver *solver, const perp_problem *problem,
                                     const double *x);
void solver_small_dense_message(small_dense_end end, char *message);

typedef struct solving {     // a solve, from stage to stage
  perp_solver *s;
  const perp_problem *problem;
  double *x;                 // n: the caller's, guess in and answer out
  perp_result *result;
  int known;                 // the structure of A has been validated
  small_dense_end end;       // how small_dense.c ended
  const small_dense_answer *candidate;   // its x, if the end is SMALL_DENSE_CANDIDATE
  perp_run outcome;          // of the runs; credit: the method that found x
  perp_certificate certificate, of_reference, of_guess;   // of the current x, x_ref, the guess
  int looks_for_all;         // the method enumerates
  int hurried;               // there was time for the diagonal of A only
  int open;                  // x_ref is not the answer
  int sweeps_last;           // there may be time for sweeps after the runs
  double setup_seconds;
} solving;
perp_error solver_run(solving *v);   // called if x_ref and the guess are no solutions
// The runs of one pass: one on each block that presolve leaves, or one on all of A.
perp_error solver_run_all(perp_solver *solver, int presolving, perp_run *outcome);
run_spec solver_spec(perp_solver *solver);   // a run on the caller's problem, from solver->x
// Sets solver->x to the clamped guess, but to x_ref in components that x_ref solves exactly. Returns 1
// if all of x is x_ref.
int solver_set_guess(perp_solver *solver, const double *guess);
void solver_copy(const perp_solver *solver, double *to, const double *from);   // n
perp_error solver_check_capacity(const perp_solver *solver, const perp_problem *problem);
// The method that options.start runs before the method itself (E13 6, ANE17 7); NULL: none.
const perp_method *solver_start(const perp_options *options);
perp_options solver_start_options(const perp_options *options, const perp_method *first);
#define MESSAGE_SOLVED "The certificate holds."
// One to four sentences: what happened, how far x is from a solution, what to do.
void solver_message(const perp_solver *solver, const perp_run *outcome, perp_result *result);
// PERP_OK if the operator and the rows have what the method's table entry needs. The run itself
// checks the needs that depend on the entries of A.
perp_error method_fits(const perp_method *method, const perp_problem *problem, facts *of_A);
void solver_finish_small_dense(const perp_solver *solver, small_dense_end end,
                               const small_dense_answer *answer, int32_t n, double *x,
                               perp_result *result);
double measure_of(perp_measure measure, int32_t n, const double *x, const double *y,
                  const double *b, const double *lo, const double *hi, const double *R,
                  const double *C);   // NULL: 1

#endif
