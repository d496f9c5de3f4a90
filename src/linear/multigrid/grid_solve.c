// grid_solve.c: solves A_II z = r_I by conjugate gradients around the multigrid cycle.
//
//     c = cycle(r),  p <- c + turn p,  turn = -step (c'q)/(c'r before),   (flexible: Polak-Ribiere)
//     q = A p,  step = (c'r)/(p'q),  z += step p,  r -= step q
// c, p, q and r are in single precision. z is in double, because A would amplify its rounding
// errors. When |r| has fallen to REPLACE_DROP times its last replacement, r is computed again from
// z in double precision and scaled to the range of single precision. p is kept, so no progress is
// lost (van der Vorst, Ye: Residual replacement strategies, 2000).
// Cost in addition to the cycle: two passes over memory.
#include <math.h>

#include "grid_parts.h"
#include "dense_kernels.h"
#include "vector.h"

// q has errors of 1e-7 |p_i - p_j|, about 1e-4 |r| for smooth r on 1000^2 cells.
#define REPLACE_DROP 1e-3   // |r| relative to |r| at the last replacement

typedef struct system {
  grid_levels *g;
  grid_level *l;
  const double *r;             // the caller's
  int singular;
  double scale;                // l->r is r times this power of two; 0: r is 0 or not finite
  double norm, most;           // norm and largest entry of the residual, not scaled
} system;

static void load(system *s, const double *z, double scale) {
  static const grid_stage stage[] = {GRID_LOAD};
  double sum;
  grid_pass_run(&(grid_pass){.g = s->g, .l = s->l, .stage = stage, .stages = 1, .from_r = s->r,
                             .from_z = z, .scale = scale, .centred = s->singular});
  grid_pass_sums(s->l, &sum, &s->most, 1);
  s->norm = sqrt(sum)/scale;
  s->most /= scale;
  s->scale = scale;
}

static double near_one(double v) {     // the power of two 2^k with v 2^k in [1/2, 1)
  int exponent = 0;
  frexp(v, &exponent);
  return power_of_two_within(-exponent, 1000);
}

// l->r <- scale*(r - A z); z NULL: 0. Tries `guess` as the scale first.
static void refresh(system *s, const double *z, double guess) {
  const double lowest = 1e-6, highest = 1e6;         // far from the limits of single precision
  load(s, z, guess > 0.0 ? guess : 1.0);
  const double most = s->most*s->scale;
  if (most > lowest && most < highest) return;
  double largest = s->most;
  // The scale may have been too small or too large.
  if (z == NULL) {
    largest = 0.0;
    for (int32_t i = 0; i < s->l->n; i++)
      if (s->l->state[i] == PERP_CELL_LIQUID) largest = max_or_nan(largest, fabs(s->r[i]));
  }
  if (largest > 0.0 && largest < (double)INFINITY) {
    load(s, z, near_one(largest));
  } else {
    s->norm = s->most = largest;
    s->scale = 0.0;
  }
}

void grid_levels_cycle(grid_levels *g, int32_t from, const double *r, double *z) {
  static const grid_stage stage[] = {GRID_STORE};
  system s = {.g = g, .l = &g->at[from], .r = r};
  refresh(&s, NULL, g->guess);
  if (s.scale > 0.0) grid_cycle(g, from, 0);
  else for (int32_t i = 0; i < s.l->n; i++) z[i] = 0.0;
  if (s.scale > 0.0)
    grid_pass_run(&(grid_pass){.g = g, .l = s.l, .stage = stage, .stages = 1, .to_z = z,
                               .scale = g->scale/s.scale});
}

// ---- changes of the last solve's residual ----

static float *rest_at(grid_levels *g, int32_t from, int32_t cell) {
  const grid_level *l = &g->at[from];
  const int32_t line = cell/l->side[0];
  return l->r + grid_split(l, cell - line*l->side[0], line%l->side[1], line/l->side[1]);
}
static void rest_put(grid_levels *g, float *at, double value) {
  const double before = (double)*at;
  *at = (float)value + 0.0F;                         // not -0, see grid_wave.c
  const double now = (double)*at;
  g->last.sum += now*now - before*before;
  g->last.most = max_or_nan(g->last.most, fabs(now));
  g->last.aligned = 0;
}
void grid_levels_rest_set(grid_levels *g, int32_t from, int32_t cell, double value) {
  if (g->last.level == from) rest_put(g, rest_at(g, from, cell), g->last.scale*value);
}
void grid_levels_rest_add(grid_levels *g, int32_t from, int32_t cell, double by) {
  if (g->last.level != from) return;
  float *at = rest_at(g, from, cell);
  rest_put(g, at, (double)*at + g->last.scale*by);
}

// Returns 1 if l->r still is the scaled r - A z, up to rounding errors of conjugate gradients.
static int reuse_residual(system *s) {
  const grid_levels *g = s->g;
  const double sum = g->last.sum;
  if ((int32_t)(s->l - g->at) != g->last.level || s->singular) return 0;
  if (!(sum > 1e-6*g->last.before_changes && sum < 1e12)) return 0;
  s->scale = g->last.scale;
  s->norm = sqrt(sum)/s->scale;
  s->most = g->last.most/s->scale;
  return 1;
}

static void save_residual(const system *s, double replaced, int aligned, double step,
                          double before) {
  grid_levels *g = s->g;
  if (s->singular) return;
  const double norm = s->norm*s->scale;
  g->last.level = (int32_t)(s->l - g->at);
  g->last.aligned = aligned;
  g->last.scale = s->scale;
  g->last.sum = g->last.before_changes = norm*norm;
  g->last.most = s->most*s->scale;
  g->last.replaced = replaced;
  g->last.step = step;
  g->last.before = before;
}

// warm = 1: starts at z, else at 0.
static int solve(grid_levels *g, int32_t from, const double *r, double *z, int warm,
                 double relative, double absolute, int32_t limit, const perp_deadline *deadline,
                 grid_levels_report *report) {
  static const grid_stage product[] = {GRID_TURN, GRID_APPLY}, advance[] = {GRID_STEP};
  grid_level *l = &g->at[from];
  system s = {.g = g, .l = l, .r = r};
  s.singular = grid_means(g, from, r);
  const int known = warm && reuse_residual(&s);
  if (!known) refresh(&s, warm ? z : NULL, g->guess);
  g->last.level = -1;
  *report = (grid_levels_report){0, s.norm, s.most, s.norm};
  const int enough = s.most == 0.0 || s.most <= absolute || (relative >= 1.0 && s.scale > 0.0);
  if (enough || !(s.scale > 0.0)) {
    for (int32_t i = 0; !warm && i < l->n; i++) z[i] = 0.0;
    if (s.scale > 0.0) save_residual(&s, known ? g->last.replaced : s.norm, 0, 0.0, 0.0);
    return !enough;
  }
  g->guess = s.scale;
  double gained = 0.0, lowest = s.norm, replaced = known ? max2(g->last.replaced, s.norm) : s.norm;
  int status = 1, stalled = 0, restart = !known || !g->last.aligned;
  double step = restart ? 0.0 : g->last.step, before = restart ? 0.0 : g->last.before;
  while (report->iterations < limit && stalled < 20) {
    if (deadline_passed(deadline)) {
      status = -1;
      break;
    }
    const double scale = s.scale;
    double zr, zq, pq, unused;
    grid_cycle(g, from, 1);
    grid_pass_sums(l, &zr, &zq, 0);
    const double turn = restart ? 0.0 : -step*zq/before;
    grid_pass_run(&(grid_pass){.g = g, .l = l, .stage = product, .stages = 2,
                               .turn = (float)turn});
    grid_pass_sums(l, &pq, &unused, 0);
    step = zr/pq;
    if (!(zr > 0.0 && pq > 0.0 && step < (double)INFINITY)) {
      restart = 1;
      break;
    }
    grid_pass_run(&(grid_pass){.g = g, .l = l, .stage = advance, .stages = 1, .to_z = z,
                               .scale = step*g->scale/s.scale, .step = (float)step,
                               .fresh = !warm && report->iterations == 0});
    double sum;
    grid_pass_sums(l, &sum, &s.most, 1);
    s.norm = sqrt(sum)/s.scale;
    s.most /= s.scale;
    report->iterations++;
    before = zr;
    restart = s.norm > 100.0*lowest;
    if (s.norm <= REPLACE_DROP*replaced) {
      // If |r| fell much further, the new r is mostly rounding errors and not orthogonal to p.
      restart = s.norm <= 0.01*REPLACE_DROP*replaced;
      // p and q keep the old scale, which cancels in `turn`.
      refresh(&s, z, near_one(s.most));
      replaced = s.norm;
    }
    const double gain = step*zr/(scale*scale);       // twice the decrease of the energy
    gained += gain;
    // |r| may rise for many steps while the energy falls, so both are checked. Gains of energy near
    // rounding do not count.
    stalled = s.norm < lowest || gain > 1e-6*gained ? 0 : stalled + 1;
    lowest = min2(lowest, s.norm);
    if (s.norm <= relative*report->norm_before || s.most <= absolute) {
      status = 0;
      break;
    }
  }
  report->norm = s.norm;
  report->most = s.most;
  if (s.scale > 0.0) save_residual(&s, replaced, !restart && report->iterations > 0, step, before);
  if (!warm && report->iterations == 0)
    for (int32_t i = 0; i < l->n; i++) z[i] = 0.0;
  if (s.singular && grid_means(g, from, z))
    for (int32_t i = 0; i < l->n; i++) z[i] -= grid_mean_at(g, l, i);
  return status;
}

int grid_levels_solve(grid_levels *g, int32_t from, const double *r, double *z, double relative,
                      double absolute, int32_t limit, const perp_deadline *deadline,
                      grid_levels_report *report) {
  return solve(g, from, r, z, 0, relative, absolute, limit, deadline, report);
}

int grid_levels_go_on(grid_levels *g, int32_t from, const double *r, double *z, double relative,
                      double absolute, int32_t limit, const perp_deadline *deadline,
                      grid_levels_report *report) {
  return solve(g, from, r, z, 1, relative, absolute, limit, deadline, report);
}
