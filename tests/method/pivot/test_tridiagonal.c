// test_tridiagonal.c: problems with three diagonals: one pass, policy iteration, and what A may be.
#include <time.h>

#include "support.h"

typedef struct bands {   // a tridiagonal problem by columns
  int32_t n;
  int32_t *colptr, *row;
  double *value;
  double *b, *lo, *hi, *x;
  perp_csc A;
  perp_problem problem;
} bands;

static void *room(size_t count, size_t size) {
  void *memory = calloc(count > 0 ? count : 1, size);
  assert_non_null(memory);
  return memory;
}

// Row i: left, middle, right; bounds 0 and inf.
static bands bands_new(int32_t n, double (*entry)(int32_t i, int side)) {
  bands t = {.n = n};
  t.colptr = room((size_t)n + 1, sizeof *t.colptr);
  t.row = room(3*(size_t)n, sizeof *t.row);
  t.value = room(3*(size_t)n, sizeof *t.value);
  double **const vectors[] = {&t.b, &t.lo, &t.hi, &t.x};
  for (int k = 0; k < 4; k++) *vectors[k] = room((size_t)n, sizeof(double));
  int32_t p = 0;
  for (int32_t j = 0; j < n; j++) {
    t.hi[j] = INF;
    t.colptr[j] = p;
    for (int32_t i = j - 1; i <= j + 1; i++) {
      if (i < 0 || i >= n) continue;
      t.row[p] = i;
      t.value[p++] = entry(i, j - i);
    }
  }
  t.colptr[n] = p;
  return t;
}

static perp_problem *problem_of(bands *t) {
  t->A = (perp_csc){t->n, t->n, t->colptr, t->row, t->value};
  t->problem = (perp_problem){.A = perp_from_csc(&t->A, 0), .b = t->b, .lo = t->lo, .hi = t->hi};
  return &t->problem;
}

static void bands_free(bands *t) {
  void *const all[] = {t->colptr, t->row, t->value, t->b, t->lo, t->hi, t->x};
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) free(all[k]);
}

static perp_result solved_by(const char *method, const perp_problem *p, double *x) {
  perp_options o = perp_default_options(perp_find_method(method));
  o.presolve = 0;
  perp_result r;
  if (perp_solve_once(p, x, &o, &r) != PERP_OK) fail_msg("%s: %s", method, perp_last_message());
  return r;
}

static double laplace(int32_t i, int side) { (void)i; return side == 0 ? 2.0 : -1.0; }

// b from x and y: b = y - A x.
static void backwards(bands *t, const double *x, const double *y) {
  for (int32_t i = 0; i < t->n; i++) t->b[i] = y[i];
  for (int32_t j = 0; j < t->n; j++)
    for (int32_t p = t->colptr[j]; p < t->colptr[j + 1]; p++)
      t->b[t->row[p]] -= t->value[p]*x[j];
}

// Contact at the lower end, at the upper end, at both ends, in the middle: the first two are what
// one pass is made for, so that one or two iterations do; the others take policy iteration.
static void contact_intervals(void **state) {
  (void)state;
  enum { N = 50 };
  for (int kind = 0; kind < 4; kind++) {
    bands t = bands_new(N, laplace);
    double x[N], y[N];
    for (int32_t i = 0; i < N; i++) {
      const int contact = kind == 0   ? i < 17
                          : kind == 1 ? i >= 30
                          : kind == 2 ? i < 12 || i >= 31
                                      : i >= 20 && i < 30;
      x[i] = contact ? 0.0 : 1.0 + 0.1*((i*7)%11);
      y[i] = contact ? 0.5 + 0.1*((i*5)%7) : 0.0;
    }
    backwards(&t, x, y);
    const perp_result r = solved_by("tridiagonal", problem_of(&t), t.x);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    if (kind < 2) assert_int_equal(r.iterations, kind + 1);
    assert_int_equal(r.factorizations > 0, kind >= 2);
    for (int32_t i = 0; i < N; i++) assert_float_equal(t.x[i], x[i], 1e-12);
    bands_free(&t);
  }
}

static uint64_t trial_seed;
static double dominant(int32_t i, int side) {   // a random H+ matrix, signs mixed, not symmetric
  const double u = perp_random_uniform(trial_seed, (uint64_t)(3*i + side + 1));
  return side == 0 ? 2.0 + u : 2.0*u - 1.0;
}
static double positive_p(int32_t i, int side) {   // a P-matrix that is far from dominant:
  const double u = perp_random_uniform(trial_seed, (uint64_t)(3*i + side + 1));
  return side == 0 ? 1.0 : side < 0 ? -3.0*u - 0.1 : 3.0*u + 0.1;   // a_(i+1) c_i < 0
}

// n <= 9: every choice of labels is tried with Gaussian elimination; the matrices are P-matrices,
// so that exactly one is right, up to ties that random numbers do not have.
static int try_labels(const bands *t, const int *label, double *x) {
  enum { M = 9 };
  double A[M][M] = {{0}}, full[M][M] = {{0}}, r[M];
  const int32_t n = t->n;
  for (int32_t j = 0; j < n; j++)
    for (int32_t p = t->colptr[j]; p < t->colptr[j + 1]; p++) full[t->row[p]][j] = t->value[p];
  for (int32_t i = 0; i < n; i++) {
    r[i] = label[i] == 0 ? -t->b[i] : label[i] == 1 ? t->lo[i] : t->hi[i];
    if (label[i] != 0 && !(fabs(r[i]) < INF)) return 0;
    for (int32_t j = 0; j < n; j++) A[i][j] = label[i] == 0 ? full[i][j] : i == j;
  }
  for (int32_t k = 0; k < n; k++) {
    int32_t best = k;
    for (int32_t i = k + 1; i < n; i++)
      if (fabs(A[i][k]) > fabs(A[best][k])) best = i;
    for (int32_t j = 0; j < n; j++) {
      const double swap = A[k][j];
      A[k][j] = A[best][j];
      A[best][j] = swap;
    }
    const double swap = r[k];
    r[k] = r[best];
    r[best] = swap;
    if (A[k][k] == 0.0) return 0;
    for (int32_t i = k + 1; i < n; i++) {
      const double f = A[i][k]/A[k][k];
      for (int32_t j = k; j < n; j++) A[i][j] -= f*A[k][j];
      r[i] -= f*r[k];
    }
  }
  for (int32_t i = n - 1; i >= 0; i--) {
    x[i] = r[i];
    for (int32_t j = i + 1; j < n; j++) x[i] -= A[i][j]*x[j];
    x[i] /= A[i][i];
  }
  for (int32_t i = 0; i < n; i++) {
    double y = t->b[i];
    for (int32_t j = 0; j < n; j++) y += full[i][j]*x[j];
    if (x[i] < t->lo[i] - 1e-12 || x[i] > t->hi[i] + 1e-12) return 0;
    if (t->lo[i] == t->hi[i]) continue;
    if (label[i] == 1 && y < -1e-12) return 0;
    if (label[i] == 2 && y > 1e-12) return 0;
  }
  return 1;
}

static void enumerate(const bands *t, double *x) {
  int label[9];
  int64_t count = 1;
  for (int32_t i = 0; i < t->n; i++) count *= 3;
  for (int64_t code = 0; code < count; code++) {
    int64_t rest = code;
    for (int32_t i = 0; i < t->n; i++, rest /= 3) label[i] = (int)(rest%3);
    if (try_labels(t, label, x)) return;
  }
  fail_msg("no labels fit");
}

static void random_bounds(bands *t, uint64_t seed) {
  for (int32_t i = 0; i < t->n; i++) {
    const double u = perp_random_uniform(seed, (uint64_t)(4*i)),
                 v = perp_random_uniform(seed, (uint64_t)(4*i + 1)),
                 kind = perp_random_uniform(seed, (uint64_t)(4*i + 2));
    t->b[i] = 4.0*u - 2.0;
    t->lo[i] = kind < 0.2 ? -INF : kind < 0.6 ? 0.0 : -v;
    t->hi[i] = kind < 0.4 ? INF : kind < 0.5 ? 0.3 : kind < 0.6 ? 0.0 : kind < 0.9 ? v : INF;
  }
}

// Free, boxed, fixed and one-sided rows of H+ and of other P-matrices, against all labels.
static void agrees_with_enumeration(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 300; seed++) {
    trial_seed = seed;
    bands t = bands_new(1 + (int32_t)(seed%7), seed & 1 ? dominant : positive_p);
    random_bounds(&t, 1000 + seed);
    double x[9];
    enumerate(&t, x);
    const perp_result r = solved_by("tridiagonal", problem_of(&t), t.x);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("seed %d: %s", (int)seed, r.message);
    for (int32_t i = 0; i < t.n; i++) assert_float_equal(t.x[i], x[i], 1e-8);
    bands_free(&t);
  }
}

// Newton-min goes round in circles on some P-matrices: the backup ends that. The solution is known
// by construction.
static void longer_p_matrices(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; seed++) {
    enum { N = 60 };
    trial_seed = 77 + seed;
    bands t = bands_new(N, positive_p);
    double x[N], y[N];
    for (int32_t i = 0; i < N; i++) {
      const double u = perp_random_uniform(trial_seed + 5000, (uint64_t)i);
      x[i] = u < 0.5 ? 0.0 : u;
      y[i] = u < 0.5 ? u + 0.1 : 0.0;
    }
    backwards(&t, x, y);
    const perp_result r = solved_by("tridiagonal", problem_of(&t), t.x);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("seed %d: %s", (int)seed, r.message);
    bands_free(&t);
  }
}

static void tiny_sizes(void **state) {
  (void)state;
  bands t = bands_new(0, laplace);
  assert_int_equal(solved_by("tridiagonal", problem_of(&t), t.x).status, PERP_STATUS_SOLVED);
  bands_free(&t);
  t = bands_new(1, laplace);
  t.b[0] = -3.0;
  assert_int_equal(solved_by("tridiagonal", problem_of(&t), t.x).status, PERP_STATUS_SOLVED);
  assert_float_equal(t.x[0], 1.5, 1e-15);
  t.hi[0] = 1.0;
  assert_int_equal(solved_by("tridiagonal", problem_of(&t), t.x).status, PERP_STATUS_SOLVED);
  assert_float_equal(t.x[0], 1.0, 0.0);
  bands_free(&t);
  t = bands_new(2, laplace);   // 2x - z = 1, 2z - x = -4 -> z = 0, x = 1/2
  t.b[0] = -1.0;
  t.b[1] = 4.0;
  assert_int_equal(solved_by("tridiagonal", problem_of(&t), t.x).status, PERP_STATUS_SOLVED);
  assert_true(t.x[1] == 0.0 && fabs(t.x[0] - 0.5) < 1e-15);
  bands_free(&t);
}

static double hollow(int32_t i, int side) { (void)i; return side == 0 ? 0.0 : 1.0; }
static double neumann_end;
static double neumann(int32_t i, int side) {
  return side != 0 ? -1.0 : i == 0 || i == (int32_t)neumann_end ? 1.0 : 2.0;
}

// Free rows with a zero diagonal are solved by exchanging rows; a singular but consistent system
// has a solution; one without a solution is not claimed to have one.
static void singular(void **state) {
  (void)state;
  bands t = bands_new(8, hollow);
  for (int32_t i = 0; i < 8; i++) {
    t.lo[i] = -INF;
    t.b[i] = i - 3.0;
  }
  assert_int_equal(solved_by("tridiagonal", problem_of(&t), t.x).status, PERP_STATUS_SOLVED);
  bands_free(&t);

  neumann_end = 19;
  t = bands_new(20, neumann);
  for (int32_t i = 0; i < 20; i++) {
    t.lo[i] = -INF;
    t.b[i] = (i%2 ? 1.0 : -1.0)*(1 + i/2);   // sum 0
  }
  perp_result r = solved_by("tridiagonal", problem_of(&t), t.x);
  if (r.status != PERP_STATUS_SOLVED) fail_msg("%s", r.message);
  t.b[3] += 1.0;
  r = solved_by("tridiagonal", problem_of(&t), t.x);
  assert_true(r.status != PERP_STATUS_SOLVED);
  assert_true(t.x[0] == t.x[0]);
  bands_free(&t);
}

// The same matrix dense, under wrappers and as J W J' gives the same answer; A with another
// diagonal is refused by name, and the message says who takes it.
static void operators(void **state) {
  (void)state;
  enum { N = 6 };
  sample s = sample_new(N);
  bands t = bands_new(N, laplace);
  for (int32_t i = 0; i < N; i++) {
    AT(&s, i, i) = 2.0;
    if (i > 0) AT(&s, i, i - 1) = AT(&s, i - 1, i) = -1.0;
    s.b[i] = t.b[i] = i%2 ? -1.0 : 0.7;
  }
  const perp_result r = solved_by("tridiagonal", problem_of(&t), t.x);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  double x[N] = {0};
  solved_by("tridiagonal", sample_dense(&s), x);
  for (int32_t i = 0; i < N; i++) assert_float_equal(x[i], t.x[i], 1e-14);

  // 2 (A/2 + I) - 2 I
  const double half[N] = {0.5, 0.5, 0.5, 0.5, 0.5, 0.5}, ones[N] = {1, 1, 1, 1, 1, 1},
               twos[N] = {2, 2, 2, 2, 2, 2};
  perp_wrapper w[4];
  perp_problem wrapped = t.problem;
  wrapped.A = perp_scaled(&w[0], wrapped.A, half, ones);
  wrapped.A = perp_shifted(&w[1], wrapped.A, 1.0);
  wrapped.A = perp_scaled(&w[2], wrapped.A, twos, ones);
  wrapped.A = perp_shifted(&w[3], wrapped.A, -2.0);
  memset(x, 0, sizeof x);
  assert_int_equal(solved_by("tridiagonal", &wrapped, x).status, PERP_STATUS_SOLVED);
  for (int32_t i = 0; i < N; i++) assert_float_equal(x[i], t.x[i], 1e-14);

  // rows of J: e_i - e_(i+1) between N + 1 bodies
  int32_t rowptr[N + 1], column[2*N];
  double value[2*N], W[N + 1];
  for (int32_t i = 0; i <= N; i++) {
    rowptr[i < N ? i : N] = 2*i;
    W[i] = 1.0;
    if (i == N) break;
    column[2*i] = i;
    column[2*i + 1] = i + 1;
    value[2*i] = 1.0;
    value[2*i + 1] = -1.0;
  }
  const perp_product J = {N, N + 1, rowptr, column, value, 1, W, NULL};
  perp_problem product = {.A = perp_from_product(&J, 0), .b = t.b};
  memset(x, 0, sizeof x);
  assert_int_equal(solved_by("tridiagonal", &product, x).status, PERP_STATUS_SOLVED);
  for (int32_t i = 0; i < N; i++) assert_float_equal(x[i], t.x[i], 1e-12);

  AT(&s, 1, 4) = 1e-30;
  assert_int_equal(perp_method_accepts(perp_find_method("tridiagonal"), sample_dense(&s)),
                   PERP_ERROR_UNSUPPORTED);
  if (strstr(perp_last_message(), "row 1 has an entry in column 4") == NULL ||
      strstr(perp_last_message(), "use auto") == NULL)
    fail_msg("%s", perp_last_message());
  AT(&s, 1, 4) = 0.0;
  sample_free(&s);
  bands_free(&t);
}

// A solver that is used again looks at A again unless the stamps say that it is the same.
static void another_matrix_is_noticed(void **state) {
  (void)state;
  sample s = sample_new(4);
  for (int32_t i = 0; i < 4; i++) {
    AT(&s, i, i) = 2.0;
    s.b[i] = -1.0;
  }
  perp_problem p = *sample_csc(&s, 1, 0);   // zeros stored
  p.pattern_stamp = p.value_stamp = 1;
  const perp_method *m = perp_find_method("tridiagonal");
  const perp_limits limits = perp_limits_of(&p);
  perp_solver *solver;
  perp_result r;
  double x[4] = {0};
  assert_int_equal(perp_solver_create(m, &limits, NULL, NULL, &solver), PERP_OK);
  assert_int_equal(perp_solve(solver, &p, x, &r), PERP_OK);
  assert_int_equal(perp_solve(solver, &p, x, &r), PERP_OK);
  for (int32_t k = s.colptr[0]; k < s.colptr[1]; k++)
    if (s.row[k] == 3) s.value[k] = 0.5;
  p.value_stamp = 2;
  assert_int_equal(perp_solve(solver, &p, x, &r), PERP_ERROR_UNSUPPORTED);
  perp_solver_destroy(solver);
  sample_free(&s);
}

static double chain_shift;
static double chain(int32_t i, int side) { (void)i; return side == 0 ? 2.0 + chain_shift : -1.0; }

static int go_on(void *context, const perp_statistics *statistics) {
  (void)context, (void)statistics;
  return 0;
}

// A solver that is used again and again takes short cuts that one whose iterations are watched does
// not: the answers are the same, each certified, whatever the stamps, bounds and guesses are.
static void short_cuts_change_nothing(void **state) {
  (void)state;
  enum { N = 40 };
  const perp_method *m = perp_find_method("tridiagonal");
  perp_options plain = perp_default_options(m), watched = plain;
  plain.presolve = watched.presolve = 0;
  watched.on_iteration = go_on;
  perp_solver *quick = NULL, *slow = NULL;
  for (int round = 0; round < 400; round++) {
    const uint64_t seed = 900 + (uint64_t)round;
    chain_shift = 0.1*(round/10%3);
    bands t = bands_new(round%50 == 49 ? 1 : N, chain);
    perp_problem p = *problem_of(&t);
    p.A.claims = round%7 == 6 ? 0 : PERP_CLAIM_SYMMETRIC;
    for (int32_t i = 0; i < t.n; i++) {
      const double u = perp_random_uniform(seed, (uint64_t)i);
      t.b[i] = round%3 == 0 ? (i < 15 ? 1.0 : -u) : 2.0*u - 1.0;   // one contact, or many
      if (round%4 == 3) t.lo[i] = u < 0.3 ? -INF : -0.1;
      if (round%4 == 3 && u > 0.8) t.hi[i] = 0.2;
      t.x[i] = round%2 ? u : 0.0;
    }
    if (round%4 != 3) p.lo = p.hi = NULL;
    p.pattern_stamp = 1 + (uint64_t)(t.n == 1);
    p.value_stamp = round%11 == 10 ? 0 : 1 + (uint64_t)(round/10%3) + 10*(uint64_t)(t.n == 1);
    if (quick == NULL) {
      const perp_limits limits = perp_limits_of(&p);
      assert_int_equal(perp_solver_create(m, &limits, &plain, NULL, &quick), PERP_OK);
      assert_int_equal(perp_solver_create(m, &limits, &watched, NULL, &slow), PERP_OK);
    }
    double y[N];
    memcpy(y, t.x, (size_t)t.n*sizeof *y);
    perp_result a, b, again;
    perp_certificate certificate;
    assert_int_equal(perp_solve(quick, &p, t.x, &a), PERP_OK);
    assert_int_equal(perp_solve(slow, &p, y, &b), PERP_OK);
    assert_int_equal(a.status, PERP_STATUS_SOLVED);
    assert_int_equal(b.status, PERP_STATUS_SOLVED);
    for (int32_t i = 0; i < t.n; i++) assert_float_equal(t.x[i], y[i], 1e-11);
    assert_int_equal(perp_certify(&p, t.x, 1e-8, 0.0, NULL, &certificate), PERP_OK);
    assert_true(certificate.solved);
    memcpy(y, t.x, (size_t)t.n*sizeof *y);   // a solution as the guess is the answer
    assert_int_equal(perp_solve(quick, &p, t.x, &again), PERP_OK);
    assert_int_equal(again.iterations, 0);
    assert_memory_equal(t.x, y, (size_t)t.n*sizeof *y);
    bands_free(&t);
  }
  perp_solver_destroy(quick);
  perp_solver_destroy(slow);
}

static void auto_takes_it(void **state) {
  (void)state;
  bands t = bands_new(3000, laplace);
  for (int32_t i = 0; i < t.n; i++) t.b[i] = i%3 ? -1e-6 : 1e-6;
  char plan[1024];
  assert_int_equal(perp_auto_plan(problem_of(&t), plan, sizeof plan), PERP_OK);
  if (strncmp(plan, "tridiagonal", 11) != 0) fail_msg("%s", plan);
  const perp_result r = solved_by("auto", &t.problem, t.x);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  assert_string_equal(perp_method_name(r.method), "tridiagonal");
  bands_free(&t);
}

// 10^6 rows: a pass, and some policy steps; seconds of this process, not of the machine.
static void a_million_rows(void **state) {
  (void)state;
  const int32_t n = 1000000;
  trial_seed = 5;
  bands t = bands_new(n, dominant);
  double *x = room((size_t)n, sizeof *x), *y = room((size_t)n, sizeof *y);
  for (int32_t i = 0; i < n; i++) {
    const int contact = (i/1000)%3 == 0;
    x[i] = contact ? 0.0 : 1.0;
    y[i] = contact ? 1.0 : 0.0;
  }
  backwards(&t, x, y);
  const clock_t begin = clock();
  const perp_result r = solved_by("tridiagonal", problem_of(&t), t.x);
  const double seconds = (double)(clock() - begin)/CLOCKS_PER_SEC;
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  assert_true(r.iterations < 30);
  for (int32_t i = 0; i < n; i++) assert_float_equal(t.x[i], x[i], 1e-9);
  assert_true(seconds < 20.0);   // about 0.3; sanitizers and a busy machine are slower
  free(x);
  free(y);
  bands_free(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contact_intervals),
      cmocka_unit_test(agrees_with_enumeration),
      cmocka_unit_test(longer_p_matrices),
      cmocka_unit_test(tiny_sizes),
      cmocka_unit_test(singular),
      cmocka_unit_test(operators),
      cmocka_unit_test(another_matrix_is_noticed),
      cmocka_unit_test(short_cuts_change_nothing),
      cmocka_unit_test(auto_takes_it),
      cmocka_unit_test(a_million_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
