// certificate.c: what the final certificate costs, in products y = A x with the same matrix.
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "certify.h"
#include "operator.h"

typedef struct subject {
  perp_problem problem;
  certifier judge;
  perp_certificate certificate;
  double *x, *y;
  void *scratch;
} subject;

static void apply(void *data) {
  subject *s = data;
  s->problem.A.ops->apply(s->problem.A.self, s->x, s->y, s->scratch);
}
static void prepare(void *data) {
  subject *s = data;
  certifier_prepare(&s->judge, &s->problem, NULL);
}
static void check(void *data) {
  subject *s = data;
  certifier_check(&s->judge, s->x, 1e-8, 0.0, 0, &s->certificate);
}

static void measure(bench_table *t, const char *name, const perp_problem *problem, int32_t calls) {
  const int32_t n = problem->A.n, repeats = n > 100000 ? 15 : 60;
  const size_t scratch = operator_scratch_bytes(&problem->A);
  subject s = {.problem = *problem};
  s.problem.value_stamp = s.problem.pattern_stamp = 1;      // a reused solver: A is known
  arena count = {0};
  certifier_layout(&s.judge, &count, n, scratch, 0);
  arena memory = {bench_take(count.used + ARENA_ALIGNMENT, 1), count.used + ARENA_ALIGNMENT, 0};
  certifier_layout(&s.judge, &memory, n, scratch, 0);
  s.x = bench_take((size_t)n, sizeof *s.x);
  s.y = bench_take((size_t)n, sizeof *s.y);
  s.scratch = bench_take(scratch, 1);
  // The final certificate is that of a solution: choose x and y complementary in blocks, as contact
  // sets are, and b = y - A x. x has no zeros that a product could skip: the bounds are moved
  // instead.
  double *lo = bench_take((size_t)n, sizeof *lo), *b = bench_take((size_t)n, sizeof *b);
  for (int32_t i = 0; i < n; i++) s.x[i] = 1.0 + perp_random_uniform(2, (uint64_t)i);
  s.problem.A.ops->apply(s.problem.A.self, s.x, s.y, s.scratch);
  for (int32_t i = 0; i < n; i++) {
    const int at_bound = i/64%2;
    lo[i] = at_bound ? s.x[i] : 0.0;
    b[i] = (at_bound ? perp_random_uniform(3, (uint64_t)i) : 0.0) - s.y[i];
  }
  s.problem.b = b;
  s.problem.lo = lo;
  s.problem.hi = NULL;
  const double start = bench_seconds();
  prepare(&s);
  const double first = bench_seconds() - start;
  const double product = bench_measure(apply, &s, calls, repeats).best;
  const double checking = bench_measure(check, &s, calls, repeats).best;
  const double again = bench_measure(prepare, &s, calls, repeats).best;
  bench_row(t, "%s|%d|%.4f|%.4f|%.2f|%.4f|%.4f|%.3e", name, n, 1e3*product, 1e3*checking,
            checking/product, 1e3*first, 1e3*again,
            s.certificate.residual);
  free(memory.base);
  free(s.x);
  free(s.y);
  free(s.scratch);
  free(lo);
  free(b);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  bench_table *t = bench_open(&b, "certificate",
                              "the final certificate, compared with one product y = A x",
                              "matrix|rows|product ms|certificate ms|products|prepare ms|"
                              "again ms|residual");
  perp_sample sample;
  bench_laplace(b.quick ? 256 : 1024, &sample);
  measure(t, "laplace", &sample.problem, 1);
  perp_sample_free(&sample);
  bench_generate("fluid2d", b.quick ? "size=256" : "size=1024", &sample);
  measure(t, "fluid2d", &sample.problem, 1);
  perp_sample_free(&sample);
  bench_generate("wall", "bodies=2000", &sample);
  measure(t, "wall", &sample.problem, 10);
  perp_sample_free(&sample);
  for (int32_t k = 0; k < 2; k++) {
    bench_generate("dense-pd", k == 0 ? "n=1000" : "n=10", &sample);
    double *value = bench_dense(&sample);
    const perp_dense matrix = {.n = sample.n, .value = value};
    const perp_problem problem = {.A = perp_from_dense(&matrix, PERP_CLAIM_SYMMETRIC),
                                  .b = sample.b};
    measure(t, "dense-pd", &problem, k == 0 ? 1 : 200);
    free(value);
    perp_sample_free(&sample);
  }
  bench_note(t,
             "prepare: equilibration, components and scales of a new A; again: of the same A "
             "with a new b.");
  bench_close(t);
  return 0;
}
