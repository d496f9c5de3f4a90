// ablation.c: a fixed set of problems, solved one after the other. scripts/ablate runs this program
// again and again, each time with one constant of the library changed.
//
//   ablation [--repeat] [--only FILE] [--limit WORK] [FOLDER]
//     --repeat  short solves are repeated, for a time that can be compared: where work is time
//     --only    the items to solve: FILE has their names, one a line
//     --limit   end with code 3 after this much work in solves
//     FOLDER    problems as Matrix Market files, each in a folder of its own
//
// Prints a line per item: name, 1 if solved, its work (work.h; the least of several solves), and a
// hash of x. An item is a problem with a method, or the first steps of a scene. Everything runs in
// one thread, so counted work is the same to the digit in every run.
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/batch.h>

#include "bench.h"
#include "liquid.h"
#include "mtx.h"
#include "qp_problems.h"
#include "scene.h"
#include "work.h"

#define SECONDS_MAX 0.1          // of one solve, by work_seconds(); a longer one counts as unsolved
#define REPEAT_WORK_MAX 20000000 // a shorter solve is repeated, for a time that can be compared
#define REPEATS 5
#define STEPS 12                 // of a scene of bodies
#define LIQUID_STEPS 3
#define LIMIT_OVERRUN_MAX 1.25   // time of a solve over its limit: more is too late
#define SCENE_WORK_MAX 2000000000

// scripts/ablate defines it where it asks which constants an item reads: called after each item
__attribute__((weak)) void ablated_tell(const char *item);

static int repeats = 1;
static char *wanted = NULL;      // "\nname\nname\n"; NULL: all items

static void read_wanted(const char *path) {
  FILE *file = fopen(path, "r");
  size_t length = 1;
  if (file == NULL) {
    perror(path);
    exit(2);
  }
  wanted = bench_take(1 << 20, 1);
  wanted[0] = '\n';
  length += fread(wanted + 1, 1, (1 << 20) - 2, file);
  wanted[length] = '\0';
  fclose(file);
}

static int is_wanted(const char *what, const char *how) {
  char line[300];
  snprintf(line, sizeof line, "\n%s %s\n", what, how);
  return wanted == NULL || strstr(wanted, line) != NULL;
}

// Whether any item of this problem is wanted: else nobody needs to make it.
static int some_wanted(const char *what) {
  char begin[300];
  snprintf(begin, sizeof begin, "\n%s ", what);
  return wanted == NULL || strstr(wanted, begin) != NULL;
}

static uint64_t work_left = UINT64_MAX;   // of --limit, for items: making problems is free

static uint64_t begin_item(void) {
  const uint64_t now = work_done();
  work_stop_at(work_left < UINT64_MAX - now ? now + work_left : UINT64_MAX);
  return now;
}

// since begin_item()
static uint64_t end_item(uint64_t start) {
  const uint64_t work = work_done() - start;
  work_stop_at(UINT64_MAX);
  if (work_left < UINT64_MAX) work_left -= work < work_left ? work : work_left;
  return work;
}

static void report(const char *what, const char *how, int solved, uint64_t work, uint64_t hash) {
  char item[300];
  snprintf(item, sizeof item, "%s %s", what, how);
  printf("%s\t%d\t%llu\t%016llx\n", item, solved, (unsigned long long)work,
         (unsigned long long)hash);
  fflush(stdout);   // --limit and crashes keep the lines before them
  if (ablated_tell != NULL) ablated_tell(item);
}

static uint64_t least_of(uint64_t a, uint64_t b) { return a < b ? a : b; }

// What a certificate holds for: a solution, or that there is none.
static int is_answer(perp_status status) {
  return status == PERP_STATUS_SOLVED || status == PERP_STATUS_INFEASIBLE ||
         status == PERP_STATUS_NO_SMALL_SOLUTION;
}

static uint64_t hash_of(uint64_t hash, const void *data, size_t bytes) {   // FNV-1a
  const unsigned char *byte = data;
  for (size_t i = 0; i < bytes; i++) hash = (hash ^ byte[i])*UINT64_C(0x100000001b3);
  return hash;
}

// how: the method's name, and the option that differs from its defaults, if any
static void solve_with(const char *what, const char *how, const perp_problem *p, perp_options o) {
  if (!is_wanted(what, how)) return;
  double *x = bench_take((size_t)p->A.n, sizeof *x);
  uint64_t hash = 0, least = UINT64_MAX;
  int solved = 1;
  o.time_limit = SECONDS_MAX;
  o.clock = work_seconds;
  for (int k = 0; k < repeats && (k == 0 || least < REPEAT_WORK_MAX); k++) {
    perp_result r = {.status = PERP_STATUS_UNSOLVED};
    memset(x, 0, (size_t)p->A.n*sizeof *x);
    const uint64_t start = begin_item();
    if (perp_solve_once(p, x, &o, &r) != PERP_OK) r.status = PERP_STATUS_UNSOLVED;
    least = least_of(least, end_item(start));
    solved &= is_answer(r.status);
    hash = hash_of((uint64_t)r.iterations + ((uint64_t)r.status << 32), x,
                   (size_t)p->A.n*sizeof *x);
  }
  free(x);
  report(what, how, solved, least, hash);
}

static void solve(const char *what, const perp_problem *p, const perp_method *m) {
  solve_with(what, m->name, p, perp_default_options(m));
}

// By a method with each of its choices in turn, the first of which is the default.
static void solve_by_choices(const char *what, const perp_problem *p, const perp_method *m) {
  for (int32_t k = 0; k < m->parameter_count; k++) {
    const perp_parameter *q = &m->parameters[k];
    const char *rest = q->choices;
    while (rest != NULL && *rest != '\0') {
      const size_t length = strcspn(rest, "|");
      char choice[60], how[150];
      snprintf(choice, sizeof choice, "%.*s", (int)length, rest);
      snprintf(how, sizeof how, "%s %s=%s", m->name, q->name, choice);
      perp_options o = perp_default_options(m);
      if (perp_set_option(&o, q->name, choice) == PERP_OK) solve_with(what, how, p, o);
      rest += length + (rest[length] == '|');
    }
  }
}

static void solve_by_all(const char *what, const perp_problem *p) {
  for (int32_t k = 0; k < perp_method_count(); k++) {
    const perp_method *m = perp_method_at(k);
    if (perp_method_accepts(m, p) == PERP_OK) solve(what, p, m);
  }
}

static void gallery(void) {
  for (int32_t k = 0; k < perp_family_count(); k++) {
    perp_sample sample;
    if (!some_wanted(perp_family_at(k)->name)) continue;
    if (perp_generate(perp_family_at(k), NULL, 1, &sample) != PERP_OK) continue;
    solve_by_all(perp_family_at(k)->name, &sample.problem);
    perp_sample_free(&sample);
  }
}

// Linear solvers, orders of sweeps and whatever else a method lets its user choose.
static void choices(void) {
  static const char *const problems[][2] = {
    {"fluid2d", "size=24"}, {"p-matrix", "n=60"}, {"dense-pd", "n=60"},
    {"wall", "mode=0 bodies=40"}, {"mixed", "n=200"}, {"friction", "bodies=8"}};
  for (size_t k = 0; k < sizeof problems/sizeof problems[0]; k++) {
    perp_sample sample;
    if (!some_wanted(problems[k][0])) continue;
    bench_generate(problems[k][0], problems[k][1], &sample);
    for (int32_t m = 0; m < perp_method_count(); m++) {
      const perp_method *method = perp_method_at(m);
      if (perp_method_accepts(method, &sample.problem) == PERP_OK) {
        solve_by_choices(problems[k][0], &sample.problem, method);
      }
    }
    perp_sample_free(&sample);
  }
}

// Pressure on grids of cells, and by the entries of the same matrix.
static void grids(void) {
  static const int32_t places[][3] = {{2, 24, 0}, {2, 100, 0}, {2, 100, 1},
                                      {3, 12, 0}, {3, 28, 0}, {3, 28, 1}};
  for (size_t k = 0; k < sizeof places/sizeof places[0]; k++) {
    liquid l;
    char name[80], by_entries[80];
    const int every = places[k][2];
    snprintf(name, sizeof name, "liquid %d^%d%s", places[k][1], places[k][0],
             every ? " every" : "");
    snprintf(by_entries, sizeof by_entries, "liquid by entries %d^%d%s", places[k][1], places[k][0],
             every ? " every" : "");
    if (!some_wanted(name) && !some_wanted(by_entries)) continue;
    liquid_make(places[k][0], places[k][1], 1, &l);
    const perp_problem grid = {.A = perp_from_grid(&l.grid, PERP_CLAIM_NONE), .b = l.divergence,
                               .lo = every ? l.every : l.walls, .hi = l.hi};
    solve_by_all(name, &grid);
    const perp_problem sparse = {.A = perp_from_csc(&l.A, PERP_CLAIM_SYMMETRIC), .b = l.b,
                                 .lo = every ? NULL : l.lo};
    solve(by_entries, &sparse, perp_find_method("auto"));
    solve(by_entries, &sparse, perp_find_method("active_set"));
    liquid_free(&l);
  }
}

// Many small dense problems on one solver.
static void batches(void) {
  enum { PROBLEMS = 64 };
  static const char *const sizes[] = {"n=3", "n=4", "n=8", "n=12", "n=24"};
  for (size_t k = 0; k < sizeof sizes/sizeof sizes[0]; k++) {
    if (!is_wanted("batch", sizes[k])) continue;
    perp_sample sample[PROBLEMS];
    perp_problem p[PROBLEMS];
    double *x[PROBLEMS];
    perp_brief brief[PROBLEMS];
    perp_solver *solver = NULL;
    uint64_t hash = 0, least = UINT64_MAX;
    int solved = 1;
    for (int i = 0; i < PROBLEMS; i++) {
      bench_generate_seed("dense-pd", sizes[k], (uint64_t)i + 1, &sample[i]);
      p[i] = sample[i].problem;
      x[i] = bench_take((size_t)p[i].A.n, sizeof *x[i]);
    }
    const perp_options o = perp_default_options(perp_find_method("auto"));
    perp_limits limits = perp_limits_of(&p[0]);
    if (perp_solver_create(perp_find_method("auto"), &limits, &o, NULL, &solver) != PERP_OK) {
      exit(2);
    }
    for (int repeat = 0; repeat < repeats; repeat++) {
      for (int i = 0; i < PROBLEMS; i++) memset(x[i], 0, (size_t)p[i].A.n*sizeof *x[i]);
      const uint64_t start = begin_item();
      if (perp_solve_batch_brief(solver, p, PROBLEMS, x, brief) != PERP_OK) solved = 0;
      least = least_of(least, end_item(start));
    }
    for (int i = 0; i < PROBLEMS; i++) {
      solved &= brief[i].status == PERP_STATUS_SOLVED;
      hash = hash_of(hash, x[i], (size_t)p[i].A.n*sizeof *x[i]);
      free(x[i]);
      perp_sample_free(&sample[i]);
    }
    perp_solver_destroy(solver);
    report("batch", sizes[k], solved, least, hash);
  }
}

// Of the size at which factors, multigrid and the choice between them show.
static void larger(void) {
  static const char *const problems[][2] = {
    {"obstacle", "size=127"}, {"fluid2d", "size=128"}, {"fluid3d", "size=20"},
    {"bearing", "nx=100 ny=100"},
    {"torsion", "nx=100 ny=100"}, {"wall", "mode=0 bodies=300 points=6 speed=50"},
    {"wall", "mode=1 bodies=200"}, {"wall", "mode=0 bodies=900 points=8"}, {"bricks", "bodies=100"},
    {"mixed", "n=2000"}, {"dense-pd", "n=300"},
    {"friction", "bodies=30"}, {"p-matrix", "n=200"}};
  for (size_t k = 0; k < sizeof problems/sizeof problems[0]; k++) {
    perp_sample sample;
    char name[100];
    snprintf(name, sizeof name, "%s(%s)", problems[k][0], problems[k][1]);
    if (!some_wanted(name)) continue;
    bench_generate(problems[k][0], problems[k][1], &sample);
    solve(name, &sample.problem, perp_find_method("auto"));
    perp_sample_free(&sample);
  }
}

// A by its bodies instead of by its entries, by every method.
static void by_bodies(void) {
  static const char *const problems[][2] = {
    {"wall", "mode=0 bodies=40"}, {"wall", "mode=0 bodies=147 speed=50"},
    {"wall", "mode=1 bodies=46"}, {"wall", "mode=0 points=6 speed=50 bodies=92"},
    {"friction", "bodies=15"}, {"bricks", "preset=4"}, {"bricks", "bodies=60"}};
  for (size_t k = 0; k < sizeof problems/sizeof problems[0]; k++) {
    perp_sample sample;
    char name[120];
    snprintf(name, sizeof name, "%s(%s) by bodies", problems[k][0], problems[k][1]);
    if (!some_wanted(name)) continue;
    bench_generate(problems[k][0], problems[k][1], &sample);
    perp_problem p = sample.problem;
    if (sample.product_rowptr != NULL) {
      p.A = perp_from_product(&sample.product, p.A.claims);
      solve_by_all(name, &p);
    }
    perp_sample_free(&sample);
  }
}

// Interior points, active sets and what auto makes of them, where guesses are far off.
static void walls(void) {
  static const char *const problems[][2] = {
    {"wall", "mode=0 bodies=147 speed=50"},
    {"wall", "mode=0 bodies=147 points=6 condition=1e8 speed=20"}, {"wall", "mode=1 bodies=100"},
    {"bricks", "preset=4"}, {"obstacle", "size=64"},
    {"obstacle", "size=90"}};
  static const char *const methods[] = {"auto", "active_set", "interior_point"};
  for (size_t k = 0; k < sizeof problems/sizeof problems[0]; k++) {
    perp_sample sample;
    char name[120];
    snprintf(name, sizeof name, "%s(%s)", problems[k][0], problems[k][1]);
    if (!some_wanted(name)) continue;
    bench_generate(problems[k][0], problems[k][1], &sample);
    for (size_t m = 0; m < sizeof methods/sizeof methods[0]; m++) {
      if (perp_method_accepts(perp_find_method(methods[m]), &sample.problem) == PERP_OK) {
        solve(name, &sample.problem, perp_find_method(methods[m]));
      }
    }
    perp_sample_free(&sample);
  }
}

// An item's name says how many classes are known: with fewer, that item is missing, and so lost.
static const char *name_classes(int known, char name[40]) {
  snprintf(name, 40, "%d classes", known);
  return name;
}

static int classes_wanted(const char *what) {
  char name[40];
  int found = 0;
  for (int k = 0; k <= PERP_CLASS_COUNT; k++) found |= is_wanted(what, name_classes(k, name));
  return found;
}

// Solves that a limit of time ends. Instead of the work, the column has the residual that remains:
// 5 % more are a residual two to six times as large. A solve is lost if it overruns its limit.
static void solve_within(const char *what, const char *how, double seconds, const perp_problem *p,
                         const perp_method *m) {
  double *x = bench_take((size_t)p->A.n, sizeof *x);
  perp_options o = perp_default_options(m);
  perp_result r = {.status = PERP_STATUS_UNSOLVED};
  o.time_limit = seconds;
  o.clock = work_seconds;
  const uint64_t start = begin_item();
  const double before = work_seconds(NULL);
  const int ended = perp_solve_once(p, x, &o, &r) == PERP_OK;
  const int kept = work_seconds(NULL) - before < LIMIT_OVERRUN_MAX*seconds;
  end_item(start);
  const double residual = fmax(fmin(r.certificate.residual, 1e3), 1e-16);   // NaN: 1e3
  report(what, how, ended && kept, (uint64_t)(1e6*(16.0 + log10(residual))),
         hash_of((uint64_t)r.iterations, x, (size_t)p->A.n*sizeof *x));
  free(x);
}

static void limits(void) {
  static const char *const problems[][2] = {
    {"obstacle", "size=64"}, {"fluid2d", "size=64"}, {"fluid3d", "size=12"},
    {"bearing", "nx=60 ny=60"}, {"wall", "mode=0 bodies=147 speed=50"},
    {"wall", "mode=1 bodies=60"},
    {"friction", "bodies=30"}, {"bricks", "preset=4"}, {"mixed", "n=1000"}, {"dense-pd", "n=200"},
    {"p-matrix", "n=150"}};
  static const char *const methods[] = {"auto", "active_set", "interior_point", "pgs", "pgs_sm",
                                        "minmap_newton", "contact_sweep", "multigrid"};
  static const double seconds[] = {2e-3, 8e-3, 3e-2};
  for (size_t k = 0; k < sizeof problems/sizeof problems[0]; k++) {
    perp_sample sample;
    char name[120], how[80];
    snprintf(name, sizeof name, "%s(%s) within", problems[k][0], problems[k][1]);
    if (!some_wanted(name)) continue;
    bench_generate(problems[k][0], problems[k][1], &sample);
    for (size_t m = 0; m < sizeof methods/sizeof methods[0]; m++) {
      const perp_method *method = perp_find_method(methods[m]);
      if (perp_method_accepts(method, &sample.problem) != PERP_OK) continue;
      for (size_t t = 0; t < sizeof seconds/sizeof seconds[0]; t++) {
        snprintf(how, sizeof how, "%g ms %s", 1e3*seconds[t], method->name);
        if (is_wanted(name, how)) solve_within(name, how, seconds[t], &sample.problem, method);
      }
    }
    perp_sample_free(&sample);
  }
}

// Convex quadratic programs with equations and bounds: saddle points.
static void quadratic_programs(void) {
  enum { SIZE_MAX_HERE = 400, SIDE_MAX = 20, ROWS_MAX = 3000 };
  static const char *const methods[] = {"auto", "interior_point", "active_set"};
  for (int32_t k = 0; k < qp_family_count; k++) {
    const qp_family *f = &qp_families[k];
    const int32_t most = strncmp(f->name, "AUG2D", 5) == 0 ? SIDE_MAX : SIZE_MAX_HERE;
    qp_complementarity c;
    if (!some_wanted(f->name)) continue;
    qp_problem qp = qp_make(f, f->size < most ? f->size : most);
    qp_complementarity_make(&c, &qp);
    for (size_t m = 0; c.n <= ROWS_MAX && m < sizeof methods/sizeof methods[0]; m++) {
      if (perp_method_accepts(perp_find_method(methods[m]), &c.problem) == PERP_OK) {
        solve(f->name, &c.problem, perp_find_method(methods[m]));
      }
    }
    qp_complementarity_free(&c);
    qp_free(&qp);
  }
}

// Classes of A, a bound of the error and a proof: solved means as much as without a change.
static void analyse(const char *what, const perp_problem *p) {
  const size_t n = (size_t)p->A.n;
  double *x = bench_take(n, sizeof *x), *lower = bench_take(n, sizeof *x);
  double *upper = bench_take(n, sizeof *x);
  perp_options o = perp_default_options(perp_find_method("auto"));
  perp_result r = {.status = PERP_STATUS_UNSOLVED};
  o.clock = work_seconds;
  o.time_limit = SECONDS_MAX;
  memset(x, 0, n*sizeof *x);
  if (perp_solve_once(p, x, &o, &r) == PERP_OK && r.status == PERP_STATUS_SOLVED) {
    if (classes_wanted(what)) {
      perp_classes c;
      uint64_t hash = 0;
      int known = 0;
      const uint64_t start = begin_item();
      const int ended = perp_classify(p, NULL, &c) == PERP_OK;
      const uint64_t work = end_item(start);
      for (int k = 0; ended && k < PERP_CLASS_COUNT; k++) {
        known += c.of[k].verdict != PERP_UNKNOWN;
        hash = hash_of(hash, &c.of[k].verdict, sizeof c.of[k].verdict);
      }
      char how[40];
      report(what, name_classes(known, how), ended, work, hash);
    }
    if (is_wanted(what, "bound")) {
      perp_bound bound = {0};
      const uint64_t start = begin_item();
      const int ended = perp_error_bound(p, x, NULL, upper, &bound) == PERP_OK;
      const uint64_t work = end_item(start);
      report(what, "bound", ended && bound.known, work,
             hash_of(0, &bound.largest, sizeof bound.largest));
    }
    if (is_wanted(what, "proof")) {
      perp_proof proof = {0};
      const uint64_t start = begin_item();
      const int ended = perp_prove(p, x, NULL, lower, upper, &proof) == PERP_OK;
      const uint64_t work = end_item(start);
      report(what, "proof", ended && proof.proven, work,
             hash_of(0, &proof.width, sizeof proof.width));
    }
  }
  free(x), free(lower), free(upper);
}

static void analyses(void) {
  for (int32_t k = 0; k < perp_family_count(); k++) {
    perp_sample sample;
    if (!some_wanted(perp_family_at(k)->name) ||
        perp_generate(perp_family_at(k), NULL, 1, &sample) != PERP_OK) continue;
    analyse(perp_family_at(k)->name, &sample.problem);
    perp_sample_free(&sample);
  }
}

// Tasks for threads, one after the other.
static void *run_in_turn(void *unused, void (*task)(void *data, int32_t index), void *data,
                         int32_t count) {
  (void)unused;
  for (int32_t k = 0; k < count; k++) task(data, k);
  return NULL;
}
static void nothing_to_finish(void *unused, void *handle) { (void)unused, (void)handle; }

static void threaded(void) {
  static const char *const problems[][3] = {
    {"fluid2d", "size=96", "auto"}, {"fluid2d", "size=64", "psor"}, {"fluid2d", "size=64", "mprgp"},
    {"fluid3d", "size=16", "auto"}, {"wall", "mode=0 bodies=200 points=4", "auto"},
    {"friction", "bodies=30", "auto"}, {"dense-pd", "n=300", "auto"}, {"mixed", "n=1000", "auto"}};
  static const perp_scheduler in_turn = {.workers = 4, .enqueue = run_in_turn,
                                         .finish = nothing_to_finish};
  for (size_t k = 0; k < sizeof problems/sizeof problems[0]; k++) {
    perp_sample sample;
    char how[150];
    const perp_method *m = perp_find_method(problems[k][2]);
    if (m == NULL) continue;
    perp_options o = perp_default_options(m);
    o.threads = 4;
    o.scheduler = &in_turn;
    snprintf(how, sizeof how, "%s %s threads=4", problems[k][1], problems[k][2]);
    if (!is_wanted(problems[k][0], how)) continue;
    bench_generate(problems[k][0], problems[k][1], &sample);
    solve_with(problems[k][0], how, &sample.problem, o);
    perp_sample_free(&sample);
  }
}

static int read(const char *folder, const char *problem, const char *file, unsigned flags,
                mtx_matrix *out) {
  char path[1000];
  snprintf(path, sizeof path, "%s/%s/%s.mtx", folder, problem, file);
  return mtx_read(path, flags, 1, out, NULL, 0) == MTX_OK;
}

static void from_files(const char *folder, const char *name) {
  mtx_matrix A, b, lo, hi;
  const unsigned bounds = MTX_VECTOR | MTX_ALLOW_INFINITE;
  const int has_A = read(folder, name, "A", 0, &A), has_b = read(folder, name, "b", MTX_VECTOR, &b);
  const int has_lo = read(folder, name, "lo", bounds, &lo);
  const int has_hi = read(folder, name, "hi", bounds, &hi);
  if (has_A && has_b) {
    const perp_csc csc = {A.rows, A.columns, A.colptr, A.row, A.value};
    const perp_dense dense = {.n = A.rows, .value = A.value, .by_column = 1};
    const perp_problem p = {.A = A.dense ? perp_from_dense(&dense, 0) : perp_from_csc(&csc, 0),
                            .b = b.value, .lo = has_lo ? lo.value : NULL,
                            .hi = has_hi ? hi.value : NULL};
    solve_by_all(name, &p);
    analyse(name, &p);
  }
  mtx_free(&A), mtx_free(&b), mtx_free(&lo), mtx_free(&hi);
}

// "boxes=5 friction=0.2" -> the scene's parameters, which the caller frees
static double *scene_values(const scene *what, const char *settings) {
  double *values = bench_take((size_t)what->parameter_count, sizeof *values);
  char text[100];
  for (int32_t k = 0; k < what->parameter_count; k++) values[k] = what->parameters[k].initial;
  snprintf(text, sizeof text, "%s", settings);
  for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
    const size_t length = strcspn(word, "=");
    const char *number = word + length + (word[length] == '=');
    word[length] = '\0';
    const int32_t k = scene_parameter(what, word);
    if (k < 0) {
      fprintf(stderr, "%s has no parameter %s\n", what->name, word);
      exit(2);
    }
    values[k] = atof(number);
  }
  return values;
}

// name: of a method, or NULL: as the scene is
static void step_scene(const scene *what, const char *settings, const char *name) {
  char how[200];
  scene_layout layout;
  perp_world *w = NULL;
  snprintf(how, sizeof how, "%s%ssteps%s%s", settings, *settings == '\0' ? "" : " ",
           name == NULL ? "" : " ", name == NULL ? "" : name);
  if (!is_wanted(what->name, how)) return;
  double *values = scene_values(what, settings);
  const int built = scene_build(what, values, 1, &layout) == PERP_OK;
  free(values);
  if (!built) return;
  perp_options o = perp_default_options(name == NULL ? NULL : perp_find_method(name));
  o.clock = work_seconds;
  if (name != NULL) layout.settings.options = &o;
  int unsolved = scene_world(&layout, NULL, &w) != PERP_OK, steps = 0;
  uint64_t hash = 0;
  const uint64_t start = begin_item();
  perp_world_report r;
  while (steps < STEPS && !unsolved && work_done() - start < SCENE_WORK_MAX) {
    unsolved = perp_world_step(w, &r) != PERP_OK || r.unsolved > 0;
    steps++;
    hash = hash_of(hash, &r.dissipated, sizeof r.dissipated);
    hash = hash_of(hash, &r.kinetic, sizeof r.kinetic);
    hash = hash_of(hash, &r.residual, sizeof r.residual);
  }
  report(what->name, how, !unsolved && steps == STEPS, end_item(start), hash);
  perp_world_destroy(w);
  scene_free(&layout);
}

static void scenes(void) {
  static const char *const methods[] = {NULL, "contact_newton", "contact_sweep", "convex_friction",
                                        "active_set", "interior_point"};
  static const char *const piles[][2] = {
    {"stack", "boxes=5"}, {"stack", "boxes=10 friction=0.2"}, {"pyramid", "base=4"},
    {"pyramid", "base=6 friction=0.3"}, {"wall", "bricks=25"}, {"card-house", "levels=1"},
    {"card-house", "levels=2"}, {"heavy-on-light", "boxes=3 ratio=100"},
    {"heavy-on-light", "boxes=4 ratio=30"}, {"hollow-sphere", "spheres=40"},
    {"box", "balls=80 friction=0.3"}, {"arch", "stones=6"}};
  for (int32_t k = 0; k < scene_count(); k++) {
    if (scene_at(k)->build == NULL) continue;
    for (size_t m = 0; m < sizeof methods/sizeof methods[0]; m++) {
      step_scene(scene_at(k), "", methods[m]);
    }
  }
  for (size_t k = 0; k < sizeof piles/sizeof piles[0]; k++) {
    step_scene(scene_find(piles[k][0]), piles[k][1], NULL);
    step_scene(scene_find(piles[k][0]), piles[k][1], "contact_newton");
  }
}

static void liquid_scenes(void) {
  for (int32_t k = 0; k < scene_count(); k++) {
    const scene *what = scene_at(k);
    scene_pool pool;
    perp_fluid *f = NULL;
    if (what->fill == NULL || !is_wanted(what->name, "steps") ||
        scene_fill(what, NULL, 1, &pool) != PERP_OK) continue;
    int unsolved = scene_fluid(&pool, NULL, &f) != PERP_OK, steps = 0;
    uint64_t hash = 0;
    const uint64_t start = begin_item();
    perp_fluid_report r;
    while (steps < LIQUID_STEPS && !unsolved && work_done() - start < SCENE_WORK_MAX) {
      unsolved = perp_fluid_step(f, &r) != PERP_OK || r.unsolved > 0;
      steps++;
      hash = hash_of(hash, &r.kinetic, sizeof r.kinetic);
    }
    report(what->name, "steps", !unsolved && steps == LIQUID_STEPS, end_item(start), hash);
    perp_fluid_destroy(f);
  }
}

int main(int count, char **words) {
  if (count > 1 && strcmp(words[1], "--repeat") == 0) repeats = REPEATS, words++, count--;
  if (count > 2 && strcmp(words[1], "--only") == 0) read_wanted(words[2]), words += 2, count -= 2;
  if (count > 2 && strcmp(words[1], "--limit") == 0) {
    work_left = strtoull(words[2], NULL, 10);
    words += 2, count -= 2;
  }
  gallery();
  choices();
  batches();
  larger();
  by_bodies();
  walls();
  limits();
  quadratic_programs();
  analyses();
  threaded();
  grids();
  scenes();
  liquid_scenes();
  struct dirent **entry = NULL;
  const int entries = count > 1 ? scandir(words[1], &entry, NULL, alphasort) : 0;
  for (int k = 0; k < entries; k++) {
    const char *name = entry[k]->d_name;
    if (name[0] != '.' && some_wanted(name)) from_files(words[1], name);
    free(entry[k]);
  }
  free(entry);
  free(wanted);
  return 0;
}
