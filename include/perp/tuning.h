// tuning.h: settings that few callers change. perp.h includes this file, because perp_options holds
// them. Every field can also be set by name: perp_set_option(&options, "sweep.omega", "1.4").
// `perp explain METHOD` lists the settings that a method reads, with their ranges and defaults.
//
// E13: Erleben, Numerical methods for linear complementarity problems, 2013. MNS08: Morales,
// Nocedal and Smelyanskiy, 2008. ANE17: Andersen, Niebe and Erleben, 2017. BOX: Nielsen, 2009. The
// full references are in docs/theory.md.
#ifndef PERP_TUNING_H
#define PERP_TUNING_H

#include <stdint.h>

// ------------------------------------------------------------------------------------ all methods

typedef struct perp_scheduler {    // the caller's threads instead of perp's
  int32_t workers;                 // how many tasks may run at once
  // runs task(data, index) for index = 0 .. count-1, in any order; returns a handle
  void *(*enqueue)(void *context, void (*task)(void *data, int32_t index), void *data,
                   int32_t count);
  // returns when all tasks of this handle have run; called once after each enqueue, whatever
  // enqueue returned
  void (*finish)(void *context, void *handle);
  void *context;
} perp_scheduler;

typedef enum perp_split {          // whether connected components of A are solved one by one
  PERP_SPLIT_NO, PERP_SPLIT_YES,   // never, always
  PERP_SPLIT_METHOD                // as the method prefers
} perp_split;

typedef enum perp_start {          // what runs before the method and hands its x over
  PERP_START_NONE,                 // nothing
  PERP_START_PGS, PERP_START_PSOR, // the method of that name
  PERP_START_GRADIENT              // apgd without momentum
} perp_start;
typedef struct perp_start_options {
  int32_t method;                  // a perp_start
  int32_t iterations;              // of the method that runs first
} perp_start_options;

typedef enum perp_measure {        // stopping measures of the papers: they may end a solve; they
                                   //   never certify x
  PERP_MEASURE_NONE,               // none
  PERP_MEASURE_NATURAL,            // max |x - clamp(x - y, lo, hi)|
  PERP_MEASURE_E13,                // x'|Ax + b|, E13 (106)
  PERP_MEASURE_MINMAP,             // 1/2 sum of min(x, y)^2, E13 (64)
  PERP_MEASURE_FISCHER,            // 1/2 sum of (sqrt(x^2 + y^2) - x - y)^2, E13 5.5
  PERP_MEASURE_MNS08_R1,           // MNS08 (2.7), corrected
  PERP_MEASURE_MNS08_R2,           // MNS08 (4.2)
  PERP_MEASURE_BOX                 // r'r with r = min(x, y), BOX
} perp_measure;
typedef struct perp_stop_options { // 0 turns a rule off
  int32_t measure;                 // a perp_measure
  double tol;                      // stop when the measure falls below this, E13 (107)
  double relative;                 // stop when it changes by less than this factor, E13 (108)
  double stagnation;               // stop when max |dx| falls below this, E13 (109)
} perp_stop_options;

// -------------------------------------------------------------------------- sweeps and gradients

typedef enum perp_order {          // of the rows in a sweep
  PERP_ORDER_NATURAL,              // row after row
  PERP_ORDER_COLOURED              // blocks of rows, several at once if threads > 1
} perp_order;
typedef struct perp_sweep_options {
  double omega;                    // relaxation, in (0, 2)
  int32_t symmetric;               // 1: a backward pass after each forward pass
  int32_t order;                   // a perp_order
} perp_sweep_options;

typedef struct perp_gradient_options {
  int32_t restart;                 // nncg: restart after this many iterations without a new best
  int32_t accelerate;              // apgd: 1: Nesterov's momentum
} perp_gradient_options;

// After a subspace solution: project it and repeat, or go to the first bound only.
typedef enum perp_subspace { PERP_SUBSPACE_MNS08, PERP_SUBSPACE_KOCVARA_ZOWE } perp_subspace;
typedef enum perp_metric {         // what decides between the two points of a subspace step
  PERP_METRIC_AUTO,                // the residual if a subspace is not definite, else the objective
  PERP_METRIC_OBJECTIVE, PERP_METRIC_RESIDUAL   // always this one
} perp_metric;
typedef struct perp_subspace_options {   // pgs_sm, MNS08 3.1
  int32_t k_gs;                    // Gauss-Seidel passes before each subspace phase
  int32_t k_sm;                    // subspaces of a phase, at most
  int32_t variant;                 // a perp_subspace
  int32_t metric;                  // a perp_metric
  int32_t safeguard;               // 0: always take the projected point, which may cycle
  double tol;                      // rows closer to a bound than this times max |x| go there
} perp_subspace_options;

// ------------------------------------------------------------------------------- Newton's methods

typedef enum perp_inner {          // how a Newton method solves its linear systems
  PERP_INNER_AUTO,                 // direct where the entries of A are known, else Krylov
  PERP_INNER_DIRECT,               // by options.linear or the method's choice, on index sets
  PERP_INNER_KRYLOV,               // Krylov, products with A restricted to index sets
  PERP_INNER_MASKS,                // Krylov, products with all of A between masks: ANE17 4
  PERP_INNER_DIFFERENCES           // Krylov, products by finite differences: E13 (102)
} perp_inner;
typedef enum perp_jacobian {       // fischer_newton: the generalised Jacobian where x_i = y_i = 0
  PERP_JACOBIAN_ROBUST,            // De Luca, Facchinei and Kanzow, with smoothing
  // from here to PERP_JACOBIAN_APPROXIMATION: E13 5.5
  PERP_JACOBIAN_RANDOM, PERP_JACOBIAN_ZERO,
  PERP_JACOBIAN_PERTURBATION, PERP_JACOBIAN_APPROXIMATION
} perp_jacobian;
typedef struct perp_newton_options {
  double alpha;                    // part of the predicted decrease that a step must achieve
  double beta;                     // factor by which a refused step shrinks
  double gamma;                    // residual of the linear system relative to the outer one
  double delta;                    // smallest step
  double epsilon;                  // x_i and y_i below this count as 0
  double h;                        // relative step of finite differences, E13 (102)
  int32_t inner;                   // a perp_inner
  int32_t jacobian;                // a perp_jacobian
  int32_t memory;                  // the merit after a step may not exceed the largest of this many
                                   //   merits before it; 1: the merit falls in every step
  int32_t restarts;                // from other starting points, when no step is found
  int32_t excursions;              // 1: also try steps that are not in the papers
} perp_newton_options;

typedef enum perp_krylov {         // how linear systems are solved by products
  PERP_KRYLOV_AUTO,                // as the method prefers
  PERP_KRYLOV_CG, PERP_KRYLOV_CR,  // for symmetric matrices
  PERP_KRYLOV_GMRES, PERP_KRYLOV_BICGSTAB   // for any matrix
} perp_krylov;
typedef enum perp_preconditioner { // what speeds up a Krylov solver
  PERP_PRECONDITIONER_AUTO,        // as the method prefers
  PERP_PRECONDITIONER_IDENTITY, PERP_PRECONDITIONER_JACOBI,   // none, the diagonal
  PERP_PRECONDITIONER_IC, PERP_PRECONDITIONER_MIC,   // incomplete Cholesky, plain and modified
  PERP_PRECONDITIONER_AINV_PLAIN, PERP_PRECONDITIONER_AINV_SCALED,   // approximate inverses
  PERP_PRECONDITIONER_AINV_STATIC, // an approximate inverse in the pattern of A
  PERP_PRECONDITIONER_ILU          // incomplete LU
} perp_preconditioner;
typedef struct perp_krylov_options {
  int32_t solver;                  // a perp_krylov
  int32_t preconditioner;          // a perp_preconditioner
  int32_t iterations;              // per linear system, at most
  int32_t restart;                 // vectors that GMRES keeps before it starts again
  double drop;                     // approximate inverses leave out entries below this
} perp_krylov_options;

// ------------------------------------------------------------------------------------ the others

// How a basis is kept: as its inverse (dense), or as a sparse LU with updates.
typedef enum perp_basis { PERP_BASIS_AUTO, PERP_BASIS_DENSE, PERP_BASIS_SPARSE } perp_basis;
typedef enum perp_cover {          // lemke: the covering vector d
  PERP_COVER_ONES,                 // d_i = 1
  PERP_COVER_SCALED,               // d_i as large as y_i at the start
  PERP_COVER_RANDOM                // d_i in [0.5, 1.5], from the seed
} perp_cover;
typedef struct perp_pivot_options {
  int32_t basis;                   // a perp_basis
  int32_t cover;                   // a perp_cover
  int32_t crash;                   // Gauss-Seidel sweeps that choose the first basis; 0: none.
                                   //   dantzig and keller: 0 or 1
  int32_t harris;                  // 1: Harris' ratio test: larger pivots, bounds violated by 1e-9
  int32_t refactor;                // pivots after which the basis is checked
} perp_pivot_options;

// Predictor and corrector of Mehrotra, or MNS08 4.
typedef enum perp_barrier { PERP_BARRIER_MEHROTRA, PERP_BARRIER_PAPER } perp_barrier;
typedef struct perp_barrier_options {    // interior_point
  int32_t variant;                 // a perp_barrier: predictor-corrector, or MNS08 4
  int32_t crossover;               // 1: guess the active set near the end and solve for it
  double sigma;                    // PAPER: factor from one mu to the next
  double tau;                      // PAPER: fraction of the way to the boundary that a step takes
} perp_barrier_options;

typedef struct perp_friction_options {   // staggering
  int32_t rounds;                  // give up after this many rounds without a better residual
} perp_friction_options;

typedef struct perp_proximal_options {
  int32_t method;                  // what solves the shifted problems: 0 lemke, 1 dantzig,
                                   //   2 interior_point, 3 principal_pivoting
  double shift;                    // sigma, relative to the largest diagonal entry
} perp_proximal_options;

typedef struct perp_enumerate_options {
  int64_t limit;                   // stop after this many solutions; 0: find all
} perp_enumerate_options;

#endif
