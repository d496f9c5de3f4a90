// groups_chain.h: contact points between bodies in a chain: rows that come in groups.
#ifndef PERP_TEST_GROUPS_CHAIN_H
#define PERP_TEST_GROUPS_CHAIN_H

#include "support.h"

enum { BODIES = 9, DOF = 3 };

// A = J J', its diagonal times 1 + `more`: pairs of bodies in a chain, with points[k] rows each
// between bodies k and k + 1, in random order. A body in the middle couples all the rows that touch
// it.
static inline sample chain(const int *points, double scale, double more) {
  int32_t n = 0, pair[400];
  double J[400][BODIES*DOF] = {{0}};
  for (int k = 0; k + 1 < BODIES; k++)
    for (int i = 0; i < points[k]; i++) pair[n++] = k;
  for (int32_t i = n - 1; i > 0; i--) {
    const int32_t j = whole(0, i), t = pair[i];
    pair[i] = pair[j];
    pair[j] = t;
  }
  sample s = sample_new(n);
  for (int32_t i = 0; i < n; i++) {
    const double size = pow(scale, between(-1.0, 1.0));
    for (int d = 0; d < 2*DOF; d++) J[i][pair[i]*DOF + d] = size*between(-1.0, 1.0);
  }
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      for (int d = 0; d < BODIES*DOF; d++) AT(&s, i, j) += J[i][d]*J[j][d];
      if (i == j) AT(&s, i, j) *= 1.0 + more;
    }
  sample_csc(&s, 0, 0);
  return s;
}

#endif
