// test_face_scaled.c: systems (diag(p) A + diag(q)) z = r with a known z, dense and sparse.
#include "support.h"

#include "sparse_ldl.h"
#include "face_diagonal.h"

typedef struct counter {
  int live, calls, fail_at;   // fail_at: the call that gets no memory; 0: none
} counter;

static void *counted_allocate(void *context, size_t bytes) {
  counter *c = context;
  if (++c->calls == c->fail_at) return NULL;
  c->live++;
  return malloc(bytes);
}

static void counted_release(void *context, void *memory) {
  counter *c = context;
  if (memory == NULL) return;
  c->live--;
  free(memory);
}

static perp_allocator counting(counter *c) {
  return (perp_allocator){counted_allocate, counted_release, c};
}

// Entries with the given density; a strong diagonal unless `weak`.
static sample random_matrix(int32_t n, double density, int weak) {
  sample s = sample_new(n);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++)
      if (i == j) AT(&s, i, j) = weak ? 0.0 : 2.0 + density*n;
      else if (uniform() < density) AT(&s, i, j) = between(-1, 1);
  return s;
}

// r = (PA + Q) z in long double.
static void right_side(const sample *s, const double *p, const double *q, const double *z,
                       double *r) {
  for (int32_t i = 0; i < s->n; i++) {
    long double sum = 0.0L;
    for (int32_t j = 0; j < s->n; j++) sum += (long double)AT(s, i, j)*z[j];
    r[i] = (double)((p != NULL ? p[i] : 1.0)*sum + (q != NULL ? q[i]*z[i] : 0.0));
  }
}

static double *vector(int32_t n) {
  double *v = calloc((size_t)n + 1, sizeof *v);
  assert_non_null(v);
  return v;
}

static void solves(sample *s, const perp_problem *problem, face *system, const double *p,
                   const double *q, double tol) {
  (void)problem;
  double *z = vector(s->n), *v = vector(s->n);
  for (int32_t i = 0; i < s->n; i++) z[i] = between(-1, 1);
  right_side(s, p, q, z, v);
  assert_int_equal(diagonal_factor(system, p, q, NULL), 0);
  const double error = diagonal_solve(system, v, 3);
  if (!(error <= 1e-14)) fail_msg("n = %d: backward error %g", s->n, error);
  for (int32_t i = 0; i < s->n; i++)
    if (!(fabs(v[i] - z[i]) <= tol)) fail_msg("n = %d: z[%d] is off by %g", s->n, i, v[i] - z[i]);
  free(z);
  free(v);
}

static void known_solutions(void **state) {   // on both sides of the change from dense to sparse
  (void)state;
  support_state = 1;
  const int32_t sizes[] = {1, 2, 7, 60, 149, 151, 300};
  for (size_t k = 0; k < sizeof sizes/sizeof sizes[0]; k++)
    for (int full = 0; full < 2; full++) {
      const int32_t n = sizes[k];
      sample s = random_matrix(n, full ? 0.5 : 4.0/n, 0);
      const perp_problem *problem = sample_csc(&s, 0, 0);
      face *system = diagonal_face(&problem->A, NULL);
      assert_non_null(system);
      double *p = vector(n), *q = vector(n);
      solves(&s, problem, system, NULL, NULL, 1e-11);
      for (int round = 0; round < 4; round++) {
        for (int32_t i = 0; i < n; i++) {
          p[i] = uniform() < 0.2 ? 0.0 : between(0.2, 1);
          q[i] = between(0.5, 2);
        }
        solves(&s, problem, system, p, q, 1e-11);
      }
      solves(&s, problem, system, NULL, q, 1e-11);
      assert_int_equal(face_factorizations(system), 6);
      face_destroy(system);
      free(p);
      free(q);
      sample_free(&s);
    }
}

static void nothing(void **state) {   // n = 0, and NULL
  (void)state;
  sample s = sample_new(0);
  face *system = diagonal_face(&sample_dense(&s)->A, NULL);
  assert_non_null(system);
  assert_int_equal(diagonal_factor(system, NULL, NULL, NULL), 0);
  double v = 3.0;
  assert_true(diagonal_solve(system, &v, 2) == 0.0);
  assert_true(v == 3.0);
  face_destroy(system);
  face_destroy(NULL);
  sample_free(&s);
}

// A cyclic shift has no pivot on its diagonal: rows must be exchanged.
static void zero_diagonals(void **state) {
  (void)state;
  const int32_t sizes[] = {5, 200};
  for (size_t k = 0; k < 2; k++) {
    const int32_t n = sizes[k];
    sample s = random_matrix(n, 0.0, 1);
    for (int32_t i = 0; i < n; i++) AT(&s, i, (i + 1)%n) = 1.0 + i%3;
    const perp_problem *problem = sample_csc(&s, 0, 0);
    face *system = diagonal_face(&problem->A, NULL);
    assert_non_null(system);
    solves(&s, problem, system, NULL, NULL, 1e-12);
    face_destroy(system);
    sample_free(&s);
  }
}

// Two equal rows; a tiny q makes them differ enough.
static void singular_is_told(void **state) {
  (void)state;
  support_state = 3;
  const int32_t sizes[] = {6, 180};
  for (size_t k = 0; k < 2; k++) {
    const int32_t n = sizes[k];
    sample s = random_matrix(n, 4.0/n, 0);
    for (int32_t j = 0; j < n; j++) AT(&s, 3, j) = AT(&s, 1, j);
    face *system = diagonal_face(&sample_csc(&s, 0, 0)->A, NULL);
    assert_non_null(system);
    double *q = vector(n), *v = vector(n);
    assert_true(diagonal_factor(system, NULL, NULL, NULL) > 0);
    v[0] = 7.0;
    assert_true(diagonal_solve(system, v, 1) == INF);
    assert_true(v[0] == 0.0);
    q[3] = 1e-3;
    assert_int_equal(diagonal_factor(system, NULL, q, NULL), 0);
    assert_true(diagonal_solve(system, v, 2) <= 1e-14);
    face_destroy(system);
    free(q);
    free(v);
    sample_free(&s);
  }
}

// Units of rows and columns, up to 2^24 apart in each, do not matter.
static void scales_do_not_matter(void **state) {
  (void)state;
  support_state = 4;
  const int32_t sizes[] = {40, 200};
  for (size_t k = 0; k < 2; k++) {
    const int32_t n = sizes[k];
    sample s = random_matrix(n, 5.0/n, 0);
    double *z = vector(n), *r = vector(n), *q = vector(n);
    for (int32_t i = 0; i < n; i++) z[i] = between(0.5, 1);
    right_side(&s, NULL, NULL, z, r);
    for (int32_t i = 0; i < n; i++) {
      const double row = ldexp(1.0, whole(-12, 12)), column = ldexp(1.0, whole(-12, 12));
      for (int32_t j = 0; j < n; j++) {
        AT(&s, i, j) *= row;
        AT(&s, j, i) *= column;
      }
      r[i] *= row;
      z[i] /= column;
    }
    face *system = diagonal_face(&sample_csc(&s, 0, 0)->A, NULL);
    assert_non_null(system);
    assert_int_equal(diagonal_factor(system, NULL, q, NULL), 0);
    assert_true(diagonal_solve(system, r, 3) <= 1e-14);
    for (int32_t i = 0; i < n; i++) assert_true(fabs(r[i] - z[i]) <= 1e-9*fabs(z[i]));
    face_destroy(system);
    free(z);
    free(r);
    free(q);
    sample_free(&s);
  }
}

// J J' has rank 20 of 200: with a diagonal of 1e-10 the backward error is still small.
static void nearly_singular(void **state) {
  (void)state;
  support_state = 5;
  const int32_t n = 200, rank = 20;
  sample s = sample_new(n);
  double *J = calloc((size_t)n*(size_t)rank, sizeof *J), *q = vector(n), *v = vector(n);
  assert_non_null(J);
  for (int32_t i = 0; i < n; i++)
    for (int c = 0; c < 2; c++) J[i*rank + whole(0, rank - 1)] = between(-1, 1);
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++)
      for (int32_t c = 0; c < rank; c++) AT(&s, i, j) += J[i*rank + c]*J[j*rank + c];
    q[i] = 1e-10;
    v[i] = between(-1, 1);
  }
  face *system = diagonal_face(&sample_csc(&s, 0, 0)->A, NULL);
  assert_non_null(system);
  assert_int_equal(diagonal_factor(system, NULL, q, NULL), 0);
  assert_true(diagonal_solve(system, v, 3) <= 1e-12);
  face_destroy(system);
  free(J);
  free(q);
  free(v);
  sample_free(&s);
}

// A sparse matrix B'B/10 + I, exactly or nearly symmetric.
static sample nearly_symmetric(int32_t n, double noise) {
  sample s = sample_new(n);
  for (int32_t k = 0; k < 2*n; k++) {
    const int32_t i = whole(0, n - 1), j = (i + whole(1, 9))%n;
    const double a = between(-1, 1), b = between(-1, 1);
    AT(&s, i, i) += 0.1*a*a;
    AT(&s, j, j) += 0.1*b*b;
    AT(&s, i, j) += 0.1*a*b;
    AT(&s, j, i) += 0.1*a*b;
  }
  for (int32_t i = 0; i < n; i++) {
    AT(&s, i, i) += 1.0;
    for (int32_t j = 0; j < n; j++) AT(&s, i, j) *= 1.0 + noise*between(-1, 1);
  }
  return s;
}

// Masks of 0 and 1 keep the rest symmetric; the answer is that of the matrix itself, not of its
// symmetric part.
static void symmetric_but_for_rounding(void **state) {
  (void)state;
  const double noise[] = {0.0, 1e-5, 1e-2};
  for (int k = 0; k < 3; k++) {
    support_state = (uint64_t)(20 + k);
    const int32_t n = 500;
    sample s = nearly_symmetric(n, noise[k]);
    const perp_problem *problem = sample_csc(&s, 0, 0);
    face *system = diagonal_face(&problem->A, NULL);
    assert_non_null(system);
    double *p = vector(n), *q = vector(n);
    solves(&s, problem, system, NULL, NULL, 1e-12);
    for (int round = 0; round < 6; round++) {
      for (int32_t i = 0; i < n; i++) {
        p[i] = uniform() < 0.4 ? 0.0 : 1.0;
        q[i] = p[i] == 0.0 || uniform() < 0.5 ? pow(10.0, between(-3, 3)) : 0.0;
      }
      solves(&s, problem, system, p, q, 1e-11);
    }
    if (noise[k] < 1e-3) assert_int_equal(face_factorizations(system), 7);   // none was repeated
    if (noise[k] == 0.0) {   // without refinement, which would hide a mistake in the first solve
      for (int32_t i = 0; i < n; i++) p[i] = between(-1, 1);
      assert_true(diagonal_solve(system, p, 0) <= 1e-13);
    }
    p[5] = 0.5;   // no mask any more
    solves(&s, problem, system, p, q, 1e-11);
    face_destroy(system);
    free(p);
    free(q);
    sample_free(&s);
  }
}

// [Q -G'; G 0] + diag(q) with Q of half rank: symmetric once the signs of the rows of G change.
static void kkt_systems_need_no_exchanges(void **state) {
  (void)state;
  const int32_t m = 300, k = 120, n = m + k;
  support_state = 77;
  sample s = sample_new(n);
  for (int32_t i = 0; i < m; i += 2) AT(&s, i, i) = between(0.5, 2);
  for (int32_t i = m; i < n; i++)
    for (int t = 0; t < 4; t++) {
      const int32_t j = (int32_t)(uniform()*m);
      AT(&s, i, j) = between(-2, 2);
      AT(&s, j, i) = -AT(&s, i, j);
    }
  const perp_problem *problem = sample_csc(&s, 0, 0);
  face *system = diagonal_face(&problem->A, NULL);
  assert_non_null(system);
  assert_true(face_quasidefinite(system));
  double *p = vector(n), *q = vector(n);
  for (int round = 0; round < 6; round++) {
    for (int32_t i = 0; i < n; i++) {
      p[i] = round > 2 && uniform() < 0.3 ? 0.0 : 1.0;
      q[i] = p[i] == 0.0 || (i < m && uniform() < 0.7) ? pow(10.0, between(-2, 4)) : 1e-4;
    }
    solves(&s, problem, system, round == 0 ? NULL : p, q, 1e-7);
  }
  assert_int_equal(face_factorizations(system), 6);   // none was repeated with exchanges
  p[3] = 0.5;                                            // no mask any more: exchanges
  solves(&s, problem, system, p, q, 1e-7);
  face_destroy(system);
  for (int32_t i = 0; i < m; i += 2) AT(&s, i, i) *= 1e6;   // G is lost beside Q: still the same
  problem = sample_csc(&s, 0, 0);
  system = diagonal_face(&problem->A, NULL);
  assert_non_null(system);
  assert_true(face_quasidefinite(system));
  face_destroy(system);
  AT(&s, 0, m + 1) = 1.0;   // one pair that fits neither sign
  AT(&s, m + 1, 0) = 2.0;
  for (int32_t i = 0; i < m; i += 2) AT(&s, i, i) *= 1e-6;
  problem = sample_csc(&s, 0, 0);
  system = diagonal_face(&problem->A, NULL);
  assert_non_null(system);
  assert_false(face_quasidefinite(system));
  p[3] = 1.0;
  solves(&s, problem, system, p, q, 1e-7);
  face_destroy(system);
  free(p);
  free(q);
  sample_free(&s);
}

// L D L' by itself, against z chosen beforehand; kept rows only, the others like the identity.
static void supernodes_factor(void **state) {
  (void)state;
  const int32_t sizes[] = {1, 2, 30, 400};
  for (size_t k = 0; k < sizeof sizes/sizeof sizes[0]; k++) {
    support_state = 30 + k;
    const int32_t n = sizes[k];
    sample s = nearly_symmetric(n, 0.0);
    sample_csc(&s, 0, 0);
    sparse_ldl *f = sparse_ldl_create(NULL);
    double *z = vector(n), *v = vector(n);
    uint8_t *kept = calloc((size_t)n + 1, 1);
    assert_true(f != NULL && kept != NULL);
    assert_int_equal(sparse_ldl_analyse(f, &s.csc), 0);
    for (int masked = 0; masked < 2; masked++) {
      for (int32_t i = 0; i < n; i++) {
        z[i] = between(-1, 1);
        kept[i] = !masked || uniform() < 0.6;
      }
      for (int32_t i = 0; i < n; i++) {
        v[i] = kept[i] ? 0.0 : z[i];
        for (int32_t j = 0; kept[i] && j < n; j++) v[i] += kept[j] ? AT(&s, i, j)*z[j] : 0.0;
      }
      assert_int_equal(sparse_ldl_factor(f, &s.csc, masked ? kept : NULL, 1e-14, NULL), 0);
      sparse_ldl_solve(f, v);
      for (int32_t i = 0; i < n; i++) assert_true(fabs(v[i] - z[i]) <= 1e-12);
      assert_true(sparse_ldl_nnz(f) >= n);
    }
    for (int32_t p = 0; p < s.colptr[n]; p++) s.value[p] = 0.0;   // no pivots at all
    assert_true(sparse_ldl_factor(f, &s.csc, NULL, 1e-14, NULL) > 0);
    AT(&s, 0, n - 1) = n > 2 ? 1.0 : AT(&s, 0, n - 1);
    AT(&s, n - 1, 0) = n > 2 ? 0.0 : AT(&s, n - 1, 0);
    sample_csc(&s, 0, 0);
    assert_int_equal(sparse_ldl_analyse(f, &s.csc), n > 2);       // no mirror image
    sparse_ldl_destroy(f);
    free(z);
    free(v);
    free(kept);
    sample_free(&s);
  }
}

// Free rows are solved for, whatever the right-hand side says in the others, whose z is 0.
static void free_rows(void **state) {
  (void)state;
  const int32_t sizes[] = {60, 300, 500};   // dense, sparse, symmetric
  for (size_t k = 0; k < 3; k++) {
    support_state = 40 + k;
    const int32_t n = sizes[k];
    sample s = k == 2 ? nearly_symmetric(n, 0.0) : random_matrix(n, 4.0/n, 0);
    face *system = diagonal_face(&sample_csc(&s, 0, 0)->A, NULL);
    double *q = vector(n), *z = vector(n), *v = vector(n);
    uint8_t *is_free = calloc((size_t)n, 1);
    assert_true(system != NULL && is_free != NULL);
    for (int round = 0; round < 4; round++) {
      for (int32_t i = 0; i < n; i++) {
        is_free[i] = uniform() < 0.6;
        q[i] = pow(10.0, between(-3, 3));
        z[i] = is_free[i] ? between(-1, 1) : 0.0;
      }
      right_side(&s, NULL, round > 0 ? q : NULL, z, v);
      for (int32_t i = 0; i < n; i++)
        if (!is_free[i]) v[i] = between(-9, 9);
      face_diagonal(system, NULL, round > 0 ? q : NULL);
      assert_int_equal(face_update(system, is_free, NULL), 0);
      assert_true(diagonal_solve(system, v, 2) <= 1e-14);
      for (int32_t i = 0; i < n; i++)
        assert_true(is_free[i] ? fabs(v[i] - z[i]) <= 1e-11 : v[i] == 0.0);
    }
    face_destroy(system);
    free(q);
    free(z);
    free(v);
    free(is_free);
    sample_free(&s);
  }
}

static void rows_without_A(void **state) {   // p_i = 0: z_i = r_i/q_i, also where some rows are held
  (void)state;
  sample s = sample_new(2);
  AT(&s, 0, 0) = 2.0;
  AT(&s, 0, 1) = AT(&s, 1, 0) = 1.0;
  AT(&s, 1, 1) = 3.0;
  face *system = diagonal_face(&sample_dense(&s)->A, NULL);
  assert_non_null(system);
  const double p[] = {1, 0}, q[] = {1, 2};
  for (int k = 0; k < 2; k++) {
    double v[] = {3, 4};
    face_diagonal(system, p, q);
    assert_int_equal(face_update(system, k == 0 ? NULL : (const uint8_t[]){1, 1}, NULL), 0);
    assert_true(diagonal_solve(system, v, 2) <= 1e-15);
    assert_true(fabs(v[0] - 1/3.0) <= 1e-15 && v[1] == 2.0);
  }
  face_destroy(system);
  sample_free(&s);
}

static void products(void **state) {   // A x and A'x, from dense, CSC, scaled and shifted operators
  (void)state;
  support_state = 6;
  const int32_t sizes[] = {9, 170};
  for (size_t k = 0; k < 2; k++) {
    const int32_t n = sizes[k];
    sample s = random_matrix(n, 5.0/n, 0);
    double *x = vector(n), *y = vector(n), *R = vector(n), *C = vector(n);
    for (int32_t i = 0; i < n; i++) {
      x[i] = between(-1, 1);
      R[i] = between(0.5, 2);
      C[i] = between(0.5, 2);
    }
    perp_wrapper scaled, shifted;
    const perp_operator dense = sample_dense(&s)->A, csc = sample_csc(&s, 0, 0)->A,
                        wrapped = perp_shifted(&shifted, perp_scaled(&scaled, csc, R, C), 0.75);
    const perp_operator all[] = {dense, csc, wrapped};
    for (int which = 0; which < 3; which++)
      for (int transpose = 0; transpose < 2; transpose++) {
        face *system = diagonal_face(&all[which], NULL);
        assert_non_null(system);
        if (transpose) face_multiply(system, 1, x, y);
        else face_multiply(system, 0, x, y);
        for (int32_t i = 0; i < n; i++) {
          double sum = which == 2 ? 0.75*x[i] : 0.0;
          for (int32_t j = 0; j < n; j++) {
            const int32_t r = transpose ? j : i, c = transpose ? i : j;
            sum += (which == 2 ? R[r]*AT(&s, r, c)*C[c] : AT(&s, r, c))*x[j];
          }
          assert_true(fabs(sum - y[i]) <= 1e-12*(1 + fabs(sum)));
        }
        face_destroy(system);
      }
    free(x);
    free(y);
    free(R);
    free(C);
    sample_free(&s);
  }
}

static int no_apply(void *context, const double *x, double *y) {
  (void)context;
  *y = *x;
  return 0;
}

static void unknown_entries(void **state) {   // an operator that only multiplies
  (void)state;
  const perp_callback one = {.n = 1, .apply = no_apply};
  const perp_operator A = perp_from_callback(&one, 0);
  assert_null(diagonal_face(&A, NULL));
}

static int always(void *context) {
  (void)context;
  return 1;
}

static void deadlines_and_memory(void **state) {
  (void)state;
  support_state = 7;
  for (size_t k = 0; k < 3; k++) {
    const int32_t n = k == 0 ? 20 : 400;
    sample s = k == 2 ? nearly_symmetric(n, 0.0) : random_matrix(n, 20.0/n, 0);
    const perp_operator A = sample_csc(&s, 0, 0)->A;
    double *v = vector(n);
    int fails = 1;
    for (int at = 1; fails; at++) {   // every allocation fails once
      counter c = {.fail_at = at};
      const perp_allocator allocator = counting(&c);
      face *system = diagonal_face(&A, &allocator);
      if (system != NULL) {
        const int code = diagonal_factor(system, NULL, NULL, NULL);
        assert_true(code == 0 || code == -2);
        v[0] = 1.0;
        assert_true((code == 0) == (diagonal_solve(system, v, 1) < 1e-10));
      }
      fails = c.calls >= at;
      face_destroy(system);
      assert_int_equal(c.live, 0);
    }
    const perp_deadline passed = {.passed = always};
    face *system = diagonal_face(&A, NULL);
    assert_non_null(system);
    const int code = diagonal_factor(system, NULL, NULL, &passed);
    assert_int_equal(code, -1);
    face_destroy(system);
    free(v);
    sample_free(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(known_solutions),      cmocka_unit_test(nothing),
      cmocka_unit_test(zero_diagonals),       cmocka_unit_test(singular_is_told),
      cmocka_unit_test(scales_do_not_matter), cmocka_unit_test(nearly_singular),
      cmocka_unit_test(symmetric_but_for_rounding),
      cmocka_unit_test(kkt_systems_need_no_exchanges),
      cmocka_unit_test(supernodes_factor),
      cmocka_unit_test(products),             cmocka_unit_test(unknown_entries),
      cmocka_unit_test(free_rows),            cmocka_unit_test(rows_without_A),
      cmocka_unit_test(deadlines_and_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
