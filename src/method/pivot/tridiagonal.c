// tridiagonal.c: solves problems with three diagonals, such as a time step of an American option.
//
// First one pass of Brennan and Schwartz (1977): eliminate the entries on one side of the diagonal,
// then substitute, clamping each value,
//     d_i <- d_i - c_i a_(i+1)/d_(i+1),  r_i the same;   x_i = clamp((r_i - a_i x_(i-1))/d_i),
// in either direction. One pass gives the solution for M-matrices whose contact is one interval at
// the end where the substitution begins (Jaillet, Lamberton, Lapeyre 1990). Otherwise policy
// iteration:
//     row i is at lo if x_i - y_i/A_ii < lo, at hi if it is > hi, else y_i = 0; solve; repeat.
// That is Howard's method, or the primal-dual active set (Hintermueller, Ito, Kunisch 2003). For
// M-matrices with one bound per row, x is monotone from the second step on and the method is
// finite. From the previous time step's x it takes two or three solves. On P-matrices the backup of
// Judice and Pires (1994) makes it finite: after 10 steps without fewer wrong rows only the last
// one changes, until there are fewer.
// Cost: 8 n flops per pass, and 12 n per solve, which exchanges rows for the larger pivot.
#include <math.h>

#include "diagonals.h"
#include "pivoting.h"
#include "run.h"
#include "vector.h"

enum place { INSIDE, AT_LO, AT_HI };

typedef struct bands {
  int32_t n;
  const double *b, *lo, *hi;
  double *a, *d, *c;               // n: left of the diagonal, on it, right of it
  double *pivot, *value;           // n: of the elimination
  double *right, *second;          // n: first and second entry right of the pivot
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

// One pass of Brennan and Schwartz into x. up: eliminates upwards, so the substitution begins at
// row 0, otherwise at the other end. 0: a pivot is not positive.
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
    // far[last] and the first `before` are 0
    before = clamp((value[i] - far[i]*before)*inverse[i], lower(t->lo, i), upper(t->hi, i));
    x[i] = before;
    if (i == first) return 1;
  }
}

typedef struct row {   // an equation left x_(i-1) + own x_i + right x_(i+1) = value
  double left, own, right, value;
  double size;         // sum of its |entries| before elimination
} row;

static row row_of(const bands *t, int32_t i) {
  if (t->at[i] == AT_LO) return (row){0.0, 1.0, 0.0, lower(t->lo, i), 1.0};
  if (t->at[i] == AT_HI) return (row){0.0, 1.0, 0.0, upper(t->hi, i), 1.0};
  return (row){t->a[i], t->d[i], t->c[i], -t->b[i], fabs(t->a[i]) + fabs(t->d[i]) + fabs(t->c[i])};
}

// Solves with y_i = 0 where `at` is INSIDE, and x_i at its bound elsewhere. The pivot comes from
// row i or i + 1, whichever has the larger entry in column i. If both are 0, x_i keeps its value:
// in a singular but consistent system any value will do, otherwise y_i shows the error.
static void solve(bands *t) {
  const int32_t n = t->n;
  row now = n > 0 ? row_of(t, 0) : (row){0};
  for (int32_t i = 0; i < n; i++) {
    row next = i + 1 < n ? row_of(t, i + 1) : (row){0};
    double second = 0.0;
    if (fabs(next.left) > fabs(now.own)) {
      const row other = now;
      now = (row){0.0, next.left, next.own, next.value, next.size};
      second = next.right;
      next = (row){other.own, other.right, 0.0, other.value, other.size};
    }
    if (!(fabs(now.own) > 0x1p-46*now.size)) {
      now = (row){0.0, 1.0, 0.0, t->x[i], 1.0};
      second = 0.0;
    }
    const double ratio = next.left/now.own;
    t->pivot[i] = now.own;
    t->right[i] = now.right;
    t->second[i] = second;
    t->value[i] = now.value;
    next.own -= ratio*now.right;
    next.right -= ratio*second;
    next.value -= ratio*now.value;
    now = next;
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

// Every row with a wrong label changes it, or only the last one does. Returns the number of wrong
// rows.
static int32_t relabel(bands *t, int32_t *fewest, int32_t *patience) {
  int32_t wrong = 0, last = -1;
  for (int32_t i = 0; i < t->n; i++) {
    if (wanted(t, i) == t->at[i]) continue;
    wrong++;
    last = i;
  }
  if (wrong < *fewest) {
    *fewest = wrong;
    *patience = PIVOTING_IDLE_ROUNDS_MAX;
  } else {
    --*patience;
  }
  if (wrong == 0) return 0;
  if (*patience >= 0)
    for (int32_t i = 0; i <= last; i++) t->at[i] = wanted(t, i);
  else   // from one bound to the other in two steps, because the proof is for single pivots
    t->at[last] = t->at[last] == INSIDE ? wanted(t, last) : INSIDE;
  return wrong;
}

// The first labels come from run->x and y.
static void policy_iteration(bands *t, perp_run *run) {
  for (int32_t i = 0; i < t->n; i++) {
    t->x[i] = run->x[i];
    t->at[i] = INSIDE;
  }
  if (run_apply(run, t->x, t->y) != 0) return;
  for (int32_t i = 0; i < t->n; i++) t->at[i] = wanted(t, i);
  int32_t fewest = INT32_MAX, patience = PIVOTING_IDLE_ROUNDS_MAX;
  while (run_continue(run)) {
    solve(t);
    run->factorizations++;
    for (int32_t i = 0; i < t->n; i++)
      run->x[i] = clamp(t->x[i], lower(t->lo, i), upper(t->hi, i));
    if (run_apply(run, run->x, t->y) != 0) continue;
    run->residual = run_residual(run, run->x, t->y);
    if (run_apply(run, t->x, t->y) != 0 || relabel(t, &fewest, &patience) > 0) continue;
    if (!run_check(run))
      run_stop(run, PERP_STATUS_STALLED, "every row of the last x of tridiagonal has the right "
               "label, but x is not a solution");
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

// One pass upwards on a symmetric A. The pivots depend on A alone, so the next problem with the
// same A needs only two short recurrences:
//     v_i = -b_i - (c_i/d_(i+1)) v_(i+1),   x_i = clamp(v_i/d_i - (a_i/d_i) x_(i-1)).
static int attempt(const perp_problem *problem, void *memory, int same, double *x) {
  const perp_csc *A = problem->A.self;
  const int32_t n = A->columns;
  const double *b = problem->b, *lo = problem->lo, *hi = problem->hi;
  double *inverse = memory, *up = inverse + n, *down = up + n, *value = down + n;   // n each
  if (n == 0 || A->colptr[n] != 3*n - 2) return 0;   // an entry is missing
  if (!same) {
    double before = 0.0;   // 1/d_(i+1)
    for (int32_t i = n - 1; i >= 0; i--) {
      const double *a = A->value + 3*i;   // A_ii, A_(i+1,i), both of column i
      const double c = i + 1 < n ? a[1] : 0.0, pivot = a[0] - c*(c*before);
      if (!(pivot > 0.0)) return 0;
      up[i] = c*before;
      before = inverse[i] = 1.0/pivot;
    }
    down[0] = 0.0;
    for (int32_t i = 1; i < n; i++) down[i] = A->value[3*i - 1]*inverse[i];
  }
  double v = 0.0;
  for (int32_t i = n - 1; i >= 0; i--) {
    v = -b[i] - up[i]*v;
    value[i] = v*inverse[i];
  }
  double last = 0.0;
  if (lo == NULL && hi == NULL)
    for (int32_t i = 0; i < n; i++) x[i] = last = max2(0.0, value[i] - down[i]*last);
  else
    for (int32_t i = 0; i < n; i++)
      x[i] = last = clamp(value[i] - down[i]*last, lower(lo, i), upper(hi, i));
  return 1;
}

const perp_method method_tridiagonal = {
  .name = "tridiagonal", .tier = PERP_TIER_CHOOSE,
  .use = "A with three diagonals, as in steps of option prices",
  .title = "one clamped elimination, then policy iteration",
  .source = "Brennan, Schwartz 1977; Howard 1960",
  .formula = "x_i = clamp((r_i - a_i x_(i-1))/d_i); then y_i = 0 or x_i at a bound, by the sign of "
             "x_i - y_i/A_ii - bound",
  .converges = "M-matrices with one bound a row, in a few solves; P-matrices, in finitely many",
  .cost = "8 n flops a pass, 12 n a solve; two passes at most and a few solves",
  .advice = "Use auto for other matrices.",
  .needs = PERP_NEEDS_SUBMATRIX | PERP_NEEDS_TRIDIAGONAL,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_M | 1u << PERP_CLASS_H | 1u << PERP_CLASS_PD | 1u << PERP_CLASS_SPD,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_FINITE | PERP_TRAIT_NO_ALLOC,
  .bytes = bytes,
  .run = run_tridiagonal,
  .attempt = attempt,
};
