// test_coloured.c: coloured sweeps give the same bits on any number of threads, and converge.
// labels: tsan
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "operator.h"
#include "platform.h"
#include "random.h"
#include "vector.h"

typedef struct sample {   // a matrix with everything that a sweep needs
  perp_csc A;
  int32_t n, *colptr, *row;
  double *value, *x0, *b, *lo, *hi, *diagonal, *weight;
  void *plan_memory;
} sample;

static void *allocate(size_t count, size_t size) {
  void *memory = malloc(count*size + 1);
  assert_non_null(memory);
  return memory;
}

static void finish_sample(sample *s, uint64_t seed) {
  random_stream r = {seed, 0};
  double **const vectors[] = {&s->x0, &s->b, &s->lo, &s->hi, &s->diagonal, &s->weight};
  for (size_t k = 0; k < 6; k++) *vectors[k] = allocate((size_t)s->n, sizeof(double));
  s->A = (perp_csc){s->n, s->n, s->colptr, s->row, s->value};
  const perp_operator A = perp_from_csc(&s->A, 0);
  A.ops->diagonal(A.self, s->diagonal);
  for (int32_t i = 0; i < s->n; i++) {
    s->b[i] = perp_random_normal(r.seed, r.next++);
    s->lo[i] = i % 3 == 0 ? -(double)INFINITY : -random_uniform(&r);
    s->hi[i] = i % 5 == 0 ? (double)INFINITY : 2.0*random_uniform(&r);
    s->weight[i] = random_range(&r, 0.5, 2.0);
    s->x0[i] = max2(0.0, s->lo[i])*0.5 + 0.25*min2(s->hi[i], 1.0);
  }
  s->plan_memory = NULL;
}

static sample laplacian(int32_t side, double skew) {   // 5-point; skew != 0: not symmetric
  sample s = {.n = side*side};
  s.colptr = allocate((size_t)s.n + 1, sizeof *s.colptr);
  s.row = allocate(5*(size_t)s.n, sizeof *s.row);
  s.value = allocate(5*(size_t)s.n, sizeof *s.value);
  int32_t p = 0;
  for (int32_t j = 0; j < s.n; j++) {
    s.colptr[j] = p;
    const int32_t at[5] = {j - side, j - 1, j, j + 1, j + side};
    const int there[5] = {j >= side, j % side > 0, 1, j % side < side - 1, j < s.n - side};
    const double value[5] = {-1.0, -1.0 - skew, 4.0, -1.0 + skew, -1.0};
    for (int k = 0; k < 5; k++) {
      if (!there[k]) continue;
      s.row[p] = at[k];
      s.value[p++] = value[k];
    }
  }
  s.colptr[s.n] = p;
  finish_sample(&s, 11);
  return s;
}

// Random pattern, not even structurally symmetric; every 17th diagonal entry is missing, every 19th
// is negative.
static sample scattered(int32_t n, int32_t reach) {
  sample s = {.n = n};
  random_stream r = {99, 0};
  s.colptr = allocate((size_t)n + 1, sizeof *s.colptr);
  s.row = allocate(8*(size_t)n, sizeof *s.row);
  s.value = allocate(8*(size_t)n, sizeof *s.value);
  int32_t p = 0;
  for (int32_t j = 0; j < n; j++) {
    s.colptr[j] = p;
    int32_t i = j - reach + random_integer(&r, reach/3 + 1);
    for (int k = 0; k < 7; k++) {
      const int32_t next = i + 1 + random_integer(&r, reach/3 + 1);
      const int passes = i < j && next > j && j % 17 != 0;   // the diagonal
      if (i >= 0 && i < n && i != j) {
        s.row[p] = i;
        s.value[p++] = perp_random_normal(r.seed, r.next++)*0.3;
      }
      if (passes) {
        s.row[p] = j;
        s.value[p++] = j % 19 == 0 ? -1.0 : 4.0;
      }
      i = next;
    }
  }
  s.colptr[n] = p;
  finish_sample(&s, 12);
  return s;
}

// Every row i reads x_{i-distance} only, or x_{i+distance}: blocks touch through columns, or
// through rows, but never through both.
static sample one_sided(int32_t n, int32_t distance, int below) {
  sample s = {.n = n};
  s.colptr = allocate((size_t)n + 1, sizeof *s.colptr);
  s.row = allocate(2*(size_t)n, sizeof *s.row);
  s.value = allocate(2*(size_t)n, sizeof *s.value);
  int32_t p = 0;
  for (int32_t j = 0; j < n; j++) {
    s.colptr[j] = p;
    const int32_t other = below ? j + distance : j - distance;
    if (!below && other >= 0) s.row[p] = other, s.value[p++] = -1.5;
    s.row[p] = j, s.value[p++] = 2.0;
    if (below && other < n) s.row[p] = other, s.value[p++] = -1.5;
  }
  s.colptr[n] = p;
  finish_sample(&s, 13);
  return s;
}

static void free_sample(sample *s) {
  void *const all[] = {s->colptr, s->row, s->value, s->x0, s->b, s->lo, s->hi, s->diagonal,
                       s->weight, s->plan_memory};
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) free(all[k]);
}

static coloured *plan_of(sample *s, uint32_t claims) {   // in memory of exactly the size asked for
  const size_t bytes = coloured_bytes(s->n, s->colptr[s->n]);
  free(s->plan_memory);
  s->plan_memory = allocate(bytes, 1);
  memset(s->plan_memory, 0xff, bytes);
  arena memory = {s->plan_memory, bytes, 0};
  const perp_operator A = perp_from_csc(&s->A, claims);
  coloured *plan = coloured_plan(&memory, &A);
  assert_non_null(plan);
  return plan;
}

static perp_sweep state_of(const sample *s, double *x, int bounds, double omega) {
  memcpy(x, s->x0, (size_t)s->n*sizeof *x);
  return (perp_sweep){.x = x, .b = s->b, .lo = bounds ? s->lo : NULL, .hi = bounds ? s->hi : NULL,
                      .diagonal = s->diagonal, .weight = s->weight, .omega = omega, .fresh = 1};
}

// Four passes, the last one backward.
static double run_passes(sample *s, double *x, int bounds, double omega, team *t) {
  coloured *plan = plan_of(s, 0);
  perp_sweep state = state_of(s, x, bounds, omega);
  for (int pass = 0; pass < 4; pass++) {
    state.backward = pass == 3;
    state.change = 0.0;
    coloured_sweep(plan, &state, t);
    assert_int_equal(state.fresh, 0);
  }
  return state.change;
}

// A scheduler that runs the tasks backwards, on two threads.
typedef struct half {
  platform_thread thread;
  void (*task)(void *, int32_t);
  void *data;
  int32_t from, to;
} half;

static platform_result PLATFORM_CALL run_half(void *argument) {
  const half *h = argument;
  for (int32_t i = h->to - 1; i >= h->from; i--) h->task(h->data, i);
  return 0;
}

static void *enqueue(void *context, void (*task)(void *, int32_t), void *data, int32_t count) {
  half *h = context;
  h[0] = (half){.task = task, .data = data, .from = 0, .to = count/2};
  h[1] = (half){.task = task, .data = data, .from = count/2, .to = count};
  for (int k = 0; k < 2; k++)
    assert_true(platform_start(&h[k].thread, run_half, &h[k]));
  return h;
}

static void finish(void *context, void *handle) {
  (void)context;
  half *h = handle;
  for (int k = 0; k < 2; k++) platform_join(h[k].thread);
}

static void same_bits_for(sample *s) {
  const size_t bytes = (size_t)s->n*sizeof(double);
  double *one = allocate(1, bytes), *many = allocate(1, bytes);
  half halves[2];
  perp_scheduler scheduler = {.workers = 2, .enqueue = enqueue, .finish = finish};
  scheduler.context = halves;
  for (int bounds = 0; bounds < 2; bounds++) {
    const double change = run_passes(s, one, bounds, 1.2, NULL);
    for (int32_t threads = 1; threads <= 5; threads++) {   // 5: the scheduler
      team *t = team_create(threads, threads == 5 ? &scheduler : NULL, NULL);
      assert_non_null(t);
      assert_true(run_passes(s, many, bounds, 1.2, t) == change);
      assert_memory_equal(one, many, bytes);
      team_destroy(t);
    }
  }
  free(one), free(many);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  sample all[] = {laplacian(150, 0.0), laplacian(150, 0.1), scattered(20000, 300),
                  scattered(9000, 4000), laplacian(1, 0.0), one_sided(16384, 5120, 0),
                  one_sided(16384, 5120, 1), one_sided(16384, 200, 0), one_sided(16384, 200, 1)};
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) {
    same_bits_for(&all[k]);
    free_sample(&all[k]);
  }
}

// The rule once more, slowly: blocks of 256 rows, greedy colours in order, natural
// order inside.
static void slow_passes(const sample *s, const double *dense, double *x, int bounds, double omega) {
  const int32_t n = s->n, size = 256, blocks = (n + size - 1)/size;
  int32_t colour[64], colours = 0;
  assert_in_range(blocks, 0, 64);
  for (int32_t k = 0; k < blocks; k++) {
    int taken[64] = {0};
    for (int32_t i = k*size; i < n && i < (k + 1)*size; i++)
      for (int32_t j = 0; j < k*size; j++)
        if (dense[(size_t)i*(size_t)n + (size_t)j] != 0.0 ||
            dense[(size_t)j*(size_t)n + (size_t)i] != 0.0)
          taken[colour[j/size]] = 1;
    colour[k] = 0;
    while (taken[colour[k]]) colour[k]++;
    if (colour[k] + 1 > colours) colours = colour[k] + 1;
  }
  memcpy(x, s->x0, (size_t)n*sizeof *x);
  for (int pass = 0; pass < 4; pass++)
    for (int32_t c = 0; c < colours; c++)
      for (int32_t k = 0; k < blocks; k++) {
        if (colour[k] != (pass == 3 ? colours - 1 - c : c)) continue;
        const int32_t from = k*size, to = n < from + size ? n : from + size;
        for (int32_t r = from; r < to; r++) {
          const int32_t i = pass == 3 ? to - 1 - (r - from) : r;
          double y = s->b[i];
          for (int32_t j = 0; j < n; j++) y += dense[(size_t)i*(size_t)n + (size_t)j]*x[j];
          x[i] = relaxed(x[i], y, s->diagonal[i], omega, lower(bounds ? s->lo : NULL, i),
                         upper(bounds ? s->hi : NULL, i));
        }
      }
}

static void sweeps_match_the_slow_rule(void **state) {
  (void)state;
  sample all[] = {laplacian(45, 0.0), laplacian(45, 0.1), scattered(2000, 90),
                  scattered(1500, 700), one_sided(1500, 200, 0), one_sided(1500, 200, 1)};
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) {
    sample *s = &all[k];
    const size_t n = (size_t)s->n;
    double *dense = calloc(n*n, sizeof *dense);
    double *x = allocate(n, sizeof *x), *slow = allocate(n, sizeof *slow);
    assert_non_null(dense);
    for (int32_t j = 0; j < s->n; j++)
      for (int32_t p = s->colptr[j]; p < s->colptr[j + 1]; p++)
        dense[(size_t)s->row[p]*n + (size_t)j] = s->value[p];
    for (int bounds = 0; bounds < 2; bounds++) {
      run_passes(s, x, bounds, 1.2, NULL);
      slow_passes(s, dense, slow, bounds, 1.2);
      for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i] - slow[i]) <= 1e-11*(1.0 + fabs(slow[i]))))
          fail_msg("matrix %d, x[%d] = %.17g, not %.17g", (int)k, (int)i, x[i], slow[i]);
    }
    free(dense), free(x), free(slow);
    free_sample(s);
  }
}

// A claim of symmetry is checked, not trusted.
static void a_wrong_claim_does_no_harm(void **state) {
  (void)state;
  sample s = laplacian(40, 0.1);
  double *one = allocate((size_t)s.n, sizeof *one), *two = allocate((size_t)s.n, sizeof *two);
  perp_sweep sweep = state_of(&s, one, 0, 1.0);
  coloured_sweep(plan_of(&s, 0), &sweep, NULL);
  sweep = state_of(&s, two, 0, 1.0);
  coloured_sweep(plan_of(&s, PERP_CLAIM_SYMMETRIC), &sweep, NULL);
  assert_memory_equal(one, two, (size_t)s.n*sizeof *one);
  free(one), free(two);
  free_sample(&s);
}

static void sor_converges_on_the_laplacian(void **state) {
  (void)state;
  for (int skewed = 0; skewed < 2; skewed++) {
    sample s = laplacian(60, skewed ? 0.05 : 0.0);
    double *x = allocate((size_t)s.n, sizeof *x), *y = allocate((size_t)s.n, sizeof *y);
    for (int bounds = 0; bounds < 2; bounds++) {
      coloured *plan = plan_of(&s, 0);
      team *t = team_create(2, NULL, NULL);
      assert_non_null(t);
      perp_sweep sweep = state_of(&s, x, bounds, 1.85);
      int32_t passes = 0;
      do {
        sweep.change = 0.0;
        coloured_sweep(plan, &sweep, t);
      } while (sweep.change > 1e-11 && ++passes < 1000);
      assert_in_range(passes, 5, 500);
      team_destroy(t);
      const perp_operator A = perp_from_csc(&s.A, 0);
      A.ops->apply(A.self, x, y, NULL);
      for (int32_t i = 0; i < s.n; i++) {
        const double r = mid(x[i] - upper(bounds ? s.hi : NULL, i), y[i] + s.b[i],
                             x[i] - lower(bounds ? s.lo : NULL, i));
        assert_true(fabs(r) < 1e-9);
      }
    }
    free(x), free(y);
    free_sample(&s);
  }
}

static void omega_and_diagonal_may_change_between_passes(void **state) {
  (void)state;
  sample s = laplacian(40, 0.0);
  double *x = allocate((size_t)s.n, sizeof *x), *again = allocate((size_t)s.n, sizeof *again);
  coloured *plan = plan_of(&s, 0);
  perp_sweep sweep = state_of(&s, x, 0, 1.5);
  coloured_sweep(plan, &sweep, NULL);
  sweep = state_of(&s, x, 0, 1.0);
  sweep.fresh = 0;
  coloured_sweep(plan, &sweep, NULL);
  sweep = state_of(&s, again, 0, 1.0);
  coloured_sweep(plan_of(&s, 0), &sweep, NULL);
  assert_memory_equal(x, again, (size_t)s.n*sizeof *x);
  free(x), free(again);
  free_sample(&s);
}

static void plans_need_memory_and_a_csc_view(void **state) {
  (void)state;
  sample s = laplacian(30, 0.1);
  const size_t bytes = coloured_bytes(s.n, s.colptr[s.n]);
  unsigned char *block = allocate(bytes, 1);
  const perp_operator A = perp_from_csc(&s.A, 0);
  for (size_t less = 64; less <= bytes; less += 64) {
    arena memory = {block, bytes - less, 0};
    assert_null(coloured_plan(&memory, &A));
    assert_int_equal(memory.used, 0);
  }
  arena memory = {block, bytes, 0};
  assert_non_null(coloured_plan(&memory, &A));
  assert_true(memory.used <= bytes);
  perp_wrapper w;
  const perp_operator shifted = perp_shifted(&w, A, 1.0);
  memory.used = 0;
  assert_null(coloured_plan(&memory, &shifted));
  const perp_view none = {.kind = PERP_VIEW_NONE};
  assert_false(coloured_accepts(&none));
  free(block);
  free_sample(&s);
}

static void an_empty_matrix_is_swept_at_once(void **state) {
  (void)state;
  const int32_t zero[1] = {0};
  const perp_csc c = {0, 0, zero, NULL, NULL};
  const perp_operator A = perp_from_csc(&c, 0);
  _Alignas(64) unsigned char block[1024];
  assert_true(coloured_bytes(0, 0) <= sizeof block);
  arena memory = {block, sizeof block, 0};
  coloured *plan = coloured_plan(&memory, &A);
  assert_non_null(plan);
  perp_sweep state0 = {.omega = 1.0, .fresh = 1, .change = 0.5};
  coloured_sweep(plan, &state0, NULL);
  assert_true(state0.change == 0.5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(threads_do_not_change_a_bit),
    cmocka_unit_test(sweeps_match_the_slow_rule),
    cmocka_unit_test(a_wrong_claim_does_no_harm),
    cmocka_unit_test(sor_converges_on_the_laplacian),
    cmocka_unit_test(omega_and_diagonal_may_change_between_passes),
    cmocka_unit_test(plans_need_memory_and_a_csc_view),
    cmocka_unit_test(an_empty_matrix_is_swept_at_once),
  };
  return cmocka_run_group_tests_name("coloured", tests, NULL, NULL);
}
