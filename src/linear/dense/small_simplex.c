// small_simplex.c: maximises s with G t + s <= h, s <= 1 by the simplex method, for small dense G.
//
// Variables 0 .. columns-1 are t, and variable `columns` is s; all are free. Variable columns+1+i
// is the slack of row i, which is >= 0. Row `rows` is s <= 1. Each row of the dictionary reads
//     basic = D[row][0] + sum_j D[row][1+j] nonbasic_j.
// Cost: rows*columns operations per pivot.
#include "small_simplex.h"

#include <math.h>

#define ROUNDING_MAX 1e-10   // smaller gains and pivots count as 0; rows of G have size 1

size_t simplex_doubles(int32_t rows, int32_t columns) {
  return (size_t)(rows + 1)*(size_t)(columns + 2);
}

static void pivot_on(double *D, int32_t height, int32_t width, int32_t row, int32_t column) {
  double *top = D + (size_t)row*(size_t)width;
  const double inverse = 1.0/top[column];
  for (int32_t j = 0; j < width; j++) top[j] *= -inverse;
  top[column] = inverse;
  for (int32_t i = 0; i < height; i++) {
    double *line = D + (size_t)i*(size_t)width;
    const double factor = line[column];
    if (i == row || factor == 0.0) continue;
    line[column] = 0.0;
    for (int32_t j = 0; j < width; j++) line[j] += factor*top[j];
  }
}

simplex_result simplex_maximise(int32_t rows, int32_t columns, const double *G, const double *h,
                                double *t, double *u, double *work, int32_t *basis) {
  const int32_t height = rows + 1, width = columns + 2;
  double *D = work;                         // height x width
  int32_t *basic = basis;                   // height
  int32_t *nonbasic = basis + height;       // columns + 1
  for (int32_t i = 0; i < rows; i++) {      // slack_i = h_i - G_i t - s
    double *line = D + (size_t)i*(size_t)width;
    line[0] = h[i];
    for (int32_t j = 0; j < columns; j++) line[1 + j] = -G[(size_t)i*(size_t)columns + (size_t)j];
    line[width - 1] = -1.0;
    basic[i] = columns + 1 + i;
  }
  double *cap = D + (size_t)rows*(size_t)width;
  for (int32_t j = 0; j < width; j++) cap[j] = 0.0;
  cap[0] = 1.0;
  cap[width - 1] = -1.0;
  basic[rows] = columns + 1 + rows;
  for (int32_t j = 0; j <= columns; j++) nonbasic[j] = j;

  // s enters in the row with the smallest right-hand side. That makes the dictionary feasible.
  int32_t at = 0;
  for (int32_t i = 1; i < height; i++)
    if (D[(size_t)i*(size_t)width] < D[(size_t)at*(size_t)width]) at = i;
  pivot_on(D, height, width, at, width - 1);
  nonbasic[columns] = basic[at];
  basic[at] = columns;
  const int32_t s = at;                     // s is free, so it stays basic in this row

  simplex_result result = {.finished = 0};
  const int32_t limit = 50*(rows + columns + 2);
  for (result.pivots = 1; result.pivots < limit; result.pivots++) {
    // Bland's rule: of the variables that improve s, the one with the smallest number enters. A
    // free variable may also improve s by decreasing.
    const double *objective = D + (size_t)s*(size_t)width;
    int32_t entering = -1;
    for (int32_t j = 0; j <= columns; j++) {
      const double gain = nonbasic[j] < columns ? fabs(objective[1 + j]) : objective[1 + j];
      if (gain > ROUNDING_MAX && (entering < 0 || nonbasic[j] < nonbasic[entering])) entering = j;
    }
    if (entering < 0) {
      result.finished = 1;
      break;
    }
    const double direction = objective[1 + entering] > 0.0 ? 1.0 : -1.0;
    int32_t leaving = -1;
    double smallest = 0.0;
    for (int32_t i = 0; i < height; i++) {
      if (basic[i] <= columns) continue;    // t and s are free
      const double *line = D + (size_t)i*(size_t)width;
      const double rate = direction*line[1 + entering];
      if (rate >= -ROUNDING_MAX) continue;
      const double ratio = (line[0] > 0.0 ? line[0] : 0.0)/-rate;
      if (leaving < 0 || ratio < smallest || (ratio == smallest && basic[i] < basic[leaving])) {
        leaving = i;
        smallest = ratio;
      }
    }
    if (leaving < 0) break;                 // s is unbounded: only by rounding, because s <= 1
    pivot_on(D, height, width, leaving, 1 + entering);
    const int32_t exchanged = basic[leaving];
    basic[leaving] = nonbasic[entering];
    nonbasic[entering] = exchanged;
  }

  for (int32_t j = 0; j < columns; j++) t[j] = 0.0;
  for (int32_t i = 0; i < rows; i++) u[i] = 0.0;
  for (int32_t i = 0; i < height; i++)
    if (basic[i] < columns) t[basic[i]] = D[(size_t)i*(size_t)width];
  for (int32_t j = 0; j <= columns; j++)
    if (nonbasic[j] > columns && nonbasic[j] <= columns + rows)
      u[nonbasic[j] - columns - 1] = -D[(size_t)s*(size_t)width + (size_t)(1 + j)];
  result.slack = D[(size_t)s*(size_t)width];
  return result;
}
