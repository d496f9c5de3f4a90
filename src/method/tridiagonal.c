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
// and Pires makes it finite: after 10 steps without fewer wrong rows only the last one changes.
// Cost: 8 n flops a solve.
#include <math.h>

#include "assemble.h"
#include "run.h"
#include "vector.h"

enum { PATIENCE = 10 };

enum { INSIDE = 0, AT_LO = 1, AT_HI = 2 };

typedef struct bands {
  int32_t n;
  const double *b, *lo, *hi;
  double *a, *d, *c;           // n: left of the diagonal, on it, right of it
  double *pivot, *value;       // n: of the elimination
  double *x, *y;               // n
  uint8_t *at;                 // n: INSIDE, AT_LO or AT_HI
} bands;

static void layout(bands *t, arena *memory, int32_t n) {
  double **const vectors[] = {&t->a, &t->d, &t->c, &t->pivot, &t->value, &t->x, &t->y};
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

// 1: read; 0: the run has ended.
static int read(bands *t, perp_run *run) {
  perp_csc A;
  const perp_allocator *allocator = run_allocator(run);
  const int failed = assemble_csc(&run->A, 1, allocator, &A);
  if (failed != 0) {
    if (failed == -2) run_no_memory(run, "the diagonals of A");
    else run_stop(run, PERP_STATUS_UNSOLVED, "the entries of A are not known");
    return 0;
  }
  for (int32_t i = 0; i < t->n; i++) t->a[i] = t->d[i] = t->c[i] = 0.0;
  int32_t i = 0, j = 0;
  int fits = 1;
  for (j = 0; fits && j < t->n; j++)
    for (int32_t p = A.colptr[j]; fits && p < A.colptr[j + 1]; p++) {
      i = A.row[p];
      if (i == j + 1) t->a[i] = A.value[p];
      else if (i == j) t->d[i] = A.value[p];
      else if (i == j - 1) t->c[i] = A.value[p];
      else fits = 0;
    }
  if (!fits)
    run_stop(run, PERP_STATUS_UNSOLVED,
             "A has an entry beside its three diagonals, in row %d and column %d", i, j - 1);
  assembled_free(allocator, &A);
  return fits;
}

static void all_y(bands *t) {
  for (int32_t i = 0; i < t->n; i++) {
    double y = t->b[i] + t->d[i]*t->x[i];
    if (i > 0) y += t->a[i]*t->x[i - 1];
    if (i + 1 < t->n) y += t->c[i]*t->x[i + 1];
    t->y[i] = y;
  }
}

// Brennan and Schwartz; `up`: eliminates upwards, so that the substitution begins at row 0, else at
// the other end. 0: a pivot is not positive.
static int one_pass(bands *t, int up) {
  const int32_t n = t->n, first = up ? n - 1 : 0, last = up ? 0 : n - 1, step = up ? -1 : 1;
  const double *near = up ? t->c : t->a, *far = up ? t->a : t->c;
  for (int32_t i = first;; i += step) {
    t->pivot[i] = t->d[i];
    t->value[i] = -t->b[i];
    if (i != first) {
      const double ratio = near[i]/t->pivot[i - step];
      t->pivot[i] -= ratio*far[i - step];
      t->value[i] -= ratio*t->value[i - step];
    }
    if (!(t->pivot[i] > 0.0)) return 0;
    if (i == last) break;
  }
  for (int32_t i = last;; i -= step) {
    const double known = i == last ? 0.0 : far[i]*t->x[i + step];
    t->x[i] = clamp((t->value[i] - known)/t->pivot[i], lower(t->lo, i), upper(t->hi, i));
    if (i == first) return 1;
  }
}

// y_i = 0 where `at` is INSIDE, x_i at its bound elsewhere. 0: a pivot vanishes.
static int solve(bands *t) {
  const int32_t n = t->n;
  for (int32_t i = 0; i < n; i++) {
    if (t->at[i] != INSIDE) {
      t->pivot[i] = 1.0;
      t->value[i] = t->at[i] == AT_LO ? lower(t->lo, i) : upper(t->hi, i);
      continue;
    }
    t->pivot[i] = t->d[i];
    t->value[i] = -t->b[i];
    if (i > 0) {
      const double ratio = t->a[i]/t->pivot[i - 1];
      if (t->at[i - 1] == INSIDE) t->pivot[i] -= ratio*t->c[i - 1];
      t->value[i] -= ratio*t->value[i - 1];
    }
    if (!(fabs(t->pivot[i]) > 0x1p-50*fabs(t->d[i]))) return 0;
  }
  for (int32_t i = n - 1; i >= 0; i--) {
    t->x[i] = t->value[i];
    if (t->at[i] != INSIDE) continue;
    if (i + 1 < n) t->x[i] -= t->c[i]*t->x[i + 1];
    t->x[i] /= t->pivot[i];
  }
  return 1;
}

static uint8_t wanted(const bands *t, int32_t i) {
  const double lo = lower(t->lo, i), hi = upper(t->hi, i), z = t->x[i] - t->y[i]/t->d[i];
  if (t->at[i] == AT_LO && (t->y[i] >= 0.0 || lo == hi)) return AT_LO;
  if (t->at[i] == AT_HI && t->y[i] <= 0.0) return AT_HI;
  return z < lo ? AT_LO : z > hi ? AT_HI : INSIDE;
}

// run->x becomes t->x within the bounds, if that is better or `always`.
static void publish(const bands *t, perp_run *run, int always) {
  for (int32_t i = 0; i < t->n; i++)
    t->value[i] = clamp(t->x[i], lower(t->lo, i), upper(t->hi, i));
  if (run_apply(run, t->value, t->y) != 0) return;
  const double residual = run_residual(run, t->value, t->y);
  if (!always && !(residual < run->residual)) return;
  for (int32_t i = 0; i < t->n; i++) run->x[i] = t->value[i];
  run->residual = residual;
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

static void run_tridiagonal(perp_run *run) {
  bands t = {.b = run->b, .lo = run->lo, .hi = run->hi};
  layout(&t, run->memory, run->n);
  if (!read(&t, run)) return;
  for (int up = 1; up >= 0 && run_continue(run); up--)
    if (one_pass(&t, up)) publish(&t, run, 0);
  for (int32_t i = 0; i < t.n; i++) {
    t.x[i] = run->x[i];
    t.at[i] = INSIDE;
  }
  all_y(&t);
  int32_t fewest = INT32_MAX, patience = PATIENCE;
  relabel(&t, &fewest, &patience);
  fewest = INT32_MAX;
  while (run_continue(run)) {
    run->factorizations++;
    if (!solve(&t)) {
      run_stop(run, PERP_STATUS_BREAKDOWN, "a pivot vanished: a leading block is singular");
      continue;
    }
    publish(&t, run, 1);
    all_y(&t);
    if (relabel(&t, &fewest, &patience) == 0 && !run_check(run))
      run_stop(run, PERP_STATUS_STALLED, "every label fits, but rounding hides the solution");
  }
}

const perp_method method_tridiagonal = {
  .name = "tridiagonal",
  .title = "one clamped elimination, then policy iteration",
  .source = "Brennan, Schwartz 1977; Howard 1960",
  .formula = "x_i = clamp((r_i - a_i x_(i-1))/d_i); then y_i = 0 or x_i at a bound, by the sign of "
             "x_i - y_i/A_ii - bound",
  .converges = "M-matrices with one bound a row; finite on tridiagonal P-matrices",
  .cost = "8 n flops a solve; two passes and a few solves",
  .advice = "A must have three diagonals; try auto",
  .needs = PERP_NEEDS_SUBMATRIX,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = PERP_ASSUMES_NO_PROOF,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_FINITE,
  .bytes = bytes,
  .run = run_tridiagonal,
};
