// fischer.c: the Fischer-Burmeister function on rows with bounds.
//
//   psi(a, b) = sqrt(a^2 + b^2) - a - b
//
//   lo <= x          F = psi(x - lo, y)                    x <= hi   F = -psi(hi - x, -y)
//   lo <= x <= hi    F = psi(x - lo, psi(hi - x, -y))      free      F = -y
//   lo = hi          F = lo - x
//
// The two-sided form is the composition of Billups (1995). The others are its limits as a bound
// goes to infinity. So all rows have derivatives <= 0, and the Newton matrix is -(PA + Q) with
// nonnegative P and Q. So it is for the smoothed function of Kanzow (1996), with u^2 below the root.
#include "fischer.h"

#include <math.h>

#include "error_free.h"

double fischer_burmeister(double a, double b) {
  const double r = hypotenuse(a, b);
  return a + b > 0.0 ? -2.0*a*(b/(a + b + r)) : r - a - b;
}

typedef struct psi { double value, a, b, u; } psi;   // value and derivatives

// a/r - 1 where r^2 = a^2 + rest^2, accurate for a near r
static double slope(double a, double rest, double r) {
  return a > 0.0 ? -(rest/r)*(rest/(r + a)) : a/r - 1.0;
}

static psi psi_at(double u, double a, double b, fischer_choice at_kink) {
  const double r = u > 0.0 ? hypotenuse(hypotenuse(a, b), u) : hypotenuse(a, b);
  psi f;
  if (r > 0.0) {
    const double sum = a + b;
    f.value = sum > 0.0 ? u*(u/(sum + r)) - 2.0*a*(b/(sum + r)) : r - a - b;
    f.a = slope(a, u > 0.0 ? hypotenuse(b, u) : fabs(b), r);                       // E13 (97a)
    f.b = slope(b, u > 0.0 ? hypotenuse(a, u) : fabs(a), r);                       // E13 (97b)
    f.u = u/r;
  } else {
    const double length = at_kink.direction ? hypotenuse(at_kink.x, at_kink.y) : 1.0;
    const double scale = length > 0.0 ? 1.0/length : 0.0;
    f = (psi){.a = at_kink.x*scale - 1.0, .b = at_kink.y*scale - 1.0};        // E13 (98)
  }
  return f;
}

int fischer_kink(double x, double y, double lo, double hi, double epsilon) {
  if (!(fabs(y) <= epsilon) || !(lo < hi)) return 0;
  return fabs(x - lo) <= epsilon ? -1 : fabs(hi - x) <= epsilon;
}

fischer_row fischer_at(double u, double x, double y, double lo, double hi, fischer_choice at_kink) {
  const int below = lo > -(double)INFINITY, above = hi < (double)INFINITY;
  if (below && above && !(lo < hi)) return (fischer_row){lo - x, -1.0, 0.0, 0.0};
  if (!below && !above) return (fischer_row){-y, 0.0, -1.0, 0.0};
  if (!above) {
    const psi f = psi_at(u, x - lo, y, at_kink);
    return (fischer_row){f.value, f.a, f.b, f.u};
  }
  const fischer_choice mirrored = {at_kink.direction ? -at_kink.x : at_kink.x,
                                   at_kink.direction ? -at_kink.y : at_kink.y, at_kink.direction};
  const psi inner = psi_at(u, hi - x, -y, mirrored);
  if (!below) return (fischer_row){-inner.value, inner.a, inner.b, -inner.u};
  if (at_kink.direction)   // the inner value changes by its own directional derivative
    at_kink.y = hi == x && y == 0.0 ? fischer_burmeister(mirrored.x, mirrored.y)
                                    : inner.a*mirrored.x + inner.b*mirrored.y;
  const psi outer = psi_at(u, x - lo, inner.value, at_kink);
  return (fischer_row){outer.value, outer.a - outer.b*inner.a, -outer.b*inner.b,
                       outer.u + outer.b*inner.u};
}
