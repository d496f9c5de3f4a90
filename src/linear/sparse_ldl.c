// sparse_ldl.c: P S P' = L D L' by supernodes, without exchanges.
//
// The panels of L are those of the analysis. Supernode s gets, from every earlier d with rows in
// it, the update
//     L_s -= L_d(rows from s on) D_d L_d(rows in s)'
// as a dense product that is then scattered, and is factored as a dense matrix: left-looking, with
// each d in the list of the supernode that it updates next (Ng and Peyton: Block sparse Cholesky
// algorithms on advanced uniprocessor computers, 1993). Without exchanges this is stable for
// definite S; the caller refines and judges. Cost: half the flops of an LU, in long loops.
#include "sparse_ldl_parts.h"

#include <math.h>
#include <string.h>

#include "linear.h"

// C (m x c, column-major) = sum over k < w of L(:,k) B(k,:); L has ld rows a column, B is w x c.
static void product(int32_t m, int32_t c, int32_t w, const double *restrict L, int32_t ld,
                    const double *restrict B, double *restrict C) {
  for (int32_t j = 0; j < c; j++) {
    double *restrict to = C + (size_t)j*(size_t)m;
    const double *b = B + (size_t)j*(size_t)w;
    int32_t k = 0;
    for (int32_t i = j; i < m; i++) to[i] = 0.0;
    for (; k + 4 <= w; k += 4) {
      const double *restrict l0 = L + (size_t)k*(size_t)ld, *restrict l1 = l0 + ld,
                   *restrict l2 = l1 + ld, *restrict l3 = l2 + ld;
      const double b0 = b[k], b1 = b[k + 1], b2 = b[k + 2], b3 = b[k + 3];
      for (int32_t i = j; i < m; i++)
        to[i] += (l0[i]*b0 + l1[i]*b1) + (l2[i]*b2 + l3[i]*b3);
    }
    for (; k < w; k++) {
      const double *restrict l = L + (size_t)k*(size_t)ld;
      const double bk = b[k];
      for (int32_t i = j; i < m; i++) to[i] += l[i]*bk;
    }
  }
}

double ldl_accept_pivot(sparse_ldl *f, int32_t k, double pivot, double floor) {
  const int32_t i = f->order[k];
  if (f->kept != NULL && !f->kept[i]) return pivot;   // of the identity
  const double sign = f->sign != NULL ? f->sign[i] : 0.0;
  if ((sign != 0.0 ? sign*pivot : fabs(pivot)) > floor) return pivot;
  if (!(f->lift > 0.0)) return 0.0;
  const double lifted = sign < 0.0 ? -f->lift : f->lift, added = fabs(lifted - pivot);
  f->lifted++;
  if (!(added <= f->largest_lift)) f->largest_lift = added;
  return lifted;
}

// The dense panel: h x w, column-major, D on the diagonal. 0, or 1 + the column without a pivot.
static int32_t factor_panel(sparse_ldl *f, int32_t from, int32_t h, int32_t w, double *X,
                            double floor) {
  for (int32_t k = 0; k < w; k++) {
    double *restrict to = X + (size_t)k*(size_t)h;
    for (int32_t q = 0; q < k; q++) {
      const double *restrict l = X + (size_t)q*(size_t)h;
      const double b = l[k]*l[q];                              // L_kq D_q
      for (int32_t i = k; i < h; i++) to[i] -= l[i]*b;
    }
    to[k] = ldl_accept_pivot(f, from + k, to[k], floor);
    if (to[k] == 0.0) return k + 1;
    const double inverse = 1.0/to[k];
    for (int32_t i = k + 1; i < h; i++) to[i] *= inverse;
  }
  return 0;
}

static void scatter_columns(sparse_ldl *f, const perp_csc *A, const uint8_t *kept, int32_t s,
                            double *X, int32_t h) {
  const int32_t from = f->first[s];
  for (int32_t k = from; k < f->first[s + 1]; k++) {
    const int32_t j = f->order[k];
    double *to = X + (size_t)(k - from)*(size_t)h;
    if (kept != NULL && !kept[j]) {
      to[k - from] = 1.0;
      continue;
    }
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = f->place[A->row[p]];
      if (kept != NULL && !kept[A->row[p]]) continue;
      if (i == k) to[k - from] = A->value[p];
      else if (i > k) to[f->local[i]] = 0.5*(A->value[p] + A->value[f->mirror[p]]);
    }
  }
}

// L_s -= L_d D_d L_d' for the rows of d from its first unused one on; those inside s come first.
static void apply_update(sparse_ldl *f, int32_t d, int32_t s, double *X, int32_t h) {
  const int32_t w = f->first[d + 1] - f->first[d], end = f->first[s + 1], from = f->first[s];
  const int32_t below = (int32_t)(f->rows_at[d + 1] - f->rows_at[d]), at = f->reached[d];
  const int32_t *rows = f->rows + f->rows_at[d] + at, ld = w + below, m = below - at;
  const double *L = f->panel + f->panel_at[d], *tail = L + w + at;
  int32_t inside = 0;
  while (inside < m && rows[inside] < end) inside++;
  for (int32_t j = 0; j < inside; j++)
    for (int32_t k = 0; k < w; k++)
      f->scaled[(size_t)j*(size_t)w + (size_t)k] =
          tail[(size_t)k*(size_t)ld + (size_t)j]*L[(size_t)k*(size_t)ld + (size_t)k];
  product(m, inside, w, tail, ld, f->scaled, f->update);
  for (int32_t j = 0; j < inside; j++) {
    double *to = X + (size_t)(rows[j] - from)*(size_t)h;
    const double *u = f->update + (size_t)j*(size_t)m;
    for (int32_t i = j; i < m; i++) to[f->local[rows[i]]] -= u[i];
  }
  f->reached[d] = at + inside;
}

int sparse_ldl_factor(sparse_ldl *f, const perp_csc *A, const uint8_t *kept, double floor,
                      const perp_deadline *deadline) {
  double flops = 0.0;
  f->kept = kept;
  f->lifted = 0;
  f->largest_lift = 0.0;
  for (int32_t s = 0; s < f->supernodes; s++) {
    f->head[s] = LDL_NONE;
    f->reached[s] = 0;
  }
  if (deadline_passed(deadline)) return -1;
  for (int32_t s = 0; s < f->supernodes; s++) {
    const ldl_panel P = panel_of(f, s);
    const int32_t from = P.from, w = P.w, m = P.m, h = P.h, *rows = P.rows;
    double *X = P.X;
    for (int32_t k = 0; k < w; k++) f->local[from + k] = k;
    for (int32_t i = 0; i < m; i++) f->local[rows[i]] = w + i;
    memset(X, 0, (size_t)h*(size_t)w*sizeof *X);
    scatter_columns(f, A, kept, s, X, h);
    for (int32_t d = f->head[s]; d != LDL_NONE;) {
      const int32_t following = f->next[d];
      apply_update(f, d, s, X, h);
      if (f->reached[d] < f->rows_at[d + 1] - f->rows_at[d]) {   // on to its next one
        const int32_t up = f->owner[f->rows[f->rows_at[d] + f->reached[d]]];
        f->next[d] = f->head[up];
        f->head[up] = d;
      }
      flops += 2.0*(f->first[d + 1] - f->first[d])*(double)h*w;
      d = following;
    }
    const int32_t failed = factor_panel(f, from, h, w, X, floor);
    if (failed != 0) return f->order[from + failed - 1] + 1;
    if (m > 0) {
      f->next[s] = f->head[f->owner[rows[0]]];
      f->head[f->owner[rows[0]]] = s;
    }
    flops += (double)w*w*h;
    if (flops > 2e6) {   // about a millisecond
      if (deadline_passed(deadline)) return -1;
      flops = 0.0;
    }
  }
  return 0;
}

// Solves for LDL_TOGETHER right-hand sides at a time, side by side in f->work: a panel that was
// loaded serves them all.
static void solve_together(sparse_ldl *f, double *restrict x) {
  enum { R = LDL_TOGETHER };
  for (int32_t s = 0; s < f->supernodes; s++) {                    // L
    const ldl_panel P = panel_of(f, s);
    for (int32_t k = 0; k < P.w; k++) {
      const double *l = P.X + (size_t)k*(size_t)P.h, *xk = x + (size_t)(P.from + k)*R;
      for (int32_t i = k + 1; i < P.w; i++)
        for (int r = 0; r < R; r++) x[(size_t)(P.from + i)*R + (size_t)r] -= l[i]*xk[r];
      for (int32_t i = 0; i < P.m; i++)
        for (int r = 0; r < R; r++) x[(size_t)P.rows[i]*R + (size_t)r] -= l[P.w + i]*xk[r];
    }
  }
  for (int32_t s = f->supernodes - 1; s >= 0; s--) {               // D and L'
    const ldl_panel P = panel_of(f, s);
    for (int32_t k = P.w - 1; k >= 0; k--) {
      const double *l = P.X + (size_t)k*(size_t)P.h;
      double *xk = x + (size_t)(P.from + k)*R, sum[R];
      for (int r = 0; r < R; r++) sum[r] = xk[r]/l[k];
      for (int32_t i = k + 1; i < P.w; i++)
        for (int r = 0; r < R; r++) sum[r] -= l[i]*x[(size_t)(P.from + i)*R + (size_t)r];
      for (int32_t i = 0; i < P.m; i++)
        for (int r = 0; r < R; r++) sum[r] -= l[P.w + i]*x[(size_t)P.rows[i]*R + (size_t)r];
      for (int r = 0; r < R; r++) xk[r] = sum[r];
    }
  }
}

void sparse_ldl_solve_many(sparse_ldl *f, int32_t count, double *V) {
  enum { R = LDL_TOGETHER };
  const size_t n = (size_t)f->n;
  int32_t done = 0;
  for (; done + R <= count; done += R, V += R*n) {
    for (size_t k = 0; k < n; k++)
      for (size_t r = 0; r < R; r++) f->work[k*R + r] = V[r*n + (size_t)f->order[k]];
    solve_together(f, f->work);
    for (size_t k = 0; k < n; k++)
      for (size_t r = 0; r < R; r++) V[r*n + (size_t)f->order[k]] = f->work[k*R + r];
  }
  for (; done < count; done++, V += n) sparse_ldl_solve(f, V);
}

void sparse_ldl_solve(sparse_ldl *f, double *v) {
  double *x = f->work;
  for (int32_t k = 0; k < f->n; k++) x[k] = v[f->order[k]];
  for (int32_t s = 0; s < f->supernodes; s++) {                    // L
    const ldl_panel P = panel_of(f, s);
    const int32_t from = P.from, w = P.w, m = P.m, *rows = P.rows;
    for (int32_t k = 0; k < w; k++) {
      const double *l = P.X + (size_t)k*(size_t)P.h, xk = x[from + k];
      if (xk == 0.0) continue;
      for (int32_t i = k + 1; i < w; i++) x[from + i] -= l[i]*xk;
      for (int32_t i = 0; i < m; i++) x[rows[i]] -= l[w + i]*xk;
    }
  }
  for (int32_t s = f->supernodes - 1; s >= 0; s--) {               // D and L'
    const ldl_panel P = panel_of(f, s);
    const int32_t from = P.from, w = P.w, m = P.m, *rows = P.rows;
    for (int32_t k = w - 1; k >= 0; k--) {
      const double *l = P.X + (size_t)k*(size_t)P.h;
      double sum = x[from + k]/l[k];
      for (int32_t i = k + 1; i < w; i++) sum -= l[i]*x[from + i];
      for (int32_t i = 0; i < m; i++) sum -= l[w + i]*x[rows[i]];
      x[from + k] = sum;
    }
  }
  for (int32_t k = 0; k < f->n; k++) v[f->order[k]] = x[k];
}

int64_t sparse_ldl_nnz(const sparse_ldl *f) {
  return f->supernodes > 0 ? f->panel_at[f->supernodes] : 0;
}

double sparse_ldl_flops(const sparse_ldl *f) { return f->flops; }

void sparse_ldl_regularise(sparse_ldl *f, const double *sign, double lift) {
  f->sign = sign;
  f->lift = lift;
}

int32_t sparse_ldl_lifted(const sparse_ldl *f, double *largest) {
  if (largest != NULL) *largest = f->largest_lift;
  return f->lifted;
}
