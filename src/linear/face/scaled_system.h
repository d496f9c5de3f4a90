// scaled_system.h: solves (diag(p) A + diag(q)) z = r for Fischer-Newton and interior points.
//
// One pattern serves many values p and q. A small or full A is factored densely, another A by a
// sparse factor with one analysis, and a product operator through its bodies if these are fewer.
#ifndef PERP_SCALED_SYSTEM_H
#define PERP_SCALED_SYSTEM_H

#include <perp/method.h>

typedef struct system_solver system_solver;

// Takes the entries of A (any operator with submatrix()). The entries of a product operator may be
// taken later, so A must live as long as the system. NULL: no memory, or A does not show its
// entries.
system_solver *system_create(const perp_operator *A, const perp_allocator *allocator);
void system_destroy(system_solver *s);                               // NULL is fine

// p NULL: 1; q NULL: 0. 0: fine; k > 0: singular at the k-th pivot, and the factor is unusable;
// -1: deadline; -2: no memory.
int system_factor(system_solver *s, const double *p, const double *q,
                  const perp_deadline *deadline);
// v <- (PA + Q)^-1 v, with `refine` steps of iterative refinement. Returns the largest entry of
// |residual| / (|PA + Q||z| + |r|), which is near 2^-53 for a good solution. Through bodies and
// groups it is relative to max|z| and max|r| (see body_system.h). With refine < 0 the residual is
// not computed: the caller checks it and calls again with refine > 0 if it is too large.
double system_solve(system_solver *s, double *v, int refine);
// max|residual|/max|r| of the last solve, with rows scaled to a diagonal near 1. INFINITY if only
// another product would show it.
double system_left(const system_solver *s);
// 1: the system handles small pivots itself, so q need not keep PA + Q regular beyond rounding.
int system_lifts(const system_solver *s);
// y = A x and y = A'x with the entries taken at creation
void system_apply(const system_solver *s, const double *x, double *y);
void system_apply_transpose(const system_solver *s, const double *x, double *y);
// 1: changing the signs of some rows makes A symmetric but indefinite. A small q > 0 then keeps the
// pivots on the diagonal.
int system_quasidefinite(const system_solver *s);
int32_t system_factorizations(const system_solver *s);
int64_t system_nonzeros(const system_solver *s);   // of the last factor; 0: dense, or it failed

#endif
