// test_tiny.c: small dense problems, which auto solves on the stack: what it calls solved is solved
// for the certificate and for exact arithmetic, and data that are not valid are refused as ever.
// labels: long
#include <perp/batch.h>

#include "problems.h"
#include "support.h"

enum { N = 16 };

typedef struct tiny {
  int32_t n;
  double A[N*N], b[N], lo[N], hi[N], answer[N];
  int known;                 // answer is a solution
  perp_dense dense;
  perp_problem problem;
} tiny;

static void view(tiny *t) {
  t->dense = (perp_dense){.n = t->n, .value = t->A};
  t->problem = (perp_problem){.A = perp_from_dense(&t->dense, 0), .b = t->b, .lo = t->lo,
                              .hi = t->hi};
}

// B B'/n + shift, or with a skew part; bounds of all kinds; b so that `answer` is a solution, often
// with x_i = y_i = 0.
static void make(tiny *t, double zeros, double spread) {
  const int32_t n = t->n = whole(1, N);
  const double shift = whole(0, 3) > 0 ? 0.3 : 0.01, skew = whole(0, 2) == 0 ? 0.5 : 0.0;
  double B[N*N];
  for (int32_t k = 0; k < n*n; k++) B[k] = uniform() < zeros ? 0.0 : between(-1, 1);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      double sum = i == j ? shift : 0.0;
      for (int32_t k = 0; k < n; k++) sum += B[i*n + k]*B[j*n + k]/n;
      t->A[i*n + j] = sum + (i < j ? skew : i > j ? -skew : 0.0)*(1.0 - 0.03*((i + j)%4));
    }
  double r[N], c[N];
  for (int32_t i = 0; i < n; i++) {
    r[i] = exp2(between(-spread, spread));
    c[i] = exp2(between(-spread, spread));
  }
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) t->A[i*n + j] *= r[i]*c[j];
  for (int32_t i = 0; i < n; i++) {
    const int kind = whole(0, 9);
    t->lo[i] = kind == 0 ? -INF : kind == 1 ? between(-1, 1)/c[i] : 0.0;
    t->hi[i] = kind <= 2 ? kind == 0 ? INF : t->lo[i] + between(0, 2)/c[i] : INF;
    if (kind == 3) t->hi[i] = t->lo[i];
    const int side = t->lo[i] == -INF ? 2 : whole(0, 3);
    if (side == 0) t->answer[i] = t->lo[i];
    else if (side == 1 && t->hi[i] < INF) t->answer[i] = t->hi[i];
    else t->answer[i] = t->hi[i] < INF ? between(t->lo[i], t->hi[i])
                                       : (t->lo[i] == -INF ? between(-1, 1)/c[i]
                                                           : t->lo[i] + between(0, 1)/c[i]);
  }
  for (int32_t i = 0; i < n; i++) {
    double y = whole(0, 3) == 0 ? 0.0 : between(0, 1)*r[i];
    if (t->answer[i] > t->lo[i]) y = t->answer[i] < t->hi[i] ? 0.0 : -y;
    t->b[i] = y;
    for (int32_t j = 0; j < n; j++) t->b[i] -= t->A[i*n + j]*t->answer[j];
  }
  t->known = 1;
  view(t);
}

static int is_quick(const perp_result *r) { return strstr(r->message, "small and dense") != NULL; }

// Solved by the certificate as perp_certify computes it, and `residual` no smaller than the truth
// by more than perp.h says; the bounds are kept exactly.
static void hold(const tiny *t, const double *x, const perp_result *r) {
  perp_certificate c;
  assert_int_equal(perp_certify(&t->problem, x, 1e-8, 0.0, NULL, &c), PERP_OK);
  if (!c.solved) fail_msg("n = %d: called solved, residual %g", t->n, c.residual);
  // seconds = 0: by the bound, not by the certificate itself
  if (is_quick(r) && r->seconds == 0.0 && c.residual > r->certificate.residual)
    fail_msg("n = %d: residual %g, bounded by %g", t->n, c.residual, r->certificate.residual);
  assert_true(fabs(c.residual - r->certificate.residual) <= 1e-11);
  assert_int_equal(c.components, r->certificate.components);
  assert_true(c.bound_violation == 0.0 && r->certificate.bound_violation == 0.0);
  for (int32_t i = 0; i < t->n; i++) assert_true(t->lo[i] <= x[i] && x[i] <= t->hi[i]);
}

static void solved_is_certified(void **state) {
  (void)state;
  support_state = 11;
  const double spreads[] = {0, 0, 3, 8, 25}, zeros[] = {0, 0.5, 0, 0.7};
  perp_solver *solver = NULL;
  const perp_limits limits = {.n = N, .nnz = N*N};
  assert_int_equal(perp_solver_create(NULL, &limits, NULL, NULL, &solver), PERP_OK);
  int quick = 0, count = often(3000);
  for (int trial = 0; trial < count; trial++) {
    static tiny t;
    make(&t, zeros[trial%4], spreads[trial%5]);
    double x[N];
    for (int32_t i = 0; i < t.n; i++) x[i] = trial%3 == 0 ? between(-1, 1) : 0.0;
    perp_result r;
    assert_int_equal(perp_solve(solver, &t.problem, x, &r), PERP_OK);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("trial %d, n = %d: %s", trial, t.n, r.message);
    hold(&t, x, &r);
    quick += is_quick(&r);
    if (is_quick(&r)) assert_string_equal(perp_method_name(r.method), "principal_pivoting");
    // positive definite: the solution is unique
    for (int32_t i = 0; trial%5 < 2 && i < t.n; i++)
      if (!(fabs(x[i] - t.answer[i]) <= 1e-6))
        fail_msg("trial %d, n = %d: x[%d] = %g, not %g", trial, t.n, i, x[i], t.answer[i]);
    // what it has found is a solution that it keeps
    double again[N];
    memcpy(again, x, sizeof x);
    assert_int_equal(perp_solve(solver, &t.problem, again, &r), PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
  }
  if (2*quick < count) fail_msg("only %d of %d were solved on the stack", quick, count);
  perp_solver_destroy(solver);
}

static void exact_arithmetic_agrees(void **state) {
  (void)state;
  int solved = 0, quick = 0;
  for (uint64_t number = 0; number < (uint64_t)often(2000); number++) {
    static small_problem s;
    problem_make(number + 500000, &s);
    if (problem_class_is_wide(s.kind)) continue;   // test_campaign counts those
    perp_problem p = s.problem;
    p.A = perp_from_dense(&s.dense, 0);
    double x[EXACT_ROWS] = {0}, unscaled[EXACT_ROWS];
    perp_result r;
    assert_int_equal(perp_solve_once(&p, x, NULL, &r), PERP_OK);
    const exact_verdict truth = exact_solvable(&s.exact, NULL);
    if (r.status != PERP_STATUS_SOLVED || truth == EXACT_OVERFLOW) continue;
    if (truth == EXACT_NO) fail_msg("problem %llu has no solution", (unsigned long long)number);
    problem_unscale(&s, x, unscaled);
    if (is_quick(&r) && exact_near(&s.exact, unscaled, 1e-6, 1e-6) == EXACT_NO)
      fail_msg("problem %llu: no solution near x", (unsigned long long)number);
    solved++;
    quick += is_quick(&r);
  }
  assert_true(solved > 500 && quick > 100);
}

// Every layout of the same numbers gives the same bits.
static void layouts(void **state) {
  (void)state;
  support_state = 12;
  for (int trial = 0; trial < 300; trial++) {
    static tiny t;
    make(&t, 0.0, 1.0);
    const int32_t n = t.n, ld = n + whole(1, 3);
    double other[(N + 3)*N], x[N] = {0}, z[N] = {0};
    perp_result r;
    assert_int_equal(perp_solve_once(&t.problem, x, NULL, &r), PERP_OK);
    for (int by_column = 0; by_column < 2; by_column++) {
      for (int32_t k = 0; k < ld*n; k++) other[k] = (double)NAN;   // between the rows: not read
      for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) other[by_column ? j*ld + i : i*ld + j] = t.A[i*n + j];
      const perp_dense D = {.n = n, .value = other, .ld = ld, .by_column = by_column};
      perp_problem p = t.problem;
      p.A = perp_from_dense(&D, 0);
      memset(z, 0, sizeof z);
      assert_int_equal(perp_solve_once(&p, z, NULL, &r), PERP_OK);
      assert_memory_equal(x, z, (size_t)n*sizeof *x);
    }
  }
}

static void invalid_data(void **state) {
  (void)state;
  const double bad[] = {(double)NAN, INF, -INF};
  for (int32_t n = 1; n <= N; n++)
    for (int k = 0; k < 3; k++)
      for (int where = 0; where < 5; where++) {
        tiny t = {.n = n};
        double x[N] = {0};
        for (int32_t i = 0; i < n; i++) {
          t.A[i*n + i] = 1.0;
          t.b[i] = -1.0;
          t.hi[i] = INF;
        }
        view(&t);
        double *const field[] = {&t.A[n*n - 1], &t.b[n - 1], &t.lo[n - 1], &t.hi[n - 1], &x[n - 1]};
        *field[where] = bad[k];
        perp_result r;
        const int fine = (where == 2 && k == 2) || (where == 3 && k == 1);
        const perp_error error = perp_solve_once(&t.problem, x, NULL, &r);
        if (fine) assert_int_equal(error, PERP_OK);
        else assert_int_equal(error, where == 4 ? PERP_ERROR_ARGUMENT : PERP_ERROR_PROBLEM);
        if (!fine && where == 1) assert_non_null(strstr(perp_last_message(), "is not finite"));
      }
  tiny t = {.n = 2, .A = {1, 0, 0, 1}, .b = {-1, -1}, .lo = {0, 2}, .hi = {1, 1}};
  double x[2] = {0};
  perp_result r;
  view(&t);
  assert_int_equal(perp_solve_once(&t.problem, x, NULL, &r), PERP_ERROR_PROBLEM);
}

static void no_solution(void **state) {
  (void)state;
  static const struct { int32_t n; double A[4], b[2]; } cases[] = {
    {1, {-1}, {-1}}, {1, {0}, {-1}}, {2, {0, 1, 0, 0}, {-1, 1}}, {2, {1, -2, -2, 1}, {-1, -1}},
    {2, {1, -1, -1, 1}, {-1, -1}}, {2, {1e-9, -1, -1, 1e-9}, {-1, -1}},
  };
  for (size_t k = 0; k < sizeof cases/sizeof cases[0]; k++) {
    const perp_dense D = {.n = cases[k].n, .value = cases[k].A};
    const perp_problem p = {.A = perp_from_dense(&D, 0), .b = cases[k].b};
    double x[2] = {0};
    perp_result r;
    assert_int_equal(perp_solve_once(&p, x, NULL, &r), PERP_OK);
    if (r.status == PERP_STATUS_SOLVED) fail_msg("case %zu", k);
  }
}

// A block that sees no others is judged by its own b, however large the others are: not what is
// small beside them is small there. Row 0 is on its own, x_0 = max(0, -b_0/A_00).
static void small_blocks(void **state) {
  (void)state;
  support_state = 14;
  for (int trial = 0; trial < 2000; trial++) {
    const int32_t n = whole(2, N);
    tiny t = {.n = n};
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; i > 0 && j < n; j++) t.A[i*n + j] = between(-1, 1)/n;
      t.A[i*n + i] = 2.0;
      t.b[i] = -pow(10.0, whole(9, 13))*between(0.5, 1);
      t.hi[i] = INF;
    }
    t.b[0] = between(-1, 1);
    view(&t);
    double x[N] = {0};
    for (int32_t i = 0; trial%2 && i < n; i++) x[i] = i > 0 ? between(0, 1e12) : 0.0;
    perp_result r;
    assert_int_equal(perp_solve_once(&t.problem, x, NULL, &r), PERP_OK);
    if (r.status != PERP_STATUS_SOLVED) fail_msg("trial %d, n = %d: %s", trial, n, r.message);
    hold(&t, x, &r);
    if (!(fabs(x[0] - fmax(0.0, -0.5*t.b[0])) <= 1e-7))
      fail_msg("trial %d, n = %d: x[0] = %g, b[0] = %g", trial, n, x[0], t.b[0]);
  }
}

// Options that ask for more than an answer are heard.
static void options_are_heard(void **state) {
  (void)state;
  const double A[] = {2, -1, -1, 2}, b[] = {-1, -1};
  const perp_dense D = {.n = 2, .value = A};
  const perp_problem p = {.A = perp_from_dense(&D, 0), .b = b};
  perp_statistics trace[8];
  perp_options o = perp_default_options(NULL);
  o.trace = trace;
  o.trace_capacity = 8;
  double x[2] = {0};
  perp_result r;
  assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
  assert_true(r.trace_count > 0);
  o = perp_default_options(NULL);
  o.iteration_limit = 0;
  x[0] = x[1] = 0.0;
  assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
  assert_int_equal(r.iterations, 0);
  o = perp_default_options(perp_find_method("lemke"));
  assert_int_equal(perp_solve_once(&p, x, &o, &r), PERP_OK);
  assert_string_equal(perp_method_name(r.method), "lemke");
}

static void batch_has_the_same_bits(void **state) {
  (void)state;
  enum { COUNT = 200 };
  static tiny t[COUNT];
  static double alone[COUNT][N], together[COUNT][N];
  static perp_problem p[COUNT];
  static perp_result r[COUNT];
  double *x[COUNT];
  support_state = 13;
  const perp_limits limits = {.n = N, .nnz = N*N, .lanes = 3};
  perp_options o = perp_default_options(NULL);
  o.threads = 2;
  perp_solver *solver = NULL;
  assert_int_equal(perp_solver_create(NULL, &limits, &o, NULL, &solver), PERP_OK);
  for (int k = 0; k < COUNT; k++) {
    make(&t[k], 0.3*(k%2), 1.0);
    p[k] = t[k].problem;
    x[k] = together[k];
    assert_int_equal(perp_solve(solver, &p[k], alone[k], &r[k]), PERP_OK);
  }
  t[50].b[0] = (double)NAN;
  assert_int_equal(perp_solve_batch(solver, p, COUNT, x, r), PERP_ERROR_PROBLEM);
  assert_string_equal(perp_last_message(), "problem 50: b[0] = nan is not finite");
  for (int k = 0; k < COUNT; k++) {
    assert_int_equal(r[k].status, k == 50 ? PERP_STATUS_UNSOLVED : PERP_STATUS_SOLVED);
    if (k != 50) assert_memory_equal(alone[k], together[k], (size_t)t[k].n*sizeof(double));
  }
  perp_solver_destroy(solver);
}

// Of everything that a batch may contain: sizes 0 to N, layouts, plain bounds, guesses, rows that
// tie, no solution, numbers that are none. `damaged`: not to be solved.
static void make_any(tiny *t, double *room, double *x, int *damaged) {
  const double spreads[] = {0, 0, 0, 3, 25}, zeros[] = {0, 0, 0, 0.5};
  const int kind = whole(0, 11);
  make(t, zeros[whole(0, 3)], spreads[whole(0, 4)]);
  memset(x, 0, N*sizeof *x);
  *damaged = 0;
  if (kind == 0) {                           // copies of a row and its column: singular
    const int32_t n = t->n;
    for (int32_t i = 0; i < n; i++) t->A[i*n + n - 1] = t->A[i*n];
    for (int32_t j = 0; j < n; j++) t->A[(n - 1)*n + j] = t->A[j];
  } else if (kind == 1) {                    // x_1 = 0 is all there is, and y_1 < 0
    for (int32_t j = 0; j < t->n; j++) t->A[j] = j == 0 ? -1.0 : 0.0;
    t->b[0] = -1.0;
    t->lo[0] = 0.0;
    t->hi[0] = INF;
  } else if (kind == 2) {
    double *const field[] = {&t->A[t->n], &t->b[t->n - 1], &t->lo[0], &x[t->n - 1]};
    const int which = whole(t->n > 1 ? 0 : 1, 3);
    *field[which] = whole(0, 1) ? (double)NAN : which == 2 ? INF : -INF;
    *damaged = 1;
  } else if (kind == 3) {                    // x = 0 is a solution
    for (int32_t i = 0; i < t->n; i++) {
      t->b[i] = fabs(t->b[i])*whole(0, 1);
      t->lo[i] = 0.0;
      t->hi[i] = INF;
    }
  } else if (kind == 4) {
    t->dense.n = t->n = 0;
    t->problem.A = perp_from_dense(&t->dense, 0);
  } else if (kind == 5) {
    for (int32_t i = 0; i < t->n; i++) x[i] = t->answer[i] + (whole(0, 1) ? between(-1, 1) : 0.0);
  } else if (kind == 6) {
    const int32_t n = t->n;
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++) room[j*(n + 1) + i] = t->A[i*n + j];
    t->dense = (perp_dense){.n = n, .value = room, .ld = n + 1, .by_column = 1};
  } else if (kind <= 8) {                    // an LCP
    t->problem.lo = t->problem.hi = NULL;
    for (int32_t i = 0; i < t->n; i++) {
      t->b[i] = between(-1, 1);
      t->lo[i] = 0.0;
      t->hi[i] = INF;
    }
  }
}

// In every order and number a batch gives what perp_solve gives alone, to the last bit.
static void batch_is_as_alone(void **state) {
  (void)state;
  enum { COUNT = 120 };
  static tiny t[COUNT];
  static double room[COUNT][N*(N + 1)], guess[COUNT][N], alone[COUNT][N], x[COUNT][N];
  static perp_problem p[COUNT];
  static perp_result one[COUNT], r[COUNT];
  double *to[COUNT];
  int damaged[COUNT], order[COUNT];
  perp_error error[COUNT];
  support_state = 14;
  perp_solver *solver = NULL;
  const perp_limits limits = {.n = N, .nnz = N*N};
  assert_int_equal(perp_solver_create(NULL, &limits, NULL, NULL, &solver), PERP_OK);
  int quick = 0, unsolved = 0;
  for (int trial = 0; trial < often(8); trial++) {
    for (int k = 0; k < COUNT; k++) {
      make_any(&t[k], room[k], guess[k], &damaged[k]);
      memcpy(alone[k], guess[k], sizeof guess[k]);
      error[k] = perp_solve(solver, &t[k].problem, alone[k], &one[k]);
      assert_true((error[k] != PERP_OK) == damaged[k]);
    }
    for (int turn = 0; turn < 4; turn++) {
      int count = turn == 0 ? COUNT : whole(0, COUNT), first = COUNT;
      for (int k = 0; k < COUNT; k++) order[k] = k;
      for (int k = COUNT - 1; turn > 0 && k > 0; k--) {
        const int other = whole(0, k), kept = order[k];
        order[k] = order[other];
        order[other] = kept;
      }
      for (int k = 0; k < count; k++) {
        p[k] = t[order[k]].problem;
        to[k] = memcpy(x[k], guess[order[k]], sizeof x[k]);
        if (damaged[order[k]] && first == COUNT) first = k;
      }
      const perp_error all = perp_solve_batch(solver, p, count, to, r);
      assert_int_equal(all, first == COUNT ? PERP_OK : error[order[first]]);
      for (int k = 0; k < count; k++) {
        const int at = order[k];
        assert_memory_equal(x[k], alone[at], sizeof x[k]);
        if (damaged[at]) {
          assert_int_equal(r[k].status, PERP_STATUS_UNSOLVED);
          continue;
        }
        assert_int_equal(r[k].status, one[at].status);
        assert_int_equal(r[k].iterations, one[at].iterations);
        assert_string_equal(r[k].message, one[at].message);
        assert_ptr_equal(r[k].method, one[at].method);
        const perp_certificate *c = &r[k].certificate, *d = &one[at].certificate;
        assert_true(c->solved == d->solved && c->worst == d->worst && c->gap == d->gap &&
                    c->components == d->components && c->residual == d->residual &&
                    c->natural_residual == d->natural_residual);
        if (r[k].status == PERP_STATUS_SOLVED) hold(&t[at], x[k], &r[k]);
        else unsolved++;
        quick += is_quick(&r[k]);
      }
    }
  }
  assert_true(quick > 100 && unsolved > 10);
  perp_solver_destroy(solver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(solved_is_certified), cmocka_unit_test(exact_arithmetic_agrees),
    cmocka_unit_test(layouts), cmocka_unit_test(invalid_data), cmocka_unit_test(no_solution),
    cmocka_unit_test(small_blocks), cmocka_unit_test(options_are_heard),
    cmocka_unit_test(batch_has_the_same_bits), cmocka_unit_test(batch_is_as_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
