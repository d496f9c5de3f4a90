// test_assemble.c: the entries that are taken from an operator are those of its matrix.
#include "counting.h"
#include "support.h"

#include "assemble.h"

enum { MOST = 40 };

// The shape that the header promises, and the values of M (n x n, row-major) to a rounding or two.
static void check(const perp_csc *A, int32_t n, const double *M, int diagonal, double tolerance) {
  assert_int_equal(A->rows, n);
  assert_int_equal(A->columns, n);
  assert_int_equal(A->colptr[0], 0);
  double *column = calloc((size_t)n + 1, sizeof *column);
  assert_non_null(column);
  for (int32_t j = 0; j < n; j++) {
    int on_diagonal = 0;
    for (int32_t i = 0; i < n; i++) column[i] = 0.0;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t i = A->row[p];
      assert_in_range(i, 0, n - 1);
      if (p > A->colptr[j]) assert_true(i > A->row[p - 1]);
      if (A->value[p] == 0.0) assert_true(diagonal && i == j);
      on_diagonal |= i == j;
      column[i] = A->value[p];
    }
    if (diagonal) assert_true(on_diagonal);
    for (int32_t i = 0; i < n; i++)
      assert_true(fabs(column[i] - M[i*n + j]) <= tolerance*(1.0 + fabs(M[i*n + j])));
  }
  free(column);
}

static void check_operator(const perp_operator *A, const double *M, double tolerance) {
  for (int diagonal = 0; diagonal < 2; diagonal++) {
    perp_csc B;
    assert_int_equal(assemble_accepts(A), 1);
    assert_int_equal(assemble_csc(A, diagonal, NULL, &B), 0);
    check(&B, A->n, M, diagonal, tolerance);
    assembled_free(NULL, &B);
  }
}

// As it is, scaled, shifted, both ways round, and restricted. M: n x n, row-major.
static void check_wrapped(perp_operator A, const double *M, double tolerance) {
  const int32_t n = A.n;
  double *N = calloc((size_t)n*(size_t)n + 1, sizeof *N);
  double R[MOST], C[MOST];
  int32_t set[MOST], m = 0;
  assert_non_null(N);
  for (int32_t i = 0; i < n; i++) {
    R[i] = between(0.5, 2);
    C[i] = between(0.5, 2);
    if (uniform() < 0.6) set[m++] = i;
  }
  check_operator(&A, M, tolerance);
  perp_wrapper w, v;
  perp_operator B = perp_shifted(&w, perp_scaled(&v, A, R, C), 0.25);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) N[i*n + j] = R[i]*M[i*n + j]*C[j] + (i == j ? 0.25 : 0.0);
  check_operator(&B, N, tolerance + 1e-15);

  B = perp_scaled(&v, perp_shifted(&w, A, 0.25), R, C);      // no view can say this
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) N[i*n + j] = R[i]*(M[i*n + j] + (i == j ? 0.25 : 0.0))*C[j];
  check_operator(&B, N, tolerance + 1e-15);

  B = perp_restricted(&w, A, set, m);
  for (int32_t k = 0; k < m; k++)
    for (int32_t l = 0; l < m; l++) N[k*m + l] = M[set[k]*n + set[l]];
  check_operator(&B, N, tolerance);
  free(N);
}

static void sparse_random(sample *s) {
  for (int32_t i = 0; i < s->n; i++)
    for (int32_t j = 0; j < s->n; j++) AT(s, i, j) = uniform() < 0.3 ? between(-1, 1) : 0.0;
}

static void dense_matrices_in_any_layout(void **state) {
  (void)state;
  support_state = 31;
  for (int trial = 0; trial < often(100); trial++) {
    sample s = sample_new(whole(0, MOST));
    sparse_random(&s);
    const int32_t n = s.n, ld = n + whole(0, 3);
    double *value = calloc((size_t)ld*(size_t)n + 1, sizeof *value);
    const int by_column = whole(0, 1);
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++)
        value[by_column ? i + j*ld : i*ld + j] = AT(&s, i, j);
    const perp_dense dense = {n, value, ld == n ? 0 : ld, by_column};
    check_wrapped(perp_from_dense(&dense, 0), s.M, 0.0);
    free(value);
    sample_free(&s);
  }
}

static void columns_that_begin_anywhere_with_stored_zeros(void **state) {
  (void)state;
  support_state = 32;
  for (int trial = 0; trial < often(100); trial++) {
    sample s = sample_new(whole(0, MOST));
    sparse_random(&s);
    sample_csc(&s, trial%2, 0);
    const int32_t n = s.n, skip = whole(0, 5);        // a block in the middle of larger arrays
    int32_t colptr[MOST + 1];
    for (int32_t j = 0; j <= n; j++) colptr[j] = s.colptr[j] + skip;
    int32_t *row = calloc((size_t)(s.colptr[n] + skip) + 1, sizeof *row);
    double *value = calloc((size_t)(s.colptr[n] + skip) + 1, sizeof *value);
    for (int32_t p = 0; p < s.colptr[n]; p++) {
      row[p + skip] = s.row[p];
      value[p + skip] = s.value[p];
    }
    const perp_csc A = {n, n, colptr, row, value};
    check_wrapped(perp_from_csc(&A, 0), s.M, 0.0);
    free(row);
    free(value);
    sample_free(&s);
  }
}

typedef struct contact {        // a random product, and A formed from its dense J and W
  int32_t rowptr[MOST + 1], column[MOST*60];
  double value[MOST*60], W[60*3], compliance[MOST], A[MOST*MOST];
  perp_product product;
} contact;

static void contact_fill(contact *c, int32_t n, int32_t block, int32_t bodies) {
  const int32_t dofs = block*bodies;
  double J[MOST][60] = {{0}}, W[60][60] = {{0}};
  int32_t count = 0;
  for (int32_t i = 0; i < n; i++) {
    c->rowptr[i] = count;
    for (int32_t k = 0; k < dofs; k++) {
      if (uniform() > 0.2) continue;
      J[i][k] = c->value[count] = between(-1, 1);
      c->column[count++] = k;
    }
    c->compliance[i] = between(0, 1);
  }
  c->rowptr[n] = count;
  for (int32_t b = 0; b < bodies; b++)
    for (int32_t k = 0; k < block; k++)
      for (int32_t l = k; l < block; l++) {
        const double w = k == l ? between(1, 2) : between(-0.3, 0.3);
        const int32_t at = b*block;
        W[at + k][at + l] = W[at + l][at + k] = w;
        c->W[(at + k)*block + l] = c->W[(at + l)*block + k] = w;
      }
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      long double sum = i == j ? c->compliance[i] : 0.0;
      for (int32_t k = 0; k < dofs; k++)
        for (int32_t l = 0; l < dofs; l++) sum += (long double)J[i][k]*W[k][l]*J[j][l];
      c->A[i*n + j] = (double)sum;
    }
  c->product = (perp_product){n, dofs, c->rowptr, c->column, c->value, block, c->W, c->compliance};
}

static void products_are_formed_with_symmetric_bits(void **state) {
  (void)state;
  support_state = 33;
  contact *c = malloc(sizeof *c);
  assert_non_null(c);
  for (int trial = 0; trial < often(60); trial++) {
    const int32_t n = whole(0, 25), block = trial%2 ? 1 : 3;
    contact_fill(c, n, block, whole(1, block == 1 ? 30 : 10));
    const perp_operator A = perp_from_product(&c->product, 0);
    check_wrapped(A, c->A, 1e-14);
    perp_csc B, T;
    assert_int_equal(assemble_csc(&A, 0, NULL, &B), 0);
    assert_int_equal(transpose_csc(&B, NULL, &T), 0);
    const size_t nnz = (size_t)B.colptr[n];
    assert_memory_equal(B.colptr, T.colptr, ((size_t)n + 1)*sizeof(int32_t));
    assert_memory_equal(B.row, T.row, nnz*sizeof(int32_t));
    assert_memory_equal(B.value, T.value, nnz*sizeof(double));
    assembled_free(NULL, &B);
    assembled_free(NULL, &T);
  }
  free(c);
}

static int zero(void *context, const double *x, double *y) {
  (void)context;
  (void)x;
  y[0] = 0.0;
  return 0;
}

static void what_is_known_by_products_only_is_refused(void **state) {
  (void)state;
  const perp_callback callback = {.n = 1, .apply = zero};
  const perp_operator A = perp_from_callback(&callback, 0);
  perp_csc B;
  assert_int_equal(assemble_accepts(&A), 0);
  assert_int_equal(assemble_csc(&A, 1, NULL, &B), 1);
  assembled_free(NULL, &B);
}

// A_ij = 1 + i + 1000 j where i + j is even, known by submatrix() only.
static double formula(int32_t i, int32_t j) { return (i + j)%2 ? 0.0 : 1.0 + i + 1000.0*j; }

static int nothing(const void *self, const double *x, double *y, void *scratch) {
  (void)self;
  (void)x;
  (void)y;
  (void)scratch;
  return 1;
}
static void formula_submatrix(const void *self, const int32_t *set, int32_t m, double *S) {
  (void)self;
  for (int32_t k = 0; k < m; k++) {
    if (k > 0) assert_true(set[k] > set[k - 1]);             // sets ascend
    for (int32_t l = 0; l < m; l++) S[k*m + l] = formula(set[k], set[l]);
  }
}

static void unknown_operators_are_asked_tile_by_tile(void **state) {
  (void)state;
  const perp_operator_ops ops = {.name = "formula", .apply = nothing,
                                 .submatrix = formula_submatrix};
  for (int32_t n = 0; n < 200; n += 33) {
    const perp_operator A = {&ops, NULL, n, 0};
    double *M = calloc((size_t)n*(size_t)n + 1, sizeof *M);
    assert_non_null(M);
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++) M[i*n + j] = formula(i, j);
    check_operator(&A, M, 0.0);
    free(M);
  }
  const perp_operator large = {&ops, NULL, 100000, 0};       // that would take n^2 calls
  assert_int_equal(assemble_accepts(&large), 0);
}

static void rectangles_are_transposed(void **state) {
  (void)state;
  const int32_t colptr[] = {2, 4, 4, 5}, row[] = {9, 9, 0, 1, 1};
  const double value[] = {9, 9, 1, 2, 3};
  const perp_csc A = {2, 3, colptr, row, value};             // [1 0 0; 2 0 3]
  perp_csc T;
  assert_int_equal(transpose_csc(&A, NULL, &T), 0);
  const int32_t pointers[] = {0, 1, 3}, rows[] = {0, 0, 2};
  const double values[] = {1, 2, 3};
  assert_int_equal(T.rows, 3);
  assert_int_equal(T.columns, 2);
  assert_memory_equal(T.colptr, pointers, sizeof pointers);
  assert_memory_equal(T.row, rows, sizeof rows);
  assert_memory_equal(T.value, values, sizeof values);
  assembled_free(NULL, &T);
}

static void memory_may_fail_at_any_request(void **state) {
  (void)state;
  support_state = 34;
  contact *c = malloc(sizeof *c);
  sample s = sample_new(MOST);
  assert_non_null(c);
  contact_fill(c, 20, 3, 8);
  for (int32_t k = 0; k < MOST*MOST; k++) s.M[k] = 1.0;      // more than the builder expects
  int32_t set[MOST];
  for (int32_t k = 0; k < MOST; k++) set[k] = k;
  perp_wrapper columns, tiles;
  perp_operator kinds[5] = {perp_from_product(&c->product, 0), sample_dense(&s)->A};
  kinds[2] = sample_csc(&s, 0, 0)->A;
  kinds[3] = perp_restricted(&columns, kinds[2], set, MOST);
  kinds[4] = perp_restricted(&tiles, kinds[0], set, 20);
  for (int kind = 0; kind < 5; kind++) {
    int done = 0;
    for (int64_t k = 1; !done && k < 100; k++) {
      counter count = {.fail_at = k};
      const perp_allocator allocator = {counted_allocate, counted_release, &count};
      perp_csc B;
      const int status = assemble_csc(&kinds[kind], 1, &allocator, &B);
      done = count.requests < k;
      assert_int_equal(status, done ? 0 : -2);
      assembled_free(&allocator, &B);
      assert_int_equal(count.live, 0);
    }
    assert_true(done);
  }
  free(c);
  sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(dense_matrices_in_any_layout),
    cmocka_unit_test(columns_that_begin_anywhere_with_stored_zeros),
    cmocka_unit_test(products_are_formed_with_symmetric_bits),
    cmocka_unit_test(what_is_known_by_products_only_is_refused),
    cmocka_unit_test(unknown_operators_are_asked_tile_by_tile),
    cmocka_unit_test(rectangles_are_transposed),
    cmocka_unit_test(memory_may_fail_at_any_request),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
