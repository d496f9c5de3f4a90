// test_certify_scaling.c: scaling, permuting and joining problems does not change the verdict.
// labels: long
#include "support.h"

static void check_scaling(int rows, int columns, int powers_of_two, double decades, int trials) {
  for (int trial = 0; trial < trials; trial++) {
    sample s = random_known(whole(1, 9));
    double x[9], z[9], r[9], c[9];
    memcpy(x, s.x, (size_t)s.n*sizeof *x);
    perturb(&s, z);
    const int clear = own_residual(&s, z, NULL) > 0.05;
    const perp_certificate good = certify(sample_dense(&s), x), bad = certify(sample_dense(&s), z);
    if (!good.solved) fail_msg("trial %d: solution refused, residual %g", trial, good.residual);
    if (clear && bad.solved)
      fail_msg("trial %d: non-solution accepted, residual %g", trial, bad.residual);
    for (int32_t i = 0; i < s.n; i++) {
      r[i] = rows ? scaling(powers_of_two, decades) : 1.0;
      c[i] = columns ? scaling(powers_of_two, decades) : 1.0;
    }
    double w[9];
    memcpy(w, c, sizeof w);
    sample copy = s;
    rescale(&copy, r, c, x);
    for (int32_t i = 0; i < s.n; i++) z[i] /= w[i];
    const perp_certificate good2 = certify(sample_dense(&s), x),
                           bad2 = certify(sample_csc(&s, trial & 1, 0), z);
    if (!good2.solved)
      fail_msg("trial %d: solution refused after scaling, residual %g (was %g)", trial,
               good2.residual, good.residual);
    if (clear && bad2.solved)
      fail_msg("trial %d: non-solution accepted after scaling, residual %g (was %g)", trial,
               bad2.residual, bad.residual);
    sample_free(&s);
  }
}

static void row_scaling(void **state) {
  (void)state;
  support_state = 11;
  check_scaling(1, 0, 1, 12, 3000);
  check_scaling(1, 0, 0, 12, 3000);
}
static void column_scaling(void **state) {
  (void)state;
  support_state = 12;
  check_scaling(0, 1, 1, 12, 3000);
  check_scaling(0, 1, 0, 12, 3000);
}
static void both_scalings(void **state) {
  (void)state;
  support_state = 13;
  check_scaling(1, 1, 1, 12, 3000);
  check_scaling(1, 1, 0, 12, 3000);
}

// Long chains: what decides the units of a row may be many rows away.
static void chains(void **state) {
  (void)state;
  support_state = 21;
  for (int trial = 0; trial < 300; trial++) {
    const int32_t n = whole(20, 120);
    sample s = sample_new(n);
    double y[120], z[120];
    for (int32_t i = 0; i < n; i++) {
      AT(&s, i, i) = trial & 1 ? between(-1, 1) : 2;
      if (i > 0) {
        AT(&s, i, i - 1) = -between(0.5, 1);
        AT(&s, i - 1, i) = -between(0.5, 1);
      }
      s.x[i] = whole(0, 1) ? between(0, 2) : 0;
      y[i] = s.x[i] > 0 ? 0 : between(0.1, 2);
    }
    sample_right_side(&s, y);
    memcpy(z, s.x, (size_t)n*sizeof *z);
    z[whole(0, n - 1)] += 1.0;
    const int clear = own_residual(&s, z, NULL) > 0.05;
    double r[120], c[120];
    for (int32_t i = 0; i < n; i++) {
      r[i] = trial & 2 ? scaling(trial & 4, 12) : 1.0;
      c[i] = trial & 2 ? scaling(trial & 4, 12) : 1.0;
      z[i] /= c[i];
    }
    rescale(&s, r, c, s.x);
    const perp_certificate good = certify(sample_csc(&s, 0, 0), s.x), bad = certify(&s.problem, z);
    if (!good.solved)
      fail_msg("trial %d, n = %d: solution refused, residual %g", trial, n, good.residual);
    if (clear && bad.solved)
      fail_msg("trial %d, n = %d: non-solution accepted, residual %g", trial, n, bad.residual);
    sample_free(&s);
  }
}

static void permutation(void **state) {
  (void)state;
  support_state = 14;
  for (int trial = 0; trial < often(3000); trial++) {
    sample s = random_known(whole(1, 9)), t = sample_new(s.n);
    int32_t p[9];
    double x[9], z[9];
    for (int32_t i = 0; i < s.n; i++) p[i] = i;
    for (int32_t i = s.n - 1; i > 0; i--) {
      const int32_t k = whole(0, i), keep = p[i];
      p[i] = p[k];
      p[k] = keep;
    }
    if (trial & 1)
      perturb(&s, x);
    else
      for (int32_t i = 0; i < s.n; i++) x[i] = s.x[i]*(1.0 + (trial & 2 ? 1e-12 : 0.0));
    for (int32_t i = 0; i < s.n; i++) {
      for (int32_t j = 0; j < s.n; j++) AT(&t, i, j) = AT(&s, p[i], p[j]);
      t.b[i] = s.b[p[i]];
      t.lo[i] = s.lo[p[i]];
      t.hi[i] = s.hi[p[i]];
      z[i] = x[p[i]];
    }
    const perp_certificate a = certify(sample_dense(&s), x), b = certify(sample_csc(&t, 0, 0), z);
    assert_int_equal(a.solved, b.solved);
    assert_int_equal(a.components, b.components);
    assert_true(fabs(a.residual - b.residual) <= 1e-9*(a.residual + 1e-6));
    assert_true(a.natural_residual == b.natural_residual ||
                fabs(a.natural_residual - b.natural_residual) < 1e-14);
    sample_free(&s);
    sample_free(&t);
  }
}

// Two islands side by side: the verdict is the and of theirs, whatever their sizes and units.
static void concatenation(void **state) {
  (void)state;
  support_state = 15;
  for (int trial = 0; trial < 2000; trial++) {
    sample part[2] = {random_known(whole(1, 6)), random_known(whole(1, 6))};
    double x[2][6], whole_x[12];
    int solved[2];
    for (int k = 0; k < 2; k++) {
      const double unit = scaling(trial & 1, 12), length = scaling(trial & 1, 12);
      double r[6], c[6];
      if (uniform() < 0.5)
        perturb(&part[k], x[k]);
      else
        memcpy(x[k], part[k].x, (size_t)part[k].n*sizeof(double));
      for (int i = 0; i < 6; i++) {
        r[i] = unit;
        c[i] = length;
      }
      rescale(&part[k], r, c, x[k]);
      solved[k] = certify(sample_dense(&part[k]), x[k]).solved;
    }
    const int32_t m = part[0].n, n = m + part[1].n;
    sample s = sample_new(n);
    for (int32_t i = 0; i < n; i++) {
      const int k = i >= m;
      const int32_t at = k ? i - m : i;
      for (int32_t j = 0; j < part[k].n; j++) AT(&s, i, k ? m + j : j) = AT(&part[k], at, j);
      s.b[i] = part[k].b[at];
      s.lo[i] = part[k].lo[at];
      s.hi[i] = part[k].hi[at];
      whole_x[i] = x[k][at];
    }
    const perp_certificate c = certify(sample_csc(&s, 0, 0), whole_x);
    if (c.solved != (solved[0] && solved[1]))
      fail_msg("trial %d: islands %d and %d, together %d (residual %g)", trial, solved[0],
               solved[1], c.solved, c.residual);
    for (int k = 0; k < 2; k++) sample_free(&part[k]);
    sample_free(&s);
  }
}

// Integers: exact arithmetic is the judge. x on a grid, sometimes far out (rays), rows and columns
// scaled by powers of two.
static void integers(void **state) {
  (void)state;
  support_state = 16;
  int accepted = 0;
  for (int trial = 0; trial < often(300000); trial++) {
    const int n = whole(1, 4), range = whole(1, 4), far = trial%5 == 0;
    sample s = sample_new(n);
    int64_t M[4][4], b[4], lo[4], hi[4], x[4], worst = 0;
    for (int i = 0; i < n; i++) {
      const int kind = whole(0, 5);
      lo[i] = kind == 1 ? INT32_MIN : kind == 2 ? whole(-3, 1) : 0;
      hi[i] = kind == 1 || kind == 0 || kind > 3 ? INT32_MAX : lo[i] + whole(0, 3);
      x[i] = whole(-2, 3)*(far ? INT64_C(1) << whole(0, 40) : 1);
      if (kind == 3) lo[i] = INT32_MIN;
      const int64_t high = hi[i] == INT32_MAX ? INT64_MAX : hi[i],
                    low = lo[i] == INT32_MIN ? INT64_MIN : lo[i];
      x[i] = x[i] < low ? low : x[i] > high ? high : x[i];
      for (int j = 0; j < n; j++) M[i][j] = uniform() < 0.6 ? whole(-range, range) : 0;
    }
    for (int i = 0; i < n; i++) {  // often b such that this row holds
      int64_t Ax = 0;
      for (int j = 0; j < n; j++) Ax += M[i][j]*x[j];
      b[i] = uniform() < 0.7 && llabs(Ax) < 50 ? -Ax : whole(-3, 3);
      const int64_t y = Ax + b[i], below = lo[i] == INT32_MIN ? INT64_MAX : x[i] - lo[i],
                    above = hi[i] == INT32_MAX ? INT64_MIN : x[i] - hi[i];
      const int64_t r = y < above ? above : y > below ? below : y;
      worst = llabs(r) > worst ? llabs(r) : worst;
    }
    double r[4], c[4], z[4];
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < n; j++) AT(&s, i, j) = (double)M[i][j];
      s.b[i] = (double)b[i];
      s.lo[i] = lo[i] == INT32_MIN ? -INF : (double)lo[i];
      s.hi[i] = hi[i] == INT32_MAX ? INF : (double)hi[i];
      z[i] = (double)x[i];
      r[i] = trial & 1 ? ldexp(1.0, whole(-30, 30)) : 1.0;
      c[i] = trial & 1 ? ldexp(1.0, whole(-30, 30)) : 1.0;
    }
    rescale(&s, r, c, z);
    const perp_certificate got =
        certify(trial & 2 ? sample_dense(&s)
                          : sample_csc(&s, trial & 4, trial & 8 ? PERP_CLAIM_SYMMETRIC : 0),
                z);
    if (got.solved != (worst == 0)) {
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) print_message("%4d ", (int)M[i][j]);
        print_message(" b %d lo %g hi %g x %lld  R scale %g %g\n", (int)b[i], s.lo[i]*c[i],
                      s.hi[i]*c[i], (long long)x[i], r[i], c[i]);
      }
      fail_msg("trial %d: exact natural residual %lld, certificate says %d (residual %g)", trial,
               (long long)worst, got.solved, got.residual);
    }
    accepted += got.solved;
    sample_free(&s);
  }
  assert_true(accepted > 10000);
}

// What is read faster because A is symmetric is the same to the bit.
static void claim_of_symmetry(void **state) {
  (void)state;
  support_state = 41;
  for (int trial = 0; trial < 2000; trial++) {
    const int32_t n = whole(1, 9);
    sample s = sample_new(n);
    double x[9], unit[9];
    for (int32_t i = 0; i < n; i++) {
      unit[i] = scaling(0, 6);
      x[i] = between(0.0, 1.0)/unit[i];
      s.b[i] = unit[i]*between(-1.0, 1.0);
      s.hi[i] = INF;
    }
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j <= i; j++)
        AT(&s, i, j) = AT(&s, j, i) = i == j || whole(0, 2) > 0 ? unit[i]*unit[j]*between(-1.0, 1.0)
                                                                : 0.0;
    const perp_certificate without = certify(sample_csc(&s, 0, 0), x),
                           with = certify(sample_csc(&s, 0, PERP_CLAIM_SYMMETRIC), x);
    assert_true(without.residual == with.residual && without.solved == with.solved &&
                without.natural_residual == with.natural_residual && without.gap == with.gap &&
                without.worst == with.worst);
    sample_free(&s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(row_scaling),   cmocka_unit_test(column_scaling),
      cmocka_unit_test(both_scalings), cmocka_unit_test(chains),
      cmocka_unit_test(permutation),   cmocka_unit_test(concatenation),
      cmocka_unit_test(integers),      cmocka_unit_test(claim_of_symmetry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
