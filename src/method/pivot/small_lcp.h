// small_lcp.h: Lemke's method on a dense dictionary, for subproblems of up to a few hundred rows.
#ifndef PERP_SMALL_LCP_H
#define PERP_SMALL_LCP_H

#include <stddef.h>
#include <stdint.h>

typedef struct small_lcp {
  int32_t m;
  double *table;       // m x (m + 2): M, a column for the artificial variable, q
  double *z;           // m: the solution
  int32_t *basic;      // m: the variable of row i: w_i is i, z_i is m + i, the artificial one 2 m
  int32_t *free;       // m + 1: the variable of column j
} small_lcp;

size_t small_lcp_doubles(int32_t m);
size_t small_lcp_integers(int32_t m);
void small_lcp_place(small_lcp *s, int32_t m, double *doubles, int32_t *integers);
static inline double *small_lcp_row(const small_lcp *s, int32_t i) {   // M_i0 .., _, q_i
  return s->table + (size_t)i*((size_t)s->m + 2);
}
// Solves 0 <= z _|_ M z + q >= 0. Entries below `floor` are no pivots. 1: solved; 0: a ray, or too
// many pivots.
int small_lcp_solve(small_lcp *s, double floor);

#endif
