// four_doubles.h: four doubles at a time, element by element, with the same bits as one at a time.
//
// With GCC and Clang a `four` is a vector: one register with AVX, two without. Other compilers use
// an array. On x86-64, functions on it are compiled twice, with FOUR_TARGET and without.
#ifndef PERP_FOUR_DOUBLES_H
#define PERP_FOUR_DOUBLES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "error_free.h"

#if defined(PLATFORM_AVX)
#define FOUR_TARGET __attribute__((target("avx2,fma")))
#define FOUR_HAS_TARGET() platform_has(PLATFORM_HAS_AVX2 | PLATFORM_HAS_FMA)
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
EXACT_INLINE four_mask four_same(four a, four b) { return a == b; }
EXACT_INLINE four_mask four_and(four_mask a, four_mask b) { return a & b; }
EXACT_INLINE four_mask four_or(four_mask a, four_mask b) { return a | b; }
EXACT_INLINE four_mask four_not(four_mask a) { return ~a; }
EXACT_INLINE four_mask four_bits(int64_t v) { return (four_mask){v, v, v, v}; }
EXACT_INLINE four four_choose(four_mask m, four a, four b) {   // a where m, else b
  return (four)(((four_mask)a & m) | ((four_mask)b & ~m));
}
EXACT_INLINE four four_size(four a) {   // |a|
  const four_mask digits = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  return (four)((four_mask)a & digits);
}
EXACT_INLINE four_mask four_of_bytes(const uint8_t *p) {
  typedef uint8_t bytes __attribute__((vector_size(4)));
  bytes v;
  memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, four_mask);
}
EXACT_INLINE four_mask four_equal(four_mask a, four_mask b) { return a == b; }
EXACT_INLINE four four_keep(four_mask m, four a) { return (four)((four_mask)a & m); }   // a or 0
EXACT_INLINE four four_fma(four a, four b, four c) {   // a b + c, rounded once
  four r;
  for (int k = 0; k < 4; k++) r[k] = fma(a[k], b[k], c[k]);
  return r;
}
// About 2^37 (1023 + log2 v) for positive normal v: the bits of v, read as an integer. Exact at
// powers of two, otherwise up to 0.09 2^37 too small. Results are integers below 2^48, so their
// sums are exact.
EXACT_INLINE four_mask four_log2_nearly(four v) { return (four_mask)v >> 15; }
EXACT_INLINE four_mask four_plus(four_mask a, four_mask b) { return a + b; }
EXACT_INLINE four four_of_whole(four_mask m) {   // m as doubles, 0 <= m < 2^52: (2^52 + m) - 2^52
  return (four)(m | four_bits(0x4330000000000000)) - four_all(0x1p52);
}
// The inverse: about 2^e, up to 6 % too large, for normal 2^e. The bits of 2^11 + 1023 + e, shifted
// left by 11, are those of the result.
EXACT_INLINE four four_exp2_nearly(four e) {
  return (four)((four_mask)(e + four_all(2048.0 + 1023.0)) << 11);
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
static inline four_mask four_same(four a, four b) { FOUR_EACH(four_mask, -(a.v[k] == b.v[k])); }
static inline four_mask four_and(four_mask a, four_mask b) {
  FOUR_EACH(four_mask, a.v[k] & b.v[k]);
}
static inline four_mask four_or(four_mask a, four_mask b) { FOUR_EACH(four_mask, a.v[k] | b.v[k]); }
static inline four_mask four_not(four_mask a) { FOUR_EACH(four_mask, ~a.v[k]); }
static inline four_mask four_bits(int64_t v) { FOUR_EACH(four_mask, v); }
static inline four four_choose(four_mask m, four a, four b) {
  FOUR_EACH(four, m.v[k] ? a.v[k] : b.v[k]);
}
static inline four four_size(four a) { FOUR_EACH(four, fabs(a.v[k])); }
static inline four_mask four_of_bytes(const uint8_t *p) { FOUR_EACH(four_mask, p[k]); }
static inline four_mask four_equal(four_mask a, four_mask b) {
  FOUR_EACH(four_mask, -(a.v[k] == b.v[k]));
}
static inline four four_keep(four_mask m, four a) { FOUR_EACH(four, m.v[k] ? a.v[k] : 0.0); }
static inline four four_fma(four a, four b, four c) {
  FOUR_EACH(four, fma(a.v[k], b.v[k], c.v[k]));
}
static inline four_mask four_log2_nearly(four v) {
  four_mask bits;
  memcpy(&bits, &v, sizeof bits);
  FOUR_EACH(four_mask, bits.v[k] >> 15);
}
static inline four_mask four_plus(four_mask a, four_mask b) {
  FOUR_EACH(four_mask, a.v[k] + b.v[k]);
}
static inline four four_of_whole(four_mask m) { FOUR_EACH(four, (double)m.v[k]); }
static inline four four_exp2_nearly(four e) {
  for (int k = 0; k < 4; k++) {
    uint64_t bits;
    e.v[k] += 2048.0 + 1023.0;
    memcpy(&bits, &e.v[k], sizeof bits);
    bits <<= 11;
    memcpy(&e.v[k], &bits, sizeof bits);
  }
  return e;
}
#undef FOUR_EACH
#define FOUR_AT(r, k) ((r).v[k])

#endif

EXACT_INLINE int four_any(four_mask m) {
  return (FOUR_AT(m, 0) | FOUR_AT(m, 1) | FOUR_AT(m, 2) | FOUR_AT(m, 3)) != 0;
}

EXACT_INLINE four four_load(const double *p) {
  four v;
  memcpy(&v, p, sizeof v);
  return v;
}
EXACT_INLINE void four_store(double *p, four v) { memcpy(p, &v, sizeof v); }

// Loads p[0 .. count - 1], at most four numbers, and zeros for the others. Reads nothing more.
EXACT_INLINE four four_first(const double *p, int32_t count) {
  if (count >= 4) return four_load(p);
  return four_of(count > 0 ? p[0] : 0.0, count > 1 ? p[1] : 0.0, count > 2 ? p[2] : 0.0, 0.0);
}

// These treat a NaN as max2 and min2 of vector.h do.
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
