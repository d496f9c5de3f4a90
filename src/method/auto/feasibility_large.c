// feasibility_large.c: finds a Farkas vector of a large problem by least squares.
//
//     min 1/2 |v(A x + b)|^2  within the bounds,   v_i: by how much y_i misses its row's demand.
//
// At the minimum u = v satisfies A'u = 0 in the columns J strictly inside their bounds, has the
// right sign in the other columns, and gives u'(A x + b) = -|v|^2. So u is a Farkas vector unless
// v = 0. Projected Newton steps find the minimum (Bertsekas 1982). Each step solves a linear
// least-squares problem by CGLS, on the rows with v_i != 0 and the columns not held at a bound.
// A'u = 0 must hold to the last bit, so u is corrected within the range of A_J with A'u in
// compensated arithmetic. R and C scale the rows and columns. Cost: two products with A per step of
// CGLS.
#include "feasibility.h"

#include <float.h>
#include <string.h>

#include "columns.h"
#include "error_free.h"
#include "problem.h"

#define ENTRIES_READ_MAX 2e9   // entries of A that all products together may read: a few seconds
// x counts as feasible if |v| relative to |b| is below this. A column has to be exact if |A'u|
// relative to |A|'|u| is below it.
#define ZERO_SUM_MAX 1e-9

typedef struct large {
  perp_run *run;
  const double *R, *C;
  int32_t n;
  double *x, *y, *v, *g, *d, *trial, *h;     // n each
  double *p, *q, *z, *t;                     // n each: CGLS
  double *column, *raw;                      // n each
  int32_t *row;                              // n
  uint8_t *in_row, *in_column;               // n: 1: part of the least-squares problem
  double work;                               // products still allowed
} large;

// q = R A C p on the chosen rows and columns. 0: success.
static int forward(large *s, const double *p, double *q, int restricted) {
  for (int32_t j = 0; j < s->n; j++)
    s->t[j] = restricted && !s->in_column[j] ? 0.0 : s->C[j]*p[j];
  s->work -= 1.0;
  if (run_product(s->run, s->t, q)) return 1;
  for (int32_t i = 0; i < s->n; i++) q[i] = restricted && !s->in_row[i] ? 0.0 : q[i]*s->R[i];
  return 0;
}

static int backward(large *s, const double *q, double *p, int restricted) {
  for (int32_t i = 0; i < s->n; i++)
    s->t[i] = restricted && !s->in_row[i] ? 0.0 : s->R[i]*q[i];
  s->work -= 1.0;
  if (s->run->A.ops->apply_transpose(s->run->A.self, s->t, p, s->run->scratch)) return 1;
  for (int32_t j = 0; j < s->n; j++) p[j] = restricted && !s->in_column[j] ? 0.0 : p[j]*s->C[j];
  return 0;
}

// Computes v at x. v is admissible as u, and is minus the gradient with respect to y. Returns
// 1/2 |v|^2.
static double violation(large *s, const double *x, double *v) {
  if (forward(s, x, s->y, 0)) return (double)INFINITY;
  double sum = 0.0;
  for (int32_t i = 0; i < s->n; i++) {
    const double y = s->y[i] + s->R[i]*s->run->b[i];
    const int wants = feasibility_demand(s->run, i);
    v[i] = wants == 2 ? 0.0 : wants == 1 ? max2(-y, 0.0) : wants == -1 ? min2(-y, 0.0) : -y;
    sum += 0.5*v[i]*v[i];
  }
  return sum;
}

static double low(const large *s, int32_t j) { return lower(s->run->lo, j)/s->C[j]; }
static double high(const large *s, int32_t j) { return upper(s->run->hi, j)/s->C[j]; }

// Solves (A_VJ' A_VJ) d = target by conjugate gradients; d = 0 outside J. 0: success.
static int normal_equations(large *s, const double *target, double *d, double relative) {
  double rr = 0.0;
  for (int32_t j = 0; j < s->n; j++) {
    d[j] = 0.0;
    s->z[j] = s->in_column[j] ? target[j] : 0.0;
    s->p[j] = s->z[j];
    rr += s->z[j]*s->z[j];
  }
  const double enough = relative*relative*rr;
  for (int32_t step = 0; step < s->n && rr > enough && s->work > 0.0; step++) {
    if (step%8 == 0 && run_out_of_time(s->run)) return 1;
    if (forward(s, s->p, s->q, 1)) return 1;
    const double qq = dot(s->n, s->q, s->q);
    if (!(qq > 0.0)) break;
    const double alpha = rr/qq, before = rr;
    if (backward(s, s->q, s->q, 1)) return 1;
    rr = 0.0;
    for (int32_t j = 0; j < s->n; j++) {
      d[j] += alpha*s->p[j];
      s->z[j] -= alpha*s->q[j];
      rr += s->z[j]*s->z[j];
    }
    for (int32_t j = 0; j < s->n; j++) s->p[j] = s->z[j] + rr/before*s->p[j];
  }
  return 0;
}

// Minimises. 1: the minimum is positive; 0: it is zero or not known.
static int minimise(large *s) {
  double scale = 0.0;
  for (int32_t i = 0; i < s->n; i++) scale = max2(scale, fabs(s->R[i]*s->run->b[i]));
  double f = violation(s, s->x, s->v);
  while (s->work > 0.0) {
    if (run_out_of_time(s->run) || !(f < (double)INFINITY)) return 0;
    if (sqrt(2.0*f) <= ZERO_SUM_MAX*scale) return 0;
    if (backward(s, s->v, s->g, 0)) return 0;
    for (int32_t i = 0; i < s->n; i++) {
      s->in_row[i] = s->v[i] != 0.0 || feasibility_demand(s->run, i) == 0;
      s->in_column[i] = !((s->x[i] <= low(s, i) && s->g[i] <= 0.0) ||
                          (s->x[i] >= high(s, i) && s->g[i] >= 0.0));
    }
    if (normal_equations(s, s->g, s->d, 1e-10)) return 0;
    double best = f, t = 1.0;
    for (; t >= DBL_EPSILON && s->work > 0.0; t *= 0.5) {
      for (int32_t j = 0; j < s->n; j++)
        s->trial[j] = clamp(s->x[j] + t*s->d[j], low(s, j), high(s, j));
      best = violation(s, s->trial, s->h);
      if (best < f) break;
    }
    if (!(best < f)) return 1;
    const int done = f - best <= 1e-15*f;
    memcpy(s->x, s->trial, (size_t)s->n*sizeof *s->x);
    memcpy(s->v, s->h, (size_t)s->n*sizeof *s->v);
    f = best;
    if (done) return 1;
  }
  return sqrt(2.0*f) > 1e-6*scale;   // perhaps not at the minimum, but u is checked anyway
}

// g = C A'R v in compensated arithmetic and h = C|A|'R|v|
static void column_sums(large *s, const double *v) {
  double slack = 0.0;
  for (int32_t j = 0; j < s->n; j++) {
    const int32_t count = columns_read(&s->run->A, j, s->row, s->column, &slack);
    exact_sum sum = {0.0, 0.0};
    double size = 0.0;
    for (int32_t k = 0; k < count; k++) {
      const double a = s->column[k]*s->R[s->row[k]], u = v[s->row[k]];
      exact_add_product(&sum, a, u);
      size += fabs(a*u);
    }
    s->g[j] = s->C[j]*exact_value(sum);
    s->h[j] = s->C[j]*size;
  }
}

static int one_bound(const large *s, int32_t j) {   // 1: lower, -1: upper, 0: none or both
  const int below = lower(s->run->lo, j) > -(double)INFINITY,
            above = upper(s->run->hi, j) < (double)INFINITY;
  return below == above ? 0 : below ? 1 : -1;
}

// u <- u + A_VJ d until A'u = -nudge h (columns with one bound) or 0 (free columns). 1: success.
static int correct(large *s, double *u, double nudge) {
  double last = (double)INFINITY, size = 0.0;
  for (;; last = size) {   // until a correction is not half as large as the one before
    column_sums(s, u);
    for (int32_t j = 0; j < s->n; j++)
      s->trial[j] = s->in_column[j] ? -one_bound(s, j)*nudge*s->h[j] - s->g[j] : 0.0;
    if (normal_equations(s, s->trial, s->d, 1e-10) || forward(s, s->d, s->y, 1)) return 0;
    size = 0.0;
    for (int32_t i = 0; i < s->n; i++) size = max_or_nan(size, fabs(s->y[i]));
    if (!(size > 0.0 && size < 0.5*last)) break;
    for (int32_t i = 0; i < s->n; i++) u[i] += s->y[i];
  }
  double largest = 0.0;
  for (int32_t i = 0; i < s->n; i++) largest = max2(largest, fabs(u[i]));
  for (int32_t i = 0; i < s->n; i++) {
    const int wants = feasibility_demand(s->run, i);
    if ((wants == 1 && u[i] < 0.0) || (wants == -1 && u[i] > 0.0) || fabs(u[i]) <= 1e-12*largest)
      u[i] = 0.0;
  }
  return 1;
}

static int right_signs(large *s, const double *u) {
  column_sums(s, u);
  for (int32_t j = 0; j < s->n; j++)
    if (one_bound(s, j)*s->g[j] > DBL_EPSILON*DBL_EPSILON*s->h[j]) return 0;
  return 1;
}

static int offer(large *s, const double *u) {
  for (int32_t i = 0; i < s->n; i++) s->trial[i] = u[i]*s->R[i];
  return run_infeasible(s->run, s->trial);
}

// Turns the violation v into a u that is exact in the columns J, and submits it. 1: accepted.
static int refine(large *s) {
  double largest = 0.0;
  for (int32_t i = 0; i < s->n; i++) largest = max2(largest, fabs(s->v[i]));
  if (!(largest > 0.0 && largest < (double)INFINITY)) return 0;
  for (int32_t i = 0; i < s->n; i++) {
    s->v[i] = fabs(s->v[i]) > 1e-8*largest ? s->v[i]/largest : 0.0;
    s->in_row[i] = s->v[i] != 0.0;
  }
  column_sums(s, s->v);
  for (int32_t j = 0; j < s->n; j++) {
    const int bound = one_bound(s, j), inside = s->x[j] > low(s, j) && s->x[j] < high(s, j);
    const int both = lower(s->run->lo, j) > -(double)INFINITY && bound == 0;
    s->in_column[j] = s->h[j] > 0.0 && !both &&
                      (inside || bound*s->g[j] > -ZERO_SUM_MAX*s->h[j] || bound == 0);
  }
  const size_t bytes = (size_t)s->n*sizeof *s->x;
  double *u = s->x, *raw = s->raw;   // x is no longer needed
  memcpy(u, s->v, bytes);
  if (rational_round(s->n, u, 1e-8) && offer(s, u)) return 1;
  memcpy(raw, s->v, bytes);
  if (!correct(s, raw, 0.0)) return 0;
  memcpy(u, raw, bytes);
  if (rational_round(s->n, u, 1e-11) && offer(s, u)) return 1;
  memcpy(u, raw, bytes);
  if (!correct(s, u, 0x1p-44)) return 0;
  return (right_signs(s, u) && offer(s, u)) || offer(s, raw);
}

int feasibility_large(perp_run *run, const double *R, const double *C) {
  const size_t n = (size_t)run->n, room = n + 1;
  if (run->A.ops->apply_transpose == NULL) return 0;
  large s = {.run = run, .R = R, .C = C, .n = run->n};
  double *memory = run_allocate(run, 13*room*sizeof *memory);
  s.row = run_allocate(run, room*sizeof *s.row);
  s.in_row = run_allocate(run, 2*room);
  if (memory == NULL || s.row == NULL || s.in_row == NULL) return 0;
  s.in_column = s.in_row + room;
  double **const vectors[] = {&s.x, &s.y, &s.v, &s.g, &s.d, &s.trial, &s.h, &s.p, &s.q, &s.z, &s.t,
                              &s.column, &s.raw};
  for (size_t k = 0; k < sizeof vectors/sizeof *vectors; k++) *vectors[k] = memory + k*room;
  const perp_problem problem = {.A = run->A, .b = run->b, .lo = run->lo, .hi = run->hi};
  s.work = ENTRIES_READ_MAX/(1.0 + (double)problem_nnz(&problem));
  for (int32_t j = 0; j < s.n; j++) s.x[j] = clamp(run->x[j]/C[j], low(&s, j), high(&s, j));
  return minimise(&s) && refine(&s);
}
