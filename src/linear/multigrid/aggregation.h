// aggregation.h: a multigrid cycle z ~ A_II^-1 r on the free rows I of a symmetric matrix, from its
// entries alone.
#ifndef PERP_AGGREGATION_H
#define PERP_AGGREGATION_H

#include <perp/method.h>

#include "team.h"

typedef struct aggregation aggregation;

// Chooses the aggregates, once for all masks. A is kept by reference: symmetric, rows sorted, every
// diagonal entry stored and positive. threads NULL: one. NULL: *failed is -1 (deadline) or -2 (no
// memory).
aggregation *aggregation_create(const perp_csc *A, team *threads, const perp_allocator *allocator,
                                const perp_deadline *deadline, int *failed);
void aggregation_destroy(aggregation *g);                            // NULL is fine

// All below: `from` is the level to work on, 0: A itself.

// The coarse matrices for the free rows of level `from` (its n, copied; NULL: all). Allocates
// nothing. Levels before `from` keep their matrices.
void aggregation_mask(aggregation *g, int32_t from, const uint8_t *is_free);

// z <- an approximation of A_II^-1 r, nearly symmetric positive definite: the coarse levels are
// accelerated, so a Krylov method around it must be flexible. In float. z_F = 0; r and z: n.
void aggregation_cycle(aggregation *g, int32_t from, const double *r, double *z);

// A_II x_I = r_I by flexible conjugate gradients around the cycle, at most `most` steps, to
// |r - A x| <= wanted |r| as its own recursion has it; what is in float limits that to about 1e-6:
// who wants more solves again for what is left. x_F = 0; r and x: n, may be the same. Returns the
// steps made. The same bits on any number of threads (NULL: one).
int32_t aggregation_solve(aggregation *g, int32_t from, team *threads, const double *r,
                          double wanted, int32_t most, const perp_deadline *deadline, double *x);

// The same in parts, for masks that change on the way: x = 0 and the residual r; steps, to `wanted`
// of the residual that there is then; x. The residual in between is the caller's to keep, where rows
// become bound (x_i = 0, residual 0) or free (x_i is 0, and has a residual from then on), and where
// it changes beside them. Nothing else is to be solved in between.
void aggregation_begin(aggregation *g, int32_t from, team *threads, const double *r);
int32_t aggregation_go_on(aggregation *g, int32_t from, team *threads, double wanted, int32_t most,
                          const perp_deadline *deadline);
void aggregation_end(aggregation *g, int32_t from, team *threads, double *x);
double aggregation_at(const aggregation *g, int32_t from, int32_t i);                 // x_i so far
double aggregation_rest(aggregation *g, int32_t from, team *threads);   // |residual|, in its units
void aggregation_bind(aggregation *g, int32_t from, int32_t i);
void aggregation_rest_add(aggregation *g, int32_t from, int32_t i, double r);
void aggregation_rest_set(aggregation *g, int32_t from, int32_t i, double r);

// The matrix of a level, as a view, and the row of the next level that each row belongs to
// (-1: none; NULL on the last level).
perp_csc aggregation_matrix(const aggregation *g, int32_t from, const int32_t **aggregate);
const int32_t *aggregation_diagonal(const aggregation *g, int32_t from);   // where A_ii stands

#endif
