// componentwise.c: what the componentwise rule costs. Each problem is solved twice, without the rule
// and with it; scenes likewise, where worlds leave it out unless they are asked: componentwise_tol =
// 1e-2 is the number of the default. "Lost" problems are solved by the first and not by the second.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <perp/contact.h>

#include "bench.h"
#include "scene.h"

#define WITH_RULE 1e-2         // 1e6 times the default tol

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9*(double)now.tv_nsec;
}

typedef struct score {
  int32_t tried, solved, lost, gained, lost_by_auto;
  double seconds[2];           // without the rule, with it
} score;

static int solve(const perp_problem *p, const perp_method *m, double tol, double limit,
                 double *seconds) {
  perp_options o = perp_default_options(m);
  perp_result r = {.status = PERP_STATUS_UNSOLVED};
  double *x = bench_take((size_t)p->A.n, sizeof *x);
  o.componentwise_tol = tol;
  o.time_limit = limit;
  const double start = cpu_seconds();
  if (perp_solve_once(p, x, &o, &r) != PERP_OK) r.status = PERP_STATUS_UNSOLVED;
  *seconds += cpu_seconds() - start;
  free(x);
  return r.status == PERP_STATUS_SOLVED;
}

static void compare(const perp_problem *p, double limit, score *s) {
  for (int32_t k = 0; k < perp_method_count(); k++) {
    const perp_method *m = perp_method_at(k);
    if (perp_method_accepts(m, p) != PERP_OK) continue;
    const int is_auto = strcmp(m->name, "auto") == 0;
    const int first = solve(p, m, (double)INFINITY, limit, &s->seconds[0]);
    const int second = solve(p, m, 0.0, limit, &s->seconds[1]);
    s->tried++;
    s->solved += first;
    s->lost += first && !second;
    s->gained += !first && second;
    s->lost_by_auto += is_auto && first && !second;
  }
}

static void print_score(bench_table *t, const char *what, const score *s) {
  bench_row(t, "%s|%d|%d|%d|%d|%d|%.2f|%.2f", what, s->tried, s->solved, s->lost, s->lost_by_auto,
            s->gained, s->seconds[0], s->seconds[1]);
}

static void gallery(const bench *b) {
  const double limit = b->quick ? 0.3 : 3.0;
  const uint64_t seeds = b->quick ? 1 : 3;
  bench_table *t = bench_open(b, "componentwise",
                              "the componentwise rule: problems of the gallery",
                              "family|solves|solved|lost|lost by auto|gained|s|s with the rule");
  score sum = {0};
  for (int32_t k = 0; k < perp_family_count(); k++) {
    const perp_family *family = perp_family_at(k);
    score s = {0};
    for (uint64_t seed = 1; seed <= seeds; seed++) {
      perp_sample sample;
      if (perp_generate(family, NULL, seed, &sample) != PERP_OK) continue;
      compare(&sample.problem, limit, &s);
      perp_sample_free(&sample);
    }
    print_score(t, family->name, &s);
    sum.tried += s.tried, sum.solved += s.solved, sum.lost += s.lost, sum.gained += s.gained;
    sum.lost_by_auto += s.lost_by_auto;
    for (int i = 0; i < 2; i++) sum.seconds[i] += s.seconds[i];
  }
  print_score(t, "all", &sum);
  bench_note(t, "Every method that takes the problem, default parameters, %g s a solve; processor "
             "time.", limit);
  bench_close(t);
}

typedef struct course {        // of a scene
  int32_t steps, unsolved;
  int64_t iterations;
  double seconds;
} course;

static course run_scene(const scene *what, double tol, int32_t steps, double most) {
  course c = {0};
  scene_layout layout;
  perp_world *w = NULL;
  double values[64];
  for (int32_t k = 0; k < what->parameter_count; k++) values[k] = what->parameters[k].initial;
  if (scene_build(what, values, 1, &layout) != PERP_OK) return c;
  perp_options o = layout.settings.options != NULL ? *layout.settings.options
                                                   : perp_default_options(NULL);
  if (tol > 0.0) o.componentwise_tol = tol;
  layout.settings.options = &o;
  if (scene_world(&layout, NULL, &w) == PERP_OK) {
    const double start = cpu_seconds();
    perp_world_report r;
    while (c.steps < steps && c.seconds < most && perp_world_step(w, &r) == PERP_OK) {
      c.steps++;
      c.unsolved += r.unsolved > 0;
      c.iterations += r.iterations;
      c.seconds = cpu_seconds() - start;
    }
  }
  perp_world_destroy(w);
  scene_free(&layout);
  return c;
}

static void scenes(const bench *b) {
  const int32_t steps = b->quick ? 20 : 120;
  const double most = b->quick ? 2.0 : 20.0;
  bench_table *t = bench_open(b, "componentwise-scenes",
                              "the componentwise rule: steps of scenes",
                              "scene|steps|unsolved|unsolved with the rule|iterations|"
                              "with the rule|s|s with the rule");
  for (int32_t k = 0; k < scene_count(); k++) {
    const scene *what = scene_at(k);
    const course by_default = run_scene(what, 0.0, steps, most);
    if (by_default.steps == 0) continue;   // a liquid
    const course strict = run_scene(what, WITH_RULE, by_default.steps, 10.0*most);
    bench_row(t, "%s|%d|%d|%d of %d|%lld|%lld|%.2f|%.2f", what->name, by_default.steps,
              by_default.unsolved, strict.unsolved, strict.steps, (long long)by_default.iterations,
              (long long)strict.iterations, by_default.seconds, strict.seconds);
  }
  bench_note(t, "Default parameters, seed 1; a step counts as unsolved where one of its islands is. "
             "Processor time.");
  bench_close(t);
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  gallery(&b);
  scenes(&b);
  return 0;
}
