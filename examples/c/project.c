// project.c: the pressure step of a fluid code of your own: velocities on faces in and out.
//
// Liquid fills the upper half of a closed box, and gravity acts for ten steps. With the usual
// linear projection it hangs from the lid by suction; with a lid that lets go it falls by g t.
//
//     cc project.c $(pkg-config --cflags --libs perp) -o project
#include <math.h>
#include <perp/matrix.h>
#include <perp/perp.h>
#include <stdio.h>

enum { NX = 64, NY = 64, CELLS = NX*NY };

typedef struct flow {          // what your code has
  uint8_t type[CELLS];         // PERP_CELL_SOLID, LIQUID, AIR; cell (i, j) is j*NX + i
  double u[(NX + 1)*NY];       // along x: j*(NX + 1) + i is the face on the left of (i, j), m/s
  double v[NX*(NY + 1)];       // along y: j*NX + i is the face below (i, j)
  double p[CELLS];             // Pa; what it holds is the guess for the next step
  double h, density;
} flow;

static int type_at(const flow *f, int i, int j) {   // the edge of the grid is solid
  return i < 0 || j < 0 || i >= NX || j >= NY ? PERP_CELL_SOLID : f->type[j*NX + i];
}

// A face moves with the pressures beside it unless one of its cells is solid, or both are air.
static void push(double *face, const flow *f, double dt, int i0, int j0, int i, int j) {
  const int a = type_at(f, i0, j0), b = type_at(f, i, j);
  if (a == PERP_CELL_SOLID || b == PERP_CELL_SOLID) return;   // it keeps the wall's velocity
  if (a == PERP_CELL_LIQUID || b == PERP_CELL_LIQUID)         // p = 0 in air
    *face -= dt/(f->density*f->h)*(f->p[j*NX + i] - f->p[j0*NX + i0]);
}

// Faces of solid cells and of the edge hold the wall's velocity, here 0, before this is called.
static int project(flow *f, double dt, int separating, perp_solver **solver) {
  static double b[CELLS], lo[CELLS], hi[CELLS];
  const perp_grid grid = {.cells = {NX, NY, 1}, .spacing = {f->h, f->h, f->h}, .type = f->type};
  if (perp_grid_bounds(&grid, 0, lo, hi) != PERP_OK) return 0;
  for (int j = 0; j < NY; j++) {
    for (int i = 0; i < NX; i++) {
      const int c = j*NX + i, liquid = f->type[c] == PERP_CELL_LIQUID;
      const double *u = &f->u[j*(NX + 1) + i], *v = &f->v[c];
      b[c] = liquid ? f->density/dt*(u[1] - u[0] + v[NX] - v[0])/f->h : 0.0;
      if (liquid && !separating) lo[c] = -INFINITY;           // an equation, as everybody has it
    }
  }
  const perp_problem problem = {.A = perp_from_grid(&grid, PERP_CLAIM_NONE), .b = b, .lo = lo,
                                .hi = hi};
  if (*solver == NULL) {                                      // once; it fits all grids of this size
    const perp_limits limits = perp_limits_of(&problem);
    if (perp_solver_create(perp_find_method("auto"), &limits, NULL, NULL, solver) != PERP_OK)
      return 0;
  }
  perp_result result;
  if (perp_solve(*solver, &problem, f->p, &result) != PERP_OK) return 0;
  if (result.status != PERP_STATUS_SOLVED) puts(result.message);   // p is the best there is: go on
  for (int j = 0; j < NY; j++)
    for (int i = 1; i < NX; i++) push(&f->u[j*(NX + 1) + i], f, dt, i - 1, j, i, j);
  for (int j = 1; j < NY; j++)
    for (int i = 0; i < NX; i++) push(&f->v[j*NX + i], f, dt, i, j - 1, i, j);
  return 1;
}

int main(void) {
  static flow f;
  for (int separating = 0; separating < 2; separating++) {
    const double dt = 0.01, g = 9.81;
    perp_solver *solver = NULL;
    f = (flow){.h = 1.0/NX, .density = 1000};
    for (int c = 0; c < CELLS; c++) f.type[c] = c < CELLS/2 ? PERP_CELL_AIR : PERP_CELL_LIQUID;
    for (int step = 0; step < 10; step++) {         // your code would move liquid and types here
      for (int k = NX*NY/2; k < NX*NY; k++) f.v[k] -= g*dt;    // faces of liquid that are no walls
      if (!project(&f, dt, separating, &solver)) return puts(perp_last_message()), 1;
    }
    double low = INFINITY;
    for (int c = 0; c < CELLS; c++) low = f.p[c] < low ? f.p[c] : low;
    printf("%s: after 0.1 s it moves by %.3f m/s, least pressure %.0f Pa\n",
           separating ? "separating" : "slip", fabs(f.v[NX*(3*NY/4) + NX/2]), low);
    perp_solver_destroy(solver);
  }
  return 0;
}

// expect: slip: after 0.1 s it moves by 0.000 m/s, least pressure -4
// expect: separating: after 0.1 s it moves by 0.981 m/s, least pressure 0 Pa
