// tower.c: a tower of bricks as a physics engine has it: J and inverse masses in blocks of six.
//
// Brick k rests on brick k - 1, brick 0 is the ground: its inverse mass is zero. A brick has six
// degrees of freedom, velocity and spin, and its block of W is its inverse mass and its inverse
// inertia in the world's axes, full because bricks are turned about z. Nine contact points a face
// are six more than statics can tell apart, so J W J' is singular, and impulses of single points
// are not unique; what a whole face carries is. Where contacts outnumber bodies, perp factors a
// matrix of the size of the bodies.
//
//     cc tower.c $(pkg-config --cflags --libs perp) -lm -o tower
#include <math.h>
#include <perp/matrix.h>
#include <perp/perp.h>
#include <stdio.h>

enum { BRICKS = 40, POINTS = 9, BODIES = BRICKS + 1, ROWS = BRICKS*POINTS, BLOCK = 6 };

#define MASS 5.0             // kg
#define GRAVITY 9.81         // m/s^2
#define STEP (1.0/60)        // s
static const double side[3] = {0.4, 0.2, 0.1};   // m

static double W[BODIES*BLOCK*BLOCK], J[ROWS*2*BLOCK], b[ROWS], x[ROWS];
static int32_t rowptr[ROWS + 1], column[ROWS*2*BLOCK];

// The block of a brick that is turned by `angle` about z.
static void set_mass(double *block, double angle) {
  const double c = cos(angle), s = sin(angle);
  const double p = 12/(MASS*(side[1]*side[1] + side[2]*side[2]));   // about its own x, y, z
  const double q = 12/(MASS*(side[0]*side[0] + side[2]*side[2]));
  const double r = 12/(MASS*(side[0]*side[0] + side[1]*side[1]));
  for (int d = 0; d < 3; d++) block[d*BLOCK + d] = 1/MASS;
  block[3*BLOCK + 3] = c*c*p + s*s*q;
  block[4*BLOCK + 4] = s*s*p + c*c*q;
  block[3*BLOCK + 4] = block[4*BLOCK + 3] = c*s*(p - q);
  block[5*BLOCK + 5] = r;
}

int main(void) {
  int32_t row = 0, entries = 0;
  for (int32_t k = 1; k <= BRICKS; k++) {
    set_mass(W + k*BLOCK*BLOCK, 0.05*k);
    for (int32_t p = 0; p < POINTS; p++, row++) {
      const double px = 0.1*(p%3 - 1), py = 0.08*(p/3 - 1);   // from the axis of the tower
      // The speed at which the two part is u_z + w_x y - w_y x of the upper one at that point minus
      // that of the lower one; all centres are on the axis.
      for (int side_of = 0; side_of < 2; side_of++) {
        const double sign = side_of == 0 ? -1 : 1, part[3] = {1, py, -px};
        for (int d = 0; d < 3; d++) {
          column[entries] = (k - 1 + side_of)*BLOCK + 2 + d;
          J[entries++] = sign*part[d];
        }
      }
      rowptr[row + 1] = entries;
      b[row] = k == 1 ? -STEP*GRAVITY : 0;   // J v_free: all bricks fall alike
    }
  }

  const perp_product matrix = {.n = ROWS, .dofs = BODIES*BLOCK, .rowptr = rowptr, .column = column,
                               .value = J, .block = BLOCK, .W = W};
  const perp_problem problem = {.A = perp_from_product(&matrix, PERP_CLAIM_NONE), .b = b};
  perp_options options = perp_default_options(perp_find_method("active_set"));
  perp_result result;
  if (perp_solve_once(&problem, x, &options, &result) != PERP_OK) {
    fprintf(stderr, "%s\n", perp_last_message());
    return 1;
  }
  printf("%d contact points between %d bricks: %s\n", ROWS, BRICKS,
         perp_status_name(result.status));
  for (int32_t k = 0; k < BRICKS; k += BRICKS - 1) {
    double sum = 0;
    for (int32_t p = 0; p < POINTS; p++) sum += x[k*POINTS + p];
    printf("face %d carries %.3f kg\n", k, sum/(STEP*GRAVITY));
  }
  return result.status != PERP_STATUS_SOLVED;
}

// expect: 360 contact points between 40 bricks: solved
// expect: face 0 carries 200.000 kg
// expect: face 39 carries 5.000 kg
