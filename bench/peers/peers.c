// peers.c: the list of peers of this build.
#include "peers.h"

#include <stddef.h>

#ifndef BENCH_SICONOS
#define siconos_sparse NULL
#define siconos_dense NULL
#define siconos_lemke NULL
#define siconos_newton_min NULL
#define siconos_newton_fb NULL
#define siconos_pathsearch NULL
#define siconos_pgs NULL
#endif
#ifndef BENCH_BULLET
#define bullet_dense NULL
#define bullet_skipping NULL
#define bullet_dantzig NULL
#endif
#ifndef BENCH_DART
#define dart_dense NULL
#define dart_dantzig NULL
#define dart_lemke NULL
#endif
#ifndef BENCH_PETSC
#define petsc_gpcg NULL
#define petsc_gpcg_jacobi NULL
#define petsc_tron NULL
#define petsc_tron_direct NULL
#define petsc_bqpip NULL
#define petsc_ssils NULL
#define petsc_vi_lu NULL
#define petsc_vi_cholmod NULL
#define petsc_vi_hypre NULL
#define petsc_vi_hypre2 NULL
#define petsc_tron_hypre2 NULL
#endif

const peer peer_list[] = {
  {"Siconos lcp_pgs", siconos_sparse, 0},
  {"Siconos lcp_pgs", siconos_dense, 1},
  {"Bullet PGS", bullet_dense, 1},
  {"Bullet PGS, no zeros", bullet_skipping, 1},
  {"DART PGS", dart_dense, 1},
};
const int32_t peer_count = (int32_t)(sizeof peer_list/sizeof peer_list[0]);

const peer_solver solver_list[] = {
  {"Siconos lemke", siconos_lemke, 0, 0, 0, 1},
  {"Siconos newton_min", siconos_newton_min, 0, 0, 0, 1},
  {"Siconos newton_FB", siconos_newton_fb, 0, 0, 0, 1},
  {"Siconos pathsearch", siconos_pathsearch, 0, 0, 0, 1},
  {"Siconos pgs", siconos_pgs, 0, 1, 0, 1},
  {"Bullet Dantzig", bullet_dantzig, 1, 0, 0, 1},
  {"DART Dantzig", dart_dantzig, 1, 0, 0, 1},
  {"DART Lemke", dart_lemke, 0, 0, 0, 1},
  {"cvxopt qp", cvxopt_qp, 1, 1, 1, 4},
  {"cvxopt qp, threads", cvxopt_threads, 1, 1, 1, 4},
  {"TAO gpcg, icc", petsc_gpcg, 1, 1, 1, 1},
  {"TAO gpcg, jacobi", petsc_gpcg_jacobi, 1, 1, 1, 1},
  {"TAO tron, icc", petsc_tron, 1, 1, 1, 1},
  {"TAO tron, cholmod", petsc_tron_direct, 1, 1, 1, 1},
  {"TAO bqpip", petsc_bqpip, 1, 1, 1, 1},
  {"TAO ssils, lu", petsc_ssils, 1, 1, 1, 1},
  {"SNESVI, lu", petsc_vi_lu, 1, 1, 1, 1},
  {"SNESVI, cholmod", petsc_vi_cholmod, 1, 1, 1, 1},
  {"SNESVI, hypre", petsc_vi_hypre, 1, 1, 1, 1},
  {"SNESVI, hypre, 2 cores", petsc_vi_hypre2, 1, 1, 1, 1},
  {"TAO tron, hypre, 2 cores", petsc_tron_hypre2, 1, 1, 1, 1},
};
const int32_t solver_count = (int32_t)(sizeof solver_list/sizeof solver_list[0]);
