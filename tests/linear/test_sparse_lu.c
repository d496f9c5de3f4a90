// test_sparse_lu.c: the sparse LU and its order against residuals, dense elimination and counting.
// Somewhat long: the random matrices and their oracles are shared by all its tests.
#include "counting.h"
#include "support.h"

#include "gallery_sample.h"
#include "solvers.h"
#include "sparse_lu.h"

#include <time.h>

#ifdef PERP_TEST_AMD
#include <amd.h>
#endif

static const double eps = 0x1p-52;

// ---- residuals

// max_i |v - A x|_i / (|A||x| + |v|)_i, or with A'
static double backward_error(const perp_csc *A, const double *x, const double *v, int transposed) {
  const size_t n = (size_t)A->columns;
  long double *r = calloc(n + 1, sizeof *r), *s = calloc(n + 1, sizeof *s), worst = 0.0L;
  assert_true(r != NULL && s != NULL);
  for (size_t i = 0; i < n; i++) {
    r[i] = v[i];
    s[i] = fabsl(r[i]);
  }
  for (int32_t j = 0; j < A->columns; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const int32_t to = transposed ? j : A->row[p], from = transposed ? A->row[p] : j;
      const long double t = (long double)A->value[p]*x[from];
      r[to] -= t;
      s[to] += fabsl(t);
    }
  long double largest = 0.0L;
  for (size_t i = 0; i < n; i++)
    if (s[i] > largest) largest = s[i];
  for (size_t i = 0; i < n; i++) {
    const long double e = fabsl(r[i])/(largest > 0.0L ? largest : 1.0L);
    if (!(e <= worst)) worst = e;
  }
  free(r);
  free(s);
  return (double)worst;
}

// Factors, solves A x = v, A' x = v and sparse right-hand sides; all must have small residuals.
static void check_factor(sparse_lu *lu, const perp_csc *A, double tolerance) {
  const int32_t n = A->columns;
  double *v = calloc((size_t)n + 1, sizeof *v), *x = calloc((size_t)n + 1, sizeof *x);
  double *few = calloc((size_t)n + 1, sizeof *few);
  int32_t *pattern = calloc((size_t)n + 1, sizeof *pattern);
  assert_true(v && x && few && pattern);
  for (int32_t i = 0; i < n; i++) v[i] = x[i] = between(-1, 1);
  sparse_lu_solve(lu, x);
  assert_true(backward_error(A, x, v, 0) <= tolerance);
  for (int32_t i = 0; i < n; i++) x[i] = v[i];
  sparse_lu_solve_transpose(lu, x);
  assert_true(backward_error(A, x, v, 1) <= tolerance);

  for (int trial = 0; trial < 3 && n > 0; trial++) {
    int32_t count = 0;
    for (int32_t i = 0; i < n; i++) v[i] = few[i] = x[i] = 0.0;
    for (int k = whole(0, 3); k > 0; k--) {
      const int32_t i = whole(0, n - 1);
      if (v[i] != 0.0) continue;
      v[i] = few[i] = x[i] = between(0.5, 1);
      pattern[count++] = i;
    }
    count = sparse_lu_solve_few(lu, few, pattern, count);
    sparse_lu_solve(lu, x);
    assert_in_range(count, 0, n);
    assert_true(backward_error(A, few, v, 0) <= tolerance);
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    for (int32_t i = 0; i < n; i++) assert_true(fabs(x[i] - few[i]) <= 1e-6*largest);
    for (int32_t k = 0; k < count; k++) few[pattern[k]] = 0.0;
    for (int32_t i = 0; i < n; i++) assert_true(few[i] == 0.0);   // nothing outside the pattern
  }
  free(v);
  free(x);
  free(few);
  free(pattern);
}

// The rank of the dense copy by elimination with complete pivoting, exact enough for these sizes.
static int32_t dense_rank(const sample *s) {
  const int32_t n = s->n;
  double *S = calloc((size_t)n*(size_t)n + 1, sizeof *S);
  assert_non_null(S);
  for (int32_t k = 0; k < n*n; k++) S[k] = s->M[k];
  int32_t rank = 0;
  for (; rank < n; rank++) {
    int32_t r = rank, c = rank;
    for (int32_t i = rank; i < n; i++)
      for (int32_t j = rank; j < n; j++)
        if (fabs(S[i*n + j]) > fabs(S[r*n + c])) {
          r = i;
          c = j;
        }
    if (fabs(S[r*n + c]) < 1e-9) break;
    for (int32_t j = 0; j < n; j++) {
      const double t = S[r*n + j];
      S[r*n + j] = S[rank*n + j];
      S[rank*n + j] = t;
    }
    for (int32_t i = 0; i < n; i++) {
      const double t = S[i*n + c];
      S[i*n + c] = S[i*n + rank];
      S[i*n + rank] = t;
    }
    for (int32_t i = rank + 1; i < n; i++) {
      const double f = S[i*n + rank]/S[rank*n + rank];
      for (int32_t j = rank; j < n; j++) S[i*n + j] -= f*S[rank*n + j];
    }
  }
  free(S);
  return rank;
}

static void shuffle(int32_t *order, int32_t n) {
  for (int32_t i = 0; i < n; i++) order[i] = i;
  for (int32_t i = n - 1; i > 0; i--) {
    const int32_t j = whole(0, i), t = order[i];
    order[i] = order[j];
    order[j] = t;
  }
}

// kinds: random density, permuted triangular, zero diagonal, bases of I and A, arrow
static void fill(sample *s, int kind) {
  const int32_t n = s->n;
  int32_t rows[64], columns[64];
  shuffle(rows, n);
  shuffle(columns, n);
  const double density = between(0.5, 4.0)/(n + 1);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      double a = 0.0;
      switch (kind) {
        case 0: a = uniform() < density ? between(-1, 1) : 0.0; break;
        case 1: a = i == j ? between(1, 2) : i < j && uniform() < 2*density ? between(-1, 1) : 0.0;
                break;
        case 2: a = i != j && uniform() < 2*density ? between(-1, 1) : 0.0;
                if (j == (i + 1)%n) a = n == 1 ? 1.0 : between(1, 2);
                break;
        case 3: a = i == j ? 1.0 : 0.0;
                if (j%2 == 0 && (i == j || uniform() < 3*density)) a = between(-1, 1);
                break;
        default: a = i == j || i == 0 || j == 0 ? between(0.5, 1) : 0.0; break;
      }
      AT(s, kind == 3 ? i : rows[i], kind == 3 ? j : columns[j]) = a;
    }
}

static void any_matrix_is_factored_or_found_singular(void **state) {
  (void)state;
  support_state = 11;
  int regular = 0, singular = 0;
  for (int trial = 0; trial < often(3000); trial++) {
    sample s = sample_new(whole(0, 40));
    fill(&s, whole(0, 4));
    if (s.n > 2 && uniform() < 0.2)                      // two equal rows
      for (int32_t j = 0; j < s.n; j++) AT(&s, 0, j) = AT(&s, s.n - 1, j);
    sample_csc(&s, uniform() < 0.1, 0);
    sparse_lu *lu = sparse_lu_create(NULL);
    assert_non_null(lu);
    assert_int_equal(sparse_lu_analyse(lu, &s.csc, whole(0, 1)), 0);
    const int status = sparse_lu_factor(lu, &s.csc, 0.1, 1e-9, NULL);
    const int32_t rank = dense_rank(&s);
    if (status == 0) {
      assert_int_equal(rank, s.n);
      check_factor(lu, &s.csc, 1e-6);
      assert_true(sparse_lu_nnz(lu) >= s.n);
      regular++;
      for (int32_t p = 0; p < s.colptr[s.n]; p++) s.value[p] = between(-1, 1);   // other pivots
      if (sparse_lu_factor(lu, &s.csc, 0.1, 1e-9, NULL) == 0) check_factor(lu, &s.csc, 1e-6);
    } else {
      assert_in_range(status, 1, s.n);
      if (rank == s.n) print_message("trial %d: n = %d, status %d\n", trial, s.n, status);
      assert_true(rank < s.n);
      singular++;
    }
    sparse_lu_destroy(lu);
    sample_free(&s);
  }
  assert_true(regular > 500 && singular > 100);
}

static void well_conditioned_systems_are_solved_to_rounding(void **state) {
  (void)state;
  support_state = 12;
  for (int trial = 0; trial < often(300); trial++) {
    sample s = sample_new(whole(1, 40));
    fill(&s, trial%5);
    for (int32_t i = 0; i < s.n; i++) AT(&s, i, i) += 6.0;   // dominant, near enough
    sample_csc(&s, 0, 0);
    sparse_lu *lu = sparse_lu_create(NULL);
    for (int diagonal = 0; diagonal < 2; diagonal++) {       // one object, several analyses
      assert_int_equal(sparse_lu_analyse(lu, &s.csc, diagonal), 0);
      assert_int_equal(sparse_lu_factor(lu, &s.csc, 0.1, 0.0, NULL), 0);
      check_factor(lu, &s.csc, 200*eps);
      for (int32_t p = 0; p < s.colptr[s.n]; p++) s.value[p] *= between(0.9, 1.1);
      assert_int_equal(sparse_lu_factor(lu, &s.csc, 0.1, 0.0, NULL), 0);   // new values
      check_factor(lu, &s.csc, 200*eps);
    }
    sparse_lu_destroy(lu);
    sample_free(&s);
  }
}

static void permuted_triangles_are_factored_without_fill(void **state) {
  (void)state;
  support_state = 13;
  for (int trial = 0; trial < 100; trial++) {
    sample s = sample_new(whole(1, 50));
    fill(&s, 1);
    sample_csc(&s, 0, 0);
    sparse_lu *lu = sparse_lu_create(NULL);
    assert_int_equal(sparse_lu_analyse(lu, &s.csc, 0), 0);
    assert_int_equal(sparse_lu_factor(lu, &s.csc, 0.1, 0.0, NULL), 0);
    assert_int_equal(sparse_lu_nnz(lu), s.colptr[s.n]);
    assert_true(sparse_lu_flops(lu) == 0.0);
    sparse_lu_destroy(lu);
    sample_free(&s);
  }
}

static void what_is_not_a_number_is_singular(void **state) {
  (void)state;
  support_state = 22;
  const double bad[] = {(double)NAN, INF, -INF};
  for (int trial = 0; trial < 300; trial++) {
    sample s = sample_new(whole(1, 12));                 // full, so that it reaches every pivot
    for (int32_t k = 0; k < s.n*s.n; k++) s.M[k] = between(-1, 1);
    sample_csc(&s, 0, 0);
    sparse_lu *lu = sparse_lu_create(NULL);
    assert_int_equal(sparse_lu_analyse(lu, &s.csc, 1), 0);
    if (trial%2) assert_int_equal(sparse_lu_factor(lu, &s.csc, 0.1, 0.0, NULL), 0);
    s.value[whole(0, s.n*s.n - 1)] = bad[trial%3];
    assert_true(sparse_lu_factor(lu, &s.csc, 0.1, 0.0, NULL) > 0);
    sparse_lu_destroy(lu);
    sample_free(&s);
  }
}

// A grid Laplacian of k x k points, with some asymmetry if asked.
static void grid(int32_t k, double skew, perp_csc *out) {
  const int32_t n = k*k;
  int32_t *colptr = calloc((size_t)n + 1, sizeof *colptr);
  int32_t *row = calloc(5*(size_t)n + 1, sizeof *row);
  double *value = calloc(5*(size_t)n + 1, sizeof *value);
  assert_true(colptr && row && value);
  int32_t count = 0;
  for (int32_t j = 0; j < n; j++) {
    colptr[j] = count;
    const int32_t x = j%k, y = j/k;
    const int32_t to[5] = {j - k, j - 1, j, j + 1, j + k};
    const int there[5] = {y > 0, x > 0, 1, x < k - 1, y < k - 1};
    for (int d = 0; d < 5; d++) {
      if (!there[d]) continue;
      row[count] = to[d];
      value[count++] = d == 2 ? 4.0 : d < 2 ? -1.0 - skew : -1.0 + skew;
    }
  }
  colptr[n] = count;
  *out = (perp_csc){n, n, colptr, row, value};
}
static void grid_free(perp_csc *A) {
  free((void *)A->colptr);
  free((void *)A->row);
  free((void *)A->value);
}

static int pass_after(void *context) {
  int *left = context;
  return (*left)-- <= 0;
}

static void a_grid_has_the_fill_of_minimum_degree_and_the_deadline_is_kept(void **state) {
  (void)state;
  support_state = 14;
  perp_csc A;
  grid(60, 0.25, &A);
  sparse_lu *lu = sparse_lu_create(NULL);
  assert_int_equal(sparse_lu_analyse(lu, &A, 1), 0);
  assert_int_equal(sparse_lu_factor(lu, &A, 0.1, 0.0, NULL), 0);
  check_factor(lu, &A, 1e-13);
  assert_true(sparse_lu_nnz(lu) < 200000);   // the natural order would have 2 x 60^3
  int left = 0;
  const perp_deadline deadline = {pass_after, &left};
  assert_int_equal(sparse_lu_factor(lu, &A, 0.1, 0.0, &deadline), -1);   // with the old pivots
  left = 2;
  assert_int_equal(sparse_lu_factor(lu, &A, 0.1, 0.0, &deadline), -1);   // with new ones
  assert_int_equal(sparse_lu_factor(lu, &A, 0.1, 0.0, NULL), 0);
  sparse_lu_destroy(lu);
  grid_free(&A);
}

static void the_order_is_a_permutation_and_always_the_same(void **state) {
  (void)state;
  support_state = 15;
  for (int trial = 0; trial < often(500); trial++) {
    sample s = sample_new(whole(0, 60));
    fill(&s, whole(0, 4));
    sample_csc(&s, 0, 0);
    int32_t first[64], second[64], found[64] = {0};
    assert_int_equal(order_minimum_degree(&s.csc, NULL, first), 0);
    assert_int_equal(order_minimum_degree(&s.csc, NULL, second), 0);
    for (int32_t k = 0; k < s.n; k++) {
      assert_in_range(first[k], 0, s.n - 1);
      assert_int_equal(found[first[k]]++, 0);
      assert_int_equal(first[k], second[k]);
    }
    sample_free(&s);
  }
}

// A path and a star have orders without fill, and minimum degree finds one.
// Entries of the Cholesky factor of A + A' in this order, without the diagonal: row i has those
// columns that the paths from its entries up the elimination tree meet.
static int64_t fill_of(const perp_csc *A, const int32_t *order) {
  const int32_t n = A->columns;
  int32_t *rank = calloc((size_t)n + 1, sizeof *rank);
  int32_t *parent = calloc((size_t)n + 1, sizeof *parent);
  int32_t *seen = calloc((size_t)n + 1, sizeof *rank);
  int64_t count = 0;
  assert_true(rank && parent && seen);
  for (int32_t k = 0; k < n; k++) {
    rank[order[k]] = k;
    parent[k] = seen[k] = -1;
  }
  for (int32_t k = 0; k < n; k++) {
    seen[k] = k;
    for (int32_t p = A->colptr[order[k]]; p < A->colptr[order[k] + 1]; p++)
      for (int32_t j = rank[A->row[p]]; j < k && seen[j] != k; j = parent[j]) {
        if (parent[j] < 0) parent[j] = k;
        seen[j] = k;
        count++;
      }
  }
  free(rank);
  free(parent);
  free(seen);
  return count;
}

// A has a symmetric pattern.
static void compare_fill(const char *what, const perp_csc *A) {
  int32_t *order = calloc((size_t)A->columns + 1, sizeof *order);
  assert_non_null(order);
  assert_int_equal(order_minimum_degree(A, NULL, order), 0);
  const int64_t ours = fill_of(A, order);
#ifdef PERP_TEST_AMD
  assert_true(amd_order(A->columns, A->colptr, A->row, order, NULL, NULL) >= 0);
  const int64_t theirs = fill_of(A, order);
  if ((double)ours > 1.3*(double)theirs)
    fail_msg("%s: %lld entries, AMD has %lld", what, (long long)ours, (long long)theirs);
#else
  for (int32_t k = 0; k < A->columns; k++) order[k] = k;
  if (ours > fill_of(A, order)) fail_msg("%s: worse than no order at all", what);
#endif
  free(order);
}

static void the_fill_is_within_a_third_of_that_of_amd(void **state) {
  (void)state;
  support_state = 20;
  perp_csc A;
  grid(70, 0.0, &A);
  compare_fill("grid", &A);
  grid_free(&A);
  const char *const names[] = {"fluid2d", "fluid3d", "wall", "obstacle", "torsion"};
  for (size_t k = 0; k < sizeof names/sizeof names[0]; k++) {
    perp_sample *g = make_with(names[k], 1, NULL);
    compare_fill(names[k], &g->csc);
    drop(g);
  }
  sample s = sample_new(400);                        // random, with a few full rows
  for (int32_t i = 0; i < s.n; i++)
    for (int32_t j = 0; j <= i; j++)
      if (i == j || j < 2 || uniform() < 0.006) AT(&s, i, j) = AT(&s, j, i) = 1.0;
  sample_csc(&s, 0, 0);
  compare_fill("random", &s.csc);
  sample_free(&s);
}

static void trees_and_stars_are_ordered_without_fill(void **state) {
  (void)state;
  support_state = 16;
  for (int trial = 0; trial < 100; trial++) {
    sample s = sample_new(whole(2, 50));
    int32_t name[64];
    shuffle(name, s.n);
    for (int32_t i = 0; i < s.n; i++) {
      AT(&s, i, i) = 50.0;
      const int32_t parent = i == 0 ? -1 : trial%2 ? whole(0, i - 1) : 0;
      if (parent >= 0) AT(&s, name[i], name[parent]) = AT(&s, name[parent], name[i]) = 1.0;
    }
    sample_csc(&s, 0, 0);
    sparse_lu *lu = sparse_lu_create(NULL);
    assert_int_equal(sparse_lu_analyse(lu, &s.csc, 1), 0);
    assert_int_equal(sparse_lu_factor(lu, &s.csc, 0.01, 0.0, NULL), 0);
    assert_int_equal(sparse_lu_nnz(lu), s.colptr[s.n]);
    sparse_lu_destroy(lu);
    sample_free(&s);
  }
}

// Three random entries in every column leave one row in twenty empty. Each column without a row is
// found by looking at most of the matrix: one is enough.
static void a_singular_pattern_is_found_in_the_time_of_an_order(void **state) {
  (void)state;
  enum { SIZE = 20000 };
  support_state = 23;
  int32_t *colptr = malloc((SIZE + 1)*sizeof *colptr), *row = malloc(3*SIZE*sizeof *row),
          *order = malloc(SIZE*sizeof *order);
  assert_true(colptr != NULL && row != NULL && order != NULL);
  for (int32_t j = 0; j < SIZE; j++) {
    colptr[j] = 3*j;
    for (int k = 0; k < 3; k++) row[3*j + k] = k*(SIZE/3) + whole(0, SIZE/3 - 1);
  }
  colptr[SIZE] = 3*SIZE;
  const perp_csc A = {SIZE, SIZE, colptr, row, NULL};
  const clock_t begin = clock();
  assert_int_equal(order_minimum_degree(&A, NULL, order), 0);
  const clock_t ordered = clock();
  sparse_lu *lu = sparse_lu_create(NULL);
  assert_int_equal(sparse_lu_analyse(lu, &A, 0), 0);
  const clock_t analysed = clock();
  assert_in_range(sparse_lu_factor(lu, &A, 0.1, 0.0, NULL), 1, SIZE);   // no value is read
  assert_true(analysed - ordered < 5*(ordered - begin));   // 15 times with a search for each
  sparse_lu_destroy(lu);
  free(colptr);
  free(row);
  free(order);
}

static void the_same_input_gives_the_same_bits(void **state) {
  (void)state;
  perp_csc A;
  grid(20, 0.3, &A);
  double x[2][400];
  for (int k = 0; k < 2; k++) {
    sparse_lu *lu = sparse_lu_create(NULL);
    assert_int_equal(sparse_lu_analyse(lu, &A, k == 0), 0);
    assert_int_equal(sparse_lu_analyse(lu, &A, 1), 0);       // a used object does as a new one
    assert_int_equal(sparse_lu_factor(lu, &A, 0.1, 0.0, NULL), 0);
    for (int32_t i = 0; i < 400; i++) x[k][i] = i;
    sparse_lu_solve(lu, x[k]);
    sparse_lu_destroy(lu);
  }
  assert_memory_equal(x[0], x[1], sizeof x[0]);
  grid_free(&A);
}

static void memory_may_fail_at_any_request_and_nothing_leaks(void **state) {
  (void)state;
  support_state = 17;
  for (int kind = 0; kind < 6; kind++) {
    sample s = sample_new(kind == 5 ? 0 : 40);
    fill(&s, kind%5);
    for (int32_t i = 0; i < s.n; i++) AT(&s, i, i) += 3.0;
    sample_csc(&s, 0, 0);
    int done = 0;
    for (int64_t k = 1; !done && k < 200; k++) {
      counter c = {.fail_at = k};
      const perp_allocator allocator = {counted_allocate, counted_release, &c};
      sparse_lu *lu = sparse_lu_create(&allocator);
      if (lu == NULL) {
        assert_int_equal(c.live, 0);
        continue;
      }
      int status = sparse_lu_analyse(lu, &s.csc, 0);
      if (status == 0) status = sparse_lu_factor(lu, &s.csc, 0.1, 0.0, NULL);
      done = c.requests < k;
      assert_int_equal(status, done ? 0 : -2);
      if (!done) {                                        // the object recovers
        c.fail_at = 0;
        assert_int_equal(sparse_lu_analyse(lu, &s.csc, 0), 0);
        assert_int_equal(sparse_lu_factor(lu, &s.csc, 0.1, 0.0, NULL), 0);
      }
      check_factor(lu, &s.csc, 1e-9);
      sparse_lu_destroy(lu);
      assert_int_equal(c.live, 0);
    }
    assert_true(done);
    sample_free(&s);
  }
}

// ---- the linear solver: A_II on changing masks

static void masks_are_solved_like_dense_systems(void **state) {
  (void)state;
  support_state = 18;
  const perp_linear_ops *ops = &linear_sparse_lu;
  for (int trial = 0; trial < often(200); trial++) {
    sample s = sample_new(whole(0, 30));
    fill(&s, whole(0, 4));
    for (int32_t i = 0; i < s.n; i++) AT(&s, i, i) += between(2, 4);
    const perp_problem *problem = trial%2 ? sample_csc(&s, 0, 0) : sample_dense(&s);
    assert_int_equal(ops->accepts(&problem->A), 1);
    counter c = {0};
    const perp_allocator allocator = {counted_allocate, counted_release, &c};
    const perp_limits limits = perp_limits_of(problem);
    void *self = malloc(ops->bytes(&limits) + 64);
    assert_non_null(self);
    const perp_options options = perp_default_options(NULL);
    assert_int_equal(ops->analyse(self, &problem->A, &options, &allocator), 0);
    double rhs[64], z[64];
    uint8_t is_free[64];
    assert_int_equal(ops->solve(self, rhs, z, NULL), 1);        // not factored yet
    for (int round = 0; round < 4; round++) {
      for (int32_t i = 0; i < s.n; i++) {
        if (round != 2) is_free[i] = round == 0 || uniform() < 0.6;   // 2: the same mask again
        rhs[i] = between(-1, 1);
      }
      const int status = ops->update(self, is_free, NULL);
      if (status != 0) {
        assert_in_range(status, 1, s.n);
        continue;
      }
      assert_true(ops->estimate(self, is_free) > 0.0);
      assert_int_equal(ops->solve(self, rhs, z, NULL), 0);
      double worst = 0.0, size = 1e-300;
      for (int32_t i = 0; i < s.n; i++) {
        if (!is_free[i]) {
          assert_true(z[i] == 0.0);
          continue;
        }
        double r = rhs[i];
        for (int32_t j = 0; j < s.n; j++) r -= AT(&s, i, j)*z[j];
        worst = fmax(worst, fabs(r));
        size = fmax(size, fabs(z[i]));
      }
      assert_true(worst <= 1e-11*(1.0 + size));
    }
    ops->release(self);
    assert_int_equal(c.live, 0);
    free(self);
    sample_free(&s);
  }
}

static void a_singular_block_is_named(void **state) {
  (void)state;
  sample s = sample_new(4);
  for (int32_t i = 0; i < 4; i++) AT(&s, i, i) = 2.0;
  AT(&s, 1, 1) = AT(&s, 2, 2) = AT(&s, 1, 2) = AT(&s, 2, 1) = 1e-30;   // singular, tiny units
  const perp_problem *problem = sample_csc(&s, 0, 0);
  const perp_linear_ops *ops = &linear_sparse_lu;
  const perp_limits limits = perp_limits_of(problem);
  void *self = malloc(ops->bytes(&limits) + 64);
  const perp_options options = perp_default_options(NULL);
  assert_int_equal(ops->analyse(self, &problem->A, &options, NULL), 0);
  const uint8_t all[4] = {1, 1, 1, 1}, some[4] = {1, 1, 0, 1};
  const int k = ops->update(self, all, NULL);
  assert_in_range(k, 2, 3);
  double rhs[4] = {2, 1e-30, 0, 2}, z[4];
  assert_int_equal(ops->solve(self, rhs, z, NULL), 1);
  assert_int_equal(ops->update(self, some, NULL), 0);           // tiny, but regular
  assert_int_equal(ops->solve(self, rhs, z, NULL), 0);
  assert_true(z[0] == 1.0 && z[1] == 1.0 && z[2] == 0.0 && z[3] == 1.0);
  ops->release(self);
  free(self);
  sample_free(&s);
}

static void the_linear_solver_survives_failing_memory(void **state) {
  (void)state;
  support_state = 19;
  sample s = sample_new(30);
  fill(&s, 0);
  for (int32_t i = 0; i < s.n; i++) AT(&s, i, i) += 3.0;
  const perp_problem *problem = sample_csc(&s, 0, 0);
  const perp_linear_ops *ops = &linear_sparse_lu;
  const perp_limits limits = perp_limits_of(problem);
  void *self = malloc(ops->bytes(&limits) + 64);
  const perp_options options = perp_default_options(NULL);
  uint8_t is_free[30];
  for (int32_t i = 0; i < 30; i++) is_free[i] = i%3 != 0;
  int done = 0;
  for (int64_t k = 1; !done && k < 200; k++) {
    counter c = {.fail_at = k};
    const perp_allocator allocator = {counted_allocate, counted_release, &c};
    int status = ops->analyse(self, &problem->A, &options, &allocator);
    if (status == 0) {
      status = ops->update(self, is_free, NULL);
      ops->release(self);
    }
    done = c.requests < k;
    assert_int_equal(status == 0, done);
    assert_int_equal(c.live, 0);
  }
  assert_true(done);
  free(self);
  sample_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(any_matrix_is_factored_or_found_singular),
    cmocka_unit_test(well_conditioned_systems_are_solved_to_rounding),
    cmocka_unit_test(permuted_triangles_are_factored_without_fill),
    cmocka_unit_test(what_is_not_a_number_is_singular),
    cmocka_unit_test(a_grid_has_the_fill_of_minimum_degree_and_the_deadline_is_kept),
    cmocka_unit_test(the_order_is_a_permutation_and_always_the_same),
    cmocka_unit_test(the_fill_is_within_a_third_of_that_of_amd),
    cmocka_unit_test(trees_and_stars_are_ordered_without_fill),
    cmocka_unit_test(a_singular_pattern_is_found_in_the_time_of_an_order),
    cmocka_unit_test(the_same_input_gives_the_same_bits),
    cmocka_unit_test(memory_may_fail_at_any_request_and_nothing_leaks),
    cmocka_unit_test(masks_are_solved_like_dense_systems),
    cmocka_unit_test(a_singular_block_is_named),
    cmocka_unit_test(the_linear_solver_survives_failing_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
