// overhead.c: what perp_solve adds to the method's own work on a tiny problem.
//
// n = 10, dense, symmetric positive definite. overhead = perp_solve - the same sweeps by the kernel
// alone - one certificate (prepare and check of matrix_judge). What is left: validation, the
// look at the obvious answer and at the guess, the checks on the way, the result.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "certify.h"
#include "operator.h"

enum { N = 10 };

typedef struct subject {
  double A[N*N], b[N], x[N], guess[N];
  perp_dense matrix;
  perp_problem problem;
  perp_options options;
  perp_solver *solver;
  perp_result result;
  certifier judge;
  perp_certificate certificate;
  double diagonal[N], weight[N];
  int32_t sweeps;
} subject;

static void solve(void *data) {
  subject *s = data;
  memcpy(s->x, s->guess, sizeof s->x);
  perp_solve(s->solver, &s->problem, s->x, &s->result);
}

static void solve_once(void *data) {
  subject *s = data;
  memcpy(s->x, s->guess, sizeof s->x);
  perp_solve_once(&s->problem, s->x, &s->options, &s->result);
}

// The method's own work: the kernel's sweeps in a loop, nothing else.
static void sweeps(void *data) {
  subject *s = data;
  memcpy(s->x, s->guess, sizeof s->x);
  perp_sweep state = {.x = s->x, .b = s->b, .diagonal = s->diagonal, .weight = s->weight,
                      .omega = 1.0, .fresh = 1};
  for (int32_t k = 0; k < s->sweeps; k++) {
    state.change = 0.0;
    s->problem.A.ops->sweep(s->problem.A.self, &state, 0, N);
  }
}

static void certify(void *data) {
  subject *s = data;
  matrix_judge.prepare(&s->judge, &s->problem, NULL);
  matrix_judge.check(&s->judge, s->x, s->options.tol, 0.0, 0, &s->certificate);
}

// A = I + coupling G G'/N with G uniform in [-1, 1); half of the rows end up at the bound.
static void set_problem(subject *s, double coupling) {
  double G[N*N];
  for (int32_t k = 0; k < N*N; k++) G[k] = 2.0*perp_random_uniform(3, (uint64_t)k) - 1.0;
  for (int32_t i = 0; i < N; i++) {
    for (int32_t j = 0; j < N; j++) {
      double sum = i == j ? 1.0 : 0.0;
      for (int32_t k = 0; k < N; k++) sum += coupling*G[i*N + k]*G[j*N + k]/N;
      s->A[i*N + j] = sum;
    }
    s->b[i] = 2.0*perp_random_uniform(4, (uint64_t)i) - 1.0;
    s->diagonal[i] = s->A[i*N + i];
    s->weight[i] = 1.0;
  }
  s->matrix = (perp_dense){.n = N, .value = s->A};
  const uint32_t claims = PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PD;
  s->problem = (perp_problem){.A = perp_from_dense(&s->matrix, claims), .b = s->b};
}

static void keep_best(double *best, double seconds) {
  if (seconds < *best) *best = seconds;
}

static void measure(const bench *b, bench_table *t, const char *name, subject *s, int stamped,
                    int warm) {
  // short samples: the best of many is undisturbed
  const int32_t calls = 100, repeats = 20, rounds = b->quick ? 5 : 30;
  s->problem.value_stamp = s->problem.pattern_stamp = stamped ? 1 : 0;
  memset(s->guess, 0, sizeof s->guess);
  s->options = perp_default_options(perp_find_method("pgs"));
  const perp_limits limits = perp_limits_of(&s->problem);
  if (perp_solver_create(NULL, &limits, &s->options, NULL, &s->solver) != PERP_OK) exit(1);
  solve(s);
  if (warm)   // what a simulation's next step begins with: close to the answer
    for (int32_t i = 0; i < N; i++)
      s->guess[i] = s->x[i]*(1.0 + 1e-4*perp_random_uniform(5, (uint64_t)i));

  arena count = {0};
  certifier_layout(&s->judge, &count, N, 0, &matrix_judge);
  arena memory = {bench_take(count.used + ARENA_ALIGNMENT, 1), count.used + ARENA_ALIGNMENT, 0};
  certifier_layout(&s->judge, &memory, N, 0, &matrix_judge);

  solve(s);
  const perp_result result = s->result;
  s->sweeps = result.iterations;
  double total = INFINITY, once = INFINITY, bare = INFINITY, certificate = INFINITY;
  // in turns: a slow spell of the machine hits all alike
  for (int32_t round = 0; round < rounds; round++) {
    keep_best(&total, bench_measure(solve, s, calls, repeats).best);
    keep_best(&once, bench_measure(solve_once, s, calls, repeats).best);
    keep_best(&bare, bench_measure(sweeps, s, calls, repeats).best);
    keep_best(&certificate, bench_measure(certify, s, calls, repeats).best);
  }
  bench_row(t, "%s|%d|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|%.1e", name, result.iterations, 1e6*bare,
            1e6*certificate, 1e6*total,
            1e6*(total - bare - certificate), 1e6*once, 1e6*(once - bare - certificate),
            result.certificate.residual);
  perp_solver_destroy(s->solver);
  free(memory.base);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  bench_table *t = bench_open(&b, "overhead", "a solve of 10 rows by pgs, in microseconds",
                              "problem|sweeps|bare|certificate|solve|overhead|once|overhead|"
                              "residual");
  subject s = {0};
  set_problem(&s, 0.2);
  measure(&b, t, "easy, same A", &s, 1, 0);
  measure(&b, t, "easy, same A, warm", &s, 1, 1);
  measure(&b, t, "easy, new A", &s, 0, 0);
  set_problem(&s, 2.0);
  measure(&b, t, "hard, same A", &s, 1, 0);
  measure(&b, t, "hard, same A, warm", &s, 1, 1);
  measure(&b, t, "hard, new A", &s, 0, 0);
  bench_note(t,
             "same A: reused solver and value_stamp; new A: it is validated and equilibrated "
             "again. once: perp_solve_once.");
  bench_note(t, "overhead: what remains after the bare sweeps and one certificate.");
  bench_close(t);
  return 0;
}
