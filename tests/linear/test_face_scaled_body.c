// test_face_scaled_body.c: systems (diag(p) A + diag(q)) z = r with products A, solved through bodies,
// against the dense matrix formed and solved here.
#include "support.h"
#include "gauss.h"

#include "counting.h"
#include "gallery_sample.h"
#include "face_diagonal.h"

enum { ROWS = 180, BODIES = 12, BLOCK = 3, DOFS = BODIES*BLOCK };   // above the dense systems

typedef struct scene {
  int32_t rowptr[ROWS + 1], column[ROWS*2*BLOCK];
  double value[ROWS*2*BLOCK], W[DOFS*BLOCK], compliance[ROWS], scale[ROWS];
  perp_product P;
  perp_wrapper wrapper[2];
  perp_operator A;
  double dense[ROWS*ROWS];
  double p[ROWS], q[ROWS], z[ROWS], v[ROWS];
  long double M[ROWS*ROWS];
} scene;

// Contacts between two bodies or one and the ground, which is body 0 with W = 0.
static scene *random_scene(double compliance) {
  scene *s = calloc(1, sizeof *s);
  assert_non_null(s);
  int32_t filled = 0;
  for (int32_t i = 0; i < ROWS; i++) {
    const int32_t a = i == 7 ? 0 : whole(1, BODIES - 2), b = i == 7 ? 0 : whole(a + 1, BODIES - 1);
    for (int32_t k = 0; k < 2*BLOCK && (k < BLOCK || b != a); k++) {
      s->column[filled] = (k < BLOCK ? a : b)*BLOCK + k%BLOCK;
      s->value[filled++] = between(-1.0, 1.0);
    }
    s->rowptr[i + 1] = filled;
    s->compliance[i] = compliance*between(1.0, 2.0);
    s->scale[i] = ldexp(1.0, whole(-6, 6));
  }
  for (int32_t body = 1; body < BODIES; body++)
    for (int32_t k = 0; k < BLOCK; k++)
      for (int32_t l = 0; l < BLOCK; l++)
        s->W[(body*BLOCK + k)*BLOCK + l] = k == l ? 1.0 + body%3 : 0.3;
  s->P = (perp_product){.n = ROWS, .dofs = DOFS, .rowptr = s->rowptr, .column = s->column,
                        .value = s->value, .block = BLOCK, .W = s->W,
                        .compliance = compliance > 0.0 ? s->compliance : NULL};
  s->A = perp_from_product(&s->P, 0);
  return s;
}

static void wrap(scene *s) {   // scaled and shifted
  s->A = perp_scaled(&s->wrapper[0], s->A, s->scale, s->scale);
  s->A = perp_shifted(&s->wrapper[1], s->A, 1e-3);
}

static void form(scene *s, int wrapped) {   // A by its definition
  for (int32_t i = 0; i < ROWS; i++)
    for (int32_t j = 0; j < ROWS; j++) {
      long double sum = i == j && s->P.compliance != NULL ? s->compliance[i] : 0.0L;
      for (int32_t a = s->rowptr[i]; a < s->rowptr[i + 1]; a++)
        for (int32_t b = s->rowptr[j]; b < s->rowptr[j + 1]; b++)
          if (s->column[a]/BLOCK == s->column[b]/BLOCK)
            sum += (long double)s->value[a]*s->W[s->column[a]*BLOCK + s->column[b]%BLOCK]*
                   s->value[b];
      if (wrapped) sum = s->scale[i]*sum*s->scale[j] + (i == j ? 1e-3L : 0.0L);
      s->dense[i*ROWS + j] = (double)sum;
    }
}

// v <- (PA + Q)^-1 v
static void exact(scene *s, const double *p, const double *q, double *v) {
  long double *M = s->M, r[ROWS];
  for (int32_t i = 0; i < ROWS; i++) {
    r[i] = v[i];
    for (int32_t j = 0; j < ROWS; j++)
      M[i*ROWS + j] = (p != NULL ? p[i] : 1.0)*(long double)s->dense[i*ROWS + j] +
                      (i == j && q != NULL ? q[i] : 0.0);
  }
  gauss(ROWS, M, r);
  for (int32_t i = 0; i < ROWS; i++) v[i] = (double)r[i];
}

static void agrees(scene *s, face *system, const double *p, const double *q, double tol) {
  double largest = 0.0;
  for (int32_t i = 0; i < ROWS; i++) s->v[i] = s->z[i] = between(-1.0, 1.0);
  exact(s, p, q, s->z);
  assert_int_equal(diagonal_factor(system, p, q, NULL), 0);
  assert_true(face_nnz(system) > 0);
  assert_true(face_nnz(system) <= DOFS*DOFS);   // it was of the bodies' size
  const double error = diagonal_solve(system, s->v, 3);
  if (!(error <= 1e-13)) fail_msg("backward error %g", error);
  for (int32_t i = 0; i < ROWS; i++) largest = fmax(largest, fabs(s->z[i]));
  for (int32_t i = 0; i < ROWS; i++)
    if (!(fabs(s->v[i] - s->z[i]) <= tol*largest))
      fail_msg("z[%d] = %.17g instead of %.17g, of %g", i, s->v[i], s->z[i], largest);
}

static void masks_and_diagonals(void **state) {
  (void)state;
  support_state = 11;
  const double compliance[] = {1e-2, 1e-5, 0.0};
  for (size_t k = 0; k < 3; k++)
    for (int wrapped = 0; wrapped < 2; wrapped++) {
      scene *s = random_scene(compliance[k]);
      if (wrapped) wrap(s);
      form(s, wrapped);
      face *system = diagonal_face(&s->A, NULL);
      assert_non_null(system);
      for (int round = 0; round < 4; round++) {
        for (int32_t i = 0; i < ROWS; i++) {
          s->p[i] = round%2 == 0 ? 1.0 : uniform() < 0.3 ? 0.0 : round == 1 ? 1.0 : between(0.1, 1);
          s->q[i] = pow(10.0, between(-4.0, round == 0 ? 1.0 : 6.0));
        }
        agrees(s, system, s->p, s->q, 1e-8);
      }
      assert_int_equal(face_factorizations(system), 4);
      agrees(s, system, NULL, s->q, 1e-8);
      if (compliance[k] == 1e-2) agrees(s, system, NULL, NULL, 1e-8);
      double x[ROWS], y[ROWS], t[ROWS];
      for (int32_t i = 0; i < ROWS; i++) x[i] = between(-1.0, 1.0);
      face_multiply(system, 0, x, y);
      face_multiply(system, 1, x, t);
      for (int32_t i = 0; i < ROWS; i++) {
        long double sum = 0.0L, size = 0.0L;
        for (int32_t j = 0; j < ROWS; j++) {
          sum += (long double)s->dense[i*ROWS + j]*x[j];
          size += fabsl((long double)s->dense[i*ROWS + j]*x[j]);
        }
        assert_true(fabsl(y[i] - sum) <= 1e-13L*size);
        assert_true(y[i] == t[i]);
      }
      face_destroy(system);
      free(s);
    }
}

// Free rows of contacts without compliance have D = 0: H gets a little more, refinement takes it
// away again.
static void nothing_on_some_diagonals(void **state) {
  (void)state;
  support_state = 12;
  for (int round = 0; round < 6; round++) {
    scene *s = random_scene(0.0);
    form(s, 0);
    face *system = diagonal_face(&s->A, NULL);
    assert_non_null(system);
    for (int32_t i = 0; i < ROWS; i++) {
      s->p[i] = round%2 == 0 || uniform() < 0.7 ? 1.0 : 0.0;
      s->q[i] = s->p[i] == 0.0 || i%30 != 0 ? pow(10.0, between(-2.0, 2.0)) : 0.0;
    }
    agrees(s, system, s->p, s->q, 1e-7);
    face_destroy(system);
    free(s);
  }
}

// Row 7 touches bodies that cannot move: it is 0 where it has neither compliance nor q.
static void what_bodies_cannot_do(void **state) {
  (void)state;
  support_state = 13;
  scene *s = random_scene(0.0);
  form(s, 0);
  face *system = diagonal_face(&s->A, NULL);
  assert_non_null(system);
  for (int32_t i = 0; i < ROWS; i++) s->q[i] = i == 7 ? 0.0 : 1.0;
  assert_true(diagonal_factor(system, NULL, s->q, NULL) > 0);
  assert_true(diagonal_solve(system, s->v, 1) == INFINITY);
  s->q[7] = 1e-13;                             // and is solved for where it has
  agrees(s, system, NULL, s->q, 1e-12);
  assert_true(fabs(s->z[7]) > 1e10);
  s->q[7] = 1.0;
  s->q[20] = -0.5;                             // D is not positive: by the entries of A
  for (int32_t i = 0; i < ROWS; i++) s->v[i] = s->z[i] = between(-1.0, 1.0);
  exact(s, NULL, s->q, s->z);
  assert_int_equal(diagonal_factor(system, NULL, s->q, NULL), 0);
  assert_true(diagonal_solve(system, s->v, 3) <= 1e-14);
  for (int32_t i = 0; i < ROWS; i++) assert_true(fabs(s->v[i] - s->z[i]) <= 1e-9);
  s->q[20] = 1.0;                              // and back
  agrees(s, system, NULL, s->q, 1e-12);
  face_destroy(system);
  free(s);
}

static void every_failed_allocation(void **state) {
  (void)state;
  support_state = 14;
  scene *s = random_scene(1e-3);
  form(s, 0);
  int made = 0;
  for (int at = 1; at < 200 && !made; at++) {
    counter c = {.fail_at = at};
    const perp_allocator allocator = {counted_allocate, counted_release, &c};
    face *system = diagonal_face(&s->A, &allocator);
    made = system != NULL && c.requests < at;
    if (system != NULL) {
      for (int32_t i = 0; i < ROWS; i++) s->v[i] = 1.0;
      assert_int_equal(diagonal_factor(system, NULL, NULL, NULL), 0);
      assert_true(diagonal_solve(system, s->v, 2) <= 1e-13);
    }
    face_destroy(system);
    assert_int_equal(c.live, 0);
  }
  assert_true(made);
  free(s);
}

// The same wall by its entries and through its bodies: the same x but for rounding.
static void interior_points_through_bodies(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 2; seed++) {
    perp_sample *s = make_with("wall", seed, "bodies", 25.0, "condition", 1e4, NULL);
    perp_problem through = s->problem;
    through.A = perp_from_product(&s->product, 0);
    perp_options options = perp_default_options(perp_find_method("interior_point"));
    options.method = perp_find_method("interior_point");
    options.tol = 1e-10;
    double *x = calloc((size_t)s->n, sizeof *x), *y = calloc((size_t)s->n, sizeof *y), most = 0.0;
    perp_result by_entries, by_bodies;
    assert_int_equal(perp_solve_once(&s->problem, x, &options, &by_entries), PERP_OK);
    assert_int_equal(perp_solve_once(&through, y, &options, &by_bodies), PERP_OK);
    assert_int_equal(by_entries.status, PERP_STATUS_SOLVED);
    assert_int_equal(by_bodies.status, PERP_STATUS_SOLVED);
    for (int32_t i = 0; i < s->n; i++) most = fmax(most, fabs(x[i]));
    for (int32_t i = 0; i < s->n; i++) assert_true(fabs(x[i] - y[i]) <= 1e-5*most);
    assert_true(by_bodies.factor_nonzeros < by_entries.factor_nonzeros);
    free(x);
    free(y);
    drop(s);
  }
}

enum { CHAIN = 300, CHAIN_DOFS = 200 };   // the entries are sparse

// A negative p cannot be solved through bodies, so the update takes the entries. Each allocation
// fails once. Later updates are right all the same, and nothing leaks.
static void entries_are_taken_again_after_a_failure(void **state) {
  (void)state;
  support_state = 11;
  static int32_t rowptr[CHAIN + 1], column[3*CHAIN];
  static double value[3*CHAIN], W[CHAIN_DOFS], compliance[CHAIN], p[CHAIN], v[CHAIN];
  for (int32_t i = 0; i < CHAIN; i++) {
    for (int32_t k = 0; k < 3; k++) {
      column[3*i + k] = 7*i%(CHAIN_DOFS - 3) + k;
      value[3*i + k] = between(-1.0, 1.0);
    }
    rowptr[i + 1] = 3*(i + 1);
    p[i] = i == 5 ? -1.0 : 1.0;
    compliance[i] = 1.0;
  }
  for (int32_t j = 0; j < CHAIN_DOFS; j++) W[j] = 1.0;
  const perp_product P = {.n = CHAIN, .dofs = CHAIN_DOFS, .rowptr = rowptr, .column = column,
                          .value = value, .block = 1, .W = W, .compliance = compliance};
  const perp_operator A = perp_from_product(&P, 0);
  int64_t solved = 0;
  for (int64_t k = 0, fails = 1; fails; k++) {
    counter c = {.fail_at = k};
    const perp_allocator memory = {counted_allocate, counted_release, &c};
    int failed = 0;
    face *f = face_create(&A, FACE_DIAGONALS, &memory, &failed);
    for (int round = 0; round < 3 && f != NULL; round++) {
      face_diagonal(f, p, NULL);
      for (int32_t i = 0; i < CHAIN; i++) v[i] = between(-1.0, 1.0);
      if (face_update(f, NULL, NULL) != 0) continue;
      assert_int_equal(face_solve(f, v, 2), 0);
      assert_true(face_error(f) <= 1e-10);
      solved++;
    }
    fails = k == 0 || c.requests >= c.fail_at;
    face_destroy(f);
    assert_int_equal(c.live, 0);
  }
  assert_true(solved > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masks_and_diagonals),   cmocka_unit_test(nothing_on_some_diagonals),
      cmocka_unit_test(what_bodies_cannot_do), cmocka_unit_test(every_failed_allocation),
      cmocka_unit_test(interior_points_through_bodies),
      cmocka_unit_test(entries_are_taken_again_after_a_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
