// reseed.c: particles are sorted by cell, and cells inside the liquid keep their share of them.
//
// A cell has P parts (seed.h). It is inside the liquid if it and all its neighbours hold particles,
// were liquid in the last substep or are solid. Such a cell with fewer than P/2 particles gets one
// in each empty part, with the velocity of the grid there, but only if all these cells together
// hold at least P particles per cell: liquid that is pulled apart, at separating walls or as spray,
// must not gain volume. (A dam break in 50 x 50 cells, walls separating, cfl = 1/2, had 31 % more
// volume after 4 s, and has 6 %.) For an empty cell 7/8 of that is enough: a flow that stretches
// rows of particles to two cells also packs them more closely along themselves, and along a wall
// every second column is empty: 0, 7/4 P, 0, 7/4 P. (Scenes in the plane lose up to 11 % of their
// volume without these cells, up to 7 % with them; some gain 5 % if 3/4 is enough, 17 % with 1/2.)
// A cell with more than 2 P particles keeps two per part, those nearest to the part's middle.
// Neither rule depends on the order of particles, so mirrored liquids stay mirrored. Particles in
// the middle of a solid, where the distance has no slope, are removed. A step adds at most an
// eighth of the particles that it started with; there is room for those.
#include <string.h>

#include "sample.h"
#include "seed.h"

enum { CELL_PARTS_MAX = 64, KEPT_PER_PART = 2, COUNT_MAX = 253, HOLE = 254, SOLID = 255 };

typedef struct garden {
  perp_fluid *f;
  sampler s;
  int parts;
  const uint8_t *counts;       // cells: particles up to COUNT_MAX, SOLID, or HOLE (was liquid)
  int32_t *order;              // the new one
  int32_t count;               // of it
  int64_t fresh, limit;        // particles added so far, and at most
} garden;

static int buried(const perp_fluid *f, const int32_t at[3]) {   // in solids, whole
  if (f->solids == 0) return 0;
  const int32_t line = f->n[0] + 1, layer = line*(f->n[1] + 1);
  const int32_t deep = f->dimension == 3;
  const double *d = f->solid_distance + (at[2]*deep*layer + at[1]*line + at[0]);
  for (int k = 0; k <= deep; k++)
    for (int j = 0; j < 2; j++)
      for (int i = 0; i < 2; i++)
        if (d[k*layer + j*line + i] >= 0.0) return 0;
  return 1;
}

static int inside(const garden *g, const int32_t at[3], int32_t cell) {
  const int32_t *n = g->f->n;
  int32_t sum = 0, wanted = 0;
  for (int32_t k = at[2] - 1; k <= at[2] + 1; k++)
    for (int32_t j = at[1] - 1; j <= at[1] + 1; j++)
      for (int32_t i = at[0] - 1; i <= at[0] + 1; i++) {
        if (i < 0 || i >= n[0] || j < 0 || j >= n[1] || k < 0 || k >= n[2]) continue;
        const uint8_t count = g->counts[(k*n[1] + j)*n[0] + i];
        if (count == 0) return 0;
        if (count == SOLID) continue;
        sum += count == HOLE ? 0 : count;
        wanted += g->parts;
      }
  return g->counts[cell] == HOLE ? 8*sum >= 7*wanted : sum >= wanted;
}

static void position(const perp_fluid *f, int32_t i, double x[3]) {
  x[2] = 0.0;
  for (int a = 0; a < f->dimension; a++) x[a] = f->p.x[a][i];
}

static int in_solid(const perp_fluid *f, const double x[3]) {
  for (int32_t s = 0; s < f->solids; s++)
    if (!(shape_distance(&f->solid[s], x, f->time + f->dt) > 0.0)) return 1;
  return 0;
}

static void add(garden *g, const int32_t at[3], int32_t cell, int part) {
  perp_fluid *f = g->f;
  double x[3];
  seed_place(f, at, cell, part, x);
  if (g->fresh >= g->limit || in_solid(f, x)) return;
  const int64_t i = f->p.count + g->fresh++;
  const spot here = sample_spot(&g->s, x, f->dimension);
  for (int a = 0; a < f->dimension; a++) {
    f->p.x[a][i] = x[a];
    f->p.v[a][i] = sample_field(&g->s, f->u[a], &here, a, f->dimension);
    for (int b = 0; b < f->dimension && f->settings.transfer == PERP_TRANSFER_APIC; b++)
      f->p.affine[3*a + b][i] = sample_slope(&g->s, f->u[a], &here, a, b, f->dimension);
  }
  g->order[g->count++] = (int32_t)i;
}

// those of a cell that stay, in the order of its parts
static void thin_out(garden *g, const int32_t at[3], const int32_t *order, int32_t count) {
  double nearest[CELL_PARTS_MAX][KEPT_PER_PART];
  int32_t kept[CELL_PARTS_MAX][KEPT_PER_PART];
  for (int k = 0; k < g->parts; k++)
    for (int m = 0; m < KEPT_PER_PART; m++) nearest[k][m] = 1e300, kept[k][m] = -1;
  for (int32_t q = 0; q < count; q++) {
    double x[3], square;
    position(g->f, order[q], x);
    const int part = seed_part(g->f, at, x, &square);
    int32_t one = order[q];
    for (int m = 0; m < KEPT_PER_PART; m++)     // insertion; equal ones stay as they came
      if (square < nearest[part][m]) {
        const double further = nearest[part][m];
        const int32_t other = kept[part][m];
        nearest[part][m] = square, kept[part][m] = one;
        square = further, one = other;
      }
  }
  for (int k = 0; k < g->parts; k++)
    for (int m = 0; m < KEPT_PER_PART; m++)
      if (kept[k][m] >= 0) g->order[g->count++] = kept[k][m];
}

static int fine(const garden *g, const int32_t at[3], int32_t cell, int32_t count) {
  if (count == 0 && g->counts[cell] != HOLE) return 1;
  const int much = count > KEPT_PER_PART*g->parts, little = 2*count < g->parts;
  if (g->f->settings.reseed && (much || (little && inside(g, at, cell)))) return 0;
  return !buried(g->f, at);
}

static void tend(garden *g, const int32_t at[3], int32_t cell, const int32_t *order,
                 int32_t count) {
  const perp_fluid *f = g->f;
  if (buried(f, at)) return;
  if (count > KEPT_PER_PART*g->parts) {
    thin_out(g, at, order, count);
    return;
  }
  uint64_t taken = 0;
  for (int32_t q = 0; q < count; q++) {
    double x[3], square;
    position(f, order[q], x);
    taken |= (uint64_t)1 << seed_part(f, at, x, &square);
    g->order[g->count++] = order[q];
  }
  for (int part = 0; part < g->parts; part++)
    if (!(taken >> part & 1)) add(g, at, cell, part);
}

// order as it is, from *done up to `to`
static void go_on(garden *g, int32_t *done, int32_t to) {
  memcpy(g->order + g->count, g->f->p.order + *done, (size_t)(to - *done)*sizeof *g->order);
  g->count += to - *done;
  *done = to;
}

perp_error fluid_reseed(perp_fluid *f) {
  const perp_error error = fluid_find_order(f);
  if (error != PERP_OK) return error;
  uint8_t *counts = fluid_scratch(f, (size_t)f->cells);
  if (counts == NULL) return PERP_ERROR_MEMORY;
  for (int32_t c = 0; c < f->cells; c++) {
    const int32_t count = f->first[c + 1] - f->first[c];
    const int hole = count == 0 && f->type[c] == PERP_CELL_LIQUID;
    counts[c] = (uint8_t)(f->type[c] == PERP_CELL_SOLID ? SOLID : hole ? HOLE :
                          count < COUNT_MAX ? count : COUNT_MAX);
  }
  garden g = {.f = f, .s = sampler_of(f, f->u), .parts = seed_parts(f), .counts = counts,
              .order = f->p.cell, .limit = f->report.particles/8 + 64 - f->report.added};
  if (g.limit > f->p.room - f->p.count) g.limit = f->p.room - f->p.count;
  int32_t at[3], cell = 0, done = 0;
  for (at[2] = 0; at[2] < f->n[2]; at[2]++)
    for (at[1] = 0; at[1] < f->n[1]; at[1]++)
      for (at[0] = 0; at[0] < f->n[0]; at[0]++, cell++) {
        const int32_t begin = f->first[cell], end = f->first[cell + 1];
        f->first[cell] = g.count + begin - done;
        if (fine(&g, at, cell, end - begin)) continue;
        go_on(&g, &done, begin);
        tend(&g, at, cell, f->p.order + begin, end - begin);
        done = end;
      }
  go_on(&g, &done, f->first[f->cells]);
  f->first[f->cells] = g.count;
  f->p.cell = f->p.order;
  f->p.order = g.order;
  f->report.added += g.fresh;
  f->report.removed += f->p.count + g.fresh - g.count;
  fluid_put_in_order(f, g.count);
  f->draws++;
  return PERP_OK;
}
