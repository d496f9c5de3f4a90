// test_basis.c: a basis, dense or sparse, solves with the matrix its columns make up, through
// exchanges and factorisations; dependent columns are found.
#include "support.h"

#include "basis.h"

enum { MOST = 60 };

typedef struct columns {   // the matrix under test, kept densely by the test itself
  int32_t n;
  double a[MOST*MOST];     // n x n, column-major
  int32_t colptr[MOST + 1], row[MOST*MOST];
  double value[MOST*MOST];
} columns;

static perp_csc packed(columns *c) {
  int32_t count = 0;
  for (int32_t j = 0; j < c->n; j++) {
    c->colptr[j] = count;
    for (int32_t i = 0; i < c->n; i++) {
      if (c->a[j*c->n + i] == 0.0) continue;
      c->row[count] = i;
      c->value[count++] = c->a[j*c->n + i];
    }
  }
  c->colptr[c->n] = count;
  return (perp_csc){c->n, c->n, c->colptr, c->row, c->value};
}

static void random_column(double *a, int32_t n, int32_t diagonal) {
  const int slack = uniform() < 0.5;
  for (int32_t i = 0; i < n; i++) a[i] = !slack && uniform() < 0.15 ? between(-1, 1) : 0.0;
  a[diagonal] = slack ? -1.0 : between(1, 2);
}

// max |B v - a| over rows
static double mismatch(const columns *c, const double *v, const double *a) {
  double worst = 0.0;
  for (int32_t i = 0; i < c->n; i++) {
    long double sum = -a[i];
    for (int32_t j = 0; j < c->n; j++) sum += (long double)c->a[j*c->n + i]*v[j];
    if (fabsl(sum) > worst) worst = (double)fabsl(sum);
  }
  return worst;
}

typedef struct held {      // a basis and its memory
  basis B;
  void *block;
  basis_vector u;
} held;

static void hold(held *h, int32_t n, int sparse, int32_t exchanges) {
  arena count = {0};
  basis_begin(&h->B, n, sparse, exchanges, &count, NULL);
  const size_t bytes = arena_block_bytes(&count);
  h->block = malloc(bytes);
  assert_non_null(h->block);
  arena memory = arena_on_block(h->block, bytes);
  assert_int_equal(basis_begin(&h->B, n, sparse, exchanges, &memory, NULL), 0);
  h->u = (basis_vector){calloc((size_t)n + 1, sizeof(double)),
                        calloc((size_t)n + 1, sizeof(int32_t)), 0};
  assert_true(h->u.value != NULL && h->u.index != NULL);
}

static void release(held *h) {
  basis_end(&h->B);
  free(h->block);
  free(h->u.value);
  free(h->u.index);
}

static basis_column sparse_side(const double *a, int32_t n, int32_t *row, double *value) {
  basis_column c = {0, row, value};
  for (int32_t i = 0; i < n; i++) {
    if (a[i] == 0.0) continue;
    row[c.count] = i;
    value[c.count++] = a[i];
  }
  return c;
}

static void check_solves(held *h, const columns *c) {
  const int32_t n = c->n;
  double a[MOST] = {0}, v[MOST], value[MOST], r[MOST];
  int32_t row[MOST];
  for (int32_t i = 0; i < n; i++) a[i] = uniform() < 0.2 ? between(-1, 1) : 0.0;
  const basis_column side = sparse_side(a, n, row, value);
  basis_solve(&h->B, &side, &h->u);
  assert_true(mismatch(c, h->u.value, a) < 1e-9);
  for (int32_t k = 0, seen = 0; k < n; k++) {   // the index names every non-zero
    if (h->u.value[k] == 0.0) continue;
    seen = 0;
    for (int32_t q = 0; q < h->u.count; q++) seen += h->u.index[q] == k;
    assert_int_equal(seen, 1);
  }
  for (int32_t i = 0; i < n; i++) v[i] = a[i] = between(-1, 1);
  basis_solve_dense(&h->B, v);
  assert_true(mismatch(c, v, a) < 1e-9);
  const int32_t position = whole(0, n - 1);
  basis_row(&h->B, position, r);
  for (int32_t j = 0; j < n; j++) {             // r' B = e_position'
    double sum = j == position ? -1.0 : 0.0;
    for (int32_t i = 0; i < n; i++) sum += r[i]*c->a[j*n + i];
    assert_true(fabs(sum) < 1e-9);
  }
}

static void exchanges_and_factorisations_agree(void **state) {
  (void)state;
  static columns c;
  for (int trial = 0; trial < often(40); trial++) {
    c.n = whole(1, MOST);
    const int32_t n = c.n;
    held h;
    hold(&h, n, trial%2, 16);
    for (int32_t j = 0; j < n; j++) random_column(c.a + j*n, n, j);
    perp_csc B = packed(&c);
    if (basis_factor(&h.B, &B, 1e-9, NULL) != 0) {   // by chance
      release(&h);
      continue;
    }
    check_solves(&h, &c);
    for (int step = 0; step < 40; step++) {
      double a[MOST], value[MOST];
      int32_t row[MOST];
      const int32_t position = whole(0, n - 1);
      random_column(a, n, whole(0, n - 1));
      const basis_column side = sparse_side(a, n, row, value);
      basis_solve(&h.B, &side, &h.u);
      if (fabs(h.u.value[position]) < 0.05) continue;
      const int code = basis_exchange(&h.B, position, &h.u);
      memcpy(c.a + position*n, a, (size_t)n*sizeof *a);
      B = packed(&c);
      if (code == 1 || step%13 == 12) assert_int_equal(basis_factor(&h.B, &B, 1e-9, NULL), 0);
      else assert_int_equal(code, 0);
      check_solves(&h, &c);
    }
    release(&h);
  }
}

static void dependent_columns_are_named(void **state) {
  (void)state;
  static columns c;
  for (int trial = 0; trial < often(40); trial++) {   // Gram matrices of rank r, all columns basic
    const int32_t n = c.n = whole(2, 30), r = whole(1, n/2);
    double G[30*30];
    uint8_t dependent[MOST];
    held h;
    for (int32_t k = 0; k < n*r; k++) G[k] = between(-1, 1);
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++) {
        double sum = 0.0;
        for (int32_t k = 0; k < r; k++) sum += G[i*r + k]*G[j*r + k];
        c.a[j*n + i] = sum;
      }
    hold(&h, n, trial%2, 16);
    perp_csc B = packed(&c);
    const int code = basis_factor(&h.B, &B, 1e-9, NULL);
    assert_true(code > 0 && code <= n);
    assert_int_equal(basis_dependent(&h.B, &B, 1e-6, dependent, NULL), 0);
    int32_t kept = 0;
    for (int32_t j = 0; j < n; j++) {
      kept += !dependent[j];
      for (int32_t i = 0; dependent[j] && i < n; i++) c.a[j*n + i] = i == j ? -1.0 : 0.0;
    }
    if (kept > r || kept < r - 1)                     // a nearly dependent one may go, too
      fail_msg("kept %d of rank %d, n = %d, sparse %d", kept, r, n, trial%2);
    B = packed(&c);
    const int again = basis_factor(&h.B, &B, 1e-11, NULL);
    if (again == 0) check_solves(&h, &c);
    else assert_true(trial%2 == 0);                   // the dense one chooses rows freely
    release(&h);
  }
}

static void an_empty_column_is_singular(void **state) {
  (void)state;
  static columns c;
  for (int sparse = 0; sparse < 2; sparse++) {
    held h;
    c.n = 3;
    memset(c.a, 0, sizeof c.a);
    c.a[0] = 1.0;
    c.a[4] = 2.0;
    hold(&h, 3, sparse, 4);
    const perp_csc B = packed(&c);
    assert_int_equal(basis_factor(&h.B, &B, 1e-11, NULL), 3);
    release(&h);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exchanges_and_factorisations_agree),
      cmocka_unit_test(dependent_columns_are_named),
      cmocka_unit_test(an_empty_column_is_singular),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
