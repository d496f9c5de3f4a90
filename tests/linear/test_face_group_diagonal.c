// test_face_group_diagonal.c: (A + diag(q)) z = r through groups of rows, against Gauss in long
// double and against products with A.
#include <time.h>

#include "support.h"

#include "assemble.h"
#include "counting.h"
#include "face_kind.h"
#include "gallery_sample.h"
#include "gauss.h"
#include "groups_chain.h"
#include "face_diagonal.h"

static face *through_groups(const perp_csc *A, const perp_allocator *memory, int *failed) {
  perp_csc S = {0};
  const perp_operator whole = perp_from_csc(A, 0);
  *failed = assemble_csc(&whole, 1, memory, &S);
  face *g = *failed == 0 ? face_choose_groups(&S, 0, memory, failed) : NULL;
  assembled_free(memory, &S);
  return g;
}

// Factors A + diag(q) with the rows kept; NULL: all, and 0.
static int factor(face *g, int32_t n, const uint8_t *kept, const double *q,
                  const perp_deadline *deadline) {
  uint8_t *all = malloc((size_t)n);
  double *none = calloc((size_t)n, sizeof *none);
  assert_true(all != NULL && none != NULL);
  memset(all, 1, (size_t)n);
  face_diagonal(g, NULL, q != NULL ? q : none);
  const int code = face_update(g, kept != NULL ? kept : all, deadline);
  free(all);
  free(none);
  return code;
}

// The solution for a random right-hand side agrees to `tol`, and is 0 in rows that are not kept.
static void agrees(sample *s, face *g, const uint8_t *kept, const double *q, double tol) {
  const int32_t n = s->n;
  long double *M = calloc((size_t)n*(size_t)n, sizeof *M), *z = calloc((size_t)n, sizeof *z);
  double *v = calloc((size_t)n, sizeof *v), largest = 0.0;
  assert_true(M != NULL && z != NULL && v != NULL);
  for (int32_t i = 0; i < n; i++) {
    z[i] = v[i] = between(-1.0, 1.0);
    const int here = kept == NULL || kept[i];
    for (int32_t j = 0; j < n; j++)
      M[i*n + j] = (here ? AT(s, i, j) : 0.0) +
                   (i == j && (q != NULL || !here) ? here ? (long double)q[i] : 1.0L : 0.0L);
    if (!here) z[i] = 0.0L;
  }
  gauss(n, M, z);
  assert_int_equal(factor(g, n, kept, q, NULL), 0);
  assert_int_equal(face_solve(g, v, 4), 0);
  const double error = face_error(g);
  if (!(error <= 1e-14)) fail_msg("backward error %g", error);
  for (int32_t i = 0; i < n; i++) largest = fmax(largest, fabs((double)z[i]));
  for (int32_t i = 0; i < n; i++)
    if (!(fabsl(v[i] - z[i]) <= tol*largest))
      fail_msg("z[%d] = %.17g instead of %.17Lg, of %g", i, v[i], z[i], largest);
  free(M);
  free(z);
  free(v);
}

static const int points[] = {9, 12, 12, 20, 9, 15, 12, 9};

// Diagonals over twelve decades, none at all, masks that leave a group with fewer rows than its
// space has dimensions, and with none.
static void diagonals_and_masks(void **state) {
  (void)state;
  support_state = 3;
  for (int trial = 0; trial < 4; trial++) {
    sample s = chain(points, trial%2 == 0 ? 1.0 : 30.0, 1e-3);
    int failed;
    face *g = through_groups(&s.csc, NULL, &failed);
    assert_non_null(g);
    double q[400];
    uint8_t kept[400];
    agrees(&s, g, NULL, NULL, 1e-9);
    for (int round = 0; round < 4; round++) {
      for (int32_t i = 0; i < s.n; i++) {
        kept[i] = round == 0 || uniform() > (round == 1 ? 0.2 : 0.8);
        if (round == 3 && AT(&s, i, 0) != 0.0) kept[i] = 0;   // all the rows that row 0 sees
        q[i] = kept[i] && i%5 == 0 ? 0.0 : pow(10.0, between(-6.0, 6.0));
      }
      agrees(&s, g, kept, q, 1e-9);
      if (round == 0) agrees(&s, g, NULL, q, 1e-9);
    }
    assert_true(face_nnz(g) < s.n*(s.n + 1)/8);   // less than half of the rows
    face_destroy(g);
    sample_free(&s);
  }
}

// Without compliance A is singular: there is no pivot where D is 0, and a solution where it is not.
static void singular(void **state) {
  (void)state;
  support_state = 4;
  sample s = chain(points, 1.0, 0.0);
  int failed;
  face *g = through_groups(&s.csc, NULL, &failed);
  assert_non_null(g);
  assert_true(factor(g, s.n, NULL, NULL, NULL) > 0);
  double q[400];
  for (int32_t i = 0; i < s.n; i++) q[i] = 1e-4;
  agrees(&s, g, NULL, q, 1e-8);
  for (int32_t i = 0; i < s.n; i++) q[i] = -10.0;
  assert_true(factor(g, s.n, NULL, q, NULL) > 0);
  face_destroy(g);
  sample_free(&s);
}

static int always(void *context) {
  (void)context;
  return 1;
}

static void what_can_go_wrong(void **state) {
  (void)state;
  support_state = 5;
  sample s = chain(points, 1.0, 0.1);
  int failed = 0;
  for (int64_t k = 1;; k++) {
    counter c = {.fail_at = k};
    const perp_allocator memory = {counted_allocate, counted_release, &c};
    face *g = through_groups(&s.csc, &memory, &failed);
    const int done = g != NULL;
    assert_int_equal(failed, done ? 0 : -2);
    face_destroy(g);
    assert_int_equal(c.live, 0);
    if (done) break;
  }
  face *g = through_groups(&s.csc, NULL, &failed);
  assert_non_null(g);
  const perp_deadline over = {.passed = always};
  assert_int_equal(factor(g, s.n, NULL, NULL, &over), -1);
  face_destroy(g);
  sample_free(&s);
  s = sample_new(1);
  AT(&s, 0, 0) = 2.0;
  sample_csc(&s, 0, 0);
  assert_null(through_groups(&s.csc, NULL, &failed));
  assert_int_equal(failed, 1);
  sample_free(&s);
}

// A = J J' of a row of bodies with three degrees of freedom, six rows between two of them.
static sample long_chain(int32_t pairs) {
  const int32_t each = 6, dofs = 3*(pairs + 1);
  sample s = sample_new(each*pairs);
  double *J = calloc((size_t)s.n*(size_t)dofs, sizeof *J);
  assert_non_null(J);
  for (int32_t i = 0; i < s.n; i++)
    for (int32_t t = 0; t < 3; t++) {
      double *at = J + (size_t)i*(size_t)dofs + 3*(i/each) + t;
      at[0] = between(-1, 1);
      at[3] = -at[0];
    }
  for (int32_t i = 0; i < s.n; i++)
    for (int32_t j = 0; j < s.n; j++)
      for (int32_t t = 0; t < dofs; t++)
        AT(&s, i, j) += J[(size_t)i*(size_t)dofs + (size_t)t]*J[(size_t)j*(size_t)dofs + (size_t)t];
  free(J);
  return s;
}

// Groups fail on a singular A, and the factor of all rows has no memory the first time. What a later
// update says is true.
static void no_memory_is_no_factor(void **state) {
  (void)state;
  support_state = 5;
  sample s = long_chain(60);
  sample_csc(&s, 0, 0);   // points into s
  const size_t n = (size_t)s.n;
  double *q = calloc(n, sizeof *q), *r = calloc(n, sizeof *r), *z = calloc(n, sizeof *z);
  int64_t made = 0;
  assert_true(q != NULL && r != NULL && z != NULL);
  for (size_t i = 0; i < n; i++) q[i] = 1e-15;
  for (int64_t k = 0, fails = 1; fails; k++) {
    counter c = {.fail_at = k > 0 ? made + k : 0};
    const perp_allocator memory = {counted_allocate, counted_release, &c};
    int failed = 0;
    face *f = face_create(&s.problem.A, FACE_DIAGONALS, &memory, &failed);
    assert_non_null(f);
    made = c.requests;
    face_diagonal(f, NULL, q);
    for (int round = 0; round < 2; round++) {
      const int code = face_update(f, NULL, NULL);
      for (size_t i = 0; i < n; i++) z[i] = r[i] = between(-1, 1);
      if (face_solve(f, z, -1) != 0) continue;
      assert_int_equal(code, 0);
      double size = 0.0;
      for (size_t i = 0; i < n; i++) size = fmax(size, fabs(z[i]));
      for (int32_t i = 0; i < s.n; i++) {
        double left = q[i]*z[i] - r[i];
        for (int32_t j = 0; j < s.n; j++) left += AT(&s, i, j)*z[j];
        assert_true(fabs(left) <= 1e-10*size);
      }
    }
    fails = k == 0 || c.requests >= c.fail_at;
    face_destroy(f);
    assert_int_equal(c.live, 0);
  }
  free(q);
  free(r);
  free(z);
  sample_free(&s);
}

static int counts(void *context) {
  ++*(int *)context;
  return 0;
}

// Few groups of many rows: the clock is asked while their blocks are factored.
static void large_groups_ask_the_deadline(void **state) {
  (void)state;
  support_state = 7;
  const int large[BODIES - 1] = {190, 5, 5, 190, 2, 2, 2, 2};
  sample s = chain(large, 1.0, 0.1);
  int failed = 0, asked = 0;
  face *g = through_groups(&s.csc, NULL, &failed);
  assert_non_null(g);
  const perp_deadline watched = {.passed = counts, .context = &asked};
  assert_int_equal(factor(g, s.n, NULL, NULL, &watched), 0);
  if (asked < 5) fail_msg("asked %d times", asked);   // 4.5 million operations in two blocks
  face_destroy(g);
  sample_free(&s);
}

// max |r - (A + Q)z| over max (|A||z| + |r|), of rows kept
static double left(const perp_sample *s, const double *p, const double *q, const double *r,
                   const double *z) {
  long double *y = calloc((size_t)s->n, sizeof *y), worst = 0.0L, size = 0.0L;
  double *sizes = calloc((size_t)s->n, sizeof *sizes);
  assert_true(y != NULL && sizes != NULL);
  for (int32_t j = 0; j < s->n; j++)
    for (int32_t k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
      y[s->row[k]] += (long double)s->value[k]*z[j];
      sizes[s->row[k]] += fabs(s->value[k]*z[j]);
    }
  for (int32_t i = 0; i < s->n; i++) {
    worst = fmaxl(worst, fabsl(r[i] - p[i]*y[i] - (long double)q[i]*z[i]));
    size = fmaxl(size, sizes[i] + fabs(r[i]));
  }
  free(y);
  free(sizes);
  return (double)(worst/size);
}

// Walls go through groups for every p >= 0, with masks too; where the diagonal is negative, the
// systems are solved without.
static void systems_of_walls(void **state) {
  (void)state;
  support_state = 6;
  for (int mode = 0; mode < 2; mode++) {
    perp_sample *s = make_with("wall", 7, "bodies", 40.0, "mode", (double)mode, NULL);
    face *system = diagonal_face(&s->problem.A, NULL);
    assert_non_null(system);
    const size_t n = (size_t)s->n;
    double *p = calloc(n, sizeof *p), *q = calloc(n, sizeof *q), *r = calloc(n, sizeof *r),
           *z = calloc(n, sizeof *z);
    assert_true(p && q && r && z);
    int64_t through[4];
    for (int round = 0; round < 4; round++) {
      for (size_t i = 0; i < n; i++) {
        p[i] = round == 1 && uniform() < 0.3 ? 0.0 : round == 3 ? between(0.5, 1.0) : 1.0;
        q[i] = pow(10.0, between(-6.0, 4.0));
        r[i] = z[i] = between(-1.0, 1.0);
      }
      if (round == 2) q[3] = -1e-3*q[3];
      assert_int_equal(diagonal_factor(system, p, q, NULL), 0);
      assert_true(diagonal_solve(system, z, 2) <= 1e-13);
      const double rest = left(s, p, q, r, z);
      if (!(rest <= 1e-12)) fail_msg("mode %d, round %d: residual %g", mode, round, rest);
      through[round] = face_nnz(system);
      if (round == 1) {   // as it comes
        memcpy(z, r, n*sizeof *z);
        assert_true(diagonal_solve(system, z, -1) == 0.0);
        assert_true(left(s, p, q, r, z) <= 1e-8);
      }
    }
    assert_true(through[0] == through[1] && 1.5*(double)through[0] < (double)through[2]);
    assert_true(through[0] == through[3]);
    free(p);
    free(q);
    free(r);
    free(z);
    face_destroy(system);
    drop(s);
  }
}

// One row that couples with all others: half of them in groups, and half in pairs of rows with one
// pattern and full rank, the partner of the first row being the last one. They are taken apart, so
// the groups of the long row do not come in order; there are too many for a slow way to sort them.
static void a_row_of_many_groups(void **state) {
  (void)state;
  support_state = 8;
  const int32_t pairs = is_brief() ? 2000 : 60000, good = 2*pairs, n = good + 2*pairs + 2;
  int32_t *colptr = calloc((size_t)n + 1, sizeof *colptr), *row = calloc(9*(size_t)n, sizeof *row);
  double *value = calloc(9*(size_t)n, sizeof *value), *r = calloc((size_t)n, sizeof *r);
  double *hub[2] = {calloc((size_t)n, sizeof *r), calloc((size_t)n, sizeof *r)};
  assert_true(colptr && row && value && r && hub[0] && hub[1]);
  int32_t filled = 0, failed;
  for (int32_t i = 0; i < n - 2; i++) {
    hub[0][i] = between(-0.5, 0.5)/sqrt(n);
    hub[1][i] = i < good ? 0.0 : between(-0.5, 0.5)/sqrt(n);
  }
  for (int32_t j = 0; j < n; j++) {
    int32_t rows[6], count = 0;
    colptr[j] = filled;
    if (j < good) {
      for (int32_t k = 0; k < 4; k++) rows[count++] = j/4*4 + k;
    } else if (j < n - 2) {
      const int32_t other = good + (2*pairs - 1 - (j - good));
      rows[count++] = j < other ? j : other;
      rows[count++] = j < other ? other : j;
    }
    for (int32_t k = 0; k < count; k++) {
      row[filled] = rows[k];
      value[filled++] = rows[k] == j ? 2.0 : 0.1;
    }
    for (int32_t i = 0; i < n - 2 && j >= n - 2; i++)
      if (hub[j - n + 2][i] != 0.0) {
        row[filled] = i;
        value[filled++] = hub[j - n + 2][i];
      }
    for (int32_t h = 0; h < 2; h++) {
      const double v = j == n - 2 + h ? 2.0 : j >= n - 2 ? 0.0 : hub[h][j];
      if (v == 0.0) continue;
      row[filled] = n - 2 + h;
      value[filled++] = v;
    }
  }
  colptr[n] = filled;
  const perp_csc A = {n, n, colptr, row, value};
  const clock_t before = clock();
  face *g = through_groups(&A, NULL, &failed);
  assert_non_null(g);
  const double seconds = (double)(clock() - before)/CLOCKS_PER_SEC;
  if (!is_brief() && seconds > 0.7) fail_msg("%g s", seconds);   // 7 s by insertion
  for (int32_t i = 0; i < n; i++) r[i] = 1.0;
  assert_int_equal(factor(g, n, NULL, NULL, NULL), 0);
  assert_int_equal(face_solve(g, r, 2), 0);
  assert_true(face_error(g) < 1e-14);
  double worst = 0.0;
  for (int32_t i = 0; i < n; i++) {   // A is symmetric: rows are columns
    double sum = -1.0;
    for (int32_t p = colptr[i]; p < colptr[i + 1]; p++) sum += value[p]*r[row[p]];
    worst = fmax(worst, fabs(sum));
  }
  assert_true(worst < 1e-12);
  face_destroy(g);
  void *const all[] = {colptr, row, value, r, hub[0], hub[1]};
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) free(all[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(diagonals_and_masks), cmocka_unit_test(singular),
    cmocka_unit_test(what_can_go_wrong), cmocka_unit_test(systems_of_walls),
    cmocka_unit_test(a_row_of_many_groups), cmocka_unit_test(no_memory_is_no_factor),
    cmocka_unit_test(large_groups_ask_the_deadline),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
