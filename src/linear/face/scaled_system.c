// scaled_system.c: factors (diag(p) A + diag(q)) for many p and q, by a list of attempts.
//
// M = PA + Q is equilibrated by powers of two, S = R M C with largest entries near 1
// (scaled_system_entries.c). A small or full matrix gets a dense LU. For another one the first of
// these attempts that works is used, each with one analysis:
//   smaller   a face through bodies or groups, if p >= 0 and q >= 0. Where p_i > 0, row i says
//          (A z)_i + (q_i/p_i) z_i = r_i/p_i, which is symmetric. Where p_i = 0, it says z_i =
//          r_i/q_i, and column i moves to the right-hand side. The entries of A are taken only if
//          it fails.
//   LDL'   if A is symmetric up to rounding, its diagonal is nonnegative, and p_i is 0 or 1. It
//          factors the symmetric part without exchanges; refinement corrects the difference.
//          KKT systems and circuits, [Q -G'; G 0], become symmetric if the signs of some rows are
//          changed. Then S is quasidefinite and has an LDL' in every order if q > 0 (Vanderbei:
//          Symmetric quasidefinite matrices, 1995).
//   bold   LU that keeps to the diagonal unless it is tiny.
//   safe   LU with the usual exchanges.
// Refinement with compensated residuals (scaled_system_solve.c) shows if an attempt was too bold;
// the next one then takes over.
// Cost: dense 2/3 n^3 per factorisation and 2 n^2 per solve; sparse by the fill.
#include "scaled_system_parts.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "assemble.h"
#include "dense_kernels.h"
#include "vector.h"

#define BOLD_PIVOT_MIN 1e-6      // relative to its column: a diagonal pivot of the bold LU
#define SAFE_PIVOT_MIN 0.1       // relative to its column: a diagonal pivot of the safe LU
#define QUASI_PIVOT_MIN 1e-17    // of S, entries near 1: a smaller quasidefinite pivot is rounding
#define QUASI_PIVOT_LIFT 1e-7    // of S, entries near 1: replaces a smaller quasidefinite pivot

system_solver *system_create(const perp_operator *A, const perp_allocator *given) {
  const perp_allocator allocator = allocator_of(given);
  system_solver *s = allocator.allocate(allocator.context, sizeof *s);
  if (s == NULL) return NULL;
  *s = (system_solver){.allocator = allocator, .n = A->n, .given = *A};
  int failed = 1;
  face *bodies = A->n > DENSE_ROWS_MAX ? face_choose_bodies(A, &s->allocator, &failed) : NULL;
  s->lifts = bodies != NULL;
  if (bodies != NULL) failed = system_take_smaller(s, bodies);
  else if (failed != -2) failed = system_take_entries(s);
  if (failed == 0) return s;
  system_destroy(s);
  return NULL;
}

void system_destroy(system_solver *s) {
  if (s == NULL) return;
  const perp_allocator allocator = s->allocator;
  face_destroy(s->smaller);
  if (s->p != NULL) allocator.release(allocator.context, s->p);
  sparse_ldl_destroy(s->ldl);
  sparse_lu_destroy(s->lu);
  if (s->csc.colptr != NULL) assembled_free(&allocator, &s->csc);
  if (s->block != NULL) allocator.release(allocator.context, s->block);
  allocator.release(allocator.context, s);
}

// ---- factors ----

int system_need_ldl(system_solver *s) {
  if (s->ldl != NULL) return 0;
  s->ldl = sparse_ldl_create(&s->allocator);
  return s->ldl != NULL ? sparse_ldl_analyse(s->ldl, &s->csc) : -2;
}

// If most entries have a mirror image, pivots can stay on the diagonal: A + A' is ordered.
static int need_lu(system_solver *s) {
  if (s->lu != NULL) return 0;
  s->lu = sparse_lu_create(&s->allocator);
  if (s->lu == NULL) return -2;
  const int diagonal = system_compare_transpose(&s->csc, s->pivot).matched >= 0.5;
  const int failed = sparse_lu_analyse(s->lu, &s->csc, diagonal);
  if (failed == 0) return 0;
  sparse_lu_destroy(s->lu);
  s->lu = NULL;
  return failed;
}

int system_factor_formed(system_solver *s) {
  const int32_t n = s->n;
  const double floor = min2(n*0x1p-52, 0x1p-46);   // largest entries are near 1
  const perp_csc S = {n, n, s->csc.colptr, s->csc.row, s->S};
  int failed;
  s->usable = 0;
  s->factorizations++;
  if (s->full) {
    memcpy(s->LU, s->S, (size_t)n*(size_t)n*sizeof *s->S);
    failed = lu_factor(n, s->LU, s->pivot, floor, &s->deadline);
  } else {
    failed = 1;
    if (s->stage == LDL) {
      if (system_need_ldl(s) != 0) return -2;
      // Rounding may cancel a pivot of a quasidefinite matrix. A small one replaces it.
      sparse_ldl_regularise(s->ldl, s->quasi ? s->sign : NULL, s->quasi ? QUASI_PIVOT_LIFT : 0.0);
      failed = sparse_ldl_factor(s->ldl, &S, s->masked ? s->kept : NULL,
                                 s->quasi ? QUASI_PIVOT_MIN : floor, &s->deadline);
      if (failed > 0) s->stage = BOLD_LU;
    }
    if (failed > 0) {
      const double threshold = s->stage == SAFE_LU ? SAFE_PIVOT_MIN : BOLD_PIVOT_MIN;
      failed = need_lu(s);
      if (failed == 0) failed = sparse_lu_factor(s->lu, &S, threshold, floor, &s->deadline);
    }
  }
  s->usable = failed == 0;
  return failed;
}

// ---- attempts ----

// 1: p is a mask of 0 and 1, and q > 0 where p = 0. Then LDL' can be used.
static int mask(system_solver *s, const double *p, const double *q) {
  s->masked = 0;
  for (int32_t i = 0; i < s->n; i++) {
    s->kept[i] = p == NULL || p[i] != 0.0;
    if (p != NULL && p[i] != 0.0 && p[i] != 1.0) return 0;
    if (q != NULL && !(q[i] >= 0.0)) return 0;
    if (s->kept[i]) continue;
    if (q == NULL || q[i] == 0.0) return 0;
    s->masked = 1;
  }
  return 1;
}

static int factor_smaller(system_solver *s) {
  s->masked = 0;
  for (int32_t i = 0; i < s->n; i++) {
    if (!(s->p[i] >= 0.0) || !(s->q[i] >= 0.0) || !(s->p[i] + s->q[i] > 0.0)) return i + 1;
    s->kept[i] = s->p[i] > 0.0;
    s->masked |= s->p[i] == 0.0;
    s->D[i] = s->p[i] > 0.0 ? s->q[i]/s->p[i] : 0.0;
  }
  s->stage = SMALLER;
  s->factorizations++;
  face_diagonal(s->smaller, s->D);
  const int failed = face_update(s->smaller, s->kept, &s->deadline);
  s->usable = failed == 0;
  return failed;
}

int system_factor_entries(system_solver *s, const double *p, const double *q) {
  const int failed = s->entries ? 0 : system_take_entries(s);
  if (failed != 0) return -2;
  s->stage = !s->full && s->symmetric && mask(s, p, q) ? LDL : BOLD_LU;
  system_form(s, p, q);
  return system_factor_formed(s);
}

int system_factor(system_solver *s, const double *p, const double *q,
                  const perp_deadline *deadline) {
  s->deadline = deadline != NULL ? *deadline : (perp_deadline){0};
  s->usable = s->n == 0;
  if (s->n == 0) return 0;
  if (s->smaller == NULL) return system_factor_entries(s, p, q);
  for (int32_t i = 0; i < s->n; i++) {
    s->p[i] = p != NULL ? p[i] : 1.0;
    s->q[i] = q != NULL ? q[i] : 0.0;
  }
  const int failed = factor_smaller(s);
  return failed > 0 ? system_factor_entries(s, s->p, s->q) : failed;
}
