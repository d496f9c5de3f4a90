// group_system.h: solves (A + diag(q)) z = r for a symmetric A whose rows come in groups.
#ifndef PERP_GROUP_SYSTEM_H
#define PERP_GROUP_SYSTEM_H

#include <perp/method.h>

typedef struct group_system group_system;

// A as for groups_find; the caller keeps it. NULL: *failed is 1 (there are no groups that pay) or
// -2 (no memory).
group_system *group_system_create(const perp_csc *A, const perp_allocator *allocator, int *failed);
void group_system_destroy(group_system *s);                          // NULL is fine

// Rows with kept[i] = 0 (NULL: all are kept) are q_i z_i = r_i with q_i > 0. q is NULL (0) or >= 0.
// 0: fine; k > 0: A + diag(q) has no positive pivot at row k - 1 or its group; -1: deadline.
int group_system_factor(group_system *s, const uint8_t *kept, const double *q,
                        const perp_deadline *deadline);
// v <- the solution, with at most `refine` corrections by the residual of A + diag(q).
// Returns max|residual|/(max|z| + max|r|), with rows and columns scaled to a diagonal of 1. With
// refine < 0 it neither corrects nor computes a residual, and returns 0.
double group_system_solve(group_system *s, double *v, int refine);
const double *group_system_q(const group_system *s);    // n: of the last factorisation
int64_t group_system_nonzeros(const group_system *s);   // of the factor between the groups

#endif
