// vcycle.c: the multigrid cycle on grids against the memory's bandwidth.
//
// traffic() counts the bytes of a cycle: each array once in each of the two passes over a level, cells
// without liquid not at all, weights only where they are not all the same. The domain is filled to
// about 60 % below a wavy surface, with two solid obstacles. With `cut` every face has a weight of
// its own, so that all weights are read. Percent are of the triad with the same number of threads.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bandwidth.h"
#include "bench.h"
#include "grid_parts.h"

enum { THREADS = 2 };

typedef struct subject {
  perp_grid grid;
  int32_t n, liquid;
  uint8_t *type;
  double *face[3], *r, *z;
  grid_levels *levels;
  grid_levels_report report;
  team *crew;
} subject;

// Bytes that a cycle reads and writes for the last mask.
static double traffic(const grid_levels *g) {
  double bytes = 0.0;
  for (int32_t at = 0; at + 1 < g->levels; at++) {
    const grid_level *l = &g->at[at];
    int64_t count[4] = {0, 0, 0, 0};
    for (int32_t k = 0; k < l->side[2]; k++)
      for (int32_t j = 0; j < l->side[1]; j++) {
        const uint16_t *run = l->run + (size_t)grid_row(l, j, k)*(size_t)l->blocks;
        for (int32_t b = 0; b < l->blocks; b += run[b] >> 2) count[run[b] & 3] += run[b] >> 2;
      }
    const double cell = sizeof(float), red = 0.5*cell, dimensions = 1 + (l->side[1] > 1) + l->deep,
                 parents = cell/(1 << (l->halved[0] + l->halved[1] + l->halved[2]));
    const double down = cell + cell + red,           // r; z, residuals
                 between = red + 3.0*parents,        // residuals; r; z, and z in the order of cells
                 up = parents + cell + red + cell;   // z of the parents, r, z of red cells; z
    const double general = (double)count[GRID_GENERAL], other = general + (double)count[GRID_SAME];
    bytes += GRID_BLOCK*(((double)count[GRID_UNIFORM] + other)*(down + between + up) +
                         other*(2.0*cell + red) + general*2.0*dimensions*cell);
  }
  return bytes;
}

static void fill(subject *s, int32_t x, int32_t y, int32_t z, int cut) {
  *s = (subject){.grid = {.cells = {x, y, z}, .spacing = {1.0, 1.0, 1.0}}, .n = x*y*z};
  s->type = bench_take((size_t)s->n, 1);
  s->r = bench_take((size_t)s->n, sizeof *s->r);
  s->z = bench_take((size_t)s->n, sizeof *s->z);
  s->grid.type = s->type;
  for (int32_t i = 0; i < s->n; i++) {
    const double X = (i%x + 0.5)/x, Y = (i/x%y + 0.5)/y, Z = z > 1 ? (i/x/y + 0.5)/z : 0.5;
    const double ball = sqrt((X - 0.4)*(X - 0.4) + (Y - 0.3)*(Y - 0.3) + (Z - 0.5)*(Z - 0.5)),
                 post = sqrt((X - 0.75)*(X - 0.75) + (Y - 0.15)*(Y - 0.15));
    s->type[i] = ball < 0.12 || post < 0.06 ? PERP_CELL_SOLID
               : Y > 0.62 + 0.08*sin(9.0*X) + 0.03*cos(23.0*X + 5.0*Z) ? PERP_CELL_AIR
               : PERP_CELL_LIQUID;
    s->liquid += s->type[i] == PERP_CELL_LIQUID;
    if (s->type[i] == PERP_CELL_LIQUID) s->r[i] = sin(12.0*X)*cos(7.0*Y) + 0.3*sin(1e4*(X + Y*Z));
  }
  for (int d = 0; cut && d < 3; d++) {
    const size_t count = (size_t)(x + (d == 0))*(size_t)(y + (d == 1))*(size_t)(z + (d == 2));
    s->face[d] = bench_take(count, sizeof(double));
    for (size_t f = 0; f < count; f++) s->face[d][f] = 0.9 + 0.1*(double)(f%7)/7.0;
    s->grid.face[d] = s->face[d];
  }
}

static void done(subject *s) {
  for (int d = 0; d < 3; d++) free(s->face[d]);
  free(s->type);
  free(s->r);
  free(s->z);
}

static void cycle(void *data) {
  subject *s = data;
  grid_cycle(s->levels, 0, 0);
}
static void solve(void *data) {
  subject *s = data;
  grid_levels_solve(s->levels, 0, s->r, s->z, 1e-8, 0.0, 100, NULL, &s->report);
}
static void renew(void *data) {
  subject *s = data;
  grid_levels_renew(s->levels, &s->grid, s->crew);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  team *crew[THREADS + 1] = {NULL};
  bandwidth limit[THREADS + 1];
  for (int32_t t = 1; t <= THREADS; t++) {
    crew[t] = team_create(t, NULL, NULL);
    limit[t] = bandwidth_measure(&b, crew[t]);
  }
  bench_table *table = bench_open(&b, "vcycle", "the multigrid cycle on grids",
    "grid|weights|liquid|threads|cycle ms|bytes/cell|GB/s|of triad|ratio|memory B/cell|"
    "1e-8: cycles|ms|new weights ms");
  static const struct { int32_t x, y, z, cut; } cases[] = {
    {1024, 1024, 1, 0}, {2048, 2048, 1, 0}, {2048, 2048, 1, 1}, {100, 100, 100, 0},
    {160, 160, 160, 0}, {160, 160, 160, 1}};
  for (size_t k = 0; k < sizeof cases/sizeof cases[0]; k++) {
    const int32_t shrink = b.quick ? 4 : 1, z = cases[k].z > 1 ? cases[k].z/shrink : 1;
    subject s;
    fill(&s, cases[k].x/shrink, cases[k].y/shrink, z, cases[k].cut);
    double first = 0.0;
    for (int32_t t = 1; t <= THREADS; t++) {
      int failed;
      s.crew = crew[t];
      s.levels = grid_levels_create(&s.grid, crew[t], NULL, NULL, &failed);
      if (s.levels == NULL) return 1;
      const int32_t repeats = b.quick ? 3 : 15;
      grid_levels_cycle(s.levels, 0, s.r, s.z);        // r is loaded
      const double seconds = bench_measure(cycle, &s, 1, repeats).best;
      if (t == 1) first = seconds;
      const double solved = bench_measure(solve, &s, 1, b.quick ? 2 : 7).best,
                   renewed = bench_measure(renew, &s, 1, 3).best;
      const double bytes = traffic(s.levels);
      bench_row(table, "%d x %d x %d|%s|%d|%d|%.3g|%.1f|%.1f|%.0f%%|%.2f|%.0f|%d|%.3g|%.3g",
                s.grid.cells[0], s.grid.cells[1], s.grid.cells[2], cases[k].cut ? "cut" : "1",
                s.liquid, t, 1e3*seconds, bytes/s.liquid, 1e-9*bytes/seconds,
                100.0*bytes/seconds/limit[t].triad, first/seconds,
                (double)(sizeof *s.levels + s.levels->bytes)/s.n, s.report.iterations, 1e3*solved,
                1e3*renewed);
      grid_levels_destroy(s.levels);
    }
    done(&s);
  }
  for (int32_t t = 1; t <= THREADS; t++)
    bench_note(table, "%d thread%s: triad %.1f GB/s, sum %.1f GB/s%s", t, t > 1 ? "s" : "",
               1e-9*limit[t].triad, 1e-9*limit[t].sum,
               t > 1 ? "; the ratio of the triads is the best a ratio can be" : "");
  bench_close(table);
  for (int32_t t = 1; t <= THREADS; t++) team_destroy(crew[t]);
  return 0;
}
