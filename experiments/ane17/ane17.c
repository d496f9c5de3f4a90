// ane17.c: repeats the experiments of ANE17 6: Krylov solvers and preconditioners for slip and for
// separating walls (6.1), growing grids, and the parameter xi (6.3), with the paper's parameters
// (--preset paper).
#include "ane17.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interrupt.h"
#include "solve_settings.h"

const char *const ane17_solver[ANE17_SOLVERS] = {"cg", "cr", "gmres", "bicgstab"};
const char *const ane17_preconditioner[ANE17_PRECONDITIONERS] = {
  "identity", "jacobi", "ic", "ainv_plain", "ainv_scaled", "ainv_static"};
const char *const ane17_xi[ANE17_XIS] = {"1e-5", "1e-4", "1e-3", "1e-2", "1e-1", "0.5"};

// ------------------------------------------------------------------------------------------ scene

static double square(double v) { return v*v; }

// A smooth velocity with eddies, falling; k: 0 for u, 1 for v. phase: 8
static double velocity(double x, double y, int k, const double *phase) {
  double v = k == 1 ? -1.0 : 0.0;
  for (int m = 0; m < 4; m++) {
    const double a = (2.0 + m)*3.0*x + phase[2*m], b = (3.0 + m)*2.0*y + phase[2*m + 1];
    v += (k == 0 ? sin(a)*cos(b) : cos(a)*sin(b + 0.5*m))/(1.0 + m);
  }
  return v;
}

// b = div u, where u = 0 on walls.
static void fill(ane17_scene *s, const double *phase) {
  const int32_t n = s->size;
  const double h = 1.0/n;
  for (int32_t j = 0; j < n; j++)
    for (int32_t i = 0; i < n; i++) {
      const int32_t at = j*n + i;
      if (s->type[at] != PERP_CELL_LIQUID) continue;
      const double x = (i + 0.5)*h, y = (j + 0.5)*h;
      for (int side = 0; side < 4; side++) {
        const int up = side % 2, k = side/2;
        const int32_t other = at + (k == 0 ? 1 : n)*(up ? 1 : -1);
        const int edge = k == 0 ? i == (up ? n - 1 : 0) : j == (up ? n - 1 : 0);
        if (edge || s->type[other] == PERP_CELL_SOLID) continue;
        const double away = up ? 0.5*h : -0.5*h;
        s->b[at] += (up ? 1.0 : -1.0)/h*velocity(k == 0 ? x + away : x, k == 1 ? y + away : y, k,
                                                 phase);
      }
    }
}

static void scene_free(ane17_scene *s) {
  free(s->type), free(s->b), free(s->lo), free(s->hi), free(s->x), free(s->open);
  *s = (ane17_scene){0};
}

static int scene_make(int32_t size, uint64_t seed, ane17_scene *s) {
  const size_t n = (size_t)size*(size_t)size;
  *s = (ane17_scene){.size = size, .type = calloc(n, 1), .b = calloc(n, sizeof(double)),
                     .lo = calloc(n, sizeof(double)), .hi = calloc(n, sizeof(double)),
                     .x = calloc(n, sizeof(double)), .open = calloc(n, sizeof(double))};
  if (!s->type || !s->b || !s->lo || !s->hi || !s->x || !s->open) {
    scene_free(s);
    return fail(CODE_IO, "out of memory");
  }
  for (int32_t j = 0; j < size; j++)
    for (int32_t i = 0; i < size; i++) {
      const double x = (i + 0.5)/size, y = (j + 0.5)/size;
      const int wet = (x < 0.45 && y < 0.75 + 0.05*sin(25.0*x)) || y < 0.3 + 0.03*sin(18.0*x);
      const int disc = square(x - 0.62) + square(y - 0.12) < square(0.09);
      s->type[j*size + i] = (uint8_t)(disc ? PERP_CELL_SOLID : wet ? PERP_CELL_LIQUID
                                                                   : PERP_CELL_AIR);
      s->liquid += !disc && wet;
    }
  s->grid = (perp_grid){.cells = {size, size, 1}, .spacing = {1.0/size, 1.0/size, 1.0/size},
                        .type = s->type};
  double phase[8];
  uint64_t state = seed + 1;
  for (int k = 0; k < 8; k++) {   // a few numbers that the seed decides
    state = state*6364136223846793005u + 1442695040888963407u;
    phase[k] = 6.283185307179586*(double)(state >> 11)*0x1p-53;
  }
  fill(s, phase);
  const perp_error error = perp_grid_bounds(&s->grid, 0, s->lo, s->hi);
  for (size_t i = 0; i < n; i++)
    s->open[i] = s->type[i] == PERP_CELL_LIQUID ? -(double)INFINITY : 0.0;
  return error ? fail_library(error) : CODE_OK;
}

// ------------------------------------------------------------------------------------------- runs

static int stop_if_interrupted(void *unused, const perp_statistics *statistics) {
  (void)unused, (void)statistics;
  return interrupt_seen();
}

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

typedef struct setting { const char *name, *value; } setting;

// settings: ended by an empty one. method: minmap_newton with the paper's parameters, or auto
static int solve(ane17_scene *s, int slip, const char *method, const setting *settings,
                 ane17_run *run) {
  const perp_problem problem = {.A = perp_from_grid(&s->grid, PERP_CLAIM_NONE), .b = s->b,
                                .lo = slip ? s->open : s->lo, .hi = s->hi};
  perp_options options = perp_default_options(perp_find_method(method));
  perp_error error = PERP_OK;
  if (!strcmp(method, "minmap_newton")) error = perp_set_option(&options, "preset", "paper");
  for (; !error && settings->name; settings++)
    error = perp_set_option(&options, settings->name, settings->value);
  options.on_iteration = stop_if_interrupted;
  memset(s->x, 0, (size_t)s->size*(size_t)s->size*sizeof *s->x);
  perp_result result;
  const double before = processor_seconds();
  if (!error) error = perp_solve_once(&problem, s->x, &options, &result);
  if (error) return fail_library(error);
  *run = (ane17_run){slip, result.status, result.iterations, result.inner_iterations,
                     result.certificate.residual, processor_seconds() - before};
  return interrupt_seen() ? fail(CODE_INTERRUPTED, "interrupted") : CODE_OK;
}

// With slip walls there is one linear system: check whether its solver reached the threshold.
int ane17_cut(const ane17_run *run) {
  return run->slip ? run->inner >= ANE17_INNER : run->status == PERP_STATUS_ITERATION_LIMIT;
}

static const char *mark(const ane17_run *run) { return ane17_cut(run) ? ">" : ""; }

// Slip is one linear system: one Newton step, solved to 1e-5 as the paper's CG.
static int solve_slip(ane17_scene *s, const char *solver, const char *preconditioner,
                      ane17_run *run) {
  const setting settings[] = {{"krylov.solver", solver}, {"krylov.preconditioner", preconditioner},
                              {"newton.gamma", "1e-5"}, {"iteration_limit", "1"}, {0}};
  return solve(s, 1, "minmap_newton", settings, run);
}

static int solve_separating(ane17_scene *s, const char *solver, const char *preconditioner,
                            const char *xi, ane17_run *run) {
  const setting settings[] = {{"krylov.solver", solver}, {"krylov.preconditioner", preconditioner},
                              {"newton.gamma", xi}, {0}};
  return solve(s, 0, "minmap_newton", settings, run);
}

static int combine(reproduction *r, ane17_results *all) {
  ane17_scene s;
  int code = scene_make(all->size, r->seed, &s);
  if (code) return code;
  reproduction_say(r, "%d x %d cells, %d liquid: solvers and preconditioners", (int)s.size,
                   (int)s.size, (int)s.liquid);
  for (int k = 0; k < ANE17_SOLVERS && !code; k++)
    for (int p = 0; p < ANE17_PRECONDITIONERS && !code; p++) {
      ane17_run *slip = &all->slip[k][p], *wall = &all->separating[k][p];
      code = solve_slip(&s, ane17_solver[k], ane17_preconditioner[p], slip);
      if (!code)
        code = solve_separating(&s, ane17_solver[k], ane17_preconditioner[p], "0.01", wall);
      if (!code)
        reproduction_say(r, "  %-8s %-11s slip %1s%4d, separating %1s%2d Newton %6d inner, %7.3f s",
                         ane17_solver[k], ane17_preconditioner[p], mark(slip), (int)slip->inner,
                         mark(wall), (int)wall->newton, (int)wall->inner,
                         slip->seconds + wall->seconds);
    }
  scene_free(&s);
  return code;
}

static int grow(reproduction *r, ane17_results *all, int k) {
  static const setting none[] = {{0}};
  ane17_scene s;
  int code = scene_make(all->sizes[k], r->seed, &s);
  if (code) return code;
  reproduction_say(r, "%d x %d cells: resolution and xi", (int)s.size, (int)s.size);
  code = solve_slip(&s, "cg", "identity", &all->grown[k][0]);
  if (!code) code = solve_separating(&s, "cg", "identity", "0.01", &all->grown[k][1]);
  if (!code) code = solve(&s, 0, "auto", none, &all->grown[k][2]);
  const ane17_run *slip = &all->grown[k][0], *wall = slip + 1, *ours = slip + 2;
  if (!code)
    reproduction_say(r, "  slip %1s%4d, separating %1s%2d Newton %6d inner, auto %2d Newton %3d "
                     "inner", mark(slip), (int)slip->inner, mark(wall), (int)wall->newton,
                     (int)wall->inner, (int)ours->newton, (int)ours->inner);
  for (int q = 0; q < ANE17_XIS && !code; q++) {
    const ane17_run *run = &all->xi[k][q];
    code = solve_separating(&s, "cg", "identity", ane17_xi[q], &all->xi[k][q]);
    if (!code)
      reproduction_say(r, "  xi = %-6s %1s%2d Newton %6d inner, %7.3f s", ane17_xi[q],
                       mark(run), (int)run->newton, (int)run->inner, run->seconds);
  }
  scene_free(&s);
  return code;
}

static int run(reproduction *r) {
  static const int32_t sizes[ANE17_SIZES] = {50, 100, 200, 400, 512}, few[] = {24, 32, 48};
  ane17_results *all = calloc(1, sizeof *all);
  if (!all) return fail(CODE_IO, "out of memory");
  all->size = r->quick ? 48 : 200;
  all->count = r->quick ? 3 : ANE17_SIZES;
  for (int k = 0; k < all->count; k++) all->sizes[k] = r->quick ? few[k] : sizes[k];
  int code = combine(r, all);
  for (int k = 0; k < all->count && !code; k++) code = grow(r, all, k);
  if (!code) code = ane17_write(r, all);
  free(all);
  return code;
}

extern const experiment experiment_ane17;
const experiment experiment_ane17 = {
  "ane17",
  "Krylov solvers and preconditioners for liquids at slip and at separating walls, for several grids "
  "and xi",
  "ANE17 (Andersen, Niebe, Erleben 2017), section 6: Figures 12, 13, 14 and 16", run};
