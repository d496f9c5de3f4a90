// test_certify_blocks.c: reducible matrices: no block hides behind the size of another.
// labels: long
#include "support.h"

#include "problem.h"

enum { MOST = 12 };

// Row 1 has the large b; rows 2 and 3 do not see x_1 and contradict each other: u = (0, 1, 1).
static void a_small_block_is_not_hidden_by_a_large_b(void **state) {
  (void)state;
  const double M[] = {1, 1, 0, 0, 1, -1, 0, -1, 1};
  const perp_dense d = {.n = 3, .value = M};
  for (double big = 1e6; big < 1e300; big *= 10.0) {
    const double b[] = {-big, -5, 2}, u[] = {0, 1, 1};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
    perp_farkas farkas;
    assert_int_equal(perp_check_farkas(&p, u, &farkas), PERP_OK);
    assert_true(farkas.proven && farkas.radius == INF);
    assert_false(certify(&p, (double[]){big, 3.5, 0}).solved);
    assert_false(certify(&p, (double[]){big - 5, 5, 3}).solved);
    const double fine[] = {-big, -5, 6};   // x_2 - x_3 = 5 .. 6
    const perp_problem q = {.A = perp_from_dense(&d, 0), .b = fine};
    assert_true(certify(&q, (double[]){big - 5, 5, 0}).solved);
  }
  for (double big = 1e9; big < 2e11; big *= 10.0) {
    const double b[] = {-big, -5, 2};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
    for (int32_t k = 0; k < perp_method_count(); k++) {
      if (!takes(perp_method_at(k), &p)) continue;
      perp_options options = perp_default_options(perp_method_at(k));
      options.iteration_limit = options.iteration_limit < 300 ? options.iteration_limit : 300;
      double x[3] = {0};
      perp_result result;
      assert_int_equal(perp_solve_once(&p, x, &options, &result), PERP_OK);
      if (result.status == PERP_STATUS_SOLVED)
        fail_msg("%s: solved with b_1 = %g", perp_method_at(k)->name, -big);
    }
  }
}

// The same with a contradiction of any size, in any units, and far along the ray (0, 1, 1): no
// problem has both an x that passes the certificate and a proof that there is none. A contradiction
// of 2e-5 is proven however large b_1 is.
static void a_block_never_passes_both_certificates(void **state) {
  (void)state;
  support_state = 63;
  int proven = 0, solved = 0;
  for (int trial = 0; trial < often(2000); trial++) {
    const double missing = pow(10.0, between(-11, -4)), big = pow(10.0, between(6, 200)),
                 far = trial & 1 ? pow(10.0, between(0, 14)) : 0.0, width = 4.0*(trial%3);
    double r[3], c[3], M[9] = {1, trial & 4 ? 1e-9 : 1, 0, 0, 1, -1, 0, -1, 1};
    for (int i = 0; i < 3; i++) {
      r[i] = pow(10.0, between(-width, width));
      c[i] = pow(10.0, between(-width, width));
    }
    const double b[] = {-big*r[0], -5*r[1], (5 - missing)*r[2]}, u[] = {0, 1/r[1], 1/r[2]};
    const double half = far + 5 - missing/2,
                 x[] = {(big - M[1]*half)/c[0], half/c[1], far/c[2]};
    for (int i = 0; i < 9; i++) M[i] *= r[i/3]*c[i%3];
    const perp_dense d = {.n = 3, .value = M};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
    perp_farkas farkas;
    assert_int_equal(perp_check_farkas(&p, u, &farkas), PERP_OK);
    const int has = certify(&p, x).solved, none = farkas.proven || farkas.bounded;
    if (has && none) fail_msg("trial %d: solved and impossible, by %g of 5", trial, missing);
    if (!none && missing > 2e-5 && width == 0.0)
      fail_msg("trial %d: no proof: %s", trial, farkas.reason);
    proven += none;
    solved += has;
  }
  assert_true(proven > 100 && solved > 100);
}

// What flows in counts: blocks with b = 0 of their own, or far smaller than what they get.
static void what_flows_in_is_a_scale(void **state) {
  (void)state;
  const double M[] = {3, 0, -1, 3};
  const perp_dense d = {.n = 2, .value = M};
  for (double t = 1e-200; t < 1e200; t *= 1e10) {
    const double b[] = {-t, 0}, tiny[] = {-t, 1e-30*t};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b},
                       q = {.A = perp_from_dense(&d, 0), .b = tiny};
    assert_true(certify(&p, (double[]){t/3, t/9}).solved);
    assert_true(certify(&p, (double[]){t/3*(1 + 1e-10), t/9*(1 - 1e-10)}).solved);
    assert_false(certify(&p, (double[]){t/3, 0.999*t/9}).solved);
    assert_false(certify(&p, (double[]){t/3, 0}).solved);
    assert_true(certify(&q, (double[]){t/3, t/9}).solved);
  }
}

// Rows 2 and 3 allow x_2 = x_3 only, with b = 0; row 4 needs x_3 >= x_2 + 5; row 1 is large.
static void a_block_without_a_scale_takes_the_smallest(void **state) {
  (void)state;
  const double M[] = {1, 0, 1, 1, 0, 1, -1, 0, 0, -1, 1, 0, 0, -1, 1, 0};
  const double b[] = {-1e12, 0, 0, -5};
  const perp_dense d = {.n = 4, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  assert_false(certify(&p, (double[]){1e12 - 5, 0, 5, 0}).solved);
  assert_false(certify(&p, (double[]){1e12, 0, 0, 0}).solved);
}

// Rows 2 and 3 are x_3 = 2, x_2 = -4 with x_2 >= 0. x_2 also stands in row 1, but its unit there
// must not decide how much row 3 counts.
static void halves_of_a_block_have_their_own_units(void **state) {
  (void)state;
  const double M[] = {1, 1, 0, 0, 0, 1, 0, 1, 0}, lo[] = {0, 0, -INF};
  const perp_dense d = {.n = 3, .value = M};
  for (double big = 1; big < 1e200; big *= 10.0) {
    const double b[] = {-big, -2, 4}, fine[] = {-big, -2, -4};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo},
                       q = {.A = perp_from_dense(&d, 0), .b = fine, .lo = lo};
    assert_false(certify(&p, (double[]){big, 0, 2}).solved);
    assert_true(certify(&q, (double[]){fmax(big - 4, 0), 4, 2}).solved);
  }
}

// A + shift I is 0: y = b, whatever digits of b the parts of A x leave.
static void a_shift_that_cancels_leaves_an_empty_row(void **state) {
  (void)state;
  const double M = -3, b = -6, R = 0x1p8, lo = 2;
  const perp_dense d = {.n = 1, .value = &M};
  perp_wrapper w[2];
  const perp_operator A = perp_shifted(&w[0], perp_from_dense(&d, 0), 3.0);
  const perp_problem p = {.A = A, .b = &b, .lo = &lo},
                     q = {.A = perp_scaled(&w[1], A, &R, &R), .b = &b, .lo = &lo};
  for (double x = 2; x < 1e300; x *= 7.0) {
    assert_false(certify(&p, &x).solved);
    assert_false(certify(&q, &x).solved);
  }
}

// [D 0; K E]: D is judged as if it stood alone, whatever b and x are in E, however the whole is
// permuted, scaled and stored.
static void a_closed_block_is_judged_alone(void **state) {
  (void)state;
  support_state = 61;
  int refused = 0;
  for (int trial = 0; trial < often(400); trial++) {
    sample alone = random_known(whole(1, 5));
    const int32_t m = alone.n, n = m + whole(1, MOST - 5);
    double wrong[MOST], x[MOST], z[MOST] = {0}, r[MOST], c[MOST];
    int32_t place[MOST];
    perturb(&alone, wrong);
    const int clear = own_residual(&alone, wrong, NULL) > 0.05;
    sample s = sample_new(n);
    for (int32_t i = 0; i < n; i++) place[i] = i;
    for (int32_t i = n - 1; i > 0; i--) {
      const int32_t k = whole(0, i), t = place[i];
      place[i] = place[k], place[k] = t;
    }
    const double big = pow(10.0, between(0, 15));
    for (int32_t i = 0; i < n; i++) {
      for (int32_t j = 0; j < n; j++) {
        double a = i < m && j < m ? AT(&alone, i, j) : i < m ? 0.0 : between(-1, 1);
        if (i == j && i >= m) a = n + 1;
        AT(&s, place[i], place[j]) = a;
      }
      s.lo[place[i]] = i < m ? alone.lo[i] : 0.0;
      s.hi[place[i]] = i < m ? alone.hi[i] : INF;
      x[place[i]] = s.x[place[i]] = i < m ? alone.x[i] : big*between(0.5, 1);
      z[place[i]] = i < m ? wrong[i] : x[place[i]];
    }
    for (int32_t i = 0; i < n; i++) {   // y = 0 in E, at either x: b to match
      const int32_t k = place[i];
      s.b[k] = i < m ? alone.b[i] : 0.0;
      long double sum = 0.0L;
      for (int32_t j = 0; i >= m && j < n; j++) sum -= (long double)AT(&s, k, j)*x[j];
      if (i >= m) s.b[k] = (double)sum;
    }
    const int wide = trial%3;
    for (int32_t i = 0; i < n; i++) {
      r[i] = wide ? scaling(wide == 1, 4) : 1.0;
      c[i] = wide ? scaling(wide == 1, 4) : 1.0;
    }
    double rescaled[MOST];
    memcpy(rescaled, z, sizeof rescaled);
    rescale(&s, r, c, x);
    for (int32_t i = 0; i < n; i++) rescaled[i] /= c[i];
    const perp_problem *p = trial & 1 ? sample_dense(&s) : sample_csc(&s, trial & 2, 0);
    if (wide != 2 && !certify(p, x).solved) fail_msg("trial %d: the solution is refused", trial);
    if (clear) {
      refused++;
      const perp_certificate found = certify(p, rescaled);
      if (found.solved)
fail_msg("trial %d: accepted, residual %g, big %g", trial, found.residual, big);
    }
    sample_free(&s), sample_free(&alone);
  }
  assert_true(refused > 100);
}

// Blocks against reachability by squaring.
static void blocks_are_strongly_connected(void **state) {
  (void)state;
  support_state = 62;
  for (int trial = 0; trial < often(2000); trial++) {
    const int32_t n = whole(0, MOST);
    sample s = sample_new(n);
    const double density = between(0.05, 0.4);
    int reach[MOST][MOST];
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++) {
        AT(&s, i, j) = uniform() < density ? between(-1, 1) : 0.0;
        reach[i][j] = i == j || AT(&s, i, j) != 0.0;
      }
    for (int32_t k = 0; k < n; k++)
      for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++) reach[i][j] |= reach[i][k] && reach[k][j];
    double R[MOST + 1], C[MOST + 1], d[MOST + 1], inflow[MOST + 1];
    for (int32_t i = 0; i < n; i++)
      R[i] = between(0.5, 2), C[i] = between(0.5, 2), d[i] = uniform();
    perp_operator A = trial & 1 ? sample_dense(&s)->A : sample_csc(&s, trial & 2, 0)->A;
    perp_wrapper w[2];
    const int wrapped = trial/4%3;
    if (wrapped > 0) A = perp_scaled(&w[0], A, R, C);
    if (wrapped > 1) A = perp_scaled(&w[1], A, C, R);
    int32_t component[MOST + 1], entries[MOST + 1], block[MOST + 1], work[4*MOST + 4];
    int known;
    const int32_t components = components_find(&A, component, entries, &known, NULL);
    const int32_t blocks = components_strong(&A, component, components, entries, block, work,
                                            NULL);
    assert_true(known && blocks >= components && blocks <= n);
    components_inflow(&A, block, d, inflow);
    for (int32_t i = 0; i < n; i++) {
      double sum = 0.0;
      int count = 0;
      assert_true(block[i] >= 0 && block[i] < blocks);
      for (int32_t j = 0; j < n; j++) {
        assert_int_equal(block[i] == block[j], reach[i][j] && reach[j][i]);
        if (block[i] == block[j]) assert_int_equal(component[i], component[j]);
        const double scale = wrapped == 0   ? 1.0
                             : wrapped == 1 ? R[i]*C[j]
                                            : R[i]*C[j]*C[i]*R[j];
        if (block[i] != block[j]) sum += fabs(AT(&s, i, j))*scale*d[j];
        count += AT(&s, i, j) != 0.0;
      }
      assert_int_equal(entries[i], count);
      assert_true(fabs(inflow[i] - sum) <= 1e-14*sum);
    }
    sample_free(&s);
  }
}

// Row 3 asks for x_0 = 0, which is rounded where it is found together with x = 10 and 21; but an
// x_0 that is not small beside these is wrong.
static void rounding_flows_in(void **state) {
  (void)state;
  const double A[] = {1, 3, -1, 0, -3, 2, -1, 0, 0, 0, 0, 0, 2, 0, 0, 0}, b[] = {-9, 1, 0, 0},
               lo[] = {-INF, -INF, 0, -INF}, hi[] = {INF, INF, INF, INF};
  const perp_dense D = {.n = 4, .value = A};
  const perp_problem p = {.A = perp_from_dense(&D, 0), .b = b, .lo = lo, .hi = hi};
  static const struct { double x; int solved; } cases[] = {{0, 1}, {1e-16, 1}, {-4e-16, 1},
                                                           {1e-10, 0}, {1e-3, 0}};
  for (size_t k = 0; k < sizeof cases/sizeof cases[0]; k++) {
    const double x[] = {cases[k].x, 10, 21, 0};
    perp_certificate c;
    assert_int_equal(perp_certify(&p, x, 1e-8, 0.0, NULL, &c), PERP_OK);
    if (c.solved != cases[k].solved) fail_msg("x_0 = %g: residual %g", x[0], c.residual);
  }
  double x[4] = {0};
  perp_result r;
  assert_int_equal(perp_solve_once(&p, x, NULL, &r), PERP_OK);
  assert_int_equal(r.status, PERP_STATUS_SOLVED);
}

// 3 x_2 = 0 has no data of its own. What a rounded x_2 adds to the row above it is no scale for it.
static void rounding_is_no_scale(void **state) {
  (void)state;
  const double M[] = {1, 1, 0, 0, 1, 1, 0, 0, 3}, b[] = {-1, 0, 0}, lo[] = {0, 0, -INF};
  const perp_dense d = {.n = 3, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo};
  for (int e = -60; e <= -10; e++) {
    const double x[] = {1.0 - ldexp(1.0, e), ldexp(1.0, e), -ldexp(1.0, e)};
    const perp_certificate c = certify(&p, x);
    if (e < -40 && !c.solved) fail_msg("x_2 = -2^%d: residual %g", e, c.residual);
    if (e > -20 && c.solved) fail_msg("x_2 = -2^%d passes", e);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rounding_flows_in),
    cmocka_unit_test(a_small_block_is_not_hidden_by_a_large_b),
    cmocka_unit_test(a_block_never_passes_both_certificates),
    cmocka_unit_test(what_flows_in_is_a_scale),
    cmocka_unit_test(a_block_without_a_scale_takes_the_smallest),
    cmocka_unit_test(halves_of_a_block_have_their_own_units),
    cmocka_unit_test(a_shift_that_cancels_leaves_an_empty_row),
    cmocka_unit_test(a_closed_block_is_judged_alone),
    cmocka_unit_test(blocks_are_strongly_connected),
    cmocka_unit_test(rounding_is_no_scale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
