// four.h: four doubles at a time, element by element: the same bits as one at a time.
//
// With GCC and Clang they are a vector type, of one register with AVX and of two without; elsewhere
// an array. Functions that use them are compiled twice on x86-64, with FOUR_TARGET and without.
#ifndef PERP_FOUR_H
#define PERP_FOUR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "exact.h"

#if defined(__GNUC__) && defined(__x86_64__)
#define FOUR_TARGET __attribute__((target("avx2,fma")))
#define FOUR_HAS_TARGET() (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#else
#define FOUR_TARGET
#define FOUR_HAS_TARGET() 1
#endif

#if defined(__GNUC__)
typedef double four __attribute__((vector_size(32)));
typedef int64_t four_mask __attribute__((vector_size(32)));   // -1 where true, else 0

EXACT_INLINE four four_all(double v) { return (four){v, v, v, v}; }
EXACT_INLINE four four_of(double a, double b, double c, double d) { return (four){a, b, c, d}; }
EXACT_INLINE four four_add(four a, four b) { return a + b; }
EXACT_INLINE four four_subtract(four a, four b) { return a - b; }
EXACT_INLINE four four_multiply(four a, four b) { return a*b; }
EXACT_INLINE four four_divide(four a, four b) { return a/b; }
EXACT_INLINE four_mask four_less(four a, four b) { return a < b; }
EXACT_INLINE four_mask four_at_most(four a, four b) { return a <= b; }
EXACT_INLINE four_mask four_and(four_mask a, four_mask b) { return a & b; }
EXACT_INLINE four four_choose(four_mask m, four a, four b) {   // a where m, else b
  return (four)(((four_mask)a & m) | ((four_mask)b & ~m));
}
EXACT_INLINE four four_size(four a) {   // |a|
  const four_mask digits = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  return (four)((four_mask)a & digits);
}
// log2 of positive normal numbers, the digits taken for their logarithm: exact at powers of two,
// too small by 0.09 at most. The exponent is written into the digits of 2^52.
EXACT_INLINE four four_log2_nearly(four v) {
  const four_mask bits = (four_mask)v, one = {1, 1, 1, 1},
                  high = (bits >> 52) | (0x433*one << 52),
                  low = (bits & ((one << 52) - one)) | (0x3ff*one << 52);
  return ((four)high - four_all(0x1p52 + 1024.0)) + (four)low;
}
#define FOUR_AT(v, k) ((v)[k])

#else

typedef struct four { double v[4]; } four;
typedef struct four_mask { int64_t v[4]; } four_mask;

#define FOUR_EACH(type, expression)                    \
  type r;                                              \
  for (int k = 0; k < 4; k++) r.v[k] = (expression);   \
  return r
static inline four four_all(double v) { FOUR_EACH(four, v); }
static inline four four_of(double a, double b, double c, double d) { return (four){{a, b, c, d}}; }
static inline four four_add(four a, four b) { FOUR_EACH(four, a.v[k] + b.v[k]); }
static inline four four_subtract(four a, four b) { FOUR_EACH(four, a.v[k] - b.v[k]); }
static inline four four_multiply(four a, four b) { FOUR_EACH(four, a.v[k]*b.v[k]); }
static inline four four_divide(four a, four b) { FOUR_EACH(four, a.v[k]/b.v[k]); }
static inline four_mask four_less(four a, four b) { FOUR_EACH(four_mask, -(a.v[k] < b.v[k])); }
static inline four_mask four_at_most(four a, four b) {
  FOUR_EACH(four_mask, -(a.v[k] <= b.v[k]));
}
static inline four_mask four_and(four_mask a, four_mask b) {
  FOUR_EACH(four_mask, a.v[k] & b.v[k]);
}
static inline four four_choose(four_mask m, four a, four b) {
  FOUR_EACH(four, m.v[k] ? a.v[k] : b.v[k]);
}
static inline four four_size(four a) { FOUR_EACH(four, fabs(a.v[k])); }
static inline four four_log2_nearly(four v) {
  for (int k = 0; k < 4; k++) {
    int64_t bits;
    memcpy(&bits, &v.v[k], sizeof bits);
    v.v[k] = (double)(bits >> 52) - 1023.0 + (double)(bits & 0xfffffffffffff)*0x1p-52;
  }
  return v;
}
#undef FOUR_EACH
#define FOUR_AT(r, k) ((r).v[k])

#endif

EXACT_INLINE four four_load(const double *p) {
  four v;
  memcpy(&v, p, sizeof v);
  return v;
}
EXACT_INLINE void four_store(double *p, four v) { memcpy(p, &v, sizeof v); }

// p[0 .. count - 1] and zeros, where count may be more than 4, or 0; reads nothing else.
EXACT_INLINE four four_first(const double *p, int32_t count) {
  if (count >= 4) return four_load(p);
  return four_of(count > 0 ? p[0] : 0.0, count > 1 ? p[1] : 0.0, count > 2 ? p[2] : 0.0, 0.0);
}

// as max2 and min2 of vector.h
EXACT_INLINE four four_max(four a, four b) { return four_choose(four_less(b, a), a, b); }
EXACT_INLINE four four_min(four a, four b) { return four_choose(four_less(a, b), a, b); }

EXACT_INLINE double four_sum(four a) {
  return (FOUR_AT(a, 0) + FOUR_AT(a, 1)) + (FOUR_AT(a, 2) + FOUR_AT(a, 3));
}
EXACT_INLINE double four_most(four a) {
  const double p = FOUR_AT(a, 0) > FOUR_AT(a, 1) ? FOUR_AT(a, 0) : FOUR_AT(a, 1),
               q = FOUR_AT(a, 2) > FOUR_AT(a, 3) ? FOUR_AT(a, 2) : FOUR_AT(a, 3);
  return p > q ? p : q;
}
EXACT_INLINE double four_least(four a) {
  const double p = FOUR_AT(a, 0) < FOUR_AT(a, 1) ? FOUR_AT(a, 0) : FOUR_AT(a, 1),
               q = FOUR_AT(a, 2) < FOUR_AT(a, 3) ? FOUR_AT(a, 2) : FOUR_AT(a, 3);
  return p < q ? p : q;
}

#endif
