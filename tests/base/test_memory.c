// test_memory.c: nothing is allocated inside perp_solve; the k-th allocation fails, for all k.
#include "support.h"

#include "allocator.h"

// ---- malloc itself, where it can be watched: glibc without a sanitizer ----

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#if defined(__GLIBC__) && !defined(SANITIZED)
#define WATCHED 1
#else
#define WATCHED 0
#endif

static int watching;        // count the calls
static long seen;           // calls while watching
static long fails_at = -1;  // the call that returns NULL, counted from 0; -1: none
static long alive;          // blocks allocated while watching and not freed

#if WATCHED
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);

static int refused(void) {
  return watching && seen++ == fails_at;
}

void *malloc(size_t bytes) {
  if (refused()) return NULL;
  alive += watching;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  if (refused()) return NULL;
  alive += watching;
  return __libc_calloc(count, bytes);
}
void *realloc(void *memory, size_t bytes) {
  if (refused()) return NULL;
  alive += watching && memory == NULL;
  return __libc_realloc(memory, bytes);
}
void *aligned_alloc(size_t alignment, size_t bytes) {
  if (refused()) return NULL;
  alive += watching;
  return __libc_memalign(alignment, bytes);
}
void free(void *memory) {
  alive -= watching && memory != NULL;
  __libc_free(memory);
}
#endif

static void watch(long at) {
  seen = alive = 0;
  fails_at = at;
  watching = 1;
}
static void unwatch(void) {
  watching = 0;
  fails_at = -1;
}

// ---- an allocator that counts and fails ----

typedef struct counter {
  long calls, alive, fails_at;
  int for_good;   // and so does every later one
} counter;

static void *counting_allocate(void *context, size_t bytes) {
  counter *c = context;
  const long call = c->calls++;
  if (call == c->fails_at || (c->for_good && c->fails_at >= 0 && call > c->fails_at)) return NULL;
  c->alive++;
  return malloc(bytes > 0 ? bytes : 1);
}
static void counting_release(void *context, void *memory) {
  counter *c = context;
  c->alive -= memory != NULL;
  free(memory);
}

static sample contact_like(int32_t n) {
  sample s = sample_new(n);
  symmetric_definite(&s);
  for (int32_t i = 0; i < n; i++) {
    s.b[i] = between(-1, 1);
    if (i%5 == 4) s.lo[i] = -INF;
    if (i%5 == 3) s.hi[i] = 0.05;
    if (i%5 == 2 && n > 6) s.lo[i] = s.hi[i] = 0.01;
  }
  return s;
}

static void keep_three_diagonals(sample *s) {
  for (int32_t i = 0; i < s->n; i++)
    for (int32_t j = 0; j < s->n; j++)
      if (i > j + 1 || j > i + 1) AT(s, i, j) = 0.0;
}

static void nothing_inside_solve(void **state) {
  (void)state;
  support_state = 6;
  for (int32_t k = 0; k < perp_method_count(); k++) {
    const perp_method *m = perp_method_at(k);
    if (!(m->traits & PERP_TRAIT_NO_ALLOC)) continue;
    for (int trial = 0; trial < 24; trial++) {
      sample s = contact_like(whole(1, m->n_max > 0 ? 9 : 30));
      if (m->needs & PERP_NEEDS_TRIDIAGONAL) keep_three_diagonals(&s);
      const perp_problem *p = trial & 1
                                  ? sample_dense(&s)
                                  : sample_csc(&s, trial & 2, trial & 4 ? PERP_CLAIM_SYMMETRIC : 0);
      perp_limits limits = perp_limits_of(p);
      limits.n += trial & 8 ? 3 : 0;
      counter c = {.fails_at = -1};
      const perp_allocator allocator = {counting_allocate, counting_release, &c};
      perp_options o = perp_default_options(m);
      o.iteration_limit = 500;
      o.split = trial & 1;
      o.threads = trial%3 == 0 ? 2 : 1;
      if (perp_find_parameter(m, "sweep.order") != NULL) o.sweep.order = trial%2;
      perp_solver *solver;
      if (perp_solver_create(m, &limits, &o, &allocator, &solver) != PERP_OK)
        fail_msg("%s", perp_last_message());
      const long before = c.calls;
      perp_result r;
      watch(-1);
      const perp_error error = perp_solve(solver, p, s.x, &r);
      unwatch();
      assert_int_equal(error, PERP_OK);
      assert_int_equal(c.calls, before);
      if (seen != 0) fail_msg("%s called malloc %ld times", m->name, seen);
      perp_solver_destroy(solver);
      assert_int_equal(c.alive, 0);
      sample_free(&s);
    }
  }
#if !WATCHED
  print_message("malloc is not watched in this build: only the counting allocator was\n");
#endif
}

static void kth_allocation_of_create(void **state) {
  (void)state;
  support_state = 7;
  for (int32_t k = 0; k < perp_method_count(); k++)
    for (int threads = 1; threads <= 3; threads += 2)
      for (int lanes = 0; lanes < 4; lanes += 3) {
        sample s = contact_like(8);
        perp_limits limits = perp_limits_of(sample_csc(&s, 0, 0));
        limits.lanes = lanes;
        perp_options o = perp_default_options(perp_method_at(k));
        o.threads = threads;
        if (!takes(o.method, &s.problem)) {
          sample_free(&s);
          continue;
        }
        for (long at = 0;; at++) {
          counter c = {.fails_at = at};
          const perp_allocator allocator = {counting_allocate, counting_release, &c};
          perp_solver *solver = (perp_solver *)&s;
          const perp_error error = perp_solver_create(NULL, &limits, &o, &allocator, &solver);
          if (error == PERP_OK) {
            assert_true(at >= 2);
            perp_result r;
            const perp_error solved = perp_solve(solver, &s.problem, s.x, &r);
            assert_true(solved == PERP_OK || solved == PERP_ERROR_MEMORY);
            perp_solver_destroy(solver);
            assert_int_equal(c.alive, 0);
            if (c.calls <= at) break;   // nothing failed any more
            continue;
          }
          assert_int_equal(error, PERP_ERROR_MEMORY);
          assert_true(strlen(perp_last_message()) > 0);
          assert_ptr_equal(solver, &s);
          assert_int_equal(c.alive, 0);
        }
        sample_free(&s);
      }
}

// Memory that is not there is an error, not a breakdown of the method: on problems that every
// method can solve with enough of it, from the k-th allocation on there is none.
static void no_memory_is_no_breakdown(void **state) {
  (void)state;
  support_state = 8;
  for (int32_t k = 0; k < perp_method_count(); k++)
    for (int32_t n = 8; n <= 260; n += 252) {
      sample s = sample_new(n);
      for (int32_t i = 0; i < n; i++) {
        AT(&s, i, i) = 4;
        for (int32_t j = i - 1; j >= 0 && j >= i - 2; j--) AT(&s, i, j) = AT(&s, j, i) = -0.5;
        s.b[i] = between(-1, 1);
      }
      const perp_problem *p = sample_csc(&s, 0, 0);
      perp_options o = perp_default_options(perp_method_at(k));
      o.presolve = o.split = 0;
      for (long at = 2; takes(o.method, p); at++) {
        counter c = {.fails_at = at, .for_good = 1};
        const perp_allocator allocator = {counting_allocate, counting_release, &c};
        const perp_limits limits = perp_limits_of(p);
        perp_solver *solver = NULL;
        perp_result r;
        perp_error error = perp_solver_create(NULL, &limits, &o, &allocator, &solver);
        for (int32_t i = 0; i < n; i++) s.x[i] = 0.0;
        if (error == PERP_OK) error = perp_solve(solver, p, s.x, &r);
        perp_solver_destroy(solver);
        assert_int_equal(c.alive, 0);
        if (error == PERP_OK && r.status != PERP_STATUS_SOLVED && c.calls > at)
          fail_msg("%s, n = %d, allocation %ld fails: %s: %s", o.method->name, (int)n, at,
                   perp_status_name(r.status), r.message);
        if (error != PERP_OK) assert_int_equal(error, PERP_ERROR_MEMORY);
        if (c.calls <= at) break;
      }
      sample_free(&s);
    }
}

static void kth_allocation_of_classify(void **state) {
  (void)state;
  support_state = 8;
  sample s = contact_like(12);
  for (int dense = 0; dense < 2; dense++)
    for (long at = 0;; at++) {
      const perp_problem *p = dense ? sample_dense(&s) : sample_csc(&s, 0, 0);
      counter c = {.fails_at = at};
      const perp_allocator allocator = {counting_allocate, counting_release, &c};
      perp_classes classes;
      const perp_error error = perp_classify(p, &allocator, &classes);
      assert_int_equal(c.alive, 0);
      if (error == PERP_OK) break;
      assert_int_equal(error, PERP_ERROR_MEMORY);
      assert_true(at < 100);
    }
  sample_free(&s);
}

static void halves_of_an_allocator(void **state) {
  (void)state;
  sample s = contact_like(3);
  const perp_limits limits = perp_limits_of(sample_csc(&s, 0, 0));
  counter c = {.fails_at = -1};
  perp_solver *solver = NULL;
  const perp_allocator no_release = {counting_allocate, NULL, &c},
                       no_allocate = {NULL, counting_release, &c}, none = {0};
  assert_int_equal(perp_solver_create(NULL, &limits, NULL, &no_release, &solver),
                   PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_solver_create(NULL, &limits, NULL, &no_allocate, &solver),
                   PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_solver_create(NULL, &limits, NULL, &none, &solver), PERP_OK);
  perp_solver_destroy(solver);
  sample_free(&s);
}

static void limits_beyond_memory(
    void **state) {  // sizes that overflow size_t or no allocator grants
  (void)state;
  const perp_limits absurd[] = {{.n = INT32_MAX, .nnz = INT64_MAX},
                                {.n = 10, .nnz = INT64_MAX/8},
                                {.n = 10, .nnz = 10, .scratch = SIZE_MAX},
                                {.n = 10, .nnz = 10, .scratch = SIZE_MAX/2},
                                {.n = 10, .nnz = INT64_MAX, .scratch = SIZE_MAX - 4096}};
  for (size_t k = 0; k < sizeof absurd/sizeof absurd[0]; k++)
    for (int32_t m = 0; m < perp_method_count(); m++) {
      counter c = {.fails_at = 1};  // the block, if it is asked for at all
      const perp_allocator allocator = {counting_allocate, counting_release, &c};
      perp_solver *solver = NULL;
      const perp_error error =
          perp_solver_create(perp_method_at(m), &absurd[k], NULL, &allocator, &solver);
      assert_true(error == PERP_ERROR_MEMORY || (error == PERP_ERROR_UNSUPPORTED && k == 0));
      assert_int_equal(c.alive, 0);
    }
}

static void kth_malloc(
    void **state) {  // of the calls that have no allocator: solve_once, certify, generate
  (void)state;
#if WATCHED
  support_state = 9;
  sample s = contact_like(7);
  sample_csc(&s, 0, 0);
  for (int32_t m = 0; m < perp_method_count(); m++) {
    if (!takes(perp_method_at(m), &s.problem)) continue;
    for (long at = 0;; at++) {
      const perp_options o = perp_default_options(perp_method_at(m));
      double x[7] = {0};
      perp_result r;
      watch(at);
      const perp_error error = perp_solve_once(&s.problem, x, &o, &r);
      unwatch();
      assert_int_equal(alive, 0);
      if (error == PERP_OK) break;
      assert_int_equal(error, PERP_ERROR_MEMORY);
      for (int i = 0; i < 7; i++) assert_true(x[i] == 0);
      assert_true(at < 50);
    }
  }
  for (long at = 0;; at++) {
    perp_certificate c;
    watch(at);
    const perp_error error = perp_certify(&s.problem, s.x, 1e-8, 0, NULL, &c);
    unwatch();
    assert_int_equal(alive, 0);
    if (error == PERP_OK) break;
    assert_int_equal(error, PERP_ERROR_MEMORY);
  }
  for (int32_t f = 0; f < perp_family_count(); f++) {
    const perp_family *family = perp_family_at(f);
    double values[32];
    for (int32_t k = 0; k < family->parameter_count; k++) {
      const perp_gallery_parameter *p = &family->parameters[k];
      values[k] = p->integer && p->choices == NULL && p->initial > 3 ? (p->low > 3 ? p->low : 3)
                                                                     : p->initial;
    }
    for (long at = 0;; at++) {
      perp_sample g;
      watch(at);
      const perp_error error = perp_generate(family, values, 1, &g);
      if (error == PERP_OK) perp_sample_free(&g);
      unwatch();
      if (alive != 0)
        fail_msg("%s: %ld blocks lost when allocation %ld fails", family->name, alive, at);
      if (error == PERP_OK) break;
      if (error != PERP_ERROR_MEMORY) fail_msg("%s: %s", family->name, perp_last_message());
      assert_true(at < 500);
    }
  }
  sample_free(&s);
#else
  print_message("malloc is not watched in this build\n");
  skip();
#endif
}

// 3 x_0 = 3 and x_0 = 5. 1/3 is rounded, so this u proves nothing beyond a radius, and the exact
// vector near it is looked for, with memory of its own.
static void kth_allocation_of_check_farkas(void **state) {
  (void)state;
  const double value[] = {3, 0, 1, 0}, b[] = {-3, -5}, lo[] = {-INF, -INF}, u[] = {-1.0/3, 1};
  const perp_dense d = {.n = 2, .value = value};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo};
  for (long at = 0;; at++) {
    counter c = {.fails_at = at};
    const perp_allocator from = {counting_allocate, counting_release, &c};
    perp_farkas f = {.worst = 77};
    watch(-1);
    const perp_error error = perp_check_farkas_within(&p, u, 1e-8, 0, &from, &f);
    unwatch();
    assert_int_equal(c.alive, 0);
    if (WATCHED) assert_int_equal(seen, c.calls - (error != PERP_OK));   // no other memory
    if (error == PERP_OK) {
      assert_int_equal(f.proven, 1);
      assert_non_null(strstr(f.reason, "for an exact u"));
      assert_int_equal(at, c.calls);
      assert_true(at >= 4);
      return;
    }
    assert_int_equal(error, PERP_ERROR_MEMORY);
    assert_non_null(strstr(perp_last_message(), "perp_check_farkas: no memory"));
    assert_int_equal(f.worst, 77);
  }
}

// Large blocks of our own allocator begin where a large page does; all of it can be written.
static void large_pages(void **state) {
  (void)state;
  const perp_allocator own = allocator_of(NULL);
  for (size_t bytes = 1; bytes < 40u << 20; bytes = 3*bytes + 1) {
    unsigned char *block = own.allocate(own.context, bytes);
    assert_non_null(block);
#if defined(__linux__)
    if (bytes >= 4u << 20) assert_int_equal((uintptr_t)block%(2u << 20), 0);
#endif
    memset(block, 7, bytes);
    assert_int_equal(block[bytes - 1], 7);
    own.release(own.context, block);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_inside_solve),       cmocka_unit_test(kth_allocation_of_create),
      cmocka_unit_test(large_pages),                cmocka_unit_test(kth_allocation_of_check_farkas),
      cmocka_unit_test(no_memory_is_no_breakdown),
      cmocka_unit_test(kth_allocation_of_classify), cmocka_unit_test(halves_of_an_allocator),
      cmocka_unit_test(limits_beyond_memory),       cmocka_unit_test(kth_malloc),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
