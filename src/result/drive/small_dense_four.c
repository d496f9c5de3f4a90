// small_dense_four.c: four problems with the same number of rows at once, one in each quarter of a
// vector.
//
// Pivots, products and bounds repeat small_dense.c and small_dense_bound.c operation by operation,
// so that every quarter gets the bits of small_dense_solve. Sums in four parts stay sums in four
// parts. A round pivots on each row k that is wrong in at least one quarter. In the other quarters
// 0 replaces 1/T_kk, which changes nothing: T_ij - T_ik (T_kj 0) is T_ij.
//
// A quarter is left to small_dense_solve if its data are invalid or extreme, if its guess is not
// x_ref, if a pivot is not safe, if it needs more than ROUNDS_MAX rounds, or if the bound does not
// hold. ROUNDS_MAX is less than SMALL_DENSE_IDLE_ROUNDS_MAX, so no round here is limited to a
// single pivot. A round costs at most n^3 operations on vectors, for four problems.
#include <math.h>

#include "four_doubles.h"
#include "small_dense.h"
#include "vector.h"

enum { N = SMALL_DENSE_N, ROUNDS_MAX = SMALL_DENSE_IDLE_ROUNDS_MAX - 1 };

static const double infinity = (double)INFINITY;

typedef struct quarters {
  four A[N*N], T[N*N];       // n x n, row-major
  four diagonal[N], b[N], lo[N], hi[N], x[N], y[N], g[N];
  four most, least, g_most;  // largest and smallest nonzero |A_ij|; largest g_i
  four_mask zeros;           // quarters where A has an entry 0
  four_mask fine;            // quarters that are not left to small_dense_solve
  four_mask reference;       // quarters that x_ref = 0 solves exactly
  // as in small_dense.c
  four v[N], low[N], high[N], bound[N], passed[N];
  four slack, free_low[N], free_high[N];
  four_mask is_free[N], wrong[N];
  four rounds;
} quarters;

EXACT_INLINE four sum_of(const four *part) {   // as four_sum()
  return four_add(four_add(part[0], part[1]), four_add(part[2], part[3]));
}

EXACT_INLINE void product(quarters *q, const int32_t n) {   // y = A x + b
  for (int32_t i = 0; i < n; i++) {
    four s[4] = {four_all(0.0), four_all(0.0), four_all(0.0), four_all(0.0)};
    for (int32_t j = 0; j < n; j++)
      s[j%4] = four_add(s[j%4], four_multiply(q->A[i*n + j], q->x[j]));
    q->y[i] = four_add(sum_of(s), q->b[i]);
  }
}

EXACT_INLINE four norm_of(const four *x, const int32_t n) {   // |x|_1
  four s[4] = {four_all(0.0), four_all(0.0), four_all(0.0), four_all(0.0)};
  for (int32_t i = 0; i < n; i++) s[i%4] = four_add(s[i%4], four_size(x[i]));
  return sum_of(s);
}

EXACT_INLINE four rounding_of(const quarters *q, four b, four norm, double scale) {
  return four_multiply(four_all(scale), four_add(four_size(b), four_multiply(q->most, norm)));
}

// The entries row-major without gaps: D's own if it has them so, else a copy in `room`.
EXACT_INLINE const double *entries(const perp_dense *D, const int32_t n, double *room) {
  const size_t ld = (size_t)(D->ld != 0 ? D->ld : n);
  if (!D->by_column && (D->ld == 0 || D->ld == n)) return D->value;
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++)
      room[i*n + j] = D->value[D->by_column ? (size_t)j*ld + (size_t)i : (size_t)i*ld + (size_t)j];
  return room;
}

// The same as four_max() and four_min(), in a form that compilers turn into one instruction here.
EXACT_INLINE four larger(four a, four b) {
  return four_of(max2(FOUR_AT(a, 0), FOUR_AT(b, 0)), max2(FOUR_AT(a, 1), FOUR_AT(b, 1)),
                 max2(FOUR_AT(a, 2), FOUR_AT(b, 2)), max2(FOUR_AT(a, 3), FOUR_AT(b, 3)));
}
EXACT_INLINE four smaller(four a, four b) {
  return four_of(min2(FOUR_AT(a, 0), FOUR_AT(b, 0)), min2(FOUR_AT(a, 1), FOUR_AT(b, 1)),
                 min2(FOUR_AT(a, 2), FOUR_AT(b, 2)), min2(FOUR_AT(a, 3), FOUR_AT(b, 3)));
}

// The limits on sums are half of those in small_dense.c, as the order of additions differs.
EXACT_INLINE void load_matrix(quarters *q, const perp_dense *const D[4], const int32_t n) {
  double room[4][N*N];
  const double *a = entries(D[0], n, room[0]), *b = entries(D[1], n, room[1]),
               *c = entries(D[2], n, room[2]), *d = entries(D[3], n, room[3]);
  const four none = four_all(infinity), zero = four_all(0.0);
  four most = zero, least = none, sum = zero;
  for (int32_t k = 0; k < n*n; k++) {
    const four v = four_of(a[k], b[k], c[k], d[k]), size = four_size(v);
    q->A[k] = q->T[k] = v;
    most = larger(most, size);
    least = smaller(least, size);
    sum = four_add(sum, size);
  }
  q->zeros = four_at_most(least, zero);
  if (four_any(q->zeros)) {
    least = none;
    for (int32_t k = 0; k < n*n; k++) {
      const four size = four_size(q->A[k]);
      least = four_min(least, four_choose(four_less(zero, size), size, none));
    }
  }
  q->most = most;
  q->least = least;
  q->fine = four_and(four_at_most(sum, four_all(0.5*SMALL_DENSE_SIZE_MAX)),
                     four_and(four_at_most(four_all(2.0/SMALL_DENSE_SIZE_MAX), sum),
                              four_at_most(four_multiply(most, four_all(SMALL_DENSE_ENTRY_RATIO_MIN)),
                                           least)));
  for (int32_t i = 0; i < n; i++) {
    q->diagonal[i] = q->A[i*(n + 1)];
    q->fine = four_and(q->fine, four_less(zero, q->diagonal[i]));
  }
}

EXACT_INLINE four bounds_at(const double *const v[4], int32_t i, double otherwise) {
  return four_of(v[0] != NULL ? v[0][i] : otherwise, v[1] != NULL ? v[1][i] : otherwise,
                 v[2] != NULL ? v[2][i] : otherwise, v[3] != NULL ? v[3][i] : otherwise);
}

// Copies b and the bounds, sets x = x_ref, and marks as wrong the rows whose guess is between the
// bounds: the first round makes them free.
EXACT_INLINE void load_vectors(quarters *q, const perp_problem *const p[4],
                               double *const guess[4], const int32_t n) {
  const four zero = four_all(0.0), far = four_all(SMALL_DENSE_SIZE_MAX);
  const double *const lo[4] = {p[0]->lo, p[1]->lo, p[2]->lo, p[3]->lo},
               *const hi[4] = {p[0]->hi, p[1]->hi, p[2]->hi, p[3]->hi};
  const int plain_lo = lo[0] == NULL && lo[1] == NULL && lo[2] == NULL && lo[3] == NULL,
            plain_hi = hi[0] == NULL && hi[1] == NULL && hi[2] == NULL && hi[3] == NULL;
  four size = zero;
  for (int32_t i = 0; i < n; i++) {
    const four b = four_of(p[0]->b[i], p[1]->b[i], p[2]->b[i], p[3]->b[i]),
               x = four_of(guess[0][i], guess[1][i], guess[2][i], guess[3][i]),
               low = plain_lo ? zero : bounds_at(lo, i, 0.0),
               high = plain_hi ? four_all(infinity) : bounds_at(hi, i, infinity),
               reference = four_min(high, four_max(low, zero)),
               clamped = four_min(high, four_max(low, x));
    q->b[i] = b;
    q->lo[i] = low;
    q->hi[i] = high;
    q->x[i] = reference;
    q->wrong[i] = four_and(four_less(low, x), four_less(x, high));
    q->is_free[i] = four_bits(0);
    size = four_add(size, four_add(four_size(b), four_size(x)));
    const four_mask valid = four_and(four_at_most(low, high),
                                     four_and(four_at_most(low, far),
                                              four_at_most(four_subtract(zero, far), high))),
                    same = four_and(four_at_most(clamped, reference),
                                    four_at_most(reference, clamped));
    q->fine = four_and(q->fine, four_and(valid, same));
  }
  q->fine = four_and(q->fine, four_at_most(size, four_all(0.5*SMALL_DENSE_SIZE_MAX)));
}

// Computes y and g at x_ref, v and the limits of v.
EXACT_INLINE void begin(quarters *q, const int32_t n) {
  const four zero = four_all(0.0), none = four_all(infinity),
             norm = norm_of(q->x, n);
  const four_mask moved = four_less(zero, norm);
  const double scale = SMALL_DENSE_PRODUCT((n + 3)/4);
  if (four_any(moved)) product(q, n);
  else
    for (int32_t i = 0; i < n; i++) q->y[i] = q->b[i];
  four most = zero, inexact = zero;
  for (int32_t i = 0; i < n; i++) {
    const four y = q->y[i], x = q->x[i], size = four_size(y),
               distance = four_choose(four_less(y, zero), four_subtract(q->hi[i], x),
                                      four_subtract(x, q->lo[i])),
               known = four_subtract(size, four_choose(moved, rounding_of(q, q->b[i], norm, scale),
                                                       zero));
    q->g[i] = four_max(zero, four_min(known, four_multiply(q->diagonal[i], distance)));
    most = four_max(most, q->g[i]);
    inexact = four_max(inexact, four_min(size, distance));
  }
  q->g_most = most;
  q->reference = four_and(four_and(q->fine, four_not(moved)), four_at_most(inexact, zero));
  q->fine = four_and(q->fine, four_at_most(four_all(1.0/SMALL_DENSE_SIZE_MAX), most));
  const four slack = four_multiply(four_all(SMALL_DENSE_VIOLATION_MIN), most),
             below = four_subtract(zero, slack);
  q->slack = slack;
  for (int32_t i = 0; i < n; i++) {
    const four scaled = four_divide(slack, q->diagonal[i]);
    q->free_low[i] = four_subtract(q->lo[i], scaled);
    q->free_high[i] = four_add(q->hi[i], scaled);
    q->v[i] = q->y[i];
    q->bound[i] = q->passed[i] = q->x[i];
    q->low[i] = four_choose(four_less(q->x[i], q->hi[i]), below, four_subtract(zero, none));
    q->high[i] = four_choose(four_less(q->lo[i], q->x[i]), slack, none);
  }
}

// T_ij -= T_ik scaled_j and v_i += T_ik step in rows from .. to - 1
EXACT_INLINE void eliminate(quarters *q, const int32_t n, int32_t k, int32_t from, int32_t to,
                            const four *scaled, four inverse, four step, four_mask now) {
  for (int32_t i = from; i < to; i++) {
    four *t = q->T + i*n;
    const four f = t[k];
    for (int32_t j = 0; j < n; j++) t[j] = four_subtract(t[j], four_multiply(f, scaled[j]));
    t[k] = four_choose(now, four_multiply(f, inverse), f);
    q->v[i] = four_add(q->v[i], four_multiply(f, step));
  }
}

// A pivot on k in the quarters where row k is wrong.
EXACT_INLINE void exchange(quarters *q, const int32_t n, int32_t k) {
  const four zero = four_all(0.0), none = four_all(infinity), slack = q->slack;
  four *row = q->T + k*n;
  const four diagonal = q->diagonal[k], pivot = row[k];
  const four_mask was_free = q->is_free[k], here = four_and(q->wrong[k], q->fine),
                  safe = four_less(four_choose(was_free, four_all(SMALL_DENSE_PIVOT_MIN),
                                               four_multiply(four_all(SMALL_DENSE_PIVOT_MIN), diagonal)),
                                   four_choose(was_free, four_multiply(pivot, diagonal), pivot)),
                  now = four_and(here, safe), to_bound = four_and(now, was_free);
  q->fine = four_and(q->fine, four_or(safe, four_not(here)));
  const four bound = four_choose(to_bound, q->passed[k], q->bound[k]), v = q->v[k],
             inverse = four_choose(now, four_divide(four_all(1.0), pivot), zero),
             step = four_choose(now, four_multiply(four_subtract(four_choose(was_free, bound, zero),
                                                                 v), inverse), zero);
  four scaled[N];
  for (int32_t j = 0; j < n; j++) {
    scaled[j] = four_multiply(row[j], inverse);
    row[j] = four_choose(now, four_subtract(zero, scaled[j]), row[j]);
  }
  row[k] = four_choose(now, inverse, pivot);
  eliminate(q, n, k, k + 1, n, scaled, inverse, step, now);   // first: the next pivot waits for it
  eliminate(q, n, k, 0, k, scaled, inverse, step, now);
  const four low = four_choose(was_free, four_choose(four_less(bound, q->hi[k]),
                                                     four_subtract(zero, slack),
                                                     four_subtract(zero, none)), q->free_low[k]),
             high = four_choose(was_free, four_choose(four_less(q->lo[k], bound), slack, none),
                                q->free_high[k]);
  q->bound[k] = bound;
  q->v[k] = four_choose(now, four_choose(was_free, step, four_add(bound, step)), v);
  q->low[k] = four_choose(now, low, q->low[k]);
  q->high[k] = four_choose(now, high, q->high[k]);
  q->is_free[k] = four_or(four_and(now, four_not(was_free)), four_and(was_free, four_not(now)));
}

// exchange() with n as a constant, so that the compiler unrolls the loops over a row.
#define ALL_SIZES(X) \
  X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)
#define EXCHANGE(n) \
  FOUR_TARGET static void exchange_##n(quarters *q, int32_t k) { exchange(q, n, k); }
#define NAME(n) exchange_##n,
ALL_SIZES(EXCHANGE)
static void (*const exchange_row[])(quarters *, int32_t) = {NULL, ALL_SIZES(NAME)};

EXACT_INLINE uint32_t rows_of(four_mask m) {
  return (uint32_t)(FOUR_AT(m, 0) | FOUR_AT(m, 1) | FOUR_AT(m, 2) | FOUR_AT(m, 3));
}

EXACT_INLINE void pivot_all(quarters *q, const int32_t n) {
  four_mask any = four_bits(0);
  for (int32_t i = 0; i < n; i++)
    any = four_or(any, four_and(four_and(q->wrong[i], q->fine), four_bits(INT64_C(1) << i)));
  uint32_t rows = rows_of(any);
  q->rounds = four_all(0.0);
  for (int32_t round = 0; round < ROUNDS_MAX; round++) {
    for (int32_t k = 0; k < n; k++)
      if (rows >> k & 1u) exchange_row[n](q, k);
    four_mask busy = any = four_bits(0);
    for (int32_t i = 0; i < n; i++) {
      const four_mask below = four_less(q->v[i], q->low[i]);
      q->passed[i] = four_choose(below, q->lo[i], q->hi[i]);
      q->wrong[i] = four_and(q->fine, four_or(below, four_less(q->high[i], q->v[i])));
      busy = four_or(busy, q->wrong[i]);
      any = four_or(any, four_and(q->wrong[i], four_bits(INT64_C(1) << i)));
    }
    rows = rows_of(any);
    if (rows == 0) return;
    q->rounds = four_add(q->rounds, four_choose(busy, four_all(1.0), four_all(0.0)));
    if (round == ROUNDS_MAX - 1) q->fine = four_and(q->fine, four_not(busy));
  }
}

// (3) of small_dense_bound.c
EXACT_INLINE void fit(const quarters *q, const int32_t n, four *factor) {
  const four zero = four_all(0.0), scale = four_all(0x1p-37/n), offset = four_all(1023.0);
  four_mask columns[N];
  four c[N], mean = zero, a_most = zero, c_most = zero, g = zero;
  for (int32_t i = 0; i < n; i++) {
    four_mask row = four_bits(0);
    for (int32_t j = 0; j < n; j++) {
      const four_mask log = four_log2_nearly(four_size(q->A[i*n + j]));
      row = four_plus(row, log);
      columns[j] = i > 0 ? four_plus(columns[j], log) : log;
    }
    const four log = four_subtract(four_multiply(four_of_whole(row), scale), offset),
               a = four_exp2_nearly(four_subtract(zero, log));
    mean = four_add(mean, log);
    a_most = four_max(a_most, a);
    g = four_max(g, four_multiply(a, q->g[i]));
  }
  mean = four_divide(mean, four_all(n));
  for (int32_t j = 0; j < n; j++) {
    const four log = four_subtract(four_multiply(four_of_whole(columns[j]), scale), offset);
    c[j] = four_exp2_nearly(four_subtract(mean, log));
    c_most = four_max(c_most, c[j]);
  }
  const four all = four_divide(four_multiply(four_multiply(four_multiply(four_all(12.0), q->most),
                                                           a_most), c_most), g);
  for (int32_t i = 0; i < n; i++)
    factor[i] = four_divide(all, four_multiply(q->diagonal[i], c[i]));
}

typedef struct verdict { four residual, natural, gap, worst; } verdict;

// bound_holds() of small_dense.c for x and y = A x + b
EXACT_INLINE void judge(quarters *q, const int32_t n, double within, verdict *r) {
  const four zero = four_all(0.0), norm = norm_of(q->x, n), size = norm_of(q->y, n);
  const four_mask two = four_less(four_multiply(four_all(256.0), q->least), q->most);
  const double scale = SMALL_DENSE_PRODUCT((n + 3)/4);
  four fitted[N];
  const int any_two = four_any(two);
  if (any_two) fit(q, n, fitted);
  const four factor = four_divide(four_multiply(four_choose(two, four_all(8.5), four_all(4.5)),
                                                q->most), q->g_most);
  four gap[4] = {zero, zero, zero, zero}, all = zero;
  r->residual = r->natural = r->worst = zero;
  for (int32_t i = 0; i < n; i++) {
    const four y = q->y[i], below = four_subtract(q->x[i], q->lo[i]),
               above = four_subtract(q->x[i], q->hi[i]),
               rounding = four_add(rounding_of(q, q->b[i], norm, scale),
                                   four_multiply(four_all(2.0*SMALL_DENSE_UNIT), four_size(y))),
               positive = four_choose(four_less(zero, below), four_add(y, rounding), zero),
               negative = four_choose(four_less(above, zero), four_subtract(rounding, y), zero),
               t = four_max(zero, four_max(positive, negative)),
               one = four_divide(four_multiply(factor, t), q->diagonal[i]),
               both = any_two ? four_max(one, four_multiply(fitted[i], t)) : one,
               relative = four_choose(two, both, one),
               distance = four_choose(four_less(zero, y), below, four_subtract(zero, above));
    r->worst = four_choose(four_less(r->residual, relative), four_all(i), r->worst);
    r->residual = four_max(r->residual, relative);
    all = four_add(all, relative);   // a maximum could hide a NaN
    r->natural = four_max(r->natural, four_size(four_min(below, four_max(above, y))));
    // as gap_distance() of certify_row.h
    const four reach = four_choose(four_less(distance, four_all(infinity)), distance,
                                   four_size(q->x[i]));
    gap[i%4] = four_add(gap[i%4], four_multiply(four_size(y), reach));
  }
  r->gap = sum_of(gap);
  q->fine = four_and(four_and(q->fine, four_not(four_and(two, q->zeros))),   // (2) is not known
                     four_and(four_at_most(four_add(all, four_add(norm, size)), four_all(0x1p199)),
                              four_at_most(r->residual, four_all(within))));
}

EXACT_INLINE void settle(quarters *q, const int32_t n) {   // x from v and the bounds, clamped
  for (int32_t i = 0; i < n; i++) {
    const four x = four_choose(q->is_free[i], q->v[i], q->bound[i]);
    q->x[i] = four_add(four_min(q->hi[i], four_max(q->lo[i], x)), four_all(0.0));
  }
}

// Vectors go by pointer: clang forbids vector arguments in calls from a function with FOUR_TARGET.
FOUR_TARGET static void solve(const perp_problem *const p[4], const perp_dense *const D[4],
                              double *const guess[4], double within, small_dense_end end[4],
                              small_dense_answer answer[4]) {
  quarters table, *q = &table;
  const int32_t n = D[0]->n;
  load_matrix(q, D, n);
  load_vectors(q, p, guess, n);
  begin(q, n);
  pivot_all(q, n);
  settle(q, n);
  product(q, n);
  verdict r;
  judge(q, n, within, &r);
  for (int k = 0; k < 4; k++) {
    const int ld = D[k]->ld != 0 ? D[k]->ld : n, strongly = !FOUR_AT(q->reference, k),
              one = (!FOUR_AT(q->zeros, k) || small_dense_connected(D[k]->value, n, ld,
                                                                    strongly)) &&
                    !small_dense_two_sided(D[k]->value, n, ld);   // as connected() of small_dense.c
    end[k] = !one ? SMALL_DENSE_NONE : FOUR_AT(q->reference, k) ? SMALL_DENSE_REFERENCE
                               : FOUR_AT(q->fine,
                                         k)      ? SMALL_DENSE_CERTIFIED : SMALL_DENSE_NONE;
    answer[k].rounds = 0;
    answer[k].certificate =
        (perp_certificate){.solved = 1, .components = 1, .componentwise_row = -1};
    for (int32_t i = 0; i < n; i++) answer[k].x[i] = FOUR_AT(q->x[i], k);
    if (end[k] != SMALL_DENSE_CERTIFIED) continue;
    answer[k].rounds = (int32_t)FOUR_AT(q->rounds, k);
    answer[k].certificate.worst = (int32_t)FOUR_AT(r.worst, k);
    answer[k].certificate.residual = FOUR_AT(r.residual, k);
    answer[k].certificate.natural_residual = FOUR_AT(r.natural, k);
    answer[k].certificate.gap = FOUR_AT(r.gap, k);
  }
}

// Without FOUR_TARGET a vector takes two registers, and solving four at once gains nothing.
void small_dense_solve_four(const perp_problem *const p[4], const perp_dense *const D[4],
                            double *const guess[4], double within, small_dense_end end[4],
                            small_dense_answer answer[4]) {
  if (FOUR_HAS_TARGET()) solve(p, D, guess, within, end, answer);
  else
    for (int k = 0; k < 4; k++) end[k] = SMALL_DENSE_NONE;
}
