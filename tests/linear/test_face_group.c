// test_face_group.c: the face by groups of rows, against products with dense matrices made here,
// and against the face of all entries.
#include "sparse_samples.h"

#include "assemble.h"
#include "counting.h"
#include "face.h"
#include "face_kind.h"
#include "face_modified.h"
#include "gallery_sample.h"

enum { BODIES = 6, DOFS = 6, ROWS = 90 };

typedef struct scene { sparse_sample s; double size; } scene;   // size: largest row sum of |A|

// A = J J' + eps I: random pairs of bodies, each with some rows in a space of `rank` dimensions;
// the rows of a pair in random order among the others. Now and then rows lie on a line in it.
static scene contacts(int32_t pairs, int32_t most, int32_t rank, double eps) {
  double J[ROWS][BODIES*DOFS] = {{0}};
  int32_t n = 0, order[ROWS];
  for (int32_t p = 0; p < pairs; p++) {
    const int32_t a = whole(0, BODIES - 1), b = (a + whole(1, BODIES - 1))%BODIES;
    double basis[DOFS][2*DOFS];
    for (int32_t k = 0; k < rank; k++)
      for (int32_t d = 0; d < 2*DOFS; d++) basis[k][d] = between(-1.0, 1.0);
    const int32_t rows = whole(1, most), line = whole(0, 2) == 0 && rank > 1 ? rank - 1 : rank;
    for (int32_t i = 0; i < rows && n < ROWS; i++, n++) {
      const int32_t used = i > rows/3 ? line : rank;
      for (int32_t k = 0; k < used; k++) {
        const double c = between(-1.0, 1.0);
        for (int32_t d = 0; d < DOFS; d++) {
          J[n][a*DOFS + d] += c*basis[k][d];
          J[n][b*DOFS + d] += c*basis[k][DOFS + d];
        }
      }
    }
  }
  for (int32_t i = 0; i < n; i++) order[i] = i;
  for (int32_t i = n - 1; i > 0; i--) {
    const int32_t j = whole(0, i), t = order[i];
    order[i] = order[j];
    order[j] = t;
  }
  scene out = {.s = {.n = n, .dense = calloc((size_t)n*(size_t)n + 1, sizeof(double))}};
  for (int32_t i = 0; i < n; i++) {
    double sum = 0.0;
    for (int32_t j = 0; j < n; j++) {
      double a = i == j ? eps : 0.0;
      for (int32_t d = 0; d < BODIES*DOFS; d++) a += J[order[i]][d]*J[order[j]][d];
      out.s.dense[i*n + j] = a;
      sum += fabs(a);
    }
    out.size = fmax(out.size, sum);
  }
  compress(&out.s);
  return out;
}

static face *by_groups(const perp_csc *matrix, double most, const perp_allocator *allocator,
                       int *failed) {
  const perp_operator A = perp_from_csc(matrix, PERP_CLAIM_SYMMETRIC);
  perp_csc S = {0};
  groups g = {0};
  *failed = assemble_csc(&A, 1, allocator, &S);
  if (*failed == 0) *failed = groups_find(&S, most, allocator, &g);
  face *f = *failed == 0 ? face_group_create(&S, &g, 128, allocator, failed) : NULL;
  groups_free(allocator, &g);
  assembled_free(allocator, &S);
  return f;
}

// max |(A_II + sigma I) v - r| relative to |A||v| + |r|
static double backward_error(const scene *c, double sigma, const uint8_t *is_free, const double *v,
                             const double *r) {
  const int32_t n = c->s.n;
  double worst = 0.0, size = 0.0, right = 0.0;
  for (int32_t i = 0; i < n; i++) {
    if (!is_free[i]) {
      assert_true(v[i] == 0.0);
      continue;
    }
    double sum = sigma*v[i] - r[i];
    for (int32_t j = 0; j < n; j++) sum += c->s.dense[i*n + j]*v[j];
    worst = fmax(worst, fabs(sum));
    size = fmax(size, fabs(v[i]));
    right = fmax(right, fabs(r[i]));
  }
  const double all = (c->size + sigma)*size + right;
  return all > 0.0 ? worst/all : worst;
}

static void test_follows_the_free_rows(void **state) {
  (void)state;
  int32_t fewer = 0;
  for (int trial = 0; trial < often(150); trial++) {
    const int32_t rank = whole(1, 5);
    const double eps = whole(0, 3) == 0 ? 0.0 : pow(10.0, between(-9.0, 0.0));
    scene c = contacts(whole(1, 12), whole(1, 3*rank), rank, eps);
    const int32_t n = c.s.n;
    uint8_t is_free[ROWS], last[ROWS] = {0};
    double r[ROWS], v[ROWS], sigma = 0.0;
    int32_t modified = 0;
    int failed;
    face *f = by_groups(&c.s.csc, 1.0, NULL, &failed);
    assert_non_null(f);
    assert_int_equal(failed, 0);
    v[0] = 1.0;
    assert_int_equal(face_solve(f, v, 1), 1);          // nothing is factored yet
    assert_true(v[0] == 0.0);
    assert_true(isinf(face_flops_rows(f, memset(is_free, 1, sizeof is_free))));
    if (eps == 0.0) face_shift(f, sigma = pow(10.0, between(-9.0, 0.0)));
    for (int32_t i = 0; i < n; i++) is_free[i] = (uint8_t)whole(0, 1);
    for (int step = 0; step < 40; step++) {
      if (whole(0, 9) == 0) face_shift(f, sigma = pow(10.0, between(-9.0, 0.0)));
      for (int32_t k = whole(0, step%4 == 3 ? n : 3); k > 0; k--) is_free[whole(0, n - 1)] ^= 1;
      assert_int_equal(update_counted(f, n, is_free, last, &modified), 0);
      for (int32_t i = 0; i < n; i++) v[i] = r[i] = between(-1.0, 1.0);
      assert_int_equal(face_solve(f, v, 1 + step%2), 0);
      const double error = backward_error(&c, sigma, is_free, v, r);
      if (!(error < 1e-13)) fail_msg("step %d: backward error %g", step, error);
      assert_true(face_flops_update(f, is_free) < (double)INFINITY);
    }
    fewer += modified > 0;
    face_destroy(f);
    sparse_drop(&c.s);
  }
  assert_true(fewer > often(150)/4);
}

// Against elimination in this file, with a matrix well conditioned enough to compare solutions.
static void test_solution(void **state) {
  (void)state;
  for (int trial = 0; trial < often(50); trial++) {
    scene c = contacts(8, 9, 3, 1e-3);
    const int32_t n = c.s.n;
    uint8_t is_free[ROWS];
    double v[ROWS], M[ROWS][ROWS + 1];
    int32_t at[ROWS], m = 0, failed;
    face *f = by_groups(&c.s.csc, 1.0, NULL, &failed);
    assert_non_null(f);
    for (int32_t i = 0; i < n; i++)
      if ((is_free[i] = (uint8_t)whole(0, 1)) != 0) at[m++] = i;
    for (int32_t i = 0; i < n; i++) v[i] = between(-1.0, 1.0);
    for (int32_t i = 0; i < m; i++) {
      for (int32_t j = 0; j < m; j++) M[i][j] = c.s.dense[at[i]*n + at[j]];
      M[i][m] = v[at[i]];
    }
    for (int32_t k = 0; k < m; k++)      // definite: no exchanges
      for (int32_t i = 0; i < m; i++) {
        const double l = i != k ? M[i][k]/M[k][k] : 0.0;
        for (int32_t j = k; j <= m && l != 0.0; j++) M[i][j] -= l*M[k][j];
      }
    assert_int_equal(face_update(f, is_free, NULL), 0);
    assert_int_equal(face_solve(f, v, 1), 0);
    for (int32_t i = 0; i < m; i++)
      assert_true(fabs(v[at[i]] - M[i][m]/M[i][i]) < 1e-7);
    face_destroy(f);
    sparse_drop(&c.s);
  }
}

// Of one pair with rank 2, three free rows are dependent: refused, until one goes or sigma comes.
// A remainder of the roundings of many modifications may pass as a pivot now and then.
static void test_dependent_rows(void **state) {
  (void)state;
  int32_t beyond = 0;
  for (int trial = 0; trial < often(50); trial++) {
    scene c = contacts(6, 6, 2, 0.0);
    const int32_t n = c.s.n;
    uint8_t is_free[ROWS] = {0};
    double v[ROWS] = {1.0};
    int failed, code;
    face *f = by_groups(&c.s.csc, 1.0, NULL, &failed);
    assert_non_null(f);
    int32_t row = 0;                       // rows come one by one; those that are refused go again
    for (; row < n; row++) {
      is_free[row] = 1;
      code = face_update(f, is_free, NULL);
      assert_true(code >= 0 && code <= n && (code == 0 || is_free[code - 1]));
      for (int32_t i = 0; i < n; i++) v[i] = 1.0;
      assert_int_equal(face_solve(f, v, 1), code != 0);
      double r[ROWS];
      for (int32_t i = 0; i < n; i++) r[i] = 1.0;
      assert_true(code != 0 || backward_error(&c, 0.0, is_free, v, r) < 1e-10);
      if (code != 0) is_free[row] = 0;
    }
    for (int32_t i = row = 0; i < n; i++) row += is_free[i];
    assert_true(row <= 12 + 1);            // the rank of A: two a pair
    beyond += row > 12;
    memset(is_free, 1, sizeof is_free);
    if (n > 12) assert_true(face_update(f, is_free, NULL) > 0);
    face_shift(f, 0.1);
    assert_int_equal(face_update(f, is_free, NULL), 0);
    face_destroy(f);
    sparse_drop(&c.s);
  }
  assert_true(beyond <= often(50)/20);
}

// Rows of a matrix with a compliance of 1e-10 that come and go leave their roundings.
static void test_drift_is_noticed(void **state) {
  (void)state;
  scene c = contacts(12, 8, 3, 1e-10);
  const int32_t n = c.s.n;
  uint8_t is_free[ROWS], last[ROWS] = {0};
  memset(is_free, 1, sizeof is_free);
  int32_t modified = 0;
  int failed;
  face *f = by_groups(&c.s.csc, 1.0, NULL, &failed);
  assert_non_null(f);
  for (int step = 0; step < often(20000); step++) {
    is_free[whole(0, n - 1)] ^= 1;
    if (update_counted(f, n, is_free, last, &modified) != 0) fail();
    if (step%50 != 0) continue;
    double r[ROWS], v[ROWS];
    for (int32_t i = 0; i < n; i++) v[i] = r[i] = between(-1.0, 1.0);
    assert_int_equal(face_solve(f, v, 1), 0);
    const double error = backward_error(&c, 0.0, is_free, v, r);
    if (!(error < 1e-11)) fail_msg("step %d: %g", step, error);
  }
  assert_true(modified > 10000);
  face_destroy(f);
  sparse_drop(&c.s);
}

static int always(void *context) { return context == NULL; }
static int fourth(void *context) { return ++*(int *)context > 3; }

static void test_deadline(void **state) {
  (void)state;
  scene c = contacts(10, 8, 3, 0.01);
  uint8_t is_free[ROWS];
  memset(is_free, 1, sizeof is_free);
  const perp_deadline over = {.passed = always};
  int failed, asked = 0;
  const perp_deadline soon = {.passed = fourth, .context = &asked};
  face *f = by_groups(&c.s.csc, 1.0, NULL, &failed);
  assert_non_null(f);
  assert_int_equal(face_update(f, is_free, &over), -1);
  assert_int_equal(face_update(f, is_free, NULL), 0);
  for (int trial = 0; trial < 30; trial++) {
    for (int k = 0; k < 4; k++) is_free[whole(0, c.s.n - 1)] ^= 1;
    asked = 0;
    const int code = face_update(f, is_free, trial%2 ? &soon : &over);
    assert_true(code == -1 || (code == 0 && trial%2));
    double r[ROWS], v[ROWS];
    for (int32_t i = 0; i < c.s.n; i++) v[i] = r[i] = between(-1.0, 1.0);
    if (code == -1) {
      assert_int_equal(face_solve(f, v, 1), 1);
      assert_int_equal(face_update(f, is_free, NULL), 0);
      memcpy(v, r, sizeof v);
    }
    assert_int_equal(face_solve(f, v, 1), 0);
    assert_true(backward_error(&c, 0.0, is_free, v, r) < 1e-13);
  }
  // a solution that cannot be right looks like drift: the factor is made again, but not without time
  uint8_t last[ROWS];
  double v[ROWS];
  memcpy(last, is_free, sizeof last);
  for (int late = 0; late < 2; late++) {
    int32_t modified = 0;
    do is_free[whole(0, c.s.n - 1)] ^= 1;
    while (update_counted(f, c.s.n, is_free, last, &modified) != 0 || modified == 0);
    for (int32_t i = 0; i < c.s.n; i++) v[i] = INF;
    assert_int_equal(face_solve_within(f, v, 1, late ? &over : NULL), late ? -1 : 1);
    for (int32_t i = 0; i < c.s.n; i++) assert_true(v[i] == 0.0);
    assert_int_equal(face_solve(f, v, 1), late);
    assert_int_equal(face_update(f, is_free, NULL), 0);
    assert_int_equal(face_solve(f, v, 1), 0);
  }
  face_destroy(f);
  sparse_drop(&c.s);
}

static void test_memory_fails_cleanly(void **state) {
  (void)state;
  scene c = contacts(8, 8, 3, 0.01);
  for (int64_t at = 1;; at++) {
    counter count = {.fail_at = at};
    const perp_allocator allocator = {counted_allocate, counted_release, &count};
    int failed;
    face *f = by_groups(&c.s.csc, 1.0, &allocator, &failed);
    if (f != NULL) {
      face_destroy(f);
      assert_int_equal(count.live, 0);
      assert_true(at > 5);
      break;
    }
    assert_int_equal(failed, -2);
    assert_int_equal(count.live, 0);
  }
  sparse_drop(&c.s);
}

// A wall as CSC: groups are chosen, need less than half the entries, and agree with all of A's.
static void wall(double mode, double points, uint64_t seed) {
  perp_sample *made = make_with("wall", seed, "mode", mode, "bodies", 60.0, "points", points, NULL);
  const int32_t n = made->csc.columns;
  const perp_operator A = perp_from_csc(&made->csc, PERP_CLAIM_SYMMETRIC);
  uint8_t *is_free = calloc((size_t)n, 1), *last = calloc((size_t)n, 1);
  double *r = calloc((size_t)n, sizeof *r), *v = calloc((size_t)n, sizeof *v),
         *w = calloc((size_t)n, sizeof *w), *y = calloc((size_t)n, sizeof *y);
  int32_t modified = 0;
  int failed;
  face *f = face_create(&A, FACE_SHIFTS, NULL, &failed), *e = face_entries_create(&A, NULL, &failed);
  assert_true(f != NULL && e != NULL && last != NULL && n >= 300);
  assert_true(2*face_nnz(f) < face_nnz(e));
  assert_true(face_flops_factor(f) < 0.5*face_flops_factor(e));
  face_shift(f, 1e-3);
  face_shift(e, 1e-3);
  for (int32_t i = 0; i < n; i++) is_free[i] = (uint8_t)whole(0, 1);
  for (int step = 0; step < 20; step++) {
    for (int32_t k = whole(0, step%5 == 4 ? n : 8); k > 0; k--) is_free[whole(0, n - 1)] ^= 1;
    assert_int_equal(update_counted(f, n, is_free, last, &modified), 0);
    assert_int_equal(face_update(e, is_free, NULL), 0);
    double most = 0.0, off = 0.0;
    for (int32_t i = 0; i < n; i++) v[i] = w[i] = r[i] = is_free[i] ? between(-1.0, 1.0) : 0.0;
    assert_int_equal(face_solve(f, v, 1), 0);
    assert_int_equal(face_solve(e, w, 1), 0);
    for (int32_t i = 0; i < n; i++) {
      most = fmax(most, fabs(w[i]));
      off = fmax(off, fabs(v[i] - w[i]));
    }
    assert_true(off <= 1e-9*most);
    assert_int_equal(A.ops->apply(A.self, v, y, NULL), 0);
    for (int32_t i = 0; i < n; i++)
      if (is_free[i]) assert_true(fabs(y[i] + 1e-3*v[i] - r[i]) < 1e-10);
  }
  const int32_t before = face_factorizations(f);
  assert_true(modified > 0);
  for (int32_t i = 0; i < n; i++) is_free[i] = !is_free[i];
  assert_int_equal(face_update(f, is_free, NULL), 0);
  assert_int_equal(face_factorizations(f), before + 1);
  face_destroy(f);
  face_destroy(e);
  free(is_free);
  free(last);
  free(r);
  free(v);
  free(w);
  free(y);
  drop(made);
}

static void test_walls(void **state) {
  (void)state;
  wall(0.0, 6.0, 1);
  wall(0.0, 8.0, 2);
  wall(1.0, 4.0, 3);
}

// Where there are no groups the choice is the face of the entries.
static void test_no_groups(void **state) {
  (void)state;
  perp_sample *made = make_with("obstacle", 1, "size", 30.0, NULL);
  const perp_operator A = made->problem.A;
  int failed;
  face *f = face_create(&A, FACE_SHIFTS, NULL, &failed), *e = face_entries_create(&A, NULL, &failed);
  assert_true(f != NULL && e != NULL && face_nnz(f) == face_nnz(e));
  face_destroy(f);
  face_destroy(e);
  drop(made);
}

// A chain of bodies with 3 degrees of freedom, `points` rows between neighbours, n rows in all.
static sparse_sample chain(int32_t n, int32_t points) {
  sparse_sample s = {.n = n, .dense = calloc((size_t)n*(size_t)n, sizeof(double))};
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      const int32_t a = i/points, b = j/points;   // row i: sin of body a, -sin of body a + 1
      double *entry = s.dense + (size_t)i*(size_t)n + (size_t)j;
      if (a > b + 1 || b > a + 1) continue;
      for (int32_t d = 1; d <= 3; d++) *entry += (a == b ? 2.0 : -1.0)*sin(d*i)*sin(d*j);
      if (i == j) *entry += 0.1;
    }
  compress(&s);
  return s;
}

// Groups with too many rows for a block of their own are left alone; a pattern without its mirror
// image is refused, whichever face would have been chosen.
static void test_choice_at_its_limits(void **state) {
  (void)state;
  for (int32_t points = 10; points <= 150; points += 140) {
    sparse_sample s = chain(300, points);
    const perp_operator A = perp_from_csc(&s.csc, PERP_CLAIM_SYMMETRIC);
    int failed;
    face *f = face_create(&A, FACE_SHIFTS, NULL, &failed), *e = face_entries_create(&A, NULL, &failed);
    assert_true(f != NULL && e != NULL);
    if (points > 128) assert_true(face_nnz(f) == face_nnz(e));
    else assert_true(2*face_nnz(f) < face_nnz(e));
    uint8_t is_free[300];
    double v[300], r[300];
    for (int32_t i = 0; i < 300; i++) v[i] = r[i] = (is_free[i] = i%3 != 0) ? cos(i) : 0.0;
    assert_int_equal(face_update(f, is_free, NULL), 0);
    assert_int_equal(face_solve(f, v, 1), 0);
    for (int32_t i = 0; i < 300; i++) {
      double sum = -r[i];
      for (int32_t j = 0; j < 300; j++) sum += s.dense[i*300 + j]*v[j];
      assert_true(!is_free[i] || fabs(sum) < 1e-10);
    }
    face_destroy(f);
    face_destroy(e);
    free(s.colptr);
    free(s.row);
    free(s.value);
    s.dense[300*5 + 12] = 0.0;
    compress(&s);
    const perp_operator B = perp_from_csc(&s.csc, 0);
    assert_null(face_create(&B, FACE_SHIFTS, NULL, &failed));
    assert_int_equal(failed, 2);
    sparse_drop(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_follows_the_free_rows), cmocka_unit_test(test_solution),
    cmocka_unit_test(test_dependent_rows), cmocka_unit_test(test_drift_is_noticed),
    cmocka_unit_test(test_deadline),
    cmocka_unit_test(test_memory_fails_cleanly), cmocka_unit_test(test_walls),
    cmocka_unit_test(test_no_groups), cmocka_unit_test(test_choice_at_its_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
