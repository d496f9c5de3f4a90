// Times the Matrix Market reader, and makes the file it reads: what bench/read_mtx.py drives.
//
//   read_mtx write NONZEROS FILE     a square matrix with about 10 random entries per column
//   read_mtx read FILE THREADS       prints "seconds nonzeros sum"
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "mtx.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PER_COLUMN = 10 };

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

static uint64_t random_bits(uint64_t *state) {    // splitmix64
  uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30)*UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27)*UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static int write_file(int64_t nonzeros, const char *path) {
  const int32_t n = (int32_t)(nonzeros/PER_COLUMN), stride = n/PER_COLUMN;
  int32_t *colptr = malloc(((size_t)n + 1)*sizeof *colptr);
  int32_t *row = malloc((size_t)n*PER_COLUMN*sizeof *row);
  double *value = malloc((size_t)n*PER_COLUMN*sizeof *value);
  char message[512] = "out of memory";
  int code = MTX_IO;
  if (colptr && row && value) {
    uint64_t state = 1;
    colptr[0] = 0;
    for (int32_t j = 0, k = 0; j < n; colptr[++j] = k)
      for (int32_t p = 0; p < PER_COLUMN; p++, k++) {
        row[k] = p*stride + (int32_t)(random_bits(&state) % (uint64_t)stride);
        value[k] = (double)(int64_t)random_bits(&state)*0x1p-63;
      }
    const double start = seconds();
    code = mtx_write_csc(path, n, n, colptr, row, value, NULL, message, sizeof message);
    if (code == MTX_OK) printf("%.6f\n", seconds() - start);
  }
  free(colptr);
  free(row);
  free(value);
  if (code != MTX_OK) fprintf(stderr, "%s\n", message);
  return code;
}

static int read_file(const char *path, int threads) {
  char message[512];
  mtx_matrix m;
  const double start = seconds();
  const int code = mtx_read(path, 0, threads, &m, message, sizeof message);
  const double time = seconds() - start;
  if (code != MTX_OK) {
    fprintf(stderr, "%s\n", message);
    return code;
  }
  double sum = 0;
  for (int64_t k = 0; k < m.nnz; k++) sum += m.value[k];
  printf("%.6f %" PRId64 " %.17g\n", time, m.nnz, sum);
  mtx_free(&m);
  return MTX_OK;
}

int main(int count, char **words) {
  if (count == 4 && strcmp(words[1], "write") == 0 && atoll(words[2]) >= 1000 &&
      atoll(words[2]) <= 2000000000)
    return write_file(atoll(words[2]), words[3]);
  if (count == 4 && strcmp(words[1], "read") == 0) return read_file(words[2], atoi(words[3]));
  fprintf(stderr, "usage: read_mtx write NONZEROS FILE | read_mtx read FILE THREADS\n");
  return 2;
}
