// active_set_grid.c: solves pressure on a grid by the primal-dual active set with masked multigrid.
//
// Newton's method on min(D(x - lo), y) = 0, y = A x + b, D = diag A:
//     I = cells with lo < x - y/D < hi;  x_F at their bounds;  A_II c = -y_I;  x_I <- x_I + c
// without projection or line search. A is an M-matrix, so with exact solves x is monotone from the
// second step on and the method is finite (Hintermueller, Ito, Kunisch 2003). The solves are
// inexact, by conjugate gradients with a cycle on the free cells (grid_levels.h). While I changes,
// they reduce the residual to a third; once it does not, to the tolerance. Most steps examine few
// cells only, at walls or at the edge of I (grid_watch.c). When few of these change, all cells are
// examined, long before the tolerance is reached. If the residual stops falling, the monotone steps
// of multigrid_grid.c follow. A guess with a low energy is tried for a few steps. Otherwise the first
// x comes from coarser grids (grid_start.c), because on the finest grid alone the number of steps
// grows with the cells per side.
// Cost: about 10 Newton steps, and a few cycles more than a linear solve, for any number of cells.
#include "active_set_grid.h"

#include <math.h>
#include <string.h>

#include "multigrid.h"
#include "vector.h"

// Steps from a guess before coarser grids are used. Without this limit, a bearing of 200^2 cells
// takes 40 steps from a wrong guess instead of 9.
enum { GUESS_STEPS_MAX = 5 };

#define ROUGH_RESIDUAL 0.3         // relative residual of a solve while cells change
#define SETTLED_RESIDUAL 1e-2      // the same once no label changes
#define TOLERANCE_RATIO 0.9        // aim of the largest residual, relative to the tolerance
#define NORM_TOLERANCE_RATIO 0.8   // aim of its Euclidean norm, relative to the tolerance
#define RESIDUAL_MIN 1e-13         // smallest aim of a linear solve: relative residual

typedef struct newton {
  double absolute;               // |y| within the tolerance in every cell
  double typical;                // |y| within the tolerance in most cells
  int32_t patience;              // steps until coarser grids are used; 0: they have been
} newton;

// One step, and further ones that examine only the watched cells. If no other cell can change its
// label, the last step continues to the tolerance of most cells. Otherwise it does not: the caller
// examines all cells first, because a cell that changes later would undo that work.
static void step(grid_solver *g, grid_stage *s, grid_watch *watch, const grid_labels *labels,
                 double relative, newton *n) {
  perp_run *run = g->run;
  grid_levels_report report;
  int settled = labels->changed == 0, reached = settled, code, steps = 0;
  int64_t most = 0;                // cells that changed at once
  code = grid_newton_begin(g, s, labels, relative, n->absolute, MULTIGRID_CG_STEPS_MAX,
                           &report);
  grid_watch_edge(g, s, watch);
  n->patience -= n->patience > 1;
  while (watch->count > 0 && code == 0 && n->patience != 1 &&
         steps++ < MULTIGRID_HALVING_STEPS_MAX) {
    const grid_labels now = grid_watch_label(g, s, watch);
    const int same = now.changed == 0 && settled;   // as the step before
    settled = now.changed == 0;
    if (now.changed > most) most = now.changed;
    run->inner_iterations = g->iterations;
    if (now.changed > 0) {
      grid_levels_mask(g->levels, 0, s->is_free);
      grid_watch_edge(g, s, watch);
    }
    if (settled && (reached || watch->edge)) break;
    if (!same && !run_between(run)) break;
    n->patience -= !same && n->patience > 1;
    code = grid_watch_newton(g, s, settled ? SETTLED_RESIDUAL : ROUGH_RESIDUAL,
                             settled ? n->typical : n->absolute, MULTIGRID_CG_STEPS_MAX, &report);
    reached = settled &&
              (report.most <= n->typical || report.norm > SETTLED_RESIDUAL*report.norm_before);
    if (watch->edge && now.changed < most) break;
  }
  grid_newton_end(g, s);
  run->inner_iterations = g->iterations;
}

// unit/scale of most cells, but not above the largest.
static double typical_unit(const grid_units *u) {
  const grid_stage *s = u->stage;
  double sum = 0.0;
  int32_t count = 0;
  for (int64_t i = 0; i < s->n; i++) {
    if (!s->unknown[i]) continue;
    sum += s->unit[i]/grid_scale_of(s, (int32_t)i);
    count++;
  }
  return count > 0 ? min2(sum/count, u->largest) : u->largest;
}

// 1: the run has ended; 0: nothing is gained.
static int iterate(grid_solver *g, grid_units *u, grid_stage *s, int linear, int guessed) {
  perp_run *run = g->run;
  const double tol = run->options->tol;
  newton n = {.absolute = TOLERANCE_RATIO*tol/u->largest,
              .typical = TOLERANCE_RATIO*tol/typical_unit(u),
              .patience = guessed ? GUESS_STEPS_MAX + 1 : 0};
  double half = (double)INFINITY;   // of the least residual
  int32_t idle = 0;
  grid_watch watch = {0};
  if (!linear && u->count == 0 && grid_watch_begin(g, s, &watch) < 0) return 1;
  grid_labels labels = grid_label(g, s);
  while (run_continue(run)) {
    const int settled = labels.changed == 0 || linear;
    step(g, s, &watch, &labels,
         settled ? max2(RESIDUAL_MIN, NORM_TOLERANCE_RATIO*tol/labels.residual)
                 : ROUGH_RESIDUAL, &n);
    grid_units_shift(u);
    labels = grid_label(g, s);
    run->residual = labels.residual;
    grid_units_store(u);
    idle = labels.residual <= half ? 0 : idle + 1;
    half = min2(half, 0.5*labels.residual);
    if (n.patience == 1 && labels.changed > 0) {
      const int64_t before = labels.changed;         // changes that the mask does not contain yet
      if (!grid_start(g, s)) return 1;
      labels = grid_label(g, s);
      labels.changed += before;
      n.patience = 0;
    }
    if (idle > MULTIGRID_HALVING_STEPS_MAX) return 0;
  }
  return 1;
}

// phi(x) = 1/2 x'A x + b'x, where y = A x + b
static double energy(const grid_stage *s) {
  double sum = 0.0;
  for (int32_t i = 0; i < s->n; i++)
    if (s->unknown[i]) sum += 0.5*s->x[i]*(s->y[i] + s->b[i]);
  return sum;
}

// Loads x and its y: from the guess if its energy is lower than that of the point of the box
// nearest to 0. 1: from the guess.
static int take_guess(const grid_units *u) {
  grid_stage *s = u->stage;
  if (!grid_units_load(u, 1)) return 0;
  const double guess = energy(s), zero = grid_units_load(u, 0) ? energy(s) : 0.0;
  if (guess < zero) grid_units_load(u, 1);
  return guess < zero;
}

static void release(void *levels) { grid_levels_destroy(levels); }

// Takes the levels of the last solve if they fit, because their memory is several times that of the
// vectors.
static int take_levels(grid_solver *g) {
  perp_run *run = g->run;
  void **kept = run_kept(run, release);
  if (*kept != NULL && grid_levels_renew(*kept, g->grid, run->threads) != 0) {
    grid_levels_destroy(*kept);
    *kept = NULL;
  }
  const perp_deadline deadline = run_deadline(run);
  int failed = 0;
  if (*kept == NULL)
    *kept = grid_levels_create(g->grid, run->threads, run_allocator(run), &deadline, &failed);
  if (failed == -2) run_no_memory(run, "the levels of the grid");
  if (failed == -1)
    run_stop(run, PERP_STATUS_TIME_LIMIT, "the time limit left %s no time for the levels of the "
             "grid", run->method->name);
  g->levels = *kept;
  return g->levels != NULL;
}

// Prepares levels, units and guess. 0: the run has ended.
static int begin(grid_solver *g, grid_units *u, grid_stage *s, int *linear, int *guessed) {
  perp_run *run = g->run;
  g->parts = grid_take(run, (size_t)grid_chunks(run->n)*sizeof *g->parts);
  if (g->parts == NULL || !take_levels(g) || !grid_units_begin(u, g, s) || !grid_units_settle(u))
    return 0;
  *guessed = take_guess(u);
  *linear = !u->bounded;
  return 1;
}

void active_set_grid(perp_run *run, const perp_grid *grid) {
  grid_solver g = {.run = run, .grid = grid};
  grid_stage s;
  grid_units u;
  int linear, guessed;
  if (!begin(&g, &u, &s, &linear, &guessed)) return;
  if (!linear && !guessed && !grid_start(&g, &s)) return;
  if (!iterate(&g, &u, &s, linear, guessed)) grid_truncated(&g, &u);
}

void multigrid_grid(perp_run *run, const perp_grid *grid) {
  grid_solver g = {.run = run, .grid = grid};
  grid_stage s;
  grid_units u;
  int linear, guessed;
  if (begin(&g, &u, &s, &linear, &guessed) && (linear || grid_start(&g, &s)))
    grid_truncated(&g, &u);
}
