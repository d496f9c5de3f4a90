// aggregation.h: a multigrid cycle z ~ A_II^-1 r on the free rows I of a symmetric matrix, from its
// entries.
#ifndef PERP_AGGREGATION_H
#define PERP_AGGREGATION_H

#include <perp/method.h>

#include "team.h"

typedef struct aggregation aggregation;

// Chooses the aggregates, once for all masks. Keeps a reference to A, which is symmetric with
// sorted rows and stored, positive diagonal entries. threads NULL: one. NULL: *failed is -1
// (deadline) or -2 (no memory).
aggregation *aggregation_create(const perp_csc *A, team *threads, const perp_allocator *allocator,
                                const perp_deadline *deadline, int *failed);
void aggregation_destroy(aggregation *g);                            // NULL is fine

// In all functions below `from` is the level to work on; 0 is A itself.

// Computes the coarse matrices for the free rows of level `from` (its n, copied; NULL: all). Does
// not allocate. Levels before `from` keep their matrices.
void aggregation_mask(aggregation *g, int32_t from, const uint8_t *is_free);

// z <- an approximation of A_II^-1 r in float. It is nearly symmetric positive definite; the coarse
// levels are accelerated, so a Krylov method around it must be flexible. z_F = 0; r and z: n.
void aggregation_cycle(aggregation *g, int32_t from, const double *r, double *z);

// Solves A_II x_I = r_I by flexible conjugate gradients around the cycle, in at most `most` steps,
// to |r - A x| <= wanted |r| by its own recursion. Float limits that to about 1e-6; for more, solve
// again for the residual. x_F = 0; r and x: n, may be the same. Returns the number of steps. The
// bits are the same for any number of threads (NULL: one).
int32_t aggregation_solve(aggregation *g, int32_t from, team *threads, const double *r,
                          double wanted, int32_t most, const perp_deadline *deadline, double *x);

// The same in parts, for masks that change on the way. begin sets x = 0 and the residual r. go_on
// takes steps until `wanted` of the current residual. end returns x. In between the caller keeps
// the residual correct in rows that become bound (x_i = 0, residual 0) or free (x_i = 0, and a
// residual), and in the rows beside them. No other system may be solved in between.
void aggregation_begin(aggregation *g, int32_t from, team *threads, const double *r);
int32_t aggregation_go_on(aggregation *g, int32_t from, team *threads, double wanted, int32_t most,
                          const perp_deadline *deadline);
void aggregation_end(aggregation *g, int32_t from, team *threads, double *x);
double aggregation_at(const aggregation *g, int32_t from, int32_t i);                 // x_i so far
// |residual|, in the units of the level.
double aggregation_rest(aggregation *g, int32_t from, team *threads);
void aggregation_bind(aggregation *g, int32_t from, int32_t i);
void aggregation_rest_add(aggregation *g, int32_t from, int32_t i, double r);
void aggregation_rest_set(aggregation *g, int32_t from, int32_t i, double r);

// The matrix of a level, as a view, and the row of the next level that each row belongs to (-1:
// none; NULL on the last level).
perp_csc aggregation_matrix(const aggregation *g, int32_t from, const int32_t **aggregate);
const int32_t *aggregation_diagonal(const aggregation *g, int32_t from);   // places of A_ii

#endif
