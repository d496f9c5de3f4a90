// test_cholmod_backend.c: libperp-cholmod, loaded as the program loads it, solves A_II z = r on
// free sets that change by few and by many rows, and says where A_II is not definite.
// needs: posix
#include "backend_load.h"
#include "counting.h"
#include "sparse_samples.h"

#include "gallery_sample.h"

static void *library;
static const perp_linear_ops *cholmod;

static int load(void **state) {
  (void)state;
#ifdef PERP_CHOLMOD_PATH
  cholmod = backend_load(PERP_CHOLMOD_PATH, &library);
  if (cholmod == NULL) return 1;
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

static void *start(const perp_operator *A, size_t *n) {
  const perp_problem problem = {.A = *A};
  const perp_limits limits = perp_limits_of(&problem);
  const perp_options options = perp_default_options(NULL);
  void *self = malloc(cholmod->bytes(&limits) + 64);
  assert_non_null(self);
  assert_int_equal(cholmod->accepts(A), 1);
  assert_int_equal(cholmod->analyse(self, A, &options, &counting), 0);
  assert_true(count.live > 0);
  *n = (size_t)A->n;
  return self;
}

static void end(void *self) {
  cholmod->release(self);
  free(self);
}

static void has_a_name_and_one_symbol(void **state) {
  (void)state;
  if (cholmod == NULL) skip();
  assert_string_equal(cholmod->name, "cholmod");
  assert_non_null(cholmod->title);
  assert_null(dlsym(library, "perp_copy_entries"));   // nothing of ours leaks into the program
}

static void takes_symmetric_matrices_only(void **state) {
  (void)state;
  if (cholmod == NULL) skip();
  sparse_sample s = sparse_dominant(5, 2.0, NULL);
  const perp_operator plain = perp_from_csc(&s.csc, 0);
  const perp_operator claimed = perp_from_csc(&s.csc, PERP_CLAIM_SYMMETRIC);
  assert_int_equal(cholmod->accepts(&plain), 0);
  assert_int_equal(cholmod->accepts(&claimed), 1);
  sparse_drop(&s);
}

// |rhs - A z| on the free rows against |rhs| + |A||z|, and z = 0 elsewhere; A by columns = by rows
static void check_solution(const perp_csc *A, const uint8_t *is_free, const double *rhs,
                           const double *z) {
  for (int32_t j = 0; j < A->columns; j++) {
    double rest = rhs[j], size = fabs(rhs[j]) + 1e-300;
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      rest -= A->value[p]*z[A->row[p]];
      size += fabs(A->value[p]*z[A->row[p]]);
    }
    if (is_free[j]) assert_true(fabs(rest) <= 1e-11*size);
    else assert_true(z[j] == 0.0);
  }
}

static void walk(const perp_csc *A, int rounds, double often_many) {
  const perp_operator view = perp_from_csc(A, PERP_CLAIM_SYMMETRIC);
  size_t n;
  void *self = start(&view, &n);
  uint8_t *is_free = calloc(n + 1, 1);
  double *rhs = calloc(n + 1, sizeof *rhs), *z = calloc(n + 1, sizeof *z);
  assert_true(is_free != NULL && rhs != NULL && z != NULL);
  assert_int_equal(cholmod->solve(self, rhs, z, NULL), 1);       // nothing factored yet
  for (int round = 0; round < rounds; round++) {
    if (round == 0 || uniform() < often_many) {
      const double share = uniform();
      for (size_t i = 0; i < n; i++) is_free[i] = uniform() < share;
    } else {
      for (int k = whole(0, 3); k > 0 && n > 0; k--) is_free[whole(0, (int32_t)n - 1)] ^= 1;
    }
    for (size_t i = 0; i < n; i++) rhs[i] = between(-1, 1);
    assert_true(cholmod->estimate(self, is_free) > 0.0);
    assert_int_equal(cholmod->update(self, is_free, NULL), 0);
    assert_int_equal((round%2 ? cholmod->solve : cholmod->solve_transposed)(self, rhs, z, NULL), 0);
    check_solution(A, is_free, rhs, z);
  }
  end(self);
  free(is_free);
  free(rhs);
  free(z);
}

static void follows_random_sets(void **state) {
  (void)state;
  if (cholmod == NULL) skip();
  support_state = 31;
  for (int trial = 0; trial < often(100); trial++) {
    sparse_sample s = sparse_dominant(whole(0, 80), between(0.0, 6.0), NULL);
    for (int32_t j = 0; j < s.n; j++)              // units that differ by up to 2^40
      for (int32_t p = s.colptr[j]; p < s.colptr[j + 1]; p++)
        s.value[p] *= ldexp(1.0, (s.row[p]*7)%20 + (j*7)%20);
    walk(&s.csc, 20, 0.2);
    sparse_drop(&s);
  }
}

// Much fill: CHOLMOD factors by supernodes, and rows come and go in a factor that was one of those.
static void follows_sets_on_grids_and_walls(void **state) {
  (void)state;
  if (cholmod == NULL) skip();
  support_state = 32;
  perp_sample *const samples[] = {
    make_with("bearing", 1, "nx", 40.0, "ny", 40.0, NULL),
    make_with("wall", 1, "bodies", 60.0, "mode", 0.0, NULL),
    make_with("fluid3d", 1, NULL)};
  for (size_t k = 0; k < sizeof samples/sizeof samples[0]; k++) {
    walk(&samples[k]->csc, 12, 0.3);
    drop(samples[k]);
  }
}

// One row is cheaper than all of them, and what is asked for twice costs next to nothing.
static void a_row_costs_less_than_a_factorisation(void **state) {
  (void)state;
  if (cholmod == NULL) skip();
  perp_sample *s = make_with("bearing", 1, "nx", 60.0, "ny", 60.0, NULL);
  size_t n;
  void *self = start(&s->problem.A, &n);
  uint8_t *is_free = calloc(n, 1);
  assert_non_null(is_free);
  memset(is_free, 1, n);
  const double all = cholmod->estimate(self, is_free);
  assert_int_equal(cholmod->update(self, is_free, NULL), 0);
  const double same = cholmod->estimate(self, is_free);
  is_free[n/2] = 0;
  const double one = cholmod->estimate(self, is_free);
  assert_true(same < one && one < 0.5*all);
  end(self);
  free(is_free);
  drop(s);
}

static int always(void *context) {
  (void)context;
  return 1;
}

static void indefinite_blocks_and_deadlines_are_told(void **state) {
  (void)state;
  if (cholmod == NULL) skip();
  // rows 0 2 3: definite; 1: a zero on the diagonal; 2 and 4 together: indefinite, regular
  const double dense[25] = {2, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 3, 0, 0, 0, 4, 0, 0, 0, 3, 0,
                            1};
  sparse_sample s = {.n = 5, .dense = malloc(sizeof dense)};
  memcpy(s.dense, dense, sizeof dense);
  compress(&s);
  const perp_operator view = perp_from_csc(&s.csc, PERP_CLAIM_SYMMETRIC);
  size_t n;
  void *self = start(&view, &n);
  const uint8_t fine[5] = {1, 0, 1, 1, 0}, zero[5] = {0, 1, 0, 1, 0}, both[5] = {0, 0, 1, 1, 1},
                one[5] = {1, 0, 1, 1, 1};
  double rhs[5] = {2, 9, 5, 8, 9}, z[5];
  const perp_deadline over = {always, NULL};
  assert_int_equal(cholmod->update(self, fine, &over), -1);
  assert_int_equal(cholmod->solve(self, rhs, z, NULL), 1);
  assert_int_equal(cholmod->update(self, zero, NULL), 1);
  assert_in_range(cholmod->update(self, both, NULL), 1, 3);
  assert_true(cholmod->update(self, both, NULL) != 2);   // row 3 has nothing to do with it
  assert_int_equal(cholmod->solve(self, rhs, z, NULL), 1);
  assert_int_equal(cholmod->update(self, fine, NULL), 0);
  assert_int_equal(cholmod->solve(self, rhs, z, NULL), 0);
  assert_true(z[0] == 1.0 && z[1] == 0.0 && z[2] == 5.0 && z[3] == 2.0 && z[4] == 0.0);
  assert_true(cholmod->update(self, one, NULL) > 0);               // by a row that is added
  assert_int_equal(cholmod->solve(self, rhs, z, NULL), 1);
  assert_int_equal(cholmod->update(self, fine, NULL), 0);
  assert_int_equal(cholmod->solve(self, rhs, z, &over), -1);
  end(self);
  sparse_drop(&s);
}

static int32_t updates;

static int counted_update(void *self, const uint8_t *is_free, const perp_deadline *deadline) {
  updates++;
  return cholmod->update(self, is_free, deadline);
}

static void methods_solve_with_it(void **state) {
  (void)state;
  if (cholmod == NULL) skip();
  perp_linear_ops counted = *cholmod;
  counted.update = counted_update;
  const char *const methods[] = {"minmap_newton", "principal_pivoting"};
  for (int k = 0; k < 2; k++) {
    perp_sample *s = make_with("wall", 3, "bodies", 20.0, "mode", 0.0, "built", 1.0, NULL);
    perp_options o = perp_default_options(perp_find_method(methods[k]));
    perp_result r;
    memset(&r, 0, sizeof r);
    double *x = calloc((size_t)s->n, sizeof *x);
    assert_non_null(x);
    o.linear = &counted;
    updates = 0;
    assert_int_equal(perp_solve_once(&s->problem, x, &o, &r), PERP_OK);
    assert_int_equal(r.status, PERP_STATUS_SOLVED);
    assert_true(updates > 0);
    double size = 0.0, off = 0.0;
    for (int32_t i = 0; i < s->n; i++) {
      size = fmax(size, fabs(s->x[i]));
      off = fmax(off, fabs(x[i] - s->x[i]));
    }
    assert_true(off <= 1e-4*size);                 // condition 1e6
    free(x);
    drop(s);
  }
}

// CHOLMOD's own memory comes from malloc; what perp and the backend take is counted.
static void memory_may_fail_at_any_request(void **state) {
  (void)state;
  if (cholmod == NULL) skip();
  assert_int_equal(count.live, 0);   // every solver above has returned its memory
  sparse_sample s = sparse_dominant(20, 3.0, NULL);
  const perp_operator A = perp_from_csc(&s.csc, PERP_CLAIM_SYMMETRIC);
  const perp_limits limits = {.n = s.n};
  const perp_options options = perp_default_options(NULL);
  void *self = malloc(cholmod->bytes(&limits));
  assert_non_null(self);
  int done = 0;
  for (int64_t k = 1; !done; k++) {
    count = (counter){.fail_at = k};
    const int status = cholmod->analyse(self, &A, &options, &counting);
    done = count.requests < k;
    assert_int_equal(status, done ? 0 : -2);
    if (done) cholmod->release(self);
    assert_int_equal(count.live, 0);
  }
  assert_true(count.requests > 4);
  count = (counter){0};
  free(self);
  sparse_drop(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(has_a_name_and_one_symbol),
    cmocka_unit_test(takes_symmetric_matrices_only),
    cmocka_unit_test(follows_random_sets),
    cmocka_unit_test(follows_sets_on_grids_and_walls),
    cmocka_unit_test(a_row_costs_less_than_a_factorisation),
    cmocka_unit_test(indefinite_blocks_and_deadlines_are_told),
    cmocka_unit_test(methods_solve_with_it),
    cmocka_unit_test(memory_may_fail_at_any_request),
  };
  return cmocka_run_group_tests(tests, load, unload);
}
