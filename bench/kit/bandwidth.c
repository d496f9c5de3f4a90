// bandwidth.c: the memory's bandwidth by a read-only sum and by the triad of STREAM, on a team.
//
// The arrays are many times larger than the last cache, and every thread first writes the parts it
// will read. The triad counts 24 bytes per element, as STREAM does: that the written line is first
// read is not counted.
#include "bandwidth.h"

#include <stdlib.h>

enum { PARTS = 16, LANES = 16 };

typedef struct arrays {
  double *a, *b, *c;
  size_t part;             // elements of each of the PARTS
  double sum[PARTS][8];    // a cache line each
  team *threads;
} arrays;

static void fill(void *data, int32_t index) {
  arrays *s = data;
  for (size_t i = (size_t)index*s->part, end = i + s->part; i < end; i++) {
    s->a[i] = 0.0;
    s->b[i] = 1.0;
    s->c[i] = 2.0;
  }
}

static void sum(void *data, int32_t index) {
  arrays *s = data;
  double lane[LANES] = {0.0};             // independent sums: the additions must not be the limit
  const double *b = s->b + (size_t)index*s->part;
  for (size_t i = 0; i < s->part; i += LANES)
    for (size_t k = 0; k < LANES; k++) lane[k] += b[i + k];
  for (size_t k = 1; k < LANES; k++) lane[0] += lane[k];
  s->sum[index][0] = lane[0];
}

static void triad(void *data, int32_t index) {
  arrays *s = data;
  double *restrict a = s->a + (size_t)index*s->part;
  const double *restrict b = s->b + (size_t)index*s->part;
  const double *restrict c = s->c + (size_t)index*s->part;
  for (size_t i = 0; i < s->part; i++) a[i] = b[i] + 3.0*c[i];
}

static void run_sum(void *data) { team_run(((arrays *)data)->threads, sum, data, PARTS); }
static void run_triad(void *data) { team_run(((arrays *)data)->threads, triad, data, PARTS); }

bandwidth bandwidth_measure(const bench *b, team *threads) {
  const size_t count = b->quick ? (size_t)1 << 23 : (size_t)1 << 25;   // 64 or 256 MB per array
  arrays s = {.part = count/PARTS, .threads = threads};
  s.a = malloc(count*sizeof *s.a);
  s.b = malloc(count*sizeof *s.b);
  s.c = malloc(count*sizeof *s.c);
  bandwidth result = {0.0, 0.0};
  if (s.a != NULL && s.b != NULL && s.c != NULL) {
    team_run(threads, fill, &s, PARTS);
    result.sum = 8.0*(double)count/bench_measure(run_sum, &s, 1, 9).best;
    result.triad = 24.0*(double)count/bench_measure(run_triad, &s, 1, 9).best;
  }
  free(s.a);
  free(s.b);
  free(s.c);
  return result;
}
