// limits_world.c: scenes of bodies for limits.c: contact operators of heaps, and steps of worlds.
#include "limits_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARAMETERS = 64, SWEEPS = 100, ENERGY_STEPS = 20, ENERGY_SEEDS = 2 };

static void give_up(const char *what) {
  fprintf(stderr, "bench: %s\n", what);
  exit(1);
}

static void read_settings(const scene *what, const char *settings, double *values) {
  char text[128];
  for (int32_t k = 0; k < what->parameter_count; k++) values[k] = what->parameters[k].initial;
  snprintf(text, sizeof text, "%s", settings);
  for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
    char *equals = strchr(word, '=');
    if (equals != NULL) *equals = '\0';
    const int32_t k = scene_parameter(what, word);
    if (equals == NULL || k < 0) give_up("no such parameter of the scene");
    values[k] = atof(equals + 1);
  }
}

static perp_world *world_of(const scene_layout *layout, const perp_options *options,
                            double limit) {
  scene_layout own = *layout;
  perp_world *w = NULL;
  own.settings.options = options;
  own.settings.time_limit = limit;
  if (scene_world(&own, NULL, &w) != PERP_OK) give_up(perp_last_message());
  return w;
}

// Bodies fall without friction, by sweeps; the world that is wanted takes their motions.
perp_world *limits_settle(const clockwork *c, const subject *s, uint64_t seed, double limit) {
  const scene *what = scene_find(s->name);
  double values[MOST_PARAMETERS];
  scene_layout layout;
  read_settings(what, s->settings, values);
  if (scene_build(what, values, seed, &layout) != PERP_OK) give_up(layout.message);
  const perp_options wanted = limits_options(c, (double)INFINITY);
  perp_world *w = world_of(&layout, &wanted, limit);
  perp_options quick = perp_default_options(perp_find_method("pgs"));
  quick.iteration_limit = SWEEPS;
  layout.settings.model = PERP_CONTACT_NORMAL;
  perp_world *first = world_of(&layout, &quick, (double)INFINITY);
  for (int32_t k = 0; k < s->steps; k++)
    if (perp_world_step(first, NULL) != PERP_OK) give_up(perp_last_message());
  const perp_motion *motion = perp_world_motions(first);
  for (int32_t k = 0; s->steps > 0 && k < perp_world_count(w); k++)
    if (perp_world_move(w, k, &motion[k]) != PERP_OK) give_up(perp_last_message());
  perp_world_destroy(first);
  scene_free(&layout);
  return w;
}

static void measure_operator(const clockwork *c, const subject *s, int seed, tally *t) {
  perp_world *w = limits_settle(c, s, (uint64_t)seed, 1e-6);   // nearly no time: only the problem
  perp_world_report r;
  if (perp_world_step(w, &r) != PERP_OK) give_up(perp_last_message());
  perp_problem p;
  const double *x;
  int32_t largest = 0, most = -1;
  for (int32_t k = 0; k < r.islands; k++) {
    if (perp_world_problem(w, k, &p, &x, NULL) != PERP_OK) give_up(perp_last_message());
    if (p.A.n > most) most = p.A.n, largest = k;
  }
  if (perp_world_problem(w, largest, &p, &x, NULL) == PERP_OK) limits_problem(c, &p, seed, t);
  perp_world_destroy(w);
}

// ---- steps ----

typedef struct state { unsigned char *bytes; size_t size; } state;

static state save(const perp_world *w) {
  state s = {.size = perp_world_save(w, NULL, 0)};
  s.bytes = bench_take(s.size, 1);
  perp_world_save(w, s.bytes, s.size);
  return s;
}

// Two steps from a state: the first one makes the solvers. Returns the seconds of the longer one.
static double two_steps(perp_world *w, const state *from, perp_world_report *last) {
  double longest = 0.0;
  if (perp_world_load(w, from->bytes, from->size) != PERP_OK) give_up(perp_last_message());
  for (int k = 0; k < 2; k++) {
    if (perp_world_step(w, last) != PERP_OK) give_up(perp_last_message());
    longest = fmax(longest, last->seconds);
  }
  return longest;
}

#define SLACK 5e-5   // seconds between the look of a step at the clock and that of its caller

static void climb(const clockwork *c, const subject *s, int seed, const state *from, int rung,
                  tally *t) {
  const double limit = limits_ladder[rung];
  perp_world *w = limits_settle(c, &(subject){s->name, s->settings, 0, 0}, (uint64_t)seed, limit);
  if (perp_world_load(w, from->bytes, from->size) != PERP_OK) give_up(perp_last_message());
  perp_world_report last, now;
  perp_world_last(w, &last);
  const double size = fabs(last.potential) + last.kinetic + 1.0;
  const int steps = seed < ENERGY_SEEDS ? ENERGY_STEPS : 1;
  for (int k = 0; k < steps; k++) {
    const double begin = limits_now(c);
    if (perp_world_step(w, &now) != PERP_OK) give_up(perp_last_message());
    const double late = limits_now(c) - begin - limit;
    const int grew = !(now.kinetic + now.potential <= last.kinetic + last.potential + 1e-9*size);
    t->worse += grew;
    limits_count(LAW_ENERGY, 1, grew);
    limits_count(LAW_TOLD, 1, late > now.overrun + SLACK);
    t->late = fmax(t->late, late);
    if (k == 0) t->residual[rung][seed] = now.unsolved == 0 ? 0.0 : now.residual;
    last = now;
  }
  perp_world_destroy(w);
}

static void measure_steps(const clockwork *c, const subject *s, int seed, tally *t) {
  perp_world *w = limits_settle(c, s, (uint64_t)seed, (double)INFINITY);
  perp_world_report r;
  if (perp_world_step(w, &r) != PERP_OK) give_up(perp_last_message());   // with friction
  state from = save(w);
  double taken[REFERENCES];
  for (int k = 0; k < REFERENCES; k++) taken[k] = two_steps(w, &from, &r);
  const double usual = limits_median(taken, REFERENCES);
  const int32_t count = perp_world_count(w);
  const size_t bytes = (size_t)count*sizeof(perp_motion);
  t->n = r.rows;
  t->seconds += usual;
  const int runs = limits_runs(c, usual);
  for (int k = 0; k < runs; k++) {   // as in limits_problem()
    double last[RECENT];
    for (int i = 0; i < RECENT; i++) last[i] = two_steps(w, &from, &r);
    const double now = limits_median(last, RECENT);
    perp_world *with = limits_settle(c, &(subject){s->name, s->settings, 0, 0}, (uint64_t)seed,
                                     1.5*now);
    two_steps(with, &from, &r);
    const int same = memcmp(perp_world_motions(w), perp_world_motions(with), bytes) == 0;
    t->runs++;
    t->same += same;
    limits_count(LAW_SAME, 1, !same);
    perp_world_destroy(with);
    t->held += two_steps(w, &from, &r) > 1.5*now;
  }
  perp_world_destroy(w);
  for (int k = 0; k < RUNGS; k++) climb(c, s, seed, &from, k, t);
  free(from.bytes);
}

void limits_scene(const clockwork *c, const subject *s, int seed, tally *t) {
  if (s->operator) measure_operator(c, s, seed, t);
  else measure_steps(c, s, seed, t);
}
