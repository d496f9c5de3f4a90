// qp_file.h: reads the file of qp_peers.c in the programs that are peers. All of it is here, so
// that such a program needs nothing else of the benchmarks.
#ifndef PERP_BENCH_QP_FILE_H
#define PERP_BENCH_QP_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct qp_file {
  int32_t n, m;                        // variables, rows
  int32_t *Pcolumn, *Prow, *Bcolumn, *Brow;
  double *P, *B;
  double *q, *lo, *hi, *low, *high;    // n, n, n, m, m
  double tol, seconds;
} qp_file;

static void *qp_file_take(FILE *file, size_t size, int32_t count) {
  void *p = malloc(size*(size_t)count + 1);
  if (p == NULL || fread(p, size, (size_t)count, file) != (size_t)count) exit(1);
  return p;
}

// Of the arguments FILE TOL SECONDS.
static qp_file qp_file_read(int count, char **words) {
  qp_file f;
  FILE *file = count == 4 ? fopen(words[1], "rb") : NULL;
  if (file == NULL) exit(2);
  int32_t *sizes = (int32_t *)qp_file_take(file, sizeof(int32_t), 4);
  f.n = sizes[0];
  f.m = sizes[1];
  f.Pcolumn = (int32_t *)qp_file_take(file, sizeof(int32_t), f.n + 1);
  f.Prow = (int32_t *)qp_file_take(file, sizeof(int32_t), sizes[2]);
  f.P = (double *)qp_file_take(file, sizeof(double), sizes[2]);
  f.Bcolumn = (int32_t *)qp_file_take(file, sizeof(int32_t), f.n + 1);
  f.Brow = (int32_t *)qp_file_take(file, sizeof(int32_t), sizes[3]);
  f.B = (double *)qp_file_take(file, sizeof(double), sizes[3]);
  f.q = (double *)qp_file_take(file, sizeof(double), f.n);
  f.lo = (double *)qp_file_take(file, sizeof(double), f.n);
  f.hi = (double *)qp_file_take(file, sizeof(double), f.n);
  f.low = (double *)qp_file_take(file, sizeof(double), f.m);
  f.high = (double *)qp_file_take(file, sizeof(double), f.m);
  f.tol = strtod(words[2], NULL);
  f.seconds = strtod(words[3], NULL);
  free(sizes);
  fclose(file);
  return f;
}

static double qp_file_clock(void) {    // seconds of the processor
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

static int qp_file_answer(const qp_file *f, double seconds, int claims, const double *v,
                          const double *l) {
  printf("%.9f %d\n", seconds, claims);
  fwrite(v, sizeof *v, (size_t)f->n, stdout);
  fwrite(l, sizeof *l, (size_t)f->m, stdout);
  return fflush(stdout) != 0;
}

#endif
