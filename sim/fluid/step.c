// step.c: a step of seconds as substeps, each the stages of ANE17 Fig. 2 in the order
//     solids, advect, reseed, surface, gather, forces, assemble, pressure, project, extrapolate,
//     scatter
// and measure at the end of the step.
// The velocity that carries the particles is that of the substep before, after its projection and
// extrapolation: free of divergence and known beyond the surface. Solids move first, so that
// particles are pushed out of where these are when the substep ends. At the end of a step, grid and
// particles belong to the same time.
// If a step fails, the state from before it is restored from a copy, the shelf.
#include <math.h>
#include <time.h>

#include "state.h"

static const struct { const char *name, *text; } stages[] = {
#define PERP_X(id, name, text) {name, text},
  PERP_FLUID_STAGE_LIST(PERP_X)
#undef PERP_X
};

const char *perp_fluid_stage_name(perp_fluid_stage stage) {
  return stage >= 0 && stage < PERP_FLUID_STAGES ? stages[stage].name : "";
}

const char *perp_fluid_stage_text(perp_fluid_stage stage) {
  return stage >= 0 && stage < PERP_FLUID_STAGES ? stages[stage].text : "";
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9*(double)t.tv_nsec;
}

typedef struct turn {         // a stage in its place
  perp_fluid_stage stage;
  perp_error (*run)(perp_fluid *f);
} turn;

static perp_error run(perp_fluid *f, const turn *turns, int count) {
  for (int k = 0; k < count; k++) {
    const double begin = seconds();
    const perp_error error = turns[k].run(f);
    f->report.stage_seconds[turns[k].stage] += seconds() - begin;
    if (error != PERP_OK) return error;
  }
  return PERP_OK;
}

// A velocity to begin with, where particles were poured: theirs.
static perp_error begin(perp_fluid *f) {
  static const turn turns[] = {{PERP_FLUID_RESEED, fluid_sort}, {PERP_FLUID_GATHER, fluid_gather},
                               {PERP_FLUID_EXTRAPOLATE, fluid_extrapolate}};
  f->dt = 0.0;
  const perp_error error = run(f, turns, sizeof turns/sizeof *turns);
  if (error == PERP_OK) f->stale = 0;
  return error;
}

static perp_error substep(perp_fluid *f) {
  static const turn turns[] = {
    {PERP_FLUID_SOLIDS, fluid_solids}, {PERP_FLUID_ADVECT, fluid_advect},
    {PERP_FLUID_RESEED, fluid_reseed}, {PERP_FLUID_SURFACE, fluid_surface},
    {PERP_FLUID_GATHER, fluid_gather}, {PERP_FLUID_FORCES, fluid_forces},
    {PERP_FLUID_ASSEMBLE, fluid_assemble}, {PERP_FLUID_PRESSURE, fluid_pressure},
    {PERP_FLUID_PROJECT, fluid_project}, {PERP_FLUID_EXTRAPOLATE, fluid_extrapolate},
    {PERP_FLUID_SCATTER, fluid_scatter}};
  return run(f, turns, sizeof turns/sizeof *turns);
}

static perp_error all_substeps(perp_fluid *f) {
  const double end = f->settings.step;
  if (f->stale) {
    const perp_error error = begin(f);
    if (error != PERP_OK) return error;
  }
  double done = 0.0;
  while (done < end) {           // fluid_cfl() sees to it that settings.substeps are enough
    const double left = end - done;
    const double dt = fluid_cfl(f, left);
    if (!(dt > 0.0))
      return refuse(PERP_ERROR_ARGUMENT, "a velocity at time %g is not finite or beyond 1e12: "
                    "forces or moving solids are too strong", f->time);
    f->dt = dt;
    done = dt >= left ? end : done + dt;
    const perp_error error = substep(f);   // time is that of its beginning
    if (error != PERP_OK) return error;
    f->time += dt;
    f->report.substeps++;
  }
  return run(f, &(turn){PERP_FLUID_MEASURE, fluid_measure}, 1);
}

perp_error perp_fluid_step(perp_fluid *f, perp_fluid_report *report) {
  if (f == NULL) return refuse(PERP_ERROR_ARGUMENT, "fluid is NULL");
  const double start = seconds();
  // Reseeding finds room for an eighth more particles, which is all that it adds in a step.
  perp_error error = fluid_room(f, f->p.count + f->p.count/8 + 64);
  if (error == PERP_OK) error = fluid_shelve(f);
  if (error != PERP_OK) return error;
  const perp_fluid_report before = f->report;
  f->report = (perp_fluid_report){.step = before.step + 1, .poured = f->poured,
                                  .particles = f->p.count};
  error = all_substeps(f);
  if (error != PERP_OK) {
    fluid_restore(f, f->shelf.at);
    f->report = before;
    return error;
  }
  f->report.time = f->time;
  f->report.particles = f->p.count;
  f->report.seconds = seconds() - start;
  if (report != NULL) *report = f->report;
  return PERP_OK;
}

perp_error perp_fluid_problem(const perp_fluid *f, perp_problem *problem, const double **x) {
  if (f == NULL || problem == NULL)
    return refuse(PERP_ERROR_ARGUMENT, "%s is NULL", f == NULL ? "fluid" : "problem");
  if (f->report.substeps == 0)
    return refuse(PERP_ERROR_ARGUMENT, "there was no step yet, or none since a state was loaded");
  *problem = (perp_problem){.A = perp_from_grid(&f->grid, 0), .b = f->b, .lo = f->lo, .hi = f->hi};
  if (x != NULL) *x = f->pressure;
  return PERP_OK;
}

const double *perp_fluid_guess(const perp_fluid *f) {
  return f != NULL && f->report.substeps > 0 ? f->guess : NULL;
}
