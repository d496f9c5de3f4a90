// error_free.h: error-free sums and products. Residuals become as exact as in twice the precision.
//
// Ogita, Rump, Oishi: Accurate sum and dot product (2005), algorithms TwoSum, TwoProduct (with
// fma), Dot2.
#ifndef PERP_ERROR_FREE_H
#define PERP_ERROR_FREE_H

#include <math.h>

#include "platform.h"

// On x86-64, kernels that use fma() are compiled twice: for processors with the instruction and for
// those without. Both give the same bits, because fma() rounds once either way.
#if defined(PLATFORM_AVX)
#define EXACT_FMA __attribute__((target("fma")))
#define EXACT_HAS_FMA() platform_has(PLATFORM_HAS_FMA)
#define EXACT_WIDE __attribute__((target("avx2")))   // sums keep their order, so the same bits
#define EXACT_HAS_WIDE() platform_has(PLATFORM_HAS_AVX2)
#define EXACT_INLINE static inline __attribute__((always_inline))
#else
#define EXACT_FMA
#define EXACT_HAS_FMA() 1
#define EXACT_WIDE
#define EXACT_HAS_WIDE() 0
#define EXACT_INLINE static inline
#endif

typedef struct exact_sum { double high, low; } exact_sum;   // the value is high + low

EXACT_INLINE void exact_add(exact_sum *s, double a) {          // s += a
  const double t = s->high + a, z = t - s->high;
  s->low += (s->high - (t - z)) + (a - z);                   // TwoSum
  s->high = t;
}

EXACT_INLINE void exact_add_product(exact_sum *s, double a, double b) {   // s += a b
  const double p = a*b, e = fma(a, b, -p);                    // TwoProduct
  const double t = s->high + p, z = t - s->high;
  s->low += ((s->high - (t - z)) + (p - z)) + e;             // TwoSum
  s->high = t;
}

EXACT_INLINE double exact_value(exact_sum s) {
  const double v = s.high + s.low;
  return v - v == 0.0 ? v : s.high;   // an overflowed error term must not turn infinity into NaN
}

// sqrt(a^2 + b^2) without overflow, with the same bits on every system; the hypot() of C libraries
// differs in the last bit. `lost` is the rounding error of the squares and the square root, which
// corrects the result. Borges: An improved algorithm for hypot(a,b) (2019).
static inline double hypotenuse(double a, double b) {
  const double x = fabs(a) > fabs(b) ? fabs(a) : fabs(b), y = fabs(a) > fabs(b) ? fabs(b) : fabs(a);
  if (!(y > 0x1p-54*x) || x - x != 0.0) return isinf(a) || isinf(b) ? (double)INFINITY : x + y;
  const double unit = x > 0x1p500 ? 0x1p600 : y < 0x1p-400 ? 0x1p-600 : 1.0;
  const double p = x/unit, q = y/unit, h = sqrt(fma(p, p, q*q)), hh = h*h, pp = p*p;
  const double lost = fma(-q, q, hh - pp) + fma(h, h, -hh) - fma(p, p, -pp);
  return (h - lost/(2.0*h))*unit;
}

#endif
