// feasibility.h: the search for a proof that a problem has no solution.
#ifndef PERP_FEASIBILITY_H
#define PERP_FEASIBILITY_H

#include "run.h"
#include "vector.h"

// Looks for a Farkas vector and offers what it finds with run_infeasible(). 1: the problem was
// proven infeasible, and the run has ended; 0: nothing is known. Leaves run->x alone, takes its
// memory from run_allocate(), and needs the entries of A.
int feasibility_search(perp_run *run);

// The part of it for large components: least squares on R A C, all rows at once. 1: proven, 0:
// nothing is known, -1: x violates something wherever it is, but no proof came out.
int feasibility_large(perp_run *run, const double *R, const double *C);

// What a row demands of y: 1: >= 0, -1: <= 0, 0: = 0, 2: nothing.
static inline int feasibility_demand(const perp_run *run, int32_t i) {
  const int below = lower(run->lo, i) > -(double)INFINITY,
            above = upper(run->hi, i) < (double)INFINITY;
  return below && above ? 2 : below ? 1 : above ? -1 : 0;
}

// Small rationals behind rounded numbers: v_i = p_i/q 2^k_i with one odd q <= 2^20 for all i, up to
// the relative tolerance. Returns 1 and replaces v by p 2^k, which is exact; 0: v is unchanged.
int rational_round(int32_t n, double *v, double tolerance);

#endif
