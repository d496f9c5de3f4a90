// body_system.h: solves (diag(p) A + diag(q)) z = r for a product operator A, through bodies.
#ifndef PERP_BODY_SYSTEM_H
#define PERP_BODY_SYSTEM_H

#include <perp/method.h>

typedef struct body_system body_system;

// NULL: *failed is 1 (A is no product, or contacts are cheaper) or -2 (no memory).
body_system *body_system_create(const perp_operator *A, const perp_allocator *allocator,
                                int *failed);
void body_system_destroy(body_system *s);                            // NULL is fine

// As system_factor. Also returns k > 0 if p_k-1 or q_k-1 is negative.
int body_system_factor(body_system *s, const double *p, const double *q,
                       const perp_deadline *deadline);
// As system_solve, but the residual of row i is relative to (|B||B'| + D)_i max|z| + max|r| for
// A = B B' + slack, so cancellation within a row does not show. If it exceeds `most`, v is
// unchanged.
double body_system_solve(body_system *s, double *v, int refine, double most);
double body_system_left(const body_system *s);   // max|residual|/max|r| of that solve, rows scaled
void body_system_apply(const body_system *s, const double *x, double *y);   // y = A x
const double *body_system_p(const body_system *s);                  // n: of the last factorisation
const double *body_system_q(const body_system *s);
int64_t body_system_nonzeros(const body_system *s);

#endif
