// face_kind.h: the functions that each kind of face provides, and what the kinds share.
#ifndef PERP_FACE_KIND_H
#define PERP_FACE_KIND_H

#include <math.h>

#include "body_rows.h"
#include "face.h"
#include "groups.h"

typedef struct face_kind {   // see the functions of the same names in face.h
  void (*destroy)(face *f);
  void (*shift)(face *f, double sigma);
  int (*update)(face *f, const uint8_t *is_free, const perp_deadline *deadline);
  int (*solve)(face *f, double *v, int refine);
  double (*flops_factor)(const face *f);
  double (*flops_rows)(const face *f, const uint8_t *is_free);
  double (*flops_solve)(const face *f);
  int64_t (*nnz)(const face *f);
  double (*flops_update)(const face *f, const uint8_t *is_free);
  // NULL: the kind does not take a diagonal. Through bodies and groups p is NULL and q is not.
  void (*diagonal)(face *f, const double *p, const double *q);
  void (*multiply)(const face *f, int transposed, const double *x, double *y);   // likewise
} face_kind;

struct face {                // the first member of every kind
  const face_kind *kind;
  int32_t factorizations, inner_iterations;
  // Of the current solve, for a new factorisation during it; or NULL.
  const perp_deadline *deadline;
  double error, left;        // see face_error() and face_left()
  double accuracy;           // see face_accuracy(); 0: that of the solver
  int lifts, quasidefinite;  // see face_lifts() and face_quasidefinite()
};

static inline face face_new(const face_kind *kind) {
  return (face){.kind = kind, .error = (double)INFINITY, .left = (double)INFINITY};
}

// Largest backward error of a refined solve. If it is exceeded, the factor is computed again, or a
// safer one; if that does not help, the solve fails.
#define FACE_ERROR_MAX 1e-8
// Backward error below which refinement gains nothing. If smaller, a wall is not solved, and 30 of
// 122 problems take up to 1.8 times the work.
#define FACE_REFINED_ERROR_MAX 1e-14
#define FACE_PIVOT_MIN (64*0x1p-52)   // entries are near 1, so a smaller pivot is rounding
#define FACE_DIAGONAL_MAX 0x1p800     // largest shift of a row, against overflow; its z is then 0

// Kinds whose rows come and go one by one (face_rows.c): by entries, and through bodies.
typedef struct row_face row_face;

enum { FACE_REFACTOR = -3 };   // code of modify: the caller must factor again

typedef struct row_kind {
  double (*flops_factor)(const row_face *f, const uint8_t *is_free);   // of a factorisation
  double (*flops_row)(const row_face *f, int32_t i);                 // of a row that comes or goes
  int (*modify)(row_face *f, int32_t i, uint8_t comes);   // 0; as face_update; or FACE_REFACTOR
  int (*refactor)(row_face *f, const perp_deadline *deadline);   // of the rows kept
} row_kind;

struct row_face {
  face base;
  const row_kind *rows;
  int32_t n;
  uint8_t *kept;             // n: rows that the factor holds; modify keeps it up to date
  int32_t since;             // modifications since the last factorisation
  int factored;              // 1: the factor is that of `kept`
  int ready;                 // 1: and the last update succeeded
};

// Functions of these kinds.
int row_face_update(face *f, const uint8_t *is_free, const perp_deadline *deadline);
double row_face_flops_rows(const face *f, const uint8_t *is_free);
double row_face_flops_update(const face *f, const uint8_t *is_free);

// Ends a solve. Returns 0 if it is good and v has no NaN and no huge entry, else 1 with v = 0.
int face_checked(int32_t n, double *v, int good);

// The kind by entries of A, for any operator that shows them. As face_create.
face *face_entries_create(const perp_operator *A, const perp_allocator *allocator, int *failed);
// The same for an A that assemble_csc made with its diagonal. Takes A, even if it fails.
face *face_entries_of(perp_csc *A, const perp_allocator *allocator, int *failed);

// The kind by groups of the rows of such an A. Takes A and g. If *failed is 1 and A is not cleared,
// a group has more than rows_max rows and both still belong to the caller.
face *face_group_create(perp_csc *A, groups *g, int32_t rows_max, const perp_allocator *allocator,
                        int *failed);

// The kind through bodies. It needs slack_i + sigma > FACE_BODY_SLACK_MIN A_ii in free rows. Takes
// the rows, even if it fails.
#define FACE_BODY_SLACK_MIN 0x1p-40   // relative to A_ii; if larger, walls take 2.8 times the work
face *face_body_create(body_rows *rows, const perp_allocator *allocator, int *failed);


// For callers that keep velocities themselves: R B and R^2 slack of the face, and *r = R. NULL: the
// face does not go through bodies.
const body_rows *face_body_rows(const face *f, const double **r);
// Factors H = I + (R B)'E^-1 (R B) of all rows. Valid until the next face_shift or face_diagonal.
// Returns as face_update.
int face_body_factor(face *f, const double *E, const perp_deadline *deadline);
void face_body_velocities(face *f, double *u);   // u <- H^-1 u

// The kind with a diagonal, for every A that shows its entries. Takes `bodies`, a face through
// bodies or NULL, even if it fails. *failed: 1: A does not show its entries; -2: no memory.
face *face_scaled_create(const perp_operator *A, face *bodies, const perp_allocator *allocator,
                         int *failed);

// The face through groups of the rows of an assembled S, if they pay. rows_change: 1: rows come and
// go; 0: only the diagonal changes. NULL: *failed is 1 (there are none, or they do not pay) or -2
// (no memory). S is taken unless *failed is 1 and S is not cleared.
face *face_choose_groups(perp_csc *S, int rows_change, const perp_allocator *allocator,
                         int *failed);

#endif
