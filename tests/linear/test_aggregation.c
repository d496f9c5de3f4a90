// test_aggregation.c: a multigrid cycle that follows the free rows: fast, symmetric, honest.
// labels: tsan
// cost: 3
#include "support.h"

#include <float.h>

#include "aggregation.h"
#include "counting.h"

typedef struct grid {
  perp_csc A;
  int32_t *colptr, *row;
  double *value;
} grid;

// -div a grad on k x k points, zero outside, `stretch` times stronger along x; a jumps by contrast.
static grid grid_new(int32_t k, double stretch, double contrast) {
  const int32_t n = k*k;
  grid g = {.colptr = calloc((size_t)n + 1, sizeof(int32_t)),
            .row = calloc(5*(size_t)n, sizeof(int32_t)),
            .value = calloc(5*(size_t)n, sizeof(double))};
  int32_t used = 0;
  for (int32_t i = 0; i < n; i++) {
    const int32_t ix = i%k, iy = i/k;
    const int32_t neighbour[4] = {iy > 0 ? i - k : -1, ix > 0 ? i - 1 : -1,
                                  ix + 1 < k ? i + 1 : -1, iy + 1 < k ? i + k : -1};
    const double mine = ix < k/2 ? 1.0 : contrast;
    double weight[4], sum = 0.0;
    for (int d = 0; d < 4; d++) {
      const int other = neighbour[d] >= 0 && neighbour[d]%k >= k/2;
      const double theirs = neighbour[d] >= 0 ? (other ? contrast : 1.0) : mine;
      weight[d] = (d == 1 || d == 2 ? stretch : 1.0)*2.0*mine*theirs/(mine + theirs);
      sum += weight[d];
    }
    g.colptr[i] = used;
    for (int d = 0; d < 5; d++) {
      const int32_t j = d < 2 ? neighbour[d] : d == 2 ? i : neighbour[d - 1];
      if (j < 0) continue;
      g.row[used] = j;
      g.value[used++] = d == 2 ? sum : -weight[d < 2 ? d : d - 1];
    }
  }
  g.colptr[n] = used;
  g.A = (perp_csc){n, n, g.colptr, g.row, g.value};
  return g;
}

static void grid_free(grid *g) {
  free(g->colptr);
  free(g->row);
  free(g->value);
}

static void multiply(const perp_csc *A, const uint8_t *is_free, const double *x, double *y) {
  for (int32_t i = 0; i < A->columns; i++) {
    y[i] = 0.0;
    if (is_free != NULL && !is_free[i]) continue;
    for (int32_t p = A->colptr[i]; p < A->colptr[i + 1]; p++)
      if (is_free == NULL || is_free[A->row[p]]) y[i] += A->value[p]*x[A->row[p]];
  }
}

static double inner(int32_t n, const double *a, const double *b) {
  double sum = 0.0;
  for (int32_t i = 0; i < n; i++) sum += a[i]*b[i];
  return sum;
}

// Steps of flexible conjugate gradients to 1e-8; the residual is computed afresh at the end.
static int32_t steps(const perp_csc *A, aggregation *g, const uint8_t *is_free) {
  const int32_t n = A->columns;
  double *v[6];
  for (int k = 0; k < 6; k++) {
    v[k] = calloc((size_t)n + 1, sizeof(double));
    assert_non_null(v[k]);
  }
  double *x = v[0], *r = v[1], *z = v[2], *p = v[3], *q = v[4], *old = v[5];
  for (int32_t i = 0; i < n; i++) r[i] = is_free == NULL || is_free[i] ? between(-1.0, 1.0) : 0.0;
  const double first = sqrt(inner(n, r, r));
  double *rhs = calloc((size_t)n + 1, sizeof(double));
  memcpy(rhs, r, (size_t)n*sizeof *r);
  int32_t count = 0;
  double before = 1.0;
  for (; count < 200 && sqrt(inner(n, r, r)) > 1e-8*first; count++) {
    aggregation_cycle(g, 0, r, z);
    const double rz = inner(n, r, z);
    assert_true(rz > 0.0);                                    // positive definite
    for (int32_t i = 0; i < n; i++)
      if (is_free != NULL && !is_free[i]) assert_true(z[i] == 0.0);
    const double beta = count > 0 ? (rz - inner(n, old, z))/before : 0.0;
    for (int32_t i = 0; i < n; i++) p[i] = z[i] + beta*p[i];
    multiply(A, is_free, p, q);
    const double t = inner(n, p, r)/inner(n, p, q);
    memcpy(old, r, (size_t)n*sizeof *r);
    for (int32_t i = 0; i < n; i++) {
      x[i] += t*p[i];
      r[i] -= t*q[i];
    }
    before = rz;
  }
  multiply(A, is_free, x, q);
  for (int32_t i = 0; i < n; i++) q[i] -= rhs[i];
  assert_true(sqrt(inner(n, q, q)) <= 1.1e-8*first);
  for (int k = 0; k < 6; k++) free(v[k]);
  free(rhs);
  return count;
}

// Levels, and *complexity: the entries of all levels over those of A.
static int32_t levels_of(const aggregation *g, double *complexity) {
  const int32_t *aggregate;
  double sum = 0.0, entries = 0.0;
  int32_t levels = 0;
  do {
    const perp_csc A = aggregation_matrix(g, levels++, &aggregate);
    sum += A.colptr[A.columns];
    if (levels == 1) entries = sum;
  } while (aggregate != NULL);
  *complexity = sum/entries;
  return levels;
}

// The number of steps hardly grows with n, whatever the anisotropy, the contrast, the mask.
static void sizes(void **state) {
  (void)state;
  support_state = 4;
  static const struct { double stretch, contrast; } kinds[] = {
    {1, 1}, {10, 1}, {1000, 1}, {1, 1e6}};
  for (size_t c = 0; c < sizeof kinds/sizeof kinds[0]; c++) {
    for (int32_t k = 32; k <= 256; k *= 2) {
      grid s = grid_new(k, kinds[c].stretch, kinds[c].contrast);
      int failed;
      aggregation *g = aggregation_create(&s.A, NULL, NULL, NULL, &failed);
      assert_non_null(g);
      double complexity;
      assert_true(levels_of(g, &complexity) >= 2 && complexity < 2.0);
      const int32_t all = steps(&s.A, g, NULL);
      assert_in_range(all, 1, 28);
      uint8_t *is_free = calloc((size_t)k*(size_t)k, 1);
      for (int32_t i = 0; i < k*k; i++) {                     // a disc, and holes in it
        const double x = i%k - 0.5*k, y = i/k - 0.4*k;
        is_free[i] = x*x + y*y < 0.15*k*k && draw()%50 != 0;
      }
      aggregation_mask(g, 0, is_free);
      assert_in_range(steps(&s.A, g, is_free), 1, 32);
      aggregation_mask(g, 0, NULL);                           // and back
      assert_in_range(steps(&s.A, g, NULL), 1, 28);
      free(is_free);
      aggregation_destroy(g);
      grid_free(&s);
    }
  }
}

// A mesh without places: the rows of a grid in any order, and with a diagonal neighbour.
static grid grid_shuffled(int32_t k) {
  grid s = grid_new(k, 1.0, 1.0), g = grid_new(k, 1.0, 1.0);
  const int32_t n = k*k;
  int32_t *to = calloc((size_t)n, sizeof *to), used = 0, *back = calloc((size_t)n, sizeof *back);
  for (int32_t i = 0; i < n; i++) to[i] = i;
  for (int32_t i = n - 1; i > 0; i--) {
    const int32_t j = (int32_t)(draw()%(uint64_t)(i + 1)), swap = to[i];
    to[i] = to[j];
    to[j] = swap;
  }
  for (int32_t i = 0; i < n; i++) back[to[i]] = i;
  for (int32_t i = 0; i < n; i++) {
    g.colptr[i] = used;
    for (int32_t p = s.colptr[back[i]]; p < s.colptr[back[i] + 1]; p++) {
      int32_t q = used++;
      for (; q > g.colptr[i] && g.row[q - 1] > to[s.row[p]]; q--) {
        g.row[q] = g.row[q - 1];
        g.value[q] = g.value[q - 1];
      }
      g.row[q] = to[s.row[p]];
      g.value[q] = s.value[p];
    }
  }
  g.colptr[n] = used;
  free(to);
  free(back);
  grid_free(&s);
  return g;
}

static void any_order(void **state) {
  (void)state;
  support_state = 7;
  for (int32_t k = 32; k <= 256; k *= 2) {
    grid s = grid_shuffled(k);
    int failed;
    aggregation *g = aggregation_create(&s.A, NULL, NULL, NULL, &failed);
    assert_non_null(g);
    assert_in_range(steps(&s.A, g, NULL), 1, 28);
    aggregation_destroy(g);
    grid_free(&s);
  }
}

// A disc with holes, random: the rows that are free.
static void set_mask(int32_t k, uint8_t *is_free) {
  const double size = between(0.1, 0.3);
  for (int32_t i = 0; i < k*k; i++) {
    const double x = i%k - 0.5*k, y = i/k - 0.4*k;
    is_free[i] = x*x + y*y < size*k*k && draw()%50 != 0;
  }
}

// Gradients around the cycle: solved again for what is left they give all digits; the bits depend
// neither on the threads nor on the masks before.
static void gradients(void **state) {
  (void)state;
  support_state = 8;
  for (int kind = 0; kind < 2; kind++) {
    const int32_t k = 200, n = k*k;
    grid s = kind == 0 ? grid_new(k, 1.0, 100.0) : grid_shuffled(k);
    int failed;
    aggregation *g = aggregation_create(&s.A, NULL, NULL, NULL, &failed);
    assert_non_null(g);
    uint8_t *is_free = calloc((size_t)n, 1);
    double *v[5];
    for (int j = 0; j < 5; j++) v[j] = calloc((size_t)n, sizeof(double));
    double *b = v[0], *x = v[1], *r = v[2], *d = v[3], *e = v[4];
    for (int round = 0; round < 4; round++) {
      set_mask(k, is_free);
      if (round == 3) is_free[n/2] ^= 1;           // few rows, and many
      for (int32_t i = 0; i < n; i++) b[i] = between(-1.0, 1.0);
      if (round == 1) {                            // another level in between
        aggregation_mask(g, 1, is_free);
        aggregation_mask(g, 1, NULL);
      }
      if (round == 2) {
        aggregation_mask(g, 0, NULL);
        aggregation_mask(g, 1, is_free);
        aggregation_mask(g, 1, NULL);
      }
      aggregation_mask(g, 0, is_free);
      aggregation_solve(g, 0, NULL, b, 1e-3, 100, NULL, d);
      aggregation *fresh = aggregation_create(&s.A, NULL, NULL, NULL, &failed);
      assert_non_null(fresh);
      aggregation_mask(fresh, 0, is_free);
      for (int32_t threads = 1; threads <= 4; threads *= 2) {
        team *crew = team_create(threads, NULL, NULL);
        assert_non_null(crew);
        aggregation_solve(threads == 4 ? g : fresh, 0, crew, b, 1e-3, 100, NULL, e);
        assert_memory_equal(d, e, (size_t)n*sizeof *d);
        team_destroy(crew);
      }
      aggregation_destroy(fresh);
      double first = 0.0, now = 0.0;
      for (int32_t i = 0; i < n; i++) {
        x[i] = 0.0;
        r[i] = is_free[i] ? b[i] : 0.0;
        first += r[i]*r[i];
      }
      for (int again = 0; again < 6; again++) {
        assert_in_range(aggregation_solve(g, 0, NULL, r, 1e-3, 100, NULL, d), 1, 20);
        for (int32_t i = 0; i < n; i++) x[i] += d[i];
        multiply(&s.A, is_free, x, e);
        now = 0.0;
        for (int32_t i = 0; i < n; i++) {
          assert_true(is_free[i] || d[i] == 0.0);
          r[i] = is_free[i] ? b[i] - e[i] : 0.0;
          now += r[i]*r[i];
        }
      }
      assert_true(sqrt(now) <= 1e-12*sqrt(first));
    }
    for (int j = 0; j < 5; j++) free(v[j]);
    free(is_free);
    aggregation_destroy(g);
    grid_free(&s);
  }
}

// No rows, one row, nothing free, rows without neighbours, positive couplings.
static void small(void **state) {
  (void)state;
  support_state = 5;
  for (int32_t n = 0; n <= 400; n += n < 3 ? 1 : 397) {
    int32_t *colptr = calloc((size_t)n + 1, sizeof *colptr);
    int32_t *row = calloc((size_t)n + 1, sizeof *row);
    double *value = calloc((size_t)n + 1, sizeof *value), r[400], z[400];
    for (int32_t i = 0; i < n; i++) {
      colptr[i + 1] = i + 1;
      row[i] = i;
      value[i] = 1.0 + i;
      r[i] = between(-1.0, 1.0);
    }
    const perp_csc A = {n, n, colptr, row, value};
    int failed = 1;
    aggregation *g = aggregation_create(&A, NULL, NULL, NULL, &failed);
    assert_non_null(g);
    assert_int_equal(failed, 0);
    aggregation_cycle(g, 0, r, z);
    for (int32_t i = 0; i < n; i++)                           // in float
      assert_true(fabs(z[i] - r[i]/value[i]) <= 4*FLT_EPSILON*fabs(r[i]/value[i]));
    uint8_t none[400] = {0};
    aggregation_mask(g, 0, none);
    aggregation_cycle(g, 0, r, z);
    for (int32_t i = 0; i < n; i++) assert_true(z[i] == 0.0);
    aggregation_destroy(g);
    free(colptr);
    free(row);
    free(value);
  }
}

// The k-th allocation fails: no level, no leak.
static void memory(void **state) {
  (void)state;
  support_state = 6;
  grid s = grid_new(40, 1.0, 1.0);
  for (int64_t k = 1;; k++) {
    counter c = {.fail_at = k};
    const perp_allocator allocator = {counted_allocate, counted_release, &c};
    int failed = 0;
    aggregation *g = aggregation_create(&s.A, NULL, &allocator, NULL, &failed);
    if (g == NULL) assert_int_equal(failed, -2);
    const int done = g != NULL;
    if (done) {
      const int64_t requests = c.requests;
      aggregation_mask(g, 0, NULL);
      assert_true(c.requests == requests);                    // masks allocate nothing
    }
    aggregation_destroy(g);
    assert_true(c.live == 0);
    if (done) {
      assert_true(k > 10);
      break;
    }
  }
  grid_free(&s);
}

static int passed(void *context) { return --*(int *)context < 0; }

static void deadline(void **state) {
  (void)state;
  grid s = grid_new(100, 1.0, 1.0);
  int looks = 1, failed = 0;
  const perp_deadline soon = {passed, &looks};
  assert_null(aggregation_create(&s.A, NULL, NULL, &soon, &failed));
  assert_int_equal(failed, -1);
  grid_free(&s);
}

// As a linear solver: all digits on masks that change, and no answer where there is none.
static void as_linear_solver(void **state) {
  (void)state;
  support_state = 9;
  const perp_linear_ops *ops = perp_find_linear("aggregation");
  assert_non_null(ops);
  const int32_t k = 90, n = k*k;
  grid s = grid_new(k, 3.0, 20.0);
  perp_operator A = perp_from_csc(&s.A, PERP_CLAIM_NONE);
  assert_false(ops->accepts(&A));                           // it has to be told that A = A'
  A.claims = PERP_CLAIM_SYMMETRIC;
  assert_true(ops->accepts(&A));
  const perp_limits limits = {.n = n};
  void *self = malloc(ops->bytes(&limits));
  uint8_t *is_free = calloc((size_t)n, 1);
  double *rhs = calloc((size_t)n, sizeof *rhs), *z = calloc((size_t)n, sizeof *z),
         *r = calloc((size_t)n, sizeof *r);
  assert_int_equal(ops->analyse(self, &A, NULL, NULL), 0);
  assert_int_equal(ops->solve(self, rhs, z, NULL), 1);      // not updated yet
  for (int round = 0; round < 4; round++) {
    set_mask(k, is_free);
    for (int32_t i = 0; i < n; i++) rhs[i] = between(-1.0, 1.0);
    assert_int_equal(ops->update(self, is_free, NULL), 0);
    assert_int_equal(ops->solve(self, rhs, z, NULL), 0);
    multiply(&s.A, is_free, z, r);
    for (int32_t i = 0; i < n; i++) {
      if (is_free[i]) assert_true(fabs(r[i] - rhs[i]) <= 1e-11);
      else assert_true(z[i] == 0.0);
    }
  }
  assert_in_range(ops->iterations(self), 4*5, 4*80);
  int looks = 0;
  const perp_deadline past = {passed, &looks};
  assert_int_equal(ops->update(self, is_free, &past), -1);
  ops->release(self);
  for (int32_t i = 0; i < n; i++) {                         // A - 3 I is indefinite
    is_free[i] = 1;
    for (int32_t p = s.colptr[i]; p < s.colptr[i + 1]; p++) s.value[p] -= s.row[p] == i ? 3.0 : 0.0;
  }
  assert_int_equal(ops->analyse(self, &A, NULL, NULL), 0);
  if (ops->update(self, is_free, NULL) == 0) assert_int_equal(ops->solve(self, rhs, z, NULL), 1);
  for (int32_t i = 0; i < n; i++) assert_true(isfinite(z[i]));
  ops->release(self);
  free(self);
  free(is_free);
  free(rhs);
  free(z);
  free(r);
  grid_free(&s);
}

// In parts, with rows that become bound and free on the way: the same bits as in one piece where
// nothing changes, the solution of the last mask where it does; levels made by several threads are
// the same. There are enough rows for threads to share those of the next level, too.
static void in_parts(void **state) {
  (void)state;
  support_state = 12;
  const int32_t k = 400, n = k*k;
  grid s = grid_new(k, 1.0, 10.0);
  int failed;
  team *crew = team_create(3, NULL, NULL);
  aggregation *g = aggregation_create(&s.A, crew, NULL, NULL, &failed);
  aggregation *alone = aggregation_create(&s.A, NULL, NULL, NULL, &failed);
  assert_true(crew != NULL && g != NULL && alone != NULL);
  uint8_t *is_free = calloc((size_t)n, 1), *later = calloc((size_t)n, 1);
  double *v[4];
  for (int j = 0; j < 4; j++) v[j] = calloc((size_t)n, sizeof(double));
  double *b = v[0], *x = v[1], *r = v[2], *e = v[3];
  set_mask(k, is_free);
  for (int32_t i = 0; i < n; i++) {
    b[i] = between(-1.0, 1.0);
    later[i] = (uint8_t)(is_free[i] ^ (draw()%40 == 0));
  }
  aggregation_mask(g, 0, is_free);
  aggregation_mask(alone, 0, is_free);
  aggregation_solve(alone, 0, NULL, b, 1e-2, 100, NULL, e);
  aggregation_begin(g, 0, crew, b);
  const double before = aggregation_rest(g, 0, crew);
  assert_true(aggregation_go_on(g, 0, crew, 1e-2, 100, NULL) > 0);
  assert_true(aggregation_rest(g, 0, crew) <= 1e-2*before);
  aggregation_end(g, 0, crew, x);
  assert_memory_equal(x, e, (size_t)n*sizeof *x);
  for (int32_t i = 0; i < n; i++) assert_true(aggregation_at(g, 0, i) == x[i]);
  for (int32_t i = 0; i < n; i++) {                // bound from now on: x_i leaves its neighbours
    if (!is_free[i] || later[i]) continue;
    aggregation_bind(g, 0, i);
    for (int32_t p = s.colptr[i]; p < s.colptr[i + 1]; p++)
      if (later[s.row[p]] && is_free[s.row[p]])
        aggregation_rest_add(g, 0, s.row[p], s.value[p]*x[i]);
    x[i] = 0.0;
  }
  for (int32_t i = 0; i < n; i++) {                // free from now on
    if (is_free[i] || !later[i]) continue;
    double rest = b[i];
    for (int32_t p = s.colptr[i]; p < s.colptr[i + 1]; p++) rest -= s.value[p]*x[s.row[p]];
    aggregation_rest_set(g, 0, i, rest);
  }
  aggregation_mask(g, 0, later);
  double size[2] = {0.0, 0.0};
  for (int now = 0; now < 2; now++) {
    if (now) assert_true(aggregation_go_on(g, 0, crew, 1e-4, 100, NULL) > 0);
    aggregation_end(g, 0, crew, x);
    multiply(&s.A, later, x, r);
    for (int32_t i = 0; i < n; i++) {
      assert_true(later[i] || x[i] == 0.0);
      size[now] += later[i] ? (b[i] - r[i])*(b[i] - r[i]) : 0.0;
    }
  }
  assert_true(size[1] > 0.0 && sqrt(size[1]) <= 1.01e-4*sqrt(size[0]));
  aggregation_destroy(g);
  aggregation_destroy(alone);
  team_destroy(crew);
  for (int j = 0; j < 4; j++) free(v[j]);
  free(is_free);
  free(later);
  grid_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sizes), cmocka_unit_test(any_order),
                                     cmocka_unit_test(gradients), cmocka_unit_test(in_parts),
                                     cmocka_unit_test(small), cmocka_unit_test(memory),
                                     cmocka_unit_test(deadline),
                                     cmocka_unit_test(as_linear_solver)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
