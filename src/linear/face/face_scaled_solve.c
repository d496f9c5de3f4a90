// face_scaled_solve.c: solves with the factor of face_scaled.c, refines, and multiplies by A.
//
//     z <- z + S^-1 (v - S z)      with a residual in twice the precision
// A solve that stays inaccurate after refinement moves on to the next attempt.
// Cost: a solve with the factor and a pass over the entries per step of refinement.
#include "face_scaled.h"

#include <math.h>
#include <string.h>

#include "dense_kernels.h"
#include "error_free.h"
#include "vector.h"

static void back_solve(scaled_face *s, double *v) {
  if (s->full) {
    lu_solve(s->n, s->LU, s->pivot, v);
    return;
  }
  if (s->stage != LDL) {
    sparse_lu_solve(s->lu, v);
    return;
  }
  // A masked row gives z_j = v_j/q_j. Move its column to the right-hand side of the other rows.
  for (int32_t j = 0; s->masked && j < s->n; j++) {
    if (s->kept[j]) continue;
    v[j] /= s->S[s->diagonal[j]];
    for (int32_t p = s->csc.colptr[j]; v[j] != 0.0 && p < s->csc.colptr[j + 1]; p++)
      if (s->kept[s->csc.row[p]]) v[s->csc.row[p]] -= s->S[p]*v[j];
  }
  sparse_ldl_solve(s->ldl, v);
}

// high = v - S z, computed with compensated sums. Returns max |v - S z|_i / (|S||z| + |v|)_i.
EXACT_INLINE double residual_by(scaled_face *s) {
  const int32_t n = s->n;
  double worst = 0.0;
  if (s->full) {
    for (int32_t i = 0; i < n; i++) {
      const double *row = s->S + (size_t)i*(size_t)n;
      exact_sum sum = {s->v[i], 0.0};
      double size = fabs(s->v[i]);
      for (int32_t j = 0; j < n; j++) {
        exact_add_product(&sum, -row[j], s->z[j]);
        size += fabs(row[j]*s->z[j]);
      }
      s->high[i] = exact_value(sum);
      s->size[i] = size;
    }
  } else {
    for (int32_t i = 0; i < n; i++) {
      s->high[i] = s->v[i];
      s->low[i] = 0.0;
      s->size[i] = fabs(s->v[i]);
    }
    for (int32_t j = 0; j < n; j++) {
      const double z = s->z[j];
      for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++) {
        const int32_t i = s->csc.row[p];
        exact_sum sum = {s->high[i], s->low[i]};
        exact_add_product(&sum, -s->S[p], z);
        s->high[i] = sum.high;
        s->low[i] = sum.low;
        s->size[i] += fabs(s->S[p]*z);
      }
    }
    for (int32_t i = 0; i < n; i++) s->high[i] = exact_value((exact_sum){s->high[i], s->low[i]});
  }
  // A row whose terms nearly vanish is measured relative to max|z| (Arioli, Demmel, Duff: Solving
  // sparse linear systems with sparse backward error, 1989).
  double largest = 0.0;
  for (int32_t i = 0; i < n; i++) largest = max_or_nan(largest, fabs(s->z[i]));
  for (int32_t i = 0; i < n; i++) {
    const double tiny = 1000.0*0x1p-52*n*largest, size = s->size[i];
    if (s->high[i] != 0.0)
      worst = max_or_nan(worst, fabs(s->high[i])/(size > tiny ? size : size + largest));
  }
  return worst;
}

EXACT_FMA static double residual_fma(scaled_face *s) { return residual_by(s); }
static double residual_plain(scaled_face *s) { return residual_by(s); }

static double residual(scaled_face *s) {
  return EXACT_HAS_FMA() ? residual_fma(s) : residual_plain(s);
}

// z = S^-1 v with at most `refine` corrections. A correction that does not help is undone.
static double solve_scaled(scaled_face *s, int refine) {
  const size_t bytes = (size_t)s->n*sizeof(double);
  memcpy(s->z, s->v, bytes);
  back_solve(s, s->z);
  if (refine < 0) return 0.0;
  double error = residual(s);
  for (int k = 0; k < refine && !(error <= 0x1p-52); k++) {
    memcpy(s->before, s->z, bytes);
    back_solve(s, s->high);
    for (int32_t i = 0; i < s->n; i++) s->z[i] += s->high[i];
    const double corrected = residual(s);
    if (!(corrected < error)) {
      memcpy(s->z, s->before, bytes);
      break;
    }
    const int slow = corrected > 0.5*error;
    error = corrected;
    if (slow) break;
  }
  return error;
}

// v <- the solution by the smaller face, unless its error exceeds `most`. Returns the error.
static double solve_smaller(scaled_face *s, double *v, int refine, double most) {
  const int32_t n = s->n;
  double *z = s->rhs;
  int moves = 0;
  for (int32_t i = 0; i < n && s->masked; i++) {
    z[i] = s->kept[i] ? 0.0 : v[i]/s->q[i];
    moves |= z[i] != 0.0;
  }
  if (moves) face_multiply(s->smaller, 0, z, z);
  for (int32_t i = 0; i < n; i++)
    z[i] = s->kept[i] ? v[i]/s->p[i] - (moves ? z[i] : 0.0) : 0.0;
  const int failed = face_solve(s->smaller, z, refine);
  const double error = failed == 0 ? face_error(s->smaller) : (double)INFINITY;
  if (!(error <= most)) return error == error ? error : (double)INFINITY;
  for (int32_t i = 0; i < n; i++) v[i] = s->kept[i] ? z[i] : v[i]/s->q[i];
  return error;
}

static double solve(scaled_face *s, double *v, int refine) {
  const int32_t n = s->n;
  if (!s->usable) return (double)INFINITY;
  if (n > 0 && s->stage == SMALLER) {
    const double most = refine > 0 ? FACE_ERROR_MAX : (double)INFINITY;
    const double error = solve_smaller(s, v, refine, most);
    if (error <= most) return error;
    if (scaled_factor(s) != 0) return (double)INFINITY;
  }
  for (int32_t i = 0; i < n; i++) s->v[i] = s->r[i]*v[i];
  const int more = s->stage == LDL && s->rounded && refine > 0;   // A is not exactly symmetric
  double error = n > 0 ? solve_scaled(s, refine + more) : 0.0;
  // Too inaccurate: try again with a safer factor, which stays for the following solves.
  while (!(error <= FACE_ERROR_MAX) && !s->full && refine > 0 && s->stage != SAFE_LU) {
    s->stage = s->stage == LDL ? BOLD_LU : SAFE_LU;
    if (scaled_factor_formed(s) == 0) error = solve_scaled(s, refine);
    else if (s->stage == SAFE_LU) return (double)INFINITY;
  }
  for (int32_t i = 0; i < n; i++) v[i] = s->c[i]*s->z[i];
  return error == error ? error : (double)INFINITY;
}

int scaled_solve(face *base, double *v, int refine) {
  scaled_face *s = (scaled_face *)base;
  for (int32_t i = 0; i < s->n; i++)
    if (s->held[i]) v[i] = 0.0;
  base->error = solve(s, v, refine);
  base->left = s->usable && s->n > 0 && s->stage == SMALLER ? face_left(s->smaller)
                                                            : (double)INFINITY;
  return face_checked(s->n, v, base->error < (double)INFINITY);
}

// y = A x or A'x with the entries taken at creation
void scaled_multiply(const face *base, int transposed, const double *x, double *y) {
  const scaled_face *s = (const scaled_face *)base;
  const int32_t n = s->n;
  const size_t ld = (size_t)n;
  if (!s->entries) {
    face_multiply(s->smaller, transposed, x, y);
    return;
  }
  for (int32_t i = 0; i < n; i++) y[i] = 0.0;
  for (int32_t j = 0; j < n; j++) {
    if (s->full && !transposed) {
      y[j] = dot(n, s->A + (size_t)j*ld, x);
    } else if (s->full) {
      for (int32_t i = 0; i < n; i++) y[i] += s->A[(size_t)j*ld + (size_t)i]*x[j];
    } else if (!transposed) {
      for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++)
        y[s->csc.row[p]] += s->csc.value[p]*x[j];
    } else {
      for (int32_t p = s->csc.colptr[j]; p < s->csc.colptr[j + 1]; p++)
        y[j] += s->csc.value[p]*x[s->csc.row[p]];
    }
  }
}
