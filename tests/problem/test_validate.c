// test_validate.c: every message of validation, with its index, value and limit.
// labels: tsan
#include "support.h"

static void refused(const perp_problem *p, perp_error code, const char *message) {
  const perp_error error = perp_validate(p);
  if (error != code || strcmp(perp_last_message(), message) != 0)
    fail_msg("expected %s '%s', got %s '%s'", perp_error_name(code), message,
             perp_error_name(error), perp_last_message());
  perp_certificate c = {.solved = 5};  // every entry point says the same
  perp_result r;
  double x[8] = {0};
  if (p != NULL) {
    assert_int_equal(perp_certify(p, x, 1e-8, 0, NULL, &c), code);
    assert_string_equal(perp_last_message(), message);
    assert_int_equal(c.solved, 5);
    assert_int_equal(perp_solve_once(p, x, NULL, &r), code);
    assert_string_equal(perp_last_message(), message);
  }
}

static double M[] = {2, 1, 1, 2};
static double b[] = {-1, -1};

static void operators(void **state) {
  (void)state;
  refused(NULL, PERP_ERROR_ARGUMENT, "problem is NULL");
  perp_problem p = {0};
  refused(&p, PERP_ERROR_PROBLEM, "the operator has no apply()");
  perp_dense d = {.n = 2, .value = M};
  p = (perp_problem){.A = perp_from_dense(NULL, 0), .b = b};
  refused(&p, PERP_ERROR_PROBLEM, "operator 'dense' has no data: self is NULL");
  p.A = perp_from_dense(&d, 0);
  p.A.n = -3;
  refused(&p, PERP_ERROR_PROBLEM, "n = -3 < 0");
  p.A.n = 3;
  refused(&p, PERP_ERROR_PROBLEM, "the operator has n = 3, but its matrix has n = 2");
  p.A.n = 2;
  p.b = NULL;
  refused(&p, PERP_ERROR_PROBLEM, "b is NULL");
  perp_callback f = {.n = 2};
  p = (perp_problem){.A = perp_from_callback(&f, 0), .b = b};
  refused(&p, PERP_ERROR_PROBLEM, "callback: apply is NULL");
}

static void dense(void **state) {
  (void)state;
  perp_dense d = {.n = -1, .value = M};
  perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  p.A.n = 2;
  refused(&p, PERP_ERROR_PROBLEM, "dense matrix: n = -1 < 0");
  d = (perp_dense){.n = 2};
  refused(&p, PERP_ERROR_PROBLEM, "dense matrix: value is NULL");
  d = (perp_dense){.n = 2, .value = M, .ld = 1};
  refused(&p, PERP_ERROR_PROBLEM, "dense matrix: ld = 1 < n = 2");
  d.ld = -2;
  refused(&p, PERP_ERROR_PROBLEM, "dense matrix: ld = -2 < n = 2");
  const double odd[] = {1, 2, NAN, 4};
  d = (perp_dense){.n = 2, .value = odd};
  refused(&p, PERP_ERROR_PROBLEM, "A[1][0] = nan is not finite");
  d.by_column = 1;
  refused(&p, PERP_ERROR_PROBLEM, "A[0][1] = nan is not finite");
  const double gap[] = {1, 2, NAN, 4, -INFINITY, NAN};  // the third column is padding
  d = (perp_dense){.n = 2, .value = gap, .ld = 3};
  refused(&p, PERP_ERROR_PROBLEM, "A[1][1] = -inf is not finite");
}

static void csc(void **state) {
  (void)state;
  int32_t colptr[] = {0, 2, 4}, row[] = {0, 1, 0, 1};
  double value[] = {2, 1, 1, 2};
  perp_csc c = {2, 2, colptr, row, value};
  perp_problem p = {.A = perp_from_csc(&c, 0), .b = b};
  assert_int_equal(perp_validate(&p), PERP_OK);
  c.rows = 3;
  refused(&p, PERP_ERROR_PROBLEM, "A is 3 x 2: a complementarity problem needs a square matrix");
  c.rows = c.columns = -2;
  refused(&p, PERP_ERROR_PROBLEM, "csc: sizes -2 x -2 must not be negative");
  c = (perp_csc){2, 2, NULL, row, value};
  refused(&p, PERP_ERROR_PROBLEM, "csc: colptr is NULL");
  c.colptr = colptr;
  colptr[0] = 1;
  refused(&p, PERP_ERROR_PROBLEM, "csc: colptr[0] = 1 must be 0");
  colptr[0] = 0;
  colptr[1] = 5;
  refused(&p, PERP_ERROR_PROBLEM, "csc: colptr[2] = 4 < colptr[1] = 5");
  colptr[1] = 2;
  c.row = NULL;
  refused(&p, PERP_ERROR_PROBLEM, "csc: row or value is NULL with 4 entries");
  c.row = row;
  c.value = NULL;
  refused(&p, PERP_ERROR_PROBLEM, "csc: row or value is NULL with 4 entries");
  c.value = value;
  row[1] = 2;
  refused(&p, PERP_ERROR_PROBLEM, "csc: row[1] = 2 is outside 0..1");
  row[1] = -1;
  refused(&p, PERP_ERROR_PROBLEM, "csc: row[1] = -1 is outside 0..1");
  row[1] = 0;
  refused(&p, PERP_ERROR_PROBLEM, "csc: row[0] = row[1] = 0: column 0 has this entry twice");
  row[0] = 1;
  refused(&p, PERP_ERROR_PROBLEM, "csc: row[1] = 0 follows row[0] = 1; they must ascend");
  row[0] = 0;
  row[1] = 1;
  value[2] = INFINITY;
  refused(&p, PERP_ERROR_PROBLEM, "A[0][1] = inf is not finite (value[2])");
}

static void product(void **state) {
  (void)state;
  int32_t rowptr[] = {0, 1, 2}, column[] = {0, 1};
  double value[] = {1, 1}, W[] = {1, 0, 0, 1}, compliance[] = {0, 0.5};
  perp_product J = {.n = 2,
                    .dofs = 2,
                    .rowptr = rowptr,
                    .column = column,
                    .value = value,
                    .block = 2,
                    .W = W,
                    .compliance = compliance};
  perp_problem p = {.A = perp_from_product(&J, 0), .b = b};
  assert_int_equal(perp_validate(&p), PERP_OK);
  J.dofs = -1;
  refused(&p, PERP_ERROR_PROBLEM, "product: n = 2 and dofs = -1 must not be negative");
  J.dofs = 2;
  J.block = 0;
  refused(&p, PERP_ERROR_PROBLEM, "product: block = 0 must be positive and divide dofs = 2");
  J.block = 3;
  refused(&p, PERP_ERROR_PROBLEM, "product: block = 3 must be positive and divide dofs = 2");
  J.block = 2;
  J.W = NULL;
  refused(&p, PERP_ERROR_PROBLEM, "product: W is NULL");
  J.W = W;
  J.rowptr = NULL;
  refused(&p, PERP_ERROR_PROBLEM, "product: rowptr is NULL");
  J.rowptr = rowptr;
  column[1] = 2;
  refused(&p, PERP_ERROR_PROBLEM, "product: column[1] = 2 is outside 0..1");
  column[1] = 1;
  value[1] = NAN;
  refused(&p, PERP_ERROR_PROBLEM, "product: value[1] = nan is not finite");
  value[1] = 1;
  W[3] = INFINITY;
  refused(&p, PERP_ERROR_PROBLEM, "product: W[3] = inf is not finite");
  W[3] = 1;
  compliance[1] = -1;
  refused(&p, PERP_ERROR_PROBLEM, "product: compliance[1] = -1 is outside [0, inf)");
}

static void contacts(void **state) {
  (void)state;
  int32_t rowptr[] = {0, 1, 2}, column[] = {0, 1};
  double value[] = {1, 1}, W[] = {1, 1}, direction[] = {1, -1}, mu[] = {0.5};
  const double velocity[] = {-1, 1, -1, 0};
  perp_contacts c = {.count = 1, .directions = 2, .tangents = 1, .direction = direction, .mu = mu,
                     .B = {.n = 2, .dofs = 2, .rowptr = rowptr, .column = column, .value = value,
                           .block = 1, .W = W}};
  perp_problem p = {.A = perp_from_contacts(&c, 0), .b = velocity};
  assert_int_equal(p.A.n, 4);
  assert_int_equal(perp_validate(&p), PERP_OK);
  c.count = -1;
  refused(&p, PERP_ERROR_PROBLEM, "contacts: count = -1 < 0");
  c.count = 2;
  refused(&p, PERP_ERROR_PROBLEM, "contacts: B.n = 2 must be (1 + 1)*2 = 4");
  c.count = INT32_MAX;
  p.A = perp_from_contacts(&c, 0);
  refused(&p, PERP_ERROR_PROBLEM, "contacts: (2 + 2)*2147483647 rows exceed the limit 2147483647");
  c.count = 1;
  c.directions = 3;
  p.A = perp_from_contacts(&c, 0);
  c.directions = 2;
  refused(&p, PERP_ERROR_PROBLEM, "the operator has n = 5, but its matrix has n = 4");
  p.A = perp_from_contacts(&c, 0);
  c.directions = 0;
  refused(&p, PERP_ERROR_PROBLEM, "contacts: directions = 0 < 1");
  c.directions = 2;
  c.tangents = 3;
  refused(&p, PERP_ERROR_PROBLEM, "contacts: tangents = 3 must be 1 or 2");
  c.tangents = 1;
  c.mu = NULL;
  refused(&p, PERP_ERROR_PROBLEM, "contacts: mu is NULL");
  c.mu = mu;
  c.direction = NULL;
  refused(&p, PERP_ERROR_PROBLEM, "contacts: direction is NULL");
  c.direction = direction;
  mu[0] = -0.5;
  refused(&p, PERP_ERROR_PROBLEM, "contacts: mu[0] = -0.5 is outside [0, inf)");
  mu[0] = NAN;
  refused(&p, PERP_ERROR_PROBLEM, "contacts: mu[0] = nan is outside [0, inf)");
  mu[0] = 0.5;
  direction[1] = INFINITY;
  refused(&p, PERP_ERROR_PROBLEM, "contacts: direction[1] = inf is not finite");
  direction[1] = -1;
  column[1] = 2;
  refused(&p, PERP_ERROR_PROBLEM, "product: column[1] = 2 is outside 0..1");
  column[1] = 1;
  W[0] = -1;
  refused(&p, PERP_ERROR_PROBLEM, "product: W[0][0] = -1 < 0");
  W[0] = 1;
  p.A = perp_from_contacts(NULL, 0);
  refused(&p, PERP_ERROR_PROBLEM, "operator 'contact' has no data: self is NULL");
}

static void vectors(void **state) {
  (void)state;
  const perp_dense d = {.n = 2, .value = M};
  double q[] = {1, 2}, lo[] = {0, 0}, hi[] = {1, 1};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = q, .lo = lo, .hi = hi};
  q[1] = INFINITY;
  refused(&p, PERP_ERROR_PROBLEM, "b[1] = inf is not finite");
  q[1] = 2;
  lo[1] = NAN;
  refused(&p, PERP_ERROR_PROBLEM, "row 1: lo = nan must be a number or -inf");
  lo[1] = INFINITY;
  refused(&p, PERP_ERROR_PROBLEM, "row 1: lo = inf must be a number or -inf");
  lo[1] = 0;
  hi[0] = NAN;
  refused(&p, PERP_ERROR_PROBLEM, "row 0: hi = nan must be a number or inf");
  hi[0] = -INFINITY;
  refused(&p, PERP_ERROR_PROBLEM, "row 0: hi = -inf must be a number or inf");
  hi[0] = 0.2;
  lo[0] = 0.5;
  refused(&p, PERP_ERROR_PROBLEM, "row 0: lo = 0.5 > hi = 0.20000000000000001");
  lo[0] = 0;
  hi[1] = -1;
  refused(&p, PERP_ERROR_PROBLEM, "row 1: lo = 0 > hi = -1");
  const perp_problem no_lo = {.A = p.A, .b = q, .hi = hi};  // NULL lo is 0
  refused(&no_lo, PERP_ERROR_PROBLEM, "row 1: lo = 0 > hi = -1");
}

static void empty(void **state) {
  (void)state;
  const perp_dense d = {0};
  const int32_t colptr[] = {0};
  const perp_csc c = {0, 0, colptr, NULL, NULL};
  const perp_problem p[] = {{.A = perp_from_dense(&d, 0)}, {.A = perp_from_csc(&c, 0)}};
  for (int k = 0; k < 2; k++) {
    assert_int_equal(perp_validate(&p[k]), PERP_OK);
    for (int32_t m = 0; m < perp_method_count(); m++) {
      const perp_options o = perp_default_options(perp_method_at(m));
      perp_result r;
      assert_int_equal(perp_solve_once(&p[k], NULL, &o, &r), PERP_OK);
      assert_int_equal(r.status, PERP_STATUS_SOLVED);
    }
  }
}

static void texts(void **state) {  // the lists are complete
  (void)state;
  for (int k = -1; k <= PERP_ERROR_COUNT; k++)
    assert_true(perp_error_name((perp_error)k) != NULL &&
                perp_error_text((perp_error)k)[0] != '\0');
  for (int k = -1; k <= PERP_STATUS_COUNT; k++)
    assert_true(perp_status_name((perp_status)k) != NULL &&
                perp_status_text((perp_status)k)[0] != '\0');
}

static void methods_say_what_they_need(void **state) {
  (void)state;
  perp_callback f = {.n = 2, .apply = (int (*)(void *, const double *, double *))(uintptr_t)1};
  const perp_problem p = {.A = perp_from_callback(&f, 0), .b = b};
  assert_int_equal(perp_method_accepts(perp_find_method("pgs"), &p), PERP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(perp_last_message(), "pgs needs"));
  assert_non_null(strstr(perp_last_message(), ": use auto, apgd"));
  assert_null(strstr(perp_last_message(), "minmap_newton"));   // which is for comparison
  assert_int_equal(perp_method_accepts(perp_find_method("enumerate"), &p), PERP_ERROR_UNSUPPORTED);
  assert_int_equal(perp_method_accepts(perp_find_method("apgd"), &p), PERP_OK);
  assert_int_equal(perp_method_accepts(NULL, &p), PERP_ERROR_ARGUMENT);
  assert_null(perp_find_method("no such"));
  assert_null(perp_find_method(NULL));
  assert_null(perp_method_at(-1));
  assert_null(perp_method_at(perp_method_count()));
}

// There are enough rows for threads to share them: the first bad one is named, wherever it is.
static void first_of_many(void **state) {
  (void)state;
  enum { SIDE = 300, N = SIDE*SIDE, FACES = (SIDE + 1)*SIDE };
  static uint8_t type[N];
  static double v[4][N], face[FACES];   // b, lo, hi, x
  for (int32_t i = 0; i < N; i++) type[i] = i < SIDE ? PERP_CELL_AIR : PERP_CELL_LIQUID;
  for (int32_t i = 0; i < FACES; i++) face[i] = 1.0;
  const perp_grid grid = {.cells = {SIDE, SIDE, 1}, .spacing = {1.0, 1.0, 1.0}, .type = type,
                          .face = {face}};
  const perp_problem p = {.A = perp_from_grid(&grid, PERP_CLAIM_NONE), .b = v[0], .lo = v[1],
                          .hi = v[2]};
  const int32_t places[] = {0, 511, 512, 20000, 44999, 45000, 77777, N - 1};
  perp_options options = perp_default_options(perp_find_method("active_set"));
  options.threads = 3;
  const perp_limits limits = perp_limits_of(&p);
  perp_solver *solver;
  assert_int_equal(perp_solver_create(NULL, &limits, &options, NULL, &solver), PERP_OK);
  for (int bad = 0; bad < 5; bad++)
    for (int k = 0; k < 8; k++) {
      double *const at = bad < 4 ? v[bad] : face, kept = at[places[k]], last = at[N - 1];
      char expected[96];
      const int32_t i = places[k];
      at[i] = at[N - 1] = bad == 2 ? -1.0 : NAN;
      snprintf(expected, sizeof expected,
               bad == 0   ? "b[%d] = "
               : bad == 1 ? "row %d: lo = "
               : bad == 2 ? "row %d: lo = 0 > hi = -1"
               : bad == 3 ? "guess x[%d] = "
                          : "grid: face[0][%d] = ", i);
      perp_result result;
      assert_true(perp_solve(solver, &p, v[3], &result) != PERP_OK);
      if (strncmp(perp_last_message(), expected, strlen(expected)) != 0)
        fail_msg("expected '%s', got '%s'", expected, perp_last_message());
      at[i] = kept;
      at[N - 1] = last;
    }
  perp_result result;
  assert_int_equal(perp_solve(solver, &p, v[3], &result), PERP_OK);
  perp_solver_destroy(solver);
}

// No NaN leaves perp_apply.
static void products(void **state) {
  (void)state;
  const double A[] = {1e300, 1e300, 1.0, -1.0};
  const perp_dense matrix = {.n = 2, .value = A};
  const perp_operator operator = perp_from_dense(&matrix, PERP_CLAIM_NONE);
  double y[2] = {7.0, 7.0};
  assert_int_equal(perp_apply(&operator, (const double[]){1.0, NAN}, y), PERP_ERROR_ARGUMENT);
  assert_string_equal(perp_last_message(), "perp_apply: x[1] = nan is not finite");
  assert_true(y[0] == 7.0 && y[1] == 7.0);
  assert_int_equal(perp_apply(&operator, (const double[]){1e300, 1.0}, y), PERP_ERROR_OPERATOR);
  assert_string_equal(perp_last_message(), "perp_apply: row 0 of A x is not finite");
  assert_true(y[0] == 0.0 && y[1] == 0.0);
  assert_int_equal(perp_apply(&operator, (const double[]){0.5, 0.25}, y), PERP_OK);
  assert_true(y[0] == 0.75e300 && y[1] == 0.25);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products),
      cmocka_unit_test(operators), cmocka_unit_test(dense),
      cmocka_unit_test(csc),       cmocka_unit_test(product),
      cmocka_unit_test(contacts),
      cmocka_unit_test(vectors),   cmocka_unit_test(empty),
      cmocka_unit_test(first_of_many),
      cmocka_unit_test(texts),     cmocka_unit_test(methods_say_what_they_need),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
