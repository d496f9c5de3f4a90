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

#include "ablation_item.h"
#include "bench.h"
#include "liquid.h"
#include "mtx.h"
#include "qp_problems.h"
#include "work.h"

#define REPEATS 5
#define LIMIT_OVERRUN_MAX 1.25   // time of a solve over its limit: more is too late

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
      if (perp_set_option(&o, q->name, choice) == PERP_OK) item_solve_with(what, how, p, o);
      rest += length + (rest[length] == '|');
    }
  }
}

static void gallery(void) {
  for (int32_t k = 0; k < perp_family_count(); k++) {
    perp_sample sample;
    if (!items_wanted_of(perp_family_at(k)->name)) continue;
    if (perp_generate(perp_family_at(k), NULL, 1, &sample) != PERP_OK) continue;
    item_solve_by_all(perp_family_at(k)->name, &sample.problem);
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
    if (!items_wanted_of(problems[k][0])) continue;
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
    if (!items_wanted_of(name) && !items_wanted_of(by_entries)) continue;
    liquid_make(places[k][0], places[k][1], 1, &l);
    const perp_problem grid = {.A = perp_from_grid(&l.grid, PERP_CLAIM_NONE), .b = l.divergence,
                               .lo = every ? l.every : l.walls, .hi = l.hi};
    item_solve_by_all(name, &grid);
    const perp_problem sparse = {.A = perp_from_csc(&l.A, PERP_CLAIM_SYMMETRIC), .b = l.b,
                                 .lo = every ? NULL : l.lo};
    item_solve(by_entries, &sparse, perp_find_method("auto"));
    item_solve(by_entries, &sparse, perp_find_method("active_set"));
    liquid_free(&l);
  }
}

// Many small dense problems on one solver.
static void batches(void) {
  enum { PROBLEMS = 64 };
  static const char *const sizes[] = {"n=3", "n=4", "n=8", "n=12", "n=24"};
  for (size_t k = 0; k < sizeof sizes/sizeof sizes[0]; k++) {
    if (!item_is_wanted("batch", sizes[k])) continue;
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
    for (int repeat = 0; repeat < item_repeats; repeat++) {
      for (int i = 0; i < PROBLEMS; i++) memset(x[i], 0, (size_t)p[i].A.n*sizeof *x[i]);
      const uint64_t start = item_begin();
      if (perp_solve_batch_brief(solver, p, PROBLEMS, x, brief) != PERP_OK) solved = 0;
      const uint64_t work = item_end(start);
      if (work < least) least = work;
    }
    for (int i = 0; i < PROBLEMS; i++) {
      solved &= brief[i].status == PERP_STATUS_SOLVED;
      hash = item_hash(hash, x[i], (size_t)p[i].A.n*sizeof *x[i]);
      free(x[i]);
      perp_sample_free(&sample[i]);
    }
    perp_solver_destroy(solver);
    item_report("batch", sizes[k], solved, least, hash);
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
    if (!items_wanted_of(name)) continue;
    bench_generate(problems[k][0], problems[k][1], &sample);
    item_solve(name, &sample.problem, perp_find_method("auto"));
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
    if (!items_wanted_of(name)) continue;
    bench_generate(problems[k][0], problems[k][1], &sample);
    perp_problem p = sample.problem;
    if (sample.product_rowptr != NULL) {
      p.A = perp_from_product(&sample.product, p.A.claims);
      item_solve_by_all(name, &p);
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
    if (!items_wanted_of(name)) continue;
    bench_generate(problems[k][0], problems[k][1], &sample);
    for (size_t m = 0; m < sizeof methods/sizeof methods[0]; m++) {
      if (perp_method_accepts(perp_find_method(methods[m]), &sample.problem) == PERP_OK) {
        item_solve(name, &sample.problem, perp_find_method(methods[m]));
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
  for (int k = 0; k <= PERP_CLASS_COUNT; k++) found |= item_is_wanted(what, name_classes(k, name));
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
  const uint64_t start = item_begin();
  const double before = work_seconds(NULL);
  const int ended = perp_solve_once(p, x, &o, &r) == PERP_OK;
  const int kept = work_seconds(NULL) - before < LIMIT_OVERRUN_MAX*seconds;
  item_end(start);
  const double residual = fmax(fmin(r.certificate.residual, 1e3), 1e-16);   // NaN: 1e3
  item_report(what, how, ended && kept, (uint64_t)(1e6*(16.0 + log10(residual))),
         item_hash((uint64_t)r.iterations, x, (size_t)p->A.n*sizeof *x));
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
    if (!items_wanted_of(name)) continue;
    bench_generate(problems[k][0], problems[k][1], &sample);
    for (size_t m = 0; m < sizeof methods/sizeof methods[0]; m++) {
      const perp_method *method = perp_find_method(methods[m]);
      if (perp_method_accepts(method, &sample.problem) != PERP_OK) continue;
      for (size_t t = 0; t < sizeof seconds/sizeof seconds[0]; t++) {
        snprintf(how, sizeof how, "%g ms %s", 1e3*seconds[t], method->name);
        if (item_is_wanted(name, how)) solve_within(name, how, seconds[t], &sample.problem, method);
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
    if (!items_wanted_of(f->name)) continue;
    qp_problem qp = qp_make(f, f->size < most ? f->size : most);
    qp_complementarity_make(&c, &qp);
    for (size_t m = 0; c.n <= ROWS_MAX && m < sizeof methods/sizeof methods[0]; m++) {
      if (perp_method_accepts(perp_find_method(methods[m]), &c.problem) == PERP_OK) {
        item_solve(f->name, &c.problem, perp_find_method(methods[m]));
      }
    }
    qp_complementarity_free(&c);
    qp_free(&qp);
  }
}

static double uniform(uint64_t *state) {   // in (-1, 1)
  *state = *state*UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*state >> 11)*0x1p-52 - 1.0;
}

// u > 0, A'u <= 0 and b'u < 0: infeasible, which no single row shows.
static void impossible_lcps(void) {
  static const int32_t sizes[] = {5, 8, 12, 16, 22, 30, 40};
  for (size_t k = 0; k < sizeof sizes/sizeof sizes[0]; k++) {
    const int32_t n = sizes[k];
    char name[80];
    snprintf(name, sizeof name, "impossible(n=%d)", n);
    if (!items_wanted_of(name)) continue;
    uint64_t state = (uint64_t)n;
    double *A = bench_take((size_t)n*(size_t)n, sizeof *A), *b = bench_take((size_t)n, sizeof *b);
    double *u = bench_take((size_t)n, sizeof *u), uu = 0.0;
    for (int32_t i = 0; i < n; i++) {
      u[i] = 1.5 + uniform(&state);
      uu += u[i]*u[i];
    }
    for (int32_t j = 0; j <= n; j++) {   // column n: b
      double *column = j < n ? &A[(size_t)j*(size_t)n] : b;
      double sum = j < n ? 1.0 + uniform(&state) : 1.0;
      for (int32_t i = 0; i < n; i++) {
        column[i] = uniform(&state);
        sum += u[i]*column[i];
      }
      for (int32_t i = 0; i < n; i++) column[i] -= u[i]*sum/uu;
    }
    const perp_dense dense = {.n = n, .value = A, .by_column = 1};
    const perp_problem p = {.A = perp_from_dense(&dense, 0), .b = b};
    item_solve(name, &p, perp_find_method("auto"));
    free(A), free(b), free(u);
  }
}

// Quadratic programs with a first row that no v within its bounds satisfies.
static void impossible_programs(void) {
  static const char *const names[] = {"CVXQP1_S", "CVXQP3_S", "CVXQP2_M", "HS118", "HS53", "STCQP1",
                                      "DTOC3", "AUG3DCQP", "YAO", "GENHS28", "HS21", "GOULDQP3"};
  static const char *const methods[] = {"auto", "interior_point"};
  for (size_t k = 0; k < sizeof names/sizeof names[0]; k++) {
    const qp_family *f = qp_find(names[k]);
    char name[80];
    qp_complementarity c;
    snprintf(name, sizeof name, "%s impossible", names[k]);
    if (!items_wanted_of(name)) continue;
    qp_problem qp = qp_make(f, f->size < 200 ? f->size : 200);
    for (int32_t j = 0; j < qp.variables; j++) {
      qp.lo[j] = fmax(qp.lo[j], -100.0);
      qp.hi[j] = fmin(qp.hi[j], 100.0);
    }
    qp.low[0] = qp.high[0] = 1e7;
    qp_complementarity_make(&c, &qp);
    for (size_t m = 0; m < sizeof methods/sizeof methods[0]; m++) {
      item_solve(name, &c.problem, perp_find_method(methods[m]));
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
  o.time_limit = ITEM_SECONDS_MAX;
  memset(x, 0, n*sizeof *x);
  if (perp_solve_once(p, x, &o, &r) == PERP_OK && r.status == PERP_STATUS_SOLVED) {
    if (classes_wanted(what)) {
      perp_classes c;
      uint64_t hash = 0;
      int known = 0;
      const uint64_t start = item_begin();
      const int ended = perp_classify(p, NULL, &c) == PERP_OK;
      const uint64_t work = item_end(start);
      for (int k = 0; ended && k < PERP_CLASS_COUNT; k++) {
        known += c.of[k].verdict != PERP_UNKNOWN;
        hash = item_hash(hash, &c.of[k].verdict, sizeof c.of[k].verdict);
      }
      char how[40];
      item_report(what, name_classes(known, how), ended, work, hash);
    }
    if (item_is_wanted(what, "bound")) {
      perp_bound bound = {0};
      const uint64_t start = item_begin();
      const int ended = perp_error_bound(p, x, NULL, upper, &bound) == PERP_OK;
      const uint64_t work = item_end(start);
      item_report(what, "bound", ended && bound.known, work,
             item_hash(0, &bound.largest, sizeof bound.largest));
    }
    if (item_is_wanted(what, "proof")) {
      perp_proof proof = {0};
      const uint64_t start = item_begin();
      const int ended = perp_prove(p, x, NULL, lower, upper, &proof) == PERP_OK;
      const uint64_t work = item_end(start);
      item_report(what, "proof", ended && proof.proven, work,
             item_hash(0, &proof.width, sizeof proof.width));
    }
  }
  free(x), free(lower), free(upper);
}

static void analyses(void) {
  for (int32_t k = 0; k < perp_family_count(); k++) {
    perp_sample sample;
    if (!items_wanted_of(perp_family_at(k)->name) ||
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
    if (!item_is_wanted(problems[k][0], how)) continue;
    bench_generate(problems[k][0], problems[k][1], &sample);
    item_solve_with(problems[k][0], how, &sample.problem, o);
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
    item_solve_by_all(name, &p);
    analyse(name, &p);
  }
  mtx_free(&A), mtx_free(&b), mtx_free(&lo), mtx_free(&hi);
}

int main(int count, char **words) {
  if (count > 1 && strcmp(words[1], "--repeat") == 0) item_repeats = REPEATS, words++, count--;
  if (count > 2 && strcmp(words[1], "--only") == 0) {
    item_read_wanted(words[2]);
    words += 2, count -= 2;
  }
  if (count > 2 && strcmp(words[1], "--limit") == 0) {
    item_limit(strtoull(words[2], NULL, 10));
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
  impossible_programs();
  impossible_lcps();
  analyses();
  threaded();
  grids();
  ablation_scenes();
  struct dirent **entry = NULL;
  const int entries = count > 1 ? scandir(words[1], &entry, NULL, alphasort) : 0;
  for (int k = 0; k < entries; k++) {
    const char *name = entry[k]->d_name;
    if (name[0] != '.' && items_wanted_of(name)) from_files(words[1], name);
    free(entry[k]);
  }
  free(entry);
  return 0;
}
