// peers.h: solvers of other libraries, each kind behind the same function: projected Gauss-Seidel,
// and complete solvers for dense and sparse problems.
#ifndef PERP_PEERS_H
#define PERP_PEERS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct peer_problem {          // 0 <= x _|_ A x + b >= 0; A = A' for the sweeps
  int32_t n;
  const int32_t *colptr, *row;         // n + 1, nnz
  const double *value;                 // nnz
  const double *dense;                 // n x n, row-major; NULL where that would not fit
  const double *b;                     // n
  const double *lo, *hi;               // n; NULL: 0 and infinity
  double tol;                          // what an iterative peer is asked for; 0: its tight default
} peer_problem;

// `sweeps` sweeps from x = 0. Returns the seconds of the peer's own call, its conversions of the
// matrix left out; negative: it refused. *test: seconds of one error test where the peer makes one
// after every sweep, else 0.
typedef double peer_sweeps(const peer_problem *problem, int32_t sweeps, double *x, double *test);

typedef struct peer {
  const char *name;
  peer_sweeps *run;                    // NULL: absent
  int32_t dense;                       // 1: takes dense matrices, 0: sparse ones
} peer;

extern const peer peer_list[];
extern const int32_t peer_count;
peer_sweeps siconos_sparse, siconos_dense, bullet_dense, bullet_skipping, dart_dense;

typedef struct peer_end {
  double seconds;                      // of the peer's own call, conversions left out; -1: absent,
                                       //   -2: it died
  int32_t claims;                      // 1: the peer says that x is a solution
} peer_end;
// Solves the problem from x = 0, where it wants a start.
typedef peer_end peer_solve(const peer_problem *problem, double *x);

typedef struct peer_solver {
  const char *name;
  peer_solve *run;                     // NULL: absent
  int32_t symmetric;                   // 1: takes symmetric A only
  int32_t sparse;                      // 1: takes sparse matrices, 0: dense ones only
  int32_t bounds;                      // 1: takes lo and hi
  int32_t patience;                    // times the limit of the others: worth waiting for
} peer_solver;

extern const peer_solver solver_list[];
extern const int32_t solver_count;
peer_solve siconos_lemke, siconos_newton_min, siconos_newton_fb, siconos_pathsearch, bullet_dantzig,
    dart_dantzig, dart_lemke, siconos_pgs, cvxopt_qp, cvxopt_threads, petsc_gpcg, petsc_gpcg_jacobi,
    petsc_tron, petsc_tron_direct, petsc_bqpip, petsc_ssils, petsc_vi_lu, petsc_vi_cholmod,
    petsc_vi_hypre, petsc_vi_hypre2, petsc_tron_hypre2;

#ifdef __cplusplus
}
#endif
#endif
