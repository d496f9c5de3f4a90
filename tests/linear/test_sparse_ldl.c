// test_sparse_ldl.c: the sparse LDL' and the rows that come and go, against plain products.
// labels: long
#include "sparse_samples.h"

#include "counting.h"
#include "gallery_sample.h"
#include "sparse_ldl.h"

enum { LARGEST = 60 };

static double check(sparse_ldl *f, const sparse_sample *s, const uint8_t *kept) {
  double b[LARGEST], v[LARGEST];
  for (int32_t i = 0; i < s->n; i++) v[i] = b[i] = between(-1.0, 1.0);
  sparse_ldl_solve(f, v);
  return kept_residual(s, kept, v, b);
}

static int switch_row(sparse_ldl *f, const sparse_sample *s, uint8_t *kept, int32_t k) {
  const int code = kept[k] ? sparse_ldl_delete(f, &s->csc, k, 0.0)
                           : sparse_ldl_add(f, &s->csc, kept, k, 0.0);
  kept[k] = !kept[k];
  return code;
}

static void test_rows_come_and_go(void **state) {
  (void)state;
  for (int trial = 0; trial < often(200); trial++) {
    const int32_t n = whole(1, LARGEST);
    sparse_sample s = sparse_dominant(n, between(0.0, 6.0), NULL);
    uint8_t kept[LARGEST];
    for (int32_t i = 0; i < n; i++) kept[i] = (uint8_t)whole(0, 1);
    sparse_ldl *f = sparse_ldl_create(NULL);
    assert_int_equal(sparse_ldl_analyse(f, &s.csc), 0);
    assert_int_equal(sparse_ldl_factor(f, &s.csc, kept, 0.0, NULL), 0);
    for (int step = 0; step < 40; step++) {
      assert_int_equal(switch_row(f, &s, kept, whole(0, n - 1)), 0);
      assert_true(check(f, &s, kept) < 1e-11);
    }
    sparse_ldl_destroy(f);
    sparse_drop(&s);
  }
}

static void test_signs_of_a_quasidefinite_matrix(void **state) {
  (void)state;
  for (int trial = 0; trial < often(100); trial++) {
    const int32_t n = whole(1, LARGEST);
    double sign[LARGEST];
    uint8_t kept[LARGEST];
    for (int32_t i = 0; i < n; i++) {
      sign[i] = whole(0, 1) ? 1.0 : -1.0;
      kept[i] = 1;
    }
    sparse_sample s = sparse_dominant(n, 4.0, sign);
    sparse_ldl *f = sparse_ldl_create(NULL);
    assert_int_equal(sparse_ldl_analyse(f, &s.csc), 0);
    sparse_ldl_regularise(f, sign, 0.0);
    assert_int_equal(sparse_ldl_factor(f, &s.csc, kept, 0.0, NULL), 0);
    for (int step = 0; step < 20; step++) {
      assert_int_equal(switch_row(f, &s, kept, whole(0, n - 1)), 0);
      assert_true(check(f, &s, kept) < 1e-11);
    }
    if (n > 1) {   // the wrong sign is an error, not an answer
      sign[n - 1] = -sign[n - 1];
      memset(kept, 1, sizeof kept);
      assert_int_equal(sparse_ldl_factor(f, &s.csc, kept, 0.0, NULL), n);
    }
    sparse_ldl_destroy(f);
    sparse_drop(&s);
  }
}

// [1 1 0; 1 1 0; 0 0 2] has rank 2: without a lift an error, with one a report. Adding the later of
// the dependent rows is refused with the factor as it was; adding the earlier one spoils the later.
static void test_a_dependent_row(void **state) {
  (void)state;
  double dense[9] = {1, 1, 0, 1, 1, 0, 0, 0, 2};
  sparse_sample s = {.n = 3, .dense = malloc(sizeof dense)};
  memcpy(s.dense, dense, sizeof dense);
  compress(&s);
  sparse_ldl *f = sparse_ldl_create(NULL);
  assert_int_equal(sparse_ldl_analyse(f, &s.csc), 0);
  const int failed = sparse_ldl_factor(f, &s.csc, NULL, 1e-12, NULL);
  assert_true(failed == 1 || failed == 2);
  const int32_t later = failed - 1, earlier = 1 - later;
  uint8_t kept[3] = {1, 1, 1};
  kept[earlier] = 0;
  assert_int_equal(sparse_ldl_factor(f, &s.csc, kept, 1e-12, NULL), 0);
  assert_int_equal(sparse_ldl_add(f, &s.csc, kept, earlier, 1e-12), 2);
  kept[earlier] = 1;
  kept[later] = 0;
  assert_int_equal(sparse_ldl_factor(f, &s.csc, kept, 1e-12, NULL), 0);
  double before[3] = {1, 2, 3}, after[3] = {1, 2, 3};
  sparse_ldl_solve(f, before);
  assert_int_equal(sparse_ldl_add(f, &s.csc, kept, later, 1e-12), 1);
  sparse_ldl_solve(f, after);
  assert_memory_equal(before, after, sizeof before);
  sparse_ldl_regularise(f, NULL, 0.25);
  assert_int_equal(sparse_ldl_add(f, &s.csc, kept, later, 1e-12), 0);
  double v[3] = {0};   // 1 on the diagonal of the earlier row, 1.25 of the later: v = 1 there
  v[earlier] = 1.0;
  v[later] = 1.25;
  sparse_ldl_solve(f, v);
  assert_true(fabs(v[earlier]) <= 1e-14 && fabs(v[later] - 1.0) <= 1e-14);
  sparse_ldl_destroy(f);
  sparse_drop(&s);
}

// I + the sum of some w w', w on three or fewer rows: they come and go in any order, and a change
// that makes the matrix indefinite is refused.
static void test_changes_of_rank_one(void **state) {
  (void)state;
  enum { VECTORS = 40 };
  for (int trial = 0; trial < often(100); trial++) {
    const int32_t n = whole(1, LARGEST);
    sparse_sample s = {.n = n, .dense = calloc((size_t)n*(size_t)n, sizeof(double))};
    int32_t row[VECTORS][3], count[VECTORS];
    double w[VECTORS][3];
    uint8_t in[VECTORS], all[LARGEST];
    memset(in, 1, sizeof in);
    memset(all, 1, sizeof all);
    for (int32_t i = 0; i < n; i++) s.dense[i*n + i] = 1.0;
    for (int v = 0; v < VECTORS; v++) {
      count[v] = 0;
      for (int32_t t = 0; t < 3; t++) {
        const int32_t i = whole(0, n - 1);
        int known = 0;
        for (int32_t k = 0; k < count[v]; k++) known |= row[v][k] == i;
        if (known) continue;
        row[v][count[v]] = i;
        w[v][count[v]++] = between(-3.0, 3.0);
      }
      for (int32_t p = 0; p < count[v]; p++)
        for (int32_t q = 0; q < count[v]; q++)
          s.dense[row[v][p]*n + row[v][q]] += w[v][p]*w[v][q];
    }
    compress(&s);
    sparse_ldl *f = sparse_ldl_create(NULL);
    assert_int_equal(sparse_ldl_analyse(f, &s.csc), 0);
    assert_int_equal(sparse_ldl_factor(f, &s.csc, NULL, 0.0, NULL), 0);
    for (int step = 0; step < 60; step++) {
      const int v = whole(0, VECTORS - 1);
      const double a = in[v] ? -1.0 : 1.0;
      in[v] ^= 1;
      assert_true(sparse_ldl_change_flops(f, count[v], row[v]) >= 0.0);
      assert_int_equal(sparse_ldl_change(f, a, count[v], row[v], w[v], 0.0), 0);
      for (int32_t p = 0; p < count[v]; p++)
        for (int32_t q = 0; q < count[v]; q++)
          s.dense[row[v][p]*n + row[v][q]] += a*w[v][p]*w[v][q];
      assert_true(check(f, &s, all) < 1e-10);
    }
    const double much[1] = {1e4};
    assert_int_equal(sparse_ldl_change(f, 1.0, 0, row[0], w[0], 0.0), 0);
    assert_int_equal(sparse_ldl_change(f, -1.0, 1, row[0], much, 0.0), 2);
    sparse_ldl_destroy(f);
    sparse_drop(&s);
  }
}

static void test_many_right_hand_sides(void **state) {
  (void)state;
  sparse_sample s = sparse_dominant(LARGEST, 5.0, NULL);
  sparse_ldl *f = sparse_ldl_create(NULL);
  assert_int_equal(sparse_ldl_analyse(f, &s.csc), 0);
  assert_int_equal(sparse_ldl_factor(f, &s.csc, NULL, 0.0, NULL), 0);
  uint8_t kept[LARGEST];
  memset(kept, 1, sizeof kept);
  double B[11*LARGEST], V[11*LARGEST];
  for (int32_t count = 0; count <= 11; count++) {
    for (size_t i = 0; i < sizeof V/sizeof V[0]; i++) V[i] = B[i] = between(-1.0, 1.0);
    for (int32_t c = 0; c < count; c++) sparse_ldl_solve(f, V + c*LARGEST);
    for (int32_t c = 0; c < 11; c++) {
      if (c < count) assert_true(kept_residual(&s, kept, V + c*LARGEST, B + c*LARGEST) < 1e-12);
      else assert_memory_equal(V + c*LARGEST, B + c*LARGEST, LARGEST*sizeof *V);
    }
  }
  sparse_ldl_destroy(f);
  sparse_drop(&s);
}

static void test_nothing_is_allocated_after_the_analysis(void **state) {
  (void)state;
  counter count = {0};
  const perp_allocator allocator = {counted_allocate, counted_release, &count};
  sparse_sample s = sparse_dominant(40, 4.0, NULL);
  sparse_ldl *f = sparse_ldl_create(&allocator);
  assert_int_equal(sparse_ldl_analyse(f, &s.csc), 0);
  const int64_t requests = count.requests;
  uint8_t kept[40];
  memset(kept, 1, sizeof kept);
  assert_int_equal(sparse_ldl_factor(f, &s.csc, kept, 0.0, NULL), 0);
  for (int step = 0; step < 100; step++) {
    assert_int_equal(switch_row(f, &s, kept, whole(0, 39)), 0);
    assert_true(check(f, &s, kept) < 1e-11);
  }
  assert_int_equal(count.requests, requests);
  sparse_ldl_destroy(f);
  assert_int_equal(count.live, 0);
  for (int64_t k = 1; k <= requests; k++) {   // and every refusal is met
    count = (counter){.fail_at = k};
    f = sparse_ldl_create(&allocator);
    assert_true(f == NULL || sparse_ldl_analyse(f, &s.csc) == -2);
    sparse_ldl_destroy(f);
    assert_int_equal(count.live, 0);
  }
  sparse_drop(&s);
}

// A journal bearing loses and regains rows: the residual must not grow with their number.
static void test_drift(void **state) {
  (void)state;
  perp_sample *p = make_with("bearing", 1, "nx", 40.0, "ny", 40.0, NULL);
  const perp_csc *A = &p->csc;
  const int32_t n = A->columns;
  uint8_t *kept = malloc((size_t)n);
  double *v = malloc((size_t)n*sizeof *v), *r = malloc((size_t)n*sizeof *r);
  for (int32_t i = 0; i < n; i++) kept[i] = 1;
  sparse_ldl *f = sparse_ldl_create(NULL);
  assert_int_equal(sparse_ldl_analyse(f, A), 0);
  assert_int_equal(sparse_ldl_factor(f, A, kept, 0.0, NULL), 0);
  for (int step = 0; step < often(5000); step++) {
    const int32_t k = whole(0, n - 1);
    const int code = kept[k] ? sparse_ldl_delete(f, A, k, 0.0)
                             : sparse_ldl_add(f, A, kept, k, 0.0);
    assert_int_equal(code, 0);
    kept[k] = !kept[k];
  }
  double scale = 0.0, worst = 0.0;
  for (int32_t i = 0; i < n; i++) v[i] = r[i] = kept[i] ? between(-1.0, 1.0) : 0.0;
  sparse_ldl_solve(f, v);
  for (int32_t j = 0; j < n; j++)
    for (int32_t q = A->colptr[j]; q < A->colptr[j + 1]; q++)
      if (kept[j] && kept[A->row[q]]) {
        r[A->row[q]] -= A->value[q]*v[j];
        scale = fmax(scale, fabs(A->value[q]*v[j]));
      }
  for (int32_t i = 0; i < n; i++)
    if (kept[i]) worst = fmax(worst, fabs(r[i]));
  assert_true(worst <= 1e-10*fmax(scale, 1.0));
  sparse_ldl_destroy(f);
  free(kept);
  free(v);
  free(r);
  drop(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rows_come_and_go),
    cmocka_unit_test(test_signs_of_a_quasidefinite_matrix),
    cmocka_unit_test(test_a_dependent_row),
    cmocka_unit_test(test_changes_of_rank_one),
    cmocka_unit_test(test_many_right_hand_sides),
    cmocka_unit_test(test_nothing_is_allocated_after_the_analysis),
    cmocka_unit_test(test_drift),
  };
  return cmocka_run_group_tests_name("sparse_ldl", tests, NULL, NULL);
}
