// ablation.c: a fixed set of problems, solved one after the other, for scripts/ablate, which builds
// this program again and again with one constant of the library changed.
//
//   ablation [--skip FILE] [FOLDER]
//     FILE: names of items to leave out, one a line
//     FOLDER: problems as Matrix Market files, each in a folder of its own
//
// Prints a line per item: name, 1 if solved, seconds of processor time (the least of several
// solves), and a hash of x. An item is a problem with a method, or the first steps of a scene.
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "mtx.h"
#include "scene.h"

#define SECONDS_MAX 0.5          // processor time of one solve; a longer one counts as unsolved
#define REPEAT_SECONDS_MAX 0.02  // a shorter solve is repeated, for a time that can be compared
#define REPEATS 5
#define STEPS 12                 // of a scene
#define SCENE_SECONDS_MAX 1.0

static double cpu_seconds(void *unused) {
  (void)unused;
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

static char *skipped = NULL;     // "\nname\nname\n"

static void read_skipped(const char *path) {
  FILE *file = fopen(path, "r");
  size_t length = 1;
  if (file == NULL) {
    perror(path);
    exit(2);
  }
  skipped = bench_take(1 << 20, 1);
  skipped[0] = '\n';
  length += fread(skipped + 1, 1, (1 << 20) - 2, file);
  skipped[length] = '\0';
  fclose(file);
}

static int skips(const char *what, const char *how) {
  char line[300];
  snprintf(line, sizeof line, "\n%s %s\n", what, how);
  return skipped != NULL && strstr(skipped, line) != NULL;
}

static void report(const char *what, const char *how, int solved, double seconds, uint64_t hash) {
  printf("%s %s\t%d\t%.6f\t%016llx\n", what, how, solved, seconds, (unsigned long long)hash);
}

static uint64_t hash_of(uint64_t hash, const void *data, size_t bytes) {   // FNV-1a
  const unsigned char *byte = data;
  for (size_t i = 0; i < bytes; i++) hash = (hash ^ byte[i])*UINT64_C(0x100000001b3);
  return hash;
}

static void solve(const char *what, const perp_problem *p, const perp_method *m) {
  if (skips(what, m->name)) return;
  perp_options o = perp_default_options(m);
  double *x = bench_take((size_t)p->A.n, sizeof *x), least = (double)INFINITY;
  uint64_t hash = 0;
  int solved = 1;
  o.time_limit = SECONDS_MAX;
  o.clock = cpu_seconds;
  for (int k = 0; k < REPEATS && (k == 0 || least < REPEAT_SECONDS_MAX); k++) {
    perp_result r = {.status = PERP_STATUS_UNSOLVED};
    memset(x, 0, (size_t)p->A.n*sizeof *x);
    const double start = cpu_seconds(NULL);
    if (perp_solve_once(p, x, &o, &r) != PERP_OK) r.status = PERP_STATUS_UNSOLVED;
    least = fmin(least, cpu_seconds(NULL) - start);
    solved &= r.status == PERP_STATUS_SOLVED;
    hash = hash_of((uint64_t)r.iterations, x, (size_t)p->A.n*sizeof *x);
  }
  free(x);
  report(what, m->name, solved, least, hash);
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
    if (perp_generate(perp_family_at(k), NULL, 1, &sample) != PERP_OK) continue;
    solve_by_all(perp_family_at(k)->name, &sample.problem);
    perp_sample_free(&sample);
  }
}

// Of the size at which factors, multigrid and the choice between them show.
static void larger(void) {
  static const char *const problems[][2] = {
    {"obstacle", "size=127"}, {"fluid2d", "size=128"}, {"fluid3d", "size=20"}, {"bearing", "nx=100 ny=100"},
    {"torsion", "nx=100 ny=100"}, {"wall", "mode=0 bodies=300 points=6 speed=50"},
    {"wall", "mode=1 bodies=200"}, {"bricks", "bodies=100"}, {"mixed", "n=2000"}, {"dense-pd", "n=300"},
    {"friction", "bodies=30"}, {"p-matrix", "n=200"}};
  for (size_t k = 0; k < sizeof problems/sizeof problems[0]; k++) {
    perp_sample sample;
    char name[100];
    bench_generate(problems[k][0], problems[k][1], &sample);
    snprintf(name, sizeof name, "%s(%s)", problems[k][0], problems[k][1]);
    solve(name, &sample.problem, perp_find_method("auto"));
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
  const int has_lo = read(folder, name, "lo", bounds, &lo), has_hi = read(folder, name, "hi", bounds, &hi);
  if (has_A && has_b) {
    const perp_csc csc = {A.rows, A.columns, A.colptr, A.row, A.value};
    const perp_dense dense = {.n = A.rows, .value = A.value, .by_column = 1};
    const perp_problem p = {.A = A.dense ? perp_from_dense(&dense, 0) : perp_from_csc(&csc, 0),
                            .b = b.value, .lo = has_lo ? lo.value : NULL,
                            .hi = has_hi ? hi.value : NULL};
    solve_by_all(name, &p);
  }
  mtx_free(&A), mtx_free(&b), mtx_free(&lo), mtx_free(&hi);
}

static void scenes(void) {
  for (int32_t k = 0; k < scene_count(); k++) {
    const scene *what = scene_at(k);
    scene_layout layout;
    perp_world *w = NULL;
    if (what->build == NULL || skips(what->name, "steps") ||
        scene_build(what, NULL, 1, &layout) != PERP_OK) continue;
    int unsolved = scene_world(&layout, NULL, &w) != PERP_OK, steps = 0;
    uint64_t hash = 0;
    const double start = cpu_seconds(NULL);
    perp_world_report r;
    while (steps < STEPS && !unsolved && cpu_seconds(NULL) - start < SCENE_SECONDS_MAX) {
      unsolved = perp_world_step(w, &r) != PERP_OK || r.unsolved > 0;
      steps++;
      hash = hash_of(hash, &r.dissipated, sizeof r.dissipated);
    }
    report(what->name, "steps", !unsolved, (cpu_seconds(NULL) - start)/(steps > 0 ? steps : 1),
           hash);
    perp_world_destroy(w);
    scene_free(&layout);
  }
}

int main(int count, char **words) {
  if (count > 2 && strcmp(words[1], "--skip") == 0) {
    read_skipped(words[2]);
    words += 2, count -= 2;
  }
  gallery();
  larger();
  scenes();
  struct dirent **entry = NULL;
  const int entries = count > 1 ? scandir(words[1], &entry, NULL, alphasort) : 0;
  for (int k = 0; k < entries; k++) {
    if (entry[k]->d_name[0] != '.') from_files(words[1], entry[k]->d_name);
    free(entry[k]);
  }
  free(entry);
  free(skipped);
  return 0;
}
