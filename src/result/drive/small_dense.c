// small_dense.c: block principal pivoting on the stack, for small dense problems.
//
//   y = T x + q with T = A at the start.   A pivot on k exchanges y_k and x_k:
//   T_kk <- 1/T_kk,  T_kj <- -T_kj/T_kk,  T_ik <- T_ik/T_kk,  T_ij <- T_ij - T_ik T_kj/T_kk
//
// The algorithm of principal_pivoting.c, on a table instead of factors. Each round flips the rows
// whose value is wrong: all of them if their number has reached a new minimum within the last 10
// rounds, else only the last one (Judice, Pires 1994; Murty). This is finite for P-matrices. Pivoting
// also ends after SMALL_DENSE_ROUNDS, or at a pivot that is not safely positive. A pivot costs n^2
// operations. small_dense_bound.c certifies the answer if its bounds suffice, else certify.c does.
#include "small_dense.h"

#include <math.h>
#include <string.h>

#include "four_doubles.h"
#include "vector.h"

static const double u = SMALL_DENSE_UNIT, infinity = (double)INFINITY;

// ones + SMALL_DENSE_N - 1 - k points to an array of ones whose k-th entry is 0.
static const double ones[2*SMALL_DENSE_N - 1] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0,
                                           1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

typedef struct pivots {
  double v[SMALL_DENSE_N];         // y_k where k is at a bound, x_k where it is free
  double low[SMALL_DENSE_N], high[SMALL_DENSE_N];   // v_k is wrong outside of low_k .. high_k
  double bound[SMALL_DENSE_N];     // x_k where k is at a bound
  double passed[SMALL_DENSE_N];    // the bound that x_k violated in the last check, if k is free
  uint32_t is_free;                // a bit for each row
  int32_t flip[SMALL_DENSE_N], flips;   // rows to exchange next
} pivots;

// y = A x + b. A row has four partial sums, so the order of additions is the same on every machine.
EXACT_INLINE void product(small_dense_table *q, const int32_t fours) {
  for (int32_t i = 0; i < q->n; i++) {
    four s = four_all(0.0);
    for (int32_t c = 0; c < fours; c++)
      s = four_add(s, four_multiply(four_load(q->A + 4*(i*fours + c)), four_load(q->x + 4*c)));
    q->y[i] = four_sum(s) + q->b[i];
  }
}
// The rounding of y_i, relative to |b_i| + M |x|_1 with M = max |A_ij|.
EXACT_INLINE double product_rounding(const int32_t fours) { return SMALL_DENSE_PRODUCT(fours); }

// The same as if in twice the precision: the error is at most u |y| + EXACT_ROUNDING (|b| + |A||x|)
// (Ogita, Rump, Oishi).
EXACT_INLINE void product_exact(small_dense_table *q, const int32_t fours) {
  for (int32_t i = 0; i < q->n; i++) {
    exact_sum s = {q->b[i], 0.0};
    for (int32_t j = 0; j < q->n; j++) exact_add_product(&s, q->A[i*4*fours + j], q->x[j]);
    q->y[i] = exact_value(s);
  }
}
#define EXACT_ROUNDING 0x1p-90   // > 2 (n u)^2 for n + 1 = 17

// |b_i| + M |x|_1, times scale
EXACT_INLINE four rounding_of(const small_dense_table *q, four b, double norm, double scale) {
  return four_multiply(four_all(scale), four_add(four_size(b), four_all(q->most*norm)));
}

EXACT_INLINE double sum_of(const int32_t fours, const double *v) {   // sum of |v_i|
  four s = four_all(0.0);
  for (int32_t c = 0; c < fours; c++) s = four_add(s, four_size(four_load(v + 4*c)));
  return four_sum(s);
}

// Copies A into q->A and q->T and finds its largest and smallest entries. Returns 0 if A has an
// entry that is extreme or not finite.
EXACT_INLINE int load_matrix(small_dense_table *q, const perp_dense *D, const int32_t fours) {
  const int32_t n = q->n, rest = n - 4*(fours - 1);   // entries of the last four that are not padding
  const size_t ld = (size_t)(D->ld != 0 ? D->ld : n);
  const four_mask inside = four_less(four_of(0.0, 1.0, 2.0, 3.0), four_all(rest));
  const four none = four_all(infinity), zero = four_all(0.0);
  four most = zero, least = none, sum = zero;
  double turned[SMALL_DENSE_N*SMALL_DENSE_N];
  const double *a = D->value;
  size_t step = ld;
  if (D->by_column) {
    for (int32_t j = 0; j < n; j++)
      for (int32_t i = 0; i < n; i++) turned[i*n + j] = a[(size_t)j*ld + (size_t)i];
    a = turned;
    step = (size_t)n;
  }
  for (int32_t i = 0; i < n; i++, a += step)
    for (int32_t c = 0; c < fours; c++) {
      const int last = c == fours - 1;
      // Only the last row has no memory behind it that may be read.
      four v = last && i == n - 1 ? four_first(a + 4*c, rest) : four_load(a + 4*c);
      if (last) v = four_choose(inside, v, zero);
      const four size = four_size(v);
      four_store(q->A + 4*(i*fours + c), v);
      four_store(q->T + 4*(i*fours + c), v);
      most = four_max(most, size);
      least = four_min(least, last ? four_choose(inside, size, none) : size);
      sum = four_add(sum, size);
    }
  q->most = four_most(most);
  q->least = four_least(least);
  const double total = four_sum(sum);   // NaN if an entry is NaN
  return total <= SMALL_DENSE_SIZE_MAX && total >= 1.0/SMALL_DENSE_SIZE_MAX &&
         (q->least == 0.0 || q->least >= q->most*SMALL_DENSE_ENTRY_RATIO_MIN);
}

// Copies b, the bounds and the diagonal. Returns 0 if one is invalid or extreme, or some A_ii <= 0.
EXACT_INLINE int load_vectors(small_dense_table *q, const perp_problem *p, const double *guess,
                              const int32_t fours) {
  const int32_t n = q->n;
  const four zero = four_all(0.0), far = four_all(SMALL_DENSE_SIZE_MAX);
  four size = zero, wrong = zero;
  for (int32_t c = 0; c < fours; c++) {
    const int32_t rest = n - 4*c;
    const four_mask inside = four_less(four_of(0.0, 1.0, 2.0, 3.0), four_all(rest));
    const four b = four_first(p->b + 4*c, rest), x = four_first(guess + 4*c, rest),
               lo = p->lo != NULL ? four_first(p->lo + 4*c, rest) : zero,
               hi = p->hi != NULL ? four_first(p->hi + 4*c, rest)
                                  : four_choose(inside, four_all(infinity), zero);
    four_store(q->b + 4*c, b);
    four_store(q->lo + 4*c, lo);
    four_store(q->hi + 4*c, hi);
    size = four_add(size, four_add(four_size(b), four_size(x)));
    const four_mask valid = four_and(four_at_most(lo, hi),
                                     four_and(four_at_most(lo, far),
                                              four_at_most(four_subtract(zero, far), hi)));
    wrong = four_add(wrong, four_choose(valid, zero, four_all(1.0)));
  }
  double smallest = infinity;
  four_store(q->diagonal + 4*(fours - 1), four_all(1.0));
  for (int32_t i = 0; i < n; i++) {
    q->diagonal[i] = q->A[i*(4*fours + 1)];
    smallest = min2(smallest, q->diagonal[i]);
  }
  return four_sum(wrong) == 0.0 && four_sum(size) <= SMALL_DENSE_SIZE_MAX && smallest > 0.0;
}

// Sets x = x_ref, y, g and g_most. Returns 1 if x_ref = 0 is an exact solution.
EXACT_INLINE int look_at_reference(small_dense_table *q, const int32_t fours) {
  const four zero = four_all(0.0);
  for (int32_t c = 0; c < fours; c++) {
    four_store(q->x + 4*c, four_min(four_load(q->hi + 4*c),
                                    four_max(four_load(q->lo + 4*c), zero)));
    four_store(q->y + 4*c, four_load(q->b + 4*c));
  }
  const double norm = sum_of(fours, q->x);
  if (norm != 0.0) product(q, fours);
  four most = zero, inexact = zero;
  for (int32_t c = 0; c < fours; c++) {
    const four y = four_load(q->y + 4*c), x = four_load(q->x + 4*c), size = four_size(y),
               distance = four_choose(four_less(y, zero), four_subtract(four_load(q->hi + 4*c), x),
                                      four_subtract(x, four_load(q->lo + 4*c)));
    four known = size;
    if (norm != 0.0)
      known = four_subtract(size, rounding_of(q, four_load(q->b + 4*c), norm,
                                              product_rounding(fours)));
    const four g = four_max(zero, four_min(known, four_multiply(four_load(q->diagonal + 4*c),
                                                                distance)));
    four_store(q->g + 4*c, g);
    most = four_max(most, g);
    inexact = four_max(inexact, four_min(size, distance));
  }
  q->g_most = four_most(most);
  return norm == 0.0 && four_most(inexact) == 0.0;
}

// Takes labels from the guess: a row whose guess lies between its bounds becomes free.
EXACT_INLINE void begin(small_dense_table *q, const int32_t fours, const double *guess, pivots *p) {
  int32_t moved = 0;
  p->flips = 0;
  p->is_free = 0;
  for (int32_t i = 0; i < q->n; i++) {
    const double x = guess[i], lo = q->lo[i], hi = q->hi[i];
    const int inside = (x > lo) & (x < hi);
    // A row that becomes free starts from x_ref.
    const double bound = inside ? q->x[i] : x >= hi ? hi : lo;
    p->flip[p->flips] = i;
    p->flips += inside;
    moved |= bound != q->x[i];
    p->bound[i] = q->x[i] = bound;
  }
  if (moved) product(q, fours);
  const double slack = SMALL_DENSE_VIOLATION_MIN*q->g_most;
  for (int32_t i = 0; i < q->n; i++) {
    p->low[i] = p->bound[i] < q->hi[i] ? -slack : -infinity;
    p->high[i] = p->bound[i] > q->lo[i] ? slack : infinity;
  }
  for (int32_t c = 0; c < fours; c++) four_store(p->v + 4*c, four_load(q->y + 4*c));
}

// A pivot on k. Returns 0 if it is not safe.
EXACT_INLINE int exchange(small_dense_table *q, const int32_t fours, pivots *p, int32_t k) {
  double *row = q->T + k*4*fours;
  const double diagonal = q->diagonal[k], pivot = row[k], slack = SMALL_DENSE_VIOLATION_MIN*q->g_most,
               lo = q->lo[k], hi = q->hi[k];
  const int was_free = (int)(p->is_free >> k & 1u);
  if (!(was_free ? pivot*diagonal > SMALL_DENSE_PIVOT_MIN : pivot > SMALL_DENSE_PIVOT_MIN*diagonal))
    return 0;
  if (was_free) p->bound[k] = p->passed[k];
  const double bound = p->bound[k], inverse = 1.0/pivot,
               step = ((was_free ? bound : 0.0) - p->v[k])*inverse;
  // The new entry is T_ij - T_ik scaled_j for j = k too: scaled_k = -1/T_kk, and keep sets T_ik to 0.
  four keep[SMALL_DENSE_N/4], scaled[SMALL_DENSE_N/4];
  for (int32_t c = 0; c < fours; c++) {
    keep[c] = four_load(ones + SMALL_DENSE_N - 1 - k + 4*c);
    scaled[c] = four_multiply(four_subtract(four_multiply(four_load(row + 4*c), keep[c]),
                                            four_subtract(four_all(1.0), keep[c])),
                              four_all(inverse));
  }
  for (int32_t i = 0; i < q->n; i++) {
    double *t = q->T + i*4*fours;
    const double f = t[k];
    for (int32_t c = 0; c < fours; c++)
      four_store(t + 4*c, four_subtract(four_multiply(four_load(t + 4*c), keep[c]),
                                        four_multiply(four_all(f), scaled[c])));
    p->v[i] += f*step;
  }
  for (int32_t c = 0; c < fours; c++)
    four_store(row + 4*c, four_subtract(four_all(0.0), scaled[c]));
  p->is_free ^= 1u << k;
  p->v[k] = was_free ? step : bound + step;
  if (was_free) {
    p->low[k] = bound < hi ? -slack : -infinity;
    p->high[k] = bound > lo ? slack : infinity;
  } else {
    p->low[k] = lo - slack/diagonal;
    p->high[k] = hi + slack/diagonal;
  }
  return 1;
}

// Returns 1 if no value is wrong at the end.
EXACT_INLINE int pivot_all(small_dense_table *q, const int32_t fours, pivots *p, int32_t *rounds) {
  int32_t least = q->n + 1, patience = SMALL_DENSE_IDLE_ROUNDS_MAX;
  for (*rounds = 0; *rounds <= SMALL_DENSE_ROUNDS; ++*rounds) {
    for (int32_t f = 0; f < p->flips; f++)
      if (!exchange(q, fours, p, p->flip[f])) return 0;
    int32_t flips = 0;
    for (int32_t i = 0; i < q->n; i++) {
      const int below = p->v[i] < p->low[i];
      p->passed[i] = below ? q->lo[i] : q->hi[i];
      p->flip[flips] = i;
      flips += below | (p->v[i] > p->high[i]);
    }
    p->flips = flips;
    if (flips == 0) return 1;
    if (flips < least) {
      least = flips;
      patience = SMALL_DENSE_IDLE_ROUNDS_MAX;
    } else if (--patience < 0) {
      p->flip[0] = p->flip[flips - 1];
      p->flips = 1;
    }
  }
  return 0;
}

// The number of fours is a constant in each case, so that a pivot takes a few instructions a row.
EXACT_INLINE int pivot_table(small_dense_table *q, int32_t fours, pivots *p, int32_t *rounds) {
  switch (fours) {
    case 1: return pivot_all(q, 1, p, rounds);
    case 2: return pivot_all(q, 2, p, rounds);
    case 3: return pivot_all(q, 3, p, rounds);
    default: return pivot_all(q, 4, p, rounds);
  }
}

// Is A one component whose rows certify_kkt.c does not change? That file also changes the signs of
// rows whose diagonal entry is not positive, as in a saddle point; load_vectors() refuses these.
EXACT_INLINE int connected(const small_dense_table *q, int strongly) {
  return (q->least > 0.0 || small_dense_connected(q->A, q->n, q->width, strongly)) &&
         !small_dense_two_sided(q->A, q->n, q->width);
}

// Does (1) of small_dense_bound.c prove r_i/G <= within? If `two`, (3) must prove it as well, or (2)
// if `second`. A bound within `within` leaves `residual` as exact as perp_result promises. scale:
// the rounding of y.
EXACT_INLINE int bound_holds_with(const small_dense_table *q, const int32_t fours, double within,
                                  double scale, int two, int second,
                                  perp_certificate *certificate) {
  const double norm = sum_of(fours, q->x), size = sum_of(fours, q->y);
  if (!(norm + size <= 0x1p200)) return 0;   // a maximum below could hide a NaN
  double fitted[SMALL_DENSE_N] = {0.0};
  if (two && !small_dense_fitted(q, second, fitted)) return 0;
  const four zero = four_all(0.0), factor = four_all((two ? 8.5 : 4.5)*q->most/q->g_most);
  double relative[SMALL_DENSE_N] = {0.0};
  four worst = zero, natural = zero, gap = zero, all = zero;
  for (int32_t c = 0; c < fours; c++) {
    const four y = four_load(q->y + 4*c), x = four_load(q->x + 4*c), b = four_load(q->b + 4*c),
               below = four_subtract(x, four_load(q->lo + 4*c)),
               above = four_subtract(x, four_load(q->hi + 4*c)),
               rounding = four_add(rounding_of(q, b, norm, scale),
                                   four_multiply(four_all(2.0*u), four_size(y)));
    const four positive = four_choose(four_less(zero, below), four_add(y, rounding), zero),
               negative = four_choose(four_less(above, zero), four_subtract(rounding, y), zero),
               t = four_max(zero, four_max(positive, negative));
    four r = four_divide(four_multiply(factor, t), four_load(q->diagonal + 4*c));
    if (two) r = four_max(r, four_multiply(four_load(fitted + 4*c), t));
    four_store(relative + 4*c, r);
    worst = four_max(worst, r);
    all = four_add(all, r);   // a maximum could hide a NaN
    natural = four_max(natural, four_size(four_min(below, four_max(above, y))));
    const four distance = four_choose(four_less(zero, y), below, four_subtract(zero, above));
    // as gap_distance() of certify_row.h
    const four reach = four_choose(four_less(distance, four_all(infinity)), distance, four_size(x));
    gap = four_add(gap, four_multiply(four_size(y), reach));
  }
  const double most = four_most(worst);
  if (!(most <= within && four_sum(all) < infinity) || !connected(q, 1)) return 0;
  int32_t at = 0;
  while (at < q->n - 1 && relative[at] < most) at++;
  *certificate = (perp_certificate){.solved = 1, .worst = at, .components = 1, .residual = most,
                                    .natural_residual = four_most(natural), .gap = four_sum(gap),
                                    .componentwise_row = -1};
  return 1;
}

EXACT_INLINE int bound_holds(const small_dense_table *q, const int32_t fours, double within,
                             double scale, perp_certificate *certificate) {
  const int two = q->most > 256.0*q->least && !small_dense_one_scaling(q);
  return bound_holds_with(q, fours, within, scale, two, 0, certificate) ||
         (two && bound_holds_with(q, fours, within, scale, two, 1, certificate));
}

// x_I -= A_II^-1 y_I with the inverse that the table holds
static void refine(small_dense_table *q, const int32_t fours, const pivots *p) {
  for (int32_t i = 0; i < q->n; i++) {
    if (!(p->is_free >> i & 1u)) continue;
    double step = 0.0;
    for (int32_t j = 0; j < q->n; j++)
      if (p->is_free >> j & 1u) step += q->T[i*4*fours + j]*q->y[j];
    q->x[i] = clamp(q->x[i] - step, q->lo[i], q->hi[i]);
  }
}

// Sets q->x to the guess, clamped to its bounds. Returns 0 if that is x_ref.
EXACT_INLINE int clamp_guess(small_dense_table *q, const int32_t fours, const double *guess) {
  four moved = four_all(0.0);
  for (int32_t c = 0; c < fours; c++) {
    const four x = four_min(four_load(q->hi + 4*c),
                            four_max(four_load(q->lo + 4*c), four_first(guess + 4*c, q->n - 4*c)));
    moved = four_max(moved, four_size(four_subtract(x, four_load(q->x + 4*c))));
    four_store(q->x + 4*c, x);
  }
  return four_most(moved) > 0.0;
}

EXACT_INLINE void write_x(const small_dense_table *q, const int32_t fours,
                          small_dense_answer *answer) {
  for (int32_t c = 0; c < fours; c++) four_store(answer->x + 4*c, four_load(q->x + 4*c));
}

EXACT_INLINE small_dense_end solve(const perp_problem *problem, const perp_dense *D,
                                   const double *guess, double within,
                                   small_dense_answer *answer) {
  small_dense_table table, *q = &table;
  const int32_t fours = (D->n + 3)/4;
  q->n = D->n;
  q->width = 4*fours;
  if (!load_matrix(q, D, fours) || !load_vectors(q, problem, guess, fours)) return SMALL_DENSE_NONE;
  answer->rounds = 0;
  if (look_at_reference(q, fours)) {
    write_x(q, fours, answer);
    answer->certificate =
        (perp_certificate){.solved = 1, .components = 1, .componentwise_row = -1};
    return connected(q, 0) ? SMALL_DENSE_REFERENCE : SMALL_DENSE_NONE;
  }
  if (!(q->g_most >= 1.0/SMALL_DENSE_SIZE_MAX)) return SMALL_DENSE_NONE;
  if (clamp_guess(q, fours, guess)) {
    product(q, fours);
    if (bound_holds(q, fours, within, product_rounding(fours), &answer->certificate)) {
      write_x(q, fours, answer);
      return SMALL_DENSE_GUESS;
    }
    look_at_reference(q, fours);   // x and y are those of x_ref again
  }
  pivots p;
  begin(q, fours, guess, &p);
  if (!pivot_table(q, fours, &p, &answer->rounds)) return SMALL_DENSE_NONE;
  // + 0 removes negative zeros; their signs would depend on the order of additions.
  for (int32_t i = 0; i < q->n; i++)
    q->x[i] = clamp(p.is_free >> i & 1u ? p.v[i] : p.bound[i], q->lo[i], q->hi[i]) + 0.0;
  product(q, fours);
  int holds = bound_holds(q, fours, within, product_rounding(fours), &answer->certificate);
  if (!holds) {
    refine(q, fours, &p);
    product_exact(q, fours);
    holds = bound_holds(q, fours, within, EXACT_ROUNDING, &answer->certificate);
  }
  write_x(q, fours, answer);
  if (!(sum_of(fours, q->x) < infinity)) return SMALL_DENSE_NONE;
  return holds ? SMALL_DENSE_CERTIFIED : SMALL_DENSE_CANDIDATE;
}

FOUR_TARGET static small_dense_end solve_wide(const perp_problem *p, const perp_dense *A,
                                              const double *guess, double within,
                                              small_dense_answer *answer) {
  return solve(p, A, guess, within, answer);
}
static small_dense_end solve_plain(const perp_problem *p, const perp_dense *A, const double *guess,
                                   double within, small_dense_answer *answer) {
  return solve(p, A, guess, within, answer);
}

small_dense_end small_dense_solve(const perp_problem *p, const perp_dense *A, const double *guess,
                                  double within, small_dense_answer *answer) {
  return (FOUR_HAS_TARGET() ? solve_wide : solve_plain)(p, A, guess, within, answer);
}
