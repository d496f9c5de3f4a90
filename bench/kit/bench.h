// bench.h: what the benchmarks share: the clock, the machine, tables for the terminal and as CSV.
#ifndef PERP_BENCH_H
#define PERP_BENCH_H

#include <perp/gallery.h>
#include <perp/method.h>

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

// Arguments of every program: [--quick] [--ours] [--cpu-clock] [--results DIRECTORY]. Without a
// directory nothing is written.
typedef struct bench {
  int quick;
  int ours;                // contests go without their peers
  int cpu_clock;           // limits: by the processor time of the thread
  const char *results;     // NULL: print only
  char command[256];       // what to type to get these numbers again
} bench;
bench bench_begin(int count, char **words);

double bench_seconds(void);

typedef struct bench_time { double best, median; } bench_time;   // seconds of one call
// `repeats` samples of `calls` calls each; one call before them warms the caches.
bench_time bench_measure(void (*work)(void *data), void *data, int32_t calls, int32_t repeats);

// A table: rows arrive as "a|b|c" texts; closing it prints it aligned and writes
// DIRECTORY/NAME.csv.
typedef struct bench_table bench_table;
bench_table *bench_open(const bench *b, const char *name, const char *title, const char *columns);
void bench_row(bench_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
// below the table
void bench_note(bench_table *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void bench_close(bench_table *t);
const bench *bench_of(const bench_table *t);
// p of seconds ~ n^p: least squares of log seconds over log n
double bench_growth(int32_t count, const double *n, const double *seconds);

// Problems.
// exits where there is no memory
void *bench_take(size_t count, size_t size);
void bench_generate(const char *family, const char *settings,
                    perp_sample *sample);   // settings: "size=64 fill=0.9"; seed 1
void bench_generate_seed(const char *family, const char *settings, uint64_t seed,
                         perp_sample *sample);
// 5-point, side^2 rows, swirling right side
void bench_laplace(int32_t side, perp_sample *sample);
// n x n, row-major; free() it
double *bench_dense(const perp_sample *sample);
// the certificate's; infinite where it failed
double bench_residual(const perp_problem *problem, const double *x);

#ifdef __cplusplus
}
#endif
#endif
