// gauss.h: elimination with exchanges of rows, in long double, to compare factors with.
#ifndef PERP_TEST_GAUSS_H
#define PERP_TEST_GAUSS_H

#include <math.h>
#include <stdint.h>

// v <- M^-1 v. M: n x n, row-major, is overwritten.
static inline void gauss(int32_t n, long double *M, long double *v) {
  for (int32_t k = 0; k < n; k++) {
    int32_t at = k;
    for (int32_t i = k + 1; i < n; i++)
      if (fabsl(M[i*n + k]) > fabsl(M[at*n + k])) at = i;
    for (int32_t j = 0; j < n && at != k; j++) {
      const long double t = M[k*n + j];
      M[k*n + j] = M[at*n + j];
      M[at*n + j] = t;
    }
    const long double t = v[k];
    v[k] = v[at];
    v[at] = t;
    for (int32_t i = k + 1; i < n; i++) {
      const long double f = M[i*n + k]/M[k*n + k];
      if (f == 0.0L) continue;
      for (int32_t j = k; j < n; j++) M[i*n + j] -= f*M[k*n + j];
      v[i] -= f*v[k];
    }
  }
  for (int32_t i = n - 1; i >= 0; i--) {
    for (int32_t j = i + 1; j < n; j++) v[i] -= M[i*n + j]*v[j];
    v[i] /= M[i*n + i];
  }
}

#endif
