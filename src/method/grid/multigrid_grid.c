// multigrid_grid.c: solves pressure on a grid by truncated nonsmooth Newton steps, at any time.
//
// From x within the bounds (Graeser and Kornhuber 2009), y = A x + b:
//     x <- projected Gauss-Seidel, red cells and black cells
//     I = cells inside their bounds, or pushed inside by y;   c = one cycle for A_II c = -y_I
//     d = clamp(x + c) - x,   x <- clamp(x + t d),   t minimises phi(x) = 1/2 x'Ax + b'x along d
// phi falls in every step and x is always within its bounds. The sweeps alone would converge, so
// the method converges for every A = A' > 0. Cost per step: about two cycles. It takes about thirty
// steps, and active_set 25 cycles in all, but this method may stop after any step.
#include <math.h>

#include "active_set_grid.h"
#include "grid_units.h"
#include "multigrid.h"
#include "vector.h"

typedef struct trial {
  const grid_stage *s;
  double *Ad;                      // n
  double (*part)[3];               // per chunk: y'd, d'Ad, the longest step
  double t;
} trial;

// d <- clamp(x - d) - x
static void direction_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const grid_stage *s = ((trial *)data)->s;
  (void)part;
  for (int32_t i = from; i < to; i++)
    s->d[i] = s->unknown[i] ? clamp(s->x[i] - s->d[i], s->lo[i], s->hi[i]) - s->x[i] : 0.0;
}

static void slope_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const trial *t = data;
  const grid_stage *s = t->s;
  double slope = 0.0, bend = 0.0, longest = (double)INFINITY;
  for (int32_t i = from; i < to; i++) {
    if (!s->unknown[i]) continue;
    const double scale = grid_scale_of(s, i), d = scale*s->d[i];
    slope += scale*s->y[i]*d;
    bend += scale*t->Ad[i]*d;
    if (s->d[i] > 0.0) longest = min2(longest, (s->hi[i] - s->x[i])/s->d[i]);
    if (s->d[i] < 0.0) longest = min2(longest, (s->lo[i] - s->x[i])/s->d[i]);
  }
  t->part[part][0] = slope;
  t->part[part][1] = bend;
  t->part[part][2] = longest;
}

static void move_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const trial *t = data;
  const grid_stage *s = t->s;
  (void)part;
  for (int32_t i = from; i < to; i++)
    if (s->unknown[i]) s->x[i] = clamp(s->x[i] + t->t*s->d[i], s->lo[i], s->hi[i]);
}

// Moves along d = clamp(x - d) - x to the least phi, or to the bound before it. phi is in the units
// of components, because products of tiny numbers would be 0.
static void step_along(const grid_solver *g, trial *t) {
  const grid_stage *s = t->s;
  grid_for(g, s->n, direction_slice, t);
  grid_multiply(g, s, s->d, NULL, t->Ad);
  grid_for(g, s->n, slope_slice, t);
  double slope = 0.0, bend = 0.0, longest = (double)INFINITY;
  for (int32_t k = 0; k < grid_chunks(s->n); k++) {
    slope += t->part[k][0];
    bend += t->part[k][1];
    longest = min2(longest, t->part[k][2]);
  }
  if (!(slope < 0.0)) return;
  t->t = bend > 0.0 ? -slope/bend : 1.0;
  if (t->t > 1.0) t->t = min2(t->t, max2(longest, 1.0));
  grid_for(g, s->n, move_slice, t);
}

// Sets the free cells: inside the bounds, or pushed inside. Returns how many changed.
static int32_t choose_free(const grid_stage *s) {
  int32_t changed = 0;
  for (int32_t i = 0; i < s->n; i++) {
    if (!s->unknown[i]) continue;
    const int bound = (s->x[i] <= s->lo[i] && s->y[i] >= 0.0) ||
                      (s->x[i] >= s->hi[i] && s->y[i] <= 0.0);
    changed += s->is_free[i] != !bound;
    s->is_free[i] = (uint8_t)!bound;
  }
  return changed;
}

static double residual(const grid_stage *s) {
  double worst = 0.0;
  for (int32_t i = 0; i < s->n; i++) {
    if (!s->unknown[i]) continue;
    const double r = fabs(mid(s->weight[i]*(s->x[i] - s->hi[i]), s->unit[i]*s->y[i],
                              s->weight[i]*(s->x[i] - s->lo[i])));
    if (!(r <= worst)) worst = r == r ? r : (double)INFINITY;
  }
  return worst;
}

// d = A_II^-1 y_I approximately, in units in which single precision can represent every component.
static void correct(const grid_solver *g, const grid_stage *s) {
  for (int32_t i = 0; s->exponent != NULL && i < s->n; i++) s->y[i] *= grid_scale_of(s, i);
  grid_levels_cycle(g->levels, 0, s->y, s->d);
  for (int32_t i = 0; s->exponent != NULL && i < s->n; i++) {
    s->y[i] /= grid_scale_of(s, i);
    s->d[i] /= grid_scale_of(s, i);
  }
}

void grid_truncated(grid_solver *g, grid_units *u) {
  perp_run *run = g->run;
  grid_stage *s = u->stage;
  const int32_t chunks = grid_chunks(s->n);
  trial t = {.s = s};
  t.Ad = run_allocate(run, (size_t)s->n*sizeof *t.Ad);
  t.part = t.Ad != NULL ? run_allocate(run, (size_t)chunks*sizeof *t.part) : NULL;
  if (t.part == NULL) return;
  for (int32_t i = 0; i < s->n; i++) {
    if (!s->unknown[i]) continue;
    s->x[i] = clamp(s->x[i], s->lo[i], s->hi[i]);
    s->is_free[i] = GRID_UNLABELLED;
  }
  double half = (double)INFINITY;
  int32_t last = run->iterations;
  while (run_continue(run)) {
    grid_levels_sweep(g->levels, 0, s->b, s->lo, s->hi, s->x);
    grid_multiply(g, s, s->x, s->b, s->y);
    if (choose_free(s) > 0) grid_levels_mask(g->levels, 0, s->is_free);
    correct(g, s);
    run->inner_iterations = ++g->iterations;
    step_along(g, &t);
    grid_units_shift(u);
    grid_multiply(g, s, s->x, s->b, s->y);
    run->residual = residual(s);
    grid_units_store(u);
    if (run->residual <= half) {
      half = 0.5*run->residual;
      last = run->iterations;
    }
    if (run->iterations - last >= MULTIGRID_HALVING_STEPS_MAX)
      run_stop(run, PERP_STATUS_STALLED, "%s has not halved the residual in %d steps",
               run->method->name, MULTIGRID_HALVING_STEPS_MAX);
  }
}
