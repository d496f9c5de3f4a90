// multigrid.c: solves large symmetric problems with bounds by multigrid on the free rows.
//
// Z-matrices (no positive entry off the diagonal; definite ones are M-matrices) use the primal-dual
// active set, which is Newton's method on min(D(x - lo), y) = 0,
//     I = rows with lo < x_i - y_i/A_ii < hi;  x_F at their bounds;  A_II c = -y_I;  x_I <- x_I + c
// without projection or line search. With exact solves it is monotone from the second step on and
// finite (Hintermueller, Ito, Kunisch 2003). The solves are inexact, by conjugate gradients with a
// cycle on the free rows (src/linear/multigrid/aggregation.c), and become more accurate whenever I
// does not settle. Most steps examine few rows and continue the same gradients (multigrid_watch.c).
// Other matrices use truncated nonsmooth Newton (Graeser and Kornhuber 2009), from a feasible x:
//     x <- projected Gauss-Seidel, forward and backward
//     I = rows inside their bounds, or pushed inside by y = A x + b;   A_II c = -y_I roughly
//     d = clamp(x + c) - x,   x <- clamp(x + t d),   t minimises 1/2 x'Ax + b'x along d
// The objective falls in every step, and the sweeps alone converge for definite A. If the levels do
// not suit A, that may take many thousand steps; stalls() ends the run then.
// The start comes from the coarser levels, because on the finest the boundary of the contact would
// move by about a row per iteration. Cost: about six products with A per inner iteration. The file
// is long because two methods share stages, start and pace; multigrid_grid.c solves grids of cells.
#include <math.h>
#include <string.h>

#include "active_set_grid.h"
#include "aggregation.h"
#include "assemble.h"
#include "grid.h"
#include "multigrid.h"
#include "multigrid_watch.h"
#include "objective.h"
#include "operator.h"
#include "run.h"
#include "vector.h"

enum {
  CG_STEPS_FIRST = 2,          // steps of conjugate gradients while the free set changes a lot;
                               // with more, walls take 1.15 times the work
  SOLVE_EXAMINATIONS_MIN = 5   // examinations of A in the time of a solve, at least; 5 to 10
                               // measured
};

#define SETTLED_ROWS_RATIO 2e-3      // share of changed rows above which solves are rough
#define ROUGH_RESIDUAL 0.3           // relative residual of a solve while I changes
#define TOLERANCE_RATIO 0.02         // aim of the residual, relative to the tolerance
#define GUESS_RESIDUAL_MAX 1e-3      // residual below which the guess is the start
#define POLISH_TOLERANCE_RATIO 0.1   // residual over tolerance, below which there is no last step
#define RESIDUAL_MIN 2e-6            // smallest relative residual that single precision reaches

typedef struct stage {             // a problem on one level
  int32_t level, n;
  perp_csc A;
  const double *D;                 // n: A_ii
  const int32_t *aggregate;        // n: row of the next coarser level; NULL: there is none
  const double *b, *lo, *hi;       // n; lo, hi NULL: 0 and +inf
  double *x;                       // n
} stage;

typedef struct truncated {
  perp_run *run;
  aggregation *levels;
  double *y, *c, *d, *Ad;          // n
  double *own;                     // n: x of the active set, which may leave its bounds
  uint8_t *is_free, *before;       // n
  int32_t *moved;                  // n: rows that moved to a bound, stored where each part begins
  int32_t *found, *changed;        // parts: number of moved rows, and of rows with a new label
  const double *unit;              // n: run->x and run->y are x/unit and unit y; NULL: 1
  int is_z;                        // 1: no positive entry off the diagonal
} truncated;

static void layout(truncated *t, arena *memory, int32_t n) {
  double **const vectors[] = {&t->y, &t->c, &t->d, &t->Ad, &t->own};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, n);
  t->is_free = ARENA_ARRAY(memory, uint8_t, n);
  t->before = ARENA_ARRAY(memory, uint8_t, n);
  t->moved = ARENA_ARRAY(memory, int32_t, n);
  t->found = ARENA_ARRAY(memory, int32_t, n/TEAM_TASK_ROWS + 1);
  t->changed = ARENA_ARRAY(memory, int32_t, n/TEAM_TASK_ROWS + 1);
}

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  if (limits->grid) return grid_bytes(limits->n);
  arena count = {0};
  truncated t = {0};
  layout(&t, &count, limits->n);
  return count.used;
}

static double low(const stage *s, int32_t i) { return lower(s->lo, i); }
static double high(const stage *s, int32_t i) { return upper(s->hi, i); }

// x_i <- clamp(x_i - (A x + b)_i/A_ii), forward and backward
static void sweeps(const stage *s) {
  const perp_csc *A = &s->A;
  for (int32_t k = 0; k < 2*s->n; k++) {
    const int32_t i = k < s->n ? k : 2*s->n - 1 - k;
    double y = s->b[i];
    for (int32_t p = A->colptr[i]; p < A->colptr[i + 1]; p++) y += A->value[p]*s->x[A->row[p]];
    s->x[i] = clamp(s->x[i] - y/s->D[i], low(s, i), high(s, i));
  }
}

static int32_t parts_of(int32_t n) { return n/TEAM_TASK_ROWS + (n%TEAM_TASK_ROWS != 0); }
static int32_t part_end(int32_t n, int32_t part) {
  return n - part*TEAM_TASK_ROWS > TEAM_TASK_ROWS ? (part + 1)*TEAM_TASK_ROWS : n;
}

// work(data, part) on all parts of the rows
static void each_part(const truncated *t, int32_t n, void (*work)(void *, int32_t), void *data) {
  const int32_t parts = parts_of(n);
  team_run(parts > 2 ? t->run->threads : NULL, work, data, parts);
}

typedef struct product_of {
  const perp_csc *A;
  const double *x, *b;             // b NULL: none
  double *y;
} product_of;

static void product_part(void *data, int32_t part) {
  const product_of *a = data;
  const int32_t to = part_end(a->A->columns, part);
  for (int32_t i = part*TEAM_TASK_ROWS; i < to; i++) {
    double sum = a->b != NULL ? a->b[i] : 0.0;
    for (int32_t p = a->A->colptr[i]; p < a->A->colptr[i + 1]; p++)
      sum += a->A->value[p]*a->x[a->A->row[p]];
    a->y[i] = sum;
  }
}

// y = A x (+ b)
static void product(const truncated *t, const perp_csc *A, const double *x, const double *b,
                    double *y) {
  product_of a = {A, x, b, y};
  each_part(t, A->columns, product_part, &a);
}

// Returns how many rows changed between free and bound.
static int32_t choose_free(truncated *t, const stage *s) {
  int32_t changed = 0;
  for (int32_t i = 0; i < s->n; i++) {
    const int at_lo = s->x[i] <= low(s, i) && t->y[i] >= 0.0;
    const int at_hi = s->x[i] >= high(s, i) && t->y[i] <= 0.0;
    t->is_free[i] = (uint8_t)(!at_lo && !at_hi);
    changed += t->is_free[i] != t->before[i];
    t->before[i] = t->is_free[i];
  }
  return changed;
}

// Solves A_II c = y_I to the relative accuracy `wanted`. Returns the steps made.
static int32_t solve_free(truncated *t, const stage *s, double wanted, int32_t most) {
  const perp_deadline deadline = run_deadline(t->run);
  return aggregation_solve(t->levels, s->level, t->run->threads, t->y, wanted, most, &deadline,
                           t->c);
}

// Moves along d = clamp(x + c) - x to the least objective, or to the bound before it.
static void step_along(truncated *t, stage *s) {
  for (int32_t i = 0; i < s->n; i++)
    t->d[i] = clamp(s->x[i] - t->c[i], low(s, i), high(s, i)) - s->x[i];
  product(t, &s->A, t->d, NULL, t->Ad);
  double slope = 0.0, curvature = 0.0, longest = (double)INFINITY;
  for (int32_t i = 0; i < s->n; i++) {
    slope += t->y[i]*t->d[i];
    curvature += t->d[i]*t->Ad[i];
    if (t->d[i] > 0.0) longest = min2(longest, (high(s, i) - s->x[i])/t->d[i]);
    if (t->d[i] < 0.0) longest = min2(longest, (low(s, i) - s->x[i])/t->d[i]);
  }
  if (!(slope < 0.0)) return;
  double length = curvature > 0.0 ? -slope/curvature : 1.0;
  if (length > 1.0) length = min2(length, max2(longest, 1.0));
  for (int32_t i = 0; i < s->n; i++)
    s->x[i] = clamp(s->x[i] + length*t->d[i], low(s, i), high(s, i));
}

typedef struct accuracy {            // how accurately to solve
  double wanted;                   // relative residual
  int32_t changed;                 // rows that changed in the last step
} accuracy;

static accuracy accuracy_new(void) { return (accuracy){ROUGH_RESIDUAL, INT32_MAX}; }

// Updates y after x_i has moved by d.
static void follow(const stage *s, int32_t i, double d, double *y) {
  for (int32_t p = s->A.colptr[i]; p < s->A.colptr[i + 1]; p++)
    y[s->A.row[p]] += s->A.value[p]*d;
}

// Updates y after all moved rows, by t->c.
static void follow_all(const truncated *t, const stage *s, double *y) {
  for (int32_t part = 0; part < parts_of(s->n); part++)
    for (int32_t k = 0; k < t->found[part]; k++) {
      const int32_t i = t->moved[part*TEAM_TASK_ROWS + k];
      follow(s, i, t->c[i], y);
    }
}

typedef struct step {
  truncated *t;
  const stage *s;
} step;

// Labels rows; those that are not free go to their bounds.
static void label_part(void *data, int32_t part) {
  const step *a = data;
  truncated *t = a->t;
  const stage *s = a->s;
  const int32_t to = part_end(s->n, part);
  int32_t *moved = t->moved + part*TEAM_TASK_ROWS, found = 0, changed = 0;
  for (int32_t i = part*TEAM_TASK_ROWS; i < to; i++) {
    const double target = s->x[i] - t->y[i]/s->D[i], lo = low(s, i), hi = high(s, i);
    const int inside = target > lo && target < hi;
    t->is_free[i] = (uint8_t)inside;
    if (!inside) {
      const double x = clamp(target, lo, hi);
      if (x != s->x[i]) moved[found++] = i;
      t->c[i] = x - s->x[i];
      s->x[i] = x;
    }
    changed += t->is_free[i] != t->before[i];
    t->before[i] = t->is_free[i];
  }
  t->found[part] = found;
  t->changed[part] = changed;
}

static void subtract_part(void *data, int32_t part) {
  const step *a = data;
  const int32_t to = part_end(a->s->n, part);
  for (int32_t i = part*TEAM_TASK_ROWS; i < to; i++) a->s->x[i] -= a->t->c[i];
}

// If the number of changed rows does not fall, solves become more accurate.
static void set_pace(accuracy *pace, int32_t changed) {
  if (changed >= pace->changed) pace->wanted *= 0.1;
  pace->changed = changed;
}

// Computes c: the step on the free rows of the finest level, and further steps that examine few
// rows only. Returns the steps of conjugate gradients.
static int32_t watched_step(truncated *t, stage *s, accuracy *pace, double wanted) {
  perp_run *run = t->run;
  const perp_deadline deadline = run_deadline(run);
  uint8_t *room = (uint8_t *)t->d;   // d is free here
  watch w = {.levels = t->levels, .threads = run->threads, .A = &s->A, .D = s->D, .b = s->b,
             .lo = s->lo, .hi = s->hi, .x = s->x, .is_free = t->is_free, .before = t->before,
             .row = t->moved, .seen = room, .label = room + s->n};
  aggregation_begin(t->levels, 0, run->threads, t->y);
  const double enough = max2(RESIDUAL_MIN, TOLERANCE_RATIO*run->options->tol/run->residual)*
                        aggregation_rest(t->levels, 0, run->threads);
  int32_t made = aggregation_go_on(t->levels, 0, run->threads, wanted, MULTIGRID_CG_STEPS_MAX,
                                   &deadline);
  watch_begin(&w);
  int settled_before = 0;
  // If the gradients are slow, all rows and the residual are examined after MULTIGRID_CG_STEPS_MAX.
  for (int32_t k = 0; w.count > 0 && made + k < MULTIGRID_CG_STEPS_MAX; k++) {
    const int32_t changed = watch_label(&w);
    const double rest = aggregation_rest(t->levels, 0, run->threads);
    if (changed == 0 && (settled_before || rest <= enough)) break;
    settled_before = changed == 0;
    if (changed > 0) aggregation_mask(t->levels, 0, t->is_free);
    if (!run_between(run)) break;
    if (changed > 0) set_pace(pace, changed);
    made += aggregation_go_on(t->levels, 0, run->threads,
                              changed == 0 ? enough/rest : max2(pace->wanted, RESIDUAL_MIN),
                              MULTIGRID_CG_STEPS_MAX, &deadline);
  }
  aggregation_end(t->levels, 0, run->threads, t->c);
  return made;
}

// One step of the active set on a level, from x and y = A x + b. x may leave its bounds. Returns
// the number of changed rows.
static int32_t newton(truncated *t, stage *s, accuracy *pace) {
  step a = {t, s};
  int32_t changed = 0;
  each_part(t, s->n, label_part, &a);
  for (int32_t part = 0; part < parts_of(s->n); part++) changed += t->changed[part];
  follow_all(t, s, t->y);
  if (changed > 0) aggregation_mask(t->levels, s->level, t->is_free);
  set_pace(pace, changed);
  double wanted = max2(pace->wanted, RESIDUAL_MIN);
  if (changed == 0 && s->level == 0 && t->run->residual > 0.0)    // solve to the tolerance
    wanted = max2(min2(wanted, TOLERANCE_RATIO*t->run->options->tol/t->run->residual), RESIDUAL_MIN);
  if (s->level == 0) t->run->inner_iterations += watched_step(t, s, pace, wanted);
  else solve_free(t, s, wanted, MULTIGRID_CG_STEPS_MAX);
  each_part(t, s->n, subtract_part, &a);
  product(t, &s->A, s->x, s->b, t->y);
  return changed;
}

static void clamp_part(void *data, int32_t part) {
  const step *a = data;
  truncated *t = a->t;
  const stage *s = a->s;
  const int32_t to = part_end(s->n, part);
  int32_t *moved = t->moved + part*TEAM_TASK_ROWS, found = 0;
  for (int32_t i = part*TEAM_TASK_ROWS; i < to; i++) {
    const double x = clamp(s->x[i], low(s, i), high(s, i));
    t->run->x[i] = x;
    if (x == s->x[i]) continue;
    moved[found++] = i;
    t->c[i] = x - s->x[i];
  }
  t->found[part] = found;
}

// Clamps x into run->x and computes its residual; y belongs to the unclamped x.
static void judge(truncated *t, const stage *s) {
  perp_run *run = t->run;
  step a = {t, s};
  double *y = t->y;
  int32_t moved = 0;
  each_part(t, s->n, clamp_part, &a);
  for (int32_t part = 0; part < parts_of(s->n); part++) moved += t->found[part];
  if (moved > 0 || t->unit != NULL) y = memcpy(t->Ad, t->y, (size_t)s->n*sizeof *y);
  follow_all(t, s, y);
  for (int32_t i = 0; t->unit != NULL && i < s->n; i++) {
    run->x[i] /= t->unit[i];
    y[i] *= t->unit[i];
  }
  run->residual = run_residual(run, run->x, y);
}

// One iteration on a level; *wanted is the accuracy of its linear solve. Returns the number of rows
// that changed between free and bound.
static int32_t iterate(truncated *t, stage *s, double *wanted) {
  sweeps(s);
  product(t, &s->A, s->x, s->b, t->y);
  const int32_t changed = choose_free(t, s);
  if (changed > 0) aggregation_mask(t->levels, s->level, t->is_free);
  *wanted = changed == 0 ? max2(*wanted*1e-3, RESIDUAL_MIN) : ROUGH_RESIDUAL;
  const int32_t most = changed > SETTLED_ROWS_RATIO*s->n ? CG_STEPS_FIRST : MULTIGRID_CG_STEPS_MAX;
  const int32_t steps = solve_free(t, s, *wanted, most);
  if (s->level == 0) t->run->inner_iterations += steps;
  if (steps > 0) step_along(t, s);
  product(t, &s->A, s->x, s->b, t->y);
  return changed;
}

static int is_zero(const stage *s) {
  for (int32_t i = 0; i < s->n; i++)
    if (s->x[i] != 0.0) return 0;
  return 1;
}

// 1/2 x'Ax + b'x, and y = A x + b
static double energy(const truncated *t, const stage *s) {
  if (is_zero(s)) {
    memcpy(t->y, s->b, (size_t)s->n*sizeof *t->y);
    return 0.0;
  }
  product(t, &s->A, s->x, s->b, t->y);
  return objective(s->n, s->b, s->x, t->y);
}

// n: A_ii of a level; NULL: no memory, and the run has ended.
static double *diagonal_of(truncated *t, int32_t level, const perp_csc *A) {
  const int32_t *at = aggregation_diagonal(t->levels, level);
  double *D = run_allocate(t->run, (size_t)A->columns*sizeof *D);
  for (int32_t i = 0; D != NULL && i < A->columns; i++) D[i] = A->value[at[i]];
  return D;
}

// Makes the problem of the next level: b is summed, bounds are averaged.
static int restrict_problem(truncated *t, const stage *s, stage *next) {
  perp_run *run = t->run;
  *next = (stage){.level = s->level + 1};
  next->A = aggregation_matrix(t->levels, next->level, &next->aggregate);
  const int32_t m = next->n = next->A.columns;
  next->D = diagonal_of(t, next->level, &next->A);
  double *b = run_allocate(run, (size_t)m*sizeof *b), *x = run_allocate(run, (size_t)m*sizeof *x);
  double *lo = s->lo != NULL ? run_allocate(run, (size_t)m*sizeof *lo) : NULL;
  double *hi = s->hi != NULL ? run_allocate(run, (size_t)m*sizeof *hi) : NULL;
  if (run_ended(run)) return 0;
  double *count = t->d;
  for (int32_t c = 0; c < m; c++) {
    b[c] = x[c] = count[c] = 0.0;
    if (lo != NULL) lo[c] = 0.0;
    if (hi != NULL) hi[c] = 0.0;
  }
  for (int32_t i = 0; i < s->n; i++) {
    const int32_t c = s->aggregate[i];
    if (c < 0) continue;
    b[c] += s->b[i];
    count[c] += 1.0;
    if (lo != NULL) lo[c] += s->lo[i];
    if (hi != NULL) hi[c] += s->hi[i];
  }
  for (int32_t c = 0; c < m; c++) {
    if (lo != NULL) lo[c] /= count[c];
    if (hi != NULL) hi[c] /= count[c];
    x[c] = clamp(0.0, lo != NULL ? lo[c] : 0.0, hi != NULL ? hi[c] : (double)INFINITY);
  }
  next->b = b;
  next->x = x;
  next->lo = lo;
  next->hi = hi;
  return 1;
}

// Sets x (n of `finer`) by the coarser levels, the coarsest first. 0: there is none, or no memory or
// time.
static int start_below(truncated *t, const stage *finer, double *x) {
  stage s;
  accuracy pace = accuracy_new();
  if (finer->aggregate == NULL || !restrict_problem(t, finer, &s)) return 0;
  if (s.aggregate != NULL && !start_below(t, &s, s.x)) return 0;
  if (run_out_of_time(t->run)) return 0;
  memset(t->before, 2, (size_t)s.n);
  if (t->is_z) {
    // A single step on each level leaves an obstacle of 300^2 rows 12 iterations instead of 4.
    int32_t changed = s.n;
    sweeps(&s);
    product(t, &s.A, s.x, s.b, t->y);
    for (int32_t k = 0; k < MULTIGRID_HALVING_STEPS_MAX && changed > SETTLED_ROWS_RATIO*s.n; k++) {
      if (run_out_of_time(t->run)) return 0;
      changed = newton(t, &s, &pace);
    }
  } else {
    iterate(t, &s, &pace.wanted);
  }
  aggregation_mask(t->levels, s.level, NULL);
  for (int32_t i = 0; i < finer->n; i++) {
    const int32_t c = finer->aggregate[i];
    const double value = c < 0 ? finer->x[i]           // row i, at its bound, has no coarse row
                         : s.x[c] <= low(&s, c) ? low(finer, i)
                         : s.x[c] >= high(&s, c) ? high(finer, i) : s.x[c];
    x[i] = clamp(value, low(finer, i), high(finer, i));
  }
  return 1;
}

// Starts from the coarser levels. On the finest level alone the number of steps to find the contact
// grows with n. x is replaced if the new one has less energy. 1: y = A x + b belongs to the new x.
static int start(truncated *t, stage *finest) {
  stage trial = *finest;
  trial.x = t->c;
  if (!start_below(t, finest, t->Ad) || run_out_of_time(t->run)) return 0;
  const double before = energy(t, finest);
  memcpy(t->c, t->Ad, (size_t)finest->n*sizeof *t->c);
  sweeps(&trial);   // the prolonged x has steps
  if (!(energy(t, &trial) < before)) return 0;
  memcpy(finest->x, t->c, (size_t)finest->n*sizeof *t->c);
  return 1;
}

// 1: ready; 0: the run has ended.
static int prepare(truncated *t, const perp_csc *A) {
  int failed = run_learn(t->run, FACTS_SIGNS);
  t->is_z = failed == 0 && t->run->facts->z;
  if (failed == -2) run_no_memory(t->run, "what A is like");
  if (failed == -2) return 0;
  const perp_deadline deadline = run_deadline(t->run);
  t->levels = aggregation_create(A, t->run->threads, run_allocator(t->run), &deadline,
                                 &failed);
  if (failed == -2) run_no_memory(t->run, "the levels of the multigrid");
  return t->levels != NULL || !run_ended(t->run);
}

typedef struct progress {
  double half;                     // half of the residual when it last halved
  int32_t at;                      // the iteration at that time
} progress;

// 1: the levels do not suit this A, and the run has ended.
static int stalls(perp_run *run, progress *made) {
  const int32_t now = run->iterations;
  if (run->residual <= made->half) *made = (progress){0.5*run->residual, now};
  if (now - made->at < MULTIGRID_HALVING_STEPS_MAX) return 0;
  run_stop(run, PERP_STATUS_STALLED, "multigrid has not halved the residual in %d iterations",
           now - made->at);
  return 1;
}

// 1: the caller's own matrix can be used: its rows ascend, and the diagonal is present.
static int is_orderly(const perp_operator *A) {
  const perp_view view = operator_view(A);
  if (view.kind != PERP_VIEW_CSC || view.R != NULL || view.C != NULL || view.shift != 0.0) return 0;
  const perp_csc *matrix = view.data;
  for (int32_t j = 0; j < matrix->columns; j++) {
    int32_t before = -1, found = 0;
    for (int32_t p = matrix->colptr[j]; p < matrix->colptr[j + 1]; p++) {
      if (matrix->row[p] <= before) return 0;
      before = matrix->row[p];
      found |= before == j;
    }
    if (!found) return 0;
  }
  return 1;
}

// A without the symmetric scaling of its rows and columns: the coarse levels need its row sums.
// Returns the scales, powers of two; NULL: A is not scaled.
static const double *unscaled(const perp_operator *A, perp_operator *plain) {
  const perp_view view = operator_view(A);
  *plain = *A;
  if (view.kind != PERP_VIEW_CSC || view.R == NULL || view.R != view.C || view.shift != 0.0)
    return NULL;
  *plain = perp_from_csc(view.data, A->claims);
  return view.R;
}

// Sets the problem on the finest level, in the units of `plain`. 0: no memory.
static int set_finest(truncated *t, stage *s) {
  perp_run *run = t->run;
  const size_t n = (size_t)run->n;
  *s = (stage){.n = run->n, .b = run->b, .lo = run->lo, .hi = run->hi, .x = t->own};
  s->A = aggregation_matrix(t->levels, 0, &s->aggregate);
  s->D = diagonal_of(t, 0, &s->A);
  memcpy(t->own, run->x, n*sizeof *t->own);
  if (s->D == NULL) return 0;
  if (t->unit == NULL) return 1;
  double *b = run_allocate(run, n*sizeof *b);
  double *lo = run->lo != NULL ? run_allocate(run, n*sizeof *lo) : NULL;
  double *hi = run->hi != NULL ? run_allocate(run, n*sizeof *hi) : NULL;
  if (run_ended(run)) return 0;
  for (size_t i = 0; i < n; i++) {
    t->own[i] *= t->unit[i];
    b[i] = run->b[i]/t->unit[i];
    if (lo != NULL) lo[i] = run->lo[i]*t->unit[i];
    if (hi != NULL) hi[i] = run->hi[i]*t->unit[i];
  }
  s->b = b;
  s->lo = lo;
  s->hi = hi;
  return 1;
}

// 1: it is proved that there is no solution. Tries u = 1, a proof if all row sums are 0 and sum b
// < 0, and the last step, a proof if x grows without end. That step is rounded to a few digits,
// because products of small whole numbers are exact.
static int has_no_solution(truncated *t, const stage *s) {
  double largest = 0.0;
  for (int32_t i = 0; i < s->n; i++) {
    largest = max2(largest, fabs(t->c[i]));
    t->d[i] = t->unit != NULL ? 1.0/t->unit[i] : 1.0;
  }
  if (run_infeasible(t->run, t->d)) return 1;
  if (!(largest > 0.0 && largest < (double)INFINITY)) return 0;
  for (int32_t i = 0; i < s->n; i++)
    t->d[i] *= nearbyint(-t->c[i]/largest*0x1p20)*0x1p-20;
  return run_infeasible(t->run, t->d);
}

static void steps(truncated *t, stage *s) {
  perp_run *run = t->run;
  accuracy pace = accuracy_new();
  const int known = run->residual > GUESS_RESIDUAL_MAX && start(t, s);
  memset(t->before, 2, (size_t)s->n);
  progress made = {(double)INFINITY, 0};
  if (!known) product(t, &s->A, s->x, s->b, t->y);
  judge(t, s);
  while (run_continue(run) && !stalls(run, &made)) {
    const int32_t before = run->inner_iterations;
    const int32_t changed = t->is_z ? newton(t, s, &pace) : iterate(t, s, &pace.wanted);
    const int32_t inner = run->inner_iterations - before;
    const int lost = inner == 0 || inner >= MULTIGRID_CG_STEPS_MAX;
    if (t->is_z && lost && run->residual > GUESS_RESIDUAL_MAX && has_no_solution(t, s)) return;
    judge(t, s);
    if (t->is_z && inner == 0 && changed == 0 && run->residual > run->options->tol) {
      run_stop(run, PERP_STATUS_STALLED, "multigrid found no step on the free rows");
      return;
    }
    const double tol = run->options->tol;
    if (t->is_z && run->residual <= tol && run->residual > POLISH_TOLERANCE_RATIO*tol) {
      newton(t, s, &pace);
      judge(t, s);
    }
  }
}

static void run_multigrid(perp_run *run) {
  truncated t = {.run = run};
  perp_csc A;
  const perp_grid *grid = grid_of(&run->A);
  if (grid != NULL) {
    multigrid_grid(run, grid);
    return;
  }
  layout(&t, run->memory, run->n);
  if (!run_may_fit(run, RUN_ANALYSIS)) {
    run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit left multigrid no time for its levels");
    return;
  }
  if (!run_expects(run, SOLVE_EXAMINATIONS_MIN)) run_leaves(run, RUN_ANALYSIS);
  perp_operator plain;
  t.unit = unscaled(&run->A, &plain);
  const int borrowed = is_orderly(&plain);
  if (borrowed) A = *(const perp_csc *)operator_view(&plain).data;
  const int failed = borrowed ? 0 : assemble_csc(&plain, 1, run_allocator(run), &A);
  if (failed != 0) {
    if (failed == -2) run_no_memory(run, "the entries of A");
    else run_stop(run, PERP_STATUS_UNSOLVED, "multigrid needs the entries of A, which are not known");
    return;
  }
  stage s;
  if (prepare(&t, &A) && t.levels != NULL && set_finest(&t, &s)) steps(&t, &s);
  aggregation_destroy(t.levels);
  if (!borrowed) assembled_free(run_allocator(run), &A);
}

int multigrid_suits(perp_run *run) {
  const perp_view view = operator_view(&run->A);
  const facts *f = run->facts;
  return run->n >= MULTIGRID_ROWS_MIN && view.kind == PERP_VIEW_CSC && view.shift == 0.0 &&
         view.R == view.C && run_learn(run, FACTS_ENTRIES) == 0 && f->z && f->positive &&
         !f->hollow && f->nearly_dominant;
}

const perp_method method_multigrid = {
  .name = "multigrid", .tier = PERP_TIER_CHOOSE,
  .use = "A symmetric, on a fine mesh, off-diagonal entries <= 0",
  .title = "active set with multigrid on the free rows",
  .source = "Hintermueller, Ito, Kunisch 2003; Graeser, Kornhuber 2009",
  .formula = "I: lo < x - y/D < hi; A_II c = -y_I by conjugate gradients with multigrid",
  .converges = "A symmetric positive definite; for M-matrices in steps that do not grow with n; "
               "it gives up on others where they become too many",
  .cost = "about six products with A per inner iteration, of which meshes take 10 to 30",
  .advice = "Below 4000 rows, or if A is no M-matrix, use active_set or auto.",
  .needs = PERP_NEEDS_SUBMATRIX | PERP_NEEDS_SYMMETRIC | PERP_NEEDS_POSITIVE_DIAGONAL,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_ANYTIME | PERP_TRAIT_GRID,
  .bytes = bytes,
  .run = run_multigrid,
  .iteration = "Newton",
};
