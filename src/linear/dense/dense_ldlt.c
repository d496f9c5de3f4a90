// dense_ldlt.c: solves A_II z = rhs for symmetric A by Bunch-Kaufman's U'DU; needs submatrix().
//
//   P S P' = U'DU,  D with blocks of one and two rows      Bunch, Kaufman: Some stable methods for
//                                 calculating inertia and solving symmetric linear systems (1977)
//
// A_II is first scaled on both sides by powers of two, S = diag(s) A_II diag(s). It counts as
// singular if no pivot above m 2^-52 is left; the scaling makes this independent of units. Only the
// upper triangle is used, row by row.
// Cost: m^3/3 flops for update, 2 m^2 for solve; memory for n^2 numbers.
#include <perp/method.h>

#include <math.h>

#include "arena.h"
#include "dense_kernels.h"
#include "principal.h"
#include "solvers.h"
#include "vector.h"

// (1 + sqrt(17))/8 minimises the bound on the growth of entries. If larger, a wall is not solved.
#define PIVOT_RATIO 0.6403882032022076

static void exchange(double *a, double *b) {
  const double t = *a;
  *a = *b;
  *b = t;
}

#define AT(i, j) S[(size_t)(i)*(size_t)m + (size_t)(j)]

// Exchanges rows and columns p < q, in the factored part, too.
static void permute(int32_t m, double *S, int32_t *order, int32_t p, int32_t q) {
  for (int32_t i = 0; i < p; i++) exchange(&AT(i, p), &AT(i, q));
  for (int32_t i = p + 1; i < q; i++) exchange(&AT(p, i), &AT(i, q));
  for (int32_t j = q + 1; j < m; j++) exchange(&AT(p, j), &AT(q, j));
  exchange(&AT(p, p), &AT(q, q));
  const int32_t t = order[p];
  order[p] = order[q];
  order[q] = t;
}

// The largest |off-diagonal entry| of row r in columns k .. m-1; *at: its column.
static double largest(int32_t m, const double *S, int32_t k, int32_t r, int32_t *at) {
  double most = 0.0;
  for (int32_t i = k; i < r; i++)
    if (fabs(AT(i, r)) > most) most = fabs(AT(*at = i, r));
  for (int32_t j = r + 1; j < m; j++)
    if (fabs(AT(r, j)) > most) most = fabs(AT(r, *at = j));
  return most;
}

static void eliminate_one(int32_t m, double *S, int32_t k) {
  const double d = AT(k, k);
  for (int32_t i = k + 1; i < m; i++) {
    const double v = AT(k, i);
    if (v == 0.0) continue;
    const double u = v/d;
    principal_add(m - i, -u, &AT(k, i), &AT(i, i));
    AT(k, i) = u;
  }
}

static void eliminate_two(int32_t m, double *S, int32_t k) {
  // D = [a b; b c], where b is the largest entry of its rows. Divide by b first to avoid overflow.
  const double b = AT(k, k + 1), a = AT(k, k)/b, c = AT(k + 1, k + 1)/b, det = a*c - 1.0;
  for (int32_t i = k + 2; i < m; i++) {
    const double p = AT(k, i)/b, q = AT(k + 1, i)/b;
    if (p == 0.0 && q == 0.0) continue;
    const double u = (c*p - q)/det, v = (a*q - p)/det;
    principal_add(m - i, -u, &AT(k, i), &AT(i, i));
    principal_add(m - i, -v, &AT(k + 1, i), &AT(i, i));
    AT(k, i) = u;
    AT(k + 1, i) = v;
  }
}

// Factors P S P' = U'DU, U unit upper triangular, D with blocks of one and two rows. S: m x m,
// row-major; only its upper triangle is read, and D and U replace it. order: row k of P S P' is row
// order[k] of S. block[k] is 1, or 2 and 0 for the two rows of a block. Returns 0; k + 1: row k has
// no pivot above `floor`; -1: deadline.
static int32_t factor(int32_t m, double *S, int32_t *order, uint8_t *block, double floor,
                      const perp_deadline *deadline) {
  double since = DEADLINE_POLL_FLOPS;
  for (int32_t i = 0; i < m; i++) order[i] = i;
  for (int32_t k = 0; k < m; k += block[k]) {
    if (since >= DEADLINE_POLL_FLOPS) {
      if (deadline_passed(deadline)) return -1;
      since = 0.0;
    }
    since += (double)(m - k)*(m - k);
    int32_t r = k, other = k;
    const double own = fabs(AT(k, k)), lambda = largest(m, S, k, k, &r);
    if (!(max2(own, lambda) > floor)) return order[k] + 1;
    block[k] = 1;
    if (own < PIVOT_RATIO*lambda) {
      const double sigma = largest(m, S, k, r, &other);
      const int weak = own*sigma < PIVOT_RATIO*lambda*lambda;   // 1: the diagonal is no good pivot
      if (weak && fabs(AT(r, r)) >= PIVOT_RATIO*sigma) {
        permute(m, S, order, k, r);
      } else if (weak) {
        if (r != k + 1) permute(m, S, order, k + 1, r);
        block[k] = 2;
        block[k + 1] = 0;
      }
    }
    if (block[k] == 1) eliminate_one(m, S, k);
    else eliminate_two(m, S, k);
  }
  return 0;
}

// v <- S^-1 v; work: m
static void solve_factored(int32_t m, const double *S, const int32_t *order, const uint8_t *block,
                           double *v, double *work) {
  double *w = work;
  for (int32_t k = 0; k < m; k++) w[k] = v[order[k]];
  for (int32_t k = 0; k < m; k++) {                                                         // U'
    const int32_t next = block[k] == 2 ? k + 2 : k + 1;   // skip the entries inside a block
    principal_add(m - next, -w[k], &AT(k, next), w + next);
  }
  for (int32_t k = 0; k < m; k += block[k]) {                                               // D
    if (block[k] == 1) {
      w[k] /= AT(k, k);
      continue;
    }
    const double b = AT(k, k + 1), a = AT(k, k)/b, c = AT(k + 1, k + 1)/b, det = a*c - 1.0,
                 p = w[k]/b, q = w[k + 1]/b;
    w[k] = (c*p - q)/det;
    w[k + 1] = (a*q - p)/det;
  }
  for (int32_t k = m - 1; k >= 0; k--) {                                                    // U
    const int32_t next = block[k] == 2 ? k + 2 : k + 1;
    w[k] -= principal_dot(m - next, &AT(k, next), w + next);
  }
  for (int32_t k = 0; k < m; k++) v[order[k]] = w[k];
}

#undef AT

// ---- as a linear solver ----

typedef struct dense_ldlt {
  int32_t n;
  int32_t m;            // free rows
  int32_t failed;       // code of the last update; solve refuses unless it is 0
  int32_t *set;         // n: the free rows
  int32_t *order;       // n
  uint8_t *block;       // n
  double *S;            // n x n, the first m x m used
  double *s, *v, *w;    // n each: scales, right-hand side, work
  perp_operator A;
} dense_ldlt;

static dense_ldlt *layout(arena *memory, int32_t n) {
  dense_ldlt *self = ARENA_ARRAY(memory, dense_ldlt, 1);
  dense_ldlt parts = {.n = n};
  parts.set = ARENA_ARRAY(memory, int32_t, n);
  parts.order = ARENA_ARRAY(memory, int32_t, n);
  parts.block = ARENA_ARRAY(memory, uint8_t, n);
  parts.s = ARENA_ARRAY(memory, double, n);
  parts.v = ARENA_ARRAY(memory, double, n);
  parts.w = ARENA_ARRAY(memory, double, n);
  parts.S = ARENA_ARRAY(memory, double, (size_t)n*(size_t)n);
  if (self != NULL) *self = parts;
  return self;
}

static int dense_ldlt_accepts(const perp_operator *A) {
  return A->ops->submatrix != NULL && (A->claims & PERP_CLAIM_SYMMETRIC) != 0;
}

static size_t dense_ldlt_bytes(const perp_limits *limits) {
  arena counting = {0};
  layout(&counting, limits->n);
  return counting.used;
}

static int dense_ldlt_analyse(void *memory, const perp_operator *A, const perp_options *options,
                              const perp_allocator *allocator) {
  (void)options;
  (void)allocator;
  if (!dense_ldlt_accepts(A)) return 1;
  arena block = {.base = memory, .capacity = SIZE_MAX, .used = 0};
  dense_ldlt *self = layout(&block, A->n);
  self->A = *A;
  self->failed = 1;   // there is no factor before the first update
  return 0;
}

// S <- diag(s) S diag(s) with powers of two s that bring the largest entry of each row near 1. Each
// pass divides by about the square root of this entry, which halves exponents of up to 2^11.
static void scale(int32_t m, double *S, double *s) {
  const size_t ld = (size_t)m;
  for (int32_t i = 0; i < m; i++) s[i] = 1.0;
  int done = 0;
  for (int32_t pass = 0; pass < 12 && !done; pass++) {
    done = 1;
    for (int32_t i = 0; i < m; i++) {
      double *row = S + (size_t)i*ld, most = 0.0;
      for (int32_t j = 0; j < m; j++) most = max2(most, fabs(row[j]));
      if (!(most > 0.0)) continue;
      int exponent = 0;
      frexp(most, &exponent);
      if (exponent/2 == 0) continue;
      done = 0;
      const double p = power_of_two_within(-(exponent/2), SCALE_EXPONENT_MAX);
      s[i] *= p;
      for (int32_t j = 0; j < m; j++) row[j] *= p;
      for (int32_t k = 0; k < m; k++) S[(size_t)k*ld + (size_t)i] *= p;
    }
  }
}

static int dense_ldlt_update(void *memory, const uint8_t *is_free,
                             const perp_deadline *deadline) {
  dense_ldlt *self = memory;
  const int32_t m = self->m = free_rows(self->n, is_free, self->set);
  self->failed = 0;
  if (m == 0) return 0;
  self->A.ops->submatrix(self->A.self, self->set, m, self->S);
  scale(m, self->S, self->s);
  self->failed = factor(m, self->S, self->order, self->block, m*0x1p-52, deadline);
  return self->failed;
}

static int dense_ldlt_solve(void *memory, const double *rhs, double *z,
                            const perp_deadline *deadline) {
  dense_ldlt *self = memory;
  for (int32_t i = 0; i < self->n; i++) z[i] = 0.0;
  if (self->failed != 0) return 1;
  if (deadline_passed(deadline)) return -1;
  for (int32_t k = 0; k < self->m; k++) self->v[k] = self->s[k]*rhs[self->set[k]];
  solve_factored(self->m, self->S, self->order, self->block, self->v, self->w);
  for (int32_t k = 0; k < self->m; k++) z[self->set[k]] = self->s[k]*self->v[k];
  return 0;
}

static double dense_ldlt_estimate(const void *memory, const uint8_t *is_free) {
  const dense_ldlt *self = memory;
  const double m = free_rows(self->n, is_free, NULL);
  return (1.0/3.0*m*m*m + 20.0*m*m)*1e-9;   // a nanosecond per flop
}

const perp_linear_ops linear_dense_ldlt = {
  .name = "dense_ldlt",
  .title = "dense LDL' after Bunch and Kaufman, for symmetric A",
  .accepts = dense_ldlt_accepts,
  .bytes = dense_ldlt_bytes,
  .analyse = dense_ldlt_analyse,
  .update = dense_ldlt_update,
  .solve = dense_ldlt_solve,
  .estimate = dense_ldlt_estimate,
};
