// vector.h: small functions on numbers and vectors that every layer needs.
#ifndef PERP_VECTOR_H
#define PERP_VECTOR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline double max2(double a, double b) { return a > b ? a : b; }
static inline double min2(double a, double b) { return a < b ? a : b; }

// max(a, b); NaN if either is NaN.
static inline double max_or_nan(double a, double b) { return b > a || b != b ? b : a; }

static inline int all_finite(const double *value, int64_t count) {   // v - v: 0 if finite, else NaN
  double bad[4] = {0.0};
  int64_t k = 0;
  for (; k + 4 <= count; k += 4)
    for (int q = 0; q < 4; q++) bad[q] += value[k + q] - value[k + q];
  for (; k < count; k++) bad[0] += value[k] - value[k];
  return (bad[0] + bad[1]) + (bad[2] + bad[3]) == 0.0;
}

// Moves x into [lo, hi]; a NaN stays. Which bound applies is hard to predict, so no branches.
static inline double clamp(double x, double lo, double hi) { return min2(hi, max2(lo, x)); }

// The middle one of three with a <= c. mid(x - hi, y, x - lo) is zero exactly at a solution, and
// infinite bounds need no special case.
static inline double mid(double a, double b, double c) { return min2(c, max2(a, b)); }

// floor(log2 |v|) for any v; -1100 for 0 and 1100 for infinities and NaN, beyond all others.
// ilogb() returns the limits of int there, which overflow when negated or added.
static inline int binary_exponent(double v) {
  const int e = ilogb(v);
  return v == 0.0 ? -1100 : e > 1100 || e < -1100 ? 1100 : e;
}

#define SCALE_EXPONENT_MAX 500   // rows are scaled by at most 2^500, whose square does not overflow

// 2^e, with e limited to -largest .. largest.
static inline double power_of_two_within(int e, int largest) {
  return ldexp(1.0, e < -largest ? -largest : e > largest ? largest : e);
}

// A power of two near 1/sqrt(size), within 2^-largest .. 2^largest. 1 if the size is 0 or infinite.
static inline double power_near_root(double size, int largest) {
  int e = 0;
  if (!(size > 0.0) || !(size < (double)INFINITY)) return 1.0;
  frexp(size, &e);
  return power_of_two_within(-(e/2), largest);
}

// The exponent e of the power of two 2^e near 1/sqrt(d), d > 0. With E = floor(log2 d), e is -E/2
// for even E and -(E + 1)/2 for odd E. |e| is limited so that 2^e can be squared. All scaling by a
// diagonal calls this function, so that it has the same bits everywhere.
static inline int root_exponent(double d) {
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  // E + 1025 > 0, so this rounds down.
  const int E = (int)(bits >> 52) - 1023, e = -((E + 1025)/2 - 512);
  return e < -SCALE_EXPONENT_MAX  ? -SCALE_EXPONENT_MAX
         : e > SCALE_EXPONENT_MAX ? SCALE_EXPONENT_MAX : e;
}

// Bounds of row i; NULL stands for the plain LCP.
static inline double lower(const double *lo, int32_t i) { return lo != NULL ? lo[i] : 0.0; }
static inline double upper(const double *hi, int32_t i) {
  return hi != NULL ? hi[i] : (double)INFINITY;
}
static inline int unbounded(const double *lo, const double *hi, int32_t i) {
  return lower(lo, i) == -(double)INFINITY && upper(hi, i) == (double)INFINITY;
}

static inline double dot(int32_t n, const double *a, const double *b) {
  double s = 0.0;
  for (int32_t i = 0; i < n; i++) s += a[i]*b[i];
  return s;
}

#endif
