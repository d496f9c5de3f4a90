// face.h: solves (A_II + sigma I) z = r on the free rows I of a symmetric A, while I changes.
#ifndef PERP_FACE_H
#define PERP_FACE_H

#include <perp/method.h>

typedef struct face face;

// Analyses the pattern of A once. NULL: *failed is 1 (A does not show its entries), 2 (its pattern
// is not symmetric) or -2 (no memory). Only the symmetric part of A is factored. After creation
// only face_values allocates.
face *face_create(const perp_operator *A, const perp_allocator *allocator, int *failed);
// The same by a linear solver of the caller's choice, which factors again whenever I changes.
face *face_linear_create(const perp_linear_ops *ops, const perp_operator *A,
                         const perp_options *options, const perp_allocator *allocator,
                         int *failed);
void face_destroy(face *f);                                    // NULL is fine

// New values of the same pattern. The next update factors again. 0: fine; 1: the pattern differs;
// -2: no memory.
int face_values(face *f, const perp_operator *A);
void face_shift(face *f, double sigma);   // if sigma changed, the next update factors again
// Sets A + diag(d) in place of A + sigma I. The caller keeps d, n numbers >= 0. The next update
// factors again. Faces through bodies and groups can do it.
void face_diagonal(face *f, const double *d);

// Makes the factor of A_II + sigma I, by row modifications or by a new factorisation, whichever
// takes fewer operations. 0: fine; k > 0: the pivot of row k - 1 is not positive beyond rounding;
// -1: deadline. After k > 0 and -1 there is no factor until an update succeeds.
int face_update(face *f, const uint8_t *is_free, const perp_deadline *deadline);

// n; v_I <- (A_II + sigma I)^-1 v_I, v_F <- 0, with at most `refine` steps of iterative refinement.
// With refine > 0 the residual is checked. If many modifications have made the factor inaccurate,
// it is computed again first. 0: fine; 1: there is no factor, or z overflows; v is then 0.
int face_solve(face *f, double *v, int refine);
// The same with a deadline; -1: it has passed, and v is 0.
int face_solve_within(face *f, double *v, int refine, const perp_deadline *deadline);

// Of the last solve: the largest |residual_i| relative to the sizes of what it is made of, and
// max|residual|/max|r|, with rows scaled to a diagonal near 1. INFINITY if only another product
// would show it.
double face_error(const face *f);
double face_left(const face *f);
// y = A x without the diagonal, by faces that take one.
void face_multiply(const face *f, const double *x, double *y);

// Operations of a factorisation with all rows free, of modifications that lead to these free rows
// (in units of factorisation operations that take as long), and of a solve without refinement.
double face_flops_anew(const face *f);
double face_flops_rows(const face *f, const uint8_t *is_free);
double face_flops_solve(const face *f);
// Of whichever update would choose.
double face_flops_update(const face *f, const uint8_t *is_free);
int32_t face_factorizations(const face *f);                    // since create
int32_t face_modifications(const face *f);                     // since create
int64_t face_nnz(const face *f);                               // of the factor

#endif
