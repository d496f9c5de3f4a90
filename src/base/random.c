// random.c: Philox4x32-10 and the numbers made from it, with the same bits on every machine.
//
// Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3 (SC 2011). Number `index`
// of stream `seed` depends on these two only. The logarithm and the cosine of Box-Muller are our
// own, because those of libm differ in the last bit between machines; + - * / sqrt do not.
#include "random.h"

#include <math.h>

// The high word of a 32 x 32 bit product; *low receives the low word.
static uint32_t multiply(uint32_t a, uint32_t b, uint32_t *low) {
  const uint64_t product = (uint64_t)a*b;
  *low = (uint32_t)product;
  return (uint32_t)(product >> 32);
}

void perp_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  if (counter == NULL || key == NULL || out == NULL) return;
  uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
  uint32_t k0 = key[0], k1 = key[1];
  for (int round = 0; round < 10; round++) {
    uint32_t low0, low1;
    const uint32_t high0 = multiply(0xD2511F53u, c0, &low0);
    const uint32_t high1 = multiply(0xCD9E8D57u, c2, &low1);
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9E3779B9u;   // golden ratio
    k1 += 0xBB67AE85u;   // sqrt(3) - 1
  }
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
  out[3] = c3;
}

static void block(uint64_t seed, uint64_t index, uint32_t out[4]) {
  const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), 0, 0};
  const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  perp_philox(counter, key, out);
}

// The upper 53 bits of two words as an integer k < 2^53.
static double bits53(uint32_t low, uint32_t high) {
  return (double)(((uint64_t)high << 32 | low) >> 11);
}

double perp_random_uniform(uint64_t seed, uint64_t index) {
  uint32_t word[4];
  block(seed, index, word);
  return 0x1p-53*bits53(word[0], word[1]);
}

// ln u for 0 < u <= 1: u = m 2^e with m in [sqrt(1/2), sqrt(2)), ln m = 2 artanh((m - 1)/(m + 1)).
static double logarithm(double u) {
  int e;
  double m = frexp(u, &e);
  if (m < 0.70710678118654752) {
    m *= 2.0;
    e--;
  }
  const double t = (m - 1.0)/(m + 1.0), t2 = t*t;      // |t| < 0.172: t^26/27 < 1e-21
  double s = 0.0;
  for (int k = 25; k >= 1; k -= 2) s = s*t2 + 1.0/k;   // sum of t^(k-1)/k
  return e*0.69314718055994531 + 2.0*t*s;
}

// cos(2 pi k/2^53): exact reduction to an angle in [0, pi/4], then the Taylor series.
static double cosine(double k) {
  const double quarter = 0x1p51;
  if (k > 2.0*quarter) k = 4.0*quarter - k;            // cos(2 pi - a) = cos a
  const double sign = k > quarter ? -1.0 : 1.0;
  if (k > quarter) k = 2.0*quarter - k;                // cos(pi - a) = -cos a
  const int sine = k > 0.5*quarter;
  if (sine) k = quarter - k;                           // cos(pi/2 - a) = sin a
  const double a = k*(1.5707963267948966/quarter), a2 = a*a;
  double s = 1.0;
  for (int j = sine ? 19 : 18; j >= 2; j -= 2) s = 1.0 - s*a2/(j*(j - 1));
  return sign*(sine ? a*s : s);
}

double perp_random_normal(uint64_t seed, uint64_t index) {
  uint32_t word[4];
  block(seed, index, word);
  const double u = 0x1p-53*(bits53(word[0], word[1]) + 1.0);   // in (0, 1]
  return sqrt(-2.0*logarithm(u))*cosine(bits53(word[2], word[3]));
}

double random_uniform(random_stream *s) { return perp_random_uniform(s->seed, s->next++); }

double random_range(random_stream *s, double low, double high) {
  const double r = low + (high - low)*random_uniform(s);
  return r < high ? r : low;   // the sum may round up to high
}

int32_t random_integer(random_stream *s, int32_t count) {
  return (int32_t)(random_uniform(s)*count);   // < count: u <= 1 - 2^-53 and count < 2^31
}
