// test_klu.c: the backend libperp-klu, loaded as the program loads it, agrees with our sparse LU.
#include "support.h"

#include <dlfcn.h>

#include "gallery_sample.h"
#include "solvers.h"

typedef const perp_linear_ops *(*backend_linear)(void);

static void *library;
static const perp_linear_ops *klu;

static int load(void **state) {
  (void)state;
#ifdef PERP_KLU_PATH
  library = dlopen(PERP_KLU_PATH, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    print_error("%s\n", dlerror());
    return 1;
  }
  backend_linear get;
  *(void **)&get = dlsym(library, "perp_backend_linear");
  if (get == NULL) return 1;
  klu = get();
#endif
  return 0;
}

static int unload(void **state) {
  (void)state;
  if (library != NULL) dlclose(library);
  return 0;
}

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
  assert_int_equal(ops->analyse(i.self, &problem->A, &options, NULL), 0);
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
  assert_null(dlsym(library, "assemble_csc"));   // nothing of ours leaks into the program
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

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(has_a_name_and_one_symbol),
    cmocka_unit_test(agrees_with_sparse_lu_on_random_masks),
    cmocka_unit_test(singular_blocks_and_deadlines_are_told),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
