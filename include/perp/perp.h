// perp.h: state a complementarity problem, solve it, and trust the answer.
//
// Find x such that, with y = A x + b:
//     lo <= x <= hi,   y_i >= 0 where x_i < hi_i,   y_i <= 0 where x_i > lo_i.
// So y_i = 0 between the bounds, y_i >= 0 at the lower bound, y_i <= 0 at the upper bound, and y_i
// is arbitrary where lo_i = hi_i. LCP (linear complementarity problem): lo = 0, hi = +inf. Mixed:
// lo = -inf and hi = +inf on free rows, so y_i = 0. Boxed: finite hi.
//
// A perp_error says that a call was wrong or that memory was missing. A perp_status says how a
// solve ended. Reaching the time limit is a status: x is then the best iterate. Only the
// certificate (perp_certify) decides that x is a solution; a method never does.
//
// A perp_problem points to your data. perp does not change them, and a solver keeps no pointer to
// them after a call returns. Threads may call any function at the same time if no two use the same
// perp_solver. After fork() the child may use and destroy its parent's solvers; they then work in
// one thread.
//
// Other headers: matrix.h (contacts, grids, matrices of your own), tuning.h (settings of single
// methods), analysis.h (proofs, error bounds, classes of matrices), method.h (the table of methods,
// linear solvers of your own), batch.h (many small problems at once), gallery.h (test problems).
#ifndef PERP_PERP_H
#define PERP_PERP_H

#include <stddef.h>
#include <stdint.h>

#include "tuning.h"
#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif

const char *perp_version(void);   // version of the library; the header's is PERP_VERSION_STRING

// ---------------------------------------------------------------------------- errors and statuses

// What was wrong with a call.
#define PERP_ERROR_LIST(X)                                                      \
  X(OK,          "ok",          "no error")                                     \
  X(ARGUMENT,    "argument",    "an argument of the call is wrong")             \
  X(PROBLEM,     "problem",     "the problem's data are not valid")             \
  X(OPTION,      "option",      "an option has no such name or value")          \
  X(UNSUPPORTED, "unsupported", "the method cannot take this kind of problem")  \
  X(CAPACITY,    "capacity",    "the problem exceeds the solver's perp_limits") \
  X(MEMORY,      "memory",      "the allocator returned no memory")             \
  X(OPERATOR,    "operator",    "the operator's apply() asked to abort")

typedef enum perp_error {
#define PERP_X(id, name, text) PERP_ERROR_##id,
  PERP_ERROR_LIST(PERP_X)
#undef PERP_X
  PERP_ERROR_COUNT
} perp_error;
#define PERP_OK PERP_ERROR_OK   // the call did what it says

const char *perp_error_name(perp_error error);   // "problem"
const char *perp_error_text(perp_error error);   // "the problem's data are not valid"
// The message of the last call that failed in this thread: "row 17: lo = 0.5 > hi = 0.2"
const char *perp_last_message(void);
// For libraries built on perp: sets that message and returns the code.
perp_error perp_fail(perp_error code, const char *message);

// How a solve ended. The merit is the function that a method lowers, such as 1/2 |residual|^2.
#define PERP_STATUS_LIST(X)                                                                       \
  X(UNSOLVED,        "unsolved",        "nothing is claimed")                                     \
  X(SOLVED,          "solved",          "the certificate holds")                                  \
  X(ITERATION_LIMIT, "iteration limit", "the iteration limit was reached")                        \
  X(TIME_LIMIT,      "time limit",      "the time limit was reached")                             \
  X(STOPPED,         "stopped",         "the callback asked to stop")                             \
  X(MEASURE,         "measure reached", "stop.measure fell below stop.tol, without a certificate") \
  X(STALLED,         "stalled",         "the merit hardly changes from one iterate to the next")  \
  X(STAGNATED,       "stagnated",       "x hardly changes from one iterate to the next")          \
  X(NOT_DESCENT,     "not descent",     "no descent direction was found")                         \
  X(LOCAL_MINIMUM,   "local minimum",   "a stationary point of the merit that is no solution")    \
  X(RAY,             "ray",             "pivoting ended on a ray, which proves nothing")          \
  X(INFEASIBLE,      "infeasible",      "a checked Farkas vector proves that no solution exists") \
  X(NO_SOLUTION,     "no solution",     "every candidate was examined and none is a solution")    \
  X(BREAKDOWN,       "breakdown",       "the iterates overflowed or a pivot vanished")            \
  X(OTHER_MODEL,     "other model",     "x solves a simpler model, not the problem given")        \
  X(NO_SMALL_SOLUTION, "no small solution", "a checked Farkas vector proves that no solution has "  \
                                          "|x|_1 below the radius; larger x are not excluded")

typedef enum perp_status {
#define PERP_X(id, name, text) PERP_STATUS_##id,
  PERP_STATUS_LIST(PERP_X)
#undef PERP_X
  PERP_STATUS_COUNT
} perp_status;

const char *perp_status_name(perp_status status);   // "time limit"
const char *perp_status_text(perp_status status);   // "the time limit was reached"

// ---------------------------------------------------------------------------------------- problem

typedef struct perp_dense {   // a dense square matrix
  int32_t n;
  const double *value;        // n x n
  int32_t ld;                 // distance between rows (or columns); 0 means n
  int32_t by_column;          // 0: row-major, as in C; 1: column-major, as in Fortran
} perp_dense;

typedef struct perp_csc {     // a sparse matrix by compressed columns; rows sorted, no duplicates
  int32_t rows, columns;      // equal in a problem
  const int32_t *colptr;      // columns + 1
  const int32_t *row;         // colptr[columns]
  const double *value;        // colptr[columns]
} perp_csc;

typedef struct perp_callback {  // a matrix known only through products
  int32_t n;
  int (*apply)(void *context, const double *x, double *y);             // y = A x; non-zero aborts
  int (*apply_transpose)(void *context, const double *x, double *y);   // may be NULL
  const double *diagonal;                                              // n, may be NULL
  void *context;
} perp_callback;

// What the caller knows about A. Claims help to choose a method. The certificate trusts none of
// them.
#define PERP_CLAIM_NONE      0u    // nothing
#define PERP_CLAIM_SYMMETRIC 1u    // A = A'
#define PERP_CLAIM_PSD       2u    // x'Ax >= 0
#define PERP_CLAIM_PD        4u    // x'Ax > 0 for x != 0
#define PERP_CLAIM_Z         8u    // off-diagonal entries <= 0
#define PERP_CLAIM_H        16u    // H-matrix with positive diagonal

typedef struct perp_operator_ops perp_operator_ops;   // matrix.h
typedef struct perp_operator {   // a matrix of any kind
  const perp_operator_ops *ops; // what it can do
  const void *self;             // the data of the matrix
  int32_t n;
  uint32_t claims;              // PERP_CLAIM_*
} perp_operator;

// From here to perp_from_callback: a matrix as an operator, which points to it. claims are
// PERP_CLAIM_*, joined by |.
perp_operator perp_from_dense(const perp_dense *matrix, uint32_t claims);
perp_operator perp_from_csc(const perp_csc *matrix, uint32_t claims);
perp_operator perp_from_callback(const perp_callback *matrix, uint32_t claims);
// y = A x. x must be finite; where the product overflows, y is 0 and the call fails.
perp_error perp_apply(const perp_operator *A, const double *x, double *y);

typedef struct perp_problem {   // points to the caller's data
  perp_operator A;
  const double *b;              // n
  const double *lo;             // n, may hold -inf; NULL means 0
  const double *hi;             // n, may hold +inf; NULL means +inf
  uint64_t pattern_stamp;       // 0, or a number that changes whenever A's pattern does
  uint64_t value_stamp;         // 0, or a number that changes whenever A's values do. A solver that
                                //   meets the same stamps again does not examine A again
} perp_problem;

perp_error perp_validate(const perp_problem *problem);   // PERP_OK, or an error and its message

// ------------------------------------------------------------------------------------ certificate

enum { PERP_KKT_GAP = 1, PERP_KKT_PRIMAL = 2, PERP_KKT_DUAL = 4 };   // bits of kkt_failed

typedef struct perp_certificate {   // docs/theory.md defines r, G and S
  int32_t solved;             // 1: r_i is within its allowance in every row
  int32_t attainable;         // 1: solved, but only because the rounding error of A x at this x is
                              //   allowed for: doubles cannot do better
  int32_t weaker;             // 1: the residual is scaled by the diagonal or not at all, because A
                              //   does not tell its row and column maxima or its components, or
                              //   because time ran out. A product needs only its diagonal
  int32_t worst;              // row with the largest r_i relative to its component; -1 if n = 0
  int32_t components;         // connected components of A's pattern
  double residual;            // max over i of r_i / (G_c if > 0, else S_c): about <= tol if solved
  double natural_residual;    // max |x - clamp(x - y, lo, hi)|, in the caller's units
  double bound_violation;     // max distance of the given x from [lo, hi], before it is clamped
  double gap;                 // sum of |y_i| times the distance of x_i to the bound that y_i points
                              //   to, or |x_i| where that bound is infinite
  // If A = [P -B'; B D] with symmetric P and D, the problem is the optimality conditions of a
  // quadratic program: docs/theory.md, "Quadratic programs". Otherwise these six are 0.
  int32_t kkt;                // 1: A is of this form
  int32_t kkt_failed;         // why x was refused: PERP_KKT_GAP, PERP_KKT_PRIMAL (feasibility),
                              //   PERP_KKT_DUAL (stationarity), each in its own scale
  double objective;           // 1/2 v'P v + q'v at the primal variables v of x
  double dual_objective;      // at the multipliers of x; objective - dual_objective is the gap
  double primal_residual;     // the largest violation of a constraint, in the caller's units
  double dual_residual;       // the largest natural residual of a row of P v + q - B'l
  double componentwise;       // max over i of the part of y_i that has the wrong sign, relative to
                              //   the row's own |A||x| + |b| and the smallest b_k of its component;
                              //   <= componentwise_tol if solved. -1: not known, because A does not
                              //   tell |A||x|, x is far from a solution, or there is no limit
  int32_t componentwise_row;  // the row of that maximum; -1: no row is wrong beyond rounding
  int32_t refuted;            // 1: x is within all tolerances but not solved, because no exact
                              //   solution is near it (components of up to 16 rows)
} perp_certificate;

// Certifies any x, from any source. y (n, may be NULL) receives A x + b in compensated arithmetic.
// Rows whose natural residual is at most absolute_tol (0: none), in the units of y, are accepted
// too. analysis.h has perp_certify_with, which takes every tolerance.
perp_error perp_certify(const perp_problem *problem, const double *x, double tol,
                        double absolute_tol, double *y, perp_certificate *certificate);

// ---------------------------------------------------------------------------------------- options

typedef struct perp_method perp_method;           // a row of the method table: method.h
typedef struct perp_linear_ops perp_linear_ops;   // a linear solver: method.h
const perp_method *perp_find_method(const char *name);      // "pgs"; NULL if there is none
const char *perp_method_name(const perp_method *method);    // "pgs"

typedef struct perp_statistics {   // one iteration
  int32_t iteration;               // of the method, so far
  int32_t inner_iterations;        // of the linear solver, so far
  double seconds;                  // since the solve began
  double residual;                 // the method's estimate of perp_certificate.residual
  double measure;                  // stop.measure if one is chosen, else the residual
} perp_statistics;

typedef struct perp_allocator {    // NULL functions mean malloc and free
  void *(*allocate)(void *context, size_t bytes);   // aligned for any type
  void (*release)(void *context, void *memory);     // memory that allocate returned
  void *context;
} perp_allocator;

typedef struct perp_options {      // from perp_default_options()
  size_t size;                     // sizeof(perp_options): a struct of zeros is refused
  const perp_method *method;       // the method that these options are for
  double tol;                      // relative tolerance of the certificate
  double absolute_tol;             // see perp_certify; 0: none
  double time_limit;               // seconds; INFINITY: none
  int32_t iteration_limit;         // after which the best iterate is returned
  int32_t threads;                 // how many perp uses; the bits of x do not depend on it
  int32_t presolve;                // 1: first remove fixed variables, empty and singleton rows
  int32_t split;                   // a perp_split: solve connected components one by one
  int32_t scale;                   // 1: diagonal scaling, for methods that gain from it
  uint64_t seed;                   // of random numbers, for methods that use any
  perp_stop_options stop;          // from here to subspace: groups of settings that few callers
  perp_sweep_options sweep;        //   change, see tuning.h
  perp_gradient_options gradient;
  perp_enumerate_options enumerate;
  perp_start_options start;
  perp_newton_options newton;
  perp_krylov_options krylov;
  perp_pivot_options pivot;
  perp_barrier_options barrier;
  perp_friction_options friction;
  perp_proximal_options proximal;
  perp_subspace_options subspace;
  // from here to trace_capacity: set by programs only, not by name
  int (*on_iteration)(void *context, const perp_statistics *statistics);   // non-zero: stop
  // enumerate calls it with each isolated solution (dimension 0) and with one point of each face of
  // solutions; non-zero: stop
  int (*on_solution)(void *context, const double *x, int32_t n, int32_t dimension);
  void *context;
  double (*clock)(void *clock_context);   // seconds, monotonic; NULL: the system's
  void *clock_context;
  const perp_scheduler *scheduler; // NULL: perp's own threads
  const perp_linear_ops *linear;   // NULL: the method chooses its linear solver
  perp_statistics *trace;          // trace_capacity entries in the caller's memory. When full,
  int32_t trace_capacity;          //   every second entry is dropped and the stride doubles. The
                                   //   last entry is the end of the solve, with the certified
                                   //   residual
  double *farkas;                  // n, may be NULL: receives the Farkas vector of "infeasible" or
                                   //   "no small solution"
  double componentwise_tol;        // limit of perp_certificate.componentwise; 0: 1e6 tol
} perp_options;

perp_options perp_default_options(const perp_method *method);   // NULL: auto
// "sweep.omega", "1.4"; or "preset" and the name of a preset of the method
perp_error perp_set_option(perp_options *options, const char *key, const char *value);

// ---------------------------------------------------------------------------------------- solving

typedef struct perp_result {       // what a solve found
  perp_status status;
  const perp_method *method;       // the method that found x: for auto, the one it chose
  int32_t iterations;              // of the method
  int32_t inner_iterations;        // of its linear solver
  int32_t factorizations;          // of matrices
  int32_t trace_count;             // entries of options.trace that are filled
  int32_t trace_stride;            // iterations from one entry to the next
  int64_t solutions;               // enumerate: how many were found
  int32_t complete;                // enumerate: 1: there are no others; 0: a limit was reached or a
                                   //   case is undecided
  double setup_seconds;            // validation, equilibration, presolve, analysis
  double seconds;                  // all of perp_solve; 0 for small dense problems, where reading
                                   //   the clock would take as long as the solve
  perp_certificate certificate;    // of x, on the caller's data; its numbers agree with those of
                                   //   perp_certify within 1e-3 tol, or within a relative 1e-3
  double radius;                   // status "no small solution": no solution has |x|_1 < radius.
                                   //   "infeasible": INFINITY; otherwise 0
  char message[1024];              // a sentence: what happened, and what to try next
  double regularization;           // sigma, if x comes from systems with A + sigma I, relative to
                                   //   entries of A near 1; 0: none. The certificate is for A
  int64_t factor_nonzeros;         // stored entries of the largest sparse factor; 0: none, or the
                                   //   method does not tell
} perp_result;

// Allocates, solves, frees. x: a guess on entry (zeros will do), the answer on return.
perp_error perp_solve_once(const perp_problem *problem, double *x, const perp_options *options,
                           perp_result *result);

// To solve many problems, create a solver once. It allocates its memory on creation. Methods with
// PERP_TRAIT_NO_ALLOC (method.h) allocate nothing in perp_solve.
typedef struct perp_solver perp_solver;
typedef struct perp_limits {       // the largest problem that a solver takes
  int32_t n;
  int64_t nnz;                     // stored entries of A (dense: n*n; product and contacts: entries
                                   //   of J; callback and grid: 0)
  size_t scratch;                  // the larger of the operator's scratch_bytes and sweep_bytes
  int32_t lanes;                   // problems of a batch solved at once, each with its own memory;
                                   //   0 or 1: one by one
  int32_t grid;                    // 1: grids of cells only, which need far less memory
} perp_limits;
perp_limits perp_limits_of(const perp_problem *problem);   // just enough for this problem

// method NULL: that of options, or auto. options NULL: the defaults. allocator NULL: malloc.
perp_error perp_solver_create(const perp_method *method, const perp_limits *limits,
                              const perp_options *options, const perp_allocator *allocator,
                              perp_solver **solver);
// x: a guess on entry (zeros will do), the answer on return.
perp_error perp_solve(perp_solver *solver, const perp_problem *problem, double *x,
                      perp_result *result);
void perp_solver_destroy(perp_solver *solver);       // NULL is fine
// Does the work that depends on A alone, without regard to options.time_limit. Later solves with
// the same stamps (not 0) skip this work.
perp_error perp_solver_prepare(perp_solver *solver, const perp_problem *problem);
// Sets the time limit of later solves, for example to the time left in a frame. Seconds must be
// finite and > 0, and the solver must have been created with a finite options.time_limit.
perp_error perp_solver_set_time_limit(perp_solver *solver, double seconds);

#ifdef __cplusplus
}
#endif
#endif
