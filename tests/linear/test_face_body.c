// test_face_body.c: the face in body space, against dense products formed here, and the choice
// between bodies and contacts.
#include "support.h"

#include "counting.h"
#include "face.h"
#include "face_kind.h"
#include "face_modified.h"
#include "gallery_sample.h"

enum { ROWS = 50, DOFS = 24, WRAPPERS = 4 };

typedef struct scene {       // random J, W, compliance under random wrappers, and what they make
  int32_t rowptr[ROWS + 1], column[ROWS*DOFS], set[WRAPPERS][ROWS];
  double value[ROWS*DOFS], W[DOFS*DOFS], compliance[ROWS];
  perp_product P;
  perp_wrapper wrapper[WRAPPERS];
  double scale[WRAPPERS][ROWS];
  perp_operator A;
  double dense[ROWS*ROWS];   // A, row-major
  double size[ROWS*ROWS];    // the same with absolute values
} scene;

// Blocks of W: V V' of `rank` columns, with zeros between their halves now and then; some are 0.
static void random_masses(scene *s, int32_t dofs, int32_t block) {
  memset(s->W, 0, sizeof s->W);
  for (int32_t from = 0; from < dofs; from += block) {
    const int32_t rank = whole(0, 5) == 0 ? 0 : whole(0, 3) == 0 ? (block + 1)/2 : block;
    const int halves = whole(0, 1);
    for (int32_t c = 0; c < rank; c++) {
      double V[DOFS];
      for (int32_t k = 0; k < block; k++)
        V[k] = halves && (k < block/2) != (c < block/2) ? 0.0 : between(-1.0, 1.0);
      for (int32_t k = 0; k < block; k++)
        for (int32_t l = 0; l < block; l++) s->W[(from + k)*block + l] += V[k]*V[l];
    }
  }
}

static void random_scene(scene *s, int32_t n, int32_t bodies, int32_t block, double least) {
  const int32_t dofs = bodies*block;
  int32_t filled = 0;
  for (int32_t i = 0; i < n; i++) {
    const int32_t a = whole(0, bodies - 1), b = whole(0, bodies - 1);
    for (int32_t k = 0; k < dofs; k++) {
      if ((k/block != a && k/block != b) || whole(0, 3) == 0) continue;
      s->column[filled] = k;
      s->value[filled++] = whole(0, 9) == 0 ? 0.0 : between(-1.0, 1.0);
    }
    s->rowptr[i + 1] = filled;
    s->compliance[i] = least*between(1.0, 2.0);
  }
  random_masses(s, dofs, block);
  s->P = (perp_product){.n = n, .dofs = dofs, .rowptr = s->rowptr, .column = s->column,
                        .value = s->value, .block = block, .W = s->W,
                        .compliance = least > 0.0 ? s->compliance : NULL};
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      double sum = i == j && least > 0.0 ? s->compliance[i] : 0.0, size = sum;
      for (int32_t p = s->rowptr[i]; p < s->rowptr[i + 1]; p++)
        for (int32_t q = s->rowptr[j]; q < s->rowptr[j + 1]; q++) {
          const int32_t k = s->column[p], l = s->column[q];
          if (k/block != l/block) continue;
          sum += s->value[p]*s->W[k*block + l%block]*s->value[q];
          size += fabs(s->value[p]*s->value[q])*
                  sqrt(s->W[k*block + k%block]*s->W[l*block + l%block]);
        }
      s->dense[i*ROWS + j] = sum;
      s->size[i*ROWS + j] = size;
    }
  s->A = perp_from_product(&s->P, PERP_CLAIM_NONE);
}

static void random_wrappers(scene *s) {
  for (int w = 0; w < WRAPPERS; w++) {
    const int32_t n = s->A.n;
    switch (whole(0, 3)) {
      case 0:
        for (int32_t i = 0; i < n; i++) s->scale[w][i] = between(0.1, 3.0);
        s->A = perp_scaled(&s->wrapper[w], s->A, s->scale[w], s->scale[w]);
        for (int32_t i = 0; i < n; i++)
          for (int32_t j = 0; j < n; j++) {
            s->dense[i*ROWS + j] *= s->scale[w][i]*s->scale[w][j];
            s->size[i*ROWS + j] *= s->scale[w][i]*s->scale[w][j];
          }
        break;
      case 1: {
        const double shift = between(0.0, 0.1);
        s->A = perp_shifted(&s->wrapper[w], s->A, shift);
        for (int32_t i = 0; i < n; i++) {
          s->dense[i*ROWS + i] += shift;
          s->size[i*ROWS + i] += shift;
        }
        break;
      }
      case 2: {
        int32_t m = 0, *set = s->set[w];
        for (int32_t i = 0; i < n; i++)
          if (whole(0, 4) != 0) set[m++] = i;
        s->A = perp_restricted(&s->wrapper[w], s->A, set, m);
        for (int32_t i = 0; i < m; i++)
          for (int32_t j = 0; j < m; j++) {
            s->dense[i*ROWS + j] = s->dense[set[i]*ROWS + set[j]];
            s->size[i*ROWS + j] = s->size[set[i]*ROWS + set[j]];
          }
        break;
      }
      default: break;
    }
  }
}

static face *through_bodies(const perp_operator *A) {
  body_rows rows;
  int failed;
  assert_int_equal(body_rows_take(A, NULL, &rows), 0);
  face *f = face_body_create(&rows, NULL, &failed);
  assert_non_null(f);
  assert_int_equal(failed, 0);
  return f;
}

static void test_rows_make_the_matrix(void **state) {
  (void)state;
  for (int trial = 0; trial < often(300); trial++) {
    scene s = {0};
    const int32_t block = whole(1, 6), n = whole(1, ROWS);
    random_scene(&s, n, whole(1, DOFS/block), block, whole(0, 1) ? 0.1 : 0.0);
    random_wrappers(&s);
    body_rows B;
    assert_int_equal(body_rows_take(&s.A, NULL, &B), 0);
    assert_true(B.n == s.A.n && B.dofs == s.P.dofs);
    for (int32_t i = 0; i < B.n; i++)
      for (int32_t j = 0; j < B.n; j++) {
        double a[DOFS] = {0}, sum = i == j ? B.slack[i] : 0.0;
        for (int32_t p = B.rowptr[i]; p < B.rowptr[i + 1]; p++) {
          assert_true(B.value[p] != 0.0 && s.W[B.column[p]*block + B.column[p]%block] > 0.0);
          assert_true(p == B.rowptr[i] || B.column[p] > B.column[p - 1]);
          a[B.column[p]] = B.value[p];
        }
        for (int32_t p = B.rowptr[j]; p < B.rowptr[j + 1]; p++) sum += a[B.column[p]]*B.value[p];
        assert_true(fabs(sum - s.dense[i*ROWS + j]) <= 1e-14*s.size[i*ROWS + j]);
      }
    body_rows_free(NULL, &B);
  }
}

static void test_what_is_no_product(void **state) {
  (void)state;
  scene s = {0};
  random_scene(&s, 5, 2, 3, 0.1);
  const double one[5] = {1, 1, 1, 1, 1}, other[5] = {1, 1, 2, 1, 1};
  perp_wrapper w;
  body_rows B;
  const perp_operator skew = perp_scaled(&w, s.A, one, other);
  assert_int_equal(body_rows_take(&skew, NULL, &B), 1);
  const perp_operator negative = perp_shifted(&w, s.A, -1.0);
  assert_int_equal(body_rows_take(&negative, NULL, &B), 1);
  const perp_dense dense = {.n = 5, .value = s.dense, .ld = ROWS};
  const perp_operator D = perp_from_dense(&dense, PERP_CLAIM_SYMMETRIC);
  assert_int_equal(body_rows_take(&D, NULL, &B), 1);
  assert_true(B.rowptr == NULL && B.n == 0);
}

// |((A + sigma I)_II v - r)_i| over |J||W||J'||v| + |r|, both in units that make the diagonal 1;
// v must be 0 elsewhere.
static double error_of(const scene *s, double sigma, const uint8_t *is_free, const double *v,
                       const double *r) {
  double worst = 0.0, size = 0.0;
  for (int32_t i = 0; i < s->A.n; i++) {
    if (!is_free[i]) {
      assert_true(v[i] == 0.0);
      continue;
    }
    double sum = sigma*v[i] - r[i], all = fabs(r[i]) + sigma*fabs(v[i]);
    for (int32_t j = 0; j < s->A.n; j++) {
      sum += s->dense[i*ROWS + j]*v[j];
      all += fabs(s->size[i*ROWS + j]*v[j]);
    }
    const double unit = sqrt(s->dense[i*ROWS + i] + sigma);
    worst = fmax(worst, fabs(sum)/unit);
    size = fmax(size, all/unit);
  }
  return size > 0.0 ? worst/size : worst;
}

static void test_follows_the_free_rows(void **state) {
  (void)state;
  int32_t modifications = 0;
  for (int trial = 0; trial < often(100); trial++) {
    scene s = {0};
    const int32_t block = whole(1, 6);
    random_scene(&s, whole(1, ROWS), whole(1, DOFS/block), block, exp(between(-16.0, 0.0)));
    random_wrappers(&s);
    const int32_t n = s.A.n;
    if (n == 0) continue;
    face *f = through_bodies(&s.A);
    uint8_t is_free[ROWS], last[ROWS] = {0};
    double r[ROWS], v[ROWS], sigma = 0.0;
    v[0] = 1.0;
    assert_int_equal(face_solve(f, v, 1), 1);          // nothing is factored yet
    assert_true(v[0] == 0.0);
    for (int32_t i = 0; i < n; i++) is_free[i] = (uint8_t)whole(0, 1);
    for (int step = 0; step < 20; step++) {
      if (whole(0, 4) == 0) face_shift(f, sigma = exp(between(-16.0, 0.0)));
      for (int32_t k = whole(0, 2); k > 0; k--) is_free[whole(0, n - 1)] ^= 1;
      assert_int_equal(update_counted(f, n, is_free, last, &modifications), 0);
      for (int32_t i = 0; i < n; i++) v[i] = r[i] = between(-1.0, 1.0);
      assert_int_equal(face_solve(f, v, step%3), 0);
      assert_true(error_of(&s, sigma, is_free, v, r) < 1e-13);
    }
    face_destroy(f);
  }
  assert_true(modifications > 100);
}

// Without compliance a row has no factor in body space: refused by name, and fine with a shift.
static void test_no_compliance_needs_a_shift(void **state) {
  (void)state;
  scene s = {0};
  random_scene(&s, 20, 2, 6, 0.0);
  uint8_t is_free[ROWS] = {0};
  double r[ROWS], v[ROWS];
  is_free[7] = is_free[9] = 1;
  face *f = through_bodies(&s.A);
  assert_int_equal(face_update(f, is_free, NULL), 8);
  assert_int_equal(face_solve(f, v, 1), 1);
  face_shift(f, 1e-7);                                   // as the proximal loop does
  memset(is_free, 1, 20);
  assert_int_equal(face_update(f, is_free, NULL), 0);
  for (int32_t i = 0; i < 20; i++) v[i] = r[i] = between(-1.0, 1.0);
  assert_int_equal(face_solve(f, v, 1), 0);
  assert_true(error_of(&s, 1e-7, is_free, v, r) < 1e-13);
  face_destroy(f);
}

// Who never shifts gets contacts unless the compliance suffices; there I may be anything definite.
static void test_who_does_not_shift(void **state) {
  (void)state;
  int failed;
  uint8_t is_free[ROWS] = {0};
  double v[ROWS] = {0};
  scene s = {0};
  random_scene(&s, ROWS, 1, 6, 0.0);
  for (int32_t k = 0; k < 36; k++) s.W[k] = k%7 == 0;    // the identity
  int32_t row = 0, entry = 0;                            // one that moves something
  while (s.value[entry] == 0.0) entry++;
  while (s.rowptr[row + 1] <= entry) row++;
  is_free[row] = 1;
  v[row] = 1.0;
  face *f = face_create(&s.A, FACE_SETS, NULL, &failed),
       *g = face_create(&s.A, FACE_SHIFTS, NULL, &failed);
  assert_true(f != NULL && g != NULL);
  assert_int_equal(face_update(f, is_free, NULL), 0);
  assert_int_equal(face_solve(f, v, 1), 0);
  assert_true(v[row] > 0.0 && face_nnz(g) < face_nnz(f));
  face_destroy(f);
  face_destroy(g);
}

static void test_deadline_and_memory(void **state) {
  (void)state;
  scene s = {0};
  random_scene(&s, 30, 4, 6, 0.5);
  for (int64_t at = 1;; at++) {
    counter c = {.fail_at = at};
    const perp_allocator allocator = {counted_allocate, counted_release, &c};
    int failed = 0;
    body_rows B;
    if (body_rows_take(&s.A, &allocator, &B) != 0) {
      assert_int_equal(c.live, 0);
      continue;
    }
    face *f = face_body_create(&B, &allocator, &failed);
    if (f == NULL) {
      assert_true(failed == -2 && c.live == 0);
      continue;
    }
    assert_true(at > 30);
    const int64_t live = c.live, requests = c.requests;
    uint8_t is_free[ROWS];
    double v[ROWS] = {1};
    memset(is_free, 1, sizeof is_free);
    assert_int_equal(face_update(f, is_free, NULL), 0);
    assert_int_equal(face_solve(f, v, 2), 0);
    assert_true(c.live == live && c.requests == requests);   // nothing more is allocated
    face_destroy(f);
    assert_int_equal(c.live, 0);
    break;
  }
}

static void test_sizes_zero_and_one(void **state) {
  (void)state;
  const int32_t none[2] = {0, 0}, column[1] = {0};
  const double value[1] = {2}, W[1] = {3}, compliance[1] = {4};
  const perp_product nothing = {.rowptr = none, .block = 1},
                     free_row = {.n = 1, .rowptr = none, .block = 1, .compliance = compliance},
                     one = {.n = 1, .dofs = 1, .rowptr = (const int32_t[]){0, 1}, .column = column,
                            .value = value, .block = 1, .W = W, .compliance = compliance};
  const perp_operator A = perp_from_product(&nothing, 0), B = perp_from_product(&free_row, 0),
                      C = perp_from_product(&one, 0);
  double v[1] = {3};
  face *f = through_bodies(&A);
  assert_int_equal(face_update(f, (const uint8_t[]){0}, NULL), 0);
  assert_int_equal(face_solve(f, v, 1), 0);
  face_destroy(f);
  f = through_bodies(&B);
  assert_int_equal(face_update(f, (const uint8_t[]){1}, NULL), 0);
  assert_int_equal(face_solve(f, v, 1), 0);
  assert_true(v[0] == 0.75);
  face_destroy(f);
  f = through_bodies(&C);
  v[0] = 32.0;
  assert_int_equal(face_update(f, (const uint8_t[]){1}, NULL), 0);
  assert_int_equal(face_solve(f, v, 1), 0);
  assert_true(fabs(v[0] - 2.0) < 1e-15);
  face_destroy(f);
}

// A wall of condition 1e9: rows come and go many times; the residual of the entries, which the
// gallery formed by itself, stays at rounding.
static void test_wall(void **state) {
  (void)state;
  perp_sample *s = make_with("wall", 5, "bodies", 60.0, "mode", 0.0, "points", 8.0, "condition",
                             1e9, NULL);
  const perp_operator A = perp_from_product(&s->product, PERP_CLAIM_NONE);
  const int32_t n = s->n;
  uint8_t *is_free = calloc((size_t)n, 1), *last = calloc((size_t)n, 1);
  double *v = calloc((size_t)n, sizeof *v), *r = calloc((size_t)n, sizeof *r),
         *y = calloc((size_t)n, sizeof *y);
  int32_t modified = 0;
  int failed;
  face *f = face_create(&A, FACE_SHIFTS, NULL, &failed),
       *g = face_entries_create(&s->problem.A, NULL, &failed);
  assert_true(f != NULL && g != NULL && is_free != NULL && last != NULL && v != NULL && r != NULL && y != NULL);
  assert_true(face_nnz(f) < face_nnz(g)/4);              // bodies, not contacts
  for (int32_t i = 0; i < n; i++) is_free[i] = (uint8_t)whole(0, 1);
  for (int step = 0; step < often(300); step++) {
    for (int k = 0; k < 3; k++) is_free[whole(0, n - 1)] ^= 1;
    assert_int_equal(update_counted(f, n, is_free, last, &modified), 0);
    if (step%10 != 9) continue;
    double worst = 0.0, size = 0.0;
    for (int32_t i = 0; i < n; i++) v[i] = r[i] = is_free[i] ? between(-1.0, 1.0) : 0.0;
    assert_int_equal(face_solve(f, v, 1), 0);
    memcpy(y, r, (size_t)n*sizeof *y);
    for (int32_t j = 0; j < n; j++)
      for (int32_t p = s->colptr[j]; p < s->colptr[j + 1]; p++) y[s->row[p]] -= s->value[p]*v[j];
    for (int32_t i = 0; i < n; i++) {
      assert_true(is_free[i] || v[i] == 0.0);
      if (is_free[i]) worst = fmax(worst, fabs(y[i]));
      size = fmax(size, fabs(v[i]));
    }
    assert_true(worst < 1e-13*size);                     // entries of A are near 1
  }
  assert_true(modified > 10*face_factorizations(f));
  face_destroy(f);
  face_destroy(g);
  free(is_free);
  free(last);
  free(v);
  free(r);
  free(y);
  drop(s);
}

// active_set through bodies; the answer is judged by the entries, which the gallery formed.
static void test_active_set(void **state) {
  (void)state;
  const perp_method *method = perp_find_method("active_set");
  for (int mode = 0; mode < 2; mode++) {
    perp_sample *s = make_with("wall", 11, "bodies", 40.0, "points", 9.0, "mode", (double)mode,
                               "condition", 1e8, NULL);
    perp_problem problem = s->problem;
    problem.A = perp_from_product(&s->product, PERP_CLAIM_NONE);
    const perp_options options = perp_default_options(method);
    double *x = calloc((size_t)s->n, sizeof *x);
    assert_non_null(x);
    perp_result result;
    perp_certificate certificate;
    assert_int_equal(perp_solve_once(&problem, x, &options, &result), PERP_OK);
    assert_int_equal(result.status, PERP_STATUS_SOLVED);
    assert_int_equal(perp_certify(&s->problem, x, 1e-8, 0.0, NULL, &certificate), PERP_OK);
    assert_true(certificate.solved);
    free(x);
    drop(s);
  }
}

// `count` boxes that one platform carries: A is full, H is not, whatever the numbers of rows. A
// chain of point masses, two to a row and no more rows than masses: A is tridiagonal, as H is.
static void test_chooses(void **state) {
  (void)state;
  enum { COUNT = 400 };
  int32_t rowptr[COUNT + 1] = {0}, column[2*COUNT];
  double value[2*COUNT], W[COUNT + 1], compliance[COUNT];
  for (int platform = 0; platform < 2; platform++) {
    for (int32_t i = 0; i < COUNT; i++) {
      column[2*i] = platform ? 0 : i;
      column[2*i + 1] = i + 1;
      value[2*i] = -1.0;
      value[2*i + 1] = 1.0;
      rowptr[i + 1] = 2*i + 2;
      W[i] = W[i + 1] = compliance[i] = 1.0;
    }
    const perp_product P = {.n = COUNT, .dofs = COUNT + 1, .rowptr = rowptr, .column = column,
                            .value = value, .block = 1, .W = W, .compliance = compliance};
    const perp_operator A = perp_from_product(&P, 0);
    int failed;
    face *f = face_create(&A, FACE_SHIFTS, NULL, &failed);
    assert_non_null(f);
    assert_true(face_nnz(f) < 16*COUNT);
    face_destroy(f);
    W[0] = 0.0;                                          // the platform is the ground
    f = face_create(&A, FACE_SHIFTS, NULL, &failed);
    assert_non_null(f);
    assert_true(face_nnz(f) < 16*COUNT);
    face_destroy(f);
  }
  // one point a face: fewer rows than degrees of freedom
  perp_sample *s = make_with("wall", 1, "bodies", 40.0, "mode", 0.0, "points", 1.0, NULL);
  const perp_operator A = perp_from_product(&s->product, 0);
  int failed;
  face *f = face_create(&A, FACE_SHIFTS, NULL, &failed), *contacts = face_entries_create(&A, NULL, &failed),
       *bodies = through_bodies(&A);
  assert_true(f != NULL && contacts != NULL);
  assert_true(face_nnz(f) == face_nnz(contacts) && face_nnz(contacts) < face_nnz(bodies));
  face_destroy(f);
  face_destroy(contacts);
  face_destroy(bodies);
  drop(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_rows_make_the_matrix), cmocka_unit_test(test_what_is_no_product),
    cmocka_unit_test(test_follows_the_free_rows),
    cmocka_unit_test(test_no_compliance_needs_a_shift), cmocka_unit_test(test_who_does_not_shift),
    cmocka_unit_test(test_deadline_and_memory),
    cmocka_unit_test(test_sizes_zero_and_one), cmocka_unit_test(test_wall),
    cmocka_unit_test(test_active_set), cmocka_unit_test(test_chooses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
