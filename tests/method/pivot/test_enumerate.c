// test_enumerate.c: enumeration against an exact oracle in integers, and against known answers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/gallery.h>
#include <perp/method.h>

#define INF ((double)INFINITY)
enum { LARGEST = 20, KEEP = 2048 };

typedef struct found {   // what on_solution saw
  int32_t n, count, stop_at;
  double x[KEEP][LARGEST];
  int32_t dimension[KEEP];
} found;

static found seen;

static int collect(void *context, const double *x, int32_t n, int32_t dimension) {
  found *f = context;
  f->n = n;
  if (f->count < KEEP) {
    memcpy(f->x[f->count], x, (size_t)n*sizeof *x);
    f->dimension[f->count] = dimension;
  }
  f->count++;
  return f->stop_at > 0 && f->count >= f->stop_at;
}

static perp_options options_for_all(void) {
  perp_options options = perp_default_options(perp_find_method("enumerate"));
  options.on_solution = collect;
  options.context = &seen;
  options.presolve = 0;
  seen.count = 0;
  seen.stop_at = 0;
  return options;
}

static perp_result enumerate_all(int32_t n, const double *A, const double *b, const double *lo,
                                 const double *hi) {
  const perp_dense dense = {.n = n, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&dense, PERP_CLAIM_NONE), .b = b, .lo = lo,
      .hi = hi};
  const perp_options options = options_for_all();
  double x[LARGEST] = {0};
  perp_result result;
  assert_int_equal(perp_solve_once(&problem, x, &options, &result), PERP_OK);
  assert_int_equal(result.solutions, seen.count);
  assert_int_equal(result.status == PERP_STATUS_SOLVED, seen.count > 0);
  return result;
}

// ---- the oracle: vertices of the solution set in exact integers ----

enum { SMALL = 4 };
typedef struct integer_problem {
  int32_t n;
  int64_t A[SMALL][SMALL], b[SMALL], lo[SMALL], hi[SMALL];
  int has_lo[SMALL], has_hi[SMALL];
} integer_problem;

typedef struct vertex { int64_t x[SMALL], y[SMALL], d; } vertex;   // x/d and y/d, d > 0

// Hyperplane 3 i: x_i = lo_i, 3 i + 1: x_i = hi_i, 3 i + 2: y_i = 0; as row*x = rhs. 0: there is no
// such bound.
static int hyperplane(const integer_problem *p, int32_t which, int64_t *row, int64_t *rhs) {
  const int32_t i = which/3;
  for (int32_t j = 0; j < p->n; j++) row[j] = which%3 == 2 ? p->A[i][j] : j == i;
  *rhs = which%3 == 0 ? p->lo[i] : which%3 == 1 ? p->hi[i] : -p->b[i];
  return which%3 == 2 || (which%3 == 0 ? p->has_lo[i] : p->has_hi[i]);
}

// Fraction-free elimination (Bareiss) of rows x columns; returns the rank, with the sign of the
// determinant in *sign.
static int32_t bareiss(int32_t rows, int32_t columns, int32_t stride, int64_t *M, int *sign) {
  int64_t previous = 1;
  int32_t rank = 0;
  *sign = 1;
  for (int32_t c = 0; c < columns && rank < rows; c++) {
    int32_t at = rank;
    while (at < rows && M[at*stride + c] == 0) at++;
    if (at == rows) continue;
    if (at != rank) {
      *sign = -*sign;
      for (int32_t j = 0; j < stride; j++) {
        const int64_t t = M[at*stride + j];
        M[at*stride + j] = M[rank*stride + j];
        M[rank*stride + j] = t;
      }
    }
    for (int32_t i = rank + 1; i < rows; i++) {
      for (int32_t j = c + 1; j < stride; j++)
        M[i*stride + j] = (M[i*stride + j]*M[rank*stride + c] -
                           M[i*stride + c]*M[rank*stride + j])/previous;
      M[i*stride + c] = 0;
    }
    previous = M[rank*stride + c];
    rank++;
  }
  return rank;
}

static int64_t determinant(int32_t n, const int64_t *M) {
  int64_t copy[SMALL*SMALL];
  int sign;
  memcpy(copy, M, (size_t)(n*n)*sizeof *copy);
  return bareiss(n, n, n, copy, &sign) < n ? 0 : sign*copy[n*n - 1];
}

static int is_solution(const integer_problem *p, const vertex *v) {
  for (int32_t i = 0; i < p->n; i++) {
    const int low = p->has_lo[i] && v->x[i] == p->lo[i]*v->d,
        high = p->has_hi[i] && v->x[i] == p->hi[i]*v->d;
    if (p->has_lo[i] && v->x[i] < p->lo[i]*v->d) return 0;
    if (p->has_hi[i] && v->x[i] > p->hi[i]*v->d) return 0;
    if (v->y[i] > 0 && !low) return 0;
    if (v->y[i] < 0 && !high) return 0;
  }
  return 1;
}

// Every subset of n hyperplanes that meets in one point which is a solution.
static int32_t vertices(const integer_problem *p, vertex *found_vertices) {
  const int32_t n = p->n, planes = 3*n;
  int32_t count = 0;
  for (uint32_t subset = 0; subset < (uint32_t)1 << planes; subset++) {
    if (__builtin_popcount(subset) != n) continue;
    int64_t M[SMALL*SMALL], rhs[SMALL], column[SMALL*SMALL];
    int32_t k = 0;
    int valid = 1;
    for (int32_t which = 0; which < planes && valid; which++)
      if (subset >> which & 1) {
        valid = hyperplane(p, which, M + k*n, &rhs[k]);
        k++;
      }
    if (!valid) continue;
    vertex v = {.d = determinant(n, M)};
    if (v.d == 0) continue;
    for (int32_t j = 0; j < n; j++) {   // Cramer
      memcpy(column, M, sizeof column);
      for (int32_t i = 0; i < n; i++) column[i*n + j] = rhs[i];
      v.x[j] = determinant(n, column);
    }
    if (v.d < 0) {
      v.d = -v.d;
      for (int32_t j = 0; j < n; j++) v.x[j] = -v.x[j];
    }
    for (int32_t i = 0; i < n; i++) {
      v.y[i] = p->b[i]*v.d;
      for (int32_t j = 0; j < n; j++) v.y[i] += p->A[i][j]*v.x[j];
    }
    if (!is_solution(p, &v)) continue;
    int fresh = 1;
    for (int32_t q = 0; q < count && fresh; q++) {
      int same = 1;
      for (int32_t j = 0; j < n; j++)
        same &= v.x[j]*found_vertices[q].d == found_vertices[q].x[j]*v.d;
      fresh = !same;
    }
    if (fresh) found_vertices[count++] = v;
  }
  return count;
}

// Which hyperplanes the reported point lies on.
static uint32_t tight_at(const integer_problem *p, const double *x) {
  uint32_t tight = 0;
  for (int32_t i = 0; i < p->n; i++) {
    double y = (double)p->b[i];
    for (int32_t j = 0; j < p->n; j++) y += (double)p->A[i][j]*x[j];
    if (p->has_lo[i] && fabs(x[i] - (double)p->lo[i]) < 1e-9) tight |= (uint32_t)1 << 3*i;
    if (p->has_hi[i] && fabs(x[i] - (double)p->hi[i]) < 1e-9) tight |= (uint32_t)1 << (3*i + 1);
    if (fabs(y) < 1e-9) tight |= (uint32_t)1 << (3*i + 2);
    assert_true(!(p->has_lo[i] && x[i] < (double)p->lo[i]) &&
                !(p->has_hi[i] && x[i] > (double)p->hi[i]));
    assert_true(y < 1e-9 || (tight >> 3*i & 1));            // none invented
    assert_true(y > -1e-9 || (tight >> (3*i + 1) & 1));
  }
  return tight;
}

static uint32_t tight_at_vertex(const integer_problem *p, const vertex *v) {
  uint32_t tight = 0;
  for (int32_t i = 0; i < p->n; i++) {
    if (p->has_lo[i] && v->x[i] == p->lo[i]*v->d) tight |= (uint32_t)1 << 3*i;
    if (p->has_hi[i] && v->x[i] == p->hi[i]*v->d) tight |= (uint32_t)1 << (3*i + 1);
    if (v->y[i] == 0) tight |= (uint32_t)1 << (3*i + 2);
  }
  return tight;
}

static int32_t exact_dimension(const integer_problem *p, uint32_t tight) {
  int64_t M[3*SMALL*SMALL], rhs;
  int32_t rows = 0;
  int sign;
  for (int32_t which = 0; which < 3*p->n; which++)
    if (tight >> which & 1) hyperplane(p, which, M + p->n*rows++, &rhs);
  return p->n - bareiss(rows, p->n, p->n, M, &sign);
}

// A connected component with b = 0: the certificate knows no scale there and may refuse any x but
// 0.
static int is_homogeneous(const integer_problem *p) {
  for (int32_t start = 0; start < p->n; start++) {
    uint32_t reached = (uint32_t)1 << start;
    for (int32_t pass = 0; pass < p->n; pass++)
      for (int32_t i = 0; i < p->n; i++)
        for (int32_t j = 0; j < p->n; j++)
          if ((p->A[i][j] != 0 || p->A[j][i] != 0) && (reached >> i & 1))
            reached |= (uint32_t)1 << j;
    int zero = 1;
    for (int32_t i = 0; i < p->n; i++) zero &= !(reached >> i & 1) || p->b[i] == 0;
    if (zero) return 1;
  }
  return 0;
}

static void compare_with_oracle(const integer_problem *p) {
  if (is_homogeneous(p)) return;
  static vertex all[4096];
  const int32_t n = p->n, count = vertices(p, all);
  double A[SMALL*SMALL], b[SMALL], lo[SMALL], hi[SMALL];
  for (int32_t i = 0; i < n; i++) {
    b[i] = (double)p->b[i];
    lo[i] = p->has_lo[i] ? (double)p->lo[i] : -INF;
    hi[i] = p->has_hi[i] ? (double)p->hi[i] : INF;
    for (int32_t j = 0; j < n; j++) A[i*n + j] = (double)p->A[i][j];
  }
  const perp_result result = enumerate_all(n, A, b, lo, hi);
  if (count == 0) assert_int_equal(result.status, PERP_STATUS_NO_SOLUTION);
  uint32_t tight[KEEP];
  for (int32_t k = 0; k < seen.count; k++) {
    tight[k] = tight_at(p, seen.x[k]);
    assert_int_equal(seen.dimension[k], exact_dimension(p, tight[k]));
    for (int32_t l = 0; l < k; l++) {   // no piece inside another, nothing twice
      assert_true((tight[l] & ~tight[k]) != 0);
      assert_true((tight[k] & ~tight[l]) != 0);
    }
  }
  int32_t points = 0;
  for (int32_t k = 0; k < seen.count; k++) points += seen.dimension[k] == 0;
  for (int32_t q = 0; q < count; q++) {   // every vertex is in a reported piece
    const uint32_t at = tight_at_vertex(p, &all[q]);
    int covered = 0, isolated = 0;
    for (int32_t k = 0; k < seen.count; k++) {
      if ((tight[k] & ~at) != 0) continue;
      covered = 1;
      isolated |= seen.dimension[k] == 0;
    }
    assert_true(covered);
    points -= isolated;
  }
  assert_int_equal(points, 0);
}

static void test_oracle_lcp(void **state) {
  (void)state;
  uint64_t next = 0;
  for (int32_t trial = 0; trial < 4000; trial++) {
    integer_problem p = {.n = 1 + trial%4};
    const int32_t range = 1 + trial/4%3;
    for (int32_t i = 0; i < p.n; i++) {
      p.has_lo[i] = 1;
      p.b[i] = (int64_t)(perp_random_uniform(7, next++)*7.0) - 4;
      for (int32_t j = 0; j < p.n; j++)
        p.A[i][j] = (int64_t)(perp_random_uniform(7, next++)*(2*range + 1)) - range;
    }
    compare_with_oracle(&p);
  }
}

// A = J J' of low rank: redundant contacts, faces
static void test_oracle_semidefinite(void **state) {
  (void)state;
  uint64_t next = 0;
  for (int32_t trial = 0; trial < 2000; trial++) {
    integer_problem p = {.n = 2 + trial%3};
    const int32_t rank = 1 + trial%2;
    int64_t J[SMALL][2];
    for (int32_t i = 0; i < p.n; i++)
      for (int32_t k = 0; k < rank; k++)
        J[i][k] = (int64_t)(perp_random_uniform(8, next++)*5.0) - 2;
    int64_t F[2];
    for (int32_t k = 0; k < 2; k++) F[k] = (int64_t)(perp_random_uniform(8, next++)*5.0) - 2;
    for (int32_t i = 0; i < p.n; i++) {
      p.has_lo[i] = 1;
      for (int32_t k = 0; k < rank; k++) p.b[i] += J[i][k]*F[k];
      for (int32_t j = 0; j < p.n; j++)
        for (int32_t k = 0; k < rank; k++) p.A[i][j] += J[i][k]*J[j][k];
    }
    compare_with_oracle(&p);
  }
}

static void test_oracle_boxed(void **state) {
  (void)state;
  uint64_t next = 0;
  for (int32_t trial = 0; trial < 2000; trial++) {
    integer_problem p = {.n = 1 + trial%3};
    for (int32_t i = 0; i < p.n; i++) {
      // both, lower only, upper only
      const int32_t kind = (int32_t)(perp_random_uniform(9, next++)*3.0);
      p.has_lo[i] = kind != 2;
      p.has_hi[i] = kind != 1;
      p.lo[i] = (int64_t)(perp_random_uniform(9, next++)*4.0) - 2;
      p.hi[i] = p.lo[i] + 1 + (int64_t)(perp_random_uniform(9, next++)*3.0);
      p.b[i] = (int64_t)(perp_random_uniform(9, next++)*7.0) - 3;
      for (int32_t j = 0; j < p.n; j++)
        p.A[i][j] = (int64_t)(perp_random_uniform(9, next++)*5.0) - 2;
    }
    compare_with_oracle(&p);
  }
}

// ---- known answers ----

static void test_known_three(void **state) {
  (void)state;
  const double A[9] = {60, 26, 37, 26, 36, 29, 37, 29, 30}, b[3] = {-1, -1, -1};
  enumerate_all(3, A, b, NULL, NULL);
  assert_int_equal(seen.count, 1);
  assert_true(seen.x[0][0] == 0.0);
  assert_true(fabs(seen.x[0][1] - 1.0/239.0) < 1e-15 && fabs(seen.x[0][2] - 7.0/239.0) < 1e-15);
  assert_int_equal(seen.dimension[0], 0);
}

static void test_negative_identity(void **state) {
  (void)state;
  double A[100] = {0}, b[10];
  for (int32_t i = 0; i < 10; i++) {
    A[11*i] = -1.0;
    b[i] = 1.0;
  }
  enumerate_all(10, A, b, NULL, NULL);
  assert_int_equal(seen.count, 1024);
  unsigned char hit[1024] = {0};
  for (int32_t k = 0; k < 1024; k++) {
    int32_t code = 0;
    for (int32_t i = 0; i < 10; i++) {
      assert_true(seen.x[k][i] == 0.0 || seen.x[k][i] == 1.0);
      code |= (seen.x[k][i] != 0.0) << i;
    }
    assert_int_equal(hit[code]++, 0);
  }
  for (int32_t i = 0; i < 10; i++) assert_true(seen.x[0][i] == 0.0);   // the empty free set first
}

static void test_redundant_contacts(void **state) {
  (void)state;
  const double A[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, b[3] = {-1, -1, -1};
  enumerate_all(3, A, b, NULL, NULL);
  assert_int_equal(seen.count, 1);
  assert_int_equal(seen.dimension[0], 2);
  assert_true(fabs(seen.x[0][0] + seen.x[0][1] + seen.x[0][2] - 1.0) < 1e-14);
  // inside the face, not at its rim
  for (int32_t i = 0; i < 3; i++) assert_true(seen.x[0][i] > 0.01);

  // a block on fifteen feet, positions in a plane: rank 3, not exact in doubles
  double C[15*15], c[15];
  for (int32_t i = 0; i < 15; i++) {
    const double pi_[3] = {1.0, cos(0.7*i), sin(1.1*i)};
    c[i] = -9.81*0.01;
    for (int32_t j = 0; j < 15; j++) {
      const double pj[3] = {1.0, cos(0.7*j), sin(1.1*j)};
      C[15*i + j] = pi_[0]*pj[0]/3.0 + pi_[1]*pj[1]/0.7 + pi_[2]*pj[2]/0.9;
    }
  }
  enumerate_all(15, C, c, NULL, NULL);
  assert_int_equal(seen.count, 1);
  assert_int_equal(seen.dimension[0], 12);
}

static void test_no_solution(void **state) {
  (void)state;
  const double A[4] = {0, 1, 0, 0}, b[2] = {-1, 1};
  const perp_result result = enumerate_all(2, A, b, NULL, NULL);
  assert_int_equal(result.status, PERP_STATUS_NO_SOLUTION);
  assert_non_null(strstr(result.message, "ll 4 label assignments were examined"));
  const double minus = -1.0, one = -1.0;
  assert_int_equal(enumerate_all(1, &minus, &one, NULL, NULL).status, PERP_STATUS_NO_SOLUTION);
}

static void test_sizes_zero_and_one(void **state) {
  (void)state;
  const double A = 1.0, b = -9.8, zero = 0.0, nothing[1] = {0};
  enumerate_all(0, nothing, nothing, NULL, NULL);
  assert_int_equal(seen.count, 1);
  enumerate_all(1, &A, &b, NULL, NULL);
  assert_int_equal(seen.count, 1);
  assert_true(seen.x[0][0] == 9.8);
  enumerate_all(1, &zero, &zero, NULL, NULL);   // every x >= 0
  assert_int_equal(seen.count, 1);
  assert_int_equal(seen.dimension[0], 1);
  const double low = 2.0, high = 2.0;            // fixed: any y will do
  enumerate_all(1, &A, &b, &low, &high);
  assert_int_equal(seen.count, 1);
  assert_true(seen.x[0][0] == 2.0);
}

static void test_free_rows(void **state) {
  (void)state;
  // A singular free block [0 0; 0 0] coupled to one complementary row through the circuit-like
  // pattern below.
  const double A[9] = {0, 0, -1, 0, 0, 1, 1, -1, 1}, b[3] = {2, -2, 1};
  const double lo[3] = {-INF, -INF, 0}, hi[3] = {INF, INF, INF};
  enumerate_all(3, A, b, lo, hi);               // x_3 = 2, x_1 - x_2 = -3: a line
  assert_int_equal(seen.count, 1);
  assert_int_equal(seen.dimension[0], 1);
  assert_true(fabs(seen.x[0][2] - 2.0) < 1e-12 && fabs(seen.x[0][0] - seen.x[0][1] + 3.0) < 1e-12);
  const double bad[3] = {2, -3, 1};             // x_3 = 2 and x_3 = 3
  assert_int_equal(enumerate_all(3, A, bad, lo, hi).status, PERP_STATUS_NO_SOLUTION);
  const double free_lo[2] = {-INF, -INF}, free_hi[2] = {INF, INF}, B[4] = {1, 2, 3, 4},
      c[2] = {-5, -11};
  enumerate_all(2, B, c, free_lo, free_hi);
  assert_int_equal(seen.count, 1);
  assert_true(fabs(seen.x[0][0] - 1.0) < 1e-12 && fabs(seen.x[0][1] - 2.0) < 1e-12);
}

// units must not matter: powers of ten over 32 orders of magnitude
static void test_scaling(void **state) {
  (void)state;
  const double A[9] = {60, 26, 37, 26, 36, 29, 37, 29, 30}, scale[3] = {1e-8, 1e8, 1.0};
  double B[9], c[3];
  for (int32_t i = 0; i < 3; i++) {
    c[i] = -scale[i]*1e-5;
    for (int32_t j = 0; j < 3; j++) B[3*i + j] = scale[i]*A[3*i + j]*scale[j];
  }
  enumerate_all(3, B, c, NULL, NULL);
  assert_int_equal(seen.count, 1);
  assert_true(fabs(seen.x[0][1]*scale[1]*1e5*239.0 - 1.0) < 1e-12);

  // Two independent islands of very different size, each with two solutions.
  const double D[4] = {-1, 0, 0, -1e-9}, d[2] = {1e6, 1e-12};
  enumerate_all(2, D, d, NULL, NULL);
  assert_int_equal(seen.count, 4);
}

// Rows with b = 0 and no bound but 0 have no unit: only y = 0 without rounding passes there. Here
// x_0 >= 0 is one direction of the face and (x_2, x_3) along (1, 3) another, with x_1 = 3.
static void test_homogeneous_rows_on_a_face(void **state) {
  (void)state;
  const double A[] = {0, 0, 0, 0, 0, 0, 3, -1, 0, -3, 0, 0, 0, 1, 0, 0}, b[] = {0, 0, 9, -3},
      lo[] = {0, -INF, -INF, 0}, hi[] = {INF, INF, INF, INF};
  const perp_result result = enumerate_all(4, A, b, lo, hi);
  assert_true(result.complete);
  assert_int_equal(seen.count, 1);
  assert_int_equal(seen.dimension[0], 2);
  assert_true(fabs(seen.x[0][1] - 3.0) <= 1e-12);
  assert_true(seen.x[0][0] > 0.0 && seen.x[0][3] > 0.0 && 3.0*seen.x[0][2] == seen.x[0][3]);
}

// A zero diagonal: x_0 and x_1 have units that nothing ties together. Before scaling y_0 = -x_1 - 1
// with x_0 >= 0, y_1 = -x_0 + 1 = 0: x = (1, -1).
static void test_units_of_halves(void **state) {
  (void)state;
  const double lo[] = {0, -INF}, hi[] = {INF, INF}, answer[] = {1, -1};
  for (int e = -60; e <= 60; e += 20)
    for (int f = -60; f <= 60; f += 20) {   // rows 2^e, 2^(e - f) and columns 2^f, 2^e
      const double row[] = {ldexp(1.0, e), ldexp(1.0, e - f)}, c[] = {ldexp(1.0, f), row[0]};
      const double A[] = {0, -row[0]*c[1], -row[1]*c[0], 0}, b[] = {-row[0], row[1]};
      assert_true(enumerate_all(2, A, b, lo, hi).complete);
      assert_int_equal(seen.count, 1);
      for (int i = 0; i < 2; i++) assert_true(fabs(seen.x[0][i]*c[i] - answer[i]) <= 1e-12);
    }
}

static void test_limits(void **state) {
  (void)state;
  double A[64] = {0}, b[8], x[8] = {0};
  for (int32_t i = 0; i < 8; i++) {
    A[9*i] = -1.0;
    b[i] = 1.0;
  }
  const perp_dense dense = {.n = 8, .value = A};
  perp_problem problem = {.A = perp_from_dense(&dense, PERP_CLAIM_NONE), .b = b};
  perp_options options = options_for_all();
  perp_result result;
  options.enumerate.limit = 3;
  assert_int_equal(perp_solve_once(&problem, x, &options, &result), PERP_OK);
  assert_int_equal(result.solutions, 3);
  assert_int_equal(result.status, PERP_STATUS_SOLVED);
  assert_true(result.message[0] != '\0');
  options = options_for_all();
  seen.stop_at = 5;
  assert_int_equal(perp_solve_once(&problem, x, &options, &result), PERP_OK);
  assert_int_equal(result.solutions, 5);

  // Too many two-sided rows: a clear message, nothing claimed.
  double big[13*13] = {0}, c[13], lo[13], hi[13], z[13] = {0};
  for (int32_t i = 0; i < 13; i++) {
    big[14*i] = 1.0;
    if (i > 0) big[14*i - 1] = 0.5;
    c[i] = -1.0;
    lo[i] = 0.0;
    hi[i] = 0.5;
  }
  const perp_dense larger = {.n = 13, .value = big};
  problem = (perp_problem){.A = perp_from_dense(&larger, PERP_CLAIM_NONE), .b = c, .lo = lo,
      .hi = hi};
  options = options_for_all();
  assert_int_equal(perp_solve_once(&problem, z, &options, &result), PERP_OK);
  assert_int_equal(result.status, PERP_STATUS_UNSOLVED);
  assert_non_null(strstr(result.message, "at most 12 rows where some have two bounds"));
}

// what was found before a limit is still reported
static void test_iteration_limit_keeps_faces(void **state) {
  (void)state;
  double A[81], b[9], x[9] = {0};
  for (int32_t i = 0; i < 81; i++) A[i] = 1.0;
  for (int32_t i = 0; i < 9; i++) b[i] = -1.0;
  const perp_dense dense = {.n = 9, .value = A};
  const perp_problem problem = {.A = perp_from_dense(&dense, PERP_CLAIM_NONE), .b = b};
  perp_options options = options_for_all();
  perp_result result;
  options.iteration_limit = 3;   // 512 assignments and some of the second pass
  assert_int_equal(perp_solve_once(&problem, x, &options, &result), PERP_OK);
  assert_int_equal(result.status, PERP_STATUS_SOLVED);
  assert_int_equal(seen.count, 1);
  assert_int_equal(seen.dimension[0], 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_oracle_lcp), cmocka_unit_test(test_oracle_semidefinite),
        cmocka_unit_test(test_oracle_boxed),
    cmocka_unit_test(test_known_three), cmocka_unit_test(test_negative_identity),
        cmocka_unit_test(test_redundant_contacts),
    cmocka_unit_test(test_no_solution), cmocka_unit_test(test_sizes_zero_and_one),
        cmocka_unit_test(test_free_rows),
    cmocka_unit_test(test_scaling), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_iteration_limit_keeps_faces),
    cmocka_unit_test(test_homogeneous_rows_on_a_face), cmocka_unit_test(test_units_of_halves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
