// eight_floats.h: eight floats at a time, element by element, with the same bits as one at a time.
//
// With GCC and Clang an `eight` is a vector: one register with AVX2, two without. Other compilers
// use an array. On x86-64, functions on it are compiled twice, with FOUR_TARGET and without.
#ifndef PERP_EIGHT_FLOATS_H
#define PERP_EIGHT_FLOATS_H

#include "four_doubles.h"

#if defined(__GNUC__)
typedef float eight __attribute__((vector_size(32)));
typedef int32_t eight_mask __attribute__((vector_size(32)));   // -1 where true, else 0

EXACT_INLINE eight eight_all(float v) { return (eight){v, v, v, v, v, v, v, v}; }
EXACT_INLINE eight eight_add(eight a, eight b) { return a + b; }
EXACT_INLINE eight eight_subtract(eight a, eight b) { return a - b; }
EXACT_INLINE eight eight_multiply(eight a, eight b) { return a*b; }
EXACT_INLINE eight eight_where(eight a, eight v) {   // v where a is not zero, else 0
  return (eight)((eight_mask)v & (a != eight_all(0.0F)));
}
EXACT_INLINE eight eight_size(eight a) {   // |a|
  return (eight)((eight_mask)a & (eight_mask){INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX,
                                              INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX});
}
EXACT_INLINE eight eight_max(eight a, eight b) {
  const eight_mask m = b < a;
  return (eight)(((eight_mask)a & m) | ((eight_mask)b & ~m));
}
EXACT_INLINE eight eight_pick(const float *v, const int32_t *at) {   // v at eight places
  return (eight){v[at[0]], v[at[1]], v[at[2]], v[at[3]], v[at[4]], v[at[5]], v[at[6]], v[at[7]]};
}
#define EIGHT_AT(v, k) ((v)[k])
#define EIGHT_FETCH(p) __builtin_prefetch(p)   // prefetches; p may be any address
#if defined(__clang__) || __GNUC__ >= 12
#define EIGHT_MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#endif

#else

typedef struct eight { float v[8]; } eight;

#define EIGHT_EACH(expression)                         \
  eight r;                                             \
  for (int k = 0; k < 8; k++) r.v[k] = (expression);   \
  return r
static inline eight eight_all(float v) { EIGHT_EACH(v); }
static inline eight eight_add(eight a, eight b) { EIGHT_EACH(a.v[k] + b.v[k]); }
static inline eight eight_subtract(eight a, eight b) { EIGHT_EACH(a.v[k] - b.v[k]); }
static inline eight eight_multiply(eight a, eight b) { EIGHT_EACH(a.v[k]*b.v[k]); }
static inline eight eight_where(eight a, eight b) { EIGHT_EACH(a.v[k] != 0.0F ? b.v[k] : 0.0F); }
static inline eight eight_size(eight a) { EIGHT_EACH(fabsf(a.v[k])); }
static inline eight eight_max(eight a, eight b) { EIGHT_EACH(b.v[k] < a.v[k] ? a.v[k] : b.v[k]); }
static inline eight eight_pick(const float *v, const int32_t *at) { EIGHT_EACH(v[at[k]]); }
#undef EIGHT_EACH
#define EIGHT_AT(r, k) ((r).v[k])
#define EIGHT_FETCH(p) ((void)(p))

#endif

EXACT_INLINE eight eight_load(const float *p) {
  eight v;
  memcpy(&v, p, sizeof v);
  return v;
}
EXACT_INLINE void eight_store(float *p, eight v) { memcpy(p, &v, sizeof v); }

// Separates 16 numbers at even places from those at odd places. eight_join() puts them back.
EXACT_INLINE void eight_split(const float *p, eight *even, eight *odd) {
#if defined(EIGHT_MIX)
  const eight a = eight_load(p), b = eight_load(p + 8);
  *even = EIGHT_MIX(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
  *odd = EIGHT_MIX(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#else
  for (int k = 0; k < 8; k++) {
    EIGHT_AT(*even, k) = p[2*k];
    EIGHT_AT(*odd, k) = p[2*k + 1];
  }
#endif
}
EXACT_INLINE void eight_join(float *p, eight even, eight odd) {
#if defined(EIGHT_MIX)
  eight_store(p, EIGHT_MIX(even, odd, 0, 8, 1, 9, 2, 10, 3, 11));
  eight_store(p + 8, EIGHT_MIX(even, odd, 4, 12, 5, 13, 6, 14, 7, 15));
#else
  for (int k = 0; k < 8; k++) {
    p[2*k] = EIGHT_AT(even, k);
    p[2*k + 1] = EIGHT_AT(odd, k);
  }
#endif
}

EXACT_INLINE double eight_sum(eight a) {
  return (((double)EIGHT_AT(a, 0) + (double)EIGHT_AT(a, 1)) +
          ((double)EIGHT_AT(a, 2) + (double)EIGHT_AT(a, 3))) +
         (((double)EIGHT_AT(a, 4) + (double)EIGHT_AT(a, 5)) +
          ((double)EIGHT_AT(a, 6) + (double)EIGHT_AT(a, 7)));
}
EXACT_INLINE double eight_most(eight a) {
  double most = (double)EIGHT_AT(a, 0);
  for (int k = 1; k < 8; k++) {
    const double v = (double)EIGHT_AT(a, k);
    most = v > most ? v : most;
  }
  return most;
}

#endif
