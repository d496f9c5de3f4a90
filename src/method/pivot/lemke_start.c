// lemke_start.c: makes the first basis of Lemke's method, and the covering vector.
//
// The plain start has every bounded x at a bound. A crash puts the x that are between their bounds
// after a few Gauss-Seidel sweeps into the basis, except those that depend on others or would leave
// their bounds. Free x belong to every basis. If their block is singular (KKT systems, circuits), a
// pair of exchanges brings in a free x_i and the complement of a bounded row: the tableau on these
// two rows is [0 p; q r] with p q != 0.
//
// Then z0 enters. The values of the basis become feasible as v + p z0, where p > 0 leads away from
// the bound; that is the column d = -B p. From the plain start d = p.
#include "lemke.h"
#include "vector.h"

// Dependent columns that are dropped at the price of a factorisation each. 0: a tower of bricks
// takes 4 times the pivots; without a limit, walls with friction take 4 times the factorisations.
#define SINGLE_DROPS_MAX 2
#define COVER_RATIO 1e-4   // d in the rows of basic x, relative to the other rows

static int is_free(const lemke *l, int32_t i) {
  return unbounded(l->run->lo, l->run->hi, i);
}

static double diagonal(const lemke *l, int32_t i) {
  for (int32_t q = l->A.colptr[i]; q < l->A.colptr[i + 1]; q++)
    if (l->A.row[q] == i) return l->A.value[q];
  return 0.0;
}

static void move_to(lemke *l, int32_t i, double x) {
  const double dx = x - l->x[i];
  if (dx == 0.0) return;
  l->x[i] = x;
  for (int32_t q = l->A.colptr[i]; q < l->A.colptr[i + 1]; q++)
    l->y[l->A.row[q]] += dx*l->A.value[q];
}

static void relax(lemke *l, int32_t i, double curvature) {
  move_to(l, i, relaxed(l->x[i], l->y[i], curvature, 1.0, lower(l->run->lo, i),
                        upper(l->run->hi, i)));
}

// The curvature of a row with A_ii = 0 after the rows coupled to it have reacted, from the Schur
// complement: -sum of A_ij A_ji/A_jj over the x_j that can move.
static double curvature_of(const lemke *l, int32_t i) {
  double sum = 0.0;
  for (int32_t q = l->T.colptr[i]; q < l->T.colptr[i + 1]; q++) {
    const int32_t j = l->T.row[q];
    if (j == i || !(l->width[j] > 0.0)) continue;
    if (l->x[j] <= lower(l->run->lo, j) && l->y[j] > 0.0) continue;
    sum -= l->T.value[q]*csc_entry(&l->A, j, i)/l->width[j];
  }
  return sum;
}

// Relaxes a row with A_ii = 0 together with the rows coupled to it, in three passes. In contact
// problems these are the sliding speed and the impulses of its own contact.
static void relax_saddle(lemke *l, int32_t i) {
  for (int pass = 0; pass < 3; pass++) {
    const double curvature = curvature_of(l, i);
    if (curvature > 0.0) relax(l, i, curvature);
    else if (l->y[i] > 0.0 && lower(l->run->lo, i) > -(double)INFINITY)
      move_to(l, i, lower(l->run->lo, i));
    for (int32_t q = l->T.colptr[i]; q < l->T.colptr[i + 1]; q++)
      if (l->width[l->T.row[q]] > 0.0) relax(l, l->T.row[q], l->width[l->T.row[q]]);
  }
}

// One Gauss-Seidel sweep; l->width is the diagonal of A. 0: no time for more. In a full matrix each
// row without a diagonal takes as long as a sweep.
static int sweep(lemke *l) {
  for (int32_t i = 0; i < l->n; i++) {
    if (l->width[i] > 0.0) relax(l, i, l->width[i]);
    else relax_saddle(l, i);
    if ((!(l->width[i] > 0.0) || i == l->n - 1) && run_out_of_time(l->run)) return 0;
  }
  return 1;
}

// A wanted row with A_ii = 0 needs a partner whose x moves it; otherwise its column of the basis is
// empty. An open contact that slides, for example, keeps the impulse against its motion basic at 0.
static void want_partners(lemke *l) {
  for (int32_t i = 0; i < l->n; i++) {
    if (!l->wanted[i] || l->width[i] != 0.0) continue;
    int32_t best = -1;
    for (int32_t q = l->T.colptr[i]; q < l->T.colptr[i + 1]; q++) {
      const int32_t j = l->T.row[q];
      if (csc_entry(&l->A, j, i)*l->T.value[q] == 0.0) continue;
      if (l->wanted[j]) best = j;
      if (best >= 0 && l->wanted[best]) break;
      if (best < 0 || fabs(l->y[j]) < fabs(l->y[best])) best = j;
    }
    if (best >= 0) l->wanted[best] = 1;
  }
}

void lemke_guess(lemke *l, int32_t sweeps) {
  const int32_t n = l->n;
  for (int32_t i = 0; i < n; i++) {
    l->x[i] = l->run->x[i];
    l->y[i] = l->run->b[i];
  }
  for (int32_t i = 0; i < n && sweeps > 0; i++)
    for (int32_t q = l->A.colptr[i]; q < l->A.colptr[i + 1]; q++)
      l->y[l->A.row[q]] += l->x[i]*l->A.value[q];
  double largest = 0.0;
  for (int32_t i = 0; i < n; i++) l->width[i] = diagonal(l, i);
  for (int32_t k = 0; k < sweeps; k++)
    if (!sweep(l)) break;
  for (int32_t i = 0; i < n; i++) largest = max_or_nan(largest, fabs(l->x[i]));
  const double margin = largest < 1e12 ? LEMKE_OUTSIDE_MIN*largest : (double)INFINITY;
  for (int32_t i = 0; i < n; i++) {
    const double lo = lower(l->run->lo, i), hi = upper(l->run->hi, i), x = l->x[i];
    l->wanted[i] = is_free(l, i) || (sweeps > 0 && x > lo + margin && x < hi - margin);
    l->side[i] = is_free(l, i) ? AT_ZERO
                 : lo == -(double)INFINITY || (hi < (double)INFINITY && hi - x < x - lo)
                     ? AT_UPPER : AT_LOWER;
  }
  if (sweeps > 0 && l->T.colptr != NULL) want_partners(l);
}

void lemke_random_guess(lemke *l, random_stream *random) {
  for (int32_t i = 0; i < l->n; i++) {
    const double lo = lower(l->run->lo, i), hi = upper(l->run->hi, i);
    l->wanted[i] = is_free(l, i) || (lo < hi && random_uniform(random) < 0.5);
    if (lo > -(double)INFINITY && hi < (double)INFINITY)
      l->side[i] = random_uniform(random) < 0.5 ? AT_LOWER : AT_UPPER;
  }
}

static double largest_of(const basis_vector *u) {
  double largest = 0.0;
  for (int32_t q = 0; q < u->count; q++) largest = max_or_nan(largest, fabs(u->value[u->index[q]]));
  return largest;
}

static void solve(lemke *l, int32_t variable) {
  const basis_column c = lemke_column(l, variable);
  basis_solve(&l->B, &c, &l->u);
}

static int exchange(lemke *l, int32_t position, int32_t variable) {
  const int code = lemke_exchange(l, position, variable);
  if (code != 0 || !basis_due(&l->B, l->run->options->pivot.refactor)) return code;
  return lemke_renew(l);
}

static int refused(int code) { return code < 0 ? code : 2; }

static int is_free_slack(const lemke *l, int32_t variable) {
  return variable >= l->n && variable < Z0(l) && is_free(l, variable - l->n);
}

// Exchanges free x for slacks of free rows, one by one by the largest pivot, until none fits.
static int bring_in(lemke *l) {
  for (int progress = 1; progress;) {
    progress = 0;
    for (int32_t i = 0; i < l->n; i++) {
      if (!is_free(l, i) || l->where[X_OF(i)] >= 0) continue;
      solve(l, X_OF(i));
      const double least = l->careful ? lemke_refine(l, X_OF(i)) : LEMKE_PIVOT_RATIO_MIN;
      int32_t best = -1;
      for (int32_t q = 0; q < l->u.count; q++) {
        const int32_t k = l->u.index[q];
        if (!is_free_slack(l, l->head[k])) continue;
        if (best < 0 || fabs(l->u.value[k]) > fabs(l->u.value[best])) best = k;
      }
      if (best < 0 || !(fabs(l->u.value[best]) > least*max2(largest_of(&l->u), 1e-3))) continue;
      const int code = exchange(l, best, X_OF(i));
      if (code != 0) return refused(code);
      progress = 1;
      if (run_out_of_time(l->run)) return -1;
    }
  }
  return 0;
}

// Brings in a free x_i that can replace no slack of a free row. It replaces the basic variable of a
// bounded row, whose complement then replaces the slack at position `slack`. 0: done; 1: there is
// no such row; otherwise as lemke_crash.
static int bring_in_pair(lemke *l, int32_t i, int32_t slack) {
  solve(l, X_OF(i));
  basis_row(&l->B, slack, l->row);
  double best = 1e-3*LEMKE_PIVOT_RATIO_MIN;
  int32_t position = -1, partner = -1;
  for (int32_t q = 0; q < l->u.count; q++) {
    const int32_t k = l->u.index[q], r = lemke_row(l, l->head[k]);
    if (is_free(l, r) || lower(l->run->lo, r) == upper(l->run->hi, r)) continue;
    const int32_t complement = l->head[k] < l->n ? Y_OF(l, r) : X_OF(r);
    const basis_column c = lemke_column(l, complement);
    double entry = 0.0;
    for (int32_t e = 0; e < c.count; e++) entry += l->row[c.row[e]]*c.value[e];
    const double score = min2(fabs(l->u.value[k]), fabs(entry));
    if (score <= best) continue;
    best = score;
    position = k;
    partner = complement;
  }
  if (position < 0) return 1;
  int code = exchange(l, position, X_OF(i));
  if (code != 0) return refused(code);
  solve(l, partner);
  if (!(fabs(l->u.value[slack]) > 0.0)) return 2;
  code = exchange(l, slack, partner);
  return code != 0 ? refused(code) : 0;
}

// Brings in the remaining free x in pairs.
static int bring_in_rest(lemke *l) {
  for (int32_t i = 0; i < l->n; i++) {
    if (!is_free(l, i) || l->where[X_OF(i)] >= 0) continue;
    for (int32_t k = 0; k < l->n; k++) {
      if (!is_free_slack(l, l->head[k])) continue;
      const int code = bring_in_pair(l, i, k);
      if (code == 0) break;
      if (code != 1) return code;
    }
  }
  return 0;
}

// How far the value v of a basic variable is outside its bounds: negative below, positive above.
static double beyond(const lemke *l, int32_t position, double v) {
  double low, high;
  lemke_bounds(l, l->head[position], &low, &high);
  return v < low ? v - low : v > high ? v - high : 0.0;
}

static double outside(const lemke *l, int32_t position) {
  return beyond(l, position, l->value[position]);
}

// Drops each basic x_i with A_ii = 0 that no basic x_j moves: its column of the basis is empty.
static void drop_without_partner(lemke *l) {
  for (int32_t i = 0; i < l->n; i++) {
    if (l->where[X_OF(i)] < 0 || l->width[i] != 0.0 || is_free(l, i)) continue;
    int partner = 0;
    for (int32_t q = l->T.colptr[i]; q < l->T.colptr[i + 1] && !partner; q++)
      partner = l->where[X_OF(l->T.row[q])] >= 0 &&
                csc_entry(&l->A, l->T.row[q], i)*l->T.value[q] != 0.0;
    if (!partner) lemke_place(l, l->where[X_OF(i)], Y_OF(l, i));
  }
}

// Factors the basis with x_i or y_i at position i. Bounded x whose columns depend on others are
// replaced by their slacks: first those found at once, then one for each factorisation.
static int factor_repaired(lemke *l) {
  const double floor = l->careful ? lemke_rounding(l) : LEMKE_PIVOT_RATIO_MIN;
  if (l->T.colptr != NULL) drop_without_partner(l);
  int code = lemke_factor(l, floor);
  if (code <= 0) return code;
  code = lemke_drop_dependent(l);
  if (code == 0) code = lemke_factor(l, floor);
  for (int k = 0; k < SINGLE_DROPS_MAX && code > 0; k++) {
    if (l->head[code - 1] >= l->n || is_free(l, l->head[code - 1])) break;
    lemke_place(l, code - 1, Y_OF(l, l->head[code - 1]));
    code = lemke_factor(l, floor);
  }
  return code;
}

static double weight(int cover, double v, random_stream *random) {
  return cover == PERP_COVER_RANDOM ? random_range(random, 0.5, 1.5)
         : cover == PERP_COVER_SCALED ? max2(fabs(v), 0.0625) : 1.0;
}

// d = 1 in the rows of slacks and epsilon in those of basic x, with the sign of their bound; 0 in
// free rows and for basic x with two bounds.
static void cover_rows(lemke *l, double epsilon, int cover, random_stream random) {
  for (int32_t i = 0; i < l->n; i++) {
    const int basic = l->where[X_OF(i)] >= 0;
    const double lo = lower(l->run->lo, i), hi = upper(l->run->hi, i);
    const double w = weight(cover, basic ? 1.0 : l->value[l->where[Y_OF(l, i)]], &random);
    const int both = lo > -(double)INFINITY && hi < (double)INFINITY;
    const double sign = is_free(l, i) || lo == hi || (basic && both) ? 0.0
                        : (basic ? hi < (double)INFINITY : l->side[i] == AT_UPPER) ? -1.0 : 1.0;
    l->row[i] = sign*w*(basic ? epsilon : 1.0);
    l->other[i] = l->row[i];
  }
  basis_solve_dense(&l->B, l->other);
  for (int32_t k = 0; k < l->n; k++) l->other[k] = -l->other[k];
}

// The z0 that repairs the violated slacks if d = epsilon in the rows of basic x.
static double needed(lemke *l, double epsilon) {
  random_stream none = {0, 0};
  double z0 = 0.0;
  cover_rows(l, epsilon, PERP_COVER_ONES, none);
  for (int32_t k = 0; k < l->n; k++) {
    const double w = outside(l, k);
    if (l->head[k] >= l->n && -w*l->other[k] > 0.0) z0 = max2(z0, fabs(w/l->other[k]));
  }
  return z0;
}

// Drops basic x that are outside their bounds. If there are none, only slacks are violated; then it
// drops the x that z0 would push out while it repairs the slacks. With none of these either, d > 0
// in all rows, and Lemke's argument against rays on copositive matrices holds: the path is the end
// of the plain path for d. CRASH_REPEATED goes on until then. Each round drops an x, so it ends.
static int drop_outside(lemke *l, crash_rounds rounds) {
  for (;;) {
    lemke_values(l);
    int32_t dropped = 0;
    for (int pass = 0; pass < 2 && dropped == 0; pass++) {
      const double z0 = pass == 1 ? needed(l, COVER_RATIO) : 0.0;
      for (int32_t k = 0; k < l->n; k++) {
        const int32_t i = l->head[k];
        if (i >= l->n) continue;
        const double w = beyond(l, k, l->value[k] + (pass == 1 ? z0*l->other[k] : 0.0));
        if (fabs(w) <= LEMKE_OUTSIDE_MIN) continue;
        l->side[i] = w > 0.0 ? AT_UPPER : AT_LOWER;
        lemke_place(l, k, Y_OF(l, i));
        dropped++;
      }
    }
    const int code = dropped > 0 ? factor_repaired(l) : 0;
    if (code != 0 || dropped == 0 || rounds == CRASH_ONCE) return code;
  }
}

int lemke_crash(lemke *l, crash_rounds rounds) {
  lemke_clear(l);
  for (int32_t i = 0; i < l->n; i++)
    if (l->wanted[i]) lemke_place(l, i, X_OF(i));
  int code = factor_repaired(l);
  if (code == 0 && rounds != CRASH_NONE) code = drop_outside(l, rounds);
  if (code == 0) lemke_values(l);
  if (code > 0) {   // still singular: bring in free x one by one and leave the others out
    lemke_clear(l);
    code = lemke_renew(l);
    if (code == 0) code = bring_in(l);
    if (code == 0) code = bring_in_rest(l);
    if (code == 0) code = lemke_renew(l);
    if (code == 0) lemke_values(l);
  }
  if (code != 0) return refused(code);
  for (int32_t k = 0; k < l->n; k++)
    if (!isfinite(l->value[k])) return 2;
  return 0;
}

// The position at which z0 enters if the values are v + p z0, p in l->other. *z0: the least value that
// brings all of them within their bounds. -1: no z0 does.
static int32_t entrance(const lemke *l, double tolerance, double *z0) {
  double most = (double)INFINITY;
  int32_t position = -1;
  *z0 = 0.0;
  for (int32_t k = 0; k < l->n; k++) {
    const double w = outside(l, k), p = l->other[k];
    if (fabs(w) > tolerance) {
      if (!(-w*p > 0.0)) return -1;
      if (fabs(w/p) < *z0) continue;   // the last of equals: the lexicographic rule
      *z0 = fabs(w/p);
      position = k;
    }
    double low, high;
    lemke_bounds(l, l->head[k], &low, &high);
    const double room = p < 0.0 ? l->value[k] - low : high - l->value[k];
    if (p != 0.0) most = min2(most, (max2(room, 0.0) + 1e-10)/fabs(p));
  }
  return *z0 <= most ? position : -1;
}

// p = 1 away from the bound, in terms of the basis. Variables with two bounds must not reach the
// other one. d = -B p.
static int32_t cover_values(lemke *l, int cover, double tolerance, random_stream *random,
                            double *z0) {
  int32_t position = -1;
  *z0 = 0.0;
  for (int32_t k = 0; k < l->n; k++) {
    l->other[k] = weight(cover, l->value[k], random);
    const double need = fabs(outside(l, k))/l->other[k];
    if (need <= tolerance || need < *z0) continue;
    *z0 = need;
    position = k;
  }
  for (int32_t i = 0; i < l->n; i++) l->row[i] = 0.0;
  for (int32_t k = 0; k < l->n; k++) {
    double low, high, p = 0.0;
    const double w = outside(l, k);
    lemke_bounds(l, l->head[k], &low, &high);
    if (k == position) p = w < 0.0 ? l->other[k] : -l->other[k];
    else if (low == -(double)INFINITY || high == (double)INFINITY)
      p = low > -(double)INFINITY ? l->other[k] : high < (double)INFINITY ? -l->other[k] : 0.0;
    else if (w != 0.0) {
      const double room = min2(0.5*(high - low), *z0);
      p = (w < 0.0 ? room - w : -room - w)/ *z0;
    }
    l->other[k] = p;
    const basis_column c = lemke_column(l, l->head[k]);
    for (int32_t q = 0; q < c.count && p != 0.0; q++) l->row[c.row[q]] -= p*c.value[q];
  }
  return position;
}

int32_t lemke_cover(lemke *l, int cover, double tolerance, random_stream *random) {
  const int32_t n = l->n;
  double z0 = 0.0;
  int32_t position = -1;
  int any = 0;
  for (int32_t k = 0; k < n; k++) any |= fabs(outside(l, k)) > tolerance;
  if (!any) return -1;
  const double epsilons[] = {100.0*COVER_RATIO, COVER_RATIO, 0.01*COVER_RATIO, 0.0};
  for (size_t e = 0; e < sizeof epsilons/sizeof epsilons[0] && position < 0; e++) {
    cover_rows(l, epsilons[e], cover, *random);
    position = entrance(l, tolerance, &z0);
  }
  if (position < 0) position = cover_values(l, cover, tolerance, random, &z0);
  random->next += (uint64_t)n;
  basis_clear(&l->u);
  for (int32_t k = 0; k < n; k++) {
    const double p = l->other[k];
    l->start[k] = l->head[k];
    if (p == 0.0) continue;
    l->value[k] += p*z0;
    l->u.value[k] = -p;
    l->u.index[l->u.count++] = k;
  }
  l->d_count = 0;
  for (int32_t i = 0; i < n; i++) {
    if (l->row[i] == 0.0) continue;
    l->d_row[l->d_count] = i;
    l->d[l->d_count++] = l->row[i];
  }
  lemke_reference(l);
  l->reference_sign[position] = l->other[position] < 0.0 ? -1.0 : 1.0;   // its side was repaired
  l->value[position] = z0;
  return position;
}
