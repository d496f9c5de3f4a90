// boxed_mixed.c: bounds of every kind in one problem: two sleds on a rod, braked by dry friction.
//
//   row 0, 1   friction of a sled   -limit <= x <= limit  slides (y != 0) only where
//                                                         friction is used up
//   row 2      the rod                       x free       keeps the distance: y = 0
//   row 3      a bumper ahead           0 <= x            pushes back only when sled 1 runs into it
//
// Sled 0 is pushed off with 3 m/s. Impulses x change the speeds to v = v_free + J'x (unit masses);
// y = J v.
#include <math.h>
#include <perp/perp.h>
#include <stdio.h>

enum { ROWS = 4 };

int main(void) {
  const double J[ROWS][2] = {{1, 0}, {0, 1}, {-1, 1}, {0, -1}};
  // m/s: at this speed sled 1 just reaches the bumper
  const double v_free[2] = {3, 0}, free_run = 0.75;
  const double lo[ROWS] = {-1, -1, -INFINITY, 0}, hi[ROWS] = {1, 1, INFINITY, INFINITY};
  double A[ROWS][ROWS], b[ROWS], x[ROWS] = {0}, y[ROWS];
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < ROWS; j++) A[i][j] = J[i][0]*J[j][0] + J[i][1]*J[j][1];
    b[i] = J[i][0]*v_free[0] + J[i][1]*v_free[1];
  }
  b[3] += free_run;

  const perp_dense matrix = {.n = ROWS, .value = A[0]};
  const perp_problem problem = {.A = perp_from_dense(&matrix,
                                                     PERP_CLAIM_SYMMETRIC | PERP_CLAIM_PSD),
                                .b = b, .lo = lo, .hi = hi};
  perp_result result;
  perp_certificate certificate;
  if (perp_solve_once(&problem, x, NULL, &result) != PERP_OK ||
      perp_certify(&problem, x, 1e-8, 0, y, &certificate) != PERP_OK)
    return fprintf(stderr, "%s\n", perp_last_message()), 1;

  const char *const names[ROWS] = {"friction 0", "friction 1", "rod", "bumper"};
  printf("%s\n", perp_status_name(result.status));
  for (int i = 0; i < ROWS; i++) printf("%-10s x = %7.4f  y = %7.4f\n", names[i], x[i], y[i] + 0.0);
  return !certificate.solved;
}

// expect: solved
// expect: friction 0 x = -1.0000  y =  0.5000
// expect: friction 1 x = -1.0000  y =  0.5000
// expect: rod        x =  1.5000  y =  0.0000
// expect: bumper     x =  0.0000  y =  0.2500
