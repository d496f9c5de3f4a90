// peer_siconos.c: Siconos' lcp_pgs, with the matrix in its CSC and in its dense storage, and its
// complete LCP solvers on dense matrices.
#include "peers.h"

#include <stdlib.h>
#include <string.h>

#include "bench.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <CSparseMatrix_internal.h>
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <NonSmoothDrivers.h>
#include <NumericsSparseMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#pragma GCC diagnostic pop

static double run(NumericsMatrix *M, const peer_problem *p, int32_t sweeps, double *x,
                  double *test) {
  double *w = bench_take((size_t)p->n, sizeof *w), *q = bench_take((size_t)p->n, sizeof *q);
  memcpy(q, p->b, (size_t)p->n*sizeof *q);
  memset(x, 0, (size_t)p->n*sizeof *x);
  LinearComplementarityProblem problem = {.size = p->n, .M = M, .q = q};
  SolverOptions *options = solver_options_create(SICONOS_LCP_PGS);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 1;
  options->dparam[SICONOS_DPARAM_TOL] = 0.0;
  int info = 0;
  lcp_pgs(&problem, x, w, &info, options);   // builds what the storage keeps for products
  memset(x, 0, (size_t)p->n*sizeof *x);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = sweeps;
  const double start = bench_seconds();
  lcp_pgs(&problem, x, w, &info, options);
  const double seconds = bench_seconds() - start;
  double error;
  const double again = bench_seconds();
  lcp_compute_error(&problem, x, w, 0.0, &error);
  *test = bench_seconds() - again;
  const int done = options->iparam[SICONOS_IPARAM_ITER_DONE];
  solver_options_delete(options);
  free(options);
  free(w);
  free(q);
  return done == sweeps ? seconds : -1.0;
}

// Storage of the matrix as CSC, filled directly: from triplets or sparse blocks, finding each
// diagonal entry would cost O(n).
static NumericsMatrix *by_columns(const peer_problem *p) {
  const int32_t nnz = p->colptr[p->n];
  NumericsMatrix *M = NM_create(NM_SPARSE, p->n, p->n);
  NM_csc_alloc(M, nnz);
  M->matrix2->origin = NSM_CSC;
  CSparseMatrix *A = M->matrix2->csc;
  for (int32_t j = 0; j <= p->n; j++) A->p[j] = p->colptr[j];
  for (int32_t k = 0; k < nnz; k++) {
    A->i[k] = p->row[k];
    A->x[k] = p->value[k];
  }
  return M;
}

double siconos_sparse(const peer_problem *p, int32_t sweeps, double *x, double *test) {
  NumericsMatrix *M = by_columns(p);
  const double seconds = run(M, p, sweeps, x, test);
  NM_clear(M);
  free(M);
  return seconds;
}

double siconos_dense(const peer_problem *p, int32_t sweeps, double *x, double *test) {
  NumericsMatrix *M = NM_create(NM_DENSE, p->n, p->n);
  memcpy(M->matrix0, p->dense, (size_t)p->n*(size_t)p->n*sizeof(double));   // A = A': either order
  const double seconds = run(M, p, sweeps, x, test);
  NM_clear(M);
  free(M);
  return seconds;
}

static NumericsMatrix *dense_by_columns(const peer_problem *p) {
  const size_t n = (size_t)p->n;
  NumericsMatrix *M = NM_create(NM_DENSE, p->n, p->n);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) M->matrix0[i + j*n] = p->dense[i*n + j];
  return M;
}

static peer_end solve(int id, const peer_problem *p, double *x) {
  const size_t n = (size_t)p->n;
  NumericsMatrix *M = id == SICONOS_LCP_PGS ? by_columns(p) : dense_by_columns(p);
  double *w = bench_take(n, sizeof *w), *q = bench_take(n, sizeof *q);
  memcpy(q, p->b, n*sizeof *q);
  memset(x, 0, n*sizeof *x);
  LinearComplementarityProblem problem = {.size = p->n, .M = M, .q = q};
  SolverOptions *options = solver_options_create(id);
  options->dparam[SICONOS_DPARAM_TOL] = p->tol > 0.0 ? p->tol : 1e-10;
  if (id == SICONOS_LCP_PGS) options->iparam[SICONOS_IPARAM_MAX_ITER] = 1000000000;
  if (id == SICONOS_LCP_LEMKE) options->iparam[SICONOS_IPARAM_MAX_ITER] = 100*p->n;
  const double start = bench_seconds();
  const int info = linearComplementarity_driver(&problem, x, w, options);
  const double seconds = bench_seconds() - start;
  solver_options_delete(options);
  free(options);
  NM_clear(M);
  free(M);
  free(w);
  free(q);
  return (peer_end){seconds, info == 0};
}

peer_end siconos_lemke(const peer_problem *p, double *x) { return solve(SICONOS_LCP_LEMKE, p, x); }
peer_end siconos_newton_min(const peer_problem *p, double *x) {
  return solve(SICONOS_LCP_NEWTONMIN, p, x);
}
peer_end siconos_newton_fb(const peer_problem *p, double *x) {
  return solve(SICONOS_LCP_NEWTON_FB_FBLSA, p, x);
}
peer_end siconos_pathsearch(const peer_problem *p, double *x) {
  return solve(SICONOS_LCP_PATHSEARCH, p, x);
}
peer_end siconos_pgs(const peer_problem *p, double *x) { return solve(SICONOS_LCP_PGS, p, x); }
