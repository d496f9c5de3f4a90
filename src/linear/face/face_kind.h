// face_kind.h: what a kind of face must be able to do; face.c forwards to it.
#ifndef PERP_FACE_KIND_H
#define PERP_FACE_KIND_H

#include "body_rows.h"
#include "face.h"
#include "groups.h"

typedef struct face_kind {   // as the functions of face.h
  void (*destroy)(face *f);
  int (*values)(face *f, const perp_operator *A);
  void (*shift)(face *f, double sigma);
  int (*update)(face *f, const uint8_t *is_free, const perp_deadline *deadline);
  int (*solve)(face *f, double *v, int refine);
  double (*flops_anew)(const face *f);
  double (*flops_rows)(const face *f, const uint8_t *is_free);
  double (*flops_solve)(const face *f);
  int64_t (*nnz)(const face *f);
  double (*flops_update)(const face *f, const uint8_t *is_free);
} face_kind;

struct face {                // the first member of every kind
  const face_kind *kind;
  int32_t factorizations, modifications;
  const perp_deadline *deadline;   // of the solve at hand: making the factor anew asks it; NULL
};

// Rows of `kept` that are to go, then rows that are to come, one by one by `modify`, which keeps
// `kept`: 0, what modify returned, -1: deadline. FACE_ANEW: factor anew.
enum { FACE_ANEW = -3 };
int face_follow(face *f, int32_t n, const uint8_t *kept, const uint8_t *is_free,
                int (*modify)(face *f, int32_t row, uint8_t comes), const perp_deadline *deadline);

// The end of a solve: 0 if it is good and v has no NaN and nothing huge; else 1, and v = 0.
int face_checked(int32_t n, double *v, int good);

// By the entries of A: any operator that has them. As face_create.
face *face_entries_create(const perp_operator *A, const perp_allocator *allocator, int *failed);
// The same for an A that assemble_csc made with its diagonal; takes it, also when it fails.
face *face_entries_of(perp_csc *A, const perp_allocator *allocator, int *failed);

// Through the groups of the rows of such an A. Takes both, unless *failed is 1 and A still there:
// a group has too many rows.
face *face_group_create(perp_csc *A, groups *g, const perp_allocator *allocator, int *failed);

// Through bodies, which needs slack_i + sigma > FACE_BODY_LEAST A_ii in free rows. Takes the rows,
// also when it fails.
#define FACE_BODY_LEAST 0x1p-40
face *face_body_create(body_rows *rows, const perp_allocator *allocator, int *failed);

// D = slack + d, n numbers >= 0 that the caller keeps, in place of slack + sigma I; it may be as
// small as 0 except in rows without entries in B.
void face_body_diagonal(face *f, const double *d);
// What the last solve left, |residual_i| relative to (|B||B'| + D)_i. max|z| + max|r|, rows scaled
// to a diagonal near 1.
double face_body_error(const face *f);
double face_body_left(const face *f);   // ... and max|residual|/max|r|
void face_body_product(const face *f, const double *x, double *y);   // y = A x, without d

// For callers who keep velocities themselves. R B and R^2 slack as the face has them, *r = R; NULL:
// it does not go through bodies.
const body_rows *face_body_rows(const face *f, const double **r);
// H = I + (R B)'E^-1 (R B) of all rows, until the next face_shift or face_body_diagonal; as
// face_update.
int face_body_factor(face *f, const double *E, const perp_deadline *deadline);
void face_body_velocities(face *f, double *u);   // u <- H^-1 u

// As face_create for a caller who will not (0) or may (1) call face_shift: the kind that will take
// less time.
face *face_choose(const perp_operator *A, int shifts, const perp_allocator *allocator,
                  int *failed);
// The same for a caller who wants bodies or nothing, and says what D is by face_body_diagonal.
// NULL: *failed is 1 (contacts are better, or there are no bodies) or -2 (no memory).
face *face_choose_bodies(const perp_operator *A, const perp_allocator *allocator, int *failed);

#endif
