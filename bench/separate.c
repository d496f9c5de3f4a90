// separate.c: what pressure that lets go of walls costs, relative to one linear solve of the same
// system by the same multigrid, in scenes of liquids as they are after a while.
//
// A row per scene and size: cycles on the finest grid and seconds of processor, of the linear solve
// (slip walls, from zero), and those of the separating ones relative to them: from zero at walls,
// from zero in every cell, and at walls from the pressure of the step before.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <scene.h>

#include "bench.h"

enum { MOST_PARAMETERS = 64, AGAIN = 3 };
#define BEGIN 0.15             // seconds of the scene before anything is measured
#define CROSSED 1.0            // cells a metre per second crosses in the step from warm to measured

typedef struct work { int32_t newton, cycles, solved; double seconds; } work;

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
  for (int k = 0; k < AGAIN; k++) {
    perp_result r;
    for (int32_t i = 0; i < p->A.n; i++) x[i] = guess != NULL ? guess[i] : 0.0;
    const double begin = processor();
    if (perp_solve(solver, p, x, &r) != PERP_OK) break;
    w.seconds = fmin(w.seconds, processor() - begin);
    w.newton = r.iterations;
    w.cycles = r.inner_iterations;
    w.solved = r.status == PERP_STATUS_SOLVED;
  }
  free(x);
  perp_solver_destroy(solver);
  return w;
}

static void tell(bench_table *t, const char *name, int32_t size, const perp_problem *p,
                 const perp_grid *grid, const double *before) {
  const int32_t n = p->A.n;
  double *lo = bench_take((size_t)n, sizeof *lo), *hi = bench_take((size_t)n, sizeof *hi);
  perp_problem other = *p;
  other.lo = lo;
  other.hi = hi;
  work w[4];
  int32_t liquid = 0;
  for (int k = 0; k < 4; k++) {
    perp_grid_bounds(grid, k == 2, lo, hi);
    for (int32_t i = 0; k == 0 && i < n; i++) {
      liquid += grid->type[i] == PERP_CELL_LIQUID;
      if (grid->type[i] == PERP_CELL_LIQUID) lo[i] = -INFINITY;
    }
    w[k] = measure(&other, k == 3 ? before : NULL);
  }
  char cell[3][64];
  for (int k = 1; k < 4; k++)
    snprintf(cell[k - 1], sizeof cell[k - 1], "%d, %d: %.2f%s", w[k].newton, w[k].cycles,
             w[k].seconds/w[0].seconds, w[k].solved ? "" : " unsolved");
  bench_row(t, "%s|%d|%d|%d|%.4f|%s|%s|%s", name, size, liquid, w[0].cycles, w[0].seconds, cell[0],
            cell[1], cell[2]);
  free(lo);
  free(hi);
}

static void set(const scene *what, double *values, const char *name, double value) {
  const int32_t k = scene_parameter(what, name);
  if (k >= 0) values[k] = value;
}

static int run(bench_table *t, const scene *what, int32_t size) {
  double values[MOST_PARAMETERS];
  scene_pool pool;
  perp_fluid *fluid;
  for (int32_t i = 0; i < what->parameter_count; i++) values[i] = what->parameters[i].initial;
  set(what, values, "size", size);
  if (scene_fill(what, values, 1, &pool) != PERP_OK) return 0;
  pool.settings.step = CROSSED/size;
  if (scene_fluid(&pool, NULL, &fluid) != PERP_OK) return 0;
  int fine = 1;
  double *before = NULL;
  perp_fluid_report r = {0};
  for (double time = 0.0; fine && time < BEGIN; time += pool.settings.step)
    fine = perp_fluid_step(fluid, &r) == PERP_OK;
  perp_problem p;
  const double *x;
  if (fine && perp_fluid_problem(fluid, &p, &x) == PERP_OK) {
    before = bench_take((size_t)p.A.n, sizeof *before);
    memcpy(before, x, (size_t)p.A.n*sizeof *before);
    fine = perp_fluid_step(fluid, &r) == PERP_OK && perp_fluid_problem(fluid, &p, &x) == PERP_OK;
    if (fine) {
      const perp_grid *grid = p.A.ops->view(p.A.self).data;
      for (int32_t i = 0; i < p.A.n; i++)
        if (grid->type[i] != PERP_CELL_LIQUID) before[i] = 0.0;
      tell(t, what->name, size, &p, grid, before);
    }
    free(before);
  }
  perp_fluid_destroy(fluid);
  return fine;
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  bench_table *t = bench_open(&b, "separate", "separating pressure, relative to a linear solve",
                              "scene|size|liquid cells|linear cycles|seconds|walls: Newton, "
                              "cycles, time|every cell|walls, warm");
  static const int32_t flat[] = {128, 256, 512, 1024}, deep[] = {24, 48, 72, 96};
  const scene *what;
  for (int32_t s = 0; (what = scene_at(s)) != NULL; s++) {
    if (what->fill == NULL) continue;
    const int is_deep = strstr(what->name, "3d") != NULL || strstr(what->name, "ball") != NULL;
    for (int k = 0; k < (b.quick ? 2 : 4); k++)
      if (!run(t, what, is_deep ? deep[k] : flat[k]))
        bench_note(t, "%s: %s", what->name, perp_fluid_message());
  }
  bench_note(t, "seconds of processor, one thread, solver kept, the best of %d; tol 1e-8", AGAIN);
  bench_close(t);
  return 0;
}
