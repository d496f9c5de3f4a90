// sparse_ldl_rows.c: modifies P S P' = L D L' when a row and column of S is added or deleted.
//
// An absent row is a row of the identity, so the pattern of L never changes. Let row k of the order
// be the middle one of
//     S = [S11 s12 S13; s12' s22 s32'; S31 s32 S33],   L = [L11; l12' 1; L31 l32 L33].
// Adding this row keeps L11, L31 and D11 and gives
//     L11 D11 l12 = s12,   d22 = s22 - l12' D11 l12,   l32 = (s32 - L31 D11 l12)/d22,
//     L33 D33 L33' <- L33 D33 L33' - l32 d22 l32'.
// Deleting it adds l32 d22 l32' (T. Davis, W. Hager: Row modifications of a sparse Cholesky
// factorization, SIAM J. Matrix Anal. Appl. 26, 2005). The triangular solve visits only supernodes
// below k in the tree that the entries of the row reach. The rank-one change visits only supernodes
// above k, on the path to the root. It is method C1 of Gill, Golub, Murray and Saunders (1974),
// column by column:
//     d' = d + a p^2,  b = a p/d',  a <- a d/d',  w <- w - p l,  l <- l + b w.
// Cost: two flops per entry of L in the columns visited below k, four per entry above.
#include "sparse_ldl_parts.h"

#include <math.h>
#include <string.h>

// Lists the supernodes below that of row k which the row's entries reach, children first, in
// f->path[top .. supernodes - 1]. Returns `top`. Includes rows of the pattern that are not kept.
static int32_t reach(sparse_ldl *f, const perp_csc *A, int32_t k) {
  const int32_t own = f->owner[k], j = f->order[k];
  int32_t top = f->supernodes;
  if (f->stamp == INT32_MAX) {
    memset(f->mark, 0, (size_t)f->supernodes*sizeof *f->mark);
    f->stamp = 0;
  }
  f->mark[own] = ++f->stamp;
  for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
    const int32_t i = f->place[A->row[p]];
    if (i >= k) continue;
    int32_t length = 0;
    for (int32_t s = f->owner[i]; f->mark[s] != f->stamp; s = f->up[s]) {
      f->mark[s] = f->stamp;
      f->path[length++] = s;
    }
    while (length > 0) f->path[--top] = f->path[--length];
  }
  return top;
}

// The local number of row k in a panel; k is below the panel's columns.
static int32_t row_in(const ldl_panel *P, int32_t k) {
  int32_t low = 0, high = P->m;
  while (low < high) {
    const int32_t middle = low + (high - low)/2;
    if (P->rows[middle] < k) low = middle + 1;
    else high = middle;
  }
  return P->w + low;
}

static void gather(const ldl_panel *P, const double *spread, double *g) {
  memcpy(g, spread + P->from, (size_t)P->w*sizeof *g);
  for (int32_t i = 0; i < P->m; i++) g[P->w + i] = spread[P->rows[i]];
}

static void scatter(const ldl_panel *P, const double *g, double *spread) {
  memcpy(spread + P->from, g, (size_t)P->w*sizeof *g);
  for (int32_t i = 0; i < P->m; i++) spread[P->rows[i]] = g[P->w + i];
}

// Solves with the first `columns` columns of the panel: g holds the solution in their rows and the
// reduced right-hand side below.
static void forward(const ldl_panel *P, int32_t columns, double *restrict g) {
  const size_t h = (size_t)P->h;
  int32_t k = 0;
  for (; k + 4 <= columns; k += 4) {
    const double *restrict l0 = P->X + (size_t)k*h, *restrict l1 = l0 + h, *restrict l2 = l1 + h,
                 *restrict l3 = l2 + h;
    const double y0 = g[k], y1 = g[k + 1] - l0[k + 1]*y0,
                 y2 = g[k + 2] - l0[k + 2]*y0 - l1[k + 2]*y1,
                 y3 = g[k + 3] - l0[k + 3]*y0 - l1[k + 3]*y1 - l2[k + 3]*y2;
    g[k + 1] = y1;
    g[k + 2] = y2;
    g[k + 3] = y3;
    for (int32_t i = k + 4; i < P->h; i++)
      g[i] -= (l0[i]*y0 + l1[i]*y1) + (l2[i]*y2 + l3[i]*y3);
  }
  for (; k < columns; k++) {
    const double *restrict l = P->X + (size_t)k*h, y = g[k];
    for (int32_t i = k + 1; i < P->h; i++) g[i] -= l[i]*y;
  }
}

// Computes p, b, d and a of a column in method C1. Returns 0 if the pivot becomes too small.
static int change_pivot(double *d, double w, double *a, double *p, double *b, double floor) {
  *p = w;
  *b = 0.0;
  if (w == 0.0) return 1;
  const double changed = *d + *a*w*w;
  if (!(fabs(changed) > floor) || (changed > 0.0) != (*d > 0.0)) return 0;
  *b = *a*w/changed;
  *a *= *d/changed;
  *d = changed;
  return 1;
}

// Changes four columns from row `from` on at once, so that g is loaded and stored once.
EXACT_INLINE void four_columns(int32_t from, int32_t h, double *restrict l0, double *restrict l1,
                               double *restrict l2, double *restrict l3, const double *p,
                               const double *b, double *restrict g) {
  const double p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
  const double b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
  for (int32_t i = from; i < h; i++) {
    double w = g[i];
    w -= p0*l0[i];
    l0[i] += b0*w;
    w -= p1*l1[i];
    l1[i] += b1*w;
    w -= p2*l2[i];
    l2[i] += b2*w;
    w -= p3*l3[i];
    l3[i] += b3*w;
    g[i] = w;
  }
}

static void four_plain(int32_t from, int32_t h, double *const *l, const double *p, const double *b,
                       double *g) {
  four_columns(from, h, l[0], l[1], l[2], l[3], p, b, g);
}

EXACT_WIDE static void four_wide(int32_t from, int32_t h, double *const *l, const double *p,
                               const double *b, double *g) {
  four_columns(from, h, l[0], l[1], l[2], l[3], p, b, g);
}

// Method C1 on the columns of a panel from `column` on, four present columns at a time. g holds w
// on its rows. Returns 0 if a pivot becomes too small.
static int change(const sparse_ldl *f, const ldl_panel *P, int32_t column, double *restrict g,
                  double *a, double floor) {
  double *l[4], p[4], b[4];
  for (int32_t k = column; k < P->w;) {
    int32_t at[4], count = 0;
    for (; k < P->w && count < 4; k++)
      if (f->present[P->from + k] && (count > 0 || g[k] != 0.0)) at[count++] = k;
    if (count == 0) return 1;
    const int32_t end = count == 4 ? at[3] + 1 : P->h;   // fewer than four columns: one by one
    for (int32_t c = 0; c < count; c++) {
      l[c] = P->X + (size_t)at[c]*(size_t)P->h;
      if (!change_pivot(l[c] + at[c], g[at[c]], a, p + c, b + c, floor)) return 0;
      if (p[c] == 0.0) continue;
      for (int32_t i = at[c] + 1; i < end; i++) {
        g[i] -= p[c]*l[c][i];
        l[c][i] += b[c]*g[i];
      }
    }
    if (count == 4) (EXACT_HAS_WIDE() ? four_wide : four_plain)(end, P->h, l, p, b, g);
  }
  return 1;
}

static int any_nonzero(const double *g, int32_t count) {
  for (int32_t k = 0; k < count; k++)
    if (g[k] != 0.0) return 1;
  return 0;
}

// L33 D33 L33' += a w w'. f->gathered holds w on the rows of supernode s; w starts at local row
// `column`. The rows below a panel are columns of panels further up, which get w by f->spread. Each
// panel clears its own columns there. Returns 0, or 2: a pivot became too small.
static int change_path(sparse_ldl *f, int32_t s, int32_t column, double a, double floor) {
  const ldl_panel first = panel_of(f, s);
  int fine = change(f, &first, column, f->gathered, &a, floor);
  scatter(&first, f->gathered, f->spread);
  memset(f->spread + first.from, 0, (size_t)first.w*sizeof *f->spread);
  for (int32_t t = f->up[s]; t != LDL_NONE; t = f->up[t]) {
    const ldl_panel P = panel_of(f, t);
    if (fine && any_nonzero(f->spread + P.from, P.w)) {
      gather(&P, f->spread, f->gathered);
      fine = change(f, &P, 0, f->gathered, &a, floor);
      scatter(&P, f->gathered, f->spread);
    }
    memset(f->spread + P.from, 0, (size_t)P.w*sizeof *f->spread);
  }
  return fine ? 0 : 2;
}

int sparse_ldl_add(sparse_ldl *f, const perp_csc *A, const uint8_t *kept, int32_t row,
                   double floor) {
  const int32_t k = f->place[row], own = f->owner[k], top = reach(f, A, k);
  double pivot = 0.0;
  for (int32_t p = A->colptr[row]; p < A->colptr[row + 1]; p++) {
    const int32_t i = A->row[p];
    if (i == row) pivot = A->value[p];
    else if (kept == NULL || kept[i])
      f->spread[f->place[i]] = 0.5*(A->value[p] + A->value[f->mirror[p]]);
  }
  for (int32_t t = top; t < f->supernodes; t++) {   // L11 y = s12, s32 - L31 y
    const ldl_panel P = panel_of(f, f->path[t]);
    gather(&P, f->spread, f->gathered);
    if (!any_nonzero(f->gathered, P.w)) continue;
    forward(&P, P.w, f->gathered);
    scatter(&P, f->gathered, f->spread);
    for (int32_t c = 0; c < P.w; c++)
      pivot -= f->gathered[c]*f->gathered[c]/P.X[(size_t)c*(size_t)P.h + (size_t)c];
  }
  const ldl_panel own_panel = panel_of(f, own);
  const int32_t c = k - own_panel.from;
  double *g = f->gathered;
  gather(&own_panel, f->spread, g);
  forward(&own_panel, c, g);
  for (int32_t q = 0; q < c; q++)
    pivot -= g[q]*g[q]/own_panel.X[(size_t)q*(size_t)own_panel.h + (size_t)q];
  f->kept = NULL;
  pivot = ldl_accept_pivot(f, k, pivot, floor);
  for (int32_t t = top; t < f->supernodes; t++) {   // l12 = D11^-1 y, unless row k has no pivot
    const ldl_panel P = panel_of(f, f->path[t]);
    if (pivot != 0.0) {
      double *l = P.X + row_in(&P, k);
      for (int32_t q = 0; q < P.w; q++)
        l[(size_t)q*(size_t)P.h] =
            f->spread[P.from + q]/P.X[(size_t)q*(size_t)P.h + (size_t)q];
    }
    memset(f->spread + P.from, 0, (size_t)P.w*sizeof *f->spread);
  }
  memset(f->spread + own_panel.from, 0, (size_t)own_panel.w*sizeof *f->spread);
  for (int32_t i = 0; i < own_panel.m; i++) f->spread[own_panel.rows[i]] = 0.0;
  if (pivot == 0.0) return 1;
  for (int32_t q = 0; q < c; q++) {
    double *l = own_panel.X + (size_t)q*(size_t)own_panel.h;
    l[c] = g[q]/l[q];
    g[q] = 0.0;
  }
  double *l = own_panel.X + (size_t)c*(size_t)own_panel.h;
  l[c] = pivot;
  g[c] = 0.0;
  f->present[k] = 1;
  for (int32_t i = c + 1; i < own_panel.h; i++) l[i] = g[i] = g[i]/pivot;
  return change_path(f, own, c + 1, -pivot, floor);
}

int sparse_ldl_delete(sparse_ldl *f, const perp_csc *A, int32_t row, double floor) {
  const int32_t k = f->place[row], own = f->owner[k], top = reach(f, A, k);
  const ldl_panel own_panel = panel_of(f, own);
  const int32_t c = k - own_panel.from;
  for (int32_t t = top; t < f->supernodes; t++) {
    const ldl_panel P = panel_of(f, f->path[t]);
    double *l = P.X + row_in(&P, k);
    for (int32_t q = 0; q < P.w; q++) l[(size_t)q*(size_t)P.h] = 0.0;
  }
  for (int32_t q = 0; q < c; q++) own_panel.X[(size_t)q*(size_t)own_panel.h + (size_t)c] = 0.0;
  double *l = own_panel.X + (size_t)c*(size_t)own_panel.h, *g = f->gathered;
  const double pivot = l[c];
  memset(g, 0, (size_t)(c + 1)*sizeof *g);
  for (int32_t i = c + 1; i < own_panel.h; i++) {
    g[i] = l[i];
    l[i] = 0.0;
  }
  l[c] = 1.0;
  f->present[k] = 0;
  return change_path(f, own, c + 1, pivot, floor);
}

double sparse_ldl_row_flops(sparse_ldl *f, const perp_csc *A, int32_t row) {
  const int32_t k = f->place[row];
  double flops = 0.0;
  for (int32_t t = reach(f, A, k); t < f->supernodes; t++) {
    const ldl_panel P = panel_of(f, f->path[t]);
    flops += 2.0*P.w*P.h;
  }
  for (int32_t s = f->owner[k]; s != LDL_NONE; s = f->up[s]) {
    const ldl_panel P = panel_of(f, s);
    flops += 4.0*P.w*(P.m + 0.5*P.w);
  }
  return flops;
}

// The place in the order of the row that is eliminated first.
static int32_t earliest(const sparse_ldl *f, int32_t count, const int32_t *row) {
  int32_t first = f->n;
  for (int32_t t = 0; t < count; t++)
    if (f->place[row[t]] < first) first = f->place[row[t]];
  return first;
}

int sparse_ldl_change(sparse_ldl *f, double a, int32_t count, const int32_t *row,
                      const double *value, double floor) {
  if (count == 0) return 0;
  const int32_t first = earliest(f, count, row), own = f->owner[first];
  const ldl_panel P = panel_of(f, own);
  for (int32_t t = 0; t < count; t++) f->spread[f->place[row[t]]] = value[t];
  gather(&P, f->spread, f->gathered);
  return change_path(f, own, first - P.from, a, floor);
}

double sparse_ldl_change_flops(const sparse_ldl *f, int32_t count, const int32_t *row) {
  double flops = 0.0;
  for (int32_t s = count > 0 ? f->owner[earliest(f, count, row)] : LDL_NONE; s != LDL_NONE;
       s = f->up[s]) {
    const ldl_panel P = panel_of(f, s);
    flops += 4.0*P.w*(P.m + 0.5*P.w);
  }
  return flops;
}
