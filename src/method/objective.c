// objective.c: phi(x) = x'A x/2 + b'x, stationary at solutions of symmetric problems.
#include "objective.h"

#include "random.h"
#include "vector.h"

#define ROUNDED 1e-9   // |A u - A'u| over |A u| up to which A counts as symmetric

void objective_missing(perp_run *run) {
  run_stop(run, PERP_STATUS_UNSOLVED,
           "A is not symmetric, not even nearly: %s has no objective to lower; try auto",
           run->method->name);
}

int objective_exists(perp_run *run, double *u, double *v, double *w) {
  if (run->A.claims & PERP_CLAIM_SYMMETRIC && run->A.ops->apply_transpose == NULL) return 1;
  random_stream stream = {1, 0};   // A u = A'u for a random u: A = A', almost surely
  for (int32_t i = 0; i < run->n; i++) u[i] = random_range(&stream, 0.5, 1.5);
  if (run_product(run, u, v) != 0) return 0;
  const int known = run_transposed(run, u, w);
  if (known < 0) return 0;
  if (known > 0) return 1;
  double size = 0.0, skew = 0.0;
  for (int32_t i = 0; i < run->n; i++) {
    size = max2(size, max2(fabs(v[i]), fabs(w[i])));
    skew = max_or_nan(skew, fabs(v[i] - w[i]));
  }
  if (skew <= ROUNDED*size) return 1;
  objective_missing(run);
  return 0;
}

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
