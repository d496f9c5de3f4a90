// face.h: solves (diag(p) A + diag(q))_II z = r on the free rows I, while I, p and q change. The
// interface between methods and factors.
#ifndef PERP_FACE_H
#define PERP_FACE_H

#include <perp/method.h>

typedef struct face face;

typedef enum face_changes {   // what may change between two factorisations
  FACE_SETS,       // the free rows
  FACE_SHIFTS,     // the free rows and sigma
  FACE_DIAGONALS   // the free rows, p and q, for every A
} face_changes;

// Rows up to which a dense factor is faster than a sparse one or groups. Without dense factors, 36 of
// 154 problems take up to 1.7 times the work.
enum { FACE_DENSE_ROWS_MAX = 200 };

// Analyses the pattern of A once, and chooses the kind of factor that takes least time. NULL:
// *failed is 1 (A does not show its entries), 2 (its pattern is not symmetric) or -2 (no memory).
// FACE_SETS and FACE_SHIFTS: only the symmetric part of A is factored, and nothing is allocated
// after creation. FACE_DIAGONALS: A must live as long as the face, because its entries may be taken
// later.
face *face_create(const perp_operator *A, face_changes changes, const perp_allocator *allocator,
                  int *failed);
// The same by a linear solver of the caller's choice, which factors again whenever I changes. A may
// be any matrix that the solver accepts, or a symmetric one.
face *face_linear_create(const perp_linear_ops *ops, const perp_operator *A,
                         const perp_options *options, const perp_allocator *allocator,
                         int *failed);
// The linear solver that options->newton.inner and options->linear ask for, for a Newton method.
const perp_linear_ops *face_choose_linear(const perp_operator *A, const perp_options *options);
void face_destroy(face *f);                                    // NULL is fine

void face_shift(face *f, double sigma);   // if sigma changed, the next update factors again
// FACE_DIAGONALS: diag(p) A + diag(q) in place of A + sigma I. p NULL: 1; q NULL: 0. The caller
// keeps p and q until the next update, which factors again.
void face_diagonal(face *f, const double *p, const double *q);

// Makes the factor for these free rows (NULL, with FACE_DIAGONALS: all), by row modifications or by
// a new factorisation, whichever takes fewer operations. 0: fine; k > 0: the pivot of row k - 1 is
// not positive beyond rounding, or with FACE_DIAGONALS the k-th pivot is 0; -1: deadline; -2: no
// memory. Unless it is 0 there is no factor until an update succeeds.
int face_update(face *f, const uint8_t *is_free, const perp_deadline *deadline);

// n; v_I <- the solution for v_I, v_F <- 0, with at most `refine` steps of iterative refinement.
// With refine > 0 the residual is checked. If many modifications have made the factor inaccurate,
// it is computed again first; with FACE_DIAGONALS a safer kind of factor takes over. With
// refine < 0 no residual is computed. 0: fine; 1: there is no factor, or z overflows; v is then 0.
int face_solve(face *f, double *v, int refine);
// The same with a deadline; -1: it has passed, and v is 0.
int face_solve_within(face *f, double *v, int refine, const perp_deadline *deadline);

// The relative residual that later solves of an iterative solver aim at, and its iterations so far.
void face_accuracy(face *f, double tol);
int32_t face_inner_iterations(const face *f);
// Of the last solve: the largest |residual_i| relative to the sizes of what it is made of, and
// max|residual|/max|r|, with rows scaled to a diagonal near 1. INFINITY if only another product
// would show it.
double face_error(const face *f);
double face_left(const face *f);
// FACE_DIAGONALS: y = A x, or A'x, by the entries of A as they were at creation.
void face_multiply(const face *f, int transposed, const double *x, double *y);
// 1: the face handles small pivots itself, so q need not keep A + diag(q) regular beyond rounding.
int face_lifts(const face *f);
// 1: changing the signs of some rows makes A symmetric but indefinite. A small q > 0 then keeps the
// pivots on the diagonal.
int face_quasidefinite(const face *f);

// FACE_SETS and FACE_SHIFTS: operations of a factorisation with all rows free, of modifications
// that lead to these free rows (in units of factorisation operations that take as long), and of a
// solve without refinement.
double face_flops_factor(const face *f);
double face_flops_rows(const face *f, const uint8_t *is_free);
double face_flops_solve(const face *f);
// Operations of the update that face_update() would choose.
double face_flops_update(const face *f, const uint8_t *is_free);
int32_t face_factorizations(const face *f);                    // since create
int64_t face_nnz(const face *f);   // of the factor; 0: it is dense, or there is none

#endif
