// dense_kernels.c: equilibration, LU with partial pivoting, affine sets by complete pivoting.
#include "dense_kernels.h"

#include <math.h>

#include "vector.h"

static double power_near(double magnitude) {   // the power of two p with p*magnitude in [1/2, 1)
  int exponent = 0;
  frexp(magnitude, &exponent);
  return power_of_two_within(-exponent, 1000);
}

void dense_equilibrate(int32_t rows, int32_t columns, double *S, double *r, double *c) {
  for (int32_t i = 0; i < rows; i++) r[i] = 1.0;
  for (int32_t j = 0; j < columns; j++) c[j] = 1.0;
  for (int32_t i = 0; i < rows; i++) {
    double *row = S + (size_t)i*(size_t)columns;
    double largest = 0.0;
    for (int32_t j = 0; j < columns; j++) largest = max2(largest, fabs(row[j]));
    if (!(largest > 0.0)) continue;
    const double p = power_near(largest);
    for (int32_t j = 0; j < columns; j++) row[j] *= p;
    r[i] *= p;
  }
  for (int32_t j = 0; j < columns; j++) {   // only scales up, so the rows' largest entries stay
    double largest = 0.0;
    for (int32_t i = 0; i < rows; i++)
      largest = max2(largest, fabs(S[(size_t)i*(size_t)columns + (size_t)j]));
    if (!(largest > 0.0)) continue;
    const double p = power_near(largest);
    for (int32_t i = 0; i < rows; i++) S[(size_t)i*(size_t)columns + (size_t)j] *= p;
    c[j] *= p;
  }
}

// A tile of U has 32 x 192 numbers, 48 kB, and stays in the cache. With panels of one row or tiles
// of one column, problems take up to 4 times the work.
enum { PANEL_ROWS = 32, TILE_COLUMNS = 192 };

static void exchange_rows(size_t ld, double *S, int32_t a, int32_t b, int32_t from, int32_t to) {
  double *p = S + (size_t)a*ld, *q = S + (size_t)b*ld;
  for (int32_t j = from; j < to; j++) {
    const double t = p[j];
    p[j] = q[j];
    q[j] = t;
  }
}

// row[0 .. count-1] -= sum over p of l[p] U[p][0 .. count-1], in the order p = 0 .. depth-1
static void subtract(int32_t count, double *restrict row, int32_t depth, const double *l,
                     const double *U, size_t ld) {
  int32_t p = 0;
  for (; p + 4 <= depth; p += 4) {
    const double a = l[p], b = l[p + 1], c = l[p + 2], d = l[p + 3];
    const double *restrict u = U + (size_t)p*ld, *restrict v = u + ld, *restrict w = v + ld,
                 *restrict z = w + ld;
    for (int32_t j = 0; j < count; j++) {
      double t = row[j] - a*u[j];
      t -= b*v[j];
      t -= c*w[j];
      row[j] = t - d*z[j];
    }
  }
  for (; p < depth; p++) {
    const double *restrict u = U + (size_t)p*ld;
    for (int32_t j = 0; j < count; j++) row[j] -= l[p]*u[j];
  }
}

// Factors columns `first` .. `last`-1 of rows `first` .. m-1. Exchanges rows in these columns only.
static int32_t factor_panel(int32_t m, double *S, int32_t *pivot, double floor, int32_t first,
                            int32_t last) {
  const size_t ld = (size_t)m;
  for (int32_t k = first; k < last; k++) {
    int32_t best = k;
    for (int32_t i = k + 1; i < m; i++)
      if (fabs(S[(size_t)i*ld + (size_t)k]) > fabs(S[(size_t)best*ld + (size_t)k])) best = i;
    pivot[k] = best;
    if (best != k) exchange_rows(ld, S, k, best, first, last);
    const double *top = S + (size_t)k*ld;
    if (!(fabs(top[k]) > floor)) return k + 1;
    const double inverse = 1.0/top[k];
    for (int32_t i = k + 1; i < m; i++) {
      double *row = S + (size_t)i*ld;
      if (row[k] == 0.0) continue;
      row[k] *= inverse;
      for (int32_t j = k + 1; j < last; j++) row[j] -= row[k]*top[j];
    }
  }
  return 0;
}

// Factors a panel of columns, then updates the columns after it tile by tile, so that the panel's
// rows stay in the cache. Every entry gets the same products in the same order as without panels.
int32_t lu_factor(int32_t m, double *S, int32_t *pivot, double floor,
                  const perp_deadline *deadline) {
  const size_t ld = (size_t)m;
  for (int32_t k = 0; k < m; k += PANEL_ROWS) {
    if (deadline_passed(deadline)) return -1;
    const int32_t end = k + PANEL_ROWS < m ? k + PANEL_ROWS : m;
    const int32_t failed = factor_panel(m, S, pivot, floor, k, end);
    const int32_t done = failed != 0 ? failed : end;   // the panel made exchanges k .. done-1
    for (int32_t p = k; p < done; p++)
      if (pivot[p] != p) {
        exchange_rows(ld, S, p, pivot[p], 0, k);
        exchange_rows(ld, S, p, pivot[p], end, m);
      }
    if (failed != 0) return failed;
    for (int32_t from = end; from < m; from += TILE_COLUMNS) {
      if (from > end && deadline_passed(deadline)) return -1;   // a tile takes 50 ms for m = 10000
      const int32_t count = from + TILE_COLUMNS < m ? TILE_COLUMNS : m - from;
      const double *U = S + (size_t)k*ld + (size_t)from;
      for (int32_t i = k + 1; i < m; i++) {
        double *row = S + (size_t)i*ld;
        subtract(count, row + from, (i < end ? i : end) - k, row + k, U, ld);
      }
    }
  }
  return 0;
}

void lu_solve(int32_t m, const double *S, const int32_t *pivot, double *v) {
  const size_t ld = (size_t)m;
  for (int32_t k = 0; k < m; k++) {
    const double t = v[pivot[k]];
    v[pivot[k]] = v[k];
    v[k] = t;
  }
  for (int32_t i = 1; i < m; i++) v[i] -= dot(i, S + (size_t)i*ld, v);                     // L
  for (int32_t i = m - 1; i >= 0; i--) {                                                    // U
    const double *row = S + (size_t)i*ld;
    v[i] = (v[i] - dot(m - 1 - i, row + i + 1, v + i + 1))/row[i];
  }
}

static void exchange(double *a, double *b) {
  const double t = *a;
  *a = *b;
  *b = t;
}

int32_t lu_affine(int32_t rows, int32_t columns, double *S, double *rhs, double threshold,
                  int32_t *order, double *x, double *N, double *smallest) {
  const size_t ld = (size_t)columns;
  double first = 0.0, last = 0.0;
  for (int32_t j = 0; j < columns; j++) order[j] = j;
  int32_t rank = 0;
  for (; rank < rows && rank < columns; rank++) {
    int32_t at_row = rank, at_column = rank;
    double largest = 0.0;
    for (int32_t i = rank; i < rows; i++)
      for (int32_t j = rank; j < columns; j++)
        if (fabs(S[(size_t)i*ld + (size_t)j]) > largest) {
          largest = fabs(S[(size_t)i*ld + (size_t)j]);
          at_row = i;
          at_column = j;
        }
    if (rank == 0) first = largest;
    if (!(largest > threshold*first)) break;
    last = largest;
    if (at_row != rank) {
      for (int32_t j = 0; j < columns; j++)
        exchange(&S[(size_t)at_row*ld + (size_t)j], &S[(size_t)rank*ld + (size_t)j]);
      exchange(&rhs[at_row], &rhs[rank]);
    }
    if (at_column != rank) {
      for (int32_t i = 0; i < rows; i++)
        exchange(&S[(size_t)i*ld + (size_t)at_column], &S[(size_t)i*ld + (size_t)rank]);
      const int32_t t = order[at_column];
      order[at_column] = order[rank];
      order[rank] = t;
    }
    const double *top = S + (size_t)rank*ld;
    for (int32_t i = rank + 1; i < rows; i++) {
      double *row = S + (size_t)i*ld;
      if (row[rank] == 0.0) continue;
      const double l = row[rank]/top[rank];
      for (int32_t j = rank + 1; j < columns; j++) row[j] -= l*top[j];
      rhs[i] -= l*rhs[rank];
    }
  }
  *smallest = first > 0.0 ? last/first : 1.0;

  // Solve U11 z1 = rhs1 - U12 z2. x has z2 = 0; column q of N has rhs1 = 0 and the unit vector q.
  const int32_t nullity = columns - rank;
  for (int32_t j = 0; j < columns; j++) x[order[j]] = 0.0;
  for (int32_t i = rank - 1; i >= 0; i--) {
    const double *row = S + (size_t)i*ld;
    double sum = rhs[i];
    for (int32_t j = i + 1; j < rank; j++) sum -= row[j]*x[order[j]];
    x[order[i]] = sum/row[i];
  }
  for (int32_t q = 0; q < nullity; q++) {
    for (int32_t j = rank; j < columns; j++)
      N[(size_t)order[j]*(size_t)nullity + (size_t)q] = j == rank + q ? 1.0 : 0.0;
    for (int32_t i = rank - 1; i >= 0; i--) {
      const double *row = S + (size_t)i*ld;
      double sum = -row[rank + q];
      for (int32_t j = i + 1; j < rank; j++)
        sum -= row[j]*N[(size_t)order[j]*(size_t)nullity + (size_t)q];
      N[(size_t)order[i]*(size_t)nullity + (size_t)q] = sum/row[i];
    }
  }
  return rank;
}
