// pressure.c: you have cell flags, weights and a divergence; get pressure that lets go of walls.
//
// Liquid under the lid of a closed box: on the left it falls, on the right it is thrown against the
// lid. With slip walls all of it would stick there. With 0 <= p _|_ div u >= 0 in cells at walls
// the lid lets go where it would have to pull.
//
//     cc pressure.c $(pkg-config --cflags --libs perp) -lm -o pressure
#include <math.h>
#include <perp/matrix.h>
#include <perp/perp.h>
#include <stdio.h>
#include <string.h>

enum { NX = 64, NY = 48 };

int main(void) {
  static uint8_t type[NX*NY];                       // solid is 0, liquid 1, air 2
  static double div[NX*NY], lo[NX*NY], hi[NX*NY], p[NX*NY];
  const double h = 1.0/NX;                          // edge of a cell
  memset(type, PERP_CELL_AIR, sizeof type);
  memset(type + NX*(NY - 16), PERP_CELL_LIQUID, NX*16);        // the upper third
  for (int i = 0; i < NX; i++)                      // v = -cos(pi x) times density/dt, 0 at the lid
    div[NX*(NY - 1) + i] = cos(3.14159265358979*(i + 0.5)*h)/h;
  const perp_grid grid = {.cells = {NX, NY, 1}, .spacing = {h, h, h}, .type = type};
  if (perp_grid_bounds(&grid, 0, lo, hi) != PERP_OK) return puts(perp_last_message()), 1;
  const perp_problem problem = {.A = perp_from_grid(&grid, PERP_CLAIM_NONE), .b = div,
                                .lo = lo, .hi = hi};
  perp_result result;                               // weights: area fractions in grid.face[d];
  if (perp_solve_once(&problem, p, NULL, &result) != PERP_OK)   // over theta at the surface
    return puts(perp_last_message()), 1;
  int apart = 0;
  for (int i = 0; i < NX; i++) apart += p[NX*(NY - 1) + i] == 0.0;
  printf("%s by %s: the lid lets go of %d of %d cells\n", perp_status_name(result.status),
         result.method != NULL ? perp_method_name(result.method) : "nobody", apart, NX);
  return result.status != PERP_STATUS_SOLVED;
}

// expect: solved by active_set: the lid lets go of 25 of 64 cells
