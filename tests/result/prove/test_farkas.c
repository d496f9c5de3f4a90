// test_farkas.c: proofs of infeasibility: the check is exact and forgets nothing, and the search
// finds them on problems built around one.
#include "feasibility.h"
#include "support.h"

static perp_farkas check(const perp_problem *p, const double *u) {
  perp_farkas f;
  if (perp_check_farkas(p, u, &f) != PERP_OK) fail_msg("%s", perp_last_message());
  return f;
}

// ---- the check ----

static void by_hand(void **state) {
  (void)state;
  // [1 -1; -1 1] x + (-1, 0): y_1 + y_2 = -1
  const double M[] = {1, -1, -1, 1}, b[] = {-1, 0};
  const perp_dense d = {.n = 2, .value = M};
  perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  const double both[] = {1, 1}, first[] = {1, 0}, wrong[] = {1, -1}, none[] = {0, 0};
  perp_farkas f = check(&p, both);
  assert_int_equal(f.proven, 1);
  assert_true(f.radius == INF && f.value == -1.0 && f.worst == -1);
  f = check(&p, first);                       // y_1 = x_1 - x_2 - 1: negative only near 0
  assert_int_equal(f.proven, 0);
  assert_int_equal(f.worst, 0);
  assert_true(f.value == -1.0 && f.radius <= 1.0 && f.radius > 0.999999);
  f = check(&p, wrong);
  assert_int_equal(f.proven, 0);
  assert_int_equal(f.worst, 1);
  assert_int_equal(check(&p, none).proven, 0);
  // x_1 <= 1/2 and x_2 >= 0: row 1 has two bounds, so it must not be used
  const double hi[] = {0.5, INF};
  p.hi = hi;
  f = check(&p, both);
  assert_int_equal(f.proven, 0);
  assert_int_equal(f.worst, 0);
  // a fixed variable counts with its value: y_2 = -x_1 + x_2 with x_2 in [0, 0] and x_1 in [1, 1]
  const double low[] = {1, -INF}, high[] = {1, 0}, up[] = {0, -1}, b2[] = {0, 2};
  const perp_problem q = {.A = perp_from_dense(&d, 0), .b = b2, .lo = low, .hi = high};
  f = check(&q, up);                          // y_2 = x_2 + 1 <= 0 wanted: x_2 = -1 will do
  assert_int_equal(f.proven, 0);
  assert_int_equal(f.worst, 1);
}

static void no_unknowns_prove_nothing(void **state) {
  (void)state;
  const perp_dense d = {.n = 0};
  const perp_problem p = {.A = perp_from_dense(&d, 0)};
  assert_int_equal(check(&p, NULL).proven, 0);
}

static void bad_arguments_are_errors(void **state) {
  (void)state;
  const double a = 0, b = -1, nan = NAN, inf = INF, one = 1;
  const perp_dense d = {.n = 1, .value = &a};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = &b};
  perp_farkas f = {.radius = 7.0};
  assert_int_equal(perp_check_farkas(&p, &nan, &f), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_check_farkas(&p, &inf, &f), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_check_farkas(&p, NULL, &f), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_check_farkas(NULL, &one, &f), PERP_ERROR_ARGUMENT);
  assert_true(f.radius == 7.0);
  assert_int_equal(check(&p, &one).proven, 1);
}

static int multiply(void *context, const double *x, double *y) {
  (void)context;
  y[0] = 0.0*x[0];
  return 0;
}

static void hidden_entries_prove_nothing(void **state) {
  (void)state;
  const double b = -1, u = 1;
  const perp_callback c = {.n = 1, .apply = multiply, .apply_transpose = multiply};
  const perp_problem p = {.A = perp_from_callback(&c, 0), .b = &b};
  const perp_farkas f = check(&p, &u);
  assert_int_equal(f.proven, 0);
  assert_non_null(strstr(f.reason, "does not show its entries"));
}

// R a C underflows to 0 in doubles; the entry is 2^-1200 all the same, and x = 2^900 a solution.
static void an_underflow_is_not_a_zero(void **state) {
  (void)state;
  const double M = 1, R = 0x1p-600, b = -0x1p-300, u = 1;
  const int32_t colptr[] = {0, 1}, row = 0;
  const perp_dense d = {.n = 1, .value = &M};
  const perp_csc s = {1, 1, colptr, &row, &M};
  for (int k = 0; k < 2; k++) {
    perp_wrapper w;
    const perp_operator inner = k ? perp_from_dense(&d, 0) : perp_from_csc(&s, 0);
    const perp_problem p = {.A = perp_scaled(&w, inner, &R, &R), .b = &b};
    const perp_farkas f = check(&p, &u);
    assert_int_equal(f.proven, 0);
    assert_true(f.radius <= 0x1p900);
  }
}

static void products_are_enclosed(void **state) {
  (void)state;
  // two opposite contacts on one body: J = (1; -1), A = [1 -1; -1 1]
  const int32_t rowptr[] = {0, 1, 2}, column[] = {0, 0};
  const double J[] = {1, -1}, W[] = {1}, b[] = {-1, 0}, u[] = {1, 1}, v[] = {1, 0.5};
  const perp_product P = {.n = 2, .dofs = 1, .rowptr = rowptr, .column = column, .value = J,
                          .block = 1, .W = W};
  const perp_problem p = {.A = perp_from_product(&P, 0), .b = b};
  assert_int_equal(check(&p, u).proven, 1);
  assert_int_equal(check(&p, v).proven, 0);
}

// A genuine solution far out must not be argued away: x_2 >= 2^50 solves this one.
static void tiny_entries_are_not_rounding(void **state) {
  (void)state;
  for (int e = 10; e <= 52; e++) {
    const double tiny = ldexp(1.0, -e), M[] = {1, -1, -1, 1 + tiny}, b[] = {-1, 0.5};
    const perp_dense d = {.n = 2, .value = M};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
    const double u[] = {1, 1};
    const perp_farkas f = check(&p, u);
    assert_int_equal(f.proven, 0);
    assert_int_equal(f.worst, 1);
    assert_true(f.radius <= 0.5/tiny && f.radius >= 0.499/tiny);
  }
}

// ---- the search, by a method that does nothing else ----

static int tried;
static void run_probe(perp_run *run) {
  tried++;
  run->last_resort = 1;
  if (run_continue(run)) feasibility_search(run);
  run_stop(run, PERP_STATUS_UNSOLVED, "nothing found");
}
static size_t no_bytes(const perp_limits *limits, const perp_options *options) {
  (void)limits;
  (void)options;
  return 0;
}
static const perp_method probe = {
  .name = "probe", .title = "looks for a Farkas vector", .source = "-", .formula = "-",
  .converges = "-", .cost = "-", .advice = "-", .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = PERP_ASSUMES_NO_PROOF, .traits = PERP_TRAIT_FINITE, .bytes = no_bytes,
  .run = run_probe,
};

static perp_result search_for(const perp_problem *p, double *u) {
  perp_options options = perp_default_options(&probe);
  options.farkas = u;
  options.presolve = 0;
  options.split = PERP_SPLIT_NO;
  perp_result result;
  double *x = calloc((size_t)p->A.n + 1, sizeof *x);
  if (perp_solve_once(p, x, &options, &result) != PERP_OK) fail_msg("%s", perp_last_message());
  free(x);
  return result;
}

// Bounds of the kinds that a row can have; returns what they demand of y, 2: nothing.
static int random_bounds(sample *s, int32_t i, int free_rows) {
  const int kind = whole(free_rows ? 0 : 2, 7);
  s->lo[i] = kind <= 1 || kind == 2 ? -INF : whole(-2, 0);
  s->hi[i] = kind <= 1 || kind >= 5 ? INF : kind == 2 ? whole(0, 2) : s->lo[i] + whole(0, 2);
  return kind <= 1 ? 0 : kind == 2 ? -1 : kind >= 5 ? 1 : 2;
}

// An infeasible problem around a random u: A'u has the right signs, and the supremum is < 0.
// `real`: entries with 53 bits.
static sample infeasible(int32_t n, int free_rows, int real, double *u) {
  sample s = sample_new(n);
  int32_t key = -1;
  do {
    for (int32_t i = 0; i < n; i++) {
      const int wants = random_bounds(&s, i, free_rows);
      const double size = uniform() < 0.4 ? 0.0 : whole(1, 5);
      u[i] = wants == 2 ? 0.0 : wants == 0 ? (uniform() < 0.5 ? -size : size) : wants*size;
      if (fabs(u[i]) == 1.0) key = i;
    }
  } while (key < 0);
  const double density = uniform() < 0.5 ? 1.0 : 0.5;
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++)
      AT(&s, i, j) = uniform() > density ? 0.0 : real ? between(-2, 2) : whole(-3, 3);
  double value = 0.0;
  for (int32_t i = 0; i < n; i++) {
    s.b[i] = real ? between(-3, 3) : whole(-5, 5);
    value += u[i]*s.b[i];
  }
  for (int32_t j = 0; j < n; j++) {   // A_key,j makes g_j what it should be
    double g = 0.0;
    for (int32_t i = 0; i < n; i++) g += AT(&s, i, j)*u[i];
    const double more = uniform() < 0.5 && !real ? 0.0 : real ? between(0.1, 1) : whole(0, 2);
    const double wanted = s.lo[j] == -INF && s.hi[j] == INF ? 0.0
                          : s.hi[j] == INF                  ? -more
                          : s.lo[j] == -INF                 ? more
                                                            : g;
    AT(&s, key, j) += u[key]*(wanted - g);
    value += wanted > 0.0 ? wanted*s.hi[j] : wanted < 0.0 ? wanted*s.lo[j] : 0.0;
  }
  s.b[key] -= u[key]*(value + (real ? 0.5 : 1.0));
  return s;
}

static void random_infeasible_problems_are_proven(void **state) {
  (void)state;
  int missed[2] = {0, 0}, trials = often(400);
  for (int trial = 0; trial < trials; trial++) {
    const int real = trial%2, scaled = trial%4 >= 2, sparse = uniform() < 0.5;
    const int32_t n = whole(1, trial%10 == 0 ? 60 : 9);
    double u[64], found[64];
    sample s = infeasible(n, !real, real, u);
    if (!real) {
      const perp_farkas built = check(sample_dense(&s), u);   // ... and the check agrees
      if (!built.proven || built.radius != INF) fail_msg("trial %d: %s", trial, built.reason);
    }
    if (scaled)
      for (int32_t i = 0; i < n; i++) {
        const double r = ldexp(1.0, whole(-40, 40)), c = ldexp(1.0, whole(-40, 40));
        for (int32_t j = 0; j < n; j++) {
          AT(&s, i, j) *= r;
          AT(&s, j, i) *= c;
        }
        s.b[i] *= r;
        s.lo[i] /= c;
        s.hi[i] /= c;
      }
    const perp_problem *p = sparse ? sample_csc(&s, 0, 0) : sample_dense(&s);
    const perp_result r = search_for(p, found);
    if (r.status == PERP_STATUS_INFEASIBLE) {
      const perp_farkas f = check(p, found);
      if (!f.proven || !(r.radius == f.radius)) fail_msg("trial %d: %s", trial, f.reason);
    } else {
      missed[real]++;
      if (getenv("PERP_SHOW")) printf("trial %d n %d scaled %d: %s\n", trial, n, scaled, r.message);
    }
    sample_free(&s);
  }
  if (getenv("PERP_SHOW")) printf("missed %d + %d of %d\n", missed[0], missed[1], trials);
  assert_int_equal(missed[0] + missed[1], 0);
}

static void solvable_problems_are_never_claimed(void **state) {
  (void)state;
  for (int trial = 0; trial < often(1500); trial++) {
    const int32_t n = whole(1, 8);
    sample s = random_known(n);
    if (trial%3 == 0) {   // integers with ties
      double y[8];
      for (int32_t k = 0; k < n*n; k++) s.M[k] = whole(-2, 2);
      for (int32_t i = 0; i < n; i++) {
        s.x[i] = whole(-2, 2);
        const int kind = whole(0, 4);
        s.lo[i] = kind == 0 || kind == 3 ? -INF : kind == 4 ? s.x[i] - 1 : s.x[i];
        s.hi[i] = kind == 3 ? s.x[i] : kind == 4 ? s.x[i] + whole(0, 1) : INF;
        y[i] = kind == 1 || kind == 2 ? whole(0, 1) : kind == 3 ? -whole(0, 1) : 0;
      }
      sample_right_side(&s, y);
    } else if (trial%3 == 1) {   // rows and columns in other units
      double r[8], c[8];
      for (int32_t i = 0; i < n; i++) {
        r[i] = scaling(1, 10);
        c[i] = scaling(1, 10);
      }
      rescale(&s, r, c, s.x);
    }
    const perp_result result = search_for(uniform() < 0.5 ? sample_dense(&s) : sample_csc(&s, 0, 0),
                                          NULL);
    if (result.status == PERP_STATUS_INFEASIBLE) fail_msg("trial %d: %s", trial, result.message);
    sample_free(&s);
  }
  assert_true(tried > 100);
}

// The solution is near 2^e: nearly infeasible is not infeasible.
static void nearly_infeasible_problems_are_not_claimed(void **state) {
  (void)state;
  for (int e = 10; e <= 52; e++)
    for (int free_columns = 0; free_columns < 2; free_columns++) {
      const double tiny = ldexp(1.0, -e), M[] = {1, -1, -1, 1 + tiny}, b[] = {-1, 0.5};
      const double lo[] = {-INF, -INF};
      const perp_dense d = {.n = 2, .value = M};
      const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = free_columns ? lo : NULL};
      double u[2];
      assert_int_not_equal(search_for(&p, u).status, PERP_STATUS_INFEASIBLE);
    }
}

static void a_closed_container_is_proven_at_any_size(void **state) {
  (void)state;
  const int32_t n = 3000;
  int32_t *colptr = calloc((size_t)n + 1, sizeof *colptr), *row = calloc(3*(size_t)n, sizeof *row);
  double *value = calloc(3*(size_t)n, sizeof *value), *b = calloc((size_t)n, sizeof *b);
  double *u = calloc((size_t)n, sizeof *u);
  int32_t nnz = 0;
  for (int32_t j = 0; j < n; j++) {   // a chain without ends: each column sums to 0
    if (j > 0) row[nnz] = j - 1, value[nnz++] = -1.0;
    row[nnz] = j, value[nnz++] = j == 0 || j == n - 1 ? 1.0 : 2.0;
    if (j < n - 1) row[nnz] = j + 1, value[nnz++] = -1.0;
    colptr[j + 1] = nnz;
    b[j] = j%2 ? 1.0 : -1.0;
  }
  b[7] = -0.5;
  b[8] = -2.0;
  const perp_csc A = {n, n, colptr, row, value};
  const perp_problem p = {.A = perp_from_csc(&A, 0), .b = b};
  perp_result r = search_for(&p, u);
  assert_int_equal(r.status, PERP_STATUS_INFEASIBLE);
  for (int32_t i = 0; i < n; i++) assert_true(u[i] == u[0] && u[i] > 0.0);
  b[8] = 3.0;
  r = search_for(&p, u);
  assert_int_not_equal(r.status, PERP_STATUS_INFEASIBLE);
  free(colptr), free(row), free(value), free(b), free(u);
}

static void large_problems_are_proven(void **state) {
  (void)state;
  const int32_t n = 450;
  for (int free_rows = 0; free_rows < 2; free_rows++) {
    sample s = sample_new(n);
    double *u = calloc((size_t)n, sizeof *u), *found = calloc((size_t)n, sizeof *found);
    for (int32_t i = 0; i < n; i++) {
      s.lo[i] = free_rows && i > 0 && whole(0, 3) == 0 ? -INF : 0.0;
      u[i] = i == 0 ? 1 : s.lo[i] == 0.0 ? whole(0, 2) : whole(-2, 2);
      s.b[i] = between(-1, 1);
      for (int32_t k = 0; k < 8; k++) AT(&s, i, whole(0, n - 1)) = between(-2, 2);
      AT(&s, i, (i + 1)%n) = 1.0;   // one component
    }
    double value = 0.5;
    for (int32_t j = 0; j < n; j++) {
      double g = 0.0;
      for (int32_t i = 0; i < n; i++) g += AT(&s, i, j)*u[i];
      AT(&s, 0, j) += (s.lo[j] == 0.0 ? -between(0.1, 1) : 0.0) - g;
      value += u[j]*s.b[j];
    }
    s.b[0] -= value;
    const perp_problem *p = sample_csc(&s, 0, 0);
    const perp_result r = search_for(p, found);
    if (r.status != PERP_STATUS_INFEASIBLE) fail_msg("%s", r.message);
    const perp_farkas f = check(p, found);
    assert_int_equal(f.proven, 1);
    if (!free_rows) assert_true(f.radius == INF);
    sample_free(&s);
    free(u), free(found);
  }
}

// Contacts of a singular stack: A = J J', J'u = 0 with u > 0 on opposing pairs, b'u < 0.
static void opposing_contacts_are_proven(void **state) {
  (void)state;
  const int32_t sizes[] = {40, 500};
  for (int k = 0; k < 2; k++) {
    const int32_t n = sizes[k], dofs = n/3;
    sample s = sample_new(n);
    double *J = calloc((size_t)n*(size_t)dofs, sizeof *J);
    double *found = calloc((size_t)n, sizeof *found);
    for (int32_t i = 0; i < n; i++) {
      for (int32_t e = 0; e < 3; e++)
        J[(size_t)i*(size_t)dofs + (size_t)(e == 0 ? i%dofs : whole(0, dofs - 1))] = whole(-2, 2);
      s.b[i] = between(0.1, 1);
    }
    for (int32_t d = 0; d < dofs; d++) {   // row 1 presses against rows 2 and 3
      double *const row = J + d;
      row[1*(size_t)dofs] = -row[2*(size_t)dofs] - row[3*(size_t)dofs];
    }
    s.b[1] = -4.0;
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++) {
        double sum = 0.0;
        for (int32_t d = 0; d < dofs; d++)
          sum += J[(size_t)i*(size_t)dofs + (size_t)d]*J[(size_t)j*(size_t)dofs + (size_t)d];
        AT(&s, i, j) = sum;
      }
    const perp_problem *p = sample_csc(&s, 0, PERP_CLAIM_SYMMETRIC);
    const perp_result r = search_for(p, found);
    if (r.status != PERP_STATUS_INFEASIBLE) fail_msg("n = %d: %s", n, r.message);
    assert_int_equal(check(p, found).proven, 1);
    sample_free(&s);
    free(J), free(found);
  }
}

static void rationals_are_recognised(void **state) {
  (void)state;
  double v[] = {1.0/3, -2.0/7*0x1p-40, 5.0, 0.0};
  assert_int_equal(rational_round(4, v, 1e-12), 1);
  assert_true(v[0] == 7.0 && v[1] == -6*0x1p-40 && v[2] == 105.0 && v[3] == 0.0);
  double w[] = {sqrt(2.0), 1.0};
  assert_int_equal(rational_round(2, w, 1e-13), 0);
  assert_true(w[0] == sqrt(2.0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(by_hand),
    cmocka_unit_test(no_unknowns_prove_nothing),
    cmocka_unit_test(bad_arguments_are_errors),
    cmocka_unit_test(hidden_entries_prove_nothing),
    cmocka_unit_test(an_underflow_is_not_a_zero),
    cmocka_unit_test(products_are_enclosed),
    cmocka_unit_test(tiny_entries_are_not_rounding),
    cmocka_unit_test(random_infeasible_problems_are_proven),
    cmocka_unit_test(solvable_problems_are_never_claimed),
    cmocka_unit_test(nearly_infeasible_problems_are_not_claimed),
    cmocka_unit_test(a_closed_container_is_proven_at_any_size),
    cmocka_unit_test(large_problems_are_proven),
    cmocka_unit_test(opposing_contacts_are_proven),
    cmocka_unit_test(rationals_are_recognised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
