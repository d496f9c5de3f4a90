// fluid.h: liquids that can separate from walls (libperp-fluid): particles and a staggered grid.
// The pressure of each substep is a complementarity problem, which libperp certifies. docs/fluid.md
// has the equations.
//
//     perp_fluid_settings settings = perp_fluid_defaults(2, 100, 100, 1);
//     perp_fluid *fluid;
//     perp_fluid_create(&settings, NULL, &fluid);
//     perp_fluid_shape block = perp_fluid_box(0.2, 0.5, 0.0, 0.15, 0.3, 0.0);   // centre, half
//     perp_fluid_pour(fluid, &block, NULL);
//     perp_fluid_step(fluid, NULL);
//
// Any consistent units will do; the defaults are metres, kilograms and seconds. The grid is a box
// with solid sides. y is up: gravity points along -y.
// A function that fails changes nothing in the fluid, and perp_last_message() says what was wrong.
// Threads may use different fluids at the same time. A fluid may be used by one thread at a time.
//
// ANE17: Andersen, Niebe and Erleben, A fast linear complementarity problem solver for fluid
// animation, 2017.
//
// p: pressure; u: velocity; n: normal of a wall, into the liquid. a _|_ b: a b = 0 in each cell.
#ifndef PERP_FLUID_H
#define PERP_FLUID_H

#include "matrix.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------ shapes

typedef enum perp_fluid_kind {   // the form of a shape
  PERP_FLUID_SPHERE,          // extent[0]: radius; a disc in two dimensions
  PERP_FLUID_BOX,             // extent: half of each side; 0 along z: endless along z
  PERP_FLUID_PLANE,           // extent: normal; inside where normal.(x - position) <= 0
  PERP_FLUID_CUSTOM,          // given by distance()
  PERP_FLUID_KIND_COUNT
} perp_fluid_kind;

// A region of space: a solid, or where liquid is poured.
typedef struct perp_fluid_shape {
  size_t size;                // sizeof(perp_fluid_shape)
  int32_t kind;               // a perp_fluid_kind
  int32_t outside;            // 1: the space outside the form, as the walls of a tank
  double extent[3];           // see perp_fluid_kind
  double position[3];         // of the centre; of a plane: a point on it
  double orientation[4];      // a unit quaternion (w, x, y, z)
  double velocity[3], spin[3];   // of a solid; of poured liquid: at the start
  // CUSTOM: signed distance of x at time t, negative inside. x is in the shape's own axes, which
  // are at position and turned by orientation
  double (*distance)(void *context, const double x[3], double t);
  void *context;
} perp_fluid_shape;
// From here to perp_fluid_plane: a shape at rest at (x, y, z).
perp_fluid_shape perp_fluid_sphere(double x, double y, double z, double radius);
perp_fluid_shape perp_fluid_box(double x, double y, double z, double half_x, double half_y,
                                double half_z);
perp_fluid_shape perp_fluid_plane(double x, double y, double z, double normal_x, double normal_y,
                                  double normal_z);

// ------------------------------------------------------------------------------------------- fluid

typedef enum perp_walls {     // the condition for the liquid at a wall
  PERP_WALLS_NO_SLIP,         // u = velocity of the wall
  PERP_WALLS_SLIP,            // u.n = wall.n, where wall is the velocity of the wall
  PERP_WALLS_SEPARATING,      // 0 <= p _|_ (u - wall).n >= 0
  PERP_WALLS_COUNT
} perp_walls;

// How velocities pass between particles and grid: FLIP, blended with PIC, or APIC.
typedef enum perp_transfer { PERP_TRANSFER_FLIP, PERP_TRANSFER_APIC, PERP_TRANSFER_COUNT
} perp_transfer;

typedef struct perp_fluid_settings {   // from perp_fluid_defaults(): values in parentheses
  size_t size;                // sizeof(perp_fluid_settings)
  int32_t dimension;          // 2: cells[2] = 1, and nothing moves along z
  int32_t cells[3];           // along x, y and z
  double spacing;             // (1/cells[0]) edge of a cell; one corner of the grid is the origin
  int32_t walls;              // a perp_walls (PERP_WALLS_SEPARATING)
  int32_t every_cell;         // (0) 1: complementarity in all liquid cells, not only at walls
  int32_t transfer;           // a perp_transfer (PERP_TRANSFER_FLIP)
  double flip;                // (0.97) share of FLIP in the blend; the rest is PIC
  double step;                // (1/60) seconds of perp_fluid_step
  double cfl;                 // (2) most cells that liquid may cross in a substep, which sets the
                              //   length of substeps
  int32_t substeps;           // (64) at most this many substeps in a step. If cfl asks for more,
                              //   substeps are longer than cfl allows
  int32_t particles;          // (2) per cell along each axis when poured: 4 or 8 in a cell
  int32_t reseed;             // (1) cells inside the liquid keep 1/2 to 2 times that number, unless
                              //   all cells around them have few
  int32_t compensate;         // (0) 1: keeps the liquid's volume at the amount poured in
  int32_t threads;            // (1) the bits of every answer do not depend on it
  double gravity[3];          // (0, -9.81, 0)
  double density;             // (1000)
  uint64_t seed;              // (1) for random places of particles; 0: in rows and columns
  // acceleration at x, added to gravity; NULL: none
  void (*force)(void *context, const double x[3], double t, double acceleration[3]);
  void *context;
  double time_limit;          // (INFINITY) seconds of each pressure solve
  const perp_options *options;   // (NULL) method, tol, ... of the pressure. Copied
} perp_fluid_settings;
// Settings to start from, for a grid of nx x ny x nz cells.
perp_fluid_settings perp_fluid_defaults(int32_t dimension, int32_t nx, int32_t ny, int32_t nz);

typedef struct perp_fluid perp_fluid;   // liquid and solids on a grid

// The settings are copied. allocator NULL: malloc.
perp_error perp_fluid_create(const perp_fluid_settings *settings, const perp_allocator *allocator,
                             perp_fluid **fluid);
void perp_fluid_destroy(perp_fluid *fluid);                 // NULL is fine
// id (may be NULL) receives 0, 1, ... in the order of the calls
perp_error perp_fluid_add_solid(perp_fluid *fluid, const perp_fluid_shape *solid, int32_t *id);
// Replaces a solid by this shape.
perp_error perp_fluid_move_solid(perp_fluid *fluid, int32_t id, const perp_fluid_shape *solid);
// Fills the shape with particles, except outside of the grid, inside of solids and where particles
// are already. count (may be NULL) receives how many were added. 0 is no error: there may be no
// room, or the shape may lie between the places of particles.
perp_error perp_fluid_pour(perp_fluid *fluid, const perp_fluid_shape *where, int64_t *count);
// The divergence kappa wanted in each cell, 1/s, ANE17 (48); NULL: 0. Copied.
perp_error perp_fluid_set_divergence(perp_fluid *fluid, const double *kappa /* cells */);

// ------------------------------------------------------------------------------------------- steps

// The stages of a substep, after ANE17 Fig. 2; the last one runs once per step. Each is a file in
// sim/fluid.
#define PERP_FLUID_STAGE_LIST(X)                                                       \
  X(SOLIDS,      "solids",      "solids move; area fractions and velocities of walls") \
  X(ADVECT,      "advect",      "particles move with the velocity of the grid")        \
  X(RESEED,      "reseed",      "particles are sorted, added and removed")             \
  X(SURFACE,     "surface",     "where the liquid is: distances and cell types")       \
  X(GATHER,      "gather",      "velocities of particles to the grid")                 \
  X(FORCES,      "forces",      "gravity and other forces")                            \
  X(ASSEMBLE,    "assemble",    "the pressure problem")                                \
  X(PRESSURE,    "pressure",    "the solution of the pressure problem")                \
  X(PROJECT,     "project",     "velocities after the pressure has acted")             \
  X(EXTRAPOLATE, "extrapolate", "velocities beyond the surface")                       \
  X(SCATTER,     "scatter",     "velocities of the grid to particles")                 \
  X(MEASURE,     "measure",     "volume, momentum, energy")
typedef enum perp_fluid_stage {
#define PERP_X(id, name, text) PERP_FLUID_##id,
  PERP_FLUID_STAGE_LIST(PERP_X)
#undef PERP_X
  PERP_FLUID_STAGES   // how many there are
} perp_fluid_stage;
const char *perp_fluid_stage_name(perp_fluid_stage stage);   // "advect"
const char *perp_fluid_stage_text(perp_fluid_stage stage);   // "the pressure problem"

typedef struct perp_fluid_report {   // what a step did
  int64_t step;               // 1 after the first one
  double time;                // at the end of the step
  int32_t substeps;           // of the step
  int32_t liquid;             // cells; this and the next three are of the last substep
  int32_t complementary;      // of `liquid`: 0 <= p _|_ y >= 0
  int32_t separating;         // of `complementary`: y > 0
  int32_t components;         // parts of the liquid that do not touch
  int64_t particles, added, removed;   // particles now; added and removed by this step
  int32_t solved, unsolved;   // pressure problems: certified, or not
  int32_t worst_status;       // a perp_status: of a problem that was not solved, or "solved"
  int32_t newton, inner;      // iterations of all substeps
  double residual;            // the largest certified one
  double divergence;          // largest |div u| after projection in cells that are equations, 1/s
  double courant;             // most cells that the fastest velocity crossed in a substep
  double volume;              // of the liquid, enclosed by its surface
  double poured;              // volume poured in; volume - poured is the drift
  double kinetic, potential;  // of the particles
  double momentum[3];         // of the particles
  double seconds;             // that the step took
  double stage_seconds[PERP_FLUID_STAGES];   // in each stage
} perp_fluid_report;

// report may be NULL. If a pressure problem is not solved, the step uses the best pressure found,
// and the report counts the problem as unsolved.
perp_error perp_fluid_step(perp_fluid *fluid, perp_fluid_report *report);
// the report of the last step; before the first one: what was poured
perp_error perp_fluid_last(const perp_fluid *fluid, perp_fluid_report *report);

// A view of the fluid; valid until a call that changes the fluid.
typedef struct perp_fluid_state {
  int64_t particles;          // how many
  const double *x[3], *v[3];  // particles; x[2] and v[2] are NULL in two dimensions
  int32_t cells[3];           // along x, y and z
  double spacing;             // edge of a cell
  const double *u[3];         // on faces, as perp_grid.face; u[2] NULL in two dimensions
  const double *pressure;     // cells
  const double *surface;      // cells: signed distance of the liquid, negative inside
  const double *solid;        // corners (one more than cells per direction): of the solids
  const uint8_t *type;        // cells: a perp_cell
  const uint8_t *separating;  // cells: 1 where y > 0 and p = 0 at a wall
} perp_fluid_state;
perp_error perp_fluid_read(const perp_fluid *fluid, perp_fluid_state *state);   // copies nothing
int32_t perp_fluid_solids(const perp_fluid *fluid);         // how many
// A solid as it is now.
perp_error perp_fluid_read_solid(const perp_fluid *fluid, int32_t id, perp_fluid_shape *solid);

// The pressure problem of the last substep and the x that was used: to write them to files, or to
// compare solvers. Its operator is a grid. Valid until the next call with this fluid.
perp_error perp_fluid_problem(const perp_fluid *fluid, perp_problem *problem, const double **x);
const double *perp_fluid_guess(const perp_fluid *fluid);   // where that solve began; NULL: no step

// Writes the exact state into memory if size is enough. Returns the bytes that the state takes. A
// fluid that was made with the same settings and solids continues from it with the same bits.
size_t perp_fluid_save(const perp_fluid *fluid, void *memory, size_t size);
// Continues from a state of perp_fluid_save.
perp_error perp_fluid_load(perp_fluid *fluid, const void *memory, size_t size);

#ifdef __cplusplus
}
#endif
#endif
