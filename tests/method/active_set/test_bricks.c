// test_bricks.c: the scenes of MNS08: the counts in their names, definite matrices, condition.
#include "gallery_sample.h"

#include <stdio.h>

#include "sparse_ldl.h"

#define SCENES 10

static const struct {
  const char *name;
  int32_t bodies, constraints, entries, zeros;
  double condition;
} table1[SCENES] = {   // MNS08 Tables 1 and 2
  {"nb7_nc18",       7,   18,    162,    4, 5.83e1},
  {"nb8_nc45",       8,   45,    779,    8, 2.92e3},
  {"nb8_nc48",       8,   48,    868,   10, 2.38e3},
  {"nb235_nc1044", 235, 1044,  14211,   58, 4.58e4},
  {"nb449_nc1821", 449, 1821,  28010,  254, 4.22e4},
  {"nb907_nc5832", 907, 5832, 176735, 1512, 5.11e7},
  {"nb948_nc7344", 948, 7344, 269765, 1828, 9.02e7},
  {"nb966_nc8220", 966, 8220, 368604, 2321, 9.19e7},
  {"nb976_nc8745", 976, 8745, 373848, 2158, 6.45e7},
  {"nb977_nc9534", 977, 9534, 494118, 2728, 1.03e8},
};

static perp_sample *scene(int32_t k, double mode) {
  return make_with("bricks", 0, "preset", (double)(k + 1), "mode", mode, NULL);
}

static void test_names(void **state) {
  (void)state;
  const char *word = perp_find_family("bricks")->parameters[0].choices;
  for (int32_t k = 0; k < SCENES; k++) {
    word = strchr(word, '|') + 1;
    assert_memory_equal(word, table1[k].name, strlen(table1[k].name));
  }
  assert_null(strchr(word, '|'));
}

static void test_counts(void **state) {
  (void)state;
  for (int32_t k = 0; k < SCENES; k++) {
    for (int32_t mode = 0; mode < 2; mode++) {
      perp_sample *s = scene(k, mode);
      char bodies[32];
      int32_t normals = 0;
      assert_int_equal(s->n, table1[k].constraints);
      snprintf(bodies, sizeof bodies, "%d bodies ", table1[k].bodies);
      assert_memory_equal(s->note, bodies, strlen(bodies));
      for (int32_t i = 0; i < s->n; i++) {       // MNS08 (1.1): u first, then v
        if (lower(s->lo, i) == 0.0) normals++;
        else assert_int_equal(normals, 0);
      }
      assert_int_equal(normals, mode == 1 ? s->n/3 : s->n);
      assert_true(s->hi == NULL);
      if (mode == 1) {                           // near Table 1
        const double entries = s->colptr[s->n];
        assert_true(entries > 0.9*table1[k].entries && entries < 1.4*table1[k].entries);
        assert_true(fabs(s->condition/table1[k].condition - 1.0) < 0.01);
      }
      drop(s);
    }
  }
}

static void test_symmetric_and_definite(void **state) {
  (void)state;
  for (int32_t k = 0; k < SCENES; k++) {
    for (int32_t mode = 0; mode < 2; mode++) {
      perp_sample *s = scene(k, mode);
      int32_t *at = calloc((size_t)s->n, sizeof *at);
      assert_non_null(at);
      for (int32_t j = 0; j < s->n; j++) at[j] = s->colptr[j];
      for (int32_t j = 0; j < s->n; j++) {       // row j ascends through the columns: bit by bit
        for (int32_t e = s->colptr[j]; e < s->colptr[j + 1]; e++) {
          const int32_t i = s->row[e], mirror = at[i]++;
          assert_true(s->row[mirror] == j && s->value[mirror] == s->value[e]);
        }
      }
      free(at);
      // Positive pivots, by a factorisation that asks for their sign.
      double *sign = calloc((size_t)s->n, sizeof *sign);
      sparse_ldl *f = sparse_ldl_create(NULL);
      assert_true(sign != NULL && f != NULL);
      for (int32_t i = 0; i < s->n; i++) sign[i] = 1.0;
      assert_int_equal(sparse_ldl_analyse(f, &s->csc), 0);
      sparse_ldl_regularise(f, sign, 0.0);
      assert_int_equal(sparse_ldl_factor(f, &s->csc, NULL, 0.0, NULL), 0);
      sparse_ldl_destroy(f);
      free(sign);
      drop(s);
    }
  }
}

// All eigenvalues of a small symmetric matrix: Jacobi's rotations, nothing of the library's.
static void eigenvalues(int32_t n, double *M, double *least, double *most) {
  for (int32_t sweep = 0; sweep < 30; sweep++) {
    for (int32_t p = 0; p < n; p++) {
      for (int32_t q = p + 1; q < n; q++) {
        if (M[p*n + q] == 0.0) continue;
        const double theta = (M[q*n + q] - M[p*n + p])/(2.0*M[p*n + q]);
        const double t = (theta < 0.0 ? -1.0 : 1.0)/(fabs(theta) + sqrt(1.0 + theta*theta));
        const double c = 1.0/sqrt(1.0 + t*t), s = t*c;
        for (int32_t i = 0; i < n; i++) {
          const double a = M[i*n + p], b = M[i*n + q];
          M[i*n + p] = c*a - s*b;
          M[i*n + q] = s*a + c*b;
        }
        for (int32_t i = 0; i < n; i++) {
          const double a = M[p*n + i], b = M[q*n + i];
          M[p*n + i] = c*a - s*b;
          M[q*n + i] = s*a + c*b;
        }
      }
    }
  }
  *least = *most = M[0];
  for (int32_t i = 1; i < n; i++) {
    *least = min2(*least, M[i*n + i]);
    *most = max2(*most, M[i*n + i]);
  }
}

static void test_condition(void **state) {
  (void)state;
  for (int32_t k = 0; k < 3; k++) {
    perp_sample *s = scene(k, 1.0);
    double M[48*48] = {0}, least, most;
    for (int32_t i = 0; i < s->n; i++) {
      for (int32_t j = 0; j < s->n; j++) M[i*s->n + j] = entry(s, i, j);
    }
    eigenvalues(s->n, M, &least, &most);
    assert_true(least > 0.0);
    assert_true(fabs(most/least/s->condition - 1.0) < 0.01);
    assert_true(fabs(most/least/table1[k].condition - 1.0) < 0.01);
    drop(s);
  }
}

static int32_t zeros(const perp_sample *s) {      // rows with v = 0 at the solution
  double *x = calloc((size_t)s->n, sizeof *x), *y = calloc((size_t)s->n, sizeof *y);
  assert_true(x != NULL && y != NULL);
  perp_options options = perp_default_options(perp_find_method("interior_point"));
  perp_result result;
  perp_certificate certificate;
  assert_int_equal(perp_solve_once(&s->problem, x, &options, &result), PERP_OK);
  assert_int_equal(perp_certify(&s->problem, x, 1e-8, 0.0, y, &certificate), PERP_OK);
  assert_true(certificate.solved);
  int32_t count = 0;
  for (int32_t i = 0; i < s->n; i++) count += lower(s->lo, i) == 0.0 && y[i] > x[i];
  free(x);
  free(y);
  return count;
}

// Contacts that carry nothing: some, not all, about as many as in Table 2.
static void test_open_contacts(void **state) {
  (void)state;
  for (int32_t k = 0; k < 6; k++) {
    perp_sample *s = scene(k, 1.0);
    const int32_t count = zeros(s), off = count - table1[k].zeros;
    if (abs(off) > 2 + table1[k].zeros/10) fail_msg("%s: %d at zero", table1[k].name, count);
    drop(s);
  }
}

static void refused(const char *message, double bodies, double constraints, double mode) {
  const perp_family *family = perp_find_family("bricks");
  double values[VALUES_MAX];
  for (int32_t k = 0; k < family->parameter_count; k++) values[k] = family->parameters[k].initial;
  values[1] = bodies;
  values[2] = constraints;
  values[3] = mode;
  perp_sample s = {.n = 77};
  assert_int_equal(perp_generate(family, values, 1, &s), PERP_ERROR_OPTION);
  assert_string_equal(perp_last_message(), message);
  assert_int_equal(s.n, 77);
}

static void test_any_counts(void **state) {
  (void)state;
  for (int32_t bodies = 2; bodies < 40; bodies += 3) {
    for (int32_t points = 1; points < 3*bodies; points += 7) {
      for (int32_t mode = 0; mode < 2; mode++) {
        const int32_t rows = mode == 1 ? 3*points : points;
        perp_sample *s = make_with("bricks", (uint64_t)points, "bodies", (double)bodies,
                                   "constraints", (double)rows, "mode", (double)mode, NULL);
        assert_int_equal(s->n, rows);
        for (int32_t i = 0; i < rows; i++) assert_true(entry(s, i, i) > 0.0);
        drop(s);
      }
    }
  }
  refused("bricks: constraints = 100 is not a multiple of 3, the rows of a contact point", 20, 100,
          1);
  refused("bricks: 18 contact points, but 1 joints have room for 17: choose fewer constraints, "
          "more bodies, or less loose", 2, 18, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_counts),
    cmocka_unit_test(test_symmetric_and_definite),
    cmocka_unit_test(test_condition),
    cmocka_unit_test(test_open_contacts),
    cmocka_unit_test(test_any_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
