// peer_bullet.cpp: Bullet's btSolveProjectedGaussSeidel, reading a whole matrix or skipping zeros,
// and its Dantzig solver.
#include "peers.h"

#include <cmath>
#include <vector>

#include "BulletDynamics/MLCPSolvers/btDantzigLCP.h"
#include "BulletDynamics/MLCPSolvers/btSolveProjectedGaussSeidel.h"
#include "bench.h"

static double run(const peer_problem *p, int32_t sweeps, double *x, double *test, bool skipping) {
  btMatrixXu A(p->n, p->n);
  btVectorXu b(p->n), z(p->n), lo(p->n), hi(p->n);
  btAlignedObjectArray<int> dependency;
  dependency.resize(p->n, -1);
  for (int i = 0; i < p->n; i++) {
    for (int j = 0; j < p->n; j++) {
      const double v = p->dense[(size_t)i*(size_t)p->n + (size_t)j];
      if (v != 0.0) A.setElem(i, j, (btScalar)v);
    }
    b[i] = (btScalar)-p->b[i];   // Bullet: A x = b where x is between its bounds
    z[i] = lo[i] = 0;
    hi[i] = (btScalar)BT_INFINITY;
  }
  btSolveProjectedGaussSeidel solver;
  A.rowComputeNonZeroElements();
  const double start = bench_seconds();
  solver.solveMLCP(A, b, z, lo, hi, dependency, sweeps, skipping);
  const double seconds = bench_seconds() - start;
  for (int i = 0; i < p->n; i++) x[i] = (double)z[i];
  *test = 0.0;
  return seconds;
}

double bullet_dense(const peer_problem *p, int32_t sweeps, double *x, double *test) {
  return run(p, sweeps, x, test, false);
}

double bullet_skipping(const peer_problem *p, int32_t sweeps, double *x, double *test) {
  return run(p, sweeps, x, test, true);
}

// Overwrites its matrix, so that a copy is made outside the clock.
peer_end bullet_dantzig(const peer_problem *p, double *x) {
  const size_t n = (size_t)p->n;
  std::vector<btScalar> A(p->dense, p->dense + n*n), b(n), w(n), z(n), lo(n), hi(n, BT_INFINITY);
  std::vector<int> dependency(n, -1);
  for (size_t i = 0; i < n; i++) b[i] = -p->b[i];
  static btDantzigScratchMemory memory;
  const double start = bench_seconds();
  const bool solved = btSolveDantzigLCP(p->n, A.data(), z.data(), b.data(), w.data(), 0, lo.data(),
                                        hi.data(), dependency.data(), memory);
  const double seconds = bench_seconds() - start;
  for (size_t i = 0; i < n; i++) x[i] = z[i];
  return {seconds, solved};
}
