// island_problem.h: the complementarity problem of an island, in the memory of a worker.
#ifndef PERP_CONTACT_ISLAND_PROBLEM_H
#define PERP_CONTACT_ISLAND_PROBLEM_H

#include <perp/matrix.h>

#include "world.h"

// How a problem is solved. Problems of the step follow the settings, with or without a trace.
// Auxiliary normal problems use auto, since not every method accepts them; those that only move
// bodies apart have a looser tolerance.
typedef enum solve_kind {
  SOLVE_STEP, SOLVE_TRACED, SOLVE_OWN, SOLVE_ROUGH, SOLVE_KINDS
} solve_kind;

enum {
  SIZE_CLASSES = 17,          // solvers by size: 4^class rows
  DENSE_ROWS_MAX = 16         // problems up to this size are dense: the library solves them fast
};

typedef struct assembled {    // views of buffers of the worker
  perp_problem problem;
  perp_dense dense;
  perp_product product;
  perp_contacts contacts;
  double *x;                  // n
} assembled;

struct worker {
  perp_allocator allocator;   // of the world, with a count of what it refuses
  perp_allocator from;        // of the world
  int64_t refused;            // requests for memory so far: a solve that misses some may go on
  perp_solver *solver[SOLVE_KINDS][SIZE_CLASSES];   // by size of the problem: 4^class rows
  perp_limits limits[SOLVE_KINDS][SIZE_CLASSES];
  buffer arms;                // contacts x 36: arm x direction, and W times that, on either side
  buffer rowptr, column, value, W;
  buffer direction, mu;       // of E13 (27)
  buffer blocks;              // contacts x 9: problem_block() of each, for sweeps
  buffer b, x, lo, hi, compliance, rest, set, scratch;
  assembled made;
  perp_error error;
  char message[512];
  void *geometry[2];          // two boxes of ODE's
};

// These return 0 if there is no memory. They assemble the problem and fill x from the warm start;
// `l` is the list that holds the island's contacts.
int problem_normal(const perp_world *w, worker *by, const contact_list *l, const island *s,
                   assembled *out);
int problem_friction(const perp_world *w, worker *by, const contact_list *l, const island *s,
                     assembled *out);
int problem_boxed(const perp_world *w, worker *by, const contact_list *l, const island *s,
                  assembled *out);
// J W J' + C instead of the J W J' of a normal problem, C: `part` of its diagonal
int problem_soften(worker *by, assembled *a, double part);
// the values of x at contact i of the island: world.width of them
void problem_row(const perp_world *w, const island *s, const double *x, int32_t i, double *kept);
void problem_scale(const perp_world *w, const island *s, double *x, double factor);   // impulses
// the values of x into kept: world.width for each contact of the list
void problem_keep(const perp_world *w, const island *s, const double *x, double *kept);
// Contact i of the island that was assembled last, along its normal and tangents: the velocities v
// that body.shift adds to it, and impulses l into body.shift.
void problem_feel(const perp_world *w, const worker *by, const contact *c, int32_t i, double *v);
void problem_hit(const perp_world *w, const worker *by, const contact *c, int32_t i,
                 const double *l);
// B between its own directions, 3 x 3
void problem_block(const perp_world *w, const worker *by, const contact *c, int32_t i, double *G);
// The impulse of a contact on a: along the normal, and its tangential vector.
double problem_impulse(const perp_world *w, const contact *c, const double *x, double *tangential);

#endif
