// bodies.c: walls of bricks, factored by contacts (the entries of A) and by bodies (J and W), from
// 10^3 to 10^6 rows, and solved in both forms.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { SIZES_MAX = 8 };

typedef struct memory { size_t live; } memory;   // bytes that are allocated

static void *counted(void *context, size_t bytes) {
  size_t *block = malloc(bytes + 2*sizeof *block);
  if (block == NULL) return NULL;
  block[0] = bytes;
  ((memory *)context)->live += bytes;
  return block + 2;
}

static void released(void *context, void *given) {
  size_t *block = (size_t *)given - 2;
  ((memory *)context)->live -= block[0];
  free(block);
}

typedef struct cost { double analyse, factor, solve, megabytes; } cost;   // seconds; 0: failed

// The linear solver sparse_ldl with all rows free; before each factorisation every other row.
static cost factor(const perp_operator *A, const perp_options *options) {
  const perp_linear_ops *ops = perp_find_linear("sparse_ldl");
  const size_t n = (size_t)A->n;
  memory used = {0};
  const perp_allocator allocator = {counted, released, &used};
  void *self = bench_take(1, ops->bytes(&(perp_limits){.n = A->n}));
  uint8_t *all = bench_take(n, 1), *half = bench_take(n, 1);
  double *r = bench_take(n, sizeof *r), *z = bench_take(n, sizeof *z);
  for (size_t i = 0; i < n; i++) {
    all[i] = 1;
    half[i] = i%2 == 0;
    r[i] = 1.0;
  }
  cost c = {0};
  double start = bench_seconds();
  if (ops->analyse(self, A, options, &allocator) == 0) {
    c = (cost){bench_seconds() - start, INFINITY, INFINITY, (double)used.live/1048576.0};
    for (int repeat = 0; repeat < (n < 200000 ? 5 : 1); repeat++) {
      int failed = ops->update(self, half, NULL);
      start = bench_seconds();
      failed |= ops->update(self, all, NULL);
      c.factor = fmin(c.factor, bench_seconds() - start);
      start = bench_seconds();
      failed |= ops->solve(self, r, z, NULL);
      c.solve = fmin(c.solve, bench_seconds() - start);
      if (failed) c = (cost){0};
    }
    ops->release(self);
  }
  free(self);
  free(all);
  free(half);
  free(r);
  free(z);
  return c;
}

// Seconds of active_set, or 0 where it does not solve the problem.
static double solve(const perp_problem *problem) {
  perp_options options = perp_default_options(perp_find_method("active_set"));
  double *x = bench_take((size_t)problem->A.n, sizeof *x), seconds = 0.0;
  perp_result result;
  options.time_limit = 120.0;
  if (perp_solve_once(problem, x, &options, &result) == PERP_OK &&
      result.status == PERP_STATUS_SOLVED)
    seconds = result.seconds;
  free(x);
  return seconds;
}

static void number(double value, const char *format, char text[16]) {   // 0: a dash
  snprintf(text, 16, "-");
  if (value > 0.0) snprintf(text, 16, format, value);
}

// One wall in both forms; `contacts` 0: through bodies only. Returns the costs through bodies.
static cost wall(bench_table *t, const char *settings, int contacts, int solved, int32_t *rows,
                 cost *by_contacts) {
  perp_sample sample;
  bench_generate("wall", settings, &sample);
  const perp_options options = perp_default_options(NULL);
  perp_problem product = sample.problem;
  product.A = perp_from_product(&sample.product, sample.problem.A.claims);
  cost c[2] = {0};
  for (int bodies = !contacts; bodies < 2; bodies++) {
    const perp_problem *problem = bodies ? &product : &sample.problem;
    char text[5][16];
    c[bodies] = factor(&problem->A, &options);
    number(1e3*c[bodies].analyse, "%.2f", text[0]);
    number(1e3*c[bodies].factor, "%.2f", text[1]);
    number(1e3*c[bodies].solve, "%.2f", text[2]);
    number(c[bodies].megabytes, "%.1f", text[3]);
    number(solved ? 1e3*solve(problem) : 0.0, "%.1f", text[4]);
    bench_row(t, "%s|%d|%s|%s|%s|%s|%s|%s", settings, sample.n, bodies ? "bodies" : "contacts",
              text[0], text[1], text[2], text[3], text[4]);
  }
  *rows = sample.n;
  *by_contacts = c[0];
  perp_sample_free(&sample);
  return c[1];
}

static void growth(bench_table *t, const char *what, int32_t count, const double *n,
                   const cost *c) {
  double factors[SIZES_MAX], megabytes[SIZES_MAX];
  for (int32_t k = 0; k < count; k++) {
    factors[k] = c[k].factor;
    megabytes[k] = c[k].megabytes;
  }
  bench_note(t, "%s: factor ~ rows^%.2f, memory ~ rows^%.2f", what, bench_growth(count, n, factors),
             bench_growth(count, n, megabytes));
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  const char *columns = "wall|rows|through|analyse ms|factor ms|solve ms|MB|active_set ms";
  bench_table *t = bench_open(&b, "bodies", "walls of 820 bricks: points a face", columns);
  int32_t rows;
  cost by_contacts;
  for (int mode = 0; mode < 2; mode++)
    for (int points = 4; points <= (b.quick ? 4 : 16); points *= 2) {
      char settings[64];
      snprintf(settings, sizeof settings, "bodies=820 mode=%d points=%d", mode, points);
      wall(t, settings, 1, mode == 0 || points == 4, &rows, &by_contacts);
    }
  bench_close(t);

  t = bench_open(&b, "bodies_growth", "walls of bricks from 10^3 to 10^6 rows", columns);
  const int32_t bricks[] = {130, 400, 1300, 4000, 13000, 40000, 100000};
  const int32_t sizes = b.quick ? 4 : 7;
  double n[SIZES_MAX];
  cost c[SIZES_MAX], d[SIZES_MAX];
  for (int32_t k = 0; k < sizes; k++) {
    char settings[64];
    snprintf(settings, sizeof settings, "bodies=%d mode=0 points=5", bricks[k]);
    c[k] = wall(t, settings, 1, bricks[k] <= 13000, &rows, &d[k]);
    n[k] = rows;
  }
  growth(t, "contacts", sizes, n, d);
  growth(t, "bodies", sizes, n, c);
  bench_close(t);
  return 0;
}
