// test_certify.c: the certificate under attack: counterexamples, odd points, extreme numbers.
// labels: long
#include "support.h"

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
  for (double big = 1.0; big < 1e300;
       big *= 10.0) {  // also where 0 is a solution and there is nothing else to measure by
    assert_true(solved2((double[]){1, 0.5, 0.5, 1}, (double[]){big, 1}, (double[]){0, 0}));
    assert_false(solved2((double[]){1, 0.5, 0.5, 1}, (double[]){big, 1}, (double[]){0, 1e-3}));
    assert_false(solved2((double[]){1, 0.5, 0.5, 1}, (double[]){big, 1}, (double[]){0, 1e5}));
  }
  // Empty rows get no tolerance.
  assert_false(solved2((double[]){1, 0, 0, 0}, (double[]){-1, -1e-300}, (double[]){1, 0}));
  assert_false(solved2((double[]){1, 0, 0, 0}, (double[]){-1, 1e-300}, (double[]){1, 1e-300}));
  assert_true(solved2((double[]){1, 0, 0, 0}, (double[]){-1, 0}, (double[]){1, 7}));
  assert_false(solved2((double[]){1, 0, 1, 0}, (double[]){-1, -1e-9}, (double[]){1 - 2e-9, 0}) &&
               solved2((double[]){1, 0, 0, 0}, (double[]){-1, -1e-9}, (double[]){1, 0}));

  enum { N = 1000 };  // 2 % of a Laplacian's solution: |A||x| is large, y hardly differs
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

// A tiny entry, the only link between two rows, must not decide that one of them hardly counts.
static void weak_links(void **state) {
  (void)state;
  for (double e = 1e-300; e < 0.1; e *= 10.0)
    for (int k = 0; k < 3; k++) {
      const double M[] = {1, k != 1 ? e : 0, k != 0 ? e : 0, 1}, b[] = {-1, -1}, up[] = {-1, 1};
      assert_false(solved2(M, b, (double[]){1, 0}));
      assert_false(solved2(M, b, (double[]){0, 1}));
      assert_false(solved2(M, up, (double[]){1, 0.5}));
      assert_false(solved2(M, (double[]){1, -1}, (double[]){0.5, 1}));
      const double d = 1 - M[1]*M[2];
      assert_true(solved2(M, b, (double[]){(1 - M[1])/d, (1 - M[2])/d}));
      assert_true(solved2(M, up, (double[]){1, 0}));
    }
}

// b = 0: the solutions are a cone; x has no size but its own, and rounding is all that is forgiven.
static void homogeneous(void **state) {
  (void)state;
  support_state = 23;
  for (int trial = 0; trial < 2000; trial++) {
    const double t = pow(10.0, between(-100, 100)), p = between(0.1, 9), q = between(0.1, 9);
    const double M[] = {p, -q, 0, 0}, b[] = {0, 0};
    assert_true(solved2(M, b, (double[]){t*q/p, t}));
    assert_true(solved2(M, b, (double[]){0, 0}));
    assert_false(solved2(M, b, (double[]){t*q/p*(1 + 1e-12), t}));
    assert_false(solved2(M, b, (double[]){0, t}));
  }
}

static void overflow_is_no_solution(void **state) {
  (void)state;
  const double M[] = {1e200, 1, 1, 1e200}, b[] = {-1, -1}, lo[] = {1e200, -INF}, hi[] = {INF, INF};
  const perp_dense d = {.n = 2, .value = M};
  const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo, .hi = hi};
  for (double t = -1e200; t < 1.1e200; t += 1e199) {
    const perp_certificate c = certify(&p, (double[]){1e200, t});
    assert_false(c.solved && fabs(t*1e200 + 1e200 - 1) > 1e-6*1e200);
    assert_true(c.residual == c.residual && c.gap == c.gap &&
                c.natural_residual == c.natural_residual);
  }
  const double B[] = {1e300, 1e300, 1e300, 1e300};  // A x overflows at x_ref in a free row
  const perp_dense e = {.n = 2, .value = B};
  const perp_problem q = {.A = perp_from_dense(&e, 0), .b = b, .lo = lo, .hi = hi};
  assert_false(certify(&q, (double[]){1e200, 5}).solved);
  assert_true(certify(&q, (double[]){1e200, 5}).residual > 1e-8);
}

static void one_by_one(
    void **state) {  // n = 1 in all magnitudes, against the answer in closed form
  (void)state;
  support_state = 17;
  for (int trial = 0; trial < often(100000); trial++) {
    const double scale = pow(10.0, whole(-150, 150)), unit = pow(10.0, whole(-140, 140));
    const double a = between(0.1, 10)*scale, x0 = between(-3, 3)*unit, b0 = -a*x0,
                 lo0 = trial & 1 ? 0.0 : -unit, hi0 = trial & 2 ? INF : unit;
    if (!(fabs(b0) < 1e290 && fabs(b0) > 1e-290)) continue;
    const perp_dense d = {.n = 1, .value = &a};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = &b0, .lo = &lo0, .hi = &hi0};
    const double x = x0 < lo0 ? lo0 : x0 > hi0 ? hi0 : x0;
    const perp_certificate c = certify(&p, &x);
    if (!c.solved)
      fail_msg("trial %d: a %g b %g lo %g hi %g x %g refused, residual %g", trial, a, b0, lo0, hi0,
               x, c.residual);
    assert_int_equal(c.worst, 0);
    assert_int_equal(c.components, 1);
    const double wrong = x + 0.01*unit*(x >= hi0 ? -1.0 : 1.0);
    if (certify(&p, &wrong).solved)
      fail_msg("trial %d: a %g b %g lo %g hi %g: %g accepted", trial, a, b0, lo0, hi0, wrong);
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
  assert_true(c.solved && !c.attainable && !c.weaker && y[0] == 0 && y[1] == 0 && c.gap == 0 &&
              c.residual == 0);
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
  assert_int_equal(c.worst, 0);  // y = (-7, -6.5), x - hi = (-0.5, 0)
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
  assert_false(c.solved);  // an empty row: not even then
}

// Ill-conditioned, x huge, A x cancels: the best doubles are accepted and flagged, others are not,
// and none whose residual exceeds a hundred times the tolerance.
static void attainable(void **state) {
  (void)state;
  support_state = 22;
  int flagged = 0, refused = 0;
  for (int trial = 0; trial < 400; trial++) {
    const double tiny = trial%2 ? 0x1p-40 : 0x1p-28;
    const double M[] = {1, 0.75, 0.75, 0.5625 + between(0.6, 1.4)*tiny}, b[] = {1, -1};
    const long double e = (long double)M[3] - 0.5625L;  // the determinant
    const double x[] = {(double)(-(M[3] + 0.75L)/e), (double)(1.75L/e)}, lo[] = {-INF, -INF};
    const perp_dense d = {.n = 2, .value = M};
    const perp_problem p = {.A = perp_from_dense(&d, 0), .b = b, .lo = lo};
    const perp_certificate c = certify(&p, x);
    if (c.solved != (c.residual < 1e-6)) fail_msg("trial %d: residual %g", trial, c.residual);
    refused += !c.solved;
    if (!c.solved) continue;
    assert_int_equal(c.attainable, c.residual > 1.1e-8);
    flagged += c.attainable;
    assert_false(certify(&p, (double[]){0.99*x[0], 0.99*x[1]}).solved);
    assert_false(certify(&p, (double[]){x[0] + 1, x[1]}).solved);
  }
  assert_true(flagged > 100 && refused > 100);
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
  (void)context;
  (void)x;
  (void)y;
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
    perp_callback f = {
        .n = s.n, .apply = product, .diagonal = trial & 1 ? diagonal : NULL, .context = &s};
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
  const perp_product J = {.n = 2,
                          .dofs = 1,
                          .rowptr = rowptr,
                          .column = column,
                          .value = value,
                          .block = 1,
                          .W = W,
                          .compliance = compliance};
  const perp_problem p = {.A = perp_from_product(&J, 0), .b = b};  // A = [[3,2],[2,3]]
  const perp_certificate c = certify(&p, (double[]){0.2, 0.2});
  assert_true(c.solved && !c.weaker);   // its diagonal and its bodies tell all
  assert_false(certify(&p, (double[]){0.3, 0.2}).solved);
  // not semidefinite, as far as can be told: the diagonal of such a matrix bounds nothing
  const double R[] = {1, 2}, C[] = {1, 1};
  perp_wrapper w[2];
  const perp_operator scaled = perp_scaled(&w[0], p.A, R, C);
  const perp_problem q = {.A = perp_shifted(&w[1], scaled, 1), .b = b};
  assert_true(certify(&q, (double[]){0.2, 0.2}).weaker);
  const perp_problem less = {.A = perp_shifted(&w[1], p.A, -1), .b = b};
  assert_true(certify(&less, (double[]){0.25, 0.25}).weaker);
}

// R (M + shift I) C is judged as the matrix that it is: by the same units and components.
static void wrapped_operators(void **state) {
  (void)state;
  support_state = 19;
  for (int trial = 0; trial < often(500); trial++) {
    sample s = random_known(whole(1, 9));
    const int32_t n = s.n;
    const double shift = whole(-2, 2);
    double x[9], z[9], R[9], C[9], outer[9], inner[9], M[81];
    perturb(&s, z);
    const int clear = own_residual(&s, z, NULL) > 0.05;
    for (int32_t i = 0; i < n; i++) {   // short numbers: all of it is exact
      long double change = s.b[i];
      for (int32_t j = 0; j < n; j++) {
        const double given = AT(&s, i, j);
        AT(&s, i, j) = ldexp(rint(ldexp(given, 20)), -20);
        change += (long double)(given - AT(&s, i, j))*s.x[j];
      }
      s.b[i] = (double)change;
    }
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j < n; j++) M[i*n + j] = AT(&s, i, j) - (i == j ? shift : 0.0);
    for (int32_t i = 0; i < n; i++) {
      R[i] = scaling(1, 8), C[i] = scaling(1, 8);
      inner[i] = scaling(1, 3), outer[i] = R[i]/inner[i];
    }
    memcpy(x, s.x, (size_t)n*sizeof *x);
    rescale(&s, R, C, x);
    for (int32_t i = 0; i < n; i++) z[i] /= C[i];
    const perp_dense d = {.n = n, .value = M};
    perp_wrapper w[3];
    perp_problem p = *sample_dense(&s);
    const perp_certificate right = certify(&p, x), wrong = certify(&p, z);
    double ones[9];
    for (int32_t i = 0; i < n; i++) ones[i] = 1.0;
    p.A = perp_scaled(&w[0], perp_shifted(&w[1], perp_from_dense(&d, 0), shift), inner, C);
    p.A = perp_scaled(&w[2], p.A, outer, ones);
    const perp_certificate a = certify(&p, x), b = certify(&p, z);
    assert_true(!a.weaker && a.components == right.components && a.solved == right.solved);
    assert_true(right.solved && fabs(a.residual - right.residual) <= 1e-12);
    assert_true(fabs(b.residual - wrong.residual) <= 1e-12*wrong.residual);
    assert_true(b.solved == wrong.solved && !(b.solved && clear));
    sample_free(&s);
  }
}

static void natural_residual_and_gap(void **state) {  // against own long double
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
      gap += fabs(y[i])*(room < INF ? room : fabs(x[i]));
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
    const uint32_t all =
        PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD | PERP_CLAIM_PD | PERP_CLAIM_Z | PERP_CLAIM_H;
    const perp_certificate a = certify(sample_csc(&s, 0, 0), trial & 1 ? s.x : z),
                           b = certify(sample_csc(&s, 0, all), trial & 1 ? s.x : z);
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
  for (int k = 0; k < 5; k++)
    assert_int_equal(perp_certify(&p, &x, tolerances[k], 0, NULL, &c), PERP_ERROR_ARGUMENT);
  const double absolute[] = {-1, NAN, INF};
  for (int k = 0; k < 3; k++)
    assert_int_equal(perp_certify(&p, &x, 1e-8, absolute[k], NULL, &c), PERP_ERROR_ARGUMENT);
  assert_int_equal(c.solved, 42);
}

static void shifted_operator(void **state) {  // the shift alone makes a row non-empty
  (void)state;
  const double zero[] = {0, 0, 0, 0}, b[] = {-1, -0.1}, x[] = {1/3.0, 0.1/3};
  const perp_dense d = {.n = 2, .value = zero};
  perp_wrapper w;
  const perp_problem p = {.A = perp_shifted(&w, perp_from_dense(&d, 0), 3.0), .b = b};
  assert_true(certify(&p, x).solved);
  assert_false(certify(&p, (double[]){0.3, 0.1/3}).solved);
}

// The residual is relative to x_ref = clamp(0, lo, hi), whose own is 1. Where the entries of A differ
// widely, x has to pass two scalings of A at once: then it is less than 2 without finite bounds, and
// with them it may be larger.
static void doing_nothing_is_one_or_somewhat_more(void **state) {
  (void)state;
  int beyond = 0, exact = 0;
  support_state = 77;
  for (int k = 0; k < fewer(4000); k++) {
    const int wide = k%2, bounded = k%7 == 0;
    sample s = sample_new(whole(1, 8));
    for (int32_t i = 0; i < s.n; i++) {
      for (int32_t j = 0; j < s.n; j++)
        AT(&s, i, j) = uniform() < 0.5 ? between(-1, 1)*exp(between(-20, 20)*wide) : 0.0;
      AT(&s, i, i) = wide ? exp(between(-20, 20)) : between(1, 2);
      s.b[i] = between(-2, 1);
      s.lo[i] = bounded && uniform() < 0.3 ? between(-2, 1) : 0.0;
      s.hi[i] = bounded && uniform() < 0.3 ? s.lo[i] + between(0, 2) : INF;
      s.x[i] = fmin(fmax(0.0, s.lo[i]), s.hi[i]);
    }
    const perp_certificate c = certify(sample_csc(&s, 0, 0), s.x);
    const double most = bounded ? INF : 2.0;
    if (!c.solved && !(c.residual >= 1.0 && c.residual <= most))
      fail_msg("problem %d: the residual of doing nothing is %.17g", k, c.residual);
    beyond += c.residual > 1.0;
    exact += c.residual == 1.0;
    sample_free(&s);
  }
  assert_true(beyond > 0 && exact > 0);   // both cases occur
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(arguments),
      cmocka_unit_test(counterexamples),
      cmocka_unit_test(weak_links),
      cmocka_unit_test(overflow_is_no_solution),
      cmocka_unit_test(homogeneous),
      cmocka_unit_test(one_by_one),
      cmocka_unit_test(odd_points),
      cmocka_unit_test(absolute_tolerance),
      cmocka_unit_test(attainable),
      cmocka_unit_test(weaker_operators),
    cmocka_unit_test(wrapped_operators),
      cmocka_unit_test(natural_residual_and_gap),
      cmocka_unit_test(false_symmetry),
      cmocka_unit_test(shifted_operator),
      cmocka_unit_test(doing_nothing_is_one_or_somewhat_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
