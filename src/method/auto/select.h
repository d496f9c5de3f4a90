// select.h: what auto knows of a problem, and the rungs it will climb.
#ifndef PERP_SELECT_H
#define PERP_SELECT_H

#include <perp/method.h>

typedef struct facts {
  int32_t n;
  int64_t nnz;              // stored entries
  int32_t entries;          // 1: A can tell its entries
  int32_t sweeps;           // 1: Gauss-Seidel passes are possible
  int32_t symmetric;        // 1: exactly, or up to 1e-4 of the largest entry
  int32_t positive;         // 1: no diagonal entry is negative
  int32_t monotone;         // 0: certainly not: a row with A_ii = 0 where A_ij + A_ji is not 0
  int32_t hollow;           // 1: a diagonal entry is 0
  int32_t m_matrix;         // 1: symmetric, dominant, no positive entry beside the diagonal
  int32_t dominant;         // 1: A_ii >= sum of the other |A_ij|, all rows or all columns
  int32_t grid;             // 1: a grid of cells
  int32_t product;          // 1: J W J'
  int32_t eased;            // 1: J W J' with compliance in every row
  int32_t tridiagonal;      // 1: no entry with |i - j| > 1
  int32_t free, boxed;      // rows without bounds; with two finite ones
  double factor;            // operations of a sparse factor of symmetric A, at least; 0: unknown
  int32_t contacts;         // of the contact LCP E13 (27); 0: it is none
  int32_t bodies;           // 1: it is a contact operator, which knows the bodies
} facts;

// 0: fine, -1: the deadline (NULL: none) has passed, -2: no memory
int select_facts(const perp_operator *A, const double *lo, const double *hi,
                 const perp_allocator *allocator, const perp_deadline *deadline, facts *f);

typedef struct rung {
  const perp_method *method;    // NULL: look for a proof that there is no solution
  int32_t iterations;           // at most
  double omega;                 // sweep.omega; 0: its default
  double shift;                 // proximal.shift; 0: its default
  const char *why;
} rung;

enum { SELECT_RUNGS = 13,
       SELECT_TINY = 4 };   // rows: enumerate first, at most 3^4 systems of 4 equations
int32_t select_rungs(const facts *f, int32_t iteration_limit, rung *rungs);   // how many
// Without a look at A, for what is left of a short time: sweeps over the contacts, where A may be a
// contact LCP, else over the rows. method: who makes those. How many; 0: A has no sweeps.
int32_t select_sweeps(const perp_operator *A, const double *lo, const double *hi,
                      const perp_method *method, int32_t iteration_limit, rung *rungs);

#endif
