// pivoting.c: drives one row at a time to y_j = 0 (Baraff's step), for dantzig and keller.
//
// Moving x_j by t and keeping y_I = 0:
//   dx_I = -A_II^-1 A_Ij,  dy_F = A_Fj + A_FI dx_I,  dy_j = A_jj + A_jI dx_I   E13 5.1.1, corrected
// t is the first at which y_j becomes 0 (t = -y_j/dy_j, only if dy_j > 0), x_j meets its other
// bound, some x_i of I meets a bound (i leaves I), or some watched y_i becomes 0 (i enters I).
// If dy_j = 0 up to rounding, row j depends on those of I, and A [dx; 1] = 0 for semidefinite A.
// Then x moves along this null vector until some x_i leaves I, which makes row j independent. If
// none leaves, the vector proves that there is no solution.
#include "pivoting.h"

#include <float.h>
#include <string.h>

#include "vector.h"

// Pivots of a small problem: as many as there are sets I. Others: more than any problem has needed
// that did not cycle.
#define PIVOTS_MAX(n) ((n) <= 14 ? 16384 : 100*(int64_t)(n) + 1000)

// ---- y, and its errors ----

// Two sums: a single one would wait for each addition, and more are not worth it for few terms.
static inline double short_dot(int32_t n, const double *a, const double *v) {
  double even = 0.0, odd = 0.0;
  int32_t j = 0;
  for (; j + 2 <= n; j += 2) {
    even += a[j]*v[j];
    odd += a[j + 1]*v[j + 1];
  }
  return (j < n ? even + a[j]*v[j] : even) + odd;
}

static double row_dot(const pivoting *s, int32_t i, const double *v) {
  if (s->n < PIVOTING_SMALL_ROWS) return short_dot(s->n, s->A + (size_t)i*(size_t)s->n, v);
  if (!s->sparse) return principal_dot(s->n, s->A + (size_t)i*(size_t)s->n, v);
  double sum = 0.0;
  for (int32_t p = s->begin[i]; p < s->begin[i + 1]; p++) sum += s->value[p]*v[s->column[p]];
  return sum;
}

double pivoting_y(const pivoting *s, int32_t i) { return s->run->b[i] + row_dot(s, i, s->run->x); }

static void measure_x(pivoting *s) {
  s->size = 0.0;
  for (int32_t i = 0; i < s->n; i++) s->size += s->root[i]*fabs(s->run->x[i]);
}

void pivoting_all_y(pivoting *s) {
  for (int32_t i = 0; i < s->n; i++) s->y[i] = pivoting_y(s, i);
  measure_x(s);
}

// |A||x| + |b| of row i if s->careful, else a cheap bound of it from root.
double pivoting_size(const pivoting *s, int32_t i) {
  double size = fabs(s->run->b[i]);
  if (!s->careful) return size + s->root[i]*s->size;
  const double *a = s->A + (size_t)i*(size_t)s->n;
  for (int32_t j = 0; j < s->n; j++) size += fabs(a[j]*s->run->x[j]);
  return size;
}

double pivoting_wrong(const pivoting *s, int32_t i) {
  const double lo = lower(s->run->lo, i), hi = upper(s->run->hi, i), x = s->run->x[i], y = s->y[i];
  if (!(fabs(y) > 16.0*DBL_EPSILON*pivoting_size(s, i))) return 0.0;   // rounding
  if (x <= lo && (y > 0.0 || x >= hi)) return 0.0;
  if (x >= hi && y < 0.0) return 0.0;
  return fabs(y)/max2(s->root[i], 0x1p-500);
}

// ---- the start ----

// More sweeps cost more than the pivots they save, measured on walls and on tiny problems.
#define CRASH_SWEEPS(n) ((n) < PIVOTING_SMALL_ROWS ? 2 : 10)

// A row leaves early if its step to a bound is at most this many times the shortest one. With 1,
// bricks take 6 % more work, which a time limit does not foresee.
#define EARLY_LEAVE_RATIO_MAX 2.0

static int inside(const perp_run *run, int32_t i, double x) {
  return x > lower(run->lo, i) && x < upper(run->hi, i);
}

static double into_bounds(const perp_run *run, int32_t i, double x) {
  return clamp(x, lower(run->lo, i), upper(run->hi, i));
}

void pivoting_solve(pivoting *s) {
  double *x = s->run->x;
  for (int32_t k = 0; k < s->P.m; k++) x[s->P.set[k]] = 0.0;
  for (int32_t k = 0; k < s->P.m; k++) s->dx[k] = -pivoting_y(s, s->P.set[k]);
  principal_solve(&s->P, s->dx);
  for (int32_t k = 0; k < s->P.m; k++) x[s->P.set[k]] = s->dx[k];
}

static int refactor(pivoting *s, int32_t count) {
  const perp_deadline deadline = run_deadline(s->run);
  s->run->factorizations++;
  return principal_factor(&s->P, s->rows, count, &deadline) == 0;
}

// Removes the rows of I that are at a bound: a few by updates, many by a new factor.
static void leave_at_bounds(pivoting *s) {
  const perp_run *run = s->run;
  int32_t stay = 0;
  for (int32_t i = 0; i < s->n; i++)
    if (s->P.place[i] >= 0 && inside(run, i, run->x[i])) s->rows[stay++] = i;
  if (s->P.m - stay > 4 + s->P.m/8) {
    refactor(s, stay);
    return;
  }
  for (int32_t k = s->P.m - 1; k >= 0; k--)
    if (!inside(run, s->P.set[k], run->x[s->P.set[k]]) && !principal_delete(&s->P, s->P.set[k])) {
      refactor(s, stay);
      return;
    }
}

static void sweep(pivoting *s) {
  perp_run *run = s->run;
  for (int32_t i = 0; i < s->n && !pivoting_out_of_time(s, i); i++) {
    const double x = run->x[i], y = pivoting_y(s, i), d = s->A[(size_t)i*(size_t)(s->n + 1)],
                 lo = lower(run->lo, i), hi = upper(run->hi, i);
    // The usual case has no unpredictable branch.
    run->x[i] = d > 0.0 ? clamp(x - y/d, lo, hi) : relaxed(x, y, d, 1.0, lo, hi);
  }
}

// Moves from x, which is within its bounds, towards y_I = 0. The row that meets its bound first
// leaves I, together with rows that would follow soon. Each round removes a row from I, so the loop
// ends, with y_I = 0.
static void walk(pivoting *s) {
  perp_run *run = s->run;
  double *x = run->x, first = 0.0;
  while (first < 1.0 && !run_out_of_time(run)) {
    for (int32_t k = 0; k < s->P.m; k++) s->dx[k] = -pivoting_y(s, s->P.set[k]);
    principal_solve(&s->P, s->dx);
    first = 1.0;
    for (int32_t k = 0; k < s->P.m; k++) {
      const int32_t i = s->P.set[k];
      const double bound = s->dx[k] < 0.0 ? lower(run->lo, i) : upper(run->hi, i);
      s->full[k] = s->dx[k] != 0.0 ? (bound - x[i])/s->dx[k] : (double)INFINITY;
      first = min2(first, s->full[k]);
    }
    for (int32_t k = 0; k < s->P.m; k++) {
      const int32_t i = s->P.set[k];
      if (first < 1.0 && s->full[k] <= EARLY_LEAVE_RATIO_MAX*first)
        x[i] = s->dx[k] < 0.0 ? lower(run->lo, i) : upper(run->hi, i);
      else x[i] = into_bounds(run, i, x[i] + first*s->dx[k]);
    }
    if (first < 1.0) leave_at_bounds(s);
  }
  pivoting_all_y(s);
}

void pivoting_start(pivoting *s, int crash) {
  perp_run *run = s->run;
  for (int32_t k = 0; crash && k < CRASH_SWEEPS(s->n); k++) sweep(s);
  if (crash && s->n >= PIVOTING_SMALL_ROWS && run_seconds_left(run) < (double)INFINITY) {
    pivoting_all_y(s);   // the factor may take all of the remaining time
    run_remember(run, run->x, run_residual(run, run->x, s->y));
  }
  int32_t count = 0;
  for (int32_t i = 0; i < s->n; i++)
    if (inside(run, i, run->x[i])) s->rows[count++] = i;
  refactor(s, count);
  walk(s);
  int wrong = 0;
  for (int32_t i = 0; i < s->n; i++) {
    if (s->P.place[i] >= 0) s->y[i] = 0.0;
    s->settled[i] = s->P.place[i] < 0 && pivoting_wrong(s, i) == 0.0;
    wrong |= s->P.place[i] < 0 && !s->settled[i];
  }
  if (wrong) s->residual = run_residual(run, run->x, s->y);
}

// ---- a pivot ----

void pivoting_drive(pivoting *s, int32_t j) {
  s->current = j;
  s->settled[j] = 0;
  s->sign = s->y[j] < 0.0 ? 1.0 : -1.0;
}

// dy of the settled rows for x_j growing by 1, by rows or by columns of A, whichever are fewer.
static void move_y(pivoting *s, int32_t j) {
  const int32_t n = s->n, m = s->P.m;
  int32_t watched = 0;
  for (int32_t i = 0; i < n; i++) watched += s->settled[i];
  if (watched == 0) return;
  if (watched <= m || !s->P.symmetric) {
    memset(s->full, 0, (size_t)n*sizeof(double));
    for (int32_t k = 0; k < m; k++) s->full[s->P.set[k]] = s->dx[k];
    s->full[j] = 1.0;
    for (int32_t i = 0; i < n; i++)
      if (s->settled[i]) s->dy[i] = row_dot(s, i, s->full);
    return;
  }
  memcpy(s->dy, s->A + (size_t)j*(size_t)n, (size_t)n*sizeof(double));
  for (int32_t k = 0; k < m; k++) {
    const int32_t c = s->P.set[k];
    if (!s->sparse) principal_add(n, s->dx[k], s->A + (size_t)c*(size_t)n, s->dy);
    else
      for (int32_t p = s->begin[c]; p < s->begin[c + 1]; p++)
        s->dy[s->column[p]] += s->dx[k]*s->value[p];
  }
}

typedef struct block { double t, strength; int32_t row; int leaves; double bound; } block;

// Takes this step if it is shorter. Among equal steps the larger component wins, or after many idle
// pivots the least index, which cannot cycle.
static void take_shorter(const pivoting *s, block *b, double t, double strength, int32_t row,
                         int leaves, double bound) {
  t = max2(t, 0.0);
  if (t > b->t) return;
  const int least = s->idle > 2*s->n + 10;
  if (t == b->t && b->row >= 0 && (least ? row > b->row : strength <= b->strength)) return;
  *b = (block){t, strength, row, leaves, bound};
}

static block first_block(const pivoting *s, int32_t j) {
  const perp_run *run = s->run;
  const double weak = sqrt(s->P.floor);   // smaller components of a direction may be rounding
  block b = {.t = (double)INFINITY, .row = -1};
  for (int32_t k = 0; k < s->P.m; k++) {
    const int32_t i = s->P.set[k];
    const double v = s->sign*s->dx[k], strength = fabs(v)*s->root[i];
    if (!(strength > weak)) continue;
    const double bound = v < 0.0 ? lower(run->lo, i) : upper(run->hi, i);
    if (fabs(bound) < (double)INFINITY)
      take_shorter(s, &b, (bound - run->x[i])/v, strength, i, 1, bound);
  }
  for (int32_t i = 0; s->watch && i < s->n; i++) {
    if (!s->settled[i] || i == j) continue;
    const double v = s->sign*s->dy[i], lo = lower(run->lo, i), hi = upper(run->hi, i);
    const double strength = s->root[i] > 0.0 ? fabs(v)/s->root[i] : 0.0;
    if (!(strength > weak) || lo == hi) continue;
    if (run->x[i] <= lo && v > 0.0) continue;
    if (run->x[i] >= hi && v < 0.0) continue;
    // A row between its bounds must keep y_i = 0.
    const double y = inside(run, i, run->x[i]) ? 0.0 : run->x[i] <= lo ? max2(s->y[i], 0.0)
                                                                       : min2(s->y[i], 0.0);
    take_shorter(s, &b, -y/v, strength, i, 0, 0.0);
  }
  return b;
}

static void advance(pivoting *s, int32_t j, double t, int dependent) {
  double *x = s->run->x;
  const double step = s->sign*t;
  s->idle = t > 0.0 ? 0 : s->idle + 1;
  if (!(t > 0.0)) return;
  x[j] += step;
  if (!dependent) s->y[j] += step*s->P.schur;
  for (int32_t k = 0; k < s->P.m; k++) {
    const int32_t i = s->P.set[k];
    x[i] = into_bounds(s->run, i, x[i] + step*s->dx[k]);
  }
  for (int32_t i = 0; s->watch && i < s->n; i++)
    if (s->settled[i]) s->y[i] += step*s->dy[i];
}

// Handles a direction that nothing blocks while y_j stays wrong. A null vector of a symmetric A
// then proves that there is no solution; the driver checks it.
static void ray(pivoting *s, int32_t j, int dependent) {
  perp_run *run = s->run;
  memset(s->full, 0, (size_t)s->n*sizeof(double));
  for (int32_t k = 0; k < s->P.m; k++) s->full[s->P.set[k]] = s->sign*s->dx[k];
  s->full[j] = s->sign;
  // Rounded data may have both a solution within tol and a proof that there is none. If y_j is nearly
  // right, look for the solution first, otherwise for the proof.
  const int nearly_right = fabs(s->y[j]) <= 1e-9*(fabs(run->b[j]) + s->root[j]*s->size);
  if (dependent && !nearly_right && run_infeasible(run, s->full)) return;
  if (dependent && s->rays++ < 2*s->n) {   // skip the row
    s->current = -1;
    s->settled[j] = 1;
    return;
  }
  if (dependent && run_infeasible(run, s->full)) return;
  if (pivoting_again(s)) return;
  run_stop(run, PERP_STATUS_RAY,
           "%s moved x of row %d without limit while its y stayed wrong, so this path leads to no "
           "solution", run->method->name, j);
}

static void leave(pivoting *s, int32_t i, double bound) {
  s->run->x[i] = bound;
  s->y[i] = 0.0;
  s->settled[i] = 1;
  if (principal_delete(&s->P, i)) return;
  int32_t count = 0;
  for (int32_t k = 0; k < s->P.m; k++) s->rows[count++] = s->P.set[k];
  refactor(s, count);
}

static void enter(pivoting *s, int32_t i) {
  principal_direction(&s->P, i, s->dx);
  s->settled[i] = 0;
  if (!(fabs(s->P.schur) > s->P.floor)) return;   // depends on I after all: it is driven later
  principal_append(&s->P);
  s->y[i] = 0.0;
}

void pivoting_step(pivoting *s) {
  perp_run *run = s->run;
  const int32_t j = s->current;
  principal_direction(&s->P, j, s->dx);
  const double schur = s->P.schur;
  const int dependent = fabs(schur) <= s->P.floor;
  if (s->watch) move_y(s, j);
  block b = first_block(s, j);
  const double bound = s->sign > 0.0 ? upper(run->hi, j) : lower(run->lo, j);
  const double own = fabs(bound - run->x[j]);
  double zero = !dependent && schur > 0.0 ? fabs(s->y[j])/schur : (double)INFINITY;
  s->pivots++;
  if (s->pivots%(20*(s->n + 10)) == 0 && pivoting_again(s)) return;
  if (s->pivots > PIVOTS_MAX(s->n)) {
    run_stop(run, PERP_STATUS_STALLED, "%s did not end after %d pivots", run->method->name,
             s->pivots);
    return;
  }
  if (own <= b.t && own <= zero && own < (double)INFINITY) {   // stays outside, at its other bound
    advance(s, j, own, dependent);
    run->x[j] = bound;
    s->current = -1;
    s->settled[j] = 1;
    return;
  }
  if (b.row < 0 && !(zero < (double)INFINITY)) {   // y_j may have overflowed to NaN
    if (dependent && schur > 0.0) zero = fabs(s->y[j])/schur;   // trust this pivot as a last resort
    if (!(zero < (double)INFINITY)) {
      ray(s, j, dependent);
      return;
    }
  }
  if (zero <= b.t) {
    advance(s, j, zero, 0);
    s->y[j] = 0.0;
    s->current = -1;
    principal_append(&s->P);
    return;
  }
  advance(s, j, b.t, dependent);
  if (b.leaves) leave(s, b.row, b.bound);
  else enter(s, b.row);
}
