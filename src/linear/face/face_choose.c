// face_choose.c: chooses the kind of a face: which matrix is factored, contacts, groups of contacts
// or bodies, and which linear solver a Newton method takes.
//
// The rows of A are contacts; the rows of H = I + B'D^-1 B (face_body.c) are degrees of freedom of
// bodies. A product A = B B' + D can use either. Of another A only the entries are known: groups of
// rows (face_group.c) are used if a pass over the pattern shows clearly fewer slots.
//
// The analysis of a factor shows its cost, about flops + ENTRY_FLOPS nnz(L). But the analysis of
// the losing matrix may cost more than all factors of the winner. So the clear cases are decided
// before, from the rows n, the nonempty columns m of B, and the products that form either matrix,
//     P_A = sum over columns of (entries of B)^2,   P_H = sum over rows of (entries of B)^2.
// Bodies win if n >= 1.5 m and P_A >= 1.5 P_H, or if P_A >= 64 P_H (a body that touches everything
// makes A dense). Contacts win in the opposite case. Separators of a scene consist of contacts or
// bodies, so the flops compare like n^3 to m^3: on walls of bricks with n/m = 2.6, 3.9, 7.7 and 15
// the ratio of flops is 11, 40, 320 and 2500 (docs/theory.md).
#include "face_kind.h"

#include <string.h>

#include "allocator.h"
#include "assemble.h"
#include "operator.h"
#include "solvers.h"

enum {
  // Rows of the largest group in which rows are freed and bound one by one. Each change factors the
  // group's block again.
  GROUP_ROWS_MAX = 128,
  DENSE_ONLY_ROWS_MAX = 4000,   // rows up to which the factor is dense if no sparse one accepts A
  // Rows above which auto takes Krylov on grids. If smaller, 8 problems take up to 1.6 times the
  // work; if larger, a liquid takes 1.3 times the work.
  GRID_KRYLOV_ROWS_MIN = 1000,
  KRYLOV_ROWS_MIN = 100000      // rows above which auto takes Krylov, because factors fill in
};

// Largest number of slots relative to rows, if rows are freed and bound one by one. With 0.8, the
// value of GROUPS_SKELETON_MAX, walls of 147 bricks take 1.4 times the work.
#define GROUPS_SLOTS_MAX 0.75

// Operations that take as long as an entry of L, fitted on walls. With 0, a wall of 100 bricks that a
// ball of 30 m/s hits goes through contacts and takes 2.5 times the iterations.
#define ENTRY_FLOPS 60.0

typedef struct shape { double n, m, P_A, P_H; } shape;   // of B

// 0: fine; -2: no memory.
static int measure(const body_rows *B, const perp_allocator *memory, shape *out) {
  const size_t bytes = (size_t)(B->dofs > 0 ? B->dofs : 1)*sizeof(int32_t);
  int32_t *count = memory->allocate(memory->context, bytes);
  if (count == NULL) return -2;
  memset(count, 0, bytes);
  *out = (shape){.n = B->n};
  for (int32_t p = 0; p < B->rowptr[B->n]; p++) count[B->column[p]]++;
  for (int32_t j = 0; j < B->dofs; j++) {
    out->m += count[j] > 0;
    out->P_A += (double)count[j]*count[j];
  }
  for (int32_t i = 0; i < B->n; i++) {
    const double length = B->rowptr[i + 1] - B->rowptr[i];
    out->P_H += length*length;
  }
  memory->release(memory->context, count);
  return 0;
}

static int clearly(double larger, double smaller, double P_larger, double P_smaller) {
  return (larger >= 1.5*smaller && P_larger >= 1.5*P_smaller) || P_larger >= 64.0*P_smaller;
}

static double work(const face *f) { return face_flops_factor(f) + ENTRY_FLOPS*(double)face_nnz(f); }

// The face through bodies if it is cheaper, else NULL with *failed = 1. *rival: the face of the
// contacts, if it was made for the comparison and won.
static face *bodies_if_better(const perp_operator *A, int shifts, const perp_allocator *memory,
                              face **rival, int *failed) {
  body_rows rows;
  shape s = {0};
  int code = body_rows_take(A, memory, &rows);
  if (code == 0) code = measure(&rows, memory, &s);
  for (int32_t i = 0; i < rows.n && code == 0 && !shifts; i++) {
    double diagonal = rows.slack[i];
    for (int32_t p = rows.rowptr[i]; p < rows.rowptr[i + 1]; p++)
      diagonal += rows.value[p]*rows.value[p];
    // The factor 4: the face checks this after scaling by powers of two.
    if (!(rows.slack[i] > 4.0*FACE_BODY_SLACK_MIN*diagonal)) code = 1;
  }
  if (code == 0 && clearly(s.m, s.n, s.P_H, s.P_A)) code = 1;
  *rival = NULL;
  *failed = 1;
  if (code != 0) {
    body_rows_free(memory, &rows);
    return NULL;
  }
  face *bodies = face_body_create(&rows, memory, failed);
  if (bodies == NULL || clearly(s.n, s.m, s.P_A, s.P_H)) return bodies;
  int without = 0;
  *rival = face_entries_create(A, memory, &without);
  const int better = *rival == NULL || work(bodies) < work(*rival);
  face_destroy(better ? *rival : bodies);
  if (better) {
    *rival = NULL;
    return bodies;
  }
  *failed = 1;
  return NULL;
}

face *face_choose_groups(perp_csc *S, int rows_change, const perp_allocator *memory, int *failed) {
  groups g = {0};
  *failed = groups_find(S, rows_change ? GROUPS_SLOTS_MAX : GROUPS_SKELETON_MAX, memory, &g);
  const int32_t rows_max = rows_change ? GROUP_ROWS_MAX : INT32_MAX;
  face *f = *failed == 0 ? face_group_create(S, &g, rows_max, memory, failed) : NULL;
  groups_free(memory, &g);
  return f;
}

// The face by groups of rows if there are groups, else by entries.
static face *contacts_or_groups(const perp_operator *A, int shifts, const perp_allocator *memory,
                                int *failed) {
  perp_csc S = {0};
  *failed = assemble_csc(A, 1, memory, &S);
  if (*failed != 0) return NULL;
  const int many = shifts && S.columns > FACE_DENSE_ROWS_MAX;
  face *f = many ? face_choose_groups(&S, 1, memory, failed) : NULL;
  if (f != NULL) return f;
  if (*failed != -2 && S.colptr != NULL) return face_entries_of(&S, memory, failed);
  assembled_free(memory, &S);
  *failed = *failed == -2 ? -2 : 2;
  return NULL;
}

// Systems with a diagonal: bodies or groups if they pay, else a dense or a sparse factor.
static face *with_diagonal(const perp_operator *A, const perp_allocator *memory, int *failed) {
  face *contacts, *bodies = bodies_if_better(A, 1, memory, &contacts, failed);
  face_destroy(contacts);
  return *failed != -2 ? face_scaled_create(A, bodies, memory, failed) : NULL;
}

face *face_create(const perp_operator *A, face_changes changes, const perp_allocator *allocator,
                  int *failed) {
  const perp_allocator memory = allocator_of(allocator);
  if (changes == FACE_DIAGONALS) return with_diagonal(A, &memory, failed);
  const int shifts = changes == FACE_SHIFTS;
  face *contacts, *bodies = bodies_if_better(A, shifts, &memory, &contacts, failed);
  if (bodies != NULL) return bodies;
  if (contacts == NULL) return contacts_or_groups(A, shifts, &memory, failed);
  *failed = 0;
  return contacts;
}

// ---- the linear solver of a Newton method ----

static int usable(const perp_linear_ops *ops, const perp_operator *A) {
  return ops != NULL && ops->accepts(A);
}

// 1: the diagonal is positive and all other entries are <= 0, as on grids. There a preconditioned
// Krylov method is safe and faster than a factor.
static int grid_like(const perp_view *view) {
  if (view->kind != PERP_VIEW_CSC) return 0;
  const perp_csc *A = view->data;
  for (int32_t j = 0; j < A->columns; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
      if (A->row[p] == j ? !(A->value[p] > 0.0) : A->value[p] > 0.0) return 0;
  return 1;
}

// direct takes options->linear, otherwise a sparse LU if A is sparse and not small, otherwise a
// dense LU. krylov, masks and differences take the Krylov solver, which needs only products. auto
// takes direct, or Krylov on grids and if n is very large.
const perp_linear_ops *face_choose_linear(const perp_operator *A, const perp_options *options) {
  const perp_inner inner = (perp_inner)options->newton.inner;
  if (inner != PERP_INNER_AUTO && inner != PERP_INNER_DIRECT) return &linear_krylov;
  if (usable(options->linear, A)) return options->linear;
  const perp_view view = operator_view(A);
  if (inner == PERP_INNER_AUTO &&
      (A->n > KRYLOV_ROWS_MIN || (A->n > GRID_KRYLOV_ROWS_MIN && grid_like(&view))))
    return &linear_krylov;
  const int full = view.kind == PERP_VIEW_DENSE || A->n <= FACE_DENSE_ROWS_MAX;
  const int sparse = usable(&linear_sparse_lu, A);
  if (!full && sparse) return &linear_sparse_lu;
  if (usable(&linear_dense_lu, A) && (full || A->n <= DENSE_ONLY_ROWS_MAX)) return &linear_dense_lu;
  return sparse ? &linear_sparse_lu : &linear_krylov;
}
