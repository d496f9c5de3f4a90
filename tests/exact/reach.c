// reach.c: see reach.h. In long double: the determinants of whole numbers tell whether a block is
// singular.
#include "reach.h"

#include <math.h>

enum { N = EXACT_ROWS };

typedef struct block {
  int32_t m, row[N], column[N];
} block;

// Gauss-Jordan with the largest pivot of all, until a pivot is zero: *b shrinks to the rows and
// columns of the pivots, and G is the inverse of that block, its rows by b->column.
static void invert(const exact_problem *p, block *b, long double G[N][N]) {
  long double M[N][N], det = 1.0L;
  const int32_t m = b->m;
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < m; j++) M[i][j] = (long double)p->A[b->row[i]][b->column[j]];
  int32_t k = 0;
  for (; k < m; k++) {                          // M is swept in place: the sweep operator
    int32_t r = k, c = k;
    for (int32_t i = k; i < m; i++)
      for (int32_t j = k; j < m; j++)
        if (fabsl(M[i][j]) > fabsl(M[r][c])) {
          r = i;
          c = j;
        }
    det *= M[r][c];
    if (!(fabsl(det) > 0.5L)) break;            // a minor, and a whole number
    for (int32_t j = 0; j < m; j++) {
      const long double held = M[k][j];
      M[k][j] = M[r][j];
      M[r][j] = held;
    }
    for (int32_t i = 0; i < m; i++) {
      const long double held = M[i][k];
      M[i][k] = M[i][c];
      M[i][c] = held;
    }
    const int32_t row = b->row[k], column = b->column[k];
    b->row[k] = b->row[r];
    b->row[r] = row;
    b->column[k] = b->column[c];
    b->column[c] = column;
    const long double pivot = M[k][k];
    M[k][k] = 1.0L;
    for (int32_t j = 0; j < m; j++) M[k][j] /= pivot;
    for (int32_t i = 0; i < m; i++) {
      const long double factor = M[i][k];
      if (i == k) continue;
      M[i][k] = 0.0L;
      for (int32_t j = 0; j < m; j++) M[i][j] -= factor*M[k][j];
    }
  }
  b->m = k;
  for (int32_t i = 0; i < k; i++)
    for (int32_t j = 0; j < k; j++) G[i][j] = M[i][j];
}

static long double error_of(const exact_problem *p, block *b, const long double *d) {
  long double G[N][N], worst = 0.0L;
  invert(p, b, G);
  for (int32_t s = 0; s < b->m; s++) {
    long double sum = 0.0L;
    for (int32_t i = 0; i < b->m; i++) sum += fabsl(G[s][i])*d[b->row[i]];
    worst = fmaxl(worst, sum);
  }
  return worst;
}

static int32_t members(uint32_t set, int32_t n, int32_t *list) {
  int32_t m = 0;
  for (int32_t i = 0; i < n; i++)
    if (set >> i & 1u) list[m++] = i;
  return m;
}

double exact_reach(const exact_problem *p, const double *x, int by_face) {
  const int32_t n = p->n;
  long double r[N], rounding[N], d[N], most = 0.0L, worst = 0.0L;
  block face = {.m = 0};
  for (int32_t i = 0; i < n; i++) {
    long double y = (long double)p->b[i], size = fabsl(y);
    for (int32_t j = 0; j < n; j++) {
      y += (long double)p->A[i][j]*x[j];
      size += fabsl((long double)p->A[i][j]*x[j]);
    }
    const long double above = p->hi[i] == EXACT_INF ? -HUGE_VALL : x[i] - (long double)p->hi[i];
    const long double below = p->lo[i] == -EXACT_INF ? HUGE_VALL : x[i] - (long double)p->lo[i];
    r[i] = y < above ? above : y > below ? below : y;
    rounding[i] = 0x1p-60L*size;                // of y, n + 1 terms
    most = fmaxl(most, fabsl(r[i]) + rounding[i]);
    if (y < above || y > below) continue;
    face.row[face.m] = face.column[face.m] = i;
    face.m++;
  }
  for (int32_t i = 0; i < n; i++) {
    long double sum = -r[i], error = rounding[i];
    for (int32_t j = 0; j < n; j++) {
      sum += (long double)p->A[i][j]*r[j];
      error += fabsl((long double)p->A[i][j])*rounding[j];
    }
    d[i] = fabsl(sum) + error;
  }
  if (by_face) return (double)(most + error_of(p, &face, d));
  for (uint32_t rows = 1; rows < 1u << n; rows++)
    for (uint32_t columns = 1; columns < 1u << n; columns++) {
      block b;
      b.m = members(rows, n, b.row);
      const int32_t m = b.m;
      if (members(columns, n, b.column) != m) continue;
      const long double error = error_of(p, &b, d);
      if (b.m == m) worst = fmaxl(worst, error);
    }
  return (double)(most + worst);
}
