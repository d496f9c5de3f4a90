// peak.c: see peak.h: twelve independent chains x <- a x + b in registers, which hides latencies.
#include "peak.h"

#include <math.h>

#include "bench.h"

enum { CHAINS = 12, STEPS = 4000000 };
typedef double pair __attribute__((vector_size(16)));

static volatile double sink;

static double with_two(void) {
  pair x[CHAINS];
  const pair a = {0.999999, 0.999998}, b = {1e-6, 2e-6};
  for (int k = 0; k < CHAINS; k++) x[k] = (pair){k, 1.0};
  const double start = bench_seconds();
  for (int step = 0; step < STEPS; step++)
#pragma GCC unroll 12
    for (int k = 0; k < CHAINS; k++) x[k] = a*x[k] + b;
  const double seconds = bench_seconds() - start;
  for (int k = 0; k < CHAINS; k++) sink = x[k][0] + x[k][1];
  return 4.0*CHAINS*STEPS/seconds;
}

#if defined __x86_64__
#include <immintrin.h>
__attribute__((target("avx2,fma"))) static double with_four(void) {
  __m256d x[CHAINS];
  const __m256d a = _mm256_set1_pd(0.999999), b = _mm256_set1_pd(1e-6);
  for (int k = 0; k < CHAINS; k++) x[k] = _mm256_set1_pd(k);
  const double start = bench_seconds();
  for (int step = 0; step < STEPS; step++)
#pragma GCC unroll 12
    for (int k = 0; k < CHAINS; k++) x[k] = _mm256_fmadd_pd(a, x[k], b);
  const double seconds = bench_seconds() - start;
  for (int k = 0; k < CHAINS; k++) sink = x[k][0];
  return 8.0*CHAINS*STEPS/seconds;
}
static int has_four(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
static double with_four(void) { return 0.0; }
static int has_four(void) { return 0; }
#endif

peak peak_measure(void) {
  peak p = {0.0, 0.0};
  for (int k = 0; k < 3; k++) {
    p.two = fmax(p.two, with_two());
    if (has_four()) p.four = fmax(p.four, with_four());
  }
  return p;
}
