// moment.h: scenes of liquids as they are after a while, at any size.
//
// At 2048 x 2048 cells half a second takes a thousand substeps of seconds each. So the scene runs on
// a coarse grid until then; a fluid of the wanted size is poured into the coarse level set, gets the
// coarse velocities in its first step, and takes some steps of its own.
#ifndef PERP_BENCH_MOMENT_H
#define PERP_BENCH_MOMENT_H

#include <scene.h>

typedef struct moment {         // of a scene on a coarse grid
  const scene *what;
  int32_t n[3], dimension;
  double h, time;
  double *surface;              // cells: signed distance of the liquid
  double *u[3];                 // faces
  double fastest;               // of them
  double lift;                  // 1/s: acceleration per velocity, while a fluid gets its velocities
  double gravity[3];            // that it does not feel meanwhile
} moment;

// The scene with `size` cells a side, run for `seconds`; 0: perp_last_message() says why not.
int moment_take(const scene *what, int32_t size, double seconds, int32_t threads, moment *m);
void moment_free(moment *m);
// A fluid of the same scene with `size` cells a side, after the step in which it got its velocities.
// step: its settings.step. m must outlive it.
int moment_fluid(moment *m, int32_t size, double step, int32_t threads, perp_fluid **fluid);

#endif
