// peer_clp.cpp: Clp's barrier method on the quadratic program of a file: peer_clp FILE TOL SECONDS;
// qp_peers.c.
#include <ClpSimplex.hpp>
#include <ClpSolve.hpp>
#include <unistd.h>

#include <vector>

#include "qp_file.h"

int main(int count, char **words) {
  qp_file f = qp_file_read(count, words);
  const int out = dup(1);              // Clp prints, and the answer goes to the same stream
  dup2(2, 1);
  std::vector<CoinBigIndex> start{0};  // the lower triangle of P
  std::vector<int> row;
  std::vector<double> value;
  for (int32_t j = 0; j < f.n; j++) {
    for (int32_t p = f.Pcolumn[j]; p < f.Pcolumn[j + 1]; p++) {
      if (f.Prow[p] < j) continue;
      row.push_back(f.Prow[p]);
      value.push_back(f.P[p]);
    }
    start.push_back(static_cast<CoinBigIndex>(row.size()));
  }
  const double begin = qp_file_clock();
  ClpSimplex model;
  model.setLogLevel(0);
  model.loadProblem(f.n, f.m, f.Bcolumn, f.Brow, f.B, f.lo, f.hi, f.q, f.low, f.high);
  model.loadQuadraticObjective(f.n, start.data(), row.data(), value.data());
  model.setPrimalTolerance(f.tol);
  model.setDualTolerance(f.tol);
  model.setMaximumSeconds(f.seconds);
  ClpSolve how;
  how.setSolveType(ClpSolve::useBarrierNoCross);
  how.setPresolveType(ClpSolve::presolveOff);
  model.initialSolve(how);
  const double seconds = qp_file_clock() - begin;
  fflush(stdout);
  dup2(out, 1);
  return qp_file_answer(&f, seconds, model.status() == 0, model.primalColumnSolution(),
                        model.dualRowSolution());
}
