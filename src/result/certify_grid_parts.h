// certify_grid_parts.h: what the two files of the certificate of a grid share: certify_grid.c knows
// the rules of its rows, certify_grid_check.c goes through them.
#ifndef PERP_CERTIFY_GRID_PARTS_H
#define PERP_CERTIFY_GRID_PARTS_H

#include "certify_grid.h"
#include "certify_row.h"
#include "grid.h"

enum { CHUNKS = GRID_CHUNKS, ALONE = -1, EMPTY = -2 };   // in c->component, instead of a number

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
  return most > 0.0 ? power_of_two_within(-ilogb(min2(most, 0x1p1000)), 1000) : 1.0;
}

// x_ref into c->x, its y into c->y; units, G and S of the components, c->reference
void grid_measure_reference(certifier *c);

#endif
