// objective.c: phi(x) = x'A x/2 + b'x, stationary at solutions of symmetric problems.
#include "objective.h"

#include "vector.h"

double objective_change(int32_t n, const double *from, const double *y_from, const double *to,
                        const double *y_to) {
  double sum = 0.0;
  for (int32_t i = 0; i < n; i++) sum += (to[i] - from[i])*(y_from[i] + y_to[i]);
  return 0.5*sum;
}

double objective(int32_t n, const double *b, const double *x, const double *y) {
  double sum = 0.0;
  for (int32_t i = 0; i < n; i++) sum += x[i]*(y[i] + b[i]);
  return 0.5*sum;
}

double objective_room(const perp_run *run, const double *x, const double *d, double most) {
  for (int32_t i = 0; i < run->n; i++) {
    if (d[i] < 0.0) most = min2(most, (lower(run->lo, i) - x[i])/d[i]);
    else if (d[i] > 0.0) most = min2(most, (upper(run->hi, i) - x[i])/d[i]);
  }
  return max2(most, 0.0);
}
