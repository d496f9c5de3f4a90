// test_exact.c: the exact code that the campaign relies on, against closed forms and itself.
// labels: long
#include "problems.h"
#include "reach.h"
#include "support.h"

static exact_problem lcp(int32_t n, const int64_t *A, const int64_t *b) {
  exact_problem p = {.n = n};
  for (int32_t i = 0; i < n; i++) {
    for (int32_t j = 0; j < n; j++) p.A[i][j] = A[i*n + j];
    p.b[i] = b[i];
    p.hi[i] = EXACT_INF;
  }
  return p;
}

// Murty's family: x = (0, .., 0, 1), the only solution.
static void murty(void **state) {
  (void)state;
  int64_t A[64] = {0}, b[8];
  for (int32_t n = 1; n <= 8; n++) {
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n; j++) A[i*n + j] = i == j ? 1 : i < j ? 2 : 0;
      b[i] = -1;
    }
    const exact_problem p = lcp(n, A, b);
    double x[8];
    int32_t faces;
    assert_int_equal(exact_is_P(&p), EXACT_YES);
    assert_int_equal(exact_solvable(&p, x), EXACT_YES);
    assert_int_equal(exact_enumerate(&p, &faces), EXACT_YES);
    for (int32_t i = 0; i < n; i++) assert_true(x[i] == (i == n - 1 ? 1.0 : 0.0));
    assert_int_equal(exact_near(&p, x, 1e-6, 0), EXACT_YES);
    x[0] += 1e-3;
    assert_int_equal(exact_near(&p, x, 1e-6, 0), EXACT_NO);
  }
}

// y_0 = x_1 + 1, y_1 = x_0 - 2, with x_0 >= 2: every (2, x_1) with x_1 >= 0 is a solution. A distance
// that whole numbers cannot hold is no answer "no", in whichever entry it comes.
static void distances_beyond_whole_numbers(void **state) {
  (void)state;
  const int64_t A[4] = {0, 1, 1, 0}, b[2] = {1, -2};
  exact_problem p = lcp(2, A, b);
  p.lo[0] = 2;
  assert_int_equal(exact_near(&p, (double[]){2.0, 1e6}, 0.0, 0.0), EXACT_YES);
  assert_int_equal(exact_near(&p, (double[]){2.1, 1e6}, 0.0, 1e-3), EXACT_NO);
  assert_int_equal(exact_near(&p, (double[]){2.0, 1e49}, 0.0, 0.0), EXACT_OVERFLOW);
  assert_int_equal(exact_near(&p, (double[]){2.0, 1e6}, 0.0, 1e31), EXACT_OVERFLOW);
  assert_int_equal(exact_near(&p, (double[]){2.1, 1e49}, 0.0, 1e31), EXACT_OVERFLOW);
}

// -I with b = 1: every x_i is 0 or 1, so 2^n solutions.
static void negative_identity(void **state) {
  (void)state;
  int64_t A[64] = {0}, b[8];
  for (int32_t i = 0; i < 8; i++) {
    A[9*i] = -1;
    b[i] = 1;
  }
  const exact_problem p = lcp(8, A, b);
  int32_t faces;
  assert_int_equal(exact_enumerate(&p, &faces), EXACT_YES);
  assert_int_equal(faces, 256);
  assert_int_equal(exact_is_P(&p), EXACT_NO);
  for (int k = 0; k < 256; k++) {
    double x[8];
    for (int i = 0; i < 8; i++) x[i] = k >> i & 1;
    assert_int_equal(exact_near(&p, x, 1e-6, 0), EXACT_YES);
    x[k%8] = 0.5;
    assert_int_equal(exact_near(&p, x, 1e-6, 0), EXACT_NO);
  }
}

static void no_solution(void **state) {
  (void)state;
  // feasible at (0, 1) and unsolvable; infeasible; n = 1 of each kind; n = 0
  const exact_problem a = lcp(2, (int64_t[]){0, 1, 0, 0}, (int64_t[]){-1, 1});
  const exact_problem b = lcp(2, (int64_t[]){1, -1, -1, 1}, (int64_t[]){-1, 0});
  const exact_problem c = lcp(1, (int64_t[]){-1}, (int64_t[]){-1});
  const exact_problem d = lcp(0, NULL, NULL);
  exact_problem e = lcp(1, (int64_t[]){0}, (int64_t[]){0});
  int32_t faces;
  assert_int_equal(exact_feasible(&a), EXACT_YES);
  assert_int_equal(exact_solvable(&a, NULL), EXACT_NO);
  assert_int_equal(exact_enumerate(&a, &faces), EXACT_NO);
  assert_int_equal(exact_feasible(&b), EXACT_NO);
  assert_int_equal(exact_solvable(&b, NULL), EXACT_NO);
  assert_int_equal(exact_feasible(&c), EXACT_NO);
  assert_int_equal(exact_solvable(&d, NULL), EXACT_YES);
  assert_int_equal(exact_enumerate(&d, &faces), EXACT_YES);
  e.lo[0] = -EXACT_INF;                              // 0 x + 0 = 0: every x
  assert_int_equal(exact_near(&e, (double[]){123.25}, 1e-6, 0), EXACT_YES);
  e.b[0] = 1;                                        // 0 x + 1 = 0
  assert_int_equal(exact_feasible(&e), EXACT_NO);
  e.lo[0] = -3;                                      // x = -3, y = 1
  assert_int_equal(exact_near(&e, (double[]){-3}, 1e-6, 0), EXACT_YES);
  assert_int_equal(exact_near(&e, (double[]){-2.9}, 1e-6, 0), EXACT_NO);
}

// A face: x1 + x2 = 2 with x >= 0 solves [1 1; 1 1], b = -2.
static void points_of_a_face(void **state) {
  (void)state;
  const exact_problem p = lcp(2, (int64_t[]){1, 1, 1, 1}, (int64_t[]){-2, -2});
  for (double t = 0.0; t <= 2.0; t += 0.125) {
    assert_int_equal(exact_near(&p, (double[]){t, 2.0 - t}, 1e-6, 0), EXACT_YES);
    assert_int_equal(exact_near(&p, (double[]){t, 2.001 - t}, 1e-6, 0), EXACT_NO);
  }
  assert_int_equal(exact_near(&p, (double[]){-0.1, 2.1}, 1e-6, 0), EXACT_NO);
}

static void farkas(void **state) {
  (void)state;
  const int zero[2] = {0, 0}, row[2] = {-900, 30}, column[2] = {40, -40};
  const exact_problem p = lcp(2, (int64_t[]){1, -1, -1, 1}, (int64_t[]){-1, 0});
  assert_true(exact_farkas_radius(&p, zero, zero, (double[]){1, 1}) == INF);
  assert_true(exact_farkas_radius(&p, zero, zero, (double[]){1, -1}) == 0.0);
  assert_true(exact_farkas_radius(&p, zero, zero, (double[]){0, 1}) == 0.0);
  // u = (1, 1 + e): A'u = (-e, e), b'u = -1, so the radius is 1/e
  const double e = 0x1p-52;
  assert_true(exact_farkas_radius(&p, zero, zero, (double[]){1, 1 + e}) == 1/e);
  // with rows and columns scaled: u_i 2^row_i = 1, 1 + e; the column with the wrong sign is 2^-40
  assert_true(exact_farkas_radius(&p, row, column,
                                  (double[]){0x1p900, (1 + e)*0x1p-30}) == 0x1p40/e);
  // cancellation over 100 binary orders: 2^60 + 1 - 2^60 > 0 in b'u
  const exact_problem q = lcp(3, (int64_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0}, (int64_t[]){-1, 1, 1});
  const int none[3] = {0, 0, 0};
  assert_true(exact_farkas_radius(&q, none, none, (double[]){0x1p60, 1, 0x1p60}) == 0.0);
  const exact_problem r = lcp(3, (int64_t[]){0, 0, 0, 0, 0, 0, 0, 0, 0}, (int64_t[]){-1, -1, 1});
  assert_true(exact_farkas_radius(&r, none, none, (double[]){0x1p60, 0x1p-60, 0x1p60}) == INF);
  // a boxed row may not have a weight; an upper bound alone wants u <= 0
  exact_problem s = lcp(1, (int64_t[]){0}, (int64_t[]){-1});
  assert_true(exact_farkas_radius(&s, none, none, (double[]){1}) == INF);
  s.hi[0] = 5;
  assert_true(exact_farkas_radius(&s, none, none, (double[]){1}) == 0.0);
  s.lo[0] = -EXACT_INF;
  s.b[0] = 1;
  assert_true(exact_farkas_radius(&s, none, none, (double[]){-1}) == INF);
}

// The pruned search against every assignment; a solution it finds has residual 0 up to rounding;
// what was built around a solution is solvable; P has one solution; a Farkas vector exists or a
// point does.
static void search_and_enumeration_agree(void **state) {
  (void)state;
  const int trials = often(6000);
  int solvable = 0, unsolvable = 0, infeasible = 0, overflows = 0, not_P0 = 0;
  for (int k = 0; k < trials; k++) {
    small_problem s;
    problem_make((uint64_t)k + 777u, &s);
    const exact_problem *p = &s.exact;
    double x[EXACT_ROWS];
    int32_t faces;
    const exact_verdict found = exact_solvable(p, x), all = exact_enumerate(p, &faces);
    const exact_verdict feasible = exact_feasible(p);
    if (found == EXACT_OVERFLOW || all == EXACT_OVERFLOW || feasible == EXACT_OVERFLOW) {
      overflows++;
      continue;
    }
    if (found != all) fail_msg("problem %d: search %d, enumeration %d", k, found, all);
    assert_true(feasible == EXACT_YES || found == EXACT_NO);
    infeasible += feasible == EXACT_NO;
    solvable += found == EXACT_YES;
    unsolvable += found == EXACT_NO && feasible == EXACT_YES;
    if (s.kind == PROBLEM_DEGENERATE) assert_int_equal(found, EXACT_YES);
    if (s.kind == PROBLEM_P) {
      assert_int_equal(exact_is_P(p), EXACT_YES);
      if (s.plain) assert_int_equal(found, EXACT_YES);
    }
    if (s.kind == PROBLEM_PSD || s.kind == PROBLEM_WIDE_PSD) {
      assert_int_equal(exact_is_P0(p), EXACT_YES);
      assert_int_equal(found, feasible);               // monotone: feasible means solvable
    }
    if (s.kind == PROBLEM_STRICT && s.plain) assert_int_equal(found, EXACT_YES);
    if (s.kind == PROBLEM_INDEFINITE) not_P0 += exact_is_P0(p) == EXACT_NO;
    if (found != EXACT_YES) continue;
    assert_int_equal(exact_near(p, x, 1e-6, 0), EXACT_YES);
    for (int32_t i = 0; i < p->n; i++) {
      double y = (double)p->b[i], size = fabs(y);
      for (int32_t j = 0; j < p->n; j++) {
        y += (double)p->A[i][j]*x[j];
        size += fabs((double)p->A[i][j]*x[j]);
      }
      const double above = p->hi[i] == EXACT_INF ? -INF : x[i] - (double)p->hi[i];
      const double below = p->lo[i] == -EXACT_INF ? INF : x[i] - (double)p->lo[i];
      assert_true(fabs(y < above ? above : y > below ? below : y) < fmax(1e-9, 1e-14*size));
    }
    if (s.kind != PROBLEM_P) continue;
    for (int32_t i = 0; i < p->n; i++) {               // unique: nothing else is near
      double other[EXACT_ROWS];
      memcpy(other, x, sizeof other);
      other[i] += 0.01*(1.0 + fabs(x[i]));
      assert_int_equal(exact_near(p, other, 1e-6, 0), EXACT_NO);
    }
  }
  print_message("%d solvable, %d unsolvable, %d infeasible, %d overflows\n", solvable, unsolvable,
                infeasible, overflows);
  assert_true(solvable > trials/3 && unsolvable > trials/50 && infeasible > trials/20);
  assert_true(overflows < trials/1000 + 1 && not_P0 > 0);
}

// x* of a P-matrix is as near to any x as its residual and the blocks of A say.
static void any_x_reaches_the_solution(void **state) {
  (void)state;
  int tried = 0, face_is_less = 0;
  support_state = 5;
  for (uint64_t number = 0; tried < fewer(400); number++) {
    small_problem s;
    double at[EXACT_ROWS], x[EXACT_ROWS];
    problem_make(number, &s);
    if (s.kind != PROBLEM_P || s.exact.n > 5 || exact_solvable(&s.exact, at) != EXACT_YES) continue;
    const double by = pow(10.0, between(-9.0, 1.0));
    double error = 0.0;
    for (int32_t i = 0; i < s.exact.n; i++) {
      x[i] = at[i] + (whole(0, 2) ? between(-by, by) : 0.0);
      error = fmax(error, fabs(x[i] - at[i]));
    }
    const double all = exact_reach(&s.exact, x, 0), face = exact_reach(&s.exact, x, 1);
    if (!(error <= all*(1.0 + 1e-9) + 1e-12)) fail_msg("%g away, reach %g", error, all);
    assert_true(face <= all*(1.0 + 1e-12));
    face_is_less += face < 0.9*all;
    tried++;
  }
  assert_true(face_is_less > 0);
  // x = 2 solves 2 x - 4 = 0: r = 2e, and (A - I) r = 2e is e in x.
  const exact_problem p = lcp(1, (const int64_t[]){2}, (const int64_t[]){-4});
  assert_true(fabs(exact_reach(&p, (const double[]){2.001}, 0) - 0.003) < 1e-12);
  // Two rows that nearly agree: an error of (1, -1) e is hardly seen in y, and their inverse tells.
  const exact_problem q = lcp(2, (const int64_t[]){1001, 1000, 1000, 1001},
                              (const int64_t[]){-2001, -2001});
  const double x[] = {1.01, 0.99}, reach = exact_reach(&q, x, 0);
  assert_true(reach > 0.01 && reach < 0.05);
}

// What the library is given is the whole numbers times powers of two, and nothing else.
static void scaling_is_exact(void **state) {
  (void)state;
  for (uint64_t k = 0; k < 2000; k++) {
    small_problem s;
    problem_make(k, &s);
    const int32_t n = s.exact.n;
    if (perp_validate(&s.problem) != PERP_OK) fail_msg("%s", perp_last_message());
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n; j++)
        assert_true(ldexp(s.A[i*n + j], -s.row[i] - s.column[j]) == (double)s.exact.A[i][j]);
      assert_true(ldexp(s.b[i], -s.row[i]) == (double)s.exact.b[i]);
      assert_true(s.scaled || (s.row[i] == 0 && s.column[i] == 0));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(murty),           cmocka_unit_test(negative_identity),
      cmocka_unit_test(distances_beyond_whole_numbers),
      cmocka_unit_test(no_solution),     cmocka_unit_test(points_of_a_face),
      cmocka_unit_test(farkas),          cmocka_unit_test(search_and_enumeration_agree),
      cmocka_unit_test(scaling_is_exact), cmocka_unit_test(any_x_reaches_the_solution),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
