// certify_grid_parts.h: shared by the files that certify a grid. certify_grid.c has the rule of a
// row; certify_grid_check.c and certify_grid_units.c pass over all rows.
#ifndef PERP_CERTIFY_GRID_PARTS_H
#define PERP_CERTIFY_GRID_PARTS_H

#include <string.h>

#include "certify.h"
#include "certify_row.h"
#include "componentwise.h"
#include "four_doubles.h"
#include "grid.h"

enum { CHUNKS = TEAM_SHARES, ALONE = -1, EMPTY = -2 };   // in c->component, instead of a number

typedef struct chunk {        // cells from .. to-1, whole lines; p: where `from` is
  int32_t from, to;
  grid_place p;
} chunk;
static inline chunk chunk_of(const perp_grid *g, int32_t index) {
  const int64_t lines = (int64_t)g->cells[1]*g->cells[2];
  const int32_t first = (int32_t)(lines*index/CHUNKS), last = (int32_t)(lines*(index + 1)/CHUNKS);
  return (chunk){first*g->cells[0], last*g->cells[0],
                 {{0, first % g->cells[1], first/g->cells[1]}}};
}

typedef struct cell_rule { double R, inverse_C, G, S, s; int empty; } cell_rule;
cell_rule grid_rule_of(const certifier *c, int32_t i);
certify_row grid_judge_cell(const cell_rule *rule, double r, double y, double moved, double a,
                            double tol);   // a = |A||x|

static inline double within(double v) { return clamp(v, 0x1p-1000, 0x1p1000); }

static inline double distance_of(double x, double y, double lo, double hi, double R,
                                 double inverse_C) {
  return no_nan(fabs(mid((x - hi)*inverse_C, R*y, (x - lo)*inverse_C)));
}

// The unit of a component whose largest R a is this: a power of two that makes it about 1.
static inline double grid_unit(double most) {
  return most > 0.0 ? power_of_two_within(-binary_exponent(min2(most, 0x1p1000)), 1000) : 1.0;
}

static inline double base_of(double G, double S) { return G > 0.0 ? G : S > 0.0 ? S : 1.0; }

// ---- some cells of a line, with their bounds and scales

typedef struct cells {
  int32_t first, count;
  const double *lo, *hi;             // count
  double power[GRID_STRETCH_MAX], inverse[GRID_STRETCH_MAX];   // R and 1/C at unit 1
  double zero[GRID_STRETCH_MAX], infinite[GRID_STRETCH_MAX];   // bounds that are not given
} cells;

static inline void cells_begin(cells *s) {
  for (int q = 0; q < GRID_STRETCH_MAX; q++) {
    s->zero[q] = 0.0;
    s->infinite[q] = (double)INFINITY;
  }
}

static inline void cells_at(const certifier *c, int32_t first, int32_t count, cells *s) {
  const perp_problem *p = c->problem;
  s->first = first;
  s->count = count;
  s->lo = p->lo != NULL ? p->lo + first : s->zero;
  s->hi = p->hi != NULL ? p->hi + first : s->infinite;
  uint64_t bits[GRID_STRETCH_MAX];
  const int16_t *e = c->grid.exponent + first;
  for (int32_t q = 0; q < count; q++) bits[q] = (uint64_t)(1023 + e[q]) << 52;
  memcpy(s->power, bits, (size_t)count*sizeof *bits);
  for (int32_t q = 0; q < count; q++) bits[q] = (uint64_t)(1023 - e[q]) << 52;
  memcpy(s->inverse, bits, (size_t)count*sizeof *bits);
}

// The end of the run of cells of one component that begins at q.
static inline int32_t cells_run(const int32_t *component, int32_t q, int32_t count) {
  const int32_t k = component[q];
  for (q++; q < count && component[q] == k;) q++;
  return q;
}

EXACT_INLINE four within_four(four v) {
  return four_min(four_all(0x1p1000), four_max(four_all(0x1p-1000), v));
}

typedef struct quad { four x, y, a, below, above, R, inverse, r, natural; } quad;

// Four cells from q on, in units of the component. r may be NaN.
EXACT_INLINE quad quad_at(const cells *s, int32_t q, double unit, const double *x,
                          const double *y) {
  quad f = {.x = four_load(x + q), .y = four_load(y + q)};
  f.below = four_subtract(f.x, four_load(s->lo + q));
  f.above = four_subtract(f.x, four_load(s->hi + q));
  f.R = within_four(four_multiply(four_load(s->power + q), four_all(unit)));
  f.inverse = within_four(four_multiply(four_load(s->inverse + q), four_all(unit)));
  f.r = four_size(four_min(four_multiply(f.below, f.inverse),
                           four_max(four_multiply(f.above, f.inverse), four_multiply(f.R, f.y))));
  f.natural = four_size(four_min(f.below, four_max(f.above, f.y)));
  return f;
}

// Of grid_judge
certify_scale grid_judge_scale(const certifier *c, int32_t i);
int grid_judge_settled(const certifier *c, int32_t i);
perp_error grid_judge_check(certifier *c, const double *x, double tol, double absolute_tol, int far,
                            perp_certificate *certificate);
void grid_judge_reference(certifier *c, double tol, double absolute_tol,
                          perp_certificate *certificate);
void grid_judge_take_reference(certifier *c);   // x_ref is not in c->x and c->y before
certify_leeway grid_judge_leeway(const certifier *c, int32_t i, double tol, double absolute_tol);
double grid_judge_residual(const certifier *c, const double *x, const double *y);
void grid_judge_weights(const certifier *c, double *weight);
void grid_judge_units(const certifier *c, double *unit, uint8_t *open);

// x_ref into c->x, its y into c->y; units, G and S of the components, c->grid.reference
void grid_measure_reference(certifier *c);

#endif
