// test_componentwise.c: no row is lost beside larger ones, whatever the units. How often an
// unsolvable problem with b over ten magnitudes is called solved is counted by test_campaign.
#include <perp/method.h>

#include "certify.h"
#include "support.h"

enum { MOST = 12 };

typedef struct small { int32_t n; double A[MOST*MOST], b[MOST], x[MOST]; } small;

static perp_certificate judge_small(const small *s, double componentwise_tol) {
  const perp_dense D = {.n = s->n, .value = s->A};
  const perp_problem p = {.A = perp_from_dense(&D, 0), .b = s->b};
  perp_tolerances t = perp_default_tolerances();
  t.componentwise_tol = componentwise_tol;
  perp_certificate c;
  assert_int_equal(perp_certify_with(&p, s->x, &t, NULL, &c), PERP_OK);
  return c;
}

// Rows 3 and 4 force x_3 = x_4 = 0, row 2 wants their sum to be 1e8: there is no solution.
static const small unsolvable = {
    .n = 6,
    .A = {-1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0,
          0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, -1},
    .b = {1000, -1000, -1e8, 1, 1, 0}, .x = {0, 0, 0, 3e7, 7e7, 0}};

static void a_row_that_is_all_wrong_is_not_solved(void **state) {
  (void)state;
  const perp_certificate c = judge_small(&unsolvable, 0.0);
  assert_true(c.residual <= 1.001e-8);
  assert_false(c.solved);
  assert_true(c.componentwise > 0.5 && c.componentwise <= 1.0);
  assert_true(c.componentwise_row == 3 || c.componentwise_row == 4);
  assert_true(judge_small(&unsolvable, (double)INFINITY).solved);   // the rule is off
  small s = unsolvable;
  const perp_dense D = {.n = s.n, .value = s.A};
  const perp_problem p = {.A = perp_from_dense(&D, 0), .b = s.b};
  perp_result r;
  memset(s.x, 0, sizeof s.x);
  assert_int_equal(perp_solve_once(&p, s.x, NULL, &r), PERP_OK);
  assert_true(r.status != PERP_STATUS_SOLVED);
}

// The message names the row, the number, the limit, the option and what to do.
static void the_message_says_that_a_row_is_wrong(void **state) {
  (void)state;
  const perp_dense D = {.n = unsolvable.n, .value = unsolvable.A};
  const perp_problem p = {.A = perp_from_dense(&D, 0), .b = unsolvable.b};
  small s = unsolvable;
  perp_options o = perp_default_options(perp_find_method("pgs"));
  o.iteration_limit = 1;
  o.presolve = 0;
  perp_result r;
  assert_int_equal(perp_solve_once(&p, s.x, &o, &r), PERP_OK);
  assert_true(r.status != PERP_STATUS_SOLVED && r.certificate.residual <= 1e-8);
  const char *const words[] = {"Row 3 is wrong by 0.999 of its own data", "componentwise_tol allows 0.01",
                               "Raise componentwise_tol to accept such an x."};
  for (int k = 0; k < 3; k++)
    if (strstr(r.message, words[k]) == NULL) fail_msg("'%s' is not in: %s", words[k], r.message);
  o.componentwise_tol = 2.0;        // and so it does
  s = unsolvable;
  assert_int_equal(perp_solve_once(&p, s.x, &o, &r), PERP_OK);
  if (r.status != PERP_STATUS_SOLVED) fail_msg("%s", r.message);
}

static void tolerances_are_checked(void **state) {
  (void)state;
  const perp_dense D = {.n = 6, .value = unsolvable.A};
  const perp_problem p = {.A = perp_from_dense(&D, 0), .b = unsolvable.b};
  perp_tolerances t = perp_default_tolerances();
  perp_certificate c;
  t.componentwise_tol = -1.0;
  assert_int_equal(perp_certify_with(&p, unsolvable.x, &t, NULL, &c), PERP_ERROR_ARGUMENT);
  t = (perp_tolerances){.tol = 1e-8};
  assert_int_equal(perp_certify_with(&p, unsolvable.x, &t, NULL, &c), PERP_ERROR_ARGUMENT);
}

// Rows that hardly know of a large one, b = (-1e9, -3, -3, ...), where one of the small ones is left out
// of x. The kinds are Z-matrices, by rows, by columns and as a grid of cells, and a semidefinite
// matrix of many rows, as contacts are.
enum { LINE = 80 };

static void expect_that_x_counts(const perp_problem *p, double *x, int32_t out, const char *kind) {
  perp_result r;
  perp_certificate c;
  perp_tolerances t = perp_default_tolerances();
  memset(x, 0, (size_t)p->A.n*sizeof *x);
  assert_int_equal(perp_solve_once(p, x, NULL, &r), PERP_OK);
  if (r.status != PERP_STATUS_SOLVED) fail_msg("%s: %s", kind, r.message);
  x[out] = 0.0;
  assert_int_equal(perp_certify_with(p, x, &t, NULL, &c), PERP_OK);
  if (!(c.residual <= 1e-8)) fail_msg("%s: residual %g", kind, c.residual);
  if (c.solved || c.componentwise_row != out || !(c.componentwise > 0.4))
    fail_msg("%s: solved %d, row %d is wrong by %g", kind, (int)c.solved, (int)c.componentwise_row,
             c.componentwise);
  t.componentwise_tol = (double)INFINITY;             // without the rule
  assert_int_equal(perp_certify_with(p, x, &t, NULL, &c), PERP_OK);
  assert_true(c.solved);
  certifier_alone alone;                              // as a solve asks it
  assert_int_equal(certifier_begin("test", p, NULL, &alone), PERP_OK);
  alone.c.exact = 0;
  assert_int_equal(alone.c.ops->check(&alone.c, x, 1e-8, 0.0, 0, &c), PERP_OK);
  certifier_end(&alone);
  if (c.solved) fail_msg("%s: a solve accepts it", kind);
}

static void small_rows_count_in_every_kind_of_matrix(void **state) {
  (void)state;
  const double little = 1e-9;
  double b[LINE], x[LINE], value[3*LINE], entry[2*LINE], weight[LINE], faces[5] = {1, 1, little, 1, 1};
  int32_t colptr[LINE + 1] = {0}, row[3*LINE], rowptr[LINE + 1] = {0}, column[2*LINE];
  for (int32_t i = 0; i < LINE; i++) {
    b[i] = i == 0 ? -1e9 : -3.0;
    weight[i] = 1.0;
    int32_t at = colptr[i], end = rowptr[i];
    for (int32_t k = i > 0 ? i - 1 : 0; k <= i + 1 && k < LINE; k++) {
      row[at] = k;
      value[at++] = k == i ? 1.0 : -little;
    }
    colptr[i + 1] = at;
    for (int32_t k = i > 0 ? i - 1 : 0; k <= i; k++) {   // J: row i is e_i + little e_(i-1)
      column[end] = k;
      entry[end++] = k == i ? 1.0 : little;
    }
    rowptr[i + 1] = end;
  }
  const double Z[] = {1.0, -little, -little, 1.0};
  const perp_dense D = {.n = 2, .value = Z};
  const perp_csc A = {LINE, LINE, colptr, row, value};
  const perp_product P = {.n = LINE, .dofs = LINE, .rowptr = rowptr, .column = column, .value = entry,
                          .block = 1, .W = weight};
  expect_that_x_counts(&(perp_problem){.A = perp_from_dense(&D, 0), .b = b}, x, 1, "dense");
  expect_that_x_counts(&(perp_problem){.A = perp_from_csc(&A, PERP_CLAIM_SYMMETRIC), .b = b}, x, 1,
                       "CSC");
  expect_that_x_counts(&(perp_problem){.A = perp_from_product(&P, PERP_CLAIM_SYMMETRIC), .b = b}, x,
                       1, "product");
  const uint8_t type[] = {PERP_CELL_AIR, PERP_CELL_LIQUID, PERP_CELL_LIQUID, PERP_CELL_AIR};
  const double beside[8] = {0}, of_cells[] = {0.0, -1e9, -1.0, 0.0};
  double lo[4], hi[4];
  const perp_grid G = {.cells = {4, 1, 1}, .spacing = {1, 1, 1}, .type = type,
                       .face = {faces, beside, beside}};
  assert_int_equal(perp_grid_bounds(&G, 1, lo, hi), PERP_OK);
  expect_that_x_counts(&(perp_problem){.A = perp_from_grid(&G, 0), .b = of_cells, .lo = lo, .hi = hi},
                       x, 2, "grid");
}

static double magnitude(void) {   // 1..1e10, of either sign
  double v = whole(1, 9);
  for (int k = whole(0, 9); k > 0; k--) v *= 10.0;
  return whole(0, 1) ? v : -v;
}

// A whole problem and an x that may solve it, nearly, or not at all.
static void draw_small(small *s) {
  s->n = whole(2, 5);
  for (int i = 0; i < s->n; i++) {
    for (int j = 0; j < s->n; j++) s->A[i*s->n + j] = whole(0, 9) < 7 ? whole(-2, 2) : 0;
    s->b[i] = magnitude();
    s->x[i] = 0.0;
  }
  const perp_dense D = {.n = s->n, .value = s->A};
  const perp_problem p = {.A = perp_from_dense(&D, 0), .b = s->b};
  perp_options o = perp_default_options(perp_find_method("lemke"));
  o.componentwise_tol = whole(0, 1) ? (double)INFINITY : 0.0;
  perp_result r;
  assert_int_equal(perp_solve_once(&p, s->x, &o, &r), PERP_OK);
  if (whole(0, 2) == 0) s->x[whole(0, s->n - 1)] += 3.0;
}

static void same(const perp_certificate *a, const perp_certificate *b, const char *what) {
  if (fabs(a->residual/1e-8 - 1.0) < 1e-3) return;   // on the edge of the tolerance
  assert_int_equal(a->solved, b->solved);
  if (a->residual > 1e-8) return;   // the x of an x that is no solution is not moved
  // The unit of halves that only b ties together is a power of two near b: the measure may change
  // by such a factor.
  const double ratio = b->componentwise/a->componentwise;
  if (fabs(a->componentwise - b->componentwise) > 1e-6*(1.0 + a->componentwise) &&
      !(ratio >= 0.25 && ratio <= 4.0))
    fail_msg("componentwise %g, and %g %s", a->componentwise, b->componentwise, what);
}

// s in other units: rows times 2^row_i, columns times 2^column_j.
static void change_units(const small *s, const int *row, const int *column, small *t) {
  *t = *s;
  for (int i = 0; i < s->n; i++) {
    for (int j = 0; j < s->n; j++)
      t->A[i*s->n + j] = ldexp(s->A[i*s->n + j], row[i] + column[j]);
    t->b[i] = ldexp(s->b[i], row[i]);
    t->x[i] = ldexp(s->x[i], -column[i]);
  }
}

static void units_order_and_neighbours_do_not_matter(void **state) {
  (void)state;
  static small s, t;
  support_state = 11;
  int solved = 0, ruled = 0, far_apart = 0;
  for (int trial = 0; trial < 600; trial++) {
    draw_small(&s);
    const int n = s.n;
    const perp_certificate first = judge_small(&s, 0.0);
    solved += first.solved;
    ruled += !first.solved && first.residual <= 1e-8;
    int row[MOST], column[MOST];
    const int all_rows = whole(-30, 30), all_columns = whole(-30, 30);
    for (int i = 0; i < n; i++) {
      row[i] = all_rows;
      column[i] = all_columns;
    }
    change_units(&s, row, column, &t);
    perp_certificate other = judge_small(&t, 0.0);
    same(&first, &other, "in other units");
    // Each row and column in units of its own. R and C are powers of two that follow them up to such
    // a factor: the verdict is the same but next to tol, and the measures are not to the digit.
    for (int i = 0; i < n; i++) {
      row[i] = whole(-3, 3);
      column[i] = whole(-3, 3);
    }
    change_units(&s, row, column, &t);
    other = judge_small(&t, 0.0);
    const int near_tol = first.residual > 0.25e-8 && first.residual < 4e-8;
    if (!near_tol) assert_int_equal(first.solved, other.solved);
    for (int i = 0; i < n; i++) {   // and in units that are far apart
      row[i] *= 10;
      column[i] *= 10;
    }
    change_units(&s, row, column, &t);
    other = judge_small(&t, 0.0);
    far_apart += first.solved != other.solved;
    t = s;
    for (int i = 0; i < n; i++) {   // in the opposite order
      for (int j = 0; j < n; j++) t.A[i*n + j] = s.A[(n - 1 - i)*n + n - 1 - j];
      t.b[i] = s.b[n - 1 - i];
      t.x[i] = s.x[n - 1 - i];
    }
    other = judge_small(&t, 0.0);
    same(&first, &other, "in another order");
    t.n = 2*n;                      // beside a problem a million times as large, which is solved
    memset(t.A, 0, sizeof t.A);
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) t.A[i*2*n + j] = s.A[i*n + j];
      t.A[(n + i)*2*n + n + i] = 1.0;
      t.b[i] = s.b[i];
      t.x[i] = s.x[i];
      t.b[n + i] = -1e16;
      t.x[n + i] = 1e16;
    }
    other = judge_small(&t, 0.0);
    same(&first, &other, "beside other rows");
  }
  assert_true(solved > 100 && ruled > 3);
  assert_true(far_apart <= 6);      // of 600: matrices whose units nobody can tell (docs/theory.md)
}

// A solve takes a quick bound in place of the measure, and may not accept what perp_certify refuses.
// The two scalings of this A differ by 2000 in row 1, and the smaller one counts.
static void the_quick_bound_accepts_no_more_than_the_measure(void **state) {
  (void)state;
  const int32_t colptr[] = {0, 3, 6, 9}, row[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  const double value[] = {1.865e6,    -150.3,   -1.497e-4, -150.3,  1.246e7,
                          -1.863e7,   -1.497e-4, -1.863e7, 1.607e-6};
  const double x[] = {1.6245e-6, 3.72686e-15, 4.36545e-12};
  const perp_csc A = {3, 3, colptr, row, value};
  double b[3];
  const perp_problem p = {.A = perp_from_csc(&A, PERP_CLAIM_SYMMETRIC), .b = b};
  for (int i = 0; i < 3; i++) {
    double size = 0.0;
    b[i] = 0.0;
    for (int j = 0; j < 3; j++) {
      b[i] -= value[3*i + j]*x[j];
      size += fabs(value[3*i + j]*x[j]);
    }
    if (i == 1) b[i] += 0.0264*size;   // of which about half is left beside |A||x| + |b|
  }
  certifier_alone alone;
  perp_certificate quick, exact;
  assert_int_equal(certifier_begin("test", &p, NULL, &alone), PERP_OK);
  alone.c.componentwise.tol = 1e-2;
  assert_int_equal(alone.c.ops->check(&alone.c, x, 9e-7, 0.0, 0, &exact), PERP_OK);
  assert_true(alone.c.two && exact.residual <= 9e-7);
  assert_true(exact.componentwise > 1e-2 && exact.componentwise_row == 1 && !exact.solved);
  alone.c.exact = 0;                  // as a solve asks it
  assert_int_equal(alone.c.ops->check(&alone.c, x, 9e-7, 0.0, 0, &quick), PERP_OK);
  certifier_end(&alone);
  assert_false(quick.solved);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_that_is_all_wrong_is_not_solved),
      cmocka_unit_test(the_message_says_that_a_row_is_wrong),
      cmocka_unit_test(tolerances_are_checked),
      cmocka_unit_test(the_quick_bound_accepts_no_more_than_the_measure),
      cmocka_unit_test(small_rows_count_in_every_kind_of_matrix),
      cmocka_unit_test(units_order_and_neighbours_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
