// spectrum.c: estimates the extreme eigenvalues of a symmetric matrix by the Lanczos process.
#include "family.h"

#include <stdlib.h>

static void apply(const perp_sample *s, const double *x, double *y) {
  for (int32_t j = 0; j < s->n; j++) {           // symmetric: a column is a row
    double sum = 0.0;
    for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) sum += s->value[k]*x[s->row[k]];
    y[j] = sum;
  }
}

// Counts the eigenvalues of the tridiagonal matrix below t by the signs in its LDL' (Sturm).
static int32_t below(int32_t m, const double *alpha, const double *beta, double t) {
  int32_t count = 0;
  double d = 1.0;
  for (int32_t i = 0; i < m; i++) {
    d = alpha[i] - t - (i > 0 ? beta[i - 1]*beta[i - 1]/d : 0.0);
    if (d == 0.0) d = 1e-300;
    if (d < 0.0) count++;
  }
  return count;
}

// The index-th eigenvalue, from 0, by bisection inside Gershgorin's bounds.
static double eigenvalue(int32_t m, const double *alpha, const double *beta, int32_t index) {
  double low = alpha[0], high = alpha[0];
  for (int32_t i = 0; i < m; i++) {
    const double reach = (i > 0 ? fabs(beta[i - 1]) : 0.0) + (i < m - 1 ? fabs(beta[i]) : 0.0);
    low = min2(low, alpha[i] - reach);
    high = max2(high, alpha[i] + reach);
  }
  for (int32_t k = 0; k < 100; k++) {
    const double middle = 0.5*(low + high);
    if (below(m, alpha, beta, middle) > index) high = middle;
    else low = middle;
  }
  return 0.5*(low + high);
}

perp_error spectrum_extremes(const perp_sample *s, int32_t steps, double *smallest,
                             double *largest) {
  const int32_t n = s->n;
  if (steps > n) steps = n;
  // previous, current and next vector: n each; alpha, beta: steps each
  double *v = assemble_take(3*(int64_t)n + 2*(int64_t)steps, sizeof *v);
  if (v == NULL) return assemble_no_memory(n, 0);
  double *previous = v, *current = v + n, *next = v + 2*(size_t)n;
  double *alpha = v + 3*(size_t)n, *beta = alpha + steps;

  random_stream random = family_stream(0x5bec7, 0);     // independent of the sample's seed
  for (int32_t i = 0; i < n; i++) current[i] = random_range(&random, -1.0, 1.0);
  const double length = sqrt(dot(n, current, current));
  for (int32_t i = 0; i < n; i++) current[i] /= length;

  int32_t m = 0;
  while (m < steps) {
    apply(s, current, next);
    alpha[m] = dot(n, current, next);
    const double back = m > 0 ? beta[m - 1] : 0.0;
    for (int32_t i = 0; i < n; i++) next[i] = (next[i] - alpha[m]*current[i]) - back*previous[i];
    beta[m] = sqrt(dot(n, next, next));
    m++;
    // The subspace is invariant, so its smallest and largest eigenvalues are exact.
    if (!(beta[m - 1] > 1e-14*fabs(alpha[0]))) break;
    for (int32_t i = 0; i < n; i++) next[i] /= beta[m - 1];
    double *const swap = previous;
    previous = current;
    current = next;
    next = swap;
  }
  *smallest = eigenvalue(m, alpha, beta, 0);
  *largest = eigenvalue(m, alpha, beta, m - 1);
  free(v);
  return PERP_OK;
}
