// certificate.c: what the final certificate costs, in products y = A x with the same matrix, and what
// its componentwise rule adds to it.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "certify.h"
#include "componentwise.h"
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
  matrix_judge.prepare(&s->judge, &s->problem, NULL);
}
static void check(void *data) {
  subject *s = data;
  matrix_judge.check(&s->judge, s->x, 1e-8, 0.0, 0, &s->certificate);
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

static void pass(void *data) {   // over the rows
  subject *s = data;
  if (s->judge.exact) componentwise_measure(&s->judge, 0.0, 0, &s->certificate);
  else componentwise_bound(&s->judge, 0.0, 0, 1e-2, &s->certificate);
}

// Processor time, the least of several.
static double cpu_time(void (*work)(void *), subject *s) {
  enum { REPEATS = 40 };
  int32_t calls = 1;
  double least = (double)INFINITY;
  for (int32_t k = 0; k < REPEATS; k++) {
    const double start = cpu_seconds();
    for (int32_t call = 0; call < calls; call++) work(s);
    const double took = cpu_seconds() - start;
    if (took < 1e-4 && calls < 1 << 16) calls *= 2;
    else least = fmin(least, took/calls);
  }
  return least;
}

typedef struct tables { bench_table *products, *rule; } tables;

static void measure(const tables *t, const char *name, const perp_problem *problem, int32_t calls) {
  const int32_t n = problem->A.n, repeats = n > 100000 ? 15 : 60;
  const size_t scratch = operator_scratch_bytes(&problem->A);
  subject s = {.problem = *problem};
  s.problem.value_stamp = s.problem.pattern_stamp = 1;      // a reused solver: A is known
  arena count = {0};
  certifier_layout(&s.judge, &count, n, scratch, &matrix_judge);
  arena memory = {bench_take(count.used + ARENA_ALIGNMENT, 1), count.used + ARENA_ALIGNMENT, 0};
  certifier_layout(&s.judge, &memory, n, scratch, &matrix_judge);
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
  bench_row(t->products, "%s|%d|%.4f|%.4f|%.2f|%.4f|%.4f|%.3e", name, n, 1e3*product, 1e3*checking,
            checking/product, 1e3*first, 1e3*again,
            s.certificate.residual);
  // as an iteration ends: y of the free rows is 1e-9 of the largest b
  double size = 0.0;
  for (int32_t i = 0; i < n; i++) size = fmax(size, fabs(b[i]));
  for (int32_t i = 0; i < n; i++)
    if (i/64%2 == 0) b[i] += 1e-9*size*(perp_random_uniform(4, (uint64_t)i) - 0.5);
  prepare(&s);
  double whole[2], rule[2];
  for (int exact = 0; exact < 2; exact++) {
    s.judge.exact = exact;
    whole[exact] = cpu_time(check, &s);
    rule[exact] = cpu_time(pass, &s);
  }
  perp_certificate last;
  s.judge.exact = 0;
  matrix_judge.check(&s.judge, s.x, 1e-8, 0.0, 0, &last);
  bench_row(t->rule, "%s|%s|%d|%.1e|%.4f|%.4f|%.0f|%.4f|%.4f|%.0f", name, s.problem.A.ops->name, n,
            last.residual, 1e3*whole[0], 1e3*rule[0], 100.0*rule[0]/whole[0], 1e3*whole[1],
            1e3*rule[1], 100.0*rule[1]/whole[1]);
  free(memory.base);
  free(s.x);
  free(s.y);
  free(s.scratch);
  free(lo);
  free(b);
}

// Spheres in a heap have contact points with normals and tangents: here any numbers will do.
static void measure_contacts(const tables *t, int32_t count) {
  enum { K = 4, BODY = 6, TANGENTS = 2 };
  const int32_t rows = (1 + TANGENTS)*count, bodies = count/2 + 1;
  int32_t *rowptr = bench_take((size_t)rows + 1, sizeof *rowptr);
  int32_t *column = bench_take((size_t)rows*2*BODY, sizeof *column);
  double *value = bench_take((size_t)rows*2*BODY, sizeof *value);
  double *W = bench_take((size_t)bodies*BODY*BODY, sizeof *W);
  double *mu = bench_take((size_t)count, sizeof *mu);
  const double direction[] = {1, 0, 0, 1, -1, 0, 0, -1};
  for (int32_t q = 0; q < bodies*BODY; q++) W[q*BODY + q%BODY] = 1.0;
  for (int32_t i = 0; i < rows; i++) {
    const int32_t c = i/(1 + TANGENTS), first = c%bodies, other = (c + 1 + c/bodies)%bodies;
    for (int32_t k = 0; k < 2*BODY; k++) {
      const int32_t low = first < other ? first : other, high = first < other ? other : first;
      column[i*2*BODY + k] = (k < BODY ? low : high)*BODY + k%BODY;
      value[i*2*BODY + k] = perp_random_uniform(7, (uint64_t)(i*2*BODY + k)) - 0.5;
    }
    rowptr[i + 1] = (i + 1)*2*BODY;
  }
  for (int32_t c = 0; c < count; c++) mu[c] = 0.5;
  const perp_contacts contacts = {
      .count = count, .directions = K, .tangents = TANGENTS, .direction = direction, .mu = mu,
      .B = {.n = rows, .dofs = bodies*BODY, .block = BODY, .rowptr = rowptr, .column = column,
            .value = value, .W = W}};
  const perp_problem problem = {.A = perp_from_contacts(&contacts, 0)};
  measure(t, "contacts", &problem, 1);
  free(rowptr);
  free(column);
  free(value);
  free(W);
  free(mu);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  const tables both = {
      bench_open(&b, "certificate", "the final certificate, compared with one product y = A x",
                 "matrix|rows|product ms|certificate ms|products|prepare ms|again ms|residual"),
      bench_open(&b, "certificate_rule", "processor time of a certificate, and of a pass for its "
                                         "componentwise rule",
                 "matrix|operator|rows|residual|certificate ms|pass ms|%|compensated ms|pass ms|%")};
  const tables *t = &both;
  perp_sample sample;
  bench_laplace(b.quick ? 256 : 1024, &sample);
  measure(t, "laplace", &sample.problem, 1);
  perp_sample_free(&sample);
  bench_generate("fluid2d", b.quick ? "size=256" : "size=1024", &sample);
  measure(t, "fluid2d", &sample.problem, 1);
  perp_sample_free(&sample);
  bench_generate("wall", "bodies=2000", &sample);
  measure(t, "wall", &sample.problem, 10);
  perp_problem through_bodies = sample.problem;
  through_bodies.A = perp_from_product(&sample.product, sample.problem.A.claims);
  measure(t, "wall", &through_bodies, 10);
  perp_sample_free(&sample);
  measure_contacts(t, b.quick ? 300 : 3000);
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
  bench_note(t->products,
             "prepare: equilibration, components and scales of a new A; again: of the same A "
             "with a new b.");
  bench_note(t->rule, "A certificate of one component leaves the pass out where all r_i are rounding.");
  bench_note(t->rule, "Compensated: as perp_certify computes every y, and a solve where rounding may "
                      "matter.");
  bench_close(t->products);
  bench_close(t->rule);
  return 0;
}
