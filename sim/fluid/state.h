// state.h: the data that the stages of a substep share. Each stage is a file with one function;
// step.c calls them in the order of ANE17 Fig. 2.
//
// Cell (i, j, k) is at (k ny + j) nx + i. Faces and corners have an entry more per line, as in
// perp_grid: u[0] of the face below cell (i, j, k) is at (k ny + j)(nx + 1) + i. In two dimensions
// there is one layer of corners and no face along z: u[2], open[2], wall[2], weight[2] are NULL.
#pragma once

#include <perp/fluid.h>

#include "buffer.h"
#include "crew.h"
#include "refuse.h"

enum {
  TASK_PARTICLES = 2048,         // that a thread moves, or gives velocities, at a time
  TASK_ENTRIES = 65536           // of a field that a thread goes through at a time
};

typedef struct particles {       // sorted by cell after reseed
  int64_t count, room;
  double *x[3], *v[3];           // room
  double *affine[9];             // room each, APIC only: dv_a/dx_b at 3 a + b
  double *spare;                 // room: the next place of an array that is being sorted
  int32_t *order, *cell;         // room: where each comes from, and in which cell it is
} particles;

struct perp_fluid {
  perp_fluid_settings settings;
  perp_options options;
  perp_allocator allocator;
  crew *crew;
  int32_t n[3], dimension;
  int32_t cells, corners, faces[3];   // how many
  double h, time, dt;            // dt: of the current substep
  uint64_t draws;                // number of substeps that have drawn random numbers
  int32_t stale;                 // 1: particles were poured, and u does not include them

  perp_fluid_shape *solid;
  int32_t solids;
  buffer solid_memory;           // the memory of `solid`

  particles p;
  int32_t *first;                // cells + 1: particles of each cell, after reseed

  double *u[3], *before[3];      // faces: velocity; before forces and pressure, for FLIP
  uint8_t *known[3];             // faces: 1 where u comes from particles or pressure, else from
                                 //   extrapolation
  double *surface;               // cells: distance of the liquid, negative inside
  double *solid_distance;        // corners
  double *open[3];               // faces: fraction that is not solid, 0 .. 1
  double *wall[3];               // faces: velocity of the solid there
  uint8_t *type;                 // cells
  double *kappa;                 // cells; NULL: 0

  // the pressure problem: rows are cells
  double *weight[3];             // faces: open over theta
  double *b, *lo, *hi, *pressure;   // cells
  double *guess;                 // cells: the pressure that the solve began from
  uint8_t *separating;           // cells
  uint8_t *vented;               // cells: 1 in liquid that is connected to a free surface
  double correction;             // the kappa in vented cells that keeps the volume
  perp_grid grid;
  perp_solver *solver;
  perp_result result;

  uint64_t solid_stamp;          // of the solids that solid_distance, open, wall show; 0: none
  int32_t squeezed;              // closed parts of the liquid whose walls leave too little room
  int infeasible;                // 1: perp_check_farkas proves that no pressure solves them
  buffer scratch;                // of the current stage: fluid_scratch()
  uint8_t *mark[3];              // faces: layers of an extrapolation
  buffer shelf;                  // the state before a step, in case it fails

  double poured;                 // volume
  perp_fluid_report report;
};

// The stages. Those that can fail return an error whose message is set. Solids move first, so that
// advect pushes particles out of them where they are at the end of the substep.
double fluid_cfl(perp_fluid *f, double left);                  // seconds of the next substep
perp_error fluid_advect(perp_fluid *f);                        // x <- x + dt u, RK3; out of solids
perp_error fluid_reseed(perp_fluid *f);                        // sorts; adds and removes particles
perp_error fluid_surface(perp_fluid *f);                       // surface and type
perp_error fluid_solids(perp_fluid *f);                        // moves them; solid_distance, open,
                                                               //   wall
perp_error fluid_gather(perp_fluid *f);                        // particles -> u, known; before <- u
perp_error fluid_forces(perp_fluid *f);                        // u += dt g
perp_error fluid_assemble(perp_fluid *f);                      // weight, b, lo, hi
perp_error fluid_pressure(perp_fluid *f);                      // pressure, separating, result
perp_error fluid_project(perp_fluid *f);                       // u -= dt/density grad p
perp_error fluid_extrapolate(perp_fluid *f);                   // u where it is not known; walls
perp_error fluid_scatter(perp_fluid *f);                       // u -> v of particles
perp_error fluid_measure(perp_fluid *f);                       // into report

// Scratch memory, valid until the next call by any stage. NULL: no memory, and the message is set.
void *fluid_scratch(perp_fluid *f, size_t bytes);
double fluid_volume(perp_fluid *f);                            // of the liquid, by its level set
double fluid_correction(perp_fluid *f);                        // divergence that keeps it
// D u of a cell, walls included; touches: it has a face that is not wholly open
double fluid_divergence(const perp_fluid *f, int32_t i, int32_t j, int32_t k, int *touches);
double fluid_aim_at(const perp_fluid *f, int32_t i, int32_t j, int32_t k);   // the D u wanted

// ---- particles ----
perp_error fluid_room(perp_fluid *f, int64_t count);           // room for `count` particles: fluid.c
// pointers to the arrays that a particle has, x and v first; returns how many: fluid.c
int fluid_particle_arrays(particles *p, int32_t dimension, int affine, double **list[15]);
perp_error fluid_shelve(perp_fluid *f);                        // keeps the state: save.c
void fluid_restore(perp_fluid *f, const void *memory);         // a state of this fluid: save.c
// sort.c: sets `first` and `order`: particles by cell, and within a cell in their old order
perp_error fluid_find_order(perp_fluid *f);
void fluid_put_in_order(perp_fluid *f, int64_t count);         // as order says
perp_error fluid_sort(perp_fluid *f);                          // both
perp_error fluid_spread(perp_fluid *f, int32_t layers);        // u where not known: extrapolate.c

double shape_distance(const perp_fluid_shape *shape, const double x[3], double t);
void shape_velocity(const perp_fluid_shape *shape, const double x[3], double v[3]);
void shape_move(perp_fluid_shape *shape, double dt);
