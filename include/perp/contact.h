// contact.h: rigid bodies in contact (libperp-contact). Each time step solves complementarity
// problems, which libperp certifies. docs/contact.md has the equations.
//
//     perp_world_settings settings = perp_world_defaults();
//     perp_world *world;
//     perp_world_create(&settings, NULL, &world);
//     perp_body ball = perp_sphere(0.1, 1.0);        // radius, mass
//     perp_world_add(world, &ball, NULL);
//     perp_world_step(world, NULL);
//
// Any consistent units will do; the defaults are metres and seconds. y is up: gravity points along
// -y. In two dimensions bodies move in the plane of x and y.
// Positions, velocities and spins are limited to 1e12.
// A function that fails changes nothing in the world, and perp_last_message() says what was wrong.
// Threads may use different worlds at the same time. A world may be used by one thread at a time.
//
// An island is a group of bodies that touch each other. Its contacts are one problem.
//
// E13: Erleben, Numerical methods for linear complementarity problems, 2013.
//
// l: impulses, l_n along the normal and l_t along a tangent; J, W: as in perp_product (matrix.h).
// a _|_ b: in each row, a_i b_i = 0.
#ifndef PERP_CONTACT_H
#define PERP_CONTACT_H

#include "perp.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------ bodies

typedef enum perp_shape {     // the form of a body
  PERP_SHAPE_SPHERE,          // extent[0]: radius; a disc in two dimensions
  PERP_SHAPE_BOX,             // extent: half of each side; a rectangle in two dimensions
  PERP_SHAPE_PLANE,           // extent: normal; solid where normal.(x - position) <= offset
  PERP_SHAPE_HOLLOW,          // extent[0]: inner radius; the other bodies are inside
  PERP_SHAPE_COUNT
} perp_shape;

typedef struct perp_motion {  // what changes with time
  double position[3];         // of the centre of mass
  double orientation[4];      // a unit quaternion (w, x, y, z): body to world
  double velocity[3];         // of the centre of mass
  double spin[3];             // angular velocity, in the world's axes
} perp_motion;

typedef struct perp_body {    // from perp_sphere(), perp_box(), perp_plane() or perp_hollow()
  size_t size;                // sizeof(perp_body)
  int32_t shape;              // a perp_shape
  int32_t material;           // 0, 1, ...: see perp_world_pair
  double extent[3];           // see perp_shape
  double offset;              // of a plane, along its normal
  double mass;                // > 0; INFINITY: contacts do not change its velocity and spin.
                              //   Planes and hollow spheres always have infinite mass
  double inertia[3];          // about the body's own axes; all 0: from shape and mass
  perp_motion motion;
} perp_body;

// From here to perp_hollow: a body at rest, at the origin.
perp_body perp_sphere(double radius, double mass);
perp_body perp_box(double half_x, double half_y, double half_z, double mass);
perp_body perp_plane(double normal_x, double normal_y, double normal_z, double offset);
perp_body perp_hollow(double radius);

// ------------------------------------------------------------------------------------------- world

typedef enum perp_contact_model {   // the contact model solved in each step
  PERP_CONTACT_NORMAL,        // no friction: 0 <= l _|_ J W J' l + b >= 0
  PERP_CONTACT_FRICTION,      // the LCP E13 (27), K directions at each contact
  PERP_CONTACT_STAGGERED,     // normal and friction problem in turn until both hold
  PERP_CONTACT_BOXED,         // two tangents, |l_t| <= mu l_n in each, l_n of the round before
  PERP_CONTACT_MODEL_COUNT
} perp_contact_model;

typedef struct perp_world_settings {   // from perp_world_defaults(): values in parentheses
  size_t size;                // sizeof(perp_world_settings)
  int32_t dimension;          // (3); 2: x, y and the spin about z
  int32_t model;              // a perp_contact_model (PERP_CONTACT_FRICTION)
  int32_t directions;         // K >= 3 of the friction pyramid (4); in two dimensions always 2
  int32_t threads;            // the bits of every answer do not depend on it (1)
  int32_t sleep;              // steps at rest after which an island sleeps; (0): never
  int32_t rounds;             // at most this many rounds in the models STAGGERED and BOXED (20)
  int32_t trace;              // iterations of the largest island kept for perp_world_trace (0)
  int32_t reserved;
  double gravity[3];          // (0, -9.81, 0): y is up
  double step;                // h (1/60)
  double margin;              // bodies closer than this are contacts (0.01)
  double restitution_speed;   // slower impacts do not bounce (0.5)
  double friction, restitution;   // of materials without a pair of their own (0.5, 0)
  double time_limit;          // seconds for a whole step; (INFINITY): none
  const perp_options *options;   // method, tol, ...; NULL: auto's defaults. Copied. Threads may
                              //   call its functions at the same time
} perp_world_settings;
perp_world_settings perp_world_defaults(void);   // settings to start from

typedef struct perp_world perp_world;   // bodies, and what has happened to them

// The settings are copied. allocator NULL: malloc.
perp_error perp_world_create(const perp_world_settings *settings, const perp_allocator *allocator,
                             perp_world **world);
void perp_world_destroy(perp_world *world);                 // NULL is fine
// id (may be NULL) receives 0, 1, ... in the order of the calls
perp_error perp_world_add(perp_world *world, const perp_body *body, int32_t *id);
// friction >= 0 and restitution in [0, 1] where these two materials meet
perp_error perp_world_pair(perp_world *world, int32_t material_a, int32_t material_b,
                           double friction, double restitution);
// Adds a force at the centre of mass and a torque, in the next step only. NULL: none
perp_error perp_world_push(perp_world *world, int32_t id, const double *force /* 3 */,
                           const double *torque /* 3 */);

int32_t perp_world_count(const perp_world *world);          // of bodies
// The body as it is now.
perp_error perp_world_read(const perp_world *world, int32_t id, perp_body *body);
// all of them, perp_world_count() entries; valid until a call that changes the world
const perp_motion *perp_world_motions(const perp_world *world);
// Puts the body there, with these velocities.
perp_error perp_world_move(perp_world *world, int32_t id, const perp_motion *motion);

// ------------------------------------------------------------------------------------------- steps

// The stages of a step, in their order. CONTACTS comes again after DRIFT, with the new
// positions, and MEASURE also comes after SOLVE.
#define PERP_WORLD_STAGE_LIST(X)                                                       \
  X(CONTACTS, "contacts", "bodies that touch or may touch within the step")            \
  X(ISLANDS,  "islands",  "groups of bodies that touch each other and are awake")      \
  X(FORCES,   "forces",   "gravity and pushes, and the velocities they give contacts") \
  X(SOLVE,    "solve",    "the impulses of all islands")                               \
  X(IMPULSES, "impulses", "the velocities after these impulses")                       \
  X(DRIFT,    "drift",    "bodies move")                                               \
  X(PROJECT,  "project",  "overlaps that remain are removed")                          \
  X(SLEEP,    "sleep",    "islands at rest fall asleep")                               \
  X(MEASURE,  "measure",  "energy, momentum, overlap")
typedef enum perp_world_stage {   // a part of a step
#define PERP_X(id, name, text) PERP_WORLD_##id,
  PERP_WORLD_STAGE_LIST(PERP_X)
#undef PERP_X
  PERP_WORLD_STAGES   // how many there are
} perp_world_stage;
const char *perp_world_stage_name(perp_world_stage stage);   // "solve"
const char *perp_world_stage_text(perp_world_stage stage);   // "the impulses of all islands"

// The attempts at the impulses of an island, in their order. docs/contact.md says when each is made.
#define PERP_ATTEMPT_LIST(X)                                                                    \
  X(JAM,            "jam",            "soft contacts, because no impulses are large enough")    \
  X(WARM,           "warm",           "the problem, from the impulses of the step before")      \
  X(COLD,           "cold",           "the problem, from zero")                                 \
  X(INELASTIC,      "inelastic",      "the problem without restitution")                        \
  X(INELASTIC_COLD, "inelastic-cold", "the problem without restitution, from zero")             \
  X(SWEEP,          "sweep",          "a few passes of Gauss-Seidel, because time is over")
typedef enum perp_attempt {       // a way to find impulses
#define PERP_X(id, name, text) PERP_ATTEMPT_##id,
  PERP_ATTEMPT_LIST(PERP_X)
#undef PERP_X
  PERP_ATTEMPT_COUNT
} perp_attempt;
const char *perp_attempt_name(perp_attempt attempt);   // "warm"
const char *perp_attempt_text(perp_attempt attempt);   // "the problem, from zero"

typedef struct perp_world_report {   // what a step did
  int64_t step;               // 1 after the first one
  double time;                // step * h
  int32_t contacts;           // in the problems of the step
  int32_t rows;               // of all problems together
  int32_t islands;            // that were solved; those asleep are not counted
  int32_t asleep;             // bodies that sleep
  int32_t solved, unsolved;   // problems: certified at options.tol, or not
  int32_t worst_status;       // a perp_status: of the problem with the largest residual
  int32_t iterations, factorizations;   // of all problems
  double residual;            // the largest certified one
  double kinetic, potential;  // after the step; potential: of gravity, 0 at the origin
  double dissipated;          // since the beginning: energy at the start plus work of pushes, and
                              //   of bodies of infinite mass, minus energy now
  double penetration;         // depth of the deepest overlap after the step, >= 0
  double momentum[3], angular[3];   // of the bodies of finite mass; angular about the origin
  int32_t projections;        // islands with overlaps to remove
  int32_t unprojected;        // of them: islands that kept a small overlap, because removing it
                              //   was not certified or would have added energy
  double seconds;             // that the step took
  double solve_seconds;       // the part of `seconds` in which problems were solved
  double overrun;             // seconds by which the step exceeded time_limit; 0: it did not
  int32_t starved;            // parts of the step that were skipped for lack of memory: overlaps
                              //   stay, contacts are found at the next step, or a problem was
                              //   solved without a method that needs more memory; 0: none
  int32_t answers[PERP_ATTEMPT_COUNT];       // islands that each attempt found impulses for
  double stage_seconds[PERP_WORLD_STAGES];   // parts of `seconds`
} perp_world_report;

// report may be NULL. If a problem is not solved, the step uses the best impulses found, and the
// report counts the problem as unsolved. A step that fails changes nothing, and the report is then
// that of the step before.
perp_error perp_world_step(perp_world *world, perp_world_report *report);
// the report of the last step; before the first one, energies and momentum at the start
perp_error perp_world_last(const perp_world *world, perp_world_report *report);

typedef struct perp_touch {   // a contact of the last step
  int32_t a, b;               // bodies, a < b
  int32_t feature;            // which of the contacts of a and b
  int32_t island;             // its problem: see perp_world_problem; -1: asleep, or neither moves
  double point[3];            // between the two, at the beginning of the step
  double normal[3];           // from b to a
  double gap;                 // < 0: they overlap
  double normal_impulse;      // >= 0: of the step, on a along the normal
  double friction_impulse[3]; // on a, in the tangent plane
  int32_t solved;             // 1: its problem is certified
  int32_t bounced;            // 1: the bodies bounced, by restitution
} perp_touch;
// The contacts of the last step; valid until the next call that changes the world.
const perp_touch *perp_world_touches(const perp_world *world, int32_t *count);

// The problem of an island of the last step, 0 .. report.islands - 1, and the x that was used: to
// write them to files, or to compare solvers. bodies (may be NULL) receives how many bodies move in
// the island. Valid until the next call with this world. PERP_CONTACT_BOXED: the problem has the
// bounds of the last round. PERP_CONTACT_STAGGERED: it is E13 (27).
perp_error perp_world_problem(perp_world *world, int32_t island, perp_problem *problem,
                              const double **x, int32_t *bodies);
// How the largest problem of the last step converged: at most settings.trace entries
const perp_statistics *perp_world_trace(const perp_world *world, int32_t *count);

// Writes the exact state into memory if size is enough. Returns the bytes that the state takes. A
// world that was made with the same settings and bodies continues from it with the same bits.
size_t perp_world_save(const perp_world *world, void *memory, size_t size);
// Continues from a state of perp_world_save.
perp_error perp_world_load(perp_world *world, const void *memory, size_t size);

#ifdef __cplusplus
}
#endif
#endif
