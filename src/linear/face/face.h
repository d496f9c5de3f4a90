// face.h: (A_II + sigma I) z = r on the free rows I of a symmetric A, and how its factor follows I.
#ifndef PERP_FACE_H
#define PERP_FACE_H

#include <perp/method.h>

typedef struct face face;

// The analysis, once a pattern. NULL: *failed is 1 (the entries of A are not known), 2 (its pattern
// is not symmetric) or -2 (no memory). Only the symmetric part of A is factored. Nothing but
// face_values allocates afterwards.
face *face_create(const perp_operator *A, const perp_allocator *allocator, int *failed);
// The same by a linear solver of the caller's choice, which factors anew whenever I changes.
face *face_linear_create(const perp_linear_ops *ops, const perp_operator *A,
                         const perp_options *options, const perp_allocator *allocator,
                         int *failed);
void face_destroy(face *f);                                    // NULL is fine

// Same pattern, new values: the next update factors anew. 0: fine; 1: the pattern is another one;
// -2: no memory.
int face_values(face *f, const perp_operator *A);
void face_shift(face *f, double sigma);   // the next update factors anew if it changed

// A_II + sigma I, by row modifications or anew, whichever takes fewer operations. 0: fine; k > 0:
// the pivot of row k - 1 is not positive beyond rounding; -1: deadline. After k > 0 and -1 there
// is nothing to solve with until an update goes well.
int face_update(face *f, const uint8_t *is_free, const perp_deadline *deadline);

// n; v_I <- (A_II + sigma I)^-1 v_I, v_F <- 0, with at most `refine` steps of iterative refinement.
// With refine > 0 the residual is looked at: where many modifications have made the factor drift,
// it is made anew first. 0: fine; 1: there is no factor, or the solution overflows: v is 0.
int face_solve(face *f, double *v, int refine);
// The same for somebody whose time is limited; -1: deadline, and v is 0.
int face_solve_within(face *f, double *v, int refine, const perp_deadline *deadline);

// Operations of a factorisation with all rows free, of going to these free rows by modifications
// (counted as the operations of a factorisation that take as long), and of a solve without
// refinement.
double face_flops_anew(const face *f);
double face_flops_rows(const face *f, const uint8_t *is_free);
double face_flops_solve(const face *f);
double face_flops_update(const face *f, const uint8_t *is_free);   // what update would choose
int32_t face_factorizations(const face *f);                    // since create
int32_t face_modifications(const face *f);                     // since create
int64_t face_nnz(const face *f);                               // of the factor

#endif
