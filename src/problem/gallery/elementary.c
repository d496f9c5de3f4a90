// elementary.c: cosine, sine and logarithm from + - * / only, with the same bits on every machine.
#include "family.h"

#define LOG_2 0.693147180559945309417

// The angle is a rational number of turns, so its reduction to [0, pi/4] is exact. There the Taylor
// series have an error of about one unit in the last place. The results of opposite directions are
// exactly opposite.
void elementary_turn(int64_t k, int64_t n, double *cosine, double *sine) {
  k %= n;
  if (k < 0) k += n;
  const int64_t quadrant = 4*k/n, r = 4*k - quadrant*n;            // angle = (quadrant + r/n) pi/2
  const int mirrored = 2*r > n;
  const double t = 0.5*FAMILY_PI*((double)(mirrored ? n - r : r)/(double)n), z = t*t;
  double c = 0.0, s = 0.0;
  for (int32_t j = 9; j > 0; j--) {
    c = (1.0 - c)*z/(double)((2*j - 1)*(2*j));   // 1 - cos t = z/2 - z^2/24 + O(z^3)
    s = (1.0 - s)*z/(double)((2*j)*(2*j + 1));   // 1 - sin(t)/t = z/6 - z^2/120 + O(z^3)
  }
  c = 1.0 - c;
  s = t - t*s;
  if (mirrored) { const double swap = c; c = s; s = swap; }
  *cosine = quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s;
  *sine   = quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c;
}

double elementary_log(double x) {
  int exponent;
  double m = frexp(x, &exponent);                                  // x = m 2^exponent, exact
  if (m < 0.70710678118654752) { m *= 2.0; exponent--; }
  const double z = (m - 1.0)/(m + 1.0), zz = z*z;                  // log m = 2 atanh z, |z| < 0.172
  double tail = 0.0;
  for (int32_t j = 11; j > 0; j--) tail = zz*(1.0/(2*j + 1) + tail);
  return exponent*LOG_2 + 2.0*(z + z*tail);
}
