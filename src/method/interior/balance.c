// balance.c: rounds the solution of a quadratic program so that its objectives agree.
//
// Of a KKT matrix, primal - dual objective = sum of y_i (x_i - bound_i), where bound_i is the one that
// y_i points to, and 0 where that is infinite. Rounding x to doubles leaves y_i of some units of
// rounding, and this sum with the error of all of them: 1e-16 of the objective, or ten times as much.
// There are many doubles near a solution. From row to row, x_j moves by one unit of its last digit
// where that makes the sum smaller and leaves each |y_i| below what it was, or below LEAST units of
// rounding of its terms and the largest |y_k| there was. So no row becomes worse than rounding makes
// it anyway, and their maximum does not grow.
// Cost: a few passes over the entries of A.
#include "balance.h"

#include <math.h>

#include "vector.h"

#define LEAST 2.0            // units of rounding of |A||x| + |b|
#define PASSES 8             // at most ...
#define GAIN 0.5             //   and each has to leave no more than this part of the difference

static double term(const perp_run *run, int32_t i, double x, double y) {
  const double bound = y > 0.0 ? lower(run->lo, i) : upper(run->hi, i);
  return y*(fabs(bound) < (double)INFINITY ? x - bound : x);
}

static int inside(const perp_run *run, int32_t i, double x) {   // then y_i should be 0
  return x > lower(run->lo, i) && x < upper(run->hi, i);
}

// What the sum becomes if x_j moves by `step`; `sum` where some |y_i| would be too large. largest: of
// the |y_i| that should be 0.
static double after(const perp_run *run, const perp_csc *A, int32_t j, double step, double largest,
                    const double *a, const double *x, const double *y, double sum) {
  double change = term(run, j, x[j] + step, y[j]) - term(run, j, x[j], y[j]);
  for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
    const int32_t i = A->row[p];
    const double next = y[i] + A->value[p]*step, at = i == j ? x[j] + step : x[i];
    if (inside(run, i, x[i]) && fabs(next) > max2(fabs(y[i]), min2(largest, LEAST*0x1p-53*a[i])))
      return sum;
    change += term(run, i, at, next) - term(run, i, at, y[i]);
  }
  return sum + change;
}

void balance_objectives(const perp_run *run, const double *a, double *x, double *y) {
  const perp_view view = operator_view(&run->A);
  if (view.kind != PERP_VIEW_CSC || view.R != NULL || view.C != NULL || view.shift != 0.0) return;
  const perp_csc *A = view.data;
  double sum = 0.0, largest = 0.0, before = (double)INFINITY;
  for (int32_t i = 0; i < run->n; i++) {
    sum += term(run, i, x[i], y[i]);
    if (inside(run, i, x[i])) largest = max2(largest, fabs(y[i]));
  }
  for (int pass = 0; pass < PASSES && fabs(sum) < GAIN*before; pass++) {
    before = fabs(sum);
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
}
