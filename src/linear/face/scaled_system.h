// scaled_system.h: (diag(p) A + diag(q)) z = r: the linear systems of Fischer-Newton and interior
// points.
//
// One pattern, many values: dense for small or full A, else sparse with one analysis; product
// operators through their bodies where these are fewer.
#ifndef PERP_SCALED_SYSTEM_H
#define PERP_SCALED_SYSTEM_H

#include <perp/method.h>

typedef struct system_solver system_solver;

// Takes the entries of A (any operator with submatrix()); those of a product operator perhaps
// later, so it must live as long. NULL: no memory, or they are unknown.
system_solver *system_create(const perp_operator *A, const perp_allocator *allocator);
void system_destroy(system_solver *s);                               // NULL is fine

// p NULL: 1; q NULL: 0. 0: fine; k > 0: singular at the k-th pivot, and the factor is unusable;
// -1: deadline; -2: no memory.
int system_factor(system_solver *s, const double *p, const double *q,
                  const perp_deadline *deadline);
// v <- (PA + Q)^-1 v, with `refine` steps of iterative refinement. Returns the largest
// |residual| / (|PA + Q||z| + |r|) componentwise: near 2^-53 if all is well. (Through bodies it is
// relative to max|z| and max|r|: see body_system.h; so it is through groups.) With refine < 0 the
// residual is not looked at: for callers who do, and come back with refine > 0 where it is bad.
double system_solve(system_solver *s, double *v, int refine);
// Of the last solve: max|residual|/max|r|, rows scaled to a diagonal near 1, where that is known
// without another product; else INFINITY.
double system_left(const system_solver *s);
// 1: small pivots are taken care of, q need not keep PA + Q regular beyond rounding
int system_lifts(const system_solver *s);
// y = A x and y = A'x with the entries that were taken
void system_apply(const system_solver *s, const double *x, double *y);
void system_apply_transpose(const system_solver *s, const double *x, double *y);
// 1: A becomes symmetric, but indefinite, by changing signs of rows: a small q > 0 keeps the pivots
// on the diagonal
int system_quasidefinite(const system_solver *s);
int32_t system_factorizations(const system_solver *s);
int64_t system_nonzeros(const system_solver *s);   // of the last factor; 0: dense, or it failed

#endif
