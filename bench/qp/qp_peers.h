// qp_peers.h: programs of others that solve quadratic programs.
#ifndef PERP_BENCH_QP_PEERS_H
#define PERP_BENCH_QP_PEERS_H

#include "peers.h"
#include "qp_problems.h"

// A peer on a problem with a tolerance: v, and the multipliers l with P v + q = B'l + those of the
// bounds. Its seconds are those of the processor in its own call, without reading the file.
typedef peer_end qp_solve(const qp_problem *qp, double tol, double seconds, double *v, double *l);

enum { QP_TOLERANCES = 2 };
typedef struct qp_peer {
  const char *name;
  qp_solve *run;             // NULL: absent
  const char *version;
  double tol[QP_TOLERANCES]; // a looser one and a tighter one
} qp_peer;

extern const qp_peer qp_peers[];
extern const int32_t qp_peer_count;

#endif
