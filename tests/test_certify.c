// test_certify.c: the certificate under attack: invariances, counterexamples, exact integer judges, extreme numbers.
#include "support.h"

static perp_certificate certify(const perp_problem *p, const double *x) {
  perp_certificate c;
  memset(&c, 0x5a, sizeof c);
  if (perp_certify(p, x, 1e-8, 0.0, NULL, &c) != PERP_OK) fail_msg("%s", perp_last_message());
  return c;
}

// A random problem with a known solution s.x; entries of mixed sign, not symmetric.
static sample random_known(int32_t n) {
  sample s = sample_new(n);
  double *y = calloc((size_t)n + 1, sizeof *y);
  assert_non_null(y);
  const double density = uniform() < 0.5 ? 1.0 : between(0.1, 0.6);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) AT(&s, i, j) = i == j || uniform() < density ? between(-1, 1) : 0.0;
  for (int32_t i = 0; i < n; i++) s.x[i] = between(-2, 2);
  for (int32_t i = 0; i < n; i++) y[i] = complementary(&s, i);
  sample_right_side(&s, y);
  free(y);
  return s;
}

// Rows by r, columns by c: x -> x/c, bounds likewise, b -> r b.
static void rescale(sample *s, const double *r, const double *c, double *x) {
  for (int32_t i = 0; i < s->n; i++) {
    for (int32_t j = 0; j < s->n; j++) AT(s, i, j) *= r[i]*c[j];
    s->b[i] *= r[i];
    s->lo[i] /= c[i];
    s->hi[i] /= c[i];
    x[i] /= c[i];
  }
}

static double scaling(int powers_of_two, double decades) {
  const double e = between(-decades, decades);
  return powers_of_two ? ldexp(1.0, (int)(e*3.3219)) : pow(10.0, e)*between(0.5, 1.5);
}

static void perturb(const sample *s, double *x) {   // a clear non-solution: an interior or free row misses by a lot
  for (int32_t i = 0; i < s->n; i++) x[i] = s->x[i];
  for (int tries = 0; tries < 1000; tries++) {
    const int32_t i = whole(0, s->n - 1);
    const double old = x[i], z = x[i] + between(-1, 1);
    x[i] = z < s->lo[i] ? s->lo[i] : z > s->hi[i] ? s->hi[i] : z;
    if (own_residual(s, x, NULL) > 0.05) return;
    if (tries % 10 != 9) x[i] = old;
  }
}

static void check_scaling(int rows, int columns, int powers_of_two, double decades, int trials) {
  for (int trial = 0; trial < trials; trial++) {
    sample s = random_known(whole(1, 9));
    double x[9], z[9], r[9], c[9];
    memcpy(x, s.x, (size_t)s.n*sizeof *x);
    perturb(&s, z);
    const int clear = own_residual(&s, z, NULL) > 0.05;
    const perp_certificate good = certify(sample_dense(&s), x), bad = certify(sample_dense(&s), z);
    if (!good.solved) fail_msg("trial %d: solution refused, residual %g", trial, good.residual);
    if (clear && bad.solved) fail_msg("trial %d: non-solution accepted, residual %g", trial, bad.residual);
    for (int32_t i = 0; i < s.n; i++) {
      r[i] = rows ? scaling(powers_of_two, decades) : 1.0;
      c[i] = columns ? scaling(powers_of_two, decades) : 1.0;
    }
    double w[9];
    memcpy(w, c, sizeof w);
    sample copy = s;
    rescale(&copy, r, c, x);
    for (int32_t i = 0; i < s.n; i++) z[i] /= w[i];
    const perp_certificate good2 = certify(sample_dense(&s), x), bad2 = certify(sample_csc(&s, trial & 1, 0), z);
    if (!good2.solved)
      fail_msg("trial %d: solution refused after scaling, residual %g (was %g)", trial, good2.residual, good.residual);
    if (clear && bad2.solved)
      fail_msg("trial %d: non-solution accepted after scaling, residual %g (was %g)", trial, bad2.residual, bad.residual);
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

static void permutation(void **state) {
  (void)state;
  support_state = 14;
  for (int trial = 0; trial < 3000; trial++) {
    sample s = random_known(whole(1, 9)), t = sample_new(s.n);
    int32_t p[9];
    double x[9], z[9];
    for (int32_t i = 0; i < s.n; i++) p[i] = i;
    for (int32_t i = s.n - 1; i > 0; i--) {
      const int32_t k = whole(0, i), keep = p[i];
      p[i] = p[k];
      p[k] = keep;
    }
    if (trial & 1) perturb(&s, x);
    else for (int32_t i = 0; i < s.n; i++) x[i] = s.x[i]*(1.0 + (trial & 2 ? 1e-12 : 0.0));
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
    assert_true(a.natural_residual == b.natural_residual || fabs(a.natural_residual - b.natural_residual) < 1e-14);
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
      if (uniform() < 0.5) perturb(&part[k], x[k]);
      else memcpy(x[k], part[k].x, (size_t)part[k].n*sizeof(double));
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
      fail_msg("trial %d: islands %d and %d, together %d (residual %g)", trial, solved[0], solved[1], c.solved, c.residual);
    for (int k = 0; k < 2; k++) sample_free(&part[k]);
    sample_free(&s);
  }
}

// Integers: exact arithmetic is the judge. x on a grid, sometimes far out (rays), rows and columns scaled by powers of two.
static void integers(void **state) {
  (void)state;
  support_state = 16;
  int accepted = 0;
  for (int trial = 0; trial < 300000; trial++) {
    const int n = whole(1, 4), range = whole(1, 4), far = trial%5 == 0;
    sample s = sample_new(n);
    int64_t M[4][4], b[4], lo[4], hi[4], x[4], worst = 0;
    for (int i = 0; i < n; i++) {
      const int kind = whole(0, 5);
      lo[i] = kind == 1 ? INT32_MIN : kind == 2 ? whole(-3, 1) : 0;
      hi[i] = kind == 1 || kind == 0 || kind > 3 ? INT32_MAX : lo[i] + whole(0, 3);
      x[i] = whole(-2, 3)*(far ? INT64_C(1) << whole(0, 40) : 1);
      if (kind == 3) lo[i] = INT32_MIN;
      const int64_t high = hi[i] == INT32_MAX ? INT64_MAX : hi[i], low = lo[i] == INT32_MIN ? INT64_MIN : lo[i];
      x[i] = x[i] < low ? low : x[i] > high ? high : x[i];
      for (int j = 0; j < n; j++) M[i][j] = uniform() < 0.6 ? whole(-range, range) : 0;
    }
    for (int i = 0; i < n; i++) {   // often b such that this row holds
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
    const perp_certificate got = certify(trial & 2 ? sample_dense(&s) : sample_csc(&s, trial & 4, trial & 8 ? PERP_CLAIM_SYMMETRIC : 0), z);
    if (got.solved != (worst == 0)) {
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) print_message("%4d ", (int)M[i][j]);
        print_message(" b %d lo %g hi %g x %lld  R scale %g %g\n", (int)b[i], s.lo[i]*c[i], s.hi[i]*c[i], (long long)x[i], r[i], c[i]);
      }
      fail_msg("trial %d: exact natural residual %lld, certificate says %d (residual %g)", trial, (long long)worst, got.solved,
               got.residual);
    }
    accepted += got.solved;
    sample_free(&s);
  }
  assert_true(accepted > 10000);
}

static int solved2(const double M[4], const double b[2], const double x[2]) {
  const perp_dense d = {.n = 2, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  return certify(&p, x).solved;
}

static void counterexamples(void **state) {
  (void)state;
  const double ray[] = {0, 1, 0, 0}, ray_b[] = {-1, 1};
  for (double t = 1.0; t < 1e300; t *= 10.0) {
    assert_false(solved2(ray, ray_b, (double[]){0, t}));
    assert_false(solved2(ray, ray_b, (double[]){t, t}));
    assert_false(solved2(ray, ray_b, (double[]){1/t, 1}));
  }
  // A row that is far from active must not lend its size to another row.
  for (double big = 1.0; big < 1e300; big *= 10.0) {
    assert_false(solved2((double[]){1, 0.5, 0.5, 1}, (double[]){big, -1}, (double[]){0, 0}));
    assert_false(solved2((double[]){0, 0, 1, 1}, (double[]){big, -1}, (double[]){0, 0}));
    assert_true(solved2((double[]){1, 0.5, 0.5, 1}, (double[]){big, -1}, (double[]){0, 1}));
    assert_true(solved2((double[]){0, 0, 1, 1}, (double[]){big, -1}, (double[]){0, 1}));
  }
  // Empty rows get no tolerance.
  assert_false(solved2((double[]){1, 0, 0, 0}, (double[]){-1, -1e-300}, (double[]){1, 0}));
  assert_false(solved2((double[]){1, 0, 0, 0}, (double[]){-1, 1e-300}, (double[]){1, 1e-300}));
  assert_true(solved2((double[]){1, 0, 0, 0}, (double[]){-1, 0}, (double[]){1, 7}));
  assert_false(solved2((double[]){1, 0, 1, 0}, (double[]){-1, -1e-9}, (double[]){1 - 2e-9, 0}) &&
               solved2((double[]){1, 0, 0, 0}, (double[]){-1, -1e-9}, (double[]){1, 0}));

  enum { N = 1000 };   // 2 % of a Laplacian's solution: |A||x| is large, y hardly differs
  sample s = sample_new(N);
  double *part = calloc(N, sizeof *part);
  for (int i = 0; i < N; i++) {
    AT(&s, i, i) = 2;
    if (i > 0) AT(&s, i, i - 1) = AT(&s, i - 1, i) = -1;
    s.b[i] = -1;
    s.x[i] = 0.5*(i + 1)*(N - i);
  }
  assert_true(certify(sample_csc(&s, 0, PERP_CLAIM_SYMMETRIC), s.x).solved);
  for (int percent = 0; percent < 100; percent += 2) {
    for (int i = 0; i < N; i++) part[i] = 0.01*percent*s.x[i];
    assert_false(certify(sample_csc(&s, 0, PERP_CLAIM_SYMMETRIC), part).solved);
  }
  free(part);
  sample_free(&s);
}

static void overflow_is_no_solution(void **state) {
  (void)state;
  const double M[] = {1e200, 1, 1, 1e200}, b[] = {-1, -1}, lo[] = {1e200, -INF}, hi[] = {INF, INF};
  const perp_dense d = {.n = 2, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo, .hi = hi};
  for (double t = -1e200; t < 1.1e200; t += 1e199) {
    const perp_certificate c = certify(&p, (double[]){1e200, t});
    assert_false(c.solved && fabs(t*1e200 + 1e200 - 1) > 1e-6*1e200);
    assert_true(c.residual == c.residual && c.gap == c.gap && c.natural_residual == c.natural_residual);
  }
  const double B[] = {1e300, 1e300, 1e300, 1e300};   // A x overflows at x_ref in a free row
  const perp_dense e = {.n = 2, .value = B};
  const perp_problem q = {.A = perp_from_dense(&e, 0), .b = b, .lo = lo, .hi = hi};
  assert_false(certify(&q, (double[]){1e200, 5}).solved);
  assert_true(certify(&q, (double[]){1e200, 5}).residual > 1e-8);
}

static void one_by_one(void **state) {   // n = 1 in all magnitudes, against the answer in closed form
  (void)state;
  support_state = 17;
  for (int trial = 0; trial < 100000; trial++) {
    const double scale = pow(10.0, whole(-150, 150)), unit = pow(10.0, whole(-140, 140));
    const double a = between(0.1, 10)*scale, x0 = between(-3, 3)*unit, b0 = -a*x0, lo0 = trial & 1 ? 0.0 : -unit, hi0 = trial & 2 ? INF : unit;
    if (!(fabs(b0) < 1e290 && fabs(b0) > 1e-290)) continue;
    const perp_dense d = {.n = 1, .value = &a};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = &b0, .lo = &lo0, .hi = &hi0};
    const double x = x0 < lo0 ? lo0 : x0 > hi0 ? hi0 : x0;
    const perp_certificate c = certify(&p, &x);
    if (!c.solved) fail_msg("trial %d: a %g b %g lo %g hi %g x %g refused, residual %g", trial, a, b0, lo0, hi0, x, c.residual);
    assert_int_equal(c.worst, 0);
    assert_int_equal(c.components, 1);
    const double wrong = x + 0.01*unit*(x >= hi0 ? -1.0 : 1.0);
    if (certify(&p, &wrong).solved) fail_msg("trial %d: a %g b %g lo %g hi %g: %g accepted", trial, a, b0, lo0, hi0, wrong);
  }
  const double tiny[] = {1e-300, 1e300};
  for (int k = 0; k < 2; k++) {
    const double a = tiny[k], b = -tiny[k], x = 1.0, zero = 0.0;
    const perp_dense d = {.n = 1, .value = &a};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = &b};
    assert_true(certify(&p, &x).solved);
    assert_false(certify(&p, &zero).solved);
  }
}

static void odd_points(void **state) {
  (void)state;
  const double M[] = {2, 1, 1, 2}, b[] = {-3, -3}, good[] = {1, 1};
  const perp_dense d = {.n = 2, .value = M};
  perp_problem p = {.A = perp_from_dense(&d, 0), .b = b};
  double y[2] = {7, 7};
  perp_certificate c;
  assert_int_equal(perp_certify(&p, good, 1e-8, 0, y, &c), PERP_OK);
  assert_true(c.solved && !c.attainable && !c.weaker && y[0] == 0 && y[1] == 0 && c.gap == 0 && c.residual == 0);
  const double bad[][2] = {{NAN, 1}, {1, NAN}, {INF, 1}, {1, -INF}, {NAN, INF}};
  for (int k = 0; k < 5; k++) {
    assert_int_equal(perp_certify(&p, bad[k], 1e-8, 1e30, y, &c), PERP_OK);
    assert_false(c.solved);
    assert_true(c.residual == INF && c.natural_residual == INF && c.worst == -1);
  }
  // Outside its bounds: judged by how far.
  const double lo[] = {0, 0}, hi[] = {1, 1}, b2[] = {-9, -9};
  p = (perp_problem){.A = perp_from_dense(&d, 0), .b = b2, .lo = lo, .hi = hi};
  assert_true(certify(&p, (double[]){1, 1}).solved);
  assert_false(certify(&p, (double[]){3, 3}).solved);
  assert_true(certify(&p, (double[]){3, 3}).bound_violation == 2.0);
  assert_true(certify(&p, (double[]){1 + 1e-12, 1}).solved);
  c = certify(&p, (double[]){0.5, 1});
  assert_int_equal(c.worst, 0);                      // y = (-7, -6.5), x - hi = (-0.5, 0)
  assert_true(c.natural_residual == 0.5 && fabs(c.gap - 0.5*7) < 1e-15);
  // Fixed variables accept any y.
  const double at[] = {1, 1};
  p = (perp_problem){.A = perp_from_dense(&d, 0), .b = b2, .lo = at, .hi = at};
  assert_true(certify(&p, at).solved);
  assert_false(certify(&p, (double[]){1, 1.1}).solved);
  // n = 0.
  const perp_dense none = {0};
  p = (perp_problem){.A = perp_from_dense(&none, 0)};
  c = certify(&p, NULL);
  assert_true(c.solved && c.worst == -1 && c.components == 0 && c.residual == 0);
}

static void absolute_tolerance(void **state) {
  (void)state;
  const double a = 1.0, b = -1.0, x = 0.999;
  const perp_dense d = {.n = 1, .value = &a};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = &b};
  perp_certificate c;
  assert_int_equal(perp_certify(&p, &x, 1e-8, 0.0011, NULL, &c), PERP_OK);
  assert_true(c.solved);
  assert_int_equal(perp_certify(&p, &x, 1e-8, 0.0009, NULL, &c), PERP_OK);
  assert_false(c.solved);
  const double zero = 0.0, at = 0.0, small = -1e-12;
  const perp_dense e = {.n = 1, .value = &zero};
  const perp_problem q = {.A = perp_from_dense(&e, 0), .b = &small};
  assert_int_equal(perp_certify(&q, &at, 1e-8, 1.0, NULL, &c), PERP_OK);
  assert_false(c.solved);                            // an empty row: not even then
}

static void attainable(void **state) {   // Hilbert-like: x is huge and A x cancels; the best doubles are accepted and flagged
  (void)state;
  enum { N = 2 };
  const double e = 0x1p-40, M[] = {1, 1, 1, 1 + e}, x[] = {-0x1.23456789abcdfp38, 0x1.23456789abcdep38};
  double b[2];
  for (int i = 0; i < 2; i++) b[i] = (double)-((long double)M[2*i]*x[0] + (long double)M[2*i + 1]*x[1]);
  const double lo[] = {-INF, -INF};
  const perp_dense d = {.n = N, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo};
  perp_certificate c = certify(&p, x);
  assert_true(c.solved);
  const double off[] = {x[0]*(1 + 0x1p-52), x[1]};   // one unit in the last place: a residual of 2^-14
  c = certify(&p, off);
  assert_true(c.solved ? c.attainable : 1);
  assert_false(certify(&p, (double[]){0.99*x[0], 0.99*x[1]}).solved);
}

static int product(void *context, const double *x, double *y) {
  const sample *s = context;
  for (int32_t i = 0; i < s->n; i++) {
    y[i] = 0;
    for (int32_t j = 0; j < s->n; j++) y[i] += AT(s, i, j)*x[j];
  }
  return 0;
}
static int refuse(void *context, const double *x, double *y) {
  (void)context; (void)x; (void)y;
  return 3;
}
static int poison(void *context, const double *x, double *y) {
  (void)x;
  for (int32_t i = 0; i < ((const sample *)context)->n; i++) y[i] = NAN;
  return 0;
}

static void weaker_operators(void **state) {
  (void)state;
  support_state = 18;
  for (int trial = 0; trial < 500; trial++) {
    sample s = random_known(whole(1, 9));
    double z[9], diagonal[9];
    perturb(&s, z);
    for (int32_t i = 0; i < s.n; i++) diagonal[i] = AT(&s, i, i);
    perp_callback f = {.n = s.n, .apply = product, .diagonal = trial & 1 ? diagonal : NULL, .context = &s};
    perp_problem p = *sample_dense(&s);
    p.A = perp_from_callback(&f, 0);
    perp_certificate c = certify(&p, s.x);
    assert_true(c.solved && c.weaker && c.components == 1);
    c = certify(&p, z);
    if (own_residual(&s, z, NULL) > 0.05) assert_false(c.solved);
    f.apply = refuse;
    c.solved = 77;
    assert_int_equal(perp_certify(&p, s.x, 1e-8, 0, NULL, &c), PERP_ERROR_OPERATOR);
    assert_int_equal(c.solved, 77);
    f.apply = poison;
    assert_false(certify(&p, s.x).solved);
    sample_free(&s);
  }
  const int32_t rowptr[] = {0, 1, 2}, column[] = {0, 0};
  const double value[] = {1, 1}, W[] = {2}, b[] = {-1, -1}, compliance[] = {1, 1};
  const perp_product J = {.n = 2, .dofs = 1, .rowptr = rowptr, .column = column, .value = value, .block = 1, .W = W, .compliance = compliance};
  const perp_problem p = {.A = perp_from_product(&J, 0), .b = b};   // A = [[3,2],[2,3]]
  const perp_certificate c = certify(&p, (double[]){0.2, 0.2});
  assert_true(c.solved && c.weaker);
  assert_false(certify(&p, (double[]){0.3, 0.2}).solved);
}

static void natural_residual_and_gap(void **state) {   // against own long double
  (void)state;
  support_state = 19;
  for (int trial = 0; trial < 3000; trial++) {
    sample s = random_known(whole(1, 9));
    double x[9], gap = 0;
    for (int32_t i = 0; i < s.n; i++) {
      const double z = s.x[i] + between(-1, 1);
      x[i] = z < s.lo[i] ? s.lo[i] : z > s.hi[i] ? s.hi[i] : z;
    }
    double y[9];
    perp_certificate c;
    assert_int_equal(perp_certify(sample_dense(&s), x, 1e-8, 0, y, &c), PERP_OK);
    const double own = own_residual(&s, x, NULL);
    assert_true(fabs(c.natural_residual - own) <= 1e-15*(1 + own));
    for (int32_t i = 0; i < s.n; i++) {
      const double room = y[i] > 0 ? x[i] - s.lo[i] : s.hi[i] - x[i];
      if (room < INF) gap += fabs(y[i])*room;
    }
    assert_true(fabs(c.gap - gap) <= 1e-12*(1 + gap));
    sample_free(&s);
  }
}

static void false_symmetry(void **state) {
  (void)state;
  support_state = 20;
  for (int trial = 0; trial < 2000; trial++) {
    sample s = random_known(whole(2, 9));
    double z[9];
    perturb(&s, z);
    const uint32_t all = PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD | PERP_CLAIM_PD | PERP_CLAIM_Z | PERP_CLAIM_H;
    const perp_certificate a = certify(sample_csc(&s, 0, 0), trial & 1 ? s.x : z), b = certify(sample_csc(&s, 0, all), trial & 1 ? s.x : z);
    assert_memory_equal(&a, &b, sizeof a);
    sample_free(&s);
  }
}

static void arguments(void **state) {
  (void)state;
  const double a = 1, b = -1, x = 1;
  const perp_dense d = {.n = 1, .value = &a};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = &b};
  perp_certificate c = {.solved = 42};
  assert_int_equal(perp_certify(NULL, &x, 1e-8, 0, NULL, &c), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_certify(&p, NULL, 1e-8, 0, NULL, &c), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_certify(&p, &x, 1e-8, 0, NULL, NULL), PERP_ERROR_ARGUMENT);
  const double tolerances[] = {0, 1, -1, NAN, INF};
  for (int k = 0; k < 5; k++) assert_int_equal(perp_certify(&p, &x, tolerances[k], 0, NULL, &c), PERP_ERROR_ARGUMENT);
  const double absolute[] = {-1, NAN, INF};
  for (int k = 0; k < 3; k++) assert_int_equal(perp_certify(&p, &x, 1e-8, absolute[k], NULL, &c), PERP_ERROR_ARGUMENT);
  assert_int_equal(c.solved, 42);
}

static void shifted_operator(void **state) {   // the shift alone makes a row non-empty
  (void)state;
  const double zero[] = {0, 0, 0, 0}, b[] = {-1, -0.1}, x[] = {1/3.0, 0.1/3};
  const perp_dense d = {.n = 2, .value = zero};
  perp_wrapper w;
  const perp_problem p = {.A = perp_shifted(&w, perp_from_dense(&d, 0), 3.0), .b = b};
  assert_true(certify(&p, x).solved);
  assert_false(certify(&p, (double[]){0.3, 0.1/3}).solved);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(arguments), cmocka_unit_test(row_scaling), cmocka_unit_test(column_scaling), cmocka_unit_test(both_scalings),
    cmocka_unit_test(permutation), cmocka_unit_test(concatenation), cmocka_unit_test(integers), cmocka_unit_test(counterexamples),
    cmocka_unit_test(overflow_is_no_solution), cmocka_unit_test(one_by_one), cmocka_unit_test(odd_points),
    cmocka_unit_test(absolute_tolerance), cmocka_unit_test(attainable), cmocka_unit_test(weaker_operators),
    cmocka_unit_test(natural_residual_and_gap), cmocka_unit_test(false_symmetry), cmocka_unit_test(shifted_operator),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
