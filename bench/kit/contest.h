// contest.h: perp's methods and the peers' solvers on one problem, in rows of one table.
#ifndef PERP_BENCH_CONTEST_H
#define PERP_BENCH_CONTEST_H

#include "bench.h"
#include "peers.h"

typedef struct contest {
  bench_table *table;
  const char *problem;         // its name in the table
  const perp_problem *ours;    // as perp gets it
  const peer_problem *theirs;  // the same as peers get it; dense == NULL: too large for them
  double limit;                // seconds for one solver
  double good;                 // > 0: everybody must reach this residual: peers get smaller and
                               //   smaller tolerances until they do, perp a new solver every time
  int32_t threads;             // of perp's; 0: one
  int32_t kept;                // 1: perp's solver is kept even so, and its first solve not counted
  const char *form;            // how `ours` is given, for its rows; NULL: they do not say
  double best;                 // seconds of the fastest peer with a residual below `good`; where
                               //   there is none, of the fastest one below GOOD
} contest;
#define CONTEST_COLUMNS "problem|rows|who|status|ms|residual|best peer/this"
#define CONTEST_COLUMNS_GOOD CONTEST_COLUMNS "|iterations|factorisations"   // with good > 0
#define GOOD 1e-6              // no peer promises 1e-8 in perp's measure

// The problem as peers get it; dense: n x n, row-major, or NULL.
peer_problem contest_theirs(const perp_sample *sample, const double *dense);
// Peers first, so that `best` is known. names: NULL-terminated, of solver_list.
void contest_peers(contest *c, const char *const *names);
// A method of perp with its defaults through a reused solver: seconds; where it fails, minus those
// that it took, or -1.
double contest_method(contest *c, const char *name);
// The same with other options; who: NULL, or what the table calls it.
double contest_options(contest *c, const char *who, const perp_options *options);

#endif
