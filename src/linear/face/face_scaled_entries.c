// face_scaled_entries.c: takes the entries of A and forms the equilibrated S = R (PA + Q) C.
//
// The scales are powers of two that bring the largest entry of each row and column nearer to 1, as
// one pass of Ruiz's method does (2001). Both sides are scaled by square roots, so a symmetric
// PA + Q stays symmetric, and no entry is above 2.
// Cost: three passes over the entries; taking them costs a few more.
#include "face_scaled.h"

#include <math.h>

#include "arena.h"
#include "assemble.h"
#include "dense_kernels.h"
#include "operator.h"
#include "symmetry.h"
#include "vector.h"

// Share of nonzero entries, of n^2, above which a sparse factor would fill. If smaller, large
// sparse systems get dense factors, and most are not solved.
#define DENSE_DENSITY_MIN 0.2
#define SMALL_ROWS_MAX 150   // rows up to which the factor is dense; a sparse one saves no time

static int take_block(scaled_face *s, size_t entries) {
  const size_t n = (size_t)s->n;
  arena memory = {0};
  for (int pass = 0; pass < 2; pass++) {
    s->A = s->full ? ARENA_ARRAY(&memory, double, n*n) : NULL;
    s->LU = s->full ? ARENA_ARRAY(&memory, double, n*n) : NULL;
    s->S = ARENA_ARRAY(&memory, double, entries);
    s->pivot = ARENA_ARRAY(&memory, int32_t, n);
    s->diagonal = ARENA_ARRAY(&memory, int32_t, n);
    double **const vectors[] = {&s->r, &s->c, &s->v, &s->z, &s->high, &s->low, &s->size,
                                &s->before, &s->sign};
    for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
      *vectors[k] = ARENA_ARRAY(&memory, double, n);
    if (pass == 1 || arena_overflowed(&memory)) break;
    const size_t bytes = arena_block_bytes(&memory);
    s->block = bytes != SIZE_MAX ? s->allocator.allocate(s->allocator.context, bytes) : NULL;
    if (s->block == NULL) return -2;
    memory = arena_on_block(s->block, bytes);
  }
  return s->block != NULL ? 0 : -2;
}

static int take_dense(scaled_face *s, const perp_operator *A) {
  s->full = 1;
  if (A->ops->submatrix == NULL) return 1;
  if (take_block(s, (size_t)s->n*(size_t)s->n) != 0) return -2;
  for (int32_t i = 0; i < s->n; i++) s->pivot[i] = i;
  if (s->n > 0) A->ops->submatrix(A->self, s->pivot, s->n, s->A);
  return 0;
}

likeness scaled_compare_transpose(const perp_csc *A, int32_t *next) {
  double matched = 0.0, skew = 0.0, sum = 0.0;
  for (int32_t j = 0; j < A->columns; j++) next[j] = A->colptr[j];
  for (int32_t j = 0; j < A->columns; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p];
      while (next[i] < A->colptr[i + 1] && A->row[next[i]] < j) next[i]++;
      const int both = next[i] < A->colptr[i + 1] && A->row[next[i]] == j;
      matched += both;
      sum += fabs(A->value[p]);
      skew += fabs(A->value[p] - (both ? A->value[next[i]] : 0.0));
    }
  const int32_t nnz = A->colptr[A->columns];
  return (likeness){nnz > 0 ? matched/nnz : 1.0, sum > 0.0 ? skew/sum : 0.0};
}

// Finds signs of the rows with sign_i A_ij = sign_j A_ji by a breadth-first search. The pattern of
// A is symmetric. Returns 1 if they exist and some are negative.
static int find_signs(scaled_face *s) {
  const perp_csc *A = &s->csc;
  double *relation = s->S;                      // sign_i/sign_j; 0: not determined
  int32_t *next = s->pivot, *queue = s->pivot;  // n: next is used first
  for (int32_t j = 0; j < s->n; j++) next[j] = A->colptr[j];
  for (int32_t j = 0; j < s->n; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p];
      const double below = A->value[p], right = A->value[next[i]++];
      const double little = SYMMETRY_PAIRED*(fabs(below) + fabs(right));
      if (fabs(below - right) <= little) relation[p] = below != 0.0 ? 1.0 : 0.0;
      else if (fabs(below + right) <= little) relation[p] = -1.0;
      else return 0;
    }
  for (int32_t j = 0; j < s->n; j++) s->sign[j] = 0.0;
  int negative = 0;
  for (int32_t first = 0; first < s->n; first++) {
    if (s->sign[first] != 0.0) continue;
    int32_t done = 0, count = 0;
    s->sign[first] = 1.0;
    for (queue[count++] = first; done < count; done++) {
      const int32_t j = queue[done];
      for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
        const int32_t i = A->row[p];
        const double sign = relation[p]*s->sign[j];
        if (sign == 0.0 || s->sign[i] == sign) continue;
        if (s->sign[i] != 0.0) return 0;
        s->sign[i] = sign;
        negative |= sign < 0.0;
        queue[count++] = i;
      }
    }
  }
  return negative;
}

static int take_sparse(scaled_face *s) {
  const perp_csc *A = &s->csc;
  if (take_block(s, (size_t)A->colptr[s->n]) != 0) return -2;
  int nonnegative = 1;
  for (int32_t j = 0; j < s->n; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
      if (A->row[p] == j) {
        s->diagonal[j] = p;
        nonnegative &= A->value[p] >= 0.0;
      }
  const likeness like = scaled_compare_transpose(A, s->pivot);
  if (like.matched < 1.0 || !nonnegative) return 0;
  // Look for signs first: beside a large P the multiplier blocks of a quadratic program may look
  // like rounding errors.
  s->base.quasidefinite = like.skew > 0.0 && find_signs(s);
  if (!s->base.quasidefinite && like.skew > SYMMETRY_REFINED) return 0;
  s->rounded = like.skew > 0.0;
  s->symmetric = 1;
  int failed = s->base.quasidefinite || like.skew > SYMMETRY_PAIRED || s->smaller != NULL;
  if (failed == 0) s->smaller = face_choose_groups(&s->csc, 0, &s->allocator, &failed);
  if (failed <= 0) return failed;
  return scaled_need_ldl(s);
}

// 1: a dense view whose entries are too many for a sparse copy to pay.
static int is_full(const perp_operator *A) {
  const perp_view view = operator_view(A);
  if (view.kind != PERP_VIEW_DENSE) return 0;
  const perp_dense *dense = view.data;
  const size_t n = (size_t)A->n, ld = dense->ld != 0 ? (size_t)dense->ld : n;
  double count = 0.0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) count += dense->value[i*ld + j] != 0.0;
  return count > DENSE_DENSITY_MIN*(double)A->n*(double)A->n;
}

int scaled_take_entries(scaled_face *s) {
  const perp_operator *A = &s->given;
  int failed = 1;
  if (s->block != NULL) {   // everything else is known
    failed = assemble_csc(A, 1, &s->allocator, &s->csc);
    s->entries = failed == 0;
    return failed;
  }
  if (A->n > SMALL_ROWS_MAX && !is_full(A)) failed = assemble_csc(A, 1, &s->allocator, &s->csc);
  const int sparse = failed == 0 && (double)s->csc.colptr[A->n] <=
                                        DENSE_DENSITY_MIN*(double)A->n*(double)A->n;
  if (failed == 0 && !sparse) {
    assembled_free(&s->allocator, &s->csc);
    s->csc = (perp_csc){0};
  }
  if (failed >= 0) failed = sparse ? take_sparse(s) : take_dense(s, A);
  s->entries = failed == 0 && (!sparse || s->csc.colptr != NULL);
  if (failed != 0 && s->csc.colptr != NULL) {   // a later call takes them again
    assembled_free(&s->allocator, &s->csc);
    s->csc = (perp_csc){0};
  }
  return failed;
}

// ---- S = R (PA + Q) C ----

static void equilibrate(scaled_face *s) {
  const int32_t n = s->n;
  double *row = s->r, *column = s->c;
  for (int32_t i = 0; i < n; i++) row[i] = column[i] = 0.0;
  if (s->full) {
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++) {
        const double size = fabs(s->S[(size_t)i*(size_t)n + (size_t)j]);
        row[i] = max2(row[i], size);
        column[j] = max2(column[j], size);
      }
  } else {
    for (int32_t j = 0; j < n; j++)
      for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++) {
        const int32_t i = s->csc.row[p];
        if (s->stage == LDL && i != j && !(s->kept[i] && s->kept[j])) continue;
        const double size = fabs(s->S[p]);
        row[i] = max2(row[i], size);
        column[j] = max2(column[j], size);
      }
  }
  if (s->stage == LDL)   // equal scales, even if A is symmetric only up to rounding
    for (int32_t i = 0; i < n; i++) row[i] = column[i] = max2(row[i], column[i]);
  for (int32_t i = 0; i < n; i++) {
    row[i] = power_near_root(row[i], SCALE_EXPONENT_MAX);
    column[i] = power_near_root(column[i], SCALE_EXPONENT_MAX);
  }
  if (s->full) {
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++)
        s->S[(size_t)i*(size_t)n + (size_t)j] *= row[i]*column[j];
  } else {
    for (int32_t j = 0; j < n; j++)
      for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++)
        s->S[p] *= row[s->csc.row[p]]*column[j];
  }
}

static void change_signs(scaled_face *s) {
  for (int32_t j = 0; j < s->n; j++) {
    s->r[j] *= s->sign[j];
    for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++)
      s->S[p] *= s->sign[s->csc.row[p]];
  }
}

void scaled_form(scaled_face *s) {
  const int32_t n = s->n;
  const double *p = s->p, *q = s->q;
  if (s->full) {
    for (int32_t i = 0; i < n; i++) {
      const double *from = s->A + (size_t)i*(size_t)n;
      double *to = s->S + (size_t)i*(size_t)n;
      for (int32_t j = 0; j < n; j++) to[j] = p[i]*from[j];
      to[i] += q[i];
    }
  } else {
    const perp_csc *A = &s->csc;
    for (int32_t j = 0; j < n; j++) {
      for (int32_t k = A->colptr[j]; k < A->colptr[j + 1]; k++)
        s->S[k] = p[A->row[k]]*A->value[k];
      s->S[s->diagonal[j]] += q[j];
    }
  }
  equilibrate(s);
  if (s->base.quasidefinite) change_signs(s);
}
