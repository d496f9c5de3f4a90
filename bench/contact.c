// contact.c: rigid bodies in contact: perp, ODE and Bullet on the same scenes, and what the
// impulses of each are worth.
//
// Every engine starts from the bodies that the scene function makes, finds contacts by itself and
// goes its own way. It runs in a process of its own, with a budget of seconds: the steps that fit
// into it are those that are reported. Impulses are judged outside of the clock.
#define _DEFAULT_SOURCE   // MAP_ANONYMOUS

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench.h"
#include "engines.h"
#include "guarded.h"

enum { MOST = 1200, ALL = 1 << 30 };
enum { SLACK = 15 };            // seconds for a step that begins late, and for judging

typedef struct course {           // how a run went; shared with the process that makes it
  int32_t steps;                  // done
  int32_t contacts[MOST], certified[MOST], complaint[MOST];
  double seconds[MOST], solving[MOST];
  double residual[MOST], approach[MOST];
  double unexplained;             // the most
  double drift;                   // of a body from where it began
  guarded_end end;
} course;

typedef struct task {
  const engine *engine;
  const scene_layout *layout;
  int32_t steps;
  double budget;                  // seconds by the clock on the wall, for all steps together
  int judged;
  course *out;
} task;

static double farthest(const scene_layout *layout, const perp_motion *now) {
  double most = 0.0;
  for (int32_t i = 0; i < layout->bodies; i++) {
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
      const double d = now[i].position[k] - layout->body[i].motion.position[k];
      square += d*d;
    }
    most = fmax(most, sqrt(square));
  }
  return most;
}

static void run(void *data, void *answer) {
  const task *t = data;
  const engine *e = t->engine;
  course *out = t->out;
  const size_t bodies = (size_t)t->layout->bodies;
  perp_motion *before = bench_take(bodies, sizeof *before),
              *after = bench_take(bodies, sizeof *after);
  void *world = e->create(t->layout);
  double spent = 0.0;
  for (int32_t k = 0; k < t->steps && spent < t->budget; k++) {
    engine_step step = {0};
    engine_worth worth = {0};
    e->read(world, before);
    const double start = bench_seconds();
    e->step(world, &step);
    spent += bench_seconds() - start;
    e->read(world, after);
    if (t->judged && e->contacts == NULL) {
      engine_judge_perp(world, &worth);
    } else if (t->judged) {
      int32_t count;
      const engine_contact *contact = e->contacts(world, &count);
      engine_judge(t->layout, contact, count, before, after, &worth);
    }
    out->contacts[k] = step.contacts;
    out->certified[k] = step.certified;
    out->complaint[k] = step.complaint;
    out->seconds[k] = step.seconds;
    out->solving[k] = step.solving;
    out->residual[k] = worth.residual;
    out->approach[k] = worth.approach;
    out->unexplained = fmax(out->unexplained, worth.unexplained);
    out->drift = farthest(t->layout, after);
    out->steps = k + 1;
  }
  *(char *)answer = 1;
}

static course *make(const engine *e, const scene_layout *layout, int32_t steps, double budget,
                    int judged) {
  course *out = mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (out == MAP_FAILED) exit(1);
  task t = {e, layout, steps < MOST ? steps : MOST, budget, judged, out};
  char done = 0;
  if (e->create != NULL) out->end = guarded_run(run, &t, &done, 1, budget + SLACK);
  return out;
}

static void drop(course *c) { munmap(c, sizeof *c); }

// ---- statistics of steps first .. last - 1 ----

typedef struct figures {
  int32_t steps, complaints;
  double contacts, mean, median, late, most, solving;   // late: 99 of 100 are shorter
  double certified, residual, worst, approach;          // residual: median; worst, approach: max
} figures;

static int by_size(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static figures figures_of(const course *c, int32_t first, int32_t last) {
  figures f = {0};
  if (last > c->steps) last = c->steps;
  if (first >= last) return f;
  const int32_t n = f.steps = last - first;
  double seconds[MOST], residual[MOST];
  for (int32_t k = 0; k < n; k++) {
    seconds[k] = c->seconds[first + k];
    residual[k] = c->residual[first + k];
    f.contacts += c->contacts[first + k];
    f.mean += seconds[k];
    f.solving += c->solving[first + k];
    f.certified += c->certified[first + k];
    f.complaints += c->complaint[first + k];
    f.approach = fmax(f.approach, c->approach[first + k]);
  }
  qsort(seconds, (size_t)n, sizeof *seconds, by_size);
  qsort(residual, (size_t)n, sizeof *residual, by_size);
  f.contacts /= n;
  f.mean /= n;
  f.solving /= n;
  f.certified *= 100.0/n;
  f.median = seconds[n/2];
  f.late = seconds[(99*n - 1)/100];
  f.most = seconds[n - 1];
  f.residual = residual[n/2];
  f.worst = residual[n - 1];
  return f;
}

static const char *why_none(const engine *e, const course *c) {
  return e->create == NULL            ? "absent"
         : c->end == GUARDED_CRASHED  ? "crashed"
         : c->end == GUARDED_LATE     ? "late"
                                      : "no step in its budget";
}

static void admit(bench_table *t, const char *what, const engine *e, const course *c) {
  if (c->steps > 0 && c->end != GUARDED_DONE)
    bench_note(t, "%s%s: step %d %s, and is not in the table.", what, e->name, (int)c->steps + 1,
               c->end == GUARDED_LATE ? "had not ended when its time was over" : "crashed");
}

// What the reader should know of a run that was judged.
static void remark(bench_table *t, const char *what, const engine *e, const course *c) {
  const figures f = figures_of(c, 0, ALL);
  admit(t, what, e, c);
  if (e == &engine_perp || f.steps == 0) return;
  char more[64] = "";
  if (f.complaints > 0)
    snprintf(more, sizeof more, "; it reports an internal error in %d of %d steps",
             (int)f.complaints, (int)f.steps);
  bench_note(t, "%s%s: its impulses explain its velocities to %.0e m/s%s.", what, e->name,
             c->unexplained, more);
}

static const char *certified_text(const engine *e, const figures *f, char *text) {
  if (e == &engine_perp) snprintf(text, 16, "%.1f", f->certified);
  else snprintf(text, 16, "-");
  return text;
}

// ---- hollow sphere ----

static void hollow(const bench *b) {
  bench_table *t = bench_open(b, "contact-hollow",
                              b->quick ? "30 spheres in a hollow sphere, friction, h = 1/60"
                                       : "100 spheres in a hollow sphere, friction, h = 1/60",
                              "engine|seconds simulated|steps|contacts|mean ms|median ms|p99 ms|"
                              "max ms|solving ms|times real time|certified %|median residual|"
                              "worst residual|approach m/s");
  const int32_t steps = b->quick ? 150 : 600, fall = 180;
  const struct { const char *name; int32_t first, last; } part[] = {
    {"all", 0, ALL}, {"0 to 3", 0, fall}, {"3 to 10", fall, ALL}};
  scene_layout layout;
  engine_layout("hollow-sphere", b->quick ? "spheres=30" : "spheres=100", &layout);
  for (int k = 0; k < ENGINES; k++) {
    const engine *e = engine_list[k];
    course *c = make(e, &layout, steps, (b->quick ? 0.1 : 1.0)*(k == 0 ? 45.0 : 15.0), 1);
    for (size_t p = 0; p < sizeof part/sizeof *part; p++) {
      const figures f = figures_of(c, part[p].first, part[p].last);
      char text[16];
      if (f.steps == 0 && p == 0) bench_row(t, "%s|%s", e->name, why_none(e, c));
      if (f.steps == 0 || (p == 1 && c->steps <= fall)) continue;
      bench_row(t, "%s|%s|%d|%.0f|%.2f|%.2f|%.2f|%.2f|%.2f|%.2f|%s|%.1e|%.1e|%.1e", e->name,
                part[p].name, (int)f.steps, f.contacts, 1e3*f.mean, 1e3*f.median, 1e3*f.late,
                1e3*f.most, 1e3*f.solving, layout.settings.step/f.mean,
                certified_text(e, &f, text), f.residual, f.worst, f.approach);
    }
    const figures f = figures_of(c, 0, ALL);
    if (e == &engine_perp)
      bench_note(t, "perp: %.2f times real time over %d of %d steps, %.1f %% of them certified.",
                 layout.settings.step/f.mean, (int)f.steps, (int)steps, f.certified);
    remark(t, "", e, c);
    drop(c);
  }
  bench_note(t, "perp: E13 (27), K = 4, tolerance 1e-8. Others: friction in boxes at their own "
                "normal impulses (Bullet: one direction), and judged so.");
  bench_note(t, "residual: of the certificate. approach: how much slower than asked for two bodies "
                "part, at worst. solving: all that comes after the contacts.");
  scene_free(&layout);
  bench_close(t);
}

// ---- wall ----

static const struct { const char *name; int32_t first, last; } phase[] = {
  {"at rest", 0, 11}, {"impact", 11, 30}, {"falling", 30, ALL}, {"all", 0, ALL}};
enum { PHASES = sizeof phase/sizeof *phase };

// Mean time of perp over that of another one, in the steps of a phase that both did; 0: in none.
static double compare(const course *ours, const course *theirs, int p) {
  int32_t last = ours->steps < theirs->steps ? ours->steps : theirs->steps;
  if (last > phase[p].last) last = phase[p].last;
  const figures f = figures_of(ours, phase[p].first, last),
                g = figures_of(theirs, phase[p].first, last);
  return g.mean > 0.0 ? f.mean/g.mean : 0.0;
}

static void wall(const bench *b, bench_table *t, const char *settings, double budget) {
  scene_layout layout;
  engine_layout("wall", settings, &layout);
  const int32_t steps = b->quick ? 40 : 90;
  const int bricks = (int)layout.bodies - 2;
  char title[32];
  snprintf(title, sizeof title, "%d bricks, ", bricks);
  course *ours = NULL;
  for (int k = 0; k < ENGINES; k++) {
    const engine *e = engine_list[k];
    course *c = make(e, &layout, steps, k == 0 ? 3.0*budget : budget, 1);
    if (k == 0) ours = c;
    if (c->steps == 0 && c->end == GUARDED_LATE)
      bench_row(t, "%d|at rest|%s|0||> %.0f", bricks, e->name, 1e3*(budget + SLACK));
    else if (c->steps == 0)
      bench_row(t, "%d|%s|%s", bricks, why_none(e, c), e->name);
    for (int p = 0; p < PHASES; p++) {
      const figures f = figures_of(c, phase[p].first, phase[p].last);
      if (f.steps == 0) continue;
      char text[16], ratio[16];
      if (compare(ours, c, p) > 0.0) snprintf(ratio, sizeof ratio, "%.2f", compare(ours, c, p));
      else snprintf(ratio, sizeof ratio, "-");
      bench_row(t, "%d|%s|%s|%d|%.0f|%.2f|%.2f|%.2f|%.2f|%s|%s|%.1e|%.1e|%.1e", bricks,
                phase[p].name, e->name, (int)f.steps, f.contacts, 1e3*f.mean, 1e3*f.median,
                1e3*f.most, 1e3*f.solving, ratio, certified_text(e, &f, text), f.residual, f.worst,
                f.approach);
    }
    const figures f = figures_of(c, 0, ALL), mine = figures_of(ours, 0, ALL);
    if (e == &engine_ode_quick && compare(ours, c, PHASES - 1) > 0.0)
      bench_note(t, "%d bricks: perp's step takes %.2f times dWorldQuickStep's, %.2f at rest; "
                    "residuals %.1e and %.1e (medians).", bricks, compare(ours, c, PHASES - 1),
                 compare(ours, c, 0), mine.residual, f.residual);
    if (e == &engine_perp && f.steps < steps)
      bench_note(t, "%d bricks: perp did %d of %d steps in its budget of %.0f s.", bricks,
                 (int)f.steps, (int)steps, 3.0*budget);
    remark(t, title, e, c);
    if (k > 0) drop(c);
  }
  drop(ours);
  scene_free(&layout);
}

static void walls(const bench *b) {
  bench_table *t = bench_open(b, "contact-wall", "walls of bricks hit by a ball, no friction",
                              "bricks|phase|engine|steps|contacts|mean ms|median ms|max ms|"
                              "solving ms|perp/this|certified %|median residual|worst residual|"
                              "approach m/s");
  wall(b, t, "columns=12 rows=8", b->quick ? 1.0 : 5.0);
  if (!b->quick) wall(b, t, "columns=40 rows=25", 12.0);
  bench_note(t, "at rest: steps 1 to 11. impact: 12 to 30. falling: the others. perp/this: mean "
                "time of perp over that of the engine, whole steps, of those that both did.");
  bench_note(t, "Contacts are the engine's own. ODE: 20 iterations in dWorldQuickStep; Bullet: 10; "
                "their defaults.");
  bench_close(t);
}

// ---- iterations ----

// What a small residual costs those who sweep; and, as it does get small, a test of the judge.
static void iterations(const bench *b) {
  bench_table *t = bench_open(b, "contact-iterations", "a wall of 22 bricks, no friction: sweeps",
                              "engine|iterations|steps|contacts|mean ms|median residual|"
                              "worst residual");
  static const engine *const sweeping[] = {&engine_ode_quick, &engine_bullet};
  static const int32_t count[] = {0, 100, 1000, 10000};
  scene_layout layout;
  engine_layout("wall", "columns=5 rows=4", &layout);
  const int32_t steps = 40;
  course *c = make(&engine_perp, &layout, steps, 5.0, 1);
  const figures mine = figures_of(c, 0, ALL);
  bench_row(t, "perp|-|%d|%.0f|%.2f|%.1e|%.1e", (int)mine.steps, mine.contacts, 1e3*mine.mean,
            mine.residual, mine.worst);
  drop(c);
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < sizeof count/sizeof *count - (b->quick ? 1 : 0); i++) {
      engine_iterations = count[i];
      c = make(sweeping[k], &layout, steps, 5.0, 1);
      engine_iterations = 0;
      const figures f = figures_of(c, 0, ALL);
      char number[16] = "default";
      if (count[i] > 0) snprintf(number, sizeof number, "%d", (int)count[i]);
      if (f.steps == 0)
        bench_row(t, "%s|%s|%s", sweeping[k]->name, number, why_none(sweeping[k], c));
      else
        bench_row(t, "%s|%s|%d|%.0f|%.2f|%.1e|%.1e", sweeping[k]->name, number, (int)f.steps,
                  f.contacts, 1e3*f.mean, f.residual, f.worst);
      drop(c);
    }
  scene_free(&layout);
  bench_note(t, "The ball hits in step 12 of %d.", (int)steps);
  bench_close(t);
}

// ---- hopper ----

enum { SIZES = 5 };
static const int32_t size_list[SIZES] = {1000, 3000, 10000, 30000, 100000};

// Lets the spheres fall without friction, by a few sweeps a step, for a share of the time of a fall
// through the scene: a state that looks the same at any size, and that belongs to nobody.
static void pour(scene_layout *layout, double share) {
  const double fall = sqrt(2.0*layout->radius/fabs(layout->settings.gravity[1]));
  scene_layout rough = *layout;
  perp_options options = perp_default_options(perp_find_method("pgs"));
  options.tol = 1e-2;
  options.iteration_limit = 100;
  rough.settings.options = &options;
  rough.settings.model = PERP_CONTACT_NORMAL;
  perp_world *world;
  if (scene_world(&rough, NULL, &world) != PERP_OK) exit(1);
  for (double left = share*fall; left > 0.0; left -= layout->settings.step)
    perp_world_step(world, NULL);
  for (int32_t i = 0; i < layout->bodies; i++) perp_world_read(world, i, &layout->body[i]);
  perp_world_destroy(world);
}

typedef struct growth { int32_t points; double n[SIZES], seconds[SIZES]; } growth;

// The first step, which begins without anything known, is not in the mean. A mean is comparable
// with another one over the same steps only: where the budget ends before them, `steps` says so.
static void load(bench_table *t, const char *when, const scene_layout *layout, int32_t spheres,
                 int32_t steps, double budget, double budget_of_peers, growth *of) {
  for (int k = 0; k < ENGINES; k++) {
    const engine *e = engine_list[k];
    if (e == &engine_ode_step && spheres > 1000) continue;   // grows with the cube of contacts
    course *c = make(e, layout, steps, k == 0 ? budget : budget_of_peers, 0);
    const figures f = figures_of(c, 1, ALL), all = figures_of(c, 0, ALL);
    char text[16], each[16] = "-", done[32];
    snprintf(done, sizeof done, c->steps < steps ? "%d of %d" : "%d", (int)c->steps, (int)steps);
    if (f.contacts >= 1.0) snprintf(each, sizeof each, "%.2f", 1e6*f.mean/f.contacts);
    if (c->steps == 0) {
      bench_row(t, "%s|%d|%s|%s", when, (int)spheres, e->name, why_none(e, c));
    } else if (f.steps == 0) {
      bench_row(t, "%s|%d|%s|%s|%.2f|%.1f||||%s", when, (int)spheres, e->name, done,
                all.contacts/spheres, 1e3*c->seconds[0], certified_text(e, &all, text));
    } else {
      bench_row(t, "%s|%d|%s|%s|%.2f|%.1f|%.2f|%.2f|%s|%s", when, (int)spheres, e->name, done,
                f.contacts/spheres, 1e3*c->seconds[0], 1e3*f.mean, 1e6*f.mean/spheres, each,
                certified_text(e, &all, text));
      char title[64];
      snprintf(title, sizeof title, "%s, %d spheres, ", when, (int)spheres);
      admit(t, title, e, c);
      growth *g = &of[k];
      if (c->steps == steps) {
        g->n[g->points] = spheres;
        g->seconds[g->points++] = f.mean;
      }
    }
    drop(c);
  }
}

static void hopper(const bench *b) {
  bench_table *t = bench_open(b, "contact-hopper", "a hopper from 10^3 to 10^5 spheres, friction",
                              "when|spheres|engine|steps|contacts a sphere|first ms|mean ms|"
                              "us a sphere|us a contact|certified %");
  static const char *const when[] = {"falling", "landing"};
  growth of[2][ENGINES] = {{{0}}};
  for (int s = 0; s < (b->quick ? 2 : SIZES); s++) {
    scene_layout layout;
    char settings[64];
    snprintf(settings, sizeof settings, "spheres=%d", (int)size_list[s]);
    engine_layout("hopper", settings, &layout);
    load(t, when[0], &layout, size_list[s], 15, b->quick ? 10.0 : 12.0, b->quick ? 0.8 : 4.8,
         of[0]);
    pour(&layout, 0.62);
    // perp's budget: several times what its steps take up to 3000 spheres
    if (b->quick) load(t, when[1], &layout, size_list[s], s == 0 ? 12 : 3, 30.0, 1.2, of[1]);
    else
      load(t, when[1], &layout, size_list[s], 12, size_list[s] <= 3000 ? 90.0 : 25.0,
           size_list[s] > 10000 ? 10.0 : 4.8, of[1]);
    scene_free(&layout);
  }
  for (int phase_of = 0; phase_of < 2; phase_of++)
    for (int k = 0; k < ENGINES; k++) {
      const growth *g = &of[phase_of][k];
      if (g->points >= 2)
        bench_note(t, "%s, %s: time per step ~ spheres^%.2f (least squares, %d sizes up to %.0f).",
                   when[phase_of], engine_list[k]->name,
                   bench_growth(g->points, g->n, g->seconds), (int)g->points,
                   g->n[g->points - 1]);
    }
  bench_note(t, "falling: the first steps. landing: from the state after 0.62 of the time of a "
                "fall through the scene's radius, reached without friction, the same for all.");
  bench_note(t, "mean: without the first step, for which nothing is known yet. steps: \"2 of 12\" "
                "are those that fit into the budget; such means are over other steps.");
  bench_close(t);
}

// ---- standing ----

static void standing(const bench *b) {
  bench_table *t = bench_open(b, "contact-standing",
                              b->quick ? "what should stand still, after a second"
                                       : "what should stand still, after 10 seconds",
                              "scene|engine|steps|contacts|mean ms|certified %|median residual|"
                              "drift");
  static const struct { const char *scene, *settings, *title; } what[] = {
    {"stack", "boxes=20", "stack of 20"}, {"pyramid", "base=8", "pyramid of 36"}};
  for (size_t s = 0; s < sizeof what/sizeof *what; s++) {
    scene_layout layout;
    engine_layout(what[s].scene, what[s].settings, &layout);
    const int32_t steps = (int32_t)((b->quick ? 1.0 : 10.0)/layout.settings.step + 0.5);
    for (int k = 0; k < ENGINES; k++) {
      const engine *e = engine_list[k];
      course *c = make(e, &layout, steps, (b->quick ? 0.2 : 1.0)*(k == 0 ? 12.0 : 5.0), 1);
      const figures f = figures_of(c, 0, ALL);
      char text[16];
      if (f.steps == 0)
        bench_row(t, "%s|%s|%s", what[s].title, e->name, why_none(e, c));
      else
        bench_row(t, "%s|%s|%d|%.0f|%.3f|%s|%.1e|%.2e", what[s].title, e->name, (int)f.steps,
                  f.contacts, 1e3*f.mean, certified_text(e, &f, text), f.residual, c->drift);
      char title[32];
      snprintf(title, sizeof title, "%s, ", what[s].title);
      remark(t, title, e, c);
      drop(c);
    }
    scene_free(&layout);
  }
  bench_note(t, "drift: how far the body that moved most is from where it began; boxes have sides "
                "of 1.");
  bench_close(t);
}

// Which of the tables, if any are named: bench_contact wall hopper
int main(int count, char **words) {
  static const struct { const char *name; int boxes; void (*make)(const bench *b); } part[] = {
    {"hollow", 0, hollow}, {"wall", 1, walls}, {"iterations", 1, iterations},
    {"hopper", 1, hopper}, {"standing", 1, standing}};
  enum { PARTS = sizeof part/sizeof *part };
  int wanted[PARTS] = {0}, any = 0, left = 1;
  for (int k = 1; k < count; k++) {
    int known = 0;
    for (int p = 0; p < PARTS; p++)
      if (strcmp(words[k], part[p].name) == 0) any = known = wanted[p] = 1;
    if (!known) words[left++] = words[k];
  }
  const bench b = bench_begin(left, words);
  for (int p = 0; p < PARTS; p++) {
    if (!wanted[p] && any) continue;
    if (part[p].boxes && engine_ode_quick.create == NULL)
      printf("\n%s: left out, as boxes need ODE, which is absent\n", part[p].name);
    else
      part[p].make(&b);
  }
  return 0;
}
