// campaign_siconos.h: the LCP solvers of Siconos, for the cross-check of the campaign.
#ifndef PERP_CAMPAIGN_SICONOS_H
#define PERP_CAMPAIGN_SICONOS_H

#include <stdint.h>

enum { SICONOS_SOLVERS = 3 };
extern const char *const siconos_name[SICONOS_SOLVERS];

// A x + b >= 0, x >= 0, complementary; A: n x n, row-major. 1: the solver says that x solves it.
int siconos_solve(int solver, int32_t n, const double *A, const double *b, double *x);

#endif
