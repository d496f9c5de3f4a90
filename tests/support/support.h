// support.h: what several tests share: small problems, random numbers, an independent residual.
//
// Nothing here calls the code under test except to wrap arrays as operators.
#ifndef PERP_TEST_SUPPORT_H
#define PERP_TEST_SUPPORT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <perp/gallery.h>
#include <perp/method.h>
#include <perp/perp.h>

#define INF ((double)INFINITY)

static uint64_t support_state = 1;

static inline uint64_t draw(void) {   // splitmix64
  uint64_t z = support_state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30))*0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27))*0x94D049BB133111EBu;
  return z ^ (z >> 31);
}
static inline double uniform(void) { return (double)(draw() >> 11)*0x1p-53; }
static inline double between(double low, double high) { return low + (high - low)*uniform(); }
static inline int whole(int low, int high) {
  return low + (int)(draw()%(uint64_t)(high - low + 1));
}

// 1: a build that watches the steps and not the numbers, under sanitizers or counting lines. ./test
// asks for fewer repetitions there; the main build has them all.
static inline int is_brief(void) { return getenv("PERP_BRIEF_TESTS") != NULL; }
static inline int fewer(int trials) { return is_brief() ? (trials + 4)/5 : trials; }

// How often a random trial is repeated: twenty times as often in the long tests, from another seed.
static inline int often(int trials) {
  static int asked, longer;
  if (!asked) {
    asked = 1;
    longer = getenv("PERP_LONG_TESTS") != NULL;
    if (longer) support_state += 1000;
  }
  return longer ? 20*trials : trials;
}

static inline int takes(const perp_method *m, const perp_problem *p) {   // what it is made for
  return perp_method_accepts(m, p) == PERP_OK;
}

typedef struct sample {      // a problem with n <= room; the matrix dense and by columns
  int32_t n;
  double *M;                 // n x n, row-major
  double *b, *lo, *hi, *x;   // n; x: a known solution, or whatever the test keeps there
  perp_dense dense;
  perp_csc csc;
  int32_t *colptr, *row;
  double *value;
  perp_problem problem;
} sample;

static inline sample sample_new(int32_t n) {
  const size_t m = (size_t)n + 1;
  sample s = {.n = n};
  s.M = calloc(m*m, sizeof(double));
  s.b = calloc(m, sizeof(double));
  s.lo = calloc(m, sizeof(double));
  s.hi = calloc(m, sizeof(double));
  s.x = calloc(m, sizeof(double));
  s.colptr = calloc(m, sizeof(int32_t));
  s.row = calloc(m*m, sizeof(int32_t));
  s.value = calloc(m*m, sizeof(double));
  assert_true(s.M && s.b && s.lo && s.hi && s.x && s.colptr && s.row && s.value);
  for (int32_t i = 0; i < n; i++) s.hi[i] = INF;
  return s;
}

static inline void sample_free(sample *s) {
  void *const all[] = {s->M, s->b, s->lo, s->hi, s->x, s->colptr, s->row, s->value};
  for (size_t k = 0; k < sizeof all/sizeof all[0]; k++) free(all[k]);
}

#define AT(s, i, j) (s)->M[(size_t)(i)*(size_t)(s)->n + (size_t)(j)]

static inline const perp_problem *sample_dense(sample *s) {   // views of the arrays as they are now
  s->dense = (perp_dense){.n = s->n, .value = s->M};
  const perp_operator A = perp_from_dense(&s->dense, 0);
  s->problem = (perp_problem){.A = A, .b = s->b, .lo = s->lo, .hi = s->hi};
  return &s->problem;
}

// zeros: store them too
static inline const perp_problem *sample_csc(sample *s, int zeros, uint32_t claims) {
  int32_t nnz = 0;
  for (int32_t j = 0; j < s->n; j++) {
    s->colptr[j] = nnz;
    for (int32_t i = 0; i < s->n; i++) {
      if (AT(s, i, j) == 0.0 && !zeros) continue;
      s->row[nnz] = i;
      s->value[nnz++] = AT(s, i, j);
    }
  }
  s->colptr[s->n] = nnz;
  s->csc = (perp_csc){s->n, s->n, s->colptr, s->row, s->value};
  const perp_operator A = perp_from_csc(&s->csc, claims);
  s->problem = (perp_problem){.A = A, .b = s->b, .lo = s->lo, .hi = s->hi};
  return &s->problem;
}

// Bounds of a random kind around x_i, and a complementary y_i.
static inline double complementary(sample *s, int32_t i) {
  const double x = s->x[i], y = between(0.1, 2.0);
  const int kind = whole(0, 6);
  s->lo[i] = kind == 0 || kind == 3 || kind == 5   ? -INF
             : kind == 1 || kind == 4 || kind == 6 ? x
                                                   : x - between(0.1, 2);
  s->hi[i] = kind == 0 || kind == 1 || kind == 5 ? INF : kind == 3 ? x : x + between(0.1, 2);
  if (kind == 5) s->lo[i] = x - between(0.1, 2);
  if (kind == 6) s->hi[i] = x;                     // fixed
  switch (kind) {
    case 1: case 4: return y;                      // at the lower bound
    case 3: return -y;                             // at the upper one
    case 6: return uniform() < 0.5 ? y : -y;
    default: return 0.0;                           // free, or inside
  }
}

// b = y - A x, in long double, rounded once.
static inline void sample_right_side(sample *s, const double *y) {
  for (int32_t i = 0; i < s->n; i++) {
    long double sum = y[i];
    for (int32_t j = 0; j < s->n; j++) sum -= (long double)AT(s, i, j)*s->x[j];
    s->b[i] = (double)sum;
  }
}

// max |mid(x - hi, y, x - lo)| in long double from dense data; *size: max of |A||x| + |b|.
static inline double own_residual(const sample *s, const double *x, double *size) {
  long double worst = 0.0L, largest = 0.0L;
  for (int32_t i = 0; i < s->n; i++) {
    long double y = s->b[i], a = fabsl(y);
    for (int32_t j = 0; j < s->n; j++) {
      y += (long double)AT(s, i, j)*x[j];
      a += fabsl((long double)AT(s, i, j)*x[j]);
    }
    const long double above = (long double)x[i] - s->hi[i], below = (long double)x[i] - s->lo[i];
    const long double r = fabsl(y < above ? above : y > below ? below : y);
    if (!(r <= worst)) worst = r == r ? r : (long double)INFINITY;
    if (a > largest) largest = a;
  }
  if (size != NULL) *size = (double)largest;
  return (double)worst;
}

// The same for any CSC problem; NULL bounds as in perp_problem.
static inline double csc_residual(const perp_csc *A, const double *b, const double *lo,
                                  const double *hi, const double *x, double *size) {
  const size_t n = (size_t)A->columns;
  long double *y = calloc(n + 1, sizeof *y), *a = calloc(n + 1, sizeof *a);
  long double worst = 0.0L, largest = 0.0L;
  assert_true(y != NULL && a != NULL);
  for (int32_t j = 0; j < A->columns; j++)
    for (int32_t p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
      const long double t = (long double)A->value[p]*x[j];
      y[A->row[p]] += t;
      a[A->row[p]] += fabsl(t);
    }
  for (size_t i = 0; i < n; i++) {
    const long double yi = y[i] + b[i], above = (long double)x[i] - (hi != NULL ? hi[i] : INF),
                      below = (long double)x[i] - (lo != NULL ? lo[i] : 0.0);
    const long double r = fabsl(yi < above ? above : yi > below ? below : yi);
    if (!(r <= worst)) worst = r == r ? r : (long double)INFINITY;
    if (a[i] + fabsl((long double)b[i]) > largest) largest = a[i] + fabsl((long double)b[i]);
  }
  free(y);
  free(a);
  if (size != NULL) *size = (double)largest;
  return (double)worst;
}

static inline void symmetric_definite(sample *s) {   // B B'/n + I/2, sometimes sparse
  const int32_t n = s->n;
  double *B = calloc((size_t)n*(size_t)n + 1, sizeof *B);
  assert_non_null(B);
  const double density = uniform() < 0.5 ? 1.0 : 3.0/(n + 1);
  for (int32_t k = 0; k < n*n; k++) B[k] = uniform() < density ? between(-1, 1) : 0.0;
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++) {
      double sum = i == j ? 0.5 : 0.0;
      for (int32_t k = 0; k < n; k++) sum += B[i*n + k]*B[j*n + k];
      AT(s, i, j) = sum;
    }
  free(B);
}

// ---- for the certificate ----

static inline perp_certificate certify(const perp_problem *p, const double *x) {
  perp_certificate c;
  memset(&c, 0x5a, sizeof c);
  if (perp_certify(p, x, 1e-8, 0.0, NULL, &c) != PERP_OK) fail_msg("%s", perp_last_message());
  return c;
}

// A random problem with a known solution s.x; entries of mixed sign, not symmetric.
static inline sample random_known(int32_t n) {
  sample s = sample_new(n);
  double *y = calloc((size_t)n + 1, sizeof *y);
  assert_non_null(y);
  const double density = uniform() < 0.5 ? 1.0 : between(0.1, 0.6);
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++)
      AT(&s, i, j) = i == j || uniform() < density ? between(-1, 1) : 0.0;
  for (int32_t i = 0; i < n; i++) s.x[i] = between(-2, 2);
  for (int32_t i = 0; i < n; i++) y[i] = complementary(&s, i);
  sample_right_side(&s, y);
  free(y);
  return s;
}

// Rows by r, columns by c: x -> x/c, bounds likewise, b -> r b.
static inline void rescale(sample *s, const double *r, const double *c, double *x) {
  for (int32_t i = 0; i < s->n; i++) {
    for (int32_t j = 0; j < s->n; j++) AT(s, i, j) *= r[i]*c[j];
    s->b[i] *= r[i];
    s->lo[i] /= c[i];
    s->hi[i] /= c[i];
    x[i] /= c[i];
  }
}

static inline double scaling(int powers_of_two, double decades) {
  const double e = between(-decades, decades);
  return powers_of_two ? ldexp(1.0, (int)(e*3.3219)) : pow(10.0, e)*between(0.5, 1.5);
}

// A clear non-solution: an interior or free row misses by a lot.
static inline void perturb(const sample *s, double *x) {
  for (int32_t i = 0; i < s->n; i++) x[i] = s->x[i];
  for (int tries = 0; tries < 1000; tries++) {
    const int32_t i = whole(0, s->n - 1);
    const double old = x[i], z = x[i] + between(-1, 1);
    x[i] = z < s->lo[i] ? s->lo[i] : z > s->hi[i] ? s->hi[i] : z;
    if (own_residual(s, x, NULL) > 0.05) return;
    if (tries % 10 != 9) x[i] = old;
  }
}

#endif
