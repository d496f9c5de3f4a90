// bound.c: a proven bound of the distance from x to the solution, with all rounding errors.
//
// Both theorems start from the natural residual in units R, C that may be chosen, with e = x - x*:
//     r_i = mid((x_i - hi_i)/C_i, R_i y_i, (x_i - lo_i)/C_i) = ((I - D + D A') e')_i,  0 <= D <= I,
// where A' = R A C and e' = e/C: r = 0 at x*, and the change of mid(., ., .) is a convex combination
// of the changes of its arguments.
//
// H+ matrices (M-matrices among them): with R = 1/A_ii, C = 1 a row reads |e_i| <= |r_i| + sum over
// j != i of |A_ij|/A_ii |e_j|, that is <A>|e| <= D_A |r|, hence |e| <= <A>^-1 D_A |r| componentwise
// (Chen and Xiang 2006 have it for R = C = 1: <A>^-1 max(D_A, I)|r|). comparison.c bounds that.
//
// Positive definite matrices: with R = C = V and x - r the projection of x - y, the variational
// inequality at x* and the projection give (A'e' - r)'(e' - r) <= 0, so that
//     lambda |e'|^2 <= e'(A'^T r + r),   |e'| <= |A'^T r + r| / lambda
// in the 2-norm, where lambda > 0 is at most the smallest eigenvalue of (A' + A'^T)/2. This is Pang's
// bound (1 + L)/lambda |r| without the Lipschitz constant L. It verifies labels: y_i > sum |A_ij| e_j
// implies x*_i = lo_i; the same at hi_i. On the other rows K it holds for the reduced problem. If all
// of K is strictly inside its bounds, A_KK e_K = y_K and |e'_K| <= |y'_K| / lambda.
#include <math.h>
#include <string.h>

#include "allocator.h"
#include "columns.h"
#include "comparison.h"
#include "enclosure.h"
#include "error.h"
#include "operator.h"
#include "plain.h"
#include "problem.h"
#include "vector.h"

// Steps of inverse iteration, and shifts tried. With 1 step, Fathi's problem takes 1.07 times the
// work.
enum { INVERSE_STEPS_MAX = 6, SHIFTS_MAX = 8 };
static const double unit_roundoff = 0x1p-53;

typedef struct bounding {
  const perp_problem *problem;
  const perp_allocator *from;
  row_table A;
  comparison_work work;
  double *x, *y_low, *y_high;  // n: the point, and bounds of A x + b there
  double *R, *C, *equilibrate; // n, n, 4 n
  double *r_low, *r_high;      // n: bounds of the natural residual
  double *V, *t;               // n
  uint8_t *kept;               // n: 1: not known to be at a bound
} bounding;

static void layout(bounding *s, arena *memory, int32_t n) {
  double **const vectors[] = {&s->x, &s->y_low, &s->y_high, &s->R, &s->C, &s->r_low, &s->r_high,
                              &s->V, &s->t, &s->work.right, &s->work.p, &s->work.q, &s->work.z};
  for (size_t k = 0; k < sizeof vectors/sizeof *vectors; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, n);
  s->equilibrate = ARENA_ARRAY(memory, double, 4*(size_t)n);
  s->kept = ARENA_ARRAY(memory, uint8_t, n);
}

static void enclose_y(bounding *s) {   // at s->x
  for (int32_t i = 0; i < s->A.n; i++) {
    enclosure y = {s->problem->b[i], 0.0, 0.0};
    for (int32_t p = s->A.ptr[i]; p < s->A.ptr[i + 1]; p++)
      enclosure_add_product(&y, s->A.value[p], s->x[s->A.column[p]], s->A.slack);
    s->y_low[i] = enclosure_lower(y);
    s->y_high[i] = enclosure_upper(y);
  }
}

// x - bound, rounded upwards or downwards
static double above(double x, double bound) { return sum_up(x, -bound); }
static double below(double x, double bound) { return -sum_up(-x, bound); }

// Encloses r_i. y_i is in [low, high] in the units of r; x is in the units of the caller.
static void enclose_residual(const bounding *s, int32_t i, double low, double high, double scale,
                             double *r_low, double *r_high) {
  const double lo = lower(s->problem->lo, i), hi = upper(s->problem->hi, i);
  // scale: a power of two, so that nothing is rounded
  *r_low = mid(below(s->x[i], hi)*scale, low, below(s->x[i], lo)*scale);
  *r_high = mid(above(s->x[i], hi)*scale, high, above(s->x[i], lo)*scale);
}

// ---- H+ ----

static int by_comparison(bounding *s, double *bound) {
  const int32_t n = s->A.n;
  for (int32_t i = 0; i < n; i++) {
    const double d = s->A.diagonal[i];
    if (!(d > 0.0)) return 0;
    const double wide = 1.0 + 4.0*(s->A.slack + unit_roundoff);
    double low = s->y_low[i]/d, high = s->y_high[i]/d;
    low = low < 0.0 ? round_down(low*wide) : low > 0.0 ? round_down(low/wide) : 0.0;
    high = high > 0.0 ? round_up(high*wide) : high < 0.0 ? round_up(high/wide) : 0.0;
    enclose_residual(s, i, low, high, 1.0, &low, &high);
    const double size = max2(fabs(low), fabs(high));
    s->t[i] = product_up(d, size == 0.0 ? 0.0 : round_up(size*wide));
  }
  return comparison_bound(&s->A, NULL, s->t, s->C, PROVE_DENSE_ROWS_MAX, s->from, &s->work, bound);
}

// ---- positive definite ----

// The lower triangle of V (A + A')/2 V, n x n, row-major; returns its trace. *all: the sum of
// |V A V|. Errors of entries are relative to that, because a skew part of A cancels in S.
static double symmetric_part(const bounding *s, double *S, double *all) {
  const int32_t n = s->A.n;
  double trace = 0.0;
  *all = 0.0;
  memset(S, 0, (size_t)n*(size_t)n*sizeof *S);
  for (int32_t i = 0; i < n; i++)
    for (int32_t p = s->A.ptr[i]; p < s->A.ptr[i + 1]; p++) {
      const int32_t j = s->A.column[p], low = i > j ? i : j, high = i > j ? j : i;
      const double a = s->A.value[p]*s->V[i]*s->V[j];
      S[(size_t)low*(size_t)n + (size_t)high] += (i == j ? 1.0 : 0.5)*a;
      *all += fabs(a);
      if (i == j) trace += a;
    }
  return trace;
}

static int cholesky(int32_t n, double *S, double shift) {   // S - shift I = L L'; 0: a pivot fails
  for (int32_t i = 0; i < n; i++) {
    double *row = S + (size_t)i*(size_t)n;
    for (int32_t j = 0; j < i; j++) {
      const double *top = S + (size_t)j*(size_t)n;
      row[j] = (row[j] - dot(j, row, top))/top[j];
    }
    const double pivot = row[i] - shift - dot(i, row, row);
    if (!(pivot > 0.0)) return 0;
    row[i] = sqrt(pivot);
  }
  return 1;
}

// Estimates the smallest eigenvalue of L L' by inverse iteration.
static double smallest_eigenvalue(int32_t n, const double *L, double *v) {
  double growth = 1.0;
  for (int32_t i = 0; i < n; i++) v[i] = 1.0 + 0.1*(double)(i%5);
  for (int32_t step = 0; step < INVERSE_STEPS_MAX; step++) {
    const double size = sqrt(dot(n, v, v));
    for (int32_t i = 0; i < n; i++) v[i] /= size;
    for (int32_t i = 0; i < n; i++)
      v[i] = (v[i] - dot(i, L + (size_t)i*(size_t)n, v))/L[(size_t)i*(size_t)n + (size_t)i];
    for (int32_t i = n - 1; i >= 0; i--) {
      v[i] /= L[(size_t)i*(size_t)n + (size_t)i];
      for (int32_t j = 0; j < i; j++) v[j] -= L[(size_t)i*(size_t)n + (size_t)j]*v[i];
    }
    growth = sqrt(dot(n, v, v));
  }
  return 1.0/growth;
}

// A proven lower bound of the smallest eigenvalue of V (A + A')/2 V, 0: none; -1: no memory.
static double least_eigenvalue(bounding *s) {
  const int32_t n = s->A.n;
  const size_t square = (size_t)n*(size_t)n;
  double *S = s->from->allocate(s->from->context, (square + (size_t)n + 1)*sizeof *S);
  if (S == NULL) return -1.0;
  // If the factorisation succeeds, the eigenvalues of S - shift I are above -error: its backward
  // error is below (n + 2) u trace (Demmel), and so is the error of forming S.
  double all;
  const double trace = symmetric_part(s, S, &all);
  const double error = 4.0*(n + 4)*unit_roundoff*trace + 2.0*s->A.slack*all + 0x1p-1000;
  double proven = 0.0;
  if (cholesky(n, S, 2.0*error)) {
    proven = error;
    double shift = 0.9*smallest_eigenvalue(n, S, S + square);
    for (int32_t k = 0; k < SHIFTS_MAX && shift > 4.0*error; k++, shift *= 0.5) {
      symmetric_part(s, S, &all);
      if (!cholesky(n, S, shift)) continue;
      proven = round_down(shift - error);
      break;
    }
  }
  s->from->release(s->from->context, S);
  return proven;
}

// Upper bound of |A'^T r + r| on the kept rows and columns, or of |r| alone.
static double size_of(bounding *s, int with_matrix) {
  const int32_t n = s->A.n;
  double *sum = s->work.p;   // n
  for (int32_t i = 0; i < n; i++) sum[i] = 0.0;
  double total = 0.0;
  for (int32_t i = 0; i < n; i++) {   // r = middle +- half: the middles may cancel in the sum
    if (!s->kept[i]) continue;
    const double middle = 0.5*(s->r_low[i] + s->r_high[i]);
    s->work.q[i] = middle;
    s->work.z[i] = max2(above(s->r_high[i], middle), above(middle, s->r_low[i]));
    sum[i] += middle;
    s->work.right[i] = s->work.z[i] + (n + 4)*unit_roundoff*fabs(middle);   // error of sum_i
  }
  for (int32_t i = 0; i < n && with_matrix; i++) {
    if (!s->kept[i]) continue;
    for (int32_t p = s->A.ptr[i]; p < s->A.ptr[i + 1]; p++) {
      const int32_t j = s->A.column[p];
      if (!s->kept[j]) continue;
      const double a = s->A.value[p]*s->V[i]*s->V[j];
      sum[j] += a*s->work.q[i];
      s->work.right[j] += fabs(a)*s->work.z[i] +
                          ((n + 4)*unit_roundoff + s->A.slack)*fabs(a*s->work.q[i]);
    }
  }
  for (int32_t i = 0; i < n; i++) {
    if (!s->kept[i]) continue;
    const double part = (fabs(sum[i]) + 2.0*s->work.right[i])*(1.0 + 8.0*unit_roundoff);
    total += part*part;
  }
  return round_up(sqrt(total)*(1.0 + (n + 8)*unit_roundoff)) + 0x1p-1000;
}

static void scaled_residual(bounding *s) {
  for (int32_t i = 0; i < s->A.n; i++)
    enclose_residual(s, i, s->V[i]*s->y_low[i], s->V[i]*s->y_high[i], 1.0/s->V[i], &s->r_low[i],
                     &s->r_high[i]);
}

// Finds the rows whose label `radius` verifies, moves x to their bounds and clears `kept` there.
// Returns 1 if x is strictly inside its bounds in all other rows.
static int verify_labels(bounding *s, double radius) {
  const int32_t n = s->A.n;
  int all_inside = 1;
  double *moved = s->t;   // n: the new x
  for (int32_t i = 0; i < n; i++) {
    const double lo = lower(s->problem->lo, i), hi = upper(s->problem->hi, i);
    double spread = 0.0;
    for (int32_t p = s->A.ptr[i]; p < s->A.ptr[i + 1]; p++)
      spread += product_up(fabs(s->A.value[p]), s->V[s->A.column[p]]);   // cannot underflow to 0
    spread = round_up(spread*radius*(1.0 + (n + 8)*unit_roundoff + s->A.slack));
    const double away = round_up(radius*s->V[i]);
    s->kept[i] = 0;
    moved[i] = s->x[i];
    if (lo == hi || s->y_low[i] > spread) moved[i] = lo;
    else if (s->y_high[i] < -spread) moved[i] = hi;
    else {
      s->kept[i] = 1;
      all_inside &= below(s->x[i], lo) > away && -above(s->x[i], hi) > away;
    }
    if (!(moved[i] - moved[i] == 0.0)) {   // that bound is infinite: no label is verified
      moved[i] = s->x[i];
      s->kept[i] = 1;
      all_inside = 0;
    }
  }
  for (int32_t i = 0; i < n; i++) s->x[i] = moved[i];
  return all_inside;
}

static int by_definiteness(bounding *s, const double *x, double *bound, char *how, size_t size) {
  const int32_t n = s->A.n;
  for (int32_t i = 0; i < n; i++) {
    if (!(s->A.diagonal[i] > 0.0)) return 0;
    int exponent;
    frexp(s->A.diagonal[i], &exponent);
    s->V[i] = power_of_two_within(-exponent/2, SCALE_EXPONENT_MAX);
    s->kept[i] = 1;
  }
  const double lambda = least_eigenvalue(s);
  if (lambda < 0.0) return -2;
  if (!(lambda > 0.0)) return 0;
  scaled_residual(s);
  const double first = quotient_up(size_of(s, 1), lambda);
  if (!(first < (double)INFINITY)) return 0;
  for (int32_t i = 0; i < n; i++) bound[i] = product_up(first, s->V[i]);
  plain_print(how, size, "positive definite, eigenvalue >= %.3g: |e| <= |(A' + I) r| / %.3g", lambda,
              lambda);
  const int inside = verify_labels(s, first);
  int32_t kept = 0;
  for (int32_t i = 0; i < n; i++) kept += s->kept[i];
  if (kept == n && !inside) return 1;
  enclose_y(s);
  if (inside) {
    for (int32_t i = 0; i < n; i++) {
      s->r_low[i] = s->V[i]*s->y_low[i];
      s->r_high[i] = s->V[i]*s->y_high[i];
    }
  } else {
    scaled_residual(s);
  }
  const double second = quotient_up(size_of(s, !inside), lambda);
  for (int32_t i = 0; i < n; i++) {
    const double moved = s->x[i] == x[i] ? 0.0 : round_up(fabs(s->x[i] - x[i]));
    bound[i] = min2(bound[i], s->kept[i] ? product_up(second, s->V[i]) : moved);
  }
  plain_print(how, size, "positive definite, eigenvalue >= %.3g; %d of %d rows verified at a bound%s",
              lambda, n - kept, n, inside ? ", the others inside" : "");
  return 1;
}

static perp_error find_bound(bounding *s, const double *x, double *bound, perp_bound *result) {
  const int32_t n = s->A.n;
  if (n > 0) memcpy(s->x, x, (size_t)n*sizeof *x);
  equilibrate(&s->problem->A, s->R, s->C, s->equilibrate);
  enclose_y(s);
  int done = by_comparison(s, bound);
  if (done == 1) {
    int z = 1;
    for (int32_t i = 0; i < n; i++)
      for (int32_t p = s->A.ptr[i]; p < s->A.ptr[i + 1]; p++)
        z &= s->A.column[p] == i || s->A.value[p] <= 0.0;
    plain_print(result->reason, sizeof result->reason,
                "%s: |x - x*| <= <A>^-1 D |r| componentwise", z ? "M-matrix" : "H+ matrix");
  } else if (done == 0 && n <= PROVE_DENSE_ROWS_MAX) {
    done = by_definiteness(s, x, bound, result->reason, sizeof result->reason);
  }
  if (done == -2) return error_set(PERP_ERROR_MEMORY, "perp_error_bound: no memory, n = %d", n);
  if (done == 0)
    plain_print(result->reason, sizeof result->reason, n <= PROVE_DENSE_ROWS_MAX
                ? "A is not proven to be H+ or positive definite"
                : "A is not proven to be H+; definiteness is tried up to n = %d only",
                PROVE_DENSE_ROWS_MAX);
  result->known = done == 1;
  result->largest = 0.0;
  for (int32_t i = 0; i < n; i++) {
    if (!result->known) bound[i] = (double)INFINITY;
    result->largest = max2(result->largest, bound[i]);
  }
  return PERP_OK;
}

perp_error perp_error_bound(const perp_problem *problem, const double *x,
                            const perp_allocator *allocator, double *bound, perp_bound *result) {
  if (problem == NULL || result == NULL || ((x == NULL || bound == NULL) && problem->A.n > 0))
    return error_set(PERP_ERROR_ARGUMENT, "perp_error_bound: problem, x, bound or result is NULL");
  perp_error error = perp_validate(problem);
  const int32_t n = error == PERP_OK ? problem->A.n : 0;
  if (error == PERP_OK) error = validate_point("perp_error_bound:", n, x, NULL);
  if (error != PERP_OK) return error;
  const perp_allocator from = allocator_of(allocator);
  perp_bound found = {0};
  bounding s = {.problem = problem, .from = &from};
  error = rows_take(&problem->A, &from, &s.A);
  if (error == PERP_ERROR_UNSUPPORTED) {
    plain_print(found.reason, sizeof found.reason, "%.150s", perp_last_message());
    found.largest = n > 0 ? (double)INFINITY : 0.0;
    for (int32_t i = 0; i < n; i++) bound[i] = (double)INFINITY;
    *result = found;
    return PERP_OK;
  }
  if (error != PERP_OK) return error;
  arena memory = {0};
  layout(&s, &memory, n);
  const size_t bytes = arena_overflowed(&memory) ? 0 : arena_block_bytes(&memory);
  void *block = bytes > 0 ? from.allocate(from.context, bytes) : NULL;
  if (block == NULL)
    error = error_set(PERP_ERROR_MEMORY, "perp_error_bound: no memory, n = %d", n);
  else {
    memory = arena_on_block(block, bytes);
    layout(&s, &memory, n);
    error = find_bound(&s, x, bound, &found);
    from.release(from.context, block);
  }
  rows_free(&from, &s.A);
  if (error == PERP_OK) *result = found;
  return error;
}
