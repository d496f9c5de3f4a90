// limits.c: the laws of a time limit by the real clock, over problems of the gallery, contact
// operators and steps of worlds:
//   1. 1.5 times what it takes without a limit gives the answer without one;
//   2. no answer is worse than x = 0, and without restitution no step adds energy;
//   3. more time gives no larger residual, in the median over the seeds;
//   4. a step keeps its limit, or says by how much it does not.
// --cpu-clock: by the processor time of the thread, for a machine that is busy with other things.
#include "limits_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RUNS_SECONDS 20.0   // of a subject and seed at 1.5 times its time, about

const double limits_ladder[RUNGS] = {0.2e-3, 0.5e-3, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3};

static const subject subjects[] = {
  {"wall", "bodies=60", 0, 0},      {"wall", "bodies=220", 0, 0},    {"bricks", "preset=4", 0, 0},
  {"bricks", "preset=8", 0, 0},     {"obstacle", "size=64", 0, 0},   {"obstacle", "size=226", 0, 0},
  {"friction", "bodies=15", 0, 0},  {"friction", "bodies=60", 0, 0}, {"fluid3d", "size=16", 0, 0},
  {"fluid2d", "size=128", 0, 0},    {"dense-pd", "n=300", 0, 0},     {"dense-pd", "n=600", 0, 0},
  {"p-matrix", "n=400", 0, 0},      {"m-matrix", "n=2000", 0, 0},    {"mixed", "n=500", 0, 0},
  {"hollow-sphere", "spheres=100", 60, 1},  {"hollow-sphere", "spheres=1000", 60, 1},
  {"stack", "boxes=50", 2, 1},              {"wall", "bricks=100", 25, 1},
  {"stack", "boxes=50", 2, 0},              {"hollow-sphere", "spheres=100", 60, 0},
  {"box", "balls=100 friction=0.3", 60, 0}, {"wall", "bricks=100", 25, 0},
  {"pyramid", "base=8", 2, 0},              {"card-house", "levels=3", 2, 0},
};

typedef struct example {   // of what broke once, or stands in a document
  const char *what, *name, *settings;
  int32_t steps, operator;
  double limit;
} example;

static const example examples[] = {
  {"perp solve heap", "friction", "", 0, 0, 2e-3},
  {"perp solve demo", "obstacle", "", 0, 0, 50e-3},
  {"100 spheres, contact operator", "hollow-sphere", "spheres=100", 60, 1, 5e-3},
  {"perp run stack --boxes 50", "stack", "boxes=50", 0, 0, 5e-3},
  {"perp run stack --boxes 20", "stack", "boxes=20", 0, 0, 5e-3},
  {"a step with 88,000 contacts", "wall", "bricks=7400", 0, 0, 1e-3},
};

// ---- laws ----

static struct { int64_t cases, violations; } counted[LAWS];
static const char *const law_texts[LAWS] = {
  "the answer without a limit, at 1.5 times its time (99 of 100 are asked for)",
  "no answer worse than x = 0",
  "no step adds energy",
  "the median residual does not grow with the limit",
  "a step says by how much it is late",
};

void limits_count(law of, int64_t cases, int64_t violations) {
  counted[of].cases += cases;
  counted[of].violations += violations;
}

// ---- clock ----

// A look at this clock is a call of the system and takes twenty times as long as one at the real
// clock, so what the looks take is left out.
static double look_seconds;
static int64_t looks;

static double processor_seconds(void *unused) {
  (void)unused;
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9*(double)now.tv_nsec - look_seconds*(double)looks++;
}

static void calibrate(void) {
  enum { LOOKS = 20000 };
  const double begin = processor_seconds(NULL);
  for (int k = 0; k < LOOKS; k++) processor_seconds(NULL);
  look_seconds = (processor_seconds(NULL) - begin)/LOOKS;
  looks = 0;
}

double limits_now(const clockwork *c) { return c->now != NULL ? c->now(NULL) : bench_seconds(); }

perp_options limits_options(const clockwork *c, double limit) {
  perp_options options = perp_default_options(NULL);
  options.clock = c->now;
  options.time_limit = limit;
  return options;
}

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

double limits_median(double *value, int count) {
  qsort(value, (size_t)count, sizeof *value, by_size);
  return 0.5*(value[(count - 1)/2] + value[count/2]);
}

int limits_runs(const clockwork *c, double seconds) {
  const int most = c->quick ? 5 : RUNS/SEEDS;
  const double fit = (c->quick ? 0.2 : 1.0)*RUNS_SECONDS/SEEDS/(1.5*seconds);
  return fit > most ? most : fit < 1.0 ? 1 : (int)fit;
}

// ---- problems ----

// seconds: what perp_solve_once took as its caller sees it
static perp_result solve(const clockwork *c, const perp_problem *p, double limit, double *x,
                         double *seconds) {
  const perp_options options = limits_options(c, limit);
  perp_result result = {0};
  memset(x, 0, (size_t)p->A.n*sizeof *x);
  const double start = limits_now(c);
  if (perp_solve_once(p, x, &options, &result) != PERP_OK) result.status = PERP_STATUS_UNSOLVED;
  *seconds = limits_now(c) - start;
  return result;
}

void limits_problem(const clockwork *c, const perp_problem *p, int seed, tally *t) {
  const size_t bytes = (size_t)p->A.n*sizeof(double);
  double *x = bench_take((size_t)p->A.n, sizeof *x), *free_of = bench_take((size_t)p->A.n, sizeof *x);
  const double zero = bench_residual(p, x);
  double taken[REFERENCES], seconds;
  int references = 0;
  perp_status status = PERP_STATUS_UNSOLVED;
  for (double sum = 0.0; references < REFERENCES && sum < 10.0; sum += seconds) {
    status = solve(c, p, (double)INFINITY, free_of, &seconds).status;
    taken[references++] = seconds;
  }
  const double usual = limits_median(taken, references);
  t->n = p->A.n;
  t->seconds += usual;
  const int runs = limits_runs(c, usual);
  // A machine that others use changes its speed by a third from one second to the next: what a solve
  // takes without a limit is what the last few took.
  for (int k = 0; k < runs; k++) {
    double last[RECENT];
    for (int i = 0; i < RECENT; i++) solve(c, p, (double)INFINITY, x, &last[i]);
    const double now = limits_median(last, RECENT);
    const perp_status with = solve(c, p, 1.5*now, x, &seconds).status;
    const int same = with == status && memcmp(x, free_of, bytes) == 0;
    t->runs++;
    t->same += same;
    limits_count(LAW_SAME, 1, !same);
    solve(c, p, (double)INFINITY, x, &seconds);
    t->held += seconds > 1.5*now;
  }
  for (int k = 0; k < RUNGS; k++) {
    const perp_status with = solve(c, p, limits_ladder[k], x, &seconds).status;
    const double residual = bench_residual(p, x);
    const int worse = !(residual <= zero*(1.0 + 1e-9));
    t->worse += worse;
    limits_count(LAW_NEVER_WORSE, 1, worse);
    t->residual[k][seed] = with == PERP_STATUS_SOLVED ? 0.0 : residual;
    t->late = fmax(t->late, seconds - limits_ladder[k]);
  }
  free(x);
  free(free_of);
}

// ---- tables ----

static void measure(bench_table *out, const clockwork *c, const subject *s, int seeds) {
  static tally t;
  t = (tally){.seeds = seeds};
  for (int seed = 0; seed < seeds; seed++) {
    if (s->steps > 0) {
      limits_scene(c, s, seed, &t);
    } else {
      perp_sample sample;
      bench_generate_seed(s->name, s->settings, (uint64_t)seed + 1, &sample);
      limits_problem(c, &sample.problem, seed, &t);
      perp_sample_free(&sample);
    }
  }
  double median[RUNGS];
  int32_t grew = 0;
  for (int k = 0; k < RUNGS; k++) {
    median[k] = limits_median(t.residual[k], seeds);
    grew += k > 0 && median[k] > median[k - 1]*(1.0 + 1e-6);
  }
  limits_count(LAW_MORE_TIME, RUNGS - 1, grew);
  bench_row(out, "%s %s%s|%d|%.3f|%d of %d|%d|%d|%d|%.2f|%.1e|%.1e|%.1e|%.1e|%.1e|%.1e|%.1e|%.1e",
            s->name, s->settings, s->steps == 0 ? "" : s->operator ? ", operator" : ", steps", t.n,
            1e3*t.seconds/seeds, t.same, t.runs, t.held, t.worse, grew, 1e3*t.late, median[0], median[1],
            median[2], median[3], median[4], median[5], median[6], median[7]);
}

static void show_steps(bench_table *out, const clockwork *c, const example *e) {
  const subject s = {e->name, e->settings, e->steps, 0};
  double without = 0.0, late = 0.0;
  int64_t solved = 0, kept = 0, count = 0, contacts = 0;
  const int64_t steps = e->limit < 2e-3 ? 5 : c->quick ? 100 : 600;
  for (int with = 0; with < 2; with++) {
    if (!with && e->limit < 2e-3) continue;   // without a limit it takes minutes
    perp_world *w = limits_settle(c, &s, 0, with ? e->limit : (double)INFINITY);
    perp_world_report r;
    for (int64_t k = 0; k < steps && perp_world_step(w, &r) == PERP_OK; k++) {
      if (!with) without += r.seconds/(double)steps;
      if (!with) continue;
      count++;
      solved += r.unsolved == 0;
      kept += r.overrun == 0.0;
      late = fmax(late, r.overrun);
      contacts = r.contacts;
    }
    perp_world_destroy(w);
  }
  bench_row(out, "%s|%lld|%.0f|%.3f|%lld of %lld|%lld of %lld|%.2f", e->what, (long long)contacts,
            1e3*e->limit, 1e3*without, (long long)solved, (long long)count, (long long)kept,
            (long long)count, 1e3*late);
}

static void show_problem(bench_table *out, const clockwork *c, const example *e,
                         const perp_problem *p) {
  double *x = bench_take((size_t)p->A.n, sizeof *x), taken[REFERENCES], seconds, late = 0.0;
  const int runs = c->quick ? 20 : RUNS;
  int solved = 0, kept = 0;
  for (int k = 0; k < REFERENCES; k++) solve(c, p, (double)INFINITY, x, &taken[k]);
  for (int k = 0; k < runs; k++) {
    solved += solve(c, p, e->limit, x, &seconds).status == PERP_STATUS_SOLVED;
    kept += seconds <= e->limit;
    late = fmax(late, seconds - e->limit);
  }
  bench_row(out, "%s|%d|%.0f|%.3f|%d of %d|%d of %d|%.2f", e->what, p->A.n, 1e3*e->limit,
            1e3*limits_median(taken, REFERENCES), solved, runs, kept, runs, 1e3*late);
  free(x);
}

static void show(bench_table *out, const clockwork *c, const example *e) {
  if (e->operator) {
    const subject s = {e->name, e->settings, e->steps, 1};
    perp_world *w = limits_settle(c, &s, 1, 1e-6);
    perp_problem p;
    const double *x;
    if (perp_world_step(w, NULL) == PERP_OK && perp_world_problem(w, 0, &p, &x, NULL) == PERP_OK)
      show_problem(out, c, e, &p);
    perp_world_destroy(w);
  } else if (perp_find_family(e->name) != NULL && scene_find(e->name) == NULL) {
    perp_sample sample;
    bench_generate_seed(e->name, e->settings, 0, &sample);
    show_problem(out, c, e, &sample.problem);
    perp_sample_free(&sample);
  } else {
    show_steps(out, c, e);
  }
}

int main(int count, char **words) {
  const bench b = bench_begin(count, words);
  if (b.cpu_clock) calibrate();
  const clockwork c = {b.cpu_clock ? processor_seconds : NULL, b.quick};
  const char *title = b.cpu_clock ? "laws of a time limit, processor time"
                                  : "laws of a time limit, real clock";
  bench_table *t = bench_open(&b, "limits", title,
                              "subject|rows|ms without|same at 1.5|held up|worse|grew|late ms|0.2 ms|0.5|1|"
                              "2|5|10|20|50");
  for (size_t k = 0; k < sizeof subjects/sizeof *subjects; k++) {
    const int bodies = subjects[k].steps > 0;
    if (bodies ? scene_find(subjects[k].name) != NULL : perp_find_family(subjects[k].name) != NULL)
      measure(t, &c, &subjects[k], b.quick ? 2 : SEEDS);
  }
  for (int k = 0; k < LAWS; k++)
    bench_note(t, "%s: %lld violations in %lld cases", law_texts[k],
               (long long)counted[k].violations, (long long)counted[k].cases);
  bench_note(t, "Problems from x = 0 with perp_solve_once, so that A is new each time. ms without: "
                "median, mean over the seeds. same: status and all bits.");
  bench_note(t, "held up: runs without a limit, one after each with a limit, that took 1.5 times as "
                "long as usual: what is not the same so often is the machine's doing.");
  bench_note(t, "Steps are two from a state that was loaded. The last columns are median residuals "
                "over the seeds (0: solved); grew: from how many limits to the next they grew.");
  bench_close(t);
  t = bench_open(&b, "limits-examples", "examples with a time limit",
                 "example|rows or contacts|limit ms|ms without|solved|in time|late ms");
  for (size_t k = 0; k < sizeof examples/sizeof *examples; k++) show(t, &c, &examples[k]);
  bench_close(t);
  return 0;
}
