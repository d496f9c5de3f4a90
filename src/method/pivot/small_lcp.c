// small_lcp.c: Lemke's method on a dense dictionary, basic = q + T nonbasic.
//
// Only the columns of nonbasic variables are stored, so a pivot costs m^2 operations. Among equal
// ratios the artificial variable leaves first, then the one with the larger pivot. Lemke, Howson
// 1964. Ends at a solution for copositive-plus M if there is one, otherwise on a ray.
#include "small_lcp.h"

#include <math.h>

#include "vector.h"

size_t small_lcp_doubles(int32_t m) { return (size_t)m*((size_t)m + 3); }
size_t small_lcp_integers(int32_t m) { return 2*(size_t)m + 1; }

void small_lcp_place(small_lcp *s, int32_t m, double *doubles, int32_t *integers) {
  *s = (small_lcp){.m = m, .table = doubles, .z = doubles + (size_t)m*((size_t)m + 2),
                   .basic = integers, .free = integers + m};
}

static void exchange(small_lcp *s, int32_t row, int32_t column) {
  const int32_t width = s->m + 2;
  double *top = small_lcp_row(s, row);
  const double inverse = 1.0/top[column];
  for (int32_t j = 0; j < width; j++) top[j] *= -inverse;
  top[column] = inverse;
  for (int32_t i = 0; i < s->m; i++) {
    double *other = small_lcp_row(s, i);
    const double f = other[column];
    if (i == row || f == 0.0) continue;
    other[column] = 0.0;
    for (int32_t j = 0; j < width; j++) other[j] += f*top[j];
  }
  const int32_t label = s->basic[row];
  s->basic[row] = s->free[column];
  s->free[column] = label;
}

// The row that blocks column j; -1: none.
static int32_t blocking(const small_lcp *s, int32_t j, double floor) {
  const int32_t m = s->m;
  int32_t row = -1;
  double least = (double)INFINITY, pivot = 0.0;
  for (int32_t i = 0; i < m; i++) {
    const double *r = small_lcp_row(s, i);
    if (!(r[j] < -floor)) continue;
    const double ratio = max2(r[m + 1], 0.0)/-r[j], gap = 1e-12*(fabs(ratio) + fabs(least));
    const int tie = row >= 0 && fabs(ratio - least) <= gap;
    const int better = row < 0 || (!tie && ratio < least) ||
                       (tie && s->basic[row] != 2*m && (s->basic[i] == 2*m || -r[j] > pivot));
    if (!better) continue;
    least = ratio;
    pivot = -r[j];
    row = i;
  }
  return row;
}

int small_lcp_solve(small_lcp *s, double floor) {
  const int32_t m = s->m, artificial = 2*m;
  int32_t row = 0;
  for (int32_t i = 0; i < m; i++) {
    s->basic[i] = i;
    s->free[i] = m + i;
    s->z[i] = 0.0;
    small_lcp_row(s, i)[m] = 1.0;
    if (small_lcp_row(s, i)[m + 1] < small_lcp_row(s, row)[m + 1]) row = i;
  }
  s->free[m] = artificial;
  if (m == 0 || small_lcp_row(s, row)[m + 1] >= 0.0) return 1;
  int32_t leaving = s->basic[row], column = m;
  exchange(s, row, column);
  for (int32_t k = 0; k < 10*m + 20; k++) {
    const int32_t entering = leaving < m ? leaving + m : leaving - m;
    for (column = 0; column <= m && s->free[column] != entering; column++) {}
    if (column > m) return 0;
    row = blocking(s, column, floor);
    if (row < 0) return 0;
    leaving = s->basic[row];
    exchange(s, row, column);
    if (leaving != artificial) continue;
    for (int32_t i = 0; i < m; i++)
      if (s->basic[i] >= m && s->basic[i] < 2*m)
        s->z[s->basic[i] - m] = max2(small_lcp_row(s, i)[m + 1], 0.0);
    return 1;
  }
  return 0;
}
