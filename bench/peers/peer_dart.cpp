// peer_dart.cpp: DART's PgsBoxedLcpSolver, its Dantzig solver (ODE's) and its Lemke on dense
// matrices.
//
// Whether the class has canSolve() depends on NDEBUG when the library was built: BENCH_DART_CHECKS
// says that it has, and the headers must be read accordingly.
#ifdef BENCH_DART_CHECKS
#undef NDEBUG
#endif
#include <dart/constraint/DantzigBoxedLcpSolver.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>
#include <dart/lcpsolver/Lemke.hpp>

#include <limits>
#include <vector>

#include "bench.h"
#include "peers.h"

double dart_dense(const peer_problem *p, int32_t sweeps, double *x, double *test) {
  const size_t n = (size_t)p->n, stride = (n + 3)/4*4;   // rows are padded to multiples of 4
  std::vector<double> A(n*stride), b(n), lo(n), hi(n, std::numeric_limits<double>::infinity());
  std::vector<int> findex(n, -1);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) A[i*stride + j] = p->dense[i*n + j];
    b[i] = -p->b[i];                                     // w = A x - b
    x[i] = 0.0;
  }
  dart::constraint::PgsBoxedLcpSolver solver;
  solver.setOption(dart::constraint::PgsBoxedLcpSolver::Option(sweeps, 0.0, 0.0, 1e-300, false));
  const double start = bench_seconds();
  solver.solve(p->n, A.data(), x, b.data(), 0, lo.data(), hi.data(), findex.data(), false);
  *test = 0.0;
  return bench_seconds() - start;
}

peer_end dart_dantzig(const peer_problem *p, double *x) {
  const size_t n = (size_t)p->n, stride = (n + 3)/4*4;
  std::vector<double> A(n*stride), b(n), lo(n), hi(n, std::numeric_limits<double>::infinity());
  std::vector<int> findex(n, -1);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) A[i*stride + j] = p->dense[i*n + j];
    b[i] = -p->b[i];
    x[i] = 0.0;
  }
  dart::constraint::DantzigBoxedLcpSolver solver;
  const double start = bench_seconds();
  const bool solved = solver.solve(p->n, A.data(), x, b.data(), 0, lo.data(), hi.data(),
                                   findex.data(), false);
  return {bench_seconds() - start, solved};
}

peer_end dart_lemke(const peer_problem *p, double *x) {
  const Eigen::Index n = p->n;
  Eigen::MatrixXd M(n, n);
  Eigen::VectorXd q(n), z = Eigen::VectorXd::Zero(n);
  for (Eigen::Index i = 0; i < n; i++) {
    for (Eigen::Index j = 0; j < n; j++) M(i, j) = p->dense[i*n + j];
    q(i) = p->b[i];
  }
  const double start = bench_seconds();
  const int error = dart::lcpsolver::Lemke(M, q, &z);
  const double seconds = bench_seconds() - start;
  for (Eigen::Index i = 0; i < n; i++) x[i] = i < z.size() ? z(i) : 0.0;
  return {seconds, error == 0};
}
