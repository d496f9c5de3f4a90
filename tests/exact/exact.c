// exact.c: see exact.h. Feasibility by the simplex method with Bland's rule, which cannot cycle;
// complementarity by branching on rows that violate it.
#include "exact.h"

#include <math.h>
#include <string.h>

__extension__ typedef __int128 wide;

// D B_i = sum_j T_ij N_j + T_in for the basic variables B and the others N, D > 0. Variables:
// 0 .. n-1 are x, n .. 2n-1 are y. Values and bounds are in units of 1/unit; |bound| = FAR: none.
typedef struct tableau {
  int32_t n;
  int64_t T[EXACT_ROWS][EXACT_ROWS + 1], D, unit;
  int32_t basic[EXACT_ROWS], other[EXACT_ROWS];
  wide at[EXACT_ROWS];                                  // of N_j
  wide lo[2*EXACT_ROWS], hi[2*EXACT_ROWS];
  int32_t overflow;
} tableau;

#define FAR ((wide)1 << 126)

static int64_t narrow(wide v, int32_t *overflow) {
  if (v > INT64_MAX || v < -(wide)INT64_MAX) {
    *overflow = 1;
    return 0;
  }
  return (int64_t)v;
}

// (a b - c d)/e, which is a whole number: a minor.
static int64_t cross(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int32_t *overflow) {
  const wide v = (wide)a*b - (wide)c*d;
  if (v <= INT64_MAX && v >= -(wide)INT64_MAX) return (int64_t)v/e;
  return narrow(v/e, overflow);
}

static void pivot(tableau *t, int32_t r, int32_t c) {
  const int64_t p = t->T[r][c];
  const int32_t n = t->n;
  for (int32_t i = 0; i < n; i++) {
    if (i == r) continue;
    for (int32_t j = 0; j <= n; j++)
      if (j != c)
        t->T[i][j] = cross(p, t->T[i][j], t->T[i][c], t->T[r][j], t->D, &t->overflow);
  }
  for (int32_t j = 0; j <= n; j++)
    if (j != c) t->T[r][j] = -t->T[r][j];
  t->T[r][c] = t->D;
  t->D = p;
  if (p < 0) {
    t->D = -p;
    for (int32_t i = 0; i < n; i++)
      for (int32_t j = 0; j <= n; j++) t->T[i][j] = -t->T[i][j];
  }
  const int32_t entering = t->other[c];
  t->other[c] = t->basic[r];
  t->basic[r] = entering;
}

static wide product(int64_t a, wide b, int32_t *overflow) {
  if (b <= INT64_MAX && b >= -(wide)INT64_MAX) return (wide)a*(int64_t)b;
  wide v;
  if (__builtin_mul_overflow((wide)a, b, &v)) *overflow = 1;
  return v;
}

static wide basic_value(tableau *t, int32_t i) {        // times D
  wide sum = (wide)t->T[i][t->n]*t->unit;
  for (int32_t j = 0; j < t->n; j++)
    if (__builtin_add_overflow(sum, product(t->T[i][j], t->at[j], &t->overflow), &sum))
      t->overflow = 1;
  return sum;
}

// -1: below its bounds, 1: above, 0: within.
static int outside(tableau *t, int32_t variable, wide value) {
  const wide lo = t->lo[variable], hi = t->hi[variable];
  if (lo != -FAR && value < product(t->D, lo, &t->overflow)) return -1;
  if (hi != FAR && value > product(t->D, hi, &t->overflow)) return 1;
  return 0;
}

// Moves basic variables into their bounds, the smallest index first, by the smallest index that
// can (Dutertre, de Moura 2006). NO: one of them cannot get there.
static exact_verdict repair(tableau *t) {
  for (;;) {
    int32_t r = -1;
    int side = 0;
    for (int32_t i = 0; i < t->n; i++) {
      const int now = outside(t, t->basic[i], basic_value(t, i));
      if (now == 0 || (r >= 0 && t->basic[i] > t->basic[r])) continue;
      r = i;
      side = now;
    }
    if (t->overflow) return EXACT_OVERFLOW;
    if (r < 0) return EXACT_YES;
    int32_t c = -1;
    for (int32_t j = 0; j < t->n; j++) {
      const int64_t slope = side < 0 ? t->T[r][j] : -t->T[r][j];
      const int32_t v = t->other[j];
      const int can = (slope > 0 && t->at[j] != t->hi[v]) || (slope < 0 && t->at[j] != t->lo[v]);
      if (can && (c < 0 || v < t->other[c])) c = j;
    }
    if (c < 0) return EXACT_NO;
    const int32_t leaving = t->basic[r];
    pivot(t, r, c);
    t->at[c] = side < 0 ? t->lo[leaving] : t->hi[leaving];
    if (t->overflow) return EXACT_OVERFLOW;
  }
}

static wide greater(wide a, wide b) { return a > b ? a : b; }
static wide smaller(wide a, wide b) { return a < b ? a : b; }

// 0: the bounds of the variable now contradict each other.
static int tighten(tableau *t, int32_t variable, wide lo, wide hi) {
  t->lo[variable] = lo = greater(t->lo[variable], lo);
  t->hi[variable] = hi = smaller(t->hi[variable], hi);
  if (lo > hi) return 0;
  for (int32_t j = 0; j < t->n; j++)
    if (t->other[j] == variable) t->at[j] = greater(lo, smaller(hi, t->at[j]));
  return 1;
}

static wide times(int64_t bound, int64_t unit) {
  return bound == EXACT_INF ? FAR : bound == -EXACT_INF ? -FAR : (wide)bound*unit;
}

static tableau begin(const exact_problem *p, int64_t unit) {
  tableau t = {.n = p->n, .D = 1, .unit = unit};
  for (int32_t i = 0; i < p->n; i++) {
    memcpy(t.T[i], p->A[i], sizeof p->A[i]);
    t.T[i][p->n] = p->b[i];
    t.basic[i] = p->n + i;
    t.other[i] = i;
    t.lo[i] = times(p->lo[i], unit);
    t.hi[i] = times(p->hi[i], unit);
    t.at[i] = greater(t.lo[i], smaller(t.hi[i], 0));
    t.lo[p->n + i] = p->hi[i] == EXACT_INF ? 0 : -FAR;
    t.hi[p->n + i] = p->lo[i] == -EXACT_INF ? 0 : FAR;
  }
  return t;
}

exact_verdict exact_feasible(const exact_problem *p) {
  tableau t = begin(p, 1);
  return repair(&t);
}

// ---- complementarity ----

enum { ZERO, LOWER, UPPER, LABELS };

// Gives row i a label: 0 if that is impossible.
static int assign(tableau *t, const exact_problem *p, int32_t i, int label) {
  const int32_t n = t->n;
  if (label == ZERO) return tighten(t, n + i, 0, 0);
  const wide bound = times(label == LOWER ? p->lo[i] : p->hi[i], t->unit);
  if (bound == FAR || bound == -FAR) return 0;
  // A fixed x_i leaves y_i alone; both labels together allow every sign.
  return tighten(t, i, bound, bound) &&
         (label == LOWER ? tighten(t, n + i, 0, FAR) : tighten(t, n + i, -FAR, 0));
}

static exact_verdict search(tableau *t, const exact_problem *p, double *x) {
  const exact_verdict feasible = repair(t);
  if (feasible != EXACT_YES) return feasible;
  wide value[2*EXACT_ROWS];                                // times D unit
  for (int32_t k = 0; k < t->n; k++) {
    value[t->basic[k]] = basic_value(t, k);
    value[t->other[k]] = product(t->D, t->at[k], &t->overflow);
  }
  if (t->overflow) return EXACT_OVERFLOW;
  int32_t bad = -1;
  for (int32_t i = 0; i < t->n && bad < 0; i++) {
    const wide unit = (wide)t->unit*t->D, y = value[t->n + i];
    const int low = p->lo[i] != -EXACT_INF && value[i] == unit*p->lo[i] && y >= 0;
    const int high = p->hi[i] != EXACT_INF && value[i] == unit*p->hi[i] && y <= 0;
    if (y != 0 && !low && !high) bad = i;
  }
  if (bad < 0) {
    for (int32_t i = 0; x != NULL && i < t->n; i++)
      x[i] = (double)value[i]/(double)t->D/(double)t->unit;
    return EXACT_YES;
  }
  exact_verdict verdict = EXACT_NO;
  for (int label = 0; label < LABELS; label++) {
    tableau child = *t;
    if (!assign(&child, p, bad, label)) continue;
    const exact_verdict of_child = search(&child, p, x);
    if (of_child == EXACT_YES) return EXACT_YES;
    if (of_child == EXACT_OVERFLOW) verdict = EXACT_OVERFLOW;
  }
  return verdict;
}

exact_verdict exact_solvable(const exact_problem *p, double *x) {
  tableau t = begin(p, 1);
  return search(&t, p, x);
}

exact_verdict exact_near(const exact_problem *p, const double *x, double tol, double slack) {
  const double unit = 0x1p30;                      // steps of 1e-9: well below tol
  double far[EXACT_ROWS];
  for (int32_t i = 0; i < p->n; i++) {
    far[i] = tol*fmax(1.0, fabs(x[i])) + slack;
    if (!(fabs(x[i]) + far[i] < 0x1p90)) return EXACT_OVERFLOW;   // of (wide) below
  }
  tableau t = begin(p, (int64_t)unit);
  for (int32_t i = 0; i < p->n; i++) {
    const double low = floor((x[i] - far[i])*unit), high = ceil((x[i] + far[i])*unit);
    if (!tighten(&t, i, (wide)low, (wide)high)) return EXACT_NO;
  }
  return search(&t, p, NULL);
}

// ---- every assignment ----

// Bareiss: A(set,set) z = c. Returns |det| with numerators of z in c, 0 where singular.
static int64_t solve(const exact_problem *p, const int32_t *set, int32_t m, int64_t *c,
                     int32_t *overflow) {
  int64_t M[EXACT_ROWS][EXACT_ROWS + 1], before = 1;
  for (int32_t i = 0; i < m; i++) {
    for (int32_t j = 0; j < m; j++) M[i][j] = p->A[set[i]][set[j]];
    M[i][m] = c[i];
  }
  for (int32_t k = 0; k < m; k++) {                        // Gauss-Jordan
    int32_t r = k;
    while (r < m && M[r][k] == 0) r++;
    if (r == m) return 0;
    for (int32_t j = 0; r != k && j <= m; j++) {
      const int64_t held = M[r][j];
      M[r][j] = M[k][j];
      M[k][j] = -held;                                     // keeps the sign of the determinant
    }
    for (int32_t i = 0; i < m; i++)
      for (int32_t j = m; i != k && j >= 0; j--)
        if (j > k || j == i)
          M[i][j] = cross(M[k][k], M[i][j], M[i][k], M[k][j], before, overflow);
    for (int32_t i = 0; i < m; i++)
      if (i != k) M[i][k] = 0;
    before = M[k][k];
    if (*overflow) return 0;
  }
  for (int32_t i = 0; i < m; i++) c[i] = before < 0 ? -M[i][m] : M[i][m];
  return before < 0 ? -before : before;
}

// Does the assignment hold a solution?
static exact_verdict face(const exact_problem *p, const uint8_t *label) {
  int32_t set[EXACT_ROWS], m = 0, overflow = 0;
  int64_t c[EXACT_ROWS], x[EXACT_ROWS];                    // x times det
  for (int32_t i = 0; i < p->n; i++)
    if (label[i] == ZERO) set[m++] = i;
  for (int32_t k = 0; k < m; k++) {
    wide sum = -(wide)p->b[set[k]];
    for (int32_t j = 0; j < p->n; j++)
      if (label[j] != ZERO)
        sum -= (wide)p->A[set[k]][j]*(label[j] == LOWER ? p->lo[j] : p->hi[j]);
    c[k] = narrow(sum, &overflow);
  }
  const int64_t det = overflow ? 0 : solve(p, set, m, c, &overflow);
  if (overflow) return EXACT_OVERFLOW;
  if (det == 0) {
    tableau t = begin(p, 1);
    for (int32_t i = 0; i < p->n; i++)
      if (!assign(&t, p, i, label[i])) return EXACT_NO;
    return repair(&t);
  }
  for (int32_t i = 0, k = 0; i < p->n; i++)
    x[i] = label[i] == ZERO    ? c[k++]
           : label[i] == LOWER ? narrow((wide)det*p->lo[i], &overflow)
                               : narrow((wide)det*p->hi[i], &overflow);
  for (int32_t i = 0; i < p->n; i++) {
    wide y = (wide)det*p->b[i];
    for (int32_t j = 0; j < p->n; j++)
      if (__builtin_add_overflow(y, (wide)p->A[i][j]*x[j], &y)) overflow = 1;
    if (overflow) return EXACT_OVERFLOW;
    if (label[i] == ZERO && ((p->lo[i] != -EXACT_INF && x[i] < (wide)det*p->lo[i]) ||
                             (p->hi[i] != EXACT_INF && x[i] > (wide)det*p->hi[i])))
      return EXACT_NO;
    if ((label[i] == LOWER && y < 0) || (label[i] == UPPER && y > 0)) return EXACT_NO;
  }
  return EXACT_YES;
}

exact_verdict exact_enumerate(const exact_problem *p, int32_t *faces) {
  uint8_t label[EXACT_ROWS] = {0};
  exact_verdict verdict = EXACT_NO;
  *faces = 0;
  for (;;) {
    int possible = 1;
    for (int32_t i = 0; i < p->n; i++)
      possible &= !(label[i] == LOWER && p->lo[i] == -EXACT_INF) &&
                  !(label[i] == UPPER && p->hi[i] == EXACT_INF);
    const exact_verdict now = possible ? face(p, label) : EXACT_NO;
    if (now == EXACT_OVERFLOW) return EXACT_OVERFLOW;
    if (now == EXACT_YES) {
      verdict = EXACT_YES;
      ++*faces;
    }
    int32_t k = 0;                                         // the next number in base 3
    while (k < p->n && ++label[k] == LABELS) label[k++] = 0;
    if (k == p->n) return verdict;
  }
}

// ---- classes ----

static exact_verdict minors_at_least(const exact_problem *p, int64_t least) {
  for (uint32_t subset = 1; subset < 1u << p->n; subset++) {
    int32_t set[EXACT_ROWS], m = 0, overflow = 0;
    int64_t before = 1, M[EXACT_ROWS][EXACT_ROWS], sign = 1;
    for (int32_t i = 0; i < p->n; i++)
      if (subset >> i & 1u) set[m++] = i;
    for (int32_t i = 0; i < m; i++)
      for (int32_t j = 0; j < m; j++) M[i][j] = p->A[set[i]][set[j]];
    int64_t det = 1;
    for (int32_t k = 0; k < m && det != 0; k++) {
      int32_t r = k;
      while (r < m && M[r][k] == 0) r++;
      if (r == m) {
        det = 0;
        break;
      }
      if (r != k) sign = -sign;
      for (int32_t j = 0; r != k && j < m; j++) {
        const int64_t held = M[r][j];
        M[r][j] = M[k][j];
        M[k][j] = held;
      }
      for (int32_t i = k + 1; i < m; i++)
        for (int32_t j = m - 1; j >= k; j--)
          M[i][j] = cross(M[k][k], M[i][j], M[i][k], M[k][j], before, &overflow);
      det = before = M[k][k];
      if (overflow) return EXACT_OVERFLOW;
    }
    if (sign*det < least) return EXACT_NO;
  }
  return EXACT_YES;
}

exact_verdict exact_is_P(const exact_problem *p) { return minors_at_least(p, 1); }
exact_verdict exact_is_P0(const exact_problem *p) { return minors_at_least(p, 0); }

// ---- Farkas vectors: sums of doubles and small whole numbers, in fixed point ----

enum { LIMBS = 110, LOWEST = -1600 };            // 32 bits each: 2^-1600 .. 2^1920
typedef struct sum { int64_t limb[LIMBS]; } sum;

static void add(sum *s, double u, wide factor, int exponent) {   // s += u factor 2^exponent
  if (u == 0.0 || factor == 0) return;
  int e;
  const int64_t mantissa = (int64_t)ldexp(frexp(u, &e), 53);
  wide v = mantissa*factor;                      // |factor| < 2^70
  const int shift = e - 53 + exponent - LOWEST, negative = v < 0;
  if (negative) v = -v;
  __extension__ unsigned __int128 rest = (unsigned __int128)v;
  // Split at the limb's boundary: the lowest piece is shifted by less than 32 bits.
  for (int k = shift/32, by = shift%32; rest != 0; k++, by = 0) {
    const uint64_t piece = ((uint64_t)rest << by) & 0xffffffffu;
    s->limb[k] += negative ? -(int64_t)piece : (int64_t)piece;
    rest >>= 32 - by;
  }
}

// Carries, so that all limbs have one sign; then the value, rounded: its sign is exact.
static double total(sum *s) {
  int64_t carry = 0;
  for (int k = 0; k < LIMBS; k++) {
    const int64_t v = s->limb[k] + carry;
    carry = v >= 0 ? v >> 32 : -((-v + 0xffffffff) >> 32);
    s->limb[k] = v - carry*4294967296;
  }
  const int negative = carry < 0;                // two's complement: negate the digits
  int64_t borrow = 0;
  double value = 0.0;
  for (int k = 0; k < LIMBS; k++) {
    int64_t v = s->limb[k];
    if (negative) {
      v = (k == 0 ? 4294967296 : 4294967295 + borrow) - v;
      borrow = v >> 32;
      v &= 0xffffffff;
    }
    value += ldexp((double)v, LOWEST + 32*k);    // from the smallest up; 2^-1600 is below doubles
    if (v != 0 && value == 0.0) value = 0x1p-1074;
  }
  return negative ? -value : value;
}

double exact_farkas_radius(const exact_problem *p, const int *row, const int *column,
                           const double *u) {
  const int32_t n = p->n;
  sum value = {{0}};
  double worst = 0.0;
  for (int32_t i = 0; i < n; i++) {
    const int lower = p->lo[i] != -EXACT_INF, upper = p->hi[i] != EXACT_INF;
    if (!(u[i] - u[i] == 0.0) || (lower && u[i] < 0.0) || (upper && u[i] > 0.0)) return 0.0;
    add(&value, u[i], p->b[i], row[i]);
  }
  for (int32_t j = 0; j < n; j++) {
    sum g = {{0}};
    for (int32_t i = 0; i < n; i++) add(&g, u[i], p->A[i][j], row[i]);
    const double size = total(&g);
    if (size == 0.0) continue;
    const int64_t bound = size > 0.0 ? p->hi[j] : p->lo[j];
    if (bound == EXACT_INF || bound == -EXACT_INF) {
      worst = fmax(worst, ldexp(fabs(size), column[j]));
      continue;
    }
    for (int32_t i = 0; i < n; i++) add(&value, u[i], (wide)p->A[i][j]*bound, row[i]);
  }
  const double supremum = total(&value);
  if (!(supremum < 0.0)) return 0.0;
  return worst > 0.0 ? -supremum/worst : (double)INFINITY;
}
