// proof.c: a proof that an exact solution lies in a small box around x.
//
// Row i belongs to the free set I unless |y_i| exceeds the distance of x_i to the bound that y_i
// points to, in the units of the equilibration. With x_F at the bounds, the solution x_I of
// A_II x_I = -(b_I + A_IF x_F) is enclosed:
//   - up to PROVE_DENSE_ROWS_MAX free rows by an approximate inverse (enclose_linear.c). O(m^3).
//   - for more rows, if A_II is H+, by t with <A_II> t >= |z| (comparison.c). O(nnz) a sweep.
// If then lo <= x_I <= hi, y_F >= 0 at the lower and y_F <= 0 at the upper bounds for every point
// of the enclosure, one of its points is an exact solution of the caller's problem. A degenerate
// solution (x_i at its bound and y_i = 0) or a singular A_II is proven only if x itself is a solution
// without any rounding error, which is tried first.
#include <math.h>
#include <string.h>

#include "allocator.h"
#include "columns.h"
#include "comparison.h"
#include "enclose_linear.h"
#include "error.h"
#include "plain.h"
#include "problem.h"
#include "vector.h"

static const double unit_roundoff = 0x1p-53;

typedef enum label { FREE, LOWER, UPPER } label;

typedef struct proving {
  const perp_problem *problem;
  const perp_allocator *from;
  row_table A;
  comparison_work work;
  double *x;                  // n: the middle of the enclosure
  double *error;              // n: the solution is within error_i of x_i
  double *R, *C, *equilibrate;   // n, n, 4 n
  double *right;              // n: |z|, or the errors of x_I
  uint8_t *is_free, *label;   // n
  int32_t *place, *row;       // n: position of row i in I; the row at a position
  int32_t m;                  // number of rows in I
  perp_proof *proof;
} proving;

static void layout(proving *s, arena *memory, int32_t n) {
  double **const vectors[] = {&s->x, &s->error, &s->R, &s->C, &s->right, &s->work.right, &s->work.p,
                              &s->work.q, &s->work.z};
  for (size_t k = 0; k < sizeof vectors/sizeof *vectors; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, n);
  s->equilibrate = ARENA_ARRAY(memory, double, 4*(size_t)n);
  s->is_free = ARENA_ARRAY(memory, uint8_t, n);
  s->label = ARENA_ARRAY(memory, uint8_t, n);
  s->place = ARENA_ARRAY(memory, int32_t, n);
  s->row = ARENA_ARRAY(memory, int32_t, n);
}

static enclosure row_at(const proving *s, int32_t i, const double *x) {   // (A x + b)_i
  enclosure y = {s->problem->b[i], 0.0, 0.0};
  for (int32_t p = s->A.ptr[i]; p < s->A.ptr[i + 1]; p++)
    enclosure_add_product(&y, s->A.value[p], x[s->A.column[p]], s->A.slack);
  return y;
}

static void read_labels(proving *s, const double *x) {
  const int32_t n = s->A.n;
  s->m = 0;
  for (int32_t i = 0; i < n; i++) {
    const double lo = lower(s->problem->lo, i), hi = upper(s->problem->hi, i);
    const double y = s->R[i]*row_at(s, i, x).high;
    const double up = (x[i] - lo)/s->C[i], down = (hi - x[i])/s->C[i];   // distances to the bounds
    s->label[i] = FREE;
    if (lo == hi || y > up || (up <= 0.0 && y >= 0.0)) s->label[i] = LOWER;
    else if (-y > down || (down <= 0.0 && y <= 0.0)) s->label[i] = UPPER;
    s->is_free[i] = s->label[i] == FREE;
    s->x[i] = s->label[i] == LOWER ? lo : s->label[i] == UPPER ? hi : x[i];
    s->error[i] = 0.0;
    if (!s->is_free[i]) continue;
    s->row[s->m] = i;
    s->place[i] = s->m++;
  }
}

// 1: x itself is a solution, without any rounding error. Then A_II may be singular.
static int exact_solution(proving *s, const double *x) {
  int32_t inside = 0;
  for (int32_t i = 0; i < s->A.n; i++) {
    const double lo = lower(s->problem->lo, i), hi = upper(s->problem->hi, i);
    const enclosure y = row_at(s, i, x);
    if (!(x[i] >= lo && x[i] <= hi) || (x[i] < hi && !(enclosure_lower(y) >= 0.0)) ||
        (x[i] > lo && !(enclosure_upper(y) <= 0.0)))
      return 0;
    inside += x[i] > lo && x[i] < hi;
  }
  for (int32_t i = 0; i < s->A.n; i++) {
    s->x[i] = x[i];
    s->error[i] = 0.0;
  }
  s->m = inside;
  return 1;
}

static int fails(proving *s, int32_t row, const char *why) {
  s->proof->worst = row;
  plain_print(s->proof->reason, sizeof s->proof->reason, "%s", why);
  return 0;
}

// A_II as a linear system for x_I
static void take_block(void *context, double *S) {   // m x m, row-major
  const proving *s = context;
  const size_t m = (size_t)s->m;
  memset(S, 0, m*m*sizeof *S);
  for (int32_t i = 0; i < s->A.n; i++)
    for (int32_t p = s->A.ptr[i]; s->is_free[i] && p < s->A.ptr[i + 1]; p++)
      if (s->is_free[s->A.column[p]])
        S[(size_t)s->place[i]*m + (size_t)s->place[s->A.column[p]]] = s->A.value[p];
}

static enclosure block_residual(void *context, int32_t k) {
  const proving *s = context;
  return row_at(s, s->row[k], s->x);
}

static void block_move(void *context, int32_t k, double by) {
  const proving *s = context;
  s->x[s->row[k]] += by;
}

// Encloses x_I by an approximate inverse of A_II. -2: no memory; 0: not proven.
static int enclose_dense(proving *s) {
  const linear_system system = {.m = s->m, .slack = s->A.slack, .context = s,
                                .entries = take_block, .residual = block_residual,
                                .move = block_move};
  switch (enclose_linear(&system, s->from, s->right)) {
    case LINEAR_NO_MEMORY: return -2;
    case LINEAR_SINGULAR: return fails(s, -1, "the free block of A is singular to rounding");
    case LINEAR_ILL:
      return fails(s, -1, "the free block of A is too ill-conditioned for an enclosure");
    case LINEAR_ENCLOSED: break;
  }
  for (int32_t k = 0; k < s->m; k++) s->error[s->row[k]] = s->right[k];
  return 1;
}

// The same for a large H+ block: <A_II> t >= |z|.
static int enclose_comparison(proving *s) {
  for (int32_t i = 0; i < s->A.n; i++) {
    if (!s->is_free[i]) continue;
    const enclosure y = row_at(s, i, s->x);
    s->right[i] = max2(fabs(enclosure_lower(y)), fabs(enclosure_upper(y)));
  }
  const int done = comparison_bound(&s->A, s->is_free, s->right, s->C, 0, s->from, &s->work,
                                    s->error);
  if (done == 0) {
    char why[128];
    plain_print(why, sizeof why, "%d free rows: more than %d are enclosed only where A is H+ there",
                s->m, PROVE_DENSE_ROWS_MAX);
    return fails(s, -1, why);
  }
  return done;
}

// 1: every point of the enclosure satisfies the inequalities.
static int satisfied(proving *s) {
  char why[128];
  for (int32_t i = 0; i < s->A.n; i++) {
    const double lo = lower(s->problem->lo, i), hi = upper(s->problem->hi, i);
    if (s->is_free[i]) {
      const double low = s->error[i] == 0.0 ? s->x[i] : round_down(s->x[i] - s->error[i]);
      const double high = s->error[i] == 0.0 ? s->x[i] : round_up(s->x[i] + s->error[i]);
      if (low >= lo && high <= hi) continue;
      plain_print(why, sizeof why, "row %d: x = %.6g +- %.2g may leave [%.6g, %.6g]: degenerate?", i,
                  s->x[i], s->error[i], lo, hi);
      return fails(s, i, why);
    }
    if (lo == hi) continue;
    enclosure y = row_at(s, i, s->x);
    for (int32_t p = s->A.ptr[i]; p < s->A.ptr[i + 1]; p++) {
      const double e = s->error[s->A.column[p]];
      const double a = (1.0 + 4.0*unit_roundoff + s->A.slack)*fabs(s->A.value[p]);
      if (e > 0.0) enclosure_lose(&y, product_up(a, e));
    }
    const int right = s->label[i] == LOWER ? enclosure_lower(y) >= 0.0 : enclosure_upper(y) <= 0.0;
    if (right) continue;
    plain_print(why, sizeof why, "row %d: x = %.6g is at its bound, but y = %.3g +- %.2g: degenerate?",
                i, s->x[i], y.high, 2.0*y.lost);
    return fails(s, i, why);
  }
  return 1;
}

static perp_error prove(proving *s, const double *x, double *lower_end, double *upper_end) {
  const int32_t n = s->A.n;
  equilibrate(&s->problem->A, s->R, s->C, s->equilibrate);
  const int exact = exact_solution(s, x);
  int done = exact;
  if (!exact) {
    read_labels(s, x);
    done = s->m == 0 ? 1 : s->m <= PROVE_DENSE_ROWS_MAX ? enclose_dense(s) : enclose_comparison(s);
    if (done == -2) return error_set(PERP_ERROR_MEMORY, "perp_prove: no memory, n = %d", n);
    if (done == 1) done = satisfied(s);
  }
  s->proof->free_count = s->m;
  s->proof->proven = done;
  for (int32_t i = 0; i < n; i++) {
    const double e = s->error[i];
    lower_end[i] = !done ? -(double)INFINITY : e == 0.0 ? s->x[i] : round_down(s->x[i] - e);
    upper_end[i] = !done ? (double)INFINITY : e == 0.0 ? s->x[i] : round_up(s->x[i] + e);
    s->proof->width = max2(s->proof->width, upper_end[i] - lower_end[i]);
  }
  if (exact)
    plain_print(s->proof->reason, sizeof s->proof->reason,
                "x itself is an exact solution, with %d of %d rows free", s->m, n);
  else if (done)
    plain_print(s->proof->reason, sizeof s->proof->reason,
                "an exact solution with %d of %d rows free lies within %.2g of x", s->m, n,
                s->proof->width);
  return PERP_OK;
}

perp_error perp_prove(const perp_problem *problem, const double *x, const perp_allocator *allocator,
                      double *lower_end, double *upper_end, perp_proof *proof) {
  if (problem == NULL || proof == NULL ||
      ((x == NULL || lower_end == NULL || upper_end == NULL) && problem->A.n > 0))
    return error_set(PERP_ERROR_ARGUMENT, "perp_prove: problem, x, a bound or proof is NULL");
  perp_error error = perp_validate(problem);
  const int32_t n = error == PERP_OK ? problem->A.n : 0;
  if (error == PERP_OK) error = validate_point("perp_prove:", n, x, NULL);
  if (error != PERP_OK) return error;
  const perp_allocator from = allocator_of(allocator);
  perp_proof found = {.worst = -1};
  proving s = {.problem = problem, .from = &from, .proof = &found};
  error = rows_take(&problem->A, &from, &s.A);
  if (error == PERP_ERROR_UNSUPPORTED) {
    plain_print(found.reason, sizeof found.reason, "%.150s", perp_last_message());
    found.width = n > 0 ? (double)INFINITY : 0.0;
    for (int32_t i = 0; i < n; i++) {
      lower_end[i] = -(double)INFINITY;
      upper_end[i] = (double)INFINITY;
    }
    *proof = found;
    return PERP_OK;
  }
  if (error != PERP_OK) return error;
  arena memory = {0};
  layout(&s, &memory, n);
  const size_t bytes = arena_overflowed(&memory) ? 0 : arena_block_bytes(&memory);
  void *block = bytes > 0 ? from.allocate(from.context, bytes) : NULL;
  if (block == NULL) error = error_set(PERP_ERROR_MEMORY, "perp_prove: no memory, n = %d", n);
  else {
    memory = arena_on_block(block, bytes);
    layout(&s, &memory, n);
    error = prove(&s, x, lower_end, upper_end);
    from.release(from.context, block);
  }
  rows_free(&from, &s.A);
  if (error == PERP_OK) *proof = found;
  return error;
}
