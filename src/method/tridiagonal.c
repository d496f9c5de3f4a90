// tridiagonal.c: problems with three diagonals, as a time step of an American option gives them.
//
// First Brennan and Schwartz (1977): eliminate the entries on one side of the diagonal, then
// substitute, clamping each value as it comes,
//     d_i <- d_i - c_i a_(i+1)/d_(i+1),  r_i likewise;   x_i = clamp((r_i - a_i x_(i-1))/d_i),
// in either direction: the answer for M-matrices whose contact is one interval at the end where the
// substitution begins (Jaillet, Lamberton, Lapeyre 1990), in one pass. Otherwise policy iteration:
//     row i is at lo where x_i - y_i/A_ii < lo, at hi where it is > hi, else y_i = 0; solve; again,
// which is Howard's, or the primal-dual active set (Hintermueller, Ito, Kunisch 2003): for
// M-matrices with one bound a row x is monotone from the second step on and the end is reached, in
// practice after two or three solves from the previous step's x. On P-matrices the backup of Judice
// and Pires (1994) makes it finite: after 10 steps without fewer wrong rows only the last one
// changes, until there are fewer.
// Cost: 8 n flops a pass, 12 n a solve, which exchanges rows where that gives the larger pivot.
#include <math.h>

#include "diagonals.h"
#include "run.h"
#include "vector.h"

enum { PATIENCE = 10 };

enum { INSIDE = 0, AT_LO = 1, AT_HI = 2 };

typedef struct bands {
  int32_t n;
  const double *b, *lo, *hi;
  double *a, *d, *c;               // n: left of the diagonal, on it, right of it
  double *pivot, *value;           // n: of the elimination
  double *right, *second;          // n: what is right of the pivots; exchanges make a second one
  double *x, *y;                   // n
  uint8_t *at;                     // n: INSIDE, AT_LO or AT_HI
} bands;

static void layout(bands *t, arena *memory, int32_t n) {
  double **const vectors[] = {&t->a, &t->d, &t->c, &t->pivot, &t->value, &t->right, &t->second,
                              &t->x, &t->y};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, n);
  t->at = ARENA_ARRAY(memory, uint8_t, n);
  t->n = n;
}

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  arena count = {0};
  bands t = {0};
  layout(&t, &count, limits->n);
  return count.used;
}

// Brennan and Schwartz into x; `up`: eliminates upwards, so that the substitution begins at row 0,
// else at the other end. 0: a pivot is not positive.
static int one_pass(bands *t, int up, double *x) {
  const int32_t n = t->n, first = up ? n - 1 : 0, last = up ? 0 : n - 1, step = up ? -1 : 1;
  const double *near = up ? t->c : t->a, *far = up ? t->a : t->c;
  double *inverse = t->pivot, *value = t->value;
  for (int32_t i = first;; i += step) {
    double pivot = t->d[i], r = -t->b[i];
    if (i != first) {
      const double ratio = near[i]*inverse[i - step];
      pivot -= ratio*far[i - step];
      r -= ratio*value[i - step];
    }
    if (!(pivot > 0.0)) return 0;
    inverse[i] = 1.0/pivot;
    value[i] = r;
    if (i == last) break;
  }
  double before = 0.0;
  for (int32_t i = last;; i -= step) {
    // far[last] is 0, so is `before`
    before = clamp((value[i] - far[i]*before)*inverse[i], lower(t->lo, i), upper(t->hi, i));
    x[i] = before;
    if (i == first) return 1;
  }
}

// y_i = 0 where `at` is INSIDE, x_i at its bound elsewhere. A row whose pivot vanishes keeps its
// x_i: in a singular but consistent system any value will do, in another one y_i tells.
static void solve(bands *t) {
  const int32_t n = t->n;
  double left = 0.0;   // of row i, after the exchanges and eliminations so far
  for (int32_t i = 0; i < n; i++) {
    const int inside = t->at[i] == INSIDE;
    // this row, and what it looks like once the one above is eliminated
    double own = inside ? t->d[i] : 1.0, next = inside ? t->c[i] : 0.0, after = 0.0,
           value = inside ? -t->b[i] : t->at[i] == AT_LO ? lower(t->lo, i) : upper(t->hi, i);
    const double size = fabs(own) + fabs(next) + (inside ? fabs(t->a[i]) : 0.0);
    left = inside && i > 0 ? t->a[i] : 0.0;
    if (left != 0.0) {
      double pivot = t->pivot[i - 1], right = t->right[i - 1], rest = t->value[i - 1];
      if (fabs(left) > fabs(pivot)) {
        t->pivot[i - 1] = left;
        t->right[i - 1] = own;
        t->second[i - 1] = next;
        t->value[i - 1] = value;
        const double ratio = pivot/left;
        own = right - ratio*own;
        after = -ratio*next;
        value = rest - ratio*value;
        next = after;
      } else {
        const double ratio = left/pivot;
        own -= ratio*right;
        value -= ratio*rest;
      }
    }
    t->second[i] = 0.0;
    if (!(fabs(own) > 0x1p-46*size)) {
      own = 1.0;
      next = 0.0;
      value = t->x[i];
    }
    t->pivot[i] = own;
    t->right[i] = next;
    t->value[i] = value;
  }
  for (int32_t i = n - 1; i >= 0; i--) {
    double r = t->value[i];
    if (i + 1 < n) r -= t->right[i]*t->x[i + 1];
    if (i + 2 < n) r -= t->second[i]*t->x[i + 2];
    t->x[i] = r/t->pivot[i];
  }
}

static uint8_t wanted(const bands *t, int32_t i) {
  const double lo = lower(t->lo, i), hi = upper(t->hi, i);
  if (lo == hi || (t->at[i] == AT_LO && t->y[i] >= 0.0)) return AT_LO;
  if (t->at[i] == AT_HI && t->y[i] <= 0.0) return AT_HI;
  const double z = t->x[i] - (t->d[i] > 0.0 ? t->y[i]/t->d[i] : t->y[i]);
  return z < lo ? AT_LO : z > hi ? AT_HI : INSIDE;
}

// Every row whose label is wrong changes it, or only the last one. Returns how many were wrong.
static int32_t relabel(bands *t, int32_t *fewest, int32_t *patience) {
  int32_t wrong = 0, last = -1;
  for (int32_t i = 0; i < t->n; i++) {
    if (wanted(t, i) == t->at[i]) continue;
    wrong++;
    last = i;
  }
  if (wrong < *fewest) {
    *fewest = wrong;
    *patience = PATIENCE;
  } else {
    --*patience;
  }
  const int32_t from = *patience >= 0 ? 0 : last;
  for (int32_t i = from; wrong > 0 && i <= last; i++) t->at[i] = wanted(t, i);
  return wrong;
}

// The labels begin at run->x, and where it does not say at the sign of y_i.
static void policy_iteration(bands *t, perp_run *run) {
  for (int32_t i = 0; i < t->n; i++) {
    t->x[i] = run->x[i];
    t->at[i] = INSIDE;
  }
  if (run_apply(run, t->x, t->y) != 0) return;
  for (int32_t i = 0; i < t->n; i++) t->at[i] = wanted(t, i);
  int32_t fewest = INT32_MAX, patience = PATIENCE;
  while (run_continue(run)) {
    solve(t);
    run->factorizations++;
    for (int32_t i = 0; i < t->n; i++)
      run->x[i] = clamp(t->x[i], lower(t->lo, i), upper(t->hi, i));
    if (run_apply(run, run->x, t->y) != 0) continue;
    run->residual = run_residual(run, run->x, t->y);
    if (run_apply(run, t->x, t->y) != 0 || relabel(t, &fewest, &patience) > 0) continue;
    if (!run_check(run))
      run_stop(run, PERP_STATUS_STALLED, "every label fits, but a leading block is singular, or "
               "rounding hides the solution");
  }
}

static void run_tridiagonal(perp_run *run) {
  bands t = {.b = run->b, .lo = run->lo, .hi = run->hi};
  layout(&t, run->memory, run->n);
  diagonals_read(&run->A, t.a, t.d, t.c);
  for (int up = 1; up >= 0 && run_continue(run); up--) {
    if (t.n == 0 || !one_pass(&t, up, t.x) || run_apply(run, t.x, t.y) != 0) continue;
    const double residual = run_residual(run, t.x, t.y);
    if (!(residual < run->residual)) continue;
    for (int32_t i = 0; i < t.n; i++) run->x[i] = t.x[i];
    run->residual = residual;
  }
  if (!run_ended(run)) policy_iteration(&t, run);
}

const perp_method method_tridiagonal = {
  .name = "tridiagonal",
  .title = "one clamped elimination, then policy iteration",
  .source = "Brennan, Schwartz 1977; Howard 1960",
  .formula = "x_i = clamp((r_i - a_i x_(i-1))/d_i); then y_i = 0 or x_i at a bound, by the sign of "
             "x_i - y_i/A_ii - bound",
  .converges = "M-matrices with one bound a row, in a few solves; P-matrices, in finitely many",
  .cost = "8 n flops a pass, 12 n a solve; two passes at most and a few solves",
  .advice = "try auto: lemke, fischer_newton and interior_point take other matrices",
  .needs = PERP_NEEDS_SUBMATRIX | PERP_NEEDS_TRIDIAGONAL,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_M | 1u << PERP_CLASS_H | 1u << PERP_CLASS_PD | 1u << PERP_CLASS_SPD,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_FINITE | PERP_TRAIT_NO_ALLOC,
  .bytes = bytes,
  .run = run_tridiagonal,
};
