// principal_pivoting.c: block principal pivoting with a finite backup.
//
//   x_I = -A_II^-1 (b_I + A_IF x_F),  y_F = A_FI x_I + A_FF x_F + b_F
//   V = rows of I outside their bounds, and rows of F with a wrong y; all of V, or one row, flips
//
// Judice, Pires: A block principal pivoting algorithm for large-scale strictly monotone linear
// complementarity problems (1994). All of V flips while |V| has fallen within the last 10 rounds.
// Otherwise only its largest index flips (Murty's rule) until |V| falls: finite for P-matrices.
// Murty's rule may take 2^n - 1 pivots, and takes thousands on ill-conditioned walls. After
// MURTY_PIVOTS_MAX(n) of them (n <= PIVOTING_ROWS_MAX) rows are driven one by one as in dantzig.c,
// which is finite too and needs a few hundred pivots there. A row of I leaves to the bound that it
// passed. If A_II is singular, A_II + sigma I is factored, and refinement removes the error.
// Cost per round: a factorisation of A_II and a product with A.
#include <float.h>

#include "face.h"
#include "pivoting.h"
#include "vector.h"

// Shift of a singular A_II, whose entries are near 1. If it is a million times larger or smaller, 4
// of 13 problems with a singular A_II stay unsolved.
#define SIGMA 0x1p-30
#define MURTY_PIVOTS_MAX(n) (100 + (n)/10)   // single pivots in all

typedef struct pivots {
  perp_run *run;
  const perp_linear_ops *linear;
  void *solver;
  perp_wrapper wrapper;
  perp_operator shifted;
  int is_shifted, ready;
  double *z, *y, *rhs, *dz;   // n each: x before it is clamped, y at z, right-hand side, step
  uint8_t *is_free;           // n
  int8_t *flip;               // n: 0, or where the row goes: -1 lower, 1 upper, 2 free
  double tolerance;
  pivoting *single;           // for Murty's rule: a factor that changes by one row at a time
} pivots;

static void take(pivots *p, arena *memory, int32_t n) {
  double **const vectors[] = {&p->z, &p->y, &p->rhs, &p->dz};
  for (size_t k = 0; k < sizeof vectors/sizeof vectors[0]; k++)
    *vectors[k] = ARENA_ARRAY(memory, double, n);
  p->is_free = ARENA_ARRAY(memory, uint8_t, n);
  p->flip = ARENA_ARRAY(memory, int8_t, n);
}

static size_t bytes(const perp_limits *limits, const perp_options *options) {
  (void)options;
  arena count = {0};
  pivots p;
  take(&p, &count, limits->n);
  return count.used;
}

// Chooses the caller's linear solver, or sparse for large sparse A, or symmetric, or LU.
static const perp_linear_ops *choose(const perp_run *run) {
  if (run->options->linear != NULL && run->options->linear->accepts(&run->A))
    return run->options->linear;
  const perp_linear_ops *sparse = perp_find_linear("sparse_lu"),
                        *symmetric = perp_find_linear("dense_ldlt");
  if (run->n > FACE_DENSE_ROWS_MAX && operator_view(&run->A).kind == PERP_VIEW_CSC && sparse != NULL &&
      sparse->accepts(&run->A))
    return sparse;
  if (symmetric->accepts(&run->A)) return symmetric;
  const perp_linear_ops *lu = perp_find_linear("dense_lu");
  return lu->accepts(&run->A) ? lu : NULL;
}

static int analyse(pivots *p, const perp_operator *A) {
  perp_run *run = p->run;
  if (!run_may_fit_analysis(run)) return 0;
  if (p->ready && p->linear->release != NULL) p->linear->release(p->solver);
  p->ready = p->linear->analyse(p->solver, A, run->options, run_allocator(run)) == 0;
  if (!p->ready) run_no_memory(run, p->linear->name);
  return p->ready;
}

static int begin(pivots *p, perp_run *run) {
  const int32_t n = run->n;
  p->run = run;
  take(p, run->memory, n);
  p->linear = choose(run);
  if (p->linear == NULL) {
    run_stop(run, PERP_STATUS_BREAKDOWN, "principal_pivoting has no linear solver for this operator");
    return 0;
  }
  const perp_limits limits = {.n = n};
  p->solver = run_allocate(run, p->linear->bytes(&limits));
  if (p->solver == NULL) return 0;
  p->tolerance = n*DBL_EPSILON;   // relative to the largest |b| and |y|: less is rounding
  for (int32_t i = 0; i < n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i);
    p->is_free[i] = run->x[i] > lo && run->x[i] < hi;
    p->z[i] = run->x[i];
  }
  return analyse(p, &run->A);
}

// Factors A_II, with a shift on the diagonal if it is singular. 0: the run has ended.
static int factor(pivots *p) {
  perp_run *run = p->run;
  const perp_deadline deadline = run_deadline(run);
  run->factorizations++;
  int code = p->linear->update(p->solver, p->is_free, &deadline);
  if (code > 0 && !p->is_shifted) {
    p->is_shifted = 1;
    p->shifted = perp_shifted(&p->wrapper, run->A, SIGMA);
    if (!p->linear->accepts(&p->shifted) || !analyse(p, &p->shifted)) return 0;
    run->factorizations++;
    code = p->linear->update(p->solver, p->is_free, &deadline);
  }
  if (code == -2) run_no_memory(run, p->linear->name);
  if (code > 0)
    run_stop(run, PERP_STATUS_BREAKDOWN,
             "principal_pivoting met an A_II that is singular at its row %d, even with a shift", code);
  return code == 0;
}

static double size_of_y(const pivots *p) {
  double size = 0.0;
  for (int32_t i = 0; i < p->run->n; i++)
    size = max_or_nan(size, max2(fabs(p->run->b[i]), fabs(p->y[i] - p->run->b[i])));
  return size;
}

// Computes z_I from y_I = 0 by steps of refinement from the current z; y = A z + b. 0: the run
// ends.
static int solve(pivots *p) {
  perp_run *run = p->run;
  const int32_t n = run->n;
  const perp_deadline deadline = run_deadline(run);
  double last = (double)INFINITY;
  for (int32_t k = 0;; k++) {
    if (run_apply(run, p->z, p->y) != 0) return 0;
    double worst = 0.0;
    for (int32_t i = 0; i < n; i++) {
      p->rhs[i] = p->is_free[i] ? -p->y[i] : 0.0;
      worst = max_or_nan(worst, fabs(p->rhs[i]));
    }
    if (worst == 0.0 || !(worst < 0.5*last)) return 1;
    if (k > 1 && worst <= 0x1p-50*size_of_y(p)) return 1;
    last = k == 0 ? (double)INFINITY : worst;
    const int code = p->linear->solve(p->solver, p->rhs, p->dz, &deadline);
    if (code != 0) return code < 0;   // after the deadline run_continue ends the run
    for (int32_t i = 0; i < n; i++) p->z[i] += p->dz[i];
  }
}

// Stores V in flip. Returns |V|.
static int32_t find_wrong(pivots *p) {
  const perp_run *run = p->run;
  const double slack = p->tolerance*size_of_y(p);
  double largest = 0.0;
  for (int32_t i = 0; i < run->n; i++) largest = max2(largest, fabs(p->z[i]));
  int32_t wrong = 0;
  for (int32_t i = 0; i < run->n; i++) {
    const double lo = lower(run->lo, i), hi = upper(run->hi, i), z = p->z[i], y = p->y[i],
                 near = p->tolerance*largest;
    p->flip[i] = 0;
    if (p->is_free[i]) p->flip[i] = z < lo - near ? -1 : z > hi + near ? 1 : 0;
    else if (lo < hi)
      p->flip[i] = (y < -slack && z < hi) || (y > slack && z > lo) ? 2 : 0;
    wrong += p->flip[i] != 0;
  }
  return wrong;
}

static void flip_row(pivots *p, int32_t i) {
  if (p->flip[i] == 0) return;
  p->is_free[i] = p->flip[i] == 2;
  if (p->flip[i] == -1) p->z[i] = lower(p->run->lo, i);
  if (p->flip[i] == 1) p->z[i] = upper(p->run->hi, i);
}

// x = z clamped to the bounds, and its residual
static int report(pivots *p) {
  perp_run *run = p->run;
  int moved = 0;
  for (int32_t i = 0; i < run->n; i++) {
    run->x[i] = clamp(p->z[i], lower(run->lo, i), upper(run->hi, i));
    moved |= run->x[i] != p->z[i];
  }
  if (!moved) {
    run->residual = run_residual(run, run->x, p->y);
    return 1;
  }
  if (run_apply(run, run->x, p->rhs) != 0) return 0;
  run->residual = run_residual(run, run->x, p->rhs);
  return 1;
}

// ---- Murty's rule ----

static void flip_last(pivots *p) {
  int32_t last = p->run->n - 1;
  while (p->flip[last] == 0) last--;
  flip_row(p, last);
}

// Sets up the factor of pivoting.h for the set I, at the start of each phase of single pivots.
static int begin_single(pivots *p) {
  perp_run *run = p->run;
  if (p->single == NULL) {
    const perp_limits limits = {.n = run->n};
    arena count = {.used = pivoting_bytes(&limits, run->options)};
    ARENA_ARRAY(&count, pivoting, 1);
    void *block = run_allocate(run, arena_block_bytes(&count));
    if (block == NULL) return 0;
    arena memory = arena_on_block(block, arena_block_bytes(&count));
    p->single = ARENA_ARRAY(&memory, pivoting, 1);
    if (!pivoting_begin(p->single, run, &memory, 0)) return 0;
  }
  pivoting *s = p->single;
  const perp_deadline deadline = run_deadline(run);
  int32_t count = 0;
  for (int32_t i = 0; i < run->n; i++)
    if (p->is_free[i]) s->rows[count++] = i;
  run->factorizations++;
  return principal_factor(&s->P, s->rows, count, &deadline) == 0 && s->P.m == count;
}

// Updates the factor to is_free, which differs in one row. 0: a factorisation is needed.
static int update_factor(pivots *p) {
  pivoting *s = p->single;
  for (int32_t i = 0; i < p->run->n; i++) {
    const int is_in = s->P.place[i] >= 0;
    if (is_in == p->is_free[i]) continue;
    if (is_in) return principal_delete(&s->P, i);
    principal_direction(&s->P, i, s->dx);
    if (!(s->P.schur > s->P.floor)) return 0;
    principal_append(&s->P);
  }
  return 1;
}

// Computes z and y for the set I, with the updated factor if there is one.
static int solve_round(pivots *p, int *updated) {
  perp_run *run = p->run;
  if (*updated) *updated = update_factor(p);
  if (!*updated) return factor(p) && solve(p);
  double *const x = run->x;
  run->x = p->z;
  pivoting_solve(p->single);
  run->x = x;
  return run_apply(run, p->z, p->y) == 0;
}

// Drives rows one by one from the x that was reported last, until the run ends.
static void drive_rows(pivots *p) {
  pivoting_start(p->single, 1);
  dantzig_rows(p->single);
}

// ---- the rounds ----

static void pivot(pivots *p) {
  perp_run *run = p->run;
  const int32_t n = run->n;
  int32_t least = INT32_MAX, patience = PIVOTING_IDLE_ROUNDS_MAX, singles = 0;
  int single = 0, updated = 0;
  while (run_continue(run)) {
    if (!solve_round(p, &updated)) continue;
    const int32_t wrong = find_wrong(p);
    if (!report(p)) continue;
    if (wrong == 0 && updated) {
      updated = 0;   // repeat with a new factor and refinement
      continue;
    }
    if (wrong == 0) {
      if (run->residual <= run->options->tol || run_check(run)) continue;
      p->tolerance *= 0x1p-4;
      if (p->tolerance < 0x1p-60)
        run_stop(run, PERP_STATUS_STALLED,
                 "principal_pivoting finds no row to change, but its last x is not a solution");
      continue;
    }
    if (wrong < least) {
      least = wrong;
      patience = PIVOTING_IDLE_ROUNDS_MAX;
      single = updated = 0;
    } else if (patience > 0) {
      patience--;
    } else {
      if (!single) updated = n <= PIVOTING_ROWS_MAX && begin_single(p);
      single = 1;
      if (singles++ == MURTY_PIVOTS_MAX(n) && p->single != NULL) {
        drive_rows(p);
        return;
      }
      flip_last(p);
      continue;
    }
    for (int32_t i = 0; i < n; i++) flip_row(p, i);
  }
}

static void run_principal_pivoting(perp_run *run) {
  pivots p = {0};
  if (begin(&p, run)) pivot(&p);
  if (p.ready && p.linear->release != NULL) p.linear->release(p.solver);
}

const perp_method method_principal_pivoting = {
  .name = "principal_pivoting", .tier = PERP_TIER_REFERENCE,
  .title = "block principal pivoting",
  .source = "Judice, Pires 1994; Murty 1974",
  .formula = "x_I = -A_II^-1 (b_I + A_IF x_F); all wrong rows change sides, or only the last",
  .converges = "A is a P-matrix: positive definite, H+",
  .cost = "a factorisation of A_II and a product with A",
  .advice = "It is for large, well-conditioned problems. Where A is no P-matrix use lemke.",
  .needs = PERP_NEEDS_SUBMATRIX,
  .accepts = PERP_ACCEPTS_FREE | PERP_ACCEPTS_BOXED,
  .assumes = 1u << PERP_CLASS_SPD | 1u << PERP_CLASS_PD | 1u << PERP_CLASS_H,
  .traits = PERP_TRAIT_GUESS | PERP_TRAIT_FINITE | PERP_TRAIT_SPLITS | PERP_TRAIT_EQUILIBRATE |
            PERP_TRAIT_LINEAR,
  .bytes = bytes,
  .run = run_principal_pivoting,
};
