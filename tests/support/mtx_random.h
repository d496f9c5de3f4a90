// mtx_random.h: random bits and bitwise comparison, for the tests of the Matrix Market reader.
#pragma once

#include <stdint.h>
#include <string.h>

static uint64_t random_state = 1;

static inline uint64_t random_bits(void) {               // splitmix64
  uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30)*UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27)*UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static inline int random_below(int limit) {
  return (int)(random_bits() % (uint64_t)limit);
}

static inline double from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline void assert_same_double(double a, double b, const char *text) {
  if (memcmp(&a, &b, sizeof a) != 0) fail_msg("%s: %a instead of %a", text, a, b);
}
