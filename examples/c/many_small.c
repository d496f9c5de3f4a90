// many_small.c: many small problems a frame, as a game or a controller has them: one solver, one
// call, no allocation in it.
//
// Each problem is a foot with four corners on the ground that is pushed down somewhere: which
// corners carry it? A is dense and new every time, so there is nothing to keep from one to the
// next; dense problems of up to 16 rows are solved on the stack, four with the same n at once.
// expect: 1000 of 1000 solved
// expect: push at (0.0, 0.0): 0.25 0.25 0.25 0.25
// expect: push at (0.8, 0.8): 0.80 0.10 0.10 0.00
#include <stdio.h>
#include <string.h>

#include <perp/batch.h>
#include <perp/perp.h>

enum { COUNT = 1000, CORNERS = 4 };

typedef struct foot {
  double A[CORNERS*CORNERS], b[CORNERS], x[CORNERS];
} foot;

// The corners are at (+-1, +-1); mass and inertia are 1. y = A x + b >= 0 is the speed of each one
// after the impulses x >= 0 on them: A = J J' + compliance with rows (1, u, v) of J, and b = -J (1,
// push) the speed without. Four corners on a rigid foot are one too many; the compliance decides.
static void stand(foot *f, double push) {
  const double u[] = {1, -1, 1, -1}, v[] = {1, 1, -1, -1}, compliance = 1e-6;
  for (int i = 0; i < CORNERS; i++) {
    f->b[i] = -(1.0 + u[i]*push + v[i]*push);
    for (int j = 0; j < CORNERS; j++)
      f->A[i*CORNERS + j] = 1.0 + u[i]*u[j] + v[i]*v[j] + (i == j ? compliance : 0.0);
  }
  memset(f->x, 0, sizeof f->x);
}

int main(void) {
  static foot feet[COUNT];
  static perp_dense matrix[COUNT];
  static perp_problem problem[COUNT];
  static perp_brief brief[COUNT];   // 40 bytes each; a perp_result has more than a thousand
  static double *x[COUNT];
  for (int k = 0; k < COUNT; k++) {
    stand(&feet[k], k < 500 ? 0.0 : 0.8);
    matrix[k] = (perp_dense){.n = CORNERS, .value = feet[k].A};
    problem[k] = (perp_problem){.A = perp_from_dense(&matrix[k], PERP_CLAIM_NONE), .b = feet[k].b};
    x[k] = feet[k].x;
  }

  const perp_limits limits = {.n = CORNERS, .nnz = CORNERS*CORNERS};   // lanes: for threads
  perp_solver *solver = NULL;
  if (perp_solver_create(NULL, &limits, NULL, NULL, &solver) != PERP_OK ||
      perp_solve_batch_brief(solver, problem, COUNT, x, brief) != PERP_OK) {
    fprintf(stderr, "%s\n", perp_last_message());
    perp_solver_destroy(solver);
    return 1;
  }
  int solved = 0;
  for (int k = 0; k < COUNT; k++) solved += brief[k].status == PERP_STATUS_SOLVED;
  printf("%d of %d solved\n", solved, COUNT);
  for (int k = 0; k < COUNT; k += 500)
    printf("push at (%.1f, %.1f): %.2f %.2f %.2f %.2f\n", k < 500 ? 0.0 : 0.8, k < 500 ? 0.0 : 0.8,
           x[k][0], x[k][1], x[k][2], x[k][3]);
  perp_solver_destroy(solver);
  return 0;
}
