// measure.c: the stopping measures of the papers, so that iteration counts compare with the printed
// ones. A measure can stop a run; it never certifies.
#include <math.h>

#include "driver.h"
#include "vector.h"

static double square(double v) { return v*v; }

// MNS08 (2.7) with corrections of (2.6b) and of the scaling of rho_c. (4.2) has w = max(y, 0), so
// that its second residual is the part of y that no w >= 0 can match. Norms are maximum norms, as in
// the paper. Rows without bounds are the paper's u, the others its v.
static double mns08(int product, int32_t n, const double *x, const double *y, const double *b,
                    const double *lo, const double *hi, const double *R, const double *C) {
  double free_y = 0.0, free_b = 0.0, bound_b = 0.0, gap = 0.0, negative = 0.0, worst = 0.0;
  for (int32_t i = 0; i < n; i++) {
    const double r = R != NULL ? R[i] : 1.0, c = C != NULL ? C[i] : 1.0, yi = y[i]/r, bi = b[i]/r;
    const double below = c*(x[i] - lower(lo, i)), above = c*(x[i] - upper(hi, i));
    if (below == (double)INFINITY && above == -(double)INFINITY) {
      free_y = max2(free_y, fabs(yi));
      free_b = max2(free_b, fabs(bi));
      continue;
    }
    bound_b = max2(bound_b, fabs(bi));
    worst = max2(worst, fabs(mid(above, yi, below)));
    const double wrong = max2(yi > 0.0 && below == (double)INFINITY ? yi : 0.0,
                              yi < 0.0 && above == -(double)INFINITY ? -yi : 0.0);
    negative = max2(negative, wrong);
    if (wrong == 0.0 && yi != 0.0) gap = max2(gap, yi*(yi > 0.0 ? below : above));
  }
  const double a = free_y/(1.0 + free_b), scale_b = 1.0 + bound_b;
  if (product) return max2(a, max2(negative/scale_b, gap/(1.0 + square(bound_b))));
  return max2(a, worst/scale_b);   // rho_c <= rho_b, as both have the same scale here
}

double measure_of(perp_measure measure, int32_t n, const double *x, const double *y,
                  const double *b, const double *lo, const double *hi, const double *R,
                  const double *C) {
  if (measure == PERP_MEASURE_MNS08_R1) return mns08(0, n, x, y, b, lo, hi, R, C);
  if (measure == PERP_MEASURE_MNS08_R2) return mns08(1, n, x, y, b, lo, hi, R, C);
  double sum = 0.0, largest = 0.0;
  for (int32_t i = 0; i < n; i++) {
    const double c = C != NULL ? C[i] : 1.0, yi = y[i]/(R != NULL ? R[i] : 1.0), xi = c*x[i];
    // min(x, y) for an LCP
    const double natural = mid(c*(x[i] - upper(hi, i)), yi, c*(x[i] - lower(lo, i)));
    switch (measure) {
      case PERP_MEASURE_E13: sum += fabs(xi)*fabs(yi); break;                // E13 (106)
      case PERP_MEASURE_MINMAP: sum += 0.5*natural*natural; break;           // E13 (64)
      case PERP_MEASURE_BOX: sum += natural*natural; break;
      case PERP_MEASURE_FISCHER: {                                           // E13 5.5; LCP rows
        const double d = c*(x[i] - lower(lo, i));
        sum += d < (double)INFINITY && upper(hi, i) == (double)INFINITY
                   ? 0.5*square(sqrt(d*d + yi*yi) - d - yi)
                   : 0.5*natural*natural;
        break;
      }
      default: largest = max2(largest, fabs(natural)); break;
    }
  }
  return max2(sum, largest);
}
