// rational.c: finds rationals with small denominators near rounded numbers, by continued fractions.
//
// A Farkas vector of data with few digits is rational, and must be exact to give exact zeros in
// A'u. Powers of two need no digits, because rows and columns were scaled by them. So only the odd
// part of a denominator counts.
#include <float.h>
#include <math.h>

#include "feasibility.h"
#include "vector.h"

#define DENOMINATOR_MAX 0x1p20  // common odd denominator; a larger limit: 1.06 times the work
#define NUMERATOR_MAX (1.0/DBL_EPSILON)   // numerators, so that they are exact as doubles

// p/q = m within the tolerance, with the smallest q that a continued fraction gives. 0: none.
static int approximate(double m, double tolerance, double *p, double *q) {
  double p0 = 0.0, q0 = 1.0, p1 = 1.0, q1 = 0.0, rest = m;
  for (int32_t step = 0; step < 40; step++) {
    const double whole = floor(rest);
    const double p2 = whole*p1 + p0, q2 = whole*q1 + q0;
    if (q2 > DENOMINATOR_MAX*DENOMINATOR_MAX || p2 > NUMERATOR_MAX) return 0;
    p0 = p1, q0 = q1, p1 = p2, q1 = q2;
    if (fabs(p1/q1 - m) <= tolerance*m) {
      *p = p1;
      *q = q1;
      return 1;
    }
    rest = 1.0/(rest - whole);
    if (!(rest < NUMERATOR_MAX)) return 0;
  }
  return 0;
}

static double odd_part(double q) {   // q: a positive integer
  while (fmod(q, 2.0) == 0.0) q *= 0.5;
  return q;
}

static double common_divisor(double a, double b) {
  while (b > 0.0) {
    const double r = fmod(a, b);
    a = b;
    b = r;
  }
  return a;
}

int rational_round(int32_t n, double *v, double tolerance) {
  double common = 1.0;   // the least common multiple of the odd denominators
  double p, q;
  for (int pass = 0; pass < 2; pass++)   // first all denominators, then all numerators
    for (int32_t i = 0; i < n; i++) {
      if (v[i] == 0.0) continue;
      int exponent;
      const double m = 2.0*frexp(fabs(v[i]), &exponent);   // 1 <= m < 2
      if (!approximate(m, tolerance, &p, &q)) return 0;
      const double odd = odd_part(q);
      if (pass == 0) {
        common *= odd/common_divisor(common, odd);
        if (common > DENOMINATOR_MAX) return 0;
      } else if (!(p*(common/odd) <= NUMERATOR_MAX)) {
        return 0;
      }
    }
  for (int32_t i = 0; i < n; i++) {
    if (v[i] == 0.0) continue;
    int exponent;
    const double m = 2.0*frexp(fabs(v[i]), &exponent);
    approximate(m, tolerance, &p, &q);
    const double odd = odd_part(q), exact = ldexp(p*(common/odd)/(q/odd), exponent - 1);
    v[i] = v[i] > 0.0 ? exact : -exact;
  }
  return 1;
}
