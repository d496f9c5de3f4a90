// perp.h: everything a caller needs to state a complementarity problem,
// solve it and trust the answer.
//
// Find x such that, with y = A x + b:
//     lo <= x <= hi,   y_i >= 0 where x_i < hi_i,   y_i <= 0 where x_i > lo_i.
// So y_i = 0 between the bounds, y_i >= 0 at the lower one, y_i <= 0 at the upper one, and any y_i
// where both meet.
// LCP: lo = 0, hi = +inf.  Mixed: lo = -inf, hi = +inf on free rows.  Boxed: finite hi.
// Fixed: lo = hi.
//
// Errors are not statuses. A perp_error says that a call was wrong or resources were missing; a
// perp_status says how a solve ended. Running out of time is a legitimate answer: x is then the
// best iterate. "Solved" is decided by one certificate (perp_certify), never by a method.
//
// (Somewhat long: the options of all methods stand here, one struct that a caller can read whole.)
//
// Names the caller passes in are views: perp copies no matrix and keeps no pointer after a call
// returns. Functions may be called from several threads as long as no two share a perp_solver.
// After fork() the child may use and destroy what its parent made; its tasks run in one thread.
#ifndef PERP_PERP_H
#define PERP_PERP_H

#include <stddef.h>
#include <stdint.h>

#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif

// "0.1.0": of the library, where PERP_VERSION_STRING is the header's
const char *perp_version(void);

// ---------------------------------------------------------------------------------------- errors

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
#define PERP_OK PERP_ERROR_OK

const char *perp_error_name(perp_error error);   // "problem"
const char *perp_error_text(perp_error error);   // "the problem's data are not valid"
// what the last call that failed in this thread had to say, with names, values and limits:
// "row 17: lo = 0.5 > hi = 0.2"
const char *perp_last_message(void);

// -------------------------------------------------------------------------------------- statuses

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

const char *perp_status_name(perp_status status);
const char *perp_status_text(perp_status status);

// ------------------------------------------------------------------------------------- operators

typedef struct perp_dense {   // a dense square matrix
  int32_t n;
  const double *value;        // n x n
  int32_t ld;                 // distance between rows (or columns); 0 means n
  int32_t by_column;          // 0: row-major, as C arrays are; otherwise column-major,
                              //   as Fortran's are
} perp_dense;

typedef struct perp_csc {     // a sparse matrix by compressed columns; rows sorted, no duplicates
  int32_t rows, columns;
  const int32_t *colptr;      // columns + 1
  const int32_t *row;         // colptr[columns]
  const double *value;        // colptr[columns]
} perp_csc;

// A = J W J' + diag(compliance), never formed: contacts between bodies
typedef struct perp_product {
  int32_t n;                  // rows of J: constraints
  int32_t dofs;               // columns of J: degrees of freedom of all bodies
  const int32_t *rowptr;      // n + 1: J by compressed rows, columns sorted
  const int32_t *column;      // rowptr[n]
  const double *value;        // rowptr[n]
  int32_t block;              // W is block diagonal, blocks of block x block; 1: diagonal
  const double *W;            // dofs x block, row-major inside a block;
                              //   each block exactly symmetric and PSD
  const double *compliance;   // n, >= 0; NULL means 0
} perp_product;

// The contact LCP with friction, E13 (27) with its signs corrected, never formed: x = (ln, lt, s)
//         [ N'BN  N'BD  0 ]     normal impulses ln: of contact c at c,
//     A = [ D'BN  D'BD  E ]     along direction k   lt: at count + K c + k,
//         [ mu    -E'   0 ]     sliding speeds      s:  at (1 + K) count + c
// N picks the normal rows of B, D combines the tangential ones of a contact into its K directions,
// and E adds up the directions of a contact. n = (2 + K) count.
typedef struct perp_contacts {
  int32_t count;              // contacts
  int32_t directions;         // K: at each of them
  int32_t tangents;           // rows of B at a contact besides its normal: 2, or 1 in the plane
  const double *direction;    // K x tangents: direction k is the sum of direction[k*tangents + t]
                              //   times tangent t. For 2 tangents cos and sin of 2 pi k/K
  const double *mu;           // count, >= 0: coefficients of friction
  perp_product B;             // J W J' + diag(compliance): rows (1 + tangents) c ... at contact c,
                              //   its normal first
} perp_contacts;

// The pressure matrix of a grid of cells, -div(w grad), never formed: 5 points in two dimensions, 7
// in three. Cell (i, j, k) is row (k*cells[1] + j)*cells[0] + i. With w_f = face[d][f]/spacing[d]^2
// of the face between two neighbours, and h a liquid cell,
//     A_hh = sum of w_f over the faces to cells that are not solid,   A_hl = -w_f, l liquid too
// Air is p = 0, a solid cell and the edge of the grid let nothing through. The rows of cells that
// are not liquid are those of the identity: with b = 0 there, p = 0.
// For p >= 0 _|_ div u >= 0 let b = div u (before pressure, with area fractions, times density/dt).
typedef enum perp_cell { PERP_CELL_SOLID, PERP_CELL_LIQUID, PERP_CELL_AIR } perp_cell;
typedef struct perp_grid {
  int32_t cells[3];           // >= 1 each; cells[2] = 1: two dimensions
  double spacing[3];          // > 0: of cell centres
  const uint8_t *type;        // a perp_cell each
  const double *face[3];      // weights >= 0: area fraction of the face, over theta towards air
                              //   (ghost fluid). face[0] has cells[0] + 1 entries a line: the face
                              //   below (i, j, k) is at (k*cells[1] + j)*(cells[0] + 1) + i;
                              //   face[1] and face[2] likewise, with an entry more in that
                              //   direction. NULL: 1 everywhere
} perp_grid;

typedef struct perp_callback {  // A known only through products
  int32_t n;
  int (*apply)(void *context, const double *x, double *y);             // y = A x; non-zero aborts
  int (*apply_transpose)(void *context, const double *x, double *y);   // may be NULL
  const double *diagonal;                                              // n, may be NULL
  void *context;
} perp_callback;

typedef enum perp_view_kind {
  PERP_VIEW_NONE, PERP_VIEW_DENSE, PERP_VIEW_CSC, PERP_VIEW_PRODUCT, PERP_VIEW_CALLBACK,
  PERP_VIEW_CONTACT, PERP_VIEW_GRID
} perp_view_kind;

// what an operator really is: R * (the matrix named by kind) * C + shift I
typedef struct perp_view {
  perp_view_kind kind;
  const void *data;           // perp_dense, perp_csc, perp_product, perp_callback,
                              //   perp_contacts or perp_grid
  const double *R, *C;        // n each, NULL means 1
  double shift;
} perp_view;

// state of a projected Gauss-Seidel pass: x_i <- clamp(x_i - omega y_i/A_ii)
typedef struct perp_sweep {
  double *x;                  // n, updated in place
  const double *b;            // n
  const double *lo, *hi;      // n; NULL lo means 0, NULL hi means +inf
  const double *diagonal;     // n: of A; a row with A_ii <= 0 moves to the bound that y_i
                              //   points to, if finite
  const double *weight;       // n: what a change of x_i counts in `change`
  double omega;               // over-relaxation
  int32_t backward;           // rows to-1 .. from instead of from .. to-1
  int32_t fresh;              // x, b or the bounds were changed by somebody else: rebuild what
                              //   `memory` keeps; the sweep clears it
  void *memory;               // sweep_bytes(), aligned for doubles: residuals, body velocities,
                              //   kept between passes
  double change;              // out: max(change, weight_i |dx_i| / omega)
                              //   over the rows of this pass
} perp_sweep;

typedef struct perp_operator_ops {   // what A can do: a capability is a non-NULL function
  const char *name;
  size_t (*scratch_bytes)(const void *self);  // room that apply and residual need; NULL means none
  int  (*apply)(const void *self, const double *x, double *y, void *scratch);
                                                // y = A x, required; non-zero aborts
  int  (*apply_transpose)(const void *self, const double *x, double *y, void *scratch);  // y = A' x
  int  (*residual)(const void *self, const double *x, const double *b, double *y, double *a,
                   void *scratch);              // y = A x + b compensated, a >= |A||x| + |b|
  void (*row_col_max)(const void *self, const double *r, const double *c, double *row, double *col);
                                                // row_i = max_j r_i |A_ij| c_j, col_j likewise
  void (*diagonal)(const void *self, double *d);
  void (*add_column)(const void *self, int32_t j, double s, double *y);   // y += s A e_j
  size_t (*sweep_bytes)(const void *self);  // room that sweep keeps between passes; NULL means none
  int  (*sweep)(const void *self, perp_sweep *state, int32_t from, int32_t to);
                                                // a native Gauss-Seidel pass
  void (*submatrix)(const void *self, const int32_t *set, int32_t m, double *S);
                                                // S = A(set,set), m x m, row-major
  perp_view (*view)(const void *self);
} perp_operator_ops;

#define PERP_CLAIM_NONE      0u
#define PERP_CLAIM_SYMMETRIC 1u    // A = A'
#define PERP_CLAIM_PSD       2u    // x'Ax >= 0
#define PERP_CLAIM_PD        4u    // x'Ax > 0 for x != 0
#define PERP_CLAIM_Z         8u    // off-diagonal entries <= 0
#define PERP_CLAIM_H        16u    // H-matrix with positive diagonal
// Claims choose methods and kernels; no claim is trusted by the certificate.

typedef struct perp_operator {
  const perp_operator_ops *ops;
  const void *self;
  int32_t n;
  uint32_t claims;
} perp_operator;

perp_operator perp_from_dense(const perp_dense *matrix, uint32_t claims);
perp_operator perp_from_csc(const perp_csc *matrix, uint32_t claims);
// symmetric PSD is added to the claims
perp_operator perp_from_product(const perp_product *matrix, uint32_t claims);
perp_operator perp_from_contact(const perp_contacts *matrix, uint32_t claims);
// symmetric, PSD and Z are added to the claims
perp_operator perp_from_grid(const perp_grid *matrix, uint32_t claims);
perp_operator perp_from_callback(const perp_callback *matrix, uint32_t claims);

// Wrappers: `self` is the caller's storage and must outlive the operator. They keep what the inner
// operator can do, and its view where R A C + shift I can express it.
typedef struct perp_wrapper {
  perp_operator_ops ops;      // filled by the constructor
  perp_operator inner;
  const double *R, *C;        // n, positive: scaled
  double shift;               //    shifted
  const int32_t *set;         // m indices into the inner operator, ascending: restricted
  int32_t m;
} perp_wrapper;
perp_operator perp_scaled(perp_wrapper *self, perp_operator inner, const double *R,
                          const double *C);   // R A C
perp_operator perp_shifted(perp_wrapper *self, perp_operator inner, double shift);   // A + shift I
perp_operator perp_restricted(perp_wrapper *self, perp_operator inner, const int32_t *set,
                              int32_t m);   // A(set,set), linear

// --------------------------------------------------------------------------------------- problem

typedef struct perp_problem {   // views of the caller's data
  perp_operator A;
  const double *b;              // n
  const double *lo;             // n, may hold -inf; NULL means 0
  const double *hi;             // n, may hold +inf; NULL means +inf
  uint64_t pattern_stamp;       // 0, or a number that changes whenever A's pattern does
  uint64_t value_stamp;         // 0, or a number that changes whenever A's values do: lets a reused
                                //   solver skip validating and equilibrating the same matrix again
} perp_problem;

// Bounds for a pressure that can let go: lo = 0 and hi = inf in liquid cells that touch a solid cell,
// the edge of the grid or a face of weight below 1 not towards air (every: in all liquid cells);
// lo = -inf in the others, which are equations; lo = hi = 0 where there is no liquid.
perp_error perp_grid_bounds(const perp_grid *grid, int32_t every, double *lo, double *hi);

// PERP_OK, or an error with perp_last_message()
perp_error perp_validate(const perp_problem *problem);

// ----------------------------------------------------------------------------------- certificate

// Bits of perp_certificate.kkt_failed.
enum { PERP_KKT_GAP = 1, PERP_KKT_PRIMAL = 2, PERP_KKT_DUAL = 4 };

typedef struct perp_certificate {
  int32_t solved;             // r_i within the allowance in every component
  int32_t attainable;         // ... but only thanks to the rounding of A x at this x:
                              //   as good as doubles get
  int32_t weaker;             // A could not tell its row and column maxima or its components, or
                              //   there was no time: scaled by the diagonal, or not at all
                              //   (for a product the diagonal is enough)
  int32_t worst;              // index of the largest r_i relative to its component; -1 if n = 0
  int32_t components;         // connected components of A's pattern
  double residual;            // max over i of r_i / (G_c if > 0, else S_c):
                              //   "solved" means about <= tol
  double natural_residual;    // max |x - clamp(x - y, lo, hi)|, in the caller's units
  double bound_violation;     // max distance of the given x from [lo, hi], before it is clamped
  double gap;                 // sum of |y_i| times the distance of x_i to the bound
                              //   that y_i points to, |x_i| where that bound is infinite
  // Where A = [P -B'; B D] with symmetric P and D, the optimality conditions of a quadratic
  // program: docs/theory.md, "Quadratic programs". Otherwise these are 0.
  int32_t kkt;                // A is of this form
  int32_t kkt_failed;         // what x was refused for: PERP_KKT_GAP, PERP_KKT_PRIMAL (feasibility),
                              //   PERP_KKT_DUAL (stationarity), each in its own scale
  double objective;           // 1/2 v'P v + q'v at the primal variables v of x
  double dual_objective;      // at the multipliers of x; objective - dual_objective is the gap
  double primal_residual;     // the largest violation of B v >= c and the like, in the caller's units
  double dual_residual;       // the largest natural residual of a row of P v + q - B'l
  double componentwise;       // max over i of how much of y_i has the wrong sign, beside the row's
                              //   own |A||x| + |b| and the smallest b_k of its component; "solved"
                              //   means <= componentwise_tol. -1: not known, because A does not tell
                              //   |A||x|, because x is far from a solution, or because no limit asks
  int32_t componentwise_row;  // the row of that maximum; -1: no row is wrong beyond rounding
  int32_t refuted;            // 1: x is within all tolerances, yet not solved: no exact solution is
                              //   near it, as the linear systems of a component up to 16 rows tell
} perp_certificate;           // see docs/theory.md for r, G, S and why nothing is scaled by |A||x|

// The independent certificate. y (n, may be NULL) receives A x + b in compensated arithmetic.
// absolute_tol (0: none) additionally accepts rows whose natural residual is at most that,
// in the units of y. componentwise_tol is at its default.
perp_error perp_certify(const perp_problem *problem, const double *x, double tol,
                        double absolute_tol, double *y, perp_certificate *certificate);

// The same with every tolerance by name; perp_default_tolerances() has those of perp_solve.
typedef struct perp_tolerances {
  size_t size;                // guards against {0}
  double tol;                 // relative, in (0, 1)
  double absolute_tol;        // 0: none
  double componentwise_tol;   // of perp_certificate.componentwise. 0: 1e6 tol, or none from
                              //   tol = 1e-6 on; INFINITY: none
} perp_tolerances;
perp_tolerances perp_default_tolerances(void);
perp_error perp_certify_with(const perp_problem *problem, const double *x,
                             const perp_tolerances *tolerances, double *y,
                             perp_certificate *certificate);

// --------------------------------------------------------------------------------------- options

typedef struct perp_method perp_method;      // a row of the method table: method.h
const perp_method *perp_find_method(const char *name);        // "pgs"; NULL if there is none
const char *perp_method_name(const perp_method *method);
typedef struct perp_linear_ops perp_linear_ops;   // a linear solver: method.h

typedef struct perp_statistics {   // one iteration
  int32_t iteration;
  int32_t inner_iterations;        // of the linear solver, so far
  double seconds;                  // since the solve began
  double residual;                 // the method's own estimate, in the units of
                                   //   perp_certificate.residual
  double measure;                  // stop.measure where one is chosen, else the residual
} perp_statistics;

typedef struct perp_allocator {    // NULL functions mean malloc and free
  void *(*allocate)(void *context, size_t bytes);   // aligned for any type
  void (*release)(void *context, void *memory);
  void *context;
} perp_allocator;

typedef struct perp_scheduler {    // the caller's threads instead of ours
  int32_t workers;                 // how many tasks may run at once
  void *(*enqueue)(void *context, void (*task)(void *data, int32_t index), void *data,
                   int32_t count);
  // returns when all tasks of that handle have run; called once per enqueue, whatever that returned
  void (*finish)(void *context, void *handle);
  void *context;
} perp_scheduler;

typedef enum perp_measure {        // stopping measures of the papers: they stop, they never certify
  PERP_MEASURE_NONE,
  PERP_MEASURE_NATURAL,            // max |x - clamp(x - y, lo, hi)|
  PERP_MEASURE_E13,                // x'|Ax + b|, E13 (106)
  PERP_MEASURE_MINMAP,             // 1/2 sum of min(x, y)^2, E13 (64)
  PERP_MEASURE_FISCHER,            // 1/2 sum of (sqrt(x^2 + y^2) - x - y)^2, E13 5.5
  PERP_MEASURE_MNS08_R1,           // MNS08 (2.7), corrected
  PERP_MEASURE_MNS08_R2,           // MNS08 (4.2)
  PERP_MEASURE_BOX                 // r'r with r = min(x, y): BOX
} perp_measure;

typedef enum perp_split { PERP_SPLIT_NO, PERP_SPLIT_YES, PERP_SPLIT_METHOD } perp_split;

typedef enum perp_order { PERP_ORDER_NATURAL, PERP_ORDER_COLOURED } perp_order;

typedef enum perp_start {          // what runs in front of the method
  PERP_START_NONE, PERP_START_PGS, PERP_START_PSOR, PERP_START_GRADIENT
} perp_start;

typedef enum perp_inner {          // how a Newton method solves its linear systems
  PERP_INNER_AUTO,                 // direct where the entries of A are known, else Krylov
  PERP_INNER_DIRECT,               // by options.linear or the method's choice, on index sets
  PERP_INNER_KRYLOV,               // Krylov, products with A restricted to index sets
  PERP_INNER_MASKS,                // Krylov, products with all of A between masks: ANE17 4
  PERP_INNER_DIFFERENCES           // Krylov, products by finite differences: E13 (102)
} perp_inner;

typedef enum perp_jacobian {       // fischer_newton where x_i = y_i = 0: E13 5.5, and one more
  PERP_JACOBIAN_ROBUST,            // De Luca, Facchinei, Kanzow; penalised function
  PERP_JACOBIAN_RANDOM, PERP_JACOBIAN_ZERO, PERP_JACOBIAN_PERTURBATION, PERP_JACOBIAN_APPROXIMATION
} perp_jacobian;

typedef enum perp_krylov {
  PERP_KRYLOV_AUTO, PERP_KRYLOV_CG, PERP_KRYLOV_CR, PERP_KRYLOV_GMRES, PERP_KRYLOV_BICGSTAB
} perp_krylov;

typedef enum perp_preconditioner {
  PERP_PRECONDITIONER_AUTO, PERP_PRECONDITIONER_IDENTITY, PERP_PRECONDITIONER_JACOBI,
  PERP_PRECONDITIONER_IC, PERP_PRECONDITIONER_MIC, PERP_PRECONDITIONER_AINV_PLAIN,
  PERP_PRECONDITIONER_AINV_SCALED, PERP_PRECONDITIONER_AINV_STATIC, PERP_PRECONDITIONER_ILU
} perp_preconditioner;

typedef enum perp_basis { PERP_BASIS_AUTO, PERP_BASIS_DENSE, PERP_BASIS_SPARSE } perp_basis;

typedef enum perp_cover {          // Lemke's covering vector d
  PERP_COVER_ONES, PERP_COVER_SCALED, PERP_COVER_RANDOM
} perp_cover;

typedef enum perp_barrier { PERP_BARRIER_MEHROTRA, PERP_BARRIER_PAPER } perp_barrier;

typedef enum perp_subspace { PERP_SUBSPACE_MNS08, PERP_SUBSPACE_KOCVARA_ZOWE } perp_subspace;

typedef enum perp_metric {         // what pgs_sm chooses its points by
  PERP_METRIC_AUTO, PERP_METRIC_OBJECTIVE, PERP_METRIC_RESIDUAL
} perp_metric;

// from perp_default_options(); the first field guards against {0}
typedef struct perp_options {
  size_t size;
  const perp_method *method;
  double tol;                      // certificate tolerance, relative
  double absolute_tol;             // see perp_certify; 0: none
  double time_limit;               // seconds; INFINITY: none
  int32_t iteration_limit;
  int32_t threads;                 // of our own pool; the answer's bits do not depend on it
  int32_t presolve;                // remove fixed variables, empty and singleton rows first
  int32_t split;                   // solve connected components one by one: a perp_split
  int32_t scale;                   // diagonal scaling for the methods that gain from it
  uint64_t seed;
  struct { int32_t measure; double tol, relative, stagnation; } stop;   // E13 (107)-(109); 0: off
  struct { double omega; int32_t symmetric; int32_t order; } sweep;
  struct { int32_t restart, accelerate; } gradient;
  struct { int64_t limit; } enumerate;                    // stop after this many solutions; 0: all
  struct { int32_t method, iterations; } start;           // a perp_start and how many of it
  struct {
    double alpha, beta;            // Armijo search: sufficient decrease, reduction of the step
    double gamma;                  // inner residual relative to the outer one, E13 (105)
    double delta;                  // smallest step
    double epsilon, h;             // perturbation of x_i = y_i = 0; step of differences (102)
    int32_t inner, jacobian;       // a perp_inner, a perp_jacobian
    int32_t memory;                // merits that a step may not exceed: 1 is monotone
    int32_t restarts;              // from other starts, once stuck
    int32_t excursions;            // steps beyond those of the papers, where these end
  } newton;
  struct { int32_t solver, preconditioner, iterations, restart; double drop; } krylov;
  struct { int32_t basis, cover, crash, harris, refactor; } pivot;
  struct { int32_t variant, crossover; double sigma, tau; } barrier;
  struct { int32_t rounds; } friction;
  struct { int32_t method; double shift; } proximal;
  struct { int32_t k_gs, k_sm, variant, metric, safeguard; double tol; } subspace;   // MNS08 3.1
  // what only a program sets
  int (*on_iteration)(void *context, const perp_statistics *statistics);   // non-zero: stop
  int (*on_solution)(void *context, const double *x, int32_t n, int32_t dimension);
                                   // enumerate: each solution, or a representative of a face of
                                   // that dimension; non-zero: stop
  void *context;
  double (*clock)(void *clock_context);   // seconds, monotonic; NULL: the system's
  void *clock_context;
  const perp_scheduler *scheduler; // NULL: our own threads
  const perp_linear_ops *linear;   // NULL: the method's own choice
  perp_statistics *trace;          // trace_capacity entries in the caller's memory; when full,
  int32_t trace_capacity;          //   every second entry is dropped and the stride doubles. The
                                   //   last one is the end of the solve, with the certified
                                   //   residual
  double *farkas;                  // n, may be NULL: receives the Farkas vector of "infeasible" or
                                   //   "no small solution"
  double componentwise_tol;        // see perp_tolerances; 0: 1e6 tol
} perp_options;

perp_options perp_default_options(const perp_method *method);   // NULL: auto
// "sweep.omega", "1.4"; or "preset" and the name of one that the method has
perp_error perp_set_option(perp_options *options, const char *key, const char *value);

// ---------------------------------------------------------------------------------------- solving

typedef struct perp_limits {       // capacities of a solver
  int32_t n;
  int64_t nnz;                     // stored entries of A (dense: n*n; product and contacts:
                                   //   those of J; callback and grid: 0)
  size_t scratch;                  // scratch_bytes and sweep_bytes of the operator,
                                   //   whichever is larger
  int32_t lanes;                   // problems of a batch solved at once, each with memory of its
                                   //   own; 0 or 1: one by one
  int32_t grid;                    // 1: for grids of cells alone, which need far less memory
} perp_limits;
perp_limits perp_limits_of(const perp_problem *problem);   // just enough for this problem

typedef struct perp_result {
  perp_status status;
  const perp_method *method;       // the one that found x: for auto, the method it chose
  int32_t iterations;
  int32_t inner_iterations;
  int32_t factorizations;
  int32_t trace_count;             // entries of options.trace that are filled
  int32_t trace_stride;            // iterations from one entry to the next
  int64_t solutions;               // enumerate: how many were found
  int32_t complete;                // enumerate: 1 if these are all there are; 0 after a limit or an
                                   //   undecided case
  double setup_seconds;            // validation, equilibration, presolve, analysis
  double seconds;                  // all of perp_solve; 0 for small dense problems, where looking
                                   //   at the clock would take as long
  perp_certificate certificate;    // of x, on the caller's data; its numbers agree with those of
                                   //   perp_certify to 1e-3 tol, or to 1e-3 of themselves
  double radius;                   // no small solution: none has |x|_1 < radius;
                                   //   infeasible: INFINITY; otherwise 0
  char message[1024];              // a sentence: what happened, and what to try next
  double regularization;           // sigma, where x comes from systems with A + sigma I, relative
                                   //   to entries of A near 1; 0: none. The certificate is for A
  int64_t factor_nonzeros;         // stored entries of the largest factor of a sparse matrix, where
                                   //   the method tells; 0: none
} perp_result;

typedef struct perp_solver perp_solver;

// For the ten-line user: allocates, solves, frees. x: guess in (zeros will do), answer out.
perp_error perp_solve_once(const perp_problem *problem, double *x, const perp_options *options,
                           perp_result *result);

// For everybody else: one arena at create; methods with PERP_TRAIT_NO_ALLOC allocate nothing in
// perp_solve afterwards.
perp_error perp_solver_create(const perp_method *method, const perp_limits *limits,
                              const perp_options *options, const perp_allocator *allocator,
                              perp_solver **solver);
perp_error perp_solve(perp_solver *solver, const perp_problem *problem, double *x,
                      perp_result *result);
// Does now, whatever options.time_limit says, what depends on A alone: solves that follow with the
// same stamps (which must not be 0) have the whole of their time for their own b.
perp_error perp_solver_prepare(perp_solver *solver, const perp_problem *problem);
// The time limit of the solves that follow, in seconds. The solver must have been created with a
// finite options.time_limit. Seconds must be finite and > 0: for example, the rest of a frame.
perp_error perp_solver_set_time_limit(perp_solver *solver, double seconds);
// Many small problems, limits.lanes at a time on options.threads threads: the same bits at any
// number of either. Returns the first error, whose message is also in that problem's result; the
// others are still solved. With several lanes no trace is kept, and callbacks may be called from
// several threads at once.
perp_error perp_solve_batch(perp_solver *solver, const perp_problem *problems, int32_t count,
                            double *const *x, perp_result *results);

// What a batch tells of each problem in 40 bytes: a perp_result has more than a thousand, most of
// them for its message.
typedef struct perp_brief {
  perp_status status;
  perp_error error;                // why this problem was refused: status is then UNSOLVED and x is
                                   //   untouched; PERP_OK: it was not
  int32_t iterations;
  int32_t worst;                   // these and method: as in perp_result and its certificate
  const perp_method *method;
  double residual;
  double natural_residual;
} perp_brief;
// perp_solve_batch with a brief for each problem: the same bits of x, the same verdicts, and no
// memory that grows with count. For the message of one problem, call perp_solve on it from the same
// guess (x holds the answer by then), with the same solver: it takes the same way.
perp_error perp_solve_batch_brief(perp_solver *solver, const perp_problem *problems, int32_t count,
                                  double *const *x, perp_brief *briefs);
void perp_solver_destroy(perp_solver *solver);       // NULL is fine

// ------------------------------------------------------------------------- proofs and error bounds

// A Farkas vector: u_i >= 0 on rows with a lower bound only (y_i >= 0 in every solution), <= 0 with
// an upper one only, anything on free rows, 0 on rows with both. Every solution has
// u'(A x + b) >= 0, so sup over the box of u'(A x + b) < 0 proves that there is none.
typedef struct perp_farkas {
  int32_t proven;             // there is no solution: radius is INFINITY and -value > allowed, of u
                              //   itself or of an exact vector that was enclosed near u
  int32_t worst;              // row with the wrong sign, or column that makes the radius finite; -1
  double radius;              // no solution has |x|_1 < radius; INFINITY where every sign is right,
                              //   rounding included
  double value;               // an upper bound of u'b + the finite terms of the supremum
  char reason[160];           // why it proves, or why not
  int32_t bounded;            // radius is finite but large, and -value > allowed: there is no
                              //   solution of moderate size; larger ones are not excluded
  double allowed;             // the part of -value that the tolerance of the certificate and the
                              //   rounding of the data can explain; a proof needs more
} perp_farkas;
// With the default tolerance of the certificate. A problem with a proof has no x that perp_certify
// accepts at the same tolerances.
perp_error perp_check_farkas(const perp_problem *problem, const double *u, perp_farkas *farkas);
perp_error perp_check_farkas_within(const perp_problem *problem, const double *u, double tol,
                                    double absolute_tol, const perp_allocator *allocator,
                                    perp_farkas *farkas);

// |x_i - x*_i| <= bound_i for the solution x* (unique where a bound is known).
typedef struct perp_bound {
  int32_t known;              // 0: no bound, and `reason` says why
  double largest;             // max bound_i
  char reason[160];           // by which theorem
} perp_bound;
perp_error perp_error_bound(const perp_problem *problem, const double *x,
                            const perp_allocator *allocator, double *bound /* n */,
                            perp_bound *result);

// A proof that a solution lies in [lower, upper] with the active set read off x, by enclosure of
// A_II x_I = -b_I - A_IF x_F in rigorous arithmetic.
typedef struct perp_proof {
  int32_t proven;
  int32_t worst;              // row at which the proof failed; -1
  int32_t free_count;         // rows strictly between their bounds
  double width;               // max (upper - lower)
  char reason[160];
} perp_proof;
perp_error perp_prove(const perp_problem *problem, const double *x, const perp_allocator *allocator,
                      double *lower, double *upper /* n each */, perp_proof *proof);

// --------------------------------------------------------------------------------- classification

typedef enum perp_verdict { PERP_NO, PERP_YES, PERP_UNKNOWN } perp_verdict;

#define PERP_CLASS_LIST(X)                                                         \
  X(SYMMETRIC,   "symmetric",            "A = A'")                                 \
  X(Z,           "Z",                    "off-diagonal entries <= 0")              \
  X(DOMINANT,    "diagonally dominant",  "|A_ii| >= sum of the other |A_ij|, rows or columns") \
  X(H,           "H+",                   "positive diagonal, comparison matrix is an M-matrix") \
  X(M,           "M",                    "Z and H+")                               \
  X(TRIDIAGONAL, "tridiagonal",          "A_ij = 0 where |i - j| > 1")             \
  X(NONNEGATIVE, "nonnegative",          "A_ij >= 0, positive diagonal: strictly copositive") \
  X(FRICTION,    "friction",             "block pattern of the contact LCP E13 (27)") \
  X(PSD,         "positive semidefinite", "x'Ax >= 0")                             \
  X(PD,          "positive definite",    "x'Ax > 0 for x != 0")                    \
  X(SPD,         "SPD",                  "symmetric and positive definite")

typedef enum perp_class {
#define PERP_X(id, name, text) PERP_CLASS_##id,
  PERP_CLASS_LIST(PERP_X)
#undef PERP_X
  PERP_CLASS_COUNT
} perp_class;

typedef struct perp_classes {
  struct { perp_verdict verdict; char reason[96]; } of[PERP_CLASS_COUNT];
  // by bounds; boxed: two-sided, or one-sided but not [0, inf)
  int32_t lcp_rows, free_rows, boxed_rows, fixed_rows;
  int32_t components;
  double asymmetry;           // max |A - A'| / max |A|
} perp_classes;

const char *perp_class_name(perp_class which);
const char *perp_class_text(perp_class which);
perp_error perp_classify(const perp_problem *problem, const perp_allocator *allocator,
                         perp_classes *classes);

#ifdef __cplusplus
}
#endif
#endif
