// aggregation.h: a multigrid cycle z ~ A_II^-1 r on the free rows I of a symmetric sparse matrix.
#ifndef PERP_AGGREGATION_H
#define PERP_AGGREGATION_H

#include <perp/method.h>

#include "team.h"

typedef struct aggregation aggregation;

// Chooses the aggregates, once for all masks. Keeps a reference to A, which must be symmetric with
// sorted rows and stored, positive diagonal entries. threads NULL: one. Returns NULL on failure:
// *failed is -1 (deadline) or -2 (no memory).
aggregation *aggregation_create(const perp_csc *A, team *threads, const perp_allocator *allocator,
                                const perp_deadline *deadline, int *failed);
void aggregation_destroy(aggregation *g);                            // NULL is fine

// In all functions below, `from` is the level to work on; level 0 is A itself.

// Computes the coarse matrices for the free rows of level `from` (is_free: n of this level, copied;
// NULL: all rows are free). Does not allocate. Levels before `from` keep their matrices.
void aggregation_mask(aggregation *g, int32_t from, const uint8_t *is_free);

// z <- an approximation of A_II^-1 r in float. The map is nearly symmetric positive definite, but
// not linear, because the coarse levels are accelerated: a Krylov method around it must be
// flexible. z_F = 0; r and z: n.
void aggregation_cycle(aggregation *g, int32_t from, const double *r, double *z);

// Solves A_II x_I = r_I by flexible conjugate gradients around the cycle, in at most `most` steps,
// until |r - A x| <= wanted |r| by its recurrence. Float limits `wanted` to about 1e-6; for more,
// solve again for the residual. x_F = 0; r and x: n, may be the same. Returns the number of steps.
// The bits are the same for any number of threads (NULL: one).
int32_t aggregation_solve(aggregation *g, int32_t from, team *threads, const double *r,
                          double wanted, int32_t most, const perp_deadline *deadline, double *x);

// The same in parts, for a mask that changes during the solve. begin sets x = 0 and the residual r.
// go_on takes steps until the residual is `wanted` times that at its start. end returns x. After a
// change of mask the caller corrects the residual of rows that became bound (x_i = 0, residual 0),
// of rows that became free (x_i = 0), and of rows coupled to them. Between begin and end no other
// system may be solved.
void aggregation_begin(aggregation *g, int32_t from, team *threads, const double *r);
int32_t aggregation_go_on(aggregation *g, int32_t from, team *threads, double wanted, int32_t most,
                          const perp_deadline *deadline);
void aggregation_end(aggregation *g, int32_t from, team *threads, double *x);
double aggregation_at(const aggregation *g, int32_t from, int32_t i);                 // x_i so far
// |residual| times a constant of this begin: only ratios have a meaning.
double aggregation_rest(aggregation *g, int32_t from, team *threads);
void aggregation_bind(aggregation *g, int32_t from, int32_t i);
void aggregation_rest_add(aggregation *g, int32_t from, int32_t i, double r);
void aggregation_rest_set(aggregation *g, int32_t from, int32_t i, double r);

// The matrix of a level, as a view. aggregate: the row of the next level that each row belongs to
// (-1: none; NULL on the last level).
perp_csc aggregation_matrix(const aggregation *g, int32_t from, const int32_t **aggregate);
const int32_t *aggregation_diagonal(const aggregation *g, int32_t from);   // places of A_ii

#endif
