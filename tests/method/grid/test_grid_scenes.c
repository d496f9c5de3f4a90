// test_grid_scenes.c: pressure of liquids in boxes on grids of cells: against pivots, against known
// minima and formulas, closed tanks, threads, limits, and how much work it is.
// labels: tsan
// cost: 5
#include <perp/batch.h>

#include "grid_scene.h"
#include "grid_stage.h"
#include "support.h"

static perp_result solve_with(const perp_problem *p, double *x, perp_options *options) {
  perp_result result;
  assert_int_equal(perp_solve_once(p, x, options, &result), PERP_OK);
  return result;
}

static perp_result solve(const perp_problem *p, double *x, const char *method) {
  perp_options options = perp_default_options(perp_find_method(method));
  return solve_with(p, x, &options);
}

// y = A x + b in cell h, by the faces.
static long double flow(const perp_grid *g, const double *b, const double *x, int32_t h) {
  const int32_t *c = g->cells, at[3] = {h%c[0], h/c[0]%c[1], h/c[0]/c[1]};
  const int32_t stride[3] = {1, c[0], c[0]*c[1]};
  long double y = b[h];
  for (int d = 0; d < 3; d++)
    for (int side = 0; side < 2; side++) {
      const int32_t to[3] = {at[0] + (d == 0)*side, at[1] + (d == 1)*side, at[2] + (d == 2)*side};
      if (to[d] == 0 || to[d] == c[d]) continue;
      const int32_t l = h + (side ? stride[d] : -stride[d]);
      if (g->type[l] == PERP_CELL_SOLID) continue;
      const double face = g->face[d] != NULL ? g->face[d][scene_face(c, d, to[0], to[1], to[2])]
                                             : 1.0;
      const long double w = (long double)face/((long double)g->spacing[d]*g->spacing[d]);
      y += w*((long double)x[h] - (g->type[l] == PERP_CELL_LIQUID ? x[l] : 0.0));
    }
  return y;
}

// 0 <= x _|_ y >= 0, y = 0 where x has no bound: the largest failure, relative to max |b|.
static double failure(const grid_scene *s, const double *x) {
  long double worst = 0.0L, size = 0.0L;
  for (int32_t h = 0; h < s->n; h++) {
    if (s->type[h] != PERP_CELL_LIQUID) {
      assert_true(x[h] == 0.0);
      continue;
    }
    const long double y = flow(&s->grid, s->b, x, h);
    long double D = 0.0L;   // weight of x beside y
    for (int d = 0; d < 2; d++) D += 2.0L/((long double)s->grid.spacing[d]*s->grid.spacing[d]);
    const long double below = D*((long double)x[h] - s->lo[h]);
    worst = fmaxl(worst, fabsl(y > below ? below : y));
    size = fmaxl(size, fabsl((long double)s->b[h]));
  }
  return (double)(worst/size);
}

static grid_recipe usual(int32_t cells, int dimensions, uint64_t seed) {
  return (grid_recipe){.cells = {cells, cells, dimensions == 3 ? cells : 1}, .seed = seed, .cut = 1,
                       .ghost = 1, .balls = 3, .drops = 3, .fill = 0.5, .theta = 0.05};
}

// Walls or every cell, pools, ceilings, thin surfaces: the grid and pivots on its entries agree.
static void scenes_agree_with_pivots(void **state) {
  (void)state;
  for (int k = 0; k < fewer(12); k++) {
    grid_recipe r = usual(k%3 == 2 ? 7 : 18, k%3 == 2 ? 3 : 2, 40 + (uint64_t)k);
    r.every = k%2;
    r.ceiling = k%4 > 1;
    r.theta = k%5 == 0 ? 1e-3 : 0.05;
    r.cut = k%6 != 5;
    grid_scene s = scene_new(&r);
    scene_problem(&s, &r);
    const size_t n = (size_t)s.n;
    double *A = calloc(n*n, sizeof *A), *other = calloc(n, sizeof *other);
    scene_dense(&s.grid, A);
    const perp_dense dense = {s.n, A, 0, 0};
    perp_problem entries = s.problem;
    entries.A = perp_from_dense(&dense, PERP_CLAIM_SYMMETRIC);
    assert_int_equal(solve(&entries, other, "dantzig").status, PERP_STATUS_SOLVED);
    static const char *const methods[] = {"active_set", "multigrid", "auto"};
    for (int m = 0; m < 3; m++) {
      memset(s.x, 0, n*sizeof *s.x);
      perp_options options = perp_default_options(perp_find_method(methods[m]));
      options.tol = 1e-10;
      const perp_result result = solve_with(&s.problem, s.x, &options);
      assert_int_equal(result.status, PERP_STATUS_SOLVED);
      double most = 0.0, apart = 0.0;
      for (int32_t h = 0; h < s.n; h++) {
        most = fmax(most, fabs(other[h]));
        apart = fmax(apart, fabs(other[h] - s.x[h]));
      }
      assert_true(apart <= 1e-7*most);
    }
    free(A);
    free(other);
    scene_free(&s);
  }
}

// Iterations of a cold start do not grow with the cells, and one linear solve is the yardstick.
static void work_is_that_of_a_linear_solve(void **state) {
  (void)state;
  for (int k = 0; k < 6; k++) {
    grid_recipe r = usual(k < 3 ? 64 << k%3 : 20 << k%3, k < 3 ? 2 : 3, 7 + (uint64_t)k);
    if (k == 5) continue;   // 80^3 takes too long here
    r.ceiling = k%2;
    grid_scene s = scene_new(&r);
    scene_problem(&s, &r);
    double *lo = malloc((size_t)s.n*sizeof *lo), *x = calloc((size_t)s.n, sizeof *x);
    for (int32_t h = 0; h < s.n; h++) lo[h] = s.type[h] == PERP_CELL_LIQUID ? -INF : 0.0;
    perp_problem linear = s.problem;
    linear.lo = lo;
    const perp_result one = solve(&linear, x, "active_set");
    assert_int_equal(one.status, PERP_STATUS_SOLVED);
    for (int every = 0; every < 2; every++) {
      perp_grid_bounds(&s.grid, every, s.lo, s.hi);
      memset(s.x, 0, (size_t)s.n*sizeof *s.x);
      const perp_result many = solve(&s.problem, s.x, "active_set");
      assert_int_equal(many.status, PERP_STATUS_SOLVED);
      assert_true(failure(&s, s.x) <= 2e-7);
      assert_in_range(many.iterations, 1, 10);
      assert_true(many.inner_iterations <= 2*one.inner_iterations + 2);
    }
    free(lo);
    free(x);
    scene_free(&s);
  }
}

// A sequence of steps in which surface and velocity move, solved from the pressure before.
static void warm_starts(void **state) {
  (void)state;
  double *before = NULL;
  int32_t cold = 0, warm = 0;
  for (int step = 0; step < 6; step++) {
    grid_recipe r = usual(96, 2, 3);
    r.time = 0.005*step;
    grid_scene s = scene_new(&r);
    scene_problem(&s, &r);
    double *x = calloc((size_t)s.n, sizeof *x);
    cold += solve(&s.problem, s.x, "active_set").inner_iterations;
    for (int32_t h = 0; before != NULL && h < s.n; h++)
      x[h] = s.type[h] == PERP_CELL_LIQUID ? before[h] : 0.0;
    const perp_result result = solve(&s.problem, x, "active_set");
    assert_int_equal(result.status, PERP_STATUS_SOLVED);
    assert_true(failure(&s, x) <= 2e-7);
    warm += result.inner_iterations;
    free(before);
    before = x;
    scene_free(&s);
  }
  free(before);
  assert_true(warm <= cold);
}

// What a solver keeps is memory: after other problems it does the same as a new one, to the bit.
static void kept_solvers_are_like_new_ones(void **state) {
  (void)state;
  for (int k = 0; k < 4; k++) {
    grid_scene s[3];
    for (int m = 0; m < 3; m++) {
      grid_recipe r = usual(k < 2 ? 80 : 20, k < 2 ? 2 : 3, 40 + (uint64_t)(3*k + m));
      r.every = k%2;
      r.ceiling = m%2;
      s[m] = scene_new(&r);
      scene_problem(&s[m], &r);
    }
    const perp_options options = perp_default_options(perp_find_method("active_set"));
    const perp_limits limits = perp_limits_of(&s[0].problem);
    const size_t bytes = (size_t)s[0].n*sizeof(double);
    perp_solver *solver;
    perp_result first, again;
    double *x = malloc(bytes);
    assert_int_equal(perp_solver_create(options.method, &limits, &options, NULL, &solver), PERP_OK);
    for (int round = 0; round < 6; round++) {
      grid_scene *now = &s[round%3];
      memset(now->x, 0, bytes);
      memset(x, 0, bytes);
      assert_int_equal(perp_solve_once(&now->problem, now->x, &options, &first), PERP_OK);
      assert_int_equal(perp_solve(solver, &now->problem, x, &again), PERP_OK);
      assert_int_equal(first.status, PERP_STATUS_SOLVED);
      assert_int_equal(again.iterations, first.iterations);
      assert_int_equal(again.inner_iterations, first.inner_iterations);
      assert_memory_equal(x, now->x, bytes);
    }
    perp_solver_destroy(solver);
    for (int m = 0; m < 3; m++) scene_free(&s[m]);
    free(x);
  }
}

// Many grids at once: solvers beside each other, whose threads are at work already.
static void batches_of_grids(void **state) {
  (void)state;
  enum { COUNT = 6, N = 48 };
  grid_scene s[COUNT];
  perp_problem problem[COUNT];
  double *x[COUNT];
  perp_result result[COUNT];
  for (int k = 0; k < COUNT; k++) {
    grid_recipe r = usual(N, 2, 70 + (uint64_t)k);
    r.every = k%2;
    s[k] = scene_new(&r);
    problem[k] = *scene_problem(&s[k], &r);
    x[k] = calloc((size_t)s[k].n, sizeof *x[k]);
    assert_int_equal(solve(&problem[k], s[k].x, "active_set").status, PERP_STATUS_SOLVED);
  }
  perp_options options = perp_default_options(perp_find_method("active_set"));
  options.threads = 2;
  perp_limits limits = perp_limits_of(&problem[0]);
  limits.lanes = 2;
  perp_solver *solver;
  assert_int_equal(perp_solver_create(options.method, &limits, &options, NULL, &solver), PERP_OK);
  for (int round = 0; round < 3; round++) {
    if (round == 1)   // what this keeps knows two threads
      assert_int_equal(perp_solve(solver, &problem[0], x[0], &result[0]), PERP_OK);
    for (int k = 0; k < COUNT; k++) memset(x[k], 0, (size_t)s[k].n*sizeof *x[k]);
    assert_int_equal(perp_solve_batch(solver, problem, COUNT, x, result), PERP_OK);
    for (int k = 0; k < COUNT; k++) {
      assert_int_equal(result[k].status, PERP_STATUS_SOLVED);
      assert_memory_equal(x[k], s[k].x, (size_t)s[k].n*sizeof *x[k]);
    }
  }
  perp_solver_destroy(solver);
  for (int k = 0; k < COUNT; k++) {
    scene_free(&s[k]);
    free(x[k]);
  }
}

// MINPACK-2's journal bearing as a grid with air around: its minima are known.
static void bearings(void **state) {
  (void)state;
  static const struct { int32_t n; double e, minimum, digits; } known[] = {
    {50, 0.1, -0.180487995, 1e-9}, {50, 0.99, -60.15092732, 1e-8},
    {100, 0.1, -0.1805743697, 1e-10}, {200, 0.1, -0.1805975448, 1e-10}};
  for (size_t k = 0; k < sizeof known/sizeof known[0]; k++) {
    const int32_t n = known[k].n, m = n + 2, cells[3] = {m, m, 1};
    const double e = known[k].e, pi = 3.14159265358979323846;
    const double hx = 2.0*pi/(n + 1), hy = 20.0/(n + 1);
    const size_t count = (size_t)m*(size_t)m;
    uint8_t *type = calloc(count, 1);
    double *face[2] = {calloc(count + (size_t)m, sizeof(double)),
                       calloc(count + (size_t)m, sizeof(double))};
    double *b = calloc(count, sizeof *b), *x = calloc(count, sizeof *x);
    for (int32_t j = 0; j < m; j++)
      for (int32_t i = 0; i < m; i++) {
        const int inside = i > 0 && i <= n && j > 0 && j <= n;
        type[j*m + i] = inside ? PERP_CELL_LIQUID : PERP_CELL_AIR;
        if (inside) b[j*m + i] = -e*hx*hy*sin(i*hx);
        // linear elements on triangles: p is the mean of its values at the corners of a triangle
        const double q[3] = {pow(1.0 + e*cos((i - 1)*hx), 3), pow(1.0 + e*cos(i*hx), 3),
                             pow(1.0 + e*cos((i + 1)*hx), 3)};
        face[0][scene_face(cells, 0, i, j, 0)] = hy/hx*0.5*(q[0] + q[1]);
        face[1][scene_face(cells, 1, i, j, 0)] = hx/hy*(q[0] + 4.0*q[1] + q[2])/6.0;
      }
    const perp_grid grid = {.cells = {m, m, 1}, .spacing = {1.0, 1.0, 1.0}, .type = type,
                            .face = {face[0], face[1], NULL}};
    const perp_problem problem = {.A = perp_from_grid(&grid, 0), .b = b};
    perp_options options = perp_default_options(perp_find_method("active_set"));
    options.tol = 1e-10;
    const perp_result result = solve_with(&problem, x, &options);
    assert_int_equal(result.status, PERP_STATUS_SOLVED);
    assert_in_range(result.iterations, 1, 14);
    long double sum = 0.0L;
    for (int32_t h = 0; h < m*m; h++)
      if (type[h] == PERP_CELL_LIQUID) sum += 0.5L*x[h]*(flow(&grid, b, x, h) + b[h]);
    assert_true(fabsl(sum - known[k].minimum) <= known[k].digits);
    // A guess that is better than nothing, and free where only b would have it: a start on the
    // finest grid alone would take a step for every few cells between.
    for (int32_t h = 0; h < m*m; h++)
      x[h] = type[h] == PERP_CELL_LIQUID ? -1e-3*fmin(b[h], 0.0) : 0.0;
    const perp_result misled = solve_with(&problem, x, &options);
    assert_int_equal(misled.status, PERP_STATUS_SOLVED);
    assert_in_range(misled.iterations, 1, result.iterations + 10);
    free(type);
    free(face[0]);
    free(face[1]);
    free(b);
    free(x);
  }
}

// A membrane over a hemisphere, with the exact values at the edge as fixed cells.
static double hemisphere(int32_t n) {
  const double A = 0.680259411891719, B = 0.471519893402112, edge = 0.697965148223374, r0 = 0.9;
  const double h = 4.0/(n - 1);
  const size_t count = (size_t)n*(size_t)n;
  uint8_t *type = malloc(count);
  double *b = calloc(count, sizeof *b), *lo = malloc(count*sizeof *lo),
         *hi = malloc(count*sizeof *hi), *x = calloc(count, sizeof *x);
  memset(type, PERP_CELL_LIQUID, count);
  for (int32_t k = 0; k < n*n; k++) {
    const double px = -2.0 + k%n*h, py = -2.0 + k/n*h, r = sqrt(px*px + py*py);
    const double s0 = sqrt(1.0 - r0*r0), exact = B - A*log(fmax(r, 1e-9));
    const int outer = k%n == 0 || k%n == n - 1 || k/n == 0 || k/n == n - 1;
    lo[k] = outer ? exact : r <= r0 ? sqrt(1.0 - r*r) : s0 - r0/s0*(r - r0);
    hi[k] = outer ? exact : INF;
  }
  const perp_grid grid = {.cells = {n, n, 1}, .spacing = {h, h, 1.0}, .type = type};
  const perp_problem problem = {.A = perp_from_grid(&grid, 0), .b = b, .lo = lo, .hi = hi};
  assert_int_equal(solve(&problem, x, "active_set").status, PERP_STATUS_SOLVED);
  double worst = 0.0;
  for (int32_t k = 0; k < n*n; k++) {
    const double px = -2.0 + k%n*h, py = -2.0 + k/n*h, r = sqrt(px*px + py*py);
    worst = fmax(worst, fabs(x[k] - (r > edge ? B - A*log(r) : sqrt(1.0 - r*r))));
  }
  free(type);
  free(b);
  free(lo);
  free(hi);
  free(x);
  return worst;
}

static void hemisphere_converges_at_second_order(void **state) {
  (void)state;
  const double coarse = hemisphere(33), middle = hemisphere(65), fine = hemisphere(129);
  assert_true(coarse/fine > 9.0);   // 16, but for how the grid meets the free boundary
  assert_true(fine < middle && middle < coarse && fine < 2e-3);
}

// Tanks without air. The sum of b decides: 0: pressure up to a constant; > 0: a cell lets go;
// < 0: nothing can, and u = 1 proves it.
static void closed_tanks(void **state) {
  (void)state;
  static const char *const methods[] = {"active_set", "multigrid", "auto"};
  for (int k = 0; k < 18; k++) {
    grid_recipe r = usual(k%2 ? 12 : 40, k%2 ? 3 : 2, 90 + (uint64_t)k);
    r.closed = 1;
    r.balls = 1;
    r.every = k%4 > 1;
    grid_scene s = scene_new(&r);
    scene_problem(&s, &r);
    long double sum = 0.0L, size = 0.0L;
    for (int32_t h = 0; h < s.n; h++) {
      sum += s.b[h];
      size += fabsl((long double)s.b[h]);
    }
    assert_true(fabsl(sum) <= 1e-9L*size);   // nothing flows through walls
    const int kind = k%3;
    for (int32_t h = 0; h < s.n; h++)
      if (kind > 0 && s.type[h] == PERP_CELL_LIQUID)
        s.b[h] += (kind == 1 ? 1.0 : -1.0)*(double)size/s.n;
    double *u = malloc((size_t)s.n*sizeof *u);
    perp_options options = perp_default_options(perp_find_method(methods[k/6]));
    options.farkas = u;
    const perp_result result = solve_with(&s.problem, s.x, &options);
    if (kind == 2) {
      assert_int_equal(result.status, PERP_STATUS_INFEASIBLE);
      assert_true(result.radius == INF);
      perp_farkas farkas;
      assert_int_equal(perp_check_farkas(&s.problem, u, &farkas), PERP_OK);
      assert_true(farkas.proven);
      for (int32_t h = 0; h < s.n; h++) assert_true(u[h] == (s.type[h] == PERP_CELL_LIQUID));
    } else {
      assert_int_equal(result.status, PERP_STATUS_SOLVED);
      assert_true(failure(&s, s.x) <= 2e-7);
    }
    free(u);
    scene_free(&s);
  }
}

// Same bits at any number of threads.
static void threads_do_not_matter(void **state) {
  (void)state;
  static const char *const methods[] = {"active_set", "multigrid"};
  for (int k = 0; k < 4; k++) {
    grid_recipe r = usual(k%2 ? 34 : 200, k%2 ? 3 : 2, 60 + (uint64_t)k);
    r.every = k/2;
    grid_scene s = scene_new(&r);
    scene_problem(&s, &r);
    double *first = calloc((size_t)s.n, sizeof *first);
    for (int32_t threads = 1; threads <= 4; threads *= 2) {
      perp_options options = perp_default_options(perp_find_method(methods[k/2]));
      options.threads = threads;
      memset(s.x, 0, (size_t)s.n*sizeof *s.x);
      assert_int_equal(solve_with(&s.problem, s.x, &options).status, PERP_STATUS_SOLVED);
      if (threads == 1) memcpy(first, s.x, (size_t)s.n*sizeof *first);
      else assert_memory_equal(first, s.x, (size_t)s.n*sizeof *first);
    }
    free(first);
    scene_free(&s);
  }
}

static int after_a_few(void *context, const perp_statistics *statistics) {
  return statistics->iteration >= *(int *)context;
}

static double ticking(void *context) { return *(double *)context += 1e-3; }

// Whatever ends it, x is within its bounds and no worse than the guess.
static void limits_are_kept(void **state) {
  (void)state;
  grid_recipe r = usual(64, 2, 21);
  r.every = 1;
  grid_scene s = scene_new(&r);
  scene_problem(&s, &r);
  for (int k = 0; k < 40; k++) {
    perp_options options = perp_default_options(perp_find_method(k%2 ? "multigrid" : "active_set"));
    int few = k/4 + 1;
    double now = 0.0;
    if (k%4 < 2) {
      options.on_iteration = after_a_few;
      options.context = &few;
    } else {
      options.clock = ticking;
      options.clock_context = &now;
      options.time_limit = 2e-3*(k + 1);
    }
    for (int32_t h = 0; h < s.n; h++) s.x[h] = s.type[h] == PERP_CELL_LIQUID ? 0.01 : 0.0;
    const double guess = certify(&s.problem, s.x).residual;
    const perp_result result = solve_with(&s.problem, s.x, &options);
    for (int32_t h = 0; h < s.n; h++) assert_true(s.x[h] >= s.lo[h] && s.x[h] <= s.hi[h]);
    assert_true(result.status == PERP_STATUS_SOLVED || result.status == PERP_STATUS_STOPPED ||
                result.status == PERP_STATUS_TIME_LIMIT);
    assert_true(certify(&s.problem, s.x).residual <= guess);
  }
  scene_free(&s);
}

// Drops of very different size and strength beside each other: each is judged by its own.
static void components_have_units_of_their_own(void **state) {
  (void)state;
  enum { N = 40 };
  uint8_t type[N*N];
  double b[N*N], x[N*N] = {0};
  memset(type, PERP_CELL_AIR, sizeof type);
  for (int32_t h = 0; h < N*N; h++) {
    const int32_t i = h%N, j = h/N;
    if (i%10 == 9 || j%10 == 9) continue;
    type[h] = PERP_CELL_LIQUID;
  }
  for (int32_t h = 0; h < N*N; h++) {
    const int drop = h%N/10 + 4*(h/N/10);
    b[h] = type[h] == PERP_CELL_LIQUID ? ldexp(sin(h) - 0.2, 12*drop - 90) : 0.0;
  }
  const perp_grid grid = {.cells = {N, N, 1}, .spacing = {0.1, 0.1, 0.1}, .type = type};
  const perp_problem problem = {.A = perp_from_grid(&grid, 0), .b = b};
  const perp_result result = solve(&problem, x, "active_set");
  assert_int_equal(result.status, PERP_STATUS_SOLVED);
  assert_in_range(result.iterations, 1, 12);
  for (int32_t h = 0; h < N*N; h++) {
    if (type[h] != PERP_CELL_LIQUID) continue;
    const double size = ldexp(1.0, 12*(h%N/10 + 4*(h/N/10)) - 90), y = (double)flow(&grid, b, x, h);
    assert_true(x[h] >= 0.0 && fabs(fmin(400.0*x[h], y)) <= 1e-6*size);
  }
}

typedef struct watcher { int32_t calls, last, stop; double residual; } watcher;
static int watch(void *context, const perp_statistics *now) {
  watcher *w = context;
  assert_int_equal(now->iteration, ++w->last);   // none is left out
  assert_true(now->residual <= 1.0001*w->residual || w->calls < 2);
  w->residual = now->residual;
  w->calls++;
  return w->last == w->stop;
}

// Newton steps that look at few cells only, at walls or at the edge of the free ones, are steps like
// others: counted, told, stopped; and whether somebody listens does not matter.
static void steps_in_between_are_told(void **state) {
  (void)state;
  for (int k = 0; k < 8; k++) {
    grid_recipe r = usual(k%4 < 2 ? 96 : 24, k%4 < 2 ? 2 : 3, 300 + (uint64_t)k%4);
    r.ceiling = 1;
    r.every = k/4;
    grid_scene s = scene_new(&r);
    scene_problem(&s, &r);
    const size_t bytes = (size_t)s.n*sizeof *s.x;
    double *x = malloc(bytes);
    memset(s.x, 0, bytes);
    const perp_result alone = solve(&s.problem, s.x, "active_set");
    assert_int_equal(alone.status, PERP_STATUS_SOLVED);
    assert_true(failure(&s, s.x) <= 1e-7);
    watcher w = {.residual = INF};
    perp_options options = perp_default_options(perp_find_method("active_set"));
    options.on_iteration = watch;
    options.context = &w;
    memset(x, 0, bytes);
    assert_int_equal(solve_with(&s.problem, x, &options).status, PERP_STATUS_SOLVED);
    assert_int_equal(w.calls, alone.iterations);
    assert_memory_equal(x, s.x, bytes);
    for (int32_t limit = 1; limit < alone.iterations; limit++) {
      w = (watcher){.residual = INF, .stop = limit};
      memset(x, 0, bytes);
      perp_result result = solve_with(&s.problem, x, &options);
      // x, which ends the step at which it was asked, is certified all the same
      if (failure(&s, x) > 1e-7) assert_int_equal(result.status, PERP_STATUS_STOPPED);
      assert_in_range(result.iterations, limit, limit + 1);
      assert_int_equal(w.calls, limit);
      perp_options brief = perp_default_options(perp_find_method("active_set"));
      brief.iteration_limit = limit;
      memset(x, 0, bytes);
      result = solve_with(&s.problem, x, &brief);
      assert_int_equal(result.status, PERP_STATUS_ITERATION_LIMIT);
      assert_int_equal(result.iterations, limit);
      if (limit > 1) assert_true(failure(&s, x) < 0.5);   // x is that of the last step
    }
    free(x);
    scene_free(&s);
  }
}

// Labels by x - y/D; x moves to the bounds, y of the others follows; ties stay what they were.
static void labels_follow_the_map(void **state) {
  (void)state;
  enum { N = 12, CELLS = N*N };
  uint8_t type[CELLS], is_free[CELLS], unknown[CELLS];
  double b[CELLS], lo[CELLS], hi[CELLS], x[CELLS], y[CELLS], d[CELLS], before[CELLS];
  for (int32_t h = 0; h < CELLS; h++) {
    type[h] = h/N == N - 1 ? PERP_CELL_AIR : PERP_CELL_LIQUID;
    unknown[h] = type[h] == PERP_CELL_LIQUID;
    is_free[h] = unknown[h] ? GRID_UNLABELLED : 0;
    lo[h] = 0.0;
    hi[h] = 1.0;
    b[h] = sin(7.0*h);
    before[h] = x[h] = unknown[h] ? 0.5 + 0.9*sin(h) : 0.0;   // some beyond their bounds
  }
  const perp_grid grid = {.cells = {N, N, 1}, .spacing = {1.0, 1.0, 1.0}, .type = type};
  perp_run run = {0};
  grid_labels part[1];
  const grid_solver g = {.run = &run, .grid = &grid, .parts = part};
  grid_stage s = {.n = CELLS, .unknown = unknown, .b = b, .lo = lo, .hi = hi, .x = x, .y = y,
                  .d = d, .is_free = is_free};
  const grid_labels labels = grid_label(&g, &s);
  int bound = 0, moved = 0;
  for (int32_t h = 0; h < CELLS; h++) {
    if (!unknown[h]) continue;
    const int sides = 4 - (h%N == 0) - (h%N == N - 1) - (h/N == 0);
    const double z = before[h] - (double)flow(&grid, b, before, h)/sides;
    assert_int_equal(is_free[h], z > 0.0 && z < 1.0);
    assert_true(x[h] == (z <= 0.0 ? 0.0 : z >= 1.0 ? 1.0 : before[h]));
    if (is_free[h]) assert_true(fabsl(y[h] - flow(&grid, b, x, h)) <= 1e-14L);
    bound += !is_free[h];
    moved += x[h] != before[h];
  }
  assert_true(bound > 20 && bound < CELLS - 20 && moved > 10);
  assert_int_equal(labels.moved, moved);
  for (int was = 0; was < 2; was++) {   // x = y = 0
    for (int32_t h = 0; h < CELLS; h++) {
      x[h] = b[h] = 0.0;
      is_free[h] = (uint8_t)(was && unknown[h]);
    }
    assert_int_equal(grid_label(&g, &s).changed, 0);
  }
}

// The same pool in other units is the same problem, be it that products of two numbers are 0 there.
static void units_do_not_matter(void **state) {
  (void)state;
  enum { N = 24 };
  static const char *const methods[] = {"active_set", "multigrid"};
  uint8_t type[N*N];
  double b[N*N], x[2][N*N];
  for (int32_t h = 0; h < N*N; h++)
    type[h] = h/N > 18 ? PERP_CELL_AIR : PERP_CELL_LIQUID;
  const perp_grid grid = {.cells = {N, N, 1}, .spacing = {1.0, 1.0, 1.0}, .type = type};
  double lo[N*N], hi[N*N];
  assert_int_equal(perp_grid_bounds(&grid, 0, lo, hi), PERP_OK);
  const perp_problem problem = {.A = perp_from_grid(&grid, 0), .b = b, .lo = lo, .hi = hi};
  for (int m = 0; m < 2; m++)
    for (int tiny = 0; tiny < 2; tiny++) {
      for (int32_t h = 0; h < N*N; h++) {
        b[h] = type[h] == PERP_CELL_LIQUID ? ldexp(sin(h) - 0.2, tiny ? -900 : 0) : 0.0;
        x[tiny][h] = 0.0;
      }
      assert_int_equal(solve(&problem, x[tiny], methods[m]).status, PERP_STATUS_SOLVED);
      for (int32_t h = 0; tiny && h < N*N; h++)
        assert_true(fabs(ldexp(x[1][h], 900) - x[0][h]) <= 1e-6);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(scenes_agree_with_pivots),
    cmocka_unit_test(work_is_that_of_a_linear_solve),
    cmocka_unit_test(warm_starts),
    cmocka_unit_test(kept_solvers_are_like_new_ones),
    cmocka_unit_test(batches_of_grids),
    cmocka_unit_test(bearings),
    cmocka_unit_test(hemisphere_converges_at_second_order),
    cmocka_unit_test(closed_tanks),
    cmocka_unit_test(threads_do_not_matter),
    cmocka_unit_test(limits_are_kept),
    cmocka_unit_test(steps_in_between_are_told),
    cmocka_unit_test(components_have_units_of_their_own),
    cmocka_unit_test(labels_follow_the_map),
    cmocka_unit_test(units_do_not_matter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
