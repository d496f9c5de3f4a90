// qp_patterns.c: quadratic programs whose patterns arithmetic on the indices gives.
#include <math.h>
#include <stdlib.h>

#include "qp_build.h"

// CVXQP1, 2, 3: `size` squares of three variables each; size/2, size/4 or 3 size/4 equations.
void qp_cvxqp(qp_problem *qp, int32_t size, int32_t variant) {
  const int32_t n = size, rows = variant == 1 ? n/2 : variant == 2 ? n/4 : 3*n/4;
  qp_begin(qp, n, rows);
  const double ones[] = {1.0, 1.0, 1.0};
  for (int32_t i = 1; i <= n; i++) {
    const int32_t index[] = {i - 1, (2*i - 1)%n, (3*i - 1)%n};
    qp_add_square(qp, i, 3, index, ones, 0.0);
    qp->lo[i - 1] = 0.1;
    qp->hi[i - 1] = 10.0;
  }
  for (int32_t i = 1; i <= rows; i++) {
    qp_add(&qp->B, i - 1, i - 1, 1.0);
    qp_add(&qp->B, i - 1, (4*i - 1)%n, 2.0);
    qp_add(&qp->B, i - 1, (5*i - 1)%n, 3.0);
    qp_equation(qp, i - 1, 6.0);
  }
}

// POWELL20: the shortest v whose neighbours differ by alternating amounts; degenerate.
void qp_powell20(qp_problem *qp, int32_t size, int32_t variant) {
  (void)variant;
  qp_begin(qp, size, size);
  for (int32_t k = 1; k <= size; k++) {
    const int32_t next = k < size ? k : 0;
    qp_add_square_of(qp, 1.0, k - 1, 0.0);
    qp_add(&qp->B, k - 1, next, 1.0);
    qp_add(&qp->B, k - 1, k - 1, -1.0);
    qp->low[k - 1] = k == size ? size - 0.5 : (k%2 == 0 ? k : -k) - 0.5;
  }
}

// STCQP1, STCQP2: sums of squares over powers of two, 2^size + 1 variables within [-2, 2].
void qp_stcqp(qp_problem *qp, int32_t size, int32_t variant) {
  const int32_t n = 1 << size, groups = n/size, odd = (groups + 1)/2;
  qp_begin(qp, n + 1, odd*size);
  for (int32_t i = 0; i <= n; i++) {
    qp_add_square_of(qp, 2.0, i, 0.0);
    qp->lo[i] = -2.0;
    qp->hi[i] = 2.0;
  }
  for (int32_t l = 1; l <= groups; l++)
    for (int32_t i = 1; i <= size; i++) {
      int32_t index[31];
      double ones[31];
      for (int32_t j = 0; j < i; j++) {
        index[j] = (1 << j) + l;
        ones[j] = 1.0;
      }
      qp_add_square(qp, 2.0, i, index, ones, 0.0);
      if (l%2 == 0) continue;
      const int32_t row = (l - 1)/2*size + i - 1;
      for (int32_t j = 0; j < i; j++)
        qp_add(&qp->B, row, variant == 1 ? (1 << j) + l - 1 : (l - 1)*size + j + 1, 1.0);
      qp_equation(qp, row, i);
    }
}

// HUESTIS: nonnegative densities of layers with two given moments, the sum of their squares as
// small as possible. HUES-MOD (variant 1): the mean instead of the sum.
void qp_huestis(qp_problem *qp, int32_t size, int32_t variant) {
  qp_begin(qp, size, 2);
  qp_bound(qp, 0.0, (double)INFINITY);
  for (int32_t i = 0; i < size; i++) {
    const double inside = i, outside = i + 1.0, step = 1.0/size;
    qp_add_square_of(qp, variant == 1 ? 2.0/size : 2.0, i, 0.0);
    qp_add(&qp->B, 0, i, (pow(outside, 3.0) - pow(inside, 3.0))*pow(step, 3.0)/3.0);
    qp_add(&qp->B, 1, i, (pow(outside, 5.0) - pow(inside, 5.0))*pow(step, 5.0)/5.0);
  }
  qp_equation(qp, 0, 1835.2);
  qp_equation(qp, 1, 909.8);
}

// MOSARQP1, MOSARQP2: rows of the five-point Laplacian on size x size nodes, and P = H D H, where D
// has exp(0) to exp(condition) on its diagonal and H = I - 2 y y'/y'y reflects. The variant is 10
// times the number of the problem plus the condition.
void qp_mosarqp(qp_problem *qp, int32_t size, int32_t variant) {
  enum { NONZEROS = 10 };              // of y
  static const double y[NONZEROS] = {-0.3569732, 0.9871576, 0.5619363, -0.1984624, 0.4653328,
                                     0.7364367, -0.4560378, -0.6457813, -0.0601357, 0.1035624};
  static const double at[NONZEROS] = {0.68971452, 0.13452678, 0.51234678, 0.76591423, 0.20857854,
                                      0.85672348, 0.04356789, 0.44692743, 0.30136413, 0.91367489};
  const int32_t n = size*size, problem = variant/10, period = problem + 1;
  const int32_t lines = problem == 1 ? 7*size/25 : 2*size/3;
  const double condition = variant%10;
  qp_begin(qp, n, lines*size);
  qp_bound(qp, 0.0, (double)INFINITY);

  double *centre = qp_take((size_t)n, sizeof *centre), norm = 0.0, mean = 0.0;
  int32_t place[NONZEROS];
  for (int32_t i = 0; i < n; i++) centre[i] = i%period == problem || i == n - 1 ? 1.0 : -1.0;
  // D and D centre, then what the reflection changes:
  // H D H = D - 2/y'y (D y y' + y y'D) + 4 y'D y/(y'y)^2 y y'
  for (int32_t i = 0; i < n; i++) {
    const double d = exp(condition*i/(n - 1.0));
    qp_add(&qp->P, i, i, d);
    qp->q[i] = d*centre[i];
  }
  for (int32_t k = 0; k < NONZEROS; k++) {
    place[k] = (int32_t)(at[k]*n + 0.1);
    norm += y[k]*y[k];
  }
  for (int32_t k = 0; k < NONZEROS; k++)
    mean += y[k]*y[k]*exp(condition*place[k]/(n - 1.0));
  for (int32_t k = 0; k < NONZEROS; k++)
    for (int32_t m = 0; m < NONZEROS; m++) {
      const double dk = exp(condition*place[k]/(n - 1.0)), dm = exp(condition*place[m]/(n - 1.0));
      const double change = y[k]*y[m]*(4.0*mean/(norm*norm) - 2.0*(dk + dm)/norm);
      qp_add(&qp->P, place[k], place[m], change);
      qp->q[place[k]] += change*centre[place[m]];
    }
  free(centre);

  for (int32_t i = 0; i < qp->rows; i++) {
    const int32_t line = i/size, column = i%size;
    qp_add(&qp->B, i, i, 4.0);
    if (line > 0) qp_add(&qp->B, i, i - size, -1.0);
    if (column > 0) qp_add(&qp->B, i, i - 1, -1.0);
    if (column < size - 1) qp_add(&qp->B, i, i + 1, -1.0);
    qp_add(&qp->B, i, i + size, -1.0);
    qp->low[i] = line == 0 ? (column == 0 || column == size - 1 ? 0.5 : 0.0)
                           : (column > 1 ? -0.5 : 0.0);
  }
}
