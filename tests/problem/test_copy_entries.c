// test_copy_entries.c: perp_copy_entries copies the entries of every matrix that shows them, says
// why it cannot, and leaves nothing behind when it fails.
#include <stdio.h>

#include "counting.h"
#include "subjects.h"

// Sorted, without zeros but for the diagonal, and the values of s->M to a few roundings.
static void check_copy(const subject *s, int32_t diagonal) {
  perp_csc A;
  assert_int_equal(perp_copy_entries(&s->A, diagonal, NULL, &A), PERP_OK);
  assert_true(A.rows == s->n && A.columns == s->n && A.colptr[0] == 0);
  for (int32_t j = 0; j < s->n; j++) {
    double column[N] = {0.0};
    int on_diagonal = 0;
    for (int32_t p = A.colptr[j]; p < A.colptr[j + 1]; p++) {
      const int32_t i = A.row[p];
      assert_in_range(i, 0, s->n - 1);
      assert_true(p == A.colptr[j] || i > A.row[p - 1]);
      assert_true(A.value[p] != 0.0 || (diagonal && i == j));
      on_diagonal |= i == j;
      column[i] = A.value[p];
    }
    assert_true(on_diagonal || !diagonal);
    for (int32_t i = 0; i < s->n; i++)
      if (fabsl(column[i] - s->M[i][j]) > 1e-13L*(1.0L + fabsl(s->M[i][j])))
        fail_msg("%s: A[%d][%d] = %.17g, expected %.17Lg", s->name, i, j, column[i], s->M[i][j]);
  }
  perp_entries_free(NULL, &A);
  assert_null(A.colptr);
  perp_entries_free(NULL, &A);   // nothing is there any more
}

static void check_subject(const subject *s) {
  const perp_csc before = {7, 7, NULL, NULL, NULL};
  perp_csc A = before;
  if (strstr(s->name, "callback") == NULL) {
    assert_int_equal(perp_has_entries(&s->A), 1);
    check_copy(s, 0);
    check_copy(s, 1);
    return;
  }
  char message[200];
  snprintf(message, sizeof message, "operator '%s' does not show its entries: it has no view of "
           "them, no add_column() and no submatrix()", s->A.ops->name);
  assert_int_equal(perp_has_entries(&s->A), 0);
  assert_int_equal(perp_copy_entries(&s->A, 0, NULL, &A), PERP_ERROR_UNSUPPORTED);
  assert_string_equal(perp_last_message(), message);
  assert_memory_equal(&A, &before, sizeof A);
}

static void every_kind_in_every_wrapper(void **state) {
  (void)state;
  static subject base, once, twice;
  for (int which = 0; which < BASES; which++) {
    make_base(which, &base);
    check_subject(&base);
    for (int outer = 0; outer < WRAPS; outer++) {
      wrap(outer, &base, &once);
      check_subject(&once);
      for (int more = 0; more < WRAPS; more++) {
        wrap(more, &once, &twice);
        check_subject(&twice);
      }
    }
  }
}

static void memory_may_fail_at_any_request(void **state) {
  (void)state;
  static subject base, once, twice;
  for (int which = 0; which < BASES; which++) {
    make_base(which, &base);
    if (!perp_has_entries(&base.A)) continue;
    wrap(1, &base, &once);    // R (A + shift) C has no view
    wrap(0, &once, &twice);
    const perp_operator *const kinds[] = {&base.A, &twice.A};
    for (int k = 0; k < 2; k++) {
      int done = 0;
      for (int64_t request = 1; !done; request++) {
        counter count = {.fail_at = request};
        const perp_allocator allocator = {counted_allocate, counted_release, &count};
        const perp_csc before = {7, 7, NULL, NULL, NULL};
        perp_csc A = before;
        const perp_error error = perp_copy_entries(kinds[k], 1, &allocator, &A);
        done = count.requests < request;
        assert_int_equal(error, done ? PERP_OK : PERP_ERROR_MEMORY);
        if (done) perp_entries_free(&allocator, &A);
        else assert_memory_equal(&A, &before, sizeof A);
        assert_int_equal(count.live, 0);
      }
      perp_csc none;
      counter count = {.fail_at = 1};
      const perp_allocator allocator = {counted_allocate, counted_release, &count};
      assert_int_equal(perp_copy_entries(kinds[k], 0, &allocator, &none), PERP_ERROR_MEMORY);
      assert_string_equal(perp_last_message(), "perp_copy_entries: no memory for n = 24, or more "
                          "than 2147483647 entries");
    }
  }
}

// The copy is refused with this message, and nothing is left of it.
static void refused(perp_operator A, perp_error expected, const char *message) {
  counter count = {0};
  const perp_allocator allocator = {counted_allocate, counted_release, &count};
  const perp_csc before = {7, 7, NULL, NULL, NULL};
  perp_csc copy = before;
  assert_int_equal(perp_copy_entries(&A, 0, &allocator, &copy), expected);
  assert_string_equal(perp_last_message(), message);
  assert_memory_equal(&copy, &before, sizeof copy);
  assert_int_equal(count.live, 0);
}

static void numbers_that_are_not_finite(void **state) {
  (void)state;
  double dense[] = {1, 2, NAN, 4};
  const perp_dense D = {.n = 2, .value = dense};
  refused(perp_from_dense(&D, 0), PERP_ERROR_PROBLEM, "A[1][0] = nan is not finite");
  const int32_t ptr[] = {0, 1, 2}, index[] = {0, 1};
  double value[] = {1, -INFINITY}, W[] = {1, 2}, mu[] = {NAN};
  const perp_csc S = {2, 2, ptr, index, value};
  refused(perp_from_csc(&S, 0), PERP_ERROR_PROBLEM, "A[1][1] = -inf is not finite (value[1])");
  const perp_product P = {.n = 2, .dofs = 2, .rowptr = ptr, .column = index, .value = value,
                          .block = 1, .W = W};
  refused(perp_from_product(&P, 0), PERP_ERROR_PROBLEM, "product: value[1] = -inf is not finite");
  value[1] = 1e200;   // finite, but not squared
  refused(perp_from_product(&P, 0), PERP_ERROR_OPERATOR,
          "perp_copy_entries: A[1][1] = inf is not finite");
  W[1] = -1;
  refused(perp_from_product(&P, 0), PERP_ERROR_PROBLEM, "product: W[1][0] = -1 < 0");
  W[1] = value[1] = 1;
  const double direction[] = {1, -1};
  const perp_contacts C = {.count = 1, .directions = 2, .tangents = 1, .direction = direction,
                           .mu = mu, .B = P};
  refused(perp_from_contacts(&C, 0), PERP_ERROR_PROBLEM,
          "contacts: mu[0] = nan is outside [0, inf)");
  const uint8_t liquid[] = {PERP_CELL_LIQUID, PERP_CELL_LIQUID};
  const double weight[] = {1, NAN, 1};   // of the face between the two cells
  const perp_grid G = {.cells = {2, 1, 1}, .spacing = {1, 1, 1}, .type = liquid,
                       .face = {weight, NULL, NULL}};
  refused(perp_from_grid(&G, 0), PERP_ERROR_PROBLEM,
          "grid: face[0][1] = nan is outside [0, inf)");

  dense[2] = 1e300;   // finite, but not scaled
  const double large[] = {1e10, 1e10};
  perp_wrapper wrapper;
  refused(perp_scaled(&wrapper, perp_from_dense(&D, 0), large, large), PERP_ERROR_OPERATOR,
          "perp_copy_entries: A[1][0] = inf is not finite");
  refused(perp_shifted(&wrapper, perp_from_dense(&D, 0), (double)INFINITY), PERP_ERROR_PROBLEM,
          "shifted: shift = inf is not finite");
}

static int unused(const void *self, const double *x, double *y, void *scratch) {
  (void)self, (void)x, (void)y, (void)scratch;
  return 1;
}
static void identity_column(const void *self, int32_t j, double s, double *y) {
  y[j] += s**(const double *)self;
}

static void an_operator_without_a_view_is_read_by_columns(void **state) {
  (void)state;
  const perp_operator_ops ops = {.name = "diagonal", .apply = unused,
                                 .add_column = identity_column};
  double entry = 3.0;
  perp_operator A = {&ops, &entry, 5000, 0};
  perp_csc copy;
  assert_int_equal(perp_has_entries(&A), 1);
  assert_int_equal(perp_copy_entries(&A, 0, NULL, &copy), PERP_OK);
  assert_int_equal(copy.colptr[5000], 5000);
  assert_true(copy.row[4999] == 4999 && copy.value[4999] == 3.0);
  perp_entries_free(NULL, &copy);
  entry = NAN;
  refused(A, PERP_ERROR_OPERATOR, "perp_copy_entries: A[0][0] = nan is not finite");
  A.n = 5001;
  assert_int_equal(perp_has_entries(&A), 0);
  refused(A, PERP_ERROR_UNSUPPORTED, "operator 'diagonal' has n = 5001 and no view of its entries; "
          "they are read one by one up to n = 5000");
  A.n = -1;
  refused(A, PERP_ERROR_PROBLEM, "n = -1 < 0");
}

static void wrong_matrices_are_refused(void **state) {
  (void)state;
  int32_t colptr[] = {0, 1, 2}, row[] = {0, 2};
  const double value[] = {1, 1};
  perp_csc S = {2, 2, colptr, row, value};
  refused(perp_from_csc(&S, 0), PERP_ERROR_PROBLEM, "csc: row[1] = 2 is outside 0..1");
  colptr[0] = -1;
  refused(perp_from_csc(&S, 0), PERP_ERROR_PROBLEM, "csc: colptr[0] = -1 must be 0");
  S.rows = 3;
  refused(perp_from_csc(&S, 0), PERP_ERROR_PROBLEM,
          "A is 3 x 2: a complementarity problem needs a square matrix");
  refused(perp_from_csc(NULL, 0), PERP_ERROR_PROBLEM,
          "operator 'csc' has no data: self is NULL");
  refused((perp_operator){0}, PERP_ERROR_PROBLEM, "the operator has no apply()");
}

// Presolve makes blocks that share their arrays. A linear solver of the caller's gets such a block.
static void columns_of_a_block_begin_anywhere(void **state) {
  (void)state;
  const int32_t colptr[] = {2, 4, 5}, row[] = {9, 9, 0, 1, 1};
  const double value[] = {NAN, NAN, 1, 2, 3};
  const perp_csc block = {2, 2, colptr, row, value};   // [1 0; 2 3]
  const perp_operator A = perp_from_csc(&block, 0);
  double y[2];
  perp_csc copy;
  assert_int_equal(perp_apply(&A, (const double[]){1, 1}, y), PERP_OK);
  assert_true(y[0] == 1.0 && y[1] == 5.0);
  assert_int_equal(perp_copy_entries(&A, 0, NULL, &copy), PERP_OK);
  assert_true(copy.colptr[0] == 0 && copy.colptr[1] == 2 && copy.colptr[2] == 3);
  assert_memory_equal(copy.row, row + 2, 3*sizeof *row);
  assert_memory_equal(copy.value, value + 2, 3*sizeof *value);
  perp_entries_free(NULL, &copy);
}

static void a_matrix_without_rows_has_no_entries(void **state) {
  (void)state;
  const perp_dense D = {0};
  const perp_operator A = perp_from_dense(&D, 0);
  perp_csc copy;
  assert_int_equal(perp_copy_entries(&A, 1, NULL, &copy), PERP_OK);
  assert_true(copy.rows == 0 && copy.columns == 0 && copy.colptr[0] == 0);
  perp_entries_free(NULL, &copy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_kind_in_every_wrapper),
    cmocka_unit_test(memory_may_fail_at_any_request),
    cmocka_unit_test(numbers_that_are_not_finite),
    cmocka_unit_test(an_operator_without_a_view_is_read_by_columns),
    cmocka_unit_test(wrong_matrices_are_refused),
    cmocka_unit_test(columns_of_a_block_begin_anywhere),
    cmocka_unit_test(a_matrix_without_rows_has_no_entries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
