// small_dense_bound.c: cheap bounds of the units R and C. With them a small problem is certified
// without equilibrating A.
//
// The certificate accepts x if r_i <= tol G in every row, in units R and C that equilibrate.c finds
// by iterating. Let M = max |A_ij|, p_i and q_j the largest entries of row i and column j of |A|,
// and t_i >= 0 the part of y_i that has the wrong sign, rounding included, so that r_i <= R_i t_i.
// A must be irreducible with A_ii > 0. The certificate judges a reducible A block by block, each
// block by a G of its own (certify_blocks.c), and the bounds below do not hold for these.
//
// Ruiz's iteration from R = C = 1 divides R_i by the square root of the largest entry of its row,
// and C_j in the same way. After the first step no entry is above 1, since |A_ij| <= sqrt(p_i q_j).
// From then on R and C grow. The largest entry of row i is then some m >= sqrt(p_i/M). Each further
// step divides R_i by sqrt(m) and leaves m at least sqrt(m). The powers 1/2 + 1/4 + ... add to 1:
//
//     p_i^(-1/2) <= R_i <= M^(1/2)/p_i,      q_j M^(-1/2) <= 1/C_j <= q_j^(1/2),
//
// after any number of steps. A factor of 1.23 allows for an iteration that stops at once (maxima
// within 1.5 of 1), and 2^(1/2) for rounding to powers of two: together 2. Settling the unit
// multiplies R_i and 1/C_j by the same factor, as A is one half (components_halves). Let d_j be the
// distance of x_j to the bound that y_j points to, and g_j = min(|y_j|, A_jj d_j), at x_ref. With
// A_jj <= p_j, q_j <= M
//
//     G >= max_j min(R_j |y_j|, d_j/C_j) >= max_j g_j/(2 M^(1/2)),
//     r_i/G <= R_i t_i/G <= 4 (M/A_ii) t_i / max_j g_j.                                         (1)
//
// Where entries differ by more than a factor of 256 there are two scalings. Each is normalised to
// 1 <= G < 2 by a power of two, and R_i is the larger one, so the factor in (1) doubles. The second
// scaling is Ruiz's iteration on B_ij = a_i |A_ij| c_j, where a and c are the least-squares fit of
// the logarithms. For a matrix without zeros that is -log a_i = mean_j log |A_ij| and
// -log c_j = mean_i log |A_ij| - mean_ij log |A_ij|. With N = max B_ij and h_i = max_j |A_ij| c_j
// the same argument as above gives
//
//     r_i/G <= 8 N t_i / (h_i max_j a_j g_j).                                                   (2)
//
// N <= M max a_i max c_j and h_i >= A_ii c_i give a weaker bound that needs no second pass over A:
//
//     r_i/G <= 8 M max_k a_k max_j c_j t_i / (A_ii c_i max_j a_j g_j).                          (3)
//
// If A has zeros, the fit has no closed form, and only the full certificate can decide. Numbers are
// within 2^-64 .. 2^64 and entries within 2^32 of each other, so equilibrate.c and certify.c reach
// none of their limits. (1) needs only M, (3) a pass over A, (2) two passes.
#include <math.h>

#include "four_doubles.h"
#include "small_dense.h"
#include "vector.h"

// The rows that a path leads to from row 0, as bits. tied: n, the edges of each row, which need not
// be symmetric.
static uint32_t reached_from_0(int32_t n, const uint32_t *tied) {
  const uint32_t all = (1u << n) - 1u;
  uint32_t reached = 1u;
  for (int32_t step = 0; step < n && reached != all; step++)
    for (int32_t i = 0; i < n; i++)
      if (reached >> i & 1u) reached |= tied[i];
  return reached;
}

int small_dense_connected(const double *A, int32_t n, int32_t width, int strongly) {
  uint32_t by_row[SMALL_DENSE_N] = {0}, by_column[SMALL_DENSE_N] = {0}, either[SMALL_DENSE_N];
  const uint32_t all = (1u << n) - 1u;
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < n; j++)
      if (A[(size_t)i*(size_t)width + (size_t)j] != 0.0) {
        by_row[i] |= 1u << j;
        by_column[j] |= 1u << i;
      }
  if (strongly) return reached_from_0(n, by_row) == all && reached_from_0(n, by_column) == all;
  for (int32_t i = 0; i < n; i++) either[i] = by_row[i] | by_column[i];
  return reached_from_0(n, either) == all;
}

// Only a pair A_ij, A_ji of opposite signs makes A a candidate; a symmetric matrix has none. If no
// entry of row 0 is 0, that row gives the weights d of certify_kkt.c. Else the answer is 1.
int small_dense_two_sided(const double *A, int32_t n, int32_t width) {
  int negative = 0;
  for (int32_t i = 0; i < n; i++)
    for (int32_t j = 0; j < i; j++) {
      const double a = A[(size_t)i*(size_t)width + (size_t)j],
                   b = A[(size_t)j*(size_t)width + (size_t)i];
      if (a == b) continue;
      if (a == 0.0 || b == 0.0) return 0;
      negative |= (a < 0.0) != (b < 0.0);
    }
  if (!negative) return 0;
  double d[SMALL_DENSE_N] = {1.0};
  for (int32_t j = 1; j < n; j++) {
    if (A[j] == 0.0) return 1;
    d[j] = fabs(A[j]/A[(size_t)j*(size_t)width]);
  }
  for (int32_t i = 1; i < n; i++)
    for (int32_t j = 1; j < i; j++) {
      const double a = d[i]*fabs(A[(size_t)i*(size_t)width + (size_t)j]),
                   b = d[j]*fabs(A[(size_t)j*(size_t)width + (size_t)i]);
      if (!(fabs(a - b) <= 1e-6*a)) return 0;   // far above what certify_kkt.c allows
    }
  return 1;
}

int small_dense_one_scaling(const small_dense_table *q) {
  double least = q->least;
  if (least == 0.0) {
    least = q->most;
    for (int32_t k = 0; k < q->n*q->width; k++) {
      const double v = fabs(q->A[k]);
      least = v > 0.0 && v < least ? v : least;
    }
  }
  return q->most <= 256.0*least;   // as in equilibrate.c
}

// equilibrate.c takes the same logarithms up to a constant, which cancels in (2). Its fit ends
// within 0.02 of the minimum, and four_exp2_nearly() is up to 6 % too large in each a_i and c_j. N
// has two such factors, h_i (or c_i) and a_j g_j one each: 1.4 in all, hence 12 instead of 8.
EXACT_INLINE void fitted(const small_dense_table *q, int second, double *factor) {
  const int32_t n = q->n, fours = q->width/4;
  const double scale = 0x1p-37/n;
  four_mask columns[SMALL_DENSE_N/4];
  double a[SMALL_DENSE_N], c[SMALL_DENSE_N], h[SMALL_DENSE_N];
  double mean = 0.0, a_most = 0.0, c_most = 0.0, g = 0.0;
  for (int32_t k = 0; k < fours; k++) columns[k] = four_bits(0);
  for (int32_t i = 0; i < n; i++) {
    four_mask row = four_bits(0);
    for (int32_t k = 0; k < fours; k++) {
      const four_mask inside = four_less(four_of(0.0, 1.0, 2.0, 3.0), four_all(n - 4*k)),
                      log = four_and(inside, four_log2_nearly(four_size(four_load(
                                                 q->A + 4*(i*fours + k)))));
      row = four_plus(row, log);
      columns[k] = four_plus(columns[k], log);
    }
    const int64_t sum = FOUR_AT(row, 0) + FOUR_AT(row, 1) + FOUR_AT(row, 2) + FOUR_AT(row, 3);
    const double log = (double)sum*scale - 1023.0;
    mean += log;
    a[i] = FOUR_AT(four_exp2_nearly(four_all(0.0 - log)), 0);
    a_most = max2(a_most, a[i]);
    g = max2(g, a[i]*q->g[i]);
  }
  mean /= n;
  for (int32_t k = 0; k < fours; k++) {
    const four log = four_subtract(four_multiply(four_of_whole(columns[k]), four_all(scale)),
                                   four_all(1023.0));
    four_store(c + 4*k, four_exp2_nearly(four_subtract(four_all(mean), log)));
  }
  if (!second) {
    for (int32_t j = 0; j < n; j++) c_most = max2(c_most, c[j]);
    const double all = 12.0*q->most*a_most*c_most/g;
    for (int32_t i = 0; i < n; i++) factor[i] = all/(q->diagonal[i]*c[i]);                   // (3)
    return;
  }
  for (int32_t j = n; j < 4*fours; j++) c[j] = 0.0;
  double N = 0.0;
  for (int32_t i = 0; i < n; i++) {
    four most = four_all(0.0);
    for (int32_t k = 0; k < fours; k++)
      most = four_max(most, four_multiply(four_size(four_load(q->A + 4*(i*fours + k))),
                                          four_load(c + 4*k)));
    h[i] = four_most(most);
    N = max2(N, a[i]*h[i]);
  }
  for (int32_t i = 0; i < n; i++) factor[i] = 12.0*N/(h[i]*g);                               // (2)
}
FOUR_TARGET static void fitted_wide(const small_dense_table *q, int second, double *factor) {
  fitted(q, second, factor);
}
static void fitted_plain(const small_dense_table *q, int second, double *factor) {
  fitted(q, second, factor);
}

int small_dense_fitted(const small_dense_table *q, int second, double *factor) {
  if (q->least == 0.0) return 0;
  (FOUR_HAS_TARGET() ? fitted_wide : fitted_plain)(q, second, factor);
  return 1;
}
