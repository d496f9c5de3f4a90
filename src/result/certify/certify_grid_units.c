// certify_grid_units.c: residuals in the units of the certificate, and these units, for methods on
// grids while they run.
#include "certify_grid_parts.h"

typedef struct estimate {
  const certifier *c;
  const double *x, *y;
  double of[CHUNKS];
} estimate;

EXACT_INLINE double largest_of_run(const cells *s, int32_t from, int32_t to, double unit,
                                   const double *x, const double *y) {
  four most = four_all(0.0);
  four_mask nan = four_bits(0);
  int32_t q = from;
  for (; q + 4 <= to; q += 4) {
    const quad f = quad_at(s, q, unit, x, y);
    nan = four_or(nan, four_not(four_at_most(f.r, four_all((double)INFINITY))));
    most = four_max(f.r, most);
  }
  double r = four_any(nan) ? (double)INFINITY : four_most(most);
  for (; q < to; q++)
    r = max2(r, distance_of(x[q], y[q], s->lo[q], s->hi[q], within(s->power[q]*unit),
                            within(s->inverse[q]*unit)));
  return r;
}
FOUR_TARGET static double largest_wide(const cells *s, int32_t from, int32_t to, double unit,
                                       const double *x, const double *y) {
  return largest_of_run(s, from, to, unit, x, y);
}
static double largest_plain(const cells *s, int32_t from, int32_t to, double unit, const double *x,
                            const double *y) {
  return largest_of_run(s, from, to, unit, x, y);
}

static void estimate_chunk(void *data, int32_t index) {
  estimate *e = data;
  const certifier *c = e->c;
  chunk k = chunk_of(c->grid.cells, index);
  const int wide = FOUR_HAS_TARGET();
  cells s;
  cells_begin(&s);
  double worst = 0.0;
  while (k.from < k.to) {
    const int32_t left = k.to - k.from, count = left < GRID_STRETCH_MAX ? left : GRID_STRETCH_MAX,
                  *component = c->component + k.from;
    const double *x = e->x + k.from, *y = e->y + k.from;
    cells_at(c, k.from, count, &s);
    for (int32_t q = 0; q < count;) {
      if (component[q] >= 0) {
        const int32_t end = cells_run(component, q, count);
        const grid_part *part = &c->grid.parts[component[q]];
        const double base = base_of(part->G, part->S);
        const double most = (wide ? largest_wide : largest_plain)(&s, q, end, part->unit, x, y);
        worst = max2(worst, most/base);
        q = end;
        continue;
      }
      if (s.lo[q] != s.hi[q]) {
        const certify_scale own = grid_judge_scale(c, k.from + q);
        const double r = distance_of(x[q], y[q], s.lo[q], s.hi[q], own.R, own.inverse_C);
        worst = max2(worst, r/own.base);
      }
      q++;
    }
    k.from += count;
  }
  e->of[index] = worst;
}

double grid_judge_residual(const certifier *c, const double *x, const double *y) {
  estimate e = {.c = c, .x = x, .y = y};
  team_run(c->threads, estimate_chunk, &e, CHUNKS);
  double worst = 0.0;
  for (int32_t q = 0; q < CHUNKS; q++) worst = max2(worst, e.of[q]);
  return worst;
}

typedef struct scales {
  const certifier *c;
  double *weight, *unit;      // NULL: not asked for
  uint8_t *open;
} scales;

// A cell that nothing is tied to; most often fixed, and then any units will do.
static void scale_alone(const scales *u, const cells *s, int32_t q) {
  const int32_t i = s->first + q;
  const int fixed = s->lo[q] == s->hi[q];
  const certify_scale own = fixed ? (certify_scale){1.0, 1.0, 1.0} : grid_judge_scale(u->c, i);
  if (u->weight != NULL) u->weight[i] = own.inverse_C/own.base;
  if (u->unit == NULL) return;
  u->unit[i] = own.R/own.base;
  u->open[i] = !fixed && u->c->component[i] != EMPTY && !grid_judge_settled(u->c, i);
}

// A run of cells of one component: to[k] = part->unit power[k]/base
EXACT_INLINE void scale_run(const double *power, const grid_part *part, int32_t count, double *to) {
  const four unit = four_all(part->unit), base = four_all(base_of(part->G, part->S));
  int32_t k = 0;
  for (; k + 4 <= count; k += 4)
    four_store(to + k, four_divide(within_four(four_multiply(four_load(power + k), unit)), base));
  for (; k < count; k++) to[k] = within(power[k]*part->unit)/base_of(part->G, part->S);
}

EXACT_INLINE void scale_cells(const scales *u, int32_t from, int32_t to) {
  const certifier *c = u->c;
  cells s;
  cells_begin(&s);
  for (int32_t first = from; first < to; first += GRID_STRETCH_MAX) {
    const int32_t left = to - first, count = left < GRID_STRETCH_MAX ? left : GRID_STRETCH_MAX,
                  *component = c->component + first;
    cells_at(c, first, count, &s);
    for (int32_t q = 0, end; q < count; q = end) {
      end = component[q] < 0 ? q + 1 : cells_run(component, q, count);
      if (component[q] < 0) {
        scale_alone(u, &s, q);
        continue;
      }
      const grid_part *part = &c->grid.parts[component[q]];
      if (u->weight != NULL) scale_run(s.inverse + q, part, end - q, u->weight + first + q);
      if (u->unit != NULL) scale_run(s.power + q, part, end - q, u->unit + first + q);
      if (u->open != NULL) memset(u->open + first + q, part->G != 0.0, (size_t)(end - q));
    }
  }
}
FOUR_TARGET static void scale_wide(const scales *u, int32_t from, int32_t to) {
  scale_cells(u, from, to);
}
static void scale_plain(const scales *u, int32_t from, int32_t to) { scale_cells(u, from, to); }

static void scale_some(void *data, int32_t from, int32_t to, int32_t share) {
  (void)share;
  (FOUR_HAS_TARGET() ? scale_wide : scale_plain)(data, from, to);
}

void grid_judge_weights(const certifier *c, double *weight) {
  team_share(c->threads, c->n, scale_some, &(scales){.c = c, .weight = weight});
}

void grid_judge_units(const certifier *c, double *unit, uint8_t *open) {
  team_share(c->threads, c->n, scale_some, &(scales){.c = c, .unit = unit, .open = open});
}
