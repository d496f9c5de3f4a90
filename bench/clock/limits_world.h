// limits_world.h: what limits.c and limits_world.c share: the laws of a time limit and who broke them.
#ifndef PERP_BENCH_LIMITS_WORLD_H
#define PERP_BENCH_LIMITS_WORLD_H

#include <scene.h>

#include "bench.h"

enum { SEEDS = 10, RUNS = 100, RUNGS = 8, REFERENCES = 9,
       RECENT = 3 };   // solves or steps without a limit, just before each one with a limit
extern const double limits_ladder[RUNGS];   // seconds

typedef enum law { LAW_SAME, LAW_NEVER_WORSE, LAW_ENERGY, LAW_MORE_TIME, LAW_TOLD, LAWS } law;

// Counts cases of a law, and those that break it.
void limits_count(law of, int64_t cases, int64_t violations);

typedef struct subject {
  const char *name, *settings;   // a family of the gallery or a scene, and its parameters
  int32_t steps;                 // of a scene before it is measured; 0: a family
  int operator;                  // of a scene: the contact operator of its largest island, else steps
} subject;

typedef struct tally {           // of a subject over its seeds
  int32_t n, seeds, runs, same, worse;
  int32_t held;                  // runs without a limit, between those, that took 1.5 times as long
  double seconds, late;          // without a limit, mean; by how much a limit was missed, at most
  double residual[RUNGS][SEEDS]; // 0: solved
} tally;

typedef struct clockwork {       // by which limits are kept and seconds are measured
  double (*now)(void *unused);   // NULL: the system's
  int quick;
} clockwork;
double limits_now(const clockwork *c);
perp_options limits_options(const clockwork *c, double limit);
double limits_median(double *value, int count);   // sorts them
// How many runs at 1.5 times `seconds`, so that a subject does not take minutes.
int limits_runs(const clockwork *c, double seconds);

// The laws for problem p from x = 0.
void limits_problem(const clockwork *c, const perp_problem *p, int seed, tally *t);
// The same for the contact operator of the largest island, or for steps, of a scene.
void limits_scene(const clockwork *c, const subject *s, int seed, tally *t);

// A world of the scene, moved on by its steps without friction and by sweeps, so that it is quick.
perp_world *limits_settle(const clockwork *c, const subject *s, uint64_t seed, double limit);

#endif
