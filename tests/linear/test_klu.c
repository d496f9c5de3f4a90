// test_klu.c: the backend libperp-klu, loaded as the program loads it, agrees with our sparse LU.
// needs: posix
#include "backend_load.h"
#include "counting.h"
#include "support.h"

#include "gallery_sample.h"
#include "solvers.h"

static void *library;
static const perp_linear_ops *klu;

static int load(void **state) {
  (void)state;
#ifdef PERP_KLU_PATH
  klu = backend_load(PERP_KLU_PATH, &library);
  if (klu == NULL) return 1;
#endif
  return 0;
}

static int unload(void **state) {
  (void)state;
  if (library != NULL) dlclose(library);
  return 0;
}

static counter count;
static const perp_allocator counting = {counted_allocate, counted_release, &count};

typedef struct instance {
  const perp_linear_ops *ops;
  void *self;
} instance;

static instance start(const perp_linear_ops *ops, const perp_problem *problem) {
  const perp_limits limits = perp_limits_of(problem);
  const perp_options options = perp_default_options(NULL);
  instance i = {ops, malloc(ops->bytes(&limits) + 64)};
  assert_non_null(i.self);
  assert_int_equal(ops->accepts(&problem->A), 1);
  assert_int_equal(ops->analyse(i.self, &problem->A, &options, &counting), 0);
  assert_true(count.live > 0);
  return i;
}

static void end(instance *i) {
  i->ops->release(i->self);
  free(i->self);
}

static void has_a_name_and_one_symbol(void **state) {
  (void)state;
  if (klu == NULL) skip();
  assert_string_equal(klu->name, "klu");
  assert_non_null(klu->title);
  assert_null(dlsym(library, "perp_copy_entries"));   // nothing of ours leaks into the program
}

static void agrees_with_sparse_lu_on_random_masks(void **state) {
  (void)state;
  if (klu == NULL) skip();
  support_state = 21;
  for (int trial = 0; trial < often(200); trial++) {
    sample s = random_known(whole(0, 40));
    for (int32_t i = 0; i < s.n; i++) AT(&s, i, i) += uniform() < 0.9 ? 4.0 : 0.0;
    const perp_problem *problem = trial%2 ? sample_csc(&s, 0, 0) : sample_dense(&s);
    instance both[2] = {start(klu, problem), start(&linear_sparse_lu, problem)};
    double rhs[64], z[2][64];
    uint8_t is_free[64];
    for (int round = 0; round < 4; round++) {
      for (int32_t i = 0; i < s.n; i++) {
        if (round != 2) is_free[i] = uniform() < 0.7;      // 2: the same mask again
        rhs[i] = between(-1, 1);
      }
      for (int k = 0; k < 2; k++) {
        assert_int_equal(both[k].ops->update(both[k].self, is_free, NULL), 0);
        assert_int_equal(both[k].ops->solve(both[k].self, rhs, z[k], NULL), 0);
        assert_true(both[k].ops->estimate(both[k].self, is_free) > 0.0);
      }
      double size = 1.0;
      for (int32_t i = 0; i < s.n; i++) size = fmax(size, fabs(z[1][i]));
      for (int32_t i = 0; i < s.n; i++) {
        assert_true(fabs(z[0][i] - z[1][i]) <= 1e-8*size*size);
        if (!is_free[i]) assert_true(z[0][i] == 0.0);
      }
    }
    for (int k = 0; k < 2; k++) end(&both[k]);
    sample_free(&s);
  }
}

// A_II' z = rhs, checked by the product; KLU and our own LU.
static void transposed_solves_satisfy_their_equations(void **state) {
  (void)state;
  support_state = 22;
  for (int trial = 0; trial < often(100); trial++) {
    sample s = random_known(whole(1, 40));
    for (int32_t i = 0; i < s.n; i++) AT(&s, i, i) += 4.0;
    const perp_problem *problem = trial%2 ? sample_csc(&s, 0, 0) : sample_dense(&s);
    double rhs[64], z[64];
    uint8_t is_free[64];
    for (int32_t i = 0; i < s.n; i++) {
      is_free[i] = uniform() < 0.7;
      rhs[i] = between(-1, 1);
    }
    for (int k = klu == NULL; k < 2; k++) {
      instance one = start(k == 0 ? klu : &linear_sparse_lu, problem);
      assert_int_equal(one.ops->solve_transposed(one.self, rhs, z, NULL), 1);
      assert_int_equal(one.ops->update(one.self, is_free, NULL), 0);
      assert_int_equal(one.ops->solve_transposed(one.self, rhs, z, NULL), 0);
      for (int32_t j = 0; j < s.n; j++) {
        double rest = rhs[j], size = 1.0;
        for (int32_t i = 0; i < s.n; i++) {
          rest -= AT(&s, i, j)*z[i];
          size += fabs(AT(&s, i, j)*z[i]);
        }
        if (is_free[j]) assert_true(fabs(rest) <= 1e-12*size);
        else assert_true(z[j] == 0.0);
      }
      end(&one);
    }
    sample_free(&s);
  }
}

static perp_result lemke(const perp_problem *problem, const perp_linear_ops *linear, int crash,
                         double *x) {
  perp_options o = perp_default_options(perp_find_method("lemke"));
  o.linear = linear;
  o.pivot.basis = PERP_BASIS_SPARSE;
  o.pivot.refactor = 8;
  o.pivot.crash = crash;
  perp_result r;
  memset(&r, 0, sizeof r);
  memset(x, 0, (size_t)problem->A.n*sizeof *x);
  assert_int_equal(perp_solve_once(problem, x, &o, &r), PERP_OK);
  return r;
}

static int32_t updates, solves, transposed;   // of KLU

static int counted_update(void *self, const uint8_t *is_free, const perp_deadline *deadline) {
  updates++;
  return klu->update(self, is_free, deadline);
}

static int counted_solve(void *self, const double *rhs, double *z, const perp_deadline *deadline) {
  solves++;
  return klu->solve(self, rhs, z, deadline);
}

static int counted_transposed(void *self, const double *rhs, double *z,
                              const perp_deadline *deadline) {
  transposed++;
  return klu->solve_transposed(self, rhs, z, deadline);
}

// Lemke's path does not depend on who factors: as many pivots, and the same x.
static void lemke_pivots_alike_on_either_lu(void **state) {
  (void)state;
  if (klu == NULL) skip();
  perp_linear_ops counted = *klu;
  counted.update = counted_update;
  counted.solve = counted_solve;
  counted.solve_transposed = counted_transposed;
  const struct { const char *family, *name; double value; } cases[] = {
      {"friction", "bodies", 22}, {"friction", "bodies", 40}, {"dense-pd", "n", 60},
      {"wall", "bodies", 20},
  };
  for (size_t c = 0; c < sizeof cases/sizeof cases[0]; c++)
    for (int crash = 0; crash < 60; crash += 30) {
      perp_sample *s = make_with(cases[c].family, 3, cases[c].name, cases[c].value, NULL);
      double *x = calloc((size_t)s->n + 1, sizeof *x), *z = calloc((size_t)s->n + 1, sizeof *z);
      assert_true(x != NULL && z != NULL);
      updates = solves = 0;
      const perp_result own = lemke(&s->problem, NULL, crash, x);
      const perp_result other = lemke(&s->problem, &counted, crash, z);
      assert_int_equal(own.status, PERP_STATUS_SOLVED);
      assert_int_equal(other.status, PERP_STATUS_SOLVED);
      assert_int_equal(own.iterations, other.iterations);
      if (crash == 0) assert_true(own.iterations > 8 && updates > 1 && solves > 20);
      double size = 1.0;
      for (int32_t i = 0; i < s->n; i++) size = fmax(size, fabs(x[i]));
      for (int32_t i = 0; i < s->n; i++)
        if (!(fabs(x[i] - z[i]) <= 1e-9*size)) fail_msg("%s, row %d", cases[c].family, i);
      free(x);
      free(z);
      drop(s);
    }
}

// Whole numbers, ties at every step: the lexicographic rule reads rows of the inverse.
static void ties_are_broken_by_transposed_solves(void **state) {
  (void)state;
  if (klu == NULL) skip();
  perp_linear_ops counted = *klu;
  counted.solve_transposed = counted_transposed;
  transposed = 0;
  for (int32_t n = 2; n <= 10; n++) {
    perp_sample *s = make_with("murty", 1, "n", (double)n, "variant", 1.0, NULL);
    perp_options o = perp_default_options(perp_find_method("lemke"));
    double x[10] = {0};
    perp_result r;
    memset(&r, 0, sizeof r);
    o.linear = &counted;
    o.presolve = o.scale = 0;
    o.split = PERP_SPLIT_NO;
    o.pivot.basis = PERP_BASIS_SPARSE;
    o.pivot.crash = o.pivot.harris = 0;
    o.pivot.refactor = 4;
    assert_int_equal(perp_solve_once(&s->problem, x, &o, &r), PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    assert_int_equal(r.iterations, (1 << n) - 1);
    drop(s);
  }
  support_state = 5;
  for (int trial = 0; trial < often(100); trial++) {
    sample s = sample_new(whole(2, 8));
    double y[8], x[8] = {0}, size;
    for (int32_t i = 0; i < s.n; i++) {
      for (int32_t j = 0; j < i; j++) AT(&s, j, i) = -(AT(&s, i, j) = whole(-1, 1));
      AT(&s, i, i) = whole(0, 1);
      s.x[i] = whole(0, 1);
      y[i] = s.x[i] > 0 ? 0 : whole(0, 1);
    }
    sample_right_side(&s, y);
    perp_options o = perp_default_options(perp_find_method("lemke"));
    o.linear = &counted;
    o.presolve = o.pivot.harris = o.pivot.crash = 0;
    o.pivot.basis = PERP_BASIS_SPARSE;
    o.pivot.refactor = 1;
    perp_result r;
    memset(&r, 0, sizeof r);
    assert_int_equal(perp_solve_once(sample_csc(&s, 0, 0), x, &o, &r), PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    assert_true(own_residual(&s, x, &size) <= 1e-8*(1.0 + size));
    sample_free(&s);
  }
  assert_true(transposed > 0);
}

static int always(void *context) {
  (void)context;
  return 1;
}

static void singular_blocks_and_deadlines_are_told(void **state) {
  (void)state;
  if (klu == NULL) skip();
  sample s = sample_new(4);
  for (int32_t i = 0; i < 4; i++) AT(&s, i, i) = 2.0;
  AT(&s, 1, 1) = AT(&s, 2, 2) = AT(&s, 1, 2) = AT(&s, 2, 1) = 1e-30;
  AT(&s, 3, 3) = 0.0;
  instance k = start(klu, sample_csc(&s, 0, 0));
  double rhs[4] = {2, 1e-30, 0, 2}, z[4];
  const uint8_t singular[4] = {1, 1, 1, 0}, structural[4] = {1, 1, 0, 1}, fine[4] = {1, 1, 0, 0};
  const perp_deadline over = {always, NULL};
  assert_int_equal(k.ops->solve(k.self, rhs, z, NULL), 1);       // nothing factored yet
  assert_int_equal(k.ops->update(k.self, fine, &over), -1);
  assert_in_range(k.ops->update(k.self, singular, NULL), 2, 3);
  assert_int_equal(k.ops->solve(k.self, rhs, z, NULL), 1);
  assert_int_equal(k.ops->update(k.self, structural, NULL), 3);
  assert_int_equal(k.ops->update(k.self, fine, NULL), 0);
  assert_int_equal(k.ops->solve(k.self, rhs, z, NULL), 0);
  assert_true(z[0] == 1.0 && z[1] == 1.0 && z[2] == 0.0 && z[3] == 0.0);
  assert_int_equal(k.ops->solve(k.self, rhs, z, &over), -1);
  end(&k);
  sample_free(&s);
}

// KLU's own memory comes from malloc; what perp and the backend take is counted.
static void memory_may_fail_at_any_request(void **state) {
  (void)state;
  if (klu == NULL) skip();
  assert_int_equal(count.live, 0);   // every solver above has returned its memory
  sample s = random_known(20);
  const perp_operator A = sample_csc(&s, 0, 0)->A;
  const perp_limits limits = {.n = s.n};
  const perp_options options = perp_default_options(NULL);
  void *self = malloc(klu->bytes(&limits));
  assert_non_null(self);
  int done = 0;
  for (int64_t k = 1; !done; k++) {
    count = (counter){.fail_at = k};
    const int status = klu->analyse(self, &A, &options, &counting);
    done = count.requests < k;
    assert_int_equal(status, done ? 0 : -2);
    if (done) klu->release(self);
    assert_int_equal(count.live, 0);
  }
  assert_true(count.requests > 4);
  count = (counter){0};
  free(self);
  sample_free(&s);
}

// Two chains without a common row. Presolve splits them into blocks that share their arrays.
static void components_are_solved_one_by_one(void **state) {
  (void)state;
  if (klu == NULL) skip();
  perp_linear_ops counted = *klu;
  counted.update = counted_update;
  sample s = sample_new(60);
  double x[60] = {0}, y[60] = {0}, size;
  for (int32_t i = 0; i < 60; i++) {
    AT(&s, i, i) = 3.0;
    if (i%30 > 0) AT(&s, i, i - 1) = AT(&s, i - 1, i) = -1.0;
    s.x[i] = i%3 > 0 ? 1.0 + i : 0.0;
    y[i] = i%3 > 0 ? 0.0 : 1.0;
  }
  sample_right_side(&s, y);
  perp_options o = perp_default_options(perp_find_method("minmap_newton"));
  o.linear = &counted;
  o.split = PERP_SPLIT_YES;
  perp_result r;
  memset(&r, 0, sizeof r);
  updates = 0;
  assert_int_equal(perp_solve_once(sample_csc(&s, 0, 0), x, &o, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
  assert_int_equal(r.certificate.components, 2);
  assert_true(updates > 1);
  assert_true(own_residual(&s, x, &size) <= 1e-8*(1.0 + size));
  sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(has_a_name_and_one_symbol),
    cmocka_unit_test(agrees_with_sparse_lu_on_random_masks),
    cmocka_unit_test(transposed_solves_satisfy_their_equations),
    cmocka_unit_test(lemke_pivots_alike_on_either_lu),
    cmocka_unit_test(ties_are_broken_by_transposed_solves),
    cmocka_unit_test(singular_blocks_and_deadlines_are_told),
    cmocka_unit_test(memory_may_fail_at_any_request),
    cmocka_unit_test(components_are_solved_one_by_one),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
