// unitless.c: compares x with z if there was no time to find the units of all rows.
//
// Without that time the diagonal gives the units. A row with A_ii = 0 then has no unit, and x and z
// can only be compared in that row alone. In any unit R_i, x is no worse there than z if
//   v_i(x) <= v_i(z),   v_i = |y_i|, or 0 where x_i is at the bound that y_i points to:
// the residual of x in row i is at most R_i v_i(x), and that of z is R_i v_i(z) if z_i is at a bound
// or has none. The other rows are compared by their largest residual, in units of the diagonal.
#include <math.h>

#include "driver.h"
#include "vector.h"

// Returns NaN if y is NaN, so that such an x is never better.
static double violation(double x, double y, double low, double high) {
  if (x <= low) return max_or_nan(0.0, -y);
  if (x >= high) return max_or_nan(0.0, y);
  return fabs(y);
}

int solver_no_worse(perp_solver *s, const double *x, const double *z) {
  const perp_problem *problem = s->problem;
  const perp_operator *A = &problem->A;
  const certifier *judge = &s->judge;
  double *diagonal = judge->work, *y = diagonal + A->n, *of_z = y + A->n;
  if (A->ops->diagonal == NULL || A->ops->apply(A->self, x, y, judge->scratch) != 0 ||
      A->ops->apply(A->self, z, of_z, judge->scratch) != 0)
    return 0;
  A->ops->diagonal(A->self, diagonal);
  double worst = 0.0, worst_of_z = 0.0;
  for (int32_t i = 0; i < A->n; i++) {
    const double low = lower(problem->lo, i), high = upper(problem->hi, i), b = problem->b[i];
    if (diagonal[i] > 0.0) {
      const double unit = judge->inverse_C[i], R = judge->R[i];
      worst = max_or_nan(worst, fabs(mid((x[i] - high)*unit, R*(y[i] + b), (x[i] - low)*unit)));
      worst_of_z = max_or_nan(worst_of_z,
                              fabs(mid((z[i] - high)*unit, R*(of_z[i] + b), (z[i] - low)*unit)));
      continue;
    }
    const int known = z[i] <= low || z[i] >= high || unbounded(problem->lo, problem->hi, i);
    const double most = known ? violation(z[i], of_z[i] + b, low, high) : 0.0;
    if (!(violation(x[i], y[i] + b, low, high) <= most)) return 0;
  }
  return worst <= worst_of_z;   // 0 if either is NaN
}
