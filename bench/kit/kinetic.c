// kinetic.c: see kinetic.h.
#include "kinetic.h"

#include <stdlib.h>

enum { DEGREES = 6, POINTS = 3 };

perp_csc kinetic_make(int32_t side, uint64_t seed) {
  const int32_t bodies = side*side, pairs = 2*side*(side - 1), contacts = POINTS*pairs;
  const int32_t n = DEGREES*bodies + contacts;
  const size_t nnz = (size_t)n + 2*2*DEGREES*(size_t)contacts;
  int32_t *colptr = bench_take((size_t)n + 1, sizeof *colptr);
  int32_t *at = bench_take((size_t)n, sizeof *at);
  int32_t *row = bench_take(nnz, sizeof *row), *first = bench_take((size_t)pairs, sizeof *first),
          *second = bench_take((size_t)pairs, sizeof *second), pair = 0;
  double *value = bench_take(nnz, sizeof *value);
  for (int32_t k = 0; k < bodies; k++)
    for (int step = 0; step < 2; step++) {       // to the right, and up
      if (step == 0 ? k%side == side - 1 : k >= bodies - side) continue;
      first[pair] = k;
      second[pair++] = step == 0 ? k + 1 : k + side;
    }
  for (int32_t j = 0; j < n; j++) colptr[j + 1] = 1;
  for (int32_t c = 0; c < contacts; c++) {
    colptr[DEGREES*bodies + c + 1] += 2*DEGREES;
    for (int d = 0; d < DEGREES; d++) {
      colptr[DEGREES*first[c/POINTS] + d + 1]++;
      colptr[DEGREES*second[c/POINTS] + d + 1]++;
    }
  }
  for (int32_t j = 0; j < n; j++) {
    colptr[j + 1] += colptr[j];
    at[j] = colptr[j];
    if (j >= DEGREES*bodies) continue;           // masses first: rows of J come below
    row[at[j]] = j;
    value[at[j]++] = 0.5 + perp_random_uniform(seed, (uint64_t)j);
  }
  uint64_t drawn = (uint64_t)n;
  for (int32_t c = 0; c < contacts; c++) {
    const int32_t i = DEGREES*bodies + c;
    for (int end = 0; end < 2; end++) {
      const int32_t from = DEGREES*(end == 0 ? first : second)[c/POINTS];
      for (int32_t j = from; j < from + DEGREES; j++) {
        const double a = 2.0*perp_random_uniform(seed, drawn++) - 1.0;
        row[at[j]] = i;
        value[at[j]++] = a;
        row[at[i]] = j;
        value[at[i]++] = a;
      }
    }
    row[at[i]] = i;
    value[at[i]++] = -1e-4;
  }
  free(at);
  free(first);
  free(second);
  return (perp_csc){n, n, colptr, row, value};
}

void kinetic_free(perp_csc *K) {
  free((void *)(uintptr_t)K->colptr);
  free((void *)(uintptr_t)K->row);
  free((void *)(uintptr_t)K->value);
}
