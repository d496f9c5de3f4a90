// grid_units.c: scales the problem of a run on a grid so that one norm fits all its components.
//
// Components of the liquid (pools, drops) are independent, and the certificate judges each by its own
// size. x and y of a component times a power of two solve the same equations, so if sizes differ,
// linear systems are solved in units of each component.
//
// A component without air has A 1 = 0, so sum y = sum b for any x. If sum b = 0, y = 0 in every
// solution, and bounds on one side only shift x at the end. If it is not 0, and no cell has a bound
// at which y may have that sign, u = 1 (or -1) proves that there is no solution.
#include "grid_units.h"

#include <math.h>
#include <string.h>

#include "grid.h"
#include "vector.h"

#define SAFE_SIZE_MAX 0x1p200          // squared size beyond which products might overflow
#define BALANCE_TOLERANCE_RATIO 0.125  // part of the tolerance that a nonzero sum of b may use

static int bounded(double bound) { return fabs(bound) < (double)INFINITY; }

// ---- closed components ----

static void add_up(grid_units *u, const double *unit) {
  const perp_run *run = u->g->run;
  const grid_stage *s = u->stage;
  for (int32_t c = 0; c < u->count; c++) u->closed[c] = (grid_closed){0};
  double *low = s->d;   // the sums have twice the precision: part->sum + low
  for (int32_t c = 0; c < u->count; c++) low[c] = 0.0;
  for (int32_t i = 0; i < s->n; i++) {
    if (u->component[i] < 0) continue;
    const int32_t k = u->component[i];
    grid_closed *c = &u->closed[k];
    const double lo = lower(run->lo, i), hi = upper(run->hi, i), b = run->b[i];
    const double next = c->sum + b, part = next - c->sum;
    low[k] += (c->sum - (next - part)) + (b - part);
    c->sum = next;
    c->size += fabs(b);
    c->unit = max2(c->unit, unit[i]);
    c->cells++;
    c->fixed |= lo == hi;
    c->lower |= bounded(lo);
    c->upper |= bounded(hi);
  }
  const double tol = run->options->tol;
  for (int32_t c = 0; c < u->count; c++) {
    grid_closed *part = &u->closed[c];
    part->sum += low[c];
    part->balanced = !part->fixed &&
                     fabs(part->sum)*part->unit <= BALANCE_TOLERANCE_RATIO*tol*part->cells;
  }
}

// 1: the component is solved without its bounds, and x is shifted into them at the end.
static int is_linear(const grid_closed *c) {
  return c->balanced && (!c->lower || !c->upper);
}

// ---- the stage ----

static int needs_own(const grid_units *u) {
  const perp_run *run = u->g->run;
  if (run->lo == NULL || run->hi == NULL) return 1;
  for (int32_t c = 0; c < u->count; c++)
    if (is_linear(&u->closed[c]) && (u->closed[c].lower || u->closed[c].upper)) return 1;
  return 0;
}

// Copies the bounds without those that are dropped.
static int make_own(grid_units *u) {
  perp_run *run = u->g->run;
  grid_stage *s = u->stage;
  const size_t n = (size_t)s->n;
  double *lo = run_allocate(run, 2*n*sizeof *lo), *hi = lo + n;
  if (lo == NULL) return 0;
  for (int32_t i = 0; i < s->n; i++) {
    const int32_t c = u->count > 0 ? u->component[i] : -1;
    const int dropped = c >= 0 && is_linear(&u->closed[c]);
    lo[i] = dropped ? -(double)INFINITY : lower(run->lo, i);
    hi[i] = dropped ? (double)INFINITY : upper(run->hi, i);
  }
  s->lo = lo;
  s->hi = hi;
  return 1;
}

typedef struct survey {
  const grid_units *u;
  struct found { double least, most, largest; int bounded; } *parts;   // one per chunk: least and
} survey;                        // most unit*weight, largest unit, bounds

// Finds the unknowns. Cells without an open face, and cells whose component is solved by the point
// of the box nearest to 0, are marked in `unknown` already.
static void find_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const survey *v = data;
  const perp_grid *grid = v->u->g->grid;
  const grid_stage *s = v->u->stage;
  struct found f = {(double)INFINITY, 0.0, 0.0, 0};
  for (int32_t i = from; i < to; i++) {
    s->unknown[i] &= grid->type[i] == PERP_CELL_LIQUID;
    s->is_free[i] = s->unknown[i] ? GRID_UNLABELLED : 0;
    if (!s->unknown[i]) {
      s->x[i] = s->y[i] = 0.0;   // grid_units_load sets the other cells
      continue;
    }
    const double size = s->unit[i]*s->weight[i], lo = lower(s->lo, i), hi = upper(s->hi, i);
    f.least = min2(f.least, size);
    f.most = max2(f.most, size);
    f.largest = max2(f.largest, lo < hi ? s->unit[i] : 0.0);
    f.bounded |= lo < hi && (bounded(lo) || bounded(hi));
  }
  v->parts[part] = f;
}

// The size of a component is 2^-exponent; unit_i weight_i is the same in all of its cells.
static int exponent_of(const grid_stage *s, int32_t i) {
  const int e = (binary_exponent(s->unit[i]) + binary_exponent(s->weight[i]))/2;
  return e < -1000 ? -1000 : e > 1000 ? 1000 : e;
}

typedef struct exponents {
  grid_stage *s;
  double *largest;               // one per chunk
} exponents;

static void exponent_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const exponents *e = data;
  const grid_stage *s = e->s;
  double largest = 0.0, unit = 0.0, weight = 0.0;
  int exponent = 0;
  for (int32_t i = from; i < to; i++) {
    s->exponent[i] = 0;
    if (!s->unknown[i]) continue;
    if (s->unit[i] != unit || s->weight[i] != weight) {   // usually the same as in the cell before
      unit = s->unit[i];
      weight = s->weight[i];
      exponent = exponent_of(s, i);
    }
    s->exponent[i] = (int16_t)exponent;
    if (s->lo[i] < s->hi[i]) largest = max2(largest, unit/grid_scale_of(s, i));
  }
  e->largest[part] = largest;
}

// Sets the units of components if their sizes differ, or are far from 1. 0: the run has ended.
static int find_units(grid_units *u, const struct found *all) {
  grid_stage *s = u->stage;
  u->largest = all->largest;
  const int near = all->most <= all->least && all->most < SAFE_SIZE_MAX &&
                   all->least > 1.0/SAFE_SIZE_MAX;
  if (near || all->most == 0.0) return 1;
  s->exponent = run_allocate(u->g->run, (size_t)s->n*sizeof *s->exponent);
  if (s->exponent == NULL) return 0;
  exponents e = {s, s->d};       // d is free here
  grid_for(u->g, s->n, exponent_slice, &e);
  u->largest = 0.0;
  for (int32_t k = 0; k < grid_chunks(s->n); k++) u->largest = max2(u->largest, e.largest[k]);
  return 1;
}

static int find_unknowns(grid_units *u, struct found *all) {
  const int32_t chunks = grid_chunks(u->stage->n);
  survey v = {u, run_allocate(u->g->run, (size_t)chunks*sizeof *v.parts)};
  *all = (struct found){(double)INFINITY, 0.0, 0.0, 0};
  if (v.parts == NULL) return 0;
  grid_for(u->g, u->stage->n, find_slice, &v);
  for (int32_t k = 0; k < chunks; k++) {
    all->least = min2(all->least, v.parts[k].least);
    all->most = max2(all->most, v.parts[k].most);
    all->largest = max2(all->largest, v.parts[k].largest);
    all->bounded |= v.parts[k].bounded;
  }
  return 1;
}

int grid_units_begin(grid_units *u, grid_solver *g, grid_stage *s) {
  perp_run *run = g->run;
  *u = (grid_units){.g = g, .stage = s};
  const size_t n = (size_t)run->n;
  double *memory = grid_take(run, 4*n*sizeof *memory), *unit = memory + 3*n;
  uint8_t *is_free = memory != NULL ? grid_take(run, 2*n) : NULL;
  if (is_free == NULL) return 0;
  *s = (grid_stage){.n = run->n, .unknown = is_free + n, .b = run->b, .lo = run->lo, .hi = run->hi,
                    .x = memory, .y = memory + n, .d = memory + 2*n, .is_free = is_free,
                    .unit = unit, .weight = run->weight};
  run_grid_units(run, unit, s->unknown);
  struct found all;
  if (!find_unknowns(u, &all)) return 0;
  u->bounded = all.bounded;
  u->count = grid_levels_closed(g->levels, &u->component);
  if (u->count > 0) {
    u->closed = run_allocate(run, (size_t)u->count*sizeof *u->closed);
    if (u->closed == NULL) return 0;
    add_up(u, unit);
  }
  const int own = needs_own(u);
  if (own && !make_own(u)) return 0;
  if (own) u->bounded = 0;   // the remaining bounds only shift x
  for (int32_t i = 0; own && !u->bounded && i < s->n; i++)
    u->bounded = grid_may_change(s, i);
  return find_units(u, &all);
}

typedef struct loading {
  const grid_units *u;
  int guess;
  int *other;                    // one per chunk: x is not 0
} loading;

static void load_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const loading *l = data;
  const grid_stage *s = l->u->stage;
  const double *x = l->u->g->run->x;
  int other = 0;
  for (int32_t i = from; i < to; i++) {
    if (!s->unknown[i]) continue;
    s->x[i] = clamp(l->guess ? x[i] : 0.0, s->lo[i], s->hi[i]);
    s->y[i] = s->b[i];
    other |= s->x[i] != 0.0;
  }
  l->other[part] = other;
}

int grid_units_load(const grid_units *u, int guess) {
  const grid_stage *s = u->stage;
  loading l = {u, guess, (int *)(void *)s->d};   // d is free here
  int other = 0;
  grid_for(u->g, s->n, load_slice, &l);
  for (int32_t k = 0; k < grid_chunks(s->n); k++) other |= l.other[k];
  if (other) grid_multiply(u->g, s, s->x, s->b, s->y);
  return other;
}

// ---- x within its bounds ----

static void store_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const grid_units *u = data;
  const grid_stage *s = u->stage;
  perp_run *run = u->g->run;
  (void)part;
  for (int32_t i = from; i < to; i++) {
    if (!s->unknown[i]) continue;
    const int32_t c = u->count > 0 ? u->component[i] : -1;
    const double shift = c >= 0 && is_linear(&u->closed[c])
                             ? clamp(0.0, u->closed[c].least, u->closed[c].most) : 0.0;
    run->x[i] = clamp(s->x[i] + shift, lower(run->lo, i), upper(run->hi, i));
  }
}

// Computes by how much the x of closed components may be shifted.
static void measure(const grid_units *u) {
  const grid_stage *s = u->stage;
  const perp_run *run = u->g->run;
  for (int32_t c = 0; c < u->count; c++) {
    u->closed[c].least = -(double)INFINITY;
    u->closed[c].most = (double)INFINITY;
  }
  for (int32_t i = 0; u->count > 0 && i < s->n; i++) {
    if (u->component[i] < 0) continue;
    grid_closed *c = &u->closed[u->component[i]];
    c->least = max2(c->least, lower(run->lo, i) - s->x[i]);
    c->most = min2(c->most, upper(run->hi, i) - s->x[i]);
  }
}

void grid_units_store(const grid_units *u) {
  measure(u);
  grid_for(u->g, u->stage->n, store_slice, (void *)(uintptr_t)u);
}

void grid_units_shift(const grid_units *u) {
  const grid_stage *s = u->stage;
  int any = 0;
  for (int32_t c = 0; c < u->count; c++) any |= !is_linear(&u->closed[c]) && !u->closed[c].fixed;
  if (!any) return;
  measure(u);
  int32_t *bound = (int32_t *)(void *)s->d;   // number of bound cells of a component
  for (int32_t c = 0; c < u->count; c++) bound[c] = 0;
  for (int32_t i = 0; i < s->n; i++)
    if (u->component[i] >= 0) bound[u->component[i]] += !s->is_free[i];
  for (int32_t i = 0; i < s->n; i++) {
    const int32_t k = u->component[i];
    if (k < 0 || bound[k] > 0) continue;
    const grid_closed *c = &u->closed[k];
    if (is_linear(c) || c->fixed) continue;
    const double shift = c->balanced ? (c->least <= c->most ? clamp(0.0, c->least, c->most)
                                                            : 0.5*(c->least + c->most))
                         : c->sum > 0.0 ? c->least : c->most;
    if (bounded(shift)) s->x[i] += shift;
  }
}

// ---- what is known beforehand ----

// Submits u = sign on component c, or on a row if c is -1: a sign of y that no x can change.
static int refuted(const grid_units *u, int32_t c, int32_t row, double sign) {
  double *v = u->stage->d;
  for (int32_t i = 0; i < u->stage->n; i++)
    v[i] = (c >= 0 ? u->component[i] == c : i == row) ? sign : 0.0;
  return run_infeasible(u->g->run, v);
}

// Sets x of cells that are not unknowns. without: the first cell of a chunk without a finite x, or
// n.
static void settle_slice(void *data, int32_t from, int32_t to, int32_t part) {
  const grid_units *u = data;
  perp_run *run = u->g->run;
  const grid_stage *s = u->stage;
  int32_t *without = (int32_t *)(void *)s->d;
  without[part] = s->n;
  for (int32_t i = from; i < to; i++) {
    if (s->unknown[i]) continue;
    const double lo = lower(run->lo, i), hi = upper(run->hi, i), b = run->b[i];
    if (lo == hi) continue;                      // the guess is within the bounds
    const int liquid = u->g->grid->type[i] == PERP_CELL_LIQUID;   // and no neighbour
    const double x = run_settled(run, i) ? run->x[i]
                     : !liquid           ? clamp(-b, lo, hi)
                     : b > 0.0           ? lo
                     : b < 0.0           ? hi : run->x[i];
    if (bounded(x)) run->x[i] = x;
    else if (without[part] == s->n) without[part] = i;
  }
}

int grid_units_settle(const grid_units *u) {
  const grid_stage *s = u->stage;
  for (int32_t c = 0; c < u->count; c++) {
    const grid_closed *part = &u->closed[c];
    if (part->balanced || part->fixed) continue;
    if (part->sum < 0.0 && !part->upper && refuted(u, c, -1, 1.0)) return 0;
    if (part->sum > 0.0 && !part->lower && refuted(u, c, -1, -1.0)) return 0;
  }
  grid_for(u->g, s->n, settle_slice, (void *)(uintptr_t)u);
  const int32_t *without = (const int32_t *)(const void *)s->d;
  int32_t first = s->n;
  for (int32_t k = grid_chunks(s->n) - 1; k >= 0; k--)
    if (without[k] < s->n) first = without[k];
  return first == s->n || !refuted(u, -1, first, u->g->run->b[first] > 0.0 ? -1.0 : 1.0);
}
