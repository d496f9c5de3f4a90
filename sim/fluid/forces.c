// forces.c: u <- u + dt g, and the caller's force at the middle of each face where u is known.
#include <math.h>

#include "settings.h"

typedef struct pull {
  double *u;
  int32_t count;
  double by;
} pull;


static void add(void *data, int32_t index, int32_t who) {
  (void)who;
  const pull *p = data;
  const int32_t begin = index*TASK_ENTRIES;
  const int32_t end = p->count - begin < TASK_ENTRIES ? p->count : begin + TASK_ENTRIES;
  for (int32_t i = begin; i < end; i++) p->u[i] += p->by;
}

// The caller's function is called by one thread at a time, face by face.
static perp_error add_own(perp_fluid *f, int a) {
  const int32_t m[3] = {f->n[0] + (a == 0), f->n[1] + (a == 1), f->n[2] + (a == 2)};
  for (int32_t k = 0, at = 0; k < m[2]; k++)
    for (int32_t j = 0; j < m[1]; j++)
      for (int32_t i = 0; i < m[0]; i++, at++) {
        if (!f->known[a][at]) continue;
        const double x[3] = {(i + (a == 0 ? 0.0 : 0.5))*f->h, (j + (a == 1 ? 0.0 : 0.5))*f->h,
                             f->dimension == 2 ? 0.0 : (k + (a == 2 ? 0.0 : 0.5))*f->h};
        double g[3] = {0.0, 0.0, 0.0};
        f->settings.force(f->settings.context, x, f->time, g);
        if (!(fabs(g[a]) <= MAGNITUDE_MAX))
          return refuse(PERP_ERROR_ARGUMENT, "force at (%g, %g, %g), time %g: acceleration[%d]"
                        " = %g is outside [-1e12, 1e12]", x[0], x[1], x[2], f->time, a, g[a]);
        f->u[a][at] += f->dt*g[a];
      }
  return PERP_OK;
}

perp_error fluid_forces(perp_fluid *f) {
  for (int a = 0; a < f->dimension; a++) {
    const double by = f->dt*f->settings.gravity[a];
    if (by != 0.0)
      crew_run(f->crew, add, &(pull){f->u[a], f->faces[a], by},
               (f->faces[a] + TASK_ENTRIES - 1)/TASK_ENTRIES);
    if (f->settings.force == NULL) continue;
    const perp_error error = add_own(f, a);
    if (error != PERP_OK) return error;
  }
  return PERP_OK;
}
