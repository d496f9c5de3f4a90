// face_scaled.c: the face of any A with a diagonal: factors diag(p) A + diag(q) for many p and q, by
// a list of attempts.
//
// M = PA + Q is equilibrated by powers of two, S = R M C with largest entries near 1
// (face_scaled_entries.c). A small or full matrix gets a dense LU. For another one the first of
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
// Refinement with compensated residuals (face_scaled_solve.c) shows if an attempt was too bold;
// the next one then takes over.
// Cost: dense 2/3 n^3 per factorisation and 2 n^2 per solve; sparse by the fill.
#include "face_scaled.h"

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "assemble.h"
#include "dense_kernels.h"
#include "vector.h"

// Least diagonal pivot of the bold LU, relative to the largest entry of its column. If larger,
// Newton's method on walls takes up to 2 times the work.
#define BOLD_PIVOT_MIN 1e-6
#define QUASI_PIVOT_LIFT 1e-7    // replaces a smaller quasidefinite pivot; entries of S are near 1

static void destroy(face *base) {
  scaled_face *s = (scaled_face *)base;
  const perp_allocator allocator = s->allocator;
  face_destroy(s->smaller);
  sparse_ldl_destroy(s->ldl);
  sparse_lu_destroy(s->lu);
  if (s->csc.colptr != NULL) assembled_free(&allocator, &s->csc);
  if (s->p != NULL) allocator.release(allocator.context, s->p);
  if (s->block != NULL) allocator.release(allocator.context, s->block);
  allocator.release(allocator.context, s);
}

// ---- factors ----

int scaled_need_ldl(scaled_face *s) {
  if (s->ldl != NULL) return 0;
  s->ldl = sparse_ldl_create(&s->allocator);
  if (s->ldl == NULL) return -2;
  const int failed = sparse_ldl_analyse(s->ldl, &s->csc);
  if (failed == 0) return 0;
  sparse_ldl_destroy(s->ldl);   // without a pattern it would factor nothing, and succeed
  s->ldl = NULL;
  return failed;
}

// If most entries have a mirror image, pivots can stay on the diagonal: A + A' is ordered.
static int need_lu(scaled_face *s) {
  if (s->lu != NULL) return 0;
  s->lu = sparse_lu_create(&s->allocator);
  if (s->lu == NULL) return -2;
  const int diagonal = scaled_compare_transpose(&s->csc, s->pivot).matched >= 0.5;
  const int failed = sparse_lu_analyse(s->lu, &s->csc, diagonal);
  if (failed == 0) return 0;
  sparse_lu_destroy(s->lu);
  s->lu = NULL;
  return failed;
}

int scaled_factor_formed(scaled_face *s) {
  const int32_t n = s->n;
  const double floor = min2(n*0x1p-52, 0x1p-46);   // largest entries are near 1
  const perp_csc S = {n, n, s->csc.colptr, s->csc.row, s->S};
  int failed;
  s->usable = 0;
  s->base.factorizations++;
  if (s->full) {
    memcpy(s->LU, s->S, (size_t)n*(size_t)n*sizeof *s->S);
    failed = lu_factor(n, s->LU, s->pivot, floor, &s->deadline);
  } else {
    failed = 1;
    if (s->stage == LDL) {
      if (scaled_need_ldl(s) != 0) return -2;
      // Rounding may cancel a pivot of a quasidefinite matrix. A small one replaces it.
      sparse_ldl_regularise(s->ldl, s->base.quasidefinite ? s->sign : NULL,
                            s->base.quasidefinite ? QUASI_PIVOT_LIFT : 0.0);
      failed = sparse_ldl_factor(s->ldl, &S, s->masked ? s->kept : NULL,
                                 s->base.quasidefinite ? 0.0 : floor, &s->deadline);
      if (failed > 0) s->stage = BOLD_LU;
    }
    if (failed > 0) {
      const double threshold = s->stage == SAFE_LU ? SPARSE_LU_PIVOT_MIN : BOLD_PIVOT_MIN;
      failed = need_lu(s);
      if (failed == 0) failed = sparse_lu_factor(s->lu, &S, threshold, floor, &s->deadline);
    }
  }
  s->usable = failed == 0;
  return failed;
}

// ---- attempts ----

// 1: p is a mask of 0 and 1, and q > 0 where p = 0. Then LDL' can be used.
static int mask(scaled_face *s) {
  s->masked = 0;
  for (int32_t i = 0; i < s->n; i++) {
    s->kept[i] = s->p[i] != 0.0;
    if ((s->kept[i] && s->p[i] != 1.0) || !(s->q[i] >= 0.0)) return 0;
    if (s->kept[i]) continue;
    if (s->q[i] == 0.0) return 0;
    s->masked = 1;
  }
  return 1;
}

static int factor_smaller(scaled_face *s) {
  s->masked = 0;
  for (int32_t i = 0; i < s->n; i++) {
    if (!(s->p[i] >= 0.0) || !(s->q[i] >= 0.0) || !(s->p[i] + s->q[i] > 0.0)) return i + 1;
    s->kept[i] = s->p[i] > 0.0;
    s->masked |= s->p[i] == 0.0;
    s->D[i] = s->p[i] > 0.0 ? s->q[i]/s->p[i] : 0.0;
  }
  s->stage = SMALLER;
  s->base.factorizations++;
  face_diagonal(s->smaller, NULL, s->D);
  const int failed = face_update(s->smaller, s->kept, &s->deadline);
  s->usable = failed == 0;
  return failed;
}

int scaled_factor(scaled_face *s) {
  if (!s->entries && scaled_take_entries(s) != 0) return -2;
  s->stage = !s->full && s->symmetric && mask(s) ? LDL : BOLD_LU;
  if (deadline_passed(&s->deadline)) return -1;
  scaled_form(s);
  return scaled_factor_formed(s);
}

// ---- the kind ----

static void diagonal(face *base, const double *p, const double *q) {
  scaled_face *s = (scaled_face *)base;
  s->p_given = p;
  s->q_given = q;
}

static int update(face *base, const uint8_t *is_free, const perp_deadline *deadline) {
  scaled_face *s = (scaled_face *)base;
  s->deadline = deadline != NULL ? *deadline : (perp_deadline){0};
  s->usable = s->n == 0;
  if (s->n == 0) return 0;
  for (int32_t i = 0; i < s->n; i++) {
    const int here = is_free == NULL || is_free[i];
    s->held[i] = !here;
    s->p[i] = !here ? 0.0 : s->p_given != NULL ? s->p_given[i] : 1.0;
    s->q[i] = !here ? 1.0 : s->q_given != NULL ? s->q_given[i] : 0.0;
  }
  const int failed = s->smaller != NULL ? factor_smaller(s) : 1;
  return failed > 0 ? scaled_factor(s) : failed;
}

static int64_t nnz(const face *base) {
  const scaled_face *s = (const scaled_face *)base;
  if (s->usable && s->n > 0 && s->stage == SMALLER) return face_nnz(s->smaller);
  if (s->full || !s->usable) return 0;
  return s->stage == LDL ? sparse_ldl_nnz(s->ldl) : sparse_lu_nnz(s->lu);
}

static const face_kind kind = {.destroy = destroy, .update = update, .solve = scaled_solve,
                               .nnz = nnz, .diagonal = diagonal, .multiply = scaled_multiply};

face *face_scaled_create(const perp_operator *A, face *bodies, const perp_allocator *given,
                         int *failed) {
  const perp_allocator allocator = allocator_of(given);
  const size_t n = (size_t)A->n;
  scaled_face *s = allocator.allocate(allocator.context, sizeof *s);
  *failed = -2;
  if (s == NULL) {
    face_destroy(bodies);
    return NULL;
  }
  *s = (scaled_face){.base = face_new(&kind), .allocator = allocator, .n = A->n, .given = *A,
                     .smaller = bodies};
  s->base.lifts = bodies != NULL;
  s->p = allocator.allocate(allocator.context, (4*n + 1)*sizeof *s->p + 2*n);
  if (s->p != NULL) {
    s->q = s->p + n;
    s->D = s->q + n;
    s->rhs = s->D + n;
    s->kept = (uint8_t *)(s->rhs + n);
    s->held = memset(s->kept + n, 0, n);
    *failed = bodies != NULL ? 0 : scaled_take_entries(s);
  }
  if (*failed == 0) return &s->base;
  destroy(&s->base);
  return NULL;
}
