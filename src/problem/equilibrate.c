// equilibrate.c: two-sided scaling in the max norm (Ruiz 2001), rounded to powers of two so that it adds no rounding.
//
//   r_i <- r_i / sqrt(max_j r_i |A_ij| c_j),   c_j <- c_j / sqrt(max_i r_i |A_ij| c_j)
#include <math.h>

#include "problem.h"
#include "vector.h"

enum { SWEEPS = 24 };   // each halves the logarithms: enough for the whole range of doubles

static double power_of_two(double v) {   // nearest in the logarithm, within what can be squared
  int e;
  const double m = frexp(v, &e);                           // v = m 2^e, 1/2 <= m < 1
  e -= m < 0.70710678118654752;
  return ldexp(1.0, e < -500 ? -500 : e > 500 ? 500 : e);
}

int equilibrate(const perp_operator *A, double *R, double *C, double *work) {
  const int32_t n = A->n;
  for (int32_t i = 0; i < n; i++) R[i] = C[i] = 1.0;
  if (A->ops->row_col_max == NULL) {
    if (A->ops->diagonal == NULL) return 0;
    A->ops->diagonal(A->self, work);
    for (int32_t i = 0; i < n; i++) {
      const double d = fabs(work[i]);
      if (d > 0.0 && d < (double)INFINITY) R[i] = C[i] = power_of_two(1.0/sqrt(d));
    }
    return 0;
  }
  double *row = work, *col = work + n;   // n each
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    A->ops->row_col_max(A->self, R, C, row, col);
    double deviation = 1.0;              // worst factor between a maximum and 1
    for (int32_t i = 0; i < n; i++) {
      if (row[i] > 0.0) deviation = max2(deviation, max2(row[i], 1.0/row[i]));
      if (col[i] > 0.0) deviation = max2(deviation, max2(col[i], 1.0/col[i]));
    }
    if (deviation <= 1.25) break;
    for (int32_t i = 0; i < n; i++) {
      if (row[i] > 0.0) R[i] = clamp(R[i]/sqrt(row[i]), 0x1p-500, 0x1p500);
      if (col[i] > 0.0) C[i] = clamp(C[i]/sqrt(col[i]), 0x1p-500, 0x1p500);
    }
  }
  for (int32_t i = 0; i < n; i++) {
    R[i] = power_of_two(R[i]);
    C[i] = power_of_two(C[i]);
  }
  return 1;
}
