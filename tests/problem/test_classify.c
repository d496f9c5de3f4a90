// test_classify.c: verdicts on matrices whose classes are known, their reasons, and missing memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/analysis.h>
#include <perp/gallery.h>
#include <perp/perp.h>

#define INF ((double)INFINITY)
#define VERDICT(classes, id) ((int)(classes).of[PERP_CLASS_##id].verdict)

static perp_classes of_dense(int32_t n, const double *A) {
  double *b = calloc((size_t)n + 1, sizeof *b);
  const perp_dense dense = {.n = n, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&dense, PERP_CLAIM_NONE), .b = b};
  perp_classes classes;
  assert_int_equal(perp_classify(&problem, NULL, &classes), PERP_OK);
  free(b);
  for (int32_t c = 0; c < PERP_CLASS_COUNT; c++) assert_true(classes.of[c].reason[0] != '\0');
  return classes;
}

typedef struct sparse {   // a CSC matrix built from a dense one, or a grid
  perp_csc csc;
  int32_t *colptr, *row;
  double *value, *b;
} sparse;

static void sparse_free(sparse *s) {
  free(s->colptr);
  free(s->row);
  free(s->value);
  free(s->b);
}

static sparse laplacian(int32_t side, double extra) {   // 5-point, Neumann: row sums are `extra`
  const int32_t n = side*side;
  sparse s = {.colptr = malloc(((size_t)n + 1)*sizeof(int32_t)),
      .row = malloc(5*(size_t)n*sizeof(int32_t)),
              .value = malloc(5*(size_t)n*sizeof(double)), .b = calloc((size_t)n, sizeof(double))};
  int32_t p = 0;
  for (int32_t j = 0; j < n; j++) {
    s.colptr[j] = p;
    const int32_t x = j%side, y = j/side;
    const int32_t neighbour[5] = {y > 0 ? j - side : -1, x > 0 ? j - 1 : -1, j,
        x < side - 1 ? j + 1 : -1, y < side - 1 ? j + side : -1};
    const double degree = (y > 0) + (x > 0) + (x < side - 1) + (y < side - 1);
    for (int32_t k = 0; k < 5; k++) {
      if (neighbour[k] < 0) continue;
      s.row[p] = neighbour[k];
      s.value[p++] = neighbour[k] == j ? degree + extra : -1.0;
    }
  }
  s.colptr[n] = p;
  s.csc = (perp_csc){.rows = n, .columns = n, .colptr = s.colptr, .row = s.row, .value = s.value};
  return s;
}

static perp_classes of_sparse(const sparse *s) {
  const perp_problem problem = {.A = perp_from_csc(&s->csc, PERP_CLAIM_NONE), .b = s->b};
  perp_classes classes;
  assert_int_equal(perp_classify(&problem, NULL, &classes), PERP_OK);
  return classes;
}

static void test_names(void **state) {
  (void)state;
  assert_string_equal(perp_class_name(PERP_CLASS_H), "H+");
  assert_string_equal(perp_class_text(PERP_CLASS_SYMMETRIC), "A = A'");
  assert_non_null(perp_class_name(PERP_CLASS_COUNT));
  assert_non_null(perp_class_text((perp_class)99));
}

static void test_identity_and_empty(void **state) {
  (void)state;
  const double I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, nothing[1] = {0};
  perp_classes c = of_dense(3, I);
  for (int32_t k = 0; k < PERP_CLASS_COUNT; k++)
    assert_int_equal(c.of[k].verdict, k == PERP_CLASS_FRICTION ? PERP_NO : PERP_YES);
  assert_int_equal(c.components, 3);
  assert_int_equal(c.lcp_rows, 3);
  assert_true(c.asymmetry == 0.0);
  c = of_dense(0, nothing);
  assert_int_equal(c.components, 0);
  assert_int_equal(VERDICT(c, PD), PERP_YES);
}

static void test_reasons(void **state) {
  (void)state;
  const double A[9] = {1, 0.5, 0, -3, 2, 0, 0, 0, -1};
  const perp_classes c = of_dense(3, A);
  assert_int_equal(VERDICT(c, SYMMETRIC), PERP_NO);
  assert_true(fabs(c.asymmetry - 3.5/3.0) < 1e-15);
  assert_string_equal(c.of[PERP_CLASS_Z].reason, "A[0][1] = 0.5 > 0");
  assert_string_equal(c.of[PERP_CLASS_NONNEGATIVE].reason, "A[1][0] = -3 < 0");
  assert_string_equal(c.of[PERP_CLASS_PSD].reason, "A[2][2] = -1 < 0");
  assert_int_equal(VERDICT(c, PD), PERP_NO);
  assert_int_equal(VERDICT(c, DOMINANT), PERP_NO);
  assert_non_null(strstr(c.of[PERP_CLASS_DOMINANT].reason,
                         "row 1: |diagonal| = 2 < 3 = sum of others"));
  assert_string_equal(c.of[PERP_CLASS_H].reason, "A[2][2] = -1 is not positive");
  assert_int_equal(VERDICT(c, TRIDIAGONAL), PERP_YES);
  assert_int_equal(c.components, 2);
}

static void test_definite(void **state) {
  (void)state;
  const double pd[9] = {60, 26, 37, 26, 36, 29, 37, 29, 30},
      rank_one[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  perp_classes c = of_dense(3, pd);
  assert_int_equal(VERDICT(c, PD), PERP_YES);
  assert_int_equal(VERDICT(c, NONNEGATIVE), PERP_YES);
  c = of_dense(3, rank_one);
  assert_int_equal(VERDICT(c, PSD), PERP_YES);
  assert_int_equal(VERDICT(c, PD), PERP_UNKNOWN);
  const double indefinite[4] = {1, 2, 2, 1};
  c = of_dense(2, indefinite);
  assert_int_equal(VERDICT(c, PSD), PERP_NO);
  assert_non_null(strstr(c.of[PERP_CLASS_PSD].reason, "fails at row 1: x'Ax = -0.6 x'x"));
  const double skew[4] = {0, 1, -1, 0}, crossed[4] = {0, 1, 0, 0}, corner[4] = {1, 0, 0, 0};
  c = of_dense(2, skew);
  assert_int_equal(VERDICT(c, PSD), PERP_YES);
  assert_int_equal(VERDICT(c, PD), PERP_NO);
  c = of_dense(2, crossed);
  assert_int_equal(VERDICT(c, PSD), PERP_NO);
  assert_string_equal(c.of[PERP_CLASS_PSD].reason, "A[0][0] = 0 but A[0][1] + A[1][0] = 1");
  c = of_dense(2, corner);
  assert_int_equal(VERDICT(c, PSD), PERP_YES);
  assert_int_equal(VERDICT(c, PD), PERP_NO);
  // units must not matter: the correlation is 0.1
  const double scaled[4] = {1e-20, 1e-1, 1e-1, 1e20};
  assert_int_equal(VERDICT(of_dense(2, scaled), PD), PERP_YES);
  enum { N = 12 };
  double hilbert[N*N];
  for (int32_t i = 0; i < N; i++)
    for (int32_t j = 0; j < N; j++) hilbert[i*N + j] = 1.0/(i + j + 1);
  c = of_dense(N, hilbert);   // smallest eigenvalue about 1e-16: nobody can say more in doubles
  assert_int_equal(VERDICT(c, PSD), PERP_YES);
  assert_int_equal(VERDICT(c, PD), PERP_UNKNOWN);
}

static void test_h_and_m(void **state) {
  (void)state;
  // H+ but dominant neither by rows nor by columns; found by scaling.
  const double scaled[9] = {1, -10, 0, -0.05, 1, -8, 0, -0.05, 1};
  perp_classes c = of_dense(3, scaled);
  assert_int_equal(VERDICT(c, DOMINANT), PERP_NO);
  assert_int_equal(VERDICT(c, H), PERP_YES);
  assert_int_equal(VERDICT(c, M), PERP_YES);
  const double beyond[4] = {1, -2, -1, 1};
  c = of_dense(2, beyond);
  assert_int_equal(VERDICT(c, H), PERP_NO);
  assert_int_equal(VERDICT(c, M), PERP_NO);
  const double positive[4] = {2, 1, 1, 2};
  c = of_dense(2, positive);
  assert_int_equal(VERDICT(c, H), PERP_YES);
  assert_int_equal(VERDICT(c, M), PERP_NO);
  const double column_wise[4] = {1, -3, -0.2, 4};   // columns dominate, rows do not
  c = of_dense(2, column_wise);
  assert_int_equal(VERDICT(c, DOMINANT), PERP_YES);
  assert_int_equal(VERDICT(c, H), PERP_YES);
  // Triangular with large entries: H+, but the sweeps need as many steps as there are rows.
  enum { N = 60 };
  static double lower[N*N];
  for (int32_t i = 0; i < N; i++)
    for (int32_t j = 0; j <= i; j++) lower[i*N + j] = i == j ? 1.0 : -2.0;
  c = of_dense(N, lower);
  assert_int_equal(VERDICT(c, H), PERP_YES);
  assert_int_equal(VERDICT(c, M), PERP_YES);
}

static void test_laplacians(void **state) {
  (void)state;
  sparse s = laplacian(50, 0.0);   // 2500 rows: more than a dense factor is tried for
  perp_classes c = of_sparse(&s);
  assert_int_equal(VERDICT(c, SYMMETRIC), PERP_YES);
  assert_int_equal(VERDICT(c, Z), PERP_YES);
  assert_int_equal(VERDICT(c, DOMINANT), PERP_YES);
  assert_int_equal(VERDICT(c, H), PERP_NO);      // singular
  assert_int_equal(VERDICT(c, M), PERP_NO);
  assert_int_equal(VERDICT(c, PSD), PERP_YES);
  assert_int_equal(VERDICT(c, PD), PERP_UNKNOWN);
  assert_int_equal(c.components, 1);
  s.value[0] += 1.0;                             // one Dirichlet neighbour: irreducibly dominant
  c = of_sparse(&s);
  assert_int_equal(VERDICT(c, H), PERP_YES);
  assert_int_equal(VERDICT(c, M), PERP_YES);
  assert_int_equal(VERDICT(c, PD), PERP_YES);
  assert_int_equal(VERDICT(c, TRIDIAGONAL), PERP_NO);
  sparse_free(&s);
}

// One huge row says nothing about the symmetry of the others.
static void test_symmetry_in_each_block(void **state) {
  (void)state;
  double A[9] = {1e16, 0, 0, 0, 1, -50, 0, 0, 1};
  perp_classes c = of_dense(3, A);
  assert_int_equal(VERDICT(c, SYMMETRIC), PERP_NO);
  assert_string_equal(c.of[PERP_CLASS_SYMMETRIC].reason, "A[2][1] = 0, A[1][2] = -50");
  assert_true(fabs(c.asymmetry - 50e-16) < 1e-28);
  assert_int_equal(VERDICT(c, PSD), PERP_NO);   // (x, y) = (1, 1): 2 - 50
  assert_int_equal(VERDICT(c, PD), PERP_NO);
  assert_int_equal(VERDICT(c, SPD), PERP_NO);
  // Rounding stays rounding in any units: 1/3 and the double next to it, and a sum that cancels.
  for (int e = -60; e <= 60; e += 20) {
    const double third = ldexp(1.0/3.0, e);
    A[4] = ldexp(1.0, e), A[8] = ldexp(1.0, e);
    A[5] = third, A[7] = nextafter(third, 0.0);
    assert_int_equal(VERDICT(of_dense(3, A), SYMMETRIC), PERP_YES);
    assert_int_equal(VERDICT(of_dense(3, A), SPD), PERP_YES);
    A[5] = ldexp(1e-16, e), A[7] = 0.0;
    assert_int_equal(VERDICT(of_dense(3, A), SYMMETRIC), PERP_YES);
    A[5] = third, A[7] = third*(1.0 + 1e-12);
    assert_int_equal(VERDICT(of_dense(3, A), SYMMETRIC), PERP_NO);
    A[5] = ldexp(1e-12, e), A[7] = 0.0;
    assert_int_equal(VERDICT(of_dense(3, A), SYMMETRIC), PERP_NO);
  }
}

// D^-1 A D with D = diag(2^d): exact, and H+ exactly if A is.
static perp_classes of_similar(const double *A, int d0, int d1, int d2) {
  const int d[3] = {d0, d1, d2};
  double B[9];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) B[3*i + j] = ldexp(A[3*i + j], d[j] - d[i]);
  return of_dense(3, B);
}

static void test_h_near_singular(void **state) {
  (void)state;
  const double e = 0x1p-52, s = 0.5 - 0x1p-54;
  // A cycle of products (1 + 3 e)^2 > 1 + 5 e: not H+.
  const double beyond[9] = {1, -(1 + 3*e), 0, 0, 1, -(1 + 3*e), -1, 0, 1 + 5*e};
  // strictly dominant by 2^-54, which the rounded sum 0.5 + s does not see
  const double within[9] = {1, -0.5, -s, -s, 1, -0.5, -0.5, -s, 1};
  const double singular[9] = {1, -0.5, -0.5, -0.5, 1, -0.5, -0.5, -0.5, 1};
  assert_int_equal(VERDICT(of_dense(3, within), H), PERP_YES);
  assert_int_equal(VERDICT(of_dense(3, singular), H), PERP_NO);
  for (int d = 0; d < 125; d++) {
    const int a = d%5 - 2, b = d/5%5 - 2, c = d/25 - 2;
    assert_int_not_equal(VERDICT(of_similar(beyond, a, b, c), H), PERP_YES);
    assert_int_not_equal(VERDICT(of_similar(beyond, a, b, c), M), PERP_YES);
    assert_int_not_equal(VERDICT(of_similar(within, a, b, c), H), PERP_NO);
    assert_int_not_equal(VERDICT(of_similar(singular, a, b, c), H), PERP_YES);
  }
  // [1 -p; -q 1] is H+ exactly if 1 - p q > 0, whose sign fma() tells.
  int decided = 0;
  for (int k = 0; k < 7*64; k++) {
    const double p = 1 + k%64/64.0, q = 1/p*(1 + (k/64 - 3)*0x1p-53), A[4] = {1, -p, -q, 1};
    const int verdict = VERDICT(of_dense(2, A), H), is = fma(-p, q, 1.0) > 0.0;
    assert_int_not_equal(verdict, is ? PERP_NO : PERP_YES);
    decided += verdict != PERP_UNKNOWN;
  }
  assert_true(decided > 300);
  // Row 0 misses dominance by 2^-170, which even doubled precision does not see. With row 1 strict
  // by 2^-52: det = 1 - (1 + 2^-170 - 2^-170 (1 - 1/(1 + 2^-52))) < 0.
  const double hidden[25] = {1,  -0x1p-170, -0x1p-70, -(1 - 0x1p-53), -(0x1p-53 - 0x1p-70),
                             -1, 1 + e, 0, 0, 0, -1, 0, 1, 0, 0, -1, 0, 0, 1, 0, -1, 0, 0, 0, 1};
  assert_int_not_equal(VERDICT(of_dense(5, hidden), H), PERP_YES);
}

// [1 -p; -q 1] is H+ exactly if p q < 1, and its first lower end is min(p, q).
static void test_h_by_spectral_radius(void **state) {
  (void)state;
  const double p[] = {1.5, 1.02, 1.0102, 1.0012}, radius[] = {0.9, 0.99, 0.999};
  for (size_t k = 0; k < sizeof p/sizeof p[0]; k++)
    for (size_t l = 0; l < sizeof radius/sizeof radius[0]; l++) {
      const double q = radius[l]*radius[l]/p[k], yes[4] = {1, -p[k], -q, 1},
                   no[4] = {1, -p[k], -1.001/p[k], 1};
      assert_int_equal(VERDICT(of_dense(2, yes), H), PERP_YES);
      assert_int_equal(VERDICT(of_dense(2, no), H), PERP_NO);
    }
  // Triangular blocks around a cycle: 20 sweeps do not settle it, elimination does, both ways.
  enum { N = 60 };
  static double A[N*N];
  for (int beyond = 0; beyond < 2; beyond++) {
    memset(A, 0, sizeof A);
    for (int32_t i = 0; i < N; i++) {
      A[i*N + i] = 1.0;
      for (int32_t j = 0; j < i; j++) A[i*N + j] = -0.25;
    }
    // x_i = 1.25^(i-1)/4 for x_0 = 1: the cycle closes with 1.25^(N-2)/4 times the corner
    A[N - 1] = -(beyond ? 1.001 : 0.999)*4.0*pow(0.8, N - 2);
    assert_int_equal(VERDICT(of_dense(N, A), H), beyond ? PERP_NO : PERP_YES);
  }
}

// [Bnn Bnt 0; Btn Btt E; mu -E' 0] with B = J J'
static void friction_matrix(int32_t nc, int32_t K, double *A) {
  const int32_t m = nc*(K + 1), n = nc*(K + 2);
  memset(A, 0, (size_t)(n*n)*sizeof *A);
  for (int32_t i = 0; i < m; i++)
    for (int32_t j = 0; j < m; j++)
      for (int32_t k = 0; k < 3; k++)
        A[i*n + j] += perp_random_normal(5, (uint64_t)(3*i + k))*perp_random_normal(5,
            (uint64_t)(3*j + k));
  for (int32_t c = 0; c < nc; c++) {
    A[(m + c)*n + c] = 0.5 + 0.1*c;
    for (int32_t k = 0; k < K; k++) {
      A[(nc + c*K + k)*n + m + c] = 1.0;
      A[(m + c)*n + nc + c*K + k] = -1.0;
    }
  }
}

static void test_friction(void **state) {
  (void)state;
  double A[18*18];
  friction_matrix(3, 4, A);
  perp_classes c = of_dense(18, A);
  assert_int_equal(VERDICT(c, FRICTION), PERP_YES);
  assert_string_equal(c.of[PERP_CLASS_FRICTION].reason,
                      "3 contacts, 4 directions, mu from 0.5 to 0.7, asymmetry of B 0");
  // copositive, but (A + A')/2 has mu next to a zero diagonal
  assert_int_equal(VERDICT(c, PSD), PERP_NO);
  A[17*18 + 17] = 1e-3;
  assert_int_equal(VERDICT(of_dense(18, A), FRICTION), PERP_NO);
  friction_matrix(3, 4, A);
  A[15*18 + 1] = 0.1;                            // mu off the diagonal
  assert_int_equal(VERDICT(of_dense(18, A), FRICTION), PERP_NO);
  friction_matrix(3, 4, A);
  A[16*18 + 1] = 0.0;                            // a smooth contact
  c = of_dense(18, A);
  assert_int_equal(VERDICT(c, FRICTION), PERP_YES);
  assert_non_null(strstr(c.of[PERP_CLASS_FRICTION].reason, "mu from 0 to 0.7"));
  A[16*18 + 1] = -0.6;                           // friction that pushes
  c = of_dense(18, A);
  assert_int_equal(VERDICT(c, FRICTION), PERP_NO);
  assert_string_equal(c.of[PERP_CLASS_FRICTION].reason,
                      "A[16][1] = -0.6 does not fit into [mu -E' 0]");
  friction_matrix(3, 4, A);
  A[1] += 1e-3;                                  // B symmetric as programs write it
  assert_int_equal(VERDICT(of_dense(18, A), FRICTION), PERP_YES);
  A[1] += 50.0;
  assert_int_equal(VERDICT(of_dense(18, A), FRICTION), PERP_NO);
  const double one[16] = {2, 0, 0, 0, 0, 1, -1, 1, 0, -1, 1, 1, 2, -1, -1, 0};
  c = of_dense(4, one);
  assert_string_equal(c.of[PERP_CLASS_FRICTION].reason,
                      "1 contacts, 2 directions, mu from 2 to 2, asymmetry of B 0");
}

static void test_rows_by_bounds(void **state) {
  (void)state;
  const double I[25] = {1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1},
      b[5] = {0};
  const double lo[5] = {0, -INF, 0, 1, 2}, hi[5] = {INF, INF, 1, INF, 2};
  const perp_dense dense = {.n = 5, .value = I};
  const perp_problem problem = {.A = perp_from_dense(&dense, PERP_CLAIM_NONE), .b = b, .lo = lo,
      .hi = hi};
  perp_classes c;
  assert_int_equal(perp_classify(&problem, NULL, &c), PERP_OK);
  assert_int_equal(c.lcp_rows, 1);
  assert_int_equal(c.free_rows, 1);
  assert_int_equal(c.boxed_rows, 2);
  assert_int_equal(c.fixed_rows, 1);
}

static void test_other_operators(void **state) {
  (void)state;
  // J W J' + compliance
  const int32_t rowptr[3] = {0, 1, 2}, column[2] = {0, 0};
  const double value[2] = {1, 1}, W[1] = {1}, compliance[2] = {0.1, 0.2}, b[2] = {0, 0};
  perp_product product = {.n = 2, .dofs = 1, .rowptr = rowptr, .column = column, .value = value,
      .block = 1, .W = W};
  perp_problem problem = {.A = perp_from_product(&product, PERP_CLAIM_NONE), .b = b};
  perp_classes c;
  assert_int_equal(perp_classify(&problem, NULL, &c), PERP_OK);
  assert_int_equal(VERDICT(c, PSD), PERP_YES);
  assert_int_equal(VERDICT(c, SYMMETRIC), PERP_YES);
  assert_int_equal(VERDICT(c, PD), PERP_UNKNOWN);
  assert_int_equal(VERDICT(c, Z), PERP_UNKNOWN);
  product.compliance = compliance;
  problem.A = perp_from_product(&product, PERP_CLAIM_NONE);
  assert_int_equal(perp_classify(&problem, NULL, &c), PERP_OK);
  assert_int_equal(VERDICT(c, PD), PERP_YES);
  // A scaled and shifted view: [0 -1; -1 0] + 2 I, by both layouts
  const double A[4] = {0, -1, -1, 0};
  const int32_t colptr[3] = {0, 1, 2}, row[2] = {1, 0};
  const double off[2] = {-1, -1};
  const perp_dense dense = {.n = 2, .value = A};
  const perp_csc csc = {.rows = 2, .columns = 2, .colptr = colptr, .row = row, .value = off};
  for (int32_t k = 0; k < 2; k++) {
    perp_wrapper wrapper;
    const perp_operator inner = k == 0 ? perp_from_dense(&dense, PERP_CLAIM_NONE)
        : perp_from_csc(&csc, PERP_CLAIM_NONE);
    problem.A = perp_shifted(&wrapper, inner, 2.0);
    assert_int_equal(perp_classify(&problem, NULL, &c), PERP_OK);
    assert_int_equal(VERDICT(c, M), PERP_YES);
    assert_int_equal(VERDICT(c, PD), PERP_YES);
  }
  assert_int_equal(perp_classify(NULL, NULL, &c), PERP_ERROR_ARGUMENT);
  assert_int_equal(perp_classify(&problem, NULL, NULL), PERP_ERROR_ARGUMENT);
}

typedef struct counter { int32_t calls, fail_at, live; } counter;
static void *counting_allocate(void *context, size_t bytes) {
  counter *k = context;
  if (k->calls++ == k->fail_at) return NULL;
  k->live++;
  return malloc(bytes);
}
static void counting_release(void *context, void *memory) {
  ((counter *)context)->live--;
  free(memory);
}

static void test_memory(void **state) {
  (void)state;
  const double A[4] = {1, 2, 2, 1}, b[2] = {0, 0};
  const perp_dense dense = {.n = 2, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&dense, PERP_CLAIM_NONE), .b = b};
  for (int32_t k = 0;; k++) {
    counter count = {.fail_at = k};
    const perp_allocator allocator = {counting_allocate, counting_release, &count};
    perp_classes c = {.components = -7};
    const perp_error error = perp_classify(&problem, &allocator, &c);
    assert_int_equal(count.live, 0);
    if (error == PERP_OK) {
      assert_true(k >= 1);
      break;
    }
    assert_int_equal(error, PERP_ERROR_MEMORY);
    assert_int_equal(c.components, -7);   // written only on PERP_OK
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_names), cmocka_unit_test(test_identity_and_empty),
        cmocka_unit_test(test_reasons),
    cmocka_unit_test(test_definite), cmocka_unit_test(test_h_and_m),
        cmocka_unit_test(test_laplacians),
    cmocka_unit_test(test_symmetry_in_each_block), cmocka_unit_test(test_h_near_singular),
        cmocka_unit_test(test_h_by_spectral_radius),
    cmocka_unit_test(test_friction), cmocka_unit_test(test_rows_by_bounds),
        cmocka_unit_test(test_other_operators),
    cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
