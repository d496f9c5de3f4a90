// feasibility.h: the search for a proof that a problem has no solution.
#ifndef PERP_FEASIBILITY_H
#define PERP_FEASIBILITY_H

#include "run.h"
#include "vector.h"

// Searches for a Farkas vector and submits candidates to run_infeasible(). 1: the problem is proved
// infeasible and the run has ended; 0: nothing is known. Does not change run->x, allocates with
// run_allocate(), and needs the entries of A.
int feasibility_search(perp_run *run);

// The part for large components: least squares on R A C, all rows at once. 1: proved infeasible; 0:
// nothing is known.
int feasibility_large(perp_run *run, const double *R, const double *C);

// What row i demands of y_i: 1: y_i >= 0, -1: y_i <= 0, 0: y_i = 0, 2: nothing.
static inline int feasibility_demand(const perp_run *run, int32_t i) {
  const int below = lower(run->lo, i) > -(double)INFINITY,
            above = upper(run->hi, i) < (double)INFINITY;
  return below && above ? 2 : below ? 1 : above ? -1 : 0;
}

// Finds small rationals near rounded numbers: v_i = p_i/q 2^k_i with one odd q <= 2^20 for all i,
// within the relative tolerance. 1: v is replaced by p 2^k, which is exact; 0: v is unchanged.
int rational_round(int32_t n, double *v, double tolerance);

#endif
