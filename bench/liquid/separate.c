// separate.c: what pressure that lets go of walls costs, relative to one linear solve of the same
// system by the same multigrid, in scenes of liquids as they are after a while.
//
// A row per scene and size: Newton steps, cycles on the finest grid and seconds of processor, of the
// linear solve (slip walls, from zero), and those of the separating ones relative to them: from zero
// at walls, from zero in every cell, and at walls from the pressure of the step before. Then, per
// size, the median and the worst of the scenes.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "moment.h"

enum { AGAIN = 3, SETTLE = 5, THREADS = 2, SIZES = 4, MOST_SCENES = 16 };
#define BEGIN 0.5              // seconds of the scene on the coarse grid
#define ENOUGH 0.1             // seconds of solves that are measured, AGAIN of them at least
#define CROSSED 1.0            // cells that the fastest crosses in a step

enum { LINEAR, WALLS, EVERY, WARM, KINDS };

typedef struct work { int32_t newton, cycles, solved; double seconds; } work;

typedef struct ratios { double cycles[KINDS], seconds[KINDS]; } ratios;   // to those of LINEAR

static double processor(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

// The best of some solves, all from the same guess (NULL: 0), with a solver that is kept.
static work measure(const perp_problem *p, const double *guess) {
  const perp_limits limits = perp_limits_of(p);
  perp_options options = perp_default_options(NULL);
  perp_solver *solver;
  work w = {.seconds = INFINITY};
  if (perp_solver_create(NULL, &limits, &options, NULL, &solver) != PERP_OK) return w;
  double *x = bench_take((size_t)p->A.n, sizeof *x);
  double sum = 0.0;
  for (int k = 0; k < AGAIN || sum < ENOUGH; k++) {
    perp_result r;
    for (int32_t i = 0; i < p->A.n; i++) x[i] = guess != NULL ? guess[i] : 0.0;
    const double begin = processor();
    if (perp_solve(solver, p, x, &r) != PERP_OK) break;
    const double seconds = processor() - begin;
    sum += seconds;
    w.seconds = fmin(w.seconds, seconds);
    w.newton = r.iterations;
    w.cycles = r.inner_iterations;
    w.solved = r.status == PERP_STATUS_SOLVED;
  }
  free(x);
  perp_solver_destroy(solver);
  return w;
}

static ratios tell(bench_table *t, const char *name, int32_t size, const perp_problem *p,
                   const perp_grid *grid, const double *before, double crossed) {
  const int32_t n = p->A.n;
  double *lo = bench_take((size_t)n, sizeof *lo), *hi = bench_take((size_t)n, sizeof *hi);
  perp_problem other = *p;
  other.lo = lo;
  other.hi = hi;
  work w[KINDS];
  ratios ratio = {{0.0}, {0.0}};
  char cell[KINDS][64];
  int32_t liquid = 0;
  for (int k = 0; k < KINDS; k++) {
    perp_grid_bounds(grid, k == EVERY, lo, hi);
    for (int32_t i = 0; k == LINEAR && i < n; i++) {
      liquid += grid->type[i] == PERP_CELL_LIQUID;
      if (grid->type[i] == PERP_CELL_LIQUID) lo[i] = -INFINITY;
    }
    w[k] = measure(&other, k == WARM ? before : NULL);
    ratio.cycles[k] = (double)w[k].cycles/w[LINEAR].cycles;
    ratio.seconds[k] = w[k].seconds/w[LINEAR].seconds;
    snprintf(cell[k], sizeof cell[k], "%d/%d%s|%.2f|%.2f", w[k].newton, w[k].cycles,
             w[k].solved ? "" : " unsolved", ratio.cycles[k], ratio.seconds[k]);
  }
  bench_row(t, "%s|%d|%d|%.1f|%d|%.1f|%s|%s|%s", name, size, liquid, crossed, w[LINEAR].cycles,
            1e3*w[LINEAR].seconds, cell[WALLS], cell[EVERY], cell[WARM]);
  free(lo);
  free(hi);
  return ratio;
}

static int run(bench_table *t, moment *m, int32_t size, ratios *ratio) {
  perp_fluid *fluid;
  if (!moment_fluid(m, size, CROSSED/(size*m->fastest), THREADS, &fluid)) return 0;
  int fine = 1;
  perp_fluid_report r = {0};
  for (int k = 0; fine && k < SETTLE; k++) fine = perp_fluid_step(fluid, &r) == PERP_OK;
  perp_problem p;
  const double *x;
  if (fine && perp_fluid_problem(fluid, &p, &x) == PERP_OK) {
    double *before = bench_take((size_t)p.A.n, sizeof *before);
    memcpy(before, x, (size_t)p.A.n*sizeof *before);
    fine = perp_fluid_step(fluid, &r) == PERP_OK && perp_fluid_problem(fluid, &p, &x) == PERP_OK;
    if (fine) {
      const perp_grid *grid = p.A.ops->view(p.A.self).data;
      for (int32_t i = 0; i < p.A.n; i++)
        if (grid->type[i] != PERP_CELL_LIQUID) before[i] = 0.0;
      *ratio = tell(t, m->what->name, size, &p, grid, before, r.courant*r.substeps);
    }
    free(before);
  }
  perp_fluid_destroy(fluid);
  return fine;
}

// ---- over the scenes ----

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// part: 0.5 is the median, 1 the largest
static void sum_up(bench_table *t, const char *label, int32_t size, const ratios *of, int32_t count,
                   double part) {
  double value[2][MOST_SCENES], is[2][KINDS];
  for (int k = 0; k < KINDS; k++)
    for (int which = 0; which < 2; which++) {
      for (int32_t s = 0; s < count; s++)
        value[which][s] = which ? of[s].seconds[k] : of[s].cycles[k];
      qsort(value[which], (size_t)count, sizeof(double), by_value);
      is[which][k] = value[which][(int32_t)(part*(count - 1))];
    }
  bench_row(t, "%s of %d|%d|||||-|%.2f|%.2f|-|%.2f|%.2f|-|%.2f|%.2f", label, count, size,
            is[0][WALLS], is[1][WALLS], is[0][EVERY], is[1][EVERY], is[0][WARM], is[1][WARM]);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  bench_table *t = bench_open(&b, "separate", "separating pressure, relative to a linear solve",
                              "scene|size|liquid cells|cells crossed|linear: cycles|linear: ms|"
                              "walls: Newton/cycles|walls: cycles|walls: time|"
                              "every cell: Newton/cycles|every cell: cycles|every cell: time|"
                              "warm: Newton/cycles|warm: cycles|warm: time");
  static const int32_t sizes[2][2][SIZES] = {   // quick; deep
    {{256, 512, 1024, 2048}, {32, 64, 96, 160}}, {{64, 128}, {16, 32}}};
  static const int32_t coarse[2][2] = {{256, 48}, {64, 24}};
  const int32_t steps = b.quick ? 2 : SIZES;
  static ratios ratio[2][SIZES][MOST_SCENES];
  int32_t scenes[2][SIZES] = {{0}, {0}};
  const scene *what;
  for (int32_t s = 0; (what = scene_at(s)) != NULL; s++) {
    if (what->fill == NULL) continue;
    const int deep = strstr(what->name, "3d") != NULL || strstr(what->name, "ball") != NULL;
    moment m;
    int fine = moment_take(what, coarse[b.quick][deep], BEGIN, THREADS, &m);
    for (int32_t k = 0; fine && k < steps && scenes[deep][k] < MOST_SCENES; k++) {
      fine = run(t, &m, sizes[b.quick][deep][k], &ratio[deep][k][scenes[deep][k]]);
      scenes[deep][k] += fine;
    }
    if (!fine) bench_note(t, "%s: %s", what->name, perp_last_message());
    moment_free(&m);
  }
  for (int deep = 0; deep < 2; deep++)
    for (int32_t k = 0; k < steps; k++) {
      if (scenes[deep][k] == 0) continue;
      sum_up(t, "median", sizes[b.quick][deep][k], ratio[deep][k], scenes[deep][k], 0.5);
      sum_up(t, "worst", sizes[b.quick][deep][k], ratio[deep][k], scenes[deep][k], 1.0);
    }
  bench_note(t, "After %g s on %d^2 or %d^3 cells, then %d steps on the grid of the row, each as "
             "long as the fastest takes for a cell; cells crossed: in the last of them.",
             BEGIN, coarse[b.quick][0], coarse[b.quick][1], SETTLE + 2);
  bench_note(t, "ms and times: of the processor, one thread, solver kept, the best of %d or more; "
                "tol 1e-8.", AGAIN);
  bench_close(t);
  return 0;
}
