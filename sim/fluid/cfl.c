// cfl.c: the length of the next substep: nothing moves further than cfl cells in any direction.
//     dt = cfl h/max(|u|, |wall|, sqrt(cfl h g))
// The last is for liquid at rest: it reaches that speed after falling half of cfl h.
// The rest of the step is divided into equal substeps.
#include <math.h>

#include "settings.h"
#include "state.h"


typedef struct search {
  const double *u;
  int32_t count;
  double *largest;             // pieces; -1: not finite, or too large
} search;

static void look(void *data, int32_t index, int32_t who) {
  (void)who;
  const search *s = data;
  const int32_t begin = index*TASK_ENTRIES;
  const int32_t end = begin + TASK_ENTRIES < s->count ? begin + TASK_ENTRIES : s->count;
  double largest = 0.0;
  int fine = 1;
  for (int32_t i = begin; i < end; i++) {
    const double size = fabs(s->u[i]);
    fine &= size <= MAGNITUDE_MAX;
    largest = size > largest ? size : largest;
  }
  s->largest[index] = fine ? largest : -1.0;
}

static double largest_of(perp_fluid *f, const double *u, int32_t count) {   // -1: as above
  enum { TASKS_MAX = 4096 };   // tasks that run() is given at once
  double largest[TASKS_MAX], all = 0.0;
  for (int32_t at = 0; at < count;) {
    const int32_t left = count - at < TASKS_MAX*TASK_ENTRIES ? count - at : TASKS_MAX*TASK_ENTRIES;
    const int32_t pieces = (left + TASK_ENTRIES - 1)/TASK_ENTRIES;
    crew_run(f->crew, look, &(search){u + at, left, largest}, pieces);
    for (int32_t k = 0; k < pieces; k++) {
      if (largest[k] < 0.0) return -1.0;
      all = largest[k] > all ? largest[k] : all;
    }
    at += left;
  }
  return all;
}

double fluid_cfl(perp_fluid *f, double left) {
  double speed = 0.0, moving = 0.0;
  for (int a = 0; a < f->dimension; a++) {
    const double u = largest_of(f, f->u[a], f->faces[a]);
    const double wall = f->solids > 0 ? largest_of(f, f->wall[a], f->faces[a]) : 0.0;
    if (u < 0.0 || wall < 0.0) return (double)NAN;
    speed = u > speed ? u : speed;
    moving = wall > moving ? wall : moving;
  }
  const double *g = f->settings.gravity;
  const double reach = f->settings.cfl*f->h;
  const double pull = sqrt(reach*sqrt(g[0]*g[0] + g[1]*g[1] + g[2]*g[2]));
  double fastest = speed > moving ? speed : moving;
  fastest = fastest > pull ? fastest : pull;
  // A whole number of substeps, but no more than are allowed; 1e-9: rounding asks for none.
  const double wanted = ceil(left*fastest/reach - 1e-9);
  const double allowed = f->settings.substeps - f->report.substeps;
  double count = wanted < allowed ? wanted : allowed;
  count = count > 1.0 ? count : 1.0;
  const double dt = left/count, courant = speed*dt/f->h;
  if (courant > f->report.courant) f->report.courant = courant;
  return dt;
}
