// balance.c: rounds the solution of a quadratic program so that its objectives agree.
//
// For a KKT matrix, primal - dual objective = sum of y_i (x_i - bound_i), where bound_i is the
// bound that y_i points to, and 0 if that is infinite. Rounding x to doubles leaves each y_i with a
// few units of rounding, so this sum has an error of 1e-16 of the objective, or ten times that.
// Many doubles lie near a solution. Row by row, x_j moves by one unit of its last digit if that
// makes the sum smaller and no row worse. |y_i| may grow only up to ROUNDING_UNITS_MAX units of
// rounding of its terms, and not beyond the largest |y_k| at the start. So the largest |y_i| does
// not grow. Cost: a pass over the entries of A.
#include "balance.h"

#include <math.h>

#include "vector.h"

#define ROUNDING_UNITS_MAX 2.0  // units of rounding of |A||x| + |b| that |y_i| may reach; 0: the
                                //   objectives of HUES-MOD differ by 1.2e-8, not 9.7e-10

static double term(const perp_run *run, int32_t i, double x, double y) {
  const double bound = y > 0.0 ? lower(run->lo, i) : upper(run->hi, i);
  return y*(fabs(bound) < (double)INFINITY ? x - bound : x);
}

static int inside(const perp_run *run, int32_t i, double x) {   // then y_i should be 0
  return x > lower(run->lo, i) && x < upper(run->hi, i);
}

// The sum after x_j moves by `step`; `sum` unchanged if some |y_i| would be too large. largest: the
// largest |y_i| of the rows whose y_i should be 0.
static double after(const perp_run *run, const perp_csc *A, int32_t j, double step, double largest,
                    const double *a, const double *x, const double *y, double sum) {
  double change = term(run, j, x[j] + step, y[j]) - term(run, j, x[j], y[j]);
  for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
    const int32_t i = A->row[p];
    const double next = y[i] + A->value[p]*step, at = i == j ? x[j] + step : x[i];
    if (inside(run, i, x[i]) &&
        fabs(next) > max2(fabs(y[i]), min2(largest, ROUNDING_UNITS_MAX*0x1p-53*a[i])))
      return sum;
    change += term(run, i, at, next) - term(run, i, at, y[i]);
  }
  return sum + change;
}

void balance_objectives(const perp_run *run, const double *a, double *x, double *y) {
  const perp_view view = operator_view(&run->A);
  if (view.kind != PERP_VIEW_CSC || view.R != NULL || view.C != NULL || view.shift != 0.0) return;
  const perp_csc *A = view.data;
  double sum = 0.0, largest = 0.0;
  for (int32_t i = 0; i < run->n; i++) {
    sum += term(run, i, x[i], y[i]);
    if (inside(run, i, x[i])) largest = max2(largest, fabs(y[i]));
  }
  for (int32_t j = 0; j < run->n; j++)
    for (int up = 0; up < 2 && inside(run, j, x[j]); up++) {
      const double to = nextafter(x[j], up ? (double)INFINITY : -(double)INFINITY);
      if (!inside(run, j, to)) continue;
      const double step = to - x[j], next = after(run, A, j, step, largest, a, x, y, sum);
      if (!(fabs(next) < fabs(sum))) continue;
      for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++)
        y[A->row[p]] += A->value[p]*step;
      x[j] = to;
      sum = next;
    }
}
