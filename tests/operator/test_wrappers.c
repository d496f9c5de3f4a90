// test_wrappers.c: views, claims, aborts and odd sizes of operators and their wrappers.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "subjects.h"

static void views_are_kept_where_they_can_be(void **state) {
  (void)state;
  static subject base, one, two;
  for (int which = 0; which < BASES; which++) {
    make_base(which, &base);
    const perp_view bare = operator_view(&base.A);
    assert_int_not_equal(bare.kind, PERP_VIEW_NONE);
    wrap(0, &base, &one);
    perp_view v = operator_view(&one.A);
    assert_int_equal(v.kind, bare.kind);
    assert_ptr_equal(v.data, bare.data);
    assert_ptr_equal(v.R, one.R);
    assert_ptr_equal(v.C, one.C);
    wrap(1, &one, &two);                     // R A C + shift I
    v = operator_view(&two.A);
    assert_int_equal(v.kind, bare.kind);
    assert_ptr_equal(v.R, one.R);
    assert_true(v.shift == 0.7);
    wrap(0, &one, &two);                     // R (R A C) C has no view
    assert_int_equal(operator_view(&two.A).kind, PERP_VIEW_NONE);
    wrap(1, &base, &one);
    wrap(1, &one, &two);
    assert_true(operator_view(&two.A).shift == 0.7 + 0.7);
    wrap(0, &one, &two);                     // R (A + shift I) C has none either
    assert_int_equal(operator_view(&two.A).kind, PERP_VIEW_NONE);
    wrap(2, &base, &one);
    assert_int_equal(operator_view(&one.A).kind, PERP_VIEW_NONE);
  }
}

static void claims_follow(void **state) {
  (void)state;
  const double value[4] = {2.0, -1.0, -1.0, 2.0};
  const double R[2] = {2.0, 4.0}, C[2] = {1.0, 3.0}, minus[2] = {-1.0, 1.0};
  const perp_dense d = {2, value, 0, 0};
  const uint32_t all = PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD | PERP_CLAIM_PD |
                       PERP_CLAIM_Z | PERP_CLAIM_H;
  const perp_operator A = perp_from_dense(&d, all);
  perp_wrapper w;
  const int32_t set[1] = {1};
  assert_int_equal(perp_scaled(&w, A, R, R).claims, all);
  assert_int_equal(perp_scaled(&w, A, R, C).claims, PERP_CLAIM_Z | PERP_CLAIM_H);
  assert_int_equal(perp_scaled(&w, A, minus, minus).claims, PERP_CLAIM_NONE);
  assert_int_equal(perp_shifted(&w, A, 1.0).claims, all);
  assert_int_equal(perp_shifted(&w, A, -1.0).claims, PERP_CLAIM_SYMMETRIC | PERP_CLAIM_Z);
  const perp_operator semi = perp_from_dense(&d, PERP_CLAIM_PSD);
  assert_int_equal(perp_shifted(&w, semi, 0.0).claims, PERP_CLAIM_PSD);
  assert_int_equal(perp_shifted(&w, semi, 0.1).claims, PERP_CLAIM_PSD | PERP_CLAIM_PD);
  assert_int_equal(perp_restricted(&w, A, set, 1).claims, all);
  static subject s;
  make_base(5, &s);
  assert_int_equal(s.A.claims, PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD);
}

static int refuse(void *context, const double *x, double *y) {
  (void)context, (void)x, (void)y;
  return 7;
}

static void an_abort_comes_through(void **state) {
  (void)state;
  const perp_callback f = {2, refuse, refuse, NULL, NULL};
  const double R[2] = {1.0, 2.0}, x[2] = {1.0, 1.0};
  const int32_t set[1] = {1};
  perp_wrapper w[3];
  const perp_operator bare = perp_from_callback(&f, 0);
  const perp_operator A[4] = {bare, perp_scaled(&w[0], bare, R, R), perp_shifted(&w[1], bare, 1.0),
                              perp_restricted(&w[2], bare, set, 1)};
  for (int k = 0; k < 4; k++) {
    double y[2] = {0.0, 0.0};
    void *scratch = calloc(1, operator_scratch_bytes(&A[k]) + 1);
    assert_int_equal(A[k].ops->apply(A[k].self, x, y, scratch), 7);
    assert_int_equal(A[k].ops->apply_transpose(A[k].self, x, y, scratch), 7);
    assert_int_equal(perp_apply(&A[k], x, y), PERP_ERROR_OPERATOR);
    assert_non_null(strstr(perp_last_message(), "apply() returned 7"));
    free(scratch);
  }
}

// More rows than fit into the wrapper's own list of indices.
static void a_large_restricted_submatrix_goes_by_tiles(void **state) {
  (void)state;
  enum { LARGE = 1300 };
  int32_t *colptr = malloc((LARGE + 1)*sizeof *colptr), *row = malloc(3*LARGE*sizeof *row);
  int32_t *set = malloc(LARGE*sizeof *set);
  double *value = malloc(3*LARGE*sizeof *value);
  assert_true(colptr != NULL && row != NULL && set != NULL && value != NULL);
  int32_t p = 0, m = 0;
  for (int32_t j = 0; j < LARGE; j++) {
    colptr[j] = p;
    for (int32_t i = j > 0 ? j - 1 : 0; i <= j + 1 && i < LARGE; i++) {
      row[p] = i;
      value[p++] = i + 0.001*j;
    }
    if (j % 9 != 0) set[m++] = j;
  }
  colptr[LARGE] = p;
  assert_true(m > 1024);
  const perp_csc c = {LARGE, LARGE, colptr, row, value};
  perp_wrapper w;
  const perp_operator A = perp_restricted(&w, perp_from_csc(&c, 0), set, m);
  int32_t *all = malloc((size_t)m*sizeof *all);
  double *S = malloc((size_t)m*(size_t)m*sizeof *S);
  assert_true(all != NULL && S != NULL);
  for (int32_t i = 0; i < m; i++) all[i] = i;
  A.ops->submatrix(A.self, all, m, S);
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < m; j++) {
      const double expected = abs(set[i] - set[j]) <= 1 ? set[i] + 0.001*set[j] : 0.0;
      if (S[(size_t)i*(size_t)m + (size_t)j] != expected) fail_msg("S(%d,%d)", (int)i, (int)j);
    }
  free(colptr), free(row), free(set), free(value), free(all), free(S);
}

// Powers of two change no bit of an iterate.
static void scaling_by_powers_of_two_is_exact(void **state) {
  (void)state;
  static subject base;
  for (int which = 0; which < 6; which++) {
    make_base(which, &base);
    double R[N], C[N], x[N], xs[N], b[N], bs[N], d[N], ds[N], weight[N], ws[N];
    random_vector(N, b);
    for (int i = 0; i < N; i++) {
      R[i] = ldexp(1.0, (int)random_integer(&stream, 9) - 4);
      C[i] = ldexp(1.0, (int)random_integer(&stream, 9) - 4);
      x[i] = fabs(perp_random_normal(stream.seed, stream.next++));
      xs[i] = x[i]/C[i];
      bs[i] = R[i]*b[i];
      weight[i] = 1.0;
      ws[i] = C[i];
    }
    perp_wrapper w;
    const perp_operator A = perp_scaled(&w, base.A, R, C);
    base.A.ops->diagonal(base.A.self, d);
    A.ops->diagonal(A.self, ds);
    perp_sweep plain = {.x = x, .b = b, .diagonal = d, .weight = weight, .omega = 1.2, .fresh = 1};
    perp_sweep scaled = {.x = xs, .b = bs, .diagonal = ds, .weight = ws, .omega = 1.2, .fresh = 1};
    plain.memory = exact_memory(operator_sweep_bytes(&base.A));
    scaled.memory = exact_memory(operator_sweep_bytes(&A));
    for (int pass = 0; pass < 10; pass++) {
      base.A.ops->sweep(base.A.self, &plain, 0, N);
      A.ops->sweep(A.self, &scaled, 0, N);
      for (int i = 0; i < N; i++) assert_true(xs[i]*C[i] == x[i]);
      assert_true(plain.change == scaled.change);
    }
    free(plain.memory), free(scaled.memory);
  }
}

// Rows with A_ii <= 0 go to the bound that y points to.
static void sweeps_cope_with_empty_diagonals(void **state) {
  (void)state;
  const int32_t rowptr[4] = {0, 0, 1, 1}, column[1] = {0};
  const double one[1] = {1.0}, W[1] = {2.0};
  const perp_product p = {3, 1, rowptr, column, one, 1, W, NULL};
  const perp_operator A = perp_from_product(&p, 0);
  double x[3] = {0.5, 0.5, 0.5}, d[3], v[1];
  const double b[3] = {1.0, -4.0, -1.0}, hi[3] = {9.0, 9.0, 9.0}, weight[3] = {1.0, 1.0, 1.0};
  A.ops->diagonal(A.self, d);
  perp_sweep s = {.x = x, .b = b, .hi = hi, .diagonal = d, .weight = weight, .omega = 1.0,
                  .fresh = 1, .memory = v};
  assert_int_equal(A.ops->sweep(A.self, &s, 0, 3), 0);
  assert_true(x[0] == 0.0 && x[1] == 2.0 && x[2] == 9.0);
  assert_true(s.change == 8.5);
}

// Any pile of wrappers tells columns, maxima and the diagonal of what it stands for.
static void piles_show_their_entries(void **state) {
  (void)state;
  static subject base;
  for (int trial = 0; trial < 400; trial++) {
    make_base(trial%4, &base);   // dense and CSC
    double R[5][N], C[5][N], E[N*N], x[N], y[N], column[N], row[N], col[N], one[N];
    int32_t set[5][N];
    perp_wrapper w[5];
    perp_operator A = base.A;
    const int depth = 1 + (int)random_integer(&stream, 5);
    for (int k = 0; k < depth; k++) {
      const int kind = (int)random_integer(&stream, 3);
      if (kind == 0) {
        for (int i = 0; i < N; i++) {
          R[k][i] = ldexp(1.0, (int)random_integer(&stream, 9) - 4);
          C[k][i] = ldexp(1.0, (int)random_integer(&stream, 9) - 4);
        }
        A = perp_scaled(&w[k], A, R[k], C[k]);
      } else if (kind == 1) {
        A = perp_shifted(&w[k], A, (double)random_integer(&stream, 5) - 2.0);
      } else {
        int32_t m = 0;
        for (int32_t i = 0; i < A.n; i++)
          if (random_integer(&stream, 5) != 0) set[k][m++] = i;
        A = perp_restricted(&w[k], A, set[k], m);
      }
    }
    const int32_t n = A.n;
    void *scratch = exact_memory(operator_scratch_bytes(&A));
    double largest = 1.0;
    for (int32_t j = 0; j < n; j++) {
      for (int32_t i = 0; i < n; i++) x[i] = i == j ? 1.0 : 0.0;
      assert_int_equal(A.ops->apply(A.self, x, y, scratch), 0);
      for (int32_t i = 0; i < n; i++) {
        E[i*N + j] = y[i];
        largest = fmax(largest, fabs(y[i]));
      }
    }
    free(scratch);
    assert_non_null(A.ops->row_col_max);
    assert_non_null(A.ops->add_column);
    for (int32_t i = 0; i < n; i++) one[i] = 1.0;
    A.ops->row_col_max(A.self, one, one, row, col);
    for (int32_t j = 0; j < n; j++) {
      double across = 0.0, down = 0.0;
      for (int32_t i = 0; i < n; i++) {
        column[i] = 0.0;
        across = fmax(across, fabs(E[j*N + i]));
        down = fmax(down, fabs(E[i*N + j]));
      }
      A.ops->add_column(A.self, j, 1.0, column);
      for (int32_t i = 0; i < n; i++)
        assert_true(fabs(column[i] - E[i*N + j]) <= 1e-14*largest);
      assert_true(fabs(row[j] - across) <= 1e-14*largest);
      assert_true(fabs(col[j] - down) <= 1e-14*largest);
    }
  }
}

static void nothing_is_a_valid_size(void **state) {
  (void)state;
  const int32_t zero[1] = {0};
  const perp_csc c = {0, 0, zero, NULL, NULL};
  const perp_product p = {0, 0, zero, NULL, NULL, 3, NULL, NULL};
  perp_wrapper w[3];
  const perp_operator bases[2] = {perp_from_csc(&c, 0), perp_from_product(&p, 0)};
  for (int k = 0; k < 2; k++) {
    const perp_operator A[4] = {bases[k], perp_scaled(&w[0], bases[k], NULL, NULL),
                                perp_shifted(&w[1], bases[k], 1.0),
                                perp_restricted(&w[2], bases[k], NULL, 0)};
    for (int j = 0; j < 4; j++) {
      double none[1];
      assert_int_equal(A[j].n, 0);
      assert_int_equal(A[j].ops->apply(A[j].self, none, none, none), 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(views_are_kept_where_they_can_be),
    cmocka_unit_test(claims_follow),
    cmocka_unit_test(an_abort_comes_through),
    cmocka_unit_test(a_large_restricted_submatrix_goes_by_tiles),
    cmocka_unit_test(piles_show_their_entries),
    cmocka_unit_test(scaling_by_powers_of_two_is_exact),
    cmocka_unit_test(sweeps_cope_with_empty_diagonals),
    cmocka_unit_test(nothing_is_a_valid_size),
  };
  return cmocka_run_group_tests_name("wrappers", tests, NULL, NULL);
}
